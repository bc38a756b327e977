//! Textures and samplers: their types, and samples of them.

use ir::{
    GlobalId, HandleType, Intrinsic, Scalar, Type, TypeId,
    intrinsic::{HintOp, NumberOp, TextureOp},
};
use naga::{Expression, Handle, ImageClass, ImageDimension, SampleLevel, TypeInner};

use super::ModuleWriter;
use super::expressions::Value;
use super::function::FunctionWriter;
use crate::EmitError;
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
                    && (!multisampled || is_flat)
                    && !(writable && (cube || multisampled));
                let Some(kind) = kind.filter(|_| is_shape) else {
                    return Err(format!("a texture like this is not supported for target `{}`", self.target.name()));
                };
                let class = match writable {
                    true => self.storage_class(global, element)?,
                    false => ImageClass::Sampled { kind, multi: multisampled },
                };
                TypeInner::Image { dim, arrayed: array, class }
            }
            HandleType::StructuredBuffer { .. }
            | HandleType::ByteAddressBuffer { .. }
            | HandleType::TexelBuffer { .. }
            | HandleType::ConstantBuffer { .. }
            | HandleType::Variable { .. }
            | HandleType::Pointer { .. } => {
                let target = self.target.name();
                return Err(format!("this kind of parameter is not supported yet for target `{target}`"));
            }
        };
        self.add_type(None, inner)
    }
}

/// What follows the location in the arguments of a sample.
enum Level {
    /// The target finds it out from neighbouring pixels.
    Implicit,
    Zero,
    Given,
    Gradients,
}

/// Where the level of a sample comes from; `None` for other operations.
fn level(op: TextureOp) -> Option<Level> {
    match op {
        TextureOp::Sample => Some(Level::Implicit),
        TextureOp::SampleLevel => Some(Level::Given),
        TextureOp::SampleLevelZero => Some(Level::Zero),
        TextureOp::SampleGrad => Some(Level::Gradients),
        TextureOp::SampleBias
        | TextureOp::SampleCmp
        | TextureOp::SampleCmpBias
        | TextureOp::LevelOfDetail
        | TextureOp::LevelOfDetailUnclamped
        | TextureOp::WriteFeedback
        | TextureOp::AtomicAdd
        | TextureOp::Dimensions
        | TextureOp::FullyMapped
        | TextureOp::Gather
        | TextureOp::GatherAlpha
        | TextureOp::GatherBlue
        | TextureOp::GatherCmp
        | TextureOp::GatherCmpAlpha
        | TextureOp::GatherCmpBlue
        | TextureOp::GatherCmpGreen
        | TextureOp::GatherCmpRed
        | TextureOp::GatherGreen
        | TextureOp::GatherRed
        | TextureOp::Level
        | TextureOp::Levels
        | TextureOp::Load
        | TextureOp::SampleCmpGrad
        | TextureOp::SampleCmpLevel
        | TextureOp::SampleCmpLevelZero
        | TextureOp::SamplePosition
        | TextureOp::Samples
        | TextureOp::Store => None,
    }
}

impl FunctionWriter<'_, '_> {
    /// A function of the core library that is an operation of its own.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: TypeId) -> Result<Value, EmitError> {
        let level = match intrinsic {
            Intrinsic::Texture(TextureOp::Load) => return self.texel_load(args),
            Intrinsic::Texture(op) => level(op),
            Intrinsic::Fragment(op) => return self.derivative(op, args),
            Intrinsic::Wave(op) => return self.wave(op, args, ty),
            // naga finds out by itself which indices differ between threads.
            Intrinsic::Hint(HintOp::NonUniform) if args.len() == 1 => return self.expr(&args[0]),
            Intrinsic::Number(NumberOp::Frexp) => return self.frexp(args),
            Intrinsic::Number(_)
            | Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::WaveSubset(_)
            | Intrinsic::Stage(_)
            | Intrinsic::Ray(_)
            | Intrinsic::RayQuery(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::Grid(_)
            | Intrinsic::System(_)
            | Intrinsic::Hint(_) => None,
        };
        let has_status = args.iter().any(|arg| matches!(arg.kind, ExprKind::Reference(_)));
        let level = level.filter(|_| !has_status).ok_or_else(|| self.refused(intrinsic))?;
        if let (Level::Implicit, false) = (&level, self.module.is_for_fragments()) {
            let message =
                "`Sample` needs the neighbours of a pixel, which only a fragment shader has: use `SampleLevel`";
            return Err(self.error(message));
        }
        let [image, sampler, location, rest @ ..] = args else {
            return Err(self.error("a texture with a sampler of its own is not supported for this target"));
        };
        let (
            Type::Handle(HandleType::Texture { element, dims, array, cube, multisampled, .. }),
            Type::Handle(HandleType::Sampler { .. }),
        ) = (self.type_of(image.ty), self.type_of(sampler.ty))
        else {
            return Err(self.error("a texture with a sampler of its own is not supported for this target"));
        };
        if multisampled || self.scalar_of(element) != Scalar::F32 {
            return Err(self.error("a sample of a texture like this is not supported for this target"));
        }
        let (image, sampler) = (self.opaque(image)?, self.opaque(sampler)?);
        let location_value = self.expr(location)?;
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
        let (level, rest) = match (level, rest) {
            (Level::Given, [level, rest @ ..]) => (SampleLevel::Exact(self.expr(level)?), rest),
            (Level::Gradients, [x, y, rest @ ..]) => {
                (SampleLevel::Gradient { x: self.expr(x)?, y: self.expr(y)? }, rest)
            }
            (Level::Implicit, rest) => (SampleLevel::Auto, rest),
            (_, rest) => (SampleLevel::Zero, rest),
        };
        if !rest.is_empty() {
            return Err(self.error("a sample with an offset is not supported for this target"));
        }
        let texel = self.add(Expression::ImageSample {
            image,
            sampler,
            gather: None,
            coordinate,
            array_index,
            offset: None,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        });
        let components = match self.type_of(ty) {
            Type::Vector { len, .. } => len.into(),
            _ => 1,
        };
        self.first_components(texel, components)
    }

    pub(super) fn refused(&self, intrinsic: Intrinsic) -> EmitError {
        self.error(format!("`{intrinsic}` is not supported for target `{}`", self.module.target.name()))
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
