//! What a body could do without.

use crate::tests::{check, check_all_of};

#[test]
fn variables_that_nobody_mentions() {
    check(
        "int f(int parameter) {
            int a = 1; //! E41810 variable 'a' is never used
            int measured = 1;
            int size = sizeof(measured);
            int b = 2;
            int _ignored = 3;
            const int n = 4;
            int values[n];
            values[0] = b + size;
            return values[0];
        }",
    );
}

#[test]
fn code_behind_what_leaves() {
    check(
        "int f(int a) {
            for (;;) { if (a > 1) break; }
            while (true) { a += 1; if (a > 2) { break; } }
            if (a > 3) { return 1; } else { return 2; }
            a = 4; //! E41000 unreachable code detected
        }
        int g(int a) {
            switch (a) { case 1: break; default: return 2; }
            for (int i = 0; i < a; i++) {
                continue;
                a = 1; //! E41000 unreachable code detected
            }
            return a;
        }",
    );
}

/// A discarded fragment goes on as a helper of its neighbours; slangc says nothing either.
#[test]
fn code_after_discard_is_reached() {
    check_all_of(
        &[41000],
        "float4 m1(float4 c) { discard; c.x = 1; return c; }
        float4 m2(float4 c, int k) { switch (k) { case 0: discard; break; default: discard; } return c; }
        float4 m3(float4 c) { if (c.x > 0) { discard; } else { discard; } return c; }
        float4 m5(float4 c) { for (int i = 0; i < 3; i++) { discard; c.x = 2; } return c; }",
    );
}

#[test]
fn names_out_of_use() {
    check(
        "[deprecated(\"use g\")] int f() { return 1; }
        int g() { return 2; }
        int h() {
            return g() + f(); //! E31200 'f' has been deprecated: use g
        }",
    );
}
