//! Ray queries are variables of their own: what the IR hands from one operation to the next is where one variable is.
//!
//! ```text
//! %1: ray_query<0> = ray_query.make()                →   %1: ray_query<0> = global @query
//! %2: ray_query<0> = ray_query.trace(%1, …)               ray_query.trace(%1, …)
//! %3: bool, %4: ray_query<0> = ray_query.proceed(%2)      %3: bool = ray_query.proceed(%1)
//! ```
//!
//! Which query it is where several ways meet is found out where handles become globals.

use ir::provision::Provision;
use ir::{
    FuncId, Global, GlobalId, GlobalKind, HandleType, Intrinsic, Module, Op, Scalar, Type, TypeId, ValueId,
    intrinsic::RayQueryOp,
};
use rustc_hash::FxHashMap;

use super::{for_each_op, rewrite::rewrite, unused_global_name};

pub(crate) fn are_there(module: &Module, functions: &[FuncId]) -> bool {
    functions.iter().any(|&id| module.funcs[id].values.iter().any(|(_, value)| is_query(module, value.ty)))
}

fn is_query(module: &Module, ty: TypeId) -> bool {
    matches!(module.types.get(ty), Type::Handle(HandleType::RayQuery { .. }))
}

pub(crate) fn to_variables(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let mut same: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        rewrite(module, id, &mut |w, op| {
            let data = &w.func.ops[op];
            let query = data.results.last().copied().filter(|&result| is_query(w.module, w.ty(result)));
            match (&data.op, query) {
                (Op::Undef | Op::Zero | Op::Intrinsic { intrinsic: MAKE, .. }, Some(query)) => {
                    let wanted = w.func.values[query].name.clone().unwrap_or_else(|| "query".into());
                    let global = variable(w.module, w.func.ty(query), &wanted);
                    w.replace(op, Op::Global(global));
                }
                (
                    Op::Intrinsic { intrinsic: Intrinsic::RayQuery(_) | Intrinsic::RayExtension(_), args },
                    Some(query),
                ) => {
                    if let Some(&before) = args.first() {
                        same.insert(query, before);
                    }
                    w.func.ops[op].results.pop();
                    w.keep(op);
                }
                // The languages give words.
                (Op::Intrinsic { intrinsic: Intrinsic::RayQuery(_) | Intrinsic::RayExtension(_), .. }, None)
                    if data.results.first().is_some_and(|&result| w.type_of(result) == Type::Scalar(Scalar::I32)) =>
                {
                    let asked = data.op.clone();
                    let word = w.module.types.scalar(Scalar::U32);
                    let value = w.add(asked, word);
                    w.replace(op, Op::Convert(value));
                }
                _ => w.keep(op),
            }
        });
        substitute(module, id, &same);
    }
}

const MAKE: Intrinsic = Intrinsic::RayQuery(RayQueryOp::Make);

fn variable(module: &mut Module, ty: TypeId, wanted: &str) -> GlobalId {
    let name = unused_global_name(module, wanted);
    let kind = GlobalKind::Static { init: None };
    module.globals.alloc(Global { name, ty, kind, provision: Provision::default(), by_descriptor: false })
}

/// Puts the query that goes in where the one that came out was read.
fn substitute(module: &mut Module, id: FuncId, same: &FxHashMap<ValueId, ValueId>) {
    let resolve = |value: &mut ValueId| {
        while let Some(&before) = same.get(value) {
            *value = before;
        }
    };
    let mut all = Vec::new();
    for_each_op(&module.funcs[id], |op| all.push(op));
    let func = &mut module.funcs[id];
    for op in all {
        func.ops[op].op.for_each_operand_mut(resolve);
    }
    for (_, region) in func.regions.iter_mut() {
        region.terminator.values_mut().iter_mut().for_each(resolve);
    }
}
