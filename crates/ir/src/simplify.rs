//! Generic cleanup of IR, one pass per file. None of them knows of derivatives.
//!
//! | pass | does |
//! |---|---|
//! | [`peephole`] | folds constants, removes identities, forwards parts of aggregates |
//! | [`branches`] | resolves `if`, `switch` and `sum_match` whose choice is known, removes carried values that never change |
//! | [`common`] | shares equal pure operations |
//! | [`dead_code`] | removes what nothing needs, also results of regions and carried values |
//! | [`trip_count`] | finds how often counted loops run ([`crate::op::LoopBound::inferred`]) |
//! | [`unroll`] | unrolls `[ForceUnroll]` loops, or says why it cannot |
//! | [`inline`] | replaces calls by bodies |
//! | [`compact`] | copies what is reachable from given functions to a new module |
//! | [`conditions`] | writes choices between conditions and constants as `and` and `or`; only asked for by `codegen` |
//! | [`guarded_quotients`] | guards quotients once instead of twice; only asked for by `codegen` |
//! | [`leading_exit`] | makes ways out at the start of a loop's body part of its condition; only asked for by `autodiff` |
//!
//! Input and output of each pass: a module that [`crate::verify`] accepts. Each is idempotent. Values keep their meaning
//! exactly as IEEE 754 defines it, so `x + 0`, `x * 0` and `x - x` stay for floats (signed zeros, NaN and infinities),
//! and results that are not finite are not folded; which NaN it is and its sign are not kept. Operations on the symbolic
//! zeros of derivatives never come here: `autodiff` does not make them.
//!
//! Passes leave unused entries in the arenas; [`compact`] drops them.

pub mod branches;
mod clone;
pub mod common;
pub mod compact;
pub mod conditions;
pub mod dead_code;
mod fold;
mod forward;
pub mod guarded_quotients;
mod identities;
pub mod inline;
pub mod leading_exit;
pub mod peephole;
mod substitute;
pub mod trip_count;
pub mod unroll;

use crate::{FuncId, Module};

/// Rounds of passes after which [`simplify_func`] stops, whether or not another would find something.
const MAX_ROUNDS: usize = 8;

/// Cleans up one function: peephole rewrites, branches, common operations and dead code, until nothing changes.
pub fn simplify_func(module: &mut Module, func: FuncId) {
    for _ in 0..MAX_ROUNDS {
        let mut changed = peephole::rewrite(module, func);
        changed |= branches::resolve(module, func);
        changed |= common::share(module, func);
        changed |= dead_code::remove(module, func);
        if !changed {
            break;
        }
    }
    trip_count::infer(module, func);
}

/// [`simplify_func`] for every function with a body.
pub fn simplify_module(module: &mut Module) {
    let funcs: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).collect();
    for func in funcs {
        simplify_func(module, func);
    }
}

#[cfg(test)]
#[path = "tests/simplify.rs"]
mod tests;
