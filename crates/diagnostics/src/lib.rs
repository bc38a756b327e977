//! What the compiler has to say: the registry of all diagnostics, and the form that every room gives them.
//!
//! Entry points: [`codes`] for who makes a diagnostic, [`entry`] for who explains one,
//! [`manual`] for where the manual does, [`Diagnostic`]; [`limits`] for how deep programs may nest, [`stack`] for what lets them.
//!
//! # Invariants
//! - A number has one entry, and an explanation whose examples are tests.
//! - A diagnostic is plain data over a location of any kind: part of an item, a range of a segment, a range of a file.
//! - Deliberately absent: texts of messages, which the rooms word where they know the names.

#![warn(missing_docs)]

mod diagnostic;
pub mod limits;
pub mod manual;
mod registry;
pub mod stack;

pub use diagnostic::{Diagnostic, Edit, Fix, Related};
pub use registry::{Code, Entry, Severity, Tag, codes, entries, entry};
