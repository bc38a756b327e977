//! Whether the derivative of an optional is there: where the optional has a value. The passes of derivatives know of numbers
//! alone, and leave the flags of a differential unset.

use hir_ty::ty::{BuiltinType, Ty};
use ir::{PathStep, Type, ValueId, builder::FuncBuilder};

use crate::{
    error::{Lowering, Stop},
    fields::OPTIONAL_HAS_VALUE,
    program::Program,
};

/// How many elements of an array are looked at one by one.
const MOST_ELEMENTS: u32 = 64;

/// The differential of a value of type `ty`, with the flags of the optionals in it set as the value has them.
pub(super) fn as_in(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    ty: Ty,
    value: ValueId,
    differential: ValueId,
) -> Lowering<ValueId> {
    if !holds_optional(program, ty) {
        return Ok(differential);
    }
    let mut differential = differential;
    let parts: Vec<(u32, u32, Ty)> = match (ty, b.type_of(value), b.type_of(differential)) {
        (Ty::Builtin(BuiltinType::Array, _), Type::Array { len, .. }, Type::Array { .. }) => {
            if len > MOST_ELEMENTS {
                return Err(Stop::unsupported("the derivative of an array of more than 64 optionals"));
            }
            let element = ty.first_type_arg(program.db).unwrap_or(Ty::Error);
            (0..len).map(|index| (index, index, element)).collect()
        }
        (_, Type::Struct(of), Type::Struct(_)) => {
            let places = b.types.structs[of].differential.as_ref().map_or(Vec::new(), |way| way.fields.clone());
            let members = program.member_types(ty)?.into_iter().zip(places).zip(0..);
            members.filter_map(|(((_, member), place), index)| Some((index, place?, member))).collect()
        }
        _ => Vec::new(),
    };
    for (index, place, member) in parts {
        if holds_optional(program, member) {
            let (part, own) = (b.field(value, index), b.field(differential, place));
            let own = as_in(program, b, member, part, own)?;
            differential = b.insert(differential, [PathStep::Const(place)], own);
        }
    }
    if let (Ty::Builtin(BuiltinType::Optional, _), Type::Struct(of)) = (ty, b.type_of(differential))
        && b.types.structs[of].fields.len() as u32 > OPTIONAL_HAS_VALUE
    {
        let has_value = b.field(value, OPTIONAL_HAS_VALUE);
        differential = b.insert(differential, [PathStep::Const(OPTIONAL_HAS_VALUE)], has_value);
    }
    Ok(differential)
}

/// Whether values of the type are optionals or made of such.
fn holds_optional(program: &Program<'_>, ty: Ty) -> bool {
    match ty {
        Ty::Builtin(BuiltinType::Optional, _) => true,
        Ty::Builtin(BuiltinType::Array, _) => {
            ty.first_type_arg(program.db).is_some_and(|element| holds_optional(program, element))
        }
        Ty::Adt(..) | Ty::Builtin(BuiltinType::Tuple, _) if !hir_ty::extension::is_interface(program.db, ty) => {
            let members = program.member_types(ty).unwrap_or_default();
            members.into_iter().any(|(_, member)| holds_optional(program, member))
        }
        _ => false,
    }
}
