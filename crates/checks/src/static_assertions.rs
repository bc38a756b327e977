//! Static assertions that do not hold.
//!
//! As slangc has it, an assertion counts where its function is compiled: in entry points and in what they call. Nothing is
//! looked at in a module that asserts nothing.

use base_db::{Db, SourceFile, chunks};
use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    body::{Expr, Literal, Stmt, queries},
    item,
    modules::module_view,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    infer, known,
};
use rustc_hash::FxHashSet;

use super::{CheckedBody, used_item};

/// How many functions are looked at for one entry point.
const MOST_FUNCTIONS: usize = 4096;

/// E41400: what an entry point and the functions that it uses assert.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    let db = body.db;
    let data = item::item_data(db, body.item);
    let is_entry = data.has_attribute(AttributeKind::Shader) || data.has_attribute(AttributeKind::NumThreads);
    if !is_entry || !asserts(db, item::file_of(db, body.item)) {
        return;
    }
    let mut seen = FxHashSet::from_iter([body.item]);
    let mut pending = vec![body.item];
    while let Some(function) = pending.pop() {
        let inferred = infer::infer(db, function);
        for failed in &inferred.failed_assertions {
            let store = &queries::body(db, function).store;
            let Stmt::StaticAssert { condition, message } = &store.stmts[*failed] else { continue };
            let said = match message.map(|message| &store.exprs[message]) {
                Some(Expr::Literal(Literal::String(text))) => format!(": {text}"),
                _ => String::new(),
            };
            let message = format!("static assertion failed{said}");
            let place = Site { item: function, node: Node::Expr(*condition) };
            let mut diagnostic = Diagnostic::new(codes::STATIC_ASSERTION_FAILED, place, message);
            if function != body.item {
                let entry = data.name.as_ref().map_or("", |name| name.as_str());
                diagnostic = diagnostic.note(format!("for entry point '{entry}'"), Some(Site::name(body.item)));
            }
            body.found.push(diagnostic);
        }
        for (_, resolution) in inferred.resolutions.iter() {
            let Some(used) = used_item(resolution) else { continue };
            if seen.len() < MOST_FUNCTIONS
                && item::item_data(db, used).has_body()
                && !known::is_in_prelude(db, used)
                && seen.insert(used)
            {
                pending.push(used);
            }
        }
    }
}

/// Whether anything is asserted in the module that a file belongs to, or in those that it imports.
fn asserts(db: &dyn Db, file: SourceFile) -> bool {
    let view = module_view(db, file);
    let mut files = view.files.iter().chain(view.imported.iter());
    files.any(|&file| (0..chunks::chunks(db, file)).any(|chunk| chunk_asserts(db, file, chunk)))
}

/// A query of a chunk of the file's text, because an edit asks again: that of the whole file would ask each segment.
#[salsa::tracked(returns(copy))]
fn chunk_asserts(db: &dyn Db, file: SourceFile, chunk: u32) -> bool {
    let is_asserted = |text: &str| text.contains("static_assert");
    let mut segments = chunks::with_members(db, file, chunk).into_iter();
    segments.any(|segment| is_asserted(segment.body(db)) || is_asserted(segment.header(db)))
}
