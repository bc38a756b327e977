//! Which places of a body keep the derivative of what is stored in them.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{self, Body, Expr, ExprId, LocalKind},
    item::{self, ItemId},
};
use hir_ty::{
    differential::differential_of,
    env::Env,
    infer::{
        self,
        result::{Base, InferenceResult, Resolution},
    },
    signature::{self, FunctionSignature},
    ty::{BuiltinType, ParamDirection, Ty},
};

const MAX_DEPTH: u32 = ::diagnostics::limits::OUTPUT_PLACES;

/// What is asked of the places of a body.
pub(crate) struct Places<'db> {
    db: &'db dyn Db,
    env: Env,
    body: &'db Body,
    inference: &'db InferenceResult,
    signature: &'db FunctionSignature,
}

impl<'db> Places<'db> {
    pub(crate) fn new(db: &'db dyn Db, item: ItemId) -> Places<'db> {
        Places {
            db,
            env: Env::of(db, item),
            body: body::queries::body(db, item),
            inference: infer::infer(db, item),
            signature: signature::signature(db, item),
        }
    }

    /// Whether `expr` is a part of what an `out` or `inout` parameter, or the receiver, hands back to the caller without a
    /// derivative, since the source marks it `no_diff`.
    pub(crate) fn comes_out_without_derivative(&self, expr: ExprId) -> bool {
        let mut place = expr;
        // Each step goes to an operand, of which an expression tree has finitely many.
        loop {
            let base = match self.inference.resolutions.get(&place) {
                Some(Resolution::Local(local)) => {
                    let LocalKind::Param { index } = self.body.store.locals[*local].kind else { return false };
                    return self.signature.params.get(index as usize).is_some_and(|param| {
                        param.no_diff && matches!(param.direction, ParamDirection::Out | ParamDirection::InOut)
                    });
                }
                Some(Resolution::Field { base: Base::Expr(base), .. }) => *base,
                Some(Resolution::Field { base: Base::ImplicitThis, .. }) => return self.receiver_is_no_diff(),
                Some(
                    Resolution::Element { base, .. }
                    | Resolution::Swizzle { base, .. }
                    | Resolution::MatrixSwizzle { base, .. }
                    | Resolution::TupleElement { base, .. },
                ) => *base,
                _ => return matches!(self.body.store.exprs[place], Expr::This) && self.receiver_is_no_diff(),
            };
            place = base;
        }
    }

    fn receiver_is_no_diff(&self) -> bool {
        self.signature.this.is_some_and(|this| this.no_diff)
    }

    pub(crate) fn carries(&self, expr: ExprId) -> bool {
        self.is_differentiable(self.inference.expr_types.get(expr).copied().unwrap_or(Ty::Error))
    }

    fn is_differentiable(&self, ty: Ty) -> bool {
        differential_of(self.db, self.env, ty).is_some()
    }

    /// The type whose field `expr` is, if nothing but this type keeps the field from having a derivative.
    pub(crate) fn plain_owner(&self, expr: ExprId) -> Option<Ty> {
        let Some(Resolution::Field { base, item }) = self.inference.resolutions.get(&expr) else { return None };
        let is_no_diff = item::item_data(self.db, *item).modifiers.contains(Modifiers::NO_DIFF);
        let ty = match base {
            Base::Expr(base) if self.holds(*base, 0) => self.inference.expr_types.get(*base).copied()?,
            Base::Expr(_) => return None,
            Base::ImplicitThis => self.signature.this.filter(|this| !this.no_diff)?.ty,
        };
        (!is_no_diff && !self.is_differentiable(ty)).then_some(ty)
    }

    /// Whether what is stored in the place `expr` keeps its derivative.
    pub(crate) fn holds_derivative(&self, expr: ExprId) -> bool {
        self.holds(expr, 0)
    }

    fn holds(&self, expr: ExprId, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        match self.inference.resolutions.get(&expr) {
            Some(Resolution::Local(local)) => match self.body.store.locals[*local].kind {
                LocalKind::Param { index } => {
                    self.signature.params.get(index as usize).is_none_or(|param| !param.no_diff)
                }
                LocalKind::Variable | LocalKind::Let => true,
                LocalKind::Static => false,
            },
            Some(Resolution::Global { .. }) => false,
            Some(Resolution::Field { base, item }) => {
                !item::item_data(self.db, *item).modifiers.contains(Modifiers::NO_DIFF)
                    && self.base_holds_derivative(*base, depth)
            }
            Some(Resolution::Element { base, .. }) => match self.inference.expr_types.get(*base) {
                Some(Ty::Builtin(BuiltinType::Array | BuiltinType::Vector | BuiltinType::Matrix, _)) => {
                    self.holds(*base, depth + 1)
                }
                Some(Ty::Error) | None => true,
                Some(_) => false,
            },
            Some(
                Resolution::Swizzle { base, .. }
                | Resolution::MatrixSwizzle { base, .. }
                | Resolution::TupleElement { base, .. },
            ) => self.holds(*base, depth + 1),
            _ => true,
        }
    }

    fn base_holds_derivative(&self, base: Base, depth: u32) -> bool {
        match base {
            Base::Expr(base) => {
                let ty = self.inference.expr_types.get(base).copied().unwrap_or(Ty::Error);
                ty.is_error() || (self.is_differentiable(ty) && self.holds(base, depth + 1))
            }
            Base::ImplicitThis => {
                self.signature.this.is_none_or(|this| !this.no_diff && self.is_differentiable(this.ty))
            }
        }
    }
}
