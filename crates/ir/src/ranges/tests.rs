//! What is found in IR text. That no bound is less than what running a loop gives is tested where loops can be run, in
//! `interp`.

use super::{Interval, Ranges, TripCount};
use crate::{Module, Op, OpId, parse::parse_module, verify};

fn parsed(text: &str) -> Module {
    let module = parse_module(text).unwrap();
    if let Err(errors) = verify::verify(&module) {
        panic!("{}", verify::describe(&module, &errors));
    }
    module
}

fn exactly(at_most: u32) -> Option<TripCount> {
    Some(TripCount { at_most, exact: true })
}

fn at_most(at_most: u32) -> Option<TripCount> {
    Some(TripCount { at_most, exact: false })
}

/// The counts of the loops of a function, in the order of the text.
fn counts(text: &str) -> Vec<Option<TripCount>> {
    let module = parsed(text);
    let func = &module.funcs[module.func_named("f").unwrap()];
    let ranges = Ranges::new(&module.types, &module.funcs, func);
    let mut loops: Vec<OpId> =
        func.ops.iter().filter(|(_, data)| matches!(data.op, Op::Loop { .. })).map(|(op, _)| op).collect();
    // The text's order is that of the bodies' parameters.
    loops.sort_by_key(|&op| match &func.ops[op].op {
        Op::Loop { cond, .. } => func.regions[*cond].params.first().copied(),
        _ => None,
    });
    loops.into_iter().map(|op| ranges.trip_count(op)).collect()
}

/// The count of `for (T i = start; test; i = next)`; `%i` is the counter, `%n` and `%m` are inputs of type `T`, `%c` is a
/// condition, and the numbers from -9 to 99 are there by name: `%k4`, `%m1`.
fn count_for(ty: &str, start: &str, test: &str, next: &str) -> Option<TripCount> {
    let mut constants = String::new();
    for number in test.split_whitespace().chain(next.split_whitespace()).chain(start.split_whitespace()) {
        let name = number.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let value = match (name.strip_prefix('k'), name.strip_prefix('m')) {
            (Some(value), _) => value.to_string(),
            (_, Some(value)) => format!("-{value}"),
            _ => continue,
        };
        let line = format!("%{name}: {ty} = const {value}\n");
        if value.trim_start_matches('-').parse::<u32>().is_ok() && !constants.contains(&line) {
            constants += &line;
        }
    }
    counts(&format!(
        "func @f(%n: {ty}, %c: bool) -> () {{
            {constants}
            %start: {ty} = {start}
            %end: {ty} = loop (%start) cond (%i: {ty}) {{
                {test}
                yield %t
            }} body (%j: {ty}) {{
                {next}
                yield %next
            }}
            return
        }}"
    ))
    .remove(0)
}

#[test]
fn counters_and_limits() {
    let up = "%next: i32 = add %j, %k1";
    let count = |start: &str, test: &str, next: &str| count_for("i32", start, test, next);
    assert_eq!(count("sub %k5, %k1", "%t: bool = ge %i, %k0", "%next: i32 = sub %j, %k1"), exactly(5));
    assert_eq!(count("add %k0, %k0", "%l: i32 = mul %k4, %k2 %t: bool = lt %i, %l", up), exactly(8));
    assert_eq!(count("add %k0, %k0", "%l: i32 = min(%n, %k4) %t: bool = lt %i, %l", up), at_most(4));
    assert_eq!(count("add %k0, %k0", "%l: i32 = clamp(%n, %k2, %k6) %t: bool = le %i, %l", up), at_most(7));
    assert_eq!(count("add %k0, %k0", "%l: i32 = and %n, %k7 %t: bool = lt %i, %l", up), at_most(7));
    assert_eq!(count("add %k0, %k0", "%l: i32 = rem %n, %k5 %t: bool = lt %i, %l", up), at_most(4));
    assert_eq!(count("add %k0, %k0", "%l: bool = lt %i, %k4 %t: bool = and %l, %c", up), at_most(4));
    assert_eq!(count("add %k0, %k0", "%t: bool = ne %i, %k6", "%next: i32 = add %j, %k2"), exactly(3));
    assert_eq!(count("add %k0, %k0", "%t: bool = ne %i, %k6", "%next: i32 = add %j, %k4"), None);
    // Nothing says how large `n` is.
    assert_eq!(count("add %k0, %k0", "%t: bool = lt %i, %n", up), None);
    // It may be the largest number of all.
    assert_eq!(count("min(%n, %k4)", "%t: bool = le %i, %n", up), None);
    assert_eq!(count("add %k0, %k0", "%t: bool = ge %i, %k0", up), None);
}

