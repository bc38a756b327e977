//! What is wrong with a declaration, apart from its body: unknown types, bases that are no interfaces, requirements that
//! are not met.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
    type_ref::{TypeRef, TypeRefId},
};

use crate::{
    checks, conformance,
    diagnostics::{Diagnostic, Node, Place, conformances},
    display::{display, item_name},
    env::Env,
    extension, generics, infer,
    known::{self, Known},
    lower_ty::TypeLowering,
    members,
    signature::FunctionRef,
    ty::Ty,
};

/// Everything that the type checker has to say about `item`: its declaration, the expressions in its signature, its body.
pub fn diagnostics(db: &dyn Db, item: ItemId) -> impl Iterator<Item = &Diagnostic> {
    declaration_diagnostics(db, item)
        .iter()
        .chain(checks::declaration_rules(db, item))
        .chain(checks::body_rules(db, item))
        .chain(infer::signature_diagnostics(db, item))
        .chain(infer::diagnostics(db, item))
}

/// What is wrong with the declaration itself.
#[salsa::tracked(returns(deref))]
pub fn declaration_diagnostics(db: &dyn Db, item: ItemId) -> Box<[Diagnostic]> {
    let mut diagnostics = types(db, item);
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::Struct { bases } | ItemKind::Interface { bases } | ItemKind::Extension { bases, .. }
            if !known::is_in_prelude(db, item) =>
        {
            check_bases(db, item, bases, &mut diagnostics);
        }
        _ => {}
    }
    diagnostics.into_boxed_slice()
}

/// Lowers every type of the signature once more, this time reporting. Types inside types are reported once.
fn types(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    let data = item::item_data(db, item);
    let outside = outside_members(&data.kind);
    let mut found: Vec<Diagnostic> = Vec::new();
    let inner = inner_types(data);
    for (id, _) in data.store.type_refs.iter() {
        if inner.contains(&id) {
            continue;
        }
        let mut lowering = TypeLowering::new(db, item, &data.store).reporting();
        if outside.contains(&id) {
            lowering = lowering.outside_members();
        }
        // `nonempty(N)` where the parser could not know that `N` is a pack of values.
        if lowering.named_value_pack(id).is_some() {
            continue;
        }
        lowering.lower(id);
        for diagnostic in lowering.into_diagnostics() {
            if !found.iter().any(|known| known.at == diagnostic.at) {
                found.push(diagnostic);
            }
        }
    }
    found
}

/// Types that are parts of other types, or arguments of names in expressions, which inference reports.
fn inner_types(data: &hir_def::item::Item) -> Vec<TypeRefId> {
    use hir_def::type_ref::GenericArgRef;
    fn args(args: &Option<Vec<GenericArgRef>>, inner: &mut Vec<TypeRefId>) {
        for arg in args.iter().flatten() {
            if let GenericArgRef::Type(ty) = arg {
                inner.push(*ty);
            }
        }
    }
    let mut inner = Vec::new();
    for (_, ty) in data.store.type_refs.iter() {
        match ty {
            TypeRef::Path(path) => path.segments.iter().for_each(|segment| args(&segment.args, &mut inner)),
            TypeRef::Member { member, .. } => args(&member.args, &mut inner),
            _ => {}
        }
    }
    for (_, expr) in data.store.exprs.iter() {
        match expr {
            hir_def::body::Expr::Path(path) => path.segments.iter().for_each(|segment| args(&segment.args, &mut inner)),
            hir_def::body::Expr::Member { generic_args, .. } => args(generic_args, &mut inner),
            hir_def::body::Expr::Type(ty) | hir_def::body::Expr::Cast { ty, .. } => inner.push(*ty),
            hir_def::body::Expr::SizeOf { ty: Some(ty), .. } => inner.push(*ty),
            _ => {}
        }
    }
    for (_, ty) in data.store.type_refs.iter() {
        match ty {
            TypeRef::Array { element: part, .. }
            | TypeRef::Pointer(part)
            | TypeRef::Optional(part)
            | TypeRef::Expand(part)
            | TypeRef::Each(part)
            | TypeRef::Some(part)
            | TypeRef::Dyn(part)
            | TypeRef::Modified(_, part)
            | TypeRef::Member { base: part, .. } => inner.push(*part),
            TypeRef::Tuple(parts) | TypeRef::And(parts) => inner.extend(parts),
            TypeRef::Function { params, ret } => {
                inner.extend(params.iter().map(|(_, ty)| *ty));
                inner.push(*ret);
            }
            TypeRef::PackQuery { operands, .. } => {
                for operand in operands {
                    if let GenericArgRef::Type(ty) = operand {
                        inner.push(*ty);
                    }
                }
            }
            TypeRef::Missing
            | TypeRef::Unsupported(_)
            | TypeRef::Infer
            | TypeRef::Declared(_)
            | TypeRef::Path(_)
            | TypeRef::Expr(_) => {}
        }
    }
    inner
}

/// Types that are looked up from outside the type that they are written on.
fn outside_members(kind: &ItemKind) -> Vec<TypeRefId> {
    match kind {
        ItemKind::Struct { bases } | ItemKind::Interface { bases } => bases.clone(),
        ItemKind::Extension { target, bases } => bases.iter().copied().chain([*target]).collect(),
        ItemKind::Enum { underlying, .. } => underlying.iter().copied().collect(),
        _ => Vec::new(),
    }
}

