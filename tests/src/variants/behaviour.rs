//! What a program does: what `check` finds in it, what its entry points leave in their buffers, and what its
//! differentiable functions and both of their derivatives give at random inputs.

use std::collections::BTreeSet;

use autodiff::derivatives;
use base_db::SourceFile;
use fastrand::Rng;
use hir_def::attribute::AttributeKind;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{differential::rules::derivative_rules, generics, signature::FunctionRef, ty::GenericArgs};
use ide::diagnostics::{Code, Diagnostic, Severity, codes};
use interp::{BufferId, Handle, Limits, Machine, Memory, Precision, Value, gradcheck};
use ir::{DerivativeKind, FuncId, GlobalKind, Module, Scalar, Type, TypeId, types::TypeTable, verify::VerifiedModule};

use smol_str::SmolStr;

use super::program::Front;

/// Instructions that a call may take.
const STEPS: u64 = 5_000_000;

/// Words of the buffers that entry points run over.
const WORDS: usize = 4096;

/// Findings that a derivative is lost.
pub(crate) const LOSS_CODES: &[Code] = &[
    codes::LOST_AT_CALL,
    codes::LOST_AT_OUTPUT,
    codes::LOST_AT_STORE,
    codes::LOST_IN_TYPE,
    codes::LOST_AS_NUMBER,
    codes::LOST_IN_MEMORY,
    codes::LOST_IN_GENERIC,
];

/// How far numbers may be apart, relative to the largest of their kind: a variant may add in another order. Entry points
/// compute in single precision, functions in double precision with constants in single precision.
const TOLERANCE: (f64, f64) = (2e-4, 1e-5);

/// A finding of `check`: at which offset of the text, and its code.
pub(crate) type Finding = (usize, Code);

/// How far a derivative may be from differences where one asks whether it was lost.
const DIFFERENCES_TOLERANCE: f64 = 1e-6;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Behaviour {
    pub findings: BTreeSet<Finding>,
    /// Why nothing runs, or what did.
    pub results: Result<Vec<Observed>, String>,
}

/// The numbers of one part of a program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observed {
    pub what: String,
    /// The function, if this is one of its derivatives.
    pub derivative_of: Option<String>,
    pub numbers: Result<Vec<f64>, String>,
    pub tolerance: f64,
}

impl Observed {
    /// Whether both are the same but for rounding. What does not run may fail with other words.
    pub(crate) fn agrees(&self, other: &Observed) -> bool {
        self.is_within(self.tolerance, other)
    }

    /// [`Observed::agrees`] with another tolerance.
    pub(crate) fn is_within(&self, tolerance: f64, other: &Observed) -> bool {
        match (&self.numbers, &other.numbers) {
            (Ok(a), Ok(b)) => {
                let finite = a.iter().chain(b).map(|number| number.abs()).filter(|number| number.is_finite());
                let scale = finite.fold(1e-3, f64::max);
                let is_close =
                    |a: f64, b: f64| (a - b).abs() <= tolerance * scale || a.is_nan() && b.is_nan() || a == b;
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(*a, *b))
            }
            (Err(_), Err(_)) => true,
            _ => false,
        }
    }
}

/// Checks and runs a text. Of the functions at the top level, the first `functions` are looked at: others were added.
pub(crate) fn behaviour(front: &mut Front, path: &str, text: &str, functions: usize) -> Behaviour {
    let file = front.open(path, text);
    let diagnostics = ide::diagnostics::diagnostics(&front.db, file);
    let is_told = |severity| matches!(severity, Severity::Error | Severity::Warning);
    let told = diagnostics.iter().filter(|diagnostic| is_told(diagnostic.severity) && diagnostic.at.file == file);
    let findings = told.map(|diagnostic| (diagnostic.at.range.start().into(), diagnostic.code)).collect();
    // What is said of derivatives does not keep a program from running.
    let is_error =
        |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error && !LOSS_CODES.contains(&diagnostic.code);
    let results = match diagnostics.iter().any(is_error) {
        true => Err("the program has errors".to_owned()),
        false => run(front, file, functions),
    };
    Behaviour { findings, results }
}

