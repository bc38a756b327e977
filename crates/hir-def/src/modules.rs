//! Which files make up a module, and which it imports.

use std::sync::Arc;

use base_db::{Db, Project, Segment, SegmentKind, SourceFile, chunks, documents::PRELUDE_SCHEME};
use rustc_hash::FxHashSet;

use crate::{
    expansion,
    item::{self, ItemId, ItemKind, ModulePath},
    paths,
};

/// What a file says about modules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleClauses {
    /// `module name;`
    pub module: Option<ItemId>,
    /// `implementing name;`
    pub implementing: Option<ItemId>,
    /// `__include`s.
    pub includes: Vec<ItemId>,
    /// `import`s.
    pub imports: Vec<ItemId>,
    /// `using`s at the top level.
    pub usings: Vec<ItemId>,
}

/// The clauses of all segments of a file.
#[salsa::tracked]
pub fn module_clauses(db: &dyn Db, file: SourceFile) -> ModuleClauses {
    let mut clauses = ModuleClauses::default();
    // The core library has none, and its trees are made only where they are needed.
    if is_prelude(db, file) {
        return clauses;
    }
    for added in (0..chunks::chunks(db, file)).filter_map(|chunk| chunk_clauses(db, file, chunk)) {
        clauses.add(added);
    }
    clauses
}

/// The part of a file's clauses that some segments say, usually none.
#[salsa::tracked(returns(as_deref))]
fn chunk_clauses(db: &dyn Db, file: SourceFile, chunk: u32) -> Option<Box<ModuleClauses>> {
    let mut clauses = ModuleClauses::default();
    for added in chunks::chunk(db, file, chunk).iter().filter_map(|segment| segment_clauses(db, *segment)) {
        clauses.add(added);
    }
    (clauses != ModuleClauses::default()).then(|| Box::new(clauses))
}

/// The clauses that are spelled as such, which is all but those that macros make: found without a look at the rest of the
/// file. For files that nobody looks at.
pub(crate) fn spelled_clauses(db: &dyn Db, file: SourceFile) -> ModuleClauses {
    let mut clauses = ModuleClauses::default();
    let is_spelled = |segment: &&Segment| {
        let may_be = segment.kind(db) == SegmentKind::Irregular || !segment.has_body(db);
        may_be && may_spell_a_clause(segment.header(db))
    };
    for segment in file.segments(db).iter().filter(is_spelled) {
        if let Some(added) = segment_clauses(db, *segment) {
            clauses.add(added);
        }
    }
    clauses
}

/// Whether a text has the word of a clause with something behind it that it could name. Headers of C++ have none, however many
/// files they `#include`; to look into all of what those declare costs seconds and gigabytes.
pub(crate) fn may_spell_a_clause(text: &str) -> bool {
    const WORDS: [&str; 4] = ["import", "__import", "__include", "implementing"];
    WORDS.iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let begins = !text[..at].ends_with(is_word);
            begins && text[at + word.len()..].starts_with(|c: char| !is_word(c))
        })
    })
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl ModuleClauses {
    fn add(&mut self, added: &ModuleClauses) {
        self.module = self.module.or(added.module);
        self.implementing = self.implementing.or(added.implementing);
        self.includes.extend(&added.includes);
        self.imports.extend(&added.imports);
        self.usings.extend(&added.usings);
    }
}

/// The part of a file's clauses that one segment says, usually none.
#[salsa::tracked(returns(as_deref))]
fn segment_clauses(db: &dyn Db, segment: Segment) -> Option<Box<ModuleClauses>> {
    let mut clauses = ModuleClauses::default();
    for &item in item::segment_items(db, segment) {
        let data = item::item_data(db, item);
        match data.kind {
            _ if data.parent.is_some() => {}
            ItemKind::Module { .. } => clauses.module = clauses.module.or(Some(item)),
            ItemKind::Implementing { .. } => clauses.implementing = clauses.implementing.or(Some(item)),
            ItemKind::Include { .. } => clauses.includes.push(item),
            ItemKind::Import { .. } => clauses.imports.push(item),
            ItemKind::Using { .. } => clauses.usings.push(item),
            _ => {}
        }
    }
    (clauses != ModuleClauses::default()).then(|| Box::new(clauses))
}

/// The path that a module item names.
pub fn path_of(db: &dyn Db, item: ItemId) -> Option<&ModulePath> {
    match &item::item_data(db, item).kind {
        ItemKind::Import { path, .. } | ItemKind::Include { path } => Some(path),
        ItemKind::Module { name } | ItemKind::Implementing { name } => Some(name),
        _ => None,
    }
}

