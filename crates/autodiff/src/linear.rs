//! The linear program: what `linearize` makes and what `jvp` runs forward and `transpose` backward.
//!
//! It lies beside a primal function (the *extended primal*: the normalised function with the coefficients of its
//! derivative computed next to each operation) and mirrors its regions. Its values are tangents; its operations are a
//! closed set, each linear in its tangents, with primal values of the extended primal as coefficients, conditions and
//! indices (the *residual uses*).
//!
//! A tangent that is zero by construction is not there: operands are optional where the other operands can go on alone.

use ir::{DerivativeKind, Func, FuncId, OpId, PathStep, RegionId, SpanId, TypeId, ValueId, op::Path};
use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A tangent.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearValue {
    /// The differential type of the primal value.
    pub ty: TypeId,
    /// The name of the primal value.
    pub name: Option<SmolStr>,
}

/// A tangent of a [`Linearized`] function.
pub type LinearId = Idx<LinearValue>;

/// One operation and the tangents that it defines.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearNode {
    /// What is done.
    pub op: LinearOp,
    /// In `jvp`'s interleaved form the node runs when this many operations of its primal region have run.
    pub position: usize,
    /// The place of the primal operation.
    pub span: SpanId,
}

/// Which factor of a product that does not commute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// The one before the operator.
    First,
    /// The one behind it.
    Second,
}

impl Factor {
    /// The factors in the order in which they are written: `this` is this one, `other` the other one.
    pub(crate) fn ordered(self, this: ValueId, other: ValueId) -> [ValueId; 2] {
        match self {
            Factor::First => [this, other],
            Factor::Second => [other, this],
        }
    }
}

/// The linear operations. `result` is defined by the node; other tangents are its operands.
#[derive(Debug, Clone, PartialEq)]
pub enum LinearOp {
    /// The sum of two tangents.
    Add {
        /// What is defined.
        result: LinearId,
        /// The first summand.
        left: LinearId,
        /// The second summand.
        right: LinearId,
    },
    /// The negative.
    Neg {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
    },
    /// Component-wise product with a primal value of the same type.
    Scale {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The factor.
        by: ValueId,
    },
    /// Component-wise quotient by a primal value of the same type.
    Divide {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The divisor.
        by: ValueId,
    },
    /// Dot product of a tangent vector with a primal vector.
    Dot {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The primal vector.
        with: ValueId,
    },
    /// `cross(value, with)`, or `cross(with, value)`.
    Cross {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The primal vector.
        with: ValueId,
        /// Which operand the tangent is.
        factor: Factor,
    },
    /// `mul(value, with)`, or `mul(with, value)`.
    MatMul {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The primal matrix or vector.
        with: ValueId,
        /// Which operand the tangent is.
        factor: Factor,
    },
    /// Matrix transpose.
    Transpose {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
    },
    /// A scalar in every component.
    Splat {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
    },
    /// The part of a tangent at a path.
    Extract {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// Where the part is.
        path: Path,
    },
    /// A tangent with the part at a path replaced.
    Insert {
        /// What is defined.
        result: LinearId,
        /// The tangent; zero for `None`.
        aggregate: Option<LinearId>,
        /// Where the part is.
        path: Path,
        /// The new part; zero for `None`.
        value: Option<LinearId>,
    },
    /// A tangent from its parts.
    Make {
        /// What is defined.
        result: LinearId,
        /// The parts; zero for `None`.
        parts: Vec<Option<LinearId>>,
    },
    /// A vector of components of a tangent.
    Swizzle {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
        /// The number of the component for each place of the result.
        components: Vec<u8>,
    },
    /// Between float widths.
    Convert {
        /// What is defined.
        result: LinearId,
        /// The tangent.
        value: LinearId,
    },
    /// By a primal condition.
    Select {
        /// What is defined.
        result: LinearId,
        /// The primal condition.
        cond: ValueId,
        /// The tangent where it is true; zero for `None`.
        then: Option<LinearId>,
        /// The tangent where it is false; zero for `None`.
        otherwise: Option<LinearId>,
    },
    /// A differential sum that holds `value` as `variant`.
    Inject {
        /// What is defined.
        result: LinearId,
        /// The number of the variant among those of the sum.
        variant: u32,
        /// The tangent of the payload.
        value: LinearId,
    },
    /// What a differential sum holds as `variant`, zero if it holds something else or nothing.
    Project {
        /// What is defined.
        result: LinearId,
        /// The number of the variant among those of the sum.
        variant: u32,
        /// The tangent of the interface value.
        value: LinearId,
    },
    /// The derivative of a call.
    Call(LinearCall),
    /// The derivative of an `if`, `switch` or `match`.
    Branch(LinearBranch),
    /// The derivative of a loop.
    Loop(LinearLoop),
}

