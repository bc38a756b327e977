//! Where shader parameters are bound: as the user says, and else as slangc does it, so that a host that was written for
//! one finds everything with the other.
//!
//! All parameters of the program take part, used or not, in the order of their declarations: first those whose place is
//! written, then the buffer for the data of global scope, then the others, then the entry points. Direct3D counts each
//! class of registers by itself, Vulkan and WebGPU all together. A parameter block has a space of its own.

use std::ops::Range;

use ir::provision::{ParameterRole, Provision, Register, RegisterClass};
use ir::types::AS_MANY_AS_BOUND;
use ir::{GlobalId, GlobalKind, HandleType, Module, SpanId, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::EmitError;

/// For whom places are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Sets and bindings, as in Vulkan.
    Vulkan,
    /// Groups and bindings, as in WebGPU.
    WebGpu,
    /// Registers by class, as in Direct3D.
    Direct3d,
    /// Buffers, textures and samplers, as in Metal.
    Metal,
}

impl Host {
    /// Whether all classes share one counter, in which an array is one.
    pub(crate) fn shares_counter(self) -> bool {
        matches!(self, Host::Vulkan | Host::WebGpu)
    }

    /// Whether what is marked as a push constant, and the data among the parameters of an entry point, has no binding.
    pub fn has_push_constants(self) -> bool {
        self == Host::Vulkan
    }

    /// Whether what is marked as the record of a shader lies in that record. Others have a buffer of constants for it.
    pub fn has_shader_records(self) -> bool {
        self == Host::Vulkan
    }

    /// The counter of a class.
    pub fn counter(self, class: RegisterClass) -> RegisterClass {
        if self.shares_counter() { RegisterClass::Constant } else { class }
    }

    /// The class by which a handle is counted. Metal has one for all buffers, whose register is then that of constants, and one
    /// for all textures.
    pub fn class_of(self, handle: HandleType) -> RegisterClass {
        match (self, handle) {
            (Host::Metal, HandleType::Texture { .. } | HandleType::TexelBuffer { .. }) => RegisterClass::Read,
            (Host::Metal, HandleType::Sampler { .. }) => RegisterClass::Sampler,
            (Host::Metal, _) => RegisterClass::Constant,
            (Host::Vulkan | Host::WebGpu | Host::Direct3d, _) => class_of(handle),
        }
    }
}

/// Where the tables of resources are in their space.
const SAMPLERS: u32 = 0;
const RESOURCES: u32 = 2;

/// A space (a descriptor set) and a number in it.
pub(crate) type Slot = (u32, u32);

/// The places of a program's parameters.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// By parameter and, for what is in a parameter block, constant buffer or struct, the path to it.
    pub places: FxHashMap<(GlobalId, Vec<u32>), Slot>,
    /// Of the buffer with the data of global scope.
    pub uniforms: Option<Slot>,
    /// Of the buffers with the data among the parameters of each entry point.
    pub entries: FxHashMap<u32, Slot>,
}

impl Places {
    /// The place of a parameter, if it has one.
    pub fn of(&self, global: GlobalId) -> Option<Slot> {
        self.places.get(&(global, Vec::new())).copied()
    }

    /// Of a part of a parameter.
    pub fn of_part(&self, global: GlobalId, path: &[u32]) -> Option<Slot> {
        self.places.get(&(global, path.to_vec())).copied()
    }
}

/// Counts the parameters that are in use one by one: for those who run a program with its own memory.
pub(crate) fn in_order(module: &Module, globals: &[GlobalId]) -> Places {
    let parameters = globals.iter().copied().filter(|&global| module.globals[global].kind == GlobalKind::Parameter);
    let written: FxHashMap<GlobalId, Slot> = parameters
        .clone()
        .filter_map(|global| module.globals[global].provision.binding.map(|(binding, set)| (global, (set, binding))))
        .collect();
    let mut next = 0;
    let mut places = Places::default();
    for global in parameters {
        let place = written.get(&global).copied().unwrap_or_else(|| {
            while written.values().any(|place| *place == (0, next)) {
                next += 1;
            }
            next += 1;
            (0, next - 1)
        });
        places.places.insert((global, Vec::new()), place);
    }
    places
}

/// One thing that takes a place: how many, and which part of the parameter it is.
struct Need {
    class: RegisterClass,
    count: u32,
    path: Vec<u32>,
    /// Another part that is bound with it: the sampler of a texture that Vulkan binds as one with it.
    also: Option<Vec<u32>>,
    /// The parameter block around it: an index into [`Needs::blocks`].
    block: Option<usize>,
}

