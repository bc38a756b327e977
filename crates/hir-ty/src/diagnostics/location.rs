//! From ids to places in the text.

use base_db::Db;
use hir_def::{
    position::Location,
    source_map::{body_source_map, item_source},
};
use syntax::{TextRange, TextSize};

use super::{Node, Site};

/// Where a place is written; `None` if its item is gone.
pub fn location(db: &dyn Db, place: Site) -> Option<Location> {
    let source = || item_source(db, place.item).as_ref();
    let body = || body_source_map(db, place.item);
    Some(match place.node {
        Node::Name => source()?.name.unwrap_or(source()?.range),
        Node::Param(index) => source()?.params.get(index as usize).copied().flatten().unwrap_or(source()?.range),
        Node::GenericParam(index) => source()?.generic_params.get(index as usize).copied().unwrap_or(source()?.range),
        Node::Attribute(attribute) => source()?.attribute(attribute),
        Node::SignatureExpr(expr) => source()?.expr(expr),
        Node::SignatureTypeRef(ty) => source()?.type_ref(ty),
        Node::Expr(expr) => body().expr(expr),
        Node::ExprName(expr) => body().expr_name(expr),
        Node::TypeRef(ty) => body().type_ref(ty),
        Node::Local(local) => body().local(local),
        Node::Stmt(stmt) => body().stmt(stmt),
        Node::BodyAttribute(attribute) => body().attribute(attribute),
        Node::StmtEnd(stmt) => {
            let whole = body().stmt(stmt);
            let start = whole.range.end().checked_sub(TextSize::of('}')).unwrap_or(whole.range.start());
            Location { range: TextRange::new(start.max(whole.range.start()), whole.range.end()), ..whole }
        }
    })
}
