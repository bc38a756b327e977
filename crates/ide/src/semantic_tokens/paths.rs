//! The names of paths: of types, of namespaces, of what arguments name without the help of inference.

use base_db::Db;
use hir_def::{
    expansion,
    item::{self, GenericParamKind, ItemId},
    name::Name,
    position::Location,
    type_ref::{Path, TypeRef},
};
use hir_ty::ty::Ty;
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{
    Modifiers, TokenKind, TokenModifier,
    items::{ItemToken, library, token_kind},
};
use crate::semantics::{self, Definition};

/// The names of a written type, each for itself.
pub(super) fn add_type(
    db: &dyn Db,
    item: ItemId,
    type_ref: &TypeRef,
    location: Location,
    ty: Ty,
    tokens: &mut Vec<ItemToken>,
) {
    match type_ref {
        TypeRef::Path(path) => match path.segments.as_slice() {
            [only] => {
                let range = TextRange::at(location.range.start(), TextSize::of(only.name.as_str()));
                let found = of_type(db, ty).or_else(|| of_chain(db, item, &[&only.name]));
                if let Some((kind, modifiers)) = found.filter(|_| location.range.contains_range(range)) {
                    tokens.push((Location { range, ..location }, kind, modifiers));
                }
            }
            _ => {
                let before = tokens.len();
                add_parts(db, item, path, location, tokens);
                // What the last name means is known better than by its name.
                let end = tokens.len().checked_sub(1).filter(|last| *last >= before);
                let last = semantics::parts_of_path(db, path, location).and_then(|parts| parts.last().copied());
                let (Some(range), Some((kind, modifiers))) = (last, of_type(db, ty)) else { return };
                if end.is_some_and(|end| tokens[end].0.range == range) {
                    tokens.pop();
                }
                tokens.push((Location { range, ..location }, kind, modifiers));
            }
        },
        TypeRef::Member { member, .. } => {
            let length = TextSize::of(member.name.as_str());
            let start = location.range.end().checked_sub(length).filter(|_| member.args.is_none());
            if let (Some(start), Some((kind, modifiers))) = (start, of_type(db, ty)) {
                tokens.push((Location { range: TextRange::at(start, length), ..location }, kind, modifiers));
            }
        }
        _ => {}
    }
}

/// The names of a path by what they mean one behind the other.
pub(super) fn add_parts(db: &dyn Db, item: ItemId, path: &Path, location: Location, tokens: &mut Vec<ItemToken>) {
    let Some(parts) = semantics::parts_of_path(db, path, location) else { return };
    let names: Vec<&Name> = path.segments.iter().map(|segment| &segment.name).collect();
    for (index, range) in parts.into_iter().enumerate() {
        if let Some((kind, modifiers)) = of_chain(db, item, &names[..=index]) {
            tokens.push((Location { range, ..location }, kind, modifiers));
        }
    }
}

/// The words of the name of a module.
pub(super) fn add_words(db: &dyn Db, location: Location, tokens: &mut Vec<ItemToken>) {
    let spelled = expansion::spelled_text(db, location.segment, location.part);
    let Some(text) = spelled.get(std::ops::Range::<usize>::from(location.range)) else { return };
    let lexed = lexer::lex(text);
    for index in (0..lexed.len()).filter(|index| lexed.kind(*index) == SyntaxKind::IDENT) {
        let at = lexed.range(index);
        let start = location.range.start() + TextSize::new(at.start as u32);
        let range = TextRange::at(start, TextSize::new(at.len() as u32));
        tokens.push((Location { range, ..location }, TokenKind::Namespace, Modifiers::default()));
    }
}

/// What names that qualify each other mean.
pub(super) fn of_chain(db: &dyn Db, item: ItemId, names: &[&Name]) -> Option<(TokenKind, Modifiers)> {
    match semantics::definition_of_chain(db, item, names)? {
        Definition::Item(item) => Some((token_kind(db, item)?, library(db, item))),
        Definition::Candidates(items) => Some((token_kind(db, *items.first()?)?, Modifiers::default())),
        Definition::Type(_) => Some((TokenKind::Type, Modifiers::default())),
        Definition::GenericParam { owner, index } => Some(of_generic_param(db, owner, index)),
        Definition::Local { .. }
        | Definition::Callable(_)
        | Definition::Attribute { .. }
        | Definition::StatementAttribute { .. }
        | Definition::Part(_)
        | Definition::NoDiff
        | Definition::Label { .. } => None,
    }
}

/// Those that are values are constants.
pub(super) fn of_generic_param(db: &dyn Db, owner: ItemId, index: u32) -> (TokenKind, Modifiers) {
    let param = item::item_data(db, owner).generics.params.get(index as usize);
    match param.map(|param| &param.kind) {
        Some(GenericParamKind::Value { .. } | GenericParamKind::ValuePack { .. }) => {
            (TokenKind::Variable, TokenModifier::Readonly.alone())
        }
        Some(GenericParamKind::Type { .. } | GenericParamKind::Pack { .. }) | None => {
            (TokenKind::TypeParameter, Modifiers::default())
        }
    }
}

fn of_type(db: &dyn Db, ty: Ty) -> Option<(TokenKind, Modifiers)> {
    let kind = match ty {
        Ty::Error => return None,
        Ty::Adt(item, _) => token_kind(db, item).unwrap_or(TokenKind::Type),
        Ty::Param(_) | Ty::This(_) | Ty::Associated(_) => TokenKind::TypeParameter,
        Ty::SynthesizedDifferential(..) => TokenKind::Struct,
        Ty::Void
        | Ty::Scalar(_)
        | Ty::Builtin(..)
        | Ty::Function(_)
        | Ty::Closure(_)
        | Ty::Expand(_)
        | Ty::PackQuery(_)
        | Ty::String
        | Ty::NoneLiteral
        | Ty::NullLiteral => TokenKind::Type,
    };
    Some((kind, Modifiers::default()))
}
