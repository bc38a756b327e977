//! What slangc 2026.14.1 says of every operator and of the core library's functions for all types of their operands, in
//! `tables.txt`: one cell for each pair of types, one statement a line.
//!
//! `tests/frontend/tables.py` writes the file and says what its marks are. A cell where the two verdicts differ is one that
//! may agree one day: then the file is written again.

use super::{Severity, all_diagnostics, database};

const TABLES: &str = include_str!("tables.txt");

/// The function that all statements of a table are in, and what it may use.
#[derive(Default)]
struct Frame<'a> {
    types: Vec<&'a str>,
    prelude: Vec<&'a str>,
    parameters: &'a str,
}

struct Table<'a> {
    statement: &'a str,
    columns: Vec<&'a str>,
    rows: Vec<(&'a str, &'a str)>,
}

fn read(text: &str) -> (Frame<'_>, Vec<Table<'_>>) {
    let (mut frame, mut tables) = (Frame::default(), Vec::<Table<'_>>::new());
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.split_once(' ') {
            Some(("types", types)) => frame.types = types.split(' ').collect(),
            Some(("prelude", line)) => frame.prelude.push(line),
            Some(("parameters", parameters)) => frame.parameters = parameters,
            Some(("table", statement)) => tables.push(Table { statement, columns: Vec::new(), rows: Vec::new() }),
            Some(("columns", columns)) => {
                tables.last_mut().expect("a table").columns = columns.split(' ').collect();
            }
            _ => {
                let row = line.split_once('|').expect("a row: its cells and its word");
                tables.last_mut().expect("a table").rows.push(row);
            }
        }
    }
    (frame, tables)
}

/// The parameter of a type.
fn value(ty: &str) -> String {
    format!("of_{}", ty.replace('[', "_").replace(']', ""))
}

fn statement(template: &str, row: &str, column: &str) -> String {
    let mut text = template.to_owned();
    for (mark, word) in [("@R", row), ("@C", column)] {
        text = text.replace(&format!("{mark}_type"), word).replace(&format!("{mark}_word"), word);
        text = text.replace(mark, &value(word));
    }
    text
}

/// The statements whose verdict is not that of their cell.
fn differences(frame: &Frame<'_>, table: &Table<'_>) -> Vec<String> {
    let mut cells = Vec::new();
    for (marks, row) in &table.rows {
        for (mark, column) in marks.chars().zip(&table.columns) {
            cells.push((mark, statement(table.statement, row, column)));
        }
    }
    let mut parameters: Vec<String> = frame.types.iter().map(|ty| format!("{ty} {}", value(ty))).collect();
    parameters.push(frame.parameters.to_owned());
    let statements: Vec<String> = cells.iter().map(|(_, statement)| format!("{{ {statement} }}")).collect();
    let before = frame.prelude.len() + 1;
    let text =
        format!("{}\nvoid f({}) {{\n{}\n}}\n", frame.prelude.join("\n"), parameters.join(", "), statements.join("\n"));
    let (db, _documents, file) = database(&text);
    let mut rejected = vec![false; cells.len()];
    for found in all_diagnostics(&db, file, &text).into_iter().filter(|found| found.severity == Severity::Error) {
        let cell = found.line.checked_sub(before).and_then(|cell| rejected.get_mut(cell));
        *cell.unwrap_or_else(|| panic!("{}: an error outside of the table: {}", table.statement, found.message)) = true;
    }
    let verdicts = cells.into_iter().zip(rejected);
    verdicts
        .filter(|((mark, _), rejected)| *rejected != matches!(mark, '!' | 'f'))
        .map(|((mark, statement), rejected)| {
            format!("`{statement}` is {}, its cell is `{mark}`", if rejected { "rejected" } else { "accepted" })
        })
        .collect()
}

#[test]
fn operators_and_functions_take_the_types_that_slangc_takes() {
    let (frame, tables) = read(TABLES);
    let different: Vec<String> = tables.iter().flat_map(|table| differences(&frame, table)).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}
