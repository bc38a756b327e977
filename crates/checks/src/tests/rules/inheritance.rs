//! Types that inherit from themselves.

use crate::tests::check;

#[test]
fn what_is_inherited_comes_to_an_end() {
    check(
        "interface A : B { int a(); } //! E39999 'A' inherits from itself
        interface B : A { int b(); }
        interface S : S { int q(); } //! E39999 'S' inherits from itself
        struct X : X { int y; } //! E39999 'X' inherits from itself
        interface Below : A { int c(); }
        interface Left { int l(); }
        interface Right : Left { int r(); }
        interface Both : Left, Right { int x(); }",
    );
}
