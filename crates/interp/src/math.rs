//! The mathematical functions. Each is computed in `f64` and rounded once to the width of its result, which is at least
//! as accurate as any target; functions of several steps (`lerp`, `dot`, `length`, matrix products) do not round in
//! between.
//!
//! Choices at special points: `round` goes to even; `sign` and `saturate` of NaN are 0; `min` and `max` ignore NaN, as
//! IEEE 754-2008 `minNum`; `firstbithigh` and `firstbitlow` give -1 (all bits set) if there is no bit.

use half::f16;
use ir::{
    MathFn, Scalar, Type,
    number::{Precision, from_f64, to_f64, wrap},
};
use smallvec::SmallVec;

/// The floats of a vector or matrix.
type Floats = SmallVec<[f64; 16]>;

/// Operands of a function: their slots, each with its type.
pub(crate) struct Operand<'a> {
    pub ty: Type,
    pub slots: &'a [u64],
}

/// The element type of a scalar, vector or matrix.
pub(crate) fn element(ty: Type) -> Scalar {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
        // The verifier keeps other types away from arithmetic; nothing depends on this answer.
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => Scalar::U64,
    }
}

/// Appends the slots of `function(args)` to `out`. The types are what the verifier accepts.
pub(crate) fn eval(function: MathFn, precision: Precision, args: &[Operand<'_>], result: Type, out: &mut Vec<u64>) {
    let Some(first) = args.first() else { return };
    let scalar = element(first.ty);
    let slots = |index: usize| args.get(index).map_or(&[][..], |arg| arg.slots);
    let float = |index: usize, component: usize| {
        let slots = slots(index);
        slots.get(component).copied().map_or(0.0, to_f64)
    };
    let vector = |index: usize| slots(index).iter().copied().map(to_f64).collect::<Floats>();
    let put_float = |out: &mut Vec<u64>, value: f64| out.push(from_f64(element(result), precision, value));
    match kind(function) {
        Kind::Float1(f) => (0..first.slots.len()).for_each(|i| put_float(out, f(float(0, i)))),
        Kind::Float2(f) => (0..first.slots.len()).for_each(|i| put_float(out, f(float(0, i), float(1, i)))),
        Kind::Float3(f) => {
            (0..first.slots.len()).for_each(|i| put_float(out, f(float(0, i), float(1, i), float(2, i))));
        }
        Kind::Test(f) => out.extend(first.slots.iter().map(|&slot| u64::from(f(to_f64(slot))))),
        Kind::Number(f) => {
            for i in 0..first.slots.len() {
                let operands =
                    [slots(0)[i], slots(1).get(i).copied().unwrap_or(0), slots(2).get(i).copied().unwrap_or(0)];
                out.push(f(scalar, precision, operands));
            }
        }
        Kind::Dot if scalar.is_float() => put_float(out, dot(&vector(0), &vector(1))),
        Kind::Dot => {
            let products = slots(0).iter().zip(slots(1)).map(|(a, b)| a.wrapping_mul(*b));
            out.push(wrap(scalar, products.fold(0, u64::wrapping_add)));
        }
        Kind::Length => put_float(out, length(&vector(0))),
        Kind::Distance => {
            let difference: Floats = vector(0).iter().zip(vector(1)).map(|(a, b)| a - b).collect();
            put_float(out, length(&difference));
        }
        Kind::Cross => {
            let (a, b) = (vector(0), vector(1));
            for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                put_float(out, a[i] * b[j] - a[j] * b[i]);
            }
        }
        Kind::Normalize => {
            let a = vector(0);
            let length = length(&a);
            a.iter().for_each(|x| put_float(out, x / length));
        }
        Kind::Reflect => {
            let (i, n) = (vector(0), vector(1));
            let scale = 2.0 * dot(&n, &i);
            i.iter().zip(&n).for_each(|(i, n)| put_float(out, i - scale * n));
        }
        Kind::Refract => {
            let (i, n, eta) = (vector(0), vector(1), float(2, 0));
            let cos = dot(&n, &i);
            let k = 1.0 - eta * eta * (1.0 - cos * cos);
            let total_reflection = k < 0.0;
            for (i, n) in i.iter().zip(&n) {
                put_float(out, if total_reflection { 0.0 } else { eta * i - (eta * cos + k.sqrt()) * n });
            }
        }
        Kind::Faceforward => {
            let (n, i, ng) = (vector(0), vector(1), vector(2));
            let sign = if dot(&ng, &i) < 0.0 { 1.0 } else { -1.0 };
            n.iter().for_each(|n| put_float(out, sign * n));
        }
        Kind::MatMul => mat_mul(precision, args, out),
        Kind::Transpose => {
            let Type::Matrix { rows, cols, .. } = first.ty else { return };
            let (rows, cols) = (usize::from(rows), usize::from(cols));
            for col in 0..cols {
                out.extend((0..rows).map(|row| first.slots[row * cols + col]));
            }
        }
        Kind::Determinant => {
            let Type::Matrix { rows, .. } = first.ty else { return };
            put_float(out, determinant(vector(0), rows.into()));
        }
        Kind::All => out.push(first.slots.iter().all(|&slot| is_true(scalar, slot)).into()),
        Kind::Any => out.push(first.slots.iter().any(|&slot| is_true(scalar, slot)).into()),
        Kind::F16ToF32 => {
            let widen = |&slot: &u64| f16::from_bits(slot as u16).to_f64();
            first.slots.iter().map(widen).for_each(|value| put_float(out, value));
        }
        Kind::F32ToF16 => {
            out.extend(first.slots.iter().map(|&slot| u64::from(ir::number::half(to_f64(slot)).to_bits())));
        }
    }
}

