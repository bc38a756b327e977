//! What a function does, counted by place in the source: an estimate for people who look for what is expensive.
//!
//! Counted are scalars: the sum of two `float3` is three operations. Loops count as often as they run at most, calls with
//! what the callee does, at the place of the call, and branches with all their arms. Where it is not known how often a loop
//! runs, one iteration counts, and that is said.

use ir::{
    Callee, Func, FuncId, HandleType, MathFn, Module, Op, OpData, OpId, RegionId, SpanId, Type, TypeId, ValueId,
    ranges::Ranges, types::TypeTable,
};
use rustc_hash::FxHashMap;

use crate::loops;

/// Numbers of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Operations {
    /// Sums, products, quotients, comparisons, conversions, choices, square roots.
    pub arithmetic: u64,
    /// Sines, exponentials, logarithms, powers and the like.
    pub transcendental: u64,
    /// Scalars that are read from or written to memory outside of the thread, texels included.
    pub memory: u64,
    /// Scalars that are changed in such memory atomically.
    pub atomics: u64,
}

impl Operations {
    /// The number of operations of all kinds.
    pub fn all(self) -> u64 {
        [self.transcendental, self.memory, self.atomics].into_iter().fold(self.arithmetic, u64::saturating_add)
    }

    fn times(self, count: u64) -> Operations {
        let Operations { arithmetic, transcendental, memory, atomics } = self;
        let [arithmetic, transcendental, memory, atomics] =
            [arithmetic, transcendental, memory, atomics].map(|number| number.saturating_mul(count));
        Operations { arithmetic, transcendental, memory, atomics }
    }
}

impl std::ops::AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        self.arithmetic = self.arithmetic.saturating_add(other.arithmetic);
        self.transcendental = self.transcendental.saturating_add(other.transcendental);
        self.memory = self.memory.saturating_add(other.memory);
        self.atomics = self.atomics.saturating_add(other.atomics);
    }
}

/// What a function does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// What one call does.
    pub total: Operations,
    /// By the places of the function's operations.
    pub by_place: Vec<(SpanId, Operations)>,
    /// Whether of some loop only one iteration counts.
    pub has_unknown_loops: bool,
}

/// Counts what a function does whose derivatives are functions already.
pub fn tally(module: &Module, func: FuncId) -> Tally {
    let mut counter = Counter { module, known: FxHashMap::default() };
    let mut places: FxHashMap<SpanId, Operations> = FxHashMap::default();
    let summary = counter.func(func, |span, operations| *places.entry(span).or_default() += operations);
    let mut by_place: Vec<(SpanId, Operations)> = places.into_iter().collect();
    by_place.sort_by_key(|(span, _)| span.0);
    Tally { total: summary.operations, by_place, has_unknown_loops: summary.has_unknown_loops }
}

#[derive(Debug, Clone, Copy, Default)]
struct Summary {
    operations: Operations,
    has_unknown_loops: bool,
}

struct Counter<'m> {
    module: &'m Module,
    /// Of functions that are being counted nothing is known: recursion counts once.
    known: FxHashMap<FuncId, Summary>,
}

impl<'m> Counter<'m> {
    fn func(&mut self, id: FuncId, mut note: impl FnMut(SpanId, Operations)) -> Summary {
        self.known.insert(id, Summary { has_unknown_loops: true, ..Summary::default() });
        let func = &self.module.funcs[id];
        let mut summary = Summary::default();
        let has_loops = func.ops.iter().any(|(_, data)| matches!(data.op, Op::Loop { .. }));
        let ranges = match has_loops {
            true => Ranges::new(&self.module.types, &self.module.funcs, func),
            false => Ranges::default(),
        };
        // Regions that wait, each with how often it runs.
        let mut waiting: Vec<(RegionId, u64)> = func.body.into_iter().map(|body| (body, 1)).collect();
        while let Some((region, times)) = waiting.pop() {
            for &op in &func.regions[region].ops {
                let data = &func.ops[op];
                let (own, is_known) = self.op(func, data);
                summary.has_unknown_loops |= !is_known;
                let operations = own.times(times);
                if operations != Operations::default() {
                    summary.operations += operations;
                    note(data.span, operations);
                }
                let count = self.iterations(&ranges, op, &data.op);
                summary.has_unknown_loops |= count.is_none();
                let nested = times.saturating_mul(count.unwrap_or(1));
                waiting.extend(data.op.regions().into_iter().map(|region| (region, nested)));
            }
        }
        self.known.insert(id, summary);
        summary
    }

    /// How often the regions of an operation run for it; `None` if that is not known.
    fn iterations(&self, ranges: &Ranges, id: OpId, op: &Op) -> Option<u64> {
        match op {
            Op::Loop { bound, .. } => loops::bound(*bound, ranges.trip_count(id)).map(u64::from),
            _ => Some(1),
        }
    }

