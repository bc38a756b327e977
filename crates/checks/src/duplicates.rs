//! Names that are declared twice.

use base_db::{Db, SourceFile};
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{self, Function, GenericParam, GenericParamKind, ItemId, ItemKind, Param},
    modules,
    name::Name,
    scope,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site, names},
    env::Env,
    generics, signature,
    substitute::{Substitution, substitute},
    ty::{BuiltinType, GenericArg, GenericArgs, ParamDirection, Ty, TypeParam},
};
use rustc_hash::FxHashMap;

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
            let place = |index: usize| Site { item, node: Node::Param(index as u32) };
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
            let place = |index: usize| Site { item, node: Node::GenericParam(index as u32) };
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
            | ItemKind::ConstantBuffer { .. }
    )
}

/// Declarations that another module completes, or another target, may stand beside their default.
fn is_partial(modifiers: Modifiers) -> bool {
    modifiers.intersects(Modifiers::EXTERN | Modifiers::EXPORT | Modifiers::TARGET_SPECIFIC)
}

/// Compares with what is declared earlier in the same scope under the same name.
fn against_siblings(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let Some(name) = declaration.data.name.as_ref().filter(|name| !name.as_str().is_empty()) else { return };
    let Some(siblings) = siblings(declaration, name) else { return };
    let index = conflicts(db, siblings);
    let Some(own) = index.positions.get(&item) else { return };
    let is_earlier = |other: &&(usize, ItemId)| other.0 < *own;
    let other = match declaration.data.kind {
        ItemKind::Function(_) => index.first_other.as_ref().filter(is_earlier),
        _ => index.first.as_ref().filter(is_earlier),
    };
    if let Some((_, other)) = other {
        declaration.found.push(names::conflicting_declaration(Site::name(item), name, Site::name(*other)));
        return;
    }
    let key = index.first.and_then(|(_, words)| call_key(db, item, words));
    if let (ItemKind::Function(Function { has_body, .. }), Some(key)) = (&declaration.data.kind, key) {
        let same = index.functions.get(&key).map_or(&[][..], |same| same);
        let is_earlier = |other: &&Declared| other.position < *own;
        let first = same.first().filter(is_earlier);
        let with_body = same.iter().find(|other| other.has_body).filter(is_earlier);
        redeclared(declaration, first.map(|other| other.item), with_body.filter(|_| *has_body).map(|other| other.item));
    }
}

/// E30201: a second body. E30202: a second declaration with another result.
fn redeclared(declaration: &mut Declaration<'_>, first: Option<ItemId>, first_body: Option<ItemId>) {
    let (db, item) = (declaration.db, declaration.item);
    let name = declaration.name();
    let result = |item| signature::signature(db, item).ret;
    let place = Site::name(item);
    // The results of generic functions speak of different parameters.
    let is_generic = !declaration.data.generics.params.is_empty();
    let differs = |other: ItemId| !is_generic && !result(other).is_error() && result(item) != result(other);
    let (diagnostic, first) = if let Some(first) = first_body {
        (Diagnostic::new(codes::FUNCTION_REDEFINED, place, format!("function '{name}' already has a body")), first)
    } else if let Some(first) = first.filter(|first| !result(item).is_error() && differs(*first)) {
        let (now, before) = (declaration.show(result(item)), declaration.show(result(first)));
        let message = format!("function '{name}' returns '{now}' here, but was declared to return '{before}'");
        (Diagnostic::new(codes::RESULT_REDECLARED, place, message), first)
    } else {
        return;
    };
    declaration.found.push(diagnostic.note(format!("'{name}' is declared here first"), Some(Site::name(first))));
}

/// What is declared under one name, in the order of declaration.
#[salsa::interned]
#[derive(Debug)]
struct Siblings<'db> {
    #[returns(deref)]
    items: Box<[ItemId]>,
    #[returns(copy)]
    scope: SiblingScope,
}

/// Which of the declarations that a name means are in one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SiblingScope {
    TopLevel,
    /// Parts of a namespace share a scope if they are in the module of this file.
    Namespace(SourceFile),
    Members(ItemId),
}

