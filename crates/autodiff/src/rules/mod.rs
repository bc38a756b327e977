//! The derivative of each operation, as data.
//!
//! [`table`] states for each mathematical function its class, its partial derivatives as formulas over operands and
//! result, its domain, the value chosen at kinks, and where the formula comes from. [`formula`] reads and writes the
//! formulas as operations. [`vector`] holds what is not component-wise: these rules are short programs over the same
//! linear operations.

pub mod formula;
pub mod table;
pub(crate) mod vector;

pub use formula::Formula;
pub use table::{Class, Rule, binary_rule, math_rule};
