//! Types that have no place in memory where they stand: arrays of blocks, variables without a size, optional resources.

use ::diagnostics::{Code, codes};
use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    item::{self, Function, ItemId, ItemKind, Param},
    name::Name,
};
use hir_ty::{
    aggregate,
    diagnostics::{Diagnostic, Node, Site},
    display::display,
    env::Env,
    members,
    ty::{BuiltinClass, BuiltinType, Const, GenericArg, ResourceClass, Ty},
};

use super::{CheckedBody, Declaration};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, env, data) = (declaration.db, Env::of(declaration.db, declaration.item), declaration.data);
    let mut check = |ty, node| {
        if let Some((code, message)) = misfit(db, env, declaration.lower(ty)) {
            declaration.report(code, node, message);
        }
    };
    match &data.kind {
        ItemKind::Variable { ty, .. } => check(*ty, Node::Name),
        ItemKind::Function(Function { params, ret, .. }) => {
            params_of(params).for_each(|(index, ty)| check(ty, Node::Param(index)));
            check(*ret, Node::Name);
        }
        ItemKind::Constructor { params, .. } => params_of(params).for_each(|(index, ty)| check(ty, Node::Param(index))),
        _ => {}
    }
    unsized_global(declaration);
    unsized_members(declaration);
    unsized_parameters(declaration);
    unsized_blocks(declaration);
}

/// E30072: a struct that ends in an array without length cannot be handed over, as a parameter of what is written or of the
/// constructor that a struct has by itself.
fn unsized_parameters(declaration: &mut Declaration<'_>) {
    let (db, env, data) = (declaration.db, Env::of(declaration.db, declaration.item), declaration.data);
    let is_handed_over = |ty: Ty| matches!(ty, Ty::Adt(..)) && is_unsized(db, env, ty);
    let message = "a type without a size cannot be the type of a parameter";
    let params = match &data.kind {
        ItemKind::Function(Function { params, .. })
        | ItemKind::Constructor { params, .. }
        | ItemKind::Subscript { params, .. } => params.as_slice(),
        ItemKind::Variable { ty, .. } if !data.modifiers.contains(Modifiers::STATIC) => {
            let is_field = item::container(db, declaration.item).is_some_and(|around| {
                matches!(item::item_data(db, around).kind, ItemKind::Struct { .. })
                    && members::declared(db, around, &Name::new("__init")).is_empty()
            });
            if is_field && is_handed_over(declaration.lower(*ty)) {
                declaration.report(codes::UNSIZED_PARAMETER, Node::Name, message);
            }
            return;
        }
        _ => return,
    };
    for (index, ty) in params_of(params) {
        if is_handed_over(declaration.lower(ty)) {
            declaration.report(codes::UNSIZED_PARAMETER, Node::Param(index), message);
        }
    }
}

/// E31215: a constant buffer is as long as its type says.
fn unsized_blocks(declaration: &mut Declaration<'_>) {
    let (db, item, data) = (declaration.db, declaration.item, declaration.data);
    let ItemKind::Variable { ty, .. } = data.kind else { return };
    let ty = declaration.lower(ty);
    let env = Env::of(db, item);
    let content = match ty {
        Ty::Builtin(BuiltinType::ConstantBuffer | BuiltinType::ParameterBlock, _) => ty.first_type_arg(db),
        _ => is_last_of_constant_buffer(db, item).then_some(ty),
    };
    // Only what comes last may have no size, at each level.
    let (mut last, mut field) = (content, None);
    for _ in 0..MAX_PARTS {
        let Some(ty) = last else { return };
        if let Some((element, Const::Unsized)) = ty.as_array(db) {
            if holds_resource(db, env, element) {
                return;
            }
            // Where it is written, if one looks at that file.
            let file = item::file_of(db, item);
            let site = Site::name(field.filter(|field| item::file_of(db, *field) == file).unwrap_or(item));
            let message = "a constant buffer cannot hold an array without length";
            let found = Diagnostic::new(codes::UNSIZED_IN_CONSTANT_BUFFER, site, message);
            declaration.found.push(found.note("it is in this constant buffer", Some(Site::name(item))));
            return;
        }
        let next = aggregate::fields(db, env, ty).last();
        (last, field) = (next.map(|(_, ty)| *ty), next.map(|(field, _)| *field));
    }
}

