//! Do findings and gradients agree? A value on its way through a real or random program goes another way that keeps its
//! value: one that drops its derivative, one that drops it by a mark of the source, or one that keeps it.
//!
//! Differences of the changed program, with only the marks of its source held, say whether a derivative is lost. Where they
//! cannot (integers and bits move in steps, some programs have no input at which they settle), the original does, since
//! the way keeps the value. For which functions a derivative matters at a place is seen by `detach` there, by which the source
//! says that it is dropped. With `F` what `check` finds in the changed program only, and `D` whether one of its derivatives is
//! another than the original's:
//! - where differences disagree with derivatives, no `F` is a zero in silence, and so is `D` without `F`;
//! - where a derivative matters and none is another than the original's, `F` is a false alarm;
//! - where it cannot matter (values that are only compared, constants), any `F` is a false alarm;
//! - of a mark, and of a way that keeps derivatives, any `F` is a false alarm; marks drop exactly what `detach` drops.

mod ways;

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use fastrand::Rng;
use ide::diagnostics::Code;
use syntax::{
    SyntaxKind, TextRange,
    ast::{self, AstNode},
};
use test_support::random_source::random_source;

use crate::variants::{
    behaviour::{Behaviour, ByDifferences, Observed, behaviour, by_differences, functions},
    edit::{Edit, Rewrite, apply},
    program::{Front, Kind, Program, TypeOf},
    reduce::diff,
    sites,
};
use ways::{Effect, WAYS, Way};

/// The largest error of a derivative that is not lost: some ways round.
const TOLERANCE: f64 = 5e-3;

/// The stack of a worker: recursion follows the nesting of programs.
const STACK_SIZE: usize = 256 << 20;

/// What came of many places.
#[derive(Debug, Default)]
pub struct Summary {
    /// Places at which a derivative was lost, marked as not wanted, kept, and at which none can matter.
    pub lost: usize,
    /// Those at which differences say so themselves, or say that nothing is lost.
    pub by_differences: usize,
    pub marked: usize,
    pub kept: usize,
    pub inert: usize,
    pub wrong: Vec<Wrong>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    pub program: String,
    pub number: u64,
    pub way: &'static str,
    pub what: String,
    pub diff: String,
}

/// Where programs come from.
#[derive(Debug, Clone)]
pub enum Source {
    File(PathBuf),
    Random(u64),
}

/// Random programs among the sources; each takes as long as several fixtures.
const RANDOM: u64 = 24;

/// The fixtures that work, and random programs.
pub fn sources() -> Vec<Source> {
    crate::variants::fixtures().into_iter().map(Source::File).chain((0..RANDOM).map(Source::Random)).collect()
}

/// Tries places number `first` to `first + count`, on so many threads.
pub fn check_places(sources: &[Source], first: u64, count: u64, workers: usize) -> Summary {
    let workers = workers.max(1);
    let work = |worker: usize| {
        let mut summary = Summary::default();
        for (index, source) in sources.iter().enumerate().filter(|(index, _)| index % workers == worker) {
            let numbers = (first..first + count).filter(|number| number % sources.len() as u64 == index as u64);
            // What an earlier source left open may be a part of the same module.
            let mut front = Front::new();
            check_source(&mut front, source, numbers.collect(), &mut summary);
        }
        summary
    };
    let summaries: Vec<Summary> = std::thread::scope(|scope| {
        let spawn = |worker| {
            std::thread::Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, move || work(worker))
                .expect("a thread")
        };
        let handles: Vec<_> = (0..workers).map(spawn).collect();
        handles.into_iter().map(|handle| handle.join().expect("workers catch panics")).collect()
    });
    let mut total = Summary::default();
    for summary in summaries {
        total.lost += summary.lost;
        total.by_differences += summary.by_differences;
        total.marked += summary.marked;
        total.kept += summary.kept;
        total.inert += summary.inert;
        total.wrong.extend(summary.wrong);
    }
    total.wrong.sort();
    total
}

/// A program with the places in it.
struct Original {
    path: String,
    text: String,
    functions: usize,
    behaviour: Behaviour,
    by_differences: ByDifferences,
    places: Vec<Place>,
}

/// A value that can go another way.
struct Place {
    range: TextRange,
    ty: TypeOf,
    /// No derivative of it is ever needed.
    is_inert: bool,
    /// It stands in a function that is differentiated in place of another.
    is_of_substitute: bool,
}

