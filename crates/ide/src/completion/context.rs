//! What the text up to a position asks for, whatever the tree makes of it: half-written code often has no tree.

use hir_def::body::DerivativeOperator;
use syntax::{
    SyntaxKind,
    keywords::{KeywordClass, keyword_class, public_keywords},
    lexer,
};

use super::place::Expected;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Context {
    /// In a comment, a number, a text.
    Nothing,
    /// After `[` where an attribute may stand.
    Attribute(Expected),
    /// After `vk::` there.
    VulkanAttribute(Expected),
    /// The name of a target: a `case` of `__target_switch`.
    Target,
    /// The name of a stage: a `case` of `__stage_switch`, the argument of `[shader("…")]`.
    Stage,
    /// A capability: an argument of `[require(…)]`.
    Capability,
    /// After the `:` behind a parameter, a field or a function.
    Semantic,
    /// After `import`: the parts of the name that are written, with their dots.
    Module {
        written: String,
    },
    /// Between the quotes of `#include "` and `import "`.
    Path {
        written: String,
    },
    /// After `#` at the beginning of a line.
    Directive,
    /// Where a directive names a macro.
    Macro,
    /// After `.`, `->` or `::`.
    Member(Access),
    /// In the parentheses of `fwd_diff` or `bwd_diff`.
    DerivativeOperand(DerivativeOperator),
    /// In the parentheses of an attribute that names a function.
    FunctionName,
    /// Where only a type may follow: behind the `:` of a declaration, after `is`, `extension`, `typealias T =`.
    Type,
    /// Behind the `:` of a type parameter or an interface.
    Interface,
    /// After `using`: `namespace` may follow, or a name.
    Using,
    /// Where a namespace is named.
    Namespace,
    /// After `module`: the name of this file.
    ModuleName,
    /// After `<`, if what these plain names mean is generic.
    GenericArgument {
        of: Vec<String>,
        place: Expected,
    },
    /// Where a parameter of a generic declaration begins.
    GenericParameter,
    Name(Expected),
    /// Behind plain names that a declaration may begin with: if they are a type, a new name follows.
    NewName {
        behind: Vec<String>,
        place: Expected,
    },
    /// After `#pragma`.
    Pragma,
    /// After `break`.
    Label,
}

/// How a member is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Access {
    /// How many bytes of the name are written.
    pub(super) name_length: usize,
    /// The plain names in front of the separator, outermost first, if there is nothing else.
    /// [`ELEMENT`] stands for an index.
    pub(super) chain: Vec<String>,
    pub(super) wanted: WantedMember,
}

/// Which members fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedMember {
    Any,
    /// In the parentheses of `fwd_diff` or `bwd_diff`, which take methods off their types.
    Differentiable,
    /// In the parentheses of `[DerivativeMember(…)]`, which takes fields off their types.
    Field,
}

/// An index among the names of a chain.
pub(super) const ELEMENT: &str = "[]";

/// Attributes whose argument is a function.
const NAMES_A_FUNCTION: [&str; 6] = [
    "ForwardDerivative",
    "BackwardDerivative",
    "PrimalSubstitute",
    "ForwardDerivativeOf",
    "BackwardDerivativeOf",
    "PrimalSubstituteOf",
];

/// The attribute whose argument is a field.
const NAMES_A_FIELD: &str = "DerivativeMember";

/// Words behind which only the name of what is declared may follow.
const NAMES_NEW: [&str; 11] = [
    "struct",
    "class",
    "interface",
    "enum",
    "let",
    "var",
    "func",
    "typealias",
    "associatedtype",
    "cbuffer",
    "type_param",
];

/// Words that are followed by the name of a declaration that may be generic.
const NAMES_GENERIC: [&str; 6] = ["struct", "class", "interface", "enum", "func", "typealias"];

const FORWARD: [&str; 2] = ["fwd_diff", "__fwd_diff"];
const BACKWARD: [&str; 2] = ["bwd_diff", "__bwd_diff"];

