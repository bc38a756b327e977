//! The same program in every engine: the interpreter before and after each pass, and the emitted code of each target, run.
//!
//! Entry points: [`Program`], [`Engine`], [`compare`].
//!
//! Programs whose names differ from each other's share a *unit*: one text, lowered, differentiated and emitted once. Units
//! share a translation unit of C++ and the shaders of a device. What fails in company is tried alone, so that every finding
//! names one program.
//!
//! # Invariants
//! - The reference is the interpreter in the widths that the source declares, after differentiation. Where another engine
//!   differs by more than rounding, the interpreter in double precision and at inputs beside the given ones is the referee
//!   ([`judge`]): what those spread over is the program's own condition and explains the difference.
//! - An engine that this machine does not have is not in [`Engine::available`]; nothing else skips one in silence.
//! - A program that an engine refuses is a finding like one with other numbers, unless the target has no words for it.

mod cpp;
mod cuda;
mod judge;
mod metal;
mod reread;
mod rough;
mod slangc;
mod stages;
mod unit;
mod vulkan;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use unit::{Front, Unit};

use crate::process;

/// A Slang program that writes numbers.
///
/// Its text declares everything but `StructuredBuffer<float> inputs` and `RWStructuredBuffer<float> result`, which stand in
/// front of it, and has a compute entry point of which one group reads the one and writes the other. Buffers that it declares
/// have four elements at most, which are zero when it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// For people: a seed, or a file and what was changed in it.
    pub name: String,
    pub text: String,
    /// The entry point: `main` where the program does not share its unit.
    pub entry: String,
    /// An entry point that asks for no derivatives, for the passes before differentiation.
    pub values: Option<Values>,
    pub inputs: Vec<f32>,
    /// How many numbers it writes.
    pub results: usize,
    /// Whether its top-level names are its own among all programs that are compared together.
    pub shares_unit: bool,
}

/// An entry point that writes the first numbers of a program, those that are not derivatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    pub entry: String,
    pub results: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// The interpreter after each pass.
    Passes,
    /// Emitted C++, compiled by g++, with tests of its indices.
    Cpp,
    /// The same without tests, as users get it, watched for what touches memory that is not its own.
    UncheckedCpp,
    /// Emitted Metal, compiled by g++ with a header of ours.
    Metal,
    /// Emitted CUDA on an NVIDIA device.
    Cuda,
    /// Emitted WGSL on the Vulkan device.
    Wgsl,
    /// Emitted SPIR-V on the Vulkan device.
    Spirv,
    /// Emitted GLSL, compiled by glslangValidator, on the Vulkan device.
    Glsl,
    /// Emitted Slang, read again by our own front end, in the interpreter.
    Slang,
    /// Emitted Slang, compiled by slangc to C++, compiled by g++.
    Slangc,
}

impl Engine {
    pub const ALL: [Engine; 10] = [
        Engine::Passes,
        Engine::Cpp,
        Engine::UncheckedCpp,
        Engine::Metal,
        Engine::Cuda,
        Engine::Wgsl,
        Engine::Spirv,
        Engine::Glsl,
        Engine::Slang,
        Engine::Slangc,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Passes => "interp",
            Engine::Cpp => "cpp",
            Engine::UncheckedCpp => "unchecked-cpp",
            Engine::Metal => "metal",
            Engine::Cuda => "cuda",
            Engine::Wgsl => "wgsl",
            Engine::Spirv => "spirv",
            Engine::Glsl => "glsl",
            Engine::Slang => "slang",
            Engine::Slangc => "slangc",
        }
    }

    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// The engines that this machine has. `$SLANGC` names slangc.
    pub fn available() -> Vec<Engine> {
        let has_gpu = gpu::Gpu::new().is_ok();
        Engine::ALL
            .into_iter()
            .filter(|engine| match engine {
                Engine::Passes | Engine::Slang => true,
                Engine::Cpp | Engine::UncheckedCpp | Engine::Metal => process::is_there("g++"),
                Engine::Cuda => cuda::is_there(),
                Engine::Wgsl | Engine::Spirv => has_gpu,
                Engine::Glsl => has_gpu && process::is_there("glslangValidator"),
                Engine::Slangc => process::is_there("g++") && std::env::var_os("SLANGC").is_some(),
            })
            .collect()
    }

    /// The available engines but those that take a minute for what the others do in seconds: slangc, a second compilation
    /// of the same C++, and Metal, which is compiled by the same compiler.
    pub fn quick() -> Vec<Engine> {
        let mut engines = Engine::available();
        engines.retain(|engine| !matches!(engine, Engine::Slangc | Engine::UncheckedCpp | Engine::Metal));
        engines
    }
}

