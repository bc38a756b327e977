//! Operand and result types of each op, as its documentation states them.

use std::ops::RangeInclusive;

use super::{
    Rule,
    body::BodyVerifier,
    signature::{callee_signature, contains_func},
};
use crate::{
    AtomicOp, BinaryOp, Builtin, Callee, Constant, DerivativeKind, HandleType, Intrinsic, MathFn, Op, OpData, PathStep,
    Scalar, Type, TypeId, UnaryOp, ValueId,
    intrinsic::{ANY, Derivative},
};

/// The element type and the number of scalars of a scalar, vector or matrix.
fn numeric(ty: Type) -> Option<(Scalar, u32)> {
    match ty {
        Type::Scalar(scalar) => Some((scalar, 1)),
        Type::Vector { scalar, len } => Some((scalar, len.into())),
        Type::Matrix { scalar, rows, cols } => Some((scalar, u32::from(rows) * u32::from(cols))),
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
    }
}

/// Whether the bits of one type can be taken for the other: as many bits of numbers, or a pointer and its address.
pub fn bitcast_fits(from: Type, to: Type) -> bool {
    let bits = |ty| numeric(ty).map(|(scalar, count)| scalar.bits() * count);
    let is_pointer = |ty| matches!(ty, Type::Handle(HandleType::Pointer { .. } | HandleType::Address { .. }));
    let is_address = |ty| matches!(ty, Type::Scalar(Scalar::U64 | Scalar::I64));
    (bits(to).is_some() && bits(to) == bits(from))
        || (is_pointer(to) && is_address(from))
        || (is_address(to) && is_pointer(from))
}

/// The type of the shape of `ty` with another element.
fn with_scalar(ty: Type, scalar: Scalar) -> Option<Type> {
    match ty {
        Type::Scalar(_) => Some(Type::Scalar(scalar)),
        Type::Vector { len, .. } => Some(Type::Vector { scalar, len }),
        Type::Matrix { rows, cols, .. } => Some(Type::Matrix { scalar, rows, cols }),
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
    }
}

fn is_opaque(ty: Type) -> bool {
    matches!(ty, Type::Opaque(_))
}

fn is_float(ty: Type) -> bool {
    numeric(ty).is_some_and(|(scalar, _)| scalar.is_float())
}

fn is_integer(ty: Type) -> bool {
    numeric(ty).is_some_and(|(scalar, _)| scalar.is_integer())
}

fn is_bool(ty: Type) -> bool {
    numeric(ty).is_some_and(|(scalar, _)| scalar == Scalar::Bool)
}

fn is_vector_or_scalar(ty: Type) -> bool {
    matches!(ty, Type::Scalar(_) | Type::Vector { .. })
}

const BOOL: Type = Type::Scalar(Scalar::Bool);
const U32: Type = Type::Scalar(Scalar::U32);

