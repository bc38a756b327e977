//! Statements.

use diagnostics::codes;

use super::*;

/// `{ … }`: the caller opens and closes the node.
pub(super) fn block_contents(p: &mut Parser<'_>) {
    p.bump_as(T!['{']);
    // Generic arguments outside do not reach into a block (of a lambda).
    let outer = std::mem::take(&mut p.in_generic_args);
    statements_until_brace(p);
    p.in_generic_args = outer;
    p.expect(T!['}'], "expected `}`");
}

fn statements_until_brace(p: &mut Parser<'_>) {
    while !p.at(T!['}']) && !p.at_end() {
        statement_or_error(p);
    }
}

fn statement_or_error(p: &mut Parser<'_>) {
    let before = p.position;
    statement(p);
    p.skip_given_up(before);
    if p.position == before {
        p.skip_group("expected a statement");
    }
}

pub(super) fn block(p: &mut Parser<'_>) {
    if p.at(T!['{']) {
        nested_body(p, BodyKind::Block);
    } else {
        p.error("expected `{`");
    }
}

pub(super) fn statement(p: &mut Parser<'_>) {
    p.nested(|p| {
        statement_inner(p);
        Some(())
    });
}

fn statement_inner(p: &mut Parser<'_>) {
    match p.current() {
        T!['{'] => return nested_body(p, BodyKind::Block),
        T![;] => {
            let marker = p.start();
            p.bump_as(T![;]);
            marker.complete(p, EMPTY_STMT);
            return;
        }
        DOLLAR => return compile_time_for(p),
        T!['['] => return attributed_statement(p),
        _ => {}
    }
    let keyword = p.nth_keyword(0);
    if keyword == IDENT && p.nth(1) == T![:] {
        return label(p);
    }
    if keyword.is_keyword() && keyword_statement(p, keyword) {
        return;
    }
    declaration_or_expression(p);
}

/// Statements that begin with a keyword. Returns false, having consumed nothing, if it is none.
fn keyword_statement(p: &mut Parser<'_>, keyword: SyntaxKind) -> bool {
    let next = p.nth(1);
    let is_statement = match keyword {
        T![if] | T![for] | T![while] | T![switch] | T![return] | T![break] | T![continue] | T![do] => true,
        T![discard] => next == T![;] || next == T!['}'] || next == EOF,
        T![defer] | T![throw] => !matches!(next, T![=] | T![.] | T![,] | T![;] | T![:]),
        T![__intrinsic_asm] | T![__requireCapability] | T![__GPU_FOREACH] => true,
        T![__target_switch] | T![__stage_switch] => next == T!['{'],
        T![case] | T![default] | T![else] => true,
        _ => false,
    };
    if !is_statement {
        return false;
    }
    let marker = p.start();
    match keyword {
        T![if] | T![for] | T![while] | T![switch] | T![do] => control_flow(p, marker, keyword),
        T![case] | T![default] => {
            p.coded_error(codes::CANNOT_RESOLVE, "a case label outside of a switch");
            case_label(p);
            marker.complete(p, ERROR);
        }
        T![else] => {
            p.error("this `else` belongs to no `if`");
            p.bump_as(keyword);
            marker.complete(p, ERROR);
        }
        _ => {
            p.bump_as(keyword);
            let kind = simple_statement(p, keyword);
            marker.complete(p, kind);
        }
    }
    true
}

/// The rest of a statement without a body of its own, after its keyword.
fn simple_statement(p: &mut Parser<'_>, keyword: SyntaxKind) -> SyntaxKind {
    let kind = match keyword {
        T![return] => {
            if !p.at(T![;]) && !p.at(T!['}']) {
                expressions::expression(p);
            }
            RETURN_STMT
        }
        T![break] => {
            if p.at(IDENT) {
                names::name_ref(p, "expected a label");
            }
            BREAK_STMT
        }
        T![continue] => {
            if p.at(IDENT) {
                p.error_and_bump("expected `;`: only `break` names a label");
            }
            CONTINUE_STMT
        }
        T![defer] => {
            statement(p);
            return DEFER_STMT;
        }
        T![throw] => {
            expressions::expression(p);
            THROW_STMT
        }
        T![__intrinsic_asm] => {
            while expressions::argument_expression(p).is_some() && p.eat(T![,]) {}
            INTRINSIC_ASM_STMT
        }
        T![__requireCapability] => {
            if p.at(T!['(']) {
                expressions::arg_list(p);
            } else {
                p.error("expected `(`");
            }
            REQUIRE_CAPABILITY_STMT
        }
        T![__GPU_FOREACH] => {
            if p.at(T!['(']) {
                modifiers::token_tree(p);
            } else {
                p.error("expected `(`");
            }
            GPU_FOREACH_STMT
        }
        T![__target_switch] | T![__stage_switch] => {
            switch_body(p);
            return TARGET_SWITCH_STMT;
        }
        _ => DISCARD_STMT,
    };
    items::semicolon(p);
    kind
}

