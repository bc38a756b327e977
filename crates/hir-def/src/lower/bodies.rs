//! Bodies: a block of statements or an initialiser, with the parameters it sees.

use syntax::{
    SyntaxKind, SyntaxNode, TextRange,
    ast::{self, AstNode},
};

use crate::{
    attribute::Modifiers,
    body::{Body, BodyRoot, Local, LocalKind},
    item::{AccessorKind, Item, ItemKind, Param},
    lower::{Lowering, StoreSources},
    name::Name,
};

/// Lowers the syntax that belongs to `item`: `node` is the block, or the declarator or enum case with the initialiser. An
/// accessor of the subscript `subscript` sees that one's parameters before its own.
pub(crate) fn body(item: &Item, subscript: &[Param], node: Option<&SyntaxNode>) -> (Body, StoreSources) {
    let mut lowering = Lowering::of_body();
    let params = params(item, subscript, &mut lowering);
    let root = node.map(|node| root(&mut lowering, node)).unwrap_or_default();
    lowering.store.shrink_to_fit();
    lowering.sources.shrink_to_fit();
    (Body { store: lowering.store, params, root, declared: lowering.declared }, lowering.sources)
}

fn params(item: &Item, subscript: &[Param], lowering: &mut Lowering) -> Vec<crate::body::LocalId> {
    let written: &[Param] = match &item.kind {
        ItemKind::Function(function) => &function.params,
        ItemKind::Constructor { params, .. } | ItemKind::Accessor { params, .. } => params,
        _ => &[],
    };
    let implicit_value =
        matches!(&item.kind, ItemKind::Accessor { kind: AccessorKind::Set, params, .. } if params.is_empty());
    let names = subscript.iter().chain(written).map(|param| (param.name.clone(), param.modifiers));
    let names = names.chain(implicit_value.then(|| (Some(Name::new("newValue")), Modifiers::empty())));
    let names: Vec<_> = names.collect();
    let locals = names.into_iter().enumerate().map(|(index, (name, modifiers))| {
        let local = Local {
            name: name.unwrap_or_else(|| Name::new("")),
            kind: LocalKind::Param { index: index as u32 },
            ty: None,
            modifiers,
            attributes: Vec::new(),
        };
        // Parameters are written in the header; the item's ranges have their places.
        lowering.alloc_local(local, TextRange::default())
    });
    locals.collect()
}

fn root(lowering: &mut Lowering, node: &SyntaxNode) -> BodyRoot {
    if let Some(block) = ast::BlockStmt::cast(node.clone()) {
        return BodyRoot::Block(lowering.stmt(ast::Stmt::BlockStmt(block)));
    }
    let initializer = match node.kind() {
        SyntaxKind::DECLARATOR => ast::Declarator::cast(node.clone()).and_then(|declarator| declarator.initializer()),
        SyntaxKind::ENUM_CASE => ast::EnumCase::cast(node.clone()).and_then(|case| case.value()),
        _ => {
            let block = node.children().find_map(ast::BlockStmt::cast);
            return block.map_or(BodyRoot::None, |block| BodyRoot::Block(lowering.stmt(ast::Stmt::BlockStmt(block))));
        }
    };
    initializer.map_or(BodyRoot::None, |value| BodyRoot::Expr(lowering.expr(value)))
}
