//! The fields of structs that types of the source without declared fields become.

use ir::{
    Field, HandleType, Scalar, Type, TypeId, ValueId,
    builder::FuncBuilder,
    types::{Matrices, TypeTable},
};

/// The value in a pair.
pub(crate) const PAIR_PRIMAL: u32 = 0;
/// The derivative in a pair.
pub(crate) const PAIR_DIFFERENTIAL: u32 = 1;
/// The value in an optional, of any kind where there is none.
pub(crate) const OPTIONAL_VALUE: u32 = 0;
/// Whether an optional has a value.
pub(crate) const OPTIONAL_HAS_VALUE: u32 = 1;

/// The fields of a buffer whose count is in another.
pub(crate) fn of_counted_buffer(elements: TypeId, types: &TypeTable) -> Vec<Field> {
    let number = types.scalar(Scalar::I32);
    let counter = types.intern(Type::Handle(HandleType::StructuredBuffer { element: number, writable: true }));
    let field =
        |name: &str, ty| Field { name: name.into(), ty, no_diff: false, matrices: Matrices::default(), is_gap: false };
    vec![field("elements", elements), field("counter", counter)]
}

/// `value` as an optional of type `ty` that has a value.
pub(crate) fn optional_of(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> ValueId {
    let has_value = b.bool(true);
    b.make(&[value, has_value], ty)
}
