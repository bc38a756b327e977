//! Random differentiable programs as IR: structs, arrays with dynamic indices, nested loops with bounds, branches,
//! `break`, `continue`, early `return`, calls, and mathematical functions kept inside their domains.
//!
//! [`crate::random_source`] makes programs as text, through the whole front end. These here are for the tests of
//! `autodiff`, which cannot use the front end, and for what source does not say of itself: `no_diff` slots of every kind,
//! differentials whose fields are numbered otherwise, and control flow that lowering would have written in another way.
//! They also cost a tenth, so that each pass can be tried on thousands in a second.
//!
//! Equal seeds give equal programs. What is made is verified IR as the front end could have lowered it; the function to
//! differentiate is `f`, its callees are `g0`, `g1`, ….

use fastrand::Rng;
use ir::{
    BinaryOp, Callee, Differential, Field, Func, FuncId, Input, MathFn, Module, Op, PathStep, ResultSlot, Scalar,
    SpanId, StructDef, Terminator, TypeId, UnaryOp, ValueId, builder::FuncBuilder, op::LoopBound, types::TypeTable,
    verify::VerifiedModule,
};

use crate::modules::verified;

/// How large programs become.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Statements of a function's body.
    pub statements: usize,
    /// How deep branches and loops nest.
    pub depth: usize,
    /// Functions that `f` may call.
    pub callees: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { statements: 8, depth: 3, callees: 2 }
    }
}

/// A module with a random differentiable function, and that function.
pub fn random_program(seed: u64, size: Size) -> (VerifiedModule, FuncId) {
    let mut rng = Rng::with_seed(seed);
    let mut module = Module::default();
    let kinds = Kinds::new(&module.types);
    let mut callees: Vec<FuncId> = Vec::new();
    for index in 0..rng.usize(0..=size.callees) {
        let small = Size { statements: size.statements / 2, depth: size.depth.min(2), callees: 0 };
        let func = function(&mut module, &mut rng, &kinds, &format!("g{index}"), &callees, small);
        callees.push(module.funcs.alloc(func));
    }
    let func = function(&mut module, &mut rng, &kinds, "f", &callees, size);
    let id = module.funcs.alloc(func);
    (verified(module), id)
}

/// The types of the programs.
struct Kinds {
    scalar: TypeId,
    vector: TypeId,
    matrix: TypeId,
    array: TypeId,
    record: TypeId,
    records: TypeId,
    int: TypeId,
}

impl Kinds {
    fn new(types: &TypeTable) -> Kinds {
        let scalar = types.f32();
        let int = types.i32();
        let vector = types.vector(Scalar::F32, 3);
        let matrix = types.intern(ir::Type::Matrix { scalar: Scalar::F32, rows: 3, cols: 3 });
        let array = types.array(scalar, 4);
        let field = |name: &str, ty| Field {
            name: name.into(),
            ty,
            no_diff: false,
            matrices: ir::types::Matrices::AsUsual,
            is_gap: false,
        };
        let fields = vec![field("t", scalar), field("direction", vector), field("weights", array)];
        let differential = types.add_struct(StructDef { name: "Ray.Differential".into(), fields, differential: None });
        if let ir::Type::Struct(id) = types.get(differential) {
            let fields = vec![Some(0), Some(1), Some(2)];
            let differential = Some(Differential { ty: differential, fields, dadd: None, dzero: None });
            types.structs.revise(id, |def| def.differential = differential);
        }
        // The integer has no derivative, so that primal and differential fields are not numbered alike.
        let fields = vec![field("id", int), field("t", scalar), field("direction", vector), field("weights", array)];
        let own =
            Differential { ty: differential, fields: vec![None, Some(0), Some(1), Some(2)], dadd: None, dzero: None };
        let record = types.add_struct(StructDef { name: "Ray".into(), fields, differential: Some(own) });
        let records = types.array(record, 3);
        Kinds { scalar, vector, matrix, array, record, records, int }
    }

    fn differentiable(&self) -> [TypeId; 6] {
        [self.scalar, self.scalar, self.vector, self.array, self.record, self.matrix]
    }
}

