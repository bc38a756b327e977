//! Document and workspace symbols.

use base_db::{Db, Segment, SegmentKind, SourceFile, text::Part};
use hir_def::{
    expansion,
    item::{self, Item, ItemId, ItemKind, ModulePath},
    name::Name,
    position::{self, Location},
    source_map,
};
use hir_ty::display;
use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize};

use crate::{
    FileRange,
    macros::{self, Macro},
    mentions,
};

/// A declaration as editors list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The signature or type, as written.
    pub detail: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole declaration.
    pub range: FileRange,
    /// The name alone.
    pub name_range: FileRange,
    /// The name of what it is declared in (workspace symbols only).
    pub container: Option<String>,
    /// What is declared in it.
    pub children: Vec<Symbol>,
}

/// What a declaration is, as editors know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function with a receiver, or in a type.
    Method,
    /// A constructor.
    Constructor,
    /// A struct or class.
    Struct,
    /// An interface.
    Interface,
    /// An enumeration.
    Enum,
    /// A case of an enumeration.
    EnumCase,
    /// A variable of a file or namespace.
    Variable,
    /// A variable that nothing assigns to.
    Constant,
    /// A field.
    Field,
    /// A property or subscript.
    Property,
    /// A namespace.
    Namespace,
    /// A module.
    Module,
    /// A name for a type.
    TypeAlias,
    /// A generic parameter.
    TypeParameter,
    /// An operator.
    Operator,
}

/// Declarations nest no deeper than this in a symbol tree.
const MAX_DEPTH: usize = ::diagnostics::limits::OUTLINES as usize;

/// What a file declares; what it includes is in the outlines of the headers.
pub fn document_symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let symbols = item::file_items(db, file).iter().filter_map(|&item| symbol(db, item, 0));
    let mut symbols: Vec<Symbol> = symbols.filter(|symbol| symbol.range.file == file).collect();
    symbols.extend(macros::written_in(db, file).iter().map(macro_symbol));
    symbols.sort_by_key(|symbol| symbol.range.range.start());
    symbols
}

fn macro_symbol(found: &Macro) -> Symbol {
    Symbol {
        name: found.name.clone(),
        detail: None,
        kind: if found.takes_arguments() { SymbolKind::Function } else { SymbolKind::Constant },
        range: found.at,
        name_range: found.at,
        container: None,
        children: Vec::new(),
    }
}

/// The declarations of all known files (without the core library) whose name contains the query's letters in order,
/// best first.
pub fn workspace_symbols(db: &dyn Db, query: &str, limit: usize) -> Vec<Symbol> {
    let mut seen = FxHashSet::default();
    let symbols =
        items_named_like(db, |name| fuzzy_penalty(name, query)).into_iter().filter_map(|(_, item)| symbol_of(db, item));
    // What a header declares is declared in each file that includes it.
    let mut found: Vec<Symbol> = symbols.filter(|symbol| seen.insert(symbol.name_range)).take(limit).collect();
    found.extend(macros_named_like(db, query).into_iter().take(limit - found.len()));
    found
}

/// The macros of all known files whose names fit, best first.
fn macros_named_like(db: &dyn Db, query: &str) -> Vec<Symbol> {
    let mut found = mentions::find_in(db, &mentions::user_files(db), |db, file| {
        db.unwind_if_revision_cancelled();
        let defined = macros::written_in(db, file).into_iter();
        defined.filter_map(|defined| Some((fuzzy_penalty(&defined.name, query)?, defined))).collect()
    });
    found.sort_by(|(a, left), (b, right)| (a, &left.name).cmp(&(b, &right.name)));
    found.iter().map(|(_, defined)| macro_symbol(defined)).collect()
}

