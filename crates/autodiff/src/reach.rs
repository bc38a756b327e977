//! Which values are reached along the edges of a flow.

use ir::ValueId;
use la_arena::ArenaMap;
use rustc_hash::FxHashSet;

use crate::flow::{Edge, Flow};

/// The values that `start` reaches along the edges that `follow` takes, each from the first to the second of its `ends`.
pub(crate) fn reachable(
    flow: &Flow,
    start: impl Iterator<Item = ValueId>,
    follow: impl Fn(&Edge) -> bool,
    ends: impl Fn(&Edge) -> (ValueId, ValueId),
) -> FxHashSet<ValueId> {
    let mut next: ArenaMap<ValueId, Vec<ValueId>> = ArenaMap::default();
    for edge in flow.edges.iter().filter(|edge| follow(edge)) {
        let (from, to) = ends(edge);
        next.entry(from).or_default().push(to);
    }
    let mut pending: Vec<ValueId> = start.collect();
    let mut seen: FxHashSet<ValueId> = pending.iter().copied().collect();
    while let Some(value) = pending.pop() {
        for &to in next.get(value).map_or(&[][..], |list| list) {
            if seen.insert(to) {
                pending.push(to);
            }
        }
    }
    seen
}
