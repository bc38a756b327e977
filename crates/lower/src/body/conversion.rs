//! Conversions: the adjustments that inference notes, casts, and what is needed to store a value in a place.

use hir_ty::{
    infer::result::{Adjustment, Conversion},
    signature::FunctionRef,
    ty::Ty,
};
use ir::{
    Constant, HandleType, Op, PathStep, Scalar, Type, TypeId, ValueId,
    number::{self, Precision},
};

use super::BodyLowering;
use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    fields, front, intrinsic,
    mode::Mode,
    receiver_types, sums,
};

impl BodyLowering<'_, '_> {
    pub(super) fn adjust(&mut self, value: ValueId, adjustments: &[Adjustment]) -> Lowering<ValueId> {
        adjustments.iter().try_fold(value, |value, adjustment| {
            let to = self.scope.ty(self.program.db, adjustment.to);
            self.apply(value, adjustment.conversion, to)
        })
    }

    pub(super) fn apply(&mut self, value: ValueId, conversion: Conversion, to: Ty) -> Lowering<ValueId> {
        match conversion {
            Conversion::Identity if !self.is_pointer(value) => self.as_base(value, to),
            Conversion::Identity | Conversion::Numeric | Conversion::Splat | Conversion::Truncate => {
                let ty = self.ir_type(to)?;
                if let Some(converted) = self.convert_address(value, ty)? {
                    return Ok(converted);
                }
                self.coerce(value, ty)
            }
            Conversion::ToInterface => self.convert_to_interface(value, to),
            Conversion::ToOptional => {
                let ty = self.ir_type(to)?;
                let payload = self.b.types.path_type(ty, &[PathStep::Const(crate::fields::OPTIONAL_VALUE)]);
                let payload = payload.ok_or_else(|| Stop::broken("an optional without value"))?;
                let value = self.coerce(value, payload)?;
                Ok(fields::optional_of(&mut self.b, value, ty))
            }
            Conversion::NoneToOptional => {
                let ty = self.ir_type(to)?;
                Ok(self.b.zero(ty))
            }
            Conversion::Dereference => {
                let place = self.dereference_to(value, to)?;
                self.read(&place)
            }
            Conversion::InitList => {
                let ty = self.ir_type(to)?;
                self.coerce(value, ty)
            }
            Conversion::Constructor(function) => {
                let function = self.scope.function(self.program.db, function);
                if let Some(known @ CoreFunction::Intrinsic(_)) = front::core_function(self.program.db, function.item) {
                    return self.converted_by(function, known, value);
                }
                let func = self.program.function(function)?;
                let result = self.call_function(func, &[super::argument::Passed::Value(value)])?;
                result.ok_or_else(|| Stop::broken("a constructor without result"))
            }
            Conversion::FunctionValue => self.convert_to_interface(value, to),
        }
    }

    /// The value of a constructor of the core library that is an operation.
    fn converted_by(&mut self, function: FunctionRef, known: CoreFunction, value: ValueId) -> Lowering<ValueId> {
        let surface = &front::surface(self.program, function)?;
        let type_arg = intrinsic::first_type_arg(self.program.db, function);
        let asked = intrinsic::Asked { function: known, args: &[value], surface, format: None, type_arg };
        let results = intrinsic::emit(self.program, &mut self.b, &asked)?;
        results.first().copied().ok_or_else(|| Stop::broken("a constructor without result"))
    }

    /// What a pointer, buffer block or parameter block refers to.
    pub(super) fn dereference(&mut self, handle: ValueId) -> super::place::Place {
        let mut place = self.memory(handle);
        if let (super::place::Place::Memory { path, .. }, Type::Handle(ir::HandleType::Pointer { .. })) =
            (&mut place, self.b.type_of(handle))
        {
            path.push(PathStep::Const(0));
        }
        place
    }

