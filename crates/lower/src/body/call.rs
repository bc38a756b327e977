//! Calls. Arguments are evaluated in order, `inout` ones are read just before the call, and what comes out is written
//! back in order after it.

use hir_def::body::{Expr, ExprId, Literal};
use hir_ty::{
    infer::result::{Argument, CallResolution, Callable},
    signature::FunctionRef,
    ty::Ty,
};
use ir::{
    BinaryOp, Callee, FuncId, GlobalKind, Intrinsic, Op, PathStep, Type, TypeId, ValueId,
    intrinsic::{PointerOp, RayOp, StageOp},
    provision::{Message, Varying},
};

use super::{BodyLowering, address, argument::Passed, place::Place};
use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    front, intrinsic,
    mode::Mode,
    places::PlaceForm,
    surface::{Direction, Surface},
};

impl BodyLowering<'_, '_> {
    /// The result of a call, `None` for `void`.
    pub(super) fn call(&mut self, call: &CallResolution) -> Lowering<Option<ValueId>> {
        match &call.callee {
            Callable::Make(ty) => {
                let ty = self.scope.ty(self.program.db, *ty);
                let exprs: Vec<ExprId> = call
                    .args
                    .iter()
                    .map(|arg| match arg {
                        Argument::Expr(expr) => Ok(*expr),
                        Argument::Default { .. } => Err(Stop::unsupported("a default member in a constructor")),
                    })
                    .collect::<Lowering<_>>()?;
                let value = self.make_from_exprs(ty, &exprs)?;
                return Ok(Some(if call.no_diff { self.detached(value) } else { value }));
            }
            Callable::Value(callee) => return self.call_value(*callee, call),
            Callable::Function(function) => {
                let function = self.scope.function(self.program.db, *function);
                if let Some(ty) = front::made_without_constructor(self.program, function) {
                    return self.empty_list_value(ty).map(Some);
                }
                if let front::Resolved::Source(function) = front::resolve(self.program, function)?
                    && let Some(derivative) = self.derivative_of_place(function)?
                {
                    return self.derived_place(derivative, call).map(Some);
                }
                if let front::Resolved::Source(function) = front::resolve(self.program, function)?
                    && let Some(known) = front::core_function_of(self.program.db, function)?
                {
                    // What the compiler knows takes places alone.
                    let surface =
                        self.program.with_places(PlaceForm::Plain, |program| front::surface(program, function))?;
                    if intrinsic::is_applicable(self.program, known, &surface) {
                        return self.intrinsic_call(function, known, &surface, call);
                    }
                }
            }
            Callable::Derivative { .. } | Callable::Synthesized { .. } => {}
        }
        let func = self.program.callable(&call.callee, &self.scope)?;
        let carrying = match &call.callee {
            Callable::Function(function) if front::is_requirement(self.program.db, function.item) => {
                Some(front::carrying(self.program, self.scope.function(self.program.db, *function)))
            }
            _ => None,
        };
        let callee = match &call.callee {
            Callable::Function(function) => Some(self.scope.function(self.program.db, *function)),
            Callable::Derivative { .. } | Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
        };
        let surface = self.program.surface(func)?;
        let passed = self.pass_all(func, call, callee)?;
        if passed.len() != surface.params.len() {
            return Err(Stop::broken("a call with the wrong number of arguments"));
        }
        if let Some(returned) = self.call_in_place(func, &passed, call.no_diff)? {
            self.program.withdraw(func);
            return Ok(returned);
        }
        let item = callee.map(|callee| callee.item);
        if self.gives_place(&surface) {
            return self.moved_place(func, &surface, passed, item).map(Some);
        }
        // The editor's analysis looks for what is dropped here.
        let Some(carrying) = carrying.filter(|_| self.program.mode == Mode::Program) else {
            return self.call_function_marked(func, &passed, call.no_diff);
        };
        // What the requirement does not carry is not carried by what fulfils it either. A static requirement that is called
        // on a value takes that value, which carries nothing.
        let takes_this = surface.params.first().is_some_and(|param| param.is_this);
        let wants_this = item.is_some_and(|item| front::has_receiver(self.program.db, item));
        let receiver = usize::from(takes_this && !wants_this);
        let without = usize::from(wants_this && !takes_this);
        let requirement = carrying.params.iter().zip(&carrying.marked_params).skip(without).map(|(a, b)| (*a, *b));
        let carried = std::iter::repeat_n((false, false), receiver).chain(requirement);
        let carried = carried.chain(std::iter::repeat((false, false)));
        let passed: Vec<Passed> = passed
            .into_iter()
            .zip(surface.params.iter().zip(carried))
            .map(|(arg, (param, (carries, marked)))| match arg {
                Passed::Value(value) if !carries && !front::goes_along(self.program, param.ty) => {
                    Passed::Value(self.cut_off(value, Cut::of(marked)))
                }
                arg => arg,
            })
            .collect();
        let result = self.call_function_marked(func, &passed, call.no_diff)?;
        Ok(result.map(|value| if carrying.ret { value } else { self.cut_off(value, Cut::of(carrying.marked_ret)) }))
    }

