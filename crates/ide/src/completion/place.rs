//! What kind of place a position is: which declarations, blocks and lists are open there.

use super::context::{Before, is_word};

/// What may begin or go on at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A declaration of a file or a namespace.
    Declaration,
    /// A member of a struct, an interface or an extension.
    Member,
    /// An accessor of a property or a subscript.
    Accessor,
    /// The name of an enumeration's case.
    Case,
    /// A parameter of a declaration.
    Parameter,
    /// A statement.
    Statement(Around),
    /// An operand or operator of an expression.
    Value,
    /// The beginning of what an `if` asks, which may be a declaration: slangc takes none in a `while`.
    Condition,
}

/// What the statements around a position allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Around {
    pub(super) is_in_loop: bool,
    pub(super) is_in_switch: bool,
    /// The statement is one of a `switch` itself.
    pub(super) is_between_cases: bool,
}

/// What the braces are that open somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Declarations,
    Type,
    Enum,
    Accessors,
    Switch,
    Loop,
    Function,
    /// Of statements, or of a branch.
    Statements,
    /// A list of values.
    Values,
}

const TYPES: [&str; 7] = ["struct", "class", "interface", "extension", "__extension", "cbuffer", "tbuffer"];
const SWITCHES: [&str; 3] = ["switch", "__target_switch", "__stage_switch"];
const LOOPS: [&str; 2] = ["for", "while"];
const MODIFIERS: [&str; 9] =
    ["const", "static", "uniform", "precise", "volatile", "groupshared", "constexpr", "row_major", "column_major"];

