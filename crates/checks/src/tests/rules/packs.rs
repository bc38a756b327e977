//! Packs in expressions.

use crate::tests::check;

#[test]
fn elements_of_packs_are_those_of_an_expansion() {
    check(
        "void use<T>(T value) {}
        void f<each T>(expand each T values)
        {
            expand use(each values);
            expand use(use(each values));
            let first = each values; //! E30104 inside of an 'expand'
            use(each values); //! E30104 inside of an 'expand'
        }",
    );
}
