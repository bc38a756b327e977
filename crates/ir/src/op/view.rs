//! Operations by class, for what treats all operations of other classes alike: a match over one of these has the few
//! operations of its class, and no list of all others.

use smallvec::SmallVec;

use super::{AtomicOp, LoopBound, Op, Path};
use crate::{RegionId, ValueId};

/// An operation that runs regions.
#[derive(Debug, Clone, Copy)]
pub enum ControlOp<'a> {
    /// [`Op::If`]
    If {
        /// Which of the two regions runs.
        cond: ValueId,
        /// Runs where `cond` is true.
        then: RegionId,
        /// Runs where it is false.
        otherwise: RegionId,
    },
    /// [`Op::Switch`]
    Switch {
        /// The integer that is looked up.
        selector: ValueId,
        /// For each region the integers that lead to it.
        cases: &'a [(SmallVec<[i64; 2]>, RegionId)],
        /// Runs where no case lists the integer.
        default: RegionId,
    },
    /// [`Op::Loop`]
    Loop {
        /// The values before the first iteration.
        init: &'a [ValueId],
        /// Decides whether another iteration runs.
        cond: RegionId,
        /// One iteration.
        body: RegionId,
        /// What is known of the number of iterations.
        bound: LoopBound,
    },
    /// [`Op::SumMatch`]
    Match {
        /// The interface value.
        sum: ValueId,
        /// For each variant the region that runs where the value holds it.
        variants: &'a [RegionId],
        /// Runs where the value is the null differential.
        null: Option<RegionId>,
    },
}

/// An operation that reads or writes memory by a handle.
#[derive(Debug, Clone, Copy)]
pub enum MemoryOp<'a> {
    /// [`Op::Load`]
    Load {
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: &'a Path,
    },
    /// [`Op::Store`]
    Store {
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: &'a Path,
        /// What is written.
        value: ValueId,
    },
    /// [`Op::Atomic`]
    Atomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The memory.
        handle: ValueId,
        /// Where in it.
        path: &'a Path,
        /// The values that the old one is combined with.
        operands: &'a SmallVec<[ValueId; 2]>,
    },
    /// [`Op::ByteLoad`]
    ByteLoad {
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
    },
    /// [`Op::ByteStore`]
    ByteStore {
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
        /// What is written.
        value: ValueId,
    },
    /// [`Op::ByteAtomic`]
    ByteAtomic {
        /// What becomes of the old value.
        op: AtomicOp,
        /// The buffer.
        handle: ValueId,
        /// Bytes from its begin.
        offset: ValueId,
        /// The values that the old one is combined with.
        operands: &'a SmallVec<[ValueId; 2]>,
    },
    /// [`Op::BufferLength`]
    Length {
        /// The buffer.
        handle: ValueId,
    },
}

impl Op {
    /// The operation, if it runs regions.
    pub fn control(&self) -> Option<ControlOp<'_>> {
        match *self {
            Op::If { cond, then, otherwise } => Some(ControlOp::If { cond, then, otherwise }),
            Op::Switch { selector, ref cases, default } => Some(ControlOp::Switch { selector, cases, default }),
            Op::Loop { ref init, cond, body, bound } => Some(ControlOp::Loop { init, cond, body, bound }),
            Op::SumMatch { sum, ref variants, null } => Some(ControlOp::Match { sum, variants, null }),
            Op::Const(..)
            | Op::Zero
            | Op::Undef
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Math(..)
            | Op::Convert(..)
            | Op::Bitcast(..)
            | Op::Select { .. }
            | Op::Detach(..)
            | Op::Forget(..)
            | Op::Make(..)
            | Op::Splat(..)
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Swizzle { .. }
            | Op::Call { .. }
            | Op::Global(..)
            | Op::Builtin(..)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ByteLoad { .. }
            | Op::ByteStore { .. }
            | Op::ByteAtomic { .. }
            | Op::BufferLength { .. }
            | Op::Intrinsic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumMake { .. }
            | Op::SumTag(..) => None,
        }
    }

    /// The operation, if it reads or writes memory by a handle, or asks for its length.
    pub fn memory(&self) -> Option<MemoryOp<'_>> {
        match *self {
            Op::Load { handle, ref path } => Some(MemoryOp::Load { handle, path }),
            Op::Store { handle, ref path, value } => Some(MemoryOp::Store { handle, path, value }),
            Op::Atomic { op, handle, ref path, ref operands } => Some(MemoryOp::Atomic { op, handle, path, operands }),
            Op::ByteLoad { handle, offset } => Some(MemoryOp::ByteLoad { handle, offset }),
            Op::ByteStore { handle, offset, value } => Some(MemoryOp::ByteStore { handle, offset, value }),
            Op::ByteAtomic { op, handle, offset, ref operands } => {
                Some(MemoryOp::ByteAtomic { op, handle, offset, operands })
            }
            Op::BufferLength { handle } => Some(MemoryOp::Length { handle }),
            Op::Const(..)
            | Op::Zero
            | Op::Undef
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Math(..)
            | Op::Convert(..)
            | Op::Bitcast(..)
            | Op::Select { .. }
            | Op::Detach(..)
            | Op::Forget(..)
            | Op::Make(..)
            | Op::Splat(..)
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Swizzle { .. }
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::Global(..)
            | Op::Builtin(..)
            | Op::Intrinsic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumMake { .. }
            | Op::SumMatch { .. }
            | Op::SumTag(..) => None,
        }
    }
}
