//! Types as they are written.

use crate::tests::check;

#[test]
fn each_and_expand_are_about_packs() {
    check(
        "void f<each T>(expand each T values) { expand g(each values); }
        void g<T>(T a) {}
        void h<T>(expand each T values) {} //! E30103 expected a type pack
        void i<each T>(expand each T values) { expand (1 + 1); } //! E30105 captures no type packs
        float j<each T>(expand each T values) where T == float {
            float sum = 0.0;
            expand sum += each values;
            expand sum += 1.0; //! E30105 captures no type packs
            return sum;
        }",
    );
}

#[test]
fn modifiers_of_types() {
    check(
        "typedef volatile float Loud; //! E20019 cannot use 'volatile'
        typedef float Quiet;
        globallycoherent int* a; //! E30078 a pointer cannot be 'globallycoherent'
        globallycoherent RWStructuredBuffer<int> b;
        Tuple c; //! E30408 generic type 'Tuple' used without argument
        Tuple<int, float> d;",
    );
}

/// Each verdict is slangc's.
#[test]
fn arguments_of_built_in_types_conform() {
    check(
        "struct S { float a; }
        enum E { A }
        Texture2D<S> a; //! E38029 'S' does not conform
        Texture2D<bool> b; //! E38029 'bool' does not conform
        Texture2D<bool2> c; //! E38029 does not conform
        Texture2D<E> d; //! E38029 'E' does not conform
        Texture2D<float[2]> e; //! E38029 does not conform
        RWTexture2D<S> f; //! E38029 'S' does not conform
        Buffer<S> g; //! E38029 'S' does not conform
        RWBuffer<bool> h; //! E38029 'bool' does not conform
        RWStructuredBuffer<Atomic<float4>> i; //! E38029 does not conform
        RWStructuredBuffer<Atomic<uint16_t>> j; //! E38029 'uint16_t' does not conform
        RWStructuredBuffer<Atomic<S>> k; //! E38029 'S' does not conform
        DescriptorHandle<S> l; //! E38029 'S' does not conform
        Texture2D<half4> m;
        Buffer<double2> n;
        RWTexture2D<int64_t> o;
        RWStructuredBuffer<Atomic<int>> p;
        RWStructuredBuffer<Atomic<double>> p2;
        DescriptorHandle<Texture2D<float4>> q;
        ConstantBuffer<S> r;
        Optional<S> s;
        vector<S, 2> t;
        struct Holder { Texture2D<S> u; } //! E38029 'S' does not conform
        void v<T>(Atomic<T> x) {} //! E38029 'T' does not conform
        void w<T>() { Texture2D<T> x; } //! E38029 'T' does not conform
        void y<T : ITexelElement>(Texture2D<T> x) {}",
    );
}

#[test]
fn const_is_about_variables() {
    check(
        "const int* a; //! E20017 write 'Ptr<T, Access.Read>'
        struct S { const float* b; } //! E20017 does not say what a pointer points to
        void f(const int* c, const Ptr<int> d, const int e) { //! E20017 does not say what a pointer points to
            const int* g = c; //! E20017 does not say what a pointer points to
            const Ptr<int> h = d;
            int* i = c;
            int j = (const int)e; //! E20018 no part of a type
        }
        typealias P = const int; //! E20018 no part of a type
        StructuredBuffer<const float> k; //! E20018 no part of a type
        const int* l() { return nullptr; }",
    );
}

#[test]
fn types_may_be_out_of_use() {
    check(
        "[deprecated(\"use Gaussian\")] struct Splat { float a; Splat copy() { return this; } }
        float use(Splat s) { return s.a; } //! E31200 'Splat' has been deprecated: use Gaussian
        void local() { Splat s; s.a = 1; } //! E31200 'Splat' has been deprecated
        [deprecated(\"gone\")] interface IOld { float f(); }
        struct New : IOld { float f() { return 1.0; } } //! E31200 'IOld' has been deprecated: gone",
    );
}

#[test]
fn nothing_is_stored_in_void() {
    check(
        "
        void global; //! E30009 cannot be of type 'void'
        struct S { void x; } //! E30009 cannot be of type 'void'
        float f(void x) { return 1.0; } //! E30009 cannot be of type 'void'
        float g(void) { return 1.0; }
        ",
    );
}

#[test]
fn lengths_are_not_divided_by_zero() {
    check(
        "
        groupshared int k[64 / 0]; //! E30002 division by zero
        struct S { int z[3 / (1 - 1)]; } //! E30002 division by zero
        void g(int a[2 / 0]) {} //! E30002 division by zero
        struct T { int z[3 / (2 - 1)]; }
        ",
    );
}

#[test]
fn a_tuple_in_a_signature_says_of_what() {
    check(
        "
        float f(Tuple t) { return 1.0; } //! E30408 'Tuple' used without argument
        float g(Tuple<float> t) { return 1.0; }
        ",
    );
}
