//! Lowering of syntax trees to items and bodies. Pure functions of trees: no database, no files.

pub(crate) mod attributes;
pub(crate) mod bodies;
pub(crate) mod docs;
pub(crate) mod expressions;
pub(crate) mod items;
mod layouts;
pub(crate) mod literals;
pub(crate) mod statements;
pub(crate) mod types;

use std::sync::Arc;

use ::diagnostics::stack;
use rustc_hash::FxHashMap;
use syntax::{SyntaxNode, TextRange, ast};

use crate::{
    body::{Expr, ExprId, ExprStore, Local, LocalId, Stmt, StmtId},
    name::Name,
    type_ref::{Path, PathSegment, TypeRef, TypeRefId},
};

/// How deep expressions, types and statements may nest: later stages recurse over them as well.
const MAX_DEPTH: u32 = ::diagnostics::limits::SOURCE;

/// Ranges of the nodes of an [`ExprStore`], by the number of the node, in the expanded text of their segment's part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoreSources {
    pub exprs: Vec<TextRange>,
    /// What names an expression: the member after the dot, the operator, the parentheses of a call, or all of it.
    pub expr_names: Vec<TextRange>,
    pub stmts: Vec<TextRange>,
    /// Of the names.
    pub locals: Vec<TextRange>,
    pub type_refs: Vec<TextRange>,
    pub attributes: Vec<TextRange>,
}

impl StoreSources {
    /// As [`ExprStore::shrink_to_fit`].
    pub(crate) fn shrink_to_fit(&mut self) {
        let StoreSources { exprs, expr_names, stmts, locals, type_refs, attributes } = self;
        for ranges in [exprs, expr_names, stmts, locals, type_refs, attributes] {
            ranges.shrink_to_fit();
        }
    }
}

/// Fills an [`ExprStore`].
#[derive(Default)]
pub(crate) struct Lowering {
    pub(crate) store: ExprStore,
    pub(crate) sources: StoreSources,
    /// How many types and functions the body has declared so far.
    pub(crate) declared: u32,
    /// Whether a body is lowered: a signature cannot declare types.
    in_body: bool,
    depth: u32,
    /// Paths of one name, which a body mentions again and again.
    names: FxHashMap<Name, Arc<Path>>,
}

impl Lowering {
    pub(crate) fn of_body() -> Lowering {
        Lowering { in_body: true, ..Lowering::default() }
    }

    /// The expression that a path is.
    pub(crate) fn path_expr(&mut self, path: Path) -> Expr {
        Expr::Path(match path.segments.as_slice() {
            [PathSegment { name, args: None }] if !path.global => {
                let name = name.clone();
                self.names.entry(name).or_insert_with(|| Arc::new(path)).clone()
            }
            _ => Arc::new(path),
        })
    }

    pub(crate) fn alloc_expr(&mut self, expr: Expr, range: TextRange) -> ExprId {
        self.alloc_named_expr(expr, range, range)
    }

    fn alloc_named_expr(&mut self, expr: Expr, range: TextRange, name: TextRange) -> ExprId {
        self.sources.exprs.push(range);
        self.sources.expr_names.push(name);
        self.store.exprs.alloc(expr)
    }

    fn alloc_stmt(&mut self, stmt: Stmt, range: TextRange) -> StmtId {
        self.sources.stmts.push(range);
        self.store.stmts.alloc(stmt)
    }

    pub(crate) fn alloc_type(&mut self, ty: TypeRef, range: TextRange) -> TypeRefId {
        self.sources.type_refs.push(range);
        self.store.type_refs.alloc(ty)
    }

    pub(crate) fn alloc_local(&mut self, local: Local, name: TextRange) -> LocalId {
        self.sources.locals.push(name);
        self.store.locals.alloc(local)
    }

    /// Runs `lower` one level deeper; `None` where the nesting is too deep.
    fn nested<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = stack::deep(|| lower(self));
        self.depth -= 1;
        Some(result)
    }
}

/// The range of a node without the blanks and comments around it.
pub(crate) fn trimmed_range(node: &SyntaxNode) -> TextRange {
    syntax::code_range(node).unwrap_or_else(|| TextRange::empty(node.text_range().start()))
}

/// The name that a declaration gives; operators are named by their token.
pub(crate) fn name(name: Option<ast::Name>) -> Option<Name> {
    spelled_name(ast::AstNode::syntax(&name?))
}

/// The text of a name; that of an operator is its symbol alone.
fn spelled_name(node: &syntax::SyntaxNode) -> Option<Name> {
    let text = node
        .children_with_tokens()
        .filter_map(|element| element.into_token())
        .filter(|token| !token.kind().is_trivia() && token.kind() != syntax::T![operator])
        .map(|token| token.text().to_owned())
        .collect::<String>();
    (!text.is_empty()).then(|| Name::new(&text))
}

pub(crate) fn name_ref(name: Option<ast::NameRef>) -> Option<Name> {
    spelled_name(ast::AstNode::syntax(&name?))
}
