//! `fwd_diff(f)` and `bwd_diff(f)` (and the steps of the latter, see [`super::phases`]) as ordinary functions with the signatures that they have in the source: pairs are
//! taken apart, the derivative of `f` in the calling convention of the IR is called, and pairs are put together again.
//!
//! Because these are ordinary functions, `fwd_diff(bwd_diff(f))` is the derivative of one, and a call of a derivative
//! inside a differentiable function needs nothing special.

use hir_def::body::DerivativeOperator;
use hir_ty::{
    differential::signature::{ParamRole, is_phase},
    ty::Ty,
};
use ir::{Callee, DerivativeKind, FuncId, TypeId, ValueId, builder::FuncBuilder};
use smol_str::{SmolStr, format_smolstr};

use super::{phases, presence};
use crate::{
    error::{Lowering, Stop},
    front, places,
    program::Program,
    surface::{Direction, Role, Surface, SurfaceParam, SurfaceReturn},
};

/// The signature of the derivative of `of` in the source.
pub(crate) fn surface(program: &mut Program<'_>, operator: DerivativeOperator, of: FuncId) -> Lowering<Surface> {
    let primal = program.surface(of)?;
    let mut params: Vec<SurfaceParam> = Vec::new();
    for Role { stands_for, direction } in primal.derivative_roles(operator) {
        params.push(match stands_for {
            ParamRole::Pair(param) if primal.params[param].is_place => {
                let param = &primal.params[param];
                let ty = front::place_pair_of(program.db, param.ty);
                let ir_ty = program.lower_type(ty)?;
                SurfaceParam { ty, ir_ty, direction, is_place: false, ..param.clone() }
            }
            ParamRole::Pair(param) => {
                let param = &primal.params[param];
                let ty = front::pair_of(program.db, param.ty);
                let ir_ty = program.lower_type(ty)?;
                SurfaceParam { ty, ir_ty, direction, differentiable: true, ..param.clone() }
            }
            ParamRole::Primal(param) => SurfaceParam { direction, ..primal.params[param].clone() },
            ParamRole::Cotangent(param) => {
                let param = &primal.params[param];
                let cotangent = cotangent_param(program, param.name.clone(), param.ty, param.ir_ty)?;
                SurfaceParam { direction, ..cotangent }
            }
            ParamRole::Absent(param) => {
                let name = primal.params[param].name.clone();
                let ty = Ty::NoneLiteral;
                let ir_ty = program.lower_type(ty)?;
                let (differentiable, goes_along) = (false, false);
                SurfaceParam {
                    name,
                    ty,
                    ir_ty,
                    direction,
                    differentiable,
                    goes_along,
                    is_place: false,
                    is_this: false,
                    no_diff: false,
                }
            }
            ParamRole::Written | ParamRole::This => return Err(Stop::broken("a derivative of nothing")),
            ParamRole::ResultCotangent => {
                let ret = primal.ret.as_ref().ok_or_else(|| Stop::broken("a derivative without result"))?;
                let mut name = SmolStr::new("dResult");
                while params.iter().any(|param| param.name == name) {
                    name = format_smolstr!("{name}_");
                }
                cotangent_param(program, name, ret.ty, ret.ir_ty)?
            }
        });
    }
    if is_phase(operator) {
        if primal.throws.is_some() {
            return Err(Stop::unsupported("a context of a function that throws"));
        }
        return phases::with_context(program, operator, of, params);
    }
    let ret = match (operator, &primal.ret) {
        (DerivativeOperator::Backward, _) | (_, None) => None,
        (DerivativeOperator::Forward, Some(ret)) if ret.differentiable => {
            let ty = front::pair_of(program.db, ret.ty);
            Some(SurfaceReturn { ty, ir_ty: program.lower_type(ty)?, differentiable: true, no_diff: false })
        }
        (DerivativeOperator::Forward, Some(ret)) => Some(ret.clone()),
        (DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate, _) => None,
    };
    // A derivative runs its function, so it throws what that throws.
    Ok(Surface { params, ret, throws: primal.throws })
}

fn cotangent_param(program: &Program<'_>, name: SmolStr, ty: hir_ty::ty::Ty, primal: TypeId) -> Lowering<SurfaceParam> {
    let ir_ty =
        program.types.differential_of(primal).ok_or_else(|| Stop::broken("a derivative without differential"))?;
    let ty = front::differential_of(program.db, program.root, ty).unwrap_or(ty);
    let direction = Direction::In;
    let (differentiable, goes_along) = (true, false);
    Ok(SurfaceParam {
        name,
        ty,
        ir_ty,
        direction,
        differentiable,
        goes_along,
        is_place: false,
        is_this: false,
        no_diff: false,
    })
}

/// Fills in the body of the derivative.
pub(crate) fn build(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    operator: DerivativeOperator,
    of: FuncId,
) -> Lowering<()> {
    let primal = program.surface(of)?;
    let roles = primal.derivative_roles(operator);
    let mut inputs = b.func.input_values().to_vec().into_iter();
    // What the wrapper is given for each role; nothing for `out` parameters.
    let mut given: Vec<Option<ValueId>> = Vec::new();
    for role in &roles {
        given.push(if role.direction.goes_in() { inputs.next() } else { None });
    }
    // The inputs of the primal function, and what comes with each differentiable one.
    let mut args = Vec::new();
    let mut companions = Vec::new();
    for (role, &value) in roles.iter().zip(&given) {
        match (role.stands_for, value) {
            (ParamRole::Pair(param), Some(pair)) if primal.params[param].is_place => {
                args.push(places::from_parameter(b, pair, primal.params[param].ir_ty)?);
            }
            (ParamRole::Pair(param), Some(pair)) => {
                args.push(b.field(pair, 0));
                companions.push((param, pair));
            }
            (ParamRole::Primal(_), Some(value)) => args.push(value),
            (_, Some(_) | None) => {}
        }
    }
    match operator {
        DerivativeOperator::Forward => forward(program, b, of, (&primal, &roles), args, &companions),
        DerivativeOperator::Backward => backward(program, b, of, (&primal, &roles), &given, args, &companions),
        DerivativeOperator::Apply => phases::apply(b, of, &primal, args),
        DerivativeOperator::Remat => phases::remat(b),
        DerivativeOperator::Propagate => phases::propagate(b, of, &primal, &roles),
    }
}

