//! Bases of types: that they are interfaces, and that each requirement of them is met.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{self, AccessorKind, ItemId, ItemKind},
    name::Name,
    type_ref::TypeRefId,
};
use hir_ty::{
    aggregate, conformance,
    diagnostics::{Diagnostic, Node, Site, conformances as findings},
    display::{display, item_name},
    env::Env,
    extension, generics,
    known::{self, Known},
    lower_ty::TypeLowering,
    members,
    resolve::{TypeNs, member_type},
    signature::{FunctionRef, variable_type},
    substitute::{Substitution, substitute},
    ty::Ty,
};

pub(super) fn check(db: &dyn Db, item: ItemId, found: &mut Vec<Diagnostic>) {
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::Struct { bases } | ItemKind::Interface { bases } | ItemKind::Extension { bases, .. }
            if !known::is_in_prelude(db, item) =>
        {
            check_bases(db, item, bases, found);
        }
        ItemKind::Enum { bases, .. } if !known::is_in_prelude(db, item) => {
            for (written, base) in each_base(db, item, bases) {
                if extension::is_interface(db, base) {
                    let place = Site { item, node: Node::SignatureTypeRef(written) };
                    check_requirements(db, item, base, place, &mut Vec::new(), found);
                }
            }
        }
        _ => {}
    }
}

fn check_bases(db: &dyn Db, item: ItemId, bases: &[TypeRefId], found: &mut Vec<Diagnostic>) {
    let data = item::item_data(db, item);
    let is_interface = matches!(data.kind, ItemKind::Interface { .. });
    let is_struct = matches!(data.kind, ItemKind::Struct { .. });
    // E30820: a struct begins with the fields of the one that it inherits from.
    for (position, (written, base)) in each_base(db, item, bases).enumerate() {
        let place = Site { item, node: Node::SignatureTypeRef(written) };
        if base.is_error() {
            continue;
        }
        if !extension::is_interface(db, base) {
            let is_base_struct = |base: ItemId| matches!(item::item_data(db, base).kind, ItemKind::Struct { .. });
            if !(is_struct && matches!(base, Ty::Adt(base, _) if is_base_struct(base))) {
                found.push(base_not_an_interface(place, &display(db, base)));
            } else if position > 0 {
                let message =
                    format!("a struct has one base struct, the first of its bases; '{}' is another", display(db, base));
                found.push(Diagnostic::new(codes::BASE_STRUCT_NOT_FIRST, place, message));
            }
            continue;
        }
        if !is_interface {
            check_requirements(db, item, base, place, &mut Vec::new(), found);
        }
    }
}

/// What each of the types behind a declaration's name stands for.
fn each_base(db: &dyn Db, item: ItemId, bases: &[TypeRefId]) -> impl Iterator<Item = (TypeRefId, Ty)> {
    let store = &item::item_data(db, item).store;
    bases.iter().flat_map(move |&written| {
        let mut lowering = TypeLowering::new(db, item, store).outside_members();
        generics::bound_types(&mut lowering, written).into_iter().map(move |base| (written, base))
    })
}

