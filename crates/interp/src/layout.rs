//! Sizes of types: in *slots* (values in frames and variables: one slot of 64 bits per scalar) and in *bytes* (values in
//! buffers: natural alignment, no other padding, as in [`ir::layout`]).
//!
//! | type | slots | bytes |
//! |---|---|---|
//! | scalar | 1 | its width, `bool` 4 |
//! | vector, matrix | one per scalar, rows first | the same, tightly |
//! | array, struct | elements or fields in order | each aligned, nothing behind the last |
//! | sum | tag, then the largest payload | 2 words of run-time type, 2 words of the variant's id, payload (see [`ir::types::SumDef`]) |
//! | handle | 1, see [`crate::memory`] | 8 |
//!
//! The tag of a sum that can be null is 0 for null and the variant's number plus 1 otherwise; without null it is the
//! variant's number. So the zero value of every type is zero in all slots.

use ir::{
    Scalar, Type, TypeId,
    types::{StructId, SumId, TypeTable},
};

/// Bytes in front of the payload of a sum in memory.
const SUM_HEADER: u64 = ir::layout::SUM_HEADER as u64;
/// Where the variant's id is.
pub(crate) const SUM_ID_OFFSET: u64 = ir::layout::SUM_ID_OFFSET as u64;

/// The size of a type in both forms. Sizes saturate: what does not fit is over every limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Size {
    pub slots: u64,
    pub bytes: u64,
    pub align: u64,
}

impl Size {
    /// The bytes from one element of an array or buffer to the next.
    pub(crate) fn stride(self) -> u64 {
        round_up(self.bytes, self.align)
    }
}

/// Where a field starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    pub slots: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Default)]
struct StructLayout {
    size: Size,
    fields: Vec<Offset>,
}

/// The layouts of a module's structs and sums.
pub(crate) struct Layouts<'m> {
    pub types: &'m TypeTable,
    structs: Vec<Option<StructLayout>>,
    sums: Vec<Option<Size>>,
    sums_with_null: Vec<bool>,
}

