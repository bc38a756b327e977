//! Which function an attribute such as `[ForwardDerivative(f)]` or `[BackwardDerivativeOf(f)]` ties to its own: the
//! overload whose signature fits.

use base_db::Db;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
};

use super::{
    attribute::{Association, AssociationKind, DerivativeAttribute, WrittenAttribute},
    fit::{Mismatch, Tolerance, fit},
    named::functions_named,
    signature::{CallableSignature, derivative_signature, function_signature},
};
use crate::{
    conformance,
    generics::{
        self,
        env::{Bound, Env},
        substitute::Substitution,
    },
    infer::result::Callable,
    types::{
        signature::FunctionRef,
        ty::{GenericArg, GenericArgs, TypeParam},
    },
};

/// What an association attribute comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The function that it names.
    Found(Chosen),
    /// There is no function of that name.
    Unresolved,
    /// No function of that name fits; the first one, and why not.
    Mismatch(Box<Misfit>),
}

/// The function that an attribute of a derivative means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The function.
    pub item: ItemId,
}

/// A function that is named as a derivative, and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The function that is differentiated.
    pub primal: ItemId,
    /// The function that is named.
    pub other: ItemId,
    /// The signature that the derivative has to have.
    pub expected: CallableSignature,
    /// The signature that it has.
    pub found: CallableSignature,
    /// Their first difference.
    pub mismatch: Mismatch,
}

/// The function that the attribute names, of several overloads the one that fits.
pub fn choose(db: &dyn Db, written: WrittenAttribute) -> Choice {
    let DerivativeAttribute::Association(association) = written.attribute else { return Choice::Unresolved };
    let Some(argument) = written.argument else { return Choice::Unresolved };
    let mut misfit = None;
    // Of overloads, one whose numbers have to be converted is worse.
    for numbers in [false, true] {
        for candidate in functions_named(db, written.item, argument).into_iter().map(|named| named.item) {
            let (primal, other) =
                if association.reversed { (candidate, written.item) } else { (written.item, candidate) };
            match check(db, association, primal, other, numbers) {
                Ok(()) => return Choice::Found(Chosen { item: candidate }),
                Err(found) => {
                    misfit.get_or_insert(found);
                }
            }
        }
    }
    misfit.map_or(Choice::Unresolved, Choice::Mismatch)
}

/// Whether `other` can be the derivative or substitute of `primal`; with other types of `numbers` as well, if it is a derivative.
fn check(
    db: &dyn Db,
    association: Association,
    primal: ItemId,
    other: ItemId,
    numbers: bool,
) -> Result<(), Box<Misfit>> {
    let env = Env::of(db, other);
    let found = function_signature(db, env, identity(db, other));
    let expected = expected_signature(db, association.kind, identity(db, primal));
    let own = own_parameters(db, primal, other);
    // slangc passes on the arguments of the function in their order; the mirror images it deduces.
    let by_position =
        if association.reversed { Vec::new() } else { arguments_by_position(db, identity(db, primal), other, &own) };
    let allowed = tolerance(db, association.kind, primal);
    let allowed = Tolerance { numbers: numbers && allowed.numbers, ..allowed };
    let mismatch = match fit(db, env, &found, &expected, &own, allowed, &by_position) {
        Ok(substitution) => unmet_bound(db, primal, other, &substitution).map(Mismatch::Unmet).or_else(|| {
            let by_original = || unmet_by_original(db, primal, other, &substitution);
            association.reversed.then(by_original).flatten().map(Mismatch::UnmetByOriginal)
        }),
        Err(mismatch) => Some(mismatch),
    };
    match mismatch {
        Some(mismatch) => Err(Box::new(Misfit { primal, other, expected, found, mismatch })),
        None => Ok(()),
    }
}

/// What `other` asks of its generic arguments although `primal`, which is given the same, does not.
fn unmet_bound(db: &dyn Db, primal: ItemId, other: ItemId, own: &Substitution) -> Option<Bound> {
    let parameters = generics::parameters(db, other).iter();
    let args = parameters.map(|param| own.get(*param).unwrap_or_else(|| generics::as_arg(db, *param)));
    let args = GenericArgs::new(db, args.collect::<Box<[GenericArg]>>());
    conformance::first_unmet_bound(db, Env::of(db, primal), other, args, None)
}

/// What `primal` asks of its generic arguments although `other`, which names it, does not: as in slangc, those are found from
/// the parameters of `other`.
fn unmet_by_original(db: &dyn Db, primal: ItemId, other: ItemId, own: &Substitution) -> Option<Bound> {
    let parameters = generics::parameters(db, other);
    let mirrored = |param: TypeParam| {
        let found = parameters.iter().find(|of_other| own.get(**of_other) == Some(generics::as_arg(db, param)));
        generics::as_arg(db, found.copied().unwrap_or(param))
    };
    let args = generics::parameters(db, primal).iter().map(|param| mirrored(*param));
    let args = GenericArgs::new(db, args.collect::<Box<[GenericArg]>>());
    conformance::first_unmet_bound(db, Env::of(db, other), primal, args, None)
}

