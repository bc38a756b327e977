//! What the scalar operations mean: arithmetic on scalars in slots, shared by the interpreter and constant folding.
//!
//! A slot holds a `bool` as 0 or 1, an integer sign- or zero-extended to 64 bits, and a float of *any* width as the bits
//! of an `f64`. Floats are computed in `f64` and then rounded to their width; for the basic operations and the square
//! root this is the correctly rounded result of `f32` and `f16`, since `f64` has more than twice their digits. In
//! [`Precision::F64`] nothing is rounded.

use crate::{AtomicOp, BinaryOp, Constant, Scalar, UnaryOp};
use half::f16;

/// How floats are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Each operation rounds to the width of its type, as a GPU does.
    Declared,
    /// Floats of all widths are computed in double precision: for comparing with finite differences.
    F64,
}

/// The nearest half. Conversions of the `half` crate look at the upper digits of a `f64` only; from a `f32` they are right,
/// so that what does not fit into one is rounded to an odd one first, which lies on the same side of every half.
pub fn half(value: f64) -> f16 {
    let nearest = value as f32;
    let is_exact = !nearest.is_finite() || f64::from(nearest) == value;
    if is_exact || nearest.to_bits() & 1 == 1 {
        return f16::from_f32(nearest);
    }
    let away_from_zero = f64::from(nearest).abs() > value.abs();
    let odd = if away_from_zero { nearest.to_bits() - 1 } else { nearest.to_bits() + 1 };
    f16::from_f32(f32::from_bits(odd))
}

/// Brings an integer result into the range of its type, wrapping.
pub fn wrap(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(bits != 0),
        Scalar::I8 => i64::from(bits as i8) as u64,
        Scalar::I16 => i64::from(bits as i16) as u64,
        Scalar::I32 => i64::from(bits as i32) as u64,
        Scalar::U8 => u64::from(bits as u8),
        Scalar::U16 => u64::from(bits as u16),
        Scalar::U32 => u64::from(bits as u32),
        Scalar::I64 | Scalar::U64 | Scalar::F16 | Scalar::F32 | Scalar::F64 => bits,
    }
}

/// The slot of a constant of the type.
pub fn from_constant(constant: Constant, scalar: Scalar, precision: Precision) -> u64 {
    match constant {
        Constant::Bool(value) => value.into(),
        Constant::Int(value) => wrap(scalar, value as u64),
        Constant::Float(value) => from_f64(scalar, precision, value),
    }
}

/// The constant that a slot of the type holds.
pub fn to_constant(scalar: Scalar, slot: u64) -> Constant {
    if scalar.is_float() {
        Constant::Float(to_f64(slot))
    } else if scalar == Scalar::Bool {
        Constant::Bool(slot != 0)
    } else {
        Constant::Int(slot as i64)
    }
}

/// The slot of a float of the type, rounded as `precision` says.
pub fn from_f64(scalar: Scalar, precision: Precision, value: f64) -> u64 {
    let rounded = match (precision, scalar) {
        (Precision::Declared, Scalar::F32) => f64::from(value as f32),
        (Precision::Declared, Scalar::F16) => half(value).to_f64(),
        _ => value,
    };
    rounded.to_bits()
}

/// The number that a slot of a float holds.
pub fn to_f64(slot: u64) -> f64 {
    f64::from_bits(slot)
}

/// The slot that an operation makes of a slot; both hold the type `scalar`.
pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> u64 {
    match op {
        UnaryOp::Neg if scalar.is_float() => (-to_f64(a)).to_bits(),
        UnaryOp::Neg => wrap(scalar, a.wrapping_neg()),
        UnaryOp::Not => u64::from(a == 0),
        UnaryOp::BitNot => wrap(scalar, !a),
    }
}

/// `scalar` is the type of the operands.
pub fn binary(op: BinaryOp, scalar: Scalar, precision: Precision, a: u64, b: u64) -> u64 {
    if scalar.is_float() { float_binary(op, scalar, precision, a, b) } else { int_binary(op, scalar, a, b) }
}

fn float_binary(op: BinaryOp, scalar: Scalar, precision: Precision, a: u64, b: u64) -> u64 {
    let (x, y) = (to_f64(a), to_f64(b));
    let number = |value| from_f64(scalar, precision, value);
    match op {
        BinaryOp::Add => number(x + y),
        BinaryOp::Sub => number(x - y),
        BinaryOp::Mul => number(x * y),
        BinaryOp::Div => number(x / y),
        BinaryOp::Rem => number(x % y),
        BinaryOp::Equal => u64::from(x == y),
        BinaryOp::NotEqual => u64::from(x != y),
        BinaryOp::Less => u64::from(x < y),
        BinaryOp::LessEqual => u64::from(x <= y),
        BinaryOp::Greater => u64::from(x > y),
        BinaryOp::GreaterEqual => u64::from(x >= y),
        // The verifier keeps bit operations away from floats.
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => 0,
    }
}

