//! How memory is read and written. What a structured buffer holds is *packed*: it lies as the source's types do by
//! themselves, each scalar aligned to its size. Values are in types of the language, whose vectors of three take four places, so that
//! what is read is unpacked, and what is written packed. All other memory holds values as they are.

use ir::{AtomicOp, GlobalKind, HandleType, Scalar, SpanId, StructId, Type, TypeId};
use smol_str::SmolStr;

use super::{Metal, key};
use crate::clike::{Dialect, PRIMARY, Precedence, Printer};
use crate::tree::{Expr, ExprKind, Function, Step, Stmt, StmtKind};

/// Where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// What the host hands over.
    Device,
    /// What a group shares.
    Group,
    /// Anything else.
    Thread,
}

impl Space {
    fn word(self) -> &'static str {
        match self {
            Space::Device => "device",
            Space::Group => "threadgroup",
            Space::Thread => "thread",
        }
    }
}

fn space_of(p: &Printer<'_>, handle: &Expr) -> Space {
    match (p.module.types.get(handle.ty), &handle.kind) {
        (Type::Handle(HandleType::StructuredBuffer { .. } | HandleType::ByteAddressBuffer { .. }), _) => Space::Device,
        (_, ExprKind::Global(global)) if p.module.globals[*global].kind == GlobalKind::GroupShared => Space::Group,
        _ => Space::Thread,
    }
}

/// Whether values of the type lie in a buffer in another way than in a variable.
fn is_packed(p: &Printer<'_>, ty: TypeId) -> bool {
    match p.module.types.get(ty) {
        Type::Vector { .. } | Type::Matrix { .. } => true,
        Type::Array { element, .. } => is_packed(p, element),
        Type::Struct(id) => p.module.types.structs[id].fields.iter().any(|field| is_packed(p, field.ty)),
        Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => false,
    }
}

/// The word for a type as it lies in a buffer.
pub(crate) fn packed_type(p: &mut Printer<'_>, ty: TypeId, span: SpanId) -> String {
    match p.module.types.get(ty) {
        Type::Vector { scalar, len } => packed_vector(p, scalar, len, ty, span),
        Type::Matrix { scalar, rows, cols } => {
            let row = packed_vector(p, scalar, cols, ty, span);
            format!("array<{row}, {rows}>")
        }
        Type::Array { element, len } => {
            let element = packed_type(p, element, span);
            format!("array<{element}, {len}>")
        }
        Type::Struct(id) if is_packed(p, ty) => packed_struct(p, id, span).to_string(),
        Type::Struct(_) | Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => p.type_name(ty, span),
    }
}

/// Of truth values there are no packed vectors in each version of the language.
fn packed_vector(p: &mut Printer<'_>, scalar: Scalar, len: u8, ty: TypeId, span: SpanId) -> String {
    match Metal.scalar(scalar) {
        Some(word) if scalar == Scalar::Bool => format!("array<{word}, {len}>"),
        Some(word) => format!("packed_{word}{len}"),
        None => p.type_name(ty, span),
    }
}

fn packed_struct(p: &mut Printer<'_>, id: StructId, span: SpanId) -> SmolStr {
    let struct_name = p.struct_names[id].clone();
    p.helper(&format!("{struct_name}_packed"), |p, name| {
        let fields = p.module.types.structs[id].fields.clone();
        let mut text = format!("struct {name}\n{{\n");
        for (index, field) in fields.iter().enumerate() {
            let (ty, field_name) = (packed_type(p, field.ty, span), p.field(id, index));
            text.push_str(&format!("    {ty} {field_name};\n"));
        }
        text + "};"
    })
}

/// The value of what lies packed at a place.
fn unpacked(p: &mut Printer<'_>, ty: TypeId, place: &str, span: SpanId) -> String {
    match p.module.types.get(ty) {
        Type::Vector { scalar: Scalar::Bool, .. } => call_of_unpack(p, ty, place, span),
        Type::Vector { .. } => format!("{}({place})", p.type_name(ty, span)),
        _ if !is_packed(p, ty) => place.to_owned(),
        _ => call_of_unpack(p, ty, place, span),
    }
}

