//! Pass 3: the forward derivative.
//!
//! Input: a linearized function. Output: a function from the inputs and their tangents to the results and their
//! tangents, in which each tangent is computed right after its primal value; branches and loops give both. Effects
//! are preserved, in order.
//!
//! ```text
//! f.jvp(x, x_tangent) {
//!   c = x > 0
//!   y, y_tangent = if c { sin(x), cos(x) * x_tangent } else { x, x_tangent }
//!   return y, y_tangent
//! }
//! ```
//!
//! With a [`Batch`] each tangent is there once per direction, next to one primal value: tangents go in and out as arrays,
//! and coefficients, conditions and loops are shared.

use ir::{
    Callee, DerivativeKind, Func, FuncId, Input, MathFn, Op, OpId, PathStep, RegionId, ResultSlot, TypeId, ValueId,
    abi, builder::FuncBuilder, types::TypeTable,
};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::{
    copy::Copier,
    differential::tangent_name,
    emit::{CustomArithmetic, Emitter},
    linear::{LinearBranch, LinearCall, LinearId, LinearLoop, LinearNode, LinearOp, LinearRegion, Linearized},
};

/// Several directions at once.
pub(crate) struct Batch {
    pub directions: u32,
    /// The functions that do the same for callees.
    pub callees: FxHashMap<FuncId, FuncId>,
}

/// The signature of a forward derivative; with several directions tangents are arrays of as many.
pub(crate) fn signature(types: &TypeTable, primal: &Func, directions: Option<u32>) -> (Vec<Input>, Vec<ResultSlot>) {
    let of = (&primal.inputs[..], &primal.results[..]);
    let (mut inputs, mut results) = abi::derivative(types, DerivativeKind::Jvp, of, &abi::Kept::default(), primal.span);
    if let Some(directions) = directions {
        let tangents = inputs[primal.inputs.len()..].iter_mut().map(|input| &mut input.ty);
        let of_results = results[primal.results.len()..].iter_mut().map(|slot| &mut slot.ty);
        for ty in tangents.chain(of_results) {
            *ty = types.array(*ty, directions);
        }
    }
    (inputs, results)
}

pub(crate) fn jvp(
    types: &TypeTable,
    custom: &CustomArithmetic,
    name: SmolStr,
    linearized: &Linearized,
    batch: Option<&Batch>,
) -> Func {
    let primal = &linearized.func;
    let (inputs, results) = signature(types, primal, batch.map(|batch| batch.directions));
    let mut builder = FuncBuilder::new(types, name, inputs, results, primal.span);
    builder.func.is_precise = primal.is_precise;
    let mut pass = Forward {
        e: Emitter::new(builder, custom),
        copier: Copier::new(primal),
        linearized,
        batch,
        direction: 0,
        tangents: FxHashMap::default(),
    };
    for (index, &param) in primal.input_values().iter().enumerate() {
        let value = pass.e.input(index);
        pass.copier.bind(&mut pass.e, param, value);
    }
    for (index, &tangent) in linearized.inputs.iter().enumerate() {
        let value = pass.e.input(primal.inputs.len() + index);
        let parts = pass.directions_of(value);
        pass.define_all(tangent, &parts);
    }
    pass.body(&linearized.body);
    let terminator = &primal.regions[linearized.body.region].terminator;
    let mut results: Vec<ValueId> = terminator.values().iter().map(|&value| pass.copier.get(value)).collect();
    let types: Vec<TypeId> = pass.e.func.results[results.len()..].iter().map(|slot| slot.ty).collect();
    for (tangent, ty) in linearized.body.yields.iter().zip(types) {
        let value = pass.all_directions(*tangent, ty);
        results.push(value);
    }
    pass.e.ret(results);
    pass.e.builder.finish()
}

struct Forward<'a> {
    e: Emitter<'a>,
    copier: Copier<'a>,
    linearized: &'a Linearized,
    batch: Option<&'a Batch>,
    /// The direction whose tangents are read and defined.
    direction: u32,
    /// By direction.
    tangents: FxHashMap<(LinearId, u32), ValueId>,
}

