//! Every program of `fixtures/gradients` and `fixtures/derivatives` as GLSL and HLSL: the compilers of the languages accept
//! it without a warning, and the GLSL gives the interpreter's numbers on a Vulkan device.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use gpu::{Binding, Gpu, Resource};
use whole_program_tests::process::Limited as _;
use whole_program_tests::{
    programs::{WORDS, analyzer, gradient_fixtures, interpret, is_close, slang_files, spirv_words},
    root,
};

/// A folder for the files of one test, which goes with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the scratch folder can be made");
        Scratch(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One recurses, which shaders cannot do; one prints, which HLSL cannot, and what runs GLSL here cannot either.
const LEFT_OUT: [&str; 2] = ["recursion.slang", "calls_in_differentiated_code.slang"];

fn programs() -> Vec<PathBuf> {
    let mut files = [gradient_fixtures(), slang_files("fixtures/derivatives")].concat();
    files.retain(|path| !LEFT_OUT.iter().any(|name| path.ends_with(name)));
    files
}

fn emit(file: &str, target: &str) -> Vec<u8> {
    analyzer(&["emit", file, "--target", target, "--entry", "main"])
}

fn assert_accepted(output: &Output, what: &str, text: &[u8]) {
    let messages = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {messages}\n{}", String::from_utf8_lossy(text));
}

/// SPIR-V from GLSL.
fn compile_glsl(file: &str, text: &[u8], scratch: &Scratch) -> Vec<u32> {
    let (source, binary) = (scratch.file("main.comp"), scratch.file("main.spv"));
    std::fs::write(&source, text).expect("the scratch file can be written");
    let output = Command::new("glslangValidator")
        .args(["-S", "comp", "--target-env", "vulkan1.1", "-o"])
        .args([&binary, &source])
        .finished()
        .expect("glslangValidator runs: install glslang-tools");
    assert_accepted(&output, &format!("{file} as GLSL"), text);
    spirv_words(&std::fs::read(&binary).expect("glslangValidator writes a file"))
}

/// The compiler for HLSL: `$DXC`, or where `cargo xtask test` puts it.
fn dxc() -> PathBuf {
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), PathBuf::from);
    assert!(dxc.is_file(), "{} is missing: run tests/tools/install.sh target/tools", dxc.display());
    dxc
}

fn compile_hlsl(dxc: &Path, file: &str, text: &[u8], scratch: &Scratch) {
    let source = scratch.file("main.hlsl");
    std::fs::write(&source, text).expect("the scratch file can be written");
    let arguments = ["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021", "-WX"];
    let output = Command::new(dxc).arg(&source).args(arguments).finished().expect("DXC runs");
    assert_accepted(&output, &format!("{file} as HLSL"), text);
}

#[test]
fn glsl_gives_the_interpreters_numbers() {
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let scratch = Scratch::new("glsl");
    for path in programs() {
        let file = path.to_str().expect("paths are text");
        let expected = interpret(file, &scratch.file("io.json"));
        let spirv = compile_glsl(file, &emit(file, "glsl"), &scratch);
        let binding = Binding { set: 0, binding: 0, resource: Resource::Buffer(0) };
        let mut results = [vec![0; WORDS]];
        let run =
            gpu.spirv(&spirv).and_then(|shader| gpu.run_shader(&shader, "main", [1, 1, 1], &[binding], &mut results));
        run.unwrap_or_else(|error| panic!("{file} as GLSL: {error}"));
        for (index, (&got, &wanted)) in results[0].iter().zip(&expected).enumerate() {
            let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
            assert!(is_close(got, wanted), "{file} as GLSL: result[{index}] is {x}, the interpreter says {y}");
        }
    }
}

#[test]
fn dxc_accepts_hlsl() {
    let (dxc, scratch) = (dxc(), Scratch::new("hlsl"));
    for path in programs() {
        let file = path.to_str().expect("paths are text");
        compile_hlsl(&dxc, file, &emit(file, "hlsl"), &scratch);
    }
}
