//! Which files of some folders are source, and which folders they lie in.
//!
//! What `.gitignore` and `.ignore` name is left out, as are hidden files and what the user excludes. Symbolic links are
//! not followed: a file that is known by two paths would be edited twice, and links may lead in circles.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use ignore::{
    DirEntry, WalkBuilder, WalkState,
    overrides::{Override, OverrideBuilder},
};

use crate::loader;

/// What counts as source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Without the dot.
    pub extensions: Vec<String>,
    /// Globs as editors write them: relative to the folder, `**` for any number of folders.
    pub excluded: Vec<String>,
}

impl Filter {
    /// Whether a path is named like source.
    pub fn is_source(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| self.extensions.iter().any(|wanted| wanted == extension))
    }

    fn overrides(&self, folder: &Path) -> Override {
        let mut builder = OverrideBuilder::new(folder);
        for glob in &self.excluded {
            let glob = glob.trim_start_matches("./").trim_end_matches('/');
            // An editor's glob without a folder means the top; here it would mean any.
            let anchored =
                if glob.starts_with("**") || glob.starts_with('/') { glob.to_owned() } else { format!("/{glob}") };
            // What is no glob excludes nothing.
            let _ = builder.add(&format!("!{anchored}"));
        }
        builder.build().unwrap_or_else(|_| Override::empty())
    }
}

/// What was found, each in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub files: Vec<PathBuf>,
    pub folders: Vec<PathBuf>,
}

/// Walks over folders with all that is below them. Ends early, with what was found so far, once it is cancelled.
pub fn discover(folders: &[PathBuf], filter: &Filter, cancelled: &AtomicBool) -> Found {
    let mut found = Found::default();
    for folder in folders {
        let walked = walk(folder, filter, None, cancelled);
        found.files.extend(walked.files);
        found.folders.extend(walked.folders);
    }
    // A folder may lie in another.
    for list in [&mut found.files, &mut found.folders] {
        list.sort();
        list.dedup();
    }
    found
}

/// The part of what [`discover`] finds that is at a path or below it.
pub fn discover_at(path: &Path, folders: &[PathBuf], filter: &Filter) -> Found {
    let mut found = Found::default();
    for folder in folders.iter().filter(|folder| path.starts_with(folder)) {
        let walked = walk(folder, filter, Some(path), &AtomicBool::new(false));
        found.files.extend(walked.files);
        found.folders.extend(walked.folders);
    }
    for list in [&mut found.files, &mut found.folders] {
        list.retain(|found| found.starts_with(path));
        list.sort();
        list.dedup();
    }
    found
}

