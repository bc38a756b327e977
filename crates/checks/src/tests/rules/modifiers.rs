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

#[test]
fn what_says_where_values_are_is_said_of_variables() {
    check(
        "inline int a; //! E31201 modifier 'inline' is not allowed here
        groupshared nointerpolation int b;
        row_major float2x2 c() { return 1; } //! E31201 modifier 'row_major' is not allowed here
        static inline const precise int d() { return 1; }
        struct S
        {
            volatile int a; //! E31201 modifier 'volatile' is not allowed here
            inline int b; //! E31201 modifier 'inline' is not allowed here
            static const int c = 1;
            static property d : int { get { return 1; } } //! E31201 modifier 'static' is not allowed here
            inline static int e() { return 1; }
        };
        precise interface I { int a(); }; //! E31201 modifier 'precise' is not allowed here
        dyn interface J { int a(); };
        static typedef int T; //! E31201 modifier 'static' is not allowed here
        typedef row_major float2x2 M;
        const namespace N { int f() { return 1; } } //! E31201 modifier 'const' is not allowed here
        int e(
            inline int a, //! E31201 modifier 'inline' is not allowed here
            volatile int b) //! E31201 modifier 'volatile' is not allowed here
        {
            return a + b;
        }
        row_major struct P { float2x2 x; } p;",
    );
}
