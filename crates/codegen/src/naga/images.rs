//! Texels that are read and written by their places, without a sampler.

use ir::{AtomicOp, GlobalId, HandleType, Intrinsic, Op, Scalar, Type, TypeId, intrinsic::TextureOp};
use naga::{AtomicFunction, Expression, ImageClass, ImageQuery, Literal, Statement, StorageAccess, StorageFormat};

use super::expressions::Value;
use super::function::{FunctionWriter, Slot};
use super::{ModuleWriter, Reader};
use crate::tree::{Expr, ExprKind};
use crate::{EmitError, formats};

/// What texels are kept as, by the words of `[format]`.
const FORMATS: [(&str, StorageFormat); 38] = [
    ("rgba32f", StorageFormat::Rgba32Float),
    ("rgba16f", StorageFormat::Rgba16Float),
    ("rg32f", StorageFormat::Rg32Float),
    ("rg16f", StorageFormat::Rg16Float),
    ("r11f_g11f_b10f", StorageFormat::Rg11b10Ufloat),
    ("r32f", StorageFormat::R32Float),
    ("r16f", StorageFormat::R16Float),
    ("rgba16", StorageFormat::Rgba16Unorm),
    ("rgb10_a2", StorageFormat::Rgb10a2Unorm),
    ("rgba8", StorageFormat::Rgba8Unorm),
    ("rg16", StorageFormat::Rg16Unorm),
    ("rg8", StorageFormat::Rg8Unorm),
    ("r16", StorageFormat::R16Unorm),
    ("r8", StorageFormat::R8Unorm),
    ("rgba16_snorm", StorageFormat::Rgba16Snorm),
    ("rgba8_snorm", StorageFormat::Rgba8Snorm),
    ("rg16_snorm", StorageFormat::Rg16Snorm),
    ("rg8_snorm", StorageFormat::Rg8Snorm),
    ("r16_snorm", StorageFormat::R16Snorm),
    ("r8_snorm", StorageFormat::R8Snorm),
    ("rgba32i", StorageFormat::Rgba32Sint),
    ("rgba16i", StorageFormat::Rgba16Sint),
    ("rgba8i", StorageFormat::Rgba8Sint),
    ("rg32i", StorageFormat::Rg32Sint),
    ("rg16i", StorageFormat::Rg16Sint),
    ("rg8i", StorageFormat::Rg8Sint),
    ("r32i", StorageFormat::R32Sint),
    ("r16i", StorageFormat::R16Sint),
    ("r8i", StorageFormat::R8Sint),
    ("rgba32ui", StorageFormat::Rgba32Uint),
    ("rgba16ui", StorageFormat::Rgba16Uint),
    ("rgba8ui", StorageFormat::Rgba8Uint),
    ("rg32ui", StorageFormat::Rg32Uint),
    ("rg16ui", StorageFormat::Rg16Uint),
    ("rg8ui", StorageFormat::Rg8Uint),
    ("r32ui", StorageFormat::R32Uint),
    ("r16ui", StorageFormat::R16Uint),
    ("r8ui", StorageFormat::R8Uint),
];

