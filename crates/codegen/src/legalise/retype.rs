//! Puts other types in the place of some, everywhere: in values, signatures, globals and in the types made of them.

use ir::{FuncId, HandleType, Module, Type, TypeId};
use rustc_hash::FxHashMap;

/// `rule` gives the type for one that must go. Its answer is final.
pub(crate) fn retype(module: &mut Module, functions: &[FuncId], rule: &dyn Fn(&mut Module, Type) -> Option<TypeId>) {
    let mut mapped = FxHashMap::default();
    for id in module.types.structs.ids() {
        for index in 0..module.types.structs[id].fields.len() {
            let ty = map(module, &mut mapped, rule, module.types.structs[id].fields[index].ty);
            module.types.structs[id].fields[index].ty = ty;
        }
    }
    for id in module.types.sums.ids() {
        for index in 0..module.types.sums[id].variants.len() {
            let ty = map(module, &mut mapped, rule, module.types.sums[id].variants[index].ty);
            module.types.sums[id].variants[index].ty = ty;
        }
    }
    let globals: Vec<_> = module.globals.iter().map(|(id, _)| id).collect();
    for id in globals {
        module.globals[id].ty = map(module, &mut mapped, rule, module.globals[id].ty);
    }
    for &id in functions {
        let values: Vec<_> = module.funcs[id].values.iter().map(|(value, data)| (value, data.ty)).collect();
        for (value, ty) in values {
            module.funcs[id].values[value].ty = map(module, &mut mapped, rule, ty);
        }
        for index in 0..module.funcs[id].inputs.len() {
            module.funcs[id].inputs[index].ty = map(module, &mut mapped, rule, module.funcs[id].inputs[index].ty);
        }
        for index in 0..module.funcs[id].results.len() {
            module.funcs[id].results[index].ty = map(module, &mut mapped, rule, module.funcs[id].results[index].ty);
        }
    }
}

fn map(
    module: &mut Module,
    mapped: &mut FxHashMap<TypeId, TypeId>,
    rule: &dyn Fn(&mut Module, Type) -> Option<TypeId>,
    ty: TypeId,
) -> TypeId {
    if let Some(&other) = mapped.get(&ty) {
        return other;
    }
    let old = module.types.get(ty);
    let mut inner = |module: &mut Module, ty| map(module, mapped, rule, ty);
    let new = match rule(module, old) {
        Some(new) => new,
        None => match old {
            Type::Array { element, len } => {
                let element = inner(module, element);
                module.types.array(element, len)
            }
            Type::Handle(handle) => {
                let handle = match handle {
                    HandleType::StructuredBuffer { element, writable } => {
                        HandleType::StructuredBuffer { element: inner(module, element), writable }
                    }
                    HandleType::ConstantBuffer { content } => {
                        HandleType::ConstantBuffer { content: inner(module, content) }
                    }
                    HandleType::Variable { content } => HandleType::Variable { content: inner(module, content) },
                    HandleType::Pointer { pointee } => HandleType::Pointer { pointee: inner(module, pointee) },
                    HandleType::Address { pointee } => HandleType::Address { pointee: inner(module, pointee) },
                    HandleType::TexelBuffer { .. }
                    | HandleType::ByteAddressBuffer { .. }
                    | HandleType::Texture { .. }
                    | HandleType::Sampler { .. }
                    | HandleType::AccelerationStructure
                    | HandleType::RayQuery { .. } => handle,
                };
                module.types.intern(Type::Handle(handle))
            }
            // Structs keep their ids; their fields are changed in place.
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Struct(_)
            | Type::Sum(_)
            | Type::Opaque(_) => ty,
        },
    };
    mapped.insert(ty, new);
    new
}
