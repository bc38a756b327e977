use super::*;

const SUM: &str = "
    func @f(%n: i32) -> (return: i32) {
        %0: i32 = const 0
        %1: i32 = const 1
        %i: i32, %s: i32 = loop (%0, %0) cond (%i.2: i32, %s.2: i32) {
            %c: bool = lt %i.2, %n
            yield %c
        } body (%i.3: i32, %s.3: i32) {
            %2: i32 = add %s.3, %i.3
            %3: i32 = add %i.3, %1
            yield %3, %2
        }
        return %s
    }";

#[test]
fn loops() {
    for n in [-3, 0, 1, 5, 100] {
        let expected: i64 = (0..n).sum();
        assert_eq!(run(SUM, &[Value::Int(n)]), [Value::Int(expected)]);
    }
}

/// Fibonacci: the carried values change places, so they must move at once.
#[test]
fn carried_values_move_in_parallel() {
    let text = "
        func @f(%n: i32) -> (a: i32, b: i32) {
            %0: i32 = const 0
            %1: i32 = const 1
            %i: i32, %a: i32, %b: i32 = loop (%0, %0, %1) cond (%i.2: i32, %a.2: i32, %b.2: i32) {
                %c: bool = lt %i.2, %n
                yield %c
            } body (%i.3: i32, %a.3: i32, %b.3: i32) {
                %s: i32 = add %a.3, %b.3
                %n.2: i32 = add %i.3, %1
                yield %n.2, %b.3, %s
            }
            return %a, %b
        }";
    assert_eq!(run(text, &[Value::Int(10)]), [Value::Int(55), Value::Int(89)]);
}

#[test]
fn break_continue_and_return() {
    // Sums odd numbers; stops at 7; returns -1 at 100.
    let text = "
        func @f(%from: i32) -> (return: i32) {
            %0: i32 = const 0
            %1: i32 = const 1
            %2: i32 = const 2
            %7: i32 = const 7
            %100: i32 = const 100
            %t: bool = const true
            %i: i32, %s: i32 = loop (%from, %0) cond (%i.2: i32, %s.2: i32) {
                yield %t
            } body (%i.3: i32, %s.3: i32) {
                %next: i32 = add %i.3, %1
                %r: i32 = rem %i.3, %2
                %even: bool = eq %r, %0
                if %even {
                    %big: bool = ge %i.3, %100
                    if %big {
                        %m: i32 = const -1
                        return %m
                    } else {
                        continue %next, %s.3
                    }
                    unreachable
                } else {
                    yield
                }
                %stop: bool = eq %i.3, %7
                if %stop {
                    break %i.3, %s.3
                } else {
                    yield
                }
                %s.4: i32 = add %s.3, %i.3
                yield %next, %s.4
            }
            %e: i32 = add %s, %i
            return %e
        }";
    assert_eq!(run(text, &[Value::Int(0)]), [Value::Int(1 + 3 + 5 + 7)]);
    assert_eq!(run(text, &[Value::Int(8)]), [Value::Int(-1)]);
}

#[test]
fn switches() {
    let text = "
        func @f(%n: u32) -> (return: i32) {
            %r: i32 = switch %n case 1, 2 {
                %a: i32 = const 10
                yield %a
            } case -1 {
                %b: i32 = const 20
                yield %b
            } default {
                %c: i32 = const 30
                yield %c
            }
            return %r
        }";
    for (n, expected) in [(0, 30), (1, 10), (2, 10), (0xffff_ffff, 20)] {
        assert_eq!(run(text, &[Value::Int(n)]), [Value::Int(expected)]);
    }
}

