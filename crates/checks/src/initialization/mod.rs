//! Variables that are read before they are written: definite assignment.
//!
//! - E41016 (warning): nothing that is written to a variable can have reached the place where it is read.
//! - E41035 (warning): what is written reaches it on some paths only.
//! - E41015 (warning): like the first, of an `out` parameter.
//! - E41017 (warning): like the first, of a global ([`globals`]).
//! - E41018 (warning): an `out` parameter has no value where the function returns.
//! - E41020 (warning): a field has no value where the constructor returns.
//!
//! The numbers are slangc's, and so is what counts as writing: a component, an element or a part of a part writes the whole
//! of it, `inout` arguments and receivers of `[mutating]` methods are written and not read, and what a loop writes is written
//! after it. Two things differ. Fields of a struct are told apart, so that reading one that is never written is found where
//! others are. And an element under a computed index, in a loop that writes elements, is taken to be one of those.
//!
//! One forward walk over the body in the order of evaluation, with a state per [`cells::Cell`]; branches join, what leaves is
//! unreachable. Loops are walked once: a first walk finds what each of them writes, which is what may come around.

mod cells;
mod directions;
mod expressions;
mod flags;
mod globals;
mod state;
mod statements;

use std::ops::Range;

use ::diagnostics::{Code, codes};
use hir_def::{
    body::{BodyRoot, Expr, ExprId, Stmt, StmtId},
    item::{self, ItemKind},
    name::Name,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    infer::result::InferenceResult,
    signature,
    ty::Ty,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::{
    cells::{Cell, Cells, Owner, VariableId},
    flags::Flags,
    state::{State, Written},
};
use super::CheckedBody;

/// The parser allows less nesting.
const MAX_DEPTH: u32 = ::diagnostics::limits::CHECKED_BODIES;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    globals::check(body);
    let cells = Cells::of(body);
    if cells.is_empty() || is_broken(body) {
        return;
    }
    let mut first = InitializationWalk::new(body, &cells, None, Flags::default());
    first.root();
    let loops = Loops { written: first.written, within: first.within };
    let mut second = InitializationWalk::new(body, &cells, Some(&loops), first.flags);
    second.root();
    if !second.gave_up {
        let found = second.found;
        body.found.extend(found);
    }
}

/// Broken code may write anything.
fn is_broken(body: &CheckedBody<'_>) -> bool {
    let store = &body.body.store;
    store.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Missing | Expr::Unsupported(_)))
        || store.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Missing | Stmt::Unsupported(_)))
        || body.inferred.expr_types.iter().any(|(_, ty)| ty.is_error())
}

/// What the first walk finds: the cells that are written, in the order of the text, and the part of them that stands in
/// each loop (or other statement whose end may come back to its start).
struct Loops {
    written: Vec<Cell>,
    within: FxHashMap<StmtId, Range<usize>>,
}

/// What `break` and `continue` lead out of.
struct Frame {
    kind: FrameKind,
    label: Option<Name>,
    breaks: State,
    continues: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Loop,
    Switch,
    /// A statement with a label: only `break label` leads out of it.
    Labeled,
}

struct InitializationWalk<'a> {
    body: &'a CheckedBody<'a>,
    inferred: &'a InferenceResult,
    cells: &'a Cells,
    /// `None` in the first walk, which reports nothing.
    loops: Option<&'a Loops>,
    state: State,
    flags: Flags,
    frames: Vec<Frame>,
    /// Lambdas around: their `return` is not the function's.
    lambdas: u32,
    /// Statements that run later than where they stand say nothing of what they read.
    silent: u32,
    depth: u32,
    gave_up: bool,
    written: Vec<Cell>,
    within: FxHashMap<StmtId, Range<usize>>,
    /// What is read twice (`x += …`) is reported once.
    reported: FxHashSet<(Code, Site)>,
    found: Vec<Diagnostic>,
}

