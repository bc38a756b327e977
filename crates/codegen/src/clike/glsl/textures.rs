//! Textures and samplers, which are apart and are put together where a texture is sampled.

use ir::{HandleType, Scalar, SpanId, Type, TypeId, intrinsic::TextureOp};

use super::memory::{converted, has_texel_atomic, whole_texel};
use crate::clike::intrinsics::len;
use crate::clike::{PRIMARY, Precedence, Printer};
use crate::formats;
use crate::lookups::{Level, Lookup, is_constant};
use crate::tree::{Expr, ExprKind, Function};

pub(crate) const SAMPLERLESS: &str = "#extension GL_EXT_samplerless_texture_functions : require";
const SHADOW_LOD: &str = "#extension GL_EXT_texture_shadow_lod : require";

/// What GLSL has to know of a texture.
#[derive(Clone, Copy)]
struct TextureShape {
    element: TypeId,
    scalar: Scalar,
    /// Components of a texel.
    len: u8,
    dims: u8,
    array: bool,
    cube: bool,
    multisampled: bool,
    writable: bool,
}

impl TextureShape {
    fn of(p: &Printer<'_>, ty: TypeId) -> Option<TextureShape> {
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
        // Numbers of 64 bits are not sampled.
        let known = formats::held(scalar).is_some() && (writable || scalar.bits() < 64);
        known.then_some(TextureShape { element, scalar, len, dims, array, cube, multisampled, writable })
    }

    /// `2DArray`
    fn suffix(self) -> String {
        let shape = if self.cube { "Cube".to_owned() } else { format!("{}D", self.dims) };
        let samples = if self.multisampled { "MS" } else { "" };
        format!("{shape}{samples}{}", if self.array { "Array" } else { "" })
    }

    fn prefix(self) -> &'static str {
        super::memory::prefix(self.scalar).unwrap_or_default()
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
    let shape = TextureShape::of(p, ty)?;
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
    let shape = TextureShape::of(p, texture.ty)?;
    let object = p.operand(f, texture, PRIMARY, span);
    let text = |p: &mut Printer<'_>, expr: &Expr| p.expr(f, expr, span);
    let swizzle = shape.swizzle();
    if op.samples() {
        return Some((between_texels(p, f, op, args, shape, span)?, PRIMARY));
    }
    let count = shape.coordinates();
    let call = match (op, rest) {
        (TextureOp::Load, [location]) if shape.writable && len(p, location) == count => {
            let texel = format!("imageLoad({object}, {}({})){swizzle}", ints(count), text(p, location));
            converted(p, shape.scalar, shape.element, texel, span)
        }
        (TextureOp::Load, [location, sample, offset @ ..]) if shape.multisampled && len(p, location) == count => {
            let (location, sample) = (text(p, location), text(p, sample));
            let function = if shape.writable { "imageLoad" } else { "texelFetch" };
            let mut place = format!("{}({location})", ints(count));
            match offset {
                [] => {}
                [offset] => place += &moved(p, f, offset, shape, span)?,
                _ => return None,
            }
            let texel = format!("{function}({object}, {place}, int({sample})){swizzle}");
            converted(p, shape.scalar, shape.element, texel, span)
        }
        (TextureOp::Load, [location, offset @ ..]) if !shape.writable && !shape.multisampled && !shape.cube => {
            let (mut place, level) = place_and_level(p, f, location, count, span);
            let mut function = "texelFetch";
            let mut offset_text = String::new();
            match offset {
                [] => {}
                [offset] if is_constant(offset) && is_offset(p, offset, shape) => {
                    function = "texelFetchOffset";
                    offset_text = format!(", {}", text(p, offset));
                }
                [offset] => place += &moved(p, f, offset, shape, span)?,
                _ => return None,
            }
            let texel = format!("{function}({object}, {place}, {level}{offset_text}){swizzle}");
            converted(p, shape.scalar, shape.element, texel, span)
        }
        (TextureOp::Store, [location, value]) if shape.writable && len(p, location) == count => {
            let (location, value) = (text(p, location), text(p, value));
            let texel = whole_texel(shape.scalar, shape.len, value);
            format!("imageStore({object}, {}({location}), {texel})", ints(count))
        }
        (op, [location, operands @ ..]) if shape.writable && len(p, location) == count => {
            let op = op.atomic()?;
            let word = super::memory::atomic_word(op);
            if shape.len != 1 || !has_texel_atomic(p, op, shape.scalar) {
                return None;
            }
            let (location, operands) = (text(p, location), p.list(f, operands, span));
            format!("imageAtomic{word}({object}, {}({location}), {operands})", ints(count))
        }
        _ => return None,
    };
    if !shape.writable {
        p.require(SAMPLERLESS);
    }
    Some((call, PRIMARY))
}

/// Which texel of which level a location names that has the level behind it, or none, which is the first.
fn place_and_level(p: &mut Printer<'_>, f: &Function, location: &Expr, count: u8, span: SpanId) -> (String, String) {
    let ints = ints(count);
    if let ExprKind::Make(parts) = &location.kind
        && let Some((level, parts)) = parts.split_last()
        && parts.len() == usize::from(count)
    {
        return (format!("{ints}({})", p.list(f, parts, span)), p.expr(f, level, span));
    }
    let has_level = len(p, location) == count + 1;
    let parts = p.operand(f, location, PRIMARY, span);
    let index = usize::from(count.min(3));
    match has_level {
        true => {
            let (place, level) = (["", ".x", ".xy", ".xyz"][index], [".x", ".y", ".z", ".w"][index]);
            (format!("{ints}({parts}{place})"), format!("int({parts}{level})"))
        }
        false => (format!("{ints}({parts})"), "0".into()),
    }
}

