//! Attributes, each in front of what it may stand on.

use base_db::Db;
use hir_def::{
    attribute::{ATTRIBUTES, AttributeInfo, AttributeTargets},
    item,
    name::Name,
    scope,
};
use syntax::lexer;

use super::{CompletionItem, CompletionKind, OWN, calls, detailed_completion, place::Expected, plain};
use crate::{FilePosition, semantics::item_at};

/// Those of the program, by the names of their structs without what these have at the end.
pub(super) fn of_program(db: &dyn Db, at: FilePosition) -> Vec<CompletionItem> {
    let Some(context) = item_at(db, at).or_else(|| item::file_items(db, at.file).first().copied()) else {
        return Vec::new();
    };
    let defined = scope::visible_items(db, context).into_iter().filter_map(|(name, found)| {
        let used = Name::new(name.as_str().strip_suffix(scope::ATTRIBUTE_SUFFIX).unwrap_or(name.as_str()));
        let item = scope::user_attribute(db, context, &used).filter(|item| found.contains(item))?;
        detailed_completion(db, item, &used, OWN)
    });
    defined.map(|item| CompletionItem { kind: CompletionKind::Attribute, ..item }).collect()
}

pub(super) fn attributes(place: Expected, after: &str) -> Vec<CompletionItem> {
    let offered = fitting(place, after).map(|info| item(info, info.name(), after));
    offered.collect()
}

/// Those that may stand on what follows.
fn fitting(place: Expected, after: &str) -> impl Iterator<Item = &'static AttributeInfo> {
    let targets = targets(place, after);
    ATTRIBUTES.iter().filter(move |info| info.is_public() && info.targets.intersects(targets))
}

fn item(info: &AttributeInfo, name: &str, after: &str) -> CompletionItem {
    let has_arguments = after.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric()).starts_with('(');
    let call = Some(call(info, name)).filter(|_| !has_arguments && !info.parameters.is_empty());
    CompletionItem {
        detail: Some(info.signature()),
        documentation: Some(info.documentation.to_owned()),
        is_snippet: call.is_some(),
        insert_text: call,
        ..plain(name, CompletionKind::Attribute, OWN)
    }
}

/// The attribute with the arguments that it must have as places to fill in.
fn call(info: &AttributeInfo, name: &str) -> String {
    let needed = info.parameters.split(", ").filter(|parameter| !parameter.contains('='));
    let places = needed.enumerate().map(|(index, parameter)| {
        let name = parameter.split(':').next().unwrap_or(parameter);
        format!("${{{}:{}}}", index + 1, calls::escaped(name))
    });
    let places: Vec<String> = places.collect();
    match places.is_empty() {
        // All may be left out.
        true => name.to_owned(),
        false => format!("{name}({})$0", places.join(", ")),
    }
}

/// Those of Vulkan, behind `vk::`.
pub(super) fn of_vulkan(place: Expected, after: &str) -> Vec<CompletionItem> {
    const PREFIX: &str = "vk::";
    let spelled = |info: &'static AttributeInfo| info.spellings.iter().find_map(|name| name.strip_prefix(PREFIX));
    fitting(place, after).filter_map(|info| Some(item(info, spelled(info)?, after))).collect()
}

/// What the attributes stand on that end somewhere behind a position, as far as the text says that.
fn targets(place: Expected, after: &str) -> AttributeTargets {
    let anything = match place {
        Expected::Declaration | Expected::Member => AttributeTargets::DECLARATIONS,
        Expected::Accessor => AttributeTargets::ACCESSOR,
        Expected::Case => AttributeTargets::OTHER,
        Expected::Parameter => AttributeTargets::PARAMETER,
        Expected::Statement(_) | Expected::Value | Expected::Condition => {
            AttributeTargets::LOOP | AttributeTargets::CHOICE | AttributeTargets::VARIABLE
        }
    };
    match place {
        Expected::Parameter | Expected::Accessor | Expected::Case => anything,
        Expected::Declaration | Expected::Member | Expected::Statement(_) | Expected::Value | Expected::Condition => {
            behind_attributes(after).unwrap_or(anything)
        }
    }
}

/// What follows the attributes, in the first of which `after` begins.
fn behind_attributes(after: &str) -> Option<AttributeTargets> {
    let lexed = lexer::lex(after);
    let significant = (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia());
    let mut tokens = significant.map(|index| &after[lexed.range(index)]);
    let mut open = 1usize;
    // The declaration may have brackets only behind its name.
    let mut has_word = false;
    for token in tokens.by_ref() {
        match token {
            "(" | "[" => open += 1,
            // `]]` closes two.
            ")" | "]" => open = open.saturating_sub(1),
            ";" | "{" | "}" => return None,
            word if open == 0 => {
                if let Some(target) = target_of(word) {
                    return Some(target);
                }
                has_word = true;
                break;
            }
            _ => {}
        }
    }
    // Of what has no word that says it, the first sign behind the name tells.
    // The bounds of a generic's parameters are none.
    let mut depth = 0usize;
    let sign = tokens
        .filter(|token| {
            match *token {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                _ => return depth == 0,
            }
            false
        })
        .find(|token| target_of(token).is_some() || matches!(*token, "(" | ";" | "=" | "," | ")" | "{" | "}" | ":"));
    match sign.filter(|_| has_word)? {
        "(" => Some(AttributeTargets::FUNCTION),
        "}" | ")" => None,
        word => Some(target_of(word).unwrap_or(AttributeTargets::VARIABLE)),
    }
}

/// What a word declares or does.
fn target_of(word: &str) -> Option<AttributeTargets> {
    Some(match word {
        "for" | "while" | "do" => AttributeTargets::LOOP,
        "if" => AttributeTargets::IF,
        "switch" => AttributeTargets::SWITCH,
        "struct" | "class" => AttributeTargets::STRUCT,
        "interface" => AttributeTargets::INTERFACE,
        "enum" => AttributeTargets::ENUM,
        "associatedtype" => AttributeTargets::ASSOCIATED_TYPE,
        "__init" => AttributeTargets::CONSTRUCTOR,
        "property" | "__subscript" => AttributeTargets::ACCESSOR | AttributeTargets::OTHER,
        "func" => AttributeTargets::FUNCTION,
        "cbuffer" | "tbuffer" | "let" | "var" => AttributeTargets::VARIABLE,
        "module" => AttributeTargets::MODULE,
        "extension" | "namespace" | "typealias" | "typedef" | "import" | "using" => AttributeTargets::OTHER,
        _ => return None,
    })
}
