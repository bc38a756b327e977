//! Every program of `fixtures/gradients` and `fixtures/derivatives` as GLSL and HLSL: the compilers of the languages accept
//! it without a warning, and the GLSL gives the interpreter's numbers on a Vulkan device. Random programs as HLSL: DXC, which
//! looks for reads without a value and indices out of bounds after it has optimised, accepts them.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use gpu::{Binding, Gpu, Resource};
use test_support::random_source::{Construct, random_source};
use whole_program_tests::process::Limited as _;
use whole_program_tests::{
    programs::{WORDS, analyzer, gradient_fixtures, interpret, is_close, slang_files, spirv_words},
    random_kernels::kernel,
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
    emit_entry(file, target, "main")
}

fn emit_entry(file: &str, target: &str, entry: &str) -> Vec<u8> {
    analyzer(&["emit", file, "--target", target, "--entry", entry])
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

fn compile_hlsl(dxc: &Path, text: &[u8], arguments: &[&str], scratch: &Scratch) -> Output {
    let source = scratch.file("main.hlsl");
    std::fs::write(&source, text).expect("the scratch file can be written");
    let language = ["-T", "cs_6_6", "-enable-16bit-types", "-HV", "2021"];
    Command::new(dxc).arg(&source).args(language).args(arguments).finished().expect("DXC runs")
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
        let text = emit(file, "hlsl");
        let output = compile_hlsl(&dxc, &text, &["-E", "main", "-WX"], &scratch);
        assert_accepted(&output, &format!("{file} as HLSL"), &text);
    }
}

/// What random programs take by turns for the number that they read: that, or one that is known and more than any loop gets to.
const NUMBERS: [&str; 2] = ["int(inputs[4])", "1000"];

/// What the programs read and write.
const PARAMETERS: &str = "StructuredBuffer<float> inputs;\nRWStructuredBuffer<float> result;\n";

/// Random programs of which DXC gets those that leave loops and functions early.
const RANDOM: u64 = 160;

#[test]
fn dxc_accepts_random_programs_that_leave_early() {
    let (dxc, scratch) = (dxc(), Scratch::new("random-hlsl"));
    let (mut compiled, mut refused) = (0, Vec::new());
    for seed in 0..RANDOM {
        let source = random_source(seed);
        // HLSL has few functions of double precision.
        if !source.constructs.contains(&Construct::EarlyReturn) || source.has_double {
            continue;
        }
        let program = kernel(seed, source);
        let number = NUMBERS[compiled % NUMBERS.len()];
        let file = scratch.file("random.slang");
        let text = format!("{PARAMETERS}{}", program.text.replace("int(inputs[4])", number));
        std::fs::write(&file, text).expect("the scratch file can be written");
        let text = emit_entry(file.to_str().expect("paths are text"), "hlsl", &program.entry);
        let output = compile_hlsl(&dxc, &text, &["-E", &program.entry], &scratch);
        // Where it crashes, it has said nothing about the text.
        if output.status.code().is_some_and(|code| code != 0) {
            refused.push(format!("{} with {number}: {}", program.name, String::from_utf8_lossy(&output.stderr)));
        }
        compiled += usize::from(output.status.success());
    }
    assert!(refused.is_empty(), "{} of {compiled}:\n{}", refused.len(), refused.join("\n"));
    assert!(compiled >= 48, "{compiled} programs leave early");
}

/// A loop that is left when `$W`, by `$L`, and does `$S` in each iteration; for numbers of which no iteration has some.
const LEFT: &str = "
[Differentiable]
float left(float x, int n)
{
    float a[4] = { x, 1.0, x * x, 0.5 };
    float acc = x;
    [MaxIters(4)]
    for (int i = 0; i < 4; i++)
    {
        if ($W)
            $L
        $S
    }
    return acc + a[1] * a[3];
}
[Differentiable] float each(float x) { return left(x, -1) + left(x, 2) * left(x, 7); }
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    var x = diffPair(inputs[0]);
    bwd_diff(each)(x, 1.0);
    result[0] = x.d;
}
";

const WHEN: [&str; 6] = ["i == n", "i + 1 == n", "2 * i == n", "i % 2 == n", "i == n && acc > 0.5", "acc > 2.0"];
const HOW: [&str; 3] = ["return acc * acc;", "break;", "{ acc = exp(acc); break; }"];
const STEPS: [&str; 3] = [
    "acc += sin(x);",
    "a[i] = acc * x; acc += a[(i + 1) % 4];",
    "if (x > 0.25) { float t = exp(acc); acc = t * t; } else acc *= x;",
];

/// DXC writes `n` for `i` where they are equal, and refuses what is out of bounds then, though no run comes by.
#[test]
fn dxc_accepts_loops_that_are_left_where_no_iteration_is() {
    let (dxc, scratch) = (dxc(), Scratch::new("left-hlsl"));
    let file = scratch.file("left.slang");
    let mut refused = Vec::new();
    for (when, how) in WHEN.iter().flat_map(|when| HOW.map(|how| (when, how))) {
        for step in STEPS {
            let text = format!("{PARAMETERS}{LEFT}").replace("$W", when).replace("$L", how).replace("$S", step);
            std::fs::write(&file, text).expect("the scratch file can be written");
            let text = emit(file.to_str().expect("paths are text"), "hlsl");
            let output = compile_hlsl(&dxc, &text, &["-E", "main"], &scratch);
            if !output.status.success() {
                refused.push(format!("{when}, {how}, {step}: {}", String::from_utf8_lossy(&output.stderr)));
            }
        }
    }
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}
