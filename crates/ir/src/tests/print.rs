use expect_test::expect;

use super::*;
use crate::tests::sum_of_first_integers;

#[test]
fn a_loop() {
    let expected = expect![[r#"
        func @sum(%n: i32) -> (return: i32) {
          %0: i32 = const 0
          %1: i32, %s: i32 = loop (%0, %0) max_iters 16 cond (%2: i32, %3: i32) {
            %4: bool = lt %2, %n
            yield %4
          } body (%i: i32, %s.2: i32) {
            %5: i32 = add %s.2, %i
            %6: i32 = const 1
            %7: i32 = add %i, %6
            yield %7, %5
          }
          return %s
        }
    "#]];
    expected.assert_eq(&print_module(&sum_of_first_integers()));
}

#[test]
fn names_that_are_no_identifiers_are_quoted() {
    assert_eq!(quoted("f<float, 3>"), "\"f<float, 3>\"");
    assert_eq!(quoted("f'.jvp_2"), "f'.jvp_2");
    assert_eq!(quoted("2a"), "\"2a\"");
    assert_eq!(quoted("a\"\\\n"), r#""a\"\\\n""#);
}
