//! The numbers in attributes of loops.

use crate::tests::check;

#[test]
fn numbers_of_iterations_are_constants() {
    check(
        "static const int TAPS = 5;
        void f<let N : int>(int n, float x) {
            const int most = 3;
            [MaxIters(TAPS * 2)] while (n > 0) n--;
            [MaxIters(N)] while (n > 0) n--;
            [MaxIters(most)] do n--; while (n > 0);
            [ForceUnroll] for (int i = 0; i < 4; i++) n++;
            [ForceUnroll(8)] for (int i = 0; i < 4; i++) n++;
            [MaxIters(n)] while (n > 0) n--; //! E39999 does not evaluate to a compile-time constant
            [MaxIters(int(x))] while (n > 0) n--; //! E39999 does not evaluate to a compile-time constant
            [MaxIters(\"many\")] do n--; while (n > 0); //! E30019 expected an expression of type 'int', got 'String'
            [ForceUnroll(n)] for (int i = 0; i < 4; i++) n++; //! E39999 does not evaluate to a compile-time constant
            [MaxIters] while (n > 0) n--; //! E31001 attribute 'MaxIters' expects 1 argument (0 provided)
        }",
    );
}
