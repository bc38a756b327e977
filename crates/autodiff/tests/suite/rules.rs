//! Every rule of the table against central differences over its domain, and its value at kinks.

use autodiff::rules::{Class, Formula, binary_rule, math_rule};
use interp::{Limits, Machine, Precision, Value};
use ir::{
    BinaryOp, DerivativeKind, FuncId, Input, MathFn, Module, ResultSlot, Scalar, SpanId, Type, TypeId,
    builder::FuncBuilder, verify::VerifiedModule,
};

/// A module with `f(operands) = function(operands)` and its derivatives.
struct Derived {
    module: VerifiedModule,
    f: FuncId,
    jvp: FuncId,
    vjp: FuncId,
}

#[derive(Debug, Clone, Copy)]
enum Function {
    Math(MathFn),
    Binary(BinaryOp),
}

impl Derived {
    fn new(function: Function, operands: &[TypeId], result: TypeId, mut module: Module) -> Derived {
        let input = |(index, &ty): (usize, &TypeId)| Input {
            name: format!("x{index}").into(),
            ty,
            differentiable: true,
            place: index as u32,
            span: SpanId::NONE,
        };
        let inputs = operands.iter().enumerate().map(input).collect();
        let results = vec![ResultSlot::returned(result, true)];
        let mut b = FuncBuilder::new(&module.types, "f", inputs, results, SpanId::NONE);
        b.func.rules.forward_differentiable = true;
        b.func.rules.backward_differentiable = true;
        let args: Vec<_> = (0..operands.len()).map(|index| b.input(index)).collect();
        let value = match function {
            Function::Math(function) => b.math(function, &args, result),
            Function::Binary(op) => b.binary(op, args[0], args[1]),
        };
        b.ret([value]);
        let func = b.finish();
        let f = module.funcs.alloc(func);
        let wanted = [(DerivativeKind::Jvp, f), (DerivativeKind::Vjp, f)];
        let mut module = test_support::modules::verified(module);
        let made = autodiff::derivatives(&mut module, &wanted).expect("the rule exists");
        Derived { f, jvp: made[0], vjp: made[1], module }
    }

    fn run(&self, f: FuncId, args: &[Value]) -> Vec<Value> {
        Machine::new(&self.module, Precision::F64, Limits::default()).call(f, args).expect("the function runs")
    }

    fn value(&self, args: &[Value]) -> Vec<f64> {
        self.run(self.f, args)[0].floats()
    }

    /// The rows of the Jacobian's transpose: for each float of the operands, the derivative of each float of the result.
    fn forward(&self, args: &[Value]) -> Vec<Vec<f64>> {
        let floats: usize = args.iter().map(|arg| arg.floats().len()).sum();
        let column = |at: usize| {
            let mut next = 0;
            let mut all = args.to_vec();
            all.extend(args.iter().map(|arg| {
                map(arg, &mut |_| {
                    next += 1;
                    f64::from(u8::from(next - 1 == at))
                })
            }));
            self.run(self.jvp, &all)[1].floats()
        };
        (0..floats).map(column).collect()
    }

    fn backward(&self, args: &[Value]) -> Vec<Vec<f64>> {
        let result = self.run(self.f, args).remove(0);
        let rows: Vec<Vec<f64>> = (0..result.floats().len())
            .map(|at| {
                let mut next = 0;
                let mut all = args.to_vec();
                all.push(map(&result, &mut |_| {
                    next += 1;
                    f64::from(u8::from(next - 1 == at))
                }));
                self.run(self.vjp, &all).iter().flat_map(Value::floats).collect()
            })
            .collect();
        let floats = rows.first().map_or(0, Vec::len);
        (0..floats).map(|at| rows.iter().map(|row| row[at]).collect()).collect()
    }

    fn differences(&self, args: &[Value]) -> Vec<Vec<f64>> {
        let floats: Vec<f64> = args.iter().flat_map(Value::floats).collect();
        let column = |at: usize| {
            // Small against the operand, so that functions on half lines stay in their domain.
            let step = if floats[at] == 0.0 { 1e-6 } else { floats[at].abs() * 1e-5 };
            let moved = |by: f64| {
                let mut next = 0;
                let args: Vec<Value> = args
                    .iter()
                    .map(|arg| {
                        map(arg, &mut |x| {
                            next += 1;
                            if next - 1 == at { x + by } else { x }
                        })
                    })
                    .collect();
                self.value(&args)
            };
            let (right, left) = (moved(step), moved(-step));
            right.iter().zip(&left).map(|(right, left)| (right - left) / (2.0 * step)).collect()
        };
        (0..floats.len()).map(column).collect()
    }
}

