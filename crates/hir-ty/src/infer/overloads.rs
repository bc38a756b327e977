//! Choosing among functions of one name: deduce generic arguments, convert the arguments, take the cheapest.

use base_db::Db;
use hir_def::{
    attribute::AttributeKind,
    body::ExprId,
    item::{self, ItemId, ItemKind},
    modules,
    name::Name,
    type_ref::TypeRef,
};

use super::{
    Infer,
    arguments::{ArgumentKind, ArgumentType},
    functions::{CallSignature, Candidate, FunctionSet, Receiver},
    overload_index,
    result::{Argument, Base, CallResolution, Resolution},
};
use crate::{
    conformance::{self, access, members::Origin},
    diagnostics::{Site, calls, conformances, conversions, locations},
    generics::{
        self,
        env::{Bound, Env},
        solve::Solver,
        substitute,
    },
    types::{
        conversion, known,
        signature::FunctionRef,
        ty::{GenericArg, GenericArgs, ParamDirection, Scalar, Ty, TypeParam},
    },
};

/// The function that a call means.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) function: FunctionRef,
    /// With the generic arguments put in.
    pub(super) signature: CallSignature,
    cost: u32,
    candidate: Candidate,
}

/// The one candidate that comes closer than all others: what does not fit there is what is wrong. A constraint that is broken
/// is no closer than a generic argument that does not follow.
fn closest<'a>(failures: &[&'a (Candidate, Failure)]) -> Option<&'a (Candidate, Failure)> {
    let only = |is_close: &dyn Fn(&Failure) -> bool| {
        let mut close = failures.iter().filter(|(_, failure)| is_close(failure));
        close.next().filter(|_| close.next().is_none()).copied()
    };
    let arity = Failure::ArgumentCount { expected: 0 }.rank();
    only(&|failure| matches!(failure, Failure::Argument { .. } | Failure::NotAPlace { .. }))
        .or_else(|| only(&|failure| failure.rank() > arity).filter(|(_, failure)| matches!(failure, Failure::Bound(_))))
}

/// Why a candidate does not fit. Later variants come closer.
#[derive(Debug, Clone)]
enum Failure {
    /// Derivatives of this are unknown.
    NoSignature,
    ArgumentCount {
        expected: usize,
    },
    /// More than a generic function has parameters, whose generic arguments are not written.
    GenericCallArgumentCount {
        expected: usize,
    },
    /// More are written after the function's name than it has parameters.
    GenericArgumentCount {
        expected: usize,
    },
    Deduction(TypeParam),
    Bound(Bound),
    Argument {
        index: usize,
        wanted: Ty,
    },
    NotAPlace {
        index: usize,
    },
}

impl Failure {
    fn rank(&self) -> u32 {
        match self {
            Failure::NoSignature => 0,
            Failure::ArgumentCount { .. }
            | Failure::GenericCallArgumentCount { .. }
            | Failure::GenericArgumentCount { .. } => 1,
            Failure::Deduction(_) => 2,
            Failure::Argument { .. } => 3,
            Failure::Bound(_) => 4,
            Failure::NotAPlace { .. } => 5,
        }
    }
}

