//! What is known of a declaration while its header is read.

use super::boundary::{self, Tokens};
use crate::keywords::{ModifierUse, modifier_use};
use crate::{SyntaxKind, T};

#[derive(Clone)]
pub(super) struct Header {
    /// Indentation of the line that the declaration begins on.
    pub(super) column: usize,
    pub(super) is_container: bool,
    /// Declares a type (or constant buffer).
    is_type: bool,
    /// Declares a struct or an enum behind `typedef`.
    is_typedef: bool,
    /// Declares a struct or an enum.
    has_variables: bool,
    /// Tokens seen after modifiers and attributes.
    declaring_tokens: usize,
    /// Those are all words without small letters, as macros are.
    only_capitals: bool,
    /// The first of those is written as types are: `float3`, `Light`, and not `pushConstant` or `force_inline`.
    begins_as_type: bool,
    /// Open parentheses and brackets.
    groups: usize,
    /// Open `<` outside of groups.
    angles: usize,
    in_attribute: bool,
    in_generic_prefix: bool,
    /// Between a modifier that takes arguments and the end of those.
    in_arguments: bool,
    /// A `=` outside of groups and generic parameters: an initializer follows.
    initialized: bool,
    /// The token continues the symbol of an operator: `operator`, and `>` or `=` after it.
    in_symbol: bool,
    previous: SyntaxKind,
}

impl Header {
    pub(super) fn new(column: usize) -> Header {
        Header {
            column,
            is_container: false,
            is_type: false,
            is_typedef: false,
            has_variables: false,
            declaring_tokens: 0,
            only_capitals: true,
            begins_as_type: false,
            groups: 0,
            angles: 0,
            in_attribute: false,
            in_generic_prefix: false,
            in_arguments: false,
            initialized: false,
            in_symbol: false,
            previous: SyntaxKind::EOF,
        }
    }

    pub(super) fn see(&mut self, tokens: &Tokens<'_>, position: usize) {
        let kind = tokens.keyword(position);
        if !self.see_prefix(tokens, position, kind) {
            self.see_declaring_token(tokens, position, kind);
        }
        match kind {
            T!['('] | T!['['] => self.groups += 1,
            T![')'] | T![']'] => self.groups = self.groups.saturating_sub(1),
            T![<] if self.groups == 0 && self.previous != T![operator] => self.angles += 1,
            T![>] if self.groups == 0 => self.angles = self.angles.saturating_sub(1),
            T![=] if self.groups == 0 && self.angles == 0 && !self.in_symbol => self.initialized = true,
            _ => {}
        }
        // The lexer cuts `>=` and `>>`.
        self.in_symbol = kind == T![operator] || self.in_symbol && matches!(kind, T![>] | T![=]);
        self.previous = kind;
    }

    /// Whether the token belongs to the attributes, modifiers and `__generic<…>` before the declaration proper.
    fn see_prefix(&mut self, tokens: &Tokens<'_>, position: usize, kind: SyntaxKind) -> bool {
        // Attributes on a line of their own behind words in capitals: those are macros, and the declaration is still to come.
        if self.declaring_tokens > 0 && self.only_capitals && kind == T!['['] && tokens.is_first_on_line(position) {
            self.declaring_tokens = 0;
        }
        if self.declaring_tokens > 0 {
            return false;
        }
        if self.in_attribute {
            self.in_attribute = !(kind == T![']'] && self.groups == 1);
            return true;
        }
        if self.in_generic_prefix {
            self.in_generic_prefix = !(kind == T![>] && self.angles == 1);
            return true;
        }
        if self.in_arguments {
            self.in_arguments = !(kind == T![')'] && self.groups == 1);
            return true;
        }
        if qualifies_block(kind) && is_word(tokens.keyword_after(position, 1)) {
            return true;
        }
        // `typedef struct { … } S;` declares a struct, and what stands behind it.
        if kind == T![typedef] && is_declared_by_typedef(tokens, position) {
            self.is_typedef = true;
            return true;
        }
        if modifier_use(kind) == Some(ModifierUse::WithArguments) {
            self.in_arguments = tokens.keyword_after(position, 1) == T!['('];
            return true;
        }
        self.in_attribute = kind == T!['['];
        self.in_generic_prefix = kind == T![__generic];
        self.in_attribute || self.in_generic_prefix || boundary::is_plain_modifier(kind)
    }

