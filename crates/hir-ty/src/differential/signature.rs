//! The signatures of `fwd_diff(f)` and `bwd_diff(f)`.
//!
//! | primal | `fwd_diff` | `bwd_diff` |
//! |---|---|---|
//! | `in T` (T differentiable) | `DifferentialPair<T>` | `inout DifferentialPair<T>` |
//! | `out T` | `out DifferentialPair<T>` | `in T.Differential` |
//! | `inout T` | `inout DifferentialPair<T>` | `inout DifferentialPair<T>` |
//! | `in P` (P : IDifferentiablePtrType) | `DifferentialPtrPair<P>` | `DifferentialPtrPair<P>` |
//! | `no_diff` or non-differentiable `in` | unchanged | unchanged |
//! | non-differentiable `out` | `out` | dropped |
//! | non-differentiable `inout` | `inout` | `in` |
//! | return `T` | `DifferentialPair<T>` | last parameter, `in T.Differential` |
//! | return, non-differentiable or `no_diff` | unchanged | dropped |
//! | `this` of a differentiable type | pair first | `inout` pair first |
//! | `this`, `[mutating]` | `inout` pair first | `inout` pair first |
//! | `this` of a non-differentiable type | `this` first | `this` first |
//!
//! The steps of `bwd_diff(f)` can be called one by one. `f.apply_bwd` takes what `f` takes and returns a tuple of its result
//! and a context (the context alone for `void`). A context is called with a place for the derivative of each parameter
//! (`out` for `in`, `inout` for `inout`, the derivative itself for `out`; `none` for parameters without) and the derivative
//! of the result last. `f.remat`
//! takes the context and what goes into `f`, and returns the context.

use base_db::Db;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemKind},
    name::Name,
};

use super::{
    function_extension,
    of_type::{Differentiability, differentiability},
};
use crate::{
    generics::{
        self,
        env::Env,
        packs,
        substitute::{Substitution, substitute, substitute_many},
    },
    infer::result::{Callable, SynthesizedOperation},
    types::{
        signature::{self, FunctionRef},
        ty::{BuiltinType, GenericArg, ParamDirection, Ty},
    },
};

/// The parameters and the result of anything that can be called, derivatives included: `this`, where there is one, is
/// the first parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallableSignature {
    /// The parameters, the receiver first.
    pub params: Vec<CallableParam>,
    /// The type of the result.
    pub ret: Ty,
    /// Whether the result is marked `no_diff`.
    pub ret_no_diff: bool,
}

/// A parameter of anything that can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallableParam {
    /// Its name; `this` for the receiver.
    pub name: Name,
    /// Its type, without what the direction adds.
    pub ty: Ty,
    /// How it is passed.
    pub direction: ParamDirection,
    /// Whether it is marked `no_diff`.
    pub no_diff: bool,
    /// Whether a call may leave it out.
    pub has_default: bool,
    /// What it carries.
    pub role: ParamRole,
}

/// What a parameter carries. Numbers are positions in the parameters of the function that is differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamRole {
    /// A parameter that was written (not of a derivative).
    Written,
    /// The receiver.
    This,
    /// In a derivative: value and derivative of parameter `0`.
    Pair(usize),
    /// In a derivative: the value of parameter `0` alone.
    Primal(usize),
    /// In `bwd_diff`: the derivative of what parameter `0` gives out.
    Cotangent(usize),
    /// In `bwd_diff`: the derivative of the result.
    ResultCotangent,
    /// In the call of a context: `none`, where parameter `0` has no derivative.
    Absent(usize),
}

/// Derivatives of derivatives of …: deeper nesting is refused.
const MAX_ORDER: usize = 8;

/// Why there is no derivative signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSignature {
    /// Something that is not a function with a declaration: a lambda, a member-wise constructor.
    NotAFunction,
    /// Derivatives nested too deeply.
    TooDeep,
    /// `apply_bwd` of a derivative or of a requirement.
    NoContext,
}

/// The signature of `fwd_diff(callable)` or `bwd_diff(callable)`. Whether the function may be differentiated is not asked
/// here (see [`super::rules`]), so that a call of a derivative that does not exist still has types.
pub fn derivative_signature(
    db: &dyn Db,
    env: Env,
    callable: &Callable,
    operator: DerivativeOperator,
) -> Result<CallableSignature, NoSignature> {
    Ok(differentiate(db, env, &callable_signature(db, env, callable)?, operator))
}

