//! Statements and expressions that make no sense.

use crate::tests::check;

#[test]
fn assignments_are_no_conditions_unless_in_parentheses() {
    check(
        "void f(bool a, bool b) {
            if (a == b) {}
            if ((a = b)) {}
            if (a = b) {} //! E30057 an assignment is not allowed as a condition
            while (a = b) {} //! E30057 an assignment is not allowed as a condition
            for (; a = b; a = !b) {} //! E30057 an assignment is not allowed as a condition
            bool c = a = b;
        }",
    );
}

#[test]
fn branches_do_something() {
    check(
        "void f(bool a) {
            if (a); //! E20101 an empty statement as a branch
            if (a) {} else; //! E20101 an empty statement as a branch
            if (a) if (!a); //! E20101 an empty statement as a branch
            if (a) {} else {}
            if (a) { ; }
            while (a);
            for (int i = 0; i < 3; i++);
        }",
    );
}

#[test]
fn results_that_matter_are_used() {
    check(
        "[NoDiscard] int f() { return 1; }
        int g() { return 1; }
        void h() {
            int a = f();
            g();
            f(); //! E30059 the result of calling 'f' is discarded
            for (int i = 0; i < 1; f()) {} //! E30059 the result of calling 'f' is discarded
        }",
    );
}

#[test]
fn labels_of_a_switch_differ_and_are_constant() {
    check(
        "void f(int a, int b, float c) {
            const int n = 3;
            switch (a) { case 1: case 2: break; case n: break; default: break; }
            switch (a) { default: break; default: break; } //! E30602 several 'default' cases
            switch (a) { case 1: break; case 1: break; } //! E30605 has a case already
            switch (a) { case b: break; } //! E39999 does not evaluate to a compile-time constant
            switch (c) { case 1: break; } //! E39999 does not evaluate to a compile-time constant
        }",
    );
}

#[test]
fn types_are_tested_where_they_may_differ() {
    check(
        "interface I {} struct A : I {} struct B : I {}
        void f(A a, I i) {
            bool b = i is A;
            bool c = a is A;
            bool d = a is B; //! E30304 never of the unrelated type 'B'
            let e = a as B; //! E30304 never of the unrelated type 'B'
        }
        bool g<T : I>(T t) { return t is A; }",
    );
}

/// slangc 2026.14.1 says each of these.
#[test]
fn what_is_tested_for_is_a_type() {
    check(
        "interface I {} interface J : I {} struct A : J {}
        void f(A a, I i, J j, float x) {
            bool b = a is I;
            bool c = j is I;
            bool d = i is J; //! E30301 'J' is an interface
            bool e = x is I; //! E30301 'I' is an interface
            let g = a as I; //! E30302 'I' is an interface
            let h = j as I; //! E30302 'I' is an interface
            if (let k = i as J) {} //! E30302 'J' is an interface
        }
        bool l<T : I>(T t) { return t is I && t is A && (t as A).hasValue; }",
    );
}

/// slangc 2026.14.1 says each of these.
#[test]
fn labels_are_integers_and_new_makes_objects() {
    check(
        "struct S { int x; __init() { x = 1; } }
        class C { int x; __init(int v) { x = v; } }
        S f() { return new S(); } //! E30065 'S' is none
        C g() { return new C(1); }
        struct P { int x; __init(int v) { x = v; } }
        P k() { return new P(1); }
        int h(int2 v) { switch (v) { case 1: return 1; default: return 2; } } //! E30019 expected an expression of type 'int'
        int i(int2 v) { switch (v) { case int2(1): return 1; default: return 2; } } //! E30019 expected an expression of type 'int'
        int j(float2 v) { switch (v) { default: return 2; } }",
    );
}

#[test]
fn arrows_go_through_pointers() {
    check(
        "struct S { int x; }
        void f(S s, S* p) {
            p->x = 1;
            s->x = 1; //! E30101 cannot dereference type 'S'
        }",
    );
}

#[test]
fn sizes_are_not_divided_by_zero() {
    check(
        "void f() {
            int a[4 / 2];
            int b[1 / 0]; //! E30002 division by zero
        }",
    );
}

#[test]
fn labels_are_around_what_names_them() {
    check(
        "void f() {
            outer: for (;;) { for (;;) { break outer; } }
            for (;;) { break outer; } //! E30053 label 'outer' is not found
        }
        enum Error { Bad }
        void g() throws Error { throw Error.Bad; }
        void h() {
            inner: for (;;) {
                do { try g(); break nowhere; } //! E30053 label 'nowhere' is not found
                catch (e : Error) { break elsewhere; } //! E30053 label 'elsewhere' is not found
                __target_switch {
                    case hlsl: break inner;
                    default: break outer; //! E30053 label 'outer' is not found
                }
            }
        }",
    );
}

/// Both are warnings.
#[test]
fn comparisons_and_choices_that_are_not_what_they_seem() {
    check(
        "void f(int a, bool3 c, float3 x, float3 y) {
            a == 3; //! E30058 the result of '==' is not used
            float3 z = c ? x : y; //! E30056 '?:' with a vector computes both sides
            float3 w = select(c, x, y);
            bool b = a == 3;
        }",
    );
}

#[test]
fn a_switch_has_one_default_and_each_value_once() {
    check(
        "
        enum M { P, Q }
        static const int K = 3;
        int a(int i) { switch (i) { case 0: return 1; default: default: break; } return 1; } //! E30602 several 'default'
        int b(int i) { switch (i) { default: break; case 1: default: } return 1; } //! E30602 several 'default'
        int c(M m) { switch (m) { case M.P: return 1; case M.P: return 2; case M.Q: return 3; } return 3; } //! E30605 a case already
        int d(int i) { switch (i) { case -1: return 1; case -1: return 2; } return 3; } //! E30605 a case already
        int e(int i) { switch (i) { case K: return 1; case 3: return 2; } return 3; } //! E30605 a case already
        int f(int i) { switch (i) { case 1 + 2: return 1; case 3: return 2; } return 3; } //! E30605 a case already
        int g(int i) { switch (i) { case K: return 1; case 2: return 2; default: return 1; } }
        ",
    );
}

#[test]
fn a_constructor_may_be_called_for_nothing() {
    check("struct T { [NoDiscard] __init() {} } void f() { T(); }");
}

#[test]
fn labels_of_cases_are_constant() {
    check(
        "enum E { A, B }
        static const int two = 2;
        int f(int x, uint3 id)
        {
            const int one = 1;
            switch (x) { case one: return 1; case two: return 2; case E.A: return 3; case 4 + 3: return 4; }
            switch (x)
            {
                case id.x: return 1; //! E39999 does not evaluate to a compile-time constant
                case x + 1: return 2; //! E39999 does not evaluate to a compile-time constant
            }
            return 0;
        }",
    );
}

#[test]
fn a_comma_between_values_is_doubtful() {
    check(
        "float2 f(int a, int b)
        {
            for (int i = 0; i < 3; a++, b++, i++) {}
            a = (b++, b + 1); //! E41024 comma operator
            a++, b++; //! E41024 comma operator
            float4 all = (float4)(1, 2, 3, 4);
            return (1, all.x); //! E41024 comma operator
        }",
    );
}
