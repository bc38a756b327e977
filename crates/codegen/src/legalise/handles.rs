//! Functions with buffers and other handles as parameters are copied for the globals that they are called with, so that
//! every handle is a global. A handle that is chosen at run time is an error.

use ir::{Callee, FuncId, GlobalId, Module, Op, OpData, OpId, Type, ValueDef, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reachable::for_each_op;
use crate::EmitError;

/// A function and, for each of its handle inputs, the global that it stands for.
type Key = (FuncId, Vec<GlobalId>);

/// `functions` are all that the roots reach. Callers get calls of the copies; the originals stay in the module.
pub fn specialise(module: &mut Module, roots: &[FuncId], functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for &root in roots {
        if !handle_inputs(module, root).is_empty() {
            let func = &module.funcs[root];
            let message =
                format!("`{}` has a buffer as parameter, so it can be emitted only where it is called", func.name);
            errors.push(EmitError::new(func.span, message));
        }
    }
    let mut copies: FxHashMap<Key, FuncId> = FxHashMap::default();
    let mut work: Vec<FuncId> = functions.iter().copied().filter(|&id| handle_inputs(module, id).is_empty()).collect();
    while let Some(id) = work.pop() {
        for (op, callee) in calls(module, id) {
            let inputs = handle_inputs(module, callee);
            if inputs.is_empty() {
                continue;
            }
            let Some(globals) = globals_of(module, id, op, &inputs) else {
                let message = "a buffer that is chosen at run time is not supported for this target";
                errors.push(EmitError::new(module.funcs[id].ops[op].span, message));
                continue;
            };
            let copy = *copies.entry((callee, globals.clone())).or_insert_with(|| {
                let copy = copy(module, callee, &inputs, &globals);
                work.push(copy);
                copy
            });
            if let Op::Call { callee, args, .. } = &mut module.funcs[id].ops[op].op {
                *callee = Callee::Func(copy);
                *args = without(args, &inputs);
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The numbers of the inputs that are handles.
fn handle_inputs(module: &Module, func: FuncId) -> Vec<usize> {
    let inputs = module.funcs[func].inputs.iter().enumerate();
    inputs.filter(|(_, input)| matches!(module.types.get(input.ty), Type::Handle(_))).map(|(index, _)| index).collect()
}

fn calls(module: &Module, id: FuncId) -> Vec<(OpId, FuncId)> {
    let func = &module.funcs[id];
    let mut calls = Vec::new();
    for_each_op(func, |op| {
        if let Op::Call { callee: Callee::Func(callee), .. } = func.ops[op].op {
            calls.push((op, callee));
        }
    });
    calls
}

fn globals_of(module: &Module, id: FuncId, op: OpId, inputs: &[usize]) -> Option<Vec<GlobalId>> {
    let func = &module.funcs[id];
    let Op::Call { args, .. } = &func.ops[op].op else { return None };
    let global_of = |&input: &usize| match func.defining_op(*args.get(input)?)?.op {
        Op::Global(global) => Some(global),
        _ => None,
    };
    inputs.iter().map(global_of).collect()
}

fn without<const N: usize>(values: &SmallVec<[ValueId; N]>, dropped: &[usize]) -> SmallVec<[ValueId; N]> {
    values.iter().enumerate().filter(|(index, _)| !dropped.contains(index)).map(|(_, &value)| value).collect()
}

/// A copy of `original` in which the inputs are the globals.
fn copy(module: &mut Module, original: FuncId, inputs: &[usize], globals: &[GlobalId]) -> FuncId {
    let mut func = module.funcs[original].clone();
    for &global in globals {
        func.name = format!("{}_{}", func.name, module.globals[global].name).into();
    }
    if let Some(body) = func.body {
        let params = std::mem::take(&mut func.regions[body].params);
        for (&input, &global) in inputs.iter().zip(globals).rev() {
            let value = params[input];
            let data = OpData { op: Op::Global(global), results: SmallVec::from_iter([value]), span: func.span };
            let op = func.ops.alloc(data);
            func.regions[body].ops.insert(0, op);
            func.values[value].def = ValueDef::Result { op, index: 0 };
        }
        let kept: Vec<ValueId> =
            params.iter().enumerate().filter(|(index, _)| !inputs.contains(index)).map(|(_, &value)| value).collect();
        for (index, &value) in kept.iter().enumerate() {
            func.values[value].def = ValueDef::Param { region: body, index: index as u32 };
        }
        func.regions[body].params = kept;
    }
    let mut index = 0;
    func.inputs.retain(|_| {
        index += 1;
        !inputs.contains(&(index - 1))
    });
    module.funcs.alloc(func)
}
