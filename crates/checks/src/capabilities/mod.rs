//! What code needs of the target, the stage and the machine that it runs on: what `[require(…)]` declares, against what
//! is used.
//!
//! A requirement ([`set`]) is a list of alternatives: targets and stages, with the features that are asked for there. That of
//! a function follows from what it says and from what it uses ([`usage`]), as a query: an edit recomputes what uses the
//! function only if the requirement changed. Nothing is computed in a file without `[require(…)]`, but for what entry points
//! call.
//!
//! Deliberately absent: what most functions of the core library need (those that only some stages have are in
//! [`stage_operations`]), and whether an entry point can be compiled for a target that nobody has chosen yet.

mod interfaces;
mod names;
mod set;
mod stage_operations;
mod usage;

use ::diagnostics::stack;
use base_db::{Db, Segment, SourceFile, chunks};
use diagnostics::{Code, codes};
use hir_def::{
    attribute::{Attribute, AttributeKind},
    body::{Expr, Stmt},
    item::{self, Item, ItemId, ItemKind},
    modules::module_view,
    visibility::{Visibility, visibility},
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    display::item_name,
    known, signature,
    ty::Ty,
};

use self::{
    set::{Lack, Missing, Requirement},
    usage::Usage,
};
use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    for (id, attribute) in declaration.data.attributes() {
        if attribute.kind == Some(AttributeKind::Require) {
            written(declaration, attribute, Node::Attribute(id));
        }
    }
    if uses_requirements(declaration.db, item::file_of(declaration.db, declaration.item)) {
        interfaces::check(declaration);
    }
}

/// E36105, E36106: names that mean nothing. E36111: nothing is compiled for two targets at once.
fn written(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let mut all = Requirement::NOTHING;
    for arg in &attribute.args {
        let expr = &declaration.data.store.exprs[*arg];
        let name = match expr {
            Expr::Path(path) if path.segments.len() == 1 => &path.segments[0].name,
            Expr::Missing => continue,
            _ => {
                let message = "'require' takes names of capabilities, without quotes";
                declaration.report(codes::EXPECTED_CAPABILITY, Node::SignatureExpr(*arg), message);
                continue;
            }
        };
        match names::meaning(name.as_str()) {
            Some(meaning) => {
                let before = all.clone();
                all = all.join(&meaning.requirement);
                if all.is_impossible() && !before.is_impossible() {
                    let message = match (&before.targets()[..], &meaning.requirement.targets()[..]) {
                        ([first], [second]) => format!(
                            "'require' names two targets, {} and {}: no code is for both",
                            names::show(&Missing::Target(*first)),
                            names::show(&Missing::Target(*second))
                        ),
                        _ => {
                            format!("'require' names what excludes each other: '{name}' is not to be had with the rest")
                        }
                    };
                    declaration.report(codes::CONFLICTING_TARGETS, node, message);
                }
            }
            None => {
                let message = format!("unknown capability '{name}'");
                declaration.report(codes::UNKNOWN_CAPABILITY, Node::SignatureExpr(*arg), message);
            }
        }
    }
}

