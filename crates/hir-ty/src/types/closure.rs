//! Values that can be called: lambdas with their copies of variables, and functions by their names.
//!
//! Each has a type of its own ([`ClosureTy`]), so that what it is passed to is specialised for it. It conforms to `IFunc`
//! and, if it is differentiable, to `IDifferentiableFunc`. A lambda is differentiable where the function around it is: what
//! it copies carries derivatives into its calls.

use base_db::Db;
use hir_def::{
    body::{ExprId, LocalId},
    item::ItemId,
};

use crate::{
    differential::{of_type::differential_of, rules::derivative_rules},
    generics::{self, env::Env},
    types::{
        known::{self, Known},
        signature::FunctionRef,
        ty::{ClosureTy, GenericArg, GenericArgs, ParamDirection, Ty},
    },
};

/// What runs when the value is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClosureCode {
    /// The lambda `expr` in the body of a function (or in the initialiser of a variable) with its generic arguments.
    Lambda {
        /// The function around the lambda.
        within: FunctionRef,
        /// The lambda.
        expr: ExprId,
    },
    /// A function without receiver.
    Function(FunctionRef),
}

/// What a lambda has a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capture {
    /// A parameter or variable of the function around it.
    Local(LocalId),
    /// The receiver of the method around it.
    This,
}

impl ClosureTy {
    /// The function type of the same parameters and result.
    pub fn function_type(self, db: &dyn Db) -> Ty {
        Ty::function(db, self.params(db), self.ret(db))
    }

    /// The declaration whose attributes say whether calls are differentiable.
    pub fn declaration(self, db: &dyn Db) -> ItemId {
        match self.code(db) {
            ClosureCode::Lambda { within: function, .. } | ClosureCode::Function(function) => function.item,
        }
    }
}

/// `item` with its generic parameters standing for themselves.
pub(crate) fn within(db: &dyn Db, item: ItemId) -> FunctionRef {
    let this = generics::enclosing_aggregate(db, item).and_then(|aggregate| generics::self_type(db, aggregate));
    let self_ty = this.filter(|this| matches!(this, Ty::This(_)));
    FunctionRef { item, args: generics::identity_args(db, item), self_ty }
}

/// The differentials of what a closure has copies of, in order; `None` for those that carry no derivative.
pub fn capture_differentials(db: &dyn Db, env: Env, closure: ClosureTy) -> Vec<Option<Ty>> {
    closure.captures(db).iter().map(|(_, ty)| differential_of(db, env, *ty)).collect()
}

/// The differential of a closure's type: a tuple with one element for each copy that carries a derivative.
pub(crate) fn differential(db: &dyn Db, env: Env, closure: ClosureTy) -> Option<Ty> {
    let carried: Vec<Ty> = capture_differentials(db, env, closure).into_iter().flatten().collect();
    (!carried.is_empty()).then(|| Ty::tuple(db, &carried))
}

/// The interfaces that a closure conforms to, without those that they inherit.
pub(crate) fn interfaces(db: &dyn Db, env: Env, closure: ClosureTy) -> Vec<Ty> {
    let mut found = function_interfaces(db, closure.params(db), closure.ret(db));
    let rules = derivative_rules(db, closure.declaration(db));
    let carries = |ty: Ty| differential_of(db, env, ty).is_some();
    let all_carry = carries(closure.ret(db)) && closure.params(db).iter().all(|(_, ty)| carries(*ty));
    if !found.is_empty() && rules.forward_differentiable && rules.backward_differentiable && all_carry {
        let args = interface_arguments(db, closure.params(db), closure.ret(db));
        found.extend(known::interface_with(db, Known::IDifferentiableFunc, args));
    }
    if differential(db, env, closure).is_some() {
        found.extend(known::interface_type(db, Known::IDifferentiable));
    }
    found
}

/// The interfaces of everything that is called with these parameters: none where a parameter gives something out.
pub(crate) fn function_interfaces(db: &dyn Db, params: &[(ParamDirection, Ty)], ret: Ty) -> Vec<Ty> {
    if params.iter().any(|(direction, _)| *direction != ParamDirection::In) {
        return Vec::new();
    }
    let args = interface_arguments(db, params, ret);
    [Known::IFunc, Known::IMutatingFunc]
        .into_iter()
        .filter_map(|known| known::interface_with(db, known, args))
        .collect()
}

fn interface_arguments(db: &dyn Db, params: &[(ParamDirection, Ty)], ret: Ty) -> [GenericArg; 2] {
    let params: Box<[GenericArg]> = params.iter().map(|(_, ty)| GenericArg::Type(*ty)).collect();
    [GenericArg::Type(ret), GenericArg::Pack(GenericArgs::new(db, params))]
}