/// What came of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Programs that the reference ran.
    pub compared: usize,
    /// Programs and engines whose differences are those of the program's condition.
    pub explained: usize,
    /// Programs and targets that have no words for them: WGSL for `double`, GPUs for recursion and text, C++ for barriers.
    pub beyond_target: usize,
    pub disagreements: Vec<Disagreement>,
}

/// A program that an engine does not run as the reference does.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// The index among the programs.
    pub program: usize,
    /// Which engine, and for [`Engine::Passes`] after which pass. `None`: there is no reference.
    pub engine: Option<Engine>,
    /// The pass or the target.
    pub place: String,
    pub what: Difference,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// It is not accepted, or does not run to its end.
    Refused(String),
    /// One of the numbers is another.
    Number { index: usize, got: f32, expected: f32 },
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.what {
            Difference::Refused(message) => write!(f, "{}: {message}", self.place),
            Difference::Number { index, got, expected } => {
                write!(f, "{}: result[{index}] is {got}, the interpreter says {expected}", self.place)
            }
        }
    }
}

/// What an engine makes of each program of a unit: its numbers, or why there are none.
type Outcome = Result<Vec<f32>, String>;

/// Runs the programs of a unit.
type RunUnit<'c, 'a> = dyn Fn(&mut Comparer<'a>, &Unit<'a>) -> Result<Vec<Outcome>, String> + 'c;

/// Runs the programs of several units.
type RunUnits<'a> = dyn Fn(&[&Unit<'a>]) -> Result<Vec<Vec<Outcome>>, String>;

/// How much of the work is done, where engines have much in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Every engine runs every program.
    All,
    /// Each program goes to one of the languages of the device, which take turns; so do emitted Slang and the interpreter
    /// after each pass, which beside that runs what another engine does not run as the reference does.
    Turns,
}

/// What is rightly refused: the words of the refusals.
const BEYOND_TARGETS: &[&str] = &[
    "calls itself, which GPU code cannot do",
    "`printf` is not supported for this target",
    "a barrier is not supported for target `cpp`",
    "`printf` is not supported for target `metal`",
    "the type `double` is not supported for target `metal`",
];

/// The languages of the device, in the order in which they take turns.
const LANGUAGES: [Engine; 3] = [Engine::Wgsl, Engine::Spirv, Engine::Glsl];

/// Of so many units one goes to the engines that are not for all of them.
const TURNS: usize = 8;

