//! Calls of requirements on interface values: a match on the type that the value holds, each arm calling that type's
//! implementation. Differentiation sees an ordinary function with a branch.

use hir_def::item::ItemId;
use hir_ty::{signature::FunctionRef, ty::Ty};
use ir::{Callee, FuncId, Op, PathStep, Role, Type, TypeId, ValueId, builder::FuncBuilder};

use crate::{
    error::{Lowering, Stop},
    front,
    key::FunctionKey,
    program::Program,
    receiver_types,
    surface::{Direction, Surface, SurfaceParam},
    types::FieldPlace,
};

/// What the arm of a type does.
pub(crate) enum Arm {
    /// Calls a function; `declared` says whose defaults stand in for what the requirement does not pass.
    Call { func: FuncId, declared: Option<FunctionRef> },
    /// Reads or writes a field.
    Field(ItemId),
}

/// The signature of the function that dispatches. A static requirement takes the value whose type decides all the same.
pub(crate) fn surface(program: &mut Program<'_>, requirement: FunctionRef) -> Lowering<Surface> {
    let mut surface = front::surface(program, requirement)?;
    if let Some(ty) = requirement.self_ty
        && !front::has_receiver(program.db, requirement.item)
    {
        let ir_ty = program.lower_type(ty)?;
        let receiver = SurfaceParam {
            name: "this".into(),
            ty,
            ir_ty,
            direction: Direction::In,
            differentiable: false,
            goes_along: false,
            is_place: false,
            is_this: true,
            // A static function has no use for it.
            no_diff: true,
        };
        surface.params.insert(0, receiver);
    }
    Ok(surface)
}

pub(crate) fn build(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, requirement: FunctionRef) -> Lowering<()> {
    match_on_receiver(program, b, &mut |program, ty| {
        let implementation = FunctionRef { self_ty: Some(ty), ..requirement };
        if let Some(field) = front::accessor_field(program, implementation) {
            return Ok(Arm::Field(field));
        }
        let func = program.function(implementation)?;
        let declared = match front::resolve(program, implementation)? {
            front::Resolved::Source(found) => Some(found),
            front::Resolved::Dispatch(_)
            | front::Resolved::Synthesized(..)
            | front::Resolved::Closure(_)
            | front::Resolved::FunctionValue(_) => None,
        };
        Ok(Arm::Call { func, declared })
    })
}

