//! The module under construction: which functions are wanted, which are there, and the queue of those whose bodies are
//! still to be lowered. Every file of the crate adds to it what it knows to lower (`impl Program`); all of them meet in
//! [`crate::functions`].

use std::{collections::VecDeque, rc::Rc};

use base_db::Db;
use hir_def::{body::LocalId, item::ItemId};
use hir_ty::{env::Env, signature::FunctionRef, ty::Ty};
use ir::{
    Func, FuncId, GlobalId, Module, Op, SourceSpan, SpanId, StructDef, SumId, TypeId,
    types::{StructId, TypeTable},
};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    Conformance,
    error::{Cause, LowerError, Lowering, Stop},
    key::{FunctionKey, GlobalKey, KernelRef},
    known_place::Parameter,
    mode::Mode,
    spans::Spans,
    stage_outputs,
    surface::Surface,
    written_values::WrittenValues,
};

/// Everything that lowering knows by now.
pub(crate) struct Program<'db> {
    pub db: &'db dyn Db,
    pub mode: Mode,
    /// Its own type table stays empty until the end: see `types`.
    pub module: Module,
    /// The types of the module. They stand beside it, so that builders of functions share them while the module changes.
    pub types: &'db TypeTable,
    pub conformances: &'db [Conformance],
    /// The name of the target, if the program is for one alone.
    pub target: Option<&'static str>,
    pub root: ItemId,
    env: Env,
    pub spans: Spans,
    pub(crate) functions: FxHashMap<FunctionKey, FuncId>,
    pub(crate) surfaces: ArenaMap<FuncId, Rc<Surface>>,
    pub(crate) keys: ArenaMap<FuncId, FunctionKey>,
    pub(crate) queue: VecDeque<FuncId>,
    /// How many want each function.
    pub(crate) requests: FxHashMap<FuncId, u32>,
    pub(crate) lowered_types: FxHashMap<Ty, TypeId>,
    /// Where the fields of constant buffers came to be that the source puts somewhere.
    pub(crate) packed_positions: FxHashMap<ItemId, u32>,
    pub(crate) types_in_progress: FxHashSet<Ty>,
    /// The number of parts of each struct: see [`crate::types`].
    pub(crate) parts: FxHashMap<StructId, u32>,
    pub(crate) opaque: Vec<Ty>,
    /// The source types of the variants of each sum, in order.
    pub(crate) variants: FxHashMap<SumId, Vec<Ty>>,
    pub(crate) globals: FxHashMap<GlobalKey, GlobalId>,
    pub(crate) stage_outputs: stage_outputs::Known,
    /// The types of arrays of textures with their own samplers: what they have, and how many.
    pub(crate) texture_arrays: FxHashMap<TypeId, (TypeId, u32)>,
    /// The locals of bodies whose addresses are taken. Each lambda of a body asks.
    pub(crate) addressed: FxHashMap<ItemId, Rc<FxHashSet<LocalId>>>,
    /// See [`crate::in_place`].
    pub(crate) changed_in_place: FxHashMap<FunctionRef, Rc<FxHashSet<Parameter>>>,
    names: FxHashSet<SmolStr>,
    /// The number in the last name that was made of a wanted one.
    name_numbers: FxHashMap<SmolStr, u32>,
    /// See [`crate::places`].
    pub(crate) places_are_pairs: bool,
    pub(crate) place_pairs: FxHashSet<TypeId>,
    /// `None` where nobody asks.
    pub written_values: Option<WrittenValues>,
    pub errors: Vec<LowerError>,
}

