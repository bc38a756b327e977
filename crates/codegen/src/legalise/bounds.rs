//! Indices that may be out of bounds are tested: reads give zero, writes are dropped, as the IR says and whatever the
//! target's own rule is. What [`ir::ranges`] can prove to be in bounds is left alone, and so are reads where the
//! target's text says at each of them whether it is tested (`tree::Step::Tested`).

use ir::{
    BinaryOp, Constant, Func, FuncId, GlobalId, HandleType, MathFn, Module, Op, OpData, OpId, PathStep, Region,
    RegionId, Scalar, SpanId, Terminator, Type, TypeId, Value, ValueDef, ValueId, op::Path, ranges::Ranges,
};
use smallvec::SmallVec;

pub(crate) fn test_indices(module: &mut Module, functions: &[FuncId], tested_reads: bool) {
    for &id in functions {
        let Some(body) = module.funcs[id].body else { continue };
        let ranges = Ranges::new(&module.types, &module.funcs, &module.funcs[id]);
        let func =
            std::mem::replace(&mut module.funcs[id], Func::declaration("", Vec::new(), Vec::new(), SpanId::NONE));
        let mut pass =
            Pass { module, func, ranges, tested_reads, ops: Vec::new(), lengths: Vec::new(), span: SpanId::NONE };
        pass.region(body);
        pass.add_lengths(body);
        let func = pass.func;
        module.funcs[id] = func;
    }
}

struct Pass<'a> {
    module: &'a mut Module,
    func: Func,
    ranges: Ranges,
    tested_reads: bool,
    /// The ops of the region that is being rewritten.
    ops: Vec<OpId>,
    /// The lengths of global buffers, which the function asks for once, at its start.
    lengths: Vec<(GlobalId, ValueId)>,
    span: SpanId,
}

/// What an index must be below.
enum Length {
    Fixed(u32),
    /// Elements of a buffer, whose handle this is.
    Buffer(ValueId),
}

/// Whether the indices of a path are in bounds, and for code that runs in any case a path whose indices are.
struct Tested {
    path: Path,
    ok: ValueId,
}

/// Whether the code that uses the path runs in any case, or only where the indices are in bounds.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    Always,
    InBounds,
}