/// How a function goes over its operands.
enum Kind {
    Float1(fn(f64) -> f64),
    Float2(fn(f64, f64) -> f64),
    Float3(fn(f64, f64, f64) -> f64),
    Test(fn(f64) -> bool),
    /// Component-wise on floats or integers, up to three operands.
    Number(fn(Scalar, Precision, [u64; 3]) -> u64),
    Dot,
    Length,
    Distance,
    Cross,
    Normalize,
    Reflect,
    Refract,
    Faceforward,
    MatMul,
    Transpose,
    Determinant,
    All,
    Any,
    F16ToF32,
    F32ToF16,
}

fn kind(function: MathFn) -> Kind {
    match function {
        MathFn::Acos => Kind::Float1(f64::acos),
        MathFn::Acosh => Kind::Float1(f64::acosh),
        MathFn::Asin => Kind::Float1(f64::asin),
        MathFn::Asinh => Kind::Float1(f64::asinh),
        MathFn::Atan => Kind::Float1(f64::atan),
        MathFn::Atanh => Kind::Float1(f64::atanh),
        MathFn::Ceil => Kind::Float1(f64::ceil),
        MathFn::Cos => Kind::Float1(f64::cos),
        MathFn::Cosh => Kind::Float1(f64::cosh),
        MathFn::Exp => Kind::Float1(f64::exp),
        MathFn::Exp2 => Kind::Float1(f64::exp2),
        MathFn::Floor => Kind::Float1(f64::floor),
        MathFn::Frac => Kind::Float1(|x| x - x.floor()),
        MathFn::Log => Kind::Float1(f64::ln),
        MathFn::Log10 => Kind::Float1(f64::log10),
        MathFn::Log2 => Kind::Float1(f64::log2),
        MathFn::Rcp => Kind::Float1(|x| 1.0 / x),
        MathFn::Round => Kind::Float1(f64::round_ties_even),
        MathFn::Rsqrt => Kind::Float1(|x| 1.0 / x.sqrt()),
        MathFn::Saturate => Kind::Float1(saturate),
        MathFn::Sin => Kind::Float1(f64::sin),
        MathFn::Sinh => Kind::Float1(f64::sinh),
        MathFn::Sqrt => Kind::Float1(f64::sqrt),
        MathFn::Tan => Kind::Float1(f64::tan),
        MathFn::Tanh => Kind::Float1(f64::tanh),
        MathFn::Trunc => Kind::Float1(f64::trunc),
        MathFn::Degrees => Kind::Float1(f64::to_degrees),
        MathFn::Radians => Kind::Float1(f64::to_radians),
        MathFn::Atan2 => Kind::Float2(f64::atan2),
        MathFn::Copysign => Kind::Float2(f64::copysign),
        MathFn::Fmod => Kind::Float2(|x, y| x % y),
        MathFn::Pow => Kind::Float2(f64::powf),
        MathFn::Step => Kind::Float2(|edge, x| if x >= edge { 1.0 } else { 0.0 }),
        MathFn::Lerp => Kind::Float3(|x, y, t| x + t * (y - x)),
        MathFn::Smoothstep => Kind::Float3(|low, high, x| {
            let t = saturate((x - low) / (high - low));
            t * t * (3.0 - 2.0 * t)
        }),
        MathFn::IsNan => Kind::Test(f64::is_nan),
        MathFn::IsInf => Kind::Test(f64::is_infinite),
        MathFn::IsFinite => Kind::Test(f64::is_finite),
        MathFn::Abs => Kind::Number(|scalar, _, [a, ..]| {
            if scalar.is_float() {
                to_f64(a).abs().to_bits()
            } else if scalar.is_signed() {
                wrap(scalar, (a as i64).unsigned_abs())
            } else {
                a
            }
        }),
        MathFn::Sign => Kind::Number(|scalar, _, [a, ..]| {
            if scalar.is_float() {
                let x = to_f64(a);
                f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)).to_bits()
            } else if scalar.is_signed() {
                (a as i64).signum() as u64
            } else {
                u64::from(a > 0)
            }
        }),
        MathFn::Max => Kind::Number(|scalar, _, [a, b, _]| max(scalar, a, b)),
        MathFn::Min => Kind::Number(|scalar, _, [a, b, _]| min(scalar, a, b)),
        MathFn::Clamp => Kind::Number(|scalar, _, [x, low, high]| min(scalar, max(scalar, x, low), high)),
        MathFn::Fma => Kind::Number(fma),
        MathFn::CountBits => Kind::Number(|scalar, _, [a, ..]| u64::from(bits(scalar, a).count_ones())),
        MathFn::FirstBitHigh => Kind::Number(|scalar, _, [a, ..]| {
            // Of a negative number the first bit that differs from the sign.
            let significant = if scalar.is_signed() && (a as i64) < 0 { bits(scalar, !a) } else { bits(scalar, a) };
            wrap(scalar, significant.checked_ilog2().map_or(u64::MAX, u64::from))
        }),
        MathFn::FirstBitLow => Kind::Number(|scalar, _, [a, ..]| {
            let found = bits(scalar, a);
            if found == 0 { wrap(scalar, u64::MAX) } else { found.trailing_zeros().into() }
        }),
        MathFn::ReverseBits => {
            Kind::Number(|scalar, _, [a, ..]| wrap(scalar, bits(scalar, a).reverse_bits() >> (64 - scalar.bits())))
        }
        MathFn::Dot => Kind::Dot,
        MathFn::Length => Kind::Length,
        MathFn::Distance => Kind::Distance,
        MathFn::Cross => Kind::Cross,
        MathFn::Normalize => Kind::Normalize,
        MathFn::Reflect => Kind::Reflect,
        MathFn::Refract => Kind::Refract,
        MathFn::Faceforward => Kind::Faceforward,
        MathFn::MatMul => Kind::MatMul,
        MathFn::Transpose => Kind::Transpose,
        MathFn::Determinant => Kind::Determinant,
        MathFn::All => Kind::All,
        MathFn::Any => Kind::Any,
        MathFn::F16ToF32 => Kind::F16ToF32,
        MathFn::F32ToF16 => Kind::F32ToF16,
    }
}

