//! How values lie in the memory that a host fills: by target and by what they are in. For people and programs that have to
//! know ([`crate::reflect`]); the targets' own compilers do it by themselves.

use ir::layout::{self, Layout};
use ir::provision::DataLayout;
use ir::types::TypeTable;
use ir::{HandleType, Scalar, StructId, Type, TypeId};

/// The rules by which offsets and sizes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Those of the IR.
    Data(DataLayout),
    /// Direct3D's for constant buffers: rows of 16 bytes that no vector crosses, arrays and structs start a row, and what
    /// follows an array may be in its last row.
    Constants,
    /// Direct3D's for elements of buffers: natural, but nothing stands in the padding at the end of a struct.
    Elements,
    /// Of C++: a `bool` is a byte.
    Cpp,
    /// Of Metal for constant buffers: so it is there, and vectors take two or four components and are aligned to them.
    Metal,
    /// Of Metal for elements of buffers: as in C++.
    MetalElements,
    /// Of CUDA: so it is there, and vectors of two and four are aligned as a whole.
    Cuda,
    /// What hosts hand over to kernels of CUDA that the source names: vectors are arrays. What pointers lead to is CUDA's.
    Packed,
}

impl Rules {
    /// `None` for what memory cannot hold.
    pub fn layout(self, types: &TypeTable, ty: TypeId) -> Option<Layout> {
        let is_whole = matches!(types.get(ty), Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. });
        if let (Rules::Data(rules), true) = (self, is_whole) {
            return layout::layout_in(types, ty, rules);
        }
        Some(match types.get(ty) {
            Type::Scalar(scalar) => self.scalar(scalar),
            Type::Vector { scalar, len } => self.vector(scalar, len),
            Type::Matrix { scalar, rows, cols } => self.array(self.vector(scalar, cols), rows.into())?,
            Type::Array { element, len } => self.array(self.layout(types, element)?, len)?,
            Type::Struct(id) => {
                let mut whole = Layout { size: 0, align: 1 };
                for field in &types.structs[id].fields {
                    let field = self.field(types, field.ty)?;
                    whole.size = self.place(whole.size, field)?.checked_add(field.size)?;
                    whole.align = whole.align.max(field.align);
                }
                whole.align = match self {
                    Rules::Constants => 16,
                    Rules::Data(rules) => layout::aggregate_align(whole.align, rules),
                    Rules::Elements
                    | Rules::Cpp
                    | Rules::Metal
                    | Rules::MetalElements
                    | Rules::Cuda
                    | Rules::Packed => whole.align,
                };
                match self {
                    Rules::Constants | Rules::Data(DataLayout::Scalar) => whole,
                    Rules::Data(DataLayout::Std140 | DataLayout::Std430)
                    | Rules::Elements
                    | Rules::Cpp
                    | Rules::Metal
                    | Rules::MetalElements
                    | Rules::Cuda
                    | Rules::Packed => Layout { size: whole.size.checked_next_multiple_of(whole.align)?, ..whole },
                }
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return layout::layout(types, ty),
        })
    }

    /// The rules for what pointers lead to.
    pub fn behind_pointers(self) -> Rules {
        match self {
            Rules::Packed => Rules::Cuda,
            Rules::Data(_)
            | Rules::Constants
            | Rules::Elements
            | Rules::Cpp
            | Rules::Metal
            | Rules::MetalElements
            | Rules::Cuda => self,
        }
    }

    /// What a field takes: buffers and textures among the data are bound by themselves.
    pub fn field(self, types: &TypeTable, ty: TypeId) -> Option<Layout> {
        let is_bound_elsewhere = |ty| match types.get(ty) {
            Type::Handle(HandleType::Pointer { .. }) => false,
            Type::Handle(_) => match self {
                Rules::Data(_) | Rules::Constants | Rules::Elements | Rules::Metal | Rules::MetalElements => true,
                Rules::Cpp | Rules::Cuda | Rules::Packed => false,
            },
            _ => false,
        };
        let mut leaf = ty;
        while let Type::Array { element, .. } = types.get(leaf) {
            leaf = element;
        }
        if is_bound_elsewhere(leaf) {
            return Some(Layout { size: 0, align: 1 });
        }
        match types.get(ty) {
            // In C++ and CUDA a pointer and a number of elements or bytes.
            Type::Handle(HandleType::StructuredBuffer { .. } | HandleType::ByteAddressBuffer { .. }) => {
                Some(Layout { size: 16, align: 8 })
            }
            _ => self.layout(types, ty),
        }
    }

