//! Places in the source for ops: absolute (file and offsets) for programs, relative to the item for the editor's
//! analysis, so that its result does not change when something else in the file does.

use base_db::{Db, SourceFile, text::Part as SegmentPart};
use hir_def::{
    body::{ExprId, LocalId, StmtId},
    item::ItemId,
    position::{self, Location},
    source_map,
};
use hir_ty::{closure::ClosureCode, ty::ClosureTy};
use ir::{Module, SourceSpan, SpanId};
use rustc_hash::FxHashMap;

use crate::{
    mode::Mode,
    scope::{Scope, ScopeKind},
};

/// A part of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyPart {
    Expr(ExprId),
    Stmt(StmtId),
    Local(LocalId),
}

pub(crate) struct Spans {
    mode: Mode,
    /// The files of the spans: a span's file number is an index into it.
    pub files: Vec<SourceFile>,
    numbers: FxHashMap<SourceFile, u32>,
}

impl Spans {
    pub(crate) fn new(mode: Mode) -> Spans {
        Spans { mode, files: Vec::new(), numbers: FxHashMap::default() }
    }

    /// The span of an expression, a statement or the name of a local of `scope`.
    pub(crate) fn part(&mut self, db: &dyn Db, module: &mut Module, scope: &Scope<'_>, part: BodyPart) -> SpanId {
        let location = match (scope.kind, part) {
            (ScopeKind::Body, BodyPart::Expr(expr)) => source_map::body_source_map(db, scope.item).expr(expr),
            (ScopeKind::Body, BodyPart::Stmt(stmt)) => source_map::body_source_map(db, scope.item).stmt(stmt),
            (ScopeKind::Signature, BodyPart::Expr(expr)) => match source_map::item_source(db, scope.item) {
                Some(source) => source.expr(expr),
                None => return SpanId::NONE,
            },
            (ScopeKind::Body, BodyPart::Local(local)) => source_map::body_source_map(db, scope.item).local(local),
            (ScopeKind::Signature, BodyPart::Stmt(_) | BodyPart::Local(_)) => return SpanId::NONE,
        };
        self.location(db, module, location)
    }

    /// The span of a lambda.
    pub(crate) fn lambda(&mut self, db: &dyn Db, module: &mut Module, closure: ClosureTy) -> SpanId {
        match closure.code(db) {
            ClosureCode::Lambda { within, expr } => {
                let location = source_map::body_source_map(db, within.item).expr(expr);
                self.location(db, module, location)
            }
            ClosureCode::Function(function) => self.item(db, module, function.item),
        }
    }

    /// The span of an item's name.
    pub(crate) fn item(&mut self, db: &dyn Db, module: &mut Module, item: ItemId) -> SpanId {
        match source_map::item_source(db, item) {
            Some(source) => self.location(db, module, source.name.unwrap_or(source.range)),
            None => SpanId::NONE,
        }
    }

    fn location(&mut self, db: &dyn Db, module: &mut Module, location: Location) -> SpanId {
        let span = match self.mode {
            Mode::Analysis => {
                let file = match location.part {
                    SegmentPart::Header => 0,
                    SegmentPart::Body => 1,
                };
                SourceSpan { file, start: location.range.start().into(), end: location.range.end().into() }
            }
            Mode::Program => {
                let (file, range) = position::absolute(db, location);
                let file = self.number(file);
                SourceSpan { file, start: range.start().into(), end: range.end().into() }
            }
        };
        module.span(span)
    }

    fn number(&mut self, file: SourceFile) -> u32 {
        *self.numbers.entry(file).or_insert_with(|| {
            self.files.push(file);
            self.files.len() as u32 - 1
        })
    }
}
