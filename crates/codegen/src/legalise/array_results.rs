//! Functions that return an array get an `out` parameter instead.

use ir::{FuncId, Module, Role, Type};
use smol_str::{SmolStr, format_smolstr};

use crate::tree::build::signature;

pub(crate) fn to_parameters(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let func = &module.funcs[id];
        let Some(slot) = signature(func).result else { continue };
        if !matches!(module.types.get(func.results[slot].ty), Type::Array { .. }) {
            continue;
        }
        let mut name = SmolStr::new("result");
        while func.inputs.iter().any(|input| input.name == name) || func.results.iter().any(|slot| slot.name == name) {
            name = format_smolstr!("{name}_");
        }
        let slot = &mut module.funcs[id].results[slot];
        (slot.name, slot.role) = (name, Role::Out);
    }
}
