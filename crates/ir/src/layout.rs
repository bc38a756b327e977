//! How values lie in buffers and behind pointers. In our own memory, the natural layout: every scalar aligned to its size
//! (a `bool` takes 4 bytes), nothing else padded, so that what follows a struct may be right behind its last field; from
//! one element of an array to the next the alignment is kept. Vulkan and WebGPU programs have `std140` in constant buffers and
//! `std430` in others, where the source does not ask for the natural one. An interface value is two words of run-time
//! type, two words with the id of its type, and the payload. What `sizeof` says is the business of the front end.

use crate::{HandleType, Scalar, StructId, Type, TypeId, provision::DataLayout, types::TypeTable};

/// Bytes in front of the payload of an interface value.
pub const SUM_HEADER: u32 = 16;
/// Where the id of its type is.
pub const SUM_ID_OFFSET: u32 = 8;

/// Bytes and alignment in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes that a value takes.
    pub size: u32,
    /// What its address is a multiple of.
    pub align: u32,
}

impl Layout {
    /// Bytes from one element of an array to the next.
    pub fn stride(self) -> u32 {
        self.size.next_multiple_of(self.align)
    }
}

/// The natural layout, `None` for types that memory cannot hold.
pub fn layout(types: &TypeTable, ty: TypeId) -> Option<Layout> {
    layout_in(types, ty, DataLayout::Scalar)
}

/// The natural offset of a field.
pub fn field_offset(types: &TypeTable, id: StructId, index: u32) -> Option<u32> {
    field_offset_in(types, id, index, DataLayout::Scalar)
}

/// The layout by given rules, `None` for types that memory cannot hold.
pub fn layout_in(types: &TypeTable, ty: TypeId, rules: DataLayout) -> Option<Layout> {
    let of = |scalar: Scalar| scalar.bits() / 8;
    Some(match types.get(ty) {
        Type::Scalar(scalar) => Layout { size: of(scalar), align: of(scalar) },
        Type::Vector { scalar, len } => vector(of(scalar), len, rules),
        Type::Matrix { scalar, rows, cols } => array(vector(of(scalar), cols, rules), rows.into(), rules)?,
        Type::Array { element, len } => array(layout_in(types, element, rules)?, len, rules)?,
        Type::Struct(id) => {
            let mut whole = Layout { size: 0, align: 1 };
            for field in &types.structs[id].fields {
                let field = layout_in(types, field.ty, rules)?;
                whole.size = whole.size.checked_next_multiple_of(field.align)?.checked_add(field.size)?;
                whole.align = whole.align.max(field.align);
            }
            whole.align = aggregate_align(whole.align, rules);
            match rules {
                DataLayout::Scalar => whole,
                DataLayout::Std140 | DataLayout::Std430 => {
                    Layout { size: whole.size.checked_next_multiple_of(whole.align)?, ..whole }
                }
            }
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

/// The offset of a field by given rules.
pub fn field_offset_in(types: &TypeTable, id: StructId, index: u32, rules: DataLayout) -> Option<u32> {
    let mut offset = 0u32;
    for (at, field) in types.structs[id].fields.iter().enumerate() {
        let field = layout_in(types, field.ty, rules)?;
        offset = offset.checked_next_multiple_of(field.align)?;
        if at as u32 == index {
            return Some(offset);
        }
        offset = offset.checked_add(field.size)?;
    }
    None
}

/// The bytes from one row of a matrix, element of an array or component of a vector to the next.
pub fn stride_in(types: &TypeTable, ty: TypeId, rules: DataLayout) -> Option<u32> {
    Some(match types.get(ty) {
        Type::Vector { scalar, .. } => scalar.bits() / 8,
        Type::Matrix { scalar, cols, .. } => element_stride(vector(scalar.bits() / 8, cols, rules), rules),
        Type::Array { element, .. } => element_stride(layout_in(types, element, rules)?, rules),
        _ => return None,
    })
}

/// The bytes from one element to the next in an array or buffer of elements with this layout.
pub fn element_stride(element: Layout, rules: DataLayout) -> u32 {
    element.size.next_multiple_of(aggregate_align(element.align, rules))
}

fn vector(scalar: u32, len: u8, rules: DataLayout) -> Layout {
    let parts = match rules {
        DataLayout::Scalar => 1,
        DataLayout::Std140 | DataLayout::Std430 => u32::from(len).next_power_of_two(),
    };
    Layout { size: scalar * u32::from(len), align: scalar * parts }
}

fn array(element: Layout, len: u32, rules: DataLayout) -> Option<Layout> {
    let stride = element_stride(element, rules);
    let size = match (rules, len.checked_sub(1)) {
        (DataLayout::Scalar, Some(others)) => stride.checked_mul(others)?.checked_add(element.size)?,
        (DataLayout::Scalar, None) => 0,
        (DataLayout::Std140 | DataLayout::Std430, _) => stride.checked_mul(len)?,
    };
    Some(Layout { size, align: aggregate_align(element.align, rules) })
}

/// What arrays and structs are aligned to.
pub fn aggregate_align(align: u32, rules: DataLayout) -> u32 {
    match rules {
        DataLayout::Scalar | DataLayout::Std430 => align,
        DataLayout::Std140 => align.next_multiple_of(16),
    }
}