/// What is compared may be made of the counter.
#[test]
fn expressions_of_counters() {
    let up = "%next: i32 = add %j, %k1";
    let count = |start: &str, test: &str, next: &str| count_for("i32", start, test, next);
    assert_eq!(count("add %k0, %k0", "%l: i32 = mul %i, %k2 %t: bool = lt %l, %k7", up), exactly(4));
    assert_eq!(count("add %k0, %k0", "%l: i32 = mul %k3, %i %t: bool = le %l, %k9", up), exactly(4));
    assert_eq!(count("add %k2, %k0", "%l: i32 = mul %i, %i %t: bool = le %l, %k50", up), exactly(6));
    assert_eq!(count("add %k0, %k0", "%l: i32 = shl %i, %k1 %t: bool = lt %l, %k7", up), exactly(4));
    assert_eq!(
        count("add %k8, %k0", "%l: i32 = div %i, %k2 %t: bool = gt %l, %k0", "%next: i32 = sub %j, %k1"),
        exactly(7)
    );
    assert_eq!(
        count("add %k8, %k0", "%l: i32 = shr %i, %k1 %t: bool = ge %l, %k1", "%next: i32 = sub %j, %k1"),
        exactly(7)
    );
    assert_eq!(count("add %k0, %k0", "%l: i32 = sub %k9, %i %t: bool = gt %l, %k3", up), exactly(6));
    assert_eq!(count("add %k0, %k0", "%l: i32 = neg %i %t: bool = gt %l, %m5", up), exactly(5));
    assert_eq!(
        count("add %k0, %k0", "%m: i32 = clamp(%n, %k2, %k6) %l: i32 = mul %i, %m %t: bool = lt %l, %k9", up),
        at_most(5)
    );
    // The factor may be zero, and a product may wrap.
    assert_eq!(
        count("add %k0, %k0", "%m: i32 = clamp(%n, %k0, %k6) %l: i32 = mul %i, %m %t: bool = lt %l, %k9", up),
        None
    );
    assert_eq!(count("add %k0, %k0", "%l: i32 = mul %i, %n %t: bool = lt %l, %k9", up), None);
}

/// A way out that compares what the counter was before it moved.
#[test]
fn a_counter_that_is_tested_after_it_moved() {
    let text = |test: &str| {
        format!(
            "func @f(%x: f32) -> () {{
                %k0: i32 = const 0
                %k1: i32 = const 1
                %k8: i32 = const 8
                %e: f32 = const 1.0
                %end: i32 = loop (%k0) cond (%i: i32) {{
                    %t: bool = gt %x, %e
                    yield %t
                }} body (%j: i32) {{
                    %next: i32 = add %j, %k1
                    {test}
                    if %b {{
                        break %next
                    }} else {{
                        yield
                    }}
                    yield %next
                }}
                return
            }}"
        )
    };
    assert_eq!(counts(&text("%b: bool = gt %j, %k8")), [at_most(10)]);
    assert_eq!(counts(&text("%b: bool = gt %next, %k8")), [at_most(9)]);
}

#[test]
fn counters_that_are_halved_and_doubled() {
    let count = |ty: &str, start: &str, test: &str, next: &str| count_for(ty, start, test, next);
    assert_eq!(count("i32", "and %n, %k31", "%t: bool = gt %i, %k0", "%next: i32 = shr %j, %k1"), at_most(5));
    assert_eq!(count("i32", "and %n, %k31", "%t: bool = gt %i, %k1", "%next: i32 = div %j, %k2"), at_most(4));
    assert_eq!(count("i32", "add %k1, %k0", "%t: bool = lt %i, %k64", "%next: i32 = shl %j, %k1"), exactly(6));
    assert_eq!(count("u32", "add %k1, %k0", "%t: bool = le %i, %k64", "%next: u32 = mul %j, %k4"), exactly(4));
    // Zero stays zero.
    assert_eq!(count("i32", "add %k0, %k0", "%t: bool = lt %i, %k64", "%next: i32 = mul %j, %k2"), None);
    assert_eq!(count("i32", "and %n, %k31", "%t: bool = ge %i, %k0", "%next: i32 = shr %j, %k1"), None);
    // Each iteration clears a bit.
    let clear = "%l: u32 = sub %j, %k1 %next: u32 = and %j, %l";
    assert_eq!(count("u32", "and %n, %k7", "%t: bool = ne %i, %k0", clear), at_most(3));
}

