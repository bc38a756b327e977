//! `emit --kernel` and `run --kernel`: a thread per element around functions, methods, generic instances and overloads, and
//! around their derivatives. The interpreter, a Vulkan device and emitted C++ give the numbers that mathematics does.

use std::process::Command;

use serde_json::{Value, json};
use whole_program_tests::process::{Limited as _, Scratch};
use whole_program_tests::programs::analyzer;
use whole_program_tests::server;

const SOURCE: &str = "
namespace ns {
    [Differentiable] float f(float x, inout float3 y, out float z) { z = y.x * x; y *= x; return x * x * x; }
}
struct Line {
    float slope; float2 offsets;
    [Differentiable] float at(float x) { return x * x * slope + offsets.x - offsets.y; }
}
[Differentiable] float squares<let N : int>(float x[N]) {
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += x[i] * x[i];
    return sum;
}
[Differentiable] float g(float x) { return x * x; }
[Differentiable] float g(float2 x) { return x.x * x.y; }
[Differentiable] float2 apply(float2x3 m, float3 v) { return mul(m, v); }
struct P : IDifferentiable { float a; int n; float3 b; }
[Differentiable] P scaled(P p, float s) { p.a *= s; p.b *= s * p.n; return p; }
[Differentiable] float weighted(float x, RWStructuredBuffer<float> weights, uint i) { return x * weights[i]; }
interface IShape { [Differentiable] float area(float r); }
struct Square : IShape { float scale; [Differentiable] float area(float r) { return r * r * scale; } }
struct Box<T : IShape> { T shape; float height; [Differentiable] float volume(float r) { return shape.area(r) * height; } }
";

