//! From the names that files call each other by to the files: next to the file that names one, then in the search roots.
//!
//! A workspace has as many search roots as folders, so nothing here walks over the roots: a name is looked up among the
//! files whose paths end with it, and the best root decides.

use std::sync::Arc;

use base_db::{Db, Project, SourceFile};
use rustc_hash::FxHashMap;

/// Files with their paths.
type Files = Vec<(Arc<str>, SourceFile)>;

/// The known file that the first of some names means in a file.
pub(crate) fn file_named(db: &dyn Db, from: SourceFile, names: &[String]) -> Option<SourceFile> {
    let project = Project::try_get(db)?;
    let files = project.files(db);
    let own_folder = folder(from.path(db));
    let neighbor = names.iter().find_map(|name| files.get(join(own_folder, name).as_str()));
    let in_roots = || {
        let found = names.iter().enumerate();
        let found = found
            .filter_map(|(index, name)| in_search_roots(db, project, name).map(|(rank, file)| (rank, index, file)));
        found.min_by_key(|(rank, index, _)| (*rank, *index)).map(|(.., file)| file)
    };
    neighbor.copied().or_else(in_roots)
}

/// The known file of a name that is looked for in the search roots alone.
pub(crate) fn file_in_roots(db: &dyn Db, name: &str) -> Option<SourceFile> {
    let found = in_search_roots(db, Project::try_get(db)?, name);
    found.map(|(_, file)| file)
}

/// The file of a name in the first search root that has it, and which root that is.
fn in_search_roots(db: &dyn Db, project: Project, name: &str) -> Option<(usize, SourceFile)> {
    if !is_plain(name) {
        let files = project.files(db);
        let mut roots = project.search_roots(db).iter().enumerate();
        return roots.find_map(|(rank, root)| Some((rank, *files.get(join(root, name).as_str())?)));
    }
    let ranks = root_ranks(db, project);
    let same_name = files_by_name(db, project).get(last_part(name))?.iter();
    let in_roots = same_name.filter_map(|(path, file)| {
        let root = path.strip_suffix(name)?.strip_suffix('/')?;
        Some((*ranks.get(root)?, *file))
    });
    in_roots.min_by_key(|(rank, _)| *rank)
}

/// The paths at which a named file may be on disk in the folder of the file that names it.
pub(crate) fn beside(db: &dyn Db, from: SourceFile, names: &[String]) -> Vec<String> {
    let own_folder = folder(from.path(db));
    names.iter().map(|name| join(own_folder, name)).collect()
}

/// The paths at which a named file may be on disk in the search roots, best first.
pub(crate) fn in_roots<'a>(roots: &'a [Arc<str>], names: &'a [String]) -> impl Iterator<Item = String> + 'a {
    roots.iter().flat_map(|root| names.iter().map(|name| join(root, name)))
}

/// Whether a name goes down from a folder, part by part, so that the end of a path can be compared with it.
fn is_plain(name: &str) -> bool {
    !name.contains('\\') && !name.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// The known files by the last part of their paths.
#[salsa::tracked]
fn files_by_name(db: &dyn Db, project: Project) -> FxHashMap<Box<str>, Files> {
    grouped(db, project, last_part)
}

/// The known files by their folders.
#[salsa::tracked]
pub(crate) fn files_by_folder(db: &dyn Db, project: Project) -> FxHashMap<Box<str>, Files> {
    grouped(db, project, folder)
}

fn grouped(db: &dyn Db, project: Project, key: impl Fn(&str) -> &str) -> FxHashMap<Box<str>, Files> {
    let mut groups: FxHashMap<Box<str>, Files> = FxHashMap::default();
    for (path, file) in project.files(db).iter() {
        groups.entry(key(path).into()).or_default().push((path.clone(), *file));
    }
    groups
}

/// Which search root a folder is, without the slash at its end; of equal ones the first.
#[salsa::tracked]
fn root_ranks(db: &dyn Db, project: Project) -> FxHashMap<String, usize> {
    let mut ranks = FxHashMap::default();
    for (rank, root) in project.search_roots(db).iter().enumerate() {
        ranks.entry(join(root, "").trim_end_matches('/').to_owned()).or_insert(rank);
    }
    ranks
}

/// The folder of a path, with the slash at its end.
pub(crate) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A path inside a folder, without `.` and `..`.
fn join(folder: &str, name: &str) -> String {
    let name = name.replace('\\', "/");
    let full = if name.starts_with('/') || folder.is_empty() {
        name
    } else {
        format!("{}/{name}", folder.trim_end_matches('/'))
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use base_db::{RootDatabase, documents::Documents};

    use super::*;

    #[test]
    fn paths_are_joined_and_cleaned() {
        assert_eq!(join("/a/b", "c.slang"), "/a/b/c.slang");
        assert_eq!(join("/a/b", "../c/./d.slang"), "/a/c/d.slang");
        assert_eq!(join("/a", "/x/y.slang"), "/x/y.slang");
        assert_eq!(join("/a", "sub\\y.slang"), "/a/sub/y.slang");
        assert_eq!(join("", "y.slang"), "y.slang");
        assert_eq!(join("/", "y.slang"), "/y.slang");
        assert_eq!(join("/a/", "y.slang"), "/a/y.slang");
    }

    #[test]
    fn names_mean_the_first_place_that_has_them() {
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        let paths =
            ["/w/b/x.slang", "/w/a/x.slang", "/w/a/sub/y.slang", "/w/sub/y.slang", "/w/main.slang", "/x-y.slang"];
        for path in paths {
            documents.change_on_disk(&mut db, path, Some(b""));
        }
        documents.set_search_roots(&mut db, ["/w/b/../a/", "/w/b", "/w/a/sub", "/"].map(Into::into).to_vec());
        let main = documents.file("/w/main.slang").expect("it is known");
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            file_named(&db, main, &names).map(|file| file.path(&db).to_string())
        };
        assert_eq!(named(&["x.slang"]).as_deref(), Some("/w/a/x.slang"), "the first root");
        assert_eq!(named(&["sub/y.slang"]).as_deref(), Some("/w/sub/y.slang"), "beside the file");
        assert_eq!(named(&["y.slang"]).as_deref(), Some("/w/a/sub/y.slang"), "a later root");
        assert_eq!(named(&["../a/x.slang"]).as_deref(), Some("/w/a/x.slang"), "up, then down");
        assert_eq!(named(&["sub/../../b/x.slang"]).as_deref(), Some("/w/b/x.slang"), "up from a root");
        assert_eq!(named(&["x-y.slang", "x.slang"]).as_deref(), Some("/w/a/x.slang"), "roots before names");
        assert_eq!(named(&["x-y.slang"]).as_deref(), Some("/x-y.slang"), "the topmost folder as a root");
        assert_eq!(named(&["a.slang", "lang"]), None, "only whole parts");
    }
}
