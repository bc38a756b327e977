//! What every name of a program without errors has, whatever it is: a colour, an explanation, a declaration, a place among the
//! references to its declaration and among what completion offers where it stands; and what every call has.
//!
//! The programs are fixtures of one language construct each. `EVERY_NAME_OF` in the environment names a folder of others,
//! `EVERY_NAME_PART` is `2/5` for the second fifth of it, `EVERY_NAME_ASK` a part of the questions.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use base_db::{Db as _, RootDatabase, SourceFile, documents::Documents};
use ide::{
    FilePosition, FileRange, TextEdit,
    assists::assists,
    completion::completion,
    definition::definition,
    diagnostics::{Severity, diagnostics},
    formatting::{FormatOptions, formatting},
    hover::hover,
    inlay_hints::{InlayHintKind, inlay_hints},
    references::references,
    rename::{prepare_rename, rename},
    semantic_tokens::{Token, TokenKind, semantic_tokens},
    signature_help::signature_help,
    symbols::{Symbol, document_symbols},
};
use syntax::{
    NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize,
    ast::{self, AstNode},
    lexer, parse_file,
};
use test_support::{database::with_core_library, fixture::Fixture};

/// A name nothing has.
const FRESH: &str = "a_name_that_nothing_has";

/// A program and what is asked about it again and again.
struct Program<'a> {
    db: &'a RootDatabase,
    file: SourceFile,
    text: &'a str,
    tokens: Vec<Token>,
}

impl Program<'_> {
    fn at(&self, offset: TextSize) -> FilePosition {
        FilePosition { file: self.file, offset: offset.into() }
    }

    fn here(&self, range: TextRange) -> FileRange {
        FileRange { file: self.file, range }
    }
}

