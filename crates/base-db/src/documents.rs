//! The writer's side: what the editor opens, edits and closes, and what changes on disk, becomes inputs.
//!
//! One thread owns the [`Documents`] together with the [`RootDatabase`] and is the only one to change inputs.

mod edit;

use std::borrow::Cow;

use std::{ops::Range, sync::Arc};

use ropey::Rope;
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::{Durability, Setter};
use syntax::segment::LibraryFile;

use edit::Edit;

use crate::{
    Db, Project, RootDatabase, SourceFile,
    layout::{Layout, Piece},
    segment_store::SegmentStore,
    segmentation::{self, Plan},
    text::{FileText, Part},
};

/// Where the core library's files live.
pub const PRELUDE_SCHEME: &str = "prelude:/";

/// All files that the analysis knows.
#[derive(Default)]
pub struct Documents {
    files: FxHashMap<Arc<str>, Document>,
    pub(crate) segments: SegmentStore,
    project: Option<Project>,
    /// Files came or went since the project's list was made.
    list_is_old: bool,
    /// Where GLSL's library comes from, until it is loaded.
    glsl: Option<fn() -> Vec<LibraryFile>>,
}

#[derive(Debug, Clone, Copy)]
struct Document {
    file: SourceFile,
    /// The editor's text counts, not the disk's.
    open: bool,
    /// Listed in the project: a removed file keeps its input for when it comes back.
    present: bool,
}

impl Documents {
    /// Prepares an empty database.
    pub fn new(db: &mut RootDatabase) -> Documents {
        let mut documents = Documents::default();
        documents.project(db);
        documents
    }

    /// The settings of the analysis.
    pub fn project(&mut self, db: &RootDatabase) -> Project {
        *self.project.get_or_insert_with(|| {
            Project::builder(
                Arc::default(),
                Arc::default(),
                Arc::default(),
                false,
                Arc::default(),
                false,
                Arc::default(),
            )
            .durability(Durability::HIGH)
            .new(db)
        })
    }

    /// Sets the folders that imports and includes are sought in after the folder of the file itself.
    pub fn set_search_roots(&mut self, db: &mut RootDatabase, roots: Vec<Arc<str>>) {
        let project = self.project(db);
        if **project.search_roots(db) != *roots {
            project.set_search_roots(db).to(roots.into());
        }
    }

    /// `-D NAME=VALUE`.
    pub fn set_macro_definitions(&mut self, db: &mut RootDatabase, mut definitions: Vec<(Arc<str>, Arc<str>)>) {
        // Of several of one name the first counts, as for slangc.
        let mut seen = FxHashSet::default();
        definitions.retain(|(name, _)| seen.insert(name.clone()));
        let project = self.project(db);
        if **project.macro_definitions(db) != *definitions {
            project.set_macro_definitions(db).to(definitions.into());
        }
    }

    /// `-unscoped-enum`.
    pub fn set_unscoped_enums(&mut self, db: &mut RootDatabase, unscoped: bool) {
        let project = self.project(db);
        if project.unscoped_enums(db) != unscoped {
            project.set_unscoped_enums(db).to(unscoped);
        }
    }

    /// `-allow-glsl`.
    pub fn set_allow_glsl(&mut self, db: &mut RootDatabase, allowed: bool) {
        let project = self.project(db);
        if project.allow_glsl(db) != allowed {
            project.set_allow_glsl(db).to(allowed);
        }
        if allowed {
            self.load_glsl(db);
        }
    }

    /// Makes the core library known, which never changes again.
    pub fn load_prelude(&mut self, db: &mut RootDatabase, files: impl IntoIterator<Item = LibraryFile>) {
        let files = self.load_library(db, files);
        self.project(db).set_prelude(db).with_durability(Durability::NEVER_CHANGE).to(files);
    }

    /// Says where GLSL's library comes from. Programs that do not ask for it pay nothing for it.
    pub fn offer_glsl(&mut self, files: fn() -> Vec<LibraryFile>) {
        self.glsl = Some(files);
    }

    /// Makes GLSL's library known, if it is not.
    pub fn load_glsl(&mut self, db: &mut RootDatabase) {
        if let Some(files) = self.glsl.take() {
            let files = self.load_library(db, files());
            self.project(db).set_glsl(db).with_durability(Durability::HIGH).to(files);
        }
    }

