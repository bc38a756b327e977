//! Goes through a text: directives change the environment, code is copied with its macros expanded.

use diagnostics::{Code, codes};
use smol_str::SmolStr;

use super::condition;
use super::directive::{self, Directive, include_path};
use super::environment::{Branch, MacroEnv};
use super::macros::{Expansion, Shared, Source, Token, expand_list};
use super::map::{MapBuilder, Origin, SpellingMap};
use super::{Diagnostic, Expanded, Host, Include, MacroUse, NotIncluded};
use crate::lexer::{Lexed, lex};
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
        made: 0,
    };
    driver.run()
}

/// Whether the text is its own expansion.
fn is_plain(text: &str, lexed: &Lexed, env: &MacroEnv) -> bool {
    (0..lexed.len()).all(|index| match lexed.kind(index) {
        SyntaxKind::DIRECTIVE => false,
        SyntaxKind::IDENT => !env.is_defined(&text[lexed.range(index)]),
        _ => true,
    })
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
    made: usize,
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
        let is_macro = self.lexed.kind(first) == SyntaxKind::IDENT && self.env.is_defined(token);
        if !is_macro {
            let range = self.range(first);
            self.out.push(token, range, Origin::Verbatim);
            return first + 1;
        }
        let mut source = Cursor { text: self.text, lexed: self.lexed, position: first, peeked: None };
        let env = self.env.clone();
        let mut shared = Shared {
            env: &env,
            host: self.host,
            diagnostics: &mut self.diagnostics,
            uses: &mut self.uses,
            made: &mut self.made,
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
        let directive = directive::read(&self.text[self.lexed.range(index)], range.start().into());
        if !self.env.is_active() {
            match directive {
                Directive::If(_) | Directive::IfDefined { .. } => {
                    self.env.open_branch(Branch { active: false, taken: true, seen_else: false });
                }
                Directive::ElseIf(_) | Directive::Else | Directive::EndIf => self.conditional(directive, range),
                _ => self.exclude(range),
            }
            return;
        }
        match directive {
            Directive::Define { name, definition } => {
                if self.env.get(&name).is_some() {
                    self.report(codes::MACRO_REDEFINED, format!("macro `{name}` is defined already"), range);
                }
                self.env.define(name, definition);
            }
            Directive::Undefine(name) => self.env.undefine(&name.text),
            Directive::If(_)
            | Directive::IfDefined { .. }
            | Directive::ElseIf(_)
            | Directive::Else
            | Directive::EndIf => self.conditional(directive, range),
            Directive::Include(tokens) => self.include(tokens, range),
            Directive::Error(message) => self.report(codes::PREPROCESSOR_ERROR, message, range),
            Directive::Warning(message) => self.report(codes::PREPROCESSOR_WARNING, message, range),
            Directive::PragmaOnce => self.pragma_once = true,
            Directive::Ignored => {}
            Directive::Invalid(code, message) => self.report(code, message, range),
        }
    }

    fn conditional(&mut self, directive: Directive, range: TextRange) {
        match directive {
            Directive::If(tokens) => {
                let holds = self.evaluate(&tokens, range);
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
            Directive::ElseIf(tokens) => {
                let Some(branch) = self.open_branch("#elif", range) else { return };
                let holds = !branch.taken && self.evaluate(&tokens, range);
                self.change_branch(Branch { active: holds, taken: branch.taken || holds, seen_else: false });
            }
            Directive::Else => {
                let Some(branch) = self.open_branch("#else", range) else { return };
                self.change_branch(Branch { active: !branch.taken, taken: true, seen_else: true });
            }
            _ => {
                if self.env.close_branch().is_none() {
                    self.report(codes::DIRECTIVE_WITHOUT_IF, "`#endif` without `#if`".to_owned(), range);
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

    fn evaluate(&mut self, tokens: &[Token], range: TextRange) -> bool {
        let env = self.env.clone();
        let mut shared = Shared {
            env: &env,
            host: self.host,
            diagnostics: &mut self.diagnostics,
            uses: &mut self.uses,
            made: &mut self.made,
        };
        condition::evaluate(tokens, range, &mut shared)
    }

    fn include(&mut self, tokens: Vec<Token>, range: TextRange) {
        let path = include_path(&tokens).or_else(|| {
            let env = self.env.clone();
            let mut shared = Shared {
                env: &env,
                host: self.host,
                diagnostics: &mut self.diagnostics,
                uses: &mut self.uses,
                made: &mut self.made,
            };
            include_path(&expand_list(tokens, &mut shared, 0))
        });
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
        let text = SmolStr::new(&self.text[range.clone()]);
        let range = TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32));
        Some((Token::spelled(kind, text, range, space_before), position + 1))
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
