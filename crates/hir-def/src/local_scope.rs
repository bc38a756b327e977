//! Which locals are visible where in a body.

use base_db::Db;
use la_arena::{Arena, Idx};

use crate::{
    body::{Body, BodyRoot, Child, Condition, Expr, ExprId, LambdaBody, LocalId, Stmt, StmtId, queries},
    item::ItemId,
    name::Name,
};

type ScopeId = Idx<LocalScope>;

/// One more local than the scope around it, so that a name is only visible after its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LocalScope {
    parent: Option<ScopeId>,
    local: LocalId,
}

/// The scope of each expression and statement of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalScopes {
    scopes: Arena<LocalScope>,
    exprs: Vec<Option<ScopeId>>,
    stmts: Vec<Option<ScopeId>>,
}

/// The scopes of the body of an item.
#[salsa::tracked]
pub fn local_scopes(db: &dyn Db, item: ItemId) -> LocalScopes {
    LocalScopes::of(queries::body(db, item))
}

impl LocalScopes {
    /// Finds the scopes of a body.
    pub fn of(body: &Body) -> LocalScopes {
        let mut scopes = LocalScopes {
            exprs: vec![None; body.store.exprs.len()],
            stmts: vec![None; body.store.stmts.len()],
            scopes: Arena::default(),
        };
        let mut scope = None;
        for &param in &body.params {
            scope = scopes.declare(scope, param);
        }
        match body.root {
            BodyRoot::None => {}
            BodyRoot::Block(stmt) => {
                scopes.stmt(body, stmt, scope);
            }
            BodyRoot::Expr(expr) => scopes.expr(body, expr, scope),
        }
        scopes
    }

    /// The locals visible at an expression, innermost and latest first; outer ones of a hidden name come as well.
    pub fn at_expr(&self, expr: ExprId) -> impl Iterator<Item = LocalId> + '_ {
        self.chain(self.exprs.get(expr.into_raw().into_u32() as usize).copied().flatten())
    }

    /// The locals visible where a statement begins.
    pub fn at_stmt(&self, stmt: StmtId) -> impl Iterator<Item = LocalId> + '_ {
        self.chain(self.stmts.get(stmt.into_raw().into_u32() as usize).copied().flatten())
    }

    /// The local that a name means at an expression.
    pub fn resolve(&self, body: &Body, expr: ExprId, name: &Name) -> Option<LocalId> {
        self.at_expr(expr).find(|local| body.store.locals[*local].name == *name)
    }

    fn chain(&self, scope: Option<ScopeId>) -> impl Iterator<Item = LocalId> + '_ {
        let scopes = std::iter::successors(scope, |scope| self.scopes[*scope].parent);
        scopes.map(|scope| self.scopes[scope].local)
    }

    fn declare(&mut self, parent: Option<ScopeId>, local: LocalId) -> Option<ScopeId> {
        Some(self.scopes.alloc(LocalScope { parent, local }))
    }

    /// Gives the scope that the statements after this one see.
    fn stmt(&mut self, body: &Body, stmt: StmtId, scope: Option<ScopeId>) -> Option<ScopeId> {
        self.stmts[stmt.into_raw().into_u32() as usize] = scope;
        match &body.store.stmts[stmt] {
            Stmt::DoCatch { body: inner, catches } => {
                self.stmt(body, *inner, scope);
                for catch in catches {
                    let inner = catch.error.map_or(scope, |error| self.declare(scope, error));
                    self.stmt(body, catch.body, inner);
                }
            }
            Stmt::CompileTimeFor { local, bounds, body: inner } => {
                for bound in bounds {
                    self.expr(body, *bound, scope);
                }
                let inside = self.declare(scope, *local);
                self.stmt(body, *inner, inside);
            }
            Stmt::TargetSwitch { arms, .. } => {
                for arm in arms {
                    self.block(body, &arm.body, scope);
                }
            }
            Stmt::Let { local, init } => {
                if let Some(init) = init {
                    self.expr(body, *init, scope);
                }
                return self.declare(scope, *local);
            }
            Stmt::Sequence(stmts) => {
                let mut inner = scope;
                for stmt in stmts {
                    inner = self.stmt(body, *stmt, inner);
                }
                return inner;
            }
            Stmt::Block(stmts) => self.block(body, stmts, scope),
            Stmt::If { cond, then, otherwise, .. } => {
                let inner = self.condition(body, *cond, scope);
                self.stmt(body, *then, inner);
                if let Some(otherwise) = otherwise {
                    self.stmt(body, *otherwise, scope);
                }
            }
            Stmt::While { cond, body: inner_body, .. } => {
                let inner = self.condition(body, *cond, scope);
                self.stmt(body, *inner_body, inner);
            }
            Stmt::For { init, cond, step, body: inner_body, .. } => {
                let inner = init.map_or(scope, |init| self.stmt(body, init, scope));
                for expr in [cond, step].into_iter().flatten() {
                    self.expr(body, *expr, inner);
                }
                self.stmt(body, *inner_body, inner);
            }
            Stmt::Switch { selector, cases, .. } => {
                self.expr(body, *selector, scope);
                for case in cases {
                    for label in &case.labels {
                        if let crate::body::CaseLabel::Value(value) = label {
                            self.expr(body, *value, scope);
                        }
                    }
                    self.block(body, &case.body, scope);
                }
            }
            // Everything inside sees what is seen here.
            plain => plain.for_each_child(|child| match child {
                Child::Stmt(stmt) => {
                    self.stmt(body, stmt, scope);
                }
                Child::Expr(expr) => self.expr(body, expr, scope),
            }),
        }
        scope
    }

    fn block(&mut self, body: &Body, stmts: &[StmtId], scope: Option<ScopeId>) {
        let mut inner = scope;
        for stmt in stmts {
            inner = self.stmt(body, *stmt, inner);
        }
    }

    fn condition(&mut self, body: &Body, condition: Condition, scope: Option<ScopeId>) -> Option<ScopeId> {
        match condition {
            Condition::Expr(expr) => {
                self.expr(body, expr, scope);
                scope
            }
            Condition::Let { local, init } => {
                self.expr(body, init, scope);
                self.declare(scope, local)
            }
        }
    }

    fn expr(&mut self, body: &Body, expr: ExprId, scope: Option<ScopeId>) {
        // A loop instead of recursion: operands share the scope, only lambdas open a new one.
        let mut pending = vec![(expr, scope)];
        while let Some((expr, scope)) = pending.pop() {
            self.exprs[expr.into_raw().into_u32() as usize] = scope;
            if let Expr::Lambda { params, body: lambda } = &body.store.exprs[expr] {
                let mut inner = scope;
                for param in params {
                    inner = self.declare(inner, *param);
                }
                match lambda {
                    LambdaBody::Expr(result) => pending.push((*result, inner)),
                    LambdaBody::Block(stmt) => {
                        self.stmt(body, *stmt, inner);
                    }
                }
            } else {
                body.store.exprs[expr].for_each_operand(|operand| pending.push((operand, scope)));
            }
        }
    }
}
