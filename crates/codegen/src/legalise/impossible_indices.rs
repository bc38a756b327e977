//! Keeps indices in bounds that a compiler may take for constants where nothing is ever read: in the arm of `if (i == n)`,
//! DXC writes `n` for `i`, and refuses `a[i]` there with an `n` that is no index of `a`, though `i` never is `n` then.
//!
//! ```text
//! %r: f32 = extract %a[%i]    →    %u: u32 = convert %i
//!                                  %s: u32 = min %u, %last
//!                                  %r: f32 = extract %a[%s]
//! ```
//!
//! Only of indices that go together with what is compared: by `==`, by a `switch`, or in a function that is called with it.

use ir::{
    BinaryOp, Callee, Constant, Func, FuncId, HandleType, MathFn, Module, Op, OpData, OpId, PathStep, RegionId, Scalar,
    Type, TypeId, Value, ValueDef, ValueId, loops::all_regions, op::Path,
};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Which inputs of functions are compared.
type ComparedInputs = FxHashMap<FuncId, Vec<bool>>;

/// In `functions` callees come before their callers.
pub(crate) fn keep_in_bounds(module: &mut Module, functions: &[FuncId]) {
    let mut inputs = ComparedInputs::default();
    for &id in functions {
        let func = &module.funcs[id];
        let Some(body) = func.body else { continue };
        let mut compared = Compared::new(module, func, body, &inputs);
        let params = &func.regions[body].params;
        inputs.insert(id, params.iter().map(|&param| compared.has(param)).collect());
        if compared.classes.is_empty() {
            continue;
        }
        let mut pass = Pass { module, id, compared, ops: Vec::new(), known: Vec::new() };
        pass.region(body);
    }
}

/// The integers that are computed from each other, as classes, and which classes have one that is compared.
struct Compared {
    parents: ArenaMap<ValueId, ValueId>,
    classes: FxHashSet<ValueId>,
}

impl Compared {
    fn new(module: &Module, func: &Func, body: RegionId, inputs: &ComparedInputs) -> Compared {
        let mut this = Compared { parents: ArenaMap::default(), classes: FxHashSet::default() };
        let mut compared: Vec<ValueId> = Vec::new();
        let regions = all_regions(func, body);
        for id in regions.into_iter().flat_map(|region| &func.regions[region].ops) {
            let data = &func.ops[*id];
            for (a, b) in goes_into(func, data) {
                if is_number(module, func, a) && is_number(module, func, b) {
                    this.join(a, b);
                }
            }
            match &data.op {
                Op::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b) => compared.extend([*a, *b]),
                Op::Switch { selector, .. } => compared.push(*selector),
                Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), args, .. } => {
                    let is_compared =
                        |index: usize| inputs.get(callee).and_then(|inputs| inputs.get(index)) != Some(&false);
                    compared.extend((0..args.len()).filter(|&index| is_compared(index)).map(|index| args[index]));
                }
                // To `bool`: whether it is 0.
                Op::Convert(a) if data.results.iter().any(|&result| is_bool(module, func, result)) => compared.push(*a),
                _ => {}
            }
        }
        for value in compared {
            if is_number(module, func, value) {
                let class = this.class(value);
                this.classes.insert(class);
            }
        }
        this
    }

    fn class(&mut self, mut value: ValueId) -> ValueId {
        while let Some(&parent) = self.parents.get(value) {
            if let Some(&next) = self.parents.get(parent) {
                self.parents.insert(value, next);
            }
            value = parent;
        }
        value
    }

    fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.parents.insert(a, b);
        }
    }

    fn has(&mut self, value: ValueId) -> bool {
        let class = self.class(value);
        self.classes.contains(&class)
    }
}

/// An integer that is no constant: those belong to everything.
fn is_number(module: &Module, func: &Func, value: ValueId) -> bool {
    let is_constant = matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Const(_) | Op::Zero));
    let is_integer = matches!(module.types.get(func.ty(value)), Type::Scalar(scalar) if scalar.is_integer() && scalar != Scalar::Bool);
    is_integer && !is_constant
}

fn is_bool(module: &Module, func: &Func, value: ValueId) -> bool {
    module.types.get(func.ty(value)) == Type::Scalar(Scalar::Bool)
}

