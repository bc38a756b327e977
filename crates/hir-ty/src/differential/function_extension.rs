//! `__func_extension fwd_diff(f)(…)`, `bwd_diff(f)`, `__apply(f)`: derivatives that are given to a function from outside,
//! for all of its generic arguments or for some.
//!
//! `__apply(f)` computes what `f` does and a *context*, whose `operator()` propagates derivatives backward: it gives the
//! derivative of each differentiable parameter out and takes those of what `f` gives out, that of the result last.

use base_db::{Db, SourceFile};
use hir_def::{
    attribute::Modifiers,
    body::DerivativeOperator,
    item::{self, ExtensionOperator, Function, FunctionExtension, ItemId, ItemKind},
    modules,
    name::Name,
    prelude_index,
};
use rustc_hash::FxHashMap;

use super::{
    association::Misfit,
    fit::{Mismatch, Tolerance, fit},
    named::functions_named,
    of_type::{Differentiability, differentiability},
    signature::{CallableParam, CallableSignature, ParamRole, differentiate, function_signature},
};
use crate::{
    conformance::{self, members},
    generics::{
        self,
        env::Env,
        solve::Solver,
        substitute::{Substitution, substitute},
    },
    types::{
        lower_ty::TypeLowering,
        signature,
        signature::{FunctionRef, ThisParam},
        ty::{BuiltinType, GenericArg, ParamDirection, Ty},
    },
};

/// The function that an extension is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// In terms of the generic parameters of the extension.
    Found(FunctionRef),
    /// There is no function of that name.
    Unresolved,
    /// No function of that name fits; the first one, and why not.
    Mismatch(Box<Misfit>),
    /// `__apply` that does not return a tuple of the result and a context.
    NoContext,
    /// The context has no `operator()` with this signature.
    NoCallOperator {
        /// The type of the context.
        context: Ty,
        /// The signature that its operator has to have.
        expected: CallableSignature,
    },
}

/// What `item` extends, if it is a `__func_extension`.
pub fn written(db: &dyn Db, item: ItemId) -> Option<FunctionExtension> {
    function_data(db, item)?.extends
}

fn function_data(db: &dyn Db, item: ItemId) -> Option<&Function> {
    match &item::item_data(db, item).kind {
        ItemKind::Function(function) => Some(function),
        _ => None,
    }
}

/// The function that the extension `item` is for; of several overloads the one whose signature fits.
#[salsa::tracked(returns(ref), cycle_initial = target_initial)]
pub fn target(db: &dyn Db, item: ItemId) -> Target {
    let (Some(function), Some(extension)) = (function_data(db, item), written(db, item)) else {
        return Target::Unresolved;
    };
    let env = Env::of(db, item);
    let store = &item::item_data(db, item).store;
    let mut lowering = TypeLowering::new(db, item, store);
    let params = signature::lower_params(&mut lowering, &function.params);
    let found = CallableSignature {
        params: params
            .iter()
            .map(|param| CallableParam {
                name: param.name.clone(),
                ty: param.ty,
                direction: param.direction,
                no_diff: param.no_diff,
                has_default: param.has_default,
                role: ParamRole::Written,
            })
            .collect(),
        ret: lowering.lower(function.ret),
        ret_no_diff: function.ret_no_diff,
    };
    let mut failure = Target::Unresolved;
    for named in functions_named(db, item, extension.function) {
        let primal = named.reference(&mut lowering);
        match check(db, env, extension.operator, item, primal, &found) {
            found @ Target::Found(_) => return found,
            other if failure == Target::Unresolved => failure = other,
            _ => {}
        }
    }
    failure
}

fn target_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Target {
    Target::Unresolved
}

