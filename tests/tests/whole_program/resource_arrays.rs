//! Arrays of buffers, textures and samplers, of which a program chooses one at run time: the compilers of the languages
//! accept them, and they are where slangc puts them.

use std::{path::PathBuf, process::Command};

use whole_program_tests::{
    process::{Limited as _, Scratch, output_of, succeeded},
    programs::analyzer,
    root, server,
};

const PROGRAM: &str = "
struct Material { Texture2D<float4> maps[2]; float scale; SamplerState filter; }
struct Scale { float factor; }
Texture2D<float4> before;
Texture2D<float4> many[];
StructuredBuffer<float> buffers[];
Texture2D<float4> after;
[[vk::binding(9, 7)]] ByteAddressBuffer placed[2] : register(t9, space7);
Texture2D<float4> few[3];
ConstantBuffer<Scale> scales[4];
SamplerState filter;
SamplerState filters[2];
ParameterBlock<Material> material;
RWStructuredBuffer<float> result;
RWStructuredBuffer<float> results[2];

float sampled(Texture2D<float4> texture, SamplerState filter) { return texture.SampleLevel(filter, float2(0.5), 0).x; }

[shader(\"compute\")] [numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float sum = sampled(before, filter) + sampled(after, filters[id.z]) + sampled(few[id.y], filter);
    sum += sampled(many[NonUniformResourceIndex(id.x)], filter) * scales[id.y].factor;
    for (uint i = 0; i < 2; i++)
        sum += sampled(material.maps[i], material.filter) * material.scale;
    uint count, stride;
    buffers[id.y].GetDimensions(count, stride);
    sum += buffers[id.y][min(id.x, count - 1)] + asfloat(placed[id.z].Load(id.x * 4));
    Texture2D<float4> chosen = id.y > 2 ? few[id.y] : few[1];
    sum += chosen.Load(int3(0)).y;
    result[id.x] = sum;
    results[id.y][id.x] = results[1 - id.y][id.x] + sum;
}";

/// As slangc declares them for shader model 6.6: Direct3D counts each resource of an array, and one without length has a
/// space for itself.
const DIRECT3D: &[&str] = &[
    "Texture2D<float4> before : register(t0, space0)",
    "Texture2D<float4> many[] : register(t0, space1)",
    "StructuredBuffer<float> buffers[] : register(t0, space2)",
    "Texture2D<float4> after : register(t1, space0)",
    "ByteAddressBuffer placed[2] : register(t9, space7)",
    "Texture2D<float4> few[3] : register(t2, space0)",
    "ConstantBuffer<Scale> scales[4] : register(b0, space0)",
    "SamplerState filter : register(s0, space0)",
    "SamplerState filters[2] : register(s1, space0)",
    "Texture2D<float4> material_maps[2] : register(t0, space3)",
    "SamplerState material_filter : register(s0, space3)",
    "RWStructuredBuffer<float> result : register(u0, space0)",
    "RWStructuredBuffer<float> results[2] : register(u1, space0)",
];

/// The same for GLSL, where an array has one number.
const VULKAN: &[(&str, u32, u32)] = &[
    (" before;", 0, 0),
    (" many[];", 0, 1),
    ("} buffers[];", 0, 2),
    (" after;", 0, 3),
    ("} placed[2];", 7, 9),
    (" few[3];", 0, 4),
    ("} scales[4];", 0, 5),
    ("sampler filter_1;", 0, 6),
    (" filters[2];", 0, 7),
    ("texture2D material_maps[2];", 1, 1),
    ("sampler material_filter;", 1, 2),
    ("} results[2];", 0, 9),
];

/// Structs of resources and data in arrays, through functions, in a block, chosen at run time, and as a whole.
const STRUCTS: &str = "
struct Surface { Texture2D<float4> albedo; float4 tint; SamplerState filter; StructuredBuffer<float> weights; }
struct Layer { float scale; Surface surface; }
struct Scene { float exposure; Layer layers[4]; Texture2D<float4> sky; float gamma; }
Texture2D<float4> before;
uniform Surface surfaces[3];
ParameterBlock<Scene> scene;
RWStructuredBuffer<float4> result;

float4 shaded(Surface s, float2 uv) { return s.albedo.SampleLevel(s.filter, uv, 0) * s.tint * s.weights[0]; }
float4 layered(Layer l, float2 uv) { return shaded(l.surface, uv) * l.scale; }

[shader(\"compute\")] [numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 uv = float2(id.xy);
    float4 sum = shaded(surfaces[1], uv) + scene.exposure * scene.sky.Load(int3(0)) * scene.gamma;
    for (int i = 0; i < 4; i++)
        sum += layered(scene.layers[i], uv);
    Surface chosen = surfaces[NonUniformResourceIndex(id.x % 3)];
    sum += shaded(chosen, uv) + scene.layers[id.y].surface.tint * before.Load(int3(0));
    Surface all[3] = surfaces;
    sum += shaded(all[id.z], uv);
    result[id.x] = sum;
}";

/// As slangc declares them for shader model 6.6.
const STRUCTS_ON_DIRECT3D: &[&str] = &[
    "Texture2D<float4> before : register(t0, space0)",
    "Texture2D<float4> surfaces_albedo[3] : register(t1, space0)",
    "SamplerState surfaces_filter[3] : register(s0, space0)",
    "StructuredBuffer<float> surfaces_weights[3] : register(t4, space0)",
    "ConstantBuffer<GlobalParams> globalParams : register(b0, space0)",
    "ConstantBuffer<Scene_> scene : register(b0, space1)",
    "Texture2D<float4> scene_layers_surface_albedo[4] : register(t0, space1)",
    "SamplerState scene_layers_surface_filter[4] : register(s0, space1)",
    "StructuredBuffer<float> scene_layers_surface_weights[4] : register(t4, space1)",
    "Texture2D<float4> scene_sky : register(t8, space1)",
];

/// As slangc declares them for GLSL.
const STRUCTS_ON_VULKAN: &[(&str, u32, u32)] = &[
    (" before;", 0, 1),
    (" surfaces_albedo[3];", 0, 2),
    (" surfaces_filter[3];", 0, 3),
    ("} surfaces_weights[3];", 0, 4),
    ("result_buffer", 0, 5),
    ("globalParams_buffer", 0, 0),
    ("scene_buffer", 1, 0),
    (" scene_layers_surface_albedo[4];", 1, 1),
    (" scene_layers_surface_filter[4];", 1, 2),
    ("} scene_layers_surface_weights[4];", 1, 3),
    (" scene_sky;", 1, 4),
];

#[test]
fn resources_in_arrays_of_structs_are_arrays() {
    let scratch = Scratch::new("resource-structs");
    accepted_at(&scratch, STRUCTS, STRUCTS_ON_DIRECT3D, STRUCTS_ON_VULKAN);
}

/// What Direct3D and GLSL declare, and that the compilers take the program for these and for SPIR-V, which is returned.
fn accepted_at(scratch: &Scratch, program: &str, direct3d: &[&str], vulkan: &[(&str, u32, u32)]) -> PathBuf {
    let file = scratch.write("arrays.slang", program);
    let file = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", file, "--target", target]);

    let text = String::from_utf8(emit("hlsl")).expect("HLSL is text");
    for declaration in direct3d {
        assert!(text.contains(declaration), "{declaration}\n{text}");
    }
    assert!(text.contains("[NonUniformResourceIndex("), "{text}");
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("arrays.hlsl", &text);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021"]));

    let text = String::from_utf8(emit("glsl")).expect("GLSL is text");
    for (name, set, binding) in vulkan {
        let end = text.find(name).unwrap_or_else(|| panic!("{name}\n{text}"));
        let start = text[..end].rfind("layout(").expect("a declaration has a layout");
        let place = format!("layout(set = {set}, binding = {binding}");
        assert!(text[start..].starts_with(&place), "{name}: {place}\n{text}");
    }
    assert!(text.contains("[nonuniformEXT("), "{text}");
    let glsl = scratch.write("arrays.comp", &text);
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let binary = scratch.file("arrays.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    binary
}

#[test]
fn resources_of_arrays_are_chosen_at_run_time() {
    let scratch = Scratch::new("resource-arrays");
    let binary = accepted_at(&scratch, PROGRAM, DIRECT3D, VULKAN);
    // The validator does not ask for these, but Vulkan does: indices here differ between threads.
    let text = output_of(Command::new("spirv-dis").arg(&binary)).expect("spirv-dis runs").expect("it ends well");
    for elements in ["SampledImage", "StorageBuffer", "UniformBuffer"] {
        let capability = format!("OpCapability {elements}ArrayNonUniformIndexing");
        assert!(text.contains(&capability), "{capability}\n{text}");
    }
}

/// WebGPU binds one resource at a place, and slangc has no code for such a program.
#[test]
fn wgsl_refuses_them() {
    let scratch = Scratch::new("resource-arrays-refused");
    let file = scratch.write("arrays.slang", PROGRAM);
    let mut command = Command::new(server());
    let output = command.args(["emit", "--target", "wgsl"]).arg(&file).finished().expect("the analyzer runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("is not supported"), "{said}");
}

/// An array without length is a pointer and a number of resources there, as slangc has it.
#[test]
fn arrays_without_length_have_values_in_cpp() {
    let scratch = Scratch::new("resource-arrays-unsized");
    let program = "StructuredBuffer<float> many[]; Texture2D<float4> textures[]; RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(4, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID)
        {
            StructuredBuffer<float> one = many[NonUniformResourceIndex(id.x >> 1)];
            uint count, stride;
            one.GetDimensions(count, stride);
            result[id.x] = one[id.x] * count + textures[id.x >> 1][uint2(1, 0)].y;
        }";
    let file = scratch.write("arrays.slang", program);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let driver = "
int main()
{
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    float result[4] = {};
    shader::float4 texels[] = {shader::float4(0.0f), shader::float4(0.0f, 6.0f, 0.0f, 0.0f)};
    shader::Texture2D<shader::float4> flat[] = {{texels, {2, 1, 1}, 1}, {texels, {2, 1, 1}, 1}};
    shader::StructuredBuffer<float> many[] = {{a, 4}, {b, 4}};
    const shader::ResourceArray<shader::StructuredBuffer<float>> all = {many, 2};
    const shader::ResourceArray<shader::Texture2D<shader::float4>> textures = {flat, 2};
    shader::run_main(1, 1, 1, &all, &textures, result, 4);
    for (int i = 0; i < 4; i++) std::printf(\"%g \", result[i]);
}
";
    let code = String::from_utf8(emit("cpp")).expect("C++ is text");
    let source = scratch.write("driver.cpp", &(code + driver));
    let program = scratch.file("driver");
    succeeded(Command::new("g++").arg("-std=c++17").arg(&source).arg("-o").arg(&program));
    assert_eq!(succeeded(&mut Command::new(&program)), "10 14 126 166 ");

    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("arrays.cu", &String::from_utf8_lossy(&emit("cuda")));
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
}

/// Thread 3 reads element 3 of buffer 1 and writes to buffer 1.
#[test]
fn resources_of_arrays_have_values_in_cpp() {
    let scratch = Scratch::new("resource-arrays-values");
    let program = "StructuredBuffer<float> many[2]; RWStructuredBuffer<float> results[2];
        [shader(\"compute\")] [numthreads(4, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID) { results[id.x & 1][id.x] = many[id.x >> 1][id.x] * 2; }";
    let file = scratch.write("arrays.slang", program);
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "cpp"]);
    let driver = "
int main()
{
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    const shader::Array<shader::StructuredBuffer<float>, 2> many = {{{a, 4}, {b, 4}}};
    float even[4] = {}, odd[4] = {};
    const shader::Array<shader::RWStructuredBuffer<float>, 2> results = {{{even, 4}, {odd, 4}}};
    shader::run_main(1, 1, 1, &many, &results);
    for (int i = 0; i < 4; i++) std::printf(\"%g %g \", even[i], odd[i]);
}
";
    let source = scratch.write("driver.cpp", &(String::from_utf8_lossy(&code).into_owned() + driver));
    let program = scratch.file("driver");
    let compiled = output_of(Command::new("g++").arg("-std=c++17").arg(&source).arg("-o").arg(&program));
    compiled.expect("g++ runs").expect("g++ compiles the program");
    let printed = output_of(&mut Command::new(&program)).expect("the program runs").expect("it ends well");
    assert_eq!(printed, "2 0 0 4 60 0 0 80 ");
}

/// Direct3D counts the elements beside the buffer; elsewhere they are counted in a second one, which slangc puts behind it.
#[test]
fn buffers_that_are_appended_to_are_where_slangc_puts_them() {
    let scratch = Scratch::new("append-consume");
    let program =
        "RWStructuredBuffer<int> before; AppendStructuredBuffer<int> ends; ConsumeStructuredBuffer<int> starts;
        RWStructuredBuffer<int> after;
        [shader(\"compute\")] [numthreads(4, 1, 1)]
        void main(uint i : SV_GroupIndex)
        {
            ends.Append(before[i]);
            uint count, stride;
            ends.GetDimensions(count, stride);
            after[i] = starts.Consume() + int(count);
        }";
    let file = scratch.write("counted.slang", program);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");

    let hlsl = text("hlsl");
    for (name, register) in [("before", "u0"), ("ends", "u1"), ("starts", "u2"), ("after", "u3")] {
        assert!(hlsl.contains(&format!("RWStructuredBuffer<int> {name} : register({register}, space0)")), "{hlsl}");
    }
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("counted.hlsl", &hlsl);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-HV", "2021", "-WX"]));

    let glsl = text("glsl");
    let places = [
        ("before", 0),
        ("ends_elements", 1),
        ("ends_counter", 2),
        ("starts_elements", 3),
        ("starts_counter", 4),
        ("after", 5),
    ];
    for (name, binding) in places {
        assert!(glsl.contains(&format!("binding = {binding}, std430) buffer {name}_buffer")), "{name}\n{glsl}");
    }
    let glsl = scratch.write("counted.comp", &glsl);
    let flags = ["-S", "comp", "--target-env", "vulkan1.1", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    assert!(text("wgsl").contains("atomic<i32>"));
}

const BY_NUMBER: &str = "
struct Scale { float factor; }
struct Material { Sampler2D.Handle map; RWStructuredBuffer<float>.Handle values; }
struct Part { Texture2D<float4>.Handle map; SamplerState.Handle filter; ConstantBuffer<Scale>.Handle scale; }
interface ISource { float at(uint i); }
struct Stored : ISource { StructuredBuffer<float>.Handle values; float at(uint i) { return values[i]; } }
struct Same : ISource { float value; float at(uint i) { return value; } }
StructuredBuffer<Part> parts;
uniform StructuredBuffer<float>.Handle input;
RWStructuredBuffer<uint2> numbers;
RWStructuredBuffer<float> result;

ISource source(uint kind)
{
    if (kind == 0) { Stored stored; stored.values = input; return stored; }
    Same same; same.value = 42; return same;
}

[shader(\"compute\")] [numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uniform RWStructuredBuffer<float>.Handle output)
{
    Part part = parts[id.y];
    float sum = part.map.SampleLevel(part.filter, float2(0.5), 0).x * part.scale.factor;
    Texture2D<float4> other = ResourceDescriptorHeap[NonUniformResourceIndex(id.x)];
    SamplerState filter = SamplerDescriptorHeap[1];
    sum += other.SampleLevel(filter, float2(0.5), 0).y + source(id.z).at(id.x);
    RWStructuredBuffer<float>.Handle chosen = id.x > 3 ? output : (RWStructuredBuffer<float>.Handle)uint2(7, 0);
    chosen[id.x] = sum;
    numbers[0] = (uint2)chosen;
    numbers[1] = bit_cast<uint2>(0x0000000400000003ull);
    result[id.x] = sum;
}";

/// As slangc has it: a handle is a pair of numbers, in a buffer, too. Direct3D's host has a table without a place; for
/// Vulkan it is an array for each type of resource in the first set that nothing else is in, the samplers at 0, all else
/// at 2.
#[test]
fn handles_are_numbers_in_the_hosts_table() {
    let scratch = Scratch::new("descriptor-handles");
    let file = scratch.write("handles.slang", BY_NUMBER);
    let file = file.to_str().expect("paths are text");
    let emit = |target| analyzer(&["emit", file, "--target", target]);
    let has = |text: &str, words: &[&str]| words.iter().for_each(|word| assert!(text.contains(word), "{word}\n{text}"));

    let text = String::from_utf8(emit("hlsl")).expect("HLSL is text");
    let reads = ["return ResourceDescriptorHeap[index];", "return SamplerDescriptorHeap[index];"];
    has(&text, &reads);
    has(&text, &["(NonUniformResourceIndex(", "uint2 map;", "uint2 input;", "register(t0, space0)"]);
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("handles.hlsl", &text);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021"]));

    let text = String::from_utf8(emit("glsl")).expect("GLSL is text");
    let resources = text.matches("layout(set = 1, binding = 2").count();
    let samplers = text.matches("layout(set = 1, binding = 0").count();
    assert_eq!((resources, samplers), (4, 1), "{text}");
    has(&text, &["[nonuniformEXT(", "uvec2 map;"]);
    let glsl = scratch.write("handles.comp", &text);
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let binary = scratch.file("handles.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));

    let refused = |program: &str, target: &str, why: &str| {
        let file = scratch.write("refused.slang", program);
        let mut command = Command::new(server());
        let output = command.args(["emit", "--target", target]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{target}: {said}");
    };
    refused(BY_NUMBER, "wgsl", "not supported");
    let entry = "RWStructuredBuffer<float> o; [shader(\"compute\")] [numthreads(1, 1, 1)] void main";
    let combined = format!("{entry}(uniform Sampler2D.Handle s) {{ o[0] = s.SampleLevel(float2(0), 0).x; }}");
    refused(&combined, "glsl", "a descriptor handle of a texture with its own sampler");
    refused(&combined, "spirv", "a descriptor handle of a texture with its own sampler");
    let scalar = format!("{entry}(uniform ConstantBuffer<float>.Handle c) {{ o[0] = *c; }}");
    refused(&scalar, "hlsl", "a descriptor handle of this type");
    let own = format!(
        "T getDescriptorFromHandle<T : IOpaqueDescriptor>(DescriptorHandle<T> handle)
            {{ return defaultGetDescriptorFromHandle(handle, BindlessDescriptorOptions.None); }}
        {entry}(uniform StructuredBuffer<float>.Handle b) {{ o[0] = b[0]; }}"
    );
    for target in ["hlsl", "glsl", "spirv"] {
        refused(&own, target, "a `getDescriptorFromHandle` of the program's own");
    }
}

/// A scene that rays meet has a place like what is read, and a program that asks nothing of it is emitted for every target.
/// What rays do in it is refused by name where a target has no words for it.
#[test]
fn scenes_of_rays_take_their_places() {
    let scratch = Scratch::new("scenes");
    let program = "RaytracingAccelerationStructure scene; StructuredBuffer<float> input;
        RaytracingAccelerationStructure scenes[2]; StructuredBuffer<float> second; RWStructuredBuffer<float> result;
        float nothing(RaytracingAccelerationStructure of, float x) { return x; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main() { result[0] = nothing(scenes[1], nothing(scene, input[0])) + second[0]; }";
    let file = scratch.write("scenes.slang", program);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);

    let hlsl = String::from_utf8(emit("hlsl")).expect("HLSL is text");
    for place in ["input : register(t1, space0)", "second : register(t4, space0)", "result : register(u0, space0)"] {
        assert!(hlsl.contains(place), "{place}\n{hlsl}");
    }
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("scenes.hlsl", &hlsl);
    succeeded(Command::new(&dxc).arg(&hlsl).args(["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021"]));
    let glsl = String::from_utf8(emit("glsl")).expect("GLSL is text");
    for place in ["binding = 1, std430) readonly", "binding = 3, std430) readonly", "binding = 4, std430) buffer"] {
        assert!(glsl.contains(place), "{place}\n{glsl}");
    }
    let glsl = scratch.write("scenes.comp", &glsl);
    let flags = ["-S", "comp", "--target-env", "vulkan1.2", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let binary = scratch.file("scenes.spv");
    std::fs::write(&binary, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&binary));
    let cpp = scratch.write("scenes.cpp", &String::from_utf8_lossy(&emit("cpp")));
    succeeded(Command::new("g++").args(["-std=c++17", "-fsyntax-only"]).arg(&cpp));
    let library = std::env::var_os("NVRTC").map_or_else(|| root().join("target/tools/libnvrtc.so"), Into::into);
    let cuda = scratch.write("scenes.cu", &String::from_utf8_lossy(&emit("cuda")));
    succeeded(Command::new("python3").arg(root().join("tests/tools/nvrtc.py")).arg(&library).arg(&cuda));
    emit("wgsl");

    let traced = "RaytracingAccelerationStructure scene; RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main()
        {
            RayDesc ray = { float3(0), 0, float3(0, 0, 1), 100 };
            RayQuery<RAY_FLAG_NONE> query;
            query.TraceRayInline(scene, RAY_FLAG_NONE, 255, ray);
            query.Proceed();
            result[0] = query.CommittedRayT();
        }";
    let file = scratch.write("traced.slang", traced);
    for target in ["wgsl", "cpp", "cuda"] {
        let mut command = Command::new(server());
        let output = command.args(["emit", "--target", target]).arg(&file).finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("not supported"), "{target}: {said}");
    }
}

/// Textures with their own samplers by index, and arrays without length that are handed to functions.
#[test]
fn compilers_accept_arrays_of_textures_with_their_own_samplers() {
    const PROGRAM: &str = "
        Texture2D first;
        Sampler2D many[];
        [[vk::binding(7, 2)]] SamplerCube three[3];
        Texture2D plain[];
        SamplerState s;
        RWStructuredBuffer<float4> o;
        float4 get(Sampler2D of[], int i) { return of[NonUniformResourceIndex(i)].SampleLevel(float2(0), 0); }
        float4 deeper(Sampler2D of[], Texture2D others[], int i) { return get(of, i) + others[i].SampleLevel(s, float2(1), 0); }
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
        {
            o[0] = deeper(many, plain, id.x) + three[id.y].SampleLevel(float3(1), 0) + many[2].Load(int3(0)) + first[int2(0)];
        }";
    let scratch = whole_program_tests::process::Scratch::new("combined-arrays");
    let file = scratch.write("program.slang", PROGRAM);
    let wrong: Vec<String> = ["hlsl", "glsl", "spirv"]
        .into_iter()
        .filter_map(|target| {
            let said = whole_program_tests::stages::complaint(&scratch, &file, target, "compute", "main")?;
            Some(format!("{target}: {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // As slangc counts them: arrays without length have spaces of their own.
    let path = file.to_str().expect("paths are text");
    let (_, text, _) = whole_program_tests::programs::outcome(&["emit", path, "--target", "hlsl", "--entry", "main"]);
    for wanted in ["many_texture[] : register(t0, space1)", "many_sampler[] : register(s0, space2)"] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

/// In Vulkan an array takes one place whatever is in it, textures with their own samplers, too. The numbers are slangc's.
#[test]
fn arrays_take_one_place_in_vulkan() {
    let scratch = whole_program_tests::process::Scratch::new("one-place");
    let program = "Sampler2D first[]; Sampler2D many[4]; Texture2D plain[3]; Sampler2D last; SamplerState s; cbuffer C { uint pick; }
        [shader(\"fragment\")] float4 main(float2 uv : UV) : SV_Target
        {
            return first[pick].Sample(uv) + many[pick].Sample(uv) + plain[pick].Sample(s, uv) + last.Sample(uv);
        }";
    let file = scratch.write("program.slang", program);
    let path = file.to_str().expect("paths are text");
    let (_, text, _) = whole_program_tests::programs::outcome(&["emit", path, "--target", "glsl"]);
    for (name, number) in [
        ("first_texture", 0),
        ("first_sampler", 0),
        ("many_texture", 1),
        ("plain", 2),
        ("last_texture", 3),
        ("s;", 4),
        ("C_buffer", 5),
    ] {
        let line = text.lines().find(|line| line.starts_with("layout") && line.contains(&format!(" {name}")));
        let line = line.unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(
            line.contains(&format!("set = 0, binding = {number})")) || line.contains(&format!("binding = {number},")),
            "{line}"
        );
    }
}

/// Thread `i` reads what the struct `i % 2` holds: a buffer and a factor.
#[test]
fn resources_in_arrays_of_structs_have_values_in_cpp() {
    let scratch = Scratch::new("resource-structs-values");
    let program = "struct Input { float factor; StructuredBuffer<float> values; }
        uniform Input inputs[2]; RWStructuredBuffer<float> result;
        float read(Input input, uint at) { return input.factor * input.values[at]; }
        [shader(\"compute\")] [numthreads(4, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID) { result[id.x] = read(inputs[id.x % 2], id.x); }";
    let file = scratch.write("arrays.slang", program);
    let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", "cpp"]);
    let driver = "
int main()
{
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    const shader::Array<shader::Input, 2> inputs = {{{2.0f, {a, 4}}, {3.0f, {b, 4}}}};
    float result[4] = {};
    shader::run_main(1, 1, 1, &inputs, result, 4);
    for (int i = 0; i < 4; i++) std::printf(\"%g \", result[i]);
}
";
    let source = scratch.write("driver.cpp", &(String::from_utf8_lossy(&code).into_owned() + driver));
    let program = scratch.file("driver");
    succeeded(Command::new("g++").arg("-std=c++17").arg(&source).arg("-o").arg(&program));
    assert_eq!(succeeded(&mut Command::new(&program)), "2 60 6 120 ");
}