#[test]
fn windows_around_a_value() {
    let count = |start: &str, test: &str| count_for("i32", start, test, "%next: i32 = add %j, %k1");
    assert_eq!(count("sub %n, %k2", "%l: i32 = add %n, %k2 %t: bool = lt %i, %l"), at_most(4));
    // A limit that is the last number ends no loop, so that one with another way out could go on.
    assert_eq!(count("sub %n, %k2", "%l: i32 = add %n, %k2 %t: bool = le %i, %l"), at_most(5));
    let test = "%l: i32 = add %n, %k2 %s: bool = le %i, %l %t: bool = and %s, %c";
    assert_eq!(count("sub %n, %k2", test), None);
    // The window might be all the others.
    assert_eq!(count("add %n, %k2", "%t: bool = lt %i, %n"), None);
}

#[test]
fn floats_that_count_are_run() {
    let count = |start: &str, limit: &str, op: &str, step: &str| {
        counts(&format!(
            "func @f(%x: f32) -> () {{
                %s: f32 = const {start} %l: f32 = const {limit} %d: f32 = const {step}
                %end: f32 = loop (%s) cond (%i: f32) {{ %t: bool = lt %i, %l yield %t }}
                body (%j: f32) {{ %next: f32 = {op} %j, %d yield %next }}
                return
            }}"
        ))
        .remove(0)
    };
    assert_eq!(count("0", "1", "add", "0.25"), exactly(4));
    // Ten times 0.1 is more than 1 in single precision, and less in double precision.
    let runs = |step: f64, round: fn(f64) -> f64| {
        let sums = std::iter::successors(Some(0.0), |sum| Some(round(sum + round(step))));
        sums.take_while(|sum| *sum < 1.0).count()
    };
    let single = |value: f64| f64::from(value as f32);
    assert_eq!((runs(0.1, single), runs(0.1, |value| value)), (10, 11));
    assert_eq!(count("0", "1", "add", "0.1"), at_most(11));
    // What no rounding changes.
    assert_eq!(count("0", "1", "add", "0.3"), exactly(4));
    assert_eq!(count("1", "100", "mul", "2"), exactly(7));
    // It stands still where the step is less than half a digit.
    assert_eq!(count("16777216", "16777300", "add", "0.5"), None);
    assert_eq!(count("0", "1", "add", "-0.5"), None);
}

/// Whatever starts from constants is run, with the numbers of integers in Rust.
#[test]
fn tests_that_no_other_way_understands_are_run() {
    let count = |start: &str, test: &str, next: &str| count_for("i32", start, test, next);
    let runs = |start: i32, test: fn(i32) -> bool, next: fn(i32) -> i32| {
        let run = std::iter::successors(Some(start), |i| Some(next(*i))).take_while(|i| test(*i)).count();
        exactly(u32::try_from(run).unwrap())
    };
    let (zero, up) = ("add %k0, %k0", "%next: i32 = add %j, %k1");
    let shifted = "%p: i32 = shl %k1, %i %t: bool = lt %p, %k32";
    assert_eq!(count(zero, shifted, up), runs(0, |i| 1 << i < 32, |i| i + 1));
    let squares = "%p: i32 = mul %i, %i %t: bool = lt %p, %k50";
    assert_eq!(count(zero, squares, up), runs(0, |i| i * i < 50, |i| i + 1));
    let remainder = "%p: u32 = rem %i, %k7 %t: bool = ne %p, %k0";
    let sequence = "%q: u32 = mul %j, %k5 %next: u32 = add %q, %k3";
    let wrapping = std::iter::successors(Some(1_u32), |i| Some(i.wrapping_mul(5).wrapping_add(3)));
    let steps = wrapping.take_while(|i| i % 7 != 0).count();
    assert_eq!(count_for("u32", "add %k0, %k1", remainder, sequence), exactly(u32::try_from(steps).unwrap()));
    // Signed numbers that wrap may become anything.
    assert_eq!(count("add %k0, %k1", &remainder.replace("u32", "i32"), &sequence.replace("u32", "i32")), None);
    let as_float = "%p: f32 = convert %i %l: f32 = const 4.5 %t: bool = lt %p, %l";
    assert_eq!(count(zero, as_float, up), exactly(5));
    // One that never ends.
    assert_eq!(count("add %k0, %k1", "%p: i32 = rem %i, %k2 %t: bool = ne %p, %k0", "%next: i32 = add %j, %k2"), None);
}

