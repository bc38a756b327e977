//! Names declared twice.

use crate::tests::{check, check_with};

#[test]
fn a_name_means_one_thing_in_a_scope() {
    check(
        "struct A {}
        struct A {} //! E30200 declaration of 'A' conflicts
        static int v;
        static float v; //! E30200 declaration of 'v' conflicts
        enum E { P, Q,
            P //! E30200 declaration of 'P' conflicts
        }
        struct S { int x;
            int x() { return 1; } //! E30200 declaration of 'x' conflicts
        }
        void f(int a, float a) {} //! E30200 declaration of 'a' conflicts
        void g<T, T>() {} //! E30200 declaration of 'T' conflicts
        namespace N { static int k; }
        namespace N { static int k; } //! E30200 declaration of 'k' conflicts
        namespace M { static int k; struct A {} }",
    );
}

#[test]
fn a_function_has_one_body() {
    check(
        "int f();
        int f() { return 1; }
        int f();
        int f() { return 2; } //! E30201 function 'f' already has a body
        float f(); //! E30202 returns 'float' here, but was declared to return 'int'
        int f(int a) { return 1; }
        int f(uint a) { return 2; }
        int f(out int a) { a = 1; return 3; }
        struct S { int m() { return 1; } int m(int a) { return a; } }
        extension S { float m(float a) { return a; } }",
    );
}

#[test]
fn targets_may_have_a_body_each() {
    check(
        "__specialized_for_target(hlsl) int f() { return 1; }
        __specialized_for_target(glsl) int f() { return 2; }
        void g<T : IInteger>(T a) {}
        void g<T : IFloat>(T a) {}",
    );
}

#[test]
fn the_names_of_generic_parameters_do_not_tell_functions_apart() {
    check(
        "
        float a<T>(T x) { return 1.0; }
        float a<U>(U x) { return 2.0; } //! E30201 already has a body
        float b<T>(T x) { return 1.0; }
        float b<T, U>(T x) { return 2.0; }
        float c<T>(T x) { return 1.0; }
        float c<T : IFloat>(T x) { return 2.0; }
        float d<T>(T x) { return 1.0; }
        float d<T>(vector<T, 2> x) { return 2.0; }
        float e<T>(T x, int y) { return 1.0; }
        float e<T>(int x, T y) { return 2.0; }
        void g<T>(Ptr<T> x) {}
        void g<T>(ImmutablePtr<T> x) {}
        T f<T>(T x);
        U f<U>(U x) { return x; }
        ",
    );
}

#[test]
fn constant_buffers_have_names_of_their_own() {
    check(
        "cbuffer Camera : register(b2) { float a; }
        cbuffer Camera : register(b3) { float b; } //! E30200 'Camera' conflicts
        cbuffer Light { float c; }
        tbuffer Light { float d; } //! E30200 'Light' conflicts",
    );
}

/// slangc 2026.14.1 says each of these.
#[test]
fn each_file_of_a_module_is_a_scope_of_its_own() {
    let first = "implementing main;
        float twice(float x) { return 2.0 * x; }
        float shared(float x) { return x; }
        struct S { int a; }
        static float size = 1.0;
        float uses(S s) { return twice(1.0) + s.a + size; }";
    let second = "implementing main;
        float twice(float x) { return x + x; }
        float shared(float x) { return x; }
        int half(int x) { return x / 2; }
        struct S { int b; }
        static float size = 2.0;
        float used(S s) { return twice(1.0) + s.b + size; }";
    let others = [("/first.slang", first), ("/second.slang", second)];
    check_with(
        &others,
        "module main;
        __include first;
        __include second;
        float twice(float x) { return 2.0 * x; }
        struct S { int c; }
        float f(S s) { return twice(1.0) + s.c; }
        float g() { return shared(1.0); } //! E39999 ambiguous call to 'shared'
        float half(float x) { return 0.5 * x; }
        float h() { return half(1) + half(1.0); }
        float h(float x) { return x; }
        float h(float x) { return x; } //! E30201 already has a body",
    );
}
