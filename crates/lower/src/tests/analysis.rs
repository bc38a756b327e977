use expect_test::{Expect, expect};
use test_support::modules::verified;

use super::{database, function};
use crate::lower_for_analysis;

fn check(text: &str, name: &str, expected: Expect) {
    let (db, file) = database(text);
    let lowered = lower_for_analysis(&db, function(&db, file, name));
    assert_eq!(lowered.errors, []);
    expected.assert_eq(&ir::print::print_module(&verified(lowered.module.clone())));
}

#[test]
fn callees_are_declarations_and_parameters_have_no_representation() {
    check(
        "
interface IF : IDifferentiable { [Differentiable] float at(float x); }
float other(float x) { return x; }
[Differentiable] float f<T : IF>(T t, float x) { return t.at(x) + no_diff other(x); }",
        "f",
        expect![[r#"
            func @"f<T>"(%t: opaque<0, differentiable> diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
              %0: f32 = call @IF.at(%t, %x)
              %1: f32 = call no_diff @other(%x)
              %2: f32 = detach %1
              %3: f32 = add %0, %2
              return %3
            }

            func @IF.at(%this: opaque<0, differentiable> diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable

            func @other(%x: f32 diff) -> (return: f32 diff)
        "#]],
    );
}

#[test]
fn spans_are_relative_to_the_item() {
    let spans_in_body = |text: &str| {
        let (db, file) = database(text);
        let lowered = lower_for_analysis(&db, function(&db, file, "f"));
        let spans = lowered.module.spans.iter().filter(|span| span.file == 1).copied();
        spans.collect::<Vec<_>>()
    };
    let function = "float f(float x) { return x * 2; }";
    let alone = spans_in_body(function);
    assert!(!alone.is_empty());
    assert_eq!(alone, spans_in_body(&format!("float g() {{ return 1; }}\n\n{function}")));
}
