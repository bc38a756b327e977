//! Generates the typed tree: a struct per node, an enum per choice, an accessor per field.

use std::fmt::Write;

use super::grammar::{AstGrammar, Field, shouting_case};
use super::kinds::token_kind;

pub(crate) fn generate(grammar: &AstGrammar) -> String {
    let mut out = String::from(
        "use super::{AstChildren, AstNode, support};\nuse crate::{SyntaxKind, SyntaxNode, SyntaxToken, SyntaxKind::*, T};\n\n",
    );
    for node in &grammar.nodes {
        let name = &node.name;
        writeln!(
            out,
            "{}#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub struct {name} {{\npub(crate) syntax: SyntaxNode,\n}}\n",
            node.docs
        )
        .ok();
        if !node.fields.is_empty() {
            writeln!(out, "impl {name} {{").ok();
            for field in &node.fields {
                generate_accessor(field, &mut out);
            }
            out.push_str("}\n\n");
        }
        let kind = shouting_case(name);
        writeln!(
            out,
            "impl AstNode for {name} {{
    fn can_cast(kind: SyntaxKind) -> bool {{ kind == {kind} }}
    fn cast(syntax: SyntaxNode) -> Option<Self> {{ Self::can_cast(syntax.kind()).then_some(Self {{ syntax }}) }}
    fn syntax(&self) -> &SyntaxNode {{ &self.syntax }}
}}
"
        )
        .ok();
    }
    for choice in &grammar.enums {
        let name = &choice.name;
        let comment = if choice.comment.is_empty() { "/// One of several nodes.\n" } else { &choice.comment };
        writeln!(out, "{comment}#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub enum {name} {{").ok();
        for variant in &choice.variants {
            writeln!(out, "/// See [`{variant}`].\n{variant}({variant}),").ok();
        }
        writeln!(out, "}}\n\nimpl AstNode for {name} {{\nfn can_cast(kind: SyntaxKind) -> bool {{ matches!(kind,").ok();
        let kinds: Vec<String> = choice.variants.iter().map(|variant| shouting_case(variant)).collect();
        out.push_str(&kinds.join(" | "));
        out.push_str(")}\nfn cast(syntax: SyntaxNode) -> Option<Self> {\nSome(match syntax.kind() {\n");
        for (variant, kind) in choice.variants.iter().zip(&kinds) {
            writeln!(out, "{kind} => {name}::{variant}({variant} {{ syntax }}),").ok();
        }
        out.push_str("_ => return None,\n})\n}\nfn syntax(&self) -> &SyntaxNode {\nmatch self {\n");
        for variant in &choice.variants {
            writeln!(out, "{name}::{variant}(it) => &it.syntax,").ok();
        }
        out.push_str("}\n}\n}\n\n");
        for variant in &choice.variants {
            writeln!(
                out,
                "impl From<{variant}> for {name} {{ fn from(node: {variant}) -> {name} {{ {name}::{variant}(node) }} }}\n"
            )
            .ok();
        }
    }
    out
}

fn generate_accessor(field: &Field, out: &mut String) {
    let behind = |skip: usize| match skip {
        0 => String::new(),
        1 => " behind the first one".to_owned(),
        _ => format!(" behind the first {skip}"),
    };
    match field {
        Field::Token(text) => {
            let kind = token_kind(text);
            let name = accessor_name(&kind);
            let (kind, word) = match text.as_str() {
                "(" | ")" | "{" | "}" | "[" | "]" => (format!("T!['{text}']"), format!("token `{text}`")),
                "#" | "$" | "$$" => (kind, format!("token `{text}`")),
                "#ident" => (kind, "name itself".to_owned()),
                _ if text.starts_with('@') => (kind, format!("{} itself", text[1..].replace('_', " "))),
                _ => (format!("T![{text}]"), format!("token `{text}`")),
            };
            writeln!(
                out,
                "/// The {word}, where it is written.
                pub fn {name}(&self) -> Option<SyntaxToken> {{ support::token(&self.syntax, {kind}) }}"
            )
        }
        Field::Child { name, ty, skip } => {
            let child = match skip {
                0 => "support::child(&self.syntax)".to_owned(),
                _ => format!("support::children(&self.syntax).nth({skip})"),
            };
            writeln!(
                out,
                "/// The child that is a [`{ty}`]{}, where it is written.
                pub fn {name}(&self) -> Option<{ty}> {{ {child} }}",
                behind(*skip)
            )
        }
        Field::Children { name, ty, skip } => {
            let (iterator, skipped) = match skip {
                0 => (format!("AstChildren<{ty}>"), String::new()),
                _ => (format!("impl Iterator<Item = {ty}> + use<>"), format!(".skip({skip})")),
            };
            writeln!(
                out,
                "/// Every child that is a [`{ty}`]{}, in the order in which they are written.
                pub fn {name}(&self) -> {iterator} {{ support::children(&self.syntax){skipped} }}",
                behind(*skip)
            )
        }
    }
    .ok();
}

fn accessor_name(kind: &str) -> String {
    let name = kind.strip_suffix("_KW").unwrap_or(kind);
    format!("{}_token", name.to_ascii_lowercase())
}
