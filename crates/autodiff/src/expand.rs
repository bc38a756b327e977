//! Derivatives on demand: replaces derivative callees by generated functions.
//!
//! A derivative is made when a function that can be reached calls it, and once: results are cached by kind and function.
//! Generated functions call derivatives of their own callees, so that the work goes on until nothing is left; they are
//! ordinary functions with bodies, so that derivatives of derivatives need nothing more.
//!
//! The rule of a function is looked for in the order of [`ir::FuncRules`]: primal substitute, the user's derivative,
//! zero by the user's declaration, body.

use std::rc::Rc;

use ir::{
    Callee, DerivativeKind, Effect, Func, FuncId, Input, Module, Op, OpId, ResultSlot, SpanId, TypeId, ValueId,
    abi::{self, Kept},
    builder::FuncBuilder,
    ranges::Ranges,
    simplify::{inline, leading_exit, simplify_func, unroll::unroll},
    verify::{Rejected, VerifiedModule, VerifyError},
};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    AutodiffError, ErrorKind,
    activity::{Activity, active_values},
    apart::take_apart,
    cleanup::cleanup,
    emit::{CustomArithmetic, Emitter},
    flow::{self, Mode},
    handover::{DearCall, dear_calls},
    jvp::jvp,
    linear::Linearized,
    linearize::{Purpose, WayBack, active_callees, linearize},
    loops,
    loops_again::best_plan,
    normalise::{Normalised, normalise},
    plan::Inputs,
    propagate::{self, ObstacleKind},
    read_again,
    residuals::ResidualPlan,
    reverse::{self, Reverse},
    sizes::size_of,
};

/// How deep `[ForceUnroll]` loops nest that depend on each other.
const MOST_UNROLLINGS: usize = 8;

/// Calls of calls that reverse mode follows.
const DEEPEST_CALL: usize = 128;

/// Makes every derivative that can be reached from `roots`. All errors are found, each function's first one; functions
/// with errors keep their derivative callees.
pub fn expand(module: &mut VerifiedModule, roots: &[FuncId]) -> Result<(), Vec<AutodiffError>> {
    if !asks_for_derivatives(module) {
        return Ok(());
    }
    change(module, |expander| {
        expander.fill_contexts();
        expander.expand_all(roots)
    })
}

/// Whether [`expand`] could have anything to do.
fn asks_for_derivatives(module: &Module) -> bool {
    let asks = |op: &Op| matches!(op, Op::Call { callee: Callee::Derivative(..), .. });
    let mut functions = module.funcs.iter();
    !module.contexts.is_empty() || functions.any(|(_, func)| func.ops.iter().any(|(_, data)| asks(&data.op)))
}

/// Makes functions, and has the verifier look at them.
pub(crate) fn change<T>(
    module: &mut VerifiedModule,
    make: impl FnOnce(&mut Expander<'_>) -> Result<T, Vec<AutodiffError>>,
) -> Result<T, Vec<AutodiffError>> {
    module.change(|module| make(&mut Expander::new(module))).map_err(|rejected| {
        let Rejected { module, errors } = *rejected;
        let error = |error: VerifyError| AutodiffError {
            function: error.func.map_or_else(SmolStr::default, |func| module.funcs[func].name.clone()),
            kind: ErrorKind::BreaksRule { error },
            span: SpanId::NONE,
        };
        errors.into_iter().map(error).collect::<Vec<_>>()
    })?
}

/// Makes derivatives, and what they call, for callers that are not IR themselves: the preview, the gradient checker.
/// `Apply` and `Propagate` of one function fit together only if they are asked for together.
pub fn derivatives(
    module: &mut VerifiedModule,
    wanted: &[(DerivativeKind, FuncId)],
) -> Result<Vec<FuncId>, Vec<AutodiffError>> {
    change(module, |expander| {
        expander.fill_contexts();
        let made: Result<Vec<FuncId>, AutodiffError> =
            wanted.iter().map(|&(kind, func)| expander.derivative(kind, func)).collect();
        let made = made.map_err(|error| vec![error])?;
        expander.expand_all(&made)?;
        Ok(made)
    })
}

/// What reverse mode keeps for `func`, and why.
pub fn residual_plan(module: &VerifiedModule, func: FuncId) -> Result<ResidualPlan, AutodiffError> {
    let mut scratch = Module::clone(module);
    let mut expander = Expander::new(&mut scratch);
    Ok(expander.reverse(func, Inputs::HandedIn)?.plan.residuals.clone())
}

/// Where the inputs are when a derivative of this kind reads them on the way back.
fn inputs_of(kind: DerivativeKind) -> Inputs {
    match kind {
        DerivativeKind::Jvp | DerivativeKind::Vjp | DerivativeKind::Primal | DerivativeKind::Pullback => {
            Inputs::HandedIn
        }
        DerivativeKind::Apply | DerivativeKind::Propagate => Inputs::Stored,
    }
}

pub(crate) struct Expander<'m> {
    pub(crate) module: &'m mut Module,
    made: FxHashMap<(DerivativeKind, FuncId), FuncId>,
    reverse: FxHashMap<(FuncId, Inputs), Rc<Reverse>>,
    /// Functions whose reverse mode is being prepared.
    preparing: Vec<FuncId>,
    /// Functions whose derivative callees are being replaced.
    expanding: Vec<FuncId>,
    /// The users' derivatives: they take the place of derivatives, if they have not taken it already.
    rules: FxHashSet<FuncId>,
}

