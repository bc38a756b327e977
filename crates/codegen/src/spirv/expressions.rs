//! Expressions of one function.

use ir::intrinsic::{HintOp, NumberOp, TextureOp, WaveOp, WaveSubsetOp};
use ir::{Constant, HandleType, Intrinsic, Scalar, Type, TypeId, intrinsic::PointerOp};
use spirv::Op;

use super::function::{FunctionWriter, Slot};
use super::words::Id;
use crate::EmitError;
use crate::tree::{Expr, ExprKind, Step};

impl FunctionWriter<'_, '_> {
    pub(super) fn u32(&mut self, value: u32) -> Id {
        self.module.out_u32(value)
    }

    pub(super) fn type_of(&self, ty: TypeId) -> Type {
        self.module.module.types.get(ty)
    }

    /// The type of an element (component, row) of an aggregate; of a struct its own.
    pub(super) fn element_type(&self, ty: TypeId) -> TypeId {
        let types = &self.module.module.types;
        match types.get(ty) {
            Type::Array { element, .. } => element,
            Type::Vector { scalar, .. } => types.scalar(scalar),
            Type::Matrix { scalar, cols, .. } => types.vector(scalar, cols),
            _ => ty,
        }
    }

    /// The type of the same shape with another scalar.
    pub(super) fn with_scalar(&self, ty: TypeId, scalar: Scalar) -> TypeId {
        let types = &self.module.module.types;
        match types.get(ty) {
            Type::Vector { len, .. } => types.vector(scalar, len),
            Type::Matrix { rows, cols, .. } => types.intern(Type::Matrix { scalar, rows, cols }),
            _ => types.scalar(scalar),
        }
    }

    /// Components of a scalar or vector.
    pub(super) fn len_of(&self, ty: TypeId) -> u8 {
        match self.type_of(ty) {
            Type::Vector { len, .. } => len,
            _ => 1,
        }
    }

    /// A number of a scalar or vector type, in every component.
    pub(super) fn number(&mut self, value: f64, ty: TypeId) -> Result<Id, EmitError> {
        let (scalar, len) = (self.scalar_of(ty), self.len_of(ty));
        let one = self.module.scalar_constant(Constant::Float(value), scalar);
        let ty = self.value_type(ty)?;
        Ok(if len == 1 { one } else { self.construct(ty, &vec![one; len.into()]) })
    }

    /// An integer in every component.
    pub(super) fn integer(&mut self, value: i64, ty: TypeId) -> Result<Id, EmitError> {
        let (scalar, len) = (self.scalar_of(ty), self.len_of(ty));
        let one = self.module.scalar_constant(Constant::Int(value), scalar);
        let ty = self.value_type(ty)?;
        Ok(if len == 1 { one } else { self.construct(ty, &vec![one; len.into()]) })
    }

    /// A value from its parts.
    pub(super) fn construct(&mut self, ty: Id, parts: &[Id]) -> Id {
        if parts.is_empty() {
            return self.module.null(ty);
        }
        if parts.iter().all(|&part| self.module.out.is_constant(part)) {
            let words: Vec<u32> = parts.iter().map(|id| id.0).collect();
            return self.module.out.constant(Op::ConstantComposite, ty, &words);
        }
        self.value(Op::CompositeConstruct, ty, parts)
    }

    /// The part of a value at some places, each in the one before.
    pub(super) fn extract(&mut self, ty: Id, value: Id, places: &[u32]) -> Id {
        self.value_with(Op::CompositeExtract, ty, &[&[value.0], places].concat())
    }

