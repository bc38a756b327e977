//! What can be read off a loop: which carried values are affine in the iteration, what it tests, how often it runs.

use ir::{
    BinaryOp, Constant, Func, Op, OpId, RegionId, Scalar, Terminator, Type, ValueId,
    op::LoopBound,
    simplify::trip_count::{TripCount, trip_count},
    types::TypeTable,
};

/// Leaves of a loop body that are looked at.
const MOST_LEAVES: usize = 64;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LoopShape {
    /// Carried values that grow by a constant in each iteration: index and step.
    pub inductions: Vec<(usize, i64)>,
    /// The loop may end otherwise than by its condition.
    pub early_exit: bool,
    /// The condition, if it compares an induction with a value.
    pub test: Option<LoopTest>,
    /// The iterations, if they can be told.
    pub count: Option<TripCount>,
}

/// `param op limit`
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LoopTest {
    pub param: usize,
    pub op: BinaryOp,
    pub limit: ValueId,
}

impl LoopShape {
    /// Whether the number of iterations depends on an input of the function, or the loop runs away from its limit.
    pub fn never_unrolls(&self, func: &Func) -> bool {
        let (None, Some(test)) = (self.count, self.test) else { return false };
        let step = self.inductions.iter().find(|(index, _)| *index == test.param).map_or(0, |(_, step)| *step);
        let runs_away = match test.op {
            BinaryOp::Less | BinaryOp::LessEqual => step < 0,
            BinaryOp::Greater | BinaryOp::GreaterEqual => step > 0,
            _ => false,
        };
        let mut limit = test.limit;
        while let Some(Op::Convert(operand)) = func.defining_op(limit).map(|data| &data.op) {
            limit = *operand;
        }
        runs_away || func.input_values().contains(&limit)
    }
}

pub(crate) fn shape(types: &TypeTable, func: &Func, id: OpId) -> LoopShape {
    let Op::Loop { cond, body, .. } = &func.ops[id].op else {
        return LoopShape::default();
    };
    let mut leaves = Leaves { func, continues: Vec::new(), early_exit: false };
    leaves.collect(*body, true);
    let mut shape = LoopShape { early_exit: leaves.early_exit, ..LoopShape::default() };
    let (tested, running) = tested(func, *cond);
    let continues = through_branches(func, leaves.continues, running, &mut shape.early_exit);
    let params = &func.regions[*body].params;
    for (index, &param) in params.iter().enumerate() {
        let is_integer = matches!(types.get(func.ty(param)), Type::Scalar(scalar) if scalar.is_integer());
        if !is_integer || continues.is_empty() {
            continue;
        }
        let mut steps = continues.iter().map(|next| step_from(func, param, *next.get(index)?));
        if let Some(first) = steps.next().flatten()
            && steps.all(|step| step == Some(first))
        {
            shape.inductions.push((index, first));
        }
    }
    if let Some(value) = tested {
        shape.test = test(func, *cond, value, &shape.inductions);
    }
    shape.count = trip_count(types, func, id);
    shape
}

/// The most iterations that the loop makes, by the user's word or by analysis.
pub(crate) fn bound(declared: LoopBound, count: Option<TripCount>) -> Option<u32> {
    let count = count.map(|count| count.at_most);
    let unrolled = declared.force_unroll.filter(|&count| count > 0);
    [declared.iterations(), unrolled, count].into_iter().flatten().min()
}

