//! Generic parameters, constraints, targets of extensions.

use crate::tests::check;

#[test]
fn value_parameters_are_whole_numbers() {
    check(
        "enum E { A }
        struct S<let N : int, let B : bool, let C : E, let U : uint> {}
        struct T<let F : float> {} //! E30624 generic value parameter type 'float'
        void f<let N : S<1, true, E.A, 2>>() {} //! E30624 generic value parameter type",
    );
}

#[test]
fn packs_come_last() {
    check(
        "struct S<T, each U> {}
        struct T<each U, V> {} //! E30522 generic parameter 'V' cannot appear after",
    );
}

#[test]
fn constraints_are_about_parameters_and_interfaces() {
    check(
        "interface I { associatedtype A; } interface J {} struct S {}
        void f<T : I, U>() where U : J where T.A : J {}
        void g<T : S>() {} //! E30401 type 'S' cannot be used as a constraint
        void h<T>() where T : int {} //! E30401 type 'int' cannot be used as a constraint
        void i<T>() where int : I {} //! E30402 type 'int' is not a valid left hand side
        void j<T>() where T == I & J {} //! E30404 several interfaces",
    );
}

#[test]
fn extensions_find_their_parameters_in_their_target() {
    check(
        "interface I {} interface J {} struct S<T> {}
        extension<T : I> T : J {}
        extension<T, let N : int> vector<T, N> {}
        extension<T> S<T> {}
        extension<T, let R : int, let C : int, let L : int> matrix<T, R, C, L> : J { int one() { return 1; } }
        int f(float2x3 m) { return m.one(); }
        interface IVectorOf<T, let N : int> {}
        extension<T, let N : int, V : IVectorOf<T, N>> V { T first(T x) { return x; } }
        extension<T> int {} //! E30855 generic parameter 'T' is not referenced
        extension I : J {} //! E30852 cannot extend interface type 'I'",
    );
}
