//! `expand pattern`: which packs it walks, and what type it has.

use base_db::Db;
use hir_def::body::{Expr, ExprId, ExprStore};

use super::{
    Infer,
    result::{Callable, InferenceResult, Resolution},
};
use crate::{
    generics::{packs, substitute::Substitution},
    types::{
        resolve::{self, TypeNs},
        signature::FunctionRef,
        ty::{GenericArg, GenericArgs, Ty},
    },
};

/// The packs that `expand pattern` walks, each as the element that it stands for (see [`packs`]).
pub fn sources(db: &dyn Db, store: &ExprStore, inference: &InferenceResult, pattern: ExprId) -> Vec<GenericArg> {
    let mut walk = PackWalk { db, store, inference, found: Vec::new() };
    walk.expr(pattern);
    walk.found
}

/// The packs of the operand of an `each` that has type `ty`.
fn sources_of_operand(db: &dyn Db, ty: Ty) -> Vec<GenericArg> {
    match packs::elements_of_type(db, ty) {
        Some(list) => match list.args(db) {
            [only] if packs::is_expansion(*only) => packs::sources_of_element(db, *only),
            _ => vec![GenericArg::Type(packs::each_of(db, list))],
        },
        None => packs::find_sources_of(db, GenericArg::Type(ty)),
    }
}

struct PackWalk<'a> {
    db: &'a dyn Db,
    store: &'a ExprStore,
    inference: &'a InferenceResult,
    found: Vec<GenericArg>,
}

impl PackWalk<'_> {
    fn expr(&mut self, expr: ExprId) {
        match self.inference.resolutions.get(&expr) {
            Some(Resolution::Type(ty) | Resolution::Conversion { to: ty, .. }) => self.mentioned(GenericArg::Type(*ty)),
            Some(Resolution::Constant(value)) => self.mentioned(GenericArg::Value(*value)),
            Some(Resolution::Call(call)) => self.callable(&call.callee),
            Some(Resolution::Function(Some(callable))) => self.callable(callable),
            Some(_) | None => {}
        }
        match &self.store.exprs[expr] {
            // An inner expansion walks its own packs.
            Expr::Expand(_) => {}
            Expr::Each(operand) => {
                if let Some(ty) = self.inference.expr_types.get(*operand) {
                    self.add(sources_of_operand(self.db, *ty));
                }
                self.expr(*operand);
            }
            Expr::SizeOf { ty: Some(ty), operand: None, .. } | Expr::Is { ty, .. } => {
                if let Some(ty) = self.inference.type_refs.get(*ty) {
                    self.mentioned(GenericArg::Type(*ty));
                }
                self.operands(expr);
            }
            _ => self.operands(expr),
        }
    }

    fn operands(&mut self, expr: ExprId) {
        let store = self.store;
        store.exprs[expr].for_each_operand(|operand| self.expr(operand));
    }

    fn callable(&mut self, callable: &Callable) {
        match callable {
            Callable::Function(function) => self.function(*function),
            Callable::Derivative { of, .. } => self.callable(of),
            Callable::Make(ty) | Callable::Synthesized { ty, .. } => self.mentioned(GenericArg::Type(*ty)),
            Callable::Value(_) => {}
        }
    }

    fn function(&mut self, function: FunctionRef) {
        function.args.args(self.db).iter().for_each(|arg| self.mentioned(*arg));
        if let Some(ty) = function.self_ty {
            self.mentioned(GenericArg::Type(ty));
        }
    }

    fn mentioned(&mut self, arg: GenericArg) {
        self.add(packs::find_sources_of(self.db, arg));
    }

    fn add(&mut self, sources: Vec<GenericArg>) {
        for source in sources {
            if !self.found.contains(&source) {
                self.found.push(source);
            }
        }
    }
}

impl Infer<'_> {
    /// The type of `expand pattern`: an expansion, or the tuple of its elements where the packs are known.
    pub(super) fn expand(&mut self, pattern: ExprId) -> Ty {
        let ty = self.value(pattern, None);
        if ty.is_error() {
            return Ty::Error;
        }
        let sources = sources(self.db, self.store, &self.result, pattern);
        let element = GenericArg::Type(ty);
        match packs::expand(self.db, self.env, element, &sources, &Substitution::default()).as_slice() {
            [GenericArg::Type(only @ Ty::Expand(_))] => *only,
            elements => packs::tuple_of(self.db, elements),
        }
    }

    /// The type of `each operand`.
    pub(super) fn each(&mut self, operand: ExprId) -> Ty {
        let ty = self.value(operand, None);
        let element = match packs::elements_of_type(self.db, ty) {
            Some(list) => packs::each_element(self.db, list),
            None => ty,
        };
        // `where T == int`: every element is an `int`; `where T == U`: a `U`.
        match element {
            Ty::Param(param) => self.env.parameter(self.db, param),
            element => self.env.promised_type(self.db, element).unwrap_or(element),
        }
    }

    /// The type that `each T` is where `T` is a pack of types.
    pub(super) fn element_of_type_pack(&mut self, operand: ExprId) -> Option<Ty> {
        let Expr::Path(path) = &self.store.exprs[operand] else { return None };
        match resolve::path_as_type(&mut self.silent_lowering(), path)? {
            TypeNs::Type(ty) => Some(packs::each_element(self.db, packs::elements_of_type(self.db, ty)?)),
            TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) | TypeNs::Namespace(_) => None,
        }
    }

    /// A pack of elements of which a `where` clause says what type they have.
    pub(super) fn with_promised_elements(&self, ty: Ty) -> Ty {
        let Ty::Expand(expand) = ty else { return ty };
        match self.env.promised_type(self.db, expand.pattern(self.db)) {
            Some(same) => Ty::expand_over(self.db, same, &packs::sources_of_element(self.db, GenericArg::Type(ty))),
            None => ty,
        }
    }

    /// The types of the elements that an argument stands for: `f(expand each tuple)` passes one argument per element.
    pub(super) fn spread_types(&self, expr: ExprId, ty: Ty) -> Option<GenericArgs> {
        match (&self.store.exprs[expr], ty) {
            (Expr::Expand(_), Ty::Builtin(..)) => packs::elements_of_type(self.db, ty),
            _ => None,
        }
    }
}
