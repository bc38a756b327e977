//! Parameters that a program cannot have side by side: two blocks of push constants, two shader records, two specialisation
//! constants of one number, and, where the target allows for none but one, two parameters in one place. And the record of a
//! shader in a stage that has none.

use ir::provision::{ParameterRole, RegisterClass};
use ir::{FuncId, GlobalId, GlobalKind, HandleType, Module, Type};

use super::bindings::{Host, Places};
use super::{Capabilities, first_use, reachable, used_globals};
use crate::EmitError;

/// Looks at what each of `roots` uses, by itself: entry points are run one by one.
pub(crate) fn refuse(
    module: &Module,
    roots: &[FuncId],
    places: &Places,
    host: Option<Host>,
    capabilities: &Capabilities,
) -> Result<(), Vec<EmitError>> {
    let Some(host) = host else { return Ok(()) };
    for &root in roots {
        let functions = reachable::functions(module, &[root], Capabilities::ALL.recursion)?;
        specialised(module, &used_globals(module, &functions))?;
        let is_parameter = |global: &GlobalId| module.globals[*global].kind == GlobalKind::Parameter;
        let used: Vec<GlobalId> = used_globals(module, &functions).into_iter().filter(is_parameter).collect();
        single(module, &used, places, host)?;
        recorded(module, root, &used, host)?;
        if !capabilities.shared_places {
            placed(module, &used, places, host)?;
        }
    }
    Ok(())
}

/// The host fixes a constant by its number.
fn specialised(module: &Module, used: &[GlobalId]) -> Result<(), Vec<EmitError>> {
    let number = |global: GlobalId| match module.globals[global].provision.role {
        ParameterRole::Specialization(number) => number,
        _ => None,
    };
    for (at, &global) in used.iter().enumerate() {
        let Some(wanted) = number(global) else { continue };
        if let Some(&other) = used[..at].iter().find(|other| number(**other) == Some(wanted)) {
            let (name, other) = (&module.globals[global].name, &module.globals[other].name);
            let message = format!("`{name}` and `{other}` are both the specialization constant {wanted}");
            return Err(vec![EmitError::new(first_use(module, global), message)]);
        }
    }
    Ok(())
}

/// What a program has one of.
fn single(module: &Module, used: &[GlobalId], places: &Places, host: Host) -> Result<(), Vec<EmitError>> {
    let kinds = [
        (ParameterRole::PushConstant, host.has_push_constants(), "block of push constants"),
        (ParameterRole::ShaderRecord, host.has_shader_records(), "shader record"),
    ];
    for (role, has_it, what) in kinds {
        let is_it = |global: &&GlobalId| {
            module.globals[**global].provision.role == role && has_it && places.of(**global).is_none()
        };
        let mut blocks = used.iter().filter(is_it);
        let (Some(&first), Some(&second)) = (blocks.next(), blocks.next()) else { continue };
        let (first, name) = (&module.globals[first].name, &module.globals[second].name);
        let message = format!("`{name}`: a program can have one {what}, and `{first}` is one");
        return Err(vec![EmitError::new(first_use(module, second), message)]);
    }
    Ok(())
}

/// Only what rays start has a record.
fn recorded(module: &Module, root: FuncId, used: &[GlobalId], host: Host) -> Result<(), Vec<EmitError>> {
    let is_record = |global: &&GlobalId| module.globals[**global].provision.role == ParameterRole::ShaderRecord;
    let entry = module.entry_points.iter().find(|entry| entry.func == root && !entry.stage.traces_rays());
    let (Some(entry), Some(&record), true) = (entry, used.iter().find(is_record), host.has_shader_records()) else {
        return Ok(());
    };
    let message = format!("`{}`: `{}` has no shader record", module.globals[record].name, entry.name);
    Err(vec![EmitError::new(first_use(module, record), message)])
}

/// What a parameter takes: a counter, a space in it, and the first number with how many.
struct Taken {
    class: RegisterClass,
    space: u32,
    first: u32,
    count: u32,
    handle: HandleType,
    global: GlobalId,
}

impl Taken {
    /// What Vulkan binds as one: a texture and its sampler.
    fn is_one_with(&self, other: &Taken, host: Host) -> bool {
        let is_pair = |a: HandleType, b: HandleType| {
            matches!((a, b), (HandleType::Texture { writable: false, .. }, HandleType::Sampler { .. }))
        };
        host == Host::Vulkan && (is_pair(self.handle, other.handle) || is_pair(other.handle, self.handle))
    }

    fn overlaps(&self, other: &Taken) -> bool {
        let is_before = |a: &Taken, b: &Taken| a.first.saturating_add(a.count) <= b.first;
        (self.class, self.space) == (other.class, other.space) && !is_before(self, other) && !is_before(other, self)
    }
}

fn placed(module: &Module, used: &[GlobalId], places: &Places, host: Host) -> Result<(), Vec<EmitError>> {
    let mut taken: Vec<Taken> = Vec::new();
    for &global in used {
        let ty = module.globals[global].ty;
        let (element, count) = module.types.resource_array(ty).unwrap_or((ty, 1));
        let (Some((space, first)), Type::Handle(handle)) = (places.of(global), module.types.get(element)) else {
            continue;
        };
        // Tables of resources share one place, and nothing else is in their space.
        if module.globals[global].provision.role == ParameterRole::Heap {
            continue;
        }
        let count = if host.shares_counter() { 1 } else { count };
        let new = Taken { class: host.counter(host.class_of(handle)), space, first, count, handle, global };
        if let Some(other) = taken.iter().find(|other| other.overlaps(&new) && !other.is_one_with(&new, host)) {
            let (name, other_name) = (&module.globals[global].name, &module.globals[other.global].name);
            let index = first.max(other.first);
            let message = format!("`{name}` and `{other_name}` are both bound to {index} in space {space}");
            return Err(vec![EmitError::new(first_use(module, global), message)]);
        }
        taken.push(new);
    }
    Ok(())
}
