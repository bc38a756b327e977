//! Programs that tests run: what the interpreter makes of them, and their emitted code.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use gpu::{Gpu, Shader};
use serde_json::{Value, json};

use crate::{
    process::{Limited as _, Scratch, output_of},
    root, server,
};

/// Words of `result`, the one buffer of the programs in `fixtures/gradients`.
pub const WORDS: usize = 256;

/// What the analyzer writes when it is called so.
///
/// # Panics
/// If it fails.
pub fn analyzer(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(server()).args(arguments).current_dir(root()).finished().expect("the analyzer runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}{errors}", String::from_utf8_lossy(&output.stdout));
    output.stdout
}

/// The exit status of the analyzer, what it prints, and what it says of the program.
///
/// # Panics
/// If it cannot be started.
pub fn outcome(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(server()).args(arguments).current_dir(root()).finished().expect("the analyzer runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The programs of `fixtures/gradients`.
///
/// # Panics
/// If they are not there.
pub fn gradient_fixtures() -> Vec<PathBuf> {
    let files = slang_files("fixtures/gradients");
    assert!(files.len() >= 10);
    files
}

/// The programs of `fixtures/bindings`: the modules beside them have no `main`.
///
/// # Panics
/// If they are not there.
pub fn binding_fixtures() -> Vec<PathBuf> {
    let mut files = slang_files("fixtures/bindings");
    files.retain(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("void main(")));
    assert!(!files.is_empty());
    files
}

/// The Slang files of a folder, in order.
///
/// # Panics
/// If the folder cannot be read.
pub fn slang_files(folder: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join(folder)).expect("the fixtures are there");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "slang"));
    files.sort();
    files
}

/// The words that one group of a fixture's `main` leaves in `result`, by the interpreter. `spec` is a scratch file.
///
/// # Panics
/// If the program does not run.
pub fn interpret(file: &str, spec: &Path) -> Vec<u32> {
    run(file, "interp", spec)
}

/// [`interpret`] by one of the engines of the command.
///
/// # Panics
/// If the program does not run.
pub fn run(file: &str, engine: &str, spec: &Path) -> Vec<u32> {
    let document = json!({"buffers": [{"name": "result", "stride": 4, "words": vec![0; WORDS], "out": true}]});
    std::fs::write(spec, document.to_string()).expect("the scratch file can be written");
    let spec = spec.to_str().expect("paths are text");
    let answer = analyzer(&["run", file, "--entry", "main", "--groups", "1,1,1", "--engine", engine, "--io", spec]);
    let answer: Value = serde_json::from_slice(&answer).expect("`run` prints JSON");
    let words = answer["buffers"]["result"]["words"].as_array().expect("`run` gives the buffer");
    words.iter().map(|word| word.as_u64().expect("words are numbers") as u32).collect()
}

/// Relative to the larger number; functions like `exp` differ between devices.
pub fn is_close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    a == b || (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1e-3)
}

/// SPIR-V from the bytes of a file.
pub fn spirv_words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Brings SPIR-V of ours to the device once a validator has accepted it: the device takes it as it is.
pub fn bring_spirv(gpu: &Gpu, words: &[u32]) -> anyhow::Result<Shader> {
    let scratch = Scratch::new("spirv");
    let file = scratch.file("shader.spv");
    std::fs::write(&file, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
    let output =
        output_of(Command::new("spirv-val").args(["--target-env", "vulkan1.3", "--scalar-block-layout"]).arg(&file))?;
    output.map_err(|message| anyhow::anyhow!("spirv-val: {message}"))?;
    gpu.spirv(words)
}
