//! Functions of the core library that lowering knows: [`CoreFunction`] is what they are, by the word in their
//! `[__intrinsic("…")]`.

pub(crate) mod counters;
mod descriptors;
mod questions;
mod reinterpret;
mod requirement;
mod stage;

use hir_ty::{
    signature::FunctionRef,
    ty::{GenericArg, Ty},
};
use ir::{
    AtomicOp, BinaryOp, Constant, HandleType, Intrinsic, MathFn, Op, PathStep, Scalar, Type, TypeId, ValueId,
    builder::FuncBuilder,
    intrinsic::{BufferOp, DescriptorOp, HintOp, NumberOp},
};
use smol_str::SmolStr;

pub(crate) use requirement::bit_not;

use crate::{
    core_function::CoreFunction,
    derivative::rule::zero_differential,
    error::{Lowering, Stop},
    fields, front,
    mode::Mode,
    program::Program,
    receiver_types,
    surface::Surface,
};

/// A call of an intrinsic.
pub(crate) struct Asked<'a> {
    pub function: CoreFunction,
    /// What goes in, receiver first.
    pub args: &'a [ValueId],
    pub surface: &'a Surface,
    /// The text of a string argument.
    pub format: Option<SmolStr>,
    /// What the first generic parameter is, if it is a type.
    pub type_arg: Option<Ty>,
}

impl Asked<'_> {
    pub(crate) fn arg(&self, index: usize) -> Lowering<ValueId> {
        self.args.get(index).copied().ok_or_else(|| Stop::broken("an intrinsic with too few arguments"))
    }

    pub(crate) fn result(&self) -> Lowering<TypeId> {
        self.surface.ret.as_ref().map(|ret| ret.ir_ty).ok_or_else(|| Stop::broken("an intrinsic without result"))
    }
}

/// The first generic argument, if it is a type.
pub(crate) fn first_type_arg(db: &dyn base_db::Db, function: FunctionRef) -> Option<Ty> {
    match function.args.args(db).first() {
        Some(GenericArg::Type(ty)) => Some(*ty),
        Some(GenericArg::Value(_) | GenericArg::Pack(_)) | None => None,
    }
}

/// The body of an intrinsic as a function, for its derivatives.
pub(crate) fn build_function(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    function: FunctionRef,
    known: CoreFunction,
) -> Lowering<()> {
    if known.takes_place() {
        return Err(Stop::unsupported("the derivative of an atomic operation"));
    }
    let surface = front::surface(program, function)?;
    let args = b.func.input_values().to_vec();
    let type_arg = first_type_arg(program.db, function);
    let asked = Asked { function: known, args: &args, surface: &surface, format: None, type_arg };
    let results = emit(program, b, &asked)?;
    b.ret(results);
    Ok(())
}

