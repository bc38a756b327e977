//! The gradient checker: does a derivative agree with the function that it is the derivative of?
//!
//! At sampled inputs, all in double precision:
//! - *slopes*: the central difference of the function in each differentiable input, over several step sizes;
//! - *forward derivative*: one tangent direction per input, against the slopes;
//! - *backward derivative*: one cotangent per result, against the slopes, and against the forward derivative where that is
//!   right, or where differences say nothing and both come from the same rules;
//! - *linearity*: all directions (all cotangents) at once give the sum of each alone;
//! - *finite*: where the value is finite, so is the derivative. If not, the operation that makes the first such number is
//!   looked for (see [`Origin`]);
//! - *primal results*: those that the forward derivative gives are those of the function;
//! - *rules written by hand*: they give the values of inputs back as they were, and do not use the derivatives that were
//!   there before; `dadd` adds and `dzero` is zero;
//! - *state*: derivatives leave `static` and `groupshared` variables as the function does, but for those that rules written by
//!   hand deal with: derivatives may be added up there.
//!
//! Inputs are sampled at random, and at the edges of domains: at 0, 1 and -1, at equal inputs, at the ends of ranges that
//! are given; and where branches are taken that were not before: around what the source compares numbers with, and on the
//! border between the sides of a condition (see `check/branches.rs`, `check/seek.rs`). Elements of buffers count as inputs where the function reads them, and as results where it writes them, if
//! there is a place for their derivatives (see [`buffers`]).
//!
//! What is found is plain data: which result, which input, by how much, and the inputs to see it again. What is wrong by
//! the same factor is one finding.
//!
//! # What is held constant
//! Only what the source marks. Differences are taken with the values as they are at the sample that go through `detach`,
//! `no_diff` or a function that is `[TreatAsDifferentiable]`, or come out of a type without a differential (see
//! [`crate::tape`]). Whatever else carries no derivative, differences see: that is how a derivative that is lost on the way
//! is found.
//!
//! # Where differences say nothing
//! A sample counts as *outside the domain* if a result is not finite, or the pixel is discarded; other inputs are tried. At a *kink* (differences
//! from the left and from the right disagree, as for `abs` at 0) a derivative may be anything in between. Where differences
//! do not settle (jumps, singular points, waves that are shorter than the steps, values so large or so coarse that their rounding
//! hides the slope), nothing is
//! compared with them, and that is counted and told; so is a derivative that another rounding changes by as much as it is
//! off, samples at which a loop exceeds its `[MaxIters]`, and a derivative that is not finite where a number in the function itself [overflowed](crate::overflow).
//! A check in which nothing at all was compared says so (see [`Nothing`]); it is not good. One in which some part was not
//! compared says that, too (see [`Report::is_settled`]).
//!
//! # Blind spots
//! - Wrong derivatives on inputs that are not sampled: special values, large numbers. Branches that no sample takes are
//!   told, and the check is not settled if a rule that is written by hand depends on them.
//! - Derivatives that are wrong by less than [`Options::tolerance`], relative to the largest of the result by the input so far.
//! - Derivatives that are left in variables, as those in integers: that they are there is told, and the check is not settled.
//! - What is chosen at kinks, also at those that only show when several inputs are moved: whatever lies between the slopes
//!   nearby is right. What lies outside is wrong in a derivative that is written by hand, where the function itself is checked;
//!   what is made of several choices may lie outside although each is right, and is not looked at.
//! - What the source marks: that a `no_diff` is one too many is not seen. Runs that take other branches, and so hold other
//!   values, are left out. A function that is itself zero by the user's declaration (`[TreatAsDifferentiable]`) is not sampled.
//! - Functions that are locally constant in steps (`floor`, conversions to integers): differences say zero, which is
//!   what the derivative should say, but a straight-through estimate on purpose is reported.
//! - Values that pass through bit casts are rounded to their declared width there, so differences see steps.
//! - Interface values hold each type of the program in turn; where moving an input makes a result hold another type,
//!   differences say nothing.
//! - Types with tangents of their own, such as an angle for a rotation matrix: how their values move along these is not known,
//!   so that they are moved neither as inputs nor looked at as results. Where a function goes through one, all that it holds
//!   moves in differences; what still disagrees is no finding, but not compared.
//! - State: each call starts in fresh memory, so that a second call would differ from the first is not seen.
//! - Of large aggregates only [`Options::directions`] components are moved.

