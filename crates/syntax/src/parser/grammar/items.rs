//! Declarations, wherever they stand: in files, types, namespaces and blocks.

use diagnostics::codes;

use super::*;
use params::{Colon, Context};

/// Parses a declaration, or skips something that cannot begin one. Always consumes something.
pub(super) fn item_or_error(p: &mut Parser<'_>) {
    let before = p.position;
    p.nested(|p| {
        item(p);
        Some(())
    });
    p.skip_given_up(before);
    if p.position == before {
        match p.current() {
            T!['}'] => p.error_and_bump("unmatched `}`"),
            BODY_HOLE => {
                let marker = p.start();
                p.coded_error(codes::BODY_WITHOUT_DECLARATION, "expected a declaration before `{`");
                p.hole_as(BodyKind::Block);
                marker.complete(p, ERROR);
            }
            _ => p.skip_group("expected a declaration"),
        }
    }
}

fn item(p: &mut Parser<'_>) {
    let marker = p.start();
    // Either may come first, and more modifiers may follow.
    while generics::opt_generic_prefix(p) || modifiers::opt_modifier_list(p) {}
    if marker.is_empty(p) && !(p.at(T![;]) || at_typed_item(p)) {
        marker.abandon(p);
        return;
    }
    if at_precision(p) {
        // GLSL's `precision highp float;` means nothing on any target of today.
        (0..3).for_each(|_| p.bump_any());
        semicolon(p);
        marker.complete(p, EMPTY_DECL);
        return;
    }
    if p.at(T![static_assert]) && p.nth(1) == T!['('] {
        p.error("`static_assert` is a statement: it stands in a function");
    }
    item_after_modifiers(p, marker);
}

fn at_precision(p: &Parser<'_>) -> bool {
    p.at(IDENT)
        && p.input.text(p.position) == "precision"
        && matches!(p.nth_keyword(1), T![highp] | T![mediump] | T![lowp])
        && p.nth(2) == IDENT
}

fn at_typed_item(p: &Parser<'_>) -> bool {
    p.at(IDENT) || p.at(T![::])
}

/// The rest of a declaration whose modifiers have been read. May find nothing after them.
pub(super) fn item_after_modifiers(p: &mut Parser<'_>, marker: Marker) -> CompletedMarker {
    if p.eat(T![;]) {
        marker.complete(p, EMPTY_DECL)
    } else if let Some(keyword) = item_keyword(p) {
        keyword_item(p, marker, keyword)
    } else if at_typed_item(p) || p.at(T!['(']) {
        typed_item(p, marker)
    } else {
        p.error("expected a declaration");
        marker.complete(p, EMPTY_DECL)
    }
}

/// The keyword of the declaration that begins here, after modifiers. Keywords are also names, so what follows decides.
pub(super) fn item_keyword(p: &Parser<'_>) -> Option<SyntaxKind> {
    let keyword = p.nth_keyword(0);
    let next = p.nth(1);
    let is_item = match keyword {
        T![struct] | T![enum] | T![typedef] | T![__func_extension] | T![__include] => next != T![=] && next != T![.],
        // Nothing else begins so: a name is missing.
        T![interface] | T![namespace] | T![cbuffer] | T![tbuffer] => matches!(next, IDENT | T!['{'] | BODY_HOLE),
        T![class]
        | T![typealias]
        | T![associatedtype]
        | T![property]
        | T![let]
        | T![var]
        | T![type_param]
        | T![__generic_value_param]
        | T![__require_capability]
        | T![syntax]
        | T![func] => next == IDENT,
        T![extension] | T![__extension] => matches!(next, IDENT | T![<] | T![::] | T!['{'] | BODY_HOLE),
        T![using] => matches!(next, IDENT | T![::]),
        T![import] | T![__import] | T![implementing] => matches!(next, IDENT | STRING),
        T![module] => matches!(next, IDENT | STRING | T![;]),
        T![__init] | T![__subscript] => matches!(next, T!['('] | T![<]),
        T![__constraint] | T![__associatedfunc] => next == IDENT,
        T![attribute_syntax] => next == T!['['],
        T![__ignored_block] | T![__transparent_block] | T![__file_decl] => matches!(next, T!['{'] | BODY_HOLE),
        T![static_assert] => next == T!['('],
        _ => false,
    };
    is_item.then_some(keyword)
}

