//! Operations between the threads of a wave: the compilers of the languages accept them.

use std::process::Command;

use whole_program_tests::{
    process::{Scratch, succeeded},
    programs::analyzer,
    root,
};

/// Operations between the threads of a wave, also in functions that are no entry points.
#[test]
fn waves_are_accepted_in_wgsl_and_spirv() {
    let scratch = Scratch::new("waves");
    let program = "RWStructuredBuffer<float> result;
        float mixed(float x) { return WaveActiveSum(x) * WaveGetLaneIndex() + WaveReadLaneAt(x, 1) + WaveGetLaneCount(); }
        [shader(\"compute\")] [numthreads(64, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            float value = mixed(result[id.x]) + WavePrefixSum(id.x) + WaveActiveCountBits(id.x > 3);
            if (WaveIsFirstLane() && WaveActiveAnyTrue(id.x == 5) && WaveActiveAllEqual(id.y))
                value += WaveActiveBallot(id.x > 2).x + QuadReadAcrossX(value);
            result[id.x] = value + WaveGetLaneIndex();
        }";
    let file = scratch.write("waves.slang", program);
    let file = file.to_str().expect("paths are text");
    let wgsl = String::from_utf8(analyzer(&["emit", file, "--target", "wgsl"])).expect("WGSL is text");
    assert!(wgsl.starts_with("enable subgroups;\n"), "{wgsl}");
    for words in ["@builtin(subgroup_invocation_id)", "@builtin(subgroup_size)", "subgroupAdd(", "subgroupBallot("] {
        assert!(wgsl.contains(words), "{words}\n{wgsl}");
    }
    let binary = scratch.file("waves.spv");
    std::fs::write(&binary, analyzer(&["emit", file, "--target", "spirv"])).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
}

/// Operations of the threads of a mask: CUDA's have the mask, in the others all threads that run take part, as for slangc.
#[test]
fn masks_are_cudas() {
    let scratch = Scratch::new("wave-masks");
    let program = "RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(64, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            WaveMask mask = 0xff;
            float x = result[id.x];
            float2 both = WaveMaskReadLaneAt(mask, float2(x, 1), 3);
            x += WaveMaskSum(mask, x) + WaveMaskMax(mask, both.x) + WaveMaskPrefixSum(mask, id.x);
            if (WaveMaskAnyTrue(mask, id.x == 5) && WaveMaskIsFirstLane(mask))
                x += WaveMaskBallot(mask, id.x > 4) + WaveMaskAllEqual(mask, id.xy) + WaveMaskCountBits(mask, id.x > 3) + WaveMaskReadLaneFirst(mask, x);
            result[id.x] = x + WaveGetNumWaves() + WaveActiveBallot(id.x > 7).x + WaveActiveAllEqual(x);
        }";
    let file = scratch.write("masks.slang", program);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");

    let hlsl = text("hlsl");
    assert!(hlsl.contains("((64 + WaveGetLaneCount() - 1) / WaveGetLaneCount())"), "{hlsl}");
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("masks.hlsl", &hlsl);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-HV", "2021"]));

    let glsl = scratch.write("masks.comp", &text("glsl"));
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let binary = scratch.file("masks.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    assert!(text("wgsl").contains("subgroupAdd("));

    let cuda = text("cuda");
    for words in ["wave_sum(", ", 255u)"] {
        assert!(cuda.contains(words), "{words}\n{cuda}");
    }
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("masks.cu", &cuda);
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
}

/// The language has more of its operations in extensions by type, and none of matrices.
#[test]
fn small_and_wide_values_and_matrices_go_between_threads_in_glsl_and_spirv() {
    let scratch = Scratch::new("waves-types");
    let program = "RWStructuredBuffer<uint> r;
        [shader(\"compute\")] [numthreads(64, 1, 1)]
        void main(uint3 t : SV_DispatchThreadID)
        {
            uint v = r[t.x];
            r[0] = uint(WaveActiveSum(half2(v)).y);
            r[1] = uint(WaveActiveSum(int64_t(v)));
            r[2] = uint(WaveActiveSum(int16_t(v)));
            r[3] = uint(WaveReadLaneAt(float2x2(v, 1, 2, 3), 0)[1][0]);
            r[4] = uint(WaveReadLaneFirst(float3x2(v, 1, 2, 3, 4, 5))[1][0]);
            r[5] = uint(WaveActiveSum(float4x4(v))[1][0] + WaveReadLaneAt(int2x2(v, 1, 2, 3), 1)[0][1]);
            r[6] = WaveActiveAllEqual(half3(v)) ? 1 : 2;
        }";
    let file = scratch.write("waves.slang", program);
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "glsl"]);
    let glsl = scratch.write("waves.comp", &String::from_utf8_lossy(&code));
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let binary = scratch.file("waves.spv");
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "spirv"]);
    std::fs::write(&binary, code).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
}

