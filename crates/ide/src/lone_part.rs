//! Parts of a module (`implementing name;`) that are compiled alone. Only whoever compiles files says so; an editor shows a part
//! as what it is.

use ::diagnostics::codes;
use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemKind, ModulePath},
    modules, position, source_map,
};

use crate::{FileRange, diagnostics::Diagnostic};

/// E30102 at `implementing`, unless the file that the module begins with is among those that are `compiled`, too.
pub fn lone_part(db: &dyn Db, file: SourceFile, compiled: &[SourceFile]) -> Option<Diagnostic> {
    let clause = modules::module_clauses(db, file).implementing?;
    let root = modules::module_root(db, file);
    if root != file && compiled.contains(&root) {
        return None;
    }
    let source = source_map::item_source(db, clause).as_ref()?;
    let (at_file, range) = position::absolute(db, source.name.unwrap_or(source.range));
    let name = match &item::item_data(db, clause).kind {
        ItemKind::Implementing { name: ModulePath::Dotted(name) | ModulePath::Quoted(name) } => name,
        _ => return None,
    };
    let instead = match root != file {
        true => format!("name `{}`, which includes it, instead", root.path(db).rsplit('/').next().unwrap_or_default()),
        false => "name the file that includes it instead".to_owned(),
    };
    let message = format!("implementing is not allowed here: this file is a part of `{name}`, not a module; {instead}");
    Some(Diagnostic::new(codes::MISPLACED_DECLARATION, FileRange { file: at_file, range }, message))
}
