//! Operations without regions: each computes the slots of its result from the slots of its operands.

use std::ops::Range;

use ir::{AtomicOp, Builtin, Func, Op, OpData, PathStep, Scalar, Type, ValueId, number};
use smallvec::SmallVec;

use crate::{
    InterpError, Memory,
    format::format_text,
    machine::{Machine, Variables},
    math::{self, Operand, element},
    memory::{Handle, pointee},
    overflow::is_overflow,
    place::Place,
    plan::FramePlan,
    thread::Builtins,
    value::from_slots,
};

/// What an operation works on.
pub(crate) struct Exec<'a, 'm> {
    pub machine: &'a mut Machine<'m>,
    pub func: &'a Func,
    pub plan: &'a FramePlan,
    /// The frame of the running call.
    pub frame: &'a mut [u64],
    /// The result is made here before it goes to the frame: it may lie over an operand.
    pub scratch: &'a mut Vec<u64>,
    pub builtins: Builtins,
    pub statics: &'a mut Variables,
    pub shared: &'a mut Variables,
    pub memory: &'a mut Memory,
}

impl Exec<'_, '_> {
    pub(crate) fn type_of(&self, value: ValueId) -> Type {
        self.machine.layouts.types.get(self.func.ty(value))
    }

    fn range(&self, value: ValueId) -> Range<usize> {
        self.plan.range(value)
    }

    pub(crate) fn slots(&self, value: ValueId) -> &[u64] {
        &self.frame[self.range(value)]
    }

    /// The first slot of a value.
    pub(crate) fn slot(&self, value: ValueId) -> u64 {
        self.slots(value).first().copied().unwrap_or(0)
    }

    fn push(&mut self, value: ValueId) {
        let range = self.range(value);
        self.scratch.extend_from_slice(&self.frame[range]);
    }

    pub(crate) fn op(&mut self, data: &OpData) -> Result<(), InterpError> {
        let result = data.results.first().copied();
        let (result_type, result_range) = match result {
            Some(result) => (self.type_of(result), self.range(result)),
            None => (Type::Scalar(Scalar::Bool), 0..0),
        };
        if let Op::Insert { aggregate, path, value } = &data.op {
            return self.insert(*aggregate, path, *value, result_range);
        }
        self.machine.step(result_range.len())?;
        self.scratch.clear();
        match &data.op {
            Op::Store { handle, path, value } => {
                let place = self.place(*handle, path)?;
                self.store(place, *value);
            }
            Op::ByteStore { handle, offset, value } => {
                let place = self.byte_place(*handle, *offset);
                self.store(place, *value);
            }
            // Threads of a group run one after the other between barriers, so memory is in order anyway.
            Op::Barrier { .. } => {}
            Op::Print { format, args } => self.print(format, args)?,
            Op::Intrinsic { intrinsic, args } => {
                self.intrinsic(*intrinsic, args, &data.results)?;
                self.keep_results(&data.results);
                return Ok(());
            }
            op => {
                self.value(op, result_type, result_range.len())?;
                self.note_overflow(op, result_type);
            }
        }
        if result.is_some() {
            self.frame[result_range].copy_from_slice(self.scratch);
        }
        Ok(())
    }

    fn note_overflow(&mut self, op: &Op, ty: Type) {
        let is_finite = |&slot: &u64| f64::from_bits(slot).is_finite();
        if element(ty).is_float() && !self.scratch.iter().all(is_finite) {
            self.machine.has_overflowed |= is_overflow(op, |value| self.slots(value));
        }
    }

    /// Moves the scratch slots to the results that they are, in order.
    fn keep_results(&mut self, results: &[ValueId]) {
        let mut rest = self.scratch.as_slice();
        for &result in results {
            let range = self.plan.range(result);
            let (slots, after) = rest.split_at(range.len().min(rest.len()));
            rest = after;
            self.frame[range.start..range.start + slots.len()].copy_from_slice(slots);
        }
    }

