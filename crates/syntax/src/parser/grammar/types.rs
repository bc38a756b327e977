//! Types.

use super::*;
use names::Generics;

/// A type where it stands by itself (after a colon or an arrow, as a generic argument): it may carry modifiers.
pub(super) fn standalone_type(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let modified = modifiers::opt_type_modifier_list(p);
    let ty = simple_type(p);
    match modified {
        Some(marker) => Some(marker.complete(p, MODIFIED_TYPE)),
        None => ty,
    }
}

/// A type without modifiers, as in front of a declared name.
pub(super) fn simple_type(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    p.nested(|p| {
        let mut left = postfix_type(p)?;
        while p.at(T![&]) && starts_type(p, 1) {
            let marker = left.precede(p);
            p.bump_as(T![&]);
            postfix_type(p);
            left = marker.complete(p, CONJUNCTION_TYPE);
        }
        Some(left)
    })
}

fn starts_type(p: &Parser<'_>, n: usize) -> bool {
    matches!(p.nth(n), IDENT | T![::])
}

/// A type with what follows it, such as lengths, but no `&` that joins it with another.
pub(super) fn postfix_type(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let mut ty = primary_type(p)?;
    loop {
        let marker = match p.current() {
            T!['['] if ty.kind() != PACK_TYPE => {
                let marker = ty.precede(p);
                p.bump_as(T!['[']);
                if !p.at(T![']']) {
                    expressions::expression(p);
                }
                p.expect(T![']'], "expected `]`");
                ty = marker.complete(p, ARRAY_TYPE);
                continue;
            }
            T![*] => {
                let marker = ty.precede(p);
                p.bump_as(T![*]);
                ty = marker.complete(p, POINTER_TYPE);
                continue;
            }
            T![.] | T![::] if p.nth(1) == IDENT => ty.precede(p),
            _ if p.at(T![const]) && ty.kind() != PACK_TYPE => {
                // `float const x` and `T* const p` are not of this language.
                p.error("'const' stands in front of the type");
                let marker = ty.precede(p);
                let list = p.start();
                let modifier = p.start();
                p.bump_as(T![const]);
                modifier.complete(p, MODIFIER);
                list.complete(p, MODIFIER_LIST);
                ty = marker.complete(p, MODIFIED_TYPE);
                continue;
            }
            _ => return Some(ty),
        };
        let separator = p.current();
        p.bump_as(separator);
        names::name_ref(p, "expected a name");
        names::generic_args_after_name(p, Generics::Certain);
        ty = marker.complete(p, MEMBER_TYPE);
    }
}

fn primary_type(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let keyword = p.nth_keyword(0);
    let word_follows = matches!(p.nth(1), IDENT | T![::] | T!['(']);
    let marker = p.start();
    match keyword {
        T![some] | T![dyn] if p.nth(1) == IDENT => {
            p.bump_as(keyword);
            simple_type(p);
            return Some(marker.complete(p, SOME_TYPE));
        }
        T![each] | T![expand] if word_follows => {
            p.bump_as(keyword);
            simple_type(p);
            return Some(marker.complete(p, PACK_TYPE));
        }
        _ if at_pack_query(p) => {
            pack_query(p);
            return Some(marker.complete(p, PACK_QUERY_TYPE));
        }
        T![functype] if p.nth(1) == T!['('] => {
            function_type(p);
            return Some(marker.complete(p, FUNC_TYPE));
        }
        T![struct] | T![enum] | T![class] if keyword != T![class] || p.nth(1) == IDENT => {
            items::type_declaration_in_type(p);
            return Some(marker.complete(p, DECL_TYPE));
        }
        _ => {}
    }
    match p.current() {
        IDENT | T![::] => {
            names::path(p, Generics::Certain, names::Separators::ColonsAndDots);
            Some(marker.complete(p, PATH_TYPE))
        }
        T!['('] => Some(parenthesized_type(p, marker)),
        _ => {
            marker.abandon(p);
            p.error("expected a type");
            None
        }
    }
}

/// `__first(Pack)` and its like.
pub(super) fn at_pack_query(p: &Parser<'_>) -> bool {
    let is_query = matches!(
        p.nth_keyword(0),
        T![__first]
            | T![__last]
            | T![__trimFirst]
            | T![__trimLast]
            | T![__shapeConcat]
            | T![__shapePermute]
            | T![__shapeSwap]
            | T![__shapeReduce]
            | T![__packBranch]
    );
    is_query && p.nth(1) == T!['(']
}

pub(super) fn pack_query(p: &mut Parser<'_>) {
    let marker = p.start();
    let keyword = p.nth_keyword(0);
    p.bump_as(keyword);
    let outer = std::mem::take(&mut p.in_generic_args);
    comma_list(p, T!['('], T![')'], "expected a type or an expression", generics::type_or_value);
    p.in_generic_args = outer;
    marker.complete(p, PACK_QUERY);
}

