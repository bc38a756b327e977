//! Shaders as text and as SPIR-V.

use anyhow::{Result, anyhow};

pub fn wgsl(text: &str) -> Result<naga::Module> {
    naga::front::wgsl::parse_str(text).map_err(|error| anyhow!("{}", error.emit_to_string(text)))
}

pub fn spirv(words: &[u32]) -> Result<naga::Module> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(naga::front::spv::parse_u8_slice(&bytes, &naga::front::spv::Options::default())?)
}
