//! Structs without fields and arrays without elements get one that nobody reads.

use ir::{FuncId, GlobalKind, Module, Op, Scalar, SpanId, Type, TypeId, types::StructId};
use rustc_hash::FxHashSet;

use super::capability::EmptyStructs;
use super::for_each_op;
use super::retype;
use super::rewrite::rewrite;
use crate::EmitError;

pub(crate) fn fill(
    module: &mut Module,
    functions: &[FuncId],
    may_be_empty: EmptyStructs,
) -> Result<(), Vec<EmitError>> {
    check_memory(module, functions, may_be_empty == EmptyStructs::Nowhere)?;
    let left = match may_be_empty {
        EmptyStructs::Anywhere => module.types.structs.ids().collect(),
        EmptyStructs::InMemory => in_memory(module),
        EmptyStructs::Nowhere => FxHashSet::default(),
    };
    let is_empty = |module: &Module, ty: Type| match ty {
        Type::Struct(id) => !left.contains(&id) && module.types.structs[id].fields.is_empty(),
        Type::Array { len, .. } => len == 0,
        _ => false,
    };
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let data = &w.func.ops[op];
            match (&data.op, &data.results[..]) {
                (Op::Make(parts), [result]) if parts.is_empty() && is_empty(w.module, w.type_of(*result)) => {
                    w.replace(op, Op::Zero);
                }
                _ => w.keep(op),
            }
        });
    }
    let u32 = module.types.scalar(Scalar::U32);
    for id in module.types.structs.ids().filter(|id| !left.contains(id)) {
        let def = &mut module.types.structs[id];
        if def.fields.is_empty() {
            def.fields.push(ir::Field {
                name: "nothing".into(),
                ty: u32,
                no_diff: true,
                matrices: ir::types::Matrices::AsUsual,
                is_gap: false,
            });
        }
    }
    retype::retype(module, functions, &|module, ty| match ty {
        Type::Array { element, len: 0 } => Some(module.types.array(element, 1)),
        _ => None,
    });
    Ok(())
}

/// The structs that parameters hold.
fn in_memory(module: &Module) -> FxHashSet<StructId> {
    let mut found = FxHashSet::default();
    let is_parameter = |data: &&ir::Global| data.kind == GlobalKind::Parameter;
    let mut left: Vec<TypeId> =
        module.globals.iter().map(|(_, data)| data).filter(is_parameter).map(|data| data.ty).collect();
    while let Some(ty) = left.pop() {
        match module.types.get(ty) {
            Type::Handle(handle) => left.extend(handle.content()),
            Type::Array { element, .. } => left.push(element),
            Type::Struct(id) if found.insert(id) => {
                left.extend(module.types.structs[id].fields.iter().map(|field| field.ty));
            }
            Type::Struct(_)
            | Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Sum(_)
            | Type::Opaque(_) => {}
        }
    }
    found
}

/// In memory that others write, the filling would move what comes after it.
fn check_memory(module: &Module, functions: &[FuncId], structs_too: bool) -> Result<(), Vec<EmitError>> {
    let mut errors: Vec<(SpanId, ir::GlobalId)> = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            if let Op::Global(global) = func.ops[op].op
                && module.globals[global].kind == GlobalKind::Parameter
                && let Type::Handle(handle) = module.types.get(module.globals[global].ty)
                && handle.content().is_some_and(|content| holds_empty(module, content, structs_too))
                && !errors.iter().any(|(_, other)| *other == global)
            {
                errors.push((func.ops[op].span, global));
            }
        });
    }
    let message = |global| format!("`{}`: values without fields in memory are not supported for this target", global);
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors
            .into_iter()
            .map(|(span, global)| EmitError::new(span, message(&module.globals[global].name)))
            .collect()),
    }
}

fn holds_empty(module: &Module, ty: TypeId, structs_too: bool) -> bool {
    match module.types.get(ty) {
        Type::Array { element, len } => len == 0 || holds_empty(module, element, structs_too),
        Type::Struct(id) => {
            let fields = &module.types.structs[id].fields;
            structs_too && fields.is_empty() || fields.iter().any(|field| holds_empty(module, field.ty, structs_too))
        }
        _ => false,
    }
}
