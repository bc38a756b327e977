//! How derivatives of aggregates are represented.
//!
//! The source calls the differential of an interface value `IDifferentiable`, which any differentiable type of the program
//! conforms to. Here it is a sum of its own for each interface ([`sums`](crate::sums)), of the differentials of the types that
//! conform to that interface and of no others. So the differential of whatever holds an interface value is made of the
//! differentials of its parts, and not of what the source calls it. Where a program names such a type itself (`IDifferentiable
//! d = pair.d.field`), values are converted from the one sum to the other.

use hir_def::item::ItemId;
use hir_ty::{
    aggregate,
    ty::{BuiltinType, Ty},
};
use ir::{Differential, Field, StructDef, StructId, Type, TypeId};

use super::Member;
use crate::{
    derivative,
    error::{Lowering, Stop},
    front,
    mode::Mode,
    program::Program,
};

impl Program<'_> {
    /// The type of the values whose derivatives a member of `ty` holds, if it holds derivatives by what `ty` is.
    pub(super) fn primal_of_member(&self, ty: Ty, item: Option<ItemId>, before: &[Member]) -> Option<Ty> {
        match (ty, item) {
            (Ty::Builtin(BuiltinType::DifferentialPair, _), _) => before.first().map(|(_, primal)| *primal),
            (Ty::SynthesizedDifferential(of, args), Some(field)) => {
                Some(aggregate::field_type(self.db, self.env(), Ty::Adt(of, args), field))
            }
            _ => None,
        }
    }

    /// The type of derivatives of values of type `primal`, which the source calls `differential`.
    pub(super) fn lower_differential(&mut self, primal: Ty, differential: Ty) -> Lowering<TypeId> {
        let primal = self.lower_type(primal)?;
        match self.types.differential_of(primal) {
            Some(differential) => Ok(differential),
            None => self.lower_type(differential),
        }
    }

    /// Says how derivatives of the struct `id` are represented.
    pub(super) fn fill_in_differential(&mut self, ty: Ty, id: TypeId, members: &[Member]) -> Lowering<()> {
        let Some(differential_ty) = front::differential_of(self.db, self.root, ty) else { return Ok(()) };
        if let Ty::Builtin(BuiltinType::DifferentialPtrPair, _) = ty {
            return Ok(());
        }
        let Type::Struct(struct_id) = self.types.get(id) else { return Ok(()) };
        let has_name = matches!(ty, Ty::Adt(..) | Ty::SynthesizedDifferential(..));
        if self.mode == Mode::Program && !has_name && members.iter().any(|(_, member)| self.holds_interface(*member)) {
            self.differential_of_parts(ty, struct_id);
            return Ok(());
        }
        let differential = if differential_ty == ty { id } else { self.lower_type(differential_ty)? };
        let mut fields = Vec::new();
        let copies = front::copies_with_derivative(self, ty);
        let derivatives = front::derivative_fields(self, ty);
        for (index, (item, _)) in members.iter().enumerate() {
            let position = match item {
                // The differential of a lambda has no place for copies that carry nothing.
                None if let Some(copies) = &copies => {
                    let before = copies.get(..index).unwrap_or_default().iter().filter(|carries| **carries).count();
                    copies.get(index).is_some_and(|carries| *carries).then_some(before as u32)
                }
                Some(item) => match derivatives.get(item) {
                    Some(field) => Some(self.field_index(differential_ty, *field)?),
                    None => None,
                },
                None => Some(index as u32),
            };
            fields.push(self.differential_field(struct_id, index, position, differential)?);
        }
        let of_fields = Some(Differential { ty: differential, fields, dadd: None, dzero: None });
        self.types.structs.revise(struct_id, |def| def.differential = of_fields);
        if self.mode == Mode::Program {
            let dadd = match front::merging_use(self, ty) {
                Some(merging) => Some(derivative::merge::function(self, ty, merging)?),
                None => front::user_dadd(self, ty).map(|function| self.function(function)).transpose()?,
            };
            let dzero = front::user_dzero(self, ty).map(|function| self.function(function)).transpose()?;
            if dadd.is_some() || dzero.is_some() {
                self.types.structs.revise(struct_id, |def| {
                    if let Some(differential) = &mut def.differential {
                        (differential.dadd, differential.dzero) = (dadd, dzero);
                    }
                });
            }
        }
        Ok(())
    }

    /// `position`, which the source gives, if the field number `index` of the struct carries derivatives.
    fn differential_field(
        &self,
        of: StructId,
        index: usize,
        position: Option<u32>,
        differential: TypeId,
    ) -> Lowering<Option<u32>> {
        let Field { name, ty, no_diff, .. } = self.types.structs[of].fields[index].clone();
        let (Some(place), Some(wanted), false) = (position, self.types.differential_of(ty), no_diff) else {
            return Ok(None);
        };
        // `T.Differential` and what it stands for are strangers here: that there is a place must do.
        if self.mode == Mode::Analysis {
            return Ok(position);
        }
        let Type::Struct(differential) = self.types.get(differential) else { return Ok(None) };
        match self.types.structs[differential].fields.get(place as usize) {
            Some(field) if field.ty == wanted => Ok(position),
            Some(_) => {
                let holder = &self.types.structs[of].name;
                Err(Stop::unsupported(format!("a differential of `{holder}` with a `{name}` of this type")))
            }
            None => Ok(None),
        }
    }

    /// Whether values of type `ty` are interface values or made of such.
    fn holds_interface(&self, ty: Ty) -> bool {
        match ty {
            Ty::Adt(..) => hir_ty::extension::is_interface(self.db, ty),
            Ty::Builtin(
                BuiltinType::Array
                | BuiltinType::Optional
                | BuiltinType::DifferentialPair
                | BuiltinType::DifferentialPtrPair,
                _,
            ) => ty.first_type_arg(self.db).is_some_and(|content| self.holds_interface(content)),
            Ty::Builtin(BuiltinType::Tuple, _) => ty
                .as_tuple(self.db)
                .is_some_and(|elements| elements.iter().any(|element| self.holds_interface(*element))),
            Ty::Closure(closure) => closure.captures(self.db).iter().any(|(_, copy)| self.holds_interface(*copy)),
            _ => false,
        }
    }

    /// A differential of the IR's own: for each part that carries derivatives, the differential of that part.
    fn differential_of_parts(&mut self, ty: Ty, of: StructId) {
        let is_optional = matches!(ty, Ty::Builtin(BuiltinType::Optional, _));
        let mut fields: Vec<Field> = Vec::new();
        let mut places = Vec::new();
        let mut own_places = Vec::new();
        for field in self.types.structs[of].fields.clone() {
            let place = fields.len() as u32;
            if let Some(ty) = self.types.differential_of(field.ty) {
                places.push(Some(place));
                own_places.push(Some(place));
                fields.push(Field { ty, ..field });
            } else {
                places.push(None);
                // The derivative of an optional is an optional.
                if is_optional {
                    own_places.push(None);
                    fields.push(field);
                }
            }
        }
        let name = self.unique_name(&format!("{}.Differential", self.types.structs[of].name));
        let differential = self.types.add_struct(StructDef { name, fields, differential: None });
        let with = |fields| Some(Differential { ty: differential, fields, dadd: None, dzero: None });
        if let Type::Struct(own) = self.types.get(differential) {
            self.types.structs.revise(own, |def| def.differential = with(own_places));
        }
        self.types.structs.revise(of, |def| def.differential = with(places));
    }
}
