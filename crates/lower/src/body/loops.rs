//! Loops. The variables that the text of a loop may assign are carried through it.

use hir_def::{
    attribute::{AttributeId, AttributeKind},
    body::{Condition, ExprId, LocalId, StmtId},
};
use ir::{Advice, Constant, Op, Terminator, TypeId, op::LoopBound};

use super::{
    BodyLowering,
    environment::VariableId,
    jump::{Jump, JumpTarget, LoopTarget, NextIteration, TargetKind},
};
use crate::{
    error::{Lowering, Stop},
    front,
    mode::Mode,
};

/// More copies of a body than this are refused.
const MAX_COPIES: i64 = 1024;

/// What attributes say of a loop.
#[derive(Clone, Copy)]
struct Said {
    bound: LoopBound,
    advice: Option<Advice>,
}

/// A loop of the source in the form that all of them share.
struct LoopText {
    cond: Option<ExprId>,
    step: Option<ExprId>,
    body: StmtId,
    said: Said,
    /// `do … while`: the body runs before the first test.
    body_first: bool,
}

impl BodyLowering<'_, '_> {
    pub(super) fn for_loop(
        &mut self,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        attributes: &[AttributeId],
    ) -> Lowering<()> {
        if let Some(init) = init {
            self.statement(init)?;
        }
        let said = self.said(attributes);
        self.loop_statement(LoopText { cond, step, body, said, body_first: false })
    }

    pub(super) fn while_loop(&mut self, cond: Condition, body: StmtId, attributes: &[AttributeId]) -> Lowering<()> {
        let said = self.said(attributes);
        match cond {
            Condition::Expr(cond) => {
                self.loop_statement(LoopText { cond: Some(cond), step: None, body, said, body_first: false })
            }
            Condition::Let { .. } => self.endless_loop(cond, body, said),
        }
    }

    pub(super) fn do_while_loop(&mut self, body: StmtId, cond: ExprId, attributes: &[AttributeId]) -> Lowering<()> {
        let said = self.said(attributes);
        self.loop_statement(LoopText { cond: Some(cond), step: None, body, said, body_first: true })
    }

    /// The loop's condition is tested in the loop's own condition region if it assigns nothing. Otherwise, and for
    /// `do … while`, it is evaluated before the loop (`do`: taken as true) and at the end of each iteration, and a
    /// carried variable tells its outcome.
    fn loop_statement(&mut self, text: LoopText) -> Lowering<()> {
        let assigns_in_condition = text.cond.is_some_and(|cond| !self.assigned_in(&[], &[cond]).is_empty());
        let exprs: Vec<ExprId> = text.cond.into_iter().chain(text.step).collect();
        let mut carried = self.assigned_in(&[text.body], &exprs);
        let go = if text.body_first {
            let yes = self.b.bool(true);
            Some(self.env.declare(None, yes))
        } else if assigns_in_condition {
            let value = match text.cond {
                Some(cond) => self.truth(cond)?,
                None => self.b.bool(true),
            };
            Some(self.env.declare(None, value))
        } else {
            None
        };
        carried.extend(go);
        let next = NextIteration { step: text.step, cond: text.cond.zip(go) };
        self.carrying_loop(
            carried,
            &[text.body],
            Some(next),
            text.said,
            |this| match (go, text.cond) {
                (Some(go), _) => this.env.get(go),
                (None, Some(cond)) => this.truth(cond),
                (None, None) => Ok(this.b.bool(true)),
            },
            |this| this.scoped_statement(text.body),
        )
    }

    /// `while (let x = …)`: the binding is made inside, so the test is the body's first statement.
    fn endless_loop(&mut self, cond: Condition, body: StmtId, said: Said) -> Lowering<()> {
        let exprs = match cond {
            Condition::Expr(expr) | Condition::Let { init: expr, .. } => [expr],
        };
        let carried = self.assigned_in(&[body], &exprs);
        let next = NextIteration { step: None, cond: None };
        self.carrying_loop(
            carried,
            &[body],
            Some(next),
            said,
            |this| Ok(this.b.bool(true)),
            |this| {
                let (value, bound) = this.condition(cond)?;
                let target = this.jumps.len() - 1;
                this.branch(
                    value,
                    |this| {
                        if let Some((local, value)) = bound {
                            this.bind(local, value)?;
                        }
                        this.scoped_statement(body)
                    },
                    |this| this.jump(target, Jump::Break),
                )
            },
        )
    }

    /// Statements that run once and that `break` can leave, as a loop of one iteration. `text` is what they are made of.
    pub(super) fn run_once(&mut self, text: &[StmtId], lower: impl FnOnce(&mut Self) -> Lowering<()>) -> Lowering<()> {
        let carried = self.assigned_in(text, &[]);
        let said = Said { bound: LoopBound { inferred: Some(1), ..LoopBound::default() }, advice: None };
        self.carrying_loop(
            carried,
            text,
            None,
            said,
            |this| Ok(this.b.bool(true)),
            |this| {
                lower(this)?;
                if this.reachable { this.jump(this.jumps.len() - 1, Jump::Break) } else { Ok(()) }
            },
        )
    }

