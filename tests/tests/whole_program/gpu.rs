//! Every program of `fixtures/gradients` on a Vulkan device: emitted as WGSL, as SPIR-V and by `run --engine gpu` it gives
//! the interpreter's numbers.

use gpu::{Binding, Gpu, Resource};
use serde_json::{Value, json};
use std::process::Command;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{
    programs::{WORDS, analyzer, bring_spirv, gradient_fixtures, interpret, is_close, run, spirv_words},
    server,
};

#[test]
fn fixtures_give_the_interpreters_numbers() {
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-gpu-{}.json", std::process::id()));
    for path in gradient_fixtures() {
        let file = path.to_str().expect("paths are text");
        let expected = interpret(file, &scratch);
        assert!(expected.iter().any(|&word| word != 0), "{file} computes nothing");
        let close = |name: &str, results: &[u32]| {
            for (index, (&got, &wanted)) in results.iter().zip(&expected).enumerate() {
                let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
                assert!(is_close(got, wanted), "{file} as {name}: result[{index}] is {x}, the interpreter says {y}");
            }
        };
        close("the command", &run(file, "gpu", &scratch));
        let emit = |target| analyzer(&["emit", file, "--target", target, "--entry", "main"]);
        let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
        let spirv = spirv_words(&emit("spirv"));
        for (name, shader) in [("WGSL", gpu.wgsl(&wgsl)), ("SPIR-V", bring_spirv(&gpu, &spirv))] {
            let binding = Binding { set: 0, binding: 0, resource: Resource::Buffer(0) };
            let mut results = [vec![0; WORDS]];
            let run = shader.and_then(|shader| gpu.run_shader(&shader, "main", [1, 1, 1], &[binding], &mut results));
            run.unwrap_or_else(|error| panic!("{file} as {name}: {error}\n{wgsl}"));
            close(name, &results[0]);
        }
    }
    std::fs::remove_file(scratch).expect("the scratch file is there");
}

/// A program with a parameter block, a pointer, a uniform struct and a buffer of `float3`.
const PARAMETERS: &str = "
struct Material { float roughness; StructuredBuffer<float3> albedo; float4 tint; RWStructuredBuffer<float> result; }
ParameterBlock<Material> material;
uniform float* weights;
[Differentiable] float shade(float x) { return x * x * material.roughness; }
[numthreads(2, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint i = id.x;
    let d = fwd_diff(shade)(diffPair(weights[i], 1.0));
    material.result[i] = dot(material.albedo[i], material.tint.xyz) + d.d;
    *(weights + 2 + i) = d.p;
}
";

#[test]
fn both_engines_read_specifications_alike() {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-parameters-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (file, spec) = (folder.join("program.slang"), folder.join("spec.json"));
    std::fs::write(&file, PARAMETERS).expect("the program can be written");
    let word = |x: f32| json!({"word": x.to_bits()});
    let vector = |xs: &[f32]| xs.iter().map(|&x| word(x)).collect::<Vec<_>>();
    let good = json!({
        "buffers": [
            {"name": "result", "words": [0, 0], "out": true},
            {"name": "weights", "words": [3.0f32.to_bits(), 5.0f32.to_bits(), 0, 0], "out": true},
            {"name": "other", "words": [7], "out": true},
        ],
        "uniforms": {"material": [
            word(0.5),
            vector(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            vector(&[1.0, 10.0, 100.0, 0.0]),
            {"buffer": "result"},
        ]},
    });
    let answers = |entry: &str, document: &str| {
        std::fs::write(&spec, document).expect("the specification can be written");
        ["interp", "gpu"].map(|engine| {
            let output = Command::new(server())
                .args(["run", "program.slang", "--entry", entry, "--groups", "1,1,1", "--engine", engine])
                .args(["--io", "spec.json"])
                .current_dir(&folder)
                .finished()
                .expect("the analyzer runs");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let message = text(&output.stderr).lines().last().unwrap_or_default().to_owned();
            (output.status.code(), text(&output.stdout), message)
        })
    };
    let [(status, interpreted, _), (gpu_status, on_gpu, message)] = answers("main", &good.to_string());
    assert_eq!((status, gpu_status), (Some(0), Some(0)), "{message}");
    assert_eq!(interpreted, on_gpu);
    let answer: Value = serde_json::from_str(&on_gpu).expect("`run` prints JSON");
    // 1 + 20 + 300 + 2 * 3 * 0.5, and 4 + 50 + 600 + 2 * 5 * 0.5.
    assert_eq!(answer["buffers"]["result"]["words"], json!([324.0f32.to_bits(), 659.0f32.to_bits()]));
    // 3 * 3 * 0.5 and 5 * 5 * 0.5 after the weights.
    let weights = [3.0f32, 5.0, 4.5, 12.5].map(f32::to_bits);
    assert_eq!(answer["buffers"]["weights"]["words"], json!(weights));
    assert_eq!(answer["buffers"]["other"]["words"], json!([7]));
    for (entry, document) in [("nothing", good.to_string().as_str()), ("main", "{"), ("main", "{\"buffers\": 3}")] {
        let [interpreted, on_gpu] = answers(entry, document);
        assert_eq!(interpreted, on_gpu, "{entry} {document}");
        assert_eq!(on_gpu.0, Some(2), "{entry} {document}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}
