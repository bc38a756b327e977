//! After any edit the editor says what it would say about the same text seen for the first time.
//!
//! `EDIT_ROUNDS` and `EDIT_SEED` in the environment make longer runs and other ones.

use std::{fmt::Write, path::Path};

use base_db::{
    Db, RootDatabase, Segment, SourceFile,
    line_column::{ColumnUnit, LineColumn},
};
use fastrand::Rng;
use ide::{
    FilePosition, FileRange,
    definition::definition,
    diagnostics::{ChunkLocation, Diagnostic, diagnostics, placed},
    hover::hover,
    semantic_tokens::{EncodedToken, Token, encoded_chunks, semantic_tokens},
    symbols::document_symbols,
};
use syntax::TextSize;
use test_support::{database::with_core_library, fixture::Fixture, random_edit::random_edit};

/// Edits of each fixture, if the environment does not say.
const ROUNDS: usize = 6;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The fixtures with one language construct each: name and files.
fn fixtures() -> Vec<(String, Vec<(String, String)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/constructs");
    let entries = std::fs::read_dir(folder).expect("the fixtures are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "slang"));
    paths.sort();
    let fixture = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a fixture can be read");
        let files = Fixture::parse(&text).files.into_iter().map(|file| (file.path, file.text)).collect();
        (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), files)
    };
    paths.iter().map(fixture).collect()
}

/// All that the analyzer says about files: trees, problems, names, tokens, and what it knows at some offsets. Paths are
/// left out, so that the same files in another folder read the same.
fn answers(db: &RootDatabase, files: &[SourceFile], offsets: &[u32]) -> String {
    let mut out = String::new();
    let place = |at: FileRange| (files.iter().position(|file| *file == at.file), at.range);
    for &file in files {
        for segment in file.segments(db).iter() {
            write_segment(db, *segment, 0, &mut out);
        }
        let problems = diagnostics(db, file);
        if let Some(placed) = placed_in_chunks(db, file) {
            assert_eq!(placed, placed_now(db, file, &problems), "{:?}", file.path(db));
        }
        for problem in problems {
            let related: Vec<_> = problem.related.iter().map(|related| (place(related.at), &related.message)).collect();
            let fixes: Vec<_> = problem.fixes.iter().map(|fix| &fix.title).collect();
            let (at, code, message) = (place(problem.at), &problem.code, &problem.message);
            writeln!(out, "{at:?} {code} {message} {related:?} {fixes:?}").expect("strings can be written");
        }
        for symbol in document_symbols(db, file) {
            let children: Vec<_> = symbol.children.iter().map(|child| &child.name).collect();
            writeln!(out, "{} {:?} {children:?}", symbol.name, symbol.range.range).expect("strings can be written");
        }
        let tokens = semantic_tokens(db, file);
        assert_eq!(encoded(db, file), tokens_of_one_line(db, file, &tokens), "{:?}", file.path(db));
        writeln!(out, "{tokens:?}").expect("strings can be written");
        for &offset in offsets {
            let at = FilePosition { file, offset };
            let targets: Vec<_> = definition(db, at).into_iter().map(place).collect();
            writeln!(out, "{offset} {:?} {targets:?}", hover(db, at)).expect("strings can be written");
        }
    }
    out
}

/// Line, column, length, kind and modifiers of each token of the chunks, which are kept from edit to edit.
fn encoded(db: &RootDatabase, file: SourceFile) -> Vec<[u32; 5]> {
    let mut tokens = Vec::new();
    for (start, chunk) in encoded_chunks(db, file, ColumnUnit::Utf16, 0..u32::MAX) {
        let behind = |at: LineColumn, line: u32, column: u32| LineColumn {
            line: at.line + line,
            column: if line == 0 { at.column + column } else { column },
        };
        let EncodedToken { at: first, length, kind, modifiers } = chunk.first;
        let mut at = behind(start, first.line, first.column);
        tokens.push([at.line, at.column, length, kind, modifiers]);
        let numbers: Vec<u32> = chunk.rest.split(',').skip(1).map(|number| number.parse().expect("a number")).collect();
        for token in numbers.chunks(5) {
            at = behind(at, token[0], token[1]);
            tokens.push([at.line, at.column, token[2], token[3], token[4]]);
        }
        assert_eq!(at, behind(start, chunk.last.line, chunk.last.column));
    }
    tokens
}

/// The same, asked for now.
fn tokens_of_one_line(db: &RootDatabase, file: SourceFile, tokens: &[Token]) -> Vec<[u32; 5]> {
    let text = db.text(file).expect("it is loaded");
    let place = |offset: TextSize| text.line_column(offset.into(), ColumnUnit::Utf16);
    let encoded = tokens.iter().filter_map(|token| {
        let (start, end) = (place(token.range.start()), place(token.range.end()));
        let length = end.column.checked_sub(start.column).filter(|_| start.line == end.line)?;
        Some([start.line, start.column, length, token.kind.index(), token.modifiers.bits()])
    });
    encoded.collect()
}

type Lines = (LineColumn, LineColumn);