/// Appends the ops; returns the result and then what `out` parameters get.
pub(crate) fn emit(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let one = |value: ValueId| Ok(vec![value]);
    match asked.function {
        CoreFunction::Math(function) => one(math(b, function, asked)?),
        CoreFunction::Requirement(requirement) => requirement::emit(b, requirement, asked),
        CoreFunction::Question(question) => one(questions::answer(program, b, question, asked)?),
        CoreFunction::Operator(op) => one(binary(b, op, asked)?),
        CoreFunction::Select => one(select(b, asked)?),
        CoreFunction::Convert => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            one(b.convert(value, ty))
        }
        CoreFunction::Bitcast => one(bitcast(b, asked)?),
        CoreFunction::Reinterpret => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            one(reinterpret::reinterpret(b, value, ty)?)
        }
        CoreFunction::Detach => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            one(if b.types.is_differentiable(ty) { b.value(Op::Detach(value), ty) } else { value })
        }
        CoreFunction::Make => {
            let ty = asked.result()?;
            one(b.make(asked.args, ty))
        }
        CoreFunction::Concat => one(concat(b, asked)?),
        CoreFunction::Splat => {
            let (value, ty) = (asked.arg(0)?, asked.result()?);
            one(b.value(Op::Splat(value), ty))
        }
        CoreFunction::Count => one(count(b, asked)?),
        CoreFunction::MakePair => one(make_pair(program, b, asked)?),
        CoreFunction::PairPrimal => {
            let pair = asked.arg(0)?;
            one(b.field(pair, fields::PAIR_PRIMAL))
        }
        CoreFunction::PairDifferential => {
            let pair = asked.arg(0)?;
            one(b.field(pair, fields::PAIR_DIFFERENTIAL))
        }
        CoreFunction::OptionalHasValue => {
            let optional = asked.arg(0)?;
            one(b.field(optional, fields::OPTIONAL_HAS_VALUE))
        }
        CoreFunction::OptionalValue => {
            let optional = asked.arg(0)?;
            one(b.field(optional, fields::OPTIONAL_VALUE))
        }
        CoreFunction::BufferLoad => {
            let (handle, index, ty) = (asked.arg(0)?, asked.arg(1)?, asked.result()?);
            let path = [PathStep::Dynamic(index)].into_iter().collect();
            one(b.value(Op::Load { handle, path }, ty))
        }
        CoreFunction::BufferLength => one(length(b, asked)?),
        CoreFunction::BufferDimensions => dimensions(b, asked),
        CoreFunction::ByteBufferLoad => {
            asked.type_arg.map_or(Ok(()), |ty| program.check_memory(ty))?;
            let (handle, offset, ty) = (asked.arg(0)?, offset(b, asked)?, asked.result()?);
            one(b.value(Op::ByteLoad { handle, offset }, ty))
        }
        CoreFunction::ByteBufferStore => {
            asked.type_arg.map_or(Ok(()), |ty| program.check_memory(ty))?;
            let (handle, offset, value) = (asked.arg(0)?, offset(b, asked)?, asked.arg(2)?);
            b.op(Op::ByteStore { handle, offset, value }, &[]);
            Ok(Vec::new())
        }
        CoreFunction::ByteBufferDimensions => one(length(b, asked)?),
        CoreFunction::Print => {
            let format = asked.format.clone().unwrap_or_default();
            b.op(Op::Print { format, args: asked.args.iter().copied().collect() }, &[]);
            Ok(Vec::new())
        }
        CoreFunction::Barrier { control } => {
            b.op(Op::Barrier { control }, &[]);
            Ok(Vec::new())
        }
        CoreFunction::ByteAtomic(op) => byte_atomic(b, op, asked),
        // Calls of these are lowered where the place is known.
        CoreFunction::Atomic(..) => Err(Stop::unsupported("an atomic operation on a value")),
        CoreFunction::MakeSum => reinterpret::create(b, asked),
        CoreFunction::Intrinsic(intrinsic) => self::intrinsic(program, b, intrinsic, asked),
    }
}

/// An operation of its own in the IR, but for the few that are written in terms of others.
fn intrinsic(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    intrinsic: Intrinsic,
    asked: &Asked<'_>,
) -> Lowering<Vec<ValueId>> {
    let one = |value: ValueId| Ok(vec![value]);
    match intrinsic {
        Intrinsic::Buffer(BufferOp::Append) => counters::append(b, asked),
        Intrinsic::Buffer(BufferOp::Consume) => counters::consume(b, asked),
        Intrinsic::Stage(op) if program.mode == Mode::Program => stage::operation(program, b, op, asked),
        Intrinsic::Number(NumberOp::StringHash) => {
            let (hash, ty) = (asked.arg(0)?, asked.result()?);
            one(b.convert(hash, ty))
        }
        Intrinsic::Number(NumberOp::StringLength) => Err(Stop::unsupported("the length of a string")),
        // The place in a table is its number.
        Intrinsic::Descriptor(DescriptorOp::HeapPlace) => {
            let (number, ty) =
                (*asked.args.last().ok_or_else(|| Stop::broken("no place in a table"))?, asked.result()?);
            one(b.make(&[number], ty))
        }
        Intrinsic::Descriptor(op) if program.descriptors_are_numbers() => {
            one(descriptors::operation(program, b, op, asked)?)
        }
        Intrinsic::Hint(HintOp::Nonuniform) if descriptors::is_number(program, asked.type_arg) => {
            one(descriptors::by_thread(b, asked.arg(0)?))
        }
        _ => {
            let results: Vec<TypeId> = asked.surface.results().iter().map(|slot| slot.ty).collect();
            let args = with_parts_of_texture(b, intrinsic, asked.args);
            let op = b.op(Op::Intrinsic { intrinsic, args }, &results);
            Ok(b.results(op).to_vec())
        }
    }
}

