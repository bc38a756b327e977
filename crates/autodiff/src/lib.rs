//! Derivative passes over IR: what the editor's derivative data-flow analysis asks, and what turns a call of a
//! derivative into an ordinary function.
//!
//! Entry points: [`activity::analyze`] (which values carry a derivative, and where one is lost; through calls by the
//! summaries of [`dependence`] and, for what goes through buffers and variables, of [`memory`]), [`expand()`] (replaces
//! every derivative callee that can be reached from the roots by a generated function), [`residual_plan`] (what reverse mode keeps between its two sweeps, and why),
//! [`kernel::wrap`] (a compute shader around a function or its derivative),
//! [`batch::batched_jvp`] (the forward derivative in several directions at once), [`rules`] (the derivative of each
//! operation, as data).
//!
//! How a derivative is made, one file per pass:
//!
//! 1. [`mod@normalise`]: one exit per function, no `break`, `continue` or early `return`.
//! 2. [`mod@linearize`]: next to each active operation its tangent, as a program of linear operations ([`linear`]).
//!    [`propagate`] gives the same form where only a user-written forward derivative exists.
//! 3. [`jvp`]: the linear program runs where the values are: the forward derivative.
//! 4. [`plan`]: for each primal value that the linear program needs: store, recompute or invert. Calls are in it by what
//!    the callee's own plan says: the arguments that its pullback reads, and its residual record; or its
//!    context, where that is less ([`handover`]).
//! 5. [`reverse`]: the forward sweep that stores ([`forward_sweep`]) and the linear program backwards ([`transpose`]).
//! 6. [`cleanup`]: code that nothing needs goes away.
//!
//! # Invariants
//! - Every pass takes and gives IR that the verifier accepts; generated functions are ordinary functions, so that the
//!   passes apply to their own output (higher order).
//! - A tangent or cotangent that is zero by construction is never code.
//! - A derivative that cannot be made is an [`AutodiffError`], never zero in silence; so is one that would read memory again
//!   that was written since (`read_again`).
//! - Analysis never fails: [`activity::analyze`] takes any verified IR, declarations and opaque types included.
//! - Deliberately absent: pairs (`DifferentialPair` is the front end's calling convention), wording of diagnostics.

#![warn(missing_docs)]

pub mod activity;
mod apart;
pub mod batch;
mod bits;
mod chain;
pub mod cleanup;
mod copy;
mod cost;
mod cotangent;
pub mod dependence;
mod differential;
mod emit;
mod error;
mod expand;
pub mod explain;
mod flow;
pub mod forward_sweep;
mod handover;
mod held;
pub mod jvp;
pub mod kernel;
pub mod linear;
pub mod linearize;
mod loops;
mod loops_again;
pub mod memory;
mod mincut;
pub mod normalise;
pub mod plan;
pub mod propagate;
mod reach;
mod read_again;
mod recall;
pub mod residuals;
pub mod reverse;
pub mod rules;
pub mod sizes;
pub mod tally;
pub mod transpose;

pub use error::{AutodiffError, ErrorKind};
pub use expand::{derivatives, expand, residual_plan};

#[cfg(test)]
mod tests;