pub(super) fn verify_op(v: &mut BodyVerifier<'_>, data: &OpData) {
    match &data.op {
        Op::Store { handle, path, value } => {
            result_count(v, data, 0);
            place(v, *handle, path, *value);
            writable(v, *handle);
        }
        Op::ByteStore { handle, offset, .. } => {
            result_count(v, data, 0);
            byte_address(v, *handle, *offset);
            writable(v, *handle);
        }
        Op::Barrier { .. } | Op::Print { .. } => result_count(v, data, 0),
        Op::Intrinsic { intrinsic, args } => verify_intrinsic(v, *intrinsic, args, data),
        Op::Call { callee, args, .. } => call(v, *callee, args, &data.results),
        Op::If { cond, then, otherwise } => {
            operand(v, *cond, v.type_of(*cond) == BOOL, "a bool");
            region_params(v, *then, &[]);
            region_params(v, *otherwise, &[]);
        }
        Op::Switch { selector, cases, default } => {
            let ty = v.type_of(*selector);
            operand(v, *selector, matches!(ty, Type::Scalar(scalar) if scalar.is_integer()), "an integer");
            let mut values: Vec<i64> = cases.iter().flat_map(|(values, _)| values.iter().copied()).collect();
            values.sort_unstable();
            if let Some(pair) = values.windows(2).find(|pair| pair[0] == pair[1]) {
                v.wrong(Rule::Regions, format!("two cases for {}", pair[0]));
            }
            for (_, region) in cases {
                region_params(v, *region, &[]);
            }
            region_params(v, *default, &[]);
        }
        Op::Loop { init, cond, body, .. } => {
            let types: Vec<TypeId> = init.iter().map(|&value| v.func.ty(value)).collect();
            region_params(v, *cond, &types);
            region_params(v, *body, &types);
            let results: Vec<TypeId> = data.results.iter().map(|&value| v.func.ty(value)).collect();
            if results != types {
                v.wrong(Rule::Results, "the results of a loop are not of the types of what it starts with".into());
            }
        }
        Op::SumMatch { sum, variants, null } => {
            let Type::Sum(id) = v.type_of(*sum) else {
                wrong_operand(v, *sum, "a sum");
                return;
            };
            let types: Vec<TypeId> = v.module.types.sums[id].variants.iter().map(|variant| variant.ty).collect();
            if types.len() != variants.len() {
                v.wrong(Rule::Regions, format!("{} regions for {} variants", variants.len(), types.len()));
                return;
            }
            for (&region, ty) in variants.iter().zip(types) {
                region_params(v, region, &[ty]);
            }
            if null.is_some() != v.module.types.sum_has_null(id) {
                v.wrong(Rule::Regions, "a region for null just if the sum can be null".into());
            }
            if let Some(null) = null {
                region_params(v, *null, &[]);
            }
        }
        op => {
            result_count(v, data, 1);
            if let [result] = data.results[..] {
                verify_value(v, op, result);
            }
        }
    }
}

/// The count of operands and results, and that no derivative is lost where the table says that there is none.
fn verify_intrinsic(v: &mut BodyVerifier<'_>, intrinsic: Intrinsic, args: &[ValueId], data: &OpData) {
    let facts = intrinsic.facts();
    let is_in = |count: usize, range: &RangeInclusive<u8>| {
        count >= (*range.start()).into() && (*range.end() == ANY || count <= (*range.end()).into())
    };
    if !is_in(args.len(), &facts.operands) {
        v.wrong(Rule::Operands, format!("`{intrinsic}` has {} operands", args.len()));
    }
    if !is_in(data.results.len(), &facts.results) {
        v.wrong(Rule::Results, format!("`{intrinsic}` has {} results", data.results.len()));
    }
    let carry = |values: &[ValueId]| values.iter().any(|&value| v.module.types.is_differentiable(v.func.ty(value)));
    if facts.derivative == Derivative::None && carry(args) && carry(&data.results) {
        v.wrong(Rule::Results, format!("`{intrinsic}` loses a derivative"));
    }
}

fn result_count(v: &mut BodyVerifier<'_>, data: &OpData, wanted: usize) {
    if data.results.len() != wanted {
        v.wrong(Rule::Results, format!("an op has {} results, wanted are {wanted}", data.results.len()));
    }
}