fn check_bases(db: &dyn Db, item: ItemId, bases: &[TypeRefId], diagnostics: &mut Vec<Diagnostic>) {
    let data = item::item_data(db, item);
    let is_interface = matches!(data.kind, ItemKind::Interface { .. });
    let is_struct = matches!(data.kind, ItemKind::Struct { .. });
    let written = bases.iter().flat_map(|written| {
        let mut lowering = TypeLowering::new(db, item, &data.store).outside_members();
        generics::bound_types(&mut lowering, *written).into_iter().map(move |base| (written, base))
    });
    for (written, base) in written {
        let place = Place { item, node: Node::SignatureTypeRef(*written) };
        if base.is_error() {
            continue;
        }
        if !extension::is_interface(db, base) {
            // A struct may have a base struct.
            if !(is_struct && matches!(base, Ty::Adt(..))) {
                diagnostics.push(conformances::base_not_an_interface(place, &display(db, base)));
            }
            continue;
        }
        if !is_interface {
            check_requirements(db, item, base, place, &mut Vec::new(), diagnostics);
        }
    }
}

/// Every requirement of the interface and of those it inherits must be met.
fn check_requirements(
    db: &dyn Db,
    item: ItemId,
    interface: Ty,
    place: Place,
    seen: &mut Vec<Ty>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    // Interfaces that inherit each other end here.
    if seen.contains(&interface) {
        return;
    }
    seen.push(interface);
    let Some(this) = generics::self_type(db, item) else { return };
    if matches!(this, Ty::This(_) | Ty::Param(_) | Ty::Error) {
        return;
    }
    let env = Env::of(db, item);
    let Ty::Adt(interface_item, args) = interface else { return };
    if conformance::is_of_core_library(db, this, interface) {
        return;
    }
    let substitution = crate::substitute::Substitution::of_item(db, interface_item, args).with_this(this);
    for requirement in item::members(db, interface_item) {
        associated_type_bounds(db, env, this, *requirement, &substitution, place, diagnostics);
    }
    if known::interface(db, Known::IDifferentiable) == Some(interface_item) {
        return;
    }
    // What a type has that another module defines is known when the modules are linked.
    if item::item_data(db, item).modifiers.contains(Modifiers::EXTERN) && item::members(db, item).is_empty() {
        return;
    }
    for requirement in item::members(db, interface_item) {
        let data = item::item_data(db, *requirement);
        let Some(name) = &data.name else { continue };
        let met = match &data.kind {
            ItemKind::Function(_) => {
                let own = generics::identity_args(db, *requirement);
                let all: Box<[_]> = args
                    .args(db)
                    .iter()
                    .copied()
                    .chain(own.args(db).iter().skip(args.args(db).len()).copied())
                    .collect();
                let function =
                    FunctionRef { item: *requirement, args: crate::ty::GenericArgs::new(db, all), self_ty: Some(this) };
                conformance::implementation(db, env, function).is_some()
                    || inherited_from_base_struct(db, env, this, name)
            }
            ItemKind::AssociatedType { default: None, .. } => crate::resolve::member_type(db, env, this, name)
                .is_some_and(|found| !matches!(found, crate::resolve::TypeNs::Type(Ty::Error))),
            ItemKind::Property { .. } => {
                members::lookup(db, env, this, name).iter().any(|member| member.origin != members::Origin::Interface)
                    || has_default_accessors(db, *requirement)
            }
            _ => true,
        };
        if !met {
            let (ty, member) = (display(db, this), item_name(db, *requirement));
            let required = Place::name(*requirement);
            diagnostics.push(match members::declared(db, item, name) {
                [only] if matches!(data.kind, ItemKind::Function(_)) => {
                    let interface = display(db, interface);
                    conformances::requirement_not_matched(Place::name(*only), &member, &interface, required)
                }
                _ => conformances::missing_requirement(place, &ty, &member, required),
            });
        }
    }
    for base in conformance::bases(db, interface_item) {
        let base = crate::substitute::substitute(db, env, *base, &substitution);
        if extension::is_interface(db, base) && !known::is_in_prelude(db, interface_item) {
            check_requirements(db, item, base, place, seen, diagnostics);
        }
    }
}

/// What a type gives for an associated type conforms to what the interface promises of it.
fn associated_type_bounds(
    db: &dyn Db,
    env: Env,
    this: Ty,
    requirement: ItemId,
    substitution: &crate::substitute::Substitution,
    place: Place,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let data = item::item_data(db, requirement);
    let (ItemKind::AssociatedType { bounds, .. }, Some(name)) = (&data.kind, &data.name) else { return };
    let Some(crate::resolve::TypeNs::Type(given)) = crate::resolve::member_type(db, env, this, name) else { return };
    if given.is_error() {
        return;
    }
    for bound in bounds {
        let bound = TypeLowering::new(db, requirement, &data.store).lower(*bound);
        let bound = crate::substitute::substitute(db, env, bound, substitution);
        if extension::is_interface(db, bound) && !conformance::conforms(db, env, given, bound) {
            let (given, bound) = (display(db, given), display(db, bound));
            let name = name.as_str();
            let required = Place::name(requirement);
            diagnostics.push(conformances::associated_type_bound_not_met(place, name, &given, &bound, required));
        }
    }
}

fn has_default_accessors(db: &dyn Db, property: ItemId) -> bool {
    item::members(db, property)
        .iter()
        .all(|accessor| matches!(item::item_data(db, *accessor).kind, ItemKind::Accessor { has_body: true, .. }))
}

fn inherited_from_base_struct(db: &dyn Db, env: Env, this: Ty, name: &hir_def::name::Name) -> bool {
    crate::aggregate::base_struct(db, env, this).is_some_and(|base| !members::lookup(db, env, base, name).is_empty())
}
