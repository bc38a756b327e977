//! WGSL through a `naga::Module`, and that module itself for a graphics library.
//!
//! `types` maps types and knows layouts, `memory` declares globals and reads and writes them, `stages`
//! hands on what vertex and fragment shaders take and give, `function` and
//! `expressions` walk the statement trees, `math` spells the functions, `textures` samples, `lines` finds the source map
//! of WGSL text, `entry_names` gives entry points the names that the host knows. The module is validated before it is
//! written; an error of naga's is a value, even where naga panics.
//!
//! Conventions: a matrix with R rows is a naga matrix of R columns, so that `m[row]` and row-major memory come out as
//! they are; matrices that naga cannot have (integers, one row or column) are arrays of rows. `out` and `inout`
//! parameters are pointers to locals, and so are parameters that hold arrays or matrices and are only read: no array is
//! copied to read an element of it. Memory whose natural layout differs from the target's is an array of words.

mod atomics;
mod constants;
mod entry_names;
mod expressions;
mod function;
mod images;
mod lines;
mod math;
mod memory;
mod stages;
mod textures;
mod types;
mod waves;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ir::{FuncId, Module, SpanId, module::Stage};
use la_arena::ArenaMap;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Handle, ShaderStage};
use smol_str::SmolStr;

use crate::legalise::{self, Legal};
use crate::requests;
use crate::tree::names::Namer;
use crate::tree::{self, Function};
use crate::{Binding, Code, EmitError, EmitOptions, Emitted, Interface, Target};

/// What naga's languages can say by themselves.
const CAPABILITIES: legalise::Capabilities = legalise::Capabilities {
    recursion: false,
    handle_parameters: false,
    // A host of WebGPU binds one thing at a place.
    resource_arrays: false,
    all_shapes: false,
    computed_offsets: false,
    matrix_arithmetic: false,
    shared_places: false,
    narrow_bytes: false,
    byte_views: false,
    next_after: false,
    bits_of_all_integers: false,
    missing_wave_ops: legalise::DERIVED_WAVE_OPS,
    ..legalise::Capabilities::ALL
};

pub(crate) fn capabilities(reader: Reader) -> legalise::Capabilities {
    let smallest_integer = if reader == Reader::Wgsl { 32 } else { 16 };
    legalise::Capabilities { smallest_integer, ..CAPABILITIES }
}

/// Who reads the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// What reads it as text.
    Wgsl,
    /// A graphics library, which takes it as it is and runs it on a device that has more scalars than the language.
    Library,
}

impl Reader {
    /// What messages call it.
    fn name(self) -> &'static str {
        match self {
            Reader::Wgsl => "wgsl",
            Reader::Library => "wgpu",
        }
    }
}

/// Emits WGSL for the functions and all that they reach.
pub fn emit_wgsl(module: &Module, roots: &[FuncId], options: &EmitOptions) -> Result<Emitted, Vec<EmitError>> {
    let (written, functions) = write(module, roots, options, Reader::Wgsl)?;
    let text = guarded(|| {
        let info = validate(&written.out)?;
        let flags = naga::back::wgsl::WriterFlags::empty();
        let text = naga::back::wgsl::write_string(&written.out, &info, flags).map_err(|error| error.to_string())?;
        // naga's own reader takes operations of waves without this; browsers do not.
        Ok(if written.has_waves { format!("enable subgroups;\n{text}") } else { text })
    })?;
    let lines = lines::align(&text, &functions);
    let names: Vec<&str> = written.out.entry_points.iter().map(|entry| entry.name.as_str()).collect();
    let text = entry_names::restore(text, &names).map_err(|name| {
        let entry = module.entry_points.iter().find(|entry| entry.name == name);
        let span = entry.map_or(SpanId::NONE, |entry| module.funcs[entry.func].span);
        vec![EmitError::new(span, format!("`{name}`: no entry point can have this name in target `wgsl`"))]
    })?;
    Ok(Emitted { code: Code::Text(text), lines, bindings: written.bindings })
}

/// The module itself, for a graphics library that takes it.
pub fn emit_module(
    module: &Module,
    roots: &[FuncId],
    options: &EmitOptions,
) -> Result<(naga::Module, Vec<Binding>), Vec<EmitError>> {
    let (written, _) = write(module, roots, options, Reader::Library)?;
    guarded(|| validate(&written.out).map(|_| ()))?;
    Ok((written.out, written.bindings))
}

/// Runs a part of naga. Its bugs are panics, which become errors here.
fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, Vec<EmitError>> {
    let outcome = catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err("the library that writes this target cannot express it".into()));
    outcome.map_err(|message| vec![EmitError::new(SpanId::NONE, format!("cannot be written: {message}"))])
}

fn validate(module: &naga::Module) -> Result<ModuleInfo, String> {
    let capabilities = Capabilities::default()
        | Capabilities::FLOAT64
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_FLOAT16
        | Capabilities::SHADER_FLOAT16_IN_FLOAT32
        | Capabilities::SHADER_INT16
        | Capabilities::PRIMITIVE_INDEX
        | Capabilities::DUAL_SOURCE_BLENDING
        | Capabilities::MULTISAMPLED_SHADING
        | Capabilities::SUBGROUP
        | Capabilities::TEXTURE_ATOMIC;
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map_err(|error| {
        // The causes say what is wrong; the error itself only where.
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            text.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        text
    })
}

