//! Values in types: folding, and evaluation of constant expressions.

use base_db::Db;
use hir_def::{
    attribute::{Attribute, AttributeKind, Modifiers},
    body::{Arg, BinaryOp, BodyRoot, Expr, ExprId, ExprStore, Literal, PrefixOp},
    item::{self, Item, ItemId, ItemKind},
    name::Name,
    type_ref::{GenericArgRef, Path, TypeRef, TypeRefId},
};

use rustc_hash::FxHashMap;

use crate::{
    conformance::members,
    generics::{
        self,
        env::Env,
        packs,
        substitute::{self, Substitution},
    },
    types::{
        const_arrays, const_floats,
        lower_ty::TypeLowering,
        parts,
        resolve::{self, TypeNs},
        signature, size,
        ty::{BuiltinType, Const, ConstChoice, ConstMember, GenericArg, GenericArgs, Ty, TypeParam},
    },
};

/// `left op right`, folded if both are known.
pub fn binary(db: &dyn Db, op: BinaryOp, left: Const, right: Const) -> Const {
    match (left, right) {
        (Const::Error, _) | (_, Const::Error) | (Const::Unsized, _) | (_, Const::Unsized) => Const::Error,
        (Const::Value(left), Const::Value(right)) => fold(op, left, right).map_or(Const::Error, Const::Value),
        _ => match (op, left, right) {
            // The neutral elements, so that `N + 0` and `N` are one type.
            (BinaryOp::Add, other, Const::Value(0)) | (BinaryOp::Add, Const::Value(0), other) => other,
            (BinaryOp::Sub, other, Const::Value(0)) => other,
            (BinaryOp::Mul | BinaryOp::Div, other, Const::Value(1)) | (BinaryOp::Mul, Const::Value(1), other) => other,
            // One order for what commutes.
            (BinaryOp::Add | BinaryOp::Mul, left, right) if right < left => substitute::operation(db, op, right, left),
            _ => substitute::operation(db, op, left, right),
        },
    }
}

/// `condition ? then : otherwise`. What is not chosen need not have a value.
pub fn choice(db: &dyn Db, condition: Const, then: Const, otherwise: Const) -> Const {
    match condition {
        Const::Value(0) => otherwise,
        Const::Value(_) => then,
        Const::Error | Const::Unsized => Const::Error,
        Const::Param(_)
        | Const::Operation(_)
        | Const::Choice(_)
        | Const::Count(_)
        | Const::Size(_)
        | Const::Member(_)
        | Const::Expand(_)
        | Const::PackQuery(_) => Const::Choice(ConstChoice::new(db, condition, then, otherwise)),
    }
}

/// The number that an operation has as its result, unless it overflows or divides by zero.
pub fn fold(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let shift = || u32::try_from(right).ok();
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::Div => left.checked_div(right),
        BinaryOp::Rem => left.checked_rem(right),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::Shl => left.checked_shl(shift()?),
        BinaryOp::Shr => left.checked_shr(shift()?),
        BinaryOp::LogicalAnd => Some((left != 0 && right != 0).into()),
        BinaryOp::LogicalOr => Some((left != 0 || right != 0).into()),
        BinaryOp::Equal => Some((left == right).into()),
        BinaryOp::NotEqual => Some((left != right).into()),
        BinaryOp::Less => Some((left < right).into()),
        BinaryOp::LessEqual => Some((left <= right).into()),
        BinaryOp::Greater => Some((left > right).into()),
        BinaryOp::GreaterEqual => Some((left >= right).into()),
    }
}

