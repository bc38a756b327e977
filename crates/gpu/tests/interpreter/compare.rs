//! The same program with the same memory in the interpreter and, in both forms, on a device.

use codegen::{Code, EmitOptions, Target, emit};
use gpu::{Binding, Gpu, Resource};
use interp::{Handle, Limits, Machine, Memory, Precision, Value};
use ir::{HandleType, Type, verify::VerifiedModule};
use test_support::modules::module;

/// How far results may be apart.
#[derive(Clone, Copy)]
pub(crate) enum Tolerance {
    Exact,
    /// In units in the last place of floats.
    Ulps(u32),
}

/// Runs the entry point `main` everywhere. `memory` gives the words of each parameter.
pub(crate) fn compare(text: &str, groups: [u32; 3], memory: &[(&str, Vec<u32>)], tolerance: Tolerance) {
    let module = module(text);
    let expected = interpret(&module, groups, memory);
    let gpu = Gpu::new().expect("a Vulkan device");
    for target in [Target::Wgsl, Target::Spirv] {
        let emitted = match emit(
            &module,
            target,
            &EmitOptions { interface: codegen::Interface::Memory, checked: true, ..EmitOptions::default() },
        ) {
            Ok(emitted) => emitted,
            Err(errors) => panic!("{target:?}: {errors:?}"),
        };
        if let Code::Words(words) = &emitted.code {
            validate(words);
        }
        let bindings: Vec<Binding> = emitted
            .bindings
            .iter()
            .enumerate()
            .map(|(index, binding)| Binding {
                set: binding.set,
                binding: binding.binding,
                resource: Resource::Buffer(index),
            })
            .collect();
        let words = |name: &str| memory.iter().find(|(other, _)| *other == name).expect("all parameters").1.clone();
        let mut results: Vec<Vec<u32>> = emitted.bindings.iter().map(|binding| words(&binding.name)).collect();
        let shader = match &emitted.code {
            Code::Text(text) => gpu.wgsl(text),
            Code::Words(words) => gpu.spirv(words),
        };
        let run = shader.and_then(|shader| gpu.run_shader(&shader, "main", groups, &bindings, &mut results));
        if let Err(error) = run {
            panic!("{target:?}: {error}\n{}", emitted.text());
        }
        for (binding, words) in emitted.bindings.iter().zip(results) {
            let (_, expected) = expected.iter().find(|(name, _)| *name == binding.name).expect("all parameters");
            assert_eq!(words.len(), expected.len());
            let mut wrong = String::new();
            for (index, (&got, &wanted)) in words.iter().zip(expected).enumerate() {
                if !within(got, wanted, tolerance) {
                    let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
                    wrong += &format!("`{}`[{index}] is {got} ({x:e}), expected {wanted} ({y:e})\n", binding.name);
                }
            }
            assert!(wrong.is_empty(), "{target:?}: {wrong}{}", emitted.text());
        }
    }
}

fn interpret(module: &VerifiedModule, groups: [u32; 3], words: &[(&str, Vec<u32>)]) -> Vec<(String, Vec<u32>)> {
    let mut memory = Memory::default();
    let mut buffers = Vec::new();
    for (name, words) in words {
        let (id, global) = module.globals.iter().find(|(_, global)| global.name == *name).expect("a parameter");
        match module.types.get(global.ty) {
            Type::Handle(HandleType::ConstantBuffer { content }) => {
                let value = interp::words::value_from_words(module, content, words);
                memory.bind(module, id, &value).expect("a value for the uniform");
            }
            _ => {
                let buffer = memory.add_buffer(words);
                memory.bind(module, id, &Value::Handle(Handle::buffer(buffer))).expect("a buffer");
                buffers.push((name.to_string(), buffer));
            }
        }
    }
    let mut machine = Machine::new(module, Precision::Declared, Limits::default());
    machine.dispatch("main", groups, &mut memory).expect("the interpreter runs it");
    let mut results: Vec<(String, Vec<u32>)> =
        buffers.into_iter().map(|(name, buffer)| (name, memory.words(buffer))).collect();
    for (name, words) in words {
        if !results.iter().any(|(other, _)| other == name) {
            results.push((name.to_string(), words.clone()));
        }
    }
    results
}

fn within(a: u32, b: u32, tolerance: Tolerance) -> bool {
    match tolerance {
        Tolerance::Exact => a == b,
        Tolerance::Ulps(ulps) => {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            a == b || (x.is_nan() && y.is_nan()) || (x - y).abs() <= ulps as f32 * f32::EPSILON * x.abs().max(y.abs())
        }
    }
}

/// Asks spirv-val, which CI installs.
fn validate(words: &[u32]) {
    let path = std::env::temp_dir().join(format!(
        "slang-analyzer-gpu-{}-{:?}.spv",
        std::process::id(),
        std::thread::current().id()
    ));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("a temporary file");
    let flags = ["--target-env", "vulkan1.3", "--scalar-block-layout"];
    let output = std::process::Command::new("spirv-val").args(flags).arg(&path).output();
    std::fs::remove_file(&path).expect("the file is there");
    let output = output.expect("spirv-val of the package spirv-tools");
    assert!(output.status.success(), "spirv-val: {}", String::from_utf8_lossy(&output.stdout));
}
