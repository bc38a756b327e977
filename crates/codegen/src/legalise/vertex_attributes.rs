//! Inputs of fragments that are read as they are at each vertex of the triangle become arrays of three.
//!
//! `GetAttributeAtVertex(color, k)` names an input and not a value: it is followed to the variable of the entry point, through
//! the parameters of functions that are called once. What else reads such an input gets it from the first vertex, as it does
//! from one that is not interpolated.

use ir::intrinsic::FragmentOp;
use ir::module::Stage;
use ir::op::Path;
use ir::provision::{Interpolation, ParameterRole, Rate, Sampling, VaryingPlace};
use ir::{
    Callee, Func, FuncId, GlobalId, HandleType, Intrinsic, Module, Op, OpId, PathStep, Type, TypeId, ValueDef, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::for_each_op;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

/// The vertices of a triangle.
const VERTICES: u32 = 3;

/// An input, or a value that consists of some.
#[derive(Debug, Clone)]
enum Inputs {
    One(GlobalId),
    Parts(Vec<(Inputs, TypeId)>),
}

const NOT_AN_INPUT: &str = "`GetAttributeAtVertex` of what is not an input of the entry point is not supported";
const INTERPOLATED: &str =
    "`GetAttributeAtVertex` of an input without `nointerpolation` or `pervertex` is not supported";

/// Gives them a value for each vertex.
pub(crate) fn to_arrays(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut found: FxHashMap<(FuncId, OpId), Inputs> = FxHashMap::default();
    let mut errors = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            let data = &func.ops[op];
            let Op::Intrinsic { intrinsic: Intrinsic::Fragment(FragmentOp::AttributeAtVertex), args } = &data.op else {
                return;
            };
            let Some(&attribute) = args.first() else { return };
            match inputs(module, functions, id, attribute) {
                Some(inputs) if are_whole(module, &inputs) => _ = found.insert((id, op), inputs),
                Some(_) => errors.push(EmitError::new(data.span, INTERPOLATED)),
                None => errors.push(EmitError::new(data.span, NOT_AN_INPUT)),
            }
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut chosen = FxHashSet::default();
    found.values().for_each(|inputs| collect(inputs, &mut chosen));
    chosen.extend(module.globals.iter().map(|(id, _)| id).filter(|&id| is_of_vertices(module, functions, id)));
    if chosen.is_empty() {
        return Ok(());
    }
    for &id in functions {
        rewrite(module, id, &mut |w, op| match &w.func.ops[op].op {
            Op::Load { handle, path } if input(&w.func, *handle).is_some_and(|global| chosen.contains(&global)) => {
                let (handle, path) = (*handle, path.clone());
                let first = [PathStep::Const(0)].into_iter().chain(path).collect();
                w.replace(op, Op::Load { handle, path: first });
            }
            Op::Intrinsic { args, .. } => match (found.get(&(id, op)), args.get(1)) {
                (Some(inputs), Some(&vertex)) => {
                    let ty = w.func.ops[op].results.first().map(|&result| w.ty(result));
                    let Some(ty) = ty else { return w.keep(op) };
                    let value = at_vertex(w, inputs, vertex, ty);
                    w.replace(op, Op::Detach(value));
                }
                _ => w.keep(op),
            },
            _ => w.keep(op),
        });
    }
    for &global in &chosen {
        let Type::Handle(HandleType::Variable { content }) = module.types.get(module.globals[global].ty) else {
            continue;
        };
        let content = module.types.array(content, VERTICES);
        module.globals[global].ty = module.types.intern(Type::Handle(HandleType::Variable { content }));
        if let Some(varying) = &mut module.globals[global].provision.varying {
            varying.rate = Rate::Vertex;
            varying.interpolation = Interpolation::Vertices;
            varying.sampling = Sampling::Center;
        }
    }
    for &id in functions {
        let func = &mut module.funcs[id];
        for (_, data) in func.ops.iter() {
            if let (Op::Global(global), Some(&result)) = (&data.op, data.results.first())
                && chosen.contains(global)
            {
                func.values[result].ty = module.globals[*global].ty;
            }
        }
    }
    Ok(())
}

/// Whether the source says of an input of a fragment that it is not interpolated but has the values of all vertices.
fn is_of_vertices(module: &Module, functions: &[FuncId], global: GlobalId) -> bool {
    let provision = &module.globals[global].provision;
    let is_said = provision.varying.as_ref().is_some_and(|varying| varying.interpolation == Interpolation::Vertices);
    let entry = match provision.role {
        ParameterRole::EntryOwn(entry) => module.entry_points.get(entry as usize),
        _ => None,
    };
    is_said && entry.is_some_and(|entry| entry.stage == Stage::Fragment && functions.contains(&entry.func))
}

/// The variable behind a handle.
fn input(func: &Func, handle: ValueId) -> Option<GlobalId> {
    match func.defining_op(handle)?.op {
        Op::Global(global) => Some(global),
        _ => None,
    }
}

/// The inputs that a value is.
fn inputs(module: &Module, functions: &[FuncId], id: FuncId, value: ValueId) -> Option<Inputs> {
    let func = &module.funcs[id];
    if let ValueDef::Param { region, index } = func.values[value].def {
        if Some(region) != func.body {
            return None;
        }
        let (caller, argument) = only_argument(module, functions, id, index as usize)?;
        return inputs(module, functions, caller, argument);
    }
    let data = func.defining_op(value)?;
    match &data.op {
        Op::Load { handle, path } if path.is_empty() => {
            let global = input(func, *handle)?;
            let varying = module.globals[global].provision.varying.as_ref()?;
            let is_input = !varying.is_output && matches!(varying.place, VaryingPlace::Location(_));
            (is_input && varying.rate == Rate::Invocation).then_some(Inputs::One(global))
        }
        Op::Make(parts) => {
            let part = |&part: &ValueId| Some((inputs(module, functions, id, part)?, func.ty(part)));
            Some(Inputs::Parts(parts.iter().map(part).collect::<Option<Vec<_>>>()?))
        }
        Op::Extract { aggregate, path } => {
            // Only what is asked for has to be an input.
            let aggregate = resolved(module, functions, id, *aggregate, path)?;
            inputs(module, functions, aggregate.0, aggregate.1)
        }
        Op::Detach(value) => inputs(module, functions, id, *value),
        _ => None,
    }
}

/// The part of a value at a path, through what it is made of.
fn resolved(
    module: &Module,
    functions: &[FuncId],
    id: FuncId,
    value: ValueId,
    path: &[PathStep],
) -> Option<(FuncId, ValueId)> {
    let Some((PathStep::Const(first), rest)) = path.split_first() else {
        return path.is_empty().then_some((id, value));
    };
    let func = &module.funcs[id];
    if let ValueDef::Param { region, index } = func.values[value].def {
        if Some(region) != func.body {
            return None;
        }
        let (caller, argument) = only_argument(module, functions, id, index as usize)?;
        return resolved(module, functions, caller, argument, path);
    }
    match &func.defining_op(value)?.op {
        Op::Make(parts) => resolved(module, functions, id, *parts.get(*first as usize)?, rest),
        Op::Extract { aggregate, path: outer } => {
            let path: Path = outer.iter().chain(path).copied().collect();
            resolved(module, functions, id, *aggregate, &path)
        }
        _ => None,
    }
}

/// What the only call of a function gives it.
fn only_argument(module: &Module, functions: &[FuncId], callee: FuncId, index: usize) -> Option<(FuncId, ValueId)> {
    let mut calls = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            if let Op::Call { callee: Callee::Func(called), args, .. } = &func.ops[op].op
                && *called == callee
            {
                calls.push((id, args.get(index).copied()));
            }
        });
    }
    match calls[..] {
        [(caller, Some(argument))] => Some((caller, argument)),
        _ => None,
    }
}