/// The files that share one module's scope, and those whose public names it sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleView {
    /// The file that the module begins with: it has the `module` clause and includes the others.
    pub root: SourceFile,
    /// All files of the module, the root first.
    pub files: Arc<[SourceFile]>,
    /// Files of directly imported modules and of those that they export on.
    pub imported: Arc<[SourceFile]>,
}

/// The module that a file belongs to.
pub fn module_view(db: &dyn Db, file: SourceFile) -> &ModuleView {
    view_of_root(db, module_root(db, file))
}

/// Whether those who import the module of `file` see that of `other` as well: `__exported import`, directly or not.
pub fn exports(db: &dyn Db, file: SourceFile, other: SourceFile) -> bool {
    let wanted = module_root(db, other);
    let mut seen = FxHashSet::default();
    let mut pending = vec![module_root(db, file)];
    while let Some(root) = pending.pop() {
        if root == wanted {
            return true;
        }
        if seen.insert(root) {
            let exported = module_files(db, root).iter().flat_map(|file| imports_of(db, *file, Imports::Exported));
            pending.extend(exported.map(|file| module_root(db, file)));
        }
    }
    false
}

/// Whether the file belongs to the core library.
pub fn is_prelude(db: &dyn Db, file: SourceFile) -> bool {
    file.path(db).starts_with(PRELUDE_SCHEME)
}

/// Whether the names of GLSL's library mean something in a file: everywhere under `-allow-glsl`, in modules that ask for it,
/// and in the library itself.
#[salsa::tracked(returns(copy))]
pub fn sees_glsl(db: &dyn Db, file: SourceFile) -> bool {
    let Some(project) = Project::try_get(db) else { return false };
    if is_prelude(db, file) {
        return project.glsl(db).contains(&file);
    }
    project.allow_glsl(db) || module_view(db, file).files.iter().any(|file| asks_for_glsl(db, *file))
}

/// Whether a file asks for GLSL's library: by `import glsl;`, a `#version` line or the ending of its name.
#[salsa::tracked(returns(copy))]
pub fn asks_for_glsl(db: &dyn Db, file: SourceFile) -> bool {
    let imports = || module_clauses(db, file).imports.iter().any(|item| path_of(db, *item).is_some_and(is_glsl));
    says_it_is_glsl(db, file) || imports()
}

/// Whether the globals of a file are those of GLSL: what the host gives is `uniform`, everything else is a variable.
pub fn has_globals_of_glsl(db: &dyn Db, file: SourceFile) -> bool {
    !is_prelude(db, file)
        && (Project::try_get(db).is_some_and(|project| project.allow_glsl(db)) || says_it_is_glsl(db, file))
}

/// Whether a `#version` line or the ending of its name says that a file is GLSL.
#[salsa::tracked(returns(copy))]
fn says_it_is_glsl(db: &dyn Db, file: SourceFile) -> bool {
    const ENDINGS: &[&str] = &[
        "glsl", "vert", "frag", "geom", "tesc", "tese", "comp", "mesh", "task", "rgen", "rint", "rahit", "rchit",
        "rmiss", "rcall",
    ];
    let ending = file.path(db).rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) || has_version_line(db, file)
}

/// Whether `import` of this path asks for GLSL's library.
pub(crate) fn is_glsl(path: &ModulePath) -> bool {
    let (ModulePath::Dotted(name) | ModulePath::Quoted(name)) = path;
    name == "glsl"
}

#[salsa::tracked(returns(copy))]
fn has_version_line(db: &dyn Db, file: SourceFile) -> bool {
    expansion::directives(db, file).any(|segment| {
        let mut lines = segment.header(db).lines();
        lines.any(|line| line.trim().strip_prefix('#').is_some_and(|line| line.trim_start().starts_with("version")))
    })
}

/// The file that includes this one, directly or not, and is not included itself.
#[salsa::tracked(returns(copy))]
pub fn module_root(db: &dyn Db, file: SourceFile) -> SourceFile {
    let mut root = file;
    let mut seen = FxHashSet::from_iter([file]);
    loop {
        let implementing = module_clauses(db, root).implementing;
        let parent = implementing.and_then(|item| {
            let named = resolve(db, root, path_of(db, item)?);
            named.or_else(|| including_neighbor(db, root))
        });
        match parent {
            Some(parent) if seen.insert(parent) => root = parent,
            _ => return root,
        }
    }
}

