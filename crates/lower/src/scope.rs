//! The text that is being lowered, with what inference found out about it and what its generic parameters stand for.

use base_db::Db;
use hir_def::{
    body::{Body, ExprStore},
    item::ItemId,
};
use hir_ty::{
    env::Env,
    generics,
    infer::{self, result::InferenceResult},
    packs,
    signature::{self, FunctionRef},
    substitute::{Substitution, substitute, substitute_args, substitute_const},
    ty::{Const, GenericArg, GenericArgs, Ty},
};

#[derive(Debug, Clone)]
pub(crate) struct Scope<'db> {
    pub item: ItemId,
    pub kind: ScopeKind,
    pub store: &'db ExprStore,
    pub inference: &'db InferenceResult,
    pub args: GenericArgs,
    /// The type of `this`.
    pub this: Option<Ty>,
    substitution: Substitution,
    env: Env,
}

/// Which text of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Body,
    /// Default arguments.
    Signature,
}

impl<'db> Scope<'db> {
    pub(crate) fn of_function(db: &'db dyn Db, function: FunctionRef, body: &'db Body) -> Scope<'db> {
        let substitution = Substitution::of_function(db, function);
        let inference = infer::infer(db, function.item);
        Scope::new(db, function.item, function.args, substitution, &body.store, inference, ScopeKind::Body)
    }

    pub(crate) fn of_item(db: &'db dyn Db, item: ItemId, args: GenericArgs, body: &'db Body) -> Scope<'db> {
        let substitution = Substitution::of_item(db, item, args);
        Scope::new(db, item, args, substitution, &body.store, infer::infer(db, item), ScopeKind::Body)
    }

    pub(crate) fn of_signature(
        db: &'db dyn Db,
        function: FunctionRef,
        store: &'db ExprStore,
        inference: &'db InferenceResult,
    ) -> Scope<'db> {
        let substitution = Substitution::of_function(db, function);
        Scope::new(db, function.item, function.args, substitution, store, inference, ScopeKind::Signature)
    }

    fn new(
        db: &'db dyn Db,
        item: ItemId,
        args: GenericArgs,
        substitution: Substitution,
        store: &'db ExprStore,
        inference: &'db InferenceResult,
        kind: ScopeKind,
    ) -> Scope<'db> {
        let env = Env::of(db, item);
        let this = generics::enclosing_aggregate(db, item)
            .and_then(|aggregate| generics::self_type(db, aggregate))
            .or_else(|| signature::enclosing_type(db, item))
            .map(|this| substitute(db, env, this, &substitution));
        Scope { item, kind, store, inference, args, this, substitution, env }
    }

    /// `ty` with the generic arguments put in.
    pub(crate) fn ty(&self, db: &dyn Db, ty: Ty) -> Ty {
        substitute(db, self.env, ty, &self.substitution)
    }

    /// This text for each step of an expansion over `sources`; `None` if its packs are not known.
    pub(crate) fn steps(&self, db: &dyn Db, sources: &[GenericArg]) -> Option<Vec<Scope<'db>>> {
        let elements = packs::elements(db, self.env, sources, &self.substitution)?;
        let is_open = |element: &packs::Element| !element.sources.is_empty();
        if elements.iter().any(is_open) {
            return None;
        }
        Some(elements.into_iter().map(|element| Scope { substitution: element.substitution, ..self.clone() }).collect())
    }

    pub(crate) fn constant(&self, db: &dyn Db, value: Const) -> Const {
        substitute_const(db, self.env, value, &self.substitution)
    }

    /// A reference to a function with the generic arguments put in.
    pub(crate) fn function(&self, db: &dyn Db, function: FunctionRef) -> FunctionRef {
        FunctionRef {
            item: function.item,
            args: substitute_args(db, self.env, function.args, &self.substitution),
            self_ty: function.self_ty.map(|ty| self.ty(db, ty)),
        }
    }
}