/// Ops with one result.
fn verify_value(v: &mut BodyVerifier<'_>, op: &Op, result: ValueId) {
    let result_id = v.func.ty(result);
    let ty = v.module.types.get(result_id);
    match op {
        Op::Const(constant) => verify_constant(v, *constant, ty),
        Op::Zero | Op::Undef => {}
        Op::Unary(op, a) => unary(v, *op, *a, result),
        Op::Binary(op, a, b) => binary(v, *op, *a, *b, result),
        Op::Math(function, args) => math(v, *function, args, result),
        Op::Convert(a) => {
            let fits = match (with_scalar(v.type_of(*a), Scalar::Bool), with_scalar(ty, Scalar::Bool)) {
                (Some(from), Some(to)) => from == to,
                _ => is_opaque(ty) || is_opaque(v.type_of(*a)),
            };
            operand(v, *a, fits, "numbers of the result's shape");
        }
        Op::Bitcast(a) => {
            let fits = bitcast_fits(v.type_of(*a), ty);
            operand(v, *a, fits, "numbers of the result's size");
        }
        Op::Select { cond, then, otherwise } => select(v, *cond, [*then, *otherwise], result),
        Op::Detach(a) | Op::Forget(a) => operand(v, *a, v.func.ty(*a) == result_id, "of the result's type"),
        Op::Make(parts) => make(v, parts, result),
        Op::Splat(a) => {
            let fits = match ty {
                Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => v.type_of(*a) == Type::Scalar(scalar),
                Type::Array { element, .. } => v.func.ty(*a) == element,
                Type::Scalar(_) | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
            };
            operand(v, *a, fits, "the element of the result");
        }
        Op::Extract { aggregate, path } => {
            part(v, *aggregate, path, result);
        }
        Op::Insert { aggregate, path, value } => {
            part(v, *aggregate, path, *value);
            operand(v, *aggregate, v.func.ty(*aggregate) == result_id, "of the result's type");
        }
        Op::Swizzle { vector, components } => swizzle(v, *vector, components, result),
        Op::Global(global) => {
            if global.into_raw().into_u32() as usize >= v.module.globals.len() {
                v.wrong(Rule::Id, "a global that does not exist".into());
            } else {
                wanted_result(v, result, v.module.globals[*global].ty == result_id, "global");
            }
        }
        Op::Builtin(builtin) => {
            let fits = match builtin {
                Builtin::DispatchThreadId | Builtin::GroupThreadId | Builtin::GroupId => {
                    ty == Type::Vector { scalar: Scalar::U32, len: 3 }
                }
                Builtin::GroupIndex => ty == U32,
            };
            wanted_result(v, result, fits, builtin.word());
        }
        Op::Load { handle, path } => place(v, *handle, path, result),
        Op::Atomic { op, handle, path, operands } => {
            place(v, *handle, path, result);
            writable(v, *handle);
            atomic(v, *op, operands, result);
        }
        Op::ByteLoad { handle, offset } => byte_address(v, *handle, *offset),
        Op::ByteAtomic { op, handle, offset, operands } => {
            byte_address(v, *handle, *offset);
            writable(v, *handle);
            atomic(v, *op, operands, result);
        }
        Op::BufferLength { handle } => {
            let fits = matches!(
                v.type_of(*handle),
                Type::Handle(
                    HandleType::StructuredBuffer { .. }
                        | HandleType::ByteAddressBuffer { .. }
                        | HandleType::TexelBuffer { .. }
                )
            );
            operand(v, *handle, fits, "a buffer");
            wanted_result(v, result, ty == U32, "buffer_length");
        }
        Op::SumMake { variant, value } => {
            let Type::Sum(id) = ty else { return wrong_result(v, result, "sum_make") };
            match v.module.types.sums[id].variants.get(*variant as usize) {
                Some(variant) => operand(v, *value, v.func.ty(*value) == variant.ty, "of the variant's type"),
                None => v.wrong(Rule::Operands, format!("the sum has no variant {variant}")),
            }
        }
        Op::SumTag(sum) => {
            operand(v, *sum, matches!(v.type_of(*sum), Type::Sum(_)), "a sum");
            wanted_result(v, result, ty == U32, "sum_tag");
        }
        // Without a result, or with as many as something else says.
        Op::Intrinsic { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::SumMatch { .. }
        | Op::Store { .. }
        | Op::ByteStore { .. }
        | Op::Barrier { .. }
        | Op::Print { .. } => {}
    }
}

fn swizzle(v: &mut BodyVerifier<'_>, vector: ValueId, components: &[u8], result: ValueId) {
    let ty = v.type_of(result);
    let (scalar, len) = match v.type_of(vector) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector { scalar, len } => (scalar, len),
        _ => return wrong_operand(v, vector, "a vector or scalar"),
    };
    if components.iter().any(|&component| component >= len) || !(1..=4).contains(&components.len()) {
        v.wrong(Rule::Operands, format!("the components of a swizzle of {len} components do not fit"));
        return;
    }
    let fits = match components.len() {
        1 => ty == Type::Scalar(scalar),
        count => ty == Type::Vector { scalar, len: count as u8 },
    };
    wanted_result(v, result, fits, "swizzle");
}

fn select(v: &mut BodyVerifier<'_>, cond: ValueId, [then, otherwise]: [ValueId; 2], result: ValueId) {
    let result_id = v.func.ty(result);
    let ty = v.module.types.get(result_id);
    operand(v, then, v.func.ty(then) == result_id, "of the result's type");
    operand(v, otherwise, v.func.ty(otherwise) == result_id, "of the result's type");
    let cond_type = v.type_of(cond);
    let fits = cond_type == BOOL || with_scalar(ty, Scalar::Bool) == Some(cond_type);
    operand(v, cond, fits, "a bool, or bools of the operands' shape");
}

