//! The second half of pass 5: the linear program backwards.
//!
//! Input: a linearized function, its plan, and where the stored values are. Output: operations at the cursor that turn
//! the cotangents of the results into those of the inputs. Each linear operation is walked once, last first; the
//! cotangent of a tangent is the sum over its uses, and an operation whose result has none is skipped.
//!
//! ```text
//! y' = scale x' by c             x_ += c * y_
//! y' = if c { a' } else { b' }   a_, b_ += if c { y_, 0 } else { 0, y_ }
//! s' = loop k { s' = body(s') }  for k = n - 1 ... 0 { s_ = transposed body(s_) }
//! ```

use std::collections::BTreeSet;

use ir::{BinaryOp, Callee, MathFn, Op, PathStep, RegionId, Type, TypeId, UnaryOp, ValueId, op::LoopBound};
use la_arena::ArenaMap;
use rustc_hash::FxHashSet;

use crate::{
    cotangent::{Cotangent, is_splittable},
    differential::cotangent_name,
    emit::Emitter,
    linear::{Factor, LinearBranch, LinearCall, LinearId, LinearLoop, LinearNode, LinearOp, LinearRegion, Linearized},
    loops::COUNTER,
    recall::{Frame, Recall, Source},
};

pub(crate) struct Transposer<'a, 'e> {
    pub e: Emitter<'e>,
    pub recall: Recall<'a>,
    pub linearized: &'a Linearized,
    cotangents: ArenaMap<LinearId, Cotangent>,
}

type Path = Vec<PathStep>;

impl<'a, 'e> Transposer<'a, 'e> {
    pub(crate) fn new(e: Emitter<'e>, recall: Recall<'a>, linearized: &'a Linearized) -> Self {
        Transposer { e, recall, linearized, cotangents: ArenaMap::default() }
    }

    /// What is known of a cotangent before the walk.
    pub(crate) fn begin_with(&mut self, id: LinearId, sum: ValueId) {
        self.cotangents.insert(id, Cotangent::Whole(sum));
    }

    /// Walks the body from the cotangents of the results; returns those of the inputs.
    pub(crate) fn run(&mut self, results: &[ValueId]) -> Vec<ValueId> {
        let linearized = self.linearized;
        for (tangent, &value) in linearized.body.yields.iter().zip(results) {
            if let Some(tangent) = tangent {
                self.accumulate(*tangent, &[], value);
            }
        }
        self.region(&linearized.body);
        let inputs = &linearized.inputs;
        inputs.iter().map(|&input| self.take_whole(input)).collect()
    }

    fn region(&mut self, region: &LinearRegion) {
        for node in region.nodes.iter().rev() {
            self.e.span = node.span;
            self.node(node);
        }
    }

    fn ty(&self, id: LinearId) -> TypeId {
        self.linearized.tangents[id].ty
    }

    fn primal(&mut self, value: ValueId) -> ValueId {
        self.recall.value(&mut self.e, value)
    }

    /// Adds to the cotangent of the part of `id` at `path`.
    fn accumulate(&mut self, id: LinearId, path: &[PathStep], value: ValueId) {
        let ty = self.ty(id);
        let entry = self.cotangents.entry(id).or_insert(Cotangent::Zero);
        entry.add_at(&mut self.e, ty, path, value);
    }

    fn accumulate_all(&mut self, id: LinearId, path: &[PathStep], cotangent: &Cotangent) {
        let ty = self.ty(id);
        let entry = self.cotangents.entry(id).or_insert(Cotangent::Zero);
        entry.merge(&mut self.e, ty, &mut path.to_vec(), cotangent);
    }

    /// The final cotangent of a value whose uses have all been walked; `None` if it is zero.
    fn take(&mut self, id: LinearId) -> Option<Cotangent> {
        let cotangent = self.cotangents.remove(id)?;
        if cotangent.is_zero() {
            return None;
        }
        if let Cotangent::Whole(value) = cotangent {
            self.name(value, id);
        }
        Some(cotangent)
    }

