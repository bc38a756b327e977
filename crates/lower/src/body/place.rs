//! Places: what can be read and, mostly, assigned. A place is a root and a path; indices on the way are evaluated once.

use ir::{BinaryOp, Intrinsic, Op, PathStep, Type, TypeId, ValueId, intrinsic::TextureOp, op::Path};
use smallvec::smallvec;

use super::{BodyLowering, argument::Passed, bits::Bits, environment::VariableId};
use crate::{
    error::{Lowering, Stop},
    fields::PAIR_PRIMAL,
    places, stage_outputs,
};
use ir::FuncId;

#[derive(Debug, Clone)]
pub(super) enum Place {
    /// A part of a variable.
    Variable { variable: VariableId, path: Path },
    /// Memory under a handle; see [`ir::HandleType`] for what the path starts with.
    Memory { handle: ValueId, path: Path },
    /// A texel of a texture: where it is, and in a multisampled one which sample.
    Texel { texture: ValueId, location: Vec<ValueId> },
    /// The texels of a texture by level or sample (`texture.mips`), or those of one of them (`texture.mips[1]`). It is no
    /// value: only a texel of it is.
    Texels { texture: ValueId, level: Option<ValueId> },
    /// A value that is nowhere; it cannot be assigned.
    Value(ValueId),
    /// A part of an element of what a mesh shader gives out: it is written, never read.
    Output { output: ValueId, element: TypeId, index: PathStep, path: Path },
    /// A part of a place that has to be read and written as a whole.
    Part { base: Box<Place>, path: Path },
    /// Components of a vector.
    Swizzle { base: Box<Place>, components: Vec<u8> },
    /// Elements of a matrix, as a vector.
    Elements { base: Box<Place>, elements: Vec<(u8, u8)> },
    /// Some bits of an integer.
    Bits { base: Box<Place>, bits: Bits },
    /// A pointer that is kept as its address: see [`Program::pointer_to_itself`](crate::program::Program).
    Address { base: Box<Place>, pointer: TypeId },
    /// In the editor's analysis: a part of a type without representation. Reading it depends on the whole, and the whole
    /// depends on all that is written to its parts.
    OpaquePart { base: Box<Place>, ty: TypeId },
    /// A field of a place that is a place itself, where places are pairs: that field, and what corresponds to it in the place
    /// for derivatives. Of type `ty`: a pair, or an array of pairs.
    Pair { halves: Box<[Place; 2]>, ty: TypeId },
    /// A property or subscript: read and written by calls.
    Property { get: Option<FuncId>, set: Option<FuncId>, args: Vec<Passed> },
}

fn no_value() -> Stop {
    Stop::unsupported("the levels or samples of a texture as a value")
}

impl BodyLowering<'_, '_> {
    pub(super) fn place_type(&mut self, place: &Place) -> Lowering<TypeId> {
        let part = |this: &mut Self, ty: TypeId, path: &Path| {
            this.b.types.path_type(ty, path).ok_or_else(|| Stop::broken("a path that does not fit its type"))
        };
        match place {
            Place::Variable { variable, path } => {
                let ty = self.b.ty(self.env.get(*variable)?);
                // The variable itself, which may be a handle: that is not what the handle refers to.
                if path.is_empty() { Ok(ty) } else { part(self, ty, path) }
            }
            Place::Memory { handle, path } => {
                let ty = self.b.ty(*handle);
                part(self, ty, path)
            }
            Place::Texel { texture, .. } => match self.b.type_of(*texture) {
                Type::Handle(ir::HandleType::Texture { element, .. }) => Ok(element),
                _ => Err(Stop::broken("a texel of no texture")),
            },
            Place::Texels { .. } => Err(no_value()),
            Place::Output { element, path, .. } => part(self, *element, path),
            Place::Value(value) => Ok(self.b.ty(*value)),
            Place::Part { base, path } => {
                let ty = self.place_type(base)?;
                part(self, ty, path)
            }
            Place::Swizzle { base, components } => {
                let ty = self.place_type(base)?;
                let scalar = self.scalar_of(ty)?;
                Ok(self.vector_or_scalar(scalar, components.len()))
            }
            Place::Elements { base, elements } => {
                let ty = self.place_type(base)?;
                let scalar = self.scalar_of(ty)?;
                Ok(self.vector_or_scalar(scalar, elements.len()))
            }
            Place::Bits { bits, .. } => Ok(bits.ty),
            Place::Address { pointer, .. } => Ok(*pointer),
            Place::OpaquePart { ty, .. } | Place::Pair { ty, .. } => Ok(*ty),
            Place::Property { get, set, .. } => {
                if let Some(get) = get {
                    let surface = self.program.surface(*get)?;
                    if let Some(ret) = &surface.ret {
                        return Ok(ret.ir_ty);
                    }
                }
                if let Some(set) = set
                    && let Some(param) = self.program.surface(*set)?.params.last()
                {
                    return Ok(param.ir_ty);
                }
                Err(Stop::broken("a property without accessors"))
            }
        }
    }

