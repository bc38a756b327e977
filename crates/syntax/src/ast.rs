//! The typed tree: zero-cost views of [`SyntaxNode`]s.
//!
//! `generated` holds a struct per node and an accessor per field of `slang.ungram`. Accessors that a grammar
//! cannot express (which operator, which type where two spellings exist) are in the other files here.

mod generated;

use std::marker::PhantomData;

use crate::{SyntaxKind, SyntaxNode, SyntaxNodeChildren, SyntaxToken};

pub use generated::*;

/// A view of a node of known kind.
pub trait AstNode: Sized {
    /// Whether nodes of this kind are of this type.
    fn can_cast(kind: SyntaxKind) -> bool;
    /// The node as this type, if it is one.
    fn cast(syntax: SyntaxNode) -> Option<Self>;
    /// The untyped node.
    fn syntax(&self) -> &SyntaxNode;
}

/// The children of a node that have one type.
#[derive(Debug, Clone)]
pub struct AstChildren<N> {
    inner: SyntaxNodeChildren,
    node: PhantomData<N>,
}

impl<N: AstNode> Iterator for AstChildren<N> {
    type Item = N;

    fn next(&mut self) -> Option<N> {
        self.inner.find_map(N::cast)
    }
}

mod support {
    use super::*;

    pub(super) fn child<N: AstNode>(parent: &SyntaxNode) -> Option<N> {
        parent.children().find_map(N::cast)
    }

    pub(super) fn children<N: AstNode>(parent: &SyntaxNode) -> AstChildren<N> {
        AstChildren { inner: parent.children(), node: PhantomData }
    }

    pub(super) fn token(parent: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
        parent.children_with_tokens().filter_map(|element| element.into_token()).find(|token| token.kind() == kind)
    }
}
