//! What a lambda has copies of carries derivatives wherever the lambda goes, except for three ways: into a field of a struct
//! that has no derivative for it, into a function whose derivative the user wrote, and out of a function. In differentiable functions these
//! are errors, rather than derivatives that are zero in silence. Looked for once everything is lowered: only then is it known
//! which lambdas an interface value may hold.

use hir_ty::{differential::rules::derivative_rules_in, ty::Ty};
use ir::{Callee, Func, Module, Op, PathStep, SpanId, Terminator, Type, TypeId, ValueId, types::TypeTable};
use rustc_hash::FxHashSet;

use crate::{error::Cause, front, key::FunctionKey, program::Program};

/// Reports what is lost.
pub(crate) fn report(program: &mut Program<'_>) {
    let carrying = carrying_types(program);
    if carrying.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for (id, func) in program.module.funcs.iter() {
        let is_written = matches!(program.key(id), Some(FunctionKey::Source(_) | FunctionKey::Lambda(_)));
        let rules = &func.rules;
        let has_own = rules.forward.is_some() || rules.backward.is_some() || rules.treat_as_differentiable;
        if is_written && !has_own && (rules.forward_differentiable || rules.backward_differentiable) {
            losses(&program.module, func, program.types, &carrying, &mut found);
        }
    }
    for (span, what) in found {
        let span = program.module.spans.get(span.0 as usize).copied().unwrap_or_default();
        program.error(span, Cause::Unsupported(what.to_owned()));
    }
}

/// The types of lambdas that carry derivatives, and the interface values that may hold one.
fn carrying_types(program: &Program<'_>) -> FxHashSet<TypeId> {
    let file = hir_def::item::file_of(program.db, program.root);
    let is_differentiated = |ty: &Ty| match *ty {
        Ty::Closure(closure) => {
            derivative_rules_in(program.db, closure.declaration(program.db), file).is_differentiable()
        }
        _ => false,
    };
    let lambdas =
        program.lowered_types.iter().filter(|(ty, id)| is_differentiated(ty) && program.types.is_differentiable(**id));
    let mut carrying: FxHashSet<TypeId> = lambdas.map(|(_, id)| *id).collect();
    let interfaces = program.lowered_types.iter().filter(|(ty, _)| front::is_differentiable_interface(program, **ty));
    let holding: Vec<TypeId> = interfaces
        .filter(|(_, id)| match program.types.get(**id) {
            Type::Sum(sum) => program.types.sums[sum].variants.iter().any(|variant| carrying.contains(&variant.ty)),
            _ => false,
        })
        .map(|(_, id)| *id)
        .collect();
    carrying.extend(holding);
    carrying
}

fn losses(
    module: &Module,
    func: &Func,
    types: &TypeTable,
    carrying: &FxHashSet<TypeId>,
    found: &mut Vec<(SpanId, &'static str)>,
) {
    let carries = |value: ValueId| {
        let detached = func.defining_op(value).is_some_and(|data| matches!(data.op, Op::Detach(_)));
        !detached && carrying.contains(&func.ty(value))
    };
    for (_, data) in func.ops.iter() {
        let aggregate = data.results.first().map(|&result| types.get(func.ty(result)));
        let lost = match (&data.op, aggregate) {
            (Op::Make(parts), Some(Type::Struct(_))) => parts.iter().enumerate().any(|(index, &part)| {
                let path = [PathStep::Const(index as u32)];
                carries(part) && aggregate.is_some_and(|ty| !keeps_derivative(types, ty, &path))
            }),
            (Op::Insert { path, value, .. }, Some(ty)) => carries(*value) && !keeps_derivative(types, ty, path),
            _ => false,
        };
        if let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &data.op {
            let callee = &module.funcs[*callee];
            let by_hand = callee.rules.forward.is_some() || callee.rules.backward.is_some();
            let mut inputs = args.iter().zip(&callee.inputs);
            if by_hand && inputs.any(|(&arg, input)| !input.differentiable && carries(arg)) {
                found.push((
                    data.span,
                    "a lambda with derivatives that goes into a function with a derivative of its own",
                ));
            }
        }
        if lost {
            found.push((data.span, "a lambda with derivatives as a field of a struct that has none"));
        }
    }
    let returned = func.regions.iter().filter_map(|(_, region)| match &region.terminator {
        Terminator::Return(values) => Some(values),
        _ => None,
    });
    for values in returned {
        if values.iter().zip(&func.results).any(|(&value, slot)| !slot.differentiable && carries(value)) {
            found.push((func.span, "a lambda with derivatives as the result of a differentiable function"));
        }
    }
}

/// Whether the part of an aggregate that a path leads to has its derivative in the aggregate's.
fn keeps_derivative(types: &TypeTable, aggregate: Type, path: &[PathStep]) -> bool {
    let mut ty = aggregate;
    for &step in path {
        let (next, keeps) = match (ty, step) {
            (Type::Struct(id), PathStep::Const(index)) => {
                let def = &types.structs[id];
                let Some(field) = def.fields.get(index as usize) else { return false };
                let slot = def.differential.as_ref().and_then(|d| d.fields.get(index as usize).copied().flatten());
                (field.ty, slot.is_some())
            }
            (Type::Array { element, .. }, _) => (element, true),
            _ => return false,
        };
        if !keeps {
            return false;
        }
        ty = types.get(next);
    }
    true
}