fn map(value: &Value, f: &mut impl FnMut(f64) -> f64) -> Value {
    match value {
        Value::Float(x) => Value::Float(f(*x)),
        Value::Aggregate(parts) => Value::Aggregate(parts.iter().map(|part| map(part, f)).collect()),
        other => other.clone(),
    }
}

fn check(function: Function, operands: &[TypeId], result: TypeId, module: &Module, points: &[Vec<Value>]) {
    let derived = Derived::new(function, operands, result, module.clone());
    for args in points {
        let (forward, backward, differences) =
            (derived.forward(args), derived.backward(args), derived.differences(args));
        for ((forward, backward), difference) in
            forward.iter().flatten().zip(backward.iter().flatten()).zip(differences.iter().flatten())
        {
            let scale = forward.abs().max(1.0);
            assert!(
                (forward - difference).abs() <= 1e-5 * scale,
                "{function:?} at {args:?}: derivative {forward}, difference {difference}"
            );
            assert!(
                (forward - backward).abs() <= 1e-12 * scale,
                "{function:?} at {args:?}: forward {forward}, backward {backward}"
            );
        }
    }
}

const ALL: [MathFn; 63] = [
    MathFn::Abs,
    MathFn::Acos,
    MathFn::Acosh,
    MathFn::Asin,
    MathFn::Asinh,
    MathFn::Atan,
    MathFn::Atanh,
    MathFn::Ceil,
    MathFn::Cos,
    MathFn::Cosh,
    MathFn::Exp,
    MathFn::Exp2,
    MathFn::Floor,
    MathFn::Frac,
    MathFn::Log,
    MathFn::Log10,
    MathFn::Log2,
    MathFn::Rcp,
    MathFn::Round,
    MathFn::Rsqrt,
    MathFn::Saturate,
    MathFn::Sign,
    MathFn::Sin,
    MathFn::Sinh,
    MathFn::Sqrt,
    MathFn::Tan,
    MathFn::Tanh,
    MathFn::Trunc,
    MathFn::Degrees,
    MathFn::Radians,
    MathFn::Atan2,
    MathFn::Copysign,
    MathFn::Fmod,
    MathFn::Max,
    MathFn::Min,
    MathFn::Pow,
    MathFn::Step,
    MathFn::Clamp,
    MathFn::Fma,
    MathFn::Lerp,
    MathFn::Smoothstep,
    MathFn::IsNan,
    MathFn::IsInf,
    MathFn::IsFinite,
    MathFn::Dot,
    MathFn::Length,
    MathFn::Distance,
    MathFn::Cross,
    MathFn::Normalize,
    MathFn::Reflect,
    MathFn::Refract,
    MathFn::Faceforward,
    MathFn::MatMul,
    MathFn::Transpose,
    MathFn::Determinant,
    MathFn::All,
    MathFn::Any,
    MathFn::CountBits,
    MathFn::FirstBitHigh,
    MathFn::FirstBitLow,
    MathFn::ReverseBits,
    MathFn::F16ToF32,
    MathFn::F32ToF16,
];

const REALS: &[f64] = &[-7.3, -2.6, -1.4, -0.55, -1e-3, 1e-4, 0.35, 0.8, 1.7, 2.6, 6.1];
const INSIDE_ONE: &[f64] = &[-0.97, -0.7, -0.2, 1e-3, 0.4, 0.95];
const POSITIVE: &[f64] = &[1e-12, 1e-7, 1e-4, 0.02, 0.5, 1.0, 3.7, 90.0];
const ABOVE_ONE: &[f64] = &[1.03, 1.3, 2.0, 15.0];

/// Points of the domain of each operand, away from kinks.
fn domain(function: MathFn) -> Vec<&'static [f64]> {
    match function {
        MathFn::Acos | MathFn::Asin | MathFn::Atanh => vec![INSIDE_ONE],
        MathFn::Acosh => vec![ABOVE_ONE],
        MathFn::Log | MathFn::Log10 | MathFn::Log2 | MathFn::Rsqrt | MathFn::Sqrt => vec![POSITIVE],
        MathFn::Atan2 | MathFn::Copysign | MathFn::Max | MathFn::Min => {
            vec![REALS, &[-3.1, -0.6, 0.45, 2.2]]
        }
        MathFn::Fmod => vec![&[-7.3, -1.4, 0.35, 2.6, 6.1], &[-2.2, -0.75, 0.8, 3.3]],
        MathFn::Pow => vec![POSITIVE, &[-1.5, -0.4, 0.3, 1.0, 2.0, 3.5]],
        MathFn::Clamp => vec![REALS, &[-1.2, 0.1], &[0.6, 1.9]],
        MathFn::Fma | MathFn::Lerp => vec![&[-1.4, 0.35, 2.6], &[-3.1, 0.45, 2.2], &[-0.6, 0.3, 1.9]],
        MathFn::Smoothstep => vec![&[-1.2, 0.1], &[0.6, 1.9], REALS],
        _ => vec![REALS],
    }
}

