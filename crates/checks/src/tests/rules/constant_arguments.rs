use crate::tests::check;

/// Verdicts of the reference compiler.
#[test]
fn offsets_are_known_at_compile_time() {
    check(
        "Texture2D t; SamplerState s; cbuffer U { float2 uv; int2 off; int n; }
        static const int2 K = int2(1, 2);
        static int2 G = int2(1, 2);
        static const int2 TABLE[2] = { int2(0, 1), int2(1, 0) };
        float4 a(int2 o) { return t.Sample(s, uv, o); } //! E40013 'offset' of 'Sample'
        float4 b() { int2 o = int2(1, 1); return t.Sample(s, uv, o); }
        float4 c() { return t.Sample(s, uv, K); }
        float4 d() { return t.Sample(s, uv, G); } //! E40013 known at compile time
        float4 e() { float4 r = 0; for (int i = 0; i < 3; i++) r += t.Sample(s, uv, int2(i, 0)); return r; }
        float4 f() {
            float4 r = 0;
            for (int i = 0; i < n; i++)
                r += t.Sample(s, uv, int2(i, 0)); //! E40013 known at compile time
            return r;
        }
        float4 g(int k) {
            float4 r = 0;
            for (int i = 0; i < k; i++) r += t.Sample(s, uv, int2(i, 0)); //! E40013 known at compile time
            return r;
        }
        float4 j<let N : int>() { return t.Sample(s, uv, int2(N, N)); }
        float4 k() {
            int o = 0;
            if (uv.x > 0) o = 1;
            return t.Sample(s, uv, int2(o)); //! E40013 known at compile time
        }
        float4 l() { return t.Load(int3(1, 2, 0), off); } //! E40013 'offset' of 'Load'
        float4 m() { return t.GatherRed(s, uv, off); }
        float4 o() { return t.SampleLevel(s, uv, 0.0, off); } //! E40013 'offset' of 'SampleLevel'
        float4 p() {
            const int2 q = off * 2;
            return t.SampleGrad(s, uv, uv, uv, q); //! E40013 known at compile time
        }
        float4 r() { int2 o = K; o += 1; return t.Sample(s, uv, o); }
        float4 u() { float4 r = 0; int i = 0; while (i < 3) { r += t.Sample(s, uv, int2(i, 0)); i++; } return r; }
        float4 w() { float4 r = 0; for (int i = 0; i < 2; i++) r += t.Sample(s, uv, TABLE[i]); return r; }
        float4 x() { for (int i = 0; i < n; i++) { int2 o; o = int2(1, 1); return t.Sample(s, uv, o); } return 0; }
        float4 y() {
            int2 o = 0;
            switch (n) { case 0: o = int2(1, 1); break; default: break; }
            return t.Sample(s, uv, o); //! E40013 known at compile time
        }
        float4 z(bool q) { return t.Sample(s, uv, q ? int2(1, 1) : int2(0, 0)); } //! E40013 known at compile time
        float4 constant(constexpr int2 o) { return t.Sample(s, uv, o); }",
    );
}

#[test]
fn functions_of_the_program_ask_for_constants() {
    check(
        "uniform int u; static int s; static const int k = 3;
        int f(constexpr int x) { return x; }
        int generic<T>(constexpr int x, T t) { return x; }
        int known(constexpr int y) { return f(y) + f(k * 2) + f(3); }
        int counted() { int r = 0; for (int i = 0; i < 3; i++) { r += f(i); } return r; }
        int parameter(int y) { return f(y); } //! E40013 argument 'x' of 'f' must be known at compile time
        int only_const(const int y) { return f(y); } //! E40013 must be known
        int of_generic(int y) { return generic(y, 1.0); } //! E40013 must be known
        int from_outside() { return f(u); } //! E40013 must be known
        int changed() { return f(s); } //! E40013 must be known
        int chosen(int y) { int z = 2; if (y > 1) z = 3; return f(z); } //! E40013 must be known
        int not_asked(const int x) { return x; }
        int any(int y) { return not_asked(y); }",
    );
}
