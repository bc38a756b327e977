//! Types of a requirement that depend on the receiver's: outside they are interface values, inside they are what the type
//! of the receiver says. An argument is taken out of its interface value, a result is put into one; so are the parts of
//! arrays, optionals, tuples and generic structs.

use ir::{Op, PathStep, Type, TypeId, ValueId, builder::FuncBuilder};

use crate::{
    error::{Lowering, Stop},
    program::Program,
    sums,
};

/// Larger arrays are not converted element by element.
const MAX_ELEMENTS: u32 = 256;

/// What a function returns as what is wanted of it: an interface value, or the number that a function type promises.
pub(crate) fn wrap(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    value: ValueId,
    ty: TypeId,
) -> Lowering<ValueId> {
    if b.ty(value) == ty {
        return Ok(value);
    }
    match (b.type_of(value), b.types.get(ty)) {
        (Type::Scalar(_), Type::Scalar(_)) => Ok(b.convert(value, ty)),
        (Type::Vector { len, .. }, Type::Vector { len: wanted, .. }) if len == wanted => Ok(b.convert(value, ty)),
        (Type::Scalar(_), Type::Vector { scalar, .. }) => {
            let element = b.types.scalar(scalar);
            let value = if b.ty(value) == element { value } else { b.convert(value, element) };
            Ok(b.value(Op::Splat(value), ty))
        }
        (_, Type::Sum(_)) => sums::convert(program, b, value, ty),
        _ => match matching_parts(b, value, ty) {
            Some(parts) => part_by_part(b, value, ty, parts, &mut |b, part, ty| wrap(program, b, part, ty)),
            None => Err(Stop::unsupported("a function value whose result is converted like this")),
        },
    }
}

/// What an interface value holds, which is of type `ty` because it came from the same receiver.
pub(crate) fn unwrap(b: &mut FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
    if b.ty(value) == ty {
        return Ok(value);
    }
    let sum = match b.type_of(value) {
        Type::Sum(sum) if b.types.sums[sum].variants.iter().any(|variant| variant.ty == ty) => sum,
        _ => {
            return match matching_parts(b, value, ty) {
                Some(parts) => part_by_part(b, value, ty, parts, &mut unwrap),
                None => {
                    Err(Stop::unsupported("dynamic dispatch of a requirement whose types depend on the receiver's"))
                }
            };
        }
    };
    let payloads: Vec<TypeId> = b.types.sums[sum].variants.iter().map(|variant| variant.ty).collect();
    let mut regions = Vec::new();
    for payload in payloads {
        let region = b.new_region(&[payload]);
        b.within(region, |b| {
            let result = if payload == ty { b.params(region)[0] } else { b.zero(ty) };
            b.yield_([result]);
        });
        regions.push(region);
    }
    Ok(b.value(Op::SumMatch { sum: value, variants: regions, null: None }, ty))
}

/// The types of the parts of `ty` if `value` is made of as many parts of the same names.
pub(crate) fn matching_parts(b: &FuncBuilder<'_>, value: ValueId, ty: TypeId) -> Option<Vec<TypeId>> {
    match (b.type_of(value), b.types.get(ty)) {
        (Type::Array { len, .. }, Type::Array { element, len: wanted }) if len == wanted && len <= MAX_ELEMENTS => {
            Some(vec![element; len as usize])
        }
        (Type::Struct(from), Type::Struct(to)) => {
            let (from, to) = (&b.types.structs[from].fields, &b.types.structs[to].fields);
            let same = from.iter().map(|field| &field.name).eq(to.iter().map(|field| &field.name));
            same.then(|| to.iter().map(|field| field.ty).collect())
        }
        _ => None,
    }
}

fn part_by_part(
    b: &mut FuncBuilder<'_>,
    value: ValueId,
    ty: TypeId,
    parts: Vec<TypeId>,
    convert: &mut dyn FnMut(&mut FuncBuilder<'_>, ValueId, TypeId) -> Lowering<ValueId>,
) -> Lowering<ValueId> {
    let mut converted = Vec::new();
    for (index, part_ty) in (0..).zip(parts) {
        let part = b.extract(value, [PathStep::Const(index)]);
        converted.push(convert(b, part, part_ty)?);
    }
    Ok(b.make(&converted, ty))
}
