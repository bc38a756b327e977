//! Names of functions: what they may refer to until a call or a context decides.

use hir_def::{
    body::{DerivativeOperator, Expr, ExprId},
    item::ItemId,
    name::Name,
    type_ref::GenericArgRef,
};

use super::{
    Infer,
    operand::Operand,
    result::{Callable, Resolution},
};
use crate::{
    conformance::members::{Member, Origin},
    diagnostics::calls,
    differential::signature as derivatives,
    generics::{
        self,
        substitute::{Substitution, substitute, substitute_many},
    },
    types::{
        closure::ClosureCode,
        signature::FunctionRef,
        ty::{ClosureTy, GenericArgs, ParamDirection, Ty},
    },
};

/// Functions that one name may mean.
#[derive(Debug, Clone)]
pub(super) struct FunctionSet {
    pub(super) name: Name,
    pub(super) candidates: Vec<Candidate>,
    pub(super) receiver: Receiver,
    /// Generic arguments that are written after the name.
    pub(super) explicit: Option<Vec<GenericArgRef>>,
    /// `fwd_diff`/`bwd_diff` around the name, innermost first.
    pub(super) operators: Vec<DerivativeOperator>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) item: ItemId,
    /// Arguments for the generic parameters around the declaration.
    pub(super) args: GenericArgs,
    pub(super) self_ty: Option<Ty>,
    pub(super) origin: Origin,
    /// Position in the list that lookup gave: nearer scopes first.
    pub(super) distance: u32,
}

/// What stands in front of a method's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    None,
    Expr(ExprId),
    /// `this.` is left out.
    Implicit,
    Type(Ty),
}

/// A parameter as a call sees it.
#[derive(Debug, Clone)]
pub(super) struct CallParam {
    pub(super) name: Name,
    pub(super) ty: Ty,
    pub(super) direction: ParamDirection,
    pub(super) has_default: bool,
}

/// The parameters and the result of a candidate, in terms of its generic parameters.
#[derive(Debug, Clone)]
pub(super) struct CallSignature {
    pub(super) params: Vec<CallParam>,
    pub(super) ret: Ty,
}

impl Candidate {
    pub(super) fn of_member(member: Member, index: usize) -> Candidate {
        Candidate {
            item: member.item,
            args: member.args,
            self_ty: member.self_ty,
            origin: member.origin,
            distance: index as u32,
        }
    }

    /// The candidate with its own generic parameters standing for themselves.
    pub(super) fn symbolic(&self, db: &dyn base_db::Db) -> FunctionRef {
        let args = generics::identity_args_within(db, self.item, self.args);
        FunctionRef { item: self.item, args, self_ty: self.self_ty }
    }
}

impl<'db> Infer<'db> {
    /// `fwd_diff(f)`.
    pub(super) fn derivative_operand(&mut self, kind: DerivativeOperator, function: ExprId) -> Operand {
        let operand = match &self.store.exprs[function] {
            Expr::Member { base, name, generic_args, arrow: _ } => {
                self.member_operand(function, *base, name, generic_args.as_deref(), true)
            }
            _ => self.operand(function, None),
        };
        match operand {
            Operand::Functions(mut set) => {
                set.operators.push(kind);
                Operand::Functions(set)
            }
            Operand::Value(Ty::Error) => Operand::Value(Ty::Error),
            Operand::Value(ty) => {
                let place = self.expr_place(function);
                let shown = self.show(ty);
                self.report(calls::expected_a_function(place, &shown));
                Operand::Value(Ty::Error)
            }
            Operand::Type(found) => {
                let shown = match found {
                    crate::types::resolve::TypeNs::Type(ty) => self.show(ty),
                    _ => "a type".to_owned(),
                };
                let place = self.expr_place(function);
                self.report(calls::expected_a_function(place, &shown));
                Operand::Value(Ty::Error)
            }
        }
    }