/// Whether a name of a program has something.
type Question = fn(&Program<'_>, &SyntaxToken) -> bool;

/// What is asked about each name.
const QUESTIONS: &[(&str, Question)] = &[
    ("has a semantic token", has_token),
    ("has a hover", |program, name| hover(program.db, program.at(name.text_range().start())).is_some()),
    ("has a definition", |program, name| {
        is_of_no_declaration(name) || !definition(program.db, program.at(name.text_range().start())).is_empty()
    }),
    ("is a reference of itself", |program, name| {
        let at = program.at(name.text_range().start());
        let declared = named_declarations(program, name);
        // What the compiler knows by itself has no list of uses.
        let is_type_of_library = |declared: &FileRange| declared.file != program.file && is_type(program, name);
        declared.is_empty() || declared.iter().any(is_type_of_library) || is_among_references(program, at, name)
    }),
    ("is a reference of its declaration", |program, name| {
        let declared = named_declarations(program, name);
        let mut here = declared.iter().filter(|declared| declared.file == program.file);
        here.all(|declared| is_among_references(program, program.at(declared.range.start()), name))
    }),
    ("is offered by completion", |program, name| {
        let offered = completion(program.db, program.at(name.text_range().start()));
        offered.iter().any(|item| item.label.eq_ignore_ascii_case(name.text()))
            || is_new_name(name)
            || is_part_of_value(name)
    }),
];

/// The declarations to which a name leads and which have this name: a part of a pair leads to its type.
fn named_declarations(program: &Program<'_>, name: &SyntaxToken) -> Vec<FileRange> {
    let mut declared = definition(program.db, program.at(name.text_range().start()));
    declared.retain(|declared| {
        let text = program.db.text(declared.file).expect("it is there").slice(declared.range.into());
        text == name.text()
    });
    declared
}

fn is_type(program: &Program<'_>, name: &SyntaxToken) -> bool {
    let kind = program.tokens.iter().find(|token| token.range == name.text_range()).map(|token| token.kind);
    matches!(kind, Some(TokenKind::Type | TokenKind::Struct | TokenKind::Interface | TokenKind::Enum))
}

/// What the language alone knows: attributes, semantics, `void`, components of vectors.
fn is_of_no_declaration(name: &SyntaxToken) -> bool {
    let is_attribute = || {
        let path = name.parent().and_then(|name| name.parent());
        path.and_then(|path| path.parent()).is_some_and(|parent| parent.kind() == SyntaxKind::ATTRIBUTE)
    };
    name.text() == "void" || is_semantic(name) || is_attribute() || is_part_of_value(name)
}

fn is_semantic(name: &SyntaxToken) -> bool {
    name.parent_ancestors().any(|node| node.kind() == SyntaxKind::SEMANTIC)
}

/// Components of vectors, elements of matrices and tuples, one by one and in any order.
fn is_part_of_value(name: &SyntaxToken) -> bool {
    let is_member = || name.parent_ancestors().nth(1).is_some_and(|node| node.kind() == SyntaxKind::FIELD_EXPR);
    let text = name.text();
    let are_all = |letters: &str| text.chars().all(|letter| letters.contains(letter));
    let is_numbered =
        || text.starts_with('_') && text.chars().all(|letter| "_m".contains(letter) || letter.is_ascii_digit());
    (are_all("xyzw") || are_all("rgba") || is_numbered()) && is_member()
}

fn has_token(program: &Program<'_>, name: &SyntaxToken) -> bool {
    is_semantic(name) || program.tokens.iter().any(|token| token.range.contains_range(name.text_range()))
}

fn is_among_references(program: &Program<'_>, at: FilePosition, name: &SyntaxToken) -> bool {
    let here = program.here(name.text_range());
    references(program.db, at).unwrap_or_default().iter().any(|reference| reference.at == here)
}

/// What a declaration calls itself, nothing can offer.
fn is_new_name(name: &SyntaxToken) -> bool {
    name.parent().is_some_and(|parent| parent.kind() == SyntaxKind::NAME)
}

/// Whether conditions of the preprocessor exclude code.
fn is_excluded(program: &Program<'_>, range: TextRange) -> bool {
    let is_dimmed = |token: &Token| token.kind == TokenKind::Comment && token.range.intersect(range).is_some();
    program.tokens.iter().any(is_dimmed)
}

/// The names of a program, but those in code that conditions exclude.
fn names(program: &Program<'_>) -> Vec<SyntaxToken> {
    let tree = parse_file(program.text).syntax_node();
    let tokens = tree.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let names = tokens.filter(|token| token.kind() == SyntaxKind::IDENT && !is_of_another_language(token));
    let names = names.filter(|token| !is_argument_of_macro(program, token.text_range()));
    names.filter(|token| !is_excluded(program, token.text_range())).collect()
}

/// What stands in the parentheses of a macro means what the macro makes of it, which may be several things.
fn is_argument_of_macro(program: &Program<'_>, range: TextRange) -> bool {
    let mut macros = program.tokens.iter().filter(|token| token.kind == TokenKind::Macro);
    macros.any(|used| {
        let start = usize::from(used.range.end());
        let end = usize::from(range.start()).max(start);
        let between = &program.text[start..end];
        let open = between.matches('(').count();
        between.trim_start().starts_with('(') && open > between.matches(')').count()
    })
}

/// Directives, the arguments of modifiers (`layout(location = 0)`), assembly, and what the core library keeps for itself.
fn is_of_another_language(name: &SyntaxToken) -> bool {
    let is_other = |node: SyntaxNode| {
        matches!(node.kind(), SyntaxKind::DIRECTIVE | SyntaxKind::TOKEN_TREE | SyntaxKind::SPIRV_ASM_EXPR)
    };
    let is_target = || name.parent_ancestors().any(|node| node.text().to_string().starts_with("__AttributeUsage"));
    name.parent_ancestors().any(is_other) || name.text().starts_with("__") || is_target()
}

/// Failures by what failed.
#[derive(Default)]
struct Failures(BTreeMap<String, Vec<String>>);

impl Failures {
    fn add(&mut self, what: &str, program: &Program<'_>, at: TextSize, word: &str) {
        let before = &program.text[..usize::from(at)];
        let line = before.matches('\n').count();
        let shown = program.text.lines().nth(line).unwrap_or_default().trim();
        let place = format!("{}:{} `{word}`: {shown}", program.file.path(program.db), line + 1);
        self.0.entry(what.to_owned()).or_default().push(place);
    }
}

fn has_errors(db: &RootDatabase, file: SourceFile) -> bool {
    diagnostics(db, file).iter().any(|found| found.severity == Severity::Error)
}

fn ask_about_names(program: &Program<'_>, failures: &mut Failures) {
    let asked = std::env::var("EVERY_NAME_ASK").unwrap_or_default();
    for name in names(program) {
        for (what, holds) in QUESTIONS.iter().filter(|(what, _)| what.contains(&asked)) {
            if !holds(program, &name) {
                failures.add(what, program, name.text_range().start(), name.text());
            }
        }
    }
}

/// In the parentheses of a call, help shows what is called and the argument that one is at.
fn ask_about_calls(program: &Program<'_>, failures: &mut Failures) {
    let tree = parse_file(program.text).syntax_node();
    for call in tree.descendants().filter(|node| node.kind() == SyntaxKind::CALL_EXPR) {
        let Some(arguments) = call.children().find(|child| child.kind() == SyntaxKind::ARG_LIST) else { continue };
        let Some(name) = called_name(&call) else { continue };
        let is_macro = |token: &Token| token.range == name.text_range() && token.kind == TokenKind::Macro;
        if program.tokens.iter().any(is_macro) || is_excluded(program, call.text_range()) {
            continue;
        }
        for (index, argument) in arguments.children().filter(|child| child.kind() != SyntaxKind::ERROR).enumerate() {
            let at = argument.text_range().start();
            let help = signature_help(program.db, program.at(at));
            let Some(help) = help else {
                failures.add("call has help", program, at, name.text());
                continue;
            };
            if help.active_parameter != Some(index as u32) {
                failures.add("active parameter", program, at, name.text());
            }
            let names_it = |signature: &ide::signature_help::Signature| signature.label.contains(name.text());
            if !help.signatures.iter().any(names_it) {
                let labels: Vec<&str> = help.signatures.iter().map(|signature| signature.label.as_str()).collect();
                failures.add("help names what is called", program, at, &format!("{} {labels:?}", name.text()));
            }
        }
    }
}

/// The last name of what is called.
fn called_name(call: &SyntaxNode) -> Option<SyntaxToken> {
    let callee = call.first_child()?;
    let last = callee.children().filter(|child| child.kind() == SyntaxKind::NAME_REF).last()?;
    last.first_token()
}

/// Everything that declares is in the outline.
fn ask_about_outline(program: &Program<'_>, failures: &mut Failures) {
    fn collect(symbols: &[Symbol], out: &mut Vec<TextRange>) {
        for symbol in symbols {
            out.push(symbol.name_range.range);
            collect(&symbol.children, out);
        }
    }
    let mut listed = Vec::new();
    collect(&document_symbols(program.db, program.file), &mut listed);
    let tree = parse_file(program.text).syntax_node();
    for name in tree.descendants().filter(|node| node.kind() == SyntaxKind::NAME) {
        let is_inside = name.ancestors().any(|node| {
            matches!(
                node.kind(),
                SyntaxKind::BLOCK_STMT
                    | SyntaxKind::PARAM_LIST
                    | SyntaxKind::GENERIC_PARAM_LIST
                    | SyntaxKind::LAMBDA_EXPR
                    | SyntaxKind::TYPEDEF_DECL
            )
        });
        let is_made = is_argument_of_macro(program, name.text_range());
        if !is_inside && !is_made && !listed.contains(&name.text_range()) && !is_excluded(program, name.text_range()) {
            failures.add("outline lists it", program, name.text_range().start(), &name.text().to_string());
        }
    }
}

/// The words and marks of a text.
fn words(text: &str) -> Vec<&str> {
    let lexed = lexer::lex(text);
    let all = (0..lexed.len()).map(|index| (lexed.kind(index), &text[lexed.range(index)]));
    all.filter(|(kind, _)| !kind.is_trivia()).map(|(_, text)| text).collect()
}

fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    let mut text = text.to_owned();
    edits.sort_by_key(|edit| (edit.at.range.start(), edit.at.range.end()));
    for edit in edits.into_iter().rev() {
        text.replace_range(std::ops::Range::<usize>::from(edit.at.range), &edit.text);
    }
    text
}

