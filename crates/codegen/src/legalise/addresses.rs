//! Pointers that the host gives, for targets that know memory by its address: they become numbers of 64 bits, and each access
//! says what is at the number ([`HandleType::Address`]).
//!
//! ```text
//! %v: f32 = load %p[%i][2]      =>      %a: address<S> = bitcast %p
//!                                       %v: f32 = load %a[%i][2]
//! ```
//!
//! A pointer type is the host's if a parameter holds one, or a number is made into one; then all pointers of that type are. What
//! lies behind them has the natural layout, as slangc has it. The address of a variable has no number: to mix it with pointers
//! of the host's is refused.

use ir::{
    BinaryOp, Constant, Func, FuncId, GlobalId, GlobalKind, HandleType, Intrinsic, Module, Op, OpId, Scalar, Type,
    TypeId, ValueId,
    layout::{field_offset, layout, stride_in},
    provision::{DataLayout, ParameterRole},
    types::TypeTable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::for_each_op;
use super::handles::ADDRESS_OF;
use super::retype::retype;
use super::rewrite::{Rewriter, rewrite};
use crate::EmitError;

pub(crate) fn to_numbers(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let given = given(module, functions);
    if given.is_empty() {
        return Ok(());
    }
    let mut pass = Pass { given: &given, parameters: FxHashMap::default() };
    let mut errors = Vec::new();
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            if let Err(message) = pass.op(w, op) {
                errors.push(EmitError::new(w.span, message));
                w.keep(op);
            }
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for (global, content) in pass.parameters {
        let data = &mut module.globals[global];
        data.ty = content;
        data.provision.role = match data.provision.role {
            ParameterRole::EntryOwn(entry) => ParameterRole::Entry(entry),
            ParameterRole::Own => ParameterRole::Uniform,
            role => role,
        };
    }
    let number = module.types.scalar(Scalar::U64);
    retype(module, functions, &|_, ty| match ty {
        Type::Handle(handle) if given.contains(&handle) => Some(number),
        _ => None,
    });
    Ok(())
}

/// The types of the pointers that the host gives.
fn given(module: &Module, functions: &[FuncId]) -> FxHashSet<HandleType> {
    let mut given = Given { types: &module.types, found: FxHashSet::default() };
    for (_, global) in module.globals.iter().filter(|(_, global)| global.kind == GlobalKind::Parameter) {
        given.add_in(global.ty);
    }
    loop {
        let before = given.found.len();
        for &id in functions {
            let func = &module.funcs[id];
            for_each_op(func, |op| given.follow(func, op));
        }
        if given.found.len() == before {
            return given.found;
        }
    }
}

struct Given<'a> {
    types: &'a TypeTable,
    found: FxHashSet<HandleType>,
}

impl Given<'_> {
    /// The pointers in a type, and those in what they point to.
    fn add_in(&mut self, ty: TypeId) {
        match self.types.get(ty) {
            Type::Handle(handle @ HandleType::Pointer { pointee }) => {
                if self.found.insert(handle) {
                    self.add_in(pointee);
                }
            }
            Type::Handle(handle) => {
                if let Some(content) = handle.content() {
                    self.add_in(content);
                }
            }
            Type::Array { element, .. } => self.add_in(element),
            Type::Struct(id) => self.types.structs[id].fields.iter().for_each(|field| self.add_in(field.ty)),
            Type::Sum(id) => self.types.sums[id].variants.iter().for_each(|variant| self.add_in(variant.ty)),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Opaque(_) => {}
        }
    }

    /// A pointer that is made of one of the host's, or of a number, is one of the host's.
    fn follow(&mut self, func: &Func, op: OpId) {
        let data = &func.ops[op];
        let &[result] = &data.results[..] else { return };
        if !is_pointer(self.types, func.ty(result)) {
            return;
        }
        match &data.op {
            Op::Bitcast(number) => match func.defining_op(*number).map(|data| &data.op) {
                Some(Op::Const(Constant::Int(0)) | Op::Zero) => {}
                Some(Op::Bitcast(pointer)) if is_pointer(self.types, func.ty(*pointer)) => {
                    let (from, to) = (func.ty(*pointer), func.ty(result));
                    if self.has(from) || self.has(to) {
                        self.add_in(from);
                        self.add_in(to);
                    }
                }
                _ => self.add_in(func.ty(result)),
            },
            Op::Intrinsic { intrinsic: ADDRESS_OF, args }
                if args.first().is_some_and(|base| self.has(func.ty(*base))) =>
            {
                self.add_in(func.ty(result));
            }
            _ => {}
        }
    }

    fn has(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Handle(handle) if self.found.contains(&handle))
    }
}

