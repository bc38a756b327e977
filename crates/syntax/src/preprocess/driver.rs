//! Goes through a text: directives change the environment, code is copied with its macros expanded.

use std::borrow::Cow;

use diagnostics::{Code, codes};
use smol_str::SmolStr;

use super::condition;
use super::directive::{self, Condition, Directive, Read, after_directive, check_pragma_warning, include_path};
use super::environment::{Branch, MacroEnv, is_positional};
use super::macros::{Expansion, Shared, Source, Token, expand_list, room_of};
use super::map::{MapBuilder, Origin, SpellingMap};
use super::{Diagnostic, Expanded, Host, Include, MacroUse, NotIncluded};
use crate::lexer::{Lexed, lex, unfolded};
use crate::{SyntaxKind, T, TextRange, TextSize};

/// How much text includes may bring in.
const MOST_INCLUDED_BYTES: usize = 64 << 20;

/// Preprocesses a text that begins with this environment.
pub fn expand(text: &str, env: &MacroEnv, host: &dyn Host) -> Expanded {
    let lexed = lex(text);
    if env.is_active() && is_plain(text, &lexed, env) {
        return Expanded {
            text: None,
            map: SpellingMap::default(),
            env: env.clone(),
            diagnostics: Vec::new(),
            inactive: Vec::new(),
            uses: Vec::new(),
            includes: Vec::new(),
            pragma_once: false,
        };
    }
    let driver = Driver {
        text,
        lexed: &lexed,
        host,
        env: env.clone(),
        out: MapBuilder::default(),
        diagnostics: Vec::new(),
        inactive: Vec::new(),
        uses: Vec::new(),
        includes: Vec::new(),
        pragma_once: false,
        room: room_of(text),
    };
    driver.run()
}

/// Whether the text is its own expansion.
fn is_plain(text: &str, lexed: &Lexed, env: &MacroEnv) -> bool {
    (0..lexed.len()).all(|index| match lexed.kind(index) {
        SyntaxKind::DIRECTIVE => false,
        SyntaxKind::IDENT => {
            let name = &text[lexed.range(index)];
            !is_cut(name) && !env.is_defined(name)
        }
        _ => true,
    })
}

/// Whether the end of a line is in the middle of a name.
fn is_cut(name: &str) -> bool {
    name.contains('\\')
}

struct Driver<'a> {
    text: &'a str,
    lexed: &'a Lexed,
    host: &'a dyn Host,
    env: MacroEnv,
    out: MapBuilder,
    diagnostics: Vec<Diagnostic>,
    inactive: Vec<TextRange>,
    uses: Vec<MacroUse>,
    includes: Vec<Include>,
    pragma_once: bool,
    room: usize,
}