impl ModuleWriter<'_> {
    /// What a texture is that the program writes to.
    pub(super) fn storage_class(&mut self, global: GlobalId, element: TypeId) -> Result<ImageClass, String> {
        let (scalar, len) = match self.module.types.get(element) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector { scalar, len } => (scalar, len),
            _ => return Err("its texels are not of a scalar or vector type".into()),
        };
        let data = &self.module.globals[global];
        let is_atomic = self.is_used_by(global, |op| op.atomic().is_some());
        let format = match &data.provision.format {
            Some(word) if word != "unknown" => {
                let is_it = |(name, _): &&(&str, StorageFormat)| word == name || *word == name.replace('_', "");
                FORMATS.iter().find(is_it).map(|(_, format)| *format).ok_or_else(|| {
                    format!("the format `{word}` is not supported for target `{}`", self.reader.name())
                })?
            }
            // The language has no texture that is written without one.
            _ => {
                let word = formats::implied(scalar, len);
                let found = FORMATS.iter().find(|(name, _)| Some(*name) == word).map(|(_, format)| *format);
                found.ok_or_else(|| {
                    format!("a texture like this is not supported for target `{}`", self.reader.name())
                })?
            }
        };
        let is_read = self.is_loaded_from(global);
        let is_word = matches!(format, StorageFormat::R32Float | StorageFormat::R32Sint | StorageFormat::R32Uint);
        if is_read && self.reader == Reader::Wgsl && !is_word {
            let message = "reading from a texture that is written, too, is not supported for target `wgsl` but for \
                           texels of one number of 32 bits";
            return Err(message.into());
        }
        let mut access = if is_read { StorageAccess::LOAD | StorageAccess::STORE } else { StorageAccess::STORE };
        if is_atomic {
            if !matches!(format, StorageFormat::R32Sint | StorageFormat::R32Uint) {
                let target = self.reader.name();
                return Err(format!(
                    "atomic operations on texels that are not one integer of 32 bits are not supported for target `{target}`"
                ));
            }
            access |= StorageAccess::ATOMIC | StorageAccess::LOAD;
        }
        Ok(ImageClass::Storage { format, access })
    }

    fn is_loaded_from(&self, global: GlobalId) -> bool {
        self.is_used_by(global, |op| op == TextureOp::Load)
    }

    fn is_used_by(&self, global: GlobalId, is_it: impl Fn(TextureOp) -> bool) -> bool {
        self.module.funcs.iter().any(|(_, func)| {
            func.ops.iter().any(|(_, data)| match &data.op {
                Op::Intrinsic { intrinsic: Intrinsic::Texture(op), args } if is_it(*op) => {
                    matches!(func.defining_op(args[0]).map(|data| &data.op), Some(Op::Global(of)) if *of == global)
                }
                _ => false,
            })
        })
    }
}

/// A place in a texture, and in which layer.
struct Texel {
    image: Value,
    coordinate: Value,
    array_index: Option<Value>,
    /// The component behind those of the place: the level of a texture that is only read.
    rest: Option<Value>,
    scalar: Scalar,
    len: u8,
}

