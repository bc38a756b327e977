//! Evaluates the expressions of `#if` and `#elif`.

use diagnostics::codes;

use super::directive::include_path;
use super::macros::{Shared, Token, expand_list};
use super::{Diagnostic, MacroUse};
use crate::{SyntaxKind, T, TextRange};

const MAX_DEPTH: u32 = ::diagnostics::limits::CONDITIONS;

/// Whether a condition holds. What cannot be understood is reported and counts as false.
pub(super) fn evaluate(tokens: &[Token], directive: TextRange, shared: &mut Shared<'_>) -> bool {
    let tokens = answer_questions(tokens, false, shared);
    let tokens = expand_list(tokens, shared, 0);
    // `#define ON_CUDA defined(__CUDA__)`: a macro may ask, too.
    let tokens = answer_questions(&tokens, true, shared);
    let mut evaluation = Evaluation { tokens: &tokens, position: 0, depth: 0, directive, shared };
    let value = evaluation.conditional(true);
    if let (Some(value), true) = (value, evaluation.position == tokens.len()) {
        return value != 0;
    }
    if value.is_some() {
        evaluation.error("unexpected token in a preprocessor condition");
    }
    false
}

/// Replaces `defined X` and `__has_include(…)`, whose operands are not expanded, by numbers.
fn answer_questions(tokens: &[Token], are_expanded: bool, shared: &mut Shared<'_>) -> Vec<Token> {
    let mut result = Vec::new();
    let mut rest = tokens;
    while let [first, behind @ ..] = rest {
        let (answer, used) = match first.text.as_str() {
            "defined" => match behind {
                [open, name, close, ..]
                    if open.kind == T!['('] && close.kind == T![')'] && name.kind == SyntaxKind::IDENT =>
                {
                    (Some(is_defined(name, shared)), 4)
                }
                [name, ..] if name.kind == SyntaxKind::IDENT => (Some(is_defined(name, shared)), 2),
                // The operand was a macro inside a macro and has been expanded: so it is defined.
                [open, expanded @ ..] if are_expanded && open.kind == T!['('] => {
                    match expanded.iter().position(|token| token.kind == T![')']) {
                        Some(close) => (Some(true), close + 3),
                        None => (None, 1),
                    }
                }
                _ => (None, 1),
            },
            "__has_include" => match behind.iter().position(|token| token.kind == T![')']) {
                Some(close) if behind[0].kind == T!['('] => {
                    let path = include_path(&behind[1..close]);
                    (Some(path.is_some_and(|path| shared.host.exists(&path))), close + 2)
                }
                _ => (None, 1),
            },
            _ => (None, 1),
        };
        let mut token = first.clone();
        if let Some(answer) = answer {
            token.kind = SyntaxKind::INT_NUMBER;
            token.text = if answer { "1".into() } else { "0".into() };
        }
        result.push(token);
        rest = &rest[used..];
    }
    result
}

fn is_defined(name: &Token, shared: &mut Shared<'_>) -> bool {
    let defined = shared.env.is_defined(&name.text);
    if defined {
        shared.uses.push(MacroUse { name: name.text.clone(), range: name.range, call: name.range });
    }
    defined
}

struct Evaluation<'a, 'b> {
    tokens: &'a [Token],
    position: usize,
    depth: u32,
    directive: TextRange,
    shared: &'a mut Shared<'b>,
}

impl Evaluation<'_, '_> {
    fn kind(&self) -> SyntaxKind {
        self.tokens.get(self.position).map_or(SyntaxKind::EOF, |token| token.kind)
    }

