//! Globals, and how they are read and written.

use ir::module::Stage;
use ir::provision::{DataLayout, Interpolation, ParameterRole, Rate, Sampling, SystemValue, Varying, VaryingPlace};
use ir::{AtomicOp, GlobalId, GlobalKind, HandleType, Intrinsic, Scalar, SpanId, Type, intrinsic::TextureOp};
use smol_str::SmolStr;

use super::{Glsl, is_effect, zero};
use crate::clike::expressions::AT_ADDRESS;
use crate::clike::{Dialect, MULTIPLICATIVE, PRIMARY, Precedence, Printer};
use crate::formats;
use crate::tree::{Expr, ExprKind, Function, Step, Stmt, StmtKind};

/// For arrays of resources without length, and indices that differ between threads.
pub(crate) const NONUNIFORM: &str = "#extension GL_EXT_nonuniform_qualifier : require";

/// What the blocks of an array of buffers hold.
const CONTENT: &str = "content";

/// For texels of 64 bits.
const LONG_TEXELS: &str = "#extension GL_EXT_shader_image_int64 : require";

/// For additions of floats in one step.
const FLOAT_ATOMICS: &str = "#extension GL_EXT_shader_atomic_float : require";

const SCALAR_LAYOUT: &str = "#extension GL_EXT_scalar_block_layout : require";

fn access(writable: bool, is_coherent: bool) -> &'static str {
    match (writable, is_coherent) {
        (true, true) => "coherent ",
        (true, false) => "",
        (false, _) => "readonly ",
    }
}

/// What the names of texel types start with, and their components.
fn texel_type(p: &Printer<'_>, element: ir::TypeId) -> Option<(&'static str, Scalar, u8)> {
    let (scalar, len) = match p.module.types.get(element) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector { scalar, len } => (scalar, len),
        _ => return None,
    };
    Some((prefix(scalar)?, scalar, len))
}

/// What the names of images start with that hold such numbers.
pub(super) fn prefix(scalar: Scalar) -> Option<&'static str> {
    Some(match formats::held(scalar)? {
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        _ => "",
    })
}

/// Texels that are read, of the type that the source gives them: images give numbers of 32 bits.
pub(super) fn converted(p: &mut Printer<'_>, scalar: Scalar, ty: ir::TypeId, text: String, span: SpanId) -> String {
    match formats::held(scalar) {
        Some(held) if held != scalar => format!("{}({text})", p.type_name(ty, span)),
        _ => text,
    }
}

/// The four numbers that an image takes for a texel of `len`, whatever it keeps of them.
pub(super) fn whole_texel(scalar: Scalar, len: u8, value: String) -> String {
    let held = formats::held(scalar).unwrap_or(scalar);
    if len == 4 && held == scalar {
        return value;
    }
    let zero = if held == Scalar::F32 { ", 0.0" } else { ", 0" };
    format!("{}({value}{})", Glsl.vector(held, 4).unwrap_or_default(), zero.repeat(4 - usize::from(len)))
}

/// What the layout of an image that is written says of its texels, with a comma before it: the format that the source
/// gives, by GLSL's name for it, or the one that follows from their type.
fn format_of(p: &mut Printer<'_>, id: GlobalId, element: ir::TypeId) -> Option<String> {
    let (_, scalar, len) = texel_type(p, element)?;
    if matches!(scalar, Scalar::I64 | Scalar::U64) {
        p.require(LONG_TEXELS);
    }
    Some(match p.module.globals[id].provision.format.as_deref() {
        Some("unknown") => {
            p.require("#extension GL_EXT_shader_image_load_formatted : require");
            String::new()
        }
        Some("r11g11b10f") => ", r11f_g11f_b10f".into(),
        Some(format) => format!(", {format}"),
        None => format!(", {}", formats::implied(scalar, len)?),
    })
}

