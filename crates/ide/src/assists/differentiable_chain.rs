//! Marks a function that differentiated code calls, and all that it calls in turn, `[Differentiable]`.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    position, source_map,
};
use hir_ty::{
    differential::{differential_of, rules::derivative_rules},
    display,
    env::Env,
    infer::result::{Callable, Resolution},
    signature::signature,
};
use syntax::TextRange;

use super::{Assist, AssistKind, Selection};
use crate::{
    FileRange, TextEdit,
    semantics::{self, Definition, in_prelude},
};

/// Chains of more functions than this are not marked at once.
const MOST_MARKED: usize = 64;

pub(super) fn differentiable_chain(place: &Selection<'_>) -> Vec<Assist> {
    marked(place).into_iter().collect()
}

fn marked(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let found = semantics::find(db, place.position())?;
    let Definition::Item(first) = found.definition else { return None };
    if found.context == first || !derivative_rules(db, found.context).is_differentiable() || !is_to_be_marked(db, first)
    {
        return None;
    }
    let mut chain = vec![first];
    let mut next = 0;
    while let Some(&function) = chain.get(next) {
        next += 1;
        for callee in called(db, function) {
            if is_to_be_marked(db, callee) && !chain.contains(&callee) {
                chain.push(callee);
            }
        }
    }
    // One alone is the business of the diagnostic's own fix.
    if chain.len() < 2 || chain.len() > MOST_MARKED {
        return None;
    }
    let edits: Option<Vec<TextEdit>> = chain.iter().map(|function| attribute(db, *function)).collect();
    let title = format!(
        "Mark `{}` and what it calls [Differentiable] ({} functions)",
        display::item_name(db, first),
        chain.len()
    );
    Some(Assist { title, kind: AssistKind::QuickFix, edits: edits? })
}

/// A function of the user, with a body, through which a derivative could go.
fn is_to_be_marked(db: &dyn Db, item: ItemId) -> bool {
    let ItemKind::Function(function) = &item::item_data(db, item).kind else { return false };
    if !function.has_body || in_prelude(db, item) {
        return false;
    }
    let rules = derivative_rules(db, item);
    let carries = |ty| differential_of(db, Env::of(db, item), ty).is_some();
    let own = signature(db, item);
    let is_reached = own.this.is_some_and(|this| carries(this.ty)) || own.params.iter().any(|param| carries(param.ty));
    !rules.is_differentiable() && !rules.treat_as_differentiable && is_reached
}

fn called(db: &dyn Db, function: ItemId) -> Vec<ItemId> {
    let (_, inferred) = semantics::body_of(db, function);
    let calls = inferred.resolutions.values().filter_map(|resolution| match resolution {
        Resolution::Call(call) => match &call.callee {
            Callable::Function(function) if !call.no_diff => Some(function.item),
            _ => None,
        },
        _ => None,
    });
    let mut called: Vec<ItemId> = calls.collect();
    called.sort();
    called
}

fn attribute(db: &dyn Db, function: ItemId) -> Option<TextEdit> {
    let source = source_map::item_source(db, function).as_ref()?;
    let (file, range) = position::absolute(db, source.range);
    let at = FileRange { file, range: TextRange::empty(range.start()) };
    Some(TextEdit { at, text: "[Differentiable] ".to_owned() })
}
