//! Random functions with right derivatives, and with derivatives that are damaged on purpose: the checker says ok of the
//! former and finds the latter.

use std::fmt::Write;

use super::*;
use crate::gradcheck::{FindingKind, Functions, Options, Report, check};

/// What is wrong with a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    None,
    WrongFactor,
    Dropped,
    Swapped,
    NotANumber,
}

const DAMAGES: [Damage; 5] = [Damage::None, Damage::WrongFactor, Damage::Dropped, Damage::Swapped, Damage::NotANumber];

/// `f(a, b, c) = (r, s)`, both a few random smooth operations, and something linear so that no derivative is zero and no two
/// are equal everywhere.
fn random_function(random: &mut fastrand::Rng) -> String {
    let mut text = "func @f(%a: f32 diff, %b: f32 diff, %c: f32 diff) -> (r: f32 diff, s: f32 diff) \
                    forward_differentiable backward_differentiable {\n"
        .to_owned();
    let mut values: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    for index in 0..random.usize(2..8) {
        let mut pick = || values[random.usize(0..values.len())].clone();
        let (x, y) = (pick(), pick());
        let op = match random.u8(0..6) {
            0 => format!("add %{x}, %{y}"),
            1 => format!("sub %{x}, %{y}"),
            2 => format!("mul %{x}, %{y}"),
            3 => format!("sin(%{x})"),
            4 => format!("cos(%{x})"),
            _ => format!("atan(%{x})"),
        };
        let name = format!("v{index}");
        let _ = writeln!(text, "%{name}: f32 = {op}");
        values.push(name);
    }
    for (result, factors) in [("r", [0.71, -1.37, 2.11]), ("s", [-3.19, 0.53, 1.73])] {
        let mut sum = values[random.usize(0..values.len())].clone();
        // Bounded, so that small damage is not small beside large numbers.
        let _ = writeln!(text, "%{result}0: f32 = tanh(%{sum})");
        sum = format!("{result}0");
        for (number, (input, factor)) in (1..).zip(["a", "b", "c"].into_iter().zip(factors)) {
            let _ = writeln!(
                text,
                "%{result}k{number}: f32 = const {factor}\n%{result}m{number}: f32 = mul %{input}, %{result}k{number}\n\
                 %{result}{number}: f32 = add %{sum}, %{result}m{number}"
            );
            sum = format!("{result}{number}");
        }
    }
    text + "return %r3, %s3\n}\n"
}

/// Damages one of the values, which are named `{name}0`, `{name}1`, …; the names of what to return.
fn damaged(damage: Damage, name: &str, count: usize, which: usize, text: &mut String) -> Vec<String> {
    let mut names: Vec<String> = (0..count).map(|number| format!("%{name}{number}")).collect();
    let (own, other) = (names[which].clone(), (which + 1) % count);
    let wrong = match damage {
        Damage::None => return names,
        Damage::WrongFactor => format!("%k: f32 = const 1.01\n%wrong: f32 = mul {own}, %k\n"),
        Damage::Dropped => "%wrong: f32 = const 0.0\n".to_owned(),
        Damage::Swapped => {
            names.swap(which, other);
            return names;
        }
        Damage::NotANumber => "%k: f32 = const 0.0\n%wrong: f32 = div %k, %k\n".to_owned(),
    };
    text.push_str(&wrong);
    names[which] = "%wrong".to_owned();
    names
}

/// The report on a random function whose forward or backward derivative is damaged.
fn report(seed: u64, damage: Damage, in_forward: bool) -> Report {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut module = module(&random_function(&mut random));
    let f = module.func_named("f").unwrap();
    let wanted = [(ir::DerivativeKind::Jvp, f), (ir::DerivativeKind::Vjp, f)];
    let made = autodiff::derivatives(&mut module, &wanted).unwrap();
    let mut module = module.into_module();
    for (func, name) in made.into_iter().zip(["right_jvp", "right_vjp"]) {
        module.funcs[func].name = name.into();
    }
    let of = |forward: bool| if forward == in_forward { damage } else { Damage::None };
    let mut text = ir::print::print_module(&module);
    text.push_str(
        "func @jvp(%a: f32, %b: f32, %c: f32, %a': f32, %b': f32, %c': f32) -> (r: f32, s: f32, r': f32, s': f32) {
        %r: f32, %s: f32, %t0: f32, %t1: f32 = call @right_jvp(%a, %b, %c, %a', %b', %c')\n",
    );
    let returned = damaged(of(true), "t", 2, random.usize(0..2), &mut text).join(", ");
    let _ = writeln!(text, "return %r, %s, {returned}\n}}");
    text.push_str(
        "func @vjp(%a: f32, %b: f32, %c: f32, %r_: f32, %s_: f32) -> (a_: f32, b_: f32, c_: f32) {
        %t0: f32, %t1: f32, %t2: f32 = call @right_vjp(%a, %b, %c, %r_, %s_)\n",
    );
    let returned = damaged(of(false), "t", 3, random.usize(0..3), &mut text).join(", ");
    let _ = writeln!(text, "return {returned}\n}}");
    let module = test_support::modules::module(&text);
    let functions = Functions {
        primal: module.func_named("f").unwrap(),
        jvp: module.func_named("jvp"),
        vjp: module.func_named("vjp"),
    };
    check(&module, functions, &Options { seed, samples: 2, edges: 4, ..Options::default() })
}

#[test]
fn damaged_derivatives_are_found_and_right_ones_are_good() {
    for seed in 0..40 {
        for damage in DAMAGES {
            for in_forward in [true, false] {
                let report = report(seed, damage, in_forward);
                if damage == Damage::None {
                    assert!(report.is_good(), "{seed}: {report:?}");
                    continue;
                }
                // The mode that is damaged is the one that is blamed.
                let (wrong, right) = match in_forward {
                    true => (report.forward, report.backward),
                    false => (report.backward, report.forward),
                };
                assert!(!report.findings.is_empty(), "{seed}: {damage:?}: {report:?}");
                assert_eq!((right.wrong, right.not_finite), (0, 0), "{seed}: {damage:?}: {report:?}");
                assert!(wrong.wrong + wrong.not_finite > 0, "{seed}: {damage:?}: {report:?}");
                let not_finite =
                    report.findings.iter().any(|finding| matches!(finding.kind, FindingKind::NotFinite { .. }));
                assert_eq!(not_finite, damage == Damage::NotANumber, "{seed}: {report:?}");
                if damage == Damage::WrongFactor {
                    assert_eq!(report.findings.len(), 1, "{seed}: {report:?}");
                }
            }
        }
    }
}
