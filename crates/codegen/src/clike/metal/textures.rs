//! Textures and samplers.

use ir::{HandleType, Scalar, SpanId, Type, TypeId, intrinsic::TextureOp};

use super::Metal;
use crate::clike::intrinsics::len;
use crate::clike::{Dialect, PRIMARY, Precedence, Printer};
use crate::lookups::{Level, Lookup, is_constant};
use crate::tree::{Expr, ExprKind, Function};

/// What Metal has to know of a texture.
#[derive(Clone, Copy)]
struct TextureShape {
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
        let is_known =
            matches!(scalar, Scalar::F16 | Scalar::F32 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32);
        let has_shape = !(dims == 3 && array) && !(multisampled && (writable || dims != 2)) && !(cube && writable);
        (is_known && has_shape).then_some(TextureShape { scalar, len, dims, array, cube, multisampled, writable })
    }

    /// The components of a texel in what functions give.
    fn swizzle(self) -> &'static str {
        ["", ".x", ".xy", ".xyz", ""][usize::from(self.len.min(4))]
    }

    /// Numbers that name a place, without that of the element of an array.
    fn coordinates(self) -> usize {
        usize::from(self.dims) + usize::from(self.cube)
    }
}

/// The type of a texture.
pub(crate) fn type_name(p: &Printer<'_>, ty: TypeId) -> Option<String> {
    let shape = TextureShape::of(p, ty)?;
    let kind = if shape.cube { "cube".to_owned() } else { format!("{}d", shape.dims) };
    let samples = if shape.multisampled { "_ms" } else { "" };
    let array = if shape.array { "_array" } else { "" };
    let access = match (shape.writable, shape.multisampled) {
        (true, _) => "read_write",
        (false, true) => "read",
        (false, false) => "sample",
    };
    Some(format!("texture{kind}{samples}{array}<{}, access::{access}>", Metal.scalar(shape.scalar)?))
}

/// A place as its coordinates and, in an array, the number of the element, of which `convert` makes integers.
fn location(shape: TextureShape, place: &str, ty: &str) -> Vec<String> {
    let count = shape.coordinates();
    let letters = "xyzw";
    let cast = |text: String| if ty.is_empty() { text } else { format!("{ty}({text})") };
    if !shape.array {
        return vec![cast(place.to_owned())];
    }
    let element = &letters[count..=count];
    vec![cast(format!("{place}.{}", &letters[..count])), element.to_owned()]
}

/// The words for integers that name a texel.
fn uints(count: usize) -> String {
    if count == 1 { "uint".into() } else { format!("uint{count}") }
}

/// The text of an operation on a texture; `None` for those that Metal does not have.
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
    if op.samples() {
        return Some((between_texels(p, f, op, args, shape, span)?, PRIMARY));
    }
    let count = shape.coordinates();
    let all = count + usize::from(shape.array);
    let place_of = |p: &mut Printer<'_>, place: &Expr| -> Vec<String> {
        let text = p.operand(f, place, PRIMARY, span);
        let mut parts = location(shape, &text, &uints(count));
        if let [_, element] = &mut parts[..] {
            *element = format!("uint({text}.{element})");
        }
        parts
    };
    let swizzle = shape.swizzle();
    match (op, rest) {
        (TextureOp::Load, [place]) if shape.writable && usize::from(len(p, place)) == all => {
            let parts = place_of(p, place);
            Some((format!("{object}.read({}){swizzle}", parts.join(", ")), PRIMARY))
        }
        (TextureOp::Load, [place, sample]) if shape.multisampled && usize::from(len(p, place)) == all => {
            let mut parts = place_of(p, place);
            parts.push(format!("uint({})", p.expr(f, sample, span)));
            Some((format!("{object}.read({}){swizzle}", parts.join(", ")), PRIMARY))
        }
        (TextureOp::Load, [place]) if !shape.writable && !shape.multisampled && !shape.cube => {
            let has_level = usize::from(len(p, place)) == all + 1;
            let text = p.operand(f, place, PRIMARY, span);
            let letters = "xyzw";
            let of = |part: &str| if all == 1 && !has_level { text.clone() } else { format!("{text}.{part}") };
            let mut parts = vec![format!("{}({})", uints(count), of(&letters[..count]))];
            if shape.array {
                parts.push(format!("uint({})", of(&letters[count..=count])));
            }
            if has_level && shape.dims > 1 {
                parts.push(format!("uint({})", of(&letters[all..=all])));
            }
            Some((format!("{object}.read({}){swizzle}", parts.join(", ")), PRIMARY))
        }
        (TextureOp::Store, [place, value]) if shape.writable && usize::from(len(p, place)) == all => {
            let parts = place_of(p, place);
            let value = p.expr(f, value, span);
            let texel = match shape.len {
                4 => value,
                len => {
                    let scalar = Metal.scalar(shape.scalar)?;
                    format!("{scalar}4({value}{})", format!(", {scalar}(0)").repeat(4 - usize::from(len)))
                }
            };
            Some((format!("{object}.write({texel}, {})", parts.join(", ")), PRIMARY))
        }
        _ => None,
    }
}