/// The value of a constant expression of the declaration or body that `lowering` stands in; `None` if it is not a
/// constant integer.
pub fn evaluate(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<Const> {
    lowering.nested(|lowering| evaluate_inner(lowering, expr)).flatten()
}

fn evaluate_inner(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<Const> {
    let db = lowering.db;
    let store = lowering.store;
    match &store.exprs[expr] {
        Expr::Missing => Some(Const::Error),
        Expr::Literal(Literal::Int { value, .. }) => Some(Const::Value(*value as i64)),
        Expr::Literal(Literal::Bool(value)) => Some(Const::Value((*value).into())),
        Expr::Path(path) => path_value(lowering, path),
        Expr::Member { base, name, .. } => static_member(lowering, *base, name),
        Expr::Prefix { op, operand } => {
            let operand = evaluate(lowering, *operand)?;
            match op {
                PrefixOp::Plus => Some(operand),
                PrefixOp::Neg => Some(binary(db, BinaryOp::Sub, Const::Value(0), operand)),
                PrefixOp::Not => Some(binary(db, BinaryOp::Equal, operand, Const::Value(0))),
                PrefixOp::BitNot => Some(binary(db, BinaryOp::BitXor, operand, Const::Value(-1))),
                PrefixOp::Increment | PrefixOp::Decrement | PrefixOp::AddressOf | PrefixOp::Deref => None,
            }
        }
        Expr::Binary { op, left, right } => {
            let (left, right) = (evaluate(lowering, *left)?, evaluate(lowering, *right)?);
            Some(binary(db, *op, left, right))
        }
        Expr::Ternary { cond, then, otherwise } => match evaluate(lowering, *cond)? {
            Const::Value(0) => evaluate(lowering, *otherwise),
            Const::Value(_) => evaluate(lowering, *then),
            condition => {
                let (then, otherwise) = (evaluate(lowering, *then)?, evaluate(lowering, *otherwise)?);
                Some(choice(db, condition, then, otherwise))
            }
        },
        Expr::Cast { ty, operand } => {
            let ty = lowering.lower(*ty);
            Some(converted(integer(lowering, *operand)?, ty))
        }
        Expr::Index { base, args } => {
            let [index] = args.as_slice() else { return None };
            const_arrays::element(lowering, *base, *index)
        }
        Expr::Call { callee, args } => call_value(lowering, *callee, args),
        Expr::SizeOf { what: hir_def::body::SizeOfKind::Count, ty, operand, layout: _ } => {
            count(lowering, *ty, *operand)
        }
        // A size in a layout of its own is not known to the front end; lowering says so.
        Expr::SizeOf { layout: Some(_), .. } => Some(Const::Error),
        Expr::SizeOf { what, ty, operand, layout: None } => {
            let measured = match (ty, operand) {
                (Some(ty), _) => match value_type(lowering, *ty) {
                    Some(value) => value,
                    None => lowering.lower(*ty),
                },
                (None, Some(operand)) => match store.exprs[*operand] {
                    Expr::Literal(Literal::NullPtr) => Ty::NullLiteral,
                    _ => type_of_expression(lowering, *operand)?,
                },
                (None, None) => return Some(Const::Error),
            };
            size::measure(db, lowering.env, *what, measured)
        }
        Expr::Expand(inner) => match evaluate(lowering, *inner)? {
            Const::Error => Some(Const::Error),
            pattern => Some(packs::expansion_of_value(db, pattern)),
        },
        Expr::Each(inner) => evaluate(lowering, *inner),
        Expr::PackQuery { query, operands } => match lowering.pack_query(*query, operands)? {
            packs::Answer::One(GenericArg::Value(value)) => Some(value),
            packs::Answer::One(GenericArg::Type(_) | GenericArg::Pack(_)) | packs::Answer::Many(_) => None,
        },
        _ => None,
    }
}

/// `int(x)`, `Kind(x)`, `__floatAsInt(1.0)`.
fn call_value(lowering: &mut TypeLowering<'_>, callee: ExprId, args: &[Arg]) -> Option<Const> {
    let [argument] = args else { return None };
    if let Expr::Path(path) = &lowering.store.exprs[callee]
        && matches!(path.segments.as_slice(), [only] if only.name.as_str() == "__floatAsInt")
    {
        return const_floats::bits(lowering, argument.value);
    }
    match type_of_expression(lowering, callee)? {
        Ty::Scalar(scalar) if !scalar.is_float() => {
            Some(converted(integer(lowering, argument.value)?, Ty::Scalar(scalar)))
        }
        Ty::Adt(item, _) if matches!(item::item_data(lowering.db, item).kind, ItemKind::Enum { .. }) => {
            evaluate(lowering, argument.value)
        }
        _ => None,
    }
}

/// `countof(…)`
fn count(lowering: &mut TypeLowering<'_>, ty: Option<TypeRefId>, operand: Option<ExprId>) -> Option<Const> {
    let db = lowering.db;
    if let Some(ty) = ty
        && let Some(pack) = lowering.named_value_pack(ty)
    {
        return Some(Const::Count(pack));
    }
    let measured = match (ty, operand) {
        (Some(ty), _) => GenericArgRef::Type(ty),
        (None, Some(operand)) => GenericArgRef::Value(operand),
        (None, None) => return Some(Const::Error),
    };
    if let Some(list) = lowering.query_list(&measured) {
        return Some(packs::count(db, GenericArgs::new(db, list.into_boxed_slice())));
    }
    let ty = match measured {
        GenericArgRef::Type(ty) => lowering.lower(ty),
        GenericArgRef::Value(operand) => type_of_expression(lowering, operand)?,
    };
    count_of(db, ty)
}

/// `T.K`, `Namespace.K`.
fn static_member(lowering: &mut TypeLowering<'_>, base: ExprId, name: &Name) -> Option<Const> {
    let db = lowering.db;
    let item = match type_namespace(lowering, base)? {
        TypeNs::Type(base) => {
            let item = resolve::static_member(db, lowering.env, base, name)?;
            return member_value(db, lowering.env, base, item);
        }
        TypeNs::Namespace(namespace) => {
            let items = resolve::namespace_items(db, lowering.owner, namespace, name);
            items.into_iter().find(|item| matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. }))?
        }
        TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) => return None,
    };
    constant_value(db, item)
}