    fn name(&mut self, value: ValueId, id: LinearId) {
        let slot = &mut self.e.func.values[value].name;
        if slot.is_none() {
            *slot = cotangent_name(&self.linearized.tangents[id].name);
        }
    }

    /// The final cotangent in one piece, zero included.
    fn take_whole(&mut self, id: LinearId) -> ValueId {
        let ty = self.ty(id);
        let cotangent = self.cotangents.remove(id).unwrap_or(Cotangent::Zero);
        let value = cotangent.whole(&mut self.e, ty);
        if !cotangent.is_zero() {
            self.name(value, id);
        }
        value
    }

    fn node(&mut self, node: &LinearNode) {
        match &node.op {
            LinearOp::Call(call) => return self.call(call),
            LinearOp::Branch(branch) => return self.branch(branch),
            LinearOp::Loop(linear_loop) => return self.loop_(linear_loop),
            _ => {}
        }
        let Some(result) = node.op.result() else {
            return;
        };
        let Some(cotangent) = self.take(result) else {
            return;
        };
        self.simple(&node.op, result, cotangent);
    }

    fn simple(&mut self, op: &LinearOp, result: LinearId, mut cotangent: Cotangent) {
        let ty = self.ty(result);
        match op {
            LinearOp::Add { left, right, .. } => {
                self.accumulate_all(*left, &[], &cotangent);
                self.accumulate_all(*right, &[], &cotangent);
            }
            LinearOp::Extract { value, path, .. } => {
                let path = self.path(path);
                self.accumulate_all(*value, &path, &cotangent);
            }
            LinearOp::Insert { aggregate, path, value, .. } => {
                let path = self.path(path);
                let part = cotangent.take_at(&mut self.e, ty, &path);
                if let Some(value) = value {
                    self.accumulate_all(*value, &[], &part);
                }
                if let Some(aggregate) = aggregate {
                    self.accumulate_all(*aggregate, &[], &cotangent);
                }
            }
            LinearOp::Make { parts, .. } => {
                let cotangents = cotangent.parts(&mut self.e, ty).clone();
                for (part, cotangent) in parts.iter().zip(&cotangents) {
                    if let Some(part) = part {
                        self.accumulate_all(*part, &[], cotangent);
                    }
                }
            }
            LinearOp::Swizzle { value, components, .. } => self.swizzle(*value, components, ty, cotangent),
            LinearOp::Splat { value, .. } => {
                let sum = self.sum_of_parts(cotangent, ty, self.ty(*value));
                self.accumulate(*value, &[], sum);
            }
            LinearOp::Select { cond, then, otherwise, .. } => self.select(*cond, [*then, *otherwise], ty, cotangent),
            LinearOp::Neg { value, .. } => {
                let whole = cotangent.whole(&mut self.e, ty);
                let negated = self.e.neg(whole);
                self.accumulate(*value, &[], negated);
            }
            LinearOp::Scale { value, by, .. } => {
                let by = self.primal(*by);
                let whole = cotangent.whole(&mut self.e, ty);
                let scaled = self.e.mul(by, whole);
                self.accumulate(*value, &[], scaled);
            }
            LinearOp::Divide { value, by, .. } => {
                let by = self.primal(*by);
                let whole = cotangent.whole(&mut self.e, ty);
                let divided = self.e.div(whole, by);
                self.accumulate(*value, &[], divided);
            }
            LinearOp::Dot { value, with, .. } => {
                let with = self.primal(*with);
                let whole = cotangent.whole(&mut self.e, ty);
                let wide = self.ty(*value);
                let wide = self.e.splat(whole, wide);
                let scaled = self.e.mul(with, wide);
                self.accumulate(*value, &[], scaled);
            }
            LinearOp::Cross { value, with, factor, .. } => {
                // <y_, v x c> = <c x y_, v>, and <y_, c x v> = <y_ x c, v>.
                let with = self.primal(*with);
                let whole = cotangent.whole(&mut self.e, ty);
                let args = factor.ordered(with, whole);
                let crossed = self.e.function(MathFn::Cross, &args, ty);
                self.accumulate(*value, &[], crossed);
            }
            LinearOp::MatMul { value, with, factor, .. } => {
                let with = self.primal(*with);
                let whole = cotangent.whole(&mut self.e, ty);
                let wanted = self.ty(*value);
                let product = self.transposed_product(whole, with, *factor, wanted);
                self.accumulate(*value, &[], product);
            }
            LinearOp::Transpose { value, .. } => {
                let whole = cotangent.whole(&mut self.e, ty);
                let wanted = self.ty(*value);
                let transposed = self.e.function(MathFn::Transpose, &[whole], wanted);
                self.accumulate(*value, &[], transposed);
            }
            LinearOp::Convert { value, .. } => {
                let whole = cotangent.whole(&mut self.e, ty);
                let wanted = self.ty(*value);
                let converted = self.e.convert(whole, wanted);
                self.accumulate(*value, &[], converted);
            }
            LinearOp::Inject { variant, value, .. } => {
                let whole = cotangent.whole(&mut self.e, ty);
                let payload_ty = self.ty(*value);
                let payload = self.e.project(whole, *variant, payload_ty);
                self.accumulate(*value, &[], payload);
            }
            LinearOp::Project { variant, value, .. } => {
                let payload = cotangent.whole(&mut self.e, ty);
                let sum_ty = self.ty(*value);
                let sum = self.e.value(Op::SumMake { variant: *variant, value: payload }, sum_ty);
                self.accumulate(*value, &[], sum);
            }
            LinearOp::Call(_) | LinearOp::Branch(_) | LinearOp::Loop(_) => {}
        }
    }

