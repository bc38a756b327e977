//! What the shader parameters of a program are bound to when it runs: values from the words and descriptions of a
//! specification.

use interp::{BufferId, Handle, Memory, Value, tensor::tensor_view};
use ir::{HandleType, Module, Type, TypeId};

use super::compile::Failure;

/// A buffer of the specification, in memory.
pub struct Buffer<'a> {
    pub name: &'a str,
    pub words: &'a [u32],
    pub id: BufferId,
}

/// Makes the values of parameters.
pub struct Binding<'a> {
    pub module: &'a Module,
    pub memory: &'a mut Memory,
    pub buffers: &'a [Buffer<'a>],
}

impl Binding<'_> {
    /// What a parameter bound to a buffer is: a handle, a tensor of one dimension, or for constant data its content.
    ///
    /// # Errors
    /// If it is several, as the elements and the counter of an append buffer: one buffer does not say where the others are.
    pub fn to_buffer(&self, ty: TypeId, buffer: &Buffer<'_>) -> Result<Value, Failure> {
        Ok(match self.module.types.get(ty) {
            Type::Handle(HandleType::ConstantBuffer { content }) => match self.tensor(content, buffer, None) {
                Some(tensor) => tensor,
                None if self.module.types.holds_handles(content) => {
                    let name = buffer.name;
                    let message = format!(
                        "run: the buffer `{name}` for a parameter that holds buffers: give each a name of its own, and \
                         `{name}` the names among the uniforms, as {{\"value\": [{{\"buffer\": \"…\"}}, …]}}"
                    );
                    return Err(Failure::Unsupported(message));
                }
                None => interp::words::value_from_words(self.module, content, buffer.words),
            },
            _ => Value::Handle(Handle::buffer(buffer.id)),
        })
    }

    /// A uniform parameter from its description.
    pub fn uniform(&mut self, ty: TypeId, value: &serde_json::Value) -> Result<Value, Failure> {
        match self.module.types.get(ty) {
            Type::Handle(HandleType::ConstantBuffer { content }) => self.described(content, value),
            _ => self.described(ty, value),
        }
    }

    /// The value of type `ty` that a description stands for.
    fn described(&mut self, ty: TypeId, value: &serde_json::Value) -> Result<Value, Failure> {
        if let Some(name) = value.get("buffer").and_then(|name| name.as_str()) {
            return self.named_buffer(ty, name, value);
        }
        let mut words = Vec::new();
        collect_words(value, &mut words);
        let parts = match value {
            serde_json::Value::Array(parts) => Some(parts),
            serde_json::Value::Object(object) => object.get("value").and_then(|value| value.as_array()),
            _ => None,
        };
        match self.module.types.get(ty) {
            Type::Handle(
                HandleType::StructuredBuffer { .. } | HandleType::ByteAddressBuffer { .. } | HandleType::Pointer { .. },
            ) => Ok(Value::Handle(Handle::buffer(self.memory.add_buffer(&words)))),
            Type::Handle(HandleType::ConstantBuffer { content }) => self.described(content, value),
            Type::Handle(HandleType::Texture { dims, array, cube, .. }) => self.texture(dims, array, cube, value),
            Type::Handle(_) => Ok(Value::Handle(Handle::Null)),
            Type::Struct(id) if parts.is_some() => {
                let fields: Vec<TypeId> = self.module.types.structs[id].fields.iter().map(|field| field.ty).collect();
                let missing = serde_json::Value::Null;
                let parts = parts.map_or(&[][..], Vec::as_slice);
                fields
                    .into_iter()
                    .enumerate()
                    .map(|(index, field)| self.described(field, parts.get(index).unwrap_or(&missing)))
                    .collect::<Result<Vec<_>, _>>()
                    .map(Value::Aggregate)
            }
            _ => Ok(interp::words::value_from_words(self.module, ty, &words)),
        }
    }

    /// `{"buffer": NAME}` is a handle of the buffer of that name; `{"buffer": NAME, "sizes": [2, 3]}` a tensor over it, the
    /// last dimension without gaps.
    fn named_buffer(&self, ty: TypeId, name: &str, value: &serde_json::Value) -> Result<Value, Failure> {
        let buffer = self.buffers.iter().find(|buffer| buffer.name == name);
        let buffer = buffer.ok_or_else(|| Failure::Unsupported(format!("run: there is no buffer `{name}`")))?;
        if let Type::Handle(_) = self.module.types.get(ty) {
            return Ok(Value::Handle(Handle::buffer(buffer.id)));
        }
        let sizes = value.get("sizes").and_then(|sizes| sizes.as_array());
        let sizes: Option<Vec<u32>> = sizes.map(|sizes| {
            sizes.iter().map(|size| size.as_u64().and_then(|size| u32::try_from(size).ok()).unwrap_or(0)).collect()
        });
        let tensor = self.tensor(ty, buffer, sizes);
        tensor.ok_or_else(|| Failure::Unsupported(format!("run: the buffer `{name}` for a parameter of this type")))
    }

    /// A view of a buffer as a tensor of these sizes, by default all of it in one dimension; `None` if `ty` is no
    /// `TensorView`, or has fewer dimensions.
    fn tensor(&self, ty: TypeId, buffer: &Buffer<'_>, sizes: Option<Vec<u32>>) -> Option<Value> {
        let Type::Struct(id) = self.module.types.get(ty) else { return None };
        let view = tensor_view(&self.module.types, id)?;
        let element = u32::try_from(interp::words::stride_in_memory(self.module, view.element)).ok()?;
        let bytes = u32::try_from(buffer.words.len()).ok()?.checked_mul(4)?;
        let sizes = sizes.unwrap_or_else(|| vec![bytes.checked_div(element).unwrap_or(0)]);
        let strides = view.strides(element, &sizes)?;
        let numbers = |numbers: &[u32]| {
            let padded = numbers.iter().copied().chain(std::iter::repeat(0)).take(view.dimensions);
            Value::Aggregate(padded.map(|number| Value::Int(number.into())).collect())
        };
        let data = Value::Handle(Handle::buffer(buffer.id));
        let count = Value::Int(sizes.len() as i64);
        Some(Value::Aggregate(vec![data, numbers(&strides), numbers(&sizes), count]))
    }

    /// A texture with the same value in all texels: `{"resource": …, "options": {"size": "4", "content": "one"}}`.
    fn texture(&mut self, dims: u8, array: bool, cube: bool, value: &serde_json::Value) -> Result<Value, Failure> {
        let option =
            |name: &str| value.get("options").and_then(|options| options.get(name)).and_then(|value| value.as_str());
        let number = |name: &str, default: u32| option(name).map_or(Some(default), |text| text.trim().parse().ok());
        let content = match option("content") {
            None | Some("zero") => 0.0,
            Some("one") => 1.0,
            Some(other) => return Err(Failure::Unsupported(format!("run: a texture with the content `{other}`"))),
        };
        let broken = || Failure::Unsupported("run: a texture of this size".to_owned());
        let size = number("size", 1).ok_or_else(broken)?;
        let layers = if array { number("arrayLength", 1).ok_or_else(broken)? } else { 1 };
        let layers = layers.checked_mul(if cube { 6 } else { 1 }).ok_or_else(broken)?;
        let size = [0, 1, 2].map(|axis| if axis < dims { size } else { 1 });
        let texture = interp::Texture::filled(size, layers, [content; 4]).ok_or_else(broken)?;
        Ok(Value::Handle(self.memory.add_texture(texture)))
    }
}

/// All words of a description, in order.
fn collect_words(value: &serde_json::Value, words: &mut Vec<u32>) {
    match value {
        serde_json::Value::Array(parts) => parts.iter().for_each(|part| collect_words(part, words)),
        serde_json::Value::Object(object) => {
            if let Some(word) = object.get("word").and_then(serde_json::Value::as_u64) {
                words.push(word as u32);
            }
            if let Some(value) = object.get("value") {
                collect_words(value, words);
            }
        }
        _ => {}
    }
}
