//! Values that take no part in differentiation, kept while the function is run again around a point.
//!
//! A derivative does not see what goes through `detach`, through a `no_diff` call, parameter, result or field, or through
//! a function whose derivative is zero by the user's word. Differences would: so the first run records these values, in
//! the order in which they are made, and later runs put the recorded ones in the place of their own. A run that makes
//! others (a branch was taken differently) says so, and its results are not to be compared.

use ir::{FuncId, Module, Op, OpData, PathStep, Type, TypeId, types::TypeTable};

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
    pub fn rewind(&mut self) {
        (self.next, self.replays, self.went_another_way) = (0, true, false);
    }

    /// Whether the run that has ended made the recorded values and no others.
    pub fn is_followed(&self) -> bool {
        !self.is_cut && !self.went_another_way && (!self.replays || self.next == self.slots.len())
    }

    /// Records a value, or replaces it by the recorded one.
    pub fn freeze(&mut self, value: &mut [u64]) {
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

/// Whether the result of an operation without regions has no derivative by the user's word.
pub(crate) fn is_frozen(module: &Module, types_of: impl Fn(ir::ValueId) -> TypeId, data: &OpData) -> bool {
    match &data.op {
        Op::Detach(_) => true,
        Op::Extract { aggregate, path } => through_no_diff(&module.types, types_of(*aggregate), path),
        _ => false,
    }
}

/// Whether a path goes through a field without derivative whose type has one.
fn through_no_diff(types: &TypeTable, mut ty: TypeId, path: &[PathStep]) -> bool {
    for step in path {
        match (types.get(ty), step) {
            (Type::Struct(id), PathStep::Const(index)) => {
                let Some(field) = types.structs[id].fields.get(*index as usize) else { return false };
                if field.no_diff && types.is_differentiable(field.ty) {
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

/// For each argument of a call, whether the callee's derivative does not see it.
pub(crate) fn frozen_inputs(module: &Module, callee: FuncId) -> impl Iterator<Item = bool> + '_ {
    let inputs = module.funcs[callee].inputs.iter();
    inputs.map(|input| !input.differentiable && module.types.is_differentiable(input.ty))
}

/// For each result of a call, whether the caller's derivative does not see it.
pub(crate) fn frozen_results<'m>(module: &'m Module, callee: FuncId, op: &Op) -> impl Iterator<Item = bool> + use<'m> {
    let func = &module.funcs[callee];
    let all = func.rules.treat_as_differentiable || matches!(op, Op::Call { no_diff: true, .. });
    func.results.iter().map(move |slot| module.types.is_differentiable(slot.ty) && (all || !slot.differentiable))
}
