//! Random programs with entry points that write their value, their forward and their reverse derivative, for all engines.

use std::fmt::Write as _;

use test_support::random_source::{Construct, SourceProgram, random_source};

use crate::{
    engines::{Comparison, Depth, Engine, Program, Values, compare},
    random_programs::POINT,
};

/// Value, four forward and four reverse derivatives.
const NUMBERS: usize = 9;

/// Programs that are compared together: what g++ compiles at once.
const BATCH: u64 = 64;

/// A random program with its entry points; its names end in `seed`.
pub fn kernel(seed: u64, program: SourceProgram) -> Program {
    let SourceProgram { mut text, root, constructs, .. } = program;
    let asks_for_derivatives = constructs.contains(&Construct::DerivativeInDifferentiated);
    let numbers: Vec<String> = (0..4).map(|input| format!("inputs[{input}]")).collect();
    // Names of entry points that end in a digit get another end in WGSL.
    let entry = "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid";
    let value = format!("    result[0] = {root}({}, int(inputs[4]));", numbers.join(", "));
    let _ = writeln!(text, "{entry} values_{seed}_of_random()\n{{\n{value}\n}}");
    let _ = writeln!(text, "{entry} main_{seed}_of_random()\n{{\n{value}");
    // A loop, because devices put all calls into one function, and compile it slowly.
    let pairs: Vec<String> = numbers
        .iter()
        .enumerate()
        .map(|(input, x)| format!("diffPair({x}, direction == {input} ? 1.0 : 0.0)"))
        .collect();
    let _ = writeln!(text, "    for (int direction = 0; direction < 4; direction++)");
    let pairs = pairs.join(", ");
    let _ = writeln!(text, "        result[direction + 1] = fwd_diff({root})({pairs}, int(inputs[4])).d;");
    for (input, x) in numbers.iter().enumerate() {
        let _ = writeln!(text, "    var p{input} = diffPair({x}, 0.0);");
    }
    let _ = writeln!(text, "    bwd_diff({root})(p0, p1, p2, p3, int(inputs[4]), 1.0);");
    for input in 0..4 {
        let _ = writeln!(text, "    result[{}] = p{input}.d;", input + 5);
    }
    text += "}\n";
    let inputs = POINT.0.iter().map(|&x| x as f32).chain([POINT.1 as f32]).collect();
    Program {
        name: format!("seed {seed}"),
        text,
        entry: format!("main_{seed}_of_random"),
        values: (!asks_for_derivatives).then(|| Values { entry: format!("values_{seed}_of_random"), results: 1 }),
        inputs,
        results: NUMBERS,
        shares_unit: true,
    }
}

/// Compares the programs of `count` seeds from `first` on in all of the engines, on so many threads. `progress` hears what is
/// wrong at once, and after each batch how many programs are done.
pub fn compare_programs(
    first: u64,
    count: u64,
    engines: &[Engine],
    depth: Depth,
    workers: usize,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Comparison {
    let batches: Vec<u64> = (first..first + count).step_by(BATCH as usize).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let total = std::sync::Mutex::new(Comparison::default());
    let work = || {
        while let Some(&start) = batches.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let seeds = start..(start + BATCH).min(first + count);
            let programs: Vec<Program> = seeds.clone().map(|seed| kernel(seed, random_source(seed))).collect();
            let mut comparison = compare(&programs, engines, depth);
            for disagreement in &mut comparison.disagreements {
                let what = disagreement.to_string();
                progress(Progress::Wrong { program: &programs[disagreement.program], what: &what });
                disagreement.program += (start - first) as usize;
            }
            progress(Progress::Done { seeds, comparison: &comparison });
            let mut total = total.lock().expect("no worker panics while it adds");
            total.compared += comparison.compared;
            total.explained += comparison.explained;
            total.beyond_target += comparison.beyond_target;
            total.disagreements.extend(comparison.disagreements);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).expect("a thread");
        }
    });
    total.into_inner().expect("all workers have ended")
}

/// What [`compare_programs`] tells while it runs.
pub enum Progress<'a> {
    Wrong { program: &'a Program, what: &'a str },
    Done { seeds: std::ops::Range<u64>, comparison: &'a Comparison },
}
