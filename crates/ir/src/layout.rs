//! How values lie in buffers and behind pointers, on every target: every scalar aligned to its size (a `bool` takes 4
//! bytes), nothing else padded. An interface value is two words of run-time type, two words with the id of its type, and
//! the payload. What `sizeof` says is the business of the front end.

use crate::{HandleType, Scalar, StructId, Type, TypeId, types::TypeTable};

/// Bytes in front of the payload of an interface value.
pub const SUM_HEADER: u32 = 16;
/// Where the id of its type is.
pub const SUM_ID_OFFSET: u32 = 8;

/// Bytes and alignment in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub size: u32,
    pub align: u32,
}

impl Layout {
    pub fn stride(self) -> u32 {
        self.size.next_multiple_of(self.align)
    }
}

/// The natural layout, `None` for types that memory cannot hold.
pub fn layout(types: &TypeTable, ty: TypeId) -> Option<Layout> {
    let of = |scalar: Scalar| scalar.bits() / 8;
    Some(match types.get(ty) {
        Type::Scalar(scalar) => Layout { size: of(scalar), align: of(scalar) },
        Type::Vector { scalar, len } => Layout { size: of(scalar) * u32::from(len), align: of(scalar) },
        Type::Matrix { scalar, rows, cols } => {
            Layout { size: of(scalar) * u32::from(rows) * u32::from(cols), align: of(scalar) }
        }
        Type::Array { element, len } => {
            let element = layout(types, element)?;
            Layout { size: element.stride().checked_mul(len)?, align: element.align }
        }
        Type::Struct(id) => {
            let mut whole = Layout { size: 0, align: 1 };
            for field in &types.structs[id].fields {
                let field = layout(types, field.ty)?;
                whole.size = whole.size.next_multiple_of(field.align).checked_add(field.size)?;
                whole.align = whole.align.max(field.align);
            }
            Layout { size: whole.stride(), align: whole.align }
        }
        Type::Handle(HandleType::Pointer { .. }) => Layout { size: 8, align: 8 },
        Type::Sum(id) => {
            let mut payload = types.sums[id].payload_bytes.unwrap_or(0);
            for variant in &types.sums[id].variants {
                payload = payload.max(layout(types, variant.ty)?.size);
            }
            Layout { size: payload.checked_add(SUM_HEADER)?.checked_next_multiple_of(4)?, align: 4 }
        }
        Type::Handle(_) | Type::Opaque(_) => return None,
    })
}

/// The natural offset of a field.
pub fn field_offset(types: &TypeTable, id: StructId, index: u32) -> Option<u32> {
    let mut offset = 0u32;
    for (at, field) in types.structs[id].fields.iter().enumerate() {
        let field = layout(types, field.ty)?;
        offset = offset.next_multiple_of(field.align);
        if at as u32 == index {
            return Some(offset);
        }
        offset = offset.checked_add(field.size)?;
    }
    None
}
