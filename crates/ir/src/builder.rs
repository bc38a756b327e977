//! Building functions. The builder keeps a cursor (a region that is being filled) and returns each op's results.

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::{
    BinaryOp, Callee, Constant, Func, Input, MathFn, Op, OpData, OpId, PathStep, Region, RegionId, ResultSlot, SpanId,
    Terminator, Type, TypeId, UnaryOp, Value, ValueDef, ValueId, op::LoopBound, op::Path, types::TypeTable,
};

/// Builds one function. Types are interned in the module's table, which the builder borrows.
pub struct FuncBuilder<'a> {
    /// Where types are looked up and made.
    pub types: &'a TypeTable,
    /// The function as far as it is built.
    pub func: Func,
    /// The region that ops are appended to.
    region: RegionId,
    /// Given to each op that is made.
    pub span: SpanId,
}

impl<'a> FuncBuilder<'a> {
    /// Starts a function; the cursor is in its body, whose parameters are the inputs.
    pub fn new(
        types: &'a TypeTable,
        name: impl Into<SmolStr>,
        inputs: Vec<Input>,
        results: Vec<ResultSlot>,
        span: SpanId,
    ) -> Self {
        let mut func = Func::declaration(name, inputs, results, span);
        let body =
            func.regions.alloc(Region { params: Vec::new(), ops: Vec::new(), terminator: Terminator::Unreachable });
        for index in 0..func.inputs.len() {
            let value = func.values.alloc(Value {
                ty: func.inputs[index].ty,
                def: ValueDef::Param { region: body, index: index as u32 },
                name: Some(func.inputs[index].name.clone()),
            });
            func.regions[body].params.push(value);
        }
        func.body = Some(body);
        FuncBuilder { types, func, region: body, span }
    }

    /// Goes on with a function that exists; the cursor is at the end of `region`.
    pub fn resume(types: &'a TypeTable, func: Func, region: RegionId) -> Self {
        let span = func.span;
        FuncBuilder { types, func, region, span }
    }

    /// The function, without the room that its lists took to grow.
    pub fn finish(mut self) -> Func {
        self.func.values.shrink_to_fit();
        self.func.ops.shrink_to_fit();
        self.func.regions.shrink_to_fit();
        self.func
    }

    /// The value of the input with this number. Panics if there is none.
    pub fn input(&self, index: usize) -> ValueId {
        self.func.input_values()[index]
    }

    /// The type of a value, as an id.
    pub fn ty(&self, value: ValueId) -> TypeId {
        self.func.ty(value)
    }

    /// The type of a value.
    pub fn type_of(&self, value: ValueId) -> Type {
        self.types.get(self.func.ty(value))
    }

    /// Names a value as the variable that the user sees.
    pub fn name(&mut self, value: ValueId, name: &str) {
        self.func.values[value].name = Some(name.into());
    }

    /// A new empty region with parameters of the given types; the cursor does not move.
    pub fn new_region(&mut self, params: &[TypeId]) -> RegionId {
        let region = self.func.regions.alloc(Region {
            params: Vec::new(),
            ops: Vec::new(),
            terminator: Terminator::Unreachable,
        });
        for (index, &ty) in params.iter().enumerate() {
            let def = ValueDef::Param { region, index: index as u32 };
            let value = self.func.values.alloc(Value { ty, def, name: None });
            self.func.regions[region].params.push(value);
        }
        region
    }

    /// The values that a region begins with.
    pub fn params(&self, region: RegionId) -> Vec<ValueId> {
        self.func.regions[region].params.clone()
    }

    /// The region that the cursor is in.
    pub fn current(&self) -> RegionId {
        self.region
    }

    /// Moves the cursor to the end of `region` and returns the region it was in.
    pub fn switch_to(&mut self, region: RegionId) -> RegionId {
        std::mem::replace(&mut self.region, region)
    }

    /// Runs `build` with the cursor in `region` and moves it back.
    pub fn within<R>(&mut self, region: RegionId, build: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.switch_to(region);
        let result = build(self);
        self.region = before;
        result
    }