/// What an operation computes from what, as pairs.
fn goes_into(func: &Func, data: &OpData) -> Vec<(ValueId, ValueId)> {
    let zip = |from: &[ValueId], to: &[ValueId]| from.iter().copied().zip(to.iter().copied()).collect::<Vec<_>>();
    let yields = |region: &RegionId| func.regions[*region].terminator.values().to_vec();
    let params = |region: &RegionId| &func.regions[*region].params[..];
    match &data.op {
        Op::Loop { init, cond, body, .. } => {
            let next = yields(body);
            [
                zip(init, params(cond)),
                zip(init, params(body)),
                zip(&next, params(body)),
                zip(&next, params(cond)),
                zip(params(cond), &data.results),
            ]
            .concat()
        }
        op @ (Op::If { .. } | Op::Switch { .. } | Op::SumMatch { .. }) => {
            op.regions().iter().flat_map(|region| zip(&yields(region), &data.results)).collect()
        }
        Op::Unary(..)
        | Op::Binary(..)
        | Op::Math(..)
        | Op::Convert(_)
        | Op::Select { .. }
        | Op::Detach(_)
        | Op::Forget(_) => {
            let operands = data.op.operands();
            data.results.iter().flat_map(|&result| operands.iter().map(move |&operand| (operand, result))).collect()
        }
        Op::Const(..)
        | Op::Zero
        | Op::Undef
        | Op::Bitcast(..)
        | Op::Make(..)
        | Op::Splat(..)
        | Op::Extract { .. }
        | Op::Insert { .. }
        | Op::Swizzle { .. }
        | Op::Call { .. }
        | Op::Global(..)
        | Op::Builtin(..)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::ByteLoad { .. }
        | Op::ByteStore { .. }
        | Op::ByteAtomic { .. }
        | Op::BufferLength { .. }
        | Op::Intrinsic { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumTag(..) => Vec::new(),
    }
}

struct Pass<'a> {
    module: &'a mut Module,
    id: FuncId,
    compared: Compared,
    /// The ops of the region that is being rewritten.
    ops: Vec<OpId>,
    /// Indices below a length that are in bounds here, and by what.
    known: Vec<(ValueId, u32, ValueId)>,
}

impl Pass<'_> {
    fn func(&mut self) -> &mut Func {
        &mut self.module.funcs[self.id]
    }

    fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.ops);
        let known = self.known.len();
        for op in std::mem::take(&mut self.func().regions[region].ops) {
            for nested in self.func().ops[op].op.regions() {
                self.region(nested);
            }
            self.op(op);
            self.ops.push(op);
        }
        self.known.truncate(known);
        self.func().regions[region].ops = std::mem::replace(&mut self.ops, outer);
    }

    fn op(&mut self, op: OpId) {
        let (base, path) = match &self.func().ops[op].op {
            Op::Extract { aggregate: base, path }
            | Op::Insert { aggregate: base, path, .. }
            | Op::Load { handle: base, path }
            | Op::Store { handle: base, path, .. }
            | Op::Atomic { handle: base, path, .. } => (*base, path.clone()),
            _ => return,
        };
        let Some(safe) = self.path(op, base, &path) else { return };
        match &mut self.func().ops[op].op {
            Op::Extract { path, .. }
            | Op::Insert { path, .. }
            | Op::Load { path, .. }
            | Op::Store { path, .. }
            | Op::Atomic { path, .. } => *path = safe,
            _ => {}
        }
    }

    /// `None` where no index may be taken for a constant.
    fn path(&mut self, op: OpId, base: ValueId, path: &Path) -> Option<Path> {
        let mut ty = self.func().ty(base);
        match self.module.types.get(ty) {
            Type::Handle(HandleType::Variable { content }) => ty = content,
            // The lengths of buffers are the host's.
            Type::Handle(_) => return None,
            _ => {}
        }
        let mut safe = path.clone();
        for (index, &step) in path.iter().enumerate() {
            let len = match self.module.types.get(ty) {
                Type::Array { len, .. } => Some(len),
                Type::Vector { len, .. } => Some(len.into()),
                Type::Matrix { rows, .. } => Some(rows.into()),
                _ => None,
            };
            if let (PathStep::Dynamic(value), Some(len)) = (step, len.filter(|len| *len > 0)) {
                safe[index] = PathStep::Dynamic(self.below(op, value, len));
            }
            ty = self.module.types.path_type(ty, &[step])?;
        }
        (safe != *path).then_some(safe)
    }

    /// `index`, or where it goes together with what is compared the smaller one of it and the last index.
    fn below(&mut self, op: OpId, index: ValueId, len: u32) -> ValueId {
        if !is_number(self.module, &self.module.funcs[self.id], index) || !self.compared.has(index) {
            return index;
        }
        if let Some(known) = self.known.iter().find(|known| (known.0, known.1) == (index, len)) {
            return known.2;
        }
        let u32 = self.module.types.scalar(Scalar::U32);
        let number = if self.func().ty(index) == u32 { index } else { self.add(op, Op::Convert(index), u32) };
        let last = self.add(op, Op::Const(Constant::Int(i64::from(len) - 1)), u32);
        let safe = self.add(op, Op::Math(MathFn::Min, SmallVec::from_slice(&[number, last])), u32);
        self.known.push((index, len, safe));
        safe
    }

    fn add(&mut self, before: OpId, op: Op, ty: TypeId) -> ValueId {
        let func = &mut self.module.funcs[self.id];
        let id = func.ops.alloc(OpData::new(op, func.ops[before].span));
        let value = func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }
}
