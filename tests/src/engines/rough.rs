//! A module whose functions are as inexact as those of devices may be.

use ir::{
    BinaryOp, Constant, Func, MathFn, Module, Op, Type, TypeId, Value, ValueDef, ValueId, func::OpData,
    verify::VerifiedModule,
};

/// How far results of functions may be off, relative to themselves, where that is more than a few units of the last place.
/// Vulkan inherits the precision of the inverse functions from `atan2`, which may be 4096 units off, and asks for no more than
/// 2⁻¹¹ of `sin` and `cos`. Mesa's driver for the CPU computes `asin` and `acos` to about 4e-4; NVIDIA's has an instruction for
/// `tanh`, which is off by 2⁻¹¹.
const INEXACT: &[(MathFn, f64)] = &[
    (MathFn::Acos, 5e-4),
    (MathFn::Asin, 5e-4),
    (MathFn::Atan, 2.5e-4),
    (MathFn::Atan2, 2.5e-4),
    (MathFn::Acosh, 2.5e-4),
    (MathFn::Tanh, 5e-4),
];

/// The module with the results of these functions larger, or smaller, by as much; nothing if it has none of them.
pub(super) fn rough(module: &Module, sign: f64) -> Option<VerifiedModule> {
    let mut module = module.clone();
    let mut has_any = false;
    let Module { types, funcs, .. } = &mut module;
    for (_, func) in funcs.iter_mut() {
        let regions: Vec<_> = func.regions.iter().map(|(id, _)| id).collect();
        for region in regions {
            let ops = std::mem::take(&mut func.regions[region].ops);
            let mut kept = Vec::with_capacity(ops.len());
            for op in ops {
                let data = func.ops[op].clone();
                let known = match &data.op {
                    Op::Math(function, _) => INEXACT.iter().find(|(known, _)| known == function),
                    _ => None,
                };
                if let (Some((_, part)), &[result]) = (known, data.results.as_slice()) {
                    has_any = true;
                    let ty = func.ty(result);
                    let mut before = |func: &mut Func, op, ty| add(func, op, ty, &mut kept);
                    let exact = before(func, data.op.clone(), ty);
                    let factor = Op::Const(Constant::Float(1.0 + sign * part));
                    let factor = match types.get(ty) {
                        Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                            let scalar = types.scalar(scalar);
                            let factor = before(func, factor, scalar);
                            before(func, Op::Splat(factor), ty)
                        }
                        _ => before(func, factor, ty),
                    };
                    func.ops[op].op = Op::Binary(BinaryOp::Mul, exact, factor);
                }
                kept.push(op);
            }
            func.regions[region].ops = kept;
        }
    }
    has_any.then(|| VerifiedModule::new(module).expect("the pass keeps the rules"))
}

/// A new operation after those that are kept.
fn add(func: &mut Func, op: Op, ty: TypeId, kept: &mut Vec<ir::OpId>) -> ValueId {
    let id = func.ops.alloc(OpData::new(op, ir::SpanId::NONE));
    let value = func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
    func.ops[id].results.push(value);
    kept.push(id);
    value
}

#[cfg(test)]
mod tests {
    use interp::{Limits, Machine, Precision, Value};

    use super::rough;

    #[test]
    fn results_of_inexact_functions_are_off() {
        let text = "func @f(%x: f32) -> (return: f32) {
             %a: f32 = acos(%x)
             %b: f32 = sqrt(%a)
             return %b
         }";
        let module = ir::parse::parse_module(text).expect("it parses");
        let larger = rough(&module, 1.0).expect("it has one of the functions");
        let (func, _) = larger.funcs.iter().next().expect("a function");
        let mut machine = Machine::new(&larger, Precision::F64, Limits::default());
        let got = machine.call(func, &[Value::Float(0.5)]).expect("it runs");
        let expected = (0.5f64.acos() * (1.0 + 5e-4)).sqrt();
        assert!((got[0].floats()[0] - expected).abs() < 1e-9, "{got:?}");
        let plain = "func @f(%x: f32) -> (return: f32) {
             %a: f32 = sqrt(%x)
             return %a
         }";
        assert!(rough(&ir::parse::parse_module(plain).expect("it parses"), 1.0).is_none());
    }
}
