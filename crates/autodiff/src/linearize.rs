//! Pass 2: next to each active operation its tangent.
//!
//! Input: a normalised function. Output: the *extended primal* (the same function with the coefficients of its
//! derivative computed next to each operation; results, effects and their order are preserved) and the linear program
//! over it. For reverse mode, calls of differentiable functions become calls of their primal half, which also gives
//! their residuals, and each loop that the derivative has to follow back gets a bound and a trip count.
//!
//! ```text
//! %y = math sin %x          %y = math sin %x
//! %z = mul %y, %x     =>    %c = math cos %x           y' = scale x' by %c
//!                           %z = mul %y, %x            z' = add (scale y' by %x) (scale x' by %y)
//! ```
//!
//! Only values that carry a derivative and whose derivative is expected get a tangent; the tangent of all others is
//! zero and is nowhere written.

mod vector;

use ir::{
    BinaryOp, Callee, DerivativeKind, Func, FuncId, Op, OpId, RegionId, SpanId, Terminator, Type, TypeId, UnaryOp,
    Value, ValueDef, ValueId, abi::Kept, builder::FuncBuilder, op::Path, types::TypeTable,
};
use la_arena::Arena;
use rustc_hash::FxHashMap;

use crate::{
    AutodiffError, ErrorKind,
    activity::Activity,
    differential::{differential_path, differential_variant},
    emit::{CustomArithmetic, Emitter},
    flow::{self, Mode},
    linear::{
        CarriedTangent, Factor, LinearBranch, LinearCall, LinearId, LinearLoop, LinearNode, LinearOp, LinearRegion,
        LinearValue, Linearized, LoopInfo,
    },
    loops::{self, COUNTER},
    normalise::{Limit, NormalLoop, Normalised},
    rules::{Class, Formula, binary_rule, math_rule},
};

/// What the linear program is made for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// Forward mode: tangents beside the values.
    Forward,
    /// Reverse mode: what the way back needs is planned for.
    Reverse {
        /// Of each differentiable callee.
        ways_back: &'a FxHashMap<FuncId, WayBack>,
        /// The contexts of the calls whose way back begins with one.
        contexts: &'a FxHashMap<OpId, TypeId>,
    },
}

/// How the way back through the calls of a function begins.
#[derive(Debug, Clone, PartialEq)]
pub enum WayBack {
    /// From what the pullback of the callee needs.
    Pullback(Kept),
    /// From all arguments, with which the callee runs again.
    Again,
}

pub(crate) fn linearize(
    types: &TypeTable,
    funcs: &Arena<Func>,
    custom: &CustomArithmetic,
    normalised: Normalised,
    activity: &Activity,
    purpose: Purpose<'_>,
) -> Result<Linearized, AutodiffError> {
    let Normalised { func, loops } = normalised;
    let Some(body) = func.body else {
        let kind = ErrorKind::NoBody { callee: func.name.clone() };
        return Err(AutodiffError { kind, function: func.name.clone(), span: func.span });
    };
    let e = Emitter::new(FuncBuilder::resume(types, func, body), custom);
    let mut pass = Linearizer {
        e,
        funcs,
        activity,
        purpose,
        tangents: Arena::new(),
        of: FxHashMap::default(),
        nodes: Vec::new(),
        normal_loops: loops,
        loops: FxHashMap::default(),
    };
    let mut inputs = Vec::new();
    for index in 0..pass.e.func.inputs.len() {
        if !pass.e.func.inputs[index].differentiable {
            continue;
        }
        let value = pass.e.input(index);
        inputs.push(pass.tangent(value));
    }
    let mut body = pass.region(body)?;
    let terminator = &pass.e.func.regions[body.region].terminator;
    let results = terminator.values().iter().zip(&pass.e.func.results);
    body.yields =
        results.filter(|(_, slot)| slot.differentiable).map(|(value, _)| pass.of.get(value).copied()).collect();
    let Linearizer { e, tangents, loops, .. } = pass;
    Ok(Linearized { func: e.builder.finish(), tangents, inputs, body, loops })
}

