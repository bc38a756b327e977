//! Enums: what their values are made of.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    consts, conversion,
    diagnostics::{Diagnostic, Node, Site},
    display::item_name,
    extension, generics,
    infer::{self, result::Resolution},
    shapes::ScalarKind,
    ty::{Const, Scalar, Ty},
};
use rustc_hash::FxHashMap;

use super::Declaration;

/// E40002: a case whose value is computed from itself, through other cases or not.
fn cyclic_case(db: &dyn Db, cases: &[ItemId]) -> Option<ItemId> {
    // What has a value does not depend on itself, nor does what is counted from the case before.
    let mut written = cases.iter().filter(|case| is_written(db, **case));
    if written.all(|case| consts::constant_value(db, *case) != Some(Const::Error)) {
        return None;
    }
    let mut is_finished: FxHashMap<ItemId, bool> = FxHashMap::default();
    for &root in cases {
        let mut path = vec![(root, used_cases(db, root))];
        while let Some((case, used)) = path.last_mut() {
            is_finished.entry(*case).or_insert(false);
            match used.pop() {
                Some(next) => match is_finished.get(&next) {
                    Some(false) => return Some(next),
                    Some(true) => {}
                    None => path.push((next, used_cases(db, next))),
                },
                None => {
                    is_finished.insert(*case, true);
                    path.pop();
                }
            }
        }
    }
    None
}

/// Whether the value of a case stands in the source.
fn is_written(db: &dyn Db, case: ItemId) -> bool {
    matches!(item::item_data(db, case).kind, ItemKind::EnumCase { has_value: true })
}

/// The cases that the value of a case is computed from.
fn used_cases(db: &dyn Db, case: ItemId) -> Vec<ItemId> {
    if !is_written(db, case) {
        return Vec::new();
    }
    let named = infer::infer(db, case).resolutions.values().filter_map(|resolution| match resolution {
        Resolution::EnumCase(used) => Some(*used),
        _ => None,
    });
    named.filter(|used| is_written(db, *used)).collect()
}

/// E32006 (warning): a case that is one more than the largest value of the type.
fn wrapped_cases(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    if declaration.data.has_attribute(AttributeKind::Flags) {
        return;
    }
    let Some(Ty::Scalar(scalar)) =
        generics::self_type(db, declaration.item).and_then(|this| conversion::enum_integer(db, this))
    else {
        return;
    };
    // The others are counted here: asked one by one, each would count from the last that is written.
    let mut before = None;
    for &case in item::members(db, declaration.item) {
        let ItemKind::EnumCase { has_value } = item::item_data(db, case).kind else { continue };
        if has_value {
            before = Some(consts::constant_value(db, case).and_then(Const::value));
            continue;
        }
        let value = match before {
            None => Some(0),
            Some(before) => before.map(|before| scalar.wrap(scalar.wrap(before).wrapping_add(1))),
        };
        if before.is_some() && scalar.is_integer() && value == Some(smallest(scalar)) {
            let (name, ty) = (item_name(db, case), declaration.show(Ty::Scalar(scalar)));
            let message = format!("the value of '{name}' does not fit in '{ty}' and wraps around");
            declaration.found.push(Diagnostic::new(codes::ENUM_CASE_WRAPS, Site::name(case), message));
        }
        before = Some(value);
    }
}

/// The value at which counting begins again.
fn smallest(scalar: Scalar) -> i64 {
    match scalar.kind() {
        ScalarKind::Signed => -1 << (scalar.bits() - 1),
        ScalarKind::Bool | ScalarKind::Unsigned | ScalarKind::Float => 0,
    }
}

/// E32000: the values of an enum are integers or booleans. E30821: what they are is said first, if at all.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    if let ItemKind::Enum { .. } = declaration.data.kind
        && let Some(case) = cyclic_case(declaration.db, item::members(declaration.db, declaration.item))
    {
        let name = item_name(declaration.db, case);
        let message = format!("the value of '{name}' depends on itself");
        declaration.found.push(Diagnostic::new(codes::CYCLIC_REFERENCE, Site::name(case), message));
    }
    if let ItemKind::Enum { .. } = declaration.data.kind {
        wrapped_cases(declaration);
    }
    let ItemKind::Enum { ref bases, .. } = declaration.data.kind else { return };
    let Some((&first, others)) = bases.split_first() else { return };
    for &other in others {
        let ty = declaration.lower(other);
        let is_unknown = ty.is_error() || matches!(ty, Ty::Param(_) | Ty::Associated(_));
        // An alias of several interfaces is no type.
        if !is_unknown && !extension::is_interface(declaration.db, ty) {
            let shown = declaration.show(ty);
            let message = format!("what the values of an enum are is said first, and once: '{shown}' is no interface");
            declaration.report(codes::ENUM_TAG_TYPE_NOT_FIRST, Node::SignatureTypeRef(other), message);
        }
    }
    let underlying = first;
    let ty = declaration.lower(underlying);
    let fits = match ty {
        Ty::Scalar(scalar) => !scalar.is_float(),
        Ty::Error | Ty::Param(_) | Ty::Associated(_) => true,
        _ => extension::is_interface(declaration.db, ty),
    };
    if !fits {
        let shown = declaration.show(ty);
        let message = format!("'{shown}' cannot be what an enum is made of: take an integer type");
        declaration.report(codes::INVALID_ENUM_TAG_TYPE, Node::SignatureTypeRef(underlying), message);
    }
}