impl Driver<'_> {
    fn run(mut self) -> Expanded {
        let mut index = 0;
        while index < self.lexed.len() {
            match self.lexed.kind(index) {
                SyntaxKind::DIRECTIVE => {
                    self.directive(index);
                    index += 1;
                }
                _ if !self.env.is_active() => {
                    self.exclude(self.range(index));
                    index += 1;
                }
                _ => index = self.code(index),
            }
        }
        let unchanged = self.inactive.is_empty() && self.uses.is_empty() && self.includes.is_empty();
        let (text, map) = self.out.finish();
        // Positional macros leave no use behind, so the texts are compared too.
        let is_same = unchanged && text == self.text;
        Expanded {
            text: (!is_same).then(|| text.into()),
            map: if is_same { SpellingMap::default() } else { map },
            env: self.env,
            diagnostics: self.diagnostics,
            inactive: self.inactive,
            uses: self.uses,
            includes: self.includes,
            pragma_once: self.pragma_once,
        }
    }

    fn range(&self, index: usize) -> TextRange {
        let range = self.lexed.range(index);
        TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32))
    }

    fn exclude(&mut self, range: TextRange) {
        match self.inactive.last_mut() {
            Some(last) if last.end() == range.start() => *last = last.cover(range),
            _ => self.inactive.push(range),
        }
    }

    /// Copies code up to the next directive. Returns the first token that is left.
    fn code(&mut self, first: usize) -> usize {
        let token = &self.text[self.lexed.range(first)];
        let is_name = self.lexed.kind(first) == SyntaxKind::IDENT;
        let name = if is_name { unfolded(token) } else { Cow::Borrowed(token) };
        if !is_name || !self.env.is_defined(&name) {
            let origin = if is_name && is_cut(token) { Origin::Macro } else { Origin::Verbatim };
            self.out.push(&name, self.range(first), origin);
            return first + 1;
        }
        let mut source = Cursor { text: self.text, lexed: self.lexed, position: first, peeked: None };
        let env = self.env.clone();
        let mut shared = Shared {
            env: &env,
            host: self.host,
            diagnostics: &mut self.diagnostics,
            uses: &mut self.uses,
            room: &mut self.room,
        };
        let mut expansion = Expansion::of_first(&mut shared, &mut source);
        let mut is_first = true;
        while let Some(token) = expansion.next() {
            // The parts of `>>`, `>=` and `>>=` are tokens of their own, which the parser joins where they stand together.
            let is_part = !is_first && !token.space_before && is_part_of_shift(&self.out, token.kind);
            let needs_space = !is_first && token.space_before || !is_part && would_join(&self.out, &token.text);
            if needs_space && !self.out.ends_in_space() {
                self.out.push(" ", token.range, Origin::Macro);
            }
            is_first = false;
            let origin = if token.verbatim { Origin::Verbatim } else { Origin::Macro };
            self.out.push(&token.text, token.range, origin);
        }
        let end = source.end();
        let next = self.text[self.lexed.range(end)].chars().next();
        // The call and what follows must not become one token.
        if end < self.lexed.len() && next.is_some_and(is_word) && self.out.last_char().is_some_and(is_word) {
            self.out.push(" ", self.range(end - 1), Origin::Macro);
        }
        end
    }

    fn directive(&mut self, index: usize) {
        let range = self.range(index);
        let Read { directive, name: place, complaints } =
            directive::read(&self.text[self.lexed.range(index)], range.start().into());
        if !self.env.is_active() {
            match directive {
                Directive::If(_) | Directive::IfDefined { .. } => {
                    self.env.open_branch(Branch { active: false, taken: true, seen_else: false });
                    self.diagnostics.extend(complaints);
                }
                Directive::ElseIf(_) | Directive::Else | Directive::EndIf => {
                    self.conditional(directive, place);
                    self.diagnostics.extend(complaints);
                }
                _ => self.exclude(range),
            }
            return;
        }
        match directive {
            Directive::Define { name, definition } => {
                let Token { text: name, range, .. } = name;
                if is_positional(&name) {
                    let message = format!("`{name}` is a macro of the language itself, which stays what it is");
                    self.report(codes::BUILTIN_MACRO_REDEFINED, message, range);
                } else if self.env.get(&name).is_some() {
                    self.report(codes::MACRO_REDEFINED, format!("macro `{name}` is defined already"), range);
                }
                self.env.define(name, definition);
            }
            Directive::Undefine(name) => {
                if !self.env.is_defined(&name.text) {
                    let message = format!("there is no macro `{}`", name.text);
                    self.report(codes::UNDEFINED_MACRO, message, name.range);
                }
                self.env.undefine(&name.text);
            }
            Directive::If(_)
            | Directive::IfDefined { .. }
            | Directive::ElseIf(_)
            | Directive::Else
            | Directive::EndIf => self.conditional(directive, place),
            Directive::Include(tokens) => self.include(tokens, range),
            Directive::Error(message) => self.report(codes::PREPROCESSOR_ERROR, message, range),
            Directive::Warning(message) => self.report(codes::PREPROCESSOR_WARNING, message, range),
            Directive::PragmaOnce => self.pragma_once = true,
            Directive::PragmaWarning(words) => {
                let last = words.last().map_or(place, |word| word.range);
                let words = self.with_macros(|shared| expand_list(words, shared, 0));
                self.diagnostics.extend(check_pragma_warning(words, last));
            }
            Directive::Ignored => {}
        }
        self.diagnostics.extend(complaints);
    }

    /// A directive whose name is at `place`.
    fn conditional(&mut self, directive: Directive, place: TextRange) {
        match directive {
            Directive::If(condition) => {
                let holds = self.evaluate(condition, "if");
                self.env.open_branch(Branch { active: holds, taken: holds, seen_else: false });
            }
            Directive::IfDefined { name, negated } => {
                let defined = self.env.is_defined(&name.text);
                if defined {
                    self.uses.push(MacroUse { name: name.text, range: name.range, call: name.range });
                }
                let holds = defined != negated;
                self.env.open_branch(Branch { active: holds, taken: holds, seen_else: false });
            }
            Directive::ElseIf(condition) => {
                let Some(branch) = self.open_branch("#elif", place) else { return };
                if condition.tokens.is_empty() {
                    let message = "`#elif` has no condition: this is an `#else`".to_owned();
                    self.report(codes::MISSING_CONDITION, message, place);
                    self.change_branch(Branch { active: !branch.taken, taken: true, seen_else: true });
                    return;
                }
                let holds = !branch.taken && self.evaluate(condition, "elif");
                self.change_branch(Branch { active: holds, taken: branch.taken || holds, seen_else: branch.seen_else });
            }
            Directive::Else => {
                let Some(branch) = self.open_branch("#else", place) else { return };
                self.change_branch(Branch { active: !branch.taken, taken: true, seen_else: true });
            }
            _ => {
                if self.env.close_branch().is_none() {
                    self.report(codes::DIRECTIVE_WITHOUT_IF, "`#endif` without `#if`".to_owned(), place);
                }
            }
        }
    }

    /// The innermost conditional, for a directive that continues it.
    fn open_branch(&mut self, what: &str, range: TextRange) -> Option<Branch> {
        match self.env.innermost_branch() {
            None => {
                self.report(codes::DIRECTIVE_WITHOUT_IF, format!("`{what}` without `#if`"), range);
                None
            }
            Some(branch) => {
                if branch.seen_else {
                    self.report(codes::BRANCH_AFTER_ELSE, format!("`{what}` after `#else`"), range);
                }
                Some(branch)
            }
        }
    }

    fn change_branch(&mut self, branch: Branch) {
        self.env.close_branch();
        self.env.open_branch(branch);
    }

    fn evaluate(&mut self, condition: Condition, directive: &str) -> bool {
        self.with_macros(|shared| condition::evaluate(condition, directive, shared))
    }

    fn with_macros<T>(&mut self, run: impl FnOnce(&mut Shared<'_>) -> T) -> T {
        let env = self.env.clone();
        run(&mut Shared {
            env: &env,
            host: self.host,
            diagnostics: &mut self.diagnostics,
            uses: &mut self.uses,
            room: &mut self.room,
        })
    }

    fn include(&mut self, tokens: Vec<Token>, range: TextRange) {
        // What is behind the path is not of it.
        let length = match tokens.first() {
            Some(first) if first.kind == SyntaxKind::STRING => 1,
            Some(first) if first.kind == T![<] => {
                tokens.iter().position(|token| token.kind == T![>]).map_or(tokens.len(), |close| close + 1)
            }
            _ => tokens.len(),
        };
        if let Some(extra) = tokens.get(length) {
            self.report(codes::TOKENS_AFTER_DIRECTIVE, after_directive("include"), extra.range);
        }
        let path = include_path(&tokens[..length])
            .or_else(|| include_path(&self.with_macros(|shared| expand_list(tokens, shared, 0))));
        let Some(path) = path else {
            return self.report(codes::INCOMPLETE_DIRECTIVE, "expected a path after `#include`".to_owned(), range);
        };
        let included = match self.host.include(&path, &self.env) {
            Ok(included) => included,
            Err(NotIncluded { code, message }) => return self.report(code, message, range),
        };
        if self.out.len() + included.text.len() > MOST_INCLUDED_BYTES {
            return self.report(codes::PREPROCESSOR_ERROR, "this file includes too much text".to_owned(), range);
        }
        self.env = included.expanded.env.clone();
        self.out.push(&included.text, range, Origin::Include(self.includes.len() as u32));
        self.includes.push(Include { path, directive: range, expanded: included.expanded });
    }

    fn report(&mut self, code: Code, message: String, range: TextRange) {
        self.diagnostics.push(Diagnostic::new(code, range, message));
    }
}