impl<'a> InitializationWalk<'a> {
    fn new(
        body: &'a CheckedBody<'a>,
        cells: &'a Cells,
        loops: Option<&'a Loops>,
        flags: Flags,
    ) -> InitializationWalk<'a> {
        InitializationWalk {
            body,
            inferred: body.inferred,
            cells,
            loops,
            state: cells.at_entry(),
            flags,
            frames: Vec::new(),
            lambdas: 0,
            silent: 0,
            depth: 0,
            gave_up: false,
            written: Vec::new(),
            within: FxHashMap::default(),
            reported: FxHashSet::default(),
            found: Vec::new(),
        }
    }

    fn root(&mut self) {
        match self.body.body.root {
            BodyRoot::None => {}
            BodyRoot::Block(block) => {
                self.statement(block);
                self.returns(Node::StmtEnd(block));
            }
            BodyRoot::Expr(expr) => {
                self.read(expr);
                self.returns(Node::Expr(expr));
            }
        }
    }

    /// Notes that all of a variable, or one of its fields, has a value from here on.
    fn assign(&mut self, cells: Range<usize>, comes_around: bool) {
        for cell in cells.map(Cell) {
            self.state.set(cell, Written::Surely);
            if self.loops.is_none() && comes_around {
                self.written.push(cell);
            }
        }
    }

    /// The cells that are written inside of a statement.
    fn written_within(&self, stmt: StmtId) -> &'a [Cell] {
        let range = |loops: &'a Loops| Some(&loops.written[loops.within.get(&stmt)?.clone()]);
        self.loops.and_then(range).unwrap_or_default()
    }

    /// Runs `walk`, which walks `stmt`, and notes what is written there.
    fn noting(&mut self, stmt: StmtId, walk: impl FnOnce(&mut Self)) {
        let start = self.written.len();
        walk(self);
        if self.loops.is_none() {
            self.within.insert(stmt, start..self.written.len());
        }
    }

    /// A value is read: `field` of a variable, or as much as there is of the whole.
    fn check_read(&mut self, variable: VariableId, field: Option<Cell>, expr: ExprId, may_be_other_element: bool) {
        if self.loops.is_none() || self.silent > 0 || !self.state.is_reachable() {
            return;
        }
        let data = self.cells.variable(variable);
        let written = match field {
            Some(cell) => self.state.get(cell),
            None => self.state.best(data.cells.clone()),
        };
        let name = &data.name;
        let field = field.and_then(|cell| self.cells.field_name(self.body.db, variable, cell));
        let what = match (&data.owner, &field) {
            (Owner::This, Some(field)) => format!("field '{field}'"),
            // Methods of the object under construction may be there to write its fields.
            (Owner::This, None) => return,
            (Owner::Out(_), Some(field)) => format!("field '{field}' of the out parameter '{name}'"),
            (Owner::Out(_), None) => format!("out parameter '{name}'"),
            (Owner::Local(_), Some(field)) => format!("field '{field}' of the variable '{name}'"),
            (Owner::Local(_), None) => format!("variable '{name}'"),
        };
        let (code, message) = match written {
            Written::Surely => return,
            Written::Perhaps if may_be_other_element => return,
            Written::Perhaps => (
                codes::UNINITIALIZED_ON_SOME_PATHS,
                format!("the {what} may be uninitialized here: it is assigned on some paths only"),
            ),
            Written::Never if matches!(data.owner, Owner::Out(_)) => {
                (codes::UNINITIALIZED_OUT_READ, format!("use of uninitialized {what}"))
            }
            Written::Never => (codes::UNINITIALIZED_READ, format!("use of uninitialized {what}")),
        };
        let place = Site { item: self.body.item, node: Node::Expr(expr) };
        self.report(code, place, message, data.owner);
    }

    /// The function returns from here: `out` parameters and the fields of what a constructor makes must have values.
    fn returns(&mut self, node: Node) {
        if self.loops.is_none() || self.lambdas > 0 || !self.state.is_reachable() {
            return;
        }
        let place = Site { item: self.body.item, node };
        let on_paths = |written| if written == Written::Perhaps { " on some paths" } else { "" };
        for data in self.cells.variables() {
            match data.owner {
                Owner::Local(_) => {}
                Owner::Out(_) => {
                    let written = self.state.best(data.cells.clone());
                    // What such a function returns says whether it has written anything.
                    let said = written == Written::Perhaps && self.returns_flag();
                    if written != Written::Surely && !said {
                        let paths = on_paths(written);
                        let message = format!("returning without initializing out parameter '{}'{paths}", data.name);
                        self.report(codes::OUT_NOT_INITIALIZED, place, message, data.owner);
                    }
                }
                Owner::This => {
                    for (cell, field) in data.cells.clone().map(Cell).zip(&data.fields) {
                        let written = self.state.get(cell);
                        if written != Written::Surely {
                            let name = hir_ty::display::item_name(self.body.db, *field);
                            let paths = on_paths(written);
                            let message = format!("exiting constructor without initializing field '{name}'{paths}");
                            let declared = Some(Site::name(*field));
                            let diagnostic = Diagnostic::new(codes::FIELD_NOT_INITIALIZED, place, message);
                            self.found.push(diagnostic.note(format!("'{name}' is declared here"), declared));
                        }
                    }
                }
            }
        }
    }

    fn returns_flag(&self) -> bool {
        signature::signature(self.body.db, self.body.item).ret == Ty::BOOL
    }

    fn report(&mut self, code: Code, place: Site, message: String, owner: Owner) {
        // Several `out` parameters may be missing at one `return`.
        if code != codes::OUT_NOT_INITIALIZED && !self.reported.insert((code, place)) {
            return;
        }
        let mut diagnostic = Diagnostic::new(code, place, message);
        if let Owner::Local(local) | Owner::Out(local) = owner {
            let declared = Site { item: self.body.item, node: Node::Local(local) };
            let name = &self.body.body.store.locals[local].name;
            diagnostic = diagnostic.note(format!("'{name}' is declared here"), Some(declared));
        }
        self.found.push(diagnostic);
    }
}

/// The struct whose constructor an item is.
fn constructed(body: &CheckedBody<'_>) -> Option<item::ItemId> {
    if !matches!(item::item_data(body.db, body.item).kind, ItemKind::Constructor { .. }) {
        return None;
    }
    let container = item::container(body.db, body.item)?;
    matches!(item::item_data(body.db, container).kind, ItemKind::Struct { .. }).then_some(container)
}
