//! Pass 6: what nothing needs goes away.
//!
//! Input: a generated function of the module. Output: the same function without operations, branch results and carried
//! values that neither a result nor an effect depends on, without repeated operations, and with fresh arenas. The
//! derivative passes write coefficients and primal values freely and leave it to this pass to keep those that are used.
//!
//! What autodiff adds to [`ir::simplify`] is that the primal half of a function whose record is not needed is the
//! function itself.

use ir::{
    Callee, Func, FuncId, Module, Op, ValueId,
    builder::FuncBuilder,
    simplify::{dead_code, simplify_func},
};
use rustc_hash::FxHashSet;

use crate::copy::Copier;

/// Runs the pass in place.
pub(crate) fn cleanup(module: &mut Module, id: FuncId) {
    dead_code::remove(module, id);
    while drop_unused_records(&mut module.funcs[id]) && dead_code::remove(module, id) {}
    simplify_func(module, id);
    compact(module, id);
}

/// Calls functions instead of their primal halves where nothing reads the record; whether anything changed.
fn drop_unused_records(func: &mut Func) -> bool {
    let mut used: FxHashSet<ValueId> = FxHashSet::default();
    for (_, region) in func.regions.iter() {
        used.extend(region.terminator.values());
        for &op in &region.ops {
            func.ops[op].op.for_each_operand(|operand| {
                used.insert(operand);
            });
        }
    }
    let mut changed = false;
    for (_, data) in func.ops.iter_mut() {
        if let Op::Call { callee, .. } = &mut data.op
            && let Callee::Derivative(kind, primal) = *callee
            && kind.gives_record()
            && data.results.last().is_some_and(|record| !used.contains(record))
        {
            *callee = Callee::Func(primal);
            data.results.pop();
            changed = true;
        }
    }
    changed
}

/// Copies the function, so that nothing of what was removed stays in its arenas.
fn compact(module: &mut Module, id: FuncId) {
    let Module { types, funcs, .. } = module;
    let func = &funcs[id];
    let Some(body) = func.body else {
        return;
    };
    let mut builder = FuncBuilder::new(types, func.name.clone(), func.inputs.clone(), func.results.clone(), func.span);
    builder.func.is_precise = func.is_precise;
    builder.func.rules = func.rules.clone();
    let mut copier = Copier::new(func);
    for (index, &param) in func.regions[body].params.iter().enumerate() {
        let value = builder.input(index);
        copier.bind(&mut builder, param, value);
    }
    for &op in &func.regions[body].ops {
        copier.op(&mut builder, op);
    }
    let mut terminator = func.regions[body].terminator.clone();
    terminator.values_mut().iter_mut().for_each(|value| *value = copier.get(*value));
    builder.terminate(terminator);
    let compacted = builder.finish();
    funcs[id] = compacted;
}
