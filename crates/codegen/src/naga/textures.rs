//! Textures and samplers: their types, and samples of them.

use ir::{
    Constant, GlobalId, HandleType, Intrinsic, Scalar, Type, TypeId,
    intrinsic::{HintOp, NumberOp, TextureOp, WaveOp, WaveSubsetOp},
};
use naga::{Expression, Handle, ImageClass, ImageDimension, SampleLevel, TypeInner};

use super::ModuleWriter;
use super::expressions::Value;
use super::function::FunctionWriter;
use crate::EmitError;
use crate::lookups::{Level, Lookup, is_constant, readings};
use crate::tree::{Expr, ExprKind};

impl ModuleWriter<'_> {
    /// The type of a texture that can be sampled, or of a sampler.
    pub(super) fn opaque_type(&mut self, global: GlobalId, handle: HandleType) -> Result<Handle<naga::Type>, String> {
        let inner = match handle {
            HandleType::Sampler { comparison } => TypeInner::Sampler { comparison },
            HandleType::Texture { element, dims, array, multisampled, cube, writable } => {
                let scalar = match self.module.types.get(element) {
                    Type::Scalar(scalar) | Type::Vector { scalar, .. } => scalar,
                    _ => Scalar::Bool,
                };
                let dim = match (dims, cube) {
                    (_, true) => ImageDimension::Cube,
                    (1, _) => ImageDimension::D1,
                    (2, _) => ImageDimension::D2,
                    _ => ImageDimension::D3,
                };
                let kind = match scalar {
                    Scalar::F32 => Some(naga::ScalarKind::Float),
                    Scalar::I32 => Some(naga::ScalarKind::Sint),
                    Scalar::U32 => Some(naga::ScalarKind::Uint),
                    _ => None,
                };
                let is_flat = matches!(dim, ImageDimension::D2);
                let is_shape = !(array && matches!(dim, ImageDimension::D1 | ImageDimension::D3))
                    && (!multisampled || (is_flat && !array))
                    && !(writable && (cube || multisampled));
                let Some(kind) = kind.filter(|_| is_shape) else {
                    return Err(format!("a texture like this is not supported for target `{}`", self.reader.name()));
                };
                let class = match writable {
                    true => self.storage_class(global, element)?,
                    false if self.is_compared(global)? => match dim {
                        ImageDimension::D3 => {
                            let target = self.reader.name();
                            return Err(format!(
                                "a comparison with a texture of three dimensions is not supported for target `{target}`"
                            ));
                        }
                        _ => ImageClass::Depth { multi: multisampled },
                    },
                    false => ImageClass::Sampled { kind, multi: multisampled },
                };
                TypeInner::Image { dim, arrayed: array, class }
            }
            // naga reads rays in WGSL, and does not write them.
            HandleType::AccelerationStructure => {
                return Err(format!("rays are not supported for target `{}`", self.reader.name()));
            }
            HandleType::StructuredBuffer { .. }
            | HandleType::ByteAddressBuffer { .. }
            | HandleType::TexelBuffer { .. }
            | HandleType::ConstantBuffer { .. }
            | HandleType::Variable { .. }
            | HandleType::Pointer { .. }
            | HandleType::Address { .. }
            | HandleType::RayQuery { .. } => {
                let target = self.reader.name();
                return Err(format!("this kind of parameter is not supported yet for target `{target}`"));
            }
        };
        self.add_type(None, inner)
    }

    /// Whether a texture holds depths that are compared: its type says so, and what it can be used for follows from that.
    fn is_compared(&self, global: GlobalId) -> Result<bool, String> {
        let readings = readings(self.module, global);
        match readings.compared && readings.plain {
            true => {
                let target = self.reader.name();
                Err(format!(
                    "a texture that is read both with and without a comparison is not supported for target `{target}`"
                ))
            }
            false => Ok(readings.compared),
        }
    }
}

fn is_zero(level: &Expr) -> bool {
    match &level.kind {
        ExprKind::Zero => true,
        ExprKind::Const(Constant::Float(value)) => *value == 0.0,
        ExprKind::Const(Constant::Int(value)) => *value == 0,
        _ => false,
    }
}

