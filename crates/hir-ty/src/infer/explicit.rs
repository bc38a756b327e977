//! What `T(x)` and `(T)x` may do that no other place may: convert, by what makes the wanted type of exactly what is given, the
//! one value that a constructor takes.
//!
//! `struct Scale<T : __BuiltinFloatingPointType> { __init(T factor) … }` is made by `Scale<T>(2)`, though no `int` becomes a `T`
//! elsewhere. One conversion in between is all there is, and what loses something is meant.

use hir_def::body::ExprId;

use super::{
    Infer,
    arguments::{ArgumentKind, ArgumentType},
    functions::FunctionSet,
    overloads::Chosen,
    result::{Adjustment, Argument, CallResolution, Conversion, Resolution},
};
use crate::{
    generics,
    types::{
        aggregate, conversion,
        signature::FunctionRef,
        ty::{BuiltinType, ParamDirection, Ty},
    },
};

impl Infer<'_> {
    /// A constructor of `to` that takes one value: what a cast may use.
    pub(super) fn construct_from(&mut self, id: ExprId, to: Ty, operand: ExprId, from: Ty) -> Option<Ty> {
        let constructors = self.constructors(to);
        let argument = ArgumentType::typed(operand, from);
        if let Some(chosen) = self.best_overload(&constructors, std::slice::from_ref(&argument)) {
            let args = self.accept_explicitly(&chosen, &argument);
            self.record_call(id, &constructors, &chosen, None, args);
            return Some(to);
        }
        if self.construct_from_converted(id, &constructors, &argument) {
            return Some(to);
        }
        // The constructor that a struct has by itself.
        let is_struct = matches!(to, Ty::Adt(..)) && conversion::enum_integer(self.db, to).is_none();
        if !is_struct || !constructors.candidates.is_empty() {
            return None;
        }
        let first = *aggregate::constructor_parameters(self.db, self.env, to).first()?;
        if !self.convert_for_constructor(&argument, first) {
            self.implicit_conversion(operand, from, first)?;
            self.convert_quietly(operand, from, first);
        }
        self.record_make(id, to, &[argument]);
        Some(to)
    }

    /// [`Self::accept_arguments`] of the only one, whose conversion is meant, whatever it loses.
    pub(super) fn accept_explicitly(&mut self, chosen: &Chosen, argument: &ArgumentType) -> Vec<Argument> {
        let (ArgumentKind::Typed, Some(param)) = (&argument.kind, chosen.signature.params.first()) else {
            return self.accept_arguments(chosen, std::slice::from_ref(argument));
        };
        if !matches!(param.direction, ParamDirection::In | ParamDirection::ConstRef) {
            return self.accept_arguments(chosen, std::slice::from_ref(argument));
        }
        if argument.ty != param.ty && !argument.ty.is_error() {
            self.convert_quietly(argument.expr, argument.ty, param.ty);
        }
        arguments(argument, chosen.signature.params.len())
    }

    /// Calls the only constructor whose parameter is made of exactly what is given; whether there is one.
    pub(super) fn construct_from_converted(
        &mut self,
        id: ExprId,
        constructors: &FunctionSet,
        argument: &ArgumentType,
    ) -> bool {
        let db = self.db;
        let mut fitting = Vec::new();
        for candidate in &constructors.candidates {
            if generics::parameters(db, candidate.item).len() > candidate.args.args(db).len() {
                continue;
            }
            let function = candidate.symbolic(db);
            let Some(signature) = self.call_signature(function, &[]) else { continue };
            let Some((first, rest)) = signature.params.split_first() else { continue };
            if rest.iter().all(|param| param.has_default) && first.direction == ParamDirection::In {
                fitting.push((function, first.ty, signature.params.len()));
            }
        }
        fitting.retain(|(_, wanted, _)| self.explicit_conversion(argument, *wanted).is_some());
        let [(function, wanted, count)] = fitting.as_slice() else { return false };
        if !self.convert_for_constructor(argument, *wanted) {
            return false;
        }
        let callee = self.callable(*function, &[]);
        let args = arguments(argument, *count);
        let call = CallResolution { callee, this: None, args, no_diff: false };
        self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
        true
    }

    /// Converts the only argument of a constructor where it does not convert by itself; whether that is so.
    pub(super) fn convert_for_constructor(&mut self, argument: &ArgumentType, wanted: Ty) -> bool {
        let Some(conversion) = self.explicit_conversion(argument, wanted) else { return false };
        self.adjust(argument.expr, vec![Adjustment { conversion, to: wanted }]);
        true
    }

    /// How what is given becomes what a constructor takes, if it does so only here.
    fn explicit_conversion(&mut self, argument: &ArgumentType, wanted: Ty) -> Option<Conversion> {
        let from = argument.ty;
        if !matches!(argument.kind, ArgumentKind::Typed)
            || from.is_error()
            || wanted.is_error()
            || self.implicit_conversion(argument.expr, from, wanted).is_some()
        {
            return None;
        }
        let explicit = conversion::convert_explicitly(self.db, self.env, from, wanted);
        match wanted {
            Ty::Scalar(_) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _) => None,
            // The bounds say which numbers a type parameter is made of.
            Ty::Param(_) | Ty::This(_) | Ty::Associated(_) => explicit.filter(|_| self.maker(wanted, from).is_some()),
            _ => explicit.or_else(|| self.maker(wanted, from).map(Conversion::Constructor)),
        }
    }

    /// The constructor of a type that takes exactly this one value.
    fn maker(&self, ty: Ty, from: Ty) -> Option<FunctionRef> {
        let db = self.db;
        self.constructors(ty).candidates.iter().find_map(|candidate| {
            if generics::parameters(db, candidate.item).len() > candidate.args.args(db).len() {
                return None;
            }
            let function = candidate.symbolic(db);
            let signature = self.call_signature(function, &[])?;
            let (first, rest) = signature.params.split_first()?;
            (first.ty == from && rest.is_empty() && first.direction == ParamDirection::In).then_some(function)
        })
    }
}

/// The value, and what is left out.
fn arguments(argument: &ArgumentType, count: usize) -> Vec<Argument> {
    let default = |index| Argument::Default { index: index as u32 };
    std::iter::once(Argument::Expr(argument.expr)).chain((1..count).map(default)).collect()
}