/// The differentiable functions that `func` calls with active arguments, in order.
pub(crate) fn active_callees(funcs: &Arena<Func>, func: &Func, activity: &Activity) -> Vec<(FuncId, SpanId)> {
    let mut callees = Vec::new();
    for (_, data) in func.ops.iter() {
        if let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &data.op
            && is_active_call(funcs, *callee, args, &data.results, activity, Mode::Reverse)
            && !callees.iter().any(|(known, _)| known == callee)
        {
            callees.push((*callee, data.span));
        }
    }
    callees
}

fn is_active_call(
    funcs: &Arena<Func>,
    callee: FuncId,
    args: &[ValueId],
    results: &[ValueId],
    activity: &Activity,
    mode: Mode,
) -> bool {
    let target = &funcs[callee];
    let goes_in = args.iter().zip(&target.inputs).any(|(&arg, input)| input.differentiable && activity.carries(arg));
    let mut slots = results.iter().zip(&target.results);
    let comes_out = slots.any(|(&result, slot)| slot.differentiable && activity.is_active(result));
    let differentiable =
        !target.rules.treat_as_differentiable && flow::is_differentiable(funcs, callee) && (goes_in || comes_out);
    differentiable && ((goes_in && comes_out) || flow::has_written(funcs, callee, mode))
}

pub(crate) struct Linearizer<'a> {
    pub(crate) e: Emitter<'a>,
    funcs: &'a Arena<Func>,
    activity: &'a Activity,
    purpose: Purpose<'a>,
    tangents: Arena<LinearValue>,
    /// The tangents of primal values; those that are zero have none.
    of: FxHashMap<ValueId, LinearId>,
    /// The operations of the region that is being walked.
    nodes: Vec<LinearNode>,
    normal_loops: FxHashMap<OpId, NormalLoop>,
    loops: FxHashMap<OpId, LoopInfo>,
}

