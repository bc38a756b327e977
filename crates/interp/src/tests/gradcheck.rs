use ir::FuncId;

use super::*;
use crate::gradcheck::{
    Basis, Coordinate, Finding, FindingKind, Functions, Nothing, Options, Report, Wrong, check, check_function,
};

/// Checks the derivatives `@jvp` and `@vjp` of `@f`, of which there may be one.
fn check_written(text: &str, options: &Options) -> Report {
    let module = module(text);
    let func = |name: &str| module.func_named(name);
    let functions = Functions { primal: func("f").unwrap(), jvp: func("jvp"), vjp: func("vjp") };
    check(&module, functions, options)
}

fn place(name: &str, component: usize) -> Coordinate {
    // `x` is a vector and `p` a number.
    let path = if name == "x" { [".x", ".y"][component] } else { "" };
    Coordinate { name: name.into(), component, path: path.to_owned() }
}

/// `f(x, n) = (n * x.x * x.y, x.x)`, where `n` has no derivative.
const PRIMAL: &str = "
    func @f(%x: f32x2 diff, %n: f32) -> (p: f32 diff, q: f32 diff) {
        %a: f32 = extract %x[0]
        %b: f32 = extract %x[1]
        %1: f32 = mul %a, %b
        %p: f32 = mul %n, %1
        return %p, %a
    }";

const JVP: &str = "
    func @jvp(%x: f32x2, %n: f32, %x': f32x2) -> (p: f32, q: f32, p': f32, q': f32) {
        %p: f32, %q: f32 = call @f(%x, %n)
        %a: f32 = extract %x[0]
        %b: f32 = extract %x[1]
        %a': f32 = extract %x'[0]
        %b': f32 = extract %x'[1]
        %1: f32 = mul %a, %b'
        %2: f32 = mul %b, %a'
        %3: f32 = add %1, %2
        %p': f32 = mul %n, %3
        return %p, %q, %p', %a'
    }";

const VJP: &str = "
    func @vjp(%x: f32x2, %n: f32, %p_: f32, %q_: f32) -> (x_: f32x2) {
        %a: f32 = extract %x[0]
        %b: f32 = extract %x[1]
        %1: f32 = mul %n, %p_
        %2: f32 = mul %b, %1
        %a_: f32 = add %2, %q_
        %b_: f32 = mul %a, %1
        %x_: f32x2 = make(%a_, %b_)
        return %x_
    }";

fn one_sample() -> Options {
    Options { samples: 1, edges: 0, ..Options::default() }
}

#[test]
fn right_derivatives_are_good() {
    for text in [format!("{PRIMAL}{JVP}{VJP}"), format!("{PRIMAL}{JVP}"), format!("{PRIMAL}{VJP}")] {
        let report = check_written(&text, &Options { edges: 0, ..Options::default() });
        assert_eq!(report.findings, []);
        assert_eq!((report.samples, report.directions, report.kinks, report.unsettled), (8, 16, 0, 0));
        // Two results by two inputs, forward and backward.
        let modes = u32::from(text.contains("@jvp")) + u32::from(text.contains("@vjp"));
        assert_eq!((report.compared(), report.is_good()), (modes * 8 * 4, true));
        let with_edges = check_written(&text, &Options::default());
        assert_eq!(with_edges.findings, []);
        assert!(with_edges.edges > 8, "{with_edges:?}");
    }
}

#[test]
fn a_wrong_tangent_is_found_where_it_is() {
    // The product rule without its second half: the direction x.x is wrong, for the first result only.
    let wrong = JVP.replace("%3: f32 = add %1, %2", "%3: f32 = detach %1");
    let report = check_written(&format!("{PRIMAL}{wrong}"), &one_sample());
    let [finding] = &report.findings[..] else { panic!("{report:?}") };
    let FindingKind::Wrong { mode, basis, components, .. } = &finding.kind else { panic!("{finding:?}") };
    assert_eq!((*mode, *basis), (ir::DerivativeKind::Jvp, Basis::Differences));
    let [Wrong { result, input, found, expected }] = &components[..] else { panic!("{finding:?}") };
    assert_eq!((result, input, *found), (&place("p", 0), &place("x", 0), 0.0));
    let [x, n] = &finding.inputs[..] else { panic!("{finding:?}") };
    let slope = x.floats()[1] * n.floats()[0];
    assert!((expected - slope).abs() < 1e-6);
    assert!(!report.is_good());
}

