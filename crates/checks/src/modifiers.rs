//! Modifiers on declarations that they say nothing about.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::Stmt,
    item::{self, Function, ItemKind},
    modules,
};
use hir_ty::diagnostics::Node;

use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let written = declaration.data.modifiers;
    for spelling in spellings(written & not_allowed(declaration)) {
        let message = format!("modifier '{spelling}' is not allowed here");
        declaration.report(codes::MODIFIER_NOT_ALLOWED, Node::Name, message);
    }
    check_parameters(declaration);
    // E30603: nothing is inside of which a global could be private, and what is required is asked of other types.
    let in_interface = declaration.container().is_some_and(|(_, kind)| matches!(kind, ItemKind::Interface { .. }));
    if (declaration.is_global() || in_interface) && written.contains(Modifiers::PRIVATE) {
        let message =
            format!("'{}' cannot have private visibility because it is not a member of a type", declaration.name());
        declaration.report(codes::PRIVATE_GLOBAL, Node::Name, message);
    }
    // E30312: there is nothing before a requirement that it could override.
    if in_interface && written.contains(Modifiers::OVERRIDE) && matches!(declaration.data.kind, ItemKind::Function(_)) {
        let message = format!("'{}' is a requirement: it overrides nothing", declaration.name());
        declaration.report(codes::REQUIREMENT_OVERRIDES, Node::Name, message);
    }
    // E20001: `uniform Name { … }` is of GLSL.
    if matches!(declaration.data.kind, ItemKind::ConstantBuffer { is_glsl_block: true, .. })
        && written.intersects(Modifiers::UNIFORM | Modifiers::IN | Modifiers::OUT)
        && !modules::sees_glsl(declaration.db, item::file_of(declaration.db, declaration.item))
    {
        let message = "a block of GLSL needs `-allow-glsl` or `#version`; in Slang it is a `cbuffer`";
        declaration.report(codes::UNEXPECTED_TOKEN, Node::Name, message);
    }
}

/// What no variable takes: it is said of functions, or of methods.
const NOT_OF_VARIABLES: Modifiers =
    Modifiers::INLINE.union(Modifiers::OVERRIDE).union(Modifiers::PREFIX).union(Modifiers::POSTFIX);

const NOT_OF_FIELDS: Modifiers = NOT_OF_VARIABLES
    .union(Modifiers::IN)
    .union(Modifiers::OUT)
    .union(Modifiers::INOUT)
    .union(Modifiers::REF)
    .union(Modifiers::CONSTREF)
    .union(Modifiers::GROUPSHARED)
    .union(Modifiers::VOLATILE);

/// The orders of matrices and `dyn` are about the types of locals.
const NOT_OF_LOCALS: Modifiers = NOT_OF_VARIABLES.union(
    Modifiers::OF_STORAGE
        .difference(Modifiers::DYN)
        .difference(Modifiers::ROW_MAJOR)
        .difference(Modifiers::COLUMN_MAJOR),
);

/// References are what methods have as `this`.
const NOT_OF_FUNCTIONS: Modifiers = Modifiers::OF_STORAGE.difference(Modifiers::REF).difference(Modifiers::CONSTREF);

const NOT_OF_PARAMETERS: Modifiers = NOT_OF_VARIABLES.union(Modifiers::VOLATILE).union(Modifiers::GLOBALLY_COHERENT);

/// E31201: modifiers that a parameter does not take.
fn check_parameters(declaration: &mut Declaration<'_>) {
    let (ItemKind::Function(Function { params, .. })
    | ItemKind::Constructor { params, .. }
    | ItemKind::Subscript { params, .. }) = &declaration.data.kind
    else {
        return;
    };
    for (index, param) in params.iter().enumerate() {
        for spelling in spellings(param.modifiers & NOT_OF_PARAMETERS) {
            let message = format!("modifier '{spelling}' is not allowed here");
            declaration.report(codes::MODIFIER_NOT_ALLOWED, Node::Param(index as u32), message);
        }
    }
}

