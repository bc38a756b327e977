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
//! an error that names the operation, and so is a tangent that a callee takes by a parameter without a derivative. Callees that
//! tangents go into are put in first, and checked with it; those whose own derivatives are written, and those that call themselves,
//! are taken to be linear in the tangents where the caller is.

use ir::{
    BinaryOp, Callee, Constant, Func, FuncId, Input, Module, Op, OpData, OpId, RegionId, SpanId, Value, ValueDef,
    ValueId,
};
use la_arena::Arena;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    activity::Activity,
    flow::flow_as_promised,
    linear::{LinearCall, LinearNode, LinearOp, LinearRegion, Linearized},
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

/// The functions that a forward derivative calls with what may depend on its tangents, the inputs behind those of the primal.
/// Whatever is made of such a value depends on it, whether or not the source holds it as a constant.
pub(crate) fn called_with_tangents(module: &Module, primal: FuncId, forward: FuncId) -> FxHashSet<FuncId> {
    let func = &module.funcs[forward];
    let mut ways: FxHashMap<ValueId, Vec<ValueId>> = FxHashMap::default();
    for edge in flow_as_promised(module, forward).edges {
        ways.entry(edge.from).or_default().push(edge.to);
    }
    for (_, data) in func.ops.iter() {
        for operand in data.op.operands() {
            ways.entry(operand).or_default().extend(&data.results);
        }
    }
    let mut pending = func.input_values()[module.funcs[primal].inputs.len()..].to_vec();
    let mut depends = FxHashSet::default();
    while let Some(value) = pending.pop() {
        if depends.insert(value) {
            pending.extend(ways.get(&value).into_iter().flatten());
        }
    }
    let called = func.ops.iter().filter_map(|(_, data)| match &data.op {
        Op::Call { callee: Callee::Func(callee), args, .. } => {
            args.iter().any(|arg| depends.contains(arg)).then_some(*callee)
        }
        _ => None,
    });
    called.collect()
}

/// What keeps the forward derivative from being transposed, and where it stands.
#[derive(Debug, PartialEq)]
pub(crate) struct Obstacle {
    pub kind: ObstacleKind,
    pub span: SpanId,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ObstacleKind {
    /// An operation that is not linear.
    NotLinear { operation: SmolStr },
    /// A tangent goes to a parameter that carries no derivative, where its cotangent would be lost.
    LosesTangent { parameter: SmolStr, callee: SmolStr },
}

/// Checks that what the linear program reads does not depend on tangents, and that no tangent is lost.
pub(crate) fn check(linearized: &Linearized, activity: &Activity, funcs: &Arena<Func>) -> Result<(), Obstacle> {
    let func = &linearized.func;
    let inputs = func.input_values().iter().zip(&func.inputs);
    let (marked, numbers): (Vec<_>, Vec<_>) = inputs.partition(|(_, input)| input.differentiable);
    let values = |inputs: Vec<(&ValueId, &Input)>| inputs.into_iter().map(|(&value, _)| value).collect();
    let mut check = Check { func, activity, funcs, marked: values(marked), numbers: values(numbers) };
    // Once more as long as loops bring marks back to their start.
    loop {
        let before = (check.marked.len(), check.numbers.len());
        check.region(linearized.body.region)?;
        if (check.marked.len(), check.numbers.len()) == before {
            break;
        }
    }
    check.results(linearized.body.region)?;
    check.linear(&linearized.body)
}

impl Obstacle {
    fn not_linear(operation: SmolStr, span: SpanId) -> Obstacle {
        Obstacle { kind: ObstacleKind::NotLinear { operation }, span }
    }
}

struct Check<'a> {
    func: &'a Func,
    activity: &'a Activity,
    /// The functions of the module, for what is called.
    funcs: &'a Arena<Func>,
    /// Values that depend on tangents.
    marked: FxHashSet<ValueId>,
    /// Values that are not zero whatever the inputs are: inputs, constants, and what is made of them.
    numbers: FxHashSet<ValueId>,
}

