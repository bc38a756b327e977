//! Values that the GPU provides (thread numbers) are known to entry points only; other functions get them as inputs.

use ir::{Builtin, Callee, FuncId, Input, Module, Op, OpData, SpanId, TypeId, Value, ValueDef, abi::LAST};
use la_arena::ArenaMap;

use super::reachable::for_each_op;

type Needs = ArenaMap<FuncId, Vec<(Builtin, TypeId)>>;

/// `functions` are all that is written, callees first.
pub(crate) fn pass_from_entry_points(module: &mut Module, functions: &[FuncId]) {
    let mut needs = Needs::default();
    for &id in functions {
        let func = &module.funcs[id];
        let mut mine: Vec<(Builtin, TypeId)> = Vec::new();
        for_each_op(func, |op| {
            let data = &func.ops[op];
            let found: Vec<(Builtin, TypeId)> = match &data.op {
                Op::Builtin(builtin) => vec![(*builtin, func.ty(data.results[0]))],
                Op::Call { callee: Callee::Func(callee), .. } => needs.get(*callee).cloned().unwrap_or_default(),
                _ => Vec::new(),
            };
            for need in found {
                if !mine.contains(&need) {
                    mine.push(need);
                }
            }
        });
        needs.insert(id, mine);
    }
    for &id in functions {
        let is_entry = module.entry_points.iter().any(|entry| entry.func == id);
        rewrite(module, id, is_entry, &needs);
    }
}

fn rewrite(module: &mut Module, id: FuncId, is_entry: bool, needs: &Needs) {
    let func = &mut module.funcs[id];
    let Some(body) = func.body else { return };
    let mine = needs.get(id).cloned().unwrap_or_default();
    if mine.is_empty() {
        return;
    }
    let (mut reads, mut calls) = (Vec::new(), Vec::new());
    for_each_op(func, |op| match &func.ops[op].op {
        Op::Builtin(builtin) => reads.push((op, *builtin)),
        Op::Call { callee: Callee::Func(callee), .. } => calls.push((op, *callee)),
        _ => {}
    });
    // The value of each builtin: an op at the start of an entry point, an input elsewhere.
    let mut values = Vec::new();
    for (at, &(builtin, ty)) in mine.iter().enumerate() {
        let value = if is_entry {
            let op = func.ops.alloc(OpData::new(Op::Builtin(builtin), SpanId::NONE));
            let value = func.values.alloc(Value { ty, def: ValueDef::Result { op, index: 0 }, name: None });
            func.ops[op].results.push(value);
            func.regions[body].ops.insert(at, op);
            value
        } else {
            let name = name(builtin);
            let index = func.inputs.len() as u32;
            func.inputs.push(Input { name: name.into(), ty, differentiable: false, place: LAST, span: SpanId::NONE });
            let def = ValueDef::Param { region: body, index };
            let value = func.values.alloc(Value { ty, def, name: Some(name.into()) });
            func.regions[body].params.push(value);
            value
        };
        values.push((builtin, ty, value));
    }
    let value_of = |builtin: Builtin, ty: TypeId| {
        values.iter().find(|(b, t, _)| (*b, *t) == (builtin, ty)).map(|&(_, _, value)| value)
    };
    if !is_entry {
        for (op, builtin) in reads {
            let ty = func.ty(func.ops[op].results[0]);
            if let Some(value) = value_of(builtin, ty) {
                // Numbers of threads have no derivative to cut off: this only passes the input on.
                func.ops[op].op = Op::Detach(value);
            }
        }
    }
    for (op, callee) in calls {
        for &(builtin, ty) in needs.get(callee).into_iter().flatten() {
            if let (Some(value), Op::Call { args, .. }) = (value_of(builtin, ty), &mut func.ops[op].op) {
                args.push(value);
            }
        }
    }
}

/// The parameter that brings the value.
pub fn name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::DispatchThreadId => "dispatchThreadID",
        Builtin::GroupThreadId => "groupThreadID",
        Builtin::GroupId => "groupID",
        Builtin::GroupIndex => "groupIndex",
    }
}