fn check(
    db: &dyn Db,
    env: Env,
    operator: ExtensionOperator,
    item: ItemId,
    primal: FunctionRef,
    found: &CallableSignature,
) -> Target {
    let primal_signature = function_signature(db, env, primal);
    let (expected, found) = match operator {
        ExtensionOperator::Forward => {
            (differentiate(db, env, &primal_signature, DerivativeOperator::Forward), found.clone())
        }
        ExtensionOperator::Backward => {
            (differentiate(db, env, &primal_signature, DerivativeOperator::Backward), found.clone())
        }
        ExtensionOperator::Apply => {
            let Some((value, _)) = context(db, found.ret) else { return Target::NoContext };
            let mut expected = primal_signature.clone();
            expected.params.retain(|param| param.role != ParamRole::This);
            (expected, CallableSignature { ret: value, ..found.clone() })
        }
        ExtensionOperator::Unknown => return Target::Unresolved,
    };
    let receiver = signature::signature(db, primal.item).this.is_some_and(|this| this.no_diff);
    let allowed = Tolerance { receiver, ..Tolerance::NONE };
    if let Err(mismatch) = fit(db, env, &found, &expected, &[], allowed, &[]) {
        return mismatched(item, primal, expected, found, mismatch);
    }
    // Every parameter of the extension must follow from the arguments of the function.
    let parameters = generics::parameters(db, item);
    let mut solver = Solver::new(db, env, parameters);
    solver.unify_args(primal.args, primal.args);
    if let Some(parameter) = solver.first_unsolved() {
        return mismatched(item, primal, expected, found, Mismatch::Undeduced(parameter));
    }
    Target::Found(primal)
}

fn mismatched(
    item: ItemId,
    primal: FunctionRef,
    expected: CallableSignature,
    found: CallableSignature,
    mismatch: Mismatch,
) -> Target {
    Target::Mismatch(Box::new(Misfit { primal: primal.item, other: item, expected, found, mismatch }))
}

/// Value and context of what `__apply` returns.
fn context(db: &dyn Db, ret: Ty) -> Option<(Ty, Ty)> {
    let Ty::Builtin(BuiltinType::Tuple, args) = ret else { return None };
    let elements: Vec<Ty> = match args.args(db) {
        [GenericArg::Pack(pack)] => pack.types(db).collect(),
        args => args
            .iter()
            .filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(*ty),
                GenericArg::Value(_) | GenericArg::Pack(_) => None,
            })
            .collect(),
    };
    match elements.as_slice() {
        [value, context] => Some((*value, *context)),
        _ => None,
    }
}

/// `this` in the body of `__apply(S::method)`.
#[salsa::tracked(returns(copy), cycle_initial = receiver_initial)]
pub fn receiver(db: &dyn Db, item: ItemId) -> Option<ThisParam> {
    let FunctionExtension { operator: ExtensionOperator::Apply, .. } = written(db, item)? else { return None };
    let Target::Found(primal) = target(db, item) else { return None };
    let this = signature::signature(db, primal.item).this?;
    let ty = substitute(db, Env::of(db, item), this.ty, &Substitution::of_function(db, *primal));
    Some(ThisParam { ty, ..this })
}

fn receiver_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Option<ThisParam> {
    None
}

/// The derivatives that extensions give to one function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extended {
    /// `fwd_diff(f)`
    pub forward: Option<FunctionRef>,
    /// `bwd_diff(f)`
    pub backward: Option<FunctionRef>,
    /// `__apply(f)`
    pub apply: Option<Applied>,
}

/// `__apply(f)` and the `operator()` of the context that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// Gives the value and the context.
    pub apply: FunctionRef,
    /// The operator of the context.
    pub propagate: FunctionRef,
}

impl Extended {
    /// Whether no extension gives anything.
    pub fn is_empty(&self) -> bool {
        self.forward.is_none() && self.backward.is_none() && self.apply.is_none()
    }

    /// Whether the extensions give this derivative, by whatever means.
    pub fn gives(&self, operator: DerivativeOperator) -> bool {
        match operator {
            DerivativeOperator::Forward => self.forward.is_some(),
            DerivativeOperator::Backward
            | DerivativeOperator::Apply
            | DerivativeOperator::Remat
            | DerivativeOperator::Propagate => {
                self.backward.is_some() || self.apply.is_some() || self.forward.is_some()
            }
        }
    }
}

