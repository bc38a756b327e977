//! How a type meets its interfaces: modes of parameters, mutation, and defaults that are only half there.

use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, queries},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    conformance, conversion,
    diagnostics::{Diagnostic, Node, Site},
    display::{direction_prefix, item_name},
    env::Env,
    extension, generics,
    infer::result::Conversion,
    known, members,
    signature::{self, FunctionRef},
    substitute::{Substitution, substitute},
    ty::{GenericArgs, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    match declaration.data.kind {
        ItemKind::Struct { .. } | ItemKind::Extension { .. } => implementations(declaration),
        ItemKind::Property { .. } | ItemKind::Subscript { .. } => partial_default(declaration),
        ItemKind::Constructor { has_body: true, .. } if is_required(declaration) => {
            let message = "a constructor that an interface requires cannot have a default";
            declaration.report(codes::REQUIREMENT_WITH_BODY, Node::Name, message);
        }
        _ => {}
    }
}

/// E38108, E38105: a method that fits its requirement but for how it takes its arguments. E30853, E30854: `override`.
fn implementations(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    overrides(declaration);
    let Some(this) = generics::self_type(db, item).filter(|this| may_have_members(*this)) else { return };
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

/// Types of the program and of the core library, as far as they are known.
fn may_have_members(ty: Ty) -> bool {
    matches!(ty, Ty::Adt(..) | Ty::Scalar(_) | Ty::Builtin(..))
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
            declaration.found.push(Diagnostic::new(codes::OVERRIDES_NOTHING, Site::name(*member), message));
        }
    }
}

/// What a type has to say for a requirement of one of its interfaces, and the member of its own that says it.
pub(super) fn own_implementation(
    declaration: &Declaration<'_>,
    this: Ty,
    args: GenericArgs,
    requirement: ItemId,
) -> Option<(FunctionRef, FunctionRef)> {
    let db = declaration.db;
    let args = generics::identity_args_within(db, requirement, args);
    let required = FunctionRef { item: requirement, args, self_ty: Some(this) };
    let env = Env::of(db, declaration.item);
    match conformance::implementation(db, env, required)? {
        conformance::Implementation::Function(found)
            if found.item != requirement && item::container(db, found.item) == Some(declaration.item) =>
        {
            Some((required, found))
        }
        _ => None,
    }
}

fn implementation(declaration: &mut Declaration<'_>, this: Ty, args: GenericArgs, requirement: ItemId) {
    let db = declaration.db;
    let Some((required, found)) = own_implementation(declaration, this, args, requirement) else { return };
    let has_default =
        matches!(&item::item_data(db, requirement).kind, ItemKind::Function(function) if function.has_body);
    // A requirement of which neither `;` nor `{` is written yet is no default: that alone is said.
    let is_written = || matches!(queries::body(db, requirement).root, BodyRoot::Block(_));
    if has_default && !item::item_data(db, found.item).modifiers.contains(Modifiers::OVERRIDE) && is_written() {
        let message =
            format!("'{}' replaces a default of the interface: mark it 'override'", item_name(db, found.item));
        let diagnostic = Diagnostic::new(codes::OVERRIDE_MISSING, Site::name(found.item), message);
        declaration.found.push(diagnostic.note("the default is here", Some(Site::name(requirement))));
    }
    // Whoever calls it through the interface knows what the interface says, and no more.
    let inside = Env::of(db, declaration.item).of_calls(db, required);
    if conformance::first_unmet_bound(db, inside, found.item, found.args, found.self_ty).is_some() {
        let name = item_name(db, found.item);
        let message = format!("'{name}' asks more of its generic arguments than the interface does");
        let diagnostic = Diagnostic::new(codes::REQUIREMENT_NOT_MATCHED, Site::name(found.item), message);
        declaration.found.push(diagnostic.note("required here", Some(Site::name(requirement))));
        return;
    }
    let (wanted, offered) = (signature::signature(db, requirement), signature::signature(db, found.item));
    let note = |diagnostic: Diagnostic| diagnostic.note("required here", Some(Site::name(requirement)));
    for (index, (wanted, offered)) in wanted.params.iter().zip(&offered.params).enumerate() {
        let plain = |text: &'static str| if text.is_empty() { "in" } else { text.trim_end() };
        let (need, have) = (plain(direction_prefix(wanted.direction)), plain(direction_prefix(offered.direction)));
        // A variable that may be read and changed need not be.
        let may_be_both = written_output(wanted.direction) == 2;
        if written_output(wanted.direction) != written_output(offered.direction) && !may_be_both {
            let place = Site { item: found.item, node: Node::Param(index as u32) };
            let message =
                format!("direction '{have}' of parameter '{}' does not match the interface's '{need}'", offered.name);
            declaration.found.push(note(Diagnostic::new(codes::PARAMETER_DIRECTION_MISMATCH, place, message)));
        }
    }
    result(declaration, args, required, found);
    if let (Some(wanted), Some(offered)) = (wanted.this, offered.this)
        && offered.mutating
        && !wanted.mutating
    {
        let name = item_name(db, found.item);
        let message = format!("'{name}' is mutating, but the interface requires a method that is not");
        declaration.found.push(note(Diagnostic::new(codes::REQUIREMENT_NOT_MATCHED, Site::name(found.item), message)));
    }
}