/// Formatting changes no word, and nothing is left to do after it.
fn ask_about_formatting(db: &mut RootDatabase, documents: &mut Documents, path: &str, text: &str) -> Vec<&'static str> {
    let options = FormatOptions::indentation(4, true);
    let mut failed = Vec::new();
    let mut format = |text: &str| {
        let file = documents.open(db, path, text);
        edited(text, formatting(&*db, file, TextRange::up_to(TextSize::of(text)), options))
    };
    let once = format(text);
    if words(&once) != words(text) {
        failed.push("formatting changes no word");
    }
    if format(&once) != once {
        failed.push("formatting is done at once");
    }
    documents.open(db, path, text);
    failed
}

/// Names of parameters stand in front of arguments, never of what a method is called on; a type that may be written makes no
/// error.
fn ask_about_hints(db: &mut RootDatabase, documents: &mut Documents, path: &str, text: &str, failures: &mut Failures) {
    let file = documents.open(db, path, text);
    let hints = inlay_hints(&*db, file, TextRange::up_to(TextSize::of(text)));
    let tree = parse_file(text).syntax_node();
    let lists = tree.descendants().filter(|node| node.kind() == SyntaxKind::ARG_LIST);
    let arguments: Vec<u32> = lists
        .flat_map(|list| list.children().map(|argument| u32::from(argument.text_range().start())).collect::<Vec<_>>())
        .collect();
    let mut written = text.to_owned();
    let program = Program { db, file, text, tokens: semantic_tokens(db, file) };
    for hint in hints.iter().rev() {
        let is_of_macro = program
            .tokens
            .iter()
            .any(|token| token.kind == TokenKind::Macro && token.range.contains_inclusive(TextSize::new(hint.offset)));
        if hint.kind == InlayHintKind::Parameter && !arguments.contains(&hint.offset) && !is_of_macro {
            failures.add("a hint stands in front of an argument", &program, hint.offset.into(), &hint.label);
        }
    }
    for hint in hints.iter().rev().filter(|hint| hint.kind == InlayHintKind::Type && hint.can_be_written) {
        written.insert_str(hint.offset as usize, &hint.label);
    }
    let file = documents.open(db, path, &written);
    if has_errors(db, file) {
        let said: Vec<_> = diagnostics(db, file).into_iter().map(|found| found.message).collect();
        let program = Program { db, file, text: &written, tokens: Vec::new() };
        failures.add("hints of types can be written", &program, TextSize::new(0), &format!("{said:?}"));
    }
    documents.open(db, path, text);
}