impl FunctionWriter<'_, '_> {
    /// A function of the core library that is an operation of its own.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: TypeId) -> Result<Value, EmitError> {
        match intrinsic {
            Intrinsic::Texture(TextureOp::Load) => self.texel_load(args),
            Intrinsic::Texture(op) => self.lookup(op, args, ty),
            Intrinsic::Fragment(op) => self.derivative(op, args),
            Intrinsic::Wave(op) => self.wave(op, args, ty),
            // The mask of 32 threads is the first word.
            Intrinsic::WaveSubset(WaveSubsetOp::MaskBallot) => {
                let [_mask, args @ ..] = args else { return Err(self.refused(intrinsic)) };
                let words = self.module.module.types.vector(Scalar::U32, 4);
                let base = self.wave(WaveOp::Ballot, args, words)?;
                Ok(self.add(Expression::AccessIndex { base, index: 0 }))
            }
            Intrinsic::WaveSubset(op) => match (op.without_mask(), args) {
                (Some(op), [_mask, args @ ..]) => self.wave(op, args, ty),
                _ => Err(self.refused(intrinsic)),
            },
            Intrinsic::Hint(HintOp::NonUniform) if args.len() == 1 => self.expr(&args[0]),
            Intrinsic::Number(NumberOp::Frexp) => self.frexp(args),
            Intrinsic::Number(_)
            | Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::Stage(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::Ray(_)
            | Intrinsic::RayQuery(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::Grid(_)
            | Intrinsic::System(_)
            | Intrinsic::Hint(_) => Err(self.refused(intrinsic)),
        }
    }

    /// A lookup between texels.
    fn lookup(&mut self, op: TextureOp, args: &[Expr], ty: TypeId) -> Result<Value, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(op));
        let lookup = Lookup::of(op).ok_or_else(|| refused(self))?;
        let operands = lookup.operands(&self.module.module.types, args).ok_or_else(|| refused(self))?;
        if let (Level::Implicit | Level::Biased, false) = (lookup.level, self.module.is_for_fragments()) {
            let message =
                "`Sample` needs the neighbours of a pixel, which only a fragment shader has: use `SampleLevel`";
            return Err(self.error(message));
        }
        let Type::Handle(HandleType::Texture { element, dims, array, cube, multisampled, .. }) =
            self.type_of(operands.texture.ty)
        else {
            return Err(refused(self));
        };
        if multisampled || (self.scalar_of(element) != Scalar::F32 && lookup.gathers.is_none()) {
            return Err(self.error("a sample of a texture like this is not supported for this target"));
        }
        let (image, sampler) = (self.opaque(operands.texture)?, self.opaque(operands.sampler)?);
        let location_value = self.expr(operands.location)?;
        let count = u32::from(dims) + u32::from(cube);
        let (coordinate, array_index) = match array {
            false => (location_value, None),
            true => {
                // The layer is the last component.
                let layer = self.add(Expression::AccessIndex { base: location_value, index: count });
                let layer = self.math1(naga::MathFunction::Round, layer);
                let layer = self.convert(layer, Scalar::F32, Scalar::I32)?;
                (self.first_components(location_value, count)?, Some(layer))
            }
        };
        let depth_ref = operands.reference.map(|reference| self.expr(reference)).transpose()?;
        let level = match (lookup.level, operands.level) {
            (Level::Implicit, _) => SampleLevel::Auto,
            (Level::Given, [level]) if lookup.compares && is_zero(level) => SampleLevel::Zero,
            // naga compares at no other level.
            (Level::Given | Level::Biased | Level::Gradients, _) if lookup.compares => return Err(refused(self)),
            (Level::Biased, [bias]) => SampleLevel::Bias(self.expr(bias)?),
            (Level::Given, [level]) => SampleLevel::Exact(self.expr(level)?),
            (Level::Gradients, [x, y]) => SampleLevel::Gradient { x: self.expr(x)?, y: self.expr(y)? },
            _ => SampleLevel::Zero,
        };
        let offset = match operands.offset {
            Some(offset) if !is_constant(offset) => {
                return Err(self.error("an offset that is not a constant is not supported for this target"));
            }
            offset => offset.map(|offset| self.expr(offset)).transpose()?,
        };
        use naga::SwizzleComponent as C;
        let gather = lookup.gathers.and_then(|component| [C::X, C::Y, C::Z, C::W].get(usize::from(component)).copied());
        let clamp_to_edge = false;
        let texel = self.add(Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        });
        match self.type_of(ty) {
            _ if lookup.compares && gather.is_none() => Ok(texel),
            Type::Vector { len, .. } => self.first_components(texel, len.into()),
            _ => self.first_components(texel, 1),
        }
    }

    pub(super) fn refused(&self, intrinsic: Intrinsic) -> EmitError {
        let (name, target) = (intrinsic.source_name(), self.module.reader.name());
        self.error(format!("`{name}` is not supported for target `{target}`"))
    }

    /// The first components of a vector of more (or as many, if four).
    pub(super) fn first_components(&mut self, vector: Value, count: u32) -> Result<Value, EmitError> {
        use naga::SwizzleComponent as C;
        Ok(match super::types::vector_size(count as u8) {
            Some(naga::VectorSize::Quad) => vector,
            Some(size) => self.add(Expression::Swizzle { size, vector, pattern: [C::X, C::Y, C::Z, C::W] }),
            None => self.add(Expression::AccessIndex { base: vector, index: 0 }),
        })
    }

    pub(super) fn opaque(&mut self, handle: &Expr) -> Result<Value, EmitError> {
        let memory = self.memory(handle)?;
        Ok(self.name_of(memory))
    }
}
