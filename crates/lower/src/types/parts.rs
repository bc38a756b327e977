//! How many parts a type has. Passes and printers walk over the parts of aggregates, so that a struct that holds another
//! one twice, which holds a third one twice, and so on, would cost each of them more than any computer can do: 40 such
//! structs have 2 to the 40th parts, and no memory could hold a value.

use ir::{Type, TypeId};

use crate::{
    error::{Lowering, Stop},
    program::Program,
};

/// More than any program writes down, and few enough to walk over.
const MOST: u32 = 65_536;

impl Program<'_> {
    /// Refuses a struct of these fields if it has too many parts, and notes their number otherwise.
    pub(super) fn count_parts(&mut self, ty: TypeId, fields: impl Iterator<Item = TypeId>) -> Lowering<()> {
        let parts = fields.fold(1, |parts: u32, field| parts.saturating_add(self.parts_of(field)));
        if parts > MOST {
            return Err(Stop::unsupported(format!("a type of more than {MOST} members of members")));
        }
        if let Type::Struct(id) = self.types.get(ty) {
            self.parts.insert(id, parts);
        }
        Ok(())
    }

    fn parts_of(&self, ty: TypeId) -> u32 {
        match self.types.get(ty) {
            Type::Struct(id) => self.parts.get(&id).copied().unwrap_or(1),
            Type::Array { element, .. } => self.parts_of(element),
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Sum(_)
            | Type::Handle(_)
            | Type::Opaque(_) => 1,
        }
    }
}
