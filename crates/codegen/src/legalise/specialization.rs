//! Specialisation constants: their numbers, what they are without the host, and what they are where a target has none.

use ir::provision::ParameterRole;
use ir::{Constant, Func, GlobalId, GlobalKind, HandleType, Module, Op, Scalar, Terminator, Type, UnaryOp, ValueId};

/// Makes data that the host provides of the constants, as slangc does where the target has none.
pub(crate) fn to_uniforms(module: &mut Module) {
    let mut types = rustc_hash::FxHashMap::default();
    for (id, global) in module.globals.iter_mut() {
        if let ParameterRole::Specialization(_) = global.provision.role
            && let Type::Handle(HandleType::Variable { content }) = module.types.get(global.ty)
        {
            global.ty = module.types.intern(Type::Handle(HandleType::ConstantBuffer { content }));
            global.kind = GlobalKind::Parameter;
            global.provision.role = ParameterRole::Uniform;
            types.insert(id, global.ty);
        }
    }
    for (_, func) in module.funcs.iter_mut() {
        for (_, data) in func.ops.iter() {
            if let Op::Global(global) = data.op
                && let Some(&ty) = types.get(&global)
            {
                data.results.iter().for_each(|&result| func.values[result].ty = ty);
            }
        }
    }
}

/// What a function without inputs returns, if it is a constant.
pub fn constant_result(func: &Func) -> Option<Constant> {
    let Terminator::Return(values) = &func.regions[func.body?].terminator else { return None };
    let [value] = values[..] else { return None };
    constant(func, value)
}

fn constant(func: &Func, value: ValueId) -> Option<Constant> {
    match &func.defining_op(value)?.op {
        Op::Const(constant) => Some(*constant),
        Op::Unary(UnaryOp::Neg, operand) => match constant(func, *operand)? {
            Constant::Int(value) => Some(Constant::Int(value.wrapping_neg())),
            Constant::Float(value) => Some(Constant::Float(-value)),
            Constant::Bool(_) => None,
        },
        _ => None,
    }
}

/// The zero of a scalar type.
pub fn zero(ty: Type) -> Option<Constant> {
    let Type::Scalar(scalar) = ty else { return None };
    Some(match scalar {
        Scalar::Bool => Constant::Bool(false),
        scalar if scalar.is_float() => Constant::Float(0.0),
        _ => Constant::Int(0),
    })
}

/// The number of a specialisation constant. Those without one get, in the order of their declarations, the first that no
/// other has.
pub fn constant_number(module: &Module, wanted: GlobalId) -> u32 {
    let roles = || module.globals.iter().map(|(id, global)| (id, global.provision.role));
    let mut taken: Vec<u32> = roles()
        .filter_map(|(_, role)| match role {
            ParameterRole::Specialization(number) => number,
            _ => None,
        })
        .collect();
    for (id, role) in roles() {
        let number = match role {
            ParameterRole::Specialization(Some(number)) => number,
            ParameterRole::Specialization(None) => {
                let free = (0..).find(|number| !taken.contains(number)).unwrap_or(0);
                taken.push(free);
                free
            }
            _ => continue,
        };
        if id == wanted {
            return number;
        }
    }
    0
}
