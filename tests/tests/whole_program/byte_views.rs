//! Buffers of bytes that GLSL and SPIR-V see as arrays of numbers of other widths: Khronos' compilers accept them, and what is
//! written in one step is what slangc writes so.

use std::process::Command;

use whole_program_tests::{
    process::{Limited as _, Scratch},
    programs::outcome,
    stages::complaint,
};

const PROGRAM: &str = "
struct Record { half h; uint16_t u; int8_t b; uint8_t c; float f; vector<int16_t, 3> v; };
RWByteAddressBuffer bytes;
RWByteAddressBuffer several[4];
void put(RWByteAddressBuffer to, uint at) { to.Store<uint8_t>(at, uint8_t(at)); }

[shader(\"compute\")] [numthreads(1, 1, 1)] void narrow(uint3 id : SV_DispatchThreadID)
{
    bytes.Store<half>(id.x * 2, half(1.5));
    bytes.Store<uint16_t>(6, uint16_t(id.x));
    Record r = { half(2), uint16_t(3), int8_t(4), uint8_t(5), 6, vector<int16_t, 3>(int16_t(id.x)) };
    bytes.Store<Record>(id.y * 20, r);
    several[id.z & 3].Store<int16_t>(id.x * 2, int16_t(7));
    bytes.Store<int8_t>(3, bytes.Load<int8_t>(5));
    put(bytes, id.x);
    put(several[1], id.x);
}
[shader(\"compute\")] [numthreads(1, 1, 1)] void wide(uint3 id : SV_DispatchThreadID)
{
    uint64_t before;
    bytes.InterlockedAdd64(id.x * 8, 5, before);
    several[2].InterlockedAdd64(16, before);
    bytes.Store<uint64_t>(64, before);
}
";

#[test]
fn compilers_accept_views_of_buffers() {
    let scratch = Scratch::new("byte-views");
    let file = scratch.write("program.slang", PROGRAM);
    let mut wrong = Vec::new();
    // HLSL has methods for it, but no numbers of 8 bits.
    for (entry, targets) in [("narrow", &["glsl", "spirv"][..]), ("wide", &["hlsl", "glsl", "spirv"])] {
        for target in targets {
            wrong.extend(complaint(&scratch, &file, target, "compute", entry).map(|text| format!("{target}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn views_have_the_place_of_the_buffer() {
    let scratch = Scratch::new("byte-view-places");
    let file = scratch.write("program.slang", PROGRAM);
    let path = file.to_str().expect("paths are text");
    let (status, text, said) = outcome(&["emit", path, "--target", "glsl", "--entry", "wide"]);
    assert_eq!(status, Some(0), "{said}");
    for part in [
        "layout(set = 0, binding = 0, std430) buffer bytes_buffer\n{\n    uint bytes[];",
        "layout(set = 0, binding = 0, std430) buffer bytes_uint64_t_buffer\n{\n    uint64_t bytes_uint64_t[];",
        "layout(set = 0, binding = 1, std430) buffer several_uint64_t_buffer\n{\n    uint64_t content[];\n} several_uint64_t[4];",
        // slangc 2026.14.1 writes `atomicAdd(bytes_0._data[uint(… * 8U / 8U)], 5UL)`.
        "atomicAdd(bytes_uint64_t[gl_GlobalInvocationID.x * 8u / 8u], 5ul)",
        "atomicAdd(several_uint64_t[2].content[2], before)",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    // What is written by one of them is read by the other.
    let binary = scratch.file("wide.spv");
    let spirv = binary.to_str().expect("paths are text");
    let (status, _, said) = outcome(&["emit", path, "--target", "spirv", "--entry", "wide", "-o", spirv]);
    assert_eq!(status, Some(0), "{said}");
    let output = Command::new("spirv-dis").arg(&binary).finished().expect("spirv-dis runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for name in ["bytes", "bytes_uint64_t", "several_uint64_t"] {
        assert!(text.contains(&format!("OpDecorate %{name} Aliased")), "{text}");
    }
}

/// What else is in a word may be written by others at the same time.
#[test]
fn narrow_numbers_are_refused_where_a_buffer_has_one_type() {
    let scratch = Scratch::new("byte-view-refusals");
    let text = "RWByteAddressBuffer bytes; [shader(\"compute\")] [numthreads(1, 1, 1)] void narrow(uint3 id : SV_DispatchThreadID)
        { bytes.Store<half>(id.x * 2, half(1.5)); }";
    let file = scratch.write("program.slang", text);
    let path = file.to_str().expect("paths are text");
    let (status, _, said) = outcome(&["emit", path, "--target", "wgsl", "--entry", "narrow"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("writing values of less than 32 bits to a byte-address buffer is not supported"), "{said}");
}
