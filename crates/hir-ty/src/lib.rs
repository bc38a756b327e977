//! Types, generics, interfaces, overloads, inference; differential types and derivative signatures (inference of
//! `bwd_diff(f)(…)` needs them).
//!
//! Entry points: [`ty::Ty`], [`signature::signature`], [`infer::infer`], [`conformance`], [`diagnostics`].
//!
//! # Invariants
//! - A [`ty::Ty`] is a small `Copy` value; equal types are equal values (aliases and `Differential` are resolved,
//!   arguments interned).
//! - Attributes, signatures and bodies are separate queries: attributes never wait for bodies, and nothing but the body's
//!   own diagnostics and its lowering reads an inference result.
//! - [`ty::Ty::Error`] means "already reported": nothing that contains it is reported again.
//! - Deliberately absent: IR, derivative data flow (activity), positions in files; rules that reject programs, and
//!   the tests of what users are told, which are in the crate `checks`.

// Salsa hands the last answer of a cyclic query over by reference to what the query returns, boxes included.
#![allow(clippy::borrowed_box)]

pub mod aggregate;
pub mod associated;
pub mod bit_field;
pub mod builtin_names;
pub mod closure;
pub mod conformance;
pub mod construct;
pub mod consts;
pub mod conversion;
mod cycles;
pub mod diagnostics;
pub mod differential;
pub mod display;
pub mod env;
pub mod extension;
pub mod generics;
pub mod infer;
pub mod known;
pub mod lower_ty;
pub mod members;
pub mod packs;
pub mod resolve;
pub mod signature;
pub mod size;
pub mod solve;
pub mod substitute;
pub mod ty;
