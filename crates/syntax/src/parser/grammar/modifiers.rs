//! Attributes and modifiers in front of declarations, parameters, types and statements.

use diagnostics::codes;

use super::*;
use crate::keywords::{ModifierUse, modifier_use};

/// Parses attributes and modifiers, if any. Returns whether there were some.
pub(super) fn opt_modifier_list(p: &mut Parser<'_>) -> bool {
    if !at_modifier(p) {
        return false;
    }
    let marker = p.start();
    let mut seen = Vec::new();
    while at_modifier(p) {
        if p.at(T!['[']) {
            attribute_list(p);
        } else {
            repeated(p, &mut seen);
            modifier(p);
        }
    }
    marker.complete(p, MODIFIER_LIST);
    true
}

/// What is said behind the type that [`skip_unknown_modifier`] left a word before.
pub(super) const UNKNOWN_MODIFIER: &str = "two types stand before this name: the first one is not a modifier";

/// A word in front of a type and a name, as in `noiterpolation uint mat`: a modifier that is misspelt, not a type.
pub(super) fn skip_unknown_modifier(p: &mut Parser<'_>) -> bool {
    let is_plain = |p: &Parser<'_>, n| p.nth(n) == IDENT && p.nth_keyword(n) == IDENT;
    let is_unknown = is_plain(p, 0) && is_plain(p, 1) && is_plain(p, 2) && p.nth(3) != IDENT;
    if is_unknown {
        let marker = p.start();
        p.bump_any();
        marker.complete(p, ERROR);
    }
    is_unknown
}

/// Modifiers of a type that stands by itself: `no_diff T`. Attributes do not occur there.
pub(super) fn opt_type_modifier_list(p: &mut Parser<'_>) -> Option<Marker> {
    if !at_keyword_modifier(p) {
        return None;
    }
    let around = p.start();
    let marker = p.start();
    while at_keyword_modifier(p) {
        modifier(p);
    }
    marker.complete(p, MODIFIER_LIST);
    Some(around)
}

/// Attributes between `struct` and its name, where older code has them.
pub(super) fn opt_late_modifier_list(p: &mut Parser<'_>) {
    if !p.at(T!['[']) {
        return;
    }
    let marker = p.start();
    while p.at(T!['[']) {
        attribute_list(p);
    }
    marker.complete(p, LATE_MODIFIER_LIST);
}

pub(super) fn at_modifier(p: &Parser<'_>) -> bool {
    p.at(T!['[']) || at_keyword_modifier(p)
}

/// Whether a modifier keyword stands here. Many are everyday words: those count only before another word.
pub(super) fn at_keyword_modifier(p: &Parser<'_>) -> bool {
    let keyword = p.nth_keyword(0);
    let word_follows = p.nth(1) == IDENT && !p.nth_at(1, T![is]) && !p.nth_at(1, T![as]);
    match modifier_use(keyword) {
        None => false,
        Some(ModifierUse::Reserved) => true,
        Some(_) if names_a_type(p) => false,
        // `layout(local_size_x = 8) in;`
        Some(ModifierUse::Everyday) if matches!(keyword, T![in] | T![out]) && p.nth(1) == T![;] => true,
        Some(ModifierUse::Everyday) => word_follows || (p.nth(1) == T!['['] && p.nth(2) == T!['[']),
        Some(ModifierUse::WithArguments) => word_follows || p.nth(1) == T!['('],
    }
}

/// Whether a word that programs use as the name of a struct, too, is the type of a declaration here: `line l;`.
fn names_a_type(p: &Parser<'_>) -> bool {
    let may_be_a_type = matches!(
        p.nth_keyword(0),
        T![point]
            | T![line]
            | T![triangle]
            | T![sample]
            | T![linear]
            | T![payload]
            | T![vertices]
            | T![indices]
            | T![primitives]
    );
    may_be_a_type
        && p.nth(1) == IDENT
        && p.nth_keyword(1) == IDENT
        && matches!(p.nth(2), T![;] | T![,] | T![=] | T!['['] | T!['('])
}