/// What `text` asks for at its end. It begins where a line does.
pub(super) fn context(text: &str) -> Context {
    let before = Before::of(text);
    match before.last_kind {
        Some(SyntaxKind::DIRECTIVE) => return in_directive(before.last_text),
        Some(SyntaxKind::COMMENT) if !before.last_text.ends_with("*/") => return Context::Nothing,
        Some(SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER | SyntaxKind::CHAR) => return Context::Nothing,
        Some(SyntaxKind::STRING) => return before.in_string(),
        _ => {}
    }
    if let Some(written) = before.module() {
        return Context::Module { written };
    }
    let tokens = &before.tokens;
    match tokens.last().copied() {
        Some("->") if before.declares_result() => Context::Type,
        Some("::") if before.is_behind("vk") && before.in_attributes() => {
            Context::VulkanAttribute(before.place_of_attributes())
        }
        Some("." | "->" | "::") => Context::Member(before.access()),
        Some("[" | ",") if before.in_attributes() => Context::Attribute(before.place_of_attributes()),
        Some("(" | ",") if before.requires() => Context::Capability,
        Some("(") if before.calls(&FORWARD) => Context::DerivativeOperand(DerivativeOperator::Forward),
        Some("(") if before.calls(&BACKWARD) => Context::DerivativeOperand(DerivativeOperator::Backward),
        Some("(") if before.calls(&NAMES_A_FUNCTION) => Context::FunctionName,
        Some("(") if before.calls(&[NAMES_A_FIELD]) => Context::Type,
        Some(":") => before.behind_colon(),
        Some("case") => before.in_switch().unwrap_or(Context::Name(Expected::Value)),
        Some("is" | "as" | "extension" | "__extension" | "typedef") => Context::Type,
        Some("break") => Context::Label,
        Some("using") => Context::Using,
        // One that is there may go on.
        Some("namespace") => Context::Namespace,
        Some("module") if before.begins_clause() => Context::ModuleName,
        Some(word) if NAMES_NEW.contains(&word) && !before.is_behind(".") => Context::Nothing,
        Some("=") if before.declares_alias() => Context::Type,
        Some(",") if before.lists_bases() => before.behind_colon(),
        _ => {
            let place = before.place();
            match before.generic_head() {
                Some((of, open)) => {
                    before.generic_parameter(open, place).unwrap_or(Context::GenericArgument { of, place })
                }
                None => match before.type_of_new_name(place) {
                    Some(behind) => Context::NewName { behind, place },
                    None => Context::Name(place),
                },
            }
        }
    }
}

/// What stands in front of the word that is being written.
pub(super) struct Before<'t> {
    /// Tokens that are neither spaces, comments nor directives.
    pub(super) tokens: Vec<&'t str>,
    /// How many bytes of a word are written.
    word: usize,
    /// The token that ends where the text does, of any kind.
    last_kind: Option<SyntaxKind>,
    last_text: &'t str,
}

impl<'t> Before<'t> {
    pub(super) fn of(text: &'t str) -> Before<'t> {
        let lexed = lexer::lex(text);
        let last = lexed.len().checked_sub(1);
        let last_kind = last.map(|last| lexed.kind(last));
        let last_text = last.map_or("", |last| &text[lexed.range(last)]);
        let has_word = last_kind == Some(SyntaxKind::IDENT);
        let significant =
            |index: &usize| !lexed.kind(*index).is_trivia() && lexed.kind(*index) != SyntaxKind::DIRECTIVE;
        let count = if has_word { lexed.len() - 1 } else { lexed.len() };
        let tokens = (0..count).filter(significant).map(|index| &text[lexed.range(index)]).collect();
        Before { tokens, word: if has_word { last_text.len() } else { 0 }, last_kind, last_text }
    }

    pub(super) fn token(&self, index: usize) -> &'t str {
        self.tokens.get(index).copied().unwrap_or_default()
    }

    fn in_string(&self) -> Context {
        let is_closed = self.last_text.len() > 1 && self.last_text.ends_with('"');
        let before = self.tokens.len().checked_sub(2).map_or("", |index| self.token(index));
        match before {
            "import" | "__include" | "implementing" if !is_closed => {
                Context::Path { written: self.last_text.trim_start_matches('"').to_owned() }
            }
            "(" if !is_closed && self.tokens.len().checked_sub(3).is_some_and(|name| self.token(name) == "shader") => {
                Context::Stage
            }
            _ => Context::Nothing,
        }
    }

