//! What a SPIR-V binary says of itself: its entry points, and which buffers it binds where.

use anyhow::{Context as _, Result, bail};

use crate::resources::Slot;

/// Words in front of the first instruction.
const HEADER: usize = 5;

/// Instructions.
const ENTRY_POINT: u32 = 15;
const VARIABLE: u32 = 59;
const DECORATE: u32 = 71;

/// Decorations.
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;

/// Storage classes.
const UNIFORM: u32 = 2;
const STORAGE_BUFFER: u32 = 12;

/// Bytes that buffers have at least. Blocks of uniforms are as long as the shader says; those that tests bind are small.
const UNIFORM_BYTES: u64 = 256;
const STORAGE_BYTES: u64 = 4;

pub(crate) struct Description {
    pub entry_points: Vec<String>,
    pub slots: Vec<Slot>,
}

pub(crate) fn describe(words: &[u32]) -> Result<Description> {
    let (mut entry_points, mut variables) = (Vec::new(), Vec::new());
    // What is decorated, how, and with which number.
    let mut decorations: Vec<(u32, u32, u32)> = Vec::new();
    let mut rest = words.get(HEADER..).context("a SPIR-V binary has a header")?;
    while let Some(&first) = rest.first() {
        let (opcode, length) = (first & 0xffff, (first >> 16) as usize);
        let instruction = rest.get(1..length.max(1)).context("an instruction ends after the end of the binary")?;
        match (opcode, instruction) {
            (ENTRY_POINT, [_, _, name @ ..]) => entry_points.push(text(name)),
            (VARIABLE, &[_, id, class, ..]) => variables.push((id, class)),
            (DECORATE, &[target, decoration, number, ..]) => decorations.push((target, decoration, number)),
            _ => {}
        }
        rest = &rest[length.max(1)..];
    }
    let number_of = |id, wanted| {
        let found = decorations.iter().find(|&&(target, decoration, _)| (target, decoration) == (id, wanted));
        found.map(|&(_, _, number)| number)
    };
    let mut slots = Vec::new();
    for (id, class) in variables {
        let (Some(set), Some(binding)) = (number_of(id, DESCRIPTOR_SET), number_of(id, BINDING)) else { continue };
        let (ty, size) = match class {
            UNIFORM => (wgpu::BufferBindingType::Uniform, UNIFORM_BYTES),
            STORAGE_BUFFER => (wgpu::BufferBindingType::Storage { read_only: false }, STORAGE_BYTES),
            _ => bail!("of SPIR-V binaries only buffers can be bound"),
        };
        let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        slots.push(Slot { set, binding, ty, size });
    }
    Ok(Description { entry_points, slots })
}

/// A string at the start of some words, which ends with a zero.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
