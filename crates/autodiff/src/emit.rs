//! The builder that derivative code is written with: it folds what is trivial while it writes, so that no pass has to
//! look for zeros and ones again, and it knows how to add differentials of any type.

use std::ops::{Deref, DerefMut};

use ir::{
    BinaryOp, Callee, Constant, FuncId, MathFn, Op, OpId, PathStep, Scalar, Type, TypeId, UnaryOp, ValueId,
    builder::FuncBuilder, number::wrap, op::LoopBound,
};
use rustc_hash::FxHashMap;

use crate::loops;

/// How far back the emitter looks for an operation that it is about to repeat.
const REUSE_WINDOW: usize = 48;

/// Arrays up to this length are added element by element; longer ones in a loop.
const UNROLLED_ARRAY: u32 = 4;

/// The user's own zero and addition of differential types, by differential type.
#[derive(Debug, Default)]
pub(crate) struct CustomArithmetic {
    pub dadd: FxHashMap<TypeId, FuncId>,
    pub dzero: FxHashMap<TypeId, FuncId>,
}

impl CustomArithmetic {
    pub(crate) fn of(types: &ir::types::TypeTable) -> CustomArithmetic {
        let mut custom = CustomArithmetic::default();
        for (_, def) in types.structs.iter() {
            if let Some(differential) = &def.differential {
                if let Some(dadd) = differential.dadd {
                    custom.dadd.entry(differential.ty).or_insert(dadd);
                }
                if let Some(dzero) = differential.dzero {
                    custom.dzero.entry(differential.ty).or_insert(dzero);
                }
            }
        }
        custom
    }
}

pub(crate) struct Emitter<'a> {
    pub builder: FuncBuilder<'a>,
    pub custom: &'a CustomArithmetic,
}

impl<'a> Deref for Emitter<'a> {
    type Target = FuncBuilder<'a>;

    fn deref(&self) -> &FuncBuilder<'a> {
        &self.builder
    }
}

