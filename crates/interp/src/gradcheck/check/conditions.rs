//! What decides which side of a branch is taken: the comparisons that its condition is made of.

use std::collections::BTreeSet;

use ir::{Callee, Func, FuncId, Module, Op, OpId, Scalar, Terminator, Type, ValueDef, ValueId};

use crate::{
    coverage::{self, Side},
    math::element,
};

/// Calls and operations that a condition is followed through.
const MOST_VALUES: usize = 256;

/// A number in the function whose zero is a border between sides: what a comparison's operands differ by, or how far a
/// selector is from a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Border {
    /// The operation, and which of its borders.
    pub at: (FuncId, OpId, usize),
    /// The number that the selector is compared with, zero for comparisons.
    pub offset: f64,
}

/// The borders of a side of a branch.
pub(super) fn borders(module: &Module, side: Side) -> Vec<Border> {
    let func = &module.funcs[side.func];
    let mut slice = Slice { module, seen: BTreeSet::new(), found: Vec::new() };
    match &func.ops[side.op].op {
        Op::If { cond, .. } | Op::Select { cond, .. } => slice.value(side.func, *cond),
        Op::Switch { cases, .. } => {
            let values: Vec<i64> = match cases.get(side.number) {
                Some((values, _)) => values.to_vec(),
                // Beside some case there is room for the default.
                None => {
                    cases.iter().flat_map(|(values, _)| values.iter().map(|value| value.saturating_add(1))).collect()
                }
            };
            let at = (side.func, side.op, 0);
            slice.found.extend(values.into_iter().map(|value| Border { at, offset: value as f64 }));
        }
        op if !coverage::borders(op).is_empty() => {
            slice.found.push(Border { at: (side.func, side.op, side.number / 2), offset: 0.0 });
        }
        _ => {}
    }
    slice.found
}

struct Slice<'m> {
    module: &'m Module,
    seen: BTreeSet<(FuncId, ValueId)>,
    found: Vec<Border>,
}

impl Slice<'_> {
    fn is_bool(&self, func: &Func, value: ValueId) -> bool {
        let ty = self.module.types.get(func.ty(value));
        matches!(ty, Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. }) && element(ty) == Scalar::Bool
    }

    /// Follows a truth value back to comparisons.
    fn value(&mut self, id: FuncId, value: ValueId) {
        if self.seen.len() >= MOST_VALUES || !self.seen.insert((id, value)) {
            return;
        }
        let func = &self.module.funcs[id];
        let ValueDef::Result { op, index } = func.values[value].def else { return };
        match &func.ops[op].op {
            Op::Binary(operator, a, _) if operator.is_comparison() && !self.is_bool(func, *a) => {
                let border = Border { at: (id, op, 0), offset: 0.0 };
                if !self.found.contains(&border) {
                    self.found.push(border);
                }
            }
            Op::Call { callee: Callee::Func(callee), .. } => {
                let regions = self.module.funcs[*callee].regions.iter();
                let returned: Vec<ValueId> = regions
                    .filter_map(|(_, region)| match &region.terminator {
                        Terminator::Return(values) => values.get(index as usize).copied(),
                        _ => None,
                    })
                    .collect();
                returned.into_iter().for_each(|value| self.value(*callee, value));
            }
            other => {
                let mut operands = Vec::new();
                other.for_each_operand(|operand| operands.push(operand));
                for region in other.regions() {
                    if let Terminator::Yield(values) = &func.regions[region].terminator {
                        operands.extend(values.get(index as usize));
                    }
                }
                operands.retain(|operand| self.is_bool(func, *operand));
                operands.into_iter().for_each(|operand| self.value(id, operand));
            }
        }
    }
}