    /// `value` as one of IR type `ty`: numeric conversion, splat or truncation where the types differ.
    pub(super) fn coerce(&mut self, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
        let from = self.b.ty(value);
        if from == ty {
            return Ok(value);
        }
        // Where a place alone is wanted, its place for derivatives stays behind.
        if self.program.is_place_pair(from) {
            let primal = self.b.field(value, fields::PAIR_PRIMAL);
            if self.b.ty(primal) == ty {
                return Ok(primal);
            }
        }
        if self.program.is_place_pair(ty) {
            return Err(Stop::unsupported("a place without its place for derivatives in a differentiated function"));
        }
        match (self.b.types.get(from), self.b.types.get(ty)) {
            (Type::Opaque(_), _) | (_, Type::Opaque(_)) => Ok(self.opaque_conversion(value, ty)),
            (Type::Scalar(Scalar::U64), Type::Handle(HandleType::Pointer { .. }))
            | (Type::Handle(HandleType::Pointer { .. }), Type::Scalar(Scalar::U64)) => {
                Ok(self.b.value(Op::Bitcast(value), ty))
            }
            (Type::Scalar(_), Type::Scalar(to)) => Ok(self.convert_scalar(value, to, ty)),
            (Type::Scalar(_), Type::Vector { scalar, .. } | Type::Matrix { scalar, .. }) => {
                let element = self.b.types.scalar(scalar);
                let value = self.coerce(value, element)?;
                Ok(self.b.value(Op::Splat(value), ty))
            }
            (Type::Vector { len: 1, .. }, Type::Scalar(_)) => {
                let element = self.b.field(value, 0);
                self.coerce(element, ty)
            }
            (Type::Vector { scalar, len }, Type::Vector { scalar: to, len: to_len }) if len >= to_len => {
                let value = if len == to_len { value } else { self.first_components(value, scalar, to_len) };
                if scalar == to { Ok(value) } else { Ok(self.b.convert(value, ty)) }
            }
            (Type::Vector { len, .. }, Type::Scalar(_)) if len > 1 => {
                let element = self.b.field(value, 0);
                self.coerce(element, ty)
            }
            (Type::Matrix { scalar, rows, cols }, Type::Matrix { scalar: to, rows: to_rows, cols: to_cols })
                if rows >= to_rows && cols >= to_cols =>
            {
                let is_same = (rows, cols) == (to_rows, to_cols);
                let value = if is_same { value } else { self.upper_left(value, scalar, cols, (to_rows, to_cols)) };
                if scalar == to { Ok(value) } else { Ok(self.b.convert(value, ty)) }
            }
            (Type::Matrix { scalar, rows, cols }, Type::Vector { scalar: to, len }) if rows * cols == len => {
                let value = self.flattened(value, scalar, (rows, cols));
                if scalar == to { Ok(value) } else { Ok(self.b.convert(value, ty)) }
            }
            (Type::Vector { scalar, len }, Type::Matrix { scalar: to, rows, cols }) if rows * cols == len => {
                let value = self.in_rows(value, scalar, (rows, cols));
                if scalar == to { Ok(value) } else { Ok(self.b.convert(value, ty)) }
            }
            (Type::Array { len, .. }, Type::Array { element, len: to_len }) if len == to_len && len <= 64 => {
                let elements: Vec<ValueId> = (0..len)
                    .map(|index| {
                        let part = self.b.field(value, index);
                        self.coerce(part, element)
                    })
                    .collect::<Lowering<_>>()?;
                Ok(self.b.make(&elements, ty))
            }
            (_, Type::Sum(_)) => self.convert_to_sum(value, ty),
            // The core library declares those of depths with the others, which have another kind of sampler.
            _ if self.b.types.is_combined_texture(self.b.ty(value)) && self.b.types.is_combined_texture(ty) => {
                Ok(value)
            }
            (Type::Struct(_), Type::Struct(base)) if self.inherits(from, ty) => {
                let parts = 0..self.b.types.structs[base].fields.len() as u32;
                let parts: Vec<ValueId> = parts.map(|index| self.b.field(value, index)).collect();
                Ok(self.b.make(&parts, ty))
            }
            // Differentials of what holds interface values, which the source knows by other types.
            _ => match receiver_types::matching_parts(&self.b, value, ty) {
                Some(parts) => self.coerce_parts(value, ty, &parts),
                None => Err(Stop::broken("a value of the wrong type")),
            },
        }
    }

    /// The first rows and columns of a matrix with `cols` columns.
    fn upper_left(&mut self, matrix: ValueId, scalar: Scalar, cols: u8, (to_rows, to_cols): (u8, u8)) -> ValueId {
        let rows: Vec<ValueId> = (0..to_rows)
            .map(|row| {
                let row = self.b.field(matrix, row.into());
                if cols == to_cols { row } else { self.first_components(row, scalar, to_cols) }
            })
            .collect();
        let smaller = self.b.types.intern(Type::Matrix { scalar, rows: to_rows, cols: to_cols });
        self.b.make(&rows, smaller)
    }

    /// The elements of a matrix as one vector, row by row.
    fn flattened(&mut self, matrix: ValueId, scalar: Scalar, (rows, cols): (u8, u8)) -> ValueId {
        let mut components = Vec::new();
        for row in 0..rows {
            let row = self.b.field(matrix, row.into());
            components.extend((0..cols).map(|column| self.b.field(row, column.into())));
        }
        let flat = self.b.types.vector(scalar, rows * cols);
        self.b.make(&components, flat)
    }

