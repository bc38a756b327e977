//! What a file can import: modules by the names under which the file finds them, and the line that an import takes.

use base_db::{Db, Project, SourceFile};
use hir_def::{
    item::{self, ItemId, ModulePath},
    modules, position, source_map,
    visibility::{Visibility, visibility},
};
use rustc_hash::FxHashMap;
use syntax::{TextRange, TextSize, keywords};

use crate::{FileRange, TextEdit, mentions};

/// A module that can be imported, and how.
pub(crate) struct Importable {
    pub(crate) module: String,
    pub(crate) edit: TextEdit,
}

/// How a file imports the module that declares an item; `None` if the item is not for others, or is seen already.
pub(crate) fn importable(db: &dyn Db, from: SourceFile, item: ItemId) -> Option<Importable> {
    let declaring = item::file_of(db, item);
    let root = modules::module_root(db, declaring);
    if visibility(db, item) != Visibility::Public || modules::module_root(db, from) == root {
        return None;
    }
    // What another module exports on is seen with it.
    if modules::module_view(db, from).imported.contains(&root) {
        return None;
    }
    let is_found = |name: &String| modules::resolve(db, from, &ModulePath::Dotted(name.clone())) == Some(root);
    let mut names = module_names(db, from).into_iter().filter(|(_, file)| *file == root).map(|(name, _)| name);
    let module = names.find(is_found)?;
    let at = FileRange { file: from, range: TextRange::empty(place_of_import(db, from)?) };
    Some(Importable { edit: TextEdit { at, text: format!("import {module};\n") }, module })
}

/// The line behind the last import, behind the line that names the module, or the first one that is no comment of the file's
/// head.
fn place_of_import(db: &dyn Db, file: SourceFile) -> Option<TextSize> {
    let clauses = modules::module_clauses(db, file);
    let rope = db.text(file)?.rope().clone();
    let imports = clauses.imports.iter().chain(&clauses.includes).chain(&clauses.module).chain(&clauses.implementing);
    let ends = imports.filter_map(|item| {
        let (of, range) = position::absolute(db, source_map::item_source(db, *item).as_ref()?.range);
        (of == file).then(|| usize::from(range.end()))
    });
    if let Some(end) = ends.max() {
        let next = rope.try_byte_to_line(end).ok()? + 1;
        let begins = rope.try_line_to_byte(next).ok()?;
        // The last line may not end.
        let is_line = begins > 0 && rope.get_byte(begins - 1) == Some(b'\n');
        return is_line.then_some(TextSize::new(u32::try_from(begins).ok()?));
    }
    let mut offset = 0;
    let mut behind_head = 0;
    for line in rope.lines() {
        let text = line.to_string();
        match text.trim() {
            "" => behind_head = offset + text.len(),
            head if head.starts_with("//") && !head.starts_with("///") => {}
            head if head.starts_with("#pragma") || head.starts_with("#language") || head.starts_with("#lang") => {
                behind_head = offset + text.len();
            }
            _ => break,
        }
        offset += text.len();
    }
    Some(TextSize::new(u32::try_from(behind_head).ok()?))
}

/// The files that may be modules, with the names under which a file may find them.
pub(crate) fn module_names(db: &dyn Db, from: SourceFile) -> Vec<(String, SourceFile)> {
    let files = reachable(db, from).into_iter();
    files.filter_map(|(path, file)| Some((module_name(&path)?, file))).collect()
}

/// The known files below the folder of a file or a search root, with their paths from each of these: a file has several
/// names if a search root lies in another. That from the own folder comes first, which means the same to everybody, then
/// that from the first search root: the folders of a workspace, which only a server looks in, are the last ones.
pub(crate) fn reachable(db: &dyn Db, from: SourceFile) -> Vec<(String, SourceFile)> {
    let own = from.path(db).rfind('/').map(|at| from.path(db)[..=at].to_owned()).unwrap_or_default();
    let roots = Project::get(db).search_roots(db).iter().map(|root| format!("{}/", root.trim_end_matches('/')));
    let mut ranks: FxHashMap<String, usize> = FxHashMap::default();
    for (rank, folder) in std::iter::once(own).chain(roots).enumerate() {
        ranks.entry(folder).or_insert(rank);
    }
    let names = |file: SourceFile| {
        // A workspace has as many search roots as folders: the folders above the file are asked for, not all roots.
        let path = file.path(db);
        let ends = path.match_indices('/').map(|(at, _)| at + 1);
        let mut known: Vec<(usize, String)> =
            ends.filter_map(|end| Some((*ranks.get(&path[..end])?, path[end..].to_owned()))).collect();
        known.sort_by_key(|(rank, _)| *rank);
        known.into_iter().map(move |(_, name)| (name, file))
    };
    mentions::user_files(db).into_iter().flat_map(names).collect()
}

/// `a.b` for `a/b.slang`, where each part is a name.
pub(crate) fn module_name(path: &str) -> Option<String> {
    let parts = path.strip_suffix(".slang")?.split('/');
    let parts: Vec<String> = parts.map(|part| part.replace('-', "_")).collect();
    let is_name = |part: &String| {
        part.starts_with(|c: char| c == '_' || c.is_alphabetic())
            && part.chars().all(|c| c == '_' || c.is_alphanumeric())
            && !keywords::is_reserved(part)
    };
    parts.iter().all(is_name).then(|| parts.join("."))
}
