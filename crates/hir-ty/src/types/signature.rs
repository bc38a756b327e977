//! Signatures: the types of parameters and results, and how calls are differentiated.

use base_db::Db;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::ExprStore,
    item::{self, AccessorKind, Item, ItemId, ItemKind, Param},
    name::Name,
    type_ref::{TypeRef, TypeRefId},
};

use crate::{
    differential::{differentiability, function_extension, signature::pair_type},
    generics::{self, env::Env},
    infer,
    types::{
        cycles,
        lower_ty::{TypeLowering, direction},
        ty::{GenericArgs, ParamDirection, Ty},
    },
};

/// The signature of a function, method, constructor or accessor; types may mention the generic parameters of the item
/// and of the types around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSignature {
    /// The declaration.
    pub item: ItemId,
    /// `None` for free functions and `static` members.
    pub this: Option<ThisParam>,
    /// The parameters, without the receiver.
    pub params: Vec<ParamSignature>,
    /// The type of the result.
    pub ret: Ty,
    /// Whether the result is marked `no_diff`.
    pub ret_no_diff: bool,
}

impl FunctionSignature {
    /// What a function is called on. A constructor is called on nothing: its `this` is what it makes.
    pub fn receiver(&self, db: &dyn Db) -> Option<ThisParam> {
        self.this.filter(|_| !is_constructor(db, self.item))
    }
}

/// What a function is called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThisParam {
    /// Its type.
    pub ty: Ty,
    /// `[mutating]`, setters, constructors.
    pub mutating: bool,
    /// `[NoDiffThis]`.
    pub no_diff: bool,
    /// `[deriv_method]`: `ty` is the pair of value and derivative, whose members have to be named.
    pub is_pair: bool,
}

/// A parameter with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamSignature {
    /// Its name, empty if it has none.
    pub name: Name,
    /// Its type, without what the direction adds.
    pub ty: Ty,
    /// How it is passed.
    pub direction: ParamDirection,
    /// Whether it is marked `no_diff`.
    pub no_diff: bool,
    /// Whether a call may leave it out.
    pub has_default: bool,
}

/// A function with the arguments for all generic parameters in scope at its declaration, outermost declaration first.
/// If `item` is a requirement (declared in an interface), `self_ty` is the type that it is called on: lowering looks for
/// the type's implementation once `self_ty` is concrete, and dispatches if it is an interface value. It is also set for
/// members of extensions of interfaces, whose `This` it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionRef {
    /// The declaration.
    pub item: ItemId,
    /// For all generic parameters in scope at it.
    pub args: GenericArgs,
    /// The type that a requirement is called on.
    pub self_ty: Option<Ty>,
}

/// The signature of `item`; empty for declarations that are not functions. A constructor's result is the type it makes.
#[salsa::tracked(returns(ref), cycle_initial = signature_initial, cycle_fn = signature_settle)]
pub fn signature(db: &dyn Db, item: ItemId) -> FunctionSignature {
    let data = item::item_data(db, item);
    let mut lowering = TypeLowering::new(db, item, &data.store);
    let mut params = Vec::new();
    let mut ret = Ty::Void;
    let mut ret_no_diff = false;
    match &data.kind {
        ItemKind::Function(function) => {
            params = lower_params(&mut lowering, &function.params);
            let (ty, no_diff) = lower_no_diff(&mut lowering, function.ret);
            ret = ty;
            ret_no_diff = no_diff || function.ret_no_diff;
        }
        ItemKind::Constructor { params: written, .. } => {
            params = lower_params(&mut lowering, written);
            ret = enclosing_type(db, item).unwrap_or(Ty::Error);
        }
        ItemKind::Subscript { params: written, ret: element } => {
            params = lower_params(&mut lowering, written);
            // One without a type of its elements is reported where it is declared.
            ret = Some(lowering.lower(*element)).filter(|ty| *ty != Ty::Void).unwrap_or(Ty::Error);
        }
        ItemKind::Accessor { kind, params: written, .. } => {
            return accessor_signature(db, item, *kind, &data.modifiers, written, lowering);
        }
        _ => {}
    }
    let this = this_param(db, item, data);
    FunctionSignature { item, this, params, ret, ret_no_diff }
}

fn signature_initial(_db: &dyn Db, _id: salsa::Id, item: ItemId) -> FunctionSignature {
    FunctionSignature { item, this: None, params: Vec::new(), ret: Ty::Error, ret_no_diff: false }
}

fn signature_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &FunctionSignature,
    value: FunctionSignature,
    _item: ItemId,
) -> FunctionSignature {
    cycles::settle(cycle, value, last.clone())
}

