//! Statements.

use syntax::{
    TextRange,
    ast::{self, AstNode},
};

use crate::{
    attribute::{Attribute, Modifiers},
    body::{CaseLabel, Condition, Expr, Local, LocalKind, Stmt, StmtId, SwitchCase},
    lower::{Lowering, name, name_ref, trimmed_range},
    name::Name,
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
            ast::Stmt::ContinueStmt(stmt) => Stmt::Continue(name_ref(stmt.label())),
            ast::Stmt::DeclStmt(stmt) => match stmt.item() {
                Some(item) => self.declaration_stmt(item),
                None => Stmt::Missing,
            },
            ast::Stmt::DeferStmt(stmt) => Stmt::Defer(self.stmt_or_missing(stmt.stmt(), range)),
            ast::Stmt::DiscardStmt(_) => Stmt::Discard,
            ast::Stmt::DoWhileStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers());
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
            ast::Stmt::EmptyStmt(_) | ast::Stmt::RequireCapabilityStmt(_) => Stmt::Empty,
            ast::Stmt::ExprStmt(stmt) => Stmt::Expr(self.expr_or_missing(stmt.expr(), range)),
            ast::Stmt::ForStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers());
                let init = stmt.for_init().and_then(|init| init.stmt()).map(|init| self.stmt(init));
                let cond = stmt.expr_condition().map(|cond| self.expr_or_missing(cond.expr(), range));
                let step = stmt.for_step().map(|step| self.expr_or_missing(step.expr(), range));
                let body = self.stmt_or_missing(stmt.body(), range);
                Stmt::For { init, cond, step, body, attributes }
            }
            ast::Stmt::IfStmt(stmt) => {
                let cond = self.condition(stmt.condition(), range);
                let then = self.stmt_or_missing(stmt.then_branch(), range);
                let otherwise = stmt.else_branch().map(|branch| self.stmt_or_missing(branch.stmt(), range));
                Stmt::If { cond, then, otherwise }
            }
            ast::Stmt::LabelStmt(stmt) => match name(stmt.name()) {
                Some(label) => Stmt::Labeled { label, body: self.stmt_or_missing(stmt.stmt(), range) },
                None => Stmt::Missing,
            },
            ast::Stmt::ReturnStmt(stmt) => Stmt::Return(stmt.expr().map(|value| self.expr(value))),
            ast::Stmt::SwitchStmt(stmt) => {
                let selector = match self.condition(stmt.condition(), range) {
                    Condition::Expr(selector) => selector,
                    Condition::Let { .. } => {
                        self.alloc_expr(Expr::Unsupported(Name::new("`let` in the selector of a `switch`")), range)
                    }
                };
                let cases = stmt.switch_body().into_iter().flat_map(|body| body.cases());
                Stmt::Switch { selector, cases: cases.map(|case| self.switch_case(&case)).collect() }
            }
            ast::Stmt::WhileStmt(stmt) => {
                let attributes = self.stmt_attributes(stmt.modifiers());
                let cond = self.condition(stmt.condition(), range);
                let body = self.stmt_or_missing(stmt.body(), range);
                Stmt::While { cond, body, attributes }
            }
            ast::Stmt::CompileTimeForStmt(_) => Stmt::Unsupported(Name::new("`$for`")),
            ast::Stmt::DoCatchStmt(_) => Stmt::Unsupported(Name::new("`do`…`catch`")),
            ast::Stmt::ThrowStmt(_) => Stmt::Unsupported(Name::new("`throw`")),
            ast::Stmt::GpuForeachStmt(_) => Stmt::Unsupported(Name::new("`__GPU_FOREACH`")),
            ast::Stmt::IntrinsicAsmStmt(_) => Stmt::Unsupported(Name::new("`__intrinsic_asm`")),
            ast::Stmt::TargetSwitchStmt(stmt) => {
                Stmt::Unsupported(Name::new(if stmt.uu_stage_switch_token().is_some() {
                    "`__stage_switch`"
                } else {
                    "`__target_switch`"
                }))
            }
        }
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

    fn stmt_attributes(&mut self, modifiers: Option<ast::ModifierList>) -> Vec<Attribute> {
        modifiers.map(|list| self.attributes(&list)).unwrap_or_default()
    }

    fn declaration_stmt(&mut self, item: ast::Item) -> Stmt {
        match item {
            ast::Item::VarDecl(item) => self.variables(&item),
            ast::Item::EmptyDecl(_) | ast::Item::StaticAssertDecl(_) => Stmt::Empty,
            ast::Item::StructDecl(_)
            | ast::Item::EnumDecl(_)
            | ast::Item::TypedefDecl(_)
            | ast::Item::TypeAliasDecl(_)
            | ast::Item::UsingDecl(_) => Stmt::Unsupported(Name::new("a type declared inside a function")),
            ast::Item::FuncDecl(_) => Stmt::Unsupported(Name::new("a function declared inside a function")),
            _ => Stmt::Unsupported(Name::new("this declaration inside a function")),
        }
    }

    fn variables(&mut self, item: &ast::VarDecl) -> Stmt {
        let range = trimmed_range(item.syntax());
        let modifiers = item.modifier_list().map(|list| self.modifiers(&list)).unwrap_or_default();
        let kind = if modifiers.contains(Modifiers::STATIC) {
            LocalKind::Static
        } else if item.let_token().is_some() {
            LocalKind::Let
        } else {
            LocalKind::Variable
        };
        let mut stmts = Vec::new();
        for declarator in item.declarators() {
            let declarator_range = trimmed_range(declarator.syntax());
            let written = item.ty().or_else(|| declarator.ty());
            let base = match written {
                Some(ty) => self.ty(ty),
                None => self.inferred_type(TextRange::empty(range.start())),
            };
            let (type_modifiers, base) = self.split_modifiers(base);
            let ty = self.declared_type(base, &declarator);
            let attributes = self.stmt_attributes(item.modifier_list());
            // The initialiser cannot see the variable, but its scope begins at the statement, so the order is free.
            let init = declarator.initializer().map(|init| self.expr(init));
            let name_range = declarator.name().map_or(declarator_range, |name| trimmed_range(name.syntax()));
            let local = self.alloc_local(
                Local {
                    name: name(declarator.name()).unwrap_or_else(|| Name::new("")),
                    kind,
                    ty: Some(ty),
                    modifiers: modifiers | type_modifiers,
                    attributes,
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
