//! Geometry, mesh, amplification, hull and domain shaders: the compilers of HLSL and GLSL accept them, and what stages hand to
//! each other has the places, the words and the numbers that slangc gives it.

use whole_program_tests::{interfaces::difference, process::Scratch, programs::outcome, stages::complaint};

const GEOMETRY: &str = "
struct Coarse { float4 position : SV_Position; float3 color : COLOR; nointerpolation uint id : ID; float2x2 m : M; };
struct Fine { float4 position : SV_Position; float3 color : COLOR; uint layer : SV_RenderTargetArrayIndex; uint primitive : SV_PrimitiveID; };
struct Corner { float4 position : SV_Position; };

void put(TriangleStream<Fine> stream, Coarse from, uint primitive)
{
    Fine v = { from.position, from.color * from.m[1].x, from.id, primitive };
    stream.Append(v);
}
void twice(inout TriangleStream<Fine> stream, Coarse from) { put(stream, from, 1); put(stream, from, 2); stream.RestartStrip(); }

[shader(\"geometry\")] [maxvertexcount(9)] [instance(2)]
void triangles(triangle Coarse input[3], inout TriangleStream<Fine> stream, uint primitive : SV_PrimitiveID, uint i : SV_GSInstanceID)
{
    for (int k = 0; k < 3; k++)
    {
        put(stream, input[k], primitive + i);
        if (input[k].id == 7) return;
    }
    twice(stream, input[1]);
}
[shader(\"geometry\")] [maxvertexcount(4)]
void lines(lineadj Coarse input[4], inout LineStream<Coarse> stream)
{
    Coarse c = input[3];
    c.position.x += 1;
    stream.Append(c);
    c.m[0] = float2(1, 2);
    stream.Append(c);
    stream.RestartStrip();
}
[shader(\"geometry\")] [maxvertexcount(1)]
void points(point Corner input[1], inout PointStream<Corner> stream) { stream.Append(input[0]); }
[shader(\"geometry\")] [maxvertexcount(1)]
void adjacent(triangleadj float4 input[6] : SV_Position, inout PointStream<Corner> stream) { Corner c = { input[5] }; stream.Append(c); }
";

const MESH: &str = "
struct Payload { uint first; float4 tint[2]; };
struct Vertex { float4 position : SV_Position; float clip[2] : SV_ClipDistance; float2 uv : TEXCOORD0; nointerpolation uint material : MATERIAL; };
struct Primitive { uint id : SV_PrimitiveID; uint layer : SV_RenderTargetArrayIndex; bool hidden : SV_CullPrimitive; float4 tint : COLOR; };
RWStructuredBuffer<float> counts;
groupshared Payload shared;

[shader(\"amplification\")] [numthreads(32, 1, 1)]
void start(uint3 id : SV_DispatchThreadID, uint in_group : SV_GroupIndex)
{
    if (in_group == 0) { shared.first = id.x; shared.tint[1] = 2; }
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(2, 1, 1, shared);
}
[shader(\"amplification\")] [numthreads(1, 1, 1)]
void start_with_own(uint3 group : SV_GroupID)
{
    Payload own = { group.x, {} };
    DispatchMesh(1, group.y, 1, own);
}
[shader(\"mesh\")] [numthreads(32, 1, 1)] [outputtopology(\"triangle\")]
void mesh(uint index : SV_GroupIndex, uint3 id : SV_DispatchThreadID, in payload Payload sent,
    OutputVertices<Vertex, 64> vertices, OutputIndices<uint3, 126> triangles, OutputPrimitives<Primitive, 126> primitives)
{
    SetMeshOutputCounts(64, sent.first);
    Vertex v = { float4(1), { 0.5, sent.tint[1].x }, float2(index, 1), index };
    vertices[index] = v;
    vertices[index + 32] = v;
    vertices[index].uv.y = counts[id.x];
    vertices[index].position.xy = float2(3, 4);
    vertices[index].clip[1] = 2;
    triangles[index] = uint3(index, 1, 2);
    primitives[index] = { index, 1, false, sent.tint[0] };
    primitives[index].hidden = index > 3;
    primitives[index].id = 5;
}
[shader(\"mesh\")] [numthreads(1, 1, 1)] [outputtopology(\"line\")]
void plain(out indices uint2 lines[2], out vertices Vertex corners[3])
{
    SetMeshOutputCounts(3, 2);
    for (uint i = 0; i < 3; i++) corners[i] = {};
    lines[0] = uint2(0, 1);
    lines[1] = uint2(1, 2);
}
";

const HELPERS: &str = "
struct Vertex { float4 position : SV_Position; float2 uv : TEXCOORD0; };
void all<let N : uint>(OutputVertices<Vertex, N> vertices, uint at) { vertices[at] = { float4(1), float2(2) }; one(vertices, at); }
void one<let N : uint>(OutputVertices<Vertex, N> vertices, uint at) { vertices[at].uv = float2(3); }
void give(out float4 position, out Vertex v) { position = float4(4); v = { float4(1), float2(2) }; }
[shader(\"mesh\")] [numthreads(3, 1, 1)] [outputtopology(\"triangle\")]
void main(uint i : SV_GroupIndex, OutputVertices<Vertex, 3> vertices, OutputIndices<uint3, 1> triangles)
{
    SetMeshOutputCounts(3, 1);
    all(vertices, i);
    give(vertices[i].position, vertices[0]);
    if (i == 0) triangles[0] = uint3(0, 1, 2);
}
";

const TESSELLATION: &str = "
struct Vertex { float4 position : SV_Position; float3 normal : NORMAL; nointerpolation int id : ID; };
struct Control { float4 position : SV_Position; float3 normal : NORMAL; };
struct Patch { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float3 center : CENTER; float weights[2] : WEIGHTS; };
struct Rectangle { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
struct Out { float4 position : SV_Position; float2 uv : TEXCOORD0; };

float3 normal_of(InputPatch<Vertex, 3> patch, uint i) { return patch[i].normal; }
Patch constants(InputPatch<Vertex, 3> patch, OutputPatch<Control, 3> made, uint primitive : SV_PrimitiveID)
{
    Patch p;
    for (int i = 0; i < 3; i++) p.edges[i] = patch[i].normal.x;
    p.inside = made[1].normal.y;
    p.center = normal_of(patch, 2) + primitive;
    p.weights[0] = 1;
    p.weights[1] = made[0].position.x;
    return p;
}
[shader(\"hull\")] [domain(\"tri\")] [partitioning(\"fractional_odd\")] [outputtopology(\"triangle_ccw\")] [outputcontrolpoints(3)]
[patchconstantfunc(\"constants\")] [maxtessfactor(7)]
Control control(InputPatch<Vertex, 3> patch, uint i : SV_OutputControlPointID, uint primitive : SV_PrimitiveID)
{
    Control c = { patch[i].position, normal_of(patch, i) * patch[0].id };
    if (primitive == 3) return c;
    c.normal.x += 1;
    return c;
}
[shader(\"domain\")] [domain(\"tri\")]
Out evaluate(Patch constants, float3 at : SV_DomainLocation, const OutputPatch<Control, 3> patch, uint primitive : SV_PrimitiveID)
{
    Out o;
    o.position = patch[0].position * at.x + patch[1].position * at.y + patch[2].position * at.z + constants.edges[1];
    o.uv = constants.center.xy * constants.inside + constants.weights[1] + primitive;
    return o;
}
void rectangle(InputPatch<Control, 4> patch, out Rectangle r)
{
    r.edges[0] = patch[3].normal.x; r.edges[1] = 1; r.edges[2] = 2; r.edges[3] = 3;
    r.inside[0] = 1; r.inside[1] = 2;
}
[shader(\"hull\")] [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
[patchconstantfunc(\"rectangle\")]
void four(InputPatch<Control, 4> patch, out Control c) { c = patch[3]; }
[shader(\"domain\")] [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
float4 flat_quad(float2 at : SV_DomainLocation, OutputPatch<Control, 1> patch, Rectangle r) : SV_Position
{
    return patch[0].position * at.x + r.inside[1] + r.edges[3];
}
";

fn accepted(name: &str, program: &str, entries: &[(&str, &str)], targets: &[&str]) {
    // Our SPIR-V takes and gives what our GLSL does.
    let scratch = Scratch::new(name);
    let file = scratch.write("program.slang", program);
    let mut wrong = Vec::new();
    for (entry, stage) in entries {
        wrong.extend(difference(&scratch, &file, stage, entry));
        for target in targets {
            wrong.extend(
                complaint(&scratch, &file, target, stage, entry).map(|text| format!("{entry} {target}: {text}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn compilers_accept_geometry_shaders() {
    let entries = ["triangles", "lines", "points", "adjacent"].map(|entry| (entry, "geometry"));
    accepted("geometry", GEOMETRY, &entries, &["hlsl", "glsl", "spirv"]);
}

#[test]
fn compilers_accept_mesh_shaders_and_those_that_start_them() {
    let entries =
        [("start", "amplification"), ("start_with_own", "amplification"), ("mesh", "mesh"), ("plain", "mesh")];
    accepted("mesh", MESH, &entries, &["hlsl", "glsl", "spirv"]);
    accepted("mesh-helpers", HELPERS, &[("main", "mesh")], &["glsl", "spirv"]);
}

#[test]
fn compilers_accept_hull_and_domain_shaders() {
    let entries = [("control", "hull"), ("evaluate", "domain"), ("four", "hull"), ("flat_quad", "domain")];
    accepted("tessellation", TESSELLATION, &entries, &["hlsl", "glsl", "spirv"]);
}

/// What of each text slangc 2026.14.1 writes as well, but for the names of variables.
#[test]
fn stages_find_each_other_as_slangc_has_it() {
    let scratch = Scratch::new("primitive-places");
    let emitted = |program: &str, target: &str, entry: &str| {
        let file = scratch.write("program.slang", program);
        let path = file.to_str().expect("paths are text");
        let (status, text, said) = outcome(&["emit", path, "--target", target, "--entry", entry]);
        assert_eq!(status, Some(0), "{entry} {target}: {said}");
        text
    };
    let cases: [(&str, &str, &str, &[&str]); 8] = [
        (
            GEOMETRY,
            "glsl",
            "triangles",
            &[
                "layout(location = 0) in vec3 input_color[3]",
                // How inputs are interpolated matters to fragments alone.
                "layout(location = 1) in uint",
                "gl_Layer = int(",
                "EmitVertex();",
            ],
        ),
        (GEOMETRY, "hlsl", "lines", &["lineadj ", "inout LineStream<", "[maxvertexcount(4)]"]),
        (
            MESH,
            "glsl",
            "mesh",
            &[
                "layout(location = 0) out vec2 vertices_uv[64]",
                "layout(location = 1) flat out uint",
                "layout(location = 2) perprimitiveEXT out vec4",
                "gl_PrimitiveTriangleIndicesEXT[",
                "gl_MeshPrimitivesEXT[",
                "taskPayloadSharedEXT Payload",
            ],
        ),
        (
            MESH,
            "hlsl",
            "mesh",
            &["in payload Payload sent", "[outputtopology(\"triangle\")]", "out indices uint3 triangles"],
        ),
        (MESH, "glsl", "start", &["taskPayloadSharedEXT Payload shared_", "EmitMeshTasksEXT(2u, 1u, 1u)"]),
        (
            TESSELLATION,
            "glsl",
            "control",
            &[
                "layout(location = 0) in vec3 patch_normal[",
                "layout(location = 0) out vec3",
                "layout(location = 1) patch out vec3",
                "layout(location = 2) patch out float",
                "gl_TessLevelOuter[",
                "layout(vertices = 3) out;",
            ],
        ),
        (
            TESSELLATION,
            "glsl",
            "evaluate",
            &["layout(location = 1) patch in vec3", "layout(location = 2) patch in float", "gl_in["],
        ),
        (
            TESSELLATION,
            "hlsl",
            "control",
            &[
                "[domain(\"tri\")]",
                "[maxtessfactor(7.0)]",
                "[patchconstantfunc(\"constants",
                "InputPatch<",
                "OutputPatch<",
            ],
        ),
    ];
    for (program, target, entry, wanted) in cases {
        let text = emitted(program, target, entry);
        for part in wanted {
            assert!(text.contains(part), "{entry} {target}: `{part}` is missing in\n{text}");
        }
    }
}

#[test]
fn what_a_language_does_not_have_is_refused_by_name() {
    let scratch = Scratch::new("primitive-refusals");
    let refused = |program: &str, target: &str, entry: &str, wanted: &str| {
        let file = scratch.write("program.slang", program);
        let path = file.to_str().expect("paths are text");
        let (status, _, said) = outcome(&["emit", path, "--target", target, "--entry", entry]);
        assert!(
            status == Some(3) && said.contains(wanted) && said.contains("program.slang:"),
            "{entry} {target}: {said}"
        );
    };
    for (program, entry, stage) in [
        (GEOMETRY, "triangles", "geometry"),
        (MESH, "mesh", "mesh"),
        (MESH, "start", "amplification"),
        (TESSELLATION, "control", "hull"),
        (TESSELLATION, "evaluate", "domain"),
    ] {
        refused(program, "wgsl", entry, &format!("the {stage} stage is not supported for target `wgsl`"));
        refused(program, "slang", entry, &format!("{stage} entry points are not supported for target `slang`"));
        for target in ["cpp", "cuda"] {
            refused(program, target, entry, &format!("`{entry}`: only compute entry points"));
        }
    }
    refused(HELPERS, "hlsl", "main", "only the entry point itself can write what it gives out in target `hlsl`");
    let part = MESH.replace("lines[1] = uint2(1, 2);", "lines[1].x = 1;");
    refused(&part, "hlsl", "plain", "a part of an element is not written by itself in target `hlsl`");
    let two = "struct V { float4 p : SV_Position; };
        [shader(\"geometry\")] [maxvertexcount(1)]
        void main(point V i[1], inout PointStream<V> a, inout PointStream<V> b) { a.Append(i[0]); b.Append(i[0]); }";
    refused(two, "glsl", "main", "a geometry shader with more than one stream");
    let whole = "struct V { float4 p : SV_Position; float clip[2] : SV_ClipDistance; };
        [shader(\"mesh\")] [numthreads(1, 1, 1)] [outputtopology(\"point\")]
        void main(OutputVertices<V, 3> v, OutputIndices<uint, 1> p, uint i : SV_GroupIndex)
        { SetMeshOutputCounts(1, 1); v[0].p = 0; v[0].clip[i] = 1; p[0] = 0; }";
    refused(whole, "hlsl", "main", "by an index that is not a constant");
}
