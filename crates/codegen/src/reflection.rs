//! What a host has to know to run what [`crate::emit`] writes: where parameters are bound, and how their memory is laid out.

use ir::provision::{DataLayout, ParameterRole, RegisterClass};
use ir::{FuncId, Global, GlobalId, GlobalKind, HandleType, Module, Type, TypeId};
use smol_str::SmolStr;

use crate::legalise::{self, Host, Places};
use crate::memory::Rules;
use crate::{EmitError, Emitted, Target, tree};

/// The parameters of a module.
#[derive(Debug, Clone)]
pub struct Reflection {
    /// The module as the target has it: without specialisation constants where it has none.
    pub module: Module,
    /// In the order of their declarations.
    pub parameters: Vec<Parameter>,
}

/// A shader parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The parameter.
    pub global: GlobalId,
    /// Where the host puts it.
    pub bound: Bound,
    /// What is in it that is bound by itself: buffers in blocks and structs, as paths of fields.
    pub parts: Vec<(Vec<u32>, Bound)>,
    /// Whether it is a parameter block, with a space of its own for what is in it.
    pub is_block: bool,
    /// How the data in it is laid out.
    pub rules: Rules,
    /// Whether the code that was written uses it.
    pub is_used: bool,
    /// The number of the entry point among whose parameters it is.
    pub entry: Option<u32>,
}

/// Where a host finds a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// A register of Direct3D, or a place of Metal: buffers are counted as constants, textures as what is read.
    Register {
        /// Which registers.
        class: RegisterClass,
        /// The space that is counted in.
        space: u32,
        /// The first register.
        index: u32,
    },
    /// A binding of Vulkan or WebGPU.
    Descriptor {
        /// The descriptor set.
        set: u32,
        /// The number in the set.
        binding: u32,
    },
    /// The block of push constants.
    PushConstant,
    /// The record of the shader.
    ShaderRecord,
    /// A constant that the host fixes before the program is built.
    Specialization {
        /// Its number among the specialization constants.
        number: u32,
    },
    /// Bytes in the buffer for the data of global scope, or of the entry point.
    Bytes {
        /// The first byte.
        offset: u32,
        /// How many bytes.
        size: u32,
    },
    /// A parameter of the function that C++ and CUDA have for an entry point, by its number among those for shader
    /// parameters.
    Argument {
        /// Its number among the parameters.
        index: u32,
    },
    /// Nowhere: it is not used.
    Nowhere,
}

/// The parameters of a module; `emitted` is its code for `target`.
///
/// # Errors
/// If places are written that cannot be.
pub fn reflect(module: &Module, target: Target, emitted: &Emitted) -> Result<Reflection, Vec<EmitError>> {
    let host = target.host(crate::Interface::Host);
    let mut module = module.clone();
    let has_constants = target.capabilities().specialization_constants;
    if !has_constants {
        legalise::to_uniforms(&mut module);
    }
    let places = host.map(|host| legalise::assign(&module, host)).transpose()?;
    let parameters = parameters(&module, target, emitted, host, places.as_ref());
    Ok(Reflection { parameters, module })
}

/// A parameter of a kernel that the host starts by a name of its own. It is handed over by itself, by [`Rules::Packed`].
#[derive(Debug, Clone, PartialEq)]
pub struct KernelParameter {
    /// As the source has it.
    pub name: SmolStr,
    /// Its type.
    pub ty: TypeId,
}

/// The parameters of a function of the source that is a kernel, in their order.
pub fn kernel_parameters(module: &Module, func: FuncId) -> Vec<KernelParameter> {
    let parameters = tree::build::signature(&module.funcs[func]).params.into_iter();
    parameters.map(|param| KernelParameter { name: param.name, ty: param.ty }).collect()
}

fn parameters(
    module: &Module,
    target: Target,
    emitted: &Emitted,
    host: Option<Host>,
    places: Option<&Places>,
) -> Vec<Parameter> {
    let mut data = DataBuffers::default();
    let is_parameter = |global: &Global| {
        (global.kind == GlobalKind::Parameter && global.provision.role != ParameterRole::Heap)
            || matches!(global.provision.role, ParameterRole::Specialization(_))
    };
    let parameters = module.globals.iter().filter(|(_, global)| is_parameter(global));
    let parameters = parameters.map(|(id, global)| {
        // What a parameter block holds is `block.field`.
        let of_it = |name: &str| name == global.name || name.split('.').next() == Some(global.name.as_str());
        let argument = emitted.bindings.iter().position(|binding| of_it(&binding.name));
        let entry = match global.provision.role {
            ParameterRole::Entry(entry) | ParameterRole::EntryOwn(entry) => Some(entry),
            _ => None,
        };
        let rules = rules(target, host, module, id);
        let (bound, parts) = match (places, host) {
            _ if global.kind != GlobalKind::Parameter => {
                (Bound::Specialization { number: legalise::constant_number(module, id) }, Vec::new())
            }
            (Some(places), Some(host)) => {
                let parts = parts(module, id, places, host);
                // An array of buffers is bound as one.
                let first = parts.first().map_or(Bound::Nowhere, |(_, bound)| *bound);
                match by_host(module, id, places, host, rules, &mut data) {
                    Bound::Nowhere => (first, parts),
                    bound => (bound, parts),
                }
            }
            _ => (argument.map_or(Bound::Nowhere, |index| Bound::Argument { index: index as u32 }), Vec::new()),
        };
        // The buffers that gather data have names of their own.
        let is_gathered =
            host.is_some() && matches!(bound, Bound::Bytes { .. } | Bound::PushConstant | Bound::Specialization { .. });
        let is_block = global.provision.blocks.iter().any(Vec::is_empty);
        Parameter { global: id, bound, parts, is_block, rules, is_used: argument.is_some() || is_gathered, entry }
    });
    parameters.collect()
}

