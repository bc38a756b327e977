//! One dispatch of a compute shader.

use anyhow::{Context as _, Result, anyhow, bail};

use crate::Gpu;
use crate::device::block_on;
use crate::resources::{Binding, Bound, Resource, Slot, slots};

/// A shader on the device, any number of whose entry points can be run.
pub struct Shader {
    pub(crate) module: wgpu::ShaderModule,
    pub(crate) slots: Vec<Slot>,
}

impl Gpu {
    /// Dispatches `groups` thread groups of the compute entry point over the words of `buffers`, which hold the result
    /// afterwards.
    pub fn run(
        &self,
        shader: naga::Module,
        entry: &str,
        groups: [u32; 3],
        bindings: &[Binding],
        buffers: &mut [Vec<u32>],
    ) -> Result<()> {
        self.run_shader(&self.shader(shader)?, entry, groups, bindings, buffers)
    }

    /// Brings a shader to the device.
    pub fn shader(&self, shader: naga::Module) -> Result<Shader> {
        let slots = slots(&shader)?;
        self.checked(|| {
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(shader)),
            });
            Ok(Shader { module, slots })
        })
    }

    /// [`Gpu::run`] for one entry point of a shader that is already on the device.
    pub fn run_shader(
        &self,
        shader: &Shader,
        entry: &str,
        groups: [u32; 3],
        bindings: &[Binding],
        buffers: &mut [Vec<u32>],
    ) -> Result<()> {
        self.checked(|| self.dispatch(shader, entry, groups, bindings, buffers))
    }

    /// What `work` returns, unless the graphics library refuses something of it.
    pub(crate) fn checked<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let done = work();
        if let Some(error) = block_on(scope.pop()) {
            // The cause that lies deepest says what is wrong; the others where.
            let mut cause: &dyn std::error::Error = &error;
            let mut message = String::new();
            while let Some(inner) = cause.source() {
                message = inner.to_string();
                cause = inner;
            }
            bail!("{}", if message.is_empty() { error.to_string() } else { message });
        }
        done
    }

    fn dispatch(
        &self,
        Shader { module, slots }: &Shader,
        entry: &str,
        groups: [u32; 3],
        bindings: &[Binding],
        buffers: &mut [Vec<u32>],
    ) -> Result<()> {
        let mut sizes: Vec<u64> = buffers.iter().map(|words| 4 * words.len() as u64).collect();
        let mut bound = Vec::new();
        for slot in slots {
            let is_it = |binding: &&Binding| (binding.set, binding.binding) == (slot.set, slot.binding);
            let binding = bindings
                .iter()
                .find(is_it)
                .with_context(|| format!("nothing is bound to binding {} of set {}", slot.binding, slot.set))?;
            bound.push(self.bind(slot, binding.resource, &mut sizes)?);
        }
        let memory: Vec<wgpu::Buffer> =
            buffers.iter().zip(&sizes).map(|(words, &size)| self.upload(words, size.max(4))).collect();
        let sets = slots.iter().map(|slot| slot.set + 1).max().unwrap_or(0);
        let layouts: Vec<wgpu::BindGroupLayout> = (0..sets).map(|set| self.layout(set, slots)).collect();
        let layout_list: Vec<Option<&wgpu::BindGroupLayout>> = layouts.iter().map(Some).collect();
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layout_list,
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            for (set, layout) in layouts.iter().enumerate() {
                let entries: Vec<wgpu::BindGroupEntry<'_>> = slots
                    .iter()
                    .zip(&bound)
                    .filter(|(slot, _)| slot.set as usize == set)
                    .map(|(slot, bound)| wgpu::BindGroupEntry {
                        binding: slot.binding,
                        resource: resource(bound, &memory),
                    })
                    .collect();
                let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
                let group = self.device.create_bind_group(&descriptor);
                pass.set_bind_group(set as u32, &group, &[]);
            }
            pass.dispatch_workgroups(groups[0], groups[1], groups[2]);
        }
        let results: Vec<wgpu::Buffer> = memory
            .iter()
            .map(|memory| {
                let result = self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: memory.size(),
                    usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                    mapped_at_creation: false,
                });
                encoder.copy_buffer_to_buffer(memory, 0, &result, 0, memory.size());
                result
            })
            .collect();
        self.queue.submit([encoder.finish()]);
        for result in &results {
            result.map_async(wgpu::MapMode::Read, .., |_| {});
        }
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        for (result, words) in results.iter().zip(buffers) {
            let bytes = result.get_mapped_range(..).map_err(|error| anyhow!("{error:?}"))?;
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        Ok(())
    }

    /// `sizes` are those of the buffers, which grow where the binding needs more than the buffer has.
    fn bind(&self, slot: &Slot, resource: Resource, sizes: &mut [u64]) -> Result<Bound> {
        match resource {
            Resource::Buffer(index) => {
                let size = sizes.get_mut(index).context("a buffer that is not there is bound")?;
                let binding = (*size).max(slot.size).max(4);
                *size = (*size).max(binding);
                Ok(Bound::Buffer { index, size: binding })
            }
            Resource::Texture { size, layers, texel } => Ok(Bound::Texture(self.texture(slot, size, layers, texel)?)),
            Resource::Sampler => Ok(Bound::Sampler(self.sampler(slot))),
        }
    }

    fn layout(&self, set: u32, slots: &[Slot]) -> wgpu::BindGroupLayout {
        let entries: Vec<wgpu::BindGroupLayoutEntry> = slots
            .iter()
            .filter(|slot| slot.set == set)
            .map(|slot| wgpu::BindGroupLayoutEntry {
                binding: slot.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: slot.ty,
                count: None,
            })
            .collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }
}

fn resource<'a>(bound: &'a Bound, memory: &'a [wgpu::Buffer]) -> wgpu::BindingResource<'a> {
    match bound {
        Bound::Buffer { index, size } => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &memory[*index],
            offset: 0,
            size: wgpu::BufferSize::new(*size),
        }),
        Bound::Texture(view) => wgpu::BindingResource::TextureView(view),
        Bound::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
    }
}