#[test]
fn a_wrong_cotangent_is_found_where_it_is() {
    let wrong = VJP.replace("%b_: f32 = mul %a, %1", "%b_: f32 = neg %1");
    for others in [JVP, ""] {
        let report = check_written(&format!("{PRIMAL}{others}{wrong}"), &one_sample());
        let [finding] = &report.findings[..] else { panic!("{report:?}") };
        let FindingKind::Wrong { mode: ir::DerivativeKind::Vjp, components, .. } = &finding.kind else {
            panic!("{finding:?}")
        };
        let [Wrong { result, input, found, expected }] = &components[..] else { panic!("{finding:?}") };
        assert_eq!((result, input), (&place("p", 0), &place("x", 1)));
        let n = finding.inputs[1].floats()[0];
        assert!((found + n).abs() < 1e-9 && (expected - n * finding.inputs[0].floats()[0]).abs() < 1e-6);
    }
}

#[test]
fn a_changed_primal_result_is_found() {
    let wrong = JVP.replace("return %p, %q, %p', %a'", "return %q, %q, %p', %a'");
    let report = check_written(&format!("{PRIMAL}{wrong}"), &Options::default());
    let is_primal =
        |kind: &FindingKind| matches!(kind, FindingKind::PrimalChanged { result, .. } if result.name == "p");
    assert!(!report.findings.is_empty() && report.findings.iter().all(|finding| is_primal(&finding.kind)));
}

#[test]
fn derivatives_that_do_not_run_are_told() {
    let declared = "func @jvp(%x: f32x2, %n: f32, %x': f32x2) -> (p: f32, q: f32, p': f32, q': f32)";
    let report = check_written(&format!("{PRIMAL}{declared}"), &Options::default());
    let expected =
        FindingKind::Failed { kind: Some(ir::DerivativeKind::Jvp), error: InterpError::NoBody("jvp".into()) };
    assert_eq!(report.findings[0].kind, expected);
    let other = "func @vjp(%x: f32) -> (x_: f32) { return %x }";
    let report = check_written(&format!("{PRIMAL}{other}"), &Options::default());
    assert!(matches!(report.findings[0].kind, FindingKind::Failed { error: InterpError::ArgumentMismatch(_), .. }));
}

fn generated(text: &str, options: &Options) -> Report {
    let module = module(text);
    let func: FuncId = module.func_named("f").unwrap();
    let checked = check_function(&module, func, options);
    assert_eq!((checked.jvp, checked.vjp), (None, None));
    checked.report
}

fn range(low: f64, high: f64) -> Options {
    Options { ranges: vec![("x".into(), (low, high))], edges: 0, ..Options::default() }
}

#[test]
fn kinks_are_skipped() {
    let text = "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
        %y: f32 = abs(%x) return %y }";
    let at_the_kink = generated(text, &range(0.0, 0.0));
    assert_eq!((at_the_kink.findings.len(), at_the_kink.kinks), (0, 8));
    let beside_it = generated(text, &range(-1e-3, 1e-3));
    assert_eq!((beside_it.findings.len(), beside_it.samples), (0, 8));
}

#[test]
fn curvature_is_no_kink() {
    let text = "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
        %k: f32 = const 300 %kx: f32 = mul %k, %x %y: f32 = sin(%kx) return %y }";
    let report = generated(text, &range(-1.0, 1.0));
    assert_eq!((report.findings.len(), report.kinks, report.unsettled), (0, 0, 0));
}

#[test]
fn samples_outside_of_the_domain_are_given_up() {
    let text = "func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
        %y: f32 = log(%x) return %y }";
    let outside = generated(text, &range(-2.0, -1.0));
    assert_eq!((outside.samples, outside.outside_domain, outside.is_good()), (0, 128, false));
    let inside = generated(text, &Options::default());
    assert!(inside.is_good() && inside.outside_domain > 0);
}