impl Before<'_> {
    /// What kind of place the end of the text is.
    pub(super) fn place(&self) -> Expected {
        let Some(open) = self.open_bracket() else { return self.in_declarations(Expected::Declaration, 0) };
        match self.token(open) {
            "(" if self.is_parameter_list(open) => self.in_declarations(Expected::Parameter, open + 1),
            "{" => match self.block(open) {
                Block::Declarations => self.in_declarations(Expected::Declaration, open + 1),
                Block::Type => self.in_declarations(Expected::Member, open + 1),
                Block::Accessors => self.in_declarations(Expected::Accessor, open + 1),
                Block::Enum => self.in_declarations(Expected::Case, open + 1),
                Block::Values => Expected::Value,
                Block::Switch | Block::Loop | Block::Function | Block::Statements => match self.begins_statement() {
                    true => Expected::Statement(self.around(open)),
                    false => Expected::Value,
                },
            },
            "(" if open + 1 == self.tokens.len()
                && open.checked_sub(1).is_some_and(|before| self.token(before) == "if") =>
            {
                Expected::Condition
            }
            _ => Expected::Value,
        }
    }

    /// Behind `=` a value is asked for, in front of it a declaration.
    fn in_declarations(&self, place: Expected, start: usize) -> Expected {
        let mut index = self.tokens.len();
        while let Some(before) = index.checked_sub(1).filter(|before| *before >= start) {
            match self.token(before) {
                "=" | "=>" => return Expected::Value,
                ";" | "}" => break,
                "," if matches!(place, Expected::Parameter | Expected::Case) => break,
                ")" | "]" => match self.opening(before) {
                    Some(open) => index = open,
                    None => break,
                },
                _ => index = before,
            }
        }
        place
    }

    /// Whether the parentheses that open somewhere hold the parameters of a declaration and no arguments.
    fn is_parameter_list(&self, open: usize) -> bool {
        let is_declared = match self.open_bracket_before(open) {
            None => true,
            Some(around) => {
                self.token(around) == "{" && matches!(self.block(around), Block::Declarations | Block::Type)
            }
        };
        // `float f(`, `vector<T> f<U>(`, `operator+(`, `__init(`; but not `= f(`.
        let has_name = open.checked_sub(1).is_some_and(|name| {
            is_word(self.token(name)) || self.token(name) == ">" || self.head(open).contains(&"operator")
        });
        is_declared && has_name && !self.head(open).contains(&"=")
    }

    /// The words and operators in front of a bracket back to where its declaration or statement begins, the last one first.
    /// What stands in brackets of its own is left out, of parentheses a `)` stays.
    fn head(&self, open: usize) -> Vec<&str> {
        let mut head = Vec::new();
        let mut index = open;
        while let Some(before) = index.checked_sub(1) {
            let token = self.token(before);
            match token {
                ";" | "{" | "}" | "(" | "[" => break,
                ")" | "]" => {
                    if token == ")" {
                        head.push(token);
                    }
                    let Some(open) = self.opening(before) else { break };
                    index = open;
                }
                _ => {
                    head.push(token);
                    index = before;
                }
            }
        }
        head
    }

    fn block(&self, open: usize) -> Block {
        let head = self.head(open);
        let has = |words: &[&str]| head.iter().any(|word| words.contains(word));
        let around = self.open_bracket_before(open);
        match head.first().copied() {
            Some("=" | "," | "return") => return Block::Values,
            None if around.is_some_and(|around| matches!(self.token(around), "(" | "[")) => return Block::Values,
            Some("=>") => return Block::Function,
            _ => {}
        }
        let around = match around {
            Some(around) if self.token(around) == "{" => Some(self.block(around)),
            // The body of a lambda, which is an argument.
            Some(_) => return Block::Function,
            None => None,
        };
        if has(&["property", "__subscript"]) {
            return Block::Accessors;
        }
        if head.first() != Some(&")") {
            if has(&TYPES) {
                return Block::Type;
            }
            if has(&["enum"]) {
                return Block::Enum;
            }
            if has(&["namespace"]) {
                return Block::Declarations;
            }
        }
        match around {
            Some(Block::Values) => Block::Values,
            None | Some(Block::Declarations | Block::Type | Block::Accessors | Block::Enum) => Block::Function,
            Some(Block::Switch | Block::Loop | Block::Function | Block::Statements) => match () {
                () if has(&SWITCHES) => Block::Switch,
                () if has(&LOOPS) || head.first() == Some(&"do") => Block::Loop,
                // A function inside a function: a type and a name in front of the parameters.
                () if head.first() == Some(&")") && head.len() > 2 && !has(&["if", "else", "catch", ":"]) => {
                    Block::Function
                }
                () => Block::Statements,
            },
        }
    }

    /// Whether a statement begins at the end, or still may: modifiers come in front of the type of a declaration.
    fn begins_statement(&self) -> bool {
        let mut end = self.tokens.len();
        while end.checked_sub(1).is_some_and(|last| MODIFIERS.contains(&self.token(last))) {
            end -= 1;
        }
        let Some(last) = end.checked_sub(1) else { return true };
        match self.token(last) {
            ";" | "{" | "}" | "else" | "do" | "defer" => true,
            ")" => self.controls(last).is_some(),
            ":" => {
                let head = self.head(last);
                head.last().is_some_and(|word| matches!(*word, "case" | "default")) && !head.contains(&"?")
            }
            "]" => self.opening(last).is_some_and(|open| self.begins_attributes(open)),
            _ => false,
        }
    }

    /// The word in front of the parentheses that end somewhere, if a statement follows these.
    fn controls(&self, close: usize) -> Option<usize> {
        let word = self.opening(close)?.checked_sub(1)?;
        matches!(self.token(word), "if" | "for" | "while").then_some(word)
    }

    /// What the statements around the end allow; `open` is the innermost brace.
    fn around(&self, open: usize) -> Around {
        let mut around = Around::default();
        // Loops without braces.
        let mut end = self.tokens.len();
        while let Some(word) =
            end.checked_sub(1).filter(|last| self.token(*last) == ")").and_then(|last| self.controls(last))
        {
            around.is_in_loop |= LOOPS.contains(&self.token(word));
            end = word;
        }
        around.is_in_loop |= end.checked_sub(1).is_some_and(|last| self.token(last) == "do");
        around.is_between_cases = self.block(open) == Block::Switch && end == self.tokens.len();
        let mut next = Some(open);
        while let Some(open) = next {
            match self.block(open) {
                Block::Loop => around.is_in_loop = true,
                Block::Switch => around.is_in_switch = true,
                Block::Statements | Block::Values => {}
                Block::Declarations | Block::Type | Block::Enum | Block::Accessors | Block::Function => break,
            }
            next = self.open_bracket_before(open);
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::{Around, Before, Expected};

    fn places(texts: &[&str], place: Expected) {
        for text in texts {
            assert_eq!(Before::of(text).place(), place, "{text}");
        }
    }

    #[test]
    fn declarations() {
        places(&["", "float", "int x; ", "namespace n { ", "void f() { } ", "static const "], Expected::Declaration);
        places(
            &[
                "struct S { ",
                "struct S : I { int a; ",
                "extension S<T> where T : I { ",
                "interface I { float f(int a); ",
            ],
            Expected::Member,
        );
        places(&["struct S { property float w { ", "struct S { __subscript(int i) -> float { "], Expected::Accessor);
        places(&["enum E { ", "enum E : uint { A = 1, ", "enum E { A, B"], Expected::Case);
        places(
            &[
                "void f(",
                "void f(float a, ",
                "struct S { float f<T>(T a, in ",
                "S operator+(S a, ",
                "struct S { __init(",
            ],
            Expected::Parameter,
        );
        places(
            &[
                "float x = ",
                "struct S { int a = ",
                "void f(int a = ",
                "enum E { A = ",
                "float x[",
                "float x = f(",
                "[numthreads(",
            ],
            Expected::Value,
        );
    }

    #[test]
    fn statements() {
        let statement = |texts: &[&str], is_in_loop, is_in_switch, is_between_cases| {
            places(texts, Expected::Statement(Around { is_in_loop, is_in_switch, is_between_cases }));
        };
        let in_function = [
            "void f() { ",
            "void f() { int a; ",
            "void f() { if (a) ",
            "void f() { if (a) { } else ",
            "void f() { { ",
            "struct S { float f() { ",
            "struct S { property float w { get { ",
            "void f() { const ",
            "void f() { for (;;) { } ",
            "float f<T>(T t) where T : I { ",
            "void f() { let g = (int a) => { ",
            "void f() { for (;;) { let g = (int a) => { ",
            "void f() { for (;;) g((int a) => { ",
            "void f() { [A] ",
        ];
        statement(&in_function, false, false, false);
        let in_loop = [
            "void f() { for (;;) ",
            "void f() { while (a) { ",
            "void f() { do ",
            "void f() { do { ",
            "void f() { for (;;) { if (a) { ",
        ];
        statement(&in_loop, true, false, false);
        statement(&["void f() { while (a) switch (b) { case 1: { "], false, true, false);
        statement(&["void f() { while (a) { switch (b) { case 1: if (b) { "], true, true, false);
        statement(
            &[
                "void f() { switch (a) { ",
                "void f() { switch (a) { case 1: ",
                "void f() { switch (a) { case E.A: b(); ",
            ],
            false,
            true,
            true,
        );
        let values = [
            "void f() { x = ",
            "void f() { g(",
            "void f() { for (",
            "void f() { a[",
            "void f() { x = { 1, ",
            "void f() { return ",
            "void f() { a ? b : ",
            "void f() { a ",
        ];
        places(&values, Expected::Value);
        places(&["void f() { if (", "void f() { x(); if (", "void f() { for (;;) if ("], Expected::Condition);
        places(&["void f() { if (a ", "void f() { while (", "void f() { if (f("], Expected::Value);
    }
}
