//! What naga asks of storage images as it does of sampled ones: they have no levels, so that the question has no operand
//! for one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::spirv_words::instructions;

const OP_TYPE_IMAGE: u32 = 25;
const OP_LOAD: u32 = 61;
const OP_IMAGE_QUERY_SIZE_LOD: u32 = 103;
const OP_IMAGE_QUERY_SIZE: u32 = 104;

/// What an image type says of itself where it is read and written without a sampler.
const STORAGE: u32 = 2;

/// Makes questions for the size of a level of what has no levels such for the size.
pub(super) fn ask_without_level(words: &mut Vec<u32>) {
    let (mut types, mut images, mut wrong) = (FxHashSet::default(), FxHashMap::default(), Vec::new());
    for (at, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_TYPE_IMAGE, &[id, _, _, _, _, _, STORAGE, ..]) => {
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
