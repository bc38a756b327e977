//! What the derivative data flow of a body tells: `autodiff::activity` finds it, the files here word it.

mod bound_differs;
mod cannot_unroll;
pub(crate) mod chain;
mod infinite_at_edge;
mod lost_as_number;
mod lost_at_call;
mod lost_at_place;
mod lost_at_store;
mod lost_in_generic;
mod lost_in_memory;
mod lost_in_parameter;
mod lost_in_type;
mod not_looked_at;
mod not_transposable;
mod one_address;
mod repeated_effects;
mod unbounded_loop;

use autodiff::activity::{self, FindingKind, Loss};
use base_db::{Db, text::Part};
use hir_def::{
    body::{self, BinaryOp, Body, Expr, ExprId, Stmt, StmtId},
    expansion,
    item::{self, ItemId},
    position::Location,
    source_map,
};
use hir_ty::{
    diagnostics::Severity,
    differential::attribute::{DerivativeAttribute, written_attributes},
    infer,
};
use ir::{Callee, Func, FuncId, MathFn, Module, Op, OpId, SpanId, ValueDef};
use lower::LoweredFunction;
use syntax::{TextRange, TextSize};

use crate::{
    Finding,
    finding::has_unsupported,
    summary::{self, Around},
};

/// The findings in the body of a function that is marked as differentiable.
pub(crate) fn findings(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    if !is_analysed(db, item) {
        return Vec::new();
    }
    let lowered = lower::lower_for_analysis(db, item);
    let funcs = lowered.func.iter().chain(&lowered.lambdas);
    let with_body = funcs.filter(|func| lowered.module.funcs[**func].body.is_some());
    let found = with_body.flat_map(|func| findings_in(db, item, lowered, *func));
    found.chain(not_looked_at::check(db, item, lowered)).collect()
}

/// The findings in the body itself, or in that of a lambda in it.
fn findings_in(db: &dyn Db, item: ItemId, lowered: &LoweredFunction, func: FuncId) -> Vec<Finding> {
    let activity = activity::analyze(&lowered.module, func, &Around::new(db, item, lowered));
    let flow = Flow { db, item, lowered, func };
    // What is read back from memory is a consequence of what was stored there without `detach`.
    let stores = || activity.findings.iter().filter(|found| found.kind == FindingKind::StoredWithoutDetach);
    let stored = stores().next().is_some();
    let is_consequence = |found: &activity::Finding| match found.kind {
        FindingKind::Lost(Loss::Memory) => stored,
        FindingKind::Lost(Loss::StoredByCall(..)) => stores().any(|store| store.op == found.op),
        _ => false,
    };
    let losses = activity.findings.iter().filter(|found| !is_consequence(found));
    let lost: Vec<Finding> =
        losses.filter_map(|found| flow.word(found)).chain(repeated_effects::check(&flow)).collect();
    let mut besides = lost_in_parameter::check(&flow, &activity);
    besides.extend(lost_at_place::check(&flow, &activity));
    // What the type of the place loses, or another argument of the call, is lost there already.
    besides.retain(|found| lost.iter().all(|known| known.at != found.at));
    let costly = one_address::check(&flow, &activity);
    let backward = not_transposable::check(&flow);
    let quiet = infinite_at_edge::check(&flow, &activity).into_iter().chain(costly);
    lost.into_iter().chain(backward).chain(besides).chain(quiet).collect()
}

/// Whether derivatives are made from the body of this function, and the body is free of other errors.
pub(crate) fn is_analysed(db: &dyn Db, item: ItemId) -> bool {
    if !item::item_data(db, item).has_body() {
        return false;
    }
    let attributes = written_attributes(db, item);
    let is = |wanted: DerivativeAttribute| attributes.iter().any(|written| written.attribute == wanted);
    let marked = is(DerivativeAttribute::Differentiable) || is(DerivativeAttribute::ForwardDifferentiable);
    marked
        && !has_unsupported(db, item)
        && !is(DerivativeAttribute::TreatAsDifferentiable)
        && infer::diagnostics(db, item).iter().all(|diagnostic| diagnostic.severity != Severity::Error)
}

/// One analysed function, with what is needed to speak about it.
pub(crate) struct Flow<'db> {
    pub db: &'db dyn Db,
    pub item: ItemId,
    pub lowered: &'db LoweredFunction,
    pub func: FuncId,
}

