//! What is offered where.

use ide::completion::resolve;
use test_support::database::TestDatabase;

use crate::check::{check_completion, check_offers, cursor};

#[test]
fn what_the_function_declares_in_front_is_offered() {
    check_offers(
        "void f() { struct Early { float x; } int early() { return 1; } $0 struct Late { float x; } }",
        &["Early", "early"],
        &["Late"],
    );
}

#[test]
fn what_another_function_declares_is_not_offered() {
    check_offers("void g() { struct Other { float x; } } void f() { $0 }", &["g"], &["Other"]);
}

#[test]
fn functions_inside_functions_see_what_is_around_them() {
    check_offers("void f() { struct Around { float x; } int inner() { $0 return 1; } }", &["Around"], &[]);
}

#[test]
fn members_of_a_type_of_the_function_are_offered() {
    check_completion("float f() { struct Own { float weight; } Own own; return own.$0; }", &["weight"]);
}

#[test]
fn the_signature_is_read_for_the_item_that_is_looked_at() {
    let test = TestDatabase::new("void f() { float scaled(float x) { return 2 * x; } $0 }");
    let detail = resolve(&test.db, cursor(&test), "scaled").and_then(|item| item.detail);
    assert_eq!(detail.as_deref(), Some("float scaled(float x)"));
}
