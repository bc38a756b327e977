//! Parameters that a program cannot have side by side: two blocks of push constants, two specialisation constants of one number, and, where the target allows for none
//! but one, two parameters in one place.

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
        pushed(module, &used, places, host)?;
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

fn pushed(module: &Module, used: &[GlobalId], places: &Places, host: Host) -> Result<(), Vec<EmitError>> {
    let is_pushed = |global: &&GlobalId| {
        let role = module.globals[**global].provision.role;
        role == ParameterRole::PushConstant && host.has_push_constants() && places.of(**global).is_none()
    };
    let mut blocks = used.iter().filter(is_pushed);
    let (Some(&first), Some(&second)) = (blocks.next(), blocks.next()) else { return Ok(()) };
    let (first, name) = (&module.globals[first].name, &module.globals[second].name);
    let message = format!("`{name}`: a program can have one block of push constants, and `{first}` is one");
    Err(vec![EmitError::new(first_use(module, second), message)])
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
