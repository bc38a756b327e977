//! How values lie in buffers, on every target: every scalar aligned to its size, nothing else padded.

use ir::{Module, Scalar, Type, TypeId};

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
pub fn layout(module: &Module, ty: TypeId) -> Option<Layout> {
    let of = |scalar: Scalar| scalar.bits() / 8;
    Some(match module.types.get(ty) {
        Type::Scalar(scalar) => Layout { size: of(scalar), align: of(scalar) },
        Type::Vector { scalar, len } => Layout { size: of(scalar) * u32::from(len), align: of(scalar) },
        Type::Matrix { scalar, rows, cols } => {
            Layout { size: of(scalar) * u32::from(rows) * u32::from(cols), align: of(scalar) }
        }
        Type::Array { element, len } => {
            let element = layout(module, element)?;
            Layout { size: element.stride().checked_mul(len)?, align: element.align }
        }
        Type::Struct(id) => {
            let mut whole = Layout { size: 0, align: 1 };
            for field in &module.types.structs[id].fields {
                let field = layout(module, field.ty)?;
                whole.size = whole.size.next_multiple_of(field.align).checked_add(field.size)?;
                whole.align = whole.align.max(field.align);
            }
            Layout { size: whole.stride(), align: whole.align }
        }
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return None,
    })
}

/// The natural offset of a field.
pub fn field_offset(module: &Module, id: ir::StructId, index: u32) -> Option<u32> {
    let mut offset = 0u32;
    for (at, field) in module.types.structs[id].fields.iter().enumerate() {
        let field = layout(module, field.ty)?;
        offset = offset.next_multiple_of(field.align);
        if at as u32 == index {
            return Some(offset);
        }
        offset = offset.checked_add(field.size)?;
    }
    None
}