/// Every requirement of the interface and of those it inherits must be met.
fn check_requirements(
    db: &dyn Db,
    item: ItemId,
    interface: Ty,
    place: Site,
    seen: &mut Vec<Ty>,
    found: &mut Vec<Diagnostic>,
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
    let substitution = Substitution::of_item(db, interface_item, args).with_this(this);
    for requirement in item::members(db, interface_item) {
        associated_type_bounds(db, env, this, *requirement, &substitution, place, found);
        if matches!(item::item_data(db, *requirement).kind, ItemKind::Constraint)
            && conformance::first_unmet_bound(db, env, *requirement, args, Some(this)).is_some()
        {
            let (this, interface) = (display(db, this), display(db, interface));
            let declaration = (format!("'{interface}'"), Site::name(*requirement));
            found.push(findings::bound_not_met(place, &this, &interface, Some(declaration)));
        }
    }
    if known::interface(db, Known::IDifferentiable) == Some(interface_item) {
        return;
    }
    // What a type has that another module defines is known when the modules are linked.
    if item::item_data(db, item).modifiers.contains(Modifiers::EXTERN) && item::members(db, item).is_empty() {
        return;
    }
    let is_of_program = matches!(this, Ty::Adt(declared, _) if !known::is_in_prelude(db, declared));
    for requirement in item::members(db, interface_item) {
        let data = item::item_data(db, *requirement);
        let Some(name) = &data.name else { continue };
        let met = match &data.kind {
            ItemKind::Function(_) => {
                let args = generics::identity_args_within(db, *requirement, args);
                let function = FunctionRef { item: *requirement, args, self_ty: Some(this) };
                conformance::implementation(db, env, function).is_some()
                    || inherited_from_base_struct(db, env, this, name)
            }
            ItemKind::AssociatedType { default: None, .. } => {
                member_type(db, env, this, name).is_some_and(|found| !matches!(found, TypeNs::Type(Ty::Error)))
            }
            ItemKind::Property { .. } => {
                let is_set = item::accessor(db, *requirement, AccessorKind::Set).is_some();
                given(db, env, this, name).any(|member| !is_set || may_be_set(db, member.item))
                    || has_default_accessors(db, *requirement)
            }
            // Those of the core library are made by the compiler, and so are constructors from nothing.
            ItemKind::Constructor { .. } if known::is_in_prelude(db, interface_item) => true,
            ItemKind::Subscript { .. } | ItemKind::Variable { .. }
                if known::is_in_prelude(db, interface_item) && !is_of_program =>
            {
                true
            }
            ItemKind::Constructor { params, .. } if params.is_empty() => true,
            // Arrays, vectors and matrices have elements.
            ItemKind::Subscript { .. } if !matches!(this, Ty::Adt(..)) => true,
            // Constructors, subscripts and constants have a name of their own kind.
            ItemKind::Variable { has_init: false, .. } => {
                let wanted = substitute(db, env, variable_type(db, *requirement), &substitution);
                // What the interface promises to be a constant is one.
                let constant = Modifiers::STATIC | Modifiers::CONST;
                members::lookup(db, env, this, name).iter().any(|member| {
                    member.origin != members::Origin::Interface
                        && matches!(item::item_data(db, member.item).kind, ItemKind::Variable { .. })
                        && item::item_data(db, member.item).modifiers.contains(data.modifiers & constant)
                        && is_of_type(db, env, member, wanted)
                })
            }
            ItemKind::Constructor { has_body: false, .. } | ItemKind::Subscript { .. } => {
                let kind = std::mem::discriminant(&data.kind);
                let is_set = item::accessor(db, *requirement, AccessorKind::Set).is_some();
                given(db, env, this, name).any(|member| {
                    std::mem::discriminant(&item::item_data(db, member.item).kind) == kind
                        && (!is_set || may_be_set(db, member.item))
                }) || matches!(data.kind, ItemKind::Subscript { .. }) && has_default_accessors(db, *requirement)
            }
            _ => true,
        };
        if !met {
            let (ty, member) = (display(db, this), item_name(db, *requirement));
            let required = Site::name(*requirement);
            let inherited = match aggregate::base_struct(db, env, this) {
                Some(Ty::Adt(base, _)) => members::declared(db, base, name),
                _ => &[],
            };
            found.push(match (members::declared(db, item, name), inherited) {
                ([only], []) | ([], [only])
                    if matches!(
                        data.kind,
                        ItemKind::Function(_)
                            | ItemKind::Variable { .. }
                            | ItemKind::Property { .. }
                            | ItemKind::Subscript { .. }
                    ) =>
                {
                    let interface = display(db, interface);
                    requirement_not_matched(Site::name(*only), &member, &interface, required)
                }
                _ => missing_requirement(place, &ty, &member, required),
            });
        }
    }
    for base in conformance::bases(db, interface_item) {
        let base = substitute(db, env, *base, &substitution);
        if extension::is_interface(db, base) && (is_of_program || !known::is_in_prelude(db, interface_item)) {
            check_requirements(db, item, base, place, seen, found);
        }
    }
}

