//! Attributes and modifiers in front of declarations, parameters, types and statements.

use super::*;

/// Parses attributes and modifiers, if any. Returns whether there were some.
pub(super) fn opt_modifier_list(p: &mut Parser<'_>) -> bool {
    if !at_modifier(p) {
        return false;
    }
    let marker = p.start();
    while at_modifier(p) {
        if p.at(T!['[']) {
            attribute_list(p);
        } else {
            modifier(p);
        }
    }
    marker.complete(p, MODIFIER_LIST);
    true
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
    match modifier_strength(keyword) {
        None => false,
        Some(Strength::Reserved) => true,
        Some(Strength::Everyday) => word_follows || (p.nth(1) == T!['['] && p.nth(2) == T!['[']),
        Some(Strength::WithArguments) => word_follows || p.nth(1) == T!['('],
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// No sensible program uses it as a name.
    Reserved,
    /// Also a name, unless another word follows.
    Everyday,
    /// Takes arguments in parentheses.
    WithArguments,
}

fn modifier_strength(keyword: SyntaxKind) -> Option<Strength> {
    Some(match keyword {
        T![__ref]
        | T![__constref]
        | T![const]
        | T![static]
        | T![inline]
        | T![extern]
        | T![__extern_cpp]
        | T![__exported]
        | T![public]
        | T![private]
        | T![internal]
        | T![uniform]
        | T![groupshared]
        | T![nointerpolation]
        | T![noperspective]
        | T![row_major]
        | T![column_major]
        | T![globallycoherent]
        | T![volatile]
        | T![__builtin]
        | T![__global]
        | T![__prefix]
        | T![__postfix] => Strength::Reserved,
        T![in]
        | T![out]
        | T![inout]
        | T![ref]
        | T![constref]
        | T![borrow]
        | T![constexpr]
        | T![export]
        | T![require]
        | T![param]
        | T![override]
        | T![dyn]
        | T![no_diff]
        | T![shared]
        | T![precise]
        | T![dynamic_uniform]
        | T![linear]
        | T![sample]
        | T![centroid]
        | T![flat]
        | T![pervertex]
        | T![unorm]
        | T![snorm]
        | T![highp]
        | T![mediump]
        | T![lowp]
        | T![point]
        | T![line]
        | T![triangle]
        | T![lineadj]
        | T![triangleadj]
        | T![vertices]
        | T![indices]
        | T![primitives]
        | T![payload]
        | T![coherent]
        | T![restrict]
        | T![readonly]
        | T![writeonly]
        | T![hitAttributeEXT] => Strength::Everyday,
        T![layout]
        | T![__attributeTarget]
        | T![__builtin_type]
        | T![__builtin_requirement]
        | T![__magic_type]
        | T![__magic_enum]
        | T![__intrinsic_type]
        | T![__intrinsic_op]
        | T![__target_intrinsic]
        | T![__specialized_for_target]
        | T![__implicit_conversion]
        | T![__glsl_extension]
        | T![__glsl_version]
        | T![__spirv_version]
        | T![__wgsl_extension]
        | T![__cuda_sm_version] => Strength::WithArguments,
        _ => return None,
    })
}

fn modifier(p: &mut Parser<'_>) {
    let marker = p.start();
    let keyword = p.nth_keyword(0);
    p.bump_as(keyword);
    if modifier_strength(keyword) == Some(Strength::WithArguments) && p.at(T!['(']) {
        token_tree(p);
    }
    marker.complete(p, MODIFIER);
}

/// `[a, b(1) c]` or `[[a]]`.
fn attribute_list(p: &mut Parser<'_>) {
    let marker = p.start();
    p.bump_as(T!['[']);
    let double = p.eat(T!['[']);
    while !p.at(T![']']) && !p.at_end() {
        if p.eat(T![,]) {
            continue;
        }
        if !(p.at(IDENT) || p.at(T![::])) {
            if ends_list(p) {
                break;
            }
            p.skip_group("expected an attribute");
            continue;
        }
        let attribute = p.start();
        names::path(p, names::Generics::None, false);
        if p.at(T!['(']) {
            expressions::arg_list(p);
        }
        attribute.complete(p, ATTRIBUTE);
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
            while p.position <= end {
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
