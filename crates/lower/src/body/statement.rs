//! Statements.

use hir_def::{
    attribute::Modifiers,
    body::{LocalId, LocalKind, Stmt, StmtId},
};
use ir::{Intrinsic, Op, ValueId, intrinsic::FragmentOp};

use super::{Binding, BodyLowering, Returns};
use crate::{
    error::{Lowering, Stop},
    globals,
    mode::Mode,
};

impl BodyLowering<'_, '_> {
    pub(super) fn statement(&mut self, id: StmtId) -> Lowering<()> {
        if !self.reachable {
            return Ok(());
        }
        self.at_stmt(id, |this| this.statement_here(id))
    }

    fn statement_here(&mut self, id: StmtId) -> Lowering<()> {
        let store = self.scope.store;
        match &store.stmts[id] {
            Stmt::Missing => Err(Stop::broken("a broken statement")),
            Stmt::Unsupported(name) => Err(Stop::unsupported(name.as_str())),
            Stmt::Empty | Stmt::RequireCapability(_) | Stmt::StaticAssert { .. } => Ok(()),
            Stmt::Expr(expr) => self.effect(*expr).map(|_| ()),
            Stmt::Let { local, init } => self.declaration(*local, *init),
            Stmt::Block(statements) => self.in_block(|this| this.sequence(statements)),
            Stmt::Sequence(statements) => self.sequence(statements),
            Stmt::If { cond, then, otherwise, attributes } => {
                self.if_statement(*cond, *then, *otherwise)?;
                self.advise(attributes);
                Ok(())
            }
            Stmt::For { init, cond, step, body, attributes } => {
                self.in_block(|this| this.for_loop(*init, *cond, *step, *body, attributes))
            }
            Stmt::While { cond, body, attributes } => self.while_loop(*cond, *body, attributes),
            Stmt::DoWhile { body, cond, attributes } => self.do_while_loop(*body, *cond, attributes),
            Stmt::Switch { selector, cases, attributes } => {
                self.switch(*selector, cases)?;
                self.advise(attributes);
                Ok(())
            }
            Stmt::Return(value) => self.return_statement(*value),
            Stmt::Break(label) => self.break_statement(label.as_ref()),
            Stmt::Continue => self.continue_statement(),
            Stmt::Labeled { label, body } => self.labeled(label, *body),
            Stmt::TargetSwitch { subject, arms } => self.target_switch(*subject, arms),
            Stmt::IntrinsicAsm(text) => self.intrinsic_asm(text),
            Stmt::Throw(error) => self.throw_statement(*error),
            Stmt::DoCatch { body, catches } => self.do_catch(*body, catches),
            Stmt::CompileTimeFor { local, bounds, body } => self.compile_time_for(*local, bounds, *body),
            // The fragment goes on as a helper of its neighbours, whose derivatives and levels of textures need it.
            Stmt::Discard => {
                if self.program.mode == Mode::Program {
                    let intrinsic = Intrinsic::Fragment(FragmentOp::Discard);
                    self.b.op(Op::Intrinsic { intrinsic, args: Default::default() }, &[]);
                }
                Ok(())
            }
            Stmt::Defer(statement) => {
                if let Some(block) = self.defers.last_mut() {
                    block.push(*statement);
                }
                Ok(())
            }
        }
    }

    fn sequence(&mut self, statements: &[StmtId]) -> Lowering<()> {
        statements.iter().try_for_each(|&statement| self.statement(statement))
    }

    /// A statement in a block of its own, such as the arm of an `if`.
    pub(super) fn scoped_statement(&mut self, statement: StmtId) -> Lowering<()> {
        self.in_block(|this| this.statement(statement))
    }

    /// Runs `lower` in a block: deferred statements run at its end.
    pub(super) fn in_block(&mut self, lower: impl FnOnce(&mut Self) -> Lowering<()>) -> Lowering<()> {
        self.defers.push(Vec::new());
        let level = self.defers.len() - 1;
        let mut result = lower(self);
        if result.is_ok() && self.reachable {
            result = self.run_defers(level);
        }
        self.defers.truncate(level);
        result
    }

