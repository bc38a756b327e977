//! Places (`IDifferentiablePtrType`) where they travel with their places for derivatives: what is read of one is read of its
//! primal half, a place in it of both, and no other part of one is written, because nobody says what becomes of the other half.

use hir_def::{body::ExprId, item::ItemId};
use hir_ty::ty::Ty;
use ir::{PathStep, Type, TypeId, ValueId};

use super::{BodyLowering, place::Place};
use crate::{
    error::{Lowering, Stop},
    fields::{PAIR_DIFFERENTIAL, PAIR_PRIMAL},
    front,
    places::{self, PlaceForm},
};

impl BodyLowering<'_, '_> {
    /// The place itself.
    pub(super) fn primal_half(&mut self, place: Place) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        if self.program.is_place_pair(ty) { self.part(place, PathStep::Const(PAIR_PRIMAL)) } else { Ok(place) }
    }

    /// A field that is a place of a place: the pair of that field and of what corresponds to it in the place for derivatives.
    pub(super) fn place_in_place(
        &mut self,
        place: &Place,
        field: ExprId,
        owner: Ty,
        item: ItemId,
    ) -> Lowering<Option<Place>> {
        let whole = self.place_type(place)?;
        if !self.program.is_place_pair(whole) {
            return Ok(None);
        }
        let Some(derivative) = front::derivative_fields(self.program, owner).get(&item).copied() else {
            return Ok(None);
        };
        let differential = self.differential_place(owner)?;
        let ty = self.expr_type(field)?;
        let primal = self.part(place.clone(), PathStep::Const(PAIR_PRIMAL))?;
        let primal = self.field(primal, owner, item)?;
        let for_derivative = self.part(place.clone(), PathStep::Const(PAIR_DIFFERENTIAL))?;
        let for_derivative = self.field(for_derivative, differential, derivative)?;
        Ok(Some(Place::Pair { halves: Box::new([primal, for_derivative]), ty }))
    }

    fn differential_place(&self, of: Ty) -> Lowering<Ty> {
        front::differential_of(self.program.db, self.program.root, of)
            .ok_or_else(|| Stop::broken("a pair of a type without differential"))
    }

    /// A place of the struct type `ty` that is made of places alone: the next parts, each with its place for derivatives.
    pub(super) fn make_place(
        &mut self,
        ty: Ty,
        pair: TypeId,
        parts: &mut std::iter::Peekable<std::vec::IntoIter<ValueId>>,
    ) -> Lowering<ValueId> {
        const MADE: &str = "a place that a differentiated function makes of what is no place";
        let differential = self.differential_place(ty)?;
        let corresponding = front::derivative_fields(self.program, ty);
        let halves = [ty, differential].map(|half| {
            self.program
                .with_places(PlaceForm::Plain, |program| Ok((program.lower_type(half)?, program.member_types(half)?)))
        });
        let [primal, for_derivative] = halves;
        let ((primal_ty, members), (differential_ty, places)) = (primal?, for_derivative?);
        let (mut primals, mut derivatives) = (Vec::new(), vec![None; places.len()]);
        for (index, (member, member_ty)) in members.into_iter().enumerate() {
            let derivative = member.and_then(|item| corresponding.get(&item).copied());
            let target = places.iter().position(|(item, _)| item.is_some() && *item == derivative);
            let (Some(target), Some(_)) = (target, parts.peek()) else { return Err(Stop::unsupported(MADE)) };
            let wanted = self.ir_type(member_ty)?;
            let value = self.fill_peekable(member_ty, wanted, parts)?;
            let types = [(primal_ty, index), (differential_ty, target)]
                .map(|(whole, index)| self.b.types.path_type(whole, &[PathStep::Const(index as u32)]));
            let [Some(primal), Some(derivative)] = types else { return Err(Stop::unsupported(MADE)) };
            let [primal, derivative] = places::to_halves(&mut self.b, value, [primal, derivative])?;
            primals.push(primal);
            derivatives[target] = Some(derivative);
        }
        let derivatives: Option<Vec<ValueId>> = derivatives.into_iter().collect();
        let derivatives = derivatives.ok_or_else(|| Stop::unsupported(MADE))?;
        let halves = [self.b.make(&primals, primal_ty), self.b.make(&derivatives, differential_ty)];
        Ok(self.b.make(&halves, pair))
    }

    /// Writes a place into a field of a place: its halves go to both.
    pub(super) fn write_halves(&mut self, halves: &[Place; 2], value: ValueId) -> Lowering<()> {
        let types = [self.place_type(&halves[0])?, self.place_type(&halves[1])?];
        let values = places::to_halves(&mut self.b, value, types)?;
        for (half, value) in halves.iter().zip(values) {
            self.write_unchecked(half, value)?;
        }
        Ok(())
    }

    /// Refuses to write a part of a place.
    pub(super) fn check_whole(&mut self, place: &Place) -> Lowering<()> {
        if !self.program.places_are_pairs {
            return Ok(());
        }
        let (whole, path) = match place {
            Place::Variable { variable, path } => (self.b.ty(self.env.get(*variable)?), path.as_slice()),
            Place::Part { base, path } => {
                self.check_whole(base)?;
                (self.place_type(base)?, path.as_slice())
            }
            Place::Swizzle { base, .. }
            | Place::Elements { base, .. }
            | Place::Bits { base, .. }
            | Place::Address { base, .. }
            | Place::OpaquePart { base, .. } => return self.check_whole(base),
            Place::Memory { .. }
            | Place::Texel { .. }
            | Place::Texels { .. }
            | Place::Output { .. }
            | Place::Value(_)
            | Place::Property { .. }
            // Both halves are written.
            | Place::Pair { .. } => return Ok(()),
        };
        let mut ty: TypeId = whole;
        for step in path {
            if self.program.is_place_pair(ty) {
                return Err(Stop::unsupported("a place that a differentiated function makes or changes"));
            }
            let part = self.b.types.path_type(ty, &[*step]);
            ty = part.ok_or_else(|| Stop::broken("a path that does not fit its type"))?;
        }
        Ok(())
    }

    /// What `handle` refers to, which is of type `to`: for the handle of a descriptor the resource.
    pub(super) fn dereference_to(&mut self, handle: ValueId, to: Ty) -> Lowering<Place> {
        let handle = match self.program.is_place_pair(self.b.ty(handle)) {
            true => self.b.field(handle, PAIR_PRIMAL),
            false => handle,
        };
        let resource = self.program.with_places(PlaceForm::Plain, |program| program.lower_type(to))?;
        Ok(if self.b.ty(handle) == resource {
            Place::Value(handle)
        } else if let Type::Vector { .. } = self.b.type_of(handle) {
            Place::Value(self.program.resource_of(&mut self.b, handle, resource)?)
        } else {
            self.dereference(handle)
        })
    }
}
