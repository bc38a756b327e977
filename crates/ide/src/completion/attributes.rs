//! Attributes, each in front of what it may stand on.

use hir_def::attribute::{ATTRIBUTES, AttributeInfo, AttributeTargets};
use syntax::lexer;

use super::{CompletionItem, CompletionKind, OWN, calls, place::Expected, plain};

pub(super) fn attributes(place: Expected, after: &str) -> Vec<CompletionItem> {
    let targets = targets(place, after);
    let has_arguments = after.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric()).starts_with('(');
    let item = |info: &AttributeInfo| {
        let call = Some(call(info)).filter(|_| !has_arguments && !info.parameters.is_empty());
        CompletionItem {
            detail: Some(info.signature()),
            documentation: Some(info.documentation.to_owned()),
            is_snippet: call.is_some(),
            insert_text: call,
            ..plain(info.name(), CompletionKind::Attribute, OWN)
        }
    };
    ATTRIBUTES.iter().filter(|info| info.is_public() && info.targets.intersects(targets)).map(item).collect()
}

/// The attribute with the arguments that it must have as places to fill in.
fn call(info: &AttributeInfo) -> String {
    let needed = info.parameters.split(", ").filter(|parameter| !parameter.contains('='));
    let places = needed.enumerate().map(|(index, parameter)| {
        let name = parameter.split(':').next().unwrap_or(parameter);
        format!("${{{}:{}}}", index + 1, calls::escaped(name))
    });
    let places: Vec<String> = places.collect();
    match places.is_empty() {
        // All may be left out.
        true => info.name().to_owned(),
        false => format!("{}({})$0", info.name(), places.join(", ")),
    }
}

/// Those of Vulkan, behind `vk::`.
pub(super) fn of_vulkan(place: Expected, after: &str) -> Vec<CompletionItem> {
    const PREFIX: &str = "vk::";
    let items = attributes(place, after).into_iter().filter_map(|item| {
        let rest = |text: &str| text.strip_prefix(PREFIX).map(str::to_owned);
        Some(CompletionItem {
            label: rest(&item.label)?,
            insert_text: item.insert_text.as_deref().and_then(rest),
            ..item
        })
    });
    items.collect()
}

/// What the attributes stand on that end somewhere behind a position, as far as the text says that.
fn targets(place: Expected, after: &str) -> AttributeTargets {
    let anything = match place {
        Expected::Declaration | Expected::Member => AttributeTargets::DECLARATIONS,
        Expected::Accessor => AttributeTargets::ACCESSOR,
        Expected::Case => AttributeTargets::OTHER,
        Expected::Parameter => AttributeTargets::PARAMETER,
        Expected::Statement(_) | Expected::Value => {
            AttributeTargets::LOOP | AttributeTargets::CHOICE | AttributeTargets::VARIABLE
        }
    };
    match place {
        Expected::Parameter | Expected::Accessor | Expected::Case => anything,
        Expected::Declaration | Expected::Member | Expected::Statement(_) | Expected::Value => {
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
    let sign = tokens
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