/// The functions at the top level of a file.
pub(crate) fn functions(front: &Front, file: SourceFile) -> Vec<ItemId> {
    let is_function = |item: &ItemId| matches!(&item::item_data(&front.db, *item).kind, ItemKind::Function(function) if function.has_body);
    item::file_items(&front.db, file).iter().copied().filter(is_function).collect()
}

/// What differences say of the derivatives of a text's functions.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByDifferences {
    /// Functions of which a derivative is not what differences say.
    pub wrong: BTreeSet<String>,
    /// Functions of which all derivatives were compared at all samples, and are right.
    pub right: BTreeSet<String>,
}

/// Compares with only the marks of the source held: what comes out of a type without a differential is lost, not marked.
pub(crate) fn by_differences(
    front: &mut Front,
    path: &str,
    text: &str,
    functions: usize,
) -> Result<ByDifferences, String> {
    let file = front.open(path, text);
    let Lowered { mut module, functions, .. } = lowered(front, file, functions)?;
    let forget = |module: &mut Module| module.types.forget_declarations_without_differential();
    module.change(forget).map_err(|rejected| rejected.errors[0].to_string())?;
    module.set_precision(Precision::F64);
    let made = derived(&mut module, &functions);
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let options = gradcheck::Options {
        samples: 3,
        edges: 0,
        directions: 8,
        tolerance: DIFFERENCES_TOLERANCE,
        sought_steps: 0,
        largest_result: 1e3,
        limits,
        ..gradcheck::Options::default()
    };
    let mut found = ByDifferences::default();
    for (&primal, made) in functions.iter().zip(made.chunks(KINDS.len())) {
        let [jvp, vjp] = [0, 1].map(|kind| made.get(kind).and_then(|made| made.as_ref().ok().copied()));
        let report = gradcheck::check(&module, gradcheck::Functions { primal, jvp, vjp }, &options);
        let name = || module.funcs[primal].name.to_string();
        if report.findings.iter().any(|finding| matches!(finding.kind, gradcheck::FindingKind::Wrong { .. })) {
            found.wrong.insert(name());
        } else if report.is_good() && report.is_settled() && report.unsettled == 0 {
            found.right.insert(name());
        }
    }
    Ok(found)
}

/// A lowered program, without derivatives of its functions.
struct Lowered {
    module: VerifiedModule,
    entries: usize,
    functions: Vec<FuncId>,
}

fn run(front: &Front, file: SourceFile, count: usize) -> Result<Vec<Observed>, String> {
    let Lowered { module, entries, functions } = lowered(front, file, count)?;
    let mut observed: Vec<Observed> = (0..entries).map(|number| observe_entry_point(&module, number)).collect();
    observed.extend(observe_functions(module, &functions));
    Ok(observed)
}

fn lowered(front: &Front, file: SourceFile, count: usize) -> Result<Lowered, String> {
    let db = &front.db;
    let mut functions = functions(front, file);
    functions.truncate(count);
    let is_entry_point = |item: &ItemId| item::item_data(db, *item).has_attribute(AttributeKind::NumThreads);
    let is_differentiable =
        |item: &ItemId| generics::parameters(db, *item).is_empty() && derivative_rules(db, *item).is_differentiable();
    let entries: Vec<ItemId> = functions.iter().copied().filter(is_entry_point).collect();
    let functions: Vec<ItemId> = functions.into_iter().filter(is_differentiable).collect();
    let args = GenericArgs::new(db, Box::default());
    let roots: Vec<lower::Root> = entries
        .iter()
        .map(|item| lower::Root::EntryPoint { item: *item, stage: None })
        .chain(functions.iter().map(|&item| {
            let function = FunctionRef { item, args, self_ty: None };
            lower::Root::Function { function, operators: Vec::new() }
        }))
        .collect();
    let lowered = lower::lower_program(db, &roots, &[], lower::Setting::default());
    if let Some(error) = lowered.errors.first() {
        return Err(format!("not lowered: {error}"));
    }
    let mut module =
        VerifiedModule::new(lowered.module).map_err(|rejected| format!("after lowering: {}", rejected.errors[0]))?;
    let found: Vec<FuncId> = lowered.roots.iter().filter_map(|root| *root).collect();
    if found.len() != roots.len() {
        return Err("not lowered".to_owned());
    }
    autodiff::expand(&mut module, &found).map_err(|errors| format!("not differentiated: {errors:?}"))?;
    Ok(Lowered { module, entries: entries.len(), functions: found[entries.len()..].to_vec() })
}

