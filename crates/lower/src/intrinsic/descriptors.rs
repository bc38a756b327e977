//! Handles of resources by number: `DescriptorHandle<T>`, `T.Handle`, `ResourceDescriptorHeap[i]`.
//!
//! For hosts with a table of all resources a handle is a pair of numbers, as in slangc: where the resource is in the table
//! and, of a texture with its own sampler, where the sampler is in that of samplers. The table is, for each type of
//! resource, a parameter that is an array without length ([`ParameterRole::Heap`]). Elsewhere a handle is the resource.

use hir_def::item::{self, ItemKind};
use hir_ty::ty::{BuiltinType, Ty};
use ir::{
    BinaryOp, Constant, GlobalKind, HandleType, Intrinsic, Op, PathStep, Scalar, Type, TypeId, UnaryOp, ValueId,
    builder::FuncBuilder,
    intrinsic::{DescriptorOp, HintOp},
    provision::{ParameterRole, Provision},
    types::AS_MANY_AS_BOUND,
};

use super::Asked;
use crate::{
    error::{Lowering, Stop},
    front,
    key::GlobalKey,
    program::Program,
};

/// The core library's function that a program may write itself.
const RESOURCE_OF_HANDLE: &str = "getDescriptorFromHandle";

/// `BindlessDescriptorOptions.VkMutable`
const IN_ONE_ARRAY: i64 = 1;

impl Program<'_> {
    /// Whether a handle is a pair of numbers.
    pub(crate) fn descriptors_are_numbers(&self) -> bool {
        matches!(self.target, Some("hlsl" | "glsl" | "spirv"))
    }

    /// What the handle of a resource is.
    pub(crate) fn descriptor_type(&mut self, resource: TypeId) -> Lowering<TypeId> {
        let is_combined = self.types.is_combined_texture(resource);
        let is_resource = match self.types.get(resource) {
            Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }) => false,
            // Direct3D's compiler has no constant buffers in its table but those of structs.
            Type::Handle(HandleType::ConstantBuffer { content }) => {
                !self.types.holds_handles(content)
                    && (self.target != Some("hlsl") || matches!(self.types.get(content), Type::Struct(_)))
            }
            Type::Handle(_) => true,
            _ => is_combined,
        };
        match self.target {
            // For CUDA's host it would be the texture alone, which knows how it is sampled; Vulkan's has an array of both.
            Some("cpp" | "hlsl") => {}
            _ if is_combined => return Err(Stop::unsupported("a descriptor handle of a texture with its own sampler")),
            _ => {}
        }
        match (self.descriptors_are_numbers(), is_resource) {
            (false, _) => Ok(resource),
            (true, true) => Ok(self.types.vector(Scalar::U32, 2)),
            (true, false) => Err(Stop::unsupported("a descriptor handle of this type")),
        }
    }

    /// The table of the resources of a type.
    fn heap(&mut self, resource: TypeId) -> Lowering<ir::GlobalId> {
        let key = GlobalKey::Heap(resource);
        if let Some(&heap) = self.globals.get(&key) {
            return Ok(heap);
        }
        let db = self.db;
        let is_own = |item: &item::ItemId| {
            let data = item::item_data(db, *item);
            matches!(data.kind, ItemKind::Function(_))
                && data.name.as_ref().is_some_and(|name| name.as_str() == RESOURCE_OF_HANDLE)
        };
        let files = front::program_files(db, self.root);
        if files.into_iter().any(|file| item::file_items(db, file).iter().any(is_own)) {
            return Err(Stop::unsupported(format!("a `{RESOURCE_OF_HANDLE}` of the program's own")));
        }
        let name = match self.types.get(resource) {
            Type::Handle(HandleType::Sampler { .. }) => "sampler_heap",
            _ => "resource_heap",
        };
        let content = self.types.array(resource, AS_MANY_AS_BOUND);
        let heap = ir::Global {
            name: self.unique_name(name),
            ty: self.types.intern(Type::Handle(HandleType::ConstantBuffer { content })),
            kind: GlobalKind::Parameter,
            provision: Provision::of_role(ParameterRole::Heap),
            by_descriptor: false,
        };
        let heap = self.module.globals.alloc(heap);
        self.globals.insert(key, heap);
        Ok(heap)
    }

    /// The resource at a place of its table.
    fn in_heap(&mut self, b: &mut FuncBuilder<'_>, resource: TypeId, index: ValueId) -> Lowering<ValueId> {
        let heap = self.heap(resource)?;
        let ty = self.module.globals[heap].ty;
        let handle = b.value(Op::Global(heap), ty);
        Ok(b.value(Op::Load { handle, path: [PathStep::Dynamic(index)].into_iter().collect() }, resource))
    }

    /// The resource of type `resource` that a handle stands for.
    pub(crate) fn resource_of(
        &mut self,
        b: &mut FuncBuilder<'_>,
        handle: ValueId,
        resource: TypeId,
    ) -> Lowering<ValueId> {
        if b.ty(handle) == resource {
            return Ok(handle);
        }
        let Type::Struct(id) = self.types.get(resource) else {
            let index = part(b, handle, 0);
            return self.in_heap(b, resource, index);
        };
        let fields: Vec<TypeId> = self.types.structs[id].fields.iter().map(|field| field.ty).collect();
        let mut parts = Vec::new();
        for (number, ty) in (0..).zip(fields) {
            let index = part(b, handle, number);
            parts.push(self.in_heap(b, ty, index)?);
        }
        Ok(b.make(&parts, resource))
    }
}

