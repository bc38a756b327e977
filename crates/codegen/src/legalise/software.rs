//! Functions that a language does not have become functions of the program, written with those that it has.

use ir::{
    BinaryOp, Callee, Constant, Func, FuncId, Input, Intrinsic, MathFn, Module, Op, ResultSlot, Scalar, SpanId, Type,
    TypeId, UnaryOp, ValueId, builder::FuncBuilder, intrinsic::NumberOp, types::TypeTable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Capabilities;
use super::rewrite::{Rewriter, rewrite};

/// What may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Missing {
    NextAfter,
    /// Counts, searches and reversals of bits: devices have those of words of 32 bits.
    OfBits(MathFn),
    /// Whether a number is infinite or none.
    Class(MathFn),
}

/// Whether there are any, so that there are other functions to write.
pub(crate) fn write_out(module: &mut Module, functions: &[FuncId], capabilities: &Capabilities) -> bool {
    let mut written = Written::default();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let Some((missing, args, scalar)) = missing_in(w, &w.func.ops[op].op, capabilities) else {
                return w.keep(op);
            };
            let Some(&result) = w.func.ops[op].results.first() else { return w.keep(op) };
            let ty = w.ty(result);
            let call = written.call(w, missing, scalar, &args, ty);
            w.replace(op, call);
        });
    }
    !written.0.is_empty()
}

/// What `op` asks for that is missing, of which operands, and the type of their numbers.
fn missing_in(w: &Rewriter<'_>, op: &Op, capabilities: &Capabilities) -> Option<(Missing, Vec<ValueId>, Scalar)> {
    let (missing, args) = match op {
        Op::Intrinsic { intrinsic: Intrinsic::Number(NumberOp::Nextafter), args } => {
            (Missing::NextAfter, args.to_vec())
        }
        Op::Math(function, args) => match function {
            MathFn::CountBits | MathFn::FirstBitHigh | MathFn::FirstBitLow | MathFn::ReverseBits => {
                (Missing::OfBits(*function), args.to_vec())
            }
            MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite => (Missing::Class(*function), args.to_vec()),
            _ => return None,
        },
        _ => return None,
    };
    let scalar = match w.type_of(*args.first()?) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
        _ => return None,
    };
    let is_missing = match missing {
        Missing::NextAfter => !capabilities.next_after,
        Missing::OfBits(_) => !capabilities.bits_of_all_integers && scalar.bits() != 32,
        Missing::Class(_) => !capabilities.classes_of_doubles && scalar == Scalar::F64,
    };
    is_missing.then_some((missing, args, scalar))
}

/// The functions that stand for what is missing.
#[derive(Default)]
struct Written(FxHashMap<(Missing, Scalar), FuncId>);

impl Written {
    /// A call of the function, or what is made of its calls for each component.
    fn call(&mut self, w: &mut Rewriter<'_>, missing: Missing, scalar: Scalar, args: &[ValueId], ty: TypeId) -> Op {
        let Some(part) = part_type(&w.module.types, ty) else {
            let callee = *self.0.entry((missing, scalar)).or_insert_with(|| {
                let func = function(&w.module.types, missing, scalar);
                w.module.funcs.alloc(func)
            });
            return Op::Call { callee: Callee::Func(callee), args: args.iter().copied().collect(), no_diff: false };
        };
        let len = match w.module.types.get(ty) {
            Type::Vector { len, .. } => len,
            Type::Matrix { rows, .. } => rows,
            _ => 0,
        };
        let parts: SmallVec<[ValueId; 4]> = (0..u32::from(len))
            .map(|index| {
                let args: Vec<ValueId> = args
                    .iter()
                    .map(|&arg| {
                        let part = part_type(&w.module.types, w.ty(arg)).unwrap_or(part);
                        w.extract(arg, index, part)
                    })
                    .collect();
                let call = self.call(w, missing, scalar, &args, part);
                w.add(call, part)
            })
            .collect();
        Op::Make(parts)
    }
}

/// The type of the components of a vector and of the rows of a matrix; `None` for scalars.
fn part_type(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    match types.get(ty) {
        Type::Vector { scalar, .. } => Some(types.scalar(scalar)),
        Type::Matrix { scalar, cols, .. } => Some(types.intern(Type::Vector { scalar, len: cols })),
        _ => None,
    }
}