    fn select(&mut self, cond: ValueId, [then, otherwise]: [Option<LinearId>; 2], ty: TypeId, cotangent: Cotangent) {
        let cond = self.primal(cond);
        let whole = cotangent.whole(&mut self.e, ty);
        if let Some(then) = then {
            let zero = self.e.differential_zero(ty);
            let value = self.e.choose(cond, whole, zero);
            self.accumulate(then, &[], value);
        }
        if let Some(otherwise) = otherwise {
            let zero = self.e.differential_zero(ty);
            let value = self.e.choose(cond, zero, whole);
            self.accumulate(otherwise, &[], value);
        }
    }

    fn swizzle(&mut self, value: LinearId, components: &[u8], ty: TypeId, mut cotangent: Cotangent) {
        match components {
            [one] => self.accumulate_all(value, &[PathStep::Const((*one).into())], &cotangent),
            _ => {
                let cotangents = cotangent.parts(&mut self.e, ty).clone();
                for (&component, cotangent) in components.iter().zip(&cotangents) {
                    self.accumulate_all(value, &[PathStep::Const(component.into())], cotangent);
                }
            }
        }
    }

    fn path(&mut self, path: &[PathStep]) -> Path {
        path.iter()
            .map(|step| match step {
                PathStep::Const(index) => PathStep::Const(*index),
                PathStep::Dynamic(value) => PathStep::Dynamic(self.primal(*value)),
            })
            .collect()
    }