impl Original {
    fn new(front: &mut Front, source: &Source) -> Option<Original> {
        let (path, text) = match source {
            Source::File(path) => (path.to_string_lossy().into_owned(), std::fs::read_to_string(path).ok()?),
            Source::Random(seed) => (format!("/random_{seed}.slang"), random_source(*seed).text),
        };
        if text.lines().any(|line| line.trim_start().starts_with('#')) {
            return None;
        }
        let file = front.open(&path, &text);
        let functions = functions(front, file).len();
        let program = Program::new(&front.db, file, &text);
        let places = sites::values(&program.tree).filter_map(|expr| place(&program, &expr)).collect();
        let behaviour = behaviour(front, &path, &text, functions);
        let by_differences = by_differences(front, &path, &text, functions).unwrap_or_default();
        Some(Original { path, text, functions, behaviour, by_differences, places })
    }

    fn changed(&self, front: &mut Front, place: &Place, way: &Way, name: &str) -> Result<(String, Behaviour), String> {
        let (call, declarations) = way.spelled(name, &place.ty);
        let (before, after) = call.split_once("$X").unwrap_or((&call, ""));
        let pieces = [before.to_owned().into(), place.range.into(), after.to_owned().into()];
        let edit = Edit {
            declarations: vec![declarations.into()],
            ..Edit::new(way.name, vec![Rewrite::new(place.range, pieces)])
        };
        let text = apply(&self.text, &[edit]).text;
        let run = || behaviour(front, &self.path, &text, self.functions);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(behaviour) => Ok((text, behaviour)),
            Err(_) => Err("panicked".to_owned()),
        }
    }

    /// The findings of a changed program that the original does not have, by code.
    fn new_findings(&self, changed: &Behaviour) -> BTreeSet<Code> {
        let count =
            |behaviour: &Behaviour, code: Code| behaviour.findings.iter().filter(|found| found.1 == code).count();
        let codes = changed.findings.iter().map(|(_, code)| *code);
        codes.filter(|code| count(changed, *code) > count(&self.behaviour, *code)).collect()
    }
}

/// A place where a derivative may be lost.
fn place(program: &Program, expr: &ast::Expr) -> Option<Place> {
    let range = sites::range(expr.syntax());
    let ty = program.type_of(range)?;
    let is_number = matches!(ty.kind, Kind::Float | Kind::Floats) && ty.spelled.starts_with("float");
    let can_be = is_number && ty.is_global && ty.is_differentiable && !ty.is_converted && !sites::has_step(expr);
    if !can_be || !program.is_differentiated(range) || matches!(expr, ast::Expr::LiteralExpr(_)) {
        return None;
    }
    let mut around = expr.syntax().ancestors();
    let is_compared = around.any(|node| node.kind() == SyntaxKind::EXPR_CONDITION);
    let is_constant = sites::is_pure(expr.syntax())
        && sites::nodes::<ast::Expr>(expr.syntax())
            .all(|part| matches!(part, ast::Expr::LiteralExpr(_) | ast::Expr::BinExpr(_) | ast::Expr::ParenExpr(_)));
    let is_of_substitute = program.is_of_substitute(range);
    Some(Place { range, ty: ty.clone(), is_inert: is_compared || is_constant, is_of_substitute })
}

/// The derivatives of a program's functions; what its entry point leaves has been through the user's hands.
fn derivatives(behaviour: &Behaviour) -> Result<Vec<&Observed>, String> {
    let observed = behaviour.results.as_ref().map_err(Clone::clone)?;
    Ok(observed.iter().filter(|observed| observed.derivative_of.is_some()).collect())
}

/// The functions whose derivatives differ in two programs.
fn differing(a: &Behaviour, b: &Behaviour) -> Result<BTreeSet<String>, String> {
    let (a, b) = (derivatives(a)?, derivatives(b)?);
    if a.len() != b.len() {
        return Err(format!("{} derivatives, {} expected", b.len(), a.len()));
    }
    let pairs = a.iter().zip(b).filter(|(a, b)| !a.is_within(TOLERANCE, b));
    Ok(pairs.filter_map(|(a, _)| a.derivative_of.clone()).collect())
}

fn check_source(front: &mut Front, source: &Source, numbers: Vec<u64>, summary: &mut Summary) {
    if numbers.is_empty() {
        return;
    }
    let original = catch_unwind(AssertUnwindSafe(|| Original::new(front, source)));
    let Ok(Some(original)) = original else { return };
    if original.places.is_empty() || original.behaviour.results.is_err() {
        return;
    }
    for number in numbers {
        let mut random = Rng::with_seed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let Some(place) = random.choice(&original.places) else { continue };
        let fitting: Vec<&Way> =
            WAYS.iter().filter(|way| way.fits(&place.ty) && (way.is_direct || !place.is_inert)).collect();
        let Some(way) = random.choice(&fitting) else { continue };
        match check_place(front, &original, place, way, summary) {
            Ok(()) => {}
            Err((what, text)) => summary.wrong.push(Wrong {
                program: Path::new(&original.path).file_name().unwrap_or_default().to_string_lossy().into_owned(),
                number,
                way: way.name,
                what,
                diff: diff(&original.text, &text),
            }),
        }
    }
}

