//! Converting expressions to what their context wants.

use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::{Expr, ExprId, Literal, PrefixOp},
};

use super::{
    Infer,
    result::{Adjustment, Conversion},
};
use crate::{
    conformance::{
        self, extension,
        members::{self, Member},
    },
    diagnostics::conversions,
    generics::{self, solve::Solver},
    types::{
        conversion::{self, Converted, ValueHint},
        signature::FunctionRef,
        ty::{BuiltinType, Const, GenericArgs, Scalar, Ty},
    },
};

impl Infer<'_> {
    /// Infers an expression whose context wants `expected`, and converts it.
    pub(super) fn coerced(&mut self, expr: ExprId, expected: Ty) -> Ty {
        let ty = self.value(expr, Some(expected));
        self.convert_expr(expr, ty, expected)
    }

    /// Converts an inferred expression to `expected`, or reports that it does not convert.
    pub(super) fn convert_expr(&mut self, expr: ExprId, ty: Ty, expected: Ty) -> Ty {
        if ty == expected || ty.is_error() || expected.is_error() {
            return expected;
        }
        match self.implicit_conversion(expr, ty, expected) {
            Some(converted) => {
                self.warn_about_loss(expr, ty, expected, &converted);
                self.adjust(expr, converted.steps);
            }
            None => self.report_mismatch(expr, ty, expected),
        }
        expected
    }

    /// [`Self::convert_expr`] of something that a function or an operator takes.
    pub(super) fn convert_argument(&mut self, expr: ExprId, ty: Ty, expected: Ty) -> Ty {
        let widens = (ty, expected) == (Ty::Scalar(Scalar::Float), Ty::Scalar(Scalar::Double));
        let literal = match &self.store.exprs[expr] {
            Expr::Prefix { op: PrefixOp::Neg, operand } => *operand,
            _ => expr,
        };
        if widens && !matches!(self.store.exprs[literal], Expr::Literal(_)) {
            let place = self.expr_place(expr);
            self.report(conversions::widened_to_double(place));
        }
        self.convert_expr(expr, ty, expected)
    }

    /// [`Self::convert_expr`] where it is clear that the conversion is meant.
    pub(super) fn convert_quietly(&mut self, expr: ExprId, ty: Ty, expected: Ty) {
        match self.implicit_conversion(expr, ty, expected) {
            Some(converted) => self.adjust(expr, converted.steps),
            None => self.report_mismatch(expr, ty, expected),
        }
    }

    pub(super) fn report_mismatch(&mut self, expr: ExprId, ty: Ty, expected: Ty) {
        let place = self.expr_place(expr);
        let (wanted, got) = (self.show(expected), self.show(ty));
        let explicit = conversion::convert_explicitly(self.db, self.env, ty, expected).is_some();
        self.report(if explicit {
            conversions::needs_explicit_conversion(place, &wanted, &got)
        } else {
            conversions::type_mismatch(place, &wanted, &got)
        });
    }

    /// The conversion of an expression of type `ty`, as ranked among overloads.
    pub(super) fn implicit_conversion(&mut self, expr: ExprId, ty: Ty, expected: Ty) -> Option<Converted> {
        let hint = self.value_hint(expr);
        conversion::convert_value(self.db, self.env, ty, expected, hint)
            .or_else(|| self.implicit_constructor(ty, expected))
    }

    /// `[implicit]`-like constructors: `__implicit_conversion` or an `implicit` modifier on a one-parameter `__init`.
    fn implicit_constructor(&mut self, ty: Ty, expected: Ty) -> Option<Converted> {
        let (Ty::Adt(..) | Ty::Builtin(..)) = expected else { return None };
        if extension::is_interface(self.db, expected) {
            return None;
        }
        let name = hir_def::name::Name::new("__init");
        members::lookup(self.db, self.env, expected, &name).into_iter().find_map(|member| {
            let data = hir_def::item::item_data(self.db, member.item);
            let implicit =
                data.modifiers.contains(Modifiers::IMPLICIT) || data.has_attribute(AttributeKind::ImplicitConversion);
            if !implicit {
                return None;
            }
            let signature = crate::types::signature::signature(self.db, member.item);
            let [param] = signature.params.as_slice() else { return None };
            let args = self.constructor_arguments(member, param.ty, ty)?;
            let function = FunctionRef { item: member.item, args, self_ty: member.self_ty };
            let substitution = crate::generics::substitute::Substitution::of_function(self.db, function);
            let wanted = crate::generics::substitute::substitute(self.db, self.env, param.ty, &substitution);
            let mut converted = conversion::convert(self.db, self.env, ty, wanted)?;
            converted.cost += conversion::GENERAL - 1;
            converted.steps.push(Adjustment { conversion: Conversion::Constructor(function), to: expected });
            Some(converted)
        })
    }

    /// The generic arguments with which a constructor takes `ty` for its parameter of type `pattern`.
    fn constructor_arguments(&self, constructor: Member, pattern: Ty, ty: Ty) -> Option<GenericArgs> {
        let db = self.db;
        let outer = constructor.args.args(db);
        let params = generics::parameters(db, constructor.item);
        if params.len() == outer.len() {
            return Some(constructor.args);
        }
        let mut solver = Solver::new(db, self.env, params);
        for (index, arg) in outer.iter().enumerate() {
            solver.fix(index, *arg);
        }
        if !solver.unify(pattern, ty) {
            return None;
        }
        let args = solver.finish(db, generics::own_bounds(db, constructor.item))?;
        conformance::bounds_hold(db, self.env, constructor.item, args, constructor.self_ty).then_some(args)
    }

    /// What is known about a literal beyond its type.
    pub(super) fn value_hint(&self, expr: ExprId) -> ValueHint {
        match &self.store.exprs[expr] {
            Expr::Literal(Literal::Int { value, .. }) => ValueHint::Integer { value: *value, negative: false },
            Expr::Prefix { op: PrefixOp::Neg, operand } => match &self.store.exprs[*operand] {
                Expr::Literal(Literal::Int { value, .. }) => ValueHint::Integer { value: *value, negative: true },
                _ => ValueHint::None,
            },
            _ => ValueHint::None,
        }
    }

    pub(super) fn adjust(&mut self, expr: ExprId, steps: Vec<Adjustment>) {
        if !steps.is_empty() {
            self.result.adjustments.entry(expr).or_default().extend(steps);
        }
    }

    fn warn_about_loss(&mut self, expr: ExprId, from: Ty, to: Ty, converted: &Converted) {
        let is_number = |ty: Ty| crate::types::shapes::numeric(self.db, ty).is_some();
        if converted.cost < conversion::NOT_RECOMMENDED || !is_number(from) || !is_number(to) {
            return;
        }
        // A constant that the type holds loses nothing.
        if let (Ty::Scalar(from), Ty::Scalar(to)) = (from, to)
            && (from.is_integer() || from == Scalar::Bool)
            && let Some(value) = self.constant(expr).and_then(Const::value)
            && to.holds_constant(value)
        {
            return;
        }
        let place = self.expr_place(expr);
        let (wanted, got) = (self.show(to), self.show(from));
        if let (ValueHint::Integer { value, .. }, Ty::Scalar(scalar)) = (self.value_hint(expr), to)
            && scalar.is_integer()
        {
            // The bits are all there, whatever they mean.
            if u64::BITS - value.leading_zeros() <= scalar.bits() {
                return;
            }
            self.report(conversions::literal_overflow(place, value, &wanted));
            return;
        }
        self.report(conversions::lossy_conversion(place, &wanted, &got));
    }

    /// Goes through blocks and pointers to what they hold: `constantBuffer.field`.
    pub(super) fn dereference(&mut self, expr: ExprId, ty: Ty) -> Ty {
        self.dereference_while(expr, ty, |_| true)
    }

    /// The same up to a pointer, which has elements itself.
    pub(super) fn dereference_to_elements(&mut self, expr: ExprId, ty: Ty) -> Ty {
        self.dereference_while(expr, ty, |ty| !matches!(ty, Ty::Builtin(BuiltinType::Ptr, _)))
    }

    fn dereference_while(&mut self, expr: ExprId, ty: Ty, goes_on: impl Fn(Ty) -> bool) -> Ty {
        let mut current = ty;
        for _ in 0..4 {
            if !goes_on(current) {
                break;
            }
            let Some(content) = current.dereferenced(self.db) else { break };
            self.adjust(expr, vec![Adjustment { conversion: Conversion::Dereference, to: content }]);
            current = content;
        }
        current
    }

    pub(super) fn conforms(&self, ty: Ty, known: crate::types::known::Known) -> bool {
        conformance::conforms_to_known(self.db, self.env, ty, known)
    }
}