/// Structs whose differential leaves out a field and changes the order, arrays, loops.
#[test]
fn aggregates_and_control_flow() {
    let text = "
        struct $S { v: f32x3, n: i32, w: [f32; 2] } differential $D (1, _, 0)
        struct $D { w: [f32; 2], v: f32x3 } differential $D (0, 1)
        func @f(%s: $S diff, %k: f32 diff) -> (s: $S diff, y: f32 diff) forward_differentiable backward_differentiable {
            %0: i32 = const 0
            %1: i32 = const 1
            %3: i32 = const 3
            %i: i32, %t: $S, %y: f32 = loop (%0, %s, %k) max_iters 3 cond (%i.2: i32, %t.2: $S, %y.2: f32) {
                %c: bool = lt %i.2, %3
                yield %c
            } body (%i.3: i32, %t.3: $S, %y.3: f32) {
                %a: f32 = extract %t.3[0][%i.3]
                %b: f32 = extract %t.3[2][1]
                %p: f32 = mul %a, %b
                %q: f32 = sin(%p)
                %positive: bool = gt %a, %y.3
                %y.4: f32 = if %positive {
                    %r: f32 = mul %q, %y.3
                    yield %r
                } else {
                    %u: f32 = add %q, %y.3
                    yield %u
                }
                %t.4: $S = insert %t.3[2][0], %q
                %j: i32 = add %i.3, %1
                yield %j, %t.4, %y.4
            }
            return %t, %y
        }";
    let report = generated(text, &Options { edges: 0, ..Options::default() });
    assert_eq!(report.findings, []);
    assert_eq!((report.samples, report.directions, report.unmoved_inputs.len()), (8, 8 * 6, 0));
}

#[test]
fn what_interface_values_hold_is_moved() {
    let text = "
        struct $A { x: f32 } differential $A (0)
        sum !I { 0: $A } differential !D
        sum !D { 0: $A }
        func @f(%s: !I diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
            return %x
        }";
    let module = module(text);
    let report = check_function(&module, module.func_named("f").unwrap(), &Options::default()).report;
    assert_eq!((report.directions, report.is_good(), report.is_settled()), (2 * (8 + report.edges), true, true));
}

/// However few or many steps a check may take, it never calls what is right wrong, and it is settled only if it was not ended.
#[test]
fn a_check_is_ended_after_its_steps() {
    let text = "
        func @f(%x: f32x2 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
            %a: f32 = extract %x[0]
            %b: f32 = extract %x[1]
            %y: f32 = mul %a, %b
            return %y
        }";
    let module = module(text);
    let f = module.func_named("f").unwrap();
    let whole = check_function(&module, f, &Options::default()).report;
    assert_eq!((whole.ended_after, whole.is_settled()), (None, true));
    let mut has_compared = Vec::new();
    for all_steps in (0..17).map(|exponent| (1 << exponent) - 1) {
        let report = check_function(&module, f, &Options { all_steps, ..Options::default() }).report;
        assert!(!report.is_wrong(), "{all_steps}: {:?}", report.findings);
        let is_ended = report.ended_after.is_some();
        assert_eq!(report.is_settled(), !is_ended);
        assert_eq!(report.ended_after.unwrap_or(all_steps), all_steps);
        assert_eq!(report.nothing, (report.compared() == 0).then_some(Nothing::TooManySteps));
        has_compared.push((is_ended, report.compared() > 0));
    }
    has_compared.dedup();
    // Nothing at first, then a part, and at last all.
    assert_eq!(has_compared, [(true, false), (true, true), (false, true)]);
}

/// `a * acos(b)` at `b = 1`: both modes say that the derivative by `b` is infinite, and only the forward one that that by `a`
/// is not a number, as it multiplies the infinite slope by the tangent zero.
#[test]
fn modes_are_told_of_each_derivative_that_is_not_finite() {
    let text = "
        func @f(%a: f32 diff, %b: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
            %1: f32 = acos(%b)
            %2: f32 = mul %a, %1
            return %2
        }";
    let module = module(text);
    let (sought_steps, ranges) = (0, vec![("b".into(), (0.0, 1.0))]);
    let options = Options { sought_steps, ranges, ..Options::default() };
    let report = check_function(&module, module.func_named("f").unwrap(), &options).report;
    let mut told = Vec::new();
    for finding in &report.findings {
        let FindingKind::NotFinite { modes, components, .. } = &finding.kind else { panic!("{finding:?}") };
        told.extend(components.iter().map(|(_, input)| (input.name.to_string(), modes.clone())));
    }
    told.sort_by_key(|(name, _)| name.clone());
    let both = vec![ir::DerivativeKind::Jvp, ir::DerivativeKind::Vjp];
    assert_eq!(told, [("a".to_owned(), vec![ir::DerivativeKind::Jvp]), ("b".to_owned(), both)]);
}

