//! `using`: what it names.

use diagnostics::codes;
use hir_def::{
    diagnostics::lacks_files,
    item::{self, ItemKind},
    scope,
};
use hir_ty::{builtin_names, diagnostics::Node};

use super::Declaration;

/// E30015, E30061: a `using` names a namespace.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let ItemKind::Using { path } = &declaration.data.kind else { return };
    let Some(first) = path.segments.first() else { return };
    if scope::resolve_using(db, item).is_some() || lacks_files(db, item::file_of(db, item)) {
        return;
    }
    let written: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
    let written = written.join(".");
    let is_known =
        !scope::lookup(db, item, &first.name).is_empty() || builtin_names::builtin_name(first.name.as_str()).is_some();
    if is_known {
        let message = format!("expected a namespace, '{written}' is none");
        declaration.report(codes::EXPECTED_NAMESPACE, Node::Name, message);
    } else {
        declaration.report(codes::UNDEFINED_NAME, Node::Name, format!("undefined identifier '{written}'"));
    }
}