    /// What the cases name that a position is between, if targets or stages choose.
    fn in_switch(&self) -> Option<Context> {
        let open = self.open_bracket()?;
        match self.token(open.checked_sub(1)?) {
            "__target_switch" => Some(Context::Target),
            "__stage_switch" => Some(Context::Stage),
            _ => None,
        }
    }

    /// The parts of the module's name that are written, if an `import` or its like names one here.
    fn module(&self) -> Option<String> {
        let is_part = |token: &&&str| **token == "." || is_word(token);
        let parts = self.tokens.iter().rev().take_while(is_part).count();
        let first = self.tokens.len() - parts;
        let keyword = first + self.tokens[first..].iter().rposition(|token| is_module_keyword(token))?;
        let begins = keyword == 0 || matches!(self.token(keyword - 1), ";" | "}" | "__exported");
        let written = &self.tokens[keyword + 1..];
        // Two words without a dot are no name.
        let is_name = written.iter().enumerate().all(|(index, token)| index.is_multiple_of(2) != (*token == "."));
        (begins && is_name && written.len().is_multiple_of(2)).then(|| written.concat())
    }

    fn access(&self) -> Access {
        let mut chain = Vec::new();
        let mut end = self.tokens.len() - 1;
        // Names and separators in turn; anything else in front is a value that only the tree knows.
        let is_whole = loop {
            // `Box<float>.` names `Box`.
            end = self.in_front_of_angles(end);
            // `lights[0].` names one of the elements.
            while let Some(close) = end.checked_sub(1).filter(|close| self.token(*close) == "]")
                && let Some(open) = self.opening(close)
            {
                chain.insert(0, ELEMENT.to_owned());
                end = open;
            }
            let Some(name) = end.checked_sub(1).map(|index| self.token(index)).filter(|name| is_word(name)) else {
                break chain.is_empty() && end == 0;
            };
            chain.insert(0, name.to_owned());
            end -= 1;
            match end.checked_sub(1).map(|index| self.token(index)) {
                Some("." | "::") => end -= 1,
                Some(")" | "]" | ">" | "->") | None => break true,
                Some(_) => break true,
            }
        };
        if !is_whole {
            chain.clear();
        }
        let opens = end.checked_sub(1).is_some_and(|open| self.token(open) == "(");
        let wanted = match end.checked_sub(2).filter(|_| opens).map(|name| self.token(name)) {
            Some(operator) if FORWARD.contains(&operator) || BACKWARD.contains(&operator) => {
                WantedMember::Differentiable
            }
            Some(NAMES_A_FIELD) => WantedMember::Field,
            _ => WantedMember::Any,
        };
        Access { name_length: self.word, chain, wanted }
    }

    /// The innermost bracket that is open.
    pub(super) fn open_bracket(&self) -> Option<usize> {
        self.open_bracket_before(self.tokens.len())
    }

    /// The innermost bracket that is open in front of a token.
    pub(super) fn open_bracket_before(&self, end: usize) -> Option<usize> {
        let mut closed = 0usize;
        for (index, token) in self.tokens[..end].iter().enumerate().rev() {
            match *token {
                ")" | "]" | "}" => closed += 1,
                "(" | "[" | "{" if closed == 0 => return Some(index),
                "(" | "[" | "{" => closed -= 1,
                _ => {}
            }
        }
        None
    }

    fn in_attributes(&self) -> bool {
        self.open_bracket().is_some_and(|open| self.token(open) == "[" && self.begins_attributes(open))
    }

    /// Whether a `[` begins attributes and is no subscript.
    pub(super) fn begins_attributes(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else { return true };
        match self.token(before) {
            ";" | "{" | "}" | "(" | "," | ":" | "else" | "do" => true,
            "public" | "private" | "internal" | "static" | "export" | "override" => true,
            "[" => self.begins_attributes(before),
            "]" => self.opening(before).is_some_and(|open| self.begins_attributes(open)),
            _ => false,
        }
    }

    /// What kind of place the attributes stand in that are being written.
    fn place_of_attributes(&self) -> Expected {
        let mut first = self.open_bracket().unwrap_or_default();
        // `[[` opens two, and attributes may stand in front.
        while let Some(before) = first.checked_sub(1) {
            first = match self.token(before) {
                "[" => before,
                "]" => match self.opening(before) {
                    Some(open) => open,
                    None => break,
                },
                _ => break,
            };
        }
        let tokens = self.tokens[..first].to_vec();
        Before { tokens, word: 0, last_kind: None, last_text: "" }.place()
    }