/// Just the bits that the type has.
fn bits(scalar: Scalar, slot: u64) -> u64 {
    slot & (u64::MAX >> (64 - scalar.bits()))
}

fn is_true(scalar: Scalar, slot: u64) -> bool {
    if scalar.is_float() { to_f64(slot) != 0.0 } else { slot != 0 }
}

fn max(scalar: Scalar, a: u64, b: u64) -> u64 {
    if scalar.is_float() {
        to_f64(a).max(to_f64(b)).to_bits()
    } else if scalar.is_signed() {
        (a as i64).max(b as i64) as u64
    } else {
        a.max(b)
    }
}

fn min(scalar: Scalar, a: u64, b: u64) -> u64 {
    if scalar.is_float() {
        to_f64(a).min(to_f64(b)).to_bits()
    } else if scalar.is_signed() {
        (a as i64).min(b as i64) as u64
    } else {
        a.min(b)
    }
}

fn fma(scalar: Scalar, precision: Precision, [a, b, c]: [u64; 3]) -> u64 {
    if !scalar.is_float() {
        return wrap(scalar, a.wrapping_mul(b).wrapping_add(c));
    }
    let (a, b, c) = (to_f64(a), to_f64(b), to_f64(c));
    match (precision, scalar) {
        // The sum in `f64` would be rounded twice.
        (Precision::Declared, Scalar::F32) => f64::from((a as f32).mul_add(b as f32, c as f32)).to_bits(),
        _ => from_f64(scalar, precision, a.mul_add(b, c)),
    }
}

fn saturate(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Products of (matrix, vector), (vector, matrix) and (matrix, matrix): a vector on the left is one row, on the right
/// one column.
fn mat_mul(precision: Precision, args: &[Operand<'_>], out: &mut Vec<u64>) {
    let [left, right] = args else { return };
    let scalar = element(left.ty);
    let (rows, inner) = match left.ty {
        Type::Matrix { rows, cols, .. } => (usize::from(rows), usize::from(cols)),
        _ => (1, left.slots.len()),
    };
    let cols = match right.ty {
        Type::Matrix { cols, .. } => usize::from(cols),
        _ => 1,
    };
    for row in 0..rows {
        for col in 0..cols {
            let pairs = (0..inner).map(|k| (left.slots[row * inner + k], right.slots[k * cols + col]));
            out.push(if scalar.is_float() {
                from_f64(scalar, precision, pairs.map(|(a, b)| to_f64(a) * to_f64(b)).sum())
            } else {
                wrap(scalar, pairs.map(|(a, b)| a.wrapping_mul(b)).fold(0, u64::wrapping_add))
            });
        }
    }
}

/// By elimination with pivots: matrices are at most 4 x 4.
fn determinant(mut m: Floats, size: usize) -> f64 {
    let mut product = 1.0;
    for col in 0..size {
        let pivot = (col..size).max_by(|&a, &b| m[a * size + col].abs().total_cmp(&m[b * size + col].abs()));
        let Some(pivot) = pivot else { return product };
        if m[pivot * size + col] == 0.0 {
            return 0.0;
        }
        if pivot != col {
            product = -product;
            for k in 0..size {
                m.swap(pivot * size + k, col * size + k);
            }
        }
        product *= m[col * size + col];
        for row in col + 1..size {
            let factor = m[row * size + col] / m[col * size + col];
            for k in col..size {
                m[row * size + k] -= factor * m[col * size + k];
            }
        }
    }
    product
}
