//! What may not leave a `defer`.

use crate::tests::check;

#[test]
fn nothing_leads_out_of_a_defer() {
    check(
        "int f(int n) {
            for (int i = 0; i < n; i++) { defer { break; } } //! E30108 'break' does not leave a 'defer'
            for (int i = 0; i < n; i++) { defer { if (n > 1) continue; } } //! E30109 'continue' does not leave
            defer { return 1; } //! E30110 'return' does not leave a 'defer'
            defer { for (int i = 0; i < n; i++) { if (i == 1) break; continue; } }
            defer { switch (n) { case 1: break; } }
            defer { __target_switch { case hlsl: break; default: break; } }
            return 2;
        }
        int labelled(int n) {
            outer: for (int i = 0; i < n; i++) {
                defer { break outer; } //! E30108 'break' does not leave a 'defer'
                defer { inner: for (int j = 0; j < n; j++) { if (j == 1) break inner; } }
            }
            return n;
        }",
    );
}
