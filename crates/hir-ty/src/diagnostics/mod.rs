//! Findings of the type checker as plain data: ids instead of positions, texts ready to show.
//!
//! One file per family; each function there builds one diagnostic and documents when it is given. Codes are Slang's.

use hir_def::{
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
pub mod unsupported;

pub use location::location;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Slang's number, e.g. 30019.
    pub code: u32,
    pub severity: Severity,
    pub place: Place,
    /// A short sentence that stands alone.
    pub message: String,
    /// Related places: candidates, declarations, causes.
    pub notes: Vec<Note>,
    pub fix: Option<Fix>,
    pub tag: Option<Tag>,
}

/// How an editor may draw the text of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Dimmed: the text may go.
    Unnecessary,
    /// Struck through.
    Deprecated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
    Hint,
}

/// Something in the program that a diagnostic points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub item: ItemId,
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
    /// Attribute number `0`.
    Attribute(u32),
    /// An expression or type of the signature.
    SignatureExpr(ExprId),
    SignatureTypeRef(TypeRefId),
    /// Parts of the body.
    Expr(ExprId),
    /// The member name in a member expression, the operator in an operation, the parentheses of a call: where such an
    /// expression is wrong by itself.
    ExprName(ExprId),
    TypeRef(TypeRefId),
    Local(LocalId),
    Stmt(StmtId),
    /// The brace that closes a block.
    StmtEnd(StmtId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub message: String,
    pub place: Option<Place>,
}

/// A replacement of the text of the diagnostic's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub label: String,
    pub replacement: String,
}

impl Diagnostic {
    pub fn error(code: u32, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            place,
            message: message.into(),
            notes: Vec::new(),
            fix: None,
            tag: None,
        }
    }

    pub fn warning(code: u32, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, place, message) }
    }

    pub fn hint(code: u32, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Hint, ..Diagnostic::error(code, place, message) }
    }

    pub fn tagged(mut self, tag: Tag) -> Diagnostic {
        self.tag = Some(tag);
        self
    }

    pub fn note(mut self, message: impl Into<String>, place: Option<Place>) -> Diagnostic {
        self.notes.push(Note { message: message.into(), place });
        self
    }

    pub fn fix(mut self, label: impl Into<String>, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix { label: label.into(), replacement: replacement.into() });
        self
    }
}

impl Place {
    pub fn name(item: ItemId) -> Place {
        Place { item, node: Node::Name }
    }
}