/// Buffers that are full of numbers, bound to all parameters of a module.
struct Buffers {
    memory: Memory,
    /// Name, buffer and whether its numbers are floats.
    buffers: Vec<(SmolStr, BufferId, bool)>,
}

impl Buffers {
    fn new(module: &Module) -> Buffers {
        let mut memory = Memory::default();
        let mut buffers = Vec::new();
        for (id, global) in module.globals.iter().filter(|(_, global)| global.kind == GlobalKind::Parameter) {
            let Type::Handle(handle) = module.types.get(global.ty) else { continue };
            let words: Vec<u32> = (0..WORDS as u32).map(|index| word(module, handle, index)).collect();
            let value = match handle {
                ir::HandleType::ConstantBuffer { content } => interp::words::value_from_words(module, content, &words),
                _ => {
                    let buffer = memory.add_buffer(&words);
                    buffers.push((global.name.clone(), buffer, is_float(module, handle)));
                    Value::Handle(Handle::buffer(buffer))
                }
            };
            // What cannot be bound stays null.
            let _ = memory.bind(module, id, &value);
        }
        buffers.sort_by(|a, b| a.0.cmp(&b.0));
        Buffers { memory, buffers }
    }

    fn numbers(&self) -> Vec<f64> {
        let number = |word: u32, is_float| if is_float { f32::from_bits(word).into() } else { f64::from(word) };
        let words = |buffer, is_float| self.memory.words(buffer).into_iter().map(move |word| number(word, is_float));
        self.buffers.iter().flat_map(|(_, buffer, is_float)| words(*buffer, *is_float)).collect()
    }
}

/// What an entry point leaves in memory.
fn observe_entry_point(module: &VerifiedModule, number: usize) -> Observed {
    let mut buffers = Buffers::new(module);
    let entry = &module.entry_points[number].name;
    let mut machine = Machine::new(module, Precision::Declared, Limits { steps: STEPS, ..Limits::default() });
    let ran = machine.dispatch(entry, [1, 1, 1], &mut buffers.memory).map_err(|error| error.to_string());
    Observed {
        what: entry.to_string(),
        derivative_of: None,
        numbers: ran.map(|()| buffers.numbers()),
        tolerance: TOLERANCE.0,
    }
}

fn word(module: &Module, handle: ir::HandleType, index: u32) -> u32 {
    let part = index.wrapping_mul(53).wrapping_add(7) % 128;
    if is_float(module, handle) { (part as f32 / 128.0).to_bits() } else { part }
}

/// Whether the numbers of a buffer are floats.
fn is_float(module: &Module, handle: ir::HandleType) -> bool {
    fn first(module: &Module, ty: TypeId) -> Option<Scalar> {
        match module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
            Type::Array { element, .. } => first(module, element),
            Type::Struct(id) => module.types.structs[id].fields.iter().find_map(|field| first(module, field.ty)),
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
        }
    }
    use ir::HandleType::{Pointer, StructuredBuffer, TexelBuffer};
    match handle {
        StructuredBuffer { element, .. } | TexelBuffer { element, .. } | Pointer { pointee: element } => {
            first(module, element) == Some(Scalar::F32)
        }
        _ => false,
    }
}

const KINDS: [(DerivativeKind, &str); 2] = [(DerivativeKind::Jvp, "fwd_diff"), (DerivativeKind::Vjp, "bwd_diff")];

