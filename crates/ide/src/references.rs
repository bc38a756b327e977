//! References: every use of what stands at a position.

mod exits;
mod nameless;

use base_db::{Db, SourceFile, text::Part};
use hir_def::{
    attribute::AttributeKind,
    expansion,
    item::{self, ItemId, ItemKind},
    modules, position, scope, source_map,
};
use hir_ty::signature::signature;
use rustc_hash::FxHashSet;
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use crate::{
    FilePosition, FileRange, effects,
    family::family,
    inclusions,
    macros::{self, Macro},
    mentions::{self, spellings},
    namespaces,
    semantics::{self, Definition},
};

/// A use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// Where it is.
    pub at: FileRange,
    /// Whether it declares the name.
    pub is_declaration: bool,
}

/// The declarations and all uses in known files, in the order of files and positions; `None` if there is no name.
pub fn references(db: &dyn Db, at: FilePosition) -> Option<Vec<Reference>> {
    if let Some((_, found)) = macros::macro_at(db, at) {
        let files = mentions::files_that_spell(db, &found.name);
        return Some(in_order(db, mentions::find_in(db, &files, |db, file| uses_of_macro(db, &found, file))));
    }
    Some(Wanted::at(db, at)?.uses(db))
}

fn uses_of_macro(db: &dyn Db, found: &Macro, file: SourceFile) -> Vec<Reference> {
    let uses = macros::uses(db, found, file).into_iter();
    uses.map(|range| FileRange { file, range }).map(|at| Reference { at, is_declaration: at == found.at }).collect()
}

/// What a use does with what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its value is read.
    Read,
    /// It is written.
    Write,
    /// It is neither: a type, a function, an exit.
    Text,
}

/// The same, in the file of the position alone, with what each does; at `return`, all exits of the function, at `break`,
/// `continue` and the word of a loop or a `switch`, those of that.
pub fn highlights(db: &dyn Db, at: FilePosition) -> Option<Vec<(FileRange, Access)>> {
    if let Some(exits) = exits(db, at).or_else(|| exits::of_loop(db, at)) {
        return Some(exits);
    }
    let uses = uses_here(db, at)?.into_iter();
    Some(uses.map(|found| (found.at, access(db, found.at))).collect())
}

/// The `return`s of the function whose `return` stands at a position.
fn exits(db: &dyn Db, at: FilePosition) -> Option<Vec<(FileRange, Access)>> {
    const WORD: &str = "return";
    let function = semantics::function_at(db, at)?;
    let (_, body) = position::absolute(db, source_map::body_source_map(db, function).owner());
    let text = db.text(at.file)?.slice(body.into());
    let lexed = lexer::lex(&text);
    let tokens =
        (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::IDENT).map(|index| lexed.range(index));
    let exits = tokens.filter(|range| &text[range.clone()] == WORD);
    let exits = exits.map(|range| TextRange::at(body.start() + TextSize::new(range.start as u32), TextSize::of(WORD)));
    let exits: Vec<TextRange> = exits.collect();
    let is_here = exits.iter().any(|range| range.contains_inclusive(TextSize::new(at.offset)));
    is_here.then(|| exits.into_iter().map(|range| (FileRange { file: at.file, range }, Access::Text)).collect())
}

/// Whether a use of a variable reads or writes it.
fn access(db: &dyn Db, at: FileRange) -> Access {
    let place = FilePosition { file: at.file, offset: at.range.start().into() };
    let Some(found) = semantics::find(db, place) else { return Access::Text };
    let is_variable = match &found.definition {
        Definition::Local { .. } => true,
        Definition::Item(item) => {
            matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. } | ItemKind::Property { .. })
        }
        _ => false,
    };
    let (true, Some(expr)) = (is_variable, found.expr) else {
        // Where it is declared it gets its value.
        return if is_variable { Access::Write } else { Access::Text };
    };
    let body = hir_def::body::queries::body(db, found.context);
    // Who writes an element or a member writes all of it.
    let is_written = effects::written(db, found.context)
        .into_iter()
        .any(|place| effects::parts_around(body, place).any(|place| place == expr));
    if is_written { Access::Write } else { Access::Read }
}