/// Both it and the extension for tracing declare scenes; this one is for all stages.
const RAY_QUERY: &str = "#extension GL_EXT_ray_query : require";

/// What is at an address, as a reference to a block of as many elements as there are.
pub(crate) fn at_address(
    p: &mut Printer<'_>,
    f: &Function,
    address: &Expr,
    ty: ir::TypeId,
    span: SpanId,
) -> Option<String> {
    let Type::Handle(HandleType::Address { pointee }) = p.module.types.get(ty) else { return None };
    p.require("#extension GL_EXT_buffer_reference : require");
    p.require(SCALAR_LAYOUT);
    let element = p.type_name(pointee, span);
    let words: String = element.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let key = format!("AddressOf_{}", words.trim_end_matches('_').replace("__", "_"));
    let align = ir::layout::layout(&p.module.types, pointee).map_or(4, |layout| layout.align);
    let block = p.helper(&key, |p, block| {
        let elements = p.declarator_of_many(pointee, AT_ADDRESS, span);
        format!(
            "layout(buffer_reference, scalar, buffer_reference_align = {align}) buffer {block}\n{{\n    {elements};\n}};"
        )
    });
    let address = p.expr(f, address, span);
    Some(format!("{block}({address})"))
}

/// A name for the block around a buffer: those of blocks share the scope of all others.
fn block_name(p: &mut Printer<'_>, buffer: &str) -> SmolStr {
    p.fresh_name(&format!("{buffer}_buffer"))
}

