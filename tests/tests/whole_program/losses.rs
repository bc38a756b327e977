//! `check` finds a lost derivative exactly where one is lost.

use std::num::NonZero;

use whole_program_tests::losses::{check_places, sources};

const PLACES: u64 = 300;

#[test]
fn findings_and_gradients_agree() {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let summary = check_places(&sources(), 0, PLACES, workers);
    for wrong in &summary.wrong {
        eprintln!("{}, place {}, {}: {}\n{}", wrong.program, wrong.number, wrong.way, wrong.what, wrong.diff);
    }
    assert!(summary.wrong.is_empty(), "{} findings are missing or false", summary.wrong.len());
    // Not all programs have places.
    let (lost, others) = (summary.lost as u64, (summary.marked + summary.kept + summary.inert) as u64);
    assert!(lost * 4 >= PLACES && others * 8 >= PLACES, "{summary:?}");
    assert!(summary.by_differences * 3 >= summary.lost, "differences say too little: {summary:?}");
}
