//! Interface values given for a type parameter. Most generic functions work on the interface value as they do on any
//! other; one that asks the type itself something (`T.count()`, a static constant) is a match on the type that the value
//! holds, each arm calling the function that is specialised for that type.
//!
//! Deliberately absent: functions that no value of the type parameter is given to, or several ones; they are errors.

use base_db::Db;
use hir_def::item::{self, ItemId};
use hir_ty::{
    generics,
    infer::result::{Callable, Resolution},
    signature::FunctionRef,
    ty::{GenericArg, GenericArgs, Ty, TypeParam},
};
use ir::{Op, Type, TypeId, ValueId, builder::FuncBuilder};
use rustc_hash::FxHashSet;

use crate::{
    dispatch,
    error::{Lowering, Stop},
    front,
    mode::Mode,
    program::Program,
};

/// Which generic argument of a function is an interface, and which of its parameters (receiver included) has the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opening {
    argument: usize,
    param: usize,
}

/// Whether `function` has to be a match on the type that one of its arguments holds.
pub(crate) fn is_needed(program: &Program<'_>, function: FunctionRef) -> bool {
    program.mode == Mode::Program && find(program, function).is_some()
}

fn find(program: &Program<'_>, function: FunctionRef) -> Option<Opening> {
    let db = program.db;
    let is_interface =
        |arg: &GenericArg| matches!(arg, GenericArg::Type(ty) if hir_ty::extension::is_interface(db, *ty));
    let argument = function.args.args(db).iter().position(is_interface)?;
    let parameter = *generics::parameters(db, function.item).get(argument)?;
    if !asks_type(db, function.item, parameter, &mut FxHashSet::default()) {
        return None;
    }
    let signature = front::signature(db, function.item);
    let with_value: Vec<usize> =
        (0..signature.params.len()).filter(|index| signature.params[*index].ty == Ty::Param(parameter)).collect();
    match with_value.as_slice() {
        &[index] => Some(Opening { argument, param: index + usize::from(signature.receiver(db).is_some()) }),
        _ => None,
    }
}

/// Whether the text of `item`, or of what it calls with its own type parameter, uses a static member of `parameter`.
fn asks_type(db: &dyn Db, item: ItemId, parameter: TypeParam, seen: &mut FxHashSet<(ItemId, TypeParam)>) -> bool {
    const MAX_FUNCTIONS: usize = 256;
    if seen.len() >= MAX_FUNCTIONS || !seen.insert((item, parameter)) || !item::item_data(db, item).has_body() {
        return false;
    }
    let this = Ty::Param(parameter);
    let resolutions = &hir_ty::infer::infer(db, item).resolutions;
    let mut callees = Vec::new();
    for resolution in resolutions.values() {
        match resolution {
            Resolution::Global { item, owner: Some(owner) }
                if depends_on(db, *owner, this) && front::is_requirement(db, *item) =>
            {
                return true;
            }
            Resolution::Call(call) => callees.extend(function_of(&call.callee)),
            Resolution::Property { get, set, .. } => callees.extend(get.iter().chain(set).copied()),
            _ => {}
        }
    }
    callees.into_iter().any(|callee| {
        if front::is_requirement(db, callee.item) {
            let on_type = callee.self_ty.is_some_and(|ty| depends_on(db, ty, this));
            return on_type && !front::has_receiver(db, callee.item);
        }
        let parameters = generics::parameters(db, callee.item);
        let mut passed = callee.args.args(db).iter().zip(parameters);
        passed.any(|(arg, of)| {
            matches!(arg, GenericArg::Type(ty) if depends_on(db, *ty, this)) && asks_type(db, callee.item, *of, seen)
        })
    })
}

/// Whether `ty` is `parameter` or an associated type of it, however far off: `T.Part.Differential`.
fn depends_on(db: &dyn Db, mut ty: Ty, parameter: Ty) -> bool {
    while ty != parameter {
        let Ty::Associated(associated) = ty else { return false };
        ty = associated.base(db);
    }
    true
}

fn function_of(callable: &Callable) -> Option<FunctionRef> {
    match callable {
        Callable::Function(function) => Some(*function),
        Callable::Derivative { of, .. } => function_of(of),
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}

/// Fills in the body: a match on the value, each arm calling the function for the type that the value holds.
pub(crate) fn build(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, function: FunctionRef) -> Lowering<()> {
    let db = program.db;
    let opening = find(program, function).ok_or_else(|| Stop::broken("nothing to be opened"))?;
    let surface = front::surface(program, function)?;
    let before = surface.params.iter().take(opening.param).filter(|param| param.direction.goes_in()).count();
    let inputs: Vec<ValueId> = b.func.input_values().to_vec();
    let goes_in = surface.params.get(opening.param).is_some_and(|param| param.direction.goes_in());
    let value = inputs.get(before).copied().filter(|_| goes_in);
    let value = value.ok_or_else(|| Stop::unsupported("an interface value that a generic function only passes out"))?;
    let Type::Sum(sum) = b.type_of(value) else { return Err(Stop::broken("an interface that is not a sum")) };
    let results: Vec<TypeId> = b.func.results.iter().map(|slot| slot.ty).collect();
    let variants = b.types.sums[sum].variants.clone();
    let sources = program.variants.get(&sum).cloned().unwrap_or_default();
    let mut regions = Vec::new();
    for (variant, ty) in variants.iter().zip(sources) {
        let mut args: Vec<GenericArg> = function.args.args(db).to_vec();
        if let Some(arg) = args.get_mut(opening.argument) {
            *arg = GenericArg::Type(ty);
        }
        let args = GenericArgs::new(db, args.into_boxed_slice());
        let region = b.new_region(&[variant.ty]);
        let outer = b.switch_to(region);
        let mut passed = inputs.clone();
        passed[before] = b.params(region)[0];
        let built = program
            .function(FunctionRef { args, ..function })
            .and_then(|func| dispatch::call(program, b, func, &passed, &results));
        b.switch_to(outer);
        built?;
        regions.push(region);
    }
    let op = b.op(Op::SumMatch { sum: value, variants: regions, null: None }, &results);
    let values = b.results(op).to_vec();
    b.ret(values);
    Ok(())
}