impl Infer<'_> {
    /// Chooses the function that a call means, or reports why there is none.
    pub(super) fn resolve_overload(
        &mut self,
        call: ExprId,
        set: &FunctionSet,
        arguments: &[ArgumentType],
    ) -> Option<Chosen> {
        let mut applicable = self.applicable(set, arguments);
        if applicable.is_empty() {
            let failures;
            (applicable, failures) = self.try_all(set, &set.candidates, arguments);
            debug_assert!(applicable.is_empty(), "only candidates that cannot be meant are left out");
            // What is wrong with an argument is reported already.
            let poisoned =
                arguments.iter().any(|argument| matches!(argument.kind, ArgumentKind::Typed) && argument.ty.is_error());
            if !poisoned {
                self.report_failures(call, set, arguments, &failures);
            }
            self.give_up_on_arguments(arguments);
            return None;
        }
        match self.best(applicable) {
            Ok(chosen) => Some(chosen),
            Err(tied) => {
                let poisoned = arguments.iter().any(|argument| argument.ty.is_error());
                if poisoned {
                    return tied.into_iter().next();
                }
                let place = self.name_place(call);
                let shown = self.show_arguments(arguments);
                let candidates: Vec<calls::Candidate> =
                    tied.iter().map(|chosen| self.describe(set, &chosen.candidate, None)).collect();
                self.report(calls::ambiguous_call(place, set.name.as_str(), &shown, &candidates));
                self.give_up_on_arguments(arguments);
                None
            }
        }
    }

    /// The single best candidate; silent if there is none.
    pub(super) fn best_overload(&mut self, set: &FunctionSet, arguments: &[ArgumentType]) -> Option<Chosen> {
        let applicable = self.applicable(set, arguments);
        match self.best(applicable) {
            Ok(chosen) => Some(chosen),
            Err(tied) => tied.into_iter().next(),
        }
    }

    /// Those that can be meant: what is hidden here is so only where nothing else fits.
    fn applicable(&mut self, set: &FunctionSet, arguments: &[ArgumentType]) -> Vec<Chosen> {
        let found = match overload_index::fitting(self.db, self.env, set, arguments) {
            Some(fitting) => self.try_all(set, &fitting, arguments).0,
            None => self.try_all(set, &set.candidates, arguments).0,
        };
        if found.len() < 2 {
            return found;
        }
        let (db, from) = (self.db, self.owner);
        let is_accessible = |chosen: &Chosen| {
            let item = chosen.candidate.item;
            known::is_in_prelude(db, item) || access::is_accessible(db, item, from)
        };
        let (seen, hidden): (Vec<Chosen>, Vec<Chosen>) = found.into_iter().partition(is_accessible);
        if seen.is_empty() { hidden } else { seen }
    }

    fn try_all(
        &mut self,
        set: &FunctionSet,
        candidates: &[Candidate],
        arguments: &[ArgumentType],
    ) -> (Vec<Chosen>, Vec<(Candidate, Failure)>) {
        let mut applicable = Vec::new();
        let mut failures = Vec::new();
        // `f<T>(…)` means a generic `f` where there is one.
        let db = self.db;
        let is_generic =
            |candidate: &Candidate| generics::parameters(db, candidate.item).len() > candidate.args.args(db).len();
        let only_generic = set.explicit.is_some() && set.candidates.iter().any(is_generic);
        for candidate in candidates {
            if only_generic && !is_generic(candidate) {
                continue;
            }
            match self.try_candidate(set, candidate, arguments) {
                Ok(chosen) => applicable.push(chosen),
                Err(failure) => failures.push((*candidate, failure)),
            }
        }
        (applicable, failures)
    }

    /// The cheapest; the candidates that tie otherwise.
    fn best(&self, applicable: Vec<Chosen>) -> Result<Chosen, Vec<Chosen>> {
        if let [only] = applicable.as_slice() {
            return Ok(only.clone());
        }
        let db = self.db;
        let module_of = |item: ItemId| modules::module_root(db, item::file_of(db, item));
        let here = module_of(self.owner);
        // The core library writes as defaults what slangc has as overloads.
        let are_of_core_library = applicable.iter().all(|chosen| known::is_in_prelude(db, chosen.candidate.item));
        let key = |chosen: &Chosen| {
            let data = item::item_data(db, chosen.candidate.item);
            let is_from_elsewhere = module_of(chosen.candidate.item) != here;
            (
                chosen.cost,
                chosen.candidate.origin,
                std::cmp::Reverse(overload_rank(db, chosen.candidate.item)),
                data.generics.params.len(),
                // An extension of `V<3>` knows better than one of every `V<N>`.
                generics::parameters(db, chosen.candidate.item).len(),
                is_from_elsewhere,
                if are_of_core_library { chosen.signature.params.len() } else { 0 },
            )
        };
        let Some(best) = applicable.iter().map(key).min() else { return Err(Vec::new()) };
        let tied: Vec<Chosen> = applicable.into_iter().filter(|chosen| key(chosen) == best).collect();
        match tied.as_slice() {
            [only] => Ok(only.clone()),
            [first, ..] => {
                // A forward declaration and its definition are one function.
                let same = tied.iter().all(|chosen| same_parameters(&chosen.signature, &first.signature));
                if same && let Some(special) = self.most_specific(&tied).or_else(|| self.most_capable(&tied)) {
                    return Ok(special.clone());
                }
                // Of functions of two modules, the core library among them, none is nearer than the other, nor of methods of
                // two extensions.
                let declared_in = |chosen: &Chosen| {
                    let item = chosen.candidate.item;
                    let is_extension = |around: &ItemId| {
                        let is_own = !known::is_in_prelude(db, *around);
                        is_own && matches!(item::item_data(db, *around).kind, ItemKind::Extension { .. })
                    };
                    (module_of(item), item::container(db, item).filter(is_extension))
                };
                let is_one = tied.iter().all(|chosen| declared_in(chosen) == declared_in(first));
                // Both have bodies, and no call could tell them apart.
                let is_constructor =
                    matches!(item::item_data(db, first.candidate.item).kind, ItemKind::Constructor { .. })
                        && !known::is_in_prelude(db, first.candidate.item);
                if same && is_one && !is_constructor || first.candidate.origin == Origin::Interface {
                    let file_of = |chosen: &Chosen| item::file_of(db, chosen.candidate.item);
                    let defined: Vec<&Chosen> =
                        tied.iter().filter(|chosen| item::item_data(db, chosen.candidate.item).has_body()).collect();
                    // Files of one module may each define it for themselves: the nearest is meant.
                    let own = defined.iter().find(|chosen| file_of(chosen) == item::file_of(db, self.owner));
                    let elsewhere = defined.first().copied().unwrap_or(first);
                    let is_global = item::container(db, elsewhere.candidate.item).is_none();
                    match own {
                        Some(own) => Ok((*own).clone()),
                        None if is_global && defined.iter().any(|chosen| file_of(chosen) != file_of(elsewhere)) => {
                            Err(tied)
                        }
                        None => Ok(elsewhere.clone()),
                    }
                } else {
                    Err(tied)
                }
            }
            [] => Err(Vec::new()),
        }
    }

    /// Of subscripts that take the same: the one with all accessors of all others, and more.
    fn most_capable<'a>(&self, tied: &'a [Chosen]) -> Option<&'a Chosen> {
        use item::AccessorKind::{self, Get, Modify, Ref, Set};
        const KINDS: [AccessorKind; 4] = [Get, Set, Ref, Modify];
        let has = |chosen: &Chosen, kind| item::accessor(self.db, chosen.candidate.item, kind).is_some();
        let covers = |a: &Chosen, b: &Chosen| KINDS.into_iter().all(|kind| has(a, kind) || !has(b, kind));
        tied.iter().find(|candidate| {
            let mut others = tied.iter().filter(|other| other.candidate.item != candidate.candidate.item);
            others.all(|other| covers(candidate, other) && !covers(other, candidate))
        })
    }

    /// Of generic functions that take the same: the one whose constraints imply those of all others, but not they its.
    fn most_specific<'a>(&self, tied: &'a [Chosen]) -> Option<&'a Chosen> {
        let db = self.db;
        let is_generic = |chosen: &Chosen| !item::item_data(db, chosen.candidate.item).generics.params.is_empty();
        if !tied.iter().any(is_generic) {
            return None;
        }
        let implies = |a: &Chosen, b: &Chosen| {
            let (a, b) = (a.candidate.item, b.candidate.item);
            let count = item::item_data(db, a).generics.params.len();
            let env = Env::of(db, a);
            count == item::item_data(db, b).generics.params.len()
                && (0..count as u32).all(|index| {
                    let (own, other) =
                        (Ty::Param(TypeParam::new(db, a, index)), Ty::Param(TypeParam::new(db, b, index)));
                    generics::own_bounds(db, b).iter().all(|bound| match *bound {
                        Bound::Conforms { subject, interface, .. } => {
                            subject != other || conformance::conforms(db, env, own, interface)
                        }
                        _ => true,
                    })
                })
        };
        tied.iter().find(|candidate| {
            let others = || tied.iter().filter(|other| other.candidate.item != candidate.candidate.item);
            others().count() > 0 && others().all(|other| implies(candidate, other) && !implies(other, candidate))
        })
    }

    fn try_candidate(
        &mut self,
        set: &FunctionSet,
        candidate: &Candidate,
        arguments: &[ArgumentType],
    ) -> Result<Chosen, Failure> {
        let db = self.db;
        let params = generics::parameters(db, candidate.item);
        let outer = candidate.args.args(db).len();
        let own_generic = params.len() > outer;
        if let Some(expected) = self.most_explicit(set, candidate).filter(|_| own_generic) {
            return Err(Failure::GenericArgumentCount { expected });
        }
        if set.candidates.len() > 1 && !self.explicit_kinds_fit(set, candidate) {
            return Err(Failure::NoSignature);
        }
        if !own_generic && set.explicit.as_ref().is_some_and(|explicit| !explicit.is_empty()) {
            return Err(Failure::GenericArgumentCount { expected: 0 });
        }
        // The derivative of `f<float>` may be given for just these arguments.
        let written = if own_generic && !set.operators.is_empty() { self.instantiated(set, candidate) } else { None };
        let symbolic = written.unwrap_or_else(|| candidate.symbolic(db));
        // Nothing to put in yet for the many generic functions of the core library.
        let signature = if set.operators.is_empty() && outer == 0 && candidate.self_ty.is_none() {
            self.declared_signature(candidate.item)
        } else {
            self.call_signature(symbolic, &set.operators).ok_or(Failure::NoSignature)?
        };
        let has_pack = signature.params.iter().any(|param| matches!(param.ty, Ty::Expand(_)));
        if !has_pack {
            let required = signature.params.iter().filter(|param| !param.has_default).count();
            let accepted = signature.params.len();
            if arguments.len() < required || arguments.len() > accepted {
                let expected = if arguments.len() < required { required } else { accepted };
                let is_deduced = own_generic && set.explicit.is_none() && arguments.len() > accepted;
                return Err(if is_deduced {
                    Failure::GenericCallArgumentCount { expected }
                } else {
                    Failure::ArgumentCount { expected }
                });
            }
        }
        let (function, signature) = if own_generic && written.is_none() {
            let function = self.deduce(set, candidate, &signature, arguments, params, outer)?;
            let signature = self.call_signature(function, &set.operators).ok_or(Failure::NoSignature)?;
            (function, signature)
        } else {
            (symbolic, signature)
        };
        if has_pack && signature.params.len() != arguments.len() {
            let required = signature.params.iter().filter(|param| !param.has_default).count();
            if arguments.len() < required || arguments.len() > signature.params.len() {
                return Err(Failure::ArgumentCount { expected: signature.params.len() });
            }
        }
        let mut cost = 0;
        for (index, (argument, param)) in arguments.iter().zip(&signature.params).enumerate() {
            cost += self.argument_cost(argument, param.ty, param.direction, index)?;
        }
        if own_generic {
            if let Some(bound) =
                conformance::first_unmet_bound(db, self.env, candidate.item, function.args, function.self_ty)
            {
                return Err(Failure::Bound(bound));
            }
            // A bare `T` fits everything; overloads that say more are better.
            cost += unconstrained_cost(db, candidate.item);
        }
        Ok(Chosen { function, signature, cost, candidate: *candidate })
    }

    fn argument_cost(
        &mut self,
        argument: &ArgumentType,
        wanted: Ty,
        direction: ParamDirection,
        index: usize,
    ) -> Result<u32, Failure> {
        match &argument.kind {
            ArgumentKind::InitList => Ok(if matches!(wanted, Ty::Error) { 1 } else { 0 }),
            ArgumentKind::Functions(_) => match wanted {
                Ty::Function(_) | Ty::Error => Ok(0),
                _ => Err(Failure::Argument { index, wanted }),
            },
            ArgumentKind::Typed | ArgumentKind::Element => {
                if argument.ty.is_error() {
                    return Ok(0);
                }
                match direction {
                    ParamDirection::In | ParamDirection::ConstRef => {
                        match self.implicit_conversion(argument.expr, argument.ty, wanted) {
                            Some(converted) => Ok(converted.cost),
                            None => Err(Failure::Argument { index, wanted }),
                        }
                    }
                    ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => {
                        if argument.ty == wanted || wanted.is_error() {
                            Ok(0)
                        } else if direction != ParamDirection::Ref && self.converts_both_ways(argument.ty, wanted) {
                            Ok(crate::types::conversion::PLACE)
                        } else if crate::types::conversion::convert(self.db, self.env, argument.ty, wanted).is_some() {
                            Err(Failure::NotAPlace { index })
                        } else {
                            Err(Failure::Argument { index, wanted })
                        }
                    }
                }
            }
        }
    }

    /// Finds the generic arguments of a candidate.
    fn deduce(
        &mut self,
        set: &FunctionSet,
        candidate: &Candidate,
        signature: &CallSignature,
        arguments: &[ArgumentType],
        params: &[TypeParam],
        outer: usize,
    ) -> Result<FunctionRef, Failure> {
        let db = self.db;
        let mut solver = Solver::new(db, self.env, params).joining();
        for (index, arg) in candidate.args.args(db).iter().enumerate() {
            solver.fix(index, *arg);
        }
        if let Some(explicit) = &set.explicit {
            self.fix_explicit(&mut solver, candidate, explicit, outer);
        }
        let (mut places, mut values) = (Vec::new(), Vec::new());
        let mut rest = arguments;
        for (position, param) in signature.params.iter().enumerate() {
            if let Ty::Expand(expand) = param.ty {
                let after = signature.params.len() - position - 1;
                let (pack, tail) = rest.split_at(rest.len().saturating_sub(after));
                let types: Vec<GenericArg> = pack.iter().map(|argument| GenericArg::Type(argument.ty)).collect();
                if !solver.unify_pack(expand.pattern(db), &types) {
                    return Err(Failure::ArgumentCount { expected: signature.params.len() });
                }
                rest = tail;
                continue;
            }
            let Some((argument, tail)) = rest.split_first() else { break };
            rest = tail;
            if matches!(argument.kind, ArgumentKind::Typed | ArgumentKind::Element) && !argument.ty.is_error() {
                match param.direction {
                    ParamDirection::In | ParamDirection::ConstRef => values.push((param.ty, argument.ty)),
                    ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => {
                        places.push((param.ty, argument.ty));
                    }
                }
            }
        }
        // A place keeps its type: what values are converted to is settled by then.
        for (param, argument) in places {
            self.unify_argument(&mut solver, param, argument);
        }
        solver.settle();
        for (param, argument) in values {
            self.unify_argument(&mut solver, param, argument);
        }
        let bounds = generics::own_bounds(db, candidate.item);
        if set.explicit.is_none() {
            promised_types(db, candidate.item, bounds, arguments)?;
        }
        solver.solve_from_bounds(bounds);
        self.solve_defaults(&mut solver, candidate, outer, params);
        let Some(mut args) = solver.arguments() else {
            let unsolved = solver.first_unsolved().ok_or(Failure::NoSignature)?;
            return Err(Failure::Deduction(unsolved));
        };
        let written = outer + set.explicit.as_ref().map_or(0, Vec::len);
        self.to_wanted_numbers(
            bounds,
            params.get(written..).unwrap_or_default(),
            args.get_mut(written..).unwrap_or_default(),
        );
        Ok(FunctionRef { item: candidate.item, args: GenericArgs::new(db, args), self_ty: candidate.self_ty })
    }

    /// Matches the type of an argument with its parameter's. What cannot match fails with a better message when it is converted.
    fn unify_argument(&self, solver: &mut Solver<'_>, param: Ty, argument: Ty) {
        let ty = match argument {
            Ty::Builtin(crate::types::ty::BuiltinType::Ptr, _) => argument,
            // A buffer for a parameter that is one, its content for all others.
            Ty::Builtin(kind, _) if matches!(param, Ty::Builtin(wanted, _) if wanted == kind) => argument,
            ty => ty.dereferenced(self.db).unwrap_or(ty),
        };
        if !solver.unify(param, ty) {
            self.unify_through_conversion(solver, param, ty);
        }
    }

    /// A candidate whose generic arguments are all written; `None` if a call would have to say what they are.
    pub(super) fn instantiated(&mut self, set: &FunctionSet, candidate: &Candidate) -> Option<FunctionRef> {
        let db = self.db;
        let params = generics::parameters(db, candidate.item);
        let outer = candidate.args.args(db).len();
        if params.len() == outer {
            return Some(candidate.symbolic(db));
        }
        let explicit = set.explicit.as_ref()?;
        let mut solver = Solver::new(db, self.env, params);
        for (index, arg) in candidate.args.args(db).iter().enumerate() {
            solver.fix(index, *arg);
        }
        self.fix_explicit(&mut solver, candidate, explicit, outer);
        self.solve_defaults(&mut solver, candidate, outer, params);
        let args = GenericArgs::new(db, solver.arguments()?);
        Some(FunctionRef { item: candidate.item, args, self_ty: candidate.self_ty })
    }

    /// An argument that converts to the parameter's form: a type to an interface with arguments that it conforms to, a
    /// value to `Optional<T>`.
    fn unify_through_conversion(&self, solver: &mut Solver<'_>, pattern: Ty, ty: Ty) {
        let db = self.db;
        if let Some(content) = pattern.as_optional(db) {
            solver.unify(content, ty);
            return;
        }
        if let Ty::Function(_) = pattern {
            for function in conversion::function_types(db, self.env, ty) {
                if solver.unify(pattern, function) {
                    return;
                }
            }
        }
        if crate::conformance::extension::is_interface(db, pattern) {
            for interface in conformance::interfaces_of(db, self.env, ty) {
                if solver.unify(pattern, *interface) {
                    return;
                }
            }
        }
    }

    /// How many generic arguments the candidate takes, if more are written.
    fn most_explicit(&self, set: &FunctionSet, candidate: &Candidate) -> Option<usize> {
        use hir_def::item::GenericParamKind;
        let written = set.explicit.as_ref()?.len();
        let params = &item::item_data(self.db, candidate.item).generics.params;
        let takes_any = params
            .iter()
            .any(|param| matches!(param.kind, GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. }));
        (written > params.len() && !takes_any).then_some(params.len())
    }

    /// Whether what is written after the function's name may be arguments of the candidate: a number is not a type, and a
    /// type is no number.
    fn explicit_kinds_fit(&mut self, set: &FunctionSet, candidate: &Candidate) -> bool {
        use hir_def::{item::GenericParamKind, type_ref::GenericArgRef};
        let Some(explicit) = &set.explicit else { return true };
        let params = &item::item_data(self.db, candidate.item).generics.params;
        let store = self.store;
        let is_number = |arg: &GenericArgRef| match arg {
            GenericArgRef::Value(value) => matches!(store.exprs[*value], hir_def::body::Expr::Literal(_)),
            GenericArgRef::Type(_) => false,
        };
        params.iter().zip(explicit).all(|(param, arg)| match param.kind {
            GenericParamKind::Type { .. } => {
                !is_number(arg) && !self.with_lowering(|lowering| lowering.is_constant_argument(arg))
            }
            GenericParamKind::Value { .. } => !self.with_lowering(|lowering| lowering.is_type_argument(arg)),
            GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. } => true,
        })
    }

    /// Generic arguments that are written after the function's name.
    fn fix_explicit(
        &mut self,
        solver: &mut Solver<'_>,
        candidate: &Candidate,
        explicit: &[hir_def::type_ref::GenericArgRef],
        outer: usize,
    ) {
        use hir_def::item::GenericParamKind;
        let db = self.db;
        let data = item::item_data(db, candidate.item);
        let mut rest = explicit;
        for (index, param) in data.generics.params.iter().enumerate() {
            let values = matches!(param.kind, GenericParamKind::ValuePack { .. });
            if values || matches!(param.kind, GenericParamKind::Pack { .. }) {
                // Several packs share what is left evenly.
                let after = &data.generics.params[index + 1..];
                let is_pack = |param: &&hir_def::item::GenericParam| {
                    matches!(param.kind, GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. })
                };
                let packs = 1 + after.iter().filter(is_pack).count();
                let others = if packs > 1 { after.len() + 1 - packs } else { 0 };
                let (own, tail) = rest.split_at(rest.len().saturating_sub(others) / packs);
                let elements = self.with_lowering(|lowering| lowering.pack_arguments(own, values, &param.name));
                if !elements.is_empty() {
                    solver.fix(outer + index, GenericArg::Pack(GenericArgs::new(db, elements.into_boxed_slice())));
                }
                rest = tail;
                continue;
            }
            let Some((first, tail)) = rest.split_first() else { return };
            rest = tail;
            let arg = self.with_lowering(|lowering| match param.kind {
                GenericParamKind::Value { .. } => {
                    GenericArg::Value(lowering.argument_of_value(first, candidate.item, param))
                }
                _ => GenericArg::Type(lowering.type_argument(first, &param.name)),
            });
            solver.fix(outer + index, arg);
        }
    }

    /// Defaults of generic parameters that nothing determines.
    fn solve_defaults(&self, solver: &mut Solver<'_>, candidate: &Candidate, outer: usize, params: &[TypeParam]) {
        use hir_def::item::GenericParamKind;
        let db = self.db;
        let data = item::item_data(db, candidate.item);
        for index in outer..params.len() {
            if solver.is_solved(index) {
                continue;
            }
            let Some(param) = data.generics.params.get(index - outer) else { continue };
            match &param.kind {
                GenericParamKind::Type { default: Some(default), .. } => {
                    let default =
                        crate::types::lower_ty::TypeLowering::new(db, candidate.item, &data.store).lower(*default);
                    let ty = crate::generics::substitute::substitute(db, self.env, default, &solver.substitution());
                    solver.fix(index, GenericArg::Type(ty));
                }
                GenericParamKind::Value { default: Some(default), .. } => {
                    let mut lowering = crate::types::lower_ty::TypeLowering::new(db, candidate.item, &data.store);
                    if let Some(value) = crate::types::consts::evaluate(&mut lowering, *default) {
                        let value =
                            crate::generics::substitute::substitute_const(db, self.env, value, &solver.substitution());
                        solver.fix(index, GenericArg::Value(value));
                    }
                }
                _ => {}
            }
        }
    }

    /// Where a scalar does not conform to what its parameter asks for, it becomes the scalar that does and that it converts
    /// to at the least cost: `sqrt(2)` is done in `float`, `WavePrefixSum(condition)` and `abs(condition)` in `int`. Only for
    /// arguments that nobody wrote.
    fn to_wanted_numbers(&self, bounds: &[Bound], params: &[TypeParam], args: &mut [GenericArg]) {
        let db = self.db;
        for (param, arg) in params.iter().zip(args) {
            for bound in bounds {
                let Bound::Conforms { subject, interface, .. } = *bound else { continue };
                let GenericArg::Type(ty @ Ty::Scalar(scalar)) = *arg else { continue };
                if subject != Ty::Param(*param) || conformance::conforms(db, self.env, ty, interface) {
                    continue;
                }
                let wanted = Scalar::ALL
                    .into_iter()
                    .filter(|wanted| conformance::conforms(db, self.env, Ty::Scalar(*wanted), interface))
                    .filter(|wanted| conversion::scalar_cost(scalar, *wanted) < conversion::GENERAL)
                    .min_by_key(|wanted| conversion::scalar_cost(scalar, *wanted));
                if let Some(wanted) = wanted {
                    *arg = GenericArg::Type(Ty::Scalar(wanted));
                }
            }
        }
    }

    /// Records a call.
    pub(super) fn record_call(
        &mut self,
        id: ExprId,
        set: &FunctionSet,
        chosen: &Chosen,
        this: Option<Base>,
        args: Vec<Argument>,
    ) {
        let callee = self.callable(chosen.function, &set.operators);
        let call = CallResolution { callee, this, args, no_diff: false };
        self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
    }

    // Reports

    fn report_failures(
        &mut self,
        call: ExprId,
        set: &FunctionSet,
        arguments: &[ArgumentType],
        failures: &[(Candidate, Failure)],
    ) {
        let place = self.name_place(call);
        let mut sorted: Vec<&(Candidate, Failure)> = failures.iter().collect();
        sorted.sort_by_key(|(candidate, failure)| (std::cmp::Reverse(failure.rank()), candidate.distance));
        let single = match sorted.as_slice() {
            [single] => Some(*single),
            _ => closest(&sorted),
        };
        if let Some((candidate, failure)) = single {
            self.report_single(place, set, arguments, candidate, failure);
            return;
        }
        let candidates: Vec<calls::Candidate> = sorted
            .iter()
            .map(|(candidate, failure)| {
                let reason = self.reason(failure, arguments);
                self.describe(set, candidate, Some(reason))
            })
            .collect();
        let shown = self.show_arguments(arguments);
        self.report(calls::no_applicable_overload(place, set.name.as_str(), &shown, &candidates));
    }

    fn report_single(
        &mut self,
        place: Site,
        set: &FunctionSet,
        arguments: &[ArgumentType],
        candidate: &Candidate,
        failure: &Failure,
    ) {
        let described = self.describe(set, candidate, None);
        let declaration = (described.signature.clone(), Site::name(candidate.item));
        let diagnostic = match failure {
            Failure::NoSignature => calls::expected_a_function(place, set.name.as_str()),
            Failure::ArgumentCount { expected } => {
                calls::wrong_argument_count(place, *expected, arguments.len(), &described)
            }
            Failure::GenericCallArgumentCount { expected } => {
                calls::too_many_for_generic(place, *expected, arguments.len(), &described)
            }
            Failure::GenericArgumentCount { expected } => {
                calls::too_many_generic_arguments(place, set.name.as_str(), *expected, &described)
            }
            Failure::Deduction(param) => {
                let param = generics::parameter_name(self.db, *param);
                calls::cannot_deduce(place, set.name.as_str(), param.as_str(), &described)
            }
            Failure::Bound(Bound::Conforms { subject, interface, .. }) => {
                let (subject, interface) = (self.show(*subject), self.show(*interface));
                conformances::bound_not_met(place, &subject, &interface, Some(declaration))
            }
            Failure::Bound(Bound::Equal { left, right }) => {
                let (left, right) = (self.show(*left), self.show(*right));
                conformances::types_not_equal(place, &left, &right, Some(declaration))
            }
            Failure::Bound(Bound::Coercible { from, to }) => {
                let (from, to) = (self.show(*from), self.show(*to));
                conformances::not_convertible(place, &from, &to, Some(declaration))
            }
            Failure::Bound(Bound::NonEmpty { .. }) => conformances::pack_empty(place, Some(declaration)),
            Failure::Bound(Bound::EqualValues { left, right }) => {
                let left = crate::types::display::display_const(self.db, *left);
                let right = crate::types::display::display_const(self.db, *right);
                conformances::types_not_equal(place, &left, &right, Some(declaration))
            }
            Failure::Argument { index, wanted } => {
                let argument = &arguments[*index];
                let place = self.expr_place(argument.expr);
                let (wanted, got) = (self.show(*wanted), self.show(argument.ty));
                conversions::type_mismatch(place, &wanted, &got)
                    .note(format!("in a call of {}", declaration.0), Some(declaration.1))
            }
            Failure::NotAPlace { index } => {
                let argument = &arguments[*index];
                let place = self.expr_place(argument.expr);
                let declared = self.declared_signature(candidate.item);
                let parameter =
                    declared.params.get(*index).map_or_else(|| (index + 1).to_string(), |it| it.name.to_string());
                locations::argument_not_assignable(place, &parameter, None)
            }
        };
        self.report(diagnostic);
    }

    fn reason(&self, failure: &Failure, arguments: &[ArgumentType]) -> String {
        match failure {
            Failure::NoSignature => "it has no derivative signature".to_owned(),
            Failure::ArgumentCount { expected } | Failure::GenericCallArgumentCount { expected } => {
                format!("takes {expected} arguments, got {}", arguments.len())
            }
            Failure::GenericArgumentCount { expected } => format!("takes {expected} generic arguments"),
            Failure::Deduction(param) => {
                format!("could not deduce '{}'", generics::parameter_name(self.db, *param))
            }
            Failure::Bound(Bound::Conforms { subject, interface, .. }) => {
                format!("'{}' does not conform to '{}'", self.show(*subject), self.show(*interface))
            }
            Failure::Bound(Bound::Equal { left, right }) => {
                format!("'{}' is not '{}'", self.show(*left), self.show(*right))
            }
            Failure::Bound(Bound::Coercible { from, to }) => {
                format!("'{}' does not convert to '{}'", self.show(*from), self.show(*to))
            }
            Failure::Bound(Bound::NonEmpty { .. }) => "the pack must not be empty".to_owned(),
            Failure::Bound(Bound::EqualValues { left, right }) => {
                let left = crate::types::display::display_const(self.db, *left);
                format!("'{left}' is not '{}'", crate::types::display::display_const(self.db, *right))
            }
            Failure::Argument { index, wanted } => format!(
                "argument {index} does not match: expected '{}', got '{}'",
                self.show(*wanted),
                self.show(arguments[*index].ty)
            ),
            Failure::NotAPlace { index } => format!("argument {index} must be an l-value"),
        }
    }

    fn describe(&self, set: &FunctionSet, candidate: &Candidate, reason: Option<String>) -> calls::Candidate {
        let mut signature = crate::types::display::display_signature(self.db, candidate.item);
        for operator in &set.operators {
            let name = operator.spelling();
            signature = match self.call_signature(candidate.symbolic(self.db), &set.operators) {
                Some(derived) => {
                    let params: Vec<String> = derived
                        .params
                        .iter()
                        .map(|param| {
                            let direction = crate::types::display::direction_prefix(param.direction);
                            format!("{direction}{} {}", self.show(param.ty), param.name)
                        })
                        .collect();
                    let function = crate::types::display::qualified_name(self.db, candidate.item);
                    format!("{} {name}({function})({})", self.show(derived.ret), params.join(", "))
                }
                None => format!("{name}({signature})"),
            };
        }
        calls::Candidate { signature, reason, place: Some(Site::name(candidate.item)) }
    }

    pub(super) fn show_arguments(&self, arguments: &[ArgumentType]) -> String {
        let shown: Vec<String> = arguments
            .iter()
            .map(|argument| match &argument.kind {
                ArgumentKind::Typed | ArgumentKind::Element => self.show(argument.ty),
                ArgumentKind::InitList => "{…}".to_owned(),
                ArgumentKind::Functions(set) => set.name.as_str().to_owned(),
            })
            .collect();
        shown.join(", ")
    }

    /// Arguments whose type depends on a callee that does not exist.
    pub(super) fn give_up_on_arguments(&mut self, arguments: &[ArgumentType]) {
        for argument in arguments {
            match &argument.kind {
                ArgumentKind::Typed | ArgumentKind::Element => {}
                ArgumentKind::InitList | ArgumentKind::Functions(_) => {
                    self.result.expr_types.insert(argument.expr, Ty::Error);
                }
            }
        }
    }

    /// What a method is called on, and whether that is possible.
    pub(super) fn receiver_of(&mut self, call: ExprId, set: &FunctionSet, chosen: &Chosen) -> Option<Base> {
        let declared = crate::types::signature::signature(self.db, chosen.function.item).this;
        if !set.operators.is_empty() && declared.is_some() {
            return None;
        }
        let Some(this) = declared else {
            // The type of an interface value decides which function a static requirement (or its derivative) is.
            return match (set.receiver, chosen.function.self_ty) {
                (Receiver::Expr(receiver), Some(ty)) if crate::conformance::extension::is_interface(self.db, ty) => {
                    Some(Base::Expr(receiver))
                }
                _ => None,
            };
        };
        if this.is_pair {
            let place = self.name_place(call);
            self.report(calls::derivative_method(place, &set.name));
            return None;
        }
        match set.receiver {
            Receiver::Expr(receiver) => {
                if this.mutating {
                    self.check_receiver(call, receiver, set.name.as_str());
                }
                Some(Base::Expr(receiver))
            }
            Receiver::Implicit => {
                match self.this.filter(|own| !own.is_pair) {
                    Some(own) if this.mutating && (!own.mutating || !self.lambdas.is_empty()) => {
                        let place = self.name_place(call);
                        self.report(locations::mutating_on_constant(place, set.name.as_str()));
                    }
                    Some(_) => self.capture_this(),
                    None => {
                        let place = self.name_place(call);
                        let shown = self.show(this.ty);
                        let name: &Name = &set.name;
                        self.report(crate::diagnostics::members::not_static(place, &shown, name));
                    }
                }
                Some(Base::ImplicitThis)
            }
            Receiver::Type(ty) => {
                let place = self.name_place(call);
                let shown = self.show(ty);
                let name: &Name = &set.name;
                self.report(crate::diagnostics::members::not_static(place, &shown, name));
                None
            }
            Receiver::None => None,
        }
    }
}

