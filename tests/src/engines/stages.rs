//! The module after each pass, in the interpreter.

use codegen::{EmitOptions, Interface, Target};
use ir::{BinaryOp, FuncId, Intrinsic, Module, Op, UnaryOp, intrinsic::IntegerOp, simplify, verify::VerifiedModule};

use super::{
    Outcome, Values,
    unit::{Unit, interpret, verified},
};

/// A pass over the module. Those before differentiation run what computes values alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Lowered,
    LoweredSimplified,
    Normalised,
    Peephole,
    Branches,
    Common,
    DeadCode,
    Inlined,
    Unrolled,
    Simplified,
    Compacted,
    Legal(Target),
}

/// In the order in which they are tried. Targets with the same capabilities are there once.
pub(super) const ALL: [Stage; 16] = [
    Stage::Lowered,
    Stage::LoweredSimplified,
    Stage::Normalised,
    Stage::Peephole,
    Stage::Branches,
    Stage::Common,
    Stage::DeadCode,
    Stage::Inlined,
    Stage::Unrolled,
    Stage::Simplified,
    Stage::Compacted,
    Stage::Legal(Target::Slang),
    Stage::Legal(Target::Hlsl),
    Stage::Legal(Target::Glsl),
    Stage::Legal(Target::Wgsl),
    Stage::Legal(Target::Cpp),
];

impl Stage {
    pub(super) fn name(self) -> String {
        match self {
            Stage::Lowered => "lowering".into(),
            Stage::LoweredSimplified => "simplification of what was lowered".into(),
            Stage::Normalised => "normalisation".into(),
            Stage::Peephole => "peephole rewrites".into(),
            Stage::Branches => "resolution of branches".into(),
            Stage::Common => "sharing of common operations".into(),
            Stage::DeadCode => "removal of dead code".into(),
            Stage::Inlined => "inlining".into(),
            Stage::Unrolled => "unrolling".into(),
            Stage::Simplified => "simplification".into(),
            Stage::Compacted => "compaction".into(),
            Stage::Legal(target) => format!("legalisation for {}", target.name()),
        }
    }
}

/// What the programs of a unit give after the pass.
pub(super) fn run(stage: Stage, unit: &Unit<'_>) -> Result<Vec<Outcome>, String> {
    match stage {
        Stage::Lowered => Ok(values(unit, &unit.lowered)),
        Stage::LoweredSimplified => {
            let mut module = Module::clone(&unit.lowered);
            simplify::simplify_module(&mut module);
            let module = verified(module, "simplification")?;
            Ok(values(unit, &module))
        }
        Stage::Normalised => {
            let mut module = Module::clone(&unit.lowered);
            normalise(&mut module)?;
            let module = verified(module, "normalisation")?;
            Ok(values(unit, &module))
        }
        Stage::Peephole => each(unit, |module, func| _ = simplify::peephole::rewrite(module, func)),
        Stage::Branches => each(unit, |module, func| _ = simplify::branches::resolve(module, func)),
        Stage::Common => each(unit, |module, func| _ = simplify::common::share(module, func)),
        Stage::DeadCode => each(unit, |module, func| _ = simplify::dead_code::remove(module, func)),
        Stage::Inlined => each(unit, |module, func| _ = simplify::inline::inline_calls(module, func, |_| true)),
        Stage::Unrolled => each(unit, |module, func| _ = simplify::unroll::unroll(module, func)),
        Stage::Simplified => each(unit, simplify::simplify_func),
        Stage::Compacted => {
            let keep = simplify::compact::Keep { rules: false };
            let module = simplify::compact::compact(&unit.expanded, &unit.roots, keep).module;
            let module = verified(module, "compaction")?;
            Ok(unit.interpret_all(&module))
        }
        Stage::Legal(target) => {
            let legal = codegen::legalised(
                &unit.expanded,
                target,
                &EmitOptions { interface: Interface::Memory, checked: true, ..EmitOptions::default() },
            );
            let legal = legal.map_err(|errors| refused(&errors))?;
            // What is not written any more may have the name of what is.
            let keep = simplify::compact::Keep { rules: false };
            let mut module = simplify::compact::compact(&legal.module, &legal.functions, keep).module;
            operators_again(&mut module);
            // Interface values are structs now, their differentials are not known to be theirs any more, and nothing
            // differentiates what is legal.
            for id in module.types.structs.ids() {
                module.types.structs[id].differential = None;
            }
            for (_, func) in module.funcs.iter_mut() {
                func.inputs.iter_mut().for_each(|input| input.differentiable = false);
                func.results.iter_mut().for_each(|result| result.differentiable = false);
            }
            let module = verified(module, "legalisation")?;
            Ok(unit.interpret_all(&module))
        }
    }
}