    /// The sum of all parts of a cotangent of type `ty`, down to parts of type `wanted`.
    fn sum_of_parts(&mut self, mut cotangent: Cotangent, ty: TypeId, wanted: TypeId) -> ValueId {
        if ty == wanted {
            return cotangent.whole(&mut self.e, ty);
        }
        if let Cotangent::Whole(value) = cotangent
            && let Some(sum) = self.sum_of_products(value, wanted)
        {
            return sum;
        }
        if let Type::Array { len, .. } = self.e.types.get(ty)
            && !is_splittable(&self.e, ty)
        {
            return self.sum_of_array(&cotangent, ty, len, wanted);
        }
        let mut sum: Option<ValueId> = None;
        for (index, part) in cotangent.parts(&mut self.e, ty).clone().into_iter().enumerate() {
            if part.is_zero() {
                continue;
            }
            let step = [PathStep::Const(index as u32)];
            let part_ty = self.e.types.path_type(ty, &step).unwrap_or(wanted);
            let value = self.sum_of_parts(part, part_ty, wanted);
            sum = Some(match sum {
                Some(sum) => self.e.differential_sum(sum, value),
                None => value,
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.e.differential_zero(wanted),
        }
    }

    /// The sum of the components of a vector that is a product, or the negative of one, is a dot product.
    fn sum_of_products(&mut self, value: ValueId, wanted: TypeId) -> Option<ValueId> {
        let Type::Vector { scalar, .. } = self.e.types.get(self.e.ty(value)) else { return None };
        if self.e.types.scalar(scalar) != wanted {
            return None;
        }
        match self.e.func.defining_op(value)?.op {
            Op::Binary(BinaryOp::Mul, left, right) => Some(self.e.function(MathFn::Dot, &[left, right], wanted)),
            Op::Unary(UnaryOp::Neg, product) => {
                let sum = self.sum_of_products(product, wanted)?;
                Some(self.e.neg(sum))
            }
            _ => None,
        }
    }

    fn sum_of_array(&mut self, cotangent: &Cotangent, ty: TypeId, len: u32, wanted: TypeId) -> ValueId {
        let array = cotangent.whole(&mut self.e, ty);
        let counter = self.e.types.scalar(COUNTER);
        let start = [self.e.integer(0, counter), self.e.differential_zero(wanted)];
        let bound = LoopBound { inferred: Some(len), ..LoopBound::default() };
        let cond = |e: &mut Emitter<'_>, params: &[ValueId]| {
            let limit = e.integer(len.into(), counter);
            e.compare(BinaryOp::Less, params[0], limit)
        };
        let body = |e: &mut Emitter<'_>, params: &[ValueId]| {
            let part = e.part(array, &[PathStep::Dynamic(params[0])]);
            let sum = e.differential_sum(params[1], part);
            let one = e.integer(1, counter);
            vec![e.add(params[0], one), sum]
        };
        let op = self.e.for_loop(&start, &[counter, wanted], bound, cond, body);
        self.e.func.ops[op].results[1]
    }

    /// The cotangent of the tangent factor of a product, from that of the product.
    fn transposed_product(&mut self, product: ValueId, with: ValueId, factor: Factor, wanted: TypeId) -> ValueId {
        let is_matrix = |e: &Emitter<'_>, ty| matches!(e.types.get(ty), Type::Matrix { .. });
        let with_ty = self.e.ty(with);
        match (is_matrix(&self.e, wanted), is_matrix(&self.e, with_ty), factor) {
            // M v: the outer product of the cotangent and v; v M: that of v and the cotangent.
            (true, false, Factor::First) => self.outer(product, with, wanted),
            (true, false, Factor::Second) => self.outer(with, product, wanted),
            // v C: C y_; C v: y_ C.
            (false, _, Factor::First) => self.e.function(MathFn::MatMul, &[with, product], wanted),
            (false, _, Factor::Second) => self.e.function(MathFn::MatMul, &[product, with], wanted),
            // M C: y_ C^T; C M: C^T y_.
            (true, true, factor) => {
                let Type::Matrix { scalar, rows, cols } = self.e.types.get(with_ty) else {
                    return product;
                };
                let turned = self.e.types.intern(Type::Matrix { scalar, rows: cols, cols: rows });
                let turned = self.e.function(MathFn::Transpose, &[with], turned);
                let args = factor.ordered(product, turned);
                self.e.function(MathFn::MatMul, &args, wanted)
            }
        }
    }

