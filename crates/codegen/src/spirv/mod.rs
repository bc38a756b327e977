//! SPIR-V, written from the statement trees.
//!
//! `words` assembles modules; `types` maps types and says where things are in memory, `constants` writes numbers, `globals`
//! declares what the module has, `memory` reads and writes it (`bytes` where it is a buffer of bytes); `function` and
//! `statements` make blocks of control flow, `expressions` values, with `arithmetic` and `math`; `atomics`, `images`,
//! `textures`, `waves`, `stages`, `assembly`, `rays` and `ray_queries` say what only machines of graphics do.
//!
//! Conventions: a matrix with R rows is a SPIR-V matrix of R columns, so that `m[row]` and row-major memory come out as
//! they are, and products are written the other way round; matrices that SPIR-V does not have (integers, one row or column)
//! are arrays of rows, vectors of one component are that component. `out` and `inout` parameters are pointers to variables of
//! the caller, and so are parameters that hold arrays or matrices and are only read. Control flow of the trees is
//! structured, so that each choice and loop knows where its ways meet. Variables of functions are in memory: drivers make
//! values of them.
//!
//! Instructions are words: each is its number, the type and id of its result, and operands. The crate `spirv` has the
//! numbers.

mod arithmetic;
mod assembly;
mod atomics;
mod bytes;
mod constants;
mod expressions;
mod function;
mod globals;
mod images;
mod math;
mod memory;
mod ray_queries;
mod rays;
mod stages;
mod statements;
mod textures;
mod types;
mod waves;
mod words;

use ir::{FuncId, GlobalId, Module, SpanId};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use self::words::{Assembler, Id};
use crate::legalise::{self, EmptyStructs, Legal};
use crate::tree::names::Namer;
use crate::{Code, EmitError, EmitOptions, Emitted, Interface, Target, requests, tree};

/// What the language can say by itself.
pub(crate) const CAPABILITIES: legalise::Capabilities = legalise::Capabilities {
    recursion: false,
    entry_wrappers: false,
    pointers: false,
    addresses: true,
    handle_parameters: false,
    all_shapes: false,
    float_atomics: false,
    computed_offsets: false,
    narrow_bytes: false,
    vertex_attributes: true,
    ordered_resources: false,
    next_after: false,
    bits_of_all_integers: false,
    // A device of the tests is lost over functions that take them.
    empty_structs: EmptyStructs::InMemory,
    missing_wave_ops: legalise::DERIVED_WAVE_OPS,
    ..legalise::Capabilities::ALL
};

/// A module in the making, and what is known of what was declared.
struct ModuleWriter<'a> {
    module: &'a Module,
    legal: &'a Legal,
    interface: Interface,
    out: Assembler,
    types: types::Types,
    globals: ArenaMap<GlobalId, globals::Memory>,
    /// The constants that the host may fix.
    specializations: ArenaMap<GlobalId, Id>,
    /// The inputs with the first numbers of vertices and instances, which are counted from there.
    first_numbers: ArenaMap<GlobalId, Id>,
    /// What the pipeline gives and takes, by built-in, storage class and entry point.
    system_values: FxHashMap<(u32, u32, u32), Id>,
    builtins: FxHashMap<u32, Id>,
    blocks: FxHashMap<globals::BlockKey, Id>,
    /// Arrays of as many elements as the host has bound: the element, its stride, and the array.
    element_arrays: Vec<(Id, u32, Id)>,
    functions: ArenaMap<FuncId, function::Written>,
    /// Names of variables and functions.
    names: Namer,
}

/// Emits SPIR-V for the functions and all that they reach.
pub fn emit(module: &Module, roots: &[FuncId], options: &EmitOptions) -> Result<Emitted, Vec<EmitError>> {
    let capabilities = CAPABILITIES.for_options(options);
    let legal = legalise::legalise(module, roots, &capabilities, Target::Spirv.host(options.interface))?;
    requests::refuse(&legal, Target::Spirv)?;
    let mut writer = ModuleWriter {
        module: &legal.module,
        legal: &legal,
        interface: options.interface,
        out: Assembler::new(),
        types: types::Types::default(),
        globals: ArenaMap::default(),
        specializations: ArenaMap::default(),
        first_numbers: ArenaMap::default(),
        system_values: FxHashMap::default(),
        builtins: FxHashMap::default(),
        blocks: FxHashMap::default(),
        element_arrays: Vec::new(),
        functions: ArenaMap::default(),
        names: Namer::default(),
    };
    let bindings = writer.declare_globals()?;
    let names: ArenaMap<FuncId, SmolStr> =
        legal.functions.iter().map(|&id| (id, writer.names.unique(&legal.module.funcs[id].name))).collect();
    for &id in &legal.functions {
        let tree = tree::build::build(&legal.module, id, Namer::default(), false);
        tree.and_then(|tree| function::write(&mut writer, &tree, &names[id])).map_err(|error| vec![error])?;
    }
    writer.write_hull_entries()?;
    if !legal.module.entry_points.iter().any(|entry| legal.functions.contains(&entry.func)) {
        // It is a library, which others are linked with.
        writer.out.require(::spirv::Capability::Linkage);
    }
    let words = writer.out.finish();
    let words = words.map_err(|message| vec![EmitError::new(SpanId::NONE, format!("cannot be written: {message}"))])?;
    Ok(Emitted { code: Code::Words(words), lines: Vec::new(), bindings })
}
