//! Names of the user's that mean something in a target, or that emitted code uses itself: of parameters, locals, fields,
//! functions, globals, types, methods, enums, their cases, namespaces, interfaces and shader parameters. All engines give
//! the interpreter's numbers, and the compilers for HLSL and CUDA accept what is emitted.

use std::{fmt::Write as _, path::PathBuf, process::Command};

use whole_program_tests::process::Limited as _;
use whole_program_tests::{
    engines::{Depth, Engine, Program, compare},
    programs::analyzer,
    root,
};

const WORDS: &[&str] = &[
    // What emitted code names itself.
    "error failed result self this_cotangent this_tangent return_cotangent return_tangent x_cotangent x_tangent \
     residuals t t_1 old_x value main1 shader rt vec mat lanes traits integer_traits convert quotient remainder \
     wrapping_add wrapping_sub wrapping_mul wrapping_neg shift_left shift_right outside vector_align Array \
     StructuredBuffer_ LIBM FN OPERATOR FLOAT1 FLOAT2 LIFT2 DifferentialPair_float dResult selector unused \
     count index wide unsigned_type run_main thread Thread Globals globals params element items rows p d y",
    // Keywords, macros and functions of C++.
    "alignas and and_eq asm auto bitand bitor char8_t char16_t char32_t compl concept consteval constinit \
     const_cast co_await co_return co_yield decltype delete dynamic_cast explicit friend goto mutable \
     noexcept not not_eq or or_eq protected register reinterpret_cast requires static_assert static_cast \
     thread_local typeid virtual wchar_t xor xor_eq std int32_t uint32_t uint8_t size_t uint64_t int8_t memcpy \
     printf puts NULL EOF INFINITY NAN HUGE_VAL M_PI assert errno stdin stdout stderr j0 j1 jn y0 y1 yn gamma \
     signgam div abs labs exit abort signbit isnan isinf isfinite fpclassify linux unix i386 offsetof INT_MAX \
     UINT32_MAX INT32_MIN FLT_MAX",
    // Of CUDA.
    "threadIdx blockIdx blockDim gridDim warpSize dim3 float3 float4 int2 int3 int4 uint2 uint4 double2 uchar4 \
     half2 atomicAdd atomicCAS saturate rsqrtf sinf cosf fmaf tex2D surf2Dread warp clock min max",
    // Of HLSL.
    "AppendStructuredBuffer asm_fragment BlendState Buffer ByteAddressBuffer CompileShader ComputeShader \
     ConsumeStructuredBuffer DepthStencilState DepthStencilView DomainShader dword fxgroup GeometryShader \
     Hullshader InputPatch line lineadj LineStream min16float min10float min16int min12int min16uint \
     OutputPatch packoffset pass pixelfragment PixelShader point PointStream RasterizerState RenderTargetView \
     sampler SamplerState SamplerComparisonState snorm stateblock stateblock_state string tbuffer cbuffer \
     technique technique10 texture Texture2D Texture1D TextureCube triangle triangleadj TriangleStream unorm \
     vertexfragment VertexShader float16_t int64_t uint16_t float1 float2x2 float3x3 float4x4 int3x3 bool2 \
     bool3 all any asdouble asfloat asint asuint ceil clamp clip cosh countbits cross D3DCOLORtoUBYTE4 ddx ddy \
     degrees determinant distance dot dst exp exp2 f16tof32 f32tof16 faceforward firstbithigh firstbitlow floor \
     fma fmod frac frexp fwidth GetRenderTargetSampleCount GroupMemoryBarrier InterlockedAdd \
     InterlockedExchange ldexp length lit log log10 log2 mad modf msad4 mul normalize pow rcp reflect refract \
     reversebits round rsqrt sign sincos sinh smoothstep sqrt step tan tanh transpose trunc WaveActiveSum \
     WaveGetLaneIndex select payload raypayload noinline",
    // Of GLSL.
    "attribute varying buffer coherent readonly writeonly atomic_uint layout flat smooth patch subroutine \
     invariant lowp mediump highp precision sampler1D sampler2D sampler3D samplerCube isampler2D image2D \
     uimage2D common partition active filter resource superp input output hvec2 hvec3 fvec2 dvec2 dvec3 vec2 \
     vec3 vec4 ivec2 ivec3 uvec3 uvec4 bvec2 bvec3 mat2 mat3 mat4 mat2x3 dmat2 cast external radians acos asin \
     atan acosh asinh atanh inversesqrt mod mix intBitsToFloat floatBitsToInt floatBitsToUint packUnorm2x16 \
     unpackHalf2x16 outerProduct inverse lessThan lessThanEqual greaterThan equal notEqual bitfieldExtract \
     bitCount findLSB findMSB texelFetch texture1 textureSize imageLoad imageStore barrier memoryBarrier \
     gl_Position gl_GlobalInvocationID dFdx dFdy roundEven subgroupAdd terminateInvocation demote usampler2D \
     EmitVertex",
    // Of WGSL.
    "alias array atomic bitcast diagnostic enable fn loop ptr storage workgroup function read write read_write \
     requires1 const_assert f16 f32 i32 u32 f64 mat2x2 mat4x4 vec2f vec3u vec4i texture_2d texture_storage_2d \
     sampler_comparison abstract await become binding_array cfg crate debugger fallthrough finally from get \
     getattribute global handle impl implements instanceof macro match meta move mut nil null of priv proc pub \
     regardless require restrict set super target trait type typeof undef unless use wgsl with yield \
     arrayLength atomicLoad countOneBits countLeadingZeros dpdx dpdy extractBits firstLeadingBit inverseSqrt \
     insertBits pack2x16float quantizeToF16 reverseBits sample_mask storageBarrier textureDimensions \
     textureLoad textureSample textureStore workgroupBarrier workgroupUniformLoad unpack4x8snorm vertex \
     fragment compute group binding location builtin size align must_use",
    // Of Metal.
    "device constant threadgroup kernel visible mesh object packed_float3 packed simd simd_sum texture2d access component \
     level bias fract rint popcount clz ctz fast as_type uchar ushort ulong long2 short2 MAXFLOAT M_PI_F metal \
     group_count lane_index position_in_grid compare old filled atomic_int mem_flags array_ref place cond then otherwise \
     unpack_P to_int main_0 quotient_int HUGE_VALF imageblock ray_data stitchable bfloat coord address threads",
    // Of Slang, where they are not keywords.
    "This IDifferentiable Differential detach diffPair Optional some Tuple makeTuple var1 bit_cast reinterpret \
     nonuniform static_assert1 dyn any_ ParameterBlock ConstantBuffer Ptr DescriptorHandle Texture2D1 spirv_asm \
     getAddress dzero dadd",
];