fn unary(v: &mut BodyVerifier<'_>, op: UnaryOp, a: ValueId, result: ValueId) {
    let result_id = v.func.ty(result);
    let ty = v.module.types.get(result_id);
    let fits = is_opaque(ty)
        || match op {
            UnaryOp::Neg => is_float(ty) || is_integer(ty),
            UnaryOp::Not => is_bool(ty),
            UnaryOp::BitNot => is_integer(ty),
        };
    operand(v, a, v.func.ty(a) == result_id, "of the result's type");
    wanted_result(v, result, fits, op.word());
}

fn operand(v: &mut BodyVerifier<'_>, value: ValueId, fits: bool, wanted: &str) {
    if !fits {
        wrong_operand(v, value, wanted);
    }
}

fn wrong_operand(v: &mut BodyVerifier<'_>, value: ValueId, wanted: &str) {
    let (name, ty) = (v.name(value), v.type_text(v.func.ty(value)));
    v.wrong(Rule::Operands, format!("the operand {name} of type {ty} is not {wanted}"));
}

fn wanted_result(v: &mut BodyVerifier<'_>, value: ValueId, fits: bool, op: &str) {
    if !fits {
        wrong_result(v, value, op);
    }
}

fn wrong_result(v: &mut BodyVerifier<'_>, value: ValueId, op: &str) {
    let (name, ty) = (v.name(value), v.type_text(v.func.ty(value)));
    v.wrong(Rule::Results, format!("`{op}` cannot have the result {name} of type {ty}"));
}

fn verify_constant(v: &mut BodyVerifier<'_>, constant: Constant, ty: Type) {
    let fits = match (constant, ty) {
        (Constant::Bool(_), Type::Scalar(Scalar::Bool)) => true,
        (Constant::Float(_), Type::Scalar(scalar)) => scalar.is_float(),
        (Constant::Int(value), Type::Scalar(scalar)) => match scalar {
            Scalar::I8 => i8::try_from(value).is_ok(),
            Scalar::I16 => i16::try_from(value).is_ok(),
            Scalar::I32 => i32::try_from(value).is_ok(),
            Scalar::U8 => u8::try_from(value).is_ok(),
            Scalar::U16 => u16::try_from(value).is_ok(),
            Scalar::U32 => u32::try_from(value).is_ok(),
            Scalar::I64 | Scalar::U64 => true,
            Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => false,
        },
        _ => false,
    };
    if !fits {
        v.wrong(Rule::Constant, format!("the constant {constant:?} is no {ty:?}"));
    }
}

fn binary(v: &mut BodyVerifier<'_>, op: BinaryOp, a: ValueId, b: ValueId, result: ValueId) {
    let id = v.func.ty(a);
    let ty = v.module.types.get(id);
    let fits = is_opaque(ty)
        || match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                is_float(ty) || is_integer(ty)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => is_bool(ty) || is_integer(ty),
            BinaryOp::Shl | BinaryOp::Shr => is_integer(ty),
            BinaryOp::Equal | BinaryOp::NotEqual => numeric(ty).is_some(),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                is_float(ty) || is_integer(ty)
            }
        };
    operand(v, a, fits, &format!("what `{}` works on", op.word()));
    operand(v, b, v.func.ty(b) == id, "of the type of the other operand");
    let fits = if op.is_comparison() {
        let result = v.type_of(result);
        with_scalar(ty, Scalar::Bool).map_or(result == BOOL, |wanted| wanted == result)
    } else {
        v.func.ty(result) == id
    };
    wanted_result(v, result, fits, op.word());
}

/// What a mathematical function works on.
enum MathShape {
    /// Component-wise on `count` operands of the result's type, which `accepts`.
    Same {
        count: usize,
        accepts: fn(Type) -> bool,
    },
    /// Component-wise from floats to bools.
    Classify,
    /// Vectors or scalars, all of one type, to the scalar.
    Reduce {
        count: usize,
    },
    Refract,
    MatMul,
    Transpose,
    Determinant,
    /// Anything of scalars to a bool.
    ToBool,
    /// Component-wise on scalars and vectors between unsigned integers, which hold a half, and floats, both of 32 bits.
    Pack {
        from: Scalar,
        to: Scalar,
    },
}

