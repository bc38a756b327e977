//! Programs in the flavour of GLSL (`#version`): what `layout(…)` says of places, packing and group sizes is what the code has, as
//! slangc 2026.14.1 has it, and blocks with and without a name are the memory that they say.

use whole_program_tests::{process::Scratch, programs::outcome, stages::complaint};

const PROGRAM: &str = "
#version 450
#define WIDTH 8
layout(local_size_x = WIDTH, local_size_y = 2) in;
layout(binding = 5, set = 2) uniform Camera { vec4 tint; vec3 eye; } camera;
layout(binding = 3) uniform Scene { float time; };
layout(push_constant) uniform Push { float scale; uint count; } push;
layout(binding = 6, std430) readonly buffer In { float values[]; } source;
layout(binding = 7, set = 1) buffer Out { vec4 result[]; };
layout(binding = 8) buffer Counters { uint hits; uint misses[4]; } counters;
layout(binding = 9, std140) buffer Wide { float wide[4]; };
layout(binding = 10, scalar) uniform Tight { float tight[4]; } tight_block;
layout(binding = 11, rgba8) uniform image2D picture;
shared float tile[16];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    tile[gl_LocalInvocationIndex] = source.values[i] * push.scale + camera.eye.x + time;
    barrier();
    result[i] = camera.tint * tile[15 - gl_LocalInvocationIndex];
    atomicAdd(counters.hits, push.count);
    counters.misses[i % 4] += 1;
    wide[1] = tight_block.tight[2];
    imageStore(picture, ivec2(1, 2), vec4(1.0));
}
";

fn emitted(program: &str, target: &str) -> String {
    let scratch = Scratch::new("glsl-flavour");
    let file = scratch.write("program.slang", program);
    let path = file.to_str().expect("paths are text");
    let (status, text, said) = outcome(&["emit", path, "--target", target, "--entry", "main", "-stage", "compute"]);
    assert_eq!(status, Some(0), "{target}: {said}");
    text
}

#[test]
fn layouts_are_what_the_code_has() {
    let text = emitted(PROGRAM, "glsl");
    for part in [
        "layout(local_size_x = 8, local_size_y = 2, local_size_z = 1) in;",
        "layout(set = 2, binding = 5, std140) uniform camera",
        "layout(set = 0, binding = 3, std140) uniform",
        "layout(push_constant, std430) uniform push",
        "layout(set = 0, binding = 6, std430) buffer source",
        "layout(set = 1, binding = 7, std430) buffer",
        "layout(set = 0, binding = 8, std430) buffer counters",
        "layout(set = 0, binding = 9, std140) buffer",
        "layout(set = 0, binding = 10, scalar) uniform tight_block",
        "layout(set = 0, binding = 11, rgba8) uniform image2D picture",
    ] {
        assert!(text.contains(part), "there is no `{part}`:\n{text}");
    }
    assert!(emitted(PROGRAM, "hlsl").contains("[numthreads(8, 2, 1)]"));
}

#[test]
fn compilers_accept_blocks() {
    let scratch = Scratch::new("glsl-flavour-compiled");
    let program = PROGRAM
        .replace("void main()", "[shader(\"compute\")] void main()")
        // The validator would have to be told that scalar layouts are meant.
        .replace("scalar) uniform", "std140) uniform");
    let file = scratch.write("program.slang", &program);
    for target in ["glsl", "spirv", "hlsl"] {
        if let Some(text) = complaint(&scratch, &file, target, "compute", "main") {
            panic!("{target}: {text}");
        }
    }
}

/// What has no form in the code is refused by name.
#[test]
fn what_is_not_supported_is_said() {
    let refused = |declaration: &str, statement: &str| {
        let scratch = Scratch::new("glsl-flavour-refused");
        let program =
            format!("#version 450\n{declaration}\nlayout(local_size_x = 4) in;\nvoid main() {{ {statement} }}");
        let file = scratch.write("program.slang", &program);
        let path = file.to_str().expect("paths are text");
        let (status, _, said) = outcome(&["emit", path, "--target", "glsl", "--entry", "main", "-stage", "compute"]);
        assert_eq!(status, Some(3), "{said}");
        said
    };
    let said = refused("layout(binding = 1) buffer B { uint n; uint data[]; } b;", "b.data[0] = b.n;");
    assert!(said.contains("a storage block with other fields beside an array without length"), "{said}");
    let said = refused("layout(binding = 1) buffer B { uint data[]; } b[2];", "b[1].data[0] = 1;");
    assert!(said.contains("an array of blocks"), "{said}");
    let said = refused("layout(local_size_x_id = 3) in; buffer B { uint data[]; };", "data[0] = 1;");
    assert!(said.contains("a group size that only the host knows"), "{said}");
}
