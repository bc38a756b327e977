//! `slang-analyzer run`: compiles a compute entry point and runs it over the memory that a specification gives, in the
//! interpreter or on a GPU. Reading the specification, making the parameters' values and printing the result is one for
//! both; `gpu` knows how the values reach a device.

mod gpu;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use interp::{Limits, Machine, Memory, Precision, Value};
use ir::{GlobalId, GlobalKind, HandleType, Module, Scalar, Type, TypeId};
use lexopt::prelude::{Long, Short, ValueExt};
use serde::Deserialize;
use serde_json::json;

use super::{
    binding::{Binding, Buffer},
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
            lexopt::Arg::Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
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
    let compiled = compile::compile(&arguments.file, &arguments.options, &roots, &conformances)?;
    let module = &compiled.module;
    let mut memory = Memory::default();
    let buffers: Vec<Buffer<'_>> = specification
        .buffers
        .iter()
        .map(|buffer| Buffer { name: &buffer.name, words: &buffer.words, id: memory.add_buffer(&buffer.words) })
        .collect();
    let mut values = Vec::new();
    for (id, global) in module.globals.iter() {
        if global.kind != GlobalKind::Parameter {
            continue;
        }
        let mut binding = Binding { module, memory: &mut memory, buffers: &buffers };
        if let Some(value) = specification.uniforms.get(global.name.as_str()) {
            values.push((id, binding.uniform(global.ty, value)?));
        } else if let Some(buffer) = buffers.iter().find(|buffer| buffer.name == global.name.as_str()) {
            values.push((id, binding.to_buffer(global.ty, buffer)));
        }
    }
    match arguments.engine {
        Engine::Interp => interpret(module, arguments.groups, &values, &mut memory)?,
        Engine::Gpu => gpu::run(&compiled, arguments.groups, &values, &mut memory)?,
    }
    let mut answer = serde_json::Map::new();
    for (buffer, written) in specification.buffers.iter().zip(&buffers).filter(|(buffer, _)| buffer.out) {
        let words = memory.words(written.id);
        let global = module.globals.iter().find(|(_, global)| global.name == buffer.name);
        let scalar = global.and_then(|(_, global)| first_scalar(module, global.ty));
        let values: Vec<serde_json::Value> = words.iter().map(|&word| word_value(word, scalar)).collect();
        answer.insert(buffer.name.clone(), json!({ "words": words, "values": values }));
    }
    Ok(json!({ "buffers": answer }).to_string())
}

/// Runs the program in the interpreter, over parameters with these values.
fn interpret(
    module: &Module,
    groups: [u32; 3],
    values: &[(GlobalId, Value)],
    memory: &mut Memory,
) -> Result<(), Failure> {
    let broken = |error| Failure::Unsupported(format!("run: {error}"));
    for (id, value) in values {
        memory.bind(module, *id, value).map_err(broken)?;
    }
    let entry = &module.entry_points.first().ok_or_else(|| Failure::internal("no entry point"))?.name;
    let mut machine = Machine::new(module, Precision::Declared, Limits::default());
    machine.dispatch(entry, groups, memory).map_err(broken)
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
