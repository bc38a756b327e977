//! Each pass on IR text. The helper verifies input and output, and that a second run changes nothing.

use ::diagnostics::stack;
use expect_test::{Expect, expect};

use super::*;
use crate::{
    parse::parse_module,
    print::{print_func, print_module},
    simplify::{inline, unroll},
    verify::{describe, verify},
};

fn verified(module: &Module) {
    if let Err(errors) = verify(module) {
        panic!("{}", describe(module, &errors));
    }
}

/// Runs a pass on `@f`, then dead code elimination if `sweep`.
fn check_with(pass: impl Fn(&mut Module, FuncId) -> bool, sweep: bool, before: &str, after: &Expect) {
    let mut module = parse_module(before).unwrap();
    verified(&module);
    let func = module.func_named("f").unwrap();
    pass(&mut module, func);
    verified(&module);
    assert!(!pass(&mut module, func), "a second run changes something:\n{}", print_func(&module, func));
    if sweep {
        dead_code::remove(&mut module, func);
        verified(&module);
    }
    after.assert_eq(&print_func(&module, func));
}

fn check_peephole(body: &str, after: &Expect) {
    let text = format!("struct $P {{ a: f32, b: f32x2 }} func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> {body}");
    check_with(peephole::rewrite, true, &text, after);
}

