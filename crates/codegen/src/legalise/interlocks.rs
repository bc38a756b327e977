//! Where fragments of one pixel pass one after the other, in languages that say it in the entry point alone: all of the shader
//! is such a place then.

use ir::intrinsic::FragmentOp;
use ir::module::Stage;
use ir::{EntryPoint, FuncId, Intrinsic, Module, Op, OpData, OpId, SpanId};

use super::{Capabilities, for_each_op, reachable, rewrite::rewrite, used_globals};

fn is_border(op: &Op) -> bool {
    matches!(
        op,
        Op::Intrinsic { intrinsic: Intrinsic::Fragment(FragmentOp::BeginInterlock | FragmentOp::EndInterlock), .. }
    )
}

/// Whether a shader has a place where fragments of one pixel pass one after the other.
pub(crate) fn are_there(module: &Module, entry: &EntryPoint) -> bool {
    let Ok(functions) = reachable::functions(module, &[entry.func], true) else { return false };
    functions.into_iter().any(|id| {
        let func = &module.funcs[id];
        let mut found = false;
        for_each_op(func, |op| found |= is_border(&func.ops[op].op));
        found
    })
}

/// Whether a shader reaches resources that ask for it.
fn are_asked_for(module: &Module, entry: &EntryPoint) -> bool {
    let Ok(functions) = reachable::functions(module, &[entry.func], true) else { return false };
    entry.stage == Stage::Fragment
        && used_globals(module, &functions).into_iter().any(|global| module.globals[global].provision.is_ordered)
}

/// Puts the borders of these places around what the entry points do, where the language asks for it.
pub(crate) fn around_shaders(module: &mut Module, functions: &[FuncId], capabilities: &Capabilities) {
    let is_asked = |entry: &&EntryPoint| {
        let is_written = !capabilities.interlocks_anywhere && are_there(module, entry);
        let is_ordered = !capabilities.ordered_resources && are_asked_for(module, entry);
        functions.contains(&entry.func) && (is_written || is_ordered)
    };
    let asked: Vec<&EntryPoint> = module.entry_points.iter().filter(is_asked).collect();
    // Other stages have none: who writes them refuses what is left.
    if asked.is_empty() || asked.iter().any(|entry| entry.stage != Stage::Fragment) {
        return;
    }
    let entries: Vec<FuncId> = asked.into_iter().map(|entry| entry.func).collect();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            if !is_border(&w.func.ops[op].op) {
                w.keep(op);
            }
        });
    }
    for id in entries {
        let func = &mut module.funcs[id];
        let Some(body) = func.body else { continue };
        let mut border = |op| -> OpId {
            let op = Op::Intrinsic { intrinsic: Intrinsic::Fragment(op), args: Default::default() };
            func.ops.alloc(OpData::new(op, SpanId::NONE))
        };
        let (begin, end) = (border(FragmentOp::BeginInterlock), border(FragmentOp::EndInterlock));
        func.regions[body].ops.insert(0, begin);
        func.regions[body].ops.push(end);
    }
}
