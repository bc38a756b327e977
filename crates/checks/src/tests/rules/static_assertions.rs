//! Static assertions.

use crate::tests::check;

#[test]
fn assertions_count_in_what_is_compiled() {
    check(
        "static const int k = 3;
        struct S { float x; }
        void unused() { static_assert(false, \"unused\"); }
        void deeper() { static_assert(sizeof(S) == 8, \"eight bytes\"); } //! E41400 static assertion failed: eight bytes
        void used() { deeper(); }
        void generic<T>(T t) { static_assert(sizeof(T) == 4, \"four bytes\"); }
        int choose(constexpr int v) { if (v == 0) { static_assert(false, \"zero\"); } return v; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main()
        {
            static_assert(k == 3, \"three\");
            static_assert(k == 4, \"four\"); //! E41400 static assertion failed: four
            const int two = 2;
            static_assert(two * k == 5, \"five\"); //! E41400 static assertion failed: five
            static_assert(missing == 2, \"\"); //! E30015 undefined identifier 'missing'
            used();
            generic(1.0);
            choose(1);
            __target_switch { case hlsl: break; default: static_assert(false, \"no\"); break; }
        }",
    );
}

#[test]
fn an_assertion_has_a_message() {
    check(
        "static const String why = \"why\";
        void f()
        {
            static_assert(true); //! E39999 not enough arguments to call
            static_assert(true, 5); //! E30019 expected an expression of type 'String', got 'int'
            static_assert(true, why);
            static_assert(true, \"why\");
        }",
    );
}
