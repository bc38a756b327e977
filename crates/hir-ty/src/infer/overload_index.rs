//! Many functions of one name: what each call would otherwise find out for all of them again.
//!
//! An operator that hundreds of structs declare is hundreds of functions of one name. Most of them take a struct first and
//! cannot take another, so they are filed under that struct, and a call looks at those that its first argument may go to.

use base_db::{Db, SourceFile};
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, ItemId, ItemKind},
    name::Name,
};
use rustc_hash::FxHashMap;

use super::{
    arguments::{ArgumentKind, ArgumentType},
    functions::{Candidate, FunctionSet},
};
use crate::{
    conformance::{
        self,
        members::{self, Origin},
    },
    generics::{self, env::Env},
    types::{
        same_name::{MANY, SameName},
        signature,
        ty::{GenericArgs, Ty},
    },
};

/// How far bases of bases are followed.
const MAX_DEPTH: u32 = ::diagnostics::limits::BASES;

/// Those of the declarations that are overloads of each other, and the others.
pub(super) fn partition(db: &dyn Db, items: Vec<ItemId>) -> (Vec<ItemId>, Vec<ItemId>) {
    let Some(many) = SameName::of_many(db, &items) else {
        return items.into_iter().partition(|item| members::is_overloadable(db, *item));
    };
    let (callable, others) = partitioned(db, many);
    (callable.to_vec(), others.to_vec())
}

#[salsa::tracked(returns(ref))]
fn partitioned<'db>(db: &'db dyn Db, overloads: SameName<'db>) -> (Box<[ItemId]>, Box<[ItemId]>) {
    let (callable, others): (Vec<ItemId>, Vec<ItemId>) =
        overloads.items(db).iter().partition(|item| members::is_overloadable(db, **item));
    (callable.into(), others.into())
}

/// The functions among the declarations, none of which is a member of a type.
pub(super) fn functions(db: &dyn Db, items: &[ItemId]) -> Vec<Candidate> {
    match SameName::of_many(db, items) {
        Some(many) => functions_of(db, many).to_vec(),
        None => free_candidates(db, items),
    }
}

#[salsa::tracked(returns(deref))]
fn functions_of<'db>(db: &'db dyn Db, overloads: SameName<'db>) -> Box<[Candidate]> {
    let mut candidates = free_candidates(db, overloads.items(db));
    leave_out_repetitions(db, &mut candidates);
    candidates.into_boxed_slice()
}

/// Leaves out what is declared again in the very same words, as a file pasted into itself is: a call means the first, and
/// would otherwise try each. Asks for no signature, on which calls in constants may depend.
fn leave_out_repetitions(db: &dyn Db, candidates: &mut Vec<Candidate>) {
    /// So many different functions are compared with each one.
    const MOST_COMPARED: usize = 8;
    let mut seen: FxHashMap<(SourceFile, usize), Vec<ItemId>> = FxHashMap::default();
    candidates.retain(|candidate| {
        let data = item::item_data(db, candidate.item);
        let ItemKind::Function(function) = &data.kind else { return true };
        if item::container(db, candidate.item).is_some() {
            return true;
        }
        let same = seen.entry((item::file_of(db, candidate.item), function.params.len())).or_default();
        if same.iter().any(|other| item::item_data(db, *other) == data) {
            return false;
        }
        if same.len() < MOST_COMPARED {
            same.push(candidate.item);
        }
        true
    });
}

fn free_candidates(db: &dyn Db, items: &[ItemId]) -> Vec<Candidate> {
    let functions =
        items.iter().enumerate().filter(|(_, item)| matches!(item::item_data(db, **item).kind, ItemKind::Function(_)));
    functions.map(|(index, item)| free_candidate(db, *item, index)).collect()
}

/// A function that is no member of a type.
pub(super) fn free_candidate(db: &dyn Db, item: ItemId, index: usize) -> Candidate {
    let around = item::container(db, item);
    let args = around.map_or_else(|| GenericArgs::empty(db), |around| generics::identity_args(db, around));
    Candidate { item, args, self_ty: None, origin: Origin::Own, distance: index as u32 }
}

/// The candidates that may take the first of the arguments, where that leaves any out.
pub(super) fn fitting(db: &dyn Db, env: Env, set: &FunctionSet, arguments: &[ArgumentType]) -> Option<Vec<Candidate>> {
    if set.candidates.len() <= MANY || !set.operators.is_empty() || set.explicit.is_some() {
        return None;
    }
    let first = arguments.first().filter(|first| matches!(first.kind, ArgumentKind::Typed))?;
    let Ty::Adt(argument, _) = first.ty else { return None };
    if !is_struct(db, argument) {
        return None;
    }
    let items: Box<[ItemId]> = set.candidates.iter().map(|candidate| candidate.item).collect();
    let index = by_first_parameter(db, env, SameName::new(db, items));
    let mut positions: Vec<u32> = index.others.clone();
    let mut taken_as = vec![argument];
    collect_bases(db, argument, 0, &mut taken_as);
    for item in taken_as {
        positions.extend(index.of_struct.get(&item).into_iter().flatten());
    }
    positions.sort_unstable();
    positions.dedup();
    Some(positions.into_iter().map(|position| set.candidates[position as usize]).collect())
}

/// Positions among declarations of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FirstParameters {
    /// Those that take this struct first, or one that inherits it, and nothing else.
    of_struct: FxHashMap<ItemId, Vec<u32>>,
    others: Vec<u32>,
}

#[salsa::tracked(returns(ref))]
fn by_first_parameter<'db>(db: &'db dyn Db, env: Env, overloads: SameName<'db>) -> FirstParameters {
    let mut index = FirstParameters::default();
    for (item, position) in overloads.items(db).iter().zip(0..) {
        let first = signature::signature(db, *item).params.first().map(|param| param.ty);
        match first {
            Some(ty @ Ty::Adt(of, _)) if is_struct(db, of) && !converts_to(db, env, ty) => {
                index.of_struct.entry(of).or_default().push(position);
            }
            _ => index.others.push(position),
        }
    }
    index
}

fn is_struct(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Struct { .. })
}

/// Whether values of other types become a struct of this type without being asked to.
fn converts_to(db: &dyn Db, env: Env, ty: Ty) -> bool {
    members::lookup(db, env, ty, &Name::new("__init")).into_iter().any(|constructor| {
        let data = item::item_data(db, constructor.item);
        data.modifiers.contains(Modifiers::IMPLICIT) || data.has_attribute(AttributeKind::ImplicitConversion)
    })
}

fn collect_bases(db: &dyn Db, item: ItemId, depth: u32, found: &mut Vec<ItemId>) {
    for base in conformance::bases(db, item) {
        if let Ty::Adt(base, _) = *base
            && depth < MAX_DEPTH
            && is_struct(db, base)
        {
            found.push(base);
            collect_bases(db, base, depth + 1, found);
        }
    }
}
