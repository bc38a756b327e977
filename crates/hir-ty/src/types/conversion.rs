//! Implicit conversions and what they cost: the measure by which overloads are ranked.
//!
//! The costs are Slang's. A conversion of [`NOT_RECOMMENDED`] cost or more may lose information and is warned about.

use base_db::Db;

use crate::{
    conformance::{self, extension},
    generics::env::{Bound, Env},
    infer::result::{Adjustment, Conversion},
    types::{
        known::{self, Known},
        shapes::{ScalarKind, Shape, shape},
        ty::{BuiltinType, Const, GenericArg, ParamDirection, Scalar, Ty},
    },
};

/// An integer literal to a type that holds it.
pub const LITERAL_IN_RANGE: u32 = 23;
/// A signed literal to an unsigned type that holds it.
pub const LITERAL_SIGNED_TO_UNSIGNED: u32 = 32;
/// An unsigned literal to a signed type that holds it.
pub const LITERAL_UNSIGNED_TO_SIGNED: u32 = 81;
/// An array to one of unknown length.
pub const UNSIZED_ARRAY: u32 = 30;
/// A value to an interface that it conforms to.
pub const TO_INTERFACE: u32 = 50;
/// A truth value to an integer.
pub const BOOL_TO_INT: u32 = 120;
/// To a wider type of the same family.
pub const RANK_PROMOTION: u32 = 150;
/// A value to an optional that holds it.
pub const TO_OPTIONAL: u32 = 150;
/// Unsigned to a wider signed type.
pub const UNSIGNED_TO_SIGNED_PROMOTION: u32 = 200;
/// Signed to unsigned.
pub const SIGNED_TO_UNSIGNED: u32 = 250;
/// Unsigned to the signed type of the same width.
pub const SAME_SIZE_UNSIGNED_TO_SIGNED: u32 = 300;
/// An integer to a float.
pub const INTEGER_TO_FLOAT: u32 = 400;
/// An integer to `half`.
pub const INTEGER_TO_HALF: u32 = 500;
/// From here on a conversion may lose something that was meant, and is warned of.
pub const NOT_RECOMMENDED: u32 = 500;
/// Any other conversion between numbers.
pub const GENERAL: u32 = 900;
/// A scalar to a vector, on top of the conversion of its elements.
pub const VECTOR_SPLAT: u32 = 1;
/// A scalar to a matrix, on top of the conversion of its elements.
pub const MATRIX_SPLAT: u32 = 10;
/// A buffer or pointer to its content.
pub const DEREFERENCE: u32 = 10;
/// An argument of an `inout` parameter of another type with the same bits.
pub const PLACE: u32 = 800;
/// Between a lambda or function and an interface of functions.
pub const FUNCTION_VALUE: u32 = 50;

/// A conversion that is possible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Converted {
    /// What it costs: overloads are compared by sums of these.
    pub cost: u32,
    /// How it is done, in order.
    pub steps: Vec<Adjustment>,
}

impl Converted {
    fn step(cost: u32, conversion: Conversion, to: Ty) -> Option<Converted> {
        Some(Converted { cost, steps: vec![Adjustment { conversion, to }] })
    }
}

/// What is known about the value beyond its type: literals convert more cheaply where they fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueHint {
    /// Nothing.
    None,
    /// An integer literal, possibly negated.
    Integer {
        /// Its magnitude.
        value: u64,
        /// Whether a minus stands before it.
        negative: bool,
    },
}

/// The implicit conversion of any value of type `from` to `to`; `None` if there is none.
pub fn convert(db: &dyn Db, env: Env, from: Ty, to: Ty) -> Option<Converted> {
    convert_value(db, env, from, to, ValueHint::None)
}