/// What a body needs and is not declared, and what of it excludes each other.
pub(super) fn check_body(body: &mut CheckedBody<'_>) {
    let has_switch = || body.body.store.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::TargetSwitch { .. }));
    let names_capabilities = |stmt: &Stmt| matches!(stmt, Stmt::RequireCapability(_));
    let unknown = body.body.store.stmts.iter().filter(|(_, stmt)| names_capabilities(stmt)).flat_map(|(id, stmt)| {
        let Stmt::RequireCapability(names) = stmt else { return Vec::new() };
        names.iter().filter(|name| names::meaning(name.as_str()).is_none()).map(|name| (id, name.clone())).collect()
    });
    for (stmt, name) in unknown.collect::<Vec<_>>() {
        body.report(codes::UNKNOWN_CAPABILITY, Node::Stmt(stmt), format!("unknown capability '{name}'"));
    }
    entry_point(body);
    if !has_switch() && !uses_requirements(body.db, item::file_of(body.db, body.item)) {
        return;
    }
    let usage = Usage::of(body.db, body.item, body.body, body.inferred);
    body.found.extend(
        usage.conflicts.iter().map(|(code, node, message)| {
            Diagnostic::new(*code, Site { item: body.item, node: *node }, message.clone())
        }),
    );
    let declared = declared(body.db, body.item);
    if visibility(body.db, body.item) != Visibility::Public {
        return;
    }
    let Some(lack) = declared.lacks(&usage.requirement, false) else { return };
    let (Lack::Narrower(missing) | Lack::More(missing)) = lack;
    let diagnostic = undeclared(body.db, body.item, &missing, codes::UNDECLARED_CAPABILITY, "does not declare");
    let user = usage.uses.iter().find(|used| used.requirement.asks_for(&missing));
    body.found.push(match user {
        Some(used) => {
            let message = match used.item {
                Some(item) => format!("because it uses '{}' here", item_name(body.db, item)),
                None => "because of this".to_string(),
            };
            diagnostic.note(message, Some(Site { item: body.item, node: used.node }))
        }
        None => diagnostic,
    });
}

/// E36107: an entry point, or what it calls, uses what its stage does not have.
fn entry_point(body: &mut CheckedBody<'_>) {
    let data = item::item_data(body.db, body.item);
    let Some(name) = data.attribute(AttributeKind::Shader).and_then(|attribute| attribute.string(&data.store, 0))
    else {
        return;
    };
    let Some(stage) = names::meaning(name).and_then(|meaning| meaning.stage).map(names::stage) else { return };
    // What is declared with `[require(…)]` is compared with what it uses below.
    if !declared(body.db, body.item).is_nothing() {
        return;
    }
    let usage = Usage::of(body.db, body.item, body.body, body.inferred);
    let excludes = |used: &&usage::Use| {
        !used.requirement.is_impossible() && names::stages_alone(&used.requirement).join(&stage).is_impossible()
    };
    let Some(used) = usage.uses.iter().filter(|used| !used.requirement.is_nothing()).find(excludes) else { return };
    let why = match used.item {
        Some(item) => format!("'{}' is used here", item_name(body.db, item)),
        None => "by this".to_owned(),
    };
    let message = format!("the entry point uses what the '{name}' stage does not have");
    body.found.push(
        Diagnostic::new(codes::MISSING_IN_ENTRY_POINT, Site::name(body.item), message)
            .note(why, Some(Site { item: body.item, node: used.node })),
    );
}

/// E36108, E36117, or `code` for features that nobody promised.
fn undeclared(db: &dyn Db, item: ItemId, missing: &Missing, code: Code, fails: &str) -> Diagnostic {
    let (name, what) = (item_name(db, item), names::show(missing));
    match missing {
        Missing::Target(_) => Diagnostic::new(
            codes::MISSING_ON_TARGET,
            Site::name(item),
            format!("'{name}' is declared for the target {what}, for which what it uses does not exist"),
        ),
        Missing::Stage(_) => Diagnostic::new(
            codes::MISSING_ON_STAGE,
            Site::name(item),
            format!("'{name}' is declared for the stage {what}, for which what it uses does not exist"),
        ),
        Missing::Features(_) => {
            Diagnostic::new(code, Site::name(item), format!("'{name}' uses {what}, which it {fails}"))
        }
    }
}

/// What the attributes of a declaration and of those around it say.
fn declared(db: &dyn Db, item: ItemId) -> Requirement {
    let data = item::item_data(db, item);
    let own = own_requirement(data);
    let around = item::container(db, item).map_or(Requirement::NOTHING, |container| declared(db, container));
    let all = own.refine(&around);
    let stage = data.attribute(AttributeKind::Shader).and_then(|attribute| attribute.string(&data.store, 0));
    match stage.and_then(names::meaning).and_then(|meaning| meaning.stage) {
        Some(stage) if !all.is_nothing() => all.join(&names::stage(stage)),
        _ => all,
    }
}

fn own_requirement(data: &Item) -> Requirement {
    let attributes = data.attributes().filter(|(_, attribute)| attribute.kind == Some(AttributeKind::Require));
    attributes.fold(Requirement::NOTHING, |all, (_, attribute)| all.either(&named(data, attribute)))
}

