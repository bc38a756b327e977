//! `run --engine gpu`: the program as our own back end writes it, on a Vulkan device.

use interp::{Memory, Value};
use ir::GlobalId;

use crate::cli::compile::{Compiled, Failure};

/// Runs the program over parameters with these values.
#[cfg(feature = "gpu")]
pub fn run(
    compiled: &Compiled,
    groups: [u32; 3],
    values: &[(GlobalId, Value)],
    memory: &mut Memory,
) -> Result<(), Failure> {
    use crate::cli::compile;

    let module = &compiled.module;
    let entry = &module.entry_points.first().ok_or_else(|| Failure::internal("no entry point"))?.name;
    let (shader, parameters) = codegen::emit_module(module, &codegen::EmitOptions::default())
        .map_err(|errors| compile::refused(compiled, &errors))?;
    let mut resources = resources::Resources::new(module, values, memory);
    let bindings = parameters
        .iter()
        .map(|parameter| {
            let resource = resources.of(parameter)?;
            Ok(gpu::Binding { set: parameter.set, binding: parameter.binding, resource })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut buffers = resources.into_buffers();
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let device = gpu::Gpu::new()?;
        device.run(shader, entry, groups, &bindings, &mut buffers.words)
    }));
    match run {
        Ok(Ok(())) => buffers.write_back(memory),
        Ok(Err(error)) => return Err(Failure::Unsupported(format!("run: {error}"))),
        Err(_) => return Err(Failure::Unsupported("run: the graphics library cannot run this".to_owned())),
    }
    Ok(())
}

#[cfg(not(feature = "gpu"))]
pub fn run(_: &Compiled, _: [u32; 3], _: &[(GlobalId, Value)], _: &mut Memory) -> Result<(), Failure> {
    Err(Failure::Unsupported(
        "this build cannot run programs on a GPU: build it with `cargo build --release -p slang-analyzer --features gpu`"
            .to_owned(),
    ))
}

/// From the values of parameters to what a device is given.
#[cfg(feature = "gpu")]
mod resources {
    use gpu::Resource;
    use interp::{BufferId, Handle, Memory, Value};
    use ir::{GlobalId, HandleType, Module, Type, TypeId};

    use crate::cli::compile::Failure;

    pub struct Resources<'a> {
        module: &'a Module,
        values: &'a [(GlobalId, Value)],
        memory: &'a Memory,
        buffers: Buffers,
    }

    /// Words of the buffers in use, and whose they are.
    #[derive(Default)]
    pub struct Buffers {
        pub words: Vec<Vec<u32>>,
        ids: Vec<Option<BufferId>>,
    }

    impl Buffers {
        pub fn write_back(&self, memory: &mut Memory) {
            for (words, id) in self.words.iter().zip(&self.ids) {
                if let Some(id) = id {
                    memory.set_words(*id, words);
                }
            }
        }

        fn add(&mut self, words: Vec<u32>, id: Option<BufferId>) -> Resource {
            if let Some(index) = self.ids.iter().position(|other| id.is_some() && *other == id) {
                return Resource::Buffer(index);
            }
            self.words.push(words);
            self.ids.push(id);
            Resource::Buffer(self.words.len() - 1)
        }
    }

    impl<'a> Resources<'a> {
        pub fn new(module: &'a Module, values: &'a [(GlobalId, Value)], memory: &'a Memory) -> Resources<'a> {
            Resources { module, values, memory, buffers: Buffers::default() }
        }

        /// The buffers that the resources so far refer to.
        pub fn into_buffers(self) -> Buffers {
            self.buffers
        }

        /// What a parameter is bound to. What the specification does not name is empty.
        pub fn of(&mut self, parameter: &codegen::Binding) -> Result<Resource, Failure> {
            let global = self.module.globals.iter().find(|(_, global)| global.name == parameter.name);
            let (id, global) = global.ok_or_else(|| Failure::internal("a binding that is no parameter"))?;
            let value = self.values.iter().find(|(other, _)| *other == id).map(|(_, value)| value);
            self.resource(value, global.ty)
        }

        fn resource(&mut self, value: Option<&Value>, ty: TypeId) -> Result<Resource, Failure> {
            let ty = self.module.types.get(ty);
            Ok(match (value, ty) {
                (Some(Value::Handle(Handle::Buffer { buffer, offset: 0 })), _) => {
                    self.buffers.add(self.memory.words(*buffer), Some(*buffer))
                }
                (Some(value), Type::Handle(HandleType::ConstantBuffer { content })) => {
                    let words = interp::words::value_to_words(self.module, content, value);
                    let words = words.ok_or_else(|| Failure::internal("a uniform of another type"))?;
                    self.buffers.add(words, None)
                }
                (_, Type::Handle(HandleType::Sampler { .. })) => Resource::Sampler,
                (Some(Value::Handle(Handle::Texture(index))), _) => {
                    let texture = self.memory.texture(*index);
                    let texture = texture.ok_or_else(|| Failure::internal("a texture that is not there"))?;
                    let texel = texture.load([0; 3], 0).map(|component| component as f32);
                    Resource::Texture { size: texture.size(), layers: texture.layers(), texel }
                }
                _ => self.buffers.add(Vec::new(), None),
            })
        }
    }
}