/// A match on the first input, a sum, with the arm that `implementation` returns for the type of each variant.
pub(crate) fn match_on_receiver(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    implementation: &mut dyn FnMut(&mut Program<'_>, Ty) -> Lowering<Arm>,
) -> Lowering<()> {
    let inputs: Vec<ValueId> = b.func.input_values().to_vec();
    let &[receiver, ref rest @ ..] = inputs.as_slice() else {
        return Err(Stop::unsupported("a requirement without receiver"));
    };
    let Type::Sum(sum) = b.type_of(receiver) else {
        return Err(Stop::unsupported("a static requirement of an interface called on its name"));
    };
    let results: Vec<TypeId> = b.func.results.iter().map(|slot| slot.ty).collect();
    let variants = b.types.sums[sum].variants.clone();
    let sources = program.variants.get(&sum).cloned().unwrap_or_default();
    let mut regions = Vec::new();
    let (whole, comes_out) = (receiver, gives_receiver(b, receiver));
    for (variant, ty) in variants.iter().zip(sources) {
        let arm = implementation(program, ty)?;
        let region = b.new_region(&[variant.ty]);
        let outer = b.switch_to(region);
        let value = b.params(region)[0];
        let built = match arm {
            Arm::Field(field) => access_field(program, b, (value, ty), field, rest, &results),
            Arm::Call { func, declared } => {
                let whole = if comes_out { Some(whole) } else { None };
                call_implementation(program, b, (func, declared), (value, rest), (&results, whole))
            }
        };
        b.switch_to(outer);
        built?;
        regions.push(region);
    }
    let op = b.op(Op::SumMatch { sum: receiver, variants: regions, null: None }, &results);
    let values = b.results(op).to_vec();
    b.ret(values);
    Ok(())
}

/// Whether the receiver of the function under construction comes out of it again.
fn gives_receiver(b: &FuncBuilder<'_>, receiver: ValueId) -> bool {
    let number = b.func.input_values().iter().zip(0..).find(|&(&input, _)| input == receiver);
    b.func.results.iter().any(|slot| number.is_some_and(|(_, number)| slot.role == Role::InOut(number)))
}

fn changes_receiver(program: &Program<'_>, func: FuncId) -> Lowering<bool> {
    let surface = program.surface(func)?;
    Ok(surface.params.first().is_some_and(|param| param.is_this && param.direction.comes_out()))
}

/// One arm: a call of the implementation, with what depends on the receiver's type taken out of interface values and put
/// back into them. What the implementation takes beyond the requirement has defaults. `whole` is the receiver where one
/// comes out.
fn call_implementation(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    (func, declared): (FuncId, Option<FunctionRef>),
    (receiver, rest): (ValueId, &[ValueId]),
    (wanted, whole): (&[TypeId], Option<ValueId>),
) -> Lowering<()> {
    let surface = program.surface(func)?;
    let inputs: Vec<TypeId> = program.module.funcs[func].inputs.iter().map(|input| input.ty).collect();
    let results: Vec<TypeId> = program.module.funcs[func].results.iter().map(|slot| slot.ty).collect();
    let takes_receiver = surface.params.first().is_some_and(|param| param.is_this);
    let mut args: Vec<ValueId> = takes_receiver.then_some(receiver).into_iter().chain(rest.iter().copied()).collect();
    if let (Some(declared), Some(missing)) = (declared, inputs.len().checked_sub(args.len())) {
        let first = surface.params.len().saturating_sub(missing);
        for index in first..surface.params.len() {
            args.push(default_argument(program, b, declared, &surface, index)?);
        }
    }
    // A requirement that may change its receiver, fulfilled by a function that does not.
    let unchanged = if changes_receiver(program, func)? { None } else { whole };
    if inputs.len() != args.len() || results.len() + usize::from(unchanged.is_some()) != wanted.len() {
        return Err(Stop::unsupported(
            "an implementation with another signature than its requirement, called on an interface value,",
        ));
    }
    let mut values = call_unwrapped(program, b, func, &args)?;
    if let Some(receiver) = unchanged {
        let position = usize::from(surface.ret.is_some());
        values.insert(position, receiver);
    }
    give(program, b, values, wanted)
}

/// One arm: a call of `func`, which takes and gives as much as the function around it.
pub(crate) fn call(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    func: FuncId,
    args: &[ValueId],
    wanted: &[TypeId],
) -> Lowering<()> {
    let values = call_unwrapped(program, b, func, args)?;
    give(program, b, values, wanted)
}

/// A call with what `func` wants taken out of interface values.
fn call_unwrapped(
    program: &Program<'_>,
    b: &mut FuncBuilder<'_>,
    func: FuncId,
    args: &[ValueId],
) -> Lowering<Vec<ValueId>> {
    let inputs: Vec<TypeId> = program.module.funcs[func].inputs.iter().map(|input| input.ty).collect();
    let results: Vec<TypeId> = program.module.funcs[func].results.iter().map(|slot| slot.ty).collect();
    let mut passed = Vec::new();
    for (&arg, &ty) in args.iter().zip(&inputs) {
        passed.push(if b.ty(arg) == ty { arg } else { receiver_types::unwrap(b, arg, ty)? });
    }
    Ok(b.call(Callee::Func(func), &passed, &results).to_vec())
}

/// The default of the parameter number `index` (receiver included) of what implements a requirement.
fn default_argument(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    declared: FunctionRef,
    surface: &Surface,
    index: usize,
) -> Lowering<ValueId> {
    let param = surface.params.get(index).ok_or_else(|| Stop::broken("a default argument of no parameter"))?;
    let written = index - usize::from(surface.params.first().is_some_and(|param| param.is_this));
    let index = u32::try_from(written).map_err(|_| Stop::broken("too many parameters"))?;
    let key = FunctionKey::DefaultArgument { function: declared, index, ty: param.ty };
    let func = program.request(key)?;
    let values = b.call(Callee::Func(func), &[], &[param.ir_ty]);
    values.first().copied().ok_or_else(|| Stop::broken("a default argument without value"))
}

/// One arm of a required property that the type has as a field: its value, or the receiver with the new value in it.
fn access_field(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    (receiver, owner): (ValueId, Ty),
    field: ItemId,
    rest: &[ValueId],
    wanted: &[TypeId],
) -> Lowering<()> {
    let FieldPlace::Whole(index) = program.field_place(owner, field)? else {
        return Err(Stop::unsupported("a bit field as the implementation of a requirement on an interface value"));
    };
    let path = [PathStep::Const(index)];
    let value = match rest {
        [] => b.extract(receiver, path),
        &[new, ..] => {
            let ty = b.types.path_type(b.ty(receiver), &path).ok_or_else(|| Stop::broken("no field"))?;
            let new = if b.ty(new) == ty { new } else { receiver_types::unwrap(b, new, ty)? };
            b.insert(receiver, path, new)
        }
    };
    give(program, b, vec![value], wanted)
}

/// Ends an arm with its results.
fn give(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    mut values: Vec<ValueId>,
    wanted: &[TypeId],
) -> Lowering<()> {
    if values.len() != wanted.len() {
        return Err(Stop::unsupported("this accessor of a property that is a field"));
    }
    for (value, &ty) in values.iter_mut().zip(wanted) {
        if b.ty(*value) != ty {
            *value = receiver_types::wrap(program, b, *value, ty)?;
        }
    }
    b.yield_(values);
    Ok(())
}
