//! One function compiled for a feature that shows what comes out: the bridge from a position to IR.

use base_db::{Db, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    scope::all_file_items,
};
use hir_ty::{differential::rules::derivative_rules, generics, signature::FunctionRef};
use lower::Root;

use crate::{
    FilePosition,
    driver::{self, Program},
    semantics,
};

/// The function around a position, or the one in the same file that is named, with its name.
pub(crate) fn function_at(db: &dyn Db, at: FilePosition, name: Option<&str>) -> Option<(ItemId, String)> {
    let function =
        name.and_then(|name| function_named(db, at.file, name)).or_else(|| semantics::function_at(db, at))?;
    Some((function, item::item_data(db, function).name.as_ref()?.to_string()))
}

fn function_named(db: &dyn Db, file: SourceFile, name: &str) -> Option<ItemId> {
    all_file_items(db, file).iter().copied().find(|&item| {
        let data = item::item_data(db, item);
        matches!(data.kind, ItemKind::Function(_)) && data.name.as_ref().is_some_and(|found| found.as_str() == name)
    })
}

/// Compiles a function that must allow one of `wanted`; with `operators`, what these make of it. The problems are for people.
pub(crate) fn compile(
    db: &dyn Db,
    function: ItemId,
    wanted: &[DerivativeOperator],
    operators: &[DerivativeOperator],
) -> Result<Program, Vec<String>> {
    let rules = derivative_rules(db, function);
    if !wanted.iter().any(|operator| rules.allows(*operator)) {
        return Err(vec!["the function is not differentiable: mark it [Differentiable]".to_owned()]);
    }
    if !item::item_data(db, function).generics.params.is_empty() {
        return Err(vec!["the function is generic: take a function that calls it with types".to_owned()]);
    }
    let self_ty = generics::enclosing_aggregate(db, function).and_then(|around| generics::self_type(db, around));
    let reference = FunctionRef { item: function, args: generics::identity_args(db, function), self_ty };
    compile_root(db, Root::Function { function: reference, operators: operators.to_vec() })
}

/// Compiles a function with the generic arguments that it is given. The problems are for people.
pub(crate) fn compile_root(db: &dyn Db, root: Root) -> Result<Program, Vec<String>> {
    driver::lower(db, &[root], &[]).map_err(|problems| problems.into_iter().map(|problem| problem.message).collect())
}
