//! Formatting of whole files: tokens stay, and what is formatted stays as it is.

use std::path::Path;

use base_db::Db as _;
use ide::formatting::{FormatOptions, formatting};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};
use test_support::database::with_core_library;

/// What a text says: its tokens without the spaces, comments without those at the ends and beginnings of their lines.
fn tokens(text: &str) -> Vec<String> {
    let lexed = lexer::lex(text);
    let of_code = (0..lexed.len()).filter(|index| lexed.kind(*index) != SyntaxKind::WHITESPACE);
    of_code.map(|index| text[lexed.range(index)].lines().map(str::trim).collect::<Vec<_>>().join("\n")).collect()
}

pub(crate) fn slang_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            slang_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "slang") {
            found.push(path);
        }
    }
}

#[test]
fn tokens_stay_and_what_is_formatted_stays() {
    let (mut db, mut documents) = with_core_library();
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    slang_files(&root.join("fixtures"), &mut files);
    slang_files(&root.join("crates/prelude/slang"), &mut files);
    assert!(files.len() > 100, "{}", files.len());
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let of_clang_format = |text| FormatOptions::of_clang_format(text).expect("it formats");
        for options in [
            FormatOptions::indentation(4, true),
            FormatOptions::indentation(2, true),
            FormatOptions::indentation(4, false),
            of_clang_format("BasedOnStyle: Google"),
            of_clang_format(
                "BasedOnStyle: Microsoft\nUseTab: Always\nMaxEmptyLinesToKeep: 0\nSpaceBeforeParens: Never",
            ),
        ] {
            let mut formatted = |text: &str| {
                let file = documents.open(&mut db, "/main.slang", text);
                let all = TextRange::up_to(TextSize::new(u32::MAX));
                let edits = formatting(&db, file, all, options);
                let mut text = db.text(file).expect("it is open").rope().to_string();
                for edit in edits.into_iter().rev() {
                    text.replace_range(std::ops::Range::<usize>::from(edit.at.range), &edit.text);
                }
                text
            };
            let once = formatted(&text);
            assert_eq!(tokens(&once), tokens(&text), "{}", path.display());
            assert_eq!(formatted(&once), once, "{}", path.display());
        }
    }
}

#[test]
fn what_is_switched_off_stays() {
    let (mut db, mut documents) = with_core_library();
    let text = "float a;\n  float b;\n// clang-format off\n  float c;   \n  // clang-format on\n  float d;\n";
    let file = documents.open(&mut db, "/main.slang", text);
    let all = TextRange::up_to(TextSize::new(u32::MAX));
    let mut result = text.to_owned();
    for edit in formatting(&db, file, all, FormatOptions::indentation(4, true)).into_iter().rev() {
        result.replace_range(std::ops::Range::<usize>::from(edit.at.range), &edit.text);
    }
    assert_eq!(result, "float a;\nfloat b;\n// clang-format off\n  float c;   \n// clang-format on\nfloat d;\n");
}

/// A range of lines is formatted as it is with the whole file.
#[test]
fn a_range_is_formatted_as_with_the_file() {
    let (mut db, mut documents) = with_core_library();
    let mut files = Vec::new();
    slang_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"), &mut files);
    let all = TextRange::up_to(TextSize::new(u32::MAX));
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let file = documents.open(&mut db, "/main.slang", &text);
        for options in [FormatOptions::indentation(2, true), FormatOptions::indentation(8, false)] {
            let whole = formatting(&db, file, all, options);
            let mut start = 0;
            for (number, line) in text.split_inclusive('\n').enumerate() {
                let range = TextRange::at(TextSize::new(start), TextSize::of(line));
                start += line.len() as u32;
                if number % 13 != 0 {
                    continue;
                }
                let touched = whole.iter().filter(|edit| edit.at.range.intersect(range).is_some());
                let wanted: Vec<_> = touched.cloned().collect();
                assert_eq!(formatting(&db, file, range, options), wanted, "{} line {}", path.display(), number + 1);
            }
        }
    }
}