/// What else may be in the scope of the declaration under its name; `None` if nothing is.
fn siblings<'db>(declaration: &Declaration<'db>, name: &Name) -> Option<Siblings<'db>> {
    let (db, item) = (declaration.db, declaration.item);
    let (named, scope): (Box<[ItemId]>, SiblingScope) = match declaration.container() {
        // Each file of a module is a scope of its own, which hides what the others declare.
        None => (scope::file_names(db, item::file_of(db, item)).get(name).into(), SiblingScope::TopLevel),
        Some((container, ItemKind::Namespace)) => {
            let file = item::file_of(db, item);
            let named = scope::lookup_in_namespace(db, container, file, name).into();
            (named, SiblingScope::Namespace(modules::module_view(db, file).root))
        }
        Some((container, _)) => (scope::member_names(db, container).get(name).into(), SiblingScope::Members(container)),
    };
    (named.len() > 1).then(|| Siblings::new(db, named, scope))
}

/// The declarations of one name in one scope, filed under what they conflict by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Conflicts {
    positions: FxHashMap<ItemId, usize>,
    first: Option<(usize, ItemId)>,
    /// The first that is no function.
    first_other: Option<(usize, ItemId)>,
    functions: FxHashMap<CallKey, Vec<Declared>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Declared {
    position: usize,
    item: ItemId,
    has_body: bool,
}

#[salsa::tracked(returns(ref))]
fn conflicts<'db>(db: &'db dyn Db, siblings: Siblings<'db>) -> Conflicts {
    let scope = siblings.scope(db);
    let in_scope = |item: &&ItemId| match scope {
        SiblingScope::TopLevel => item::container(db, **item).is_none(),
        SiblingScope::Namespace(root) => modules::module_view(db, item::file_of(db, **item)).root == root,
        SiblingScope::Members(container) => item::container(db, **item) == Some(container),
    };
    let mut index = Conflicts::default();
    for (position, item) in siblings.items(db).iter().filter(in_scope).enumerate() {
        index.positions.insert(*item, position);
        let data = item::item_data(db, *item);
        if !declares_a_name(&data.kind) || is_partial(data.modifiers) {
            continue;
        }
        let (_, words) = *index.first.get_or_insert((position, *item));
        match data.kind {
            ItemKind::Function(Function { has_body, .. }) => {
                if let Some(key) = call_key(db, *item, words) {
                    index.functions.entry(key).or_default().push(Declared { position, item: *item, has_body });
                }
            }
            _ => _ = index.first_other.get_or_insert((position, *item)),
        }
    }
    index
}

/// What calls can tell functions of one name apart by, generic ones by how many parameters they have.
type CallKey = (Modifiers, usize, Vec<(ParamDirection, Ty)>);

/// `None` for a function of which it is not known, and for generic ones with constraints, which may tell them apart. Their
/// types speak of different parameters: they are compared as if all were those of `words`.
fn call_key(db: &dyn Db, item: ItemId, words: ItemId) -> Option<CallKey> {
    let data = item::item_data(db, item);
    let own = &data.generics;
    let is_plain =
        |param: &GenericParam| matches!(&param.kind, GenericParamKind::Type { bounds, .. } if bounds.is_empty());
    if !own.constraints.is_empty() || !own.params.iter().all(is_plain) {
        return None;
    }
    let params = signature::signature(db, item).params.iter();
    let types: Vec<(ParamDirection, Ty)> = if own.params.is_empty() {
        params.map(|param| (param.direction, param.ty)).collect()
    } else {
        let identity = generics::identity_args(db, item).args(db);
        let outer = identity.iter().take(identity.len() - own.params.len()).copied();
        let renamed = (0..own.params.len() as u32).map(|index| Ty::Param(TypeParam::new(db, words, index)));
        let args: Box<[GenericArg]> = outer.chain(renamed.map(GenericArg::Type)).collect();
        let (env, renamed) = (Env::of(db, item), Substitution::of_item(db, item, GenericArgs::new(db, args)));
        params.map(|param| (param.direction, substitute(db, env, param.ty, &renamed))).collect()
    };
    // What may be done through a pointer is no part of its type here, and tells functions apart.
    let is_pointer = |ty: Ty| matches!(ty, Ty::Builtin(BuiltinType::Ptr, _));
    let known = !types.iter().any(|(_, ty)| ty.is_error() || (!own.params.is_empty() && is_pointer(*ty)));
    known.then(|| (data.modifiers & (Modifiers::PREFIX | Modifiers::POSTFIX), own.params.len(), types))
}
