//! Evaluates the expressions of `#if` and `#elif`.

use diagnostics::{Code, codes, stack};

use super::directive::{Condition, after_directive, include_path};
use super::macros::{Shared, Token, expand_list};
use super::{Diagnostic, MacroUse};
use crate::{SyntaxKind, T, TextRange};

const MAX_DEPTH: u32 = ::diagnostics::limits::CONDITIONS;

/// Whether a condition holds. What cannot be understood is reported and counts as false; what is behind an expression is
/// reported, and the expression counts. `directive` is its name.
pub(super) fn evaluate(condition: Condition, directive: &str, shared: &mut Shared<'_>) -> bool {
    let Condition { tokens, end } = condition;
    let tokens = answer_questions(&tokens, Asked::InText { end }, shared);
    let tokens = expand_list(tokens, shared, 0);
    // `#define ON_CUDA defined(__CUDA__)`: a macro may ask, too.
    let tokens = answer_questions(&tokens, Asked::InMacro, shared);
    let mut evaluation = Evaluation { tokens: &tokens, position: 0, depth: 0, counts: true, end, shared };
    let value = evaluation.value();
    if value.is_some() && evaluation.position < tokens.len() {
        evaluation.error(codes::TOKENS_AFTER_DIRECTIVE, &after_directive(directive));
    }
    value.is_some_and(|value| value != 0)
}

/// Where `defined` stands.
#[derive(Clone, Copy)]
enum Asked {
    /// In a condition with this last token.
    InText { end: TextRange },
    /// In what macros were replaced by.
    InMacro,
}

/// Replaces `defined X` and `__has_include(…)`, whose operands are not expanded, by numbers.
fn answer_questions(tokens: &[Token], asked: Asked, shared: &mut Shared<'_>) -> Vec<Token> {
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
                _ => match asked {
                    Asked::InMacro if behind.first().is_some_and(|open| open.kind == T!['(']) => {
                        match behind.iter().position(|token| token.kind == T![')']) {
                            Some(close) => (Some(true), close + 2),
                            None => (None, 1),
                        }
                    }
                    Asked::InMacro => (None, 1),
                    Asked::InText { end } => {
                        // The name and its parentheses, as far as they are there.
                        let has = |at: usize, kind| behind.get(at).is_some_and(|token| token.kind == kind);
                        let open = usize::from(has(0, T!['(']));
                        let given = open + usize::from(has(open, SyntaxKind::IDENT));
                        let place = behind.get(given).map_or(end, |token| token.range);
                        let message = if given > open { "expected `)`" } else { "expected the name of a macro" };
                        let message = message.to_owned();
                        shared.diagnostics.push(Diagnostic::new(codes::INVALID_DEFINED, place, message));
                        // What is behind it is not looked at.
                        (Some(false), 1 + behind.len())
                    }
                },
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
    /// Whether the part that is read counts: `&&` and `||` may have decided before it. What does not is read without
    /// complaints about its values.
    counts: bool,
    /// The condition's last token.
    end: TextRange,
    shared: &'a mut Shared<'b>,
}

impl Evaluation<'_, '_> {
    fn kind(&self) -> SyntaxKind {
        self.tokens.get(self.position).map_or(SyntaxKind::EOF, |token| token.kind)
    }

    /// A whole expression.
    fn value(&mut self) -> Option<i64> {
        self.nested(|evaluation| evaluation.binary(0))
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        if self.depth >= MAX_DEPTH {
            self.error(codes::PREPROCESSOR_ERROR, "this preprocessor condition is nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = stack::deep(|| read(self));
        self.depth -= 1;
        result
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

    fn binary(&mut self, lowest: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some((operator, precedence, length)) = self.operator() {
            if precedence <= lowest {
                break;
            }
            self.position += length;
            let counts = self.counts;
            self.counts = match operator {
                T![&&] => counts && left != 0,
                T![||] => counts && left == 0,
                _ => counts,
            };
            let right = self.binary(precedence)?;
            left = self.apply(operator, left, right);
            self.counts = counts;
        }
        Some(left)
    }

    fn apply(&mut self, operator: SyntaxKind, left: i64, right: i64) -> i64 {
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
                if self.counts {
                    let divisor = self.tokens.get(self.position.wrapping_sub(1)).map_or(self.end, |token| token.range);
                    let message = "division by zero in a preprocessor condition".to_owned();
                    let code = codes::DIVISION_BY_ZERO_IN_CONDITION;
                    self.shared.diagnostics.push(Diagnostic::new(code, divisor, message));
                }
                0
            }
            T![/] => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        }
    }

    fn unary(&mut self) -> Option<i64> {
        let kind = self.kind();
        if !matches!(kind, T![!] | T![-] | T![+] | T![~]) {
            return self.primary();
        }
        self.position += 1;
        let operand = self.nested(|evaluation| evaluation.unary())?;
        Some(match kind {
            T![!] => i64::from(operand == 0),
            T![-] => operand.wrapping_neg(),
            T![~] => !operand,
            _ => operand,
        })
    }

    fn primary(&mut self) -> Option<i64> {
        let Some(token) = self.tokens.get(self.position).cloned() else {
            self.error(codes::INVALID_CONDITION, "expected an expression");
            return None;
        };
        self.position += 1;
        match token.kind {
            SyntaxKind::INT_NUMBER => Some(integer(&token.text)),
            // `true` is a name like others.
            SyntaxKind::IDENT => {
                if self.counts {
                    let instead = match token.text.as_str() {
                        "true" => ": write 1",
                        "false" => ": write 0",
                        _ => "",
                    };
                    let message = format!("`{}` is not defined and counts as zero here{instead}", token.text);
                    let range = token.range;
                    self.shared.diagnostics.push(Diagnostic::new(codes::UNDEFINED_IN_CONDITION, range, message));
                }
                Some(0)
            }
            T!['('] => {
                let value = self.value()?;
                if self.kind() == T![')'] {
                    self.position += 1;
                } else {
                    self.error(codes::UNCLOSED_CONDITION, "expected `)`");
                    self.position = self.tokens.len();
                }
                Some(value)
            }
            _ => {
                self.position -= 1;
                self.error(codes::INVALID_CONDITION, "expected an expression of integers");
                None
            }
        }
    }

    /// Says something of the token here.
    fn error(&mut self, code: Code, message: &str) {
        let range = self.tokens.get(self.position).map_or(self.end, |token| token.range);
        self.shared.diagnostics.push(Diagnostic::new(code, range, message.to_owned()));
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