/// Whether a variable ends the text of a `cbuffer`.
fn is_last_of_constant_buffer(db: &dyn Db, variable: ItemId) -> bool {
    item::container(db, variable).is_some_and(|around| {
        let data = item::item_data(db, around);
        matches!(data.kind, ItemKind::ConstantBuffer { is_texture_buffer: false, .. })
            && !data.modifiers.contains(Modifiers::STORAGE_BLOCK)
            && item::members(db, around).last() == Some(&variable)
    })
}

/// Whether a type holds structured buffers of itself, at whatever depth.
fn holds_buffer_of_itself(db: &dyn Db, env: Env, element: Ty) -> bool {
    let buffer_of = |ty: Ty| match ty {
        Ty::Builtin(kind, _) if kind.class() == BuiltinClass::Resource(ResourceClass::StructuredBuffer) => {
            ty.first_type_arg(db)
        }
        _ => None,
    };
    let mut seen = Vec::new();
    let mut pending = vec![element];
    while let Some(ty) = pending.pop() {
        if seen.contains(&ty) || seen.len() > MAX_PARTS {
            continue;
        }
        seen.push(ty);
        let content = buffer_of(ty);
        if content == Some(element) {
            return true;
        }
        pending.extend(content.map_or_else(|| parts(db, env, ty), |content| vec![content]));
    }
    false
}

/// E30070: nobody knows where a member after one without a size begins.
fn unsized_members(declaration: &mut Declaration<'_>) {
    if !matches!(declaration.data.kind, ItemKind::Struct { .. } | ItemKind::ConstantBuffer { .. }) {
        return;
    }
    let (db, env) = (declaration.db, Env::of(declaration.db, declaration.item));
    let is_member = |member: &&ItemId| {
        let data = item::item_data(db, **member);
        matches!(data.kind, ItemKind::Variable { .. }) && !data.modifiers.contains(Modifiers::STATIC)
    };
    let members: Vec<ItemId> = item::members(db, declaration.item).iter().filter(is_member).copied().collect();
    let Some((_, others)) = members.split_last() else { return };
    for &field in others {
        if is_unsized(db, env, hir_ty::signature::variable_type(db, field)) {
            let message = "a member of unknown size can only be the last of the type";
            declaration.found.push(Diagnostic::new(codes::UNSIZED_MEMBER_NOT_LAST, Site::name(field), message));
        }
    }
}

fn params_of(params: &[Param]) -> impl Iterator<Item = (u32, hir_def::type_ref::TypeRefId)> + '_ {
    params.iter().enumerate().map(|(index, param)| (index as u32, param.ty))
}

/// E30071: a variable of the program itself needs its size.
fn unsized_global(declaration: &mut Declaration<'_>) {
    let ItemKind::Variable { ty, has_init: false, .. } = declaration.data.kind else { return };
    let modifiers = declaration.data.modifiers;
    if declaration.is_global()
        && modifiers.intersects(Modifiers::STATIC | Modifiers::GROUPSHARED)
        && !modifiers.contains(Modifiers::EXTERN)
        && is_unsized(declaration.db, Env::of(declaration.db, declaration.item), declaration.lower(ty))
    {
        declaration.report(codes::UNSIZED_VARIABLE, Node::Name, "a variable of unsized type cannot be made");
    }
}

/// The same for the local variables of a body.
pub(super) fn check_locals(body: &mut CheckedBody<'_>) {
    let (db, env) = (body.db, Env::of(body.db, body.item));
    for (_, stmt) in body.body.store.stmts.iter() {
        let hir_def::body::Stmt::Let { local, init } = stmt else { continue };
        let Some(ty) = body.inferred.local_types.get(*local).copied() else { continue };
        if let Some((code, message)) = misfit(db, env, ty) {
            body.report(code, Node::Local(*local), message);
        } else if (init.is_none() || matches!(ty, Ty::Adt(..))) && is_unsized(db, env, ty) {
            // An initialiser gives an array its length, but no field of a struct.
            body.report(codes::UNSIZED_VARIABLE, Node::Local(*local), "a variable of unsized type cannot be made");
        }
    }
}

