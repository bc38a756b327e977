//! Generic parameters, arguments and `where` clauses.

use super::{names::Generics, *};

/// `<A, 3, B>`. In a guess, operators that would make a comparison likelier end an argument.
pub(super) fn generic_arg_list(p: &mut Parser<'_>, generics: Generics) {
    let marker = p.start();
    p.in_generic_args += 1;
    comma_list(p, T![<], T![>], "expected a generic argument", |p| generic_arg(p, generics));
    p.in_generic_args -= 1;
    marker.complete(p, GENERIC_ARG_LIST);
}

/// `Net<Relu net;` and `Map<K, V map =`: two names in a row are no comparison.
pub(super) fn at_unclosed_type(p: &Parser<'_>) -> bool {
    if p.speculation.depth > 0 || p.nth(1) != T![<] {
        return false;
    }
    let mut n = 2;
    while n < MOST_ARGUMENT_TOKENS
        && (matches!(p.nth(n), T![,] | T![::] | T![.] | INT_NUMBER)
            || (p.nth_keyword(n) == IDENT && p.nth(n + 1) != IDENT))
    {
        n += 1;
    }
    p.nth_keyword(n) == IDENT && p.nth_keyword(n + 1) == IDENT && matches!(p.nth(n + 2), T![;] | T![=])
}

/// How far ahead the end of generic arguments without `>` is looked for.
const MOST_ARGUMENT_TOKENS: usize = 64;

/// An operand of `sizeof` and the like.
pub(super) fn type_or_value(p: &mut Parser<'_>) -> bool {
    if types::is_value_keyword(p.nth_keyword(0)) {
        let marker = p.start();
        expressions::argument_expression(p);
        marker.complete(p, EXPR_ARG);
        return true;
    }
    generic_arg(p, Generics::Certain)
}

fn generic_arg(p: &mut Parser<'_>, generics: Generics) -> bool {
    let guess = generics == Generics::Guess;
    let type_argument = p.speculate(|p| {
        let marker = p.start();
        types::standalone_type(p)?;
        let is_closed = matches!(p.current(), T![,] | T![>] | T![')'] | EOF);
        if !is_closed && (guess || p.at(T!['(']) || !at_name_behind_type(p)) {
            return None;
        }
        marker.complete(p, TYPE_ARG);
        Some(())
    });
    if type_argument.is_some() {
        return true;
    }
    let before = p.position;
    let marker = p.start();
    let found =
        if guess { expressions::arithmetic_expression(p) } else { expressions::argument_expression(p) }.is_some();
    marker.complete(p, EXPR_ARG);
    found || p.position > before
}

/// After a name in an expression: generic arguments if they read as such and something follows that may follow them.
/// The followers are those of slangc.
pub(super) fn try_generic_arg_list(p: &mut Parser<'_>) -> bool {
    if p.has_failed_here() {
        return false;
    }
    let read = p.speculate(|p| {
        p.nested(|p| {
            generic_arg_list(p, Generics::Guess);
            let follows = matches!(
                p.current(),
                T![::]
                    | T![.]
                    | T!['(']
                    | T![')']
                    | T!['[']
                    | T![']']
                    | T!['}']
                    | T![:]
                    | T![,]
                    | T![?]
                    | T![;]
                    | T![==]
                    | T![!=]
                    | EOF
            ) || (p.at(T![>]) && p.in_generic_args > 0);
            follows.then_some(())
        })
    });
    if read.is_none() {
        p.mark_failed_here();
    }
    read.is_some()
}

pub(super) fn opt_generic_param_list(p: &mut Parser<'_>) {
    if p.at(T![<]) {
        generic_param_list(p);
    }
}

fn generic_param_list(p: &mut Parser<'_>) {
    let marker = p.start();
    p.in_generic_args += 1;
    comma_list(p, T![<], T![>], "expected a generic parameter", generic_param);
    p.in_generic_args -= 1;
    if p.at(T![>]) {
        p.error_and_bump("this `>` closes nothing");
    }
    marker.complete(p, GENERIC_PARAM_LIST);
}

/// `__generic<T>` in front of a declaration.
pub(super) fn opt_generic_prefix(p: &mut Parser<'_>) -> bool {
    if !p.at(T![__generic]) || p.nth(1) != T![<] {
        return false;
    }
    let marker = p.start();
    p.bump_as(T![__generic]);
    generic_param_list(p);
    marker.complete(p, GENERIC_PREFIX);
    true
}

