//! Salsa inputs: file texts cut into segments, search roots, macro definitions, configuration.
//!
//! Entry points: [`SourceFile`], [`Segment`], [`Project`]; [`RootDatabase`] holds them, [`documents::Documents`] writes
//! them, [`text::FileText`] translates positions.
//!
//! # Invariants
//! - A [`Segment`] is one top-level (or member) item of a file. Its identity survives edits inside it, so that ids of
//!   items, which are made from it, do too. Header and body are fields of their own: typing in a body leaves the header
//!   equal, and headers and untouched bodies have high durability.
//! - Offsets in everything derived from a segment are relative to the start of its header or of its body; absolute
//!   positions are prefix sums, made only when answering.
//! - Deliberately absent: syntax trees as inputs, types, LSP.

#![warn(missing_docs)]

pub mod chunks;
mod database;
pub mod documents;
mod inputs;
mod layout;
pub mod line_column;
pub mod memory;
pub mod parallel;
mod segment_store;
mod segmentation;
pub mod text;

pub use database::{EventLog, RootDatabase};
pub use inputs::{Project, Segment, SegmentKind, SourceFile};

/// The database that all queries take.
#[salsa::db]
pub trait Db: salsa::Database {
    /// The text of a file with its line and segment positions, as of this snapshot. Not tracked: use it to answer a
    /// request, never inside a query.
    fn text(&self, file: SourceFile) -> Option<&text::FileText>;

    /// A snapshot for another thread. Not for queries.
    fn fork(&self) -> RootDatabase;
}

#[cfg(test)]
mod tests;
