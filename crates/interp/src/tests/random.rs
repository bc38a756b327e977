//! Properties that hold for every program, on random ones: they verify, their text reads back, simplification keeps what
//! they compute and does nothing when it is done again.
//!
//! The programs of `test_support::random_program` are differentiable and calm; these here are of every type and operation
//! that the interpreter runs, with variables in memory, sums, bits and numbers at the ends of their ranges.

use fastrand::Rng;
use ir::{
    AtomicOp, BinaryOp, Callee, Constant, Field, FuncId, Global, GlobalId, GlobalKind, HandleType, Input, MathFn, Op,
    PathStep, ResultSlot, Scalar, SpanId, StructDef, SumDef, Terminator, Type, TypeId, UnaryOp, ValueId,
    builder::FuncBuilder, op::LoopBound, parse::parse_module, print::print_module, simplify, types::SumVariant,
    verify::VerifiedModule,
};

use super::*;

const SCALARS: &[Scalar] =
    &[Scalar::F32, Scalar::I32, Scalar::U32, Scalar::Bool, Scalar::F16, Scalar::F64, Scalar::I8, Scalar::U64];

/// What random programs are made of.
struct World {
    types: Vec<TypeId>,
    sum: TypeId,
    /// `static` variables of numeric and array type: whatever is written there is seen in the end.
    variables: Vec<GlobalId>,
    funcs: Vec<(FuncId, Vec<TypeId>, Vec<TypeId>)>,
}

fn world(module: &mut Module, random: &mut Rng) -> World {
    let types = &module.types;
    let mut pool: Vec<TypeId> = SCALARS.iter().map(|&scalar| types.scalar(scalar)).collect();
    let (f32, i32) = (types.f32(), types.i32());
    let f32x3 = types.vector(Scalar::F32, 3);
    let array = types.array(f32, 4);
    let matrix = types.intern(Type::Matrix { scalar: Scalar::F32, rows: 2, cols: 3 });
    let field = |name: &str, ty| Field {
        name: name.into(),
        ty,
        no_diff: false,
        matrices: ir::types::Matrices::AsUsual,
        is_gap: false,
    };
    let fields = vec![field("a", f32), field("v", f32x3), field("n", i32), field("w", array)];
    let structure = types.add_struct(StructDef { name: "S".into(), fields, differential: None });
    let variants = vec![SumVariant { ty: structure, id: 3 }, SumVariant { ty: f32, id: 4 }];
    let sum = types.sums.add(SumDef { name: "I".into(), variants, payload_bytes: None, differential: None });
    let sum = types.intern(Type::Sum(sum));
    let bools = types.vector(Scalar::Bool, 3);
    let ints = types.vector(Scalar::I32, 3);
    pool.extend([ints, bools, matrix, structure, sum]);
    // Few types in one program: then its operations come to look at each other.
    random.shuffle(&mut pool);
    pool.truncate(2);
    pool.extend([f32, f32, i32, f32x3, array]);
    pool.push(types.bool());
    let mut variables = Vec::new();
    for (name, content) in [("x", f32), ("w", array), ("n", i32)] {
        let ty = module.types.intern(Type::Handle(HandleType::Variable { content }));
        let kind = GlobalKind::Static { init: None };
        variables.push(module.globals.alloc(Global {
            name: name.into(),
            ty,
            kind,
            provision: Default::default(),
            by_descriptor: false,
        }));
    }
    World { types: pool, sum, variables, funcs: Vec::new() }
}

