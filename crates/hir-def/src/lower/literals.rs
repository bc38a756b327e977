//! The values of literals.

use std::{iter::Peekable, str::Chars};

use syntax::ast::{self, AstNode};

use crate::body::{FloatSuffix, IntSuffix, Literal};

/// `None` for literals that no rule covers: they become `Missing` after the lexer's error.
pub(crate) fn literal(node: &ast::LiteralExpr) -> Option<Literal> {
    if node.true_token().is_some() {
        Some(Literal::Bool(true))
    } else if node.false_token().is_some() {
        Some(Literal::Bool(false))
    } else if node.nullptr_token().is_some() {
        Some(Literal::NullPtr)
    } else if node.none_token().is_some() {
        Some(Literal::None)
    } else if let Some(token) = node.int_number_token() {
        integer(token.text())
    } else if let Some(token) = node.float_number_token() {
        float(token.text())
    } else if let Some(token) = node.char_token() {
        let value = character(unquote(token.text(), '\''))?;
        Some(Literal::Int { value, suffix: IntSuffix::None, decimal: false })
    } else {
        let strings = node.syntax().children_with_tokens().filter_map(|element| element.into_token());
        let mut strings = strings.filter(|token| token.kind() == syntax::SyntaxKind::STRING).peekable();
        strings.peek()?;
        Some(Literal::String(strings.map(|token| string(token.text())).collect::<String>().into()))
    }
}

/// The text inside a string literal.
pub(crate) fn string(text: &str) -> String {
    match text.strip_prefix("R\"") {
        Some(raw) => {
            // `R"delimiter(text)delimiter"`
            let delimiter = raw.find('(').unwrap_or(0);
            let end = raw.rfind(')').unwrap_or(raw.len());
            raw.get(delimiter + 1..end).unwrap_or_default().to_owned()
        }
        None => unescape(unquote(text, '"')),
    }
}

fn unquote(text: &str, quote: char) -> &str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

/// The code of the only character of a character literal. Escapes may give codes that are no character of Unicode.
fn character(text: &str) -> Option<u64> {
    let mut chars = text.chars().peekable();
    next_code(&mut chars).map(u64::from)
}

fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(code) = next_code(&mut chars) {
        result.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    result
}

/// The next character or escape of the inside of a literal.
fn next_code(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let c = chars.next()?;
    if c != '\\' {
        return Some(c.into());
    }
    let escape = chars.next()?;
    Some(match escape {
        'n' => 0x0a,
        't' => 0x09,
        'r' => 0x0d,
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'v' => 0x0b,
        'x' => digits(chars, 16, usize::MAX, 0),
        'u' => digits(chars, 16, 4, 0),
        'U' => digits(chars, 16, 8, 0),
        // Up to three digits, of which the first is read already.
        _ => match escape.to_digit(8) {
            Some(first) => digits(chars, 8, 2, first),
            None => escape.into(),
        },
    })
}

/// A number of at most `most` digits, which continues `code`.
fn digits(chars: &mut Peekable<Chars<'_>>, radix: u32, most: usize, mut code: u32) -> u32 {
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        code = code.wrapping_mul(radix).wrapping_add(digit);
        chars.next();
    }
    code
}

fn integer(text: &str) -> Option<Literal> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', b'0'..=b'9', ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix) && c != '_' && c != '\'').unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let suffix = match suffix.to_ascii_lowercase().as_str() {
        "" => IntSuffix::None,
        "u" => IntSuffix::U,
        "l" => IntSuffix::L,
        "ul" | "lu" => IntSuffix::UL,
        "ll" => IntSuffix::LL,
        "ull" | "llu" => IntSuffix::ULL,
        "z" => IntSuffix::Z,
        "uz" | "zu" => IntSuffix::UZ,
        _ => return None,
    };
    let mut value = 0u64;
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        // Too large values wrap as in slangc, which warns.
        value = value.wrapping_mul(radix.into()).wrapping_add(digit.into());
    }
    Some(Literal::Int { value, suffix, decimal: radix == 10 })
}

