//! Expressions: precedence climbing over postfix and primary expressions.

use super::*;
use names::Generics;

/// Binding strength of binary operators, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Comma,
    Assignment,
    Ternary,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Prefix,
}

/// An expression in which the comma is an operator.
pub(super) fn expression(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    // Parentheses, brackets and statements free `>` from closing generic arguments outside.
    let outer = std::mem::take(&mut p.in_generic_args);
    let result = binary(p, Level::Comma);
    p.in_generic_args = outer;
    result
}

/// An expression that ends at a comma.
pub(super) fn argument_expression(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    binary(p, Level::Assignment)
}

/// An expression that has no comparison or logic outside of parentheses: what a generic argument may be in a guess.
pub(super) fn arithmetic_expression(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    binary(p, Level::BitOr)
}

/// The value of a `case` label: a `:` ends it, so a lone name cannot be read as anything else.
pub(super) fn case_value(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    binary(p, Level::Assignment)
}

/// Whether an operator with an operand in front of it stands here.
pub(super) fn at_operator(p: &Parser<'_>) -> bool {
    operator(p).is_some()
}

fn operator(p: &Parser<'_>) -> Option<(SyntaxKind, Level)> {
    let kind = match p.current() {
        T![>] if p.in_generic_args > 0 => return None,
        T![>] => p.compound_at(0).unwrap_or(T![>]),
        kind => kind,
    };
    let level = match kind {
        T![,] => Level::Comma,
        T![=] | T![+=] | T![-=] | T![*=] | T![/=] | T![%=] | T![<<=] | T![>>=] | T![&=] | T![|=] | T![^=] => {
            Level::Assignment
        }
        T![?] => Level::Ternary,
        T![||] => Level::LogicalOr,
        T![&&] => Level::LogicalAnd,
        T![|] => Level::BitOr,
        T![^] => Level::BitXor,
        T![&] => Level::BitAnd,
        T![==] | T![!=] => Level::Equality,
        T![<] | T![>] | T![<=] | T![>=] => Level::Relational,
        T![<<] | T![>>] => Level::Shift,
        T![+] | T![-] => Level::Additive,
        T![*] | T![/] | T![%] => Level::Multiplicative,
        IDENT => match p.nth_keyword(0) {
            keyword @ (T![is] | T![as]) if matches!(p.nth(1), IDENT | T![::] | T!['(']) => {
                return Some((keyword, Level::Relational));
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((kind, level))
}

fn binary(p: &mut Parser<'_>, lowest: Level) -> Option<CompletedMarker> {
    p.nested(|p| {
        let mut lhs = prefix(p)?;
        while let Some((kind, level)) = operator(p) {
            if level < lowest {
                break;
            }
            let marker = lhs.precede(p);
            p.bump_as(kind);
            lhs = match kind {
                T![is] | T![as] => {
                    types::standalone_type(p);
                    marker.complete(p, if kind == T![is] { IS_EXPR } else { AS_EXPR })
                }
                T![?] => {
                    // Between `?` and `:` anything goes, as in parentheses.
                    expression(p);
                    if p.expect(T![:], "expected `:`") {
                        binary(p, Level::Assignment.max(lowest));
                    }
                    marker.complete(p, TERNARY_EXPR)
                }
                _ => {
                    let right = if level == Level::Assignment { level } else { next_level(level) };
                    binary(p, right);
                    marker.complete(p, BIN_EXPR)
                }
            };
        }
        Some(lhs)
    })
}

fn next_level(level: Level) -> Level {
    match level {
        Level::Comma => Level::Assignment,
        Level::Assignment => Level::Ternary,
        Level::Ternary => Level::LogicalOr,
        Level::LogicalOr => Level::LogicalAnd,
        Level::LogicalAnd => Level::BitOr,
        Level::BitOr => Level::BitXor,
        Level::BitXor => Level::BitAnd,
        Level::BitAnd => Level::Equality,
        Level::Equality => Level::Relational,
        Level::Relational => Level::Shift,
        Level::Shift => Level::Additive,
        Level::Additive => Level::Multiplicative,
        Level::Multiplicative | Level::Prefix => Level::Prefix,
    }
}

fn prefix(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let keyword = p.nth_keyword(0);
    let kind = match keyword {
        T![+] | T![-] | T![!] | T![~] | T![++] | T![--] | T![*] | T![&] => PREFIX_EXPR,
        T![no_diff] if starts_operand(p, 1) => NO_DIFF_EXPR,
        T![try] if starts_operand(p, 1) && !at_sign(p, 1) => TRY_EXPR,
        T![each] if starts_operand(p, 1) && !at_sign(p, 1) => PACK_EXPR,
        T![expand] if starts_operand(p, 1) => PACK_EXPR,
        _ => return postfix(p),
    };
    p.nested(|p| {
        let marker = p.start();
        p.bump_as(keyword);
        if keyword == T![expand] {
            // All of `expand sum += each x` is done for each element.
            binary(p, Level::Assignment);
        } else {
            prefix(p);
        }
        Some(marker.complete(p, kind))
    })
}

/// Behind `try` and `each` stands what may fail, and a pack: a sign means that the word is a name.
fn at_sign(p: &Parser<'_>, n: usize) -> bool {
    matches!(p.nth(n), T![-] | T![+])
}

/// Whether an expression may begin at this token ahead, after a word that is a keyword only then.
fn starts_operand(p: &Parser<'_>, n: usize) -> bool {
    match p.nth(n) {
        IDENT => !p.nth_at(n, T![is]) && !p.nth_at(n, T![as]),
        INT_NUMBER | FLOAT_NUMBER | STRING | CHAR | T!['('] | T![::] | T![!] | T![~] => true,
        // After `no_diff` and the like a sign is a sign; as names, these words are never used in arithmetic.
        T![-] | T![+] => true,
        _ => false,
    }
}

pub(super) fn postfix(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let mut expr = primary(p)?;
    loop {
        let kind = match p.current() {
            T!['('] => {
                let marker = expr.precede(p);
                arg_list(p);
                expr = marker.complete(p, CALL_EXPR);
                continue;
            }
            T!['['] => {
                let marker = expr.precede(p);
                index_args(p);
                expr = marker.complete(p, INDEX_EXPR);
                continue;
            }
            T![.] | T![->] | T![::] => FIELD_EXPR,
            // Between the dots of `a..b` a name is still to be written.
            DOT_DOT => {
                p.error("expected one `.`");
                FIELD_EXPR
            }
            T![++] | T![--] => POSTFIX_EXPR,
            _ => return Some(expr),
        };
        let marker = expr.precede(p);
        let operator = p.current();
        p.bump_as(operator);
        if kind == FIELD_EXPR {
            if p.at(IDENT) && !names::begins_next_statement(p, 0) {
                names::name_ref(p, "expected a member name");
                names::generic_args_after_name(p, Generics::Guess);
            } else {
                p.error("expected a member name");
            }
        }
        expr = marker.complete(p, kind);
    }
}

pub(super) fn arg_list(p: &mut Parser<'_>) {
    let marker = p.start();
    let outer = std::mem::take(&mut p.in_generic_args);
    comma_list(p, T!['('], T![')'], "expected an argument", |p| argument_expression(p).is_some());
    p.in_generic_args = outer;
    marker.complete(p, ARG_LIST);
}

fn index_args(p: &mut Parser<'_>) {
    p.bump_as(T!['[']);
    let outer = std::mem::take(&mut p.in_generic_args);
    let marker = p.start();
    while !p.at(T![']']) && !p.at_end() {
        if argument_expression(p).is_none() || !p.eat(T![,]) {
            break;
        }
    }
    marker.complete(p, INDEX_ARGS);
    p.in_generic_args = outer;
    p.expect(T![']'], "expected `]`");
}

pub(super) fn primary(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    match p.current() {
        INT_NUMBER | FLOAT_NUMBER | STRING | CHAR => Some(literal(p)),
        T!['('] => parenthesized(p),
        T!['{'] => Some(initializer_list(p)),
        T![::] => Some(path_expression(p)),
        IDENT => word(p),
        _ => {
            p.error("expected an expression");
            None
        }
    }
}

fn word(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let keyword = p.nth_keyword(0);
    let next = p.nth(1);
    match keyword {
        T![true] | T![false] | T![nullptr] | T![none] => Some(literal(p)),
        T![this] => {
            let marker = p.start();
            p.bump_as(T![this]);
            Some(marker.complete(p, THIS_EXPR))
        }
        T![fwd_diff] | T![__fwd_diff] | T![bwd_diff] | T![__bwd_diff] | T![__apply] if next == T!['('] => {
            Some(derivative(p))
        }
        T![sizeof] | T![__sizeOf] | T![alignof] | T![__alignOf] | T![countof] | T![__countof] | T![__offsetOf]
            if next == T!['('] =>
        {
            Some(sizeof(p))
        }
        _ if types::at_pack_query(p) => {
            let marker = p.start();
            types::pack_query(p);
            Some(marker.complete(p, PACK_QUERY_EXPR))
        }
        T![new] if next == IDENT || next == T![::] => {
            let marker = p.start();
            p.bump_as(T![new]);
            types::simple_type(p);
            if p.at(T!['(']) {
                arg_list(p);
            }
            Some(marker.complete(p, NEW_EXPR))
        }
        // The word is no name where a value is wanted.
        T![new] => {
            let marker = p.start();
            p.error("expected a type after `new`, which cannot be the name of a value");
            p.bump_as(T![new]);
            Some(marker.complete(p, NEW_EXPR))
        }
        T![spirv_asm] if next == T!['{'] => {
            let marker = p.start();
            p.bump_as(T![spirv_asm]);
            spirv_asm::block(p);
            Some(marker.complete(p, SPIRV_ASM_EXPR))
        }
        T![functype] if next == T!['('] => type_expression(p),
        T![some] | T![dyn] if next == IDENT => type_expression(p),
        // A statement that begins here means that the expression before it is missing.
        T![if] | T![for] | T![while] | T![switch] | T![return] | T![else] | T![case] => {
            p.error("expected an expression");
            None
        }
        _ => Some(path_expression(p)),
    }
}

fn path_expression(p: &mut Parser<'_>) -> CompletedMarker {
    let path = names::path(p, Generics::Guess, names::Separators::Colons);
    path.precede(p).complete(p, PATH_EXPR)
}

fn type_expression(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let ty = types::simple_type(p)?;
    Some(ty.precede(p).complete(p, TYPE_EXPR))
}

/// A literal; strings in a row are one.
pub(super) fn literal(p: &mut Parser<'_>) -> CompletedMarker {
    let marker = p.start();
    if p.at(STRING) {
        while p.at(STRING) {
            p.bump_as(STRING);
        }
    } else {
        let kind = p.nth_keyword(0);
        p.bump_as(kind);
    }
    marker.complete(p, LITERAL_EXPR)
}

/// What a `__func_extension` extends: `fwd_diff(f)`, or wrongly just a name.
pub(super) fn derivative_or_name(p: &mut Parser<'_>) {
    match p.nth_keyword(0) {
        T![fwd_diff] | T![__fwd_diff] | T![bwd_diff] | T![__bwd_diff] | T![__apply] if p.nth(1) == T!['('] => {
            derivative(p);
        }
        _ => {
            path_expression(p);
        }
    }
}

fn derivative(p: &mut Parser<'_>) -> CompletedMarker {
    let marker = p.start();
    let keyword = p.nth_keyword(0);
    p.bump_as(keyword);
    p.bump_as(T!['(']);
    if p.at(T![')']) {
        p.error("expected a function");
    } else {
        expression(p);
    }
    p.expect(T![')'], "expected `)`");
    marker.complete(p, DERIVATIVE_EXPR)
}

fn sizeof(p: &mut Parser<'_>) -> CompletedMarker {
    let marker = p.start();
    let keyword = p.nth_keyword(0);
    p.bump_as(keyword);
    let outer = std::mem::take(&mut p.in_generic_args);
    if p.at(T!['(']) && p.nth(1) == T![')'] {
        p.bump_any();
        p.error("expected a type or an expression");
        p.bump_any();
        p.in_generic_args = outer;
        return marker.complete(p, SIZEOF_EXPR);
    }
    comma_list(p, T!['('], T![')'], "expected a type or an expression", generics::type_or_value);
    p.in_generic_args = outer;
    marker.complete(p, SIZEOF_EXPR)
}

fn initializer_list(p: &mut Parser<'_>) -> CompletedMarker {
    let marker = p.start();
    let outer = std::mem::take(&mut p.in_generic_args);
    comma_list(p, T!['{'], T!['}'], "expected a value", |p| argument_expression(p).is_some());
    p.in_generic_args = outer;
    marker.complete(p, INIT_LIST_EXPR)
}

/// What begins with `(`: a lambda, a cast, a tuple or a parenthesized expression.
fn parenthesized(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    if let Some(close) = p.input.matching(p.position) {
        if p.input.kind(close + 1) == T![=>] {
            return Some(lambda(p));
        }
        if let Some(cast) = cast(p, close) {
            return Some(cast);
        }
    }
    let marker = p.start();
    let outer = std::mem::take(&mut p.in_generic_args);
    p.bump_as(T!['(']);
    let mut elements = 0;
    let mut commas = 0;
    while !p.at(T![')']) && !p.at_end() {
        if argument_expression(p).is_none() {
            break;
        }
        elements += 1;
        if !p.eat(T![,]) {
            break;
        }
        commas += 1;
    }
    if p.at(T![')']) && elements == commas && elements > 0 {
        p.error("expected an expression");
    }
    p.in_generic_args = outer;
    p.expect(T![')'], "expected `)`");
    Some(marker.complete(p, if elements == 1 { PAREN_EXPR } else { TUPLE_EXPR }))
}

fn lambda(p: &mut Parser<'_>) -> CompletedMarker {
    let marker = p.start();
    params::param_list(p, params::Colon::Semantic);
    p.expect(T![=>], "expected `=>`");
    if p.at(T!['{']) {
        statements::block(p);
    } else {
        argument_expression(p);
    }
    marker.complete(p, LAMBDA_EXPR)
}

/// `(T)x`. Without knowing the names, a type and a value can look the same: `(a)-b` and `(a)*b` are casts only if `a`
/// is a builtin type; `(a)(b)` is taken for a cast, as types are parenthesized far more often than functions are.
fn cast(p: &mut Parser<'_>, close: usize) -> Option<CompletedMarker> {
    let shape = types::parenthesized_shape(p, close);
    let behind = close + 1 - p.position;
    let certain = match shape {
        types::TypeShape::Value => return None,
        types::TypeShape::BuiltinType | types::TypeShape::Type => true,
        types::TypeShape::Name | types::TypeShape::Generic => false,
    };
    let operand_follows = match p.nth(behind) {
        IDENT => !p.nth_at(behind, T![is]) && !p.nth_at(behind, T![as]),
        INT_NUMBER | FLOAT_NUMBER | STRING | CHAR | T!['('] | T![~] | T![!] | T![::] => true,
        T!['{'] => shape != types::TypeShape::Name,
        T![-] | T![+] | T![*] | T![&] | T![++] | T![--] => certain,
        _ => false,
    };
    if !operand_follows {
        return None;
    }
    if shape == types::TypeShape::Generic && p.has_failed_here() {
        return None;
    }
    let head = p.speculate(|p| {
        let marker = p.start();
        p.bump_as(T!['(']);
        let outer = std::mem::take(&mut p.in_generic_args);
        let ty = types::standalone_type(p);
        p.in_generic_args = outer;
        ty?;
        (p.position == close).then(|| p.bump_as(T![')']))?;
        Some(marker)
    });
    let Some(marker) = head else {
        p.mark_failed_here();
        return None;
    };
    p.nested(prefix);
    Some(marker.complete(p, CAST_EXPR))
}
