//! Constants with a default that the program replaces, where the default is taken before the program is put together.
//!
//! A module declares `extern static const int count = 4;`, the program `export static const int count = 8;`. Code that reads
//! the constant reads 8. Lengths of arrays, generic arguments, labels of cases and numbers of attributes are computed where
//! they are written, and there is only the 4. A program that has one of these is refused.
//!
//! So is one that has a constant there which has no value at all then: a specialisation constant, or `extern static const int
//! count;` without a default.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, CaseLabel, Expr, ExprId, ExprStore, Stmt},
    item::{self, ItemId, ItemKind},
    name::Name,
    type_ref::{GenericArgRef, Path, PathSegment, TypeRef},
};
use hir_ty::consts;

use crate::{
    error::{Cause, LowerError, Stop},
    front,
    program::Program,
};

/// Reports each replaced default that the program has taken already.
pub(crate) fn report(program: &mut Program<'_>) {
    let db = program.db;
    let constants: Vec<(ItemId, Name)> = front::program_files(db, program.root)
        .into_iter()
        .flat_map(|file| item::file_items(db, file))
        .filter_map(|constant| Some((*constant, replaced(db, program.root, *constant)?)))
        .collect();
    if constants.is_empty() {
        return;
    }
    let items = all_items(db, program.root);
    for (constant, name) in constants {
        if items.iter().any(|item| takes_early(db, *item, &name)) {
            let what =
                format!("`{name}`, which is exported with another value than its default, in types and attributes,");
            let place = program.spans.item(db, &mut program.module, constant);
            let span = program.module.spans.get(place.0 as usize).copied().unwrap_or_default();
            program.error(span, Stop::unsupported(what).cause);
        }
    }
}

/// Names the constants without a value that types and attributes need, in the place of what could not be lowered because the
/// types that they are in have no meaning.
pub(crate) fn name_unknown(program: &mut Program<'_>) {
    let is_broken = |error: &LowerError| matches!(error.cause, Cause::Broken(_));
    let Some(span) = program.errors.iter().find(|error| is_broken(error)).map(|error| error.span) else { return };
    let db = program.db;
    let items = all_items(db, program.root);
    let unknown: Vec<Name> = items
        .iter()
        .filter(|constant| has_no_value(db, **constant))
        .filter_map(|constant| item::item_data(db, *constant).name.clone())
        .filter(|name| items.iter().any(|item| takes_early(db, *item, name)))
        .collect();
    if unknown.is_empty() {
        return;
    }
    program.errors.retain(|error| !is_broken(error));
    for name in unknown {
        let what = format!("`{name}`, whose value is not known when the program is compiled, in a type or attribute");
        program.error(span, Stop::unsupported(what).cause);
    }
}

/// Whether a constant gets its value later: from the host, or from another module.
fn has_no_value(db: &dyn Db, constant: ItemId) -> bool {
    let data = item::item_data(db, constant);
    match data.kind {
        ItemKind::Variable { has_init, .. } => {
            front::specialization(db, constant).is_some()
                || (data.modifiers.contains(Modifiers::EXTERN | Modifiers::STATIC) && !has_init)
        }
        _ => false,
    }
}

/// The items of all files of the program, those inside of others included.
fn all_items(db: &dyn Db, root: ItemId) -> Vec<ItemId> {
    let mut items: Vec<ItemId> = Vec::new();
    for file in front::program_files(db, root) {
        items.extend(item::file_items(db, file).iter().copied());
    }
    let mut next = 0;
    while let Some(&outer) = items.get(next) {
        next += 1;
        items.extend(item::members(db, outer).iter().copied());
    }
    items
}

/// The name of a constant with a default that a module of the program exports with another value.
fn replaced(db: &dyn Db, root: ItemId, constant: ItemId) -> Option<Name> {
    let data = item::item_data(db, constant);
    let is_provided = data.modifiers.contains(Modifiers::EXTERN | Modifiers::STATIC);
    if !is_provided || !matches!(data.kind, ItemKind::Variable { has_init: true, .. }) {
        return None;
    }
    let name = data.name.clone()?;
    let exported = front::exported(db, root, name.as_str())?;
    (consts::constant_value(db, exported) != consts::constant_value(db, constant)).then_some(name)
}

/// Whether an item has the constant of this name where its value is computed early.
fn takes_early(db: &dyn Db, item: ItemId, name: &Name) -> bool {
    let data = item::item_data(db, item);
    if data.store.exprs.iter().any(|(_, expr)| is_name(expr, name)) || types_mention(&data.store, name) {
        return true;
    }
    let body = hir_def::body::queries::body(db, item);
    let store = &body.store;
    let is_constant = match data.kind {
        ItemKind::EnumCase { .. } => true,
        ItemKind::Variable { .. } => data.modifiers.contains(Modifiers::CONST),
        _ => false,
    };
    let root = match body.root {
        BodyRoot::Expr(root) if is_constant => Some(root),
        _ => None,
    };
    let attributes = store.attributes.iter().flat_map(|(_, attribute)| attribute.args.iter().copied());
    let labels = store.stmts.iter().flat_map(|(_, stmt)| labels(stmt));
    root.into_iter().chain(attributes).chain(labels).any(|expr| mentions(store, expr, name))
        || types_mention(store, name)
}

/// The values that the cases of a `switch` are for.
fn labels(stmt: &Stmt) -> Vec<ExprId> {
    let Stmt::Switch { cases, .. } = stmt else { return Vec::new() };
    let labels = cases.iter().flat_map(|case| &case.labels);
    labels
        .filter_map(|label| match label {
            CaseLabel::Value(value) => Some(*value),
            CaseLabel::Default => None,
        })
        .collect()
}

fn types_mention(store: &ExprStore, name: &Name) -> bool {
    store.type_refs.iter().any(|(_, ty)| match ty {
        TypeRef::Path(path) => path_mentions(store, path, name),
        TypeRef::Member { member, .. } => segment_mentions(store, member, name),
        TypeRef::Array { len: Some(len), .. } => mentions(store, *len, name),
        TypeRef::PackQuery { operands, .. } => arguments_mention(store, operands, name),
        TypeRef::Expr(expr) => mentions(store, *expr, name),
        _ => false,
    }) || store.exprs.iter().any(|(_, expr)| match expr {
        // Generic arguments of functions and types.
        Expr::Path(path) => {
            path.segments.iter().any(|segment| segment.args.is_some()) && path_mentions(store, path, name)
        }
        _ => false,
    })
}

fn path_mentions(store: &ExprStore, path: &Path, name: &Name) -> bool {
    path.segments.iter().any(|segment| segment_mentions(store, segment, name))
}

fn segment_mentions(store: &ExprStore, segment: &PathSegment, name: &Name) -> bool {
    segment.name == *name || arguments_mention(store, segment.args.as_deref().unwrap_or_default(), name)
}

/// Arguments that are types are in the list of types.
fn arguments_mention(store: &ExprStore, arguments: &[GenericArgRef], name: &Name) -> bool {
    arguments.iter().any(|argument| matches!(argument, GenericArgRef::Value(value) if mentions(store, *value, name)))
}

fn mentions(store: &ExprStore, expr: ExprId, name: &Name) -> bool {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let node = &store.exprs[expr];
        if is_name(node, name) {
            return true;
        }
        node.for_each_operand(|operand| pending.push(operand));
    }
    false
}

fn is_name(expr: &Expr, name: &Name) -> bool {
    match expr {
        Expr::Path(path) => path.segments.last().is_some_and(|last| last.name == *name),
        Expr::Member { name: member, .. } => member == name,
        _ => false,
    }
}
