//! Members: fields, swizzles, methods, properties, subscripts, static members.

use super::check;

#[test]
fn fields_and_methods() {
    check(
        "struct S {
            float a;
            static const int k = 3;
            float twice() { return a * 2; }
            [mutating] void set(float v) { a = v; this.a = v; }
            static S make(float v) { S s; s.a = v; return s; }
            void bad() { a = 1; } //! E30011 left of '=' is not an l-value
        }
        void f(S s, const S c) {
            let x = s.a; //: s.a : float
            let y = s.twice(); //: s.twice() : float
            s.set(1);
            c.set(1); //! E30050 mutating method 'set'
            let z = S.make(1).a; //: S.make(1) : S
            let w = S.k; //: S.k : int
            S.twice(); //! E30100 type 'S' cannot be used to refer to non-static member 'twice'
            s.missing = 1; //! E30027 'missing' is not a member of 'S'
            s.twise(); //! E30027 'twise' is not a member of 'S'
        }",
    );
}

#[test]
fn swizzles_read_and_write() {
    check(
        "void f(float4 v, float s, float3x4 m) {
            let a = v.xyz; //: v.xyz : float3
            let b = v.r; //: v.r : float
            let c = s.xxx; //: s.xxx : float3
            v.yx = v.xy;
            v.xx = v.xy; //! E30011 left of '=' is not an l-value
            let d = v.xyzq; //! E30027 'xyzq' is not a member of 'float4'
            let e = v.xy.z; //! E30027 'z' is not a member of 'float2'
            let g = m._m00_m11; //: m._m00_m11 : float2
            let h = m._34; //: m._34 : float
            let i = m[0]; //: m[0] : float4
            let j = m[0][1]; //: m[0][1] : float
            m[1].x = 2;
        }",
    );
}

#[test]
fn properties_and_subscripts_are_read_and_written_through_accessors() {
    check(
        "struct S {
            float data[4];
            property float first { get { return data[0]; } set { data[0] = newValue; } }
            property float last { get { return data[3]; } }
            __subscript(int i) -> float { get { return data[0]; } set { data[0] = newValue; } }
        }
        void f() {
            S s;
            let a = s.first; //: s.first : float
            s.first = 2;
            s.last = 2; //! E30011 left of '=' is not an l-value
            let b = s[1]; //: s[1] : float
            s[2] = 1.5;
            float c; c[0] = 1; //! E30013 type 'float' cannot be subscripted
        }",
    );
}

#[test]
fn buffers_and_textures_are_indexed() {
    check(
        "RWStructuredBuffer<float3> rw;
        StructuredBuffer<int> ro;
        RWTexture2D<float4> image;
        struct Params { float scale; }
        ConstantBuffer<Params> params;
        cbuffer Globals { float time; }
        void f(uint3 id) {
            rw[id.x] = 1;
            rw[0].y = 2;
            ro[0] = 1; //! E30011 left of '=' is not an l-value
            image[id.xy] = float4(1, 2, 3, 4);
            let a = image[id.xy]; //: image[id.xy] : float4
            let b = params.scale; //: params.scale : float
            params.scale = 1; //! E30011 left of '=' is not an l-value
            let c = time; //: time : float
            let d = ro.Load(1); //: ro.Load(1) : int
        }",
    );
}

#[test]
fn tuples_and_pairs_have_elements() {
    check(
        "void f() {
            let a = makeTuple(1, 2.0); //: makeTuple(1, 2.0) : Tuple<int, float>
            let b = a._1; //: a._1 : float
            let c = a._2; //! E30052 invalid swizzle pattern '_2' on type 'Tuple<int, float>'
            DifferentialPair<float3> p = diffPair(float3(1), float3(2));
            let d = p.p; //: p.p : float3
            let e = p.d; //: p.d : float3
        }",
    );
}

#[test]
fn initializer_lists_fill_aggregates() {
    check(
        "struct In { float2 xy; float z; }
        struct Out { In a; int b; }
        struct WithInit { float x; __init(float v) { x = v; } }
        void f() {
            Out a = {{{1, 2}, 3}, 4};
            Out b = {1, 2, 3, 4};
            Out c = {};
            Out d = {1, 2, 3, 4, 5}; //! E30523 too many initializers
            float3 v = {1, 2, 3};
            int e[3] = {1, 2, 3, 4}; //! E30523 too many initializers (expected 3, got 4)
            float g[2][2] = {{1, 2}, {3, 4}};
            WithInit h = {1};
            let i = Out(In(float2(1), 2), 3); //: Out(In(float2(1), 2), 3) : Out
            float j = {1};
        }",
    );
}

#[test]
fn inherited_fields_come_from_the_base_struct() {
    check(
        "struct Base { float a; float get() { return a; } }
        struct Derived : Base { int b; }
        void f(Derived d) {
            let x = d.a + d.get(); //: d.a : float
            Base e = d;
        }",
    );
}

#[test]
fn what_a_shader_gives_out_is_assigned() {
    check(
        "layout(location = 0) out float4 color;
        layout(location = 0) in float4 position;
        RasterizerOrderedBuffer<float4> ordered;
        void f() {
            color = position;
            ordered[0] += color;
            position = color; //! E30011 left of '=' is not an l-value
        }",
    );
}

#[test]
fn positions_and_colours_may_be_mixed_in_a_swizzle() {
    check(
        "float2 f(float4 a) { return a.xg + a.bw; }
        float2 g(float4 a) { return a.xs; } //! E30027 'xs' is not a member",
    );
}

#[test]
fn components_have_one_letter_of_two_families() {
    check(
        "float f(float4 v) { return v.x + v.a + v.xg.y; }
        float g(float4 v) { return v.q; } //! E30027 'q' is not a member
        float h(float4 v) { return v.st.x; } //! E30027 'st' is not a member",
    );
}