/// What a parameter takes.
#[derive(Default)]
struct Needs {
    needs: Vec<Need>,
    /// Paths of the parameter blocks, outer ones first.
    blocks: Vec<Vec<u32>>,
    has_data: bool,
}

pub(crate) fn assign(module: &Module, host: Host) -> Result<Places, Vec<EmitError>> {
    let mut counting =
        Counting { module, host, taken: FxHashMap::default(), spaces: Vec::new(), places: Places::default() };
    let parameters: Vec<GlobalId> =
        module.globals.iter().filter(|(_, global)| global.kind == GlobalKind::Parameter).map(|(id, _)| id).collect();
    let unknown = parameters.iter().find(|&&global| module.globals[global].provision.role == ParameterRole::Unknown);
    if let Some(&global) = unknown {
        let name = &module.globals[global].name;
        let message =
            format!("`{name}` is of a type that is not supported, so the places of other parameters are not known");
        return Err(vec![EmitError::new(SpanId::NONE, message)]);
    }
    let misplaced: Vec<EmitError> = parameters.iter().filter_map(|&global| counting.misplaced(global)).collect();
    if !misplaced.is_empty() {
        return Err(misplaced);
    }
    counting.all(&parameters);
    Ok(counting.places)
}

struct Counting<'a> {
    module: &'a Module,
    host: Host,
    /// The numbers in use, by counter and space.
    taken: FxHashMap<(RegisterClass, u32), Vec<Range<u32>>>,
    spaces: Vec<u32>,
    places: Places,
}