fn same_parameters(a: &CallSignature, b: &CallSignature) -> bool {
    a.params.len() == b.params.len()
        && a.params.iter().zip(&b.params).all(|(a, b)| a.ty == b.ty && a.direction == b.direction)
}

/// `[OverloadRank(n)]`.
fn overload_rank(db: &dyn Db, item: hir_def::item::ItemId) -> i64 {
    let data = item::item_data(db, item);
    let rank = data.attribute(AttributeKind::OverloadRank).and_then(|attribute| attribute.args.first());
    let Some(arg) = rank else { return 0 };
    let mut lowering = crate::types::lower_ty::TypeLowering::new(db, item, &data.store);
    crate::types::consts::evaluate(&mut lowering, *arg).and_then(crate::types::ty::Const::value).unwrap_or(0)
}

/// Slang's price of a type parameter without constraints.
fn unconstrained_cost(db: &dyn Db, item: hir_def::item::ItemId) -> u32 {
    const UNCONSTRAINED: u32 = 20;
    let bounds = generics::own_bounds(db, item);
    let params = item::item_data(db, item).generics.params.len() as u32;
    let unconstrained = (0..params)
        .filter(|index| {
            let param = TypeParam::new(db, item, *index);
            matches!(generics::parameter_kind(db, param), Some(hir_def::item::GenericParamKind::Type { .. }))
                && !bounds
                    .iter()
                    .any(|bound| matches!(bound, Bound::Conforms { subject, .. } if *subject == Ty::Param(param)))
        })
        .count() as u32;
    unconstrained * UNCONSTRAINED
}

