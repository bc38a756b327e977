//! Loops over the bits of a number: `while (bits != 0) { …; bits &= bits - 1; }` takes the lowest one away.

use super::{Analysis, loops::Carried};
use crate::{BinaryOp, Op, OpId, ValueId};

impl Analysis<'_> {
    /// The most iterations that a condition allows, if the loop goes on while bits are left and clears one of them.
    pub(super) fn by_bits(&self, op: OpId, start: &Carried, condition: ValueId) -> Option<u32> {
        let Op::Loop { cond, body, .. } = self.func.ops[op].op else { return None };
        let index = self.compared_with_zero(cond, condition)?;
        let bits = *self.func.regions[body].params.get(index)?;
        let mut edges = Vec::new();
        self.edges(body, &mut edges);
        let clears = |value: ValueId| match self.binary_of(value) {
            Some((BinaryOp::And, a, b)) => {
                (a == bits && self.is_one_less(b, bits)) || (b == bits && self.is_one_less(a, bits))
            }
            _ => false,
        };
        let all_clear = edges.iter().all(|values| values.get(index).is_some_and(|&value| clears(value)));
        let range = start.tested.get(index)?.range()?;
        let width = self.scalar(bits)?.bits();
        let digits = if range.low < 0 { width } else { 128 - range.high.unsigned_abs().leading_zeros() };
        (all_clear && !edges.is_empty()).then_some(digits)
    }

    fn is_one_less(&self, value: ValueId, than: ValueId) -> bool {
        match self.binary_of(value) {
            Some((BinaryOp::Sub, a, b)) => a == than && self.is_constant(b, 1),
            Some((BinaryOp::Add, a, b)) => a == than && self.is_constant(b, -1),
            _ => false,
        }
    }
}
