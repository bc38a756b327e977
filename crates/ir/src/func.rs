//! Functions: values, ops and regions in arenas.

use la_arena::{Arena, Idx};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::{
    Op, SpanId, TypeId,
    abi::{LAST, Role},
};

/// A function of a [`Module`](crate::Module).
pub type FuncId = Idx<Func>;
/// A value of a function.
pub type ValueId = Idx<Value>;
/// An operation of a function.
pub type OpId = Idx<OpData>;
/// A region of a function.
pub type RegionId = Idx<Region>;

/// A function. `body` is `None` for declarations: interface requirements and callees whose body the editor's analysis
/// need not see.
#[derive(Debug, Clone)]
pub struct Func {
    /// As the user wrote it, qualified and with generic arguments; unique within the module.
    pub name: SmolStr,
    /// What the caller hands in, in order.
    pub inputs: Vec<Input>,
    /// What the caller gets, in order.
    pub results: Vec<ResultSlot>,
    /// How it is differentiated.
    pub rules: FuncRules,
    /// Something in it is declared `precise`: its floating-point operations are done as they are written, one by one.
    pub is_precise: bool,
    /// Where it is declared.
    pub span: SpanId,
    /// Everything that its operations and regions define.
    pub values: Arena<Value>,
    /// Its operations; those that no region lists are not run.
    pub ops: Arena<OpData>,
    /// Its regions; those that cannot be reached from `body` are not run.
    pub regions: Arena<Region>,
    /// Its parameters are the inputs; it ends in `return`.
    pub body: Option<RegionId>,
}

/// An input of a function: an `in` or `inout` parameter (`this` first).
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The parameter's name; `this` for the receiver.
    pub name: SmolStr,
    /// What the parameter holds.
    pub ty: TypeId,
    /// Takes part in differentiation: its type is differentiable and it is not marked `no_diff`.
    pub differentiable: bool,
    /// Its number among the parameters of all directions, which gives their order. Those of one place stand in the
    /// order in which they are listed, inputs first.
    pub place: u32,
    /// Where it is declared.
    pub span: SpanId,
}

/// A result of a function: the return value, or an `out` or `inout` parameter at the end of the call.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultSlot {
    /// The parameter's name, or `return`, to be read by people: what the result is, its role says.
    pub name: SmolStr,
    /// What the caller gets.
    pub ty: TypeId,
    /// Takes part in differentiation: its type is differentiable and it is not marked `no_diff`.
    pub differentiable: bool,
    /// What the result is.
    pub role: Role,
    /// As the [`Input::place`] of a parameter.
    pub place: u32,
}

impl ResultSlot {
    /// The value of the call.
    pub fn returned(ty: TypeId, differentiable: bool) -> ResultSlot {
        ResultSlot { name: "return".into(), ty, differentiable, role: Role::Return, place: LAST }
    }

    /// An `out` parameter after the others.
    pub fn out(name: impl Into<SmolStr>, ty: TypeId, differentiable: bool) -> ResultSlot {
        ResultSlot { name: name.into(), ty, differentiable, role: Role::Out, place: LAST }
    }

    /// Whether this is the value of the call, and not of a parameter.
    pub fn is_return(&self) -> bool {
        self.role == Role::Return
    }
}

/// How the function is differentiated, in the order in which the fields are tried. Functions named here follow the IR
/// calling convention of [`crate::Callee`]; the front end makes adapters around the user's functions on pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FuncRules {
    /// Calls in differentiated code go to this function instead.
    pub primal_substitute: Option<FuncId>,
    /// The user's forward derivative, as `Jvp`.
    pub forward: Option<FuncId>,
    /// The user's backward derivative, as `Vjp`.
    pub backward: Option<FuncId>,
    /// `[TreatAsDifferentiable]`: derivative zero by the user's declaration.
    pub treat_as_differentiable: bool,
    /// May be differentiated forward, backward through its body (attributes, or implied by them).
    pub forward_differentiable: bool,
    /// May be differentiated backward through its body.
    pub backward_differentiable: bool,
    /// Its results depend on its arguments alone, so that a derivative written for it makes none from nothing.
    pub read_none: bool,
    /// `[PreferRecompute]` / `[PreferCheckpoint]`.
    pub checkpoint: CheckpointPreference,
    /// The inputs, and the results, that the source marks `no_diff`, by number: a receiver by `[NoDiffThis]`. Others without
    /// derivative have none for reasons of ours, or because of their types.
    pub marked_inputs: Vec<u32>,
    /// As `marked_inputs`, of results.
    pub marked_results: Vec<u32>,
}

impl FuncRules {
    /// Whether the function has a forward derivative: the user's, or that of its body, which may be used backwards, too,
    /// unless the user wrote only the backward derivative.
    pub fn has_forward(&self) -> bool {
        let by_body = self.backward_differentiable && self.backward.is_none();
        self.forward.is_some() || self.forward_differentiable || by_body
    }

