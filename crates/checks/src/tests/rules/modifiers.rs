//! Modifiers.

use crate::tests::check;

#[test]
fn locals_take_few_modifiers() {
    check(
        "void f()
        {
            groupshared int a[4]; //! E31201 modifier 'groupshared' is not allowed here
            static groupshared int b;
            uniform int c; //! E31201 modifier 'uniform' is not allowed here
            in int d; //! E31201 modifier 'in' is not allowed here
            inout float g; //! E31201 modifier 'inout' is not allowed here
            nointerpolation float h; //! E31201 modifier 'nointerpolation' is not allowed here
            precise float i = 1;
            static const int j = 3;
            row_major float4x4 k;
            const int l = j;
        }
        struct S { groupshared int x; } //! E31201 modifier 'groupshared' is not allowed here",
    );
}

#[test]
fn modifiers_before_a_type_are_about_its_variables() {
    check(
        "groupshared struct { int x; } shared_;
        static struct Named { int x; } own;
        static enum Mode { off, on } mode;
        void f() { shared_.x = 1; own.x = 2; mode = Mode.on; Named other; other.x = 1; }
        struct Parameter { int x; } given;
        void g() { given.x = 1; } //! E30011 l-value",
    );
}
