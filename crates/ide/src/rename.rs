//! Rename: a name changes everywhere, or not at all and with the reason.

mod made_names;
mod of_macro;
mod safety;
mod words;

use base_db::Db;
use hir_def::{
    body::Stmt,
    item::{self, ItemId, ItemKind},
    name::Name,
    scope::{self, ATTRIBUTE_SUFFIX},
};
use hir_ty::{env::Env, generics, members};
use syntax::{SyntaxKind, TextRange, keywords, lexer};

use crate::{
    FilePosition, FileRange, TextEdit, namespaces,
    references::Wanted,
    semantics::{self, Definition, in_prelude},
};

/// The name at a position and its range, or why it cannot change.
pub fn prepare_rename(db: &dyn Db, at: FilePosition) -> Result<(TextRange, String), String> {
    if let Some((range, _)) = of_macro::Named::at(db, at) {
        return Ok((range, db.text(at.file).map(|text| text.slice(range.into())).unwrap_or_default()));
    }
    let found = semantics::find_all(db, at).into_iter().next().ok_or("there is no name here")?;
    let wanted = renamable(db, at)?;
    let spelled = name_at(db, FileRange { file: at.file, range: found.range });
    if let Definition::Item(item) = found.definition
        && matches!(item::item_data(db, item).kind, ItemKind::Constructor { .. })
        && spelled == "__init"
    {
        return Err("a constructor has the name of its type".to_owned());
    }
    if !wanted.spellings().any(|name| name == spelled) {
        return Err(format!("`{}` comes out of a macro here and cannot be renamed", wanted.name));
    }
    Ok((found.range, spelled))
}

/// The edits that give what stands at a position another name.
pub fn rename(db: &dyn Db, at: FilePosition, new_name: &str) -> Result<Vec<TextEdit>, String> {
    let (_, old_name) = prepare_rename(db, at)?;
    if !is_identifier(new_name) {
        return Err(format!("`{new_name}` is not a name"));
    }
    if !keywords::may_be_given(new_name) {
        return Err(format!("`{new_name}` is a word of the language, not a name"));
    }
    if new_name == old_name {
        return Ok(Vec::new());
    }
    if let Some((_, named)) = of_macro::Named::at(db, at) {
        return named.rename(db, new_name);
    }
    let wanted = renamable(db, at)?;
    let is_namespace =
        |definition: &Definition| matches!(definition, Definition::Item(item) if namespaces::is_namespace(db, *item));
    // What stands in front of `::` is read as a modifier of the type behind.
    if wanted.definitions.iter().any(is_namespace) && SyntaxKind::from_keyword(new_name).is_some() {
        return Err(format!("`{new_name}` is a word of the language, not the name of a namespace"));
    }
    // Who renames an attribute where it is used leaves out what its struct has at the end.
    let is_short = old_name != wanted.name && !new_name.ends_with(ATTRIBUTE_SUFFIX);
    let new_name = &if is_short { format!("{new_name}{ATTRIBUTE_SUFFIX}") } else { new_name.to_owned() };
    let short_name = new_name.strip_suffix(ATTRIBUTE_SUFFIX).unwrap_or(new_name);
    for definition in &wanted.definitions {
        check_conflict(db, definition, new_name)?;
    }
    let uses = wanted.uses(db);
    // A label hides nothing but labels, and nothing else hides it.
    let is_label = wanted.definitions.iter().all(|definition| matches!(definition, Definition::Label { .. }));
    let refused = safety::missed(db, &wanted, &uses)
        .or_else(|| safety::in_text(db, &wanted))
        .or_else(|| made_names::pasted(db, &wanted))
        .or_else(|| made_names::replaced(db, &uses, new_name))
        .or_else(|| if is_label { None } else { safety::captured(db, &wanted, &uses, new_name) });
    if let Some(reason) = refused {
        return Err(reason);
    }
    let text = |at: FileRange| {
        let is_short = name_at(db, at) != wanted.name;
        if is_short { short_name.to_owned() } else { new_name.clone() }
    };
    let edits: Vec<TextEdit> = uses.into_iter().map(|found| TextEdit { at: found.at, text: text(found.at) }).collect();
    match words::misread(db, &edits, new_name) {
        Some(reason) => Err(reason),
        None => Ok(edits),
    }
}

