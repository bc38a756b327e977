//! A compute shader around a function that is not an entry point, ready to be dispatched: one structured buffer per
//! input and result, the thread's number chooses the element.

use ir::{
    Builtin, Callee, EntryPoint, Func, FuncId, Global, GlobalId, GlobalKind, HandleType, Input, Module, Op, PathStep,
    ResultSlot, Scalar, SpanId, Type, TypeId, ValueId, builder::FuncBuilder, module::Stage, provision::Provision,
};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::EmitError;
use crate::tree::build::signature;

/// Threads per group.
const GROUP_SIZE: u32 = 64;

/// Adds the kernel to `module` and gives the function behind it. Buffers are named like the parameters, the one of the
/// return value `result`; an `inout` parameter has one buffer. Each thread whose number is within the first buffer runs
/// once.
pub fn wrap_kernel(module: &mut Module, func: FuncId) -> Result<FuncId, EmitError> {
    let callee = module.funcs[func].clone();
    let signature = signature(&callee);
    let mut inputs: Vec<Option<GlobalId>> = vec![None; callee.inputs.len()];
    let mut results: Vec<Option<GlobalId>> = vec![None; callee.results.len()];
    let mut first = None;
    for param in &signature.params {
        let global = add_buffer(module, &callee, &param.name, param.ty, param.slot.is_some())?;
        first = first.or(Some(global));
        if let Some(input) = param.input {
            inputs[input] = Some(global);
        }
        if let Some(slot) = param.slot {
            results[slot] = Some(global);
        }
    }
    if let Some(slot) = signature.result {
        let global = add_buffer(module, &callee, "result", callee.results[slot].ty, true)?;
        first = first.or(Some(global));
        results[slot] = Some(global);
    }
    let name = unused(&format!("{}_kernel", callee.name), |name| module.func_named(name).is_some());
    let body = body(module, &name, func, &callee, &inputs, &results, first);
    let kernel = module.funcs.alloc(body);
    let name = crate::tree::names::identifier(&name);
    let group_size = [GROUP_SIZE, 1, 1];
    module.entry_points.push(EntryPoint { name, func: kernel, stage: Stage::Compute, group_size });
    Ok(kernel)
}

fn unused(wanted: &str, is_used: impl Fn(&str) -> bool) -> SmolStr {
    let mut name = wanted.to_string();
    while is_used(&name) {
        name.push('_');
    }
    name.into()
}

fn add_buffer(
    module: &mut Module,
    callee: &Func,
    name: &str,
    element: TypeId,
    writable: bool,
) -> Result<GlobalId, EmitError> {
    if ir::layout::layout(&module.types, element).is_none() {
        let message = format!("`{name}` of `{}` is of a type that no buffer can hold", callee.name);
        return Err(EmitError::new(callee.span, message));
    }
    let ty = module.types.intern(Type::Handle(HandleType::StructuredBuffer { element, writable }));
    let name = unused(name, |name| module.globals.iter().any(|(_, global)| global.name == name));
    Ok(module.globals.alloc(Global {
        name,
        ty,
        kind: GlobalKind::Parameter,
        provision: Provision::default(),
        by_descriptor: false,
    }))
}

fn body(
    module: &mut Module,
    name: &str,
    func: FuncId,
    callee: &Func,
    inputs: &[Option<GlobalId>],
    results: &[Option<GlobalId>],
    first: Option<GlobalId>,
) -> Func {
    let globals: Vec<(GlobalId, TypeId)> = module.globals.iter().map(|(id, global)| (id, global.ty)).collect();
    let type_of = |id: GlobalId| globals.iter().find(|(other, _)| *other == id).map(|&(_, ty)| ty);
    let no_inputs: Vec<Input> = Vec::new();
    let no_results: Vec<ResultSlot> = Vec::new();
    let mut b = FuncBuilder::new(&mut module.types, name, no_inputs, no_results, callee.span);
    let u32 = b.types.scalar(Scalar::U32);
    let u32x3 = b.types.vector(Scalar::U32, 3);
    let id = b.value(Op::Builtin(Builtin::DispatchThreadId), u32x3);
    let index = b.field(id, 0);
    b.name(index, "index");
    let run = |b: &mut FuncBuilder<'_>| {
        let path = || SmallVec::from_iter([PathStep::Dynamic(index)]);
        let mut args: Vec<ValueId> = Vec::new();
        for (input, global) in callee.inputs.iter().zip(inputs) {
            let Some((global, ty)) = global.and_then(|global| Some((global, type_of(global)?))) else { continue };
            let handle = b.value(Op::Global(global), ty);
            args.push(b.value(Op::Load { handle, path: path() }, input.ty));
        }
        let types: Vec<TypeId> = callee.results.iter().map(|slot| slot.ty).collect();
        let values = b.call(Callee::Func(func), &args, &types);
        for (&value, global) in values.iter().zip(results) {
            let Some((global, ty)) = global.and_then(|global| Some((global, type_of(global)?))) else { continue };
            let handle = b.value(Op::Global(global), ty);
            b.op(Op::Store { handle, path: path(), value }, &[]);
        }
        Vec::new()
    };
    match first.and_then(|global| Some((global, type_of(global)?))) {
        Some((global, ty)) => {
            let handle = b.value(Op::Global(global), ty);
            let count = b.value(Op::BufferLength { handle }, u32);
            b.name(count, "count");
            let in_range = b.binary(ir::BinaryOp::Less, index, count);
            b.if_(in_range, run, |_| Vec::new());
        }
        None => {
            run(&mut b);
        }
    }
    b.span = SpanId::NONE;
    b.ret([]);
    b.finish()
}