fn is_number(ty: Type) -> bool {
    is_float(ty) || is_integer(ty)
}

fn is_signed(ty: Type) -> bool {
    numeric(ty).is_some_and(|(scalar, _)| scalar.is_signed())
}

fn is_float_vector(ty: Type) -> bool {
    is_float(ty) && is_vector_or_scalar(ty)
}

fn is_float3(ty: Type) -> bool {
    matches!(ty, Type::Vector { scalar, len: 3 } if scalar.is_float())
}

fn math_shape(function: MathFn) -> MathShape {
    let same = |count, accepts| MathShape::Same { count, accepts };
    match function {
        MathFn::Abs => same(1, is_number),
        MathFn::Sign => same(1, is_signed),
        MathFn::Acos
        | MathFn::Acosh
        | MathFn::Asin
        | MathFn::Asinh
        | MathFn::Atan
        | MathFn::Atanh
        | MathFn::Ceil
        | MathFn::Cos
        | MathFn::Cosh
        | MathFn::Exp
        | MathFn::Exp2
        | MathFn::Floor
        | MathFn::Frac
        | MathFn::Log
        | MathFn::Log10
        | MathFn::Log2
        | MathFn::Rcp
        | MathFn::Round
        | MathFn::Rsqrt
        | MathFn::Saturate
        | MathFn::Sin
        | MathFn::Sinh
        | MathFn::Sqrt
        | MathFn::Tan
        | MathFn::Tanh
        | MathFn::Trunc
        | MathFn::Degrees
        | MathFn::Radians => same(1, is_float),
        MathFn::Max | MathFn::Min => same(2, is_number),
        MathFn::Atan2 | MathFn::Copysign | MathFn::Fmod | MathFn::Pow | MathFn::Step => same(2, is_float),
        MathFn::Clamp | MathFn::Fma => same(3, is_number),
        MathFn::Lerp | MathFn::Smoothstep => same(3, is_float),
        MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite => MathShape::Classify,
        MathFn::Dot | MathFn::Distance => MathShape::Reduce { count: 2 },
        MathFn::Length => MathShape::Reduce { count: 1 },
        MathFn::Cross => same(2, is_float3),
        MathFn::Normalize => same(1, is_float_vector),
        MathFn::Reflect => same(2, is_float_vector),
        MathFn::Faceforward => same(3, is_float_vector),
        MathFn::Refract => MathShape::Refract,
        MathFn::MatMul => MathShape::MatMul,
        MathFn::Transpose => MathShape::Transpose,
        MathFn::Determinant => MathShape::Determinant,
        MathFn::All | MathFn::Any => MathShape::ToBool,
        MathFn::CountBits | MathFn::FirstBitHigh | MathFn::FirstBitLow | MathFn::ReverseBits => same(1, is_integer),
        MathFn::F16ToF32 => MathShape::Pack { from: Scalar::U32, to: Scalar::F32 },
        MathFn::F32ToF16 => MathShape::Pack { from: Scalar::F32, to: Scalar::U32 },
    }
}

