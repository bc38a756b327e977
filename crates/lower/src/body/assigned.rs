//! Which variables a piece of text may assign. An answer that is too large costs a loop a variable that it carries in
//! vain; one that is too small would be wrong.

use std::collections::BTreeSet;

use hir_def::body::{Child, Expr, ExprId, LocalId, PostfixOp, PrefixOp, Stmt, StmtId};
use hir_ty::{
    infer::result::{Argument, Base, CallResolution, Callable, Resolution},
    ty::{ParamDirection, Ty},
};

use super::{Binding, BodyLowering, environment::VariableId};
use crate::{front, scope::Scope};

/// Collects the variables that statements and expressions may assign.
struct AssignmentWalk<'w, 'db> {
    db: &'db dyn base_db::Db,
    scope: &'w Scope<'db>,
    locals: BTreeSet<LocalId>,
    /// Those that the text itself declares. Text that is lowered twice (a case that falls through, a deferred statement)
    /// has bound them before, to what is gone.
    declared: BTreeSet<LocalId>,
    this: bool,
}

impl<'db> BodyLowering<'_, 'db> {
    /// The variables declared before the cursor that the text may assign.
    pub(super) fn assigned_in(&self, statements: &[StmtId], exprs: &[ExprId]) -> Vec<VariableId> {
        let mut walk = AssignmentWalk {
            db: self.program.db,
            scope: &self.scope,
            locals: BTreeSet::new(),
            declared: BTreeSet::new(),
            this: false,
        };
        statements.iter().for_each(|&statement| walk.statement(statement));
        exprs.iter().for_each(|&expr| walk.expr(expr));
        let this = self.this.filter(|_| walk.this);
        let locals = walk.locals.difference(&walk.declared).filter_map(|&local| self.locals.get(local).copied());
        let mut variables: Vec<VariableId> = locals
            .chain(this)
            .filter_map(|binding| match binding {
                Binding::Variable(variable) => Some(variable),
                Binding::Global(_) | Binding::Place(_) => None,
            })
            .collect();
        variables.sort_unstable();
        variables
    }

    /// Whether the text may hold jumps past a loop around it: labelled ones, and `continue` where the loop is none in the
    /// source.
    pub(super) fn may_jump_past(&self, statements: &[StmtId], continue_too: bool) -> bool {
        // An error may be thrown by any call.
        !self.catches.is_empty() || statements.iter().any(|&statement| self.may_jump(statement, continue_too))
    }

    fn may_jump(&self, statement: StmtId, continue_too: bool) -> bool {
        match &self.scope.store.stmts[statement] {
            Stmt::Break(label) => label.is_some(),
            Stmt::Continue => continue_too,
            inner => inner.any_inner(|statement| self.may_jump(statement, continue_too)),
        }
    }
}

impl AssignmentWalk<'_, '_> {
    fn statement(&mut self, id: StmtId) {
        let stmt = &self.scope.store.stmts[id];
        if let Stmt::Let { local, .. } = stmt {
            self.declared.insert(*local);
        }
        stmt.for_each_child(|child| match child {
            Child::Stmt(statement) => self.statement(statement),
            Child::Expr(expr) => self.expr(expr),
        });
    }

    fn expr(&mut self, id: ExprId) {
        match self.scope.inference.resolutions.get(&id) {
            Some(Resolution::Call(call)) => self.call(call),
            Some(Resolution::Property { base, args, get, .. }) => {
                let mutating = get.is_some_and(|get| front::mutates_this(self.db, get.item));
                if mutating {
                    self.assign_base(*base);
                }
                self.arguments(args);
            }
            _ => {}
        }
        let expr = &self.scope.store.exprs[id];
        match expr {
            Expr::Assign { target: operand, .. }
            | Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement | PrefixOp::AddressOf, operand }
            | Expr::Postfix { op: PostfixOp::Increment | PostfixOp::Decrement, operand } => self.assign(*operand),
            _ => {}
        }
        expr.for_each_operand(|operand| self.expr(operand));
    }

    fn call(&mut self, call: &CallResolution) {
        match &call.callee {
            Callable::Function(function) => {
                let signature = front::signature(self.db, function.item);
                if front::mutates_this(self.db, function.item) {
                    call.this.iter().for_each(|&base| self.assign_base(base));
                }
                // A pack is several parameters or arguments: which is whose is not told from the text alone.
                let is_pack = |param: &hir_ty::signature::ParamSignature| matches!(param.ty, Ty::Expand(_));
                if signature.params.iter().any(is_pack) || call.args.iter().any(|arg| self.is_spread(arg)) {
                    self.arguments(&call.args);
                    return;
                }
                for (param, arg) in signature.params.iter().zip(&call.args) {
                    match param.direction {
                        ParamDirection::In | ParamDirection::ConstRef => {}
                        ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => {
                            self.arguments(std::slice::from_ref(arg));
                        }
                    }
                }
            }
            Callable::Derivative { .. } | Callable::Value(_) => {
                call.this.iter().for_each(|&base| self.assign_base(base));
                self.arguments(&call.args);
            }
            Callable::Make(_) | Callable::Synthesized { .. } => {}
        }
    }

    fn is_spread(&self, arg: &Argument) -> bool {
        match arg {
            Argument::Expr(expr) => matches!(self.scope.store.exprs[*expr], Expr::Expand(_)),
            Argument::Default { .. } => false,
        }
    }

    fn arguments(&mut self, args: &[Argument]) {
        for arg in args {
            match arg {
                Argument::Expr(expr) => self.assign(*expr),
                Argument::Default { .. } => {}
            }
        }
    }

    fn assign_base(&mut self, base: Base) {
        match base {
            Base::Expr(expr) => self.assign(expr),
            Base::ImplicitThis => self.this = true,
        }
    }

    /// The variable at the root of an l-value.
    fn assign(&mut self, id: ExprId) {
        match self.scope.inference.resolutions.get(&id) {
            Some(Resolution::Local(local)) => {
                self.locals.insert(*local);
            }
            Some(Resolution::This) => self.this = true,
            Some(Resolution::Field { base, .. } | Resolution::Property { base, .. }) => self.assign_base(*base),
            Some(
                Resolution::PairPrimal { base }
                | Resolution::PairDifferential { base }
                | Resolution::Swizzle { base, .. }
                | Resolution::MatrixSwizzle { base, .. }
                | Resolution::TupleElement { base, .. }
                | Resolution::TupleSwizzle { base, .. }
                | Resolution::OptionalValue { base }
                | Resolution::OptionalHasValue { base }
                | Resolution::Element { base, .. },
            ) => self.assign(*base),
            Some(
                Resolution::Global { .. }
                | Resolution::EnumCase(_)
                | Resolution::Constant(_)
                | Resolution::Type(_)
                | Resolution::Function(_)
                | Resolution::Call(_)
                | Resolution::BuiltinOperator { .. }
                | Resolution::Conversion { .. }
                | Resolution::Namespace(_),
            )
            | None => {
                if let Expr::This = self.scope.store.exprs[id] {
                    self.this = true;
                }
                // The target of `(a = b).x` and the like.
                if let Expr::Assign { target, .. } = self.scope.store.exprs[id] {
                    self.assign(target);
                }
                if let Expr::Each(operand) = self.scope.store.exprs[id] {
                    self.assign(operand);
                }
            }
        }
    }
}