fn call_of_unpack(p: &mut Printer<'_>, ty: TypeId, place: &str, span: SpanId) -> String {
    let (value, packed) = (p.type_name(ty, span), packed_type(p, ty, span));
    let name = p.helper(&format!("unpack_{}", key(&value)), |p, name| {
        let body = match p.module.types.get(ty) {
            Type::Vector { len, .. } => {
                let parts: Vec<String> = (0..len).map(|part| format!("packed[{part}]")).collect();
                format!("    return {value}({});\n", parts.join(", "))
            }
            Type::Matrix { scalar, rows, cols } => {
                let row = Metal.vector(scalar, cols).unwrap_or_default();
                let parts: Vec<String> = (0..rows).map(|part| format!("{row}(packed[{part}])")).collect();
                format!("    return {value}({});\n", parts.join(", "))
            }
            Type::Array { element, len } => {
                let part = unpacked(p, element, "packed[i]", span);
                format!(
                    "    {value} value;\n    for (uint i = 0; i < {len}; i++)\n    {{\n        value[i] = {part};\n    }}\n    return \
                     value;\n"
                )
            }
            Type::Struct(id) => {
                let fields = p.module.types.structs[id].fields.clone();
                let mut parts = Vec::new();
                for (index, field) in fields.iter().enumerate() {
                    let place = format!("packed.{}", p.field(id, index));
                    parts.push(unpacked(p, field.ty, &place, span));
                }
                format!("    return {value}{{{}}};\n", parts.join(", "))
            }
            Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => "    return packed;\n".to_owned(),
        };
        format!("{value} {name}(const device {packed}& packed)\n{{\n{body}}}")
    });
    format!("{name}({place})")
}

/// A value as it lies in a buffer.
fn packed(p: &mut Printer<'_>, ty: TypeId, value: &str, span: SpanId) -> String {
    match p.module.types.get(ty) {
        Type::Vector { scalar: Scalar::Bool, .. } => call_of_pack(p, ty, value, span),
        Type::Vector { .. } => format!("{}({value})", packed_type(p, ty, span)),
        _ if !is_packed(p, ty) => value.to_owned(),
        _ => call_of_pack(p, ty, value, span),
    }
}

fn call_of_pack(p: &mut Printer<'_>, ty: TypeId, value: &str, span: SpanId) -> String {
    let (value_type, packed_ty) = (p.type_name(ty, span), packed_type(p, ty, span));
    let name = p.helper(&format!("pack_{}", key(&value_type)), |p, name| {
        let body = match p.module.types.get(ty) {
            Type::Vector { len, .. } => {
                let parts: Vec<String> = (0..len).map(|part| format!("value[{part}]")).collect();
                format!("    return {packed_ty}{{{}}};\n", parts.join(", "))
            }
            Type::Matrix { scalar, rows, cols } => {
                let row = packed_vector(p, scalar, cols, ty, span);
                let parts: Vec<String> = (0..rows).map(|part| format!("{row}(value[{part}])")).collect();
                format!("    return {packed_ty}{{{}}};\n", parts.join(", "))
            }
            Type::Array { element, len } => {
                let part = packed(p, element, "value[i]", span);
                format!(
                    "    {packed_ty} packed;\n    for (uint i = 0; i < {len}; i++)\n    {{\n        packed[i] = {part};\n    }}\n    \
                     return packed;\n"
                )
            }
            Type::Struct(id) => {
                let fields = p.module.types.structs[id].fields.clone();
                let mut parts = Vec::new();
                for (index, field) in fields.iter().enumerate() {
                    let part = format!("value.{}", p.field(id, index));
                    parts.push(packed(p, field.ty, &part, span));
                }
                format!("    return {packed_ty}{{{}}};\n", parts.join(", "))
            }
            Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => "    return value;\n".to_owned(),
        };
        format!("{packed_ty} {name}({value_type} value)\n{{\n{body}}}")
    });
    format!("{name}({value})")
}