/// [`convert`] for a value of which more is known.
pub fn convert_value(db: &dyn Db, env: Env, from: Ty, to: Ty, hint: ValueHint) -> Option<Converted> {
    if from == to || from.is_error() || to.is_error() {
        return Some(Converted::default());
    }
    let ((from_shape, from_element), (to_shape, to_element)) = (shape(db, from), shape(db, to));
    if let (Ty::Scalar(a), Ty::Scalar(b)) = (from_element, to_element) {
        return convert_numeric(from_shape, a, to_shape, b, to, hint);
    }
    // A generic element: `T` to `vector<T, N>`.
    if from_element == to_element {
        match (from_shape, to_shape) {
            (Shape::Scalar, Shape::Vector(_)) => return Converted::step(VECTOR_SPLAT, Conversion::Splat, to),
            (Shape::Scalar, Shape::Matrix(..)) => return Converted::step(MATRIX_SPLAT, Conversion::Splat, to),
            (a, b) if a != Shape::Scalar && same_shape(a, b) => {
                return Converted::step(0, Conversion::Identity, to);
            }
            _ => {}
        }
    }
    convert_other(db, env, from, to)
}

fn convert_numeric(
    from_shape: Shape,
    from: Scalar,
    to_shape: Shape,
    to_scalar: Scalar,
    to: Ty,
    hint: ValueHint,
) -> Option<Converted> {
    let element_cost = literal_cost(from, to_scalar, hint).unwrap_or_else(|| scalar_cost(from, to_scalar));
    let (cost, conversion) = match (from_shape, to_shape) {
        (Shape::Scalar, Shape::Scalar) => (element_cost, Conversion::Numeric),
        (Shape::Scalar, Shape::Vector(_)) => (element_cost + VECTOR_SPLAT, Conversion::Splat),
        (Shape::Scalar, Shape::Matrix(..)) if fills_matrix(from, to_scalar) => {
            (element_cost + MATRIX_SPLAT, Conversion::Splat)
        }
        (Shape::Vector(Const::Value(1)), Shape::Scalar) => (element_cost + VECTOR_SPLAT, Conversion::Truncate),
        (a, b) if same_shape(a, b) => (element_cost, Conversion::Numeric),
        _ => return None,
    };
    Converted::step(cost, conversion, to)
}

/// Whether a number becomes a matrix of equal elements without a cast. A matrix is made of its element's type alone; those of
/// floating-point numbers have the constructors of `IFloat` beside, from `int` and `float`.
fn fills_matrix(from: Scalar, element: Scalar) -> bool {
    from == element || (element.is_float() && matches!(from, Scalar::Int | Scalar::Float))
}

fn same_shape(a: Shape, b: Shape) -> bool {
    match (a, b) {
        (Shape::Vector(a), Shape::Vector(b)) => a == b,
        (Shape::Matrix(a_rows, a_columns), Shape::Matrix(b_rows, b_columns)) => {
            a_rows == b_rows && a_columns == b_columns
        }
        _ => false,
    }
}

/// An integer literal takes any integer type that holds it.
fn literal_cost(from: Scalar, to: Scalar, hint: ValueHint) -> Option<u32> {
    let ValueHint::Integer { value, negative } = hint else { return None };
    if from == to || !from.is_integer() || !to.is_integer() {
        return None;
    }
    let fits = if negative {
        to.kind() == ScalarKind::Signed && (value == 0 || to.holds_literal(value - 1))
    } else {
        to.holds_literal(value)
    };
    if !fits {
        return None;
    }
    Some(match (from.kind(), to.kind()) {
        (ScalarKind::Signed, ScalarKind::Unsigned) => LITERAL_SIGNED_TO_UNSIGNED,
        (ScalarKind::Unsigned, ScalarKind::Signed) => LITERAL_UNSIGNED_TO_SIGNED,
        _ => LITERAL_IN_RANGE,
    })
}