/// Whether all of them are the same in a whole triangle, or the source says that they are those of the vertices.
fn are_whole(module: &Module, inputs: &Inputs) -> bool {
    match inputs {
        Inputs::One(global) => {
            let varying = module.globals[*global].provision.varying.as_ref();
            varying.is_some_and(|varying| match varying.interpolation {
                Interpolation::Flat | Interpolation::Vertices => true,
                Interpolation::Perspective | Interpolation::Linear => false,
            })
        }
        Inputs::Parts(parts) => parts.iter().all(|(part, _)| are_whole(module, part)),
    }
}

fn collect(inputs: &Inputs, into: &mut FxHashSet<GlobalId>) {
    match inputs {
        Inputs::One(global) => _ = into.insert(*global),
        Inputs::Parts(parts) => parts.iter().for_each(|(part, _)| collect(part, into)),
    }
}

fn at_vertex(w: &mut Rewriter<'_>, inputs: &Inputs, vertex: ValueId, ty: TypeId) -> ValueId {
    match inputs {
        Inputs::One(global) => {
            let handle_type = w.module.globals[*global].ty;
            let handle = w.add(Op::Global(*global), handle_type);
            let path = [PathStep::Dynamic(vertex)].into_iter().collect();
            w.add(Op::Load { handle, path }, ty)
        }
        Inputs::Parts(parts) => {
            let values = parts.iter().map(|(part, ty)| at_vertex(w, part, vertex, *ty)).collect();
            w.add(Op::Make(values), ty)
        }
    }
}