/// `typedef struct {`, `typedef enum E {`: a type with a body, and further names for it.
fn at_typedef_of_declaration(p: &Parser<'_>) -> bool {
    let named = p.nth(2) == IDENT;
    let behind = p.nth(2 + usize::from(named));
    p.nth_keyword(0) == T![typedef]
        && matches!(p.nth_keyword(1), T![struct] | T![class] | T![enum])
        && (matches!(behind, T!['{'] | BODY_HOLE) || named && behind == T![:])
}

fn keyword_item(p: &mut Parser<'_>, marker: Marker, keyword: SyntaxKind) -> CompletedMarker {
    if at_typedef_of_declaration(p) {
        p.bump_as(keyword);
        if p.at(T![enum]) {
            enum_declaration(p);
            trailing_declarators(p);
            return marker.complete(p, ENUM_DECL);
        }
        struct_declaration(p);
        trailing_declarators(p);
        return marker.complete(p, STRUCT_DECL);
    }
    let kind = match keyword {
        T![struct] | T![class] => {
            struct_declaration(p);
            trailing_declarators_on_line(p);
            STRUCT_DECL
        }
        T![enum] => {
            enum_declaration(p);
            trailing_declarators_on_line(p);
            ENUM_DECL
        }
        T![interface] => {
            interface(p, keyword);
            INTERFACE_DECL
        }
        T![extension] | T![__extension] => {
            extension(p, keyword);
            EXTENSION_DECL
        }
        T![namespace] => {
            namespace(p, keyword);
            NAMESPACE_DECL
        }
        T![cbuffer] | T![tbuffer] => {
            constant_buffer(p, keyword);
            C_BUFFER_DECL
        }
        T![__ignored_block] | T![__transparent_block] | T![__file_decl] => {
            p.bump_as(keyword);
            members(p);
            BLOCK_DECL
        }
        T![func] => {
            p.bump_as(keyword);
            names::name(p, "expected a function name");
            function_signature(p, Colon::Type);
            FUNC_DECL
        }
        T![__init] => {
            constructor(p, keyword);
            CONSTRUCTOR_DECL
        }
        T![__func_extension] => {
            p.bump_as(keyword);
            generics::opt_generic_param_list(p);
            expressions::derivative_or_name(p);
            function_signature(p, Colon::Semantic);
            FUNC_EXTENSION_DECL
        }
        T![__subscript] => {
            subscript(p, keyword);
            SUBSCRIPT_DECL
        }
        T![property] => {
            property(p, keyword);
            PROPERTY_DECL
        }
        T![let] | T![var] => {
            binding(p, keyword);
            VAR_DECL
        }
        // A slip from C++: another name for a type is a `typealias`, as which it is taken.
        T![using] if p.nth(1) == IDENT && p.nth(2) == T![=] => {
            p.coded_error(
                codes::EXPECTED_NAMESPACE,
                "`using` takes a namespace; another name for a type is `typealias Name = Type;`",
            );
            p.bump_any();
            names::name(p, "expected a name");
            p.bump_any();
            types::standalone_type(p);
            semicolon(p);
            TYPE_ALIAS_DECL
        }
        _ => {
            simple_item(p, keyword);
            // slangc lets a line break end a `typedef`.
            let broken = p.at_end() || p.input.is_first_on_line(p.position);
            if keyword != T![typedef] || !broken || p.at(T![;]) {
                semicolon(p);
            }
            simple_item_kind(keyword)
        }
    };
    marker.complete(p, kind)
}

fn constructor(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    generics::opt_generic_param_list(p);
    params::param_list(p, Colon::Semantic);
    if p.at(T![:]) || p.at(T![->]) {
        p.error("expected `{`: a constructor gives its members values in its body");
    }
    function_rest(p);
}

