//! What is known about some of the expressions of a body.
//!
//! Every function of a project keeps such tables: a number for each expression and the entries without gaps between them
//! take a third of what a hash table takes.

use hir_def::body::ExprId;

/// A value for some of the expressions of one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprMap<T> {
    /// The place of each expression's entry; [`NONE`] where it has none.
    places: Vec<u32>,
    entries: Vec<Option<T>>,
}

const NONE: u32 = u32::MAX;

impl<T> Default for ExprMap<T> {
    fn default() -> ExprMap<T> {
        ExprMap { places: Vec::new(), entries: Vec::new() }
    }
}

impl<T> ExprMap<T> {
    /// What is noted for an expression.
    pub fn get(&self, expr: &ExprId) -> Option<&T> {
        self.entries.get(self.place(*expr)?)?.as_ref()
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, expr: &ExprId) -> Option<&mut T> {
        let place = self.place(*expr)?;
        self.entries.get_mut(place)?.as_mut()
    }

    /// Whether something is noted for an expression.
    pub fn contains_key(&self, expr: &ExprId) -> bool {
        self.get(expr).is_some()
    }

    /// Notes a value for an expression, in the place of what was noted before.
    pub fn insert(&mut self, expr: ExprId, value: T) {
        match self.place(expr) {
            Some(place) => self.entries[place] = Some(value),
            None => {
                let index = index(expr);
                if self.places.len() <= index {
                    self.places.resize(index + 1, NONE);
                }
                self.places[index] = self.entries.len() as u32;
                self.entries.push(Some(value));
            }
        }
    }

    /// Takes what is noted for an expression.
    pub fn remove(&mut self, expr: &ExprId) -> Option<T> {
        let place = self.place(*expr)?;
        self.entries.get_mut(place)?.take()
    }

    /// In the order of the expressions.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &T)> {
        let entry = |place: u32| self.entries.get(place as usize)?.as_ref();
        let places = self.places.iter().enumerate();
        places.filter_map(move |(index, place)| Some((ExprId::from_raw((index as u32).into()), entry(*place)?)))
    }

    /// All that is noted, in no order that means something.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.iter().map(|(_, value)| value)
    }

    /// Gives back what the lists took to grow.
    pub(super) fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// The bytes of the lists.
    pub(super) fn heap_size(&self) -> usize {
        size_of_val(&*self.places) + size_of_val(&*self.entries)
    }

    fn place(&self, expr: ExprId) -> Option<usize> {
        self.places.get(index(expr)).copied().filter(|place| *place != NONE).map(|place| place as usize)
    }
}

fn index(expr: ExprId) -> usize {
    expr.into_raw().into_u32() as usize
}

#[cfg(test)]
mod tests {
    use super::{ExprId, ExprMap};

    #[test]
    fn entries_are_found_replaced_and_removed() {
        let id = |index: u32| ExprId::from_raw(index.into());
        let mut map = ExprMap::default();
        map.insert(id(7), 'a');
        map.insert(id(2), 'b');
        map.insert(id(7), 'c');
        assert_eq!(map.get(&id(7)), Some(&'c'));
        assert_eq!((map.get(&id(3)), map.get(&id(100))), (None, None));
        assert_eq!(map.iter().collect::<Vec<_>>(), [(id(2), &'b'), (id(7), &'c')]);
        assert_eq!(map.remove(&id(7)), Some('c'));
        assert!(!map.contains_key(&id(7)));
        map.insert(id(7), 'd');
        assert_eq!(map.values().collect::<String>(), "bd");
    }
}