    /// Runs the deferred statements of all blocks from the innermost out to number `level`, as leaving them does.
    pub(super) fn run_defers(&mut self, level: usize) -> Lowering<()> {
        let pending: Vec<StmtId> = self.defers[level.min(self.defers.len())..]
            .iter()
            .rev()
            .flat_map(|block| block.iter().rev())
            .copied()
            .collect();
        if pending.is_empty() {
            return Ok(());
        }
        let blocks = std::mem::take(&mut self.defers);
        self.defers.push(Vec::new());
        let mut result = pending.into_iter().try_for_each(|statement| self.statement(statement));
        // What a deferred statement defers runs after all of them.
        while result.is_ok()
            && let Some(next) = self.defers.last_mut().and_then(Vec::pop)
        {
            result = self.statement(next);
        }
        self.defers = blocks;
        result
    }

    fn declaration(&mut self, local: LocalId, init: Option<hir_def::body::ExprId>) -> Lowering<()> {
        let data = &self.scope.store.locals[local];
        if data.kind == LocalKind::Static {
            return self.static_local(local, init);
        }
        let Some(&ty) = self.scope.inference.local_types.get(local) else {
            return Err(Stop::broken("a variable without type"));
        };
        let ty = self.scope.ty(self.program.db, ty);
        self.b.func.is_precise |= data.modifiers.contains(Modifiers::PRECISE);
        let value = match init {
            Some(init) => {
                // `let x = f();` of a `void` function names nothing.
                let Some(value) = self.effect(init)? else { return Ok(()) };
                // The variable has the value's type where both mean the same and only the source type is less precise
                // (the differential of an interface value).
                match self.ir_type(ty) {
                    Ok(ty) => self.coerce(value, ty)?,
                    Err(_) => value,
                }
            }
            None => self.default_value(ty)?,
        };
        self.bind(local, value)
    }

    /// Declares a local with its first value.
    pub(super) fn bind(&mut self, local: LocalId, value: ValueId) -> Lowering<()> {
        if self.addressed.contains(&local) {
            return self.bind_in_memory(local, value);
        }
        let name = self.scope.store.locals[local].name.0.clone();
        let variable = self.env.declare(Some(name), value);
        self.env.set_named(&mut self.b, variable, value)?;
        self.note_local(local, value);
        self.locals.insert(local, Binding::Variable(variable));
        Ok(())
    }

    /// Declares a local whose declaration control does not come by. What has no value by its type is left out, and so
    /// refused where it is used.
    pub(super) fn declare_without_value(&mut self, local: LocalId) {
        let data = &self.scope.store.locals[local];
        if data.kind == LocalKind::Static || self.addressed.contains(&local) {
            return;
        }
        let Some(&ty) = self.scope.inference.local_types.get(local) else { return };
        let (name, ty) = (data.name.0.clone(), self.scope.ty(self.program.db, ty));
        if let Ok(value) = self.default_value(ty) {
            let variable = self.env.declare(Some(name), value);
            self.locals.insert(local, Binding::Variable(variable));
        }
    }

    fn static_local(&mut self, local: LocalId, init: Option<hir_def::body::ExprId>) -> Lowering<()> {
        let data = &self.scope.store.locals[local];
        if data.modifiers.contains(Modifiers::CONST)
            && let Some(init) = init
        {
            // A constant has one value wherever it is computed.
            let value = self.value(init)?;
            return self.bind(local, value);
        }
        let Some(&ty) = self.scope.inference.local_types.get(local) else {
            return Err(Stop::broken("a variable without type"));
        };
        let ty = self.scope.ty(self.program.db, ty);
        let global = globals::static_local(self.program, &self.scope, (local, init), ty)?;
        self.locals.insert(local, Binding::Global(global));
        Ok(())
    }

    fn return_statement(&mut self, value: Option<hir_def::body::ExprId>) -> Lowering<()> {
        let value = match (value, self.returns) {
            (Some(expr), Returns::Value(ty)) => {
                let value = self.value(expr)?;
                Some(self.coerce(value, ty)?)
            }
            // A constructor may return the whole value.
            (Some(expr), Returns::This) => {
                if let Some(value) = self.effect(expr)? {
                    let this = self.this_place()?;
                    self.write(&this, value)?;
                }
                None
            }
            (Some(expr), Returns::Nothing) => {
                self.effect(expr)?;
                None
            }
            (None, _) => None,
        };
        self.run_defers(0)?;
        if self.reachable { self.leave_function(value) } else { Ok(()) }
    }
}