impl Forward<'_> {
    /// The operations of a primal region, each with the tangents after it, at the cursor.
    fn body(&mut self, linear: &LinearRegion) {
        let source = self.copier.source;
        let structured: FxHashMap<OpId, &LinearNode> = linear
            .nodes
            .iter()
            .filter_map(|node| match &node.op {
                LinearOp::Call(call) => Some((call.op, node)),
                LinearOp::Branch(branch) => Some((branch.op, node)),
                LinearOp::Loop(linear_loop) => Some((linear_loop.op, node)),
                _ => None,
            })
            .collect();
        let mut nodes = linear.nodes.iter().peekable();
        for (index, &op) in source.regions[linear.region].ops.iter().enumerate() {
            while let Some(node) = nodes.next_if(|node| node.position <= index) {
                self.each_direction(|pass| pass.node(node));
            }
            self.e.span = source.ops[op].span;
            match structured.get(&op).map(|node| &node.op) {
                Some(LinearOp::Call(call)) => self.call(call),
                Some(LinearOp::Branch(branch)) => self.branch(branch),
                Some(LinearOp::Loop(linear_loop)) => self.loop_(linear_loop),
                _ => {
                    self.copier.op(&mut self.e, op);
                }
            }
        }
        for node in nodes {
            self.each_direction(|pass| pass.node(node));
        }
    }

    fn directions(&self) -> u32 {
        self.batch.map_or(1, |batch| batch.directions)
    }

    fn each_direction(&mut self, mut work: impl FnMut(&mut Self)) {
        for direction in 0..self.directions() {
            self.direction = direction;
            work(self);
        }
        self.direction = 0;
    }

    /// The tangents of one value in all directions, from the array that holds them.
    fn directions_of(&mut self, value: ValueId) -> Vec<ValueId> {
        match self.batch {
            None => vec![value],
            Some(batch) => (0..batch.directions).map(|index| self.e.part(value, &[PathStep::Const(index)])).collect(),
        }
    }

    fn define_all(&mut self, id: LinearId, values: &[ValueId]) {
        for (direction, &value) in (0..).zip(values) {
            self.direction = direction;
            self.define(id, value);
        }
        self.direction = 0;
    }

    /// The tangent of a value of type `ty`: the tangents in all directions in an array, if there are several.
    fn all_directions(&mut self, id: Option<LinearId>, ty: TypeId) -> ValueId {
        if self.batch.is_none() {
            return self.tangent_or_zero(id, ty);
        }
        let Some(id) = id else { return self.e.differential_zero(ty) };
        let mut parts = Vec::new();
        self.each_direction(|pass| parts.push(pass.tangent(id)));
        self.e.make(&parts, ty)
    }

    /// The tangents in all directions of several values, one value after the other.
    fn in_all_directions(&mut self, tangents: &[(Option<LinearId>, TypeId)]) -> Vec<ValueId> {
        let mut values = Vec::new();
        for &(tangent, ty) in tangents {
            self.each_direction(|pass| {
                let value = pass.tangent_or_zero(tangent, ty);
                values.push(value);
            });
        }
        values
    }

    fn tangent(&self, id: LinearId) -> ValueId {
        // The linear program is in order, so that operands are defined; inputs are always there.
        self.tangents[&(id, self.direction)]
    }

    fn tangent_or_zero(&mut self, id: Option<LinearId>, ty: TypeId) -> ValueId {
        match id {
            Some(id) => self.tangent(id),
            None => self.e.differential_zero(ty),
        }
    }

    fn define(&mut self, id: LinearId, value: ValueId) {
        let name = tangent_name(&self.linearized.tangents[id].name);
        let slot = &mut self.e.func.values[value].name;
        if slot.is_none() {
            *slot = name;
        }
        self.tangents.insert((id, self.direction), value);
    }

    fn ty(&self, id: LinearId) -> TypeId {
        self.linearized.tangents[id].ty
    }

    /// One operation on tangents; calls, branches and loops have run with their primal operation.
    fn node(&mut self, node: &LinearNode) {
        self.e.span = node.span;
        let Some(result) = node.op.result() else {
            return;
        };
        let ty = self.ty(result);
        let value = match &node.op {
            LinearOp::Add { left, right, .. } => {
                let (left, right) = (self.tangent(*left), self.tangent(*right));
                self.e.differential_sum(left, right)
            }
            LinearOp::Neg { value, .. } => {
                let value = self.tangent(*value);
                self.e.neg(value)
            }
            LinearOp::Scale { value, by, .. } => {
                let (value, by) = (self.tangent(*value), self.copier.get(*by));
                self.e.mul(by, value)
            }
            LinearOp::Divide { value, by, .. } => {
                let (value, by) = (self.tangent(*value), self.copier.get(*by));
                self.e.div(value, by)
            }
            LinearOp::Dot { value, with, .. } => {
                let args = [self.tangent(*value), self.copier.get(*with)];
                self.e.function(MathFn::Dot, &args, ty)
            }
            LinearOp::Cross { value, with, factor, .. } => {
                let args = factor.ordered(self.tangent(*value), self.copier.get(*with));
                self.e.function(MathFn::Cross, &args, ty)
            }
            LinearOp::MatMul { value, with, factor, .. } => {
                let args = factor.ordered(self.tangent(*value), self.copier.get(*with));
                self.e.function(MathFn::MatMul, &args, ty)
            }
            LinearOp::Transpose { value, .. } => {
                let value = self.tangent(*value);
                self.e.function(MathFn::Transpose, &[value], ty)
            }
            LinearOp::Splat { value, .. } => {
                let value = self.tangent(*value);
                self.e.splat(value, ty)
            }
            LinearOp::Extract { value, path, .. } => {
                let value = self.tangent(*value);
                let path = self.path(path);
                self.e.part(value, &path)
            }
            LinearOp::Insert { aggregate, path, value, .. } => {
                let aggregate = self.tangent_or_zero(*aggregate, ty);
                let path = self.path(path);
                let value = match value {
                    Some(value) => self.tangent(*value),
                    None => {
                        let part = self.e.types.path_type(ty, &path).unwrap_or(ty);
                        self.e.differential_zero(part)
                    }
                };
                self.e.with_part(aggregate, &path, value)
            }
            LinearOp::Make { parts, .. } => {
                let values: Vec<ValueId> = parts
                    .iter()
                    .enumerate()
                    .map(|(index, part)| {
                        let step = [ir::PathStep::Const(index as u32)];
                        let part_ty = self.e.types.path_type(ty, &step).unwrap_or(ty);
                        self.tangent_or_zero(*part, part_ty)
                    })
                    .collect();
                self.e.make(&values, ty)
            }
            LinearOp::Swizzle { value, components, .. } => {
                let vector = self.tangent(*value);
                self.e.pure(Op::Swizzle { vector, components: components.iter().copied().collect() }, ty)
            }
            LinearOp::Convert { value, .. } => {
                let value = self.tangent(*value);
                self.e.convert(value, ty)
            }
            LinearOp::Select { cond, then, otherwise, .. } => {
                let then = self.tangent_or_zero(*then, ty);
                let otherwise = self.tangent_or_zero(*otherwise, ty);
                let cond = self.copier.get(*cond);
                self.e.choose(cond, then, otherwise)
            }
            LinearOp::Inject { variant, value, .. } => {
                let value = self.tangent(*value);
                self.e.value(Op::SumMake { variant: *variant, value }, ty)
            }
            LinearOp::Project { variant, value, .. } => {
                let value = self.tangent(*value);
                self.e.project(value, *variant, ty)
            }
            LinearOp::Call(_) | LinearOp::Branch(_) | LinearOp::Loop(_) => return,
        };
        self.define(result, value);
    }

    fn path(&self, path: &[ir::PathStep]) -> Vec<ir::PathStep> {
        let map = |step: &ir::PathStep| match step {
            ir::PathStep::Const(index) => ir::PathStep::Const(*index),
            ir::PathStep::Dynamic(value) => ir::PathStep::Dynamic(self.copier.get(*value)),
        };
        path.iter().map(map).collect()
    }

    fn call(&mut self, call: &LinearCall) {
        let source = self.copier.source;
        let data = &source.ops[call.op];
        let mut args: Vec<ValueId> = call.args.iter().map(|&arg| self.copier.get(arg)).collect();
        let batch = self.batch;
        let wide = |pass: &mut Self, ty: TypeId| match batch {
            Some(batch) => pass.e.builder.types.array(ty, batch.directions),
            None => ty,
        };
        for (tangent, &ty) in call.tangents.iter().zip(&call.input_types) {
            let ty = wide(self, ty);
            let value = self.all_directions(*tangent, ty);
            args.push(value);
        }
        let mut types: Vec<TypeId> = data.results.iter().map(|&result| source.ty(result)).collect();
        for &ty in &call.result_types {
            let ty = wide(self, ty);
            types.push(ty);
        }
        let callee = match batch.and_then(|batch| batch.callees.get(&call.callee)) {
            Some(&batched) => Callee::Func(batched),
            None => Callee::Derivative(DerivativeKind::Jvp, call.callee),
        };
        let results = self.e.call(callee, &args, &types);
        for (&result, &value) in data.results.iter().zip(&results) {
            self.copier.bind(&mut self.e, result, value);
        }
        for (tangent, &value) in call.results.iter().zip(&results[data.results.len()..]) {
            if let Some(tangent) = tangent {
                let parts = self.directions_of(value);
                self.define_all(*tangent, &parts);
            }
        }
    }

    fn branch(&mut self, branch: &LinearBranch) {
        let source = self.copier.source;
        let data = &source.ops[branch.op];
        let mut op = data.op.clone();
        op.for_each_operand_mut(|value| *value = self.copier.get(*value));
        let mut types: Vec<TypeId> = data.results.iter().map(|&result| source.ty(result)).collect();
        let tangent_types: Vec<TypeId> = branch.results.iter().map(|(_, tangent)| self.ty(*tangent)).collect();
        for &ty in &tangent_types {
            types.extend(std::iter::repeat_n(ty, self.directions() as usize));
        }
        let mut regions = Vec::new();
        for arm in &branch.arms {
            let region = self.copier.empty_region(&mut self.e, arm.region);
            let before = self.e.switch_to(region);
            self.body(arm);
            let mut values = self.primal_yields(arm.region);
            let yields: Vec<_> = arm.yields.iter().copied().zip(tangent_types.iter().copied()).collect();
            values.extend(self.in_all_directions(&yields));
            self.e.yield_(values);
            self.e.switch_to(before);
            regions.push(region);
        }
        let mut regions = regions.into_iter();
        op.for_each_region_mut(|region| {
            if let Some(new) = regions.next() {
                *region = new;
            }
        });
        self.e.span = data.span;
        let new = self.e.op(op, &types);
        self.bind_results(branch.op, new, branch.results.iter().map(|(_, tangent)| *tangent));
    }

    fn primal_yields(&self, region: RegionId) -> Vec<ValueId> {
        let values = self.copier.source.regions[region].terminator.values();
        values.iter().map(|&value| self.copier.get(value)).collect()
    }

    fn bind_results(&mut self, old: OpId, new: OpId, tangents: impl Iterator<Item = LinearId>) {
        let source = self.copier.source;
        let results = self.e.func.ops[new].results.clone();
        let primal = source.ops[old].results.len();
        for (&result, &value) in source.ops[old].results.iter().zip(&results) {
            self.copier.bind(&mut self.e, result, value);
        }
        for (tangent, values) in tangents.zip(results[primal..].chunks(self.directions() as usize)) {
            self.define_all(tangent, values);
        }
    }

    fn loop_(&mut self, linear_loop: &LinearLoop) {
        let source = self.copier.source;
        let data = &source.ops[linear_loop.op];
        let Op::Loop { init, cond, body, bound } = &data.op else {
            return;
        };
        let mut start: Vec<ValueId> = init.iter().map(|&value| self.copier.get(value)).collect();
        let carried: Vec<_> =
            linear_loop.carried.iter().map(|carried| (carried.init, self.ty(carried.param))).collect();
        start.extend(self.in_all_directions(&carried));
        let types: Vec<TypeId> = start.iter().map(|&value| self.e.ty(value)).collect();
        let primal = init.len();

        let new_cond = self.e.new_region(&types);
        let before = self.e.switch_to(new_cond);
        self.bind_params(*cond, new_cond);
        for &op in &source.regions[*cond].ops {
            self.copier.op(&mut self.e, op);
        }
        let values = self.primal_yields(*cond);
        self.e.yield_(values);

        let new_body = self.e.new_region(&types);
        self.e.switch_to(new_body);
        self.bind_params(*body, new_body);
        let params = self.e.func.regions[new_body].params[primal..].to_vec();
        for (carried, values) in linear_loop.carried.iter().zip(params.chunks(self.directions() as usize)) {
            self.define_all(carried.param, values);
        }
        self.body(&linear_loop.body);
        let mut values = self.primal_yields(*body);
        let types_of: Vec<TypeId> = carried.iter().map(|(_, ty)| *ty).collect();
        let yields: Vec<_> = linear_loop.body.yields.iter().copied().zip(types_of).collect();
        values.extend(self.in_all_directions(&yields));
        self.e.yield_(values);
        self.e.switch_to(before);

        self.e.span = data.span;
        let op = Op::Loop { init: start.into_iter().collect(), cond: new_cond, body: new_body, bound: *bound };
        let new = self.e.op(op, &types);
        self.bind_results(linear_loop.op, new, linear_loop.carried.iter().map(|carried| carried.result));
    }

    fn bind_params(&mut self, old: RegionId, new: RegionId) {
        let source = self.copier.source;
        for (index, &param) in source.regions[old].params.iter().enumerate() {
            let value = self.e.func.regions[new].params[index];
            self.copier.bind(&mut self.e, param, value);
        }
    }
}
