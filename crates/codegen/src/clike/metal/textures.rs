//! Textures, buffers of texels and samplers.

use ir::{GlobalId, HandleType, Scalar, SpanId, Type, TypeId, intrinsic::TextureOp};

use super::Metal;
use crate::clike::intrinsics::len;
use crate::clike::{Dialect, PRIMARY, Precedence, Printer};
use crate::lookups::{Level, Lookup, is_constant, readings};
use crate::tree::{Expr, ExprKind, Function, Step};

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
    /// Whether its texels are compared: then it is a texture of depths, which are single numbers.
    depth: bool,
}

impl TextureShape {
    fn of(p: &Printer<'_>, texture: &Expr) -> Option<TextureShape> {
        let ExprKind::Global(global) = texture.kind else { return None };
        TextureShape::of_global(p, global)
    }

    fn of_global(p: &Printer<'_>, global: GlobalId) -> Option<TextureShape> {
        let Type::Handle(HandleType::Texture { element, dims, array, multisampled, cube, writable }) =
            p.module.types.get(p.module.globals[global].ty)
        else {
            return None;
        };
        let (scalar, len) = texel(p, element)?;
        let has_shape = !(dims == 3 && array) && !(multisampled && (writable || dims != 2)) && !(cube && writable);
        let depth = scalar.is_float() && !writable && is_compared(p, global);
        let has_depth = !depth || (scalar == Scalar::F32 && dims == 2);
        let shape = TextureShape { scalar, len, dims, array, cube, multisampled, writable, depth };
        (has_shape && has_depth).then_some(shape)
    }

    /// The components of a texel in what functions give.
    fn swizzle(self) -> &'static str {
        if self.depth { "" } else { swizzle(self.len) }
    }

    /// Numbers that name a place, without that of the element of an array.
    fn coordinates(self) -> usize {
        usize::from(self.dims) + usize::from(self.cube)
    }
}

/// Whether the program compares texels of a texture, which nothing does without a sampler for it.
fn is_compared(p: &Printer<'_>, global: GlobalId) -> bool {
    let compares = |ty| matches!(p.module.types.get(ty), Type::Handle(HandleType::Sampler { comparison: true }));
    p.module.globals.iter().any(|(_, global)| compares(global.ty)) && readings(p.module, global).compared
}

/// The type of a texture.
pub(crate) fn type_name(p: &Printer<'_>, global: GlobalId) -> Option<String> {
    let shape = TextureShape::of_global(p, global)?;
    let kind = if shape.cube { "cube".to_owned() } else { format!("{}d", shape.dims) };
    let samples = if shape.multisampled { "_ms" } else { "" };
    let array = if shape.array { "_array" } else { "" };
    let access = match (shape.writable, shape.multisampled) {
        (true, _) => "read_write",
        (false, true) => "read",
        (false, false) => "sample",
    };
    let what = if shape.depth { "depth" } else { "texture" };
    Some(format!("{what}{kind}{samples}{array}<{}, access::{access}>", Metal.scalar(shape.scalar)?))
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
    let shape = TextureShape::of(p, texture)?;
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
    if shape.depth && shape.len != 1 {
        return None;
    }
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
            let texel = four(&value, shape.scalar, shape.len)?;
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
    if shape.writable || shape.multisampled || !shape.scalar.is_float() {
        return None;
    }
    // A depth is one number.
    if shape.depth && !lookup.compares && (shape.len != 1 || lookup.gathers.is_some_and(|component| component != 0)) {
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
            parts.extend([coordinates.clone(), format!("uint(precise::max(rint({place}.{element}), 0.0f))")])
        }
        coordinates => parts.extend(coordinates.iter().cloned()),
    }
    parts.extend(operands.reference.map(|reference| p.expr(f, reference, span)));
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
        if lookup.compares {
            parts.extend(offset);
            return Some(format!("{texture}.gather_compare({})", parts.join(", ")));
        }
        // The component comes behind an offset, which cubes do not have.
        if !shape.cube {
            parts.push(offset.unwrap_or_else(|| "int2(0)".into()));
        }
        if shape.depth {
            return Some(format!("{texture}.gather({})", parts.join(", ")));
        }
        parts.push(format!("component::{}", ["x", "y", "z", "w"].get(usize::from(component))?));
        return Some(format!("{texture}.gather({})", parts.join(", ")));
    }
    parts.extend(offset);
    if lookup.compares {
        return Some(format!("{texture}.sample_compare({})", parts.join(", ")));
    }
    Some(format!("{texture}.sample({}){}", parts.join(", "), shape.swizzle()))
}