    /// The arguments of a call, receiver first.
    fn pass_all(&mut self, func: FuncId, call: &CallResolution, callee: Option<FunctionRef>) -> Lowering<Vec<Passed>> {
        let surface = self.program.surface(func)?;
        let mut params = surface.params.iter();
        let mut passed = Vec::new();
        let takes_this = surface.params.first().is_some_and(|param| param.is_this);
        if let Some(base) = call.this {
            if takes_this {
                let direction = params.next().map_or(Direction::In, |param| param.direction);
                passed.push(self.pass_base(base, direction)?);
            }
        } else if takes_this
            && call.args.len() < surface.params.len()
            && !call.args.iter().any(|arg| matches!(arg, Argument::Expr(expr) if self.is_spread(*expr)))
        {
            let static_requirement = matches!(&call.callee, Callable::Function(function)
                if front::is_requirement(self.program.db, function.item));
            return Err(if static_requirement {
                Stop::unsupported("a static requirement of an interface without a value that says of which type")
            } else {
                Stop::broken("a method without receiver")
            });
        }
        let params: Vec<(Direction, Ty)> = params.map(|param| (param.direction, param.ty)).collect();
        passed.extend(self.pass_arguments(&call.args, &params, callee)?);
        // What fulfils a requirement may take more than that, with defaults.
        if let Callable::Function(function) = &call.callee
            && passed.len() < surface.params.len()
            && front::is_requirement(self.program.db, function.item)
        {
            let function = self.scope.function(self.program.db, *function);
            if let front::Resolved::Source(found) = front::resolve(self.program, function)? {
                for index in call.args.len()..call.args.len() + surface.params.len() - passed.len() {
                    let default = Argument::Default { index: index as u32 };
                    passed.push(self.pass(default, Direction::In, Some(found))?);
                }
            }
        }
        Ok(passed)
    }

    /// Calls a function that changes places of its caller where they are; nothing if it takes values.
    fn call_in_place(&mut self, func: FuncId, args: &[Passed], no_diff: bool) -> Lowering<Option<Option<ValueId>>> {
        let Some(in_place) = self.called_in_place(func, args)? else { return Ok(None) };
        self.call_with_further(in_place.func, &in_place.args, &in_place.further, no_diff).map(Some)
    }

    /// Calls `get` or `set` of a property or subscript, whose place wants neither of them before that.
    pub(super) fn call_accessor(&mut self, func: FuncId, args: &[Passed]) -> Lowering<Option<ValueId>> {
        if let Some(returned) = self.call_in_place(func, args, false)? {
            return Ok(returned);
        }
        if let Some(key) = self.program.key(func) {
            self.program.request(key)?;
        }
        self.call_function(func, args)
    }

    /// Calls `func` with one argument per parameter of its source signature.
    pub(super) fn call_function(&mut self, func: FuncId, args: &[Passed]) -> Lowering<Option<ValueId>> {
        self.call_function_marked(func, args, false)
    }

    /// [`Self::call_function`], through which no derivative goes if the call is marked `no_diff`.
    pub(super) fn call_function_marked(
        &mut self,
        func: FuncId,
        args: &[Passed],
        no_diff: bool,
    ) -> Lowering<Option<ValueId>> {
        self.call_with_further(func, args, &[], no_diff)
    }

