//! The grammar of Slang, one file per kind of construct. The shapes are those of `slang.ungram`.

mod expressions;
mod generics;
mod items;
mod modifiers;
mod names;
mod params;
mod spirv_asm;
mod statements;
mod types;

use super::{CompletedMarker, Marker, Parser};
use crate::SyntaxKind::{self, *};
use crate::T;

/// What stands between the braces of a declaration, and so how to parse it on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// Statements.
    Block,
    /// Declarations: members of types, namespaces, constant buffers.
    ItemList,
    /// The cases of an enumeration.
    EnumCaseList,
    /// `get` and `set` of properties and subscripts.
    AccessorList,
}

/// A whole file, or any run of declarations.
pub(crate) fn source_file(p: &mut Parser<'_>) {
    let marker = p.start();
    while !p.at_end() {
        items::item_or_error(p);
    }
    marker.complete(p, SOURCE_FILE);
}

/// A body on its own, as it is put in the place of a hole, with what may follow its closing brace.
pub(crate) fn body(p: &mut Parser<'_>, kind: BodyKind) {
    let marker = p.start();
    if at_body(p) {
        nested_body(p, kind);
    } else {
        p.error("expected `{`");
    }
    if matches!(kind, BodyKind::ItemList | BodyKind::EnumCaseList) {
        items::trailing_declarators(p);
    }
    rest(p);
    marker.complete(p, BODY);
}

/// What follows the members of a container: its `}`, and perhaps `;` or variables.
pub(crate) fn container_end(p: &mut Parser<'_>) {
    let marker = p.start();
    if p.expect(T!['}'], "expected `}`") {
        items::trailing_declarators(p);
    }
    rest(p);
    marker.complete(p, BODY);
}

/// A type alone, without a program around it.
pub(crate) fn type_alone(p: &mut Parser<'_>) {
    let marker = p.start();
    types::standalone_type(p);
    rest(p);
    marker.complete(p, TYPE_ARG);
}

fn rest(p: &mut Parser<'_>) {
    let was_given_up = std::mem::take(&mut p.given_up);
    if p.at_end() {
        return;
    }
    let marker = p.start();
    if !was_given_up {
        p.error("unexpected tokens after the body");
    }
    while !p.at_end() {
        p.bump_any();
    }
    marker.complete(p, ERROR);
}

impl BodyKind {
    pub(crate) fn node_kind(self) -> SyntaxKind {
        match self {
            BodyKind::Block => BLOCK_STMT,
            BodyKind::ItemList => ITEM_LIST,
            BodyKind::EnumCaseList => ENUM_CASE_LIST,
            BodyKind::AccessorList => ACCESSOR_LIST,
        }
    }
}

/// Whether a body of a declaration begins here: written out, or left out to be parsed on its own.
fn at_body(p: &Parser<'_>) -> bool {
    p.at(T!['{']) || p.at(BODY_HOLE)
}

/// The body of a declaration. The caller has checked `at_body`.
fn nested_body(p: &mut Parser<'_>, kind: BodyKind) {
    if p.at(BODY_HOLE) {
        p.hole_as(kind);
        return;
    }
    let contents = match kind {
        BodyKind::Block => statements::block_contents,
        BodyKind::ItemList => items::item_list_contents,
        BodyKind::EnumCaseList => items::enum_case_list_contents,
        BodyKind::AccessorList => items::accessor_list_contents,
    };
    p.nested(|p| {
        let marker = p.start();
        contents(p);
        marker.complete(p, kind.node_kind());
        Some(())
    });
}

/// `open element, element, … close`, where a trailing comma is allowed. `element` returns whether it found one; what
/// it does not know is skipped up to something that may go on.
fn comma_list(
    p: &mut Parser<'_>,
    open: SyntaxKind,
    close: SyntaxKind,
    missing: &'static str,
    mut element: impl FnMut(&mut Parser<'_>) -> bool,
) {
    p.bump_as(open);
    let mut is_behind_element = false;
    while !p.at(close) && !p.at_end() {
        if p.at(T![,]) {
            if !std::mem::take(&mut is_behind_element) {
                p.error(missing);
            }
            p.bump_any();
            continue;
        }
        if ends_list(p) {
            break;
        }
        let before = p.position;
        if !element(p) || p.position == before {
            if ends_list(p) || p.at(close) || p.at(T!['{']) {
                break;
            }
            p.skip_group(missing);
            is_behind_element = true;
            continue;
        }
        is_behind_element = true;
        if !p.at(close) && !p.at(T![,]) {
            if close == T![>] && at_name_behind_type(p) {
                break;
            }
            if ends_list(p) || p.at(T!['{']) || p.speculation.depth > 0 {
                break;
            }
            p.error("expected `,`");
            if !starts_again(p) {
                break;
            }
        }
    }
    p.expect(
        close,
        match close {
            T![')'] => "expected `)`",
            T![']'] => "expected `]`",
            T!['}'] => "expected `}`",
            _ => "expected `>`",
        },
    );
}

/// What stands behind the `>` that somebody forgot: the name of a variable in `Net<Relu net;`, the parameters in
/// `T f<T : I(T x)`, the target in `extension<T Net<T>`.
fn at_name_behind_type(p: &Parser<'_>) -> bool {
    p.at(T!['(']) || (p.at(IDENT) && matches!(p.nth(1), T![;] | T![=] | T!['('] | T![<]))
}

/// Tokens that no list swallows while it looks for its end.
fn ends_list(p: &Parser<'_>) -> bool {
    matches!(p.current(), T![;] | T!['}'] | T![')'] | T![']'] | BODY_HOLE | EOF)
}

/// Whether another element may begin here although the comma is missing.
fn starts_again(p: &Parser<'_>) -> bool {
    matches!(p.current(), IDENT | INT_NUMBER | FLOAT_NUMBER | STRING | CHAR | T!['('] | T!['['])
}