/// The naga module in the making.
struct ModuleWriter<'a> {
    module: &'a Module,
    legal: &'a Legal,
    interface: Interface,
    reader: Reader,
    out: naga::Module,
    types: types::Types,
    globals: ArenaMap<ir::GlobalId, memory::Memory>,
    /// The constants that the host may fix.
    overrides: ArenaMap<ir::GlobalId, Handle<naga::Override>>,
    functions: ArenaMap<FuncId, Handle<naga::Function>>,
    /// Numbers of the wave that functions read: entry points store them there.
    wave_inputs: Vec<(naga::BuiltIn, Handle<naga::GlobalVariable>)>,
    /// Whether functions operate on waves.
    has_waves: bool,
}

struct Written {
    out: naga::Module,
    has_waves: bool,
    bindings: Vec<Binding>,
}

fn write(
    module: &Module,
    roots: &[FuncId],
    options: &EmitOptions,
    reader: Reader,
) -> Result<(Written, Vec<Function>), Vec<EmitError>> {
    let capabilities = capabilities(reader).for_options(options);
    let legal = legalise::legalise(module, roots, &capabilities, Target::Wgsl.host(options.interface))?;
    requests::refuse(&legal, Target::Wgsl)?;
    types::add_parts(&legal.module.types);
    let Legal { module, functions, .. } = &legal;
    let mut writer = ModuleWriter {
        module,
        legal: &legal,
        interface: options.interface,
        reader,
        out: naga::Module::default(),
        types: types::Types::default(),
        globals: ArenaMap::default(),
        overrides: ArenaMap::default(),
        functions: ArenaMap::default(),
        wave_inputs: Vec::new(),
        has_waves: false,
    };
    writer.refuse_stages()?;
    let bindings = writer.declare_globals(functions)?;
    let mut errors = Vec::new();
    let mut trees = Vec::new();
    // Locals avoid the names of what their function uses. naga renames what its targets reserve.
    let mut namer = Namer::default();
    for (_, global) in writer.out.global_variables.iter() {
        namer.unique(global.name.as_deref().unwrap_or_default());
    }
    let names: ArenaMap<FuncId, SmolStr> =
        functions.iter().map(|&id| (id, namer.unique(&module.funcs[id].name))).collect();
    for &id in functions {
        let mut locals = Namer::default();
        legalise::for_each_op(&module.funcs[id], |op| match module.funcs[id].ops[op].op {
            ir::Op::Global(global) => locals.reserve(&module.globals[global].name),
            ir::Op::Call { callee: ir::Callee::Func(callee), .. } => locals.reserve(&names[callee]),
            _ => {}
        });
        let built = tree::build::build(module, id, locals, false);
        match built.and_then(|tree| writer.function(&tree, &names[id]).map(|()| tree)) {
            Ok(tree) => trees.push(tree),
            Err(error) => errors.push(error),
        }
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    let ModuleWriter { out, has_waves, .. } = writer;
    Ok((Written { out, has_waves, bindings }, trees))
}

impl ModuleWriter<'_> {
    /// What naga has for a stage.
    fn stage(&self, stage: Stage) -> Option<ShaderStage> {
        match stage {
            Stage::Compute => Some(ShaderStage::Compute),
            Stage::Vertex => Some(ShaderStage::Vertex),
            Stage::Fragment => Some(ShaderStage::Fragment),
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Amplification
            | Stage::Mesh => None,
        }
    }

    fn unsupported_stage(&self, entry: &ir::EntryPoint) -> String {
        let (name, stage, target) = (&entry.name, entry.stage.word(), self.reader.name());
        format!("`{name}`: the {stage} stage is not supported for target `{target}`")
    }

    /// The first thing that is wrong with a program is that its stages are not to be had.
    fn refuse_stages(&self) -> Result<(), Vec<EmitError>> {
        let entries = self.module.entry_points.iter().filter(|entry| self.legal.functions.contains(&entry.func));
        let refused = entries.filter(|entry| self.stage(entry.stage).is_none());
        let error =
            |entry: &ir::EntryPoint| EmitError::new(self.module.funcs[entry.func].span, self.unsupported_stage(entry));
        let errors: Vec<EmitError> = refused.map(error).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Adds a function, as an entry point if it is one.
    fn function(&mut self, tree: &Function, name: &str) -> Result<(), EmitError> {
        let entry = self.module.entry_points.iter().find(|entry| entry.func == tree.func).cloned();
        let mut function = function::write(self, tree, entry.is_some())?;
        match entry {
            Some(entry) => {
                let Some(stage) = self.stage(entry.stage) else {
                    return Err(EmitError::new(tree.span, self.unsupported_stage(&entry)));
                };
                if stage != ShaderStage::Compute {
                    function.name = Some(name.into());
                    let called = self.out.functions.append(function, naga::Span::UNDEFINED);
                    function =
                        self.stage_function(&entry, called).map_err(|message| EmitError::new(tree.span, message))?;
                }
                self.out.entry_points.push(naga::EntryPoint {
                    name: entry.name.to_string(),
                    stage,
                    early_depth_test: None,
                    workgroup_size: if stage == ShaderStage::Compute { entry.group_size } else { [0; 3] },
                    workgroup_size_overrides: None,
                    function,
                    mesh_info: None,
                    task_payload: None,
                    incoming_ray_payload: None,
                });
            }
            None => {
                function.name = Some(name.into());
                let handle = self.out.functions.append(function, naga::Span::UNDEFINED);
                self.functions.insert(tree.func, handle);
            }
        }
        Ok(())
    }
}
