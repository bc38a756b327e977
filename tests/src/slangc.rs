//! The random programs of [`crate::random_programs`] through slangc's C++ target: value, forward and reverse derivative
//! of each at one point, beside ours in double precision, with central differences as the judge.
//!
//! slangc compiles each program alone, since it ends without an answer at every third; what it writes is compiled and run
//! together, each program in a namespace of its own. A batch that g++ refuses, or that does not run to its end, is halved
//! until the program is found. What came of it is in `tests/random-programs-and-slangc.md`.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;
use test_support::random_source::{SourceProgram, random_source};

use crate::{
    process::output_of,
    random_programs::{AtPoint, Front, POINT},
};

/// Programs that g++ compiles together.
const BATCH: usize = 24;

/// slangc computes in float; larger differences than this, relative to the largest number of a program or to 1, count.
const TOLERANCE: f64 = 2e-3;

/// Value, four forward and four reverse derivatives.
const NUMBERS: usize = 9;

#[derive(Debug, Default)]
pub struct Comparison {
    pub compared: u64,
    /// Seeds that slangc does not compile, and what it says.
    pub rejected: Vec<(u64, String)>,
    /// Seeds with other numbers, and who is right.
    pub disagreements: Vec<(u64, String)>,
}

/// Compares the programs of `count` seeds from `first` on.
pub fn compare(slangc: &Path, first: u64, count: u64, progress: &dyn Fn(u64, &str)) -> Result<Comparison> {
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-slangc-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let translator = Translator { slangc, scratch: &scratch };
    translator.prelude()?;
    let mut comparison = Comparison::default();
    let reject = |comparison: &mut Comparison, seed: u64, message: String| {
        progress(seed, &message);
        comparison.rejected.push((seed, message));
    };
    let mut front = Front::new();
    let seeds: Vec<u64> = (first..first + count).collect();
    for seeds in seeds.chunks(BATCH) {
        let mut translated = Vec::new();
        for &seed in seeds {
            match translator.translate(seed, &random_source(seed))? {
                Ok(()) => translated.push(seed),
                Err(message) => reject(&mut comparison, seed, message),
            }
        }
        let mut pending = vec![translated];
        while let Some(seeds) = pending.pop() {
            match translator.run(&seeds)? {
                Ok(numbers) => {
                    for (&seed, theirs) in seeds.iter().zip(numbers.chunks(NUMBERS)) {
                        comparison.compared += 1;
                        let ours = front.at_point(&random_source(seed)).map_err(anyhow::Error::msg)?;
                        for what in disagreements(&ours, theirs) {
                            progress(seed, &what);
                            comparison.disagreements.push((seed, what));
                        }
                    }
                }
                Err(message) if seeds.len() == 1 => reject(&mut comparison, seeds[0], message),
                Err(_) => {
                    let (left, right) = seeds.split_at(seeds.len() / 2);
                    pending.extend([right.to_vec(), left.to_vec()]);
                }
            }
        }
    }
    std::fs::remove_dir_all(&scratch)?;
    Ok(comparison)
}

fn disagreements(ours: &AtPoint, theirs: &[f64]) -> Vec<String> {
    let numbers = [ours.value].into_iter().chain(ours.forward).chain(ours.backward);
    let scale = numbers.clone().fold(1.0f64, |scale, x| scale.max(x.abs()));
    let close = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * scale;
    if !close(ours.value, theirs[0]) {
        return vec![format!("the value is {} and {} in slangc", ours.value, theirs[0])];
    }
    let mut found = Vec::new();
    for (number, (ours_here, &theirs)) in numbers.zip(theirs).enumerate().skip(1) {
        if close(ours_here, theirs) {
            continue;
        }
        let (mode, input) = if number <= 4 { ("forward", number - 1) } else { ("reverse", number - 5) };
        let slope = ours.differences[input];
        let verdict = match (close(ours_here, slope), close(theirs, slope)) {
            (true, false) => "ours is right",
            (false, true) => "slangc is right",
            _ => "differences do not decide",
        };
        found.push(format!(
            "{mode} derivative by x{input}: {ours_here}, {theirs} in slangc, {slope} by differences: {verdict}"
        ));
    }
    found
}

