//! Reads the grammar description into the few facts that generation needs.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use ungrammar::{Grammar, Rule};

/// The grammar, node by node in the order of the file.
pub(crate) struct AstGrammar {
    pub nodes: Vec<NodeShape>,
    pub enums: Vec<EnumShape>,
    /// The text of every keyword, sorted.
    pub keywords: Vec<String>,
}

pub(crate) struct NodeShape {
    pub name: String,
    /// What the grammar says of it: the comment before its rule, and the rule.
    pub docs: String,
    pub fields: Vec<Field>,
}

/// A choice between nodes; it has no tree node of its own.
pub(crate) struct EnumShape {
    pub name: String,
    /// The comment before its rule, if there is one.
    pub comment: String,
    pub variants: Vec<String>,
}

#[derive(PartialEq, Eq)]
pub(crate) enum Field {
    /// One token of a fixed kind, by its text (`;`, `struct`, `#ident`).
    Token(String),
    /// The child of this type that has `skip` children of the same type before it.
    Child { name: String, ty: String, skip: usize },
    /// All children of this type but the first `skip`.
    Children { name: String, ty: String, skip: usize },
}

/// An alternative of more tokens than this has no accessor per token.
const MOST_ALTERNATIVE_TOKENS: usize = 8;

pub(crate) fn read(text: &str) -> Result<AstGrammar> {
    let grammar: Grammar = text.parse().map_err(|error| anyhow::anyhow!("slang.ungram: {error}"))?;
    let mut nodes = Vec::new();
    let mut enums = Vec::new();
    for node in grammar.iter() {
        let data = &grammar[node];
        let Written { comment, rule } = written(text, &data.name);
        match enum_variants(&grammar, &data.rule) {
            Some(variants) => enums.push(EnumShape { name: data.name.clone(), comment, variants }),
            None => {
                let mut fields = Vec::new();
                collect_fields(&grammar, &data.rule, None, &mut fields).with_context(|| data.name.clone())?;
                let paragraph = if comment.is_empty() { comment } else { format!("{comment}///\n") };
                let docs = format!("{paragraph}/// ```text\n{rule}/// ```\n");
                nodes.push(NodeShape { name: data.name.clone(), docs, fields });
            }
        }
    }
    let keywords: BTreeSet<String> = grammar
        .tokens()
        .map(|token| grammar[token].name.clone())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .collect();
    Ok(AstGrammar { nodes, enums, keywords: keywords.into_iter().collect() })
}

/// How the grammar writes a rule, as lines of documentation.
struct Written {
    /// The comment right before the rule.
    comment: String,
    /// The rule, from its name to the empty line behind it.
    rule: String,
}

fn written(text: &str, name: &str) -> Written {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
    let start = lines.iter().position(begins).unwrap_or(lines.len());
    let before = lines[..start].iter().rev().take_while(|line| line.starts_with("// ")).count();
    let document = |lines: &[&str], prefix: &str| -> String {
        let words = lines.iter().map(|line| line.strip_prefix(prefix).unwrap_or(line));
        words.map(|line| format!("/// {line}\n")).collect()
    };
    let length = lines[start..].iter().take_while(|line| !line.is_empty()).count();
    Written {
        comment: document(&lines[start - before..start], "// "),
        rule: document(&lines[start..start + length], ""),
    }
}

fn enum_variants(grammar: &Grammar, rule: &Rule) -> Option<Vec<String>> {
    let Rule::Alt(alternatives) = rule else { return None };
    alternatives
        .iter()
        .map(|alternative| match alternative {
            Rule::Node(node) => Some(grammar[*node].name.clone()),
            _ => None,
        })
        .collect()
}

fn collect_fields(grammar: &Grammar, rule: &Rule, label: Option<&str>, fields: &mut Vec<Field>) -> Result<()> {
    match rule {
        Rule::Token(token) => {
            let field = Field::Token(grammar[*token].name.clone());
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        Rule::Node(node) => {
            let ty = grammar[*node].name.clone();
            let name = label.map_or_else(|| default_name(&ty), str::to_owned);
            let skip = children_before(fields, &ty);
            if !fields.iter().any(|field| matches!(field, Field::Child { name: other, .. } if *other == name)) {
                fields.push(Field::Child { name, ty, skip });
            }
        }
        Rule::Labeled { label, rule } => collect_fields(grammar, rule, Some(label), fields)?,
        Rule::Opt(rule) => collect_fields(grammar, rule, label, fields)?,
        Rule::Rep(rule) => match &**rule {
            Rule::Node(node) => push_children(&grammar[*node].name, label, fields),
            Rule::Alt(alternatives) if alternatives.iter().all(|rule| matches!(rule, Rule::Node(_))) => {
                for alternative in alternatives {
                    if let Rule::Node(node) = alternative {
                        push_children(&grammar[*node].name, label, fields);
                    }
                }
            }
            rule => collect_fields(grammar, rule, label, fields)?,
        },
        Rule::Alt(rules) => {
            let tokens = rules.iter().filter(|rule| matches!(rule, Rule::Token(_))).count();
            if tokens <= MOST_ALTERNATIVE_TOKENS {
                for rule in rules {
                    collect_fields(grammar, rule, label, fields)?;
                }
            }
        }
        Rule::Seq(rules) => match separated_list(rules) {
            Some(node) => push_children(&grammar[node].name, label, fields),
            None => {
                for rule in rules {
                    collect_fields(grammar, rule, label, fields)?;
                }
            }
        },
    }
    Ok(())
}

fn push_children(ty: &str, label: Option<&str>, fields: &mut Vec<Field>) {
    let name = label.map_or_else(|| format!("{}s", default_name(ty)), str::to_owned);
    fields.push(Field::Children { name, ty: ty.to_owned(), skip: children_before(fields, ty) });
}

/// Recognises `Node (separator Node)* separator?`.
fn separated_list(rules: &[Rule]) -> Option<ungrammar::Node> {
    let [Rule::Node(first), Rule::Rep(repeated), rest @ ..] = rules else { return None };
    let Rule::Seq(repeated) = &**repeated else { return None };
    let [_, Rule::Node(next)] = &repeated[..] else { return None };
    (first == next && rest.len() <= 1).then_some(*first)
}

fn children_before(fields: &[Field], ty: &str) -> usize {
    fields.iter().filter(|field| matches!(field, Field::Child { ty: other, .. } if other == ty)).count()
}

/// `type` is a Rust keyword.
fn default_name(ty: &str) -> String {
    if ty == "Type" { "ty".to_owned() } else { snake_case(ty) }
}

/// `FuncDecl` to `func_decl`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut result = String::new();
    for (index, c) in name.char_indices() {
        if c.is_ascii_uppercase() && index > 0 {
            result.push('_');
        }
        result.push(c.to_ascii_lowercase());
    }
    result
}

/// `FuncDecl` to `FUNC_DECL`.
pub(crate) fn shouting_case(name: &str) -> String {
    snake_case(name).to_ascii_uppercase()
}
