//! A compute shader around a function that is not an entry point, or around its derivative: one thread per element, one
//! structured buffer per input and result.
//!
//! [`wrap`] adds an entry point to the module, before derivatives are expanded. Its parameters are, in this order: for each
//! parameter of the function its own buffer and behind it that of its derivative; the result (`result`) and its derivative;
//! `count`, the number of elements. Thread number `i` does nothing if `i >= count`; else it reads element `i` of what comes
//! in and writes element `i` of what comes out. What is `inout`, to the function or to the derivative, is one buffer that is
//! read and written. The names are those of the calling convention ([`ir::abi`]): `x`, `x_tangent`, `x_cotangent`.
//!
//! What is no data (buffers, textures, pointers, tensors and other values that hold them) is no element: all threads get
//! the one that the host binds.

use ir::{
    Builtin, Callee, DerivativeKind, Differential, EntryPoint, Func, FuncId, Global, GlobalId, GlobalKind, HandleType,
    Input, Module, Op, PathStep, ResultSlot, Scalar, SpanId, StructDef, Type, TypeId, ValueId,
    abi::{self, Kept, Role},
    builder::FuncBuilder,
    module::Stage,
    op::Path,
    provision::{ParameterRole, Provision},
};
use smol_str::{SmolStr, format_smolstr};

/// Threads per group.
const GROUP_SIZE: u32 = 64;

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The function.
    Primal,
    /// The results of the function and their tangents.
    Forward,
    /// The cotangents of the inputs.
    Backward,
    /// The results of the function and the cotangents of its inputs, with one run of the function.
    PrimalAndBackward,
}

impl Mode {
    /// The word of the mode on the command line and in reflection.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Primal => "primal",
            Mode::Forward => "forward",
            Mode::Backward => "backward",
            Mode::PrimalAndBackward => "primal and backward",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Mode::Primal => "kernel",
            Mode::Forward => "forward_kernel",
            Mode::Backward => "backward_kernel",
            Mode::PrimalAndBackward => "primal_and_backward_kernel",
        }
    }
}

/// An entry point that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The function of the entry point, and the entry point.
    pub func: FuncId,
    /// The name that the host starts it by.
    pub entry: SmolStr,
    /// What the function is called: `Mlp<16>.eval`.
    pub function: SmolStr,
    /// What it computes.
    pub mode: Mode,
    /// Its shader parameters, in the order in which they are bound.
    pub parameters: Vec<Parameter>,
}

/// A shader parameter of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The parameter in the module.
    pub global: GlobalId,
    /// The parameter of the function that it is about; `return` for its result, `None` for the number of elements.
    pub of: Option<SmolStr>,
    /// What of the function's parameter it holds.
    pub part: Quantity,
    /// Whether the kernel reads it.
    pub is_read: bool,
    /// Whether the kernel writes it.
    pub is_written: bool,
    /// Whether each thread has an element of its own.
    pub is_element: bool,
}

/// What of a parameter of the function is in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// The value itself.
    Value,
    /// Its derivative by what forward mode follows.
    Tangent,
    /// The derivative of what is computed by it.
    Cotangent,
}

impl Quantity {
    /// The word in reflection.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Value => "value",
            Quantity::Tangent => "tangent",
            Quantity::Cotangent => "cotangent",
        }
    }
}

/// Why a function has no kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoKernel {
    /// Where the cause is.
    pub span: SpanId,
    /// A sentence for the user.
    pub message: String,
}

/// One parameter of the kernel to be: which argument of the calls it is, and which result it takes.
#[derive(Debug, Clone)]
struct Slot {
    name: SmolStr,
    of: SmolStr,
    part: Quantity,
    ty: TypeId,
    place: u32,
    input: Option<usize>,
    result: Option<usize>,
}

