//! Values as callers see them, and as slots.

use ir::{
    Scalar, Type, TypeId,
    number::{self, Precision},
    types::TypeTable,
};

use crate::{
    layout::Layouts,
    memory::{Handle, Memory},
};

/// The most scalars that a value outside of the machine has: types of user programs can be of any size. What would be
/// larger is an empty aggregate, which is then not of its type.
pub const MAX_SCALARS: u64 = 1 << 24;

/// A value of any type, as a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// Integers of any width, sign- or zero-extended.
    Int(i64),
    /// Floats of any width.
    Float(f64),
    /// The components of a vector, the rows of a matrix, the elements of an array, the fields of a struct.
    Aggregate(Vec<Value>),
    /// An interface value, `None` for null.
    Sum(Option<(u32, Box<Value>)>),
    /// A reference to memory. A constant buffer is given as its content.
    Handle(Handle),
}

impl Value {
    /// The floats of the value, in order of the slots.
    pub fn floats(&self) -> Vec<f64> {
        let mut floats = Vec::new();
        self.collect_floats(&mut floats);
        floats
    }

    fn collect_floats(&self, floats: &mut Vec<f64>) {
        match self {
            Value::Float(value) => floats.push(*value),
            Value::Aggregate(parts) => parts.iter().for_each(|part| part.collect_floats(floats)),
            Value::Sum(Some((_, payload))) => payload.collect_floats(floats),
            Value::Bool(_) | Value::Int(_) | Value::Sum(None) | Value::Handle(_) => {}
        }
    }

    /// The zero value of a type; see [`MAX_SCALARS`].
    pub fn zero(types: &TypeTable, ty: Type) -> Value {
        let layouts = Layouts::new(types);
        let count = layouts.size(ty).slots;
        if count > MAX_SCALARS {
            return Value::TOO_LARGE;
        }
        from_slots(&layouts, ty, &mut vec![0; count as usize].as_slice())
    }

    /// A value of the type from as many numbers as it holds; `None` if there are too few, an integer is none, or the type
    /// is not made of numbers.
    pub fn from_numbers(types: &TypeTable, ty: TypeId, numbers: &mut dyn Iterator<Item = f64>) -> Option<Value> {
        let mut many = |count: u8, scalar| -> Option<Value> {
            let parts: Option<Vec<Value>> = (0..count).map(|_| from_number(scalar, numbers.next()?)).collect();
            parts.map(Value::Aggregate)
        };
        match types.get(ty) {
            Type::Scalar(scalar) => from_number(scalar, numbers.next()?),
            Type::Vector { scalar, len } => many(len, scalar),
            Type::Matrix { scalar, rows, cols } => {
                let rows: Option<Vec<Value>> = (0..rows).map(|_| many(cols, scalar)).collect();
                rows.map(Value::Aggregate)
            }
            Type::Array { element, len } => {
                let parts: Option<Vec<Value>> =
                    (0..len).map(|_| Value::from_numbers(types, element, numbers)).collect();
                parts.map(Value::Aggregate)
            }
            Type::Struct(id) => {
                let fields = types.structs[id].fields.iter();
                let parts: Option<Vec<Value>> =
                    fields.map(|field| Value::from_numbers(types, field.ty, numbers)).collect();
                parts.map(Value::Aggregate)
            }
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
        }
    }

    /// Stands for a value of more than [`MAX_SCALARS`]; it is of no type that large.
    pub(crate) const TOO_LARGE: Value = Value::Aggregate(Vec::new());
}

fn from_number(scalar: Scalar, number: f64) -> Option<Value> {
    match scalar {
        Scalar::Bool => Some(Value::Bool(number != 0.0)),
        scalar if scalar.is_float() => Some(Value::Float(number)),
        _ => (number.fract() == 0.0).then_some(Value::Int(number as i64)),
    }
}