impl Linearizer<'_> {
    fn region(&mut self, region: RegionId) -> Result<LinearRegion, AutodiffError> {
        let ops = std::mem::take(&mut self.e.func.regions[region].ops);
        let nodes_outside = std::mem::take(&mut self.nodes);
        let before = self.e.switch_to(region);
        for op in ops {
            self.e.span = self.e.func.ops[op].span;
            let trip_count = self.trip_count(op)?;
            self.e.func.regions[region].ops.push(op);
            self.op(op, trip_count)?;
        }
        self.e.switch_to(before);
        let nodes = std::mem::replace(&mut self.nodes, nodes_outside);
        Ok(LinearRegion { region, nodes, yields: Vec::new() })
    }

    /// The tangent of a primal value, made for it.
    fn tangent(&mut self, value: ValueId) -> LinearId {
        let id = self.new_value(value);
        self.of.insert(value, id);
        id
    }

    fn new_value(&mut self, value: ValueId) -> LinearId {
        let ty = self.e.ty(value);
        let ty = self.e.types.differential_of(ty).unwrap_or(ty);
        let name = self.e.func.values[value].name.clone();
        self.tangents.alloc(LinearValue { ty, name })
    }

    fn unsupported(&self, operation: &str) -> AutodiffError {
        AutodiffError {
            kind: ErrorKind::Unsupported { operation: operation.into() },
            function: self.e.func.name.clone(),
            span: self.e.span,
        }
    }

    fn op(&mut self, id: OpId, trip_count: Option<ValueId>) -> Result<(), AutodiffError> {
        if !self.is_active(id) {
            return Ok(());
        }
        let data = self.e.func.ops[id].clone();
        match &data.op {
            Op::Call { .. } => return self.call(id),
            Op::If { .. } | Op::Switch { .. } | Op::SumMatch { .. } => return self.branch(id),
            Op::Loop { .. } => return self.loop_(id, trip_count),
            _ => {}
        }
        let Some(&result) = data.results.first() else {
            return Ok(());
        };
        let tangent = self.simple(&data.op, result)?;
        if let Some(tangent) = tangent {
            self.of.insert(result, tangent);
            let name = &mut self.tangents[tangent].name;
            if name.is_none() {
                name.clone_from(&self.e.func.values[result].name);
            }
        }
        Ok(())
    }

    fn mode(&self) -> Mode {
        match self.purpose {
            Purpose::Reverse { .. } => Mode::Reverse,
            Purpose::Forward => Mode::Forward,
        }
    }

    /// Whether the operation takes part in the derivative: by a result, or by a call that does.
    fn is_active(&self, id: OpId) -> bool {
        let data = &self.e.func.ops[id];
        if data.results.iter().any(|&result| self.activity.is_active(result)) {
            return true;
        }
        match &data.op {
            Op::Call { callee: Callee::Func(callee), args, no_diff: false } => {
                is_active_call(self.funcs, *callee, args, &data.results, self.activity, self.mode())
            }
            op => {
                let mut nested = op.regions().into_iter().flat_map(|region| &self.e.func.regions[region].ops);
                nested.any(|&op| self.is_active_within(op))
            }
        }
    }

    /// Whether a call that takes part is in the operation.
    fn is_active_within(&self, id: OpId) -> bool {
        match &self.e.func.ops[id].op {
            Op::Call { .. } => self.is_active(id),
            op => {
                let mut nested = op.regions().into_iter().flat_map(|region| &self.e.func.regions[region].ops);
                nested.any(|&op| self.is_active_within(op))
            }
        }
    }

    /// The tangent of the result of an operation with one result and no regions.
    fn simple(&mut self, op: &Op, result: ValueId) -> Result<Option<LinearId>, AutodiffError> {
        let tangent_of = |value: &ValueId| self.of.get(value).copied();
        Ok(match op {
            Op::Unary(UnaryOp::Neg, operand) => {
                let tangent = tangent_of(operand);
                self.neg(tangent)
            }
            Op::Binary(BinaryOp::Div, dividend, divisor) if self.is_active_quotient(*dividend, *divisor) => {
                self.quotient_rule(*dividend, *divisor, result)
            }
            Op::Binary(op, left, right) => self.by_class(binary_rule(*op).class, &[*left, *right], result)?,
            Op::Math(function, args) => match math_rule(*function).class {
                Class::Composite => self.composite(*function, args, result)?,
                class => self.by_class(class, args, result)?,
            },
            Op::Convert(operand) => {
                let tangent = tangent_of(operand);
                let ty = self.e.ty(result);
                self.unary(tangent, ty, |result, value| LinearOp::Convert { result, value })
            }
            Op::Select { cond, then, otherwise } => {
                let (then, otherwise) = (tangent_of(then), tangent_of(otherwise));
                self.select(*cond, then, otherwise)
            }
            Op::Make(parts) => {
                let tangents: Vec<Option<LinearId>> = parts.iter().map(tangent_of).collect();
                self.make(result, &tangents)
            }
            Op::Splat(operand) => {
                let tangent = tangent_of(operand);
                let ty = self.e.ty(result);
                let ty = self.e.types.differential_of(ty).unwrap_or(ty);
                self.unary(tangent, ty, |result, value| LinearOp::Splat { result, value })
            }
            Op::Extract { aggregate, path } => {
                let tangent = tangent_of(aggregate);
                let aggregate = self.e.ty(*aggregate);
                match differential_path(self.e.types, aggregate, path) {
                    Some(path) => self.extract(tangent, result, path),
                    None => None,
                }
            }
            Op::Insert { aggregate, path, value } => {
                let (aggregate_tangent, value) = (tangent_of(aggregate), tangent_of(value));
                let aggregate = self.e.ty(*aggregate);
                match differential_path(self.e.types, aggregate, path) {
                    Some(_) if aggregate_tangent.is_none() && value.is_none() => None,
                    Some(path) => {
                        let result = self.new_value(result);
                        self.push(LinearOp::Insert { result, aggregate: aggregate_tangent, path, value });
                        Some(result)
                    }
                    None => aggregate_tangent,
                }
            }
            Op::SumMake { variant, value } => {
                let tangent = tangent_of(value);
                let sum = self.e.ty(result);
                let differential = self.e.types.differential_of(sum);
                match (differential, differential_variant(self.e.types, sum, *variant)) {
                    (Some(ty), Some(variant)) => {
                        self.unary(tangent, ty, |result, value| LinearOp::Inject { result, variant, value })
                    }
                    _ => None,
                }
            }
            Op::Swizzle { vector, components } => {
                let tangent = tangent_of(vector);
                let ty = self.e.ty(result);
                let components = components.to_vec();
                if matches!(self.e.type_of(*vector), Type::Scalar(_)) {
                    // A scalar repeated.
                    self.unary(tangent, ty, |result, value| LinearOp::Splat { result, value })
                } else {
                    self.unary(tangent, ty, |result, value| LinearOp::Swizzle { result, value, components })
                }
            }
            Op::Const(_)
            | Op::Zero
            | Op::Undef
            | Op::Unary(..)
            | Op::Bitcast(_)
            | Op::Detach(_)
            | Op::Forget(_)
            | Op::Global(_)
            | Op::Builtin(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ByteLoad { .. }
            | Op::ByteStore { .. }
            | Op::ByteAtomic { .. }
            | Op::BufferLength { .. }
            | Op::Intrinsic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumTag(_)
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::SumMatch { .. } => None,
        })
    }

    fn by_class(
        &mut self,
        class: Class,
        operands: &[ValueId],
        result: ValueId,
    ) -> Result<Option<LinearId>, AutodiffError> {
        let Class::ComponentWise(formulas) = class else {
            return Ok(None);
        };
        let mut sum = None;
        for (&operand, text) in operands.iter().zip(formulas) {
            let tangent = self.tangent_of(operand);
            if tangent.is_none() {
                continue;
            }
            let formula = Formula::parse(text).map_err(|_| self.unsupported(text))?;
            let ty = self.e.ty(result);
            let term = self.apply(&formula, operands, result, ty, tangent);
            sum = self.add(sum, term);
        }
        Ok(sum)
    }

    fn is_active_quotient(&self, dividend: ValueId, divisor: ValueId) -> bool {
        self.of.contains_key(&dividend) && self.of.contains_key(&divisor)
    }

    /// `(x' - r y') / y`: one division for both operands, where the partial derivatives of the table are two.
    fn quotient_rule(&mut self, dividend: ValueId, divisor: ValueId, result: ValueId) -> Option<LinearId> {
        let (above, below) = (self.tangent_of(dividend), self.tangent_of(divisor));
        let below = self.scale(below, result);
        let below = self.neg(below);
        let sum = self.add(above, below);
        self.divide(sum, divisor)
    }

    /// `formula * tangent`, in the form that reads best.
    fn apply(
        &mut self,
        formula: &Formula,
        operands: &[ValueId],
        result: ValueId,
        ty: TypeId,
        tangent: Option<LinearId>,
    ) -> Option<LinearId> {
        match formula {
            Formula::Negate(inner) => {
                let inner = self.apply(inner, operands, result, ty, tangent);
                self.neg(inner)
            }
            Formula::Choose(..) if formula.is_choice_of_factors() => {
                let by = formula.emit(&mut self.e, operands, result, ty);
                self.scale(tangent, by)
            }
            // Chosen, not multiplied by one and zero: what is not chosen may be infinite.
            Formula::Choose(cond, then, otherwise) => {
                let cond = cond.emit(&mut self.e, operands, result, ty);
                match self.e.flag(cond) {
                    Some(true) => self.apply(then, operands, result, ty, tangent),
                    Some(false) => self.apply(otherwise, operands, result, ty, tangent),
                    None => {
                        let then = self.apply(then, operands, result, ty, tangent);
                        let otherwise = self.apply(otherwise, operands, result, ty, tangent);
                        self.select(cond, then, otherwise)
                    }
                }
            }
            Formula::Arithmetic(BinaryOp::Div, one, by) if **one == Formula::Number(1.0) => {
                let by = by.emit(&mut self.e, operands, result, ty);
                self.divide(tangent, by)
            }
            _ => {
                let by = formula.emit(&mut self.e, operands, result, ty);
                self.scale(tangent, by)
            }
        }
    }

    fn call(&mut self, id: OpId) -> Result<(), AutodiffError> {
        let data = self.e.func.ops[id].clone();
        let Op::Call { callee, args, no_diff: false } = &data.op else {
            return Ok(());
        };
        let Callee::Func(callee) = *callee else {
            return Err(self.unsupported("a derivative that has not been made yet"));
        };
        if !is_active_call(self.funcs, callee, args, &data.results, self.activity, self.mode()) {
            return Ok(());
        }
        let target = &self.funcs[callee];
        let arguments = args.iter().zip(&target.inputs);
        let tangents: Vec<Option<LinearId>> =
            arguments.filter(|(_, input)| input.differentiable).map(|(arg, _)| self.of.get(arg).copied()).collect();
        let written = flow::has_written(self.funcs, callee, self.mode());
        if tangents.iter().all(Option::is_none) && !written {
            return Ok(());
        }
        let types = self.e.builder.types;
        let inputs = target.inputs.iter().filter(|input| input.differentiable);
        let input_types: Vec<TypeId> = inputs.filter_map(|input| types.differential_of(input.ty)).collect();
        let slots = target.results.iter().filter(|slot| slot.differentiable);
        let result_types: Vec<TypeId> = slots.filter_map(|slot| types.differential_of(slot.ty)).collect();
        let mut results = Vec::new();
        for (&result, slot) in data.results.iter().zip(&target.results) {
            if slot.differentiable {
                let active = self.activity.is_active(result);
                results.push(if active { Some(self.tangent(result)) } else { None });
            }
        }
        let args = args.to_vec();
        let (way_back, context) = match self.purpose {
            Purpose::Forward => (None, None),
            Purpose::Reverse { ways_back, contexts } => (ways_back.get(&callee), contexts.get(&id)),
        };
        let mut accumulated = Vec::new();
        let (way_back, residuals) = match (context, way_back) {
            (Some(&context), _) => {
                let context = self.record_of(id, Callee::Derivative(DerivativeKind::Apply, callee), context);
                (DerivativeKind::Propagate, vec![context])
            }
            (None, Some(WayBack::Pullback(kept))) => {
                let inputs = kept.inputs.iter().filter_map(|&index| args.get(index as usize));
                let primal = Callee::Derivative(DerivativeKind::Primal, callee);
                let record = kept.record.map(|record| self.record_of(id, primal, record));
                let differentiable = target.inputs.iter().enumerate().filter(|(_, input)| input.differentiable);
                let is_accumulated = |(input, _): (usize, _)| kept.accumulated.contains(&(input as u32));
                accumulated.extend(
                    differentiable.enumerate().filter(|(_, input)| is_accumulated(*input)).map(|(number, _)| number),
                );
                (DerivativeKind::Pullback, inputs.copied().chain(record).collect())
            }
            (None, Some(WayBack::Again) | None) => (DerivativeKind::Vjp, args.clone()),
        };
        self.push(LinearOp::Call(LinearCall {
            op: id,
            callee,
            args,
            tangents,
            results,
            input_types,
            result_types,
            written,
            way_back,
            residuals,
            accumulated,
        }));
        Ok(())
    }

    /// Makes a call one of `with_record`, which gives a residual record as well.
    fn record_of(&mut self, id: OpId, with_record: Callee, ty: TypeId) -> ValueId {
        let func = &mut self.e.func;
        let index = func.ops[id].results.len() as u32;
        let record = func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index }, name: None });
        let data = &mut func.ops[id];
        data.results.push(record);
        if let Op::Call { callee, .. } = &mut data.op {
            *callee = with_record;
        }
        record
    }

    fn branch(&mut self, id: OpId) -> Result<(), AutodiffError> {
        let data = self.e.func.ops[id].clone();
        let mut arms = Vec::new();
        for (variant, region) in data.op.regions().into_iter().enumerate() {
            arms.push(match &data.op {
                Op::SumMatch { sum, .. } => self.payload_region(*sum, variant as u32, region)?,
                _ => self.region(region)?,
            });
        }
        let mut results = Vec::new();
        for (index, &result) in data.results.iter().enumerate() {
            if !self.activity.is_active(result) {
                continue;
            }
            let yields: Vec<Option<LinearId>> = arms
                .iter()
                .map(|arm| {
                    let value = self.e.func.regions[arm.region].terminator.values().get(index)?;
                    self.of.get(value).copied()
                })
                .collect();
            if yields.iter().all(Option::is_none) {
                continue;
            }
            for (arm, tangent) in arms.iter_mut().zip(yields) {
                arm.yields.push(tangent);
            }
            let tangent = self.tangent(result);
            results.push((index, tangent));
        }
        if !results.is_empty() || arms.iter().any(LinearRegion::has_written) {
            self.push(LinearOp::Branch(LinearBranch { op: id, results, arms }));
        }
        Ok(())
    }

    /// The region of a variant: its parameter is what the sum holds.
    fn payload_region(&mut self, sum: ValueId, variant: u32, region: RegionId) -> Result<LinearRegion, AutodiffError> {
        let ty = self.e.ty(sum);
        let (Some(value), Some(&payload)) = (self.tangent_of(sum), self.e.func.regions[region].params.first()) else {
            return self.region(region);
        };
        let (true, Some(variant)) = (self.activity.is_active(payload), differential_variant(self.e.types, ty, variant))
        else {
            return self.region(region);
        };
        let result = self.tangent(payload);
        let mut linear = self.region(region)?;
        let op = LinearOp::Project { result, variant, value };
        linear.nodes.insert(0, LinearNode { op, position: 0, span: self.e.span });
        Ok(linear)
    }

    /// For reverse mode: the number of iterations of an active loop, in front of it; `None` if the loop has to count
    /// (or there is no need).
    fn trip_count(&mut self, id: OpId) -> Result<Option<ValueId>, AutodiffError> {
        let (Purpose::Reverse { .. }, Op::Loop { init, .. }) = (self.purpose, &self.e.func.ops[id].op) else {
            return Ok(None);
        };
        let active = self.is_active(id);
        let facts = self.normal_loops.get(&id).cloned().unwrap_or_default();
        let (true, Some(test)) = (active, facts.test) else {
            return Ok(None);
        };
        let Some(&(_, step)) = facts.inductions.iter().find(|(index, _)| *index == test.param) else {
            return Ok(None);
        };
        let start = init[test.param];
        let ty = self.e.ty(start);
        let limit = match test.limit {
            Limit::Constant(number) => self.e.integer(number, ty),
            Limit::Value(value) => value,
        };
        let stride = step.abs();
        let ty = self.e.distances(start, step, facts.bound);
        let (from, to, inclusive) = match test.op {
            BinaryOp::Less | BinaryOp::LessEqual if step > 0 => (start, limit, test.op == BinaryOp::LessEqual),
            BinaryOp::Greater | BinaryOp::GreaterEqual if step < 0 => (limit, start, test.op == BinaryOp::GreaterEqual),
            _ => return Ok(None),
        };
        let [from, to] = [from, to].map(|end| self.e.convert(end, ty));
        let distance = self.e.sub(to, from);
        let furthest = loops::travel(step, facts.bound).map(|furthest| furthest + u128::from(stride.unsigned_abs()));
        let reach = self.e.scalar_of(ty).map(loops::reach);
        let (before, after) = match (inclusive, furthest.is_some() && furthest <= reach) {
            // Rounded up; one more if the limit itself is reached.
            (false, true) => (stride - 1, 0),
            (true, true) => (stride, 0),
            // The same without a number beyond the distance.
            (false, false) => (-1, 1),
            (true, false) => (0, 1),
        };
        let before = self.e.integer(before, ty);
        let mut count = self.e.add(distance, before);
        if stride != 1 {
            let stride = self.e.integer(stride, ty);
            count = match (self.e.number(count), self.e.number(stride)) {
                (Some(count), Some(stride)) => self.e.integer((count / stride) as i64, ty),
                _ => self.e.div(count, stride),
            };
        }
        if after != 0 {
            let after = self.e.integer(after, ty);
            count = self.e.add(count, after);
        }
        let enters = self.e.compare(test.op, start, limit);
        let none = self.e.integer(0, ty);
        let count = self.e.choose(enters, count, none);
        let counter = self.e.types.scalar(COUNTER);
        Ok(Some(self.e.convert(count, counter)))
    }

    fn loop_(&mut self, id: OpId, trip_count: Option<ValueId>) -> Result<(), AutodiffError> {
        let facts = self.normal_loops.get(&id).cloned().unwrap_or_default();
        let tested = trip_count.and(facts.test).map(|test| test.param);
        let mut info = LoopInfo { bound: facts.bound, inductions: facts.inductions, tested, trip_count };
        if matches!(self.purpose, Purpose::Reverse { .. }) {
            if info.bound.is_none() {
                let function = self.e.func.name.clone();
                return Err(AutodiffError { kind: ErrorKind::UnboundedLoop, function, span: self.e.span });
            }
            if info.trip_count.is_none() {
                self.count_iterations(id, &mut info);
            }
        }
        let data = self.e.func.ops[id].clone();
        let Op::Loop { init, body, .. } = &data.op else {
            return Ok(());
        };
        let params = self.e.func.regions[*body].params.clone();
        let mut carried = Vec::new();
        for (index, &result) in data.results.iter().enumerate() {
            let param = params[index];
            if !self.activity.is_active(result) && !self.activity.is_active(param) {
                continue;
            }
            let init = self.tangent_of(init[index]);
            let param = self.tangent(param);
            let result = self.tangent(result);
            carried.push(CarriedTangent { index, init, param, result });
        }
        let mut region = self.region(*body)?;
        let terminator: &Terminator = &self.e.func.regions[*body].terminator;
        let next: Vec<ValueId> = carried.iter().map(|carried| terminator.values()[carried.index]).collect();
        region.yields = next.iter().map(|value| self.of.get(value).copied()).collect();
        self.loops.insert(id, info);
        self.push(LinearOp::Loop(LinearLoop { op: id, carried, body: region }));
        Ok(())
    }

    /// Gives the loop a carried value that counts, if it has none that does, and its trip count.
    fn count_iterations(&mut self, id: OpId, info: &mut LoopInfo) {
        let ty = self.e.types.scalar(COUNTER);
        let region = self.e.current();
        // The constant goes in front of the loop, which is the last operation of its region.
        self.e.func.regions[region].ops.pop();
        let zero = self.e.integer(0, ty);
        self.e.func.regions[region].ops.push(id);
        let func = &mut self.e.builder.func;
        let index = func.ops[id].results.len();
        let Op::Loop { init, cond, body, .. } = &mut func.ops[id].op else {
            return;
        };
        init.push(zero);
        let (cond, body) = (*cond, *body);
        for region in [cond, body] {
            let def = ValueDef::Param { region, index: index as u32 };
            let param = func.values.alloc(Value { ty, def, name: Some("count".into()) });
            func.regions[region].params.push(param);
        }
        let param = func.regions[body].params[index];
        let def = ValueDef::Result { op: id, index: index as u32 };
        let result = func.values.alloc(Value { ty, def, name: Some("count".into()) });
        func.ops[id].results.push(result);
        let next = self.e.inside(body, |e| {
            let one = e.integer(1, ty);
            e.add(param, one)
        });
        if let Terminator::Yield(values) = &mut self.e.func.regions[body].terminator {
            values.push(next);
        }
        info.inductions.push((index, 1));
        info.trip_count = Some(result);
    }
}

