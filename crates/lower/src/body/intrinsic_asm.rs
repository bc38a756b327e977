//! `__intrinsic_asm "text"`: the function's result is what the text computes in the target's language. What merely calls a
//! mathematical function that the core library has too (`"sin($0)"`, `"$P_pow($0, $1)"`, `"exp"`) is that function.

use hir_def::{
    item::{self, ItemKind},
    name::Name,
    prelude_index::prelude_items,
};
use hir_ty::signature::FunctionRef;
use ir::{MathFn, ValueId};

use super::{Binding, BodyLowering, Returns};
use crate::{
    error::{Lowering, Stop},
    front,
    intrinsic::{self, CoreFunction},
};

impl BodyLowering<'_, '_> {
    pub(super) fn intrinsic_asm(&mut self, text: &str) -> Lowering<()> {
        let unsupported = || Stop::unsupported(format!("`__intrinsic_asm` with the text `{text}`"));
        let Returns::Value(ty) = self.returns else { return Err(unsupported()) };
        let operands = self.operands()?;
        let (called, order) = parse(text, operands.len()).ok_or_else(unsupported)?;
        let args: Option<Vec<ValueId>> = order.iter().map(|&index| operands.get(index).copied()).collect();
        let args = args.ok_or_else(unsupported)?;
        let function = CoreFunction::Math(self.mathematical(called, args.len()).ok_or_else(unsupported)?);
        let this = FunctionRef { item: self.scope.item, args: self.scope.args, self_ty: self.scope.this };
        let surface = &front::surface(self.program, this)?;
        let asked = intrinsic::Asked { function, args: &args, surface, format: None, type_arg: None };
        let results = intrinsic::emit(self.program, &mut self.b, &asked)?;
        let value = self.coerce(*results.first().ok_or_else(unsupported)?, ty)?;
        self.leave_function(Some(value))
    }

    /// What `$0`, `$1`, … are: `this`, then the parameters.
    fn operands(&self) -> Lowering<Vec<ValueId>> {
        let mut operands: Vec<ValueId> = self.this.map(|this| self.env.get(this)).into_iter().collect();
        for local in &front::body(self.program.db, self.scope.item).params {
            match self.locals.get(*local) {
                Some(Binding::Variable(variable)) => operands.push(self.env.get(*variable)),
                Some(Binding::Global(_)) | None => return Err(Stop::broken("a parameter that is not a variable")),
            }
        }
        Ok(operands)
    }

    /// What the core library's mathematical function `called` with so many parameters is.
    fn mathematical(&self, called: &str, count: usize) -> Option<MathFn> {
        let db = self.program.db;
        prelude_items(db, &Name::new(called)).into_iter().find_map(|item| {
            let ItemKind::Function(function) = &item::item_data(db, item).kind else { return None };
            let Some(CoreFunction::Math(op)) = front::core_function(db, item) else { return None };
            (function.params.len() == count).then_some(op)
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
            let order =
                rest.strip_suffix(')')?.split(',').map(|operand| operand.trim().strip_prefix('$')?.parse().ok());
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
        assert_eq!(parse("$0 + $1", 2), None);
        assert_eq!(parse("rsqrt($0).x", 1), None);
    }
}
