//! Variables of the source as SSA values: which value each variable has at the cursor.

use ir::{Terminator, ValueId, builder::FuncBuilder};
use smol_str::SmolStr;

/// A variable of the function that is being lowered: a parameter, a local, `this`, or a temporary that control flow
/// assigns in several places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(u32);

/// The current value of every variable. Later variables belong to inner scopes: leaving a region forgets those declared
/// inside simply because nothing names them any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    values: Vec<ValueId>,
    names: Vec<Option<SmolStr>>,
}

impl Environment {
    pub(crate) fn declare(&mut self, name: Option<SmolStr>, value: ValueId) -> VariableId {
        self.values.push(value);
        self.names.push(name);
        VariableId(self.values.len() as u32 - 1)
    }

    pub(crate) fn get(&self, variable: VariableId) -> ValueId {
        self.values[variable.0 as usize]
    }

    pub(crate) fn set(&mut self, variable: VariableId, value: ValueId) {
        self.values[variable.0 as usize] = value;
    }

    pub(crate) fn name(&self, variable: VariableId) -> Option<&SmolStr> {
        self.names[variable.0 as usize].as_ref()
    }

    /// Gives the value that a variable has just got the variable's name, for printing.
    pub(crate) fn set_named(&mut self, b: &mut FuncBuilder<'_>, variable: VariableId, value: ValueId) {
        self.set(variable, value);
        if let Some(name) = self.name(variable) {
            let slot = &mut b.func.values[value].name;
            if slot.is_none() {
                *slot = Some(name.clone());
            }
        }
    }

    /// The variables (among those that `self` knows) whose value differs in `other`.
    pub(crate) fn changed_in<'a>(&'a self, other: &'a Environment) -> impl Iterator<Item = VariableId> + 'a {
        self.values
            .iter()
            .zip(&other.values)
            .enumerate()
            .filter(|(_, (before, after))| before != after)
            .map(|(index, _)| VariableId(index as u32))
    }
}

/// The end of one arm of a branch: where it is, and the variables there; `None` if control has left the arm for good
/// (`return`, `break`, …).
#[derive(Debug)]
pub(crate) struct Arm {
    pub region: ir::RegionId,
    pub end: Option<Environment>,
}

/// Ends the arms of a branch: each yields the variables that differ from `before` in any of them. Gives these variables;
/// the op that is built for the branch must have them as results, in order. `None` if no arm comes to its end.
pub(crate) fn join(b: &mut FuncBuilder<'_>, before: &Environment, arms: &[Arm]) -> Option<Vec<VariableId>> {
    let mut changed: Vec<VariableId> =
        arms.iter().filter_map(|arm| arm.end.as_ref()).flat_map(|end| before.changed_in(end)).collect();
    changed.sort_unstable();
    changed.dedup();
    let mut any_ends = false;
    for arm in arms {
        if let Some(end) = &arm.end {
            any_ends = true;
            let values = changed.iter().map(|&variable| end.get(variable)).collect();
            b.within(arm.region, |b| b.terminate(Terminator::Yield(values)));
        }
    }
    any_ends.then_some(changed)
}