impl<'m> Expander<'m> {
    pub(crate) fn new(module: &'m mut Module) -> Self {
        let written = module.funcs.iter().flat_map(|(_, func)| [func.rules.forward, func.rules.backward]);
        let rules = written.flatten().collect();
        Expander {
            module,
            made: FxHashMap::default(),
            reverse: FxHashMap::default(),
            preparing: Vec::new(),
            expanding: Vec::new(),
            rules,
        }
    }

    /// Decides what the contexts of all functions hold, so that code that differentiates what deals with them finds it. What
    /// is wrong with one of the functions is reported where its context is made.
    fn fill_contexts(&mut self) {
        let functions: Vec<FuncId> = self.module.contexts.iter().map(|(func, _)| *func).collect();
        for func in functions {
            let _ = self.derivative(DerivativeKind::Apply, func);
        }
    }

    pub(crate) fn expand_all(&mut self, roots: &[FuncId]) -> Result<(), Vec<AutodiffError>> {
        let mut pending: Vec<FuncId> = roots.to_vec();
        let mut seen: FxHashSet<FuncId> = pending.iter().copied().collect();
        let mut errors: Vec<AutodiffError> = Vec::new();
        while let Some(id) = pending.pop() {
            for error in self.expand_body(id) {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
            for (_, data) in self.module.funcs[id].ops.iter() {
                if let Op::Call { callee: Callee::Func(callee), .. } = data.op
                    && seen.insert(callee)
                {
                    pending.push(callee);
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Replaces the derivative callees in the body of `id`.
    pub(crate) fn expand_body(&mut self, id: FuncId) -> Vec<AutodiffError> {
        if self.expanding.contains(&id) {
            return Vec::new();
        }
        self.expanding.push(id);
        let mut errors = Vec::new();
        let calls: Vec<_> = self.module.funcs[id]
            .ops
            .iter()
            .filter_map(|(op, data)| match data.op {
                Op::Call { callee: Callee::Derivative(kind, callee), .. } => Some((op, kind, callee, data.span)),
                _ => None,
            })
            .collect();
        for (op, kind, callee, span) in calls {
            match self.derivative(kind, callee) {
                Ok(made) => {
                    if let Op::Call { callee, .. } = &mut self.module.funcs[id].ops[op].op {
                        *callee = Callee::Func(made);
                    }
                }
                Err(mut error) => {
                    // What the callee itself cannot have is shown at the call.
                    let is_missing = matches!(error.kind, ErrorKind::NotForwardDifferentiable { .. });
                    if is_missing && error.function == self.module.funcs[callee].name {
                        error.function.clone_from(&self.module.funcs[id].name);
                        error.span = span;
                    }
                    if error.span == SpanId::NONE {
                        error.span = span;
                    }
                    errors.push(error);
                }
            }
        }
        self.expanding.pop();
        errors
    }

    /// The function that computes a derivative of `primal`.
    fn derivative(&mut self, kind: DerivativeKind, primal: FuncId) -> Result<FuncId, AutodiffError> {
        if let Some(&made) = self.made.get(&(kind, primal)) {
            return Ok(made);
        }
        let rules = self.module.funcs[primal].rules.clone();
        if let Some(substitute) = rules.primal_substitute
            && substitute != primal
        {
            let made = self.derivative(kind, substitute)?;
            self.made.insert((kind, primal), made);
            return Ok(made);
        }
        let written = match kind {
            DerivativeKind::Jvp => rules.forward,
            // Without a record, and with all inputs, a pullback is what the user writes.
            DerivativeKind::Vjp | DerivativeKind::Pullback => rules.backward,
            DerivativeKind::Primal | DerivativeKind::Apply | DerivativeKind::Propagate => None,
        };
        if let Some(written) = written {
            self.made.insert((kind, primal), written);
            return Ok(written);
        }
        let of_context = matches!(kind, DerivativeKind::Apply | DerivativeKind::Propagate);
        let by_rule = rules.treat_as_differentiable || (of_context && rules.backward.is_some());
        if by_rule {
            let func = self.by_rule(kind, primal, rules.backward);
            let made = self.module.funcs.alloc(func);
            self.made.insert((kind, primal), made);
            return Ok(made);
        }
        self.check_body(kind, primal)?;
        if kind == DerivativeKind::Primal && self.reverse(primal, Inputs::HandedIn)?.kept.record.is_none() {
            self.made.insert((kind, primal), primal);
            return Ok(primal);
        }
        // Declared before it is made, so that a recursive function finds its own derivative.
        let declaration = self.declaration(kind, primal)?;
        let made = self.module.funcs.alloc(declaration);
        self.made.insert((kind, primal), made);
        match self.generate(kind, primal) {
            Ok(mut func) => {
                let declared = &self.module.funcs[made];
                func.name.clone_from(&declared.name);
                func.rules.clone_from(&declared.rules);
                self.module.funcs[made] = func;
                cleanup(self.module, made);
            }
            Err(error) => {
                self.made.remove(&(kind, primal));
                return Err(error);
            }
        }
        match self.expand_body(made).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(made),
        }
    }

    pub(crate) fn error(&self, kind: ErrorKind, primal: FuncId) -> AutodiffError {
        let func = &self.module.funcs[primal];
        AutodiffError { kind, function: func.name.clone(), span: func.span }
    }

    /// Whether the body of `primal` may be differentiated.
    pub(crate) fn check_body(&self, kind: DerivativeKind, primal: FuncId) -> Result<(), AutodiffError> {
        let func = &self.module.funcs[primal];
        let callee = func.name.clone();
        let allowed = match kind {
            DerivativeKind::Jvp => func.rules.has_forward(),
            _ => func.rules.backward_differentiable || func.rules.forward.is_some(),
        };
        if !allowed {
            let error = match kind {
                DerivativeKind::Jvp => ErrorKind::NotForwardDifferentiable { callee },
                _ => ErrorKind::NotBackwardDifferentiable { callee },
            };
            return Err(self.error(error, primal));
        }
        if func.body.is_none() && func.rules.forward.is_none() {
            return Err(self.error(ErrorKind::NoBody { callee }, primal));
        }
        Ok(())
    }

    fn unique_name(&self, kind: DerivativeKind, primal: FuncId) -> SmolStr {
        let wanted = format_smolstr!("{}.{}", self.module.funcs[primal].name, kind.word());
        let mut name = wanted.clone();
        let mut number = 1;
        while self.module.func_named(&name).is_some() {
            number += 1;
            name = format_smolstr!("{wanted}_{number}");
        }
        name
    }

    /// The signature of a derivative, without body.
    fn declaration(&mut self, kind: DerivativeKind, primal: FuncId) -> Result<Func, AutodiffError> {
        let name = self.unique_name(kind, primal);
        let kept = match kind {
            DerivativeKind::Jvp | DerivativeKind::Vjp => Kept::default(),
            _ => self.reverse(primal, inputs_of(kind))?.kept.clone(),
        };
        let (inputs, results) = self.signature(kind, primal, &kept);
        let mut func = Func::declaration(name, inputs, results, self.module.funcs[primal].span);
        func.rules.forward_differentiable = true;
        func.rules.backward_differentiable = true;
        Ok(func)
    }

    fn signature(&mut self, kind: DerivativeKind, primal: FuncId, kept: &Kept) -> (Vec<Input>, Vec<ResultSlot>) {
        let Module { types, funcs, .. } = &mut *self.module;
        let func = &funcs[primal];
        abi::derivative(types, kind, (&func.inputs, &func.results), kept, func.span)
    }

    fn generate(&mut self, kind: DerivativeKind, primal: FuncId) -> Result<Func, AutodiffError> {
        let name = self.module.funcs[primal].name.clone();
        if kind == DerivativeKind::Jvp {
            let normalised = self.normalised(primal)?;
            let custom = CustomArithmetic::of(&self.module.types);
            let Module { types, funcs, .. } = &mut *self.module;
            let activity = active_values(types, funcs, &normalised.func, Mode::Forward);
            let linearized = linearize(types, funcs, &custom, normalised, &activity, Purpose::Forward)?;
            return Ok(jvp(types, &custom, name, &linearized, None));
        }
        let prepared = self.reverse(primal, inputs_of(kind))?;
        let custom = CustomArithmetic::of(&self.module.types);
        let types = &self.module.types;
        Ok(match kind {
            DerivativeKind::Primal | DerivativeKind::Apply => reverse::primal(types, &custom, name, &prepared),
            DerivativeKind::Pullback | DerivativeKind::Propagate => reverse::pullback(types, &custom, name, &prepared),
            DerivativeKind::Jvp | DerivativeKind::Vjp => reverse::vjp(types, &custom, name, &prepared),
        })
    }

    /// The function with one exit and without derivative callees.
    pub(crate) fn normalised(&mut self, primal: FuncId) -> Result<Normalised, AutodiffError> {
        if let Some(error) = self.expand_body(primal).into_iter().next() {
            return Err(error);
        }
        let Module { types, funcs, .. } = &mut *self.module;
        let with_conditions = leading_exit::moved(types, &funcs[primal]);
        let normalised = normalise(types, funcs, with_conditions.as_ref().unwrap_or(&funcs[primal]))?;
        self.check_rules(&normalised)?;
        Ok(normalised)
    }

    /// Unrolls `[ForceUnroll]` loops that have no bound otherwise: those whose count depends on the counter of another
    /// one. The others stay loops, for which a bound is all that is needed.
    fn unroll(&mut self, primal: FuncId) {
        for _ in 0..MOST_UNROLLINGS {
            let Module { types, funcs, .. } = &*self.module;
            let func = &funcs[primal];
            let marked = |data: &ir::OpData| matches!(data.op, Op::Loop { bound, .. } if bound.force_unroll.is_some());
            if !func.ops.iter().any(|(_, data)| marked(data)) {
                return;
            }
            let ranges = Ranges::new(types, funcs, func);
            let unbounded = func.ops.iter().any(|(id, data)| match &data.op {
                Op::Loop { bound, .. } => {
                    bound.force_unroll.is_some() && loops::bound(*bound, ranges.trip_count(id)).is_none()
                }
                _ => false,
            });
            if !unbounded {
                return;
            }
            let before = func.ops.len();
            unroll(self.module, primal);
            simplify_func(self.module, primal);
            if self.module.funcs[primal].ops.len() == before {
                return;
            }
        }
    }

    /// A user's derivative that is not differentiable itself would make a second derivative zero in silence.
    fn check_rules(&self, normalised: &Normalised) -> Result<(), AutodiffError> {
        let Module { types, funcs, .. } = &*self.module;
        let func = &normalised.func;
        let mut activity = None;
        for (_, data) in func.ops.iter() {
            let Op::Call { callee: Callee::Func(callee), args, no_diff: false } = &data.op else {
                continue;
            };
            if !self.rules.contains(callee) || flow::is_differentiable(funcs, *callee) {
                continue;
            }
            let activity = activity.get_or_insert_with(|| active_values(types, funcs, func, Mode::Reverse));
            if args.iter().any(|&arg| activity.carries(arg))
                && data.results.iter().any(|&result| activity.is_expected(result))
            {
                return Err(AutodiffError {
                    kind: ErrorKind::RuleNotDifferentiable { rule: funcs[*callee].name.clone() },
                    function: func.name.clone(),
                    span: data.span,
                });
            }
        }
        Ok(())
    }

    /// Prepares a function with a body for reverse mode.
    fn reverse(&mut self, primal: FuncId, inputs: Inputs) -> Result<Rc<Reverse>, AutodiffError> {
        if let Some(reverse) = self.reverse.get(&(primal, inputs)) {
            return Ok(reverse.clone());
        }
        let linearized = match inputs {
            Inputs::HandedIn => Rc::new(self.prepared(primal)?),
            Inputs::Stored => self.reverse(primal, Inputs::HandedIn)?.linearized.clone(),
        };
        let plan = best_plan(self.module, &linearized, inputs);
        let kept = match inputs {
            Inputs::HandedIn => reverse::kept(self.module, &linearized, &plan),
            Inputs::Stored => {
                let context = self.context_of(primal);
                let record = reverse::record_type(self.module, &linearized, &plan, context);
                Kept { record: Some(record), ..Kept::default() }
            }
        };
        let reverse = Rc::new(Reverse { linearized, plan, kept });
        self.reverse.insert((primal, inputs), reverse.clone());
        Ok(reverse)
    }

    /// The linear form of a function with a body, for reverse mode.
    fn prepared(&mut self, primal: FuncId) -> Result<Linearized, AutodiffError> {
        if self.preparing.contains(&primal) {
            return Err(self.error(ErrorKind::Recursion, primal));
        }
        if self.preparing.len() > DEEPEST_CALL {
            return Err(self.error(ErrorKind::NestedTooDeeply, primal));
        }
        self.preparing.push(primal);
        let linearized = self.prepare(primal);
        self.preparing.pop();
        linearized
    }

    fn prepare(&mut self, primal: FuncId) -> Result<Linearized, AutodiffError> {
        self.check_body(DerivativeKind::Vjp, primal)?;
        let rules = &self.module.funcs[primal].rules;
        match rules.forward {
            Some(forward) if !rules.backward_differentiable => self.transposable(primal, forward),
            _ => {
                self.unroll(primal);
                let normalised = self.normalised(primal)?;
                let activity = active_values(&self.module.types, &self.module.funcs, &normalised.func, Mode::Reverse);
                self.linearized(primal, normalised, &activity)
            }
        }
    }

    /// The linear form of a function by way of its user-written forward derivative.
    fn transposable(&mut self, primal: FuncId, forward: FuncId) -> Result<Linearized, AutodiffError> {
        if let Some(error) = self.expand_body(forward).into_iter().next() {
            return Err(error);
        }
        let forward = self.with_helpers(primal, forward);
        let of_tangents = propagate::of_tangents(&self.module.funcs[primal], &forward);
        let Module { types, funcs, .. } = &mut *self.module;
        let normalised = normalise(types, funcs, &of_tangents)?;
        self.check_rules(&normalised)?;
        let activity = active_values(&self.module.types, &self.module.funcs, &normalised.func, Mode::Reverse);
        let mut linearized = self.linearized(primal, normalised, &activity)?;
        propagate::check(&linearized, &activity, &self.module.funcs).map_err(|error| AutodiffError {
            kind: match error.kind {
                ObstacleKind::NotLinear { operation } => ErrorKind::NotLinear { rule: of_tangents.name, operation },
                ObstacleKind::LosesTangent { parameter, callee } => {
                    ErrorKind::LosesTangent { rule: of_tangents.name, parameter, callee }
                }
            },
            function: self.module.funcs[primal].name.clone(),
            span: error.span,
        })?;
        propagate::unzip(&mut linearized, &self.module.funcs[primal]);
        Ok(linearized)
    }

    /// A user-written derivative with the functions that it calls put in, unless only what does not depend on tangents goes into
    /// them and their derivatives are of use: whether they are linear in the tangents is checked with it. What they hold as a
    /// constant they do not hold here: the tangents are ordinary values for the user.
    fn with_helpers(&mut self, primal: FuncId, rule: FuncId) -> Func {
        let mut func = self.module.funcs[rule].clone();
        let mut helpers: FxHashMap<FuncId, Func> = FxHashMap::default();
        let with_tangents = propagate::called_with_tangents(self.module, primal, rule);
        let callees = inline::callees(&func).into_iter();
        let mut pending: Vec<_> = callees.map(|callee| (callee, with_tangents.contains(&callee))).collect();
        let mut seen = FxHashSet::default();
        while let Some((callee, takes_tangents)) = pending.pop() {
            let rules = &self.module.funcs[callee].rules;
            let has_derivatives = rules.forward_differentiable || rules.backward_differentiable;
            let is_helper = rules.forward.is_none() && rules.backward.is_none() && (!has_derivatives || takes_tangents);
            if !is_helper
                || !seen.insert((callee, takes_tangents))
                || inline::reaches_itself(self.module, callee)
                || !self.expand_body(callee).is_empty()
            {
                continue;
            }
            let Module { types, funcs, .. } = &mut *self.module;
            if let Ok(normalised) = normalise(types, funcs, &funcs[callee]) {
                pending.extend(inline::callees(&normalised.func).into_iter().map(|callee| (callee, takes_tangents)));
                helpers.insert(callee, normalised.func);
            }
        }
        if inline::inline_bodies(&mut func, helpers) {
            // Pairs that only travelled into the helpers come apart: their values do not depend on their tangents.
            let simplified = |module: &mut Module, func: &mut Func| {
                std::mem::swap(&mut module.funcs[rule], func);
                simplify_func(module, rule);
                std::mem::swap(&mut module.funcs[rule], func);
            };
            simplified(self.module, &mut func);
            if take_apart(&self.module.types, &mut func) {
                simplified(self.module, &mut func);
            }
        }
        func
    }

    /// The type that stands for the residual record of `primal` where the user holds it; a function with a substitute has
    /// the record of that one.
    fn context_of(&self, primal: FuncId) -> Option<TypeId> {
        let differentiated = |mut func: FuncId| {
            for _ in 0..DEEPEST_CALL {
                match self.module.funcs[func].rules.primal_substitute {
                    Some(substitute) if substitute != func => func = substitute,
                    _ => break,
                }
            }
            func
        };
        self.module.contexts.iter().find(|(func, _)| differentiated(*func) == primal).map(|(_, ty)| *ty)
    }

    /// Linearizes for reverse mode, after the functions that are called.
    fn linearized(
        &mut self,
        primal: FuncId,
        normalised: Normalised,
        activity: &Activity,
    ) -> Result<Linearized, AutodiffError> {
        let mut ways_back: FxHashMap<FuncId, WayBack> = FxHashMap::default();
        for (callee, span) in active_callees(&self.module.funcs, &normalised.func, activity) {
            ways_back.insert(callee, self.way_back(callee, primal, span)?);
        }
        let contexts = self.contexts(&normalised, &ways_back)?;
        let custom = CustomArithmetic::of(&self.module.types);
        let Module { types, funcs, .. } = &mut *self.module;
        let purpose = Purpose::Reverse { ways_back: &ways_back, contexts: &contexts };
        linearize(types, funcs, &custom, normalised, activity, purpose)
    }

    /// The calls whose way back begins with a context. What the pullback would read instead may be kept for others as well:
    /// so that it is left out, the context must be no more than half of it.
    fn contexts(
        &mut self,
        normalised: &Normalised,
        ways_back: &FxHashMap<FuncId, WayBack>,
    ) -> Result<FxHashMap<OpId, TypeId>, AutodiffError> {
        let mut contexts = FxHashMap::default();
        for DearCall { op, callee, bytes, iterations } in dear_calls(self.module, normalised, ways_back) {
            if self.module.funcs[callee].rules.backward.is_some() {
                continue;
            }
            if let Some(context) = self.reverse(callee, Inputs::Stored)?.kept.record
                && size_of(&self.module.types, context).saturating_mul(iterations) <= bytes / 2
            {
                contexts.insert(op, context);
            }
        }
        Ok(contexts)
    }

    /// How the way back through the calls of `callee` in `caller` begins.
    fn way_back(&mut self, callee: FuncId, caller: FuncId, span: SpanId) -> Result<WayBack, AutodiffError> {
        let target = &self.module.funcs[callee];
        if target.rules.backward.is_some() {
            let inputs = (0..target.inputs.len() as u32).collect();
            return Ok(WayBack::Pullback(Kept { inputs, ..Kept::default() }));
        }
        // A function that calls itself has no record of a fixed size: its calls run again on the way back. So do those of
        // functions that call each other, whichever of them is prepared first.
        let calls_itself = self.preparing.contains(&callee) || inline::reaches(self.module, callee, caller);
        if calls_itself && self.module.func_effect(callee) != Effect::Write {
            if read_again::may_differ(self.module, callee) {
                let function = self.module.funcs[callee].name.clone();
                return Err(AutodiffError { kind: ErrorKind::RecursionReadsAgain, function, span });
            }
            return Ok(WayBack::Again);
        }
        let reverse = self.reverse(callee, Inputs::HandedIn).map_err(|mut error| {
            // What the call cannot have is shown at the call.
            let at_call = matches!(
                error.kind,
                ErrorKind::NoBody { .. } | ErrorKind::NotBackwardDifferentiable { .. } | ErrorKind::Recursion
            );
            if at_call && error.function == self.module.funcs[callee].name {
                error.function.clone_from(&self.module.funcs[caller].name);
                error.span = span;
            }
            error
        })?;
        Ok(WayBack::Pullback(reverse.kept.clone()))
    }

    /// A derivative that is zero by the user's declaration, or that calls the user's backward derivative.
    fn by_rule(&mut self, kind: DerivativeKind, primal: FuncId, backward: Option<FuncId>) -> Func {
        let name = self.unique_name(kind, primal);
        let args: Vec<(SmolStr, TypeId)> =
            self.module.funcs[primal].inputs.iter().map(|input| (input.name.clone(), input.ty)).collect();
        let record = match kind {
            DerivativeKind::Apply | DerivativeKind::Propagate => {
                let other = match kind {
                    DerivativeKind::Apply => DerivativeKind::Propagate,
                    _ => DerivativeKind::Apply,
                };
                let existing = self.made.get(&(other, primal)).map(|&made| &self.module.funcs[made]);
                let existing = existing.and_then(|func| match other {
                    DerivativeKind::Apply => func.results.last().map(|slot| slot.ty),
                    _ => func.inputs.first().map(|input| input.ty),
                });
                let fields = if backward.is_some() { args } else { Vec::new() };
                let context = self.context_of(primal);
                Some(existing.unwrap_or_else(|| {
                    reverse::struct_of(&self.module.types, &self.module.funcs[primal].name, fields, context)
                }))
            }
            DerivativeKind::Jvp | DerivativeKind::Vjp | DerivativeKind::Primal | DerivativeKind::Pullback => None,
        };
        let kept = Kept { record, ..Kept::default() };
        let (inputs, results) = self.signature(kind, primal, &kept);
        let custom = CustomArithmetic::of(&self.module.types);
        let Module { types, funcs, .. } = &mut *self.module;
        let func = &funcs[primal];
        let given = inputs.len();
        let result_types: Vec<TypeId> = results.iter().map(|slot| slot.ty).collect();
        let mut e = Emitter::new(FuncBuilder::new(types, name, inputs, results, func.span), &custom);
        e.func.rules.forward_differentiable = true;
        e.func.rules.backward_differentiable = true;
        let all: Vec<ValueId> = (0..given).map(|index| e.input(index)).collect();
        let primal_types: Vec<TypeId> = func.results.iter().map(|slot| slot.ty).collect();
        let mut values: Vec<ValueId> = Vec::new();
        match kind {
            DerivativeKind::Jvp => {
                let args = &all[..func.inputs.len()];
                values.extend(e.call(Callee::Func(primal), args, &primal_types));
            }
            DerivativeKind::Primal | DerivativeKind::Apply => {
                values.extend(e.call(Callee::Func(primal), &all, &primal_types));
                if let Some(record) = record {
                    let fields: &[ValueId] = if backward.is_some() { &all } else { &[] };
                    values.push(e.make(fields, record));
                }
            }
            DerivativeKind::Propagate => {
                if let Some(backward) = backward {
                    let mut args: Vec<ValueId> =
                        (0..func.inputs.len()).map(|index| e.field(all[0], index as u32)).collect();
                    args.extend(&all[1..]);
                    values.extend(e.call(Callee::Func(backward), &args, &result_types));
                }
            }
            DerivativeKind::Vjp | DerivativeKind::Pullback => {}
        }
        let zeros = result_types[values.len()..].iter().map(|&ty| e.differential_zero(ty));
        let zeros: Vec<ValueId> = zeros.collect();
        values.extend(zeros);
        e.ret(values);
        e.builder.finish()
    }
}
