//! `throw`, `try` and `catch`: every error that may be thrown is handed on by a function that says so, or caught.

use diagnostics::codes;
use hir_def::{
    body::{BodyRoot, CatchClause, Child, Expr, ExprId, Stmt, StmtId},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    diagnostics::Node,
    display::{display, item_name},
    env::Env,
    infer::result::{Callable, Resolution},
    lower_ty::TypeLowering,
    substitute::{Substitution, substitute},
    ty::Ty,
};

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let BodyRoot::Block(root) = body.body.root else { return };
    let declared = declared_error(body.db, body.item);
    let mut walk = ThrownErrorWalk { body, declared, catches: Vec::new(), deferred: None, depth: 0 };
    walk.statement(root);
}

/// What may be nested in statements and expressions; the parser allows less.
const MAX_DEPTH: u32 = ::diagnostics::limits::CHECKED_BODIES;

/// The type of the errors that a function throws, in terms of its own parameters.
fn declared_error(db: &dyn base_db::Db, item: ItemId) -> Option<Ty> {
    let data = item::item_data(db, item);
    let ItemKind::Function(function) = &data.kind else { return None };
    let throws = function.throws?;
    Some(TypeLowering::new(db, item, &data.store).lower(throws))
}

/// What becomes of an error.
enum Fate {
    Caught,
    HandedOn,
    /// Nobody catches it: the function throws nothing, or something else.
    Uncaught,
    Mismatched(Ty),
    /// It would leave a `defer`.
    LeavesDefer,
}

struct ThrownErrorWalk<'a, 'db> {
    body: &'a mut CheckedBody<'db>,
    /// What the function throws.
    declared: Option<Ty>,
    /// What the `do`s around catch, innermost last; `None` is everything.
    catches: Vec<Vec<Option<Ty>>>,
    /// How many of them are outside of the innermost `defer`.
    deferred: Option<usize>,
    depth: u32,
}

impl ThrownErrorWalk<'_, '_> {
    fn fate(&self, error: Ty) -> Fate {
        let inside = self.catches.get(self.deferred.unwrap_or(0)..).unwrap_or_default();
        let catches = |caught: &Option<Ty>| caught.is_none_or(|caught| caught == error || caught.is_error());
        if error.is_error() || inside.iter().flatten().any(catches) {
            return Fate::Caught;
        }
        match self.declared {
            _ if self.deferred.is_some() => Fate::LeavesDefer,
            Some(declared) if declared == error || declared.is_error() => Fate::HandedOn,
            Some(declared) => Fate::Mismatched(declared),
            None => Fate::Uncaught,
        }
    }