/// The derivative of a call, linear in the tangents.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearCall {
    /// The primal call.
    pub op: OpId,
    /// The function that is called.
    pub callee: FuncId,
    /// The primal arguments.
    pub args: Vec<ValueId>,
    /// For each differentiable input of the callee.
    pub tangents: Vec<Option<LinearId>>,
    /// For each differentiable result of the callee.
    pub results: Vec<Option<LinearId>>,
    /// The types of the tangents of all differentiable inputs and results.
    pub input_types: Vec<TypeId>,
    /// The types of the tangents of all differentiable results.
    pub result_types: Vec<TypeId>,
    /// A user-written derivative is behind the call, which runs even if no derivative comes to it.
    pub written: bool,
    /// The derivative of the callee that is called on the way back.
    pub way_back: DerivativeKind,
    /// The primal values that it takes: arguments, and the record that the primal call gives.
    pub residuals: Vec<ValueId>,
    /// The tangents, by their number among `tangents`, to whose cotangents the way back adds.
    pub accumulated: Vec<usize>,
}

/// The derivative of an `if`, `switch` or `match`: the same on the tangents.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearBranch {
    /// The primal branch.
    pub op: OpId,
    /// The active results: their index among the op's results, and their tangents.
    pub results: Vec<(usize, LinearId)>,
    /// One for each region of the op, in order; `yields` belong to `results`.
    pub arms: Vec<LinearRegion>,
}

/// The derivative of a loop: as many iterations, on the tangents of its active carried values.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearLoop {
    /// The primal loop.
    pub op: OpId,
    /// The tangents that go from one iteration to the next.
    pub carried: Vec<CarriedTangent>,
    /// `yields` belong to `carried`.
    pub body: LinearRegion,
}

/// A tangent that goes from one iteration to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedTangent {
    /// The position among the loop's carried values.
    pub index: usize,
    /// Before the first iteration; zero for `None`.
    pub init: Option<LinearId>,
    /// At the start of an iteration.
    pub param: LinearId,
    /// Behind the loop.
    pub result: LinearId,
}

/// The linear operations that belong to a primal region.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRegion {
    /// The primal region.
    pub region: RegionId,
    /// The operations, in order.
    pub nodes: Vec<LinearNode>,
    /// What the region hands on; zero for `None`.
    pub yields: Vec<Option<LinearId>>,
}

/// How a loop of the extended primal counts.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopInfo {
    /// Most iterations.
    pub bound: Option<u32>,
    /// Carried values that are affine in the iteration: parameter index and step.
    pub inductions: Vec<(usize, i64)>,
    /// The one of them that the condition compares with its limit, which it does not run past.
    pub tested: Option<usize>,
    /// The number of iterations as a primal value, where reverse mode asked for one.
    pub trip_count: Option<ValueId>,
}

/// A function and its derivative as a linear program.
#[derive(Debug, Clone)]
pub struct Linearized {
    /// The extended primal.
    pub func: Func,
    /// Every tangent.
    pub tangents: Arena<LinearValue>,
    /// For each differentiable input.
    pub inputs: Vec<LinearId>,
    /// The body; `yields` are for each differentiable result.
    pub body: LinearRegion,
    /// What is known of each primal loop.
    pub loops: FxHashMap<OpId, LoopInfo>,
}

impl LinearRegion {
    /// Whether a user-written backward derivative is behind a call in the region.
    pub fn has_written(&self) -> bool {
        self.nodes.iter().any(|node| match &node.op {
            LinearOp::Call(call) => call.written,
            LinearOp::Branch(branch) => branch.arms.iter().any(LinearRegion::has_written),
            LinearOp::Loop(linear_loop) => linear_loop.body.has_written(),
            _ => false,
        })
    }
}

