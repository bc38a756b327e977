//! `__intrinsic_asm "text"`: the function's result is what the text computes in the target's language. What merely calls a
//! mathematical function that the core library has too (`"sin($0)"`, `"$P_pow($0, $1)"`, `"exp"`, C's `"expf($0)"`, CUDA's
//! `"hexp($0)"`) is that function, and so are C's `expm1` and `log1p` and CUDA's conversions of halves.

use hir_def::{
    item::{self, ItemKind},
    name::Name,
    prelude_index::prelude_items,
};
use hir_ty::signature::FunctionRef;
use ir::{BinaryOp, Constant, Intrinsic, MathFn, Type, ValueId, intrinsic::NumberOp};

use super::{Binding, BodyLowering, Returns};
use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    front, intrinsic,
};

impl BodyLowering<'_, '_> {
    pub(super) fn intrinsic_asm(&mut self, text: &str) -> Lowering<()> {
        let unsupported = || Stop::unsupported(format!("`__intrinsic_asm` with the text `{text}`"));
        let Returns::Value(ty) = self.returns else { return Err(unsupported()) };
        let operands = self.operands()?;
        let (called, order) = parse(text, operands.len()).ok_or_else(unsupported)?;
        let args: Option<Vec<ValueId>> = order.iter().map(|&index| operands.get(index).copied()).collect();
        let args = args.ok_or_else(unsupported)?;
        if let Some(value) = self.near_zero(called, &args) {
            let value = self.coerce(value, ty)?;
            return self.leave_function(Some(value));
        }
        if let ("__float2half" | "__half2float", &[value]) = (called, &args[..]) {
            let value = self.coerce(value, ty)?;
            return self.leave_function(Some(value));
        }
        let named = |called| self.mathematical(called, args.len());
        // C's functions of singles, then CUDA's of halves.
        let function = named(called)
            .or_else(|| named(called.strip_suffix('f')?))
            .or_else(|| named(called.strip_prefix('h')?))
            .ok_or_else(unsupported)?;
        let this = FunctionRef { item: self.scope.item, args: self.scope.args, self_ty: self.scope.this };
        let surface = &front::surface(self.program, this)?;
        let asked = intrinsic::Asked { function, args: &args, surface, format: None, type_arg: None };
        let results = intrinsic::emit(self.program, &mut self.b, &asked)?;
        let value = self.coerce(*results.first().ok_or_else(unsupported)?, ty)?;
        self.leave_function(Some(value))
    }

    /// What `$0`, `$1`, … are: `this`, then the parameters.
    fn operands(&self) -> Lowering<Vec<ValueId>> {
        let params = front::body(self.program.db, self.scope.item).params.iter();
        let bindings = self.this.map(Some).into_iter().chain(params.map(|local| self.locals.get(*local).copied()));
        let operand = |binding| match binding {
            Some(Binding::Variable(variable)) => self.env.get(variable),
            Some(Binding::Global(_) | Binding::Place(_)) | None => {
                Err(Stop::broken("a parameter that is not a variable"))
            }
        };
        bindings.map(operand).collect()
    }

    /// C's `expm1` and `log1p` by Kahan's formulas: with `u = exp(x)` rounded, `(u - 1) * x / log(u)` is as exact as `u` was
    /// before, and so is `log(u) * x / (u - 1)` with `u = 1 + x`.
    fn near_zero(&mut self, called: &str, args: &[ValueId]) -> Option<ValueId> {
        let is_exponential = match called {
            "expm1" | "expm1f" => true,
            "log1p" | "log1pf" => false,
            _ => return None,
        };
        let &[x] = args else { return None };
        let b = &mut self.b;
        let ty = b.ty(x);
        if !matches!(b.types.get(ty), Type::Scalar(scalar) if scalar.is_float()) {
            return None;
        }
        let truth = b.bool_like(ty);
        let one = b.constant(Constant::Float(1.0), ty);
        let (wide, narrow, limit) = if is_exponential {
            let u = b.math(MathFn::Exp, &[x], ty);
            let (less, log) = (b.binary(BinaryOp::Sub, u, one), b.math(MathFn::Log, &[u], ty));
            let zero = b.constant(Constant::Float(0.0), ty);
            let is_nothing = b.binary(BinaryOp::Equal, u, zero);
            let is_infinite = b.math(MathFn::IsInf, &[u], truth);
            let is_limit = b.binary(BinaryOp::Or, is_nothing, is_infinite);
            (less, log, is_limit)
        } else {
            let u = b.binary(BinaryOp::Add, one, x);
            let (less, log) = (b.binary(BinaryOp::Sub, u, one), b.math(MathFn::Log, &[u], ty));
            let is_infinite = b.math(MathFn::IsInf, &[u], truth);
            (log, less, is_infinite)
        };
        // Where both factors are zero the function is the identity; where one is infinite, its limit.
        let zero = b.constant(Constant::Float(0.0), ty);
        let is_same = b.binary(BinaryOp::Equal, narrow, zero);
        let divisor = b.select(is_same, one, narrow);
        let ratio = b.binary(BinaryOp::Div, x, divisor);
        let product = b.binary(BinaryOp::Mul, wide, ratio);
        let value = b.select(limit, wide, product);
        Some(b.select(is_same, x, value))
    }

    /// What the core library's mathematical function `called` with so many parameters is.
    fn mathematical(&self, called: &str, count: usize) -> Option<CoreFunction> {
        let db = self.program.db;
        prelude_items(db, Name::new(called)).iter().find_map(|&item| {
            let ItemKind::Function(function) = &item::item_data(db, item).kind else { return None };
            let known = front::core_function(db, item)?;
            let is_mathematical = matches!(
                known,
                CoreFunction::Math(_) | CoreFunction::Intrinsic(Intrinsic::Number(NumberOp::Nextafter))
            );
            (is_mathematical && function.params.len() == count).then_some(known)
        })
    }
}

/// The function that a text calls, and which operands it passes; without parentheses all of them.
fn parse(text: &str, operands: usize) -> Option<(&str, Vec<usize>)> {
    let text = text.trim();
    let text = text.strip_prefix("$P_").unwrap_or(text);
    let (name, order) = match text.split_once('(') {
        None => (text, (0..operands).collect()),
        Some((name, rest)) => {
            let number = |operand: &str| {
                let operand = operand.trim();
                let inner = operand.strip_prefix('(').and_then(|operand| operand.strip_suffix(')'));
                inner.unwrap_or(operand).strip_prefix('$')?.parse().ok()
            };
            let order = rest.strip_suffix(')')?.split(',').map(number);
            (name, order.collect::<Option<Vec<usize>>>()?)
        }
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, order))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn calls_of_functions_are_recognised() {
        assert_eq!(parse("exp", 1), Some(("exp", vec![0])));
        assert_eq!(parse("$P_pow($1, $0)", 2), Some(("pow", vec![1, 0])));
        assert_eq!(parse("log1p(($0))", 1), Some(("log1p", vec![0])));
        assert_eq!(parse("$0 + $1", 2), None);
        assert_eq!(parse("rsqrt($0).x", 1), None);
    }
}