/// The declaration of a global; its value has the global's name.
pub(crate) fn declaration(p: &mut Printer<'_>, id: GlobalId) -> Option<String> {
    let global = p.module.globals[id].clone();
    let name = p.global_names[id].clone();
    let span = p.global_span(id);
    let array = p.module.types.resource_array(global.ty);
    let ty = array.map_or(global.ty, |(element, _)| element);
    let Type::Handle(handle) = p.module.types.get(ty) else { return None };
    let suffix = array.map_or(String::new(), |(_, count)| crate::clike::items::resource_count(count));
    if suffix == "[]" {
        p.require(NONUNIFORM);
    }
    // The blocks of an array have a name, those of others are the scope of all.
    let (member, instance) = match array {
        Some(_) => (CONTENT.into(), format!(" {name}{suffix}")),
        None => (name.clone(), String::new()),
    };
    let place = p.binding_of(id);
    let is_memory = matches!(handle, HandleType::StructuredBuffer { .. } | HandleType::ConstantBuffer { .. });
    let rules = p.layout_of(id);
    let is_coherent = global.provision.is_coherent;
    let coherent = if is_coherent { "coherent " } else { "" };
    let is_pushed = global.provision.role == ParameterRole::PushConstant && place.is_none();
    let is_record = global.provision.role == ParameterRole::ShaderRecord && place.is_none();
    if is_record {
        p.require(super::rays::RAY_TRACING);
    }
    let layout = |more: &str| match place {
        _ if is_pushed => format!("layout(push_constant{more})"),
        _ if is_record => format!("layout(shaderRecordEXT{more})"),
        Some((set, binding)) => format!("layout(set = {set}, binding = {binding}{more})"),
        None => format!("layout(set = 0, binding = 0{more})"),
    };
    let rules = match rules {
        DataLayout::Scalar => ", scalar",
        DataLayout::Std140 => ", std140",
        DataLayout::Std430 => ", std430",
    };
    if is_memory && rules == ", scalar" {
        p.require(SCALAR_LAYOUT);
    }
    match handle {
        HandleType::Variable { content } => {
            let declarator = p.declarator(content, &name, span);
            if let Some(varying) = &global.provision.varying {
                return Some(match varying.place {
                    VaryingPlace::Message(message) => super::rays::declaration(p, message, varying, &declarator),
                    VaryingPlace::Location(location) => {
                        // How many control points come in, the host says.
                        let is_patch = varying.rate == Rate::Vertex && !varying.is_output;
                        let is_patch = is_patch && matches!(p.stage_of(id), Some(Stage::Hull | Stage::Domain));
                        let declarator = match p.module.types.get(content) {
                            Type::Array { element, .. } if is_patch => p.declarator_of_many(element, &name, span),
                            _ => declarator,
                        };
                        if varying.interpolation == Interpolation::Vertices {
                            p.require("#extension GL_EXT_fragment_shader_barycentric : require");
                        }
                        varying_declaration(location, varying, &declarator)
                    }
                    VaryingPlace::System(SystemValue::FragmentDepthGreater) => {
                        "layout(depth_greater) out float gl_FragDepth;".into()
                    }
                    VaryingPlace::System(SystemValue::FragmentDepthLess) => {
                        "layout(depth_less) out float gl_FragDepth;".into()
                    }
                    // Those of the pipeline are there without a declaration.
                    VaryingPlace::System(_) => String::new(),
                });
            }
            Some(match global.kind {
                GlobalKind::GroupShared => format!("shared {declarator};"),
                GlobalKind::Static { init: Some(init) } => format!("{declarator} = {}();", p.function_names[init]),
                GlobalKind::Static { init: None } | GlobalKind::Parameter => {
                    format!("{declarator} = {};", zero(p, content, span))
                }
            })
        }
        HandleType::StructuredBuffer { element, writable } => {
            let element = p.declarator_of_many(element, &member, span);
            let block = block_name(p, &name);
            Some(format!(
                "{} {}buffer {block}\n{{\n    {element};\n}}{instance};",
                layout(rules),
                access(writable, is_coherent)
            ))
        }
        HandleType::ByteAddressBuffer { writable } => {
            let block = block_name(p, &name);
            Some(format!(
                "{} {}buffer {block}\n{{\n    uint {member}[];\n}}{instance};",
                layout(", std430"),
                access(writable, is_coherent)
            ))
        }
        HandleType::ConstantBuffer { content } => {
            let declarator = p.declarator(content, &member, span);
            let block = block_name(p, &name);
            let storage = if is_record { "readonly buffer" } else { "uniform" };
            Some(format!("{} {storage} {block}\n{{\n    {declarator};\n}}{instance};", layout(rules)))
        }
        HandleType::TexelBuffer { element, writable } => {
            let (prefix, scalar, _) = texel_type(p, element)?;
            if !writable {
                if scalar.bits() == 64 {
                    return None;
                }
                p.require(super::textures::SAMPLERLESS);
                return Some(format!("{} uniform {prefix}textureBuffer {name}{suffix};", layout("")));
            }
            let format = format_of(p, id, element)?;
            Some(format!("{} {coherent}uniform {prefix}imageBuffer {name}{suffix};", layout(&format)))
        }
        HandleType::Sampler { comparison } => {
            let ty = if comparison { "samplerShadow" } else { "sampler" };
            Some(format!("{} uniform {ty} {name}{suffix};", layout("")))
        }
        HandleType::AccelerationStructure => {
            let is_of_pipeline = p.module.entry_points.iter().any(|entry| entry.stage.traces_rays());
            p.require(if is_of_pipeline { super::rays::RAY_TRACING } else { RAY_QUERY });
            Some(format!("{} uniform accelerationStructureEXT {name}{suffix};", layout("")))
        }
        HandleType::RayQuery { .. } => {
            p.require(RAY_QUERY);
            Some(format!("rayQueryEXT {name};"))
        }
        HandleType::Texture { element, writable, .. } => {
            let Some(ty) = super::textures::type_name(p, ty) else {
                p.error(span, format!("`{name}`: this kind of texture is not supported for target `glsl`"));
                return Some(String::new());
            };
            if !writable {
                return Some(format!("{} uniform {ty} {name}{suffix};", layout("")));
            }
            let Some(format) = format_of(p, id, element) else {
                p.error(span, format!("`{name}`: this kind of texture is not supported for target `glsl`"));
                return Some(String::new());
            };
            Some(format!("{} {coherent}uniform {ty} {name}{suffix};", layout(&format)))
        }
        HandleType::Pointer { .. } | HandleType::Address { .. } => {
            p.error(span, format!("`{name}`: pointers are not supported for target `glsl`"));
            Some(String::new())
        }
    }
}

