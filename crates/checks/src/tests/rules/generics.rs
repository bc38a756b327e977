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
fn constraints_reference_what_is_in_front_of_them() {
    check(
        "interface I<let N : int> {} interface J<T> {} struct V<let N : int> {}
        void f<let N : int, T : I<N>>() {}
        void g<T : J<T>>() {}
        void h<T, let N : int>() where T : I<N> {}
        void i<T : I<N>, let N : int>() {} //! E30117 generic parameter 'T' references parameter 'N' before
        void j<T : J<U>, U>() {} //! E30117 generic parameter 'T' references parameter 'U' before
        struct K<T : J<V<N + 1>>, let N : int> {} //! E30117 references parameter 'N' before
        struct L<let N : int> { void m<T : I<N>>() {} }",
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

#[test]
fn what_is_known_is_not_constrained() {
    check(
        "
        interface IBar {}
        struct St {}
        float a<T>(T x) where St : IBar { return 1.0; } //! E30402 'St' is not a valid left hand side
        float b<T>(T x) where float3 : IBar { return 1.0; } //! E30402 'float3'
        float c<T>(T x) where T : IBar { return 1.0; }
        ",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn extensions_are_of_something() {
    check(
        "interface I { int one(); }
        extension<T> T { int all() { return 1; } } //! E30850 'T'
        extension<T : I> T { int some() { return one(); } }
        interface IIter { associatedtype Item : float; Item next(); } //! E30401 'float'",
    );
}

#[test]
fn parameters_hide_no_other() {
    // The places are slangc's.
    check(
        "struct A<T> {
            T f<T>(T x) { return x; } //! E30515 generic parameter 'T' hides the one of 'A'
            U g<U>(U x) { return x; }
            struct B<T> {} //! E30515 generic parameter 'T' hides the one of 'A'
        }
        struct C<let N : int> { void f<let N : int>() {} }
        extension<T> C<3> { } //! E30855 'T' is not referenced
        struct D<T> {}
        extension<T> D<T> { void h<T>(T y) {} } //! E30515 generic parameter 'T' hides the one of the extension",
    );
}
