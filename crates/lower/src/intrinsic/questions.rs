//! Questions about a type, answered when the program is compiled: `type.size`, `type.is_float`, ….

use ir::{Constant, Scalar, Type, ValueId, builder::FuncBuilder, layout::layout};

use super::Asked;
use crate::{
    error::{Lowering, Stop},
    program::Program,
};

/// The answer about the type of the first argument, or the type given as generic argument.
pub(super) fn answer(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    question: &str,
    asked: &Asked<'_>,
) -> Lowering<ValueId> {
    let ty = match (asked.args.first(), asked.type_arg) {
        (Some(&value), _) => b.ty(value),
        (None, Some(ty)) => program.lower_type(b.types, ty)?,
        (None, None) => return Err(Stop::broken("a question about no type")),
    };
    let is = |test: fn(Scalar) -> bool| Ok(Constant::Bool(scalar(b.types.get(ty)).is_some_and(test)));
    let bytes = |bytes: Option<u32>| match bytes {
        Some(bytes) => Ok(Constant::Int(bytes.into())),
        None => Err(Stop::unsupported("the size of this type")),
    };
    let constant = match question {
        "size" => bytes(layout(b.types, ty).map(|layout| layout.size)),
        "alignment" => bytes(layout(b.types, ty).map(|layout| layout.align)),
        "is_float" => is(Scalar::is_float),
        "is_half" => is(|scalar| scalar == Scalar::F16),
        "is_int" => is(Scalar::is_integer),
        "is_signed_int" => is(|scalar| scalar.is_integer() && scalar.is_signed()),
        "is_unsigned_int" => is(|scalar| scalar.is_integer() && !scalar.is_signed()),
        "is_bool" => is(|scalar| scalar == Scalar::Bool),
        "is_vector" => Ok(Constant::Bool(matches!(b.types.get(ty), Type::Vector { .. }))),
        question => Err(Stop::unsupported(format!("the question `{question}` about a type"))),
    }?;
    let ty = asked.result()?;
    Ok(b.constant(constant, ty))
}

/// The scalar of a scalar or vector.
fn scalar(ty: Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => Some(scalar),
        _ => None,
    }
}
