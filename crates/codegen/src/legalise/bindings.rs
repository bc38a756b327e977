//! Where shader parameters are bound.

use ir::{GlobalId, GlobalKind, Module};

/// For each parameter among `globals`, in their order, its set and binding: what the user wrote, else the next free
/// binding of set 0.
pub fn assign(module: &Module, globals: &[GlobalId]) -> Vec<(GlobalId, u32, u32)> {
    let parameters: Vec<GlobalId> =
        globals.iter().copied().filter(|&global| module.globals[global].kind == GlobalKind::Parameter).collect();
    let taken: Vec<(u32, u32)> =
        parameters.iter().filter_map(|&global| module.globals[global].binding).map(|(b, s)| (s, b)).collect();
    let mut next = 0;
    parameters
        .into_iter()
        .map(|global| match module.globals[global].binding {
            Some((binding, set)) => (global, set, binding),
            None => {
                while taken.contains(&(0, next)) {
                    next += 1;
                }
                next += 1;
                (global, 0, next - 1)
            }
        })
        .collect()
}