/// How often a change is tried in a program under one title.
const TRIES: usize = 1;

/// What is offered to change leaves no error.
fn ask_about_assists(
    db: &mut RootDatabase,
    documents: &mut Documents,
    path: &str,
    text: &str,
    failures: &mut Failures,
) {
    let file = documents.open(db, path, text);
    let program = Program { db, file, text, tokens: semantic_tokens(db, file) };
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    let mut changes = Vec::new();
    for name in names(&program) {
        let whole = name.parent_ancestors().find(|node| ast::Expr::can_cast(node.kind())).map(|node| node.text_range());
        let selections = [Some(TextRange::empty(name.text_range().start())), whole];
        for range in selections.into_iter().flatten() {
            for assist in assists(db, program.here(range)) {
                let title = assist.title.split('`').step_by(2).collect::<String>();
                let count = tried.entry(title).or_default();
                *count += 1;
                if *count <= TRIES {
                    changes.push((assist, range.start(), name.text().to_owned()));
                }
            }
        }
    }
    for (assist, at, name) in changes {
        let here: Vec<TextEdit> = assist.edits.into_iter().filter(|edit| edit.at.file == file).collect();
        let changed = edited(text, here);
        let after = documents.open(db, path, &changed);
        if has_errors(db, after) {
            let said: Vec<_> = diagnostics(db, after)
                .into_iter()
                .filter(|found| found.severity == Severity::Error)
                .map(|found| found.message)
                .collect();
            let program = Program { db, file, text, tokens: Vec::new() };
            failures.add("a change leaves no error", &program, at, &format!("{name}: {} {said:?}", assist.title));
        }
    }
    documents.open(db, path, text);
}

