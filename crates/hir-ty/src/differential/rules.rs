//! How a function is differentiated, as far as attributes say.

use base_db::{Db, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    modules, prelude_index,
};
use rustc_hash::FxHashMap;

use super::{
    association::{self, Choice},
    attribute::{self, Association, AssociationKind, DerivativeAttribute, WrittenAttribute, written_attributes},
    function_extension,
};
use crate::{generics::env::Env, infer::result::Callable};

/// What the attributes of a function (and of functions that name it, `[ForwardDerivativeOf(f)]`) say. Implications are
/// worked in: `[Differentiable]` sets both directions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DerivativeRules {
    /// May stand in `fwd_diff`, and its derivative may be asked for in forward-differentiated code.
    pub forward_differentiable: bool,
    /// Likewise for `bwd_diff`.
    pub backward_differentiable: bool,
    /// The user's forward derivative.
    pub forward_derivative: Option<ItemId>,
    /// The user's backward derivative.
    pub backward_derivative: Option<ItemId>,
    /// What differentiated code calls instead.
    pub primal_substitute: Option<ItemId>,
    /// `[TreatAsDifferentiable]`: derivative zero by the user's declaration.
    pub treat_as_differentiable: bool,
    /// `[NoDiffThis]`.
    pub no_diff_this: bool,
    /// Whether its results are kept or computed again.
    pub checkpoint: Checkpoint,
}

/// `[PreferRecompute]`, `[PreferCheckpoint]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Checkpoint {
    /// Neither attribute: as the compiler finds best.
    #[default]
    Unspecified,
    /// `[PreferRecompute]`
    Recompute,
    /// `[PreferCheckpoint]`
    Checkpoint,
}

impl DerivativeRules {
    /// Whether the function may stand in `fwd_diff` or `bwd_diff`.
    pub fn allows(&self, operator: DerivativeOperator) -> bool {
        match operator {
            DerivativeOperator::Forward => self.forward_differentiable,
            DerivativeOperator::Backward
            | DerivativeOperator::Apply
            | DerivativeOperator::Remat
            | DerivativeOperator::Propagate => self.backward_differentiable,
        }
    }

    /// Whether it may be differentiated in either direction.
    pub fn is_differentiable(&self) -> bool {
        self.forward_differentiable || self.backward_differentiable
    }

    /// The user's derivative.
    pub fn custom(&self, operator: DerivativeOperator) -> Option<ItemId> {
        match operator {
            DerivativeOperator::Forward => self.forward_derivative,
            DerivativeOperator::Backward
            | DerivativeOperator::Apply
            | DerivativeOperator::Remat
            | DerivativeOperator::Propagate => self.backward_derivative,
        }
    }
}

/// The rules of a function as its own file states them.
#[salsa::tracked(returns(ref))]
pub fn derivative_rules(db: &dyn Db, function: ItemId) -> DerivativeRules {
    let mut rules = rules_of_attributes(db, function);
    for &file in modules::module_view(db, item::file_of(db, function)).files.iter() {
        rules.add_associations(db, function, file);
    }
    rules
}

/// The rules of a function as seen from `file`, where other files may add derivatives to it
/// (`[ForwardDerivativeOf(imported)]`).
#[salsa::tracked(returns(ref))]
pub fn derivative_rules_in(db: &dyn Db, function: ItemId, file: SourceFile) -> DerivativeRules {
    let mut rules = derivative_rules(db, function).clone();
    let view = modules::module_view(db, file);
    for &visible in view.files.iter().chain(view.imported.iter()) {
        rules.add_associations(db, function, visible);
    }
    rules
}

/// The function that keeps `callable` from standing in `fwd_diff` or `bwd_diff`, as seen from `file`. Derivatives that are made
/// are differentiable again, those that the user wrote if they are marked; a user-written forward derivative is enough for both
/// directions: it is transposed.
pub fn not_differentiable(
    db: &dyn Db,
    callable: &Callable,
    operator: DerivativeOperator,
    file: SourceFile,
) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => {
            let rules = derivative_rules_in(db, function.item, file);
            let allowed = rules.allows(operator) || rules.forward_derivative.is_some();
            let extended = || function_extension::extended(db, Env::of_file(db, file), *function).gives(operator);
            (!allowed && !extended()).then_some(function.item)
        }
        Callable::Derivative { operator: inner, of } => not_differentiable(db, of, *inner, file).or_else(|| {
            let rule = written_function(db, callable, file)?;
            let rules = derivative_rules_in(db, rule, file);
            let allowed = rules.allows(operator) || rules.forward_derivative.is_some();
            (!allowed).then_some(rule)
        }),
        Callable::Make(_) | Callable::Synthesized { .. } | Callable::Value(_) => None,
    }
}