    /// The part of a place that one step leads to.
    pub(super) fn part(&mut self, place: Place, step: PathStep) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        let step = self.checked_step(ty, step)?;
        Ok(match place {
            Place::Variable { variable, mut path } => {
                path.push(step);
                Place::Variable { variable, path }
            }
            Place::Memory { handle, mut path } => {
                path.push(step);
                Place::Memory { handle, path }
            }
            Place::Output { output, element, index, mut path } => {
                path.push(step);
                Place::Output { output, element, index, path }
            }
            Place::Value(value) => Place::Value(self.b.extract(value, [step])),
            Place::Part { base, mut path } => {
                path.push(step);
                Place::Part { base, path }
            }
            Place::Swizzle { base, components } => match step {
                PathStep::Const(index) => {
                    let component = components[index as usize];
                    let ty = self.place_type(&base)?;
                    // A scalar is its own and only component.
                    if matches!(self.b.types.get(ty), Type::Scalar(_)) {
                        return Ok(*base);
                    }
                    self.part(*base, PathStep::Const(component.into()))?
                }
                PathStep::Dynamic(_) => {
                    let base = Box::new(Place::Swizzle { base, components });
                    Place::Part { base, path: smallvec![step] }
                }
            },
            Place::Elements { base, elements } => match step {
                PathStep::Const(index) => {
                    let (row, column) = elements[index as usize];
                    let row = self.part(*base, PathStep::Const(row.into()))?;
                    self.part(row, PathStep::Const(column.into()))?
                }
                PathStep::Dynamic(_) => {
                    let base = Box::new(Place::Elements { base, elements });
                    Place::Part { base, path: smallvec![step] }
                }
            },
            Place::Texels { .. } => return Err(no_value()),
            Place::Pair { halves, ty } if matches!(self.b.types.get(ty), Type::Array { .. }) => {
                let ty = self
                    .b
                    .types
                    .path_type(ty, &[step])
                    .ok_or_else(|| Stop::broken("a part that its type does not have"))?;
                let [primal, differential] = *halves;
                Place::Pair { halves: Box::new([self.part(primal, step)?, self.part(differential, step)?]), ty }
            }
            Place::Pair { halves, .. } => {
                let [primal, differential] = *halves;
                if step == PathStep::Const(PAIR_PRIMAL) { primal } else { differential }
            }
            Place::Property { .. }
            | Place::OpaquePart { .. }
            | Place::Texel { .. }
            | Place::Bits { .. }
            | Place::Address { .. } => Place::Part { base: Box::new(place), path: smallvec![step] },
        })
    }

    /// A step that fits `ty`. A constant index out of bounds becomes a dynamic one: it reads zero and writes nothing.
    fn checked_step(&mut self, ty: TypeId, step: PathStep) -> Lowering<PathStep> {
        if self.b.types.path_type(ty, &[step]).is_some() {
            return Ok(step);
        }
        if let (PathStep::Const(index), Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. }) =
            (step, self.b.types.get(ty))
        {
            let index = self.b.i32(i32::try_from(index).unwrap_or(i32::MAX));
            return Ok(PathStep::Dynamic(index));
        }
        Err(Stop::broken("a part that its type does not have"))
    }

    pub(super) fn swizzle(&mut self, place: Place, components: &[u8]) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        let is_scalar = matches!(self.b.types.get(ty), Type::Scalar(_));
        if let (&[component], false) = (components, is_scalar) {
            return self.part(place, PathStep::Const(component.into()));
        }
        if let Place::Swizzle { base, components: inner } = place {
            let components = components.iter().map(|&component| inner[usize::from(component)]).collect();
            return Ok(Place::Swizzle { base, components });
        }
        Ok(Place::Swizzle { base: Box::new(place), components: components.to_vec() })
    }

    pub(super) fn read(&mut self, place: &Place) -> Lowering<ValueId> {
        match place {
            Place::Variable { variable, path } => {
                let value = self.env.get(*variable)?;
                Ok(self.b.extract(value, path.iter().copied()))
            }
            Place::Memory { handle, path } => {
                let ty = self.place_type(place)?;
                Ok(self.b.value(Op::Load { handle: *handle, path: path.clone() }, ty))
            }
            Place::Texel { texture, location } => {
                let ty = self.place_type(place)?;
                let args = [*texture].into_iter().chain(location.iter().copied()).collect();
                Ok(self.b.value(Op::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Load), args }, ty))
            }
            Place::Texels { .. } => Err(no_value()),
            Place::Output { .. } => Err(Stop::unsupported("reading what a mesh shader gives out")),
            Place::Value(value) => Ok(*value),
            Place::Part { base, path } => {
                let value = self.read(base)?;
                Ok(self.b.extract(value, path.iter().copied()))
            }
            Place::Swizzle { base, components } => {
                let ty = self.place_type(place)?;
                let vector = self.read(base)?;
                if self.b.ty(vector) == ty && components.iter().enumerate().all(|(i, &c)| i == usize::from(c)) {
                    return Ok(vector);
                }
                let components = components.iter().copied().collect();
                Ok(self.b.value(Op::Swizzle { vector, components }, ty))
            }
            Place::Elements { base, elements } => {
                let ty = self.place_type(place)?;
                let matrix = self.read(base)?;
                let parts: Vec<ValueId> = elements
                    .iter()
                    .map(|&(row, column)| {
                        self.b.extract(matrix, [PathStep::Const(row.into()), PathStep::Const(column.into())])
                    })
                    .collect();
                match parts.as_slice() {
                    [only] => Ok(*only),
                    _ => Ok(self.b.make(&parts, ty)),
                }
            }
            Place::Bits { base, bits } => self.read_bits(base, *bits),
            Place::Address { base, pointer } => {
                let address = self.read(base)?;
                self.coerce(address, *pointer)
            }
            Place::OpaquePart { base, ty } => {
                let whole = self.read(base)?;
                Ok(self.opaque_conversion(whole, *ty))
            }
            Place::Pair { halves, ty } => {
                let values = [self.read(&halves[0])?, self.read(&halves[1])?];
                places::from_halves(&mut self.b, values, *ty)
            }
            Place::Property { get, args, .. } => {
                let get = get.ok_or_else(|| Stop::unsupported("a property without accessors"))?;
                let value = self.call_accessor(get, args)?;
                value.ok_or_else(|| Stop::broken("a property without value"))
            }
        }
    }

    pub(super) fn write(&mut self, place: &Place, value: ValueId) -> Lowering<()> {
        self.check_whole(place)?;
        self.write_unchecked(place, value)
    }

    /// [`Self::write`] to what is known to be no part of a place, or to both its halves.
    pub(super) fn write_unchecked(&mut self, place: &Place, value: ValueId) -> Lowering<()> {
        let ty = self.place_type(place)?;
        let value = self.coerce(value, ty)?;
        match place {
            Place::Variable { variable, path } => {
                let old = self.env.get(*variable)?;
                let new = self.b.insert(old, path.iter().copied(), value);
                self.env.set_named(&mut self.b, *variable, new)
            }
            Place::Memory { handle, path } => {
                self.b.op(Op::Store { handle: *handle, path: path.clone(), value }, &[]);
                Ok(())
            }
            Place::Texel { texture, location } => {
                let args = [*texture].into_iter().chain(location.iter().copied()).chain([value]).collect();
                self.b.op(Op::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Store), args }, &[]);
                Ok(())
            }
            Place::Output { output, element, index, path } => {
                stage_outputs::write(&mut self.b, *output, *element, Some(*index), path, value)
            }
            Place::Texels { .. } | Place::Value(_) => Err(Stop::broken("an assignment to a value")),
            Place::Part { base, path } => {
                let old = self.read(base)?;
                let new = self.b.insert(old, path.iter().copied(), value);
                self.write(base, new)
            }
            Place::Swizzle { base, components } => {
                if let [_] = components.as_slice() {
                    // `.x` of a scalar.
                    return self.write(base, value);
                }
                if matches!(**base, Place::Memory { .. } | Place::Output { .. }) {
                    // Only the named components are written: others may be in use elsewhere.
                    for (index, &component) in components.iter().enumerate() {
                        let part = self.part((**base).clone(), PathStep::Const(component.into()))?;
                        let element = self.b.field(value, index as u32);
                        self.write(&part, element)?;
                    }
                    return Ok(());
                }
                let mut whole = self.read(base)?;
                for (index, &component) in components.iter().enumerate() {
                    let element = self.b.field(value, index as u32);
                    whole = self.b.insert(whole, [PathStep::Const(component.into())], element);
                }
                self.write(base, whole)
            }
            Place::Elements { base, elements } => {
                let mut whole = self.read(base)?;
                for (index, &(row, column)) in elements.iter().enumerate() {
                    let element = if elements.len() == 1 { value } else { self.b.field(value, index as u32) };
                    let path = [PathStep::Const(row.into()), PathStep::Const(column.into())];
                    whole = self.b.insert(whole, path, element);
                }
                self.write(base, whole)
            }
            Place::Bits { base, bits } => self.write_bits(base, *bits, value),
            // There it becomes a number.
            Place::Address { base, .. } => self.write(base, value),
            Place::OpaquePart { base, .. } => {
                let whole = self.read(base)?;
                let ty = self.b.ty(whole);
                let value = self.opaque_conversion(value, ty);
                let whole = self.b.binary(BinaryOp::Add, whole, value);
                self.write(base, whole)
            }
            Place::Pair { halves, .. } => self.write_halves(halves, value),
            Place::Property { set, args, .. } => {
                let set = set.ok_or_else(|| Stop::unsupported("an assignment to a property without `set`"))?;
                let mut args = args.clone();
                args.push(Passed::Value(value));
                self.call_accessor(set, &args)?;
                Ok(())
            }
        }
    }

    /// Whether the parts of a place are out of reach because its type has no representation.
    pub(super) fn is_opaque(&mut self, place: &Place) -> bool {
        self.place_type(place).is_ok_and(|ty| matches!(self.b.types.get(ty), Type::Opaque(_)))
    }

    /// The memory that a handle refers to.
    pub(super) fn memory(&self, handle: ValueId) -> Place {
        Place::Memory { handle, path: Path::new() }
    }

    pub(super) fn scalar_of(&self, ty: TypeId) -> Lowering<ir::Scalar> {
        match self.b.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Ok(scalar),
            Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) => {
                Err(Stop::broken("components of a type that has none"))
            }
            Type::Opaque(_) => Err(Stop::unsupported("a component of a generic vector")),
        }
    }

    pub(super) fn vector_or_scalar(&mut self, scalar: ir::Scalar, len: usize) -> TypeId {
        match len {
            1 => self.b.types.scalar(scalar),
            len => self.b.types.vector(scalar, len as u8),
        }
    }
}
