//! Names of several parts, and with arguments: `ns::Box<float>::zero`. The tree knows the place of such a name as a whole;
//! its parts are found in the text.

use base_db::{Db, SourceFile};
use hir_def::{
    body::{Expr, ExprId, ExprStore},
    item::{self, ItemId, ItemKind},
    name::Name,
    position::{self, Location},
    scope,
    type_ref::{Path, TypeRef, TypeRefId},
};
use hir_ty::{
    conformance,
    env::Env,
    generics, members, resolve,
    ty::{AssociatedTy, Ty},
};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use super::{Definition, Found, FoundAt, definition_of_name, found};

/// What the part of a path expression at an offset means; `classify` says what all of the expression does.
pub(super) fn find_in_expr(
    db: &dyn Db,
    context: ItemId,
    store: &ExprStore,
    id: ExprId,
    location: Location,
    offset: TextSize,
    classify: impl FnOnce() -> Option<Found>,
) -> Option<FoundAt> {
    match &store.exprs[id] {
        Expr::Path(path) => find_part(db, context, path, location, offset, classify),
        _ => Some((location, classify()?)),
    }
}

/// The same for a type.
pub(super) fn find_in_type(
    db: &dyn Db,
    context: ItemId,
    store: &ExprStore,
    id: TypeRefId,
    location: Location,
    offset: TextSize,
    classify: impl FnOnce() -> Option<Found>,
) -> Option<FoundAt> {
    match &store.type_refs[id] {
        TypeRef::Path(path) => find_part(db, context, path, location, offset, classify),
        _ => Some((location, classify()?)),
    }
}

/// What the part of a path at an offset means. The whole path means what its last part does.
pub(super) fn find_part(
    db: &dyn Db,
    context: ItemId,
    path: &Path,
    location: Location,
    offset: TextSize,
    classify: impl FnOnce() -> Option<Found>,
) -> Option<FoundAt> {
    let Some(parts) = parts(db, path, location) else { return Some((location, classify()?)) };
    let index = parts.iter().position(|range| range.contains_inclusive(offset))?;
    let location = Location { range: parts[index], ..location };
    let of_part = definition_of_part(db, context, path, index);
    let of_whole = if index + 1 == parts.len() { classify() } else { None };
    let found = match (of_whole, of_part) {
        // A type does not know by which name it was called: that of an alias, or of a parameter or an associated type that is
        // equal to another type.
        (Some(whole), Some(Definition::Item(name)))
            if stands_for_type(db, name) && !matches!(whole.definition, Definition::Local { .. }) =>
        {
            Found { definition: Definition::Item(name), ..whole }
        }
        (Some(whole), Some(param @ Definition::GenericParam { .. }))
            if matches!(whole.definition, Definition::Type(_) | Definition::Item(_)) =>
        {
            Found { definition: param, ..whole }
        }
        (Some(whole), _) => whole,
        (None, of_part) => found(of_part?, context),
    };
    Some((location, found))
}

/// Whether what a declaration names may be a type of another name.
fn stands_for_type(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::TypeAlias { .. } | ItemKind::AssociatedType { .. })
}

/// The places of the names of a path; `None` if they are not spelled there, because a macro makes them.
pub(crate) fn parts(db: &dyn Db, path: &Path, location: Location) -> Option<Vec<TextRange>> {
    let (file, range): (SourceFile, TextRange) = position::absolute(db, location);
    let text = db.text(file)?.slice(range.into());
    let lexed = lexer::lex(&text);
    let mut depth = 0_usize;
    let mut names: Vec<(&str, TextRange)> = Vec::new();
    for index in 0..lexed.len() {
        let (kind, at) = (lexed.kind(index), lexed.range(index));
        match &text[at.clone()] {
            "<" | "(" | "[" => depth += 1,
            ">" | ")" | "]" => depth = depth.saturating_sub(1),
            ">>" => depth = depth.saturating_sub(2),
            name if depth == 0 && kind == SyntaxKind::IDENT => {
                let start = location.range.start() + TextSize::new(at.start as u32);
                names.push((name, TextRange::at(start, TextSize::of(name))));
            }
            _ => {}
        }
    }
    // Around the path there may be what belongs to the type that it names.
    let wanted: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
    let starts = names.windows(wanted.len().max(1));
    let here = starts.into_iter().find(|window| window.iter().map(|(name, _)| *name).eq(wanted.iter().copied()))?;
    Some(here.iter().map(|(_, range)| *range).collect())
}

/// What the first parts of a path mean, up to one of them.
fn definition_of_part(db: &dyn Db, context: ItemId, path: &Path, index: usize) -> Option<Definition> {
    let names: Vec<&Name> = path.segments.get(..=index)?.iter().map(|segment| &segment.name).collect();
    definition_of_chain(db, context, &names)
}

/// What names that qualify each other mean, outermost first.
pub(crate) fn definition_of_chain(db: &dyn Db, context: ItemId, names: &[&Name]) -> Option<Definition> {
    let (first, rest) = names.split_first()?;
    let mut definition = definition_of_name(db, context, first)?;
    for name in rest {
        let outer = match definition {
            Definition::Item(item) => vec![item],
            Definition::Candidates(items) => items,
            Definition::GenericParam { owner, index } => interfaces_of_param(db, context, owner, index),
            _ => return None,
        };
        let mut inner: Vec<ItemId> = Vec::new();
        for member in outer.into_iter().flat_map(|outer| members_named(db, context, outer, name)) {
            if !inner.contains(&member) {
                inner.push(member);
            }
        }
        definition = match inner.as_slice() {
            [] => return None,
            [item] => Definition::Item(*item),
            _ => Definition::Candidates(inner),
        };
    }
    Some(definition)
}

/// The interfaces that a parameter is bound to, where its associated types are declared.
fn interfaces_of_param(db: &dyn Db, context: ItemId, owner: ItemId, index: u32) -> Vec<ItemId> {
    let params = generics::parameters(db, context);
    let param = params.iter().find(|param| param.owner(db) == owner && param.index(db) == index);
    let interfaces = param.map(|param| conformance::interfaces_of(db, Env::of(db, context), Ty::Param(*param)));
    let items = interfaces.unwrap_or_default().iter();
    items.filter_map(|ty| if let Ty::Adt(item, _) = ty { Some(*item) } else { None }).collect()
}

fn members_named(db: &dyn Db, context: ItemId, outer: ItemId, name: &Name) -> Vec<ItemId> {
    let mut env = Env::of(db, context);
    let own_type = match item::item_data(db, outer).kind {
        ItemKind::Namespace => return scope::lookup_in_namespace(db, outer, item::file_of(db, context), name),
        ItemKind::TypeAlias { .. } => Some(resolve::alias_target(db, outer)),
        // It has what its interface says that it has.
        ItemKind::AssociatedType { .. } => item::container(db, outer).map(|interface| {
            env = Env::of(db, interface);
            let args = generics::identity_args(db, interface);
            Ty::Associated(AssociatedTy::new(db, Ty::This(interface), outer, args))
        }),
        _ => generics::self_type(db, outer),
    };
    let declared = scope::lookup_in(db, scope::Scope::Members(outer), name);
    match own_type {
        // What its bases and extensions declare is its own, too.
        Some(ty) if declared.is_empty() => {
            members::lookup(db, env, ty, name).iter().map(|member| member.item).collect()
        }
        _ => declared,
    }
}