mod buffers;
mod check;
mod components;
mod differences;
pub mod evaluate;
mod findings;
pub mod jacobian;
pub mod non_finite;
mod origin;
mod point;
mod provenance;
mod sample;

use std::fmt;

use ir::{DerivativeKind, FuncId, Module, SpanId, number::Precision, verify::VerifiedModule};
use smol_str::SmolStr;

use crate::{InterpError, Limits, MAX_SCALARS, Value, layout::Layouts};
use autodiff::AutodiffError;

pub use crate::{non_finite::Evaluation, poles::Pole};
pub use provenance::{Provenance, WrittenRule, provenance, written_rules};

/// What `dadd` and `dzero` of a differentiable type have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// The sum of two differentials.
    Add,
    /// The differential that changes no sum.
    Zero,
}

/// A function and its derivatives, which follow the calling convention of [`ir::Callee`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Functions {
    /// The function.
    pub primal: FuncId,
    /// Its derivative in forward mode, if it has one.
    pub jvp: Option<FuncId>,
    /// Its derivative in reverse mode, if it has one.
    pub vjp: Option<FuncId>,
}

/// What is tried, and how exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where the random numbers begin.
    pub seed: u64,
    /// Random samples inside the domain.
    pub samples: u32,
    /// The most samples at edges, beside the random ones.
    pub edges: u32,
    /// The most inputs, and results, per sample.
    pub directions: usize,
    /// Largest error, relative to the derivative or to the largest that the result has by the input, which is at most 1.
    pub tolerance: f64,
    /// Where the numbers of inputs are sampled, by the inputs' names, both ends included. The domain of other floats is
    /// searched: between -2 and 2, positive, and after a few samples outside of the domain each input in a range of its own.
    pub ranges: Vec<(SmolStr, (f64, f64))>,
    /// A sample with a larger result counts as outside of the domain: differences of huge numbers say little.
    pub largest_result: f64,
    /// Whether the function is one that adds differentials.
    pub sum: Option<Sum>,
    /// How long one call may take.
    pub limits: Limits,
    /// Steps that are taken to find inputs for branches that random inputs do not take, around constants and again from border
    /// to border; without any, none are sought.
    pub sought_steps: u64,
    /// Steps that all calls together may take before the check is ended without having settled.
    pub all_steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 1,
            samples: 8,
            edges: 32,
            directions: 32,
            tolerance: 1e-5,
            ranges: Vec::new(),
            largest_result: f64::MAX,
            sum: None,
            limits: Limits { steps: 20_000_000, ..Limits::default() },
            sought_steps: 2_000_000,
            all_steps: 2_000_000_000,
        }
    }
}

