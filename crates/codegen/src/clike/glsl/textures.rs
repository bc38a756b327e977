//! Textures and samplers, which are apart and are put together where a texture is sampled.

use ir::{HandleType, Scalar, SpanId, Type, TypeId, intrinsic::TextureOp};

use super::Glsl;
use crate::clike::intrinsics::len;
use crate::clike::{Dialect, PRIMARY, Precedence, Printer};
use crate::tree::{Expr, ExprKind, Function};

pub(crate) const SAMPLERLESS: &str = "#extension GL_EXT_samplerless_texture_functions : require";

/// What GLSL has to know of a texture.
#[derive(Clone, Copy)]
struct Shape {
    scalar: Scalar,
    /// Components of a texel.
    len: u8,
    dims: u8,
    array: bool,
    cube: bool,
    multisampled: bool,
    writable: bool,
}

impl Shape {
    fn of(p: &Printer<'_>, ty: TypeId) -> Option<Shape> {
        let Type::Handle(HandleType::Texture { element, dims, array, multisampled, cube, writable }) =
            p.module.types.get(ty)
        else {
            return None;
        };
        let (scalar, len) = match p.module.types.get(element) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector { scalar, len } => (scalar, len),
            _ => return None,
        };
        let known = matches!(scalar, Scalar::F32 | Scalar::I32 | Scalar::U32);
        known.then_some(Shape { scalar, len, dims, array, cube, multisampled, writable })
    }

    /// `2DArray`
    fn suffix(self) -> String {
        let shape = if self.cube { "Cube".to_owned() } else { format!("{}D", self.dims) };
        let samples = if self.multisampled { "MS" } else { "" };
        format!("{shape}{samples}{}", if self.array { "Array" } else { "" })
    }

    fn prefix(self) -> &'static str {
        match self.scalar {
            Scalar::I32 => "i",
            Scalar::U32 => "u",
            _ => "",
        }
    }

    /// Numbers that name a texel of one level.
    fn coordinates(self) -> u8 {
        self.dims + u8::from(self.array)
    }

    /// The components of a texel in what functions give.
    fn swizzle(self) -> &'static str {
        ["", ".x", ".xy", ".xyz", ""][usize::from(self.len.min(4))]
    }
}

/// The type of a texture.
pub(crate) fn type_name(p: &Printer<'_>, ty: TypeId) -> Option<String> {
    let shape = Shape::of(p, ty)?;
    let kind = if shape.writable { "image" } else { "texture" };
    Some(format!("{}{kind}{}", shape.prefix(), shape.suffix()))
}

fn ints(len: u8) -> String {
    if len == 1 { "int".into() } else { format!("ivec{len}") }
}

