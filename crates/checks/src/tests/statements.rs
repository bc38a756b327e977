//! Statements.

use super::check;

#[test]
fn returns_fit_the_signature() {
    check(
        "float a() { return 1; }
        float b() { return; } //! E30006 'return' needs a value of type 'float'
        void c() { return 1; } //! E30019 expected an expression of type 'void', got 'int'
        float d(bool x) { if (x) return 1; } //! E41010 control flow may reach the end of this function
        enum Bad { No }
        float left(bool x) { while (true) { do { if (x) break; } catch (e : Bad) { } } } //! E41010 control flow may reach
        float stays(bool x) { while (true) { __target_switch { case hlsl: break; default: break; } } }
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
            $for (i in Range(0, 3)) { if (i == 1) break; } //! E30003 'break' must appear inside a loop or switch
            $for (i in Range(0, 3)) { if (i == 1) continue; } //! E30004 'continue' must appear inside a loop
            for (int i = 0; i < 3; i++) { $for (j in Range(0, 3)) { if (i == j) continue; break; } }
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
            c += 1; //! E30047 what '+=' changes must be an l-value
            void d; //! E30009 a variable cannot be of type 'void'
        }",
    );
}

#[test]
fn lambdas_change_only_what_is_theirs() {
    check(
        "groupshared int shared;
        RWStructuredBuffer<int> buffer;
        void f() {
            int x = 1;
            let g = (int y) => {
                int z = x;
                z += 1;
                y = z;
                shared = y;
                buffer[0] = y;
                x = y; //! E30011 left of '=' is not an l-value
                let h = () => {
                    z = 2; //! E30011 left of '=' is not an l-value
                };
                z = 3;
            };
            x = 2;
        }",
    );
}

#[test]
fn lambdas_return_one_type() {
    check(
        "void f() {
            let g = (int a) => {
                if (a > 0) return 1;
                return 3.0; //! E30111 this lambda returns 'float' here, but 'int' before
            };
        }",
    );
}

#[test]
fn functions_throw_the_errors_that_they_declare() {
    check(
        "enum A { Fail }
        enum B { Fail }
        int f(bool b) throws A {
            do {
                throw B.Fail;
            } catch (B error) {
            }
            if (b)
                throw B.Fail; //! E30116 the function throws 'A', not 'B'
            throw A.Fail;
        }",
    );
}

#[test]
fn labels_are_constants_and_not_only_fixed() {
    check(
        "int f(int x) { let a = 1; switch (x) { case a: return 1; default: return 2; } } //! E39999 compile-time constant
        int g(int x) { const let a = 1; switch (x) { case a: return 1; default: return 2; } }
        int h(int x) { static const int a = 1; switch (x) { case a: return 1; default: return 2; } }",
    );
}
