//! 41806: the backward derivative of a user-written `use()` reads the value. It merges derivatives where they are summed up,
//! and there the value itself is no longer at hand.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::{self, Body, Expr, ExprId},
    item::ItemId,
    name::Name,
    source_map,
};
use hir_ty::{
    differential::{reuse::is_use, rules::derivative_rules},
    signature,
};

use crate::{
    Finding,
    finding::{name_location, name_of},
};

/// Checks a method `use()` by its backward derivative.
pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    if !is_use(db, item) {
        return;
    }
    let Some(rule) = derivative_rules(db, item).backward_derivative else { return };
    let signature = signature::signature(db, rule);
    let param = signature.params.first().filter(|_| signature.this.is_none()).map(|param| &param.name);
    let pair = Pair { body: body::queries::body(db, rule), param };
    let map = source_map::body_source_map(db, rule);
    for read in pair.reads() {
        let message = format!(
            "`{}` merges derivatives where the value is no longer at hand: it may use the derivative of its pair alone",
            name_of(db, rule)
        );
        findings.push(
            Finding::new(codes::MERGING_READS_VALUE, map.expr(read), message)
                .related(name_location(db, item), "it is the backward derivative of this `use`"),
        );
    }
}

/// The pair of the value and the derivative so far, in the body of the rule: `this`, or the first parameter.
struct Pair<'a> {
    body: &'a Body,
    param: Option<&'a Name>,
}

impl Pair<'_> {
    /// Where the value is read for more than to go back to where it was.
    fn reads(&self) -> Vec<ExprId> {
        let named = self.body.store.exprs.iter().map(|(id, _)| id).filter(|id| self.is_pair(*id));
        named.filter_map(|id| self.read_at(id)).collect()
    }

    fn is_pair(&self, expr: ExprId) -> bool {
        match &self.body.store.exprs[expr] {
            Expr::This => true,
            Expr::Path(path) => matches!(path.segments.as_slice(), [only] if Some(&only.name) == self.param),
            _ => false,
        }
    }

    /// Where the pair, named at `pair`, is read for its value.
    fn read_at(&self, pair: ExprId) -> Option<ExprId> {
        if self.is_put_back(pair) {
            return None;
        }
        let Some(member) = self.parent(pair) else { return Some(pair) };
        match &self.body.store.exprs[member] {
            Expr::Assign { op: None, target, .. } if *target == pair => None,
            Expr::Member { name, .. } if matches!(name.as_str(), "d" | "getDifferential") => None,
            Expr::Member { .. } => {
                let called = self.parent(member).filter(|call| self.is_callee_of(member, *call));
                (!self.is_put_back(called.unwrap_or(member))).then_some(member)
            }
            _ => Some(pair),
        }
    }

    /// Whether an expression is the value of a new pair: the first argument of `diffPair`, `DifferentialPair<T>` and the
    /// like.
    fn is_put_back(&self, expr: ExprId) -> bool {
        self.body.store.exprs.iter().any(|(_, call)| {
            let Expr::Call { callee, args } = call else { return false };
            let makes_pair = match &self.body.store.exprs[*callee] {
                Expr::Path(path) => path.segments.last().is_some_and(|last| {
                    matches!(last.name.as_str(), "diffPair" | "DifferentialPair" | "updateDiff" | "updatePair")
                }),
                _ => false,
            };
            makes_pair && args.first().is_some_and(|first| first.value == expr)
        })
    }

    fn is_callee_of(&self, expr: ExprId, call: ExprId) -> bool {
        matches!(&self.body.store.exprs[call], Expr::Call { callee, .. } if *callee == expr)
    }

    /// The member access, call or assignment that an expression is the base, the callee or the target of.
    fn parent(&self, expr: ExprId) -> Option<ExprId> {
        self.body.store.exprs.iter().map(|(id, _)| id).find(|id| match &self.body.store.exprs[*id] {
            Expr::Member { base: inner, .. }
            | Expr::Call { callee: inner, .. }
            | Expr::Assign { target: inner, .. } => *inner == expr,
            _ => false,
        })
    }
}
