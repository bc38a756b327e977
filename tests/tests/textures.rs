//! Textures that are read and written by the places of their texels: the compilers of the languages accept them, and the code
//! says what the source does.

use std::process::Command;

use whole_program_tests::{
    process::{Limited as _, Scratch},
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

fn accepted(command: &mut Command) {
    let output = command.finished().expect("the compiler runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {said}");
}

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
    accepted(Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(&binary));

    let glsl = scratch.write("textures.comp", &String::from_utf8_lossy(&emit("glsl")));
    let flags = ["-S", "comp", "--target-env", "vulkan1.1", "-o"];
    accepted(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));

    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let hlsl = scratch.write("textures.hlsl", &String::from_utf8_lossy(&emit("hlsl")));
    let flags = ["-T", "cs_6_6", "-E", "main", "-enable-16bit-types", "-HV", "2021", "-WX"];
    accepted(Command::new(&dxc).arg(&hlsl).args(flags));
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
