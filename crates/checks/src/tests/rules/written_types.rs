//! Types as they are written.

use crate::tests::check;

#[test]
fn each_and_expand_are_about_packs() {
    check(
        "void f<each T>(expand each T values) { expand g(each values); }
        void g<T>(T a) {}
        void h<T>(expand each T values) {} //! E30103 expected a type pack
        void i<each T>(expand each T values) { expand (1 + 1); } //! E30105 captures no type packs",
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
