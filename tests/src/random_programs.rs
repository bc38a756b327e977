//! Checks the derivatives of random programs, from their text on: each is accepted without an error, lowers to IR
//! that the verifier accepts, before and after differentiation, and its derivatives agree with differences in double
//! precision and with each other, to second order by nesting.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base_db::{RootDatabase, documents::Documents};
use hir_def::{item, name::Name, scope};
use hir_ty::{signature::FunctionRef, ty::GenericArgs};
use ide::diagnostics::Severity;
use interp::{
    Limits, Machine, Precision, Value,
    gradcheck::{self, Functions, Options},
};
use ir::{DerivativeKind, FuncId, verify::VerifiedModule};
use test_support::database::with_core_library;
use test_support::random_source::{SourceProgram, random_source};

use crate::coverage::Coverage;

/// Diagnostics take longer than derivatives, so that only every eighth program is checked for them; what is wrong with
/// the types of the others still shows in lowering.
const DIAGNOSED: u64 = 8;

/// Larger results bend so fast that differences at several steps agree on what is not the slope.
const LARGEST: f64 = 1e3;

/// Largest error beside that of the differences: far less than what rounding one constant to single precision makes.
const TOLERANCE: f64 = 1e-9;

/// Far fewer than usual: programs have many branches, and there are many programs.
const SOUGHT_STEPS: u64 = 30_000;

/// Programs that share a database; each leaves a little memory behind.
const PROGRAMS_PER_DATABASE: u64 = 250;

/// The stack of a worker: recursion follows the nesting of programs.
const STACK_SIZE: usize = 64 << 20;

/// What came of many programs.
#[derive(Debug, Default)]
pub struct Summary {
    /// Programs of which a derivative was compared with differences.
    pub checked: u64,
    /// Programs for which no input was found at which differences say anything.
    pub skipped: u64,
    /// Seeds, and what is wrong with their programs.
    pub wrong: Vec<(u64, String)>,
    pub coverage: Coverage,
}

/// Checks the programs of `count` seeds from `first` on, on so many threads.
pub fn check_programs(first: u64, count: u64, workers: usize, progress: &(dyn Fn(u64, &str) + Sync)) -> Summary {
    let workers = workers.max(1) as u64;
    let summaries: Vec<Summary> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let seeds = (first..first + count).filter(move |seed| seed % workers == worker);
                let work = move || check_seeds(seeds, progress);
                std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work).expect("a thread")
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("workers catch panics")).collect()
    });
    let mut total = Summary::default();
    for summary in summaries {
        total.checked += summary.checked;
        total.skipped += summary.skipped;
        total.wrong.extend(summary.wrong);
        total.coverage.extend(summary.coverage);
    }
    total.wrong.sort();
    total
}

fn check_seeds(seeds: impl Iterator<Item = u64>, progress: &(dyn Fn(u64, &str) + Sync)) -> Summary {
    let mut summary = Summary::default();
    let mut front = Front::new();
    for (number, seed) in (0u64..).zip(seeds) {
        if number % PROGRAMS_PER_DATABASE == PROGRAMS_PER_DATABASE - 1 {
            front = Front::new();
        }
        match front.checked(seed, &random_source(seed)) {
            Ok(true) => summary.checked += 1,
            Ok(false) => summary.skipped += 1,
            Err(wrong) => {
                progress(seed, &wrong);
                summary.wrong.push((seed, wrong));
            }
        }
        summary.coverage.extend(std::mem::take(&mut front.coverage));
    }
    summary
}

/// Where values are compared with those of another compiler.
pub const POINT: ([f64; 4], i64) = ([0.625, -0.4375, 1.125, 0.3125], 3);

/// What `root` of a program gives at [`POINT`], in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct AtPoint {
    pub value: f64,
    pub forward: [f64; 4],
    pub backward: [f64; 4],
    /// Central differences.
    pub differences: [f64; 4],
}

/// The front end, over programs one after the other.
pub struct Front {
    db: RootDatabase,
    documents: Documents,
    /// What the programs that were checked reach.
    coverage: Coverage,
}

/// A lowered program.
struct Lowered {
    module: VerifiedModule,
    function: FuncId,
    root: FuncId,
}

impl Default for Front {
    fn default() -> Front {
        Front::new()
    }
}

impl Front {
    pub fn new() -> Front {
        let (db, documents) = with_core_library();
        Front { db, documents, coverage: Coverage::default() }
    }