fn float(text: &str) -> Option<Literal> {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let lower = text.to_ascii_lowercase();
    // Visual C++'s way to write infinity.
    if let Some((_, suffix)) = lower.split_once("#inf") {
        let suffix = if suffix == "f" { FloatSuffix::F } else { FloatSuffix::None };
        return Some(Literal::Float { bits: f64::INFINITY.to_bits(), suffix });
    }
    let (number, suffix) = if let Some(number) = lower.strip_suffix("lf") {
        (number, FloatSuffix::L)
    } else if let Some(number) = lower.strip_suffix("hf") {
        (number, FloatSuffix::H)
    } else if let Some(number) = lower.strip_suffix('h') {
        (number, FloatSuffix::H)
    } else if let Some(number) = lower.strip_suffix('l').or_else(|| lower.strip_suffix('d').filter(|_| !hexadecimal)) {
        (number, FloatSuffix::L)
    } else if let Some(number) = lower.strip_suffix('f').filter(|number| !hexadecimal || number.contains('p')) {
        (number, FloatSuffix::F)
    } else {
        (lower.as_str(), FloatSuffix::None)
    };
    let value = if hexadecimal { hexadecimal_float(number)? } else { decimal_float(number, suffix)? };
    Some(Literal::Float { bits: value.to_bits(), suffix })
}

/// The nearest number. Rounded to `double` first and then to `float`, a number next to the middle of two floats would go
/// to the wrong one: there the `float` that is nearest to the text is taken.
fn decimal_float(number: &str, suffix: FloatSuffix) -> Option<f64> {
    let value: f64 = number.parse().ok()?;
    match suffix {
        FloatSuffix::L | FloatSuffix::H => Some(value),
        FloatSuffix::None | FloatSuffix::F => {
            let nearest: f32 = number.parse().ok()?;
            Some(if value as f32 == nearest { value } else { nearest.into() })
        }
    }
}

/// `0x1.8p3`.
fn hexadecimal_float(number: &str) -> Option<f64> {
    let (mantissa, exponent) = number[2..].split_once('p').unwrap_or((&number[2..], "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0f64;
    for digit in whole.chars() {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let mut scale = 1.0 / 16.0;
    for digit in fraction.chars() {
        value += f64::from(digit.to_digit(16)?) * scale;
        scale /= 16.0;
    }
    Some(value * f64::from(2.0f32).powi(exponent.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: u64, suffix: IntSuffix) -> Option<Literal> {
        Some(Literal::Int { value, suffix, decimal: true })
    }

    fn other_base(value: u64, suffix: IntSuffix) -> Option<Literal> {
        Some(Literal::Int { value, suffix, decimal: false })
    }

    fn real(value: f64, suffix: FloatSuffix) -> Option<Literal> {
        Some(Literal::Float { bits: value.to_bits(), suffix })
    }

    #[test]
    fn integers() {
        assert_eq!(integer("42"), int(42, IntSuffix::None));
        assert_eq!(integer("0x1Fu"), other_base(31, IntSuffix::U));
        assert_eq!(integer("0b101"), other_base(5, IntSuffix::None));
        assert_eq!(integer("017"), other_base(15, IntSuffix::None));
        assert_eq!(integer("0"), int(0, IntSuffix::None));
        assert_eq!(integer("7ULL"), int(7, IntSuffix::ULL));
        assert_eq!(integer("18446744073709551615"), int(u64::MAX, IntSuffix::None));
        assert_eq!(integer("3q"), None);
    }

    #[test]
    fn floats() {
        assert_eq!(float("1.5"), real(1.5, FloatSuffix::None));
        assert_eq!(float("1.f"), real(1.0, FloatSuffix::F));
        assert_eq!(float(".5h"), real(0.5, FloatSuffix::H));
        assert_eq!(float("1e-3f"), real(1e-3, FloatSuffix::F));
        assert_eq!(float("2.0lf"), real(2.0, FloatSuffix::L));
        assert_eq!(float("0x1.8p3"), real(12.0, FloatSuffix::None));
        // 2^23 + 1/2 and a little: the nearest `float` is the upper one, though the nearest `double` is the middle.
        assert_eq!(float("8388608.5000000000000000001f"), real(8388609.0, FloatSuffix::F));
        assert_eq!(float("8388608.5f"), real(8388608.5, FloatSuffix::F));
        assert_eq!(float("1.#INF"), real(f64::INFINITY, FloatSuffix::None));
    }

    #[test]
    fn characters() {
        assert_eq!(character("H"), Some(0x48));
        assert_eq!(character("\\n"), Some(10));
        assert_eq!(character("\\377"), Some(255));
        assert_eq!(character("\\uabcd"), Some(0xabcd));
        assert_eq!(character("\\U12345678"), Some(0x1234_5678));
        assert_eq!(character(""), None);
    }

    #[test]
    fn strings() {
        assert_eq!(string(r#""a\n\"b\" \x41\101""#), "a\n\"b\" AA");
        assert_eq!(string("R\"x(a\\n)\" )x\""), "a\\n)\" ");
    }
}
