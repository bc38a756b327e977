//! Statements.

use smol_str::SmolStr;
use syntax::{
    SyntaxNode, TextRange,
    ast::{self, AstChildren, AstNode},
};

use crate::{
    attribute::{AttributeId, AttributeTargets, Modifiers},
    body::{
        CaseLabel, CatchClause, Condition, Expr, Literal, Local, LocalKind, Stmt, StmtId, SwitchCase, SwitchSubject,
        TargetArm, TargetLabel,
    },
    lower::{Lowering, items::is_local_item, literals, name, name_ref, trimmed_range},
    name::Name,
    type_ref::{TypeRef, TypeRefId},
};

impl Lowering {
    pub(crate) fn stmt(&mut self, stmt: ast::Stmt) -> StmtId {
        let range = trimmed_range(stmt.syntax());
        let lowered = self.nested(|lower| lower.lower_stmt(stmt, range));
        let lowered = lowered.unwrap_or_else(|| Stmt::Unsupported(Name::new("a statement nested this deeply")));
        self.alloc_stmt(lowered, range)
    }

    fn stmt_or_missing(&mut self, stmt: Option<ast::Stmt>, owner: TextRange) -> StmtId {
        match stmt {
            Some(stmt) => self.stmt(stmt),
            None => self.missing_stmt(TextRange::empty(owner.end())),
        }
    }

