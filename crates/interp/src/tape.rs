//! Values that the source takes out of differentiation, kept while the function is run again around a point.
//!
//! A derivative does not see what goes through `detach`, through a `no_diff` call, parameter, result or field, or through
//! a function whose derivative is zero by the user's declaration. Differences would: so the first run records these values, in
//! the order in which they are made, and later runs put the recorded ones in the place of their own. A run that makes
//! others (a branch was taken differently) says so, and its results are not to be compared.
//!
//! Only the source's own marks count: `Op::Detach`, the marks of calls and fields, and those of inputs and results in
//! [`ir::FuncRules`]. What carries no derivative for any other reason is not held, or no difference would ever show that a
//! derivative was lost there.

use ir::{
    FuncId, Module, Op, OpData, PathStep, Type, TypeId,
    types::{StructId, TypeTable},
};

/// Slots after which nothing more is kept; the run then counts as one that went another way.
const MOST_SLOTS: usize = 1 << 22;

/// The frozen values of one run.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    slots: Vec<u64>,
    next: usize,
    replays: bool,
    /// There was more to record than is kept.
    is_cut: bool,
    went_another_way: bool,
}

impl Tape {
    /// Starts from the beginning again, giving back what was recorded.
    pub(crate) fn rewind(&mut self) {
        (self.next, self.replays, self.went_another_way) = (0, true, false);
    }

    /// Whether the run that has ended made the recorded values and no others.
    pub(crate) fn is_followed(&self) -> bool {
        !self.is_cut && !self.went_another_way && (!self.replays || self.next == self.slots.len())
    }

    /// Records a value, or replaces it by the recorded one.
    pub(crate) fn freeze(&mut self, value: &mut [u64]) {
        if !self.replays {
            if self.slots.len() + value.len() > MOST_SLOTS {
                self.is_cut = true;
            } else {
                self.slots.extend_from_slice(value);
            }
            return;
        }
        match self.slots.get(self.next..self.next + value.len()) {
            Some(recorded) => value.copy_from_slice(recorded),
            None => self.went_another_way = true,
        }
        self.next += value.len();
    }
}

/// What becomes of the marked fields of a type whose derivatives are numbers of another kind ([`has_own_tangents`]): an
/// angle for a rotation matrix. The matrix is marked, as it has no counterpart, but it moves with the angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OwnTangents {
    #[default]
    Move,
    Hold,
}

/// Whether a struct's differential has numbers that are the derivative of no field: how the struct moves along them is
/// known to the rules that are written for it alone.
pub(crate) fn has_own_tangents(types: &TypeTable, id: StructId) -> bool {
    let Some(differential) = &types.structs[id].differential else { return false };
    match types.get(differential.ty) {
        Type::Struct(of) if of == id => false,
        Type::Struct(of) => (0..)
            .zip(&types.structs[of].fields)
            .any(|(index, field)| types.is_differentiable(field.ty) && !differential.fields.contains(&Some(index))),
        _ => differential.fields.iter().all(Option::is_none),
    }
}

/// Whether the result of an operation without regions has no derivative by the source's word.
pub(crate) fn is_frozen(
    module: &Module,
    types_of: impl Fn(ir::ValueId) -> TypeId,
    data: &OpData,
    own_tangents: OwnTangents,
) -> bool {
    match &data.op {
        Op::Detach(_) => true,
        Op::Extract { aggregate, path } => through_no_diff(&module.types, types_of(*aggregate), path, own_tangents),
        _ => false,
    }
}

/// Whether a path leads out of a type that is declared without a differential, or through a field that is marked, to
/// something that has one.
fn through_no_diff(types: &TypeTable, mut ty: TypeId, path: &[PathStep], own_tangents: OwnTangents) -> bool {
    for step in path {
        match (types.get(ty), step) {
            (Type::Struct(id), PathStep::Const(index)) => {
                let Some(field) = types.structs[id].fields.get(*index as usize) else { return false };
                let is_marked = field.no_diff || types.is_declared_without_differential(id);
                let moves = own_tangents == OwnTangents::Move && has_own_tangents(types, id);
                if is_marked && !moves && types.is_differentiable(field.ty) {
                    return true;
                }
                ty = field.ty;
            }
            (Type::Array { element, .. }, _) => ty = element,
            _ => return false,
        }
    }
    false
}

/// For each argument of a call, whether the callee's parameter is marked.
pub(crate) fn frozen_inputs(module: &Module, callee: FuncId) -> impl Iterator<Item = bool> + '_ {
    let func = &module.funcs[callee];
    (0..).zip(&func.inputs).map(|(index, _)| func.rules.marked_inputs.contains(&index))
}

/// For each result of a call, whether it, the call or the whole callee is marked.
pub(crate) fn frozen_results<'m>(module: &'m Module, callee: FuncId, op: &Op) -> impl Iterator<Item = bool> + use<'m> {
    let func = &module.funcs[callee];
    let all = func.rules.treat_as_differentiable || matches!(op, Op::Call { no_diff: true, .. });
    (0..).zip(&func.results).map(move |(index, _)| all || func.rules.marked_results.contains(&index))
}
