//! Programs as C++ and CUDA: those of the fixtures and random ones give the interpreter's numbers as C++, and NVIDIA's
//! compiler accepts them as CUDA.

use std::{fmt::Write as _, path::PathBuf, process::Command};

use test_support::random_source::random_source;
use whole_program_tests::process::succeeded;
use whole_program_tests::{
    programs::{WORDS, analyzer, gradient_fixtures, interpret, slang_files},
    root, slangc,
};

/// Random programs, from seed 0 on.
const RANDOM: u64 = 6;

/// A folder for temporary files that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Scratch(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the folder for temporary files can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Programs with an entry point `main` and a buffer `result`.
fn programs(scratch: &Scratch) -> Vec<String> {
    let mut files = gradient_fixtures();
    // This one has tables to fill.
    let has_one_buffer = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem != "hash_grid");
    files.extend(slang_files("fixtures/kernels").into_iter().filter(has_one_buffer));
    files.extend((0..RANDOM).map(|seed| {
        let text = slangc::kernel(&random_source(seed));
        scratch.write(&format!("random_{seed}.slang"), &text)
    }));
    assert!(files.len() >= 30);
    files.into_iter().map(|path| path.to_str().expect("paths are text").to_owned()).collect()
}

/// The code of a program, with tests of its indices: some have more results than there is room for, and the interpreter drops
/// those.
fn emit(file: &str, target: &str) -> String {
    let arguments = ["emit", file, "--target", target, "--entry", "main", "--checked"];
    String::from_utf8(analyzer(&arguments)).expect("the code is text")
}

/// All programs in one text, since most of the compiler's time goes into starting: what would have one name in all of
/// them gets a number.
fn driver(count: usize) -> String {
    let mut text = String::from(
        "#include <cstdio>
#include <cstring>
static void print_bits(const void* number)
{
    unsigned bits;
    std::memcpy(&bits, number, 4);
    std::printf(\"%u\\n\", bits);
}
",
    );
    for number in 0..count {
        let _ = write!(
            text,
            "#define shader shader_{number}
#define run_main run_{number}
#include \"{number}.cpp\"
#undef shader
#undef run_main
"
        );
    }
    let _ = write!(text, "int main()\n{{\n");
    for number in 0..count {
        let _ = write!(
            text,
            "    {{
        static float result[{WORDS}];
        shader_{number}::run_{number}(1, 1, 1, result, {WORDS});
        for (const float& number : result) print_bits(&number);
    }}
"
        );
    }
    text + "}\n"
}

#[test]
fn cpp_gives_the_interpreters_numbers() {
    let scratch = Scratch::new("cpp");
    let programs = programs(&scratch);
    let spec = scratch.0.join("spec.json");
    let mut expected = Vec::new();
    for (number, file) in programs.iter().enumerate() {
        scratch.write(&format!("{number}.cpp"), &emit(file, "cpp"));
        expected.push(interpret(file, &spec));
        // A random program may come to nothing.
        let is_random = file.contains("random_");
        assert!(is_random || expected[number].iter().any(|&word| word != 0), "{file} computes nothing");
    }
    let empty = expected.iter().filter(|words| words.iter().all(|&word| word == 0)).count();
    assert!(empty * 2 <= RANDOM as usize, "{empty} programs compute nothing");
    let driver = scratch.write("driver.cpp", &driver(programs.len()));
    let program = scratch.0.join("driver");
    let flags = ["-std=c++17", "-O0", "-Wall", "-Werror", "-Wno-unused", "-Wno-tautological-compare"];
    succeeded(Command::new("g++").args(flags).arg(&driver).arg("-o").arg(&program));
    let printed = succeeded(&mut Command::new(&program));
    let results: Vec<u32> = printed.lines().map(|line| line.parse().expect("words are numbers")).collect();
    assert_eq!(results.len(), WORDS * programs.len());
    for ((file, result), expected) in programs.iter().zip(results.chunks(WORDS)).zip(&expected) {
        let expected: Vec<f32> = expected.iter().map(|&word| f32::from_bits(word)).collect();
        // Small results are differences of larger numbers, which the interpreter rounds less often.
        let scale = expected.iter().fold(1.0f32, |scale, number| scale.max(number.abs()));
        for (index, (&got, wanted)) in result.iter().zip(expected).enumerate() {
            let (got, largest) = (f32::from_bits(got), f32::from_bits(got).abs().max(0.01 * scale));
            let is_close = (got - wanted).abs() <= 1e-4 * largest;
            assert!(is_close, "{file}: result[{index}] is {got}, the interpreter says {wanted}");
        }
    }
}

/// Has NVIDIA's compiler accept files.
fn assert_accepted(files: &[PathBuf]) {
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), PathBuf::from);
    assert!(library.exists(), "{} is not there: `tests/tools/install.sh target/tools` installs it", library.display());
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).args(files));
}