/// The integer that `value` is known to be.
pub(crate) fn integer(func: &Func, value: ValueId, depth: u32) -> Option<i64> {
    if depth > 16 {
        return None;
    }
    match &func.defining_op(value)?.op {
        Op::Const(Constant::Int(number)) => Some(*number),
        Op::Zero => Some(0),
        Op::Convert(operand) => integer(func, *operand, depth + 1),
        Op::Binary(op, left, right) => {
            let left = integer(func, *left, depth + 1)?;
            let right = integer(func, *right, depth + 1)?;
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                BinaryOp::Div => left.checked_div(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value that the condition tests, seen through the guard that `normalise` puts around it
/// (`if running { test } else { false }`), and the index of `running`.
fn tested(func: &Func, cond: RegionId) -> (Option<ValueId>, Option<usize>) {
    let region = &func.regions[cond];
    let Some(&value) = region.terminator.values().first() else {
        return (None, None);
    };
    if let Some(Op::If { cond: running, then, otherwise }) = func.defining_op(value).map(|data| &data.op)
        && let Some(index) = region.params.iter().position(|param| param == running)
        && func.regions[*otherwise].terminator.values().first().is_some_and(|&value| is_false(func, value))
    {
        return (func.regions[*then].terminator.values().first().copied(), Some(index));
    }
    (Some(value), None)
}

fn is_false(func: &Func, value: ValueId) -> bool {
    matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Const(Constant::Bool(false))))
}

fn test(func: &Func, cond: RegionId, value: ValueId, inductions: &[(usize, i64)]) -> Option<LoopTest> {
    let &Op::Binary(op, left, right) = &func.defining_op(value)?.op else {
        return None;
    };
    let params = &func.regions[cond].params;
    let induction = |value: ValueId| {
        let index = params.iter().position(|&param| param == value)?;
        inductions.iter().any(|(induction, _)| *induction == index).then_some(index)
    };
    let mirrored = match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::NotEqual => BinaryOp::NotEqual,
        _ => return None,
    };
    if let Some(param) = induction(left) {
        return Some(LoopTest { param, op, limit: right });
    }
    induction(right).map(|param| LoopTest { param, op: mirrored, limit: left })
}

/// The step by which `next` differs from `param`.
fn step_from(func: &Func, param: ValueId, next: ValueId) -> Option<i64> {
    let &Op::Binary(op, left, right) = &func.defining_op(next)?.op else {
        return None;
    };
    let step = match op {
        BinaryOp::Add if left == param => integer(func, right, 0)?,
        BinaryOp::Add if right == param => integer(func, left, 0)?,
        BinaryOp::Sub if left == param => integer(func, right, 0)?.checked_neg()?,
        _ => return None,
    };
    // In 32-bit unsigned arithmetic, adding 0xffffffff is subtracting one.
    let step = if step == i64::from(u32::MAX) { -1 } else { step };
    (step != 0).then_some(step)
}

/// Collects the values with which the next iteration starts.
struct Leaves<'f> {
    func: &'f Func,
    continues: Vec<Vec<ValueId>>,
    early_exit: bool,
}

impl Leaves<'_> {
    fn collect(&mut self, region: RegionId, own_body: bool) {
        let data = &self.func.regions[region];
        for &op in &data.ops {
            match &self.func.ops[op].op {
                Op::Loop { body, .. } => self.early_exit |= returns(self.func, *body),
                other => {
                    for nested in other.regions() {
                        self.collect(nested, false);
                    }
                }
            }
        }
        match &data.terminator {
            Terminator::Continue(values) => self.continues.push(values.to_vec()),
            Terminator::Yield(values) if own_body => self.continues.push(values.to_vec()),
            Terminator::Break(_) | Terminator::Return(_) => self.early_exit = true,
            Terminator::Yield(_) | Terminator::Unreachable => {}
        }
    }
}

fn returns(func: &Func, region: RegionId) -> bool {
    let data = &func.regions[region];
    matches!(data.terminator, Terminator::Return(_))
        || data.ops.iter().any(|&op| func.ops[op].op.regions().into_iter().any(|nested| returns(func, nested)))
}

/// Replaces values that come out of an `if` by those of its arms, and drops arms that end the loop.
fn through_branches(
    func: &Func,
    mut pending: Vec<Vec<ValueId>>,
    running: Option<usize>,
    early_exit: &mut bool,
) -> Vec<Vec<ValueId>> {
    let mut leaves = Vec::new();
    let Some(running) = running else {
        return pending;
    };
    *early_exit = true;
    while let Some(values) = pending.pop() {
        if leaves.len() + pending.len() > MOST_LEAVES {
            return Vec::new();
        }
        let Some(&flag) = values.get(running) else {
            return Vec::new();
        };
        if is_false(func, flag) {
            continue;
        }
        let ir::ValueDef::Result { op, .. } = func.values[flag].def else {
            leaves.push(values);
            continue;
        };
        let Op::If { then, otherwise, .. } = &func.ops[op].op else {
            leaves.push(values);
            continue;
        };
        for arm in [then, otherwise] {
            let yields = func.regions[*arm].terminator.values();
            let replaced = values.iter().map(|&value| match func.values[value].def {
                ir::ValueDef::Result { op: from, index } if from == op => {
                    yields.get(index as usize).copied().unwrap_or(value)
                }
                _ => value,
            });
            pending.push(replaced.collect());
        }
    }
    leaves
}

/// The integer type that counts iterations.
pub(crate) const COUNTER: Scalar = Scalar::I32;
