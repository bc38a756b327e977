//! Calls.

use hir_def::{
    body::{Arg, DerivativeOperator, Expr, ExprId},
    name::Name,
};

use super::{
    Infer,
    arguments::ArgumentType,
    functions::{Candidate, FunctionSet, Receiver},
    operand::Operand,
    result::{Argument, Base, CallResolution, Callable, KernelStart, Resolution},
};
use crate::{
    conformance::{self, members},
    diagnostics::calls,
    differential::signature::function_of_context,
    types::{
        resolve::TypeNs,
        signature::{self, FunctionRef},
        ty::{Const, ParamDirection, Ty},
    },
};

impl Infer<'_> {
    /// `callee(args)`.
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[Arg], expected: Option<Ty>) -> Ty {
        let args: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
        if let Some((kernel, sizes)) = self.dispatched_kernel(callee) {
            return self.start_kernel(id, callee, kernel, sizes, &args);
        }
        match self.operand(callee, None) {
            Operand::Type(found) if self.store.parenthesized_names.contains(&callee) => {
                self.result.expr_types.insert(callee, Ty::Void);
                self.cast_of_last(id, callee, found, &args)
            }
            Operand::Value(Ty::Error) => {
                self.result.expr_types.insert(callee, Ty::Error);
                let arguments = self.arguments(&args);
                self.give_up_on_arguments(&arguments);
                Ty::Error
            }
            Operand::Value(ty) => {
                self.result.expr_types.insert(callee, ty);
                self.call_value(id, callee, ty, &args)
            }
            Operand::Functions(set) => self.call_functions(id, callee, &set, &args),
            Operand::Type(TypeNs::Type(ty)) => {
                self.result.expr_types.insert(callee, Ty::Void);
                self.construct(id, ty, &args, expected)
            }
            Operand::Type(TypeNs::Generic { item, outer }) => {
                self.result.expr_types.insert(callee, Ty::Void);
                let place = self.expr_place(callee);
                match self.with_lowering(|lowering| lowering.apply(item, outer, None, place)) {
                    Some(ty) => {
                        self.result.resolutions.insert(callee, Resolution::Type(ty));
                        self.construct(id, ty, &args, expected)
                    }
                    None => {
                        let arguments = self.arguments(&args);
                        self.give_up_on_arguments(&arguments);
                        Ty::Error
                    }
                }
            }
            Operand::Type(TypeNs::BuiltinGeneric(kind)) => {
                self.result.expr_types.insert(callee, Ty::Void);
                self.construct_builtin_generic(id, callee, kind, &args, expected)
            }
            Operand::Type(TypeNs::Namespace(item)) => {
                self.result.expr_types.insert(callee, Ty::Error);
                let place = self.name_place(id);
                let shown = crate::types::display::item_name(self.db, item);
                self.report(calls::not_callable(place, &shown));
                let arguments = self.arguments(&args);
                self.give_up_on_arguments(&arguments);
                Ty::Error
            }
        }
    }

    /// `__dispatch_kernel(kernel, blocks, threads)` as what is called: the kernel, and the two sizes.
    fn dispatched_kernel(&self, callee: ExprId) -> Option<(ExprId, [ExprId; 2])> {
        let Expr::Call { callee: dispatch, args } = &self.store.exprs[callee] else { return None };
        let Expr::Path(path) = &self.store.exprs[*dispatch] else { return None };
        match (path.segments.as_slice(), args.as_slice()) {
            ([name], [kernel, blocks, threads]) if name.name.as_str() == "__dispatch_kernel" => {
                Some((kernel.value, [blocks.value, threads.value]))
            }
            _ => None,
        }
    }

    /// A kernel that a host function starts. Its arguments are those of the kernel, but it is not a call of it.
    fn start_kernel(&mut self, id: ExprId, callee: ExprId, kernel: ExprId, sizes: [ExprId; 2], args: &[ExprId]) -> Ty {
        self.result.expr_types.insert(callee, Ty::Void);
        for size in sizes {
            let wanted = Ty::vector(self.db, Ty::UINT, Const::Value(3));
            let found = self.value(size, Some(wanted));
            self.convert_expr(size, found, wanted);
        }
        let arguments = self.arguments(args);
        match self.operand(kernel, None) {
            Operand::Functions(set) => {
                self.result.expr_types.insert(kernel, Ty::Void);
                if let Some(chosen) = self.resolve_overload(callee, &set, &arguments) {
                    let args = self.accept_arguments(&chosen, &arguments);
                    self.record_callee(kernel, &set, &chosen);
                    let start = KernelStart { kernel: chosen.function, operators: set.operators.clone(), sizes, args };
                    self.result.kernel_starts.insert(id, start);
                }
            }
            Operand::Value(Ty::Error) => self.give_up_on_arguments(&arguments),
            Operand::Value(_) | Operand::Type(_) => {
                let place = self.expr_place(kernel);
                self.report(calls::not_callable(place, "this"));
                self.give_up_on_arguments(&arguments);
            }
        }
        Ty::Void
    }

    /// `(T)(x)`; of several values in the parentheses the last counts, as after commas.
    fn cast_of_last(&mut self, id: ExprId, callee: ExprId, found: TypeNs, args: &[ExprId]) -> Ty {
        let ty = self.complete_type(callee, found);
        let Some((last, before)) = args.split_last() else { return Ty::Error };
        for arg in before {
            self.value(*arg, None);
        }
        self.cast(id, *last, ty)
    }

    /// The type that an expression names, with its defaults if it is generic.
    pub(super) fn complete_type(&mut self, id: ExprId, found: TypeNs) -> Ty {
        let place = self.expr_place(id);
        let name = Name::new("?");
        self.with_lowering(|lowering| lowering.complete_at(place, &name, found))
    }

    fn call_functions(&mut self, id: ExprId, callee: ExprId, set: &FunctionSet, args: &[ExprId]) -> Ty {
        self.result.expr_types.insert(callee, Ty::Void);
        self.result.resolutions.insert(callee, Resolution::Function(None));
        let mut arguments = self.arguments(args);
        // `bwd_diff(object.method)(…)`: a derivative takes the receiver in front.
        if let Receiver::Expr(receiver) = set.receiver
            && !set.operators.is_empty()
            && let Some(ty) = self.result.expr_types.get(receiver).copied()
            && set.candidates.iter().any(|candidate| signature::signature(self.db, candidate.item).this.is_some())
        {
            arguments.insert(0, ArgumentType::typed(receiver, ty));
        }
        let Some(chosen) = self.resolve_overload(id, set, &arguments) else {
            // All overloads may agree on the result: then what follows is checked all the same.
            return self.common_result(set);
        };
        let accepted = self.accept_arguments(&chosen, &arguments);
        let this = self.receiver_of(id, set, &chosen);
        self.record_callee(callee, set, &chosen);
        if let Some(synthesized) = self.synthesized_callee(set, &chosen.function) {
            let call = CallResolution { callee: synthesized, this: None, args: accepted, no_diff: false };
            self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
        } else {
            self.record_call(id, set, &chosen, this, accepted);
        }
        chosen.signature.ret
    }

    /// `S.dzero()` of a type that does not write it.
    fn synthesized_callee(
        &self,
        set: &FunctionSet,
        function: &crate::types::signature::FunctionRef,
    ) -> Option<Callable> {
        if !set.operators.is_empty() {
            return None;
        }
        let this = function.self_ty?;
        match conformance::implementation(self.db, self.env, *function)? {
            conformance::Implementation::Synthesized(operation) => Some(Callable::Synthesized { operation, ty: this }),
            conformance::Implementation::Function(_) | conformance::Implementation::Field(_) => None,
        }
    }

    fn common_result(&self, set: &FunctionSet) -> Ty {
        let mut results = set.candidates.iter().filter_map(|candidate| {
            self.call_signature(candidate.symbolic(self.db), &set.operators).map(|signature| signature.ret)
        });
        let Some(first) = results.next() else { return Ty::Error };
        let known = crate::generics::substitute::is_concrete(self.db, first);
        if known && first != Ty::Void && results.all(|ret| ret == first) { first } else { Ty::Error }
    }

    /// A call of a value: a lambda, a parameter of function type, an object with `operator()`.
    fn call_value(&mut self, id: ExprId, callee: ExprId, ty: Ty, args: &[ExprId]) -> Ty {
        let arguments = self.arguments(args);
        match ty {
            Ty::Function(function) => {
                let (params, ret) = (function.params(self.db), function.ret(self.db));
                return self.call_function_value(id, callee, params, ret, &arguments);
            }
            Ty::Closure(closure) => {
                let (params, ret) = (closure.params(self.db), closure.ret(self.db));
                return self.call_function_value(id, callee, params, ret, &arguments);
            }
            _ => {}
        }
        let ty = self.dereference(callee, ty);
        if let Some(function) = function_of_context(self.db, ty) {
            return self.call_context(id, callee, function, &arguments);
        }
        let members = members::lookup(self.db, self.env, ty, &Name::new("()"));
        if members.is_empty() {
            let place = self.name_place(id);
            let shown = self.show(ty);
            self.report(calls::not_callable(place, &shown));
            self.give_up_on_arguments(&arguments);
            return Ty::Error;
        }
        // An interface of functions says what the parameters are in its arguments.
        let candidates =
            members.iter().enumerate().map(|(index, member)| Candidate::of_member(*member, index)).collect();
        let set = FunctionSet {
            name: Name::new("()"),
            candidates,
            receiver: Receiver::Expr(callee),
            explicit: None,
            operators: Vec::new(),
        };
        let Some(chosen) = self.resolve_overload(id, &set, &arguments) else { return Ty::Error };
        let accepted = self.accept_arguments(&chosen, &arguments);
        let this = self.receiver_of(id, &set, &chosen);
        self.record_call(id, &set, &chosen, this, accepted);
        chosen.signature.ret
    }

    /// A call of what `f.apply_bwd` gives: derivatives go backward through `f`.
    fn call_context(&mut self, id: ExprId, context: ExprId, of: FunctionRef, arguments: &[ArgumentType]) -> Ty {
        let candidate =
            Candidate { item: of.item, args: of.args, self_ty: of.self_ty, origin: members::Origin::Own, distance: 0 };
        let set = FunctionSet {
            name: Name::new("()"),
            candidates: vec![candidate],
            receiver: Receiver::Expr(context),
            explicit: None,
            operators: vec![DerivativeOperator::Propagate],
        };
        let Some(chosen) = self.resolve_overload(id, &set, arguments) else { return Ty::Error };
        let args = self.accept_arguments(&chosen, arguments);
        let callee = self.callable(chosen.function, &set.operators);
        let call = CallResolution { callee, this: Some(Base::Expr(context)), args, no_diff: false };
        self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
        chosen.signature.ret
    }

    fn call_function_value(
        &mut self,
        id: ExprId,
        callee: ExprId,
        params: &[(ParamDirection, Ty)],
        ret: Ty,
        arguments: &[ArgumentType],
    ) -> Ty {
        if params.len() != arguments.len() {
            let place = self.name_place(id);
            let ty = self.result.expr_types.get(callee).copied().unwrap_or(Ty::Error);
            let candidate = calls::Candidate { signature: self.show(ty), reason: None, place: None };
            self.report(calls::wrong_argument_count(place, params.len(), arguments.len(), &candidate));
            self.give_up_on_arguments(arguments);
            return ret;
        }
        for (index, ((direction, wanted), argument)) in params.iter().zip(arguments).enumerate() {
            match direction {
                ParamDirection::In | ParamDirection::ConstRef => self.accept_argument(argument, *wanted),
                ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => {
                    let number = (index + 1).to_string();
                    self.accept_place(argument, (*direction, *wanted), &number);
                }
            }
        }
        let args = arguments.iter().map(|argument| Argument::Expr(argument.expr)).collect();
        let call = CallResolution { callee: Callable::Value(callee), this: None, args, no_diff: false };
        self.result.resolutions.insert(id, Resolution::Call(Box::new(call)));
        ret
    }
}
