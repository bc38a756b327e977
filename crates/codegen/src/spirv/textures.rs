//! Samples of textures.

use ir::{HandleType, Intrinsic, Scalar, TypeId, intrinsic::TextureOp};
use spirv::{Capability, ImageOperands, Op};

use super::function::FunctionWriter;
use super::words::Id;
use crate::lookups::{Level, Lookup, is_constant};
use crate::tree::Expr;
use crate::{EmitError, formats};

impl FunctionWriter<'_, '_> {
    /// A lookup between texels.
    pub(super) fn lookup(&mut self, op: TextureOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Texture(op));
        if let (TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped, [texture, sampler, location]) = (op, args)
        {
            return self.level_of_detail(op, texture, sampler, location);
        }
        let lookup = Lookup::of(op).ok_or_else(|| refused(self))?;
        let operands = lookup.operands(&self.module.module.types, args).ok_or_else(|| refused(self))?;
        let is_implicit = matches!(lookup.level, Level::Implicit | Level::Biased);
        if is_implicit && !self.module.is_for_fragments() {
            let message =
                "`Sample` needs the neighbours of a pixel, which only a fragment shader has: use `SampleLevel`";
            return Err(self.error(message));
        }
        let Some(HandleType::Texture { element, dims, cube, multisampled, writable, .. }) =
            self.texture_type(operands.texture)
        else {
            return Err(refused(self));
        };
        if multisampled || writable {
            return Err(self.error("a sample of a texture like this is not supported for this target"));
        }
        if lookup.compares && dims == 3 && !cube {
            return Err(refused(self));
        }
        let image = self.sampled_image(operands.texture, operands.sampler)?;
        let location = self.expr(operands.location)?;
        let reference = match operands.reference {
            Some(reference) => {
                let value = self.expr(reference)?;
                Some(self.convert_scalar(value, self.scalar_of(reference.ty), Scalar::F32, 1))
            }
            None => None,
        };
        let (mut mask, mut more) = (ImageOperands::NONE, Vec::new());
        match (lookup.level, operands.level) {
            (Level::Implicit, _) => {}
            (Level::Biased, [bias]) => {
                mask |= ImageOperands::BIAS;
                more.push(self.expr(bias)?);
            }
            (Level::Given, [level]) => {
                mask |= ImageOperands::LOD;
                more.push(self.expr(level)?);
            }
            (Level::Gradients, [x, y]) => {
                mask |= ImageOperands::GRAD;
                more.extend([self.expr(x)?, self.expr(y)?]);
            }
            (Level::Zero, _) if lookup.gathers.is_some() => {}
            (Level::Zero, _) => {
                mask |= ImageOperands::LOD;
                more.push(self.module.scalar_constant(ir::Constant::Float(0.0), Scalar::F32));
            }
            _ => return Err(refused(self)),
        }
        if let Some(offset) = operands.offset {
            let value = self.expr(offset)?;
            match (is_constant(offset) && self.module.out.is_constant(value), lookup.gathers) {
                (true, _) => mask |= ImageOperands::CONST_OFFSET,
                (false, Some(_)) => {
                    self.module.out.require(Capability::ImageGatherExtended);
                    mask |= ImageOperands::OFFSET;
                }
                (false, None) => {
                    return Err(self.error("an offset that is not a constant is not supported for this target"));
                }
            }
            more.push(value);
        }
        let component = self.scalar_of(element);
        let scalar = formats::held(component).ok_or_else(|| refused(self))?;
        let texel_type = match lookup.compares && lookup.gathers.is_none() {
            true => self.module.scalar_type(Scalar::F32),
            false => self.module.vector_type(scalar, 4),
        };
        let op = match (lookup.gathers, lookup.compares, is_implicit) {
            (Some(_), true, _) => Op::ImageDrefGather,
            (Some(_), false, _) => Op::ImageGather,
            (None, true, true) => Op::ImageSampleDrefImplicitLod,
            (None, true, false) => Op::ImageSampleDrefExplicitLod,
            (None, false, true) => Op::ImageSampleImplicitLod,
            (None, false, false) => Op::ImageSampleExplicitLod,
        };
        let mut words = vec![image.0, location.0];
        words.extend(reference.map(|reference| reference.0));
        if let (Some(component), false) = (lookup.gathers, lookup.compares) {
            words.push(self.u32(component.into()).0);
        }
        if mask != ImageOperands::NONE {
            words.push(mask.bits());
            words.extend(more.iter().map(|id| id.0));
        }
        let texel = self.value_with(op, texel_type, &words);
        Ok(match lookup.compares && lookup.gathers.is_none() {
            true => texel,
            false => {
                let len = self.len_of(ty);
                let texel = self.first_components(texel, scalar, len);
                self.convert_scalar(texel, scalar, component, len)
            }
        })
    }

    /// A texture and a sampler become one where they are used.
    fn sampled_image(&mut self, texture: &Expr, sampler: &Expr) -> Result<Id, EmitError> {
        let (texture, sampler) = (self.chain(texture)?, self.chain(sampler)?);
        let differs = texture.is_non_uniform || sampler.is_non_uniform;
        let (image, sampler) = (self.load_opaque(&texture), self.load_opaque(&sampler));
        let ty = self.module.out.ty(Op::TypeSampledImage, &[texture.memory.ty.0]);
        let both = self.value(Op::SampledImage, ty, &[image, sampler]);
        Ok(self.mark(both, differs))
    }

    fn level_of_detail(
        &mut self,
        op: TextureOp,
        texture: &Expr,
        sampler: &Expr,
        location: &Expr,
    ) -> Result<Id, EmitError> {
        if !self.module.is_for_fragments() {
            return Err(self.refused(Intrinsic::Texture(op)));
        }
        self.module.out.require(Capability::ImageQuery);
        let image = self.sampled_image(texture, sampler)?;
        let location = self.expr(location)?;
        let (pair, float) = (self.module.vector_type(Scalar::F32, 2), self.module.scalar_type(Scalar::F32));
        let levels = self.value(Op::ImageQueryLod, pair, &[image, location]);
        Ok(self.extract(float, levels, &[u32::from(op == TextureOp::LevelOfDetailUnclamped)]))
    }
}