/// What a type gives for an associated type conforms to what the interface promises of it.
fn associated_type_bounds(
    db: &dyn Db,
    env: Env,
    this: Ty,
    requirement: ItemId,
    substitution: &Substitution,
    place: Site,
    found: &mut Vec<Diagnostic>,
) {
    let data = item::item_data(db, requirement);
    let (ItemKind::AssociatedType { bounds, .. }, Some(name)) = (&data.kind, &data.name) else { return };
    let Some(TypeNs::Type(given)) = member_type(db, env, this, name) else { return };
    if given.is_error() {
        return;
    }
    for bound in bounds {
        let bound = TypeLowering::new(db, requirement, &data.store).lower(*bound);
        let bound = substitute(db, env, bound, substitution);
        if extension::is_interface(db, bound) && !conformance::conforms(db, env, given, bound) {
            let (given, bound) = (display(db, given), display(db, bound));
            let name = name.as_str();
            let required = Site::name(requirement);
            found.push(associated_type_bound_not_met(place, name, &given, &bound, required));
        }
    }
}

/// Whether a constant has the type that its requirement has for this type, as far as both are known.
fn is_of_type(db: &dyn Db, env: Env, member: &members::Member, wanted: Ty) -> bool {
    let substitution = Substitution::of_item(db, member.item, member.args);
    let offered = substitute(db, env, variable_type(db, member.item), &substitution);
    offered == wanted || !conformance::is_settled(db, offered) || !conformance::is_settled(db, wanted)
}

/// The members of a type, and of the struct that it inherits from, that may be what an interface asks for as `name`.
fn given(db: &dyn Db, env: Env, this: Ty, name: &Name) -> impl Iterator<Item = members::Member> {
    let base = aggregate::base_struct(db, env, this);
    let inherited = base.map(|base| members::lookup(db, env, base, name)).unwrap_or_default();
    let own = members::lookup(db, env, this, name);
    own.into_iter().chain(inherited).filter(|member| member.origin != members::Origin::Interface)
}

/// Whether a field, property or subscript can be written.
fn may_be_set(db: &dyn Db, member: ItemId) -> bool {
    match &item::item_data(db, member).kind {
        ItemKind::Property { .. } | ItemKind::Subscript { .. } => {
            let writes = [AccessorKind::Set, AccessorKind::Ref, AccessorKind::Modify];
            writes.into_iter().any(|kind| item::accessor(db, member, kind).is_some())
        }
        ItemKind::Variable { .. } => !item::item_data(db, member).modifiers.contains(Modifiers::CONST),
        _ => true,
    }
}

fn has_default_accessors(db: &dyn Db, property: ItemId) -> bool {
    item::members(db, property).iter().all(|accessor| item::item_data(db, *accessor).has_body())
}

fn inherited_from_base_struct(db: &dyn Db, env: Env, this: Ty, name: &Name) -> bool {
    aggregate::base_struct(db, env, this).is_some_and(|base| !members::lookup(db, env, base, name).is_empty())
}

/// E38100: a type says that it conforms and lacks a member.
fn missing_requirement(place: Site, ty: &str, member: &str, requirement: Site) -> Diagnostic {
    Diagnostic::new(
        codes::MISSING_REQUIREMENT,
        place,
        format!("type '{ty}' does not provide required interface member '{member}'"),
    )
    .note(format!("'{member}' is required here"), Some(requirement))
}

/// E38105: the one member of that name is not what the interface requires.
fn requirement_not_matched(place: Site, member: &str, interface: &str, requirement: Site) -> Diagnostic {
    Diagnostic::new(
        codes::REQUIREMENT_NOT_MATCHED,
        place,
        format!("'{member}' does not match what '{interface}' requires"),
    )
    .note(format!("'{member}' is required here"), Some(requirement))
}

/// E38029: the type that stands for an associated type misses a bound of it.
fn associated_type_bound_not_met(
    place: Site,
    name: &str,
    given: &str,
    interface: &str,
    requirement: Site,
) -> Diagnostic {
    Diagnostic::new(
        codes::TYPE_ARGUMENT_DOES_NOT_CONFORM,
        place,
        format!("'{given}' cannot be '{name}': it does not conform to '{interface}'"),
    )
    .note(format!("'{name}' is required here"), Some(requirement))
}

/// E30811: a base that is not an interface.
fn base_not_an_interface(place: Site, ty: &str) -> Diagnostic {
    Diagnostic::new(codes::BASE_NOT_AN_INTERFACE, place, format!("'{ty}' is not an interface"))
}