/// A random module; `@f` is the function to run.
fn random_module(seed: u64) -> Module {
    let mut module = Module::default();
    let mut random = Rng::with_seed(seed);
    let mut world = world(&mut module, &mut random);
    for name in ["g", "h", "f"] {
        let inputs: Vec<TypeId> = (0..random.usize(1..4)).map(|_| *pick(&mut random, &world.types)).collect();
        let mut results: Vec<TypeId> = (0..random.usize(2..6)).map(|_| *pick(&mut random, &world.types)).collect();
        if name == "f" {
            // What is in the variables in the end.
            results.extend(world.variables.iter().map(|&global| content(&module, global)));
        }
        let input = |&ty: &TypeId| Input { name: "x".into(), ty, differentiable: false, place: 0, span: SpanId::NONE };
        let result = |&ty: &TypeId| ResultSlot::out("y", ty, false);
        let contents: Vec<TypeId> = world.variables.iter().map(|&global| content(&module, global)).collect();
        let handles: Vec<TypeId> = world.variables.iter().map(|&global| module.globals[global].ty).collect();
        let builder = FuncBuilder::new(
            &module.types,
            name,
            inputs.iter().map(input).collect(),
            results.iter().map(result).collect(),
            SpanId::NONE,
        );
        let mut maker = Maker {
            visible: builder.func.input_values().to_vec(),
            b: builder,
            random: &mut random,
            world: &world,
            results: results.clone(),
            handles,
            contents,
            loops: Vec::new(),
            fuel: 50,
        };
        maker.ops(16);
        let values = maker.values(&results);
        let values = if name == "f" { maker.with_contents(values) } else { values };
        maker.b.ret(values);
        let func = maker.b.finish();
        let id = module.funcs.alloc(func);
        world.funcs.push((id, inputs, results));
    }
    module
}

fn content(module: &Module, global: GlobalId) -> TypeId {
    match module.types.get(module.globals[global].ty) {
        Type::Handle(HandleType::Variable { content }) => content,
        other => panic!("{other:?}"),
    }
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(0..from.len())]
}

struct Maker<'a> {
    b: FuncBuilder<'a>,
    random: &'a mut Rng,
    world: &'a World,
    results: Vec<TypeId>,
    handles: Vec<TypeId>,
    contents: Vec<TypeId>,
    visible: Vec<ValueId>,
    /// The carried types of the loops around.
    loops: Vec<Vec<TypeId>>,
    /// Ops that may still be made.
    fuel: u32,
}