    fn see_declaring_token(&mut self, tokens: &Tokens<'_>, position: usize, kind: SyntaxKind) {
        if self.declaring_tokens == 0 {
            self.begins_as_type = is_written_as_type(tokens.text_of(position));
            let next = tokens.keyword_after(position, 1);
            let after = tokens.keyword_after(position, 2);
            self.is_container = match kind {
                // `struct S f() {` declares a function.
                T![struct] | T![class] => !(is_word(next) && is_word(after)) || after == T![where],
                T![interface] | T![namespace] => is_word(next),
                T![extension] | T![__extension] => is_word(next) || next == T![<],
                _ => false,
            };
            self.has_variables = matches!(kind, T![struct] | T![class] | T![enum]);
            self.is_type = matches!(
                kind,
                T![enum]
                    | T![struct]
                    | T![class]
                    | T![interface]
                    | T![extension]
                    | T![__extension]
                    | T![cbuffer]
                    | T![tbuffer]
                    | T![buffer]
            );
        }
        self.declaring_tokens += 1;
        let has_small_letters = tokens.text_of(position).bytes().any(|byte| byte.is_ascii_lowercase());
        self.only_capitals &= kind == SyntaxKind::IDENT && !has_small_letters;
    }

    /// A braced group that is no body has been read.
    pub(super) fn see_initializer(&mut self) {
        self.previous = T!['}'];
    }

    /// Whether a semicolon or variables may follow the closing brace: after types, and after GLSL's
    /// `buffer Name { … } variable;`.
    pub(super) fn takes_tail(&self) -> bool {
        self.is_type || (self.declaring_tokens == 1 && self.previous == SyntaxKind::IDENT)
    }

    /// Whether what follows the closing brace has to begin on its line, as slangc has it of structs and enums: a `typedef` goes
    /// on to its names, and GLSL has no such rule.
    pub(super) fn has_tail_on_line(&self) -> bool {
        self.has_variables && !self.is_typedef
    }

    /// Whether a `{` here begins a body, and not an initializer list or the block of a lambda.
    pub(super) fn is_body_next(&self) -> bool {
        if self.initialized {
            return false;
        }
        let begins_value = matches!(self.previous, T![=] | T![,] | T!['('] | T!['['] | T![=>] | T!['{'] | T!['}']);
        self.groups == 0 || !begins_value
    }

    /// Whether the declaration could be over here although neither semicolon nor brace ended it.
    pub(super) fn may_end(&self) -> bool {
        if self.declaring_tokens == 0 || self.only_capitals {
            return false;
        }
        // A type or keyword whose name is still to be written.
        if self.declaring_tokens == 1 {
            return (self.previous == SyntaxKind::IDENT && self.begins_as_type) || wants_a_name(self.previous);
        }
        match self.previous {
            T![')'] | T![']'] | T!['}'] | SyntaxKind::IDENT => true,
            SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER | SyntaxKind::STRING | SyntaxKind::CHAR => true,
            T![>] => self.angles == 0,
            kind => kind.is_keyword() && !boundary::is_plain_modifier(kind),
        }
    }

    /// Whether the declaration is over where one begins that can stand in no group, whatever was open.
    pub(super) fn is_cut_by_declaration(&self) -> bool {
        match self.declaring_tokens {
            0 => self.in_attribute && self.groups > 0,
            _ => !self.only_capitals,
        }
    }
}

/// Other words may be macros for attributes and modifiers of what follows.
fn is_written_as_type(word: &str) -> bool {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    word.starts_with(|c: char| c.is_ascii_uppercase()) || word.bytes().all(is_small)
}

/// Keywords that name what they declare, and can have no other declaration behind them.
fn wants_a_name(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        T![struct]
            | T![class]
            | T![interface]
            | T![extension]
            | T![__extension]
            | T![namespace]
            | T![cbuffer]
            | T![tbuffer]
            | T![import]
            | T![__import]
            | T![__include]
            | T![implementing]
            | T![module]
    )
}

/// Whether a type with a body is declared behind `typedef`.
fn is_declared_by_typedef(tokens: &Tokens<'_>, position: usize) -> bool {
    let behind = |count| tokens.keyword_after(position, count);
    let body = if is_word(behind(2)) { behind(3) } else { behind(2) };
    matches!(behind(1), T![struct] | T![class] | T![enum]) && (body == T!['{'] || is_word(behind(2)) && body == T![:])
}

fn is_word(kind: SyntaxKind) -> bool {
    kind == SyntaxKind::IDENT || kind.is_keyword()
}

/// Modifiers that are everyday words and stand in front of GLSL's blocks: `readonly buffer Name { … } variable;`.
fn qualifies_block(kind: SyntaxKind) -> bool {
    matches!(kind, T![in] | T![out] | T![coherent] | T![restrict] | T![readonly] | T![writeonly])
}
