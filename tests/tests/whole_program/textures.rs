//! Textures that are read and written by the places of their texels: the compilers of the languages accept them, and the code
//! says what the source does.

use std::process::Command;

use whole_program_tests::{
    process::{Limited as _, Scratch, output_of, succeeded},
    programs::analyzer,
    root,
};

const PROGRAM: &str = "
Texture2D<float4> seen;
Texture2D<int2> numbers;
Texture2DArray<float> layers;
Texture2DMS<float4> samples;
Texture3D<uint> volume;
RWTexture2D<float> height;
RWTexture2D<float4> picture;
[format(\"rgba8\")] RWTexture2D<float4> packed_picture;
RWTexture2DArray<float2> flow;
RWTexture3D<uint> counts;

[shader(\"compute\")] [numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 sum = seen.Load(int3(id.xy, 0)) + samples.Load(int2(id.xy), 1);
    sum.xy += numbers.Load(int3(id.xy, 2));
    sum.z += layers.Load(int4(id, 0)) + volume.Load(int4(id, 0));
    height[id.xy] = height[id.xy] * 2 + sum.x;
    picture[id.xy] = sum;
    packed_picture[id.xy] = sum;
    flow[id] = sum.zw;
    counts[id] = id.x;
}";

#[test]
fn texels_are_read_and_written_by_their_places() {
    let scratch = Scratch::new("textures");
    let file = scratch.write("textures.slang", PROGRAM);
    let file = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", file, "--target", target]);

    // The library that writes it has looked at it.
    let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
    for words in [
        "var seen: texture_2d<f32>",
        "var numbers: texture_2d<i32>",
        "var layers: texture_2d_array<f32>",
        "var samples: texture_multisampled_2d<f32>",
        "var volume: texture_3d<u32>",
        "var height: texture_storage_2d<r32float,read_write>",
        "var picture: texture_storage_2d<rgba32float,write>",
        "var packed_picture: texture_storage_2d<rgba8unorm,write>",
        "var flow: texture_storage_2d_array<rg32float,write>",
        "var counts: texture_storage_3d<r32uint,write>",
    ] {
        assert!(wgsl.contains(words), "{words}\n{wgsl}");
    }
    assert_eq!((wgsl.matches("textureLoad(").count(), wgsl.matches("textureStore(").count()), (6, 5), "{wgsl}");

    let binary = scratch.file("textures.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));

    let glsl = scratch.write("textures.comp", &String::from_utf8_lossy(&emit("glsl")));
    let flags = ["-S", "comp", "--target-env", "vulkan1.1", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("textures.hlsl", &String::from_utf8_lossy(&emit("hlsl")));
    let flags = ["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021", "-WX"];
    succeeded(Command::new(&dxc).arg(&hlsl).args(flags));
}

/// WGSL reads and writes one texture only if its texels are one number of 32 bits.
#[test]
fn what_wgsl_cannot_read_and_write_is_refused() {
    let scratch = Scratch::new("textures-refused");
    let text = "RWTexture2D<float4> t; [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID) { t[id.xy] = t[id.xy] * 2; }";
    let file = scratch.write("textures.slang", text);
    let mut command = Command::new(whole_program_tests::server());
    let output = command.args(["emit", "--target", "wgsl"]).arg(&file).finished().expect("the analyzer runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("reading from a texture that is written, too"), "{said}");
}

/// Images without `[format]` have the format of their texels, as slangc has it, the same one in SPIR-V and GLSL.
#[test]
fn images_have_the_formats_that_are_written() {
    let scratch = Scratch::new("image-formats");
    let program = "RWTexture2D<float4> wide; RWTexture2D<float> narrow; RWTexture2D<uint2> numbers;
        [format(\"rgba8\")] RWTexture2D<float4> packed; RWTexture2D<uint> counts; RWTexture2D<float2> many[3];
        RWTexture2D<half> short_;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
        {
            wide[id.xy] = narrow[id.xy] + 1;
            narrow[id.xy] = 2;
            packed[id.xy] = 0.5;
            numbers[id.xy] = id.xy;
            InterlockedAdd(counts[id.xy], 1);
            many[1][id.xy] = 1;
            short_[id.xy] = short_[id.yx];
        }";
    accepted("image-formats-accepted", program, COMPUTE, &["hlsl", "glsl", "spirv"]);
    let file = scratch.write("formats.slang", program);
    let binary = scratch.file("formats.spv");
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "spirv"]);
    std::fs::write(&binary, code).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    let text = output_of(Command::new("spirv-dis").arg(&binary)).expect("spirv-dis runs").expect("it ends well");
    let mut images: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("OpTypeImage ")).map(|(_, of)| of).collect();
    images.sort_unstable();
    let expected = [
        "%float 2D 0 0 0 2 R16f",
        "%float 2D 0 0 0 2 R32f",
        "%float 2D 0 0 0 2 Rg32f",
        "%float 2D 0 0 0 2 Rgba32f",
        "%float 2D 0 0 0 2 Rgba8",
        "%uint 2D 0 0 0 2 R32ui",
        "%uint 2D 0 0 0 2 Rg32ui",
    ];
    assert_eq!(images, expected, "{text}");
    assert!(!text.contains("WithoutFormat"), "{text}");
}

const SAMPLED: &str = "
    Texture2D<float4> flat;
    Texture2DArray<float> layers;
    Texture3D<float2> volume;
    TextureCube<float4> sky;
    Texture1D<uint> numbers;
    RWTexture2D<float4> picture;
    RWTexture2DArray<uint> counts;
    RWTexture1D<float2> line;
    SamplerState smp;
    RWStructuredBuffer<float> result;
    
    float sampled(Texture2D<float4> t, float2 at) { return t.SampleLevel(smp, at, 0).x; }
    
    [shader(\"compute\")] [numthreads(1, 1, 1)]
    void main(uint3 id : SV_DispatchThreadID)
    {
        result[0] = sampled(flat, float2(0.5));
        result[1] = layers.SampleLevel(smp, float3(0.5, 0.5, 1), 0);
        result[2] = volume.SampleLevel(smp, float3(0.5), 0).y;
        result[3] = sky.SampleLevel(smp, float3(-1, 0, 0), 0).x;
        result[4] = flat.Load(int3(1, 1, 0)).x + flat.Load(int3(9, 1, 0)).x;
        result[5] = numbers.Load(int2(2, 0));
        picture[uint2(1, 0)] = picture[uint2(0, 1)] * 2 + 1;
        counts[uint3(1, 0, 1)] += 5;
        line[3] = line[9] + 1;
        uint w, h, n;
        flat.GetDimensions(w, h);
        result[6] = w * 10 + h;
        layers.GetDimensions(w, h, n);
        result[7] = w * 100 + h * 10 + n;
        float4 g = flat.GatherGreen(smp, float2(0.5));
        result[8] = g.x * 1000 + g.y * 100 + g.z * 10 + g.w;
        picture.GetDimensions(w, h);
        result[9] = w * 10 + h;
    }
    [shader(\"fragment\")] void alone() { result[0] = sampled(flat, float2(0.5)); }";

/// What each number is follows from the texels: `flat` has 0 to 7 in two rows, the faces of the cube 10 to 15, and what is
/// in the middle of texels is their mean.
const DRIVER: &str = "
int main()
{
    using namespace shader;
    float4 texels[8]; float scalars[24]; float2 pairs[8]; float4 faces[6]; uint numbers[4] = {5, 6, 7, 8};
    for (int i = 0; i < 8; i++) texels[i] = float4(float(i), float(i % 5), 0.0f, 0.0f), pairs[i] = float2(0.0f, float(i));
    for (int i = 0; i < 24; i++) scalars[i] = float(i);
    for (int i = 0; i < 6; i++) faces[i] = float4(float(10 + i));
    float4 drawn[4] = {float4(0.0f), float4(0.0f), float4(3.0f), float4(0.0f)};
    uint counted[8] = {}; float2 line[4] = {};
    const Texture2D<float4> flat = {texels, {4, 2, 1}, 1};
    const Texture2DArray<float> layers = {scalars, {4, 2, 1}, 3};
    const Texture3D<float2> volume = {pairs, {2, 2, 2}, 1};
    const TextureCube<float4> sky = {faces, {1, 1, 1}, 6};
    const Texture1D<uint> indices = {numbers, {4, 1, 1}, 1};
    const RWTexture2D<float4> picture = {drawn, {2, 2, 1}, 1};
    const RWTexture2DArray<uint> counts = {counted, {2, 2, 1}, 2};
    const RWTexture1D<float2> strip = {line, {4, 1, 1}, 1};
    const SamplerState smp = {};
    float result[10] = {};
    run_main(1, 1, 1, &flat, &layers, &volume, &sky, &indices, &picture, &counts, &strip, &smp, result, 10);
    for (float value : result) std::printf(\"%g \", value);
    std::printf(\"%g %u %g \", drawn[1].x, counted[5], line[3].x);
    result[0] = 0;
    run_alone(1, 1, 1, &flat, &layers, &volume, &sky, &indices, &picture, &counts, &strip, &smp, result, 10);
    std::printf(\"%g\", result[0]);
}
";

/// In C++ a texture is its texels; the entry point of another stage is a kernel where it has no inputs and outputs.
#[test]
fn textures_have_values_in_cpp_and_are_accepted_in_cuda() {
    let scratch = Scratch::new("sampled-textures");
    let file = scratch.write("sampled.slang", SAMPLED);
    let emit = |target| {
        let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
        String::from_utf8(code).expect("it is text")
    };
    let source = scratch.write("driver.cpp", &(emit("cpp") + DRIVER));
    let program = scratch.file("driver");
    succeeded(Command::new("g++").args(["-std=c++17", "-Wall", "-Werror"]).arg(&source).arg("-o").arg(&program));
    let printed = output_of(&mut Command::new(&program)).expect("the program runs").expect("it ends well");
    assert_eq!(printed, "3.5 11.5 3.5 11 5 7 42 423 121 22 7 5 1 3.5");

    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("sampled.cu", &emit("cuda"));
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
}

/// Texels of every type that can be mixed, read and sampled in every shape of texture.
#[test]
fn texels_of_all_types_are_sampled_in_cpp() {
    let shapes = [
        ("Texture1D", "0.5", "int2(0)"),
        ("Texture2D", "float2(0.5)", "int3(0)"),
        ("Texture2DArray", "float3(0.5)", "int4(0)"),
        ("Texture3D", "float3(0.5)", "int4(0)"),
    ];
    let (mut declarations, mut uses) = (String::new(), String::new());
    for (shape, place, texel) in shapes {
        for scalar in ["float", "half"] {
            for (count, component) in [("", ""), ("2", ".y"), ("3", ".z"), ("4", ".w")] {
                let name = format!("{shape}_{scalar}{count}");
                declarations += &format!("{shape}<{scalar}{count}> {name};\n");
                uses += &format!("sum += float({name}.SampleLevel(s, {place}, 0){component});\n");
                uses += &format!("sum += float({name}.Load({texel}){component});\n");
            }
        }
    }
    let scratch = Scratch::new("texels");
    let program = format!(
        "SamplerState s; RWStructuredBuffer<float> o; {declarations}
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ float sum = 0; {uses} o[0] = sum; }}"
    );
    let file = scratch.write("texels.slang", &program);
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "cpp"]);
    let source = scratch.write("texels.cpp", &String::from_utf8(code).expect("it is text"));
    succeeded(Command::new("g++").args(["-std=c++17", "-fsyntax-only", "-Wall", "-Werror"]).arg(&source));
}

/// Surfaces of CUDA are bytes, and its texture objects have no offsets.
#[test]
fn what_cuda_cannot_do_with_textures_is_refused() {
    let scratch = Scratch::new("textures-refused-cuda");
    let head = "SamplerState s; RWStructuredBuffer<float> o;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)";
    for (declaration, body, words) in [
        ("Texture2D<float> t;", "o[0] = t.SampleLevel(s, float2(0), 0, int2(1));", "`SampleLevel`"),
        ("Texture2DMS<float> t;", "o[0] = t.Load(int2(0), 1);", "this kind of texture"),
        ("[format(\"r8\")] RWTexture2D<float> t;", "t[id.xy] = 1;", "`[format]`"),
        ("RWTexture2D<float3> t;", "t[id.xy] = 1;", "`Store`"),
    ] {
        let file = scratch.write("textures.slang", &format!("{declaration} {head} {{ {body} }}"));
        let mut command = Command::new(whole_program_tests::server());
        let output = command.args(["emit", "--target", "cuda"]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(words), "{declaration} {body}: {said}");
    }
}

/// `Sample` in a fragment shader takes the level of detail that the neighbouring pixels ask for.
#[test]
fn fragments_sample_at_the_level_of_their_neighbours() {
    let scratch = Scratch::new("sample-level");
    let text = "Texture2D t; SamplerState s;
        [shader(\"fragment\")] float4 main(float2 at : AT) : SV_Target { return t.Sample(s, at); }";
    let file = scratch.write("sample.slang", text);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
    assert!(wgsl.contains("textureSample(t, s,"), "{wgsl}");
    let glsl = String::from_utf8(emit("glsl")).expect("GLSL is text");
    assert!(glsl.contains("texture(sampler2D(t, s),"), "{glsl}");
    let words: Vec<u32> =
        emit("spirv").chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    // `OpImageSampleImplicitLod`, of five words.
    assert!(words.contains(&(5 << 16 | 87)), "no sample at an implicit level");
}

const COMBINED: &str = "
Texture2D before;
Sampler2D tex;
Sampler2DArray<float2> layered;
RWStructuredBuffer<float4> o;
SamplerState after;
struct Pair { Texture2D first; Texture2D second; }
struct Material { Sampler2D map; Pair pair; float scale; }
ParameterBlock<Material> material;
float4 sampled(Sampler2D t, float2 at) { return t.SampleLevel(at, 0); }

[shader(\"compute\")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint w, h;
    tex.GetDimensions(w, h);
    o[0] = sampled(tex, float2(0.5)) + tex.Load(int3(1, 1, 0)) + tex[uint2(2, 0)] + float4(w, h, 0, 0);
    o[1] = layered.SampleLevel(float3(0), 0).xyxy + before.SampleLevel(after, float2(0), 0);
    o[2] = sampled(material.map, float2(0)) * material.scale + material.pair.second.SampleLevel(after, float2(0), 0);
}";

/// Direct3D and WebGPU bind a texture and its sampler apart, Vulkan as one: with slangc's places.
#[test]
fn textures_with_their_own_samplers() {
    let scratch = Scratch::new("combined-textures");
    let file = scratch.write("combined.slang", COMBINED);
    let file = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", file, "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");

    let hlsl = text("hlsl");
    for declaration in [
        "Texture2D<float4> before : register(t0, space0)",
        "Texture2D<float4> tex_texture : register(t1, space0)",
        "SamplerState tex_sampler : register(s0, space0)",
        "Texture2DArray<float2> layered_texture : register(t2, space0)",
        "SamplerState layered_sampler : register(s1, space0)",
        "SamplerState after : register(s2, space0)",
    ] {
        assert!(hlsl.contains(declaration), "{declaration}\n{hlsl}");
    }
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("combined.hlsl", &hlsl);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-HV", "2021"]));

    let glsl = text("glsl");
    for (declaration, binding) in [
        ("texture2D before;", 0),
        ("texture2D tex_texture;", 1),
        ("sampler tex_sampler;", 1),
        ("texture2DArray layered_texture;", 2),
        ("sampler layered_sampler;", 2),
        ("sampler after;", 4),
    ] {
        let declaration = format!("layout(set = 0, binding = {binding}) uniform {declaration}");
        assert!(glsl.contains(&declaration), "{declaration}\n{glsl}");
    }
    let glsl = scratch.write("combined.comp", &glsl);
    let flags = ["-S", "comp", "--target-env", "vulkan1.1", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let binary = emit("spirv");
    let words: Vec<u32> =
        binary.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    // `OpDecorate … Binding`, of four words.
    let mut bindings: Vec<u32> =
        words.windows(4).filter(|words| words[0] == 4 << 16 | 71 && words[2] == 33).map(|words| words[3]).collect();
    bindings.sort_unstable();
    assert_eq!(bindings, [0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4]);
    let spirv = scratch.file("combined.spv");
    std::fs::write(&spirv, binary).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&spirv));

    let wgsl = text("wgsl");
    for (name, binding) in [("before", 0), ("tex_texture", 1), ("tex_sampler", 2), ("layered_sampler", 4), ("after", 6)]
    {
        let declaration =
            wgsl.lines().zip(wgsl.lines().skip(1)).find(|(_, next)| next.contains(&format!("var {name}:")));
        let place = format!("@group(0) @binding({binding})");
        assert!(declaration.is_some_and(|(place_of, _)| place_of.contains(&place)), "{name} {place}\n{wgsl}");
    }

    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("combined.cu", &text("cuda"));
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
    let cpp = scratch.write("combined.cpp", &text("cpp"));
    succeeded(Command::new("g++").args(["-std=c++17", "-fsyntax-only"]).arg(&cpp));
}

const DEPTHS: &str = "
DepthTexture2D shadow;
Sampler2DShadow own;
Texture2DArray<float> cascades;
TextureCube<float> around;
Texture2D colors;
SamplerComparisonState compares;
SamplerState filter;

[shader(\"fragment\")]
float4 main(float3 at : AT, float depth : DEPTH) : SV_Target
{
    float4 sum = shadow.SampleCmp(compares, at.xy, depth) + shadow.SampleCmpLevelZero(compares, at.xy, depth, int2(1, -1));
    sum += cascades.SampleCmpLevelZero(compares, at, depth) + around.SampleCmp(compares, at, depth);
    sum += shadow.GatherCmp(compares, at.xy, depth) + colors.GatherGreen(filter, at.xy, int2(1, 0));
    sum += own.SampleCmp(at.xy, depth) + own.SampleCmpLevelZero(at.xy, depth) + own.GatherCmp(at.xy, depth);
    return sum + colors.Sample(filter, at.xy, int2(0, 1)) + colors.SampleLevel(filter, at.xy, depth, int2(2, 1))
        + colors.SampleBias(filter, at.xy, 0.5);
}";

/// Texels that are compared with a depth, the four around a place, and places that are texels away.
#[test]
fn depths_are_compared_and_neighbours_gathered() {
    let scratch = Scratch::new("depth-textures");
    let file = scratch.write("depths.slang", DEPTHS);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");

    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("depths.hlsl", &text("hlsl"));
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "ps_6_6", "-E", "main", "-HV", "2021"]));

    let glsl = text("glsl");
    for words in [
        "uniform samplerShadow compares;",
        "texture(sampler2DShadow(shadow, compares), vec3(at",
        "textureLodOffset(sampler2DShadow(shadow, compares), vec3(at",
        "texture(sampler2DShadow(own_texture, own_sampler), vec3(at",
        "textureGrad(sampler2DArrayShadow(cascades, compares), vec4(at",
        "textureGatherOffset(sampler2D(colors, ",
    ] {
        assert!(glsl.contains(words), "{words}\n{glsl}");
    }
    let glsl = scratch.write("depths.frag", &glsl);
    let flags = ["-S", "frag", "--target-env", "vulkan1.1", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let wgsl = text("wgsl");
    for words in [
        "var shadow: texture_depth_2d;",
        "var cascades: texture_depth_2d_array;",
        "var around: texture_depth_cube;",
        "var compares: sampler_comparison;",
        "textureSampleCompare(shadow, compares,",
        "textureSampleCompareLevel(cascades, compares,",
        "textureGatherCompare(shadow, compares,",
        "textureGather(1, colors,",
        "textureSampleBias(colors,",
    ] {
        assert!(wgsl.contains(words), "{words}\n{wgsl}");
    }
    let spirv = scratch.file("depths.spv");
    std::fs::write(&spirv, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&spirv));
}

/// A texture is of depths or not in WGSL; and comparisons have no level but the finest one in the library that writes it.
#[test]
fn comparisons_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new("depths-refused");
    let cases = [
        (
            "t.SampleCmpLevelZero(c, float2(0.5), 0.5) + t.SampleLevel(s, float2(0.5), 0).x",
            "with and without a comparison",
        ),
        ("t.SampleCmpLevel(c, float2(0.5), 0.5, o[1])", "`SampleCmpLevel` is not supported"),
    ];
    for (body, words) in cases {
        let text = format!(
            "Texture2D<float> t; SamplerState s; SamplerComparisonState c; RWStructuredBuffer<float> o;
            [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ o[0] = {body}; }}"
        );
        let file = scratch.write("refused.slang", &text);
        let mut command = Command::new(whole_program_tests::server());
        let output = command.args(["emit", "--target", "wgsl"]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(words), "{body}: {said}");
        // SPIR-V says it where the comparison is.
        let binary = scratch.file("depths.spv");
        let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "spirv"]);
        std::fs::write(&binary, code).expect("the folder can be written");
        succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    }
}

/// What the compilers of the languages say of a program for one of the stages; languages that refuse it are left out.
fn accepted(name: &str, program: &str, [glsl_stage, hlsl_profile]: [&str; 2], targets: &[&str]) {
    let scratch = Scratch::new(name);
    let file = scratch.write("program.slang", program);
    for &target in targets {
        let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
        let written = scratch.write(&format!("program.{target}"), "");
        std::fs::write(&written, code).expect("the folder can be written");
        match target {
            "spirv" => succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&written)),
            "glsl" => {
                let flags = ["-S", glsl_stage, "--target-env", "vulkan1.1", "-o"];
                succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&written))
            }
            "hlsl" => {
                let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
                let flags = ["-T", hlsl_profile, "-E", "main", "-enable-16bit-types", "-HV", "2021", "-WX"];
                succeeded(Command::new(&dxc).arg(&written).args(flags))
            }
            // The library that writes it has looked at it.
            "wgsl" => String::new(),
            target => panic!("no compiler for {target}"),
        };
    }
}

const FRAGMENT: [&str; 2] = ["frag", "ps_6_6"];
const COMPUTE: [&str; 2] = ["comp", "cs_6_6"];
const SHADERS: [&str; 4] = ["hlsl", "glsl", "spirv", "wgsl"];

#[test]
fn texels_of_levels_and_samples_are_read() {
    let program = "Texture2D<float4> flat; Texture2DArray<float> layers; Texture1D<float2> line; Texture3D<float> volume;
        Texture2DMS<float4> samples; Texture2DMS<float> depths;
        [shader(\"fragment\")] float4 main(float4 at : SV_Position) : SV_Target
        {
            uint2 texel = uint2(at.xy);
            float4 sum = flat.mips[1][uint2(2, 3)] + layers.mips[int(at.z)][uint3(texel, 1)] + volume.mips[2][uint3(texel, 1)];
            sum.xy += line.mips[3][texel.x];
            return sum + samples[texel] + samples.sample[1][texel] + depths[texel] + depths.sample[int(at.z)][texel];
        }";
    accepted("texels-of-levels", program, FRAGMENT, &SHADERS);
    let scratch = Scratch::new("texels-of-levels-words");
    let file = scratch.write("program.slang", program);
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "hlsl"]);
    let hlsl = String::from_utf8(code).expect("it is text");
    // The level is that of the source, and without one it is the first sample.
    for words in
        [", 1))", "int(at.z)))", "samples.Load(texel, 0)", "samples.Load(texel, 1)", "depths.Load(texel, int(at.z))"]
    {
        assert!(hlsl.contains(words), "{words}\n{hlsl}");
    }
}

#[test]
fn sizes_of_written_textures_are_asked_for() {
    let program = "RWTexture1D<float> a; RWTexture1DArray<float> b; RWTexture2D<float4> c; RWTexture2DArray<uint> d;
        RWTexture3D<int> e; RWStructuredBuffer<uint> r;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main()
        {
            uint w, h, k;
            a.GetDimensions(w);
            r[0] = w;
            c.GetDimensions(w, h);
            r[2] = w + h;
            d.GetDimensions(w, h, k);
            r[3] = w * h * k;
            e.GetDimensions(w, h, k);
            r[4] = w * h * k;
        }";
    accepted("sizes-of-written-textures", program, COMPUTE, &SHADERS);
}

const TEXELS_CHANGED: &str =
    "RWTexture2D<uint> img; RWTexture3D<uint> grid; RWTexture2DArray<int> arr; RWTexture1D<uint> line;
    [shader(\"compute\")] [numthreads(8, 8, 1)]
    void main(uint3 id : SV_DispatchThreadID)
    {
        InterlockedAdd(img[id.xy], 1u);
        InterlockedMax(grid[id], 7u);
        InterlockedMin(arr[id], -3);
        InterlockedXor(line[id.x], 3u);
        InterlockedOr(line[id.x], 3u);
        InterlockedAnd(line[id.x], 3u);
    }";

#[test]
fn texels_are_changed_in_one_step() {
    accepted("texels-changed", TEXELS_CHANGED, COMPUTE, &["hlsl", "glsl", "spirv"]);
    let program =
        "RWTexture2D<uint> img; RWTexture2DArray<int> arr; RWTexture2D<float> weights; RWTexture1D<uint> line;
        [shader(\"compute\")] [numthreads(8, 8, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            uint old;
            int before;
            float weight;
            InterlockedAdd(img[id.xy], 1u, old);
            InterlockedMin(arr[id], int(old), before);
            InterlockedCompareExchange(line[id.x], 3u, old, old);
            InterlockedExchange(img[id.yx], old + line[id.x], old);
            InterlockedExchange(weights[id.yx], 1.5f, weight);
            img[id.xy] = old + before + uint(weight);
        }";
    accepted("texels-changed-old", program, COMPUTE, &["hlsl", "glsl", "spirv"]);
}

/// Languages without words for it say so, and do not write something else.
#[test]
fn changes_of_texels_are_refused_by_name() {
    let scratch = Scratch::new("texels-changed-refused");
    let file = scratch.write("program.slang", TEXELS_CHANGED);
    for target in ["wgsl", "cpp", "cuda"] {
        let mut command = Command::new(whole_program_tests::server());
        let output = command.args(["emit", "--target", target]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("`InterlockedAdd` is not supported"), "{target}: {said}");
    }
}

/// Images give numbers of 32 bits, from which those of 16 bits are made.
#[test]
fn texels_of_halves_are_converted() {
    let program = "Texture2D<half4> seen; SamplerState smp; RWTexture2D<half4> drawn; RWTexture2D<half> mono;
        RWTexture2D<half2> pairs; RWBuffer<half3> triples; Buffer<half4> flat; RWStructuredBuffer<float> o;
        [format(\"rgba16f\")] RWTexture2D<half4> packed;
        [shader(\"compute\")] [numthreads(8, 8, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            half4 c = seen.SampleLevel(smp, float2(id.xy) / 8, 0) + seen.Gather(smp, float2(0.5)) + flat[id.x];
            drawn[id.xy] = seen.Load(int3(id.xy, 0)) * 2.0h + c;
            packed[id.xy] = drawn[id.xy];
            mono[id.xy] = drawn[id.xy].x;
            pairs[id.xy] = pairs[id.yx];
            triples[id.x] = triples[id.y];
            o[id.x] = float(c.x);
        }";
    accepted("half-texels", program, COMPUTE, &["hlsl", "glsl", "spirv"]);
}

/// Offsets of loads are operands of their own.
#[test]
fn texels_beside_a_place_are_loaded() {
    let program =
        "Texture2D<float4> a; Texture2DArray<float4> layers; Texture1D<float> line; RWStructuredBuffer<float4> o;
        [shader(\"compute\")] [numthreads(8, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            o[id.x] = a.Load(int3(id.xy, 1), int2(1, 0)) + layers.Load(int4(id, 0), int2(1, 0));
            o[id.z] = line.Load(int2(id.xy), 2);
        }";
    accepted("loads-with-offsets", program, COMPUTE, &["glsl", "spirv"]);
}

#[test]
fn sizes_of_buffers_of_texels_are_one_number() {
    let program = "Buffer<float4> a; RWBuffer<uint> b; ByteAddressBuffer c; RWStructuredBuffer<uint> o;
        [shader(\"compute\")] [numthreads(8, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            uint n, stride;
            a.GetDimensions(n);
            o[0] = n;
            b.GetDimensions(n);
            o[1] = n;
            c.GetDimensions(n);
            o[2] = n;
            o.GetDimensions(n, stride);
            o[3] = n * stride;
        }";
    accepted("sizes-of-buffers", program, COMPUTE, &["hlsl", "glsl", "spirv"]);
}

/// Floats are added and exchanged in one step, and numbers of 64 bits are changed in all ways.
#[test]
fn texels_of_floats_and_of_64_bits_are_changed_in_one_step() {
    let program = "RWTexture2D<float> weights; RWTexture2D<uint64_t> wide; RWBuffer<float> flat;
        [shader(\"compute\")] [numthreads(8, 8, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            InterlockedAdd(weights[id.xy], 1.0f);
            InterlockedAdd(wide[id.xy], 1ull);
            InterlockedMax(wide[id.xy], 9ull);
            flat[id.x] = 1;
        }";
    accepted("wide-texels-changed", program, COMPUTE, &["glsl", "spirv"]);
}

#[test]
fn clocks_and_helpers_are_asked() {
    let clock = "RWStructuredBuffer<uint> o; [shader(\"compute\")] [numthreads(8, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID) { o[id.x] = getRealtimeClock().x + getRealtimeClockLow(); }";
    accepted("clock", clock, COMPUTE, &["glsl", "spirv"]);
    let scratch = Scratch::new("helper-lanes");
    let helper = "[shader(\"fragment\")]
        float4 main(float2 uv : UV) : SV_Target { if (IsHelperLane()) return 0; return ddx(uv.x); }";
    let file = scratch.write("helper.slang", helper);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let binary = scratch.file("helper.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    for (target, word) in [("glsl", "gl_HelperInvocation"), ("metal", "simd_is_helper_thread()")] {
        let text = String::from_utf8(emit(target)).expect("it is text");
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn what_languages_do_not_have_is_refused() {
    let scratch = Scratch::new("refused-by-name");
    let head = "[shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID)";
    for (target, declaration, body, words) in [
        (
            "metal",
            "RWStructuredBuffer<uint2> o;",
            "o[id.x] = bit_cast<uint2>(2.5lf);",
            "is not supported for target `metal`",
        ),
        (
            "wgsl",
            "Texture2DMSArray<float4> t; RWStructuredBuffer<float4> o;",
            "o[id.x] = t.Load(int3(id), 2);",
            "a texture like this is not supported for target `wgsl`",
        ),
    ] {
        let file = scratch.write("program.slang", &format!("{declaration} {head} {{ {body} }}"));
        let mut command = Command::new(whole_program_tests::server());
        let output = command.args(["emit", "--target", target]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(words), "{target}: {said}");
    }
}

/// Loops that count the offset of a lookup are written out where the language takes constants there.
#[test]
fn offsets_that_loops_count_are_constants() {
    let head = "Texture2D<float4> t; SamplerState s; Texture2DArray<float> shadow; SamplerComparisonState c;
        RWStructuredBuffer<float> o; cbuffer B { int count; }
        [shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID)";
    // How often the lookup is there, at which offsets.
    let cases = [
        (
            "float sum = 0;
            for (int y = -1; y <= 1; y++) [unroll] for (int x = -1; x <= 1; x++)
                sum += t.SampleLevel(s, float2(0.5), 0, int2(x, y)).x;
            o[id.x] = sum;",
            9,
        ),
        (
            "float sum = 0;
            for (int layer = 0; layer < count; layer++) for (int k = 0; k < 4; k++)
                sum += shadow.SampleCmpLevelZero(c, float3(0.5, 0.5, layer), 0.5, int2(k & 1, k >> 1));
            o[id.x] = sum;",
            4,
        ),
    ];
    for (body, count) in cases {
        let program = format!("{head} {{ {body} }}");
        accepted("offsets-by-loops", &program, COMPUTE, &["glsl", "spirv", "wgsl"]);
        let scratch = Scratch::new("offsets-by-loops");
        let file = scratch.write("program.slang", &program);
        let text = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "glsl"]);
        let text = String::from_utf8(text).expect("GLSL is text");
        assert_eq!(text.matches("Offset(").count(), count, "{text}");
    }
    let scratch = Scratch::new("offsets-not-counted");
    for body in [
        "for (int k = 0; k < count; k++) o[id.x] += t.SampleLevel(s, float2(0.5), 0, int2(k)).x;",
        "[loop] for (int k = 0; k < 4; k++) o[id.x] += t.SampleLevel(s, float2(0.5), 0, int2(k)).x;",
        "o[id.x] = t.SampleLevel(s, float2(0.5), 0, int2(id.xy)).x;",
    ] {
        let file = scratch.write("program.slang", &format!("{head} {{ {body} }}"));
        for target in ["glsl", "spirv", "wgsl"] {
            let mut command = Command::new(whole_program_tests::server());
            let output = command.args(["emit", "--target", target]).arg(&file).finished().expect("the analyzer runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // What no loop counts is an error of the source.
            let is_refused =
                ["an offset that is not a constant", "`offset`", "'offset'"].iter().any(|words| said.contains(words));
            assert!(!output.status.success() && is_refused, "{target}: {said}");
        }
    }
}
