//! SPIR-V modules as words.

/// Words of the header.
pub(super) const HEADER: usize = 5;

/// The place of the largest number in the header.
pub(super) const BOUND: usize = 3;

pub(super) const OP_NAME: u32 = 5;
pub(super) const OP_VARIABLE: u32 = 59;
pub(super) const OP_CAPABILITY: u32 = 17;
pub(super) const OP_TYPE_IMAGE: u32 = 25;

/// What an image type says of itself where it is read and written without a sampler.
pub(super) const WITHOUT_SAMPLER: u32 = 2;

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

/// Where capabilities end, which come first.
pub(super) fn end_of_capabilities(words: &[u32]) -> usize {
    let is_capability = |&(_, op, _): &(usize, u32, &[u32])| op == OP_CAPABILITY;
    instructions(words).find(|found| !is_capability(found)).map_or(HEADER, |(at, ..)| at)
}

/// A literal text at the start of operands.
pub(super) fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// A text as operands: its bytes, a zero, and zeros up to the next word.
pub(super) fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Writes an instruction behind others.
pub(super) fn push(words: &mut Vec<u32>, op: u32, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op);
    words.extend(operands);
}