fn uses_here(db: &dyn Db, at: FilePosition) -> Option<Vec<Reference>> {
    if let Some((_, found)) = macros::macro_at(db, at) {
        return Some(uses_of_macro(db, &found, at.file));
    }
    let wanted = Wanted::at(db, at)?;
    let mut uses = wanted.uses_in(db, at.file);
    let nameless: Vec<ItemId> = wanted.nameless(db).collect();
    if !nameless.is_empty() {
        uses.extend(wanted.declared.iter().map(|at| Reference { at: *at, is_declaration: true }));
        uses.extend(nameless::uses_in(db, &nameless, at.file));
    }
    uses.retain(|found| found.at.file == at.file);
    Some(in_order(db, uses))
}

/// What is looked for.
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// One definition, or a requirement and what fulfils it; those of a header once for each file that includes it.
    pub(crate) definitions: Vec<Definition>,
    /// Where they are declared.
    pub(crate) declared: FxHashSet<FileRange>,
    /// What its uses as an attribute are called, if it defines one.
    pub(crate) short_name: Option<String>,
    /// Names of a body stay in its file.
    pub(crate) only_in: Option<SourceFile>,
}

impl Wanted {
    pub(crate) fn at(db: &dyn Db, at: FilePosition) -> Option<Wanted> {
        let mut definitions: Vec<Definition> = Vec::new();
        for found in semantics::find_all(db, at) {
            let spelled = db.text(at.file)?.slice(found.range.into());
            let meant = match found.definition {
                // A namespace is all of its parts, whatever files they are in.
                Definition::Item(item) if namespaces::is_namespace(db, item) => namespaces::parts(db, item),
                Definition::Candidates(items) if items.iter().all(|item| namespaces::is_namespace(db, *item)) => {
                    items.first().map(|item| namespaces::parts(db, *item)).unwrap_or_default()
                }
                Definition::Callable(_)
                | Definition::Candidates(_)
                | Definition::Attribute { .. }
                | Definition::StatementAttribute { .. }
                | Definition::Part(_)
                | Definition::NoDiff => continue,
                // A constructor is found by the name of its type, except where it is declared.
                Definition::Item(item) if spelled == "__init" => vec![Definition::Item(item)],
                Definition::Item(item) => {
                    let mut all = family(db, type_of_constructor(db, item));
                    all.extend(declared_again(db, item));
                    all.into_iter().map(Definition::Item).collect()
                }
                definition => vec![definition],
            };
            let new = meant.into_iter().filter(|definition| !definitions.contains(definition)).collect::<Vec<_>>();
            definitions.extend(new);
        }
        let first = definitions.iter().find_map(|definition| semantics::declaration(db, definition))?;
        let name = lexer::unfolded(&db.text(first.file)?.slice(first.range.into())).into_owned();
        let is_local = matches!(
            definitions.first(),
            Some(Definition::Local { .. } | Definition::GenericParam { .. } | Definition::Label { .. })
        );
        let declared = definitions.iter().filter_map(|definition| semantics::declaration(db, definition)).collect();
        let defines_attribute = definitions.iter().any(|definition| match definition {
            Definition::Item(item) => item::item_data(db, *item).has_attribute(AttributeKind::AttributeUsage),
            _ => false,
        });
        let short_name = name.strip_suffix(scope::ATTRIBUTE_SUFFIX).filter(|_| defines_attribute).map(str::to_owned);
        let only_in = is_local.then_some(first.file);
        Some(Wanted { name, definitions, declared, short_name, only_in })
    }