/// Whether some extension that `env` sees is for `function` with just its arguments.
pub fn is_extended(db: &dyn Db, env: Env, function: FunctionRef) -> bool {
    !extended(db, env, function).is_empty()
}

/// The derivatives that extensions seen from `env` give to `function` with just its arguments. The first of each kind
/// counts; a second one is reported where it is declared.
pub fn extended(db: &dyn Db, env: Env, function: FunctionRef) -> Extended {
    let mut extended = Extended::default();
    for &item in candidates(db, env.file(db), function.item).iter() {
        let Some(reference) = instantiate(db, env, item, function) else { continue };
        match written(db, item).map(|extension| extension.operator) {
            Some(ExtensionOperator::Forward) => extended.forward = extended.forward.or(Some(reference)),
            Some(ExtensionOperator::Backward) => extended.backward = extended.backward.or(Some(reference)),
            Some(ExtensionOperator::Apply) => {
                let applied = || Some(Applied { apply: reference, propagate: call_operator(db, env, reference).ok()? });
                extended.apply = extended.apply.or_else(applied);
            }
            Some(ExtensionOperator::Unknown) | None => {}
        }
    }
    extended
}

/// The extension `item` with the arguments that make it one of `function`.
fn instantiate(db: &dyn Db, env: Env, item: ItemId, function: FunctionRef) -> Option<FunctionRef> {
    let Target::Found(target) = target(db, item) else { return None };
    let mut solver = Solver::new(db, env, generics::parameters(db, item));
    if !solver.unify_args(target.args, function.args) {
        return None;
    }
    let args = solver.finish(db, generics::own_bounds(db, item))?;
    conformance::bounds_hold(db, env, item, args, None).then_some(FunctionRef { item, args, self_ty: None })
}

/// The `operator()` of the context that `apply` returns, or the signature that it must have.
fn call_operator(db: &dyn Db, env: Env, apply: FunctionRef) -> Result<FunctionRef, (Ty, CallableSignature)> {
    let apply_signature = function_signature(db, env, apply);
    let Some((value, context)) = context(db, apply_signature.ret) else {
        return Err((Ty::Error, apply_signature));
    };
    let expected = propagation(db, env, &apply_signature, value, context);
    for member in members::lookup(db, env, context, &Name::new("()")) {
        let function = FunctionRef { item: member.item, args: member.args, self_ty: member.self_ty };
        if !matches!(item::item_data(db, member.item).kind, ItemKind::Function(_)) {
            continue;
        }
        let found = function_signature(db, env, function);
        // A context may change while it propagates, and may add to the derivatives (from zero) that it gives out.
        let mut wanted = expected.clone();
        for (found, wanted) in found.params.iter().zip(&mut wanted.params) {
            let starts_from_zero = found.direction == ParamDirection::InOut && wanted.direction == ParamDirection::Out;
            if found.role == ParamRole::This || starts_from_zero {
                wanted.direction = found.direction;
            }
        }
        if fit(db, env, &found, &wanted, &[], Tolerance::NONE, &[]).is_ok() {
            return Ok(function);
        }
    }
    Err((context, expected))
}

/// The signature of a context's `operator()`: its receiver, then for each parameter its derivative going
/// the other way (`none` where it carries none), then that of the result.
fn propagation(db: &dyn Db, env: Env, apply: &CallableSignature, value: Ty, context: Ty) -> CallableSignature {
    let param = |name: Name, ty: Ty, direction: ParamDirection, role: ParamRole| CallableParam {
        name,
        ty,
        direction,
        no_diff: false,
        has_default: false,
        role,
    };
    let mut params = vec![param(Name::new("this"), context, ParamDirection::In, ParamRole::This)];
    for (index, primal) in apply.params.iter().enumerate() {
        let kind = if primal.no_diff { Differentiability::None } else { differentiability(db, env, primal.ty) };
        let direction = match primal.direction {
            ParamDirection::In | ParamDirection::ConstRef => ParamDirection::Out,
            ParamDirection::InOut | ParamDirection::Ref => ParamDirection::InOut,
            ParamDirection::Out => ParamDirection::In,
        };
        params.push(match kind {
            Differentiability::Value(differential) => {
                param(primal.name.clone(), differential, direction, ParamRole::Cotangent(index))
            }
            Differentiability::None | Differentiability::Pointer(_) => {
                param(primal.name.clone(), Ty::NoneLiteral, ParamDirection::In, ParamRole::Absent(index))
            }
        });
    }
    if let Differentiability::Value(differential) = differentiability(db, env, value) {
        params.push(param(Name::new("dResult"), differential, ParamDirection::In, ParamRole::ResultCotangent));
    }
    CallableSignature { params, ret: Ty::Void, ret_no_diff: false }
}

