//! Reads the text form that [`crate::print`] documents. `print(parse(print(m))) == print(m)`.
//!
//! Items may come in any order. `//` starts a comment. Integer constants of float type may leave out the point. What is
//! read is well-formed text, not necessarily a correct module: ask [`crate::verify`].

mod items;
mod lexer;
mod ops;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::{
    FuncId, GlobalId, Module, Type, TypeId,
    types::{StructId, SumId},
};
use lexer::{Token, TokenKind};

/// What is wrong with a text, and where: lines and columns (in bytes) count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1 on.
    pub line: u32,
    /// The byte in the line, from 1 on.
    pub column: u32,
    /// What was expected.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a module.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        next: 0,
        type_depth: 0,
        module: Module::default(),
        structs: FxHashMap::default(),
        sums: FxHashMap::default(),
        globals: FxHashMap::default(),
        funcs: FxHashMap::default(),
    };
    parser.declare()?;
    let bodies = parser.items()?;
    for (func, body) in bodies {
        parser.next = body;
        parser.body(func)?;
    }
    Ok(parser.module)
}

struct Parser<'a> {
    /// Ends with [`TokenKind::End`].
    tokens: &'a [Token],
    next: usize,
    type_depth: usize,
    module: Module,
    structs: FxHashMap<SmolStr, StructId>,
    sums: FxHashMap<SmolStr, SumId>,
    globals: FxHashMap<SmolStr, GlobalId>,
    funcs: FxHashMap<SmolStr, FuncId>,
}

type Parsed<T> = Result<T, ParseError>;

impl Parser<'_> {
    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    fn advance(&mut self) -> TokenKind {
        let kind = self.tokens[self.next].kind.clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        kind
    }

    /// An error at the next token.
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_at(self.next, message)
    }

    /// An error at the token that was just read.
    fn error_before<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_at(self.next.saturating_sub(1), message)
    }

    fn error_at<T>(&self, token: usize, message: impl Into<String>) -> Parsed<T> {
        let Token { line, column, .. } = self.tokens[token];
        Err(ParseError { line, column, message: message.into() })
    }

    fn at(&self, punctuation: &str) -> bool {
        matches!(self.peek(), TokenKind::Punctuation(found) if *found == punctuation)
    }

    fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.at(punctuation);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punctuation: &str) -> Parsed<()> {
        if self.eat(punctuation) { Ok(()) } else { self.error(format!("`{punctuation}` expected")) }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Word(found) if found == word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.error(format!("`{word}` expected")) }
    }

    fn word(&mut self) -> Parsed<SmolStr> {
        match self.peek().clone() {
            TokenKind::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.error("a word expected"),
        }
    }

    /// A word or a quoted name.
    fn name(&mut self) -> Parsed<SmolStr> {
        match self.peek().clone() {
            TokenKind::Word(name) | TokenKind::Text(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.error("a name expected"),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        match self.peek() {
            TokenKind::Integer(value) => {
                let value = *value;
                self.advance();
                Ok(value)
            }
            _ => self.error("an integer expected"),
        }
    }

    fn unsigned<T: TryFrom<i64>>(&mut self) -> Parsed<T> {
        let value = self.integer()?;
        T::try_from(value).or_else(|_| self.error_before("the number is out of range"))
    }

    /// `item, item, … close`, the opening bracket being read already.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn ty(&mut self) -> Parsed<TypeId> {
        if self.type_depth > crate::verify::MAX_TYPE_DEPTH {
            return self.error("the type nests too deep");
        }
        self.type_depth += 1;
        let ty = self.ty_inner();
        self.type_depth -= 1;
        ty
    }

    fn ty_inner(&mut self) -> Parsed<TypeId> {
        let ty = match self.advance() {
            TokenKind::Punctuation("[") => {
                let element = self.ty()?;
                self.expect(";")?;
                let len = self.unsigned()?;
                self.expect("]")?;
                Type::Array { element, len }
            }
            TokenKind::Struct(name) => match self.structs.get(&name) {
                Some(&id) => Type::Struct(id),
                None => return self.error_before(format!("there is no struct `{name}`")),
            },
            TokenKind::Sum(name) => match self.sums.get(&name) {
                Some(&id) => Type::Sum(id),
                None => return self.error_before(format!("there is no sum `{name}`")),
            },
            TokenKind::Word(word) => match items::numeric_type(&word) {
                Some(ty) => ty,
                None => self.named_type(&word)?,
            },
            _ => return self.error_before("a type expected"),
        };
        Ok(self.module.types.intern(ty))
    }

    fn func_ref(&mut self) -> Parsed<FuncId> {
        match self.advance() {
            TokenKind::At(name) => match self.funcs.get(&name) {
                Some(&id) => Ok(id),
                None => self.error_before(format!("there is no function `{name}`")),
            },
            _ => self.error_before("`@` and the name of a function expected"),
        }
    }
}

#[cfg(test)]
#[path = "tests/parse.rs"]
mod tests;