#[test]
fn constants_fold() {
    check_peephole(
        "(a: f32, b: i32, c: bool, d: f32x3, e: f32, g: i32, h: f32) {
            %1: f32 = const 0.1
            %2: f32 = const 0.2
            %a: f32 = add %1, %2
            %3: i32 = const 2147483647
            %4: i32 = const 1
            %b: i32 = add %3, %4
            %c: bool = lt %b, %3
            %5: f32x3 = splat %2
            %6: f32x3 = zero
            %7: f32x3 = sub %5, %6
            %d: f32x3 = mul %7, %5
            %0: f32 = const 0
            %e: f32 = div %1, %0
            %zero: i32 = const 0
            %g: i32 = div %4, %zero
            %8: f32 = const 2.5
            %9: i32 = convert %8
            %h: f32 = convert %9
            return %a, %b, %c, %d, %e, %g, %h
        }",
        &expect![[r#"
            func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> (a: f32, b: i32, c: bool, d: f32x3, e: f32, g: i32, h: f32) {
              %0: f32 = const 0.1
              %a: f32 = const 0.30000001192092896
              %1: i32 = const 1
              %b: i32 = const -2147483648
              %c: bool = const true
              %2: f32 = const 0.04000000283122063
              %d: f32x3 = splat %2
              %3: f32 = const 0.0
              %e: f32 = div %0, %3
              %zero: i32 = const 0
              %g: i32 = div %1, %zero
              %h: f32 = const 2.0
              return %a, %b, %c, %d, %e, %g, %h
            }
        "#]],
    );
}

/// What holds for all floats goes; `x + 0`, `x * 0` and `x - x` stay.
#[test]
fn identities_are_exact() {
    check_peephole(
        "(a: f32, b: f32, c: f32, d: f32, e: i32) {
            %one: f32 = const 1
            %zero: f32 = const 0
            %minus: f32 = const -0.0
            %1: f32 = mul %x, %one
            %2: f32 = add %minus, %1
            %3: f32 = div %2, %one
            %4: f32 = neg %3
            %a: f32 = neg %4
            %b: f32 = add %a, %zero
            %c: f32 = mul %a, %zero
            %d: f32 = sub %a, %a
            %5: i32 = sub %i, %i
            %6: i32 = add %i, %5
            %7: i32 = const 0
            %8: i32 = mul %i, %7
            %e: i32 = or %6, %8
            return %a, %b, %c, %d, %e
        }",
        &expect![[r#"
            func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> (a: f32, b: f32, c: f32, d: f32, e: i32) {
              %zero: f32 = const 0.0
              %b: f32 = add %x, %zero
              %c: f32 = mul %x, %zero
              %d: f32 = sub %x, %x
              return %x, %b, %c, %d, %i
            }
        "#]],
    );
}

#[test]
fn parts_are_forwarded() {
    check_peephole(
        "(a: f32, b: f32, c: f32, d: $P, e: f32x2, g: f32, h: $P) {
            %u: f32x2 = swizzle %v[2, 0]
            %m: $P = make(%x, %u)
            %a: f32 = extract %m[1][0]
            %n: $P = insert %p[1][1], %x
            %b: f32 = extract %n[1][0]
            %o: $P = insert %n[0], %a
            %c: f32 = extract %o[1][1]
            %q: f32 = extract %p[0]
            %r: f32x2 = extract %p[1]
            %d: $P = make(%q, %r)
            %z: $P = zero
            %y: f32 = extract %z[1][%i]
            %w: f32x3 = make(%y, %x, %a)
            %e: f32x2 = swizzle %w[0, 1]
            %s: [f32; 4] = splat %x
            %t: [f32; 4] = insert %s[2], %a
            %g: f32 = extract %t[3]
            %k: $P = insert %p[0], %q
            %l: $P = insert %k[1][%i], %x
            %h: $P = insert %l[1][%i], %a
            return %a, %b, %c, %d, %e, %g, %h
        }",
        &expect![[r#"
            func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> (a: f32, b: f32, c: f32, d: $P, e: f32x2, g: f32, h: $P) {
              %a: f32 = extract %v[2]
              %b: f32 = extract %p[1][0]
              %y: f32 = const 0.0
              %e: f32x2 = make(%y, %x)
              %h: $P = insert %p[1][%i], %a
              return %a, %b, %x, %p, %e, %x, %h
            }
        "#]],
    );
}

/// Where the inner `insert` is read besides, both aggregates would be there at one time, and emitted code would copy one.
#[test]
fn an_insert_that_is_read_is_not_written_over() {
    check_peephole(
        "(a: f32, b: f32x3) {
            %w: f32x3 = insert %v[%i], %x
            %a: f32 = extract %w[%i]
            %y: f32 = add %a, %a
            %b: f32x3 = insert %w[%i], %y
            return %a, %b
        }",
        &expect![[r#"
            func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> (a: f32, b: f32x3) {
              %w: f32x3 = insert %v[%i], %x
              %a: f32 = extract %w[%i]
              %y: f32 = add %a, %a
              %b: f32x3 = insert %w[%i], %y
              return %a, %b
            }
        "#]],
    );
}

/// A dynamic index may be out of bounds: then the `insert` does nothing and the `extract` gives zero.
#[test]
fn dynamic_indices_are_not_followed() {
    check_peephole(
        "(a: f32, b: f32) {
            %w: f32x3 = insert %v[%i], %x
            %a: f32 = extract %w[%i]
            %b: f32 = extract %w[1]
            return %a, %b
        }",
        &expect![[r#"
            func @f(%x: f32, %v: f32x3, %p: $P, %i: i32) -> (a: f32, b: f32) {
              %w: f32x3 = insert %v[%i], %x
              %a: f32 = extract %w[%i]
              %b: f32 = extract %w[1]
              return %a, %b
            }
        "#]],
    );
}

#[test]
fn dead_code_goes_with_unused_results_and_carried_values() {
    check_with(
        dead_code::remove,
        false,
        "global @b: rwbuffer<f32> parameter
        func @g(%x: f32) -> (return: f32) { %y: f32 = sin(%x) return %y }
        func @h() -> () { %b: rwbuffer<f32> = global @b %x: f32 = const 1 %i: i32 = const 0 store %b[%i], %x return }
        func @f(%c: bool, %x: f32, %n: i32) -> (return: f32) {
            %unused: f32 = call @g(%x)
            call @h()
            %b: rwbuffer<f32> = global @b
            %0: i32 = const 0
            %read: f32 = load %b[%0]
            %1: f32, %2: f32 = if %c {
                %3: f32 = sin(%x)
                yield %3, %x
            } else {
                %4: f32 = cos(%x)
                yield %x, %4
            }
            %5: i32, %6: f32, %7: f32 = loop (%0, %x, %x) cond (%8: i32, %9: f32, %10: f32) {
                %11: bool = lt %8, %n
                yield %11
            } body (%12: i32, %13: f32, %14: f32) {
                %15: f32 = add %13, %13
                %16: f32 = mul %14, %2
                %17: i32 = const 1
                %18: i32 = add %12, %17
                if %c {
                    break %18, %15, %16
                } else {
                    yield
                }
                yield %18, %15, %14
            }
            %dead: i32, %loop: f32 = loop (%0, %x) cond (%19: i32, %20: f32) {
                yield %c
            } body (%21: i32, %22: f32) {
                yield %21, %22
            }
            return %7
        }",
        &expect![[r#"
            func @f(%c: bool, %x: f32, %n: i32) -> (return: f32) {
              call @h()
              %0: i32 = const 0
              %1: f32 = if %c {
                yield %x
              } else {
                %2: f32 = cos(%x)
                yield %2
              }
              %3: i32, %4: f32 = loop (%0, %x) cond (%5: i32, %6: f32) {
                %7: bool = lt %5, %n
                yield %7
              } body (%8: i32, %9: f32) {
                %10: f32 = mul %9, %1
                %11: i32 = const 1
                %12: i32 = add %8, %11
                if %c {
                  break %12, %10
                } else {
                  yield
                }
                yield %12, %9
              }
              return %4
            }
        "#]],
    );
}

#[test]
fn code_that_leaves_the_function_is_alive() {
    check_with(
        dead_code::remove,
        false,
        "func @f(%c: bool, %x: f32) -> (return: f32) {
            %1: f32 = if %c {
                return %x
            } else {
                %2: f32 = sin(%x)
                yield %2
            }
            if %c { unreachable } else { yield }
            return %x
        }",
        &expect![[r#"
            func @f(%c: bool, %x: f32) -> (return: f32) {
              if %c {
                return %x
              } else {
                yield
              }
              if %c {
                unreachable
              } else {
                yield
              }
              return %x
            }
        "#]],
    );
}

#[test]
fn equal_operations_are_shared() {
    check_with(
        common::share,
        false,
        "global @b: rwbuffer<f32> parameter
        func @pure(%x: f32) -> (return: f32) { return %x }
        func @read() -> (return: f32) { %b: rwbuffer<f32> = global @b %i: i32 = const 0 %x: f32 = load %b[%i] return %x }
        func @f(%c: bool, %x: f32, %y: f32) -> (return: f32) {
            %1: f32 = add %x, %y
            %2: f32 = add %y, %x
            %3: f32 = sub %1, %2
            %4: f32 = sub %2, %1
            %5: f32 = sub %y, %x
            %6: f32 = call @pure(%x)
            %7: f32 = call @pure(%x)
            %8: f32 = call @read()
            %9: f32 = call @read()
            %10: f32 = if %c {
                %11: f32 = add %x, %y
                %12: f32 = cos(%x)
                yield %11
            } else {
                %13: f32 = cos(%x)
                yield %13
            }
            %14: f32 = const 0.0
            %15: f32 = const -0.0
            %16: f32 = cos(%7)
            return %9
        }",
        &expect![[r#"
            func @f(%c: bool, %x: f32, %y: f32) -> (return: f32) {
              %0: f32 = add %x, %y
              %1: f32 = sub %0, %0
              %2: f32 = sub %y, %x
              %3: f32 = call @pure(%x)
              %4: f32 = call @read()
              %5: f32 = call @read()
              %6: f32 = if %c {
                %7: f32 = cos(%x)
                yield %0
              } else {
                %8: f32 = cos(%x)
                yield %8
              }
              %9: f32 = const 0.0
              %10: f32 = const -0.0
              %11: f32 = cos(%3)
              return %5
            }
        "#]],
    );
}

#[test]
fn known_choices_are_made() {
    check_with(
        branches::resolve,
        true,
        "struct $A { x: f32 }
        sum !I { 0: $A, 1: i32 }
        func @f(%c: bool, %x: f32) -> (a: f32, b: f32, c: f32, d: f32) {
            %t: bool = const true
            %a: f32 = if %t {
                %1: f32 = sin(%x)
                yield %1
            } else {
                yield %x
            }
            %2: u8 = const 255
            %b: f32 = switch %2 case 1 {
                yield %x
            } case -1 {
                yield %a
            } default {
                yield %x
            }
            %3: $A = make(%b)
            %4: !I = sum_make 0, %3
            %c.2: f32 = sum_match %4 variant (%5: $A) {
                %6: f32 = extract %5[0]
                yield %6
            } variant (%7: i32) {
                yield %x
            }
            %d: f32, %8: f32 = if %c {
                %9: f32 = cos(%x)
                yield %x, %9
            } else {
                yield %x, %b
            }
            return %a, %b, %c.2, %d
        }",
        &expect![[r#"
            func @f(%c: bool, %x: f32) -> (a: f32, b: f32, c: f32, d: f32) {
              %0: f32 = sin(%x)
              %1: $A = make(%0)
              %2: f32 = extract %1[0]
              return %0, %0, %2, %x
            }
        "#]],
    );
}

#[test]
fn a_chosen_region_that_leaves_ends_the_one_around() {
    check_with(
        branches::resolve,
        true,
        "func @f(%x: f32) -> (return: f32) {
            %t: bool = const false
            %a: f32 = if %t {
                yield %x
            } else {
                %1: f32 = sin(%x)
                return %1
            }
            %b: f32 = mul %a, %a
            return %b
        }",
        &expect![[r#"
            func @f(%x: f32) -> (return: f32) {
              %0: f32 = sin(%x)
              return %0
            }
        "#]],
    );
}

#[test]
fn carried_values_that_never_change_are_not_carried() {
    check_with(
        branches::resolve,
        true,
        "func @f(%n: i32, %x: f32, %c: bool) -> (a: i32, b: f32, c: f32) {
            %0: i32 = const 0
            %i: i32, %y: f32, %z: f32 = loop (%0, %x, %x) cond (%1: i32, %2: f32, %3: f32) {
                %4: bool = lt %1, %n
                yield %4
            } body (%5: i32, %6: f32, %7: f32) {
                %8: i32 = convert %6
                %9: i32 = add %5, %8
                if %c {
                    break %9, %6, %7
                } else {
                    yield
                }
                %10: f32 = sin(%7)
                yield %9, %x, %10
            }
            return %i, %y, %z
        }",
        &expect![[r#"
            func @f(%n: i32, %x: f32, %c: bool) -> (a: i32, b: f32, c: f32) {
              %0: i32 = const 0
              %i: i32, %z: f32 = loop (%0, %x) cond (%1: i32, %2: f32) {
                %3: bool = lt %1, %n
                yield %3
              } body (%4: i32, %5: f32) {
                %6: i32 = convert %x
                %7: i32 = add %4, %6
                if %c {
                  break %7, %5
                } else {
                  yield
                }
                %8: f32 = sin(%5)
                yield %7, %8
              }
              return %i, %x, %z
            }
        "#]],
    );
}

#[test]
fn bounds_of_loops_with_other_exits() {
    check_with(
        trip_count::infer,
        false,
        "func @f(%c: bool, %d: bool, %n: i32) -> () {
            %0: i32 = const 0
            %1: i32 = const 1
            %10: i32 = const 10
            %i: i32 = loop (%0) cond (%2: i32) {
                %3: bool = gt %10, %2
                %4: bool = and %3, %c
                yield %4
            } body (%5: i32) {
                %6: i32 = add %1, %5
                if %d { break %5 } else { yield }
                if %d { continue %6 } else { yield }
                yield %6
            }
            %j: i32 = loop (%0) cond (%7: i32) {
                %8: bool = lt %7, %10
                yield %8
            } body (%9: i32) {
                %11: i32 = add %9, %n
                yield %11
            }
            return
        }",
        &expect![[r#"
            func @f(%c: bool, %d: bool, %n: i32) -> () {
              %0: i32 = const 0
              %1: i32 = const 1
              %2: i32 = const 10
              %i: i32 = loop (%0) inferred 10 cond (%3: i32) {
                %4: bool = gt %2, %3
                %5: bool = and %4, %c
                yield %5
              } body (%6: i32) {
                %7: i32 = add %1, %6
                if %d {
                  break %6
                } else {
                  yield
                }
                if %d {
                  continue %7
                } else {
                  yield
                }
                yield %7
              }
              %j: i32 = loop (%0) cond (%8: i32) {
                %9: bool = lt %8, %2
                yield %9
              } body (%10: i32) {
                %11: i32 = add %10, %n
                yield %11
              }
              return
            }
        "#]],
    );
}

fn unroll_all(module: &mut Module, func: FuncId) -> bool {
    let before = print_func(module, func);
    assert_eq!(unroll::unroll(module, func), []);
    print_func(module, func) != before
}

#[test]
fn loops_unroll() {
    check_with(
        unroll_all,
        true,
        "func @f(%x: f32) -> (return: f32) {
            %0: i32 = const 0
            %1: i32 = const 1
            %3: i32 = const 3
            %i: i32, %s: f32 = loop (%0, %x) force_unroll 0 cond (%i.2: i32, %s.2: f32) {
                %c: bool = lt %i.2, %3
                yield %c
            } body (%i.3: i32, %s.3: f32) {
                %y: f32 = convert %i.3
                %t: f32 = mul %s.3, %y
                %j: i32 = add %i.3, %1
                yield %j, %t
            }
            return %s
        }",
        &expect![[r#"
            func @f(%x: f32) -> (return: f32) {
              %0: i32 = const 0
              %1: i32 = const 1
              %y: f32 = convert %0
              %t: f32 = mul %x, %y
              %j: i32 = add %0, %1
              %y.2: f32 = convert %j
              %t.2: f32 = mul %t, %y.2
              %j.2: i32 = add %j, %1
              %y.3: f32 = convert %j.2
              %t.3: f32 = mul %t.2, %y.3
              return %t.3
            }
        "#]],
    );
}

#[test]
fn loops_that_cannot_unroll_say_why() {
    let failure = |attribute: &str, limit: &str, exit: &str| {
        let mut module = parse_module(&format!(
            "func @f(%c: bool, %n: i32) -> () {{
                %0: i32 = const 0
                %1: i32 = const 1
                %9: i32 = const 1000000
                %i: i32 = loop (%0) {attribute} cond (%2: i32) {{
                    %3: bool = lt %2, {limit}
                    yield %3
                }} body (%4: i32) {{
                    %5: i32 = add %4, %1
                    {exit}
                    yield %5
                }}
                return
            }}"
        ))
        .unwrap();
        verified(&module);
        let func = module.func_named("f").unwrap();
        unroll::unroll(&mut module, func).into_iter().map(|error| error.failure).collect::<Vec<_>>()
    };
    use unroll::UnrollFailure::*;
    assert_eq!(failure("force_unroll 0", "%n", ""), [UnknownTripCount]);
    assert_eq!(failure("force_unroll 0", "%1", "if %c { break %5 } else { yield }"), [LeavesEarly]);
    let trip_count = 1_000_000;
    assert_eq!(failure("force_unroll 4", "%9", ""), [MoreThanAllowed { trip_count, allowed: 4 }]);
    assert_eq!(failure("force_unroll 0", "%9", ""), [TooLarge { trip_count }]);
    assert_eq!(failure("", "%n", ""), []);
}

#[test]
fn calls_are_inlined() {
    let text = "
        func @square(%a: f32) -> (return: f32) { %b: f32 = mul %a, %a return %b }
        func @clamped(%a: f32) -> (return: f32) {
            %0: f32 = const 0
            %c: bool = lt %a, %0
            %r: f32 = if %c { yield %0 } else { %s: f32 = call @square(%a) yield %s }
            return %r
        }
        func @early(%c: bool) -> () { if %c { return } else { yield } return }
        func @endless(%x: f32) -> (return: f32) { %y: f32 = call @endless(%x) return %y }
        func @f(%x: f32, %c: bool) -> (a: f32, b: f32, c: f32) {
            %a: f32 = call @clamped(%x)
            %b: f32 = call no_diff @square(%a)
            %d: f32 = call @endless(%b)
            call @early(%c)
            return %a, %b, %d
        }";
    check_with(
        |module, func| inline::inline_calls(module, func, |_| true),
        false,
        text,
        &expect![[r#"
            func @f(%x: f32, %c: bool) -> (a: f32, b: f32, c: f32) {
              %0: f32 = const 0.0
              %c.2: bool = lt %x, %0
              %r: f32 = if %c.2 {
                yield %0
              } else {
                %b: f32 = mul %x, %x
                yield %b
              }
              %b.2: f32 = call no_diff @square(%r)
              %d: f32 = call @endless(%b.2)
              call @early(%c)
              return %r, %b.2, %d
            }
        "#]],
    );
}

#[test]
fn compaction_keeps_what_is_reachable() {
    let mut module = parse_module(
        "struct $Unused { x: f32 }
        struct $A { x: f32 } differential $D (0) dadd @add
        struct $D { x: f32 } differential $D (0)
        global @used: variable<$A> static @init
        global @unused: variable<$Unused> static
        global @kept: rwbuffer<f32> parameter
        func @unused_func(%u: $Unused) -> () { return }
        func @add(%a: $D, %b: $D) -> (return: $D) { return %a }
        func @init() -> (return: $A) { %a: $A = zero return %a }
        func @jvp(%x: f32, %x': f32) -> (a: f32, b: f32)
        func @callee(%x: f32 diff) -> (return: f32 diff) forward @jvp { return %x }
        func @root(%x: f32) -> (return: f32) {
            %u: variable<$A> = global @used
            %t: bool = const true
            %y: f32 = if %t {
                %z: f32 = call @callee(%x)
                yield %z
            } else {
                yield %x
            }
            return %y
        }
        func @main() -> () { return }
        entry main @main compute 1, 1, 1",
    )
    .unwrap();
    verified(&module);
    let root = module.func_named("root").unwrap();
    branches::resolve(&mut module, root);
    let compacted = compact::compact(&module, &[root], compact::Keep { rules: false });
    verified(&compacted.module);
    assert_eq!(compacted.module.funcs[compacted.funcs[&root]].name, "root");
    expect![[r#"
        struct $A { x: f32 } differential $D (0) dadd @add
        struct $D { x: f32 } differential $D (0)
        global @used: variable<$A> static @init
        global @kept: rwbuffer<f32> parameter

        func @add(%a: $D, %b: $D) -> (return: $D) {
          return %a
        }

        func @init() -> (return: $A) {
          %a: $A = zero
          return %a
        }

        func @callee(%x: f32 diff) -> (return: f32 diff) {
          return %x
        }

        func @root(%x: f32) -> (return: f32) {
          %u: variable<$A> = global @used
          %t: bool = const true
          %z: f32 = call @callee(%x)
          return %z
        }

        func @main() -> () {
          return
        }

        entry main @main compute 1, 1, 1
    "#]]
    .assert_eq(&print_module(&compacted.module));
    let with_rules = compact::compact(&module, &[root], compact::Keep { rules: true });
    assert!(with_rules.module.func_named("jvp").is_some());
    let again = compact::compact(&compacted.module, &[], compact::Keep { rules: false });
    assert!(again.module.func_named("root").is_none() && again.module.func_named("main").is_some());
}

#[test]
fn all_passes_together() {
    check_with(
        |module, func| {
            let before = print_func(module, func);
            simplify_func(module, func);
            print_func(module, func) != before
        },
        false,
        "struct $Pair { p: f32, d: f32 }
        func @f(%x: f32, %x': f32) -> (return: $Pair) {
            %1: $Pair = make(%x, %x')
            %2: f32 = extract %1[0]
            %3: f32 = extract %1[1]
            %one: f32 = const 1
            %4: f32 = mul %3, %one
            %5: f32 = sin(%2)
            %6: f32 = cos(%2)
            %7: f32 = mul %6, %4
            %t: bool = const true
            %f: bool = not %t
            %8: $Pair = if %f {
                yield %1
            } else {
                %9: f32 = cos(%x)
                %10: f32 = mul %9, %3
                %11: $Pair = make(%5, %10)
                yield %11
            }
            return %8
        }",
        &expect![[r#"
            func @f(%x: f32, %x': f32) -> (return: $Pair) {
              %0: f32 = sin(%x)
              %1: f32 = cos(%x)
              %2: f32 = mul %1, %x'
              %3: $Pair = make(%0, %2)
              return %3
            }
        "#]],
    );
}

/// As deep as the verifier allows, on the stack that threads of the compiler have.
#[test]
fn deep_nesting() {
    let thread = std::thread::Builder::new().stack_size(stack::SIZE).spawn(nested_as_deep_as_is_allowed);
    thread.expect("a thread starts").join().expect("nothing fails");
}

fn nested_as_deep_as_is_allowed() {
    let depth = crate::verify::MAX_REGION_DEPTH - 1;
    let mut text = "func @f(%c: bool, %x: f32) -> () {".to_owned();
    for level in 0..depth {
        text.push_str(&format!("if %c {{ %{level}: f32 = sin(%x) print \"%f\"(%{level}) "));
    }
    text.push_str(&"yield } else { yield } ".repeat(depth));
    text.push_str("return }");
    let mut module = parse_module(&text).unwrap();
    verified(&module);
    assert_eq!(print_module(&parse_module(&print_module(&module)).unwrap()), print_module(&module));
    let func = module.func_named("f").unwrap();
    simplify_func(&mut module, func);
    assert_eq!(unroll::unroll(&mut module, func), []);
    inline::inline_calls(&mut module, func, |_| true);
    verified(&module);
    let compacted = compact::compact(&module, &[func], compact::Keep { rules: true });
    verified(&compacted.module);
    assert_eq!(print_module(&compacted.module).matches("if %c").count(), depth);
}

#[test]
fn ways_out_at_the_start_of_a_body_are_conditions() {
    check_with(
        |module, func| match leading_exit::moved(&module.types, &module.funcs[func]) {
            Some(moved) => {
                module.funcs[func] = moved;
                true
            }
            None => false,
        },
        true,
        "func @f(%n: i32, %x: f32) -> (i: i32, s: f32) {
            %0: i32 = const 0
            %1: i32 = const 1
            %yes: bool = const true
            %i: i32, %s: f32 = loop (%0, %x) cond (%2: i32, %3: f32) { yield %yes } body (%4: i32, %5: f32) {
                %6: i32 = add %4, %1
                %7: bool = ge %6, %n
                if %7 { break %4, %5 } else { yield }
                %8: f32 = mul %5, %5
                yield %6, %8
            }
            %j: i32, %t: f32 = loop (%i, %s) cond (%9: i32, %10: f32) {
                %11: bool = lt %9, %n
                yield %11
            } body (%12: i32, %13: f32) {
                %14: bool = lt %13, %x
                %15: i32, %16: f32 = if %14 {
                    %17: f32 = mul %13, %x
                    %18: i32 = add %12, %1
                    yield %18, %17
                } else { break %12, %13 }
                %19: f32 = add %16, %13
                yield %15, %19
            }
            return %j, %t
        }",
        &expect![[r#"
            func @f(%n: i32, %x: f32) -> (i: i32, s: f32) {
              %0: i32 = const 0
              %1: i32 = const 1
              %i: i32, %s: f32 = loop (%0, %x) cond (%2: i32, %3: f32) {
                %4: i32 = add %2, %1
                %5: bool = lt %4, %n
                yield %5
              } body (%6: i32, %7: f32) {
                %8: i32 = add %6, %1
                %9: f32 = mul %7, %7
                yield %8, %9
              }
              %j: i32, %t: f32 = loop (%i, %s) cond (%10: i32, %11: f32) {
                %12: bool = lt %10, %n
                %13: bool = if %12 {
                  %14: bool = lt %11, %x
                  yield %14
                } else {
                  %15: bool = const false
                  yield %15
                }
                yield %13
              } body (%16: i32, %17: f32) {
                %18: f32 = mul %17, %x
                %19: i32 = add %16, %1
                %20: f32 = add %18, %17
                yield %19, %20
              }
              return %j, %t
            }
        "#]],
    );
}

/// As the derivative of `normalize` divides; the same with operands that are chosen otherwise, which stays.
#[test]
fn quotients_are_guarded_once() {
    check_with(
        guarded_quotients::merge,
        true,
        "func @f(%a: f32, %b: f32, %c: bool, %d: bool) -> (x: f32, y: f32, z: f32) {
             %zero: f32 = const 0
             %one: f32 = const 1
             %0: f32 = select %c, %zero, %a
             %1: f32 = select %c, %one, %b
             %2: f32 = select %d, %one, %b
             %3: f32 = select %c, %zero, %b
             %x: f32 = div %0, %1
             %y: f32 = div %0, %2
             %z: f32 = div %0, %3
             return %x, %y, %z
         }",
        &expect![[r#"
            func @f(%a: f32, %b: f32, %c: bool, %d: bool) -> (x: f32, y: f32, z: f32) {
              %zero: f32 = const 0.0
              %one: f32 = const 1.0
              %0: f32 = select %c, %zero, %a
              %1: f32 = select %d, %one, %b
              %2: f32 = select %c, %zero, %b
              %3: f32 = div %a, %b
              %x: f32 = select %c, %zero, %3
              %y: f32 = div %0, %1
              %z: f32 = div %0, %2
              return %x, %y, %z
            }
        "#]],
    );
}

/// As loops with a way out end; the same with a read that may be out of bounds, which stays behind the condition.
#[test]
fn conditions_are_joined() {
    check_with(
        conditions::join,
        true,
        "func @f(%a: [f32; 4], %b: bool, %i: i32, %n: i32) -> (x: bool, y: bool, z: bool) {
             %true: bool = const true
             %false: bool = const false
             %x: bool = if %b {
               %0: bool = lt %i, %n
               %1: bool = if %0 {
                 yield %true
               } else {
                 %2: bool = eq %n, %i
                 yield %2
               }
               yield %1
             } else {
               yield %false
             }
             %y: bool = if %b {
               %3: f32 = extract %a[%i]
               %zero: f32 = const 0
               %4: bool = lt %3, %zero
               yield %4
             } else {
               yield %false
             }
             %z: bool = if %b {
               yield %false
             } else {
               yield %true
             }
             return %x, %y, %z
         }",
        &expect![[r#"
            func @f(%a: [f32; 4], %b: bool, %i: i32, %n: i32) -> (x: bool, y: bool, z: bool) {
              %true: bool = const true
              %false: bool = const false
              %0: bool = lt %i, %n
              %1: bool = eq %n, %i
              %2: bool = or %0, %1
              %x: bool = and %b, %2
              %y: bool = if %b {
                %3: f32 = extract %a[%i]
                %zero: f32 = const 0.0
                %4: bool = lt %3, %zero
                yield %4
              } else {
                yield %false
              }
              %z: bool = if %b {
                yield %false
              } else {
                yield %true
              }
              return %x, %y, %z
            }
        "#]],
    );
}
