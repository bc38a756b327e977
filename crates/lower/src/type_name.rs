//! Types and generic arguments by what is written for them outside of a program: by host code, on a command line.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
};
use hir_ty::{
    builtin_names::{BuiltinName, builtin_name},
    known,
    ty::{Const, GenericArg, GenericArgs, Ty},
};

/// The type that a name with generic arguments (`A`, `Box<float, 3>`) means in a file.
pub fn type_named(db: &dyn Db, file: SourceFile, text: &str) -> Option<Ty> {
    let text = text.trim();
    let (name, args) = match text.split_once('<') {
        Some((name, rest)) => (name.trim(), generic_args(db, file, rest.strip_suffix('>')?)?),
        None => (text, Vec::new()),
    };
    let declared = hir_def::scope::lookup_in_file(db, file, &Name::new(name));
    let is_type = |item: &ItemId| {
        matches!(item::item_data(db, *item).kind, ItemKind::Struct { .. } | ItemKind::Enum { .. })
            && !known::is_builtin_declaration(db, *item)
    };
    if let Some(item) = declared.into_iter().find(is_type) {
        let fits = hir_ty::generics::parameters(db, item).len() == args.len();
        return fits.then(|| Ty::Adt(item, GenericArgs::new(db, args.into_boxed_slice())));
    }
    match builtin_name(name)? {
        BuiltinName::Scalar(scalar) => Some(Ty::Scalar(scalar)),
        BuiltinName::Vector(scalar, len) => Some(Ty::vector(db, Ty::Scalar(scalar), Const::Value(len.into()))),
        BuiltinName::Void
        | BuiltinName::String
        | BuiltinName::None
        | BuiltinName::Matrix(..)
        | BuiltinName::Generic(_) => None,
    }
}

/// The arguments that stand between the brackets: types and whole numbers.
pub fn generic_args(db: &dyn Db, file: SourceFile, text: &str) -> Option<Vec<GenericArg>> {
    let argument = |part: &str| match part.trim().parse::<i64>() {
        Ok(value) => Some(GenericArg::Value(Const::Value(value))),
        Err(_) => Some(GenericArg::Type(type_named(db, file, part)?)),
    };
    split_outside_brackets(text, ',').into_iter().filter(|part| !part.trim().is_empty()).map(argument).collect()
}

/// The parts of `a, b<c, d>` between the separators outside of brackets.
pub fn split_outside_brackets(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (index, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if character == separator && depth == 0 => {
                parts.push(&text[start..index]);
                start = index + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