fn grid(operands: &[&[f64]]) -> Vec<Vec<f64>> {
    operands.iter().fold(vec![Vec::new()], |points, values| {
        let extend = |point: &Vec<f64>| -> Vec<Vec<f64>> {
            values.iter().map(|&value| point.iter().copied().chain([value]).collect()).collect()
        };
        points.iter().flat_map(extend).collect()
    })
}

#[test]
fn component_wise_rules_agree_with_differences() {
    let module = Module::default();
    let scalar = module.types.f32();
    let vector = module.types.vector(Scalar::F32, 3);
    let mut checked = 0;
    for function in ALL {
        let Class::ComponentWise(partials) = math_rule(function).class else {
            continue;
        };
        checked += 1;
        let points = grid(&domain(function));
        assert_eq!(points[0].len(), partials.len(), "{function:?}");
        let scalars: Vec<Vec<Value>> =
            points.iter().map(|point| point.iter().map(|&x| Value::Float(x)).collect()).collect();
        check(Function::Math(function), &vec![scalar; partials.len()], scalar, &module, &scalars);
        // Three points at a time as vectors.
        let vectors: Vec<Vec<Value>> = points
            .chunks_exact(3)
            .take(8)
            .map(|three| {
                let operand =
                    |index: usize| Value::Aggregate(three.iter().map(|point| Value::Float(point[index])).collect());
                (0..partials.len()).map(operand).collect()
            })
            .collect();
        check(Function::Math(function), &vec![vector; partials.len()], vector, &module, &vectors);
    }
    assert_eq!(checked, 35);
}

#[test]
fn arithmetic_rules_agree_with_differences() {
    let module = Module::default();
    let scalar = module.types.f32();
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem] {
        assert!(matches!(binary_rule(op).class, Class::ComponentWise(_)));
        let points = grid(&[&[-7.3, -1.4, 0.35, 2.6, 6.1], &[-2.2, -0.75, 0.8, 3.3]]);
        let points: Vec<Vec<Value>> =
            points.iter().map(|point| point.iter().map(|&x| Value::Float(x)).collect()).collect();
        check(Function::Binary(op), &[scalar, scalar], scalar, &module, &points);
    }
}

#[test]
fn all_formulas_can_be_read() {
    for function in ALL {
        if let Class::ComponentWise(partials) = math_rule(function).class {
            for text in partials {
                assert!(Formula::parse(text).is_ok(), "{function:?}: {text}");
            }
        }
    }
    assert_eq!(Formula::parse("x + * y"), Err(4));
    assert_eq!(Formula::parse("x y"), Err(2));
}

fn vector(values: &[f64]) -> Value {
    Value::Aggregate(values.iter().map(|&x| Value::Float(x)).collect())
}

fn matrix(rows: usize, cols: usize, seed: f64) -> Value {
    let entry = |row: usize, col: usize| (seed + 1.7 * row as f64 + 0.9 * (col * col) as f64).sin() * 1.5;
    Value::Aggregate((0..rows).map(|row| vector(&(0..cols).map(|col| entry(row, col)).collect::<Vec<_>>())).collect())
}

