//! How a host calls a program: by the name of the entry point, which is the source's in every target, or refused by name;
//! and entry points of stages of which nothing is made.

use std::process::Command;

use gpu::Gpu;
use whole_program_tests::{
    process::{Limited as _, Scratch},
    programs::spirv_words,
    root, server,
};

const TARGETS: [&str; 8] = ["slang", "hlsl", "glsl", "wgsl", "spirv", "metal", "cpp", "cuda"];

/// What is emitted, or what is said instead.
fn emit(scratch: &Scratch, program: &str, target: &str, entry: Option<&str>) -> Result<Vec<u8>, String> {
    let file = scratch.write("program.slang", program);
    let mut command = Command::new(server());
    command.args(["emit", file.to_str().expect("paths are text"), "--target", target]);
    command.args(entry.into_iter().flat_map(|entry| ["--entry", entry]));
    let output = command.finished().expect("the analyzer runs");
    if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Entry points of a program that has a compute one, too: their stages, their names and what they are.
const STAGES: [(&str, &str, &str); 4] = [
    ("raygeneration", "generate", "void generate() { }"),
    ("miss", "fade", "void fade(inout Payload payload) { payload.light = 0; }"),
    (
        "closesthit",
        "hit",
        "void hit(inout Payload payload, BuiltInTriangleIntersectionAttributes at) { payload.light = 1; }",
    ),
    (
        "mesh",
        "grow",
        "[numthreads(3, 1, 1)] [outputtopology(\"triangle\")]
         void grow(uint id : SV_GroupIndex, OutputVertices<Corner, 3> corners, OutputIndices<uint3, 1> triangles)
         { SetMeshOutputCounts(3, 1); corners[id].at = float4(0); if (id == 0) triangles[0] = uint3(0, 1, 2); }",
    ),
];

/// What is said of an entry point that a target does not have.
fn refusal(stage: &str, name: &str, target: &str) -> String {
    match (stage, target) {
        (_, "wgsl") => format!("`{name}`: the {stage} stage is not supported for target `wgsl`"),
        (_, "slang" | "metal") => format!("`{name}`: {stage} entry points are not supported for target `{target}`"),
        _ => format!(
            "`{name}`: only compute entry points and those without inputs and outputs are supported for target `{target}`"
        ),
    }
}

#[test]
fn other_stages_are_refused_by_name() {
    let scratch = Scratch::new("stages");
    for (stage, name, function) in STAGES {
        let stage_only = format!(
            "struct Payload {{ float light; }} struct Corner {{ float4 at : SV_Position; }}
             RWStructuredBuffer<float> result;\n[shader(\"{stage}\")] {function}\n"
        );
        let program =
            format!("{stage_only}[shader(\"compute\")] [numthreads(1, 1, 1)] void compute() {{ result[0] = 1; }}\n");
        for target in ["slang", "wgsl", "metal", "cpp", "cuda"] {
            let wanted = refusal(stage, name, target);
            for (text, entry) in
                [(&program, None), (&program, Some(name)), (&stage_only, None), (&stage_only, Some(name))]
            {
                let said = emit(&scratch, text, target, entry).expect_err("shaders of this stage are not emitted");
                assert!(said.contains(&wanted) && said.contains("program.slang:"), "{target} {entry:?}: {said}");
            }
            let emitted = emit(&scratch, &program, target, Some("compute"));
            assert!(emitted.is_ok_and(|text| !text.is_empty()), "{target}: {stage}");
        }
    }
}

/// The names by which a host finds entry points.
fn names(target: &str, emitted: &[u8]) -> Vec<String> {
    if target == "spirv" {
        let words = spirv_words(emitted);
        let mut names = Vec::new();
        let mut at = 5;
        while at < words.len() {
            let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            if code == 15 {
                let bytes: Vec<u8> = words[at + 3..at + length].iter().flat_map(|word| word.to_le_bytes()).collect();
                let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
                names.push(String::from_utf8_lossy(name).into_owned());
            }
            at += length.max(1);
        }
        return names;
    }
    let text = String::from_utf8_lossy(emitted);
    let (before, start) = match target {
        "wgsl" => ("@compute", "fn "),
        "metal" => ("", "kernel void "),
        "cpp" => ("", "extern \"C\" void run_"),
        "cuda" => ("", "extern \"C\" __global__ void __launch_bounds__(1) "),
        _ => ("[numthreads", "void "),
    };
    let lines = text.lines().zip(text.lines().skip(1)).filter(|(line, _)| line.starts_with(before));
    let heads = lines.filter_map(|(_, head)| head.strip_prefix(start)?.split('(').next());
    heads.map(str::to_owned).collect()
}

/// Names of entry points, and the targets that cannot have them.
const NAMES: [(&str, &[&str]); 11] = [
    ("main", &[]),
    ("main1", &[]),
    ("step_10", &[]),
    ("a__b", &[]),
    ("main_", &[]),
    ("self", &["wgsl"]),
    ("loop", &["wgsl"]),
    ("pass", &["hlsl", "wgsl"]),
    ("alignas", &["hlsl", "wgsl", "metal", "cuda"]),
    ("Thread", &[]),
    ("shader", &["cuda"]),
];

#[test]
fn entry_points_have_their_names() {
    let scratch = Scratch::new("entry-names");
    for (name, refusing) in NAMES {
        let program = format!(
            "RWStructuredBuffer<float> result; struct Inner {{ float a_b; float main1; }}
             float main1_1(Inner value) {{ float main_1 = value.main1; return main_1 + value.a_b; }}
             [shader(\"compute\")] [numthreads(1, 1, 1)] void {name}()
             {{ Inner inner = {{ result[1], result[2] }}; result[0] = main1_1(inner); }}\n"
        );
        for target in TARGETS.into_iter().filter(|target| *target != "glsl") {
            let emitted = emit(&scratch, &program, target, Some(name));
            if refusing.contains(&target) {
                let said = emitted.expect_err("a name that cannot be kept is refused");
                let wanted = format!("`{name}`: no entry point can have this name in target `{target}`");
                assert!(said.contains(&wanted) && said.contains("program.slang:3:"), "{said}");
                continue;
            }
            let emitted = emitted.unwrap_or_else(|said| panic!("{name} in {target}: {said}"));
            let wanted = match (name, target) {
                ("main", "cuda") => "main_kernel",
                ("main", "metal") => "main_0",
                _ => name,
            };
            assert_eq!(names(target, &emitted), [wanted], "{target}\n{}", String::from_utf8_lossy(&emitted));
            check(&scratch, target, name, &emitted);
        }
    }
}

/// Lets the target's compiler look at the text.
fn check(scratch: &Scratch, target: &str, name: &str, emitted: &[u8]) {
    let text = String::from_utf8_lossy(emitted);
    let tool = |variable: &str, path: &str| std::env::var_os(variable).map_or_else(|| root().join(path), Into::into);
    let mut command = match target {
        "cpp" => {
            let mut command = Command::new("g++");
            command.args(["-std=c++17", "-fsyntax-only"]).arg(scratch.write("program.cpp", &text));
            command
        }
        "metal" => {
            let mut command = Command::new("g++");
            command.args(["-std=c++17", "-fsyntax-only", "-Wno-attributes", "-I"]).arg(root().join("tests/metal"));
            command.arg(scratch.write("program.cpp", &text));
            command
        }
        "hlsl" => {
            let mut command = Command::new(tool("DXC", "target/tools/dxc/dxc"));
            command.arg(scratch.write("program.hlsl", &text)).args(["-T", "cs_6_6", "-E", name, "-HV", "2021"]);
            command
        }
        "cuda" => {
            let mut command = Command::new("python3");
            command.arg(root().join("tests/tools/nvrtc.py")).arg(tool("NVRTC", "target/tools/libnvrtc.so"));
            command.arg(scratch.write("program.cu", &text));
            command
        }
        "wgsl" => {
            let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
            gpu.wgsl(&text).map_err(|error| panic!("{name}: {error}\n{text}")).ok();
            return;
        }
        _ => return,
    };
    let output = command.finished().expect("the compiler runs");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{name} in {target}: {}\n{text}", String::from_utf8_lossy(&said));
}
