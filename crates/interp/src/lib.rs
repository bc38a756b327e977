//! Runs IR: single functions, and compute entry points over bound memory. Checks derivatives against it.
//!
//! Entry points: [`Machine`] ([`Machine::call`], [`Machine::dispatch`]), [`Value`], [`Memory`], for values as words of
//! a buffer [`words`], [`gradcheck`], and [`gradcheck::jacobian`].
//!
//! # Invariants
//! - The module is one that `ir::verify` accepts.
//! - Runs are deterministic: threads of a group run in order, each until its next barrier or the next operation of its
//!   wave, which has 32 threads. Whatever a real GPU leaves
//!   undefined has one defined outcome here: reads outside of memory give 0, writes there are dropped, integers wrap,
//!   division of integers by zero gives 0, shift counts are taken modulo the width, uninitialised values are 0.
//! - No program of a user makes it panic, overflow the stack, or run or allocate without limit: frames are explicit and
//!   [`Limits`] are checked. What cannot be run is an [`InterpError`].
//! - Floats in buffers have their declared width even in [`Precision::F64`], so values that pass through memory are
//!   rounded there. Only the gradient checker, for which a rounding is a step, remembers what they were.
//! - Deliberately absent: waves of single functions ([`InterpError::UnsupportedIntrinsic`]), derivatives that
//!   `autodiff` has not expanded, and any knowledge of the memory model beyond barriers.

#![warn(missing_docs)]

mod coverage;
mod error;
mod exact_floats;
mod format;
pub mod gradcheck;
mod intrinsics;
mod layout;
mod machine;
mod math;
mod memory;
mod non_finite;
mod ops;
mod overflow;
mod place;
mod plan;
mod poles;
mod probe;
mod rounding;
mod tape;
pub use ir::tensor;
mod texture;
mod thread;
mod value;
mod waves;
pub mod words;

pub use error::InterpError;
pub use ir::number::Precision;
pub use machine::{Limits, Machine};
pub use memory::{BufferId, Handle, Memory};
pub use texture::Texture;
pub use value::{MAX_SCALARS, Value};

#[cfg(test)]
mod tests;
