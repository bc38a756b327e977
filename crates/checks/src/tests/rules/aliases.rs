//! Aliases of types.

use crate::tests::check;

/// As slangc has it, which stops at the first alias of a circle.
#[test]
fn an_alias_stands_for_something_else() {
    check(
        "typealias T = T; //! E30015 undefined identifier 'T'
        typedef A A; //! E30015 undefined identifier 'A'
        typealias V = vector<V, 3>; //! E30015 undefined identifier 'V'
        struct S { typealias K = S.K; } //! E40002 'K' stands for itself
        typealias P = Q; //! E40002 'P' stands for itself
        typealias Q = P[2]; //! E40002 'Q' stands for itself
        typealias G<X> = G<X>; //! E40002 'G' stands for itself
        typealias H<X> = I<X>; //! E40002 'H' stands for itself
        typealias I<X> = H<X>; //! E40002 'I' stands for itself
        typealias Fine = S;
        typealias Finer = Fine;",
    );
}

/// What an alias is named like means there what it means outside.
#[test]
fn an_alias_may_be_named_like_what_it_stands_for() {
    check(
        "struct Held { float a; }
        namespace N { typealias Held = Held; float get(Held held) { return held.a; } }
        struct S { typealias Held = Held; Held held; }
        float get(S s, N.Held held) { return s.held.a + held.a; }
        float inside() { typealias Held = Held; Held held = { 1.0 }; return held.b; } //! E30027 'b'",
    );
}
