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

/// Where Python packages keep Slang modules, as slangpy does (`site-packages/slangpy/slang`): in the active environment, in
/// those that lie in a workspace folder, and with the interpreter that a shell finds.
pub fn python_module_folders(roots: &[PathBuf]) -> Vec<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let in_workspace =
        roots.iter().flat_map(|root| [".venv", "venv", "env", ".env"].map(|name| root.join(name)).into_iter());
    let mut found: Vec<PathBuf> = Vec::new();
    for environment in active.chain(in_workspace).chain(interpreter_folder()) {
        // `lib/python3.12/site-packages`, of a distribution's own packages `lib/python3/dist-packages`, on Windows
        // `Lib/site-packages`.
        let versions =
            ["lib", "lib64", "local/lib"].into_iter().flat_map(|name| all_subfolders(&environment.join(name)));
        let libraries = versions.flat_map(|version| ["site-packages", "dist-packages"].map(|name| version.join(name)));
        for library in libraries.chain([environment.join("Lib").join("site-packages")]) {
            let modules = all_subfolders(&library).into_iter().map(|package| package.join("slang"));
            for folder in modules.filter(|folder| folder.is_dir()) {
                if !found.contains(&folder) {
                    found.push(folder);
                }
            }
        }
    }
    found
}

/// The environment of the first Python interpreter on the search path: the folder around `bin`, on Windows the one that the
/// interpreter lies in.
fn interpreter_folder() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = if cfg!(windows) { ["python.exe", "python3.exe"] } else { ["python3", "python"] };
    let folder = std::env::split_paths(&path).find(|folder| names.iter().any(|name| folder.join(name).is_file()))?;
    match folder.file_name() {
        Some(name) if name == "bin" || name == "Scripts" => folder.parent().map(Path::to_path_buf),
        _ => Some(folder),
    }
}

fn all_subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