    fn statement(&mut self, id: StmtId) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let body = self.body.body;
        match &body.store.stmts[id] {
            Stmt::Defer(deferred) => {
                let around = self.deferred.replace(self.catches.len());
                self.statement(*deferred);
                self.deferred = around;
            }
            Stmt::Throw(error) => {
                self.expression(*error);
                self.throw(*error);
            }
            Stmt::DoCatch { body, catches } => self.do_catch(*body, catches),
            stmt => stmt.for_each_child(|child| match child {
                Child::Stmt(stmt) => self.statement(stmt),
                Child::Expr(expr) => self.expression(expr),
            }),
        }
        self.depth -= 1;
    }

    fn do_catch(&mut self, body: StmtId, catches: &[CatchClause]) {
        let local_type = |local| self.body.inferred.local_types.get(local).copied().unwrap_or(Ty::Error);
        self.catches.push(catches.iter().map(|clause| clause.error.map(local_type)).collect());
        self.statement(body);
        self.catches.pop();
        catches.iter().for_each(|clause| self.statement(clause.body));
    }

    /// An expression outside of `try`. The bodies of lambdas are not followed.
    fn expression(&mut self, id: ExprId) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match self.body.body.store.exprs[id] {
            Expr::Try(operand) => self.try_(id, operand),
            _ => {
                if let Some((callee, Some(_))) = self.called(id) {
                    let name = item_name(self.body.db, callee);
                    self.body.report(
                        codes::CALL_WITHOUT_TRY,
                        Node::Expr(id),
                        format!("'{name}' may throw: call it with 'try'"),
                    );
                }
                self.operands(id);
            }
        }
        self.depth -= 1;
    }

    fn operands(&mut self, id: ExprId) {
        let body = self.body.body;
        body.store.exprs[id].for_each_operand(|operand| self.expression(operand));
    }

    /// The function that an expression calls, and what it throws.
    fn called(&self, id: ExprId) -> Option<(ItemId, Option<Ty>)> {
        let Some(Resolution::Call(call)) = self.body.inferred.resolutions.get(&id) else { return None };
        let Callable::Function(function) = call.callee else { return None };
        let db = self.body.db;
        let substitution = || Substitution::of_function(db, function);
        let error = declared_error(db, function.item)
            .map(|error| substitute(db, Env::of(db, self.body.item), error, &substitution()));
        Some((function.item, error))
    }

    fn try_(&mut self, id: ExprId, operand: ExprId) {
        let is_broken = self.body.inferred.expr_types.get(operand).is_none_or(|ty| ty.is_error());
        let is_call = matches!(self.body.body.store.exprs[operand], Expr::Call { .. });
        match self.called(operand) {
            _ if is_broken => {}
            Some((_, Some(error))) => self.tried(id, error),
            Some((callee, None)) => {
                let name = item_name(self.body.db, callee);
                self.body.report(
                    codes::TRY_OF_CALL_THAT_DOES_NOT_THROW,
                    Node::Expr(operand),
                    format!("'{name}' does not throw: call it without 'try'"),
                );
            }
            None if !is_call => {
                self.body.report(
                    codes::TRY_WITHOUT_CALL,
                    Node::Expr(operand),
                    "'try' stands in front of a call of a function that throws",
                );
            }
            // What is called is a value: its type does not say what it throws.
            None => {}
        }
        self.operands(operand);
    }

    fn tried(&mut self, id: ExprId, error: Ty) {
        let db = self.body.db;
        let shown = display(db, error);
        let node = Node::Expr(id);
        match self.fate(error) {
            Fate::Caught | Fate::HandedOn => {}
            Fate::Uncaught => {
                let message =
                    format!("nothing catches '{shown}' here: declare the function 'throws {shown}', or catch it");
                self.body.report(codes::CALL_ERROR_NOT_CAUGHT, node, message);
            }
            Fate::Mismatched(declared) => {
                let message = format!("the call throws '{shown}', the function around it '{}'", display(db, declared));
                self.body.report(codes::CALL_ERROR_MISMATCH, node, message);
            }
            Fate::LeavesDefer => {
                let message = format!("an error cannot leave a 'defer': catch '{shown}' inside of it");
                self.body.report(codes::CALL_ERROR_LEAVES_DEFER, node, message);
            }
        }
    }

    fn throw(&mut self, error: ExprId) {
        let db = self.body.db;
        let ty = self.body.inferred.expr_types.get(error).copied().unwrap_or(Ty::Error);
        let shown = display(db, ty);
        let node = Node::Expr(error);
        match self.fate(ty) {
            Fate::Caught | Fate::HandedOn => {}
            Fate::Uncaught => {
                let message =
                    format!("nothing catches '{shown}' here: declare the function 'throws {shown}', or catch it");
                self.body.report(codes::THROWN_ERROR_NOT_CAUGHT, node, message);
            }
            Fate::Mismatched(declared) => {
                let message = format!("the function throws '{}', not '{shown}'", display(db, declared));
                self.body.report(codes::THROWN_ERROR_MISMATCH, node, message);
            }
            Fate::LeavesDefer => {
                let message = format!("an error cannot leave a 'defer': catch '{shown}' inside of it");
                self.body.report(codes::THROW_LEAVES_DEFER, node, message);
            }
        }
    }
}