/// Linear operations, with zero tangents folded away.
impl Linearizer<'_> {
    pub(crate) fn tangent_of(&self, value: ValueId) -> Option<LinearId> {
        self.of.get(&value).copied()
    }

    fn push(&mut self, op: LinearOp) {
        let position = self.e.func.regions[self.e.current()].ops.len();
        self.nodes.push(LinearNode { op, position, span: self.e.span });
    }

    fn unary(
        &mut self,
        value: Option<LinearId>,
        ty: TypeId,
        op: impl FnOnce(LinearId, LinearId) -> LinearOp,
    ) -> Option<LinearId> {
        let value = value?;
        let result = self.tangents.alloc(LinearValue { ty, name: None });
        self.push(op(result, value));
        Some(result)
    }

    fn same_type(
        &mut self,
        value: Option<LinearId>,
        op: impl FnOnce(LinearId, LinearId) -> LinearOp,
    ) -> Option<LinearId> {
        let ty = self.tangents[value?].ty;
        self.unary(value, ty, op)
    }

    pub(crate) fn add(&mut self, left: Option<LinearId>, right: Option<LinearId>) -> Option<LinearId> {
        match (left, right) {
            (Some(_), Some(right)) => self.same_type(left, |result, left| LinearOp::Add { result, left, right }),
            (one, None) | (None, one) => one,
        }
    }

    pub(crate) fn neg(&mut self, value: Option<LinearId>) -> Option<LinearId> {
        self.same_type(value, |result, value| LinearOp::Neg { result, value })
    }

    pub(crate) fn scale(&mut self, value: Option<LinearId>, by: ValueId) -> Option<LinearId> {
        match self.e.number(by) {
            Some(0.0) => return None,
            Some(1.0) => return value,
            Some(-1.0) => return self.neg(value),
            _ => {}
        }
        if let Some(by) = self.e.negated(by) {
            let scaled = self.scale(value, by);
            return self.neg(scaled);
        }
        self.same_type(value, |result, value| LinearOp::Scale { result, value, by })
    }

    pub(crate) fn divide(&mut self, value: Option<LinearId>, by: ValueId) -> Option<LinearId> {
        if self.e.number(by) == Some(1.0) {
            return value;
        }
        self.same_type(value, |result, value| LinearOp::Divide { result, value, by })
    }

    pub(crate) fn select(
        &mut self,
        cond: ValueId,
        then: Option<LinearId>,
        otherwise: Option<LinearId>,
    ) -> Option<LinearId> {
        if then == otherwise {
            return then;
        }
        let any = then.or(otherwise);
        self.same_type(any, |result, _| LinearOp::Select { result, cond, then, otherwise })
    }

    /// The scalar `dot(value, with)`.
    pub(crate) fn dot(&mut self, value: Option<LinearId>, with: ValueId) -> Option<LinearId> {
        let ty = self.e.ty(with);
        match self.e.types.get(ty) {
            Type::Vector { scalar, .. } => {
                let ty = self.e.types.scalar(scalar);
                self.unary(value, ty, |result, value| LinearOp::Dot { result, value, with })
            }
            _ => self.scale(value, with),
        }
    }

    pub(crate) fn cross(&mut self, value: Option<LinearId>, with: ValueId, factor: Factor) -> Option<LinearId> {
        self.same_type(value, |result, value| LinearOp::Cross { result, value, with, factor })
    }

    pub(crate) fn mat_mul(
        &mut self,
        value: Option<LinearId>,
        with: ValueId,
        factor: Factor,
        ty: TypeId,
    ) -> Option<LinearId> {
        self.unary(value, ty, |result, value| LinearOp::MatMul { result, value, with, factor })
    }

    pub(crate) fn transpose(&mut self, value: Option<LinearId>, ty: TypeId) -> Option<LinearId> {
        self.unary(value, ty, |result, value| LinearOp::Transpose { result, value })
    }

    /// A scalar tangent in every component of `ty`.
    pub(crate) fn splat(&mut self, value: Option<LinearId>, ty: TypeId) -> Option<LinearId> {
        if self.tangents[value?].ty == ty {
            return value;
        }
        self.unary(value, ty, |result, value| LinearOp::Splat { result, value })
    }

    /// Row `row` of a matrix tangent.
    pub(crate) fn row(&mut self, value: Option<LinearId>, row: u32, ty: TypeId) -> Option<LinearId> {
        let path = Path::from_slice(&[ir::PathStep::Const(row)]);
        self.unary(value, ty, |result, value| LinearOp::Extract { result, value, path })
    }

    fn extract(&mut self, value: Option<LinearId>, primal: ValueId, path: Path) -> Option<LinearId> {
        let value = value?;
        let result = self.new_value(primal);
        self.push(LinearOp::Extract { result, value, path });
        Some(result)
    }

    fn make(&mut self, primal: ValueId, tangents: &[Option<LinearId>]) -> Option<LinearId> {
        if tangents.iter().all(Option::is_none) {
            return None;
        }
        let ty = self.e.ty(primal);
        let parts = match self.e.types.get(ty) {
            // The differential may have other fields than the primal struct.
            Type::Struct(id) => {
                let differential = self.e.types.structs[id].differential.clone()?;
                let Type::Struct(target) = self.e.types.get(differential.ty) else {
                    return None;
                };
                let mut parts = vec![None; self.e.types.structs[target].fields.len()];
                for (field, &tangent) in differential.fields.iter().zip(tangents) {
                    if let Some(part) = field.and_then(|field| parts.get_mut(field as usize)) {
                        *part = tangent;
                    }
                }
                parts
            }
            _ => tangents.to_vec(),
        };
        let result = self.new_value(primal);
        self.push(LinearOp::Make { result, parts });
        Some(result)
    }
}