/// `GetDimensions`: the sizes go to variables, the last one of which may be for levels or samples.
pub(crate) fn dimensions(p: &mut Printer<'_>, f: &Function, args: &[Expr], span: SpanId) -> Option<()> {
    let (texture, rest) = args.split_first()?;
    let shape = TextureShape::of(p, texture)?;
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

/// The type of a buffer of texels.
pub(crate) fn texel_buffer(p: &Printer<'_>, element: TypeId, writable: bool) -> Option<String> {
    let (scalar, _) = texel(p, element)?;
    let access = if writable { "read_write" } else { "read" };
    Some(format!("texture_buffer<{}, access::{access}>", Metal.scalar(scalar)?))
}

/// The number that texels consist of, and how many there are of it.
fn texel(p: &Printer<'_>, element: TypeId) -> Option<(Scalar, u8)> {
    let (scalar, len) = match p.module.types.get(element) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector { scalar, len } => (scalar, len),
        _ => return None,
    };
    let is_known = matches!(scalar, Scalar::F16 | Scalar::F32 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32);
    is_known.then_some((scalar, len))
}

/// A texel of a buffer, or a component of one.
pub(crate) fn read_texel(
    p: &mut Printer<'_>,
    f: &Function,
    buffer: &Expr,
    path: &[Step],
    span: SpanId,
) -> Option<String> {
    let (element, index, rest) = texel_place(p, f, buffer, path, span)?;
    let (_, len) = texel(p, element)?;
    let object = p.operand(f, buffer, PRIMARY, span);
    let all = format!("{object}.read({index}){}", swizzle(len));
    match rest {
        [] => Some(all),
        [Step::Const(component)] => {
            Some(format!("{object}.read({index}).{}", ["x", "y", "z", "w"].get(*component as usize)?))
        }
        [Step::Dynamic(component) | Step::Tested(component)] => Some(format!("{all}[{}]", p.expr(f, component, span))),
        _ => None,
    }
}

/// The statement that writes a whole texel of a buffer.
pub(crate) fn write_texel(
    p: &mut Printer<'_>,
    f: &Function,
    buffer: &Expr,
    path: &[Step],
    value: &Expr,
    span: SpanId,
) -> Option<String> {
    let (element, index, []) = texel_place(p, f, buffer, path, span)? else { return None };
    let (scalar, len) = texel(p, element)?;
    let (object, value) = (p.operand(f, buffer, PRIMARY, span), p.expr(f, value, span));
    Some(format!("{object}.write({}, {index});", four(&value, scalar, len)?))
}

/// What the texels of a buffer are, the number of one as text, and the rest of the path.
fn texel_place<'s>(
    p: &mut Printer<'_>,
    f: &Function,
    buffer: &Expr,
    path: &'s [Step],
    span: SpanId,
) -> Option<(TypeId, String, &'s [Step])> {
    let Type::Handle(HandleType::TexelBuffer { element, .. }) = p.module.types.get(buffer.ty) else { return None };
    let (first, rest) = path.split_first()?;
    Some((element, format!("uint({})", super::memory::step(p, f, first, span)), rest))
}

/// The first components of four.
fn swizzle(len: u8) -> &'static str {
    ["", ".x", ".xy", ".xyz", ""][usize::from(len.min(4))]
}

/// A texel as four numbers, as all are written.
fn four(value: &str, scalar: Scalar, len: u8) -> Option<String> {
    let word = Metal.scalar(scalar)?;
    Some(match len {
        4 => value.to_owned(),
        len => format!("{word}4({value}{})", format!(", {word}(0)").repeat(4 - usize::from(len))),
    })
}
