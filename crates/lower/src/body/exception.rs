//! `throw`, `try` and `do … catch`. A function that throws gives two more results: whether it did, and what. A call of one
//! tests the first, and goes on with the innermost `catch` of that type around, or leaves the function in turn.

use hir_def::{
    body::{CatchClause, ExprId, StmtId},
    name::Name,
};
use hir_ty::ty::Ty;
use ir::{BinaryOp, Terminator, ValueId};

use super::{BodyLowering, environment::VariableId, jump::Jump};
use crate::error::{Lowering, Stop};

/// A `do` around the cursor with what catches its errors.
#[derive(Debug, Clone)]
pub(super) struct Catches {
    /// The jump target that leaves the `do`.
    target: usize,
    /// Which arm has caught an error: 0 for none, else one more than its index. Carried by the loops inside.
    which: VariableId,
    arms: Vec<CatchArm>,
}

/// What one arm catches, and the variable that holds it; everything if it names nothing.
#[derive(Debug, Clone, Copy)]
struct CatchArm {
    error: Option<(Ty, VariableId)>,
}

impl Catches {
    /// The variables that an error changes.
    pub(super) fn variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        std::iter::once(self.which).chain(self.arms.iter().filter_map(|arm| arm.error.map(|(_, variable)| variable)))
    }
}

impl BodyLowering<'_, '_> {
    pub(super) fn throw_statement(&mut self, error: ExprId) -> Lowering<()> {
        let value = self.value(error)?;
        let ty = self.adjusted_ty(error)?;
        self.throw(value, ty)
    }

    /// Goes on where an error of type `ty` is caught.
    fn throw(&mut self, error: ValueId, ty: Ty) -> Lowering<()> {
        let catches = |arm: &CatchArm| arm.error.is_none_or(|(caught, _)| caught == ty);
        let found = self.catches.iter().rev().find_map(|around| {
            let index = around.arms.iter().position(catches)?;
            Some((around.target, around.which, index, around.arms[index]))
        });
        let Some((target, which, index, arm)) = found else { return self.leave_with_error(error) };
        let code = self.b.i32(index as i32 + 1);
        self.env.set(which, code)?;
        if let Some((_, variable)) = arm.error {
            self.env.set(variable, error)?;
        }
        self.jump(target, Jump::Break)
    }

    fn leave_with_error(&mut self, error: ValueId) -> Lowering<()> {
        let Some(ty) = self.throws else { return Err(Stop::broken("an error that nothing catches")) };
        let error = self.coerce(error, ty)?;
        self.run_defers(0)?;
        if !self.reachable {
            return Ok(());
        }
        let mut values = self.results(None)?;
        let yes = self.b.bool(true);
        values.extend([yes, error]);
        self.terminate(Terminator::Return(values.into_iter().collect()));
        Ok(())
    }

    /// After a call of a function that throws: `failed` and `error` are its last results.
    pub(super) fn after_call(&mut self, failed: ValueId, error: ValueId, ty: Ty) -> Lowering<()> {
        self.branch(failed, |this| this.throw(error, ty), |_| Ok(()))
    }

    pub(super) fn do_catch(&mut self, body: StmtId, catches: &[CatchClause]) -> Lowering<()> {
        let nothing = self.b.i32(0);
        let which = self.env.declare(None, nothing);
        let mut arms = Vec::with_capacity(catches.len());
        for catch in catches {
            let error = match catch.error {
                Some(local) => {
                    let ty = self.scope.inference.local_types.get(local).copied();
                    let ty = ty.ok_or_else(|| Stop::broken("an error without type"))?;
                    let ty = self.scope.ty(self.program.db, ty);
                    let ir_ty = self.ir_type(ty)?;
                    let undefined = self.b.undef(ir_ty);
                    Some((ty, self.env.declare(None, undefined)))
                }
                None => None,
            };
            arms.push(CatchArm { error });
        }
        self.catches.push(Catches { target: self.jumps.len(), which, arms: arms.clone() });
        // A plain `break` inside means the loop around: no statement has this label.
        self.pending_label = Some(Name::new("do"));
        let result = self.run_once(&[body], |this| this.scoped_statement(body));
        self.catches.pop();
        result?;
        for (index, (catch, arm)) in catches.iter().zip(arms).enumerate() {
            if !self.reachable {
                break;
            }
            let code = self.b.i32(index as i32 + 1);
            let caught = self.b.binary(BinaryOp::Equal, self.env.get(which)?, code);
            let arm_body = |this: &mut Self| {
                if let (Some(local), Some((_, variable))) = (catch.error, arm.error) {
                    let error = this.env.get(variable)?;
                    this.bind(local, error)?;
                }
                this.scoped_statement(catch.body)
            };
            self.branch(caught, arm_body, |_| Ok(()))?;
        }
        Ok(())
    }
}
