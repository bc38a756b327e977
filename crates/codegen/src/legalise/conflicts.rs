//! Parameters that a program cannot have side by side: two blocks of push constants, and, where the target allows for none
//! but one, two parameters in one place.

use ir::provision::{ParameterRole, RegisterClass};
use ir::{FuncId, GlobalId, GlobalKind, Module, Type};
use rustc_hash::FxHashMap;

use super::bindings::{Host, Place, Places, class_of};
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
        let functions = reachable::functions(module, &[root], true)?;
        let is_parameter = |global: &GlobalId| module.globals[*global].kind == GlobalKind::Parameter;
        let used: Vec<GlobalId> = used_globals(module, &functions).into_iter().filter(is_parameter).collect();
        pushed(module, &used, places, host)?;
        if !capabilities.shared_places {
            placed(module, &used, places, host)?;
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

fn placed(module: &Module, used: &[GlobalId], places: &Places, host: Host) -> Result<(), Vec<EmitError>> {
    let mut taken: FxHashMap<(RegisterClass, Place), GlobalId> = FxHashMap::default();
    for &global in used {
        let (Some(place), Type::Handle(handle)) = (places.of(global), module.types.get(module.globals[global].ty))
        else {
            continue;
        };
        let class = host.counter(class_of(handle));
        if let Some(other) = taken.insert((class, place), global) {
            let (name, other) = (&module.globals[global].name, &module.globals[other].name);
            let (space, index) = place;
            let message = format!("`{name}` and `{other}` are both bound to {index} in space {space}");
            return Err(vec![EmitError::new(first_use(module, global), message)]);
        }
    }
    Ok(())
}
