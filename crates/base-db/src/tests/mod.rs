//! Tests of the writer's side.

mod documents;
mod edits;