/// What one thread has written is seen by others, without a wait for them.
#[test]
fn memory_barriers_alone_are_accepted() {
    let scratch = Scratch::new("memory-barriers");
    let program = "groupshared uint g[64]; RWStructuredBuffer<uint> r;
        [shader(\"compute\")] [numthreads(64, 1, 1)]
        void main(uint3 t : SV_DispatchThreadID)
        {
            g[t.x] = r[t.x];
            DeviceMemoryBarrier(); GroupMemoryBarrier(); AllMemoryBarrier();
            r[t.x] = g[t.x ^ 1];
        }";
    let file = scratch.write("barriers.slang", program);
    let binary = scratch.file("barriers.spv");
    let words = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "spirv"]);
    std::fs::write(&binary, &words).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    // OpMemoryBarrier has the number 225 and three words.
    let barrier = (3u32 << 16 | 225).to_le_bytes();
    assert_eq!(words.chunks_exact(4).filter(|word| **word == barrier).count(), 3);
}

/// What the languages make of other operations; that it is the same, `programs` shows on a device.
#[test]
fn derived_operations_are_accepted() {
    let scratch = Scratch::new("derived-waves");
    let file = root().join("fixtures/programs/waves_derived.slang");
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("derived.hlsl", &text("hlsl"));
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-HV", "2021"]));
    let glsl = scratch.write("derived.comp", &text("glsl"));
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let binary = scratch.file("derived.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    assert!(text("wgsl").contains("subgroupShuffle("));
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("derived.cu", &text("cuda"));
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
}

/// Calls of all functions that a file of the core library declares, with values of all kinds that they take: a line there is
/// `RESULT NAME<T : BOUND, …>(TYPE NAME, …);`.
fn calls_of_the_core_library(file: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(root().join("crates/prelude/slang").join(file)).expect("the core library is there");
    let declarations =
        text.lines().filter(|line| line.ends_with(");") && line.starts_with(|c: char| c.is_alphabetic()));
    let mut calls = Vec::new();
    for declaration in declarations {
        let (head, parameters) = declaration.trim_end_matches(");").rsplit_once('(').expect("it is a function");
        let (head, bounds) = head.split_once("<T : ").unwrap_or((head, ""));
        let name = head.rsplit(' ').next().expect("it has a name");
        let scalars: &[&str] = match bounds.split([',', '>']).next() {
            Some("__BuiltinArithmeticType") => &["float", "int", "uint64_t", "double", "half"],
            Some("__BuiltinLogicalType") => &["uint", "int", "uint64_t"],
            Some("__BuiltinType") => &["float", "uint", "bool", "half"],
            _ => &["uint"],
        };
        for scalar in scalars {
            let parameters = parameters.replace("vector<T, N>", "vector").replace("matrix<T, R, C>", "matrix");
            let value = |parameter: &str| match parameter.rsplit_once(' ').expect("a parameter has a type and a name") {
                (ty, "mask") => format!("{ty}(255)"),
                ("T", _) => format!("{scalar}(seed)"),
                ("vector", _) => format!("{scalar}3(seed)"),
                ("matrix", _) => format!("{scalar}2x3(seed)"),
                (ty, _) if ty.starts_with("constexpr") => "4".into(),
                (ty, _) => format!("{ty}(seed)"),
            };
            let values: Vec<String> = parameters.split(", ").filter(|text| !text.is_empty()).map(value).collect();
            calls.push(format!("{name}({});", values.join(", ")));
        }
    }
    calls
}

/// CUDA has all operations of waves, masks and partitions, on all types.
#[test]
fn nvrtc_accepts_all_operations_of_the_core_library() {
    let scratch = Scratch::new("all-waves");
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    for (file, least) in [("wave.slang", 100), ("wave_mask.slang", 100), ("wave_multi.slang", 150)] {
        let calls = calls_of_the_core_library(file);
        assert!(calls.len() > least, "{file}: {}", calls.len());
        let program = format!(
            "[shader(\"compute\")] [numthreads(64, 1, 1)] void main(uint seed : SV_GroupIndex)\n{{\n{}\n}}\n",
            calls.join("\n")
        );
        let source = scratch.write(file, &program);
        let cuda = analyzer(&["emit", source.to_str().expect("paths are text"), "--target", "cuda"]);
        let cuda = scratch.write("all.cu", &String::from_utf8_lossy(&cuda));
        succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
    }
}

/// Operations between the threads that a partition puts together, each of a scalar, a vector and a matrix, or of truth values.
#[test]
fn parts_of_waves_have_words_in_glsl_and_spirv() {
    const KINDS: [(&str, &str); 3] = [("", ""), ("PrefixInclusive", "Inclusive"), ("PrefixExclusive", "Exclusive")];
    const NUMBERS: [(&str, &str); 4] = [("Sum", "Add"), ("Product", "Mul"), ("Min", "Min"), ("Max", "Max")];
    const BITS: [(&str, &str); 3] = [("BitAnd", "And"), ("BitOr", "Or"), ("BitXor", "Xor")];
    let (mut body, mut words) = (String::new(), vec!["subgroupPartitionNV(".to_owned()]);
    for (kind, word) in KINDS {
        for (name, combine) in NUMBERS {
            for value in ["x", "y", "i", "id.x", "m"] {
                body.push_str(&format!("{value_of} WaveMulti{kind}{name}({value}, mask);\n", value_of = stored(value)));
            }
            words.push(format!("subgroupPartitioned{word}{combine}NV("));
        }
        for (name, combine) in BITS {
            for value in ["i", "id.x", "id.xy"] {
                body.push_str(&format!("{value_of} WaveMulti{kind}{name}({value}, mask);\n", value_of = stored(value)));
            }
            words.push(format!("subgroupPartitioned{word}{combine}NV("));
        }
    }
    let program = format!(
        "RWStructuredBuffer<float> result; RWStructuredBuffer<float3> triples; RWStructuredBuffer<float2x3> matrices;
        RWStructuredBuffer<int> ints; RWStructuredBuffer<uint> uints; RWStructuredBuffer<uint2> pairs;
        [shader(\"compute\")] [numthreads(64, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {{
            float x = result[id.x]; float3 y = triples[id.x]; float2x3 m = matrices[id.x]; int i = ints[id.x];
            uint4 mask = WaveMatch(i) & WaveMatch(y);
            {body}
        }}"
    );
    let scratch = Scratch::new("wave-parts");
    let file = scratch.write("waves.slang", &program);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let glsl = scratch.write("waves.comp", &String::from_utf8(emit("glsl")).expect("GLSL is text"));
    let text = std::fs::read_to_string(&glsl).expect("it was written");
    for word in words {
        assert!(text.contains(&word), "{word}: {text}");
    }
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let binary = scratch.file("waves.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
}

/// What the result of an operation of a value is added to.
fn stored(value: &str) -> &'static str {
    match value {
        "x" => "result[id.x] +=",
        "y" => "triples[id.x] +=",
        "m" => "matrices[id.x] +=",
        "i" => "ints[id.x] +=",
        "id.x" => "uints[id.x] +=",
        "id.xy" => "pairs[id.x] +=",
        value => panic!("no buffer for {value}"),
    }
}