impl Counting<'_> {
    /// Refuses registers of a class that the parameter has no use for.
    fn misplaced(&self, global: GlobalId) -> Option<EmitError> {
        let data = &self.module.globals[global];
        let needs = self.needs(global);
        if self.host == Host::Metal {
            return self.beyond_metal(global, &needs);
        }
        // They are textures to the host, with registers of that class.
        if self.host == Host::Direct3d && data.provision.has_texture_buffer {
            let message = format!("`{}`: a `TextureBuffer` is not supported for target `hlsl` yet", data.name);
            return Some(EmitError::new(super::first_use(self.module, global), message));
        }
        let is_needed = |class: RegisterClass| {
            let is_block = needs.has_data
                || matches!(data.provision.role, ParameterRole::PushConstant | ParameterRole::ShaderRecord);
            (is_block && class == RegisterClass::Constant)
                || needs.needs.iter().any(|need| need.block.is_none() && need.class == class)
        };
        if let (true, true, Some((binding @ 1.., set))) =
            (self.host.shares_counter(), is_block(&data.provision), data.provision.binding)
        {
            let message = format!(
                "`{}`: a parameter block takes a whole descriptor set, so that it is `[[vk::binding(0, {set})]]`, not {binding}",
                data.name
            );
            return Some(EmitError::new(super::first_use(self.module, global), message));
        }
        let register = data.provision.registers.iter().find(|register| !is_needed(register.class));
        let (written, what) = match (register, data.provision.space) {
            (Some(register), _) => {
                (format!("{}{}", register.class.letter(), register.index), "a register of this class")
            }
            (None, Some(space)) if needs.blocks.is_empty() => (format!("space{space}"), "a space of its own"),
            _ => return None,
        };
        let message = format!("`{}`: `register({written})` on a parameter that cannot have {what}", data.name);
        Some(EmitError::new(super::first_use(self.module, global), message))
    }

    /// Metal has no spaces, and a block of resources would be a buffer of arguments. Arrays just take their places, as long as
    /// nobody uses them.
    fn beyond_metal(&self, global: GlobalId, needs: &Needs) -> Option<EmitError> {
        let provision = &self.module.globals[global].provision;
        let is_used = super::first_use(self.module, global) != SpanId::NONE;
        let what = if provision.registers.iter().any(|register| register.space > 0) || provision.space.is_some() {
            "a register space"
        } else if !provision.blocks.is_empty() && needs.needs.iter().any(|need| !provision.blocks.contains(&need.path))
        {
            "a parameter block with resources in it"
        } else if is_used && needs.needs.iter().any(|need| need.count > 1) {
            "an array of resources"
        } else {
            return None;
        };
        let name = &self.module.globals[global].name;
        let message = format!("`{name}`: {what} is not supported for target `metal`");
        Some(EmitError::new(super::first_use(self.module, global), message))
    }

    /// Registers as slangc reads them for Metal: `t` is a texture's, and else a buffer's, as `u` is. Others count for nothing.
    fn registers_of_metal(&self, global: GlobalId) -> Vec<Register> {
        let needs = self.needs(global);
        let is_needed = |class: RegisterClass| needs.needs.iter().any(|need| need.class == class);
        let class_of = |register: &Register| match register.class {
            RegisterClass::Read if is_needed(RegisterClass::Read) => RegisterClass::Read,
            RegisterClass::Read | RegisterClass::Write => RegisterClass::Constant,
            class => class,
        };
        let registers = self.module.globals[global].provision.registers.iter();
        let registers = registers.map(|register| Register { class: class_of(register), ..*register });
        registers.filter(|register| is_needed(register.class)).collect()
    }

    fn all(&mut self, parameters: &[GlobalId]) {
        let needs: Vec<(GlobalId, Needs)> = parameters.iter().map(|&global| (global, self.needs(global))).collect();
        for (global, needs) in &needs {
            self.written(*global, needs);
        }
        let role = |global: GlobalId| self.module.globals[global].provision.role;
        let is_entry = |global: GlobalId| matches!(role(global), ParameterRole::Entry(_) | ParameterRole::EntryOwn(_));
        let has_uniforms =
            needs.iter().any(|(global, needs)| role(*global) == ParameterRole::Uniform && needs.has_data);
        let needs_default = |(global, needs): &(GlobalId, Needs)| {
            let data =
                matches!(role(*global), ParameterRole::Entry(_)) && needs.has_data && !self.host.has_push_constants();
            let implicit = |need: &Need| {
                need.block.is_none() && need.count != AS_MANY_AS_BOUND && !self.is_written(*global, need.class)
            };
            data || needs.needs.iter().any(implicit)
        };
        let default = has_uniforms || needs.iter().any(needs_default);
        if default && !self.spaces.contains(&0) {
            self.spaces.push(0);
        }
        if has_uniforms {
            self.places.uniforms = Some((0, self.first_free(RegisterClass::Constant, 0, 1)));
        }
        let (entries, globals): (Vec<_>, Vec<_>) = needs.into_iter().partition(|(global, _)| is_entry(*global));
        for (global, needs) in &globals {
            self.rest(*global, needs);
        }
        for (global, needs) in &entries {
            if let ParameterRole::Entry(entry) = role(*global)
                && needs.has_data
                && !self.host.has_push_constants()
                && !self.places.entries.contains_key(&entry)
            {
                let place = (0, self.first_free(RegisterClass::Constant, 0, 1));
                self.places.entries.insert(entry, place);
            }
        }
        for (global, needs) in &entries {
            self.rest(*global, needs);
        }
        self.heaps(parameters);
    }

    /// The tables of resources: as in slangc a space of their own, in which samplers are at one place and all else is at
    /// another. Direct3D's host has one table without a place.
    fn heaps(&mut self, parameters: &[GlobalId]) {
        if matches!(self.host, Host::Direct3d | Host::Metal) {
            return;
        }
        let space = self.free_spaces(1);
        for &global in parameters {
            let data = &self.module.globals[global];
            if data.provision.role == ParameterRole::Heap
                && let Some((resource, _)) = self.module.types.resource_array(data.ty)
            {
                let is_sampler = matches!(self.module.types.get(resource), Type::Handle(HandleType::Sampler { .. }));
                let binding = if is_sampler { SAMPLERS } else { RESOURCES };
                self.places.places.insert((global, Vec::new()), (space, binding));
            }
        }
    }

    /// Takes the places that the source says.
    fn written(&mut self, global: GlobalId, needs: &Needs) {
        if let (Some(space), false) = (self.written_space(global), needs.blocks.is_empty()) {
            self.spaces.push(space);
        }
        for register in self.registers(global) {
            let mut index = register.index;
            let own: Vec<&Need> = needs.needs.iter().filter(|need| self.is_of(need, register.class)).collect();
            for need in own {
                self.place(global, need, (register.space, index));
                let counter = self.host.counter(need.class);
                let taken = self.taken.entry((counter, register.space)).or_default();
                taken.push(index..index.saturating_add(need.count));
                index = index.saturating_add(need.count);
            }
            self.spaces.push(register.space);
        }
    }

    fn place(&mut self, global: GlobalId, need: &Need, place: Slot) {
        for path in [&need.path].into_iter().chain(&need.also) {
            self.places.places.insert((global, path.clone()), place);
        }
    }

    /// The space that a parameter block is put into. slangc takes `register(space3)` for Direct3D only, and
    /// `[[vk::binding(0, 3)]]` elsewhere.
    fn written_space(&self, global: GlobalId) -> Option<u32> {
        let provision = &self.module.globals[global].provision;
        match self.host {
            Host::Direct3d => provision.space,
            Host::Metal => None,
            Host::Vulkan | Host::WebGpu if is_block(provision) => provision.binding.map(|(_, set)| set),
            Host::Vulkan | Host::WebGpu => None,
        }
    }

    /// The registers that count for the host, with a class for each counter.
    fn registers(&self, global: GlobalId) -> Vec<Register> {
        let provision = &self.module.globals[global].provision;
        match (self.host.shares_counter(), provision.binding) {
            (false, _) if self.host == Host::Metal => self.registers_of_metal(global),
            (false, _) => provision.registers.clone(),
            (true, Some((index, space))) => vec![Register { class: RegisterClass::Constant, index, space }],
            (true, None) => provision
                .registers
                .first()
                .map(|register| Register { class: RegisterClass::Constant, ..*register })
                .into_iter()
                .collect(),
        }
    }

    /// Whether a need outside of blocks is counted with `class`.
    fn is_of(&self, need: &Need, class: RegisterClass) -> bool {
        need.block.is_none() && self.host.counter(need.class) == class
    }

    fn is_written(&self, global: GlobalId, class: RegisterClass) -> bool {
        self.registers(global).iter().any(|register| register.class == self.host.counter(class))
    }

    /// Gives places to what has none yet.
    fn rest(&mut self, global: GlobalId, needs: &Needs) {
        for class in RegisterClass::ALL {
            let is_own = |need: &&Need| self.is_of(need, class) && need.count != AS_MANY_AS_BOUND;
            let own: Vec<&Need> = needs.needs.iter().filter(is_own).collect();
            let count = own.iter().map(|need| need.count).fold(0, u32::saturating_add);
            if own.is_empty() || self.is_written(global, class) {
                continue;
            }
            let mut index = self.first_free(class, 0, count);
            for need in own {
                self.place(global, need, (0, index));
                index = index.saturating_add(need.count);
            }
        }
        // What has no length has a space for itself.
        for need in &needs.needs {
            if need.count == AS_MANY_AS_BOUND && need.block.is_none() && !self.is_written(global, need.class) {
                let space = self.free_spaces(1);
                self.spaces.push(space);
                self.place(global, need, (space, 0));
            }
        }
        if needs.blocks.is_empty() {
            return;
        }
        let count = needs.blocks.len() as u32;
        let first = self.written_space(global).unwrap_or_else(|| self.free_spaces(count));
        self.spaces.extend(first..first + count);
        for need in &needs.needs {
            if let Some(block) = need.block {
                let space = first + block as u32;
                let index = self.first_free(self.host.counter(need.class), space, need.count);
                self.place(global, need, (space, index));
            }
        }
    }

    /// The first of `count` spaces in a row that are free.
    fn free_spaces(&self, count: u32) -> u32 {
        let is_free = |first: &u32| !(*first..*first + count).any(|space| self.spaces.contains(&space));
        (0..).find(is_free).unwrap_or(0)
    }

    /// Takes the first `count` numbers in a row that are free.
    fn first_free(&mut self, class: RegisterClass, space: u32, count: u32) -> u32 {
        let taken = self.taken.entry((class, space)).or_default();
        let mut index = 0u32;
        // Each step leaves a range in use behind.
        loop {
            let wanted = index..index.saturating_add(count);
            let overlaps = |used: &&Range<u32>| used.start < wanted.end && wanted.start < used.end;
            match taken.iter().filter(overlaps).map(|used| used.end).max() {
                Some(end) => index = end,
                None => {
                    taken.push(wanted);
                    return index;
                }
            }
        }
    }

    fn needs(&self, global: GlobalId) -> Needs {
        let data = &self.module.globals[global];
        let mut needs = Needs::default();
        match data.provision.role {
            ParameterRole::Unknown | ParameterRole::Specialization(_) | ParameterRole::Heap => return needs,
            ParameterRole::PushConstant if self.host.has_push_constants() => return needs,
            ParameterRole::ShaderRecord if self.host.has_shader_records() => return needs,
            ParameterRole::Own
            | ParameterRole::Uniform
            | ParameterRole::Entry(_)
            | ParameterRole::EntryOwn(_)
            | ParameterRole::PushConstant
            | ParameterRole::ShaderRecord => {}
        }
        let is_plain = matches!(data.provision.role, ParameterRole::Uniform | ParameterRole::Entry(_));
        match self.module.types.get(data.ty) {
            Type::Handle(HandleType::ConstantBuffer { content }) if is_plain => {
                self.members(global, content, &mut Vec::new(), 1, None, &mut needs);
                needs.has_data = holds_data(&self.module.types, content);
            }
            _ => self.handle(global, data.ty, &mut Vec::new(), 1, None, &mut needs),
        }
        needs
    }

    /// What a handle takes.
    fn handle(
        &self,
        global: GlobalId,
        ty: TypeId,
        path: &mut Vec<u32>,
        count: u32,
        block: Option<usize>,
        needs: &mut Needs,
    ) {
        let Type::Handle(handle) = self.module.types.get(ty) else { return };
        let mut need = |class| {
            let count = if self.host.shares_counter() { 1 } else { count };
            needs.needs.push(Need { class, count, path: path.clone(), also: None, block });
        };
        match handle {
            HandleType::ConstantBuffer { content } => {
                let block = match self.module.globals[global].provision.blocks.contains(path) {
                    // A block of data is a buffer like others there.
                    true if self.host != Host::Metal => {
                        needs.blocks.push(path.clone());
                        Some(needs.blocks.len() - 1)
                    }
                    true | false => block,
                };
                if holds_data(&self.module.types, content) {
                    let count = if self.host.shares_counter() { 1 } else { count };
                    let class = RegisterClass::Constant;
                    needs.needs.push(Need { class, count, path: path.clone(), also: None, block });
                }
                self.members(global, content, path, count, block, needs);
            }
            HandleType::Pointer { .. } | HandleType::Variable { .. } => {}
            handle => need(self.host.class_of(handle)),
        }
    }

    /// What the handles in a value take.
    fn members(
        &self,
        global: GlobalId,
        ty: TypeId,
        path: &mut Vec<u32>,
        count: u32,
        block: Option<usize>,
        needs: &mut Needs,
    ) {
        match self.module.types.get(ty) {
            Type::Handle(_) => self.handle(global, ty, path, count, block, needs),
            Type::Array { element, len } => {
                self.members(global, element, path, count.saturating_mul(len), block, needs);
            }
            Type::Struct(_) if self.host == Host::Vulkan && self.module.types.is_combined_texture(ty) => {
                let part = |index| path.iter().copied().chain([index]).collect();
                let (path, also) = (part(0), Some(part(1)));
                // Of several it is an array of textures and an array of samplers: one place, as for other arrays there.
                let count = 1;
                needs.needs.push(Need { class: RegisterClass::Read, count, path, also, block });
            }
            Type::Struct(id) => {
                for (index, field) in self.module.types.structs[id].fields.iter().enumerate() {
                    path.push(index as u32);
                    self.members(global, field.ty, path, count, block, needs);
                    path.pop();
                }
            }
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Sum(_) | Type::Opaque(_) => {}
        }
    }
}