impl<'db> Program<'db> {
    pub(crate) fn new(
        db: &'db dyn Db,
        types: &'db TypeTable,
        mode: Mode,
        root: ItemId,
        conformances: &'db [Conformance],
    ) -> Program<'db> {
        Program {
            db,
            mode,
            module: Module::default(),
            types,
            conformances,
            target: None,
            root,
            env: Env::of(db, root),
            spans: Spans::new(mode),
            functions: FxHashMap::default(),
            surfaces: ArenaMap::default(),
            keys: ArenaMap::default(),
            queue: VecDeque::new(),
            requests: FxHashMap::default(),
            lowered_types: FxHashMap::default(),
            packed_positions: FxHashMap::default(),
            stage_outputs: Default::default(),
            texture_arrays: FxHashMap::default(),
            parts: FxHashMap::default(),
            types_in_progress: FxHashSet::default(),
            opaque: Vec::new(),
            variants: FxHashMap::default(),
            globals: FxHashMap::default(),
            addressed: FxHashMap::default(),
            changed_in_place: FxHashMap::default(),
            names: FxHashSet::default(),
            name_numbers: FxHashMap::default(),
            places_are_pairs: false,
            place_pairs: FxHashSet::default(),
            written_values: (mode == Mode::Analysis).then(WrittenValues::default),
            errors: Vec::new(),
        }
    }

    /// A name that nothing else of the module has.
    pub(crate) fn unique_name(&mut self, wanted: &str) -> SmolStr {
        let mut name = SmolStr::new(wanted);
        let last = self.name_numbers.entry(name.clone()).or_insert(1);
        while !self.names.insert(name.clone()) {
            *last += 1;
            name = format_smolstr!("{wanted}#{last}");
        }
        name
    }

    pub(crate) fn surface(&self, func: FuncId) -> Lowering<Rc<Surface>> {
        self.surfaces.get(func).cloned().ok_or_else(|| Stop::broken("a function without source signature"))
    }

    pub(crate) fn key(&self, func: FuncId) -> Option<FunctionKey> {
        self.keys.get(func).cloned()
    }

    /// One who asked for a function does not want it after all.
    pub(crate) fn withdraw(&mut self, func: FuncId) {
        if let Some(requests) = self.requests.get_mut(&func) {
            *requests = requests.saturating_sub(1);
            if *requests == 0 {
                self.queue.retain(|queued| *queued != func);
            }
        }
    }

    /// Puts every function that matches on a sum back into the queue.
    pub(crate) fn lower_again(&mut self) {
        let matching = |func: &Func| func.ops.iter().any(|(_, data)| matches!(data.op, Op::SumMatch { .. }));
        let again = self.module.funcs.iter().filter(|(_, func)| matching(func)).map(|(id, _)| id);
        self.queue.extend(again);
    }

    /// Notes that `func` cannot be lowered: it stays a declaration.
    pub(crate) fn report(&mut self, func: FuncId, stop: Stop) {
        let span = if stop.span == SpanId::NONE { self.module.funcs[func].span } else { stop.span };
        let span = self.module.spans.get(span.0 as usize).copied().unwrap_or_default();
        self.error(span, stop.cause);
    }

    pub(crate) fn error(&mut self, span: SourceSpan, cause: Cause) {
        let error = LowerError { span, cause };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// The functions of the source with the generic arguments that they are lowered for.
    pub(crate) fn lowered_functions(&self) -> Vec<FunctionRef> {
        let source = self.keys.values().filter_map(|key| match key {
            FunctionKey::Source(function) => Some(*function),
            _ => None,
        });
        source.collect()
    }

    /// The functions that start kernels, each with the kernel.
    pub(crate) fn kernel_starts(&self) -> Vec<(FuncId, KernelRef)> {
        let starts = self.keys.iter().filter_map(|(func, key)| match key {
            FunctionKey::KernelStart(kernel) => Some((func, kernel.clone())),
            _ => None,
        });
        starts.collect()
    }

    /// The declaration of each global, whatever its generic arguments are.
    pub(crate) fn source_globals(&self) -> Vec<(GlobalId, ItemId, Option<LocalId>)> {
        let source = |(key, global): (&GlobalKey, &GlobalId)| match *key {
            GlobalKey::Item(item, _) => Some((*global, item, None)),
            GlobalKey::Local(item, _, local) => Some((*global, item, Some(local))),
            GlobalKey::Heap(_) => None,
        };
        let mut globals: Vec<_> = self.globals.iter().filter_map(source).collect();
        globals.sort();
        globals
    }

    /// The functions that are written in the source, with their items, in order of declaration.
    pub(crate) fn source_functions(&self) -> Vec<(FuncId, ItemId)> {
        self.keys
            .iter()
            .filter_map(|(func, key)| match key {
                FunctionKey::Source(function)
                | FunctionKey::Paired(function)
                | FunctionKey::InPlace { function, .. }
                | FunctionKey::Dispatch(function)
                | FunctionKey::Opened(function) => Some((func, function.item)),
                FunctionKey::Derivative { .. }
                | FunctionKey::Rule { .. }
                | FunctionKey::Applied { .. }
                | FunctionKey::KernelStart(_)
                | FunctionKey::Lambda(_)
                | FunctionKey::FunctionValue(_)
                | FunctionKey::Synthesized { .. }
                | FunctionKey::Merge { .. }
                | FunctionKey::Initializer { .. }
                | FunctionKey::LocalInitializer { .. }
                | FunctionKey::DefaultArgument { .. } => None,
            })
            .collect()
    }

    /// The functions of the lambdas in the body of `item`.
    pub(crate) fn lambdas_in(&self, item: ItemId) -> impl Iterator<Item = FuncId> {
        let is_here = move |key: &FunctionKey| match key {
            FunctionKey::Lambda(closure) => closure.declaration(self.db) == item,
            _ => false,
        };
        self.keys.iter().filter(move |(_, key)| is_here(key)).map(|(func, _)| func)
    }

    /// Where questions about types without parameters are asked.
    pub(crate) fn env(&self) -> Env {
        self.env
    }

    /// The type of an output of `count` elements, or of a stream of elements.
    pub(crate) fn output_of(&mut self, element: TypeId, count: Option<u32>) -> Lowering<TypeId> {
        if let Some(&known) = self.stage_outputs.types.get(&(element, count)) {
            return Ok(known);
        }
        let fields = stage_outputs::fields(self.types, element, count)?;
        let name = self.unique_name("StageOutput");
        let ty = self.types.add_struct(StructDef { name, fields, differential: None });
        self.stage_outputs.types.insert((element, count), ty);
        self.stage_outputs.elements.insert(ty, element);
        Ok(ty)
    }

    /// The type of the elements of an output, if a type is that of one.
    pub(crate) fn output_element(&self, ty: TypeId) -> Option<TypeId> {
        self.stage_outputs.elements.get(&ty).copied()
    }
}