/// The items of all known files (without the core library) whose names fit, those with the smallest penalty first.
pub(crate) fn items_named_like(db: &dyn Db, penalty: impl Fn(&str) -> Option<u32> + Sync) -> Vec<(Name, ItemId)> {
    let mut found = mentions::find_in(db, &mentions::user_files(db), |db, file| {
        db.unwind_if_revision_cancelled();
        let mut found: Vec<(u32, Name, ItemId)> = Vec::new();
        let mut waiting: Vec<Segment> = file.segments(db).iter().rev().copied().collect();
        while let Some(segment) = waiting.pop() {
            waiting.extend(segment.members(db).iter().rev());
            // Parsing is most of the work and what is parsed takes room: only what can have such a name is.
            if !may_declare(db, segment, &penalty) {
                continue;
            }
            for &item in item::segment_items(db, segment) {
                let name = item::item_data(db, item).name.as_ref();
                let distance = name.and_then(|name| match display::is_operator(name) {
                    false => penalty(name.as_str()),
                    true => penalty(&format!("operator{name}")),
                });
                found.extend(name.zip(distance).map(|(name, penalty)| (penalty, name.clone(), item)));
            }
        }
        found
    });
    found.sort_by(|(a, left, _), (b, right, _)| (a, left).cmp(&(b, right)));
    found.into_iter().map(|(_, name, item)| (name, item)).collect()
}

/// Whether a segment spells a name that fits where it declares something. What an `#include` brings
/// in is declared in its own file.
fn may_declare(db: &dyn Db, segment: Segment, penalty: &impl Fn(&str) -> Option<u32>) -> bool {
    const DECLARING_BODIES: [&str; 5] = ["enum", "property", "__subscript", "cbuffer", "tbuffer"];
    if matches!(segment.kind(db), SegmentKind::Directive | SegmentKind::Trivia) {
        return false;
    }
    let is_match = |text: &str| {
        let mut words = text.split(|c: char| c != '_' && !c.is_alphanumeric());
        words.any(|word| !word.is_empty() && penalty(word).is_some())
    };
    let header = segment.header(db);
    let body_declares = !header.contains('(') || DECLARING_BODIES.iter().any(|word| header.contains(word));
    // An operator is called otherwise than its words.
    is_match(header) || header.contains("operator") || body_declares && is_match(segment.body(db))
}

/// The symbol of one declaration, without what is declared in it.
pub(crate) fn symbol_of(db: &dyn Db, item: ItemId) -> Option<Symbol> {
    let container = item::container(db, item).and_then(|container| item::item_data(db, container).name.as_ref());
    Some(Symbol { container: container.map(|name| name.to_string()), ..symbol(db, item, MAX_DEPTH)? })
}

/// How far `name` is from `query`: letters skipped; `None` if the query's letters do not occur in order.
fn fuzzy_penalty(name: &str, query: &str) -> Option<u32> {
    let mut penalty = 0;
    let mut rest = name.chars();
    for wanted in query.chars().filter(|c| !c.is_whitespace()) {
        loop {
            let letter = rest.next()?;
            if letter.eq_ignore_ascii_case(&wanted) {
                break;
            }
            penalty += 1;
        }
    }
    Some(penalty + rest.count() as u32)
}

fn symbol(db: &dyn Db, item: ItemId, depth: usize) -> Option<Symbol> {
    let data = item::item_data(db, item);
    let kind = symbol_kind(db, item)?;
    let source = source_map::item_source(db, item).as_ref()?;
    let (file, range) = position::absolute(db, source.range);
    let (_, name_range) = position::absolute(db, source.name.unwrap_or(source.range));
    let children: Vec<Symbol> = match data.kind {
        // Accessors are part of their property.
        ItemKind::Property { .. } | ItemKind::Subscript { .. } => Vec::new(),
        _ if depth >= MAX_DEPTH => Vec::new(),
        _ => {
            let declared = item::members(db, item).iter().chain(item::local_items(db, item));
            let symbols = declared.filter_map(|&member| symbol(db, member, depth + 1));
            symbols.filter(|symbol| symbol.range.file == file).collect()
        }
    };
    let whole = children.iter().fold(range.cover(name_range), |whole, child| whole.cover(child.range.range));
    // The header of a declaration ends before its body.
    let whole = body_range(db, item, source.range).map_or(whole, |body| whole.cover(body));
    Some(Symbol {
        name: display_name(db, item, data),
        detail: None,
        kind,
        range: FileRange { file, range: whole },
        name_range: FileRange { file, range: name_range },
        container: None,
        children,
    })
}