impl Maker<'_> {
    fn ops(&mut self, count: usize) {
        for _ in 0..self.random.usize(1..count) {
            if self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            self.any_op();
        }
    }

    /// A visible value of the type, or a new one.
    fn of(&mut self, ty: TypeId) -> ValueId {
        let found: Vec<ValueId> = self.visible.iter().copied().filter(|&value| self.b.ty(value) == ty).collect();
        if !found.is_empty() && self.random.u8(0..8) > 0 {
            // Mostly recent ones.
            let recent = if self.random.bool() { found.len().saturating_sub(2) } else { 0 };
            return *pick(self.random, &found[recent..]);
        }
        let value = match self.b.types.get(ty) {
            Type::Scalar(scalar) => {
                let constant = match scalar {
                    Scalar::Bool => Constant::Bool(self.random.bool()),
                    _ if scalar.is_float() => {
                        Constant::Float(*pick(self.random, &[0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e30, -7.25]))
                    }
                    _ => Constant::Int(self.random.i64(0..4)),
                };
                self.b.constant(constant, ty)
            }
            Type::Struct(id) => {
                let types: Vec<TypeId> = self.b.types.structs[id].fields.iter().map(|field| field.ty).collect();
                let parts = self.values(&types);
                self.b.make(&parts, ty)
            }
            Type::Vector { scalar, len } => {
                let scalar = self.b.types.scalar(scalar);
                let parts = self.values(&vec![scalar; len.into()]);
                self.b.make(&parts, ty)
            }
            Type::Sum(_) => {
                let variant = self.random.u32(0..2);
                let Type::Sum(id) = self.b.types.get(ty) else { unreachable!() };
                let payload = self.b.types.sums[id].variants[variant as usize].ty;
                let value = self.of(payload);
                self.b.value(Op::SumMake { variant, value }, ty)
            }
            _ if self.random.bool() => self.b.zero(ty),
            _ => self.b.undef(ty),
        };
        self.visible.push(value);
        value
    }

    fn values(&mut self, types: &[TypeId]) -> Vec<ValueId> {
        types.iter().map(|&ty| self.of(ty)).collect()
    }

    fn any_type(&mut self) -> TypeId {
        *pick(self.random, &self.world.types)
    }

    /// A scalar, vector or matrix type whose elements are `wanted`.
    fn numeric(&mut self, wanted: fn(Scalar) -> bool) -> TypeId {
        loop {
            let ty = self.any_type();
            match self.b.types.get(ty) {
                Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } if wanted(scalar) => {
                    return ty;
                }
                _ => {}
            }
        }
    }

    /// A step into a part, and the part's type.
    fn step(&mut self, ty: TypeId) -> Option<(PathStep, TypeId)> {
        let len = match self.b.types.get(ty) {
            Type::Struct(id) => self.b.types.structs[id].fields.len() as u32,
            Type::Vector { len, .. } | Type::Matrix { rows: len, .. } => len.into(),
            Type::Array { len, .. } => len,
            _ => return None,
        };
        let dynamic = !matches!(self.b.types.get(ty), Type::Struct(_)) && self.random.bool();
        let step = if dynamic {
            let i32 = self.b.types.i32();
            PathStep::Dynamic(self.of(i32))
        } else {
            PathStep::Const(self.random.u32(0..len))
        };
        Some((step, self.b.path_type(ty, &[step])?))
    }

    fn path(&mut self, ty: TypeId) -> Option<(Vec<PathStep>, TypeId)> {
        let (first, mut part) = self.step(ty)?;
        let mut path = vec![first];
        while self.random.bool() {
            let Some((step, inner)) = self.step(part) else { break };
            path.push(step);
            part = inner;
        }
        Some((path, part))
    }

    fn any_op(&mut self) {
        let value = match self.random.u8(0..20) {
            0..3 => {
                let operators = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem];
                let comparisons = [BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::GreaterEqual];
                let compare = self.random.bool();
                let operator = *pick(self.random, if compare { &comparisons[..] } else { &operators });
                let ty = self.numeric(|scalar| scalar != Scalar::Bool);
                let (left, right) = (self.of(ty), self.of(ty));
                self.b.binary(operator, left, right)
            }
            3 => {
                let logic = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Equal, BinaryOp::NotEqual];
                let operator = *pick(self.random, &logic);
                let ty = self.numeric(|scalar| !scalar.is_float());
                let (left, right) = (self.of(ty), self.of(ty));
                self.b.binary(operator, left, right)
            }
            4 => {
                let (operator, ty) = match self.random.u8(0..3) {
                    0 => (UnaryOp::Neg, self.numeric(|scalar| scalar != Scalar::Bool)),
                    1 => (UnaryOp::Not, self.numeric(|scalar| scalar == Scalar::Bool)),
                    _ => (UnaryOp::BitNot, self.numeric(Scalar::is_integer)),
                };
                let operand = self.of(ty);
                self.b.unary(operator, operand)
            }
            5 => {
                let ty = self.numeric(Scalar::is_float);
                let functions = [(MathFn::Sin, 1), (MathFn::Floor, 1), (MathFn::Max, 2), (MathFn::Fma, 3)];
                let (function, count) = *pick(self.random, &functions);
                let args = self.values(&vec![ty; count]);
                self.b.math(function, &args, ty)
            }
            6 => {
                let (from, to) = (*pick(self.random, SCALARS), *pick(self.random, SCALARS));
                let (from, to) = (self.b.types.scalar(from), self.b.types.scalar(to));
                let operand = self.of(from);
                self.b.value(Op::Convert(operand), to)
            }
            7 => {
                let (ty, bool) = (self.any_type(), self.b.types.bool());
                let (cond, then, otherwise) = (self.of(bool), self.of(ty), self.of(ty));
                self.b.select(cond, then, otherwise)
            }
            8..10 => {
                let ty = self.any_type();
                let aggregate = self.of(ty);
                let Some((path, _)) = self.path(ty) else { return };
                self.b.extract(aggregate, path)
            }
            10..13 => {
                let ty = self.any_type();
                let aggregate = self.of(ty);
                let Some((path, part)) = self.path(ty) else { return };
                let value = self.of(part);
                self.b.insert(aggregate, path, value)
            }
            13 => {
                let ty = self.b.types.vector(Scalar::F32, 3);
                let vector = self.of(ty);
                let components: Vec<u8> = (0..self.random.usize(1..4)).map(|_| self.random.u8(0..3)).collect();
                let ty = match components.len() {
                    1 => self.b.types.f32(),
                    count => self.b.types.vector(Scalar::F32, count as u8),
                };
                self.b.value(Op::Swizzle { vector, components: components.into_iter().collect() }, ty)
            }
            14 => return self.memory(),
            15 => return self.call(),
            16 | 17 => return self.branch(),
            18 => return self.sum_match(),
            _ => return self.counted_loop(),
        };
        self.visible.push(value);
    }

    fn handle(&mut self, number: usize) -> ValueId {
        self.b.value(Op::Global(self.world.variables[number]), self.handles[number])
    }

    fn memory(&mut self) {
        let number = self.random.usize(0..self.contents.len());
        let (handle, mut ty) = (self.handle(number), self.contents[number]);
        let mut path = Vec::new();
        if let Some((step, part)) = self.step(ty) {
            path.push(step);
            ty = part;
        }
        let path = path.into_iter().collect();
        match self.random.u8(0..3) {
            0 => {
                let value = self.b.value(Op::Load { handle, path }, ty);
                self.visible.push(value);
            }
            1 => {
                let value = self.of(ty);
                self.b.op(Op::Store { handle, path, value }, &[]);
            }
            _ => {
                let operands = [self.of(ty)].into_iter().collect();
                let value = self.b.value(Op::Atomic { op: AtomicOp::Max, handle, path, operands }, ty);
                self.visible.push(value);
            }
        }
    }

    fn call(&mut self) {
        let world = self.world;
        let Some((func, inputs, results)) = (!world.funcs.is_empty()).then(|| pick(self.random, &world.funcs)) else {
            return;
        };
        let args = self.values(inputs);
        let values = self.b.call(Callee::Func(*func), &args, results);
        self.visible.extend(values);
    }

    /// Values for the results, the last ones being what is in the variables.
    fn with_contents(&mut self, mut values: Vec<ValueId>) -> Vec<ValueId> {
        values.truncate(values.len() - self.contents.len());
        for number in 0..self.contents.len() {
            let (handle, ty) = (self.handle(number), self.contents[number]);
            values.push(self.b.value(Op::Load { handle, path: Default::default() }, ty));
        }
        values
    }

    /// Fills a region and ends it: mostly with a yield, sometimes by leaving.
    fn arm(&mut self, region: ir::RegionId, yields: &[TypeId], may_leave: bool) {
        let before = (self.b.switch_to(region), self.visible.len());
        let params = self.b.params(region);
        self.visible.extend(params);
        self.ops(5);
        let terminator = match (self.random.u8(0..8), self.loops.last().cloned()) {
            (0, _) if may_leave => {
                let types = self.results.clone();
                Terminator::Return(self.values(&types).into_iter().collect())
            }
            (1, Some(carried)) if may_leave => Terminator::Break(self.values(&carried).into_iter().collect()),
            _ => Terminator::Yield(self.values(yields).into_iter().collect()),
        };
        self.b.terminate(terminator);
        self.b.switch_to(before.0);
        self.visible.truncate(before.1);
    }

    fn yielded_types(&mut self) -> Vec<TypeId> {
        (0..self.random.usize(0..3)).map(|_| self.any_type()).collect()
    }

    fn branch(&mut self) {
        let types = self.yielded_types();
        let op = if self.random.bool() {
            let bool = self.b.types.bool();
            let cond = self.of(bool);
            let (then, otherwise) = (self.b.new_region(&[]), self.b.new_region(&[]));
            self.arm(then, &types, true);
            self.arm(otherwise, &types, true);
            Op::If { cond, then, otherwise }
        } else {
            let u32 = self.b.types.scalar(Scalar::U32);
            let selector = self.of(u32);
            let regions = [(); 3].map(|()| self.b.new_region(&[]));
            regions.iter().for_each(|&region| self.arm(region, &types, true));
            let [first, second, default] = regions;
            let cases = vec![([0, 2].into_iter().collect(), first), ([1].into_iter().collect(), second)];
            Op::Switch { selector, cases, default }
        };
        let op = self.b.op(op, &types);
        self.visible.extend(self.b.results(op).to_vec());
    }

    fn sum_match(&mut self) {
        let types = self.yielded_types();
        let sum = self.of(self.world.sum);
        let Type::Sum(id) = self.b.types.get(self.world.sum) else { return };
        let payloads: Vec<TypeId> = self.b.types.sums[id].variants.iter().map(|variant| variant.ty).collect();
        let variants: Vec<_> = payloads.into_iter().map(|ty| self.b.new_region(&[ty])).collect();
        variants.iter().for_each(|&region| self.arm(region, &types, true));
        let op = self.b.op(Op::SumMatch { sum, variants, null: None }, &types);
        self.visible.extend(self.b.results(op).to_vec());
    }

    /// A loop that counts to at most 4, so that every program ends.
    fn counted_loop(&mut self) {
        let i32 = self.b.types.i32();
        let mut types = self.yielded_types();
        types.push(i32);
        let start = self.b.i32(0);
        let mut init: Vec<ValueId> = self.values(&types);
        *init.last_mut().unwrap() = start;
        let (cond, body) = (self.b.new_region(&types), self.b.new_region(&types));
        let limit = self.random.i32(0..5);
        let before = (self.b.switch_to(cond), self.visible.len());
        let counter = *self.b.params(cond).last().unwrap();
        let limit = self.b.i32(limit);
        let mut goes_on = self.b.binary(BinaryOp::Less, counter, limit);
        if self.random.bool() {
            let bool = self.b.types.bool();
            self.visible.extend(self.b.params(cond));
            let other = self.of(bool);
            goes_on = self.b.binary(BinaryOp::And, goes_on, other);
        }
        self.b.yield_([goes_on]);
        self.visible.truncate(before.1);
        self.b.switch_to(body);
        let counter = *self.b.params(body).last().unwrap();
        self.visible.extend(self.b.params(body));
        self.loops.push(types.clone());
        self.ops(6);
        self.loops.pop();
        let mut next = self.values(&types);
        let one = self.b.i32(1);
        *next.last_mut().unwrap() = self.b.binary(BinaryOp::Add, counter, one);
        self.b.yield_(next);
        self.visible.truncate(before.1);
        self.b.switch_to(before.0);
        let init = init.into_iter().collect();
        let op = self.b.op(Op::Loop { init, cond, body, bound: LoopBound::default() }, &types);
        self.visible.extend(self.b.results(op).to_vec());
    }
}

