//! `run --engine gpu`: the program as our own back end writes it, on a Vulkan device.

use ide::driver::{Problem, Program};
use interp::{Memory, Value};
use ir::GlobalId;

use crate::cli::compile::Failure;

/// Runs the program over parameters with these values. `refused` reports what the device cannot have.
#[cfg(feature = "gpu")]
pub(crate) fn run(
    program: &Program,
    groups: [u32; 3],
    values: &[(GlobalId, Value)],
    memory: &mut Memory,
    refused: &dyn Fn(&[Problem]) -> Failure,
) -> Result<(), Failure> {
    let module = &program.module;
    let entry = &module.entry_points.first().ok_or_else(|| Failure::internal("no entry point"))?.name;
    let (shader, parameters) = codegen::emit_module(module, &codegen::EmitOptions::default())
        .map_err(|errors| refused(&program.refused(&errors)))?;
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
pub fn run(
    _: &Program,
    _: [u32; 3],
    _: &[(GlobalId, Value)],
    _: &mut Memory,
    _: &dyn Fn(&[Problem]) -> Failure,
) -> Result<(), Failure> {
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

    pub(crate) struct Resources<'a> {
        module: &'a Module,
        values: &'a [(GlobalId, Value)],
        memory: &'a Memory,
        buffers: Buffers,
    }

    /// Words of the buffers in use, and whose they are.
    #[derive(Default)]
    pub(crate) struct Buffers {
        pub words: Vec<Vec<u32>>,
        ids: Vec<Option<BufferId>>,
    }

    impl Buffers {
        pub(crate) fn write_back(&self, memory: &mut Memory) {
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
        pub(crate) fn new(module: &'a Module, values: &'a [(GlobalId, Value)], memory: &'a Memory) -> Resources<'a> {
            Resources { module, values, memory, buffers: Buffers::default() }
        }

        /// The buffers that the resources so far refer to.
        pub(crate) fn into_buffers(self) -> Buffers {
            self.buffers
        }

        /// What a parameter is bound to. What the specification does not name is empty.
        pub(crate) fn of(&mut self, parameter: &codegen::Binding) -> Result<Resource, Failure> {
            let mut names = parameter.name.split('.');
            let name = names.next().unwrap_or_default();
            let global = self.module.globals.iter().find(|(_, global)| global.name == name);
            let (id, global) = global.ok_or_else(|| Failure::internal("a binding that is not a parameter"))?;
            let mut value = self.values.iter().find(|(other, _)| *other == id).map(|(_, value)| value);
            let mut ty = global.ty;
            // `block.field` is a handle in a parameter block.
            for name in names {
                if let Type::Handle(HandleType::ConstantBuffer { content }) = self.module.types.get(ty) {
                    ty = content;
                }
                let Type::Struct(id) = self.module.types.get(ty) else { break };
                let fields = &self.module.types.structs[id].fields;
                let Some(index) = fields.iter().position(|field| field.name == name) else { break };
                ty = fields[index].ty;
                value = match value {
                    Some(Value::Aggregate(parts)) => parts.get(index),
                    _ => None,
                };
            }
            self.resource(value, ty)
        }

        fn resource(&mut self, value: Option<&Value>, ty: TypeId) -> Result<Resource, Failure> {
            let ty = self.module.types.get(ty);
            Ok(match (value, ty) {
                (Some(Value::Handle(Handle::Buffer { buffer, offset: 0 })), _) => {
                    self.buffers.add(self.memory.words(*buffer), Some(*buffer))
                }
                (Some(value), Type::Handle(HandleType::ConstantBuffer { content })) => {
                    let mut words = Vec::new();
                    self.data_words(content, value, &mut words)?;
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

        /// The words of the data in a parameter block, without the handles.
        fn data_words(&self, ty: TypeId, value: &Value, words: &mut Vec<u32>) -> Result<(), Failure> {
            match (self.module.types.get(ty), value) {
                (Type::Handle(_), _) => Ok(()),
                (Type::Struct(id), Value::Aggregate(parts)) if !parts.is_empty() && holds_handle(value) => {
                    let fields = &self.module.types.structs[id].fields;
                    fields.iter().zip(parts).try_for_each(|(field, part)| self.data_words(field.ty, part, words))
                }
                _ => {
                    let layout = ir::layout::layout(&self.module.types, ty);
                    if layout.is_some_and(|layout| layout.size % 4 != 0) {
                        let message = "run: values of less than 32 bits beside buffers in a parameter block";
                        return Err(Failure::Unsupported(message.to_owned()));
                    }
                    if layout.is_some_and(|layout| layout.align == 8) && words.len() % 2 == 1 {
                        words.push(0);
                    }
                    let own = interp::words::value_to_words(self.module, ty, value);
                    words.extend(own.ok_or_else(|| Failure::internal("a uniform of another type"))?);
                    Ok(())
                }
            }
        }
    }

    fn holds_handle(value: &Value) -> bool {
        match value {
            Value::Handle(_) => true,
            Value::Aggregate(parts) => parts.iter().any(holds_handle),
            _ => false,
        }
    }
}
