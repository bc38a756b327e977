//! Lambdas, and what they have copies of.

use hir_def::{
    attribute::Modifiers,
    body::{ExprId, LambdaBody, LocalId, LocalKind},
    type_ref::TypeRef,
};

use super::{Infer, Returns};
use crate::{
    diagnostics::{Node, conversions},
    types::{
        closure::{self, Capture, ClosureCode},
        lower_ty::direction,
        ty::{ClosureTy, ParamDirection, Ty},
    },
};

/// A lambda whose body is being inferred.
#[derive(Debug)]
pub(super) struct Around {
    /// Where its bindings begin: those before belong to the code around it.
    start: usize,
    captures: Vec<(Capture, Ty)>,
}

impl Infer<'_> {
    pub(super) fn lambda(&mut self, id: ExprId, params: &[LocalId], body: LambdaBody) -> Ty {
        let returns = std::mem::replace(&mut self.returns, Returns::Infer(None));
        let (loops, breakables) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.breakables));
        self.lambdas.push(Around { start: self.bindings.len(), captures: Vec::new() });
        let (types, ret) = self.block(|infer| {
            let mut types: Vec<(ParamDirection, Ty)> = Vec::with_capacity(params.len());
            for param in params {
                let local = &infer.store.locals[*param];
                let ty = match local.ty {
                    Some(ty) if !matches!(infer.store.type_refs[ty], TypeRef::Infer) => infer.type_ref(ty),
                    _ => {
                        let place = infer.place(Node::Local(*param));
                        let name = local.name.clone();
                        infer.report(conversions::missing_type(place, &name));
                        Ty::Error
                    }
                };
                types.push((direction(local.modifiers), ty));
                infer.bind(*param, ty);
            }
            let ret = match body {
                LambdaBody::Expr(expr) => infer.value(expr, None),
                LambdaBody::Block(block) => {
                    infer.stmt(block);
                    match infer.returns {
                        Returns::Infer(Some(ty)) => ty,
                        Returns::Infer(None) | Returns::Nothing | Returns::Type(_) | Returns::Constructor(_) => {
                            Ty::Void
                        }
                    }
                }
            };
            (types, ret)
        });
        let captures = self.lambdas.pop().map(|around| around.captures).unwrap_or_default();
        self.returns = returns;
        (self.loops, self.breakables) = (loops, breakables);
        let code = ClosureCode::Lambda { within: closure::within(self.db, self.owner), expr: id };
        let (captures, params) = (captures.into_boxed_slice(), types.into_boxed_slice());
        Ty::Closure(ClosureTy::new(self.db, code, captures, params, ret))
    }

    /// Notes the use of a local: each lambda between it and its declaration has a copy.
    pub(super) fn capture_local(&mut self, local: LocalId) {
        let declared = &self.store.locals[local];
        // One variable for all, unless it is a constant.
        let is_shared = declared.kind == LocalKind::Static && !declared.modifiers.contains(Modifiers::CONST);
        if self.lambdas.is_empty() || is_shared {
            return;
        }
        let Some(position) = self.bindings.iter().rposition(|binding| binding.local == local) else { return };
        let ty = self.result.local_types.get(local).copied().unwrap_or(Ty::Error);
        for around in self.lambdas.iter_mut().filter(|around| position < around.start) {
            around.note(Capture::Local(local), ty);
        }
    }

    /// Notes the use of `this`, named or not.
    pub(super) fn capture_this(&mut self) {
        if let Some(this) = self.this {
            self.lambdas.iter_mut().for_each(|around| around.note(Capture::This, this.ty));
        }
    }

    /// Whether a local belongs to the code around the lambda that uses it.
    pub(super) fn is_captured(&self, local: LocalId) -> bool {
        let own = self.lambdas.last().and_then(|around| self.bindings.get(around.start..));
        own.is_some_and(|own| own.iter().all(|binding| binding.local != local))
    }
}

impl Around {
    fn note(&mut self, capture: Capture, ty: Ty) {
        if self.captures.iter().all(|(known, _)| *known != capture) {
            self.captures.push((capture, ty));
        }
    }
}