/// The cost of converting between scalars; every pair converts.
pub fn scalar_cost(from: Scalar, to: Scalar) -> u32 {
    use ScalarKind::{Bool, Float, Signed, Unsigned};
    if from == to {
        return 0;
    }
    match (from.kind(), to.kind()) {
        // To `int` at less cost than to other integers, so that `f(bool)` is not ambiguous between `f(int)` and `f(uint)`.
        (Bool, Signed) if to == Scalar::Int => BOOL_TO_INT,
        (Bool, Signed) => UNSIGNED_TO_SIGNED_PROMOTION,
        (Bool, Unsigned) => RANK_PROMOTION,
        (Signed, Signed) | (Unsigned, Unsigned) | (Float, Float) if to.rank() > from.rank() => RANK_PROMOTION,
        (Unsigned, Signed) if to.rank() > from.rank() => UNSIGNED_TO_SIGNED_PROMOTION,
        (Unsigned, Signed) if to.rank() == from.rank() => SAME_SIZE_UNSIGNED_TO_SIGNED,
        (Signed, Unsigned) if to.rank() >= from.rank() => SIGNED_TO_UNSIGNED,
        (Signed | Unsigned, Float) => {
            if to == Scalar::Half {
                INTEGER_TO_HALF
            } else {
                INTEGER_TO_FLOAT
            }
        }
        _ => GENERAL,
    }
}

/// The scalar in which an operation on the two is done, as in C: a truth value takes the other's type, integers become the
/// other's floating-point type, the wider one wins, and among integers of a size the unsigned one. What the operands'
/// values are does not matter: `6u - i` is unsigned and `i8 * 3` an `int`.
pub fn common_scalar(left: Scalar, right: Scalar) -> Scalar {
    use ScalarKind::{Bool, Float, Signed, Unsigned};
    let wider = if right.bits() > left.bits() { right } else { left };
    match (left.kind(), right.kind()) {
        (_, Bool) | (Float, Signed | Unsigned) => left,
        (Bool, _) | (Signed | Unsigned, Float) => right,
        (Float, Float) | (Signed, Signed) | (Unsigned, Unsigned) => wider,
        (Signed, Unsigned) => {
            if left.bits() > right.bits() {
                left
            } else {
                right
            }
        }
        (Unsigned, Signed) => {
            if right.bits() > left.bits() {
                right
            } else {
                left
            }
        }
    }
}

/// The scalar that two arguments of one type parameter, or two arms of a `?:`, become: the one to which the other converts
/// at less cost, else the first. That is `bool` for `max(condition, x)` with a `float`, which is warned of.
pub fn joined_scalar(left: Scalar, right: Scalar) -> Scalar {
    let (to_left, to_right) = (scalar_cost(right, left), scalar_cost(left, right));
    if to_left <= to_right { left } else { right }
}

