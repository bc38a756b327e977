//! Items, names, scopes, modules, attributes and bodies: what a file declares, before any type is known.
//!
//! Entry points: [`item::ItemId`] and its queries, [`body::queries::body`], [`scope::lookup`], [`source_map`] for positions.
//!
//! # Invariants
//! - Everything here is free of absolute positions: an edit in one body leaves every other item's data equal. Positions
//!   come from the source maps, by id.
//! - Lowering always succeeds: what is missing or broken becomes a `Missing` node, what is not supported yet an
//!   `Unsupported` node with its name, and later stages say nothing more about it.
//! - Deliberately absent: types of expressions, conversions, overloads (all in `hir-ty`).

#![warn(missing_docs)]

pub mod attribute;
pub mod body;
pub mod diagnostics;
pub mod expansion;
mod heap;
pub mod item;
pub mod loading;
pub mod local_scope;
mod lower;
pub mod modules;
pub mod name;
mod parse;
mod paths;
pub mod position;
pub mod scope;
pub mod source_map;
mod type_alone;
pub mod type_ref;
pub mod visibility;

pub use scope::prelude_index;
pub use type_alone::TypeAlone;

#[cfg(test)]
mod tests;