/// What is wrong with the context of the extension `item`, if it is an `__apply` that fits otherwise.
pub fn context_problem(db: &dyn Db, item: ItemId) -> Option<Target> {
    let FunctionExtension { operator: ExtensionOperator::Apply, .. } = written(db, item)? else { return None };
    let Target::Found(_) = target(db, item) else { return None };
    let identity = FunctionRef { item, args: generics::identity_args(db, item), self_ty: None };
    let (context, expected) = call_operator(db, Env::of(db, item), identity).err()?;
    Some(Target::NoCallOperator { context, expected })
}

/// The extensions of `function` that `file` sees, with whatever arguments; those of its own module first.
fn candidates(db: &dyn Db, file: SourceFile, function: ItemId) -> Vec<ItemId> {
    let own = modules::module_view(db, item::file_of(db, function));
    let seen = modules::module_view(db, file);
    let mut files: Vec<SourceFile> = Vec::new();
    for &file in own.files.iter().chain(seen.files.iter()).chain(seen.imported.iter()) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let extensions = |file: &SourceFile| extensions_in(db, *file).get(&function).cloned().unwrap_or_default();
    files.iter().flat_map(extensions).collect()
}

/// The extensions that a file declares, by the function that they are for.
#[salsa::tracked(returns(ref), cycle_initial = extensions_initial)]
pub fn extensions_in(db: &dyn Db, file: SourceFile) -> FxHashMap<ItemId, Vec<ItemId>> {
    let mut extensions: FxHashMap<ItemId, Vec<ItemId>> = FxHashMap::default();
    for &item in function_extensions(db, file) {
        if let Target::Found(primal) = target(db, item) {
            extensions.entry(primal.item).or_default().push(item);
        }
    }
    extensions
}

fn extensions_initial(_db: &dyn Db, _id: salsa::Id, _file: SourceFile) -> FxHashMap<ItemId, Vec<ItemId>> {
    FxHashMap::default()
}

/// The `__func_extension`s of a file, so that an edit elsewhere resolves nothing again.
#[salsa::tracked(returns(deref))]
fn function_extensions(db: &dyn Db, file: SourceFile) -> Box<[ItemId]> {
    let items = prelude_index::items_written_with(db, file, &["__func_extension"]).into_iter();
    items.filter(|item| written(db, *item).is_some()).collect()
}

/// The earlier extension that gives the same function the same derivative.
pub fn earlier(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    let (Target::Found(primal), Some(extension)) = (target(db, item), written(db, item)) else { return None };
    let same = |other: &ItemId| {
        written(db, *other).is_some_and(|other| other.operator == extension.operator)
            && matches!(target(db, *other), Target::Found(found) if found.args == primal.args)
    };
    let extensions = extensions_in(db, item::file_of(db, item)).get(&primal.item)?;
    extensions.iter().copied().take_while(|other| *other != item).find(same)
}

/// A visibility that is written on the extension, where it means nothing.
pub fn written_visibility(db: &dyn Db, item: ItemId) -> Option<&'static str> {
    let modifiers = item::item_data(db, item).modifiers;
    [(Modifiers::PUBLIC, "public"), (Modifiers::INTERNAL, "internal"), (Modifiers::PRIVATE, "private")]
        .into_iter()
        .find_map(|(modifier, name)| modifiers.contains(modifier).then_some(name))
}
