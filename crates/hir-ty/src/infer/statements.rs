//! Statements.

use ::diagnostics::stack;
use hir_def::{
    body::{CaseLabel, Condition, Expr, ExprId, LocalId, Stmt, StmtId, SwitchCase},
    name::Name,
    type_ref::TypeRef,
};

use super::{Infer, Returns, result::Resolution};
use crate::{
    diagnostics::{Node, calls, controls, conversions, names},
    generics::env::Env,
    types::{
        consts,
        lower_ty::TypeLowering,
        ty::{BuiltinType, Const, Scalar, Ty},
    },
};

impl Infer<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        if self.depth >= super::MAX_DEPTH {
            return;
        }
        self.depth += 1;
        stack::deep(|| self.stmt_inner(id));
        self.depth -= 1;
    }

    /// What is asserted must hold. What depends on generic parameters is known where they are; whether a branch is part of
    /// the program may depend on the target, or on arguments that the compiler knows.
    fn static_assertion(&mut self, id: StmtId, condition: ExprId, message: Option<ExprId>) {
        self.coerced(condition, Ty::BOOL);
        match message {
            Some(message) => _ = self.coerced(message, Ty::String),
            None => {
                let place = self.expr_place(condition);
                let signature = "void static_assert(constexpr bool condition, String message)".to_owned();
                let candidate = calls::Candidate { signature, reason: None, place: None };
                self.report(calls::wrong_argument_count(place, 2, 1, &candidate));
            }
        }
        let lowering = TypeLowering::with_env(self.db, self.owner, self.store, self.env);
        let fails = consts::evaluate(&mut lowering.in_body(&self.const_locals), condition) == Some(Const::Value(0));
        if fails && self.choices == 0 {
            self.result.failed_assertions.push(id);
        }
    }

    fn stmt_inner(&mut self, id: StmtId) {
        let store = self.store;
        match &store.stmts[id] {
            // What is broken or not supported yet is reported where the body is lowered.
            Stmt::Missing
            | Stmt::Unsupported(_)
            | Stmt::Empty
            | Stmt::Discard
            | Stmt::IntrinsicAsm(_)
            | Stmt::RequireCapability(_) => {}
            // What becomes of the error is for `checks::thrown_errors`.
            Stmt::Throw(error) => {
                self.value(*error, None);
            }
            Stmt::DoCatch { body, catches } => {
                self.scoped(*body);
                for catch in catches {
                    self.block(|infer| {
                        if let Some(error) = catch.error {
                            infer.local_declaration(error, None);
                        }
                        infer.scoped(catch.body);
                    });
                }
            }
            Stmt::CompileTimeFor { local, bounds, body } => self.block(|infer| {
                for bound in bounds {
                    infer.coerced(*bound, Ty::INT);
                }
                infer.bind(*local, Ty::INT);
                // It is written out, not run as a loop: jumps in it are about a loop around it.
                infer.scoped(*body);
            }),
            Stmt::TargetSwitch { subject: _, arms } => {
                self.breakables += 1;
                self.choices += 1;
                for arm in arms {
                    self.block(|infer| arm.body.iter().for_each(|stmt| infer.stmt(*stmt)));
                }
                self.choices -= 1;
                self.breakables -= 1;
            }
            Stmt::StaticAssert { condition, message } => self.static_assertion(id, *condition, *message),
            Stmt::Expr(expr) => {
                self.statement_expr(*expr);
            }
            Stmt::Let { local, init } => self.local_declaration(*local, *init),
            Stmt::Block(stmts) => self.block(|infer| {
                for stmt in stmts {
                    infer.stmt(*stmt);
                }
            }),
            Stmt::Sequence(stmts) => {
                for stmt in stmts {
                    self.stmt(*stmt);
                }
            }
            Stmt::If { cond, then, otherwise, .. } => self.if_statement(*cond, *then, *otherwise),
            Stmt::For { init, cond, step, body, attributes: _ } => self.block(|infer| {
                if let Some(init) = init {
                    infer.stmt(*init);
                }
                if let Some(cond) = cond {
                    infer.coerced(*cond, Ty::BOOL);
                }
                if let Some(step) = step {
                    infer.statement_expr(*step);
                }
                infer.loop_body(*body);
            }),
            Stmt::While { cond, body, attributes: _ } => self.block(|infer| {
                infer.condition(*cond);
                infer.loop_body(*body);
            }),
            Stmt::DoWhile { body, cond, attributes: _ } => {
                self.loop_body(*body);
                self.coerced(*cond, Ty::BOOL);
            }
            Stmt::Switch { selector, cases, .. } => self.switch(*selector, cases),
            Stmt::Return(value) => self.return_stmt(id, *value),
            Stmt::Break(label) => {
                if self.breakables == 0 && label.is_none() {
                    let place = self.stmt_place(id);
                    self.report(controls::break_outside(place));
                }
            }
            Stmt::Continue => {
                if self.loops == 0 {
                    let place = self.stmt_place(id);
                    self.report(controls::continue_outside(place));
                }
            }
            Stmt::Labeled { label: _, body } => self.stmt(*body),
            Stmt::Defer(body) => self.scoped(*body),
        }
    }

    fn switch(&mut self, selector: ExprId, cases: &[SwitchCase]) {
        let selector = self.value(selector, None);
        self.breakables += 1;
        self.choices += 1;
        self.block(|infer| {
            for case in cases {
                for label in &case.labels {
                    if let CaseLabel::Value(value) = label {
                        infer.coerced(*value, selector);
                        // Labels are integers.
                        if let Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _) = selector {
                            infer.report_mismatch(*value, selector, Ty::Scalar(Scalar::Int));
                        }
                    }
                }
                for stmt in &case.body {
                    infer.stmt(*stmt);
                }
            }
        });
        self.choices -= 1;
        self.breakables -= 1;
    }

    fn if_statement(&mut self, cond: Condition, then: StmtId, otherwise: Option<StmtId>) {
        let outside = self.env;
        self.choices += 1;
        self.block(|infer| {
            infer.condition(cond);
            infer.env = infer.environment_behind(cond);
            infer.scoped(then);
        });
        if let Some(otherwise) = otherwise {
            self.scoped(otherwise);
        }
        self.choices -= 1;
        self.env = outside;
    }

    /// A statement in a scope of its own even if it is not a block.
    fn scoped(&mut self, stmt: StmtId) {
        self.block(|infer| infer.stmt(stmt));
    }

    fn loop_body(&mut self, body: StmtId) {
        self.loops += 1;
        self.breakables += 1;
        self.scoped(body);
        self.loops -= 1;
        self.breakables -= 1;
    }

    fn condition(&mut self, cond: Condition) {
        match cond {
            Condition::Expr(expr) => {
                self.coerced(expr, Ty::BOOL);
            }
            Condition::Let { local, init } => {
                let ty = self.value(init, None);
                let content = match ty.as_optional(self.db) {
                    Some(content) => content,
                    None if ty.is_error() => Ty::Error,
                    None => {
                        let place = self.expr_place(init);
                        let shown = self.show(ty);
                        self.report(conversions::type_mismatch(place, "Optional<…>", &shown));
                        Ty::Error
                    }
                };
                self.bind(local, content);
            }
        }
    }

    /// What is known once `T is IFoo` was asked. In both branches, as slangc has it: what the other does cannot run.
    fn environment_behind(&self, cond: Condition) -> Env {
        let Condition::Expr(cond) = cond else { return self.env };
        let Expr::Is { operand, ty } = self.store.exprs[cond] else { return self.env };
        let subject = match self.result.resolutions.get(&operand) {
            Some(Resolution::Type(subject)) => Some(*subject),
            _ => self.result.expr_types.get(operand).copied(),
        };
        match (subject, self.result.type_refs.get(ty)) {
            (Some(subject), Some(interface)) => {
                self.env.checked(self.db, Env::of(self.db, self.owner), subject, *interface)
            }
            _ => self.env,
        }
    }

    /// An expression whose value is not used.
    fn statement_expr(&mut self, expr: ExprId) {
        if let Expr::Comma(parts) = &self.store.exprs[expr] {
            for part in parts {
                self.statement_expr(*part);
            }
            self.result.expr_types.insert(expr, Ty::Void);
            return;
        }
        self.value(expr, None);
    }

    fn local_declaration(&mut self, local: LocalId, init: Option<ExprId>) {
        let declaration = &self.store.locals[local];
        let written = declaration.ty.filter(|ty| !matches!(self.store.type_refs[*ty], TypeRef::Infer));
        let is_constant = self.is_const_local(local);
        let ty = match (written, init) {
            (Some(written), Some(init)) => {
                let declared = self.type_ref(written);
                let declared = self.check_variable_type(local, declared);
                self.initialized(init, declared)
            }
            (Some(written), None) => {
                let declared = self.type_ref(written);
                self.check_variable_type(local, declared)
            }
            (None, Some(init)) => self.value(init, None),
            (None, None) => {
                let name = declaration.name.clone();
                let place = self.place(Node::Local(local));
                if !name.as_str().is_empty() {
                    self.report(conversions::missing_type(place, &name));
                }
                Ty::Error
            }
        };
        self.check_redeclaration(local);
        let (constant, elements) = match (init, ty) {
            (Some(init), Ty::Scalar(scalar)) if is_constant && !scalar.is_float() => {
                (self.constant(init), Box::default())
            }
            (Some(init), Ty::Builtin(BuiltinType::Array, _)) if is_constant => (None, self.constant_elements(init)),
            _ => (None, Box::default()),
        };
        self.bind_constant(local, ty, constant, elements);
    }

    fn check_redeclaration(&mut self, local: LocalId) {
        let name: &Name = &self.store.locals[local].name;
        if name.as_str().is_empty() {
            return;
        }
        let earlier = self.bindings[self.block_start..].iter().find(|binding| binding.name == *name);
        if let Some(earlier) = earlier {
            let previous = self.place(Node::Local(earlier.local));
            let place = self.place(Node::Local(local));
            self.report(names::conflicting_declaration(place, name, previous));
        }
    }

    /// Converts an initialiser to the declared type and returns the variable's type: an array without a length takes it from
    /// its initialiser.
    pub(super) fn initialized(&mut self, init: ExprId, declared: Ty) -> Ty {
        if let Some((element, Const::Unsized)) = declared.as_array(self.db) {
            let found = self.value(init, Some(declared));
            if let Some((found_element, _)) = found.as_array(self.db)
                && found_element == element
            {
                return found;
            }
            self.convert_expr(init, found, declared);
            return declared;
        }
        self.coerced(init, declared);
        declared
    }

    fn return_stmt(&mut self, stmt: StmtId, value: Option<ExprId>) {
        match (self.returns, value) {
            (Returns::Type(ret), Some(value)) => {
                if ret == Ty::Void {
                    let ty = self.value(value, None);
                    if ty != Ty::Void && !ty.is_error() {
                        let place = self.expr_place(value);
                        let shown = self.show(ty);
                        self.report(conversions::type_mismatch(place, "void", &shown));
                    }
                } else {
                    self.coerced(value, ret);
                }
            }
            (Returns::Constructor(ty), Some(value)) => {
                self.coerced(value, ty);
            }
            (Returns::Type(ret), None) => {
                if ret != Ty::Void && !ret.is_error() {
                    let place = self.stmt_place(stmt);
                    let shown = self.show(ret);
                    self.report(controls::return_needs_value(place, &shown));
                }
            }
            (Returns::Infer(None), Some(value)) => {
                let ty = self.value(value, None);
                self.returns = Returns::Infer(Some(ty));
            }
            (Returns::Infer(None), None) => self.returns = Returns::Infer(Some(Ty::Void)),
            (Returns::Infer(Some(ty)), Some(value)) => {
                let found = self.value(value, Some(ty));
                if let (Ty::Scalar(first), Ty::Scalar(other)) = (ty, found)
                    && first != other
                {
                    let place = self.expr_place(value);
                    let (first, other) = (self.show(ty), self.show(found));
                    self.report(controls::lambda_return_mismatch(place, &first, &other));
                } else {
                    self.convert_expr(value, found, ty);
                }
            }
            (Returns::Infer(Some(_)) | Returns::Nothing | Returns::Constructor(_), None) => {}
            (Returns::Nothing, Some(value)) => {
                self.value(value, None);
            }
        }
    }

    /// Whether control never reaches the end of a statement, as far as its shape tells.
    pub(super) fn leaves(&self, id: StmtId) -> bool {
        stack::deep(|| self.leaves_inner(id))
    }

    fn leaves_inner(&self, id: StmtId) -> bool {
        match &self.store.stmts[id] {
            // What is broken or unknown is not complained about twice.
            Stmt::Missing | Stmt::Unsupported(_) => true,
            Stmt::Return(_) | Stmt::Throw(_) | Stmt::IntrinsicAsm(_) => true,
            Stmt::DoCatch { body, catches } => {
                self.leaves(*body) && catches.iter().all(|catch| self.leaves(catch.body))
            }
            // A target without an arm does not compile the function, and the arms that fall through share the next.
            Stmt::TargetSwitch { arms, .. } => {
                let written = arms.iter().filter(|arm| !arm.body.is_empty());
                written.clone().count() > 0 && written.clone().all(|arm| arm.body.iter().any(|stmt| self.leaves(*stmt)))
            }
            Stmt::Block(stmts) | Stmt::Sequence(stmts) => stmts.iter().any(|stmt| self.leaves(*stmt)),
            Stmt::If { then, otherwise: Some(otherwise), .. } => self.leaves(*then) && self.leaves(*otherwise),
            Stmt::Labeled { body, .. } => self.leaves(*body),
            Stmt::While { cond: Condition::Expr(cond), body, .. } => self.is_true(*cond) && !self.breaks(*body),
            Stmt::For { cond, body, .. } => cond.is_none_or(|cond| self.is_true(cond)) && !self.breaks(*body),
            Stmt::DoWhile { body, .. } => self.leaves(*body),
            Stmt::Switch { cases, .. } => {
                cases.iter().any(|case| case.labels.contains(&CaseLabel::Default))
                    && cases.iter().all(|case| !case.body.iter().any(|stmt| self.breaks(*stmt)))
                    && cases.last().is_some_and(|case| case.body.iter().any(|stmt| self.leaves(*stmt)))
            }
            Stmt::Expr(_)
            | Stmt::Empty
            | Stmt::Discard
            | Stmt::RequireCapability(_)
            | Stmt::StaticAssert { .. }
            | Stmt::Let { .. }
            | Stmt::If { otherwise: None, .. }
            | Stmt::While { cond: Condition::Let { .. }, .. }
            | Stmt::Break(_)
            | Stmt::Continue
            | Stmt::CompileTimeFor { .. }
            | Stmt::Defer(_) => false,
        }
    }

    fn is_true(&self, expr: ExprId) -> bool {
        matches!(
            self.store.exprs[expr],
            Expr::Literal(hir_def::body::Literal::Bool(true) | hir_def::body::Literal::Int { value: 1.., .. })
        )
    }

    /// Whether a statement contains a `break` that leaves what is around it.
    fn breaks(&self, id: StmtId) -> bool {
        match &self.store.stmts[id] {
            Stmt::Break(_) => true,
            // Inside, `break` means the inner statement.
            Stmt::For { .. }
            | Stmt::While { .. }
            | Stmt::DoWhile { .. }
            | Stmt::CompileTimeFor { .. }
            | Stmt::Switch { .. }
            | Stmt::TargetSwitch { .. } => false,
            stmt => stmt.any_inner(|stmt| self.breaks(stmt)),
        }
    }
}
