//! A tree that is as deep as the limits allow: whoever keeps one need not know how it is taken apart.

use std::ops::Deref;

use diagnostics::stack;
use rowan::GreenNode;

use crate::SyntaxNode;

/// The tree of a text, without parents and positions. What is left of it when its last owner goes, and whether two are the
/// same, is found by recursion that cannot ask for stack on its way.
#[derive(Debug, Clone)]
pub struct Tree(GreenNode);

impl Tree {
    /// What the parser made.
    pub(crate) fn new(green: GreenNode) -> Tree {
        Tree(green)
    }

    /// The root, with parents and positions. Keep the tree for longer than the root.
    pub fn root(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.0.clone())
    }
}

impl Deref for Tree {
    type Target = GreenNode;

    fn deref(&self) -> &GreenNode {
        &self.0
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        stack::roomy(self.0.text_len().into(), || self.0 == other.0)
    }
}

impl Eq for Tree {}

impl Drop for Tree {
    fn drop(&mut self) {
        let length = self.0.text_len().into();
        if !stack::has_room(length) {
            let nothing = GreenNode::new(self.0.kind(), []);
            let tree = std::mem::replace(&mut self.0, nothing);
            stack::roomy(length, || drop(tree));
        }
    }
}