#[test]
fn vector_rules_agree_with_differences() {
    let module = Module::default();
    let scalar = module.types.f32();
    let (a, b) = (vector(&[0.4, -1.1, 2.3]), vector(&[-0.7, 0.2, 0.9]));
    let unit = vector(&[0.6, 0.0, 0.8]);
    let vector = module.types.vector(Scalar::F32, 3);
    let points = [vec![a.clone(), b.clone()], vec![b.clone(), unit.clone()]];
    for function in [MathFn::Dot, MathFn::Distance] {
        check(Function::Math(function), &[vector, vector], scalar, &module, &points);
    }
    for function in [MathFn::Cross, MathFn::Reflect] {
        check(Function::Math(function), &[vector, vector], vector, &module, &points);
    }
    let single = [vec![a.clone()], vec![b.clone()]];
    check(Function::Math(MathFn::Length), &[vector], scalar, &module, &single);
    check(Function::Math(MathFn::Normalize), &[vector], vector, &module, &single);
    let facing = [vec![a.clone(), b.clone(), unit.clone()], vec![a.clone(), unit.clone(), b.clone()]];
    check(Function::Math(MathFn::Faceforward), &[vector, vector, vector], vector, &module, &facing);
    // Refraction and total reflection.
    let into = Value::Aggregate([-0.48, -0.6, -0.64].map(Value::Float).to_vec());
    let bending = [0.7, 1.2, 3.5].map(|eta| vec![into.clone(), unit.clone(), Value::Float(eta)]);
    check(Function::Math(MathFn::Refract), &[vector, vector, scalar], vector, &module, &bending);
}

#[test]
fn matrix_rules_agree_with_differences() {
    let module = Module::default();
    let scalar = module.types.f32();
    let shape = |rows: u8, cols: u8| module.types.intern(Type::Matrix { scalar: Scalar::F32, rows, cols });
    let (m23, m34, m24, m32) = (shape(2, 3), shape(3, 4), shape(2, 4), shape(3, 2));
    let squares = [shape(2, 2), shape(3, 3), shape(4, 4)];
    let v2 = module.types.vector(Scalar::F32, 2);
    let v3 = module.types.vector(Scalar::F32, 3);
    let product = Function::Math(MathFn::MatMul);
    check(product, &[m23, m34], m24, &module, &[vec![matrix(2, 3, 0.1), matrix(3, 4, 2.0)]]);
    check(product, &[m23, v3], v2, &module, &[vec![matrix(2, 3, 0.4), vector(&[0.4, -1.1, 2.3])]]);
    check(product, &[v2, m23], v3, &module, &[vec![vector(&[1.4, -0.3]), matrix(2, 3, 1.4)]]);
    check(Function::Math(MathFn::Transpose), &[m23], m32, &module, &[vec![matrix(2, 3, 0.7)]]);
    for (size, ty) in [2, 3, 4].into_iter().zip(squares) {
        check(Function::Math(MathFn::Determinant), &[ty], scalar, &module, &[vec![matrix(size, size, 0.3)]]);
    }
}

/// The derivative with respect to each operand at a point where differences do not help.
fn at(function: MathFn, args: &[f64]) -> Vec<f64> {
    let module = Module::default();
    let scalar = module.types.f32();
    let derived = Derived::new(Function::Math(function), &vec![scalar; args.len()], scalar, module);
    let args: Vec<Value> = args.iter().map(|&x| Value::Float(x)).collect();
    let forward: Vec<f64> = derived.forward(&args).into_iter().flatten().collect();
    assert_eq!(forward, derived.backward(&args).into_iter().flatten().collect::<Vec<f64>>());
    forward
}

