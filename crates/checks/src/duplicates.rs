//! Names that are declared twice.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{self, Function, ItemId, ItemKind, Param},
    modules, scope,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Place, names},
    signature,
    ty::{ParamDirection, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    parameters(declaration);
    generic_parameters(declaration);
    if declares_a_name(&declaration.data.kind) && !is_partial(declaration.data.modifiers) {
        against_siblings(declaration);
    }
}

/// E30200: two parameters of one name.
fn parameters(declaration: &mut Declaration<'_>) {
    let params: &[Param] = match &declaration.data.kind {
        ItemKind::Function(Function { params, .. })
        | ItemKind::Constructor { params, .. }
        | ItemKind::Subscript { params, .. } => params,
        _ => return,
    };
    let item = declaration.item;
    for (index, param) in params.iter().enumerate() {
        let Some(name) = param.name.as_ref().filter(|name| !name.as_str().is_empty()) else { continue };
        if let Some(first) = params[..index].iter().position(|other| other.name.as_ref() == Some(name)) {
            let place = |index: usize| Place { item, node: Node::Param(index as u32) };
            declaration.found.push(names::conflicting_declaration(place(index), name, place(first)));
        }
    }
}

/// E30200: two generic parameters of one name.
fn generic_parameters(declaration: &mut Declaration<'_>) {
    let params = &declaration.data.generics.params;
    let item = declaration.item;
    for (index, param) in params.iter().enumerate() {
        if let Some(first) = params[..index].iter().position(|other| other.name == param.name) {
            let place = |index: usize| Place { item, node: Node::GenericParam(index as u32) };
            declaration.found.push(names::conflicting_declaration(place(index), &param.name, place(first)));
        }
    }
}

fn declares_a_name(kind: &ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Function(_)
            | ItemKind::Struct { .. }
            | ItemKind::Interface { .. }
            | ItemKind::Enum { .. }
            | ItemKind::EnumCase { .. }
            | ItemKind::TypeAlias { .. }
            | ItemKind::AssociatedType { .. }
            | ItemKind::Variable { .. }
            | ItemKind::Property { .. }
    )
}

/// Declarations that another module completes, or another target, may stand beside their default.
fn is_partial(modifiers: Modifiers) -> bool {
    modifiers.intersects(Modifiers::EXTERN | Modifiers::EXPORT | Modifiers::TARGET_SPECIFIC)
}

/// Compares with what is declared earlier in the same scope under the same name.
fn against_siblings(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let mut earlier_declarations = Vec::new();
    for other in earlier_siblings(declaration) {
        let data = item::item_data(db, other);
        if !declares_a_name(&data.kind) || is_partial(data.modifiers) {
            continue;
        }
        if let (ItemKind::Function(_), ItemKind::Function(earlier)) = (&declaration.data.kind, &data.kind) {
            if same_signature(declaration, other) {
                earlier_declarations.push((other, earlier.has_body));
            }
            continue;
        }
        let Some(name) = &declaration.data.name else { return };
        declaration.found.push(names::conflicting_declaration(Place::name(item), name, Place::name(other)));
        return;
    }
    if let ItemKind::Function(Function { has_body, .. }) = declaration.data.kind {
        redeclared(declaration, &earlier_declarations, has_body);
    }
}

/// E30201: a second body. E30202: a second declaration with another result. `earlier` are the declarations of the same
/// function, with whether they have a body.
fn redeclared(declaration: &mut Declaration<'_>, earlier: &[(ItemId, bool)], has_body: bool) {
    let (db, item) = (declaration.db, declaration.item);
    let name = declaration.name();
    let result = |item| signature::signature(db, item).ret;
    let place = Place::name(item);
    let with_body = earlier.iter().find(|(_, with_body)| has_body && *with_body);
    let differs = |other: ItemId| !result(other).is_error() && result(item) != result(other);
    let (diagnostic, first) = if let Some((first, _)) = with_body {
        (Diagnostic::new(codes::FUNCTION_REDEFINED, place, format!("function '{name}' already has a body")), *first)
    } else if let Some((first, _)) = earlier.first().filter(|(first, _)| !result(item).is_error() && differs(*first)) {
        let (now, before) = (declaration.show(result(item)), declaration.show(result(*first)));
        let message = format!("function '{name}' returns '{now}' here, but was declared to return '{before}'");
        (Diagnostic::new(codes::RESULT_REDECLARED, place, message), *first)
    } else {
        return;
    };
    declaration.found.push(diagnostic.note(format!("'{name}' is declared here first"), Some(Place::name(first))));
}

/// What stands before the item in its own scope under its name. Parts of a namespace share a scope if they are in one
/// module.
fn earlier_siblings(declaration: &Declaration<'_>) -> Vec<ItemId> {
    let (db, item) = (declaration.db, declaration.item);
    let Some(name) = declaration.data.name.as_ref().filter(|name| !name.as_str().is_empty()) else {
        return Vec::new();
    };
    let named: Vec<ItemId> = match declaration.container() {
        None => {
            let files = modules::module_view(db, item::file_of(db, item)).files.iter();
            let items = files.flat_map(|file| scope::file_names(db, *file).get(name)).copied();
            items.filter(|other| item::container(db, *other).is_none()).collect()
        }
        Some((container, ItemKind::Namespace)) => {
            let files = &modules::module_view(db, item::file_of(db, item)).files;
            let items = scope::lookup_in_namespace(db, container, item::file_of(db, item), name).into_iter();
            items
                .filter(|other| files.contains(&item::file_of(db, *other)) && in_same_namespace(db, item, *other))
                .collect()
        }
        Some((container, _)) => {
            let items = scope::member_names(db, container).get(name).iter().copied();
            items.filter(|other| item::container(db, *other) == Some(container)).collect()
        }
    };
    named.into_iter().take_while(|other| *other != item).collect()
}

/// Whether the namespaces around two items have the same names.
fn in_same_namespace(db: &dyn base_db::Db, a: ItemId, b: ItemId) -> bool {
    let around = |item: ItemId| {
        let containers = std::iter::successors(item::container(db, item), |inner| item::container(db, *inner));
        containers.map(|container| item::item_data(db, container).name.clone()).collect::<Vec<_>>()
    };
    around(a) == around(b)
}

/// Whether a call could not tell two functions apart: the same parameters, and as many generic ones with the same bounds.
fn same_signature(declaration: &Declaration<'_>, other: ItemId) -> bool {
    let (db, item) = (declaration.db, declaration.item);
    let (own, earlier) = (&declaration.data.generics, &item::item_data(db, other).generics);
    // The types of two generic functions speak of different parameters: compared only where there are none.
    if !own.params.is_empty() || !earlier.params.is_empty() {
        return false;
    }
    let prefix = Modifiers::PREFIX | Modifiers::POSTFIX;
    if declaration.data.modifiers & prefix != item::item_data(db, other).modifiers & prefix {
        return false;
    }
    let types = |item| -> Vec<(ParamDirection, Ty)> {
        signature::signature(db, item).params.iter().map(|param| (param.direction, param.ty)).collect()
    };
    let (own, earlier) = (types(item), types(other));
    own == earlier && !own.iter().any(|(_, ty)| ty.is_error())
}