/// How many elements a buffer has, and, if that is asked, how far they are apart in bytes.
fn dimensions(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let mut results = vec![length(b, asked)?];
    let outs: Vec<TypeId> = asked.surface.results().iter().map(|slot| slot.ty).collect();
    if let Some(&stride) = outs.get(1) {
        let (handle, _) = counters::parts(b, asked.arg(0)?);
        let stride_bytes = match b.type_of(handle) {
            Type::Handle(ir::HandleType::StructuredBuffer { element, .. }) => {
                ir::layout::layout(b.types, element).map(|layout| layout.stride())
            }
            _ => None,
        };
        let bytes = stride_bytes.ok_or_else(|| Stop::unsupported("the stride of this buffer"))?;
        results.push(b.constant(Constant::Int(bytes.into()), stride));
    }
    Ok(results)
}

fn make_pair(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let (ty, primal) = (asked.result()?, asked.arg(0)?);
    let differential = match asked.args.get(1) {
        // The source's name for the differential of an interface value is that of another sum.
        Some(&differential) => match b.types.path_type(ty, &[PathStep::Const(fields::PAIR_DIFFERENTIAL)]) {
            Some(wanted) => receiver_types::wrap(program, b, differential, wanted)?,
            None => differential,
        },
        None => zero_differential(b, b.ty(primal))?,
    };
    Ok(b.make(&[primal, differential], ty))
}

fn count(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let receiver = asked.arg(0)?;
    let count = match b.type_of(receiver) {
        Type::Vector { len, .. } => len.into(),
        Type::Matrix { rows, .. } => rows.into(),
        Type::Array { len, .. } => len,
        _ => return Err(Stop::unsupported("the number of elements of this type")),
    };
    let ty = asked.result()?;
    Ok(b.constant(Constant::Int(count.into()), ty))
}

fn concat(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let ty = asked.result()?;
    let mut parts = Vec::new();
    for &tuple in asked.args {
        let Type::Struct(id) = b.type_of(tuple) else { return Err(Stop::broken("`concat` of no tuple")) };
        let count = b.types.structs[id].fields.len() as u32;
        parts.extend((0..count).map(|index| b.extract(tuple, [PathStep::Const(index)])));
    }
    Ok(b.make(&parts, ty))
}

fn bitcast(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let (value, ty) = (asked.arg(0)?, asked.result()?);
    // The bits of a pointer are those of its address, a number.
    let is_pointer = |ty: TypeId| matches!(b.types.get(ty), Type::Handle(HandleType::Pointer { .. }));
    let (from_pointer, to_pointer) = (is_pointer(b.ty(value)), is_pointer(ty));
    let address = b.types.scalar(Scalar::U64);
    let value = if from_pointer && b.ty(value) != ty { b.value(Op::Bitcast(value), address) } else { value };
    if to_pointer && b.ty(value) != ty {
        let number = bits(b, value, address)?;
        return Ok(b.value(Op::Bitcast(number), ty));
    }
    bits(b, value, ty)
}

/// The bits of a value that is no pointer, as another type.
fn bits(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
    let is_aggregate = |ty: TypeId| matches!(b.types.get(ty), Type::Struct(_) | Type::Array { .. });
    Ok(if is_aggregate(b.ty(value)) || is_aggregate(ty) {
        reinterpret::reinterpret(b, value, ty)?
    } else if b.ty(value) == ty {
        value
    } else if let Some(value) = reinterpret::halves(b, value, ty) {
        value
    } else if ir::verify::bitcast_fits(b.type_of(value), b.types.get(ty)) {
        b.value(Op::Bitcast(value), ty)
    } else {
        return Err(Stop::broken("`bit_cast` between types of different size"));
    })
}

fn select(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let (cond, then, otherwise) = (asked.arg(0)?, asked.arg(1)?, asked.arg(2)?);
    let cond = match b.types.get(b.ty(cond)) {
        Type::Scalar(Scalar::Bool) => {
            let wanted = b.bool_like(b.ty(then));
            if wanted == b.ty(cond) { cond } else { b.value(Op::Splat(cond), wanted) }
        }
        _ => cond,
    };
    Ok(b.select(cond, then, otherwise))
}