fn function(types: &TypeTable, missing: Missing, scalar: Scalar) -> Func {
    let ty = types.scalar(scalar);
    let input =
        |name: &str, place: u32| Input { name: name.into(), ty, differentiable: false, place, span: SpanId::NONE };
    let (name, inputs, result) = match missing {
        Missing::NextAfter => ("next_after", vec![input("x", 0), input("y", 1)], ty),
        Missing::OfBits(function) => (function.word(), vec![input("x", 0)], ty),
        Missing::Class(function) => (function.word(), vec![input("x", 0)], types.bool()),
    };
    let results = vec![ResultSlot::returned(result, false)];
    let name = format!("{name}_{}", scalar.word());
    let mut builder = FuncBuilder::new(types, name, inputs, results, SpanId::NONE);
    let b = &mut builder;
    let x = b.input(0);
    let result = match missing {
        Missing::NextAfter => {
            let y = b.input(1);
            next_after(b, x, y, scalar)
        }
        Missing::OfBits(function) if scalar.bits() < 32 => of_few_bits(b, function, x, scalar),
        Missing::OfBits(function) => of_two_words(b, function, x, scalar),
        Missing::Class(function) => class(b, function, x),
    };
    b.ret([result]);
    builder.finish()
}

fn integer(b: &mut FuncBuilder<'_>, value: i64, ty: TypeId) -> ValueId {
    b.constant(Constant::Int(value), ty)
}

/// Numbers of 8 and 16 bits are put into words.
fn of_few_bits(b: &mut FuncBuilder<'_>, function: MathFn, x: ValueId, scalar: Scalar) -> ValueId {
    let ty = b.ty(x);
    let (word, signed) = (b.types.scalar(Scalar::U32), b.types.scalar(Scalar::I32));
    let found = match function {
        // The first bit that differs from the sign is the same one in a wider number.
        MathFn::FirstBitHigh => {
            let wide_type = if scalar.is_signed() { signed } else { word };
            let wide = b.convert(x, wide_type);
            b.math(function, &[wide], wide_type)
        }
        MathFn::ReverseBits => {
            let wide = b.convert(x, word);
            let reversed = b.math(function, &[wide], word);
            let rest = integer(b, i64::from(32 - scalar.bits()), word);
            b.binary(BinaryOp::Shr, reversed, rest)
        }
        _ => {
            let wide = b.convert(x, word);
            let mask = integer(b, (1 << scalar.bits()) - 1, word);
            let own = b.binary(BinaryOp::And, wide, mask);
            b.math(function, &[own], word)
        }
    };
    b.convert(found, ty)
}

/// Numbers of 64 bits are taken apart into words.
fn of_two_words(b: &mut FuncBuilder<'_>, function: MathFn, x: ValueId, scalar: Scalar) -> ValueId {
    let ty = b.ty(x);
    let (word, signed, wide) = (b.types.scalar(Scalar::U32), b.types.scalar(Scalar::I32), b.types.scalar(Scalar::U64));
    let mut number = b.convert(x, wide);
    // Of a negative number the first bit that differs from the sign.
    if function == MathFn::FirstBitHigh && scalar.is_signed() {
        let zero = integer(b, 0, ty);
        let is_negative = b.binary(BinaryOp::Less, x, zero);
        let inverted = b.unary(UnaryOp::BitNot, number);
        number = b.select(is_negative, inverted, number);
    }
    let half = integer(b, 32, wide);
    let shifted = b.binary(BinaryOp::Shr, number, half);
    let (low, high) = (b.convert(number, word), b.convert(shifted, word));
    b.name(low, "low");
    b.name(high, "high");
    let (of_low, of_high) = (b.math(function, &[low], word), b.math(function, &[high], word));
    let zero = integer(b, 0, word);
    let thirty_two = integer(b, 32, word);
    let none = integer(b, i64::from(u32::MAX), word);
    match function {
        MathFn::ReverseBits => {
            let (of_low, of_high) = (b.convert(of_low, wide), b.convert(of_high, wide));
            let above = b.binary(BinaryOp::Shl, of_low, half);
            let both = b.binary(BinaryOp::Or, above, of_high);
            b.convert(both, ty)
        }
        MathFn::FirstBitHigh | MathFn::FirstBitLow => {
            let above = b.binary(BinaryOp::Add, of_high, thirty_two);
            let (in_low, in_high) = (b.binary(BinaryOp::NotEqual, low, zero), b.binary(BinaryOp::NotEqual, high, zero));
            let found = if function == MathFn::FirstBitLow {
                let otherwise = b.select(in_high, above, none);
                b.select(in_low, of_low, otherwise)
            } else {
                b.select(in_high, above, of_low)
            };
            // Nothing is found at minus one, whatever the width.
            let found = b.convert(found, signed);
            b.convert(found, ty)
        }
        _ => {
            let count = b.binary(BinaryOp::Add, of_low, of_high);
            b.convert(count, ty)
        }
    }
}

/// A float seen as an unsigned integer, in which magnitudes are in the order of the numbers.
struct Bits {
    word: TypeId,
    sign: i64,
    /// The magnitude of infinities; that of numbers is smaller, the others are none.
    infinity: i64,
}

