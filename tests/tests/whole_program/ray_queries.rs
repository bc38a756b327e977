//! Rays that shaders follow themselves: the compilers of the languages accept each question to a query, and queries in helpers,
//! loops and several at once.

use whole_program_tests::{process::Scratch, stages::complaint};

const PROGRAM: &str = "
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float4> result;
bool isShadowed(float3 origin, float3 direction)
{
    RayQuery<RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES> q;
    RayDesc ray = { origin, 0.01, direction, 10 };
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
    while (q.Proceed())
    {
        if (q.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE && q.CandidateTriangleBarycentrics().x < 0.5)
            q.CommitNonOpaqueTriangleHit();
    }
    return q.CommittedStatus() != COMMITTED_NOTHING;
}
[Differentiable] float falloff(float t) { return exp(-t * t); }
[shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 thread : SV_DispatchThreadID)
{
    RayQuery<RAY_FLAG_NONE> q;
    RayDesc ray;
    ray.Origin = thread; ray.Direction = float3(0, 0, 1); ray.TMin = 0; ray.TMax = 100;
    q.TraceRayInline(scene, RAY_FLAG_FORCE_NON_OPAQUE, 255, ray);
    while (q.Proceed())
    {
        if (q.CandidateType() == CANDIDATE_PROCEDURAL_PRIMITIVE) q.CommitProceduralPrimitiveHit(3.0);
        else if (q.CandidatePrimitiveIndex() == 3) q.Abort();
        else q.CommitNonOpaqueTriangleHit();
    }
    if (q.CommittedStatus() == COMMITTED_TRIANGLE_HIT)
    {
        var t = diffPair(q.CommittedRayT(), 0.0);
        bwd_diff(falloff)(t, 1.0);
        bool shadowed = isShadowed(thread, float3(1, 0, 0));
        result[thread.x] = float4(q.CommittedTriangleBarycentrics(), t.d, shadowed ? 1 : 0);
    }
}
";

/// What can be asked of a hit, with what makes a float of the answer.
const QUESTIONS: &[(&str, &str)] = &[
    ("CommittedRayT()", ""),
    ("CandidateTriangleRayT()", ""),
    ("RayFlags()", ""),
    ("RayTMin()", ""),
    ("WorldRayOrigin()", ".x"),
    ("WorldRayDirection()", ".y"),
    ("CandidateProceduralPrimitiveNonOpaque()", " ? 1 : 0"),
    ("@InstanceIndex()", ""),
    ("@InstanceID()", ""),
    ("@InstanceContributionToHitGroupIndex()", ""),
    ("@PrimitiveIndex()", ""),
    ("@GeometryIndex()", ""),
    ("@ObjectRayOrigin()", ".x"),
    ("@ObjectRayDirection()", ".z"),
    ("@TriangleFrontFace()", " ? 1 : 0"),
    ("@TriangleBarycentrics()", ".y"),
    ("@ObjectToWorld3x4()", "[1].w"),
    ("@ObjectToWorld4x3()", "[3].y"),
    ("@WorldToObject3x4()", "[2].z"),
    ("@WorldToObject4x3()", "[2].z"),
];

#[test]
fn compilers_accept_ray_queries() {
    let scratch = Scratch::new("ray-queries");
    let file = scratch.write("program.slang", PROGRAM);
    let mut wrong = Vec::new();
    for target in ["hlsl", "glsl", "spirv"] {
        wrong.extend(complaint(&scratch, &file, target, "compute", "main"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for (target, words) in
        [("wgsl", "rays are not supported"), ("cuda", "`TraceRayInline`"), ("cpp", "`TraceRayInline`")]
    {
        let said = complaint(&scratch, &file, target, "compute", "main").unwrap_or_default();
        assert!(said.contains(words), "{target}: {said}");
    }
}

/// A function that a query is handed to has it as the caller does.
#[test]
fn queries_are_handed_to_functions() {
    let scratch = Scratch::new("ray-query-parameters");
    let program = "RaytracingAccelerationStructure scene; RWStructuredBuffer<float> result;
        void judge(inout RayQuery<RAY_FLAG_NONE> q)
        { if (q.CandidateTriangleRayT() > 3) q.CommitNonOpaqueTriangleHit(); else q.Abort(); }
        [shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 thread : SV_DispatchThreadID)
        {
            RayQuery<RAY_FLAG_NONE> first, second;
            RayDesc ray = { float3(0), 0, float3(0, 0, 1), 100 };
            first.TraceRayInline(scene, RAY_FLAG_NONE, 255, ray);
            second.TraceRayInline(scene, RAY_FLAG_NONE, 255, ray);
            while (first.Proceed()) judge(first);
            while (second.Proceed()) judge(second);
            result[thread.x] = first.CommittedRayT() + second.CommittedRayT();
        }";
    let file = scratch.write("program.slang", program);
    let mut wrong = Vec::new();
    for target in ["hlsl", "glsl", "spirv"] {
        wrong.extend(complaint(&scratch, &file, target, "compute", "main"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn each_question_to_a_query_is_written() {
    let scratch = Scratch::new("ray-questions");
    let mut text = String::new();
    for (question, part) in QUESTIONS {
        for which in ["Candidate", "Committed"] {
            let question = question.replace('@', which);
            text.push_str(&format!("            sum += float(q.{question}{part});\n"));
        }
    }
    let program = format!(
        "RaytracingAccelerationStructure scene; RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 thread : SV_DispatchThreadID)
        {{
            RayQuery<RAY_FLAG_NONE> q;
            RayDesc ray = {{ float3(0), 0, float3(0, 0, 1), 100 }};
            q.TraceRayInline(scene, RAY_FLAG_NONE, 255, ray);
            float sum = 0;
            q.Proceed();
{text}            result[thread.x] = sum;
        }}"
    );
    let file = scratch.write("program.slang", &program);
    let mut wrong = Vec::new();
    for target in ["hlsl", "glsl", "spirv"] {
        wrong.extend(complaint(&scratch, &file, target, "compute", "main"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
