//! Loops whose body starts with a way out test it in their condition instead.
//!
//! ```text
//! loop (%0) cond (%i) { yield %true } body (%j) {        loop (%0) cond (%i) {
//!   %c = ge %j, %4                                          %go = lt %i, %4
//!   if %c { break %j } else { yield }              =>       yield %go
//!   …                                                     } body (%j) { … }
//! }
//! ```
//!
//! What leads to the choice must be pure and short, and the loop must be left with what it carries. A condition that is
//! there stays: it is tested first.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{
    clone::{ValueMap, clone_op},
    substitute::Substitution,
};
use crate::loops::all_regions;
use crate::{
    Constant, Effect, Func, Op, OpData, OpId, Region, RegionId, Terminator, Type, TypeId, UnaryOp, Value, ValueDef,
    ValueId, types::TypeTable,
};

/// Operations that are computed in the condition.
const MOST_OPS: usize = 16;

/// Ways out of one loop that are moved.
const MOST_EXITS: usize = 4;

/// The function with leading ways out in conditions; `None` if no loop has one.
pub fn moved(types: &TypeTable, func: &Func) -> Option<Func> {
    let body = func.body?;
    let mut result: Option<Func> = None;
    let loops = all_regions(func, body).into_iter().flat_map(|region| func.regions[region].ops.clone());
    let loops: Vec<OpId> = loops.filter(|&op| matches!(func.ops[op].op, Op::Loop { .. })).collect();
    for op in loops {
        for _ in 0..MOST_EXITS {
            let current = result.as_ref().unwrap_or(func);
            let Some(exit) = leading_exit(current, op) else { break };
            let source = current.clone();
            exit.move_in(types, &source, op, result.get_or_insert(source.clone()));
        }
    }
    result
}

/// `if` as the first operation of a body that does more than compute.
struct Exit {
    choice: OpId,
    cond: ValueId,
    /// Whether the loop is left if `cond` is true.
    leaves_if: bool,
    /// The arm that stays.
    stays: RegionId,
    /// What `cond` is computed by, in order.
    ops: Vec<OpId>,
}

fn leading_exit(func: &Func, op: OpId) -> Option<Exit> {
    let Op::Loop { body, .. } = func.ops[op].op else { return None };
    let region = &func.regions[body];
    let is_plain = |op: &&OpId| {
        let op = &func.ops[**op].op;
        op.regions().is_empty() && op.own_effect() == Effect::Pure
    };
    let plain: Vec<OpId> = region.ops.iter().take_while(is_plain).copied().collect();
    let &choice = region.ops.get(plain.len())?;
    let Op::If { cond, then, otherwise } = func.ops[choice].op else { return None };
    let leaves = |arm: RegionId| {
        let arm = &func.regions[arm];
        arm.ops.is_empty() && matches!(&arm.terminator, Terminator::Break(values) if values[..] == region.params[..])
    };
    let stays = |arm: RegionId| matches!(func.regions[arm].terminator, Terminator::Yield(_));
    let (leaves_if, stays) = if leaves(then) && stays(otherwise) {
        (true, otherwise)
    } else if leaves(otherwise) && stays(then) {
        (false, then)
    } else {
        return None;
    };
    let mut needed: FxHashSet<ValueId> = FxHashSet::from_iter([cond]);
    let mut ops = Vec::new();
    for &op in plain.iter().rev() {
        if func.ops[op].results.iter().any(|result| needed.contains(result)) {
            needed.extend(func.ops[op].op.operands());
            ops.push(op);
        }
    }
    ops.reverse();
    (ops.len() <= MOST_OPS).then_some(Exit { choice, cond, leaves_if, stays, ops })
}

impl Exit {
    fn move_in(self, types: &TypeTable, source: &Func, op: OpId, func: &mut Func) {
        let Op::Loop { cond, body, .. } = source.ops[op].op else { return };
        let Some(&test) = source.regions[cond].terminator.values().first() else { return };
        let bool_type = source.ty(test);
        let params = source.regions[body].params.iter().copied().zip(source.regions[cond].params.iter().copied());
        let mut map: ValueMap = FxHashMap::from_iter(params);
        let mut ops: Vec<OpId> = self.ops.iter().map(|&op| clone_op(source, op, func, &mut map)).collect();
        let mut goes_on = map.get(&self.cond).copied().unwrap_or(self.cond);
        if self.leaves_if {
            goes_on = append(func, &mut ops, negation(types, func, goes_on), bool_type);
        }
        let always = matches!(source.defining_op(test).map(|data| &data.op), Some(Op::Const(Constant::Bool(true))));
        if !always {
            let then = region(func, ops, goes_on);
            let mut no = Vec::new();
            let value = append(func, &mut no, Op::Const(Constant::Bool(false)), bool_type);
            let otherwise = region(func, no, value);
            ops = Vec::new();
            goes_on = append(func, &mut ops, Op::If { cond: test, then, otherwise }, bool_type);
        }
        func.regions[cond].ops.extend(ops);
        func.regions[cond].terminator = Terminator::Yield(SmallVec::from_elem(goes_on, 1));
        self.stay(source, body, func);
    }

    /// Puts the arm that stays in the place of the choice.
    fn stay(&self, source: &Func, body: RegionId, func: &mut Func) {
        let arm = &source.regions[self.stays];
        let mut substitution = Substitution::default();
        for (&result, &value) in source.ops[self.choice].results.iter().zip(arm.terminator.values()) {
            substitution.replace(result, value);
        }
        let ops = &mut func.regions[body].ops;
        if let Some(at) = ops.iter().position(|&op| op == self.choice) {
            ops.splice(at..=at, arm.ops.iter().copied());
        }
        for region in all_regions(func, body) {
            for op in func.regions[region].ops.clone() {
                substitution.operands(&mut func.ops[op].op);
            }
            substitution.values(func.regions[region].terminator.values_mut());
        }
    }
}

/// That a condition is false: the opposite comparison where there is one, which counting loops knows. Two floats may be
/// neither less nor greater.
fn negation(types: &TypeTable, func: &Func, cond: ValueId) -> Op {
    let is_integer = |value: ValueId| matches!(types.get(func.ty(value)), Type::Scalar(scalar) if scalar.is_integer());
    if let Some(&Op::Binary(op, a, b)) = func.defining_op(cond).map(|data| &data.op)
        && op.is_comparison()
        && is_integer(a)
    {
        return Op::Binary(op.negated(), a, b);
    }
    Op::Unary(UnaryOp::Not, cond)
}

fn append(func: &mut Func, ops: &mut Vec<OpId>, op: Op, ty: TypeId) -> ValueId {
    let id = func.ops.alloc(OpData::new(op, crate::SpanId::NONE));
    let value = func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
    func.ops[id].results.push(value);
    ops.push(id);
    value
}

fn region(func: &mut Func, ops: Vec<OpId>, value: ValueId) -> RegionId {
    let terminator = Terminator::Yield(SmallVec::from_elem(value, 1));
    func.regions.alloc(Region { params: Vec::new(), ops, terminator })
}
