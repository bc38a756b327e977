//! How large values are where they are kept.

use ir::{Type, TypeId, types::TypeTable};

/// Bytes that a value of the type takes, with natural alignment.
pub fn size_of(types: &TypeTable, ty: TypeId) -> u64 {
    fn size_and_align(types: &TypeTable, ty: TypeId, depth: u32) -> (u64, u64) {
        if depth > 64 {
            return (0, 1);
        }
        let bytes = |scalar: ir::Scalar| u64::from(scalar.bits() / 8);
        match types.get(ty) {
            Type::Scalar(scalar) => (bytes(scalar), bytes(scalar)),
            Type::Vector { scalar, len } => (bytes(scalar) * u64::from(len), bytes(scalar)),
            Type::Matrix { scalar, rows, cols } => (bytes(scalar) * u64::from(rows) * u64::from(cols), bytes(scalar)),
            Type::Array { element, len } => {
                let (size, align) = size_and_align(types, element, depth + 1);
                (size.saturating_mul(len.into()), align)
            }
            Type::Struct(id) => {
                let (mut size, mut align) = (0u64, 1);
                for field in &types.structs[id].fields {
                    let (field_size, field_align) = size_and_align(types, field.ty, depth + 1);
                    size = size.next_multiple_of(field_align).saturating_add(field_size);
                    align = align.max(field_align);
                }
                (size.next_multiple_of(align), align)
            }
            Type::Sum(id) => {
                let payloads =
                    types.sums[id].variants.iter().map(|variant| size_and_align(types, variant.ty, depth + 1).0);
                (4 + payloads.max().unwrap_or(0), 4)
            }
            Type::Handle(_) => (8, 8),
            Type::Opaque(_) => (0, 1),
        }
    }
    size_and_align(types, ty, 0).0
}