/// A name of a local constant, a generic parameter or a variable.
fn path_value(lowering: &mut TypeLowering<'_>, path: &Path) -> Option<Const> {
    let db = lowering.db;
    if let [segment] = path.segments.as_slice()
        && segment.args.is_none()
        && !path.global
        && let Some(local) = lowering.const_locals.iter().rev().find(|local| local.name == segment.name)
    {
        return local.constant;
    }
    match resolve::path_as_value(lowering, path)? {
        resolve::ConstantName::Param(param) => Some(Const::Param(param)),
        resolve::ConstantName::Item(item) => constant_value(db, item),
        resolve::ConstantName::Member(ty, item) => member_value(db, lowering.env, ty, item),
    }
}

/// The value of an expression where an integer is wanted. Of a literal, and of nothing else, a fraction is cut off, and
/// said by [`cuts_off`].
pub fn integer(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<Const> {
    match lowering.store.exprs[expr] {
        Expr::Literal(Literal::Float { bits, .. }) => Some(Const::Value(f64::from_bits(bits) as i64)),
        _ => evaluate(lowering, expr),
    }
}

/// Whether an expression is a literal of floating-point type.
pub fn cuts_off(store: &ExprStore, expr: ExprId) -> bool {
    matches!(store.exprs[expr], Expr::Literal(Literal::Float { .. }))
}

/// `value` as a value of type `ty`: integers wrap. What depends on parameters is wrapped when it is known.
fn converted(value: Const, ty: Ty) -> Const {
    match (value, ty) {
        (Const::Value(value), Ty::Scalar(scalar)) => Const::Value(scalar.wrap(value)),
        _ => value,
    }
}

/// The type of the value that stands where the parser saw a type: `sizeof(x)`, `sizeof(x[0])`.
fn value_type(lowering: &mut TypeLowering<'_>, ty: TypeRefId) -> Option<Ty> {
    let (db, env) = (lowering.db, lowering.env);
    let path = match &lowering.store.type_refs[ty] {
        TypeRef::Path(path) => path,
        TypeRef::Array { element, len: Some(_) } => {
            let array = lowering.nested(|lowering| value_type(lowering, *element)).flatten()?;
            return parts::indexed(db, array).map(|(element, _)| element);
        }
        TypeRef::Member { base, member } => {
            let value = lowering.nested(|lowering| value_type(lowering, *base)).flatten()?;
            return parts::member(db, env, value, &member.name);
        }
        _ => return None,
    };
    let (first, members) = path.segments.split_first()?;
    if path.segments.iter().any(|segment| segment.args.is_some()) {
        return None;
    }
    let local = lowering.const_locals.iter().rev().find(|local| local.name == first.name).map(|local| local.ty);
    let variable = local.or_else(|| {
        let first = Path { global: path.global, segments: vec![first.clone()] };
        match resolve::path_as_value(lowering, &first)? {
            resolve::ConstantName::Item(item) | resolve::ConstantName::Member(_, item) => {
                Some(signature::variable_type(db, item))
            }
            resolve::ConstantName::Param(_) => None,
        }
    })?;
    members.iter().try_fold(variable, |ty, member| parts::member(db, env, ty, &member.name))
}

/// `countof` of a pack, tuple or array.
pub fn count_of(db: &dyn Db, ty: Ty) -> Option<Const> {
    match ty {
        Ty::Error => Some(Const::Error),
        Ty::Builtin(BuiltinType::Tuple, _) | Ty::Expand(_) | Ty::Param(_) => {
            Some(packs::count(db, packs::elements_of_type(db, ty)?))
        }
        Ty::Builtin(BuiltinType::Array | BuiltinType::Vector, args) => match args.args(db) {
            [_, GenericArg::Value(len)] => Some(*len),
            _ => None,
        },
        _ => None,
    }
}

/// The type that an expression names, if it names one.
pub(crate) fn type_of_expression(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<Ty> {
    match type_namespace(lowering, expr)? {
        TypeNs::Type(ty) => Some(ty),
        TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) | TypeNs::Namespace(_) => None,
    }
}

/// The type or namespace that an expression names, if it names one.
fn type_namespace(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<TypeNs> {
    match &lowering.store.exprs[expr] {
        Expr::Type(ty) => Some(TypeNs::Type(lowering.lower(*ty))),
        Expr::Path(path) => resolve::path_as_type(lowering, path),
        Expr::Member { base, name, generic_args: None, .. } => {
            match lowering.nested(|lowering| type_namespace(lowering, *base)).flatten()? {
                TypeNs::Type(base) => resolve::member_type(lowering.db, lowering.env, base, name),
                TypeNs::Namespace(namespace) => {
                    let items = resolve::namespace_items(lowering.db, lowering.owner, namespace, name);
                    items.into_iter().find_map(|item| resolve::item_type(lowering.db, item))
                }
                TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) => None,
            }
        }
        _ => None,
    }
}

/// The value of a constant variable or an enum case, wherever it is declared; `None` if it is not a constant integer. Constants
/// that refer to each other, and those that come when linking, have a value that is not known.
#[salsa::tracked(returns(copy), cycle_result = constant_cycle)]
pub fn constant_value(db: &dyn Db, item: ItemId) -> Option<Const> {
    let data = item::item_data(db, item);
    match &data.kind {
        // The host says it later; what is written is only what it is without the host.
        ItemKind::Variable { .. } if is_specialization(db, item) => Some(Const::Error),
        // What a variable begins with says nothing of what it is later.
        ItemKind::Variable { .. } if !data.modifiers.contains(Modifiers::CONST) => None,
        ItemKind::Variable { has_init: true, .. } => match crate::types::signature::variable_type(db, item) {
            Ty::Scalar(scalar) if scalar.is_float() => None,
            ty => Some(converted(written_value(db, item)?, ty)),
        },
        // A parameter of the program has no value before it runs; that the others lack one is said where they are declared.
        ItemKind::Variable { has_init: false, .. } => {
            data.modifiers.intersects(Modifiers::STATIC | Modifiers::EXTERN | Modifiers::EXPORT).then_some(Const::Error)
        }
        // That it is not a constant is said at the case.
        ItemKind::EnumCase { has_value: true } => Some(written_value(db, item).unwrap_or(Const::Error)),
        ItemKind::EnumCase { has_value: false } => Some(implicit_case_value(db, item)),
        ItemKind::GlobalValueParam => Some(Const::Param(TypeParam::new(db, item, 0))),
        _ => None,
    }
}

/// The value that is written behind the `=` of a variable or an enum case.
fn written_value(db: &dyn Db, item: ItemId) -> Option<Const> {
    let body = hir_def::body::queries::body(db, item);
    let BodyRoot::Expr(root) = body.root else { return Some(Const::Error) };
    integer(&mut TypeLowering::new(db, item, &body.store), root)
}

/// The value of `item`, a constant that was found as a member of `base`, in terms of the arguments of `base`. What an interface
/// asks for has a value once the type is known.
pub fn member_value(db: &dyn Db, env: Env, base: Ty, item: ItemId) -> Option<Const> {
    let Some(container) = item::container(db, item) else { return constant_value(db, item) };
    if matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }) {
        return Some(required_value(db, env, base, item));
    }
    let member = match base {
        Ty::Adt(own, args) if own == container => Some((args, None)),
        _ => {
            let name = item::item_data(db, item).name.as_ref();
            let found = name.map(|name| members::lookup(db, env, base, name)).unwrap_or_default();
            found.into_iter().find(|member| member.item == item).map(|member| (member.args, member.self_ty))
        }
    };
    let Some((args, this)) = member else { return constant_value(db, item) };
    let substitution = Substitution::of_item(db, container, args).with_this(this.unwrap_or(base));
    Some(substitute::substitute_const(db, env, constant_value(db, item)?, &substitution))
}

