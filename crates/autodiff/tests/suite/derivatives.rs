//! Derivatives of random programs, in f64 on the interpreter: forward against central differences, reverse against
//! forward by inner product, the separate halves of reverse mode against the whole, second order by nesting.
//!
//! `AUTODIFF_PROGRAMS` sets how many programs are checked, `AUTODIFF_FIRST` the first seed.

use crate::common::{Outcome, check_derivatives, derivative_of};
use ir::DerivativeKind;
use test_support::random_program::{Size, random_program};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(name: &str, default: u64, check: impl Fn(u64) -> Outcome + Sync) {
    let first = setting("AUTODIFF_FIRST", 0);
    let count = setting("AUTODIFF_PROGRAMS", default);
    let checked: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|half| {
                let check = &check;
                let seeds = (first..first + count).filter(move |seed| seed % 2 == half);
                let work = move || seeds.map(|seed| u64::from(check(seed) == Outcome::Checked)).sum::<u64>();
                std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work).expect("a thread")
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    });
    // A sample near a kink is no proof of anything; most programs must have one that is not.
    assert!(checked * 10 >= count * 6, "{name}: only {checked} of {count} programs could be checked");
}

#[test]
fn first_order() {
    run("first order", 1300, |seed| {
        let (mut module, f) = random_program(seed, Size::default());
        check_derivatives(&mut module, f, seed)
    });
}

#[test]
fn second_order() {
    run("second order", 300, |seed| {
        let size = Size { statements: 6, depth: 2, callees: 1 };
        let (mut module, f) = random_program(seed, size);
        let mut outcome = Outcome::Checked;
        for kind in [DerivativeKind::Jvp, DerivativeKind::Vjp] {
            let derivative = derivative_of(&mut module, kind, f, seed);
            if check_derivatives(&mut module, derivative, seed) == Outcome::Skipped {
                outcome = Outcome::Skipped;
            }
        }
        outcome
    });
}