/// Whether a parameter is a parameter block, and does not only hold some.
fn is_block(provision: &Provision) -> bool {
    provision.blocks.iter().any(Vec::is_empty)
}

/// Whether a value consists of anything but handles of resources.
pub(crate) fn holds_data(types: &ir::types::TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Handle(HandleType::Pointer { .. }) => true,
        Type::Handle(_) => false,
        Type::Array { element, .. } => holds_data(types, element),
        Type::Struct(id) => types.structs[id].fields.iter().any(|field| holds_data(types, field.ty)),
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Sum(_) | Type::Opaque(_) => true,
    }
}

/// The class of registers that a handle takes.
pub fn class_of(handle: HandleType) -> RegisterClass {
    match handle {
        HandleType::ConstantBuffer { .. }
        | HandleType::Pointer { .. }
        | HandleType::Address { .. }
        | HandleType::Variable { .. } => RegisterClass::Constant,
        HandleType::Sampler { .. } => RegisterClass::Sampler,
        HandleType::AccelerationStructure | HandleType::RayQuery { .. } => RegisterClass::Read,
        HandleType::StructuredBuffer { writable, .. }
        | HandleType::ByteAddressBuffer { writable }
        | HandleType::TexelBuffer { writable, .. }
        | HandleType::Texture { writable, .. } => {
            if writable {
                RegisterClass::Write
            } else {
                RegisterClass::Read
            }
        }
    }
}
