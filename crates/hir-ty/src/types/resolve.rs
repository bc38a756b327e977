//! What names mean: generic parameters, members of the types around, then what the file sees.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, GenericParamKind, ItemId, ItemKind},
    name::Name,
    scope::{self, Scope},
    type_ref::{GenericArgRef, Path, PathSegment, TypeRef},
};
use rustc_hash::FxHashMap;

use crate::{
    conformance::{self, members},
    diagnostics::{Site, suggest},
    differential::signature::context_type,
    generics::{
        self, associated,
        env::Env,
        substitute::{self, Substitution},
    },
    types::{
        builtin_names::{self, BuiltinName},
        consts, cycles, known,
        lower_ty::TypeLowering,
        same_name,
        signature::FunctionRef,
        ty::{BuiltinType, Const, GenericArgs, Ty, TypeParam},
    },
};

/// What a name means where a type is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeNs {
    /// A type.
    Type(Ty),
    /// A declared type whose own generic arguments are still to come; those of the declarations around it are known.
    Generic {
        /// The declared type.
        item: ItemId,
        /// The arguments of the declarations around it.
        outer: GenericArgs,
    },
    /// A type that the compiler knows, whose arguments are still to come.
    BuiltinGeneric(BuiltinType),
    /// A namespace, or a module.
    Namespace(ItemId),
}

/// Why a path is not a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypePathError {
    /// An error that is already reported.
    Reported,
    /// No declaration has this name.
    Unknown(Name),
    /// The type has no member of this name.
    NotAMember(Ty, Name),
    /// The name stands for something else.
    NotAType(Name),
}

/// A constant that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantName {
    /// A generic parameter.
    Param(TypeParam),
    /// A variable of a file, namespace or type.
    Item(ItemId),
    /// One that is asked of a type.
    Member(Ty, ItemId),
}

impl ConstantName {
    /// The declaration, if it is not that of a generic parameter.
    pub fn item(&self) -> Option<ItemId> {
        match *self {
            ConstantName::Item(item) | ConstantName::Member(_, item) => Some(item),
            ConstantName::Param(_) => None,
        }
    }
}

/// Something that is found for a name on the way outwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lexical {
    /// A generic parameter.
    Param(TypeParam),
    /// Declared in the aggregate `container` around the place.
    Members {
        /// The type, interface or extension.
        container: ItemId,
        /// Its members of this name.
        items: Vec<ItemId>,
    },
    /// Declared in a namespace or file that is visible.
    Items(Vec<ItemId>),
}

impl Lexical {
    /// What is found beside `item`, if there is any.
    fn without(self, item: Option<ItemId>) -> Option<Lexical> {
        let others = |items: Vec<ItemId>| {
            let others: Vec<ItemId> = items.into_iter().filter(|found| Some(*found) != item).collect();
            (!others.is_empty()).then_some(others)
        };
        match self {
            Lexical::Param(_) => Some(self),
            Lexical::Members { container, items } => others(items).map(|items| Lexical::Members { container, items }),
            Lexical::Items(items) => others(items).map(Lexical::Items),
        }
    }
}

/// Where in a declaration a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// In the bases of a type or the target of an extension: its members are invisible.
    Bases,
    /// In the types of its parameters and its result, and in its clauses.
    Signature,
    /// In the body, which sees what it declares.
    Body,
    /// After a leading `::`, which sees what the file sees, and nothing of the declarations around.
    Global,
}

impl Within {
    /// Where the first name of `path` is looked for, when the path stands here.
    pub(crate) fn first_of(self, path: &Path) -> Within {
        if path.global { Within::Global } else { self }
    }
}

