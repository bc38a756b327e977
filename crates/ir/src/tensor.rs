//! Tensors of PyTorch: the core library's `TensorView` and `TorchTensor`, structs known by their fields.

use crate::types::{HandleType, StructId, Type, TypeId, TypeTable};

/// The fields of a view: a pointer to the elements, the distance in bytes and the number of elements along each
/// dimension, and how many dimensions there are.
const FIELDS: [&str; 4] = ["__data", "__strides", "__sizes", "__dimensionCount"];

/// A struct that is a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorView {
    /// The type of its elements.
    pub element: TypeId,
    /// The most dimensions that it can have.
    pub dimensions: usize,
}

/// What a struct is a view of, `None` if it is not a tensor.
pub fn tensor_view(types: &TypeTable, id: StructId) -> Option<TensorView> {
    let fields = &types.structs[id].fields;
    if !fields.iter().map(|field| field.name.as_str()).eq(FIELDS) {
        return None;
    }
    match (types.get(fields[0].ty), types.get(fields[1].ty)) {
        (Type::Handle(HandleType::Pointer { pointee }), Type::Array { len, .. }) => {
            Some(TensorView { element: pointee, dimensions: len as usize })
        }
        _ => None,
    }
}

/// The fields of a tensor on the host: a pointer to its elements, and its number among those that are held.
const HOST_FIELDS: [&str; 2] = ["__data", "__number"];

/// The type of the elements, if a struct is a tensor on the host.
pub fn torch_tensor(types: &TypeTable, id: StructId) -> Option<TypeId> {
    let fields = &types.structs[id].fields;
    if !fields.iter().map(|field| field.name.as_str()).eq(HOST_FIELDS) {
        return None;
    }
    match types.get(fields[0].ty) {
        Type::Handle(HandleType::Pointer { pointee }) => Some(pointee),
        _ => None,
    }
}

impl TensorView {
    /// The distances in bytes between elements of a tensor without gaps, for all dimensions that there can be; `None` for
    /// more dimensions than that, or too many elements.
    pub fn strides(&self, element_bytes: u32, sizes: &[u32]) -> Option<Vec<u32>> {
        if sizes.len() > self.dimensions {
            return None;
        }
        let mut strides = vec![0; self.dimensions];
        let mut stride = element_bytes;
        for (own, size) in strides.iter_mut().zip(sizes).take(sizes.len()).rev() {
            *own = stride;
            stride = stride.checked_mul(*size)?;
        }
        Some(strides)
    }
}