    /// Whether the function has a backward derivative: the user's, that of its body, or the user's forward derivative
    /// transposed.
    pub fn has_backward(&self) -> bool {
        self.backward.is_some() || self.backward_differentiable || self.forward.is_some()
    }
}

/// Whether derivatives compute the results of a function again or keep them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckpointPreference {
    /// As the compiler finds best.
    #[default]
    None,
    /// `[PreferRecompute]`: the results are computed again.
    Recompute,
    /// `[PreferCheckpoint]`: the results are kept.
    Checkpoint,
}

/// What an operation or a region defines, once.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its type.
    pub ty: TypeId,
    /// What defines it.
    pub def: ValueDef,
    /// Name of the variable that the user gave it, for printing.
    pub name: Option<SmolStr>,
}

/// What defines a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an operation.
    Result {
        /// The operation.
        op: OpId,
        /// The number of the result.
        index: u32,
    },
    /// A parameter of a region.
    Param {
        /// The region.
        region: RegionId,
        /// The number of the parameter.
        index: u32,
    },
}

/// An operation in place: what it does, what it defines, where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct OpData {
    /// What it does.
    pub op: Op,
    /// What it defines.
    pub results: SmallVec<[ValueId; 2]>,
    /// Where it comes from.
    pub span: SpanId,
    /// Of a choice or a loop.
    pub advice: Option<Advice>,
}

impl OpData {
    /// An operation whose results are still to come.
    pub fn new(op: Op, span: SpanId) -> OpData {
        OpData { op, results: SmallVec::new(), span, advice: None }
    }
}

/// What the source asks of the target's compiler at a choice or a loop. No result depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advice {
    /// `[branch]`: jump over what is not chosen.
    Branch,
    /// `[flatten]`: compute both ways and choose between the results.
    Flatten,
    /// `[unroll]`
    Unroll,
    /// `[loop]`: do not unroll.
    Loop,
}

impl Advice {
    /// Each advice, for tables and tests.
    pub const ALL: [Advice; 4] = [Advice::Branch, Advice::Flatten, Advice::Unroll, Advice::Loop];

    /// As the source and the text form write it.
    pub fn word(self) -> &'static str {
        match self {
            Advice::Branch => "branch",
            Advice::Flatten => "flatten",
            Advice::Unroll => "unroll",
            Advice::Loop => "loop",
        }
    }
}

/// A parameter of a region.
pub type BlockParam = ValueId;

/// A sequence of ops with parameters and an end.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The values that it begins with: inputs, carried values of a loop, the payload of a variant.
    pub params: Vec<BlockParam>,
    /// Its operations, in the order in which they run.
    pub ops: Vec<OpId>,
    /// How it ends.
    pub terminator: Terminator,
}

/// How control leaves a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Terminator {
    /// Gives the values to the op that owns the region.
    Yield(SmallVec<[ValueId; 4]>),
    /// Leaves the function with its results.
    Return(SmallVec<[ValueId; 4]>),
    /// Leaves the innermost loop; the values are the loop's results.
    Break(SmallVec<[ValueId; 4]>),
    /// Starts the next iteration (tests the condition) of the innermost loop with these carried values.
    Continue(SmallVec<[ValueId; 4]>),
    /// Control does not get here (both arms of an `if` have left; `discard`).
    Unreachable,
}

impl Terminator {
    /// What it hands to the operation or the caller around it.
    pub fn values(&self) -> &[ValueId] {
        match self {
            Terminator::Yield(values)
            | Terminator::Return(values)
            | Terminator::Break(values)
            | Terminator::Continue(values) => values,
            Terminator::Unreachable => &[],
        }
    }

    /// As [`Terminator::values`], to be replaced.
    pub fn values_mut(&mut self) -> &mut [ValueId] {
        match self {
            Terminator::Yield(values)
            | Terminator::Return(values)
            | Terminator::Break(values)
            | Terminator::Continue(values) => values,
            Terminator::Unreachable => &mut [],
        }
    }
}

impl Func {
    /// A function without body.
    pub fn declaration(name: impl Into<SmolStr>, inputs: Vec<Input>, results: Vec<ResultSlot>, span: SpanId) -> Func {
        Func {
            name: name.into(),
            inputs,
            results,
            rules: FuncRules::default(),
            is_precise: false,
            span,
            values: Arena::new(),
            ops: Arena::new(),
            regions: Arena::new(),
            body: None,
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> TypeId {
        self.values[value].ty
    }

    /// The values of the inputs inside the body; empty for a declaration.
    pub fn input_values(&self) -> &[ValueId] {
        self.body.map_or(&[], |body| &self.regions[body].params)
    }

    /// The op that defines `value`, `None` for parameters.
    pub fn defining_op(&self, value: ValueId) -> Option<&OpData> {
        match self.values[value].def {
            ValueDef::Result { op, .. } => Some(&self.ops[op]),
            ValueDef::Param { .. } => None,
        }
    }
}
