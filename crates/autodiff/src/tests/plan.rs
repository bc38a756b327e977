//! What is stored, recomputed or inverted, and why.

use expect_test::{Expect, expect};

use super::module;

fn check(text: &str, expected: Expect) {
    let (module, f) = module(text);
    let plan = crate::residual_plan(&module, f).unwrap_or_else(|error| panic!("{error}"));
    let mut lines = format!("{} bytes\n", plan.bytes());
    for item in &plan.items {
        let name = item.name.as_deref().unwrap_or("a value");
        let size = format!("{} bytes, {} iterations", item.bytes, item.iterations);
        lines += &format!("{name}: {} ({size}): {}\n", item.decision, item.reason);
    }
    expected.assert_eq(&lines);
}

/// One function of an input costs less than a word in memory.
#[test]
fn what_is_cheap_is_computed_again() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable {
           %y: f32 = sin(%x)
           %z: f32 = mul %y, %y
           return %z
         }",
        expect![[r#"
            0 bytes
            y: recomputed (4 bytes, 1 iterations): computing it again is cheaper than keeping it
            a value: recomputed (4 bytes, 1 iterations): computing it again is cheaper than keeping it
        "#]],
    );
}

/// What goes from one iteration to the next is stored once per iteration; the counter follows from the iteration.
#[test]
fn carried_values_are_stored_and_counters_inverted() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable {
           %0: i32 = const 0
           %2: i32 = const 2
           %n: i32 = const 10
           %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %s2: f32) {
             %t: f32 = convert %i2
             %a: f32 = mul %s2, %s2
             %s3: f32 = mul %a, %t
             %i3: i32 = add %i2, %2
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            20 bytes
            i2: inverted (4 bytes, 5 iterations): it follows from the number of the iteration
            s2: stored (4 bytes, 5 iterations): it goes from one iteration to the next
            t: recomputed (4 bytes, 5 iterations): computing it again is cheaper than keeping it
        "#]],
    );
}

/// A sum needs none of its terms.
#[test]
fn linear_loops_store_nothing() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable {
           %0: i32 = const 0
           %1: i32 = const 1
           %n: i32 = const 10
           %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
             %c: bool = lt %i1, %n
             yield %c
           } body (%i2: i32, %s2: f32) {
             %s3: f32 = add %s2, %x
             %i3: i32 = add %i2, %1
             yield %i3, %s3
           }
           return %s
         }",
        expect![[r#"
            0 bytes
        "#]],
    );
}

/// Memory may have another content in the backward sweep.
#[test]
fn loads_are_stored() {
    check(
        "global @weights: rwbuffer<f32> parameter
         func @f(%x: f32 diff, %i: u32) -> (return: f32 diff) backward_differentiable {
           %weights: rwbuffer<f32> = global @weights
           %w: f32 = load %weights[%i]
           %y: f32 = mul %x, %w
           return %y
         }",
        expect![[r#"
            4 bytes
            w: stored (4 bytes, 1 iterations): the memory it is read from may have changed
        "#]],
    );
}

/// Two elements are smaller than the array that they are read from, which must be stored otherwise.
#[test]
fn the_smaller_of_two_is_stored() {
    check(
        "func @g(%x: f32 diff) -> (return: [f32; 8] diff) backward_differentiable prefer_checkpoint {
           %0: [f32; 8] = splat %x
           return %0
         }
         func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable {
           %a: [f32; 8] = call @g(%x)
           %first: f32 = extract %a[0]
           %last: f32 = extract %a[7]
           %b: f32 = mul %first, %last
           %c: f32 = mul %b, %b
           return %c
         }",
        expect![[r#"
            8 bytes
            first: stored (4 bytes, 1 iterations): it is smaller than what it is computed from
            last: stored (4 bytes, 1 iterations): it is smaller than what it is computed from
            b: recomputed (4 bytes, 1 iterations): computing it again is cheaper than keeping it
        "#]],
    );
}

/// The preference of a callee decides what its cost leaves open.
#[test]
fn preferences_of_callees() {
    for (preference, expected) in [
        (
            "prefer_checkpoint",
            expect![[r#"
            4 bytes
            w: stored (4 bytes, 1 iterations): the callee is marked [PreferCheckpoint]
        "#]],
        ),
        (
            "prefer_recompute",
            expect![[r#"
            0 bytes
            w: recomputed (4 bytes, 1 iterations): the callee is marked [PreferRecompute]
        "#]],
        ),
    ] {
        check(
            &format!(
                "func @g(%k: f32) -> (return: f32) {preference} {{
                   %0: f32 = exp(%k)
                   return %0
                 }}
                 func @f(%x: f32 diff, %k: f32) -> (return: f32 diff) backward_differentiable {{
                   %w: f32 = call @g(%k)
                   %y: f32 = mul %x, %w
                   return %y
                 }}"
            ),
            expected,
        );
    }
}

/// Where the user prefers it, the inner loop runs again in each step of the way back: of `y` there are four values, of `p`
/// eight at a time, not 32.
#[test]
fn an_inner_loop_runs_again() {
    check(
        "func @f(%x: f32 diff) -> (return: f32 diff) backward_differentiable prefer_recompute {
           %0: i32 = const 0
           %1: i32 = const 1
           %four: i32 = const 4
           %eight: i32 = const 8
           %half: f32 = const 0.5
           %n: i32, %y: f32 = loop (%0, %x) cond (%n1: i32, %y1: f32) {
             %c: bool = lt %n1, %four
             yield %c
           } body (%n2: i32, %y2: f32) {
             %k: i32, %p: f32 = loop (%0, %half) cond (%k1: i32, %p1: f32) {
               %d: bool = lt %k1, %eight
               yield %d
             } body (%k2: i32, %p2: f32) {
               %q: f32 = mul %p2, %y2
               %p3: f32 = add %q, %half
               %k3: i32 = add %k2, %1
               yield %k3, %p3
             }
             %n3: i32 = add %n2, %1
             yield %n3, %p
           }
           return %y
         }",
        expect![[r#"
            48 bytes
            y2: stored (4 bytes, 4 iterations): it goes from one iteration to the next
            p2: stored (4 bytes, 8 iterations): it goes from one iteration to the next
        "#]],
    );
}