impl Pass<'_> {
    fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.ops);
        for op in std::mem::take(&mut self.func.regions[region].ops) {
            for nested in self.func.ops[op].op.regions() {
                self.region(nested);
            }
            self.span = self.func.ops[op].span;
            self.op(op);
        }
        self.func.regions[region].ops = std::mem::replace(&mut self.ops, outer);
    }

    fn op(&mut self, op: OpId) {
        match self.func.ops[op].op.clone() {
            Op::Extract { .. } | Op::Load { .. } | Op::ByteLoad { .. } if self.tested_reads => self.ops.push(op),
            Op::Extract { aggregate, path } => {
                let Some(tested) = self.test(aggregate, &path, Runs::Always) else { return self.ops.push(op) };
                self.replace_read(op, tested, |path| Op::Extract { aggregate, path });
            }
            Op::Load { handle, path } => {
                let Some(tested) = self.test(handle, &path, Runs::Always) else { return self.ops.push(op) };
                self.replace_read(op, tested, |path| Op::Load { handle, path });
            }
            Op::ByteLoad { handle, offset } => {
                let size = self.size_of(self.func.ty(self.func.ops[op].results[0]));
                let Some((ok, offset)) = self.test_bytes(handle, offset, size) else { return self.ops.push(op) };
                self.replace_read(op, Tested { path: Path::new(), ok }, |_| Op::ByteLoad { handle, offset });
            }
            Op::Insert { aggregate, path, value } => {
                let Some(Tested { path, ok }) = self.test(aggregate, &path, Runs::InBounds) else {
                    return self.ops.push(op);
                };
                self.func.ops[op].op = Op::Insert { aggregate, path, value };
                self.only_if(ok, op, Some(aggregate));
            }
            Op::Store { handle, path, value } => {
                let Some(Tested { path, ok }) = self.test(handle, &path, Runs::InBounds) else {
                    return self.ops.push(op);
                };
                self.func.ops[op].op = Op::Store { handle, path, value };
                self.only_if(ok, op, None);
            }
            Op::ByteStore { handle, offset, value } => {
                let size = self.size_of(self.func.ty(value));
                let Some((ok, offset)) = self.test_bytes(handle, offset, size) else { return self.ops.push(op) };
                self.func.ops[op].op = Op::ByteStore { handle, offset, value };
                self.only_if(ok, op, None);
            }
            Op::Atomic { op: atomic, handle, path, operands } => {
                let Some(Tested { path, ok }) = self.test(handle, &path, Runs::InBounds) else {
                    return self.ops.push(op);
                };
                self.func.ops[op].op = Op::Atomic { op: atomic, handle, path, operands };
                self.only_if(ok, op, None);
            }
            Op::ByteAtomic { op: atomic, handle, offset, operands } => {
                let Some((ok, offset)) = self.test_bytes(handle, offset, 4) else { return self.ops.push(op) };
                self.func.ops[op].op = Op::ByteAtomic { op: atomic, handle, offset, operands };
                self.only_if(ok, op, None);
            }
            Op::Const(..)
            | Op::Zero
            | Op::Undef
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Math(..)
            | Op::Convert(..)
            | Op::Bitcast(..)
            | Op::Select { .. }
            | Op::Detach(..)
            | Op::Forget(..)
            | Op::Make(..)
            | Op::Splat(..)
            | Op::Swizzle { .. }
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::Global(..)
            | Op::Builtin(..)
            | Op::BufferLength { .. }
            | Op::Intrinsic { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumMake { .. }
            | Op::SumMatch { .. }
            | Op::SumTag(..) => self.ops.push(op),
        }
    }

    /// `None` if all indices are in bounds anyway.
    fn test(&mut self, base: ValueId, path: &Path, runs: Runs) -> Option<Tested> {
        let mut ty = self.func.ty(base);
        // Which resource of an array it is, is the host's and the program's business in all languages.
        if self.module.types.resource_array(ty).is_some() {
            return None;
        }
        let mut tested = Path::new();
        let mut ok: Option<ValueId> = None;
        let mut through_buffer = false;
        if let Type::Handle(handle) = self.module.types.get(ty) {
            match handle {
                HandleType::StructuredBuffer { .. } | HandleType::TexelBuffer { .. } => through_buffer = true,
                HandleType::ConstantBuffer { content } | HandleType::Variable { content } => ty = content,
                _ => return None,
            }
        }
        for &step in path {
            let length = match self.module.types.get(ty) {
                _ if through_buffer => Some(Length::Buffer(base)),
                Type::Array { len, .. } => Some(Length::Fixed(len)),
                Type::Vector { len, .. } => Some(Length::Fixed(len.into())),
                Type::Matrix { rows, .. } => Some(Length::Fixed(rows.into())),
                _ => None,
            };
            let step_ok = length.and_then(|length| self.test_step(step, length, runs));
            match step_ok {
                Some((safe, this)) => {
                    tested.push(safe);
                    ok = Some(match ok {
                        Some(before) => self.binary(BinaryOp::And, before, this),
                        None => this,
                    });
                }
                None => tested.push(step),
            }
            ty = self.module.types.path_type(ty, &[step]).unwrap_or(ty);
            through_buffer = false;
        }
        ok.map(|ok| Tested { path: tested, ok })
    }

    fn test_step(&mut self, step: PathStep, length: Length, runs: Runs) -> Option<(PathStep, ValueId)> {
        let u32 = self.module.types.scalar(Scalar::U32);
        let index = match (step, &length) {
            // Constant indices are checked when the IR is made, but for buffers; a buffer has at least one element.
            (PathStep::Const(0), _) | (PathStep::Const(_), Length::Fixed(_)) => return None,
            (PathStep::Const(index), Length::Buffer(_)) => self.constant(index.into(), u32),
            (PathStep::Dynamic(index), Length::Fixed(len)) => {
                if self.ranges.is_within(index, *len) {
                    return None;
                }
                index
            }
            (PathStep::Dynamic(index), Length::Buffer(_)) => index,
        };
        let original = index;
        let index = if self.func.ty(index) == u32 { index } else { self.add(Op::Convert(index), u32) };
        let length = match length {
            Length::Fixed(len) => self.constant(len.into(), u32),
            Length::Buffer(handle) => self.length(handle, u32),
        };
        let ok = self.binary(BinaryOp::Less, index, length);
        // Targets refuse constants that are out of bounds even where they are never used.
        let is_constant = matches!(self.func.defining_op(original).map(|data| &data.op), Some(Op::Const(_) | Op::Zero));
        if runs == Runs::InBounds && !is_constant {
            return Some((step, ok));
        }
        let one = self.constant(1, u32);
        let last = match self.func.defining_op(length).map(|data| &data.op) {
            Some(&Op::Const(Constant::Int(len))) => self.constant((len - 1).max(0), u32),
            _ => self.binary(BinaryOp::Sub, length, one),
        };
        let safe = self.add(Op::Math(MathFn::Min, SmallVec::from_slice(&[index, last])), u32);
        Some((PathStep::Dynamic(safe), ok))
    }

    fn test_bytes(&mut self, handle: ValueId, offset: ValueId, size: u32) -> Option<(ValueId, ValueId)> {
        let u32 = self.module.types.scalar(Scalar::U32);
        let length = self.length(handle, u32);
        let size = self.constant(size.into(), u32);
        let zero = self.constant(0, u32);
        // `offset <= length - size`, without wrapping around.
        let large = self.binary(BinaryOp::GreaterEqual, length, size);
        let last = self.binary(BinaryOp::Sub, length, size);
        let fits = self.binary(BinaryOp::LessEqual, offset, last);
        let ok = self.binary(BinaryOp::And, large, fits);
        let safe = self.add(Op::Select { cond: ok, then: offset, otherwise: zero }, u32);
        Some((ok, safe))
    }

    fn length(&mut self, handle: ValueId, u32: TypeId) -> ValueId {
        let Some(Op::Global(global)) = self.func.defining_op(handle).map(|data| data.op.clone()) else {
            return self.add(Op::BufferLength { handle }, u32);
        };
        if let Some(&(_, length)) = self.lengths.iter().find(|(other, _)| *other == global) {
            return length;
        }
        // Its op is put at the start of the function when all are known.
        let op = self.func.ops.alloc(OpData::new(Op::BufferLength { handle }, SpanId::NONE));
        let name = Some(format!("{}_length", self.module.globals[global].name).into());
        let def = ValueDef::Result { op, index: 0 };
        let length = self.func.values.alloc(Value { ty: u32, def, name });
        self.func.ops[op].results.push(length);
        self.lengths.push((global, length));
        length
    }

    fn add_lengths(&mut self, body: RegionId) {
        for (global, length) in std::mem::take(&mut self.lengths) {
            let ty = self.module.globals[global].ty;
            let handle = self.add(Op::Global(global), ty);
            let ValueDef::Result { op, .. } = self.func.values[length].def else { continue };
            self.func.ops[op].op = Op::BufferLength { handle };
            self.ops.push(op);
        }
        let start = std::mem::take(&mut self.ops);
        self.func.regions[body].ops.splice(0..0, start);
    }

    fn size_of(&self, ty: TypeId) -> u32 {
        ir::layout::layout(&self.module.types, ty).map_or(4, |layout| layout.size)
    }

    /// The result of `op` becomes what `read` gives, or zero.
    fn replace_read(&mut self, op: OpId, tested: Tested, read: impl FnOnce(Path) -> Op) {
        let ty = self.func.ty(self.func.ops[op].results[0]);
        let then = self.add(read(tested.path), ty);
        let otherwise = self.add(Op::Zero, ty);
        self.func.ops[op].op = Op::Select { cond: tested.ok, then, otherwise };
        self.ops.push(op);
    }

    /// Puts `op` into an `if`, which gets its results: where it does not run `unchanged`, or zeros.
    fn only_if(&mut self, cond: ValueId, op: OpId, unchanged: Option<ValueId>) {
        let outer = std::mem::take(&mut self.ops);
        let outside = std::mem::take(&mut self.func.ops[op].results);
        let mut inside: SmallVec<[ValueId; 4]> = SmallVec::new();
        for (index, &result) in outside.iter().enumerate() {
            let (ty, def) = (self.func.ty(result), ValueDef::Result { op, index: index as u32 });
            let value = self.func.values.alloc(Value { ty, def, name: None });
            self.func.ops[op].results.push(value);
            inside.push(value);
        }
        let then = self.close(vec![op], inside);
        let zeros: SmallVec<[ValueId; 4]> = outside
            .iter()
            .map(|&result| self.func.ty(result))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|ty| unchanged.unwrap_or_else(|| self.add(Op::Zero, ty)))
            .collect();
        let ops = std::mem::replace(&mut self.ops, outer);
        let otherwise = self.close(ops, zeros);
        let data = OpData { results: outside.clone(), ..OpData::new(Op::If { cond, then, otherwise }, self.span) };
        let test = self.func.ops.alloc(data);
        for (index, &result) in outside.iter().enumerate() {
            self.func.values[result].def = ValueDef::Result { op: test, index: index as u32 };
        }
        self.ops.push(test);
    }

    fn close(&mut self, ops: Vec<OpId>, values: SmallVec<[ValueId; 4]>) -> RegionId {
        self.func.regions.alloc(Region { params: Vec::new(), ops, terminator: Terminator::Yield(values) })
    }

    fn constant(&mut self, value: i64, ty: TypeId) -> ValueId {
        self.add(Op::Const(Constant::Int(value)), ty)
    }

    fn binary(&mut self, op: BinaryOp, left: ValueId, right: ValueId) -> ValueId {
        let ty = if op.is_comparison() { self.module.types.bool() } else { self.func.ty(left) };
        self.add(Op::Binary(op, left, right), ty)
    }

    fn add(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let value = self.func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        self.func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }
}
