//! A finding as plain data.

use base_db::{Db, SourceFile};
use hir_def::{
    attribute::AttributeId,
    item::{self, GenericParamKind, ItemId, ItemKind},
    modules,
    position::Location,
    scope, source_map,
};
use hir_ty::{
    conformance,
    env::Env,
    generics,
    known::Known,
    signature::signature,
    substitute::mentions,
    ty::{Ty, TypeParam},
};
use syntax::TextRange;

/// Something that is wrong with a derivative. What is related to it is the chain of its causes: the way of the
/// derivative to the place and on from it, in order.
pub type Finding = diagnostics::Diagnostic<Location>;

/// One step of the chain of causes.
pub type Cause = diagnostics::Related<Location>;

/// A change of the program that answers the finding.
pub type Fix = diagnostics::Fix<Location>;

/// Text that goes in place of what is at a location.
pub type Edit = diagnostics::Edit<Location>;

pub(crate) fn insert_before(location: Location, text: impl Into<String>) -> Edit {
    let range = TextRange::empty(location.range.start());
    Edit { at: Location { range, ..location }, text: text.into() }
}

pub(crate) fn insert_after(location: Location, text: impl Into<String>) -> Edit {
    let range = TextRange::empty(location.range.end());
    Edit { at: Location { range, ..location }, text: text.into() }
}

/// Whether the file of `item` has a declaration that is not supported yet, which may be the derivative that is missing.
pub(crate) fn has_unsupported(db: &dyn Db, item: ItemId) -> bool {
    file_has_unsupported(db, item::file_of(db, item))
}

/// Once for a file, since each of its functions asks.
#[salsa::tracked(returns(copy))]
fn file_has_unsupported(db: &dyn Db, file: SourceFile) -> bool {
    let items = scope::all_file_items(db, file);
    items.iter().any(|item| matches!(item::item_data(db, *item).kind, ItemKind::Unsupported(_)))
}

/// Where the name of a declaration stands, or the whole of it if it has none.
pub(crate) fn name_location(db: &dyn Db, item: ItemId) -> Option<Location> {
    let source = source_map::item_source(db, item).as_ref()?;
    Some(source.name.unwrap_or(source.range))
}

/// Where an attribute of a declaration stands.
pub(crate) fn attribute_location(db: &dyn Db, item: ItemId, attribute: AttributeId) -> Option<Location> {
    Some(source_map::item_source(db, item).as_ref()?.attribute(attribute))
}

/// Where the name of a parameter stands.
pub(crate) fn param_location(db: &dyn Db, item: ItemId, index: usize) -> Option<Location> {
    let source = source_map::item_source(db, item).as_ref()?;
    source.params.get(index).copied().flatten().or(source.name)
}

/// The name of a declaration, for messages.
pub(crate) fn name_of(db: &dyn Db, item: ItemId) -> String {
    item::item_data(db, item).name.as_ref().map_or_else(|| "this".to_owned(), ToString::to_string)
}

/// Makes a function differentiable: `[Differentiable]`, and `IDifferentiable` for its type parameters, without which the
/// derivatives of their values would be zero. `None` where that is up to the type that the function belongs to.
pub(crate) fn mark_differentiable(db: &dyn Db, function: ItemId, name: &str) -> Option<Fix> {
    let source = source_map::item_source(db, function).as_ref()?;
    let env = Env::of(db, function);
    let params = &signature(db, function).params;
    let is_free = |param: &&TypeParam| {
        let ty = Ty::Param(**param);
        params.iter().any(|of| !of.no_diff && mentions(db, of.ty, **param))
            && !conformance::conforms_to_known(db, env, ty, Known::IDifferentiable)
    };
    let data = item::item_data(db, function);
    let mut edits = vec![insert_before(source.range, "[Differentiable] ")];
    let mut bounded = Vec::new();
    for param in generics::parameters(db, function).iter().filter(is_free) {
        let index = param.index(db) as usize;
        let declared = data.generics.params.get(index).filter(|_| param.owner(db) == function)?;
        match &declared.kind {
            GenericParamKind::Type { bounds, .. } | GenericParamKind::Pack { bounds } => {
                edits.push(match bounds.last() {
                    Some(bound) => insert_after(source.type_ref(*bound), " & IDifferentiable"),
                    None => insert_after(*source.generic_params.get(index)?, " : IDifferentiable"),
                })
            }
            GenericParamKind::Value { .. } | GenericParamKind::ValuePack { .. } => continue,
        }
        bounded.push(format!("`{} : IDifferentiable`", declared.name));
    }
    let with = if bounded.is_empty() { String::new() } else { format!(", with {}", bounded.join(" and ")) };
    Some(Fix::new(format!("Mark `{name}` as [Differentiable]{with}"), edits))
}

/// `[Attribute]` in front of a declaration that has a place of its own.
pub(crate) fn add_attribute(db: &dyn Db, item: ItemId, attribute: &str, title: String) -> Option<Fix> {
    let source = source_map::item_source(db, item).as_ref()?;
    Some(Fix::new(title, [insert_before(source.range, format!("[{attribute}] "))]))
}

/// Makes a struct of the program differentiable. `None` for others, and for generic ones, whose arguments decide as well.
pub(crate) fn make_struct_differentiable(db: &dyn Db, ty: Ty) -> Option<Fix> {
    let Ty::Adt(item, _) = ty else { return None };
    let data = item::item_data(db, item);
    let ItemKind::Struct { bases, .. } = &data.kind else { return None };
    let is_own = !modules::is_prelude(db, item::file_of(db, item));
    (is_own && data.generics.params.is_empty()).then_some(())?;
    let source = source_map::item_source(db, item).as_ref()?;
    let edit = match bases.last() {
        Some(base) => insert_after(source.type_ref(*base), ", IDifferentiable"),
        None => insert_after(source.name?, " : IDifferentiable"),
    };
    Some(Fix::new(format!("Make `{}` differentiable", name_of(db, item)), [edit]))
}

/// `static` in front of a function's result.
pub(crate) fn make_static(db: &dyn Db, function: ItemId) -> Option<Fix> {
    let ItemKind::Function(data) = &item::item_data(db, function).kind else { return None };
    let source = source_map::item_source(db, function).as_ref()?;
    let (result, name) = (source.type_ref(data.ret), source.name?);
    let stands_before = (result.segment, result.part) == (name.segment, name.part)
        && !result.range.is_empty()
        && result.range.end() <= name.range.start();
    let title = format!("Make `{}` static", name_of(db, function));
    stands_before.then(|| Fix::new(title, [insert_before(result, "static ")]))
}
