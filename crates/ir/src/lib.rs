//! Structured SSA: what the front end lowers to, the derivative passes transform, the interpreter runs and the back
//! ends print.
//!
//! Entry points: [`Module`], [`Func`], [`Op`], [`builder::FuncBuilder`], and (one file each) [`mod@print`] and [`parse`]
//! (the text form), [`abi`] (the calling convention), [`intrinsic`] (functions of single targets), [`verify`] (what passes may rely on), [`simplify`] (generic
//! cleanup), [`ranges`] (which integers values can be, and how often loops run), [`number`] (what the scalar
//! operations mean).
//!
//! # Invariants
//! - Functions are pure in their values: a source function with parameters of any direction takes its `in` and `inout`
//!   parameters as inputs and returns its return value, then its `out` and `inout` parameters in order, as results ([`Role`]).
//!   Effects on memory outside the function are ordered ops with an [`op::Effect`].
//! - Control flow is nested regions; a value is visible in its region after its definition, and in the regions nested
//!   there. There are no free-form jumps: `break`, `continue` and early `return` are terminators, and `autodiff`'s
//!   `normalise` pass removes them.
//! - Aggregates are values: `make`, `extract`, `insert`. There is no address of a local variable.
//! - Ids are newtypes into arenas of their [`Module`] or [`Func`]; nothing that reaches output iterates over a hash map.
//! - Deliberately absent: salsa, syntax trees, generics (functions are specialised before IR; the editor's analysis uses
//!   [`Type::Opaque`]), dynamic dispatch other than [`Op::SumMatch`], surface signatures of derivatives (pairs): the
//!   front end packs and unpacks `DifferentialPair` around derivative calls.

#![warn(missing_docs)]

pub mod abi;
pub mod assembly;
pub mod builder;
pub mod columns;
pub mod definitions;
pub mod func;
pub mod intrinsic;
pub mod layout;
pub mod loops;
mod mnemonic;
pub mod module;
pub mod number;
pub mod op;
pub mod parse;
mod place;
pub mod print;
pub mod provision;
pub mod ranges;
pub mod simplify;
pub mod source_names;
pub mod tensor;
pub mod types;
pub mod verify;

pub use abi::Role;
pub use func::{
    Advice, BlockParam, Func, FuncId, FuncRules, Input, OpData, OpId, Region, RegionId, ResultSlot, Terminator, Value,
    ValueDef, ValueId,
};
pub use intrinsic::Intrinsic;
pub use module::{EntryPoint, Global, GlobalId, GlobalKind, Module, SourceSpan, SpanId};
pub use op::{AtomicOp, BinaryOp, Builtin, Callee, Constant, DerivativeKind, Effect, MathFn, Op, PathStep, UnaryOp};
pub use types::{
    Differential, Field, HandleType, OpaqueType, Scalar, StructDef, StructId, SumDef, SumId, Type, TypeId,
};

#[cfg(test)]
mod tests;
