//! Differential types, the signatures of derivatives, and the rules by which functions are differentiated.
//!
//! Entry points: [`differential_of`] (`T.Differential`), [`signature::derivative_signature`] (the types of `fwd_diff(f)` and
//! `bwd_diff(f)`), [`rules::derivative_rules`] (what attributes say about a function), [`aggregate::field_derivatives`]
//! (where the derivative of each field lies), [`function_extension`] (derivatives given by `__func_extension`), [`reuse`] (`use()` as
//! the user writes it), [`display`] (signatures as text).
//!
//! # Invariants
//! - Everything here follows from declarations: types, signatures and attributes. Bodies are never read.
//! - Deliberately absent: derivative data flow (`autodiff::activity`), how derivatives are computed.

pub mod aggregate;
pub mod association;
pub mod attribute;
pub mod display;
pub mod fit;
pub mod function_extension;
mod named;
pub mod of_type;
pub mod reuse;
pub mod rules;
pub mod signature;

#[cfg(test)]
mod tests;

pub use aggregate::synthesized_differential;
pub use of_type::{Differentiability, differentiability, differential_of};
