//! Go to definition: from a name to where it is declared.

use base_db::{Db, SourceFile};
use hir_def::{
    expansion,
    item::{self, ItemKind},
    modules,
};
use hir_ty::{
    known,
    signature::variable_type,
    ty::{BuiltinType, Ty},
};
use syntax::{TextRange, TextSize};

use crate::{
    FilePosition, FileRange, macros,
    semantics::{self, Definition, Found},
};

/// The places that declare what stands at a position; of `bwd_diff`, the function that is differentiated; of the name in
/// an `import`, `__include` or `implementing`, and of an `#include`, the beginning of the file that it names; of a macro, its `#define`.
pub fn definition(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    if let Some((_, found)) = macros::macro_at(db, at) {
        return vec![found.at];
    }
    let found = semantics::find(db, at);
    let named = match &found {
        Some(found) => file_of_module(db, at.file, &found.definition),
        None => included_file(db, at),
    };
    match (named, found) {
        (Some(file), _) => vec![FileRange { file, range: TextRange::empty(TextSize::new(0)) }],
        (None, Some(found)) => match part_of_pair(db, &found) {
            Some(places) => places,
            None => match found.definition {
                Definition::Part(_) if is_of_optional(found.owner) => declaration_of_known(db, found.owner),
                // The core library has a declaration for what the compiler knows by itself, with its methods.
                Definition::Type(ty) => declaration_of_known(db, Some(ty)),
                definition => semantics::declarations(db, &definition),
            },
        },
        (None, None) => Vec::new(),
    }
}

/// Where the core library declares a type that the compiler knows by itself, with its methods.
fn declaration_of_known(db: &dyn Db, ty: Option<Ty>) -> Vec<FileRange> {
    let declared = ty.and_then(|ty| known::declaration_of(db, ty)).map(|(item, _)| Definition::Item(item));
    declared.map_or(Vec::new(), |declared| semantics::declarations(db, &declared))
}

/// `.hasValue` and `.value` have no declarations of their own.
fn is_of_optional(owner: Option<Ty>) -> bool {
    matches!(owner, Some(Ty::Builtin(BuiltinType::Optional, _)))
}

/// `.d` leads to the type of the derivative, `.p` to that of the value; where the compiler knows these by itself, to the pair.
fn part_of_pair(db: &dyn Db, found: &Found) -> Option<Vec<FileRange>> {
    let (
        Definition::Part(_),
        Some(pair @ Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _)),
    ) = (&found.definition, found.owner)
    else {
        return None;
    };
    let declared = |ty: Ty| semantics::declarations(db, &semantics::definition_of_type(db, ty));
    let of_type = found.ty.map(declared).unwrap_or_default();
    if !of_type.is_empty() {
        return Some(of_type);
    }
    let (declaration, _) = known::declaration_of(db, pair)?;
    Some(semantics::declarations(db, &Definition::Item(declaration)))
}

fn file_of_module(db: &dyn Db, from: SourceFile, definition: &Definition) -> Option<SourceFile> {
    let Definition::Item(item) = definition else { return None };
    // A `module` clause declares its name.
    let is_declared_here = matches!(item::item_data(db, *item).kind, ItemKind::Module { .. });
    modules::path_of(db, *item).filter(|_| !is_declared_here).and_then(|path| modules::resolve(db, from, path))
}

/// The file that an `#include` at a position names.
pub(crate) fn included_file(db: &dyn Db, at: FilePosition) -> Option<SourceFile> {
    let rope = db.text(at.file)?.rope();
    let line = rope.get_line(rope.try_byte_to_line(at.offset as usize).ok()?)?;
    expansion::file_of_directive(db, at.file, &line.to_string())
}

/// The declaration of the type of what stands at a position.
pub fn type_definition(db: &dyn Db, at: FilePosition) -> Vec<FileRange> {
    let Some(mut ty) = semantics::find(db, at).and_then(|found| type_of(db, &found)) else { return Vec::new() };
    loop {
        let declared = semantics::declarations(db, &semantics::definition_of_type(db, ty));
        // Arrays, buffers, pairs and pointers lead to what they are made of.
        match ty.first_type_arg(db) {
            Some(inner) if declared.is_empty() => ty = inner,
            _ => return declared,
        }
    }
}

/// The type of what is found; of a declaration, that of what it declares.
fn type_of(db: &dyn Db, found: &Found) -> Option<Ty> {
    let declared = || match found.definition {
        Definition::Item(item) => match item::item_data(db, item).kind {
            ItemKind::Variable { .. } | ItemKind::Property { .. } => Some(variable_type(db, item)),
            _ => None,
        },
        _ => None,
    };
    found.ty.or_else(declared)
}