#[test]
fn how_often_a_loop_runs_may_depend_on_how_its_floats_are_rounded() {
    let count = |scalar: &str, test: &str| {
        counts(&format!(
            "func @f(%x: f32) -> () {{
                %s: {scalar} = zero %d: {scalar} = const 0.9 %e: {scalar} = const 0.1 %l: {scalar} = const {test}
                %end: {scalar} = loop (%s) cond (%i: {scalar}) {{ %t: bool = lt %i, %l yield %t }}
                body (%j: {scalar}) {{ %m: {scalar} = mul %j, %d %next: {scalar} = add %m, %e yield %next }}
                return
            }}"
        ))
        .remove(0)
    };
    // `0.9^n <= 0.25` from 14 on, wherever it is rounded.
    assert_eq!(count("f32", "0.75"), exactly(14));
    assert_eq!(count("f64", "0.75"), exactly(14));
    // Near where the loop would stand still, the product and the sum in one rounding take two iterations more than in two
    // (133 instead of 131).
    for scalar in ["f32", "f16"] {
        assert_eq!(count(scalar, "0.999999"), None);
    }
    // `0.9^n <= 1e-6` from 132 on.
    assert_eq!(count("f64", "0.999999"), exactly(132));
}

#[test]
fn inner_loops_are_bounded_by_outer_counters() {
    let text = "func @f(%c: bool) -> () {
        %0: i32 = const 0 %1: i32 = const 1 %4: i32 = const 4
        %i: i32 = loop (%0) cond (%2: i32) { %3: bool = lt %2, %4 yield %3 } body (%5: i32) {
            %j: i32 = loop (%0) cond (%6: i32) { %7: bool = lt %6, %5 yield %7 } body (%8: i32) {
                %9: i32 = add %8, %1
                yield %9
            }
            %k: i32 = loop (%5) cond (%10: i32) { %11: bool = lt %10, %4 yield %11 } body (%12: i32) {
                %13: i32 = add %12, %1
                yield %13
            }
            %14: i32 = add %5, %1
            yield %14
        }
        return
    }";
    assert_eq!(counts(text), [exactly(4), at_most(3), at_most(4)]);
}

#[test]
fn counters_in_structs() {
    let text = "struct $S { i: i32, x: f32 } func @f(%x: f32) -> () {
        %0: i32 = const 0 %1: i32 = const 1 %4: i32 = const 4
        %s: $S = make(%0, %x)
        %end: $S = loop (%s) cond (%2: $S) { %i: i32 = extract %2[0] %3: bool = lt %i, %4 yield %3 } body (%5: $S) {
            %6: i32 = extract %5[0]
            %7: i32 = add %6, %1
            %8: $S = insert %5[0], %7
            yield %8
        }
        return
    }";
    assert_eq!(counts(text), [exactly(4)]);
}

#[test]
fn conditions_that_are_carried() {
    // `while (n-- > 0)` and `do … while (i < 6)`.
    let text = "func @f(%x: i32) -> () {
        %0: i32 = const 0 %1: i32 = const 1 %4: i32 = const 4 %6: i32 = const 6 %yes: bool = const true
        %n: i32 = min(%x, %4)
        %go: bool = gt %n, %0
        %n1: i32 = sub %n, %1
        %r: bool, %s: i32 = loop (%go, %n1) cond (%2: bool, %3: i32) { yield %2 } body (%5: bool, %7: i32) {
            %8: bool = gt %7, %0
            %9: i32 = sub %7, %1
            yield %8, %9
        }
        %t: bool, %u: i32 = loop (%yes, %0) cond (%10: bool, %11: i32) { yield %10 } body (%12: bool, %13: i32) {
            %14: i32 = add %13, %1
            %15: bool = lt %14, %6
            yield %15, %14
        }
        return
    }";
    assert_eq!(counts(text), [at_most(4), exactly(6)]);
}

#[test]
fn ways_out_and_conditions_around() {
    let text = |test: &str, body: &str| {
        format!(
            "func @f(%n: i32, %c: bool) -> () {{
                %0: i32 = const 0 %1: i32 = const 1 %2: i32 = const 2 %4: i32 = const 4 %yes: bool = const true
                %small: bool = le %n, %4
                if %small {{
                    %i: i32 = loop (%0) cond (%3: i32) {{ {test} yield %t }} body (%5: i32) {{ {body} }}
                    yield
                }} else {{ yield }}
                return
            }}"
        )
    };
    let up = "%6: i32 = add %5, %1";
    let limited = "%t: bool = lt %3, %n";
    assert_eq!(counts(&text(limited, &format!("{up} yield %6"))), [at_most(4)]);
    let endless = "%t: bool = ge %3, %0";
    let out = format!("%7: bool = ge %5, %4 if %7 {{ break %5 }} else {{ yield }} {up} yield %6");
    // The fifth iteration is the one that ends.
    assert_eq!(counts(&text(endless, &out)), [at_most(5)]);
    let one_or_two =
        "%6: i32 = if %c { %7: i32 = add %5, %1 yield %7 } else { %8: i32 = add %5, %2 yield %8 } yield %6";
    assert_eq!(counts(&text(limited, one_or_two)), [at_most(4)]);
    let stays = format!("if %c {{ continue %5 }} else {{ yield }} {up} yield %6");
    assert_eq!(counts(&text(limited, &stays)), [None]);
    let goes_on = format!("{up} if %c {{ continue %6 }} else {{ yield }} yield %6");
    assert_eq!(counts(&text(limited, &goes_on)), [at_most(4)]);
}

