//! The module under construction: which functions are wanted, which are there, and the queue of those whose bodies are
//! still to be lowered.

use std::{collections::VecDeque, rc::Rc};

use base_db::Db;
use hir_def::{
    body::{DerivativeOperator, LocalId},
    item::ItemId,
};
use hir_ty::{
    display,
    env::Env,
    infer::result::{Callable, SynthesizedOperation},
    signature::FunctionRef,
    ty::Ty,
};
use ir::{
    Func, FuncId, FuncRules, GlobalId, Module, Op, ResultSlot, SourceSpan, SpanId, SumId, Type, TypeId,
    types::TypeTable,
};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    Conformance,
    body::{self, written_values::WrittenValues},
    closures, derivative, dispatch,
    error::{Cause, LowerError, Lowering, Stop},
    front,
    globals::GlobalKey,
    key::FunctionKey,
    opening,
    places::PlaceForm,
    spans::Spans,
    surface::{Surface, SurfaceReturn},
    synthesized,
};

/// More functions than any program that is not endless specialisation.
const MAX_FUNCTIONS: usize = 20_000;

/// How calls are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Callees are lowered too, specialised for their arguments.
    Program,
    /// One function for the editor: callees stay declarations, type parameters become opaque.
    Analysis,
}

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
    functions: FxHashMap<FunctionKey, FuncId>,
    surfaces: ArenaMap<FuncId, Rc<Surface>>,
    keys: ArenaMap<FuncId, FunctionKey>,
    queue: VecDeque<FuncId>,
    pub(crate) lowered_types: FxHashMap<Ty, TypeId>,
    pub(crate) types_in_progress: FxHashSet<Ty>,
    pub(crate) parts: crate::types::Parts,
    pub(crate) opaque: Vec<Ty>,
    /// The source types of the variants of each sum, in order.
    pub(crate) variants: FxHashMap<SumId, Vec<Ty>>,
    pub(crate) globals: FxHashMap<GlobalKey, GlobalId>,
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
            lowered_types: FxHashMap::default(),
            parts: FxHashMap::default(),
            types_in_progress: FxHashSet::default(),
            opaque: Vec::new(),
            variants: FxHashMap::default(),
            globals: FxHashMap::default(),
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

    /// The function for `key`, declared now if it is new; its body follows when its turn comes.
    pub(crate) fn request(&mut self, key: FunctionKey) -> Lowering<FuncId> {
        self.with_places(PlaceForm::Plain, |program| program.declare(key))
    }

    fn declare(&mut self, key: FunctionKey) -> Lowering<FuncId> {
        if let Some(&func) = self.functions.get(&key) {
            return Ok(func);
        }
        if self.module.funcs.len() >= MAX_FUNCTIONS {
            return Err(Stop::unsupported("a program with endless specialisation"));
        }
        let span = self.key_span(&key);
        let (inputs, results, surface) = match &key {
            FunctionKey::Rule { operator, of, .. } => {
                let primal = self.surface(*of)?;
                let (inputs, results) = derivative::rule::signature(self.types, *operator, &primal)?;
                (inputs, results, None)
            }
            FunctionKey::Applied { of, .. } => {
                let primal = self.surface(*of)?;
                let (inputs, results) = derivative::rule::signature(self.types, DerivativeOperator::Backward, &primal)?;
                (inputs, results, None)
            }
            FunctionKey::Source(function) | FunctionKey::Opened(function) => {
                let surface = front::surface(self, *function)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Dispatch(function) => {
                let surface = dispatch::surface(self, *function)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Lambda(closure) => {
                let surface = closures::surface(self, *closure)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::FunctionValue(function) => {
                let surface = closures::value_surface(self, *function)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Paired(function) => {
                let surface = self.with_places(PlaceForm::Pairs, |program| front::surface(program, *function))?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Derivative { operator, of } => {
                let surface = derivative::wrapper::surface(self, *operator, *of)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Synthesized { operation, ty } => {
                let surface = synthesized::surface(self, *operation, *ty)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Merge { ty, .. } => {
                let surface = synthesized::surface(self, SynthesizedOperation::DAdd, *ty)?;
                (surface.inputs(), surface.results(), Some(surface))
            }
            FunctionKey::Initializer { item, args } => {
                let ty = front::variable_type(self, *item, *args);
                self.initializer_signature(ty)?
            }
            FunctionKey::LocalInitializer { ty, .. } | FunctionKey::DefaultArgument { ty, .. } => {
                self.initializer_signature(*ty)?
            }
        };
        let wanted = self.key_name(&key);
        let name = self.unique_name(&wanted);
        let func = self.module.funcs.alloc(Func::declaration(name, inputs, results, span));
        if let Some(surface) = surface {
            self.surfaces.insert(func, Rc::new(surface));
        }
        self.functions.insert(key.clone(), func);
        self.keys.insert(func, key.clone());
        let rules = self.rules(func, &key)?;
        let (marked_inputs, marked_results) = self.surfaces.get(func).map_or_else(Default::default, |s| s.marked());
        self.module.funcs[func].rules = FuncRules { marked_inputs, marked_results, ..rules };
        self.queue.push_back(func);
        Ok(func)
    }

    /// The signature of a function that returns the first value of a variable.
    fn initializer_signature(&mut self, ty: Ty) -> Lowering<(Vec<ir::Input>, Vec<ResultSlot>, Option<Surface>)> {
        let ir_ty = self.lower_type(ty)?;
        let ret = Some(SurfaceReturn { ty, ir_ty, differentiable: false, no_diff: false });
        let result = ResultSlot::returned(ir_ty, false);
        Ok((Vec::new(), vec![result], Some(Surface { params: Vec::new(), ret, throws: None })))
    }

    /// The function that a call means, for everything that is a function.
    pub(crate) fn callable(&mut self, callable: &Callable, scope: &front::Scope<'db>) -> Lowering<FuncId> {
        match callable {
            Callable::Function(function) => {
                let function = scope.function(self.db, *function);
                let with_pairs = self.places_are_pairs;
                let func = self.function(function)?;
                if with_pairs { self.paired(func) } else { Ok(func) }
            }
            Callable::Derivative { operator, of } => {
                let of = self.callable(of, scope)?;
                self.derivative(*operator, of)
            }
            Callable::Synthesized { operation, ty } => {
                let ty = scope.ty(self.db, *ty);
                self.request(FunctionKey::Synthesized { operation: *operation, ty })
            }
            Callable::Make(_) => Err(Stop::unsupported("the derivative of a member-wise constructor")),
            Callable::Value(_) => Err(Stop::unsupported("the derivative of a function value")),
        }
    }

    /// The function behind a reference whose generic arguments are known: requirements are resolved to the
    /// implementation of the type that they are called on.
    pub(crate) fn function(&mut self, function: FunctionRef) -> Lowering<FuncId> {
        match front::resolve(self, function)? {
            front::Resolved::Source(function) if opening::is_needed(self, function) => {
                self.request(FunctionKey::Opened(function))
            }
            front::Resolved::Source(function) => self.request(FunctionKey::Source(function)),
            front::Resolved::Closure(closure) => self.closure(closure),
            front::Resolved::FunctionValue(function) => self.function_value(function),
            front::Resolved::Dispatch(function) => self.request(FunctionKey::Dispatch(function)),
            front::Resolved::Synthesized(operation, ty) => self.request(FunctionKey::Synthesized { operation, ty }),
        }
    }

    /// `fwd_diff(of)` or `bwd_diff(of)`. A derivative that the user wrote with just that signature is called as it is.
    pub(crate) fn derivative(&mut self, operator: DerivativeOperator, of: FuncId) -> Lowering<FuncId> {
        let of = self.paired(of)?;
        let rules = &self.module.funcs[of].rules;
        let rule = match operator {
            DerivativeOperator::Forward => rules.forward,
            DerivativeOperator::Backward => rules.backward,
            DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate => None,
        };
        let wrapper = self.request(FunctionKey::Derivative { operator, of })?;
        if let Some(FunctionKey::Rule { rule, .. }) = rule.and_then(|rule| self.keys.get(rule)) {
            let same = |a: &Func, b: &Func| {
                a.inputs.iter().map(|input| input.ty).eq(b.inputs.iter().map(|input| input.ty))
                    && a.results.iter().map(|slot| slot.ty).eq(b.results.iter().map(|slot| slot.ty))
            };
            if same(&self.module.funcs[wrapper], &self.module.funcs[*rule]) {
                return Ok(*rule);
            }
        }
        Ok(wrapper)
    }

    /// Lowers the bodies that are waiting until none is left.
    pub(crate) fn drain(&mut self) {
        while let Some(func) = self.queue.pop_front() {
            self.build_one(func);
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

    /// Lowers the body of one function.
    pub(crate) fn build_one(&mut self, func: FuncId) {
        if let Err(stop) = self.build(func) {
            self.report(func, stop);
        }
    }

    /// Builds what gives the tables with integers that have been asked for: constants that are arrays. What of it cannot
    /// be lowered is said where the table is declared.
    pub(crate) fn build_tables(&mut self) {
        let is_table = |id: FuncId| match self.module.funcs[id].results.as_slice() {
            [result] => matches!(self.types.get(result.ty), Type::Array { .. }) && has_integers(self.types, result.ty),
            _ => false,
        };
        let initializers = self.keys.iter().filter(|(_, key)| matches!(key, FunctionKey::Initializer { .. }));
        let tables: Vec<FuncId> = initializers.map(|(id, _)| id).filter(|&id| is_table(id)).collect();
        let written_values = self.written_values.take();
        for table in tables {
            if self.build(table).is_err() {
                self.module.funcs[table].body = None;
            }
        }
        self.written_values = written_values;
    }

    /// The functions of the source with the generic arguments that they are lowered for.
    pub(crate) fn lowered_functions(&self) -> Vec<FunctionRef> {
        let source = self.keys.values().filter_map(|key| match key {
            FunctionKey::Source(function) => Some(*function),
            _ => None,
        });
        source.collect()
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
                | FunctionKey::Dispatch(function)
                | FunctionKey::Opened(function) => Some((func, function.item)),
                FunctionKey::Derivative { .. }
                | FunctionKey::Rule { .. }
                | FunctionKey::Applied { .. }
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

    fn build(&mut self, id: FuncId) -> Lowering<()> {
        let Some(key) = self.keys.get(id).cloned() else { return Ok(()) };
        if let Some(written) = &mut self.written_values {
            written.start();
        }
        let declared = &self.module.funcs[id];
        let (inputs, results) = (declared.inputs.clone(), declared.results.clone());
        let mut b = ir::builder::FuncBuilder::new(self.types, declared.name.clone(), inputs, results, declared.span);
        let rules = declared.rules.clone();
        let func = match &key {
            FunctionKey::Source(function) => body::lower_function(self, b, *function)?,
            FunctionKey::Paired(function) => {
                self.with_places(PlaceForm::Pairs, |program| body::lower_function(program, b, *function))?
            }
            FunctionKey::Lambda(closure) => body::lambda::lower_lambda(self, b, *closure)?,
            FunctionKey::FunctionValue(function) => {
                closures::build_value_call(self, &mut b, *function)?;
                b.finish()
            }
            FunctionKey::Initializer { item, args } => body::lower_initializer(self, b, *item, *args)?,
            FunctionKey::LocalInitializer { item, args, init, .. } => {
                body::lower_local_initializer(self, b, (*item, *args), *init)?
            }
            FunctionKey::DefaultArgument { function, index, .. } => {
                body::lower_default_argument(self, b, *function, *index)?
            }
            FunctionKey::Dispatch(function) => {
                dispatch::build(self, &mut b, *function)?;
                b.finish()
            }
            FunctionKey::Opened(function) => {
                opening::build(self, &mut b, *function)?;
                b.finish()
            }
            FunctionKey::Derivative { operator, of } => {
                derivative::wrapper::build(self, &mut b, *operator, *of)?;
                b.finish()
            }
            FunctionKey::Rule { operator, of, rule } => {
                derivative::rule::build(self, &mut b, *operator, *of, *rule)?;
                b.finish()
            }
            FunctionKey::Applied { of, apply, propagate } => {
                derivative::applied::build(self, &mut b, *of, *apply, *propagate)?;
                b.finish()
            }
            FunctionKey::Synthesized { operation, ty } => {
                synthesized::build(self, &mut b, *operation, *ty)?;
                b.finish()
            }
            FunctionKey::Merge { rule, ty } => {
                derivative::merge::build(self, &mut b, *rule, *ty)?;
                b.finish()
            }
        };
        self.module.funcs[id] = Func { rules, ..func };
        if let Some(written) = &mut self.written_values {
            written.finish(id);
        }
        Ok(())
    }

    fn rules(&mut self, func: FuncId, key: &FunctionKey) -> Lowering<FuncRules> {
        match key {
            // Derivatives are made of the form that takes pairs.
            FunctionKey::Source(function) if self.mode == Mode::Program && self.takes_places(*function) => {
                Ok(derivative::flags_of(self, *function))
            }
            FunctionKey::Source(function)
            | FunctionKey::Paired(function)
            | FunctionKey::Dispatch(function)
            | FunctionKey::Opened(function) => derivative::rules_of(self, func, *function),
            FunctionKey::Lambda(closure) => Ok(closures::rules(self, *closure)),
            FunctionKey::FunctionValue(_) => Ok(FuncRules::default()),
            FunctionKey::Rule { rule, .. } => Ok(self.rules_of_adapter(&[*rule])),
            FunctionKey::Applied { apply, propagate, .. } => Ok(self.rules_of_adapter(&[*apply, *propagate])),
            FunctionKey::Derivative { .. } | FunctionKey::Synthesized { .. } | FunctionKey::Merge { .. } => {
                Ok(self.rules_of_adapter(&[]))
            }
            FunctionKey::Initializer { .. }
            | FunctionKey::LocalInitializer { .. }
            | FunctionKey::DefaultArgument { .. } => Ok(FuncRules::default()),
        }
    }

    /// What only calls functions of the user is as differentiable as they are: a derivative that is written and not marked
    /// has none of its own.
    fn rules_of_adapter(&self, calls: &[FuncId]) -> FuncRules {
        let all = |has: fn(&FuncRules) -> bool| calls.iter().all(|func| has(&self.module.funcs[*func].rules));
        FuncRules {
            forward_differentiable: all(FuncRules::has_forward),
            backward_differentiable: all(FuncRules::has_backward),
            ..FuncRules::default()
        }
    }

    fn key_span(&mut self, key: &FunctionKey) -> SpanId {
        match key {
            FunctionKey::Source(function)
            | FunctionKey::Paired(function)
            | FunctionKey::Dispatch(function)
            | FunctionKey::Opened(function) => self.spans.item(self.db, &mut self.module, function.item),
            FunctionKey::Initializer { item, .. }
            | FunctionKey::LocalInitializer { item, .. }
            | FunctionKey::DefaultArgument { function: FunctionRef { item, .. }, .. } => {
                self.spans.item(self.db, &mut self.module, *item)
            }
            FunctionKey::Derivative { of, .. } | FunctionKey::Rule { of, .. } | FunctionKey::Applied { of, .. } => {
                self.module.funcs[*of].span
            }
            FunctionKey::Merge { rule, .. } => self.module.funcs[*rule].span,
            FunctionKey::Lambda(closure) => self.spans.lambda(self.db, &mut self.module, *closure),
            FunctionKey::FunctionValue(_) | FunctionKey::Synthesized { .. } => SpanId::NONE,
        }
    }

    fn key_name(&self, key: &FunctionKey) -> String {
        match key {
            FunctionKey::Source(function)
            | FunctionKey::Paired(function)
            | FunctionKey::Dispatch(function)
            | FunctionKey::Opened(function) => display::function_name(self.db, *function),
            FunctionKey::Lambda(closure) => closures::name(self, *closure),
            FunctionKey::FunctionValue(function) => hir_ty::display::display(self.db, Ty::Function(*function)),
            FunctionKey::Derivative { operator, of } => {
                format!("{}({})", operator.spelling(), self.module.funcs[*of].name)
            }
            FunctionKey::Rule { operator, of, .. } => {
                format!("{}({}).rule", operator.spelling(), self.module.funcs[*of].name)
            }
            FunctionKey::Applied { of, .. } => format!("bwd_diff({}).rule", self.module.funcs[*of].name),
            FunctionKey::Synthesized { operation, ty } => {
                let operation = match operation {
                    SynthesizedOperation::DZero => "dzero",
                    SynthesizedOperation::DAdd => "dadd",
                    SynthesizedOperation::DMul => "dmul",
                };
                format!("{}.{operation}", hir_ty::display::display(self.db, *ty))
            }
            FunctionKey::Merge { ty, .. } => format!("{}.merge", hir_ty::display::display(self.db, *ty)),
            FunctionKey::Initializer { item, args } | FunctionKey::LocalInitializer { item, args, .. } => {
                format!("{}.init", display::instance_name(self.db, *item, *args))
            }
            FunctionKey::DefaultArgument { function, index, .. } => {
                format!("{}.default{index}", display::function_name(self.db, *function))
            }
        }
    }
}

/// Whether a part of a value is an integer.
fn has_integers(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.is_integer(),
        Type::Array { element, .. } => has_integers(types, element),
        Type::Struct(id) => types.structs[id].fields.iter().any(|field| has_integers(types, field.ty)),
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
    }
}
