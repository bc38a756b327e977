//! Fixes that follow from what is written at a diagnostic and in front of it: where the message says the cure.

use ::diagnostics::codes;
use base_db::Db;
use hir_def::{attribute::ATTRIBUTES, modules};
use hir_ty::diagnostics::suggest;
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Code, Diagnostic, Fix};
use crate::{
    FilePosition, FileRange, TextEdit,
    text_before::{text_after, text_before},
};

type Make = fn(&dyn Db, &Diagnostic) -> Vec<Fix>;

/// By the diagnostic's number.
const FIXES: [(Code, Make); 12] = [
    (codes::UNEXPECTED_TOKEN, missing_token),
    (codes::NOT_ASSIGNABLE, mark_as_mutating),
    (codes::NOT_ASSIGNABLE, let_change),
    (codes::LOSSY_CONVERSION, convert),
    (codes::ARGUMENT_NOT_ASSIGNABLE, mark_as_mutating),
    (codes::ASSIGNMENT_AS_CONDITION, compare_or_wrap),
    (codes::ARROW_WITHOUT_POINTER, dot),
    (codes::OVERRIDE_MISSING, mark_as_override),
    (codes::UNKNOWN_ATTRIBUTE, known_attribute),
    (codes::UNUSED_VARIABLE, mark_as_unused),
    (codes::NOT_ACCESSIBLE, make_accessible),
    (codes::UNDECLARED_CAPABILITY, require),
];

pub(super) fn add_fixes(db: &dyn Db, found: &mut [Diagnostic]) {
    for diagnostic in found {
        for (_, make) in FIXES.iter().filter(|(code, _)| *code == diagnostic.code) {
            let fixes = make(db, diagnostic);
            diagnostic.fixes.extend(fixes);
        }
    }
}

/// What stands in front of a place, as its tokens that say something.
struct Before {
    text: String,
    tokens: Vec<(SyntaxKind, std::ops::Range<usize>)>,
    end: TextSize,
}

impl Before {
    fn of(db: &dyn Db, at: FileRange) -> Before {
        let end = at.range.start();
        let text = text_before(db, FilePosition { file: at.file, offset: end.into() });
        let lexed = lexer::lex(&text);
        let tokens = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia());
        let tokens = tokens.map(|index| (lexed.kind(index), lexed.range(index))).collect();
        Before { text, tokens, end }
    }

    fn token(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |(_, range)| &self.text[range.clone()])
    }

    /// The place in the file of an offset of the text.
    fn place(&self, offset: usize) -> Option<TextSize> {
        self.end.checked_sub(TextSize::new(u32::try_from(self.text.len() - offset).ok()?))
    }

    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for index in (0..=close).rev() {
            match self.token(index) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// The first token of the declaration that the text ends in, behind its attributes.
    fn declaration(&self) -> Option<TextSize> {
        let ends_declaration = |index: usize| {
            matches!(self.token(index), ";" | "{" | "}") || self.tokens[index].0 == SyntaxKind::DIRECTIVE
        };
        let mut first = self.tokens.len();
        while let Some(before) = first.checked_sub(1).filter(|before| !ends_declaration(*before)) {
            first = match self.token(before) {
                ")" => self.opening(before)?,
                "]" => {
                    let open = self.opening(before)?;
                    // Else it is the size of an array.
                    let is_attribute = open
                        .checked_sub(1)
                        .is_none_or(|around| ends_declaration(around) || matches!(self.token(around), "]" | "["));
                    if is_attribute {
                        break;
                    }
                    open
                }
                _ => before,
            };
        }
        self.place(self.tokens.get(first)?.1.start)
    }

    /// Where the bracket or the statement begins that the text ends in.
    fn inside(&self) -> Option<TextSize> {
        let mut index = self.tokens.len();
        while let Some(before) = index.checked_sub(1) {
            match self.token(before) {
                "(" | "[" | "{" | ";" => break,
                ")" | "]" | "}" => index = self.opening(before)?,
                _ => index = before,
            }
        }
        self.place(self.tokens.get(index)?.1.start)
    }
}