/// A variable that stages hand to each other.
fn varying_declaration(location: u32, varying: &Varying, declarator: &str) -> String {
    let interpolation = match varying.interpolation {
        Interpolation::Perspective => "",
        Interpolation::Linear => "noperspective ",
        Interpolation::Flat => "flat ",
        Interpolation::Vertices => "pervertexEXT ",
    };
    let sampling = match varying.sampling {
        Sampling::Center => "",
        Sampling::Centroid => "centroid ",
        Sampling::Sample => "sample ",
    };
    let direction = match (varying.rate, varying.is_output) {
        (Rate::Patch, true) => "patch out",
        (Rate::Patch, false) => "patch in",
        (Rate::Primitive, _) => "perprimitiveEXT out",
        (Rate::Invocation | Rate::Vertex | Rate::Appended, true) => "out",
        (Rate::Invocation | Rate::Vertex | Rate::Appended, false) => "in",
    };
    let source = if varying.is_second_source { ", index = 1" } else { "" };
    format!("layout(location = {location}{source}) {interpolation}{sampling}{direction} {declarator};")
}

/// Whether it is a value of the pipeline that is an integer and written.
fn takes_integer(p: &Printer<'_>, handle: &Expr) -> bool {
    let ExprKind::Global(global) = handle.kind else { return false };
    let Some(varying) = &p.module.globals[global].provision.varying else { return false };
    let is_integer = matches!(
        varying.place,
        VaryingPlace::System(
            SystemValue::Layer
                | SystemValue::Viewport
                | SystemValue::Coverage
                | SystemValue::StencilReference
                | SystemValue::PrimitiveIndex
                | SystemValue::ShadingRate
        )
    );
    varying.is_output && is_integer
}

/// The components that a texel of `len` has.
fn components(len: u8) -> &'static str {
    ["", ".x", ".xy", ".xyz", ""][usize::from(len.min(4))]
}

/// A resource of an array: of buffers, what their blocks hold.
pub(crate) fn resource(
    p: &mut Printer<'_>,
    f: &Function,
    array: &Expr,
    path: &[Step],
    ty: ir::TypeId,
    span: SpanId,
) -> Option<(String, Precedence)> {
    let Type::Handle(handle) = p.module.types.get(ty) else { return None };
    let element = p.memory(f, array, path, span);
    Some(match handle {
        HandleType::StructuredBuffer { .. }
        | HandleType::ByteAddressBuffer { .. }
        | HandleType::ConstantBuffer { .. } => (format!("{element}.{CONTENT}"), PRIMARY),
        HandleType::TexelBuffer { .. }
        | HandleType::Texture { .. }
        | HandleType::Sampler { .. }
        | HandleType::AccelerationStructure
        | HandleType::RayQuery { .. }
        | HandleType::Pointer { .. }
        | HandleType::Address { .. }
        | HandleType::Variable { .. } => (element, PRIMARY),
    })
}

/// An element of a texel buffer; other memory is read as all languages do.
pub(crate) fn texel(
    p: &mut Printer<'_>,
    f: &Function,
    handle: &Expr,
    path: &[Step],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let Type::Handle(HandleType::TexelBuffer { element, writable }) = p.module.types.get(handle.ty) else {
        return None;
    };
    let (_, scalar, len) = texel_type(p, element)?;
    let (index, rest) = path.split_first()?;
    let buffer = p.expr(f, handle, span);
    let index = step(p, f, index, span);
    let call = match writable {
        true => format!("imageLoad({buffer}, {index}){}", components(len)),
        false => format!("texelFetch({buffer}, {index}){}", components(len)),
    };
    let call = converted(p, scalar, element, call, span);
    Some((p.access(f, call, element, rest, span), PRIMARY))
}