    /// All uses in known files.
    pub(crate) fn uses(&self, db: &dyn Db) -> Vec<Reference> {
        let mut uses = mentions::find_in(db, &self.files(db), |db, file| self.uses_in(db, file));
        let nameless: Vec<ItemId> = self.nameless(db).collect();
        if !nameless.is_empty() {
            let declared = self.declared.iter().map(|at| Reference { at: *at, is_declaration: true });
            uses.extend(declared);
            uses.extend(nameless::uses(db, &nameless));
        }
        in_order(db, uses)
    }

    /// What is used without being named, among what is wanted.
    fn nameless<'a>(&'a self, db: &'a dyn Db) -> impl Iterator<Item = ItemId> + 'a {
        self.definitions.iter().filter_map(|definition| match definition {
            Definition::Item(item) => Some(*item).filter(|item| nameless::is_nameless(db, *item)),
            _ => None,
        })
    }

    /// How its uses spell it.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.short_name.as_deref())
    }

    /// The files that may use it.
    pub(crate) fn files(&self, db: &dyn Db) -> Vec<SourceFile> {
        match self.only_in {
            // A header's bodies are read by those that include it as well.
            Some(file) => std::iter::once(file).chain(inclusions::files_that_include(db, file)).collect(),
            None => {
                // The core library is no file of the user's, but what it declares is found from there, too.
                let declaring = self.declared.iter().map(|at| at.file).filter(|file| modules::is_prelude(db, *file));
                let mut files: Vec<SourceFile> = declaring.collect();
                files.sort();
                files.dedup();
                files.extend(self.spellings().flat_map(|name| mentions::files_that_spell(db, name)));
                let mut seen = FxHashSet::default();
                files.retain(|file| seen.insert(*file));
                files
            }
        }
    }

    /// The uses in the text of a file, and in what it includes, as the file sees it.
    fn uses_in(&self, db: &dyn Db, file: SourceFile) -> Vec<Reference> {
        let mut uses = Vec::new();
        self.add_uses(db, file, |offset| semantics::find(db, FilePosition { file, offset }), &mut uses);
        for inclusion in inclusions::inclusions_in(db, file) {
            let find = |offset: u32| semantics::find_included(db, inclusion, offset.into());
            self.add_uses(db, inclusion.file, find, &mut uses);
        }
        uses
    }

    fn add_uses(
        &self,
        db: &dyn Db,
        file: SourceFile,
        find: impl Fn(u32) -> Option<semantics::Found>,
        uses: &mut Vec<Reference>,
    ) {
        let texts = self.texts(db, file);
        // Only places that spell the name can mean it.
        for (name, (start, text)) in self.spellings().flat_map(|name| texts.iter().map(move |text| (name, text))) {
            for place in spellings(text, name) {
                let Some(found) = find((start + place.start) as u32) else { continue };
                let at = FileRange { file, range: found.range };
                let spelled = start + place.start..start + place.end;
                let is_spelled = spelled == std::ops::Range::<usize>::from(at.range);
                if is_spelled && self.is_meant(db, &found.definition) {
                    uses.push(Reference { at, is_declaration: self.declared.contains(&at) });
                }
            }
        }
    }

    /// The texts of a file that may use it, each with the place where it begins.
    pub(crate) fn texts(&self, db: &dyn Db, file: SourceFile) -> Vec<(usize, String)> {
        let Some(text) = db.text(file) else { return Vec::new() };
        match self.extents(db) {
            None => vec![(0, text.rope().to_string())],
            Some(extents) => {
                let here = extents.into_iter().filter(|extent| extent.file == file);
                here.map(|extent| (extent.range.start().into(), text.slice(extent.range.into()))).collect()
            }
        }
    }

    /// What is around a name of a body, and all of its uses; `None` if it may be used anywhere.
    pub(crate) fn extents(&self, db: &dyn Db) -> Option<Vec<FileRange>> {
        self.only_in?;
        let of = |definition: &Definition| match definition {
            Definition::Local { owner, .. }
            | Definition::GenericParam { owner, .. }
            | Definition::Label { owner, .. } => extent(db, *owner),
            Definition::Item(_)
            | Definition::Candidates(_)
            | Definition::Type(_)
            | Definition::Callable(_)
            | Definition::Attribute { .. }
            | Definition::StatementAttribute { .. }
            | Definition::Part(_)
            | Definition::NoDiff => None,
        };
        let mut extents = self.definitions.iter().map(of).collect::<Option<Vec<FileRange>>>()?;
        let mut seen = FxHashSet::default();
        extents.retain(|extent| seen.insert(*extent));
        Some(extents)
    }

    fn is_meant(&self, db: &dyn Db, definition: &Definition) -> bool {
        match definition {
            Definition::Item(item) => self.is_meant_item(db, type_of_constructor(db, *item)),
            // Whatever is chosen once the call is finished, the name is one of these.
            Definition::Candidates(items) => items.iter().any(|item| self.is_meant_item(db, *item)),
            definition => {
                let same_place =
                    || semantics::declaration(db, definition).is_some_and(|at| self.declared.contains(&at));
                self.definitions.contains(definition) || self.only_in.is_some() && same_place()
            }
        }
    }

    /// A macro may declare several items in one place, of which each has its name.
    fn is_meant_item(&self, db: &dyn Db, item: ItemId) -> bool {
        let definition = Definition::Item(item);
        let has_name = || item::item_data(db, item).name.as_ref().is_some_and(|name| name.as_str() == self.name);
        let same_place = || semantics::declaration(db, &definition).is_some_and(|at| self.declared.contains(&at));
        self.definitions.contains(&definition) || has_name() && same_place()
    }
}

