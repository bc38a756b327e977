//! Variants of the fixtures do what the fixtures do: the same values, derivatives and findings.
//! `cargo xtask variants` checks any number, of any files.

use std::num::NonZero;

use whole_program_tests::{
    engines::Engine,
    variants::{Summary, check_variants, fixtures, transformations},
};

const VARIANTS: u64 = 2_000;

/// Those of them that other engines run as well, where their programs allow it.
const IN_ENGINES: u64 = 200;

/// Checks so many variants, all of which must do what their originals do.
fn checked(count: u64, engines: &[Engine]) -> Summary {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let summary = check_variants(&fixtures(), 0, count, workers, engines);
    for wrong in &summary.wrong {
        eprintln!("{}, variant {}: {}\n{}", wrong.file.display(), wrong.number, wrong.what, wrong.diff);
    }
    assert!(summary.wrong.is_empty(), "{} variants do something else", summary.wrong.len());
    summary
}

#[test]
fn variants_mean_the_same() {
    let summary = checked(VARIANTS, &[]);
    assert!(summary.run as u64 * 10 >= VARIANTS * 8, "only {} of {VARIANTS} were run", summary.run);
    let never: Vec<_> = transformations().filter(|name| !summary.applied.contains_key(name)).collect();
    assert!(never.is_empty(), "never applied: {never:?}");
}

#[test]
fn variants_mean_the_same_in_all_engines() {
    // slangc takes a minute for what the others do in a second.
    let engines: Vec<Engine> = Engine::available().into_iter().filter(|engine| *engine != Engine::Slangc).collect();
    let summary = checked(IN_ENGINES, &engines);
    assert!(summary.in_engines as u64 * 10 >= IN_ENGINES * 3, "only {} were run", summary.in_engines);
}
