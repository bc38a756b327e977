//! Which classes of values cannot share a variable.
//!
//! Values that are needed at one time are both visible where the later of them is defined. Among the values of a class, no
//! two of which are needed at one time, only the neighbours of a value have to be asked: what is needed past a neighbour is
//! needed at it. So a class that grows by one value at a time costs the same each time.

use std::collections::BTreeMap;

use ir::ValueId;

use super::liveness::Liveness;

/// The values of a class by the place at which they are defined.
pub(crate) type Members = BTreeMap<u32, ValueId>;

/// How many pairs are looked at to see whether the neighbours are enough, where the compiler checks itself.
const COMPARED: usize = 1_000;

impl Liveness<'_> {
    /// Whether a value of one class is needed at one time with a value of the other.
    pub(crate) fn classes_interfere(&self, left: &Members, right: &Members) -> bool {
        let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        let interfere = few.iter().any(|(&order, &value)| {
            self.last_before(order, value, many).is_some_and(|before| self.interfere(before, value))
                || self.interferes_below(order, value, many)
        });
        debug_assert!(
            few.len() * many.len() > COMPARED || interfere == self.any_pair_interferes(few, many),
            "{}: neighbours say {interfere} of {few:?} and {many:?}",
            self.func.name
        );
        interfere
    }

    /// What [`Liveness::classes_interfere`] is short for.
    fn any_pair_interferes(&self, left: &Members, right: &Members) -> bool {
        left.values().any(|&left| right.values().any(|&right| self.interfere(left, right)))
    }

    /// The last of the members that are visible where `value` is defined.
    fn last_before(&self, order: u32, value: ValueId, members: &Members) -> Option<ValueId> {
        let point = self.positions.definition(self.func, value);
        let mut behind = order + 1;
        loop {
            let (_, &candidate) = members.range(..behind).next_back()?;
            let mut region = self.positions.definition(self.func, candidate).region;
            if self.positions.lift(point, region).is_some() {
                return Some(candidate);
            }
            // It stands inside of something that does not go on at the value; nor does what else stands there.
            loop {
                let op = self.positions.role(region).op()?;
                region = self.positions.op(op).region;
                if self.positions.lift(point, region).is_some() {
                    behind = self.positions.op_start(op);
                    break;
                }
            }
        }
    }

    /// Whether `value` is still needed at one of the members that see it: at the first in its region, or in regions inside.
    fn interferes_below(&self, order: u32, value: ValueId, members: &Members) -> bool {
        let home = self.positions.definition(self.func, value).region;
        let Some(end) = self.end_of_use(value) else { return false };
        let mut from = order + 1;
        while from <= end
            && let Some((_, &candidate)) = members.range(from..=end).next()
        {
            if self.interfere(value, candidate) {
                return true;
            }
            let region = self.positions.definition(self.func, candidate).region;
            if region == home {
                return false;
            }
            from = self.positions.region_end(region) + 1;
        }
        false
    }
}