/// Reads code tokens of a text up to the next directive.
struct Cursor<'a> {
    text: &'a str,
    lexed: &'a Lexed,
    /// After the last token taken.
    position: usize,
    /// The next token and the position after it.
    peeked: Option<(Token, usize)>,
}

impl Cursor<'_> {
    /// The raw token after the last one that was taken.
    fn end(&self) -> usize {
        self.position
    }

    fn look(&self) -> Option<(Token, usize)> {
        let mut position = self.position;
        let mut space_before = false;
        while self.lexed.kind(position).is_trivia() {
            space_before = true;
            position += 1;
        }
        let kind = self.lexed.kind(position);
        if matches!(kind, SyntaxKind::EOF | SyntaxKind::DIRECTIVE) {
            return None;
        }
        let range = self.lexed.range(position);
        let spelled = &self.text[range.clone()];
        let range = TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32));
        let is_cut = kind == SyntaxKind::IDENT && is_cut(spelled);
        let text = if is_cut { unfolded(spelled) } else { Cow::Borrowed(spelled) };
        let mut token = Token::spelled(kind, SmolStr::new(text), range, space_before);
        token.verbatim = !is_cut;
        Some((token, position + 1))
    }
}

impl Source for Cursor<'_> {
    fn next(&mut self) -> Option<Token> {
        let (token, behind) = self.peeked.take().or_else(|| self.look())?;
        self.position = behind;
        Some(token)
    }

    fn peek(&mut self) -> Option<&Token> {
        if self.peeked.is_none() {
            self.peeked = self.look();
        }
        self.peeked.as_ref().map(|(token, _)| token)
    }
}

/// Whether a token directly after the text would become one with its end.
fn would_join(out: &MapBuilder, token: &str) -> bool {
    let (Some(before), Some(after)) = (out.last_char(), token.chars().next()) else { return false };
    let is_operator = |c: char| "+-*/%<>=!&|^~.:#$?".contains(c);
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    (is_word(before) && is_word(after))
        || (is_operator(before) && is_operator(after))
        || (is_number(before) && is_number(after))
        || (is_word(before) && matches!(after, '"' | '\''))
}

/// Whether a token goes on with the operator that begins with the `>` before it.
fn is_part_of_shift(out: &MapBuilder, token: SyntaxKind) -> bool {
    out.last_char() == Some('>') && matches!(token, T![>] | T![=])
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || !c.is_ascii()
}
