//! Variants of real programs: their text is changed in ways that keep its meaning, and they must still do the same.
//!
//! A variant is a list of [edits](edit), which compose: each replaces a range of the text by new text around parts that
//! it keeps, in which others may stand. [`transformations`] find the places for them in the typed tree, helped by what
//! inference knows of types. [`behaviour`] is what must not change: values, both derivatives, and the findings of
//! `check` at corresponding lines. [`reduce`] finds the few edits that matter. Variant number `n` of a file is made from
//! the file's text and `n` alone.

pub(crate) mod behaviour;
pub(crate) mod edit;
pub(crate) mod engines;
pub(crate) mod program;
pub(crate) mod reduce;
pub(crate) mod sites;
pub(crate) mod transformations;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    rc::Rc,
};

use fastrand::Rng;
use ide::diagnostics::{Code, codes};

use behaviour::{Behaviour, behaviour};
use edit::{Edit, apply};
use engines::InEngines;
use program::{Front, Program};
use transformations::{ALL, Fresh};

use crate::{engines::Engine, mutations::slang_files, root};

/// Edits that one variant has at most.
const MOST_EDITS: usize = 8;

/// Findings that may come and go, and why.
const NOT_COMPARED: &[(Code, &str)] = &[
    (
        codes::NOTHING_DIFFERENTIABLE,
        "a function with nothing to differentiate is told of unless it calls another one that is differentiable",
    ),
    (
        codes::LOST_AS_NUMBER,
        "an integer that only chooses is told of where it goes into a call, whose body is not looked at",
    ),
    (
        codes::UNINITIALIZED_ON_SOME_PATHS,
        "what an earlier iteration wrote is seen in parts of a value, not where the whole goes into a call",
    ),
    (codes::BOUND_TOO_LARGE, "how often a loop runs is not known any more where its bound goes through a call"),
];

/// The stack of a worker: recursion follows the nesting of programs.
const STACK_SIZE: usize = 256 << 20;

/// Fixtures, or folders of them, of which no variants are made, and why.
const NOT_VARIED: &[(&str, &str)] = &[
    ("refused", "they are wrong on purpose, and what is said of them depends on how they are written"),
    ("gradchecks", "many are wrong on purpose, and which inputs are tried depends on how they are written"),
    ("bindings", "hosts find their parameters by name, and so does what compares memory"),
    (
        "use_written_by_hand.slang",
        "it counts how often derivatives meet, and a return out of a loop adds a meeting with zero",
    ),
    (
        "no_diff_detach.slang",
        "it writes to places that hold no derivative by the user's declaration, which a function's `out` cannot know",
    ),
    ("loop_bounds_inferred.slang", "how its counters are written is what bounds its loops"),
];

/// The programs of the repository of which variants are made.
pub fn fixtures() -> Vec<PathBuf> {
    let mut files = slang_files(&root().join("fixtures"));
    let is_left_out = |part: &std::ffi::OsStr| NOT_VARIED.iter().any(|(name, _)| part == *name);
    files.retain(|file| !file.components().any(|part| is_left_out(part.as_os_str())));
    files
}

/// The names of all kinds of changes.
pub fn transformations() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|transformation| transformation.name)
}

/// What came of many variants.
#[derive(Debug, Default)]
pub struct Summary {
    /// Variants that were compared with their originals in values, and only in findings.
    pub run: usize,
    pub checked: usize,
    /// Those of them that other engines can be given, and those that they ran as well.
    pub for_engines: usize,
    pub in_engines: usize,
    /// How often each transformation was applied.
    pub applied: BTreeMap<&'static str, usize>,
    pub wrong: Vec<Wrong>,
}

/// A variant that does something else than its original, made small.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    pub file: PathBuf,
    pub number: u64,
    pub what: String,
    /// The transformations that matter.
    pub transformations: Vec<&'static str>,
    /// The lines that differ.
    pub diff: String,
    /// The variant with the edits that matter alone.
    pub text: String,
}

/// Checks variants `first` to `first + count` of each file in turn, on so many threads, and those that can be run there in
/// engines besides the interpreter.
pub fn check_variants(files: &[PathBuf], first: u64, count: u64, workers: usize, engines: &[Engine]) -> Summary {
    let workers = workers.max(1);
    let summaries: Vec<Summary> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let work = move || check_files(files, first, count, (worker, workers), engines);
                std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work).expect("a thread")
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("workers catch panics")).collect()
    });
    let mut total = Summary::default();
    for summary in summaries {
        total.run += summary.run;
        total.checked += summary.checked;
        total.for_engines += summary.for_engines;
        total.in_engines += summary.in_engines;
        for (name, count) in summary.applied {
            *total.applied.entry(name).or_default() += count;
        }
        total.wrong.extend(summary.wrong);
    }
    total.wrong.sort();
    total
}

fn check_files(
    files: &[PathBuf],
    first: u64,
    count: u64,
    (worker, workers): (usize, usize),
    engines: &[Engine],
) -> Summary {
    let mut in_engines = InEngines::new(engines);
    let mut summary = Summary::default();
    let mut front = Front::new();
    for (index, file) in files.iter().enumerate().filter(|(index, _)| index % workers == worker) {
        // Number `n` is a variant of file `n % files.len()`.
        let numbers: Vec<u64> =
            (first..first + count).filter(|number| number % files.len() as u64 == index as u64).collect();
        if !numbers.is_empty() {
            check_file(&mut front, file, &numbers, &mut summary, &mut in_engines);
        }
    }
    in_engines.compare(&mut summary);
    summary
}