/// Walks outwards from inside `owner` and gives everything called `name` to `visit`, innermost first, until it returns a
/// value.
pub fn walk<T>(
    db: &dyn Db,
    owner: ItemId,
    name: &Name,
    within: Within,
    visit: &mut dyn FnMut(Lexical) -> Option<T>,
) -> Option<T> {
    walk_declarations(db, owner, name, within, visit).or_else(|| {
        let mut named = scope::file_scopes(db, item::file_of(db, owner)).map(|scope| scope::lookup_in(db, scope, name));
        named.find_map(|items| if items.is_empty() { None } else { visit(Lexical::Items(items)) })
    })
}

/// The part of [`walk`] that ends where the declarations around `owner` do: what the file sees is not asked.
fn walk_declarations<T>(
    db: &dyn Db,
    owner: ItemId,
    name: &Name,
    within: Within,
    visit: &mut dyn FnMut(Lexical) -> Option<T>,
) -> Option<T> {
    if within == Within::Global {
        return None;
    }
    let mut namespaces = Vec::new();
    let mut current = Some(owner);
    while let Some(container) = current {
        let data = item::item_data(db, container);
        if (container != owner || within == Within::Body)
            && let Some(items) = locals(db, container, name)
            && let Some(found) = visit(Lexical::Items(items))
        {
            return Some(found);
        }
        if let Some(index) = data.generics.params.iter().position(|param| param.name == *name)
            && let Some(found) = visit(Lexical::Param(TypeParam::new(db, container, index as u32)))
        {
            return Some(found);
        }
        let is_aggregate = matches!(
            data.kind,
            ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. }
        );
        if is_aggregate && !(within == Within::Bases && container == owner) {
            let items = members::declared(db, container, name);
            if !items.is_empty()
                && let Some(found) = visit(Lexical::Members { container, items: items.to_vec() })
            {
                return Some(found);
            }
        }
        if container != owner && matches!(data.kind, ItemKind::Namespace) {
            namespaces.push(container);
        }
        current = item::container(db, container);
    }
    // What all of a namespace's parts declare comes behind what stands around the place.
    let file = item::file_of(db, owner);
    let mut named =
        namespaces.into_iter().map(|namespace| scope::lookup_in(db, Scope::Namespace(namespace, file), name));
    named.find_map(|items| if items.is_empty() { None } else { visit(Lexical::Items(items)) })
}

/// What a name means in a file outside of all declarations, where a type or namespace is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SeenTypes {
    /// Those that may be meant, the nearest first.
    items: Box<[ItemId]>,
    /// Something else has the name.
    other_kind: bool,
}

/// A query, because every signature and body names the same few types.
#[salsa::tracked(returns(ref))]
fn types_seen_by_file(db: &dyn Db, file: SourceFile, name: Name) -> SeenTypes {
    let named: Vec<ItemId> =
        scope::file_scopes(db, file).flat_map(|scope| scope::lookup_in(db, scope, &name)).collect();
    let items: Box<[ItemId]> = same_name::types(db, &named).as_ref().into();
    SeenTypes { other_kind: items.len() < named.len(), items }
}

/// What the body of a function declares as `name`, or sees by a `using` inside it.
fn locals(db: &dyn Db, function: ItemId, name: &Name) -> Option<Vec<ItemId>> {
    let has_locals = matches!(
        item::item_data(db, function).kind,
        ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }
    );
    if !has_locals {
        return None;
    }
    if item::local_items(db, function).is_empty() {
        return None;
    }
    let declared = local_names(db, function);
    let found: Vec<ItemId> = match declared.by_name.get(name) {
        Some(named) => named.clone(),
        None => {
            let used = declared.used.iter();
            used.flat_map(|namespace| namespace_items(db, function, *namespace, name)).collect()
        }
    };
    (!found.is_empty()).then_some(found)
}

/// What the body of a function declares, by name, and the namespaces that it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct LocalNames {
    by_name: FxHashMap<Name, Vec<ItemId>>,
    used: Vec<ItemId>,
}