#[test]
fn values_at_kinks() {
    assert_eq!(at(MathFn::Abs, &[0.0]), [0.0]);
    assert_eq!(at(MathFn::Max, &[1.5, 1.5]), [0.5, 0.5]);
    assert_eq!(at(MathFn::Min, &[1.5, 1.5]), [0.5, 0.5]);
    assert_eq!(at(MathFn::Saturate, &[0.0]), [1.0]);
    assert_eq!(at(MathFn::Saturate, &[1.0]), [1.0]);
    assert_eq!(at(MathFn::Saturate, &[1.0001]), [0.0]);
    assert_eq!(at(MathFn::Clamp, &[2.0, 2.0, 3.0]), [1.0, 0.0, 0.0]);
    assert_eq!(at(MathFn::Clamp, &[3.0, 2.0, 3.0]), [1.0, 0.0, 0.0]);
    assert_eq!(at(MathFn::Clamp, &[1.0, 2.0, 3.0]), [0.0, 1.0, 0.0]);
    // With crossed bounds the upper one is the value.
    assert_eq!(at(MathFn::Clamp, &[1.0, 3.0, 2.0]), [0.0, 0.0, 1.0]);
    assert_eq!(at(MathFn::Frac, &[2.0]), [1.0]);
    // As in slangc, where the magnitude or the sign is that of no number.
    assert_eq!(at(MathFn::Copysign, &[0.0, 1.0]), [0.0, 0.0]);
    assert_eq!(at(MathFn::Copysign, &[-2.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at(MathFn::Copysign, &[-2.0, -0.0]), [0.0, 0.0]);
    assert_eq!(at(MathFn::Copysign, &[-2.0, -3.0]), [1.0, 0.0]);
    assert_eq!(at(MathFn::Smoothstep, &[0.0, 1.0, 0.0]), [0.0, 0.0, 0.0]);
    assert_eq!(at(MathFn::Smoothstep, &[0.0, 1.0, 2.0]), [0.0, 0.0, 0.0]);
}

#[test]
fn lengths_are_flat_at_the_zero_vector() {
    let module = Module::default();
    let scalar = module.types.f32();
    let v3 = module.types.vector(Scalar::F32, 3);
    let zero = vector(&[0.0; 3]);
    let length = Derived::new(Function::Math(MathFn::Length), &[v3], scalar, module.clone());
    assert_eq!(length.backward(std::slice::from_ref(&zero)), [[0.0], [0.0], [0.0]]);
    let distance = Derived::new(Function::Math(MathFn::Distance), &[v3, v3], scalar, module.clone());
    assert_eq!(distance.backward(&[zero.clone(), zero.clone()]), [[0.0]; 6]);
    let normalize = Derived::new(Function::Math(MathFn::Normalize), &[v3], v3, module);
    assert_eq!(normalize.backward(std::slice::from_ref(&zero)), [[0.0; 3]; 3]);
    assert_eq!(normalize.forward(&[zero]), [[0.0; 3]; 3]);
}

#[test]
fn powers_are_right_where_logarithms_are_not() {
    assert_eq!(at(MathFn::Pow, &[0.0, 2.0]), [0.0, 0.0]);
    assert_eq!(at(MathFn::Pow, &[0.0, 1.0]), [1.0, 0.0]);
    assert_eq!(at(MathFn::Pow, &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at(MathFn::Pow, &[-2.0, 3.0]), [12.0, 0.0]);
    assert_eq!(at(MathFn::Pow, &[1e-9, 2.0])[0], 2e-9);
}

#[test]
fn fractions_are_right_near_zero() {
    assert!((at(MathFn::Rcp, &[1e-5])[0] / -1e10 - 1.0).abs() < 1e-12);
    assert!((at(MathFn::Sqrt, &[1e-14])[0] / 5e6 - 1.0).abs() < 1e-12);
    assert_eq!(at(MathFn::Fmod, &[7.5, 2.0]), [1.0, -3.0]);
    assert_eq!(at(MathFn::Fmod, &[-7.5, 2.0]), [1.0, 3.0]);
}

/// `f(x)` and its second derivative as IR: nothing may be NaN where a formula has a part that is not used.
#[test]
fn second_derivatives_have_no_nan_at_guards() {
    let module = Module::default();
    let scalar = module.types.f32();
    let v3 = module.types.vector(Scalar::F32, 3);
    let cases: [(MathFn, Vec<TypeId>, TypeId, Vec<Value>); 4] = [
        (MathFn::Pow, vec![scalar; 2], scalar, vec![Value::Float(0.0), Value::Float(3.0)]),
        (MathFn::Pow, vec![scalar; 2], scalar, vec![Value::Float(-2.0), Value::Float(3.0)]),
        (MathFn::Length, vec![v3], scalar, vec![vector(&[0.0; 3])]),
        (MathFn::Normalize, vec![v3], v3, vec![vector(&[0.0; 3])]),
    ];
    for (function, operands, result, args) in cases {
        let Derived { mut module, vjp, .. } = Derived::new(Function::Math(function), &operands, result, module.clone());
        let wanted = [(DerivativeKind::Vjp, vjp), (DerivativeKind::Jvp, vjp)];
        let made = autodiff::derivatives(&mut module, &wanted).expect("twice differentiable");
        let mut args = args;
        let ones = |ty: TypeId| map(&Value::zero(&module.types, module.types.get(ty)), &mut |_| 1.0);
        args.push(ones(result));
        let cotangents: Vec<Value> = operands.iter().map(|&ty| ones(ty)).collect();
        args.extend(cotangents);
        let mut machine = Machine::new(&module, Precision::F64, Limits::default());
        let backward = machine.call(made[0], &args).expect("it runs");
        assert!(backward.iter().flat_map(Value::floats).all(|x| !x.is_nan()), "{function:?} {backward:?}");
        args.push(ones(result));
        let forward = machine.call(made[1], &args).expect("it runs");
        assert!(forward.iter().flat_map(Value::floats).all(|x| !x.is_nan()), "{function:?} {forward:?}");
    }
}