/// Adds the kernel of `function` to the module.
///
/// # Errors
/// If a result is not data, or the function throws.
pub fn wrap(module: &mut Module, function: FuncId, mode: Mode) -> Result<Kernel, NoKernel> {
    let primal = module.funcs[function].clone();
    let refused =
        |what: String| NoKernel { span: primal.span, message: format!("a kernel of `{}`: {what}", primal.name) };
    let calls = Calls::of(module, function, &primal, mode);
    let slots = calls.slots(&module.types).map_err(refused)?;
    let entry = module.entry_points.len() as u32;
    let mut parameters = Vec::new();
    for slot in &slots {
        let is_element = !module.types.holds_handles(slot.ty);
        if !is_element && slot.result.is_some() {
            return Err(refused(format!("`{}` comes out and is not data", slot.name)));
        }
        if is_element && ir::layout::layout(&module.types, slot.ty).is_none() {
            return Err(refused(format!("`{}` is of a type that no buffer can hold", slot.name)));
        }
        let (ty, role) = match (is_element, module.types.get(slot.ty)) {
            (true, _) => {
                let buffer = HandleType::StructuredBuffer { element: slot.ty, writable: slot.result.is_some() };
                (module.types.intern(Type::Handle(buffer)), ParameterRole::EntryOwn(entry))
            }
            (false, Type::Handle(_)) => (slot.ty, ParameterRole::EntryOwn(entry)),
            (false, _) => (constant(module, slot.ty), ParameterRole::Entry(entry)),
        };
        let global = declare(module, &slot.name, ty, role);
        parameters.push(Parameter {
            global,
            of: Some(slot.of.clone()),
            part: slot.part,
            is_read: slot.input.is_some(),
            is_written: slot.result.is_some(),
            is_element,
        });
    }
    let uint = module.types.scalar(Scalar::U32);
    let ty = constant(module, uint);
    let global = declare(module, "count", ty, ParameterRole::Entry(entry));
    let mut name = format_smolstr!("{}_{}", identifier(&primal.name), mode.suffix());
    while module.entry_points.iter().any(|entry| entry.name == name) {
        name = format_smolstr!("{name}_");
    }
    let body = body(module, &name, &calls, &slots, &parameters, global, primal.span);
    let func = module.funcs.alloc(body);
    module.entry_points.push(EntryPoint {
        assembly: Default::default(),
        name: name.clone(),
        func,
        stage: Stage::Compute,
        group_size: [GROUP_SIZE, 1, 1],
        wave_size: None,
        early_fragment_tests: false,
    });
    let count =
        Parameter { global, of: None, part: Quantity::Value, is_read: true, is_written: false, is_element: false };
    parameters.push(count);
    Ok(Kernel { func, entry: name, function: primal.name, mode, parameters })
}

/// The name of a function as one word: `Mlp<16>.eval` is `Mlp_16_eval`.
fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

fn constant(module: &Module, content: TypeId) -> TypeId {
    module.types.intern(Type::Handle(HandleType::ConstantBuffer { content }))
}

fn declare(module: &mut Module, wanted: &str, ty: TypeId, role: ParameterRole) -> GlobalId {
    let mut name: SmolStr = if wanted == "this" { "self".into() } else { wanted.into() };
    while module.globals.iter().any(|(_, global)| global.name == name) {
        name = format_smolstr!("{name}_");
    }
    let provision = Provision::of_role(role);
    module.globals.alloc(Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false })
}

/// For each input or result the parameter of the function that it is about.
type Names = Vec<(SmolStr, Quantity)>;

/// What a kernel calls for each element.
struct Calls {
    function: FuncId,
    mode: Mode,
    inputs: Vec<Input>,
    results: Vec<ResultSlot>,
    of_inputs: Names,
    of_results: Names,
    /// How many of the results are those of the function.
    primal_results: usize,
    /// What the way back gets from the run of the function, if both are wanted.
    context: Option<TypeId>,
}

