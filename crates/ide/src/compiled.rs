//! One function compiled for a feature that shows what comes out: the bridge from a position to IR.

use base_db::{Db, SourceFile, line_column::ColumnUnit};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    scope::all_file_items,
};
use hir_ty::{
    differential::rules::derivative_rules,
    display, generics,
    signature::{FunctionRef, signature},
};
use lower::Root;
use rustc_hash::FxHashMap;

use crate::{
    FilePosition,
    diagnostics::{Severity, diagnostics},
    driver::{self, Problem, Program},
    namespaces, semantics,
};

/// The function around a position, or the one in the same file that is named, with its name. `None` if there is none of
/// the name (any more): an answer for another function would be taken for its.
pub(crate) fn function_at(db: &dyn Db, at: FilePosition, name: Option<&str>) -> Option<(ItemId, String)> {
    let names = FunctionNames::of(db, at.file);
    let function = match name {
        Some(name) => names.function(db, name)?,
        None => semantics::function_at(db, at)?,
    };
    item::item_data(db, function).name.as_ref()?;
    Some((function, names.name(db, function)))
}

/// The functions of a file by names that mean one each: with all that is around them, and with the types of their
/// parameters where that is not enough.
pub(crate) struct FunctionNames {
    functions: FxHashMap<String, Vec<ItemId>>,
}

impl FunctionNames {
    pub(crate) fn of(db: &dyn Db, file: SourceFile) -> FunctionNames {
        let mut functions: FxHashMap<String, Vec<ItemId>> = FxHashMap::default();
        for &item in all_file_items(db, file).iter() {
            let data = item::item_data(db, item);
            if matches!(data.kind, ItemKind::Function(_)) && data.name.is_some() {
                functions.entry(path(db, item)).or_default().push(item);
            }
        }
        FunctionNames { functions }
    }

    pub(crate) fn name(&self, db: &dyn Db, function: ItemId) -> String {
        let name = path(db, function);
        match self.functions.get(&name) {
            Some(overloads) if overloads.len() > 1 => with_parameters(db, &name, function),
            _ => name,
        }
    }

    /// The function of a name, with parameters or without; the one with a body stands for its forward declarations.
    fn function(&self, db: &dyn Db, name: &str) -> Option<ItemId> {
        let path = name.split_once('(').map_or(name, |(path, _)| path);
        let overloads = self.functions.get(path)?;
        let meant = overloads.iter().copied().filter(|item| path == name || with_parameters(db, path, *item) == name);
        let with_body = meant.clone().find(|item| item::item_data(db, *item).has_body());
        with_body.or_else(|| meant.into_iter().next())
    }
}

/// The name behind those of the type and the namespaces around it.
fn path(db: &dyn Db, function: ItemId) -> String {
    let mut path = display::qualified_name(db, function);
    for around in std::iter::successors(item::container(db, function), |item| item::container(db, *item)) {
        if namespaces::is_namespace(db, around) {
            path = format!("{}.{path}", display::item_name(db, around));
        }
    }
    path
}

fn with_parameters(db: &dyn Db, name: &str, function: ItemId) -> String {
    let params = signature(db, function).params.iter().map(|param| display::display(db, param.ty));
    format!("{name}({})", params.collect::<Vec<_>>().join(", "))
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
    driver::lower(db, &[root], &[]).map_err(|problems| problems.iter().map(|problem| in_words(db, problem)).collect())
}

/// What is wrong, and where. Of code with errors, the error that the user sees there.
fn in_words(db: &dyn Db, problem: &Problem) -> String {
    let Some(at) = problem.at else { return problem.message.clone() };
    let found = diagnostics(db, at.file).into_iter().find(|found| {
        found.severity == Severity::Error && found.at.file == at.file && found.at.range.intersect(at.range).is_some()
    });
    let range = found.as_ref().map_or(at.range, |found| found.at.range);
    let place = db.text(at.file).map(|text| text.line_column(range.start().into(), ColumnUnit::Utf16));
    let place = place.map(|place| format!(" at {}:{}", place.line + 1, place.column + 1)).unwrap_or_default();
    match found {
        Some(found) => format!("{}{place}: {}", found.code, found.message),
        None => format!("{}{place}", problem.message),
    }
}
