//! Which types carry derivatives, and in what type: `T.Differential`.

use base_db::Db;
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
};

use super::signature::{Carries, function_of_context};
use crate::{
    conformance::{self, extension, members},
    generics::{associated, env::Env, packs},
    types::{
        closure,
        known::{self, Known},
        ty::{BuiltinType, GenericArg, GenericArgs, Scalar, Ty},
    },
};

/// What differentiation makes of the values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differentiability {
    /// They carry no derivative.
    None,
    /// They carry derivatives of this type (`IDifferentiable`).
    Value(Ty),
    /// They are places, with places of this type for derivatives (`IDifferentiablePtrType`).
    Pointer(Ty),
}

impl Differentiability {
    /// The type of what travels with a value.
    pub fn differential(self) -> Option<Ty> {
        match self {
            Differentiability::None => None,
            Differentiability::Value(ty) | Differentiability::Pointer(ty) => Some(ty),
        }
    }

    /// How a parameter of such a type takes part in a derivative.
    pub fn carries(self) -> Carries {
        match self {
            Differentiability::None => Carries::Nothing,
            Differentiability::Value(_) => Carries::Value,
            Differentiability::Pointer(_) => Carries::Pointer,
        }
    }
}

/// The type of derivatives of values of type `ty`, if they carry any.
pub fn differential_of(db: &dyn Db, env: Env, ty: Ty) -> Option<Ty> {
    match differentiability(db, env, ty) {
        Differentiability::Value(differential) => Some(differential),
        Differentiability::None | Differentiability::Pointer(_) => None,
    }
}

/// What differentiation makes of values of type `ty`.
pub fn differentiability(db: &dyn Db, env: Env, ty: Ty) -> Differentiability {
    match ty {
        Ty::Error | Ty::Void | Ty::String | Ty::NoneLiteral | Ty::NullLiteral | Ty::Function(_) => {
            Differentiability::None
        }
        Ty::Closure(closure) => {
            closure::differential(db, env, closure).map_or(Differentiability::None, Differentiability::Value)
        }
        Ty::Scalar(Scalar::Half | Scalar::Float | Scalar::Double) => Differentiability::Value(ty),
        Ty::Scalar(_) => Differentiability::None,
        Ty::Builtin(kind, args) => of_builtin(db, env, ty, kind, args),
        Ty::Adt(..) if extension::is_interface(db, ty) => of_interface(db, env, ty),
        Ty::SynthesizedDifferential(..) => Differentiability::Value(ty),
        // What a function keeps for its way back depends on what goes into it.
        Ty::Adt(item, args) if function_of_context(db, ty).is_some() => {
            Differentiability::Value(Ty::SynthesizedDifferential(item, args))
        }
        // `T.Differential` is its own differential.
        Ty::Associated(associated) if is_differential(db, associated.item(db), Known::IDifferentiable) => {
            Differentiability::Value(ty)
        }
        Ty::Associated(associated) if is_differential(db, associated.item(db), Known::IDifferentiablePtrType) => {
            Differentiability::Pointer(ty)
        }
        Ty::Adt(..) | Ty::Param(_) | Ty::This(_) | Ty::Associated(_) | Ty::PackQuery(_) => of_conforming(db, env, ty),
        Ty::Expand(expand) => match differentiability(db, env, expand.pattern(db)) {
            Differentiability::Value(pattern) => Differentiability::Value(Ty::expand_over(
                db,
                pattern,
                &packs::sources_of_element(db, GenericArg::Type(ty)),
            )),
            Differentiability::None | Differentiability::Pointer(_) => Differentiability::None,
        },
    }
}

