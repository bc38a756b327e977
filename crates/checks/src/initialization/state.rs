//! What is known about variables at one place of a body.

use std::ops::Range;

use super::cells::Cell;

/// Whether a cell has been written when control gets to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Never,
    /// On some paths.
    Perhaps,
    Surely,
}

/// One entry per cell; nothing where control never gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    cells: Option<Vec<Written>>,
}

impl State {
    pub(super) const UNREACHABLE: State = State { cells: None };

    pub(super) fn new(cells: Vec<Written>) -> State {
        State { cells: Some(cells) }
    }

    pub(super) fn is_reachable(&self) -> bool {
        self.cells.is_some()
    }

    pub(super) fn get(&self, cell: Cell) -> Written {
        self.cells.as_ref().and_then(|cells| cells.get(cell.0)).copied().unwrap_or(Written::Surely)
    }

    pub(super) fn set(&mut self, cell: Cell, written: Written) {
        if let Some(known) = self.cells.as_mut().and_then(|cells| cells.get_mut(cell.0)) {
            *known = written;
        }
    }

    pub(super) fn set_all(&mut self, written: Written) {
        self.cells.iter_mut().for_each(|cells| cells.fill(written));
    }

    pub(super) fn is_written(&self, cell: Cell) -> bool {
        self.get(cell) == Written::Surely
    }

    /// The cells that are surely written.
    pub(super) fn written(&self) -> impl Iterator<Item = Cell> + '_ {
        let cells = self.cells.iter().flatten().enumerate();
        cells.filter(|(_, written)| **written == Written::Surely).map(|(index, _)| Cell(index))
    }

    /// What is known of the cell of which most is known: a variable is taken as written when one of its fields is.
    pub(super) fn best(&self, mut cells: Range<usize>) -> Written {
        let is = |wanted: Written| move |index: usize| self.get(Cell(index)) == wanted;
        if cells.clone().any(is(Written::Surely)) {
            Written::Surely
        } else if cells.any(is(Written::Perhaps)) {
            Written::Perhaps
        } else {
            Written::Never
        }
    }

    /// What was not written may have been: it is written on a path that leads here.
    pub(super) fn raise(&mut self, cells: &[Cell]) {
        for &cell in cells {
            if self.get(cell) == Written::Never {
                self.set(cell, Written::Perhaps);
            }
        }
    }

    /// Control gets here from another place, too.
    pub(super) fn join(&mut self, other: State) {
        match (&mut self.cells, other.cells) {
            (Some(cells), Some(others)) => {
                for (cell, other) in cells.iter_mut().zip(others) {
                    if *cell != other {
                        *cell = Written::Perhaps;
                    }
                }
            }
            (Some(_), None) => {}
            (cells @ None, others) => *cells = others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, State, Written};

    #[test]
    fn paths_join() {
        use Written::{Never, Perhaps, Surely};
        let mut state = State::new(vec![Never, Surely, Never, Perhaps]);
        state.join(State::UNREACHABLE);
        assert_eq!(state, State::new(vec![Never, Surely, Never, Perhaps]));
        state.join(State::new(vec![Surely, Surely, Never, Surely]));
        assert_eq!(state, State::new(vec![Perhaps, Surely, Never, Perhaps]));
        assert_eq!((state.best(0..2), state.best(2..4), state.best(2..3)), (Surely, Perhaps, Never));
        let mut unreachable = State::UNREACHABLE;
        unreachable.raise(&[Cell(0)]);
        assert!(!unreachable.is_reachable());
        unreachable.join(state.clone());
        assert_eq!(unreachable, state);
    }
}
