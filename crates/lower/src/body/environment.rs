//! Variables of the source as SSA values: which value each variable has at the cursor.

use std::{cell::Cell, rc::Rc};

use ir::{Terminator, ValueId, builder::FuncBuilder};
use smol_str::SmolStr;

use crate::error::{Lowering, Stop};

/// A variable of the function that is being lowered: a parameter, a local, `this`, or a temporary that control flow
/// assigns in several places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId {
    /// Its place among the variables that are in scope.
    index: u32,
    /// Which declaration it is of: a place is taken again once a region has ended, a declaration never is.
    declaration: u32,
}

#[derive(Debug, Clone)]
struct Variable {
    declaration: u32,
    value: ValueId,
    name: Option<SmolStr>,
}

/// The current value of every variable in scope. Later variables belong to inner scopes: going on with the environment of
/// before a region forgets those declared inside. Who asks for one of these is told so, and never gets what has taken its
/// place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    variables: Vec<Variable>,
    /// How many variables the function has declared, in this environment and its copies.
    declarations: Rc<Cell<u32>>,
}

impl Environment {
    pub(crate) fn declare(&mut self, name: Option<SmolStr>, value: ValueId) -> VariableId {
        let declaration = self.declarations.replace(self.declarations.get() + 1);
        self.variables.push(Variable { declaration, value, name });
        VariableId { index: self.variables.len() as u32 - 1, declaration }
    }

    /// The environment as it is, which no variable is left in.
    pub(crate) fn take(&mut self) -> Environment {
        let left = Environment { variables: Vec::new(), declarations: Rc::clone(&self.declarations) };
        std::mem::replace(self, left)
    }

    fn find(&self, id: VariableId) -> Option<&Variable> {
        self.variables.get(id.index as usize).filter(|variable| variable.declaration == id.declaration)
    }

    pub(crate) fn get(&self, id: VariableId) -> Lowering<ValueId> {
        self.find(id).map(|variable| variable.value).ok_or_else(out_of_scope)
    }

    pub(crate) fn set(&mut self, id: VariableId, value: ValueId) -> Lowering<()> {
        let variable = self.variables.get_mut(id.index as usize);
        let variable = variable.filter(|variable| variable.declaration == id.declaration).ok_or_else(out_of_scope)?;
        variable.value = value;
        Ok(())
    }

    /// Gives the value that a variable has just got the variable's name, for printing.
    pub(crate) fn set_named(&mut self, b: &mut FuncBuilder<'_>, id: VariableId, value: ValueId) -> Lowering<()> {
        self.set(id, value)?;
        if let Some(name) = self.find(id).and_then(|variable| variable.name.as_ref()) {
            let slot = &mut b.func.values[value].name;
            if slot.is_none() {
                *slot = Some(name.clone());
            }
        }
        Ok(())
    }

    /// The variables (among those that `self` knows) whose value differs in `other`.
    pub(crate) fn changed_in<'a>(&'a self, other: &'a Environment) -> impl Iterator<Item = VariableId> + 'a {
        let pairs = (0..).zip(self.variables.iter().zip(&other.variables));
        pairs
            .filter(|(_, (before, after))| before.value != after.value)
            .map(|(index, (before, _))| VariableId { index, declaration: before.declaration })
    }
}

fn out_of_scope() -> Stop {
    Stop::broken("a variable outside of its scope")
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
pub(crate) fn join(b: &mut FuncBuilder<'_>, before: &Environment, arms: &[Arm]) -> Lowering<Option<Vec<VariableId>>> {
    let mut changed: Vec<VariableId> =
        arms.iter().filter_map(|arm| arm.end.as_ref()).flat_map(|end| before.changed_in(end)).collect();
    changed.sort_unstable();
    changed.dedup();
    let mut any_ends = false;
    for arm in arms {
        if let Some(end) = &arm.end {
            any_ends = true;
            let values = changed.iter().map(|&variable| end.get(variable)).collect::<Lowering<_>>()?;
            b.within(arm.region, |b| b.terminate(Terminator::Yield(values)));
        }
    }
    Ok(any_ends.then_some(changed))
}

#[cfg(test)]
mod tests {
    use la_arena::{Idx, RawIdx};

    use super::{Environment, ValueId, VariableId};

    fn value(number: u32) -> ValueId {
        Idx::from_raw(RawIdx::from_u32(number))
    }

    /// A variable that is declared and forgotten again, as by a region that ends.
    fn forgotten(environment: &Environment) -> VariableId {
        environment.clone().declare(Some("gone".into()), value(7))
    }

    #[test]
    fn a_variable_whose_scope_has_ended_is_none_of_those_declared_since() {
        let mut environment = Environment::default();
        let outer = environment.declare(None, value(1));
        let gone = forgotten(&environment);
        assert!(environment.get(gone).is_err());
        let inner = environment.declare(None, value(2));
        assert!(environment.get(gone).is_err() && environment.set(gone, value(3)).is_err());
        assert_eq!(environment.get(inner), Ok(value(2)));
        assert_eq!(environment.get(outer), Ok(value(1)));
        let left = environment.take();
        let next = environment.declare(None, value(4));
        assert!(environment.get(outer).is_err() && left.get(next).is_err());
    }
}
