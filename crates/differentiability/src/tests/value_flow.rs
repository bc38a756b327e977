//! What the analysis says of each name in a body.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use hir_def::scope;

use super::{program, spelled};
use crate::{explain_value, value_flow};

/// Each name of the last function with its explanation; the same of the same name is shown once.
fn check(text: &str, expected: Expect) {
    let (db, _, file) = program(text);
    let item = *scope::all_file_items(&db, file).last().expect("a function");
    let mut out = String::new();
    for found in value_flow(&db, item) {
        let explained = explain_value(&db, item, found.location).expect("what has a state can be explained");
        assert_eq!(explained.state, found.state);
        let line = format!("{} {:?}: {}\n", spelled(&db, text, found.location), found.state, explained.text);
        if !out.contains(&line) {
            out.write_str(&line).expect("a string");
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn names_of_a_body() {
    check(
        "
[Differentiable] float scaled(float x) { return 2.0 * x; }
float plain(float x) { return x; }
[Differentiable]
float f(float x, no_diff float k, int n)
{
    float a = x * x;
    float b = k * 3.0;
    float unused = sin(a);
    float kept = detach(a);
    float cut = no_diff plain(a);
    float step = floor(x);
    a = a * b;
    float c = scaled(a) + kept;
    return c * cut + float(n);
}",
        expect![[r#"
            5: `x` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            5: `k` Independent: carries no derivative: it depends on no differentiable parameter
            7: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            7: `x` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            8: `b` Independent: carries no derivative: it depends on no differentiable parameter
            8: `k` Independent: carries no derivative: it depends on no differentiable parameter
            9: `unused` Unused: carries a derivative (`x` → `a` → `unused`), but goes into no differentiable result
            9: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            10: `kept` Ended: carries no derivative: that of `x` → `a` is dropped at `detach(a)`, as the source says
            10: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            11: `cut` Ended: carries no derivative: that of `x` → `a` is dropped at `plain(a)`, as the source says
            11: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            12: `step` Ended: carries no derivative: that of `x` is lost at `floor(x)`
            12: `x` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            13: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            13: `b` Independent: carries no derivative: it depends on no differentiable parameter
            14: `c` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            14: `a` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            14: `kept` Ended: carries no derivative: that of `x` → `a` is dropped at `detach(a)`, as the source says
            15: `c` Active: carries a derivative: `x` → `a` → the call of `scaled` → `c` → the result
            15: `cut` Ended: carries no derivative: that of `x` → `a` is dropped at `plain(a)`, as the source says
        "#]],
    );
}

/// The same name is another value in front of a loop, in it and after it.
#[test]
fn names_in_loops() {
    check(
        "
[Differentiable]
float f(float x)
{
    float s = 1.0;
    [MaxIters(3)]
    for (int i = 0; i < 3; i++)
        s = s * x;
    return s;
}",
        expect![[r#"
            3: `x` Active: carries a derivative: `x` → `s` → the result
            5: `s` Independent: carries no derivative: it depends on no differentiable parameter
            8: `s` Active: carries a derivative: `x` → `s` → the result
            8: `x` Active: carries a derivative: `x` → `s` → the result
            9: `s` Active: carries a derivative: `x` → `s` → the result
        "#]],
    );
}

#[test]
fn names_of_lambdas_and_out_parameters() {
    check(
        "
[Differentiable]
void f(float x, inout float y, out float z)
{
    y = y * x;
    z = 1.0;
}",
        expect![[r#"
            3: `x` Active: carries a derivative: `x` → `y` → `y` on the way out
            3: `y` Active: carries a derivative: `y` → `y` on the way out
            5: `y` Active: carries a derivative: `y` → `y` on the way out
            5: `x` Active: carries a derivative: `x` → `y` → `y` on the way out
            6: `z` Independent: carries no derivative: it depends on no differentiable parameter
        "#]],
    );
}
