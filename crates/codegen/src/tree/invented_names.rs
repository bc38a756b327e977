//! Names for variables that the user did not name: after what they hold.
//!
//! | value | name |
//! |---|---|
//! | result of a call | the parameter it comes out by, else `callee_result` |
//! | part of a struct, element of `v_saved` or `v` | the field; `v` |
//! | `dot(n, l)`, `dot(a - b, c)` | `dot_n_l`, `dot_result` |
//! | `a * b + c`, `a < b` | `sum`, `is_less`: what the last operation makes |
//! | what a branch or loop gives | what one of its arms, or the iteration before, calls it |

use ir::{BinaryOp, Callee, Func, Module, Op, OpId, PathStep, RegionId, Scalar, Type, UnaryOp, ValueDef, ValueId};
use smol_str::{SmolStr, format_smolstr};

use super::names::variable;

/// The name of what holds nothing that has a word.
const UNKNOWN: &str = "value";

/// The letters up to which operands are part of a name.
const LONGEST: usize = 24;

/// How many values are looked through for one that has a name.
const STEPS: u32 = 8;

/// A name for `value`, which has none.
pub(super) fn name(module: &Module, func: &Func, value: ValueId) -> SmolStr {
    let names = Names { module, func };
    names.found(value, STEPS).unwrap_or_else(|| names.by_type(value))
}

/// A name for a value that a loop carries from one iteration to the next and that nobody named.
pub(super) fn carried(module: &Module, func: &Func, op: OpId, index: usize) -> SmolStr {
    let names = Names { module, func };
    let Op::Loop { body, .. } = func.ops[op].op else { return UNKNOWN.into() };
    match module.types.get(func.ty(func.regions[body].params[index])) {
        Type::Scalar(Scalar::Bool) => "running".into(),
        Type::Scalar(scalar) if scalar.is_integer() => "count".into(),
        _ => names.of_arms(&[body], index, STEPS).unwrap_or_else(|| names.by_type(func.regions[body].params[index])),
    }
}

struct Names<'a> {
    module: &'a Module,
    func: &'a Func,
}