#[salsa::tracked(returns(ref))]
fn local_names(db: &dyn Db, function: ItemId) -> LocalNames {
    let mut names = LocalNames::default();
    for local in item::local_items(db, function) {
        if let Some(name) = &item::item_data(db, *local).name {
            names.by_name.entry(name.clone()).or_default().push(*local);
        }
        names.used.extend(scope::resolve_using(db, *local));
    }
    names
}

/// The meaning of a path where a type is wanted.
pub fn type_path(lowering: &mut TypeLowering<'_>, path: &Path) -> Result<TypeNs, TypePathError> {
    let mut segments = path.segments.iter();
    let Some(first) = segments.next() else { return Err(TypePathError::Reported) };
    let within = lowering.within.first_of(path);
    if let Some(context) = context_path(lowering, within, &path.segments) {
        return Ok(TypeNs::Type(context));
    }
    let mut found = first_segment(lowering, first, within, path.segments.len() > 1)?;
    for segment in segments {
        found = match found {
            TypeNs::Namespace(namespace) => {
                let items = namespace_items(lowering.db, lowering.owner, namespace, &segment.name);
                let found =
                    items_as_type(lowering.db, &items).ok_or_else(|| TypePathError::Unknown(segment.name.clone()))?;
                apply_arguments(lowering, found, segment)?
            }
            TypeNs::Type(base) => member_type_segment(lowering, base, segment)?,
            TypeNs::Generic { item, outer } => {
                let place = Site::name(lowering.owner);
                let base = lowering.apply(item, outer, None, place).ok_or(TypePathError::Reported)?;
                member_type_segment(lowering, base, segment)?
            }
            TypeNs::BuiltinGeneric(kind) => {
                let place = Site::name(lowering.owner);
                let base = lowering.apply_builtin(kind, None, &first.name, place).ok_or(TypePathError::Reported)?;
                member_type_segment(lowering, base, segment)?
            }
        };
    }
    Ok(found)
}

/// `f.BwdCallable`, `f.MinimalContext`: the type of the contexts that `f.apply_bwd` gives, which are one here. Generic
/// functions have no such name.
fn context_path(lowering: &TypeLowering<'_>, within: Within, segments: &[PathSegment]) -> Option<Ty> {
    let [PathSegment { name, args: None }, PathSegment { name: member, args: None }] = segments else { return None };
    if !matches!(member.as_str(), "BwdCallable" | "MinimalContext") {
        return None;
    }
    let db = lowering.db;
    walk(db, lowering.owner, name, within, &mut |hit| {
        let Lexical::Items(items) = hit else { return None };
        let [function] = *items.as_slice() else { return None };
        let data = item::item_data(db, function);
        let is_plain = matches!(data.kind, ItemKind::Function(_)) && data.generics.params.is_empty();
        let reference = FunctionRef { item: function, args: GenericArgs::empty(db), self_ty: None };
        is_plain.then(|| context_type(reference))
    })
}

/// What a namespace declares as `name`, as seen from the file of `owner`.
pub fn namespace_items(db: &dyn Db, owner: ItemId, namespace: ItemId, name: &Name) -> Vec<ItemId> {
    scope::lookup_in_namespace(db, namespace, item::file_of(db, owner), name)
}

