//! Makes a module sayable in a target language, as far as [`Capabilities`] asks for it.
//!
//! Each pass is a file: input a module, output the same program without one construct. They run in the order of
//! [`legalise`]. What has no equivalent is an error at its source line.

mod array_results;
mod bindings;
mod bounds;
mod builtins;
mod bytes;
mod capability;
mod descriptors;
mod empties;
mod entry_points;
mod float_atomics;
mod handles;
mod integers;
mod reachable;
mod retype;
mod rewrite;
mod rows;
mod selects;
mod statics;
mod sum_bytes;
mod sums;

use ir::{FuncId, HandleType, Module, Type};

pub use bindings::assign as bindings;
pub use builtins::name as builtin_name;
pub use capability::Capabilities;
pub use reachable::{for_each_op, roots};

use crate::EmitError;

/// A module that the target can say.
#[derive(Debug, Clone)]
pub struct Legal {
    pub module: Module,
    /// What is to be written, callees before callers.
    pub functions: Vec<FuncId>,
}

pub fn legalise(module: &Module, roots: &[FuncId], capabilities: &Capabilities) -> Result<Legal, Vec<EmitError>> {
    let mut module = module.clone();
    let mut functions = reachable::functions(&module, roots, capabilities.recursion)?;
    descriptors::refuse(&module, &functions)?;
    if !capabilities.entry_wrappers {
        entry_points::merge(&mut module, &functions);
        functions = reachable::functions(&module, roots, capabilities.recursion)?;
    }
    // An atomic operation on floats changes the type of a global, so that has to be known.
    let needs_globals = (!capabilities.float_atomics && float_atomics::are_there(&module, &functions))
        || (!capabilities.pointers && uses_pointers(&module, &functions));
    if !capabilities.handle_parameters || needs_globals {
        handles::to_globals(&mut module, roots, &functions)?;
        functions = reachable::functions(&module, roots, capabilities.recursion)?;
        sum_bytes::to_byte_buffers(&mut module, &functions)?;
    }
    sums::to_structs(&mut module, &functions)?;
    if !capabilities.empty_structs || !capabilities.empty_arrays {
        empties::fill(&mut module, &functions, !capabilities.empty_structs)?;
    }
    if !capabilities.typed_bytes {
        bytes::to_words(&mut module, &functions)?;
    }
    if !capabilities.float_atomics {
        float_atomics::to_loops(&mut module, &functions)?;
    }
    if !capabilities.all_shapes {
        rows::split_matrices(&mut module, &functions)?;
    }
    if !capabilities.aggregate_selects {
        selects::of_aggregates_to_ifs(&mut module, &functions);
    }
    if !capabilities.array_results {
        statics::fill_arrays_at_entry(&mut module, &functions);
        array_results::to_parameters(&mut module, &functions);
    }
    builtins::pass_from_entry_points(&mut module, &functions);
    if !capabilities.unchecked_indices {
        bounds::test_indices(&mut module, &functions, capabilities.checked_reads);
    }
    if !capabilities.defined_integers {
        integers::define_all(&mut module, &functions);
    }
    Ok(Legal { module, functions })
}

fn uses_pointers(module: &Module, functions: &[FuncId]) -> bool {
    let is_pointer = |ty| matches!(module.types.get(ty), Type::Handle(HandleType::Pointer { .. }));
    functions.iter().any(|&id| module.funcs[id].values.iter().any(|(_, value)| is_pointer(value.ty)))
}