impl Names<'_> {
    fn found(&self, value: ValueId, steps: u32) -> Option<SmolStr> {
        let steps = steps.checked_sub(1)?;
        match self.func.values[value].def {
            ValueDef::Result { op, index } => self.of_result(op, index as usize, value, steps),
            ValueDef::Param { .. } => None,
        }
    }

    fn of_result(&self, op: OpId, index: usize, value: ValueId, steps: u32) -> Option<SmolStr> {
        let op = &self.func.ops[op].op;
        let word = match op {
            Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } => {
                return Some(self.of_call(&self.module.funcs[*callee], index));
            }
            Op::Extract { aggregate, path } => return self.of_part(*aggregate, path),
            Op::Math(function, args) => return Some(self.of_function(function.word(), args)),
            Op::Convert(operand) | Op::Detach(operand) | Op::Forget(operand) | Op::Splat(operand) => {
                return self.known(*operand, steps);
            }
            Op::Swizzle { vector, .. } => return self.known(*vector, steps),
            Op::If { then, otherwise, .. } => return self.of_arms(&[*then, *otherwise], index, steps),
            Op::Switch { cases, default, .. } => {
                let arms: Vec<RegionId> = cases.iter().map(|(_, region)| *region).chain([*default]).collect();
                return self.of_arms(&arms, index, steps);
            }
            Op::Loop { body, .. } => return self.of_arms(&[*body], index, steps),
            Op::Load { handle, .. } | Op::ByteLoad { handle, .. } => {
                let global = match self.func.defining_op(*handle).map(|data| &data.op) {
                    Some(Op::Global(global)) => Some(&self.module.globals[*global].name),
                    _ => self.func.values[*handle].name.as_ref(),
                };
                return global.map(|name| format_smolstr!("{}_element", variable(name)));
            }
            Op::Select { .. } if self.is_bool(value) => "condition",
            Op::Select { .. } => "chosen",
            Op::Unary(operator, _) => unary_word(*operator),
            Op::Binary(operator, ..) => self.binary_word(*operator, value),
            Op::BufferLength { .. } => "element_count",
            _ => return None,
        };
        Some(word.into())
    }

    fn of_call(&self, callee: &Func, index: usize) -> SmolStr {
        match callee.results.get(index) {
            Some(slot) if !slot.is_return() => slot.name.clone(),
            _ => {
                let last = callee.name.rsplit(['.', ':']).next().unwrap_or(&callee.name);
                format_smolstr!("{last}_result")
            }
        }
    }

    fn of_part(&self, aggregate: ValueId, path: &[PathStep]) -> Option<SmolStr> {
        if let (Type::Struct(id), [PathStep::Const(index)]) = (self.module.types.get(self.func.ty(aggregate)), path) {
            return self.module.types.structs[id].fields.get(*index as usize).map(|field| field.name.clone());
        }
        let whole = self.func.values[aggregate].name.as_deref().map(variable)?;
        match path {
            // What the way forward saved of `v` is `v` again.
            [.., PathStep::Dynamic(_)] => {
                let primal = whole.strip_suffix("_saved").map(SmolStr::new);
                Some(primal.unwrap_or_else(|| format_smolstr!("{whole}_element")))
            }
            _ => None,
        }
    }

    fn of_function(&self, word: &str, args: &[ValueId]) -> SmolStr {
        let names: Option<Vec<&str>> =
            args.iter().map(|&arg| self.func.values[arg].name.as_deref().map(variable)).collect();
        let whole = names.map(|names| format_smolstr!("{word}_{}", names.join("_")));
        whole.filter(|name| name.len() <= LONGEST).unwrap_or_else(|| format_smolstr!("{word}_result"))
    }

    fn of_arms(&self, arms: &[RegionId], index: usize, steps: u32) -> Option<SmolStr> {
        let yielded = |arm: &RegionId| self.func.regions[*arm].terminator.values().get(index).copied();
        let values: Vec<ValueId> = arms.iter().filter_map(yielded).collect();
        let named = values.iter().find_map(|&value| self.func.values[value].name.as_deref());
        named.map(|name| variable(name).into()).or_else(|| values.iter().find_map(|&value| self.known(value, steps)))
    }

    /// What a value is called, or would be.
    fn known(&self, value: ValueId, steps: u32) -> Option<SmolStr> {
        match self.func.values[value].name.as_deref() {
            Some(name) => Some(variable(name).into()),
            None => self.found(value, steps),
        }
    }

    fn is_bool(&self, value: ValueId) -> bool {
        let scalar = match self.module.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
            _ => return false,
        };
        scalar == Scalar::Bool
    }

    fn binary_word(&self, operator: BinaryOp, value: ValueId) -> &'static str {
        match operator {
            BinaryOp::Add => "sum",
            BinaryOp::Sub => "difference",
            BinaryOp::Mul => "product",
            BinaryOp::Div => "ratio",
            BinaryOp::Rem => "rest",
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if self.is_bool(value) => "condition",
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => "bits",
            BinaryOp::Less => "is_less",
            BinaryOp::LessEqual => "is_at_most",
            BinaryOp::Greater => "is_greater",
            BinaryOp::GreaterEqual => "is_at_least",
            BinaryOp::Equal => "is_equal",
            BinaryOp::NotEqual => "is_different",
        }
    }

    fn by_type(&self, value: ValueId) -> SmolStr {
        let word = match self.module.types.get(self.func.ty(value)) {
            Type::Scalar(Scalar::Bool) => "condition",
            Type::Array { .. } => "elements",
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Struct(_)
            | Type::Sum(_)
            | Type::Handle(_)
            | Type::Opaque(_) => UNKNOWN,
        };
        word.into()
    }
}

fn unary_word(operator: UnaryOp) -> &'static str {
    match operator {
        UnaryOp::Neg => "negated",
        UnaryOp::Not => "condition",
        UnaryOp::BitNot => "bits",
    }
}