/// The text of a place in memory, its type, and whether it lies packed there.
fn place(p: &mut Printer<'_>, f: &Function, handle: &Expr, path: &[Step], span: SpanId) -> (String, TypeId, bool) {
    let base = p.operand(f, handle, PRIMARY, span);
    let Type::Handle(kind) = p.module.types.get(handle.ty) else {
        return (p.access(f, base, handle.ty, path, span), handle.ty, false);
    };
    let content = kind.content().unwrap_or(handle.ty);
    match kind {
        HandleType::StructuredBuffer { .. } => {
            let Some((first, rest)) = path.split_first() else { return (base, content, true) };
            let mut text = format!("{base}[{}]", step(p, f, first, span));
            let mut ty = content;
            for part in rest {
                match (p.module.types.get(ty), part) {
                    (Type::Struct(id), Step::Const(index)) => {
                        text = format!("{text}.{}", p.field(id, *index as usize));
                    }
                    _ => text = format!("{text}[{}]", step(p, f, part, span)),
                }
                ty = p.step_type(ty, part);
            }
            (text, ty, true)
        }
        _ => {
            let is_pointer = match &handle.kind {
                ExprKind::Global(global) if p.is_specialization(*global) => false,
                ExprKind::Global(global) => {
                    let is_constant = matches!(kind, HandleType::ConstantBuffer { .. });
                    is_constant || p.module.globals[*global].kind == GlobalKind::GroupShared
                }
                _ => false,
            };
            let ty = path.iter().fold(content, |ty, part| p.step_type(ty, part));
            let name = base;
            let base = if is_pointer { format!("(*{name})") } else { name.clone() };
            let text = p.access(f, base.clone(), handle.ty, path, span);
            // `(*a).b` is `a->b`.
            let arrow = text.strip_prefix(base.as_str()).and_then(|rest| rest.strip_prefix('.'));
            let text = match (is_pointer, arrow) {
                (true, Some(rest)) => format!("{name}->{rest}"),
                (true, None) if text == base => format!("*{name}"),
                _ => text,
            };
            (text, ty, false)
        }
    }
}

pub(crate) fn step(p: &mut Printer<'_>, f: &Function, step: &Step, span: SpanId) -> String {
    match step {
        Step::Const(index) => index.to_string(),
        Step::Dynamic(index) | Step::Tested(index) => p.expr(f, index, span),
    }
}

/// What is read from memory.
pub(crate) fn read(p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    match &expr.kind {
        ExprKind::Load { handle, path } => {
            if matches!(p.module.types.get(handle.ty), Type::Handle(HandleType::TexelBuffer { .. })) {
                return Some((super::textures::read_texel(p, f, handle, path, span)?, PRIMARY));
            }
            if !matches!(
                p.module.types.get(handle.ty),
                Type::Handle(
                    HandleType::StructuredBuffer { .. }
                        | HandleType::ConstantBuffer { .. }
                        | HandleType::Variable { .. }
                )
            ) {
                return refuse(p, handle, span);
            }
            let (text, ty, is_packed) = place(p, f, handle, path, span);
            if is_packed {
                return Some((unpacked(p, ty, &text, span), PRIMARY));
            }
            let precedence = if text.starts_with('*') { crate::clike::UNARY } else { PRIMARY };
            Some((text, precedence))
        }
        // `legalise` has made words of all else.
        ExprKind::ByteLoad { handle, offset } => {
            let word = word(p, f, handle, offset, span);
            match p.scalar_of(expr.ty)? {
                Scalar::U32 => Some((word, PRIMARY)),
                _ => Some((format!("as_type<{}>({word})", p.type_name(expr.ty, span)), PRIMARY)),
            }
        }
        _ => None,
    }
}

fn refuse(p: &mut Printer<'_>, handle: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    let what = match p.module.types.get(handle.ty) {
        Type::Handle(HandleType::Pointer { .. }) => "a pointer",
        _ => "an array of resources",
    };
    p.error(span, format!("{what} is not supported for target `metal`"));
    Some((String::new(), PRIMARY))
}

fn word(p: &mut Printer<'_>, f: &Function, handle: &Expr, offset: &Expr, span: SpanId) -> String {
    let buffer = p.operand(f, handle, PRIMARY, span);
    let offset = p.operand(f, offset, crate::clike::UNARY, span);
    format!("{buffer}[{offset} >> 2]")
}

