//! What the largest tables of this layer hold on the heap, for the report of memory by table: lists by their capacity, and
//! what is inside of their elements where that is much.

use std::mem::size_of;

use syntax::{GreenNode, GreenNodeData, NodeOrToken};

use crate::{
    body::{Expr, ExprStore, queries::LoweredBody},
    item::queries::SegmentDeclarations,
    lower::StoreSources,
    parse::PartParse,
    type_ref::{Path, PathSegment},
};

pub(crate) fn tree(parse: &PartParse) -> usize {
    node(&parse.green)
}

pub(crate) fn optional_tree(parse: &Option<PartParse>) -> usize {
    parse.as_ref().map_or(0, tree)
}

fn node(green: &GreenNode) -> usize {
    /// Of a node or a token of the tree, before its children or its text.
    const HEAD: usize = 24;
    let mut bytes = 0;
    let mut pending: Vec<&GreenNodeData> = vec![green];
    while let Some(node) = pending.pop() {
        bytes += HEAD;
        for child in node.children() {
            bytes += 2 * size_of::<usize>();
            match child {
                NodeOrToken::Node(node) => pending.push(node),
                NodeOrToken::Token(token) => bytes += HEAD + token.text().len(),
            }
        }
    }
    bytes
}

pub(crate) fn body(lowered: &LoweredBody) -> usize {
    store(&lowered.body.store) + sources(&lowered.sources)
}

pub(crate) fn declarations(declared: &SegmentDeclarations) -> usize {
    let of_item = |declaration: &crate::item::queries::Declaration| {
        size_of_val(&*declaration.item) + store(&declaration.item.store) + sources(&declaration.ranges.store)
    };
    size_of_val(&*declared.declarations) + declared.declarations.iter().map(of_item).sum::<usize>()
}

fn store(store: &ExprStore) -> usize {
    let ExprStore { exprs, stmts, locals, type_refs, attributes, parenthesized_assignments, parenthesized_names } =
        store;
    let inside = |expr: &Expr| match expr {
        // Equal names share theirs: at most this much.
        Expr::Path(_) => size_of::<Path>() + size_of::<PathSegment>(),
        Expr::Call { args, .. } => size_of_val(&**args),
        Expr::InitList(elements) => size_of_val(&**elements),
        _ => 0,
    };
    let lists = size_of::<Expr>() * exprs.len()
        + size_of::<crate::body::Stmt>() * stmts.len()
        + size_of::<crate::body::Local>() * locals.len()
        + size_of::<crate::type_ref::TypeRef>() * type_refs.len()
        + size_of::<crate::attribute::Attribute>() * attributes.len();
    let ids = parenthesized_assignments.len() + parenthesized_names.len();
    lists + ids * size_of::<crate::body::ExprId>() + exprs.values().map(inside).sum::<usize>()
}

fn sources(sources: &StoreSources) -> usize {
    let StoreSources { exprs, expr_names, stmts, locals, type_refs, attributes } = sources;
    [exprs, expr_names, stmts, locals, type_refs, attributes].map(|ranges| size_of_val(&**ranges)).iter().sum()
}
