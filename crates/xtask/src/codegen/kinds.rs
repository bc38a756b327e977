//! Generates the `SyntaxKind` enum, its keyword tables and the `T!` macro.

use std::fmt::Write;

use super::grammar::{AstGrammar, shouting_case};

/// Punctuation: text and kind.
pub(crate) const PUNCTUATION: &[(&str, &str)] = &[
    (";", "SEMICOLON"),
    (",", "COMMA"),
    ("(", "L_PAREN"),
    (")", "R_PAREN"),
    ("{", "L_BRACE"),
    ("}", "R_BRACE"),
    ("[", "L_BRACKET"),
    ("]", "R_BRACKET"),
    ("<", "L_ANGLE"),
    (">", "R_ANGLE"),
    (".", "DOT"),
    ("..", "DOT_DOT"),
    ("...", "ELLIPSIS"),
    (":", "COLON"),
    ("::", "COLON_COLON"),
    ("?", "QUESTION"),
    ("->", "ARROW"),
    ("=>", "FAT_ARROW"),
    ("=", "EQ"),
    ("==", "EQ_EQ"),
    ("!", "BANG"),
    ("!=", "BANG_EQ"),
    ("<=", "LT_EQ"),
    (">=", "GT_EQ"),
    ("<<", "SHL"),
    (">>", "SHR"),
    ("+", "PLUS"),
    ("-", "MINUS"),
    ("*", "STAR"),
    ("/", "SLASH"),
    ("%", "PERCENT"),
    ("&", "AMPERSAND"),
    ("|", "PIPE"),
    ("^", "CARET"),
    ("~", "TILDE"),
    ("&&", "AMPERSAND_AMPERSAND"),
    ("||", "PIPE_PIPE"),
    ("++", "PLUS_PLUS"),
    ("--", "MINUS_MINUS"),
    ("+=", "PLUS_EQ"),
    ("-=", "MINUS_EQ"),
    ("*=", "STAR_EQ"),
    ("/=", "SLASH_EQ"),
    ("%=", "PERCENT_EQ"),
    ("<<=", "SHL_EQ"),
    (">>=", "SHR_EQ"),
    ("&=", "AMPERSAND_EQ"),
    ("|=", "PIPE_EQ"),
    ("^=", "CARET_EQ"),
    ("#", "HASH"),
    ("##", "HASH_HASH"),
    ("$", "DOLLAR"),
    ("$$", "DOLLAR_DOLLAR"),
    ("@", "AT"),
    ("\\", "BACKSLASH"),
];

/// Tokens without a fixed text: kind and documentation.
pub(crate) const VARIABLE_TOKENS: &[(&str, &str)] = &[
    ("IDENT", "A name, or a keyword where it is not taken for one."),
    ("INT_NUMBER", "An integer with its suffix: `1`, `0xFFu`."),
    ("FLOAT_NUMBER", "A number with a point or an exponent, and its suffix: `1.0h`, `1e-3`."),
    ("STRING", "A string with its quotes."),
    ("CHAR", "A character with its quotes."),
    ("WHITESPACE", "Spaces, tabs, line breaks and lines that a backslash joins."),
    ("COMMENT", "A comment of either kind with what begins and ends it."),
    ("LEX_ERROR", "Characters that begin no token."),
];

/// `struct` to `STRUCT_KW`; `__init` to `UU_INIT_KW`, so that `__ref` and `ref` differ.
pub(crate) fn keyword_kind(keyword: &str) -> String {
    let (prefix, rest) = match keyword.strip_prefix("__") {
        Some(rest) => ("UU_", rest),
        None => ("", keyword),
    };
    format!("{prefix}{}_KW", rest.to_ascii_uppercase())
}

/// The kind of a token as the grammar spells it.
pub(crate) fn token_kind(token: &str) -> String {
    match token {
        "#ident" => "IDENT".to_owned(),
        "@int_number" => "INT_NUMBER".to_owned(),
        "@float_number" => "FLOAT_NUMBER".to_owned(),
        "@string" => "STRING".to_owned(),
        "@char" => "CHAR".to_owned(),
        _ => match PUNCTUATION.iter().find(|(text, _)| *text == token) {
            Some((_, kind)) => (*kind).to_owned(),
            None => keyword_kind(token),
        },
    }
}