/// Both derivatives of each function, one after the other.
fn derived(module: &mut VerifiedModule, functions: &[FuncId]) -> Vec<Result<FuncId, String>> {
    let wanted: Vec<(DerivativeKind, FuncId)> =
        functions.iter().flat_map(|function| KINDS.map(|(kind, _)| (kind, *function))).collect();
    // Together, because functions call each other; each alone where one has no derivative.
    let together = derivatives(&mut module.clone(), &wanted).is_ok();
    let mut made: Vec<Result<FuncId, String>> = match together {
        true => derivatives(module, &wanted).into_iter().flatten().map(Ok).collect(),
        false => Vec::new(),
    };
    for wanted in wanted.get(made.len()..).unwrap_or_default() {
        let alone = derivatives(module, &[*wanted]).map_err(|errors| format!("{errors:?}"));
        made.push(alone.and_then(|made| made.first().copied().ok_or_else(|| "nothing was made".to_owned())));
    }
    made
}

/// Functions and both derivatives of each, at one input.
fn observe_functions(mut module: VerifiedModule, functions: &[FuncId]) -> Vec<Observed> {
    let made = derived(&mut module, functions);
    let mut observed = Vec::new();
    for (&function, made) in functions.iter().zip(made.chunks(KINDS.len())) {
        let name = module.funcs[function].name.to_string();
        let Some(primal) = observe_function(&module, function, name.clone()) else { continue };
        observed.push(primal);
        for ((_, word), made) in KINDS.iter().zip(made) {
            let what = format!("{word}({name})");
            let derivative = match made {
                Ok(made) => observe_function(&module, *made, what),
                Err(error) => {
                    let numbers = Err(error.clone());
                    Some(Observed { what, derivative_of: None, numbers, tolerance: TOLERANCE.1 })
                }
            };
            let derivative_of = Some(name.clone());
            observed.extend(derivative.map(|derivative| Observed { derivative_of, ..derivative }));
        }
    }
    observed
}

/// What a function returns at one input.
fn observe_function(module: &VerifiedModule, func: FuncId, what: String) -> Option<Observed> {
    let mut random = Rng::with_seed(1);
    let inputs = module.funcs[func].inputs.iter();
    let args: Option<Vec<Value>> =
        inputs.map(|input| sample(&module.types, module.types.get(input.ty), &mut random)).collect();
    let args = args?;
    let mut machine = Machine::new(module, Precision::F64, Limits { steps: STEPS, ..Limits::default() });
    let results = machine.call_with(func, &args, &mut Buffers::new(module).memory);
    let numbers = results.map(|results| results.iter().flat_map(Value::floats).collect());
    let derivative_of = None;
    Some(Observed { what, derivative_of, numbers: numbers.map_err(|error| error.to_string()), tolerance: TOLERANCE.1 })
}

/// A value between 0.1 and 0.9 in each float, small integers; none of types whose values are not only numbers.
fn sample(types: &TypeTable, ty: Type, random: &mut Rng) -> Option<Value> {
    match ty {
        Type::Scalar(scalar) if scalar.is_float() => Some(Value::Float(0.1 + 0.8 * random.f64())),
        Type::Scalar(Scalar::Bool) => Some(Value::Bool(random.bool())),
        Type::Scalar(_) => Some(Value::Int(random.i64(0..4))),
        Type::Vector { scalar, len } => {
            (0..len).map(|_| sample(types, Type::Scalar(scalar), random)).collect::<Option<_>>().map(Value::Aggregate)
        }
        Type::Matrix { scalar, rows, cols } => {
            let row = Type::Vector { scalar, len: cols };
            (0..rows).map(|_| sample(types, row, random)).collect::<Option<_>>().map(Value::Aggregate)
        }
        Type::Array { element, len } => {
            let element = types.get(element);
            (0..len).map(|_| sample(types, element, random)).collect::<Option<_>>().map(Value::Aggregate)
        }
        Type::Struct(id) => {
            let fields = types.structs[id].fields.iter();
            fields.map(|field| sample(types, types.get(field.ty), random)).collect::<Option<_>>().map(Value::Aggregate)
        }
        Type::Handle(_) => Some(Value::Handle(Handle::Null)),
        Type::Sum(_) | Type::Opaque(_) => None,
    }
}