/// The constant that `ty` has for what an interface asks for; it waits for types that are not known yet.
pub fn required_value(db: &dyn Db, env: Env, ty: Ty, requirement: ItemId) -> Const {
    if matches!(ty, Ty::Param(_) | Ty::This(_) | Ty::Associated(_) | Ty::PackQuery(_)) {
        return Const::Member(ConstMember::new(db, ty, requirement));
    }
    let Some(name) = &item::item_data(db, requirement).name else { return Const::Error };
    let is_constant = |item: &ItemId| matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. });
    // What the type itself declares needs no look at its extensions.
    let own = match ty {
        Ty::Adt(item, _) => members::declared(db, item, name).iter().copied().find(is_constant),
        _ => None,
    };
    let found = own.or_else(|| {
        let mut found = members::lookup(db, env, ty, name);
        found.retain(|member| member.item != requirement && is_constant(&member.item));
        // Which one depends on the instance of a generic interface, which a constant does not say.
        let in_extensions = found.iter().filter(|member| member.origin == members::Origin::Extension).count();
        if in_extensions > 1 {
            return None;
        }
        found.into_iter().min_by_key(|member| member.origin).map(|member| member.item)
    });
    let is_requirement = |item: ItemId| {
        let container = item::container(db, item);
        container.is_some_and(|container| matches!(item::item_data(db, container).kind, ItemKind::Interface { .. }))
    };
    match found {
        Some(item) if !is_requirement(item) => member_value(db, env, ty, item).unwrap_or(Const::Error),
        _ => Const::Error,
    }
}

