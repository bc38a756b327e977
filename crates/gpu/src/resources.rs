//! What a shader is run with.

use anyhow::{Result, anyhow, bail};
use naga::{AddressSpace, ImageClass, ImageDimension, TypeInner};

use crate::Gpu;

/// What one of the shader's bindings is bound to.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// The descriptor set.
    pub set: u32,
    /// The number in the set.
    pub binding: u32,
    /// What is bound.
    pub resource: Resource,
}

/// What a shader is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resource {
    /// The number of a buffer. Several bindings may have the same one.
    Buffer(usize),
    /// A texture with the same value in every texel. Sizes that it does not have are 1, a cube has six layers.
    Texture {
        /// Texels in x, y and z.
        size: [u32; 3],
        /// How many layers.
        layers: u32,
        /// What each texel holds.
        texel: [f32; 4],
    },
    /// A sampler that filters linearly and clamps to the edge.
    Sampler,
}

/// What a binding of the shader is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub set: u32,
    pub binding: u32,
    pub ty: wgpu::BindingType,
    /// The least number of bytes that it must have.
    pub size: u64,
}

/// The bindings that the shader declares.
pub(crate) fn slots(module: &naga::Module) -> Result<Vec<Slot>> {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx())?;
    let mut slots = Vec::new();
    for (_, global) in module.global_variables.iter() {
        let Some(place) = global.binding else { continue };
        let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        let inner = &module.types[global.ty].inner;
        let ty = match (global.space, inner) {
            (AddressSpace::Uniform, _) => buffer(wgpu::BufferBindingType::Uniform),
            (AddressSpace::Storage { access }, _) => {
                buffer(wgpu::BufferBindingType::Storage { read_only: !access.contains(naga::StorageAccess::STORE) })
            }
            (AddressSpace::Handle, TypeInner::Image { dim, arrayed, class }) => image(*dim, *arrayed, *class)?,
            (AddressSpace::Handle, TypeInner::Sampler { comparison: false }) => {
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)
            }
            (AddressSpace::Handle, TypeInner::Sampler { comparison: true }) => {
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)
            }
            _ => bail!("a binding of this kind cannot be bound"),
        };
        // An array of unknown length needs room for one element.
        let size = match *inner {
            TypeInner::Array { size: naga::ArraySize::Dynamic, stride, .. } => u64::from(stride),
            _ => u64::from(layouter[global.ty].to_stride()),
        };
        slots.push(Slot { set: place.group, binding: place.binding, ty, size });
    }
    Ok(slots)
}

fn image(dim: ImageDimension, arrayed: bool, class: ImageClass) -> Result<wgpu::BindingType> {
    let view_dimension = match (dim, arrayed) {
        (ImageDimension::D1, false) => wgpu::TextureViewDimension::D1,
        (ImageDimension::D2, false) => wgpu::TextureViewDimension::D2,
        (ImageDimension::D2, true) => wgpu::TextureViewDimension::D2Array,
        (ImageDimension::D3, false) => wgpu::TextureViewDimension::D3,
        (ImageDimension::Cube, false) => wgpu::TextureViewDimension::Cube,
        (ImageDimension::Cube, true) => wgpu::TextureViewDimension::CubeArray,
        _ => bail!("a texture of this shape cannot be bound"),
    };
    match class {
        ImageClass::Sampled { kind: naga::ScalarKind::Float, multi: false } => Ok(wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension,
            multisampled: false,
        }),
        _ => bail!("a texture of this kind cannot be bound"),
    }
}

/// A resource on the device.
pub(crate) enum Bound {
    Buffer { index: usize, size: u64 },
    Texture(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Gpu {
    /// A buffer for what is bound as storage and as uniform, with room for the largest binding.
    pub(crate) fn upload(&self, words: &[u32], size: u64) -> wgpu::Buffer {
        let usages = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage: usages, mapped_at_creation: false };
        let memory = self.device.create_buffer(&descriptor);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.queue.write_buffer(&memory, 0, &bytes);
        memory
    }

    pub(crate) fn texture(
        &self,
        slot: &Slot,
        size: [u32; 3],
        layers: u32,
        texel: [f32; 4],
    ) -> Result<wgpu::TextureView> {
        let wgpu::BindingType::Texture { view_dimension, .. } = slot.ty else {
            return Err(anyhow!("a texture is bound where the shader has none"));
        };
        let (dimension, depth) = match view_dimension {
            wgpu::TextureViewDimension::D1 => (wgpu::TextureDimension::D1, 1),
            wgpu::TextureViewDimension::D3 => (wgpu::TextureDimension::D3, size[2]),
            _ => (wgpu::TextureDimension::D2, layers),
        };
        let extent = wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: depth };
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let count = extent.width as usize * extent.height as usize * extent.depth_or_array_layers as usize;
        let texel: Vec<u8> = texel.iter().flat_map(|component| component.to_le_bytes()).collect();
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(16 * extent.width),
            rows_per_image: Some(extent.height),
        };
        self.queue.write_texture(texture.as_image_copy(), &texel.repeat(count), layout, extent);
        let descriptor =
            wgpu::TextureViewDescriptor { dimension: Some(view_dimension), ..wgpu::TextureViewDescriptor::default() };
        Ok(texture.create_view(&descriptor))
    }

    pub(crate) fn sampler(&self, slot: &Slot) -> wgpu::Sampler {
        let compares = matches!(slot.ty, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison));
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: compares.then_some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        })
    }
}
