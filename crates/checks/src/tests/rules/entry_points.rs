//! Entry points and system values.

use crate::tests::check;

#[test]
fn system_values_belong_to_stages() {
    check(
        "struct Vertex { float4 position : SV_Position; float2 uv : TEXCOORD0; }
        [shader(\"vertex\")] Vertex a(uint id : SV_VertexID) { return {}; }
        [shader(\"fragment\")] float4 b(Vertex v, bool front : SV_IsFrontFace) : SV_Target { return 0; }
        [shader(\"fragment\")]
        float4 c(uint id : SV_VertexID) : SV_Target { return 0; } //! E30702 cannot be input of the 'fragment' stage
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void d(out float depth : SV_Depth) { depth = 1; } //! E30702 cannot be output of the 'compute' stage
        struct Wrong {
            uint id : SV_VertexID; //! E30702 cannot be output of the 'vertex' stage
        }
        [shader(\"vertex\")] Wrong e() { return {}; }
        float4 plain(uint id : SV_VertexID) : SV_Depth { return 0; }",
    );
}

#[test]
fn what_no_stage_gives_is_the_hosts() {
    check(
        "struct Ids { uint3 group : SV_GroupID; uint index : SV_GroupIndex; }
        struct Mixed { uint3 group : SV_GroupID; float scale; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void a(uint3 id : SV_DispatchThreadID, Ids ids, uniform float x, RWStructuredBuffer<float> b, Texture2D t) {}
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void b(float x) {} //! E38040 parameter 'x' is treated as 'uniform'
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void c(Mixed x) {} //! E38040 parameter 'x' is treated as 'uniform'
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void d(int2 x[2]) {} //! E38040 parameter 'x' is treated as 'uniform'
        [shader(\"fragment\")] float4 e(float2 uv : TEXCOORD) : SV_Target { return 0; }
        [numthreads(1, 1, 1)] void plain(float x) {}",
    );
}

#[test]
fn system_values_have_types() {
    check(
        "[shader(\"vertex\")]
        float4 a(int id : SV_VertexID, out float clip[4] : SV_ClipDistance) : SV_Position { clip = {}; return 0; }
        [shader(\"vertex\")]
        float4 b(float id : SV_ViewID) : SV_Position { return 0; } //! E30701 expected 'uint'
        [shader(\"vertex\")]
        float c() : SV_Position { return 0; } //! E30701 expected 'float4', 'float3' or 'float2'
        [numthreads(1, 1, 1)] void d(uint3 id : SV_DispatchThreadID) {}
        [numthreads(1, 1, 1)] void e(int id : SV_DispatchThreadID) {}
        [numthreads(1, 1, 1)]
        void f(float3 id : SV_DispatchThreadID) {} //! E38024 must be a scalar or vector (1 to 3)
        [numthreads(1, 1, 1)]
        void g(uint4 id : SV_DispatchThreadID) {} //! E38024 must be a scalar or vector (1 to 3)",
    );
}

#[test]
fn there_is_one_depth() {
    check(
        "[shader(\"fragment\")] void a(out float depth : SV_Depth) { depth = 1; }
        [shader(\"fragment\")]
        void b(out float d : SV_Depth, out float e : SV_DepthLessEqual) { //! E30705 conflicts with 'SV_Depth'
            d = 1; e = 1;
        }",
    );
}

#[test]
fn not_everything_varies() {
    check(
        "struct Inner { Atomic<int> count; }
        [shader(\"vertex\")] float4 a(DifferentialPair<float> p : A) : SV_Position { return 0; } //! E38050 differential pair
        [shader(\"vertex\")] float4 b(Inner i : A) : SV_Position { return 0; } //! E38050 atomic
        [shader(\"vertex\")] float4 c(matrix<float, 4, 5> m : A) : SV_Position { return 0; } //! E38050 1 to 4 rows
        [shader(\"vertex\")] float4 d(float4x4 m : A, uniform Inner i) : SV_Position { return 0; }
        struct S { int a; }
        [shader(\"vertex\")] S[2] e() { return {}; } //! E38012 cannot return array type",
    );
}

#[test]
fn mesh_shaders_write_vertices_and_indices() {
    check(
        "struct V { float4 p : SV_Position; }
        [shader(\"mesh\")] [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void a(out vertices V v[3], out indices uint3 i[1]) {}
        [shader(\"mesh\")] [numthreads(1, 1, 1)]
        void b(out vertices V v[3], out indices uint3 i[1]) {} //! E38047 outputtopology
        [shader(\"mesh\")] [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void c(out vertices V v[3]) {} //! E38048 must declare both
        void d(out vertices V v[]) {} //! E54003 must have a length
        struct P { float4 p : SV_Position;
            bool cull : SV_CullPrimitive; //! E30703 must be in an output of primitives
        }
        [shader(\"mesh\")] [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void e(out vertices P v[3], out indices uint3 i[1]) {}",
    );
}

#[test]
fn geometry_shaders_write_a_stream() {
    check(
        "struct V { float4 p : SV_Position; }
        [shader(\"geometry\")] [maxvertexcount(3)]
        void a(triangle float4 i[3], inout TriangleStream<V> s) {}
        [shader(\"geometry\")] [maxvertexcount(3)]
        void b(triangle float4 i[3]) {} //! E38045 must have an output stream parameter
        [shader(\"geometry\")]
        void c(triangle float4 i[3], inout TriangleStream<V> s) {} //! E38046 maxvertexcount
        [shader(\"vertex\")]
        void d(LineStream<V> s) {} //! E38050 only valid on a geometry shader",
    );
}

#[test]
fn kernels_have_no_derivatives_of_plain_parameters() {
    check(
        "[CudaKernel] [Differentiable] void a(TensorView<float> t, no_diff float x) {}
        [CudaKernel] [Differentiable] void b(float x) {} //! E31214 differentiable parameters",
    );
}

#[test]
fn texels_are_scalars_and_vectors() {
    check(
        "Texture2D<float4> a;
        RWBuffer<uint> b;
        Texture2D<float4x4> c; //! E38029 'float4x4' does not conform
        RWBuffer<SamplerState> d; //! E38029 'SamplerState' does not conform",
    );
}

#[test]
fn system_values_are_known() {
    check(
        "struct V { float4 p : SV_Positon; float2 uv : UV; }; //! E49999 unknown system-value semantic 'SV_Positon'
        [shader(\"fragment\")] float4 a(V v) : SV_Tagret { return 0; } //! E49999 'SV_Tagret'
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void b(uint3 t : SV_DispatchThreadIDs) {} //! E49999 'SV_DispatchThreadIDs'
        [shader(\"fragment\")] float4 c(float2 uv : TEXCOORD3, float4 p : sv_position) : SV_TARGET0 { return p; }
        void free(uint x : SV_Anything) {}",
    );
}

/// slangc has the rules of compute shaders for what has `[numthreads]` alone, as most kernels have.
#[test]
fn kernels_without_a_stage_are_compute_shaders() {
    check(
        "struct S { uint3 t : SV_DispatchThreadIX; }; //! E49999 unknown system-value semantic 'SV_DispatchThreadIX'
        [numthreads(1, 1, 1)] void a(uint3 t : SV_DispatchThreadIq) {} //! E49999 'SV_DispatchThreadIq'
        [numthreads(1, 1, 1)] void b(float t : SV_GroupIndex) {} //! E30701 'SV_GroupIndex'
        [numthreads(1, 1, 1)] void c(float4 t : SV_Position) {} //! E30702 'SV_Position'
        [numthreads(1, 1, 1)] void d(S s) {}
        [numthreads(1, 1, 1)] float e(float t : ANYTHING, out float x) { x = t; return t; }",
    );
}

/// Each verdict is slangc's, for HLSL.
#[test]
fn stages_have_operations_of_their_own() {
    check(
        "struct Payload { float4 color; }
        struct Corner { float4 at : SV_Position; }
        RaytracingAccelerationStructure scene;
        RWStructuredBuffer<float> data;
        void cut(float alpha) { clip(alpha); }
        struct Ray { float3 origin() { return WorldRayOrigin(); } }
        [shader(\"compute\")] [numthreads(4, 1, 1)] void differences() { data[0] = ddx(data[1]); }
        [shader(\"vertex\")] float4 slope(float4 at : AT) : SV_Position { return ddx_fine(at); } //! E36107 'vertex'
        [shader(\"vertex\")] float4 cutting(float4 at : AT) : SV_Position { cut(at.w); return at; } //! E36107 'vertex'
        [shader(\"fragment\")] float4 cutAway(float4 at : AT) : SV_Target { cut(at.w); return ddy(at); }
        [shader(\"raygeneration\")] void rays() { Payload p; TraceRay(scene, 0, 255, 0, 1, 0, {}, p); }
        [shader(\"raygeneration\")] void ignoring() { IgnoreHit(); } //! E36107 'raygeneration'
        [shader(\"raygeneration\")] void origins() { Ray r; data[0] = r.origin().x; } //! E36107 'raygeneration'
        [shader(\"anyhit\")] void hit(inout Payload p, BuiltInTriangleIntersectionAttributes a) { IgnoreHit(); }
        [shader(\"miss\")] void lost(inout Payload p) { Ray r; p.color.xyz = r.origin(); }
        [shader(\"miss\")] void found(inout Payload p) { p.color = HitKind(); } //! E36107 'miss'
        [shader(\"closesthit\")] void near(inout Payload p, BuiltInTriangleIntersectionAttributes a) { p.color = HitKind(); }
        [shader(\"intersection\")] void sphere() { float d = RayTMin(); ReportHit(d, 0, 1.0); }
        [shader(\"compute\")] [numthreads(4, 1, 1)] void thread() { let i = DispatchRaysIndex(); } //! E36107 'compute'
        [shader(\"amplification\")] [numthreads(1, 1, 1)] void amplify() { Payload p; DispatchMesh(1, 1, 1, p); }",
    );
}

#[test]
fn a_function_of_the_same_name_is_the_programs() {
    check(
        "struct Query { void IgnoreHit() {} uint HitKind() { return 1; } }
        [shader(\"compute\")] [numthreads(4, 1, 1)] void go() { Query q; q.IgnoreHit(); let k = q.HitKind(); }",
    );
}

/// What the stage before writes for each vertex comes in with the vertices, although the stage itself has no such value.
#[test]
fn geometry_shaders_read_what_was_written_for_their_vertices() {
    check(
        "struct V
        {
            float4 at : SV_Position;
            uint layer : SV_RenderTargetArrayIndex;
            uint viewport : SV_ViewportArrayIndex;
            float clip : SV_ClipDistance;
            float cull : SV_CullDistance;
            uint instance : SV_InstanceID;
            float size : SV_PointSize;
        }
        struct W { float depth : SV_Depth; } //! E30702 'SV_Depth' cannot be input of the 'geometry' stage
        struct P { float4 at : SV_Position; }
        [shader(\"geometry\")] [maxvertexcount(3)]
        void vertices(triangle V v[3], inout TriangleStream<P> s) { P p; p.at = v[0].at; s.Append(p); }
        [shader(\"geometry\")] [maxvertexcount(3)]
        void depths(triangle W w[3], inout TriangleStream<P> s) { P p; p.at = w[0].depth; s.Append(p); }
        [shader(\"geometry\")] [maxvertexcount(3)]
        void itself(triangle V v[3], uint layer : SV_RenderTargetArrayIndex, //! E30702 cannot be input of the 'geometry' stage
            inout TriangleStream<P> s) { P p; p.at = v[layer].at; s.Append(p); }",
    );
}

#[test]
fn stages_of_ray_tracing_exchange_payloads() {
    check(
        "struct Payload { float4 color; }
        struct Placed { float4 at : SV_Position; } //! E30702 'SV_Position'
        [shader(\"raygeneration\")] Payload rays() { return {}; } //! E39017 'raygeneration'
        [shader(\"intersection\")] float sphere() { return 1; } //! E39017 'intersection'
        [shader(\"miss\")] void sky(Payload p) {} //! E39018 'inout'
        [shader(\"callable\")] void light(Payload p) {} //! E39018 'inout'
        [shader(\"miss\")] void placed(inout Placed p) { p.at = 1; }
        [shader(\"closesthit\")] void near(inout Payload p : SV_RayPayload, float2 at : SV_IntersectionAttributes) {}
        [shader(\"raygeneration\")] void group(uint3 i : SV_GroupID) {} //! E30702 'SV_GroupID'",
    );
}

#[test]
fn entry_points_return_no_resources() {
    check(
        "[shader(\"compute\")] [numthreads(1, 1, 1)] void givenByTheHost<let N : int>() {}
        struct Surface { float4 color : SV_Target; Texture2D albedo; }
        [shader(\"fragment\")] Surface shade(uniform Surface s) { return s; } //! E38011 'Surface'",
    );
}