impl<'db> Flow<'db> {
    pub(crate) fn module(&self) -> &'db Module {
        &self.lowered.module
    }

    pub(crate) fn func(&self) -> &'db Func {
        &self.lowered.module.funcs[self.func]
    }

    fn body(&self) -> &'db Body {
        body::queries::body(self.db, self.item)
    }

    /// The place of an operation; `None` for code that has none of its own.
    pub(crate) fn location(&self, span: SpanId) -> Option<Location> {
        summary::location(self.db, self.item, self.lowered, span)
    }

    /// What the user wrote at a place, if it is short enough to be part of a message.
    pub(crate) fn text(&self, location: Location) -> Option<&'db str> {
        const LONGEST: usize = 40;
        let text = expansion::spelled_text(self.db, location.segment, location.part);
        let text = text.get(usize::from(location.range.start())..usize::from(location.range.end()))?;
        (!text.is_empty() && text.len() <= LONGEST && !text.contains('\n')).then_some(text)
    }

    /// The value whose derivative a finding is about, as the user wrote it at the place of the finding: an expression
    /// there, or the name of a variable.
    fn lost_text(&self, location: Location, found: &activity::Finding) -> String {
        let Some(lost) = found.lost else { return "this value".to_owned() };
        let func = self.func();
        if let Some(index) = func.input_values().iter().position(|input| *input == lost) {
            return format!("`{}`", func.inputs[index].name);
        }
        let written = match func.values[lost].def {
            ValueDef::Result { op, .. } => self.location(func.ops[op].span),
            ValueDef::Param { .. } => None,
        };
        let is_here = |place: &Location| place.part == location.part && location.range.contains_range(place.range);
        let here = written.filter(is_here).and_then(|place| self.text(place));
        let anywhere = || written.and_then(|place| self.text(place));
        match here.or(func.values[lost].name.as_deref()).or_else(anywhere) {
            Some(text) => format!("`{text}`"),
            None => "this value".to_owned(),
        }
    }

    /// The name of a function as the user wrote it.
    fn function_name(&self, func: FuncId) -> &'db str {
        &self.module().funcs[func].name
    }

    /// The declaration of a function.
    pub(crate) fn declaration(&self, func: FuncId) -> Option<ItemId> {
        self.lowered.callees.iter().find(|(callee, _)| *callee == func).map(|(_, item)| *item)
    }

    /// Whether the user wrote the function, or the lambda.
    fn is_written(&self, func: FuncId) -> bool {
        self.declaration(func).is_some() || self.lowered.lambdas.contains(&func)
    }

    fn op(&self, op: OpId) -> &'db Op {
        &self.func().ops[op].op
    }

    /// The value of the assignment that is written at `location`.
    fn assigned_at(&self, location: Location) -> Option<ExprId> {
        let map = source_map::body_source_map(self.db, self.item);
        self.body().store.exprs.iter().find_map(|(id, expr)| match expr {
            Expr::Assign { value, .. } if map.expr(id) == location => Some(*value),
            _ => None,
        })
    }

    /// The value that the conversion at a place takes: the one argument of a call, what is cast, or all that is there.
    fn converted_at(&self, location: Location) -> Location {
        let map = source_map::body_source_map(self.db, self.item);
        let found = self.body().store.exprs.iter().find_map(|(id, expr)| match expr {
            Expr::Call { args, .. } if args.len() == 1 && map.expr(id) == location => Some(args[0].value),
            Expr::Cast { operand, .. } if map.expr(id) == location => Some(*operand),
            _ => None,
        });
        found.map_or(location, |value| map.expr(value))
    }

    /// The operator, the place and the operand of the assignment with an operator (`place *= operand`) at `location`.
    fn combined_at(&self, location: Location) -> Option<(&'static str, Location, Location)> {
        let map = source_map::body_source_map(self.db, self.item);
        self.body().store.exprs.iter().find_map(|(id, expr)| match expr {
            Expr::Assign { op: Some(op), target, value } if map.expr(id) == location => {
                let operator = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::Div => "/",
                    BinaryOp::Rem => "%",
                    _ => return None,
                };
                Some((operator, map.expr(*target), map.expr(*value)))
            }
            _ => None,
        })
    }

    /// The innermost loop statement at or around `location`.
    fn loop_at(&self, location: Location) -> Option<StmtId> {
        let map = source_map::body_source_map(self.db, self.item);
        let is_loop = |stmt: &Stmt| matches!(stmt, Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. });
        let around = self.body().store.stmts.iter().filter(|(id, stmt)| {
            let place = map.stmt(*id);
            is_loop(stmt) && place.part == location.part && place.range.contains_range(location.range)
        });
        around.min_by_key(|(id, _)| map.stmt(*id).range.len()).map(|(id, _)| id)
    }

    fn expr_location(&self, expr: ExprId) -> Location {
        source_map::body_source_map(self.db, self.item).expr(expr)
    }

    fn stmt_location(&self, stmt: StmtId) -> Location {
        source_map::body_source_map(self.db, self.item).stmt(stmt)
    }

    /// The word that a loop begins with.
    fn keyword_location(&self, stmt: StmtId) -> Location {
        let whole = self.stmt_location(stmt);
        let keyword = match &self.body().store.stmts[stmt] {
            Stmt::For { .. } => "for",
            Stmt::While { .. } => "while",
            Stmt::DoWhile { .. } => "do",
            _ => return whole,
        };
        let text: &str = whole.segment.body(self.db);
        let inside = text.get(usize::from(whole.range.start())..usize::from(whole.range.end()));
        match inside.and_then(|inside| inside.find(keyword)).and_then(|at| u32::try_from(at).ok()) {
            Some(at) if whole.part == Part::Body => {
                let start = whole.range.start() + TextSize::new(at);
                Location { range: TextRange::at(start, TextSize::of(keyword)), ..whole }
            }
            _ => whole,
        }
    }

    /// Whether the value that is lost comes straight out of a parameter of a call.
    fn comes_out_of_call(&self, found: &activity::Finding) -> bool {
        let Some(ValueDef::Result { op, index }) = found.lost.map(|lost| self.func().values[lost].def) else {
            return false;
        };
        match self.op(op) {
            Op::Call { callee: Callee::Func(callee), .. } => {
                let slots = &self.module().funcs[*callee].results;
                slots.get(index as usize).is_some_and(|slot| !slot.is_return())
            }
            _ => false,
        }
    }

    /// The wording of a finding, with its chain of causes.
    fn word(&self, found: &activity::Finding) -> Option<Finding> {
        let location = self.location(found.span)?;
        let finding = match found.kind {
            FindingKind::Lost(loss) => match loss {
                Loss::Call(callee) => lost_at_call::function(self, location, found, callee),
                Loss::Intrinsic => lost_at_call::intrinsic(self, location, found),
                Loss::Rounding(MathFn::Sign) | Loss::ToInteger | Loss::Bitcast => {
                    lost_as_number::wording(self, location, found, loss)
                }
                Loss::Rounding(_) => lost_at_call::intrinsic(self, location, found),
                // Said by `declared::output_place`, for all places that cannot hold a derivative.
                Loss::NoDiffField | Loss::NonDifferentiableLocation if self.comes_out_of_call(found) => return None,
                Loss::NoDiffField | Loss::NonDifferentiableLocation
                    if !matches!(self.op(found.op), Op::Insert { .. }) =>
                {
                    lost_in_type::wording(self, location, found)
                }
                Loss::NoDiffField | Loss::NonDifferentiableLocation => lost_at_store::wording(self, location, found),
                Loss::ToInterface => lost_in_type::interface(self, location, found),
                Loss::Memory => lost_in_memory::wording(self, location, found),
                Loss::StoredByCall(callee, _) => lost_in_memory::stored_by_call(self, location, found, callee),
                // What the steps of reverse mode make is said by `declared::operand`.
                Loss::PlainResult(callee) if !self.is_written(callee) => return None,
                Loss::PlainResult(callee) => lost_in_type::result_of_call(self, location, found, callee),
                Loss::Unbounded(callee) => lost_in_generic::wording(self, location, found, callee),
            },
            FindingKind::StoredWithoutDetach if self.comes_out_of_call(found) => return None,
            FindingKind::StoredWithoutDetach => lost_at_store::wording(self, location, found),
            FindingKind::UnboundedLoop => unbounded_loop::wording(self, location),
            FindingKind::CannotUnroll => cannot_unroll::wording(self, location),
            FindingKind::BoundTooSmall { declared, iterations } => {
                bound_differs::too_small(self, location, declared, iterations)
            }
            FindingKind::BoundTooLarge { declared, iterations, exact } => {
                bound_differs::too_large(self, location, declared, iterations, exact)
            }
        };
        let between = match found.kind {
            FindingKind::Lost(Loss::StoredByCall(callee, way)) => lost_in_memory::way(self, found, callee, way),
            _ => Vec::new(),
        };
        Some(chain::with_causes(self, finding, found, between))
    }
}
