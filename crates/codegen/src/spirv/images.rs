//! Images: their types, and texels that are read and written by their places, without a sampler.

use ir::{AtomicOp, GlobalId, HandleType, Intrinsic, Op as IrOp, Scalar, Type, TypeId, intrinsic::TextureOp};
use spirv::{Capability, Dim, ImageFormat as F, ImageOperands, Op, StorageClass};

use super::function::{FunctionWriter, Slot};
use super::statements::DEVICE;
use super::words::Id;
use super::{ModuleWriter, atomics};
use crate::lookups::is_constant;
use crate::tree::{Expr, ExprKind, Step};
use crate::{EmitError, formats};

/// What texels are kept as, by the words of `[format]`.
const FORMATS: [(&str, F); 42] = [
    ("unknown", F::Unknown),
    ("rgba32f", F::Rgba32f),
    ("rgba16f", F::Rgba16f),
    ("rg32f", F::Rg32f),
    ("rg16f", F::Rg16f),
    ("r11f_g11f_b10f", F::R11fG11fB10f),
    ("r32f", F::R32f),
    ("r16f", F::R16f),
    ("rgba16", F::Rgba16),
    ("rgb10_a2", F::Rgb10A2),
    ("rgba8", F::Rgba8),
    ("rg16", F::Rg16),
    ("rg8", F::Rg8),
    ("r16", F::R16),
    ("r8", F::R8),
    ("rgba16_snorm", F::Rgba16Snorm),
    ("rgba8_snorm", F::Rgba8Snorm),
    ("rg16_snorm", F::Rg16Snorm),
    ("rg8_snorm", F::Rg8Snorm),
    ("r16_snorm", F::R16Snorm),
    ("r8_snorm", F::R8Snorm),
    ("rgba32i", F::Rgba32i),
    ("rgba16i", F::Rgba16i),
    ("rgba8i", F::Rgba8i),
    ("rg32i", F::Rg32i),
    ("rg16i", F::Rg16i),
    ("rg8i", F::Rg8i),
    ("r32i", F::R32i),
    ("r16i", F::R16i),
    ("r8i", F::R8i),
    ("rgba32ui", F::Rgba32ui),
    ("rgba16ui", F::Rgba16ui),
    ("rgb10_a2ui", F::Rgb10a2ui),
    ("rgba8ui", F::Rgba8ui),
    ("rg32ui", F::Rg32ui),
    ("rg16ui", F::Rg16ui),
    ("rg8ui", F::Rg8ui),
    ("r32ui", F::R32ui),
    ("r16ui", F::R16ui),
    ("r8ui", F::R8ui),
    ("r64ui", F::R64ui),
    ("r64i", F::R64i),
];

/// Whether all devices have images of a format.
fn is_common(format: F) -> bool {
    matches!(
        format,
        F::Unknown
            | F::Rgba32f
            | F::Rgba16f
            | F::R32f
            | F::Rgba8
            | F::Rgba8Snorm
            | F::Rgba32i
            | F::Rgba16i
            | F::Rgba8i
            | F::R32i
            | F::Rgba32ui
            | F::Rgba16ui
            | F::Rgba8ui
            | F::R32ui
            // These have a capability of their own.
            | F::R64i
            | F::R64ui
    )
}

/// What an image type says beside its texels.
#[derive(Debug, Clone, Copy)]
struct ImageShape {
    /// What texels are made of in the source.
    component: Scalar,
    /// What the image gives and takes for that.
    scalar: Scalar,
    /// Components of a texel.
    len: u8,
    dim: Dim,
    /// Numbers that name a texel of one level and layer.
    dims: u8,
    array: bool,
    multisampled: bool,
    writable: bool,
}

impl ImageShape {
    /// Numbers that name a texel of one level.
    fn coordinates(self) -> u8 {
        self.dims + u8::from(self.array)
    }
}