/// The signature of anything that can be called and has one.
pub fn callable_signature(db: &dyn Db, env: Env, callable: &Callable) -> Result<CallableSignature, NoSignature> {
    let mut operators = Vec::new();
    let mut innermost = callable;
    while let Callable::Derivative { operator, of } = innermost {
        if operators.len() == MAX_ORDER {
            return Err(NoSignature::TooDeep);
        }
        operators.push(*operator);
        innermost = of;
    }
    // Contexts are those of functions that are written; `fwd_diff(f.apply_bwd)` has no signature of its own.
    let has_context = matches!(innermost, Callable::Function(function) if function.self_ty.is_none());
    if operators.iter().any(|operator| is_phase(*operator)) && !(operators.len() == 1 && has_context) {
        return Err(NoSignature::NoContext);
    }
    let mut signature = match innermost {
        Callable::Function(function) if operators.is_empty() => function_signature(db, env, *function),
        Callable::Function(function) => return Ok(derivative_of_function(db, env, *function, &operators)),
        Callable::Synthesized { operation, ty } => synthesized_signature(db, env, *operation, *ty),
        Callable::Make(_) | Callable::Value(_) | Callable::Derivative { .. } => return Err(NoSignature::NotAFunction),
    };
    for operator in operators.into_iter().rev() {
        signature = differentiate(db, env, &signature, operator);
    }
    Ok(signature)
}

/// What a generic function's parameters carry is decided where it is declared, as in slangc: a parameter of type `T` carries
/// a derivative only if `T` is bounded by `IDifferentiable` there, whatever `T` stands for in this use. With a derivative
/// from a `__func_extension`, which is written for just these arguments, it is decided by what `T` stands for.
fn derivative_of_function(
    db: &dyn Db,
    env: Env,
    function: FunctionRef,
    operators: &[DerivativeOperator],
) -> CallableSignature {
    let phase = operators.first().filter(|operator| is_phase(**operator));
    if function_extension::is_extended(db, env, function) {
        let signature = function_signature(db, env, function);
        let signature =
            operators.iter().rev().fold(signature, |signature, operator| differentiate(db, env, &signature, *operator));
        return match phase {
            Some(phase) => with_context(db, signature, *phase, context_type(function)),
            None => signature,
        };
    }
    let declared_env = Env::of(db, function.item);
    let symbolic = FunctionRef { item: function.item, args: generics::identity_args(db, function.item), self_ty: None };
    let mut signature = function_signature(db, declared_env, symbolic);
    for operator in operators.iter().rev() {
        signature = differentiate(db, declared_env, &signature, *operator);
    }
    let substitution = Substitution::of_function(db, function);
    // A parameter pack is as many parameters as it has elements.
    let one_per_element = |param: CallableParam| {
        let types = substitute_many(db, env, param.ty, &substitution);
        types.into_iter().map(move |ty| CallableParam { ty, ..param.clone() })
    };
    signature.params = signature.params.into_iter().flat_map(one_per_element).collect();
    signature.ret = substitute(db, env, signature.ret, &substitution);
    match phase {
        Some(phase) => with_context(db, signature, *phase, context_type(function)),
        None => signature,
    }
}

/// Whether an operator is one of the steps of reverse mode that deal with a context.
pub fn is_phase(operator: DerivativeOperator) -> bool {
    match operator {
        DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate => true,
        DerivativeOperator::Forward | DerivativeOperator::Backward => false,
    }
}

/// The type of the contexts that `f.apply_bwd` gives: it goes by the name of the function.
pub fn context_type(function: FunctionRef) -> Ty {
    Ty::Adt(function.item, function.args)
}

/// The function whose contexts have type `ty`, if they are made by the compiler.
pub fn function_of_context(db: &dyn Db, ty: Ty) -> Option<FunctionRef> {
    let Ty::Adt(item, args) = ty else { return None };
    let is_function = matches!(
        item::item_data(db, item).kind,
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }
    );
    is_function.then_some(FunctionRef { item, args, self_ty: None })
}

/// `apply_bwd` gives a tuple of the result and the context, or the context alone; `remat` takes the context first.
fn with_context(
    db: &dyn Db,
    mut signature: CallableSignature,
    phase: DerivativeOperator,
    context: Ty,
) -> CallableSignature {
    match phase {
        DerivativeOperator::Apply if signature.ret == Ty::Void => signature.ret = context,
        DerivativeOperator::Apply => signature.ret = Ty::tuple(db, &[signature.ret, context]),
        DerivativeOperator::Remat => {
            let (name, role) = (Name::new("context"), ParamRole::This);
            let direction = ParamDirection::In;
            let param = CallableParam { name, ty: context, direction, no_diff: false, has_default: false, role };
            signature.params.insert(0, param);
            signature.ret = context;
        }
        DerivativeOperator::Forward | DerivativeOperator::Backward | DerivativeOperator::Propagate => {}
    }
    signature.ret_no_diff = false;
    signature
}