    /// [`Self::call_function_marked`] with inputs that no parameter of the source has.
    fn call_with_further(
        &mut self,
        func: FuncId,
        args: &[Passed],
        further: &[ValueId],
        no_diff: bool,
    ) -> Lowering<Option<ValueId>> {
        let surface = self.program.surface(func)?;
        let mut inputs = Vec::new();
        for (param, arg) in surface.params.iter().zip(args) {
            if param.direction.goes_in() {
                let value = self.passed_value(arg)?;
                let value = self.coerce(value, param.ir_ty)?;
                inputs.push(self.as_marked(value, param.no_diff));
            }
        }
        inputs.extend(further);
        let types: Vec<TypeId> = surface.results().iter().map(|slot| slot.ty).collect();
        let args_in = inputs.into_iter().collect();
        let op = self.b.op(Op::Call { callee: Callee::Func(func), args: args_in, no_diff }, &types);
        let mut results = self.b.results(op).to_vec().into_iter();
        let returned = surface.ret.as_ref().and_then(|ret| Some((results.next()?, ret.no_diff)));
        let returned = returned.map(|(value, no_diff)| self.as_marked(value, no_diff));
        for (param, arg) in surface.params.iter().zip(args) {
            if !param.direction.comes_out() {
                continue;
            }
            if let (Passed::Place(place), Some(value)) = (arg, results.next()) {
                let value = self.as_marked(value, param.no_diff);
                self.write_back(place, value)?;
            }
        }
        if let (Some(throws), [.., failed, error]) = (surface.throws, self.b.results(op)) {
            let (failed, error) = (*failed, *error);
            self.after_call(failed, error, throws.ty)?;
        }
        Ok(returned)
    }

    /// What the source marks with `no_diff` loses nothing by it: the editor's analysis shall see the mark.
    fn as_marked(&mut self, value: ValueId, no_diff: bool) -> ValueId {
        if no_diff && self.program.mode == Mode::Analysis { self.detached(value) } else { value }
    }

    /// Writes what came out of a call; what cannot be assigned (a temporary receiver) is dropped. Of a struct that was taken for
    /// one that it inherits, the fields of that one come out.
    fn write_back(&mut self, place: &super::place::Place, value: ValueId) -> Lowering<()> {
        if matches!(place, super::place::Place::Value(_)) {
            return Ok(());
        }
        let ty = self.place_type(place)?;
        let base = self.b.ty(value);
        if let (Type::Struct(id), true) = (self.b.types.get(base), self.inherits(ty, base)) {
            for index in 0..self.b.types.structs[id].fields.len() as u32 {
                let field = self.b.field(value, index);
                let part = self.part(place.clone(), PathStep::Const(index))?;
                self.write(&part, field)?;
            }
            return Ok(());
        }
        self.write(place, value)
    }

    /// A call of a function that lowering knows.
    /// Whether an argument is a text that goes to the operation itself.
    pub(super) fn takes_apart(&self, callee: hir_ty::signature::FunctionRef, argument: ExprId) -> bool {
        self.scope.inference.expr_types.get(argument) == Some(&Ty::String)
            && front::takes_strings_apart(self.program.db, callee.item)
    }

    /// An operation takes one text, which is written at the call.
    fn check_strings(&self, function: hir_ty::signature::FunctionRef, call: &CallResolution) -> Lowering<()> {
        let texts: Vec<ExprId> = call
            .args
            .iter()
            .filter_map(|argument| match argument {
                Argument::Expr(expr) if self.takes_apart(function, *expr) => Some(*expr),
                Argument::Expr(_) | Argument::Default { .. } => None,
            })
            .collect();
        let is_literal = |text: &ExprId| matches!(self.scope.store.exprs[*text], Expr::Literal(Literal::String(_)));
        if texts.len() > 1 || !texts.iter().all(is_literal) {
            return Err(Stop::unsupported("a string that is passed to a function of the core library"));
        }
        Ok(())
    }