/// The body of a declaration that has a segment for itself, through its last brace.
fn body_range(db: &dyn Db, item: ItemId, header: Location) -> Option<TextRange> {
    let segment = item.segment(db);
    let is_whole = item::container(db, item).is_none_or(|container| container.segment(db) != segment);
    if header.segment != segment
        || header.part != Part::Header
        || !is_whole
        || !segment.has_body(db)
        || expansion::is_joined(db, segment)
    {
        return None;
    }
    let body = segment.body(db);
    let end = match segment.kind(db) {
        SegmentKind::Container => body.find('}')? + 1,
        SegmentKind::Item => body.trim_end().len(),
        SegmentKind::Directive | SegmentKind::Trivia | SegmentKind::Irregular => return None,
    };
    let range = TextRange::up_to(TextSize::new(end as u32));
    Some(position::absolute(db, Location { segment, part: Part::Body, range }).1)
}

fn display_name(db: &dyn Db, item: ItemId, data: &Item) -> String {
    match (&data.name, &data.kind) {
        (Some(_), ItemKind::Function(_)) => display::declared_name(db, item),
        (Some(name), _) => name.to_string(),
        (None, ItemKind::Extension { target, .. }) => {
            let source = source_map::item_source(db, item).as_ref();
            let place = source.map(|source| position::absolute(db, source.type_ref(*target)));
            let written = place.and_then(|(file, range)| Some(db.text(file)?.slice(range.into())));
            format!("extension {}", written.unwrap_or_default()).trim_end().to_owned()
        }
        (None, ItemKind::Module { name: ModulePath::Dotted(name) | ModulePath::Quoted(name) }) => name.clone(),
        (None, ItemKind::Constructor { .. }) => "__init".to_owned(),
        (None, ItemKind::Subscript { .. }) => "__subscript".to_owned(),
        (None, _) => "?".to_owned(),
    }
}

/// `None` for what is not a symbol (imports, stray tokens).
pub fn symbol_kind(db: &dyn Db, item: ItemId) -> Option<SymbolKind> {
    let data = item::item_data(db, item);
    let in_type = item::container(db, item).is_some_and(|container| {
        matches!(
            item::item_data(db, container).kind,
            ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Extension { .. }
        )
    });
    let is_operator = data.name.as_ref().is_some_and(display::is_operator);
    Some(match &data.kind {
        ItemKind::Function(_) if is_operator => SymbolKind::Operator,
        ItemKind::Function(_) if in_type => SymbolKind::Method,
        ItemKind::Function(_) | ItemKind::Accessor { .. } => SymbolKind::Function,
        ItemKind::Constructor { .. } => SymbolKind::Constructor,
        ItemKind::Subscript { .. } | ItemKind::Property { .. } => SymbolKind::Property,
        ItemKind::Struct { .. } | ItemKind::Extension { .. } | ItemKind::ConstantBuffer { .. } => SymbolKind::Struct,
        ItemKind::Interface { .. } => SymbolKind::Interface,
        ItemKind::Enum { .. } => SymbolKind::Enum,
        ItemKind::EnumCase { .. } => SymbolKind::EnumCase,
        ItemKind::TypeAlias { .. } | ItemKind::AssociatedType { .. } | ItemKind::GlobalTypeParam => {
            SymbolKind::TypeAlias
        }
        ItemKind::GlobalValueParam => SymbolKind::Constant,
        ItemKind::Variable { .. } if data.modifiers.contains(hir_def::attribute::Modifiers::CONST) => {
            SymbolKind::Constant
        }
        ItemKind::Variable { .. } if in_type => SymbolKind::Field,
        ItemKind::Variable { .. } => SymbolKind::Variable,
        ItemKind::Namespace => SymbolKind::Namespace,
        ItemKind::Module { .. } => SymbolKind::Module,
        ItemKind::Import { .. }
        | ItemKind::Include { .. }
        | ItemKind::Implementing { .. }
        | ItemKind::Using { .. }
        | ItemKind::Constraint
        | ItemKind::Empty
        | ItemKind::Unsupported(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::fuzzy_penalty;

    #[test]
    fn letters_must_occur_in_order() {
        assert_eq!(fuzzy_penalty("shadow", "shadow"), Some(0));
        assert_eq!(fuzzy_penalty("softShadow", "ss"), Some(8));
        assert_eq!(fuzzy_penalty("shadow", "ws"), None);
        assert!(fuzzy_penalty("shadow", "sh") < fuzzy_penalty("sampleHits", "sh"));
    }
}
