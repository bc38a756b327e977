//! E40013: arguments that the compiler must know (of `constexpr` parameters, such as the offset of a texture access), but
//! that depend on what only a run can tell.
//!
//! As slangc has it: parameters and variables of the program are never known, locals are as far as what is assigned to them
//! is, and which assignment counts must not depend on a condition that is not known. What cannot be decided here is not
//! reported. Generic functions are not looked at: slangc waits for their arguments.

use ::diagnostics::{codes, stack};
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, Child, Expr, ExprId, LocalId, LocalKind, PostfixOp, PrefixOp, Stmt, StmtId},
    item::{self, ItemKind},
};
use hir_ty::{
    diagnostics::Node,
    infer::result::{Argument, Base, Callable, Resolution},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{CheckedBody, initializers::varies};

/// The parser allows less nesting.
const MAX_DEPTH: u32 = ::diagnostics::limits::CHECKED_BODIES;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let needed = needed(body);
    if needed.is_empty() || is_generic(body) {
        return;
    }
    let BodyRoot::Block(root) = body.body.root else { return };
    let mut at_run_time = AtRunTime { body, locals: FxHashSet::default(), declared: FxHashMap::default() };
    loop {
        let before = at_run_time.locals.len();
        at_run_time.statement(root, 0, 0);
        if at_run_time.locals.len() == before {
            break;
        }
    }
    let unknown: Vec<_> = needed.into_iter().filter(|(argument, ..)| at_run_time.expression(*argument, 0)).collect();
    for (argument, function, param) in unknown {
        let message = format!("argument '{param}' of '{function}' must be known at compile time");
        body.report(codes::ARGUMENT_NOT_CONSTANT, Node::Expr(argument), message);
    }
}

/// Whether the function, or what it is declared in, has parameters that stand for types or values.
fn is_generic(body: &CheckedBody<'_>) -> bool {
    let mut around = std::iter::successors(Some(body.item), |item| item::container(body.db, *item));
    around.any(|item| !item::item_data(body.db, item).generics.params.is_empty())
}

/// Arguments that a function asks to be constant, with the names of the function and of the parameter.
fn needed(body: &CheckedBody<'_>) -> Vec<(ExprId, String, String)> {
    let mut needed = Vec::new();
    for (_, resolution) in body.inferred.resolutions.iter() {
        let Resolution::Call(call) = resolution else { continue };
        let Callable::Function(function) = &call.callee else { continue };
        let data = item::item_data(body.db, function.item);
        let ItemKind::Function(declared) = &data.kind else { continue };
        let is_constant = |param: &item::Param| param.modifiers.contains(Modifiers::CONSTEXPR);
        if !declared.params.iter().any(is_constant) {
            continue;
        }
        for (param, argument) in declared.params.iter().zip(&call.args) {
            if let (true, Argument::Expr(argument)) = (is_constant(param), argument) {
                let name = |name: &Option<hir_def::name::Name>| {
                    name.as_ref().map_or_else(String::new, |name| name.to_string())
                };
                needed.push((*argument, name(&data.name), name(&param.name)));
            }
        }
    }
    needed.sort();
    needed
}

/// Which locals have values that only a run can tell.
struct AtRunTime<'a, 'db> {
    body: &'a CheckedBody<'db>,
    locals: FxHashSet<LocalId>,
    /// Under how many conditions that are not known each variable is declared.
    declared: FxHashMap<LocalId, u32>,
}

impl AtRunTime<'_, '_> {
    /// `conditions`: how many conditions that are not known decide whether this runs.
    fn statement(&mut self, id: StmtId, conditions: u32, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let stmt = &self.body.body.store.stmts[id];
        let (condition, only) = match stmt {
            Stmt::Let { local, init } => {
                self.declared.insert(*local, conditions);
                if init.is_some_and(|init| self.expression(init, 0)) {
                    self.locals.insert(*local);
                }
                (None, None)
            }
            Stmt::If { cond, .. } | Stmt::While { cond, .. } => (Some(cond.expr()), None),
            // The first part of the head runs once, whatever the condition is.
            Stmt::For { init, cond, .. } => (*cond, *init),
            Stmt::DoWhile { cond, .. } => (Some(*cond), None),
            Stmt::Switch { selector, .. } => (Some(*selector), None),
            _ => (None, None),
        };
        let inside = conditions + u32::from(condition.is_some_and(|condition| self.expression(condition, 0)));
        let mut children = Vec::new();
        stmt.for_each_child(|child| children.push(child));
        stack::deep(|| {
            for child in children {
                match child {
                    Child::Stmt(child) if Some(child) == only => self.statement(child, conditions, depth + 1),
                    Child::Stmt(child) => self.statement(child, inside, depth + 1),
                    Child::Expr(child) => self.assignments(child, inside, 0),
                }
            }
        });
    }

    /// Notes the assignments in an expression.
    fn assignments(&mut self, id: ExprId, conditions: u32, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let expr = &self.body.body.store.exprs[id];
        let assigned = match expr {
            Expr::Assign { target, value, .. } => Some((*target, self.expression(*value, 0))),
            Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand }
            | Expr::Postfix { op: PostfixOp::Increment | PostfixOp::Decrement, operand } => Some((*operand, false)),
            _ => None,
        };
        if let Some((target, is_unknown)) = assigned
            && let Some(local) = self.variable(target)
            && (is_unknown || conditions > self.declared.get(&local).copied().unwrap_or_default())
        {
            self.locals.insert(local);
        }
        let mut operands = Vec::new();
        expr.for_each_operand(|operand| operands.push(operand));
        stack::deep(|| operands.into_iter().for_each(|operand| self.assignments(operand, conditions, depth + 1)));
    }

    /// The variable of which a place is a part.
    fn variable(&self, place: ExprId) -> Option<LocalId> {
        let mut id = place;
        loop {
            id = match self.body.inferred.resolutions.get(&id)? {
                Resolution::Local(local) => return Some(*local),
                Resolution::Field { base: Base::Expr(base), .. }
                | Resolution::Swizzle { base, .. }
                | Resolution::Element { base, .. } => *base,
                _ => return None,
            };
        }
    }

    /// Whether only a run can tell the value of an expression.
    fn expression(&self, id: ExprId, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let store = &self.body.body.store;
        match self.body.inferred.resolutions.get(&id) {
            Some(Resolution::Local(local)) => {
                let data = &store.locals[*local];
                let is_param =
                    matches!(data.kind, LocalKind::Param { .. }) && !data.modifiers.contains(Modifiers::CONSTEXPR);
                is_param || self.locals.contains(local)
            }
            Some(Resolution::Global { item, .. }) => varies(self.body.db, *item),
            Some(Resolution::This | Resolution::Field { base: Base::ImplicitThis, .. }) => true,
            Some(
                Resolution::Constant(_)
                | Resolution::Type(_)
                | Resolution::EnumCase(_)
                | Resolution::Namespace(_)
                | Resolution::Function(_),
            ) => false,
            _ => {
                let mut operands = Vec::new();
                match &store.exprs[id] {
                    Expr::SizeOf { .. } | Expr::Lambda { .. } => {}
                    expr => expr.for_each_operand(|operand| operands.push(operand)),
                }
                stack::deep(|| operands.into_iter().any(|operand| self.expression(operand, depth + 1)))
            }
        }
    }
}
