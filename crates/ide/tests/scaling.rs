//! What a check costs grows with the program and no faster, along each axis.
//!
//! Time says nothing in a test. What says much is what the check leaves behind: the results of its queries and, for each,
//! what it depends on. A query that looks at all declarations of one name for each use of it leaves a list of them each
//! time. Both are the same in each run. Instructions are counted by `cargo xtask bench --scaling`.

use hir_def::loading::load_dependencies;
use test_support::database::with_core_library;
use test_support::scaling::{self, Axis};

/// Lists that share room by powers of two are a little uneven.
const LIMIT: f64 = 1.15;

/// What grows by less is noise: bytes.
const NEGLIGIBLE: f64 = 50_000.0;

/// Axes that are known to grow faster, with their exponent at most.
const EXCEPTIONS: &[(&str, f64)] = &[
    // Each module sees the files behind all exports; each lists them.
    ("modules that export the one before", 2.1),
    ("modules that import the one before", 2.1),
    // Each of the types lists the fields of those that it inherits.
    ("structs that derive from the one before", 2.1),
];

#[test]
fn what_a_check_leaves_grows_with_the_program() {
    let mut wrong = Vec::new();
    for axis in scaling::axes() {
        let size = (axis.size / 4).max(8);
        let [small, middle, large] = [size, 2 * size, 4 * size].map(|size| bytes_after_check(axis, size) as f64);
        if large - small < NEGLIGIBLE {
            continue;
        }
        let exponent = ((large - middle) / (middle - small)).log2();
        let limit = EXCEPTIONS.iter().find(|(name, _)| *name == axis.name).map_or(LIMIT, |(_, limit)| *limit);
        if exponent > limit {
            wrong.push(format!("{}: {exponent:.2} ({small}, {middle}, {large} bytes from {size} on)", axis.name));
        }
    }
    assert!(wrong.is_empty(), "grow faster than the program:\n{}", wrong.join("\n"));
}

/// The bytes of all tables when a program of this size has been checked.
fn bytes_after_check(axis: &Axis, size: usize) -> usize {
    let (mut db, mut documents) = with_core_library();
    let files = axis.files(size);
    let path = |name: &str| format!("/{name}");
    let Some((main, text)) = files.first() else { panic!("{} has no file", axis.name) };
    let file = documents.open(&mut db, &path(main), text);
    load_dependencies(&mut db, &mut documents, file, |wanted| {
        let (_, text) = files.iter().find(|(name, _)| path(name) == wanted)?;
        Some(text.clone().into_bytes())
    });
    ide::diagnostics::diagnostics(&db, file);
    ide::import_failures::import_failures(&db, file);
    db.memory().iter().map(|table| table.bytes).sum()
}
