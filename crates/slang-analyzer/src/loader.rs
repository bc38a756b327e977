//! What is on disk: texts, and the folders of Python packages.

use std::path::{Path, PathBuf};

/// Files larger than this are not source.
pub const MAX_FILE_SIZE: u64 = 64 << 20;

/// The bytes of a file; `None` if it cannot be read.
pub fn read(path: &str) -> Option<Vec<u8>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_SIZE {
        return None;
    }
    std::fs::read(path).ok()
}

/// Where Python packages keep Slang modules, as slangpy does (`site-packages/slangpy/slang`): in the active environment
/// and in those that lie in a workspace folder.
pub fn python_module_folders(roots: &[PathBuf]) -> Vec<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let in_workspace =
        roots.iter().flat_map(|root| [".venv", "venv", "env", ".env"].map(|name| root.join(name)).into_iter());
    let mut found = Vec::new();
    for environment in active.chain(in_workspace) {
        // `lib/python3.12/site-packages`, on Windows `Lib/site-packages`.
        let versions = ["lib", "lib64"].into_iter().flat_map(|name| all_subfolders(&environment.join(name)));
        let libraries = versions.map(|version| version.join("site-packages"));
        for library in libraries.chain([environment.join("Lib").join("site-packages")]) {
            let modules = all_subfolders(&library).into_iter().map(|package| package.join("slang"));
            found.extend(modules.filter(|folder| folder.is_dir()));
        }
    }
    found.dedup();
    found
}

fn all_subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
