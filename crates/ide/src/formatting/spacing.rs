//! The spaces between tokens that a style decides on: where the brace of a body stands, how many empty lines are kept, the
//! space in front of a condition. Lines are indented afterwards.

use std::ops::Range;

use syntax::{SyntaxKind, lexer};

use super::{
    FormatOptions,
    style::{Braces, SpaceBeforeParens},
};

struct Token<'t> {
    kind: SyntaxKind,
    text: &'t str,
    range: Range<usize>,
}

/// The text with the spaces that the style wants, but for indentation.
pub(super) fn spaced(text: &str, options: FormatOptions) -> String {
    let lexed = lexer::lex(text);
    let tokens: Vec<Token<'_>> = (0..lexed.len())
        .map(|index| Token { kind: lexed.kind(index), text: &text[lexed.range(index)], range: lexed.range(index) })
        .filter(|token| token.kind != SyntaxKind::WHITESPACE)
        .collect();
    let off = switched_off(text);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let several = on_several_lines(text, &tokens);
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for (index, token) in tokens.iter().enumerate() {
        let gap = &text[end..token.range.start];
        let is_off = off.iter().any(|off| off.start < token.range.start && end < off.end);
        match index.checked_sub(1).map(|before| &tokens[before]).filter(|_| !is_off) {
            Some(before) => {
                let is_long = if token.text == "{" { several[index] } else { several[index - 1] };
                result.push_str(&new_gap(gap, before, token, &tokens[..index], is_long, options, newline));
            }
            None => result.push_str(gap),
        }
        result.push_str(token.text);
        end = token.range.end;
    }
    result.push_str(&text[end..]);
    result
}

/// What stands between two tokens; `is_long` says that the braces which one of them belongs to are on several lines.
fn new_gap(
    gap: &str,
    before: &Token<'_>,
    token: &Token<'_>,
    all_before: &[Token<'_>],
    is_long: bool,
    options: FormatOptions,
    newline: &str,
) -> String {
    let lines = gap.matches('\n').count();
    let may_move = !matches!(before.kind, SyntaxKind::COMMENT | SyntaxKind::DIRECTIVE);
    let is_control = matches!(before.text, "if" | "for" | "while" | "switch");
    if token.text == "(" && is_control && lines == 0 {
        return match options.space_before_parens {
            SpaceBeforeParens::AsWritten => gap.to_owned(),
            SpaceBeforeParens::Always => " ".to_owned(),
            SpaceBeforeParens::Never => String::new(),
        };
    }
    if token.text == "{" && may_move && is_long && is_body(all_before) {
        match options.braces {
            Braces::OwnLine if lines == 0 => return newline.to_owned(),
            Braces::Attached if lines > 0 => return " ".to_owned(),
            Braces::OwnLine | Braces::Attached | Braces::AsWritten => {}
        }
    }
    if token.text == "else" && before.text == "}" && is_long {
        match options.braces {
            Braces::OwnLine if lines == 0 => return newline.to_owned(),
            Braces::Attached if lines > 0 => return " ".to_owned(),
            Braces::OwnLine | Braces::Attached | Braces::AsWritten => {}
        }
    }
    match options.max_empty_lines {
        Some(most) if lines > most as usize + 1 => {
            let indentation = gap.rfind('\n').map_or("", |last| &gap[last + 1..]);
            // What ends the line in front stays there.
            let first = gap.find('\n').map_or("", |first| gap[..first].trim_end_matches('\r'));
            format!("{first}{}{indentation}", newline.repeat(most as usize + 1))
        }
        _ => gap.to_owned(),
    }
}

/// Whether a brace behind these tokens begins the body of something that is named in front of it.
fn is_body(before: &[Token<'_>]) -> bool {
    let mut depth = 0_u32;
    let mut last = None;
    for token in before.iter().rev().filter(|token| token.kind != SyntaxKind::COMMENT) {
        if token.kind == SyntaxKind::DIRECTIVE {
            return false;
        }
        last.get_or_insert(token);
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" if depth > 0 => depth -= 1,
            // In the arguments of a call.
            "(" | "[" => return false,
            ";" | "{" | "}" if depth == 0 => break,
            // `x = { … }`; of a default argument the parentheses are closed.
            "=" | "return" | "=>" if depth == 0 => return false,
            _ => {}
        }
    }
    // A block by itself, an element of a list, a label.
    let is_head = |token: &Token<'_>| {
        matches!(token.text, ")" | ">" | "]") || token.kind == SyntaxKind::IDENT && token.text != "in"
    };
    last.is_some_and(is_head)
}

/// For each brace of a pair, whether there is a line between the two.
fn on_several_lines(text: &str, tokens: &[Token<'_>]) -> Vec<bool> {
    let mut several = vec![false; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => open.push(index),
            "}" => {
                if let Some(opened) = open.pop() {
                    let is_long = text[tokens[opened].range.end..token.range.start].contains('\n');
                    (several[opened], several[index]) = (is_long, is_long);
                }
            }
            _ => {}
        }
    }
    several
}

/// What comments begin with that switch formatting off and on.
pub(super) const SWITCH: &str = "clang-format";

/// From each `// clang-format off` to the line of the `// clang-format on` behind it, or to the end.
pub(super) fn switched_off(text: &str) -> Vec<Range<usize>> {
    let lexed = lexer::lex(text);
    let mut off: Vec<Range<usize>> = Vec::new();
    let mut begins = None;
    for index in (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::COMMENT) {
        let range = lexed.range(index);
        let comment = text[range.clone()].trim_start_matches(['/', '*']).trim_end_matches(['/', '*']).trim();
        match (comment.strip_prefix(SWITCH), begins) {
            (Some(" off"), None) => begins = Some(range.start),
            (Some(" on"), Some(start)) => {
                off.push(start..text[..range.start].trim_end_matches([' ', '\t']).len());
                begins = None;
            }
            _ => {}
        }
    }
    off.extend(begins.map(|start| start..text.len()));
    off
}