/// An index as `int`.
fn step(p: &mut Printer<'_>, f: &Function, step: &Step, span: SpanId) -> String {
    match step {
        Step::Const(index) => index.to_string(),
        Step::Dynamic(index) | Step::Tested(index) => format!("int({})", p.expr(f, index, span)),
    }
}

/// The word of a byte-address buffer at an offset in bytes.
fn word(p: &mut Printer<'_>, f: &Function, handle: &Expr, offset: &Expr, span: SpanId) -> String {
    let buffer = p.operand(f, handle, PRIMARY, span);
    if let ExprKind::Const(ir::Constant::Int(offset)) = offset.kind {
        return format!("{buffer}[{}]", offset / 4);
    }
    let offset = p.operand(f, offset, MULTIPLICATIVE, span);
    format!("{buffer}[{offset} / 4u]")
}

/// Loads from byte-address buffers, and lengths.
pub(crate) fn read(p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    match &expr.kind {
        ExprKind::ByteLoad { handle, offset } => Some((word(p, f, handle, offset, span), PRIMARY)),
        ExprKind::BufferLength(handle) => {
            let Type::Handle(kind) = p.module.types.get(handle.ty) else { return None };
            let buffer = p.operand(f, handle, PRIMARY, span);
            Some(match kind {
                HandleType::ByteAddressBuffer { .. } => (format!("uint({buffer}.length()) * 4u"), MULTIPLICATIVE),
                HandleType::TexelBuffer { writable: true, .. } => (format!("uint(imageSize({buffer}))"), PRIMARY),
                HandleType::TexelBuffer { .. } => (format!("uint(textureSize({buffer}))"), PRIMARY),
                _ => (format!("uint({buffer}.length())"), PRIMARY),
            })
        }
        _ => None,
    }
}

pub(crate) fn atomic(p: &mut Printer<'_>, f: &Function, expr: &Expr, span: SpanId) -> Option<(String, Precedence)> {
    let (op, place, operands) = match &expr.kind {
        ExprKind::Atomic { op, handle, path, operands } => match (p.module.types.get(handle.ty), &path[..]) {
            (Type::Handle(HandleType::TexelBuffer { .. }), [index])
                if has_texel_atomic(p, *op, p.scalar_of(expr.ty)?) =>
            {
                (*op, format!("{}, {}", p.expr(f, handle, span), step(p, f, index, span)), operands)
            }
            (Type::Handle(HandleType::TexelBuffer { .. }), _) => {
                let message = "this atomic operation on texels of this type is not supported for target `glsl`";
                p.error(span, message.into());
                return Some((String::new(), PRIMARY));
            }
            _ => (*op, p.memory(f, handle, path, span), operands),
        },
        ExprKind::ByteAtomic { op, handle, offset, operands } => (*op, word(p, f, handle, offset, span), operands),
        _ => return None,
    };
    let scalar = p.scalar_of(expr.ty)?;
    let is_texel = matches!(&expr.kind, ExprKind::Atomic { handle, .. }
        if matches!(p.module.types.get(handle.ty), Type::Handle(HandleType::TexelBuffer { .. })));
    match scalar {
        Scalar::I32 | Scalar::U32 => {}
        // It was asked for above.
        _ if is_texel => {}
        Scalar::I64 | Scalar::U64 => p.require("#extension GL_EXT_shader_atomic_int64 : require"),
        _ => p.error(span, "an atomic operation on this type is not supported for target `glsl`".into()),
    }
    let is_bytes = matches!(expr.kind, ExprKind::ByteAtomic { .. });
    if is_bytes && scalar.bits() != 32 {
        p.error(
            span,
            "an atomic operation on 64 bits of a byte-address buffer is not supported for target `glsl`".into(),
        );
    }
    let name = atomic_word(op);
    let function = format!("{}{name}", if is_texel { "imageAtomic" } else { "atomic" });
    if is_bytes && scalar == Scalar::I32 {
        if matches!(op, AtomicOp::Min | AtomicOp::Max) {
            let message = "the smaller or larger of signed integers in a byte-address buffer is not supported for \
                           target `glsl`";
            p.error(span, message.into());
        }
        // The words are unsigned.
        let operands: Vec<String> =
            operands.iter().map(|operand| format!("uint({})", p.expr(f, operand, span))).collect();
        return Some((format!("int({function}({place}, {}))", operands.join(", ")), PRIMARY));
    }
    Some((format!("{function}({place}, {})", p.list(f, operands, span)), PRIMARY))
}