/// Conversions that are not between numbers.
fn convert_other(db: &dyn Db, env: Env, from: Ty, to: Ty) -> Option<Converted> {
    match (from, to) {
        (Ty::NoneLiteral, Ty::Builtin(BuiltinType::Optional, _)) => {
            return Converted::step(TO_OPTIONAL, Conversion::NoneToOptional, to);
        }
        (Ty::NullLiteral, Ty::Builtin(BuiltinType::Ptr, _)) => {
            return Converted::step(TO_OPTIONAL, Conversion::Identity, to);
        }
        (Ty::Builtin(BuiltinType::Array, from_args), Ty::Builtin(BuiltinType::Array, to_args)) => {
            return match (from_args.args(db), to_args.args(db)) {
                ([from_element, _], [to_element, GenericArg::Value(Const::Unsized)]) if from_element == to_element => {
                    Converted::step(UNSIZED_ARRAY, Conversion::Identity, to)
                }
                ([from_element, GenericArg::Value(a)], [to_element, GenericArg::Value(b)])
                    if from_element == to_element && a == b =>
                {
                    Converted::step(0, Conversion::Identity, to)
                }
                _ => None,
            };
        }
        (Ty::Builtin(BuiltinType::Ptr, _), Ty::Builtin(BuiltinType::Ptr, _)) => {
            // Pointers that differ in their layouts are not told apart.
            if from.first_type_arg(db) == to.first_type_arg(db) {
                return Converted::step(0, Conversion::Identity, to);
            }
            return (to.first_type_arg(db) == Some(Ty::Void)).then(|| Converted {
                cost: TO_OPTIONAL,
                steps: vec![Adjustment { conversion: Conversion::Identity, to }],
            });
        }
        (Ty::Function(_), Ty::Function(_)) => {
            return convert_function(db, env, from, to);
        }
        // A function type has no place for copies of variables.
        (Ty::Closure(closure), Ty::Function(_)) => {
            if !closure.captures(db).is_empty() {
                return None;
            }
            let function = closure.function_type(db);
            let cost = if function == to { 0 } else { convert_function(db, env, function, to)?.cost };
            return Converted::step(FUNCTION_VALUE + cost, Conversion::FunctionValue, to);
        }
        // An object that can be called is a function.
        (Ty::Adt(..) | Ty::Param(_), Ty::Function(_)) => {
            return function_types(db, env, from).into_iter().find_map(|function| {
                let converted = if function == to { 0 } else { convert_function(db, env, function, to)?.cost };
                Converted::step(FUNCTION_VALUE + converted, Conversion::FunctionValue, to)
            });
        }
        // The first value of an atomic.
        (_, Ty::Builtin(BuiltinType::Atomic, _)) => {
            let content = to.first_type_arg(db)?;
            let mut inner = convert(db, env, from, content)?;
            inner.cost += TO_OPTIONAL;
            inner.steps.push(Adjustment { conversion: Conversion::Identity, to });
            return Some(inner);
        }
        // An enum value is a value of its integer type, and says whether it is zero; other numbers are to be asked for.
        (Ty::Adt(..), Ty::Scalar(wanted)) => {
            let underlying = enum_integer(db, from)?;
            if to != underlying && wanted != Scalar::Bool {
                return None;
            }
            let mut converted = convert(db, env, underlying, to)?;
            converted.cost += RANK_PROMOTION;
            converted.steps.insert(0, Adjustment { conversion: Conversion::Identity, to: underlying });
            return Some(converted);
        }
        (Ty::Builtin(BuiltinType::Ptr, _), Ty::Scalar(Scalar::Bool)) => {
            return Converted::step(GENERAL, Conversion::Numeric, to);
        }
        _ => {}
    }
    if let (Some(from_content), Some(to_content)) = (from.as_optional(db), to.as_optional(db)) {
        // The value inside is converted, if there is one.
        let inner = convert(db, env, from_content, to_content)?;
        let conversion = Conversion::ToOptional;
        return Some(Converted { cost: inner.cost, steps: vec![Adjustment { conversion, to }] });
    }
    if let Some(content) = to.as_optional(db)
        && from.as_optional(db).is_none()
    {
        // What it holds is of its type: no other conversion comes before this one.
        if from != content {
            return None;
        }
        let mut inner = convert(db, env, from, content)?;
        inner.cost += TO_OPTIONAL;
        inner.steps.push(Adjustment { conversion: Conversion::ToOptional, to });
        return Some(inner);
    }
    if extension::is_interface(db, to) && conformance::conforms(db, env, from, to) {
        let inheritance = if extension::is_interface(db, from) { 0 } else { 1 };
        return Converted::step(TO_INTERFACE + inheritance, Conversion::ToInterface, to);
    }
    if let Some(content) = from.dereferenced(db)
        && !matches!(from, Ty::Builtin(BuiltinType::Ptr, _))
    {
        let inner = convert(db, env, content, to)?;
        let mut steps = vec![Adjustment { conversion: Conversion::Dereference, to: content }];
        steps.extend(inner.steps);
        return Some(Converted { cost: inner.cost + DEREFERENCE, steps });
    }
    // A struct where one of its bases is wanted; the base's fields come first.
    if inherits_struct(db, from, to, 0) {
        return Converted::step(TO_INTERFACE, Conversion::Identity, to);
    }
    // `where T == int`: a `T` is an `int`, and the other way round.
    if let Some(same) = env.promised_type(db, from) {
        let mut converted = convert(db, env, same, to)?;
        converted.steps.insert(0, Adjustment { conversion: Conversion::Identity, to: same });
        return Some(converted);
    }
    if env.promised_type(db, to) == Some(from) {
        return Converted::step(0, Conversion::Identity, to);
    }
    // `where T(U)` promises the conversion.
    env.bounds(db)
        .iter()
        .any(|bound| matches!(bound, Bound::Coercible { from: a, to: b } if *a == from && *b == to))
        .then(|| Converted { cost: GENERAL - 1, steps: vec![Adjustment { conversion: Conversion::Numeric, to }] })
}