    /// What an operation does without its regions, and whether all that it calls is known.
    fn op(&mut self, func: &Func, data: &OpData) -> (Operations, bool) {
        match &data.op {
            Op::Call { callee: Callee::Func(callee), .. } => {
                let summary = match self.known.get(callee) {
                    Some(summary) => *summary,
                    None => self.func(*callee, |_, _| {}),
                };
                (summary.operations, !summary.has_unknown_loops)
            }
            _ => (simple(&self.module.types, func, data), true),
        }
    }
}

/// What an operation does that has no regions and calls nothing.
fn simple(types: &TypeTable, func: &Func, data: &OpData) -> Operations {
    let size = |value: ValueId| scalars(types, func.ty(value));
    let of_result = data.results.first().map_or(0, |&result| size(result));
    let arithmetic = |arithmetic| Operations { arithmetic, ..Operations::default() };
    let memory = |memory| Operations { memory, ..Operations::default() };
    let is_outside = |handle: ValueId| !is_variable(types, func.ty(handle));
    match &data.op {
        Op::Unary(..) | Op::Binary(..) | Op::Convert(_) | Op::Select { .. } => arithmetic(of_result),
        Op::Math(function, args) => {
            let args: Vec<u64> = args.iter().map(|&arg| size(arg)).collect();
            math(*function, &args, of_result)
        }
        Op::Load { handle, .. } if is_outside(*handle) => memory(of_result),
        Op::Store { handle, value, .. } if is_outside(*handle) => memory(size(*value)),
        Op::ByteLoad { .. } => memory(of_result),
        Op::ByteStore { value, .. } => memory(size(*value)),
        Op::Atomic { operands, .. } | Op::ByteAtomic { operands, .. } => {
            let atomics = operands.iter().map(|&operand| size(operand)).max().unwrap_or(1);
            Operations { atomics, ..Operations::default() }
        }
        // Nearly all of them sample textures.
        Op::Intrinsic { .. } => memory(of_result),
        Op::Const(..)
        | Op::Zero
        | Op::Undef
        | Op::Bitcast(..)
        | Op::Detach(..)
        | Op::Forget(..)
        | Op::Make(..)
        | Op::Splat(..)
        | Op::Extract { .. }
        | Op::Insert { .. }
        | Op::Swizzle { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::Global(..)
        | Op::Builtin(..)
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::BufferLength { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumMatch { .. }
        | Op::SumTag(..) => Operations::default(),
    }
}

/// What a function of the core library does on operands of so many scalars.
fn math(function: MathFn, args: &[u64], of_result: u64) -> Operations {
    use MathFn::*;
    let arithmetic = |arithmetic| Operations { arithmetic, ..Operations::default() };
    let first = args.first().copied().unwrap_or(0);
    match function {
        Acos | Acosh | Asin | Asinh | Atan | Atanh | Cos | Cosh | Exp | Exp2 | Log | Log10 | Log2 | Sin | Sinh
        | Tan | Tanh | Atan2 | Pow => Operations { transcendental: of_result, ..Operations::default() },
        Abs | Ceil | Floor | Frac | Rcp | Round | Rsqrt | Saturate | Sign | Sqrt | Trunc | Degrees | Radians
        | Copysign | Max | Min | Step | IsNan | IsInf | IsFinite | CountBits | FirstBitHigh | FirstBitLow
        | ReverseBits | F16ToF32 | F32ToF16 => arithmetic(of_result),
        Fmod | Clamp | Fma => arithmetic(of_result.saturating_mul(2)),
        Lerp => arithmetic(of_result.saturating_mul(3)),
        Smoothstep => arithmetic(of_result.saturating_mul(8)),
        Dot => arithmetic(first.saturating_mul(2).saturating_sub(1)),
        Length => arithmetic(first.saturating_mul(2)),
        Distance => arithmetic(first.saturating_mul(3)),
        Normalize => arithmetic(first.saturating_mul(3)),
        Cross => arithmetic(9),
        Reflect | Faceforward => arithmetic(first.saturating_mul(4)),
        Refract => arithmetic(first.saturating_mul(5).saturating_add(5)),
        MatMul => {
            // Each result is the product of a row and a column, whose length follows from the numbers of scalars.
            let all = args.iter().fold(1u64, |product, &arg| product.saturating_mul(arg));
            let inner = (all / of_result.max(1)).isqrt();
            arithmetic(of_result.saturating_mul(inner.saturating_mul(2).saturating_sub(1)))
        }
        Determinant => {
            let side = first.isqrt();
            arithmetic(side.saturating_mul(side).saturating_mul(side))
        }
        All | Any => arithmetic(first.saturating_sub(1)),
        Transpose => Operations::default(),
    }
}

/// Variables of a thread are registers.
fn is_variable(types: &TypeTable, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Handle(HandleType::Variable { .. }))
}

/// The numbers in a value of a type; those of aggregates are bounded by what fits into their size in bytes.
fn scalars(types: &TypeTable, ty: TypeId) -> u64 {
    match types.get(ty) {
        Type::Scalar(_) | Type::Handle(_) | Type::Opaque(_) => 1,
        Type::Vector { len, .. } => len.into(),
        Type::Matrix { rows, cols, .. } => u64::from(rows) * u64::from(cols),
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) => crate::sizes::size_of(types, ty).div_ceil(4),
    }
}
