//! From what a call names to what it calls once all types are known: requirements of interfaces become the
//! implementation of the type that they are called on.

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{
    conformance::{self, Implementation},
    env::Env,
    extension,
    infer::result::SynthesizedOperation,
    members,
    signature::FunctionRef,
    substitute,
    ty::{ClosureTy, FunctionTy, GenericArgs, Ty},
};

use crate::{
    core_function::{CoreFunction, Requirement},
    error::{Lowering, Stop},
    mode::Mode,
    program::Program,
};

/// What a call calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved {
    Source(FunctionRef),
    /// A requirement called on an interface value.
    Dispatch(FunctionRef),
    /// `operator()` of a lambda or a function.
    Closure(ClosureTy),
    /// `operator()` of a value of a function type.
    FunctionValue(FunctionTy),
    Synthesized(SynthesizedOperation, Ty),
}

/// Whether a function is declared in an interface, so that the type that it is called on decides what it is.
pub(crate) fn is_requirement(db: &dyn Db, item: ItemId) -> bool {
    let mut container = item::container(db, item);
    while let Some(current) = container {
        match item::item_data(db, current).kind {
            ItemKind::Interface { .. } => return true,
            ItemKind::Property { .. } | ItemKind::Subscript { .. } => container = item::container(db, current),
            _ => return false,
        }
    }
    false
}

pub(crate) fn resolve(program: &Program<'_>, function: FunctionRef) -> Lowering<Resolved> {
    let db = program.db;
    if !is_requirement(db, function.item) {
        return Ok(Resolved::Source(function));
    }
    let Some(this) = function.self_ty else {
        return Err(Stop::broken("a requirement without the type that it is called on"));
    };
    if program.mode == Mode::Analysis && !substitute::is_concrete(db, this) {
        return Ok(Resolved::Source(function));
    }
    let this = super::erase(db, this);
    let function = FunctionRef { self_ty: Some(this), ..function };
    match this {
        Ty::Closure(closure) if super::is_call_requirement(program, function.item) => {
            return Ok(Resolved::Closure(closure));
        }
        Ty::Function(function_ty) if super::is_call_requirement(program, function.item) => {
            return Ok(Resolved::FunctionValue(function_ty));
        }
        _ => {}
    }
    if extension::is_interface(db, this) {
        return Ok(match program.mode {
            Mode::Program => Resolved::Dispatch(function),
            Mode::Analysis => Resolved::Source(function),
        });
    }
    match conformance::implementation(db, program.env(), function) {
        Some(Implementation::Function(found)) if found.item == function.item => Ok(Resolved::Source(function)),
        Some(Implementation::Function(found)) if is_requirement(db, found.item) => {
            Ok(Resolved::Source(FunctionRef { self_ty: Some(this), ..found }))
        }
        Some(Implementation::Function(found)) => Ok(Resolved::Source(found)),
        Some(Implementation::Synthesized(operation)) => Ok(Resolved::Synthesized(operation, this)),
        Some(Implementation::Field(_)) => Err(Stop::unsupported("a field as the implementation of this requirement")),
        None if is_builtin(this) => Ok(Resolved::Source(function)),
        // What a type that is linked later declares: the editor sees the requirement.
        None if program.mode == Mode::Analysis => Ok(Resolved::Source(function)),
        None => Err(Stop::unsupported("a requirement that its type does not declare itself")),
    }
}

/// The struct that a required `__init()` makes where the struct has no constructor: its value is `{}`.
pub(crate) fn made_without_constructor(program: &Program<'_>, function: FunctionRef) -> Option<Ty> {
    let data = item::item_data(program.db, function.item);
    let is_default = data.name.as_ref().is_some_and(|name| name.as_str() == "__init") && !data.has_body();
    if !is_default || !is_requirement(program.db, function.item) {
        return None;
    }
    let this = super::erase(program.db, function.self_ty?);
    let is_struct =
        matches!(this, Ty::Adt(item, _) if matches!(item::item_data(program.db, item).kind, ItemKind::Struct { .. }));
    let function = FunctionRef { self_ty: Some(this), ..function };
    let takes_nothing = hir_ty::signature::signature(program.db, function.item).params.is_empty();
    let is_left_out =
        is_struct && takes_nothing && conformance::implementation(program.db, program.env(), function).is_none();
    is_left_out.then_some(this)
}

/// The field that implements the accessor of a required property.
pub(crate) fn accessor_field(program: &Program<'_>, function: FunctionRef) -> Option<ItemId> {
    let this = function.self_ty?;
    if !is_requirement(program.db, function.item) || extension::is_interface(program.db, this) {
        return None;
    }
    match conformance::implementation(program.db, program.env(), function)? {
        Implementation::Field(field) => Some(field),
        Implementation::Function(_) | Implementation::Synthesized(_) => None,
    }
}

fn is_builtin(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(_) | Ty::Builtin(..))
}

/// A requirement of the core library on a builtin type, which has no declaration of its own.
pub(super) fn builtin_requirement(db: &dyn Db, function: FunctionRef) -> Lowering<Option<CoreFunction>> {
    let is_builtin = function.self_ty.is_some_and(is_builtin);
    if !is_builtin || !is_requirement(db, function.item) || item::item_data(db, function.item).has_body() {
        return Ok(None);
    }
    let Some(name) = &item::item_data(db, function.item).name else { return Ok(None) };
    match Requirement::from_name(name.as_str()) {
        Some(requirement) => Ok(Some(CoreFunction::Requirement(requirement))),
        // An element of a pack: which type it is, and so what it calls, each use of the generic says.
        None if function.self_ty.is_some_and(|this| !substitute::is_concrete(db, this)) => Ok(None),
        None => Err(Stop::unsupported(format!("`{name}` of a builtin type"))),
    }
}

/// The static member variable that a name means: one required by an interface is that of the type. `None` in the editor's
/// analysis, if the type is not known there.
pub(crate) fn resolve_static(
    program: &Program<'_>,
    item: ItemId,
    owner: Option<Ty>,
) -> Lowering<Option<(ItemId, GenericArgs)>> {
    let db = program.db;
    let Some(owner) = owner else { return Ok(Some((item, GenericArgs::empty(db)))) };
    if !is_requirement(db, item) {
        let args = match owner {
            Ty::Adt(_, args) => args,
            _ => GenericArgs::empty(db),
        };
        return Ok(Some((item, args)));
    }
    let Some(name) = &item::item_data(db, item).name else { return Err(Stop::broken("a member without name")) };
    let mut found = members::lookup(db, Env::of(db, program.root), owner, name);
    found.retain(|member| {
        member.origin != members::Origin::Interface
            && matches!(item::item_data(db, member.item).kind, ItemKind::Variable { .. })
    });
    if found.iter().filter(|member| member.origin == members::Origin::Extension).count() > 1 {
        return Err(Stop::unsupported("a static member that a type has for several instances of one interface"));
    }
    match found.first() {
        Some(member) => Ok(Some((member.item, member.args))),
        None if program.mode == Mode::Analysis => Ok(None),
        None => Err(Stop::unsupported("a static member that the type does not declare")),
    }
}