    /// The index that a step is.
    pub(super) fn index(&mut self, step: &Step) -> Result<Id, EmitError> {
        match step {
            Step::Const(index) => Ok(self.u32(*index)),
            Step::Dynamic(Expr { kind: ExprKind::Const(Constant::Int(index)), .. }) if (0..1 << 31).contains(index) => {
                Ok(self.u32(*index as u32))
            }
            Step::Dynamic(index) | Step::Tested(index) => {
                let value = self.expr(index)?;
                let scalar = self.scalar_of(index.ty);
                Ok(if scalar.bits() == 64 { self.convert_scalar(value, scalar, Scalar::U32, 1) } else { value })
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Id, EmitError> {
        let ty = expr.ty;
        Ok(match &expr.kind {
            ExprKind::Local(local) => match self.slot(*local)? {
                Slot::Value(value) => value,
                Slot::Pointer(pointer) => {
                    let ty = self.value_type(ty)?;
                    self.value(Op::Load, ty, &[pointer])
                }
            },
            ExprKind::Reference(_) => return Err(self.error("a variable is passed where a value is wanted")),
            ExprKind::Const(constant) => {
                let scalar = self.scalar_of(ty);
                self.module.scalar_constant(*constant, scalar)
            }
            ExprKind::Zero => {
                let ty = self.value_type(ty)?;
                self.module.null(ty)
            }
            ExprKind::Unary(op, a) => {
                let value = self.expr(a)?;
                self.unary(*op, value, a.ty)?
            }
            ExprKind::Binary(op, a, b) => self.binary_expr(*op, a, b, ty)?,
            ExprKind::Math(function, args) => self.math(*function, args, ty)?,
            ExprKind::Convert(a) => {
                let value = self.expr(a)?;
                self.convert(value, a.ty, ty)?
            }
            ExprKind::Bitcast(a) => {
                let value = self.expr(a)?;
                self.bitcast(value, a.ty, ty)?
            }
            ExprKind::Select { cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.expr(cond)?, self.expr(then)?, self.expr(otherwise)?);
                let ty = self.value_type(ty)?;
                self.value(Op::Select, ty, &[cond, then, otherwise])
            }
            ExprKind::Make(parts) => {
                let values = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<_>, _>>()?;
                self.make(ty, &values)?
            }
            ExprKind::Splat(a) => {
                let value = self.expr(a)?;
                self.splat(value, ty)?
            }
            ExprKind::Extract { aggregate, path } => self.part_of(aggregate, path, ty)?,
            ExprKind::Swizzle { vector, components } => {
                let value = self.expr(vector)?;
                self.swizzle(value, vector.ty, components, ty)?
            }
            ExprKind::Call { callee, args } => match self.call(*callee, args)? {
                Some(value) => value,
                None => return Err(self.error("a function without result is used as a value")),
            },
            ExprKind::Global(_) => return Err(self.error("a resource as a value is not supported for target `spirv`")),
            ExprKind::Builtin(builtin) => self.builtin(*builtin, ty)?,
            ExprKind::Load { handle, path } => self.load(handle, path, ty)?,
            ExprKind::ByteLoad { handle, offset } => self.load_bytes(handle, offset, ty)?,
            ExprKind::BufferLength(handle) => self.buffer_length(handle, ty)?,
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => self.atomic(expr)?,
            ExprKind::Intrinsic { intrinsic, args } => self.intrinsic(*intrinsic, args, ty)?,
            ExprKind::AddressOf(_) => return Err(self.refused(Intrinsic::Pointer(PointerOp::AddressOf))),
        })
    }

    /// A value of type `ty` from its fields, elements, rows or components.
    pub(super) fn make(&mut self, ty: TypeId, values: &[Id]) -> Result<Id, EmitError> {
        if let (Type::Vector { len: 1, .. }, [value]) = (self.type_of(ty), values) {
            return Ok(*value);
        }
        let ty = self.value_type(ty)?;
        Ok(self.construct(ty, values))
    }

    pub(super) fn splat(&mut self, value: Id, ty: TypeId) -> Result<Id, EmitError> {
        let count = match self.type_of(ty) {
            Type::Vector { len, .. } => len.into(),
            Type::Matrix { scalar, rows, cols } => {
                let row = self.module.module.types.vector(scalar, cols);
                let row = self.splat(value, row)?;
                return self.make(ty, &vec![row; rows.into()]);
            }
            Type::Array { len, .. } => len as usize,
            _ => return Ok(value),
        };
        self.make(ty, &vec![value; count])
    }

    fn swizzle(&mut self, vector: Id, of: TypeId, components: &[u8], ty: TypeId) -> Result<Id, EmitError> {
        let result = self.value_type(ty)?;
        if self.len_of(of) == 1 {
            return Ok(if components.len() == 1 {
                vector
            } else {
                self.construct(result, &vec![vector; components.len()])
            });
        }
        if let [component] = components {
            return Ok(self.extract(result, vector, &[(*component).into()]));
        }
        let places = components.iter().map(|&component| component.into());
        let operands: Vec<u32> = [vector.0, vector.0].into_iter().chain(places).collect();
        Ok(self.value_with(Op::VectorShuffle, result, &operands))
    }

    /// The first components of a vector of four.
    pub(super) fn first_components(&mut self, vector: Id, scalar: Scalar, count: u8) -> Id {
        let ty = self.module.vector_type(scalar, count);
        match count {
            4 => vector,
            1 => self.extract(ty, vector, &[0]),
            _ => {
                let operands: Vec<u32> = [vector.0, vector.0].into_iter().chain(0..count.into()).collect();
                self.value_with(Op::VectorShuffle, ty, &operands)
            }
        }
    }

    fn part_of(&mut self, aggregate: &Expr, path: &[Step], ty: TypeId) -> Result<Id, EmitError> {
        if let ExprKind::Local(local) = aggregate.kind
            && let Slot::Pointer(pointer) = self.slot(local)?
        {
            let place = self.part_of_variable(pointer, aggregate.ty, path)?;
            return self.load_place(&place);
        }
        let value = self.expr(aggregate)?;
        let (mut at, mut places) = (aggregate.ty, Vec::new());
        for (number, step) in path.iter().enumerate() {
            match (self.type_of(at), constant_step(step)) {
                (Type::Vector { len: 1, .. }, _) => at = self.element_type(at),
                (Type::Struct(id), Some(index)) => {
                    places.push(index);
                    at = self.module.module.types.structs[id].fields[index as usize].ty;
                }
                (_, Some(index)) => {
                    places.push(index);
                    at = self.element_type(at);
                }
                (Type::Vector { .. }, None) if number + 1 == path.len() => {
                    let vector_type = self.value_type(at)?;
                    let vector = if places.is_empty() { value } else { self.extract(vector_type, value, &places) };
                    let (result, index) = (self.value_type(ty)?, self.index(step)?);
                    return Ok(self.value(Op::VectorExtractDynamic, result, &[vector, index]));
                }
                (_, None) => {
                    // Only variables can be indexed at run time.
                    let pointer = self.kept_in_variable("indexed", value, aggregate.ty)?;
                    let place = self.part_of_variable(pointer, aggregate.ty, path)?;
                    return self.load_place(&place);
                }
            }
        }
        let result = self.value_type(ty)?;
        Ok(if places.is_empty() { value } else { self.extract(result, value, &places) })
    }

    /// A function of the core library that is an operation of its own.
    fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        match intrinsic {
            Intrinsic::Texture(TextureOp::Load) => self.load_texel(args, ty),
            Intrinsic::Texture(op) if op.atomic().is_some() => self.texel_atomic(op, args),
            Intrinsic::Texture(op) => self.lookup(op, args, ty),
            Intrinsic::Fragment(op) => self.derivative(op, args, ty),
            Intrinsic::Wave(op) => self.wave(op, args, ty),
            // The mask of 32 threads is the first word.
            Intrinsic::WaveSubset(WaveSubsetOp::MaskBallot) => {
                let [_mask, args @ ..] = args else { return Err(self.refused(intrinsic)) };
                let words = self.module.module.types.vector(Scalar::U32, 4);
                let (mask, word) = (self.wave(WaveOp::Ballot, args, words)?, self.module.scalar_type(Scalar::U32));
                Ok(self.extract(word, mask, &[0]))
            }
            Intrinsic::WaveSubset(op) if op.fold_of_part().is_some() => self.wave_part(op, args, ty),
            Intrinsic::WaveSubset(op) => match (op.without_mask(), args) {
                (Some(op), [_mask, args @ ..]) => self.wave(op, args, ty),
                _ => Err(self.refused(intrinsic)),
            },
            // Indices that may differ between threads are found where a resource is chosen.
            Intrinsic::Hint(HintOp::NonUniform) if args.len() == 1 => self.expr(&args[0]),
            Intrinsic::Ray(op) => self.ray_value(op, args, ty),
            Intrinsic::RayQuery(op) => self.query_value(op, args, ty),
            Intrinsic::Number(NumberOp::Frexp) => self.frexp(args),
            Intrinsic::Grid(op) => self.grid(op, ty),
            Intrinsic::System(op) => self.clock(op, ty),
            Intrinsic::Number(_)
            | Intrinsic::Integer(_)
            | Intrinsic::Pointer(_)
            | Intrinsic::Buffer(_)
            | Intrinsic::Stage(_)
            | Intrinsic::RayExtension(_)
            | Intrinsic::HitObject(_)
            | Intrinsic::Footprint(_)
            | Intrinsic::Cooperative(_)
            | Intrinsic::Tensor(_)
            | Intrinsic::Descriptor(_)
            | Intrinsic::Hint(_) => Err(self.refused(intrinsic)),
        }
    }

    /// What a texture is.
    pub(super) fn texture_type(&self, handle: &Expr) -> Option<HandleType> {
        match self.type_of(handle.ty) {
            Type::Handle(handle @ HandleType::Texture { .. }) => Some(handle),
            _ => None,
        }
    }
}

fn constant_step(step: &Step) -> Option<u32> {
    match step {
        Step::Const(index) => Some(*index),
        Step::Dynamic(Expr { kind: ExprKind::Const(Constant::Int(index)), .. }) => u32::try_from(*index).ok(),
        Step::Dynamic(_) | Step::Tested(_) => None,
    }
}