fn named(data: &Item, attribute: &Attribute) -> Requirement {
    attribute.args.iter().fold(Requirement::NOTHING, |all, arg| match &data.store.exprs[*arg] {
        Expr::Path(path) if path.segments.len() == 1 => match names::meaning(path.segments[0].name.as_str()) {
            Some(meaning) => all.join(&meaning.requirement),
            None => all,
        },
        _ => all,
    })
}

/// What a `case` of `__target_switch` may name.
pub fn target_names() -> impl Iterator<Item = &'static str> {
    names::targets()
}

/// What `[require(…)]` may name.
pub fn capability_names() -> impl Iterator<Item = &'static str> {
    names::all()
}

/// What a capability is and what it is made of; `None` for a name that nobody knows.
pub fn capability_description(name: &str) -> Option<String> {
    names::description(name)
}

/// What a `case` of `__stage_switch` and `[shader("…")]` may name.
pub fn stage_names() -> impl Iterator<Item = &'static str> {
    names::stages()
}

/// How many stages a name stands for; `None` for one that nobody knows.
pub(super) fn stages(name: &str) -> Option<u32> {
    let meaning = names::meaning(name)?;
    Some(meaning.requirement.alternatives().iter().fold(0, |stages, one| stages | one.stages.0).count_ones())
}

/// What has to be there where a declaration is used.
#[salsa::tracked(returns(ref), cycle_initial = nothing, cycle_fn = settle)]
fn required(db: &dyn Db, item: ItemId) -> Requirement {
    if known::is_in_prelude(db, item) {
        return stage_operations::required(db, item);
    }
    match &item::item_data(db, item).kind {
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. } => {
            let declared = declared(db, item);
            if !declared.is_nothing() && visibility(db, item) == Visibility::Public {
                return declared;
            }
            let body = hir_def::body::queries::body(db, item);
            let used = match body.root {
                hir_def::body::BodyRoot::None => Requirement::NOTHING,
                _ => stack::deep(|| Usage::of(db, item, body, hir_ty::infer::infer(db, item)).requirement),
            };
            used.join(&declared)
        }
        ItemKind::Struct { .. }
        | ItemKind::Interface { .. }
        | ItemKind::Enum { .. }
        | ItemKind::Extension { .. }
        | ItemKind::Property { .. }
        | ItemKind::Subscript { .. } => declared(db, item),
        ItemKind::Variable { .. } => match signature::variable_type(db, item) {
            Ty::Adt(adt, _) => required(db, adt).clone(),
            _ => Requirement::NOTHING,
        },
        _ => Requirement::NOTHING,
    }
}

fn nothing(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Requirement {
    Requirement::NOTHING
}

/// Functions that call each other need what all of them need; rounds that lead nowhere need nothing.
fn settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Requirement,
    value: Requirement,
    _item: ItemId,
) -> Requirement {
    if cycle.iteration() > MAX_ROUNDS { last.clone() } else { value }
}

const MAX_ROUNDS: u32 = 12;

/// Whether any declaration of the module that `file` belongs to has `[require(…)]`.
fn uses_requirements(db: &dyn Db, file: SourceFile) -> bool {
    module_view(db, file).files.iter().any(|file| file_uses_requirements(db, *file))
}

#[salsa::tracked(returns(copy))]
fn file_uses_requirements(db: &dyn Db, file: SourceFile) -> bool {
    (0..chunks::chunks(db, file)).any(|chunk| chunk_uses_requirements(db, file, chunk))
}

#[salsa::tracked(returns(copy))]
fn chunk_uses_requirements(db: &dyn Db, file: SourceFile, chunk: u32) -> bool {
    chunks::with_members(db, file, chunk).into_iter().any(|segment| uses_requirements_itself(db, segment))
}

fn uses_requirements_itself(db: &dyn Db, segment: Segment) -> bool {
    let items = item::segment_items(db, segment);
    items.iter().any(|item| item::item_data(db, *item).has_attribute(AttributeKind::Require))
}
