//! What is wrong with a literal that ends: digits, suffixes, size, escapes. Each gives Slang's number and a sentence.

use diagnostics::{Code, codes};

type LiteralError = (Code, String);

/// E10003, E10012, E39999, E10002 (warning): an integer with digits that its base does not have, too large for any type,
/// with a suffix that means nothing, or of base eight.
pub(super) fn integer_error(text: &str) -> Option<LiteralError> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, text),
    };
    // Decimal digits that do not fit the base are digits all the same.
    let is_digit = |c: char| c.is_ascii_digit() || (radix == 16 && c.is_ascii_hexdigit()) || c == '_';
    let (digits, suffix) = digits.split_at(digits.find(|c| !is_digit(c)).unwrap_or(digits.len()));
    if !matches!(
        suffix.to_ascii_lowercase().as_str(),
        "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu" | "z" | "uz" | "zu"
    ) {
        return Some((codes::CANNOT_RESOLVE, format!("invalid suffix '{suffix}' on integer literal")));
    }
    let mut value = Some(0u64);
    for digit in digits.chars().filter(|c| *c != '_') {
        let Some(digit) = digit.to_digit(radix) else {
            return Some((codes::INVALID_DIGIT, format!("invalid digit '{digit}' for a base-{radix} literal")));
        };
        value = value.and_then(|value| value.checked_mul(radix.into())?.checked_add(digit.into()));
    }
    if value.is_none() {
        return Some((codes::INTEGER_TOO_LARGE, format!("integer literal '{text}' is too large for any type")));
    }
    (radix == 8).then(|| (codes::OCTAL_LITERAL, format!("'{text}' begins with '0' and so has base 8")))
}

/// E39999: a fractional number with a suffix that means nothing.
pub(super) fn float_error(text: &str) -> Option<LiteralError> {
    let lower = text.to_ascii_lowercase();
    if lower.contains("#inf") {
        return None;
    }
    let hexadecimal = lower.starts_with("0x");
    let digits = |text: &str| -> usize {
        text.find(|c: char| !(c.is_ascii_digit() || (hexadecimal && c.is_ascii_hexdigit()))).unwrap_or(text.len())
    };
    let mut rest = if hexadecimal { &lower[2..] } else { lower.as_str() };
    rest = &rest[digits(rest)..];
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = &fraction[digits(fraction)..];
    }
    if let Some(exponent) = rest.strip_prefix(if hexadecimal { 'p' } else { 'e' }) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = exponent.find(|c: char| !c.is_ascii_digit()).unwrap_or(exponent.len());
        if length > 0 {
            rest = &exponent[length..];
        }
    }
    let valid = matches!(rest, "" | "f" | "h" | "l" | "lf" | "hf" | "fh" | "fl");
    (!valid).then(|| (codes::CANNOT_RESOLVE, format!("invalid suffix '{rest}' on floating-point literal")))
}

/// E10001, E10006, E10007: character literals of none or several, characters that are none, and escapes that mean nothing.
pub(super) fn text_error(text: &str) -> Option<LiteralError> {
    // Strings may hold any bytes.
    if text.starts_with('\'') && text.contains(char::REPLACEMENT_CHARACTER) {
        return Some((codes::INVALID_UTF8, "invalid UTF-8 byte sequence in a literal".to_owned()));
    }
    let mut rest = text;
    while let Some(position) = rest.find('\\') {
        let escape = &rest[position + 1..];
        let first = escape.chars().next()?;
        let length = match first {
            'x' => {
                let digits = &escape[1..];
                let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
                let significant = digits[..length].trim_start_matches('0');
                if length == 0 || significant.len() > 8 {
                    return Some((
                        codes::INVALID_ESCAPE,
                        format!("invalid escape '\\x{}' in a literal", &digits[..length]),
                    ));
                }
                1 + length
            }
            'u' | 'U' => {
                let digits = &escape[1..];
                1 + digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len())
            }
            // The end of the line continues the literal in the next one.
            'n' | 't' | 'r' | 'a' | 'b' | 'f' | 'v' | '0'..='7' | '\'' | '"' | '\\' | '?' | '\n' | '\r' => {
                first.len_utf8()
            }
            _ => return Some((codes::INVALID_ESCAPE, format!("invalid escape '\\{first}' in a literal"))),
        };
        rest = &escape[length..];
    }
    let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    let is_one = inside.is_none_or(|inside| characters(inside) == 1);
    (!is_one).then(|| (codes::ILLEGAL_CHARACTER_LITERAL, "a character literal holds one character".to_owned()))
}