fn is_pointer(types: &TypeTable, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Handle(HandleType::Pointer { .. }))
}

struct Pass<'a> {
    given: &'a FxHashSet<HandleType>,
    /// Parameters that are pointers, with the type of the data that they become.
    parameters: FxHashMap<GlobalId, TypeId>,
}

impl Pass<'_> {
    /// What a value of the host's pointers points to.
    fn pointee(&self, w: &Rewriter<'_>, value: ValueId) -> Option<TypeId> {
        match w.type_of(value) {
            Type::Handle(handle @ HandleType::Pointer { pointee }) if self.given.contains(&handle) => Some(pointee),
            _ => None,
        }
    }

    /// What is at an address, if the value is one.
    fn at(&self, w: &mut Rewriter<'_>, value: ValueId) -> Option<ValueId> {
        let pointee = self.pointee(w, value)?;
        let ty = w.module.types.intern(Type::Handle(HandleType::Address { pointee }));
        Some(w.add(Op::Bitcast(value), ty))
    }

    fn op(&mut self, w: &mut Rewriter<'_>, op: OpId) -> Result<(), String> {
        let is_given = |w: &Rewriter<'_>, value: ValueId| self.pointee(w, value).is_some();
        let result = w.func.ops[op].results.first().copied();
        match w.func.ops[op].op.clone() {
            Op::Global(global) if result.is_some_and(|result| is_given(w, result)) => {
                let pointer = w.module.globals[global].ty;
                let block = w.module.types.intern(Type::Handle(HandleType::ConstantBuffer { content: pointer }));
                let data = self.parameters.entry(global).or_insert(block);
                let handle = w.add(Op::Global(global), *data);
                w.replace(op, Op::Load { handle, path: ir::op::Path::new() });
            }
            Op::Load { handle, path } => match self.at(w, handle) {
                Some(handle) => w.replace(op, Op::Load { handle, path }),
                None => w.keep(op),
            },
            Op::Store { handle, path, value } => match self.at(w, handle) {
                Some(handle) => w.replace(op, Op::Store { handle, path, value }),
                None => w.keep(op),
            },
            Op::Atomic { op: atomic, handle, path, operands } => match self.at(w, handle) {
                Some(handle) => w.replace(op, Op::Atomic { op: atomic, handle, path, operands }),
                None => w.keep(op),
            },
            Op::Intrinsic { intrinsic: ADDRESS_OF, args } => match args.split_first() {
                Some((&base, steps)) if is_given(w, base) => {
                    let moved = self.moved(w, base, steps)?;
                    w.replace(op, moved);
                }
                _ if result.is_some_and(|result| is_given(w, result)) => {
                    return Err(
                        "the address of a variable among addresses that the host gives is not supported for this \
                                target"
                            .into(),
                    );
                }
                _ => w.keep(op),
            },
            Op::Intrinsic { intrinsic, args } if args.iter().any(|&arg| is_given(w, arg)) => {
                let Intrinsic::Hint(_) = intrinsic else {
                    return Err(format!(
                        "`{}` of an address that the host gives is not supported for this target",
                        intrinsic.source_name()
                    ));
                };
                w.keep(op);
            }
            // The null pointer, of whatever type.
            Op::Bitcast(value) if matches!(w.func.defining_op(value).map(|data| &data.op), Some(Op::Zero)) => {
                w.replace(op, Op::Zero);
            }
            // Numbers already, once they have their new types.
            Op::Bitcast(value) => {
                let unsigned = w.module.types.scalar(Scalar::U64);
                let is_number = |w: &Rewriter<'_>, value: ValueId| is_given(w, value) || w.ty(value) == unsigned;
                match result.is_some_and(|result| is_number(w, value) && is_number(w, result)) {
                    true => w.replace(op, Op::Detach(value)),
                    false => w.keep(op),
                }
            }
            _ => w.keep(op),
        }
        Ok(())
    }

    /// The address of a part: the first step is an element beside, the others lead into it.
    fn moved(&self, w: &mut Rewriter<'_>, base: ValueId, steps: &[ValueId]) -> Result<Op, String> {
        const NO_PLACE: &str = "the place of a part in memory is not known";
        let mut ty = self.pointee(w, base).ok_or(NO_PLACE)?;
        let (mut bytes, mut sum): (i64, Option<ValueId>) = (0, None);
        for (number, &step) in steps.iter().enumerate() {
            let constant = match w.func.defining_op(step).map(|data| &data.op) {
                Some(Op::Const(Constant::Int(value))) => Some(*value),
                Some(Op::Zero) => Some(0),
                _ => None,
            };
            let types = &w.module.types;
            let (stride, next) = match types.get(ty) {
                _ if number == 0 => (layout(types, ty).map(|layout| layout.stride()), Some(ty)),
                Type::Struct(id) => {
                    let index = constant.and_then(|index| u32::try_from(index).ok()).ok_or(NO_PLACE)?;
                    bytes += i64::from(field_offset(types, id, index).ok_or(NO_PLACE)?);
                    ty = types.structs[id].fields.get(index as usize).ok_or(NO_PLACE)?.ty;
                    continue;
                }
                _ => (stride_in(types, ty, DataLayout::Scalar), types.path_type(ty, &[ir::PathStep::Dynamic(step)])),
            };
            let stride = i64::from(stride.ok_or(NO_PLACE)?);
            ty = next.ok_or(NO_PLACE)?;
            match constant {
                Some(index) => bytes += index * stride,
                None => {
                    let index = to_u64(w, step);
                    let stride = u64(w, stride);
                    let offset = w.binary(BinaryOp::Mul, index, stride);
                    sum = Some(sum.map_or(offset, |sum| w.binary(BinaryOp::Add, sum, offset)));
                }
            }
        }
        let offset = match (sum, bytes) {
            (None, 0) => return Ok(Op::Detach(base)),
            (Some(sum), 0) => sum,
            (None, bytes) => u64(w, bytes),
            (Some(sum), bytes) => {
                let bytes = u64(w, bytes);
                w.binary(BinaryOp::Add, sum, bytes)
            }
        };
        Ok(Op::Binary(BinaryOp::Add, base, offset))
    }
}

/// Negative numbers go backwards, because sums wrap.
fn u64(w: &mut Rewriter<'_>, value: i64) -> ValueId {
    let ty = w.module.types.scalar(Scalar::U64);
    w.add(Op::Const(Constant::Int(value)), ty)
}

fn to_u64(w: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let (signed, unsigned) = (w.module.types.scalar(Scalar::I64), w.module.types.scalar(Scalar::U64));
    match w.type_of(value) {
        Type::Scalar(Scalar::U64) => value,
        Type::Scalar(scalar) if scalar.is_signed() => {
            let wide = if scalar == Scalar::I64 { value } else { w.add(Op::Convert(value), signed) };
            w.add(Op::Bitcast(wide), unsigned)
        }
        _ => w.add(Op::Convert(value), unsigned),
    }
}
