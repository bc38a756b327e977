//! The attributes that say how a function is differentiated.

use base_db::Db;
use hir_def::{
    attribute::{AttributeId, AttributeKind},
    body::ExprId,
    item::{self, ItemId, ItemKind},
};

/// An attribute that has to do with derivatives of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DerivativeAttribute {
    /// `[Differentiable]`, `[BackwardDifferentiable]`: both directions.
    Differentiable,
    /// `[ForwardDifferentiable]`.
    ForwardDifferentiable,
    /// Says which function is whose derivative or substitute.
    Association(Association),
    /// `[TreatAsDifferentiable]`
    TreatAsDifferentiable,
    /// `[NoDiffThis]`
    NoDiffThis,
    /// `[PreferRecompute]`
    PreferRecompute,
    /// `[PreferCheckpoint]`
    PreferCheckpoint,
}

/// An attribute that ties two functions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Association {
    /// What the one function is to the other.
    pub kind: AssociationKind,
    /// The attribute stands on the derivative and names the primal function (`…Of`).
    pub reversed: bool,
}

/// What a function is to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssociationKind {
    /// Its derivative in forward mode.
    ForwardDerivative,
    /// Its derivative in reverse mode.
    BackwardDerivative,
    /// What differentiated code calls instead.
    PrimalSubstitute,
}

/// An attribute where it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WrittenAttribute {
    /// Which attribute.
    pub attribute: DerivativeAttribute,
    /// The declaration that carries it.
    pub item: ItemId,
    /// Its number among those of the declaration.
    pub id: AttributeId,
    /// Its first argument, an expression of the signature's store.
    pub argument: Option<ExprId>,
}

/// What an attribute says about derivatives, if anything.
pub fn derivative_attribute(kind: AttributeKind) -> Option<DerivativeAttribute> {
    let association = |kind, reversed| DerivativeAttribute::Association(Association { kind, reversed });
    Some(match kind {
        AttributeKind::Differentiable => DerivativeAttribute::Differentiable,
        AttributeKind::ForwardDifferentiable => DerivativeAttribute::ForwardDifferentiable,
        AttributeKind::ForwardDerivative => association(AssociationKind::ForwardDerivative, false),
        AttributeKind::ForwardDerivativeOf => association(AssociationKind::ForwardDerivative, true),
        AttributeKind::BackwardDerivative => association(AssociationKind::BackwardDerivative, false),
        AttributeKind::BackwardDerivativeOf => association(AssociationKind::BackwardDerivative, true),
        AttributeKind::PrimalSubstitute => association(AssociationKind::PrimalSubstitute, false),
        AttributeKind::PrimalSubstituteOf => association(AssociationKind::PrimalSubstitute, true),
        AttributeKind::TreatAsDifferentiable => DerivativeAttribute::TreatAsDifferentiable,
        AttributeKind::NoDiffThis => DerivativeAttribute::NoDiffThis,
        AttributeKind::PreferRecompute => DerivativeAttribute::PreferRecompute,
        AttributeKind::PreferCheckpoint => DerivativeAttribute::PreferCheckpoint,
        _ => return None,
    })
}

/// The attributes that hold for `item`: its own, and for an accessor those of its property or subscript.
pub fn written_attributes(db: &dyn Db, item: ItemId) -> Vec<WrittenAttribute> {
    let mut written = own_attributes(db, item);
    if matches!(item::item_data(db, item).kind, ItemKind::Accessor { .. })
        && let Some(property) = item::container(db, item)
    {
        written.extend(own_attributes(db, property));
    }
    written
}

/// The attributes written on `item` itself.
pub fn own_attributes(db: &dyn Db, item: ItemId) -> Vec<WrittenAttribute> {
    let attributes = item::item_data(db, item).attributes();
    attributes
        .filter_map(|(id, written)| {
            let attribute = derivative_attribute(written.kind?)?;
            Some(WrittenAttribute { attribute, item, id, argument: written.args.first().copied() })
        })
        .collect()
}