    fn lower(&mut self, seed: u64, program: &SourceProgram) -> Result<Lowered, String> {
        let path = "/random.slang";
        let file = self.documents.open(&mut self.db, path, &program.text);
        let diagnostics =
            if seed.is_multiple_of(DIAGNOSED) { ide::diagnostics::diagnostics(&self.db, file) } else { Vec::new() };
        if let Some(diagnostic) = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            let start = usize::from(diagnostic.at.range.start());
            let at: String = program.text.get(start..).unwrap_or_default().chars().take(40).collect();
            return Err(format!("diagnostic: {} (at `{at}`)", diagnostic.message));
        }
        let root = |name: &str| -> Result<lower::Root, String> {
            let found = scope::lookup_in_file(&self.db, file, &Name::new(name));
            let item = found
                .iter()
                .copied()
                .find(|item| matches!(item::item_data(&self.db, *item).kind, item::ItemKind::Function(_)));
            let item = item.ok_or_else(|| format!("`{name}` is not found"))?;
            let args = GenericArgs::new(&self.db, Box::default());
            let function = FunctionRef { item, args, self_ty: None };
            Ok(lower::Root::Function { function, operators: Vec::new() })
        };
        let roots = [root(&program.function)?, root(&program.root)?];
        let lowered = lower::lower_program(&self.db, &roots, &[], lower::Setting::default());
        if let Some(error) = lowered.errors.first() {
            return Err(format!("not lowered: {error}"));
        }
        let module = VerifiedModule::new(lowered.module)
            .map_err(|rejected| format!("after lowering: {}", rejected.errors[0]))?;
        match lowered.roots[..] {
            [Some(function), Some(root)] => Ok(Lowered { module, function, root }),
            _ => Err("not lowered".to_owned()),
        }
    }

    /// Evaluates `root` of a program and its derivatives.
    pub fn at_point(&mut self, program: &SourceProgram) -> Result<AtPoint, String> {
        const STEP: f64 = 1e-6;
        let Lowered { mut module, root, .. } = self.lower(1, program)?;
        let [jvp, vjp] = derive(&mut module, [(DerivativeKind::Jvp, root), (DerivativeKind::Vjp, root)], "root")?;
        expand(&mut module, &[root])?;
        let mut machine = Machine::new(&module, Precision::F64, Limits::default());
        let mut call = |func: FuncId, x: [f64; 4], more: &[f64]| -> Result<Vec<f64>, String> {
            let mut args: Vec<Value> = x.into_iter().map(Value::Float).collect();
            args.push(Value::Int(POINT.1));
            args.extend(more.iter().copied().map(Value::Float));
            let results = machine.call(func, &args).map_err(|error| error.to_string())?;
            Ok(results.iter().flat_map(Value::floats).collect())
        };
        let x = POINT.0;
        let (mut forward, mut differences, mut backward) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        for input in 0..4 {
            let mut tangents = [0.0; 4];
            tangents[input] = 1.0;
            forward[input] = call(jvp, x, &tangents)?[1];
            let (mut left, mut right) = (x, x);
            left[input] -= STEP;
            right[input] += STEP;
            differences[input] = (call(root, right, &[])?[0] - call(root, left, &[])?[0]) / (2.0 * STEP);
        }
        backward.copy_from_slice(&call(vjp, x, &[1.0])?);
        Ok(AtPoint { value: call(root, x, &[])?[0], forward, backward, differences })
    }

    /// Checks a program, whose panics are messages; whether anything could be compared.
    pub fn checked(&mut self, seed: u64, program: &SourceProgram) -> Result<bool, String> {
        catch_unwind(AssertUnwindSafe(|| self.check(seed, program))).unwrap_or_else(|panic| {
            *self = Front::new();
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(format!("panicked: {}", message.unwrap_or_default()))
        })
    }

    fn check(&mut self, seed: u64, program: &SourceProgram) -> Result<bool, String> {
        let Lowered { mut module, function, root } = self.lower(seed, program)?;
        module.set_precision(Precision::F64);
        let lowered = module.clone();
        // Random programs are singular at edges without meaning anything by it.
        let options = Options {
            seed,
            samples: 1,
            edges: 0,
            sought_steps: SOUGHT_STEPS,
            directions: 4,
            tolerance: TOLERANCE,
            largest_result: LARGEST,
            ..Options::default()
        };
        // Together, because `root` calls `function`, whose derivatives are then made once.
        let [jvp, vjp] = [DerivativeKind::Jvp, DerivativeKind::Vjp];
        let wanted = [(jvp, function), (vjp, function), (jvp, root), (vjp, root)];
        let [f_jvp, f_vjp, root_jvp, root_vjp] = derive(&mut module, wanted, "f and root")?;
        // Derivatives that the functions themselves call.
        expand(&mut module, &[function, root])?;
        self.coverage.add(&program.constructs, &lowered, &module);
        let f = Functions { primal: function, jvp: Some(f_jvp), vjp: Some(f_vjp) };
        let mut compared = derivatives_agree(&module, f, "f", &options)?;
        let of_root = Functions { primal: root, jvp: Some(root_jvp), vjp: Some(root_vjp) };
        compared |= derivatives_agree(&module, of_root, "root", &options)?;
        // Derivatives of one derivative of `root`; which one goes by the seed.
        let (primal, name) = if seed.is_multiple_of(2) { (root_vjp, "root.vjp") } else { (root_jvp, "root.jvp") };
        let [jvp, vjp] = derive(&mut module, [(jvp, primal), (vjp, primal)], name)?;
        let options = Options { directions: 2, tolerance: options.tolerance.max(1e-4), ..options };
        let second = Functions { primal, jvp: Some(jvp), vjp: Some(vjp) };
        compared |= derivatives_agree(&module, second, name, &options)?;
        Ok(compared)
    }
}

fn expand(module: &mut VerifiedModule, functions: &[FuncId]) -> Result<(), String> {
    autodiff::expand(module, functions).map_err(|errors| format!("no derivatives inside: {errors:?}"))
}

/// Several derivatives at once.
fn derive<const N: usize>(
    module: &mut VerifiedModule,
    wanted: [(DerivativeKind, FuncId); N],
    of: &str,
) -> Result<[FuncId; N], String> {
    let made = autodiff::derivatives(module, &wanted);
    let made = made.map_err(|errors| format!("no derivatives of {of}: {errors:?}"))?;
    made.try_into().map_err(|_| format!("not as many derivatives of {of} as were asked for"))
}

fn derivatives_agree(
    module: &VerifiedModule,
    functions: Functions,
    name: &str,
    options: &Options,
) -> Result<bool, String> {
    let report = gradcheck::check(module, functions, options);
    match report.findings.first() {
        Some(finding) => Err(format!("{name}: {:?} at {:?}", finding.kind, finding.inputs)),
        None => Ok(report.compared() > 0),
    }
}
