//! `slang-analyzer run`: compiles a compute entry point and runs it over the memory that a specification gives, in the
//! interpreter or on a GPU. Reading the specification, making the parameters' values and printing the result is one for
//! both; `gpu` knows how the values reach a device.

mod gpu;
mod specification;

use std::{path::PathBuf, process::ExitCode, str::FromStr};

use clap::{Args, ValueEnum};
use ide::driver::Problem;
use interp::{Limits, Machine, Memory, Precision, Value};
use ir::{GlobalId, GlobalKind, HandleType, Module, Scalar, Type, TypeId, number, verify::VerifiedModule};
use serde_json::json;

use self::specification::Specification;
use super::{
    arguments::{ProjectArguments, ReportArguments},
    binding::{Binding, Buffer},
    compile::{self, Failure, Roots},
    output,
    status::Status,
    usage_error,
};

/// Run a compute entry point over the memory that a specification describes, and print what it wrote.
#[derive(Args)]
#[command(after_help = "Example:
  slang-analyzer run sum.slang --entry main --io sum.json --groups 4,1,1

The specification is JSON: {\"buffers\": [{\"name\": \"result\", \"words\": [0, 0, 0, 0], \"out\": true}]}. A word \
is the 32 bits of a number; what the buffers marked \"out\" hold in the end is printed as JSON. Values of other \
parameters are \"uniforms\": {\"count\": {\"word\": 1000}}, without which `run --kernel` computes nothing.")]
pub struct Arguments {
    /// The file, `-` for standard input
    file: PathBuf,
    /// The entry point
    #[arg(long, value_name = "NAME", required_unless_present = "kernel")]
    entry: Option<String>,
    /// A function or a derivative, as of `emit --kernel`, to run for each element of its buffers
    #[arg(long, value_name = "NAME", conflicts_with = "entry")]
    kernel: Option<String>,
    /// The kernel of a backward derivative writes the results of its function, too
    #[arg(long, requires = "kernel")]
    with_primal: bool,
    /// The specification of the memory
    #[arg(long, value_name = "SPEC.json")]
    io: PathBuf,
    /// How many groups of threads are run
    #[arg(long, value_name = "X,Y,Z", default_value = "1,1,1")]
    groups: Groups,
    #[arg(long, value_enum, default_value = "interp")]
    engine: Engine,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    report: ReportArguments,
}

/// What runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Engine {
    /// The interpreter
    #[default]
    Interp,
    /// A Vulkan device
    Gpu,
}

/// Numbers of groups of threads.
#[derive(Debug, Clone, Copy)]
struct Groups([u32; 3]);

impl FromStr for Groups {
    type Err = String;

    fn from_str(text: &str) -> Result<Groups, String> {
        let numbers: Option<Vec<u32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(Groups([x, y, z])),
            _ => Err("three numbers are needed, as in 4,1,1".to_owned()),
        }
    }
}

pub fn main(arguments: &Arguments) -> ExitCode {
    let specification = match specification::read(&arguments.io) {
        Ok(specification) => specification,
        Err(error) => return usage_error(&error),
    };
    match compile::with_large_stack(|| run(arguments, &specification)) {
        Ok(output) => {
            output::line(&output);
            Status::Done.into()
        }
        Err(failure) => failure.exit(arguments.report.format),
    }
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
    let (entries, kernels) = (Vec::from_iter(arguments.entry.clone()), Vec::from_iter(arguments.kernel.clone()));
    let roots = match kernels.is_empty() {
        true => Roots::EntryPoints { names: &entries, stage: None },
        false => Roots::Kernels { functions: &kernels, with_primal: arguments.with_primal },
    };
    let (project, program) =
        compile::compile(&arguments.file, &arguments.project, arguments.report, roots, &conformances, None)?;
    if let Some(entry) = program.module.entry_points.iter().find(|entry| entry.stage != ir::module::Stage::Compute) {
        return Err(Failure::Unsupported(format!(
            "`{}` is not a compute entry point: only these can be run",
            entry.name
        )));
    }
    let module = &program.module;
    for misfit in specification.misfits(module) {
        eprintln!("warning: {}: {misfit}", arguments.io.display());
    }
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
            values.push((id, binding.to_buffer(global.ty, buffer)?));
        }
    }
    match arguments.engine {
        Engine::Interp => interpret(module, arguments.groups.0, &values, &mut memory)?,
        Engine::Gpu => {
            let refused = |problems: &[Problem]| Failure::reported(&project, arguments.report, problems);
            gpu::run(&program, arguments.groups.0, &values, &mut memory, &refused)?;
        }
    }
    let mut answer = serde_json::Map::new();
    for (buffer, written) in specification.buffers.iter().zip(&buffers).filter(|(buffer, _)| buffer.out) {
        let words = memory.words(written.id);
        let global = module.globals.iter().find(|(_, global)| global.name == buffer.name);
        let scalar = global.and_then(|(_, global)| first_scalar(module, global.ty));
        answer.insert(buffer.name.clone(), json!({ "words": words, "values": numbers(&words, scalar) }));
    }
    Ok(json!({ "buffers": answer }).to_string())
}

/// Runs the program in the interpreter, over parameters with these values.
fn interpret(
    module: &VerifiedModule,
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

/// The numbers in memory as people read them; of what is not made of numbers of one kind, the words.
fn numbers(words: &[u32], scalar: Option<Scalar>) -> Vec<serde_json::Value> {
    let Some(scalar) = scalar.filter(|scalar| *scalar != Scalar::Bool) else {
        return words.iter().map(|word| json!(word)).collect();
    };
    let memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let number = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let slot = number::from_memory(scalar, bits);
        match scalar {
            // The shortest text that stands for it.
            Scalar::F32 => json!(number::to_f64(slot) as f32),
            scalar if scalar.is_float() => json!(number::to_f64(slot)),
            scalar if scalar.is_signed() => json!(slot as i64),
            _ => json!(slot),
        }
    };
    memory.chunks_exact(scalar.bits() as usize / 8).map(number).collect()
}
