//! How large a group is, where all entry points say the same.

use ir::{Constant, FuncId, Intrinsic, Module, Op, Type, intrinsic::GridOp, module::Stage};
use smallvec::SmallVec;

use super::rewrite::rewrite;

/// Puts the numbers in the place of the question.
pub(crate) fn answer(module: &mut Module, functions: &[FuncId]) {
    let entries = module.entry_points.iter().filter(|entry| functions.contains(&entry.func));
    let in_groups = |stage| matches!(stage, Stage::Compute | Stage::Amplification | Stage::Mesh);
    let mut sizes = entries.filter(|entry| in_groups(entry.stage)).map(|entry| entry.group_size);
    let Some(size) = sizes.next() else { return };
    if sizes.any(|other| other != size) {
        return;
    }
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let result = match &w.func.ops[op].op {
                Op::Intrinsic { intrinsic: Intrinsic::Grid(GridOp::WorkGroupSize), .. } => {
                    w.func.ops[op].results.first().map(|&result| w.type_of(result))
                }
                _ => None,
            };
            let Some(Type::Vector { scalar, len: 3 }) = result else { return w.keep(op) };
            let ty = w.module.types.scalar(scalar);
            let parts: SmallVec<[_; 4]> =
                size.iter().map(|&count| w.add(Op::Const(Constant::Int(count.into())), ty)).collect();
            w.replace(op, Op::Make(parts));
        });
    }
}