/// A buffer, with what comes out of it if it is looked at.
struct Buffer(&'static str, Vec<u32>, Option<Vec<u32>>);

fn floats(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn given(name: &'static str, numbers: &[f32]) -> Buffer {
    Buffer(name, floats(numbers), None)
}

fn written(name: &'static str, before: &[f32], after: &[f32]) -> Buffer {
    Buffer(name, floats(before), Some(floats(after)))
}

/// What a kernel is asked for, how many elements there are, and its buffers.
fn cases() -> Vec<(&'static [&'static str], u32, Vec<Buffer>)> {
    let f_inputs = || vec![given("x", &[2.0, 3.0]), given("z_cotangent", &[10.0, 20.0])];
    let y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let y_after = [2.0, 4.0, 6.0, 12.0, 15.0, 18.0];
    // dx = 3x² r + y·dy + y.x dz, dy = x dy + (x dz, 0, 0).
    let cotangents = || {
        vec![
            written("x_cotangent", &[9.0, 9.0], &[12.0 + 6.0 + 10.0, 54.0 + 15.0 + 80.0]),
            written("y_cotangent", &[1.0; 6], &[2.0 + 20.0, 2.0, 2.0, 3.0 + 60.0, 3.0, 3.0]),
            given("result_cotangent", &[1.0, 2.0]),
        ]
    };
    let backward: Vec<Buffer> = f_inputs().into_iter().chain([given("y", &y)]).chain(cotangents()).collect();
    let both = f_inputs().into_iter().chain(cotangents()).chain([
        written("y", &y, &y_after),
        written("z", &[0.0; 2], &[2.0, 12.0]),
        written("result", &[0.0; 2], &[8.0, 27.0]),
    ]);
    let of_p = |a: f32, n: i32, b: [f32; 3]| [a.to_bits(), n as u32, b[0].to_bits(), b[1].to_bits(), b[2].to_bits()];
    vec![
        (
            &["--kernel", "ns::f"],
            2,
            vec![
                given("x", &[2.0, 3.0]),
                written("y", &y, &y_after),
                written("z", &[0.0; 2], &[2.0, 12.0]),
                written("result", &[0.0; 2], &[8.0, 27.0]),
            ],
        ),
        (
            &["--kernel", "fwd_diff(ns.f)"],
            1,
            vec![
                given("x", &[2.0, 3.0]),
                given("x_tangent", &[1.0, 1.0]),
                written("y", &y, &[2.0, 4.0, 6.0, 4.0, 5.0, 6.0]),
                written("y_tangent", &[1.0; 6], &[3.0, 4.0, 5.0, 1.0, 1.0, 1.0]),
                written("z", &[0.0; 2], &[2.0, 0.0]),
                written("z_tangent", &[0.0; 2], &[3.0, 0.0]),
                written("result", &[0.0; 2], &[8.0, 0.0]),
                written("result_tangent", &[0.0; 2], &[12.0, 0.0]),
            ],
        ),
        (&["--kernel", "bwd_diff(ns::f)"], 2, backward),
        (&["--kernel", "bwd_diff(ns::f)", "--with-primal"], 2, both.collect()),
        (
            &["--kernel", "bwd_diff(Line::at)"],
            2,
            vec![
                given("self", &[2.0, 5.0, 6.0, 3.0, 0.0, 0.0]),
                given("x", &[1.0, 2.0]),
                given("result_cotangent", &[1.0, 0.5]),
                written("x_cotangent", &[0.0; 2], &[4.0, 6.0]),
            ],
        ),
        (
            &["--kernel", "bwd_diff(squares<3>)"],
            2,
            vec![
                given("x", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
                given("result_cotangent", &[1.0, 10.0]),
                written("x_cotangent", &[0.0; 6], &[2.0, 4.0, 6.0, 80.0, 100.0, 120.0]),
            ],
        ),
        (
            &["--kernel", "bwd_diff(g(float2))"],
            1,
            vec![
                given("x", &[3.0, 5.0]),
                given("result_cotangent", &[2.0]),
                written("x_cotangent", &[0.0; 2], &[10.0, 6.0]),
            ],
        ),
        (&["--kernel", "g(float)"], 1, vec![given("x", &[3.0]), written("result", &[0.0], &[9.0])]),
        (
            &["--kernel", "bwd_diff(apply)"],
            1,
            vec![
                given("m", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
                given("v", &[7.0, 8.0, 9.0]),
                given("result_cotangent", &[1.0, 10.0]),
                written("m_cotangent", &[0.0; 6], &[7.0, 8.0, 9.0, 70.0, 80.0, 90.0]),
                written("v_cotangent", &[0.0; 3], &[41.0, 52.0, 63.0]),
            ],
        ),
        (
            &["--kernel", "scaled"],
            1,
            vec![
                Buffer("p", of_p(2.0, 3, [1.0, 2.0, 3.0]).into(), None),
                given("s", &[2.0]),
                Buffer("result", vec![0; 5], Some(of_p(4.0, 3, [6.0, 12.0, 18.0]).into())),
            ],
        ),
        (
            &["--kernel", "bwd_diff(scaled)"],
            1,
            vec![
                Buffer("p", of_p(2.0, 3, [1.0, 2.0, 3.0]).into(), None),
                given("s", &[2.0]),
                // The differential of `P` has no `n`.
                given("result_cotangent", &[1.0, 1.0, 10.0, 100.0]),
                written("p_cotangent", &[0.0; 4], &[2.0, 6.0, 60.0, 600.0]),
                written("s_cotangent", &[0.0], &[2.0 + 3.0 * 321.0]),
            ],
        ),
        (
            &["--kernel", "bwd_diff(weighted)"],
            2,
            vec![
                given("x", &[1.0, 2.0]),
                given("weights", &[4.0, 5.0, 6.0]),
                Buffer("i", vec![2, 1], None),
                given("result_cotangent", &[1.0, 2.0]),
                written("x_cotangent", &[0.0; 2], &[6.0, 10.0]),
            ],
        ),
        (
            &["--kernel", "bwd_diff(Box<Square>.volume)"],
            1,
            vec![
                given("self", &[2.0, 5.0]),
                given("r", &[3.0]),
                given("result_cotangent", &[1.0]),
                written("r_cotangent", &[0.0], &[60.0]),
            ],
        ),
        (
            // In a derivative with respect to a tangent: d/dx (2x dr).
            &["--kernel", "fwd_diff(fwd_diff(g(float)))"],
            1,
            vec![
                given("x", &[3.0, 1.0]),
                given("x_tangent", &[1.0, 0.0]),
                written("result", &[0.0; 2], &[9.0, 6.0]),
                written("result_tangent", &[0.0; 2], &[6.0, 2.0]),
            ],
        ),
    ]
}

fn by_engine(
    file: &str,
    scratch: &Scratch,
    engine: &str,
    case: &(&[&str], u32, Vec<Buffer>),
) -> Vec<(String, Vec<u32>)> {
    let (arguments, count, buffers) = case;
    let buffers =
        buffers.iter().map(|Buffer(name, words, out)| json!({"name": name, "words": words, "out": out.is_some()}));
    let document = json!({"buffers": buffers.collect::<Vec<_>>(), "uniforms": {"count": {"word": count}}});
    let io = scratch.write("io.json", &document.to_string());
    let io = io.to_str().expect("paths are text");
    let answer = analyzer(&[&["run", file, "--io", io, "--engine", engine][..], arguments].concat());
    let answer: Value = serde_json::from_slice(&answer).expect("the answer is JSON");
    let words = |buffer: &Value| -> Vec<u32> {
        let words = buffer["words"].as_array().expect("words").iter();
        words.map(|word| word.as_u64().and_then(|word| u32::try_from(word).ok()).expect("a word")).collect()
    };
    let buffers = answer["buffers"].as_object().expect("buffers").iter();
    buffers.map(|(name, buffer)| (name.clone(), words(buffer))).collect()
}

/// The emitted C++, called with arrays of the buffers' words.
fn by_cpp(file: &str, scratch: &Scratch, case: &(&[&str], u32, Vec<Buffer>)) -> Vec<(String, Vec<u32>)> {
    let (arguments, count, buffers) = case;
    let code = analyzer(&[&["emit", file, "--target", "cpp"][..], arguments].concat());
    let code = String::from_utf8(code).expect("the code is text");
    let start = code.rfind("extern \"C\" void ").expect("a function to call") + "extern \"C\" void ".len();
    let (function, rest) = code[start..].split_once('(').expect("parameters");
    // Without spaces in the type of arrays.
    let parameters: Vec<&str> = rest.split_once(')').expect("parameters").0.split_whitespace().collect();
    let parameters = parameters.join(" ").replace("<float, ", "<float,");
    let argument = |parameter: &str| {
        let (ty, name) = parameter.rsplit_once(' ').unwrap_or_else(|| panic!("{parameter}: a type and a name"));
        let words =
            |name: &str| buffers.iter().find(|Buffer(other, ..)| *other == name).map(|Buffer(_, words, _)| words);
        match (ty.ends_with('*'), name.strip_suffix("_count")) {
            (true, _) if name == "count" => "&count".to_owned(),
            (true, _) => format!("({ty})words_{name}"),
            (false, Some(buffer)) => words(buffer).map_or(0, Vec::len).to_string(),
            (false, None) => "1".to_owned(),
        }
    };
    let arguments: Vec<String> = parameters.split(", ").map(argument).collect();
    let mut driver =
        format!("{code}\n#include <cstdio>\nint main()\n{{\n    using namespace shader;\n    uint count = {count};\n");
    for Buffer(name, words, _) in buffers {
        let words: Vec<String> = words.iter().map(u32::to_string).collect();
        driver += &format!("    alignas(16) unsigned words_{name}[] = {{ {} }};\n", words.join("u, "));
    }
    driver += &format!("    {function}({});\n", arguments.join(", "));
    for Buffer(name, words, _) in buffers.iter().filter(|Buffer(.., out)| out.is_some()) {
        let length = words.len();
        driver += &format!("    for (int i = 0; i < {length}; i++) std::printf(\"{name} %u\\n\", words_{name}[i]);\n");
    }
    let source = scratch.write("driver.cpp", &(driver + "}\n"));
    let binary = scratch.file("driver");
    // The words of all buffers are `unsigned`, whatever the kernel takes them for.
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-fno-strict-aliasing", "-Wall", "-Werror"]);
    let compiled = compiler.arg(&source).arg("-o").arg(&binary).finished().expect("g++ runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(&binary).finished().expect("the program runs");
    let printed = String::from_utf8(printed.stdout).expect("text");
    let mut results: Vec<(String, Vec<u32>)> = Vec::new();
    for line in printed.lines() {
        let (name, word) = line.split_once(' ').expect("a name and a word");
        let word = word.parse().expect("a word");
        match results.iter_mut().find(|(other, _)| other == name) {
            Some((_, words)) => words.push(word),
            None => results.push((name.to_owned(), vec![word])),
        }
    }
    results
}

#[test]
fn kernels_give_the_numbers_of_mathematics() {
    let scratch = Scratch::new("kernels");
    let file = scratch.write("kernels.slang", SOURCE);
    let file = file.to_str().expect("paths are text");
    for case in cases() {
        let expected: Vec<(&str, &Vec<u32>)> =
            case.2.iter().filter_map(|Buffer(name, _, out)| Some((*name, out.as_ref()?))).collect();
        let ways = [
            ("interp", by_engine(file, &scratch, "interp", &case)),
            ("gpu", by_engine(file, &scratch, "gpu", &case)),
            ("cpp", by_cpp(file, &scratch, &case)),
        ];
        for (way, results) in ways {
            assert_eq!(results.len(), expected.len(), "{:?} by {way}", case.0);
            for (name, words) in &expected {
                let found = results.iter().find(|(other, _)| other == name).map(|(_, words)| words);
                assert_eq!(found, Some(*words), "{name} of {:?} by {way}", case.0);
            }
        }
    }
}

#[test]
fn every_target_has_kernels() {
    let scratch = Scratch::new("kernel-targets");
    let file = scratch.write("kernels.slang", SOURCE);
    let file = file.to_str().expect("paths are text");
    for target in ["slang", "hlsl", "glsl", "wgsl", "spirv", "metal", "cpp", "cuda"] {
        for (arguments, ..) in cases() {
            assert!(!analyzer(&[&["emit", file, "--target", target][..], arguments].concat()).is_empty());
        }
    }
}

#[test]
fn what_has_no_kernel_is_refused() {
    let scratch = Scratch::new("no-kernels");
    let text = "struct Error {}\nfloat plain(float x) { return x; }\n\
                StructuredBuffer<float> same(StructuredBuffer<float> b) { return b; }\n\
                [Differentiable] float g(float x) { return x; }\n[Differentiable] float g(float2 x) { return x.x; }\n";
    let file = scratch.write("refused.slang", text);
    for (kernel, message) in [
        ("none", "there is no function `none`"),
        ("g(int)", "there is no function `g` with parameters of the types (int)"),
        ("g(Unknown)", "there is no type `Unknown`"),
        ("bwd_diff(plain)", "`plain` is not backward differentiable"),
        ("same", "a kernel of `same`: `result` comes out and is not data"),
    ] {
        let output =
            Command::new(server()).arg("emit").arg(&file).args(["--target", "hlsl", "--kernel", kernel]).finished();
        let output = output.expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(message), "{kernel}: {said}");
    }
}