/// The name that is written at a place, whole where the end of a line cuts it.
fn name_at(db: &dyn Db, at: FileRange) -> String {
    db.text(at.file).map(|text| lexer::unfolded(&text.slice(at.range.into())).into_owned()).unwrap_or_default()
}

fn renamable(db: &dyn Db, at: FilePosition) -> Result<Wanted, String> {
    let wanted = Wanted::at(db, at).ok_or("what stands here has no declaration to rename")?;
    for definition in &wanted.definitions {
        if let Definition::Item(item) = definition {
            if in_prelude(db, *item) {
                return Err(format!("`{}` belongs to the core library", wanted.name));
            }
            match item::item_data(db, *item).kind {
                ItemKind::Module { .. } | ItemKind::Import { .. } => {
                    return Err("a module has the name of its file".to_owned());
                }
                ItemKind::Accessor { .. } | ItemKind::Subscript { .. } => {
                    return Err(format!("`{}` is a word of the language, not a name", wanted.name));
                }
                _ => {}
            }
        }
        if wanted.name != NEW_VALUE && is_new_value(db, definition) {
            return Err(format!(
                "`{NEW_VALUE}` is what a setter without a parameter calls the value: `set(name)` gives it another name"
            ));
        }
        let declared = semantics::declaration(db, definition);
        if declared.is_none_or(|at| name_at(db, at) != wanted.name) {
            return Err("its declaration comes out of a macro and cannot be renamed".to_owned());
        }
    }
    if !is_identifier(&wanted.name) || keywords::is_reserved(&wanted.name) {
        return Err(format!("`{}` is not a name that can change", wanted.name));
    }
    Ok(wanted)
}

/// What a setter calls its parameter where none is written.
const NEW_VALUE: &str = "newValue";

fn is_new_value(db: &dyn Db, definition: &Definition) -> bool {
    let Definition::Local { owner, local } = definition else { return false };
    let is_accessor = matches!(item::item_data(db, *owner).kind, ItemKind::Accessor { .. });
    is_accessor && hir_def::body::queries::body(db, *owner).store.locals[*local].name.as_str() == NEW_VALUE
}

/// Whether the new name already means something where the old one is declared.
fn check_conflict(db: &dyn Db, definition: &Definition, new_name: &str) -> Result<(), String> {
    let taken = match definition {
        Definition::Item(item) => taken_by_item(db, *item, new_name),
        Definition::Local { owner, .. } => {
            let body = hir_def::body::queries::body(db, *owner);
            body.store.locals.iter().any(|(_, local)| local.name.as_str() == new_name)
        }
        Definition::Label { owner, .. } => {
            let stmts = &hir_def::body::queries::body(db, *owner).store.stmts;
            stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Labeled { label, .. } if label.as_str() == new_name))
        }
        Definition::GenericParam { owner, .. } => {
            let params = &item::item_data(db, *owner).generics.params;
            params.iter().any(|param| param.name.as_str() == new_name)
        }
        _ => false,
    };
    if taken { Err(format!("there is another `{new_name}` already")) } else { Ok(()) }
}

fn taken_by_item(db: &dyn Db, item: ItemId, new_name: &str) -> bool {
    let name = Name::new(new_name);
    let in_type =
        item::container(db, item).and_then(|container| Some((container, generics::self_type(db, container)?)));
    if let Some((container, ty)) = in_type
        && !members::lookup(db, Env::of(db, container), ty, &name).is_empty()
    {
        return true;
    }
    // Another function of the name would be an overload, and calls could come to mean it.
    let innermost = scope::scopes(db, item).into_iter().next();
    innermost.is_some_and(|innermost| !scope::lookup_in(db, innermost, &name).is_empty())
}

fn is_identifier(text: &str) -> bool {
    let lexed = lexer::lex(text);
    let is_word = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
    is_word && lexed.len() == 1
}
