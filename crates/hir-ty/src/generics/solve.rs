//! Finding the generic arguments that make one type another.

use base_db::Db;
use hir_def::item::GenericParamKind;

use crate::{
    conformance::{self, PartialInterfaces},
    generics::{
        self,
        env::{Bound, Env},
        packs,
        substitute::{self, Substitution, mentions},
    },
    types::{
        conversion, known,
        shapes::{Shape, shape},
        textures,
        ty::{BuiltinType, Const, GenericArg, GenericArgs, Ty, TypeParam},
    },
};

/// Arguments for a list of parameters, found step by step.
pub struct Solver<'a> {
    db: &'a dyn Db,
    env: Env,
    params: &'a [TypeParam],
    solution: Vec<Option<GenericArg>>,
    /// What a parameter is if nothing else says so: the length of a vector that is given as a scalar.
    fallback: Vec<(usize, GenericArg)>,
    /// Arguments of a call convert, so that a parameter that occurs twice takes the wider of two types.
    joining: bool,
    /// Those that a call fixes: its arguments convert to what they say, or are refused when they are converted.
    fixed_by_call: Vec<bool>,
    /// For extensions that are tried while the interfaces of a type are being found.
    partial: Option<PartialInterfaces<'a>>,
}

impl<'a> Solver<'a> {
    /// Seeks arguments for `params` within an environment; nothing is known yet.
    pub fn new(db: &'a dyn Db, env: Env, params: &'a [TypeParam]) -> Solver<'a> {
        let solution = vec![None; params.len()];
        Solver {
            db,
            env,
            params,
            solution,
            fallback: Vec::new(),
            joining: false,
            fixed_by_call: Vec::new(),
            partial: None,
        }
    }

    /// Takes the interfaces of a type as far as they are known.
    pub(crate) fn given(mut self, partial: Option<PartialInterfaces<'a>>) -> Self {
        self.partial = partial;
        self
    }

    /// For the arguments of a call: parameters join, scalars match vectors.
    pub fn joining(mut self) -> Self {
        self.joining = true;
        self.fixed_by_call = vec![false; self.params.len()];
        self
    }

    /// Fixes the first parameters (those of the declarations around, or written arguments).
    pub fn fix(&mut self, index: usize, arg: GenericArg) {
        if let Some(slot) = self.solution.get_mut(index) {
            *slot = Some(arg);
        }
        if let Some(fixed) = self.fixed_by_call.get_mut(index) {
            *fixed = true;
        }
    }

    /// Fixes what is known so far.
    pub fn settle(&mut self) {
        for (fixed, solution) in self.fixed_by_call.iter_mut().zip(&self.solution) {
            *fixed |= solution.is_some();
        }
    }

    /// Whether an argument was found for the parameter with this number.
    pub fn is_solved(&self, index: usize) -> bool {
        self.solution.get(index).is_some_and(Option::is_some)
    }

    fn index(&self, param: TypeParam) -> Option<usize> {
        self.params.iter().position(|candidate| *candidate == param)
    }

    /// What is known so far.
    pub fn substitution(&self) -> Substitution {
        let mut substitution = Substitution::default();
        for (param, arg) in self.params.iter().zip(&self.solution) {
            if let Some(arg) = arg {
                substitution.push(*param, *arg);
            }
        }
        substitution
    }

    /// Makes `pattern` match `ty`; false if it cannot.
    pub fn unify(&mut self, pattern: Ty, ty: Ty) -> bool {
        let db = self.db;
        if ty.is_error() || pattern.is_error() {
            return true;
        }
        // A type may mention the very parameters that are solved (inside their own declaration): they are bound as well.
        if pattern == ty && !self.params.iter().any(|param| mentions(db, pattern, *param)) {
            return true;
        }
        match (pattern, ty) {
            (Ty::Param(param), _) => match self.index(param) {
                Some(index) => self.bind(index, GenericArg::Type(ty)),
                None => false,
            },
            // The sizes are those of the argument even where its elements are converted.
            (Ty::Builtin(kind @ (BuiltinType::Vector | BuiltinType::Matrix), patterns), Ty::Builtin(other, args))
                if kind == other && self.joining =>
            {
                let is_scalar = |arg: &GenericArg| matches!(arg, GenericArg::Type(Ty::Scalar(_)));
                let mut pairs = patterns.args(db).iter().zip(args.args(db));
                pairs.all(|(pattern, arg)| (is_scalar(pattern) && is_scalar(arg)) || self.unify_arg(*pattern, *arg))
            }
            // Whether two layouts are one, conversion decides.
            (Ty::Builtin(BuiltinType::Ptr, _), Ty::Builtin(BuiltinType::Ptr, _)) => {
                let layouts = pattern.layout_of_pointer(db).map(|pattern| (pattern, ty.layout_of_pointer(db)));
                let pointees = pattern.first_type_arg(db).zip(ty.first_type_arg(db));
                pointees.is_some_and(|(pattern, pointee)| self.unify(pattern, pointee))
                    && layouts.is_none_or(|(pattern, layout)| {
                        layout.or_else(|| known::default_layout(db)).is_none_or(|layout| self.unify(pattern, layout))
                    })
            }
            (Ty::Builtin(kind, args), Ty::Builtin(other, other_args)) if kind == other => {
                self.unify_args(args, other_args)
            }
            (Ty::Adt(item, args), Ty::Adt(other, other_args)) if item == other => self.unify_args(args, other_args),
            (Ty::Adt(item, args), Ty::Builtin(BuiltinType::Texture(_), _)) => textures::as_declared(db, ty)
                .is_some_and(|(declaration, other_args)| declaration == item && self.unify_args(args, other_args)),
            (Ty::Function(pattern), Ty::Function(function)) => {
                let (patterns, types) = (pattern.params(db), function.params(db));
                patterns.len() == types.len()
                    && patterns.iter().zip(types).all(|((_, pattern), (_, ty))| self.unify(*pattern, *ty))
                    && self.unify(pattern.ret(db), function.ret(db))
            }
            (Ty::Expand(pattern), Ty::Expand(_)) => self.unify_pack(pattern.pattern(db), &[GenericArg::Type(ty)]),
            // A scalar for a vector or matrix parameter says what the elements are, and alone makes a vector of one.
            (Ty::Builtin(kind @ (BuiltinType::Vector | BuiltinType::Matrix), args), Ty::Scalar(_) | Ty::Param(_))
                if self.joining =>
            {
                // What the elements of a matrix are, matrices say; a number beside them has to become one.
                if kind == BuiltinType::Matrix && matches!(ty, Ty::Scalar(_)) {
                    return true;
                }
                let args = args.args(db);
                for arg in args.iter().filter(|_| kind == BuiltinType::Vector) {
                    if let GenericArg::Value(Const::Param(param)) = arg
                        && let Some(index) = self.index(*param)
                    {
                        self.fallback.push((index, GenericArg::Value(Const::Value(1))));
                    }
                }
                match args.first() {
                    // Between scalars conversion decides later.
                    Some(GenericArg::Type(Ty::Scalar(_))) if matches!(ty, Ty::Scalar(_)) => true,
                    Some(GenericArg::Type(element)) => self.unify(*element, ty),
                    _ => false,
                }
            }
            // What an associated type is follows from other arguments; conversion checks it later.
            (Ty::Associated(_), _) => {
                let known = substitute::substitute(db, self.env, pattern, &self.substitution());
                known == ty || self.joining || !substitute::is_concrete(db, known)
            }
            _ => false,
        }
    }

    /// Makes each pattern equal to its argument; false if that is not possible.
    pub fn unify_args(&mut self, patterns: GenericArgs, args: GenericArgs) -> bool {
        let db = self.db;
        let (patterns, args) = (patterns.args(db), args.args(db));
        let is_pack = |arg: &GenericArg| matches!(arg, GenericArg::Type(Ty::Expand(_)));
        let packs = patterns.iter().filter(|pattern| is_pack(pattern)).count();
        if packs == 0 || (patterns.len() == args.len() && patterns.iter().map(is_pack).eq(args.iter().map(is_pack))) {
            return patterns.len() == args.len()
                && patterns.iter().zip(args).all(|(pattern, arg)| self.unify_arg(*pattern, *arg));
        }
        // Each `expand` takes several elements, all of them equally many.
        let Some(taken) = args.len().checked_sub(patterns.len() - packs) else { return false };
        let mut rest = args;
        taken % packs == 0
            && patterns.iter().all(|pattern| {
                let len = if is_pack(pattern) { taken / packs } else { 1 };
                let (own, tail) = rest.split_at(len.min(rest.len()));
                rest = tail;
                match (pattern, own) {
                    (GenericArg::Type(Ty::Expand(expand)), own) => self.unify_pack(expand.pattern(db), own),
                    (pattern, [only]) => self.unify_arg(*pattern, *only),
                    _ => false,
                }
            })
    }

    /// `expand pattern` against several types: each parameter pack in the pattern gets one element per type.
    pub fn unify_pack(&mut self, pattern: Ty, rest: &[GenericArg]) -> bool {
        let db = self.db;
        let packs: Vec<usize> = (0..self.params.len())
            .filter(|index| generics::is_pack(db, self.params[*index]) && mentions(db, pattern, self.params[*index]))
            .collect();
        let mut elements: Vec<Vec<GenericArg>> = vec![Vec::new(); packs.len()];
        for arg in rest {
            let GenericArg::Type(ty) = *arg else { return false };
            let saved: Vec<_> = packs.iter().map(|index| self.solution[*index].take()).collect();
            // Forwarding a whole pack: `f(expand each args)`.
            let (element_pattern, ty) = match ty {
                Ty::Expand(expand) => (pattern, expand.pattern(db)),
                ty => (pattern, ty),
            };
            let matched = self.unify(element_pattern, ty);
            for ((index, saved), elements) in packs.iter().zip(saved).zip(&mut elements) {
                if let Some(found) = std::mem::replace(&mut self.solution[*index], saved) {
                    let found = match (arg, found) {
                        (GenericArg::Type(Ty::Expand(_)), GenericArg::Type(inner)) => {
                            GenericArg::Type(Ty::expand_over(db, inner, &packs::sources_of_element(db, *arg)))
                        }
                        (_, found) => found,
                    };
                    elements.push(found);
                }
            }
            if !matched {
                return false;
            }
        }
        packs.into_iter().zip(elements).all(|(index, elements)| {
            let pack = GenericArg::Pack(GenericArgs::new(db, elements.into_boxed_slice()));
            match self.solution[index] {
                None => {
                    self.solution[index] = Some(pack);
                    true
                }
                // The types are checked when the arguments are converted.
                Some(GenericArg::Pack(known)) => known.args(db).len() == rest.len(),
                Some(GenericArg::Type(_) | GenericArg::Value(_)) => false,
            }
        })
    }

    fn unify_arg(&mut self, pattern: GenericArg, arg: GenericArg) -> bool {
        match (pattern, arg) {
            // Inside generic arguments nothing converts.
            (GenericArg::Type(pattern), GenericArg::Type(ty)) => {
                let joining = std::mem::replace(&mut self.joining, false);
                let matched = self.unify(pattern, ty);
                self.joining = joining;
                matched || (joining && self.rejoin(pattern, ty))
            }
            (GenericArg::Value(pattern), GenericArg::Value(value)) => self.unify_const(pattern, value),
            (GenericArg::Pack(patterns), GenericArg::Pack(pack)) => {
                let db = self.db;
                match patterns.args(db) {
                    [GenericArg::Type(Ty::Expand(expand))] => self.unify_pack(expand.pattern(db), pack.args(db)),
                    [GenericArg::Value(Const::Expand(expand))] => match expand.pattern(db) {
                        Const::Param(param) => match self.index(param) {
                            Some(index) => self.bind(index, arg),
                            None => patterns == pack,
                        },
                        _ => true,
                    },
                    _ => self.unify_args(patterns, pack),
                }
            }
            _ => false,
        }
    }

    /// `vector<T, N>` twice with different elements: `max(int3, float3)` is about floats.
    fn rejoin(&mut self, pattern: Ty, ty: Ty) -> bool {
        let Ty::Param(param) = pattern else { return false };
        self.index(param).is_some_and(|index| self.bind(index, GenericArg::Type(ty)))
    }

    fn unify_const(&mut self, pattern: Const, value: Const) -> bool {
        match pattern {
            Const::Param(param) => match self.index(param) {
                Some(index) => self.bind(index, GenericArg::Value(value)),
                None => pattern == value,
            },
            Const::Operation(_)
            | Const::Choice(_)
            | Const::Count(_)
            | Const::Size(_)
            | Const::Member(_)
            | Const::Expand(_)
            | Const::PackQuery(_) => {
                let known = substitute::substitute_const(self.db, self.env, pattern, &self.substitution());
                known == value || known.value().is_none()
            }
            Const::Error => true,
            Const::Value(_) | Const::Unsized => pattern == value || value == Const::Error,
        }
    }

    fn bind(&mut self, index: usize, arg: GenericArg) -> bool {
        match self.solution[index] {
            None => {
                let fits = match generics::parameter_kind(self.db, self.params[index]) {
                    Some(GenericParamKind::Type { .. }) => matches!(arg, GenericArg::Type(_)),
                    Some(GenericParamKind::Value { .. }) => matches!(arg, GenericArg::Value(_)),
                    // An element of a pack while the pack is taken apart.
                    Some(GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. }) => true,
                    None => false,
                };
                if fits {
                    self.solution[index] = Some(arg);
                }
                fits
            }
            Some(known) if known == arg => true,
            Some(GenericArg::Type(_)) if self.fixed_by_call.get(index) == Some(&true) => true,
            Some(GenericArg::Type(known)) if self.joining => match arg {
                GenericArg::Type(ty) => match join(self.db, self.env, known, ty) {
                    Some(joined) => {
                        self.solution[index] = Some(GenericArg::Type(joined));
                        true
                    }
                    None => false,
                },
                GenericArg::Value(_) | GenericArg::Pack(_) => false,
            },
            Some(_) => false,
        }
    }

    /// Solves what is left from the bounds: `F : IFunc<R, A>` says what `R` is once `F` is known.
    pub fn solve_from_bounds(&mut self, bounds: &[Bound]) {
        self.propagate_bounds(bounds);
        for (index, arg) in std::mem::take(&mut self.fallback) {
            if !self.is_solved(index) {
                self.fix(index, arg);
            }
        }
        for (param, slot) in self.params.iter().zip(&mut self.solution) {
            if slot.is_none() {
                *slot = generics::any_layout(self.db, *param);
            }
        }
    }

    fn propagate_bounds(&mut self, bounds: &[Bound]) {
        let db = self.db;
        for _ in 0..self.params.len() {
            if self.solution.iter().all(Option::is_some) {
                return;
            }
            let before = self.solution.iter().filter(|arg| arg.is_some()).count();
            for bound in bounds {
                match bound {
                    Bound::Conforms { subject, interface: Ty::Adt(interface, args), .. } => {
                        let subject = substitute::substitute(db, self.env, *subject, &self.substitution());
                        if args.args(db).is_empty()
                            || matches!(subject, Ty::Param(param) if self.index(param).is_some_and(|index| !self.is_solved(index)))
                        {
                            continue;
                        }
                        for candidate in conformance::interfaces_so_far(db, self.env, subject, self.partial) {
                            if let Ty::Adt(item, candidate_args) = candidate
                                && item == interface
                            {
                                let saved = self.solution.clone();
                                if self.unify_args(*args, *candidate_args) {
                                    break;
                                }
                                self.solution = saved;
                            }
                        }
                    }
                    Bound::Equal { left, right } => {
                        let substitution = self.substitution();
                        let left_known = substitute::substitute(db, self.env, *left, &substitution);
                        let right_known = substitute::substitute(db, self.env, *right, &substitution);
                        for (pattern, ty) in [(*left, right_known), (*right, left_known)] {
                            if matches!(pattern, Ty::Param(param) if self.index(param).is_some_and(|index| !self.is_solved(index)))
                                && !self.params.iter().any(|param| mentions(db, ty, *param))
                            {
                                self.unify(pattern, ty);
                            }
                        }
                    }
                    Bound::Conforms { .. }
                    | Bound::Coercible { .. }
                    | Bound::NonEmpty { .. }
                    | Bound::EqualValues { .. } => {}
                }
            }
            if self.solution.iter().filter(|arg| arg.is_some()).count() == before {
                return;
            }
        }
    }

    /// All arguments, or `None` if some are not determined. A pack that nothing mentions is empty.
    pub fn finish(mut self, db: &dyn Db, bounds: &[Bound]) -> Option<GenericArgs> {
        self.solve_from_bounds(bounds);
        self.arguments().map(|args| GenericArgs::new(db, args))
    }

    /// The arguments so far, if all are known.
    pub fn arguments(&self) -> Option<Box<[GenericArg]>> {
        self.params
            .iter()
            .zip(&self.solution)
            .map(|(param, arg)| match arg {
                Some(arg) => Some(*arg),
                None if generics::is_pack(self.db, *param) => Some(GenericArg::Pack(GenericArgs::empty(self.db))),
                None => None,
            })
            .collect()
    }

    /// The first parameter without an argument.
    pub fn first_unsolved(&self) -> Option<TypeParam> {
        self.params.iter().zip(&self.solution).find(|(_, arg)| arg.is_none()).map(|(param, _)| *param)
    }
}

