//! Which branches have been taken, over all runs of a machine, and by how much conditions missed their other side.

use ir::{Func, FuncId, Op, OpData, OpId, Scalar, TypeId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A side of a branch: of an `if` and a `select` 1 and 0, of others the region's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Side {
    pub func: FuncId,
    pub op: OpId,
    pub number: usize,
}

/// The functions that were called and the sides that were taken.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub funcs: FxHashSet<FuncId>,
    pub sides: FxHashSet<Side>,
    /// The sides that were taken for the first time since this was emptied.
    pub fresh: Vec<Side>,
    /// If wanted, by how much the operands of comparisons differ, and what is switched by: the number next to zero since this
    /// was emptied.
    pub gaps: Option<FxHashMap<(FuncId, OpId), f64>>,
}

impl Coverage {
    pub(crate) fn take(&mut self, func: FuncId, op: OpId, number: usize) {
        let side = Side { func, op, number };
        if self.sides.insert(side) {
            self.fresh.push(side);
        }
    }

    /// Looks at an operation without regions that was run.
    pub(crate) fn look<'a>(
        &mut self,
        (id, func): (FuncId, &Func),
        (op, data): (OpId, &OpData),
        scalar_of: impl Fn(TypeId) -> Scalar,
        slots: impl Fn(ValueId) -> &'a [u64],
    ) {
        match &data.op {
            Op::Select { cond, .. } => {
                slots(*cond).iter().for_each(|&side| self.take(id, op, usize::from(side != 0)));
            }
            Op::Binary(operator, a, b) if operator.is_comparison() && self.gaps.is_some() => {
                let scalar = scalar_of(func.ty(*a));
                for (&a, &b) in slots(*a).iter().zip(slots(*b)) {
                    self.note_gap((id, op), number(scalar, a) - number(scalar, b));
                }
            }
            _ => {}
        }
    }

    pub(crate) fn note_gap(&mut self, at: (FuncId, OpId), gap: f64) {
        let Some(gaps) = &mut self.gaps else { return };
        let known = gaps.entry(at).or_insert(gap);
        if gap.abs() < known.abs() {
            *known = gap;
        }
    }
}

/// The number that a slot holds.
pub(crate) fn number(scalar: Scalar, slot: u64) -> f64 {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => f64::from_bits(slot),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => slot as i64 as f64,
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => slot as f64,
    }
}