fn int_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    let signed = scalar.is_signed();
    let (x, y) = (a as i64, b as i64);
    // Narrow integers are shifted as 32 bits, as C and most devices do: by their width or more, nothing is left.
    let count = (b & u64::from(scalar.bits().max(32) - 1)) as u32;
    let less = if signed { x < y } else { a < b };
    match op {
        BinaryOp::Add => wrap(scalar, a.wrapping_add(b)),
        BinaryOp::Sub => wrap(scalar, a.wrapping_sub(b)),
        BinaryOp::Mul => wrap(scalar, a.wrapping_mul(b)),
        // Division by zero gives 0; the smallest number by -1 wraps.
        BinaryOp::Div if signed => wrap(scalar, x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x }) as u64),
        BinaryOp::Div => a.checked_div(b).unwrap_or(0),
        BinaryOp::Rem if signed => wrap(scalar, x.checked_rem(y).unwrap_or(0) as u64),
        BinaryOp::Rem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => wrap(scalar, a << count),
        BinaryOp::Shr if signed => wrap(scalar, (x >> count) as u64),
        BinaryOp::Shr => wrap(scalar, a >> count),
        BinaryOp::Equal => u64::from(a == b),
        BinaryOp::NotEqual => u64::from(a != b),
        BinaryOp::Less => u64::from(less),
        BinaryOp::LessEqual => u64::from(less || a == b),
        BinaryOp::Greater => u64::from(!less && a != b),
        BinaryOp::GreaterEqual => u64::from(!less),
    }
}

/// Numeric conversion. Floats to integers truncate, saturate at the ends of the range and give 0 for NaN.
pub fn convert(from: Scalar, to: Scalar, precision: Precision, slot: u64) -> u64 {
    if from.is_float() {
        let value = to_f64(slot);
        return match to {
            Scalar::Bool => u64::from(value != 0.0),
            Scalar::I8 => i64::from(value as i8) as u64,
            Scalar::I16 => i64::from(value as i16) as u64,
            Scalar::I32 => i64::from(value as i32) as u64,
            Scalar::I64 => (value as i64) as u64,
            Scalar::U8 => u64::from(value as u8),
            Scalar::U16 => u64::from(value as u16),
            Scalar::U32 => u64::from(value as u32),
            Scalar::U64 => value as u64,
            Scalar::F16 | Scalar::F32 | Scalar::F64 => from_f64(to, precision, value),
        };
    }
    if !to.is_float() {
        return wrap(to, slot);
    }
    // By way of `f64` a 64-bit integer would be rounded twice.
    let value = match (precision, to, from.is_signed()) {
        (Precision::Declared, Scalar::F32, true) => f64::from(slot as i64 as f32),
        (Precision::Declared, Scalar::F32, false) => f64::from(slot as f32),
        (_, _, true) => slot as i64 as f64,
        (_, _, false) => slot as f64,
    };
    from_f64(to, precision, value)
}

/// The bits that a scalar has in memory, in the low bits.
pub fn to_memory(scalar: Scalar, slot: u64) -> u64 {
    match scalar {
        Scalar::F16 => half(to_f64(slot)).to_bits().into(),
        Scalar::F32 => (to_f64(slot) as f32).to_bits().into(),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F64 => slot,
    }
}

/// The slot of a scalar that has these low bits in memory.
pub fn from_memory(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64().to_bits(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)).to_bits(),
        Scalar::Bool => u64::from(bits as u32 != 0),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F64 => wrap(scalar, bits),
    }
}

/// The new value of a memory cell. `operands` are one, or comparand and new value.
pub fn atomic(op: AtomicOp, scalar: Scalar, precision: Precision, old: u64, operands: &[u64]) -> u64 {
    let first = operands.first().copied().unwrap_or(0);
    let pick = |less: BinaryOp| if binary(less, scalar, precision, first, old) != 0 { first } else { old };
    match op {
        AtomicOp::Add => binary(BinaryOp::Add, scalar, precision, old, first),
        AtomicOp::And => old & first,
        AtomicOp::Or => old | first,
        AtomicOp::Xor => old ^ first,
        AtomicOp::Min => pick(BinaryOp::Less),
        AtomicOp::Max => pick(BinaryOp::Greater),
        AtomicOp::Exchange => first,
        AtomicOp::CompareExchange => {
            let equal = binary(BinaryOp::Equal, scalar, precision, old, first) != 0;
            if equal { operands.get(1).copied().unwrap_or(old) } else { old }
        }
    }
}