fn insertion(at: FileRange, offset: TextSize, text: &str) -> TextEdit {
    TextEdit { at: FileRange { range: TextRange::empty(offset), ..at }, text: text.to_owned() }
}

/// "expected `;`": behind the last token.
fn missing_token(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    const CLOSING: [&str; 3] = [";", ")", "]"];
    let expected = found.message.strip_prefix("expected `").and_then(|rest| rest.strip_suffix('`'));
    let Some(token) = expected.filter(|token| CLOSING.contains(token)) else { return Vec::new() };
    let before = Before::of(db, found.at);
    let end = before.tokens.last().and_then(|(_, range)| before.place(range.end));
    end.map(|end| Fix::new(format!("Insert `{token}`"), [insertion(found.at, end, token)])).into_iter().collect()
}

/// What the diagnostic says of the method is said at its name.
fn mark_as_mutating(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let Some(method) = found.related.iter().find(|related| related.message.contains("'[mutating]'")) else {
        return Vec::new();
    };
    let start = Before::of(db, method.at).declaration();
    let fix = start.map(|start| {
        Fix::new("Mark the method as [mutating]".to_owned(), [insertion(method.at, start, "[mutating] ")])
    });
    fix.into_iter().collect()
}

/// What is declared with `let` cannot change; with `var` it can.
fn let_change(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let Some(declared) = found.related.iter().find(|related| related.message.contains("'let'")) else {
        return Vec::new();
    };
    let head = Before::of(db, declared.at);
    let word = head.tokens.last().filter(|(_, range)| &head.text[range.clone()] == "let");
    let start = word.and_then(|(_, range)| head.place(range.start));
    let fix = start.map(|start| {
        let at = FileRange { range: TextRange::at(start, TextSize::of("let")), ..declared.at };
        Fix::new("Declare it with `var`".to_owned(), [TextEdit { at, text: "var".to_owned() }])
    });
    fix.into_iter().collect()
}

/// Who converts in words means it.
fn convert(_: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let to = found.message.rsplit_once("to '").and_then(|(_, rest)| rest.split_once('\''));
    let Some((to, _)) = to else { return Vec::new() };
    let is_name = to.chars().all(|c| c == '_' || c.is_alphanumeric() || matches!(c, '<' | '>' | ',' | ' '));
    if !is_name || found.at.range.is_empty() {
        return Vec::new();
    }
    let edits = [
        insertion(found.at, found.at.range.start(), &format!("{to}(")),
        insertion(found.at, found.at.range.end(), ")"),
    ];
    vec![Fix::new(format!("Convert by `{to}(…)`"), edits)]
}

/// The diagnostic is at the `=`.
fn compare_or_wrap(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let compare = TextEdit { at: found.at, text: "==".to_owned() };
    let mut fixes = vec![Fix::new("Compare by `==`".to_owned(), [compare])];
    let after = text_after(db, FilePosition { file: found.at.file, offset: found.at.range.end().into() });
    if let (Some(start), Some(length)) = (Before::of(db, found.at).inside(), rest_of_bracket(&after)) {
        let end = found.at.range.end() + length;
        let edits = [insertion(found.at, start, "("), insertion(found.at, end, ")")];
        fixes.push(Fix::new("Say that this is meant: wrap in parentheses".to_owned(), edits));
    }
    fixes
}

