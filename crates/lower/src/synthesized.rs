//! `dzero`, `dadd` and `dmul` of types that leave them to the compiler: member by member.

use hir_ty::{infer::result::SynthesizedOperation, ty::Ty};
use ir::{BinaryOp, Callee, Op, PathStep, Type, TypeId, ValueId, builder::FuncBuilder, op::LoopBound};

use crate::{
    derivative::rule::zero_differential,
    error::{Lowering, Stop},
    front,
    program::Program,
    surface::{Direction, Surface, SurfaceParam, SurfaceReturn},
};

/// Longer arrays are added in a loop.
const MAX_UNROLLED: u32 = 16;

/// The signature: `dzero()`, `dadd(a, b)`, `dmul(scale, a)`, all on the differential of `ty`.
pub(crate) fn surface(program: &mut Program<'_>, operation: SynthesizedOperation, ty: Ty) -> Lowering<Surface> {
    let primal = program.lower_type(ty)?;
    let ir_ty = program.types.differential_of(primal).ok_or_else(|| Stop::broken("a type without differential"))?;
    let ty = front::differential_of(program.db, program.root, ty).unwrap_or(ty);
    let param = |name: &str, ty: Ty, ir_ty: TypeId| SurfaceParam {
        name: name.into(),
        ty,
        ir_ty,
        direction: Direction::In,
        differentiable: true,
        goes_along: false,
        is_place: false,
        is_this: false,
        no_diff: false,
    };
    let params = match operation {
        SynthesizedOperation::DZero => Vec::new(),
        SynthesizedOperation::DAdd => vec![param("a", ty, ir_ty), param("b", ty, ir_ty)],
        SynthesizedOperation::DMul => {
            let float = program.types.f32();
            vec![param("scale", Ty::FLOAT, float), param("a", ty, ir_ty)]
        }
    };
    Ok(Surface { params, ret: Some(SurfaceReturn { ty, ir_ty, differentiable: true, no_diff: false }), throws: None })
}

pub(crate) fn build(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    operation: SynthesizedOperation,
    ty: Ty,
) -> Lowering<()> {
    let result = match operation {
        SynthesizedOperation::DZero => {
            let primal = program.lower_type(ty)?;
            zero_differential(b, primal)?
        }
        SynthesizedOperation::DAdd => {
            let (left, right) = (b.input(0), b.input(1));
            add(b, left, right)?
        }
        SynthesizedOperation::DMul => {
            let (scale, value) = (b.input(0), b.input(1));
            multiply(b, scale, value)?
        }
    };
    b.ret([result]);
    Ok(())
}

/// The sum of two values of one differential type.
pub(crate) fn add(b: &mut FuncBuilder<'_>, left: ValueId, right: ValueId) -> Lowering<ValueId> {
    let ty = b.ty(left);
    match b.types.get(ty) {
        Type::Struct(id) => {
            match b.types.structs[id].differential.as_ref().and_then(|d| (d.ty == ty).then_some(d.dadd)).flatten() {
                Some(dadd) => Ok(b.call(Callee::Func(dadd), &[left, right], &[ty])[0]),
                None => member_by_member(b, &[left, right], &mut |b, parts| add(b, parts[0], parts[1])),
            }
        }
        Type::Array { .. } => member_by_member(b, &[left, right], &mut |b, parts| add(b, parts[0], parts[1])),
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => Ok(b.binary(BinaryOp::Add, left, right)),
        Type::Sum(_) => Err(Stop::unsupported("the sum of two differentials of interface type")),
        Type::Handle(_) | Type::Opaque(_) => Err(Stop::broken("a sum of values that are not differentials")),
    }
}

fn multiply(b: &mut FuncBuilder<'_>, scale: ValueId, value: ValueId) -> Lowering<ValueId> {
    let ty = b.ty(value);
    match b.types.get(ty) {
        Type::Struct(_) | Type::Array { .. } => {
            member_by_member(b, &[value], &mut |b, parts| multiply(b, scale, parts[0]))
        }
        Type::Scalar(scalar) => {
            let scalar = b.types.scalar(scalar);
            let scale = b.convert(scale, scalar);
            Ok(b.binary(BinaryOp::Mul, scale, value))
        }
        Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            let scalar = b.types.scalar(scalar);
            let scale = b.convert(scale, scalar);
            let scale = b.value(Op::Splat(scale), ty);
            Ok(b.binary(BinaryOp::Mul, scale, value))
        }
        Type::Sum(_) => Err(Stop::unsupported("a multiple of a differential of interface type")),
        Type::Handle(_) | Type::Opaque(_) => Err(Stop::broken("a multiple of a value that is not a differential")),
    }
}

/// An aggregate whose members `combine` makes from the members of `values`, which have one type.
fn member_by_member(
    b: &mut FuncBuilder<'_>,
    values: &[ValueId],
    combine: &mut dyn FnMut(&mut FuncBuilder<'_>, &[ValueId]) -> Lowering<ValueId>,
) -> Lowering<ValueId> {
    let ty = b.ty(values[0]);
    let count = match b.types.get(ty) {
        Type::Struct(id) => b.types.structs[id].fields.len() as u32,
        Type::Array { len, .. } => len,
        _ => return Err(Stop::broken("members of a type that has none")),
    };
    if count <= MAX_UNROLLED || matches!(b.types.get(ty), Type::Struct(_)) {
        let mut members = Vec::new();
        for index in 0..count {
            let parts: Vec<ValueId> = values.iter().map(|&value| b.field(value, index)).collect();
            members.push(combine(b, &parts)?);
        }
        return Ok(b.make(&members, ty));
    }
    let mut failure = None;
    let (zero, bound) = (b.i32(0), LoopBound { inferred: Some(count), ..LoopBound::default() });
    let results = b.loop_(
        &[zero, values[0]],
        bound,
        |b, carried| {
            let count = b.i32(count as i32);
            b.binary(BinaryOp::Less, carried[0], count)
        },
        |b, carried| {
            let step = PathStep::Dynamic(carried[0]);
            let parts: Vec<ValueId> = values.iter().map(|&value| b.extract(value, [step])).collect();
            let combined = match combine(b, &parts) {
                Ok(value) => b.insert(carried[1], [step], value),
                Err(stop) => {
                    failure = Some(stop);
                    carried[1]
                }
            };
            let one = b.i32(1);
            vec![b.binary(BinaryOp::Add, carried[0], one), combined]
        },
    );
    match failure {
        Some(stop) => Err(stop),
        None => Ok(results[1]),
    }
}
