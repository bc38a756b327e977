//! The device.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anyhow::{Context as _, Result};

/// A device to run on.
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

/// What shaders may use beyond the least common measure, where the device has it.
const WANTED: wgpu::Features = wgpu::Features::SHADER_F16
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::FLOAT32_FILTERABLE)
    .union(wgpu::Features::PASSTHROUGH_SHADERS)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES);

impl Gpu {
    /// The first Vulkan device.
    pub fn new() -> Result<Gpu> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).context(
            "no Vulkan device: install the driver of your GPU, or Mesa's for the CPU \
             (on Debian the packages mesa-vulkan-drivers and libvulkan1)",
        )?;
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            required_features: adapter.features() & WANTED,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor))?;
        Ok(Gpu { device, queue })
    }
}

/// Waits for a future. wgpu's are ready at once where there is a real driver below.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