/// How much of a text belongs to the bracket or the statement that it begins in.
fn rest_of_bracket(text: &str) -> Option<TextSize> {
    let lexed = lexer::lex(text);
    let mut depth = 0usize;
    let mut end = None;
    for index in (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()) {
        let range = lexed.range(index);
        match &text[range.clone()] {
            ")" | "]" | "}" | ";" if depth == 0 => return end,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        end = u32::try_from(range.end).ok().map(TextSize::new);
    }
    None
}

/// The diagnostic is at the member's name.
fn dot(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let before = Before::of(db, found.at);
    let arrow = before.tokens.last().filter(|(_, range)| &before.text[range.clone()] == "->");
    let range = arrow.and_then(|(_, range)| Some(TextRange::new(before.place(range.start)?, before.place(range.end)?)));
    let edit = range.map(|range| TextEdit { at: FileRange { range, ..found.at }, text: ".".to_owned() });
    edit.map(|edit| Fix::new("Replace by '.'".to_owned(), [edit])).into_iter().collect()
}

/// What is hidden is said at its name. In its module it is enough that it is not private.
fn make_accessible(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let Some(hidden) = found.related.iter().find(|related| related.message.ends_with("is declared here")) else {
        return Vec::new();
    };
    if modules::is_prelude(db, hidden.at.file) {
        return Vec::new();
    }
    let in_module = modules::module_root(db, hidden.at.file) == modules::module_root(db, found.at.file);
    let wanted = if in_module { "internal" } else { "public" };
    let head = Before::of(db, hidden.at);
    let Some(start) = head.declaration() else { return Vec::new() };
    let written = head.tokens.iter().find_map(|(_, range)| {
        let is_modifier = matches!(&head.text[range.clone()], "private" | "internal");
        let at = head.place(range.start).filter(|at| is_modifier && *at >= start)?;
        Some(TextRange::at(at, TextSize::new(range.len() as u32)))
    });
    let edit = match written {
        Some(range) => TextEdit { at: FileRange { range, ..hidden.at }, text: wanted.to_owned() },
        None => insertion(hidden.at, start, &format!("{wanted} ")),
    };
    let name = db.text(hidden.at.file).map(|text| text.slice(hidden.at.range.into())).unwrap_or_default();
    vec![Fix::new(format!("Declare `{name}` as '{wanted}'"), [edit])]
}

/// What a function uses and does not require goes into its `[require(…)]`, if it has just one. The diagnostic is at the name.
fn require(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let missing =
        found.message.split_once(" uses ").and_then(|(_, rest)| rest.split_once(", which it does not declare"));
    let Some((missing, _)) = missing else { return Vec::new() };
    let names: Vec<&str> = missing.split(", ").map(|name| name.trim_matches('\'')).collect();
    let are_known = names.iter().all(|name| checks::capability_description(name).is_some());
    let head = Before::of(db, found.at);
    let behind = (0..head.tokens.len()).rev().find(|index| matches!(head.token(*index), ";" | "{" | "}"));
    let own = behind.map_or(0, |behind| behind + 1)..head.tokens.len();
    let mut written = own.clone().filter(|index| head.token(*index) == "require" && head.token(index + 1) == "(");
    let (Some(only), None) = (written.next(), written.next()) else { return Vec::new() };
    let close = own.filter(|index| *index > only).find(|index| head.token(*index) == ")");
    let end = close.and_then(|close| head.place(head.tokens[close].1.start)).filter(|_| are_known);
    let title = format!("Require {missing}");
    let fix = end.map(|end| Fix::new(title, [insertion(found.at, end, &format!(", {}", names.join(", ")))]));
    fix.into_iter().collect()
}

fn mark_as_override(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let start = Before::of(db, found.at).declaration();
    let fix = start.map(|start| Fix::new("Mark as 'override'".to_owned(), [insertion(found.at, start, "override ")]));
    fix.into_iter().collect()
}

fn known_attribute(db: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let Some(text) = db.text(found.at.file).map(|text| text.slice(found.at.range.into())) else { return Vec::new() };
    let name = text.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or_default();
    let known = ATTRIBUTES.iter().filter(|info| info.is_public()).flat_map(|info| info.spellings).copied();
    let Some(near) = suggest::nearest(name, known).filter(|_| !name.is_empty()) else { return Vec::new() };
    let at = FileRange { range: TextRange::at(found.at.range.start(), TextSize::of(name)), ..found.at };
    vec![Fix::new(format!("Replace by '{near}'"), [TextEdit { at, text: near.to_owned() }])]
}

fn mark_as_unused(_: &dyn Db, found: &Diagnostic) -> Vec<Fix> {
    let title = "Say that this is meant: begin the name with `_`";
    vec![Fix::new(title.to_owned(), [insertion(found.at, found.at.range.start(), "_")])]
}
