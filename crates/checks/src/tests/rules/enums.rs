//! What the cases of enums count up to.

use crate::tests::check;

#[test]
fn cases_do_not_wrap_around() {
    // The places are slangc's.
    check(
        "enum E : uint8_t { A = 254, B,
            C } //! E32006 the value of 'C' does not fit in 'uint8_t'
        enum F : int8_t { A = 127,
            B, //! E32006 the value of 'B' does not fit in 'int8_t'
            C }
        enum G : uint8_t { A = 255, B = 0, C }
        enum H { A = 0x7fffffff, B } //! E32006 the value of 'B' does not fit in 'int'
        enum J : uint { A = 0xffffffff, B } //! E32006 the value of 'B' does not fit in 'uint'
        enum K : uint64_t { A = 0xffffffffffffffff, B } //! E32006 the value of 'B' does not fit in 'uint64_t'
        enum L : int64_t { A = 0x7fffffff, B }
        [UnscopedEnum] enum M : int16_t { A1 = 32767, B1 } //! E32006 the value of 'B1' does not fit in 'int16_t'
        [Flags] enum N : uint8_t { A = 255, B }",
    );
}

#[test]
fn a_case_that_is_named_with_its_enum_depends_on_itself() {
    check(
        "enum E { A = E.A } //! E40002 the value of 'A' depends on itself
        enum F { A = F.B, B = F.A } //! E40002 depends on itself
        enum G { A = G.B, B = 3 }",
    );
}

#[test]
fn an_enum_says_what_its_values_are_and_then_its_interfaces() {
    check(
        "interface I { int v(); } interface J {}
        typealias K = J & I;
        struct S {}
        int fulfils<T : J>(T t) { return 1; }
        enum A : uint, J { A1 }
        enum B : J, I { B1 }
        extension B { int v() { return 1; } }
        enum C : uint16_t, K { C1 }
        extension C { int v() { return 1; } }
        enum D : uint, I { D1 } //! E38100 does not provide required interface member 'v'
        enum E : J, uint { E1 } //! E30821 'uint' is no interface
        enum F : uint, uint { F1 } //! E30821 'uint' is no interface
        enum G : uint, S { G1 } //! E30821 'S' is no interface
        int use() { return fulfils(A.A1) + fulfils(B.B1) + fulfils(C.C1) + B.B1.v(); }
        int tag() { uint16_t c = C.C1; return c; }",
    );
}
