use crate::tests::check;

/// Verdicts of the reference compiler, but for the one of the variable that is not used, which it removes first.
#[test]
fn outputs_are_not_read() {
    check(
        "struct V { float4 p : SV_Position; float3 c : COLOR; }
        [shader(\"mesh\")] [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void e(out vertices V v[3], out indices uint3 i[1], OutputPrimitives<V, 1> pr) {
            v[0].p = 1.0;
            v[0].p.x += 2.0; //! E54005 not read
            V w = v[1]; //! E54005 not read
            i[0].x = i[0].y; //! E54005 not read
            pr[0].c = 1.0;
            v[2] = v[1]; //! E54005 not read
        }
        void helped(out float4 p) { p = 1; }
        void changed(inout float4 p) { p += 1; }
        void helper(OutputVertices<V, 3> vs, V own[2]) {
            vs[0] = own[1];
            helped(vs[0].p);
            changed(vs[0].p); //! E54005 not read
            own[0] = own[1];
        }",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn types_of_outputs() {
    check(
        "struct Pair { float4 p : SV_Position; DifferentialPair<float> d : A; }
        struct Inner { bool cull : SV_CullPrimitive; } //! E30703 must be in an output of primitives
        struct V { float4 p : SV_Position; }
        struct W { float3 c : COLOR; Inner i; }
        [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void a(out indices uint3 t[3], OutputVertices<W, 9> v) {}
        [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void b(out indices int3 t[3], out vertices V v[9]) {} //! E38050 'uint', 'uint2' or 'uint3'
        [outputtopology(\"triangle\")] [numthreads(1, 1, 1)]
        void c(OutputIndices<uint4, 3> t, out vertices V v[9]) {} //! E38050 'uint', 'uint2' or 'uint3'
        [outputtopology(\"line\")] [numthreads(1, 1, 1)]
        void d(OutputIndices<uint2, 3> t, out vertices V v[9], out primitives Inner p[3]) {}
        [outputtopology(\"line\")] [numthreads(1, 1, 1)]
        void e(OutputIndices<uint2, 3> t, OutputVertices<Pair, 2> v) {} //! E38050 differential pair
        [shader(\"geometry\")] [maxvertexcount(3)]
        void f(triangle float4 i[3], inout TriangleStream<Pair> s) {} //! E38050 differential pair",
    );
}
