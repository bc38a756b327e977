//! Programs as Metal: those of the fixtures, random ones and some that are written for it give the interpreter's numbers, and
//! what Metal cannot have is refused by name. There is no Metal compiler on the machines of the tests: a header of ours lets
//! g++ compile the texts ([`whole_program_tests::metal`]).

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use test_support::random_source::random_source;
use whole_program_tests::metal::{self, Grid};
use whole_program_tests::process::Scratch;
use whole_program_tests::programs::{WORDS, analyzer, gradient_fixtures, interpret, outcome, slang_files};
use whole_program_tests::slangc;

/// Random programs, from seed 0 on.
const RANDOM: u64 = 40;

/// Programs with an entry point `main` and a buffer `result`.
fn programs(scratch: &Scratch) -> Vec<String> {
    let mut files = gradient_fixtures();
    // One has tables to fill, and one calls itself.
    let is_possible = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem != "hash_grid" && stem != "recursion");
    files.extend(slang_files("fixtures/kernels").into_iter().filter(is_possible));
    files.extend((0..RANDOM).filter_map(|seed| {
        let text = slangc::kernel(&random_source(seed));
        // There is no such type.
        (!text.contains("double")).then(|| scratch.write(&format!("random_{seed}.slang"), &text))
    }));
    assert!(files.len() >= 60, "{}", files.len());
    files.into_iter().map(|path| path.to_str().expect("paths are text").to_owned()).collect()
}

fn emit(file: &str, more: &[&str]) -> String {
    let arguments = [&["emit", file, "--target", "metal"], more].concat();
    String::from_utf8(analyzer(&arguments)).expect("the code is text")
}

#[test]
fn metal_gives_the_interpreters_numbers() {
    let scratch = Scratch::new("metal");
    let programs = programs(&scratch);
    let spec = scratch.file("spec.json");
    let (mut driver, mut calls) = (metal::PREAMBLE.to_owned(), String::new());
    let mut expected = Vec::new();
    for (number, file) in programs.iter().enumerate() {
        let text = emit(file, &["--entry", "main"]);
        expected.push(interpret(file, &spec));
        // Some write more than there is room for, which the interpreter drops.
        let room = 16 * WORDS;
        let host =
            metal::host(&text, "main_0", Grid { groups: [1; 3], threads: group_size(file) }, &|_| "result".to_owned());
        let _ = writeln!(
            driver,
            "namespace program_{number}\n{{\n{}\nstatic unsigned result[{room}];\n{host}}}",
            metal::as_cpp(&text)
        );
        let _ = writeln!(calls, "    program_{number}::run();\n    print_bits(program_{number}::result, {WORDS});");
    }
    let _ = writeln!(driver, "int main()\n{{\n{calls}}}");
    let printed = metal::run(&scratch.0, &driver).expect("the texts are accepted, and run");
    assert_eq!(printed.len(), WORDS * programs.len());
    for ((file, result), expected) in programs.iter().zip(printed.chunks(WORDS)).zip(&expected) {
        assert_close(file, result, expected);
    }
}

/// What the source says of the threads of a group.
fn group_size(file: &str) -> [u32; 3] {
    let text = std::fs::read_to_string(file).expect("the program can be read");
    let (_, rest) = text.split_once("numthreads(").expect("it has an entry point");
    let list = rest.split_once(')').map_or("", |(list, _)| list);
    let mut sizes = list.split(',').map(|size| size.trim().parse().expect("a number"));
    [(); 3].map(|()| sizes.next().unwrap_or(1))
}

fn assert_close(file: &str, result: &[u32], expected: &[u32]) {
    let expected: Vec<f32> = expected.iter().map(|&word| f32::from_bits(word)).collect();
    // Small results are differences of larger numbers, which the interpreter rounds less often.
    let scale =
        expected.iter().filter(|number| number.is_finite()).fold(1.0f32, |scale, number| scale.max(number.abs()));
    for (index, (&got, wanted)) in result.iter().zip(expected).enumerate() {
        let (got, largest) = (f32::from_bits(got), f32::from_bits(got).abs().max(0.01 * scale));
        let is_close = (got - wanted).abs() <= 1e-4 * largest || got.to_bits() == wanted.to_bits();
        assert!(is_close, "{file}: result[{index}] is {got}, the interpreter says {wanted}");
    }
}

