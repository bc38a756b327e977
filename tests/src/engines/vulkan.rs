//! Emitted WGSL, SPIR-V and GLSL on the Vulkan device.

use std::{cell::OnceCell, process::Command};

use codegen::{Code, EmitOptions, Emitted, Interface, Target};
use gpu::{Binding, Gpu, Resource, Shader};

use super::{
    Engine, Outcome, Program,
    stages::refused,
    unit::{Unit, WORKING_WORDS, verified},
};
use crate::{
    process::{Scratch, output_of},
    programs::{bring_spirv, spirv_words},
};

thread_local! {
    /// Threads have their own device, so that they compile shaders side by side, and keep it from one comparison to the next.
    /// It is never given back, since the graphics library does not work any more where a thread ends.
    static DEVICE: OnceCell<Result<&'static Gpu, String>> = const { OnceCell::new() };
}

pub(super) fn run(unit: &Unit<'_>, engine: Engine) -> Result<Vec<Outcome>, String> {
    DEVICE.with(|device| {
        let open = || Gpu::new().map(|gpu| &*Box::leak(Box::new(gpu))).map_err(|error| format!("{error:#}"));
        let gpu = device.get_or_init(open).clone()?;
        match engine {
            Engine::Glsl => unit.programs.iter().map(|program| Ok(glsl(gpu, unit, program))).collect(),
            Engine::Wgsl => shared(gpu, unit, Target::Wgsl),
            _ => shared(gpu, unit, Target::Spirv),
        }
    })
}

/// One shader with an entry point for each program.
fn shared(gpu: &Gpu, unit: &Unit<'_>, target: Target) -> Result<Vec<Outcome>, String> {
    let emitted = codegen::emit(
        &unit.expanded,
        target,
        &EmitOptions { interface: Interface::Memory, checked: true, ..EmitOptions::default() },
    );
    let emitted = emitted.map_err(|errors| refused(&errors))?;
    let shader = match &emitted.code {
        Code::Text(text) => gpu.wgsl(text),
        Code::Words(words) => bring_spirv(gpu, words),
    };
    let shader = shader.map_err(|error| format!("{error:#}"))?;
    Ok(unit.programs.iter().map(|program| dispatch(gpu, &shader, &emitted, &program.entry, program)).collect())
}

/// GLSL has one entry point, `main`.
fn glsl(gpu: &Gpu, unit: &Unit<'_>, program: &Program) -> Outcome {
    let entry = unit.expanded.entry_points.iter().find(|entry| entry.name == program.entry).ok_or("no entry point")?;
    let mut module = ir::Module::clone(&unit.expanded);
    module.entry_points.retain(|point| point.name == program.entry);
    let module = ir::simplify::compact::compact(&module, &[entry.func], ir::simplify::compact::Keep { rules: false });
    let module = verified(module.module, "compaction")?;
    let emitted = codegen::emit(
        &module,
        Target::Glsl,
        &EmitOptions { interface: Interface::Memory, checked: true, ..EmitOptions::default() },
    );
    let emitted = emitted.map_err(|errors| refused(&errors))?;
    let scratch = Scratch::new("glsl");
    let (source, binary) = (scratch.write("main.comp", emitted.text()), scratch.file("main.spv"));
    let mut command = Command::new("glslangValidator");
    command.args(["-S", "comp", "--target-env", "vulkan1.1", "-o"]).args([&binary, &source]);
    let output = output_of(&mut command).map_err(|error| error.to_string())?;
    output.map_err(|message| format!("glslangValidator: {message}"))?;
    let words = spirv_words(&std::fs::read(&binary).map_err(|error| error.to_string())?);
    let shader = gpu.spirv(&words).map_err(|error| format!("{error:#}"))?;
    dispatch(gpu, &shader, &emitted, "main", program)
}

fn dispatch(gpu: &Gpu, shader: &Shader, emitted: &Emitted, entry: &str, program: &Program) -> Outcome {
    let inputs: Vec<u32> = program.inputs.iter().map(|input| input.to_bits()).collect();
    let mut buffers = vec![inputs, vec![0; program.results]];
    let bindings: Vec<Binding> = emitted
        .bindings
        .iter()
        .map(|binding| {
            let buffer = match binding.name.as_str() {
                "inputs" => 0,
                "result" => 1,
                _ => {
                    buffers.push(vec![0; WORKING_WORDS]);
                    buffers.len() - 1
                }
            };
            Binding { set: binding.set, binding: binding.binding, resource: Resource::Buffer(buffer) }
        })
        .collect();
    gpu.run_shader(shader, entry, [1, 1, 1], &bindings, &mut buffers).map_err(|error| format!("{error:#}"))?;
    Ok(buffers[1].iter().map(|&word| f32::from_bits(word)).collect())
}