    fn load_library(
        &mut self,
        db: &mut RootDatabase,
        files: impl IntoIterator<Item = LibraryFile>,
    ) -> Arc<[SourceFile]> {
        let mut loaded = Vec::new();
        for LibraryFile { name, text, segments, declared } in files {
            let path: Arc<str> = format!("{PRELUDE_SCHEME}{name}.slang").into();
            let file = SourceFile::builder(path.clone(), Arc::default(), declared.into())
                .durability(Durability::HIGH)
                .declared_durability(Durability::NEVER_CHANGE)
                .new(db);
            let plans = segmentation::plans(text, segments);
            let segments = self.segments.allocate_constant(db, file, None, &plans);
            file.set_segments(db).with_durability(Durability::NEVER_CHANGE).to(segments);
            db.add_library_text(file, text);
            self.files.insert(path, Document { file, open: false, present: true });
            loaded.push(file);
        }
        self.list_is_old = true;
        self.publish_files(db);
        loaded.into()
    }

    /// The file with this path, if it is known.
    pub fn file(&self, path: &str) -> Option<SourceFile> {
        self.files.get(path).filter(|document| document.present).map(|document| document.file)
    }

    /// Whether an editor has the file open, so that its text is what the editor says.
    pub fn is_open(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|document| document.open)
    }

    /// The number of segments that were ever made: bounded however long one edits.
    pub fn segment_count(&self) -> usize {
        self.segments.created()
    }

    /// The editor shows this file now; its text replaces the one on disk.
    pub fn open(&mut self, db: &mut RootDatabase, path: &str, text: &str) -> SourceFile {
        let file = self.write(db, path, text);
        if let Some(document) = self.files.get_mut(path) {
            document.open = true;
        }
        self.publish_files(db);
        file
    }

    /// The editor gave up this file; the disk's text is `text`, or the file is gone.
    pub fn close(&mut self, db: &mut RootDatabase, path: &str, text: Option<&[u8]>) {
        if let Some(document) = self.files.get_mut(path) {
            document.open = false;
            self.change_on_disk(db, path, text);
        }
    }

    /// A file appeared, changed (`Some`) or went away (`None`) on disk. What the editor has open stays as it is.
    pub fn change_on_disk(&mut self, db: &mut RootDatabase, path: &str, text: Option<&[u8]>) {
        self.change_all_on_disk(db, [(path, text)]);
    }

    /// Many files at once, which costs one change of the list of files. Returns whether any is another than before.
    pub fn change_all_on_disk<'a>(
        &mut self,
        db: &mut RootDatabase,
        changes: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
    ) -> bool {
        let changed = self.prepare_from_disk(db, changes);
        self.publish_files(db);
        changed
    }

    /// The same, without the change of the list: new files are seen once the list changes. For more files than the writer
    /// should take at once.
    pub fn prepare_from_disk<'a>(
        &mut self,
        db: &mut RootDatabase,
        changes: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
    ) -> bool {
        let mut changed = false;
        for (path, text) in changes {
            if !self.is_open(path) {
                changed |= self.take_from_disk(db, path, text);
            }
        }
        changed
    }

    fn take_from_disk(&mut self, db: &mut RootDatabase, path: &str, text: Option<&[u8]>) -> bool {
        let known = self.file(path);
        match (text, known) {
            (Some(bytes), _) => {
                let text = decode(bytes);
                let is_same = known.and_then(|file| db.text(file)).is_some_and(|known| known.rope == *text);
                if !is_same {
                    self.write(db, path, &text);
                }
                !is_same
            }
            (None, Some(file)) => {
                if let Some(document) = self.files.get_mut(path) {
                    document.present = false;
                }
                self.list_is_old = true;
                self.replace_text(db, file, Rope::new());
                true
            }
            (None, None) => false,
        }
    }

    /// Replaces a byte range of a file by a text. Offsets inside a character go to its start.
    pub fn edit(&mut self, db: &mut RootDatabase, path: &str, range: Range<usize>, text: &str) {
        let Some(file) = self.file(path) else { return };
        let Some(old) = db.text(file) else { return };
        let mut rope = old.rope.clone();
        let start = rope.byte_to_char(range.start.min(rope.len_bytes()));
        let end = rope.byte_to_char(range.end.min(rope.len_bytes())).max(start);
        let bytes = rope.char_to_byte(start)..rope.char_to_byte(end);
        rope.remove(start..end);
        rope.insert(start, text);
        if self.edit_segments(db, file, &Edit { range: bytes, text }) {
            if let Some(text) = db.texts_mut().get_mut(&file) {
                text.rope = rope;
            }
        } else {
            self.replace_text(db, file, rope);
        }
    }

    /// Somebody looks at this place, and may edit it: the edit will cost no more than a second one there. Returns whether all
    /// results have to be looked at for that.
    pub fn expect_edit(&mut self, db: &mut RootDatabase, file: SourceFile, offset: usize) -> bool {
        let Some((segment, ..)) = db.text(file).and_then(|text| text.part_at(offset)) else { return false };
        self.segments.expect_edit(db, segment)
    }

    fn write(&mut self, db: &mut RootDatabase, path: &str, text: &str) -> SourceFile {
        let file = match self.files.get_mut(path) {
            Some(document) => {
                self.list_is_old |= !std::mem::replace(&mut document.present, true);
                document.file
            }
            None => {
                let path: Arc<str> = path.into();
                let file = SourceFile::builder(path.clone(), Arc::default(), Arc::default())
                    .durability(Durability::HIGH)
                    .new(db);
                self.files.insert(path, Document { file, open: false, present: true });
                self.list_is_old = true;
                file
            }
        };
        self.replace_text(db, file, Rope::from_str(text));
        file
    }

    /// Gives a file a new text; segments that stay equal are not touched.
    fn replace_text(&mut self, db: &mut RootDatabase, file: SourceFile, rope: Rope) {
        let text = rope.to_string();
        let plans = segmentation::segment(&text);
        self.segments.replace(db, file, &plans);
        self.write_text(db, file, rope);
    }

    fn write_text(&mut self, db: &mut RootDatabase, file: SourceFile, rope: Rope) {
        let text = FileText::new(db, file, rope);
        db.texts_mut().insert(file, text);
    }

    fn publish_files(&mut self, db: &mut RootDatabase) {
        if !std::mem::take(&mut self.list_is_old) {
            return;
        }
        let present = self.files.iter().filter(|(_, document)| document.present);
        let files: FxHashMap<Arc<str>, SourceFile> =
            present.map(|(path, document)| (path.clone(), document.file)).collect();
        let project = self.project(db);
        project.set_files(db).to(Arc::new(files));
    }
}

