//! Offsets of texture lookups that are counted by loops: the loops are written out, where the language takes constants.
//!
//! ```text
//! [unroll] for (int x = -1; x <= 1; x++) sum += shadow.SampleCmpLevelZero(s, at, depth, int2(x, 0));
//! ```
//!
//! The loops whose counters an offset is made of are unrolled, whether or not the source asks for it: without, there is no
//! such program in the language. A `[loop]` stays, and so does what is not counted; the offset is refused then.

use ir::simplify::{simplify_func, unroll::unroll};
use ir::{Advice, Func, FuncId, HandleType, Intrinsic, Module, Op, OpId, RegionId, Type, ValueId, func::ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::for_each_op;
use crate::lookups::Lookup;

/// Unrolls the loops that such offsets depend on.
pub(super) fn to_constants(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let loops = counted_in_offsets(module, &module.funcs[id]);
        if loops.is_empty() {
            continue;
        }
        let func = &mut module.funcs[id];
        for &op in &loops {
            if let Op::Loop { bound, .. } = &mut func.ops[op].op {
                bound.force_unroll = Some(0);
            }
        }
        // What could not be unrolled stays: the offset in it is refused where it is written.
        let _stayed = unroll(module, id);
        simplify_func(module, id);
    }
}

/// The loops on whose carried values an offset depends.
fn counted_in_offsets(module: &Module, func: &Func) -> FxHashSet<OpId> {
    let mut loops = FxHashMap::default();
    let mut offsets = Vec::new();
    for_each_op(func, |op| match &func.ops[op].op {
        Op::Loop { cond, body, .. } => loops.extend([(*cond, op), (*body, op)]),
        Op::Intrinsic { intrinsic: Intrinsic::Texture(lookup), args } => {
            // Where four texels are given, it may be any number.
            let takes_constants = Lookup::of(*lookup).is_some_and(|lookup| lookup.gathers.is_none());
            if let Some(&last) = args.last()
                && takes_constants
                && is_offset(module, func, args)
            {
                offsets.push(last);
            }
        }
        _ => {}
    });
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    while let Some(value) = offsets.pop() {
        if !seen.insert(value) {
            continue;
        }
        match func.values[value].def {
            ValueDef::Result { op, .. } => func.ops[op].op.for_each_operand(|operand| offsets.push(operand)),
            ValueDef::Param { region, .. } => offsets.extend(carried(func, &loops, region, &mut found)),
        }
    }
    found
}

/// The values that a loop begins with, whose region has a parameter that an offset depends on.
fn carried(
    func: &Func,
    loops: &FxHashMap<RegionId, OpId>,
    region: RegionId,
    found: &mut FxHashSet<OpId>,
) -> Vec<ValueId> {
    let Some(&op) = loops.get(&region) else { return Vec::new() };
    if func.ops[op].advice == Some(Advice::Loop) {
        return Vec::new();
    }
    found.insert(op);
    match &func.ops[op].op {
        Op::Loop { init, .. } => init.to_vec(),
        _ => Vec::new(),
    }
}

/// Whether the last operand of a lookup moves it: whole numbers behind the texture, the sampler and the location.
fn is_offset(module: &Module, func: &Func, args: &[ValueId]) -> bool {
    let scalar = |value| match module.types.get(func.ty(value)) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } => Some(scalar),
        _ => None,
    };
    let is_sampler = |value| matches!(module.types.get(func.ty(value)), Type::Handle(HandleType::Sampler { .. }));
    match args {
        [_, sampler, _, .., last] => is_sampler(*sampler) && scalar(*last).is_some_and(|scalar| scalar.is_integer()),
        _ => false,
    }
}
