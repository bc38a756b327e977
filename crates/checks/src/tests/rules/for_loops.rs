//! Loops that count in a way that nobody means.

use crate::tests::check;

/// The numbers are slangc's; all are warnings.
#[test]
fn loops_that_do_not_count() {
    check(
        "void f(int n) {
            int j = 0;
            for (int i = 0; i < 3; j++) {} //! E30507 the loop counts 'i', but this changes 'j'
            for (int i = 0; j < 3; i++) {} //! E30508 the loop counts 'i', but this tests 'j'
            for (int i = 0; i < n; i--) {} //! E30511 'i' goes away from where the loop ends
            for (int i = 9; i > 3; i += 2) {} //! E30511 'i' goes away
            for (int i = 0; i < 3; i += 0) {} //! E30512 the step is zero
            for (int i = 5; i < 3; i++) {} //! E30514 the loop never runs
            for (int i = 9; 3 < i; i++) {} //! E30511 'i' goes away
        }",
    );
}

#[test]
fn loops_that_count() {
    check(
        "void f(int n) {
            int j = 0;
            for (int i = 0; i < n; i++) { j++; }
            for (int i = n; i >= 0; i--) {}
            for (int i = 0; n > i; i += 2) {}
            for (int i = 0; i < j; i -= -1) {}
            for (uint i = 7; i > 0; i -= 1) {}
            for (j = 0; j < n; j++) {}
            for (int i = 1; i < n; i *= 2) {}
            for (int i = 0; i <= 0; i++) {}
        }",
    );
}
