//! Functions that change memory of their caller where it is. An `inout` or `ref` parameter is a value that goes in and comes
//! out. That is wrong where a function changes it by an atomic operation or takes its address, and where it is an array or
//! struct in memory that threads share, of which each thread changes its own part: then it has to be the caller's memory
//! itself. Such a function is made once for each kind of place that it is called with: the variable and the
//! parts on the way are in its code, and what is known only when it runs (handles, indices) goes in as further inputs.
//!
//! Deliberately absent: differentiable functions that differentiable ones call, for whose derivatives the value of the
//! parameter has to come out.

use std::rc::Rc;

use hir_def::body::{Expr, ExprId};
use hir_ty::{
    differential::rules::derivative_rules_in,
    infer::result::{Argument, Base, CallResolution, Callable, Resolution},
    signature::FunctionRef,
};
use ir::{Input, SpanId};
use rustc_hash::FxHashSet;
use smol_str::format_smolstr;

use crate::{
    error::Lowering,
    front,
    known_place::{KnownPlace, Parameter},
    program::Program,
    scope::Scope,
    surface::Surface,
};

/// Deeper chains of calls are not searched: no program that ends is specialised so often.
const MAX_DEPTH: usize = 64;

/// The signature of `function` without the parameters that are places, and what goes in for these.
pub(crate) fn surface(
    program: &mut Program<'_>,
    function: FunctionRef,
    places: &[Option<KnownPlace>],
) -> Lowering<(Surface, Vec<Input>)> {
    let surface = front::surface(program, function)?;
    let (mut params, mut further) = (Vec::new(), Vec::new());
    for (param, place) in surface.params.into_iter().zip(places) {
        let Some(place) = place else {
            params.push(param);
            continue;
        };
        further.extend(place.inputs().into_iter().map(|ty| Input {
            name: format_smolstr!("{}_place", param.name),
            ty,
            differentiable: false,
            place: places.len() as u32,
            span: SpanId::NONE,
        }));
    }
    Ok((Surface { params, ..surface }, further))
}

impl Program<'_> {
    /// The parameters of a function that it has to change where they are.
    pub(crate) fn changed_in_place(&mut self, function: FunctionRef) -> Rc<FxHashSet<Parameter>> {
        self.search_changed_in_place(function, 0)
    }

    fn search_changed_in_place(&mut self, function: FunctionRef, depth: usize) -> Rc<FxHashSet<Parameter>> {
        if let Some(known) = self.changed_in_place.get(&function) {
            return known.clone();
        }
        // A function that calls itself changes what the rest of it changes.
        self.changed_in_place.insert(function, Rc::default());
        let db = self.db;
        let file = hir_def::item::file_of(db, self.root);
        let is_searched = depth < MAX_DEPTH
            && hir_def::item::item_data(db, function.item).has_body()
            && !derivative_rules_in(db, function.item, file).is_differentiable();
        if !is_searched {
            return Rc::default();
        }
        let body = front::body(db, function.item);
        let scope = Scope::of_function(db, function, body);
        let mut found = FxHashSet::default();
        let addressed = self.addressed(&scope);
        let number = |local| body.params.iter().position(|param| *param == local).map(Parameter::Numbered);
        found.extend(addressed.iter().filter_map(|local| number(*local)));
        for resolution in scope.inference.resolutions.values() {
            for root in self.roots_changed_in_place(&scope, resolution, depth) {
                found.extend(match root {
                    Root::This => Some(Parameter::This),
                    Root::Local(local) => number(local),
                });
            }
        }
        let found = Rc::new(found);
        self.changed_in_place.insert(function, found.clone());
        found
    }

    /// What a call changes in place of the function around it.
    fn roots_changed_in_place(&mut self, scope: &Scope<'_>, resolution: &Resolution, depth: usize) -> Vec<Root> {
        match resolution {
            Resolution::Call(call) => match &call.callee {
                Callable::Function(function) => self.roots_of_call(scope, call, *function, depth),
                Callable::Derivative { .. } | Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => {
                    Vec::new()
                }
            },
            _ => Vec::new(),
        }
    }

    fn roots_of_call(
        &mut self,
        scope: &Scope<'_>,
        call: &CallResolution,
        function: FunctionRef,
        depth: usize,
    ) -> Vec<Root> {
        let function = scope.function(self.db, function);
        let Some(function) = self.resolved(function) else { return Vec::new() };
        let of_argument = |index: usize| match call.args.get(index) {
            Some(Argument::Expr(expr)) => root_of(scope, *expr),
            Some(Argument::Default { .. }) | None => None,
        };
        match front::core_function_of(self.db, function) {
            Ok(Some(known)) if known.takes_place() => {
                let receiver = call.this.map(|base| root_of_base(scope, base));
                return receiver.unwrap_or_else(|| of_argument(0)).into_iter().collect();
            }
            Ok(Some(_)) | Err(_) => return Vec::new(),
            Ok(None) => {}
        }
        let changed = self.search_changed_in_place(function, depth + 1);
        let roots = changed.iter().filter_map(|parameter| match parameter {
            Parameter::This => call.this.and_then(|base| root_of_base(scope, base)),
            Parameter::Numbered(index) => of_argument(*index),
        });
        roots.collect()
    }

    /// The function of the source that runs where `function` is called.
    fn resolved(&self, function: FunctionRef) -> Option<FunctionRef> {
        match front::resolve(self, function) {
            Ok(front::Resolved::Source(function)) => Some(function),
            Ok(_) | Err(_) => None,
        }
    }
}

/// The variable that a place is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    This,
    Local(hir_def::body::LocalId),
}

fn root_of_base(scope: &Scope<'_>, base: Base) -> Option<Root> {
    match base {
        Base::Expr(expr) => root_of(scope, expr),
        Base::ImplicitThis => Some(Root::This),
    }
}

/// `None` for what is in globals, or is no place.
fn root_of(scope: &Scope<'_>, expr: ExprId) -> Option<Root> {
    match scope.inference.resolutions.get(&expr) {
        Some(Resolution::Local(local)) => Some(Root::Local(*local)),
        Some(Resolution::This) => Some(Root::This),
        Some(Resolution::Field { base, .. } | Resolution::Property { base, .. }) => root_of_base(scope, *base),
        Some(
            Resolution::Swizzle { base, .. }
            | Resolution::TupleElement { base, .. }
            | Resolution::Element { base, .. }
            | Resolution::MatrixSwizzle { base, .. }
            | Resolution::TupleSwizzle { base, .. },
        ) => root_of(scope, *base),
        Some(_) => None,
        None => matches!(scope.store.exprs[expr], Expr::This).then_some(Root::This),
    }
}