/// Whether texels of one such number are changed in one step, by which the module asks for what that takes.
pub(super) fn has_texel_atomic(p: &mut Printer<'_>, op: AtomicOp, scalar: Scalar) -> bool {
    match scalar {
        Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => true,
        Scalar::F32 if op == AtomicOp::Add => {
            p.require(FLOAT_ATOMICS);
            true
        }
        Scalar::F32 => op == AtomicOp::Exchange,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::F16 | Scalar::F64 => false,
    }
}

/// What the names of the functions end in that change memory or a texel in one step.
pub(crate) fn atomic_word(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "Add",
        AtomicOp::And => "And",
        AtomicOp::Or => "Or",
        AtomicOp::Xor => "Xor",
        AtomicOp::Min => "Min",
        AtomicOp::Max => "Max",
        AtomicOp::Exchange => "Exchange",
        AtomicOp::CompareExchange => "CompSwap",
    }
}

/// Statements that are not written as in other languages.
pub(crate) fn statement(p: &mut Printer<'_>, f: &Function, stmt: &Stmt) -> bool {
    let span = stmt.span;
    match &stmt.kind {
        _ if is_effect(stmt) => {
            let text = p.simple(f, stmt);
            p.line(span, &format!("{text};"));
        }
        StmtKind::ByteStore { handle, offset, value } => {
            let (place, value) = (word(p, f, handle, offset, span), p.expr(f, value, span));
            p.line(span, &format!("{place} = {value};"));
        }
        // The language has integers with a sign for what the pipeline takes.
        StmtKind::Store { handle, path, value } if takes_integer(p, handle) => {
            let (place, value) = (p.memory(f, handle, path, span), p.expr(f, value, span));
            p.line(span, &format!("{place} = int({value});"));
        }
        StmtKind::Store { handle, path, value } => {
            let Type::Handle(HandleType::TexelBuffer { element, .. }) = p.module.types.get(handle.ty) else {
                return false;
            };
            let [index] = &path[..] else {
                p.error(span, "writing a part of a texel is not supported for target `glsl`".into());
                return true;
            };
            let (Some((_, scalar, len)), buffer) = (texel_type(p, element), p.expr(f, handle, span)) else {
                return false;
            };
            let (index, value) = (step(p, f, index, span), p.expr(f, value, span));
            let texel = whole_texel(scalar, len, value);
            p.line(span, &format!("imageStore({buffer}, {index}, {texel});"));
        }
        StmtKind::Evaluate(Expr {
            kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Dimensions), args },
            ..
        }) => {
            return super::textures::dimensions(p, f, args, span).is_some();
        }
        StmtKind::Print { format, args } => {
            p.require("#extension GL_EXT_debug_printf : require");
            let mut text = format!("debugPrintfEXT({format:?}");
            for arg in args {
                text.push_str(", ");
                text.push_str(&p.expr(f, arg, span));
            }
            p.line(span, &format!("{text});"));
        }
        _ => return false,
    }
    true
}