/// Functions of handles, where they are numbers.
pub(crate) fn operation(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    op: DescriptorOp,
    asked: &Asked<'_>,
) -> Lowering<ValueId> {
    let u32 = b.types.scalar(Scalar::U32);
    let u64 = b.types.scalar(Scalar::U64);
    let first = asked.arg(0)?;
    Ok(match op {
        DescriptorOp::FromPair | DescriptorOp::ToPair => first,
        DescriptorOp::FromNumber => {
            let ty = asked.result()?;
            let bits = b.constant(Constant::Int(32), u64);
            let high = b.binary(BinaryOp::Shr, first, bits);
            let (low, high) = (b.convert(first, u32), b.convert(high, u32));
            b.make(&[low, high], ty)
        }
        DescriptorOp::ToNumber => {
            let (low, high) = (part(b, first, 0), part(b, first, 1));
            let (low, high) = (b.convert(low, u64), b.convert(high, u64));
            let bits = b.constant(Constant::Int(32), u64);
            let high = b.binary(BinaryOp::Shl, high, bits);
            b.binary(BinaryOp::Or, low, high)
        }
        DescriptorOp::Equals => {
            let second = asked.arg(1)?;
            let low = compare(b, BinaryOp::Equal, first, second, 0);
            let high = compare(b, BinaryOp::Equal, first, second, 1);
            b.binary(BinaryOp::And, low, high)
        }
        DescriptorOp::Less => less(b, first, asked.arg(1)?),
        DescriptorOp::LessOrEqual => {
            let greater = less(b, asked.arg(1)?, first);
            b.unary(UnaryOp::Not, greater)
        }
        DescriptorOp::Resource => {
            let option = asked.args.get(1).map(|&option| b.func.defining_op(option).map(|data| &data.op));
            if !matches!(option, None | Some(Some(Op::Const(Constant::Int(IN_ONE_ARRAY))))) {
                return Err(Stop::unsupported("a way other than the usual one from a handle to its resource"));
            }
            let ty = asked.result()?;
            program.resource_of(b, first, ty)?
        }
        DescriptorOp::FromHeap => {
            let ty = asked.result()?;
            let index = part(b, first, 0);
            match b.types.get(ty) {
                Type::Vector { .. } => {
                    let zero = b.constant(Constant::Int(0), u32);
                    b.make(&[index, zero], ty)
                }
                _ => program.in_heap(b, ty, index)?,
            }
        }
        DescriptorOp::As | DescriptorOp::Heap | DescriptorOp::HeapPlace => {
            let results = [asked.result()?];
            let args = asked.args.iter().copied().collect();
            b.value(Op::Intrinsic { intrinsic: Intrinsic::Descriptor(op), args }, results[0])
        }
    })
}

/// `nonuniform` of a handle: both numbers may differ between threads.
pub(crate) fn by_thread(b: &mut FuncBuilder<'_>, handle: ValueId) -> ValueId {
    let (ty, u32) = (b.ty(handle), b.types.scalar(Scalar::U32));
    let numbers = [0, 1].map(|index| {
        let number = part(b, handle, index);
        let intrinsic = Intrinsic::Hint(HintOp::NonUniform);
        b.value(Op::Intrinsic { intrinsic, args: [number].into_iter().collect() }, u32)
    });
    b.make(&numbers, ty)
}

/// Whether a handle of this type is a pair of numbers.
pub(crate) fn is_number(program: &Program<'_>, ty: Option<Ty>) -> bool {
    program.descriptors_are_numbers() && matches!(ty, Some(Ty::Builtin(BuiltinType::DescriptorHandle, _)))
}

/// One of the numbers; of what is made here that which it is made of, so that what is said of it is still seen.
fn part(b: &mut FuncBuilder<'_>, handle: ValueId, index: u32) -> ValueId {
    match b.func.defining_op(handle).map(|data| &data.op) {
        Some(Op::Make(parts)) if (index as usize) < parts.len() => parts[index as usize],
        _ => b.field(handle, index),
    }
}

fn compare(b: &mut FuncBuilder<'_>, op: BinaryOp, left: ValueId, right: ValueId, index: u32) -> ValueId {
    let (left, right) = (part(b, left, index), part(b, right, index));
    b.binary(op, left, right)
}

/// By the second number, then by the first: they are the high and the low half of one.
fn less(b: &mut FuncBuilder<'_>, left: ValueId, right: ValueId) -> ValueId {
    let high = compare(b, BinaryOp::Less, left, right, 1);
    let same = compare(b, BinaryOp::Equal, left, right, 1);
    let low = compare(b, BinaryOp::Less, left, right, 0);
    let low = b.binary(BinaryOp::And, same, low);
    b.binary(BinaryOp::Or, high, low)
}
