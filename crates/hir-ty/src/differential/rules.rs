//! How a function is differentiated, as far as attributes say.

use hir_def::item::ItemId;

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
    /// `[TreatAsDifferentiable]`: derivative zero by the user's word.
    pub treat_as_differentiable: bool,
    /// `[NoDiffThis]`.
    pub no_diff_this: bool,
    pub checkpoint: Checkpoint,
}

/// `[PreferRecompute]`, `[PreferCheckpoint]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Checkpoint {
    #[default]
    Unspecified,
    Recompute,
    Checkpoint,
}
