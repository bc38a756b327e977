//! The walk over statements.

use ::diagnostics::stack;
use hir_def::{
    body::{CaseLabel, CatchClause, Condition, ExprId, Stmt, StmtId, SwitchCase, TargetArm},
    name::Name,
};
use hir_ty::diagnostics::Node;

use super::{Frame, FrameKind, InitializationWalk, MAX_DEPTH, State, cells::Cell, state::Written};

impl InitializationWalk<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        if self.depth > MAX_DEPTH {
            self.gave_up = true;
            return;
        }
        self.depth += 1;
        stack::deep(|| self.statement_inner(id));
        self.depth -= 1;
    }

    fn statement_inner(&mut self, id: StmtId) {
        let body = self.body;
        match &body.body.store.stmts[id] {
            Stmt::Missing
            | Stmt::Unsupported(_)
            | Stmt::Empty
            | Stmt::RequireCapability(_)
            | Stmt::StaticAssert { .. } => {}
            Stmt::Expr(expr) => self.read(*expr),
            Stmt::Let { local, init } => {
                init.iter().for_each(|init| self.first_value(*local, *init));
                if let Some(variable) = self.cells.of_local(*local) {
                    let cells = self.cells.variable(variable).cells.clone();
                    cells.for_each(|cell| self.state.set(Cell(cell), Written::Never));
                }
            }
            Stmt::Block(stmts) | Stmt::Sequence(stmts) => self.statements(stmts),
            Stmt::If { cond, then, otherwise, .. } => {
                let (holds, fails) = self.condition_of(*cond);
                self.state = holds;
                self.statement(*then);
                let behind = std::mem::replace(&mut self.state, fails);
                otherwise.iter().for_each(|otherwise| self.statement(*otherwise));
                self.learn(*cond, &behind);
                self.state.join(behind);
            }
            Stmt::For { init, cond, step, body, .. } => {
                init.iter().for_each(|init| self.statement(*init));
                self.around(id, |walk| {
                    let exit = match cond {
                        Some(cond) => {
                            let (holds, fails) = walk.condition(*cond);
                            walk.state = holds;
                            fails
                        }
                        None => State::UNREACHABLE,
                    };
                    walk.iteration(*body);
                    step.iter().for_each(|step| walk.read(*step));
                    walk.state = exit;
                });
            }
            Stmt::While { cond, body, .. } => self.around(id, |walk| {
                let (holds, fails) = walk.condition_of(*cond);
                walk.state = holds;
                walk.iteration(*body);
                walk.state = fails;
            }),
            Stmt::DoWhile { body, cond, .. } => self.around(id, |walk| {
                walk.iteration(*body);
                walk.state = walk.condition(*cond).1;
            }),
            Stmt::CompileTimeFor { bounds, body, .. } => {
                bounds.iter().for_each(|bound| self.read(*bound));
                self.around(id, |walk| {
                    let before = walk.state.clone();
                    walk.iteration(*body);
                    walk.state.join(before);
                });
            }
            Stmt::Switch { selector, cases, .. } => self.switch(*selector, cases),
            Stmt::Return(value) => {
                value.iter().for_each(|value| self.read(*value));
                // A constructor that returns a value gives that instead of what it has made so far.
                if value.is_none() || self.cells.of_this().is_none() {
                    self.returns(Node::Stmt(id));
                }
                self.state = State::UNREACHABLE;
            }
            Stmt::Break(label) => {
                let target = self.frame(label.as_ref(), |kind| kind != FrameKind::Labeled);
                let here = std::mem::replace(&mut self.state, State::UNREACHABLE);
                if let Some(target) = target {
                    self.frames[target].breaks.join(here);
                }
            }
            Stmt::Continue => {
                let target = self.frame(None, |kind| kind == FrameKind::Loop);
                let here = std::mem::replace(&mut self.state, State::UNREACHABLE);
                if let Some(target) = target {
                    self.frames[target].continues.join(here);
                }
            }
            Stmt::Labeled { label, body } => {
                self.within_frame(FrameKind::Labeled, Some(label.clone()), |walk| walk.statement(*body));
            }
            Stmt::Discard => self.state = State::UNREACHABLE,
            Stmt::Throw(error) => {
                self.read(*error);
                self.state = State::UNREACHABLE;
            }
            // It runs when its block is left, whatever is written until then.
            Stmt::Defer(body) => {
                self.silent += 1;
                self.statement(*body);
                self.silent -= 1;
            }
            Stmt::DoCatch { body, catches } => self.do_catch(id, *body, catches),
            Stmt::TargetSwitch { arms, .. } => self.target_switch(arms),
            // The text may write what it likes.
            Stmt::IntrinsicAsm(_) => self.state.set_all(Written::Surely),
        }
    }

    fn statements(&mut self, stmts: &[StmtId]) {
        stmts.iter().for_each(|stmt| self.statement(*stmt));
    }

    fn condition_of(&mut self, cond: Condition) -> (State, State) {
        match cond {
            Condition::Expr(expr) => self.condition(expr),
            Condition::Let { init, .. } => {
                self.read(init);
                (self.state.clone(), self.state.clone())
            }
        }
    }

    /// Walks a loop, whose iterations `walk` runs once. What is written inside may come around to its start, and is taken as
    /// written after it: loops that fill something run at least once.
    fn around(&mut self, id: StmtId, walk: impl FnOnce(&mut Self)) {
        let written = self.written_within(id);
        self.state.raise(written);
        self.noting(id, |this| this.within_frame(FrameKind::Loop, None, walk));
        written.iter().for_each(|cell| self.state.set(*cell, Written::Surely));
    }

    /// The body of the loop around: `continue` leads to its end.
    fn iteration(&mut self, body: StmtId) {
        self.statement(body);
        if let Some(frame) = self.frames.last_mut() {
            let continues = std::mem::replace(&mut frame.continues, State::UNREACHABLE);
            self.state.join(continues);
        }
    }

    fn within_frame(&mut self, kind: FrameKind, label: Option<Name>, walk: impl FnOnce(&mut Self)) {
        let (breaks, continues) = (State::UNREACHABLE, State::UNREACHABLE);
        self.frames.push(Frame { kind, label, breaks, continues });
        walk(self);
        if let Some(frame) = self.frames.pop() {
            self.state.join(frame.breaks);
        }
    }

    /// The frame that a `break` or `continue` belongs to: the one of its name, or the innermost that fits.
    fn frame(&self, label: Option<&Name>, fits: impl Fn(FrameKind) -> bool) -> Option<usize> {
        self.frames.iter().rposition(|frame| match label {
            Some(label) => frame.label.as_ref() == Some(label),
            None => fits(frame.kind),
        })
    }

    fn switch(&mut self, selector: ExprId, cases: &[SwitchCase]) {
        self.read(selector);
        let selected = self.state.clone();
        self.within_frame(FrameKind::Switch, None, |walk| {
            walk.state = State::UNREACHABLE;
            for case in cases {
                // From the selector, or falling through from the case before.
                walk.state.join(selected.clone());
                walk.statements(&case.body);
            }
            if !cases.iter().any(|case| case.labels.contains(&CaseLabel::Default)) {
                walk.state.join(selected);
            }
        });
    }

    /// One of the arms is taken, whichever it is.
    fn target_switch(&mut self, arms: &[TargetArm]) {
        if arms.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.state, State::UNREACHABLE);
        self.within_frame(FrameKind::Switch, None, |walk| {
            for arm in arms {
                let behind = std::mem::replace(&mut walk.state, before.clone());
                walk.statements(&arm.body);
                walk.state.join(behind);
            }
        });
    }

    /// An error may be thrown anywhere in the body.
    fn do_catch(&mut self, id: StmtId, body: StmtId, catches: &[CatchClause]) {
        let mut thrown = self.state.clone();
        self.noting(id, |walk| walk.statement(body));
        thrown.raise(self.written_within(id));
        let mut behind = std::mem::replace(&mut self.state, State::UNREACHABLE);
        for clause in catches {
            self.state = thrown.clone();
            self.statement(clause.body);
            behind.join(std::mem::replace(&mut self.state, State::UNREACHABLE));
        }
        self.state = behind;
    }
}