fn binding(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    params::declarator(p, Context::Binding);
    if p.at(T![,]) {
        p.error("`let` and `var` declare one name: write a `;` and declare the next one by itself");
        p.bump_as(T![,]);
        declarators(p, Context::Binding);
    }
    semicolon(p);
}

fn property(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    if p.nth(1) == T![:] {
        names::name(p, "expected a name");
        p.bump_as(T![:]);
        types::standalone_type(p);
    } else {
        types::standalone_type(p);
        names::name(p, "expected a name");
        params::array_suffixes(p);
    }
    accessors_or_semicolon(p);
}

fn subscript(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    generics::opt_generic_param_list(p);
    params::param_list(p, Colon::Semantic);
    types::opt_return_type(p);
    generics::opt_where_clauses(p);
    accessors_or_semicolon(p);
}

fn constant_buffer(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    names::name(p, "expected a name");
    params::semantics(p);
    members(p);
    p.eat(T![;]);
}

fn namespace(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    names::name(p, "expected a name");
    while p.at(T![::]) || p.at(T![.]) {
        let separator = p.current();
        p.bump_as(separator);
        names::name(p, "expected a name");
    }
    members(p);
    p.eat(T![;]);
}

fn extension(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    generics::opt_generic_param_list(p);
    types::simple_type(p);
    generics::opt_inheritance_clause(p);
    generics::opt_where_clauses(p);
    members(p);
    p.eat(T![;]);
}

fn interface(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    names::name(p, "expected a name");
    generics::opt_generic_param_list(p);
    generics::opt_inheritance_clause(p);
    generics::opt_where_clauses(p);
    members(p);
    p.eat(T![;]);
}

/// The contents of declarations that end with a semicolon and have no body.
fn simple_item(p: &mut Parser<'_>, keyword: SyntaxKind) {
    p.bump_as(keyword);
    match keyword {
        T![import] | T![__import] | T![__include] | T![implementing] => names::module_path(p),
        T![module] => {
            if !p.at(T![;]) {
                names::module_path(p);
            }
        }
        T![using] => {
            if p.at(T![namespace]) && p.nth(1) != T![;] {
                p.bump_as(T![namespace]);
            }
            names::path(p, names::Generics::Certain, names::Separators::ColonsAndDots);
        }
        T![typealias] => {
            names::name(p, "expected a name");
            generics::opt_generic_param_list(p);
            generics::opt_inheritance_clause(p);
            generics::opt_where_clauses(p);
            if p.expect(T![=], "expected `=`") {
                types::standalone_type(p);
                generics::opt_where_clauses(p);
            }
        }
        T![typedef] => {
            types::standalone_type(p);
            params::declarator(p, Context::Typedef);
        }
        T![associatedtype] => {
            names::name(p, "expected a name");
            generics::opt_generic_param_list(p);
            generics::opt_inheritance_clause(p);
            generics::opt_where_clauses(p);
            if p.eat(T![=]) {
                types::standalone_type(p);
            }
        }
        T![__constraint] => {
            types::standalone_type(p);
            if p.eat(T![:]) || p.expect(T![==], "expected `:` or `==`") {
                types::standalone_type(p);
            }
        }
        T![__associatedfunc] => {
            types::standalone_type(p);
            names::name(p, "expected a name");
        }
        T![type_param] => {
            names::name(p, "expected a name");
            generics::opt_inheritance_clause(p);
        }
        T![__generic_value_param] => {
            names::name(p, "expected a name");
            if p.eat(T![:]) {
                types::standalone_type(p);
            }
            if p.eat(T![=]) {
                expressions::argument_expression(p);
            }
        }
        T![__require_capability] => {
            names::name_ref(p, "expected a capability");
            while p.eat(T![+]) || p.eat(T![,]) {
                names::name_ref(p, "expected a capability");
            }
        }
        T![syntax] => {
            names::name(p, "expected a name");
            if p.eat(T![:]) {
                names::name_ref(p, "expected a name");
            }
            if p.eat(T![=]) {
                names::name_ref(p, "expected a name");
            }
        }
        T![attribute_syntax] => {
            p.bump_as(T!['[']);
            names::name(p, "expected a name");
            if p.at(T!['(']) {
                params::param_list(p, Colon::Type);
            }
            p.expect(T![']'], "expected `]`");
            if p.expect(T![:], "expected `:`") {
                names::name_ref(p, "expected a name");
            }
        }
        T![static_assert] => expressions::arg_list(p),
        _ => {}
    }
}

