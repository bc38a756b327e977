//! The user's derivative of a function (`[ForwardDerivative(g)]`, `[BackwardDerivative(g)]` and their mirror images) in
//! the calling convention of the IR: pairs are put together around the call of `g`.

use hir_def::body::DerivativeOperator;
use hir_ty::differential::signature::ParamRole;
use ir::{
    Callee, DerivativeKind, FuncId, Input, ResultSlot, SpanId, Type, TypeId, ValueId, abi, builder::FuncBuilder,
    types::TypeTable,
};

use crate::{
    error::{Lowering, Stop},
    places,
    program::Program,
    sums,
    surface::{Direction, Surface},
};

/// Inputs and results of the rule for `primal` in the calling convention of [`ir::Callee`]: those of `Jvp` or `Vjp`.
pub(crate) fn signature(
    types: &TypeTable,
    operator: DerivativeOperator,
    primal: &Surface,
) -> Lowering<(Vec<Input>, Vec<ResultSlot>)> {
    let kind = match operator {
        DerivativeOperator::Forward => DerivativeKind::Jvp,
        DerivativeOperator::Backward => DerivativeKind::Vjp,
        DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate => {
            return Err(Stop::broken("a written derivative of no mode"));
        }
    };
    Ok(abi::derivative(types, kind, (&primal.inputs(), &primal.results()), &abi::Kept::default(), SpanId::NONE))
}

/// Fills in the body of the rule, which calls the user's function `rule`.
pub(crate) fn build(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    operator: DerivativeOperator,
    of: FuncId,
    rule: FuncId,
) -> Lowering<()> {
    let primal = program.surface(of)?;
    let rule_surface = program.surface(rule)?;
    let roles = primal.derivative_roles(operator);
    if roles.len() != rule_surface.params.len() {
        return Err(Stop::unsupported("a derivative whose parameters are not those of its function"));
    }
    let given = Given::of(b, operator, &primal);
    let mut args = Vec::new();
    for (role, param) in roles.iter().zip(&rule_surface.params) {
        if !param.direction.goes_in() {
            continue;
        }
        let value = match role.stands_for {
            ParamRole::Pair(index) if primal.params[index].is_place => {
                let pair = given.primal[index].ok_or_else(|| Stop::broken("an absent input"))?;
                places::to_parameter(b, pair, param.ir_ty)?
            }
            ParamRole::Pair(index) => {
                let primal_value = match given.primal[index] {
                    Some(value) => value,
                    None => b.zero(primal.params[index].ir_ty),
                };
                let differential = match given.companion[index] {
                    Some(value) => value,
                    None => zero_differential(b, primal.params[index].ir_ty)?,
                };
                b.make(&[primal_value, differential], param.ir_ty)
            }
            ParamRole::Primal(param) => given.primal[param].ok_or_else(|| Stop::broken("an absent input"))?,
            ParamRole::Cotangent(param) => given.companion[param].ok_or_else(|| Stop::broken("an absent cotangent"))?,
            ParamRole::ResultCotangent => given.result.ok_or_else(|| Stop::broken("an absent cotangent"))?,
            ParamRole::Absent(_) | ParamRole::Written | ParamRole::This => {
                return Err(Stop::broken("a derivative of nothing"));
            }
        };
        args.push(match b.types.get(param.ir_ty) {
            _ if b.ty(value) == param.ir_ty => value,
            // The differential of an interface value is a value of `IDifferentiable` in the source.
            Type::Sum(_) => sums::convert(program, b, value, param.ir_ty)?,
            // Numbers may be of another type of the same shape.
            wanted if are_numbers_of_one_shape(b.type_of(value), wanted) => b.convert(value, param.ir_ty),
            _ => return Err(Stop::unsupported("a derivative whose parameters are not those of its function")),
        });
    }
    let result_types: Vec<TypeId> = rule_surface.results().iter().map(|slot| slot.ty).collect();
    let results = b.call(Callee::Func(rule), &args, &result_types);
    let mut results = results.into_iter();
    let returned = rule_surface.ret.as_ref().and_then(|_| results.next());
    let mut by_param: Vec<Option<ValueId>> = vec![None; primal.params.len()];
    for (role, param) in roles.iter().zip(&rule_surface.params) {
        if !param.direction.comes_out() {
            continue;
        }
        let value = results.next();
        if let ParamRole::Pair(param) | ParamRole::Primal(param) = role.stands_for {
            by_param[param] = value;
        }
    }
    let outputs = match operator {
        DerivativeOperator::Forward => forward_outputs(b, &primal, returned, &by_param),
        DerivativeOperator::Backward => backward_outputs(b, &primal, &by_param),
        DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate => None,
    }
    .ok_or_else(|| Stop::unsupported("a derivative whose results are not those of its function"))?;
    let fits = outputs.len() == b.func.results.len()
        && outputs.iter().zip(&b.func.results).all(|(&value, slot)| b.ty(value) == slot.ty);
    if !fits {
        return Err(Stop::unsupported("a derivative whose results are not those of its function"));
    }
    b.ret(outputs);
    Ok(())
}

