//! Parameter lists, declarators and semantics.

use super::*;

/// What a colon behind the first word of a parameter gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Colon {
    /// `uint3 : SV_DispatchThreadID`: the word is a type, and the parameter has no name.
    Semantic,
    /// `x : float`, after `func`, in attributes and in setters: the word is a name.
    Type,
}

pub(super) fn param_list(p: &mut Parser<'_>, colon: Colon) {
    if !p.at(T!['(']) {
        p.error("expected `(`");
        return;
    }
    let marker = p.start();
    // Generic arguments outside do not reach into parentheses.
    let outer = std::mem::take(&mut p.in_generic_args);
    comma_list(p, T!['('], T![')'], "expected a parameter", |p| param(p, colon));
    p.in_generic_args = outer;
    marker.complete(p, PARAM_LIST);
}

/// `inout float x[2] : SEMANTIC = 1` or `x : inout float = 1`.
pub(super) fn param(p: &mut Parser<'_>, colon: Colon) -> bool {
    if !(p.at(IDENT) || p.at(T!['[']) || p.at(T![::]) || p.at(T!['('])) {
        return false;
    }
    let marker = p.start();
    modifiers::opt_modifier_list(p);
    let typed = colon == Colon::Semantic || !at_name_first(p);
    if typed {
        let has_unknown_modifier = modifiers::skip_unknown_modifier(p);
        if !(p.at(IDENT) || p.at(T![::]) || p.at(T!['('])) {
            p.error("expected a parameter type");
            marker.complete(p, PARAM);
            return true;
        }
        types::simple_type(p);
        if has_unknown_modifier {
            p.error(modifiers::UNKNOWN_MODIFIER);
        }
    }
    if p.at(IDENT) || p.at(T!['(']) || p.at(T![:]) || p.at(T![=]) || p.at(T![*]) {
        declarator(p, if typed { Context::TypedParam } else { Context::Param });
    }
    marker.complete(p, PARAM);
    true
}

/// Whether a name with its type after a colon stands here: `x : float`. `a::b` is one token, so it does not match.
fn at_name_first(p: &Parser<'_>) -> bool {
    p.nth(0) == IDENT && p.nth(1) == T![:]
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A parameter without a type in front: a colon after its name gives the type.
    Param,
    /// A parameter after its type: the colon gives a semantic.
    TypedParam,
    /// After `let` or `var`: the colon gives the type.
    Binding,
    /// After a type: the colon gives a semantic.
    Variable,
    /// The name of a `typedef`.
    Typedef,
}

/// A declared name with its array suffixes, type or semantics and initializer.
pub(super) fn declarator(p: &mut Parser<'_>, context: Context) {
    let marker = p.start();
    let name_first = context == Context::Binding || (context == Context::Param && at_name_first(p));
    while p.at(T![*]) {
        p.bump_as(T![*]);
    }
    let parenthesized = p.at(T!['(']) && p.eat(T!['(']);
    while parenthesized && p.at(T![*]) {
        p.bump_as(T![*]);
    }
    if !matches!(context, Context::Param | Context::TypedParam) || p.at(IDENT) {
        names::value_name(p, "expected a name");
    }
    if parenthesized {
        array_suffixes(p);
        p.expect(T![')'], "expected `)`");
    }
    array_suffixes(p);
    if name_first && p.eat(T![:]) {
        types::standalone_type(p);
    }
    semantics(p);
    if context != Context::Typedef && p.eat(T![=]) {
        expressions::argument_expression(p);
        if matches!(context, Context::Param | Context::TypedParam) {
            // HLSL also writes the semantic of a parameter after its default.
            semantics(p);
        }
    }
    marker.complete(p, DECLARATOR);
}

pub(super) fn array_suffixes(p: &mut Parser<'_>) {
    while p.at(T!['[']) {
        let marker = p.start();
        p.bump_as(T!['[']);
        if !p.at(T![']']) {
            expressions::expression(p);
        }
        p.expect(T![']'], "expected `]`");
        marker.complete(p, ARRAY_SUFFIX);
    }
}

/// `: SV_Target`, `: register(t0) : packoffset(c0)`, `: 3`.
pub(super) fn semantics(p: &mut Parser<'_>) {
    while p.at(T![:]) {
        let marker = p.start();
        p.bump_as(T![:]);
        if p.at(INT_NUMBER) {
            expressions::literal(p);
        } else if names::name_ref(p, "expected a semantic") && p.at(T!['(']) {
            if p.nth(1) == T![')'] {
                p.error("expected a register or an offset");
            }
            expressions::arg_list(p);
        }
        marker.complete(p, SEMANTIC);
    }
}
