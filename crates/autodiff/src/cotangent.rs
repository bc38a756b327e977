//! Accumulators: the cotangent of a linear value while its uses are walked.
//!
//! A cotangent is kept per part as long as only parts of it are known, so that the cotangent of one field does not make
//! a zero-filled struct. As soon as a dynamic index touches an array, the array is one whole: a constant and a dynamic
//! index meet in it.

use ir::{PathStep, Type, TypeId, ValueId};

use crate::{differential::part_count, emit::Emitter};

/// Longer arrays are kept whole.
const MOST_PARTS: u32 = 16;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cotangent {
    Zero,
    Whole(ValueId),
    /// One for each part that a constant path step can name.
    Parts(Vec<Cotangent>),
}

/// Whether parts of a cotangent of type `ty` may be kept apart.
pub(crate) fn is_splittable(e: &Emitter<'_>, ty: TypeId) -> bool {
    if e.custom.dadd.contains_key(&ty) || e.custom.dzero.contains_key(&ty) {
        return false;
    }
    match e.types.get(ty) {
        Type::Array { len, .. } => len <= MOST_PARTS,
        Type::Vector { .. } | Type::Matrix { .. } | Type::Struct(_) => true,
        Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
    }
}

fn part_ty(e: &mut Emitter<'_>, ty: TypeId, step: PathStep) -> TypeId {
    e.types.path_type(ty, &[step]).unwrap_or(ty)
}

