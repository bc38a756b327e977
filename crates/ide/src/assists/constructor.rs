//! Writes a constructor that takes a value for each field.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::BodyRoot,
    item::{self, ItemId, ItemKind},
    position, source_map,
};
use hir_ty::{aggregate, differential, display, env::Env, generics};

use super::{Assist, AssistKind, Selection};
use crate::{missing_members, semantics};

pub(super) fn constructor(place: &Selection<'_>) -> Vec<Assist> {
    written(place).into_iter().collect()
}

fn written(place: &Selection<'_>) -> Option<Assist> {
    let db = place.db;
    let item = semantics::item_at(db, place.position())?;
    let data = item::item_data(db, item);
    let named = semantics::find(db, place.position())?;
    let declared = semantics::declaration(db, &semantics::Definition::Item(item))?;
    let is_name = declared.file == place.file && declared.range == named.range;
    let is_constructor = |member: &ItemId| matches!(item::item_data(db, *member).kind, ItemKind::Constructor { .. });
    // What a base struct declares would have to be made as well.
    let ItemKind::Struct { .. } = data.kind else { return None };
    if !is_name || item::members(db, item).iter().any(is_constructor) {
        return None;
    }
    let this = generics::self_type(db, item)?;
    let env = Env::of(db, item);
    let fields = aggregate::fields(db, env, this);
    if fields.is_empty() || fields.len() != aggregate::own_fields(db, item).len() {
        return None;
    }
    let is_constant =
        |field: &ItemId| item::item_data(db, *field).modifiers.contains(Modifiers::CONST) || is_let(db, *field);
    let has_value =
        |field: &ItemId| matches!(item::item_data(db, *field).kind, ItemKind::Variable { has_init: true, .. });
    // Nothing can be put into a constant: it has its value where it is declared, or nowhere.
    if fields.iter().any(|(field, _)| is_constant(field) && !has_value(field)) {
        return None;
    }
    let fields: Vec<_> = fields.iter().filter(|(field, _)| !is_constant(field)).collect();
    if fields.is_empty() {
        return None;
    }
    let no_diff = |field: ItemId| {
        let data = item::item_data(db, field);
        let by_type =
            matches!(data.kind, ItemKind::Variable { ty, .. } if hir_ty::signature::is_no_diff(&data.store, ty));
        if by_type || data.modifiers.contains(Modifiers::NO_DIFF) { "no_diff " } else { "" }
    };
    // Who leaves values out goes on to get those that are declared, and none may follow them that has to be given.
    let mut may_be_left_out = false;
    let params: Vec<String> = fields
        .iter()
        .map(|(field, ty)| {
            let (ty, name) = (display::display_at(db, *ty, *field), display::item_name(db, *field));
            let value = initial_value(db, *field);
            may_be_left_out |= value.is_some();
            let default = match value {
                Some(value) => format!(" = {value}"),
                None if may_be_left_out => " = {}".to_owned(),
                None => String::new(),
            };
            format!("{}{ty} {name}{default}", no_diff(*field))
        })
        .collect();
    let mut text = String::new();
    // Who makes values in differentiated code goes on to do so.
    if differential::differential_of(db, env, this).is_some() {
        text.push_str("[Differentiable]\n");
    }
    text.push_str(&format!("__init({})\n{{\n", params.join(", ")));
    for (field, _) in fields {
        let name = display::item_name(db, *field);
        text.push_str(&format!("    this.{name} = {name};\n"));
    }
    text.push_str("}\n");
    let edits = vec![missing_members::insertion(db, item.segment(db), &text)?];
    Some(Assist { title: "Generate a constructor from the fields".to_owned(), kind: AssistKind::Rewrite, edits })
}

/// The value that a field has where it is declared, as it is written.
fn initial_value(db: &dyn Db, field: ItemId) -> Option<String> {
    let BodyRoot::Expr(value) = hir_def::body::queries::body(db, field).root else { return None };
    let (file, range) = position::absolute(db, source_map::body_source_map(db, field).expr(value));
    Some(db.text(file)?.slice(range.into()))
}

fn is_let(db: &dyn Db, field: ItemId) -> bool {
    matches!(item::item_data(db, field).kind, ItemKind::Variable { is_let: true, .. })
}
