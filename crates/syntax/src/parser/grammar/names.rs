//! Names, references and paths.

use diagnostics::codes;

use super::*;

/// A name being declared: an identifier or `operator` with its symbol.
pub(super) fn name(p: &mut Parser<'_>, missing: &'static str) -> bool {
    if !p.at(IDENT) {
        p.error(missing);
        return false;
    }
    let marker = p.start();
    if p.at(T![operator]) && operator_symbol_length(p).is_some() {
        operator_name(p);
    } else {
        p.bump_as(IDENT);
    }
    marker.complete(p, NAME);
    true
}

/// The name of a function or variable: of these, `operator` is never the name itself.
pub(super) fn value_name(p: &mut Parser<'_>, missing: &'static str) -> bool {
    if !p.at(T![operator]) {
        return name(p, missing);
    }
    let marker = p.start();
    match (p.nth(1), operator_symbol_length(p)) {
        (T!['['] | T![->], _) | (_, None) => {
            p.bump_as(T![operator]);
            if p.at(T!['(']) {
                p.error("expected the symbol of an operator");
            } else {
                p.coded_error(codes::INVALID_OPERATOR, "this is not an operator that can be declared");
                not_a_symbol(p);
            }
        }
        (_, Some(_)) => operator_name(p),
    }
    marker.complete(p, NAME);
    true
}

/// What stands where the symbol of an operator should, if it cannot be what follows a name.
fn not_a_symbol(p: &mut Parser<'_>) {
    let length = match (p.nth(0), p.nth(1), p.nth(2)) {
        (T!['['], T![']'], _) => 2,
        (_, T!['('], _) => 1,
        _ => return,
    };
    let symbol = p.start();
    for _ in 0..length {
        p.bump_any();
    }
    symbol.complete(p, ERROR);
}

pub(super) fn name_ref(p: &mut Parser<'_>, missing: &'static str) -> bool {
    if !p.at(IDENT) {
        p.error(missing);
        return false;
    }
    let marker = p.start();
    if p.at(T![operator]) && operator_symbol_length(p).is_some() {
        operator_name(p);
    } else {
        p.bump_as(IDENT);
    }
    marker.complete(p, NAME_REF);
    true
}

fn operator_name(p: &mut Parser<'_>) {
    let length = operator_symbol_length(p).unwrap_or(0);
    p.bump_as(T![operator]);
    if let Some(compound) = p.compound_at(0) {
        p.bump_as(compound);
        return;
    }
    for _ in 0..length {
        p.bump_any();
    }
}

/// How many tokens after `operator` name it: `+`, `()`, `[]`, `?:` and so on.
fn operator_symbol_length(p: &Parser<'_>) -> Option<usize> {
    match (p.nth(1), p.nth(2)) {
        (T!['('], T![')']) | (T!['['], T![']']) | (T![?], T![:]) => Some(2),
        (
            T![+]
            | T![-]
            | T![*]
            | T![/]
            | T![%]
            | T![!]
            | T![~]
            | T![<]
            | T![>]
            | T![<=]
            | T![==]
            | T![!=]
            | T![<<]
            | T![&]
            | T![|]
            | T![^]
            | T![&&]
            | T![||]
            | T![++]
            | T![--]
            | T![=]
            | T![+=]
            | T![-=]
            | T![*=]
            | T![/=]
            | T![%=]
            | T![<<=]
            | T![&=]
            | T![|=]
            | T![^=]
            | T![,]
            | T![->],
            _,
        ) => Some(1),
        _ => None,
    }
}

/// How generic arguments after a name are recognised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Generics {
    /// `<` can only begin generic arguments, as in a type.
    Certain,
    /// `<` may be a comparison.
    Guess,
    /// There are none.
    None,
}

/// What qualifies a name: in a type `.` does as well as `::`, in an expression the dot is a field access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Separators {
    Colons,
    ColonsAndDots,
}

pub(super) fn path(p: &mut Parser<'_>, generics: Generics, separators: Separators) -> CompletedMarker {
    let marker = p.start();
    p.eat(T![::]);
    segment(p, generics);
    let mut path = marker.complete(p, PATH);
    while p.at(T![::]) || (separators == Separators::ColonsAndDots && p.at(T![.]) && !begins_next_statement(p, 1)) {
        let outer = path.precede(p);
        let separator = p.current();
        p.bump_as(separator);
        segment(p, generics);
        path = outer.complete(p, PATH);
    }
    path
}

/// After `a.` at the end of a line: whether the name on the next line begins a statement of its own instead.
pub(super) fn begins_next_statement(p: &Parser<'_>, name: usize) -> bool {
    p.input.is_first_on_line(p.position + name)
        && (matches!(p.nth(name + 1), IDENT | T![=]) || p.nth_keyword(name).is_keyword())
}

fn segment(p: &mut Parser<'_>, generics: Generics) {
    if name_ref(p, "expected a name") {
        generic_args_after_name(p, generics);
    }
}

pub(super) fn generic_args_after_name(p: &mut Parser<'_>, generics: Generics) {
    if !p.at(T![<]) {
        return;
    }
    match generics {
        Generics::Certain => super::generics::generic_arg_list(p, Generics::Certain),
        Generics::Guess => {
            super::generics::try_generic_arg_list(p);
        }
        Generics::None => {}
    }
}

/// `a.b.c` or `"a/b"` after `import` and its like.
pub(super) fn module_path(p: &mut Parser<'_>) {
    let marker = p.start();
    if !p.eat(STRING) {
        name_ref(p, "expected a module name");
        while p.eat(T![.]) {
            name_ref(p, "expected a module name");
        }
    }
    marker.complete(p, MODULE_PATH);
}

/// Names of the builtin scalar, vector and matrix types. Where grammar alone leaves a cast ambiguous, these decide.
pub(super) fn is_builtin_type_name(text: &str) -> bool {
    const SCALARS: &[&str] = &[
        "bool",
        "int",
        "uint",
        "float",
        "half",
        "double",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "float16_t",
        "float32_t",
        "float64_t",
        "intptr_t",
        "uintptr_t",
        "dword",
        "size_t",
        "usize_t",
        "ssize_t",
    ];
    let shape_of = |rest: &str| {
        let mut bytes = rest.bytes();
        let is_size = |byte: Option<u8>| matches!(byte, Some(b'1'..=b'4'));
        match rest.len() {
            0 => true,
            1 => is_size(bytes.next()),
            3 => is_size(bytes.next()) && bytes.next() == Some(b'x') && is_size(bytes.next()),
            _ => false,
        }
    };
    SCALARS.iter().any(|scalar| text.strip_prefix(scalar).is_some_and(shape_of)) || text == "void"
}