fn verified(module: &Module, seed: u64) -> VerifiedModule {
    VerifiedModule::new(module.clone()).unwrap_or_else(|rejected| panic!("seed {seed}\n{rejected}"))
}

/// Inputs that reach all of a value's kinds.
fn random_value(module: &Module, ty: Type, random: &mut Rng) -> Value {
    match ty {
        Type::Scalar(Scalar::Bool) => Value::Bool(random.bool()),
        Type::Scalar(scalar) if scalar.is_float() => {
            Value::Float(*pick(random, &[0.0, -0.0, 1.5, -2.0, f64::INFINITY, f64::NAN, 0.1]))
        }
        Type::Scalar(_) => Value::Int(random.i64(-3..6)),
        Type::Sum(id) => {
            let number = random.usize(0..2);
            let payload = module.types.get(module.types.sums[id].variants[number].ty);
            Value::Sum(Some((number as u32, Box::new(random_value(module, payload, random)))))
        }
        _ => {
            let Value::Aggregate(parts) = Value::zero(&module.types, ty) else { panic!("{ty:?}") };
            let part = |index: u32| match ty {
                Type::Vector { scalar, .. } => Type::Scalar(scalar),
                Type::Matrix { scalar, cols, .. } => Type::Vector { scalar, len: cols },
                Type::Array { element, .. } => module.types.get(element),
                Type::Struct(id) => module.types.get(module.types.structs[id].fields[index as usize].ty),
                other => panic!("{other:?}"),
            };
            Value::Aggregate((0..parts.len() as u32).map(|index| random_value(module, part(index), random)).collect())
        }
    }
}