impl Bits {
    /// Not all devices that have halves have integers of 16 bits, so that their bits are in words.
    fn of(types: &TypeTable, scalar: Scalar) -> Bits {
        match scalar {
            Scalar::F16 => Bits { word: types.scalar(Scalar::U32), sign: 1 << 15, infinity: 0x7c00 },
            Scalar::F64 => {
                let infinity = f64::INFINITY.to_bits().cast_signed();
                Bits { word: types.scalar(Scalar::U64), sign: i64::MIN, infinity }
            }
            _ => {
                let infinity = i64::from(f32::INFINITY.to_bits());
                Bits { word: types.scalar(Scalar::U32), sign: 1 << 31, infinity }
            }
        }
    }

    fn take(&self, b: &mut FuncBuilder<'_>, x: ValueId) -> ValueId {
        match b.type_of(x) {
            Type::Scalar(Scalar::F16) => {
                let single = b.types.scalar(Scalar::F32);
                let single = b.convert(x, single);
                b.math(MathFn::F32ToF16, &[single], self.word)
            }
            _ => b.value(Op::Bitcast(x), self.word),
        }
    }

    fn give(&self, b: &mut FuncBuilder<'_>, bits: ValueId, ty: TypeId) -> ValueId {
        match b.types.get(ty) {
            Type::Scalar(Scalar::F16) => {
                let single = b.types.scalar(Scalar::F32);
                let single = b.math(MathFn::F16ToF32, &[bits], single);
                b.convert(single, ty)
            }
            _ => b.value(Op::Bitcast(bits), ty),
        }
    }

    fn magnitude(&self, b: &mut FuncBuilder<'_>, bits: ValueId) -> ValueId {
        let mask = integer(b, self.sign.wrapping_sub(1), self.word);
        b.binary(BinaryOp::And, bits, mask)
    }
}

/// By bits alone, since devices may take small numbers for zero.
fn next_after(b: &mut FuncBuilder<'_>, x: ValueId, y: ValueId, scalar: Scalar) -> ValueId {
    let bits = Bits::of(b.types, scalar);
    let ty = b.ty(x);
    let (from, to) = (bits.take(b, x), bits.take(b, y));
    let (size, wanted) = (bits.magnitude(b, from), bits.magnitude(b, to));
    for (value, name) in [(from, "from"), (to, "to"), (size, "size"), (wanted, "wanted")] {
        b.name(value, name);
    }
    let (zero, one) = (integer(b, 0, bits.word), integer(b, 1, bits.word));
    let (sign, infinity) = (integer(b, bits.sign, bits.word), integer(b, bits.infinity, bits.word));
    let (is_zero, is_same) = (b.binary(BinaryOp::Equal, size, zero), b.binary(BinaryOp::Equal, from, to));
    let sum = b.binary(BinaryOp::Or, size, wanted);
    let are_zero = b.binary(BinaryOp::Equal, sum, zero);
    let is_equal = b.binary(BinaryOp::Or, is_same, are_zero);
    let (x_is_none, y_is_none) =
        (b.binary(BinaryOp::Greater, size, infinity), b.binary(BinaryOp::Greater, wanted, infinity));
    let is_none = b.binary(BinaryOp::Or, x_is_none, y_is_none);
    // Away from zero if `y` is on the same side, and farther.
    let differ = b.binary(BinaryOp::Xor, from, to);
    let differ = b.binary(BinaryOp::And, differ, sign);
    let is_same_side = b.binary(BinaryOp::Equal, differ, zero);
    let is_farther = b.binary(BinaryOp::Greater, wanted, size);
    let grows = b.binary(BinaryOp::And, is_same_side, is_farther);
    let (larger, smaller) = (b.binary(BinaryOp::Add, from, one), b.binary(BinaryOp::Sub, from, one));
    let step = b.select(grows, larger, smaller);
    let side = b.binary(BinaryOp::And, to, sign);
    let smallest = b.binary(BinaryOp::Or, side, one);
    let next = b.select(is_zero, smallest, step);
    b.name(next, "next");
    let next = bits.give(b, next, ty);
    let none = b.binary(BinaryOp::Add, x, y);
    let next = b.select(is_none, none, next);
    b.select(is_equal, y, next)
}

fn class(b: &mut FuncBuilder<'_>, function: MathFn, x: ValueId) -> ValueId {
    let bits = Bits::of(b.types, Scalar::F64);
    let taken = bits.take(b, x);
    let size = bits.magnitude(b, taken);
    let infinity = integer(b, bits.infinity, bits.word);
    let comparison = match function {
        MathFn::IsNan => BinaryOp::Greater,
        MathFn::IsInf => BinaryOp::Equal,
        _ => BinaryOp::Less,
    };
    b.binary(comparison, size, infinity)
}
