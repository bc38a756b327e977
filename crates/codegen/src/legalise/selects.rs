//! `cond ? a : b` on structs and arrays becomes control flow.

use ir::{FuncId, Module, Op, Type};

use super::rewrite::rewrite;

pub(crate) fn of_aggregates_to_ifs(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        rewrite(module, id, &mut |w, op| match w.func.ops[op].op {
            Op::Select { cond, then, otherwise } if matches!(w.type_of(then), Type::Struct(_) | Type::Array { .. }) => {
                let then = w.region(&[], |_, _| vec![then]);
                let otherwise = w.region(&[], |_, _| vec![otherwise]);
                w.replace(op, Op::If { cond, then, otherwise });
            }
            _ => w.keep(op),
        });
    }
}
