//! Values that go through memory: what is stored and read again has lost its derivative, whichever function stores it.
//!
//! One rule for all of it. A value counts as stored at a place if it may be read from there: by an operation that may run
//! after the store, from a place that may be the same, with no other store to exactly this place on each way in between.
//! What the source marks is excused (`detach`, `no_diff` calls and parameters), and so is what a derivative written by the
//! user takes care of. Only a `detach` right at a store in a differentiable function excuses nothing: the rule on places
//! that hold no derivative (41031) asks for it, whether or not the place is read again.
//!
//! Functions tell their callers by [`Passed`] what they take into memory and out of it. Deliberately absent: aliasing of
//! inputs with each other or with variables, and what functions do to memory that they reach by calls' results where these were
//! not given what leads there.

pub(crate) mod event;
pub(crate) mod order;
pub(crate) mod place;

use ir::{FuncId, GlobalId, Module, OpId};

use crate::flow::{Flow, flow_as_promised};

pub use event::touches_memory;
pub use place::{Place, Root, Variable};

/// The number of a global of the module in the whole program.
pub(crate) type Variables<'a> = &'a dyn Fn(GlobalId) -> Option<Variable>;

/// Where a value comes from that a function takes into memory or out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The input with this number.
    Input(u32),
    /// A place in memory.
    Place(Place),
}

/// Where such a value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The result with this number.
    Result(u32),
    /// A place in memory.
    Place(Place),
}

/// A value that a call takes into memory, out of it or from one place to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Where it comes from.
    pub source: Source,
    /// Where it goes.
    pub target: Target,
}

/// How a function does it.
#[derive(Debug, Clone)]
pub struct Way {
    /// What it takes, and whereto.
    pub passed: Passed,
    /// What writes the place, or reads it for the result.
    pub op: OpId,
    /// If that is a call: of which function, and by which of its own ways.
    pub call: Option<(FuncId, u32)>,
}

/// The graph of a function of the module as its attributes promise it, with what its own operations take through memory.
pub(crate) fn flow_in(module: &Module, func: FuncId) -> Flow {
    let mut flow = flow_as_promised(module, func);
    flow.edges.extend(event::direct_edges(&module.types, &module.funcs[func], &flow));
    flow
}