fn walk(folder: &Path, filter: &Filter, only: Option<&Path>, cancelled: &AtomicBool) -> Found {
    let only = only.map(Path::to_path_buf);
    let mut builder = WalkBuilder::new(folder);
    builder.require_git(false).overrides(filter.overrides(folder)).threads(threads());
    builder.filter_entry(move |entry| {
        let on_the_way = |only: &PathBuf| only.starts_with(entry.path()) || entry.path().starts_with(only);
        only.as_ref().is_none_or(on_the_way)
    });
    let found = Mutex::new(Found::default());
    if threads() == 1 {
        // Where there is no other thread, none can be started either.
        let entries = builder.build().take_while(|_| !cancelled.load(Ordering::Relaxed));
        entries.flatten().for_each(|entry| add(&found, entry, filter));
        return found.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if cancelled.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            // What cannot be read is not there.
            if let Ok(entry) = entry {
                add(&found, entry, filter);
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn add(found: &Mutex<Found>, entry: DirEntry, filter: &Filter) {
    let Some(kind) = entry.file_type() else { return };
    let is_wanted = kind.is_dir() || kind.is_file() && filter.is_source(entry.path());
    if !is_wanted {
        return;
    }
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    let list = if kind.is_dir() { &mut found.folders } else { &mut found.files };
    list.push(entry.into_path());
}

/// The texts of files, read on all cores, in the order of the files; without those that cannot be read.
pub fn read_all(files: &[PathBuf]) -> Vec<(String, Vec<u8>)> {
    let next = AtomicUsize::new(0);
    let read = || {
        let mut texts = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { return texts };
            let path = file.to_string_lossy().into_owned();
            if let Some(text) = loader::read(&path) {
                texts.push((index, (path, text)));
            }
        }
    };
    let mut texts: Vec<(usize, (String, Vec<u8>))> = std::thread::scope(|scope| {
        let readers: Vec<_> = (1..threads()).map(|_| scope.spawn(read)).collect();
        let mut texts = read();
        texts.extend(readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()));
        texts
    });
    texts.sort_by_key(|(index, _)| *index);
    texts.into_iter().map(|(_, text)| text).collect()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of files that goes when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let folder = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = folder.join(path);
                std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
                std::fs::write(path, text).expect("a file can be written");
            }
            Folder(folder)
        }

        fn relative(&self, paths: &[PathBuf]) -> Vec<String> {
            let relative = paths.iter().map(|path| path.strip_prefix(&self.0).expect("it is in the folder"));
            relative.map(|path| path.to_string_lossy().into_owned()).collect()
        }

        fn discovered(&self, filter: &Filter) -> Vec<String> {
            self.relative(&discover(std::slice::from_ref(&self.0), filter, &AtomicBool::new(false)).files)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn filter(excluded: &[&str]) -> Filter {
        Filter { extensions: vec!["slang".into()], excluded: excluded.iter().map(|glob| (*glob).into()).collect() }
    }

    #[test]
    fn depth_is_not_limited_and_other_files_do_not_count() {
        let deep = format!("{}deep.slang", "d/".repeat(40));
        let folder = Folder::new("depth", &[(&deep, ""), ("a.slang", ""), ("b.txt", ""), ("slang", "")]);
        assert_eq!(folder.discovered(&filter(&[])), ["a.slang", &deep]);
    }

    #[test]
    fn what_is_ignored_is_left_out_and_nothing_else() {
        let files = [
            (".gitignore", "ignored/\n*.gen.slang\n"),
            ("ignored/a.slang", ""),
            ("b.gen.slang", ""),
            ("build/c.slang", ""),
            ("target/d.slang", ""),
            (".hidden/e.slang", ""),
            ("sub/.gitignore", "/own.slang\n"),
            ("sub/own.slang", ""),
            ("sub/ignored/f.slang", ""),
            ("sub/other.slang", ""),
        ];
        let folder = Folder::new("ignored", &files);
        assert_eq!(folder.discovered(&filter(&[])), ["build/c.slang", "sub/other.slang", "target/d.slang"]);
    }

    #[test]
    fn globs_are_those_of_editors() {
        let files = [("out/a.slang", ""), ("sub/out/b.slang", ""), ("sub/c.slang", ""), ("d.slang", "")];
        let folder = Folder::new("globs", &files);
        assert_eq!(folder.discovered(&filter(&["out"])), ["d.slang", "sub/c.slang", "sub/out/b.slang"]);
        assert_eq!(folder.discovered(&filter(&["**/out"])), ["d.slang", "sub/c.slang"]);
        assert_eq!(folder.discovered(&filter(&["sub/**", "["])), ["d.slang", "out/a.slang"]);
    }

    #[test]
    fn one_path_is_found_as_in_the_whole() {
        let files = [
            (".gitignore", "ignored/\n"),
            ("ignored/deep/a.slang", ""),
            ("sub/b.slang", ""),
            ("sub/deep/c.slang", ""),
            ("other/d.slang", ""),
        ];
        let folder = Folder::new("one-path", &files);
        let at = |path: &str| {
            let found = discover_at(&folder.0.join(path), std::slice::from_ref(&folder.0), &filter(&[]));
            folder.relative(&found.files)
        };
        assert_eq!(at("sub/b.slang"), ["sub/b.slang"]);
        assert_eq!(at("sub"), ["sub/b.slang", "sub/deep/c.slang"]);
        assert_eq!(at("ignored/deep/a.slang"), Vec::<String>::new());
        assert_eq!(at("missing.slang"), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_and_what_cannot_be_read_are_survived() {
        let folder = Folder::new("links", &[("a/b.slang", "text"), ("c.slang", "")]);
        let link = |to: &str, from: &str| std::os::unix::fs::symlink(folder.0.join(to), folder.0.join(from));
        link("", "a/loop").expect("a link can be made");
        link("nowhere", "broken.slang").expect("a link can be made");
        let files = discover(
            &[folder.0.clone(), folder.0.join("a"), folder.0.join("missing")],
            &filter(&[]),
            &AtomicBool::new(false),
        )
        .files;
        assert_eq!(folder.relative(&files), ["a/b.slang", "c.slang"]);
        std::fs::remove_file(folder.0.join("c.slang")).expect("a file can be removed");
        let texts = read_all(&files);
        assert_eq!(texts.len(), 1);
        assert_eq!(texts[0].1, b"text");
    }
}