fn simple_item_kind(keyword: SyntaxKind) -> SyntaxKind {
    match keyword {
        T![import] | T![__import] => IMPORT_DECL,
        T![__include] => INCLUDE_DECL,
        T![implementing] => IMPLEMENTING_DECL,
        T![module] => MODULE_DECL,
        T![using] => USING_DECL,
        T![typealias] => TYPE_ALIAS_DECL,
        T![typedef] => TYPEDEF_DECL,
        T![associatedtype] => ASSOCIATED_TYPE_DECL,
        T![__constraint] => CONSTRAINT_DECL,
        T![__associatedfunc] => ASSOCIATED_FUNC_DECL,
        T![type_param] => GLOBAL_TYPE_PARAM_DECL,
        T![__generic_value_param] => GLOBAL_VALUE_PARAM_DECL,
        T![__require_capability] => REQUIRE_CAPABILITY_DECL,
        T![syntax] => SYNTAX_DECL,
        T![attribute_syntax] => ATTRIBUTE_SYNTAX_DECL,
        T![static_assert] => STATIC_ASSERT_DECL,
        _ => ERROR,
    }
}

/// `struct S { … }` or `enum E { … }` where a type is expected.
pub(super) fn type_declaration_in_type(p: &mut Parser<'_>) {
    let marker = p.start();
    if p.at(T![enum]) {
        enum_declaration(p);
        marker.complete(p, ENUM_DECL);
    } else {
        struct_declaration(p);
        marker.complete(p, STRUCT_DECL);
    }
}

fn struct_declaration(p: &mut Parser<'_>) {
    let keyword = p.nth_keyword(0);
    p.bump_as(keyword);
    modifiers::opt_late_modifier_list(p);
    if p.at(IDENT) {
        names::name(p, "expected a name");
    } else if !at_body(p) && !p.at(T![:]) {
        p.error("expected a name");
    }
    generics::opt_generic_param_list(p);
    generics::opt_inheritance_clause(p);
    generics::opt_where_clauses(p);
    if at_body(p) {
        nested_body(p, BodyKind::ItemList);
    } else if p.eat(T![=]) {
        types::standalone_type(p);
    } else if !p.at(T![;]) && !p.at(IDENT) {
        p.error("expected `{`");
    }
}

/// Whether the line behind a keyword begins with two words, as in `enum` above `int x = 3;`: they are a type and a name, and
/// the name of what the keyword declares is not written yet.
fn at_next_declaration(p: &Parser<'_>) -> bool {
    p.at(IDENT) && p.nth(1) == IDENT && !p.nth_at(1, T![where]) && p.input.is_first_on_line(p.position)
}

fn enum_declaration(p: &mut Parser<'_>) {
    p.bump_as(T![enum]);
    if p.at(T![class]) && p.nth(1) != T![;] {
        p.bump_as(T![class]);
    }
    modifiers::opt_late_modifier_list(p);
    if at_next_declaration(p) {
        p.error("expected a name");
        return;
    }
    if p.at(IDENT) {
        names::name(p, "expected a name");
    }
    generics::opt_generic_param_list(p);
    generics::opt_inheritance_clause(p);
    generics::opt_where_clauses(p);
    if at_body(p) {
        nested_body(p, BodyKind::EnumCaseList);
    } else if !p.at(T![;]) && !p.at(IDENT) {
        p.error("expected `{`");
    }
}

/// As in slangc, a line break behind the closing brace ends the declaration, so that a name on the next line is no variable.
fn trailing_declarators_on_line(p: &mut Parser<'_>) {
    if !p.input.is_first_on_line(p.position) || p.at(T![;]) {
        trailing_declarators(p);
    }
}

