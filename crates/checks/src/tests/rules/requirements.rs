//! How types meet their interfaces.

use crate::tests::check;

#[test]
fn modes_of_parameters_are_part_of_a_requirement() {
    check(
        "interface I { void read(int a); void write(out int a); int value(); [mutating] void change(); }
        struct Right : I {
            void read(int a) {} void write(out int a) { a = 1; } int value() { return 1; } void change() {}
        }
        struct Wrong : I {
            void read(out int a) { a = 1; } //! E38108 direction 'out' of parameter 'a'
            void write(int a) {} //! E38108 direction 'in' of parameter 'a'
            [mutating] int value() { return 1; } //! E38105 'value' is mutating
            [mutating] void change() {}
        }",
    );
}

#[test]
fn accessors_have_defaults_together() {
    check(
        "interface I {
            property int a { get; set; }
            property int b { get { return 1; } set {} }
            property int c { get { return 1; } set; } //! E30318 define all accessors or none
        }
        struct S { __subscript(int i) { get {} } } //! E30901 must have a return type",
    );
}

#[test]
fn overriding_is_said_and_true() {
    check(
        "interface I { int f() { return 1; } int g(); }
        struct A : I { override int f() { return 2; } override int g() { return 3; } }
        struct B : I { int f() { return 2; } int g() { return 3; } } //! E30853 mark it 'override'
        struct C : I { int g() { return 3; } override int h() { return 2; } } //! E30854 'h' overrides nothing",
    );
}