/// The integer type that an enum is made of; `None` for other types.
pub fn enum_integer(db: &dyn Db, ty: Ty) -> Option<Ty> {
    let Ty::Adt(item, _) = ty else { return None };
    let hir_def::item::ItemKind::Enum { .. } = hir_def::item::item_data(db, item).kind else { return None };
    let underlying = conformance::bases(db, item).first().copied();
    Some(underlying.filter(|ty| matches!(ty, Ty::Scalar(_))).unwrap_or(Ty::INT))
}

/// The function types of a type that says how it is called: those of the `IFunc` and `IMutatingFunc` that it conforms to.
pub fn function_types(db: &dyn Db, env: Env, ty: Ty) -> Vec<Ty> {
    if let Ty::Closure(closure) = ty {
        return vec![closure.function_type(db)];
    }
    let callable = [Known::IFunc, Known::IMutatingFunc].map(|known| known::interface(db, known));
    let function = |interface: &Ty| {
        let Ty::Adt(item, args) = *interface else { return None };
        let [GenericArg::Type(ret), GenericArg::Pack(params)] = *args.args(db) else { return None };
        let params: Vec<(ParamDirection, Ty)> = params.types(db).map(|ty| (ParamDirection::In, ty)).collect();
        callable.contains(&Some(item)).then(|| Ty::function(db, &params, ret))
    };
    conformance::interfaces_of(db, env, ty).iter().filter_map(function).collect()
}

fn convert_function(db: &dyn Db, env: Env, from: Ty, to: Ty) -> Option<Converted> {
    let (Ty::Function(from_function), Ty::Function(to_function)) = (from, to) else { return None };
    if from_function.params(db) != to_function.params(db) {
        return None;
    }
    let ret = convert(db, env, from_function.ret(db), to_function.ret(db))?;
    Converted::step(FUNCTION_VALUE + ret.cost, Conversion::FunctionValue, to)
}

/// Whether struct `from` has struct `to` among its bases.
pub fn inherits_struct(db: &dyn Db, from: Ty, to: Ty, depth: u32) -> bool {
    const MAX_DEPTH: u32 = ::diagnostics::limits::BASES;
    let (Ty::Adt(item, args), Ty::Adt(..)) = (from, to) else { return false };
    if depth > MAX_DEPTH || extension::is_interface(db, from) || extension::is_interface(db, to) {
        return false;
    }
    let substitution = crate::generics::substitute::Substitution::of_item(db, item, args);
    conformance::bases(db, item).iter().any(|base| {
        let env = Env::of(db, item);
        let base = crate::generics::substitute::substitute(db, env, *base, &substitution);
        base == to || inherits_struct(db, base, to, depth + 1)
    })
}

/// Whether `to(value)` makes a `to` of a value of type `from`: by conversion, by a constructor, or as the one field.
pub fn casts(db: &dyn Db, env: Env, from: Ty, to: Ty) -> bool {
    if convert_explicitly(db, env, from, to).is_some() {
        return true;
    }
    let Ty::Adt(item, args) = to else { return false };
    let substitution = crate::generics::substitute::Substitution::of_item(db, item, args);
    let takes = |param: Ty| {
        let param = crate::generics::substitute::substitute(db, env, param, &substitution);
        param.is_error() || convert(db, env, from, param).is_some()
    };
    let init = hir_def::name::Name::new("__init");
    let constructors = crate::conformance::members::lookup(db, env, to, &init);
    if constructors.is_empty() {
        let fields = crate::types::aggregate::own_fields(db, item);
        return fields.first().is_some_and(|field| {
            crate::generics::substitute::substitute(
                db,
                env,
                crate::types::signature::variable_type(db, *field),
                &substitution,
            ) == from
        });
    }
    constructors.iter().any(|constructor| {
        let params = &crate::types::signature::signature(db, constructor.item).params;
        params.split_first().is_some_and(|(first, rest)| takes(first.ty) && rest.iter().all(|param| param.has_default))
    })
}

