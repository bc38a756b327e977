//! Tokens of the text form.

use smol_str::SmolStr;

use super::ParseError;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub line: u32,
    pub column: u32,
}

/// The name of a value: numbered values have no name of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ValueName {
    Number(SmolStr),
    Text(SmolStr),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// Words may contain `.` and `'`.
    Word(SmolStr),
    /// `"…"`
    Text(SmolStr),
    /// `%…`
    Value(ValueName),
    /// `@…`
    At(SmolStr),
    /// `$…`
    Struct(SmolStr),
    /// `!…`
    Sum(SmolStr),
    Integer(i64),
    Float(f64),
    Punctuation(&'static str),
    End,
}

const PUNCTUATION: &[&str] = &["->", "{", "}", "(", ")", "[", "]", "<", ">", ",", ":", ";", "="];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { text, offset: 0, line: 1, line_start: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let (line, column) = lexer.position();
        let kind = lexer.token()?;
        let end = kind == TokenKind::End;
        tokens.push(Token { kind, line, column });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    line_start: usize,
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\'')
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn position(&self) -> (u32, u32) {
        (self.line, (self.offset - self.line_start) as u32 + 1)
    }

    fn error<T>(&self, message: &str) -> Result<T, ParseError> {
        let (line, column) = self.position();
        Err(ParseError { line, column, message: message.into() })
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek() {
            if c == '\n' {
                self.offset += 1;
                self.line += 1;
                self.line_start = self.offset;
            } else if c.is_whitespace() {
                self.offset += c.len_utf8();
            } else if self.rest().starts_with("//") {
                self.take(|c| c != '\n');
            } else {
                break;
            }
        }
    }

    /// The longest text whose characters all are `wanted`.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> SmolStr {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let taken = SmolStr::new(&rest[..length]);
        self.offset += length;
        taken
    }

    fn token(&mut self) -> Result<TokenKind, ParseError> {
        let Some(c) = self.peek() else { return Ok(TokenKind::End) };
        if is_word_start(c) {
            return Ok(match self.take(is_word) {
                word if word == "inf" => TokenKind::Float(f64::INFINITY),
                word if word == "nan" => TokenKind::Float(f64::NAN),
                word => TokenKind::Word(word),
            });
        }
        match c {
            '"' => return Ok(TokenKind::Text(self.quoted()?)),
            '%' => {
                self.offset += 1;
                return Ok(TokenKind::Value(match self.peek() {
                    Some(c) if c.is_ascii_digit() => ValueName::Number(self.take(|c| c.is_ascii_digit())),
                    _ => ValueName::Text(self.name()?),
                }));
            }
            '@' | '$' | '!' => {
                self.offset += 1;
                let name = self.name()?;
                return Ok(match c {
                    '@' => TokenKind::At(name),
                    '$' => TokenKind::Struct(name),
                    _ => TokenKind::Sum(name),
                });
            }
            _ => {}
        }
        for &punctuation in PUNCTUATION {
            if self.rest().starts_with(punctuation) {
                self.offset += punctuation.len();
                return Ok(TokenKind::Punctuation(punctuation));
            }
        }
        self.number()
    }

    fn name(&mut self) -> Result<SmolStr, ParseError> {
        match self.peek() {
            Some('"') => self.quoted(),
            Some(c) if is_word_start(c) => Ok(self.take(is_word)),
            _ => self.error("a name expected"),
        }
    }

    fn quoted(&mut self) -> Result<SmolStr, ParseError> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        loop {
            match chars.next() {
                Some((end, '"')) => {
                    self.offset += end + 1;
                    return Ok(text.into());
                }
                Some((_, '\\')) => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => return self.error("unknown escape in a quoted text"),
                },
                Some((_, '\n')) | None => return self.error("a quoted text does not end"),
                Some((_, c)) => text.push(c),
            }
        }
    }

    fn number(&mut self) -> Result<TokenKind, ParseError> {
        let rest = self.rest();
        if rest.starts_with("-inf") {
            self.offset += 4;
            return Ok(TokenKind::Float(f64::NEG_INFINITY));
        }
        let mut length = usize::from(rest.starts_with('-'));
        let mut after_exponent = false;
        for c in rest[length..].chars() {
            let belongs = c.is_ascii_digit() || matches!(c, '.' | 'e') || (after_exponent && matches!(c, '-' | '+'));
            if !belongs {
                break;
            }
            after_exponent = c == 'e';
            length += 1;
        }
        let digits = &rest[..length];
        let kind = if let Ok(value) = digits.parse::<i64>() {
            TokenKind::Integer(value)
        } else if let Ok(value) = digits.parse::<u64>() {
            TokenKind::Integer(value as i64)
        } else if let Some(value) = digits.parse::<f64>().ok().filter(|_| length > 0) {
            TokenKind::Float(value)
        } else {
            return self.error("an unexpected character");
        };
        self.offset += length;
        Ok(kind)
    }
}