/// E38106: what a method gives is, or becomes by itself, what its requirement promises.
fn result(declaration: &mut Declaration<'_>, interface_args: GenericArgs, required: FunctionRef, found: FunctionRef) {
    let (db, requirement) = (declaration.db, required.item);
    let env = Env::of(db, found.item);
    let result = |function: FunctionRef| {
        substitute(db, env, signature::signature(db, function.item).ret, &Substitution::of_function(db, function))
    };
    let (wanted, offered) = (result(required), result(found));
    if wanted == offered || !conformance::is_settled(db, wanted) || !conformance::is_settled(db, offered) {
        return;
    }
    // Which of several types a type gives for an associated one depends on the arguments of the interface.
    if !interface_args.args(db).is_empty() && matches!(signature::signature(db, requirement).ret, Ty::Associated(_)) {
        return;
    }
    let fits = wanted != Ty::Void
        && conversion::convert(db, env, offered, wanted)
            .is_some_and(|converted| converted.steps.iter().all(|step| step.conversion != Conversion::Truncate));
    if !fits {
        let (name, offered, wanted) = (item_name(db, found.item), declaration.show(offered), declaration.show(wanted));
        let message = format!("'{name}' returns '{offered}', but the interface promises '{wanted}'");
        let diagnostic = Diagnostic::new(codes::DERIVATIVE_RESULT_MISMATCH, Site::name(found.item), message);
        declaration.found.push(diagnostic.note("promised here", Some(Site::name(requirement))));
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

/// E30318: a default for one accessor is a default for none. E30317: properties have none at all. E30901: a subscript gives something.
fn partial_default(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    if let ItemKind::Subscript { ret, .. } = declaration.data.kind
        && declaration.lower(ret) == Ty::Void
    {
        declaration.report(
            codes::SUBSCRIPT_WITHOUT_RESULT,
            Node::Name,
            "a __subscript declaration must have a return type after '->'",
        );
    }
    if !is_required(declaration) {
        return;
    }
    let has_body = |accessor: &ItemId| item::item_data(db, *accessor).has_body();
    let accessors = item::members(db, declaration.item);
    let first = accessors.iter().copied().find(|accessor| has_body(accessor));
    if let Some(first) = first
        && !accessors.iter().all(has_body)
    {
        let message = "the default implementation is incomplete: define all accessors or none";
        declaration.found.push(Diagnostic::new(codes::PARTIAL_DEFAULT, Site::name(first), message));
    } else if let ItemKind::Property { .. } = declaration.data.kind {
        let message = "a property that an interface requires cannot have a default";
        for accessor in accessors.iter().filter(|accessor| has_body(accessor)) {
            declaration.found.push(Diagnostic::new(codes::REQUIREMENT_WITH_BODY, Site::name(*accessor), message));
        }
    }
}

/// Whether the declaration stands in an interface.
fn is_required(declaration: &Declaration<'_>) -> bool {
    declaration.container().is_some_and(|(_, kind)| matches!(kind, ItemKind::Interface { .. }))
}