    /// Computes the one result of an op into the scratch slots.
    fn value(&mut self, op: &Op, ty: Type, count: usize) -> Result<(), InterpError> {
        let precision = self.machine.precision;
        match op {
            Op::Const(constant) => self.scratch.push(number::from_constant(*constant, element(ty), precision)),
            Op::Zero | Op::Undef => self.scratch.resize(count, 0),
            Op::Unary(op, a) => {
                for index in self.range(*a) {
                    self.scratch.push(number::unary(*op, element(ty), self.frame[index]));
                }
            }
            Op::Binary(op, a, b) => {
                let scalar = element(self.type_of(*a));
                for (a, b) in self.range(*a).zip(self.range(*b)) {
                    self.scratch.push(number::binary(*op, scalar, precision, self.frame[a], self.frame[b]));
                }
            }
            Op::Math(function, args) => {
                let mut out = std::mem::take(self.scratch);
                let operand = |&arg: &ValueId| Operand { ty: self.type_of(arg), slots: self.slots(arg) };
                let operands: SmallVec<[Operand<'_>; 3]> = args.iter().map(operand).collect();
                math::eval(*function, precision, &operands, ty, &mut out);
                drop(operands);
                *self.scratch = out;
            }
            Op::Convert(a) => {
                let from = element(self.type_of(*a));
                for index in self.range(*a) {
                    self.scratch.push(number::convert(from, element(ty), precision, self.frame[index]));
                }
            }
            Op::Bitcast(a) => self.bitcast(*a, ty),
            Op::Select { cond, then, otherwise } => self.select(*cond, *then, *otherwise),
            Op::Detach(a) | Op::Forget(a) => self.push(*a),
            Op::Make(parts) => parts.iter().for_each(|&part| self.push(part)),
            Op::Splat(a) => {
                let size = self.range(*a).len();
                for _ in 0..count.checked_div(size).unwrap_or(0) {
                    self.push(*a);
                }
            }
            Op::Extract { aggregate, path } => match self.part(self.type_of(*aggregate), path) {
                Some((_, slots, _)) => {
                    let start = self.plan.offset(*aggregate) + slots;
                    self.scratch.extend_from_slice(&self.frame[start..start + count]);
                }
                None => self.scratch.resize(count, 0),
            },
            Op::Swizzle { vector, components } => {
                let start = self.plan.offset(*vector);
                for &component in components {
                    self.scratch.push(self.frame[start + usize::from(component)]);
                }
            }
            Op::Global(global) => {
                let handle = self.memory.global_handle(self.machine.module, *global);
                self.scratch.push(handle);
            }
            Op::Builtin(builtin) => self.builtin(*builtin, count),
            Op::Load { handle, path } => {
                let place = self.place(*handle, path)?;
                self.read_place(place, ty);
            }
            Op::ByteLoad { handle, offset } => {
                let place = self.byte_place(*handle, *offset);
                self.read_place(place, ty);
            }
            Op::Atomic { op, handle, path, operands } => {
                let place = self.place(*handle, path)?;
                self.atomic(*op, place, ty, operands);
            }
            Op::ByteAtomic { op, handle, offset, operands } => {
                let place = self.byte_place(*handle, *offset);
                self.atomic(*op, place, ty, operands);
            }
            Op::BufferLength { handle } => {
                let length = self.buffer_length(*handle);
                self.scratch.push(length);
            }
            Op::SumMake { variant, value } => {
                if let Type::Sum(id) = ty {
                    self.scratch.push(self.machine.layouts.sum_tag(id, Some(*variant)));
                }
                self.push(*value);
                self.scratch.resize(count, 0);
            }
            Op::SumTag(sum) => self.sum_tag(*sum),
            // Done by `op` and by the thread.
            Op::Insert { .. }
            | Op::Store { .. }
            | Op::ByteStore { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::Intrinsic { .. }
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::SumMatch { .. } => {}
        }
        Ok(())
    }

    fn sum_tag(&mut self, sum: ValueId) {
        let variant = match self.type_of(sum) {
            Type::Sum(id) => {
                let null = self.machine.layouts.types.sums[id].variants.len() as u32;
                self.machine.layouts.sum_variant(id, self.slot(sum)).unwrap_or(null)
            }
            _ => 0,
        };
        self.scratch.push(variant.into());
    }

    fn builtin(&mut self, builtin: Builtin, count: usize) {
        let vector = match builtin {
            Builtin::DispatchThreadId => self.builtins.dispatch_thread_id,
            Builtin::GroupThreadId => self.builtins.group_thread_id,
            Builtin::GroupId => self.builtins.group_id,
            Builtin::GroupIndex => [self.builtins.group_index; 3],
        };
        self.scratch.extend(vector.iter().take(count).map(|&value| u64::from(value)));
    }

    fn insert(
        &mut self,
        aggregate: ValueId,
        path: &[PathStep],
        value: ValueId,
        result: Range<usize>,
    ) -> Result<(), InterpError> {
        let (source, part) = (self.range(aggregate), self.range(value));
        let copied = if source == result { 0 } else { source.len() };
        self.machine.step(copied + part.len())?;
        if copied > 0 {
            self.frame.copy_within(source, result.start);
        }
        if let Some((_, slots, _)) = self.part(self.type_of(aggregate), path) {
            self.frame.copy_within(part, result.start + slots);
        }
        Ok(())
    }

    fn select(&mut self, cond: ValueId, then: ValueId, otherwise: ValueId) {
        let conditions = self.range(cond);
        if let Type::Scalar(_) = self.type_of(cond) {
            return self.push(if self.slot(cond) != 0 { then } else { otherwise });
        }
        let (then, otherwise) = (self.plan.offset(then), self.plan.offset(otherwise));
        for (component, condition) in conditions.enumerate() {
            let from = if self.frame[condition] != 0 { then } else { otherwise };
            self.scratch.push(self.frame[from + component]);
        }
    }

    /// Through memory bits; scalars of another width take apart or put together their neighbours, low bits first.
    fn bitcast(&mut self, a: ValueId, ty: Type) {
        // A pointer is a number already.
        if matches!(self.type_of(a), Type::Handle(_)) || matches!(ty, Type::Handle(_)) {
            let slots = self.slots(a).to_vec();
            self.scratch.extend(slots);
            return;
        }
        let (from, to) = (element(self.type_of(a)), element(ty));
        let (mut bits, mut available) = (0u128, 0);
        for index in self.range(a) {
            let mask = u64::MAX >> (64 - from.bits());
            bits |= u128::from(number::to_memory(from, self.frame[index]) & mask) << available;
            available += from.bits();
            while available >= to.bits() {
                self.scratch.push(number::from_memory(to, bits as u64));
                bits >>= to.bits();
                available -= to.bits();
            }
        }
    }

    fn store(&mut self, place: Place, value: ValueId) {
        let slots = self.slots(value).to_vec();
        self.write_place(place, self.type_of(value), &slots);
    }

    /// Leaves the old value as the result; operands are component-wise.
    fn atomic(&mut self, op: AtomicOp, place: Place, ty: Type, operands: &[ValueId]) {
        self.read_place(place, ty);
        let precision = self.machine.precision;
        let new: Vec<u64> = (0..self.scratch.len())
            .map(|component| {
                let operands: SmallVec<[u64; 2]> =
                    operands.iter().map(|&operand| self.slots(operand)[component]).collect();
                number::atomic(op, element(ty), precision, self.scratch[component], &operands)
            })
            .collect();
        self.write_place(place, ty, &new);
    }

    fn buffer_length(&self, handle: ValueId) -> u64 {
        let bytes = match Handle::from_slot(self.slot(handle)) {
            Handle::Buffer { buffer, .. } => self.memory.bytes(buffer).len() as u64,
            Handle::Null | Handle::Constant(_) | Handle::Variable { .. } | Handle::Texture(_) => 0,
        };
        let Type::Handle(handle_type) = self.type_of(handle) else { return 0 };
        let stride =
            pointee(handle_type, self.machine.layouts.types).map_or(1, |ty| self.machine.layouts.size(ty).stride());
        u64::from(bytes.checked_div(stride).unwrap_or(0) as u32)
    }

    fn print(&mut self, format: &str, args: &[ValueId]) -> Result<(), InterpError> {
        let values: Vec<_> = args
            .iter()
            .map(|&arg| from_slots(&self.machine.layouts, self.type_of(arg), &mut self.slots(arg)))
            .collect();
        let text = format_text(format, &values);
        self.machine.reserve(text.len() / 8 + 1)?;
        self.memory.printed.push(text);
        Ok(())
    }
}
