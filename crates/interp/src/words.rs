//! Values in memory, as little-endian bytes. Scalars are aligned to their size (`bool` takes 4 bytes), structs and arrays
//! to their parts; there is no other padding, so a `float3` takes 12 bytes. An interface value is 2 words of run-time
//! type, which are not looked at, 2 words of its type's id, and the payload.

use ir::{
    Module, Scalar, Type, TypeId,
    number::{self, Precision},
};

use crate::{
    Value,
    layout::{Layouts, SUM_ID_OFFSET},
    memory::Memory,
    value::{MAX_SCALARS, from_slots, to_slots},
};

/// The bytes from one value of the type to the next in a buffer.
pub fn stride_in_memory(module: &Module, ty: TypeId) -> u64 {
    Layouts::new(&module.types).size(module.types.get(ty)).stride()
}

/// The value of type `ty` that `words` hold; words that are missing count as 0. See [`MAX_SCALARS`].
pub fn value_from_words(module: &Module, ty: TypeId, words: &[u32]) -> Value {
    let layouts = Layouts::new(&module.types);
    let ty = module.types.get(ty);
    if layouts.size(ty).slots > MAX_SCALARS {
        return Value::TOO_LARGE;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut slots = Vec::new();
    read(&layouts, ty, &bytes, 0, &mut slots);
    from_slots(&layouts, ty, &mut slots.as_slice())
}

/// The words that hold `value`, `None` if it is not of type `ty`.
pub fn value_to_words(module: &Module, ty: TypeId, value: &Value) -> Option<Vec<u32>> {
    let layouts = Layouts::new(&module.types);
    let ty = module.types.get(ty);
    let mut slots = Vec::new();
    if !to_slots(&layouts, Precision::Declared, &mut Memory::default(), ty, value, &mut slots) {
        return None;
    }
    let size = usize::try_from(layouts.size(ty).bytes).ok()?;
    let mut bytes = vec![0; size.next_multiple_of(4)];
    write(&layouts, ty, &slots, &mut bytes, 0);
    Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn read_bits(bytes: &[u8], offset: u64, count: u64) -> u64 {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(count as usize);
    match bytes.get(start..end) {
        Some(bytes) => bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        None => 0,
    }
}

fn write_bits(bytes: &mut [u8], offset: u64, count: u64, bits: u64) {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(count as usize);
    if let Some(place) = bytes.get_mut(start..end) {
        place.copy_from_slice(&bits.to_le_bytes()[..count as usize]);
    }
}

/// Scalars of a numeric type, `None` for others.
fn scalars(ty: Type) -> Option<(Scalar, u64)> {
    match ty {
        Type::Scalar(scalar) => Some((scalar, 1)),
        Type::Vector { scalar, len } => Some((scalar, len.into())),
        Type::Matrix { scalar, rows, cols } => Some((scalar, u64::from(rows) * u64::from(cols))),
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
    }
}

/// The number of parts of an array or struct, 0 if they have no content.
fn part_count(layouts: &Layouts<'_>, ty: Type) -> i64 {
    match ty {
        _ if layouts.size(ty).slots == 0 => 0,
        Type::Array { len, .. } => len.into(),
        Type::Struct(id) => layouts.types.structs[id].fields.len() as i64,
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => 0,
    }
}

/// The scalars of a type, each with its slot and its byte. Those of an interface value depend on what it holds, and are left
/// out.
pub(crate) fn for_each_scalar(layouts: &Layouts<'_>, ty: Type, found: &mut dyn FnMut(Scalar, u64, u64)) {
    if let Some((scalar, count)) = scalars(ty) {
        let size = u64::from(scalar.bits() / 8);
        (0..count).for_each(|index| found(scalar, index, index * size));
        return;
    }
    for index in 0..part_count(layouts, ty) {
        if let Some((part, at)) = layouts.part(ty, index) {
            for_each_scalar(layouts, part, &mut |scalar, slot, byte| found(scalar, slot + at.slots, byte + at.bytes));
        }
    }
}

/// Appends the slots of the value at `offset`; what is outside of `bytes` is 0.
pub(crate) fn read(layouts: &Layouts<'_>, ty: Type, bytes: &[u8], offset: u64, slots: &mut Vec<u64>) {
    if let Some((scalar, count)) = scalars(ty) {
        let size = u64::from(scalar.bits() / 8);
        for index in 0..count {
            let bits = read_bits(bytes, offset.saturating_add(index * size), size);
            slots.push(number::from_memory(scalar, bits));
        }
        return;
    }
    match ty {
        Type::Sum(id) => {
            let end = slots.len() + layouts.size(ty).slots as usize;
            let wanted = read_bits(bytes, offset.saturating_add(SUM_ID_OFFSET), 4);
            let variants = &layouts.types.sums[id].variants;
            let number = variants.iter().position(|variant| u64::from(variant.id) == wanted);
            slots.push(layouts.sum_tag(id, number.map(|number| number as u32)));
            if let Some(number) = number {
                let payload = offset.saturating_add(SUM_ID_OFFSET + 8);
                read(layouts, layouts.types.get(variants[number].ty), bytes, payload, slots);
            }
            slots.resize(end, 0);
        }
        Type::Handle(_) => slots.push(read_bits(bytes, offset, 8)),
        _ => {
            for index in 0..part_count(layouts, ty) {
                if let Some((part, at)) = layouts.part(ty, index) {
                    read(layouts, part, bytes, offset.saturating_add(at.bytes), slots);
                }
            }
        }
    }
}

/// Writes the slots of a value to `offset`; what is outside of `bytes` is dropped.
pub(crate) fn write(layouts: &Layouts<'_>, ty: Type, slots: &[u64], bytes: &mut [u8], offset: u64) {
    if let Some((scalar, _)) = scalars(ty) {
        let size = u64::from(scalar.bits() / 8);
        for (index, &slot) in slots.iter().enumerate() {
            let bits = number::to_memory(scalar, slot);
            write_bits(bytes, offset.saturating_add(index as u64 * size), size, bits);
        }
        return;
    }
    match ty {
        Type::Sum(id) => {
            let number = layouts.sum_variant(id, slots.first().copied().unwrap_or(0));
            let variant = number.and_then(|number| layouts.types.sums[id].variants.get(number as usize));
            if let Some(variant) = variant {
                let part = layouts.types.get(variant.ty);
                let payload = slots.get(1..1 + layouts.size(part).slots as usize).unwrap_or(&[]);
                write_bits(bytes, offset.saturating_add(SUM_ID_OFFSET), 8, variant.id.into());
                write(layouts, part, payload, bytes, offset.saturating_add(SUM_ID_OFFSET + 8));
            }
        }
        Type::Handle(_) => write_bits(bytes, offset, 8, slots.first().copied().unwrap_or(0)),
        _ => {
            for index in 0..part_count(layouts, ty) {
                if let Some((part, at)) = layouts.part(ty, index) {
                    let start = at.slots as usize;
                    let slots = slots.get(start..start + layouts.size(part).slots as usize).unwrap_or(&[]);
                    write(layouts, part, slots, bytes, offset.saturating_add(at.bytes));
                }
            }
        }
    }
}