/// Words in one program.
const SIZE: usize = 160;

/// What is declared for a word, and how it is used.
struct Form {
    name: &'static str,
    declaration: &'static str,
    usage: &'static str,
    /// Engines give it no buffers but those that all programs have.
    has_buffers: bool,
    /// Words that mean something in Slang there.
    not: &'static [&'static str],
}

/// Modifiers, and what the program has itself.
const WORDS_OF_SLANG: &[&str] = &[
    "This",
    "buffer",
    "cbuffer",
    "coherent",
    "dyn",
    "flat",
    "highp",
    "layout",
    "line",
    "lineadj",
    "lowp",
    "mediump",
    "payload",
    "point",
    "readonly",
    "require",
    "restrict",
    "result",
    "snorm",
    "some",
    "tbuffer",
    "triangle",
    "triangleadj",
    "unorm",
    "writeonly",
];

/// `$` is the word, `#` its number.
const FORMS: [Form; 6] = [
    Form {
        name: "variables",
        declaration: "struct S#_ { float $; float b_; }
float f#_(float $, out float o_) { S#_ s_; s_.$ = $ * 2; s_.b_ = #; o_ = s_.$ + sin($) + s_.b_; return s_.$; }
float g#_(float a_, out float $) { float c_ = a_; $ = c_; for (int i_ = 0; i_ < 2; i_++) $ = $ * c_ + 0.5; return $; }
",
        usage: "{ float o_; f#_(x_, o_); float v_; total_ += o_ + g#_(x_, v_) + v_; }",
        has_buffers: false,
        not: &[],
    },
    Form {
        name: "functions",
        // With the arguments that functions of targets take, and with others.
        declaration: "float $(float x_, int k_, float l_) { float r_ = x_ + #; for (int i_ = 0; i_ < k_; i_++) r_ = r_ * l_ + 0.5; \
                      return r_; }
float $(float x_) { float r_ = x_ + #; for (int i_ = 0; i_ < 3; i_++) r_ = r_ * 0.5 + x_; return r_; }
float $(float x_, float l_) { float r_ = x_ + #; for (int i_ = 0; i_ < 3; i_++) r_ = r_ * l_ + 0.5; return r_; }
",
        usage: "total_ += $(x_, 2, 0.25) + $(x_) + $(x_, 0.25);",
        has_buffers: false,
        not: &["result"],
    },
    Form {
        name: "globals",
        declaration: "static float $ = #;\n",
        usage: "$ += x_; total_ += $ * x_;",
        has_buffers: false,
        not: &["result"],
    },
    Form {
        name: "types",
        declaration: "struct $ { float value_; float get_() { return value_ * 2; } }
struct M#_ { float v_; float $(float a_) { return v_ * a_; } }
enum E#_ { first_, $ = 3 }
namespace N#_ { enum $ { a_ = 2, b_ } }
",
        usage: "{ $ s_ = { x_ }; M#_ m_ = { x_ }; total_ += s_.get_() + m_.$(2) + float(int(E#_.$)) * x_ + float(int(N#_.$.b_)); }",
        has_buffers: false,
        not: WORDS_OF_SLANG,
    },
    Form {
        name: "spaces",
        declaration: "namespace $ { float f#_(float a_) { return a_ * 3; } }
namespace J#_
{
    interface $ { float get_(); }
    struct A_ : $ { float v_; float get_() { return v_; } }
    struct B_ : $ { float v_; float get_() { return v_ * 2; } }
}
float p#_<$ : J#_.$>($ a_) { return a_.get_(); }
",
        usage: "{ J#_.A_ a_ = { x_ }; J#_.B_ b_ = { x_ }; J#_.$ i_ = a_; if (x_ > 0.5) i_ = b_; total_ += $.f#_(x_) + i_.get_() + p#_(a_); }",
        has_buffers: false,
        not: WORDS_OF_SLANG,
    },
    Form {
        name: "parameters",
        declaration: "cbuffer $ { float c#_; }
namespace Q#_ { struct R_ { float3 $; bool b_; } StructuredBuffer<R_> $; }
",
        usage: "total_ += c#_ + Q#_.$[1].$.x;",
        has_buffers: true,
        not: &["result", "inputs"],
    },
];

fn program(form: &Form, number: usize, words: &[&str]) -> Program {
    let (mut declarations, mut uses) = (String::new(), String::new());
    for (index, word) in words.iter().enumerate().filter(|(_, word)| !form.not.contains(word)) {
        let fill = |text: &str| text.replace('$', word).replace('#', &(index % 7).to_string());
        // Words of one remainder differ in their numbers where a number names something.
        let fill = |text: &str| fill(&text.replace("#_", &format!("{index}_")));
        declarations += &fill(form.declaration);
        let _ = writeln!(uses, "    {}", fill(form.usage));
    }
    let text = format!(
        "{declarations}
[shader(\"compute\")]
[numthreads(1, 1, 1)]
void main(uint3 tid_ : SV_DispatchThreadID)
{{
    float x_ = inputs[0], total_ = 0;
    int n_ = int(tid_.x);
{uses}    result[0] = total_ + float(n_);
}}
"
    );
    Program {
        name: format!("{} {number}", form.name),
        text,
        entry: "main".into(),
        values: None,
        inputs: vec![0.75],
        results: 1,
        shares_unit: false,
    }
}

fn programs(has_buffers: bool) -> Vec<Program> {
    let words: Vec<&str> = WORDS.iter().flat_map(|words| words.split_whitespace()).collect();
    let chunks: Vec<&[&str]> = words.chunks(SIZE).collect();
    let of = |form| chunks.iter().enumerate().map(move |(number, words)| program(form, number, words));
    FORMS.iter().filter(|form| form.has_buffers <= has_buffers).flat_map(of).collect()
}

#[test]
fn engines_agree_whatever_things_are_called() {
    // slangc has words of its own that are not names.
    let mut engines = Engine::quick();
    if Engine::available().contains(&Engine::Metal) {
        engines.push(Engine::Metal);
    }
    let programs = programs(false);
    let comparison = compare(&programs, &engines, Depth::All);
    let found: Vec<String> = comparison
        .disagreements
        .iter()
        .map(|disagreement| {
            let what = disagreement.to_string();
            format!("{}: {}", programs[disagreement.program].name, what.chars().take(2000).collect::<String>())
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn compilers_accept_hlsl_and_cuda_whatever_things_are_called() {
    let folder = std::env::temp_dir().join(format!("slang-analyzer-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let tool = |variable, path: &str| std::env::var_os(variable).map_or_else(|| root().join(path), PathBuf::from);
    let (dxc, nvrtc) = (tool("DXC", "target/tools/dxc/dxc"), tool("NVRTC", "target/tools/libnvrtc.so"));
    for program in programs(true) {
        let buffers = "StructuredBuffer<float> inputs;\nRWStructuredBuffer<float> result;\n";
        let source = folder.join("program.slang");
        std::fs::write(&source, format!("{buffers}{}", program.text)).expect("the file can be written");
        let emit = |target: &str| {
            let path = folder.join(format!("program.{target}"));
            let text =
                analyzer(&["emit", source.to_str().expect("paths are text"), "--target", target, "--entry", "main"]);
            std::fs::write(&path, text).expect("the file can be written");
            path
        };
        let mut hlsl = Command::new(&dxc);
        hlsl.arg(emit("hlsl")).args(["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021"]);
        let mut cuda = Command::new("python3");
        cuda.arg(root().join("tests/tools/nvrtc.py")).arg(&nvrtc).arg(emit("cuda"));
        for mut command in [hlsl, cuda] {
            let output =
                command.finished().expect("the compiler runs: tests/tools/install.sh target/tools installs it");
            let messages = [output.stdout, output.stderr].concat();
            let messages: String = String::from_utf8_lossy(&messages).chars().take(3000).collect();
            assert!(output.status.success(), "{}: {messages}", program.name);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