/// Whether `(to)value` is possible where no implicit conversion is.
pub fn convert_explicitly(db: &dyn Db, env: Env, from: Ty, to: Ty) -> Option<Conversion> {
    if let Some(converted) = convert(db, env, from, to) {
        return Some(converted.steps.last().map_or(Conversion::Identity, |step| step.conversion));
    }
    // `Optional<T>(x)` is a call, whose argument becomes a `T` first.
    if let Some(content) = to.as_optional(db)
        && from.as_optional(db).is_none()
        && convert(db, env, from, content).is_some()
    {
        return Some(Conversion::ToOptional);
    }
    let ((from_shape, from_element), (to_shape, to_element)) = (shape(db, from), shape(db, to));
    let conforms_to_any =
        |ty: Ty, any: &[Known]| any.iter().any(|&known| conformance::conforms_to_known(db, env, ty, known));
    // A type parameter is made of numbers by the constructors that its bounds promise. It becomes no number itself, unless
    // it stands for an `enum`; vectors of it do where it stands for one of the core library's numbers.
    let is_number = |ty: Ty, shape: Shape| match shape {
        _ if matches!(ty, Ty::Scalar(_)) => true,
        Shape::Scalar => !matches!(ty, Ty::Adt(..)) && conforms_to_any(ty, &[Known::EnumType]),
        Shape::Vector(_) | Shape::Matrix(..) => {
            conforms_to_any(ty, &[Known::BuiltinIntegerType, Known::BuiltinFloatingPointType])
        }
    };
    let is_made_of_numbers =
        |ty: Ty| matches!(ty, Ty::Scalar(_)) || conforms_to_any(ty, &[Known::IArithmetic, Known::ILogical]);
    if is_made_of_numbers(to_element) && (from_element == to_element || is_number(from_element, from_shape)) {
        match (from_shape, to_shape) {
            (Shape::Scalar, Shape::Scalar) => return Some(Conversion::Numeric),
            (Shape::Scalar, _) => return Some(Conversion::Splat),
            // No conversion drops components of a vector, as no swizzle is meant where none is written.
            (Shape::Vector(Const::Value(a)), Shape::Vector(Const::Value(b))) if a == b => {
                return Some(Conversion::Numeric);
            }
            (Shape::Vector(Const::Value(1)), Shape::Scalar) => return Some(Conversion::Truncate),
            (Shape::Matrix(Const::Value(a), Const::Value(b)), Shape::Matrix(Const::Value(c), Const::Value(d)))
                if a >= c && b >= d =>
            {
                return Some(if (a, b) == (c, d) { Conversion::Numeric } else { Conversion::Truncate });
            }
            // Row by row.
            (Shape::Matrix(Const::Value(rows), Const::Value(columns)), Shape::Vector(Const::Value(len)))
            | (Shape::Vector(Const::Value(len)), Shape::Matrix(Const::Value(rows), Const::Value(columns)))
                if rows.checked_mul(columns) == Some(len) =>
            {
                return Some(Conversion::Numeric);
            }
            (a, b) if same_shape(a, b) => return Some(Conversion::Numeric),
            _ => {}
        }
    }
    let is_enum = |ty: Ty| enum_integer(db, ty).is_some();
    let is_pointer = |ty: Ty| matches!(ty, Ty::Builtin(BuiltinType::Ptr, _) | Ty::NullLiteral);
    let is_integer = |ty: Ty| matches!(ty, Ty::Scalar(_));
    match (from, to) {
        _ if is_enum(from) && (is_integer(to) || is_enum(to)) => Some(Conversion::Identity),
        _ if is_enum(to) && is_integer(from) => Some(Conversion::Identity),
        _ if is_pointer(from) && (is_pointer(to) || is_integer(to)) => Some(Conversion::Identity),
        _ if is_pointer(to) && is_integer(from) => Some(Conversion::Identity),
        _ => None,
    }
}
