//! Recognises, from a few tokens, where declarations begin.

use std::ops::Range;

use crate::keywords::{ModifierUse, modifier_use};
use crate::lexer::Lexed;
use crate::{SyntaxKind, T};

/// Tokens with their text.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    pub(super) lexed: &'t Lexed,
}

/// How many tokens a look ahead may read in a group.
const LOOK_AHEAD: usize = 400;
/// How many modifiers, attributes or parts of a type a look ahead may pass.
const MOST_PARTS: usize = 32;
/// On longer lines indentation is not looked for.
const LONGEST_LINE: usize = 512;

impl<'t> Tokens<'t> {
    pub(super) fn kind(&self, position: usize) -> SyntaxKind {
        self.lexed.kind(position)
    }

    /// The keyword that an identifier spells, or its kind.
    pub(super) fn keyword(&self, position: usize) -> SyntaxKind {
        match self.kind(position) {
            SyntaxKind::IDENT => SyntaxKind::from_keyword(self.text_of(position)).unwrap_or(SyntaxKind::IDENT),
            kind => kind,
        }
    }

    pub(super) fn range(&self, position: usize) -> Range<usize> {
        self.lexed.range(position)
    }

    pub(super) fn text_of(&self, position: usize) -> &'t str {
        &self.text[self.range(position)]
    }

    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    /// The first token from here on that is not trivia; directives count.
    pub(super) fn next_visible(&self, mut position: usize) -> usize {
        while self.kind(position).is_trivia() {
            position += 1;
        }
        position
    }

    /// The keyword `distance` tokens after this one, without trivia and directives.
    pub(super) fn keyword_after(&self, position: usize, distance: usize) -> SyntaxKind {
        let mut position = position;
        for _ in 0..distance {
            position = self.next_code(position + 1);
        }
        self.keyword(position)
    }

    /// The first token from here on that is neither trivia nor a directive.
    fn next_code(&self, mut position: usize) -> usize {
        while self.is_hidden(position) {
            position += 1;
        }
        position
    }

    pub(super) fn is_hidden(&self, position: usize) -> bool {
        let kind = self.kind(position);
        kind.is_trivia() || kind == SyntaxKind::DIRECTIVE
    }

    pub(super) fn has_directive(&self, first: usize, end: usize) -> bool {
        (first..end).any(|position| self.kind(position) == SyntaxKind::DIRECTIVE)
    }

    /// The token that begins at this offset.
    pub(super) fn index_at(&self, offset: usize) -> usize {
        self.lexed.index_at(offset)
    }

    /// Whether only whitespace stands between the start of the line and this token.
    pub(super) fn is_first_on_line(&self, position: usize) -> bool {
        let start = self.range(position).start;
        match position.checked_sub(1).map(|before| (self.kind(before), self.text_of(before))) {
            None => true,
            Some((SyntaxKind::WHITESPACE, space)) => space.contains('\n') || start == space.len(),
            Some(_) => false,
        }
    }

    /// The indentation of the line that this token is on.
    pub(super) fn column(&self, position: usize) -> usize {
        let start = self.range(position).start;
        let near = &self.text.as_bytes()[start.saturating_sub(LONGEST_LINE)..start];
        let line = match near.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => &near[newline + 1..],
            None if start <= LONGEST_LINE => near,
            None => return 0,
        };
        line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// The token after a bracketed group that begins here, if it ends within the look ahead.
    pub(super) fn behind_group(&self, open: usize, opening: SyntaxKind, closing: SyntaxKind) -> Option<usize> {
        let mut depth = 0_usize;
        for position in open..open + LOOK_AHEAD {
            let kind = self.kind(position);
            if kind == opening {
                depth += 1;
            } else if kind == closing {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(self.next_code(position + 1));
                }
            } else if matches!(kind, SyntaxKind::EOF | T!['{'] | T!['}']) || (kind == T![;] && opening != T!['(']) {
                return None;
            }
        }
        None
    }
}

/// What a conditional directive does.
pub(super) enum Condition {
    If,
    Else,
    End,
}

/// The role of a directive (its text from the `#`) among conditionals.
pub(super) fn condition(directive: &str) -> Option<Condition> {
    let word = directive.strip_prefix('#')?.trim_start_matches([' ', '\t']);
    let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    match &word[..end] {
        "if" | "ifdef" | "ifndef" => Some(Condition::If),
        "else" | "elif" | "elifdef" | "elifndef" => Some(Condition::Else),
        "endif" => Some(Condition::End),
        _ => None,
    }
}

/// Modifiers that need no look ahead.
pub(super) fn is_plain_modifier(kind: SyntaxKind) -> bool {
    modifier_use(kind) == Some(ModifierUse::Reserved) || matches!(kind, T![export] | T![override] | T![no_diff])
}

/// Keywords that begin a declaration if a name (or what else may follow them) comes next.
fn is_declaring_keyword(kind: SyntaxKind, next: SyntaxKind) -> bool {
    match kind {
        T![struct]
        | T![class]
        | T![interface]
        | T![enum]
        | T![namespace]
        | T![cbuffer]
        | T![tbuffer]
        | T![typedef]
        | T![typealias]
        | T![func]
        | T![using]
        | T![associatedtype]
        | T![property] => next == SyntaxKind::IDENT,
        T![extension] | T![__extension] => matches!(next, SyntaxKind::IDENT | T![<]),
        T![import] | T![__import] | T![__include] | T![implementing] | T![module] => {
            matches!(next, SyntaxKind::IDENT | SyntaxKind::STRING)
        }
        _ => false,
    }
}

