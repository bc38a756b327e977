//! Quick fix: writes the members that the interfaces of a type require and it lacks.

mod written;

use base_db::{Db, Segment, SegmentKind, text::Part};
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
    position::{self, Location},
    source_map,
};
use hir_ty::{
    conformance, display,
    env::Env,
    generics,
    known::{self, Known},
    members::{self, Origin},
    signature::FunctionRef,
    ty::Ty,
};
use syntax::{TextRange, TextSize, lexer};

use crate::{
    FilePosition, FileRange, TextEdit,
    diagnostics::Fix,
    missing_members::written::{Requirement, Writer, associated_type},
    semantics::{self, item_at},
};

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
    let interfaces = conformance::interfaces_of(db, env, this);
    let is_there =
        |name: &Name| members::lookup(db, env, this, name).iter().any(|member| member.origin != Origin::Interface);
    // Without parameters every type has one.
    let is_missing_constructor = |requirement: &Requirement| {
        matches!(
            &item::item_data(db, requirement.item).kind,
            ItemKind::Constructor { params, has_body: false } if !params.is_empty() && !is_there(&requirement.name)
        )
    };
    let requirements = requirements(db, interfaces, wanted);
    let constructors = requirements.iter().filter(|requirement| is_missing_constructor(requirement));
    let constructors = constructors.map(|requirement| (requirement.item, requirement.args)).collect();
    let inside = item::members(db, item).first().copied().unwrap_or(item);
    let writer = Writer { db, env, this, place: inside, constructors };
    let mut missing = Vec::new();
    for requirement in &requirements {
        let name = &requirement.name;
        let text = match &item::item_data(db, requirement.item).kind {
            ItemKind::Function(_) if wanted == Wanted::Overridable => {
                (!is_there(name)).then(|| writer.method(requirement, "override "))
            }
            _ if wanted == Wanted::Overridable => None,
            ItemKind::Function(written) => {
                let function = FunctionRef { item: requirement.item, args: requirement.args, self_ty: Some(this) };
                let is_missing = !written.has_body && conformance::implementation(db, env, function).is_none();
                is_missing.then(|| writer.method(requirement, ""))
            }
            ItemKind::Property { .. } if !is_there(name) => Some(writer.property(requirement)),
            ItemKind::Variable { has_init: false, .. } if !is_there(name) => Some(writer.constant(requirement)),
            ItemKind::Constructor { .. } if is_missing_constructor(requirement) => {
                Some(writer.constructor(requirement))
            }
            ItemKind::Subscript { .. } if !is_there(name) => Some(writer.subscript(requirement)),
            ItemKind::AssociatedType { default: None, .. } if !is_there(name) => {
                Some(associated_type(db, requirement.item))
            }
            _ => None,
        };
        let (name, interface) =
            (display::declared_name(db, requirement.item), display::display(db, requirement.interface));
        missing.extend(text.map(|text| Stub { name, interface, text }));
    }
    missing
}

fn requirements(db: &dyn Db, interfaces: &[Ty], wanted: Wanted) -> Vec<Requirement> {
    let is_of_library = |interface: &Ty| matches!(interface, Ty::Adt(item, _) if semantics::in_prelude(db, *item));
    let of_library = || interfaces.iter().copied().filter(is_of_library);
    // What an interface of the core library inherits, it makes out of its own.
    let is_made = |interface: ItemId| {
        let declared = of_library().filter_map(|other| known::declaration_of(db, other));
        let mut bases = declared.flat_map(|(other, _)| conformance::bases(db, other));
        bases.any(|base| matches!(base, Ty::Adt(base, _) if *base == interface))
    };
    // Derivatives of a type are made where they are not written.
    let is_derivative = |interface: ItemId| known::interface(db, Known::IDifferentiable) == Some(interface);
    let of_interface = |interface: &Ty| {
        let interface = *interface;
        let Ty::Adt(declared, args) = interface else { return Vec::new() };
        let is_of_library = is_of_library(&interface);
        if is_of_library && (wanted == Wanted::Overridable || is_derivative(declared) || is_made(declared)) {
            return Vec::new();
        }
        let requirement = |item: &ItemId| {
            let data = item::item_data(db, *item);
            // The others of the core library are made by the compiler.
            let is_written = !is_of_library
                || matches!(
                    data.kind,
                    ItemKind::Function(_) | ItemKind::AssociatedType { .. } | ItemKind::Property { .. }
                );
            let args = generics::identity_args_within(db, *item, args);
            let name = data.name.clone().filter(|_| is_written)?;
            Some(Requirement { interface, item: *item, name, args })
        };
        item::members(db, declared).iter().filter_map(requirement).collect()
    };
    interfaces.iter().flat_map(of_interface).collect()
}

/// Lines in front of the brace that closes a container, indented as what is around them.
pub(crate) fn insertion(db: &dyn Db, segment: Segment, lines: &str) -> Option<TextEdit> {
    if segment.kind(db) != SegmentKind::Container {
        return None;
    }
    // Comments behind the last member belong to what closes the container.
    let body = segment.body(db);
    let lexed = lexer::lex(body);
    let first = (0..lexed.len()).find(|index| !lexed.kind(*index).is_trivia())?;
    let brace = lexed.range(first);
    (&body[brace.clone()] == "}").then_some(())?;
    let brace = TextSize::new(brace.start as u32);
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