/// The function of the source that is called: a function itself, or the derivative that the user wrote for it. None for derivatives
/// that are made.
fn written_function(db: &dyn Db, callable: &Callable, file: SourceFile) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => Some(function.item),
        Callable::Derivative { operator, of } => {
            derivative_rules_in(db, written_function(db, of, file)?, file).custom(*operator)
        }
        Callable::Make(_) | Callable::Synthesized { .. } | Callable::Value(_) => None,
    }
}

fn rules_of_attributes(db: &dyn Db, function: ItemId) -> DerivativeRules {
    let mut rules = DerivativeRules::default();
    for written in written_attributes(db, function) {
        rules.attribute(db, written);
    }
    rules
}

impl DerivativeRules {
    fn attribute(&mut self, db: &dyn Db, written: WrittenAttribute) {
        match written.attribute {
            DerivativeAttribute::Differentiable => {
                self.forward_differentiable = true;
                self.backward_differentiable = true;
            }
            DerivativeAttribute::ForwardDifferentiable => self.forward_differentiable = true,
            DerivativeAttribute::TreatAsDifferentiable => {
                self.treat_as_differentiable = true;
                self.forward_differentiable = true;
                self.backward_differentiable = true;
            }
            DerivativeAttribute::NoDiffThis => self.no_diff_this = true,
            DerivativeAttribute::PreferRecompute => self.checkpoint = Checkpoint::Recompute,
            DerivativeAttribute::PreferCheckpoint => self.checkpoint = Checkpoint::Checkpoint,
            DerivativeAttribute::Association(Association { kind, reversed: false }) => {
                if let Choice::Found(other) = association::choose(db, written) {
                    self.associate(db, kind, other.item);
                }
            }
            // Says something about the function that it names.
            DerivativeAttribute::Association(Association { reversed: true, .. }) => {}
        }
    }

    /// What is written on the function itself comes first.
    fn associate(&mut self, db: &dyn Db, kind: AssociationKind, other: ItemId) {
        let slot = match kind {
            AssociationKind::ForwardDerivative => {
                self.forward_differentiable = true;
                &mut self.forward_derivative
            }
            AssociationKind::BackwardDerivative => {
                self.backward_differentiable = true;
                &mut self.backward_derivative
            }
            AssociationKind::PrimalSubstitute => {
                // A function is as differentiable as its substitute, which differentiated code calls instead.
                for written in written_attributes(db, other) {
                    match written.attribute {
                        DerivativeAttribute::Differentiable | DerivativeAttribute::TreatAsDifferentiable => {
                            self.forward_differentiable = true;
                            self.backward_differentiable = true;
                        }
                        DerivativeAttribute::ForwardDifferentiable => self.forward_differentiable = true,
                        DerivativeAttribute::Association(_)
                        | DerivativeAttribute::NoDiffThis
                        | DerivativeAttribute::PreferRecompute
                        | DerivativeAttribute::PreferCheckpoint => {}
                    }
                }
                &mut self.primal_substitute
            }
        };
        slot.get_or_insert(other);
    }

    /// The function that is of this kind to the one with these rules.
    pub fn associated(&self, kind: AssociationKind) -> Option<ItemId> {
        match kind {
            AssociationKind::ForwardDerivative => self.forward_derivative,
            AssociationKind::BackwardDerivative => self.backward_derivative,
            AssociationKind::PrimalSubstitute => self.primal_substitute,
        }
    }

    fn add_associations(&mut self, db: &dyn Db, function: ItemId, file: SourceFile) {
        for (kind, other) in associations_in(db, file).get(&function).into_iter().flatten() {
            self.associate(db, *kind, *other);
        }
    }
}

/// The derivatives and substitutes that a file gives by naming the primal function (`…Of`): by primal function.
#[salsa::tracked(returns(ref))]
pub fn associations_in(db: &dyn Db, file: SourceFile) -> FxHashMap<ItemId, Vec<(AssociationKind, ItemId)>> {
    let mut associations: FxHashMap<ItemId, Vec<(AssociationKind, ItemId)>> = FxHashMap::default();
    for &item in reversed_attributes(db, file) {
        for written in attribute::own_attributes(db, item) {
            if let DerivativeAttribute::Association(Association { kind, reversed: true }) = written.attribute
                && let Choice::Found(primal) = association::choose(db, written)
            {
                associations.entry(primal.item).or_default().push((kind, item));
            }
        }
    }
    associations
}

/// The functions of a file that carry a `…Of` attribute, so that an edit elsewhere resolves nothing again.
#[salsa::tracked(returns(deref))]
fn reversed_attributes(db: &dyn Db, file: SourceFile) -> Box<[ItemId]> {
    let is_reversed = |written: &WrittenAttribute| {
        matches!(written.attribute, DerivativeAttribute::Association(Association { reversed: true, .. }))
    };
    let items = prelude_index::items_written_with(db, file, &["DerivativeOf", "SubstituteOf"]).into_iter();
    items.filter(|item| attribute::own_attributes(db, *item).iter().any(is_reversed)).collect()
}
