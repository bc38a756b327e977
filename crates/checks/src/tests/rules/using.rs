//! `using`.

use crate::tests::check;

#[test]
fn namespaces_are_used() {
    check(
        "namespace ns { namespace inner { int q() { return 1; } } }
        struct S {}
        using namespace ns;
        using ns.inner;
        using nss; //! E30015 undefined identifier 'nss'
        using float; //! E30061 expected a namespace, 'float' is none
        using S; //! E30061 expected a namespace, 'S' is none
        using ns.other; //! E30061 expected a namespace, 'ns.other' is none
        int f() { return q(); }",
    );
}

#[test]
fn a_type_that_is_used_is_taken_as_an_alias() {
    check(
        "using v4 = float4; //! E30061 another name for a type is `typealias
        v4 f() { return 0; }",
    );
}