/// How far the buffers for data of global scope and of entry points are filled.
#[derive(Default)]
struct DataBuffers {
    filled: rustc_hash::FxHashMap<Option<u32>, u32>,
}

fn by_host(module: &Module, id: GlobalId, places: &Places, host: Host, rules: Rules, data: &mut DataBuffers) -> Bound {
    let global = &module.globals[id];
    let of_entry = match global.provision.role {
        ParameterRole::PushConstant if host.has_push_constants() => return Bound::PushConstant,
        ParameterRole::ShaderRecord if host.has_shader_records() => return Bound::ShaderRecord,
        ParameterRole::Uniform => Some(None),
        ParameterRole::Entry(entry) => Some(Some(entry)),
        _ => None,
    };
    if let (Some(buffer), Some(content)) = (of_entry, content(module, id))
        && let Some(layout) = rules.layout(&module.types, content)
    {
        let filled = data.filled.entry(buffer).or_default();
        let Some(offset) = rules.place(*filled, layout) else { return Bound::Nowhere };
        *filled = offset.saturating_add(layout.size);
        return Bound::Bytes { offset, size: layout.size };
    }
    match (places.of(id), part(module, id, &[])) {
        (Some(place), Some(handle)) => at(host, place, handle),
        (None, _) | (_, None) => Bound::Nowhere,
    }
}

fn at(host: Host, (space, index): (u32, u32), handle: HandleType) -> Bound {
    match host {
        Host::Direct3d | Host::Metal => Bound::Register { class: host.class_of(handle), space, index },
        Host::Vulkan | Host::WebGpu => Bound::Descriptor { set: space, binding: index },
    }
}

/// What of a parameter is bound by itself.
fn parts(module: &Module, id: GlobalId, places: &Places, host: Host) -> Vec<(Vec<u32>, Bound)> {
    let of_it = places.places.iter().filter(|((global, path), _)| *global == id && !path.is_empty());
    let mut parts: Vec<(Vec<u32>, Bound)> = of_it
        .filter_map(|((_, path), place)| Some((path.clone(), at(host, *place, part(module, id, path)?))))
        .collect();
    parts.sort_by(|(a, _), (b, _)| a.cmp(b));
    parts
}

/// The handle that a path of fields leads to, through arrays.
fn part(module: &Module, id: GlobalId, path: &[u32]) -> Option<HandleType> {
    let mut ty = module.globals[id].ty;
    let mut path = path.iter();
    loop {
        ty = match module.types.get(ty) {
            Type::Array { element, .. } => element,
            Type::Struct(id) => module.types.structs[id].fields.get(*path.next()? as usize)?.ty,
            Type::Handle(HandleType::ConstantBuffer { content })
                if !path.as_slice().is_empty() || matches!(module.types.get(content), Type::Array { .. }) =>
            {
                content
            }
            Type::Handle(handle) => return Some(handle),
            _ => return None,
        };
    }
}

fn handle(module: &Module, id: GlobalId) -> Option<HandleType> {
    match module.types.get(module.globals[id].ty) {
        Type::Handle(handle) => Some(handle),
        _ => None,
    }
}

/// The type of constant data.
fn content(module: &Module, id: GlobalId) -> Option<TypeId> {
    match handle(module, id) {
        Some(HandleType::ConstantBuffer { content }) => Some(content),
        _ => None,
    }
}

fn rules(target: Target, host: Option<Host>, module: &Module, id: GlobalId) -> Rules {
    let data = match module.globals[id].provision.role {
        // The data among the parameters of an entry point is a push constant there.
        ParameterRole::Entry(_) if host.is_some_and(Host::has_push_constants) => DataLayout::Std430,
        _ => legalise::layout_of(module, id, host),
    };
    match (target, content(module, id)) {
        (Target::Cpp | Target::Torch | Target::Slang, _) => Rules::Cpp,
        (Target::Cuda, _) => Rules::Cuda,
        (Target::Hlsl, Some(_)) => Rules::Constants,
        (Target::Metal, Some(_)) => Rules::Metal,
        (Target::Metal, None) => Rules::MetalElements,
        (Target::Hlsl, None) => Rules::Elements,
        (Target::Glsl | Target::Wgsl | Target::Spirv, _) => Rules::Data(data),
    }
}