/// What was checked and what was wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Random samples that were checked.
    pub samples: u32,
    /// Samples at edges that were checked.
    pub edges: u32,
    /// Random samples that were given up because a result was not finite, or too large.
    pub outside_domain: u32,
    /// Samples that were given up because the pixel is discarded at them, so that there is no value.
    pub discarded: u32,
    /// Samples that were given up because a loop went on beyond its `[MaxIters]`, after which derivatives mean nothing.
    pub beyond_bounds: u32,
    /// Inputs that were moved, over all samples.
    pub directions: u32,
    /// How the derivatives compare with the function.
    pub forward: Agreement,
    /// How reverse mode does.
    pub backward: Agreement,
    /// Pairs of result and input at kinks, and where differences did not settle.
    pub kinks: u32,
    /// Pairs of result and input for which differences did not settle.
    pub unsettled: u32,
    /// Derivatives that are not finite at samples for which numbers in the function itself are too large for `f64`.
    pub overflows: u32,
    /// The first kink of each pair of result and input, up to a few.
    pub kink_places: Vec<Kink>,
    /// The first pairs for which differences did not settle, up to a few.
    pub unsettled_places: Vec<(Coordinate, Coordinate)>,
    /// Differentiable inputs that were not moved; see the blind spots.
    pub unmoved_inputs: Vec<SmolStr>,
    /// Buffers, and `static` and `groupshared` variables, that the function reads without a known place for the derivatives of their
    /// elements, although a rule that is written by hand leaves derivatives somewhere.
    pub uncompared_buffers: Vec<SmolStr>,
    /// Buffers that the function reads and that nothing makes derivatives of.
    pub data_buffers: Vec<SmolStr>,
    /// Floats of sums of differentials that were compared with what they have to be.
    pub sums: u32,
    /// Differentiable inputs and results, and parts of them, whose types have tangents of their own (an angle for a matrix),
    /// each with its type: how they move along these is not known.
    pub own_tangents: Vec<(SmolStr, SmolStr)>,
    /// Pairs of result and input that go through such types and are not what moving all that these hold makes.
    pub through_own_tangents: Vec<(Coordinate, Coordinate)>,
    /// Pairs of result and input of which differences, and the other derivative, said nothing at any sample.
    pub never_compared: Vec<(Coordinate, Coordinate)>,
    /// Pairs of which differences said nothing at any sample, and the two modes the same.
    pub with_other_mode: Vec<(Coordinate, Coordinate)>,
    /// Whether the check was ended because it took too many steps ([`Options::all_steps`]), and after how many.
    pub ended_after: Option<u64>,
    /// Branches that no sample took, of what was called.
    pub untaken: Vec<UntakenBranch>,
    /// Why nothing was compared, if nothing was.
    pub nothing: Option<Nothing>,
}

impl Report {
    /// Whether nothing is wrong and something was compared.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty() && self.compared() > 0
    }

    /// Whether something is wrong with a derivative. That the function itself does not run at some inputs says nothing of it.
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| !matches!(finding.kind, FindingKind::Failed { kind: None, .. }))
    }

    /// Whether all parts were compared: every input, result and buffer with a derivative, each result by each input at some
    /// sample, and in every branch that a rule written by hand depends on. Branches of what derivatives are generated for are
    /// told only, as are the components of large aggregates that were left out. And the check was not ended before that.
    pub fn is_settled(&self) -> bool {
        self.ended_after.is_none()
            && self.unmoved_inputs.is_empty()
            && self.uncompared_buffers.is_empty()
            && self.own_tangents.is_empty()
            && self.through_own_tangents.is_empty()
            && self.never_compared.is_empty()
            && !self.untaken.iter().any(|branch| branch.is_of_rule)
    }

    /// Whether differences settled somewhere for each result by each input: for samples that were asked for, whichever branches
    /// they take.
    pub fn is_settled_by_differences(&self) -> bool {
        self.never_compared.is_empty() && self.with_other_mode.is_empty()
    }

    /// How many derivatives, each of one result by one input, and how many floats of sums were compared.
    pub fn compared(&self) -> u32 {
        self.forward.compared + self.backward.compared + self.sums
    }

    fn agreement(&mut self, mode: DerivativeKind) -> &mut Agreement {
        match mode {
            DerivativeKind::Jvp => &mut self.forward,
            DerivativeKind::Vjp
            | DerivativeKind::Primal
            | DerivativeKind::Pullback
            | DerivativeKind::Apply
            | DerivativeKind::Propagate => &mut self.backward,
        }
    }
}

/// A branch that no sample took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntakenBranch {
    /// The function.
    pub function: SmolStr,
    /// The branching operation.
    pub span: SpanId,
    /// Whether a rule that is written by hand depends on it.
    pub is_of_rule: bool,
}

/// How many derivatives of one result by one input were compared, and how many of these were wrong or not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Numbers that were compared.
    pub compared: u32,
    /// Numbers that are wrong.
    pub wrong: u32,
    /// Numbers that are no numbers.
    pub not_finite: u32,
}