/// The type that both convert to, preferring the two themselves: `int` and `float` join to `float`, a scalar and a vector
/// to a vector.
pub fn join(db: &dyn Db, env: Env, left: Ty, right: Ty) -> Option<Ty> {
    if left == right || right.is_error() {
        return Some(left);
    }
    if left.is_error() {
        return Some(right);
    }
    let ((left_shape, left_element), (right_shape, right_element)) = (shape(db, left), shape(db, right));
    if let (Ty::Scalar(a), Ty::Scalar(b)) = (left_element, right_element) {
        let element = Ty::Scalar(conversion::joined_scalar(a, b));
        return match (left_shape, right_shape) {
            // A number becomes the matrix beside it, or nothing.
            (Shape::Scalar, Shape::Matrix(..)) => Some(right),
            (Shape::Matrix(..), Shape::Scalar) => Some(left),
            (Shape::Scalar, shape) | (shape, Shape::Scalar) => Some(shape.of(db, element)),
            (a, b) if a == b => Some(a.of(db, element)),
            _ => None,
        };
    }
    let to_left = conversion::convert(db, env, right, left).map(|conversion| conversion.cost);
    let to_right = conversion::convert(db, env, left, right).map(|conversion| conversion.cost);
    match (to_left, to_right) {
        (Some(a), Some(b)) if b < a => Some(right),
        (Some(_), _) => Some(left),
        (None, Some(_)) => Some(right),
        (None, None) => None,
    }
}
