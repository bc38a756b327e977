//! Types that have no place where they stand.

use crate::tests::check;

#[test]
fn arrays_are_of_addressable_elements() {
    check(
        "struct Plain { float a; }
        struct Block { ParameterBlock<Plain> block; }
        struct Nested { Block block; }
        ConstantBuffer<Plain> buffers[2];
        Texture2D textures[];
        ParameterBlock<Plain> a[2]; //! E30028 arrays of non-addressable type 'ParameterBlock<Plain>'
        Nested b[3]; //! E30028 arrays of non-addressable type 'Nested'
        struct Open { int count; float values[]; }
        Open c[2]; //! E30028 arrays of non-addressable type 'Open'
        StructuredBuffer<Open> d; //! E30031 cannot be used in a structured buffer
        StructuredBuffer<Plain> e;
        void f() { Plain g[3]; float h[2][3]; }",
    );
}

#[test]
fn variables_have_a_size() {
    check(
        "static float a[]; //! E30071 unsized type
        static float b[] = { 1, 2 };
        float c[];
        void f() {
            float d[]; //! E30071 unsized type
            float e[] = { 1 };
        }",
    );
}

#[test]
fn optional_values_are_no_resources() {
    check(
        "struct S { Texture2D t; }
        void f(Optional<S> s) {} //! E30902 'S' is a resource type
        Optional<SamplerState> g() { return none; } //! E30902 'SamplerState' is a resource type
        void h(Optional<float> a, Optional<int*> b) {}",
    );
}

#[test]
fn types_are_finite() {
    check(
        "class Linked { Linked next; float value; }
        struct A { B b; } //! E41001 type 'A' contains itself
        struct B { A a[2]; } //! E41001 type 'B' contains itself
        struct List { List* next; int value; }
        struct Grows<each T> {
            Grows<T, int> next; //! E39997 maximum type nesting level exceeded
        }
        [Differentiable] void f(Grows<int> value) {} //! E39997 maximum type nesting level exceeded",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn what_has_no_size_comes_last() {
    check(
        "struct A { float b[]; float c; } //! E30070 the last
        struct B { Texture2D t[]; SamplerState s; } //! E30070 the last
        struct C { float b[]; float c[]; } //! E30070 the last
        struct D { float b[]; static float c; float first() { return b[0]; } }
        struct E { float a; float b[]; }
        cbuffer F { float f[]; float g; } //! E30070 the last",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn constant_buffers_and_parameters_have_a_size() {
    check(
        "struct A { int n; float values[]; } //! E31215 an array without length
        ConstantBuffer<A> a;
        struct B { int n; float values[]; } //! E31215 an array without length
        ParameterBlock<B> b;
        cbuffer C { int c; float d[]; } //! E31215 an array without length
        tbuffer E { float e[]; }
        struct F { int n; Texture2D textures[]; }
        ConstantBuffer<F> f;
        struct G<T> { int n; T values[]; }
        void h(G<float> g) {} //! E30072 without a size
        void i(inout G<float> g, float whole[]) {} //! E30072 without a size
        struct J { int n; G<float> g; } //! E30072 without a size
        struct K { int n; G<float> g; __init() { n = 1; } }
        struct L { void m(G<float> g) {} } //! E30072 without a size
        RWStructuredBuffer<float> n;",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn structured_buffers_do_not_hold_themselves() {
    check(
        "struct A { StructuredBuffer<A> a; } //! E38205 holds structured buffers of itself
        struct B { C c[2]; }
        struct C { RWStructuredBuffer<B> b; } //! E38205 holds structured buffers of itself
        struct D { ConstantBuffer<D> d; D* e; }
        StructuredBuffer<A> f; //! E38205 holds structured buffers of itself
        ConstantBuffer<A> g;
        StructuredBuffer<E> h;
        struct E { E* e; }
        void i(StructuredBuffer<A> a) {} //! E38205 holds structured buffers of itself",
    );
}
