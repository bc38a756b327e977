//! Loops whose two ends come closer, whichever of them moves: `while (low < high) { if (…) low++; else high--; }`.

use super::{
    Analysis,
    halving::{MOST_WAYS, Search, Test},
    known::{Base, Relation},
    loops::Carried,
};
use crate::{Op, OpId, ValueId};

impl Analysis<'_> {
    /// The most iterations that a condition allows, if each of them takes at least one from the distance that it tests.
    pub(super) fn by_closing(&self, op: OpId, start: &Carried, condition: ValueId) -> Option<u32> {
        let Op::Loop { cond, body, .. } = self.func.ops[op].op else { return None };
        let Search { test, low, high } = self.search(cond, condition)?;
        let own = |value: ValueId, index: usize| -> Option<Relation> {
            let base = Base::Carried { of: op, index: index as u32, leaf: 0 };
            self.known(value).number()?.relation.filter(|relation| relation.base == base && relation.exact)
        };
        let closes = |moved: [ValueId; 2]| match (own(moved[0], low), own(moved[1], high)) {
            (Some(from), Some(to)) => from.offset.low - to.offset.high >= 1,
            _ => false,
        };
        let mut edges = Vec::new();
        self.edges(body, &mut edges);
        for values in &edges {
            let moved = [*values.get(low)?, *values.get(high)?];
            if !self.on_every_way(moved, &mut { MOST_WAYS }, &closes) {
                return None;
            }
        }
        let first = |index: usize| start.tested.get(index)?.range();
        let distance = first(high)?.high - first(low)?.low;
        let count = match test {
            Test::Below => distance,
            Test::NotAbove => distance + 1,
            Test::Between => distance - 1,
        };
        u32::try_from(count.max(0)).ok().filter(|&count| count <= super::trips::MOST_BY_RANGE as u32)
    }
}
