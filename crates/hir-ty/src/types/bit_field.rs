//! Bit fields: which of a struct's fields share an integer, its *storage*, and which bits of it each has.
//!
//! Bit fields that follow each other share storage as long as it is no wider than the widest of their types; the first
//! takes the lowest bits. A field without width ends the run. The storage is an unsigned integer as wide as the widest
//! type in it.

use ::diagnostics::stack;
use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};
use rustc_hash::FxHashMap;

use crate::{
    generics::env::Env,
    types::{
        aggregate, cycles,
        shapes::ScalarKind,
        ty::{Scalar, Ty},
    },
};

/// What a struct holds at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// A field with its type.
    Field(ItemId, Ty),
    /// The storage of bit fields.
    Bits(Scalar, Vec<BitField>),
}

/// Bits `offset..offset + width` of the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitField {
    /// The field.
    pub item: ItemId,
    /// The first bit.
    pub offset: u32,
    /// The number of bits.
    pub width: u32,
}

/// The number of bits that a field of type `ty` has, `None` for one that is not a bit field or that has an error.
pub fn width(db: &dyn Db, field: ItemId, ty: Ty) -> Option<u32> {
    let ItemKind::Variable { bit_width: Some(width), .. } = item::item_data(db, field).kind else { return None };
    (width <= integer_bits(ty)?).then_some(width)
}

/// The bits of an integer type that bit fields can have.
pub fn integer_bits(ty: Ty) -> Option<u32> {
    match ty {
        Ty::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Signed | ScalarKind::Unsigned) => Some(scalar.bits()),
        _ => None,
    }
}

/// What a struct type holds, in the order of memory.
pub fn stored(db: &dyn Db, env: Env, ty: Ty) -> &[Stored] {
    &layout(db, env, ty).members
}

/// Which of [`stored`] holds a field, and at which bit of it.
pub fn place(db: &dyn Db, env: Env, ty: Ty, field: ItemId) -> Option<(u32, u32)> {
    layout(db, env, ty).places.get(&field).copied()
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Layout {
    members: Box<[Stored]>,
    places: FxHashMap<ItemId, (u32, u32)>,
}

#[salsa::tracked(returns(ref), cycle_initial = layout_initial, cycle_fn = layout_settle)]
fn layout(db: &dyn Db, env: Env, ty: Ty) -> Layout {
    let members = stack::deep(|| members_in_order(db, env, ty));
    let mut places = FxHashMap::default();
    for (index, member) in members.iter().enumerate() {
        match member {
            Stored::Field(field, _) => _ = places.insert(*field, (index as u32, 0)),
            Stored::Bits(_, fields) => {
                places.extend(fields.iter().map(|field| (field.item, (index as u32, field.offset))));
            }
        }
    }
    Layout { members: members.into(), places }
}

fn layout_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _ty: Ty) -> Layout {
    Layout::default()
}

fn layout_settle(_db: &dyn Db, cycle: &salsa::Cycle<'_>, last: &Layout, value: Layout, _env: Env, _ty: Ty) -> Layout {
    cycles::settle(cycle, value, last.clone())
}

fn members_in_order(db: &dyn Db, env: Env, ty: Ty) -> Vec<Stored> {
    let mut found: Vec<Stored> = Vec::new();
    // The bits in use of the last storage, and the struct whose fields it holds; `None` if nothing may join it.
    let mut open: Option<(u32, Option<ItemId>)> = None;
    for &(field, ty) in aggregate::fields(db, env, ty) {
        let (Some(width), Some(bits)) = (width(db, field, ty), integer_bits(ty)) else {
            found.push(Stored::Field(field, ty));
            open = None;
            continue;
        };
        let container = item::container(db, field);
        if width == 0 {
            open = None;
            continue;
        }
        if let (Some(Stored::Bits(storage, fields)), Some((used, of))) = (found.last_mut(), open)
            && of == container
            && used + width <= storage.bits().max(bits)
        {
            *storage = storage_of(storage.bits().max(bits));
            fields.push(BitField { item: field, offset: used, width });
            open = Some((used + width, container));
            continue;
        }
        found.push(Stored::Bits(storage_of(bits), vec![BitField { item: field, offset: 0, width }]));
        open = Some((width, container));
    }
    found
}

fn storage_of(bits: u32) -> Scalar {
    match bits {
        ..=8 => Scalar::UInt8,
        9..=16 => Scalar::UInt16,
        17..=32 => Scalar::UInt,
        _ => Scalar::UInt64,
    }
}