pub(crate) fn generate(grammar: &AstGrammar) -> String {
    let mut out = String::new();
    let keyword_kinds: Vec<String> = grammar.keywords.iter().map(|keyword| keyword_kind(keyword)).collect();
    let node_kinds: Vec<String> = grammar.nodes.iter().map(|node| shouting_case(&node.name)).collect();

    out.push_str(
        "/// The kind of a token or node of the tree.
#[allow(non_camel_case_types)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum SyntaxKind {
    /// Marks an abandoned node while parsing; never in a tree.
    TOMBSTONE,
    /// What the parser sees after the last token; never in a tree.
    EOF,
    /// The place of a body that was parsed on its own; stitching replaces it.
    BODY_HOLE,
",
    );
    for (text, kind) in PUNCTUATION {
        writeln!(out, "/// `{text}`\n{kind},").ok();
    }
    for (kind, docs) in VARIABLE_TOKENS {
        writeln!(out, "/// {docs}\n{kind},").ok();
    }
    for (keyword, kind) in grammar.keywords.iter().zip(&keyword_kinds) {
        writeln!(out, "/// `{keyword}`\n{kind},").ok();
    }
    out.push_str("/// Tokens that fit nowhere.\nERROR,\n");
    for (node, kind) in grammar.nodes.iter().zip(&node_kinds) {
        writeln!(out, "/// The node [`{0}`](crate::ast::{0}).\n{kind},", node.name).ok();
    }
    out.push_str("}\nuse SyntaxKind::*;\n\n");

    out.push_str(
        "/// Every kind, in the order of their numbers.\npub(super) const ALL: &[SyntaxKind] = &[TOMBSTONE, EOF, BODY_HOLE,",
    );
    let punctuation_kinds = PUNCTUATION.iter().map(|(_, kind)| *kind);
    let kinds = punctuation_kinds
        .chain(VARIABLE_TOKENS.iter().map(|(kind, _)| *kind))
        .chain(keyword_kinds.iter().map(String::as_str))
        .chain(["ERROR"])
        .chain(node_kinds.iter().map(String::as_str));
    for kind in kinds {
        write!(out, "{kind},").ok();
    }
    out.push_str("];\n\n");

    let mut table = |docs: &str, declaration: &str, rows: &mut dyn Iterator<Item = (&str, &str)>| {
        write!(out, "/// {docs}\n{declaration}: &[(&str, SyntaxKind)] = &[").ok();
        for (text, kind) in rows {
            write!(out, "({text:?}, {kind}),").ok();
        }
        out.push_str("];\n\n");
    };
    let mut keywords = grammar.keywords.iter().zip(&keyword_kinds).map(|(text, kind)| (text.as_str(), kind.as_str()));
    table(
        "Every keyword with its text, in the order of the texts and of the kinds.",
        "pub const KEYWORDS",
        &mut keywords,
    );
    let mut punctuation = PUNCTUATION.iter().copied();
    table("Every punctuation token with its text, by kind.", "pub(super) const PUNCTUATION", &mut punctuation);
    if let (Some(first), Some(last)) = (keyword_kinds.first(), keyword_kinds.last()) {
        writeln!(
            out,
            "impl SyntaxKind {{
            /// Whether this is the kind of a keyword.
            pub fn is_keyword(self) -> bool {{\n({first} as u16..={last} as u16).contains(&(self as u16))\n}}\n}}\n"
        )
        .ok();
    }
    out.push_str(
        "/// The kind of a token by its text: `T![;]`, `T![struct]`, `T!['{']`.\n#[macro_export]\nmacro_rules! T {",
    );
    for (text, kind) in PUNCTUATION {
        if matches!(*text, "#" | "##" | "$" | "$$" | "\\") {
            // Not usable in a macro pattern.
            continue;
        } else if matches!(*text, "(" | ")" | "{" | "}" | "[" | "]") {
            writeln!(out, "['{text}'] => {{ $crate::SyntaxKind::{kind} }};").ok();
        } else {
            writeln!(out, "[{text}] => {{ $crate::SyntaxKind::{kind} }};").ok();
        }
    }
    for (keyword, kind) in grammar.keywords.iter().zip(&keyword_kinds) {
        writeln!(out, "[{keyword}] => {{ $crate::SyntaxKind::{kind} }};").ok();
    }
    out.push_str("}\n");
    out
}
