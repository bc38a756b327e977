//! Writes choices between a condition and `false` as `and`, those between `true` and a condition as `or`: a loop goes on
//! `while (running && i < n)`, as its source had it.
//!
//! ```text
//! %r: bool = if %a {                  %b: bool = lt %i, %n
//!   %b: bool = lt %i, %n          →   %r: bool = and %a, %b
//!   yield %b
//! } else { yield %false }
//! ```
//!
//! What the arm computes is then computed always, so that it must be short and mean something everywhere: no index is
//! computed in it. Only asked for by `codegen`: other passes find the conditions of loops in the form with `if`.

use crate::loops::all_regions;
use crate::{BinaryOp, Constant, Func, FuncId, Module, Op, OpId, PathStep, RegionId, Terminator, ValueId};

/// Operations of an arm that are computed always.
const MOST_OPS: usize = 8;

/// Joins conditions of a function; whether anything changed.
pub fn join(module: &mut Module, func: FuncId) -> bool {
    let func = &mut module.funcs[func];
    let Some(body) = func.body else { return false };
    let mut changed = false;
    // Inner ones first: they may be all that an arm has.
    for region in all_regions(func, body).into_iter().rev() {
        let mut at = 0;
        while let Some(&op) = func.regions[region].ops.get(at) {
            if let Some(Joined { arm, join }) = joined(func, op) {
                let before = std::mem::take(&mut func.regions[arm].ops);
                func.ops[op].op = join;
                let count = before.len();
                func.regions[region].ops.splice(at..at, before);
                at += count;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// What a choice becomes, and the arm whose operations stand in front of it then.
struct Joined {
    arm: RegionId,
    join: Op,
}

fn joined(func: &Func, op: OpId) -> Option<Joined> {
    let data = &func.ops[op];
    let Op::If { cond, then, otherwise } = data.op else { return None };
    if data.results.len() != 1 || data.advice.is_some() {
        return None;
    }
    let (yes, no) = (yielded(func, then)?, yielded(func, otherwise)?);
    if is_constant(func, no, false) && is_short(func, then) {
        return Some(Joined { arm: then, join: Op::Binary(BinaryOp::And, cond, yes) });
    }
    if is_constant(func, yes, true) && is_short(func, otherwise) {
        return Some(Joined { arm: otherwise, join: Op::Binary(BinaryOp::Or, cond, no) });
    }
    None
}

fn yielded(func: &Func, arm: RegionId) -> Option<ValueId> {
    match &func.regions[arm].terminator {
        Terminator::Yield(values) => values.first().copied(),
        _ => None,
    }
}

fn is_constant(func: &Func, value: ValueId, wanted: bool) -> bool {
    matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Const(Constant::Bool(known))) if *known == wanted)
}

fn is_short(func: &Func, arm: RegionId) -> bool {
    let ops = &func.regions[arm].ops;
    ops.len() <= MOST_OPS && ops.iter().all(|&op| is_plain(&func.ops[op].op))
}

/// Whether an operation is cheap and means something whatever its operands are.
fn is_plain(op: &Op) -> bool {
    match op {
        Op::Const(_) | Op::Zero | Op::Unary(..) | Op::Convert(_) => true,
        Op::Binary(operator, ..) => !matches!(operator, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr),
        Op::Extract { path, .. } => path.iter().all(|step| matches!(step, PathStep::Const(_))),
        _ => false,
    }
}