fn first_segment(
    lowering: &mut TypeLowering<'_>,
    segment: &PathSegment,
    within: Within,
    qualifies: bool,
) -> Result<TypeNs, TypePathError> {
    let db = lowering.db;
    let name = &segment.name;
    let global = within == Within::Global;
    if !global && let Some(local) = lowering.const_locals.iter().rev().find(|local| local.name == *name) {
        // `value.Element` is an associated type of the value's type.
        return if qualifies { Ok(TypeNs::Type(local.ty)) } else { Err(TypePathError::NotAType(name.clone())) };
    }
    if name.as_str() == "This"
        && !global
        && let Some(aggregate) = self_aggregate(lowering)
        && let Some(ty) = generics::self_type(db, aggregate)
    {
        return Ok(TypeNs::Type(ty));
    }
    let mut other_kind = false;
    // The name of an alias means in what it stands for what it meant before.
    let own = plain_alias(db, lowering.owner);
    let found = walk_declarations(db, lowering.owner, name, within, &mut |hit| {
        let hit = hit.without(own)?;
        let found = match hit {
            Lexical::Param(param) => match generics::parameter_kind(db, param) {
                Some(GenericParamKind::Value { .. } | GenericParamKind::ValuePack { .. }) => None,
                // A pack stands for its elements, however equal they are.
                Some(GenericParamKind::Pack { .. }) => Some(TypeNs::Type(Ty::Param(param))),
                _ => Some(TypeNs::Type(lowering.env.parameter(db, param))),
            },
            Lexical::Members { container, items } => same_name::types(db, &items)
                .iter()
                .find_map(|item| item_as_type(db, *item, generics::identity_args(db, container))),
            Lexical::Items(items) => items_as_type(db, &items),
        };
        other_kind |= found.is_none();
        found
    });
    let found = found.or_else(|| {
        let seen = types_seen_by_file(db, item::file_of(db, lowering.owner), name.clone());
        other_kind |= seen.other_kind;
        seen.items.iter().filter(|item| Some(**item) != own).find_map(|item| declared_type(db, *item))
    });
    let inherited = || if global { None } else { inherited_type(lowering, name, own) };
    let found = found.or_else(inherited).or_else(|| builtin_type(db, name)).ok_or_else(|| {
        if other_kind { TypePathError::NotAType(name.clone()) } else { TypePathError::Unknown(name.clone()) }
    })?;
    apply_arguments(lowering, found, segment)
}

/// The aggregate that `This` means here: around `owner`, or `owner` itself for its own generic bounds and bases.
fn self_aggregate(lowering: &TypeLowering<'_>) -> Option<ItemId> {
    let own = item::item_data(lowering.db, lowering.owner);
    match own.kind {
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Enum { .. } => Some(lowering.owner),
        ItemKind::Extension { .. } if lowering.within != Within::Bases => Some(lowering.owner),
        _ => generics::enclosing_aggregate(lowering.db, lowering.owner),
    }
}

/// Associated types and nested types that the types around inherit: `Differential` inside a differentiable struct.
fn inherited_type(lowering: &mut TypeLowering<'_>, name: &Name, own: Option<ItemId>) -> Option<TypeNs> {
    let db = lowering.db;
    let mut current = Some(lowering.owner);
    let mut skip = lowering.within == Within::Bases;
    while let Some(container) = current {
        if !std::mem::take(&mut skip)
            && matches!(
                item::item_data(db, container).kind,
                ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Extension { .. }
            )
            && own.is_none_or(|own| !members::declared(db, container, name).contains(&own))
            && let Some(this) = generics::self_type(db, container)
            && let Some(found) = member_type(db, lowering.env, this, name)
        {
            return Some(found);
        }
        current = item::container(db, container);
    }
    None
}

fn builtin_type(db: &dyn Db, name: &Name) -> Option<TypeNs> {
    Some(match builtin_names::builtin_name(name.as_str())? {
        BuiltinName::Void => TypeNs::Type(Ty::Void),
        BuiltinName::String => TypeNs::Type(Ty::String),
        BuiltinName::None => TypeNs::Type(Ty::NoneLiteral),
        BuiltinName::Null => TypeNs::Type(Ty::NullLiteral),
        BuiltinName::Scalar(scalar) => TypeNs::Type(Ty::Scalar(scalar)),
        BuiltinName::Vector(scalar, len) => TypeNs::Type(Ty::vector(db, Ty::Scalar(scalar), Const::Value(len.into()))),
        BuiltinName::Matrix(scalar, rows, columns) => {
            let (rows, columns) = (Const::Value(rows.into()), Const::Value(columns.into()));
            TypeNs::Type(Ty::matrix(db, Ty::Scalar(scalar), rows, columns))
        }
        BuiltinName::Generic(kind) => TypeNs::BuiltinGeneric(kind),
    })
}