/// Each declared name can get another, after which the program is the same but for it.
fn ask_about_renaming(
    db: &mut RootDatabase,
    documents: &mut Documents,
    path: &str,
    text: &str,
    failures: &mut Failures,
) {
    let file = documents.open(db, path, text);
    let summary = |db: &RootDatabase, file: SourceFile| -> Vec<u32> {
        diagnostics(db, file)
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .map(|found| found.code.0)
            .collect()
    };
    let before = summary(db, file);
    let declared: Vec<(TextRange, String)> = {
        let program = Program { db, file, text, tokens: semantic_tokens(db, file) };
        let is_declared =
            |name: &SyntaxToken| is_new_name(name) && prepare_rename(db, program.at(name.text_range().start())).is_ok();
        let declared = names(&program).into_iter().filter(is_declared);
        declared.map(|name| (name.text_range(), name.text().to_owned())).collect()
    };
    // Uses of an attribute leave out what the name of its struct ends with.
    for (range, name) in declared.into_iter().filter(|(_, name)| !name.ends_with("Attribute")) {
        let file = documents.open(db, path, text);
        let at = FilePosition { file, offset: range.start().into() };
        let program = |failures: &mut Failures, what: &str, said: &str, db: &RootDatabase| {
            let program = Program { db, file, text, tokens: Vec::new() };
            failures.add(what, &program, range.start(), said);
        };
        match rename(&*db, at, FRESH) {
            Ok(edits) => {
                let renamed = edited(text, edits.into_iter().filter(|edit| edit.at.file == file).collect());
                let back =
                    words(&renamed).iter().map(|word| if *word == FRESH { &name } else { *word }).collect::<Vec<_>>();
                if back != words(text) {
                    program(failures, "renaming changes nothing else", &name, db);
                }
                let file = documents.open(db, path, &renamed);
                let after = summary(db, file);
                if after != before {
                    let said: Vec<_> = diagnostics(db, file).into_iter().map(|found| found.message).collect();
                    program(failures, "renaming keeps the meaning", &format!("{name} {said:?}"), db);
                }
            }
            // What cannot be seen is refused with its place.
            Err(why) if why.contains("where a rename would miss it") => {}
            Err(why) => program(failures, "renaming is possible", &format!("{name} {why}"), db),
        }
    }
    documents.open(db, path, text);
}

fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = match std::env::var("EVERY_NAME_OF") {
        Ok(folder) => vec![PathBuf::from(folder)],
        Err(_) => vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/constructs")],
    };
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the folder can be read");
            waiting.extend(entries.map(|entry| entry.expect("a folder can be read").path()));
        } else if path.extension().is_some_and(|extension| extension == "slang") {
            found.push(path);
        }
    }
    found.sort();
    let part = std::env::var("EVERY_NAME_PART").unwrap_or_else(|_| "1/1".to_owned());
    let (part, parts) = part.split_once('/').expect("`part/parts`");
    let (part, parts): (usize, usize) = (part.parse().expect("a number"), parts.parse().expect("a number"));
    found.into_iter().enumerate().filter(|(index, _)| index % parts + 1 == part).map(|(_, path)| path).collect()
}

#[test]
fn every_name_and_call_has_what_it_should() {
    let mut failures = Failures::default();
    let (mut asked, mut skipped) = (0, 0);
    let (mut db, mut documents) = with_core_library();
    documents.load_glsl(&mut db);
    for path in programs() {
        let Ok(written) = std::fs::read_to_string(&path) else { continue };
        let shown = path.display().to_string();
        let text = &match std::env::var("EVERY_NAME_OF") {
            Ok(_) => written,
            Err(_) => Fixture::parse(&written).files.into_iter().map(|file| file.text).next_back().unwrap_or_default(),
        };
        let file = documents.open(&mut db, &shown, text);
        if has_errors(&db, file) {
            skipped += 1;
        } else {
            asked += 1;
            let program = Program { db: &db, file, text, tokens: semantic_tokens(&db, file) };
            ask_about_names(&program, &mut failures);
            ask_about_calls(&program, &mut failures);
            ask_about_outline(&program, &mut failures);
            for what in ask_about_formatting(&mut db, &mut documents, &shown, text) {
                failures.0.entry(what.to_owned()).or_default().push(shown.clone());
            }
            ask_about_hints(&mut db, &mut documents, &shown, text, &mut failures);
            ask_about_assists(&mut db, &mut documents, &shown, text, &mut failures);
            ask_about_renaming(&mut db, &mut documents, &shown, text, &mut failures);
        }
        documents.close(&mut db, &shown, None);
    }
    let told: Vec<String> =
        failures.0.iter().map(|(what, places)| format!("== {what}: {}\n{}", places.len(), places.join("\n"))).collect();
    assert!(told.is_empty(), "{}\n{asked} programs, {skipped} with errors", told.join("\n"));
    assert!(asked > skipped, "{asked} programs, {skipped} with errors");
}