    /// The callable that a set means once one of its candidates is chosen.
    pub(super) fn callable(&self, function: FunctionRef, operators: &[DerivativeOperator]) -> Callable {
        operators.iter().fold(Callable::Function(function), |of, operator| Callable::Derivative {
            operator: *operator,
            of: Box::new(of),
        })
    }

    /// The parameters of a function as they are declared.
    pub(super) fn declared_signature(&self, item: ItemId) -> CallSignature {
        let declared = crate::types::signature::signature(self.db, item);
        let params = declared.params.iter().map(|param| CallParam {
            name: param.name.clone(),
            ty: param.ty,
            direction: param.direction,
            has_default: param.has_default,
        });
        CallSignature { params: params.collect(), ret: declared.ret }
    }

    /// The parameters of a function reference, derivatives applied. A derivative takes `this` as its first parameter.
    pub(super) fn call_signature(
        &self,
        function: FunctionRef,
        operators: &[DerivativeOperator],
    ) -> Option<CallSignature> {
        let db = self.db;
        if operators.is_empty() {
            let declared = crate::types::signature::signature(db, function.item);
            let substitution = Substitution::of_function(db, function);
            let params = declared
                .params
                .iter()
                .flat_map(|param| {
                    // A parameter pack is as many parameters as it has elements.
                    substitute_many(db, self.env, param.ty, &substitution).into_iter().map(|ty| CallParam {
                        name: param.name.clone(),
                        ty,
                        direction: param.direction,
                        has_default: param.has_default,
                    })
                })
                .collect();
            return Some(CallSignature { params, ret: substitute(db, self.env, declared.ret, &substitution) });
        }
        let signature = derivatives::callable_signature(db, self.env, &self.callable(function, operators)).ok()?;
        let params = signature
            .params
            .into_iter()
            .map(|param| CallParam {
                name: param.name,
                ty: param.ty,
                direction: param.direction,
                has_default: param.has_default,
            })
            .collect();
        Some(CallSignature { params, ret: signature.ret })
    }

    /// A function name as a value: a function type if there is just one, or the one that the context wants.
    pub(super) fn function_value(&mut self, id: ExprId, set: FunctionSet, expected: Option<Ty>) -> Ty {
        let db = self.db;
        let functions: Vec<FunctionRef> =
            set.candidates.iter().filter_map(|candidate| self.instantiated(&set, candidate)).collect();
        let typed: Vec<(FunctionRef, Ty)> = functions
            .into_iter()
            .filter_map(|function| {
                let signature = self.call_signature(function, &set.operators)?;
                let params: Vec<(ParamDirection, Ty)> =
                    signature.params.iter().map(|param| (param.direction, param.ty)).collect();
                Some((function, Ty::function(db, &params, signature.ret)))
            })
            .collect();
        let chosen = match (typed.as_slice(), expected) {
            ([only], _) => Some(*only),
            (several, Some(expected)) => several.iter().copied().find(|(_, ty)| *ty == expected),
            _ => None,
        };
        match chosen {
            Some((function, ty)) => {
                let ty = self.closure_of_function(function, &set.operators, ty);
                let callable = self.callable(function, &set.operators);
                self.result.resolutions.insert(id, Resolution::Function(Some(callable)));
                ty
            }
            None => {
                self.result.resolutions.insert(id, Resolution::Function(None));
                let place = self.expr_place(id);
                self.report(calls::overloaded_function_value(place, set.name.as_str()));
                Ty::Error
            }
        }
    }

    /// The type of a function's name as a value. Methods and derivatives have no type of their own.
    fn closure_of_function(&self, function: FunctionRef, operators: &[DerivativeOperator], ty: Ty) -> Ty {
        let has_receiver = crate::types::signature::signature(self.db, function.item).this.is_some();
        match ty {
            Ty::Function(ty) if operators.is_empty() && !has_receiver => {
                let (params, ret) = (ty.params(self.db), ty.ret(self.db));
                let code = ClosureCode::Function(function);
                Ty::Closure(ClosureTy::new(self.db, code, Box::default(), Box::from(params), ret))
            }
            ty => ty,
        }
    }
}