/// Adds the generic arguments of a segment, if there are any or if none are needed.
fn apply_arguments(
    lowering: &mut TypeLowering<'_>,
    found: TypeNs,
    segment: &PathSegment,
) -> Result<TypeNs, TypePathError> {
    let Some(args) = &segment.args else { return Ok(found) };
    // Errors about arguments are placed at the declaration's name where no type reference is at hand.
    let place = argument_place(lowering, args);
    let ty = match found {
        TypeNs::Generic { item, outer } => lowering.apply(item, outer, Some(args), place),
        TypeNs::BuiltinGeneric(kind) => lowering.apply_builtin(kind, Some(args), &segment.name, place),
        TypeNs::Type(_) | TypeNs::Namespace(_) => {
            let name = segment.name.clone();
            lowering.report(|| crate::diagnostics::names::too_many_generic_arguments(place, &name, 0, args.len()));
            None
        }
    };
    ty.map(TypeNs::Type).ok_or(TypePathError::Reported)
}

fn argument_place(lowering: &TypeLowering<'_>, args: &[GenericArgRef]) -> Site {
    match args.first() {
        Some(GenericArgRef::Type(ty)) => lowering.place(*ty),
        Some(GenericArgRef::Value(expr)) => lowering.expr_place(*expr),
        None => Site::name(lowering.owner),
    }
}

fn items_as_type(db: &dyn Db, items: &[ItemId]) -> Option<TypeNs> {
    same_name::types(db, items).iter().find_map(|item| declared_type(db, *item))
}

fn declared_type(db: &dyn Db, item: ItemId) -> Option<TypeNs> {
    let outer = item::container(db, item)
        .map_or_else(|| GenericArgs::empty(db), |container| generics::identity_args(db, container));
    item_as_type(db, item, outer)
}

/// A declaration outside of types, as a type.
pub fn item_type(db: &dyn Db, item: ItemId) -> Option<TypeNs> {
    items_as_type(db, &[item])
}

/// A declaration as a type; `outer` are the arguments of the declarations around it.
fn item_as_type(db: &dyn Db, item: ItemId, outer: GenericArgs) -> Option<TypeNs> {
    let data = item::item_data(db, item);
    let generic = !data.generics.params.is_empty();
    if known::is_builtin_declaration(db, item) {
        return builtin_type(db, data.name.as_ref()?);
    }
    match &data.kind {
        ItemKind::Struct { .. } | ItemKind::Enum { .. } | ItemKind::Interface { .. } | ItemKind::TypeAlias { .. }
            if generic =>
        {
            Some(TypeNs::Generic { item, outer })
        }
        ItemKind::Struct { .. } | ItemKind::Enum { .. } | ItemKind::Interface { .. } => {
            Some(TypeNs::Type(Ty::Adt(item, outer)))
        }
        ItemKind::TypeAlias { .. } => {
            let target = alias_target(db, item);
            let substitution = Substitution::of_item(db, item, outer);
            Some(TypeNs::Type(substitute::substitute(db, Env::of(db, item), target, &substitution)))
        }
        ItemKind::AssociatedType { .. } => {
            let interface = item::container(db, item)?;
            Some(TypeNs::Type(associated::associated_type(
                db,
                Env::of(db, interface),
                Ty::This(interface),
                item,
                outer,
            )))
        }
        ItemKind::Namespace | ItemKind::Module { .. } => Some(TypeNs::Namespace(item)),
        ItemKind::GlobalTypeParam => Some(TypeNs::Type(Ty::Param(TypeParam::new(db, item, 0)))),
        _ => None,
    }
}

/// `base.segment` where a type is wanted.
pub fn member_type_segment(
    lowering: &mut TypeLowering<'_>,
    base: Ty,
    segment: &PathSegment,
) -> Result<TypeNs, TypePathError> {
    if base.is_error() {
        return Err(TypePathError::Reported);
    }
    let found = member_type(lowering.db, lowering.env, base, &segment.name)
        .ok_or_else(|| TypePathError::NotAMember(base, segment.name.clone()))?;
    apply_arguments(lowering, found, segment)
}