    /// Whether the last token stands behind a word.
    fn is_behind(&self, word: &str) -> bool {
        self.tokens.len().checked_sub(2).is_some_and(|before| self.token(before) == word)
    }

    /// Whether the `->` at the end says what `func f(…)` and `__subscript(…)` result in.
    fn declares_result(&self) -> bool {
        let close = self.tokens.len().checked_sub(2).filter(|close| self.token(*close) == ")");
        let Some(open) = close.and_then(|close| self.opening(close)) else { return false };
        let head = self.tokens[..open].iter().rev().take_while(|token| !matches!(**token, ";" | "{" | "}" | "="));
        let head: Vec<&str> = head.copied().collect();
        head.iter().any(|word| matches!(*word, "func" | "__subscript" | "functype"))
    }

    /// The plain names at the end, if a declaration may begin with them and its name may follow.
    fn type_of_new_name(&self, place: Expected) -> Option<Vec<String>> {
        let mut end = self.tokens.len();
        // `float*`, `float[2]`, `Optional<float>`.
        while let Some(last) = end.checked_sub(1) {
            end = match self.token(last) {
                "*" => last,
                "]" => self.opening(last)?,
                _ => break,
            };
        }
        let end = self.in_front_of_angles(end);
        let begin = self.begin_of_names(end);
        if begin == end || is_keyword(self.token(begin)) {
            return None;
        }
        let before = Before { tokens: self.tokens[..begin].to_vec(), word: 0, last_kind: None, last_text: "" };
        let begins = match place {
            Expected::Declaration => {
                before.tokens.last().is_none_or(|token| matches!(*token, ";" | "{" | "}" | "]") || is_keyword(token))
            }
            Expected::Parameter => {
                before.tokens.last().is_some_and(|token| matches!(*token, "(" | ",") || is_keyword(token))
            }
            Expected::Value => matches!(before.place(), Expected::Statement(_)),
            Expected::Statement(_) | Expected::Condition | Expected::Member | Expected::Accessor | Expected::Case => {
                false
            }
        };
        begins.then(|| self.names(begin, end))
    }

    /// Where the names begin, with dots or colons between them, that end in front of a token; that token if there are none.
    fn begin_of_names(&self, end: usize) -> usize {
        let mut begin = end;
        let mut next = end;
        while let Some(last) = next.checked_sub(1).filter(|last| is_word(self.token(*last))) {
            begin = last;
            match last.checked_sub(1).map(|before| self.token(before)) {
                Some("." | "::") => next = last - 1,
                _ => break,
            }
        }
        begin
    }

    fn names(&self, begin: usize, end: usize) -> Vec<String> {
        self.tokens[begin..end].iter().filter(|token| is_word(token)).map(|name| (*name).to_owned()).collect()
    }

    /// What is asked for if the `<` somewhere opens the parameters of what is declared, and not arguments.
    fn generic_parameter(&self, open: usize, place: Expected) -> Option<Context> {
        let before = open.checked_sub(2).map(|before| self.token(before))?;
        // `float3 f<`, `Box<float> f<`.
        let is_function = matches!(place, Expected::Declaration | Expected::Member)
            && (before == ">" || is_word(before) && !is_keyword(before));
        let declares = NAMES_GENERIC.contains(&before) || is_function;
        declares.then(|| match self.tokens.last() {
            Some(&("<" | ",")) => Context::GenericParameter,
            _ => Context::Nothing,
        })
    }

    /// Whether the last word begins a declaration.
    fn begins_clause(&self) -> bool {
        self.tokens.len().checked_sub(2).is_none_or(|before| matches!(self.token(before), ";" | "}" | "]"))
    }

    /// Whether the `=` at the end follows `typealias T`.
    fn declares_alias(&self) -> bool {
        let mut declaration = self.tokens.iter().rev().take_while(|token| !matches!(**token, ";" | "{" | "}"));
        declaration.any(|word| *word == "typealias")
    }