impl Check<'_> {
    fn not_linear(&self, id: OpId) -> Obstacle {
        let data = &self.func.ops[id];
        Obstacle::not_linear(describe(data), data.span)
    }

    fn region(&mut self, region: RegionId) -> Result<(), Obstacle> {
        let func = self.func;
        for &id in &func.regions[region].ops {
            let data = &func.ops[id];
            let depends = data.op.operands().iter().any(|operand| self.marked.contains(operand));
            let regions = data.op.regions();
            if let Op::Loop { init, cond, body, .. } = &data.op {
                for (index, init) in init.iter().enumerate() {
                    let next = func.regions[*body].terminator.values().get(index);
                    let carried =
                        [func.regions[*cond].params[index], func.regions[*body].params[index], data.results[index]];
                    for values in [&mut self.marked, &mut self.numbers] {
                        if values.contains(init) || next.is_some_and(|next| values.contains(next)) {
                            values.extend(carried);
                        }
                    }
                    self.sum([*init].into_iter().chain(next.copied()), data.results[index], data.span)?;
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
                if self.is_number(&data.op) {
                    self.numbers.extend(&data.results);
                }
                if written(&data.op).iter().any(|value| self.marked.contains(value)) {
                    return Err(self.not_linear(id));
                }
                let lost = |result: &ValueId| self.activity.is_expected(*result) && !self.activity.carries(*result);
                if depends && data.results.iter().any(lost) {
                    return Err(self.not_linear(id));
                }
                match data.op {
                    Op::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) | Op::Select { then: a, otherwise: b, .. } => {
                        self.sum([a, b], data.results[0], data.span)?
                    }
                    _ => {}
                }
            } else {
                if depends {
                    return Err(self.not_linear(id));
                }
                for region in &regions {
                    self.region(*region)?;
                    let values = func.regions[*region].terminator.values();
                    for (value, &result) in values.iter().zip(&data.results) {
                        for values in [&mut self.marked, &mut self.numbers] {
                            if values.contains(value) {
                                values.insert(result);
                            }
                        }
                    }
                }
                for (index, &result) in data.results.iter().enumerate() {
                    let arms = regions.iter().filter_map(|region| func.regions[*region].terminator.values().get(index));
                    self.sum(arms.copied(), result, data.span)?;
                }
            }
        }
        Ok(())
    }

    /// What a tangent is made of, together or in turns, are tangents and zeros: with a number it would not be zero where the
    /// tangents are.
    fn sum(&self, parts: impl IntoIterator<Item = ValueId>, result: ValueId, span: SpanId) -> Result<(), Obstacle> {
        let (carried, others): (Vec<ValueId>, Vec<ValueId>) =
            parts.into_iter().partition(|part| self.activity.carries(*part));
        let is_affine = self.activity.is_expected(result)
            && !carried.is_empty()
            && others.iter().any(|other| self.numbers.contains(other));
        if is_affine { Err(Obstacle::not_linear("a number where a tangent is expected".into(), span)) } else { Ok(()) }
    }

    /// Whether an operation without regions makes a value that is not zero whatever the inputs are. What only running it would tell
    /// is taken for zero.
    fn is_number(&self, op: &Op) -> bool {
        let is_number = |value: &ValueId| self.numbers.contains(value);
        match op {
            Op::Const(Constant::Bool(value)) => *value,
            Op::Const(Constant::Int(value)) => *value != 0,
            Op::Const(Constant::Float(value)) => *value != 0.0,
            Op::Builtin(_) | Op::Load { .. } | Op::ByteLoad { .. } => true,
            Op::Binary(BinaryOp::Mul, a, b) => is_number(a) && is_number(b),
            Op::Binary(BinaryOp::Div | BinaryOp::Rem, a, _) => is_number(a),
            Op::Binary(_, a, b) => is_number(a) || is_number(b),
            Op::Math(_, operands) => operands.iter().all(is_number),
            Op::Unary(_, a)
            | Op::Convert(a)
            | Op::Bitcast(a)
            | Op::Detach(a)
            | Op::Forget(a)
            | Op::Splat(a)
            | Op::Extract { aggregate: a, .. }
            | Op::Swizzle { vector: a, .. }
            | Op::SumMake { value: a, .. } => is_number(a),
            Op::Select { then: a, otherwise: b, .. } | Op::Insert { aggregate: a, value: b, .. } => {
                is_number(a) || is_number(b)
            }
            Op::Make(parts) => parts.iter().any(is_number),
            Op::Zero
            | Op::Undef
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::SumMatch { .. }
            | Op::Global(_)
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ByteStore { .. }
            | Op::ByteAtomic { .. }
            | Op::BufferLength { .. }
            | Op::Intrinsic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumTag(_) => false,
        }
    }

    fn linear(&self, region: &LinearRegion) -> Result<(), Obstacle> {
        for node in &region.nodes {
            match &node.op {
                LinearOp::Branch(branch) => branch.arms.iter().try_for_each(|arm| self.linear(arm))?,
                LinearOp::Loop(linear_loop) => self.linear(&linear_loop.body)?,
                LinearOp::Call(call) => self.call(call, node.span)?,
                op => {
                    let mut depends = false;
                    op.for_each_residual(|value| depends |= self.marked.contains(&value));
                    if depends {
                        return Err(Obstacle::not_linear(self.source_of(region, node), node.span));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Check<'_> {
    /// Each result of tangent type comes from a tangent, or is zero.
    fn results(&self, body: RegionId) -> Result<(), Obstacle> {
        let slots = self.func.results.iter();
        let returned = slots.zip(self.func.regions[body].terminator.values());
        let from_nothing = |value: ValueId| !self.activity.carries(value) && self.numbers.contains(&value);
        let mut tangents = returned.filter(|(slot, _)| slot.differentiable).map(|(_, &value)| value);
        let Some(value) = tangents.find(|&value| from_nothing(value)) else { return Ok(()) };
        let span = self.func.defining_op(value).map_or(self.func.span, |data| data.span);
        Err(Obstacle::not_linear("a result that no tangent goes into".into(), span))
    }

    /// The derivative of a function that is called knows of those tangents only that it has parameters for.
    fn call(&self, call: &LinearCall, span: SpanId) -> Result<(), Obstacle> {
        let callee = &self.funcs[call.callee];
        let mut arguments = callee.inputs.iter().zip(&call.args);
        let lost = arguments.find(|(input, arg)| !input.differentiable && self.marked.contains(*arg));
        let Some((input, _)) = lost else { return Ok(()) };
        let kind = ObstacleKind::LosesTangent { parameter: input.name.clone(), callee: callee.name.clone() };
        Err(Obstacle { kind, span })
    }

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

/// The values that an operation writes to memory.
fn written(op: &Op) -> &[ValueId] {
    match op {
        Op::Store { value, .. } | Op::ByteStore { value, .. } => std::slice::from_ref(value),
        Op::Atomic { operands, .. } | Op::ByteAtomic { operands, .. } => operands,
        _ => &[],
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
        Op::Detach(_) => "`detach` of a tangent".into(),
        Op::Store { .. } | Op::ByteStore { .. } | Op::Atomic { .. } | Op::ByteAtomic { .. } => {
            "a tangent that is written to memory, from where none comes back".into()
        }
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
