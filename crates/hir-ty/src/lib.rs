//! Types, generics, interfaces, overloads, inference; differential types and derivative signatures (inference of
//! `bwd_diff(f)(…)` needs them).
//!
//! Entry points: [`ty::Ty`], [`signature::signature`], [`infer::infer`], [`conformance`], [`diagnostics`].
//!
//! In folders: `types` (what types are, how they are written, resolved, converted and shown), `generics`, `conformance`,
//! `infer`, `differential`, `diagnostics`. Other crates name the modules of the first three without their folder.
//!
//! # Invariants
//! - A [`ty::Ty`] is a small `Copy` value; equal types are equal values (aliases and `Differential` are resolved,
//!   arguments interned).
//! - Attributes, signatures and bodies are separate queries: attributes never wait for bodies, and nothing but the body's
//!   own diagnostics and its lowering reads an inference result.
//! - [`ty::Ty::Error`] means "already reported": nothing that contains it is reported again.
//! - Deliberately absent: IR, derivative data flow (activity), positions in files; rules that reject programs, and
//!   the tests of what users are told, which are in the crate `checks`.

#![warn(missing_docs)]
// Salsa hands the last answer of a cyclic query over by reference to what the query returns, boxes included.
#![allow(clippy::borrowed_box)]

pub mod conformance;
pub mod diagnostics;
pub mod differential;
pub mod generics;
pub mod infer;
mod types;

pub use conformance::{extension, members};
pub use generics::{associated, env, packs, solve, substitute};
pub use types::{
    aggregate, alone, bit_field, builtin_names, closure, consts, conversion, display, glsl_globals, known, lower_ty,
    resolve, shapes, signature, size, ty,
};
