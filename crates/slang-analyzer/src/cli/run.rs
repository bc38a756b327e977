//! `slang-analyzer run`: compiles a compute entry point and runs it over the memory that a specification gives.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use interp::{BufferId, Handle, Limits, Machine, Memory, Precision, Value};
use ir::{GlobalId, GlobalKind, HandleType, Module, Scalar, Type, TypeId};
use lexopt::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::{
    compile::{self, Failure},
    project::ProjectOptions,
    report, usage_error,
};

struct Arguments {
    file: PathBuf,
    entry: String,
    groups: [u32; 3],
    engine: Engine,
    io: PathBuf,
    options: ProjectOptions,
}

/// What runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Interp,
    Gpu,
}

/// The memory that a program runs over.
#[derive(Debug, Default, Deserialize)]
struct Specification {
    #[serde(default)]
    buffers: Vec<BufferSpecification>,
    #[serde(default)]
    uniforms: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    conformances: Vec<ConformanceSpecification>,
}

#[derive(Debug, Deserialize)]
struct BufferSpecification {
    name: String,
    #[serde(default)]
    words: Vec<u32>,
    #[serde(default)]
    out: bool,
}

#[derive(Debug, Deserialize)]
struct ConformanceSpecification {
    #[serde(rename = "type")]
    ty: String,
    interface: String,
    id: u32,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    if arguments.engine == Engine::Gpu {
        return Failure::Unsupported("running on a GPU is not supported yet; use `--engine interp`".to_owned()).exit();
    }
    let specification = match read_specification(&arguments.io) {
        Ok(specification) => specification,
        Err(error) => return usage_error(&error),
    };
    match compile::with_large_stack(move || run(&arguments, &specification)) {
        Ok(output) => {
            report::line(&output);
            ExitCode::SUCCESS
        }
        Err(failure) => failure.exit(),
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let (mut file, mut entry, mut io) = (None, None, None);
    let mut groups = [1; 3];
    let mut engine = Engine::Interp;
    let mut options = ProjectOptions::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => options.search_roots.push(parser.value()?.into()),
            Short('D') => options.define(parser.value()?),
            Long("entry") => entry = Some(parser.value()?.string()?),
            Long("groups") => groups = parser.value()?.parse_with(parse_groups)?,
            Long("io") => io = Some(PathBuf::from(parser.value()?)),
            Long("engine") => match parser.value()?.string()?.as_str() {
                "interp" => engine = Engine::Interp,
                "gpu" => engine = Engine::Gpu,
                other => return Err(format!("unknown engine `{other}`: it is `interp` or `gpu`").into()),
            },
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Arguments {
        file: file.ok_or("run: name a file")?,
        entry: entry.ok_or("run: name an entry point with --entry")?,
        groups,
        engine,
        io: io.ok_or("run: name a specification with --io")?,
        options,
    })
}

fn parse_groups(text: &str) -> Result<[u32; 3], String> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok([x, y, z]),
        _ => Err(format!("`{text}` is not three numbers of groups")),
    }
}

fn read_specification(path: &std::path::Path) -> Result<Specification, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn run(arguments: &Arguments, specification: &Specification) -> Result<String, Failure> {
    let conformances: Vec<lower::Conformance> = specification
        .conformances
        .iter()
        .map(|conformance| lower::Conformance {
            ty: conformance.ty.clone(),
            interface: conformance.interface.clone(),
            id: conformance.id,
        })
        .collect();
    let roots = compile::Roots::EntryPoints(vec![arguments.entry.clone()]);
    let module = compile::compile(&arguments.file, &arguments.options, &roots, &conformances)?.module;
    let mut memory = Memory::default();
    let mut outputs = Vec::new();
    for (id, global) in module.globals.iter() {
        if global.kind != GlobalKind::Parameter {
            continue;
        }
        let buffer = specification.buffers.iter().find(|buffer| buffer.name == global.name.as_str());
        if let Some(buffer) = buffer {
            let words = memory.add_buffer(&buffer.words);
            bind(&module, &mut memory, id, &buffer_value(&module, id, words, &buffer.words))?;
            outputs.push((buffer, words, id));
        } else if let Some(value) = specification.uniforms.get(global.name.as_str()) {
            let value = uniform_value(&module, &mut memory, id, value)?;
            bind(&module, &mut memory, id, &value)?;
        }
    }
    let entry = &module.entry_points.first().ok_or_else(|| Failure::internal("no entry point"))?.name;
    let mut machine = Machine::new(&module, Precision::Declared, Limits::default());
    machine
        .dispatch(entry, arguments.groups, &mut memory)
        .map_err(|error| Failure::Unsupported(format!("run: {error}")))?;
    let mut buffers = serde_json::Map::new();
    for buffer in &specification.buffers {
        if !buffer.out {
            continue;
        }
        let found = outputs.iter().find(|(candidate, ..)| candidate.name == buffer.name);
        let (words, scalar) = match found {
            Some((_, id, global)) => (memory.words(*id), first_scalar(&module, module.globals[*global].ty)),
            // A buffer that the program does not use stays as it is.
            None => (buffer.words.clone(), None),
        };
        let values: Vec<serde_json::Value> = words.iter().map(|&word| word_value(word, scalar)).collect();
        buffers.insert(buffer.name.clone(), json!({ "words": words, "values": values }));
    }
    Ok(json!({ "buffers": buffers }).to_string())
}