    /// `a ? b : c`. Parts that do not `count` are read without complaints about their values.
    fn conditional(&mut self, counts: bool) -> Option<i64> {
        if self.depth >= MAX_DEPTH {
            self.error("this preprocessor condition is nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = self.conditional_inner(counts);
        self.depth -= 1;
        result
    }

    fn conditional_inner(&mut self, counts: bool) -> Option<i64> {
        let condition = self.binary(0, counts)?;
        if self.kind() != T![?] {
            return Some(condition);
        }
        self.position += 1;
        let then = self.conditional(counts && condition != 0)?;
        self.expect(T![:], "expected `:`")?;
        let otherwise = self.conditional(counts && condition == 0)?;
        Some(if condition != 0 { then } else { otherwise })
    }

    /// The operator here (`>` may be the beginning of a longer one), its precedence and number of tokens.
    fn operator(&self) -> Option<(SyntaxKind, u8, usize)> {
        let joined =
            |kind| self.tokens.get(self.position + 1).is_some_and(|next| next.kind == kind && !next.space_before);
        Some(match self.kind() {
            T![||] => (T![||], 1, 1),
            T![&&] => (T![&&], 2, 1),
            T![|] => (T![|], 3, 1),
            T![^] => (T![^], 4, 1),
            T![&] => (T![&], 5, 1),
            kind @ (T![==] | T![!=]) => (kind, 6, 1),
            T![>] if joined(T![=]) => (T![>=], 7, 2),
            T![>] if joined(T![>]) => (T![>>], 8, 2),
            kind @ (T![<] | T![>] | T![<=]) => (kind, 7, 1),
            T![<<] => (T![<<], 8, 1),
            kind @ (T![+] | T![-]) => (kind, 9, 1),
            kind @ (T![*] | T![/] | T![%]) => (kind, 10, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, lowest: u8, counts: bool) -> Option<i64> {
        let mut left = self.unary(counts)?;
        while let Some((operator, precedence, length)) = self.operator() {
            if precedence <= lowest {
                break;
            }
            self.position += length;
            let right_counts = match operator {
                T![&&] => counts && left != 0,
                T![||] => counts && left == 0,
                _ => counts,
            };
            let right = self.binary(precedence, right_counts)?;
            left = self.apply(operator, left, right, right_counts);
        }
        Some(left)
    }

    fn apply(&mut self, operator: SyntaxKind, left: i64, right: i64, counts: bool) -> i64 {
        match operator {
            T![||] => i64::from(left != 0 || right != 0),
            T![&&] => i64::from(left != 0 && right != 0),
            T![|] => left | right,
            T![^] => left ^ right,
            T![&] => left & right,
            T![==] => i64::from(left == right),
            T![!=] => i64::from(left != right),
            T![<] => i64::from(left < right),
            T![>] => i64::from(left > right),
            T![<=] => i64::from(left <= right),
            T![>=] => i64::from(left >= right),
            T![<<] => left.wrapping_shl(right as u32),
            T![>>] => left.wrapping_shr(right as u32),
            T![+] => left.wrapping_add(right),
            T![-] => left.wrapping_sub(right),
            T![*] => left.wrapping_mul(right),
            _ if right == 0 => {
                if counts {
                    self.error("division by zero in a preprocessor condition");
                }
                0
            }
            T![/] => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        }
    }

    fn unary(&mut self, counts: bool) -> Option<i64> {
        let kind = self.kind();
        if !matches!(kind, T![!] | T![-] | T![+] | T![~]) {
            return self.primary(counts);
        }
        self.position += 1;
        if self.depth >= MAX_DEPTH {
            self.error("this preprocessor condition is nested too deeply");
            return None;
        }
        self.depth += 1;
        let operand = self.unary(counts);
        self.depth -= 1;
        let operand = operand?;
        Some(match kind {
            T![!] => i64::from(operand == 0),
            T![-] => operand.wrapping_neg(),
            T![~] => !operand,
            _ => operand,
        })
    }

    fn primary(&mut self, counts: bool) -> Option<i64> {
        let Some(token) = self.tokens.get(self.position).cloned() else {
            self.error("expected an expression in a preprocessor condition");
            return None;
        };
        self.position += 1;
        match token.kind {
            SyntaxKind::INT_NUMBER => Some(integer(&token.text)),
            SyntaxKind::CHAR => Some(character(&token.text)),
            SyntaxKind::IDENT => {
                let value = i64::from(token.text == "true");
                if counts && !matches!(token.text.as_str(), "true" | "false") {
                    let message = format!("`{}` is not defined and counts as zero here", token.text);
                    let range = token.range;
                    self.shared.diagnostics.push(Diagnostic::new(codes::UNDEFINED_IN_CONDITION, range, message));
                }
                Some(value)
            }
            T!['('] => {
                let value = self.conditional(counts)?;
                self.expect(T![')'], "expected `)`")?;
                Some(value)
            }
            _ => {
                self.position -= 1;
                self.error("expected an expression in a preprocessor condition");
                None
            }
        }
    }

    fn expect(&mut self, kind: SyntaxKind, message: &str) -> Option<()> {
        if self.kind() == kind {
            self.position += 1;
            return Some(());
        }
        self.error(message);
        None
    }

    fn error(&mut self, message: &str) {
        let range = self.tokens.get(self.position).map_or(self.directive, |token| token.range);
        let message = message.to_owned();
        self.shared.diagnostics.push(Diagnostic::new(codes::PREPROCESSOR_ERROR, range, message));
    }
}

fn integer(text: &str) -> i64 {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).map_or(0, |value| value as i64)
}

fn character(text: &str) -> i64 {
    let inner = text.trim_matches('\'');
    match inner.strip_prefix('\\') {
        Some("n") => 10,
        Some("t") => 9,
        Some("r") => 13,
        Some("0") => 0,
        Some(escaped) => escaped.chars().next().map_or(0, |c| c as i64),
        None => inner.chars().next().map_or(0, |c| c as i64),
    }
}
