//! Definitions that are added and revised through a shared reference.

use std::{
    ops::{Index, IndexMut},
    sync::atomic::{AtomicU32, Ordering},
};

use la_arena::{Idx, RawIdx};

/// The structs, or the sums, of a [`TypeTable`](crate::types::TypeTable), by id.
///
/// Nothing is ever changed in place behind a shared reference: a revision is appended and becomes the definition that the
/// id stands for. Who holds the definition from before keeps it, unchanged, as long as the table lives. Reading takes no
/// lock. Of two threads that revise one definition at the same time the last one wins.
#[derive(Debug)]
pub struct Definitions<T> {
    versions: boxcar::Vec<T>,
    /// For each id the index of its latest version.
    latest: boxcar::Vec<AtomicU32>,
}

impl<T> Definitions<T> {
    /// Adds a definition; its id is one that no other has.
    pub fn add(&self, definition: T) -> Idx<T> {
        let version = self.append(definition);
        id(self.latest.push(AtomicU32::new(version)))
    }

    /// Puts a changed copy in the place of the definition `id`.
    pub fn revise(&self, id: Idx<T>, change: impl FnOnce(&mut T))
    where
        T: Clone,
    {
        let mut definition = self[id].clone();
        change(&mut definition);
        let version = self.append(definition);
        self.latest[index(id)].store(version, Ordering::Release);
    }

    /// How many definitions there are, each counted once.
    pub fn count(&self) -> usize {
        self.latest.count()
    }

    /// The ids that there are now. They do not borrow the table, so that definitions can be changed on the way.
    pub fn ids(&self) -> impl Iterator<Item = Idx<T>> + Clone + use<T> {
        (0..self.count()).map(id)
    }

    /// All definitions in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (Idx<T>, &T)> {
        self.latest.iter().map(|(index, version)| (id(index), &self.versions[loaded(version)]))
    }

    fn append(&self, definition: T) -> u32 {
        u32::try_from(self.versions.push(definition)).expect("fewer than 2^32 definitions")
    }
}

impl<T> Default for Definitions<T> {
    fn default() -> Definitions<T> {
        Definitions { versions: boxcar::Vec::new(), latest: boxcar::Vec::new() }
    }
}

/// A copy has the latest versions alone.
impl<T: Clone> Clone for Definitions<T> {
    fn clone(&self) -> Definitions<T> {
        let copy = Definitions::default();
        for (_, definition) in self.iter() {
            copy.add(definition.clone());
        }
        copy
    }
}

impl<T> Index<Idx<T>> for Definitions<T> {
    type Output = T;

    fn index(&self, id: Idx<T>) -> &T {
        &self.versions[loaded(&self.latest[index(id)])]
    }
}

/// Who owns the table changes its definitions in place.
impl<T> IndexMut<Idx<T>> for Definitions<T> {
    fn index_mut(&mut self, id: Idx<T>) -> &mut T {
        let version = loaded(&self.latest[index(id)]);
        self.versions.get_mut(version).expect("a version of a definition")
    }
}

fn loaded(version: &AtomicU32) -> usize {
    version.load(Ordering::Acquire) as usize
}

fn index<T>(id: Idx<T>) -> usize {
    u32::from(id.into_raw()) as usize
}

fn id<T>(index: usize) -> Idx<T> {
    Idx::from_raw(RawIdx::from_u32(index as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_leaves_what_was_read_before_as_it_was() {
        let names = Definitions::default();
        let (first, second) = (names.add("a".to_owned()), names.add("b".to_owned()));
        let before = &names[first];
        names.revise(first, |name| name.push('c'));
        assert_eq!((before.as_str(), names[first].as_str(), names[second].as_str()), ("a", "ac", "b"));
        let copy = names.clone();
        let texts: Vec<(Idx<String>, &str)> = copy.iter().map(|(id, name)| (id, name.as_str())).collect();
        assert_eq!(texts, [(first, "ac"), (second, "b")]);
        assert_eq!(copy.versions.count(), 2);
    }

    #[test]
    fn threads_add_and_read_at_the_same_time() {
        let numbers = Definitions::default();
        std::thread::scope(|scope| {
            for start in [0, 1000] {
                let numbers = &numbers;
                scope.spawn(move || {
                    for number in start..start + 1000 {
                        assert_eq!(numbers[numbers.add(number)], number);
                    }
                });
            }
        });
        let mut all: Vec<i32> = numbers.iter().map(|(_, number)| *number).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..2000));
    }
}
