//! Modifiers on declarations that they say nothing about.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::Stmt,
    item::{self, ItemKind},
    modules,
};
use hir_ty::diagnostics::Node;

use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let written = declaration.data.modifiers;
    for (modifier, spelling) in not_allowed(declaration) {
        if written.contains(*modifier) {
            declaration.report(
                codes::MODIFIER_NOT_ALLOWED,
                Node::Name,
                format!("modifier '{spelling}' is not allowed here"),
            );
        }
    }
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
    if matches!(declaration.data.kind, ItemKind::ConstantBuffer { .. })
        && written.intersects(Modifiers::UNIFORM | Modifiers::IN | Modifiers::OUT)
        && !modules::sees_glsl(declaration.db, item::file_of(declaration.db, declaration.item))
    {
        let message = "a block of GLSL needs `-allow-glsl` or `#version`; in Slang it is a `cbuffer`";
        declaration.report(codes::UNEXPECTED_TOKEN, Node::Name, message);
    }
}

/// E31201: modifiers that the kind of declaration does not take.
fn not_allowed(declaration: &Declaration<'_>) -> &'static [(Modifiers, &'static str)] {
    const FIELD: &[(Modifiers, &str)] = &[
        (Modifiers::REF, "ref"),
        (Modifiers::CONSTREF, "constref"),
        (Modifiers::IN, "in"),
        (Modifiers::OUT, "out"),
        (Modifiers::INOUT, "inout"),
        (Modifiers::GROUPSHARED, "groupshared"),
    ];
    const FUNCTION: &[(Modifiers, &str)] =
        &[(Modifiers::DYN, "dyn"), (Modifiers::UNIFORM, "uniform"), (Modifiers::GROUPSHARED, "groupshared")];
    const GLOBAL_FUNCTION: &[(Modifiers, &str)] = &[
        (Modifiers::DYN, "dyn"),
        (Modifiers::UNIFORM, "uniform"),
        (Modifiers::GROUPSHARED, "groupshared"),
        (Modifiers::OVERRIDE, "override"),
    ];
    const TYPE: &[(Modifiers, &str)] =
        &[(Modifiers::DYN, "dyn"), (Modifiers::CONST, "const"), (Modifiers::STATIC, "static")];
    const EXTENSION: &[(Modifiers, &str)] = &[(Modifiers::DYN, "dyn")];
    let in_struct = declaration.container().is_some_and(|(_, kind)| matches!(kind, ItemKind::Struct { .. }));
    match declaration.data.kind {
        ItemKind::Variable { .. } if in_struct => FIELD,
        ItemKind::Function(_) if declaration.is_global() => GLOBAL_FUNCTION,
        ItemKind::Function(_) => FUNCTION,
        ItemKind::Struct { .. } | ItemKind::Enum { .. } => TYPE,
        ItemKind::Extension { .. } => EXTENSION,
        _ => &[],
    }
}

/// E31201: modifiers that a local variable does not take.
pub(super) fn check_locals(body: &mut CheckedBody<'_>) {
    const LOCAL: &[(Modifiers, &str)] = &[
        (Modifiers::UNIFORM, "uniform"),
        (Modifiers::IN, "in"),
        (Modifiers::OUT, "out"),
        (Modifiers::INOUT, "inout"),
        (Modifiers::REF, "ref"),
        (Modifiers::CONSTREF, "constref"),
        (Modifiers::VOLATILE, "volatile"),
        (Modifiers::NOINTERPOLATION, "nointerpolation"),
        (Modifiers::NOPERSPECTIVE, "noperspective"),
        (Modifiers::CENTROID, "centroid"),
        (Modifiers::SAMPLE, "sample"),
    ];
    for (_, stmt) in body.body.store.stmts.iter() {
        let Stmt::Let { local, .. } = stmt else { continue };
        let written = body.body.store.locals[*local].modifiers;
        let mut refused: Vec<&str> = Vec::new();
        if written.contains(Modifiers::GROUPSHARED) && !written.contains(Modifiers::STATIC) {
            refused.push("groupshared");
        }
        refused.extend(LOCAL.iter().filter(|(modifier, _)| written.contains(*modifier)).map(|(_, spelling)| *spelling));
        for spelling in refused {
            let message = format!("modifier '{spelling}' is not allowed here");
            body.report(codes::MODIFIER_NOT_ALLOWED, Node::Local(*local), message);
        }
    }
}
