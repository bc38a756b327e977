//! Quick fix: writes the members that the interfaces of a type require and it lacks.

use base_db::{Db, Segment, SegmentKind, text::Part};
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId, ItemKind},
    position::{self, Location},
};
use hir_ty::{
    conformance, display,
    env::Env,
    generics,
    signature::{self, FunctionRef},
    ty::Ty,
};
use syntax::{TextRange, TextSize};

use crate::{FilePosition, FileRange, TextEdit, diagnostics::Fix, semantics::item_at};

/// The fix for the type declared around a position; `None` if nothing is missing or it cannot be written.
pub fn missing_members(db: &dyn Db, at: FilePosition) -> Option<Fix> {
    let item = item_at(db, at)?;
    let data = item::item_data(db, item);
    if !matches!(data.kind, ItemKind::Struct { .. } | ItemKind::Extension { .. }) {
        return None;
    }
    let this = generics::self_type(db, item)?;
    let stubs: Vec<String> = missing(db, item, this).into_iter().map(|requirement| stub(db, requirement)).collect();
    if stubs.is_empty() {
        return None;
    }
    let title = if stubs.len() == 1 { "Add the missing member" } else { "Add the missing members" };
    Some(Fix { title: title.to_owned(), edits: vec![insertion(db, item.segment(db), &stubs.concat())?] })
}

fn missing(db: &dyn Db, item: ItemId, this: Ty) -> Vec<ItemId> {
    let env = Env::of(db, item);
    let mut missing = Vec::new();
    for interface in conformance::interfaces_of(db, env, this) {
        let Ty::Adt(interface, args) = *interface else { continue };
        for &requirement in item::members(db, interface) {
            // Derivatives of a type are made where they are not written.
            if crate::semantics::in_prelude(db, requirement) {
                continue;
            }
            let ItemKind::Function(function) = &item::item_data(db, requirement).kind else { continue };
            let own = generics::identity_args(db, requirement);
            let own = own.args(db).iter().skip(args.args(db).len()).copied();
            let args = hir_ty::ty::GenericArgs::new(db, args.args(db).iter().copied().chain(own).collect::<Box<[_]>>());
            let function_ref = FunctionRef { item: requirement, args, self_ty: Some(this) };
            if !function.has_body && conformance::implementation(db, env, function_ref).is_none() {
                missing.push(requirement);
            }
        }
    }
    missing
}

/// The requirement as a member that compiles and does nothing.
fn stub(db: &dyn Db, requirement: ItemId) -> String {
    let signature = signature::signature(db, requirement);
    let data = item::item_data(db, requirement);
    let attributes: String =
        [AttributeKind::Differentiable, AttributeKind::ForwardDifferentiable, AttributeKind::Mutating]
            .into_iter()
            .filter(|kind| data.has_attribute(*kind))
            .map(|kind| format!("    [{}]\n", kind.name()))
            .collect();
    let is_static = if signature.this.is_none() { "static " } else { "" };
    let params: Vec<String> = signature
        .params
        .iter()
        .map(|param| {
            let no_diff = if param.no_diff { "no_diff " } else { "" };
            let direction = display::direction_prefix(param.direction);
            format!("{no_diff}{direction}{} {}", display::display(db, param.ty), param.name)
        })
        .collect();
    let generics: Vec<String> = (0..data.generics.params.len())
        .map(|index| display::display_generic_parameter(db, hir_ty::ty::TypeParam::new(db, requirement, index as u32)))
        .collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let body = if signature.ret == Ty::Void { "" } else { "        return {};\n" };
    let ret = display::display(db, signature.ret);
    let name = display::item_name(db, requirement);
    format!("{attributes}    {is_static}{ret} {name}{generics}({})\n    {{\n{body}    }}\n", params.join(", "))
}

/// In front of the brace that closes a container.
fn insertion(db: &dyn Db, segment: Segment, text: &str) -> Option<TextEdit> {
    if segment.kind(db) != SegmentKind::Container || !segment.body(db).trim_start().starts_with('}') {
        return None;
    }
    let body = segment.body(db);
    let brace = TextSize::new((body.len() - body.trim_start().len()) as u32);
    let (file, range) = position::absolute(db, Location { segment, part: Part::Body, range: TextRange::empty(brace) });
    let before = db.text(file)?.slice(0..range.start().into());
    let starts_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
    let text = if starts_line { text.to_owned() } else { format!("\n{text}") };
    Some(TextEdit { at: FileRange { file, range }, text })
}
