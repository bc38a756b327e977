//! Where the derivative of a part of a value lies in the derivative of the whole.

use ir::{PathStep, Type, TypeId, op::Path, types::TypeTable};
use smol_str::{SmolStr, format_smolstr};

/// The path in the differential of `aggregate` that belongs to `path` in `aggregate`; `None` if the part has no
/// derivative there (a `no_diff` field).
pub(crate) fn differential_path(types: &TypeTable, aggregate: TypeId, path: &[PathStep]) -> Option<Path> {
    let mut ty = aggregate;
    let mut result = Path::new();
    for &step in path {
        let step_in_differential = match (types.get(ty), step) {
            (Type::Struct(id), PathStep::Const(index)) => {
                let field = *types.structs[id].differential.as_ref()?.fields.get(index as usize)?;
                PathStep::Const(field?)
            }
            _ => step,
        };
        result.push(step_in_differential);
        ty = types.path_type(ty, &[step])?;
    }
    types.is_differentiable(ty).then_some(result)
}

/// The number of parts that a constant path step can name; 0 for types without parts.
pub(crate) fn part_count(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Vector { len, .. } => len.into(),
        Type::Matrix { rows, .. } => rows.into(),
        Type::Array { len, .. } => len,
        Type::Struct(id) => types.structs[id].fields.len() as u32,
        Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => 0,
    }
}

/// The variant of the differential of a sum that holds derivatives of its variant number `variant`.
pub(crate) fn differential_variant(types: &TypeTable, sum: TypeId, variant: u32) -> Option<u32> {
    let Type::Sum(id) = types.get(sum) else {
        return None;
    };
    let wanted = types.sums[id].variants.get(variant as usize)?.ty;
    let wanted = types.differential_of(wanted)?;
    let Type::Sum(differential) = types.get(types.sums[id].differential?) else {
        return None;
    };
    let variants = &types.sums[differential].variants;
    // As a rule the variants correspond one to one; variants that share a differential may share its place.
    if variants.get(variant as usize).is_some_and(|own| own.ty == wanted) {
        return Some(variant);
    }
    variants.iter().position(|other| other.ty == wanted).map(|index| index as u32)
}

pub(crate) fn tangent_name(name: &Option<SmolStr>) -> Option<SmolStr> {
    name.as_ref().map(|name| format_smolstr!("{name}_tangent"))
}

pub(crate) fn cotangent_name(name: &Option<SmolStr>) -> Option<SmolStr> {
    name.as_ref().map(|name| format_smolstr!("{name}_cotangent"))
}
