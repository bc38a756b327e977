use expect_test::expect;

use super::*;
use crate::{print::print_module, tests::sum_of_first_integers, verify::verify};

/// Reads, verifies and prints `text`; what is printed reads back as the same.
fn round_trip(text: &str) -> String {
    let module = parse_module(text).unwrap();
    if let Err(errors) = verify(&module) {
        panic!("{}", crate::verify::describe(&module, &errors));
    }
    let printed = print_module(&module);
    assert_eq!(print_module(&parse_module(&printed).unwrap()), printed);
    printed
}

#[test]
fn what_the_builder_makes_reads_back() {
    let printed = print_module(&sum_of_first_integers());
    assert_eq!(print_module(&parse_module(&printed).unwrap()), printed);
}

/// Every item, type and op: the text is what `print` gives, so it must come back unchanged.
#[test]
fn all_of_the_language() {
    let text = include_str!("all_of_the_language.ir");
    assert_eq!(round_trip(text), text);
}

#[test]
fn items_come_in_any_order_and_constants_need_no_point() {
    let printed = round_trip(
        "entry main @m compute 1, 1, 1
         func @m() -> () {
             %0: $S = zero // a struct that is declared below
             %x: f32 = const 2
             return
         }
         struct $S { x: f32 }",
    );
    expect![[r#"
        struct $S { x: f32 }

        func @m() -> () {
          %0: $S = zero
          %x: f32 = const 2.0
          return
        }

        entry main @m compute 1, 1, 1
    "#]]
    .assert_eq(&printed);
}

#[test]
fn errors_have_a_place() {
    let error = |text: &str| parse_module(text).unwrap_err().to_string();
    assert_eq!(error("func @f() -> () {\n  %a: f32 = neg %b\n  return\n}"), "2:17: the value is not defined before");
    assert_eq!(error("func @f() -> () {\n  %a: f32 = frob\n}"), "2:13: there is no operation `frob`");
    assert_eq!(error("struct $S { x: float }"), "1:16: there is no type `float`");
    assert_eq!(error("func @f() -> () {"), "1:18: `}` expected");
    assert_eq!(error("struct $S { }\nstruct $S { }"), "2:8: the name is declared twice");
    assert_eq!(error("func @f() -> () {\n  return\n  ~\n}"), "3:3: an unexpected character");
    assert_eq!(error("struct $\"S"), "1:9: a quoted text does not end");
    let deep = format!("struct $S {{ x: {}f32", "[".repeat(100_000));
    assert!(error(&deep).ends_with("the type nests too deep"));
    let deep = format!("func @f(%c: bool) -> () {{ {}", "if %c { ".repeat(100_000)) + &"}".repeat(100_001);
    assert!(error(&deep).ends_with("regions nest too deep"));
}
