//! Every program of `fixtures/gradients` on a Vulkan device: emitted as WGSL and as SPIR-V it gives the interpreter's
//! numbers.

use std::{path::Path, process::Command};

use gpu::{Binding, Gpu, Resource};
use serde_json::{Value, json};
use whole_program_tests::{root, server};

/// Words of `result`, the one buffer of the fixtures.
const WORDS: usize = 256;

fn analyzer(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(server()).args(arguments).current_dir(root()).output().expect("the analyzer runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}{errors}", String::from_utf8_lossy(&output.stdout));
    output.stdout
}

fn interpret(file: &str, spec: &Path) -> Vec<u32> {
    let document = json!({"buffers": [{"name": "result", "stride": 4, "words": vec![0; WORDS], "out": true}]});
    std::fs::write(spec, document.to_string()).expect("the scratch file can be written");
    let spec = spec.to_str().expect("paths are text");
    let answer = analyzer(&["run", file, "--entry", "main", "--groups", "1,1,1", "--engine", "interp", "--io", spec]);
    let answer: Value = serde_json::from_slice(&answer).expect("`run` prints JSON");
    let words = answer["buffers"]["result"]["words"].as_array().expect("`run` gives the buffer");
    words.iter().map(|word| word.as_u64().expect("words are numbers") as u32).collect()
}

/// Relative to the larger number; functions like `exp` differ between devices.
fn is_close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    a == b || (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1e-3)
}

#[test]
fn fixtures_give_the_interpreters_numbers() {
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-gpu-{}.json", std::process::id()));
    let folder = std::fs::read_dir(root().join("fixtures/gradients")).expect("the fixtures are there");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "slang"));
    files.sort();
    assert!(files.len() >= 10);
    for path in files {
        let file = path.to_str().expect("paths are text");
        let expected = interpret(file, &scratch);
        assert!(expected.iter().any(|&word| word != 0), "{file} computes nothing");
        let emit = |target| analyzer(&["emit", file, "--target", target, "--entry", "main"]);
        let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
        let spirv: Vec<u32> = emit("spirv")
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        for (name, shader) in [("WGSL", gpu::read::wgsl(&wgsl)), ("SPIR-V", gpu::read::spirv(&spirv))] {
            let binding = Binding { set: 0, binding: 0, resource: Resource::Buffer(0) };
            let mut results = [vec![0; WORDS]];
            let run = shader.and_then(|shader| gpu.run(shader, "main", [1, 1, 1], &[binding], &mut results));
            run.unwrap_or_else(|error| panic!("{file} as {name}: {error}\n{wgsl}"));
            for (index, (&got, &wanted)) in results[0].iter().zip(&expected).enumerate() {
                let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
                assert!(is_close(got, wanted), "{file} as {name}: result[{index}] is {x}, the interpreter says {y}");
            }
        }
    }
    std::fs::remove_file(scratch).expect("the scratch file is there");
}