fn generic_param(p: &mut Parser<'_>) -> bool {
    if !p.at(IDENT) {
        return false;
    }
    let marker = p.start();
    // Behind the last of them the `>` may be missing: `struct A<T {`, `T f<T(T x)`, `extension<T A<T>`.
    let is_last = |p: &Parser<'_>| {
        matches!(p.nth(1), T!['('] | T!['{'] | BODY_HOLE) || p.nth(1) == IDENT && matches!(p.nth(2), T![<] | T!['{'])
    };
    let is_name = |p: &Parser<'_>, n: usize| {
        p.nth(n) == IDENT && (matches!(p.nth(n + 1), T![:] | T![,] | T![>] | T![=]) || n == 0 && is_last(p))
    };
    if p.at(T![let]) {
        p.bump_as(T![let]);
        if p.at(T![each]) && p.nth(1) == IDENT {
            p.bump_as(T![each]);
        }
        names::name(p, "expected a parameter name");
        if p.eat(T![:]) {
            types::standalone_type(p);
        } else if !p.at(T![=]) {
            let message = "a value as a generic parameter has a type: `let N : int`";
            p.coded_error(diagnostics::codes::UNTYPED_VALUE_PARAMETER, message);
        }
        opt_default_value(p);
        marker.complete(p, VALUE_PARAM);
        return true;
    }
    if p.at(T![each]) && p.nth(1) == IDENT {
        p.bump_as(T![each]);
    }
    if (p.at(T![typename]) || p.at(T![functype])) && p.nth(1) == IDENT {
        let keyword = p.nth_keyword(0);
        p.bump_as(keyword);
    } else if !is_name(p, 0) && p.nth(1) != EOF {
        types::simple_type(p);
        names::name(p, "expected a parameter name");
        opt_default_value(p);
        marker.complete(p, VALUE_PARAM);
        return true;
    }
    names::name(p, "expected a parameter name");
    if p.eat(T![:]) {
        types::standalone_type(p);
    }
    if p.eat(T![=]) {
        let default = p.start();
        types::standalone_type(p);
        default.complete(p, TYPE_ARG);
    }
    marker.complete(p, TYPE_PARAM);
    true
}

fn opt_default_value(p: &mut Parser<'_>) {
    if p.eat(T![=]) {
        expressions::argument_expression(p);
    }
}

pub(super) fn opt_where_clauses(p: &mut Parser<'_>) {
    while p.at(T![where]) {
        where_clause(p);
    }
}

pub(super) fn where_clause(p: &mut Parser<'_>) {
    let marker = p.start();
    p.bump_as(T![where]);
    constraint(p, marker);
    while at_clause_behind_comma(p) {
        p.error_and_bump("expected `where`, not `,`: what follows is about a type of its own");
        if !p.at(T![where]) {
            let marker = p.start();
            constraint(p, marker);
        }
    }
}

/// A slip for `where T : IFoo where U : IBar`: a comma before the next `where`, or in place of it.
fn at_clause_behind_comma(p: &Parser<'_>) -> bool {
    if !p.at(T![,]) {
        return false;
    }
    if p.nth_at(1, T![where]) {
        return true;
    }
    let mut n = 1;
    while p.nth(n) == IDENT && p.nth(n + 1) == T![.] {
        n += 2;
    }
    p.nth(n) == IDENT && matches!(p.nth(n + 1), T![:] | T![==])
}

/// What a `where` clause says behind its keyword.
fn constraint(p: &mut Parser<'_>, marker: Marker) {
    if p.at(T![optional]) && p.nth(1) == IDENT {
        p.bump_as(T![optional]);
    }
    types::standalone_type(p);
    if p.at(T!['(']) {
        p.bump_as(T!['(']);
        let operand = p.start();
        types::standalone_type(p);
        operand.complete(p, TYPE_ARG);
        p.expect(T![')'], "expected `)`");
    }
    if p.eat(T![:]) {
        types::standalone_type(p);
        while !at_clause_behind_comma(p) && p.eat(T![,]) {
            types::standalone_type(p);
        }
    } else if p.eat(T![==]) {
        let read_type = p.speculate(|p| {
            types::standalone_type(p)?;
            let ends = p.at(T![where]) || at_body(p) || matches!(p.current(), T![;] | T![=] | T![->] | T![:] | EOF);
            ends.then_some(())
        });
        if read_type.is_none() {
            expressions::argument_expression(p);
        }
    } else if p.at(IDENT) && !p.at(T![where]) && !p.at(T![implicit]) {
        p.error("expected `:`");
        types::standalone_type(p);
    }
    if p.at(T![implicit]) {
        p.bump_as(T![implicit]);
    }
    marker.complete(p, WHERE_CLAUSE);
}

/// `: A, B` after the name of a type.
pub(super) fn opt_inheritance_clause(p: &mut Parser<'_>) {
    if !p.at(T![:]) {
        return;
    }
    let marker = p.start();
    p.bump_as(T![:]);
    types::standalone_type(p);
    while p.eat(T![,]) {
        if at_body(p) {
            p.error("expected a type");
            break;
        }
        types::standalone_type(p);
    }
    marker.complete(p, INHERITANCE_CLAUSE);
}
