//! The one binary: the language server (`lsp`) and the commands.
//!
//! Entry points: [`cli::main`], [`server::run`].
//!
//! # Invariants
//! - Only this crate serialises: `ide` and the rooms below give plain data, [`server`] turns it into LSP and [`cli`]
//!   into text and JSON.
//! - One writer thread owns the database and the documents. Handlers send to its channel before their first await, so
//!   that edits and requests keep the order in which the client sent them.
//! - Standard output carries LSP or a command's result and nothing else.
//! - Deliberately absent: language knowledge.

pub mod cli;
pub mod loader;
pub mod server;
