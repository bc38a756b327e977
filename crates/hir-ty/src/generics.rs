//! Generic parameters in scope of a declaration, and what is promised about them.

pub mod associated;
pub mod env;
pub mod packs;
pub mod solve;
pub mod substitute;

use base_db::Db;
use hir_def::{
    item::{self, GenericConstraint, GenericParamKind, ItemId, ItemKind},
    name::Name,
    type_ref::{GenericArgRef, Path, PathSegment, TypeRef, TypeRefId},
};

use crate::{
    conformance::extension,
    generics::env::{Bound, Env},
    types::{
        builtin_names::{self, BuiltinName},
        consts, cycles, known,
        lower_ty::{self, TypeLowering},
        resolve,
        ty::{Const, GenericArg, GenericArgs, Ty, TypeParam},
    },
};

/// All generic parameters in scope of `item`, outermost declaration first, `item`'s own last.
#[salsa::tracked(returns(deref))]
pub fn parameters(db: &dyn Db, item: ItemId) -> Box<[TypeParam]> {
    let outer = item::container(db, item).map_or(&[][..], |container| parameters(db, container));
    let own = item::item_data(db, item).generics.params.len() as u32;
    outer.iter().copied().chain((0..own).map(|index| TypeParam::new(db, item, index))).collect()
}

/// The arguments that stand for the parameters in scope of `item` themselves.
#[salsa::tracked(returns(copy))]
pub fn identity_args(db: &dyn Db, item: ItemId) -> GenericArgs {
    let args: Box<[GenericArg]> = parameters(db, item).iter().map(|param| as_arg(db, *param)).collect();
    GenericArgs::new(db, args)
}

/// The arguments of `item` where those of what it is declared in are `outer`: its own parameters stand for themselves.
pub fn identity_args_within(db: &dyn Db, item: ItemId, outer: GenericArgs) -> GenericArgs {
    let known = outer.args(db);
    if known.is_empty() {
        return identity_args(db, item);
    }
    if known.len() >= parameters(db, item).len() {
        return outer;
    }
    let own = identity_args(db, item).args(db);
    GenericArgs::new(db, known.iter().chain(&own[known.len()..]).copied().collect::<Box<[GenericArg]>>())
}

/// A parameter as an argument for itself.
pub fn as_arg(db: &dyn Db, param: TypeParam) -> GenericArg {
    match parameter_kind(db, param) {
        Some(GenericParamKind::Value { .. }) => GenericArg::Value(Const::Param(param)),
        Some(GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. }) => {
            GenericArg::Pack(packs::whole_pack(db, param))
        }
        Some(GenericParamKind::Type { .. }) | None => GenericArg::Type(Ty::Param(param)),
    }
}

/// The declaration of a parameter.
pub fn parameter_kind(db: &dyn Db, param: TypeParam) -> Option<&GenericParamKind> {
    let generics = &item::item_data(db, param.owner(db)).generics;
    generics.params.get(param.index(db) as usize).map(|param| &param.kind)
}

/// The name that the parameter is declared by.
pub fn parameter_name(db: &dyn Db, param: TypeParam) -> Name {
    let generics = &item::item_data(db, param.owner(db)).generics;
    generics.params.get(param.index(db) as usize).map_or_else(|| Name::new("_"), |param| param.name.clone())
}

/// Whether the parameter stands for a list: `each T`, `let each N`.
pub fn is_pack(db: &dyn Db, param: TypeParam) -> bool {
    matches!(parameter_kind(db, param), Some(GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. }))
}

/// Those of `item`'s own parameters that stand for how a built-in type is laid out: `L` of `matrix<T, R, C, L>`. Layout does
/// not make another type here, so that nothing says what such a parameter is, and it does not matter.
#[salsa::tracked(returns(deref))]
pub fn layout_parameters(db: &dyn Db, item: ItemId) -> Box<[TypeParam]> {
    let data = item::item_data(db, item);
    let store = &data.store;
    let mut layouts = Vec::new();
    for (_, written) in store.type_refs.iter() {
        let TypeRef::Path(Path { global: false, segments }) = written else { continue };
        let [PathSegment { name, args: Some(args) }] = segments.as_slice() else { continue };
        let Some(BuiltinName::Generic(kind)) = builtin_names::builtin_name(name.as_str()) else { continue };
        if lower_ty::layout_arguments(kind).is_none() {
            continue;
        }
        for arg in args.iter().skip(lower_ty::builtin_parameters(kind).len()) {
            if let GenericArgRef::Type(arg) = arg
                && let TypeRef::Path(Path { segments, .. }) = &store.type_refs[*arg]
                && let [segment] = segments.as_slice()
                && let Some(index) = data.generics.params.iter().position(|param| param.name == segment.name)
            {
                layouts.push(TypeParam::new(db, item, index as u32));
            }
        }
    }
    layouts.into_boxed_slice()
}