fn are_numbers_of_one_shape(a: Type, b: Type) -> bool {
    match (a, b) {
        (Type::Scalar(_), Type::Scalar(_)) => true,
        (Type::Vector { len, .. }, Type::Vector { len: other, .. }) => len == other,
        (Type::Matrix { rows, cols, .. }, Type::Matrix { rows: other_rows, cols: other_cols, .. }) => {
            (rows, cols) == (other_rows, other_cols)
        }
        _ => false,
    }
}

/// What the rule is given, by parameter of the primal function.
pub(super) struct Given {
    pub primal: Vec<Option<ValueId>>,
    /// The tangent (forward) or the cotangent of what the parameter gives out (backward).
    pub companion: Vec<Option<ValueId>>,
    /// The cotangent of the result.
    pub result: Option<ValueId>,
}

impl Given {
    pub(crate) fn of(b: &FuncBuilder<'_>, operator: DerivativeOperator, primal: &Surface) -> Given {
        let mut inputs = b.func.input_values().iter().copied();
        let primal_values = primal.params.iter().map(|p| if p.direction.goes_in() { inputs.next() } else { None });
        let primal_values: Vec<Option<ValueId>> = primal_values.collect();
        let has_result = primal.ret.as_ref().is_some_and(|ret| ret.differentiable);
        let result = if operator == DerivativeOperator::Backward && has_result { inputs.next() } else { None };
        let companion = primal
            .params
            .iter()
            .map(|param| {
                let comes = match operator {
                    DerivativeOperator::Forward => param.direction.goes_in(),
                    DerivativeOperator::Backward => param.direction.comes_out(),
                    DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate => false,
                };
                if param.differentiable && comes { inputs.next() } else { None }
            })
            .collect();
        Given { primal: primal_values, companion, result }
    }
}

fn forward_outputs(
    b: &mut FuncBuilder<'_>,
    primal: &Surface,
    returned: Option<ValueId>,
    by_param: &[Option<ValueId>],
) -> Option<Vec<ValueId>> {
    let mut values = Vec::new();
    let mut tangents = Vec::new();
    let result = primal.ret.as_ref().map(|ret| (ret.differentiable, returned));
    let params = primal
        .params
        .iter()
        .zip(by_param)
        .filter(|(param, _)| param.direction.comes_out())
        .map(|(param, value)| (param.differentiable, *value));
    for (differentiable, value) in result.into_iter().chain(params) {
        let value = value?;
        if differentiable {
            if !is_pair(b, value) {
                return None;
            }
            values.push(b.field(value, 0));
            tangents.push(b.field(value, 1));
        } else {
            values.push(value);
        }
    }
    values.extend(tangents);
    Some(values)
}

fn backward_outputs(b: &mut FuncBuilder<'_>, primal: &Surface, by_param: &[Option<ValueId>]) -> Option<Vec<ValueId>> {
    let mut cotangents = Vec::new();
    for (param, value) in primal.params.iter().zip(by_param) {
        if !param.differentiable || param.direction == Direction::Out {
            continue;
        }
        match value {
            Some(pair) if is_pair(b, *pair) => cotangents.push(b.field(*pair, 1)),
            Some(_) => return None,
            // The rule takes the pair without giving it back: it propagates nothing.
            None => {
                let ty = b.types.differential_of(param.ir_ty)?;
                cotangents.push(b.zero(ty));
            }
        }
    }
    Some(cotangents)
}

fn is_pair(b: &FuncBuilder<'_>, value: ValueId) -> bool {
    match b.type_of(value) {
        ir::Type::Struct(id) => b.types.structs[id].fields.len() == 2,
        _ => false,
    }
}

/// The zero of the differential of `ty`, by the user's `dzero` if there is one.
pub(crate) fn zero_differential(b: &mut FuncBuilder<'_>, ty: TypeId) -> Lowering<ValueId> {
    let differential = b.types.differential_of(ty).ok_or_else(|| Stop::broken("a type without differential"))?;
    let dzero = match b.types.get(ty) {
        ir::Type::Struct(id) => b.types.structs[id].differential.as_ref().and_then(|d| d.dzero),
        _ => None,
    };
    Ok(match dzero {
        Some(dzero) => b.call(Callee::Func(dzero), &[], &[differential])[0],
        None => b.zero(differential),
    })
}
