//! Places for derivatives (`IDifferentiablePtrType`). They are not transposed: in a derivative a place travels as a
//! `DifferentialPtrPair` with the place where derivatives go, whichever the direction. So a function that takes places is
//! lowered once more with pairs in their stead, and derivatives are made of that one; to `autodiff` the pairs are
//! ordinary values without derivative. What has no pair takes the primal half.
//!
//! A struct of places is a pair as well: of the struct, and of its differential, whose fields correspond to those of the struct
//! (see `field_derivatives`). A field that is a place is a pair of both fields, and is written as such.
//!
//! Deliberately absent: places that a differentiated function makes of anything but places, or of which it changes what is no
//! place: no place for derivatives can be known for them. They are errors.

use base_db::Db;
use hir_def::item::{self, ItemId};
use hir_ty::{
    differential::{
        of_type::{Differentiability, differentiability},
        rules::derivative_rules_in,
        signature::function_signature,
    },
    env::Env,
    signature::FunctionRef,
    ty::{BuiltinType, Ty},
};
use ir::{FuncId, Type, TypeId, ValueId, builder::FuncBuilder};

use crate::{
    error::{Lowering, Stop},
    fields::{PAIR_DIFFERENTIAL, PAIR_PRIMAL},
    front,
    key::FunctionKey,
    program::Program,
};

/// How places for derivatives are lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceForm {
    /// As places.
    Plain,
    /// As pairs of a place for the value and one for its derivative.
    Pairs,
}

