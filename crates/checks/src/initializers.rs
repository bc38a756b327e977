//! Which variables must, may and may not have an initialiser, and which initialisers must be constant.

use ::diagnostics::stack;
use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{Body, Expr, ExprId},
    item::{self, ItemId, ItemKind},
    modules,
};
use hir_ty::{
    consts,
    diagnostics::{Diagnostic, Node, Site},
    env::Env,
    infer::{self, result::Resolution},
    known, signature,
    ty::Ty,
};
use rustc_hash::FxHashSet;

use super::{CheckedBody, Declaration, layout};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    match &declaration.data.kind {
        ItemKind::Variable { has_init, is_let: false, .. } => variable(declaration, *has_init),
        ItemKind::ConstantBuffer { .. } => constant_buffer(declaration),
        ItemKind::Function(function) => defaults(declaration, &function.params),
        ItemKind::Constructor { params, .. } | ItemKind::Subscript { params, .. } => defaults(declaration, params),
        _ => {}
    }
}

fn variable(declaration: &mut Declaration<'_>, has_init: bool) {
    let modifiers = declaration.data.modifiers;
    let name = declaration.name();
    let (is_static, is_const) = (modifiers.contains(Modifiers::STATIC), modifiers.contains(Modifiers::CONST));
    let in_interface = declaration.container().is_some_and(|(_, kind)| matches!(kind, ItemKind::Interface { .. }));
    if in_interface {
        // E30623: the types that conform give the value.
        if has_init && is_static && is_const {
            let message = format!("'{name}' cannot have an initializer because it is an interface requirement");
            declaration.report(codes::INITIALIZER_NOT_ALLOWED, Node::Name, message);
        }
        return;
    }
    // E30623: nobody runs before the first thread of the group.
    if has_init && modifiers.contains(Modifiers::GROUPSHARED) {
        let message = format!("'{name}' cannot have an initializer because it is groupshared");
        declaration.report(codes::INITIALIZER_NOT_ALLOWED, Node::Name, message);
    }
    // E31223: what is known when modules are linked is a constant; what is not is a parameter of the program.
    if modifiers.intersects(Modifiers::EXTERN | Modifiers::EXPORT) && is_static != is_const {
        let message = format!("'{name}' is given when modules are linked, so it must be declared 'static const'");
        declaration.report(codes::LINKED_VARIABLE_NOT_CONSTANT, Node::Name, message);
    }
    // E31225: a constant without a value. Another module may give it one.
    if !has_init && is_static && is_const && !modifiers.contains(Modifiers::EXTERN) {
        declaration.report(
            codes::STATIC_CONST_WITHOUT_VALUE,
            Node::Name,
            format!("static const variable '{name}' must have an initializer"),
        );
    }
    // E30076: the host binds resources to parameters of the program, not to variables of it.
    if declaration.is_global() && is_static && !is_const && holds_resource(declaration) {
        let message = format!("the static variable '{name}' cannot hold a resource");
        declaration.report(codes::GLOBAL_OF_RESOURCE_TYPE, Node::Name, message);
    }
    // E31224: a global that is not static is a parameter of the program, so its value comes from outside.
    // GLSL has no such parameters: a constant is one there.
    let parameter = declaration.is_global() && !is_static && !modifiers.contains(Modifiers::GROUPSHARED);
    if has_init
        && parameter
        && modifiers.intersects(Modifiers::CONST | Modifiers::UNIFORM)
        && !is_specialized(declaration)
        && !(is_const && modules::sees_glsl(declaration.db, item::file_of(declaration.db, declaration.item)))
    {
        let message = format!("global const variable '{name}' with an initializer must be declared 'static'");
        declaration.report(codes::GLOBAL_CONST_NOT_STATIC, Node::Name, message);
    }
}

/// E30076, E31225: a buffer that is bound is no variable, and no constant without a value.
fn constant_buffer(declaration: &mut Declaration<'_>) {
    let modifiers = declaration.data.modifiers;
    if !modifiers.contains(Modifiers::STATIC) {
        return;
    }
    let name = declaration.name();
    let (code, message) = match modifiers.contains(Modifiers::CONST) {
        true => {
            let message = format!("static const variable '{name}' must have an initializer");
            (codes::STATIC_CONST_WITHOUT_VALUE, message)
        }
        false => (codes::GLOBAL_OF_RESOURCE_TYPE, format!("the static variable '{name}' cannot hold a resource")),
    };
    declaration.report(code, Node::Name, message);
}

fn holds_resource(declaration: &Declaration<'_>) -> bool {
    let ItemKind::Variable { ty, .. } = declaration.data.kind else { return false };
    layout::holds_resource(declaration.db, Env::of(declaration.db, declaration.item), declaration.lower(ty))
}

/// Specialisation constants have a default that the application may override.
fn is_specialized(declaration: &Declaration<'_>) -> bool {
    consts::specialization(declaration.data).is_some()
}

/// E30700: who calls gives a variable. E30704: a parameter without a default after one that has one can never be left out.
fn defaults(declaration: &mut Declaration<'_>, params: &[item::Param]) {
    for (index, param) in params.iter().enumerate() {
        if param.default.is_some() && param.modifiers.intersects(Modifiers::OUT | Modifiers::INOUT) {
            let message = "an 'out' or 'inout' parameter has no default: the caller gives a variable";
            declaration.report(codes::OUTPUT_WITH_DEFAULT, Node::Param(index as u32), message);
        }
    }
    let Some(first) = params.iter().position(|param| param.default.is_some()) else { return };
    let missing = (first + 1..params.len()).find(|index| params[*index].default.is_none());
    if let Some(index) = missing {
        let name = params[index].name.as_ref().map_or("", |name| name.as_str());
        let message = format!("parameter '{name}' does not have a default value, but follows a parameter that does");
        declaration.report(codes::DEFAULT_MISSING, Node::Param(index as u32), message);
    }
}

