//! An entry point that does nothing but call the user's function becomes that function, with its name and the names of
//! its parameters.

use ir::{Callee, Func, FuncId, Module, Op, OpData, OpId, RegionId, Terminator, ValueDef, ValueId};
use rustc_hash::FxHashMap;

pub(crate) fn merge(module: &mut Module, functions: &[FuncId]) {
    let entries: Vec<FuncId> = module.entry_points.iter().flat_map(ir::EntryPoint::functions).collect();
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
    let is_call = |op: &OpId| matches!(wrapper.ops[*op].op, Op::Call { callee: Callee::Func(_), .. });
    let at = region.ops.iter().position(is_call)?;
    let (before, call, after) = (&region.ops[..at], region.ops[at], &region.ops[at + 1..]);
    let Op::Call { callee: Callee::Func(user), args, .. } = &wrapper.ops[call].op else { return None };
    let is_end = matches!(&region.terminator, Terminator::Return(values) if values.is_empty());
    let user = &module.funcs[*user];
    if !is_end || !wrapper.results.is_empty() {
        return None;
    }
    // Where the user's function ends, its results go where the entry point puts them.
    let mut stores = Vec::new();
    for &op in after {
        let Op::Store { handle, path, value } = &wrapper.ops[op].op else { return None };
        let ValueDef::Result { op: from, index } = wrapper.values[*value].def else { return None };
        if from != call || !path.is_empty() {
            return None;
        }
        stores.push((*handle, index as usize));
    }
    if stores.len() != user.results.len() {
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
    for region in func.regions.iter().map(|(id, _)| id).collect::<Vec<_>>() {
        let Terminator::Return(results) = &func.regions[region].terminator else { continue };
        let results = results.clone();
        for &(handle, index) in &stores {
            let store =
                Op::Store { handle: *values.get(&handle)?, path: Default::default(), value: *results.get(index)? };
            let store = func.ops.alloc(OpData::new(store, func.span));
            func.regions[region].ops.push(store);
        }
        func.regions[region].terminator = Terminator::Return(Default::default());
    }
    func.results.clear();
    func.inputs.clear();
    Some(func)
}
