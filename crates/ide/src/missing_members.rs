//! Quick fix: writes the members that the interfaces of a type require and it lacks.

use base_db::{Db, Segment, SegmentKind, text::Part};
use hir_def::{
    attribute::AttributeKind,
    item::{self, AccessorKind, ItemId, ItemKind},
    position::{self, Location},
    source_map,
};
use hir_ty::{
    conformance,
    differential::{
        display::param_text,
        signature::{ParamRole, function_signature},
    },
    display,
    env::Env,
    generics,
    members::{self, Origin},
    signature::{self, FunctionRef},
    substitute::{Substitution, substitute},
    ty::Ty,
};
use syntax::{TextRange, TextSize};

use crate::{FilePosition, FileRange, TextEdit, diagnostics::Fix, semantics::item_at};

/// The fix for the type declared around a position; `None` if nothing is missing or it cannot be written.
pub fn missing_members(db: &dyn Db, at: FilePosition) -> Option<Fix> {
    let (item, stubs) = missing_at(db, at, Wanted::Missing)?;
    let title = if stubs.len() == 1 { "Add the missing member" } else { "Add the missing members" };
    let text: String = stubs.into_iter().map(|stub| stub.text).collect();
    Some(Fix { title: title.to_owned(), edits: vec![insertion(db, item.segment(db), &text)?] })
}

/// Which requirements of the interfaces of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Those that the type has to fulfil and does not.
    Missing,
    /// Those that have a body that the type may override.
    Overridable,
}

/// What is missing in the type declared around a position, if that is between its members; or what it may override.
pub(crate) fn stubs_at(db: &dyn Db, at: FilePosition, wanted: Wanted) -> Vec<Stub> {
    let Some((segment, part, _)) = source_map::segment_at(db, at.file, TextSize::new(at.offset)) else {
        return Vec::new();
    };
    let is_head = segment.kind(db) == SegmentKind::Container && part == Part::Header;
    let has_head = segment.header(db).trim_end().ends_with('{');
    if is_head && !(has_head && at_end_of_header(db, segment, at)) {
        return Vec::new();
    }
    missing_at(db, at, wanted).map(|(_, stubs)| stubs).unwrap_or_default()
}

/// Behind the brace, in front of the first member.
fn at_end_of_header(db: &dyn Db, segment: Segment, at: FilePosition) -> bool {
    let range = TextRange::up_to(TextSize::of(segment.header(db).trim_end()));
    let (_, header) = position::absolute(db, Location { segment, part: Part::Header, range });
    header.end() <= TextSize::new(at.offset)
}

fn missing_at(db: &dyn Db, at: FilePosition, wanted: Wanted) -> Option<(ItemId, Vec<Stub>)> {
    let is_type =
        |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Struct { .. } | ItemKind::Extension { .. });
    let item = match item_at(db, at) {
        // In the code of a member nothing is declared.
        Some(inner) if has_code(db, inner) => return None,
        Some(inner) => std::iter::successors(Some(inner), |item| item::container(db, *item)).find(is_type)?,
        None => {
            let (segment, ..) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
            let is_container = segment.kind(db) == SegmentKind::Container;
            let container = if is_container { Some(segment) } else { segment.parent(db) };
            item::segment_items(db, container?).iter().copied().find(is_type)?
        }
    };
    let this = generics::self_type(db, item)?;
    let stubs = missing(db, item, this, wanted);
    (!stubs.is_empty()).then_some((item, stubs))
}

fn has_code(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Function(_)
            | ItemKind::Constructor { .. }
            | ItemKind::Accessor { .. }
            | ItemKind::Property { .. }
            | ItemKind::Subscript { .. }
    )
}

/// A member that is missing.
pub(crate) struct Stub {
    pub(crate) name: String,
    pub(crate) interface: String,
    /// Its lines, without indentation.
    pub(crate) text: String,
}

fn missing(db: &dyn Db, item: ItemId, this: Ty, wanted: Wanted) -> Vec<Stub> {
    let env = Env::of(db, item);
    let mut missing = Vec::new();
    for &interface_type in conformance::interfaces_of(db, env, this) {
        let Ty::Adt(interface, args) = interface_type else { continue };
        for &requirement in item::members(db, interface) {
            // Derivatives of a type are made where they are not written.
            let Some(name) = item::item_data(db, requirement).name.clone() else { continue };
            if crate::semantics::in_prelude(db, requirement) {
                continue;
            }
            let args = generics::identity_args_within(db, requirement, args);
            let function = FunctionRef { item: requirement, args, self_ty: Some(this) };
            let is_there =
                || members::lookup(db, env, this, &name).iter().any(|member| member.origin != Origin::Interface);
            let text = match &item::item_data(db, requirement).kind {
                ItemKind::Function(_) if wanted == Wanted::Overridable => {
                    (!is_there()).then(|| method(db, env, function, "override "))
                }
                _ if wanted == Wanted::Overridable => None,
                ItemKind::Function(written) => {
                    let is_missing = !written.has_body && conformance::implementation(db, env, function).is_none();
                    is_missing.then(|| method(db, env, function, ""))
                }
                ItemKind::Property { .. } if !is_there() => Some(property(db, env, function)),
                ItemKind::Variable { has_init: false, .. } if !is_there() => Some(constant(db, env, function)),
                // Without parameters every type has one.
                ItemKind::Constructor { params, has_body: false } if !params.is_empty() && !is_there() => {
                    let (attributes, generics, params) = head(db, env, function);
                    Some(format!("{attributes}__init{generics}({params})\n{{\n}}\n"))
                }
                ItemKind::Subscript { .. } if !is_there() => Some(subscript(db, env, function)),
                ItemKind::AssociatedType { default: None, .. } if !is_there() => Some(associated_type(db, requirement)),
                _ => None,
            };
            let interface = display::display(db, interface_type);
            missing.extend(text.map(|text| Stub { name: name.to_string(), interface, text }));
        }
    }
    missing
}

