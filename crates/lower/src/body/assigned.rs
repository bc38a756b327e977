//! Which variables a piece of text may assign. An answer that is too large costs a loop a variable that it carries in
//! vain; one that is too small would be wrong.

use std::collections::BTreeSet;

use hir_def::body::{Expr, ExprId, LocalId, PostfixOp, PrefixOp, Stmt, StmtId};
use hir_ty::{
    infer::result::{Argument, Base, CallResolution, Callable, Resolution},
    ty::{ParamDirection, Ty},
};

use super::{Binding, BodyLowering, environment::VariableId};
use crate::{front, front::Scope};

/// Collects the variables that statements and expressions may assign.
struct Walk<'w, 'db> {
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
        let mut walk = Walk {
            db: self.program.db,
            scope: &self.scope,
            locals: BTreeSet::new(),
            declared: BTreeSet::new(),
            this: false,
        };
        statements.iter().for_each(|&statement| walk.statement(statement));
        exprs.iter().for_each(|&expr| walk.expr(expr));
        let this = if walk.this { self.this } else { None };
        let mut variables: Vec<VariableId> = walk
            .locals
            .difference(&walk.declared)
            .filter_map(|&local| match self.locals.get(local) {
                Some(Binding::Variable(variable)) => Some(*variable),
                Some(Binding::Global(_)) | None => None,
            })
            .chain(this)
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
            Stmt::Block(statements) | Stmt::Sequence(statements) => self.may_jump_past(statements, continue_too),
            Stmt::If { then, otherwise, .. } => {
                self.may_jump(*then, continue_too)
                    || otherwise.is_some_and(|otherwise| self.may_jump(otherwise, continue_too))
            }
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => {
                self.may_jump(*body, continue_too)
            }
            Stmt::Switch { cases, .. } => cases.iter().any(|case| self.may_jump_past(&case.body, continue_too)),
            Stmt::Labeled { body, .. } | Stmt::Defer(body) => self.may_jump(*body, continue_too),
            Stmt::Missing
            | Stmt::Unsupported(_)
            | Stmt::Empty
            | Stmt::Expr(_)
            | Stmt::Let { .. }
            | Stmt::Return(_)
            | Stmt::Throw(_)
            | Stmt::IntrinsicAsm(_)
            | Stmt::Discard => false,
            Stmt::CompileTimeFor { body, .. } => self.may_jump(*body, continue_too),
            Stmt::TargetSwitch { arms, .. } => arms.iter().any(|arm| self.may_jump_past(&arm.body, continue_too)),
            Stmt::DoCatch { body, catches } => {
                self.may_jump(*body, continue_too)
                    || catches.iter().any(|catch| self.may_jump(catch.body, continue_too))
            }
        }
    }
}

impl Walk<'_, '_> {
    fn statement(&mut self, id: StmtId) {
        match &self.scope.store.stmts[id] {
            Stmt::Missing
            | Stmt::Unsupported(_)
            | Stmt::Empty
            | Stmt::Break(_)
            | Stmt::Continue
            | Stmt::Discard
            | Stmt::IntrinsicAsm(_)
            | Stmt::Return(None) => {}
            Stmt::Expr(expr) | Stmt::Return(Some(expr)) | Stmt::Throw(expr) => self.expr(*expr),
            Stmt::DoCatch { body, catches } => {
                self.statement(*body);
                catches.iter().for_each(|catch| self.statement(catch.body));
            }
            Stmt::CompileTimeFor { bounds, body, .. } => {
                bounds.iter().for_each(|&bound| self.expr(bound));
                self.statement(*body);
            }
            Stmt::TargetSwitch { arms, .. } => {
                arms.iter().flat_map(|arm| &arm.body).for_each(|&statement| self.statement(statement));
            }
            Stmt::Let { local, init, .. } => {
                self.declared.insert(*local);
                init.iter().for_each(|&init| self.expr(init));
            }
            Stmt::Block(statements) | Stmt::Sequence(statements) => {
                statements.iter().for_each(|&statement| self.statement(statement));
            }
            Stmt::If { cond, then, otherwise } => {
                self.condition(*cond);
                self.statement(*then);
                otherwise.iter().for_each(|&otherwise| self.statement(otherwise));
            }
            Stmt::For { init, cond, step, body, .. } => {
                init.iter().for_each(|&init| self.statement(init));
                cond.iter().chain(step).for_each(|&expr| self.expr(expr));
                self.statement(*body);
            }
            Stmt::While { cond, body, .. } => {
                self.condition(*cond);
                self.statement(*body);
            }
            Stmt::DoWhile { body, cond, .. } => {
                self.statement(*body);
                self.expr(*cond);
            }
            Stmt::Switch { selector, cases } => {
                self.expr(*selector);
                cases.iter().flat_map(|case| &case.body).for_each(|&statement| self.statement(statement));
            }
            Stmt::Labeled { body, .. } | Stmt::Defer(body) => self.statement(*body),
        }
    }

    fn condition(&mut self, cond: hir_def::body::Condition) {
        match cond {
            hir_def::body::Condition::Expr(expr) | hir_def::body::Condition::Let { init: expr, .. } => {
                self.expr(expr);
            }
        }
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
        match &self.scope.store.exprs[id] {
            Expr::Missing
            | Expr::Unsupported(_)
            | Expr::Literal(_)
            | Expr::Path(_)
            | Expr::This
            | Expr::Type(_)
            | Expr::SpirvAsm
            | Expr::Lambda { .. } => {}
            Expr::PackQuery { .. } => {
                let store = self.scope.store;
                store.exprs[id].for_each_operand(|operand| self.expr(operand));
            }
            Expr::New { args, .. } => args.iter().for_each(|&arg| self.expr(arg)),
            Expr::Member { base, .. } => self.expr(*base),
            Expr::Index { base, args } => {
                self.expr(*base);
                args.iter().for_each(|&arg| self.expr(arg));
            }
            Expr::Call { callee, args } => {
                self.expr(*callee);
                args.iter().for_each(|arg| self.expr(arg.value));
            }
            Expr::Prefix { op, operand } => {
                match op {
                    PrefixOp::Increment | PrefixOp::Decrement | PrefixOp::AddressOf => self.assign(*operand),
                    PrefixOp::Neg | PrefixOp::Plus | PrefixOp::Not | PrefixOp::BitNot | PrefixOp::Deref => {}
                }
                self.expr(*operand);
            }
            Expr::Postfix { op: PostfixOp::Increment | PostfixOp::Decrement, operand } => {
                self.assign(*operand);
                self.expr(*operand);
            }
            Expr::Binary { left, right, .. } => {
                self.expr(*left);
                self.expr(*right);
            }
            Expr::Assign { target, value, .. } => {
                self.assign(*target);
                self.expr(*target);
                self.expr(*value);
            }
            Expr::Ternary { cond, then, otherwise } => {
                [cond, then, otherwise].into_iter().for_each(|&expr| self.expr(expr));
            }
            Expr::Cast { operand, .. }
            | Expr::NoDiff(operand)
            | Expr::Is { operand, .. }
            | Expr::As { operand, .. }
            | Expr::Expand(operand)
            | Expr::Try(operand)
            | Expr::Each(operand) => self.expr(*operand),
            Expr::InitList(elements) | Expr::Tuple(elements) | Expr::Comma(elements) => {
                elements.iter().for_each(|&element| self.expr(element));
            }
            Expr::Derivative { function, .. } => self.expr(*function),
            Expr::SizeOf { operand, .. } => operand.iter().for_each(|&operand| self.expr(operand)),
        }
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
