//! The derivative of each operation, as data.
//!
//! [`table`] states for each mathematical function its class, its partial derivatives as formulas over operands and
//! result, its domain, the value chosen at kinks, and where the formula comes from. [`formula`] reads and writes the
//! formulas as operations. What is not component-wise has its rules in `linearize::vector`: short programs over linear
//! operations.
//!
//! # The rule contract
//! Whoever writes the derivative of a function `f` (the table here, the passes of this crate, the user with
//! `[ForwardDerivative]` or `[BackwardDerivative]`) promises the same:
//!
//! 1. *Value*: the results of `f` that a forward rule gives are those of `f` at the same inputs.
//! 2. *Derivative*: a forward rule maps the tangents of the inputs to those of the results by the Fréchet derivative of
//!    `f` at the inputs: it is linear in the tangents, and for each direction it is the limit of differences wherever
//!    there is one. A backward rule maps cotangents by the transpose of the same linear map:
//!    `<ȳ, J x'> = <Jᵀ ȳ, x'>`.
//! 3. *State*: after a rule has run, what `f` changes (`out` and `inout` parameters, memory) is as `f` leaves it; in
//!    reverse mode the primal half of [`crate::reverse`] does this and the pullback changes nothing but cotangents.
//! 4. *Kinks*: where `f` has no derivative inside its domain, the rule gives a finite value between the slopes to both
//!    sides, the one that the row states.
//! 5. *Again*: a rule is itself differentiable, or says that it is not; it is never zero in silence.
//!
//! The gradient checker (`interp::gradcheck`) tests 1 to 4 for any function (3 on its results and variables), rule or generated derivative; the tests
//! of this crate run it for every row of the table and for rules of users in each form.

pub mod formula;
pub mod table;

pub use formula::Formula;
pub use table::{Class, Rule, binary_rule, math_rule};