/// The signature of a function with its generic arguments put in; a constructor returns what it makes.
pub fn function_signature(db: &dyn Db, env: Env, function: FunctionRef) -> CallableSignature {
    let declared = signature::signature(db, function.item);
    let substitution = Substitution::of_function(db, function);
    let put_in = |ty: Ty| substitute(db, env, ty, &substitution);
    let this = declared.receiver(db).map(|this| CallableParam {
        name: Name::new("this"),
        ty: put_in(this.ty),
        direction: if this.mutating { ParamDirection::InOut } else { ParamDirection::In },
        no_diff: this.no_diff,
        has_default: false,
        role: ParamRole::This,
    });
    // A parameter pack is as many parameters as it has elements.
    let written = declared.params.iter().flat_map(|param| {
        substitute_many(db, env, param.ty, &substitution).into_iter().map(|ty| CallableParam {
            name: param.name.clone(),
            ty,
            direction: param.direction,
            no_diff: param.no_diff,
            has_default: param.has_default,
            role: ParamRole::Written,
        })
    });
    CallableSignature {
        params: this.into_iter().chain(written).collect(),
        ret: put_in(declared.ret),
        ret_no_diff: declared.ret_no_diff,
    }
}

/// `dzero()`, `dadd(a, b)`, `dmul(s, a)` of `ty`.
fn synthesized_signature(db: &dyn Db, env: Env, operation: SynthesizedOperation, ty: Ty) -> CallableSignature {
    let differential = super::differential_of(db, env, ty).unwrap_or(Ty::Error);
    let param = |name: &str, ty: Ty| CallableParam {
        name: Name::new(name),
        ty,
        direction: ParamDirection::In,
        no_diff: false,
        has_default: false,
        role: ParamRole::Written,
    };
    let params = match operation {
        SynthesizedOperation::DZero => Vec::new(),
        SynthesizedOperation::DAdd => vec![param("a", differential), param("b", differential)],
        SynthesizedOperation::DMul => vec![param("s", Ty::FLOAT), param("a", differential)],
    };
    CallableSignature { params, ret: differential, ret_no_diff: false }
}

/// What travels with a value in a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Carries {
    /// The value is the same in the derivative.
    Nothing,
    /// A derivative, which is a value of its own.
    Value,
    /// A place for derivatives, which the caller provides.
    Pointer,
}

/// The table at the top of this file: what the parameters of a derivative stand for, given direction and companion of those
/// of the primal function.
pub fn derivative_roles(
    operator: DerivativeOperator,
    params: impl IntoIterator<Item = (ParamDirection, Carries)>,
    result: Carries,
) -> Vec<(ParamRole, ParamDirection)> {
    let role_of = |(index, (direction, carries))| match operator {
        DerivativeOperator::Forward => Some(match carries {
            Carries::Nothing => (ParamRole::Primal(index), direction),
            Carries::Value | Carries::Pointer => (ParamRole::Pair(index), direction),
        }),
        DerivativeOperator::Backward => match (carries, direction) {
            (Carries::Pointer, _) => Some((ParamRole::Pair(index), direction)),
            (Carries::Value, ParamDirection::Out) => Some((ParamRole::Cotangent(index), ParamDirection::In)),
            (Carries::Value, _) => Some((ParamRole::Pair(index), ParamDirection::InOut)),
            (Carries::Nothing, ParamDirection::Out) => None,
            (Carries::Nothing, _) => Some((ParamRole::Primal(index), ParamDirection::In)),
        },
        DerivativeOperator::Apply => Some(match carries {
            Carries::Pointer => (ParamRole::Pair(index), direction),
            Carries::Nothing | Carries::Value => (ParamRole::Primal(index), direction),
        }),
        DerivativeOperator::Remat => match (carries, direction) {
            (_, ParamDirection::Out) => None,
            (Carries::Pointer, _) => Some((ParamRole::Pair(index), ParamDirection::In)),
            (Carries::Nothing | Carries::Value, _) => Some((ParamRole::Primal(index), ParamDirection::In)),
        },
        DerivativeOperator::Propagate => match (carries, direction) {
            (Carries::Pointer | Carries::Nothing, _) => Some((ParamRole::Absent(index), ParamDirection::In)),
            (Carries::Value, ParamDirection::In | ParamDirection::ConstRef) => {
                Some((ParamRole::Cotangent(index), ParamDirection::Out))
            }
            (Carries::Value, ParamDirection::InOut | ParamDirection::Ref) => {
                Some((ParamRole::Cotangent(index), ParamDirection::InOut))
            }
            (Carries::Value, ParamDirection::Out) => Some((ParamRole::Cotangent(index), ParamDirection::In)),
        },
    };
    let mut roles: Vec<(ParamRole, ParamDirection)> = params.into_iter().enumerate().filter_map(role_of).collect();
    if matches!(operator, DerivativeOperator::Backward | DerivativeOperator::Propagate) && result == Carries::Value {
        roles.push((ParamRole::ResultCotangent, ParamDirection::In));
    }
    roles
}