/// Writes memory.
pub(crate) fn write(p: &mut Printer<'_>, f: &Function, stmt: &Stmt) -> bool {
    let span = stmt.span;
    match &stmt.kind {
        StmtKind::Store { handle, path, value } => {
            let kind = match p.module.types.get(handle.ty) {
                Type::Handle(kind) => kind,
                _ => return refuse(p, handle, span).is_some(),
            };
            if matches!(kind, HandleType::TexelBuffer { .. }) {
                match super::textures::write_texel(p, f, handle, path, value, span) {
                    Some(text) => p.line(span, &text),
                    None => p.error(span, "writing a part of a texel is not supported for target `metal`".into()),
                }
                return true;
            }
            if matches!(kind, HandleType::Pointer { .. }) {
                return refuse(p, handle, span).is_some();
            }
            let (place, ty, is_packed) = place(p, f, handle, path, span);
            let value = p.expr(f, value, span);
            let value = if is_packed { packed(p, ty, &value, span) } else { value };
            p.line(span, &format!("{place} = {value};"));
            true
        }
        StmtKind::ByteStore { handle, offset, value } => {
            let place = word(p, f, handle, offset, span);
            let is_word = p.scalar_of(value.ty) == Some(Scalar::U32);
            let value = p.expr(f, value, span);
            let value = if is_word { value } else { format!("as_type<uint>({value})") };
            p.line(span, &format!("{place} = {value};"));
            true
        }
        _ => false,
    }
}

/// An operation that nothing else comes between.
pub(crate) fn atomic(p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    let (op, space, text, operands) = match &expr.kind {
        ExprKind::Atomic { handle, .. }
            if matches!(p.module.types.get(handle.ty), Type::Handle(HandleType::TexelBuffer { .. })) =>
        {
            p.error(span, "an atomic operation on a texel is not supported for target `metal`".into());
            return Some((String::new(), PRIMARY));
        }
        ExprKind::Atomic { op, handle, path, operands } => {
            let (text, ..) = place(p, f, handle, path, span);
            (*op, space_of(p, handle), text, operands)
        }
        ExprKind::ByteAtomic { op, handle, offset, operands } => {
            (*op, Space::Device, word(p, f, handle, offset, span), operands)
        }
        _ => return None,
    };
    let scalar = p.scalar_of(expr.ty)?;
    if !matches!(scalar, Scalar::I32 | Scalar::U32) || space == Space::Thread {
        let ty = ir::source_names::scalar_name(scalar);
        p.error(span, format!("an atomic operation on `{ty}` here is not supported for target `metal`"));
        return Some((String::new(), PRIMARY));
    }
    let ty = Metal.scalar(scalar)?;
    let space = space.word();
    let address = text.strip_prefix('*').map_or_else(|| format!("&{text}"), str::to_owned);
    let pointer = format!("({space} atomic_{ty}*){address}");
    let operands: Vec<String> = operands.iter().map(|operand| p.expr(f, operand, span)).collect();
    let function = match op {
        AtomicOp::Add => "atomic_fetch_add_explicit",
        AtomicOp::And => "atomic_fetch_and_explicit",
        AtomicOp::Or => "atomic_fetch_or_explicit",
        AtomicOp::Xor => "atomic_fetch_xor_explicit",
        AtomicOp::Min => "atomic_fetch_min_explicit",
        AtomicOp::Max => "atomic_fetch_max_explicit",
        AtomicOp::Exchange => "atomic_exchange_explicit",
        AtomicOp::CompareExchange => {
            // The one that there is may fail for no reason.
            let name = p.helper(&format!("compare_exchange_{space}_{ty}"), |_, name| {
                format!(
                    "{ty} {name}({space} atomic_{ty}* place, {ty} compare, {ty} value)\n{{\n    {ty} old = compare;\n    while \
                     (!atomic_compare_exchange_weak_explicit(place, &old, value, memory_order_relaxed, memory_order_relaxed) && \
                     old == compare)\n    {{\n    }}\n    return old;\n}}"
                )
            });
            return Some((format!("{name}({pointer}, {})", operands.join(", ")), PRIMARY));
        }
    };
    Some((format!("{function}({pointer}, {}, memory_order_relaxed)", operands.join(", ")), PRIMARY))
}