/// Runs all programs in the engines. What is compared is what the entry points leave in `result`.
pub fn compare(programs: &[Program], engines: &[Engine], depth: Depth) -> Comparison {
    let mut comparer = Comparer { programs, comparison: Comparison::default(), front: Front::new() };
    let units = comparer.units();
    let is_turn = |unit: &Unit<'_>, of: usize| depth == Depth::All || unit.turn() % TURNS == of;
    for unit in &units {
        comparer.comparison.compared += unit.members.len();
        if engines.contains(&Engine::Passes) && is_turn(unit, 0) {
            comparer.passes(unit);
        }
        if engines.contains(&Engine::Slang) && is_turn(unit, 1) {
            comparer.single(unit, Engine::Slang, &|comparer, unit| reread::run(&mut comparer.front, unit));
        }
        let has_double = unit.has(ir::Scalar::F64);
        let mut languages = LANGUAGES.to_vec();
        languages.retain(|engine| engines.contains(engine));
        if has_double && languages.contains(&Engine::Wgsl) {
            comparer.comparison.beyond_target += unit.members.len();
            languages.retain(|engine| *engine != Engine::Wgsl);
        }
        if depth == Depth::Turns && !languages.is_empty() {
            languages = vec![languages[unit.turn() / TURNS % languages.len()]];
        }
        for engine in languages {
            comparer.single(unit, engine, &|_, unit| vulkan::run(unit, engine));
        }
    }
    for (engine, indices) in [(Engine::Cpp, cpp::Indices::Tested), (Engine::UncheckedCpp, cpp::Indices::Watched)] {
        if engines.contains(&engine) {
            comparer.batch(&units, engine, &move |units| cpp::run(units, indices));
        }
    }
    if engines.contains(&Engine::Metal) {
        comparer.batch(&units, Engine::Metal, &metal::run);
    }
    if engines.contains(&Engine::Cuda) {
        comparer.batch(&units, Engine::Cuda, &cuda::run);
    }
    if engines.contains(&Engine::Slangc) {
        comparer.batch(&units, Engine::Slangc, &slangc::run);
    }
    if engines.contains(&Engine::Passes) && depth == Depth::Turns {
        comparer.passes_of_suspects(&units);
    }
    let mut comparison = comparer.comparison;
    comparison.disagreements.sort_by_key(|disagreement| (disagreement.program, disagreement.engine));
    comparison
}

struct Comparer<'a> {
    programs: &'a [Program],
    comparison: Comparison,
    front: Front,
}

/// `work`, whose panics are messages.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}