/// A lookup between texels.
fn between_texels(
    p: &mut Printer<'_>,
    f: &Function,
    op: TextureOp,
    args: &[Expr],
    shape: TextureShape,
    span: SpanId,
) -> Option<String> {
    let lookup = Lookup::of(op)?;
    // What is compared has another type there.
    if lookup.compares || shape.writable || shape.multisampled || !shape.scalar.is_float() {
        return None;
    }
    let operands = lookup.operands(&p.module.types, args)?;
    if operands.offset.is_some_and(|offset| !is_constant(offset) || shape.cube || shape.dims == 1) {
        return None;
    }
    if shape.dims == 1 && lookup.level != Level::Implicit && lookup.level != Level::Zero {
        return None;
    }
    let (texture, sampler) = (p.operand(f, operands.texture, PRIMARY, span), p.expr(f, operands.sampler, span));
    let place = p.operand(f, operands.location, PRIMARY, span);
    let mut parts = vec![sampler];
    match &location(shape, &place, "")[..] {
        [coordinates, element] => {
            parts.extend([coordinates.clone(), format!("uint(max(rint({place}.{element}), 0.0f))")])
        }
        coordinates => parts.extend(coordinates.iter().cloned()),
    }
    let level: Vec<String> = operands.level.iter().map(|part| p.expr(f, part, span)).collect();
    let shape_word = if shape.cube { "cube".to_owned() } else { format!("{}d", shape.dims) };
    match (lookup.level, &level[..]) {
        (Level::Implicit, _) => {}
        (Level::Zero, _) if lookup.gathers.is_none() && shape.dims > 1 => parts.push("level(0.0f)".into()),
        (Level::Zero, _) => {}
        (Level::Given, [level]) => parts.push(format!("level({level})")),
        (Level::Biased, [bias]) => parts.push(format!("bias({bias})")),
        (Level::Gradients, [x, y]) => parts.push(format!("gradient{shape_word}({x}, {y})")),
        _ => return None,
    }
    let offset = operands.offset.map(|offset| p.expr(f, offset, span));
    if let Some(component) = lookup.gathers {
        if shape.dims != 2 {
            return None;
        }
        // The component comes behind an offset, which cubes do not have.
        if !shape.cube {
            parts.push(offset.unwrap_or_else(|| "int2(0)".into()));
        }
        parts.push(format!("component::{}", ["x", "y", "z", "w"].get(usize::from(component))?));
        return Some(format!("{texture}.gather({})", parts.join(", ")));
    }
    parts.extend(offset);
    Some(format!("{texture}.sample({}){}", parts.join(", "), shape.swizzle()))
}

/// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
pub(crate) fn dimensions(p: &mut Printer<'_>, f: &Function, args: &[Expr], span: SpanId) -> Option<()> {
    let (texture, rest) = args.split_first()?;
    let shape = TextureShape::of(p, texture.ty)?;
    let object = p.operand(f, texture, PRIMARY, span);
    let (outs, level): (Vec<&Expr>, Vec<&Expr>) =
        rest.iter().partition(|arg| matches!(arg.kind, ExprKind::Reference(_)));
    let level = match level.first() {
        Some(level) if shape.dims > 1 => format!("uint({})", p.expr(f, level, span)),
        _ => String::new(),
    };
    let dims = usize::from(shape.dims);
    for (index, out) in outs.into_iter().enumerate() {
        let (ty, name) = (p.type_name(out.ty, span), p.expr(f, out, span));
        let value = match index {
            index if index < dims => {
                let method = ["get_width", "get_height", "get_depth"].get(index)?;
                format!("{object}.{method}({level})")
            }
            index if index == dims && shape.array => format!("{object}.get_array_size()"),
            _ if shape.multisampled => format!("{object}.get_num_samples()"),
            _ => format!("{object}.get_num_mip_levels()"),
        };
        p.line(span, &format!("{name} = {ty}({value});"));
    }
    Some(())
}
