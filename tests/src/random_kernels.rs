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

/// What a program of [`kernel_with_memory`] has besides its own functions; `#` stands for the seed.
const AROUND: &str = "
struct Span_# : IDifferentiable
{
    float a;
    float b;
}
[Differentiable] Span_# operator+(Span_# l, Span_# r) { return { l.a + r.a, l.b - r.b }; }
[Differentiable] Span_# operator-(Span_# l, Span_# r) { return { l.a - r.b, l.b - r.a }; }
[Differentiable] Span_# operator*(Span_# l, Span_# r) { return { l.a * r.b, l.b * r.a }; }
[Differentiable] Span_# operator/(Span_# l, Span_# r) { return { l.a / (1.0 + r.a * r.a), l.b / (2.0 + r.b * r.b) }; }
[Differentiable] Span_# operator%(Span_# l, float by) { return { l.a * by, l.b }; }
[Differentiable] Span_# operator-(Span_# of) { return { -of.b, -of.a }; }
[Differentiable] Span_# operator<<(Span_# l, int by) { return { l.a * float(by), l.b }; }
[Differentiable] Span_# operator>>(Span_# l, int by) { return { l.a, l.b / float(1 + by * by) }; }
[Differentiable] Span_# operator&(Span_# l, Span_# r) { return { min(l.a, r.a), min(l.b, r.b) }; }
[Differentiable] Span_# operator|(Span_# l, Span_# r) { return { max(l.a, r.a), max(l.b, r.b) }; }
[Differentiable] Span_# operator^(Span_# l, Span_# r) { return { sin(l.a) * r.a, cos(l.b) * r.b }; }
[Differentiable] Span_# operator~(Span_# of) { return { of.b, of.a }; }
bool operator!(Span_# of) { return of.a < of.b; }
bool operator<(Span_# l, Span_# r) { return l.a < r.a; }
bool operator<=(Span_# l, Span_# r) { return l.a <= r.b; }
bool operator>(Span_# l, Span_# r) { return l.b > r.b; }
bool operator>=(Span_# l, Span_# r) { return l.b >= r.a; }
bool operator==(Span_# l, Span_# r) { return l.a == r.a && l.b == r.b; }
bool operator!=(Span_# l, Span_# r) { return !(l == r); }

[Differentiable]
float joined_#(float x0, float x1, float x2, float x3, int n)
{
    Span_# p = { root_#(x0, x1, x2, x3, n), x1 };
    Span_# q = { x2, x3 };
    if (p < q)
        p = p + (q ^ p);
    if (q <= p || !q)
        q = q / p - -q;
    for (int i = 0; i < 4; i++)
    {
        switch ((i + n) % 4)
        {
        case 0: p = p * q % 0.5;
        case 1: q = (q << 2) & (p >> 1); break;
        case 2: if (p > q) break; q = ~q;
        default: p = p | q; continue;
        }
        p = p % 0.75;
    }
    if (p >= q && p != q)
        p = p - q;
    return p.a + 0.5 * p.b + (p == q ? x0 : x1 * x2);
}

struct Item_#
{
    float value;
    float2 pairs[2];
    int count;
};
RWStructuredBuffer<Item_#> items_#;
groupshared float shared_#[4];
groupshared uint counted_#;

";

/// What the thread `at` writes.
const FILL: &str = "
    shared_#[at] = fwd_diff(joined_#)(diffPair(inputs[0], at == 0 ? 1.0 : 0.0), diffPair(inputs[1], at == 1 ? 1.0 : 0.0),
        diffPair(inputs[2], at == 2 ? 1.0 : 0.0), diffPair(inputs[3], at == 3 ? 1.0 : 0.0), n).d;
    items_#[at].value = shared_#[at];
    items_#[at].pairs[at % 2] = float2(inputs[at], 0.5 * shared_#[at]);
    items_#[at].count = at + n;
";

/// What the thread `at` reads of what another one has written.
const READ: &str = "
    Item_# item = items_#[3 - at];
    result[4 - at] = item.value;
";

/// What one thread does alone, and another.
const DERIVATIVES: &str = "
    result[0] = joined_#(inputs[0], inputs[1], inputs[2], inputs[3], n);
    var p0 = diffPair(inputs[0], 0.0);
    var p1 = diffPair(inputs[1], 0.0);
    var p2 = diffPair(inputs[2], 0.0);
    var p3 = diffPair(inputs[3], 0.0);
    bwd_diff(joined_#)(p0, p1, p2, p3, n, 1.0);
    result[5] = p0.d;
    result[6] = p1.d;
    result[7] = p2.d;
    result[8] = p3.d;
";
const SUM: &str = "
    float sum = float(counted_#);
    for (int i = 0; i < 4; i++)
        sum += shared_#[i] * items_#[i].pairs[i % 2].x + items_#[i].pairs[i % 2].y + float(items_#[i].count);
    result[9] = sum;
";

/// A random program whose `root` is called by a function over a type with all operators, with shared memory and a buffer of
/// structs: by a group of four threads that wait for each other, or by one thread, since not every target has barriers. It
/// writes what [`kernel`]'s programs write, and one number of what is shared.
pub fn kernel_with_memory(seed: u64, program: SourceProgram) -> Program {
    let body = match seed % 2 {
        0 => format!(
            "[numthreads(4, 1, 1)]
void main_#_of_random(uint3 thread : SV_GroupThreadID)
{{
    int at = int(thread.x);
    int n = int(inputs[4]);
    if (at == 0)
        counted_# = 0;{FILL}
    AllMemoryBarrierWithGroupSync();
    InterlockedAdd(counted_#, uint(at + 1));{READ}
    GroupMemoryBarrierWithGroupSync();
    if (at == 1)
    {{{DERIVATIVES}    }}
    else if (at == 2)
    {{{SUM}    }}
}}
"
        ),
        _ => format!(
            "[numthreads(1, 1, 1)]
void main_#_of_random()
{{
    int n = int(inputs[4]);
    counted_# = 10;
    for (int at = 0; at < 4; at++)
    {{{FILL}    }}
    for (int at = 0; at < 4; at++)
    {{{READ}    }}
{DERIVATIVES}{SUM}}}
"
        ),
    };
    let around = format!("{AROUND}[shader(\"compute\")] {body}").replace('#', &seed.to_string());
    Program { text: program.text.clone() + &around, values: None, results: NUMBERS + 1, ..kernel(seed, program) }
}

/// Compares the programs of `count` seeds from `first` on in all of the engines, on so many threads. `make` writes them.
/// `progress` hears what is wrong at once, and after each batch how many programs are done.
pub fn compare_programs(
    make: fn(u64, SourceProgram) -> Program,
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
            let programs: Vec<Program> = seeds.clone().map(|seed| make(seed, random_source(seed))).collect();
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
