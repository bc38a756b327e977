//! What naga writes of storage images in SPIR-V and should not: the question for their size asks for a level, which they do
//! not have, and there is no word for an image whose format the host decides.

use naga::{StorageAccess, StorageFormat};
use rustc_hash::{FxHashMap, FxHashSet};

use super::spirv_words::{OP_CAPABILITY, OP_TYPE_IMAGE, WITHOUT_SAMPLER, end_of_capabilities, instructions};

const OP_LOAD: u32 = 61;
const OP_IMAGE_QUERY_SIZE_LOD: u32 = 103;
const OP_IMAGE_QUERY_SIZE: u32 = 104;

/// Capabilities for images whose format is not known.
const READ_WITHOUT_FORMAT: u32 = 55;
const WRITE_WITHOUT_FORMAT: u32 = 56;

/// Where an image type says its format, and that it is not known.
const FORMAT: usize = 8;
const UNKNOWN: u32 = 0;

/// The number of a format that stands for images whose format is not known.
fn number(format: StorageFormat) -> Option<u32> {
    match format {
        StorageFormat::Rgba32Float => Some(1),
        StorageFormat::Rgba32Sint => Some(21),
        StorageFormat::Rgba32Uint => Some(30),
        _ => None,
    }
}

/// Takes the formats away from image types. What else has such a format loses it with them: the host still knows it.
pub(super) fn forget_formats(unknown: &[(StorageFormat, StorageAccess)], words: &mut Vec<u32>) {
    let numbers: Vec<u32> = unknown.iter().filter_map(|(format, _)| number(*format)).collect();
    let mut formats = Vec::new();
    for (at, op, operands) in instructions(words) {
        if let (OP_TYPE_IMAGE, &[_, _, _, _, _, _, WITHOUT_SAMPLER, format, ..]) = (op, operands)
            && numbers.contains(&format)
        {
            formats.push(at + FORMAT);
        }
    }
    for at in formats {
        words[at] = UNKNOWN;
    }
    let capabilities = [(StorageAccess::LOAD, READ_WITHOUT_FORMAT), (StorageAccess::STORE, WRITE_WITHOUT_FORMAT)];
    let needed = capabilities.iter().filter(|(access, _)| unknown.iter().any(|(_, has)| has.contains(*access)));
    let added: Vec<u32> = needed.flat_map(|&(_, capability)| [2 << 16 | OP_CAPABILITY, capability]).collect();
    let at = end_of_capabilities(words);
    words.splice(at..at, added);
}

/// Makes questions for the size of a level of what has no levels such for the size.
pub(super) fn ask_without_level(words: &mut Vec<u32>) {
    let (mut types, mut images, mut wrong) = (FxHashSet::default(), FxHashMap::default(), Vec::new());
    for (at, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_TYPE_IMAGE, &[id, _, _, _, _, _, WITHOUT_SAMPLER, ..]) => {
                types.insert(id);
            }
            (OP_LOAD, &[ty, id, ..]) => {
                images.insert(id, ty);
            }
            (OP_IMAGE_QUERY_SIZE_LOD, &[_, _, image, _]) if images.get(&image).is_some_and(|ty| types.contains(ty)) => {
                wrong.push(at);
            }
            _ => {}
        }
    }
    for at in wrong.into_iter().rev() {
        words[at] = 4 << 16 | OP_IMAGE_QUERY_SIZE;
        words.remove(at + 4);
    }
}
