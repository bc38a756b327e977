//! Imports of modules with errors. Only whoever compiles a file as a whole asks: it checks all that the file imports, which
//! an editor leaves to the files themselves.

use ::diagnostics::codes;
use base_db::{Db, SourceFile};
use hir_def::{modules, position, source_map};
use rustc_hash::FxHashMap;

use crate::{
    FileRange,
    diagnostics::{Diagnostic, Severity, diagnostics},
};

/// E39999 at each `import` whose module, or one that it imports, has errors; the first of them is related.
pub fn import_failures(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut failures = Vec::new();
    // Modules are imported many times, directly and not, and checked once.
    let mut first_errors: FxHashMap<SourceFile, Option<Diagnostic>> = FxHashMap::default();
    let mut first_error = |file| first_errors.entry(file).or_insert_with(|| first_error(db, file)).clone();
    for &import in &modules::module_clauses(db, file).imports {
        let Some(path) = modules::path_of(db, import) else { continue };
        let closure = modules::import_closure(db, file, path);
        let mut imported = closure.into_iter().filter(|imported| *imported != file);
        let Some(first) = imported.find_map(&mut first_error) else { continue };
        let Some(source) = source_map::item_source(db, import) else { continue };
        let (at_file, range) = position::absolute(db, source.name.unwrap_or(source.range));
        let at = FileRange { file: at_file, range };
        let failure = Diagnostic::new(codes::CANNOT_RESOLVE, at, "import of a module with errors");
        failures.push(failure.related(Some(first.at), first.message));
    }
    failures
}

fn first_error(db: &dyn Db, file: SourceFile) -> Option<Diagnostic> {
    diagnostics(db, file).into_iter().find(|diagnostic| diagnostic.severity == Severity::Error)
}
