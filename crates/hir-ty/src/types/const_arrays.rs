//! Elements of constant arrays, where a constant is wanted.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, Expr, ExprId},
    item::{self, ItemId, ItemKind},
    type_ref::Path,
};

use crate::types::{
    consts,
    lower_ty::TypeLowering,
    resolve::{self, ConstantName},
    ty::Const,
};

/// The value of `base[index]`; `None` if that is not a constant integer.
pub(super) fn element(lowering: &mut TypeLowering<'_>, base: ExprId, index: ExprId) -> Option<Const> {
    let index = match consts::evaluate(lowering, index)? {
        Const::Value(index) => usize::try_from(index).ok()?,
        Const::Error => return Some(Const::Error),
        // Which element it is depends on parameters: that has no form in a type.
        Const::Param(_)
        | Const::Unsized
        | Const::Operation(_)
        | Const::Choice(_)
        | Const::Count(_)
        | Const::Size(_)
        | Const::Member(_)
        | Const::Expand(_)
        | Const::PackQuery(_) => return None,
    };
    let Expr::Path(path) = &lowering.store.exprs[base] else { return None };
    element_of_named(lowering, path, index)
}

/// The value of an element of the array that a path names.
pub(super) fn element_of_named(lowering: &mut TypeLowering<'_>, path: &Path, index: usize) -> Option<Const> {
    if let [segment] = path.segments.as_slice()
        && !path.global
        && let Some(local) = lowering.const_locals.iter().rev().find(|local| local.name == segment.name)
    {
        return local.elements.get(index).copied()?;
    }
    match resolve::path_as_value(lowering, path)? {
        ConstantName::Item(item) => elements(lowering.db, item).get(index).copied()?,
        ConstantName::Param(_) | ConstantName::Member(..) => None,
    }
}

/// The values of the elements of an array that is a constant of a file, a namespace or a type.
#[salsa::tracked(returns(deref), cycle_result = no_elements)]
fn elements(db: &dyn Db, array: ItemId) -> Box<[Option<Const>]> {
    let data = item::item_data(db, array);
    if !matches!(data.kind, ItemKind::Variable { has_init: true, .. }) || !data.modifiers.contains(Modifiers::CONST) {
        return Box::default();
    }
    let body = hir_def::body::queries::body(db, array);
    let BodyRoot::Expr(root) = body.root else { return Box::default() };
    written_elements(&mut TypeLowering::new(db, array, &body.store), root)
}

fn no_elements(_db: &dyn Db, _id: salsa::Id, _array: ItemId) -> Box<[Option<Const>]> {
    Box::default()
}

/// The values of `{ 1, 2 }` and `int[](1, 2)`; elements that are not written have none.
pub(crate) fn written_elements(lowering: &mut TypeLowering<'_>, init: ExprId) -> Box<[Option<Const>]> {
    let written: Vec<ExprId> = match &lowering.store.exprs[init] {
        Expr::InitList(written) => written.clone(),
        Expr::Call { callee, args } if matches!(lowering.store.exprs[*callee], Expr::Index { .. } | Expr::Type(_)) => {
            args.iter().map(|argument| argument.value).collect()
        }
        _ => return Box::default(),
    };
    written.into_iter().map(|element| consts::integer(lowering, element)).collect()
}
