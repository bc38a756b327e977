//! Uses that do not name what they use: of operators, subscripts, call operators and constructors. They are found among the
//! calls of the bodies, by what inference made of them.

use base_db::{Db, SourceFile};
use hir_def::{
    body::{Expr, ExprId, ExprStore, queries},
    item::{self, ItemId, ItemKind},
    position, scope, source_map,
    source_map::NodeMap,
};
use hir_ty::infer::{
    self,
    result::{Callable, InferenceResult, Resolution},
};

use super::Reference;
use crate::{FileRange, mentions};

pub(super) fn is_nameless(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::Constructor { .. } | ItemKind::Subscript { .. } => true,
        ItemKind::Function(_) => data.name.as_ref().is_some_and(|name| !name.as_str().starts_with(is_of_word)),
        _ => false,
    }
}

fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The uses in the files that see the declarations.
pub(super) fn uses(db: &dyn Db, wanted: &[ItemId]) -> Vec<Reference> {
    let mut files = mentions::user_files(db);
    files.retain(|file| {
        let reached = mentions::reached(db, *file);
        wanted.iter().any(|item| reached.contains(&item::file_of(db, *item)))
    });
    mentions::find_in(db, &files, |db, file| uses_in(db, wanted, file))
}

pub(super) fn uses_in(db: &dyn Db, wanted: &[ItemId], file: SourceFile) -> Vec<Reference> {
    let mut uses = Vec::new();
    for &item in scope::all_file_items(db, file) {
        add_uses_of_item(db, wanted, item, &mut uses);
        let local = item::local_items(db, item);
        local.iter().for_each(|local| add_uses_of_item(db, wanted, *local, &mut uses));
    }
    uses
}

fn add_uses_of_item(db: &dyn Db, wanted: &[ItemId], item: ItemId, uses: &mut Vec<Reference>) {
    let body = queries::body(db, item);
    let map = source_map::body_source_map(db, item);
    add_uses(db, wanted, &body.store, map.nodes(), infer::infer(db, item), uses);
    if let Some(source) = source_map::item_source(db, item) {
        let data = item::item_data(db, item);
        add_uses(db, wanted, &data.store, source.nodes(), infer::infer_signature(db, item), uses);
    }
}

fn add_uses(
    db: &dyn Db,
    wanted: &[ItemId],
    store: &ExprStore,
    nodes: &NodeMap,
    inferred: &InferenceResult,
    uses: &mut Vec<Reference>,
) {
    for (id, expr) in store.exprs.iter() {
        let Some(place) = used_by(db, wanted, inferred.resolutions.get(&id), id, expr) else { continue };
        let (file, range) = position::absolute(db, nodes.expr_name(place));
        uses.push(Reference { at: FileRange { file, range }, is_declaration: false });
    }
}

/// The expression whose name is the use, if an expression uses what is wanted.
fn used_by(db: &dyn Db, wanted: &[ItemId], resolution: Option<&Resolution>, id: ExprId, expr: &Expr) -> Option<ExprId> {
    let used = match resolution? {
        Resolution::Call(call) => match &call.callee {
            Callable::Function(function) => function.item,
            _ => return None,
        },
        Resolution::Property { get, set, .. } => {
            let accessor = get.or(*set)?.item;
            item::container(db, accessor).unwrap_or(accessor)
        }
        _ => return None,
    };
    if !wanted.contains(&used) {
        return None;
    }
    match expr {
        // A constructor goes by the name of its type.
        Expr::Call { callee, .. } if matches!(item::item_data(db, used).kind, ItemKind::Constructor { .. }) => {
            Some(*callee)
        }
        _ => Some(id),
    }
}