/// The signature that the derivative or substitute of a function must have.
pub fn expected_signature(db: &dyn Db, kind: AssociationKind, primal: FunctionRef) -> CallableSignature {
    expected_in(db, Env::of(db, primal.item), kind, primal)
}

fn expected_in(db: &dyn Db, env: Env, kind: AssociationKind, primal: FunctionRef) -> CallableSignature {
    let operator = match kind {
        AssociationKind::ForwardDerivative => DerivativeOperator::Forward,
        AssociationKind::BackwardDerivative => DerivativeOperator::Backward,
        AssociationKind::PrimalSubstitute => return function_signature(db, env, primal),
    };
    derivative_signature(db, env, &Callable::Function(primal), operator)
        .unwrap_or_else(|_| function_signature(db, env, primal))
}

/// `derivative` with the generic arguments that make it the derivative (or substitute) of just this `primal`; `None` if
/// they do not follow from the signature.
pub fn instantiate(
    db: &dyn Db,
    env: Env,
    kind: AssociationKind,
    primal: FunctionRef,
    derivative: ItemId,
) -> Option<FunctionRef> {
    let primal_parameters = generics::parameters(db, primal.item);
    let shared = |parameter: &TypeParam| {
        let position = primal_parameters.iter().position(|other| other == parameter)?;
        primal.args.args(db).get(position).copied()
    };
    let parameters = generics::parameters(db, derivative);
    let with_shared = |otherwise: &dyn Fn(TypeParam) -> Option<GenericArg>| -> Option<FunctionRef> {
        let args: Option<Box<[GenericArg]>> =
            parameters.iter().map(|parameter| shared(parameter).or_else(|| otherwise(*parameter))).collect();
        let same_container = item::container(db, derivative) == item::container(db, primal.item);
        let self_ty = primal.self_ty.filter(|_| same_container);
        Some(FunctionRef { item: derivative, args: GenericArgs::new(db, args?), self_ty })
    };
    let own = own_parameters(db, primal.item, derivative);
    if own.is_empty() {
        return with_shared(&|_| None);
    }
    let open = with_shared(&|parameter| Some(generics::as_arg(db, parameter)))?;
    let found = function_signature(db, env, open);
    let expected = expected_in(db, env, kind, primal);
    let by_position = arguments_by_position(db, primal, derivative, &own);
    let allowed = tolerance(db, kind, primal.item);
    let substitution = fit(db, env, &found, &expected, &own, allowed, &by_position).ok()?;
    with_shared(&|parameter| substitution.get(parameter))
}

/// The arguments of `primal` for the parameters `own` of `derivative`, one by one; empty if those are not as many, or of
/// other kinds.
fn arguments_by_position(db: &dyn Db, primal: FunctionRef, derivative: ItemId, own: &[TypeParam]) -> Vec<GenericArg> {
    let shared = generics::parameters(db, derivative);
    let parameters = generics::parameters(db, primal.item).iter().zip(primal.args.args(db));
    let args: Vec<GenericArg> =
        parameters.filter(|(parameter, _)| !shared.contains(parameter)).map(|(_, arg)| *arg).collect();
    let same_kind = |(arg, parameter): (&GenericArg, &TypeParam)| {
        std::mem::discriminant(arg) == std::mem::discriminant(&generics::as_arg(db, *parameter))
    };
    if args.len() == own.len() && args.iter().zip(own).all(same_kind) { args } else { Vec::new() }
}

/// The generic parameters of `other` that are not also in scope of `primal`.
fn own_parameters(db: &dyn Db, primal: ItemId, other: ItemId) -> Vec<TypeParam> {
    let shared = generics::parameters(db, primal);
    generics::parameters(db, other).iter().copied().filter(|parameter| !shared.contains(parameter)).collect()
}

/// `[NoDiffThis]`: the user guide has the derivative take `this` as it is; slangc asks for the pair. Both are accepted. A derivative
/// is called with what its function is called with, a substitute takes its place.
fn tolerance(db: &dyn Db, kind: AssociationKind, primal: ItemId) -> Tolerance {
    Tolerance {
        receiver: crate::types::signature::signature(db, primal).this.is_some_and(|this| this.no_diff),
        numbers: match kind {
            AssociationKind::ForwardDerivative | AssociationKind::BackwardDerivative => true,
            AssociationKind::PrimalSubstitute => false,
        },
    }
}

/// A function with its own parameters as arguments.
pub fn identity(db: &dyn Db, item: ItemId) -> FunctionRef {
    FunctionRef { item, args: generics::identity_args(db, item), self_ty: None }
}
