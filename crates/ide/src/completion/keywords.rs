//! Keywords, each where it may stand.

use syntax::{
    SyntaxKind, T,
    keywords::{KeywordClass, keyword_class, public_keywords},
};

use super::{CompletionItem, CompletionKind, KEYWORDS, place::Expected, plain};

/// What is known of a place beside its kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receiver {
    /// There is a `this`.
    pub(super) has_this: bool,
    /// There is a type around, which is `This`.
    pub(super) has_type: bool,
}

pub(super) fn keywords(place: Expected, receiver: Receiver) -> Vec<CompletionItem> {
    let fits = |kind: SyntaxKind| match keyword_class(kind) {
        Some(KeywordClass::Statement) => begins_statement(kind, place),
        Some(KeywordClass::Expression) => in_value(place) && (kind != T![this] || receiver.has_this),
        Some(KeywordClass::Literal) => in_value(place),
        Some(KeywordClass::Operator) => place == Expected::Value,
        Some(KeywordClass::Type) => !matches!(place, Expected::Accessor | Expected::Case),
        Some(KeywordClass::Clause) => in_declaration(kind, place),
        Some(KeywordClass::Declaration) => declares(kind, place),
        Some(KeywordClass::Modifier) => modifies(kind, place),
        None => false,
    };
    let has_type = receiver.has_type || place == Expected::Member;
    let own_type = Some("This").filter(|_| has_type && !matches!(place, Expected::Accessor | Expected::Case));
    let fitting = public_keywords().filter(|(_, kind)| fits(*kind)).map(|(keyword, _)| keyword);
    fitting.chain(own_type).map(|keyword| plain(keyword, CompletionKind::Keyword, KEYWORDS)).collect()
}

fn in_value(place: Expected) -> bool {
    matches!(place, Expected::Value | Expected::Condition | Expected::Statement(_))
}

fn begins_statement(kind: SyntaxKind, place: Expected) -> bool {
    let Expected::Statement(around) = place else { return false };
    match kind {
        T![break] => around.is_in_loop || around.is_in_switch,
        T![continue] => around.is_in_loop,
        T![case] | T![default] => around.is_between_cases,
        _ => true,
    }
}

fn in_declaration(kind: SyntaxKind, place: Expected) -> bool {
    match kind {
        T![get] | T![set] | T![modify] => place == Expected::Accessor,
        _ => matches!(place, Expected::Declaration | Expected::Member),
    }
}

fn declares(kind: SyntaxKind, place: Expected) -> bool {
    match kind {
        T![property] | T![associatedtype] | T![__init] | T![__subscript] => place == Expected::Member,
        T![let] if place == Expected::Condition => true,
        T![struct] | T![class] | T![enum] | T![let] | T![var] | T![typealias] | T![typedef] | T![func] => {
            matches!(place, Expected::Declaration | Expected::Member | Expected::Statement(_))
        }
        T![static_assert] => matches!(place, Expected::Declaration | Expected::Member | Expected::Statement(_)),
        T![interface] | T![__generic] => matches!(place, Expected::Declaration | Expected::Member),
        _ => place == Expected::Declaration,
    }
}

fn modifies(kind: SyntaxKind, place: Expected) -> bool {
    let is_of_parameters = matches!(
        kind,
        T![in]
            | T![out]
            | T![inout]
            | T![ref]
            | T![constref]
            | T![borrow]
            | T![point]
            | T![line]
            | T![triangle]
            | T![lineadj]
            | T![triangleadj]
            | T![vertices]
            | T![indices]
            | T![primitives]
            | T![payload]
    );
    let is_of_any_variable = matches!(
        kind,
        T![const]
            | T![no_diff]
            | T![precise]
            | T![constexpr]
            | T![row_major]
            | T![column_major]
            | T![unorm]
            | T![snorm]
            | T![highp]
            | T![mediump]
            | T![lowp]
    );
    let is_of_inputs = matches!(
        kind,
        T![uniform]
            | T![dynamic_uniform]
            | T![nointerpolation]
            | T![noperspective]
            | T![linear]
            | T![sample]
            | T![centroid]
            | T![flat]
            | T![pervertex]
            | T![globallycoherent]
    );
    match place {
        Expected::Declaration | Expected::Member => !is_of_parameters,
        Expected::Parameter => is_of_parameters || is_of_any_variable || is_of_inputs,
        Expected::Statement(_) => is_of_any_variable || matches!(kind, T![static] | T![groupshared] | T![volatile]),
        Expected::Value | Expected::Condition => kind == T![no_diff],
        Expected::Accessor | Expected::Case => false,
    }
}
