//! Programs of several features together, each with one change, and what slangc 2026.14.1 says of them.
//!
//! A file of `verdicts/` is a family. It begins with a program; then comes a case after the other: `=== name`, a line
//! `slangc: accepts` or `slangc: NUMBER at LINE, …`, and what the case changes of the program, as `lines FROM to TO` (from 0, the
//! last one not among them) and the lines that take their place behind `| `. The first line of each program is empty.
//!
//! A case agrees if nothing is reported where slangc accepts, and one of slangc's numbers on its line where it does not. Where
//! this is not so a line `differs:` says how: `accepted`, `rejected`, `number` (its line, with another number) or `place`.

use std::fmt::Write as _;

use base_db::{RootDatabase, documents::Documents};
use hir_def::scope;
use ide::{
    diagnostics::{Severity, diagnostics},
    import_failures::import_failures,
};
use test_support::{
    database::with_core_library,
    fixture::{Fixture, line_column},
};

const FAMILIES: &[(&str, &str)] = &[
    ("accepted_forms", include_str!("verdicts/accepted_forms.txt")),
    ("causes", include_str!("verdicts/causes.txt")),
    ("constants", include_str!("verdicts/constants.txt")),
    ("derivatives", include_str!("verdicts/derivatives.txt")),
    ("fluid", include_str!("verdicts/fluid.txt")),
    ("fluid_grid", include_str!("verdicts/fluid_grid.txt")),
    ("front", include_str!("verdicts/front.txt")),
    ("glsl", include_str!("verdicts/glsl.txt")),
    ("interfaces", include_str!("verdicts/interfaces.txt")),
    ("kin", include_str!("verdicts/kin.txt")),
    ("language", include_str!("verdicts/language.txt")),
    ("light_list", include_str!("verdicts/light_list.txt")),
    ("materials", include_str!("verdicts/materials.txt")),
    ("modules", include_str!("verdicts/modules.txt")),
    ("network", include_str!("verdicts/network.txt")),
    ("rasterizer", include_str!("verdicts/rasterizer.txt")),
    ("rejected", include_str!("verdicts/rejected.txt")),
    ("shader_library", include_str!("verdicts/shader_library.txt")),
    ("stages", include_str!("verdicts/stages.txt")),
    ("valid_parts", include_str!("verdicts/valid_parts.txt")),
    ("valid_programs", include_str!("verdicts/valid_programs.txt")),
    ("vertex_and_fragment", include_str!("verdicts/vertex_and_fragment.txt")),
];

/// How a verdict is another one than slangc's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    Accepted,
    Rejected,
    Number,
    Place,
}

impl Difference {
    fn named(word: &str) -> Difference {
        match word {
            "accepted" => Difference::Accepted,
            "rejected" => Difference::Rejected,
            "number" => Difference::Number,
            "place" => Difference::Place,
            _ => panic!("`{word}` is no difference"),
        }
    }
}

/// An error: its file, its line and its number.
type Error = (String, usize, u32);

struct Case<'a> {
    name: &'a str,
    text: String,
    slangc: Vec<Error>,
    differs: Option<Difference>,
}

fn cases(family: &str) -> Vec<Case<'_>> {
    let mut parts = family.split("=== ");
    let base: Vec<&str> = parts.next().expect("a program, or nothing").lines().collect();
    parts.map(|part| case(part, &base)).collect()
}

fn case<'a>(part: &'a str, base: &[&'a str]) -> Case<'a> {
    let mut lines = part.lines();
    let name = lines.next().expect("a name");
    let (mut slangc, mut differs) = (Vec::new(), None);
    let mut text = Vec::new();
    let mut taken = 0;
    for line in lines {
        if let Some(said) = line.strip_prefix("slangc: ") {
            slangc = said.split(", ").filter(|said| *said != "accepts").map(error).collect();
        } else if let Some(word) = line.strip_prefix("differs: ") {
            differs = Some(Difference::named(word));
        } else if let Some(range) = line.strip_prefix("lines ") {
            let (from, to) = range.split_once(" to ").expect("a range of lines");
            text.extend_from_slice(&base[taken..from.parse().expect("a line")]);
            taken = to.parse().expect("a line");
        } else {
            text.push(line.strip_prefix("| ").unwrap_or(""));
        }
    }
    text.extend_from_slice(&base[taken..]);
    Case { name, text: text.join("\n") + "\n", slangc, differs }
}

/// `30019 at 12`, `30019 at part.slang:3`.
fn error(said: &str) -> Error {
    let (number, place) = said.split_once(" at ").expect("a number and a place");
    let (file, line) = place.rsplit_once(':').unwrap_or(("main.slang", place));
    (format!("/{file}"), line.parse().expect("a line"), number.parse().expect("a number"))
}

fn found(db: &mut RootDatabase, documents: &mut Documents, text: &str) -> Vec<Error> {
    let fixture = Fixture::parse(text);
    let files: Vec<_> = fixture.files.iter().map(|file| documents.open(db, &file.path, &file.text)).collect();
    let opened = files.clone();
    let mut errors = Vec::new();
    for (file, parts) in files.into_iter().zip(&fixture.files) {
        let mut found = diagnostics(db, file);
        found.extend(import_failures(db, file));
        errors.extend(found.iter().filter(|found| found.severity == Severity::Error).map(|found| {
            let (line, _) = line_column(&parts.text, found.at.range.start().into());
            (parts.path.clone(), line + 1, found.code.0)
        }));
    }
    // Where nothing is wrong, each differentiable function is searched for derivatives that it loses.
    if errors.is_empty() {
        for file in opened {
            for item in scope::all_file_items(db, file).iter() {
                if let Some(reason) = differentiability::unread(db, *item) {
                    panic!("a function of this is not searched for lost derivatives: {reason}\n{text}");
                }
            }
        }
    }
    for parts in &fixture.files {
        documents.close(db, &parts.path, None);
    }
    errors
}

fn difference(slangc: &[Error], ours: &[Error]) -> Option<Difference> {
    match (slangc, ours) {
        ([], []) => None,
        ([], _) => Some(Difference::Rejected),
        (_, []) => Some(Difference::Accepted),
        _ if ours.iter().any(|error| slangc.contains(error)) => None,
        _ if ours.iter().any(|(file, line, _)| slangc.iter().any(|said| (&said.0, said.1) == (file, *line))) => {
            Some(Difference::Number)
        }
        _ => Some(Difference::Place),
    }
}

#[test]
fn verdicts_are_slangcs() {
    let (mut db, mut documents) = with_core_library();
    documents.load_glsl(&mut db);
    let mut problems = String::new();
    let (mut count, mut agreeing) = (0, 0);
    for (family, text) in FAMILIES {
        for case in cases(text) {
            let ours = found(&mut db, &mut documents, &case.text);
            let differs = difference(&case.slangc, &ours);
            count += 1;
            agreeing += usize::from(differs.is_none());
            if differs != case.differs {
                let (written, name) = (case.differs, case.name);
                writeln!(problems, "{family}: {name}: {differs:?}, not {written:?}: {ours:?}").expect("a string");
            }
        }
    }
    assert!(count >= 900, "{count} cases");
    assert!(problems.is_empty(), "{agreeing} of {count} agree\n{problems}");
}
