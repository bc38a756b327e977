//! Questions about loops of the IR that several passes ask.

use ir::{BinaryOp, Func, Op, RegionId, Terminator, ValueId};

/// The values with which the loop goes on: at the end of its body and at each `continue` in it.
pub(crate) fn next_values(func: &Func, body: RegionId) -> Vec<&[ValueId]> {
    let mut found = Vec::new();
    if let Terminator::Yield(values) = &func.regions[body].terminator {
        found.push(&values[..]);
    }
    continues(func, body, &mut found);
    found
}

fn continues<'a>(func: &'a Func, region: RegionId, found: &mut Vec<&'a [ValueId]>) {
    if let Terminator::Continue(values) = &func.regions[region].terminator {
        found.push(values);
    }
    for &op in &func.regions[region].ops {
        if !matches!(func.ops[op].op, Op::Loop { .. }) {
            for nested in func.ops[op].op.regions() {
                continues(func, nested, found);
            }
        }
    }
}

/// Whether `next` is `param` plus or minus a constant: the step of a counted loop.
pub(crate) fn is_step(func: &Func, param: ValueId, next: ValueId) -> bool {
    let constant = |value| matches!(func.defining_op(value), Some(data) if matches!(data.op, Op::Const(_)));
    match func.defining_op(next).map(|data| &data.op) {
        Some(Op::Binary(BinaryOp::Add | BinaryOp::Sub, a, b)) => *a == param && constant(*b),
        _ => false,
    }
}
