//! Every handle becomes a global: buffers, textures and pointers as parameters, in structs, arrays, interface values,
//! parameter blocks and loops.
//!
//! `analyse` finds for each value what the handles in it refer to ([`shape`]), without running the program. `resolve`
//! copies functions for what they are called with and lets each access name its global; a handle in a parameter block
//! becomes a parameter of its own, called `block.field`. `erase` then removes the handles themselves from types, values,
//! inputs and results.
//!
//! A pointer is a number from then on: 0 for null, else one more than the index of the element that it points to. What
//! it points into is in its shape. A pointer as parameter becomes a structured buffer.
//!
//! A handle of an array of resources (`Texture2D t[4]`) is a number, too: which of them it is. All handles of its type are
//! numbers then; those that are not of an array have one that nobody looks at. Where the memory is used, the array is read
//! at the number. Of an array of structs (`Material m[4]`), each handle in a struct is of an array of its own.
//!
//! A handle that differs from run to run otherwise is an error where it is used.

mod analyse;
mod erase;
mod resolve;
mod shape;

pub(crate) use analyse::ADDRESS_OF;

use ir::{FuncId, GlobalKind, HandleType, Module, Op, Type, TypeId, types::TypeTable};
use rustc_hash::FxHashSet;

use super::bindings::Places;
use super::reachable::for_each_op;
use crate::EmitError;

/// `functions` are all that the roots reach. Callers get calls of the copies; the originals stay in the module.
///
/// With the places that a host gives, parameters for what is in blocks get theirs; a pointer then is an address that the
/// host knows, and no buffer.
///
/// `resource_arrays`: whether the target has arrays of resources.
pub(crate) fn to_globals(
    module: &mut Module,
    roots: &[FuncId],
    functions: &[FuncId],
    places: Option<&mut Places>,
    resource_arrays: bool,
) -> Result<(), Vec<EmitError>> {
    if places.is_none() && !functions.iter().any(|&id| has_handles(module, id)) {
        return Ok(());
    }
    let errors: Vec<EmitError> = roots
        .iter()
        .map(|&root| &module.funcs[root])
        .filter(|func| func.inputs.iter().any(|input| module.types.holds_handles(input.ty)))
        .map(|func| {
            let message =
                format!("`{}` has a buffer as parameter, so it can be emitted only where it is called", func.name);
            EmitError::new(func.span, message)
        })
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let numbered = if resource_arrays { numbered(module) } else { FxHashSet::default() };
    let rewritten = resolve::resolve(module, roots, places, &numbered)?;
    erase::erase(module, &rewritten, &numbered);
    Ok(())
}

/// The types of the handles that arrays among the parameters consist of, or structs in such arrays hold.
fn numbered(module: &Module) -> FxHashSet<TypeId> {
    let mut found = FxHashSet::default();
    let parameters = module.globals.iter().filter(|(_, global)| global.kind == GlobalKind::Parameter);
    for (_, global) in parameters {
        let content = match module.types.get(global.ty) {
            Type::Handle(HandleType::ConstantBuffer { content }) => content,
            _ => global.ty,
        };
        elements_of_arrays(&module.types, content, false, &mut found);
    }
    found
}

fn elements_of_arrays(types: &TypeTable, ty: TypeId, is_in_array: bool, found: &mut FxHashSet<TypeId>) {
    match types.get(ty) {
        Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }) => {}
        // What is in a block of an array is not followed.
        Type::Handle(HandleType::ConstantBuffer { content }) if is_in_array && types.holds_handles(content) => {}
        Type::Handle(_) if is_in_array => {
            found.insert(ty);
        }
        Type::Handle(HandleType::ConstantBuffer { content }) => elements_of_arrays(types, content, false, found),
        Type::Array { element, .. } => elements_of_arrays(types, element, true, found),
        Type::Struct(id) => {
            let fields = types.structs[id].fields.iter();
            fields.for_each(|field| elements_of_arrays(types, field.ty, is_in_array, found));
        }
        Type::Handle(_)
        | Type::Sum(_)
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Opaque(_) => {}
    }
}

/// Whether handles are there other than to name a global right where it is used.
fn has_handles(module: &Module, id: FuncId) -> bool {
    let func = &module.funcs[id];
    let mut found = func.inputs.iter().any(|input| module.types.holds_handles(input.ty));
    for_each_op(func, |op| {
        let data = &func.ops[op];
        found |= match data.op {
            Op::Global(_) => {
                matches!(module.types.get(func.ty(data.results[0])), Type::Handle(ir::HandleType::Pointer { .. }))
            }
            _ => data.results.iter().any(|&result| module.types.holds_handles(func.ty(result))),
        };
    });
    found
}