impl<'db> Program<'db> {
    /// Runs `f` while places are lowered as pairs, or as what they are.
    pub(crate) fn with_places<T>(&mut self, form: PlaceForm, f: impl FnOnce(&mut Program<'db>) -> T) -> T {
        let outer = std::mem::replace(&mut self.places_are_pairs, form == PlaceForm::Pairs);
        let result = f(self);
        self.places_are_pairs = outer;
        result
    }

    /// Whether values of `ty` are places, or arrays of them.
    pub(crate) fn is_place(&self, ty: Ty) -> bool {
        let is_pointer = |ty| matches!(differentiability(self.db, self.env(), ty), Differentiability::Pointer(_));
        match ty {
            Ty::Builtin(BuiltinType::Array, _) => {
                ty.first_type_arg(self.db).is_some_and(|element| self.is_place(element))
            }
            Ty::Builtin(BuiltinType::DifferentialPtrPair, _) => false,
            Ty::Adt(..) | Ty::Builtin(..) => is_pointer(ty),
            _ => false,
        }
    }

    /// The pair that stands for a place where places are pairs; `None` for all other types.
    pub(crate) fn lower_place(&mut self, ty: Ty) -> Option<Lowering<TypeId>> {
        if !self.places_are_pairs || !self.is_place(ty) {
            return None;
        }
        if let Some((element, len)) = ty.as_array(self.db) {
            let len = len.value().and_then(|len| u32::try_from(len).ok());
            let element = self.lower_type(element);
            let len = len.ok_or_else(|| Stop::unsupported("an array of places without length"));
            return Some(element.and_then(|element| Ok(self.types.array(element, len?))));
        }
        let pair = front::place_pair_of(self.db, ty);
        let lowered = self.with_places(PlaceForm::Plain, |program| program.lower_type(pair));
        if let Ok(pair) = lowered {
            self.place_pairs.insert(pair);
        }
        Some(lowered)
    }

    /// The form of `func` in which places are pairs, if it takes any: what its derivatives are made from.
    pub(crate) fn paired(&mut self, func: FuncId) -> Lowering<FuncId> {
        match self.key(func) {
            Some(FunctionKey::Source(function)) if self.takes_places(function) => {
                self.request(FunctionKey::Paired(function))
            }
            _ => Ok(func),
        }
    }

    /// A function in the form that its derivatives are made of.
    pub(crate) fn differentiated(&mut self, function: FunctionRef) -> Lowering<FuncId> {
        match self.takes_places(function) {
            true => self.request(FunctionKey::Paired(function)),
            false => self.function(function),
        }
    }

    /// Whether a function has parameters that are places and derivatives that need their pairs.
    pub(crate) fn takes_places(&self, function: FunctionRef) -> bool {
        let signature = function_signature(self.db, self.env(), function);
        let mut places = signature.params.iter().filter(|param| !param.no_diff);
        if !places.any(|param| self.is_place(param.ty)) {
            return false;
        }
        let rules = derivative_rules_in(self.db, function.item, hir_def::item::file_of(self.db, self.root));
        rules.is_differentiable() || front::has_derivative(self, function)
    }

    /// Whether a type of the IR is the pair of a place and its place for derivatives.
    pub(crate) fn is_place_pair(&self, ty: TypeId) -> bool {
        self.place_pairs.contains(&ty)
    }
}

/// The operators that move.
const MOVING: [&str; 2] = ["+", "-"];

/// Whether a function that returns a place of type `ret` is an operator that moves one (SP #010's `Place operator+(uint steps)`):
/// it moves the place for derivatives, which is of the same type, as well.
pub fn moves_place(db: &dyn Db, env: Env, function: ItemId, ret: Ty) -> bool {
    let name = item::item_data(db, function).name.as_ref();
    name.is_some_and(|name| MOVING.contains(&name.as_str()))
        && differentiability(db, env, ret) == Differentiability::Pointer(ret)
}

/// What a derivative's parameter of type `DifferentialPtrPair<T>` holds, as what stands for a `T` where places are pairs:
/// an array of pairs for a pair of arrays.
pub(crate) fn from_parameter(b: &mut FuncBuilder<'_>, pair: ValueId, wanted: TypeId) -> Lowering<ValueId> {
    if b.ty(pair) == wanted {
        return Ok(pair);
    }
    let halves = [b.field(pair, PAIR_PRIMAL), b.field(pair, PAIR_DIFFERENTIAL)];
    from_halves(b, halves, wanted)
}

/// The reverse of [`from_parameter`].
pub(crate) fn to_parameter(b: &mut FuncBuilder<'_>, value: ValueId, wanted: TypeId) -> Lowering<ValueId> {
    if b.ty(value) == wanted {
        return Ok(value);
    }
    let Type::Struct(pair) = b.types.get(wanted) else { return Err(Stop::unsupported("a place in this form")) };
    let fields = &b.types.structs[pair].fields;
    let types = [PAIR_PRIMAL, PAIR_DIFFERENTIAL].map(|half| fields.get(half as usize).map(|field| field.ty));
    let [Some(primal), Some(differential)] = types else { return Err(Stop::broken("a broken pair")) };
    let halves = to_halves(b, value, [primal, differential])?;
    Ok(b.make(&halves, wanted))
}

/// A pair of two places, or an array of pairs of two arrays of places.
pub(crate) fn from_halves(b: &mut FuncBuilder<'_>, halves: [ValueId; 2], wanted: TypeId) -> Lowering<ValueId> {
    match b.types.get(wanted) {
        Type::Array { element, len } => {
            let mut elements = Vec::new();
            for index in 0..len {
                let halves = halves.map(|half| b.field(half, index));
                elements.push(from_halves(b, halves, element)?);
            }
            Ok(b.make(&elements, wanted))
        }
        Type::Struct(pair) => {
            let fields = b.types.structs[pair].fields.iter().map(|field| field.ty);
            match fields.eq(halves.map(|half| b.ty(half))) {
                true => Ok(b.make(&halves, wanted)),
                false => Err(Stop::unsupported("a place in this form")),
            }
        }
        _ => Err(Stop::unsupported("a place in this form")),
    }
}

/// The reverse of [`from_halves`].
pub(crate) fn to_halves(b: &mut FuncBuilder<'_>, value: ValueId, wanted: [TypeId; 2]) -> Lowering<[ValueId; 2]> {
    let Type::Array { len, .. } = b.type_of(value) else {
        return Ok([PAIR_PRIMAL, PAIR_DIFFERENTIAL].map(|half| b.field(value, half)));
    };
    let elements = wanted.map(|ty| match b.types.get(ty) {
        Type::Array { element, .. } => Some(element),
        _ => None,
    });
    let [Some(primal), Some(differential)] = elements else { return Err(Stop::unsupported("a place in this form")) };
    let (mut primals, mut differentials) = (Vec::new(), Vec::new());
    for index in 0..len {
        let element = b.field(value, index);
        let halves = to_halves(b, element, [primal, differential])?;
        primals.push(halves[0]);
        differentials.push(halves[1]);
    }
    Ok([b.make(&primals, wanted[0]), b.make(&differentials, wanted[1])])
}