/// What is wrong with a variable of type `ty`: E30028, E30031, E30902, E38205.
fn misfit(db: &dyn Db, env: Env, ty: Ty) -> Option<(Code, String)> {
    let shown = |ty| display(db, ty);
    match ty {
        Ty::Builtin(BuiltinType::Array, _) => {
            let (element, _) = ty.as_array(db)?;
            if !is_addressable(db, env, element) {
                return Some((
                    codes::NON_ADDRESSABLE_ARRAY,
                    format!("arrays of non-addressable type '{}' are not allowed", shown(element)),
                ));
            }
            misfit(db, env, element)
        }
        Ty::Builtin(kind, _) if kind.class() == BuiltinClass::Resource(ResourceClass::StructuredBuffer) => {
            let element = ty.first_type_arg(db)?;
            let message =
                || format!("'{}' is non-addressable and cannot be used in a structured buffer", shown(element));
            if !is_addressable(db, env, element) {
                return Some((codes::NON_ADDRESSABLE_BUFFER_ELEMENT, message()));
            }
            let message = || format!("'{}' holds structured buffers of itself", shown(element));
            holds_buffer_of_itself(db, env, element).then(|| (codes::RECURSIVE_BUFFER_ELEMENT, message()))
        }
        Ty::Builtin(BuiltinType::Optional, _) => {
            let content = ty.first_type_arg(db)?;
            let message =
                || format!("'{}' is a resource type and cannot be the value type of 'Optional<T>'", shown(content));
            contains(db, env, content, &is_resource).then(|| (codes::OPTIONAL_OF_RESOURCE, message()))
        }
        _ => None,
    }
}

/// Whether values of the type lie in memory one after the other. Blocks are bound on their own, and what has no size can
/// only come last.
fn is_addressable(db: &dyn Db, env: Env, ty: Ty) -> bool {
    let obstacle = |ty: Ty| match ty {
        Ty::Builtin(BuiltinType::ParameterBlock, _) => true,
        Ty::Builtin(BuiltinType::Array, args) => matches!(args.args(db), [_, GenericArg::Value(Const::Unsized)]),
        _ => false,
    };
    !contains(db, env, ty, &obstacle)
}

/// Whether the type is an array without length, or ends in one.
fn is_unsized(db: &dyn Db, env: Env, ty: Ty) -> bool {
    contains(db, env, ty, &|ty: Ty| matches!(ty.as_array(db), Some((_, Const::Unsized))))
}

/// Whether a value of the type is or holds something that the host provides.
pub(super) fn holds_resource(db: &dyn Db, env: Env, ty: Ty) -> bool {
    contains(db, env, ty, &is_resource)
}

fn is_resource(ty: Ty) -> bool {
    matches!(ty, Ty::Builtin(kind, _) if kind.is_resource())
}

/// Whether `test` holds for the type or for something that it stores in itself.
fn contains(db: &dyn Db, env: Env, ty: Ty, test: &dyn Fn(Ty) -> bool) -> bool {
    let mut seen = Vec::new();
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if test(ty) {
            return true;
        }
        // Types that grow for ever are reported as such.
        if seen.contains(&ty) || seen.len() > MAX_PARTS {
            continue;
        }
        seen.push(ty);
        pending.extend(parts(db, env, ty));
    }
    false
}

/// How many different types a type is looked through for.
const MAX_PARTS: usize = 256;

/// The types of what a value holds in itself.
pub(super) fn parts(db: &dyn Db, env: Env, ty: Ty) -> Vec<Ty> {
    match ty {
        Ty::Adt(item, _) if matches!(item::item_data(db, item).kind, ItemKind::Struct { .. }) => {
            aggregate::fields(db, env, ty).iter().map(|(_, ty)| *ty).collect()
        }
        Ty::Builtin(BuiltinType::Array | BuiltinType::Optional | BuiltinType::Atomic, _) => {
            ty.first_type_arg(db).into_iter().collect()
        }
        Ty::Builtin(BuiltinType::Tuple, _) => ty.as_tuple(db).unwrap_or_default(),
        _ => Vec::new(),
    }
}
