//! Every program of `fixtures/stages`: the compilers of the languages accept its vertex and fragment shaders, and what they hand
//! on has the locations that slangc gives it.

use std::process::{Command, Output};

use whole_program_tests::{
    interfaces::difference,
    process::{Limited as _, Scratch, succeeded},
    programs::{analyzer, outcome, slang_files},
    root, server,
    stages::complaint,
};

/// The entry points of each file, as the compilers call their stages.
const ENTRIES: [(&str, &str, &str); 2] = [("vs", "vert", "vs_6_6"), ("ps", "frag", "ps_6_6")];

fn assert_accepted(output: &Output, what: &str, code: &[u8]) {
    let messages = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {messages}\n{}", String::from_utf8_lossy(code));
}

#[test]
fn compilers_accept_vertex_and_fragment_shaders() {
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let scratch = Scratch::new("stage-programs");
    for path in slang_files("fixtures/stages") {
        let file = path.to_str().expect("paths are text");
        for (entry, stage, profile) in ENTRIES {
            let emit = |target| analyzer(&["emit", file, "--target", target, "--entry", entry]);
            let what = |target| format!("{file}, {entry}, {target}");
            let hlsl = emit("hlsl");
            let source = scratch.write("program.hlsl", &String::from_utf8_lossy(&hlsl));
            let flags = ["-T", profile, "-E", entry, "-enable-16bit-types", "-HV", "2021", "-WX"];
            let output = Command::new(&dxc).arg(&source).args(flags).finished().expect("DXC runs");
            assert_accepted(&output, &what("hlsl"), &hlsl);
            let glsl = emit("glsl");
            let source = scratch.write("program.glsl", &String::from_utf8_lossy(&glsl));
            let flags = ["-S", stage, "--target-env", "vulkan1.1"];
            // It leaves what it makes where it runs.
            let output = Command::new("glslangValidator").args(flags).arg(&source).current_dir(&scratch.0).finished();
            assert_accepted(&output.expect("glslangValidator runs"), &what("glsl"), &glsl);
            let binary = scratch.0.join("program.spv");
            std::fs::write(&binary, emit("spirv")).expect("the scratch file can be written");
            let flags = ["--target-env", "vulkan1.2"];
            let output = Command::new("spirv-val").args(flags).arg(&binary).finished().expect("spirv-val runs");
            assert_accepted(&output, &what("spirv"), b"");
            // The library that writes it has looked at it.
            assert!(String::from_utf8_lossy(&emit("wgsl")).contains(&format!("fn {entry}(")), "{}", what("wgsl"));
        }
    }
}