/// The angle of a rotation is not a field of it: how it moves along with one is not known. The rest is compared.
#[test]
fn inputs_with_tangents_of_their_own_are_listed() {
    let text = "
        struct $Rotation { cosine: f32 no_diff } differential $Spin (_)
        struct $Spin { angle: f32 } differential $Spin (0)
        func @f(%r: $Rotation diff, %x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
            %y: f32 = mul %x, %x
            return %y
        }";
    let module = module(text);
    let report = check_function(&module, module.func_named("f").unwrap(), &Options::default()).report;
    assert_eq!(report.own_tangents, [("r".into(), "Rotation".into())]);
    assert_eq!((report.is_good(), report.is_settled()), (true, false));
}

#[test]
fn inputs_that_are_too_large_are_told() {
    let report = check_written("func @f(%x: [[f32; 65536]; 65536] diff) -> () { return }", &Options::default());
    let expected = FindingKind::Failed { kind: None, error: InterpError::MemoryLimit };
    assert_eq!(report.findings.into_iter().map(|finding| finding.kind).collect::<Vec<_>>(), [expected]);
}

/// What goes through `detach`, a `no_diff` call, a `no_diff` parameter and a `no_diff` field is held fixed, in loops too.
#[test]
fn dropped_derivatives_are_no_mistakes() {
    let report = generated(
        "struct $S { a: f32, b: f32 no_diff } differential $S.Differential (0, _)
        struct $S.Differential { a: f32 } differential $S.Differential (0)
        func @helper(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %y: f32 = mul %x, %x
            return %y
        }
        func @scaled(%x: f32 diff, %k: f32 no_diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %y: f32 = mul %x, %k
            return %y
        }
        func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %0: i32 = const 0
            %1: i32 = const 1
            %n: i32 = const 3
            %i: i32, %s: f32 = loop (%0, %x) cond (%i1: i32, %s1: f32) {
                %more: bool = lt %i1, %n
                yield %more
            } body (%i2: i32, %s2: f32) {
                %a: f32 = detach %s2
                %b: f32 = call no_diff @helper(%s2)
                %c: f32 = call @scaled(%x, %b)
                %pair: $S = make(%c, %s2)
                %p: f32 = extract %pair[0]
                %q: f32 = extract %pair[1]
                %pq: f32 = mul %p, %q
                %t: f32 = mul %a, %x
                %s3: f32 = add %pq, %t
                %s4: f32 = sin(%s3)
                %i3: i32 = add %i2, %1
                yield %i3, %s4
            }
            return %s
        }",
        &Options::default(),
    );
    assert_eq!(report.findings, []);
    assert_eq!((report.samples, report.unsettled), (8, 0));
}

/// `acosh(x) * asin(y)` needs `x` above 1 and `y` below it.
#[test]
fn the_domain_is_searched() {
    let report = generated(
        "func @f(%x: f32 diff, %y: f32 diff) -> (z: f32 diff) forward_differentiable backward_differentiable {
            %1: f32 = acosh(%x)
            %2: f32 = asin(%y)
            %z: f32 = mul %1, %2
            return %z
        }",
        &Options { edges: 0, ..Options::default() },
    );
    assert_eq!((report.findings.as_slice(), report.samples), (&[][..], 8));
}

/// At 0, `abs` has slope -1 to the left and 1 to the right; its derivative there is 0.
#[test]
fn kinks_are_told() {
    let options = Options { ranges: vec![("x".into(), (0.0, 0.0))], ..one_sample() };
    let report = generated(
        "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %y: f32 = abs(%x)
            return %y
        }",
        &options,
    );
    let [kink] = &report.kink_places[..] else { panic!("{report:?}") };
    assert_eq!((kink.left, kink.right, kink.found), (-1.0, 1.0, 0.0));
    assert_eq!((kink.result.to_string().as_str(), kink.input.to_string().as_str()), ("y", "x"));
}

