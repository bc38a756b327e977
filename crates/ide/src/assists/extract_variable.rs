//! Gives the selected expression a name, in a variable in front of its statement.

use hir_def::{
    body::{BinaryOp, Expr, ExprId, Stmt, StmtId},
    position,
};
use hir_ty::{
    display,
    infer::result::{Conversion, Resolution},
    ty::{BuiltinClass, Ty},
};
use syntax::TextRange;

use super::{Assist, AssistKind, Code, Selection};
use crate::{
    effects::{self, Effects},
    semantics,
};

pub(super) fn extract_variable(place: &Selection<'_>) -> Vec<Assist> {
    extracted(place).into_iter().collect()
}

fn extracted(place: &Selection<'_>) -> Option<Assist> {
    if place.range.is_empty() {
        return None;
    }
    let code = place.code_with_macros(semantics::function_at(place.db, place.position())?);
    let selected = code.expression_at(place)?;
    let ty = code.value_type(place, selected)?;
    let stmt = code.statement_of(selected)?;
    if !code.can_be_first(selected) {
        return None;
    }
    let (file, before) = position::absolute(place.db, code.map.stmt(stmt));
    if file != place.file || is_behind_attribute(place, before) {
        return None;
    }
    if !code.is_spelled(TextRange::new(before.start().min(place.range.start()), place.range.end())) {
        return None;
    }
    let name = code.free_name("value");
    let text = place.text(place.range)?;
    let separator = place.indentation(before.start()).map_or(" ".to_owned(), |indentation| format!("\n{indentation}"));
    let declaration = format!("{ty} {name} = {text};{separator}");
    // A value that nobody takes gets its name where it is.
    let edits = match code.body.store.stmts[stmt] {
        Stmt::Expr(whole) if whole == selected => {
            vec![place.edit(TextRange::empty(before.start()), format!("{ty} {name} = "))]
        }
        _ => vec![place.edit(TextRange::empty(before.start()), declaration), place.edit(place.range, name.clone())],
    };
    Some(Assist { title: "Extract into a variable".to_owned(), kind: AssistKind::Extract, edits })
}

/// `[branch] if …`: nothing can stand in between.
fn is_behind_attribute(place: &Selection<'_>, stmt: TextRange) -> bool {
    let Some(text) = place.text(TextRange::up_to(stmt.start())) else { return true };
    text.trim_end().ends_with([']', ':', ')'])
}

impl Code<'_> {
    /// The outermost expression that is just what is selected.
    pub(super) fn expression_at(&self, place: &Selection<'_>) -> Option<ExprId> {
        let is_here = |id: ExprId| position::absolute(place.db, self.map.expr(id)) == (place.file, place.range);
        self.body.store.exprs.iter().map(|(id, _)| id).rfind(|id| is_here(*id))
    }

    /// The type of a variable for the value of an expression, as it is written; `let` where the value keeps its type.
    fn value_type(&self, place: &Selection<'_>, id: ExprId) -> Option<String> {
        let is_value = matches!(
            self.body.store.exprs[id],
            Expr::Literal(_)
                | Expr::Path(_)
                | Expr::Member { .. }
                | Expr::Index { .. }
                | Expr::Call { .. }
                | Expr::Prefix { .. }
                | Expr::Binary { .. }
                | Expr::Ternary { .. }
                | Expr::Cast { .. }
        );
        let resolution = self.inferred.resolutions.get(&id);
        if !is_value
            || matches!(resolution, Some(Resolution::Type(_) | Resolution::Function(_) | Resolution::Namespace(_)))
        {
            return None;
        }
        let is_plain = |ty: Ty| match ty {
            Ty::Scalar(_) | Ty::Adt(..) => true,
            Ty::Builtin(kind, _) => matches!(kind.class(), BuiltinClass::Numeric | BuiltinClass::Composite),
            _ => false,
        };
        let own = self.inferred.expr_types.get(id).copied().filter(|ty| is_plain(*ty))?;
        let steps = self.inferred.adjustments.get(&id).map(Vec::as_slice).unwrap_or_default();
        let is_number = |conversion: Conversion| {
            matches!(conversion, Conversion::Identity | Conversion::Numeric | Conversion::Splat)
        };
        match steps.last() {
            None => Some("let".to_owned()),
            // A literal takes the type that is wanted, a value is converted as it was.
            Some(last) if steps.iter().all(|step| is_number(step.conversion)) && is_plain(last.to) => {
                Some(display::display_at(place.db, last.to, self.function))
            }
            Some(_) => Some("let".to_owned()).filter(|_| own == steps.last().map_or(own, |last| last.to)),
        }
    }

    /// The statement of a block that an expression is computed by, once and in any case.
    pub(super) fn statement_of(&self, selected: ExprId) -> Option<StmtId> {
        let store = &self.body.store;
        let is_put_into = effects::written(self.db, self.function)
            .into_iter()
            .any(|place| effects::parts_around(self.body, place).any(|place| place == selected));
        if is_put_into {
            return None;
        }
        let mut child = selected;
        while let Some((parent, expr)) = store.exprs.iter().find(|(_, expr)| has_operand(expr, child)) {
            let is_always_computed = match expr {
                Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, .. } => *left == child,
                Expr::Ternary { cond, .. } => *cond == child,
                Expr::Call { callee, .. } => *callee != child,
                Expr::Lambda { .. } | Expr::Derivative { .. } | Expr::Expand(_) | Expr::Each(_) | Expr::NoDiff(_) => {
                    false
                }
                _ => true,
            };
            is_always_computed.then_some(())?;
            child = parent;
        }
        let (stmt, kind) = store.stmts.iter().find(|(_, stmt)| computes(stmt, child))?;
        let is_once = match kind {
            Stmt::Expr(_) | Stmt::Return(_) | Stmt::Let { .. } => true,
            Stmt::If { cond, .. } => cond.expr() == child,
            Stmt::Switch { selector, .. } => *selector == child,
            _ => false,
        };
        let in_block =
            store.stmts.iter().any(|(_, around)| matches!(around, Stmt::Block(stmts) if stmts.contains(&stmt)));
        (is_once && in_block).then_some(stmt)
    }

    /// Whether an expression may be computed in front of all else that its statement does.
    fn can_be_first(&self, selected: ExprId) -> bool {
        let store = &self.body.store;
        let mut before = Vec::new();
        let mut child = selected;
        while let Some((parent, expr)) = store.exprs.iter().find(|(_, expr)| has_operand(expr, child)) {
            let mut operands = Vec::new();
            expr.for_each_operand(|operand| operands.push(operand));
            before.extend(operands.into_iter().take_while(|operand| *operand != child));
            child = parent;
        }
        let effects = |exprs: &[ExprId]| Effects::of(self.db, self.function, exprs);
        effects(&[selected]).commutes_with(&effects(&before))
    }

    /// A name that means nothing in the body.
    pub(super) fn free_name(&self, wanted: &str) -> String {
        let is_taken = |name: &str| {
            self.body.store.locals.iter().any(|(_, local)| local.name.as_str() == name)
                || !hir_def::scope::lookup(self.db, self.function, &hir_def::name::Name::new(name)).is_empty()
        };
        let numbered = (2..).map(|number| format!("{wanted}{number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
    }
}

fn has_operand(expr: &Expr, child: ExprId) -> bool {
    let mut found = false;
    expr.for_each_operand(|operand| found |= operand == child);
    found
}

fn computes(stmt: &Stmt, child: ExprId) -> bool {
    let mut found = false;
    stmt.for_each_child(|inside| found |= inside == hir_def::body::Child::Expr(child));
    found
}