impl Calls {
    fn of(module: &mut Module, function: FuncId, primal: &Func, mode: Mode) -> Calls {
        let kind = match mode {
            Mode::Primal => None,
            Mode::Forward => Some(DerivativeKind::Jvp),
            Mode::Backward | Mode::PrimalAndBackward => Some(DerivativeKind::Vjp),
        };
        let own_inputs = || primal.inputs.iter().map(|input: &Input| (input.name.clone(), Quantity::Value));
        let own_results = || primal.results.iter().map(|slot| (slot.name.clone(), Quantity::Value));
        let (inputs, mut results, of_inputs, mut of_results): (Vec<Input>, Vec<ResultSlot>, Names, Names) = match kind {
            None => {
                let (of_inputs, of_results) = (own_inputs().collect(), own_results().collect());
                (primal.inputs.clone(), primal.results.clone(), of_inputs, of_results)
            }
            Some(kind) => {
                let types = &module.types;
                let signature = (primal.inputs.as_slice(), primal.results.as_slice());
                let (inputs, results) = abi::derivative(types, kind, signature, &Kept::default(), primal.span);
                let part = if kind == DerivativeKind::Jvp { Quantity::Tangent } else { Quantity::Cotangent };
                let row = |row: &abi::Row| -> Names {
                    let has_derivative =
                        |differentiable: bool, ty| differentiable && types.differential_of(ty).is_some();
                    match row {
                        abi::Row::Inputs => own_inputs().collect(),
                        abi::Row::Results => own_results().collect(),
                        abi::Row::OfInputs => {
                            let of =
                                primal.inputs.iter().filter(|input| has_derivative(input.differentiable, input.ty));
                            of.map(|input| (input.name.clone(), part)).collect()
                        }
                        abi::Row::OfResults => {
                            let of = primal.results.iter().filter(|slot| has_derivative(slot.differentiable, slot.ty));
                            of.map(|slot| (slot.name.clone(), part)).collect()
                        }
                        abi::Row::KeptInputs | abi::Row::Residuals | abi::Row::Accumulated => Vec::new(),
                    }
                };
                let of_inputs = abi::takes(kind).iter().flat_map(&row).collect();
                let of_results = abi::gives(kind).iter().flat_map(&row).collect();
                (inputs, results, of_inputs, of_results)
            }
        };
        let mut primal_results = results.len();
        let mut context = None;
        if mode == Mode::PrimalAndBackward {
            primal_results = primal.results.len();
            results.splice(0..0, primal.results.iter().cloned());
            of_results.splice(0..0, own_results());
            context = Some(add_context(module, function, &primal.name));
        }
        Calls { function, mode, inputs, results, of_inputs, of_results, primal_results, context }
    }

    /// The parameters, in the order of those of the function, each before its derivative.
    fn slots(&self, types: &ir::types::TypeTable) -> Result<Vec<Slot>, String> {
        let mut slots: Vec<Slot> = Vec::new();
        for (index, (input, (of, part))) in self.inputs.iter().zip(&self.of_inputs).enumerate() {
            let (of, part) = (of.clone(), *part);
            let name = parameter_name(&of, part);
            slots.push(Slot { name, of, part, ty: input.ty, place: input.place, input: Some(index), result: None });
        }
        for (index, (result, (of, part))) in self.results.iter().zip(&self.of_results).enumerate() {
            match result.role {
                Role::InOut(input) => slots[input as usize].result = Some(index),
                Role::Failed | Role::Error => return Err("it throws errors".to_owned()),
                Role::Return | Role::Out | Role::Residuals | Role::Tangent(_) | Role::Cotangent(_) => {
                    let (of, part) = (of.clone(), *part);
                    let name = parameter_name(&of, part);
                    let place = result.place;
                    slots.push(Slot { name, of, part, ty: result.ty, place, input: None, result: Some(index) });
                }
            }
        }
        slots.retain(|slot| !is_empty(types, slot.ty));
        slots.sort_by_key(|slot| {
            let place = if slot.of == RETURN { abi::LAST } else { slot.place };
            (place, slot.part != Quantity::Value)
        });
        Ok(slots)
    }

    fn call(&self, b: &mut FuncBuilder<'_>, args: &[ValueId]) -> Vec<ValueId> {
        let types: Vec<TypeId> = self.results.iter().map(|slot| slot.ty).collect();
        let derivative = |kind| Callee::Derivative(kind, self.function);
        let callee = match (self.mode, self.context) {
            (Mode::Primal, _) => Callee::Func(self.function),
            (Mode::Forward, _) => derivative(DerivativeKind::Jvp),
            (Mode::Backward, _) | (Mode::PrimalAndBackward, None) => derivative(DerivativeKind::Vjp),
            (Mode::PrimalAndBackward, Some(context)) => {
                let own = self.of_inputs.iter().filter(|(_, part)| *part == Quantity::Value).count();
                let (primal_types, types) = types.split_at(self.primal_results);
                let primal_types: Vec<TypeId> = primal_types.iter().copied().chain([context]).collect();
                let mut values = b.call(derivative(DerivativeKind::Apply), &args[..own], &primal_types).to_vec();
                let context = values.pop();
                let way_back: Vec<ValueId> = context.into_iter().chain(args[own..].iter().copied()).collect();
                values.extend(b.call(derivative(DerivativeKind::Propagate), &way_back, types));
                return values;
            }
        };
        b.call(callee, args, &types).to_vec()
    }
}