/// At steps of 1e-4, and of 1e-6 and less, both sides lie on another branch than the point, with slope 2 instead of 1: where the
/// small steps agree they say nothing of the point. The large steps see the curvature.
#[test]
fn slopes_of_another_branch_around_the_point_do_not_count() {
    let text = "
        func @f(%x: f32 diff) -> (return: f32 diff) {
            %half: f32 = const 0.5
            %0: f32 = sub %x, %half
            %d: f32 = abs(%0)
            %a: f32 = const 5e-12
            %b: f32 = const 5e-6
            %c: f32 = const 5e-5
            %e: f32 = const 5e-4
            %1: bool = gt %d, %a
            %2: bool = lt %d, %b
            %near: bool = and %1, %2
            %3: bool = gt %d, %c
            %4: bool = lt %d, %e
            %far: bool = and %3, %4
            %other: bool = or %near, %far
            %double: f32 = add %x, %x
            %5: f32 = mul %0, %0
            %6: f32 = mul %5, %0
            %7: f32 = const 100.0
            %8: f32 = mul %6, %7
            %bent: f32 = add %x, %8
            %y: f32 = select %other, %double, %bent
            return %y
        }
        func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {
            %y: f32 = call @f(%x)
            return %y, %x'
        }";
    let options = Options { ranges: vec![("x".into(), (0.5, 0.5))], ..one_sample() };
    let report = check_written(text, &options);
    assert_eq!((report.findings.as_slice(), report.samples, report.unsettled), (&[][..], 1, 1));
}

/// What the last digits of an input change altogether is the rounding of large numbers that cancel.
#[test]
fn cotangents_that_are_rounding_do_not_count() {
    let text = "
        func @f(%x: f32 diff) -> (return: f32 diff) {
            return %x
        }
        func @vjp(%x: f32, %y_: f32) -> (x_: f32) {
            %large: f32 = const 1e17
            %1: f32 = mul %x, %large
            %noise: f32 = sin(%1)
            %x_: f32 = add %noise, %y_
            return %x_
        }";
    let report = check_written(text, &one_sample());
    assert_eq!((report.findings.as_slice(), report.unsettled), (&[][..], 1));
}

/// `atan(exp(1000 x))` is near its limit where `exp` is too large for `f64`, and its slope is zero times infinity there.
#[test]
fn derivatives_behind_an_overflow_do_not_count() {
    let options = Options { ranges: vec![("x".into(), (1.0, 2.0))], ..one_sample() };
    let report = generated(
        "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %1000: f32 = const 1000.0
            %0: f32 = mul %x, %1000
            %1: f32 = exp(%0)
            %y: f32 = atan(%1)
            return %y
        }",
        &options,
    );
    assert_eq!((report.findings.as_slice(), report.samples, report.overflows), (&[][..], 1, 2));
}

/// `cos(a a)` with `a = exp(1000 x)` has a slope of the order of 1e310 where `a a` is 1e305.
#[test]
fn derivatives_that_are_too_large_themselves_do_not_count() {
    let options = Options { ranges: vec![("x".into(), (0.351, 0.3512))], ..one_sample() };
    let report = generated(
        "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
            %1000: f32 = const 1000.0
            %0: f32 = mul %x, %1000
            %a: f32 = exp(%0)
            %1: f32 = mul %a, %a
            %2: f32 = mul %1, %1000
            %y: f32 = cos(%2)
            return %y
        }",
        &options,
    );
    assert_eq!((report.findings.as_slice(), report.samples, report.overflows), (&[][..], 1, 2));
}

/// A rule that makes large numbers on the way to a small one is at fault for that.
#[test]
fn rules_that_overflow_on_the_way_are_found() {
    let text = "
        func @f(%x: f32 diff) -> (return: f32 diff) {
            return %x
        }
        func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {
            %large: f32 = const 1e300
            %0: f32 = mul %x', %large
            %1: f32 = mul %0, %large
            %2: f32 = div %1, %large
            %y': f32 = div %2, %large
            return %x, %y'
        }";
    let report = check_written(text, &one_sample());
    let [Finding { kind: FindingKind::NotFinite { .. }, .. }] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!(report.overflows, 0);
}

/// Neither is a number, without that anything was too large.
#[test]
fn derivatives_that_are_not_numbers_are_found() {
    let text = "
        func @f(%x: f32 diff) -> (return: f32 diff) {
            %y: f32 = sin(%x)
            return %y
        }
        func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {
            %y: f32 = call @f(%x)
            %0: f32 = sub %x', %x'
            %y': f32 = div %0, %0
            return %y, %y'
        }";
    let report = check_written(text, &one_sample());
    let [Finding { kind: FindingKind::NotFinite { found, .. }, .. }] = &report.findings[..] else {
        panic!("{report:?}")
    };
    assert_eq!((found.is_nan(), report.overflows), (true, 0));
}