/// The types that the table gives.
pub(super) fn differentiate(
    db: &dyn Db,
    env: Env,
    primal: &CallableSignature,
    operator: DerivativeOperator,
) -> CallableSignature {
    let kind_of = |no_diff, ty| if no_diff { Differentiability::None } else { differentiability(db, env, ty) };
    let kinds: Vec<Differentiability> = primal.params.iter().map(|param| kind_of(param.no_diff, param.ty)).collect();
    let ret_kind = kind_of(primal.ret_no_diff, primal.ret);
    let carried = primal.params.iter().zip(&kinds).map(|(param, kind)| (param.direction, kind.carries()));
    let mut params: Vec<CallableParam> = Vec::new();
    for (role, direction) in derivative_roles(operator, carried, ret_kind.carries()) {
        let (name, ty, of) = match role {
            ParamRole::Pair(index) => {
                let param = &primal.params[index];
                (param.name.clone(), pair_type(db, param.ty, kinds[index]), None)
            }
            ParamRole::Primal(index) => {
                let param = &primal.params[index];
                (param.name.clone(), param.ty, Some(param))
            }
            ParamRole::Cotangent(index) => {
                let param = &primal.params[index];
                (param.name.clone(), kinds[index].differential().unwrap_or(Ty::Error), None)
            }
            ParamRole::ResultCotangent => {
                (unused_name(&params, RESULT_COTANGENT), ret_kind.differential().unwrap_or(Ty::Error), None)
            }
            ParamRole::Absent(index) => (primal.params[index].name.clone(), Ty::NoneLiteral, None),
            // The table makes no such parameters.
            ParamRole::Written | ParamRole::This => continue,
        };
        let no_diff = of.is_some_and(|param| param.no_diff);
        // As in slangc, a derivative is called with all its arguments.
        params.push(CallableParam { name, ty, direction, no_diff, has_default: false, role });
    }
    match operator {
        DerivativeOperator::Backward | DerivativeOperator::Propagate => {
            CallableSignature { params, ret: Ty::Void, ret_no_diff: false }
        }
        // The context is put in by `with_context`, which knows the function.
        DerivativeOperator::Apply | DerivativeOperator::Remat => {
            CallableSignature { params, ret: primal.ret, ret_no_diff: primal.ret_no_diff }
        }
        DerivativeOperator::Forward if ret_kind == Differentiability::None => {
            CallableSignature { params, ret: primal.ret, ret_no_diff: primal.ret_no_diff }
        }
        DerivativeOperator::Forward => {
            CallableSignature { params, ret: pair_type(db, primal.ret, ret_kind), ret_no_diff: false }
        }
    }
}

/// The user guide's name for the derivative of the result.
const RESULT_COTANGENT: &str = "dResult";

/// `ty` itself, `DifferentialPair<ty>` or `DifferentialPtrPair<ty>`.
pub(crate) fn pair_type(db: &dyn Db, ty: Ty, kind: Differentiability) -> Ty {
    match kind {
        Differentiability::None => ty,
        // A pair for each element of a pack.
        Differentiability::Value(_) if let Ty::Expand(expand) = ty => {
            let pair = Ty::pair(db, expand.pattern(db));
            Ty::expand_over(db, pair, &packs::sources_of_element(db, GenericArg::Type(ty)))
        }
        Differentiability::Value(_) => Ty::pair(db, ty),
        Differentiability::Pointer(_) => Ty::builtin(db, BuiltinType::DifferentialPtrPair, [GenericArg::Type(ty)]),
    }
}

/// `wanted`, with underscores if a parameter has that name.
fn unused_name(params: &[CallableParam], wanted: &str) -> Name {
    let mut name = wanted.to_owned();
    while params.iter().any(|param| param.name.as_str() == name) {
        name.push('_');
    }
    Name::new(&name)
}
