//! Arguments of calls.

use hir_def::body::{Expr, ExprId};

use super::{
    Infer,
    functions::FunctionSet,
    operand::Operand,
    overloads::Chosen,
    result::{Argument, Resolution},
};
use crate::{
    diagnostics::locations,
    types::ty::{ParamDirection, Ty},
};

/// An argument before a callee is chosen.
#[derive(Debug, Clone)]
pub(super) struct ArgumentType {
    pub(super) expr: ExprId,
    pub(super) ty: Ty,
    pub(super) kind: ArgumentKind,
}

#[derive(Debug, Clone)]
pub(super) enum ArgumentKind {
    Typed,
    /// One element of the pack that the expression gives; lowering converts it.
    Element,
    /// `{…}`: takes whatever type the parameter has.
    InitList,
    /// A function name that may mean several functions.
    Functions(FunctionSet),
}

impl ArgumentType {
    pub(super) fn typed(expr: ExprId, ty: Ty) -> ArgumentType {
        ArgumentType { expr, ty, kind: ArgumentKind::Typed }
    }
}

impl Infer<'_> {
    /// Infers the arguments as far as they are independent of the parameter's type.
    pub(super) fn arguments(&mut self, args: &[ExprId]) -> Vec<ArgumentType> {
        let mut arguments = Vec::with_capacity(args.len());
        for arg in args {
            let argument = self.argument(*arg);
            match self.spread_types(*arg, argument.ty) {
                Some(list) => arguments.extend(list.types(self.db).map(|ty| ArgumentType {
                    expr: *arg,
                    ty,
                    kind: ArgumentKind::Element,
                })),
                None => arguments.push(argument),
            }
        }
        arguments
    }

    fn argument(&mut self, expr: ExprId) -> ArgumentType {
        if let Expr::InitList(_) = self.store.exprs[expr] {
            return ArgumentType { expr, ty: Ty::Error, kind: ArgumentKind::InitList };
        }
        match self.operand(expr, None) {
            Operand::Functions(set) if set.candidates.len() > 1 => {
                ArgumentType { expr, ty: Ty::Error, kind: ArgumentKind::Functions(set) }
            }
            operand => {
                let ty = self.operand_value(expr, operand, None);
                self.result.expr_types.insert(expr, ty);
                ArgumentType::typed(expr, ty)
            }
        }
    }

    /// Converts the arguments of a chosen callee, and says where each of its parameters comes from.
    pub(super) fn accept_arguments(&mut self, chosen: &Chosen, arguments: &[ArgumentType]) -> Vec<Argument> {
        let mut accepted = Vec::with_capacity(chosen.signature.params.len());
        for (index, param) in chosen.signature.params.iter().enumerate() {
            let Some(argument) = arguments.get(index) else {
                accepted.push(Argument::Default { index: index as u32 });
                continue;
            };
            // A pack is one argument, for as many parameters as it has elements.
            let is_next_element = matches!(argument.kind, ArgumentKind::Element)
                && index > 0
                && arguments.get(index - 1).is_some_and(|before| before.expr == argument.expr);
            if !is_next_element {
                accepted.push(Argument::Expr(argument.expr));
            }
            match param.direction {
                ParamDirection::In | ParamDirection::ConstRef => self.accept_argument(argument, param.ty),
                ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => {
                    self.accept_place(argument, (param.direction, param.ty), param.name.as_str());
                }
            }
        }
        accepted
    }

    pub(super) fn accept_argument(&mut self, argument: &ArgumentType, wanted: Ty) {
        match &argument.kind {
            ArgumentKind::Typed => {
                self.convert_argument(argument.expr, argument.ty, wanted);
            }
            ArgumentKind::Element => {
                if crate::types::conversion::convert(self.db, self.env, argument.ty, wanted).is_none() {
                    self.report_mismatch(argument.expr, argument.ty, wanted);
                }
            }
            ArgumentKind::InitList => {
                self.coerced(argument.expr, wanted);
            }
            ArgumentKind::Functions(set) => {
                let ty = self.function_value(argument.expr, set.clone(), Some(wanted));
                self.result.expr_types.insert(argument.expr, ty);
                self.convert_argument(argument.expr, ty, wanted);
            }
        }
    }

    /// The argument of an `out`, `inout` or `__ref` parameter: an l-value of exactly the parameter's type, or, where a copy
    /// goes in and comes back, of a type of the same size whose bits mean the same.
    pub(super) fn accept_place(
        &mut self,
        argument: &ArgumentType,
        (direction, wanted): (ParamDirection, Ty),
        parameter: &str,
    ) {
        if !matches!(argument.kind, ArgumentKind::Typed) {
            let place = self.expr_place(argument.expr);
            self.report(locations::argument_not_assignable(place, parameter, None));
            self.result.expr_types.insert(argument.expr, Ty::Error);
            return;
        }
        if argument.ty.is_error() {
            return;
        }
        if let Err(why) = self.assignable(argument.expr) {
            let place = self.expr_place(argument.expr);
            self.report(locations::argument_not_assignable(place, parameter, why));
            return;
        }
        if argument.ty == wanted || wanted.is_error() {
            return;
        }
        if direction != ParamDirection::Ref && self.converts_both_ways(argument.ty, wanted) {
            self.convert_argument(argument.expr, argument.ty, wanted);
            return;
        }
        let place = self.expr_place(argument.expr);
        let (expected, got) = (self.show(wanted), self.show(argument.ty));
        self.report(locations::argument_not_convertible_back(place, parameter, &expected, &got));
    }

    /// Values that go in and come back: `int` for `uint`, a type for an interface that it conforms to, a struct for one that it
    /// inherits.
    pub(super) fn converts_both_ways(&self, ty: Ty, wanted: Ty) -> bool {
        let db = self.db;
        if crate::types::conversion::inherits_struct(db, ty, wanted, 0) {
            return true;
        }
        if crate::conformance::extension::is_interface(db, wanted) {
            return crate::types::conversion::convert(db, self.env, ty, wanted).is_some();
        }
        match (crate::types::shapes::numeric(db, ty), crate::types::shapes::numeric(db, wanted)) {
            (Some((a_shape, a)), Some((b_shape, b))) => {
                a_shape == b_shape && a.is_integer() && b.is_integer() && a.bits() == b.bits()
            }
            _ => match (ty.as_array(db), wanted.as_array(db)) {
                (Some((a, _)), Some((b, crate::types::ty::Const::Unsized))) => a == b,
                _ => false,
            },
        }
    }

    /// The receiver of a `[mutating]` method must be an l-value.
    pub(super) fn check_receiver(&mut self, call: ExprId, receiver: ExprId, method: &str) {
        if self.assignable(receiver).is_err() {
            let place = self.name_place(call);
            self.report(locations::mutating_on_constant(place, method));
        }
    }

    /// Records what a name in call position means once its overload is chosen.
    pub(super) fn record_callee(&mut self, callee: ExprId, set: &FunctionSet, chosen: &Chosen) {
        let callable = self.callable(chosen.function, &set.operators);
        let mut current = callee;
        // `fwd_diff(f)`: the inner name as well.
        for depth in (0..=set.operators.len()).rev() {
            let callable = self.callable(chosen.function, &set.operators[..depth]);
            self.result.resolutions.insert(current, Resolution::Function(Some(callable)));
            self.result.expr_types.insert(current, Ty::Void);
            match &self.store.exprs[current] {
                Expr::Derivative { function, .. } => current = *function,
                Expr::Member { base, .. } if depth > 0 => current = *base,
                _ => break,
            }
        }
        self.result.resolutions.insert(callee, Resolution::Function(Some(callable)));
    }
}
