//! Calls of requirements on interface values: a match on the type that the value holds, each arm calling that type's
//! implementation. Differentiation sees an ordinary function with a branch.

use hir_ty::{signature::FunctionRef, ty::Ty};
use ir::{Callee, Op, Type, TypeId, ValueId, builder::FuncBuilder};

use crate::{
    error::{Lowering, Stop},
    front,
    program::Program,
};

pub(crate) fn build(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, requirement: FunctionRef) -> Lowering<()> {
    let inputs: Vec<ValueId> = b.func.input_values().to_vec();
    let &[receiver, ref rest @ ..] = inputs.as_slice() else {
        return Err(Stop::unsupported("a static requirement called on an interface value"));
    };
    let Type::Sum(sum) = b.type_of(receiver) else {
        return Err(Stop::unsupported("a static requirement called on an interface value"));
    };
    let results: Vec<TypeId> = b.func.results.iter().map(|slot| slot.ty).collect();
    let receiver_ty = b.ty(receiver);
    // The receiver of a mutating requirement comes out right after the result.
    let this_result = b.func.results.iter().position(|slot| slot.name == "this");
    let variants = b.types.sums[sum].variants.clone();
    let mut regions = Vec::new();
    for (number, variant) in variants.iter().enumerate() {
        let ty = variant_type(program, requirement, variant.ty)?;
        let implementation = FunctionRef { self_ty: Some(ty), ..requirement };
        let func = program.function(b.types, implementation)?;
        let mut callee_results: Vec<TypeId> = results.clone();
        if let Some(index) = this_result {
            callee_results[index] = variant.ty;
        }
        let actual: Vec<TypeId> = program.module.funcs[func].results.iter().map(|slot| slot.ty).collect();
        let actual_inputs: Vec<TypeId> = program.module.funcs[func].inputs.iter().map(|input| input.ty).collect();
        let region = b.new_region(&[variant.ty]);
        let outer = b.switch_to(region);
        let mut args = vec![b.params(region)[0]];
        args.extend(rest);
        let fits = actual == callee_results && actual_inputs.iter().copied().eq(args.iter().map(|&arg| b.ty(arg)));
        if !fits {
            b.switch_to(outer);
            return Err(Stop::unsupported("dynamic dispatch of a requirement whose types depend on the receiver's"));
        }
        let mut values = b.call(Callee::Func(func), &args, &actual).to_vec();
        if let Some(index) = this_result {
            let variant = number as u32;
            values[index] = b.value(Op::SumMake { variant, value: values[index] }, receiver_ty);
        }
        b.yield_(values);
        b.switch_to(outer);
        regions.push(region);
    }
    let op = b.op(Op::SumMatch { sum: receiver, variants: regions, null: None }, &results);
    let values = b.results(op).to_vec();
    b.ret(values);
    Ok(())
}

/// The source type behind a variant of the sum of the requirement's receiver.
fn variant_type(program: &mut Program<'_>, requirement: FunctionRef, variant: TypeId) -> Lowering<Ty> {
    let interface = requirement.self_ty.ok_or_else(|| Stop::broken("a dispatch without receiver"))?;
    front::conforming_types(program, interface)
        .into_iter()
        .find(|candidate| program.types.get(candidate) == Some(&variant))
        .ok_or_else(|| Stop::broken("a variant without type"))
}
