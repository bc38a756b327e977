//! Names that may be misspelt as another: what a suggestion is chosen from.
//!
//! A file with as many undefined names as declared ones must not compare each with each. Names are filed by their length,
//! each with its letters as bits, which tells nearly all of those apart that are no misspelling; and only so many are
//! looked at.

use base_db::Db;
use rustc_hash::FxHashMap;

use super::{NameMap, Scope, name_maps, scopes};
use crate::{item::ItemId, name::Name};

/// How many names are looked at for one that is misspelt, in all scopes together.
const MOST_LOOKED_AT: usize = 8_192;

/// The names of a map by their length in bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct ByLength(FxHashMap<usize, Vec<(Letters, Name)>>);

impl ByLength {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a Name>) -> ByLength {
        let mut index = ByLength::default();
        for name in names {
            index.0.entry(name.as_str().len()).or_default().push((Letters::of(name.as_str()), name.clone()));
        }
        index
    }
}

/// The letters of a name, each one bit, whatever its case. Other characters share bits with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters(u32);

impl Letters {
    /// The letters that occur in a name.
    pub fn of(name: &str) -> Letters {
        Letters(name.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31)))
    }

    /// Whether so many insertions, deletions and replacements may lead from a name with these letters to one with those.
    pub fn may_be_within(self, distance: usize, other: Letters) -> bool {
        (self.0 ^ other.0).count_ones() as usize <= 2 * distance
    }
}

/// The names visible at an item that may be within an edit distance of `name`, innermost scopes first; those of hidden
/// items twice. There may be others, if there are very many.
pub fn names_like<'db>(db: &'db dyn Db, at: ItemId, name: &str, distance: usize) -> Vec<&'db Name> {
    let letters = Letters::of(name);
    let lengths = name.len().saturating_sub(distance)..=name.len() + distance;
    let maps = scopes(db, at).into_iter().flat_map(|scope: Scope| name_maps(db, scope));
    let of_length = |map: &'db NameMap| {
        let index = map.by_length();
        lengths.clone().filter_map(|length| index.0.get(&length)).flatten()
    };
    let looked_at = maps.flat_map(of_length).take(MOST_LOOKED_AT);
    looked_at.filter(|(other, _)| letters.may_be_within(distance, *other)).map(|(_, name)| name).collect()
}
