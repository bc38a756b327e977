//! Variants of the fixtures do what the fixtures do: the same values, derivatives and findings.
//! `cargo xtask variants` checks any number, of any files.

use std::num::NonZero;

use whole_program_tests::{
    engines::Engine,
    variants::{check_variants, fixtures, transformations},
};

const VARIANTS: u64 = 2_000;

#[test]
fn variants_mean_the_same_in_all_engines() {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let engines = Engine::quick();
    let summary = check_variants(&fixtures(), 0, VARIANTS, workers, &engines);
    for wrong in &summary.wrong {
        eprintln!("{}, variant {}: {}\n{}", wrong.file.display(), wrong.number, wrong.what, wrong.diff);
    }
    assert!(summary.wrong.is_empty(), "{} variants do something else", summary.wrong.len());
    assert!(summary.run as u64 * 10 >= VARIANTS * 8, "only {} of {VARIANTS} were run", summary.run);
    // The entry points of the others have other parameters than the buffer of results, or there are none.
    let (given, run) = (summary.for_engines, summary.in_engines);
    assert!(given as u64 * 4 >= VARIANTS, "only {given} of {VARIANTS} can be run in other engines");
    assert!(run * 100 >= given * 95, "only {run} of {given} were run in other engines");
    let never: Vec<_> = transformations().filter(|name| !summary.applied.contains_key(name)).collect();
    assert!(never.is_empty(), "never applied: {never:?}");
}