impl Cotangent {
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Cotangent::Zero => true,
            Cotangent::Whole(_) => false,
            Cotangent::Parts(parts) => parts.iter().all(Cotangent::is_zero),
        }
    }

    /// The value in one piece.
    pub(crate) fn whole(&self, e: &mut Emitter<'_>, ty: TypeId) -> ValueId {
        match self {
            Cotangent::Zero => e.differential_zero(ty),
            Cotangent::Whole(value) => *value,
            Cotangent::Parts(parts) => {
                let mut values = Vec::new();
                for (index, part) in parts.iter().enumerate() {
                    let ty = part_ty(e, ty, PathStep::Const(index as u32));
                    values.push(part.whole(e, ty));
                }
                e.assemble(&values, ty)
            }
        }
    }

    /// Adds `value` to the part at `path`.
    pub(crate) fn add_at(&mut self, e: &mut Emitter<'_>, ty: TypeId, path: &[PathStep], value: ValueId) {
        let Some((&step, rest)) = path.split_first() else {
            return self.add(e, ty, value);
        };
        if let PathStep::Const(index) = step
            && is_splittable(e, ty)
            && !matches!(self, Cotangent::Whole(_))
        {
            let part = part_ty(e, ty, step);
            if let Some(child) = self.parts(e, ty).get_mut(index as usize) {
                child.add_at(e, part, rest, value);
            }
            return;
        }
        if e.custom.dadd.contains_key(&ty) {
            let zero = e.differential_zero(ty);
            let contribution = e.with_part(zero, path, value);
            return self.add(e, ty, contribution);
        }
        let was_zero = self.is_zero();
        let whole = self.whole(e, ty);
        let sum = if was_zero {
            value
        } else {
            let part = e.part(whole, path);
            e.differential_sum(part, value)
        };
        *self = Cotangent::Whole(e.with_part(whole, path, sum));
    }

    fn add(&mut self, e: &mut Emitter<'_>, ty: TypeId, value: ValueId) {
        if self.is_zero() {
            *self = Cotangent::Whole(value);
            return;
        }
        if let (Cotangent::Parts(parts), Type::Struct(_)) = (&mut *self, e.types.get(ty)) {
            for (index, part) in parts.iter_mut().enumerate() {
                let step = PathStep::Const(index as u32);
                let ty = part_ty(e, ty, step);
                let value = e.part(value, &[step]);
                part.add(e, ty, value);
            }
            return;
        }
        let whole = self.whole(e, ty);
        *self = Cotangent::Whole(e.differential_sum(whole, value));
    }

    /// Adds another cotangent of the same type.
    pub(crate) fn merge(&mut self, e: &mut Emitter<'_>, ty: TypeId, path: &mut Vec<PathStep>, other: &Cotangent) {
        match other {
            Cotangent::Zero => {}
            Cotangent::Whole(value) => self.add_at(e, ty, path, *value),
            Cotangent::Parts(parts) if self.is_zero() && path.is_empty() => *self = Cotangent::Parts(parts.clone()),
            Cotangent::Parts(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    path.push(PathStep::Const(index as u32));
                    self.merge(e, ty, path, part);
                    path.pop();
                }
            }
        }
    }

    /// Takes the part at `path` out, leaving zero there.
    pub(crate) fn take_at(&mut self, e: &mut Emitter<'_>, ty: TypeId, path: &[PathStep]) -> Cotangent {
        if self.is_zero() {
            return Cotangent::Zero;
        }
        let Some((&step, rest)) = path.split_first() else {
            return std::mem::replace(self, Cotangent::Zero);
        };
        if let PathStep::Const(index) = step
            && is_splittable(e, ty)
        {
            let part = part_ty(e, ty, step);
            return match self.parts(e, ty).get_mut(index as usize) {
                Some(child) => child.take_at(e, part, rest),
                None => Cotangent::Zero,
            };
        }
        let whole = self.whole(e, ty);
        let part = e.part(whole, path);
        let part_ty = e.ty(part);
        let zero = e.differential_zero(part_ty);
        *self = Cotangent::Whole(e.with_part(whole, path, zero));
        Cotangent::Whole(part)
    }

    /// The parts, split up if they are not yet.
    pub(crate) fn parts(&mut self, e: &mut Emitter<'_>, ty: TypeId) -> &mut Vec<Cotangent> {
        let count = part_count(e.types, ty);
        match self {
            Cotangent::Parts(_) => {}
            Cotangent::Zero => *self = Cotangent::Parts(vec![Cotangent::Zero; count as usize]),
            Cotangent::Whole(value) => {
                let value = *value;
                let parts = (0..count).map(|index| Cotangent::Whole(e.part(value, &[PathStep::Const(index)])));
                *self = Cotangent::Parts(parts.collect());
            }
        }
        match self {
            Cotangent::Parts(parts) => parts,
            Cotangent::Zero | Cotangent::Whole(_) => unreachable!("the other forms were replaced above"),
        }
    }

    /// The value of the part at `path`.
    pub(crate) fn get_at(&self, e: &mut Emitter<'_>, ty: TypeId, path: &[PathStep]) -> ValueId {
        let Some((&step, rest)) = path.split_first() else {
            return self.whole(e, ty);
        };
        match (self, step) {
            (Cotangent::Parts(parts), PathStep::Const(index)) if (index as usize) < parts.len() => {
                let ty = part_ty(e, ty, step);
                parts[index as usize].get_at(e, ty, rest)
            }
            (Cotangent::Zero, _) => {
                let ty = e.types.path_type(ty, path).unwrap_or(ty);
                e.differential_zero(ty)
            }
            _ => {
                let whole = self.whole(e, ty);
                e.part(whole, path)
            }
        }
    }

    /// Replaces the part at `path`, whose types are all splittable.
    pub(crate) fn set_at(&mut self, e: &mut Emitter<'_>, ty: TypeId, path: &[PathStep], value: ValueId) {
        let Some((&step, rest)) = path.split_first() else {
            *self = Cotangent::Whole(value);
            return;
        };
        if let Cotangent::Whole(whole) = *self {
            *self = Cotangent::Whole(e.with_part(whole, path, value));
            return;
        }
        let part = part_ty(e, ty, step);
        if let PathStep::Const(index) = step
            && let Some(child) = self.parts(e, ty).get_mut(index as usize)
        {
            child.set_at(e, part, rest, value);
        }
    }
}
