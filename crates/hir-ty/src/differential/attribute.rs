//! The attributes that say how a function is differentiated.

use base_db::Db;
use hir_def::{
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
    TreatAsDifferentiable,
    NoDiffThis,
    PreferRecompute,
    PreferCheckpoint,
}

/// An attribute that ties two functions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Association {
    pub kind: AssociationKind,
    /// The attribute stands on the derivative and names the primal function (`…Of`).
    pub reversed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssociationKind {
    ForwardDerivative,
    BackwardDerivative,
    PrimalSubstitute,
}

/// An attribute where it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WrittenAttribute {
    pub attribute: DerivativeAttribute,
    /// The declaration that carries it, and its number there.
    pub item: ItemId,
    pub index: u32,
    /// Its first argument, an expression of the signature's store.
    pub argument: Option<ExprId>,
}

/// The attribute called `name`.
pub fn derivative_attribute(name: &str) -> Option<DerivativeAttribute> {
    let association = |kind, reversed| DerivativeAttribute::Association(Association { kind, reversed });
    Some(match name {
        "Differentiable" | "BackwardDifferentiable" => DerivativeAttribute::Differentiable,
        "ForwardDifferentiable" => DerivativeAttribute::ForwardDifferentiable,
        "ForwardDerivative" => association(AssociationKind::ForwardDerivative, false),
        "ForwardDerivativeOf" => association(AssociationKind::ForwardDerivative, true),
        "BackwardDerivative" => association(AssociationKind::BackwardDerivative, false),
        "BackwardDerivativeOf" => association(AssociationKind::BackwardDerivative, true),
        "PrimalSubstitute" => association(AssociationKind::PrimalSubstitute, false),
        "PrimalSubstituteOf" => association(AssociationKind::PrimalSubstitute, true),
        "TreatAsDifferentiable" => DerivativeAttribute::TreatAsDifferentiable,
        "NoDiffThis" => DerivativeAttribute::NoDiffThis,
        "PreferRecompute" => DerivativeAttribute::PreferRecompute,
        "PreferCheckpoint" => DerivativeAttribute::PreferCheckpoint,
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
    let attributes = item::item_data(db, item).attributes.iter().enumerate();
    attributes
        .filter_map(|(index, written)| {
            Some(WrittenAttribute {
                attribute: derivative_attribute(written.name.as_str())?,
                item,
                index: u32::try_from(index).ok()?,
                argument: written.args.first().copied(),
            })
        })
        .collect()
}