fn forward(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    of: FuncId,
    (primal, roles): (&Surface, &[Role]),
    mut args: Vec<ValueId>,
    companions: &[(usize, ValueId)],
) -> Lowering<()> {
    for (index, param) in going_in(primal) {
        let tangent = match companions.iter().find(|(param, _)| *param == index) {
            Some(&(_, pair)) => b.field(pair, 1),
            // What has no pair is constant.
            None => {
                let ty = differential(b, param.ir_ty)?;
                b.zero(ty)
            }
        };
        args.push(tangent);
    }
    let slots = primal.results();
    let mut result_types: Vec<TypeId> = slots.iter().map(|slot| slot.ty).collect();
    for slot in slots.iter().filter(|slot| slot.differentiable) {
        result_types.push(differential(b, slot.ty)?);
    }
    let results = b.call(Callee::Derivative(DerivativeKind::Jvp, of), &args, &result_types);
    let (primals, tangents) = results.split_at(slots.len());
    let mut tangents = tangents.iter();
    let mut primals = primals.iter();
    let out_types: Vec<TypeId> = b.func.results.iter().map(|slot| slot.ty).collect();
    let mut outputs = Vec::new();
    // Of what is a pair the type of its value.
    let result_pairs = primal.ret.iter().map(|ret| ret.differentiable.then_some(ret.ty));
    let given_out = roles.iter().filter(|role| role.direction.comes_out());
    let param_pairs = given_out.map(|role| match role.stands_for {
        ParamRole::Pair(param) => Some(primal.params[param].ty),
        _ => None,
    });
    let thrown = primal.throws.iter().flat_map(|_| [None; 2]);
    for (pair, &ty) in result_pairs.chain(param_pairs).chain(thrown).zip(&out_types) {
        let Some(&value) = primals.next() else { return Err(Stop::broken("a derivative with too few results")) };
        let Some(of_value) = pair else {
            outputs.push(value);
            continue;
        };
        let Some(&tangent) = tangents.next() else {
            return Err(Stop::broken("a derivative with too few tangents"));
        };
        let tangent = presence::as_in(program, b, of_value, value, tangent)?;
        outputs.push(b.make(&[value, tangent], ty));
    }
    b.ret(outputs);
    Ok(())
}

fn backward(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    of: FuncId,
    (primal, roles): (&Surface, &[Role]),
    given: &[Option<ValueId>],
    mut args: Vec<ValueId>,
    companions: &[(usize, ValueId)],
) -> Lowering<()> {
    // What the function throws, this throws: whether it does only the function itself tells.
    let thrown = match primal.throws {
        Some(_) => {
            let types: Vec<TypeId> = primal.results().iter().map(|slot| slot.ty).collect();
            let results = b.call(Callee::Func(of), &args, &types);
            results[results.len() - 2..].to_vec()
        }
        None => Vec::new(),
    };
    // Cotangents in the order of the primal function's results: the result itself, then what parameters give out.
    let of_role = |wanted: ParamRole| {
        roles.iter().zip(given).find(|(role, _)| role.stands_for == wanted).and_then(|(_, value)| *value)
    };
    if primal.ret.as_ref().is_some_and(|ret| ret.differentiable) {
        args.extend(of_role(ParamRole::ResultCotangent));
    }
    for (index, param) in primal.params.iter().enumerate() {
        if !param.differentiable {
            continue;
        }
        match param.direction {
            Direction::In => {}
            Direction::Out => args.extend(of_role(ParamRole::Cotangent(index))),
            Direction::InOut => {
                if let Some(&(_, pair)) = companions.iter().find(|(param, _)| *param == index) {
                    let cotangent = b.field(pair, 1);
                    args.push(cotangent);
                }
            }
        }
    }
    let mut result_types = Vec::new();
    for (_, param) in going_in(primal) {
        result_types.push(differential(b, param.ir_ty)?);
    }
    let cotangents = b.call(Callee::Derivative(DerivativeKind::Vjp, of), &args, &result_types);
    let mut outputs = Vec::new();
    for ((index, param), &cotangent) in going_in(primal).zip(&cotangents) {
        let Some(&(_, pair)) = companions.iter().find(|(param, _)| *param == index) else { continue };
        let ty = b.ty(pair);
        let value = b.field(pair, 0);
        let cotangent = presence::as_in(program, b, param.ty, value, cotangent)?;
        outputs.push(b.make(&[value, cotangent], ty));
    }
    outputs.extend(thrown);
    b.ret(outputs);
    Ok(())
}

/// The parameters that take derivatives along, with their numbers.
fn going_in(primal: &Surface) -> impl Iterator<Item = (usize, &SurfaceParam)> {
    primal.params.iter().enumerate().filter(|(_, param)| param.differentiable && param.direction.goes_in())
}

pub(super) fn differential(b: &mut FuncBuilder<'_>, ty: TypeId) -> Lowering<TypeId> {
    b.types.differential_of(ty).ok_or_else(|| Stop::broken("a derivative without differential"))
}
