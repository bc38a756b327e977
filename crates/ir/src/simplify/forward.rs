//! Rules that take parts of aggregates from where they were put in. Only constant indices are followed: a dynamic one
//! may be out of bounds, where an `insert` does nothing and an `extract` gives zero.

use smallvec::SmallVec;

use super::peephole::{Context, Rewrite};
use crate::{Constant, Op, PathStep, Type, TypeId, ValueId, op::Path};

pub(super) fn forward(context: &mut Context<'_>, op: &Op, ty: TypeId) -> Option<Rewrite> {
    match op {
        Op::Extract { aggregate, path } => extract(context, *aggregate, path),
        Op::Insert { aggregate, path, value } => insert(context, *aggregate, path, *value),
        Op::Make(parts) => make(context, parts, ty),
        Op::Swizzle { vector, components } => swizzle(context, *vector, components, ty),
        Op::SumTag(sum) => match context.def(*sum)? {
            Op::SumMake { variant, .. } => Some(Rewrite::Op(Op::Const(Constant::Int((*variant).into())))),
            _ => None,
        },
        _ => None,
    }
}

/// The value, or what is left of the path inside it.
fn part(value: ValueId, rest: &[PathStep]) -> Rewrite {
    if rest.is_empty() {
        return Rewrite::Value(value);
    }
    Rewrite::Op(Op::Extract { aggregate: value, path: Path::from_slice(rest) })
}

/// How the path of an `extract` lies to the path of the `insert` that it looks at.
enum Relation {
    /// The extract is inside of what was inserted: this is the rest of its path.
    Inside(usize),
    /// They do not touch.
    Apart,
    /// Anything else.
    Unknown,
}

fn relation(extract: &[PathStep], insert: &[PathStep]) -> Relation {
    for (index, &inserted) in insert.iter().enumerate() {
        match (extract.get(index), inserted) {
            (Some(&PathStep::Const(wanted)), PathStep::Const(inserted)) if wanted == inserted => {}
            (Some(PathStep::Const(_)), PathStep::Const(_)) => return Relation::Apart,
            _ => return Relation::Unknown,
        }
    }
    Relation::Inside(insert.len())
}

fn extract(context: &mut Context<'_>, aggregate: ValueId, path: &[PathStep]) -> Option<Rewrite> {
    match context.def(aggregate)?.clone() {
        Op::Make(parts) => match path.split_first()? {
            (PathStep::Const(index), rest) => Some(part(*parts.get(*index as usize)?, rest)),
            (PathStep::Dynamic(_), _) => None,
        },
        Op::Zero => Some(Rewrite::Op(Op::Zero)),
        Op::Splat(element) => match (context.type_of(aggregate), path.split_first()?) {
            (Type::Vector { .. } | Type::Array { .. }, (PathStep::Const(_), rest)) => Some(part(element, rest)),
            (Type::Matrix { .. }, (PathStep::Const(_), [])) => Some(Rewrite::Op(Op::Splat(element))),
            (Type::Matrix { .. }, (PathStep::Const(_), [PathStep::Const(_)])) => Some(Rewrite::Value(element)),
            _ => None,
        },
        Op::Insert { aggregate, path: inserted, value } => match relation(path, &inserted) {
            Relation::Inside(length) => Some(part(value, &path[length..])),
            Relation::Apart => Some(Rewrite::Op(Op::Extract { aggregate, path: Path::from_slice(path) })),
            Relation::Unknown => None,
        },
        // Out of bounds in the first path makes zero, as it does in the joined one.
        Op::Extract { aggregate, path: mut joined } => {
            joined.extend_from_slice(path);
            Some(Rewrite::Op(Op::Extract { aggregate, path: joined }))
        }
        Op::Swizzle { vector, components } => match (path, context.type_of(vector)) {
            ([PathStep::Const(index)], Type::Vector { .. }) => {
                let component = *components.get(*index as usize)?;
                let path = Path::from_elem(PathStep::Const(component.into()), 1);
                Some(Rewrite::Op(Op::Extract { aggregate: vector, path }))
            }
            ([PathStep::Const(_)], _) => Some(Rewrite::Value(vector)),
            _ => None,
        },
        _ => None,
    }
}

fn insert(context: &Context<'_>, aggregate: ValueId, path: &[PathStep], value: ValueId) -> Option<Rewrite> {
    // What was there before is put back.
    if let Some(Op::Extract { aggregate: from, path: from_path }) = context.def(value)
        && *from == aggregate
        && from_path[..] == *path
    {
        return Some(Rewrite::Value(aggregate));
    }
    // What the inner insert wrote is written over; that holds for equal dynamic indices too. Where something else still
    // reads the inner one, both would be there at one time, and emitted code would have to copy the whole aggregate.
    match context.def(aggregate)? {
        Op::Insert { aggregate: inner, path: earlier, .. }
            if earlier[..] == *path && context.has_one_use(aggregate) =>
        {
            Some(Rewrite::Op(Op::Insert { aggregate: *inner, path: Path::from_slice(path), value }))
        }
        _ => None,
    }
}

/// An aggregate taken apart and put together again.
fn make(context: &Context<'_>, parts: &[ValueId], ty: TypeId) -> Option<Rewrite> {
    let mut whole = None;
    for (index, &part) in parts.iter().enumerate() {
        let Op::Extract { aggregate, path } = context.def(part)? else { return None };
        if path[..] != [PathStep::Const(index as u32)] || *whole.get_or_insert(*aggregate) != *aggregate {
            return None;
        }
    }
    whole.filter(|&whole| context.func.ty(whole) == ty).map(Rewrite::Value)
}

fn swizzle(context: &mut Context<'_>, vector: ValueId, components: &[u8], ty: TypeId) -> Option<Rewrite> {
    if let ([component], Type::Vector { .. }) = (components, context.type_of(vector)) {
        let path = Path::from_elem(PathStep::Const((*component).into()), 1);
        return Some(Rewrite::Op(Op::Extract { aggregate: vector, path }));
    }
    if let Type::Scalar(_) = context.type_of(vector) {
        return Some(if components.len() == 1 { Rewrite::Value(vector) } else { Rewrite::Op(Op::Splat(vector)) });
    }
    let in_order = components.iter().enumerate().all(|(index, &component)| index == usize::from(component));
    if in_order && context.func.ty(vector) == ty {
        return Some(Rewrite::Value(vector));
    }
    let pick = |parts: &[ValueId]| -> Option<SmallVec<[ValueId; 4]>> {
        components.iter().map(|&component| parts.get(usize::from(component)).copied()).collect()
    };
    match context.def(vector)? {
        Op::Make(parts) => Some(Rewrite::Op(Op::Make(pick(parts)?))),
        Op::Splat(element) => Some(Rewrite::Op(Op::Splat(*element))),
        Op::Zero => Some(Rewrite::Op(Op::Zero)),
        Op::Swizzle { vector, components: inner } => {
            let components = components.iter().map(|&component| inner.get(usize::from(component)).copied());
            Some(Rewrite::Op(Op::Swizzle { vector: *vector, components: components.collect::<Option<_>>()? }))
        }
        _ => None,
    }
}
