//! Where the ops of a function stand: region and index, and an order in which all places are numbered.

use ir::{Func, Op, OpId, RegionId, ValueDef, ValueId};
use la_arena::ArenaMap;

/// A point in a region: 0 is its start, `i + 1` is its op number `i`, and the number of ops plus one its terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Point {
    pub region: RegionId,
    pub index: u32,
}

/// How a region hangs on its op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The body of the function.
    Body,
    /// An arm of an `if`, `switch` or `match`.
    Arm(OpId),
    LoopCond(OpId),
    LoopBody(OpId),
}

impl Role {
    pub fn op(self) -> Option<OpId> {
        match self {
            Role::Body => None,
            Role::Arm(op) | Role::LoopCond(op) | Role::LoopBody(op) => Some(op),
        }
    }

    pub fn is_loop(self) -> bool {
        matches!(self, Role::LoopCond(_) | Role::LoopBody(_))
    }
}

#[derive(Debug, Default)]
pub struct Positions {
    ops: ArenaMap<OpId, Point>,
    roles: ArenaMap<RegionId, Role>,
    /// The order number of an op before its regions and after them.
    op_order: ArenaMap<OpId, (u32, u32)>,
    region_order: ArenaMap<RegionId, (u32, u32)>,
}

impl Positions {
    pub fn new(func: &Func, body: RegionId) -> Positions {
        let mut positions = Positions::default();
        let mut next = 0;
        positions.region(func, body, Role::Body, &mut next);
        positions
    }

    fn region(&mut self, func: &Func, region: RegionId, role: Role, next: &mut u32) {
        self.roles.insert(region, role);
        let start = *next;
        *next += 1;
        for (index, &op) in func.regions[region].ops.iter().enumerate() {
            self.ops.insert(op, Point { region, index: index as u32 + 1 });
            let before = *next;
            *next += 1;
            match &func.ops[op].op {
                Op::Loop { cond, body, .. } => {
                    self.region(func, *cond, Role::LoopCond(op), next);
                    self.region(func, *body, Role::LoopBody(op), next);
                }
                other => {
                    for nested in other.regions() {
                        self.region(func, nested, Role::Arm(op), next);
                    }
                }
            }
            self.op_order.insert(op, (before, *next));
            *next += 1;
        }
        self.region_order.insert(region, (start, *next));
        *next += 1;
    }

    pub fn op(&self, op: OpId) -> Point {
        self.ops[op]
    }

    pub fn role(&self, region: RegionId) -> Role {
        self.roles[region]
    }

    /// Whether the region belongs to the function's body: regions of removed ops stay in the arena.
    pub fn contains(&self, region: RegionId) -> bool {
        self.roles.contains_idx(region)
    }

    pub fn terminator(&self, func: &Func, region: RegionId) -> Point {
        Point { region, index: func.regions[region].ops.len() as u32 + 1 }
    }

    pub fn definition(&self, func: &Func, value: ValueId) -> Point {
        match func.values[value].def {
            ValueDef::Result { op, .. } => self.ops[op],
            ValueDef::Param { region, .. } => Point { region, index: 0 },
        }
    }

    /// The point in `ancestor` at which `point` lies (itself or nested in an op there), `None` if it does not.
    pub fn lift(&self, mut point: Point, ancestor: RegionId) -> Option<Point> {
        while point.region != ancestor {
            point = self.ops[self.roles[point.region].op()?];
        }
        Some(point)
    }

    /// The order number at which `value` is defined (for results of ops with regions: after these).
    pub fn definition_order(&self, func: &Func, value: ValueId) -> u32 {
        match func.values[value].def {
            ValueDef::Result { op, .. } => self.op_order[op].1,
            ValueDef::Param { region, .. } => self.region_order[region].0,
        }
    }

    /// The order number of a point, for ops that of their start.
    pub fn order(&self, func: &Func, point: Point) -> u32 {
        let (start, end) = self.region_order[point.region];
        let ops = &func.regions[point.region].ops;
        match point.index {
            0 => start,
            index if index as usize <= ops.len() => self.op_order[ops[index as usize - 1]].0,
            _ => end,
        }
    }

    pub fn region_end(&self, region: RegionId) -> u32 {
        self.region_order[region].1
    }

    /// The outermost loop that contains `inner` but not `outer`, which encloses it.
    pub fn outermost_loop_between(&self, inner: RegionId, outer: RegionId) -> Option<OpId> {
        let mut found = None;
        let mut region = inner;
        while region != outer {
            let role = self.roles[region];
            if role.is_loop() {
                found = role.op();
            }
            match role.op() {
                Some(op) => region = self.ops[op].region,
                None => break,
            }
        }
        found
    }

    pub fn op_start(&self, op: OpId) -> u32 {
        self.op_order[op].0
    }

    pub fn op_end(&self, op: OpId) -> u32 {
        self.op_order[op].1
    }

    /// The innermost loop around `region`.
    pub fn enclosing_loop(&self, mut region: RegionId) -> Option<OpId> {
        loop {
            let role = self.roles[region];
            if role.is_loop() {
                return role.op();
            }
            region = self.ops[role.op()?].region;
        }
    }
}