/// The text of an operation on a texture; `None` for those that GLSL does not have.
pub(crate) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: TextureOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let (texture, rest) = args.split_first()?;
    let shape = Shape::of(p, texture.ty)?;
    let object = p.operand(f, texture, PRIMARY, span);
    let text = |p: &mut Printer<'_>, expr: &Expr| p.expr(f, expr, span);
    let swizzle = shape.swizzle();
    // With a sampler the rest is about a location between texels.
    if let Some((sampler, rest)) = rest.split_first()
        && let Type::Handle(HandleType::Sampler { comparison: false }) = p.module.types.get(sampler.ty)
    {
        let sampler = text(p, sampler);
        let combined = format!("{}sampler{}({object}, {sampler})", shape.prefix(), shape.suffix());
        let parts: Vec<String> = rest.iter().map(|part| text(p, part)).collect();
        let text = match (op, &parts[..]) {
            (TextureOp::Sample, [location]) => format!("texture({combined}, {location}){swizzle}"),
            (TextureOp::SampleBias, [location, bias]) => format!("texture({combined}, {location}, {bias}){swizzle}"),
            (TextureOp::SampleLevel, [location, level]) => {
                format!("textureLod({combined}, {location}, {level}){swizzle}")
            }
            (TextureOp::SampleLevelZero, [location]) => format!("textureLod({combined}, {location}, 0.0){swizzle}"),
            (TextureOp::SampleGrad, [location, x, y]) => {
                format!("textureGrad({combined}, {location}, {x}, {y}){swizzle}")
            }
            (TextureOp::Gather | TextureOp::GatherRed, [location]) => format!("textureGather({combined}, {location})"),
            (TextureOp::GatherGreen, [location]) => format!("textureGather({combined}, {location}, 1)"),
            (TextureOp::GatherBlue, [location]) => format!("textureGather({combined}, {location}, 2)"),
            (TextureOp::GatherAlpha, [location]) => format!("textureGather({combined}, {location}, 3)"),
            _ => return None,
        };
        return Some((text, PRIMARY));
    }
    let count = shape.coordinates();
    let call = match (op, rest) {
        (TextureOp::Load, [location]) if shape.writable && len(p, location) == count => {
            format!("imageLoad({object}, {}({})){swizzle}", ints(count), text(p, location))
        }
        (TextureOp::Load, [location, sample]) if shape.multisampled && len(p, location) == count => {
            let (location, sample) = (text(p, location), text(p, sample));
            format!("texelFetch({object}, {}({location}), int({sample})){swizzle}", ints(count))
        }
        (TextureOp::Load, [location]) if !shape.writable && !shape.multisampled && !shape.cube => {
            if let ExprKind::Make(parts) = &location.kind
                && let Some((level, parts)) = parts.split_last()
                && parts.len() == usize::from(count)
            {
                let (place, level) = (p.list(f, parts, span), text(p, level));
                p.require(SAMPLERLESS);
                return Some((format!("texelFetch({object}, {}({place}), {level}){swizzle}", ints(count)), PRIMARY));
            }
            let has_level = len(p, location) == count + 1;
            let parts = p.operand(f, location, PRIMARY, span);
            match has_level {
                true => {
                    let place = ["", ".x", ".xy", ".xyz"][usize::from(count.min(3))];
                    let level = [".x", ".y", ".z", ".w"][usize::from(count.min(3))];
                    format!("texelFetch({object}, {}({parts}{place}), int({parts}{level})){swizzle}", ints(count))
                }
                false => format!("texelFetch({object}, {}({parts}), 0){swizzle}", ints(count)),
            }
        }
        (TextureOp::Store, [location, value]) if shape.writable && len(p, location) == count => {
            let (location, value) = (text(p, location), text(p, value));
            let zero = if shape.scalar == Scalar::F32 { ", 0.0" } else { ", 0" };
            let texel = match shape.len {
                4 => value,
                len => {
                    let padding = zero.repeat(4 - usize::from(len));
                    format!("{}({value}{padding})", Glsl.vector(shape.scalar, 4).unwrap_or_default())
                }
            };
            format!("imageStore({object}, {}({location}), {texel})", ints(count))
        }
        _ => return None,
    };
    if !shape.writable {
        p.require(SAMPLERLESS);
    }
    Some((call, PRIMARY))
}

/// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
pub(crate) fn dimensions(p: &mut Printer<'_>, f: &Function, args: &[Expr], span: SpanId) -> Option<()> {
    let (texture, rest) = args.split_first()?;
    let shape = Shape::of(p, texture.ty)?;
    let object = p.operand(f, texture, PRIMARY, span);
    let (outs, level): (Vec<&Expr>, Vec<&Expr>) =
        rest.iter().partition(|arg| matches!(arg.kind, ExprKind::Reference(_)));
    let level = match level.first() {
        Some(level) => format!("int({})", p.expr(f, level, span)),
        None => "0".into(),
    };
    let size = match (shape.writable, shape.multisampled) {
        (true, _) => format!("imageSize({object})"),
        (false, true) => format!("textureSize({object})"),
        (false, false) => format!("textureSize({object}, {level})"),
    };
    if !shape.writable {
        p.require(SAMPLERLESS);
    }
    let count = usize::from(shape.coordinates());
    for (index, out) in outs.into_iter().enumerate() {
        let (ty, name) = (p.type_name(out.ty, span), p.expr(f, out, span));
        let component = if count == 1 { "" } else { [".x", ".y", ".z"].get(index).copied().unwrap_or("") };
        let value = match (index < count, shape.multisampled) {
            (true, _) => format!("{size}{component}"),
            (false, true) => format!("textureSamples({object})"),
            (false, false) => format!("textureQueryLevels({object})"),
        };
        p.line(span, &format!("{name} = {ty}({value});"));
    }
    Some(())
}