impl<'a> Comparer<'a> {
    /// The programs, compiled and run by the reference: together, and alone where that fails.
    fn units(&mut self) -> Vec<Unit<'a>> {
        let mut units = Vec::new();
        // Those with `double` and those with barriers stay among themselves, because not every target has them.
        let (mut together, alone): (Vec<usize>, Vec<usize>) =
            (0..self.programs.len()).partition(|&index| self.programs[index].shares_unit);
        together.sort_by_key(|&index| {
            let text = &self.programs[index].text;
            (text.contains("double"), text.contains("WithGroupSync"))
        });
        let mut pending: Vec<Vec<usize>> = alone.into_iter().map(|index| vec![index]).collect();
        pending.extend(together.chunks(unit::SIZE).map(<[usize]>::to_vec));
        while let Some(members) = pending.pop() {
            let programs = self.programs;
            let made = guarded(|| Unit::new(&mut self.front, programs, &members));
            match made {
                Ok(unit) => units.push(unit),
                Err(message) => {
                    self.front = Front::new();
                    match members[..] {
                        [program] => self.refused(program, None, "the reference", message),
                        _ => pending.extend(halves(&members)),
                    }
                }
            }
        }
        units
    }

    fn refused(&mut self, program: usize, engine: Option<Engine>, place: &str, message: String) {
        if BEYOND_TARGETS.iter().any(|words| message.contains(words)) {
            self.comparison.beyond_target += 1;
            return;
        }
        let what = Difference::Refused(message);
        self.comparison.disagreements.push(Disagreement { program, engine, place: place.to_owned(), what });
    }

    /// Compares what an engine gives for the programs of a unit.
    fn judge(&mut self, unit: &Unit<'_>, engine: Engine, place: &str, outcomes: Vec<Outcome>) {
        for (member, outcome) in outcomes.into_iter().enumerate() {
            let program = unit.members[member];
            match outcome {
                Err(message) => self.refused(program, Some(engine), place, message),
                Ok(numbers) => match judge::difference(unit, member, engine, &numbers) {
                    judge::Verdict::Same => {}
                    judge::Verdict::Explained => self.comparison.explained += 1,
                    judge::Verdict::Different(what) => {
                        let (engine, place) = (Some(engine), place.to_owned());
                        self.comparison.disagreements.push(Disagreement { program, engine, place, what });
                    }
                },
            }
        }
    }

    /// Runs an engine that takes one unit at a time; a unit that is refused as a whole is made anew of each program alone.
    fn single(&mut self, unit: &Unit<'a>, engine: Engine, run: &RunUnit<'_, 'a>) {
        match guarded(|| run(self, unit)) {
            Ok(outcomes) => self.judge(unit, engine, engine.name(), outcomes),
            Err(message) => match unit.members[..] {
                [program] => self.refused(program, Some(engine), engine.name(), message),
                _ => {
                    for unit in self.alone(unit) {
                        self.single(&unit, engine, run);
                    }
                }
            },
        }
    }

    /// Runs an engine that takes many units together; what is refused is halved.
    fn batch(&mut self, units: &[Unit<'a>], engine: Engine, run: &RunUnits<'a>) {
        let mut pending: Vec<Vec<&Unit<'a>>> = Vec::new();
        let mut room = 0;
        for unit in units {
            match pending.last_mut().filter(|_| unit.members.len() <= room) {
                Some(batch) => batch.push(unit),
                None => {
                    pending.push(vec![unit]);
                    room = cpp::PROGRAMS;
                }
            }
            room = room.saturating_sub(unit.members.len());
        }
        while let Some(batch) = pending.pop() {
            match guarded(|| run(&batch)) {
                Ok(outcomes) => {
                    for (unit, outcomes) in batch.iter().zip(outcomes) {
                        self.judge(unit, engine, engine.name(), outcomes);
                    }
                }
                Err(message) => match batch[..] {
                    [unit] => match unit.members[..] {
                        [program] => self.refused(program, Some(engine), engine.name(), message),
                        _ => {
                            let alone = self.alone(unit);
                            self.batch(&alone, engine, run);
                        }
                    },
                    _ => pending.extend(halves(&batch)),
                },
            }
        }
    }

    /// A unit for each of a unit's programs.
    fn alone(&mut self, unit: &Unit<'_>) -> Vec<Unit<'a>> {
        let mut units = Vec::new();
        for &program in &unit.members {
            let programs = self.programs;
            match guarded(|| Unit::new(&mut self.front, programs, &[program])) {
                Ok(unit) => units.push(unit),
                Err(message) => self.refused(program, None, "the reference, alone", message),
            }
        }
        units
    }

    /// Which pass it was that spoilt a program: those that an engine got wrong and that had no turn.
    fn passes_of_suspects(&mut self, units: &[Unit<'a>]) {
        let wrong: Vec<usize> = self.comparison.disagreements.iter().map(|found| found.program).collect();
        for unit in units {
            if unit.turn() % TURNS != 0 && unit.members.iter().any(|member| wrong.contains(member)) {
                self.passes(unit);
            }
        }
    }

    /// The interpreter after each pass: of each program, the first that changes a value.
    fn passes(&mut self, unit: &Unit<'a>) {
        let mut wrong: Vec<usize> = Vec::new();
        for stage in stages::ALL {
            let outcomes = match guarded(|| stages::run(stage, unit)) {
                Ok(outcomes) => outcomes,
                Err(message) => vec![Err(message); unit.members.len()],
            };
            let before = self.comparison.disagreements.len();
            self.judge(unit, Engine::Passes, &stage.name(), outcomes);
            // Later passes get what an earlier one has spoilt.
            let found = self.comparison.disagreements.split_off(before);
            for disagreement in found {
                if !wrong.contains(&disagreement.program) {
                    wrong.push(disagreement.program);
                    self.comparison.disagreements.push(disagreement);
                }
            }
        }
    }
}

fn halves<T: Clone>(all: &[T]) -> [Vec<T>; 2] {
    let (left, right) = all.split_at(all.len() / 2);
    [left.to_vec(), right.to_vec()]
}