    /// Ends the region that the cursor is in.
    pub fn terminate(&mut self, terminator: Terminator) {
        let region = self.region;
        self.func.regions[region].terminator = terminator;
    }

    /// Ends it with the results of the function.
    pub fn ret(&mut self, values: impl IntoIterator<Item = ValueId>) {
        self.terminate(Terminator::Return(values.into_iter().collect()));
    }

    /// Ends it with the results of the operation around it.
    pub fn yield_(&mut self, values: impl IntoIterator<Item = ValueId>) {
        self.terminate(Terminator::Yield(values.into_iter().collect()));
    }

    /// Appends an op with results of the given types.
    pub fn op(&mut self, op: Op, results: &[TypeId]) -> OpId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        for (index, &ty) in results.iter().enumerate() {
            let def = ValueDef::Result { op: id, index: index as u32 };
            let value = self.func.values.alloc(Value { ty, def, name: None });
            self.func.ops[id].results.push(value);
        }
        let region = self.region;
        self.func.regions[region].ops.push(id);
        id
    }

    /// Appends an op with one result.
    pub fn value(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.op(op, &[ty]);
        self.func.ops[id].results[0]
    }

    /// What an operation defines.
    pub fn results(&self, op: OpId) -> &[ValueId] {
        &self.func.ops[op].results
    }

    /// A constant of the type `ty`, which is a scalar.
    pub fn constant(&mut self, constant: Constant, ty: TypeId) -> ValueId {
        self.value(Op::Const(constant), ty)
    }

    /// The constant `true` or `false`.
    pub fn bool(&mut self, value: bool) -> ValueId {
        let ty = self.types.bool();
        self.constant(Constant::Bool(value), ty)
    }

    /// A signed constant of 32 bits.
    pub fn i32(&mut self, value: i32) -> ValueId {
        let ty = self.types.i32();
        self.constant(Constant::Int(value.into()), ty)
    }

    /// A float of type `ty`: a scalar, or a vector or matrix with all elements equal.
    pub fn float(&mut self, value: f64, ty: TypeId) -> ValueId {
        match self.types.get(ty) {
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                let scalar = self.types.scalar(scalar);
                let element = self.constant(Constant::Float(value), scalar);
                self.value(Op::Splat(element), ty)
            }
            _ => self.constant(Constant::Float(value), ty),
        }
    }

    /// Zero of any type that has one.
    pub fn zero(&mut self, ty: TypeId) -> ValueId {
        self.value(Op::Zero, ty)
    }

    /// A value that nothing may depend on.
    pub fn undef(&mut self, ty: TypeId) -> ValueId {
        self.value(Op::Undef, ty)
    }

    /// One operand, a result of the same type.
    pub fn unary(&mut self, op: UnaryOp, operand: ValueId) -> ValueId {
        let ty = self.ty(operand);
        self.value(Op::Unary(op, operand), ty)
    }

    /// Both operands have one type; the result's follows.
    pub fn binary(&mut self, op: BinaryOp, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        let ty = if op.is_comparison() { self.bool_like(ty) } else { ty };
        self.value(Op::Binary(op, left, right), ty)
    }

    /// A mathematical function with a result of the type `ty`.
    pub fn math(&mut self, function: MathFn, args: &[ValueId], ty: TypeId) -> ValueId {
        self.value(Op::Math(function, args.iter().copied().collect()), ty)
    }

    /// The operand as a number of the type `ty`.
    pub fn convert(&mut self, operand: ValueId, ty: TypeId) -> ValueId {
        if self.ty(operand) == ty { operand } else { self.value(Op::Convert(operand), ty) }
    }

    /// `cond ? then : otherwise`, of the type of `then`.
    pub fn select(&mut self, cond: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        let ty = self.ty(then);
        self.value(Op::Select { cond, then, otherwise }, ty)
    }

    /// A struct, array, vector or matrix of the type `ty` from its parts.
    pub fn make(&mut self, parts: &[ValueId], ty: TypeId) -> ValueId {
        self.value(Op::Make(parts.iter().copied().collect()), ty)
    }

    /// The type of the part of `aggregate` that `path` leads to; `None` if the path does not fit.
    pub fn path_type(&mut self, aggregate: TypeId, path: &[PathStep]) -> Option<TypeId> {
        self.types.path_type(aggregate, path)
    }

    /// # Panics
    /// If `path` does not fit the type: the caller has checked it.
    pub fn extract(&mut self, aggregate: ValueId, path: impl IntoIterator<Item = PathStep>) -> ValueId {
        let path: Path = path.into_iter().collect();
        if path.is_empty() {
            return aggregate;
        }
        let ty = self.types.path_type(self.func.ty(aggregate), &path).expect("path fits the aggregate");
        self.value(Op::Extract { aggregate, path }, ty)
    }

    /// The field, element, row or component with this number.
    pub fn field(&mut self, aggregate: ValueId, index: u32) -> ValueId {
        self.extract(aggregate, [PathStep::Const(index)])
    }

    /// `aggregate` with the part at `path` replaced by `value`.
    pub fn insert(&mut self, aggregate: ValueId, path: impl IntoIterator<Item = PathStep>, value: ValueId) -> ValueId {
        let path: Path = path.into_iter().collect();
        if path.is_empty() {
            return value;
        }
        let ty = self.ty(aggregate);
        self.value(Op::Insert { aggregate, path, value }, ty)
    }

    /// A call, with the values that it returns.
    pub fn call(&mut self, callee: Callee, args: &[ValueId], results: &[TypeId]) -> SmallVec<[ValueId; 2]> {
        let op = self.op(Op::Call { callee, args: args.iter().copied().collect(), no_diff: false }, results);
        self.func.ops[op].results.clone()
    }

    /// An `if` whose arms are built by the closures, each giving the values that it yields.
    pub fn if_(
        &mut self,
        cond: ValueId,
        then: impl FnOnce(&mut Self) -> Vec<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Vec<ValueId>,
    ) -> SmallVec<[ValueId; 2]> {
        let then_region = self.new_region(&[]);
        let otherwise_region = self.new_region(&[]);
        let then_values = self.within(then_region, |b| {
            let values = then(b);
            b.yield_(values.iter().copied());
            values
        });
        self.within(otherwise_region, |b| {
            let values = otherwise(b);
            b.yield_(values);
        });
        let types: Vec<TypeId> = then_values.iter().map(|&value| self.ty(value)).collect();
        let op = self.op(Op::If { cond, then: then_region, otherwise: otherwise_region }, &types);
        self.func.ops[op].results.clone()
    }

    /// A loop; `cond` gives the condition and `body` the next values, both from the carried values.
    pub fn loop_(
        &mut self,
        init: &[ValueId],
        bound: LoopBound,
        cond: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
        body: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> SmallVec<[ValueId; 2]> {
        let types: Vec<TypeId> = init.iter().map(|&value| self.ty(value)).collect();
        let cond_region = self.new_region(&types);
        let body_region = self.new_region(&types);
        self.within(cond_region, |b| {
            let params = b.params(cond_region);
            let value = cond(b, &params);
            b.yield_([value]);
        });
        self.within(body_region, |b| {
            let params = b.params(body_region);
            let values = body(b, &params);
            b.yield_(values);
        });
        let init = init.iter().copied().collect();
        let op = self.op(Op::Loop { init, cond: cond_region, body: body_region, bound }, &types);
        self.func.ops[op].results.clone()
    }

    /// `bool`, or the vector or matrix of `bool`s of the shape of `ty`.
    pub fn bool_like(&mut self, ty: TypeId) -> TypeId {
        let scalar = crate::Scalar::Bool;
        match self.types.get(ty) {
            Type::Vector { len, .. } => self.types.intern(Type::Vector { scalar, len }),
            Type::Matrix { rows, cols, .. } => self.types.intern(Type::Matrix { scalar, rows, cols }),
            _ => self.types.bool(),
        }
    }
}
