//! Textures, which are structs of the library: in C++ texels in memory, in CUDA texture and surface objects.

use ir::{HandleType, Scalar, SpanId, Type, intrinsic::TextureOp};

use crate::Target;
use crate::clike::Printer;
use crate::tree::{Expr, ExprKind, Function};

/// What is sampled or loaded from.
struct TextureShape {
    scalar: Scalar,
    dims: u8,
    array: bool,
    cube: bool,
    multisampled: bool,
    writable: bool,
}

/// `None` for textures that the target does not have: CUDA's texels are of 32-bit numbers, of which a surface has no three.
fn shape(p: &Printer<'_>, texture: &Expr, target: Target) -> Option<TextureShape> {
    let Type::Handle(handle) = p.module.types.get(texture.ty) else { return None };
    let HandleType::Texture { element, dims, array, multisampled, cube, writable } = handle else { return None };
    let (scalar, len) = match p.module.types.get(element) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector { scalar, len } => (scalar, len),
        _ => return None,
    };
    let has_texel = match target {
        Target::Cuda => matches!(scalar, Scalar::F32 | Scalar::I32 | Scalar::U32) && !(writable && len == 3),
        _ => scalar != Scalar::Bool,
    };
    (has_texel && has(handle, target)).then_some(TextureShape { scalar, dims, array, cube, multisampled, writable })
}

/// Whether the target's library has a type for such textures.
pub(super) fn has(handle: HandleType, target: Target) -> bool {
    let HandleType::Texture { multisampled, cube, writable, .. } = handle else { return true };
    !(writable && (cube || multisampled)) && !(multisampled && target == Target::Cuda)
}

/// The function for an operation, how many operands it takes beside texture and sampler, and whether C++ needs the last
/// ones: it has no levels to choose from.
fn function(op: TextureOp, shape: &TextureShape, target: Target) -> Option<(&'static str, usize, usize)> {
    let is_cuda = target == Target::Cuda;
    // CUDA gathers from textures of two dimensions.
    let gathers = !is_cuda || !(shape.array || shape.cube);
    let is_float = shape.scalar.is_float();
    Some(match op {
        TextureOp::Load if shape.multisampled => ("texture_load_sample", 2, 2),
        TextureOp::Load => ("texture_load", 1, 1),
        TextureOp::Store => ("texture_store", 2, 2),
        TextureOp::Sample if is_float => ("texture_sample", 1, 1),
        TextureOp::SampleLevel if is_float && is_cuda => ("texture_sample_level", 2, 2),
        TextureOp::SampleLevel | TextureOp::SampleBias if is_float && !is_cuda => ("texture_sample", 2, 1),
        TextureOp::SampleLevelZero if is_float => ("texture_sample", 1, 1),
        TextureOp::SampleGrad if is_float && !is_cuda => ("texture_sample", 3, 1),
        TextureOp::SampleCmp | TextureOp::SampleCmpLevelZero if !is_cuda => ("texture_compare", 2, 2),
        TextureOp::SampleCmpLevel | TextureOp::SampleCmpBias if !is_cuda => ("texture_compare", 3, 2),
        TextureOp::Gather | TextureOp::GatherRed if gathers => ("texture_gather<0>", 1, 1),
        TextureOp::GatherGreen if gathers => ("texture_gather<1>", 1, 1),
        TextureOp::GatherBlue if gathers => ("texture_gather<2>", 1, 1),
        TextureOp::GatherAlpha if gathers => ("texture_gather<3>", 1, 1),
        TextureOp::Levels => ("texture_levels", 0, 0),
        TextureOp::Samples if shape.multisampled => ("texture_samples", 0, 0),
        _ => return None,
    })
}

/// The text of an operation on a texture; `None` for what the target does not have.
pub(super) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: TextureOp,
    args: &[Expr],
    span: SpanId,
    target: Target,
) -> Option<String> {
    let (texture, rest) = args.split_first()?;
    let shape = shape(p, texture, target)?;
    let (name, taken, used) = function(op, &shape, target)?;
    let mut texts = vec![p.expr(f, texture, span)];
    let rest = match rest.split_first() {
        Some((sampler, rest)) if matches!(p.module.types.get(sampler.ty), Type::Handle(HandleType::Sampler { .. })) => {
            texts.push(p.expr(f, sampler, span));
            rest
        }
        _ => rest,
    };
    let (operands, offset) = rest.split_at_checked(taken)?;
    texts.extend(operands[..used].iter().map(|operand| p.expr(f, operand, span)));
    match offset {
        [] => {}
        [offset] if target != Target::Cuda && p.scalar_of(offset.ty).is_some_and(Scalar::is_integer) => {
            texts.push(p.expr(f, offset, span));
        }
        _ => return None,
    }
    Some(format!("{name}({})", texts.join(", ")))
}

/// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
pub(super) fn dimensions(p: &mut Printer<'_>, f: &Function, args: &[Expr], span: SpanId, target: Target) -> Option<()> {
    let (texture, rest) = args.split_first()?;
    let shape = shape(p, texture, target)?;
    let object = p.expr(f, texture, span);
    let (outs, level): (Vec<&Expr>, Vec<&Expr>) =
        rest.iter().partition(|arg| matches!(arg.kind, ExprKind::Reference(_)));
    let level = level.first().map_or("0u".to_owned(), |level| format!("uint({})", p.expr(f, level, span)));
    let dims = usize::from(shape.dims);
    for (index, out) in outs.into_iter().enumerate() {
        let (ty, name) = (p.type_name(out.ty, span), p.expr(f, out, span));
        let value = match index {
            index if index < dims => format!("texture_size({object}, {index}, {level})"),
            index if index == dims && shape.array => format!("texture_layers({object})"),
            _ if shape.multisampled => format!("texture_samples({object})"),
            _ if shape.writable => return None,
            _ => format!("texture_levels({object})"),
        };
        p.line(span, &format!("{name} = {ty}({value});"));
    }
    Some(())
}