#[test]
fn cases_bound_their_selector() {
    let count = |case: i32| {
        counts(&format!(
            "func @f(%n: u32) -> () {{
                %0: u32 = const 0 %1: u32 = const 1
                switch %n case 3, {case} {{
                    %i: u32 = loop (%0) cond (%2: u32) {{ %3: bool = lt %2, %n yield %3 }} body (%4: u32) {{
                        %5: u32 = add %4, %1
                        yield %5
                    }}
                    yield
                }} default {{ yield }}
                return
            }}"
        ))
        .remove(0)
    };
    assert_eq!(count(5), at_most(5));
    // It is the largest number without its sign.
    assert_eq!(count(-1), None);
}

#[test]
fn ranges_of_values() {
    let module = parsed(
        "func @f(%n: i32, %u: u8, %c: bool) -> () {
            %0: i32 = const 0 %1: i32 = const 1 %4: i32 = const 4 %100: u8 = const 100
            %small: i32 = clamp(%n, %0, %4)
            %twice: i32 = add %small, %small
            %chosen: i32 = select %c, %twice, %1
            %wraps: u8 = add %u, %100
            %less: bool = lt %n, %4
            %least: i32 = select %less, %n, %4
            %end: i32 = loop (%0) cond (%2: i32) { %3: bool = lt %2, %4 yield %3 } body (%inside: i32) {
                %next: i32 = add %inside, %1
                yield %next
            }
            return
        }",
    );
    let func = &module.funcs[module.func_named("f").unwrap()];
    let ranges = Ranges::new(&module.types, &module.funcs, func);
    let named = |name: &str| {
        let value = func.values.iter().find(|(_, value)| value.name.as_deref() == Some(name)).unwrap().0;
        ranges.of(value).unwrap()
    };
    assert_eq!(named("twice"), Interval::new(0, 8));
    assert_eq!(named("chosen"), Interval::new(0, 8));
    assert_eq!(named("wraps"), Interval::new(0, 255));
    assert_eq!(named("least"), Interval::new(i32::MIN.into(), 4));
    assert_eq!(named("inside"), Interval::new(0, 3));
    assert_eq!(named("next"), Interval::new(1, 4));
    assert_eq!(named("end"), Interval::only(4));
}

#[test]
fn deep_nests_take_no_longer_than_they_are_long() {
    let mut text = String::from("func @f(%n: i32) -> () { %0: i32 = const 0 %1: i32 = const 1 %8: i32 = const 8\n");
    for depth in 0..100 {
        text += &format!(
            "%r{depth}: i32 = loop (%0) cond (%a{depth}: i32) {{ %t{depth}: bool = lt %a{depth}, %8 yield %t{depth} }} \
             body (%b{depth}: i32) {{\n"
        );
    }
    for depth in (0..100).rev() {
        text += &format!("%c{depth}: i32 = add %b{depth}, %1 yield %c{depth} }}\n");
    }
    let counts = counts(&format!("{text} return }}"));
    assert_eq!(counts, vec![exactly(8); 100]);
}

/// `for (T i = start; i op limit; i += step)`: the count is checked against running the loop here.
fn count_of(ty: &str, start: i64, op: &str, limit: i64, step: i64) -> Option<TripCount> {
    let module = parsed(&format!(
        "func @f() -> () {{
            %start: {ty} = const {start}
            %limit: {ty} = const {limit}
            %step: {ty} = const {step}
            %i: {ty} = loop (%start) cond (%1: {ty}) {{
                %2: bool = {op} %1, %limit
                yield %2
            }} body (%3: {ty}) {{
                %4: {ty} = add %3, %step
                yield %4
            }}
            return
        }}"
    ));
    let func = &module.funcs[module.func_named("f").unwrap()];
    let loop_op = func.regions[func.body.unwrap()].ops[3];
    Ranges::new(&module.types, &module.funcs, func).trip_count(loop_op)
}

