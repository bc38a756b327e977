//! Making values: `float3(…)`, `S(…)`, `DifferentialPair<T>(…)`.

use hir_def::{body::ExprId, name::Name};

use super::{
    Infer,
    arguments::{ArgumentKind, ArgumentType},
    functions::{Candidate, FunctionSet, Receiver},
    result::{Argument, CallResolution, Callable, Conversion, Resolution},
};
use crate::{
    conformance::{extension, members},
    diagnostics::{calls, conversions, names},
    types::{
        aggregate, conversion, known,
        shapes::{Shape, numeric, shape},
        ty::{BuiltinType, Const, GenericArg, Ty},
    },
};

impl Infer<'_> {
    /// `ty(args)`.
    pub(super) fn construct(&mut self, id: ExprId, ty: Ty, args: &[ExprId], _expected: Option<Ty>) -> Ty {
        let arguments = self.arguments(args);
        if ty.is_error() {
            self.give_up_on_arguments(&arguments);
            return Ty::Error;
        }
        match ty {
            Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair | BuiltinType::Tuple, _)
                if arguments.is_empty() && ty.as_tuple(self.db).is_none_or(|parts| !parts.is_empty()) =>
            {
                self.construct_other(id, ty, &arguments)
            }
            Ty::Scalar(_) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _) => {
                self.construct_numeric(id, ty, &arguments)
            }
            Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _) => {
                let primal = ty.first_type_arg(self.db).unwrap_or(Ty::Error);
                let differential = self.differential_or_error(primal);
                self.construct_from_parts(id, ty, &[primal, differential], &arguments)
            }
            Ty::Builtin(BuiltinType::Array, _) => match ty.as_array(self.db) {
                Some((element, Const::Value(len))) => {
                    let parts = vec![element; usize::try_from(len).unwrap_or(0).min(arguments.len().max(1))];
                    self.construct_from_parts(id, ty, &parts, &arguments)
                }
                // `float[](1, 2)` is as long as what is written.
                Some((element, Const::Unsized)) if !arguments.is_empty() => {
                    let sized = Ty::array(self.db, element, Const::Value(arguments.len() as i64));
                    self.construct_from_parts(id, sized, &vec![element; arguments.len()], &arguments)
                }
                _ => self.construct_other(id, ty, &arguments),
            },
            Ty::Builtin(BuiltinType::Tuple, _) => match ty.as_tuple(self.db) {
                Some(parts) => self.construct_from_parts(id, ty, &parts, &arguments),
                None => self.construct_other(id, ty, &arguments),
            },
            Ty::SynthesizedDifferential(..) => {
                let parts: Vec<Ty> = aggregate::fields(self.db, self.env, ty).iter().map(|(_, ty)| *ty).collect();
                self.construct_from_parts(id, ty, &parts, &arguments)
            }
            _ => self.construct_other(id, ty, &arguments),
        }
    }

    /// `Tuple(a, b)`, `Optional(x)`, `DifferentialPair(p, d)`, `Array(…)`, whose arguments say what they are made of.
    pub(super) fn construct_builtin_generic(
        &mut self,
        id: ExprId,
        callee: ExprId,
        kind: BuiltinType,
        args: &[ExprId],
        expected: Option<Ty>,
    ) -> Ty {
        // `vector(…)` and the like take what is expected, if it is of that kind.
        if let Some(expected) = expected
            && matches!(expected, Ty::Builtin(found, _) if found == kind)
        {
            self.result.resolutions.insert(callee, Resolution::Type(expected));
            return self.construct(id, expected, args, Some(expected));
        }
        let arguments = self.arguments(args);
        let types: Vec<Ty> = arguments.iter().map(|argument| argument.ty).collect();
        let ty = match (kind, types.as_slice()) {
            (BuiltinType::Tuple, elements) => Ty::tuple(self.db, elements),
            (BuiltinType::Optional | BuiltinType::DifferentialPair, [first, ..]) => {
                Ty::builtin(self.db, kind, [GenericArg::Type(*first)])
            }
            _ => {
                let name = Name::new(&crate::types::builtin_names::builtin_spelling(kind));
                let place = self.expr_place(callee);
                let defaults = self.with_lowering(|lowering| lowering.apply_builtin(kind, None, &name, place));
                match defaults {
                    Some(ty) => ty,
                    None => {
                        self.give_up_on_arguments(&arguments);
                        return Ty::Error;
                    }
                }
            }
        };
        self.result.resolutions.insert(callee, Resolution::Type(ty));
        self.construct(id, ty, args, expected)
    }

    /// Scalars, vectors and matrices from numbers: one value for all components, or as many components as needed.
    fn construct_numeric(&mut self, id: ExprId, ty: Ty, arguments: &[ArgumentType]) -> Ty {
        let db = self.db;
        let (target, element) = shape(db, ty);
        if arguments.iter().any(|argument| matches!(argument.kind, ArgumentKind::Typed) && argument.ty.is_error()) {
            self.give_up_on_arguments(arguments);
            return ty;
        }
        match arguments {
            // Numbers are written, though they have a default value.
            [] => {
                let (place, name) = (self.name_place(id), self.show(ty));
                self.report(calls::no_applicable_overload(place, &name, "()", &[]));
                return ty;
            }
            [only] => {
                if let ArgumentKind::InitList = only.kind {
                    self.coerced(only.expr, ty);
                    self.record_conversion(id, ty, Conversion::Identity);
                    return ty;
                }
                // A pointer as a number is its address, not what it points to.
                let is_address = matches!(only.ty, Ty::Builtin(BuiltinType::Ptr, _))
                    && matches!(ty, Ty::Scalar(scalar) if scalar.is_integer());
                let argument_ty = if is_address { only.ty } else { self.dereference(only.expr, only.ty) };
                let shrinks_vector = matches!(
                    (shape(db, argument_ty).0, target),
                    (Shape::Vector(Const::Value(a)), Shape::Vector(Const::Value(b))) if a != b
                );
                let explicit = conversion::convert_explicitly(db, self.env, argument_ty, ty);
                if let Some(conversion) = explicit
                    && !shrinks_vector
                {
                    self.record_conversion(id, ty, conversion);
                    return ty;
                }
            }
            _ => {}
        }
        // Extensions may add constructors that take other types.
        if arguments.iter().any(|argument| numeric(db, argument.ty).is_none()) {
            let constructors = self.constructors(ty);
            if let Some(chosen) = self.best_overload(&constructors, arguments) {
                let args = self.accept_arguments(&chosen, arguments);
                self.record_call(id, &constructors, &chosen, None, args);
                return ty;
            }
        }
        let (Some(wanted), Some(got)) = (component_count(target), self.total_components(arguments)) else {
            // Generic sizes: the element types must fit, the count is known once they are.
            return self.construct_generic_numeric(id, ty, element, arguments);
        };
        if wanted == got && target != Shape::Scalar {
            for argument in arguments {
                let argument_ty = self.dereference(argument.expr, argument.ty);
                let (own_shape, _) = shape(db, argument_ty);
                let converted = own_shape.of(db, element);
                self.convert_expr(argument.expr, argument_ty, converted);
            }
            self.record_make(id, ty, arguments);
            return ty;
        }
        if let Some(parts) = self.parts_with_repeated_scalars(target, arguments) {
            for (argument, part) in arguments.iter().zip(parts) {
                let argument_ty = self.dereference(argument.expr, argument.ty);
                self.convert_expr(argument.expr, argument_ty, part.of(db, element));
            }
            self.record_make(id, ty, arguments);
            return ty;
        }
        match arguments {
            [only] => {
                let place = self.expr_place(only.expr);
                let (wanted, got) = (self.show(ty), self.show(only.ty));
                self.report(conversions::impossible_cast(place, &wanted, &got));
            }
            _ => {
                let place = self.name_place(id);
                let (name, shown) = (self.show(ty), self.show_arguments(arguments));
                self.report(calls::no_applicable_overload(place, &name, &shown, &[]));
            }
        }
        self.give_up_on_arguments(arguments);
        ty
    }

    /// `float4(xy, 1)`: the vectors leave more than one place to the only scalar, which is repeated. The rows of a matrix
    /// may each be a scalar.
    fn parts_with_repeated_scalars(&self, target: Shape, arguments: &[ArgumentType]) -> Option<Vec<Shape>> {
        let given: Vec<Shape> = arguments
            .iter()
            .map(|argument| shape(self.db, argument.ty.dereferenced(self.db).unwrap_or(argument.ty)).0)
            .collect();
        let repeated = match target {
            Shape::Vector(len) => {
                let (scalars, vectors): (Vec<Shape>, Vec<Shape>) =
                    given.iter().partition(|shape| **shape == Shape::Scalar);
                let taken: i64 = vectors.iter().map(|shape| component_count(*shape)).sum::<Option<i64>>()?;
                let left = len.value()? - taken;
                if scalars.len() != 1 || vectors.is_empty() || left < 1 {
                    return None;
                }
                Shape::Vector(Const::Value(left))
            }
            Shape::Matrix(rows, columns) => {
                let row = Shape::Vector(columns);
                let is_row = |part: &Shape| *part == row || *part == Shape::Scalar;
                if rows.value()? != arguments.len() as i64 || !given.iter().all(is_row) {
                    return None;
                }
                row
            }
            Shape::Scalar => return None,
        };
        Some(given.into_iter().map(|part| if part == Shape::Scalar { repeated } else { part }).collect())
    }

    fn construct_generic_numeric(&mut self, id: ExprId, ty: Ty, element: Ty, arguments: &[ArgumentType]) -> Ty {
        for argument in arguments {
            let (own_shape, own_element) = shape(self.db, argument.ty);
            let converted = own_shape.of(self.db, element);
            if own_element != element {
                self.convert_expr(argument.expr, argument.ty, converted);
            }
        }
        self.record_make(id, ty, arguments);
        ty
    }

    fn total_components(&self, arguments: &[ArgumentType]) -> Option<i64> {
        arguments
            .iter()
            .map(|argument| {
                let ty = argument.ty.dereferenced(self.db).unwrap_or(argument.ty);
                component_count(shape(self.db, ty).0)
            })
            .sum()
    }

    pub(super) fn record_make(&mut self, id: ExprId, ty: Ty, arguments: &[ArgumentType]) {
        let args = arguments.iter().map(|argument| Argument::Expr(argument.expr)).collect();
        let call = CallResolution { callee: Callable::Make(ty), this: None, args, no_diff: false };
        self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
    }

    fn record_conversion(&mut self, id: ExprId, to: Ty, conversion: Conversion) {
        self.result.resolutions.insert(id, Resolution::Conversion { to, conversion });
    }

    /// From the values of its parts in order; parts that are left out take their default.
    fn construct_from_parts(&mut self, id: ExprId, ty: Ty, parts: &[Ty], arguments: &[ArgumentType]) -> Ty {
        if let [only] = arguments
            && matches!(only.kind, ArgumentKind::Typed)
            && only.ty == ty
        {
            self.record_conversion(id, ty, Conversion::Identity);
            return ty;
        }
        // Other types leave out what is not given; the constructor of a pair takes both of its parts.
        let is_pair = matches!(ty, Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _));
        if arguments.len() > parts.len() || (is_pair && arguments.len() < parts.len()) {
            let place = self.name_place(id);
            let candidate = calls::Candidate { signature: self.show(ty), reason: None, place: None };
            self.report(calls::wrong_argument_count(place, parts.len(), arguments.len(), &candidate));
            self.give_up_on_arguments(arguments);
            return ty;
        }
        for (argument, part) in arguments.iter().zip(parts) {
            self.accept_argument(argument, *part);
        }
        self.record_make(id, ty, arguments);
        ty
    }

    /// Structs, enums, type parameters, and what else may have constructors.
    fn construct_other(&mut self, id: ExprId, ty: Ty, arguments: &[ArgumentType]) -> Ty {
        let constructors = self.constructors(ty);
        if arguments.is_empty() {
            let required = self.required_members(ty);
            if required > 0 {
                let place = self.name_place(id);
                self.report_missing_members(place, ty, (required, 0));
                return ty;
            }
        }
        if extension::is_interface(self.db, ty) {
            let place = self.name_place(id);
            let shown = self.show(ty);
            self.report(names::expected_a_value(place, &shown));
            self.give_up_on_arguments(arguments);
            return Ty::Error;
        }
        if !constructors.candidates.is_empty() {
            if let [only] = arguments
                && matches!(only.kind, ArgumentKind::Typed)
                && self.best_overload(&constructors, arguments).is_none()
                && let Some(conversion) = conversion::convert_explicitly(self.db, self.env, only.ty, ty)
            {
                self.record_conversion(id, ty, conversion);
                return ty;
            }
            if let [only] = arguments
                && self.best_overload(&constructors, arguments).is_none()
                && self.construct_from_converted(id, &constructors, only)
            {
                return ty;
            }
            // `S()` makes the default value, whatever constructors extensions add.
            if arguments.is_empty()
                && matches!(ty, Ty::Adt(..))
                && !self.declares_constructors(ty)
                && self.makes_its_default(ty)
                && self.best_overload(&constructors, arguments).is_none()
            {
                self.record_make(id, ty, arguments);
                return ty;
            }
            if let Some(chosen) = self.resolve_overload(id, &constructors, arguments) {
                let args = match arguments {
                    [only] => self.accept_explicitly(&chosen, only),
                    _ => self.accept_arguments(&chosen, arguments),
                };
                self.record_call(id, &constructors, &chosen, None, args);
            }
            return ty;
        }
        if let [only] = arguments
            && matches!(only.kind, ArgumentKind::Typed)
            && !only.ty.is_error()
            && let Some(conversion) = conversion::convert_explicitly(self.db, self.env, only.ty, ty)
        {
            self.record_conversion(id, ty, conversion);
            return ty;
        }
        match ty {
            Ty::Adt(..) if conversion::enum_integer(self.db, ty).is_none() => {
                let parts = aggregate::constructor_parameters(self.db, self.env, ty);
                if let ([only], [first, ..]) = (arguments, parts.as_slice())
                    && self.convert_for_constructor(only, *first)
                {
                    self.record_make(id, ty, arguments);
                    return ty;
                }
                self.construct_from_parts(id, ty, &parts, arguments)
            }
            _ if arguments.is_empty() && self.makes_its_default(ty) => {
                self.record_make(id, ty, arguments);
                ty
            }
            _ => {
                let poisoned = arguments.iter().any(|argument| argument.ty.is_error());
                if !poisoned {
                    let place = self.name_place(id);
                    let (name, shown) = (self.show(ty), self.show_arguments(arguments));
                    self.report(calls::no_applicable_overload(place, &name, &shown, &[]));
                }
                self.give_up_on_arguments(arguments);
                ty
            }
        }
    }

    /// Whether `T()` is a value of `T` without a constructor that says so: of what has fields or elements, and of type
    /// parameters, which may have them; the null pointer is one. Numbers, cases of enums and what the host provides are given.
    fn makes_its_default(&self, ty: Ty) -> bool {
        match ty {
            Ty::Adt(..) => conversion::enum_integer(self.db, ty).is_none(),
            Ty::Builtin(kind, _) => matches!(kind, BuiltinType::Array | BuiltinType::Atomic),
            Ty::SynthesizedDifferential(..)
            | Ty::Param(_)
            | Ty::This(_)
            | Ty::Associated(_)
            | Ty::Error
            | Ty::Expand(_)
            | Ty::PackQuery(_)
            | Ty::NullLiteral => true,
            Ty::Void | Ty::Scalar(_) | Ty::Function(_) | Ty::Closure(_) | Ty::String | Ty::NoneLiteral => false,
        }
    }

    /// Whether a struct of the program has constructors in its own declaration: then there are no others.
    pub(super) fn declares_constructors(&self, ty: Ty) -> bool {
        let Ty::Adt(item, _) = ty else { return false };
        !known::is_in_prelude(self.db, item) && !members::declared(self.db, item, &Name::new("__init")).is_empty()
    }

    /// The `__init`s of a type.
    pub(super) fn constructors(&self, ty: Ty) -> FunctionSet {
        let name = Name::new("__init");
        let candidates = members::lookup(self.db, self.env, ty, &name)
            .into_iter()
            .enumerate()
            .filter(|(_, member)| {
                // A requirement that the type itself fulfils is not another way to make it.
                member.origin != members::Origin::Interface || !matches!(ty, Ty::Adt(..))
            })
            .map(|(index, member)| Candidate::of_member(member, index))
            .collect();
        FunctionSet {
            name: Name::new(&self.show(ty)),
            candidates,
            receiver: Receiver::None,
            explicit: None,
            operators: Vec::new(),
        }
    }
}

/// How many numbers a shape holds, if that is known.
pub(super) fn component_count(shape: Shape) -> Option<i64> {
    match shape {
        Shape::Scalar => Some(1),
        Shape::Vector(len) => len.value(),
        Shape::Matrix(rows, columns) => rows.value()?.checked_mul(columns.value()?),
    }
}
