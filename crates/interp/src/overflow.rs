//! Which operations overflow: make of finite numbers what is not finite, because the result, or a sum or product on the
//! way to it, is too large for `f64`.
//!
//! Poles and the ends of domains are something else: `1 / 0` and `sqrt(-1)` are not finite in mathematics either, and a
//! derivative that meets one is wrong or lies at a kink. An overflow only says that the numbers on the way have left what
//! `f64` can hold, after which zero times infinity is not a number although the true product is zero.

use ir::{BinaryOp, MathFn, Op, ValueId};

/// Whether `op`, whose result has a number that is not finite, overflowed.
pub(crate) fn is_overflow<'a>(op: &Op, slots: impl Fn(ValueId) -> &'a [u64]) -> bool {
    let is_finite = |value: &ValueId| slots(*value).iter().all(|&slot| f64::from_bits(slot).is_finite());
    let is_nonzero = |value: &ValueId| slots(*value).iter().all(|&slot| f64::from_bits(slot) != 0.0);
    match op {
        Op::Binary(BinaryOp::Div, a, b) => is_finite(a) && is_finite(b) && is_nonzero(b),
        Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => is_finite(a) && is_finite(b),
        Op::Math(function, args) => is_total(*function) && args.iter().all(is_finite),
        _ => false,
    }
}

/// Whether a function is finite wherever its arguments are, and only rounding or range can make it something else.
fn is_total(function: MathFn) -> bool {
    use MathFn::*;
    match function {
        Abs | Asinh | Atan | Atan2 | Ceil | Copysign | Cos | Cosh | Cross | Degrees | Determinant | Distance | Dot
        | Exp | Exp2 | Faceforward | Floor | Fma | Frac | Length | Lerp | MatMul | Radians | Reflect | Round
        | Saturate | Sign | Sin | Sinh | Step | Tanh | Transpose | Trunc | Clamp | Max | Min => true,
        Acos | Acosh | Asin | Atanh | Fmod | Log | Log10 | Log2 | Normalize | Pow | Rcp | Refract | Rsqrt
        | Smoothstep | Sqrt | Tan => false,
        // Not float functions of floats.
        IsNan | IsInf | IsFinite | All | Any | CountBits | FirstBitHigh | FirstBitLow | ReverseBits | F16ToF32
        | F32ToF16 => false,
    }
}
