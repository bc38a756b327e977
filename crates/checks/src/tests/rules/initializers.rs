//! Variables and their initialisers.

use crate::tests::check;

#[test]
fn constants_have_values_and_shared_variables_have_none() {
    check(
        "static const int a = 1;
        static const int b; //! E31225 static const variable 'b' must have an initializer
        extern static const int c;
        groupshared int d = 3; //! E30623 'd' cannot have an initializer because it is groupshared
        groupshared int e;
        interface I {
            static const int f = 1; //! E30623 because it is an interface requirement
            static const int g;
        }",
    );
}

#[test]
fn a_global_that_is_not_static_has_its_value_from_outside() {
    check(
        "const float a = 1; //! E31224 must be declared 'static'
        uniform float b = 1; //! E31224 must be declared 'static'
        static const float c = 1;
        static float d = 1;
        [SpecializationConstant] const int e = 4;
        struct S { const int f = 1; }
        void g() { const int h = 2; }",
    );
}

#[test]
fn static_constants_are_known_at_compile_time() {
    check(
        "static const int one = 1;
        uniform int parameter;
        static int variable = 2;
        static const int a = one + 2;
        static const float b = sin(1.0) * one;
        [SpecializationConstant] const int width = 64;
        static const int columns = (width + 7) / 8;
        static const int c = parameter; //! E31226 initializer of static const global 'c'
        static const int d = max(variable, 3); //! E31226 initializer of static const global 'd'
        void f() { static const int e = parameter; }",
    );
}

#[test]
fn defaults_come_last() {
    check(
        "void f(int a, int b = 1, int c = 2) {}
        void g(int a = 1, int b) {} //! E30704 parameter 'b' does not have a default value",
    );
}

#[test]
fn output_parameters_have_no_default() {
    check("void f(out int x = 3) { x = 1; } //! E30700 has no default");
}

#[test]
fn subscripts_have_defaults_like_functions() {
    check(
        "
        struct A { __subscript(int i, float d = 1.0, int k) -> float { get { return 1.0; } } } //! E30704 parameter 'k'
        struct B { __subscript(int i, out float d = 1.0) -> float { get { return 1.0; } } } //! E30700 has no default
        ",
    );
}
