//! SPIR-V modules as words.

/// Words of the header.
pub(super) const HEADER: usize = 5;

/// The instructions, each with where it begins.
pub(super) fn instructions(words: &[u32]) -> impl Iterator<Item = (usize, u32, &[u32])> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let end = at + ((first >> 16) as usize).max(1);
        let instruction = (at, first & 0xffff, words.get(at + 1..end)?);
        at = end;
        Some(instruction)
    })
}
