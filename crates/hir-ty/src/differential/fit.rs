//! Whether a function that the user wrote has the signature that a derivative must have.

use base_db::Db;

use super::signature::{CallableParam, CallableSignature};
use crate::{
    generics::{
        env::{Bound, Env},
        solve::Solver,
        substitute::{Substitution, substitute},
    },
    types::{
        conversion,
        shapes::numeric,
        ty::{GenericArg, ParamDirection, Ty, TypeParam},
    },
};

/// The first difference between the signature that is there and the one that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// How many parameters there are.
    ParamCount,
    /// Type or direction of the parameter with this index.
    Param(usize),
    /// The type of the result.
    Return,
    /// A generic parameter does not follow from the types.
    Undeduced(TypeParam),
    /// The function asks more of its generic arguments than the other one promises.
    Unmet(Bound),
    /// The other one, which the function names (`…Of`), asks more of its generic arguments than the function promises.
    UnmetByOriginal(Bound),
}

/// What may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tolerance {
    /// A receiver may be given as it is where a pair is expected, or the other way round.
    pub receiver: bool,
    /// Numbers that only go in may be of other types, of the same shape, to which they convert as in a call.
    pub numbers: bool,
}

impl Tolerance {
    /// All is the same.
    pub const NONE: Tolerance = Tolerance { receiver: false, numbers: false };
}

/// Finds arguments for the generic `parameters` of `found` that make it equal to `expected`, but for what may differ. Parameters that the types leave open
/// are those of `by_position`, one per parameter or empty, if those that the types settle are so, too.
pub fn fit(
    db: &dyn Db,
    env: Env,
    found: &CallableSignature,
    expected: &CallableSignature,
    parameters: &[TypeParam],
    tolerance: Tolerance,
    by_position: &[GenericArg],
) -> Result<Substitution, Mismatch> {
    if found.params.len() != expected.params.len() {
        return Err(Mismatch::ParamCount);
    }
    let pairs = || found.params.iter().zip(&expected.params);
    let mut solver = Solver::new(db, env, parameters);
    let types = pairs().map(|(found, expected)| (found.ty, expected.ty)).chain([(found.ret, expected.ret)]);
    for (found, expected) in types {
        // What does not unify is found by the comparison below, which says where.
        let _ = solver.unify(found, expected);
    }
    fill_in_by_position(&mut solver, parameters, by_position);
    let substitution = solver.substitution();
    // Associated types (`T.Differential`) are known only once `T` is, so equality is checked at the end.
    let put_in = |ty: Ty| substitute(db, env, ty, &substitution);
    for (index, (found, expected)) in pairs().enumerate() {
        let same = put_in(found.ty) == expected.ty && same_direction(found.direction, expected.direction);
        let tolerated = index == 0 && tolerance.receiver && is_receiver_form(db, put_in(found.ty), expected)
            || tolerance.numbers && takes_number(db, env, (put_in(found.ty), found.direction), expected);
        if !(same || tolerated || mentions_error(found, expected)) {
            return Err(Mismatch::Param(index));
        }
    }
    let ret = put_in(found.ret);
    if ret != expected.ret && !ret.is_error() && !expected.ret.is_error() {
        return Err(Mismatch::Return);
    }
    match solver.first_unsolved() {
        Some(parameter) => Err(Mismatch::Undeduced(parameter)),
        None => Ok(substitution),
    }
}

fn fill_in_by_position(solver: &mut Solver<'_>, parameters: &[TypeParam], by_position: &[GenericArg]) {
    let settled = solver.substitution();
    let agrees = parameters
        .iter()
        .zip(by_position)
        .all(|(parameter, arg)| settled.get(*parameter).is_none_or(|found| found == *arg));
    if parameters.len() != by_position.len() || !agrees {
        return;
    }
    for (index, arg) in by_position.iter().enumerate() {
        if !solver.is_solved(index) {
            solver.fix(index, *arg);
        }
    }
}

/// Errors are reported where they are; they fit everything.
fn mentions_error(found: &CallableParam, expected: &CallableParam) -> bool {
    found.ty.is_error() || expected.ty.is_error()
}

fn same_direction(found: ParamDirection, expected: ParamDirection) -> bool {
    let by_value = |direction| match direction {
        ParamDirection::ConstRef => ParamDirection::In,
        ParamDirection::Ref => ParamDirection::InOut,
        direction => direction,
    };
    by_value(found) == by_value(expected)
}

/// Whether a number that goes in converts to that of a parameter, as the argument of a call does.
fn takes_number(db: &dyn Db, env: Env, (ty, direction): (Ty, ParamDirection), expected: &CallableParam) -> bool {
    let goes_in = |direction| matches!(direction, ParamDirection::In | ParamDirection::ConstRef);
    let shape = |ty| numeric(db, ty).map(|(shape, _)| shape);
    goes_in(direction)
        && goes_in(expected.direction)
        && shape(ty).is_some_and(|of| shape(expected.ty) == Some(of))
        && conversion::convert(db, env, expected.ty, ty).is_some()
}

/// Whether `found` is the receiver as a pair where `expected` has it plain.
fn is_receiver_form(db: &dyn Db, found: Ty, expected: &CallableParam) -> bool {
    expected.name.as_str() == "this" && found.as_pair(db) == Some(expected.ty)
}
