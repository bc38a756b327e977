//! Shaders as hosts hold them.

use anyhow::{Result, anyhow};

use crate::{Gpu, Shader, binary};

impl Gpu {
    /// Brings WGSL to the device, by way of the graphics library's reader.
    pub fn wgsl(&self, text: &str) -> Result<Shader> {
        // The reader knows operations of waves, but not the directive that asks for them.
        let text = text.strip_prefix("enable subgroups;").unwrap_or(text);
        self.shader(naga::front::wgsl::parse_str(text).map_err(|error| anyhow!("{}", error.emit_to_string(text)))?)
    }

    /// Brings a SPIR-V binary to the device, whose driver is the first to read it. What it binds are buffers.
    #[expect(unsafe_code, reason = "the graphics library cannot promise what a driver does with a binary")]
    pub fn spirv(&self, words: &[u32]) -> Result<Shader> {
        let description = binary::describe(words)?;
        let point = |name: String| wgpu::PassthroughShaderEntryPoint { name: name.into(), workgroup_size: (1, 1, 1) };
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            entry_points: description.entry_points.into_iter().map(point).collect(),
            spirv: Some(words.into()),
            ..Default::default()
        };
        self.checked(|| {
            // SAFETY: a validator has accepted the binary, and emitted code tests its indices by itself.
            let module = unsafe { self.device.create_shader_module_passthrough(descriptor) };
            Ok(Shader { module, slots: description.slots })
        })
    }
}
