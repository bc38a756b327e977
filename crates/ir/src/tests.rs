//! Modules that several tests use.

use crate::{BinaryOp, Input, Module, ResultSlot, SpanId, builder::FuncBuilder, op::LoopBound};

/// `int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }`
pub(crate) fn sum_of_first_integers() -> Module {
    let mut module = Module::default();
    let i32 = module.types.i32();
    let input = Input { name: "n".into(), ty: i32, differentiable: false, place: 0, span: SpanId::NONE };
    let result = ResultSlot::returned(i32, false);
    let mut b = FuncBuilder::new(&module.types, "sum", vec![input], vec![result], SpanId::NONE);
    let (n, zero) = (b.input(0), b.i32(0));
    let bound = LoopBound { max_iters: Some(16), ..LoopBound::default() };
    let ends = b.loop_(
        &[zero, zero],
        bound,
        |b, carried| b.binary(BinaryOp::Less, carried[0], n),
        |b, carried| {
            b.name(carried[0], "i");
            b.name(carried[1], "s");
            let sum = b.binary(BinaryOp::Add, carried[1], carried[0]);
            let one = b.i32(1);
            let next = b.binary(BinaryOp::Add, carried[0], one);
            vec![next, sum]
        },
    );
    b.name(ends[1], "s");
    b.ret([ends[1]]);
    let func = b.finish();
    module.funcs.alloc(func);
    module
}
