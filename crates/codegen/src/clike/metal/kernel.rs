//! What the host starts, and the struct that it fills for each thread.

use ir::{Builtin, GlobalId, GlobalKind, HandleType, Type};

use super::{memory, textures};
use crate::clike::{Kernel, Printer};

/// A global as a member of a thread's struct: a pointer to what is in memory, a texture, a sampler, or a variable.
pub(crate) fn member(p: &mut Printer<'_>, id: GlobalId, name: &str) -> Option<String> {
    let global = p.module.globals[id].clone();
    let span = p.global_span(id);
    let Type::Handle(handle) = p.module.types.get(global.ty) else {
        refuse(p, id, "an array of resources");
        return None;
    };
    if global.kind == GlobalKind::Parameter && global.provision.layout.is_some() {
        refuse(p, id, "a layout of its own");
    }
    Some(match handle {
        HandleType::Variable { content } if global.provision.varying.is_some() => {
            super::stages::check(p, id, content);
            p.declarator(content, name, span)
        }
        HandleType::Variable { content } => match global.kind {
            GlobalKind::GroupShared => format!("threadgroup {}* {name}", p.type_name(content, span)),
            GlobalKind::Static { .. } | GlobalKind::Parameter => p.declarator(content, name, span),
        },
        HandleType::StructuredBuffer { element, writable } => {
            let element = memory::packed_type(p, element, span);
            format!("{}device {element}* {name}", constant(writable))
        }
        HandleType::ByteAddressBuffer { writable } => format!("{}device uint* {name}", constant(writable)),
        HandleType::ConstantBuffer { content } => format!("constant {}* {name}", p.type_name(content, span)),
        HandleType::Texture { .. } => match textures::type_name(p, id) {
            Some(ty) => format!("{ty} {name}"),
            None => {
                refuse(p, id, "this kind of texture");
                return None;
            }
        },
        HandleType::Sampler { .. } => format!("sampler {name}"),
        HandleType::TexelBuffer { element, writable } => match textures::texel_buffer(p, element, writable) {
            Some(ty) => format!("{ty} {name}"),
            None => {
                refuse(p, id, "a buffer of such texels");
                return None;
            }
        },
        HandleType::AccelerationStructure | HandleType::RayQuery { .. } => {
            refuse(p, id, "ray tracing");
            return None;
        }
        HandleType::Pointer { .. } | HandleType::Address { .. } => {
            refuse(p, id, "a pointer");
            return None;
        }
    })
}

fn constant(writable: bool) -> &'static str {
    if writable { "" } else { "const " }
}

pub(crate) fn refuse(p: &mut Printer<'_>, id: GlobalId, what: &str) {
    let message = format!("`{}`: {what} is not supported for target `metal`", p.module.globals[id].name);
    p.error(p.global_span(id), message);
}

/// A shader parameter as a parameter of a kernel.
pub(crate) fn parameter(p: &mut Printer<'_>, id: GlobalId) -> Option<String> {
    let name = p.global_names[id].clone();
    let declarator = member(p, id, &name)?;
    let Type::Handle(handle) = p.module.types.get(p.module.globals[id].ty) else { return None };
    let attribute = match handle {
        HandleType::Texture { .. } | HandleType::TexelBuffer { .. } => "texture",
        HandleType::Sampler { .. } => "sampler",
        _ => "buffer",
    };
    let (_, index) = p.binding_of(id)?;
    Some(format!("{declarator} [[{attribute}({index})]]"))
}

/// The kernel: it tells the thread what it sees, and runs it.
pub(crate) fn text(kernel: &Kernel<'_>) -> String {
    let [.., this] = &kernel.locals;
    let stage = super::stages::Text::of(kernel, this);
    let mut params: Vec<String> = Vec::new();
    for &builtin in &kernel.builtins {
        let ty = if builtin == Builtin::GroupIndex { "uint" } else { "uint3" };
        params.push(format!("{ty} {} [[{}]]", builtin_name(builtin), attribute(builtin)));
    }
    params.extend(stage.params);
    params.extend(kernel.told.iter().map(|told| format!("{} {} [[{}]]", told.ty, told.name, told.attribute)));
    params.extend(kernel.params.iter().map(|param| param.declaration.clone()));
    let mut body = String::new();
    for (declarator, _) in &kernel.shared {
        body.push_str(&format!("    threadgroup {declarator};\n"));
    }
    body.push_str(&format!("    {} {this};\n", kernel.thread_struct));
    let told = kernel.told.iter().map(|told| told.name);
    for name in kernel.params.iter().map(|param| param.name).chain(told) {
        body.push_str(&format!("    {this}.{name} = {name};\n"));
    }
    for (_, name) in &kernel.shared {
        body.push_str(&format!("    {this}.{name} = &{name};\n"));
    }
    for first in &kernel.statics {
        let of = if first.calls_member { format!("{this}.") } else { String::new() };
        body.push_str(&format!("    {this}.{} = {of}{};\n", first.name, first.value));
    }
    body.push_str(&stage.before);
    let arguments: Vec<&str> = kernel.builtins.iter().map(|&builtin| builtin_name(builtin)).collect();
    let params = if params.is_empty() { String::new() } else { format!("\n    {}", params.join(",\n    ")) };
    format!(
        "{}{} {}({params})\n{{\n{body}    {this}.{}({});\n{}}}",
        stage.structs,
        stage.head,
        kernel.entry,
        kernel.function,
        arguments.join(", "),
        stage.after,
    )
}

/// What the parameters of kernels are called: names that nothing else has.
fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::DispatchThreadId => "position_in_grid",
        Builtin::GroupThreadId => "position_in_group",
        Builtin::GroupId => "group_in_grid",
        Builtin::GroupIndex => "index_in_group",
    }
}

fn attribute(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::DispatchThreadId => "thread_position_in_grid",
        Builtin::GroupThreadId => "thread_position_in_threadgroup",
        Builtin::GroupId => "threadgroup_position_in_grid",
        Builtin::GroupIndex => "thread_index_in_threadgroup",
    }
}