/// An accessor takes the index parameters of its subscript, and a setter the new value.
fn accessor_signature(
    db: &dyn Db,
    item: ItemId,
    kind: AccessorKind,
    modifiers: &Modifiers,
    written: &[Param],
    mut lowering: TypeLowering<'_>,
) -> FunctionSignature {
    let parent = item::container(db, item);
    let parent_data = parent.map(|parent| item::item_data(db, parent));
    let (mut params, value) = match (parent, parent_data.map(|data| &data.kind)) {
        (Some(parent), Some(ItemKind::Subscript { .. })) => {
            let subscript = signature(db, parent);
            (subscript.params.clone(), subscript.ret)
        }
        (Some(parent), Some(ItemKind::Property { ty })) => {
            (Vec::new(), TypeLowering::new(db, parent, &item::item_data(db, parent).store).lower(*ty))
        }
        _ => (Vec::new(), Ty::Error),
    };
    let mut ret = value;
    let mut mutating = modifiers.contains(Modifiers::MUTATING) || has_attribute(db, item, AttributeKind::Mutating);
    match kind {
        AccessorKind::Get | AccessorKind::Ref => {}
        AccessorKind::Modify => mutating = true,
        AccessorKind::Set => {
            mutating |= !has_attribute(db, item, AttributeKind::NonMutating);
            ret = Ty::Void;
            let named = lower_params(&mut lowering, written);
            let new_value = named.into_iter().next_back();
            params.push(ParamSignature {
                name: new_value.as_ref().map_or_else(|| Name::new("newValue"), |param| param.name.clone()),
                ty: match &new_value {
                    Some(param) if !param.ty.is_error() => param.ty,
                    _ => value,
                },
                direction: ParamDirection::In,
                no_diff: new_value.is_some_and(|param| param.no_diff),
                has_default: false,
            });
        }
    }
    let this = match parent {
        Some(parent) if !item::item_data(db, parent).modifiers.contains(Modifiers::STATIC) => enclosing_type(db, item)
            .map(|ty| ThisParam {
                ty,
                mutating,
                no_diff: has_attribute(db, item, AttributeKind::NoDiffThis),
                is_pair: false,
            }),
        _ => None,
    };
    FunctionSignature { item, this, params, ret, ret_no_diff: false }
}

pub(crate) fn lower_params(lowering: &mut TypeLowering<'_>, params: &[Param]) -> Vec<ParamSignature> {
    params
        .iter()
        .map(|param| {
            let (ty, no_diff) = lower_no_diff(lowering, param.ty);
            ParamSignature {
                name: param.name.clone().unwrap_or_else(|| Name::new("_")),
                ty,
                direction: direction(param.modifiers),
                no_diff: no_diff || param.modifiers.contains(Modifiers::NO_DIFF),
                has_default: param.default.is_some(),
            }
        })
        .collect()
}

/// `no_diff T` in a type says something about the parameter, not about the type.
fn lower_no_diff(lowering: &mut TypeLowering<'_>, ty: TypeRefId) -> (Ty, bool) {
    let no_diff = is_no_diff(lowering.store, ty);
    let ty = match lowering.lower(ty) {
        // `T values` of a pack: all of them.
        pack @ Ty::Param(param) if generics::is_pack(lowering.db, param) => Ty::expand(lowering.db, pack),
        ty => ty,
    };
    (ty, no_diff)
}

/// Whether `no_diff` stands in front of a type.
pub fn is_no_diff(store: &ExprStore, ty: TypeRefId) -> bool {
    matches!(&store.type_refs[ty], TypeRef::Modified(modifiers, _) if modifiers.contains(Modifiers::NO_DIFF))
}

fn this_param(db: &dyn Db, item: ItemId, data: &Item) -> Option<ThisParam> {
    if data.modifiers.contains(Modifiers::STATIC) {
        return None;
    }
    if let Some(this) = function_extension::receiver(db, item) {
        return Some(this);
    }
    let ty = enclosing_type(db, item)?;
    let mutating = is_constructor(db, item)
        || data.modifiers.contains(Modifiers::MUTATING)
        || has_attribute(db, item, AttributeKind::Mutating)
        || has_attribute(db, item, AttributeKind::RefThis);
    let pair = || pair_type(db, ty, differentiability(db, Env::of(db, item), ty));
    let is_pair = is_derivative_method(db, item);
    let no_diff = has_attribute(db, item, AttributeKind::NoDiffThis);
    Some(ThisParam { ty: if is_pair { pair() } else { ty }, mutating, no_diff, is_pair })
}

/// Whether `item` is an `__init`.
pub fn is_constructor(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Constructor { .. })
}

/// What `This` means around `item`, if `item` is a member of a type or stands for one (`__apply(S::method)`).
pub fn enclosing_type(db: &dyn Db, item: ItemId) -> Option<Ty> {
    match function_extension::receiver(db, item) {
        Some(this) => Some(this.ty),
        None => generics::self_type(db, item::container(db, item)?),
    }
}

/// `[deriv_method]`: a method that is the derivative of another one; its `this` is a pair.
pub fn is_derivative_method(db: &dyn Db, item: ItemId) -> bool {
    has_attribute(db, item, AttributeKind::DerivativeMethod)
}

/// Whether `[name]` is written on `item`.
pub fn has_attribute(db: &dyn Db, item: ItemId, kind: AttributeKind) -> bool {
    item::item_data(db, item).has_attribute(kind)
}

/// The type of a global variable, field, static member, enum case or property.
#[salsa::tracked(returns(copy), cycle_initial = variable_initial, cycle_fn = cycles::settle_type)]
pub fn variable_type(db: &dyn Db, item: ItemId) -> Ty {
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::Variable { ty, has_init, .. } => {
            if matches!(data.store.type_refs[*ty], TypeRef::Infer) {
                return if *has_init { infer::initializer_type(db, item) } else { Ty::Error };
            }
            let ty = TypeLowering::new(db, item, &data.store).lower(*ty);
            match ty.as_array(db) {
                // `float a[] = { … }` takes its length from the initializer.
                Some((_, crate::types::ty::Const::Unsized)) if *has_init => infer::initializer_type(db, item),
                _ => ty,
            }
        }
        ItemKind::EnumCase { .. } => enclosing_type(db, item).unwrap_or(Ty::Error),
        ItemKind::Property { ty } => TypeLowering::new(db, item, &data.store).lower(*ty),
        _ => Ty::Error,
    }
}

fn variable_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Ty {
    Ty::Error
}