    /// The matrix with the rows `left[row] * right`.
    fn outer(&mut self, left: ValueId, right: ValueId, ty: TypeId) -> ValueId {
        let Type::Matrix { rows, .. } = self.e.types.get(ty) else {
            return right;
        };
        let row_ty = self.e.ty(right);
        let rows: Vec<ValueId> = (0..u32::from(rows))
            .map(|row| {
                let factor = self.e.part(left, &[PathStep::Const(row)]);
                let factor = self.e.splat(factor, row_ty);
                self.e.mul(factor, right)
            })
            .collect();
        self.e.make(&rows, ty)
    }

    fn call(&mut self, call: &LinearCall) {
        let cotangents: Vec<Option<Cotangent>> =
            call.results.iter().map(|result| result.and_then(|result| self.take(result))).collect();
        if cotangents.iter().all(Option::is_none) && !call.written {
            return;
        }
        let mut args: Vec<ValueId> = call.residuals.iter().map(|&value| self.primal(value)).collect();
        // What the callee adds to; of a value that is handed in twice the second sum begins with zero.
        let mut sums: Vec<(usize, LinearId)> = Vec::new();
        for &number in &call.accumulated {
            let tangent = call.tangents[number].filter(|id| sums.iter().all(|(_, other)| other != id));
            sums.extend(tangent.map(|id| (number, id)));
            let sum = tangent.and_then(|id| self.cotangents.get(id).cloned()).unwrap_or(Cotangent::Zero);
            args.push(sum.whole(&mut self.e, call.input_types[number]));
        }
        for (cotangent, &ty) in cotangents.iter().zip(&call.result_types) {
            args.push(match cotangent {
                Some(cotangent) => cotangent.whole(&mut self.e, ty),
                None => self.e.differential_zero(ty),
            });
        }
        let results = self.e.call(Callee::Derivative(call.way_back, call.callee), &args, &call.input_types);
        for &(number, id) in &sums {
            self.cotangents.insert(id, Cotangent::Whole(results[number]));
        }
        for (number, (tangent, &value)) in call.tangents.iter().zip(&results).enumerate() {
            if let Some(tangent) = tangent
                && sums.iter().all(|(other, _)| *other != number)
            {
                self.accumulate(*tangent, &[], value);
            }
        }
    }

    fn branch(&mut self, branch: &LinearBranch) {
        let results: Vec<Option<Cotangent>> = branch.results.iter().map(|(_, result)| self.take(*result)).collect();
        let written = branch.arms.iter().any(LinearRegion::has_written);
        if results.iter().all(Option::is_none) && !written {
            return;
        }
        let primal = &self.linearized.func;
        let mut op = primal.ops[branch.op].op.clone();
        op.for_each_operand_mut(|value| *value = self.recall.value(&mut self.e, *value));
        let before = self.cotangents.clone();
        let mut arms: Vec<(RegionId, ArenaMap<LinearId, Cotangent>)> = Vec::new();
        for (arm, linear) in branch.arms.iter().enumerate() {
            let params = &primal.regions[linear.region].params;
            let types: Vec<TypeId> = params.iter().map(|&param| primal.ty(param)).collect();
            let region = self.e.new_region(&types);
            let mut frame = Frame::new(linear.region, region, Source::Arm { op: branch.op, arm });
            for (index, &param) in params.iter().enumerate() {
                frame.bind(param, self.e.func.regions[region].params[index]);
            }
            self.recall.frames.push(frame);
            let outside = self.e.switch_to(region);
            for (tangent, cotangent) in linear.yields.iter().zip(&results) {
                if let (Some(tangent), Some(cotangent)) = (tangent, cotangent) {
                    self.accumulate_all(*tangent, &[], cotangent);
                }
            }
            self.region(linear);
            self.e.switch_to(outside);
            self.recall.frames.pop();
            arms.push((region, std::mem::replace(&mut self.cotangents, before.clone())));
        }
        self.join(branch, op, &before, arms);
    }

