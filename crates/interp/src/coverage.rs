//! Which branches have been taken, over all runs of a machine, and by how much conditions missed their other side. Where it
//! is asked for, what has a kink or is compared is a branch, too: `max(x, 0)` and `i < n && i < 24`.

use ir::{Func, FuncId, MathFn, Op, OpData, OpId, Scalar, TypeId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// A side of a branch: of an `if` and a `select` 1 and 0, of others the region's number. Of what has borders (see [`borders`])
/// twice the number of the border, and one more at the border and above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Side {
    pub func: FuncId,
    pub op: OpId,
    pub number: usize,
}

/// Where a number is compared: an operand with another one, or with a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Against {
    Operand(usize),
    Number(f64),
}

/// The numbers on whose sides an operation without regions does different things: the number of an operand, and what that is
/// compared with.
pub(crate) fn borders(op: &Op) -> &'static [(usize, Against)] {
    use Against::{Number, Operand};
    match op {
        Op::Binary(operator, ..) if operator.is_comparison() => &[(0, Operand(1))],
        Op::Math(function, _) => match function {
            MathFn::Min | MathFn::Max => &[(0, Operand(1))],
            MathFn::Clamp => &[(0, Operand(1)), (0, Operand(2))],
            MathFn::Saturate => &[(0, Number(0.0)), (0, Number(1.0))],
            MathFn::Step => &[(1, Operand(0))],
            MathFn::Smoothstep => &[(2, Operand(0)), (2, Operand(1))],
            MathFn::Abs | MathFn::Sign => &[(0, Number(0.0))],
            _ => &[],
        },
        _ => &[],
    }
}

/// The operands of an operation that has borders. There is nothing to allocate: this is asked of each operation of each run.
pub(crate) fn compared(op: &Op) -> SmallVec<[ValueId; 3]> {
    match op {
        Op::Binary(_, a, b) => smallvec![*a, *b],
        Op::Math(_, operands) => operands.clone(),
        _ => SmallVec::new(),
    }
}

/// The functions that were called and the sides that were taken.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub funcs: FxHashSet<FuncId>,
    pub sides: FxHashSet<Side>,
    /// The sides that were taken for the first time since this was emptied.
    pub fresh: Vec<Side>,
    /// The functions in which what has borders counts as a branch.
    pub with_borders: FxHashSet<FuncId>,
    /// If wanted, by how much operands differ at each border, and what is switched by: the number next to zero since this
    /// was emptied.
    pub gaps: Option<FxHashMap<(FuncId, OpId, usize), f64>>,
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
        if let Op::Select { cond, .. } = &data.op {
            slots(*cond).iter().for_each(|&side| self.take(id, op, usize::from(side != 0)));
            return;
        }
        let counts = self.with_borders.contains(&id);
        let borders = if counts || self.gaps.is_some() { borders(&data.op) } else { &[] };
        if borders.is_empty() {
            return;
        }
        let operands = compared(&data.op);
        for (index, (operand, against)) in borders.iter().enumerate() {
            let Some(&operand) = operands.get(*operand) else { continue };
            let scalar = scalar_of(func.ty(operand));
            for (component, &own) in slots(operand).iter().enumerate() {
                let other = match against {
                    Against::Number(number) => Some(*number),
                    Against::Operand(other) => operands
                        .get(*other)
                        .and_then(|&other| slots(other).get(component))
                        .map(|&other| number(scalar, other)),
                };
                let Some(gap) = other.map(|other| number(scalar, own) - other) else { continue };
                self.note_gap((id, op, index), gap);
                if counts {
                    self.take(id, op, 2 * index + usize::from(gap >= 0.0));
                }
            }
        }
    }

    pub(crate) fn note_gap(&mut self, at: (FuncId, OpId, usize), gap: f64) {
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
