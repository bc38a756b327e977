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
