//! Questions about a type, answered when the program is compiled: `type.size`, `type.is_float`, ….

use ir::{Constant, Scalar, Type, ValueId, builder::FuncBuilder, layout::layout};

use super::Asked;
use crate::{
    core_function::Question,
    error::{Lowering, Stop},
    program::Program,
};

/// The answer about the type of the first argument, or the type given as generic argument.
pub(super) fn answer(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    question: Question,
    asked: &Asked<'_>,
) -> Lowering<ValueId> {
    let ty = match (asked.args.first(), asked.type_arg) {
        (Some(&value), _) => b.ty(value),
        (None, Some(ty)) => program.lower_type(ty)?,
        (None, None) => return Err(Stop::broken("a question about no type")),
    };
    let is = |test: fn(Scalar) -> bool| Ok(Constant::Bool(scalar(b.types.get(ty)).is_some_and(test)));
    let bytes = |bytes: Option<u32>| match bytes {
        Some(bytes) => Ok(Constant::Int(bytes.into())),
        None => Err(Stop::unsupported("the size of this type")),
    };
    let constant = match question {
        Question::Size => bytes(layout(b.types, ty).map(|layout| layout.size)),
        Question::Alignment => bytes(layout(b.types, ty).map(|layout| layout.align)),
        Question::IsFloat => is(Scalar::is_float),
        Question::IsHalf => is(|scalar| scalar == Scalar::F16),
        Question::IsInt => is(Scalar::is_integer),
        Question::IsSignedInt => is(|scalar| scalar.is_integer() && scalar.is_signed()),
        Question::IsUnsignedInt => is(|scalar| scalar.is_integer() && !scalar.is_signed()),
        Question::IsBool => is(|scalar| scalar == Scalar::Bool),
        Question::IsVector => Ok(Constant::Bool(matches!(b.types.get(ty), Type::Vector { .. }))),
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