impl FunctionWriter<'_, '_> {
    fn texel_place(&mut self, image: &Expr, location: &Expr) -> Result<(Texel, HandleType), EmitError> {
        let refused = |this: &Self| this.error("a texture like this is not supported for this target");
        let Type::Handle(handle @ HandleType::Texture { element, dims, array, cube: false, writable, .. }) =
            self.type_of(image.ty)
        else {
            return Err(refused(self));
        };
        let (scalar, len) = match self.type_of(element) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector { scalar, len } => (scalar, len),
            _ => return Err(refused(self)),
        };
        let (from, given) = match self.type_of(location.ty) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector { scalar, len } => (scalar, u32::from(len)),
            _ => return Err(refused(self)),
        };
        let image = self.opaque(image)?;
        let location = self.expr(location)?;
        let location = self.convert(location, from, Scalar::I32)?;
        let count = u32::from(dims);
        let wanted = count + u32::from(array);
        if given != wanted && (writable || given != wanted + 1) {
            return Err(refused(self));
        }
        let part = |this: &mut Self, index| this.add(Expression::AccessIndex { base: location, index });
        let coordinate = if given == count { location } else { self.first_components(location, count)? };
        let array_index = array.then(|| part(self, count));
        let rest = (given == wanted + 1).then(|| part(self, wanted));
        Ok((Texel { image, coordinate, array_index, rest, scalar, len }, handle))
    }

    /// A texel at a place.
    pub(super) fn texel_load(&mut self, args: &[Expr]) -> Result<Value, EmitError> {
        let [image, location, rest @ ..] = args else {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Load)));
        };
        let (place, handle) = self.texel_place(image, location)?;
        let HandleType::Texture { multisampled, writable, .. } = handle else {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Load)));
        };
        let sample = match (multisampled, rest) {
            (true, [sample]) => {
                let from = self.module.module.types.get(sample.ty);
                let value = self.expr(sample)?;
                match from {
                    Type::Scalar(from) => Some(self.convert(value, from, Scalar::I32)?),
                    _ => return Err(self.refused(Intrinsic::Texture(TextureOp::Load))),
                }
            }
            (false, []) => None,
            _ => return Err(self.error("a load with an offset or a status is not supported for this target")),
        };
        let level = match (writable || multisampled, place.rest) {
            (true, _) => None,
            (false, Some(level)) => Some(level),
            (false, None) => Some(self.add(Expression::Literal(Literal::I32(0)))),
        };
        let (image, coordinate, array_index) = (place.image, place.coordinate, place.array_index);
        let texel = self.add(Expression::ImageLoad { image, coordinate, array_index, sample, level });
        self.first_components(texel, place.len.into())
    }

    /// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
    pub(super) fn dimensions(&mut self, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(TextureOp::Dimensions));
        let [texture, rest @ ..] = args else { return Err(refused(self)) };
        let Type::Handle(HandleType::Texture { dims, array, multisampled, .. }) = self.type_of(texture.ty) else {
            return Err(refused(self));
        };
        let image = self.opaque(texture)?;
        let (outs, level): (Vec<&Expr>, Vec<&Expr>) =
            rest.iter().partition(|arg| matches!(arg.kind, ExprKind::Reference(_)));
        let level = match level[..] {
            [] => None,
            [level] if matches!(self.type_of(level.ty), Type::Scalar(_)) => {
                let value = self.expr(level)?;
                Some(self.convert(value, self.scalar_of(level.ty), Scalar::I32)?)
            }
            _ => return Err(refused(self)),
        };
        let size = self.add(Expression::ImageQuery { image, query: ImageQuery::Size { level } });
        for (index, out) in outs.into_iter().enumerate() {
            let ExprKind::Reference(local) = out.kind else { return Err(refused(self)) };
            let Slot::Pointer(pointer) = self.slot(local)? else { return Err(refused(self)) };
            let count = usize::from(dims);
            let value = self.add(match index {
                _ if index < count && count > 1 => Expression::AccessIndex { base: size, index: index as u32 },
                _ if index < count => Expression::ImageQuery { image, query: ImageQuery::Size { level } },
                _ if array && index == count => Expression::ImageQuery { image, query: ImageQuery::NumLayers },
                _ if multisampled => Expression::ImageQuery { image, query: ImageQuery::NumSamples },
                _ => Expression::ImageQuery { image, query: ImageQuery::NumLevels },
            });
            let value = self.convert(value, Scalar::U32, self.scalar_of(out.ty))?;
            self.push(Statement::Store { pointer, value });
        }
        Ok(())
    }

    /// Changes a texel in one step. naga has no words for the texel as it was before.
    pub(super) fn texel_atomic(&mut self, op: TextureOp, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(op));
        let fun = match op.atomic().ok_or_else(|| refused(self))? {
            AtomicOp::Add => AtomicFunction::Add,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::Min => AtomicFunction::Min,
            AtomicOp::Max => AtomicFunction::Max,
            AtomicOp::Exchange | AtomicOp::CompareExchange => return Err(refused(self)),
        };
        let [image, location, value] = args else { return Err(refused(self)) };
        // In WGSL that is an extension of one library alone.
        if self.module.reader != Reader::Library {
            return Err(refused(self));
        }
        let (place, _) = self.texel_place(image, location)?;
        let value = self.expr(value)?;
        let (image, coordinate, array_index) = (place.image, place.coordinate, place.array_index);
        self.push(Statement::ImageAtomic { image, coordinate, array_index, fun, value });
        Ok(())
    }

    /// Writes a texel: four numbers, whatever the texture keeps of them.
    pub(super) fn texel_store(&mut self, args: &[Expr]) -> Result<(), EmitError> {
        let [image, location, value] = args else {
            return Err(self.refused(Intrinsic::Texture(TextureOp::Store)));
        };
        let (place, _) = self.texel_place(image, location)?;
        let given = self.expr(value)?;
        let zero = match place.scalar {
            Scalar::F32 => Literal::F32(0.0),
            Scalar::I32 => Literal::I32(0),
            Scalar::U32 => Literal::U32(0),
            _ => return Err(self.refused(Intrinsic::Texture(TextureOp::Store))),
        };
        let value = match place.len {
            4 => given,
            len => {
                let mut components = vec![given];
                for _ in len..4 {
                    components.push(self.add(Expression::Literal(zero)));
                }
                let whole = self.module.module.types.vector(place.scalar, 4);
                let ty = self.value_type(whole)?;
                self.add(Expression::Compose { ty, components })
            }
        };
        let (image, coordinate, array_index) = (place.image, place.coordinate, place.array_index);
        self.push(Statement::ImageStore { image, coordinate, array_index, value });
        Ok(())
    }
}