fn math(v: &mut BodyVerifier<'_>, function: MathFn, args: &[ValueId], result: ValueId) {
    let types: Vec<Type> = args.iter().map(|&arg| v.type_of(arg)).collect();
    let ty = v.type_of(result);
    let fits = match math_shape(function) {
        MathShape::Same { count, accepts } => {
            types.len() == count && types.iter().all(|&arg| arg == ty) && (accepts(ty) || is_opaque(ty))
        }
        MathShape::Classify => match types[..] {
            [arg] => is_float(arg) && with_scalar(arg, Scalar::Bool) == Some(ty),
            _ => false,
        },
        MathShape::Reduce { count } => {
            types.len() == count
                && types.iter().all(|&arg| {
                    arg == types[0]
                        && is_vector_or_scalar(arg)
                        && (is_float(arg) || function == MathFn::Dot && is_integer(arg))
                        && numeric(arg).map(|(scalar, _)| Type::Scalar(scalar)) == Some(ty)
                })
        }
        MathShape::Refract => match types[..] {
            [i, n, eta] => {
                i == ty
                    && n == ty
                    && is_float_vector(ty)
                    && numeric(ty).map(|(scalar, _)| Type::Scalar(scalar)) == Some(eta)
            }
            _ => false,
        },
        MathShape::MatMul => match types[..] {
            [Type::Matrix { scalar, rows, cols }, Type::Vector { scalar: other, len }] => {
                scalar == other && cols == len && ty == Type::Vector { scalar, len: rows }
            }
            [Type::Vector { scalar: other, len }, Type::Matrix { scalar, rows, cols }] => {
                scalar == other && rows == len && ty == Type::Vector { scalar, len: cols }
            }
            [Type::Matrix { scalar, rows, cols: inner }, Type::Matrix { scalar: other, rows: other_inner, cols }] => {
                scalar == other && inner == other_inner && ty == Type::Matrix { scalar, rows, cols }
            }
            _ => false,
        },
        MathShape::Transpose => match types[..] {
            [Type::Matrix { scalar, rows, cols }] => ty == Type::Matrix { scalar, rows: cols, cols: rows },
            _ => false,
        },
        MathShape::Determinant => match types[..] {
            [Type::Matrix { scalar, rows, cols }] => rows == cols && scalar.is_float() && ty == Type::Scalar(scalar),
            _ => false,
        },
        MathShape::ToBool => types.len() == 1 && numeric(types[0]).is_some() && ty == BOOL,
        MathShape::Pack { from, to } => match types[..] {
            [arg] => {
                is_vector_or_scalar(arg)
                    && numeric(arg).is_some_and(|(scalar, _)| scalar == from)
                    && with_scalar(arg, to) == Some(ty)
            }
            _ => false,
        },
    };
    if !fits {
        let args: Vec<String> = args.iter().map(|&arg| v.type_text(v.func.ty(arg))).collect();
        let result = v.type_text(v.func.ty(result));
        let message = format!("`{}` does not take ({}) to {result}", function.word(), args.join(", "));
        v.wrong(Rule::Operands, message);
    }
}

fn make(v: &mut BodyVerifier<'_>, parts: &[ValueId], result: ValueId) {
    let given: Vec<Type> = parts.iter().map(|&part| v.type_of(part)).collect();
    let types = &v.module.types;
    let wanted: Vec<Type> = match v.type_of(result) {
        Type::Struct(id) => types.structs[id].fields.iter().map(|field| types.get(field.ty)).collect(),
        Type::Array { element, len } if len as usize == parts.len() => vec![types.get(element); parts.len()],
        Type::Vector { scalar, len } => vec![Type::Scalar(scalar); len.into()],
        Type::Matrix { scalar, rows, cols } => vec![Type::Vector { scalar, len: cols }; rows.into()],
        Type::Array { .. } | Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
            return wrong_result(v, result, "make");
        }
    };
    if given != wanted {
        let parts: Vec<String> = parts.iter().map(|&part| v.type_text(v.func.ty(part))).collect();
        let result = v.type_text(v.func.ty(result));
        v.wrong(Rule::Operands, format!("`make` does not make {result} from ({})", parts.join(", ")));
    }
}

fn indices(v: &mut BodyVerifier<'_>, path: &[PathStep]) {
    for &step in path {
        match step {
            PathStep::Const(_) => {}
            PathStep::Dynamic(index) => {
                let fits = matches!(v.type_of(index), Type::Scalar(scalar) if scalar.is_integer());
                operand(v, index, fits, "an integer index");
            }
        }
    }
}

/// `value` is of the type of the part of an aggregate.
fn part(v: &mut BodyVerifier<'_>, aggregate: ValueId, path: &[PathStep], value: ValueId) {
    indices(v, path);
    let is_aggregate = !matches!(v.type_of(aggregate), Type::Handle(_));
    path_leads_to(v, aggregate, path, value, is_aggregate && !path.is_empty());
}

/// `value` is of the type of a place in memory.
fn place(v: &mut BodyVerifier<'_>, handle: ValueId, path: &[PathStep], value: ValueId) {
    indices(v, path);
    let is_handle = matches!(v.type_of(handle), Type::Handle(_));
    path_leads_to(v, handle, path, value, is_handle);
}

