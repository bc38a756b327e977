//! Makes a module sayable in a target language, as far as [`Capabilities`] asks for it.
//!
//! Each pass is a file: input a module, output the same program without one construct. They run in the order of
//! [`legalise`]. What has no equivalent is an error at its source line.

mod addresses;
mod array_results;
mod bindings;
mod bounds;
mod builtins;
mod byte_views;
mod bytes;
mod capability;
mod computed_offsets;
mod conflicts;
mod descriptors;
mod empties;
mod entry_points;
mod float_atomics;
mod group_size;
mod handles;
mod impossible_indices;
mod integers;
mod interlocks;
mod messages;
mod narrow;
mod ray_queries;
mod reachable;
mod retype;
mod rewrite;
mod rows;
mod selects;
mod software;
mod specialization;
mod statics;
mod sum_bytes;
mod sums;
mod tail;
mod uniforms;
mod vertex_attributes;
mod waves;

use ir::provision::{DataLayout, ParameterRole};
use ir::simplify::{conditions, dead_code, guarded_quotients};
use ir::{FuncId, GlobalId, GlobalKind, HandleType, Module, Op, SpanId, Type};

pub(crate) use bindings::assign;
pub use bindings::{Host, Places, class_of};
pub use builtins::name as builtin_name;
pub use capability::{Capabilities, EmptyStructs};
pub(crate) use interlocks::are_there as has_interlocks;
pub use reachable::{for_each_op, roots};
pub(crate) use specialization::to_uniforms;
pub use specialization::{constant_number, constant_result, zero as zero_constant};
pub(crate) use waves::DERIVED as DERIVED_WAVE_OPS;

use crate::EmitError;
use crate::memory::Rules;

/// A module that the target can say.
#[derive(Debug, Clone)]
pub struct Legal {
    /// The module as the language can say it.
    pub module: Module,
    /// What is to be written, callees before callers.
    pub functions: Vec<FuncId>,
    /// Where parameters are bound.
    pub places: Places,
    /// The parameters that see another one, whose place they have, in another way.
    pub(crate) views: byte_views::Views,
    /// Whose rules places and layouts follow; without, memory has the natural layout.
    pub host: Option<Host>,
}

impl Legal {
    /// The parameter that is seen, of one that sees another; of any other itself.
    pub(crate) fn seen(&self, global: GlobalId) -> GlobalId {
        self.views.get(&global).copied().unwrap_or(global)
    }

    /// How the memory of a global is laid out.
    pub fn layout_of(&self, global: GlobalId) -> DataLayout {
        layout_of(&self.module, global, self.host)
    }
}

/// How the memory of a global is laid out for a host.
pub(crate) fn layout_of(module: &Module, global: GlobalId, host: Option<Host>) -> DataLayout {
    let global = &module.globals[global];
    let ty = module.types.resource_array(global.ty).map_or(global.ty, |(element, _)| element);
    let native = match (host, module.types.get(ty)) {
        (None | Some(Host::Direct3d | Host::Metal), _) => DataLayout::Scalar,
        (Some(_), Type::Handle(HandleType::ConstantBuffer { .. })) => match global.provision.role {
            ParameterRole::PushConstant | ParameterRole::ShaderRecord => DataLayout::Std430,
            _ => DataLayout::Std140,
        },
        (Some(_), Type::Handle(HandleType::StructuredBuffer { .. })) => DataLayout::Std430,
        (Some(_), _) => DataLayout::Scalar,
    };
    global.provision.layout.unwrap_or(native)
}

