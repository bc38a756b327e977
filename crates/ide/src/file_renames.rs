//! Files that get another name or place: who imports or includes them says so, and what they import is found from where
//! they go.

use base_db::{Db, SourceFile};

use crate::{
    FileRange, TextEdit,
    document_links::{Link, links},
    importable::module_name,
    mentions::user_files,
};

/// A file or folder that moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The path before.
    pub from: String,
    /// The path after.
    pub to: String,
}

/// The edits that let all names of files mean the same files after the moves. They are made before the files move.
pub fn file_renames(db: &dyn Db, moves: &[Move]) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for file in user_files(db) {
        let here: &str = file.path(db);
        for link in links(db, file) {
            let target: &str = link.target.path(db);
            let (here_after, target_after) = (moved(moves, here), moved(moves, target));
            // The name of a module stays what its file says.
            if link.is_module_of_part || here_after == here && target_after == target {
                continue;
            }
            edits.extend(edit(db, file, &link, &here_after, &target_after));
        }
    }
    edits
}

/// Where a path goes; a folder takes along what is in it.
fn moved(moves: &[Move], path: &str) -> String {
    let mut places = moves.iter().filter_map(|Move { from, to }| {
        let rest = path.strip_prefix(from.trim_end_matches('/'))?;
        let is_part = rest.is_empty() || rest.starts_with('/');
        is_part.then(|| format!("{}{rest}", to.trim_end_matches('/')))
    });
    places.next_back().unwrap_or_else(|| path.to_owned())
}

fn edit(db: &dyn Db, file: SourceFile, link: &Link, here: &str, target: &str) -> Option<TextEdit> {
    let written = db.text(file)?.slice(link.range.into());
    let quoted = written.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    let is_dotted = !link.is_directive && quoted.is_none();
    let name = quoted.unwrap_or(&written);
    let path = if is_dotted { name.replace('.', "/") } else { name.replace('\\', "/") };
    let extension = link.target.path(db).rsplit('.').next().unwrap_or_default();
    let has_extension = path.ends_with(&format!(".{extension}"));
    // From a search root, the rest of the path is named; otherwise the way from the folder of the file that names it.
    let names = if has_extension { vec![path] } else { vec![format!("{path}.{extension}"), dashed(&path, extension)] };
    let old_target = link.target.path(db);
    let is_beside =
        names.iter().any(|name| relative(folder(file.path(db)), old_target) == *name.trim_start_matches("./"));
    let root = names.iter().find_map(|name| old_target.strip_suffix(name.as_str()).filter(|root| root.ends_with('/')));
    let from_root = root.filter(|_| !is_beside).and_then(|root| target.strip_prefix(root)).map(str::to_owned);
    let path = from_root.unwrap_or_else(|| relative(folder(here), target));
    let text = match (is_dotted, module_name(&path)) {
        (true, Some(dotted)) => dotted,
        (true, None) => format!("\"{path}\""),
        (false, _) => {
            let path = if has_extension { path.as_str() } else { without_extension(&path) };
            if quoted.is_some() { format!("\"{path}\"") } else { path.to_owned() }
        }
    };
    let at = FileRange { file, range: link.range };
    (text != written).then_some(TextEdit { at, text })
}

/// `_` may stand for the `-` of a file's name.
fn dashed(path: &str, extension: &str) -> String {
    format!("{}.{extension}", path.replace('_', "-"))
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// The way from a folder to a file.
fn relative(folder: &str, file: &str) -> String {
    let folder: Vec<&str> = folder.split('/').collect();
    let file: Vec<&str> = file.split('/').collect();
    let common = folder.iter().zip(&file).take_while(|(left, right)| left == right).count();
    let up = folder.iter().skip(common).map(|_| "..");
    up.chain(file.iter().skip(common).copied()).collect::<Vec<_>>().join("/")
}
