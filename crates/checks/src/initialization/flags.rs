//! Truth values that say whether something has been written: `bool hit = trace(ray, out t); … if (hit) shade(t);`.
//!
//! What is written wherever a flag becomes true is written where the flag is true. The first walk over the body looks at all
//! assignments to a flag. Of a flag that has one value alone, the second walk also learns from the branches that depend
//! on it: what `if (flag)` writes is written in the next `if (flag)`.

use hir_def::body::{LocalId, LocalKind};
use rustc_hash::FxHashMap;

use super::{cells::Cell, state::State};

#[derive(Debug, Default, Clone)]
pub(super) struct Flags {
    known: FxHashMap<LocalId, Flag>,
}

#[derive(Debug, Clone)]
struct Flag {
    /// How often it gets a value; a parameter has one from the start.
    values: u32,
    when_true: Implied,
    when_false: Implied,
}

/// The cells that are written.
#[derive(Debug, Clone)]
enum Implied {
    /// All: nothing makes the flag so.
    All,
    These(Vec<Cell>),
}

impl Flags {
    /// The flag becomes what a condition says; the states are those where it holds and where it fails.
    pub(super) fn assigned(&mut self, local: LocalId, kind: LocalKind, holds: &State, fails: &State) {
        if matches!(kind, LocalKind::Param { .. }) {
            self.changed(local);
            return;
        }
        let flag =
            self.known.entry(local).or_insert(Flag { values: 0, when_true: Implied::All, when_false: Implied::All });
        flag.values = flag.values.saturating_add(1);
        flag.when_true.narrow(holds);
        flag.when_false.narrow(fails);
    }

    /// The flag becomes something that is not known.
    pub(super) fn changed(&mut self, local: LocalId) {
        let nothing = || Implied::These(Vec::new());
        self.known.insert(local, Flag { values: u32::MAX, when_true: nothing(), when_false: nothing() });
    }

    /// The two ways of a branch on the flag come to their ends.
    pub(super) fn branched(&mut self, local: LocalId, when_true: &State, when_false: &State) {
        let flag = self.known.entry(local).or_insert(Flag {
            values: 1,
            when_true: Implied::These(Vec::new()),
            when_false: Implied::These(Vec::new()),
        });
        if flag.values == 1 {
            flag.when_true.widen(when_true);
            flag.when_false.widen(when_false);
        }
    }

    /// What is known where the flag is true, and where it is false.
    pub(super) fn test(&self, local: LocalId, state: &State) -> (State, State) {
        let (mut holds, mut fails) = (state.clone(), state.clone());
        if let Some(flag) = self.known.get(&local) {
            flag.when_true.put_into(&mut holds);
            flag.when_false.put_into(&mut fails);
        }
        (holds, fails)
    }
}

impl Implied {
    fn narrow(&mut self, state: &State) {
        if !state.is_reachable() {
            return;
        }
        match self {
            Implied::All => *self = Implied::These(state.written().collect()),
            Implied::These(cells) => cells.retain(|cell| state.is_written(*cell)),
        }
    }

    fn widen(&mut self, state: &State) {
        match self {
            _ if !state.is_reachable() => *self = Implied::All,
            Implied::All => {}
            Implied::These(cells) => {
                let more: Vec<Cell> = state.written().filter(|cell| !cells.contains(cell)).collect();
                cells.extend(more);
            }
        }
    }

    fn put_into(&self, state: &mut State) {
        match self {
            Implied::All => state.set_all(super::Written::Surely),
            Implied::These(cells) => cells.iter().for_each(|cell| state.set(*cell, super::Written::Surely)),
        }
    }
}