fn parenthesized_type(p: &mut Parser<'_>, marker: Marker) -> CompletedMarker {
    let mut count = 0;
    let mut commas = false;
    p.bump_as(T!['(']);
    while !p.at(T![')']) && !p.at_end() {
        if standalone_type(p).is_none() {
            break;
        }
        count += 1;
        if !p.eat(T![,]) {
            break;
        }
        commas = true;
    }
    p.expect(T![')'], "expected `)`");
    marker.complete(p, if count == 1 && !commas { PAREN_TYPE } else { TUPLE_TYPE })
}

fn function_type(p: &mut Parser<'_>) {
    p.bump_as(T![functype]);
    comma_list(p, T!['('], T![')'], "expected a type", |p| {
        let marker = p.start();
        let found = standalone_type(p).is_some();
        marker.complete(p, TYPE_ARG);
        found
    });
    opt_return_type(p);
}

pub(super) fn opt_return_type(p: &mut Parser<'_>) {
    if !p.at(T![->]) {
        return;
    }
    let marker = p.start();
    p.bump_as(T![->]);
    standalone_type(p);
    marker.complete(p, RETURN_TYPE);
}

/// What the tokens at the start of a statement say about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LookAhead {
    /// A type and then a name.
    Declaration,
    /// An expression.
    Other,
    /// There is a `<`: it must be tried out.
    Generic,
}

/// Looks over a type without building anything: `a::b.c`, `[…]` groups, stars.
pub(super) fn look_ahead(p: &Parser<'_>) -> LookAhead {
    let mut n = 0;
    if p.at(T![no_diff]) {
        n += 1;
    }
    if p.nth_at(n, T![some]) || p.nth_at(n, T![dyn]) || p.nth_at(n, T![each]) || p.nth_at(n, T![expand]) {
        if p.nth(n + 1) != IDENT {
            return LookAhead::Other;
        }
        n += 1;
    }
    if (p.nth_at(n, T![functype]) && p.nth(n + 1) == T!['(']) || (n == 0 && at_pack_query(p)) {
        return LookAhead::Generic;
    }
    if p.nth(n) == T![::] {
        n += 1;
    }
    if p.nth(n) != IDENT {
        return LookAhead::Other;
    }
    n += 1;
    loop {
        match p.nth(n) {
            T![::] | T![.] if p.nth(n + 1) == IDENT && !names::begins_next_statement(p, n + 1) => n += 2,
            T!['['] => match p.input.matching(p.position + n) {
                Some(end) => n = end - p.position + 1,
                None => return LookAhead::Other,
            },
            T![*] => n += 1,
            // `A & B x` declares with a conjunction; `a & b;` computes.
            T![&] if p.nth(n + 1) == IDENT => n += 2,
            T![<] => return LookAhead::Generic,
            _ if p.nth_at(n, T![const]) => n += 1,
            _ => break,
        }
    }
    if is_declared_name(p, n) { LookAhead::Declaration } else { LookAhead::Other }
}

/// Whether the name of a declaration stands here, after a type.
pub(super) fn at_declared_name(p: &Parser<'_>) -> bool {
    is_declared_name(p, 0)
}

fn is_declared_name(p: &Parser<'_>, n: usize) -> bool {
    if p.nth(n) != IDENT {
        return false;
    }
    // `a is B`, `a as B` are expressions.
    !((p.nth_at(n, T![is]) || p.nth_at(n, T![as])) && matches!(p.nth(n + 1), IDENT | T![::]))
}

/// What stands between a pair of parentheses, as far as tokens tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeShape {
    /// Certainly no type.
    Value,
    /// A name, perhaps qualified: a type or a value.
    Name,
    /// Builtin scalar, vector or matrix type.
    BuiltinType,
    /// Something with stars, brackets or modifiers that only a type has.
    Type,
    /// Contains `<`: must be tried out.
    Generic,
}

/// The shape of what is between `(` here and its partner at `close`.
pub(super) fn parenthesized_shape(p: &Parser<'_>, close: usize) -> TypeShape {
    let end = close - p.position;
    let mut n = 1;
    let mut shape = TypeShape::Name;
    if p.nth_at(n, T![const]) {
        shape = TypeShape::Type;
        n += 1;
    }
    if p.nth_at(n, T![functype]) {
        return TypeShape::Generic;
    }
    if p.nth(n) == T![::] {
        n += 1;
    }
    if p.nth(n) != IDENT || (n + 1 == end && is_value_keyword(p.nth_keyword(n))) {
        return TypeShape::Value;
    }
    if names::is_builtin_type_name(p.input.text(p.position + n)) {
        shape = TypeShape::BuiltinType;
    }
    n += 1;
    while n < end {
        match p.nth(n) {
            T![::] | T![.] if p.nth(n + 1) == IDENT => n += 2,
            // `(a[3])` is an element more often than an array type.
            T!['['] => match p.input.matching(p.position + n) {
                Some(bracket) => n = bracket - p.position + 1,
                None => return TypeShape::Value,
            },
            T![*] => {
                shape = TypeShape::Type;
                n += 1;
            }
            T![<] => return TypeShape::Generic,
            _ => return TypeShape::Value,
        }
    }
    shape
}

/// Words that are values and never types.
pub(super) fn is_value_keyword(keyword: SyntaxKind) -> bool {
    matches!(keyword, T![this] | T![true] | T![false] | T![nullptr] | T![none])
}
