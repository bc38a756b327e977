//! Names: what they mean, and what is said about those that mean nothing.

use super::check;

#[test]
fn unknown_names_are_reported_once_without_consequences() {
    check(
        "float f(float position) {
            let a = postion * 2 + 1; //! E30015 undefined identifier 'postion'
            let b = a.x + sin(a);
            Vec3 c; //! E30015 undefined identifier 'Vec3'
            c.x = 1;
            unknown(1, c).y = 2; //! E30015 undefined identifier 'unknown'
            return b;
        }",
    );
}

#[test]
fn types_values_and_functions_are_not_confused() {
    check(
        "struct S { float a; }
        int n;
        void f() {
            n x; //! E30060 expected a type, 'n' is none
            let b = S; //! E30019 expected a value, got the type 'S'
            b.a = 1;
            n(1); //! E30016 no call operation found for type 'int'
        }",
    );
}

#[test]
fn inner_declarations_hide_outer_ones() {
    check(
        "static const int n = 2;
        float max(float a) { return a; }
        void f(float n) {
            let a = n; //: n : float
            { int n = 1; let b = n; } //: n : int
            let c = max(1.0, 2.0); //: max(1.0, 2.0) : float
            let d = max(1.0); //: max(1.0) : float
            float a = 1; //! E30200 declaration of 'a' conflicts
        }",
    );
}

#[test]
fn namespaces_nest_and_reopen() {
    check(
        "namespace a { static const int one = 1; struct S { int x; } namespace b { int two() { return one + 1; } } }
        namespace a { int three() { return one + b::two(); } }
        void f() {
            let x = a::three() + a.b.two(); //: a::three() : int
            a::S s;
            let y = s.x; //: s.x : int
            a::nothing(); //! E30027 'nothing' is not a member of 'a'
        }",
    );
}

#[test]
fn constants_give_array_sizes() {
    check(
        "static const int n = 2 * 3;
        enum Size { Small = 4, Large }
        struct S { float a[n + 1]; static const uint k = 3; }
        void f(S s) {
            const int local = 2;
            float b[local * n];
            let c = b; //: b : float[12]
            let d = s.a; //: s.a : float[7]
            int e[Size.Large];
            let g = e; //: e : int[5]
            float h[S.k];
            let i = h; //: h : float[3]
            int j = 1;
            float l[j]; //! E39999 expression does not evaluate to a compile-time constant
            float m[] = {1, 2, 3};
            let o = m; //: m : float[3]
        }",
    );
}

#[test]
fn constants_that_refer_to_each_other_have_no_value() {
    check(
        "static const int a = b; //! E39999 depends on 'a' itself
        static const int b = a; //! E39999 depends on 'b' itself
        float c[a];
        typealias T = U; //! E40002 'T' stands for itself
        typealias U = T; //! E40002 'U' stands for itself
        T t;
        let x = y;
        let y = x;",
    );
}

#[test]
fn sizes_of_values_are_those_of_their_types() {
    check(
        "struct S { float3 a; int b[5]; }
        RWStructuredBuffer<float4> p;
        ConstantBuffer<S> block;
        groupshared int shared_[8];
        static const float T[] = { 1, 2, 3 };
        static const int COUNT = sizeof(T) / sizeof(T[0]);
        float4 g(inout int x) { x++; return 1; }
        void f(int i) {
            S s = {}; float arr[] = { 1, 2, 3 }; float4 v = 1; float3x3 m; double d; S* q;
            int a[COUNT]; a; //: a : int[3]
            int b[sizeof(arr[0]) + sizeof(arr)]; b; //: b : int[16]
            int c[sizeof(v.xyz) + alignof(v.xy)]; c; //: c : int[16]
            int e[sizeof(s.b) + sizeof(s.b[1]) + sizeof(s.a.yx)]; e; //: e : int[32]
            int h[sizeof(m[0]) + sizeof(m._m00_m11) + sizeof(v[1])]; h; //: h : int[24]
            int j[sizeof(p[0]) + sizeof(shared_[0]) + sizeof(block.b[0])]; j; //: j : int[24]
            int k[sizeof(d.xx) + sizeof(q.a) + sizeof(q[0])]; k; //: k : int[60]
            int l = sizeof(arr[i]) + sizeof(g(i)) + sizeof(v * 2) + alignof(p[i].x);
            int n = sizeof(arr[missing]); //! E30015 'missing'
            int o[sizeof(S[2]) + sizeof(s.b[0]) + sizeof(p[0].xyz)]; o; //: o : int[80]
        }",
    );
}

#[test]
fn sizes_are_those_of_the_natural_layout() {
    check(
        "struct A { float a; float3 b; bool c; double d; }
        struct B { float a; double b; uint8_t c; }
        struct G<T> { uint8_t data[sizeof(T)]; int align[alignof(T)]; }
        enum E : uint8_t { X }
        static const int SIZE = sizeof(A);
        void f(Texture2D texture) {
            int a[SIZE]; a; //: a : int[32]
            int b[sizeof(G<A>)]; b; //: b : int[64]
            int c[sizeof(float3x4)]; c; //: c : int[48]
            int d[sizeof(E) + sizeof(Optional<float>) + sizeof(int*)]; d; //: d : int[17]
            int e[sizeof(Tuple<half, double>)]; e; //: e : int[16]
            int j[sizeof(Tuple<double, half>)]; j; //: j : int[10]
            int k[sizeof(B[3]) - sizeof(B)]; k; //: k : int[48]
            int l[sizeof(Tuple<B, uint8_t>)]; l; //: l : int[18]
            G<half> g; g.data; //: g.data : uint8_t[2]
            int h[alignof(float4) + sizeof(nullptr) + sizeof(g)]; h; //: h : int[24]
            int i[sizeof(Texture2D)]; //! E39999 expression does not evaluate to a compile-time constant
        }",
    );
}

#[test]
fn constants_are_named_through_namespaces_and_types() {
    check(
        "namespace ns {
            enum E { A = 1, B = 2 }
            struct Foo<let e : E> {}
            static const int N = 4;
            struct S { static const int M = 3; }
        }
        void f() {
            ns.Foo<ns.E(3)> a;
            ns.Foo<ns.E.A> b;
            int c[ns.N * 2 + ns.S.M]; c; //: c : int[11]
        }",
    );
}

#[test]
fn a_namespace_gives_on_what_it_uses() {
    check(
        "namespace inner { int f() { return 1; } }
        namespace outer { using inner; int g() { return f(); } }
        namespace outermost { using outer; }
        using outermost;
        void h() {
            let a = f() + g() + outermost.f(); //: f() : int
        }",
    );
}

#[test]
fn parameters_without_names_are_no_suggestions() {
    use crate::tests::check;
    check("float f(float) { return a; } //! E30015 undefined identifier 'a'");
}