/// Whether the tokens from here on look like a declaration: a keyword and a name, or a type, a name and something that
/// may follow it. Attributes and modifiers may come first.
pub(super) fn starts_declaration(tokens: &Tokens<'_>, position: usize) -> bool {
    let Some(position) = behind_modifiers(tokens, position) else { return false };
    let next = tokens.next_code(position + 1);
    if is_declaring_keyword(tokens.keyword(position), tokens.kind(next)) {
        return true;
    }
    let Some(name) = behind_type(tokens, position) else { return false };
    let after = tokens.next_code(name + 1);
    tokens.keyword(name) == T![operator]
        || matches!(tokens.kind(after), T!['('] | T![=] | T![;] | T![,] | T!['['] | T![<] | T![:])
}

/// Whether the tokens from here on can only be a declaration outside of functions: its keyword says so, or it is the
/// definition of a function.
pub(super) fn cannot_be_in_block(tokens: &Tokens<'_>, position: usize) -> bool {
    let Some(position) = behind_modifiers(tokens, position) else { return false };
    let keyword = tokens.keyword(position);
    let next = tokens.next_code(position + 1);
    let outside = matches!(
        keyword,
        T![namespace]
            | T![interface]
            | T![cbuffer]
            | T![tbuffer]
            | T![extension]
            | T![import]
            | T![module]
            | T![implementing]
            | T![func]
            | T![__include]
    );
    if outside && is_declaring_keyword(keyword, tokens.kind(next)) {
        return true;
    }
    let Some(name) = behind_type(tokens, position) else { return false };
    let mut after = tokens.next_code(name + 1);
    if tokens.kind(after) == T![<] {
        let Some(behind) = tokens.behind_group(after, T![<], T![>]) else { return false };
        after = behind;
    }
    if tokens.kind(after) != T!['('] {
        return false;
    }
    let Some(behind) = tokens.behind_group(after, T!['('], T![')']) else { return false };
    match tokens.kind(behind) {
        T!['{'] | T![->] => true,
        T![:] => tokens.kind(tokens.next_code(behind + 1)) == SyntaxKind::IDENT,
        _ => tokens.keyword(behind) == T![where],
    }
}

/// For each token whether it is a `{` that no `}` closes.
pub(super) fn unclosed_braces(tokens: &Tokens<'_>) -> Vec<bool> {
    let mut open = Vec::new();
    for position in 0..tokens.lexed.len() {
        match tokens.kind(position) {
            T!['{'] => open.push(position),
            T!['}'] => {
                open.pop();
            }
            _ => {}
        }
    }
    let mut unclosed = vec![false; tokens.lexed.len()];
    for position in open {
        unclosed[position] = true;
    }
    unclosed
}

/// The first declaration in a range of tokens that begins with an open brace, if it is indented no deeper than the
/// declaration that the brace belongs to.
pub(super) fn first_declaration(tokens: &Tokens<'_>, range: Range<usize>, column: usize) -> Option<usize> {
    (range.start + 1..range.end).find(|&position| {
        !tokens.is_hidden(position)
            && tokens.is_first_on_line(position)
            && tokens.column(position) <= column
            && starts_declaration(tokens, position)
    })
}

/// The token after attributes and modifiers.
fn behind_modifiers(tokens: &Tokens<'_>, mut position: usize) -> Option<usize> {
    for _ in 0..MOST_PARTS {
        if tokens.kind(position) == T!['['] {
            position = tokens.behind_group(position, T!['['], T![']'])?;
        } else if is_plain_modifier(tokens.keyword(position)) {
            position = tokens.next_code(position + 1);
        } else if modifier_use(tokens.keyword(position)) == Some(ModifierUse::WithArguments)
            && tokens.kind(tokens.next_code(position + 1)) == T!['(']
        {
            position = tokens.behind_group(tokens.next_code(position + 1), T!['('], T![')'])?;
        } else if tokens.keyword(position) == T![__generic] {
            position = tokens.behind_group(tokens.next_code(position + 1), T![<], T![>])?;
        } else {
            return Some(position);
        }
    }
    None
}

/// The name after a type that begins here: `a::b`, `A<…>`, with array brackets and stars.
fn behind_type(tokens: &Tokens<'_>, position: usize) -> Option<usize> {
    let is_statement = matches!(
        tokens.keyword(position),
        T![else]
            | T![return]
            | T![new]
            | T![throw]
            | T![case]
            | T![defer]
            | T![where]
            | T![if]
            | T![for]
            | T![while]
            | T![switch]
            | T![do]
            | T![break]
            | T![continue]
            | T![throws]
            | T![is]
            | T![as]
            | T![let]
            | T![var]
    );
    if tokens.kind(position) != SyntaxKind::IDENT || is_statement {
        return None;
    }
    let mut position = tokens.next_code(position + 1);
    for _ in 0..MOST_PARTS {
        match tokens.kind(position) {
            T![::] | T![.] if tokens.kind(tokens.next_code(position + 1)) == SyntaxKind::IDENT => {
                position = tokens.next_code(tokens.next_code(position + 1) + 1);
            }
            T![<] => position = tokens.behind_group(position, T![<], T![>])?,
            T!['['] => position = tokens.behind_group(position, T!['['], T![']'])?,
            T![*] => position = tokens.next_code(position + 1),
            SyntaxKind::IDENT => {
                let named = !matches!(tokens.keyword(position), T![is] | T![as] | T![where] | T![throws]);
                return named.then_some(position);
            }
            _ => return None,
        }
    }
    None
}