    /// `$for`: its body once per number, each time with that number for the variable.
    pub(super) fn compile_time_for(&mut self, local: LocalId, bounds: &[ExprId], body: StmtId) -> Lowering<()> {
        let mut numbers = Vec::with_capacity(bounds.len());
        for &bound in bounds {
            let number = front::constant(self.program.db, &self.scope, bound);
            numbers.push(number.ok_or_else(|| Stop::unsupported("a bound of `$for` that is not a constant"))?);
        }
        let range = match *numbers.as_slice() {
            [end] => 0..end,
            [start, end] => start..end,
            _ => return Err(Stop::broken("a `$for` without range")),
        };
        if range.end.saturating_sub(range.start) > MAX_COPIES {
            return Err(Stop::unsupported("a `$for` of this many steps"));
        }
        for number in range {
            if !self.reachable {
                return Ok(());
            }
            let int = self.b.types.i32();
            let value = self.constant_value(Constant::Int(number), int)?;
            self.in_block(|this| {
                this.bind(local, value)?;
                this.statement(body)
            })?;
        }
        Ok(())
    }

    fn carrying_loop(
        &mut self,
        mut carried: Vec<VariableId>,
        text: &[StmtId],
        next: Option<NextIteration>,
        said: Said,
        cond: impl FnOnce(&mut Self) -> Lowering<ir::ValueId>,
        body: impl FnOnce(&mut Self) -> Lowering<()>,
    ) -> Lowering<()> {
        let label = self.pending_label.take();
        let exit = self.may_jump_past(text, next.is_none()).then(|| {
            let nowhere = self.b.i32(0);
            self.env.declare(None, nowhere)
        });
        carried.extend(exit);
        carried.extend(self.catches.iter().flat_map(|around| around.variables()));
        let init = self.carried_values(&carried)?;
        let types: Vec<TypeId> = init.iter().map(|&value| self.b.ty(value)).collect();
        let before = self.env.clone();

        let cond_region = self.b.new_region(&types);
        let outer = self.b.switch_to(cond_region);
        self.enter_region(&carried, cond_region)?;
        let value = cond(self)?;
        self.b.yield_([value]);

        let body_region = self.b.new_region(&types);
        self.b.switch_to(body_region);
        self.env = before.clone();
        self.enter_region(&carried, body_region)?;
        let kind = TargetKind::Loop(LoopTarget { carried: carried.clone(), next, exit, crossings: Vec::new() });
        self.jumps.push(JumpTarget { label, kind, defer_level: self.defers.len() });
        body(self)?;
        if self.reachable {
            if let Some(next) = next {
                self.next_iteration(next)?;
            }
            let values = self.carried_values(&carried)?;
            self.terminate(Terminator::Yield(values.into_iter().collect()));
        }
        let target = self.jumps.pop();

        self.b.switch_to(outer);
        self.env = before;
        self.reachable = true;
        let init = init.into_iter().collect();
        let op = self.b.op(Op::Loop { init, cond: cond_region, body: body_region, bound: said.bound }, &types);
        self.b.func.ops[op].advice = said.advice;
        self.set_results(op, &carried)?;
        if let (Some(exit), Some(TargetKind::Loop(of))) = (exit, target.map(|target| target.kind)) {
            self.continue_crossings(exit, &of.crossings)?;
        }
        Ok(())
    }

    /// Gives the carried variables the parameters of a region of their loop.
    fn enter_region(&mut self, carried: &[VariableId], region: ir::RegionId) -> Lowering<()> {
        let params = self.b.params(region);
        for (&variable, param) in carried.iter().zip(params) {
            self.env.set_named(&mut self.b, variable, param)?;
        }
        Ok(())
    }

    /// What the attributes say about the trip count, and ask of the target's compiler.
    fn said(&self, attributes: &[AttributeId]) -> Said {
        let mut bound = LoopBound::default();
        for attribute in attributes.iter().map(|id| &self.scope.store.attributes[*id]) {
            let argument = attribute.args.first();
            let known = argument.and_then(|&arg| front::constant(self.program.db, &self.scope, arg));
            let count = match (known, self.program.mode) {
                (Some(value), _) => u32::try_from(value).ok(),
                // `[MaxIters(N)]` of a generic function: what `N` is does not matter to the editor's analysis.
                (None, Mode::Analysis) => argument.map(|_| front::UNKNOWN_LENGTH),
                (None, Mode::Program) => None,
            };
            match attribute.kind {
                Some(AttributeKind::MaxIters) => bound.max_iters = count,
                Some(AttributeKind::ForceUnroll) => bound.force_unroll = Some(count.unwrap_or(0)),
                _ => {}
            }
        }
        Said { bound, advice: self.advice(attributes) }
    }

    /// The constant that an op at the cursor has just made, if it is one.
    pub(super) fn constant_of(&self, value: ir::ValueId) -> Option<Constant> {
        match self.b.func.defining_op(value)?.op {
            Op::Const(constant) => Some(constant),
            _ => None,
        }
    }
}
