//! Bit fields are integers and fit their types.

use crate::tests::check;

#[test]
fn bit_fields_are_integers() {
    check(
        "struct S {
            float a : 10; //! E31301 must be an integer type, not 'float'
            bool b : 1; //! E31301 must be an integer type, not 'bool'
            uint8_t c : 8;
            int d : 0;
        }",
    );
}

#[test]
fn bit_fields_fit_their_types() {
    check(
        "struct S {
            int a : 33; //! E31300 a bit field of 33 bits does not fit its type 'int' of 32 bits
            int64_t b : 999; //! E31300 999 bits
            int64_t c : 64;
        }",
    );
}
