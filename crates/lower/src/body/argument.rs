//! Arguments on their way into and out of calls.

use hir_ty::{
    infer::result::{Argument, Base},
    signature::FunctionRef,
};
use ir::ValueId;

use super::{BodyLowering, place::Place};
use crate::{
    error::{Lowering, Stop},
    front,
    surface::Direction,
};

/// An argument whose parts have been evaluated.
#[derive(Debug, Clone)]
pub(super) enum Passed {
    Value(ValueId),
    /// For parameters that give something out; read just before the call if they also take something in.
    Place(Place),
}

impl BodyLowering<'_, '_> {
    pub(super) fn pass(
        &mut self,
        arg: Argument,
        direction: Direction,
        callee: Option<FunctionRef>,
    ) -> Lowering<Passed> {
        match arg {
            Argument::Expr(expr) if direction.comes_out() => Ok(Passed::Place(self.place(expr)?)),
            Argument::Expr(expr) => Ok(Passed::Value(self.value(expr)?)),
            Argument::Default { index } => {
                let callee = callee.ok_or_else(|| Stop::unsupported("a default argument of a derivative"))?;
                Ok(Passed::Value(self.default_argument(callee, index)?))
            }
        }
    }

    pub(super) fn pass_base(&mut self, base: Base, direction: Direction) -> Lowering<Passed> {
        match base {
            Base::Expr(expr) if direction.comes_out() => Ok(Passed::Place(self.place(expr)?)),
            Base::Expr(expr) => Ok(Passed::Value(self.value(expr)?)),
            Base::ImplicitThis => {
                let place = self.this_place()?;
                if direction.comes_out() { Ok(Passed::Place(place)) } else { Ok(Passed::Value(self.read(&place)?)) }
            }
        }
    }

    /// The value that goes in.
    pub(super) fn passed_value(&mut self, passed: &Passed) -> Lowering<ValueId> {
        match passed {
            Passed::Value(value) => Ok(*value),
            Passed::Place(place) => self.read(place),
        }
    }

    /// The default of parameter `index` of `callee`, which is text of another declaration.
    fn default_argument(&mut self, callee: FunctionRef, index: u32) -> Lowering<ValueId> {
        let (scope, expr) = front::default_argument(self.program.db, callee, index)
            .ok_or_else(|| Stop::broken("a default argument that is not there"))?;
        let caller = std::mem::replace(&mut self.scope, scope);
        let result = self.value(expr);
        self.scope = caller;
        result
    }
}