/// The text of a program with a kernel that writes its numbers.
pub fn kernel(program: &SourceProgram) -> String {
    let mut text = format!("RWStructuredBuffer<float> result;\n{}", program.text);
    let [x0, x1, x2, x3] = POINT.0;
    let root = &program.root;
    let _ = writeln!(text, "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main()\n{{");
    let _ = writeln!(text, "    result[0] = {root}({x0:?}, {x1:?}, {x2:?}, {x3:?}, {});", POINT.1);
    for direction in 0..4 {
        let tangent = |input: usize| if input == direction { "1.0" } else { "0.0" };
        let pairs: Vec<String> =
            POINT.0.iter().enumerate().map(|(input, x)| format!("diffPair({x:?}, {})", tangent(input))).collect();
        let (slot, pairs) = (direction + 1, pairs.join(", "));
        let _ = writeln!(text, "    result[{slot}] = fwd_diff({root})({pairs}, {}).d;", POINT.1);
    }
    for (input, x) in POINT.0.iter().enumerate() {
        let _ = writeln!(text, "    var p{input} = diffPair({x:?}, 0.0);");
    }
    let _ = writeln!(text, "    bwd_diff({root})(p0, p1, p2, p3, {}, 1.0);", POINT.1);
    for input in 0..4 {
        let _ = writeln!(text, "    result[{}] = p{input}.d;", input + 5);
    }
    text + "}\n"
}

/// Makes programs run by way of slangc's C++.
struct Translator<'a> {
    slangc: &'a Path,
    scratch: &'a Path,
}

impl Translator<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// Writes `name.cpp` from a text with the entry point, or gives what slangc says.
    fn compile(&self, name: &str, entry: &str, text: &str) -> Result<Result<(), String>> {
        let (source, cpp) = (self.file(&format!("{name}.slang")), self.file(&format!("{name}.cpp")));
        std::fs::write(&source, text)?;
        let mut compile = Command::new(self.slangc);
        compile.arg(&source).args(["-entry", entry, "-stage", "compute", "-target", "cpp"]);
        compile.args(["-line-directive-mode", "none", "-o"]).arg(&cpp);
        Ok(output_of(&mut compile)?.map(drop))
    }

    /// What slangc writes in front of every program: compiled once for all programs of a batch, outside of their
    /// namespaces. Its entry point has a name that those of the programs do not have.
    fn prelude(&self) -> Result<()> {
        let empty = "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid nothing() {}\n";
        self.compile("prelude", "nothing", empty)?.map_err(anyhow::Error::msg)
    }

    fn translate(&self, seed: u64, program: &SourceProgram) -> Result<Result<(), String>> {
        self.compile(&seed.to_string(), "main", &kernel(program))
    }

    /// The numbers of all programs, one after the other, or why there are none.
    fn run(&self, seeds: &[u64]) -> Result<Result<Vec<f64>, String>> {
        let (driver, program) = (self.file("driver.cpp"), self.file("driver"));
        // Exported functions would have the same name in all namespaces.
        let mut text = "#include \"prelude.cpp\"
#include <stdio.h>
#undef SLANG_PRELUDE_EXPORT
#define SLANG_PRELUDE_EXPORT
"
        .to_owned();
        for seed in seeds {
            let _ = writeln!(text, "namespace program_{seed} {{\n#include \"{seed}.cpp\"\n}}");
        }
        let _ = writeln!(text, "int main()\n{{\n    static float out[{NUMBERS}];");
        text += "    ComputeVaryingInput input = {};\n    input.endGroupID = uint3{1, 1, 1};\n";
        for seed in seeds {
            let _ = writeln!(
                text,
                "    {{
        program_{seed}::GlobalParams_0 globals = {{}};
        globals.result_0.data = out;
        globals.result_0.count = {NUMBERS};
        program_{seed}::main_0(&input, 0, &globals);
        for (float number : out)
            printf(\"%.9g\\n\", number);
    }}"
            );
        }
        text += "}\n";
        std::fs::write(&driver, text)?;
        let mut link = Command::new("g++");
        link.args(["-O0", "-w", "-std=c++17"]).arg(&driver).arg("-o").arg(&program);
        if let Err(message) = output_of(&mut link)? {
            return Ok(Err(format!("slangc's C++ does not compile: {message}")));
        }
        Ok(output_of(&mut Command::new(&program))?
            .map(|text| text.lines().map(|line| line.trim().parse().unwrap_or(f64::NAN)).collect())
            .map_err(|message| format!("slangc's program does not run: {message}")))
    }
}