    fn lower_stmt(&mut self, stmt: ast::Stmt, range: TextRange) -> Stmt {
        match stmt {
            ast::Stmt::BlockStmt(stmt) => Stmt::Block(stmt.stmts().map(|stmt| self.stmt(stmt)).collect()),
            ast::Stmt::BreakStmt(stmt) => Stmt::Break(name_ref(stmt.label())),
            ast::Stmt::ContinueStmt(_) => Stmt::Continue,
            ast::Stmt::DeclStmt(stmt) => match stmt.item() {
                Some(item) => self.declaration_stmt(item),
                None => Stmt::Missing,
            },
            ast::Stmt::DeferStmt(stmt) => Stmt::Defer(self.stmt_or_missing(stmt.stmt(), range)),
            ast::Stmt::DiscardStmt(_) => Stmt::Discard,
            ast::Stmt::DoWhileStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers(), AttributeTargets::LOOP);
                let body = self.stmt_or_missing(stmt.body(), range);
                let cond = match stmt.condition() {
                    Some(ast::Condition::ExprCondition(cond)) => self.expr_or_missing(cond.expr(), range),
                    Some(ast::Condition::LetCondition(cond)) => self.alloc_expr(
                        Expr::Unsupported(Name::new("`let` in the condition of a `do` loop")),
                        trimmed_range(cond.syntax()),
                    ),
                    None => self.expr_or_missing(None, range),
                };
                Stmt::DoWhile { body, cond, attributes }
            }
            ast::Stmt::EmptyStmt(_) => Stmt::Empty,
            ast::Stmt::RequireCapabilityStmt(stmt) => {
                let args = stmt.arg_list().into_iter().flat_map(|list| list.args());
                let names = args.filter_map(|arg| match arg {
                    ast::Expr::PathExpr(expr) => name_ref(expr.path().and_then(|path| path.name_ref())),
                    _ => None,
                });
                Stmt::RequireCapability(names.collect())
            }
            ast::Stmt::ExprStmt(stmt) => Stmt::Expr(self.expr_or_missing(stmt.expr(), range)),
            ast::Stmt::ForStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers(), AttributeTargets::LOOP);
                let init = stmt.for_init().and_then(|init| init.stmt()).map(|init| self.stmt(init));
                let cond = stmt.expr_condition().map(|cond| self.expr_or_missing(cond.expr(), range));
                let step = stmt.for_step().map(|step| self.expr_or_missing(step.expr(), range));
                let body = self.stmt_or_missing(stmt.body(), range);
                Stmt::For { init, cond, step, body, attributes }
            }
            ast::Stmt::IfStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers(), AttributeTargets::IF);
                let cond = self.condition(stmt.condition(), range);
                let then = self.stmt_or_missing(stmt.then_branch(), range);
                let otherwise = stmt.else_branch().map(|branch| self.stmt_or_missing(branch.stmt(), range));
                Stmt::If { cond, then, otherwise, attributes }
            }
            ast::Stmt::LabelStmt(stmt) => match name(stmt.name()) {
                Some(label) => Stmt::Labeled { label, body: self.stmt_or_missing(stmt.stmt(), range) },
                None => Stmt::Missing,
            },
            ast::Stmt::ReturnStmt(stmt) => Stmt::Return(stmt.expr().map(|value| self.expr(value))),
            ast::Stmt::SwitchStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers(), AttributeTargets::SWITCH);
                let selector = match self.condition(stmt.condition(), range) {
                    Condition::Expr(selector) => selector,
                    Condition::Let { .. } => {
                        self.alloc_expr(Expr::Unsupported(Name::new("`let` in the selector of a `switch`")), range)
                    }
                };
                let cases = stmt.switch_body().into_iter().flat_map(|body| body.cases());
                let cases = cases.map(|case| self.switch_case(&case)).collect();
                Stmt::Switch { selector, attributes, cases }
            }
            ast::Stmt::WhileStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers(), AttributeTargets::LOOP);
                let cond = self.condition(stmt.condition(), range);
                let body = self.stmt_or_missing(stmt.body(), range);
                Stmt::While { cond, body, attributes }
            }
            ast::Stmt::CompileTimeForStmt(stmt) => self.compile_time_for(&stmt, range),
            ast::Stmt::DoCatchStmt(stmt) => {
                let body = self.stmt_or_missing(stmt.body(), range);
                let catches = stmt.catch_clauses().map(|clause| self.catch_clause(&clause)).collect();
                Stmt::DoCatch { body, catches }
            }
            ast::Stmt::ThrowStmt(stmt) => Stmt::Throw(self.expr_or_missing(stmt.expr(), range)),
            ast::Stmt::GpuForeachStmt(_) => Stmt::Unsupported(Name::new("`__GPU_FOREACH`")),
            ast::Stmt::IntrinsicAsmStmt(stmt) => {
                let text = stmt.args().next().and_then(|arg| match arg {
                    ast::Expr::LiteralExpr(literal) => literals::literal(&literal),
                    _ => None,
                });
                Stmt::IntrinsicAsm(match text {
                    Some(Literal::String(text)) => text,
                    _ => SmolStr::default(),
                })
            }
            ast::Stmt::TargetSwitchStmt(stmt) => {
                let subject = match stmt.uu_stage_switch_token() {
                    Some(_) => SwitchSubject::Stage,
                    None => SwitchSubject::Target,
                };
                let cases = stmt.switch_body().into_iter().flat_map(|body| body.cases());
                Stmt::TargetSwitch { subject, arms: cases.map(|case| self.target_arm(&case)).collect() }
            }
        }
    }

    fn compile_time_for(&mut self, stmt: &ast::CompileTimeForStmt, range: TextRange) -> Stmt {
        let bounds = stmt.arg_list().into_iter().flat_map(|list| list.args());
        let bounds = bounds.map(|bound| self.expr(bound)).collect();
        let name_range = stmt.name().map_or(range, |name| trimmed_range(name.syntax()));
        let ty = self.named_type("int", name_range);
        let local = Local {
            name: name(stmt.name()).unwrap_or_else(|| Name::new("")),
            kind: LocalKind::Let,
            ty: Some(ty),
            modifiers: Modifiers::empty(),
            attributes: Vec::new(),
        };
        let local = self.alloc_local(local, name_range);
        Stmt::CompileTimeFor { local, bounds, body: self.stmt_or_missing(stmt.body(), range) }
    }

    fn condition(&mut self, condition: Option<ast::Condition>, owner: TextRange) -> Condition {
        match condition {
            Some(ast::Condition::ExprCondition(condition)) => {
                Condition::Expr(self.expr_or_missing(condition.expr(), owner))
            }
            Some(ast::Condition::LetCondition(condition)) => {
                let init = self.expr_or_missing(condition.expr(), owner);
                Condition::Let { local: self.condition_local(&condition), init }
            }
            None => Condition::Expr(self.expr_or_missing(None, TextRange::empty(owner.start()))),
        }
    }

    fn switch_case(&mut self, case: &ast::SwitchCase) -> SwitchCase {
        let range = trimmed_range(case.syntax());
        let labels = case.labels().map(|label| match label.default_token() {
            Some(_) => CaseLabel::Default,
            None => CaseLabel::Value(self.expr_or_missing(label.expr(), range)),
        });
        let labels = labels.collect();
        SwitchCase { labels, body: case.stmts().map(|stmt| self.stmt(stmt)).collect() }
    }

    /// The labels are names of capabilities, which no scope declares.
    fn target_arm(&mut self, case: &ast::SwitchCase) -> TargetArm {
        let labels = case.labels().map(|label| {
            let (name, range) = match label.expr() {
                Some(ast::Expr::PathExpr(expr)) => {
                    (name_ref(expr.path().and_then(|path| path.name_ref())), trimmed_range(expr.syntax()))
                }
                _ => (None, trimmed_range(label.syntax())),
            };
            TargetLabel { name, place: self.alloc_stmt(Stmt::Empty, range) }
        });
        let labels = labels.collect();
        TargetArm { labels, body: case.stmts().map(|stmt| self.stmt(stmt)).collect() }
    }

    fn catch_clause(&mut self, clause: &ast::CatchClause) -> CatchClause {
        let range = trimmed_range(clause.syntax());
        let error = clause.param().map(|param| self.lambda_param(0, param));
        CatchClause { error, body: self.stmt_or_missing(clause.stmt(), range) }
    }

    fn stmt_attributes(&mut self, modifiers: Option<ast::ModifierList>, target: AttributeTargets) -> Vec<AttributeId> {
        modifiers.map(|list| self.attributes(&list, target)).unwrap_or_default()
    }

    fn static_assertion(&mut self, item: &ast::StaticAssertDecl) -> Stmt {
        let range = item.syntax().text_range();
        let mut args = item.arg_list().into_iter().flat_map(|list| list.args());
        let condition = self.expr_or_missing(args.next(), range);
        let message = args.next().map(|message| self.expr(message));
        Stmt::StaticAssert { condition, message }
    }

    fn declaration_stmt(&mut self, item: ast::Item) -> Stmt {
        match item {
            ast::Item::VarDecl(item) => self.variables(&item),
            ast::Item::EmptyDecl(_) => Stmt::Empty,
            ast::Item::StaticAssertDecl(item) => self.static_assertion(&item),
            ast::Item::StructDecl(item) if item.typedef_token().is_some() => self.typedef(item.declarator_list()),
            ast::Item::EnumDecl(item) if item.typedef_token().is_some() => self.typedef(item.declarator_list()),
            ast::Item::StructDecl(item) => {
                let modifiers = item.modifier_list();
                self.variables_of_declared(item.name(), modifiers, item.declarator_list(), item.syntax())
            }
            ast::Item::EnumDecl(item) => {
                let modifiers = item.modifier_list();
                self.variables_of_declared(item.name(), modifiers, item.declarator_list(), item.syntax())
            }
            ast::Item::CBufferDecl(item) if item.item_list().is_some() => self.local_buffer(&item),
            item if is_local_item(&item) => {
                self.declared += 1;
                Stmt::Empty
            }
            _ => Stmt::Unsupported(Name::new("this declaration inside a function")),
        }
    }

    /// `typedef struct S { … } A, B;`: the body declares the type and each of the names.
    fn typedef(&mut self, names: Option<ast::DeclaratorList>) -> Stmt {
        let names = names.map_or(0, |names| names.declarators().count() as u32);
        self.declared += 1 + names;
        Stmt::Empty
    }

    /// The variables of `struct S { … } a, b;`, whose type is the next that the body declares.
    fn variables_of_declared(
        &mut self,
        declared: Option<ast::Name>,
        modifiers: Option<ast::ModifierList>,
        declarators: Option<ast::DeclaratorList>,
        node: &SyntaxNode,
    ) -> Stmt {
        let number = self.declared;
        self.declared += 1;
        let range = declared.map_or_else(|| trimmed_range(node), |name| trimmed_range(name.syntax()));
        let Some(declarators) = declarators else { return Stmt::Empty };
        let declared = self.alloc_type(TypeRef::Declared(number), TextRange::empty(range.start()));
        self.declarators(declarators.declarators(), modifiers, LocalKind::Variable, |_, _| declared)
    }

    /// A `cbuffer` in a function: its members are variables of the function, to which nothing ever gives a value.
    fn local_buffer(&mut self, item: &ast::CBufferDecl) -> Stmt {
        let members: Option<Vec<_>> = item
            .item_list()
            .into_iter()
            .flat_map(|list| list.items())
            .map(|member| match member {
                ast::Item::VarDecl(member) => Some(member),
                _ => None,
            })
            .collect();
        let Some(members) = members else { return Stmt::Unsupported(Name::new("this declaration inside a function")) };
        let variables = members.iter().map(|member| {
            let variables = self.variables(member);
            self.alloc_stmt(variables, trimmed_range(member.syntax()))
        });
        Stmt::Sequence(variables.collect())
    }

    fn variables(&mut self, item: &ast::VarDecl) -> Stmt {
        let range = trimmed_range(item.syntax());
        let kind = if item.let_token().is_some() { LocalKind::Let } else { LocalKind::Variable };
        self.declarators(item.declarators(), item.modifier_list(), kind, |lower, declarator| {
            match item.ty().or_else(|| declarator.ty()) {
                Some(ty) => lower.ty(ty),
                None => lower.inferred_type(TextRange::empty(range.start())),
            }
        })
    }

    fn declarators(
        &mut self,
        declarators: AstChildren<ast::Declarator>,
        modifier_list: Option<ast::ModifierList>,
        kind: LocalKind,
        base: impl Fn(&mut Self, &ast::Declarator) -> TypeRefId,
    ) -> Stmt {
        let modifiers = modifier_list.as_ref().map(|list| self.modifiers(list)).unwrap_or_default();
        let kind = if modifiers.contains(Modifiers::STATIC) { LocalKind::Static } else { kind };
        let attributes = self.stmt_attributes(modifier_list, AttributeTargets::VARIABLE);
        let mut stmts = Vec::new();
        for declarator in declarators {
            let declarator_range = trimmed_range(declarator.syntax());
            let base = base(self, &declarator);
            let (type_modifiers, base) = self.split_modifiers(base);
            let ty = self.declared_type(base, &declarator);
            // The initialiser cannot see the variable, but its scope begins at the statement, so the order is free.
            let init = declarator.initializer().map(|init| self.expr(init));
            let name_range = declarator.name().map_or(declarator_range, |name| trimmed_range(name.syntax()));
            let local = self.alloc_local(
                Local {
                    name: name(declarator.name()).unwrap_or_else(|| Name::new("")),
                    kind,
                    ty: Some(ty),
                    modifiers: modifiers | type_modifiers,
                    attributes: attributes.clone(),
                },
                name_range,
            );
            stmts.push((Stmt::Let { local, init }, declarator_range));
        }
        match <[_; 1]>::try_from(stmts) {
            Ok([(stmt, _)]) => stmt,
            Err(stmts) if stmts.is_empty() => Stmt::Missing,
            Err(stmts) => Stmt::Sequence(stmts.into_iter().map(|(stmt, range)| self.alloc_stmt(stmt, range)).collect()),
        }
    }
}