/// All NaNs are equal here, other values only to themselves.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => {
            left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
        }
        (Value::Aggregate(left), Value::Aggregate(right)) => left.iter().zip(right).all(|(l, r)| same(l, r)),
        (Value::Sum(Some((left, l))), Value::Sum(Some((right, r)))) => left == right && same(l, r),
        (left, right) => left == right,
    }
}

fn assert_same_results(before: &Module, after: &Module, seed: u64) {
    let (before, after) = (&verified(before, seed), &verified(after, seed));
    let (f, after_f) = (before.func_named("f").unwrap(), after.func_named("f").unwrap());
    let mut random = Rng::with_seed(seed);
    for _ in 0..4 {
        let inputs = before.funcs[f].inputs.iter().map(|input| before.types.get(input.ty));
        let args: Vec<Value> = inputs.map(|ty| random_value(before, ty, &mut random)).collect();
        let expected = Machine::new(before, Precision::Declared, Limits::default()).call(f, &args).unwrap();
        let found = Machine::new(after, Precision::Declared, Limits::default()).call(after_f, &args).unwrap();
        let equal = expected.iter().zip(&found).all(|(expected, found)| same(expected, found));
        assert!(
            equal,
            "seed {seed}: {args:?} gives {expected:?}, then {found:?}\n{}\n{}",
            print_module(before),
            print_module(after)
        );
    }
}