/// E31201: modifiers that the kind of declaration does not take. Whether a method overrides anything is asked elsewhere.
fn not_allowed(declaration: &Declaration<'_>) -> Modifiers {
    let in_aggregate = declaration
        .container()
        .is_some_and(|(_, kind)| matches!(kind, ItemKind::Struct { .. } | ItemKind::ConstantBuffer { .. }));
    match declaration.data.kind {
        ItemKind::Variable { .. } if in_aggregate => NOT_OF_FIELDS,
        ItemKind::Variable { .. } | ItemKind::ConstantBuffer { .. } => NOT_OF_VARIABLES,
        ItemKind::Function(_) if declaration.is_global() => NOT_OF_FUNCTIONS | Modifiers::OVERRIDE,
        ItemKind::Subscript { .. } | ItemKind::Accessor { .. } => NOT_OF_FUNCTIONS | Modifiers::OVERRIDE,
        ItemKind::Function(_) | ItemKind::Constructor { .. } => NOT_OF_FUNCTIONS,
        ItemKind::Interface { .. } => Modifiers::NOT_OF_TYPES - Modifiers::DYN,
        ItemKind::Struct { .. }
        | ItemKind::Enum { .. }
        | ItemKind::Extension { .. }
        | ItemKind::Property { .. }
        | ItemKind::AssociatedType { .. }
        | ItemKind::TypeAlias { .. }
        | ItemKind::Namespace => Modifiers::NOT_OF_TYPES,
        _ => Modifiers::empty(),
    }
}

/// The words of a set of modifiers.
fn spellings(modifiers: Modifiers) -> impl Iterator<Item = &'static str> {
    const SPELLINGS: &[(Modifiers, &str)] = &[
        (Modifiers::STATIC, "static"),
        (Modifiers::CONST, "const"),
        (Modifiers::INLINE, "inline"),
        (Modifiers::PRECISE, "precise"),
        (Modifiers::OVERRIDE, "override"),
        (Modifiers::PREFIX, "__prefix"),
        (Modifiers::POSTFIX, "__postfix"),
        (Modifiers::UNIFORM, "uniform"),
        (Modifiers::IN, "in"),
        (Modifiers::OUT, "out"),
        (Modifiers::INOUT, "inout"),
        (Modifiers::REF, "ref"),
        (Modifiers::CONSTREF, "constref"),
        (Modifiers::GROUPSHARED, "groupshared"),
        (Modifiers::VOLATILE, "volatile"),
        (Modifiers::NOINTERPOLATION, "nointerpolation"),
        (Modifiers::NOPERSPECTIVE, "noperspective"),
        (Modifiers::CENTROID, "centroid"),
        (Modifiers::SAMPLE, "sample"),
        (Modifiers::DYN, "dyn"),
        (Modifiers::ROW_MAJOR, "row_major"),
        (Modifiers::COLUMN_MAJOR, "column_major"),
        (Modifiers::GLOBALLY_COHERENT, "globallycoherent"),
        (Modifiers::PER_VERTEX, "pervertex"),
    ];
    let named = SPELLINGS.iter().filter(move |(modifier, _)| modifiers.contains(*modifier));
    named.map(|(_, spelling)| *spelling)
}

/// E31201: modifiers that a local variable does not take.
pub(super) fn check_locals(body: &mut CheckedBody<'_>) {
    for (_, stmt) in body.body.store.stmts.iter() {
        let Stmt::Let { local, .. } = stmt else { continue };
        let written = body.body.store.locals[*local].modifiers;
        let mut refused = written & NOT_OF_LOCALS;
        if written.contains(Modifiers::STATIC) {
            refused -= Modifiers::GROUPSHARED;
        }
        for spelling in spellings(refused) {
            let message = format!("modifier '{spelling}' is not allowed here");
            body.report(codes::MODIFIER_NOT_ALLOWED, Node::Local(*local), message);
        }
    }
}