/// The nested or associated type `name` of `base`.
pub fn member_type(db: &dyn Db, env: Env, base: Ty, name: &Name) -> Option<TypeNs> {
    if let Some((item, args)) = known::declaration_of(db, base)
        && !matches!(item::item_data(db, item).kind, ItemKind::Interface { .. })
        && let Some(found) = members::declared(db, item, name)
            .iter()
            .find_map(|member| declared_member_type(db, env, *member, args, base))
    {
        return Some(found);
    }
    for extension in members::extensions_declaring(db, env, base, name) {
        let found = members::declared(db, extension.item, name)
            .iter()
            .find_map(|member| declared_member_type(db, env, *member, extension.args, base));
        if found.is_some() {
            return found;
        }
    }
    conformance::interfaces_of(db, env, base).iter().find_map(|interface| {
        let Ty::Adt(interface, args) = *interface else { return None };
        let item = *members::declared(db, interface, name)
            .iter()
            .find(|item| matches!(item::item_data(db, **item).kind, ItemKind::AssociatedType { .. }))?;
        Some(TypeNs::Type(associated::associated_type(db, env, base, item, args)))
    })
}

/// A type that a type or extension declares as its member, seen from outside.
pub fn declared_member_type(db: &dyn Db, env: Env, member: ItemId, outer: GenericArgs, this: Ty) -> Option<TypeNs> {
    match item_as_type(db, member, outer)? {
        TypeNs::Type(ty) => {
            Some(TypeNs::Type(substitute::substitute(db, env, ty, &Substitution::default().with_this(this))))
        }
        other => Some(other),
    }
}

/// What an alias stands for, in terms of its generic parameters.
#[salsa::tracked(returns(copy), cycle_initial = alias_initial, cycle_fn = cycles::settle_type)]
pub fn alias_target(db: &dyn Db, item: ItemId) -> Ty {
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::TypeAlias { ty } => TypeLowering::new(db, item, &data.store).lower(*ty),
        _ => Ty::Error,
    }
}

fn alias_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Ty {
    Ty::Error
}

/// The item, if it is an alias without parameters.
fn plain_alias(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    let data = item::item_data(db, item);
    (matches!(data.kind, ItemKind::TypeAlias { .. }) && data.generics.params.is_empty()).then_some(item)
}

/// The aliases that the type of an alias names.
pub fn aliases_in(db: &dyn Db, alias: ItemId) -> Vec<ItemId> {
    let data = item::item_data(db, alias);
    let mut lowering = TypeLowering::new(db, alias, &data.store);
    let paths = data.store.type_refs.iter().filter_map(|(_, written)| match written {
        TypeRef::Path(path) => Some(path),
        _ => None,
    });
    paths.filter_map(|path| named_alias(&mut lowering, path)).collect()
}

fn named_alias(lowering: &mut TypeLowering<'_>, path: &Path) -> Option<ItemId> {
    let (db, owner) = (lowering.db, lowering.owner);
    let (last, qualifier) = path.segments.split_last()?;
    let alias = |items: &[ItemId]| {
        let is_alias = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::TypeAlias { .. });
        items.iter().copied().find(is_alias)
    };
    if qualifier.is_empty() {
        let own = plain_alias(db, owner);
        return walk(db, owner, &last.name, lowering.within.first_of(path), &mut |hit| match hit.without(own)? {
            Lexical::Param(_) => Some(None),
            Lexical::Members { items, .. } | Lexical::Items(items) => Some(alias(&items)),
        })
        .flatten();
    }
    match path_as_type(lowering, &Path { global: path.global, segments: qualifier.to_vec() })? {
        TypeNs::Type(ty) => alias(members::declared(db, known::declaration_of(db, ty)?.0, &last.name)),
        TypeNs::Namespace(namespace) => alias(&namespace_items(db, owner, namespace, &last.name)),
        TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) => None,
    }
}