/// All that is written of the declaration that an item is a part of; of what a header declares, the header.
fn extent(db: &dyn Db, item: ItemId) -> Option<FileRange> {
    let written = source_map::item_source(db, item).as_ref()?.range;
    let file = written.segment.file(db);
    let text = db.text(file)?;
    let range = |from: usize, to: usize| TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32));
    let segment = item.segment(db);
    if segment.file(db) != file {
        return Some(FileRange { file, range: range(0, text.len()) });
    }
    let end = |part: Part| Some(text.part_start(segment, part)? + expansion::spelled_text(db, segment, part).len());
    // A run of declarations that is expanded as one is the header of the first.
    let range = range(text.part_start(segment, Part::Header)?, end(Part::Body)?.max(end(Part::Header)?));
    Some(FileRange { file, range })
}

/// By file and position, each once: a header is seen by each that includes it.
fn in_order(db: &dyn Db, mut uses: Vec<Reference>) -> Vec<Reference> {
    let mut seen = FxHashSet::default();
    uses.retain(|found| seen.insert(found.at));
    uses.sort_by_key(|found| (found.at.file.path(db), found.at.range.start()));
    uses
}

/// The other declarations of a function: forward declarations and the one with the body.
fn declared_again(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let data = item::item_data(db, item);
    let (ItemKind::Function(_), Some(name)) = (&data.kind, &data.name) else { return Vec::new() };
    let Some(innermost) = scope::scopes(db, item).into_iter().next() else { return Vec::new() };
    let own = signature(db, item);
    let same = |other: &ItemId| {
        let signature = signature(db, *other);
        *other != item
            && item::container(db, *other) == item::container(db, item)
            && signature.params.len() == own.params.len()
            && signature
                .params
                .iter()
                .zip(&own.params)
                .all(|(one, two)| (one.ty, one.direction) == (two.ty, two.direction))
    };
    let named = scope::lookup_in(db, innermost, name).into_iter();
    let functions = named.filter(|other| matches!(item::item_data(db, *other).kind, ItemKind::Function(_)));
    functions.filter(same).collect()
}

fn type_of_constructor(db: &dyn Db, item: ItemId) -> ItemId {
    match item::item_data(db, item).kind {
        ItemKind::Constructor { .. } => item::container(db, item).unwrap_or(item),
        _ => item,
    }
}
