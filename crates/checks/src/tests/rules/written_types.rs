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
