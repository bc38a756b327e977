//! Segments that are expanded as one, because a macro or an included file decides where declarations end.
//!
//! A file is cut into segments by its text alone. Where a macro brings a brace (`BEGIN_CBUFFER(camera) … END_CBUFFER`,
//! `NAMESPACE_BEGIN`), where an included file does, or where the argument of a macro holds semicolons
//! (`FIELDS(float a; float b;)`), what belongs together is known only from the expanded text. The first segment of such
//! a run then stands for all of it: its header is the text of the run, parsed as a whole, and the others hold nothing.
//! Since the run is contiguous, a place in that text is a place in the file as any other.

use ::diagnostics::codes;
use base_db::{Db, Project, Segment, SegmentKind, SourceFile};
use rustc_hash::FxHashMap;
use syntax::{SyntaxKind, T, lexer, preprocess::Expanded};

use super::{expanded_header, host::text_of, paths_in_directives, state};
use crate::modules;

/// After this many runs without an end, no more are looked for among the same siblings: that keeps the time linear.
const MOST_OPEN_RUNS: usize = 8;

/// How a segment is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Alone,
    /// With those after it, whose text its header holds, too.
    First,
    /// As part of the run that this segment begins.
    Within(Segment),
}

/// How a segment is expanded. Looks at the headers of all segments of a file that knows macros.
pub(crate) fn join(db: &dyn Db, segment: Segment) -> Join {
    let runs = runs(db, segment.file(db));
    if runs.is_empty() {
        return Join::Alone;
    }
    match runs.get(&segment) {
        Some(first) if *first == segment => Join::First,
        Some(first) => Join::Within(*first),
        None => match segment.parent(db).map(|parent| (parent, join(db, parent))) {
            None | Some((_, Join::Alone)) => Join::Alone,
            Some((parent, Join::First)) => Join::Within(parent),
            Some((_, Join::Within(first))) => Join::Within(first),
        },
    }
}

/// The text of the run that a segment begins.
#[salsa::tracked(returns(deref))]
pub(super) fn joined_text(db: &dyn Db, first: Segment) -> String {
    let file = first.file(db);
    let runs = runs(db, file);
    let siblings = first.parent(db).map_or(file.segments(db), |parent| parent.members(db));
    let run = siblings.iter().skip_while(|segment| **segment != first);
    let run: Vec<Segment> = run.take_while(|segment| runs.get(segment) == Some(&first)).copied().collect();
    text_of(db, &run)
}

/// What the header of a segment does to the runs around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Edges {
    /// Braces that it opens less those that it closes, its own body aside.
    braces: i32,
    /// The same of the parentheses in its text.
    parentheses: i32,
    /// It leaves more open than its text says: a brace of a macro, or a macro's argument.
    begins_run: bool,
}

/// The runs of a file: for each of their segments the first one.
#[salsa::tracked(returns(ref))]
fn runs(db: &dyn Db, file: SourceFile) -> FxHashMap<Segment, Segment> {
    let mut runs = FxHashMap::default();
    let is_defined_outside = || Project::try_get(db).is_some_and(|project| !project.macro_definitions(db).is_empty());
    let includes = || !paths_in_directives(db, file).is_empty();
    if !modules::is_prelude(db, file) && (is_defined_outside() || includes() || state::changes(db, file)) {
        add_runs(db, file.segments(db), &mut runs);
    }
    runs
}

fn add_runs(db: &dyn Db, siblings: &[Segment], runs: &mut FxHashMap<Segment, Segment>) {
    let mut open_runs = 0;
    let mut index = 0;
    while index < siblings.len() {
        let first = siblings[index];
        let end = match edges(db, first).begins_run && open_runs < MOST_OPEN_RUNS {
            true => end_of_run(db, &siblings[index..]),
            false => Some(0),
        };
        match end {
            Some(0) => {
                add_runs(db, first.members(db), runs);
                index += 1;
            }
            Some(length) => {
                runs.extend(siblings[index..index + length].iter().map(|segment| (*segment, first)));
                index += length;
            }
            None => {
                open_runs += 1;
                index += 1;
            }
        }
    }
}

/// How many segments the run has that the first of them begins.
fn end_of_run(db: &dyn Db, segments: &[Segment]) -> Option<usize> {
    let (mut braces, mut parentheses) = (0, 0);
    let mut ends = segments.iter().map(|segment| {
        let edges = edges(db, *segment);
        braces += edges.braces;
        parentheses += edges.parentheses;
        braces <= 0 && parentheses <= 0
    });
    ends.position(|is_end| is_end).map(|last| last + 1)
}

#[salsa::tracked(returns(copy))]
fn edges(db: &dyn Db, segment: Segment) -> Edges {
    let spelled = segment.header(db);
    let expanded: &Expanded = expanded_header(db, segment);
    let own = Balance::of(spelled);
    let is_call_open = expanded.diagnostics.iter().any(|finding| finding.code == codes::UNCLOSED_MACRO_CALL);
    let meant = match expanded.changed_text() {
        Some(text) if !is_call_open => Balance::of(text),
        _ => own,
    };
    // The brace that a container's header ends with is closed in its body.
    let in_body = i32::from(segment.kind(db) == SegmentKind::Container);
    Edges {
        braces: meant.braces - in_body,
        parentheses: own.parentheses,
        begins_run: is_call_open || meant.braces > own.braces,
    }
}

/// What a text leaves open, or closes if negative.
#[derive(Clone, Copy)]
struct Balance {
    braces: i32,
    parentheses: i32,
}

impl Balance {
    fn of(text: &str) -> Balance {
        let count = |byte: u8| text.bytes().filter(|other| *other == byte).count();
        let mut balance = Balance { braces: 0, parentheses: 0 };
        // Most texts need no look at their comments and strings.
        if count(b'{') == count(b'}') && count(b'(') == count(b')') {
            return balance;
        }
        let lexed = lexer::lex(text);
        for index in 0..lexed.len() {
            match lexed.kind(index) {
                T!['{'] => balance.braces += 1,
                T!['}'] => balance.braces -= 1,
                T!['('] => balance.parentheses += 1,
                T![')'] => balance.parentheses -= 1,
                SyntaxKind::EOF => break,
                _ => {}
            }
        }
        balance
    }
}