/// The alias of several interfaces (`typealias IBoth = IFirst & ISecond`) that a name means, if it does.
pub fn conjunction_alias(lowering: &TypeLowering<'_>, path: &Path) -> Option<ItemId> {
    conjunction_alias_within(lowering, path, MAX_ALIASES)
}

/// How many aliases of aliases are followed to a conjunction.
const MAX_ALIASES: u32 = 8;

fn conjunction_alias_within(lowering: &TypeLowering<'_>, path: &Path, limit: u32) -> Option<ItemId> {
    let db = lowering.db;
    let [segment] = path.segments.as_slice() else { return None };
    let is_conjunction = |item: &ItemId| {
        let data = item::item_data(db, *item);
        match &data.kind {
            ItemKind::TypeAlias { ty } => match &data.store.type_refs[*ty] {
                TypeRef::And(_) => true,
                // An alias of an alias.
                TypeRef::Path(inner) => {
                    limit > 0
                        && inner.segments.len() == 1
                        && conjunction_alias_within(&TypeLowering::new(db, *item, &data.store), inner, limit - 1)
                            .is_some()
                }
                _ => false,
            },
            _ => false,
        }
    };
    walk(db, lowering.owner, &segment.name, lowering.within, &mut |hit| match hit {
        Lexical::Param(_) => Some(None),
        Lexical::Members { items, .. } | Lexical::Items(items) => {
            Some(same_name::types(db, &items).iter().copied().find(is_conjunction))
        }
    })
    .flatten()
}

/// The meaning of a path where a type may be meant; nothing is reported.
pub fn path_as_type(lowering: &mut TypeLowering<'_>, path: &Path) -> Option<TypeNs> {
    lowering.silently(|lowering| type_path(lowering, path)).ok()
}

/// The constant that a path names: a value parameter, a constant variable or an enum case.
pub fn path_as_value(lowering: &mut TypeLowering<'_>, path: &Path) -> Option<ConstantName> {
    let db = lowering.db;
    let (last, qualifier) = path.segments.split_last()?;
    if last.args.is_some() {
        return None;
    }
    if qualifier.is_empty() {
        let declared = walk(db, lowering.owner, &last.name, lowering.within.first_of(path), &mut |hit| match hit {
            Lexical::Param(param) => Some(ConstantName::Param(param)),
            // Within an interface its constants are those of whatever type it is.
            Lexical::Members { container, items }
                if matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }) =>
            {
                let this = generics::self_type(db, container)?;
                same_name::constants(db, &items).first().map(|item| ConstantName::Member(this, *item))
            }
            Lexical::Members { items, .. } | Lexical::Items(items) => {
                same_name::constants(db, &items).first().map(|item| ConstantName::Item(*item))
            }
        });
        return declared.or_else(|| inherited_constant(lowering, &last.name));
    }
    let qualifier = Path { global: path.global, segments: qualifier.to_vec() };
    match path_as_type(lowering, &qualifier)? {
        TypeNs::Type(ty) => static_member(db, lowering.env, ty, &last.name).map(|item| ConstantName::Member(ty, item)),
        TypeNs::Namespace(namespace) => {
            namespace_items(db, lowering.owner, namespace, &last.name).first().map(|item| ConstantName::Item(*item))
        }
        TypeNs::Generic { item, .. } => {
            members::declared(db, item, &last.name).first().map(|item| ConstantName::Item(*item))
        }
        TypeNs::BuiltinGeneric(_) => None,
    }
}