const PROGRAMS: u64 = 60;

#[test]
fn programs_verify_and_their_text_reads_back() {
    for seed in 0..PROGRAMS {
        let module = random_module(seed);
        let text = print_module(&module);
        let read = parse_module(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(print_module(&read), text, "seed {seed}");
        assert_same_results(&module, &read, seed);
    }
}

#[test]
fn simplification_keeps_results() {
    for seed in 0..PROGRAMS {
        let module = random_module(seed);
        let mut simplified = module.clone();
        simplify::simplify_module(&mut simplified);
        assert_same_results(&module, &simplified, seed);
        let once = print_module(&simplified);
        simplify::simplify_module(&mut simplified);
        assert_eq!(print_module(&simplified), once, "seed {seed}");
        let f = simplified.func_named("f").unwrap();
        simplify::inline::inline_calls(&mut simplified, f, |_| true);
        assert_same_results(&module, &simplified, seed);
        simplify::simplify_func(&mut simplified, f);
        let compacted = simplify::compact::compact(&simplified, &[f], simplify::compact::Keep { rules: true }).module;
        assert_same_results(&module, &compacted, seed);
    }
}

#[test]
fn unrolling_keeps_results() {
    let mut unrolled = 0;
    for seed in 0..PROGRAMS {
        let module = random_module(seed);
        let mut changed = module.clone();
        let f = changed.func_named("f").unwrap();
        for (_, data) in changed.funcs[f].ops.iter_mut() {
            if let Op::Loop { bound, .. } = &mut data.op {
                bound.force_unroll = Some(0);
            }
        }
        let loops = |module: &Module| print_module(module).matches(" loop (").count();
        let before = loops(&changed);
        simplify::unroll::unroll(&mut changed, f);
        unrolled += usize::from(loops(&changed) < before);
        assert_same_results(&module, &changed, seed);
    }
    assert!(unrolled > 2, "only {unrolled} programs have a loop that unrolls");
}
