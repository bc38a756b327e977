//! How a type meets its interfaces: modes of parameters, mutation, and defaults that are only half there.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    conformance,
    diagnostics::{Diagnostic, Node, Place},
    display::{direction_prefix, item_name},
    env::Env,
    extension, generics, known, members,
    signature::{self, FunctionRef},
    ty::{GenericArg, GenericArgs, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    match declaration.data.kind {
        ItemKind::Struct { .. } | ItemKind::Extension { .. } => implementations(declaration),
        ItemKind::Property { .. } | ItemKind::Subscript { .. } => partial_default(declaration),
        _ => {}
    }
}

/// E38108, E38105: a method that fits its requirement but for how it takes its arguments. E30853, E30854: `override`.
fn implementations(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    overrides(declaration);
    let Some(this) = generics::self_type(db, item).filter(|this| matches!(this, Ty::Adt(..))) else { return };
    for base in conformance::bases(db, item) {
        let Ty::Adt(interface, args) = *base else { continue };
        if !extension::is_interface(db, *base) || known::is_in_prelude(db, interface) {
            continue;
        }
        for requirement in item::members(db, interface) {
            if matches!(item::item_data(db, *requirement).kind, ItemKind::Function(_)) {
                implementation(declaration, this, args, *requirement);
            }
        }
    }
}

/// E30854: a member that says `override` has the name of something in an interface of the type.
fn overrides(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let Some(this) = generics::self_type(db, item) else { return };
    let env = Env::of(db, item);
    for member in item::members(db, item) {
        let data = item::item_data(db, *member);
        let (true, Some(name)) = (data.modifiers.contains(Modifiers::OVERRIDE), &data.name) else { continue };
        if members::interfaces_declaring(db, env, this, name).is_empty() {
            let message = format!("'{name}' overrides nothing: no interface of the type has a member of that name");
            declaration.found.push(Diagnostic::new(codes::OVERRIDES_NOTHING, Place::name(*member), message));
        }
    }
}

fn implementation(declaration: &mut Declaration<'_>, this: Ty, args: GenericArgs, requirement: ItemId) {
    let db = declaration.db;
    let own = generics::identity_args(db, requirement);
    let all: Box<[GenericArg]> =
        args.args(db).iter().chain(own.args(db).iter().skip(args.args(db).len())).copied().collect();
    let required = FunctionRef { item: requirement, args: GenericArgs::new(db, all), self_ty: Some(this) };
    let env = Env::of(db, declaration.item);
    let Some(conformance::Implementation::Function(found)) = conformance::implementation(db, env, required) else {
        return;
    };
    // Only what the type itself says: a member of its own.
    if found.item == requirement || item::container(db, found.item) != Some(declaration.item) {
        return;
    }
    let has_default =
        matches!(&item::item_data(db, requirement).kind, ItemKind::Function(function) if function.has_body);
    if has_default && !item::item_data(db, found.item).modifiers.contains(Modifiers::OVERRIDE) {
        let message =
            format!("'{}' replaces a default of the interface: mark it 'override'", item_name(db, found.item));
        let diagnostic = Diagnostic::new(codes::OVERRIDE_MISSING, Place::name(found.item), message);
        declaration.found.push(diagnostic.note("the default is here", Some(Place::name(requirement))));
    }
    let (wanted, offered) = (signature::signature(db, requirement), signature::signature(db, found.item));
    let note = |diagnostic: Diagnostic| diagnostic.note("required here", Some(Place::name(requirement)));
    for (index, (wanted, offered)) in wanted.params.iter().zip(&offered.params).enumerate() {
        let plain = |text: &'static str| if text.is_empty() { "in" } else { text.trim_end() };
        let (need, have) = (plain(direction_prefix(wanted.direction)), plain(direction_prefix(offered.direction)));
        // A variable that may be changed need not be.
        let only_reads = written_output(wanted.direction) == 2 && written_output(offered.direction) == 0;
        if written_output(wanted.direction) != written_output(offered.direction) && !only_reads {
            let place = Place { item: found.item, node: Node::Param(index as u32) };
            let message =
                format!("direction '{have}' of parameter '{}' does not match the interface's '{need}'", offered.name);
            declaration.found.push(note(Diagnostic::new(codes::PARAMETER_DIRECTION_MISMATCH, place, message)));
        }
    }
    if let (Some(wanted), Some(offered)) = (wanted.this, offered.this)
        && offered.mutating
        && !wanted.mutating
    {
        let name = item_name(db, found.item);
        let message = format!("'{name}' is mutating, but the interface requires a method that is not");
        declaration.found.push(note(Diagnostic::new(codes::REQUIREMENT_NOT_MATCHED, Place::name(found.item), message)));
    }
}

/// Whether the caller's variable is read, written, or both.
fn written_output(direction: hir_ty::ty::ParamDirection) -> u32 {
    use hir_ty::ty::ParamDirection;
    match direction {
        ParamDirection::In | ParamDirection::ConstRef => 0,
        ParamDirection::Out => 1,
        ParamDirection::InOut | ParamDirection::Ref => 2,
    }
}

/// E30318: a default for one accessor is a default for none. E30901: a subscript gives something.
fn partial_default(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    if let ItemKind::Subscript { ret, .. } = declaration.data.kind
        && declaration.lower(ret) == Ty::Void
    {
        declaration.report(
            codes::SUBSCRIPT_WITHOUT_RESULT,
            Node::Name,
            "a __subscript declaration must have a return type behind '->'",
        );
    }
    if !declaration.container().is_some_and(|(_, kind)| matches!(kind, ItemKind::Interface { .. })) {
        return;
    }
    let has_body = |accessor: &ItemId| item::item_data(db, *accessor).has_body();
    let accessors = item::members(db, declaration.item);
    let first = accessors.iter().copied().find(|accessor| has_body(accessor));
    if let Some(first) = first
        && !accessors.iter().all(has_body)
    {
        let message = "the default implementation is incomplete: define all accessors or none";
        declaration.found.push(Diagnostic::new(codes::PARTIAL_DEFAULT, Place::name(first), message));
    }
}