impl FileText {
    pub(crate) fn new(db: &RootDatabase, file: SourceFile, rope: Rope) -> FileText {
        let mut pieces = Vec::new();
        collect_pieces(db, file.segments(db), &mut pieces);
        FileText { rope, layout: Layout::new(pieces.into_iter()) }
    }
}

fn collect_pieces(db: &RootDatabase, segments: &[crate::Segment], pieces: &mut Vec<(Piece, usize)>) {
    for &segment in segments {
        pieces.push((Piece { segment, part: Part::Header }, segment.header(db).len()));
        collect_pieces(db, segment.members(db), pieces);
        pieces.push((Piece { segment, part: Part::Body }, segment.body(db).len()));
    }
}

impl Plan<'_> {
    /// Whether an input already says the same.
    pub(crate) fn matches(&self, db: &RootDatabase, segment: crate::Segment) -> bool {
        self.kind == segment.kind(db)
            && self.has_directives == segment.has_directives(db)
            && self.header == &**segment.header(db)
            && self.body == &**segment.body(db)
            && self.members.len() == segment.members(db).len()
            && self.members.iter().zip(segment.members(db).iter()).all(|(plan, member)| plan.matches(db, *member))
    }
}

/// The text of a file: UTF-8, or UTF-16 where the file begins with its byte order mark, which is no part of the text.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn the_byte_order_mark_says_how_a_file_is_written() {
        assert_eq!(decode(b"a\xc3\xb6"), "aö");
        assert_eq!(decode(b"\xff\xfea\0\xf6\0"), "aö");
        assert_eq!(decode(b"\xfe\xff\0a\0\xf6\0"), "aö", "half a character at the end is left out");
    }
}