    /// The components of a vector as a matrix, row by row.
    fn in_rows(&mut self, vector: ValueId, scalar: Scalar, (rows, cols): (u8, u8)) -> ValueId {
        let row_type = self.b.types.vector(scalar, cols);
        let rows_of: Vec<ValueId> = (0..rows)
            .map(|row| {
                let components: Vec<ValueId> =
                    (0..cols).map(|column| self.b.field(vector, (row * cols + column).into())).collect();
                self.b.make(&components, row_type)
            })
            .collect();
        let matrix = self.b.types.intern(Type::Matrix { scalar, rows, cols });
        self.b.make(&rows_of, matrix)
    }

    /// A struct where one that it inherits is wanted; any other value as it is.
    fn as_base(&mut self, value: ValueId, to: Ty) -> Lowering<ValueId> {
        if !matches!(self.b.type_of(value), Type::Struct(_)) {
            return Ok(value);
        }
        let ty = self.ir_type(to)?;
        if self.inherits(self.b.ty(value), ty) { self.coerce(value, ty) } else { Ok(value) }
    }

    /// Whether the struct `from` inherits the struct `base`, whose fields are then its first ones.
    pub(super) fn inherits(&self, from: TypeId, base: TypeId) -> bool {
        let (Type::Struct(fields), Type::Struct(of_base)) = (self.b.types.get(from), self.b.types.get(base)) else {
            return false;
        };
        let (fields, of_base) = (&self.b.types.structs[fields].fields, &self.b.types.structs[of_base].fields);
        let begins = fields.len() >= of_base.len() && of_base.iter().zip(fields).all(|(a, b)| a.ty == b.ty);
        let sources = || Some((self.program.source_type(from)?, self.program.source_type(base)?));
        from != base && begins && sources().is_some_and(|(from, base)| front::inherits(self.program.db, from, base))
    }

    fn coerce_parts(&mut self, value: ValueId, ty: TypeId, parts: &[TypeId]) -> Lowering<ValueId> {
        let mut converted = Vec::new();
        for (index, &part_ty) in (0..).zip(parts) {
            let part = self.b.field(value, index);
            converted.push(self.coerce(part, part_ty)?);
        }
        Ok(self.b.make(&converted, ty))
    }

    fn first_components(&mut self, vector: ValueId, scalar: Scalar, len: u8) -> ValueId {
        let ty = self.vector_or_scalar(scalar, len.into());
        if len == 1 {
            let element = self.b.field(vector, 0);
            let ty = self.b.types.vector(scalar, 1);
            return self.b.make(&[element], ty);
        }
        self.b.value(Op::Swizzle { vector, components: (0..len).collect() }, ty)
    }

    /// Numeric conversion; a constant becomes a constant.
    pub(super) fn convert_scalar(&mut self, value: ValueId, to: Scalar, ty: TypeId) -> ValueId {
        match self.constant_of(value) {
            Some(Constant::Int(int)) if to.is_float() => self.b.constant(Constant::Float(int as f64), ty),
            Some(Constant::Int(int)) if to.is_integer() => self.b.constant(Constant::Int(wrap(int, to)), ty),
            // As many digits as its own type has: `0.1` as a `double` is the `float` that it was written as.
            Some(constant @ Constant::Float(_)) if to.is_float() => match self.b.type_of(value) {
                Type::Scalar(from) => {
                    let own = number::to_constant(from, number::from_constant(constant, from, Precision::Declared));
                    self.b.constant(own, ty)
                }
                _ => self.b.convert(value, ty),
            },
            _ => self.b.convert(value, ty),
        }
    }

    /// A value as an interface value.
    fn convert_to_interface(&mut self, value: ValueId, interface: Ty) -> Lowering<ValueId> {
        let ty = self.ir_type(interface)?;
        self.convert_to_sum(value, ty)
    }

    fn convert_to_sum(&mut self, value: ValueId, ty: TypeId) -> Lowering<ValueId> {
        match (self.b.types.get(ty), self.program.mode) {
            (Type::Opaque(_), Mode::Analysis) => Ok(self.opaque_conversion(value, ty)),
            _ => sums::convert(self.program, &mut self.b, value, ty),
        }
    }

    /// In the editor's analysis: `value` as one of a type without representation, derivative kept.
    pub(super) fn opaque_conversion(&mut self, value: ValueId, ty: TypeId) -> ValueId {
        self.b.value(Op::Convert(value), ty)
    }
}

/// `value` as an integer of the width and sign of `to`.
pub(super) fn wrap(value: i64, to: Scalar) -> i64 {
    match to {
        Scalar::I8 => i64::from(value as i8),
        Scalar::I16 => i64::from(value as i16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U8 => i64::from(value as u8),
        Scalar::U16 => i64::from(value as u16),
        Scalar::U32 => i64::from(value as u32),
        Scalar::I64 | Scalar::U64 | Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => value,
    }
}
