//! Aggregates that are updated in place must behave as values.

use super::*;

/// Fills an array through an `if`; if each iteration copied the array, the steps would not suffice.
#[test]
fn a_loop_that_fills_an_array_takes_linear_time() {
    let text = "
        func @f() -> (first: i32, last: i32) {
            %0: i32 = const 0
            %1: i32 = const 1
            %2: i32 = const 2
            %n: i32 = const 10000
            %a: [i32; 10000] = zero
            %i: i32, %b: [i32; 10000] = loop (%0, %a) cond (%i.2: i32, %b.2: [i32; 10000]) {
                %c: bool = lt %i.2, %n
                yield %c
            } body (%i.3: i32, %b.3: [i32; 10000]) {
                %r: i32 = rem %i.3, %2
                %odd: bool = eq %r, %1
                %d: [i32; 10000] = if %odd {
                    %e: [i32; 10000] = insert %b.3[%i.3], %i.3
                    yield %e
                } else {
                    yield %b.3
                }
                %j: i32 = add %i.3, %1
                yield %j, %d
            }
            %first: i32 = extract %b[1]
            %last: i32 = extract %b[9999]
            return %first, %last
        }";
    let limits = Limits { steps: 200_000, ..Limits::default() };
    let results = run_with(text, Precision::Declared, limits, &[]).unwrap();
    assert_eq!(results, [Value::Int(1), Value::Int(9999)]);
}

#[test]
fn the_old_value_stays_while_it_is_used() {
    let text = "
        func @f(%a: i32x2, %c: bool) -> (old: i32x2, new: i32x2, chosen: i32x2, other: i32x2) {
            %9: i32 = const 9
            %new: i32x2 = insert %a[0], %9
            %chosen: i32x2 = if %c {
                %b: i32x2 = insert %a[1], %9
                yield %b
            } else {
                yield %a
            }
            %other: i32x2 = if %c {
                %d: i32x2 = insert %new[1], %9
                yield %d
            } else {
                yield %new
            }
            return %a, %new, %chosen, %other
        }";
    let a = || ints(&[1, 2]);
    assert_eq!(run(text, &[a(), Value::Bool(true)]), [a(), ints(&[9, 2]), ints(&[1, 9]), ints(&[9, 9])]);
    assert_eq!(run(text, &[a(), Value::Bool(false)]), [a(), ints(&[9, 2]), a(), ints(&[9, 2])]);
}

#[test]
fn two_results_of_one_value_are_two_values() {
    let text = "
        func @f(%a: i32x2, %c: bool) -> (x: i32x2, y: i32x2) {
            %9: i32 = const 9
            %x: i32x2, %y: i32x2 = if %c {
                yield %a, %a
            } else {
                yield %a, %a
            }
            %z: i32x2 = insert %x[0], %9
            return %z, %y
        }";
    assert_eq!(run(text, &[ints(&[1, 2]), Value::Bool(true)]), [ints(&[9, 2]), ints(&[1, 2])]);
}

#[test]
fn a_value_from_outside_a_loop_is_the_same_in_each_iteration() {
    let text = "
        func @f(%a: i32x2) -> (sum: i32, old: i32x2) {
            %0: i32 = const 0
            %1: i32 = const 1
            %3: i32 = const 3
            %i: i32, %s: i32 = loop (%0, %0) cond (%i.2: i32, %s.2: i32) {
                %c: bool = lt %i.2, %3
                yield %c
            } body (%i.3: i32, %s.3: i32) {
                %b: i32x2 = insert %a[0], %i.3
                %x: i32 = extract %a[0]
                %s.4: i32 = add %s.3, %x
                %y: i32 = extract %b[0]
                %s.5: i32 = add %s.4, %y
                %j: i32 = add %i.3, %1
                yield %j, %s.5
            }
            return %s, %a
        }";
    assert_eq!(run(text, &[ints(&[10, 2])]), [Value::Int(30 + 3), ints(&[10, 2])]);
}

#[test]
fn a_condition_does_not_change_what_the_body_sees() {
    let text = "
        func @f(%a: i32x2) -> (return: i32x2) {
            %5: i32 = const 5
            %1: i32 = const 1
            %r: i32x2 = loop (%a) cond (%b: i32x2) {
                %m: i32x2 = insert %b[1], %5
                %x: i32 = extract %m[0]
                %c: bool = lt %x, %5
                yield %c
            } body (%d: i32x2) {
                %y: i32 = extract %d[0]
                %z: i32 = add %y, %1
                %e: i32x2 = insert %d[0], %z
                yield %e
            }
            return %r
        }";
    assert_eq!(run(text, &[ints(&[0, 2])]), [ints(&[5, 2])]);
}

#[test]
fn nested_loops_share_one_array() {
    let text = "
        func @f() -> (return: [i32; 4]) {
            %0: i32 = const 0
            %1: i32 = const 1
            %2: i32 = const 2
            %a: [i32; 4] = zero
            %i: i32, %b: [i32; 4] = loop (%0, %a) cond (%i.2: i32, %b.2: [i32; 4]) {
                %c: bool = lt %i.2, %2
                yield %c
            } body (%i.3: i32, %b.3: [i32; 4]) {
                %j: i32, %d: [i32; 4] = loop (%0, %b.3) cond (%j.2: i32, %d.2: [i32; 4]) {
                    %e: bool = lt %j.2, %2
                    yield %e
                } body (%j.3: i32, %d.3: [i32; 4]) {
                    %k: i32 = mul %i.3, %2
                    %l: i32 = add %k, %j.3
                    %m: i32 = add %l, %1
                    %d.4: [i32; 4] = insert %d.3[%l], %m
                    %j.4: i32 = add %j.3, %1
                    yield %j.4, %d.4
                }
                %i.4: i32 = add %i.3, %1
                yield %i.4, %d
            }
            return %b
        }";
    assert_eq!(run(text, &[]), [ints(&[1, 2, 3, 4])]);
}
