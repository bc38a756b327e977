//! Accessors and their parameters.

use crate::tests::check;

#[test]
fn only_setters_have_a_parameter() {
    check(
        "struct S {
            int v;
            property int right { get { return v; } set(int a) { v = a; } }
            property int implied { get { return v; } set { v = newValue; } }
            property int two { get { return v; } set(int a, int b) { v = a; } } //! E31108 no more than one
            property int other { get { return v; } set(float a) { v = 1; } } //! E31109 'set' takes a 'float'
            property int given { get(int a) { return v; } } //! E31112 only 'set' accessors have parameters
            __subscript(int i) -> float { get { return 1.0; } set(float a) {} }
        }",
    );
}
