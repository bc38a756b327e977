//! Shaders that rays start: the compilers of HLSL, GLSL and SPIR-V accept them, with derivatives inside, and what they share is written as
//! slangc writes it.

use std::process::Command;

use whole_program_tests::{
    interfaces::difference,
    process::{Limited as _, Scratch},
    programs::analyzer,
    server,
    stages::complaint,
};

const PROGRAM: &str = "
struct Payload { float4 color; int depth; };
struct Shadow { bool hit; };
struct Attributes { float3 normal; };
struct Camera { float4x4 inverse; float3 position; };
RaytracingAccelerationStructure scene;
RWTexture2D<float4> image;
ConstantBuffer<Camera> camera;
StructuredBuffer<float3> normals;
[Differentiable] float gloss(float x, float y) { return x * x * y; }

[shader(\"raygeneration\")] void generate()
{
    uint3 id = DispatchRaysIndex();
    float2 uv = float2(id.xy) / float2(DispatchRaysDimensions().xy);
    RayDesc ray;
    ray.Origin = camera.position;
    ray.Direction = normalize(mul(camera.inverse, float4(uv, 1, 0)).xyz);
    ray.TMin = 0.001;
    ray.TMax = 1000;
    Payload p = { float4(0), 0 };
    TraceRay(scene, RAY_FLAG_FORCE_OPAQUE, 0xff, 0, 1, 0, ray, p);
    Shadow s = { true };
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 1, 1, 1, ray, s);
    image[id.xy] = s.hit ? p.color * 0.5 : p.color;
}
[shader(\"miss\")] void miss(inout Payload p) { p.color = float4(WorldRayDirection(), 1); CallShader(2, p); }
[shader(\"miss\")] void unshadowed(inout Shadow s) { s.hit = false; }
[shader(\"closesthit\")] void nearest(inout Payload p, in BuiltInTriangleIntersectionAttributes attributes)
{
    float3 normal = normals[PrimitiveIndex()];
    float3 position = WorldRayOrigin() + RayTCurrent() * WorldRayDirection();
    var x = diffPair(position.x, 0.0);
    var y = diffPair(attributes.barycentrics.y, 0.0);
    bwd_diff(gloss)(x, y, 1.0);
    p.color = float4(normal * float3(x.d, y.d, 1), HitKind());
    p.depth += 1;
    if (p.depth > 3) return;
    RayDesc next = { position, 0.01, normal, 100 };
    TraceRay(scene, 0, 255, 0, 0, 0, next, p);
    p.color.xyz += mul(ObjectToWorld3x4(), float4(normal, 0));
}
[shader(\"anyhit\")] void any(inout Payload p, BuiltInTriangleIntersectionAttributes attributes)
{
    p.depth += 1;
    if (attributes.barycentrics.x < 0.5) IgnoreHit();
    p.depth = 7;
    if (InstanceID() == 3) AcceptHitAndEndSearch();
    p.depth = 8;
}
[shader(\"intersection\")] void sphere()
{
    Attributes a = { ObjectRayDirection() };
    if (ReportHit(RayTMin() + 1, 0, a)) { a.normal = 0; ReportHit(2.0, 1, a); }
}
[shader(\"closesthit\")] void round(inout Payload p, in Attributes a) { p.color = float4(a.normal, 1); }
[shader(\"callable\")] void brighten(inout Payload p) { p.color *= 2; }
[shader(\"callable\")] void plain(inout float3 color) { color *= 2; }
[shader(\"miss\")] void sky(inout float4 color) { color.xyz = 1; CallShader(1, color.xyz); }
[shader(\"anyhit\")] void always(inout Payload p, in BuiltInTriangleIntersectionAttributes a) { AcceptHitAndEndSearch(); }
";

const ENTRIES: &[(&str, &str)] = &[
    ("generate", "raygeneration"),
    ("miss", "miss"),
    ("unshadowed", "miss"),
    ("nearest", "closesthit"),
    ("any", "anyhit"),
    ("sphere", "intersection"),
    ("round", "closesthit"),
    ("brighten", "callable"),
    ("plain", "callable"),
    ("sky", "miss"),
    ("always", "anyhit"),
];

#[test]
fn compilers_accept_shaders_that_rays_start() {
    let scratch = Scratch::new("ray-stages");
    let file = scratch.write("program.slang", PROGRAM);
    let mut wrong = Vec::new();
    for &(entry, stage) in ENTRIES {
        for target in ["hlsl", "glsl", "spirv"] {
            wrong.extend(complaint(&scratch, &file, target, stage, entry));
        }
        wrong.extend(difference(&scratch, &file, stage, entry));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Functions of the core library without arguments, and the stages that have them.
const VALUES: &[(&str, &[&str])] = &[
    ("DispatchRaysIndex()", &["raygeneration", "intersection", "anyhit", "closesthit", "miss", "callable"]),
    ("DispatchRaysDimensions()", &["raygeneration", "intersection", "anyhit", "closesthit", "miss", "callable"]),
    ("WorldRayOrigin()", &["intersection", "anyhit", "closesthit", "miss"]),
    ("WorldRayDirection()", &["intersection", "anyhit", "closesthit", "miss"]),
    ("RayTMin()", &["intersection", "anyhit", "closesthit", "miss"]),
    ("RayTCurrent()", &["intersection", "anyhit", "closesthit", "miss"]),
    ("RayFlags()", &["intersection", "anyhit", "closesthit", "miss"]),
    ("InstanceIndex()", &["intersection", "anyhit", "closesthit"]),
    ("InstanceID()", &["intersection", "anyhit", "closesthit"]),
    ("PrimitiveIndex()", &["intersection", "anyhit", "closesthit"]),
    ("GeometryIndex()", &["intersection", "anyhit", "closesthit"]),
    ("HitKind()", &["anyhit", "closesthit"]),
    ("ObjectRayOrigin()", &["intersection", "anyhit", "closesthit"]),
    ("ObjectRayDirection()", &["intersection", "anyhit", "closesthit"]),
    ("ObjectToWorld3x4()[1]", &["intersection", "anyhit", "closesthit"]),
    ("ObjectToWorld4x3()[3]", &["intersection", "anyhit", "closesthit"]),
    ("WorldToObject3x4()[1]", &["intersection", "anyhit", "closesthit"]),
    ("WorldToObject4x3()[3]", &["intersection", "anyhit", "closesthit"]),
];

#[test]
fn what_the_machine_says_of_rays_is_written_in_each_stage_that_has_it() {
    let scratch = Scratch::new("ray-values");
    let mut wrong = Vec::new();
    for stage in ["raygeneration", "intersection", "anyhit", "closesthit", "miss", "callable"] {
        let parameters = match stage {
            "anyhit" | "closesthit" => "inout P p, in BuiltInTriangleIntersectionAttributes a",
            "miss" | "callable" => "inout P p",
            _ => "",
        };
        let of_stage = VALUES.iter().filter(|(_, stages)| stages.contains(&stage));
        let uses: String = of_stage.map(|(value, _)| format!("words[{}] = {value}.x;\n", value.len())).collect();
        let text = format!(
            "struct P {{ float x; }}; RWStructuredBuffer<float> words;
            [shader(\"{stage}\")] void main({parameters}) {{ {uses} }}"
        );
        let file = scratch.write("program.slang", &text);
        for target in ["hlsl", "glsl", "spirv"] {
            wrong.extend(complaint(&scratch, &file, target, stage, "main"));
        }
        wrong.extend(difference(&scratch, &file, stage, "main"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What an any-hit shader has made of its payload is what the ray goes on with, also where the shader ends early.
#[test]
fn payloads_are_written_back_before_a_shader_is_ended() {
    let scratch = Scratch::new("ray-ends");
    let file = scratch.write("program.slang", PROGRAM);
    for (target, ends) in [
        ("hlsl", ["IgnoreHit();", "AcceptHitAndEndSearch();"]),
        ("glsl", ["ignoreIntersectionEXT;", "terminateRayEXT;"]),
    ] {
        let code = analyzer(&["emit", file.to_str().expect("paths are text"), "--target", target, "--entry", "any"]);
        let code = String::from_utf8(code).expect("the code is text");
        for end in ends {
            let (before, _) = code.split_once(end).expect("the shader ends");
            let last = before.trim_end().lines().last().unwrap_or_default().trim();
            assert_eq!(last, "p = p_1;", "{target}\n{code}");
        }
    }
    let nested = "struct P { float x; };
        void end() { IgnoreHit(); }
        [shader(\"anyhit\")] void any(inout P p, in BuiltInTriangleIntersectionAttributes a) { p.x = 1; end(); }";
    let file = scratch.write("nested.slang", nested);
    let output = Command::new(server()).arg("emit").arg(&file).args(["--target", "glsl"]).finished();
    let output = output.expect("the analyzer runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("in a function that it calls is not supported"), "{said}");
}

/// The lines of slangc 2026.14.1 for the same program, without names: two payloads have two numbers, those received none.
#[test]
fn what_shaders_share_is_declared_as_slangc_does() {
    let scratch = Scratch::new("ray-variables");
    let file = scratch.write("program.slang", PROGRAM);
    let declared = |entry: &str| -> Vec<String> {
        let file = file.to_str().expect("paths are text");
        let code = String::from_utf8(analyzer(&["emit", file, "--target", "glsl", "--entry", entry]));
        let code = code.expect("the code is text");
        let words = ["rayPayload", "callableData", "hitAttribute"];
        let lines = code.lines().filter(|line| words.iter().any(|word| line.contains(word)));
        let mut lines: Vec<String> =
            lines.map(|line| line.rsplit_once(' ').map_or(line, |(line, _)| line).to_owned()).collect();
        lines.sort();
        lines
    };
    assert_eq!(
        declared("generate"),
        ["layout(location = 0) rayPayloadEXT Payload", "layout(location = 1) rayPayloadEXT Shadow"]
    );
    assert_eq!(declared("miss"), ["layout(location = 0) callableDataEXT Payload", "rayPayloadInEXT Payload"]);
    assert_eq!(
        declared("nearest"),
        [
            "hitAttributeEXT BuiltInTriangleIntersectionAttributes",
            "layout(location = 0) rayPayloadEXT Payload",
            "rayPayloadInEXT Payload"
        ]
    );
    assert_eq!(declared("sphere"), ["hitAttributeEXT Attributes"]);
    assert_eq!(declared("brighten"), ["callableDataInEXT Payload"]);
}

/// slangc makes a buffer of constants of it for HLSL, and what the table holds for GLSL.
const RECORDS: &str = "
struct Payload { float3 c; };
struct Record { float3 color; uint id; half3 small; float3x3 rotation; float weights[2]; };
RWStructuredBuffer<float3> seen;
[[vk::shader_record]] ConstantBuffer<Record> record;
[[vk::shader_record]] cbuffer Other { float4 tint; }
RWStructuredBuffer<float> o;
[shader(\"miss\")] void missed(inout Payload p)
{ p.c = mul(record.rotation, record.color) * record.id + record.small * record.weights[1]; }
[shader(\"closesthit\")] void hit(inout Payload p, in BuiltInTriangleIntersectionAttributes a) { p.c = record.color; }
[shader(\"anyhit\")] void any(inout Payload p, in BuiltInTriangleIntersectionAttributes a)
{ if (record.id == 3) IgnoreHit(); p.c = record.color; }
[shader(\"callable\")] void call(inout Payload p) { p.c = tint.rgb; }
[shader(\"raygeneration\")] void generate() { seen[0] = record.color; }
[shader(\"miss\")] void both(inout Payload p) { p.c = tint.rgb + record.color; }
[shader(\"compute\")] [numthreads(1, 1, 1)] void compute() { o[0] = record.color.x; }
";

#[test]
fn shaders_that_rays_start_read_their_records() {
    let scratch = Scratch::new("shader-records");
    let file = scratch.write("program.slang", RECORDS);
    let mut wrong = Vec::new();
    let entries = [
        ("missed", "miss"),
        ("hit", "closesthit"),
        ("any", "anyhit"),
        ("call", "callable"),
        ("generate", "raygeneration"),
    ];
    for (entry, stage) in entries {
        for target in ["hlsl", "glsl", "spirv"] {
            wrong.extend(complaint(&scratch, &file, target, stage, entry));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let emit = |target: &str, entry: &str| {
        let mut command = Command::new(server());
        let output = command.arg("emit").arg(&file).args(["--target", target, "--entry", entry]).finished();
        let output = output.expect("the analyzer runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned() + &said)
    };
    let (_, glsl) = emit("glsl", "missed");
    assert!(glsl.contains("layout(shaderRecordEXT, std430) readonly buffer"), "{glsl}");
    // The buffers of constants of a program without such a table are those of slangc.
    let (_, hlsl) = emit("hlsl", "both");
    assert!(hlsl.contains("record : register(b0") && hlsl.contains(": register(b1"), "{hlsl}");
    for target in ["glsl", "spirv"] {
        let (done, said) = emit(target, "both");
        assert!(!done && said.contains("a program can have one shader record"), "{target}: {said}");
        let (done, said) = emit(target, "compute");
        assert!(!done && said.contains("`compute` has no shader record"), "{target}: {said}");
    }
    let (done, said) = emit("wgsl", "compute");
    assert!(!done && said.contains("shader records are not supported for target `wgsl`"), "{said}");
}

#[test]
fn targets_without_such_stages_refuse_them_by_name() {
    let scratch = Scratch::new("ray-refusals");
    let file = scratch.write("program.slang", PROGRAM);
    for target in ["cpp", "cuda", "wgsl"] {
        for &(entry, stage) in ENTRIES {
            let mut command = Command::new(server());
            let output = command.arg("emit").arg(&file).args(["--target", target, "--entry", entry]).finished();
            let output = output.expect("the analyzer runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let named = said.contains(&format!("`{entry}`: ")) || said.contains("`ray.");
            assert!(!output.status.success() && named, "{target}, {entry}, {stage}: {said}");
        }
    }
}
