//! The allocator of the binary: trees and tables are many small pieces, and a sixth of a compilation is the system's
//! allocator.

pub use mimalloc::MiMalloc as Allocator;

/// Gives the pages that are free back to the system. By itself the allocator does so when it is asked for more some time
/// later, which a server that waits does not do: after a large file was opened, a third of its memory.
#[expect(unsafe_code, reason = "foreign functions are; this one takes no pointer and may be called at any time")]
pub(crate) fn give_back() {
    // SAFETY: It looks at the heap of this thread and at what no thread uses.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