impl<'a> DerefMut for Emitter<'a> {
    fn deref_mut(&mut self) -> &mut FuncBuilder<'a> {
        &mut self.builder
    }
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(builder: FuncBuilder<'a>, custom: &'a CustomArithmetic) -> Self {
        Emitter { builder, custom }
    }

    /// Runs `build` with the cursor in `region` and moves it back.
    pub(crate) fn inside<R>(&mut self, region: ir::RegionId, build: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.builder.switch_to(region);
        let result = build(self);
        self.builder.switch_to(before);
        result
    }

    /// A pure operation with one result; the same operation shortly before in this region is used again.
    pub(crate) fn pure(&mut self, op: Op, ty: TypeId) -> ValueId {
        let region = &self.func.regions[self.current()];
        for &earlier in region.ops.iter().rev().take(REUSE_WINDOW) {
            let data = &self.func.ops[earlier];
            if data.op == op && data.results.len() == 1 && self.func.ty(data.results[0]) == ty {
                return data.results[0];
            }
        }
        self.builder.value(op, ty)
    }

    fn op_of(&self, value: ValueId) -> Option<&Op> {
        self.func.defining_op(value).map(|data| &data.op)
    }

    /// The number that every component of `value` is known to have.
    pub(crate) fn number(&self, value: ValueId) -> Option<f64> {
        match self.op_of(value)? {
            Op::Const(Constant::Float(number)) => Some(*number),
            // Larger integers are not exact as a float.
            Op::Const(Constant::Int(number)) if number.unsigned_abs() < 1 << 52 => Some(*number as f64),
            Op::Zero | Op::Undef => {
                let ty = self.func.ty(value);
                match self.types.get(ty) {
                    Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => Some(0.0),
                    Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
                }
            }
            Op::Splat(element) => self.number(*element),
            _ => None,
        }
    }

    /// The truth value that every component of `value` is known to have.
    pub(crate) fn flag(&self, value: ValueId) -> Option<bool> {
        match self.op_of(value)? {
            Op::Const(Constant::Bool(flag)) => Some(*flag),
            Op::Splat(element) => self.flag(*element),
            _ => None,
        }
    }

    fn is_float(&self, ty: TypeId) -> bool {
        self.scalar_of(ty).is_some_and(Scalar::is_float)
    }

    /// The scalar that a scalar, vector or matrix is made of.
    pub(crate) fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
            Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
        }
    }

    /// A number in every component of `ty`.
    pub(crate) fn constant_like(&mut self, number: f64, ty: TypeId) -> ValueId {
        let scalar = self.scalar_of(ty).unwrap_or(Scalar::F32);
        let scalar_ty = self.types.scalar(scalar);
        let element = match scalar.is_float() {
            true => self.pure(Op::Const(Constant::Float(number)), scalar_ty),
            false => self.integer(number as i64, scalar_ty),
        };
        if scalar_ty == ty { element } else { self.pure(Op::Splat(element), ty) }
    }

    /// An integer of the type, which wraps as its arithmetic does.
    pub(crate) fn integer(&mut self, number: i64, ty: TypeId) -> ValueId {
        let wrapped = self.scalar_of(ty).map_or(number, |scalar| wrap(scalar, number as u64) as i64);
        self.pure(Op::Const(Constant::Int(wrapped)), ty)
    }

    /// The type of distances between values of a counter (see [`loops::distances`]).
    pub(crate) fn distances(&mut self, counter: ValueId, step: i64, bound: Option<u32>) -> TypeId {
        let ty = self.ty(counter);
        match self.scalar_of(ty) {
            Some(scalar) => self.types.scalar(loops::distances(scalar, step, bound)),
            None => ty,
        }
    }

    pub(crate) fn neg(&mut self, operand: ValueId) -> ValueId {
        let ty = self.ty(operand);
        if let Some(number) = self.number(operand) {
            return self.constant_like(-number, ty);
        }
        match self.op_of(operand) {
            Some(&Op::Unary(UnaryOp::Neg, inner)) => inner,
            Some(&Op::Binary(BinaryOp::Sub, left, right)) => self.pure(Op::Binary(BinaryOp::Sub, right, left), ty),
            _ => self.pure(Op::Unary(UnaryOp::Neg, operand), ty),
        }
    }

    /// The operand of a negation.
    pub(crate) fn negated(&self, value: ValueId) -> Option<ValueId> {
        match self.op_of(value) {
            Some(&Op::Unary(UnaryOp::Neg, inner)) => Some(inner),
            _ => None,
        }
    }

    pub(crate) fn add(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        match (self.number(left), self.number(right)) {
            (Some(a), Some(b)) => return self.constant_like(a + b, ty),
            (Some(0.0), None) => return right,
            (None, Some(0.0)) => return left,
            _ => {}
        }
        if let Some(inner) = self.negated(right) {
            return self.sub(left, inner);
        }
        if let Some(inner) = self.negated(left) {
            return self.sub(right, inner);
        }
        self.pure(Op::Binary(BinaryOp::Add, left, right), ty)
    }

    pub(crate) fn sub(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        match (self.number(left), self.number(right)) {
            (Some(a), Some(b)) => return self.constant_like(a - b, ty),
            (Some(0.0), None) => return self.neg(right),
            (None, Some(0.0)) => return left,
            _ => {}
        }
        if let Some(inner) = self.negated(right) {
            return self.add(left, inner);
        }
        self.pure(Op::Binary(BinaryOp::Sub, left, right), ty)
    }

    pub(crate) fn mul(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        match (self.number(left), self.number(right)) {
            (Some(a), Some(b)) => return self.constant_like(a * b, ty),
            (Some(factor), None) => return self.times(factor, left, right),
            (None, Some(factor)) => return self.times(factor, right, left),
            (None, None) => {}
        }
        match (self.negated(left), self.negated(right)) {
            (Some(left), Some(right)) => self.mul(left, right),
            (Some(left), None) => {
                let product = self.mul(left, right);
                self.neg(product)
            }
            (None, Some(right)) => {
                let product = self.mul(left, right);
                self.neg(product)
            }
            (None, None) => self.pure(Op::Binary(BinaryOp::Mul, left, right), ty),
        }
    }

    fn times(&mut self, factor: f64, constant: ValueId, operand: ValueId) -> ValueId {
        let ty = self.ty(operand);
        if factor == 0.0 {
            return constant;
        }
        if factor == 1.0 {
            return operand;
        }
        if factor == -1.0 {
            return self.neg(operand);
        }
        // 2 * (0.5 * x) is x, 2 * (3 * x) is 6 * x.
        if let Some(&Op::Binary(BinaryOp::Mul, left, right)) = self.op_of(operand)
            && self.is_float(ty)
            && let Some(inner) = self.number(left)
        {
            let product = self.constant_like(factor * inner, ty);
            return self.mul(product, right);
        }
        self.pure(Op::Binary(BinaryOp::Mul, constant, operand), ty)
    }

    pub(crate) fn div(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        if !self.is_float(ty) {
            return self.pure(Op::Binary(BinaryOp::Div, left, right), ty);
        }
        match (self.number(left), self.number(right)) {
            (Some(a), Some(b)) if b != 0.0 => return self.constant_like(a / b, ty),
            (None, Some(1.0)) => return left,
            (None, Some(-1.0)) => return self.neg(left),
            _ => {}
        }
        if let Some(inner) = self.negated(left) {
            let quotient = self.div(inner, right);
            return self.neg(quotient);
        }
        self.pure(Op::Binary(BinaryOp::Div, left, right), ty)
    }

    pub(crate) fn compare(&mut self, op: BinaryOp, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        let ty = self.bool_like(ty);
        if let (Some(a), Some(b)) = (self.number(left), self.number(right)) {
            let flag = match op {
                BinaryOp::Equal => a == b,
                BinaryOp::NotEqual => a != b,
                BinaryOp::Less => a < b,
                BinaryOp::LessEqual => a <= b,
                BinaryOp::Greater => a > b,
                _ => a >= b,
            };
            return self.flag_like(flag, ty);
        }
        self.pure(Op::Binary(op, left, right), ty)
    }

    fn flag_like(&mut self, flag: bool, ty: TypeId) -> ValueId {
        let scalar = self.types.bool();
        let element = self.pure(Op::Const(Constant::Bool(flag)), scalar);
        if scalar == ty { element } else { self.pure(Op::Splat(element), ty) }
    }

    /// `and` or `or` of booleans.
    pub(crate) fn logic(&mut self, op: BinaryOp, left: ValueId, right: ValueId) -> ValueId {
        let keeps = op == BinaryOp::And;
        let ty = self.ty(left);
        match (self.flag(left), self.flag(right)) {
            (Some(flag), _) => return if flag == keeps { right } else { left },
            (_, Some(flag)) => return if flag == keeps { left } else { right },
            _ => {}
        }
        self.pure(Op::Binary(op, left, right), ty)
    }

    pub(crate) fn choose(&mut self, cond: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        match self.flag(cond) {
            _ if then == otherwise => then,
            Some(true) => then,
            Some(false) => otherwise,
            None => {
                let ty = self.ty(then);
                self.pure(Op::Select { cond, then, otherwise }, ty)
            }
        }
    }

    pub(crate) fn function(&mut self, function: MathFn, args: &[ValueId], ty: TypeId) -> ValueId {
        if let (MathFn::Pow, &[base, exponent]) = (function, args) {
            match self.number(exponent) {
                Some(0.0) => return self.constant_like(1.0, ty),
                Some(1.0) => return base,
                _ => {}
            }
        }
        self.pure(Op::Math(function, args.iter().copied().collect()), ty)
    }

    /// `scalar` in every component of `ty`.
    pub(crate) fn splat(&mut self, scalar: ValueId, ty: TypeId) -> ValueId {
        if self.ty(scalar) == ty { scalar } else { self.pure(Op::Splat(scalar), ty) }
    }

    /// The part at `path`, seen through the operations that made the aggregate.
    pub(crate) fn part(&mut self, aggregate: ValueId, path: &[PathStep]) -> ValueId {
        let Some((&first, rest)) = path.split_first() else {
            return aggregate;
        };
        if let PathStep::Const(index) = first {
            match self.op_of(aggregate) {
                Some(Op::Make(parts)) if (index as usize) < parts.len() => {
                    let part = parts[index as usize];
                    return self.part(part, rest);
                }
                Some(Op::Zero) => {
                    let ty = self.ty(aggregate);
                    if let Some(ty) = self.types.path_type(ty, path) {
                        return self.pure(Op::Zero, ty);
                    }
                }
                Some(&Op::Splat(element)) if matches!(self.type_of(aggregate), Type::Vector { .. }) => return element,
                _ => {}
            }
        }
        let ty = self.ty(aggregate);
        match self.types.path_type(ty, path) {
            Some(part) => self.pure(Op::Extract { aggregate, path: path.iter().copied().collect() }, part),
            // A path that does not fit is our own mistake; the verifier of the caller's tests finds it.
            None => aggregate,
        }
    }

    /// An aggregate from its parts; if they are just the parts of one aggregate, that one.
    pub(crate) fn assemble(&mut self, parts: &[ValueId], ty: TypeId) -> ValueId {
        let source = parts.first().and_then(|&first| match self.op_of(first) {
            Some(Op::Extract { aggregate, .. }) => Some(*aggregate),
            _ => None,
        });
        if let Some(source) = source
            && self.ty(source) == ty
            && parts.iter().enumerate().all(|(index, &part)| {
                matches!(self.op_of(part), Some(Op::Extract { aggregate, path })
                    if *aggregate == source && path[..] == [PathStep::Const(index as u32)])
            })
        {
            return source;
        }
        self.pure(Op::Make(parts.iter().copied().collect()), ty)
    }

    pub(crate) fn with_part(&mut self, aggregate: ValueId, path: &[PathStep], value: ValueId) -> ValueId {
        if path.is_empty() {
            return value;
        }
        let ty = self.ty(aggregate);
        self.pure(Op::Insert { aggregate, path: path.iter().copied().collect(), value }, ty)
    }

    /// The zero of a differential type: the user's `dzero` where there is one.
    pub(crate) fn differential_zero(&mut self, ty: TypeId) -> ValueId {
        if let Some(&dzero) = self.custom.dzero.get(&ty) {
            return self.call(Callee::Func(dzero), &[], &[ty])[0];
        }
        if self.is_float(ty) && matches!(self.types.get(ty), Type::Scalar(_)) {
            return self.constant_like(0.0, ty);
        }
        if let Type::Struct(id) = self.types.get(ty)
            && self.has_custom_zero(ty, 0)
        {
            let fields: Vec<TypeId> = self.types.structs[id].fields.iter().map(|field| field.ty).collect();
            let parts: Vec<ValueId> = fields.into_iter().map(|field| self.differential_zero(field)).collect();
            return self.make(&parts, ty);
        }
        self.pure(Op::Zero, ty)
    }

    fn has_custom_zero(&self, ty: TypeId, depth: u32) -> bool {
        if self.custom.dzero.is_empty() || depth > 64 {
            return false;
        }
        self.custom.dzero.contains_key(&ty)
            || matches!(self.types.get(ty), Type::Struct(id)
                if self.types.structs[id].fields.iter().any(|field| self.has_custom_zero(field.ty, depth + 1)))
    }

    /// The sum of two values of a differential type: the user's `dadd` where there is one.
    pub(crate) fn differential_sum(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        if let Some(&dadd) = self.custom.dadd.get(&ty) {
            return self.call(Callee::Func(dadd), &[left, right], &[ty])[0];
        }
        if matches!(self.op_of(left), Some(Op::Zero)) {
            return right;
        }
        if matches!(self.op_of(right), Some(Op::Zero)) {
            return left;
        }
        match self.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } if scalar.is_float() => {
                self.add(left, right)
            }
            Type::Struct(id) => {
                let count = self.types.structs[id].fields.len() as u32;
                self.sum_of_parts(left, right, count)
            }
            Type::Array { len, .. } if len <= UNROLLED_ARRAY => self.sum_of_parts(left, right, len),
            Type::Array { len, .. } => self.sum_in_loop(left, right, len),
            Type::Sum(_) => self.sum_of_sums(left, right),
            // Values that are not differentials (an integer field of a user's differential struct) keep their first
            // value.
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => left,
        }
    }

    fn sum_of_parts(&mut self, left: ValueId, right: ValueId, count: u32) -> ValueId {
        let ty = self.ty(left);
        let mut parts = Vec::new();
        for index in 0..count {
            let a = self.part(left, &[PathStep::Const(index)]);
            let b = self.part(right, &[PathStep::Const(index)]);
            parts.push(self.differential_sum(a, b));
        }
        self.pure(Op::Make(parts.into_iter().collect()), ty)
    }

    /// Null is zero; two values of one variant are added. Derivatives of one value always hold the same variant.
    fn sum_of_sums(&mut self, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        self.match_sum(
            left,
            ty,
            |e, variant, own| {
                e.match_sum(
                    right,
                    ty,
                    |e, other, payload| {
                        if other != variant {
                            return left;
                        }
                        let value = e.differential_sum(own, payload);
                        e.value(Op::SumMake { variant, value }, ty)
                    },
                    |_| left,
                )
            },
            |_| right,
        )
    }

    /// What a differential sum holds as `variant`, of type `ty`, zero otherwise.
    pub(crate) fn project(&mut self, sum: ValueId, variant: u32, ty: TypeId) -> ValueId {
        self.match_sum(
            sum,
            ty,
            |e, held, payload| if held == variant { payload } else { e.differential_zero(ty) },
            |e| e.differential_zero(ty),
        )
    }

    /// A match with one result; `variant` is given the number and the payload.
    fn match_sum(
        &mut self,
        sum: ValueId,
        ty: TypeId,
        mut variant: impl FnMut(&mut Self, u32, ValueId) -> ValueId,
        null: impl FnOnce(&mut Self) -> ValueId,
    ) -> ValueId {
        let Type::Sum(id) = self.type_of(sum) else {
            return null(self);
        };
        let payloads: Vec<TypeId> = self.types.sums[id].variants.iter().map(|variant| variant.ty).collect();
        let mut variants = Vec::new();
        for (number, payload) in payloads.into_iter().enumerate() {
            let region = self.new_region(&[payload]);
            self.inside(region, |e| {
                let payload = e.params(region)[0];
                let value = variant(e, number as u32, payload);
                e.yield_([value]);
            });
            variants.push(region);
        }
        let null = self.types.sum_has_null(id).then(|| {
            let region = self.new_region(&[]);
            self.inside(region, |e| {
                let value = null(e);
                e.yield_([value]);
            });
            region
        });
        self.value(Op::SumMatch { sum, variants, null }, ty)
    }

    /// `for i in 0..len { left[i] += right[i] }`
    fn sum_in_loop(&mut self, left: ValueId, right: ValueId, len: u32) -> ValueId {
        let index_ty = self.types.i32();
        let zero = self.integer(0, index_ty);
        let bound = LoopBound { inferred: Some(len), ..LoopBound::default() };
        let types = [index_ty, self.ty(left)];
        let op = self.for_loop(
            &[zero, left],
            &types,
            bound,
            |e, params| {
                let limit = e.integer(len.into(), index_ty);
                e.compare(BinaryOp::Less, params[0], limit)
            },
            |e, params| {
                let step = PathStep::Dynamic(params[0]);
                let a = e.part(params[1], &[step]);
                let b = e.part(right, &[step]);
                let sum = e.differential_sum(a, b);
                let next = e.with_part(params[1], &[step], sum);
                let one = e.integer(1, index_ty);
                let index = e.add(params[0], one);
                vec![index, next]
            },
        );
        self.func.ops[op].results[1]
    }

    /// A loop whose regions are written with this emitter.
    pub(crate) fn for_loop(
        &mut self,
        init: &[ValueId],
        types: &[TypeId],
        bound: LoopBound,
        cond: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
        body: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> OpId {
        let cond_region = self.new_region(types);
        let body_region = self.new_region(types);
        self.inside(cond_region, |e| {
            let params = e.params(cond_region);
            let value = cond(e, &params);
            e.yield_([value]);
        });
        self.inside(body_region, |e| {
            let params = e.params(body_region);
            let values = body(e, &params);
            e.yield_(values);
        });
        self.op(Op::Loop { init: init.iter().copied().collect(), cond: cond_region, body: body_region, bound }, types)
    }
}