/// The trip count of the only loop of `body`, which is also the function's first operation after `constants` others.
fn count_in(body: &str, constants: usize) -> Option<TripCount> {
    let module = parsed(&format!("func @f(%c: bool) -> () {{ {body} return }}"));
    let func = &module.funcs[module.func_named("f").unwrap()];
    Ranges::new(&module.types, &module.funcs, func).trip_count(func.regions[func.body.unwrap()].ops[constants])
}

#[test]
fn a_body_that_always_leaves_runs_once() {
    let count = count_in(
        "%i: i32 = loop (%0) cond (%1: i32) { yield %c } body (%2: i32) { if %c { break %2 } else { break %2 } unreachable }"
            .replace("%i:", "%0: i32 = const 0 %i:")
            .as_str(),
        1,
    );
    assert_eq!(count, Some(TripCount { at_most: 1, exact: false }));
}

#[test]
fn a_counter_may_be_converted_for_the_comparison() {
    let count = |start: i64, limit: &str| {
        count_in(
            &format!(
                "%start: i32 = const {start} %step: i32 = const 1 %limit: u32 = const {limit}
                %i: i32 = loop (%start) cond (%1: i32) {{
                    %2: u32 = convert %1
                    %3: bool = lt %2, %limit
                    yield %3
                }} body (%4: i32) {{ %5: i32 = add %4, %step yield %5 }}"
            ),
            3,
        )
    };
    assert_eq!(count(2, "7"), Some(TripCount { at_most: 5, exact: true }));
    // -1 is a large number without its sign, and the counter does not reach 3,000,000,000.
    assert_eq!(count(-1, "7"), Some(TripCount { at_most: 0, exact: true }));
    assert_eq!(count(0, "3000000000"), None);
}

#[test]
fn trip_counts_are_those_of_running_the_loop() {
    for start in -5..=5i64 {
        for limit in -5..=5 {
            for step in -3..=3 {
                for op in ["lt", "le", "gt", "ge", "ne", "eq"] {
                    let goes_on = |i: i64| match op {
                        "lt" => i < limit,
                        "le" => i <= limit,
                        "gt" => i > limit,
                        "ge" => i >= limit,
                        "ne" => i != limit,
                        _ => i == limit,
                    };
                    // In 8 bits a counter that runs away wraps after less than 256 steps; such loops are not counted.
                    let mut i = start;
                    let mut count = Some(0u32);
                    while goes_on(i) {
                        i += step;
                        count = count.map(|count| count + 1).filter(|_| step != 0 && i8::try_from(i).is_ok());
                        if count.is_none() {
                            break;
                        }
                    }
                    let found = count_of("i8", start, op, limit, step);
                    let expected = count.map(|at_most| TripCount { at_most, exact: true });
                    assert_eq!(found, expected, "from {start} while {op} {limit} step {step}");
                }
            }
        }
    }
}

#[test]
fn counters_that_wrap_are_not_counted() {
    assert_eq!(count_of("u8", 0, "le", 255, 1), None);
    assert_eq!(count_of("i32", 0, "lt", i32::MAX.into(), 2), None);
    assert_eq!(count_of("u32", 0, "lt", u32::MAX.into(), 1).unwrap().at_most, u32::MAX);
    assert_eq!(count_of("u64", 0, "lt", -1, 1), None);
}

/// A search between 0 and 40 that a condition takes up or down.
fn count_search(ty: &str, test: &str, middle: &str, up: &str, down: &str) -> Option<TripCount> {
    let text = format!(
        "func @f(%c: bool) -> (low: {ty}, high: {ty}) {{
           %k0: {ty} = const 0
           %k1: {ty} = const 1
           %k2: {ty} = const 2
           %k40: {ty} = const 40
           %low_end: {ty}, %high_end: {ty} = loop (%k0, %k40) cond (%lowc: {ty}, %highc: {ty}) {{
             {test}
             yield %t
           }} body (%low: {ty}, %high: {ty}) {{
             {middle}
             %up: {ty} = {up}
             %down: {ty} = {down}
             %nlow: {ty}, %nhigh: {ty} = if %c {{ yield %up, %high }} else {{ yield %low, %down }}
             yield %nlow, %nhigh
           }}
           return %low_end, %high_end
         }}"
    );
    counts(&text)[0]
}

