//! What the tests of several rooms share.
//!
//! Entry points: [`fixture::Fixture`] (texts with cursors, files and annotations), [`database::TestDatabase`] (a fixture
//! opened beside the core library), [`lsp_client::LspClient`] (the real
//! server over stdio), [`random_program::random_program`] (differentiable programs as IR), [`modules::module`] (IR from its text, verified),
//! [`random_source::random_source`] (differentiable programs as text), [`choices::Choices`] (what they are made from, and
//! how they are made smaller), [`random_edit::random_edit`] (damage to texts).
//!
//! # Invariants
//! - Used by tests only; panics are this crate's way to say that a test is wrong.
//! - Deliberately absent: knowledge of the analyzer's crates other than `ir`, `base-db` and `prelude`, so that the others can
//!   use this one in their tests.

#![warn(missing_docs)]

pub mod choices;
pub mod database;
pub mod fixture;
pub mod lsp_client;
pub mod modules;
pub mod random_edit;
pub mod random_program;
pub mod random_source;
pub mod scaling;
