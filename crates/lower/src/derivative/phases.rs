//! The steps of reverse mode as functions that the user calls: `f.apply_bwd(…)` runs `f` and gives a context, which is
//! called with derivatives of what came out and gives those of what went in. `f.remat` gives the context again: ours holds
//! all that the way back needs.
//!
//! The type of a context and that of its derivatives are structs without fields until `autodiff` knows what `f` keeps (see [`ir::Module::contexts`]).

use hir_def::body::DerivativeOperator;
use hir_ty::{
    differential::signature::{ParamRole, context_type},
    signature::FunctionRef,
    ty::Ty,
};
use ir::{Callee, DerivativeKind, Differential, FuncId, StructDef, TypeId, ValueId, builder::FuncBuilder};

use super::wrapper::differential;
use crate::{
    error::{Lowering, Stop},
    key::FunctionKey,
    program::Program,
    surface::{Direction, Role, Surface, SurfaceParam, SurfaceReturn},
};

/// The signature of a step, given the parameters that the table of derivatives gives.
pub(super) fn with_context(
    program: &mut Program<'_>,
    operator: DerivativeOperator,
    of: FuncId,
    mut params: Vec<SurfaceParam>,
) -> Lowering<Surface> {
    let (Some(FunctionKey::Source(function)) | Some(FunctionKey::Paired(function))) = program.key(of) else {
        return Err(Stop::unsupported("the context of a function that is not written in the source"));
    };
    let ty = context_type(function);
    let ir_ty = program.lower_type(ty)?;
    let types = program.types;
    let returned = |ty: Ty, ir_ty: TypeId| {
        Some(SurfaceReturn { ty, ir_ty, differentiable: types.is_differentiable(ir_ty), no_diff: false })
    };
    let context = SurfaceParam {
        name: "context".into(),
        ty,
        ir_ty,
        direction: Direction::In,
        differentiable: program.types.is_differentiable(ir_ty),
        goes_along: false,
        is_place: false,
        is_this: operator == DerivativeOperator::Propagate,
        no_diff: false,
    };
    let ret = match operator {
        DerivativeOperator::Apply => match &program.surface(of)?.ret {
            Some(ret) => {
                let tuple = Ty::tuple(program.db, &[ret.ty, ty]);
                let tuple_ty = program.lower_type(tuple)?;
                returned(tuple, tuple_ty)
            }
            None => returned(ty, ir_ty),
        },
        DerivativeOperator::Remat => {
            params.insert(0, context);
            returned(ty, ir_ty)
        }
        DerivativeOperator::Propagate => {
            params.insert(0, context);
            None
        }
        DerivativeOperator::Forward | DerivativeOperator::Backward => return Err(Stop::broken("a step of no mode")),
    };
    Ok(Surface { params, ret, throws: None })
}

/// The type of the contexts of `function`.
pub(crate) fn context(program: &mut Program<'_>, function: FunctionRef) -> Lowering<TypeId> {
    let of = program.function(function)?;
    let of = program.paired(of)?;
    let name = program.unique_name(&format!("{}.Context", program.module.funcs[of].name));
    let of_derivatives = program.unique_name(&format!("{name}.Differential"));
    let differential_ty =
        program.types.add_struct(StructDef { name: of_derivatives, fields: Vec::new(), differential: None });
    let differential = Differential { ty: differential_ty, fields: Vec::new(), dadd: None, dzero: None };
    if let ir::Type::Struct(id) = program.types.get(differential_ty) {
        program.types.structs.revise(id, |def| def.differential = Some(differential.clone()));
    }
    let ty = program.types.add_struct(StructDef { name, fields: Vec::new(), differential: Some(differential) });
    program.module.contexts.push((of, ty));
    Ok(ty)
}

/// `f.apply_bwd(…)`.
pub(super) fn apply(b: &mut FuncBuilder<'_>, of: FuncId, primal: &Surface, args: Vec<ValueId>) -> Lowering<()> {
    let given_out: Vec<TypeId> = b.func.results.iter().map(|slot| slot.ty).collect();
    let first = *given_out.first().ok_or_else(|| Stop::broken("a step without result"))?;
    let context = match (&primal.ret, b.types.get(first)) {
        (None, _) => first,
        (Some(_), ir::Type::Struct(tuple)) => {
            b.types.structs[tuple].fields.get(1).ok_or_else(|| Stop::broken("a tuple without context"))?.ty
        }
        (Some(_), _) => return Err(Stop::broken("a result that is not a tuple")),
    };
    let types: Vec<TypeId> = primal.results().iter().map(|slot| slot.ty).chain([context]).collect();
    let results = b.call(Callee::Derivative(DerivativeKind::Apply, of), &args, &types);
    let Some((&context, values)) = results.split_last() else { return Err(Stop::broken("a step without result")) };
    let (returned, out) = values.split_at(usize::from(primal.ret.is_some()));
    let first = match returned.first() {
        Some(&value) => b.make(&[value, context], first),
        None => context,
    };
    let outputs: Vec<ValueId> = std::iter::once(first).chain(out.iter().copied()).collect();
    b.ret(outputs);
    Ok(())
}

/// `f.remat(context, …)`.
pub(super) fn remat(b: &mut FuncBuilder<'_>) -> Lowering<()> {
    let context = *b.func.input_values().first().ok_or_else(|| Stop::broken("a step without context"))?;
    b.ret(vec![context]);
    Ok(())
}

/// A context that is called.
pub(super) fn propagate(b: &mut FuncBuilder<'_>, of: FuncId, primal: &Surface, roles: &[Role]) -> Lowering<()> {
    let missing = || Stop::broken("a derivative with too few arguments");
    let mut inputs = b.func.input_values().to_vec().into_iter();
    let mut args = vec![inputs.next().ok_or_else(missing)?];
    let mut given: Vec<(ParamRole, ValueId)> = Vec::new();
    for role in roles.iter().filter(|role| role.direction.goes_in()) {
        given.push((role.stands_for, inputs.next().ok_or_else(missing)?));
    }
    let of_role = |wanted: ParamRole| given.iter().find(|(role, _)| *role == wanted).map(|(_, value)| *value);
    // Cotangents in the order of the primal function's results: the result itself, then what parameters give out.
    args.extend(of_role(ParamRole::ResultCotangent));
    let carrying = || primal.params.iter().enumerate().filter(|(_, param)| param.differentiable);
    for (index, _) in carrying().filter(|(_, param)| param.direction.comes_out()) {
        args.push(of_role(ParamRole::Cotangent(index)).ok_or_else(missing)?);
    }
    let mut types = Vec::new();
    for (_, param) in carrying().filter(|(_, param)| param.direction.goes_in()) {
        types.push(differential(b, param.ir_ty)?);
    }
    let cotangents = b.call(Callee::Derivative(DerivativeKind::Propagate, of), &args, &types);
    // Nobody takes the derivatives of what goes along.
    let named = carrying().filter(|(_, param)| param.direction.goes_in()).map(|(_, param)| !param.goes_along);
    let outputs: Vec<ValueId> =
        cotangents.iter().zip(named).filter(|(_, named)| *named).map(|(value, _)| *value).collect();
    b.ret(outputs);
    Ok(())
}