/// Operands of an operation: of a texture with its own sampler the texture, and the sampler where it samples.
fn with_parts_of_texture(
    b: &mut FuncBuilder<'_>,
    intrinsic: Intrinsic,
    args: &[ValueId],
) -> smallvec::SmallVec<[ValueId; 4]> {
    let (Intrinsic::Texture(op), Some((&first, rest))) = (intrinsic, args.split_first()) else {
        return args.iter().copied().collect();
    };
    if !b.types.is_combined_texture(b.ty(first)) {
        return args.iter().copied().collect();
    }
    let mut parts = smallvec::SmallVec::new();
    parts.push(b.extract(first, [PathStep::Const(0)]));
    if op.samples() {
        parts.push(b.extract(first, [PathStep::Const(1)]));
    }
    parts.extend(rest.iter().copied());
    parts
}

/// A mathematical function; operands of scalar type are spread over the shape of the others.
fn math(b: &mut FuncBuilder<'_>, function: MathFn, asked: &Asked<'_>) -> Lowering<ValueId> {
    let result = asked.result()?;
    let operand = match asked.args.first() {
        Some(&first) => b.ty(first),
        None => result,
    };
    let natural = match function {
        MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite => b.bool_like(operand),
        MathFn::Dot | MathFn::Length | MathFn::Distance | MathFn::Determinant => match b.types.get(operand) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => b.types.scalar(scalar),
            _ => result,
        },
        MathFn::All | MathFn::Any => b.types.bool(),
        MathFn::MatMul | MathFn::Transpose | MathFn::F16ToF32 | MathFn::F32ToF16 => result,
        _ => operand,
    };
    let value = b.math(function, asked.args, natural);
    Ok(b.convert(value, result))
}

fn binary(b: &mut FuncBuilder<'_>, op: BinaryOp, asked: &Asked<'_>) -> Lowering<ValueId> {
    let (left, right) = (asked.arg(0)?, asked.arg(1)?);
    let result = asked.result()?;
    let mut spread = |value: ValueId| match (b.type_of(value), b.types.get(result)) {
        (Type::Scalar(_), Type::Vector { .. } | Type::Matrix { .. }) => b.value(Op::Splat(value), result),
        _ => value,
    };
    let (left, right) = (spread(left), spread(right));
    Ok(b.binary(op, left, right))
}

fn length(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let (handle, _) = counters::parts(b, asked.arg(0)?);
    let uint = b.types.scalar(Scalar::U32);
    Ok(b.value(Op::BufferLength { handle }, uint))
}

/// The second argument as a byte offset.
fn offset(b: &mut FuncBuilder<'_>, asked: &Asked<'_>) -> Lowering<ValueId> {
    let offset = asked.arg(1)?;
    let uint = b.types.scalar(Scalar::U32);
    Ok(b.convert(offset, uint))
}

fn byte_atomic(b: &mut FuncBuilder<'_>, op: AtomicOp, asked: &Asked<'_>) -> Lowering<Vec<ValueId>> {
    let (handle, offset) = (asked.arg(0)?, offset(b, asked)?);
    let operands: smallvec::SmallVec<[ValueId; 2]> = asked.args.iter().skip(2).copied().collect();
    let operand = *operands.first().ok_or_else(|| Stop::broken("an atomic without operand"))?;
    let ty = b.ty(operand);
    let old = b.value(Op::ByteAtomic { op, handle, offset, operands }, ty);
    Ok(if asked.surface.results().is_empty() { Vec::new() } else { vec![old] })
}

/// Whether the intrinsic can be an op here: values without representation need a call instead, unless they are only parts of
/// what is made, or are taken as they are.
pub(crate) fn is_applicable(program: &Program<'_>, function: CoreFunction, surface: &Surface) -> bool {
    let params = || surface.params.iter().map(|param| param.ir_ty);
    program.mode == Mode::Program
        || matches!(function, CoreFunction::Make | CoreFunction::Detach)
        || (function == CoreFunction::Concat && params().all(|ty| matches!(program.types.get(ty), Type::Struct(_))))
        || !params()
            .chain(surface.ret.as_ref().map(|ret| ret.ir_ty))
            .any(|ty| matches!(program.types.get(ty), Type::Opaque(_)))
}