/// What stands around the name of a requirement: its attributes, generic parameters and parameters.
fn head(db: &dyn Db, env: Env, function: FunctionRef) -> (String, String, String) {
    let requirement = function.item;
    let signature = function_signature(db, env, function);
    let data = item::item_data(db, requirement);
    let attributes: String =
        [AttributeKind::Differentiable, AttributeKind::ForwardDifferentiable, AttributeKind::Mutating]
            .into_iter()
            .filter(|kind| data.has_attribute(*kind))
            .map(|kind| format!("[{}]\n", kind.name()))
            .collect();
    let written = signature.params.iter().filter(|param| param.role != ParamRole::This);
    let params: Vec<String> = written.map(|param| param_text(db, param)).collect();
    let generics: Vec<String> = (0..data.generics.params.len())
        .map(|index| display::display_generic_parameter(db, hir_ty::ty::TypeParam::new(db, requirement, index as u32)))
        .collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    (attributes, generics, params.join(", "))
}

/// The requirement as a member that compiles and does nothing.
fn method(db: &dyn Db, env: Env, function: FunctionRef, modifier: &str) -> String {
    let (attributes, generics, params) = head(db, env, function);
    let signature = function_signature(db, env, function);
    let is_static = if signature::signature(db, function.item).this.is_none() { "static " } else { "" };
    let body = if signature.ret == Ty::Void { "" } else { "    return {};\n" };
    let no_diff = if signature.ret_no_diff { "no_diff " } else { "" };
    let ret = display::display(db, signature.ret);
    let name = display::item_name(db, function.item);
    format!("{attributes}{modifier}{is_static}{no_diff}{ret} {name}{generics}({params})\n{{\n{body}}}\n")
}

/// With the accessors that are asked for.
fn property(db: &dyn Db, env: Env, property: FunctionRef) -> String {
    let name = display::item_name(db, property.item);
    format!("property {} {name}\n{{\n{}}}\n", type_of(db, env, property), accessors(db, property.item))
}

fn subscript(db: &dyn Db, env: Env, subscript: FunctionRef) -> String {
    let (_, generics, params) = head(db, env, subscript);
    let ret = display::display(db, function_signature(db, env, subscript).ret);
    format!("__subscript{generics}({params}) -> {ret}\n{{\n{}}}\n", accessors(db, subscript.item))
}

fn constant(db: &dyn Db, env: Env, constant: FunctionRef) -> String {
    let name = display::item_name(db, constant.item);
    format!("static const {} {name} = {{}};\n", type_of(db, env, constant))
}

fn type_of(db: &dyn Db, env: Env, member: FunctionRef) -> String {
    let substitution = Substitution::of_function(db, member);
    display::display(db, substitute(db, env, signature::variable_type(db, member.item), &substitution))
}

fn accessors(db: &dyn Db, property: ItemId) -> String {
    item::members(db, property)
        .iter()
        .filter_map(|accessor| match item::item_data(db, *accessor).kind {
            ItemKind::Accessor { kind: AccessorKind::Get, .. } => Some("    get { return {}; }\n"),
            ItemKind::Accessor { kind: AccessorKind::Set, .. } => Some("    set { }\n"),
            _ => None,
        })
        .collect()
}

/// A type that fulfils the bounds is the user's to find.
fn associated_type(db: &dyn Db, requirement: ItemId) -> String {
    format!("typealias {} = float;\n", display::item_name(db, requirement))
}

/// Lines in front of the brace that closes a container, indented as what is around them.
pub(crate) fn insertion(db: &dyn Db, segment: Segment, lines: &str) -> Option<TextEdit> {
    if segment.kind(db) != SegmentKind::Container || !segment.body(db).trim_start().starts_with('}') {
        return None;
    }
    let body = segment.body(db);
    let brace = TextSize::new((body.len() - body.trim_start().len()) as u32);
    let (file, brace) = position::absolute(db, Location { segment, part: Part::Body, range: TextRange::empty(brace) });
    let text = db.text(file)?;
    let before = text.slice(0..brace.start().into());
    let header = text.part_start(segment, Part::Header)?;
    let unit = if before.get(header..)?.contains("\n\t") { "\t" } else { "    " };
    let (_, line) = before.rsplit_once('\n').unwrap_or(("", &before));
    let indent: String = line.chars().take_while(|letter| letter.is_whitespace()).collect();
    let indented = |line: &str| {
        let inner = line.trim_start_matches(' ');
        let depth = 1 + (line.len() - inner.len()) / 4;
        format!("{indent}{}{inner}\n", unit.repeat(depth))
    };
    let lines: String = lines.lines().map(indented).collect();
    let starts_line = line.trim().is_empty();
    let start = if starts_line { before.len() - line.len() } else { before.trim_end().len() };
    let text = if starts_line { lines } else { format!("\n{lines}{indent}") };
    let end = if starts_line { TextSize::new(start as u32) } else { brace.start() };
    Some(TextEdit { at: FileRange { file, range: TextRange::new(TextSize::new(start as u32), end) }, text })
}