impl ModuleWriter<'_> {
    fn image_shape(&self, handle: HandleType) -> Option<ImageShape> {
        let (element, dim, dims, array, multisampled, writable) = match handle {
            HandleType::TexelBuffer { element, writable } => (element, Dim::DimBuffer, 1, false, false, writable),
            HandleType::Texture { element, dims, array, multisampled, cube, writable } => {
                let dim = match (dims, cube) {
                    (_, true) => Dim::DimCube,
                    (1, _) => Dim::Dim1D,
                    (2, _) => Dim::Dim2D,
                    _ => Dim::Dim3D,
                };
                (element, dim, dims, array, multisampled, writable)
            }
            _ => return None,
        };
        let (component, len) = match self.module.types.get(element) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector { scalar, len } => (scalar, len),
            _ => return None,
        };
        // Numbers of 64 bits are not sampled.
        let scalar = formats::held(component).filter(|scalar| writable || scalar.bits() < 64)?;
        let is_shape = !(array && dim == Dim::Dim3D) && (!multisampled || dim == Dim::Dim2D);
        is_shape.then_some(ImageShape { component, scalar, len, dim, dims, array, multisampled, writable })
    }

    /// The type of an image that a parameter is.
    pub(super) fn image_type(&mut self, global: GlobalId, handle: HandleType) -> Result<Id, String> {
        const UNSUPPORTED: &str = "a texture like this is not supported for target `spirv`";
        let shape = self.image_shape(handle).ok_or(UNSUPPORTED)?;
        let format = if shape.writable { self.format_of(global, shape)? } else { F::Unknown };
        let capability = match (shape.dim, shape.writable) {
            (Dim::Dim1D, true) => Some(Capability::Image1D),
            (Dim::Dim1D, false) => Some(Capability::Sampled1D),
            (Dim::DimBuffer, true) => Some(Capability::ImageBuffer),
            (Dim::DimBuffer, false) => Some(Capability::SampledBuffer),
            (Dim::DimCube, true) if shape.array => Some(Capability::ImageCubeArray),
            (Dim::DimCube, false) if shape.array => Some(Capability::SampledCubeArray),
            (Dim::Dim2D, true) if shape.multisampled && shape.array => Some(Capability::ImageMSArray),
            (Dim::Dim2D, true) if shape.multisampled => Some(Capability::StorageImageMultisample),
            _ => None,
        };
        if let Some(capability) = capability {
            self.out.require(capability);
        }
        if shape.writable && shape.multisampled {
            self.out.require(Capability::StorageImageMultisample);
        }
        if !is_common(format) {
            self.out.require(Capability::StorageImageExtendedFormats);
        }
        if shape.writable && format == F::Unknown {
            self.out.require(Capability::StorageImageReadWithoutFormat);
            self.out.require(Capability::StorageImageWriteWithoutFormat);
        }
        if shape.scalar.bits() == 64 {
            self.out.require(Capability::Int64ImageEXT);
            self.out.require_extension("SPV_EXT_shader_image_int64");
        }
        let scalar = self.scalar_type(shape.scalar);
        // Whether depths are compared is said where that is done.
        let (depth, sampled) = if shape.writable { (0, 2) } else { (2, 1) };
        let (array, multisampled) = (u32::from(shape.array), u32::from(shape.multisampled));
        let operands = [scalar.0, shape.dim as u32, depth, array, multisampled, sampled, format as u32];
        Ok(self.out.ty(Op::TypeImage, &operands))
    }

    /// What the texels of an image that is written are kept as.
    fn format_of(&self, global: GlobalId, shape: ImageShape) -> Result<F, String> {
        let data = &self.module.globals[global];
        let is_atomic = self.is_used_by(global, |op| op.atomic().is_some()) || self.is_changed_at_once(global);
        let word = match &data.provision.format {
            Some(word) => word.as_str(),
            None => formats::implied(shape.component, shape.len)
                .ok_or("a texture like this is not supported for target `spirv`")?,
        };
        let is_it = |(name, _): &&(&str, F)| word == *name || word == name.replace('_', "");
        let found = FORMATS.iter().find(is_it).map(|(_, format)| *format);
        let format = found.ok_or_else(|| format!("the format `{word}` is not supported for target `spirv`"))?;
        match is_atomic && !matches!(format, F::R32i | F::R32ui | F::R32f | F::R64i | F::R64ui) {
            true => Err("atomic operations on texels that are not one number of 32 or 64 bits are not supported for \
                         target `spirv`"
                .into()),
            false => Ok(format),
        }
    }

    fn is_used_by(&self, global: GlobalId, is_it: impl Fn(TextureOp) -> bool) -> bool {
        self.module.funcs.iter().any(|(_, func)| {
            func.ops.iter().any(|(_, data)| match &data.op {
                IrOp::Intrinsic { intrinsic: Intrinsic::Texture(op), args } if is_it(*op) => {
                    args.first().is_some_and(|&handle| names(func, handle, global))
                }
                _ => false,
            })
        })
    }

    /// Whether a texel buffer has atomic operations.
    fn is_changed_at_once(&self, global: GlobalId) -> bool {
        self.module.funcs.iter().any(|(_, func)| {
            func.ops.iter().any(|(_, data)| match &data.op {
                IrOp::Atomic { handle, .. } => names(func, *handle, global),
                _ => false,
            })
        })
    }
}