/// What [`layout_parameters`] are where nothing is written for them.
pub fn any_layout(db: &dyn Db, param: TypeParam) -> Option<GenericArg> {
    if !layout_parameters(db, param.owner(db)).contains(&param) {
        return None;
    }
    match parameter_kind(db, param)? {
        GenericParamKind::Type { .. } => Some(GenericArg::Type(Ty::Error)),
        GenericParamKind::Value { .. } => Some(GenericArg::Value(Const::Value(0))),
        GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. } => None,
    }
}

/// Whether the parameter stands for a list of values: `let each N`.
pub fn is_value_pack(db: &dyn Db, param: TypeParam) -> bool {
    matches!(parameter_kind(db, param), Some(GenericParamKind::ValuePack { .. }))
}

/// The type of a value parameter.
pub fn value_parameter_type(db: &dyn Db, param: TypeParam) -> Ty {
    let owner = param.owner(db);
    match parameter_kind(db, param) {
        Some(GenericParamKind::Value { ty, .. } | GenericParamKind::ValuePack { ty }) => {
            let data = item::item_data(db, owner);
            TypeLowering::new(db, owner, &data.store).lower(*ty)
        }
        _ => Ty::Error,
    }
}

/// What the generic parameters in scope of `item` promise: its own bounds last.
#[salsa::tracked(returns(deref), cycle_initial = bounds_initial, cycle_fn = bounds_settle)]
pub fn bounds(db: &dyn Db, item: ItemId) -> Box<[Bound]> {
    let mut bounds: Vec<Bound> = item::container(db, item).map_or(&[][..], |container| bounds(db, container)).to_vec();
    let data = item::item_data(db, item);
    // A constraint of an interface may be about what the constraints before it promise.
    if matches!(data.kind, ItemKind::Constraint)
        && let Some(interface) = item::container(db, item)
    {
        let members = item::members(db, interface).iter().take_while(|member| **member != item);
        let before = members.filter(|member| matches!(item::item_data(db, **member).kind, ItemKind::Constraint));
        bounds.extend(before.flat_map(|member| own_bounds(db, *member)));
    }
    for (index, param) in data.generics.params.iter().enumerate() {
        let (GenericParamKind::Type { bounds: written, .. } | GenericParamKind::Pack { bounds: written }) = &param.kind
        else {
            continue;
        };
        let subject = Ty::Param(TypeParam::new(db, item, index as u32));
        for bound in written {
            push_conformance(db, item, &mut bounds, subject, *bound, false);
        }
    }
    for constraint in &data.generics.constraints {
        match constraint {
            GenericConstraint::Conforms { subject, bounds: written, optional } => {
                let subject = lower_with(db, item, &bounds, *subject);
                for bound in written {
                    push_conformance(db, item, &mut bounds, subject, *bound, *optional);
                }
            }
            GenericConstraint::Equal { left, right } => {
                let (left, right) = (lower_with(db, item, &bounds, *left), lower_with(db, item, &bounds, *right));
                bounds.push(Bound::Equal { left, right });
            }
            GenericConstraint::Coercible { from, to } => {
                let (from, to) = (lower_with(db, item, &bounds, *from), lower_with(db, item, &bounds, *to));
                bounds.push(Bound::Coercible { from, to });
            }
            GenericConstraint::NonEmpty { pack } => {
                let env = Env::new(db, item::file_of(db, item), Box::from(&*bounds));
                let mut lowering = TypeLowering::with_env(db, item, &data.store, env);
                let pack = lowering.pack_elements(pack);
                bounds.push(Bound::NonEmpty { pack: GenericArgs::new(db, pack.into_boxed_slice()) });
            }
            GenericConstraint::EqualValues { left, right } => {
                let env = Env::new(db, item::file_of(db, item), Box::from(&*bounds));
                let mut lowering = TypeLowering::with_env(db, item, &data.store, env);
                let mut value = |expr| consts::evaluate(&mut lowering, expr).unwrap_or(Const::Error);
                let (left, right) = (value(*left), value(*right));
                bounds.push(Bound::EqualValues { left, right });
            }
        }
    }
    bounds.into_boxed_slice()
}

fn bounds_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Box<[Bound]> {
    Box::default()
}

fn bounds_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Box<[Bound]>,
    value: Box<[Bound]>,
    _item: ItemId,
) -> Box<[Bound]> {
    cycles::settle(cycle, value, last.clone())
}