/// The first of the reasons for which there is no code.
pub(super) fn refused(errors: &[codegen::EmitError]) -> String {
    format!("refused: {}", errors.first().map(ToString::to_string).unwrap_or_default())
}

/// What the entry points without derivatives give; those of programs without one count as right.
fn values(unit: &Unit<'_>, module: &VerifiedModule) -> Vec<Outcome> {
    unit.programs
        .iter()
        .zip(&unit.expected)
        .map(|(program, expected)| {
            let Some(Values { entry, results }) = &program.values else { return Ok(expected.clone()) };
            let values = interpret(module, entry, program, interp::Precision::Declared, &program.inputs)?;
            Ok([&values[..*results], &expected[*results..]].concat())
        })
        .collect()
}

/// A pass over each function of the expanded module.
fn each(unit: &Unit<'_>, pass: impl Fn(&mut Module, FuncId)) -> Result<Vec<Outcome>, String> {
    let mut module = Module::clone(&unit.expanded);
    let funcs: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).collect();
    for func in funcs {
        if module.funcs[func].body.is_some() {
            pass(&mut module, func);
        }
    }
    let module = verified(module, "the pass")?;
    Ok(unit.interpret_all(&module))
}

/// Puts operators in place of the functions by which languages say what the operators of the IR mean.
fn operators_again(module: &mut Module) {
    for (_, func) in module.funcs.iter_mut() {
        for (_, data) in func.ops.iter_mut() {
            let Op::Intrinsic { intrinsic: Intrinsic::Integer(integer), args } = &data.op else { continue };
            let op = match (integer, args.as_slice()) {
                (IntegerOp::WrappingNeg, &[a]) => Op::Unary(UnaryOp::Neg, a),
                (IntegerOp::WrappingAdd, &[a, b]) => Op::Binary(BinaryOp::Add, a, b),
                (IntegerOp::WrappingSub, &[a, b]) => Op::Binary(BinaryOp::Sub, a, b),
                (IntegerOp::WrappingMul, &[a, b]) => Op::Binary(BinaryOp::Mul, a, b),
                (IntegerOp::Quotient, &[a, b]) => Op::Binary(BinaryOp::Div, a, b),
                (IntegerOp::Remainder, &[a, b]) => Op::Binary(BinaryOp::Rem, a, b),
                (IntegerOp::ShiftLeft, &[a, b]) => Op::Binary(BinaryOp::Shl, a, b),
                (IntegerOp::ShiftRight, &[a, b]) => Op::Binary(BinaryOp::Shr, a, b),
                _ => continue,
            };
            data.op = op;
        }
    }
}

fn normalise(module: &mut Module) -> Result<(), String> {
    let funcs: Vec<FuncId> = module.funcs.iter().map(|(id, _)| id).collect();
    for id in funcs {
        if module.funcs[id].body.is_none() {
            continue;
        }
        let Module { types, funcs, .. } = module;
        let normal = autodiff::normalise::normalise(types, funcs, &funcs[id]).map_err(|error| error.to_string())?;
        module.funcs[id] = normal.func;
    }
    Ok(())
}
