//! Fixes of custom derivatives: the name that was meant, and the signature that a derivative must have.

use base_db::Db;
use hir_def::{
    body::Expr,
    expansion,
    item::{self, ItemId, ItemKind},
    name::Name,
    position::Location,
    scope, source_map,
};
use hir_ty::{
    diagnostics::suggest,
    differential::{
        association::Misfit,
        attribute::WrittenAttribute,
        display::param_text_at,
        fit::Mismatch,
        signature::{CallableParam, ParamRole},
    },
    display::display_at,
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use crate::{Edit, Fix};

/// The name of a function that is nearly the one that an attribute names.
pub(super) fn nearest_name(db: &dyn Db, written: WrittenAttribute) -> Option<Fix> {
    let source = source_map::item_source(db, written.item).as_ref()?;
    let argument = written.argument?;
    let Expr::Path(path) = &item::item_data(db, written.item).store.exprs[argument] else { return None };
    let [segment] = path.segments.as_slice() else { return None };
    let is_function = |name: &&Name| {
        let found = scope::lookup(db, written.item, name);
        // A function is not its own derivative.
        let is_other =
            |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Function(_)) && *item != written.item;
        found.iter().any(is_other)
    };
    let wrong = segment.name.as_str();
    let names = scope::names_like(db, written.item, wrong, suggest::most_mistakes(wrong));
    let nearest = suggest::nearest(wrong, names.into_iter().map(Name::as_str))?;
    is_function(&&Name::new(nearest)).then_some(())?;
    let edit = Edit { at: source.expr(argument), text: nearest.to_owned() };
    Some(Fix::new(format!("Replace by '{nearest}'"), [edit]))
}

/// The parameters and the result that the derivative must have in place of those that it has, with the names that its body
/// knows.
pub(super) fn repair_signature(db: &dyn Db, misfit: &Misfit) -> Option<Fix> {
    // With another result alone, it is the body that is wrong.
    if !matches!(misfit.mismatch, Mismatch::Param(_) | Mismatch::ParamCount) {
        return None;
    }
    let written = |params: &[CallableParam]| -> Vec<CallableParam> {
        params.iter().filter(|param| param.role != ParamRole::This && param.name.as_str() != "this").cloned().collect()
    };
    let (found, expected) = (written(&misfit.found.params), written(&misfit.expected.params));
    let same_count = found.len() == expected.len();
    let params = expected.into_iter().enumerate().map(|(index, param)| {
        let known = found.get(index).filter(|_| same_count).map(|known| known.name.clone());
        param_text_at(db, &CallableParam { name: known.unwrap_or(param.name.clone()), ..param }, misfit.other)
    });
    let text = params.collect::<Vec<_>>().join(", ");
    let mut edits = vec![Edit { at: parameters(db, misfit.other)?, text }];
    if misfit.found.ret != misfit.expected.ret {
        edits.push(Edit { at: result(db, misfit.other)?, text: display_at(db, misfit.expected.ret, misfit.other) });
    }
    let name = crate::finding::name_of(db, misfit.other);
    let what = if edits.len() == 1 { "parameters" } else { "signature" };
    Some(Fix::new(format!("Give `{name}` the {what} that it must have"), edits))
}

/// The type of a function's result; nothing where a macro writes it, or nobody does.
fn result(db: &dyn Db, function: ItemId) -> Option<Location> {
    let ItemKind::Function(data) = &item::item_data(db, function).kind else { return None };
    let source = source_map::item_source(db, function).as_ref()?;
    let location = source.nodes().type_ref(data.ret);
    let name = source.name?;
    let is_written = location.segment == name.segment && location.part == name.part && !location.range.is_empty();
    is_written.then_some(location)
}

/// Between the parentheses of a function's declaration; nothing where a macro writes them.
fn parameters(db: &dyn Db, function: ItemId) -> Option<Location> {
    let source = source_map::item_source(db, function).as_ref()?;
    let name = source.name?;
    let text = expansion::spelled_text(db, name.segment, name.part);
    let start = usize::from(name.range.end());
    let rest = text.get(start..)?;
    let lexed = lexer::lex(rest);
    let mut open: Vec<usize> = Vec::new();
    for index in 0..lexed.len() {
        let range = lexed.range(index);
        match &rest[range.clone()] {
            "(" => open.push(range.end),
            ")" => {
                let begins = open.pop()?;
                if open.is_empty() {
                    let range = TextRange::new(offset(start + begins), offset(start + range.start));
                    return Some(Location { range, ..name });
                }
            }
            _ if lexed.kind(index) == SyntaxKind::DIRECTIVE => return None,
            _ => {}
        }
    }
    None
}

fn offset(bytes: usize) -> TextSize {
    TextSize::new(bytes as u32)
}
