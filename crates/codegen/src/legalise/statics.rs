//! Module-level arrays whose first value a function computes are filled where an entry point starts, for languages in
//! which a function cannot return an array.

use ir::{Callee, FuncId, GlobalKind, HandleType, Module, Op, OpData, SpanId, Type, Value, ValueDef};
use smallvec::SmallVec;

use super::for_each_op;

pub(crate) fn fill_arrays_at_entry(module: &mut Module, functions: &[FuncId]) {
    let mut arrays = Vec::new();
    for (id, global) in module.globals.iter() {
        if let GlobalKind::Static { init: Some(init) } = global.kind
            && let Type::Handle(HandleType::Variable { content }) = module.types.get(global.ty)
            && matches!(module.types.get(content), Type::Array { .. })
        {
            let used = functions.iter().any(|&func| {
                let func = &module.funcs[func];
                let mut used = false;
                for_each_op(func, |op| used |= func.ops[op].op == Op::Global(id));
                used
            });
            if used {
                arrays.push((id, init, global.ty, content));
            }
        }
    }
    let entries: Vec<FuncId> = module.entry_points.iter().flat_map(ir::EntryPoint::functions).collect();
    for &(id, init, handle_type, content) in &arrays {
        module.globals[id].kind = GlobalKind::Static { init: None };
        for &entry in entries.iter().filter(|entry| functions.contains(entry)) {
            let func = &mut module.funcs[entry];
            let Some(body) = func.body else { continue };
            let mut add = |op, ty: Option<ir::TypeId>| {
                let id = func.ops.alloc(OpData::new(op, SpanId::NONE));
                let value = ty
                    .map(|ty| func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None }));
                func.ops[id].results.extend(value);
                (id, value)
            };
            let callee = Callee::Func(init);
            let (call, value) = add(Op::Call { callee, args: SmallVec::new(), no_diff: false }, Some(content));
            let (global, handle) = add(Op::Global(id), Some(handle_type));
            let mut ops = vec![call, global];
            if let (Some(handle), Some(value)) = (handle, value) {
                ops.push(add(Op::Store { handle, path: SmallVec::new(), value }, None).0);
            }
            func.regions[body].ops.splice(0..0, ops);
        }
    }
}