/// The most steps of a search, by trying all of them.
fn steps_of_search(goes_on: fn(i64, i64) -> bool, low: i64, high: i64, up: i64, down: i64) -> u32 {
    if !goes_on(low, high) {
        return 0;
    }
    let middle = (low + high) / 2;
    let rest = |low, high| steps_of_search(goes_on, low, high, up, down);
    1 + rest(middle + up, high).max(rest(low, middle - down))
}

#[test]
fn searches_that_halve() {
    let sum = "%s: T = add %low, %high  %m: T = div %s, %k2";
    let shifted = "%s: T = add %high, %low  %m: T = shr %s, %k1";
    let distance = "%d: T = sub %high, %low  %h: T = div %d, %k2  %m: T = add %low, %h";
    let below = "%t: bool = lt %lowc, %highc";
    let not_above = "%t: bool = ge %highc, %lowc";
    let between = "%d0: T = sub %highc, %lowc  %t: bool = gt %d0, %k1";
    let (stay, next, before) = ("add %m, %k0", "add %m, %k1", "sub %m, %k1");
    for (test, goes_on, up, down) in [
        (below, (|low, high| low < high) as fn(i64, i64) -> bool, 1, 0),
        (not_above, |low, high| low <= high, 1, 1),
        (between, |low, high| high - low > 1, 0, 0),
        (below, |low, high| low < high, 1, 1),
    ] {
        let most = steps_of_search(goes_on, 0, 40, up, down);
        for middle in [sum, shifted, distance] {
            let by = |by: i64, other| if by == 0 { stay } else { other };
            let of = |ty: &str| {
                let (test, middle) = (test.replace('T', ty), middle.replace('T', ty));
                count_search(ty, &test, &middle, by(up, next), by(down, before))
            };
            // As many iterations as 40 or 41 have binary digits, and no fewer than a search can make.
            assert!(most <= 6, "{most}");
            assert_eq!(of("i32"), at_most(6), "{test} {middle} {up} {down}");
            // An unsigned number below zero is the largest one.
            assert_eq!(of("u32"), if down == 0 { at_most(6) } else { None }, "{test} {middle} {up} {down}");
        }
    }
    // Those that may stand still, run away or leave what they search have no bound.
    let sum = sum.replace('T', "i32");
    for (test, up, down) in [
        (below, stay, stay),
        (not_above, next, stay),
        (not_above, stay, before),
        (below, "add %low, %k1", "add %m, %k2"),
        (below, "add %m, %k40", stay),
    ] {
        assert_eq!(count_search("i32", test, &sum, up, down), None, "{test} {up} {down}");
    }
    // 200 + 200 is not a number of the type.
    let small = count_search("i8", below, "%s: i8 = add %low, %high  %m: i8 = div %s, %k2", next, stay);
    assert_eq!(small, at_most(6));
}

/// The range of `int(x)` for a float that is made so from inputs `%x` and `%y`.
fn integer_of(made: &str) -> Option<Interval> {
    let text = format!(
        "func @f(%x: f32, %y: f32) -> (return: i32) {{
           %zero: f32 = const 0.0
           %eight: f32 = const 8.0
           %ten: f32 = const 10.0
           {made}
           %i: i32 = convert %v
           return %i
         }}"
    );
    let module = parsed(&text);
    let func = &module.funcs[module.func_named("f").unwrap()];
    let (_, converted) = func.ops.iter().find(|(_, data)| matches!(data.op, Op::Convert(_))).unwrap();
    Ranges::new(&module.types, &module.funcs, func).of(converted.results[0])
}

#[test]
fn integers_of_floats() {
    let whole = Interval::of_type(crate::Scalar::I32);
    for (made, expected) in [
        ("%s: f32 = saturate(%x)  %v: f32 = mul %s, %eight", Some(Interval::new(0, 8))),
        ("%v: f32 = clamp(%x, %zero, %ten)", Some(Interval::new(0, 10))),
        ("%a: f32 = abs(%x)  %v: f32 = min(%a, %eight)", Some(Interval::new(0, 8))),
        ("%n: f32 = neg %eight  %a: f32 = max(%x, %n)  %v: f32 = min(%a, %ten)", Some(Interval::new(-8, 10))),
        ("%s: f32 = sin(%x)  %t: f32 = mul %s, %ten  %v: f32 = ceil(%t)", Some(Interval::new(-10, 11))),
        ("%s: f32 = frac(%x)  %t: f32 = sub %s, %ten  %v: f32 = floor(%t)", Some(Interval::new(-11, 0))),
        (
            "%w: f32x2 = make(%x, %y)  %z: f32x2 = splat %zero  %h: f32x2 = make(%eight, %ten)
             %c: f32x2 = clamp(%w, %z, %h)  %v: f32 = extract %c[1]",
            Some(Interval::new(0, 10)),
        ),
        (
            "%w: f32x2 = make(%x, %y)  %s: f32x2 = saturate(%w)  %t: f32x2 = swizzle %s[1, 0]
             %h: f32x2 = make(%eight, %ten)  %p: f32x2 = mul %t, %h  %v: f32 = extract %p[0]",
            Some(Interval::new(0, 8)),
        ),
        // Made of all components, not of one.
        ("%w: f32x2 = make(%x, %y)  %s: f32x2 = saturate(%w)  %v: f32 = dot(%s, %s)", whole),
        ("%v: f32 = mul %x, %eight", whole),
        ("%v: f32 = min(%x, %eight)", whole),
        // If the first one is NaN, the result may be the second one.
        ("%s: f32 = frac(%x)  %v: f32 = min(%s, %y)", whole),
        ("%s: f32 = saturate(%x)  %v: f32 = div %ten, %s", whole),
        // A half of more than 65504 is infinite.
        ("%h: f16 = const 60000  %v: f16 = add %h, %h", whole),
    ] {
        assert_eq!(integer_of(made), expected, "{made}");
    }
}

