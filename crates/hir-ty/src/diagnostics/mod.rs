//! Findings of the type checker as plain data: ids instead of positions, texts ready to show.
//!
//! One file per family; each function there builds one diagnostic and documents when it is given. Codes are Slang's.

use hir_def::{
    attribute::AttributeId,
    body::{ExprId, LocalId, StmtId},
    item::ItemId,
    type_ref::TypeRefId,
};

pub mod aggregates;
pub mod calls;
pub mod conformances;
pub mod constants;
pub mod controls;
pub mod conversions;
mod location;
pub mod locations;
pub mod members;
pub mod names;
pub mod suggest;

pub use ::diagnostics::{Code, Severity, codes};
pub use location::location;

/// A finding about a part of an item.
pub type Diagnostic = ::diagnostics::Diagnostic<Site>;

/// Something in the program that a diagnostic points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// The declaration.
    pub item: ItemId,
    /// Which part of it.
    pub node: Node,
}

/// A part of an item. Ids are those of the item's own store, or of its body's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// The name in the declaration.
    Name,
    /// Parameter number `0`.
    Param(u32),
    /// Generic parameter number `0`.
    GenericParam(u32),
    /// An attribute of the declaration or of one of its parameters.
    Attribute(AttributeId),
    /// An expression or type of the signature.
    SignatureExpr(ExprId),
    /// A type of the signature.
    SignatureTypeRef(TypeRefId),
    /// Parts of the body.
    Expr(ExprId),
    /// The member name in a member expression, the operator in an operation, the parentheses of a call: where such an
    /// expression is wrong by itself.
    ExprName(ExprId),
    /// A type of the body.
    TypeRef(TypeRefId),
    /// A variable or parameter of the body, at its name.
    Local(LocalId),
    /// A statement of the body.
    Stmt(StmtId),
    /// The brace that closes a block.
    StmtEnd(StmtId),
    /// An attribute of a statement or local.
    BodyAttribute(AttributeId),
}

impl Site {
    /// The name in the declaration of an item.
    pub fn name(item: ItemId) -> Site {
        Site { item, node: Node::Name }
    }
}