/// Whether a variable is a specialisation constant.
pub fn is_specialization(db: &dyn Db, item: ItemId) -> bool {
    specialization(item::item_data(db, item)).is_some()
}

/// The attribute by which a variable is a specialisation constant.
pub fn specialization(data: &Item) -> Option<&Attribute> {
    data.attribute(AttributeKind::SpecializationConstant).or_else(|| data.attribute(AttributeKind::ConstantId))
}

fn constant_cycle(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Option<Const> {
    Some(Const::Error)
}

/// One more than the case before; counted from the nearest case with a written value.
fn implicit_case_value(db: &dyn Db, case: ItemId) -> Const {
    let Some(container) = item::container(db, case) else { return Const::Error };
    if item::item_data(db, container).has_attribute(AttributeKind::Flags) {
        return implicit_flag(db, container, case);
    }
    match counted_cases(db, container).get(&case) {
        Some((Some(written), distance)) => {
            let before = constant_value(db, *written).unwrap_or(Const::Error);
            binary(db, BinaryOp::Add, before, Const::Value(*distance))
        }
        Some((None, distance)) => Const::Value(*distance),
        None => Const::Error,
    }
}

/// For each case of an enum without a written value the nearest one in front of it that has one, and how far it is behind that;
/// its number where there is none. Found for all at once: an enum may have thousands.
#[salsa::tracked(returns(ref))]
fn counted_cases(db: &dyn Db, container: ItemId) -> FxHashMap<ItemId, (Option<ItemId>, i64)> {
    let mut counted = FxHashMap::default();
    let (mut written, mut distance) = (None, -1);
    for member in item::members(db, container) {
        match item::item_data(db, *member).kind {
            ItemKind::EnumCase { has_value: true } => (written, distance) = (Some(*member), 0),
            ItemKind::EnumCase { has_value: false } => {
                distance += 1;
                counted.insert(*member, (written, distance));
            }
            _ => {}
        }
    }
    counted
}

/// In an enum of `[Flags]`: the first case is 1, others are twice the case before, and 1 after a 0.
fn implicit_flag(db: &dyn Db, container: ItemId, case: ItemId) -> Const {
    let members = item::members(db, container);
    let cases = members.iter().filter(|member| matches!(item::item_data(db, **member).kind, ItemKind::EnumCase { .. }));
    let mut next: Option<i64> = Some(1);
    for candidate in cases {
        let value = match item::item_data(db, *candidate).kind {
            ItemKind::EnumCase { has_value: true } => constant_value(db, *candidate).and_then(Const::value),
            _ => next,
        };
        if *candidate == case {
            return value.map_or(Const::Error, Const::Value);
        }
        next = value.and_then(|value| if value == 0 { Some(1) } else { value.checked_mul(2) });
    }
    Const::Error
}

/// Whether two values may be equal once parameters are known.
pub fn may_be_equal(left: Const, right: Const) -> bool {
    match (left, right) {
        (Const::Value(left), Const::Value(right)) => left == right,
        _ => true,
    }
}

/// The number of a value parameter among the parameters in scope of its owner; used by display and lowering.
pub fn parameter_name(db: &dyn Db, param: TypeParam) -> hir_def::name::Name {
    generics::parameter_name(db, param)
}