/// Why nothing was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// The function is `[TreatAsDifferentiable]`: its derivative is zero by the user's declaration.
    ZeroByWord,
    /// There is neither a forward nor a backward derivative.
    NoDerivative,
    /// The function, or its derivative, does not run.
    Failed,
    /// At no input that was tried is the value finite.
    OutsideDomain,
    /// At each input that was tried the pixel is discarded.
    Discarded,
    /// At each input that was tried a loop goes on beyond its `[MaxIters]`.
    BeyondBounds,
    /// The function takes nothing and reads nothing: it is constant.
    Constant,
    /// No input that carries a derivative can be moved, and no element of a buffer.
    NoInput,
    /// Nothing that carries a derivative comes out, and into no buffer.
    NoResult,
    /// Differences settled nowhere.
    Unsettled,
    /// The check was ended before ([`Options::all_steps`]).
    TooManySteps,
}

/// Something that is wrong, with the inputs at which it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The inputs that show it.
    pub inputs: Vec<Value>,
}

/// A place in an input or result: its name, the number of the float inside it, and how that is spelled: `.v.x`, `[2]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Coordinate {
    /// The name of the parameter or of the result.
    pub name: SmolStr,
    /// The number of the scalar in it, counted through.
    pub component: usize,
    /// How the source names that scalar: `.position[1]`.
    pub path: String,
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.path)
    }
}

/// A sample at which a result has no derivative in a direction, which is why none was compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Kink {
    /// The result.
    pub result: Coordinate,
    /// The input.
    pub input: Coordinate,
    /// The slopes to both sides.
    pub left: f64,
    /// The derivative that differences give.
    pub right: f64,
    /// What the derivative says.
    pub found: f64,
}

/// What a derivative was compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// Differences of the function itself.
    Differences,
    /// The slopes of the function to both sides of a kink, which a derivative has to lie between.
    Kink {
        /// The slope to the left.
        left: f64,
        /// The slope to the right.
        right: f64,
    },
    /// The forward derivative, where differences say nothing.
    Forward,
}

/// The derivative of one result by one input that is not what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    /// The result.
    pub result: Coordinate,
    /// The input.
    pub input: Coordinate,
    /// The derivative that the function gives.
    pub found: f64,
    /// The derivative that differences give.
    pub expected: f64,
}

/// What a check finds wrong with a derivative.
#[derive(Debug, Clone, PartialEq)]
pub enum FindingKind {
    /// A derivative has another value than it should. The first of `components` is the one to look at; if there are others,
    /// all are wrong by the same factor `ratio`, and so they are at all samples. Without `ratio` the factor differs.
    Wrong {
        /// Which derivative.
        mode: DerivativeKind,
        /// What the right numbers come from.
        basis: Basis,
        /// The numbers that are wrong.
        components: Vec<Wrong>,
        /// The factor between them and the right ones, where it is one for all.
        ratio: Option<f64>,
    },
    /// Derivatives are not finite where the value is. The first of `components` is the one to look at; the others, and those
    /// of other modes, come from the same operation.
    NotFinite {
        /// Which derivatives.
        modes: Vec<DerivativeKind>,
        /// Result and input of each such number.
        components: Vec<(Coordinate, Coordinate)>,
        /// The first of them.
        found: f64,
        /// Where it comes from, if that is known.
        origin: Option<Origin>,
    },
    /// All directions (cotangents) together do not give the sum of each alone: the derivative by (of) `place`.
    NotLinear {
        /// Which derivative.
        mode: DerivativeKind,
        /// The number that shows it.
        place: Coordinate,
        /// The derivative of the sum.
        found: f64,
        /// The sum of the derivatives.
        expected: f64,
    },
    /// The derivative function changes the value of a primal result.
    PrimalChanged {
        /// The result.
        result: Coordinate,
        /// What the derivative returns for it.
        found: f64,
        /// What the function returns.
        expected: f64,
    },
    /// The backward derivative written by hand gives the value of an input back changed.
    NotRestored {
        /// The parameter.
        input: Coordinate,
        /// What it holds after the call.
        found: f64,
        /// What it held before.
        expected: f64,
    },
    /// The backward derivative written by hand makes another derivative of an input if there was one before.
    UsesIncoming {
        /// The parameter.
        input: Coordinate,
        /// Its derivative with something handed in.
        found: f64,
        /// Its derivative with zero handed in.
        expected: f64,
    },
    /// The sum of two differentials, or the zero of them, that is written by hand is none.
    NoSum {
        /// Which sum.
        sum: Sum,
        /// The number that shows it.
        place: Coordinate,
        /// What is written there.
        found: f64,
        /// The sum.
        expected: f64,
    },
    /// The derivative function leaves a `static` or `groupshared` variable with another value than the function does.
    StateChanged {
        /// Which derivative.
        kind: DerivativeKind,
        /// The variable.
        variable: SmolStr,
    },
    /// The function does not run.
    Failed {
        /// Which derivative, or `None` for the function itself.
        kind: Option<DerivativeKind>,
        /// What stopped it.
        error: InterpError,
    },
}

