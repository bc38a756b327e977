//! The one binary: the language server (`lsp`) and the commands.
//!
//! Entry points: [`cli::main`]; [`log::start`] opens the log. As a WebAssembly module it is the server alone: the module
//! `web` has its entry point.
//!
//! The feature `gpu`, on by default, adds `run --engine gpu`. It costs 4 MB in a stripped binary of 13 MB and more than
//! half again as much build time, and nothing at the start: the graphics library is touched by that command alone. It is
//! on so that a plain build runs what the manual says; `--no-default-features` builds the server without it.
//!
//! # Invariants
//! - Only this crate serialises: `ide` and the rooms below give plain data, [`server`] turns it into LSP and [`cli`]
//!   into text and JSON.
//! - One writer thread owns the database and the documents. Handlers send to its channel before their first await, so
//!   that edits and requests keep the order in which the client sent them.
//! - Standard output carries LSP or a command's result and nothing else.
//! - Deliberately absent: language knowledge.

#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod compiler_flags;
pub mod discovery;
pub mod loader;
pub mod log;
pub mod platform;
pub mod server;
#[cfg(target_family = "wasm")]
pub mod web;