fn function(module: &mut Module, rng: &mut Rng, kinds: &Kinds, name: &str, callees: &[FuncId], size: Size) -> Func {
    // Now and then a parameter or result of `f` is `no_diff`. In a callee that would lose derivatives, rightly.
    let no_diff = |rng: &mut Rng| name == "f" && rng.u8(0..8) == 0;
    let mut inputs = Vec::new();
    let mut input = |name: String, ty: TypeId, differentiable: bool| {
        let place = inputs.len() as u32;
        inputs.push(Input { name: name.into(), ty, differentiable, place, span: SpanId::NONE });
    };
    input("x".into(), kinds.scalar, true);
    for index in 0..rng.usize(1..=3) {
        input(format!("p{index}"), *rng.choice(&kinds.differentiable()).unwrap_or(&kinds.scalar), !no_diff(rng));
    }
    input("n".into(), kinds.int, false);
    let mut results = Vec::new();
    results.push(ResultSlot::returned(kinds.scalar, true));
    let mut result = |name: String, ty: TypeId, differentiable: bool| {
        results.push(ResultSlot::out(name, ty, differentiable));
    };
    for index in 0..rng.usize(0..=2) {
        result(format!("o{index}"), *rng.choice(&kinds.differentiable()).unwrap_or(&kinds.scalar), !no_diff(rng));
    }
    let Module { types, funcs, .. } = module;
    let builder = FuncBuilder::new(types, name, inputs, results, SpanId::NONE);
    let mut writer = Writer { b: builder, rng, kinds, funcs, callees, values: Vec::new(), loops: Vec::new() };
    writer.b.func.rules.forward_differentiable = true;
    writer.b.func.rules.backward_differentiable = true;
    // What carries no derivative here is meant to.
    let marked =
        |carries: Vec<bool>| (0..).zip(carries).filter(|(_, carries)| !carries).map(|(index, _)| index).collect();
    writer.b.func.rules.marked_inputs = marked(writer.b.func.inputs.iter().map(|input| input.differentiable).collect());
    writer.b.func.rules.marked_results = marked(writer.b.func.results.iter().map(|slot| slot.differentiable).collect());
    for index in 0..writer.b.func.inputs.len() {
        let value = writer.b.input(index);
        writer.values.push(value);
    }
    writer.block(size.statements, size.depth);
    let values = writer.results();
    writer.b.ret(values);
    writer.b.finish()
}

struct Writer<'a, 'r> {
    b: FuncBuilder<'a>,
    rng: &'r mut Rng,
    kinds: &'a Kinds,
    funcs: &'a la_arena::Arena<Func>,
    callees: &'a [FuncId],
    /// What is visible here.
    values: Vec<ValueId>,
    /// For each loop around: the carried types, and the carried values at the start of the iteration.
    loops: Vec<(Vec<TypeId>, Vec<ValueId>)>,
}

impl Writer<'_, '_> {
    /// A value of the type: most often a recent one.
    fn pick(&mut self, ty: TypeId) -> ValueId {
        let fitting: Vec<ValueId> = self.values.iter().copied().filter(|&value| self.b.ty(value) == ty).collect();
        if !fitting.is_empty() && self.rng.u8(0..10) > 0 {
            let recent = fitting.len().saturating_sub(4);
            let from = if self.rng.bool() { recent } else { 0 };
            return fitting[self.rng.usize(from..fitting.len())];
        }
        self.make(ty)
    }

    fn make(&mut self, ty: TypeId) -> ValueId {
        let kinds = self.kinds;
        if ty == kinds.scalar {
            let number = (self.rng.f64() * 4.0 - 2.0).clamp(-2.0, 2.0);
            return self.b.float((number * 64.0).round() / 64.0, ty);
        }
        if ty == kinds.int {
            let number = self.rng.i32(0..6);
            return self.b.i32(number);
        }
        let parts: Vec<TypeId> = if ty == kinds.vector {
            vec![kinds.scalar; 3]
        } else if ty == kinds.matrix {
            vec![kinds.vector; 3]
        } else if ty == kinds.array {
            vec![kinds.scalar; 4]
        } else if ty == kinds.records {
            vec![kinds.record; 3]
        } else {
            vec![kinds.int, kinds.scalar, kinds.vector, kinds.array]
        };
        if self.rng.u8(0..6) == 0 {
            return self.b.zero(ty);
        }
        let parts: Vec<ValueId> = parts.into_iter().map(|part| self.pick(part)).collect();
        self.b.make(&parts, ty)
    }

    fn scalar(&mut self) -> ValueId {
        self.pick(self.kinds.scalar)
    }

    fn float(&mut self, number: f64) -> ValueId {
        self.b.float(number, self.kinds.scalar)
    }

    fn math(&mut self, function: MathFn, args: &[ValueId], ty: TypeId) -> ValueId {
        self.b.math(function, args, ty)
    }

