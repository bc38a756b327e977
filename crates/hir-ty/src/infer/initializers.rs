//! Initializer lists: `{ a, b, { c, d } }`.
//!
//! As in slangc, a list is first the arguments of a constructor: a declared one, that of a struct or tuple from its members,
//! that of a vector from one scalar or from vectors, that of a matrix from its rows; each argument converts as in a call, so
//! that a scalar fills a vector. Where none fits, it is a flat list as in C: an element either is a value of the part that it
//! initializes, or begins the list of that part's parts, and a scalar is never a vector; what is not in the list is zero.
//!
//! The list itself gets [`Conversion::InitList`]; lowering takes the elements in order, each with its adjustments, and knows
//! from their types which parts they fill.

use hir_def::{
    body::{Expr, ExprId},
    item::{ItemId, ItemKind, item_data, members},
};

use super::{
    Infer,
    constructor_calls::component_count,
    result::{Adjustment, Conversion, Resolution},
};
use crate::{
    conformance::extension,
    diagnostics::{Site, aggregates, calls},
    types::{
        aggregate, known,
        shapes::{Shape, shape},
        ty::{BuiltinType, Const, Ty},
    },
};

/// No more of an array is filled from a flat list, unless the list has more.
const MAX_ELEMENTS: i64 = 1 << 16;
/// Types nested deeper than this are not filled from flat lists.
const MAX_NESTING: u32 = ::diagnostics::limits::INITIALIZERS;