fn round_up(bytes: u64, align: u64) -> u64 {
    bytes.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

impl<'m> Layouts<'m> {
    /// The types must be finite, which the verifier checks.
    pub(crate) fn new(types: &'m TypeTable) -> Layouts<'m> {
        let mut layouts = Layouts {
            types,
            structs: vec![None; types.structs.count()],
            sums: vec![None; types.sums.count()],
            sums_with_null: types.sums.iter().map(|(id, _)| types.sum_has_null(id)).collect(),
        };
        for (_, ty) in types.iter() {
            layouts.compute(ty);
        }
        layouts
    }

    fn compute(&mut self, ty: Type) -> Size {
        match ty {
            Type::Array { element, .. } => {
                self.compute(self.types.get(element));
            }
            Type::Struct(id) if self.structs[struct_index(id)].is_none() => {
                let mut layout = StructLayout::default();
                layout.size.align = 1;
                for field in &self.types.structs[id].fields {
                    let size = self.compute(self.types.get(field.ty));
                    let bytes = round_up(layout.size.bytes, size.align);
                    layout.fields.push(Offset { slots: layout.size.slots, bytes });
                    layout.size.slots = layout.size.slots.saturating_add(size.slots);
                    layout.size.bytes = bytes.saturating_add(size.bytes);
                    layout.size.align = layout.size.align.max(size.align);
                }
                self.structs[struct_index(id)] = Some(layout);
            }
            Type::Sum(id) if self.sums[sum_index(id)].is_none() => {
                let mut payload = Size::default();
                for variant in &self.types.sums[id].variants {
                    let size = self.compute(self.types.get(variant.ty));
                    payload.slots = payload.slots.max(size.slots);
                    payload.bytes = payload.bytes.max(size.bytes);
                }
                if let Some(bytes) = self.types.sums[id].payload_bytes {
                    payload.bytes = payload.bytes.max(bytes.into());
                }
                self.sums[sum_index(id)] = Some(Size {
                    slots: payload.slots.saturating_add(1),
                    bytes: round_up(payload.bytes.saturating_add(SUM_HEADER), 4),
                    align: 4,
                });
            }
            _ => {}
        }
        self.size(ty)
    }

    pub(crate) fn size(&self, ty: Type) -> Size {
        let tight = |scalar: Scalar, count: u64| {
            let bytes = u64::from(scalar.bits() / 8);
            Size { slots: count, bytes: bytes * count, align: bytes }
        };
        match ty {
            Type::Scalar(scalar) => tight(scalar, 1),
            Type::Vector { scalar, len } => tight(scalar, len.into()),
            Type::Matrix { scalar, rows, cols } => tight(scalar, u64::from(rows) * u64::from(cols)),
            Type::Array { element, len } => {
                let element = self.size(self.types.get(element));
                let others = u64::from(len).checked_sub(1);
                Size {
                    slots: element.slots.saturating_mul(len.into()),
                    bytes: others
                        .map_or(0, |others| element.stride().saturating_mul(others).saturating_add(element.bytes)),
                    align: element.align,
                }
            }
            Type::Struct(id) => self.structs[struct_index(id)].as_ref().map_or_else(Size::default, |s| s.size),
            Type::Sum(id) => self.sums[sum_index(id)].unwrap_or_default(),
            Type::Handle(_) => Size { slots: 1, bytes: 8, align: 8 },
            // Opaque values do not exist at run time.
            Type::Opaque(_) => Size { slots: 0, bytes: 0, align: 1 },
        }
    }

    pub(crate) fn slots(&self, ty: TypeId) -> usize {
        usize::try_from(self.size(self.types.get(ty)).slots).unwrap_or(usize::MAX)
    }

    /// The part number `index` of an aggregate, `None` if there is none: its type and where it starts.
    pub(crate) fn part(&self, ty: Type, index: i64) -> Option<(Type, Offset)> {
        let element = |part: Type, len: u64| {
            let index = u64::try_from(index).ok().filter(|&index| index < len)?;
            let size = self.size(part);
            Some((part, Offset { slots: size.slots * index, bytes: size.stride() * index }))
        };
        match ty {
            Type::Vector { scalar, len } => element(Type::Scalar(scalar), len.into()),
            Type::Matrix { scalar, rows, cols } => element(Type::Vector { scalar, len: cols }, rows.into()),
            Type::Array { element: part, len } => element(self.types.get(part), len.into()),
            Type::Struct(id) => {
                let index = usize::try_from(index).ok()?;
                let field = self.types.structs[id].fields.get(index)?;
                let offset = *self.structs[struct_index(id)].as_ref()?.fields.get(index)?;
                Some((self.types.get(field.ty), offset))
            }
            Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
        }
    }

    /// The slot of the value of type `wanted` that starts at a byte of a value of type `ty`; `None` if there is none.
    pub(crate) fn slot_at(&self, ty: Type, byte: u64, wanted: Type) -> Option<u64> {
        let (mut ty, mut byte, mut slot) = (ty, byte, 0);
        loop {
            if byte == 0 && ty == wanted {
                return Some(slot);
            }
            let index = match ty {
                Type::Struct(id) => {
                    let fields = &self.structs[struct_index(id)].as_ref()?.fields;
                    fields.partition_point(|field| field.bytes <= byte).checked_sub(1)? as i64
                }
                _ => {
                    let (first, _) = self.part(ty, 0)?;
                    byte.checked_div(self.size(first).stride())? as i64
                }
            };
            let (part, offset) = self.part(ty, index)?;
            (ty, byte, slot) = (part, byte - offset.bytes, slot + offset.slots);
        }
    }

    /// The tag slot of a variant, or of null.
    pub(crate) fn sum_tag(&self, sum: SumId, variant: Option<u32>) -> u64 {
        match variant {
            None => 0,
            Some(variant) => u64::from(variant) + u64::from(self.sums_with_null[sum_index(sum)]),
        }
    }

    /// The variant that a tag slot stands for, `None` for null.
    pub(crate) fn sum_variant(&self, sum: SumId, tag: u64) -> Option<u32> {
        let number = tag.checked_sub(self.sums_with_null[sum_index(sum)].into())?;
        u32::try_from(number).ok()
    }
}

fn struct_index(id: StructId) -> usize {
    id.into_raw().into_u32() as usize
}

fn sum_index(id: SumId) -> usize {
    id.into_raw().into_u32() as usize
}
