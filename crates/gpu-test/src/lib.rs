//! Runs emitted compute shaders on a Vulkan device, which may be Mesa's lavapipe on the CPU.
//!
//! Entry points: [`Gpu::new`], [`Gpu::run`].
//!
//! # Invariants
//! - A shader is run as its text (or binary) says: it is read by naga's own front ends, which check it anew.
//! - Nothing here knows the IR; the tests compare with the interpreter.
//! - Deliberately absent: graphics, textures, and any way around wgpu's validation.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anyhow::{Context as _, Result, anyhow, bail};

/// A shader as it was emitted.
#[derive(Debug, Clone, Copy)]
pub enum Shader<'a> {
    Wgsl(&'a str),
    Spirv(&'a [u32]),
}

/// Memory that a shader is run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    pub set: u32,
    pub binding: u32,
    pub kind: BufferKind,
    pub words: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferKind {
    Storage,
    ReadOnlyStorage,
    Uniform,
}

/// A device to run on.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    /// The first Vulkan device.
    pub fn new() -> Result<Gpu> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .context("no Vulkan device: install mesa-vulkan-drivers and libvulkan1")?;
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = block_on(adapter.request_device(&descriptor))?;
        Ok(Gpu { device, queue })
    }

    /// Dispatches `groups` thread groups of the compute entry point and gives the words of each buffer after that.
    pub fn run(&self, shader: Shader<'_>, entry: &str, groups: [u32; 3], buffers: &[Buffer]) -> Result<Vec<Vec<u32>>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let words = self.dispatch(shader, entry, groups, buffers);
        if let Some(error) = block_on(scope.pop()) {
            bail!("{error}");
        }
        words
    }

    fn dispatch(&self, shader: Shader<'_>, entry: &str, groups: [u32; 3], buffers: &[Buffer]) -> Result<Vec<Vec<u32>>> {
        let module = match shader {
            Shader::Wgsl(text) => {
                naga::front::wgsl::parse_str(text).map_err(|error| anyhow!("{}", error.emit_to_string(text)))?
            }
            Shader::Spirv(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                naga::front::spv::parse_u8_slice(&bytes, &naga::front::spv::Options::default())?
            }
        };
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
        });
        let memory: Vec<wgpu::Buffer> = buffers.iter().map(|buffer| self.upload(buffer)).collect();
        let sets = buffers.iter().map(|buffer| buffer.set + 1).max().unwrap_or(0);
        let layouts: Vec<wgpu::BindGroupLayout> = (0..sets).map(|set| self.layout(set, buffers)).collect();
        let layout_list: Vec<Option<&wgpu::BindGroupLayout>> = layouts.iter().map(Some).collect();
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &layout_list,
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            for (set, layout) in layouts.iter().enumerate() {
                let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
                    .iter()
                    .zip(&memory)
                    .filter(|(buffer, _)| buffer.set as usize == set)
                    .map(|(buffer, memory)| wgpu::BindGroupEntry {
                        binding: buffer.binding,
                        resource: memory.as_entire_binding(),
                    })
                    .collect();
                let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
                let group = self.device.create_bind_group(&descriptor);
                pass.set_bind_group(set as u32, &group, &[]);
            }
            pass.dispatch_workgroups(groups[0], groups[1], groups[2]);
        }
        let mut results = Vec::new();
        for (buffer, memory) in buffers.iter().zip(&memory) {
            let result = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: memory.size(),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(memory, 0, &result, 0, memory.size());
            results.push((result, buffer.words.len()));
        }
        self.queue.submit([encoder.finish()]);
        for (result, _) in &results {
            result.map_async(wgpu::MapMode::Read, .., |_| {});
        }
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        results
            .iter()
            .map(|(result, count)| {
                let bytes = result.get_mapped_range(..).map_err(|error| anyhow!("{error:?}"))?;
                let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                Ok(words.take(*count).collect())
            })
            .collect()
    }

    fn upload(&self, buffer: &Buffer) -> wgpu::Buffer {
        let usage = match buffer.kind {
            BufferKind::Uniform => wgpu::BufferUsages::UNIFORM,
            BufferKind::Storage | BufferKind::ReadOnlyStorage => wgpu::BufferUsages::STORAGE,
        };
        // Uniforms end at a multiple of 16 bytes; no buffer is empty.
        let words = buffer.words.len().next_multiple_of(4).max(4);
        let memory = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: match buffer.kind {
                BufferKind::Uniform => 4 * words as u64,
                _ => 4 * buffer.words.len().max(1) as u64,
            },
            usage: usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let bytes: Vec<u8> = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.queue.write_buffer(&memory, 0, &bytes);
        memory
    }

    fn layout(&self, set: u32, buffers: &[Buffer]) -> wgpu::BindGroupLayout {
        let entries: Vec<wgpu::BindGroupLayoutEntry> = buffers
            .iter()
            .filter(|buffer| buffer.set == set)
            .map(|buffer| wgpu::BindGroupLayoutEntry {
                binding: buffer.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match buffer.kind {
                        BufferKind::Storage => wgpu::BufferBindingType::Storage { read_only: false },
                        BufferKind::ReadOnlyStorage => wgpu::BufferBindingType::Storage { read_only: true },
                        BufferKind::Uniform => wgpu::BufferBindingType::Uniform,
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }
}

/// Waits for a future. wgpu's are ready at once where there is a real driver below.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