/// A constant that a type around the place has and does not declare there: that of the type which an extension extends, or of an
/// interface or struct above.
fn inherited_constant(lowering: &TypeLowering<'_>, name: &Name) -> Option<ConstantName> {
    let db = lowering.db;
    // The bases and the target say what is inherited.
    let first = match lowering.within {
        Within::Bases | Within::Global => return None,
        Within::Signature | Within::Body => lowering.owner,
    };
    let around = std::iter::successors(Some(first), |inner| item::container(db, *inner));
    around
        .filter_map(|container| generics::self_type(db, container))
        .find_map(|ty| static_member(db, lowering.env, ty, name).map(|item| ConstantName::Member(ty, item)))
}

/// The value of the constant that a path names.
pub fn constant_path(lowering: &mut TypeLowering<'_>, path: &Path) -> Option<Const> {
    if let [segment] = path.segments.as_slice()
        && !path.global
        && let Some(local) = lowering.const_locals.iter().rev().find(|local| local.name == segment.name)
    {
        return local.constant;
    }
    match path.segments.as_slice() {
        [only] if only.name.as_str() == "true" => return Some(Const::Value(1)),
        [only] if only.name.as_str() == "false" => return Some(Const::Value(0)),
        _ => {}
    }
    match path_as_value(lowering, path)? {
        ConstantName::Param(param) => {
            let kind = generics::parameter_kind(lowering.db, param);
            matches!(kind, Some(GenericParamKind::Value { .. } | GenericParamKind::ValuePack { .. }))
                .then_some(Const::Param(param))
        }
        ConstantName::Item(item) => consts::constant_value(lowering.db, item),
        ConstantName::Member(ty, item) => consts::member_value(lowering.db, lowering.env, ty, item),
    }
}

/// Whether a path names a variable: a local, or one that is declared somewhere.
pub(crate) fn names_variable(lowering: &mut TypeLowering<'_>, path: &Path) -> bool {
    let is_local = match path.segments.as_slice() {
        [only] if !path.global => lowering.const_locals.iter().any(|local| local.name == only.name),
        _ => false,
    };
    is_local
        || match path_as_value(lowering, path) {
            Some(ConstantName::Item(_) | ConstantName::Member(..)) => true,
            Some(ConstantName::Param(_)) | None => false,
        }
}

/// A `static const` member or enum case of a type.
pub fn static_member(db: &dyn Db, env: Env, base: Ty, name: &Name) -> Option<ItemId> {
    members::lookup(db, env, base, name)
        .into_iter()
        .map(|member| member.item)
        .find(|item| matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. } | ItemKind::EnumCase { .. }))
}

/// Whether anything at all is called that; decides between two diagnostics.
pub fn path_exists(lowering: &mut TypeLowering<'_>, path: &Path) -> bool {
    let db = lowering.db;
    let Some(first) = path.segments.first() else { return true };
    walk(db, lowering.owner, &first.name, lowering.within.first_of(path), &mut |_| Some(())).is_some()
        || builtin_type(db, &first.name).is_some()
}

/// A visible type that a misspelt name may have meant.
pub fn suggest_type(lowering: &TypeLowering<'_>, name: &Name) -> Option<String> {
    let db = lowering.db;
    let mut candidates: Vec<&str> = Vec::new();
    let mut current = Some(lowering.owner);
    while let Some(container) = current {
        let data = item::item_data(db, container);
        candidates.extend(data.generics.params.iter().map(|param| param.name.as_str()));
        current = item::container(db, container);
    }
    let mistakes = suggest::most_mistakes(name.as_str());
    let is_type = |name: &&Name| {
        let items = scope::lookup(db, lowering.owner, name);
        items.iter().any(|item| {
            item_type(db, *item).is_some() || matches!(item::item_data(db, *item).kind, ItemKind::Namespace)
        })
    };
    let similar = scope::names_like(db, lowering.owner, name.as_str(), mistakes).into_iter();
    candidates.extend(similar.filter(is_type).map(Name::as_str));
    for name in builtin_names::suggestions() {
        candidates.push(name);
    }
    suggest::nearest(name.as_str(), candidates.into_iter()).map(str::to_owned)
}
