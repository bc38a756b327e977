//! Values that are called. A lambda is a struct of its copies of variables, with one function that takes it in front; a
//! function's name is a struct of nothing. What takes either is specialised for it; `functype` is the sum of all that
//! become values of it, and a call of such a value dispatches.
//!
//! A lambda carries the derivatives of its copies wherever it goes (`front::goes_along`): no declaration could say so, since its
//! type has no name. In the derivative of a function that is called by its name (`bwd_diff(f)(lambda, …)`) it is a constant.

use hir_def::{
    attribute::Modifiers,
    body::Expr,
    item::{self, ItemId},
    name::Name,
};
use hir_ty::{
    closure::ClosureCode,
    conformance,
    differential::rules::derivative_rules_in,
    known::{self, Known},
    members,
    signature::FunctionRef,
    ty::{ClosureTy, FunctionTy, GenericArg, GenericArgs, ParamDirection, Ty},
};
use ir::{FuncId, FuncRules, builder::FuncBuilder};
use smol_str::{SmolStr, format_smolstr};

use crate::{
    dispatch,
    error::{Lowering, Stop},
    front,
    key::FunctionKey,
    program::Program,
    surface::{Direction, Surface, SurfaceParam, SurfaceReturn},
};

impl Program<'_> {
    /// The function that a call of a closure runs.
    pub(crate) fn closure(&mut self, closure: ClosureTy) -> Lowering<FuncId> {
        match closure.code(self.db) {
            ClosureCode::Lambda { .. } => self.request(FunctionKey::Lambda(closure)),
            ClosureCode::Function(function) => self.function(function),
        }
    }

    /// Lowers the bodies of the lambdas in the body of `item`, and of those in them.
    pub(crate) fn build_lambdas(&mut self, item: ItemId) -> Vec<FuncId> {
        let mut built = Vec::new();
        loop {
            let next = self.lambdas_in(item).find(|func| !built.contains(func));
            let Some(func) = next else { return built };
            self.build_one(func);
            built.push(func);
        }
    }

    /// The function that calls what a value of a function type holds.
    pub(crate) fn function_value(&mut self, function: FunctionTy) -> Lowering<FuncId> {
        self.request(FunctionKey::FunctionValue(function))
    }
}

/// The signature of a lambda: the lambda itself first, if it has copies of anything.
pub(crate) fn surface(program: &mut Program<'_>, closure: ClosureTy) -> Lowering<Surface> {
    let db = program.db;
    let ClosureCode::Lambda { within, expr } = closure.code(db) else {
        return Err(Stop::broken("a function as a lambda"));
    };
    let store = &front::body(db, within.item).store;
    let Expr::Lambda { params: locals, .. } = &store.exprs[expr] else { return Err(Stop::broken("no lambda")) };
    if locals.len() != closure.params(db).len() {
        return Err(Stop::unsupported("a pack as the parameter of a lambda"));
    }
    let mut params = Vec::new();
    if !closure.captures(db).is_empty() {
        params.push(receiver(program, Ty::Closure(closure))?);
    }
    for (&local, &(direction, ty)) in locals.iter().zip(closure.params(db)) {
        let local = &store.locals[local];
        let no_diff = local.modifiers.contains(Modifiers::NO_DIFF);
        let carries = !no_diff && front::is_differentiable(program, ty);
        let param = param(program, local.name.0.clone(), (direction, ty), carries)?;
        params.push(SurfaceParam { no_diff, ..param });
    }
    returned(program, params, closure.ret(db))
}

/// The signature of a call of a value of type `function`: the value first.
pub(crate) fn value_surface(program: &mut Program<'_>, function: FunctionTy) -> Lowering<Surface> {
    let db = program.db;
    let mut params = vec![receiver(program, Ty::Function(function))?];
    for (index, &(direction, ty)) in function.params(db).iter().enumerate() {
        let carries = front::is_differentiable(program, ty);
        params.push(param(program, format_smolstr!("_{index}"), (direction, ty), carries)?);
    }
    returned(program, params, function.ret(db))
}

fn receiver(program: &mut Program<'_>, ty: Ty) -> Lowering<SurfaceParam> {
    let this = param(program, "this".into(), (ParamDirection::In, ty), true)?;
    Ok(SurfaceParam { is_this: true, ..this })
}

fn param(
    program: &mut Program<'_>,
    name: SmolStr,
    (direction, ty): (ParamDirection, Ty),
    carries: bool,
) -> Lowering<SurfaceParam> {
    let ir_ty = program.lower_type(ty)?;
    Ok(SurfaceParam {
        name,
        ty,
        ir_ty,
        direction: Direction::from(direction),
        differentiable: carries && program.types.is_differentiable(ir_ty),
        goes_along: false,
        is_place: false,
        is_this: false,
        no_diff: false,
    })
}

fn returned(program: &mut Program<'_>, params: Vec<SurfaceParam>, ret: Ty) -> Lowering<Surface> {
    if ret == Ty::Void {
        return Ok(Surface { params, ret: None, throws: None });
    }
    let ir_ty = program.lower_type(ret)?;
    let differentiable = front::is_differentiable(program, ret) && program.types.is_differentiable(ir_ty);
    Ok(Surface { params, ret: Some(SurfaceReturn { ty: ret, ir_ty, differentiable, no_diff: false }), throws: None })
}

/// A lambda is as differentiable as the function around it.
pub(crate) fn rules(program: &Program<'_>, closure: ClosureTy) -> FuncRules {
    let rules =
        derivative_rules_in(program.db, closure.declaration(program.db), item::file_of(program.db, program.root));
    FuncRules {
        forward_differentiable: rules.forward_differentiable,
        backward_differentiable: rules.backward_differentiable,
        ..FuncRules::default()
    }
}

/// Fills in the function that calls what a value of a function type holds.
pub(crate) fn build_value_call(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    function: FunctionTy,
) -> Lowering<()> {
    dispatch::match_on_receiver(program, b, &mut |program, ty| {
        let func = match ty {
            Ty::Closure(closure) => program.closure(closure),
            Ty::Function(other) => program.function_value(other),
            ty => {
                let implementation = call_operator(program, ty, function)
                    .ok_or_else(|| Stop::broken("a value of a function type that is not a function"))?;
                program.function(implementation)
            }
        }?;
        Ok(dispatch::Arm::Call { func, declared: None })
    })
}

/// The `operator()` by which a value of `ty` can be called as `function` says.
fn call_operator(program: &Program<'_>, ty: Ty, function: FunctionTy) -> Option<FunctionRef> {
    let db = program.db;
    let params = function.params(db).iter().map(|(_, ty)| *ty);
    let interface = known::interface(db, Known::IFunc)?;
    let args = conformance::interfaces_of(db, program.env(), ty).iter().find_map(|found| match *found {
        Ty::Adt(item, args) if item == interface => match args.args(db) {
            [_, GenericArg::Pack(pack)] if pack.types(db).eq(params.clone()) => Some(args),
            _ => None,
        },
        _ => None,
    })?;
    let item = *members::declared(db, interface, &Name::new(front::CALL)).first()?;
    Some(FunctionRef { item, args: GenericArgs::new(db, Box::from(args.args(db))), self_ty: Some(ty) })
}
