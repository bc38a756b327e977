//! Declarations inside declarations.

use crate::tests::check;

#[test]
fn declarations_stand_where_they_may() {
    check(
        "namespace N { struct S { struct Inner {} enum E { A } typealias T = int; } interface I { associatedtype A; } }
        struct S { int x; __init(int v) { x = v; } }
        extension S {
            static int shared;
            __init(float v) { x = int(v); }
            int twice() { return x * 2; }
            enum E { A }
        }
        extension N.S {}",
    );
}

#[test]
fn global_declarations_do_not_stand_in_types() {
    check(
        "struct S {
            namespace N {} //! E30102 namespace is not allowed here
            interface I {} //! E30102 interface is not allowed here
            extension int {} //! E30102 extension is not allowed here
        }
        interface J {
            struct T {} //! E30102 struct is not allowed here
            enum E { A } //! E30102 enum is not allowed here
        }
        __init() {} //! E30102 __init is not allowed here
        associatedtype A; //! E30102 associatedtype is not allowed here",
    );
}

#[test]
fn extensions_and_interfaces_have_no_storage() {
    check(
        "struct S { int x; }
        extension S {
            int y; //! E31400 not allowed in an extension
            extern int z; //! E31143 no original definition
            extern int x; //! E31143 no original definition
            __init() { x = 1; } //! E30851 cannot be part of an extension
        }
        interface I {
            int y; //! E31400 not allowed in an interface
            static int z; //! E30303 must be declared 'static const'
            static const int w;
            static const bool v;
            static const uint64_t u;
            static const float3 t;
            static const float s; //! E30306 can only have an integer type or 'bool'
            static const half r; //! E30306 can only have an integer type or 'bool'
        }",
    );
}

#[test]
fn an_extension_speaks_of_a_field_again() {
    check(
        "struct S { float x; }
        extension S : IDifferentiable {
            typealias Differential = S;
            [DerivativeMember(Differential.x)] extern float x;
        }",
    );
}

#[test]
fn modifiers_say_something_about_their_declaration() {
    check(
        "struct S {
            inout int a; //! E31201 modifier 'inout' is not allowed here
            no_diff float b;
            const int c;
            static int d;
        }
        const struct T {} //! E31201 modifier 'const' is not allowed here
        ;
        uniform void f() {} //! E31201 modifier 'uniform' is not allowed here
        private int g; //! E30603 cannot have private visibility
        static void h() {}",
    );
}

#[test]
fn functions_do_not_stand_in_functions() {
    check(
        "int f(int x)
        {
            int nested(int q) { return q; } //! E30102 function is not allowed here
            struct Local { int twice(int q) { return 2 * q; } }
            Local local;
            return local.twice(x);
        }",
    );
}