/// Whether a written forward derivative cannot be transposed because a tangent goes a way that is marked.
fn is_refused_for_marks(error: &str) -> bool {
    let is = |kind: &str| error.starts_with(&format!("not differentiated: [AutodiffError {{ kind: {kind}"));
    is("NotLinear") && error.contains("`detach` of a tangent") || is("LosesTangent")
}

fn check_place(
    front: &mut Front,
    original: &Original,
    place: &Place,
    way: &Way,
    summary: &mut Summary,
) -> Result<(), (String, String)> {
    let without_text = |error: String| (error, String::new());
    let (text, changed) = original.changed(front, place, way, "way_v1").map_err(without_text)?;
    let found = original.new_findings(&changed);
    let wrong = |what: String| Err((what, text.clone()));
    if let Err(error) = &changed.results {
        // A recursive function that reads memory which is written meanwhile is refused by name: nothing is lost in silence.
        let is_refused = error.starts_with("not differentiated: [AutodiffError { kind: Recursion");
        // So is a written forward derivative whose tangent goes a way that is marked: it cannot be transposed.
        let is_marked = is_refused_for_marks(error);
        let is_said = match way.effect {
            Effect::Lost => is_refused || is_marked,
            Effect::Marked => is_marked,
            Effect::Kept => false,
        };
        return if is_said { Ok(()) } else { wrong(error.clone()) };
    }
    let of = |result: Result<BTreeSet<String>, String>| result.map_err(|error| (error, text.clone()));
    let differs = !of(differing(&original.behaviour, &changed))?.is_empty();
    let (_, detached) = original.changed(front, place, &ways::DETACH, "way_v2").map_err(without_text)?;
    let differences = by_differences(front, &original.path, &text, original.functions);
    let differences = differences.map_err(|error| (error, text.clone()))?;
    if detached.results.as_ref().is_err_and(|error| is_refused_for_marks(error)) {
        // A tangent of a written forward derivative: which derivatives it concerns is not known, so that differences alone judge.
        let is_wrong = differences.wrong.difference(&original.by_differences.wrong).next().is_some();
        return if is_wrong { wrong("a tangent is lost in silence".to_owned()) } else { Ok(()) };
    }
    let concerned = of(differing(&original.behaviour, &detached))?;
    let matters = !concerned.is_empty();
    // Differences see the function itself, whose source says nothing of what its substitute marks.
    let is_unseen_mark = place.is_of_substitute && way.effect == Effect::Marked;
    let is_silent = found.is_empty() && !is_unseen_mark;
    if is_silent && differences.wrong.difference(&original.by_differences.wrong).next().is_some() {
        return wrong("differences see a derivative that is lost in silence".to_owned());
    }
    let right = &original.by_differences.right & &differences.right;
    let is_right = !way.is_of_steps() && concerned.is_subset(&right);
    match way.effect {
        _ if place.is_inert => {
            summary.inert += 1;
            if !found.is_empty() && !matters {
                return wrong(format!("a false alarm where nothing can be lost: {found:?}"));
            }
        }
        Effect::Lost => {
            summary.lost += 1;
            let is_decided = matters && (is_right || !differences.wrong.is_disjoint(&concerned));
            summary.by_differences += usize::from(is_decided);
            if differs && found.is_empty() {
                return wrong("a derivative is lost in silence".to_owned());
            }
            // Where the derivative is another than the original's, differences that agree with it were taken elsewhere: on
            // the other side of a kink.
            if matters && !differs && !found.is_empty() {
                return wrong(format!("a false alarm, the derivative is right: {found:?}"));
            }
        }
        Effect::Marked => {
            summary.marked += 1;
            if !found.is_empty() {
                return wrong(format!("a false alarm about what the source marks: {found:?}"));
            }
            if !of(differing(&detached, &changed))?.is_empty() {
                return wrong("the mark is something else than `detach`".to_owned());
            }
        }
        Effect::Kept => {
            summary.kept += 1;
            if differs {
                return wrong("a derivative is lost that should be kept".to_owned());
            }
            if !found.is_empty() {
                return wrong(format!("a false alarm, the derivative is right: {found:?}"));
            }
        }
    }
    Ok(())
}