/// A program, the groups that are started, and its buffers: their words before, and whether they are looked at after.
struct Kernel {
    source: &'static str,
    groups: [u32; 3],
    buffers: Vec<(&'static str, Vec<u32>, bool)>,
}

fn floats(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Kernels over what the header and the printer have to agree on: packed structs, matrices, the words of bytes, what
/// a group shares, atomic operations, integers of all widths, halves, and what the machine tells a thread.
fn kernels() -> Vec<Kernel> {
    let counted = |count: u32| (0..count).map(|number| (number as f32 * 0.75 - 3.0).to_bits()).collect::<Vec<u32>>();
    vec![
        Kernel {
            source: "struct Inner { float2 pair; uint n; };
                struct P { float3 a; float b; int2 c; float2x3 m; Inner inner[2]; float arr[3]; };
                StructuredBuffer<P> input; RWStructuredBuffer<P> output; RWStructuredBuffer<float> result;
                [numthreads(2, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
                {
                    P p = input[id.x];
                    p.a = p.a.zxy * 2; p.c.y += int(id.x); p.m = p.m * 3 + input[0].m; p.m[1].z = 5;
                    p.inner[1].pair.y = p.arr[id.x];
                    output[id.x] = p;
                    output[id.x].arr[2] = input[1 - id.x].inner[id.x].pair[id.x];
                    output[id.x].m[0] = input[id.x].a;
                    output[id.x].m[1][id.x] = mul(input[id.x].m, input[id.x].a).y;
                    result[id.x] = determinant(float3x3(p.a, p.m[0], p.m[1])) + dot(mul(p.a.xy, p.m), p.a);
                }",
            groups: [1; 3],
            buffers: vec![("input", counted(42), false), ("output", vec![0; 42], true), ("result", vec![0; 2], true)],
        },
        Kernel {
            source: "struct P { float4 a; float4 b; };
                ConstantBuffer<P> block; uniform float4 scale; RWStructuredBuffer<float4> result;
                float4 scaled(float4 x) { return x * scale; }
                [numthreads(1, 1, 1)] void main(uint3 id : SV_GroupID, uniform float4 own)
                { P p = block; result[id.x] = scaled(block.a + p.b * id.x) - own; }",
            groups: [3, 1, 1],
            buffers: vec![
                ("block", counted(8), false),
                ("globalParams", counted(4), false),
                ("entryPointParams", counted(4), false),
                ("result", vec![0; 12], true),
            ],
        },
        Kernel {
            source: "ByteAddressBuffer bytes; RWByteAddressBuffer words; RWStructuredBuffer<uint> result;
                [numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
                {
                    uint old; words.InterlockedAdd(0, id.x + 1, old); words.InterlockedMax(4, id.x, old);
                    words.Store<float3>(16 + id.x * 12, bytes.Load<float3>(id.x * 4));
                    result[id.x] = bytes.Load(id.x * 4) ^ bytes.Load2(8).y;
                }",
            groups: [1; 3],
            buffers: vec![("bytes", counted(8), false), ("words", vec![0; 20], true), ("result", vec![0; 4], true)],
        },
        Kernel {
            source: "groupshared float shared_[8]; groupshared int most; groupshared uint2 pair;
                RWStructuredBuffer<float> result; RWStructuredBuffer<int> counts;
                static float seen = 0.5;
                float read(uint i) { seen += 1; return shared_[i] + seen; }
                [numthreads(4, 2, 1)] void main(uint index : SV_GroupIndex, uint3 at : SV_GroupThreadID, uint3 group : SV_GroupID)
                {
                    if (index == 0) { most = -5; pair = uint2(group.x, 7); }
                    shared_[index] = float(at.x) + 10 * float(at.y);
                    GroupMemoryBarrierWithGroupSync();
                    InterlockedMax(most, int(index * 3) - 4);
                    InterlockedAdd(counts[group.x], int(at.x));
                    int old; InterlockedCompareExchange(counts[2], 0, 9, old); InterlockedExchange(counts[3], 4, old);
                    InterlockedAdd(pair.y, 1u);
                    GroupMemoryBarrierWithGroupSync();
                    result[group.x * 8 + index] = read(7 - index) + read(0) + most + pair.x + pair.y;
                }",
            groups: [2, 1, 1],
            buffers: vec![
                ("result", vec![0; 16], true),
                ("counts", vec![1, 2, 0, 0], true),
            ],
        },
        Kernel {
            source: "StructuredBuffer<int> input; RWStructuredBuffer<int> result;
                [numthreads(6, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
                {
                    int a = input[id.x], b = input[(id.x + 1) % 6]; int at = int(id.x) * 16;
                    int3 v = int3(a, b, a ^ b), w = int3(b, a + 1, 3);
                    uint u = uint(a); int16_t s = int16_t(a); uint8_t c = uint8_t(b); int64_t l = int64_t(a) * b;
                    result[at] = a / b; result[at + 1] = a % b; result[at + 2] = a << (b & 63); result[at + 3] = a >> b;
                    result[at + 4] = (v / w).x + (v % w).y; result[at + 5] = (v << w).z + (v >> w).x;
                    result[at + 6] = (-v).x + abs(v).y + sign(v).z; result[at + 7] = dot(v, w);
                    result[at + 8] = int(firstbithigh(u)) + firstbithigh(a) * 3; result[at + 9] = int(firstbitlow(u)) + int(countbits(u));
                    result[at + 10] = int(reversebits(u)); result[at + 11] = min(a, b) + max(v, w).y + clamp(a, -2, 7);
                    result[at + 12] = int(s) * 3 + int(s >> 2); result[at + 13] = int(c) + int(uint8_t(c * c));
                    result[at + 14] = int(l >> 20) + int(uint64_t(l) / 3);
                    result[at + 15] = a * b + mad(a, b, 5);
                }",
            groups: [1; 3],
            buffers: vec![
                ("input", [7, -3, 0, i32::MIN, i32::MAX, -1].map(|number: i32| number as u32).to_vec(), false),
                ("result", vec![0; 96], true),
            ],
        },
        Kernel {
            source: "StructuredBuffer<float> input; RWStructuredBuffer<float> result;
                [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
                {
                    float x = input[id.x]; int at = int(id.x) * 12; half h = half(x) * half(1.5) + half(0.25); half3 hv = half3(h, half(x), half(2));
                    float3 v = float3(x, x * 0.5, -x); bool3 less = v < float3(0.25); bool3 odd = less && !(v > float3(-1)) || v == float3(0.5);
                    result[at] = round(x) + frac(x) + trunc(x) + sign(x); result[at + 1] = float(h) + float(dot(hv, hv));
                    result[at + 2] = any(odd) ? 1 : all(less) ? 2 : 3; result[at + 3] = select(less, v, v * 2).x + (select(less, odd, less).y ? 4 : 8);
                    result[at + 4] = float(int(x * 1e10)) + float(uint(x * 1e10)) * 1e-3; result[at + 5] = float(int3(v * 3.7).z) + fmod(x, 0.7) + x % 0.3;
                    result[at + 6] = smoothstep(-1, 2, x) + step(0.5, x) + lerp(x, 2, 0.25) + saturate(x) + rcp(x + 9) + degrees(x) + radians(x);
                    result[at + 7] = f16tof32(f32tof16(x)) + asfloat(asuint(x) ^ 1u) + copysign(3, x);
                    result[at + 8] = length(v) + distance(v, v.yzx) + normalize(v + 4).y + reflect(v, v.zxy).x + refract(normalize(v + 4), normalize(v.zxy - 5), 0.5).z;
                    result[at + 9] = isnan(x / 0 * 0) ? 1 : 2; result[at + 10] = isinf(1 / (x * 0)) ? 1 : 2; result[at + 11] = atan2(x, 2) + pow(abs(x), 1.5) + exp2(x) + log2(abs(x) + 1) + log10(abs(x) + 1);
                }",
            groups: [1; 3],
            buffers: vec![("input", floats(&[-2.5, -0.5, 0.0, 0.5, 1.5, 3.25, -0.125, 2.5]), false), ("result", vec![0; 96], true)],
        },
        Kernel {
            source: "[Differentiable] float4 turned(float3x4 m, float2x3 n, float2 v) { return mul(mul(v, n), m) + m[1] * n[0].y; }
                [Differentiable] float f(float3x4 m, float2x3 n, float2 v) { float4 r = turned(m, n, v); return dot(r, r) + transpose(m)[2].y; }
                StructuredBuffer<float3x4> ms; StructuredBuffer<float2x3> ns; RWStructuredBuffer<float3x4> dm; RWStructuredBuffer<float2x3> dn;
                RWStructuredBuffer<float> result;
                [numthreads(1, 1, 1)] void main()
                {
                    var m = diffPair(ms[0]); var n = diffPair(ns[0]); var v = diffPair(float2(0.5, -2));
                    bwd_diff(f)(m, n, v, 1.0);
                    dm[0] = m.d; dn[0] = n.d; result[0] = v.d.x; result[1] = v.d.y; result[2] = f(m.p, n.p, v.p);
                    result[3] = fwd_diff(f)(diffPair(ms[0], ms[0]), diffPair(ns[0], ns[0]), diffPair(float2(0.5, -2), float2(1, 2))).d;
                    int2x2 whole = int2x2(1, 2, 3, 4); whole = whole * whole + whole; result[4] = whole[1][0] + mul(whole, int2(1, 2)).x;
                }",
            groups: [1; 3],
            buffers: vec![
                ("ms", counted(12), false),
                ("ns", counted(6), false),
                ("dm", vec![0; 12], true),
                ("dn", vec![0; 6], true),
                ("result", vec![0; 5], true),
            ],
        },
    ]
}

/// What the interpreter leaves in the buffers that are looked at, one after the other.
fn by_interpreter(file: &str, kernel: &Kernel, scratch: &Scratch) -> Vec<u32> {
    let buffers = kernel.buffers.iter().map(|(name, words, out)| {
        // The parameters of global scope and of the entry point are buffers of ours, with a buffer for each in the interpreter.
        let name = match *name {
            "globalParams" => "scale",
            "entryPointParams" => "own",
            name => name,
        };
        json!({"name": name, "words": words, "out": out})
    });
    let document = json!({"buffers": buffers.collect::<Vec<_>>()});
    let spec = scratch.write("spec.json", &document.to_string());
    let groups = kernel.groups.map(|count| count.to_string()).join(",");
    let spec = spec.to_str().expect("paths are text");
    let answer = analyzer(&["run", file, "--entry", "main", "--groups", &groups, "--io", spec]);
    let answer: Value = serde_json::from_slice(&answer).expect("`run` prints JSON");
    let looked_at = kernel.buffers.iter().filter(|(.., out)| *out);
    let words = looked_at.flat_map(|(name, ..)| answer["buffers"][*name]["words"].as_array().expect("words").clone());
    words.map(|word| word.as_u64().expect("words are numbers") as u32).collect()
}

#[test]
fn kernels_give_the_interpreters_numbers() {
    let scratch = Scratch::new("metal-kernels");
    let (mut driver, mut calls) = (metal::PREAMBLE.to_owned(), String::new());
    let (mut expected, mut files) = (Vec::new(), Vec::new());
    for (number, kernel) in kernels().iter().enumerate() {
        let file = scratch.write(&format!("kernel_{number}.slang"), kernel.source);
        let file = file.to_str().expect("paths are text").to_owned();
        let text = emit(&file, &["--entry", "main"]);
        expected.push(by_interpreter(&file, kernel, &scratch));
        let _ = writeln!(driver, "namespace program_{number}\n{{\n{}", metal::as_cpp(&text));
        let _ = writeln!(calls, "    program_{number}::host::run();");
        // In a namespace of their own, since names of buffers may be names of the program.
        driver += "namespace host\n{\n";
        for (name, words, out) in &kernel.buffers {
            let list: Vec<String> = words.iter().map(|word| format!("{word}u")).collect();
            let _ = writeln!(driver, "alignas(16) static unsigned of_{name}[] = {{ {} }};", list.join(", "));
            if *out {
                let _ = writeln!(calls, "    print_bits(program_{number}::host::of_{name}, {});", words.len());
            }
        }
        let grid = Grid { groups: kernel.groups, threads: group_size(&file) };
        let _ = writeln!(driver, "{}}}\n}}", metal::host(&text, "main_0", grid, &|name| format!("of_{name}")));
        files.push(file);
    }
    let _ = writeln!(driver, "int main()\n{{\n{calls}}}");
    let printed = metal::run(&scratch.0, &driver).expect("the texts are accepted, and run");
    let mut rest = &printed[..];
    for ((file, expected), kernel) in files.iter().zip(&expected).zip(kernels()) {
        let (mine, after) = rest.split_at(expected.len());
        rest = after;
        for (index, (&got, &wanted)) in mine.iter().zip(expected).enumerate() {
            let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
            let is_close = got == wanted || (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1e-3);
            let what = || format!("{x} ({got}), the interpreter says {y} ({wanted})");
            assert!(is_close, "{file}: word {index} is {}\n{}", what(), kernel.source);
        }
    }
    assert!(rest.is_empty());
}

/// What Metal cannot have, or is not written for it, and what is said of it.
const REFUSED: &[(&str, &str)] = &[
    (
        "[numthreads(1, 1, 1)] void main() { double x = result[0]; result[0] = float(x * x); }",
        "the type `double` is not supported for target `metal`",
    ),
    (
        "float f(float x, int n) { return n > 0 ? f(x * x, n - 1) : x; } [numthreads(1, 1, 1)] void main() { result[0] = f(result[0], int(result[1])); }",
        "calls itself, which GPU code cannot do",
    ),
    ("uniform float* from; [numthreads(1, 1, 1)] void main() { result[0] = from[1]; }", "not supported for this target"),
    ("[numthreads(1, 1, 1)] void main() { printf(\"%f\", result[0]); }", "`printf` is not supported for target `metal`"),
    (
        "RaytracingAccelerationStructure scene; [numthreads(1, 1, 1)] void main()
         { RayQuery<RAY_FLAG_NONE> q; RayDesc r = {}; q.TraceRayInline(scene, 0, 255, r); q.Proceed(); result[0] = q.CommittedRayT(); }",
        "is not supported for target `metal`",
    ),
    (
        "struct B { StructuredBuffer<float> x; }; ParameterBlock<B> block; [numthreads(1, 1, 1)] void main() { result[0] = block.x[0]; }",
        "`block`: a parameter block with resources in it is not supported for target `metal`",
    ),
    (
        "StructuredBuffer<float> x : register(t0, space2); [numthreads(1, 1, 1)] void main() { result[0] = x[0]; }",
        "`x`: a register space is not supported for target `metal`",
    ),
    (
        "StructuredBuffer<float> x[3]; [numthreads(1, 1, 1)] void main() { result[0] = x[1][0]; }",
        "`x`: an array of resources is not supported for target `metal`",
    ),
    (
        "RWBuffer<uint> x; [numthreads(1, 1, 1)] void main() { InterlockedAdd(x[1], 1); result[0] = x[1]; }",
        "an atomic operation on a texel is not supported for target `metal`",
    ),
    (
        "RWBuffer<float2> x; [numthreads(1, 1, 1)] void main() { x[1].y = 2; result[0] = 1; }",
        "writing a part of a texel is not supported for target `metal`",
    ),
    (
        "StructuredBuffer<float> x; [numthreads(1, 1, 1)] void main() { uint n, s; x.GetDimensions(n, s); result[0] = n; }",
        "the length of a buffer is not supported for target `metal`",
    ),
    (
        "RWStructuredBuffer<uint64_t> x; [numthreads(1, 1, 1)] void main() { InterlockedAdd(x[0], 1); result[0] = 1; }",
        "an atomic operation on `uint64_t` here is not supported for target `metal`",
    ),
    (
        "[numthreads(32, 1, 1)] void main() { result[0] = WaveActiveBallot(result[1] > 0).x; }",
        "is not supported for target `metal`",
    ),
    (
        "Texture3D<float> t; SamplerComparisonState s; [numthreads(1, 1, 1)] void main() { result[0] = t.SampleCmpLevelZero(s, float3(0), 0.5); }",
        "not supported for target `metal`",
    ),
    (
        "Texture2D<float4> t; SamplerState s; SamplerComparisonState c; [numthreads(1, 1, 1)] void main()
         { result[0] = t.SampleCmpLevelZero(c, float2(0), 0.5) + t.SampleLevel(s, float2(0), 0).y; }",
        "not supported for target `metal`",
    ),
    (
        "struct S { float3 a; float b; }; ConstantBuffer<S, ScalarDataLayout> x; [numthreads(1, 1, 1)] void main() { result[0] = x.b; }",
        "`x`: a layout of its own is not supported for target `metal`",
    ),
    (
        "[numthreads(8, 1, 1)] void main() { GroupMemoryBarrier(); result[0] = 1; }",
        "a barrier for memory that does not wait for the group is not supported for target `metal`",
    ),
    (
        "[numthreads(1, 1, 1)] void main() { precise float x = result[1] * 2 + 1; result[0] = x; }",
        "`main`: `precise` is not supported for target `metal`",
    ),
    (
        "globallycoherent RWStructuredBuffer<float> x; [numthreads(1, 1, 1)] void main() { x[0] = 1; result[0] = 1; }",
        "`x`: `globallycoherent` is not supported for target `metal`",
    ),
    (
        "[shader(\"vertex\")] float4 main(float4 p : POSITION, out float clip : SV_ClipDistance0) : SV_Position { clip = 1; return p; }",
        "the semantic `SV_CLIPDISTANCE0` is not supported for target `metal`",
    ),
    (
        "[shader(\"fragment\")] float4 main(float4 p : COLOR) : SV_Target { return ddx_fine(p); }",
        "is not supported for target `metal`",
    ),
    (
        "[shader(\"miss\")] void main(inout float4 p) { p = 0; }",
        "`main`: miss entry points are not supported for target `metal`",
    ),
    (
        "RWByteAddressBuffer x; [numthreads(1, 1, 1)] void main() { x.Store<uint16_t>(2, uint16_t(1)); result[0] = 1; }",
        "writing values of less than 32 bits to a byte-address buffer is not supported",
    ),
];

#[test]
fn what_metal_cannot_have_is_refused_by_name() {
    let scratch = Scratch::new("metal-refused");
    let mut wrong = String::new();
    for (source, message) in REFUSED {
        let file = scratch.write("refused.slang", &format!("RWStructuredBuffer<float> result;\n{source}\n"));
        let file = file.to_str().expect("paths are text");
        let (status, out, said) = outcome(&["emit", file, "--target", "metal", "--entry", "main"]);
        if status == Some(0) || !out.is_empty() || !said.contains(message) || !said.contains("refused.slang:") {
            let _ = writeln!(wrong, "{source}\n{said}{out}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let file = scratch.write("checked.slang", "RWStructuredBuffer<float> result; [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) { result[i.x] = 1; }");
    let (status, _, said) =
        outcome(&["emit", file.to_str().expect("paths are text"), "--target", "metal", "--checked"]);
    assert!(status != Some(0) && said.contains("the length of a buffer is not supported for target `metal`"), "{said}");
}

/// A texture whose texels are compared is one of depths, and a depth is one number where it is read, too.
const COMPARED: &str = "
Texture2D<float4> shadow; Texture2DArray<float> cascades; TextureCube<float> around; TextureCubeArray<float> lights;
SamplerState how; SamplerComparisonState less;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float3 at = float3(id);
    float sum = shadow.SampleCmpLevelZero(less, at.xy, 0.5) + shadow.SampleCmpLevelZero(less, at.xy, 0.5, int2(1, -1));
    sum += shadow.SampleCmpLevel(less, at.xy, 0.5, 2.0) + shadow.GatherCmp(less, at.xy, 0.5).y;
    sum += cascades.SampleCmpLevelZero(less, at, 0.5) + cascades.SampleLevel(how, at, 0) + cascades.GatherCmp(less, at, 0.5, int2(1, 2)).x;
    sum += cascades.Load(int4(id, 0)) + cascades.Gather(how, at).w;
    sum += around.SampleCmpLevelZero(less, at, 0.5) + lights.SampleCmpLevelZero(less, float4(at, 1), 0.5);
    result[id.x] = sum;
}";

#[test]
fn texels_are_compared() {
    let scratch = Scratch::new("metal-compared");
    let file = scratch.write("compared.slang", COMPARED);
    let text = emit(file.to_str().expect("paths are text"), &["--entry", "main"]);
    for words in [
        "depth2d<float, access::sample> shadow [[texture(0)]]",
        "depth2d_array<float, access::sample> cascades",
        "depthcube<float, access::sample> around",
        "depthcube_array<float, access::sample> lights",
        ", level(0.0f), int2(1, -1))",
        ".gather_compare(less, ",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let driver = format!("{}{}\nint main() {{}}\n", metal::PREAMBLE, metal::as_cpp(&text));
    metal::run(&scratch.0, &driver).unwrap_or_else(|said| panic!("{said}\n{text}"));
}

/// Buffers of texels of each number and count, read whole and by component, and written.
#[test]
fn texels_lie_in_buffers() {
    let scratch = Scratch::new("metal-texels");
    for (scalar, word) in [("float", "float"), ("int", "int"), ("uint", "uint"), ("half", "half")] {
        for count in ["", "2", "3", "4"] {
            let ty = format!("{scalar}{count}");
            let component = if count.is_empty() { "" } else { ".y" };
            let source = format!(
                "Buffer<{ty}> seen; RWBuffer<{ty}> changed; RWStructuredBuffer<float> result;
                 [numthreads(1, 1, 1)] void main(int3 i : SV_DispatchThreadID)
                 {{ {ty} x = seen[i.x]; changed[i.x + 1] = x + changed[i.y]; result[0] = float(seen[i.x]{component}); }}"
            );
            let file = scratch.write("texels.slang", &source);
            let text = emit(file.to_str().expect("paths are text"), &["--entry", "main"]);
            for words in [
                format!("texture_buffer<{word}, access::read> seen [[texture(0)]]"),
                format!("texture_buffer<{word}, access::read_write> changed [[texture(1)]]"),
            ] {
                assert!(text.contains(&words), "{words}\n{text}");
            }
            let driver = format!("{}{}\nint main() {{}}\n", metal::PREAMBLE, metal::as_cpp(&text));
            metal::run(&scratch.0, &driver).unwrap_or_else(|said| panic!("{said}\n{text}"));
        }
    }
}

/// Shaders of both stages that are drawn with.
const DRAWN: &str = "
struct Seen
{
    float4 position : SV_Position; float2 uv : TEXCOORD0; float3 normal : TEXCOORD1; nointerpolation uint id : ID;
    noperspective float w : WEIGHT2;
};
uniform float4 scale; Texture2D<float4> image; SamplerState how;
[shader(\"vertex\")] Seen vs(float3 position : POSITION, float2 uv : TEXCOORD0, uint v : SV_VertexID, uint n : SV_InstanceID)
{
    Seen o;
    o.position = float4(position, 1) * scale; o.uv = uv.yx; o.normal = position.zyx; o.id = v * 10 + n; o.w = uv.x;
    return o;
}
struct Colours { float4 first : SV_Target0; float2 second : SV_Target1; float depth : SV_Depth; };
[shader(\"fragment\")] Colours fs(Seen i, bool front : SV_IsFrontFace, uint number : SV_PrimitiveID)
{
    Colours o;
    if (!front) discard;
    clip(i.w - 100);
    o.first = image.Sample(how, i.uv) + i.position + float(i.id); o.second = ddx(i.uv) + i.normal.xy * i.w; o.depth = float(number) * 0.5;
    return o;
}
";

#[test]
fn stages_hand_on_what_slangcs_do() {
    let scratch = Scratch::new("metal-stages");
    let file = scratch.write("drawn.slang", DRAWN);
    let file = file.to_str().expect("paths are text");
    let [vertex, fragment] = ["vs", "fs"].map(|entry| emit(file, &["--entry", entry]));
    let driver = format!(
        "{}namespace vertices\n{{\n{}}}\nnamespace fragments\n{{\n{}}}
int main()
{{
    const vertices::GlobalParams params = {{ float4(2.0f, 3.0f, 4.0f, 5.0f) }};
    const vertices::vs_Input input = {{ float3(1.0f, 2.0f, 3.0f), float2(0.25f, 0.5f) }};
    const auto out = vertices::vs(input, 7, 4, 9, 3, &params);
    const auto& seen = reinterpret_cast<const float*>(&out);
    print_bits((const unsigned*)&out, 4);
    print_bits((const unsigned*)&out + 4, 2);
    print_bits((const unsigned*)&out + 8, 3);
    (void)seen;
    const fragments::fs_Input in = {{ float2(0.5f, 0.25f), float3(3.0f, 2.0f, 1.0f), 36u, 2.0f }};
    const auto colours = fragments::fs(in, float4(10.0f, 20.0f, 30.0f, 40.0f), false, 5, {{}}, {{}});
    print_bits((const unsigned*)&colours, 7);
    std::printf(\"%d\\n\", discarded);
}}
",
        metal::PREAMBLE,
        metal::as_cpp(&vertex),
        metal::as_cpp(&fragment)
    );
    let printed = metal::run(&scratch.0, &driver).unwrap_or_else(|said| panic!("{said}\n{vertex}{fragment}"));
    let vertex_numbers = [2.0, 6.0, 12.0, 5.0, 0.5, 0.25, 3.0, 2.0, 1.0];
    let fragment_numbers = [46.0, 56.0, 66.0, 76.0, 6.0, 4.0, 2.5];
    assert_eq!(printed[..16], floats(&[&vertex_numbers[..], &fragment_numbers].concat()));
    // It is turned away, and what is clipped is negative.
    assert_eq!(printed[16], 2);
    let attributes = |text: &str| -> Vec<String> {
        let found = text.split("[[").skip(1).filter_map(|rest| Some(rest.split_once("]]")?.0.to_owned()));
        // How values follow from the vertices is a fragment's business; numbers are counted from the call on.
        let not = ["vertex", "fragment", "flat", "base_vertex", "base_instance", "center_no_perspective"];
        let mut found: Vec<String> = found.filter(|word| !not.contains(&word.as_str())).collect();
        found.sort();
        found
    };
    assert!(
        fragment.contains("[[user(ID)]] [[flat]]") && fragment.contains("[[user(WEIGHT_2)]] [[center_no_perspective]]")
    );
    let Some(slangc) = std::env::var_os("SLANGC").map(PathBuf::from).filter(|path| path.exists()) else { return };
    // To it `clip` is not for Metal.
    let file = scratch.write("theirs.slang", &DRAWN.replace("clip(i.w - 100);", ""));
    let file = file.to_str().expect("paths are text");
    for (entry, stage, ours) in [("vs", "vertex", &vertex), ("fs", "fragment", &fragment)] {
        let mut command = std::process::Command::new(&slangc);
        command.args([file, "-target", "metal", "-entry", entry, "-stage", stage]);
        let theirs =
            whole_program_tests::process::output_of(&mut command).expect("slangc runs").expect("slangc takes it");
        assert_eq!(attributes(ours), attributes(&theirs), "{ours}\n{theirs}");
    }
}