fn path_leads_to(v: &mut BodyVerifier<'_>, from: ValueId, path: &[PathStep], value: ValueId, may_start: bool) {
    let reached = v.module.types.part_type(v.func.ty(from), path).filter(|_| may_start);
    if reached != Some(v.type_of(value)) {
        let (name, from) = (v.name(from), v.type_text(v.func.ty(from)));
        let value = v.type_text(v.func.ty(value));
        v.wrong(Rule::Operands, format!("the path from {name} of type {from} does not lead to {value}"));
    }
}

fn writable(v: &mut BodyVerifier<'_>, handle: ValueId) {
    let writable = match v.type_of(handle) {
        Type::Handle(handle) => match handle {
            HandleType::StructuredBuffer { writable, .. }
            | HandleType::ByteAddressBuffer { writable }
            | HandleType::TexelBuffer { writable, .. }
            | HandleType::Texture { writable, .. } => writable,
            HandleType::Variable { .. } | HandleType::Pointer { .. } | HandleType::Address { .. } => true,
            HandleType::ConstantBuffer { .. }
            | HandleType::Sampler { .. }
            | HandleType::AccelerationStructure
            | HandleType::RayQuery { .. } => false,
        },
        _ => false,
    };
    operand(v, handle, writable, "writable memory");
}

fn byte_address(v: &mut BodyVerifier<'_>, handle: ValueId, offset: ValueId) {
    let fits = matches!(v.type_of(handle), Type::Handle(HandleType::ByteAddressBuffer { .. }));
    operand(v, handle, fits, "a byte-address buffer");
    let fits = matches!(v.type_of(offset), Type::Scalar(scalar) if scalar.is_integer());
    operand(v, offset, fits, "a byte offset");
}

fn atomic(v: &mut BodyVerifier<'_>, op: AtomicOp, operands: &[ValueId], result: ValueId) {
    let (count, integers_only) = match op {
        AtomicOp::Add | AtomicOp::Min | AtomicOp::Max | AtomicOp::Exchange => (1, false),
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => (1, true),
        AtomicOp::CompareExchange => (2, false),
    };
    if operands.len() != count {
        v.wrong(Rule::Operands, format!("`atomic {}` has {} operands", op.word(), operands.len()));
    }
    for &value in operands {
        operand(v, value, v.func.ty(value) == v.func.ty(result), "of the result's type");
    }
    // Atomics on vectors exist for float addition only; that they are scalars otherwise is each target's business.
    let ty = v.type_of(result);
    wanted_result(v, result, if integers_only { is_integer(ty) } else { is_number(ty) }, op.word());
}

fn call(v: &mut BodyVerifier<'_>, callee: Callee, args: &[ValueId], results: &[ValueId]) {
    let (kind, func) = match callee {
        Callee::Func(func) => (None, func),
        Callee::Derivative(kind, func) => (Some(kind), func),
    };
    if !contains_func(v.module, func) {
        v.wrong(Rule::Id, "a call of a function that does not exist".into());
        return;
    }
    let func = &v.module.funcs[func];
    let (inputs, outputs) = callee_signature(kind, func);
    let args = match kind {
        Some(DerivativeKind::Pullback) => &args[args.len().saturating_sub(inputs.len())..],
        _ => args,
    };
    for (what, expected, given) in [("argument", inputs, args), ("result", outputs, results)] {
        if expected.len() != given.len() {
            let message =
                format!("a call of `{}` has {} {what}s, wanted are {}", func.name, given.len(), expected.len());
            v.wrong(Rule::Call, message);
            continue;
        }
        for (expected, &value) in expected.iter().zip(given) {
            if !expected.accepts(&v.module.types, v.func.ty(value)) {
                let (name, wanted) = (v.name(value), expected.describe(&v.module.types));
                let ty = v.type_text(v.func.ty(value));
                let message = format!("the {what} {name} of type {ty} in a call of `{}` is not {wanted}", func.name);
                v.wrong(Rule::Call, message);
            }
        }
    }
}

fn region_params(v: &mut BodyVerifier<'_>, region: crate::RegionId, wanted: &[TypeId]) {
    let params = &v.func.regions[region].params;
    if !params.iter().map(|&value| v.func.ty(value)).eq(wanted.iter().copied()) {
        v.wrong(Rule::Regions, format!("a region has {} parameters of wrong number or types", params.len()));
    }
}
