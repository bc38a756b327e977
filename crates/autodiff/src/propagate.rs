//! Propagate and unzip: reverse mode of functions whose derivative exists only as a user-written forward function.
//!
//! Input: the user's `f_forward(x, x') -> (y, y')`, which is linear in `x'`. Output: `f` in the form that `linearize`
//! produces, so that planning and transposition are shared.
//!
//! A linear function is its own derivative. So `f_forward` is linearized with respect to its tangent inputs alone: what
//! depends on them is differential, and its linear program is the differential part; the rest is primal. The tangent
//! inputs themselves are zero in the primal part, where nothing that matters may depend on them:
//!
//! ```text
//! f_forward(x, x') { c = cos(x); y = sin(x); y' = c * x' }
//!     =>   primal { x' = 0; c = cos(x); y = sin(x) }   linear { y' = scale x' by c }
//! ```
//!
//! A coefficient, condition or index that depends on a tangent, and an operation on tangents that has no derivative, is
//! an error that names the operation. Callees are taken to be linear in the tangents where the caller is.

use ir::{Func, Op, OpData, OpId, RegionId, SpanId, Value, ValueDef, ValueId};
use rustc_hash::FxHashSet;
use smol_str::{SmolStr, format_smolstr};

use crate::{
    activity::Activity,
    linear::{LinearNode, LinearOp, LinearRegion, Linearized},
};

/// The user's forward derivative of `primal` as a function of its tangents only.
pub(crate) fn of_tangents(primal: &Func, forward: &Func) -> Func {
    let mut func = forward.clone();
    for (index, input) in func.inputs.iter_mut().enumerate() {
        input.differentiable = index >= primal.inputs.len();
    }
    for (index, slot) in func.results.iter_mut().enumerate() {
        slot.differentiable = index >= primal.results.len();
    }
    func
}

/// An operation that keeps the forward derivative from being linear.
#[derive(Debug, PartialEq)]
pub(crate) struct NotLinear {
    pub operation: SmolStr,
    pub span: SpanId,
}

/// Checks that what the linear program reads does not depend on tangents, and that no tangent is lost.
pub(crate) fn check(linearized: &Linearized, activity: &Activity) -> Result<(), NotLinear> {
    let func = &linearized.func;
    let inputs = func.input_values().iter().zip(&func.inputs);
    let marked = inputs.filter(|(_, input)| input.differentiable).map(|(&value, _)| value).collect();
    let mut check = Check { func, activity, marked };
    // Once more as long as loops bring marks back to their start.
    loop {
        let before = check.marked.len();
        check.region(linearized.body.region)?;
        if check.marked.len() == before {
            break;
        }
    }
    check.linear(&linearized.body)
}

struct Check<'a> {
    func: &'a Func,
    activity: &'a Activity,
    /// Values that depend on tangents.
    marked: FxHashSet<ValueId>,
}

impl Check<'_> {
    fn not_linear(&self, id: OpId) -> NotLinear {
        let data = &self.func.ops[id];
        NotLinear { operation: describe(data), span: data.span }
    }

    fn region(&mut self, region: RegionId) -> Result<(), NotLinear> {
        let func = self.func;
        for &id in &func.regions[region].ops {
            let data = &func.ops[id];
            let depends = data.op.operands().iter().any(|operand| self.marked.contains(operand));
            let regions = data.op.regions();
            if let Op::Loop { init, cond, body, .. } = &data.op {
                for (index, init) in init.iter().enumerate() {
                    let next = func.regions[*body].terminator.values().get(index);
                    if self.marked.contains(init) || next.is_some_and(|next| self.marked.contains(next)) {
                        self.marked.insert(func.regions[*cond].params[index]);
                        self.marked.insert(func.regions[*body].params[index]);
                        self.marked.insert(data.results[index]);
                    }
                }
                self.region(*cond)?;
                self.region(*body)?;
                if func.regions[*cond].terminator.values().iter().any(|value| self.marked.contains(value)) {
                    return Err(self.not_linear(id));
                }
            } else if regions.is_empty() {
                if depends {
                    self.marked.extend(&data.results);
                }
                let lost = |result: &ValueId| self.activity.is_expected(*result) && !self.activity.carries(*result);
                if depends && data.results.iter().any(lost) {
                    return Err(self.not_linear(id));
                }
            } else {
                if depends {
                    return Err(self.not_linear(id));
                }
                for region in regions {
                    self.region(region)?;
                    let values = func.regions[region].terminator.values();
                    for (value, &result) in values.iter().zip(&data.results) {
                        if self.marked.contains(value) {
                            self.marked.insert(result);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn linear(&self, region: &LinearRegion) -> Result<(), NotLinear> {
        for node in &region.nodes {
            match &node.op {
                LinearOp::Branch(branch) => branch.arms.iter().try_for_each(|arm| self.linear(arm))?,
                LinearOp::Loop(linear_loop) => self.linear(&linear_loop.body)?,
                LinearOp::Call(_) => {}
                op => {
                    let mut depends = false;
                    op.for_each_residual(|value| depends |= self.marked.contains(&value));
                    if depends {
                        return Err(NotLinear { operation: self.source_of(region, node), span: node.span });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Check<'_> {
    /// The operation that a linear operation is the derivative of: the last one before it that was there before its
    /// coefficients.
    fn source_of(&self, region: &LinearRegion, node: &LinearNode) -> SmolStr {
        let ops = &self.func.regions[region.region].ops;
        let before = &ops[..node.position.min(ops.len())];
        let source = before.iter().rev().map(|&op| &self.func.ops[op]);
        let mut of_tangents = source.filter(|data| data.results.iter().any(|result| self.activity.carries(*result)));
        of_tangents.next().map_or_else(|| "an operation on tangents".into(), describe)
    }
}

fn describe(data: &OpData) -> SmolStr {
    match &data.op {
        Op::Math(function, _) => format_smolstr!("`{}` of a tangent", format!("{function:?}").to_lowercase()),
        Op::Binary(op, ..) => format_smolstr!("`{}` of tangents", format!("{op:?}").to_lowercase()),
        Op::If { .. } | Op::Switch { .. } | Op::Select { .. } | Op::SumMatch { .. } => {
            "a branch that depends on a tangent".into()
        }
        Op::Loop { .. } => "a loop that ends by a tangent".into(),
        Op::Convert(_) | Op::Bitcast(_) => "a conversion of a tangent".into(),
        Op::Call { .. } | Op::Intrinsic { .. } => {
            "a call with tangents of a function that is not differentiable".into()
        }
        _ => "an operation on tangents".into(),
    }
}

/// Turns the linearized forward derivative into that of the function itself: the tangent inputs become zeros, the tangent
/// results go.
pub(crate) fn unzip(linearized: &mut Linearized, primal: &Func) {
    let func = &mut linearized.func;
    let body = linearized.body.region;
    let tangents = func.regions[body].params.split_off(primal.inputs.len());
    let mut zeros = Vec::new();
    for tangent in tangents {
        let op =
            func.ops.alloc(OpData { results: [tangent].into_iter().collect(), ..OpData::new(Op::Zero, primal.span) });
        let value: &mut Value = &mut func.values[tangent];
        value.def = ValueDef::Result { op, index: 0 };
        zeros.push(op);
    }
    func.regions[body].ops.splice(0..0, zeros);
    if let ir::Terminator::Return(values) = &mut func.regions[body].terminator {
        values.truncate(primal.results.len());
    }
    func.name.clone_from(&primal.name);
    func.inputs.clone_from(&primal.inputs);
    func.results.clone_from(&primal.results);
    func.rules.clone_from(&primal.rules);
    func.span = primal.span;
}