/// How many characters there are in a literal whose escapes mean something.
fn characters(text: &str) -> usize {
    let mut rest = text.chars();
    let mut count = 0;
    while let Some(first) = rest.next() {
        count += 1;
        let (radix, most) = match (first == '\\').then(|| rest.next()).flatten() {
            Some('x') => (16, usize::MAX),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some('0'..='7') => (8, 2),
            _ => continue,
        };
        let digits = rest.clone().take(most).take_while(|c| c.is_digit(radix)).count();
        rest.by_ref().take(digits).for_each(drop);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(error: Option<LiteralError>) -> Option<Code> {
        error.map(|(code, _)| code)
    }

    #[test]
    fn integers() {
        for valid in ["0", "42u", "0xFFul", "0b1011", "1_000", "7LL", "18446744073709551615", "5uz"] {
            assert_eq!(integer_error(valid), None, "{valid}");
        }
        assert_eq!(code(integer_error("2tdf")), Some(codes::CANNOT_RESOLVE));
        assert_eq!(code(integer_error("1f")), Some(codes::CANNOT_RESOLVE));
        assert_eq!(code(integer_error("08")), Some(codes::INVALID_DIGIT));
        assert_eq!(code(integer_error("017")), Some(codes::OCTAL_LITERAL));
        assert_eq!(code(integer_error("00")), Some(codes::OCTAL_LITERAL));
        assert_eq!(code(integer_error("18446744073709551616")), Some(codes::INTEGER_TOO_LARGE));
        assert_eq!(code(integer_error("0x10000000000000000")), Some(codes::INTEGER_TOO_LARGE));
    }

    #[test]
    fn floats() {
        for valid in ["1.0", "1.", ".5h", "1e-3f", "2.0lf", "0x1.8p3", "1.#INF", "1.5e+3", "0x1.8p3f"] {
            assert_eq!(float_error(valid), None, "{valid}");
        }
        assert_eq!(code(float_error("1.0ff")), Some(codes::CANNOT_RESOLVE));
        assert_eq!(code(float_error("3.0ug")), Some(codes::CANNOT_RESOLVE));
        assert_eq!(code(float_error("1.5e")), Some(codes::CANNOT_RESOLVE));
        assert_eq!(code(float_error("1.baz")), Some(codes::CANNOT_RESOLVE));
    }

    #[test]
    fn texts() {
        for valid in
            [r#""a\n\"b\" \x41\101""#, r"'\''", r"'\xffffffff'", r"'\u00e9'", r"'\101'", "'a'", "\"two\\\nlines\""]
        {
            assert_eq!(text_error(valid), None, "{valid}");
        }
        assert_eq!(code(text_error(r"'\x100000000'")), Some(codes::INVALID_ESCAPE));
        assert_eq!(code(text_error(r#""\q""#)), Some(codes::INVALID_ESCAPE));
        for several in ["''", "'ab'", r"'\1011'", r"'\n\n'", "'éa'"] {
            assert_eq!(code(text_error(several)), Some(codes::ILLEGAL_CHARACTER_LITERAL), "{several}");
        }
        assert_eq!(code(text_error("'\u{FFFD}'")), Some(codes::INVALID_UTF8));
    }

    #[test]
    fn names_are_text() {
        let found = |text| super::super::lex(text).errors.iter().map(|error| error.code).collect::<Vec<_>>();
        assert_eq!(found("float f\u{FFFD}(float x);"), [codes::INVALID_UTF8]);
        assert!(found("float grün; // \u{FFFD}\n/* \u{FFFD} */ \"\u{FFFD}\"").is_empty());
    }
}