/// Appends the slots of `value`; `false` if it is not of the type. Contents of constant buffers go to `memory`.
pub(crate) fn to_slots(
    layouts: &Layouts<'_>,
    precision: Precision,
    memory: &mut Memory,
    ty: Type,
    value: &Value,
    slots: &mut Vec<u64>,
) -> bool {
    match (ty, value) {
        (Type::Scalar(Scalar::Bool), Value::Bool(value)) => slots.push((*value).into()),
        (Type::Scalar(scalar), Value::Int(value)) if scalar.is_integer() => {
            slots.push(number::wrap(scalar, *value as u64));
        }
        (Type::Scalar(scalar), Value::Float(value)) if scalar.is_float() => {
            slots.push(number::from_f64(scalar, precision, *value));
        }
        (
            Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_),
            Value::Aggregate(values),
        ) => {
            for (index, value) in (0..).zip(values) {
                let Some((part, _)) = layouts.part(ty, index) else { return false };
                if !to_slots(layouts, precision, memory, part, value, slots) {
                    return false;
                }
            }
            return !has_content(layouts, ty) || layouts.part(ty, values.len() as i64).is_none();
        }
        (Type::Sum(id), Value::Sum(held)) => {
            let end = slots.len() + layouts.size(ty).slots as usize;
            slots.push(layouts.sum_tag(id, held.as_ref().map(|(variant, _)| *variant)));
            if let Some((variant, payload)) = held {
                let Some(variant) = layouts.types.sums[id].variants.get(*variant as usize) else { return false };
                let variant = layouts.types.get(variant.ty);
                if !to_slots(layouts, precision, memory, variant, payload, slots) {
                    return false;
                }
            }
            slots.resize(end, 0);
        }
        (Type::Handle(ir::HandleType::ConstantBuffer { .. }), Value::Handle(handle @ Handle::Constant(_))) => {
            slots.push(handle.to_slot());
        }
        (Type::Handle(ir::HandleType::ConstantBuffer { content }), value) => {
            let mut content_slots = Vec::new();
            if !to_slots(layouts, precision, memory, layouts.types.get(content), value, &mut content_slots) {
                return false;
            }
            slots.push(memory.add_constant(content_slots).to_slot());
        }
        (Type::Handle(_), Value::Handle(handle)) => slots.push(handle.to_slot()),
        _ => return false,
    }
    true
}

/// Whether there is anything to say about a value: a long array of empty structs is an empty aggregate.
fn has_content(layouts: &Layouts<'_>, ty: Type) -> bool {
    layouts.size(ty).slots > 0
}

/// Takes the value off the front of `slots`.
pub(crate) fn from_slots(layouts: &Layouts<'_>, ty: Type, slots: &mut &[u64]) -> Value {
    let mut take = || {
        let (first, rest) = slots.split_first().unwrap_or((&0, &[]));
        *slots = rest;
        *first
    };
    match ty {
        Type::Scalar(Scalar::Bool) => Value::Bool(take() != 0),
        Type::Scalar(scalar) if scalar.is_float() => Value::Float(f64::from_bits(take())),
        Type::Scalar(_) => Value::Int(take() as i64),
        Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
            let parts = (0..).map_while(|index| layouts.part(ty, index)).take_while(|_| has_content(layouts, ty));
            Value::Aggregate(parts.map(|(part, _)| from_slots(layouts, part, slots)).collect())
        }
        Type::Sum(id) => {
            let size = layouts.size(ty).slots as usize;
            let (mut own, rest) = slots.split_at(size.min(slots.len()));
            *slots = rest;
            let variant = layouts.sum_variant(id, own.first().copied().unwrap_or(0));
            own = own.get(1..).unwrap_or(&[]);
            let held = variant.and_then(|number| {
                let variant = layouts.types.sums[id].variants.get(number as usize)?;
                Some((number, Box::new(from_slots(layouts, layouts.types.get(variant.ty), &mut own))))
            });
            Value::Sum(held)
        }
        Type::Handle(_) => Value::Handle(Handle::from_slot(take())),
        Type::Opaque(_) => Value::Aggregate(Vec::new()),
    }
}