    /// Ends the arms with the cotangents in which they differ, and makes the operation.
    fn join(
        &mut self,
        branch: &LinearBranch,
        mut op: Op,
        before: &ArenaMap<LinearId, Cotangent>,
        arms: Vec<(RegionId, ArenaMap<LinearId, Cotangent>)>,
    ) {
        let ids: BTreeSet<LinearId> = arms.iter().flat_map(|(_, map)| map.iter().map(|(id, _)| id)).collect();
        let regions: Vec<RegionId> = arms.iter().map(|(region, _)| *region).collect();
        let mut yields: Vec<Vec<ValueId>> = vec![Vec::new(); regions.len()];
        let mut names: Vec<LinearId> = Vec::new();
        let mut joined = Vec::new();
        for id in ids {
            let states: Vec<&Cotangent> = arms.iter().map(|(_, map)| map.get(id).unwrap_or(&Cotangent::Zero)).collect();
            let ty = self.ty(id);
            let before = before.get(id).unwrap_or(&Cotangent::Zero);
            let form = join(&mut self.e, ty, before, &states, &regions, &mut yields);
            names.resize(yields.first().map_or(0, Vec::len), id);
            joined.push((id, form));
        }
        for (&region, values) in regions.iter().zip(&yields) {
            self.e.inside(region, |e| e.yield_(values.iter().copied()));
        }
        let types: Vec<TypeId> =
            yields.first().map_or(&[][..], |values| values).iter().map(|&value| self.e.ty(value)).collect();
        let mut results: Vec<ValueId> = Vec::new();
        if !types.is_empty() || branch.arms.iter().any(LinearRegion::has_written) {
            let mut regions = regions.into_iter();
            op.for_each_region_mut(|region| {
                if let Some(new) = regions.next() {
                    *region = new;
                }
            });
            self.e.span = self.linearized.func.ops[branch.op].span;
            let new = self.e.op(op, &types);
            results.extend(&self.e.func.ops[new].results);
            for (&value, &id) in results.iter().zip(&names) {
                self.name(value, id);
            }
        }
        for (id, form) in joined {
            self.cotangents.insert(id, form.cotangent(&results));
        }
    }