#[test]
fn sums() {
    let text = "
        struct $A { x: f32 } differential $A (0)
        sum !I { 5: $A, 6: i32 } differential !I.D
        sum !I.D { 5: $A }
        func @tag(%s: !I.D) -> (return: u32) {
            %t: u32 = sum_tag %s
            %r: u32 = sum_match %s variant (%a: $A) {
                yield %t
            } null {
                %u: u32 = const 9
                yield %u
            }
            return %r
        }
        func @f(%n: i32) -> (x: f32, tag: u32, y: u32, z: u32, s: !I) {
            %0: i32 = const 0
            %c: bool = lt %n, %0
            %s: !I = if %c {
                %1: f32 = const 2.5
                %a: $A = make(%1)
                %2: !I = sum_make 0, %a
                yield %2
            } else {
                %3: !I = sum_make 1, %n
                yield %3
            }
            %x: f32 = sum_match %s variant (%a.2: $A) {
                %4: f32 = extract %a.2[0]
                yield %4
            } variant (%i: i32) {
                %5: f32 = convert %i
                yield %5
            }
            %t: u32 = sum_tag %s
            %null: !I.D = zero
            %y: u32 = call @tag(%null)
            %a.3: $A = zero
            %held: !I.D = sum_make 0, %a.3
            %z: u32 = call @tag(%held)
            return %x, %t, %y, %z, %s
        }";
    let tail = |payload| [Value::Int(9), Value::Int(0), payload];
    let held = Value::Sum(Some((0, Box::new(floats(&[2.5])))));
    let mut expected = vec![Value::Float(2.5), Value::Int(0)];
    expected.extend(tail(held));
    assert_eq!(run(text, &[Value::Int(-1)]), expected);
    let held = Value::Sum(Some((1, Box::new(Value::Int(7)))));
    let mut expected = vec![Value::Float(7.0), Value::Int(1)];
    expected.extend(tail(held));
    assert_eq!(run(text, &[Value::Int(7)]), expected);
}

#[test]
fn recursion() {
    let text = "
        func @f(%n: i32) -> (return: i32) {
            %1: i32 = const 1
            %c: bool = le %n, %1
            %r: i32 = if %c {
                yield %1
            } else {
                %m: i32 = sub %n, %1
                %f: i32 = call @f(%m)
                %p: i32 = mul %f, %n
                yield %p
            }
            return %r
        }";
    assert_eq!(run(text, &[Value::Int(10)]), [Value::Int(3_628_800)]);
    let deep = run_with(text, Precision::Declared, Limits::default(), &[Value::Int(1_000_000)]);
    assert_eq!(deep, Err(InterpError::CallDepth));
}

#[test]
fn limits() {
    let forever = "
        func @f() -> () {
            %t: bool = const true
            loop () cond { yield %t } body { yield }
            return
        }";
    let few = Limits { steps: 1_000, ..Limits::default() };
    assert_eq!(run_with(forever, Precision::Declared, few, &[]), Err(InterpError::StepLimit));
    let large = "func @f() -> () { %a: [[f32; 65536]; 65536] = zero return }";
    let result = run_with(large, Precision::Declared, Limits::default(), &[]);
    assert_eq!(result, Err(InterpError::MemoryLimit));
    let overflowing = "func @f() -> () { %a: [[[f32; 4294967295]; 4294967295]; 4294967295] = zero return }";
    let result = run_with(overflowing, Precision::Declared, Limits::default(), &[]);
    assert_eq!(result, Err(InterpError::MemoryLimit));
}

#[test]
fn what_cannot_run_has_a_name() {
    let error = |text: &str| run_with(text, Precision::Declared, Limits::default(), &[]).unwrap_err();
    let declared = "func @g() -> () func @f() -> () { call @g() return }";
    assert_eq!(error(declared), InterpError::NoBody("g".into()));
    let derivative = "func @g() -> () { return } func @f() -> () { call jvp @g() return }";
    assert_eq!(error(derivative), InterpError::UnexpandedDerivative("g".into()));
    let intrinsic = "func @f() -> () { %x: f32 = zero %y: f32 = intrinsic wave.sum(%x) return }";
    assert_eq!(error(intrinsic), InterpError::UnsupportedIntrinsic(ir::Intrinsic::Wave(ir::intrinsic::WaveOp::Sum)));
    let unreachable = "func @f() -> () { unreachable }";
    assert_eq!(error(unreachable), InterpError::Unreachable("f".into()));
}

#[test]
fn each_intrinsic_runs_or_has_a_name() {
    for intrinsic in ir::Intrinsic::all() {
        let facts = intrinsic.facts();
        let most = (*facts.operands.end()).min(facts.operands.start() + 3);
        for (operands, results) in (*facts.operands.start()..=most).zip(facts.results.clone().cycle()) {
            let operands = vec!["%x"; operands.into()].join(", ");
            let results: Vec<String> = (0..results).map(|index| format!("%r{index}: i32")).collect();
            let results = if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
            let text =
                format!("func @f() -> () {{ %x: i32 = const 3 {results}intrinsic {intrinsic}({operands}) return }}");
            match run_with(&text, Precision::Declared, Limits::default(), &[]) {
                Ok(_) => {}
                // It has no value to return.
                Err(InterpError::Discarded) => {
                    assert_eq!(intrinsic, ir::Intrinsic::Fragment(ir::intrinsic::FragmentOp::Discard))
                }
                Err(error) => assert_eq!(error, InterpError::UnsupportedIntrinsic(intrinsic)),
            }
        }
    }
}
