//! Statements.

use super::check;

#[test]
fn returns_fit_the_signature() {
    check(
        "float a() { return 1; }
        float b() { return; } //! E30006 'return' needs a value of type 'float'
        void c() { return 1; } //! E30019 expected an expression of type 'void', got 'int'
        float d(bool x) { if (x) return 1; } //! E41010 control flow may reach the end of this function
        float e(bool x) { if (x) return 1; else return 2; }
        float g(int i) { switch (i) { case 0: return 1; default: return 2; } }
        float h() { while (true) { return 1; } }
        struct S { float v; __init(float x) { v = x; } }",
    );
}

#[test]
fn jumps_are_inside_loops() {
    check(
        "void f() {
            break; //! E30003 'break' must appear inside a loop or switch
            continue; //! E30004 'continue' must appear inside a loop
            for (int i = 0; i < 3; i++) { if (i == 1) continue; break; }
            switch (1) { case 0: break; }
        }",
    );
}

#[test]
fn only_variables_are_assigned() {
    check(
        "static int counter;
        static const int limit = 3;
        uniform float shaderParameter;
        void f(float p, const float q) {
            counter++;
            limit = 4; //! E30011 left of '=' is not an l-value
            shaderParameter = 1; //! E30011 left of '=' is not an l-value
            p = 2;
            q = 2; //! E30011 left of '=' is not an l-value
            let a = 1;
            a = 2; //! E30011 left of '=' is not an l-value
            var b = 1;
            b = 2;
            const int c = 1;
            c += 1; //! E30011 left of '+=' is not an l-value
            void d; //! E30009 a variable cannot be of type 'void'
        }",
    );
}