    fn loop_(&mut self, linear_loop: &LinearLoop) {
        let linearized = self.linearized;
        let results: Vec<Option<Cotangent>> =
            linear_loop.carried.iter().map(|carried| self.take(carried.result)).collect();
        if results.iter().all(Option::is_none) && !linear_loop.body.has_written() {
            return;
        }
        let Some(info) = linearized.loops.get(&linear_loop.op) else {
            return;
        };
        let Some(trip_count) = info.trip_count else {
            return;
        };
        let accumulators = self.accumulators(linear_loop);
        let counter = self.e.types.scalar(COUNTER);
        let count = self.primal(trip_count);
        let one = self.e.integer(1, counter);
        let mut start = vec![self.e.sub(count, one)];
        for (carried, cotangent) in linear_loop.carried.iter().zip(&results) {
            let ty = self.ty(carried.result);
            start.push(match cotangent {
                Some(cotangent) => cotangent.whole(&mut self.e, ty),
                None => self.e.differential_zero(ty),
            });
        }
        for (id, path) in &accumulators {
            let ty = self.ty(*id);
            let outside = self.cotangents.get(*id).cloned().unwrap_or(Cotangent::Zero);
            start.push(outside.get_at(&mut self.e, ty, path));
        }
        let types: Vec<TypeId> = start.iter().map(|&value| self.e.ty(value)).collect();

        let cond = self.e.new_region(&types);
        self.e.inside(cond, |e| {
            let number = e.params(cond)[0];
            let zero = e.integer(0, counter);
            let more = e.compare(BinaryOp::GreaterEqual, number, zero);
            e.yield_([more]);
        });

        let body = self.e.new_region(&types);
        let params = self.e.params(body);
        self.name_iteration(params[0]);
        let source = Source::Iteration { op: linear_loop.op, number: params[0] };
        self.recall.frames.push(Frame::new(linear_loop.body.region, body, source));
        let outside_region = self.e.switch_to(body);
        let outside = std::mem::take(&mut self.cotangents);
        for ((id, path), &param) in accumulators.iter().zip(&params[1 + linear_loop.carried.len()..]) {
            let ty = self.ty(*id);
            self.name(param, *id);
            let entry = self.cotangents.entry(*id).or_insert(Cotangent::Zero);
            entry.set_at(&mut self.e, ty, path, param);
        }
        for (index, next) in linear_loop.body.yields.iter().enumerate() {
            let param = params[1 + index];
            self.name(param, linear_loop.carried[index].param);
            if let Some(next) = next {
                self.accumulate(*next, &[], param);
            }
        }
        self.region(&linear_loop.body);
        let one = self.e.integer(1, counter);
        let mut next = vec![self.e.sub(params[0], one)];
        for carried in &linear_loop.carried {
            next.push(self.take_whole(carried.param));
        }
        for (id, path) in &accumulators {
            let ty = self.ty(*id);
            let inside = self.cotangents.get(*id).cloned().unwrap_or(Cotangent::Zero);
            next.push(inside.get_at(&mut self.e, ty, path));
        }
        self.e.yield_(next);
        self.cotangents = outside;
        self.e.switch_to(outside_region);
        self.recall.frames.pop();

        self.e.span = linearized.func.ops[linear_loop.op].span;
        let bound = LoopBound { inferred: info.bound, ..LoopBound::default() };
        let op = self.e.op(Op::Loop { init: start.into_iter().collect(), cond, body, bound }, &types);
        let finals: Vec<ValueId> = self.e.func.ops[op].results.to_vec();
        for ((id, path), &value) in accumulators.iter().zip(&finals[1 + linear_loop.carried.len()..]) {
            let ty = self.ty(*id);
            let entry = self.cotangents.entry(*id).or_insert(Cotangent::Zero);
            entry.set_at(&mut self.e, ty, path, value);
        }
        for (carried, &value) in linear_loop.carried.iter().zip(&finals[1..]) {
            if let Some(init) = carried.init {
                self.accumulate(init, &[], value);
            }
        }
    }

    fn name_iteration(&mut self, number: ValueId) {
        self.e.func.values[number].name = Some("iteration".into());
    }

    /// The parts of tangents from outside that the loop's body adds to, whole parts first.
    fn accumulators(&mut self, linear_loop: &LinearLoop) -> Vec<(LinearId, Path)> {
        let mut uses = FreeUses { defined: FxHashSet::default(), found: Vec::new() };
        uses.defined.extend(linear_loop.carried.iter().map(|carried| carried.param));
        uses.region(&linear_loop.body);
        let mut parts: BTreeSet<(LinearId, Vec<u32>)> = BTreeSet::new();
        for (id, path) in uses.found {
            let mut ty = self.ty(id);
            let mut fixed = Vec::new();
            for step in path {
                let PathStep::Const(index) = step else {
                    break;
                };
                if !is_splittable(&self.e, ty) {
                    break;
                }
                fixed.push(index);
                ty = self.e.types.path_type(ty, &[step]).unwrap_or(ty);
            }
            parts.insert((id, fixed));
        }
        // In this order a part comes right before those inside it, which it makes superfluous.
        let mut accumulators: Vec<(LinearId, Vec<u32>)> = Vec::new();
        for (id, path) in parts {
            let covered = accumulators.iter().any(|(other, prefix)| *other == id && path.starts_with(prefix));
            if !covered {
                accumulators.push((id, path));
            }
        }
        accumulators.into_iter().map(|(id, path)| (id, path.into_iter().map(PathStep::Const).collect())).collect()
    }
}