/// What hosts and other code of the device say of the code of each file of `fixtures/cuda`: how they call functions, and how
/// large what they hand over is. The sizes are those of slangc's types, in which nothing is aligned to more than a scalar.
const CALLERS: [(&str, &str); 4] = [
    (
        "bindings",
        "__device__ float3 called() { float height; int count = 1; return direction(float2(1.0f, 2.0f), &height, &count); }
         template <void (*KERNEL)(DiffTensorView_float_AtomicAdd, DiffTensorView_float_AtomicAdd, float)> struct Started {};
         __device__ Started<__kernel__scale> primal_of(); __device__ Started<__kernel__scale_fwd_diff> forward_of(); __device__ Started<__kernel__scale_bwd_diff> back_of();
         static_assert(sizeof(DiffTensorView_float_AtomicAdd) == 112, \"\");",
    ),
    (
        "parameters",
        "static_assert(sizeof(Packed<Camera>) == 72 && sizeof(Packed<float2>) == 8 && alignof(Packed<float2>) == 4, \"\");
         static_assert(sizeof(Packed<float2x3>) == 24 && sizeof(TensorView_float2) == 56, \"\");
         template <void (*KERNEL)(float, Packed<float2>, Packed<Camera>, TensorView_float2, Packed<float2x3>)> struct Started {};
         __device__ Started<project> started();",
    ),
    (
        "shared",
        "template <void (*KERNEL)(TensorView_float, TensorView_float, TensorView_int)> struct Summing {};
         template <void (*KERNEL)(TensorView_float, TensorView_float, TensorView_uint)> struct Warps {};
         __device__ Summing<sums> summing(); __device__ Warps<warps> of_warps();",
    ),
    ("target_switch", "template <void (*KERNEL)(TensorView_float)> struct Started {}; __device__ Started<functions> started();"),
];

#[test]
fn kernels_of_pytorch_are_what_their_hosts_expect() {
    let scratch = Scratch::new("cuda-kernels");
    let names: Vec<String> =
        slang_files("fixtures/cuda").iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    assert_eq!(names, CALLERS.map(|(name, _)| name));
    let file = |(name, caller): (&str, &str)| {
        let path = root().join(format!("fixtures/cuda/{name}.slang"));
        let code = analyzer(&["emit", path.to_str().expect("paths are text"), "--target", "cuda"]);
        let code = String::from_utf8(code).expect("the code is text");
        scratch.write(&format!("{name}.cu"), &format!("{code}\nnamespace shader\n{{\n{caller}\n}}\n"))
    };
    assert_accepted(&CALLERS.map(file));
}

#[test]
fn nvrtc_accepts_cuda() {
    let scratch = Scratch::new("cuda");
    let files: Vec<PathBuf> = programs(&scratch)
        .iter()
        .enumerate()
        .map(|(number, file)| scratch.write(&format!("{number}.cu"), &emit(file, "cuda")))
        .collect();
    assert_accepted(&files);
}

/// Blocks of constants in blocks, in arrays and as parameters: addresses, as in what slangc writes.
const BLOCKS: &str = "
struct Inner { float4 scale; float weights[3]; }
struct Outer { ConstantBuffer<Inner> inner; float bias; RWStructuredBuffer<float> out; ParameterBlock<Inner> more; }
ParameterBlock<Outer> block;
ConstantBuffer<Inner> many[2];
ConstantBuffer<Inner> single;
float weighted(ConstantBuffer<Inner> from, int i) { return from.weights[i] * from.scale.y; }
Inner whole(ConstantBuffer<Inner> from) { return from; }
[shader(\"compute\")] [numthreads(2, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    int i = id.x;
    float x = weighted(block.inner, i) + weighted(many[i], i + 1) + weighted(single, 1) + block.bias;
    block.out[i] = x + block.inner.scale.z + block.more.scale.x + whole(many[1]).weights[2];
}";

#[test]
fn blocks_in_blocks_are_addresses() {
    let scratch = Scratch::new("nested-blocks");
    let file = scratch.write("blocks.slang", BLOCKS);
    let code = |target| emit(file.to_str().expect("paths are text"), target);
    let layout = "static_assert(sizeof(Outer) == 40 && sizeof(ConstantBuffer<Inner>) == 8, \"\");";
    let cuda = scratch.write("blocks.cu", &format!("{}\nnamespace shader\n{{\n{layout}\n}}\n", code("cuda")));
    assert_accepted(&[cuda]);
    let host = format!(
        "namespace shader\n{{\n{layout}\n}}
int main()
{{
    using namespace shader;
    Inner values[4];
    for (int i = 0; i < 4; i++) values[i] = Inner{{float4(i + 1, i + 2, i + 3, 0), {{i + 1.0f, i + 2.0f, i + 3.0f}}}};
    float out[2] = {{}};
    Outer block{{values[0], 0.5f, {{out, 2}}, values[1]}};
    Array<ConstantBuffer<Inner>, 2> many{{{{values[2], values[3]}}}};
    run_main(1, 1, 1, &block, &many, &values[1]);
    std::printf(\"%g %g\\n\", out[0], out[1]);
}}
"
    );
    let source = scratch.write("blocks.cpp", &format!("{}{host}", code("cpp")));
    let program = scratch.0.join("blocks");
    succeeded(
        Command::new("g++")
            .args(["-std=c++17", "-Wall", "-Werror", "-Wno-narrowing"])
            .arg(&source)
            .arg("-o")
            .arg(&program),
    );
    // 1·2 + 4·4 + 3·3 + 0.5 + 3 + 2 + 6, and 2·2 + 6·5 + 3·3 + 0.5 + 3 + 2 + 6.
    assert_eq!(succeeded(&mut Command::new(&program)).trim(), "38.5 54.5");
}

/// The clock runs, and pointers are printed.
#[test]
fn what_is_asked_of_the_machine_is_accepted() {
    let scratch = Scratch::new("machine");
    let program = "RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(uniform float* from)
        {
            uint2 before = getRealtimeClock();
            result[0] = float(getRealtimeClockLow() - before.x) + float(clockARB());
            printf(\"%p %d\\n\", from, 3);
        }";
    let file = scratch.write("machine.slang", program);
    let code = |target| emit(file.to_str().expect("paths are text"), target);
    assert_accepted(&[scratch.write("machine.cu", &code("cuda"))]);
    let source = scratch.write("machine.cpp", &code("cpp"));
    succeeded(Command::new("g++").args(["-std=c++17", "-Wall", "-Werror", "-fsyntax-only"]).arg(&source));
}
