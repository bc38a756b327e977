use expect_test::{Expect, expect};

use test_support::modules::{module, verified};

use super::{emit_text, emit_with};
use crate::{EmitOptions, Target, emit};

fn check(ir: &str, expected: Expect) {
    check_with(ir, &EmitOptions::default(), expected);
}

fn check_with(ir: &str, options: &EmitOptions, expected: Expect) {
    expected.assert_eq(&emit_with(ir, Target::Wgsl, options));
}

#[test]
fn a_pullback() {
    check(
        "func @f.pullback(%a: f32, %b: f32, %dResult: f32) -> (da: f32, db: f32) {
             %zero: f32 = const 0
             %0: bool = gt %a, %zero
             %1: f32, %2: f32 = if %0 {
                 %one: f32 = const 1
                 %two: f32 = const 2
                 %3: f32 = mul %two, %b
                 %4: f32 = add %one, %3
                 %5: f32 = mul %dResult, %4
                 %6: f32 = mul %two, %a
                 %7: f32 = add %one, %6
                 %8: f32 = mul %dResult, %7
                 yield %5, %8
             } else {
                 %half: f32 = const 0.5
                 %9: f32 = sqrt(%a)
                 %10: f32 = div %half, %9
                 %11: f32 = mul %dResult, %10
                 yield %11, %zero
             }
             return %1, %2
         }",
        expect![[r#"
            fn f_pullback(a: f32, b: f32, dResult: f32, da: ptr<function, f32>, db: ptr<function, f32>) {
                if (a > 0f) {
                    (*da) = (dResult * (1f + (2f * b)));
                    (*db) = (dResult * (1f + (2f * a)));
                    return;
                } else {
                    (*da) = (dResult * (0.5f / sqrt(a)));
                    (*db) = 0f;
                    return;
                }
            }

        "#]],
    );
}

#[test]
fn indices_that_may_be_out_of_bounds_are_tested() {
    check_with(
        "global @x: buffer<f32> parameter
         global @out: rwbuffer<f32> parameter
         func @main() -> () {
             %id: u32x3 = builtin dispatch_thread_id
             %i: u32 = extract %id[0]
             %x: buffer<f32> = global @x
             %out: rwbuffer<f32> = global @out
             %v: f32 = load %x[%i]
             store %out[%i], %v
             return
         }
         entry main @main compute 64, 1, 1",
        &EmitOptions { checked: true, ..EmitOptions::default() },
        expect![[r#"
            @group(0) @binding(0) 
            var<storage> x: array<f32>;
            @group(0) @binding(1) 
            var<storage, read_write> out: array<f32>;

            @compute @workgroup_size(64, 1, 1) 
            fn main(@builtin(global_invocation_id) dispatchThreadID: vec3<u32>) {
                let x_length = arrayLength((&x));
                let out_length = arrayLength((&out));
                let i = dispatchThreadID.x;
                let _e12 = x[min(i, (x_length - 1u))];
                let v = select(f32(), _e12, (i < x_length));
                if (i < out_length) {
                    out[i] = v;
                    return;
                } else {
                    return;
                }
            }
        "#]],
    );
}

#[test]
fn loops_within_an_array_need_no_test() {
    check(
        "func @sum(%a: [f32; 4]) -> (return: f32) {
             %zero: i32 = const 0
             %one: i32 = const 1
             %four: i32 = const 4
             %none: f32 = const 0
             %i: i32, %sum: f32 = loop (%zero, %none) cond (%i.1: i32, %sum.1: f32) {
                 %0: bool = lt %i.1, %four
                 yield %0
             } body (%i.2: i32, %sum.2: f32) {
                 %1: f32 = extract %a[%i.2]
                 %2: f32 = add %sum.2, %1
                 %3: i32 = add %i.2, %one
                 yield %3, %2
             }
             return %sum
         }",
        expect![[r#"
            fn sum(a: ptr<function, array<f32, 4>>) -> f32 {
                var i: i32;
                var sum_1: f32;

                sum_1 = 0f;
                i = 0i;
                loop {
                    let _e5 = i;
                    if !((_e5 < 4i)) {
                        break;
                    }
                    let _e9 = sum_1;
                    let _e10 = i;
                    let _e12 = (*a)[_e10];
                    sum_1 = (_e9 + _e12);
                    continuing {
                        let _e14 = i;
                        i = (_e14 + 1i);
                    }
                }
                let _e17 = sum_1;
                return _e17;
            }

        "#]],
    );
}

/// An array goes to a callee where it is, but for one that the call writes besides.
#[test]
fn arrays_are_looked_at_where_they_are() {
    check(
        "func @add(%a: [f32; 2], %b: [f32; 2]) -> (inout %a: [f32; 2]) {
             %x: f32 = extract %a[0]
             %y: f32 = extract %b[1]
             %0: f32 = add %x, %y
             %c: [f32; 2] = insert %a[0], %0
             return %c
         }
         func @f(%x: f32, %y: f32) -> (return: f32) {
             %s: [f32; 2] = splat %x
             %t: [f32; 2] = insert %s[0], %y
             %u: [f32; 2] = splat %y
             %v: [f32; 2] = call @add(%t, %u)
             %w: [f32; 2] = call @add(%v, %v)
             %0: f32 = extract %w[0]
             return %0
         }",
        expect![[r#"
            fn add(a: ptr<function, array<f32, 2>>, b: ptr<function, array<f32, 2>>) {
                var c: array<f32, 2>;

                let x_1 = (*a)[0];
                let y_1 = (*b)[1];
                let _e7 = (*a);
                c = _e7;
                c[0] = (x_1 + y_1);
                let _e10 = c;
                (*a) = _e10;
                return;
            }

            fn f(x: f32, y: f32) -> f32 {
                var s: array<f32, 2>;
                var t: array<f32, 2>;
                var u: array<f32, 2>;
                var v: array<f32, 2>;
                var w: array<f32, 2>;

                s = array<f32, 2>(x, x);
                let _e8 = s;
                t = _e8;
                t[0] = y;
                u = array<f32, 2>(y, y);
                let _e11 = t;
                v = _e11;
                add((&v), (&u));
                let _e12 = v;
                w = _e12;
                add((&w), (&v));
                let _e14 = w[0];
                return _e14;
            }

        "#]],
    );
}

#[test]
fn lines_lead_back_to_the_source() {
    let module = module(
        "func @f(%a: f32, %b: f32) -> (return: f32) {
             %x: f32 = mul %a, %b
             %y: f32 = sin(%x)
             %0: f32 = add %x, %y
             return %0
         }",
    );
    let mut module = module.into_module();
    // Op number i is said to stand at byte i.
    let func = module.func_named("f").unwrap();
    for index in 0..module.funcs[func].ops.len() as u32 {
        let span = module.span(ir::SourceSpan { file: 0, start: index, end: index + 1 });
        let op = module.funcs[func].ops.iter().nth(index as usize).unwrap().0;
        module.funcs[func].ops[op].span = span;
    }
    let module = verified(module);
    for (target, expected) in [
        (Target::Slang, ["let x = a * b;", "let y = sin(x);", "return x + y;"]),
        (Target::Wgsl, ["let x = (a * b);", "let y = sin(x);", "return (x + y);"]),
    ] {
        let emitted = emit(&module, target, &EmitOptions::default()).unwrap();
        let text: Vec<&str> = emitted.text().lines().collect();
        let lines: Vec<(&str, u32)> = emitted
            .lines
            .iter()
            .map(|&(line, span)| (text[line as usize].trim(), module.spans[span.0 as usize].start))
            .collect();
        assert_eq!(lines, [(expected[0], 0), (expected[1], 1), (expected[2], 2)]);
    }
}

fn errors(text: &str, target: Target) -> Vec<String> {
    let errors = emit(&module(text), target, &EmitOptions::default()).unwrap_err();
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn what_cannot_be_said_is_an_error() {
    let recursive = "func @f(%a: f32) -> (return: f32) {
        %0: f32 = call @f(%a)
        return %0
    }";
    assert_eq!(errors(recursive, Target::Wgsl), ["`f` calls itself, which GPU code cannot do"]);
    let double = "func @f(%a: f64) -> (return: f64) {
        return %a
    }";
    assert_eq!(errors(double, Target::Wgsl), ["the type `F64` is not supported for target `wgsl`"]);
    let sine = "func @f(%a: f64) -> (return: f64) {
        %0: f64 = sin(%a)
        return %0
    }";
    assert_eq!(errors(sine, Target::Spirv), ["`sin` of `double` is not supported for this target"]);
    let derivative = "func @g(%a: f32 diff) -> (return: f32 diff) {
        return %a
    }
    func @f(%a: f32) -> (return: f32) {
        %0: f32 = call vjp @g(%a, %a)
        return %0
    }";
    for target in Target::ALL {
        assert_eq!(errors(derivative, target), ["a derivative that was not expanded cannot be emitted yet"]);
    }
}

#[test]
fn halves_on_the_way_are_asked_for() {
    let text = emit_text(
        "func @f(%a: u32) -> (return: f32) {
             %0: f16 = convert %a
             %1: f32 = convert %0
             return %1
         }",
        Target::Wgsl,
    );
    assert!(text.starts_with("enable f16;"), "{text}");
}