fn control_flow(p: &mut Parser<'_>, marker: Marker, keyword: SyntaxKind) {
    p.bump_as(keyword);
    let kind = match keyword {
        T![if] => {
            condition(p, keyword);
            statement(p);
            if p.at(T![else]) {
                let branch = p.start();
                p.bump_as(T![else]);
                statement(p);
                branch.complete(p, ELSE_BRANCH);
            }
            IF_STMT
        }
        T![while] => {
            condition(p, keyword);
            statement(p);
            WHILE_STMT
        }
        T![switch] => {
            condition(p, keyword);
            switch_body(p);
            SWITCH_STMT
        }
        T![for] => {
            for_header(p);
            statement(p);
            FOR_STMT
        }
        _ => {
            statement(p);
            if p.at(T![catch]) {
                catch_clauses(p);
                DO_CATCH_STMT
            } else {
                if p.expect(T![while], "expected `while` or `catch`") {
                    condition(p, T![do]);
                    items::semicolon(p);
                }
                DO_WHILE_STMT
            }
        }
    };
    marker.complete(p, kind);
}

/// `(expression)`, or of an `if` `(let name = expression)`. Elsewhere a name is read all the same: of those statements that no
/// code is made from, the name is refused with them.
fn condition(p: &mut Parser<'_>, keyword: SyntaxKind) {
    if !p.expect(T!['('], "expected `(`") {
        // `if x > 0 { … }` as in other languages: the condition is read all the same.
        if !p.input.is_first_on_line(p.position) && !matches!(p.current(), T!['{'] | T![;] | T!['}'] | EOF) {
            let marker = p.start();
            if expressions::expression(p).is_some() {
                marker.complete(p, EXPR_CONDITION);
            } else {
                marker.abandon(p);
            }
        }
        return;
    }
    let marker = p.start();
    if p.at(T![let]) && p.nth(1) == IDENT {
        if keyword == T![while] {
            p.error("only the condition of an `if` declares a name");
        }
        p.bump_as(T![let]);
        names::name(p, "expected a name");
        if p.eat(T![:]) {
            types::standalone_type(p);
        }
        if p.expect(T![=], "expected `=`") {
            expressions::expression(p);
        }
        marker.complete(p, LET_CONDITION);
    } else if expressions::expression(p).is_some() {
        marker.complete(p, EXPR_CONDITION);
    } else {
        marker.abandon(p);
    }
    p.expect(T![')'], "expected `)`");
}

fn for_header(p: &mut Parser<'_>) {
    if !p.expect(T!['('], "expected `(`") {
        return;
    }
    let init = p.start();
    if p.at(T![;]) {
        let empty = p.start();
        p.bump_as(T![;]);
        empty.complete(p, EMPTY_STMT);
    } else if !p.at(T![')']) {
        declaration_or_expression(p);
    }
    init.complete(p, FOR_INIT);
    if !p.at(T![;]) && !p.at(T![')']) {
        part_of_header(p, EXPR_CONDITION);
    }
    p.expect(T![;], "expected `;`");
    if !p.at(T![')']) {
        part_of_header(p, FOR_STEP);
    }
    p.expect(T![')'], "expected `)`");
}

/// The condition or the step of a `for`. One whose beginning is not written yet, as in `for (int i = 0; < 4; i++)`, does not
/// end the loop.
fn part_of_header(p: &mut Parser<'_>, kind: SyntaxKind) {
    let marker = p.start();
    if expressions::expression(p).is_some() {
        marker.complete(p, kind);
    } else if expressions::at_operator(p) {
        p.bump_any();
        expressions::expression(p);
        marker.complete(p, ERROR);
    } else {
        marker.abandon(p);
    }
}

fn switch_body(p: &mut Parser<'_>) {
    if !p.at(T!['{']) {
        p.error("expected `{`");
        return;
    }
    let marker = p.start();
    p.bump_as(T!['{']);
    while !p.at(T!['}']) && !p.at_end() {
        let case = p.start();
        // slangc allows (unreachable) statements before the first label.
        while at_case_label(p) {
            case_label(p);
        }
        while !p.at(T!['}']) && !p.at_end() && !at_case_label(p) {
            statement_or_error(p);
        }
        case.complete(p, SWITCH_CASE);
    }
    p.expect(T!['}'], "expected `}`");
    marker.complete(p, SWITCH_BODY);
}

