//! Stacks that programs do not overflow, however long their chains are.
//!
//! What nests in the text has a limit (see `diagnostics::limits`). What refers to what stands before it has none: the
//! ten-thousandth constant may be one more than the one before. A query that asks itself for the next link recurses once
//! for each, so that it asks [`deep`] for room first.

/// The stack of each thread that asks queries. Only what is touched is ever taken from memory. Salsa's look for what an edit
/// changed follows chains by recursion as well, and cannot ask for more.
pub const SIZE: usize = 256 << 20;

/// What one link of a chain takes at most: a body as deep as the limits allow.
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
