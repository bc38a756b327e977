//! Stacks that programs do not overflow, however long their chains are.
//!
//! What nests in the text has a limit (see [`crate::limits`]), which is large: thousands of levels. What refers to what stands
//! before it has none: the ten-thousandth constant may be one more than the one before. Whoever recurses for the next level
//! or link asks [`deep`] for room first.

#[cfg(not(target_family = "wasm"))]
use crate::limits;

/// The stack of each thread that asks queries. Only what is touched is ever taken from memory. Salsa's look for what an edit
/// changed follows chains by recursion as well, and cannot ask for more.
pub const SIZE: usize = 256 << 20;

/// What is done at one level or link takes less: what recurses in it without asking.
const ENOUGH: usize = 2 << 20;

/// What is added at once.
const MORE: usize = 32 << 20;

/// Runs `work` with room for one link of a chain, on a new piece of stack where little is left of the last one.
pub fn deep<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(not(target_family = "wasm"))]
    return stacker::maybe_grow(ENOUGH, MORE, work);
    // Nothing can be added here.
    #[cfg(target_family = "wasm")]
    work()
}

/// What each level takes of recursion that is not ours: over the nodes of a syntax tree, when it is compared or dropped.
#[cfg(not(target_family = "wasm"))]
const LEVEL: usize = 512;

/// Whether recursion that cannot ask on its way has room here for what a text of so many bytes nests. What would be too deep
/// for a stack to which nothing can be added was not let in.
pub fn has_room(bytes: usize) -> bool {
    #[cfg(not(target_family = "wasm"))]
    return stacker::remaining_stack().is_some_and(|left| left > room(bytes));
    #[cfg(target_family = "wasm")]
    return bytes < usize::MAX;
}

/// Runs `work`, whose recursion cannot ask on its way, with the room for what a text of so many bytes nests.
pub fn roomy<R>(bytes: usize, work: impl FnOnce() -> R) -> R {
    #[cfg(not(target_family = "wasm"))]
    return stacker::maybe_grow(room(bytes), room(bytes) + ENOUGH, work);
    // What is deeper was not let in.
    #[cfg(target_family = "wasm")]
    return {
        let _ = bytes;
        work()
    };
}

/// A byte begins at most a few nodes, each inside of the other.
#[cfg(not(target_family = "wasm"))]
fn room(bytes: usize) -> usize {
    LEVEL * (4 * bytes).min(limits::TREE as usize) + LEVEL
}

#[cfg(test)]
mod tests {
    use super::deep;

    /// Recursion that no compiler makes a loop of.
    fn links(n: usize) -> usize {
        let room = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { deep(|| links(n - 1)) + room[1] + 1 - n }
    }

    #[test]
    fn a_million_links_fit() {
        assert_eq!(links(1_000_000), 1_000_000);
    }
}
