//! Places (`IDifferentiablePtrType`) where they travel with their places for derivatives: what is read of one is read of its
//! primal half, a place in it of both, and no part of one is written, because nobody says what becomes of the other half.

use hir_def::{body::ExprId, item::ItemId};
use hir_ty::ty::Ty;
use ir::{PathStep, Type, TypeId, ValueId};

use super::{BodyLowering, place::Place};
use crate::{
    error::{Lowering, Stop},
    fields::{PAIR_DIFFERENTIAL, PAIR_PRIMAL},
    places::PlaceForm,
};

impl BodyLowering<'_, '_> {
    /// The place itself.
    pub(super) fn primal_half(&mut self, place: Place) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        if self.program.is_place_pair(ty) { self.part(place, PathStep::Const(PAIR_PRIMAL)) } else { Ok(place) }
    }

    /// A field that is a place of a place whose place for derivatives is of the same type: the pair of that field of both.
    pub(super) fn place_in_place(
        &mut self,
        place: &Place,
        field: ExprId,
        owner: Ty,
        item: ItemId,
    ) -> Lowering<Option<Place>> {
        let (whole, wanted) = (self.place_type(place)?, self.expr_type(field)?);
        let Type::Struct(pair) = self.b.types.get(whole) else { return Ok(None) };
        let halves = &self.b.types.structs[pair].fields;
        let is_alike = || halves.iter().all(|half| half.ty == halves[0].ty);
        if !self.program.is_place_pair(whole) || !self.program.is_place_pair(wanted) || !is_alike() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for half in [PAIR_PRIMAL, PAIR_DIFFERENTIAL] {
            let half = self.part(place.clone(), PathStep::Const(half))?;
            let part = self.field(half, owner, item)?;
            parts.push(self.read(&part)?);
        }
        Ok(Some(Place::Value(self.b.make(&parts, wanted))))
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
            | Place::Property { .. } => return Ok(()),
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