impl LinearRegion {
    /// Whether elements of a tangent are taken by computed indices, here or in functions that are called.
    pub fn reaches_by_index(&self, tangent: LinearId) -> bool {
        self.nodes.iter().any(|node| match &node.op {
            LinearOp::Extract { value, path, .. } => {
                *value == tangent && path.iter().any(|step| matches!(step, PathStep::Dynamic(_)))
            }
            LinearOp::Call(call) => call.accumulated.iter().any(|&number| call.tangents[number] == Some(tangent)),
            LinearOp::Branch(branch) => branch.arms.iter().any(|arm| arm.reaches_by_index(tangent)),
            LinearOp::Loop(linear_loop) => linear_loop.body.reaches_by_index(tangent),
            _ => false,
        })
    }
}

impl LinearOp {
    /// Calls `visit` on each tangent operand; those of nested regions are not operands.
    pub fn for_each_operand(&self, mut visit: impl FnMut(LinearId)) {
        match self {
            LinearOp::Add { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            LinearOp::Neg { value, .. }
            | LinearOp::Scale { value, .. }
            | LinearOp::Divide { value, .. }
            | LinearOp::Dot { value, .. }
            | LinearOp::Cross { value, .. }
            | LinearOp::MatMul { value, .. }
            | LinearOp::Transpose { value, .. }
            | LinearOp::Splat { value, .. }
            | LinearOp::Extract { value, .. }
            | LinearOp::Swizzle { value, .. }
            | LinearOp::Convert { value, .. }
            | LinearOp::Inject { value, .. }
            | LinearOp::Project { value, .. } => visit(*value),
            LinearOp::Insert { aggregate, value, .. } => {
                aggregate.iter().for_each(|&id| visit(id));
                value.iter().for_each(|&id| visit(id));
            }
            LinearOp::Make { parts, .. } => parts.iter().flatten().for_each(|&id| visit(id)),
            LinearOp::Select { then, otherwise, .. } => {
                then.iter().for_each(|&id| visit(id));
                otherwise.iter().for_each(|&id| visit(id));
            }
            LinearOp::Call(call) => call.tangents.iter().flatten().for_each(|&id| visit(id)),
            LinearOp::Branch(_) => {}
            LinearOp::Loop(linear_loop) => {
                linear_loop.carried.iter().filter_map(|carried| carried.init).for_each(&mut visit);
            }
        }
    }

    /// Calls `visit` on each primal value that the transposed operation reads.
    pub fn for_each_residual(&self, mut visit: impl FnMut(ValueId)) {
        let mut visit_path = |path: &Path| {
            for step in path {
                if let PathStep::Dynamic(index) = step {
                    visit(*index);
                }
            }
        };
        match self {
            LinearOp::Scale { by, .. } | LinearOp::Divide { by, .. } => visit(*by),
            LinearOp::Dot { with, .. } | LinearOp::Cross { with, .. } | LinearOp::MatMul { with, .. } => visit(*with),
            LinearOp::Select { cond, .. } => visit(*cond),
            LinearOp::Extract { path, .. } | LinearOp::Insert { path, .. } => visit_path(path),
            LinearOp::Call(call) => call.residuals.iter().for_each(|&value| visit(value)),
            // The condition, selector, sum or trip count: the planner asks the op and its `LoopInfo`.
            LinearOp::Branch(_) | LinearOp::Loop(_) => {}
            LinearOp::Add { .. }
            | LinearOp::Neg { .. }
            | LinearOp::Transpose { .. }
            | LinearOp::Splat { .. }
            | LinearOp::Make { .. }
            | LinearOp::Swizzle { .. }
            | LinearOp::Convert { .. }
            | LinearOp::Inject { .. }
            | LinearOp::Project { .. } => {}
        }
    }

    /// The one result of an operation that has exactly one.
    pub fn result(&self) -> Option<LinearId> {
        match self {
            LinearOp::Add { result, .. }
            | LinearOp::Neg { result, .. }
            | LinearOp::Scale { result, .. }
            | LinearOp::Divide { result, .. }
            | LinearOp::Dot { result, .. }
            | LinearOp::Cross { result, .. }
            | LinearOp::MatMul { result, .. }
            | LinearOp::Transpose { result, .. }
            | LinearOp::Splat { result, .. }
            | LinearOp::Extract { result, .. }
            | LinearOp::Insert { result, .. }
            | LinearOp::Make { result, .. }
            | LinearOp::Swizzle { result, .. }
            | LinearOp::Convert { result, .. }
            | LinearOp::Inject { result, .. }
            | LinearOp::Project { result, .. }
            | LinearOp::Select { result, .. } => Some(*result),
            LinearOp::Call(_) | LinearOp::Branch(_) | LinearOp::Loop(_) => None,
        }
    }
}
