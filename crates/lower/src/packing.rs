//! Constant buffers whose fields lie where the source says: `packoffset(c1.y)`.
//!
//! The struct of such a buffer has its fields in the order of memory, and integers that nobody uses in the gaps between
//! them. So every target puts the fields at the same bytes with its own rules. What these rules would move is refused.

use hir_def::item::{self, ItemId};
use ir::{Scalar, Type, TypeId, types::Field};
use smol_str::format_smolstr;

use crate::{
    error::{Lowering, Stop},
    front,
    program::Program,
};

/// The bytes of a row of a constant buffer; no vector is in two.
const ROW: u32 = 16;
/// The bytes of a word, which everything in a constant buffer is a multiple of as long as gaps can be filled.
const WORD: u32 = 4;
/// The bytes of the largest constant buffer.
const LARGEST: u32 = 4096 * ROW;

/// The fields of a constant buffer in the order of memory, with what fills the gaps. Remembers where each came to be.
pub(crate) fn in_memory(program: &mut Program<'_>, buffer: ItemId, fields: Vec<Field>) -> Lowering<Vec<Field>> {
    let db = program.db;
    let variables: Vec<ItemId> = front::variables_of(db, buffer).collect();
    let mut written = Vec::new();
    for variable in &variables {
        written.push(match &item::item_data(db, *variable).placements[..] {
            [] => None,
            [placement] => match front::packed_offset(placement) {
                Some(offset) => Some(offset),
                None => return Err(Stop::unsupported("a field of a constant buffer with this place")),
            },
            _ => return Err(Stop::unsupported("a field of a constant buffer with this place")),
        });
    }
    if written.iter().all(Option::is_none) || variables.len() != fields.len() {
        return Ok(fields);
    }
    let mut placed: Vec<(u32, ItemId, Field)> = Vec::new();
    for ((offset, variable), field) in written.into_iter().zip(variables).zip(fields) {
        let refused = || {
            Stop::unsupported(format!(
                "`{}` in a constant buffer of which other fields have a `packoffset`",
                field.name
            ))
        };
        placed.push((offset.ok_or_else(refused)?, variable, field));
    }
    placed.sort_by_key(|(offset, ..)| *offset);
    let mut all = Vec::new();
    let mut end = 0;
    for (offset, variable, field) in placed {
        let refused = || Stop::unsupported(format!("`{}` at this `packoffset`", field.name));
        let (size, align) = extent(program, field.ty).ok_or_else(refused)?;
        let is_in_rows = offset % ROW + size.min(ROW) <= ROW;
        let gap = offset.checked_sub(end).filter(|gap| gap % WORD == 0).ok_or_else(refused)?;
        if offset % align != 0 || !is_in_rows || offset.saturating_add(size) > LARGEST {
            return Err(refused());
        }
        for (at, len) in filling(end, gap) {
            let word = match len {
                1 => Type::Scalar(Scalar::U32),
                len => Type::Vector { scalar: Scalar::U32, len },
            };
            let (ty, name) = (program.types.intern(word), format_smolstr!("unused{at}_"));
            all.push(Field { name, ty, no_diff: true, matrices: ir::types::Matrices::AsUsual, is_gap: true });
        }
        program.packed_positions.insert(variable, all.len() as u32);
        end = offset + size;
        all.push(field);
    }
    Ok(all)
}

/// Where the words that fill a gap lie, and how many each has: rows as far as there are whole ones.
fn filling(begin: u32, gap: u32) -> Vec<(u32, u8)> {
    let (mut at, end) = (begin, begin + gap);
    let mut words = Vec::new();
    while at < end {
        let len = if at % ROW == 0 && end - at >= ROW { ROW / WORD } else { 1 };
        words.push((at, len as u8));
        at += len * WORD;
    }
    words
}

/// The bytes and the alignment of a type that the rules of all targets agree about.
fn extent(program: &Program<'_>, ty: TypeId) -> Option<(u32, u32)> {
    let bytes = |scalar: Scalar| scalar.bits() / 8;
    match program.types.get(ty) {
        Type::Scalar(scalar) => Some((bytes(scalar), bytes(scalar))),
        Type::Vector { scalar, len } => {
            let len = u32::from(len);
            Some((bytes(scalar) * len, bytes(scalar) * len.next_power_of_two()))
        }
        // Rows and columns are whole rows of the buffer.
        Type::Matrix { scalar, rows: 4, cols: 4 } if bytes(scalar) == WORD => Some((4 * ROW, ROW)),
        Type::Array { element, len } => {
            let (size, _) = extent(program, element)?;
            (size % ROW == 0).then_some((size.checked_mul(len)?, ROW))
        }
        _ => None,
    }
}