fn at_case_label(p: &Parser<'_>) -> bool {
    p.at(T![case]) || (p.at(T![default]) && matches!(p.nth(1), T![:] | T!['}'] | EOF))
}

fn case_label(p: &mut Parser<'_>) {
    let marker = p.start();
    if p.eat(T![case]) {
        expressions::case_value(p);
    } else {
        p.bump_as(T![default]);
    }
    p.expect(T![:], "expected `:`");
    marker.complete(p, CASE_LABEL);
}

fn catch_clauses(p: &mut Parser<'_>) {
    while p.at(T![catch]) {
        let marker = p.start();
        p.bump_as(T![catch]);
        if p.eat(T!['(']) {
            params::param(p, params::Colon::Type);
            p.expect(T![')'], "expected `)`");
        }
        statement(p);
        marker.complete(p, CATCH_CLAUSE);
    }
}

fn compile_time_for(p: &mut Parser<'_>) {
    let marker = p.start();
    p.bump_as(DOLLAR);
    p.expect(T![for], "expected `for`");
    if p.expect(T!['('], "expected `(`") {
        names::name(p, "expected a name");
        p.expect(T![in], "expected `in`");
        p.expect(IDENT, "expected `Range`");
        if p.at(T!['(']) {
            expressions::arg_list(p);
        }
        p.expect(T![')'], "expected `)`");
    }
    statement(p);
    marker.complete(p, COMPILE_TIME_FOR_STMT);
}

fn label(p: &mut Parser<'_>) {
    let marker = p.start();
    names::name(p, "expected a label");
    p.bump_as(T![:]);
    if !p.at(T!['}']) {
        statement(p);
    }
    marker.complete(p, LABEL_STMT);
}

/// `[unroll] for …`, `[branch] if …`, `[attribute] float x;`.
fn attributed_statement(p: &mut Parser<'_>) {
    let outer = p.start();
    modifiers::opt_modifier_list(p);
    let keyword = p.nth_keyword(0);
    match keyword {
        T![if] | T![for] | T![while] | T![switch] | T![do] => control_flow(p, outer, keyword),
        _ => {
            let item = items::item_after_modifiers(p, outer);
            item.precede(p).complete(p, DECL_STMT);
        }
    }
}

fn declaration_or_expression(p: &mut Parser<'_>) {
    if items::item_keyword(p).is_some_and(|keyword| !matches!(keyword, T![__init] | T![__subscript])) {
        let marker = p.start();
        let item = p.start();
        items::item_after_modifiers(p, item);
        marker.complete(p, DECL_STMT);
        return;
    }
    // `no_diff f(x);` is an expression, `no_diff let y = f(x);` none.
    let declares = !p.at(T![no_diff]) || matches!(p.nth_keyword(1), T![let] | T![var]) && p.nth(2) == IDENT;
    if modifiers::at_keyword_modifier(p) && declares {
        let marker = p.start();
        let item = p.start();
        modifiers::opt_modifier_list(p);
        items::item_after_modifiers(p, item);
        marker.complete(p, DECL_STMT);
        return;
    }
    // `try f();` is not a declaration of `f`.
    if !(p.at(T![try]) && p.nth(1) == IDENT) && typed_declaration(p) {
        return;
    }
    let marker = p.start();
    if expressions::expression(p).is_none() {
        marker.abandon(p);
        return;
    }
    items::semicolon(p);
    marker.complete(p, EXPR_STMT);
}

/// Tries to read a declaration that begins with a type. Only what cannot be told by looking at tokens (generic
/// arguments) is tried out.
fn typed_declaration(p: &mut Parser<'_>) -> bool {
    match types::look_ahead(p) {
        types::LookAhead::Declaration => {
            let marker = p.start();
            let item = p.start();
            modifiers::opt_modifier_list(p);
            types::simple_type(p);
            items::typed_declaration_after_type(p, item);
            marker.complete(p, DECL_STMT);
            true
        }
        types::LookAhead::Other => false,
        types::LookAhead::Generic => {
            if p.has_failed_here() {
                return false;
            }
            let markers = p.speculate(|p| {
                let marker = p.start();
                let item = p.start();
                modifiers::opt_modifier_list(p);
                types::simple_type(p)?;
                types::at_declared_name(p).then_some((marker, item))
            });
            let Some((marker, item)) = markers else {
                if generics::at_unclosed_type(p) {
                    let (marker, item) = (p.start(), p.start());
                    types::simple_type(p);
                    items::typed_declaration_after_type(p, item);
                    marker.complete(p, DECL_STMT);
                    return true;
                }
                p.mark_failed_here();
                return false;
            };
            items::typed_declaration_after_type(p, item);
            marker.complete(p, DECL_STMT);
            true
        }
    }
}
