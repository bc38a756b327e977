//! Parentheses and brackets that are told from the text alone: of attributes, of macros, and of generic types.

use base_db::Db;
use hir_def::{
    attribute::{ATTRIBUTES, AttributeKind},
    item,
    name::Name,
    scope,
};
use hir_ty::{display, ty::TypeParam};
use syntax::{SyntaxKind, lexer};

use super::{Signature, SignatureHelp};
use crate::{FilePosition, macros, semantics::item_at, text_before::text_before};

/// The attribute, the macro or the generic type whose arguments a position is among.
pub(super) fn written(db: &dyn Db, at: FilePosition) -> Option<SignatureHelp> {
    let open = innermost(&text_before(db, at))?;
    let signature = match open.bracket {
        Bracket::Attribute => attribute(&open.name)?,
        Bracket::Parenthesis => macro_called(db, at, &open.name)?,
        Bracket::Angle => generic_type(db, at, &open.name)?,
    };
    let active_parameter = Some(open.commas);
    Some(SignatureHelp { signatures: vec![signature], active_signature: 0, active_parameter })
}

/// A bracket that is open at the end of a text, behind a name.
struct Open {
    name: String,
    bracket: Bracket,
    /// Those between it and the end that belong to it.
    commas: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// `[name(`
    Attribute,
    /// `name(`
    Parenthesis,
    /// `name<`
    Angle,
}

/// The innermost bracket that is open at the end of a text. An angle bracket counts only as long as nothing says that it is
/// a comparison.
fn innermost(text: &str) -> Option<Open> {
    let lexed = lexer::lex(text);
    let is_blank = |kind| matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT | SyntaxKind::DIRECTIVE);
    let tokens: Vec<(SyntaxKind, &str)> = (0..lexed.len())
        .map(|index| (lexed.kind(index), &text[lexed.range(index)]))
        .filter(|(kind, _)| !is_blank(*kind))
        .collect();
    let (mut depth, mut angles, mut commas) = (0_u32, 0_u32, 0);
    for index in (0..tokens.len()).rev() {
        match tokens[index].1 {
            ")" | "]" => depth += 1,
            "(" | "[" if depth > 0 => depth -= 1,
            "(" => {
                let name = name_before(&tokens[..index])?;
                let bracket = match stands_in_attribute(&tokens[..index]) {
                    true => Bracket::Attribute,
                    false => Bracket::Parenthesis,
                };
                return Some(Open { name, bracket, commas });
            }
            ">" if depth == 0 => angles += 1,
            ">>" if depth == 0 => angles += 2,
            "<" if depth == 0 && angles > 0 => angles -= 1,
            "<" if depth == 0 => {
                let name = name_before(&tokens[..index])?;
                return Some(Open { name, bracket: Bracket::Angle, commas });
            }
            "," if depth == 0 && angles == 0 => commas += 1,
            "[" | ";" | "{" | "}" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// `vk::binding` at the end of some tokens.
fn name_before(tokens: &[(SyntaxKind, &str)]) -> Option<String> {
    let is_name = |index: usize| tokens.get(index).is_some_and(|(kind, _)| *kind == SyntaxKind::IDENT);
    let mut first = tokens.len().checked_sub(1).filter(|last| is_name(*last))?;
    while first >= 2 && tokens[first - 1].1 == "::" && is_name(first - 2) {
        first -= 2;
    }
    Some(tokens[first..].iter().map(|(_, text)| *text).collect())
}

/// Whether the name at the end of some tokens is in brackets that no value stands in front of.
fn stands_in_attribute(tokens: &[(SyntaxKind, &str)]) -> bool {
    let mut depth = 0_u32;
    for index in (0..tokens.len()).rev() {
        match tokens[index].1 {
            ")" => depth += 1,
            "(" if depth > 0 => depth -= 1,
            "[" if depth == 0 => {
                let before = index.checked_sub(1).map(|before| tokens[before]);
                return before.is_none_or(|(kind, text)| kind != SyntaxKind::IDENT && !matches!(text, ")" | "]" | ">"))
                    || before.is_some_and(|(_, text)| text == "]");
            }
            "(" | "{" | "}" | ";" => return false,
            _ => {}
        }
    }
    false
}

fn attribute(name: &str) -> Option<Signature> {
    let kind = AttributeKind::from_name(name)?;
    let info = ATTRIBUTES.iter().find(|info| info.kind == kind)?;
    let parameters = info.parameters.split(", ").filter(|parameter| !parameter.is_empty()).map(str::to_owned);
    Some(in_brackets(name, ["(", ")"], parameters, Some(info.documentation.to_owned())))
}

fn macro_called(db: &dyn Db, at: FilePosition, name: &str) -> Option<Signature> {
    let found = macros::macros_before(db, at).into_iter().find(|found| found.name == name)?;
    let defined = found.text.split_once(name)?.1.strip_prefix('(')?;
    let parameters = defined.split_once(')')?.0.split(',').map(|parameter| parameter.trim().to_owned());
    let documentation = Some(format!("```slang\n{}\n```", found.text));
    Some(in_brackets(name, ["(", ")"], parameters, documentation))
}

fn generic_type(db: &dyn Db, at: FilePosition, name: &str) -> Option<Signature> {
    let name = Name::new(name);
    let found = match item_at(db, at) {
        Some(context) => scope::lookup(db, context, &name),
        None => scope::lookup_in_file(db, at.file, &name),
    };
    let is_type = |item: &item::ItemId| {
        matches!(
            item::item_data(db, *item).kind,
            item::ItemKind::Struct { .. } | item::ItemKind::Interface { .. } | item::ItemKind::TypeAlias { .. }
        )
    };
    let item = found.into_iter().find(is_type)?;
    let data = item::item_data(db, item);
    let count = data.generics.params.len();
    let parameters =
        (0..count).map(|index| display::display_generic_parameter(db, TypeParam::new(db, item, index as u32)));
    (count > 0).then(|| in_brackets(name.as_str(), ["<", ">"], parameters, data.doc.clone()))
}

/// `name(first, second)`.
pub(super) fn in_brackets(
    name: &str,
    [open, close]: [&str; 2],
    parameters: impl Iterator<Item = String>,
    documentation: Option<String>,
) -> Signature {
    let mut label = format!("{name}{open}");
    let mut places = Vec::new();
    for parameter in parameters {
        if !places.is_empty() {
            label.push_str(", ");
        }
        places.push(label.len()..label.len() + parameter.len());
        label.push_str(&parameter);
    }
    label.push_str(close);
    Signature { label, documentation, parameters: places }
}
