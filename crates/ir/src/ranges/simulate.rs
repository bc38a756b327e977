//! Loops whose condition depends on numbers that start with constants and of which each iteration makes the same: they
//! are run. For counters that are floats, which step with rounding.

use rustc_hash::FxHashMap;

use crate::{
    Func, Op, OpId, RegionId, Scalar, Terminator, Type, ValueDef, ValueId,
    number::{self, Precision},
    simplify::loops::early_exits,
    types::TypeTable,
};

/// Iterations that are run.
const MOST_ITERATIONS: u32 = 1024;

/// Operations that are run for one iteration.
const MOST_OPS: u32 = 24;

/// How often the loop runs by its condition; `None` if that is not of this kind, or too often.
pub(super) fn count(types: &TypeTable, func: &Func, cond: RegionId, body: RegionId, op: OpId) -> Option<u32> {
    let Op::Loop { init, .. } = &func.ops[op].op else { return None };
    let test = *func.regions[cond].terminator.values().first()?;
    let machine = Machine { types, func };
    let tested = machine.params(cond, &[test])?;
    // What the tested numbers are made of, and what that is made of.
    let next = machine.next_values(body)?;
    let mut carried = tested;
    let mut seen = 0;
    while let Some(&index) = carried.get(seen) {
        seen += 1;
        for param in machine.params(body, &[*next.get(index)?])? {
            if !carried.contains(&param) {
                carried.push(param);
            }
        }
        if carried.len() > 4 {
            return None;
        }
    }
    let is_float =
        |&index: &usize| matches!(types.get(func.ty(init[index])), Type::Scalar(scalar) if scalar.is_float());
    if !carried.iter().any(is_float) {
        return None;
    }
    let mut state: Vec<u64> =
        carried.iter().map(|&index| machine.run(init[index], &FxHashMap::default(), &mut 0)).collect::<Option<_>>()?;
    let values = |region: RegionId, state: &[u64]| -> FxHashMap<ValueId, u64> {
        carried.iter().zip(state).map(|(&index, &slot)| (func.regions[region].params[index], slot)).collect()
    };
    for done in 0..=MOST_ITERATIONS {
        if machine.run(test, &values(cond, &state), &mut 0)? == 0 {
            return Some(done);
        }
        let now = values(body, &state);
        state = carried.iter().map(|&index| machine.run(next[index], &now, &mut 0)).collect::<Option<_>>()?;
    }
    None
}

struct Machine<'a> {
    types: &'a TypeTable,
    func: &'a Func,
}

impl Machine<'_> {
    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The carried values of a region that values are made of; `None` if they are made of something else than those and
    /// constants.
    fn params(&self, region: RegionId, values: &[ValueId]) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let mut pending = values.to_vec();
        let mut left = MOST_OPS;
        while let Some(value) = pending.pop() {
            left = left.checked_sub(1)?;
            match self.func.values[value].def {
                ValueDef::Param { region: of, index } if of == region => found.push(index as usize),
                ValueDef::Param { .. } => return None,
                ValueDef::Result { op, .. } => pending.extend(self.func.ops[op].op.operands()),
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The values of the next iteration, if all ways into it have the same.
    fn next_values(&self, body: RegionId) -> Option<&[ValueId]> {
        let ends = early_exits(self.func, body).into_iter().chain([body]);
        let mut nexts = ends.filter_map(|end| match &self.func.regions[end].terminator {
            Terminator::Yield(values) | Terminator::Continue(values) => Some(values.as_slice()),
            Terminator::Break(_) | Terminator::Return(_) | Terminator::Unreachable => None,
        });
        let first = nexts.next()?;
        nexts.all(|next| next == first).then_some(first)
    }

    /// Runs what a value is made of.
    fn run(&self, value: ValueId, known: &FxHashMap<ValueId, u64>, ops: &mut u32) -> Option<u64> {
        if let Some(&slot) = known.get(&value) {
            return Some(slot);
        }
        *ops += 1;
        if *ops > MOST_OPS {
            return None;
        }
        let scalar = self.scalar(value)?;
        let slot = match &self.func.defining_op(value)?.op {
            Op::Const(constant) => number::from_constant(*constant, scalar, Precision::Declared),
            Op::Zero => 0,
            Op::Unary(op, a) => number::unary(*op, scalar, self.run(*a, known, ops)?),
            Op::Binary(op, a, b) => {
                let (x, y) = (self.run(*a, known, ops)?, self.run(*b, known, ops)?);
                number::binary(*op, self.scalar(*a)?, Precision::Declared, x, y)
            }
            Op::Convert(a) => number::convert(self.scalar(*a)?, scalar, Precision::Declared, self.run(*a, known, ops)?),
            Op::Detach(a) => self.run(*a, known, ops)?,
            _ => return None,
        };
        // Devices may flush the smallest numbers to zero, and differ in what is not finite.
        let is_settled = !scalar.is_float() || {
            let number = number::to_f64(slot);
            number == 0.0 || (number.is_finite() && number.abs() > 1e-30)
        };
        is_settled.then_some(slot)
    }
}
