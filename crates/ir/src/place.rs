//! Parts of aggregates, and places under handles: what a path leads to.

use crate::{
    HandleType, PathStep, Type, TypeId,
    types::{SumId, TypeTable},
};

impl TypeTable {
    /// The type of the part of an aggregate (or of the place under a handle) that `path` leads to, `None` if the path
    /// does not fit.
    pub fn path_type(&self, aggregate: TypeId, path: &[PathStep]) -> Option<TypeId> {
        let ty = self.part_type(aggregate, path)?;
        Some(self.intern(ty))
    }

    /// [`TypeTable::path_type`] without interning the answer.
    pub fn part_type(&self, aggregate: TypeId, path: &[PathStep]) -> Option<Type> {
        let mut ty = self.get(aggregate);
        let mut steps = path.iter();
        if let Type::Handle(handle) = ty {
            match handle {
                HandleType::StructuredBuffer { element, .. } | HandleType::TexelBuffer { element, .. } => {
                    steps.next()?;
                    ty = self.get(element);
                }
                HandleType::Pointer { pointee } | HandleType::Address { pointee } => {
                    steps.next()?;
                    ty = self.get(pointee);
                }
                HandleType::ConstantBuffer { content } | HandleType::Variable { content } => ty = self.get(content),
                HandleType::ByteAddressBuffer { .. }
                | HandleType::Texture { .. }
                | HandleType::Sampler { .. }
                | HandleType::AccelerationStructure
                | HandleType::RayQuery { .. } => {
                    return None;
                }
            }
        }
        for &step in steps {
            ty = match (ty, step) {
                (Type::Struct(id), PathStep::Const(index)) => self.get(self.structs[id].fields.get(index as usize)?.ty),
                (Type::Vector { scalar, len }, step) if in_bounds(step, len.into()) => Type::Scalar(scalar),
                (Type::Matrix { scalar, rows, cols }, step) if in_bounds(step, rows.into()) => {
                    Type::Vector { scalar, len: cols }
                }
                (Type::Array { element, len }, step) if in_bounds(step, len) => self.get(element),
                _ => return None,
            };
        }
        Some(ty)
    }

    /// Whether values of the sum can be "null": the sum is the differential of another one, and null the derivative of
    /// a value whose type has none.
    pub fn sum_has_null(&self, sum: SumId) -> bool {
        self.sums
            .iter()
            .any(|(_, def)| def.differential.is_some_and(|differential| self.get(differential) == Type::Sum(sum)))
    }

    /// Whether `differential` is the type that derivatives of `ty` have: [`TypeTable::differential_of`] as a question.
    pub fn is_differential_of(&self, ty: TypeId, differential: TypeId) -> bool {
        match (self.get(ty), self.get(differential)) {
            (Type::Array { element, len }, Type::Array { element: differential, len: differential_len }) => {
                len == differential_len && self.is_differential_of(element, differential)
            }
            (Type::Array { .. }, _) => false,
            (Type::Struct(id), _) => self.structs[id].differential.as_ref().is_some_and(|d| d.ty == differential),
            (Type::Sum(id), _) => self.sums[id].differential == Some(differential),
            (Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_), _) => {
                ty == differential && self.is_differentiable(ty)
            }
        }
    }
}

fn in_bounds(step: PathStep, len: u32) -> bool {
    match step {
        PathStep::Const(index) => index < len,
        PathStep::Dynamic(_) => true,
    }
}
