//! What naga leaves out of SPIR-V modules with arrays of resources, added to the written words.

use rustc_hash::FxHashMap;

use super::spirv_words::{
    OP_CAPABILITY, OP_TYPE_IMAGE, OP_VARIABLE, WITHOUT_SAMPLER, end_of_capabilities, instructions, literal, push,
};

/// The capability for arrays of resources without length, and the extension that has it in SPIR-V 1.3.
const RUNTIME_DESCRIPTOR_ARRAY: u32 = 5302;
const DESCRIPTOR_INDEXING: &str = "SPV_EXT_descriptor_indexing";

/// Capabilities for an element that differs between threads, by what the elements are.
const UNIFORM_BUFFER_NON_UNIFORM: u32 = 5306;
const SAMPLED_NON_UNIFORM: u32 = 5307;
const STORAGE_BUFFER_NON_UNIFORM: u32 = 5308;
const STORAGE_IMAGE_NON_UNIFORM: u32 = 5309;
const UNIFORM_TEXELS_NON_UNIFORM: u32 = 5311;
const STORAGE_TEXELS_NON_UNIFORM: u32 = 5312;

const OP_EXTENSION: u32 = 10;
const OP_TYPE_ARRAY: u32 = 28;
const OP_TYPE_RUNTIME_ARRAY: u32 = 29;
const OP_TYPE_STRUCT: u32 = 30;
const OP_TYPE_POINTER: u32 = 32;
const OP_ACCESS_CHAIN: u32 = 65;
const OP_DECORATE: u32 = 71;
const OP_MEMBER_DECORATE: u32 = 72;

const UNIFORM: u32 = 2;
const STORAGE_BUFFER: u32 = 12;
const BLOCK: u32 = 2;
const NON_UNIFORM: u32 = 5300;

/// The dimension of a texel buffer.
const TEXELS: u32 = 5;

/// Declares arrays without length, whose elements are chosen by indices that differ between threads, and that the elements of
/// arrays of constant buffers are blocks.
pub(super) fn complete(module: &naga::Module, words: &mut Vec<u32>) {
    let is_array = |(_, ty): (naga::Handle<naga::Type>, &naga::Type)| match ty.inner {
        naga::TypeInner::BindingArray { size, .. } => Some(size == naga::ArraySize::Dynamic),
        _ => None,
    };
    let arrays: Vec<bool> = module.types.iter().filter_map(is_array).collect();
    if arrays.is_empty() {
        return;
    }
    declare_blocks(words);
    declare_non_uniform_indices(words);
    if arrays.contains(&true) {
        declare_runtime_arrays(words);
    }
}

fn declare_blocks(words: &mut Vec<u32>) {
    let (mut elements, mut pointees, mut structs) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
    let (mut blocks, mut wanted, mut annotations) = (Vec::new(), Vec::new(), None);
    for (at, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_TYPE_STRUCT, &[id, ..]) => structs.push(id),
            (OP_TYPE_ARRAY | OP_TYPE_RUNTIME_ARRAY, &[id, element, ..]) => {
                elements.insert(id, element);
            }
            (OP_TYPE_POINTER, &[id, UNIFORM, pointee]) => {
                pointees.insert(id, pointee);
            }
            (OP_DECORATE, &[id, BLOCK, ..]) => blocks.push(id),
            (OP_VARIABLE, &[ty, _, UNIFORM, ..]) => {
                let element = pointees.get(&ty).and_then(|array| elements.get(array));
                wanted.extend(element.copied().filter(|id| structs.contains(id)));
            }
            _ => {}
        }
        if matches!(op, OP_DECORATE | OP_MEMBER_DECORATE) && annotations.is_none() {
            annotations = Some(at);
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted.retain(|id| !blocks.contains(id));
    if let Some(at) = annotations {
        let decorations = wanted.into_iter().flat_map(|id| [3 << 16 | OP_DECORATE, id, BLOCK]);
        words.splice(at..at, decorations);
    }
}

/// naga declares that there are indices that differ between threads, but not of what.
fn declare_non_uniform_indices(words: &mut Vec<u32>) {
    let (mut decorated, mut pointees, mut images) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
    let mut wanted = Vec::new();
    for (_, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_DECORATE, &[id, NON_UNIFORM]) => decorated.push(id),
            (OP_TYPE_IMAGE, &[id, _, dimension, _, _, _, sampled, ..]) => {
                images.insert(id, (dimension, sampled));
            }
            (OP_TYPE_POINTER, &[id, class, pointee]) => {
                pointees.insert(id, (class, pointee));
            }
            (OP_ACCESS_CHAIN, &[ty, id, ..]) if decorated.contains(&id) => {
                wanted.extend(pointees.get(&ty).map(|&(class, pointee)| match (class, images.get(&pointee)) {
                    (UNIFORM, _) => UNIFORM_BUFFER_NON_UNIFORM,
                    (STORAGE_BUFFER, _) => STORAGE_BUFFER_NON_UNIFORM,
                    (_, Some(&(TEXELS, WITHOUT_SAMPLER))) => STORAGE_TEXELS_NON_UNIFORM,
                    (_, Some(&(TEXELS, _))) => UNIFORM_TEXELS_NON_UNIFORM,
                    (_, Some(&(_, WITHOUT_SAMPLER))) => STORAGE_IMAGE_NON_UNIFORM,
                    // Samplers, too.
                    (_, Some(_) | None) => SAMPLED_NON_UNIFORM,
                }));
            }
            _ => {}
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let at = end_of_capabilities(words);
    words.splice(at..at, wanted.into_iter().flat_map(|capability| [2 << 16 | OP_CAPABILITY, capability]));
}

fn declare_runtime_arrays(words: &mut Vec<u32>) {
    let at = end_of_capabilities(words);
    // naga names the extension where an index differs between threads; to name it twice is no mistake.
    let mut added = Vec::new();
    push(&mut added, OP_CAPABILITY, &[RUNTIME_DESCRIPTOR_ARRAY]);
    push(&mut added, OP_EXTENSION, &literal(DESCRIPTOR_INDEXING));
    words.splice(at..at, added);
}