/// Places, messages and what is related of the diagnostics of the chunks, which are kept from edit to edit.
fn placed_in_chunks(db: &RootDatabase, file: SourceFile) -> Option<Vec<(Lines, String, Vec<Lines>)>> {
    let mut start = LineColumn { line: 0, column: 0 };
    let mut found = Vec::new();
    for chunk in placed(db, file, ColumnUnit::Utf16)? {
        let place = |place: &ChunkLocation| match place {
            ChunkLocation::Inside(from, to) => (from.behind(start), to.behind(start)),
            ChunkLocation::Outside(location) => {
                let (file, range) = hir_def::position::absolute(db, *location);
                lines(db, FileRange { file, range })
            }
        };
        for problem in &chunk.diagnostics {
            let related = problem.related.iter().map(|related| place(&related.at)).collect();
            found.push((place(&problem.at), problem.message.clone(), related));
        }
        start = chunk.extent.behind(start);
    }
    Some(found)
}

/// The same, asked for now.
fn placed_now(db: &RootDatabase, file: SourceFile, problems: &[Diagnostic]) -> Vec<(Lines, String, Vec<Lines>)> {
    let own = problems.iter().filter(|problem| problem.at.file == file);
    let placed = own.map(|problem| {
        let related = problem.related.iter().map(|related| lines(db, related.at)).collect();
        (lines(db, problem.at), problem.message.clone(), related)
    });
    placed.collect()
}

fn lines(db: &RootDatabase, at: FileRange) -> Lines {
    let text = db.text(at.file).expect("it is loaded");
    let place = |offset: TextSize| text.line_column(offset.into(), ColumnUnit::Utf16);
    (place(at.range.start()), place(at.range.end()))
}

fn write_segment(db: &RootDatabase, segment: Segment, depth: usize, out: &mut String) {
    let (kind, header, body) = (segment.kind(db), segment.header(db), segment.body(db));
    writeln!(out, "{:depth$}{kind:?} {header:?} {body:?}", "").expect("strings can be written");
    for member in segment.members(db).iter() {
        write_segment(db, *member, depth + 2, out);
    }
}

/// The first line that differs.
fn difference(left: &str, right: &str) -> String {
    let lines = left.lines().zip(right.lines());
    match lines.clone().find(|(left, right)| left != right) {
        Some((left, right)) => format!("edited:  {left}\nfresh:   {right}"),
        None => format!("{} lines and {} lines", left.lines().count(), right.lines().count()),
    }
}

#[test]
fn fixtures_have_no_errors() {
    let (mut db, mut documents) = with_core_library();
    let fixtures = fixtures();
    assert!(fixtures.len() >= 50, "{} fixtures", fixtures.len());
    for (name, files) in fixtures {
        for (path, text) in &files {
            documents.open(&mut db, &format!("/{name}{path}"), text);
        }
        for (path, text) in &files {
            let file = documents.file(&format!("/{name}{path}")).expect("it was opened");
            // What is included is not a program on its own.
            if path.ends_with(".slang") {
                let found = diagnostics(&db, file);
                assert!(found.is_empty(), "{name}{path}: {found:#?}\n{text}");
            }
        }
    }
}

#[test]
fn answers_after_edits_are_those_about_a_new_text() {
    let rounds = number("EDIT_ROUNDS", ROUNDS);
    let seed = number("EDIT_SEED", 1) as u64;
    let (mut edited_db, mut edited) = with_core_library();
    let (mut fresh_db, mut fresh) = with_core_library();
    let mut failures = Vec::new();
    for (name, mut files) in fixtures() {
        let mut random =
            Rng::with_seed(seed ^ name.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte)));
        for (path, text) in &files {
            edited.open(&mut edited_db, &format!("/{name}{path}"), text);
        }
        let handles: Vec<SourceFile> =
            files.iter().map(|(path, _)| edited.file(&format!("/{name}{path}")).expect("it was opened")).collect();
        answers(&edited_db, &handles, &[]);
        let originals = files.clone();
        let mut history = String::new();
        for round in 0..rounds {
            let index = random.usize(..files.len());
            let (path, text) = &mut files[index];
            // Now and then all is put right again, so that most rounds begin with a program that means something.
            let (range, with) = if random.u8(..3) == 0 {
                (0..text.len(), originals[index].1.clone())
            } else {
                random_edit(text, &mut random)
            };
            writeln!(history, "{path} {range:?} {:?} -> {with:?}", &text[range.clone()])
                .expect("strings can be written");
            edited.edit(&mut edited_db, &format!("/{name}{path}"), range.clone(), &with);
            text.replace_range(range, &with);

            let folder = format!("/fresh/{round}/{name}");
            let again: Vec<SourceFile> =
                files.iter().map(|(path, text)| fresh.open(&mut fresh_db, &format!("{folder}{path}"), text)).collect();
            for ((path, text), file) in files.iter().zip(&handles) {
                let known = edited_db.text(*file).expect("it is there").rope().to_string();
                assert_eq!(known, *text, "{name}{path}\n{history}");
            }
            let longest = files.iter().map(|(_, text)| text.len()).max().unwrap_or(0);
            let offsets: Vec<u32> = (0..8).map(|_| random.usize(..=longest) as u32).collect();
            let here = answers(&edited_db, &handles, &offsets);
            // Messages about includes name the folder.
            let there = answers(&fresh_db, &again, &offsets).replace(&format!("/fresh/{round}/"), "/");
            if here != there {
                failures.push(format!("{name}, seed {seed}:\n{}\n{history}", difference(&here, &there)));
            }
            for (path, _) in &files {
                fresh.change_on_disk(&mut fresh_db, &format!("{folder}{path}"), None);
            }
            if here != there {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