/// The file next to this one that includes it: a module may be called otherwise than its file.
fn including_neighbor(db: &dyn Db, file: SourceFile) -> Option<SourceFile> {
    let path = file.path(db);
    let neighbors = paths::files_by_folder(db, Project::try_get(db)?).get(paths::folder(path))?.iter();
    let neighbors = neighbors.filter(|(other, _)| other != path);
    let includes = |other: SourceFile| {
        let mut items = module_clauses(db, other).includes.iter();
        items.any(|item| path_of(db, *item).is_some_and(|path| resolve(db, other, path) == Some(file)))
    };
    neighbors.filter(|(_, other)| includes(*other)).min_by_key(|(path, _)| path.clone()).map(|(_, other)| *other)
}

#[salsa::tracked]
fn view_of_root(db: &dyn Db, root: SourceFile) -> ModuleView {
    let files = module_files(db, root);
    let own: FxHashSet<SourceFile> = files.iter().copied().collect();
    let mut imported = Vec::new();
    let mut seen = own;
    // Importing is not transitive, except for `__exported import`.
    let mut pending: Vec<SourceFile> = Vec::new();
    for &file in files.iter() {
        pending.extend(imports_of(db, file, Imports::All));
    }
    pending.reverse();
    while let Some(file) = pending.pop() {
        let module = module_files(db, module_root(db, file));
        let new: Vec<SourceFile> = module.iter().copied().filter(|file| seen.insert(*file)).collect();
        for &file in new.iter().rev() {
            pending.extend(imports_of(db, file, Imports::Exported));
        }
        imported.extend(new);
    }
    ModuleView { root, files: files.clone(), imported: imported.into() }
}

/// The files that `root` pulls in with `__include`, itself first. (`#include` brings texts, not files.)
#[salsa::tracked]
fn module_files(db: &dyn Db, root: SourceFile) -> Arc<[SourceFile]> {
    let mut files = vec![root];
    let mut seen = FxHashSet::from_iter([root]);
    let mut next = 0;
    while let Some(&file) = files.get(next) {
        next += 1;
        let by_item = module_clauses(db, file).includes.iter();
        let by_item = by_item.filter_map(|item| resolve(db, file, path_of(db, *item)?));
        files.extend(by_item.filter(|file| seen.insert(*file)));
    }
    files.into()
}

/// The files that importing `path` from `file` brings to compilation: the module's, and those of all that it imports.
pub fn import_closure(db: &dyn Db, file: SourceFile, path: &ModulePath) -> Vec<SourceFile> {
    let mut files: Vec<SourceFile> = Vec::new();
    let mut seen: FxHashSet<SourceFile> = FxHashSet::default();
    let mut pending: Vec<SourceFile> = resolve(db, file, path).into_iter().collect();
    while let Some(next) = pending.pop() {
        if seen.contains(&next) {
            continue;
        }
        for &part in module_files(db, module_root(db, next)).iter() {
            if seen.insert(part) {
                files.push(part);
                pending.extend(resolved_imports(db, part));
            }
        }
    }
    files
}

/// The files that the imports of a file name: asked for each file that imports it, directly or not.
#[salsa::tracked(returns(deref))]
fn resolved_imports(db: &dyn Db, file: SourceFile) -> Box<[SourceFile]> {
    imports_of(db, file, Imports::All).collect()
}

/// Which imports of a file count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Imports {
    All,
    /// Those that who imports the file gets as well.
    Exported,
}

fn imports_of(db: &dyn Db, file: SourceFile, wanted: Imports) -> impl Iterator<Item = SourceFile> {
    let imports = module_clauses(db, file).imports.iter();
    imports.filter_map(move |item| match &item::item_data(db, *item).kind {
        ItemKind::Import { path, exported } if *exported || wanted == Imports::All => resolve(db, file, path),
        _ => None,
    })
}

/// The file that a path means in a file.
pub fn resolve(db: &dyn Db, from: SourceFile, path: &ModulePath) -> Option<SourceFile> {
    paths::file_named(db, from, &file_names(path))
}

/// The names that the file may have, best first.
pub(crate) fn file_names(path: &ModulePath) -> Vec<String> {
    match path {
        // `_` may stand for the `-` of the file's name.
        ModulePath::Dotted(path) => {
            let path = path.replace('.', "/");
            let dashed = path.replace('_', "-");
            if dashed == path {
                vec![format!("{path}.slang")]
            } else {
                vec![format!("{dashed}.slang"), format!("{path}.slang")]
            }
        }
        ModulePath::Quoted(path) if path.contains('.') => vec![path.clone(), format!("{path}.slang")],
        ModulePath::Quoted(path) => vec![format!("{path}.slang"), path.clone()],
    }
}