/// Whether an operand of `Load` is what the place is moved by.
fn is_offset(p: &Printer<'_>, operand: &Expr, shape: TextureShape) -> bool {
    len(p, operand) == shape.dims && p.scalar_of(operand.ty) == Some(Scalar::I32)
}

/// What is added to a place by an offset, which moves it within a layer.
fn moved(p: &mut Printer<'_>, f: &Function, offset: &Expr, shape: TextureShape, span: SpanId) -> Option<String> {
    if !is_offset(p, offset, shape) {
        return None;
    }
    let offset = p.expr(f, offset, span);
    let layer = if shape.array { ", 0" } else { "" };
    Some(format!(" + {}({offset}{layer})", ints(shape.coordinates())))
}

/// A lookup between texels, for which the texture and the sampler become one.
fn between_texels(
    p: &mut Printer<'_>,
    f: &Function,
    op: TextureOp,
    args: &[Expr],
    shape: TextureShape,
    span: SpanId,
) -> Option<String> {
    if let (TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped, [texture, sampler, location]) = (op, args) {
        let [texture, sampler, location] = [texture, sampler, location].map(|part| p.expr(f, part, span));
        let component = if op == TextureOp::LevelOfDetail { "x" } else { "y" };
        let combined = format!("{}sampler{}({texture}, {sampler})", shape.prefix(), shape.suffix());
        return Some(format!("textureQueryLod({combined}, {location}).{component}"));
    }
    let lookup = Lookup::of(op)?;
    let operands = lookup.operands(&p.module.types, args)?;
    if operands.offset.is_some_and(|offset| lookup.gathers.is_none() && !is_constant(offset)) {
        p.error(span, "an offset that is not a constant is not supported for this target".into());
        return Some(String::new());
    }
    if lookup.compares && shape.dims == 3 && !shape.cube {
        return None;
    }
    let shadow = if lookup.compares { "Shadow" } else { "" };
    let (texture, sampler) = (p.expr(f, operands.texture, span), p.expr(f, operands.sampler, span));
    let mut parts = vec![format!("{}sampler{}{shadow}({texture}, {sampler})", shape.prefix(), shape.suffix())];
    let location = p.expr(f, operands.location, span);
    let reference = operands.reference.map(|reference| match p.scalar_of(reference.ty) {
        Some(Scalar::F32) => p.expr(f, reference, span),
        _ => format!("float({})", p.expr(f, reference, span)),
    });
    match (reference, len(p, operands.location)) {
        // Where it has no place behind the location, and where four texels are given, it is an operand of its own.
        (Some(reference), count) if count == 4 || lookup.gathers.is_some() => parts.extend([location, reference]),
        (Some(reference), 1) => parts.push(format!("vec3({location}, 0.0, {reference})")),
        (Some(reference), count) => parts.push(format!("vec{}({location}, {reference})", count + 1)),
        (None, _) => parts.push(location),
    }
    let level: Vec<String> = operands.level.iter().map(|part| p.expr(f, part, span)).collect();
    let offset = operands.offset.map(|offset| p.expr(f, offset, span));
    // Of these shapes the language has comparisons at a given level only by an extension.
    let has_no_level = lookup.compares && (shape.cube || (shape.array && shape.dims == 2));
    let is_constant_place = lookup.level == Level::Zero && lookup.gathers.is_none() && has_no_level;
    if is_constant_place && shape.cube && (shape.array || offset.is_some()) {
        return None;
    }
    let mut function = match (lookup.gathers, lookup.level) {
        (Some(_), _) => "textureGather",
        _ if is_constant_place => "textureGrad",
        (None, Level::Implicit | Level::Biased) => "texture",
        (None, Level::Zero | Level::Given) => "textureLod",
        (None, Level::Gradients) => "textureGrad",
    }
    .to_owned();
    if offset.is_some() {
        function.push_str("Offset");
    }
    match lookup.level {
        Level::Implicit => parts.extend(offset),
        Level::Biased => parts.extend(offset.into_iter().chain(level)),
        Level::Given | Level::Gradients => parts.extend(level.into_iter().chain(offset)),
        Level::Zero if is_constant_place => {
            let zero = if shape.cube { "vec3(0.0)" } else { "vec2(0.0)" };
            parts.extend([zero.to_owned(), zero.to_owned()].into_iter().chain(offset));
        }
        Level::Zero if lookup.gathers.is_none() => parts.extend(["0.0".to_owned()].into_iter().chain(offset)),
        Level::Zero => parts.extend(offset),
    }
    if let Some(component) = lookup.gathers.filter(|component| *component > 0) {
        parts.push(component.to_string());
    }
    if has_no_level && matches!(lookup.level, Level::Given | Level::Biased) {
        p.require(SHADOW_LOD);
    }
    let swizzle = if lookup.compares || lookup.gathers.is_some() { "" } else { shape.swizzle() };
    let texel = format!("{function}({}){swizzle}", parts.join(", "));
    Some(match (lookup.gathers, lookup.compares) {
        (None, true) => texel,
        (None, false) => converted(p, shape.scalar, shape.element, texel, span),
        (Some(_), _) => {
            let four = p.module.types.vector(shape.scalar, 4);
            converted(p, shape.scalar, four, texel, span)
        }
    })
}

/// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
pub(crate) fn dimensions(p: &mut Printer<'_>, f: &Function, args: &[Expr], span: SpanId) -> Option<()> {
    let (texture, rest) = args.split_first()?;
    let shape = TextureShape::of(p, texture.ty)?;
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
