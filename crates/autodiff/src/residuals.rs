//! What reverse mode keeps between its two sweeps, and why: the planner's decisions as data, for people and tests.

use std::fmt;

use ir::SpanId;
use smol_str::SmolStr;

/// The decisions for one function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResidualPlan {
    /// In the order of the source.
    pub items: Vec<ResidualItem>,
}

/// The decision for one value that the backward sweep needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualItem {
    /// The user's name of the value, if it has one.
    pub name: Option<SmolStr>,
    /// Its type as the source writes it.
    pub type_name: SmolStr,
    /// Where it is defined.
    pub span: SpanId,
    /// How the backward sweep gets it.
    pub decision: Decision,
    /// Why so.
    pub reason: Reason,
    /// The size of one value in bytes.
    pub bytes: u64,
    /// How many of them there are at most at a time: the product of the bounds of the loops around it, but for those around
    /// a loop that runs again in the backward sweep.
    pub iterations: u64,
    /// The bytes that all of them take between the sweeps: nothing if they are not stored.
    pub total_bytes: u64,
}

/// How the backward sweep gets a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Written in the forward sweep, read in the backward sweep.
    Store,
    /// Computed again.
    Recompute,
    /// Computed from the iteration number.
    Invert,
}

/// Why a value is stored, computed again or inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Goes from one iteration to the next and has no closed form.
    CarriedByLoop,
    /// An argument, which a context holds for the way back.
    Input,
    /// The result of a loop, which would have to run again.
    LoopResult,
    /// Read from memory that may have changed since.
    MayChange,
    /// The operation has effects.
    HasEffects,
    /// The residual record of a call.
    CallRecord,
    /// A call that would have to run again.
    CallResult,
    /// Computing it again costs more than keeping it.
    Expensive,
    /// `[PreferCheckpoint]`.
    PreferCheckpoint,
    /// Needs fewer bytes than what it is computed from.
    Smaller,
    /// Computing it again is cheaper than keeping it.
    Cheap,
    /// `[PreferRecompute]`.
    PreferRecompute,
    /// An affine function of the iteration number.
    Induction,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::Store => "stored",
            Decision::Recompute => "recomputed",
            Decision::Invert => "inverted",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::CarriedByLoop => "it goes from one iteration to the next",
            Reason::Input => "the way back starts from the context alone",
            Reason::LoopResult => "the loop would have to run again",
            Reason::MayChange => "the memory it is read from may have changed",
            Reason::HasEffects => "computing it has effects",
            Reason::CallRecord => "the callee keeps it for its own backward sweep",
            Reason::CallResult => "the call would have to run again",
            Reason::Expensive => "computing it again costs more than keeping it",
            Reason::PreferCheckpoint => "the callee is marked [PreferCheckpoint]",
            Reason::Smaller => "it is smaller than what it is computed from",
            Reason::Cheap => "computing it again is cheaper than keeping it",
            Reason::PreferRecompute => "the callee is marked [PreferRecompute]",
            Reason::Induction => "it follows from the number of the iteration",
        })
    }
}

impl ResidualPlan {
    /// Bytes that are kept between the sweeps.
    pub fn bytes(&self) -> u64 {
        self.items.iter().map(|item| item.total_bytes).fold(0, u64::saturating_add)
    }
}
