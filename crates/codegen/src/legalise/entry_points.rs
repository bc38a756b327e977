//! An entry point that does nothing but call the user's function becomes that function, with its name and the names of
//! its parameters.

use ir::{Callee, Func, FuncId, Module, Op, OpData, OpId, RegionId, Role, Terminator, ValueDef, ValueId};
use rustc_hash::FxHashMap;

pub(crate) fn merge(module: &mut Module, functions: &[FuncId]) {
    let entries: Vec<FuncId> = module.entry_points.iter().map(|entry| entry.func).collect();
    for entry in entries.into_iter().filter(|entry| functions.contains(entry)) {
        if let Some(merged) = merged(module, entry) {
            module.funcs[entry] = merged;
        }
    }
}

/// The user's function with what the entry point computes for its parameters at the start.
fn merged(module: &Module, entry: FuncId) -> Option<Func> {
    let wrapper = &module.funcs[entry];
    let region = &wrapper.regions[wrapper.body?];
    let (&call, before) = region.ops.split_last()?;
    let Op::Call { callee: Callee::Func(user), args, .. } = &wrapper.ops[call].op else { return None };
    let is_end = matches!(&region.terminator, Terminator::Return(values) if values.is_empty());
    let user = &module.funcs[*user];
    if !is_end || !user.results.is_empty() || !wrapper.results.is_empty() {
        return None;
    }
    let mut func = user.clone();
    let body: RegionId = func.body?;
    let params = std::mem::take(&mut func.regions[body].params);
    // Each parameter is the result of an operation of its own.
    let mut values: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for (&arg, &param) in args.iter().zip(&params) {
        let of_before = matches!(wrapper.values[arg].def, ValueDef::Result { op, .. } if before.contains(&op));
        if !of_before || values.insert(arg, param).is_some() {
            return None;
        }
    }
    let mut ops: Vec<OpId> = Vec::new();
    for &op in before {
        let data = &wrapper.ops[op];
        if !data.op.regions().is_empty() {
            return None;
        }
        let mut copy = data.op.clone();
        copy.for_each_operand_mut(|operand| *operand = values.get(operand).copied().unwrap_or(*operand));
        let id = func.ops.alloc(OpData::new(copy, data.span));
        for (index, &result) in data.results.iter().enumerate() {
            let def = ValueDef::Result { op: id, index: index as u32 };
            let value = match values.get(&result) {
                Some(&param) => param,
                None => {
                    let value = func.values.alloc(wrapper.values[result].clone());
                    values.insert(result, value);
                    value
                }
            };
            func.values[value].def = def;
            func.ops[id].results.push(value);
        }
        ops.push(id);
    }
    func.regions[body].ops.splice(0..0, ops);
    func.inputs.clear();
    for slot in func.results.iter_mut().filter(|slot| matches!(slot.role, Role::InOut(_))) {
        slot.role = Role::Out;
    }
    Some(func)
}