/// E31202: of modifiers that exclude each other there is one.
fn repeated(p: &mut Parser<'_>, seen: &mut Vec<SyntaxKind>) {
    let Some(choice) = choice(p.nth_keyword(0)) else { return };
    if seen.contains(&choice) {
        p.coded_error(codes::CONFLICTING_ATTRIBUTE, "this modifier repeats an earlier one, or contradicts it");
    }
    seen.push(choice);
}

/// The modifier that stands for all those of which a declaration has at most one; `None` for those that may be repeated.
fn choice(modifier: SyntaxKind) -> Option<SyntaxKind> {
    match modifier {
        T![out] | T![inout] | T![ref] | T![__ref] | T![borrow] | T![constref] | T![__constref] => Some(T![out]),
        T![static] | T![uniform] | T![__global] => Some(T![static]),
        T![public] | T![private] | T![internal] => Some(T![public]),
        T![nointerpolation] | T![noperspective] | T![linear] | T![sample] | T![centroid] | T![pervertex] => {
            Some(T![linear])
        }
        T![__prefix] | T![__postfix] => Some(T![__prefix]),
        T![in]
        | T![const]
        | T![inline]
        | T![precise]
        | T![row_major]
        | T![column_major]
        | T![globallycoherent]
        | T![volatile]
        | T![groupshared] => Some(modifier),
        _ => None,
    }
}

fn modifier(p: &mut Parser<'_>) {
    let marker = p.start();
    let keyword = p.nth_keyword(0);
    match keyword {
        T![ref] => p.error("`ref` is not a modifier: write `inout`, or `__ref` where nothing may be copied"),
        T![constref] => {
            p.error("`constref` is not a modifier: write `in`, or `__constref` where nothing may be copied")
        }
        T![borrow] => p.error("`borrow` is not a modifier: write `in` or `inout`"),
        _ => {}
    }
    p.bump_as(keyword);
    if modifier_use(keyword) == Some(ModifierUse::WithArguments) && p.at(T!['(']) {
        token_tree(p);
    }
    marker.complete(p, MODIFIER);
}

/// `[a, b(1) c]` or `[[a]]`.
fn attribute_list(p: &mut Parser<'_>) {
    let marker = p.start();
    p.bump_as(T!['[']);
    let double = p.eat(T!['[']);
    // Behind a comma, as at the start, stands an attribute.
    let mut is_behind_attribute = false;
    while !p.at_end() && (!p.at(T![']']) || !is_behind_attribute) {
        if p.at(T![,]) && std::mem::take(&mut is_behind_attribute) {
            p.bump_any();
            continue;
        }
        if p.at(T![']']) {
            p.error("expected an attribute");
            break;
        }
        if !(p.at(IDENT) || p.at(T![::])) {
            if ends_list(p) {
                break;
            }
            p.skip_group("expected an attribute");
            is_behind_attribute = true;
            continue;
        }
        let attribute = p.start();
        names::path(p, names::Generics::None, names::Separators::Colons);
        if p.at(T!['(']) {
            expressions::arg_list(p);
        }
        attribute.complete(p, ATTRIBUTE);
        is_behind_attribute = true;
    }
    p.expect(T![']'], "expected `]`");
    if double {
        p.expect(T![']'], "expected `]`");
    }
    marker.complete(p, ATTRIBUTE_LIST);
}

/// A balanced group without structure. The caller has checked that it begins with a bracket.
pub(super) fn token_tree(p: &mut Parser<'_>) {
    let marker = p.start();
    match p.input.matching(p.position) {
        Some(end) if end > p.position => {
            while p.position <= end && !p.at_end() {
                p.bump_any();
            }
        }
        _ => {
            p.error("this bracket is not closed");
            p.bump_any();
        }
    }
    marker.complete(p, TOKEN_TREE);
}