    fn results(&mut self) -> Vec<ValueId> {
        let types: Vec<TypeId> = self.b.func.results.iter().map(|slot| slot.ty).collect();
        types.into_iter().map(|ty| self.pick(ty)).collect()
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            let value = match self.rng.u8(0..22) {
                0..=5 => self.arithmetic(),
                6..=7 => self.bounded_function(),
                8..=9 => self.vector(),
                10 => self.matrix(),
                11..=14 => self.part(),
                15 if !self.callees.is_empty() => {
                    self.call();
                    continue;
                }
                16..=17 if depth > 0 => {
                    self.branch(statements / 2, depth - 1);
                    continue;
                }
                18 if depth > 0 => {
                    self.switch(statements / 2, depth - 1);
                    continue;
                }
                19..=20 if depth > 0 => {
                    self.counted_loop(statements / 2 + 1, depth - 1);
                    continue;
                }
                _ => self.choice(),
            };
            self.values.push(value);
        }
    }

    fn arithmetic(&mut self) -> ValueId {
        let (a, b) = (self.scalar(), self.scalar());
        match self.rng.u8(0..8) {
            0..=1 => self.b.binary(BinaryOp::Add, a, b),
            2 => self.b.binary(BinaryOp::Sub, a, b),
            3..=4 => self.b.binary(BinaryOp::Mul, a, b),
            5 => {
                let square = self.b.binary(BinaryOp::Mul, b, b);
                let one = self.float(1.0);
                let positive = self.b.binary(BinaryOp::Add, square, one);
                self.b.binary(BinaryOp::Div, a, positive)
            }
            6 => self.b.unary(UnaryOp::Neg, a),
            _ => {
                let ty = self.b.types.scalar(Scalar::F64);
                let wide = self.b.convert(a, ty);
                self.b.convert(wide, self.kinds.scalar)
            }
        }
    }

    /// A function whose value stays small.
    fn bounded_function(&mut self) -> ValueId {
        let ty = self.kinds.scalar;
        let x = self.scalar();
        let (y, z) = (self.scalar(), self.scalar());
        let positive = |w: &mut Self, x: ValueId| {
            let square = w.b.binary(BinaryOp::Mul, x, x);
            let some = w.float(0.5);
            w.b.binary(BinaryOp::Add, square, some)
        };
        match self.rng.u8(0..14) {
            0 => self.math(MathFn::Sin, &[x], ty),
            1 => self.math(MathFn::Cos, &[x], ty),
            2 => self.math(MathFn::Tanh, &[x], ty),
            3 => self.math(MathFn::Atan, &[x], ty),
            4 => {
                let x = positive(self, x);
                self.math(MathFn::Sqrt, &[x], ty)
            }
            5 => {
                let x = positive(self, x);
                self.math(MathFn::Log, &[x], ty)
            }
            6 => {
                let x = positive(self, x);
                let y = self.math(MathFn::Sin, &[y], ty);
                self.math(MathFn::Pow, &[x, y], ty)
            }
            7 => {
                let x = self.math(MathFn::Sin, &[x], ty);
                self.math(MathFn::Exp, &[x], ty)
            }
            8 => self.math(MathFn::Max, &[x, y], ty),
            9 => self.math(MathFn::Min, &[x, y], ty),
            10 => self.math(MathFn::Lerp, &[x, y, z], ty),
            11 => self.math(MathFn::Saturate, &[x], ty),
            12 => self.math(MathFn::Abs, &[x], ty),
            _ => {
                let x = positive(self, x);
                self.math(MathFn::Atan2, &[y, x], ty)
            }
        }
    }

    fn vector(&mut self) -> ValueId {
        let (scalar, ty) = (self.kinds.scalar, self.kinds.vector);
        let (a, b) = (self.pick(ty), self.pick(ty));
        match self.rng.u8(0..10) {
            0 => self.math(MathFn::Dot, &[a, b], scalar),
            1 => self.math(MathFn::Cross, &[a, b], ty),
            2 => self.b.binary(BinaryOp::Add, a, b),
            3 => self.b.binary(BinaryOp::Mul, a, b),
            4 => self.math(MathFn::Tanh, &[a], ty),
            5 => {
                let s = self.scalar();
                let wide = self.b.value(Op::Splat(s), ty);
                self.b.binary(BinaryOp::Mul, a, wide)
            }
            6 => {
                let components = (0..3).map(|_| self.rng.u8(0..3)).collect();
                self.b.value(Op::Swizzle { vector: a, components }, ty)
            }
            7 => {
                let one = self.b.float(3.0, ty);
                let sines = self.math(MathFn::Sin, &[a], ty);
                let away = self.b.binary(BinaryOp::Add, sines, one);
                let function = *self.rng.choice(&[MathFn::Length, MathFn::Normalize]).unwrap_or(&MathFn::Length);
                let ty = if function == MathFn::Length { scalar } else { ty };
                self.math(function, &[away], ty)
            }
            8 => self.math(MathFn::Reflect, &[a, b], ty),
            _ => {
                let m = self.pick(self.kinds.matrix);
                let args = if self.rng.bool() { [m, a] } else { [a, m] };
                let product = self.math(MathFn::MatMul, &args, ty);
                self.math(MathFn::Sin, &[product], ty)
            }
        }
    }

    fn matrix(&mut self) -> ValueId {
        let ty = self.kinds.matrix;
        let (a, b) = (self.pick(ty), self.pick(ty));
        match self.rng.u8(0..5) {
            0 => {
                let product = self.math(MathFn::MatMul, &[a, b], ty);
                self.math(MathFn::Sin, &[product], ty)
            }
            1 => self.math(MathFn::Transpose, &[a], ty),
            2 => {
                let small = self.math(MathFn::Tanh, &[a], ty);
                self.math(MathFn::Determinant, &[small], self.kinds.scalar)
            }
            3 => self.b.binary(BinaryOp::Sub, a, b),
            _ => {
                let s = self.scalar();
                let wide = self.b.value(Op::Splat(s), ty);
                self.b.binary(BinaryOp::Mul, a, wide)
            }
        }
    }

    /// An index below about `len`; now and then one that is out of bounds.
    fn index(&mut self, len: u32) -> PathStep {
        if self.rng.bool() {
            return PathStep::Const(self.rng.u32(0..len));
        }
        PathStep::Dynamic(self.pick(self.kinds.int))
    }

    /// Reads or writes a part of an aggregate.
    fn part(&mut self) -> ValueId {
        let kinds = self.kinds;
        let (ty, path, part) = match self.rng.u8(0..8) {
            0..=1 => (kinds.array, vec![self.index(4)], kinds.scalar),
            2 => (kinds.record, vec![PathStep::Const(1)], kinds.scalar),
            3 => (kinds.record, vec![PathStep::Const(2), self.index(3)], kinds.scalar),
            4 => (kinds.record, vec![PathStep::Const(3), self.index(4)], kinds.scalar),
            5 => (kinds.records, vec![self.index(3), PathStep::Const(2)], kinds.vector),
            6 => (kinds.records, vec![self.index(3)], kinds.record),
            _ => (kinds.matrix, vec![self.index(3)], kinds.vector),
        };
        let aggregate = self.pick(ty);
        if self.rng.bool() {
            return self.b.extract(aggregate, path);
        }
        let value = self.pick(part);
        self.b.insert(aggregate, path, value)
    }

    fn condition(&mut self) -> ValueId {
        if self.rng.u8(0..4) == 0 {
            let (a, b) = (self.pick(self.kinds.int), self.pick(self.kinds.int));
            return self.b.binary(BinaryOp::Less, a, b);
        }
        let x = self.scalar();
        // Not a number that arithmetic is likely to hit.
        let number = self.rng.f64() * 2.0 - 1.0 + 0.001_37;
        let limit = self.float(number);
        self.b.binary(*self.rng.choice(&[BinaryOp::Greater, BinaryOp::LessEqual]).unwrap_or(&BinaryOp::Less), x, limit)
    }

    fn choice(&mut self) -> ValueId {
        let cond = self.condition();
        let ty = self.some_type();
        let (then, otherwise) = (self.pick(ty), self.pick(ty));
        self.b.select(cond, then, otherwise)
    }

    fn some_type(&mut self) -> TypeId {
        let kinds = self.kinds;
        let all = [kinds.scalar, kinds.scalar, kinds.vector, kinds.array, kinds.record, kinds.records, kinds.matrix];
        *self.rng.choice(&all).unwrap_or(&kinds.scalar)
    }

    fn call(&mut self) {
        let Some(&callee) = self.rng.choice(self.callees) else {
            return;
        };
        let target = &self.funcs[callee];
        let inputs: Vec<TypeId> = target.inputs.iter().map(|input| input.ty).collect();
        let results: Vec<TypeId> = target.results.iter().map(|slot| slot.ty).collect();
        let args: Vec<ValueId> = inputs.into_iter().map(|ty| self.pick(ty)).collect();
        let values = self.b.call(Callee::Func(callee), &args, &results);
        self.values.extend(values);
    }

    /// A region whose statements see what is visible here; `yields` are the types that it gives.
    fn arm(&mut self, statements: usize, depth: usize, yields: &[TypeId]) -> ir::RegionId {
        let region = self.b.new_region(&[]);
        let before = self.b.switch_to(region);
        let visible = self.values.len();
        self.block(statements, depth);
        let terminator = match self.rng.u8(0..12) {
            0 => Terminator::Return(self.results().into_iter().collect()),
            1..=2 if !self.loops.is_empty() => {
                let (types, start) = self.loops[self.loops.len() - 1].clone();
                let breaks = self.rng.bool();
                let mut values: Vec<ValueId> = types.iter().map(|&ty| self.pick(ty)).collect();
                // The first carried value counts; `continue` must count on.
                values[0] = start[0];
                if breaks {
                    Terminator::Break(values.into_iter().collect())
                } else {
                    let one = self.b.i32(1);
                    values[0] = self.b.binary(BinaryOp::Add, start[0], one);
                    Terminator::Continue(values.into_iter().collect())
                }
            }
            _ => Terminator::Yield(yields.iter().map(|&ty| self.pick(ty)).collect()),
        };
        self.b.terminate(terminator);
        self.values.truncate(visible);
        self.b.switch_to(before);
        region
    }

    fn yield_types(&mut self) -> Vec<TypeId> {
        (0..self.rng.usize(1..=3)).map(|_| self.some_type()).collect()
    }

    fn branch(&mut self, statements: usize, depth: usize) {
        let cond = self.condition();
        let types = self.yield_types();
        let then = self.arm(statements, depth, &types);
        let otherwise = self.arm(statements, depth, &types);
        let op = self.b.op(Op::If { cond, then, otherwise }, &types);
        let results = self.b.results(op).to_vec();
        self.values.extend(results);
    }

    fn switch(&mut self, statements: usize, depth: usize) {
        let selector = self.pick(self.kinds.int);
        let types = self.yield_types();
        let first = self.arm(statements, depth, &types);
        let second = self.arm(statements, depth, &types);
        let default = self.arm(statements, depth, &types);
        let cases = vec![([0i64, 3].into_iter().collect(), first), ([1i64].into_iter().collect(), second)];
        let op = self.b.op(Op::Switch { selector, cases, default }, &types);
        let results = self.b.results(op).to_vec();
        self.values.extend(results);
    }

    /// `for (i = 0; i < count; i++)`, where the count is constant or depends on data, and may end earlier by a test on
    /// floats.
    fn counted_loop(&mut self, statements: usize, depth: usize) {
        let kinds = self.kinds;
        let most = self.rng.i32(0..=5);
        let limit = if self.rng.bool() {
            self.b.i32(most)
        } else {
            let n = self.pick(kinds.int);
            let most = self.b.i32(most);
            let few = self.b.binary(BinaryOp::Less, n, most);
            self.b.select(few, n, most)
        };
        let mut types = vec![kinds.int];
        types.extend(self.yield_types());
        let mut init = vec![self.b.i32(0)];
        for &ty in &types[1..] {
            init.push(self.pick(ty));
        }
        let bound = LoopBound { max_iters: Some(most.unsigned_abs().max(1)), ..LoopBound::default() };
        let by_data = self.rng.u8(0..4) == 0;
        let cond = self.b.new_region(&types);
        let before = self.b.switch_to(cond);
        let params = self.b.params(cond);
        let mut more = self.b.binary(BinaryOp::Less, params[0], limit);
        if by_data && let Some(&value) = params.iter().find(|&&param| self.b.ty(param) == kinds.scalar) {
            let some = self.float(1.251_7);
            let small = self.b.binary(BinaryOp::Less, value, some);
            more = self.b.binary(BinaryOp::And, more, small);
        }
        self.b.yield_([more]);

        let body = self.b.new_region(&types);
        self.b.switch_to(body);
        let params = self.b.params(body);
        let visible = self.values.len();
        self.values.extend(&params);
        self.loops.push((types.clone(), params.clone()));
        self.block(statements, depth);
        self.loops.pop();
        let one = self.b.i32(1);
        let mut next = vec![self.b.binary(BinaryOp::Add, params[0], one)];
        for &ty in &types[1..] {
            next.push(self.pick(ty));
        }
        self.b.yield_(next);
        self.values.truncate(visible);
        self.b.switch_to(before);
        let init = init.into_iter().collect();
        let op = self.b.op(Op::Loop { init, cond, body, bound }, &types);
        let results = self.b.results(op).to_vec();
        self.values.extend(results);
    }
}