/// Whether a value is a resource of a parameter.
fn names(func: &ir::Func, value: ir::ValueId, global: GlobalId) -> bool {
    match func.defining_op(value).map(|data| &data.op) {
        Some(IrOp::Global(of)) => *of == global,
        Some(IrOp::Load { handle, .. }) => {
            matches!(func.defining_op(*handle).map(|data| &data.op), Some(IrOp::Global(of)) if *of == global)
        }
        _ => false,
    }
}

impl FunctionWriter<'_, '_> {
    fn shape(&self, image: &Expr) -> Result<ImageShape, EmitError> {
        let shape = match self.type_of(image.ty) {
            Type::Handle(handle) => self.module.image_shape(handle),
            _ => None,
        };
        shape.ok_or_else(|| self.error("a texture like this is not supported for this target"))
    }

    /// A place as integers, and the number behind it: the level of a texture that is only read.
    fn location(&mut self, shape: ImageShape, location: &Expr) -> Result<(Id, Option<Id>), EmitError> {
        let (scalar, given) = (self.scalar_of(location.ty), self.len_of(location.ty));
        let value = self.expr(location)?;
        let value = self.convert_scalar(value, scalar, Scalar::I32, given);
        let wanted = shape.coordinates();
        if given == wanted {
            return Ok((value, None));
        }
        if given != wanted + 1 || shape.writable {
            return Err(self.error("a texture like this is not supported for this target"));
        }
        let int = self.module.scalar_type(Scalar::I32);
        let level = self.extract(int, value, &[wanted.into()]);
        let place_type = self.module.vector_type(Scalar::I32, wanted);
        let place = match wanted {
            1 => self.extract(place_type, value, &[0]),
            _ => {
                let operands: Vec<u32> = [value.0, value.0].into_iter().chain(0..wanted.into()).collect();
                self.value_with(Op::VectorShuffle, place_type, &operands)
            }
        };
        Ok((place, Some(level)))
    }

