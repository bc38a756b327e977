//! Declarations of the prelude that the type checker knows by name.

use base_db::Db;
use hir_def::{
    attribute::AttributeKind,
    item::{self, ItemId, ItemKind},
    name::Name,
    prelude_index::prelude_items,
};

use crate::types::{
    builtin_names::{self, BuiltinName},
    ty::{BuiltinType, GenericArg, GenericArgs, Ty},
};

/// An interface of the prelude with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// `IDifferentiable`
    IDifferentiable,
    /// `IDifferentiablePtrType`
    IDifferentiablePtrType,
    /// `__BuiltinType`
    BuiltinType,
    /// `__BuiltinArithmeticType`
    BuiltinArithmeticType,
    /// `__BuiltinLogicalType`
    BuiltinLogicalType,
    /// `__BuiltinIntegerType`
    BuiltinIntegerType,
    /// `__BuiltinFloatingPointType`
    BuiltinFloatingPointType,
    /// `IArithmetic`
    IArithmetic,
    /// `ILogical`
    ILogical,
    /// `IInteger`
    IInteger,
    /// `IFloat`
    IFloat,
    /// `IComparable`
    IComparable,
    /// `IFunc`
    IFunc,
    /// `IMutatingFunc`
    IMutatingFunc,
    /// `IDifferentiableFunc`
    IDifferentiableFunc,
    /// `IDifferentiableMutatingFunc`
    IDifferentiableMutatingFunc,
    /// `__EnumType`
    EnumType,
    /// `IBufferDataLayout`
    IBufferDataLayout,
    /// `ITexelElement`
    ITexelElement,
    /// `IAtomicable`
    IAtomicable,
}

impl Known {
    fn name(self) -> &'static str {
        match self {
            Known::IDifferentiable => "IDifferentiable",
            Known::IDifferentiablePtrType => "IDifferentiablePtrType",
            Known::BuiltinType => "__BuiltinType",
            Known::BuiltinArithmeticType => "__BuiltinArithmeticType",
            Known::BuiltinLogicalType => "__BuiltinLogicalType",
            Known::BuiltinIntegerType => "__BuiltinIntegerType",
            Known::BuiltinFloatingPointType => "__BuiltinFloatingPointType",
            Known::IArithmetic => "IArithmetic",
            Known::ILogical => "ILogical",
            Known::IInteger => "IInteger",
            Known::IFloat => "IFloat",
            Known::IComparable => "IComparable",
            Known::IFunc => "IFunc",
            Known::IMutatingFunc => "IMutatingFunc",
            Known::IDifferentiableFunc => "IDifferentiableFunc",
            Known::IDifferentiableMutatingFunc => "IDifferentiableMutatingFunc",
            Known::EnumType => "__EnumType",
            Known::IBufferDataLayout => "IBufferDataLayout",
            Known::ITexelElement => "ITexelElement",
            Known::IAtomicable => "IAtomicable",
        }
    }
}

/// The declaration of a known interface; `None` without a prelude.
pub fn interface(db: &dyn Db, known: Known) -> Option<ItemId> {
    let mut named = prelude_items(db, Name::new(known.name())).iter().copied();
    named.find(|item| matches!(item::item_data(db, *item).kind, ItemKind::Interface { .. }))
}

/// The layouts that what is behind a pointer has here: the natural one, by its name and without.
const LAYOUTS_OF_POINTERS: [&str; 3] = [DEFAULT_LAYOUT, "DefaultPushConstantDataLayout", "ScalarDataLayout"];

const DEFAULT_LAYOUT: &str = "DefaultDataLayout";

/// Whether a layout is the one that what is behind a pointer has anyway.
pub(crate) fn is_layout_of_pointers(db: &dyn Db, layout: Ty) -> bool {
    let Ty::Adt(item, _) = layout else { return false };
    LAYOUTS_OF_POINTERS.iter().any(|name| prelude_items(db, Name::new(name)).contains(&item))
}

/// The layout of a pointer that names none.
pub(crate) fn default_layout(db: &dyn Db) -> Option<Ty> {
    let item = *prelude_items(db, Name::new(DEFAULT_LAYOUT)).first()?;
    Some(Ty::Adt(item, GenericArgs::empty(db)))
}

/// A known interface without generic parameters, as a type.
pub fn interface_type(db: &dyn Db, known: Known) -> Option<Ty> {
    Some(Ty::Adt(interface(db, known)?, GenericArgs::empty(db)))
}

/// A known interface with arguments.
pub fn interface_with(db: &dyn Db, known: Known, args: impl Into<Box<[GenericArg]>>) -> Option<Ty> {
    Some(Ty::Adt(interface(db, known)?, GenericArgs::new(db, args.into())))
}

/// Whether `item` is the member `name` of a known interface.
pub fn is_member(db: &dyn Db, item: ItemId, known: Known, name: &str) -> bool {
    item::item_data(db, item).name.as_ref().is_some_and(|own| own.as_str() == name)
        && item::container(db, item).is_some_and(|container| interface(db, known) == Some(container))
}

/// The prelude's declaration of a built-in type.
fn builtin_declaration(db: &dyn Db, spelling: &str) -> Option<ItemId> {
    let items = prelude_items(db, Name::new(spelling)).iter().copied();
    items.rev().find(|item| is_builtin_declaration(db, *item))
}

/// Whether a struct of the prelude declares the members of a built-in type: the name means that type.
pub fn is_builtin_declaration(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    matches!(data.kind, ItemKind::Struct { .. }) && data.has_attribute(AttributeKind::BuiltinType)
}

/// The built-in type that a declaration of the prelude stands for.
pub fn declared_builtin(db: &dyn Db, item: ItemId) -> Option<BuiltinName> {
    if !is_builtin_declaration(db, item) {
        return None;
    }
    builtin_names::builtin_name(item::item_data(db, item).name.as_ref()?.as_str())
}

/// The declaration that holds a type's members, with the type's arguments for it.
pub fn declaration_of(db: &dyn Db, ty: Ty) -> Option<(ItemId, GenericArgs)> {
    match ty {
        Ty::Adt(item, args) => Some((item, args)),
        Ty::Builtin(BuiltinType::Ptr, _) if ty.layout_of_pointer(db).is_some() => {
            declaration_of(db, Ty::pointer(db, ty.first_type_arg(db)?))
        }
        Ty::Builtin(kind, args) => Some((builtin_declaration(db, &builtin_names::declared_spelling(kind))?, args)),
        Ty::Scalar(scalar) => {
            Some((builtin_declaration(db, builtin_names::scalar_spelling(scalar))?, GenericArgs::empty(db)))
        }
        Ty::String => Some((builtin_declaration(db, "String")?, GenericArgs::empty(db))),
        _ => None,
    }
}

/// Whether a declaration belongs to the core library.
pub fn is_in_prelude(db: &dyn Db, item: ItemId) -> bool {
    hir_def::modules::is_prelude(db, item::file_of(db, item))
}