    /// The offset of a field.
    pub fn field_offset(self, types: &TypeTable, id: StructId, index: usize) -> Option<u32> {
        let mut end = 0u32;
        for (at, field) in types.structs[id].fields.iter().enumerate() {
            let field = self.field(types, field.ty)?;
            let offset = self.place(end, field)?;
            if at == index {
                return Some(offset);
            }
            end = offset.checked_add(field.size)?;
        }
        None
    }

    /// Whether values of a type have each number where `other` rules have it, and in as many bytes.
    pub fn agree(self, other: Rules, types: &TypeTable, ty: TypeId) -> bool {
        let scalar = |scalar| self.scalar(scalar).size == other.scalar(scalar).size;
        let stride = |ty| {
            let stride = |rules: Rules| rules.layout(types, ty).map(|element| rules.stride(element));
            stride(self) == stride(other)
        };
        match types.get(ty) {
            Type::Scalar(of) | Type::Vector { scalar: of, .. } => scalar(of),
            Type::Matrix { scalar: of, cols, .. } => scalar(of) && stride(types.vector(of, cols)),
            Type::Array { element, len } => self.agree(other, types, element) && (len < 2 || stride(element)),
            Type::Struct(id) => types.structs[id].fields.iter().enumerate().all(|(index, field)| {
                let offset = |rules: Rules| rules.field_offset(types, id, index);
                offset(self) == offset(other) && self.agree(other, types, field.ty)
            }),
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => true,
        }
    }

    /// The bytes from one element of an array to the next.
    pub fn stride(self, element: Layout) -> u32 {
        match self {
            Rules::Data(rules) => layout::element_stride(element, rules),
            Rules::Constants => element.size.next_multiple_of(16),
            Rules::Elements | Rules::Cpp | Rules::Metal | Rules::MetalElements | Rules::Cuda | Rules::Packed => {
                element.stride()
            }
        }
    }

    /// Where something goes that has to be at `end` or behind it.
    pub fn place(self, end: u32, what: Layout) -> Option<u32> {
        let place = end.checked_next_multiple_of(what.align)?;
        let crosses = self == Rules::Constants && what.size <= 16 && place % 16 + what.size > 16;
        if crosses { place.checked_next_multiple_of(16) } else { Some(place) }
    }

    fn scalar(self, scalar: Scalar) -> Layout {
        let size = match (self, scalar) {
            (Rules::Cpp | Rules::Metal | Rules::MetalElements | Rules::Cuda | Rules::Packed, Scalar::Bool) => 1,
            (
                Rules::Data(_)
                | Rules::Constants
                | Rules::Elements
                | Rules::Cpp
                | Rules::Metal
                | Rules::MetalElements
                | Rules::Cuda
                | Rules::Packed,
                _,
            ) => scalar.bits() / 8,
        };
        Layout { size, align: size }
    }

    fn vector(self, scalar: Scalar, len: u8) -> Layout {
        let Layout { size: scalar_size, align } = self.scalar(scalar);
        let size = scalar_size * u32::from(len);
        if self == Rules::Metal {
            let whole = scalar_size * u32::from(len).next_power_of_two();
            return Layout { size: whole, align: whole };
        }
        let align = match self {
            // Three and four halves are two pairs.
            Rules::Cuda if len > 2 && scalar == Scalar::F16 => 4,
            Rules::Cuda if len != 3 => size.min(16),
            Rules::Cuda
            | Rules::Data(_)
            | Rules::Constants
            | Rules::Elements
            | Rules::Cpp
            | Rules::Metal
            | Rules::MetalElements
            | Rules::Packed => align,
        };
        Layout { size: size.next_multiple_of(if self == Rules::Cuda { align } else { 1 }), align }
    }

    fn array(self, element: Layout, len: u32) -> Option<Layout> {
        let stride = self.stride(element);
        match (self, len) {
            (Rules::Constants, 0) => Some(Layout { size: 0, align: 16 }),
            (Rules::Constants, _) => {
                Some(Layout { size: stride.checked_mul(len - 1)?.checked_add(element.size)?, align: 16 })
            }
            (Rules::Data(DataLayout::Scalar), 0) => Some(Layout { size: 0, ..element }),
            (Rules::Data(DataLayout::Scalar), _) => {
                Some(Layout { size: stride.checked_mul(len - 1)?.checked_add(element.size)?, ..element })
            }
            (Rules::Data(rules @ (DataLayout::Std140 | DataLayout::Std430)), _) => {
                Some(Layout { size: stride.checked_mul(len)?, align: layout::aggregate_align(element.align, rules) })
            }
            (Rules::Elements | Rules::Cpp | Rules::Metal | Rules::MetalElements | Rules::Cuda | Rules::Packed, _) => {
                Some(Layout { size: stride.checked_mul(len)?, align: element.align })
            }
        }
    }
}