fn of_builtin(db: &dyn Db, env: Env, ty: Ty, kind: BuiltinType, args: GenericArgs) -> Differentiability {
    let value = |ty: Option<Ty>| ty.map_or(Differentiability::None, Differentiability::Value);
    match kind {
        // Vectors and matrices of floating-point numbers are their own differentials, whatever the element's is called.
        BuiltinType::Vector | BuiltinType::Matrix => {
            let floating = ty.first_type_arg(db).is_some_and(|element| is_floating_point(db, env, element));
            value(floating.then_some(ty))
        }
        BuiltinType::Array => {
            let Some(element) = ty.first_type_arg(db) else { return Differentiability::None };
            let (differential, make) = match differentiability(db, env, element) {
                Differentiability::None => return Differentiability::None,
                Differentiability::Value(differential) => {
                    (differential, Differentiability::Value as fn(Ty) -> Differentiability)
                }
                Differentiability::Pointer(differential) => (differential, Differentiability::Pointer as _),
            };
            with_first_argument(db, kind, args, |_| Some(differential)).map_or(Differentiability::None, make)
        }
        BuiltinType::Optional => {
            value(with_first_argument(db, kind, args, |content| differential_of(db, env, content)))
        }
        BuiltinType::DifferentialPair => {
            value(with_first_argument(db, kind, args, |primal| differential_of(db, env, primal)))
        }
        BuiltinType::DifferentialPtrPair => {
            let pair = with_first_argument(db, kind, args, |primal| match differentiability(db, env, primal) {
                Differentiability::Pointer(differential) => Some(differential),
                Differentiability::None | Differentiability::Value(_) => None,
            });
            pair.map_or(Differentiability::None, Differentiability::Pointer)
        }
        BuiltinType::Tuple => value(of_tuple(db, env, args)),
        // Nothing by themselves, but an extension may say that they are places.
        BuiltinType::Ptr
        | BuiltinType::StructuredBuffer
        | BuiltinType::RWStructuredBuffer
        | BuiltinType::AppendStructuredBuffer
        | BuiltinType::ConsumeStructuredBuffer
        | BuiltinType::RasterizerOrderedStructuredBuffer
        | BuiltinType::Buffer
        | BuiltinType::RWBuffer
        | BuiltinType::RasterizerOrderedBuffer
        | BuiltinType::ConstantBuffer
        | BuiltinType::ParameterBlock
        | BuiltinType::TextureBuffer
        | BuiltinType::ByteAddressBuffer
        | BuiltinType::RWByteAddressBuffer
        | BuiltinType::RasterizerOrderedByteAddressBuffer
        | BuiltinType::SamplerState
        | BuiltinType::SamplerComparisonState
        | BuiltinType::RaytracingAccelerationStructure
        | BuiltinType::Texture(_)
        | BuiltinType::DescriptorHandle => of_conforming(db, env, ty),
        BuiltinType::Atomic => Differentiability::None,
    }
}

/// `kind` with its first argument, a type, replaced.
fn with_first_argument(
    db: &dyn Db,
    kind: BuiltinType,
    args: GenericArgs,
    change: impl FnOnce(Ty) -> Option<Ty>,
) -> Option<Ty> {
    let (GenericArg::Type(first), rest) = args.args(db).split_first()? else { return None };
    let changed = GenericArg::Type(change(*first)?);
    let args: Box<[GenericArg]> = std::iter::once(changed).chain(rest.iter().copied()).collect();
    Some(Ty::Builtin(kind, GenericArgs::new(db, args)))
}

/// A tuple is differentiable if all its elements are.
fn of_tuple(db: &dyn Db, env: Env, args: GenericArgs) -> Option<Ty> {
    let [GenericArg::Pack(elements)] = args.args(db) else { return None };
    if elements.args(db).is_empty() {
        return None;
    }
    let elements: Option<Vec<Ty>> = elements.types(db).map(|element| differential_of(db, env, element)).collect();
    Some(Ty::tuple(db, &elements?))
}

fn is_floating_point(db: &dyn Db, env: Env, ty: Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => scalar.is_float(),
        ty => !ty.is_error() && conformance::conforms_to_known(db, env, ty, Known::BuiltinFloatingPointType),
    }
}

/// The differential of an interface value is a value of `IDifferentiable`: it holds the differential of whatever type
/// the value has, or nothing yet.
fn of_interface(db: &dyn Db, env: Env, ty: Ty) -> Differentiability {
    match known::interface_type(db, Known::IDifferentiable) {
        Some(differentiable) if conformance::conforms(db, env, ty, differentiable) => {
            Differentiability::Value(differentiable)
        }
        Some(_) | None => Differentiability::None,
    }
}

/// Structs, enums, type parameters, `This` and associated types, by the interfaces that they conform to.
fn of_conforming(db: &dyn Db, env: Env, ty: Ty) -> Differentiability {
    for (known, make) in [
        (Known::IDifferentiable, Differentiability::Value as fn(Ty) -> Differentiability),
        (Known::IDifferentiablePtrType, Differentiability::Pointer),
    ] {
        if conformance::conforms_to_known(db, env, ty, known)
            && let Some(differential) = differential_item(db, known)
        {
            return make(associated::associated_type(db, env, ty, differential, GenericArgs::empty(db)));
        }
    }
    Differentiability::None
}

/// The associated type `Differential` of one of the two interfaces.
pub fn differential_item(db: &dyn Db, known: Known) -> Option<ItemId> {
    let interface = known::interface(db, known)?;
    let declared = members::declared(db, interface, &Name::new("Differential")).iter().copied();
    declared.into_iter().find(|item| matches!(item::item_data(db, *item).kind, ItemKind::AssociatedType { .. }))
}

fn is_differential(db: &dyn Db, item: ItemId, known: Known) -> bool {
    known::is_member(db, item, known, "Differential")
}
