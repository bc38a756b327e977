//! Whether what one operation does comes before another one runs.

use ir::{Func, Op, OpId, RegionId, Terminator};
use la_arena::ArenaMap;

/// Where the operations of a function stand.
pub(crate) struct Order<'a> {
    func: &'a Func,
    number: ArenaMap<OpId, u32>,
    region: ArenaMap<OpId, RegionId>,
    owner: ArenaMap<RegionId, OpId>,
}

impl<'a> Order<'a> {
    pub(crate) fn new(func: &'a Func) -> Order<'a> {
        let mut order =
            Order { func, number: ArenaMap::default(), region: ArenaMap::default(), owner: ArenaMap::default() };
        let mut next = 0;
        if let Some(body) = func.body {
            order.visit(body, &mut next);
        }
        order
    }

    fn visit(&mut self, region: RegionId, next: &mut u32) {
        for &op in &self.func.regions[region].ops {
            self.number.insert(op, *next);
            self.region.insert(op, region);
            *next += 1;
            for inner in self.func.ops[op].op.regions() {
                self.owner.insert(inner, op);
                self.visit(inner, next);
            }
        }
    }

    /// The regions around an operation, the outermost first.
    fn around(&self, op: OpId) -> Vec<RegionId> {
        let mut around: Vec<RegionId> = self.region.get(op).copied().into_iter().collect();
        while let Some(next) =
            around.last().and_then(|&inner| self.owner.get(inner)).and_then(|&op| self.region.get(op))
        {
            around.push(*next);
        }
        around.reverse();
        around
    }

    fn loop_of(&self, region: RegionId) -> Option<OpId> {
        self.owner.get(region).copied().filter(|&op| matches!(self.func.ops[op].op, Op::Loop { .. }))
    }

    /// The innermost loop around both.
    fn common_loop(&self, first: OpId, second: OpId) -> Option<OpId> {
        let loops = |op| self.around(op).into_iter().filter_map(|region| self.loop_of(region)).collect::<Vec<_>>();
        let pairs = std::iter::zip(loops(first), loops(second));
        pairs.take_while(|(first, second)| first == second).last().map(|(common, _)| common)
    }

    fn is_in(&self, op: OpId, owner: OpId) -> bool {
        self.around(op).iter().any(|&region| self.owner.get(region) == Some(&owner))
    }

    /// Whether `second` may run when `first` has run.
    pub(crate) fn may_follow(&self, first: OpId, second: OpId) -> bool {
        if self.common_loop(first, second).is_some() {
            return true;
        }
        if self.number.get(first) >= self.number.get(second) {
            return false;
        }
        let (first, second) = (self.around(first), self.around(second));
        let common = first.iter().zip(&second).take_while(|(first, second)| first == second).count();
        // Two ways of one branch.
        let ways = first.get(common).zip(second.get(common));
        if ways.is_some_and(|(&first, &second)| self.owner.get(first) == self.owner.get(second)) {
            return false;
        }
        let leaves = |&region: &RegionId| {
            matches!(self.func.regions[region].terminator, Terminator::Return(_) | Terminator::Unreachable)
        };
        !first[common..].iter().any(leaves)
    }

    /// Whether `between` runs on each way from `first` to `second`.
    pub(crate) fn is_between(&self, first: OpId, between: OpId, second: OpId) -> bool {
        let Some(&region) = self.region.get(between) else { return false };
        let is_before = |one: OpId, other: OpId| self.number.get(one) < self.number.get(other);
        let always_before_second = self.around(second).contains(&region) && is_before(between, second);
        let comes_round = || self.common_loop(first, second).is_some_and(|around| self.is_in(between, around));
        always_before_second && (is_before(first, between) || (!is_before(first, second) && comes_round()))
    }
}
