//! The values of literals.

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
        let value = unescape(unquote(token.text(), '\'')).chars().next()? as u64;
        Some(Literal::Int { value, suffix: IntSuffix::None })
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

fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('a') => result.push('\x07'),
            Some('b') => result.push('\x08'),
            Some('f') => result.push('\x0c'),
            Some('v') => result.push('\x0b'),
            Some('x') => {
                let mut code = 0u32;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    code = code.wrapping_mul(16).wrapping_add(digit);
                    chars.next();
                }
                result.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(c) if c.is_digit(8) => {
                let mut code = c.to_digit(8).unwrap_or(0);
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) {
                    code = code.wrapping_mul(8).wrapping_add(digit);
                    chars.next();
                }
                result.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(c) => result.push(c),
            None => {}
        }
    }
    result
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
    Some(Literal::Int { value, suffix })
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
    let value = if hexadecimal { hexadecimal_float(number)? } else { number.parse().ok()? };
    Some(Literal::Float { bits: value.to_bits(), suffix })
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
        Some(Literal::Int { value, suffix })
    }

    fn real(value: f64, suffix: FloatSuffix) -> Option<Literal> {
        Some(Literal::Float { bits: value.to_bits(), suffix })
    }

    #[test]
    fn integers() {
        assert_eq!(integer("42"), int(42, IntSuffix::None));
        assert_eq!(integer("0x1Fu"), int(31, IntSuffix::U));
        assert_eq!(integer("0b101"), int(5, IntSuffix::None));
        assert_eq!(integer("017"), int(15, IntSuffix::None));
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
        assert_eq!(float("1.#INF"), real(f64::INFINITY, FloatSuffix::None));
    }

    #[test]
    fn strings() {
        assert_eq!(string(r#""a\n\"b\" \x41\101""#), "a\n\"b\" AA");
        assert_eq!(string("R\"x(a\\n)\" )x\""), "a\\n)\" ");
    }
}