/// Uses of tangents that are defined outside a region.
struct FreeUses {
    defined: FxHashSet<LinearId>,
    found: Vec<(LinearId, Path)>,
}

impl FreeUses {
    fn add(&mut self, id: LinearId, path: &[PathStep]) {
        if !self.defined.contains(&id) {
            self.found.push((id, path.to_vec()));
        }
    }

    fn region(&mut self, region: &LinearRegion) {
        for node in &region.nodes {
            match &node.op {
                LinearOp::Extract { value, path, .. } => self.add(*value, path),
                LinearOp::Swizzle { value, components, .. } => {
                    for &component in components {
                        self.add(*value, &[PathStep::Const(component.into())]);
                    }
                }
                op => op.for_each_operand(|id| self.add(id, &[])),
            }
            match &node.op {
                LinearOp::Branch(branch) => {
                    branch.arms.iter().for_each(|arm| self.region(arm));
                    self.defined.extend(branch.results.iter().map(|(_, result)| *result));
                }
                LinearOp::Loop(linear_loop) => {
                    self.defined.extend(linear_loop.carried.iter().map(|carried| carried.param));
                    self.region(&linear_loop.body);
                    self.defined.extend(linear_loop.carried.iter().map(|carried| carried.result));
                }
                LinearOp::Call(call) => self.defined.extend(call.results.iter().flatten()),
                op => self.defined.extend(op.result()),
            }
        }
        for id in region.yields.iter().flatten() {
            self.add(*id, &[]);
        }
    }
}

/// The form of a cotangent after a branch.
enum Joined {
    /// All arms agree.
    Same(Cotangent),
    /// The branch's result with this index.
    Result(usize),
    Parts(Vec<Joined>),
}

impl Joined {
    fn cotangent(self, results: &[ValueId]) -> Cotangent {
        match self {
            Joined::Same(cotangent) => cotangent,
            Joined::Result(index) => Cotangent::Whole(results[index]),
            Joined::Parts(parts) => Cotangent::Parts(parts.into_iter().map(|part| part.cotangent(results)).collect()),
        }
    }
}

/// Brings the states that the arms leave into one form; where they differ, each arm yields its value.
fn join(
    e: &mut Emitter<'_>,
    ty: TypeId,
    before: &Cotangent,
    states: &[&Cotangent],
    regions: &[RegionId],
    yields: &mut [Vec<ValueId>],
) -> Joined {
    // What several arms agree on comes from outside of them; what the only arm of a match made does not.
    if states.windows(2).all(|pair| pair[0] == pair[1]) && (states.len() > 1 || states[0] == before) {
        return Joined::Same(states[0].clone());
    }
    let count = states.iter().find_map(|state| match state {
        Cotangent::Parts(parts) => Some(parts.len()),
        Cotangent::Zero | Cotangent::Whole(_) => None,
    });
    let apart = states.iter().all(|state| matches!(state, Cotangent::Parts(_) | Cotangent::Zero));
    if let (Some(count), true) = (count, apart) {
        let parts = (0..count).map(|index| {
            let states: Vec<&Cotangent> = states
                .iter()
                .map(|state| match state {
                    Cotangent::Parts(parts) => &parts[index],
                    Cotangent::Zero | Cotangent::Whole(_) => &Cotangent::Zero,
                })
                .collect();
            let part = e.types.path_type(ty, &[PathStep::Const(index as u32)]).unwrap_or(ty);
            let before = match before {
                Cotangent::Parts(parts) => &parts[index],
                Cotangent::Zero | Cotangent::Whole(_) => &Cotangent::Zero,
            };
            join(e, part, before, &states, regions, yields)
        });
        return Joined::Parts(parts.collect());
    }
    let index = yields.first().map_or(0, Vec::len);
    for ((state, &region), yields) in states.iter().zip(regions).zip(yields) {
        yields.push(e.inside(region, |e| state.whole(e, ty)));
    }
    Joined::Result(index)
}