    /// Whether the `,` at the end goes on with the bases of a type.
    fn lists_bases(&self) -> bool {
        let mut head = Vec::new();
        let mut end = self.tokens.len() - 1;
        loop {
            end = self.in_front_of_angles(end);
            match end.checked_sub(1).map(|before| self.token(before)) {
                Some(token) if is_word(token) || matches!(token, "," | "." | "::" | ":") => head.push(token),
                _ => break,
            }
            end -= 1;
        }
        head.contains(&":") && head.iter().any(|word| matches!(*word, "struct" | "class" | "interface" | "extension"))
    }

    /// Where the arguments or parameters of a generic begin that end in front of a token; that token, if there are none.
    fn in_front_of_angles(&self, end: usize) -> usize {
        let mut depth = 0usize;
        let mut index = end;
        while let Some(before) = index.checked_sub(1) {
            match self.token(before) {
                ">" => depth += 1,
                ">>" => depth += 2,
                "<" if depth == 1 => return before,
                "<" if depth > 0 => depth -= 1,
                ")" | "]" => match self.opening(before) {
                    Some(open) if depth > 0 => {
                        index = open;
                        continue;
                    }
                    _ => return end,
                },
                "," | "." | "::" | ":" | "*" | "=" if depth > 0 => {}
                token if depth > 0 && (is_word(token) || token.starts_with(|c: char| c.is_ascii_digit())) => {}
                _ => return end,
            }
            index = before;
        }
        end
    }

    /// The names in front of the `<` whose arguments, if that is what follows it, the end is among; and where that is.
    fn generic_head(&self) -> Option<(Vec<String>, usize)> {
        let mut depth = 0usize;
        let mut index = self.tokens.len();
        let open = loop {
            index = index.checked_sub(1)?;
            match self.token(index) {
                "<" if depth == 0 => break index,
                "<" => depth -= 1,
                ">" => depth += 1,
                ">>" => depth += 2,
                "]" | ")" => index = self.opening(index)?,
                "," | "." | "::" | "*" => {}
                token if is_word(token) || token.starts_with(|c: char| c.is_ascii_digit()) => {}
                _ => return None,
            }
        };
        // Of `Box<float> f(Light<`, not the type in front of the name.
        let begin = self.begin_of_names(open);
        (begin < open).then(|| (self.names(begin, open), open))
    }