/// What may follow the closing brace of a struct or enum: a semicolon, or variables of that type and a semicolon.
pub(super) fn trailing_declarators(p: &mut Parser<'_>) {
    if p.eat(T![;]) {
        return;
    }
    // `struct A { } struct B { }`: the word after the brace begins the next declaration. A variable is a name and one
    // of the things that may follow a name in a declarator.
    let mut behind = 1;
    while p.nth(behind) == T!['[']
        && let Some(close) = p.input.matching(p.position + behind)
    {
        behind = close - p.position + 1;
    }
    if p.at(IDENT) && matches!(p.nth(behind), T![;] | T![=] | T![,] | T![:]) {
        let marker = p.start();
        declarators(p, Context::Variable);
        marker.complete(p, DECLARATOR_LIST);
        semicolon(p);
    }
}

fn members(p: &mut Parser<'_>) {
    if at_body(p) {
        nested_body(p, BodyKind::ItemList);
    } else if !p.at(T![;]) {
        p.error("expected `{`");
    }
}

pub(super) fn item_list_contents(p: &mut Parser<'_>) {
    p.bump_as(T!['{']);
    while !p.at(T!['}']) && !p.at_end() {
        item_or_error(p);
    }
    p.expect(T!['}'], "expected `}`");
}

pub(super) fn enum_case_list_contents(p: &mut Parser<'_>) {
    comma_list(p, T!['{'], T!['}'], "expected an enum case", |p| {
        let marker = p.start();
        modifiers::opt_modifier_list(p);
        if !p.at(IDENT) {
            let nothing = marker.is_empty(p);
            marker.abandon(p);
            return !nothing;
        }
        names::name(p, "expected a name");
        if p.eat(T![=]) {
            expressions::argument_expression(p);
        }
        marker.complete(p, ENUM_CASE);
        true
    });
}

fn accessors_or_semicolon(p: &mut Parser<'_>) {
    if at_body(p) {
        nested_body(p, BodyKind::AccessorList);
    } else {
        p.expect(T![;], "expected `{` or `;`");
    }
}

pub(super) fn accessor_list_contents(p: &mut Parser<'_>) {
    p.bump_as(T!['{']);
    while !p.at(T!['}']) && !p.at_end() {
        let marker = p.start();
        // `ref` is also a modifier, so only words before another accessor word count as modifiers here.
        modifiers::opt_modifier_list(p);
        let keyword = p.nth_keyword(0);
        if !matches!(keyword, T![get] | T![set] | T![ref] | T![modify]) {
            let nothing = marker.is_empty(p);
            marker.abandon(p);
            if nothing && p.at(T![;]) {
                p.error_and_bump("expected an accessor");
            } else {
                p.skip_group("expected an accessor");
            }
            continue;
        }
        p.bump_as(keyword);
        if p.at(T!['(']) {
            params::param_list(p, Colon::Type);
        }
        function_body(p);
        marker.complete(p, ACCESSOR);
    }
    p.expect(T!['}'], "expected `}`");
}

/// Everything of a function after its name.
fn function_signature(p: &mut Parser<'_>, colon: Colon) {
    generics::opt_generic_param_list(p);
    params::param_list(p, colon);
    function_rest(p);
}

/// Everything of a function after its parameters.
fn function_rest(p: &mut Parser<'_>) {
    loop {
        if p.at(T![throws]) {
            let marker = p.start();
            p.bump_as(T![throws]);
            types::standalone_type(p);
            marker.complete(p, THROWS_CLAUSE);
        } else if p.at(T![->]) {
            types::opt_return_type(p);
        } else if p.at(T![where]) {
            generics::where_clause(p);
        } else if p.at(T![:]) {
            params::semantics(p);
        } else {
            break;
        }
    }
    function_body(p);
}

fn function_body(p: &mut Parser<'_>) {
    if at_body(p) {
        nested_body(p, BodyKind::Block);
    } else {
        p.expect(T![;], "expected `{` or `;`");
    }
}