/// Bounds may mention what earlier bounds promise (`<T : IFoo> where T.Element : IBar`), so each is lowered in the
/// environment of those before it.
fn lower_with(db: &dyn Db, item: ItemId, bounds: &[Bound], ty: hir_def::type_ref::TypeRefId) -> Ty {
    let env = Env::new(db, item::file_of(db, item), Box::from(bounds));
    TypeLowering::with_env(db, item, &item::item_data(db, item).store, env).lower(ty)
}

fn push_conformance(
    db: &dyn Db,
    item: ItemId,
    bounds: &mut Vec<Bound>,
    subject: Ty,
    bound: hir_def::type_ref::TypeRefId,
    optional: bool,
) {
    let env = Env::new(db, item::file_of(db, item), Box::from(&**bounds));
    let mut lowering = TypeLowering::with_env(db, item, &item::item_data(db, item).store, env);
    let interfaces = bound_types(&mut lowering, bound);
    // `each T : I` promises the bound for every element.
    let subject = match subject {
        Ty::Expand(expand) => expand.pattern(db),
        subject => subject,
    };
    bounds.extend(interfaces.into_iter().map(|interface| Bound::Conforms { subject, interface, optional }));
}

/// The interfaces that a bound names: several if it is `A & B`, or an alias of such.
pub fn bound_types(lowering: &mut TypeLowering<'_>, bound: TypeRefId) -> Vec<Ty> {
    let db = lowering.db;
    let store = lowering.store;
    match &store.type_refs[bound] {
        TypeRef::And(parts) => parts.iter().flat_map(|part| bound_types(lowering, *part)).collect(),
        TypeRef::Path(path) => match resolve::conjunction_alias(lowering, path) {
            Some(alias) => {
                let data = item::item_data(db, alias);
                let ItemKind::TypeAlias { ty } = data.kind else { return Vec::new() };
                let mut inner = TypeLowering::new(db, alias, &data.store);
                lowering.nested(|_| bound_types(&mut inner, ty)).unwrap_or_default()
            }
            None => vec![lowering.lower(bound)],
        },
        _ => vec![lowering.lower(bound)],
    }
}

/// The bounds that `item` itself adds to those of its container: what a reference to it must satisfy.
pub fn own_bounds(db: &dyn Db, item: ItemId) -> &[Bound] {
    let outer = item::container(db, item).map_or(0, |container| bounds(db, container).len());
    bounds(db, item).get(outer..).unwrap_or(&[])
}

/// The type that `This` means inside `container`, with the parameters in scope as arguments.
#[salsa::tracked(returns(copy), cycle_initial = self_type_initial, cycle_fn = self_type_settle)]
pub fn self_type(db: &dyn Db, container: ItemId) -> Option<Ty> {
    let data = item::item_data(db, container);
    match &data.kind {
        ItemKind::Struct { .. } if known::is_builtin_declaration(db, container) => {
            let args = identity_args(db, container);
            Some(match known::declared_builtin(db, container)? {
                BuiltinName::Void => Ty::Void,
                BuiltinName::String => Ty::String,
                BuiltinName::None => Ty::NoneLiteral,
                BuiltinName::Null => Ty::NullLiteral,
                BuiltinName::Scalar(scalar) => Ty::Scalar(scalar),
                BuiltinName::Generic(kind) => Ty::Builtin(kind, args),
                BuiltinName::Vector(..) | BuiltinName::Matrix(..) => Ty::Adt(container, args),
            })
        }
        ItemKind::Struct { .. } | ItemKind::Enum { .. } => Some(Ty::Adt(container, identity_args(db, container))),
        ItemKind::Interface { .. } => Some(Ty::This(container)),
        ItemKind::Extension { .. } => match extension::target(db, container) {
            Ty::Adt(item, _) if matches!(item::item_data(db, item).kind, ItemKind::Interface { .. }) => {
                Some(Ty::This(item))
            }
            target => Some(target),
        },
        ItemKind::Property { .. } | ItemKind::Subscript { .. } => self_type(db, item::container(db, container)?),
        _ => None,
    }
}

fn self_type_initial(_db: &dyn Db, _id: salsa::Id, _container: ItemId) -> Option<Ty> {
    Some(Ty::Error)
}

fn self_type_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    _last: &Option<Ty>,
    value: Option<Ty>,
    _container: ItemId,
) -> Option<Ty> {
    cycles::settle(cycle, value, Some(Ty::Error))
}

/// The innermost aggregate around `item` (not `item` itself).
pub fn enclosing_aggregate(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    let mut current = item::container(db, item);
    while let Some(container) = current {
        match item::item_data(db, container).kind {
            ItemKind::Struct { .. }
            | ItemKind::Interface { .. }
            | ItemKind::Extension { .. }
            | ItemKind::Enum { .. } => {
                return Some(container);
            }
            _ => current = item::container(db, container),
        }
    }
    None
}