impl Infer<'_> {
    /// `{ x }` where an optional is wanted: it holds what `x` becomes, as in `Optional<T>(x)`.
    fn optional_list(&mut self, expected: Ty, elements: &[ExprId]) -> bool {
        let (Some(content), [only]) = (expected.as_optional(self.db), elements) else { return false };
        let ty = self.value(*only, Some(content));
        if ty.is_error() {
            return true;
        }
        let held = match self.implicit_conversion(*only, ty, expected) {
            None => self.implicit_conversion(*only, ty, content),
            Some(_) => None,
        };
        match held {
            Some(mut held) => {
                held.steps.push(Adjustment { conversion: Conversion::ToOptional, to: expected });
                self.adjust(*only, held.steps);
            }
            None => _ = self.convert_expr(*only, ty, expected),
        }
        true
    }

    /// `{ elements }` where a value of type `expected` is wanted.
    pub(super) fn init_list(&mut self, id: ExprId, elements: &[ExprId], expected: Option<Ty>) -> Ty {
        let Some(expected) = expected else {
            for element in elements {
                self.value(*element, None);
            }
            let place = self.expr_place(id);
            self.report(aggregates::initializer_without_type(place));
            return Ty::Error;
        };
        if expected.is_error() {
            for element in elements {
                self.element_value(*element, Ty::Error);
            }
            return Ty::Error;
        }
        // A struct with constructors is made by them.
        if matches!(expected, Ty::Adt(..) | Ty::Param(_) | Ty::Associated(_))
            && !extension::is_interface(self.db, expected)
        {
            if let Some(base) = self.base_with_constructors(expected) {
                let place = self.expr_place(id);
                let (shown, base) = (self.show(expected), self.show(base));
                self.report(aggregates::base_has_constructors(place, &shown, &base));
                for element in elements {
                    self.element_value(*element, Ty::Error);
                }
                return expected;
            }
            let constructors = self.constructors(expected);
            // What says itself how it is made is made in no other way.
            let is_plain = !self.has_written_constructor(expected);
            let may_be_called = !elements.is_empty() || !is_plain;
            if !constructors.candidates.is_empty() && may_be_called {
                let arguments = self.arguments(elements);
                let chosen = match self.best_overload(&constructors, &arguments) {
                    None if !is_plain => match self.resolve_overload(id, &constructors, &arguments) {
                        Some(chosen) => Some(chosen),
                        None => return expected,
                    },
                    chosen => chosen,
                };
                if let Some(chosen) = chosen.filter(|_| !elements.is_empty()) {
                    let args = self.accept_arguments(&chosen, &arguments);
                    self.record_call(id, &constructors, &chosen, None, args);
                    return expected;
                }
                // Types that C would call plain may be filled field by field all the same.
            }
        }
        if let Some(pair) = self.unfinished_pair(expected, elements) {
            let place = self.expr_place(id);
            self.report(calls::wrong_argument_count(place, 2, elements.len(), &pair));
            for element in elements {
                self.element_value(*element, Ty::Error);
            }
            return expected;
        }
        let required = self.required_members(expected);
        if elements.len() < required {
            let place = self.expr_place(id);
            self.report_missing_members(place, expected, (required, elements.len()));
            for element in elements {
                self.element_value(*element, Ty::Error);
            }
            return expected;
        }
        if let Some((element, Const::Unsized)) = expected.as_array(self.db) {
            return self.counted_list(id, elements, element);
        }
        self.result.resolutions.insert(id, Resolution::Conversion { to: expected, conversion: Conversion::InitList });
        if let Ty::Builtin(kind, _) = expected
            && kind.is_resource()
            && kind != BuiltinType::ParameterBlock
            && elements.is_empty()
        {
            let place = self.expr_place(id);
            let shown = self.show(expected);
            self.report(aggregates::resource_is_not_made(place, &shown));
            return expected;
        }
        if self.optional_list(expected, elements)
            || self.splat_list(expected, elements)
            || self.member_list(expected, elements)
            || self.numeric_list(expected, elements)
        {
            return expected;
        }
        let Some(parts) = self.parts(expected, elements.len()) else {
            // `{ x }` is `x` for a type without parts.
            match elements {
                [] => {}
                [only] => {
                    self.coerced(*only, expected);
                }
                _ => {
                    let place = self.expr_place(id);
                    let shown = self.show(expected);
                    self.report(aggregates::cannot_initialize(place, &shown, matches!(expected, Ty::Scalar(_))));
                    for element in elements {
                        self.element_value(*element, Ty::Error);
                    }
                }
            }
            return expected;
        };
        let mut rest = elements;
        let count = parts.len();
        for part in parts {
            if rest.is_empty() {
                break;
            }
            rest = self.fill(part, rest, 0);
        }
        if !rest.is_empty() {
            for element in rest {
                self.value(*element, None);
            }
            self.report_too_many(id, expected, count, elements.len());
        }
        expected
    }

    /// How a pair is made, where a list lacks its value or its derivative.
    fn unfinished_pair(&self, expected: Ty, elements: &[ExprId]) -> Option<calls::Candidate> {
        let is_pair =
            matches!(expected, Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _));
        if !is_pair || elements.len() >= 2 {
            return None;
        }
        // A type without derivative is refused where it is written.
        let halves = self.parts(expected, 2)?;
        if halves.iter().any(|half| half.is_error()) {
            return None;
        }
        let halves: Vec<String> = halves.into_iter().map(|half| self.show(half)).collect();
        let signature = format!("{}({})", self.show(expected), halves.join(", "));
        Some(calls::Candidate { signature, reason: None, place: None })
    }

    /// The list of an array that takes its length from it.
    fn counted_list(&mut self, id: ExprId, elements: &[ExprId], element: Ty) -> Ty {
        let mut rest = elements;
        let mut count = 0;
        while !rest.is_empty() {
            rest = self.fill(element, rest, 0);
            count += 1;
        }
        let counted = Ty::array(self.db, element, Const::Value(count));
        self.result.resolutions.insert(id, Resolution::Conversion { to: counted, conversion: Conversion::InitList });
        counted
    }

    /// `{ x }` for a vector or a matrix: a scalar fills it.
    fn splat_list(&mut self, expected: Ty, elements: &[ExprId]) -> bool {
        let &[only] = elements else { return false };
        if shape(self.db, expected).0 == Shape::Scalar {
            return false;
        }
        if let Expr::InitList(inner) = &self.store.exprs[only] {
            let is_scalar = inner.len() == 1;
            if is_scalar {
                self.coerced(only, expected);
            }
            return is_scalar;
        }
        let ty = self.listed_value(only, None);
        let is_scalar = matches!(ty, Ty::Scalar(_));
        if is_scalar {
            self.convert_expr(only, ty, expected);
        }
        is_scalar
    }

    /// One element for each member of a tuple or pair, for each row of a matrix, or for the first members of a struct: the
    /// arguments of the constructor that takes these.
    fn member_list(&mut self, expected: Ty, elements: &[ExprId]) -> bool {
        let may_end_early = matches!(expected, Ty::Adt(..) | Ty::SynthesizedDifferential(..));
        let is_made_of_members = may_end_early
            || matches!(
                expected,
                Ty::Builtin(
                    BuiltinType::Tuple
                        | BuiltinType::Matrix
                        | BuiltinType::DifferentialPair
                        | BuiltinType::DifferentialPtrPair,
                    _
                )
            );
        let rows = match expected.as_matrix(self.db) {
            Some((element, Const::Value(rows), columns)) if rows > 2 && elements.len() == 2 => {
                // A smaller matrix and the last row.
                let above = Ty::matrix(self.db, element, Const::Value(rows - 1), columns);
                Some(vec![above, Ty::vector(self.db, element, columns)])
            }
            _ => None,
        };
        // Nothing else makes these.
        let is_only_way = rows.is_some() || matches!(expected, Ty::Builtin(BuiltinType::Tuple, _));
        let members = rows.or_else(|| self.parts(expected, elements.len()).filter(|_| is_made_of_members));
        let Some(members) = members else { return false };
        if elements.is_empty() || elements.len() > members.len() || (elements.len() < members.len() && !may_end_early) {
            return false;
        }
        let mut fits = true;
        for (element, member) in elements.iter().zip(&members) {
            if !matches!(self.store.exprs[*element], Expr::InitList(_)) {
                let ty = self.listed_value(*element, Some(*member));
                let unknown = ty.is_error() || member.is_error();
                fits &= unknown || ty == *member || self.implicit_conversion(*element, ty, *member).is_some();
            }
        }
        if fits || is_only_way {
            for (element, member) in elements.iter().zip(&members) {
                match self.listed.remove(element) {
                    Some(ty) => self.convert_expr(*element, ty, *member),
                    None => self.coerced(*element, *member),
                };
            }
        }
        fits || is_only_way
    }

    /// The type of an element. Each element is inferred once, however many ways of reading the list are tried.
    fn listed_value(&mut self, element: ExprId, expected: Option<Ty>) -> Ty {
        if let Some(ty) = self.listed.get(&element) {
            return *ty;
        }
        let ty = self.value(element, expected);
        self.listed.insert(element, ty);
        ty
    }

    /// Whether the body of a struct of the program has a constructor. One that is generic is a way beside the others.
    fn has_written_constructor(&self, ty: Ty) -> bool {
        let Ty::Adt(item, _) = ty else { return false };
        let is_constructor = |member: &ItemId| {
            let data = item_data(self.db, *member);
            matches!(data.kind, ItemKind::Constructor { .. }) && data.generics.params.is_empty()
        };
        !known::is_in_prelude(self.db, item) && members(self.db, item).iter().any(is_constructor)
    }

    /// How many of the first members of a struct without constructors have to be given: up to the last one that has no value of
    /// its own, since only constructors that take something make it.
    pub(super) fn required_members(&mut self, ty: Ty) -> usize {
        self.required_members_within(ty, &mut Nesting { depth: 0, is_endless: false })
    }

    fn required_members_within(&mut self, ty: Ty, nesting: &mut Nesting) -> usize {
        let Ty::Adt(item, _) = ty else { return 0 };
        let is_made_by_members = matches!(item_data(self.db, item).kind, ItemKind::Struct { .. })
            && !known::is_in_prelude(self.db, item)
            && !self.has_written_constructor(ty);
        if !is_made_by_members {
            return 0;
        }
        if let Some(known) = self.required_members.get(&ty) {
            return *known;
        }
        // A struct that holds itself, or ever larger ones, is an error elsewhere.
        if nesting.is_endless || nesting.depth >= diagnostics::limits::TYPES_BY_VALUE {
            nesting.is_endless = true;
            return 0;
        }
        self.required_members.insert(ty, 0);
        nesting.depth += 1;
        let fields = aggregate::fields(self.db, self.env, ty);
        let last = (0..fields.len()).rev().find(|index| {
            let (field, ty) = fields[*index];
            let has_value = matches!(&item_data(self.db, field).kind, ItemKind::Variable { has_init: true, .. });
            !has_value && !self.has_default(ty, nesting)
        });
        nesting.depth -= 1;
        let required = last.map_or(0, |last| last + 1);
        self.required_members.insert(ty, required);
        required
    }

    /// Whether a member of the type that nobody mentions has a value.
    fn has_default(&mut self, ty: Ty, nesting: &mut Nesting) -> bool {
        let element = std::iter::successors(Some(ty), |ty| ty.as_array(self.db).map(|(element, _)| element));
        let ty = element.last().unwrap_or(ty);
        if self.has_written_constructor(ty) {
            let constructors = self.constructors(ty);
            return self.best_overload(&constructors, &[]).is_some();
        }
        diagnostics::stack::deep(|| self.required_members_within(ty, nesting)) == 0
    }

    /// E39999: members that have no value of their own are left out.
    pub(super) fn report_missing_members(&mut self, place: Site, ty: Ty, (required, given): (usize, usize)) {
        let members = aggregate::constructor_parameters(self.db, self.env, ty);
        let members: Vec<String> = members.into_iter().map(|member| self.show(member)).collect();
        let signature = format!("{}({})", self.show(ty), members.join(", "));
        let declared = if let Ty::Adt(item, _) = ty { Some(Site::name(item)) } else { None };
        let candidate = calls::Candidate { signature, reason: None, place: declared };
        self.report(calls::wrong_argument_count(place, required, given, &candidate));
    }

    /// The base, at any distance, that only its constructors make, of a struct without constructors of its own.
    fn base_with_constructors(&self, ty: Ty) -> Option<Ty> {
        if self.has_written_constructor(ty) {
            return None;
        }
        let bases = std::iter::successors(aggregate::base_struct(self.db, self.env, ty), |base| {
            aggregate::base_struct(self.db, self.env, *base)
        });
        bases.take(MAX_NESTING as usize).find(|base| self.has_written_constructor(*base))
    }

    /// `{ xy, z }` for a `float3`: vectors in the list of a vector or matrix stand for their components, if those are as many
    /// as are wanted.
    fn numeric_list(&mut self, expected: Ty, elements: &[ExprId]) -> bool {
        let (target, scalar) = shape(self.db, expected);
        let Some(wanted) = component_count(target).filter(|_| target != Shape::Scalar) else { return false };
        if elements.is_empty() || elements.len() as i64 >= wanted {
            return false;
        }
        let nested = |element: &ExprId| matches!(self.store.exprs[*element], Expr::InitList(_));
        if elements.iter().any(nested) {
            return false;
        }
        let types: Vec<Ty> = elements.iter().map(|element| self.listed_value(*element, None)).collect();
        let shapes: Vec<Shape> = types.iter().map(|ty| shape(self.db, *ty).0).collect();
        let got: Option<i64> = shapes.iter().map(|shape| component_count(*shape)).sum();
        let has_vector = shapes.iter().any(|shape| matches!(shape, Shape::Vector(_)));
        if got != Some(wanted) || !has_vector {
            return false;
        }
        for ((element, ty), shape) in elements.iter().zip(types).zip(shapes) {
            let converted = shape.of(self.db, scalar);
            self.convert_expr(*element, ty, converted);
        }
        true
    }

    fn report_too_many(&mut self, id: ExprId, ty: Ty, taken: usize, got: usize) {
        let place = self.expr_place(id);
        let fields = aggregate::fields(self.db, self.env, ty);
        let some_are_hidden = fields.iter().any(|(field, _)| !aggregate::is_constructor_parameter(self.db, *field));
        self.report(if some_are_hidden {
            aggregates::too_many_for_visible_fields(place, &self.show(ty), taken, got)
        } else {
            aggregates::too_many_initializers(place, taken, got)
        });
    }

    fn element_value(&mut self, element: ExprId, expected: Ty) {
        self.value(element, Some(expected));
    }

    /// Takes what the part needs from the front of the list and returns the rest.
    fn fill<'e>(&mut self, part: Ty, elements: &'e [ExprId], depth: u32) -> &'e [ExprId] {
        let Some((first, rest)) = elements.split_first() else { return elements };
        if matches!(self.store.exprs[*first], Expr::InitList(_)) || part.is_error() {
            self.coerced(*first, part);
            return rest;
        }
        let ty = self.listed_value(*first, Some(part));
        // A scalar in a flat list begins a vector, even as the last element.
        let begins = shape(self.db, part).0 != Shape::Scalar && shape(self.db, ty).0 == Shape::Scalar;
        if ty.is_error() || (!begins && self.implicit_conversion(*first, ty, part).is_some()) {
            self.listed.remove(first);
            self.convert_expr(*first, ty, part);
            return rest;
        }
        match self.parts(part, elements.len()) {
            Some(parts) if depth < MAX_NESTING && !parts.is_empty() => {
                let mut rest = elements;
                for part in parts {
                    if rest.is_empty() {
                        break;
                    }
                    rest = self.fill(part, rest, depth + 1);
                }
                rest
            }
            _ => {
                self.listed.remove(first);
                self.convert_expr(*first, ty, part);
                rest
            }
        }
    }

    /// What an aggregate is made of, in order; no more of an array than `wanted` could fill.
    fn parts(&self, ty: Ty, wanted: usize) -> Option<Vec<Ty>> {
        let db = self.db;
        match ty {
            Ty::Builtin(BuiltinType::Vector, _) => {
                let (element, len) = ty.as_vector(db)?;
                Some(vec![element; usize::try_from(len.value()?).ok()?.min(4)])
            }
            Ty::Builtin(BuiltinType::Matrix, _) => {
                let (element, rows, columns) = ty.as_matrix(db)?;
                let row = Ty::vector(db, element, columns);
                Some(vec![row; usize::try_from(rows.value()?).ok()?.min(4)])
            }
            Ty::Builtin(BuiltinType::Array, _) => {
                let (element, len) = ty.as_array(db)?;
                let len = match len {
                    Const::Value(len) => len.clamp(0, MAX_ELEMENTS.max(wanted as i64)),
                    // A generic length: as many as are written.
                    Const::Param(_)
                    | Const::Operation(_)
                    | Const::Choice(_)
                    | Const::Count(_)
                    | Const::Size(_)
                    | Const::Member(_)
                    | Const::Expand(_)
                    | Const::PackQuery(_)
                    | Const::Unsized => wanted as i64,
                    Const::Error => return None,
                };
                Some(vec![element; usize::try_from(len).ok()?])
            }
            Ty::Builtin(BuiltinType::Tuple, _) => ty.as_tuple(db),
            Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _) => {
                let primal = ty.first_type_arg(db)?;
                Some(vec![primal, self.differential_or_error(primal)])
            }
            Ty::SynthesizedDifferential(..) => {
                Some(aggregate::fields(db, self.env, ty).iter().map(|(_, ty)| *ty).collect())
            }
            Ty::Adt(item, _)
                if matches!(hir_def::item::item_data(db, item).kind, hir_def::item::ItemKind::Struct { .. }) =>
            {
                Some(aggregate::constructor_parameters(db, self.env, ty))
            }
            _ => None,
        }
    }
}

/// How deep the members of members are that are looked into.
struct Nesting {
    depth: u32,
    /// Whether types hold ever larger ones: nothing is looked into any further.
    is_endless: bool,
}
