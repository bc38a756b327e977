//! References: every use of what stands at a position.

use base_db::{Db, Project, SourceFile};
use hir_def::item::{self, ItemId, ItemKind};
use rustc_hash::FxHashSet;

use crate::{
    FilePosition, FileRange,
    family::family,
    semantics::{self, Definition},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    pub at: FileRange,
    pub is_declaration: bool,
}

/// The declarations and all uses in known files, in the order of files and positions; `None` if there is no name.
pub fn references(db: &dyn Db, at: FilePosition) -> Option<Vec<Reference>> {
    let wanted = Wanted::at(db, at)?;
    let mut files: Vec<_> = Project::get(db).files(db).iter().collect();
    files.sort_by_key(|(path, _)| *path);
    let files = match wanted.only_in {
        Some(file) => vec![file],
        None => files.into_iter().map(|(_, &file)| file).collect(),
    };
    Some(files.into_iter().flat_map(|file| wanted.uses_in(db, file)).collect())
}

/// The same, in the file of the position alone.
pub fn highlights(db: &dyn Db, at: FilePosition) -> Option<Vec<Reference>> {
    Some(Wanted::at(db, at)?.uses_in(db, at.file))
}

/// What is looked for.
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// One definition, or a requirement and what fulfils it.
    pub(crate) definitions: Vec<Definition>,
    /// Names of a body stay in its file.
    only_in: Option<SourceFile>,
}

impl Wanted {
    pub(crate) fn at(db: &dyn Db, at: FilePosition) -> Option<Wanted> {
        let found = semantics::find(db, at)?;
        let definitions = match found.definition {
            Definition::Callable(_) | Definition::Candidates(_) | Definition::Attribute { .. } | Definition::NoDiff => {
                return None;
            }
            // The constructor is found by the name of its type.
            Definition::Item(item) => {
                family(db, type_of_constructor(db, item)).into_iter().map(Definition::Item).collect()
            }
            definition => vec![definition],
        };
        let declared = definitions.iter().find_map(|definition| semantics::declaration(db, definition))?;
        let name = db.text(declared.file)?.slice(declared.range.into());
        let is_local = matches!(definitions.first(), Some(Definition::Local { .. } | Definition::GenericParam { .. }));
        Some(Wanted { name, definitions, only_in: is_local.then_some(declared.file) })
    }

    fn uses_in(&self, db: &dyn Db, file: SourceFile) -> Vec<Reference> {
        let Some(text) = db.text(file) else { return Vec::new() };
        let text = text.rope().to_string();
        let declared: Vec<FileRange> =
            self.definitions.iter().filter_map(|definition| semantics::declaration(db, definition)).collect();
        let mut seen = FxHashSet::default();
        let mut uses = Vec::new();
        // Only places that spell the name can mean it.
        for offset in words(&text, &self.name) {
            let Some(found) = semantics::find(db, FilePosition { file, offset: offset as u32 }) else { continue };
            let at = FileRange { file, range: found.range };
            let spelled = text.get(at.range.start().into()..at.range.end().into()) == Some(&self.name);
            if spelled && self.is_meant(db, &found.definition) && seen.insert(at) {
                uses.push(Reference { at, is_declaration: declared.contains(&at) });
            }
        }
        uses
    }

    fn is_meant(&self, db: &dyn Db, definition: &Definition) -> bool {
        match definition {
            Definition::Item(item) => {
                let item = type_of_constructor(db, *item);
                self.definitions.contains(&Definition::Item(item))
            }
            // Whatever is chosen once the call is finished, the name is one of these.
            Definition::Candidates(items) => {
                items.iter().any(|item| self.definitions.contains(&Definition::Item(*item)))
            }
            definition => self.definitions.contains(definition),
        }
    }
}

fn type_of_constructor(db: &dyn Db, item: ItemId) -> ItemId {
    match item::item_data(db, item).kind {
        ItemKind::Constructor { .. } => item::container(db, item).unwrap_or(item),
        _ => item,
    }
}

/// Where a text has a word, in order.
pub(crate) fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    text.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        !is_word(text[..offset].chars().next_back()) && !is_word(text[offset + word.len()..].chars().next())
    })
}