fn bind(module: &Module, memory: &mut Memory, global: GlobalId, value: &Value) -> Result<(), Failure> {
    memory.bind(module, global, value).map_err(|error| Failure::Unsupported(format!("run: {error}")))
}

/// What a parameter bound to a buffer is: a handle, or for constant data its content.
fn buffer_value(module: &Module, global: GlobalId, buffer: BufferId, words: &[u32]) -> Value {
    match module.types.get(module.globals[global].ty) {
        Type::Handle(HandleType::ConstantBuffer { content }) => interp::words::value_from_words(module, content, words),
        _ => Value::Handle(Handle::buffer(buffer)),
    }
}

/// A uniform parameter from its description.
fn uniform_value(
    module: &Module,
    memory: &mut Memory,
    global: GlobalId,
    value: &serde_json::Value,
) -> Result<Value, Failure> {
    let ty = module.globals[global].ty;
    match module.types.get(ty) {
        Type::Handle(HandleType::ConstantBuffer { content }) => described(module, memory, content, value),
        _ => described(module, memory, ty, value),
    }
}

/// The value of type `ty` that a description stands for.
fn described(module: &Module, memory: &mut Memory, ty: TypeId, value: &serde_json::Value) -> Result<Value, Failure> {
    let mut words = Vec::new();
    collect_words(value, &mut words);
    let parts = match value {
        serde_json::Value::Array(parts) => Some(parts),
        serde_json::Value::Object(object) => object.get("value").and_then(|value| value.as_array()),
        _ => None,
    };
    match module.types.get(ty) {
        Type::Handle(
            HandleType::StructuredBuffer { .. } | HandleType::ByteAddressBuffer { .. } | HandleType::Pointer { .. },
        ) => Ok(Value::Handle(Handle::buffer(memory.add_buffer(&words)))),
        Type::Handle(HandleType::ConstantBuffer { content }) => described(module, memory, content, value),
        Type::Handle(HandleType::Texture { dims, array, cube, .. }) => texture(memory, dims, array, cube, value),
        Type::Handle(_) => Ok(Value::Handle(Handle::Null)),
        Type::Struct(id) if parts.is_some() => {
            let fields: Vec<TypeId> = module.types.structs[id].fields.iter().map(|field| field.ty).collect();
            let missing = serde_json::Value::Null;
            let parts = parts.map_or(&[][..], Vec::as_slice);
            fields
                .into_iter()
                .enumerate()
                .map(|(index, field)| described(module, memory, field, parts.get(index).unwrap_or(&missing)))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Aggregate)
        }
        _ => Ok(interp::words::value_from_words(module, ty, &words)),
    }
}

/// A texture with the same value in all texels: `{"resource": …, "options": {"size": "4", "content": "one"}}`.
fn texture(
    memory: &mut Memory,
    dims: u8,
    array: bool,
    cube: bool,
    value: &serde_json::Value,
) -> Result<Value, Failure> {
    let option = |name: &str| value.get("options").and_then(|options| options.get(name)).and_then(|value| value.as_str());
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
    Ok(Value::Handle(memory.add_texture(texture)))
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

/// The scalar that a buffer's elements consist of, if it is one.
fn first_scalar(module: &Module, ty: TypeId) -> Option<Scalar> {
    match module.types.get(ty) {
        Type::Handle(HandleType::StructuredBuffer { element, .. } | HandleType::TexelBuffer { element, .. }) => {
            first_scalar(module, element)
        }
        Type::Handle(HandleType::Pointer { pointee }) => first_scalar(module, pointee),
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
        Type::Array { element, .. } => first_scalar(module, element),
        _ => None,
    }
}

/// A word as people read it.
fn word_value(word: u32, scalar: Option<Scalar>) -> serde_json::Value {
    match scalar {
        Some(Scalar::F32) => json!(f32::from_bits(word)),
        Some(Scalar::I32) => json!(word as i32),
        _ => json!(word),
    }
}
