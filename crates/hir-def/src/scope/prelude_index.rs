//! What the core library declares under each name, found without parsing the rest of it.
//!
//! The core library is far larger than what one program uses of it. Its segments are filed under the names that their
//! tokens declare ([`syntax::segment::declared_name`], asked when the library was built); trees are made of those segments
//! only whose names are asked for.

use base_db::{Db, Project, Segment, SourceFile};
use rustc_hash::FxHashMap;
use syntax::segment::Declared;

use super::{all_file_items, segment_names};
use crate::{
    item::{self, ItemId},
    modules,
    name::Name,
};

/// The segments of the core library by what they declare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreludeIndex {
    by_name: FxHashMap<Name, Vec<Segment>>,
    /// Structs, interfaces, enums and namespaces.
    types: Vec<Segment>,
    extensions: Vec<Segment>,
}

#[salsa::tracked(returns(ref))]
fn prelude_index(db: &dyn Db) -> PreludeIndex {
    index_of(db, Project::try_get(db).map_or(&[], |project| project.prelude(db)))
}

/// The same of GLSL's library.
#[salsa::tracked(returns(ref))]
fn glsl_index(db: &dyn Db) -> PreludeIndex {
    index_of(db, Project::try_get(db).map_or(&[], |project| project.glsl(db)))
}

fn index_of(db: &dyn Db, files: &[SourceFile]) -> PreludeIndex {
    let mut index = PreludeIndex::default();
    for file in files {
        for (&segment, declared) in file.segments(db).iter().zip(file.declared(db)) {
            let name = match *declared {
                Declared::Value(name) => name,
                Declared::Type(name) => {
                    index.types.push(segment);
                    name
                }
                Declared::Extension => {
                    index.extensions.push(segment);
                    continue;
                }
                Declared::Nothing => continue,
                Declared::Unclear => {
                    for (name, _) in segment_names(db, segment) {
                        let segments = index.by_name.entry(name.clone()).or_default();
                        if segments.last() != Some(&segment) {
                            segments.push(segment);
                        }
                    }
                    continue;
                }
            };
            index.by_name.entry(Name::new(name)).or_default().push(segment);
        }
    }
    index
}

/// Everything that the core library declares as `name` at top level, in order.
pub fn prelude_items(db: &dyn Db, name: Name) -> &[ItemId] {
    Project::try_get(db).map_or(&[], |project| items_of_prelude(db, project, name))
}

/// A query for each name, because a name has as many segments as it has overloads.
#[salsa::tracked(returns(deref))]
fn items_of_prelude(db: &dyn Db, _project: Project, name: Name) -> Box<[ItemId]> {
    named(db, prelude_index(db), &name).into()
}

/// Everything that GLSL's library declares as `name` at top level, in order.
pub fn glsl_items(db: &dyn Db, name: &Name) -> Vec<ItemId> {
    named(db, glsl_index(db), name)
}

fn named(db: &dyn Db, index: &PreludeIndex, name: &Name) -> Vec<ItemId> {
    let Some(segments) = index.by_name.get(name) else { return Vec::new() };
    let names = segments.iter().flat_map(|segment| segment_names(db, *segment));
    names.filter(|(own, _)| own == name).map(|(_, item)| *item).collect()
}

/// The extensions that a file of the core library declares.
pub fn prelude_extensions(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    declared_by(db, file, &index_with(db, file).extensions)
}

/// The types and namespaces that a file of the core library declares.
pub fn prelude_types(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    declared_by(db, file, &index_with(db, file).types)
}

/// Everything that a file declares, members included, as far as it may have been written with one of these words. In the
/// core library, where no macro hides a word, only the declarations that hold one are parsed: the question is asked by
/// every program about something rare.
pub fn items_written_with(db: &dyn Db, file: SourceFile, words: &[&str]) -> Vec<ItemId> {
    if !modules::is_prelude(db, file) {
        return all_file_items(db, file).to_vec();
    }
    let mut items = Vec::new();
    let mut pending: Vec<Segment> = file.segments(db).iter().rev().copied().collect();
    while let Some(segment) = pending.pop() {
        if words.iter().any(|word| segment.header(db).contains(word)) {
            items.extend_from_slice(item::segment_items(db, segment));
        }
        pending.extend(segment.members(db).iter().rev().copied());
    }
    items
}

/// The index that a file of one of the libraries is in.
fn index_with(db: &dyn Db, file: SourceFile) -> &PreludeIndex {
    if modules::sees_glsl(db, file) { glsl_index(db) } else { prelude_index(db) }
}

fn declared_by(db: &dyn Db, file: SourceFile, segments: &[Segment]) -> Vec<ItemId> {
    let own = segments.iter().filter(|segment| segment.file(db) == file);
    own.filter_map(|segment| item::segment_items(db, *segment).first().copied()).collect()
}
