use super::*;
use crate::{
    BinaryOp, Input, Op, ResultSlot, SpanId, Terminator, builder::FuncBuilder, op::LoopBound,
    tests::sum_of_first_integers,
};

fn rules(module: &Module) -> Vec<Rule> {
    match verify(module) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|error| error.rule).collect(),
    }
}

/// A module with the function `f(a: f32, b: i32) -> f32` that `build` fills.
fn module_with(build: impl FnOnce(&mut FuncBuilder<'_>)) -> Module {
    let mut module = Module::default();
    let (f32, i32) = (module.types.f32(), module.types.i32());
    let input =
        |name: &str, ty| Input { name: name.into(), ty, differentiable: ty == f32, place: 0, span: SpanId::NONE };
    let result = ResultSlot::returned(f32, true);
    let mut builder =
        FuncBuilder::new(&module.types, "f", vec![input("a", f32), input("b", i32)], vec![result], SpanId::NONE);
    build(&mut builder);
    let func = builder.finish();
    module.funcs.alloc(func);
    module
}

#[test]
fn a_loop_is_accepted() {
    assert_eq!(verify(&sum_of_first_integers()), Ok(()));
}

#[test]
fn values_of_sibling_regions_are_not_visible() {
    let module = module_with(|b| {
        let (a, cond) = (b.input(0), b.bool(true));
        let mut from_then = a;
        b.if_(
            cond,
            |b| {
                from_then = b.binary(BinaryOp::Add, a, a);
                vec![from_then]
            },
            |_| vec![a],
        );
        b.ret([from_then]);
    });
    assert_eq!(rules(&module), [Rule::Visible]);
}

#[test]
fn a_result_is_not_visible_in_its_own_region() {
    let module = module_with(|b| {
        let (a, cond) = (b.input(0), b.bool(true));
        let results = b.if_(cond, |_| vec![a], |_| vec![a]);
        let Op::If { then, .. } = b.func.defining_op(results[0]).unwrap().op else { unreachable!() };
        b.func.regions[then].terminator = Terminator::Yield(results.iter().copied().collect());
        b.ret([results[0]]);
    });
    assert_eq!(rules(&module), [Rule::Visible]);
}

#[test]
fn operands_and_results_are_typed() {
    let module = module_with(|b| {
        let (a, n) = (b.input(0), b.input(1));
        let sum = b.binary(BinaryOp::Add, a, n);
        let int = b.ty(n);
        let wrong_result = b.value(Op::Binary(BinaryOp::Mul, a, a), int);
        b.value(Op::Math(crate::MathFn::Dot, Default::default()), int);
        b.ret([sum]);
        let _ = wrong_result;
    });
    assert_eq!(rules(&module), [Rule::Operands, Rule::Results, Rule::Operands]);
}

#[test]
fn regions_end_as_their_op_wants() {
    let module = module_with(|b| {
        let (a, n) = (b.input(0), b.input(1));
        let cond = b.bool(true);
        b.if_(cond, |_| vec![a], |_| vec![n]);
        b.terminate(Terminator::Break([a].into_iter().collect()));
    });
    assert_eq!(rules(&module), [Rule::Terminator, Rule::Terminator]);
}

#[test]
fn a_break_in_a_condition_does_not_belong_to_the_loop() {
    let module = module_with(|b| {
        let a = b.input(0);
        b.loop_(
            &[a],
            LoopBound::default(),
            |b, carried| {
                let cond = b.bool(true);
                let arm = |_: &mut FuncBuilder<'_>| vec![carried[0]];
                let results = b.if_(cond, arm, arm);
                let Op::If { then, .. } = b.func.defining_op(results[0]).unwrap().op else { unreachable!() };
                b.func.regions[then].terminator = Terminator::Break([carried[0]].into_iter().collect());
                cond
            },
            |_, carried| carried.to_vec(),
        );
        b.ret([a]);
    });
    assert_eq!(rules(&module), [Rule::Terminator]);
}

#[test]
fn constants_are_in_range() {
    let module = module_with(|b| {
        let u8 = b.types.scalar(crate::Scalar::U8);
        b.constant(crate::Constant::Int(256), u8);
        b.constant(crate::Constant::Float(1.0), u8);
        let a = b.input(0);
        b.ret([a]);
    });
    assert_eq!(rules(&module), [Rule::Constant, Rule::Constant]);
}

#[test]
fn a_region_belongs_to_one_op() {
    let module = module_with(|b| {
        let (a, cond) = (b.input(0), b.bool(true));
        let results = b.if_(cond, |_| vec![a], |_| vec![a]);
        let op = b.func.defining_op(results[0]).unwrap().op.clone();
        let ty = b.ty(a);
        b.value(op, ty);
        b.ret([a]);
    });
    assert_eq!(rules(&module), [Rule::Tree, Rule::Tree]);
}

#[test]
fn derivative_calls_follow_the_convention() {
    let mut module = module_with(|b| {
        let a = b.input(0);
        b.ret([a]);
    });
    let f = module.func_named("f").unwrap();
    let (f32, i32) = (module.types.f32(), module.types.i32());
    let input = |ty| Input { name: "x".into(), ty, differentiable: false, place: 0, span: SpanId::NONE };
    let mut b = FuncBuilder::new(&module.types, "g", vec![input(f32), input(i32)], Vec::new(), SpanId::NONE);
    let (x, n) = (b.input(0), b.input(1));
    let jvp = crate::Callee::Derivative(crate::DerivativeKind::Jvp, f);
    let vjp = crate::Callee::Derivative(crate::DerivativeKind::Vjp, f);
    b.call(jvp, &[x, n, x], &[f32, f32]);
    b.call(vjp, &[x, n, x], &[f32]);
    b.call(jvp, &[x, n], &[f32, f32]);
    b.call(vjp, &[x, n, n], &[i32]);
    b.ret([]);
    let func = b.finish();
    module.funcs.alloc(func);
    assert_eq!(rules(&module), [Rule::Call, Rule::Call, Rule::Call]);
}

#[test]
fn types_are_finite() {
    let mut module = Module::default();
    let f32 = module.types.f32();
    let field = |ty| crate::Field {
        name: "x".into(),
        ty,
        no_diff: false,
        matrices: crate::types::Matrices::AsUsual,
        is_gap: false,
    };
    let ty =
        module.types.add_struct(crate::StructDef { name: "S".into(), fields: vec![field(f32)], differential: None });
    let array = module.types.array(ty, 2);
    let Type::Struct(id) = module.types.get(ty) else { unreachable!() };
    module.types.structs[id].fields.push(field(array));
    assert!(rules(&module).contains(&Rule::Type));
}

#[test]
fn errors_name_values_as_the_text_form_does() {
    let module = module_with(|b| {
        let (a, n) = (b.input(0), b.input(1));
        let sum = b.binary(BinaryOp::Add, a, n);
        b.ret([sum]);
    });
    let error = verify(&module).unwrap_err().remove(0);
    assert_eq!(error.to_string(), "Operands: the operand %b of type i32 is not of the type of the other operand");
}