#[test]
fn the_greatest_common_divisor() {
    let count = |ty: &str, limit: &str, test: &str| {
        counts(&format!(
            "func @f(%n: {ty}, %m: {ty}) -> () {{
                %zero: {ty} = const 0 %limit: {ty} = const {limit}
                %b: {ty} = and %m, %limit
                %x: {ty}, %y: {ty} = loop (%n, %b) cond (%i: {ty}, %j: {ty}) {{ %t: bool = {test} yield %t }}
                body (%p: {ty}, %q: {ty}) {{ %next: {ty} = rem %p, %q yield %q, %next }}
                return
            }}"
        ))
        .remove(0)
    };
    // Counted by running all pairs.
    let most = |limit: u64| {
        let steps = |mut a: u64, mut b: u64| {
            let mut steps = 0;
            while b != 0 {
                (a, b) = (b, a % b);
                steps += 1;
            }
            steps
        };
        (0..=2 * limit + 2).flat_map(|a| (0..=limit).map(move |b| steps(a, b))).max().unwrap_or(0)
    };
    for limit in [1, 3, 7, 31, 63] {
        assert_eq!(count("i32", &limit.to_string(), "ne %j, %zero"), at_most(most(limit)), "{limit}");
    }
    assert_eq!(count("i32", "-1", "gt %j, %zero"), at_most(45));
    assert_eq!(count("u32", "4294967295", "ne %j, %zero"), at_most(46));
    // The other number is not a remainder.
    assert_eq!(count("i32", "7", "ne %i, %zero"), None);
}

#[test]
fn what_small_functions_give() {
    let count = |callee: &str, limit: &str| {
        counts(&format!(
            "{callee}
            func @f(%n: i32) -> () {{
                %zero: i32 = const 0 %one: i32 = const 1 %three: i32 = const 3
                %k: i32 = and %n, %three
                {limit}
                %end: i32 = loop (%zero) cond (%i: i32) {{ %t: bool = lt %i, %limit yield %t }}
                body (%j: i32) {{ %next: i32 = add %j, %one yield %next }}
                return
            }}"
        ))
        .remove(0)
    };
    let table = "func @table() -> (return: [i32; 3]) {
        %a: i32 = const 4 %b: i32 = const 9 %c: i32 = const 2 %t: [i32; 3] = make(%a, %b, %c) return %t }";
    let element =
        |step: &str| count(table, &format!("%all: [i32; 3] = call @table() %limit: i32 = extract %all[{step}]"));
    assert_eq!(element("1"), exactly(9));
    assert_eq!(element("%n"), at_most(9));
    let twice = "func @twice(%x: i32) -> (return: i32) { %y: i32 = add %x, %x return %y }";
    assert_eq!(count(twice, "%limit: i32 = call @twice(%k)"), at_most(6));
    assert_eq!(count(twice, "%limit: i32 = call @twice(%n)"), None);
    let clamped = "func @clamped(%x: i32) -> (return: i32) { %six: i32 = const 6 %c: bool = gt %x, %six
        if %c { return %six } else { yield } return %x }";
    assert_eq!(count(clamped, "%limit: i32 = call @clamped(%n)"), at_most(6));
    // What calls itself is not followed.
    let endless = "func @endless(%x: i32) -> (return: i32) { %y: i32 = call @endless(%x) return %y }";
    assert_eq!(count(endless, "%limit: i32 = call @endless(%k)"), None);
}