/// The derivative is zero by the user's declaration.
#[test]
fn functions_that_are_only_treated_as_differentiable_are_not_sampled() {
    let report = generated(
        "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable treat_as_differentiable {
            %y: f32 = sin(%x)
            return %y
        }",
        &Options::default(),
    );
    assert_eq!((report.findings.as_slice(), report.samples), (&[][..], 0));
    assert_eq!((report.nothing, report.is_good()), (Some(Nothing::ZeroByWord), false));
}

/// A derivative that does not count as the function does.
#[test]
fn variables_must_be_left_as_the_function_leaves_them() {
    let text = "
        global @count: variable<i32> static
        func @f(%x: f32 diff) -> (return: f32 diff) {
            %count: variable<i32> = global @count
            %0: i32 = load %count
            %1: i32 = const 1
            %2: i32 = add %0, %1
            store %count, %2
            return %x
        }
        func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {
            return %x, %x'
        }";
    let report = check_written(text, &one_sample());
    let kinds: Vec<&FindingKind> = report.findings.iter().map(|finding| &finding.kind).collect();
    let expected = FindingKind::StateChanged { kind: ir::DerivativeKind::Jvp, variable: "count".into() };
    assert_eq!(kinds, [&expected]);
}

/// A derivative that squares its tangent is right for 1, and one that takes it without its sign is for all that are
/// positive.
#[test]
fn derivatives_are_linear_in_their_tangents() {
    for wrong in ["mul %x', %x'", "abs(%x')"] {
        let text = format!(
            "func @f(%x: f32 diff) -> (return: f32 diff) {{ return %x }}
            func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {{ %y': f32 = {wrong} return %x, %y' }}"
        );
        let report = check_written(&text, &Options::default());
        assert!(!report.findings.is_empty(), "{wrong}");
    }
}

/// `(x, x)` gives back both cotangents, of which this takes the larger one: right for each alone.
#[test]
fn cotangents_of_several_results_add_up() {
    let text = "
        func @f(%x: f32 diff) -> (a: f32 diff, b: f32 diff) { return %x, %x }
        func @vjp(%x: f32, %a_: f32, %b_: f32) -> (x_: f32) {
            %0: f32 = const 0.0
            %is_b: bool = eq %a_, %0
            %x_: f32 = select %is_b, %b_, %a_
            return %x_
        }";
    let report = check_written(text, &Options::default());
    let kinds: Vec<&FindingKind> = report.findings.iter().map(|finding| &finding.kind).collect();
    assert!(matches!(kinds[..], [FindingKind::NotLinear { mode: ir::DerivativeKind::Vjp, .. }]), "{kinds:?}");
}

/// One wrong factor is one mistake, whatever it is the factor of; a swap is one for each that is in the wrong place.
#[test]
fn what_is_wrong_by_one_factor_is_one_finding() {
    let rule = |body: &str| {
        format!(
            "func @f(%x: f32x4 diff) -> (return: f32x4 diff) {{ %y: f32x4 = mul %x, %x return %y }}
            func @vjp(%x: f32x4, %y_: f32x4) -> (x_: f32x4) {{ {body} }}"
        )
    };
    let report = check_written(&rule("%1: f32x4 = mul %x, %y_ return %1"), &Options::default());
    let [Finding { kind: FindingKind::Wrong { components, ratio: Some(ratio), .. }, .. }] = &report.findings[..] else {
        panic!("{report:?}")
    };
    // Twice too small in all four components.
    assert!((ratio - 0.5).abs() < 1e-6, "{ratio}");
    let inputs: Vec<&str> = components.iter().map(|wrong| wrong.input.path.as_str()).collect();
    assert_eq!(inputs, [".x", ".y", ".z", ".w"]);
    assert!(components.iter().all(|wrong| wrong.input.path == wrong.result.path), "{components:?}");
    let swapped = "%1: f32x4 = mul %x, %y_ %2: f32x4 = add %1, %1 %3: f32x4 = swizzle %2[1, 0, 2, 3] return %3";
    let report = check_written(&rule(swapped), &Options::default());
    assert!(report.findings.len() >= 2, "{report:?}");
}

