//! A finding as plain data.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    position::Location,
    scope, source_map,
};
use hir_ty::diagnostics::Severity;
use syntax::TextRange;

/// Something that is wrong with a derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: u32,
    pub severity: Severity,
    /// A short sentence that stands alone.
    pub message: String,
    pub location: Location,
    /// Why: the way of the derivative to the place and on from it, in order.
    pub causes: Vec<Cause>,
    /// What the user can do, the best first.
    pub fixes: Vec<Fix>,
}

/// One step of the chain of causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub message: String,
    pub location: Location,
}

/// A change of the program that answers the finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub title: String,
    pub edits: Vec<Edit>,
}

/// Text that goes in place of what is at `location`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub location: Location,
    pub text: String,
}

impl Finding {
    pub fn error(code: u32, location: Location, message: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            message: message.into(),
            location,
            causes: Vec::new(),
            fixes: Vec::new(),
        }
    }

    pub fn warning(code: u32, location: Location, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(code, location, message) }
    }

    pub fn cause(mut self, location: Option<Location>, message: impl Into<String>) -> Finding {
        if let Some(location) = location {
            self.causes.push(Cause { message: message.into(), location });
        }
        self
    }

    pub fn fix(mut self, fix: Option<Fix>) -> Finding {
        self.fixes.extend(fix);
        self
    }
}

impl Fix {
    pub fn new(title: impl Into<String>, edits: impl Into<Vec<Edit>>) -> Fix {
        Fix { title: title.into(), edits: edits.into() }
    }
}

impl Edit {
    pub fn insert_before(location: Location, text: impl Into<String>) -> Edit {
        let range = TextRange::empty(location.range.start());
        Edit { location: Location { range, ..location }, text: text.into() }
    }

    pub fn insert_after(location: Location, text: impl Into<String>) -> Edit {
        let range = TextRange::empty(location.range.end());
        Edit { location: Location { range, ..location }, text: text.into() }
    }
}

/// Whether the file of `item` has a declaration that is not supported yet, which may be the derivative that is missing.
pub(crate) fn has_unsupported(db: &dyn Db, item: ItemId) -> bool {
    file_has_unsupported(db, item::file_of(db, item))
}

/// Once for a file, since each of its functions asks.
#[salsa::tracked(returns(copy))]
fn file_has_unsupported(db: &dyn Db, file: SourceFile) -> bool {
    let items = scope::all_file_items(db, file);
    items.iter().any(|item| matches!(item::item_data(db, *item).kind, ItemKind::Unsupported(_)))
}

/// Where the name of a declaration stands, or the whole of it if it has none.
pub(crate) fn name_location(db: &dyn Db, item: ItemId) -> Option<Location> {
    let source = source_map::item_source(db, item).as_ref()?;
    Some(source.name.unwrap_or(source.range))
}

/// Where the attribute with this number stands.
pub(crate) fn attribute_location(db: &dyn Db, item: ItemId, index: u32) -> Option<Location> {
    let source = source_map::item_source(db, item).as_ref()?;
    Some(source.attributes.get(index as usize).copied().unwrap_or(source.range))
}

/// Where the name of a parameter stands.
pub(crate) fn param_location(db: &dyn Db, item: ItemId, index: usize) -> Option<Location> {
    let source = source_map::item_source(db, item).as_ref()?;
    source.params.get(index).copied().flatten().or(source.name)
}

/// The name of a declaration, for messages.
pub(crate) fn name_of(db: &dyn Db, item: ItemId) -> String {
    item::item_data(db, item).name.as_ref().map_or_else(|| "this".to_owned(), ToString::to_string)
}

/// `[Attribute]` in front of a declaration that has a place of its own.
pub(crate) fn add_attribute(db: &dyn Db, item: ItemId, attribute: &str, title: String) -> Option<Fix> {
    let source = source_map::item_source(db, item).as_ref()?;
    Some(Fix::new(title, [Edit::insert_before(source.range, format!("[{attribute}] "))]))
}