#[test]
fn our_spirv_takes_and_gives_what_our_glsl_does() {
    let scratch = Scratch::new("stage-interfaces");
    let mut wrong = Vec::new();
    for path in slang_files("fixtures/stages") {
        for (entry, stage) in [("vs", "vertex"), ("ps", "fragment")] {
            wrong.extend(difference(&scratch, &path, stage, entry).map(|text| format!("{}: {text}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A fragment that is discarded goes on as a helper: without it the derivatives and levels of its neighbours mean nothing, and
/// compilers of WGSL refuse derivatives behind a `return` that only some take.
#[test]
fn what_follows_a_discard_runs() {
    let path = root().join("fixtures/stages/discards.slang");
    for (target, difference) in [("hlsl", "ddx("), ("glsl", "dFdx("), ("wgsl", "dpdx(")] {
        let code = analyzer(&["emit", path.to_str().expect("paths are text"), "--target", target, "--entry", "ps"]);
        let code = String::from_utf8(code).expect("the code is text");
        let (_, after) = code.split_once(difference).expect("the difference is written");
        let before = &code[..code.len() - after.len()];
        let (_, between) = before.rsplit_once("discard").expect("the fragment is discarded before");
        assert!(!between.contains("return"), "{target}\n{code}");
        assert_eq!(code.matches("discard;").count(), 4, "{target}\n{code}");
    }
}

/// The lines of GLSL that say what stages hand on, without names.
/// What is said of fragments that pass one after the other; GLSL says it in `main` alone, for all of the shader.
#[test]
fn fragments_of_one_pixel_pass_one_after_the_other() {
    let scratch = Scratch::new("interlocks");
    let text = "RWTexture2D<float4> seen;
        float4 pass(float4 at)
        {
            beginInvocationInterlock();
            float4 before = seen[uint2(at.xy)];
            seen[uint2(at.xy)] = before + at;
            endInvocationInterlock();
            return before;
        }
        [shader(\"fragment\")] float4 ordered(float4 at : PLACE) : SV_Target { return pass(at) + 1; }
        [shader(\"fragment\")] float4 other(float4 at : PLACE) : SV_Target { return at; }
        [shader(\"compute\")] [numthreads(1, 1, 1)] void kernel() { seen[0] = pass(1); }";
    let file = scratch.write("program.slang", text);
    let path = file.to_str().expect("paths are text");
    for target in ["glsl", "spirv"] {
        for entry in ["ordered", "other"] {
            assert_eq!(complaint(&scratch, &file, target, "fragment", entry), None);
        }
    }
    assert_eq!(difference(&scratch, &file, "fragment", "ordered"), None);
    assert_eq!(difference(&scratch, &file, "fragment", "other"), None);
    let glsl = String::from_utf8(analyzer(&["emit", path, "--target", "glsl", "--entry", "ordered"]));
    let glsl = glsl.expect("the code is text");
    let (_, main) = glsl.split_once("void main()\n{\n    beginInvocationInterlockARB();\n").expect("it begins first");
    assert!(main.trim_end().ends_with("    endInvocationInterlockARB();\n}"), "{glsl}");
    for (target, entry) in [("hlsl", "ordered"), ("wgsl", "ordered"), ("glsl", "kernel"), ("spirv", "kernel")] {
        let (status, _, said) = outcome(&["emit", path, "--target", target, "--entry", entry]);
        assert!(status == Some(3) && said.contains("interlock"), "{target} {entry}: {said}");
    }
}

/// What a resource says of itself, the whole shader says where the language has no such resources.
#[test]
fn ordered_resources_are_reached_in_order() {
    let scratch = Scratch::new("ordered-resources");
    let text = "struct Block { RasterizerOrderedTexture2D<float4> t; float4 c; };
        ParameterBlock<Block> block;
        RasterizerOrderedStructuredBuffer<float> several[3];
        RWStructuredBuffer<float> free;
        float4 put(RasterizerOrderedTexture2D<float4> t, uint2 p) { t[p] = t[p] + 1; return t[p]; }
        [shader(\"fragment\")] float4 main(float4 c : C) : SV_Target
        {
            several[1][0] += 1;
            if (c.x > 3) return c;
            return put(block.t, uint2(c.xy)) * block.c;
        }
        [shader(\"fragment\")] float4 other(float4 c : C) : SV_Target { free[0] = 1; return c; }";
    let file = scratch.write("program.slang", text);
    let path = file.to_str().expect("paths are text");
    for (entry, is_ordered) in [("main", true), ("other", false)] {
        for target in ["hlsl", "glsl", "spirv"] {
            assert_eq!(complaint(&scratch, &file, target, "fragment", entry), None);
        }
        assert_eq!(difference(&scratch, &file, "fragment", entry), None);
        let emit = |target| {
            String::from_utf8_lossy(&analyzer(&["emit", path, "--target", target, "--entry", entry])).into_owned()
        };
        let (hlsl, glsl) = (emit("hlsl"), emit("glsl"));
        assert_eq!(hlsl.contains("RasterizerOrderedTexture2D<"), is_ordered, "{hlsl}");
        assert_eq!(hlsl.contains("RasterizerOrderedStructuredBuffer<"), is_ordered, "{hlsl}");
        assert_eq!(glsl.contains("beginInvocationInterlockARB();"), is_ordered, "{glsl}");
    }
}

/// slangc 2026.14.1 declares them so, too: `pervertexEXT … in vec4 color_0[3]`, `nointerpolation float4 color_0 : COLOR`.
#[test]
fn inputs_are_read_at_each_vertex() {
    let scratch = Scratch::new("vertex-attributes");
    let text = "
        struct In { float4 position : SV_Position; pervertex float4 color : COLOR; nointerpolation uint id : ID;
            nointerpolation float2x2 m : M; float2 uv : UV; float3 bary : SV_Barycentrics; pervertex float3 plain : PLAIN; };
        float4 blend(In i, uint k)
        {
            return GetAttributeAtVertex(i.color, k) * GetAttributeAtVertex(i.id, 1) + GetAttributeAtVertex(i.m, 2)[1].xyxy;
        }
        [shader(\"fragment\")] float4 main(In i, nointerpolation float4 other : OTHER) : SV_Target
        {
            return blend(i, i.id) * i.uv.xyxy + GetAttributeAtVertex(other, 0) + i.plain.xyzz;
        }";
    let file = scratch.write("program.slang", text);
    for target in ["hlsl", "glsl", "spirv"] {
        assert_eq!(complaint(&scratch, &file, target, "fragment", "main"), None);
    }
    assert_eq!(difference(&scratch, &file, "fragment", "main"), None);
    let path = file.to_str().expect("paths are text");
    let glsl = analyzer(&["emit", path, "--target", "glsl", "--entry", "main"]);
    let glsl = String::from_utf8(glsl).expect("the code is text");
    for part in ["layout(location = 0) pervertexEXT in vec4 i_color[3];", "in vec2 i_uv;", "i_color[k]", "i_id[1]"] {
        assert!(glsl.contains(part), "{glsl}");
    }
    let refusals = [
        ("float4 c : C", "GetAttributeAtVertex(c, 0)", "without `nointerpolation` or `pervertex`", "glsl"),
        ("nointerpolation float4 c : C", "GetAttributeAtVertex(c * 2, 0)", "what is not an input", "spirv"),
        ("pervertex float4 c : C", "GetAttributeAtVertex(c, 0)", "`wgsl`", "wgsl"),
        ("pervertex float4 c : C", "c", "values of all vertices", "wgsl"),
        ("pervertex float4 c : SV_Position", "c", "`pervertex` and of the pipeline", "glsl"),
    ];
    for (parameter, value, words, target) in refusals {
        let text = format!("[shader(\"fragment\")] float4 main({parameter}) : SV_Target {{ return {value}; }}");
        let file = scratch.write("refused.slang", &text);
        let path = file.to_str().expect("paths are text");
        let (status, _, said) = outcome(&["emit", path, "--target", target, "--entry", "main"]);
        assert!(status == Some(3) && said.contains(words), "{parameter} {value}: {said}");
    }
}

fn varyings(file: &str, entry: &str) -> Vec<String> {
    let path = root().join("fixtures/stages").join(file);
    let glsl = analyzer(&["emit", path.to_str().expect("paths are text"), "--target", "glsl", "--entry", entry]);
    let glsl = String::from_utf8(glsl).expect("the code is text");
    let lines = glsl.lines().filter_map(|line| line.strip_prefix("layout(location = "));
    lines.map(|line| line.rsplit_once(' ').map_or(line, |(before, _)| before).replace(')', "")).collect()
}

/// What slangc 2026.14.1 writes for the same programs; matrices and arrays, which take a location for each part there too, are
/// in parts here.
#[test]
fn locations_are_slangcs() {
    let cases: [(&str, &str, &[&str]); 6] = [
        (
            "structs.slang",
            "vs",
            &[
                "0 in vec3",
                "1 in vec2",
                "2 in uvec4",
                "0 out vec2",
                "1 flat out int",
                "2 flat out float",
                "3 out vec2",
                "4 out vec2",
            ],
        ),
        (
            "structs.slang",
            "ps",
            &["0 in vec2", "1 flat in int", "2 flat in float", "3 in vec2", "4 in vec2", "0 out vec4"],
        ),
        ("results.slang", "vs", &["0 in vec4", "0 out vec3"]),
        ("results.slang", "ps", &["0 in vec3", "0 out vec4", "1 out vec2"]),
        (
            "locations.slang",
            "vs",
            &[
                "2 in vec3",
                "4 in vec2",
                "3 out vec4",
                "0 noperspective out vec2",
                "1 centroid out vec3",
                "5 out float",
                "6 out float",
            ],
        ),
        (
            "locations.slang",
            "ps",
            &["3 in vec4", "0 noperspective in vec2", "1 centroid in vec3", "5 in float", "6 in float", "0 out vec4"],
        ),
    ];
    for (file, entry, expected) in cases {
        assert_eq!(varyings(file, entry), expected, "{file}, {entry}");
    }
}

#[test]
fn targets_without_such_stages_refuse_them_by_name() {
    let path = root().join("fixtures/stages/structs.slang");
    let plain = "only compute entry points and those without inputs and outputs are supported";
    for (target, refusal) in [("slang", "vertex entry points are not supported"), ("cpp", plain), ("cuda", plain)] {
        let mut command = Command::new(server());
        command.args(["emit", path.to_str().expect("paths are text"), "--target", target, "--entry", "vs"]);
        let output = command.finished().expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let wanted = format!("`vs`: {refusal} for target `{target}`");
        assert!(!output.status.success() && said.contains(&wanted), "{target}: {said}");
    }
}

/// What a shader asks of the device that runs it is kept in every language that can say it, and refused by name in the others.
#[test]
fn attributes_of_entry_points_are_kept_or_refused() {
    let scratch = Scratch::new("entry-attributes");
    let file = scratch.write(
        "program.slang",
        "RWStructuredBuffer<uint> hits;
        [earlydepthstencil] [shader(\"fragment\")]
        float4 early(float4 p : SV_Position) : SV_Target { InterlockedAdd(hits[0], 1u); return p.z; }
        [shader(\"compute\")] [numthreads(32, 1, 1)] [WaveSize(32)]
        void waves(uint3 t : SV_DispatchThreadID) { hits[t.x] = WaveGetLaneCount(); }
        globallycoherent RWStructuredBuffer<uint> shared_flags;
        [shader(\"compute\")] [numthreads(32, 1, 1)]
        void coherent(uint3 t : SV_DispatchThreadID) { shared_flags[t.x] = shared_flags[t.x + 1]; }
        struct Targets { float4 a : SV_Target2; uint2 id : SV_Target0; };
        [shader(\"fragment\")] Targets targets(float2 uv : TEXCOORD) { return { float4(1), uint2(2) }; }",
    );
    let file = file.to_str().expect("paths are text");
    let emit = |target: &str, entry: &str| -> String {
        let code = analyzer(&["emit", file, "--target", target, "--entry", entry]);
        String::from_utf8_lossy(&code).into_owned()
    };
    assert!(emit("hlsl", "early").contains("[earlydepthstencil]\n"));
    assert!(emit("glsl", "early").contains("layout(early_fragment_tests) in;\n"));
    let words: Vec<u32> = analyzer(&["emit", file, "--target", "spirv", "--entry", "early"])
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    // `OpExecutionMode`, of three words, with `EarlyFragmentTests`.
    assert!(words.windows(3).any(|words| words[0] == 3 << 16 | 16 && words[2] == 9));
    let assert_refused = |target: &str, entry: &str, words: &str| {
        let refused = Command::new(server()).args(["emit", file, "--target", target, "--entry", entry]).finished();
        let refused = refused.expect("the analyzer runs");
        let messages = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && messages.contains(words), "{messages}");
    };
    assert_refused("wgsl", "early", "`[earlydepthstencil]` is not supported for target `wgsl`");
    assert!(emit("hlsl", "coherent").contains("globallycoherent RWStructuredBuffer<uint> shared_flags"));
    assert!(emit("slang", "coherent").contains("globallycoherent RWStructuredBuffer<uint> shared_flags"));
    assert!(emit("glsl", "coherent").contains(" coherent buffer "));
    assert_refused("wgsl", "coherent", "`globallycoherent` is not supported for target `wgsl`");
    assert!(emit("hlsl", "waves").contains("[WaveSize(32)]\n[numthreads(32, 1, 1)]\n"));
    // As in slangc's WGSL; in its GLSL they are counted.
    let wgsl = emit("wgsl", "targets");
    assert!(wgsl.contains("@location(2) targets_a") && wgsl.contains("@location(0) targets_id"), "{wgsl}");
}

/// Parameters come before the result, as in slangc's GLSL.
#[test]
fn locations_of_parameters_come_before_that_of_the_result() {
    let scratch = Scratch::new("output-order");
    let file = scratch.write(
        "program.slang",
        "[shader(\"fragment\")] float4 ps(float2 uv : TEXCOORD, out uint2 x : SV_Target3, out float y : SV_Target1)
            : SV_Target0 { x = 1; y = 2; return 3; }",
    );
    let file = file.to_str().expect("paths are text");
    let glsl = analyzer(&["emit", file, "--target", "glsl", "--entry", "ps"]);
    let glsl = String::from_utf8_lossy(&glsl).into_owned();
    let outputs: Vec<&str> = glsl.lines().filter(|line| line.contains(") out ")).collect();
    let types: Vec<&str> = outputs.iter().filter_map(|line| line.split_whitespace().nth(4)).collect();
    assert_eq!(types, ["uvec2", "float", "vec4"], "{glsl}");
}

/// Two results for one location, which are blended with each other.
#[test]
fn the_second_source_of_blending_is_written() {
    let scratch = Scratch::new("second-source");
    let text = "struct Colors { [[vk::location(0)]] float4 a : SV_Target0; [[vk::location(0)]] [[vk::index(1)]] float4 b : SV_Target1; }
        [shader(\"fragment\")] Colors main(float4 at : AT) { return { at, at.yxzw }; }";
    let file = scratch.write("second.slang", text);
    let emit = |target| analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target]);
    let text = |target| String::from_utf8(emit(target)).expect("it is text");
    assert!(text("hlsl").contains(": SV_TARGET1"));
    let glsl = text("glsl");
    assert!(
        glsl.contains("layout(location = 0) out vec4") && glsl.contains("layout(location = 0, index = 1) out vec4")
    );
    let glsl = scratch.write("second.frag", &glsl);
    let flags = ["-S", "frag", "--target-env", "vulkan1.1", "-o"];
    succeeded(Command::new("glslangValidator").args(flags).arg(scratch.file("glsl.spv")).arg(&glsl));
    let wgsl = text("wgsl");
    assert!(wgsl.contains("@location(0) @blend_src(0)") && wgsl.contains("@location(0) @blend_src(1)"), "{wgsl}");
    let spirv = scratch.file("second.spv");
    std::fs::write(&spirv, emit("spirv")).expect("the folder can be written");
    succeeded(Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(&spirv));
}

/// A value of the pipeline: its semantic, stage, whether the stage gives it, its type, and the languages that do not have it.
type SystemValue = (&'static str, &'static str, bool, &'static str, &'static [&'static str]);

const VULKAN_ALONE: &[&str] = &["hlsl", "wgsl"];
const NOT_IN_WGSL: &[&str] = &["wgsl"];

const SYSTEM_VALUES: &[SystemValue] = &[
    ("SV_VertexID", "vs", false, "uint", &[]),
    ("SV_InstanceID", "vs", false, "uint", &[]),
    ("SV_VulkanVertexID", "vs", false, "uint", &["hlsl"]),
    ("SV_VulkanInstanceID", "vs", false, "int", &["hlsl"]),
    ("SV_StartVertexLocation", "vs", false, "int", NOT_IN_WGSL),
    ("SV_StartInstanceLocation", "vs", false, "uint", NOT_IN_WGSL),
    ("SV_DrawIndex", "vs", false, "uint", VULKAN_ALONE),
    ("SV_ViewID", "vs", false, "uint", NOT_IN_WGSL),
    ("SV_DeviceIndex", "vs", false, "uint", VULKAN_ALONE),
    ("SV_PointSize", "vs", true, "float", &["hlsl", "wgsl"]),
    ("SV_ClipDistance", "vs", true, "float", NOT_IN_WGSL),
    ("SV_ClipDistance1", "vs", true, "float[2]", NOT_IN_WGSL),
    ("SV_CullDistance", "vs", true, "float", NOT_IN_WGSL),
    ("SV_RenderTargetArrayIndex", "vs", true, "uint", NOT_IN_WGSL),
    ("SV_ViewportArrayIndex", "vs", true, "uint", NOT_IN_WGSL),
    ("SV_IsFrontFace", "ps", false, "bool", &[]),
    ("SV_SampleIndex", "ps", false, "uint", &[]),
    ("SV_PrimitiveID", "ps", false, "uint", &[]),
    ("SV_Coverage", "ps", false, "uint", &[]),
    ("SV_ClipDistance", "ps", false, "float", NOT_IN_WGSL),
    ("SV_CullDistance1", "ps", false, "float", NOT_IN_WGSL),
    ("SV_RenderTargetArrayIndex", "ps", false, "uint", NOT_IN_WGSL),
    ("SV_ViewportArrayIndex", "ps", false, "uint", NOT_IN_WGSL),
    ("SV_ViewID", "ps", false, "uint", NOT_IN_WGSL),
    ("SV_DeviceIndex", "ps", false, "uint", VULKAN_ALONE),
    ("SV_Barycentrics", "ps", false, "float3", NOT_IN_WGSL),
    ("SV_Barycentrics", "ps", false, "noperspective float3", NOT_IN_WGSL),
    ("SV_PointCoord", "ps", false, "float2", VULKAN_ALONE),
    ("SV_VulkanSamplePosition", "ps", false, "float2", VULKAN_ALONE),
    ("SV_ShadingRate", "ps", false, "uint", NOT_IN_WGSL),
    ("SV_FragSize", "ps", false, "uint2", VULKAN_ALONE),
    ("SV_FragInvocationCount", "ps", false, "uint", VULKAN_ALONE),
    ("SV_Depth", "ps", true, "float", &[]),
    ("SV_DepthGreaterEqual", "ps", true, "float", &[]),
    ("SV_DepthLessEqual", "ps", true, "float", &[]),
    ("SV_Coverage", "ps", true, "uint", &[]),
    ("SV_StencilRef", "ps", true, "uint", NOT_IN_WGSL),
    ("SV_WaveLaneIndex", "ps", false, "uint", &[]),
];

/// A shader that reads the value, or gives it.
fn with_system_value(&(semantic, entry, is_output, ty, _): &SystemValue) -> String {
    let (stage, own) = if entry == "vs" { ("vertex", "SV_Position") } else { ("fragment", "SV_Target") };
    let (ty, array) = ty.split_once('[').map_or((ty, String::new()), |(ty, array)| (ty, format!("[{array}")));
    if is_output {
        let value = if array.is_empty() { "output.v" } else { "output.v[1]" };
        return format!(
            "struct Output {{ float4 own : {own}; {ty} v{array} : {semantic}; }}
            [shader(\"{stage}\")] Output {entry}(float x : X)
            {{ Output output = {{}}; output.own = float4(x); {value} = {ty}(x * 2); return output; }}"
        );
    }
    format!(
        "[shader(\"{stage}\")] float4 {entry}({ty} v : {semantic}) : {own}
        {{ float4 sum = 0; let w = v; sum.x = {}; return sum; }}",
        if ty.ends_with(['2', '3']) { "float(w.x) + float(w.y)" } else { "float(w)" }
    )
}

#[test]
fn values_of_the_pipeline_are_written_or_refused_by_name() {
    let dxc = std::env::var_os("DXC").map_or(root().join("target/tools/dxc/dxc"), Into::into);
    let scratch = Scratch::new("system-values");
    let mut wrong = Vec::new();
    for value @ &(semantic, entry, is_output, _, missing) in SYSTEM_VALUES {
        let file = scratch.write("program.slang", &with_system_value(value));
        for target in ["hlsl", "glsl", "wgsl", "spirv"] {
            let what = format!("{semantic}, {entry}, output {is_output}, {target}");
            let code = scratch.file("code");
            let mut command = Command::new(server());
            command.arg("emit").arg(&file).args(["--target", target, "--entry", entry, "-o"]).arg(&code);
            let output = command.finished().expect("the analyzer runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if missing.contains(&target) {
                let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_uppercase();
                if output.status.success() || !said.contains(&name) || !said.contains("is not supported for target") {
                    wrong.push(format!("{what} is not refused by name: {said}"));
                }
                continue;
            }
            if !output.status.success() {
                wrong.push(format!("{what}: {said}"));
                continue;
            }
            // Shader model 6.8 has these, of which the compiler does not know yet.
            if target == "hlsl" && semantic.starts_with("SV_Start") {
                continue;
            }
            let profile = &format!("{entry}_6_6");
            let stage = if entry == "vs" { "vert" } else { "frag" };
            let mut command = match target {
                "hlsl" => {
                    let mut command = Command::new(&dxc);
                    command.arg(&code).args(["-T", profile, "-E", entry, "-enable-16bit-types", "-HV", "2021", "-WX"]);
                    command
                }
                "glsl" => {
                    let mut command = Command::new("glslangValidator");
                    command.args(["-S", stage, "--target-env", "vulkan1.3"]).arg(&code).current_dir(&scratch.0);
                    command
                }
                "spirv" => {
                    let mut command = Command::new("spirv-val");
                    command.args(["--target-env", "vulkan1.3"]).arg(&code);
                    command
                }
                // The library that writes it has looked at it.
                _ => continue,
            };
            let output = command.finished().expect("the compiler runs");
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                let code = std::fs::read(&code).unwrap_or_default();
                wrong.push(format!("{what}: {said}\n{}", String::from_utf8_lossy(&code)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
