//! Damaged files: nothing panics, nothing hangs. `cargo xtask mutations` does the same at length.

use whole_program_tests::{
    mutations::{Checker, LIMIT, Outcome, mutant, slang_files},
    root,
};

/// Mutants of each fixture: few, because this runs without optimisation on every change.
const MUTANTS: usize = 6;

/// The stack of a program's first thread.
const STACK_SIZE: usize = 8 << 20;

#[test]
fn damaged_fixtures_are_survived() {
    let files = slang_files(&root().join("fixtures"));
    assert!(files.len() > 60, "{} fixtures", files.len());
    let checks = move || {
        // Every fourth: each file costs a database of its own.
        for file in files.into_iter().step_by(4) {
            let text = std::fs::read_to_string(&file).expect("a fixture can be read");
            let mut checker = Checker::new(&file);
            for number in 0..MUTANTS {
                let mutant = mutant(&text, 1, number);
                match checker.check(&mutant) {
                    Outcome::Done(time) => assert!(time < LIMIT, "{}, {number}: {time:?}\n{mutant}", file.display()),
                    Outcome::Panicked => panic!("{}, {number}:\n{mutant}", file.display()),
                }
            }
        }
    };
    let checks = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(checks).expect("a thread starts");
    assert!(checks.join().is_ok(), "a check failed");
}