/// E31226: the initialiser of a `static const` global names something that is not a constant.
pub(super) fn check_constant(body: &mut CheckedBody<'_>) {
    let db = body.db;
    let data = item::item_data(db, body.item);
    let constant = Modifiers::STATIC | Modifiers::CONST;
    let global = item::container(db, body.item)
        .is_none_or(|container| matches!(item::item_data(db, container).kind, ItemKind::Namespace));
    if !matches!(data.kind, ItemKind::Variable { .. }) || !data.modifiers.contains(constant) || !global {
        return;
    }
    // What a method is called on is no argument: `buffer.Load(0)` counts as its index does.
    let receivers: Vec<ExprId> =
        body.body.store.exprs.iter().filter_map(|(_, expr)| receiver(body.body, expr)).collect();
    let mut named = body.inferred.resolutions.iter().filter_map(|(expr, resolution)| match resolution {
        // A specialization constant is one by the time that code is made of it.
        Resolution::Global { item, owner: None }
            if varies(db, *item) && !consts::is_specialization(db, *item) && !receivers.contains(&expr) =>
        {
            Some((expr, *item))
        }
        _ => None,
    });
    let name = data.name.as_ref().map_or("", |name| name.as_str());
    let message = format!("initializer of static const global '{name}' is not a compile-time constant");
    // What the program computes itself is computed when it runs.
    let mut called = body.inferred.resolutions.iter().filter_map(|(_, resolution)| match resolution {
        Resolution::Call(call) => super::called_item(&call.callee).filter(|item| {
            matches!(item::item_data(db, *item).kind, ItemKind::Function(_)) && !known::is_in_prelude(db, *item)
        }),
        _ => None,
    });
    if let Some(culprit) = called.next() {
        let note = "functions of the program are called when it runs";
        let diagnostic = Diagnostic::new(codes::STATIC_CONST_NOT_CONSTANT, Site::name(body.item), message);
        body.found.push(diagnostic.note(note, Some(Site::name(culprit))));
    } else if let Some((_, culprit)) = named.next() {
        let note = "this is not known at compile time";
        let diagnostic = Diagnostic::new(codes::STATIC_CONST_NOT_CONSTANT, Site::name(body.item), message);
        body.found.push(diagnostic.note(note, Some(Site::name(culprit))));
    }
}

/// What stands in front of the method that an expression calls.
fn receiver(body: &Body, expr: &Expr) -> Option<ExprId> {
    let Expr::Call { callee, .. } = expr else { return None };
    match &body.store.exprs[*callee] {
        Expr::Member { base, .. } => Some(*base),
        _ => None,
    }
}

/// E39999: an integer constant whose value depends on itself, directly, through others, or through ever other arguments of
/// the generic type that it belongs to.
pub(super) fn check_cycle(body: &mut CheckedBody<'_>) {
    let (db, start) = (body.db, body.item);
    if !is_integer_constant(db, start) || !leads_to_a_circle(db, start) {
        return;
    }
    let mut seen = FxHashSet::default();
    let mut waiting = constants_named(db, start).to_vec();
    while let Some(constant) = waiting.pop() {
        if constant == start {
            let name = item::item_data(db, start).name.as_ref().map_or("", |name| name.as_str());
            let message = format!("the value of '{name}' depends on '{name}' itself, without an end");
            body.report(codes::CANNOT_RESOLVE, Node::Name, message);
            return;
        }
        if seen.insert(constant) {
            waiting.extend(constants_named(db, constant));
        }
    }
}

fn is_integer_constant(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    matches!(data.kind, ItemKind::Variable { has_init: true, .. })
        && data.modifiers.contains(Modifiers::STATIC | Modifiers::CONST)
        && matches!(signature::variable_type(db, item), Ty::Scalar(scalar) if !scalar.is_float())
}

/// Whether the value of a constant is made from constants that are made of each other. Each constant is looked at once,
/// however long the chains are.
#[salsa::tracked(returns(copy), cycle_result = circle)]
fn leads_to_a_circle(db: &dyn Db, constant: ItemId) -> bool {
    let mut named = constants_named(db, constant).iter();
    stack::deep(|| named.any(|constant| leads_to_a_circle(db, *constant)))
}

fn circle(_db: &dyn Db, _id: salsa::Id, _constant: ItemId) -> bool {
    true
}

/// The integer constants that the value of one names.
#[salsa::tracked(returns(deref))]
fn constants_named(db: &dyn Db, item: ItemId) -> Box<[ItemId]> {
    let named = infer::infer(db, item).resolutions.iter().filter_map(|(_, resolution)| super::used_item(resolution));
    let mut named: Vec<ItemId> = named.filter(|item| is_integer_constant(db, *item)).collect();
    named.dedup();
    named.into_boxed_slice()
}

/// Whether a global has no value at compile time.
pub(super) fn varies(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    matches!(data.kind, ItemKind::Variable { is_let: false, .. })
        && !data.modifiers.contains(Modifiers::STATIC | Modifiers::CONST)
        && !data.modifiers.intersects(Modifiers::EXTERN | Modifiers::EXPORT)
}