/// `x`, `x_tangent`; the value of the call is `result`.
fn parameter_name(of: &SmolStr, part: Quantity) -> SmolStr {
    let of = if of == RETURN { "result" } else { of.as_str() };
    match part {
        Quantity::Value => of.into(),
        Quantity::Tangent | Quantity::Cotangent => format_smolstr!("{of}_{}", part.name()),
    }
}

/// What the value of a call is called among the results.
const RETURN: &str = "return";

/// A type for what the way back needs, which gets its fields when the derivative is made.
fn add_context(module: &mut Module, function: FuncId, name: &str) -> TypeId {
    let of_derivatives = format_smolstr!("{name}.KernelContext.Differential");
    let ty = module.types.add_struct(StructDef { name: of_derivatives, fields: Vec::new(), differential: None });
    let differential = Differential { ty, fields: Vec::new(), dadd: None, dzero: None };
    if let Type::Struct(id) = module.types.get(ty) {
        module.types.structs.revise(id, |def| def.differential = Some(differential.clone()));
    }
    let name = format_smolstr!("{name}.KernelContext");
    let ty = module.types.add_struct(StructDef { name, fields: Vec::new(), differential: Some(differential) });
    module.contexts.push((function, ty));
    ty
}

/// Whether values of a type are nothing.
fn is_empty(types: &ir::types::TypeTable, ty: TypeId) -> bool {
    ir::layout::layout(types, ty).is_some_and(|layout| layout.size == 0)
}

fn body(
    module: &Module,
    name: &str,
    calls: &Calls,
    slots: &[Slot],
    parameters: &[Parameter],
    count: GlobalId,
    span: SpanId,
) -> Func {
    let mut b = FuncBuilder::new(&module.types, name, Vec::new(), Vec::new(), span);
    let type_of = |global: GlobalId| module.globals[global].ty;
    let uint = b.types.scalar(Scalar::U32);
    let thread_type = b.types.vector(Scalar::U32, 3);
    let thread = b.value(Op::Builtin(Builtin::DispatchThreadId), thread_type);
    let index = b.field(thread, 0);
    b.name(index, "index");
    let count = b.value(Op::Global(count), type_of(count));
    let count = b.value(Op::Load { handle: count, path: Path::new() }, uint);
    b.name(count, "element_count");
    let is_element = b.binary(ir::BinaryOp::Less, index, count);
    let element = |b: &mut FuncBuilder<'_>, parameter: &Parameter| {
        let handle = b.value(Op::Global(parameter.global), type_of(parameter.global));
        let path: Path = [PathStep::Dynamic(index)].into_iter().collect();
        (handle, path)
    };
    let run = |b: &mut FuncBuilder<'_>| {
        let mut args: Vec<Option<ValueId>> = vec![None; calls.inputs.len()];
        for (slot, parameter) in slots.iter().zip(parameters) {
            let Some(input) = slot.input else { continue };
            let (handle, path) = element(b, parameter);
            args[input] = Some(match (parameter.is_element, b.ty(handle) == slot.ty) {
                (true, _) => b.value(Op::Load { handle, path }, slot.ty),
                (false, true) => handle,
                (false, false) => b.value(Op::Load { handle, path: Path::new() }, slot.ty),
            });
        }
        // What has no buffer is nothing.
        let args: Vec<ValueId> =
            args.into_iter().zip(&calls.inputs).map(|(arg, input)| arg.unwrap_or_else(|| b.zero(input.ty))).collect();
        let values = calls.call(b, &args);
        for (slot, parameter) in slots.iter().zip(parameters) {
            let Some(&value) = slot.result.and_then(|result| values.get(result)) else { continue };
            let (handle, path) = element(b, parameter);
            b.op(Op::Store { handle, path, value }, &[]);
        }
        Vec::new()
    };
    b.if_(is_element, run, |_| Vec::new());
    b.ret([]);
    b.finish()
}

#[cfg(test)]
#[path = "tests/kernel.rs"]
mod tests;