/// The operation that makes the first number that is not finite, of those from which the derivative has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The operation, in the text form.
    pub op: SmolStr,
    /// The calls around it, outermost first, and the operation itself.
    pub spans: Vec<SpanId>,
    /// The floats that it works on.
    pub operands: Vec<f64>,
    /// What it makes of them.
    pub value: f64,
    /// What the function computes at that place of the source, if that is at a pole; else the operation itself, if it is.
    pub cause: Option<Evaluation>,
}

/// The outcome for a function whose derivatives are generated here.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// What was found.
    pub report: Report,
    /// Why there is no forward, backward derivative to check.
    pub jvp: Option<AutodiffError>,
    /// Why there is no reverse mode, if there is none.
    pub vjp: Option<AutodiffError>,
    /// Where they come from.
    pub forward: Provenance,
    /// Where the derivative in reverse mode comes from.
    pub backward: Provenance,
    /// The derivatives written by hand of the functions that it calls.
    pub written_rules: Vec<WrittenRule>,
    /// What its derivatives are made from in its place.
    pub substitute: Option<SmolStr>,
}

/// Generates the derivatives of a function and checks them.
pub fn check_function(module: &VerifiedModule, func: FuncId, options: &Options) -> Checked {
    let mut expanded = module.clone();
    expanded.set_precision(Precision::F64);
    let mut derive = |kind| match autodiff::derivatives(&mut expanded, &[(kind, func)]) {
        Ok(made) => (made.first().copied(), None),
        Err(errors) => (None, errors.into_iter().next()),
    };
    let (jvp, jvp_error) = derive(DerivativeKind::Jvp);
    let (vjp, vjp_error) = derive(DerivativeKind::Vjp);
    Checked {
        report: check(&expanded, Functions { primal: func, jvp, vjp }, options),
        jvp: jvp_error,
        vjp: vjp_error,
        forward: provenance(module, func, DerivativeKind::Jvp),
        backward: provenance(module, func, DerivativeKind::Vjp),
        written_rules: written_rules(module, func),
        substitute: module.funcs[func].rules.primal_substitute.map(|substitute| module.funcs[substitute].name.clone()),
    }
}

/// Checks given derivatives of a function.
pub fn check(module: &VerifiedModule, functions: Functions, options: &Options) -> Report {
    let nothing = |nothing| Report { nothing: Some(nothing), ..Report::default() };
    if module.funcs[functions.primal].rules.treat_as_differentiable {
        return nothing(Nothing::ZeroByWord);
    }
    if let Some(finding) = too_large(module, functions.primal) {
        return Report { findings: vec![finding], ..nothing(Nothing::Failed) };
    }
    if (functions.jvp, functions.vjp) == (None, None) {
        return nothing(Nothing::NoDerivative);
    }
    check::run(module, functions, options)
}

/// Inputs of more scalars than a [`Value`] has are not sampled.
fn too_large(module: &Module, func: FuncId) -> Option<Finding> {
    let layouts = Layouts::new(&module.types);
    let sizes = module.funcs[func].inputs.iter().map(|input| layouts.size(module.types.get(input.ty)).slots);
    let is_too_large = sizes.fold(0, u64::saturating_add) > MAX_SCALARS;
    let kind = FindingKind::Failed { kind: None, error: InterpError::MemoryLimit };
    is_too_large.then_some(Finding { kind, inputs: Vec::new() })
}