    /// The bracket that a closing one closes.
    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for index in (0..=close).rev() {
            match self.token(index) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// Whether the `(` at the end follows one of some words.
    fn calls(&self, words: &[&str]) -> bool {
        self.tokens.len().checked_sub(2).is_some_and(|index| words.contains(&self.token(index)))
    }

    /// Whether the parentheses that are open are those of `[require(…)]`.
    fn requires(&self) -> bool {
        let Some(open) = self.open_bracket().filter(|open| self.token(*open) == "(") else { return false };
        let name = open.checked_sub(1).filter(|name| self.token(*name) == "require");
        name.and_then(|name| name.checked_sub(1)).is_some_and(|before| matches!(self.token(before), "[" | ","))
    }

    /// A `:` says the semantic of what is declared in front of it, its type, or the bases of a type.
    fn behind_colon(&self) -> Context {
        let mut index = self.tokens.len() - 1;
        let mut words = Vec::new();
        let mut has_parameters = false;
        loop {
            index = self.in_front_of_angles(index);
            let Some(before) = index.checked_sub(1) else { break };
            match self.token(before) {
                ";" | "{" | "}" | "(" | "," | "<" => break,
                ")" | "]" => {
                    has_parameters |= self.token(before) == ")";
                    let Some(open) = self.opening(before) else { break };
                    index = open;
                    continue;
                }
                "?" | "=" | "case" | "default" => return Context::Name(self.place()),
                // In front of a type parameter.
                "each" | "typename" => {}
                token if is_word(token) => words.push(token),
                _ => {}
            }
            index = before;
        }
        let opens = self.tokens[..index].iter().rev().find(|token| matches!(**token, "<" | "(" | ";" | "{" | "}"));
        let is_type_parameter = opens == Some(&"<") && words.len() == 1 && !has_parameters;
        if is_type_parameter || words.iter().any(|word| matches!(*word, "interface" | "where" | "__generic")) {
            return Context::Interface;
        }
        const NAMES_TYPES: [&str; 10] = [
            "struct",
            "class",
            "extension",
            "enum",
            "associatedtype",
            "property",
            "let",
            "var",
            "type_param",
            "__extension",
        ];
        let is_one_word = words.len() == 1 && !has_parameters;
        if is_one_word || words.iter().any(|word| NAMES_TYPES.contains(word)) {
            return Context::Type;
        }
        Context::Semantic
    }
}

fn in_directive(text: &str) -> Context {
    let text = text.trim_start().trim_start_matches('#').trim_start();
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let rest = &text[word.len()..];
    match word {
        _ if rest.is_empty() => Context::Directive,
        "include" => match rest.trim_start().strip_prefix(['"', '<']) {
            Some(written) if !written.contains(['"', '>']) => Context::Path { written: written.to_owned() },
            _ => Context::Nothing,
        },
        "pragma" if rest.trim_start().chars().all(|c| c.is_alphanumeric()) => Context::Pragma,
        // Behind the name and its parameters.
        "define" if is_in_definition(rest) => Context::Name(Expected::Value),
        "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "undef" if !rest.contains("//") => Context::Macro,
        _ => Context::Nothing,
    }
}

/// Whether what is written of a `#define` goes on to what the macro stands for.
fn is_in_definition(rest: &str) -> bool {
    let rest = rest.trim_start().trim_start_matches(|c: char| c == '_' || c.is_alphanumeric());
    let body = match rest.strip_prefix('(') {
        Some(parameters) => parameters.split_once(')').map(|(_, body)| body),
        None => rest.strip_prefix([' ', '\t']),
    };
    body.is_some_and(|body| !body.contains("//") && !body.contains('"') && !body.trim_end().ends_with(['.', '#']))
}

fn is_module_keyword(word: &str) -> bool {
    matches!(word, "import" | "__include" | "implementing")
}

/// Whether a word says something and is no name; types that have a word are.
fn is_keyword(word: &str) -> bool {
    let mut known = public_keywords().filter(|(keyword, _)| *keyword == word);
    known.any(|(_, kind)| keyword_class(kind) != Some(KeywordClass::Type))
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use hir_def::body::DerivativeOperator;

    use super::{Access, Context, Expected, WantedMember, context};

    fn member(name_length: usize, chain: &[&str]) -> Context {
        let chain = chain.iter().map(|name| (*name).to_owned()).collect();
        Context::Member(Access { name_length, chain, wanted: WantedMember::Any })
    }

    #[test]
    fn members() {
        assert_eq!(context("    a.b."), member(0, &["a", "b"]));
        assert_eq!(context("    a.lo"), member(2, &["a"]));
        assert_eq!(context("    v2.x"), member(1, &["v2"]));
        assert_eq!(context("    ns::Box::"), member(0, &["ns", "Box"]));
        assert_eq!(context("    ns.Box<Box<int>, 3>.Di"), member(2, &["ns", "Box"]));
        assert_eq!(context("    f(x)."), member(0, &[]));
        assert_eq!(context("    p->a"), member(1, &["p"]));
        assert_eq!(context("    string s = \"http://x\"; p."), member(0, &["p"]));
        for (text, asked) in
            [(" bwd_diff(S.", WantedMember::Differentiable), ("struct S { [DerivativeMember(D.", WantedMember::Field)]
        {
            assert!(matches!(context(text), Context::Member(Access { wanted, .. }) if wanted == asked), "{text}");
        }
        for text in ["    1.", "   2.5", "  // a.", "  /* a.", "  \"a."] {
            assert_eq!(context(text), Context::Nothing, "{text}");
        }
    }

    #[test]
    fn attributes_and_subscripts() {
        for text in
            ["[Diff", "[A, ", "[[vk::binding(0)]] [", "void f() { [", "void f([", "; [A] [", "else [", "public ["]
        {
            assert!(matches!(context(text), Context::Attribute(_)), "{text}");
        }
        for text in ["a[i", "x = a[0][", "f(x)[", "[MaxIters(", "a[f(x, "] {
            assert!(matches!(context(text), Context::Name(_)), "{text}");
        }
        for text in ["int a;\n#endif\n[num", "f(\n#if A\n[num"] {
            assert!(matches!(context(text), Context::Attribute(_)), "{text}");
        }
        assert_eq!(context("[shader(\"com"), Context::Stage);
        assert_eq!(context("[shader(\"compute\""), Context::Nothing);
        assert_eq!(context("void f() { __target_switch { case hlsl: { } case "), Context::Target);
        assert_eq!(context("void f() { __stage_switch { case ver"), Context::Stage);
        assert_eq!(context("void f() { switch (x) { case "), Context::Name(Expected::Value));
        assert_eq!(context("[BackwardDerivative("), Context::FunctionName);
        assert_eq!(context("  bwd_diff(sh"), Context::DerivativeOperand(DerivativeOperator::Backward));
    }

    #[test]
    fn colons() {
        for text in
            ["float4 f(float2 uv : ", "struct V { float3 p : SV", "float4 main(float2 a) : ", "(int a, float b[2] : "]
        {
            assert_eq!(context(text), Context::Semantic, "{text}");
        }
        for text in [
            "struct S : ",
            "struct S : A, ",
            "struct S<T : I, U> : ",
            "struct S<T : I> : A<T>, ",
            "extension float : ",
            "let x : ",
            "property p : ",
            "func f(x : ",
        ] {
            assert_eq!(context(text), Context::Type, "{text}");
        }
        for text in [
            "void f<T : ",
            "void f<T, U : ",
            "void f<each T : ",
            "void f<T>(T a) where T : ",
            "interface I : ",
            "interface I<T : ",
        ] {
            assert_eq!(context(text), Context::Interface, "{text}");
        }
        for text in
            ["void f() { x = a ? b : ", "void f() { switch (x) { case 1 : ", "void f() { switch (x) { default : "]
        {
            assert!(matches!(context(text), Context::Name(_)), "{text}");
        }
    }

    #[test]
    fn types_alone() {
        for text in
            ["typealias T = ", "extension ", "typedef ", "void f(I i) { if (i is ", "void f(I i) { let s = i as "]
        {
            assert_eq!(context(text), Context::Type, "{text}");
        }
        assert_eq!(context("using "), Context::Using);
        for text in ["using namespace ", "namespace "] {
            assert_eq!(context(text), Context::Namespace, "{text}");
        }
        assert_eq!(context("module "), Context::ModuleName);
        let generic = |text: &str, names: &[&str]| match context(text) {
            Context::GenericArgument { of, .. } => assert_eq!(of, names, "{text}"),
            other => panic!("{text}: {other:?}"),
        };
        generic("void f() { Box<", &["Box"]);
        generic("void f() { ns::Box<float, ", &["ns", "Box"]);
        generic("void f() { Box<Box<int>, In", &["Box"]);
        generic("Box<float> f() { g<", &["g"]);
        generic("static const Box<", &["Box"]);
        generic("void f(Box<", &["Box"]);
        for text in ["struct S<", "struct S<T, ", "interface I<", "void f<", "Box<float> f<", "struct S { float g<T, "]
        {
            assert_eq!(context(text), Context::GenericParameter, "{text}");
        }
        for text in ["struct S<let ", "void f<T "] {
            assert_eq!(context(text), Context::Nothing, "{text}");
        }
        assert!(matches!(context("void f() { c = d < e + "), Context::Name(_)));
    }

    #[test]
    fn files_and_directives() {
        let module = |written: &str| Context::Module { written: written.to_owned() };
        let path = |written: &str| Context::Path { written: written.to_owned() };
        assert_eq!(context("import "), module(""));
        assert_eq!(context("int a; __exported import lib.no"), module("lib."));
        assert_eq!(context("__include \"parts/"), path("parts/"));
        assert_eq!(context("#include \"a/b"), path("a/b"));
        assert_eq!(context("#"), Context::Directive);
        assert_eq!(context("  # inc"), Context::Directive);
        assert_eq!(context("#if defined(A"), Context::Macro);
        assert_eq!(context("#define A"), Context::Nothing);
        assert_eq!(context("#define A(x"), Context::Nothing);
        assert!(matches!(context("#define A b"), Context::Name(_)));
        assert!(matches!(context("#define A(x) x * b"), Context::Name(_)));
        assert!(matches!(context("import lib; "), Context::Name(_)));
        assert!(matches!(context("  float x = "), Context::Name(_)));
    }
}