    /// A texel at a place.
    pub(super) fn load_texel(&mut self, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let [image, location, rest @ ..] = args else {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Load)));
        };
        let shape = self.shape(image)?;
        if shape.dim == Dim::DimCube {
            return Err(self.error("a texture like this is not supported for this target"));
        }
        let object = self.opaque(image)?;
        let (place, level) = self.location(shape, location)?;
        let (sample, offset) = match (shape.multisampled, rest) {
            (true, [sample, offset @ ..]) if self.len_of(sample.ty) == 1 => {
                let value = self.expr(sample)?;
                (Some(self.convert_scalar(value, self.scalar_of(sample.ty), Scalar::I32, 1)), offset)
            }
            (false, offset) => (None, offset),
            _ => return Err(self.refused(Intrinsic::Texture(TextureOp::Load))),
        };
        let (place, constant_offset) = match offset {
            [] => (place, None),
            [offset] => self.moved(shape, place, offset)?,
            _ => return Err(self.error("a load with a status is not supported for this target")),
        };
        let (mut mask, mut operands) = (ImageOperands::NONE, Vec::new());
        if !shape.writable && !shape.multisampled {
            mask |= ImageOperands::LOD;
            operands.push(level.unwrap_or_else(|| self.module.out_i32(0)));
        }
        if let Some(offset) = constant_offset {
            mask |= ImageOperands::CONST_OFFSET;
            operands.push(offset);
        }
        if let Some(sample) = sample {
            mask |= ImageOperands::SAMPLE;
            operands.push(sample);
        }
        let mut words = vec![object.0, place.0];
        if mask != ImageOperands::NONE {
            words.push(mask.bits());
            words.extend(operands.iter().map(|id| id.0));
        }
        let op = if shape.writable { Op::ImageRead } else { Op::ImageFetch };
        let texel_type = self.module.vector_type(shape.scalar, 4);
        let texel = self.value_with(op, texel_type, &words);
        let len = self.len_of(ty);
        let texel = self.first_components(texel, shape.scalar, len);
        Ok(self.convert_scalar(texel, shape.scalar, shape.component, len))
    }

    /// A place within its layer, and the offset by which it is moved where that is a constant; otherwise it is added.
    fn moved(&mut self, shape: ImageShape, place: Id, offset: &Expr) -> Result<(Id, Option<Id>), EmitError> {
        if shape.writable || self.len_of(offset.ty) != shape.dims || self.scalar_of(offset.ty) != Scalar::I32 {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Load)));
        }
        let value = self.expr(offset)?;
        if is_constant(offset) && self.module.out.is_constant(value) {
            return Ok((place, Some(value)));
        }
        let ty = self.module.vector_type(Scalar::I32, shape.coordinates());
        let value = match shape.array {
            true => {
                let layer = self.module.out_i32(0);
                self.value(Op::CompositeConstruct, ty, &[value, layer])
            }
            false => value,
        };
        Ok((self.value(Op::IAdd, ty, &[place, value]), None))
    }

    /// Writes a texel: four numbers, whatever the image keeps of them.
    pub(super) fn store_texel(&mut self, args: &[Expr]) -> Result<(), EmitError> {
        let [image, location, value] = args else {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Store)));
        };
        let shape = self.shape(image)?;
        let object = self.opaque(image)?;
        let (place, _) = self.location(shape, location)?;
        let given = self.expr(value)?;
        self.write_texel(shape, object, place, given);
        Ok(())
    }

    fn write_texel(&mut self, shape: ImageShape, object: Id, place: Id, given: Id) {
        let given = self.convert_scalar(given, shape.component, shape.scalar, shape.len);
        let texel = match shape.len {
            4 => given,
            len => {
                let zero = self.module.scalar_constant(ir::Constant::Int(0), shape.scalar);
                let ty = self.module.vector_type(shape.scalar, 4);
                let zeros = std::iter::repeat_n(zero, usize::from(4 - len));
                let parts: Vec<Id> = [given].into_iter().chain(zeros).collect();
                // Parts that are vectors make no constant.
                if len == 1 { self.construct(ty, &parts) } else { self.value(Op::CompositeConstruct, ty, &parts) }
            }
        };
        self.push(Op::ImageWrite, &[object.0, place.0, texel.0]);
    }

    /// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
    pub(super) fn dimensions(&mut self, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(TextureOp::Dimensions));
        let [texture, rest @ ..] = args else { return Err(refused(self)) };
        let shape = self.shape(texture)?;
        let object = self.opaque(texture)?;
        self.module.out.require(Capability::ImageQuery);
        let (outs, level): (Vec<&Expr>, Vec<&Expr>) =
            rest.iter().partition(|arg| matches!(arg.kind, ExprKind::Reference(_)));
        let level = match level[..] {
            [] => self.module.out_i32(0),
            [level] if self.len_of(level.ty) == 1 => {
                let value = self.expr(level)?;
                self.convert_scalar(value, self.scalar_of(level.ty), Scalar::I32, 1)
            }
            _ => return Err(refused(self)),
        };
        let (count, word) = (shape.coordinates(), self.module.scalar_type(Scalar::U32));
        let size_type = self.module.vector_type(Scalar::U32, count);
        let size = match shape.writable || shape.multisampled {
            true => self.value(Op::ImageQuerySize, size_type, &[object]),
            false => self.value(Op::ImageQuerySizeLod, size_type, &[object, level]),
        };
        for (index, out) in (0..).zip(outs) {
            let ExprKind::Reference(local) = out.kind else { return Err(refused(self)) };
            let Slot::Pointer(pointer) = self.slot(local)? else { return Err(refused(self)) };
            let value = match index < u32::from(count) {
                true if count == 1 => size,
                true => self.extract(word, size, &[index]),
                false if shape.multisampled => self.value(Op::ImageQuerySamples, word, &[object]),
                false if shape.writable => return Err(refused(self)),
                false => self.value(Op::ImageQueryLevels, word, &[object]),
            };
            let value = self.convert_scalar(value, Scalar::U32, self.scalar_of(out.ty), 1);
            self.store_pointer(pointer, value);
        }
        Ok(())
    }

    /// Changes a texel in one step; what it was before.
    pub(super) fn texel_atomic(&mut self, op: TextureOp, args: &[Expr]) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(op));
        let atomic = op.atomic().ok_or_else(|| refused(self))?;
        let [image, location, operands @ ..] = args else { return Err(refused(self)) };
        let shape = self.shape(image)?;
        if !shape.writable || shape.multisampled || shape.dim == Dim::DimCube {
            return Err(refused(self));
        }
        let (place, _) = self.location(shape, location)?;
        self.atomic_on_texel(atomic, shape, image, place, operands)
    }

    fn atomic_on_texel(
        &mut self,
        op: AtomicOp,
        shape: ImageShape,
        image: &Expr,
        place: Id,
        operands: &[Expr],
    ) -> Result<Id, EmitError> {
        let is_known = shape.component.is_integer()
            || (shape.component == Scalar::F32 && matches!(op, AtomicOp::Exchange | AtomicOp::Add));
        if !is_known || shape.len != 1 {
            let message = "this atomic operation on texels of this type is not supported for target `spirv`";
            return Err(self.error(message));
        }
        if shape.scalar.bits() == 64 {
            self.module.out.require(Capability::Int64Atomics);
        }
        let values = operands.iter().map(|operand| self.expr(operand)).collect::<Result<Vec<_>, _>>()?;
        let chain = self.chain(image)?;
        let object = self.pointer_of(&chain, chain.memory.ty);
        let ty = self.module.scalar_type(shape.scalar);
        let pointer_type = self.module.out.pointer(StorageClass::Image, ty);
        let zero = self.u32(0);
        let pointer = self.value(Op::ImageTexelPointer, pointer_type, &[object, place, zero]);
        let pointer = self.mark(pointer, chain.is_non_uniform);
        let (scope, relaxed) = (self.u32(DEVICE), zero);
        let operands = match (op, &values[..]) {
            (AtomicOp::CompareExchange, &[comparand, value, ..]) => {
                vec![pointer, scope, relaxed, relaxed, value, comparand]
            }
            _ => [&[pointer, scope, relaxed], values.as_slice()].concat(),
        };
        let operation = match (op, shape.scalar) {
            (AtomicOp::Add, Scalar::F32) => {
                self.module.out.require(Capability::AtomicFloat32AddEXT);
                self.module.out.require_extension("SPV_EXT_shader_atomic_float_add");
                Op::AtomicFAddEXT
            }
            _ => atomics::operation(op, shape.scalar.is_signed()),
        };
        Ok(self.value(operation, ty, &operands))
    }

    /// An element of a texel buffer, or a part of it.
    pub(super) fn buffer_texel(&mut self, handle: &Expr, path: &[Step]) -> Result<Id, EmitError> {
        let shape = self.shape(handle)?;
        let Some((index, rest)) = path.split_first() else {
            return Err(self.error("a buffer cannot be read as a whole"));
        };
        let object = self.opaque(handle)?;
        let index = self.index(index)?;
        let op = if shape.writable { Op::ImageRead } else { Op::ImageFetch };
        let texel_type = self.module.vector_type(shape.scalar, 4);
        let texel = self.value(op, texel_type, &[object, index]);
        let component = self.module.scalar_type(shape.scalar);
        let (value, len) = match rest {
            [] => (self.first_components(texel, shape.scalar, shape.len), shape.len),
            [Step::Const(index)] => (self.extract(component, texel, &[*index]), 1),
            [step] => {
                let index = self.index(step)?;
                (self.value(Op::VectorExtractDynamic, component, &[texel, index]), 1)
            }
            _ => return Err(self.error("a part of a texel that it does not have")),
        };
        Ok(self.convert_scalar(value, shape.scalar, shape.component, len))
    }

    pub(super) fn store_buffer_texel(&mut self, handle: &Expr, path: &[Step], value: &Expr) -> Result<(), EmitError> {
        let [index] = path else {
            return Err(self.error("writing a part of a texel is not supported for target `spirv`"));
        };
        let shape = self.shape(handle)?;
        let (value, object) = (self.expr(value)?, self.opaque(handle)?);
        let index = self.index(index)?;
        self.write_texel(shape, object, index, value);
        Ok(())
    }

    pub(super) fn buffer_texel_atomic(
        &mut self,
        op: AtomicOp,
        handle: &Expr,
        path: &[Step],
        operands: &[Expr],
    ) -> Result<Id, EmitError> {
        let shape = self.shape(handle)?;
        let [index] = path else {
            return Err(self.error("writing a part of a texel is not supported for target `spirv`"));
        };
        let index = self.index(index)?;
        self.atomic_on_texel(op, shape, handle, index, operands)
    }
}
