//! `break` and `continue`, also out of several loops at once.
//!
//! The IR's `break` and `continue` concern the innermost loop. A jump further out sets a variable that says where to go
//! and leaves the innermost loop; after that loop the variable is tested and the jump goes on.

use hir_def::{
    body::{ExprId, StmtId},
    name::Name,
};
use ir::{BinaryOp, RegionId, Terminator, ValueId};

use super::{
    BodyLowering,
    environment::{Environment, VariableId},
};
use crate::error::{Lowering, Stop};

/// A statement that `break` or `continue` can name.
#[derive(Debug)]
pub(super) struct JumpTarget {
    pub label: Option<Name>,
    pub kind: TargetKind,
    /// The number of blocks around it: leaving it runs the deferred statements of those inside.
    pub defer_level: usize,
}

#[derive(Debug)]
pub(super) enum TargetKind {
    Loop(LoopTarget),
    /// A `switch` in which `break` occurs only at the end of a case: the case's region and, once it has ended, the
    /// variables there.
    Switch {
        region: RegionId,
        end: Option<Environment>,
    },
}

/// A loop of the IR.
#[derive(Debug)]
pub(super) struct LoopTarget {
    pub carried: Vec<VariableId>,
    /// What happens between the body and the next test of the condition. `None` for statements that are not loops in the
    /// source (`switch`, labelled blocks) and run at most once: `continue` passes them by.
    pub next: Option<NextIteration>,
    /// Where to go after the loop, for jumps that end further out: 0 for nowhere, else one more than the index in
    /// `crossings`. Carried by the loop. `None` if its text has no such jump.
    pub exit: Option<VariableId>,
    pub crossings: Vec<(usize, Jump)>,
}

/// The step of a `for` loop, and the condition if it is evaluated here.
#[derive(Debug, Clone, Copy)]
pub(super) struct NextIteration {
    pub step: Option<ExprId>,
    pub cond: Option<(ExprId, VariableId)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Break,
    Continue,
}

impl BodyLowering<'_, '_> {
    pub(super) fn break_statement(&mut self, label: Option<&Name>) -> Lowering<()> {
        let target = match label {
            Some(label) => self.jumps.iter().rposition(|target| target.label.as_ref() == Some(label)),
            // A labelled block is not a target of a plain `break`.
            None => self.jumps.iter().rposition(|target| match &target.kind {
                TargetKind::Switch { .. } => true,
                TargetKind::Loop(l) => l.next.is_some() || target.label.is_none(),
            }),
        };
        let target = target.ok_or_else(|| Stop::broken("a `break` outside of loops"))?;
        self.jump(target, Jump::Break)
    }

    pub(super) fn continue_statement(&mut self) -> Lowering<()> {
        let is_loop = |target: &JumpTarget| matches!(&target.kind, TargetKind::Loop(LoopTarget { next: Some(_), .. }));
        let target = self.jumps.iter().rposition(is_loop);
        let target = target.ok_or_else(|| Stop::broken("a `continue` outside of loops"))?;
        self.jump(target, Jump::Continue)
    }

    pub(super) fn jump(&mut self, target: usize, jump: Jump) -> Lowering<()> {
        // A jump past the innermost loop goes on after it, and leaves the blocks around that loop there.
        let innermost = self.jumps.iter().rposition(|target| matches!(target.kind, TargetKind::Loop(_)));
        let left = innermost.map_or(target, |innermost| innermost.max(target));
        self.run_defers(self.jumps[left].defer_level)?;
        if !self.reachable {
            return Ok(());
        }
        let current = self.b.current();
        if let TargetKind::Switch { region, end } = &mut self.jumps[target].kind {
            if *region != current {
                return Err(Stop::broken("a `break` inside of a branch of a `switch`"));
            }
            *end = Some(self.env.take());
            self.reachable = false;
            return Ok(());
        }
        let innermost = innermost.ok_or_else(|| Stop::broken("a jump outside of loops"))?;
        if innermost != target {
            return self.cross(innermost, target, jump);
        }
        let TargetKind::Loop(of) = &self.jumps[target].kind else { return Err(Stop::broken("a jump to no loop")) };
        let (carried, next) = (of.carried.clone(), of.next);
        match (jump, next) {
            (Jump::Break, _) | (Jump::Continue, None) => {
                let values = self.carried_values(&carried)?;
                self.terminate(Terminator::Break(values.into_iter().collect()));
            }
            (Jump::Continue, Some(next)) => {
                self.next_iteration(next)?;
                let values = self.carried_values(&carried)?;
                self.terminate(Terminator::Continue(values.into_iter().collect()));
            }
        }
        Ok(())
    }

    /// Leaves the innermost loop on the way to a target further out.
    fn cross(&mut self, innermost: usize, target: usize, jump: Jump) -> Lowering<()> {
        let TargetKind::Loop(of) = &mut self.jumps[innermost].kind else {
            return Err(Stop::broken("a jump to no loop"));
        };
        let exit = of.exit.ok_or_else(|| Stop::broken("a jump that was not foreseen"))?;
        let known = of.crossings.iter().position(|crossing| *crossing == (target, jump));
        let index = known.unwrap_or_else(|| {
            of.crossings.push((target, jump));
            of.crossings.len() - 1
        });
        let carried = of.carried.clone();
        let code = self.b.i32(index as i32 + 1);
        self.env.set(exit, code)?;
        let values = self.carried_values(&carried)?;
        self.terminate(Terminator::Break(values.into_iter().collect()));
        Ok(())
    }

    /// After a loop: goes on with the jumps that left it on their way further out.
    pub(super) fn continue_crossings(&mut self, exit: VariableId, crossings: &[(usize, Jump)]) -> Lowering<()> {
        for (index, &(target, jump)) in crossings.iter().enumerate() {
            if !self.reachable {
                return Ok(());
            }
            let code = self.b.i32(index as i32 + 1);
            let taken = self.b.binary(BinaryOp::Equal, self.env.get(exit)?, code);
            self.branch(taken, |this| this.jump(target, jump), |_| Ok(()))?;
        }
        Ok(())
    }

    /// The step of a loop, and its condition where that is evaluated at the end of an iteration.
    pub(super) fn next_iteration(&mut self, next: NextIteration) -> Lowering<()> {
        if let Some(step) = next.step {
            self.effect(step)?;
        }
        if let Some((cond, go)) = next.cond {
            let value = self.truth(cond)?;
            self.env.set(go, value)?;
        }
        Ok(())
    }

    pub(super) fn carried_values(&self, carried: &[VariableId]) -> Lowering<Vec<ValueId>> {
        carried.iter().map(|&variable| self.env.get(variable)).collect()
    }

    /// A labelled statement: a loop takes the label itself, anything else runs as a loop of one iteration, which `break`
    /// can leave.
    pub(super) fn labeled(&mut self, label: &Name, body: StmtId) -> Lowering<()> {
        use hir_def::body::Stmt;
        // Variables that are declared behind labels are those of the block around them, and nothing leaves their declaration.
        let mut innermost = body;
        while let Stmt::Labeled { body, label: _ } = &self.scope.store.stmts[innermost] {
            innermost = *body;
        }
        if let Stmt::Let { .. } | Stmt::Sequence(_) = &self.scope.store.stmts[innermost] {
            return self.statement(innermost);
        }
        match &self.scope.store.stmts[body] {
            Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => {
                self.pending_label = Some(label.clone());
                self.statement(body)
            }
            _ => {
                self.pending_label = Some(label.clone());
                self.run_once(&[body], |this| this.scoped_statement(body))
            }
        }
    }
}