/// `1 / x` is taken where it is not wanted: no harm. What does harm is `x / x`, and that is named, with its operands.
#[test]
fn the_operation_that_makes_what_is_not_finite_is_found() {
    let text = "
        func @f(%x: f32 diff) -> (return: f32 diff) { return %x }
        func @jvp(%x: f32, %x': f32) -> (return: f32, return': f32) {
            %0: f32 = const 0.0
            %1: f32 = div %x', %x
            %is_zero: bool = eq %x, %0
            %2: f32 = select %is_zero, %x', %1
            %3: f32 = div %x, %x
            %y': f32 = mul %2, %3
            return %x, %y'
        }";
    let options = Options { ranges: vec![("x".into(), (0.0, 0.0))], ..one_sample() };
    let report = check_written(text, &options);
    let [Finding { kind: FindingKind::NotFinite { origin: Some(origin), .. }, .. }] = &report.findings[..] else {
        panic!("{report:?}")
    };
    assert_eq!((origin.op.as_str(), origin.operands.as_slice()), ("div", &[0.0, 0.0][..]));
}

/// Singular points are tried although no random number hits them.
#[test]
fn edges_are_sampled() {
    let unary = ["acos", "asin", "acosh"];
    let texts =
        unary.map(|function| format!("(%x: f32 diff) -> (y: f32 diff) {{ %y: f32 = {function}(%x) return %y }}"));
    let pow = "(%x: f32 diff, %e: f32 diff) -> (y: f32 diff) { %y: f32 = pow(%x, %e) return %y }".to_owned();
    for text in texts.into_iter().chain([pow]) {
        let text =
            format!("func @f{text}").replace("diff) {", "diff) forward_differentiable backward_differentiable {");
        let report = generated(&text, &Options::default());
        let found = report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::NotFinite { .. }));
        assert!(found, "{text}: {report:?}");
    }
}

/// Nothing goes in or comes out that has a derivative: that is not right, it is nothing.
#[test]
fn a_check_that_compares_nothing_is_not_good() {
    let text = "func @f(%x: i32) -> () forward_differentiable backward_differentiable { return }";
    let report = generated(text, &Options::default());
    assert_eq!(
        (report.findings.as_slice(), report.nothing, report.is_good()),
        (&[][..], Some(Nothing::NoInput), false)
    );
    let text = "func @f(%x: f32 diff) -> () forward_differentiable backward_differentiable { return }";
    assert_eq!(generated(text, &Options::default()).nothing, Some(Nothing::NoResult));
}

/// Nothing is held that the source does not mark: an input without derivative, a result without one, a value whose
/// derivative is cut off by a declaration.
#[test]
fn derivatives_that_are_lost_without_a_word_are_found() {
    let callee = |signature: &str| {
        format!(
            "func @g({signature} forward_differentiable backward_differentiable {{ %y: f32 = mul %x, %x return %y }}
            func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {{
                %1: f32 = call @g(%x)
                %y: f32 = mul %x, %1
                return %y
            }}"
        )
    };
    let forgotten = "func @f(%x: f32 diff) -> (y: f32 diff) forward_differentiable backward_differentiable {
        %1: f32 = forget %x
        %y: f32 = mul %x, %1
        return %y
    }";
    // A third of 3 x^2, and half of 2 x, is what is left.
    let input = callee("%x: f32) -> (y: f32 diff)");
    let result = callee("%x: f32 diff) -> (y: f32)");
    for (text, left) in [(input.as_str(), 1.0 / 3.0), (result.as_str(), 1.0 / 3.0), (forgotten, 0.5)] {
        let report = generated(text, &Options::default());
        let ratios: Vec<f64> = report
            .findings
            .iter()
            .filter_map(|finding| match &finding.kind {
                FindingKind::Wrong { ratio, .. } => *ratio,
                _ => None,
            })
            .collect();
        assert_eq!(ratios.len(), 2, "{text}: {report:?}");
        assert!(ratios.iter().all(|ratio| (ratio - left).abs() < 1e-6), "{ratios:?}");
        for marked in [text.replace("%x: f32)", "%x: f32 no_diff)"), text.replace("(y: f32)", "(y: f32 no_diff)")] {
            let marked = marked.replace("forget", "detach");
            if marked != text {
                assert_eq!(generated(&marked, &Options::default()).findings, [], "{marked}");
            }
        }
    }
}
