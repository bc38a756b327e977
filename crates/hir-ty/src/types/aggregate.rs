//! What structs are made of.

use ::diagnostics::stack;
use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    item::{self, ItemId, ItemKind},
    visibility::visibility,
};
use rustc_hash::FxHashMap;

use crate::{
    conformance::{self, extension},
    differential,
    generics::{
        env::Env,
        substitute::{Substitution, substitute},
    },
    types::{bit_field, cycles, known, signature, ty::Ty},
};

/// The instance fields that a struct declares itself, in order.
#[salsa::tracked(returns(deref))]
pub fn own_fields(db: &dyn Db, item: ItemId) -> Box<[ItemId]> {
    item::members(db, item).iter().copied().filter(|member| is_field(db, *member)).collect()
}

/// Whether an item is an instance field of a struct.
pub fn is_field(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    matches!(data.kind, ItemKind::Variable { .. })
        && !data.modifiers.intersects(Modifiers::STATIC)
        && item::container(db, item)
            .is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Struct { .. }))
}

/// The fields of a struct type, or of a synthesised differential, with their types; those of a base struct first. Empty for
/// everything else. `env` is where the type is used: more may be known there about its arguments than where it is declared.
pub fn fields(db: &dyn Db, env: Env, ty: Ty) -> &[(ItemId, Ty)] {
    match ty {
        Ty::Adt(..) | Ty::SynthesizedDifferential(..) => &fields_of(db, env, ty).in_order,
        _ => &[],
    }
}

/// The place of a field among [`fields`].
pub fn field_position(db: &dyn Db, env: Env, ty: Ty, field: ItemId) -> Option<usize> {
    match ty {
        Ty::Adt(..) | Ty::SynthesizedDifferential(..) => fields_of(db, env, ty).positions.get(&field).copied(),
        _ => None,
    }
}

/// The fields of a type, found by their place and by their declaration: each access of a field asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Fields {
    in_order: Box<[(ItemId, Ty)]>,
    positions: FxHashMap<ItemId, usize>,
}

#[salsa::tracked(returns(ref), cycle_initial = fields_initial, cycle_fn = fields_settle)]
fn fields_of(db: &dyn Db, env: Env, ty: Ty) -> Fields {
    let mut found = Vec::new();
    match ty {
        Ty::SynthesizedDifferential(item, args) => {
            found = differential::aggregate::synthesized_fields(db, env, item, args);
        }
        ty => stack::deep(|| collect_fields(db, env, ty, 0, &mut found)),
    }
    let positions = found.iter().enumerate().map(|(index, (field, _))| (*field, index)).collect();
    Fields { in_order: found.into(), positions }
}

fn fields_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _ty: Ty) -> Fields {
    Fields::default()
}

fn fields_settle(_db: &dyn Db, cycle: &salsa::Cycle<'_>, last: &Fields, value: Fields, _env: Env, _ty: Ty) -> Fields {
    cycles::settle(cycle, value, last.clone())
}

/// Whether the constructor that a struct gets without being asked takes a value for `field`: those who see the struct must
/// see it. Other fields get their initialiser's value.
pub fn is_constructor_parameter(db: &dyn Db, field: ItemId) -> bool {
    item::container(db, field).is_none_or(|container| visibility(db, field) >= visibility(db, container))
}

/// The types of the values that the constructor which nobody wrote takes, in order. Bit fields have no part in it.
pub fn constructor_parameters(db: &dyn Db, env: Env, ty: Ty) -> Vec<Ty> {
    let taken = fields(db, env, ty)
        .iter()
        .filter(|(field, ty)| is_constructor_parameter(db, *field) && bit_field::width(db, *field, *ty).is_none());
    taken.map(|(_, ty)| *ty).collect()
}

fn collect_fields(db: &dyn Db, env: Env, ty: Ty, depth: u32, found: &mut Vec<(ItemId, Ty)>) {
    const MAX_DEPTH: u32 = ::diagnostics::limits::BASES;
    let Ty::Adt(item, args) = ty else { return };
    if depth > MAX_DEPTH || known::is_builtin_declaration(db, item) {
        return;
    }
    let substitution = Substitution::of_item(db, item, args).with_this(ty);
    if let Some(base) = base_struct(db, env, ty) {
        collect_fields(db, env, base, depth + 1, found);
    }
    for field in own_fields(db, item) {
        found.push((*field, substitute(db, env, signature::variable_type(db, *field), &substitution)));
    }
}

/// The struct that a struct inherits, if any.
pub fn base_struct(db: &dyn Db, env: Env, ty: Ty) -> Option<Ty> {
    let Ty::Adt(item, args) = ty else { return None };
    if !matches!(item::item_data(db, item).kind, ItemKind::Struct { .. }) {
        return None;
    }
    let base = conformance::bases(db, item)
        .iter()
        .copied()
        .find(|base| matches!(base, Ty::Adt(..)) && !extension::is_interface(db, *base))?;
    Some(substitute(db, env, base, &Substitution::of_item(db, item, args)))
}

/// The type of the member variable `field` of `base`.
pub fn field_type(db: &dyn Db, env: Env, base: Ty, field: ItemId) -> Ty {
    let declared = signature::variable_type(db, field);
    let mut current = Some(base);
    let container = item::container(db, field);
    for _ in 0..16 {
        let Some(ty) = current else { break };
        if let Some((declaration, args)) = known::declaration_of(db, ty)
            && Some(declaration) == container
        {
            return substitute(db, env, declared, &Substitution::of_item(db, declaration, args).with_this(ty));
        }
        current = base_struct(db, env, ty);
    }
    declared
}
