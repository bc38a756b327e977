//! Differential types, the signatures of derivatives, and the rules by which functions are differentiated.
//!
//! # Invariants
//! - Everything here follows from declarations: types, signatures and attributes. Bodies are never read.
//! - Deliberately absent: derivative data flow (`autodiff::activity`), how derivatives are computed.

pub mod rules;
pub mod signature;
