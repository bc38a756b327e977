//! What a body could do without.

use crate::tests::check;

#[test]
fn variables_that_nobody_mentions() {
    check(
        "int f(int parameter) {
            int a = 1; //! E40100 variable 'a' is never used
            int b = 2;
            int _ignored = 3;
            const int n = 4;
            int values[n];
            values[0] = b;
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