/// `f(T x) where T == int`: what is passed for `x` says what `T` is, so that it must be an `int`, not become one. As much
/// holds of two parameters that are to be one type.
fn promised_types(db: &dyn Db, function: ItemId, bounds: &[Bound], arguments: &[ArgumentType]) -> Result<(), Failure> {
    for bound in bounds {
        let Bound::Equal { left, right } = *bound else { continue };
        let (param, promised) = match (left, right) {
            (Ty::Param(param), promised) | (promised, Ty::Param(param)) => (param, promised),
            _ => continue,
        };
        if param.owner(db) != function {
            continue;
        }
        let passed = passed_for(db, param, arguments);
        let differs = match promised {
            Ty::Param(other) if other.owner(db) == function => {
                the_only(&passed).zip(the_only(&passed_for(db, other, arguments))).filter(|(ty, other)| ty != other)
            }
            promised if substitute::is_concrete(db, promised) => {
                passed.into_iter().find(|ty| *ty != promised).map(|ty| (ty, promised))
            }
            _ => None,
        };
        if let Some((left, right)) = differs {
            return Err(Failure::Bound(Bound::Equal { left, right }));
        }
    }
    Ok(())
}

/// The types of what a call passes for the parameters of a function that are declared as `param` itself.
fn passed_for(db: &dyn Db, param: TypeParam, arguments: &[ArgumentType]) -> Vec<Ty> {
    let data = item::item_data(db, param.owner(db));
    let ItemKind::Function(written) = &data.kind else { return Vec::new() };
    let name = generics::parameter_name(db, param);
    let passed = written.params.iter().zip(arguments).filter(|(written, argument)| {
        let is_it = matches!(
            &data.store.type_refs[written.ty],
            TypeRef::Path(path) if path.segments.len() == 1 && path.segments[0].name == name
        );
        let says = matches!(argument.kind, ArgumentKind::Typed | ArgumentKind::Element) && !argument.ty.is_error();
        is_it && says
    });
    passed.map(|(_, argument)| argument.ty).collect()
}

/// The type that all of them are.
fn the_only(tys: &[Ty]) -> Option<Ty> {
    let first = *tys.first()?;
    tys.iter().all(|ty| *ty == first).then_some(first)
}
