//! Derivatives of random programs, from their text on. Three times as many are made as IR, in the tests of `autodiff`;
//! `cargo xtask random-programs` checks any number of them.

use std::num::NonZero;

use whole_program_tests::random_programs::check_programs;

const PROGRAMS: u64 = 400;

#[test]
fn derivatives_of_random_programs_agree_with_differences() {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let summary = check_programs(0, PROGRAMS, workers, &|seed, wrong| eprintln!("seed {seed}: {wrong}"));
    assert_eq!(summary.wrong, []);
    assert_eq!(summary.coverage.gaps(), [""; 0], "{}", summary.coverage.table());
    // A sample near a kink is no proof of anything; most programs must have one that is not.
    assert!(summary.checked * 10 >= PROGRAMS * 9, "{} of {PROGRAMS} were checked", summary.checked);
}
