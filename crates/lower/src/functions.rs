//! Functions on demand: which function a key stands for, how it is declared, and how its body is lowered when its turn
//! comes. Everything that lowers a function comes together here, and nothing of the crate names this module: what lowering
//! one function wants of others, it asks of [`Program`].

use std::rc::Rc;

use hir_def::body::DerivativeOperator;
use hir_ty::{
    display,
    infer::result::{Callable, SynthesizedOperation},
    signature::FunctionRef,
    ty::Ty,
};
use ir::{Func, FuncId, FuncRules, ResultSlot, SpanId, Type, TypeId, types::TypeTable};

use crate::{
    body, closures, derivative, dispatch,
    error::{Lowering, Stop},
    front, in_place, kernel_start,
    key::FunctionKey,
    mode::Mode,
    opening,
    places::PlaceForm,
    program::Program,
    scope::Scope,
    surface::{Surface, SurfaceReturn},
    synthesized,
};

/// More functions than any program that is not endless specialisation.
const MAX_FUNCTIONS: usize = 20_000;

impl<'db> Program<'db> {
    /// The function for `key`, declared now if it is new; its body follows when its turn comes.
    pub(crate) fn request(&mut self, key: FunctionKey) -> Lowering<FuncId> {
        self.with_places(PlaceForm::Plain, |program| program.declare(key))
    }

    fn declare(&mut self, key: FunctionKey) -> Lowering<FuncId> {
        if let Some(&func) = self.functions.get(&key) {
            self.count_request(func);
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
            FunctionKey::KernelStart(kernel) => {
                let surface = kernel_start::surface(self, kernel)?;
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
            FunctionKey::InPlace { function, places } => {
                let (surface, further) = in_place::surface(self, *function, places)?;
                let inputs = surface.inputs().into_iter().chain(further).collect();
                (inputs, surface.results(), Some(surface))
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
        self.count_request(func);
        Ok(func)
    }

    /// The first who wants a function puts it into the queue.
    fn count_request(&mut self, func: FuncId) {
        let requests = self.requests.entry(func).or_insert(0);
        *requests += 1;
        if *requests == 1 && self.module.funcs[func].body.is_none() {
            self.queue.push_back(func);
        }
    }

    /// The signature of a function that returns the first value of a variable.
    fn initializer_signature(&mut self, ty: Ty) -> Lowering<(Vec<ir::Input>, Vec<ResultSlot>, Option<Surface>)> {
        let ir_ty = self.lower_type(ty)?;
        let ret = Some(SurfaceReturn { ty, ir_ty, differentiable: false, no_diff: false });
        let result = ResultSlot::returned(ir_ty, false);
        Ok((Vec::new(), vec![result], Some(Surface { params: Vec::new(), ret, throws: None })))
    }

    /// The function that a call means, for everything that is a function.
    pub(crate) fn callable(&mut self, callable: &Callable, scope: &Scope<'db>) -> Lowering<FuncId> {
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
            FunctionKey::Source(function) => body::lower_function(self, b, *function, &[])?,
            FunctionKey::InPlace { function, places } => body::lower_function(self, b, *function, places)?,
            FunctionKey::Paired(function) => {
                self.with_places(PlaceForm::Pairs, |program| body::lower_function(program, b, *function, &[]))?
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
            FunctionKey::KernelStart(_) => return Ok(()),
        };
        if ir::loops::nesting(&func) > ::diagnostics::limits::LOWERED_REGIONS {
            return Err(Stop::unsupported("code nested this deeply"));
        }
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
            FunctionKey::FunctionValue(_) | FunctionKey::KernelStart(_) | FunctionKey::InPlace { .. } => {
                Ok(FuncRules::default())
            }
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
            | FunctionKey::InPlace { function, .. }
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
            FunctionKey::KernelStart(kernel) => self.spans.item(self.db, &mut self.module, kernel.function.item),
            FunctionKey::Lambda(closure) => self.spans.lambda(self.db, &mut self.module, *closure),
            FunctionKey::FunctionValue(_) | FunctionKey::Synthesized { .. } => SpanId::NONE,
        }
    }

    fn key_name(&self, key: &FunctionKey) -> String {
        match key {
            FunctionKey::Source(function)
            | FunctionKey::Paired(function)
            | FunctionKey::InPlace { function, .. }
            | FunctionKey::Dispatch(function)
            | FunctionKey::Opened(function) => display::function_name(self.db, *function),
            FunctionKey::KernelStart(kernel) => format!("start_{}", kernel_start::name(self.db, kernel)),
            FunctionKey::Lambda(closure) => front::closure_name(self, *closure),
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