    fn intrinsic_call(
        &mut self,
        function: hir_ty::signature::FunctionRef,
        known: CoreFunction,
        surface: &Surface,
        call: &CallResolution,
    ) -> Lowering<Option<ValueId>> {
        if known == CoreFunction::Intrinsic(address::ADDRESS_OF)
            && let (Some(Argument::Expr(place)), Some(ret)) = (call.args.first(), &surface.ret)
        {
            let place = self.place(*place)?;
            return self.address_of(&place, ret.ir_ty).map(Some);
        }
        self.check_strings(function, call)?;
        let mut passed = Vec::new();
        let mut directions = surface.params.iter();
        if let Some(base) = call.this
            && let Some(param) = directions.next()
        {
            // The receiver of an atomic is a place even where the method only reads.
            let direction = if known.takes_place() { Direction::InOut } else { param.direction };
            passed.push(self.pass_base(base, direction)?);
        }
        let params: Vec<(Direction, Ty)> = directions.map(|param| (param.direction, param.ty)).collect();
        passed.extend(self.pass_arguments(&call.args, &params, Some(function))?);
        if let CoreFunction::Atomic(atomic, told) = known {
            return self.atomic_call((atomic, told), surface, &passed);
        }
        let mut inputs = Vec::new();
        for (param, arg) in surface.params.iter().zip(&passed) {
            if param.direction.goes_in() {
                let value = self.passed_value(arg)?;
                inputs.push(self.coerce(value, param.ir_ty)?);
            }
        }
        if let (CoreFunction::Intrinsic(Intrinsic::Pointer(PointerOp::OfElement)), &[pointer, index]) =
            (known, inputs.as_slice())
            && self.is_pointer(pointer)
        {
            return self.moved_pointer(BinaryOp::Add, pointer, index).map(Some);
        }
        if known == CoreFunction::Intrinsic(Intrinsic::Stage(StageOp::MeshDispatch))
            && self.program.mode == Mode::Program
            && let Some(Passed::Place(payload)) = passed.last()
            && let Some(payload) = self.shared_payload(payload)
            && let Some(last) = inputs.last_mut()
        {
            *last = payload;
        }
        if let CoreFunction::Intrinsic(Intrinsic::Ray(RayOp::AcceptHit | RayOp::IgnoreHit)) = known {
            // They end the shader: what it has made of its payload by now is what the ray goes on with.
            inputs = self.out.clone().into_iter().map(|variable| self.env.get(variable)).collect::<Lowering<_>>()?;
        }
        let format = front::first_string(&self.scope, call);
        let type_arg = intrinsic::first_type_arg(self.program.db, function);
        let asked = intrinsic::Asked { function: known, args: &inputs, surface, format, type_arg };
        let results = intrinsic::emit(self.program, &mut self.b, &asked)?;
        let mut results = results.into_iter();
        let returned = surface.ret.as_ref().and_then(|_| results.next());
        for (param, arg) in surface.params.iter().zip(&passed) {
            if param.direction.comes_out()
                && let (Passed::Place(place), Some(value)) = (arg, results.next())
            {
                self.write_back(place, value)?;
            }
        }
        Ok(match returned {
            Some(value) if call.no_diff => Some(self.detached(value)),
            returned => returned,
        })
    }

    /// What a group of threads shares and gives to the mesh shaders that it starts: the variable itself, of which each thread
    /// may have written a part.
    fn shared_payload(&mut self, payload: &Place) -> Option<ValueId> {
        let Place::Memory { handle, path } = payload else { return None };
        let &Op::Global(global) = &self.b.func.defining_op(*handle)?.op else { return None };
        let global = &mut self.program.module.globals[global];
        if !path.is_empty() || global.kind != GlobalKind::GroupShared {
            return None;
        }
        global.provision.varying = Some(Varying::message(Message::MeshPayload, true));
        Some(*handle)
    }

    /// The value without its derivative, by the user's declaration.
    pub(super) fn detached(&mut self, value: ValueId) -> ValueId {
        self.cut_off(value, Cut::Declared)
    }

    /// The value without its derivative, by the user's declaration or not.
    fn cut_off(&mut self, value: ValueId, cut: Cut) -> ValueId {
        let ty = self.b.ty(value);
        if !self.b.types.is_differentiable(ty) {
            return value;
        }
        let op = match cut {
            Cut::Declared => Op::Detach(value),
            Cut::Silent => Op::Forget(value),
        };
        self.b.value(op, ty)
    }
}

/// Why a value has no derivative from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The user said so.
    Declared,
    /// The declaration that a call goes by has no place for it.
    Silent,
}

impl Cut {
    fn of(is_marked: bool) -> Cut {
        if is_marked { Cut::Declared } else { Cut::Silent }
    }
}
