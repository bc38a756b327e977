//! References: every use of what stands at a position.

use base_db::{Db, Project};

use crate::{
    FilePosition, FileRange,
    semantics::{self, Definition},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    pub at: FileRange,
    pub is_declaration: bool,
}

/// The declaration and all uses in known files, in the order of files and positions; `None` if there is no name.
pub fn references(db: &dyn Db, at: FilePosition) -> Option<Vec<Reference>> {
    let found = semantics::find(db, at)?;
    let definition = match found.definition {
        Definition::Callable(_) | Definition::Candidates(_) | Definition::Attribute { .. } | Definition::NoDiff => {
            return None;
        }
        definition => definition,
    };
    let declared = semantics::declaration(db, &definition);
    let name = declared.and_then(|at| Some(db.text(at.file)?.slice(at.range.start().into()..at.range.end().into())))?;
    let files: Vec<base_db::SourceFile> = match definition {
        // Names of a body stay in its file.
        Definition::Local { .. } | Definition::GenericParam { .. } => vec![at.file],
        _ => {
            let mut files: Vec<_> = Project::get(db).files(db).iter().collect();
            files.sort_by_key(|(path, _)| *path);
            files.into_iter().map(|(_, &file)| file).collect()
        }
    };
    let mut references: Vec<Reference> = Vec::new();
    references.extend(declared.map(|at| Reference { at, is_declaration: true }));
    for file in files {
        let Some(text) = db.text(file) else { continue };
        let text = text.rope().to_string();
        // Only places that spell the name can mean it.
        for (offset, _) in text.match_indices(&name) {
            let is_word = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
            if is_word(text[..offset].chars().next_back()) || is_word(text[offset + name.len()..].chars().next()) {
                continue;
            }
            let here = FilePosition { file, offset: offset as u32 };
            let Some(candidate) = semantics::find(db, here) else { continue };
            let range = FileRange { file, range: candidate.range };
            let already = references.iter().any(|reference| reference.at == range);
            if candidate.definition == definition
                && !already
                && text.get(range.range.start().into()..range.range.end().into()) == Some(&name)
            {
                references.push(Reference { at: range, is_declaration: false });
            }
        }
    }
    Some(references)
}