/// A file with what it does and all the edits that there are.
pub(crate) struct Original {
    path: String,
    text: String,
    functions: usize,
    behaviour: Behaviour,
    edits: Vec<(&'static str, Vec<Edit>)>,
}

impl Original {
    fn new(front: &mut Front, path: &Path) -> Option<Original> {
        let text = std::fs::read_to_string(path).ok()?;
        // Directives stand on lines of their own, and what macros make has no place in the text.
        if text.lines().any(|line| line.trim_start().starts_with('#')) {
            return None;
        }
        let path = path.to_string_lossy().into_owned();
        let file = front.open(&path, &text);
        let functions = behaviour::functions(front, file).len();
        let program = Program::new(&front.db, file, &text);
        let mut fresh = Fresh::default();
        let edits = ALL.iter().map(|kind| (kind.name, (kind.edits)(&program, &mut fresh)));
        let edits = edits.filter(|(_, edits)| !edits.is_empty()).collect();
        let behaviour = behaviour(front, &path, &text, functions);
        Some(Original { path, text, functions, behaviour, edits })
    }

    /// Some edits that fit together.
    fn choose(&self, number: u64) -> Vec<Edit> {
        let mut random = Rng::with_seed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        let wanted = random.usize(1..=MOST_EDITS);
        let mut chosen: Vec<Edit> = Vec::new();
        for _ in 0..wanted {
            // Kinds with few places are as likely as those with many.
            let Some((_, edits)) = random.choice(&self.edits) else { break };
            let Some(edit) = random.choice(edits) else { continue };
            if chosen.iter().all(|other| edit != other && edit.is_compatible(other)) {
                chosen.push(edit.clone());
            }
        }
        chosen
    }

    /// What a variant does otherwise, in words.
    fn difference(&self, front: &mut Front, edits: &[Edit]) -> Option<String> {
        let edited = apply(&self.text, edits);
        let caught = catch_unwind(AssertUnwindSafe(|| behaviour(front, &self.path, &edited.text, self.functions)));
        let Ok(found) = caught else {
            *front = Front::new();
            return Some("panicked".to_owned());
        };
        let is_compared = |finding: &&(usize, Code)| !NOT_COMPARED.iter().any(|(code, _)| *code == finding.1);
        let line = |offset: usize| 1 + self.text[..offset.min(self.text.len())].matches('\n').count();
        let place = |(offset, code): &(usize, Code), map: &dyn Fn(usize) -> usize| (line(map(*offset)), *code);
        let expected: BTreeSet<(usize, Code)> = self
            .behaviour
            .findings
            .iter()
            .filter(is_compared)
            .map(|finding| place(finding, &|offset| offset))
            .collect();
        let got: BTreeSet<(usize, Code)> = found
            .findings
            .iter()
            .filter(is_compared)
            .map(|finding| place(finding, &|offset| edited.origin(offset)))
            .collect();
        if expected != got {
            let more: Vec<_> = got.difference(&expected).collect();
            let less: Vec<_> = expected.difference(&got).collect();
            return Some(format!("findings (line, code): {more:?} are new, {less:?} are missing"));
        }
        match (&self.behaviour.results, &found.results) {
            (Ok(expected), Ok(got)) => {
                if expected.len() != got.len() {
                    return Some(format!("{} things ran, {} were expected", got.len(), expected.len()));
                }
                let mut pairs = expected.iter().zip(got);
                let (expected, got) = pairs.find(|(expected, got)| !expected.agrees(got))?;
                Some(describe(expected, got))
            }
            (Err(_), Err(_)) => None,
            (Ok(_), Err(error)) => Some(error.clone()),
            (Err(error), Ok(_)) => Some(format!("runs, though the original does not: {error}")),
        }
    }
}

fn describe(expected: &behaviour::Observed, got: &behaviour::Observed) -> String {
    match (&expected.numbers, &got.numbers) {
        (Ok(a), Ok(b)) => {
            let pairs = a.iter().zip(b).enumerate();
            let worst = pairs.max_by(|(_, (a, b)), (_, (c, d))| (*a - *b).abs().total_cmp(&(*c - *d).abs()));
            let worst = worst.map(|(index, (a, b))| format!("number {index} is {b}, expected {a}"));
            format!("{}: {}", expected.what, worst.unwrap_or_else(|| "not as many numbers".to_owned()))
        }
        (_, Err(error)) | (Err(error), _) => format!("{}: {error}", expected.what),
    }
}

fn check_file(front: &mut Front, file: &Path, numbers: &[u64], summary: &mut Summary, in_engines: &mut InEngines<'_>) {
    let Ok(Some(original)) = catch_unwind(AssertUnwindSafe(|| Original::new(front, file))) else { return };
    let original = Rc::new(original);
    for &number in numbers {
        let edits = original.choose(number);
        if edits.is_empty() {
            continue;
        }
        match original.behaviour.results {
            Ok(_) => summary.run += 1,
            Err(_) => summary.checked += 1,
        }
        for edit in &edits {
            *summary.applied.entry(edit.transformation).or_default() += 1;
        }
        if original.difference(front, &edits).is_some() {
            let edits = reduce::reduce(edits, |edits| original.difference(front, edits).is_some());
            let text = apply(&original.text, &edits).text;
            summary.wrong.push(Wrong {
                file: file.to_owned(),
                number,
                what: original.difference(front, &edits).unwrap_or_default(),
                transformations: edits.iter().map(|edit| edit.transformation).collect(),
                diff: reduce::diff(&original.text, &text),
                text,
            });
        } else {
            in_engines.take(file, number, &original, edits, summary);
        }
    }
}