/// A declaration that begins with a type: a function or variables.
fn typed_item(p: &mut Parser<'_>, marker: Marker) -> CompletedMarker {
    let has_unknown_modifier = modifiers::skip_unknown_modifier(p);
    if at_function_without_result(p) {
        p.error("expected the type of the result before the name of the function; a constructor is called `__init`");
        names::value_name(p, "expected a name");
        function_signature(p, Colon::Semantic);
        return marker.complete(p, FUNC_DECL);
    }
    if types::simple_type(p).is_none() {
        return marker.complete(p, ERROR);
    }
    if has_unknown_modifier {
        p.error(modifiers::UNKNOWN_MODIFIER);
    }
    typed_declaration_after_type(p, marker)
}

pub(super) fn typed_declaration_after_type(p: &mut Parser<'_>, marker: Marker) -> CompletedMarker {
    if at_function_name(p) {
        names::value_name(p, "expected a name");
        let close = p.input.matching(p.position).filter(|_| p.at(T!['(']));
        if close.is_some_and(|close| p.input.kind(close + 1) == T![->]) {
            p.error("the type of the result stands in front of the name already: write it there, or `func` there");
        }
        function_signature(p, Colon::Semantic);
        return marker.complete(p, FUNC_DECL);
    }
    if at_body(p) {
        // `uniform Name { … } variable;` as in GLSL.
        if !is_block_of_glsl(p) {
            p.error("expected a name");
        }
        nested_body(p, BodyKind::ItemList);
        trailing_declarators(p);
        return marker.complete(p, C_BUFFER_DECL);
    }
    if !(p.at(IDENT) || p.at(T!['(']) || p.at(T![*])) {
        p.error("expected a name");
        p.eat(T![;]);
        return marker.complete(p, VAR_DECL);
    }
    declarators(p, Context::Variable);
    semicolon(p);
    marker.complete(p, VAR_DECL)
}

/// Whether the name before the body that is next follows a word that such a block begins with, or `layout(…)`.
fn is_block_of_glsl(p: &Parser<'_>) -> bool {
    let Some(before) = p.position.checked_sub(2) else { return false };
    let begins_block = matches!(p.input.keyword(before), T![uniform] | T![in] | T![out] | T![buffer]);
    begins_block || p.input.kind(before) == T![')']
}

/// `scale(float x) { … }`, or `scale(float x);`, where `scale (x);` is a variable in parentheses.
fn at_function_without_result(p: &Parser<'_>) -> bool {
    if p.nth(0) != IDENT || p.nth(1) != T!['('] {
        return false;
    }
    let close = p.input.matching(p.position + 1);
    close.is_some_and(|close| match p.input.kind(close + 1) {
        T!['{'] | BODY_HOLE => true,
        T![;] => p.nth(2) == IDENT && p.nth(3) == IDENT,
        _ => false,
    })
}

/// A name with a parameter list or generic parameters after it.
fn at_function_name(p: &Parser<'_>) -> bool {
    if p.nth(0) != IDENT {
        return false;
    }
    if p.at(T![operator]) {
        // `operator=` may be a slip for a variable with a value: it has no parameters.
        return p.nth(1) != T![;] && (p.nth(1) != T![=] || p.nth(2) == T!['(']);
    }
    matches!(p.nth(1), T!['('] | T![<])
}

pub(super) fn declarators(p: &mut Parser<'_>, context: Context) {
    params::declarator(p, context);
    while !at_comma_for_semicolon(p) && !at_comma_before_parameter(p) && p.eat(T![,]) {
        params::declarator(p, context);
    }
}

/// `float f, float a) {`, where the name of a function and its bracket are missing: what follows the comma is a type, which
/// must not become the name of a variable.
fn at_comma_before_parameter(p: &Parser<'_>) -> bool {
    p.at(T![,]) && p.nth(1) == IDENT && p.nth(2) == IDENT
}

/// A slip in `for (int i = 0, i < n; i++)`: what follows the comma is compared, so it is not declared.
fn at_comma_for_semicolon(p: &Parser<'_>) -> bool {
    p.at(T![,]) && p.nth(1) == IDENT && matches!(p.nth(2), T![<] | T![<=] | T![>] | T![==] | T![!=])
}

pub(super) fn semicolon(p: &mut Parser<'_>) {
    if at_comma_for_semicolon(p) {
        p.error_and_bump("expected `;`, not `,`");
        return;
    }
    p.expect(T![;], "expected `;`");
}