/// Rewrites what the language cannot say, as far as the roots reach it.
pub fn legalise(
    module: &Module,
    roots: &[FuncId],
    capabilities: &Capabilities,
    host: Option<Host>,
) -> Result<Legal, Vec<EmitError>> {
    let mut module = module.clone();
    if !capabilities.specialization_constants {
        specialization::to_uniforms(&mut module);
    }
    if capabilities.addresses && host.is_some() {
        let reached = reachable::functions(&module, roots, capabilities.recursion)?;
        addresses::to_numbers(&mut module, &reached)?;
    }
    let mut places = host.map(|host| assign(&module, host)).transpose()?;
    let mut functions = reachable::functions(&module, roots, capabilities.recursion)?;
    if !capabilities.descriptors_are_resources {
        descriptors::refuse(&module, &functions)?;
    }
    if !capabilities.computed_offsets {
        computed_offsets::to_constants(&mut module, &functions);
    }
    messages::through_variables(&mut module, &functions)?;
    let has_queries = ray_queries::are_there(&module, &functions);
    if has_queries {
        ray_queries::to_variables(&mut module, &functions);
    }
    if capabilities.vertex_attributes {
        vertex_attributes::to_arrays(&mut module, &functions)?;
    }
    interlocks::around_shaders(&mut module, &functions, capabilities);
    if !capabilities.entry_wrappers {
        entry_points::merge(&mut module, &functions);
        functions = reachable::functions(&module, roots, capabilities.recursion)?;
    }
    if !capabilities.plain_messages {
        messages::wrap(&mut module, &functions);
    }
    group_size::answer(&mut module, &functions);
    waves::derive(&mut module, &functions, capabilities.missing_wave_ops);
    if software::write_out(&mut module, &functions, capabilities) {
        functions = reachable::functions(&module, roots, capabilities.recursion)?;
    }
    // An atomic operation on floats changes the type of a global, so that has to be known.
    let needs_globals = (!capabilities.float_atomics && float_atomics::are_there(&module, &functions))
        || (!capabilities.pointers && uses_pointers(&module, &functions))
        || (host.is_some() && blocks_hold_handles(&module, &functions))
        || passes_variables(&module, &functions)
        || has_queries;
    if !capabilities.handle_parameters || needs_globals {
        handles::to_globals(&mut module, roots, &functions, places.as_mut(), capabilities.resource_arrays)?;
        functions = reachable::functions(&module, roots, capabilities.recursion)?;
        sum_bytes::to_byte_buffers(&mut module, &functions)?;
    }
    if let (Some(host), Some(places)) = (host, &mut places) {
        uniforms::drop_unused_names(&mut module, &functions);
        uniforms::gather(&mut module, &functions, host, places);
    }
    sums::to_structs(&mut module, &functions)?;
    if capabilities.empty_structs != EmptyStructs::Anywhere || !capabilities.empty_arrays {
        empties::fill(&mut module, &functions, capabilities.empty_structs)?;
    }
    let mut views = byte_views::Views::default();
    let has_words = capabilities.typed_bytes.is_none() || !capabilities.narrow_bytes;
    if has_words || capabilities.typed_bytes != Some(capability::NATURAL) {
        let by_words = |module: &Module, ty| {
            let lies_otherwise = |rules: Rules| !rules.agree(capability::NATURAL, &module.types, ty);
            capabilities.typed_bytes.is_none_or(lies_otherwise)
                || !capabilities.narrow_bytes && bytes::has_narrow_parts(module, ty)
        };
        let places = places.as_mut().filter(|_| has_words && capabilities.byte_views);
        let narrow = if has_words && places.is_none() { bytes::Narrow::Refused } else { bytes::Narrow::Kept };
        bytes::to_words(&mut module, &functions, narrow, &by_words)?;
        if let Some(places) = places {
            views = byte_views::to_views(&mut module, &functions, places);
        }
    }
    narrow::to_words(&mut module, &functions, capabilities.smallest_integer)?;
    if !capabilities.float_atomics {
        float_atomics::to_loops(&mut module, &functions)?;
    }
    if !capabilities.all_shapes {
        rows::split_matrices(&mut module, &functions, capabilities.matrix_arithmetic)?;
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
        bounds::test_indices(&mut module, &functions, capabilities.tested_reads);
    } else if !capabilities.impossible_indices {
        impossible_indices::keep_in_bounds(&mut module, &functions);
    }
    if !capabilities.defined_integers {
        integers::define_all(&mut module, &functions);
    }
    for &id in &functions {
        tail::return_from_arms(&mut module.funcs[id]);
        conditions::join(&mut module, id);
        guarded_quotients::merge(&mut module, id);
        // What told where a loop was left, and what stood for values that the passes above take apart.
        dead_code::remove(&mut module, id);
    }
    let places = places.unwrap_or_else(|| bindings::in_order(&module, &used_globals(&module, &functions)));
    conflicts::refuse(&module, roots, &places, host, capabilities)?;
    Ok(Legal { module, functions, places, views, host })
}

/// In the order of their declarations.
pub(crate) fn used_globals(module: &Module, functions: &[FuncId]) -> Vec<GlobalId> {
    let mut used = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            if let Op::Global(global) = func.ops[op].op {
                used.push(global);
            }
        });
    }
    used.sort_by_key(|global| global.into_raw());
    used.dedup();
    used
}

/// Where the program first mentions a global.
pub(crate) fn first_use(module: &Module, wanted: GlobalId) -> SpanId {
    let ops = module.funcs.iter().flat_map(|(_, func)| func.ops.iter());
    let mut uses = ops.filter(|(_, data)| matches!(data.op, Op::Global(global) if global == wanted));
    uses.next().map_or(SpanId::NONE, |(_, data)| data.span)
}

/// Whether buffers and textures are among the fields of constant buffers.
fn blocks_hold_handles(module: &Module, functions: &[FuncId]) -> bool {
    used_globals(module, functions).into_iter().any(|global| {
        let global = &module.globals[global];
        let Type::Handle(HandleType::ConstantBuffer { content }) = module.types.get(global.ty) else { return false };
        global.kind == GlobalKind::Parameter && module.types.holds_handles(content)
    })
}

/// Whether functions are handed what a stage gives out, which is there by its name alone.
fn passes_variables(module: &Module, functions: &[FuncId]) -> bool {
    fn holds(module: &Module, ty: ir::TypeId) -> bool {
        match module.types.get(ty) {
            Type::Handle(handle) => matches!(handle, HandleType::Variable { .. }),
            Type::Struct(id) => module.types.structs[id].fields.iter().any(|field| holds(module, field.ty)),
            Type::Array { element, .. } => holds(module, element),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Sum(_) | Type::Opaque(_) => false,
        }
    }
    let is_output = |ty| matches!(module.types.get(ty), Type::Struct(_)) && holds(module, ty);
    functions.iter().any(|&id| module.funcs[id].values.iter().any(|(_, value)| is_output(value.ty)))
}

/// A name for a global that no other has.
fn unused_global_name(module: &Module, wanted: &str) -> smol_str::SmolStr {
    let mut name: smol_str::SmolStr = wanted.into();
    while module.globals.iter().any(|(_, global)| global.name == name) {
        name = format!("{name}_").into();
    }
    name
}

fn uses_pointers(module: &Module, functions: &[FuncId]) -> bool {
    let is_pointer = |ty| matches!(module.types.get(ty), Type::Handle(HandleType::Pointer { .. }));
    functions.iter().any(|&id| module.funcs[id].values.iter().any(|(_, value)| is_pointer(value.ty)))
}
