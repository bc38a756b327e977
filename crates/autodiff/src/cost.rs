//! What it costs to run an operation again on the way back, and what must not run again.
//!
//! The unit is one addition. A call costs what the body of the callee does, its loops as often as they run at most.

use ir::{
    BinaryOp, Callee, Effect, Func, FuncId, HandleType, MathFn, Module, Op, OpId, RegionId, Type, ValueDef, ValueId,
    func::CheckpointPreference, ranges::Ranges, types::TypeTable,
};

use crate::{loops, residuals::Reason, sizes::size_of};

/// What a callee costs at most that runs again whatever it calls: as much as moving a few words to memory and back. A
/// function is in few calls of that size, so that the time stays in proportion to that of the primal.
const SMALL: u64 = 256;

/// How deep calls nest in a larger callee that runs again. What runs again at one level must not run again at each level
/// above, or the time would grow with the square of the depth.
const CALLS_RUN_AGAIN: u32 = 1;

/// How deep operations of constants nest that are found.
const CONSTANTS: u32 = 4;

pub(crate) struct Costs<'a> {
    module: &'a Module,
}

/// Which calls and loops may run again.
#[derive(Debug, Clone, Copy)]
enum Again {
    /// In the function that is planned: calls by what they cost, no loops.
    Planned,
    /// In a callee: loops with a bound, and calls that nest so deep.
    Calls(u32),
    /// In a callee: what costs so much at most.
    Within(u64),
}

impl<'a> Costs<'a> {
    pub(crate) fn new(module: &'a Module) -> Self {
        Costs { module }
    }

    /// The cost of running an operation of `func`, whose derivative is being planned, again; why not, if it must not be.
    pub(crate) fn again(&self, func: &Func, id: OpId) -> Result<u64, Reason> {
        self.op(func, &Ranges::default(), id, Again::Planned)
    }

    /// The cost of running a loop of `func` again from its start, for all that it stores.
    pub(crate) fn whole_loop(&self, func: &Func, ranges: &Ranges, id: OpId) -> Result<u64, Reason> {
        self.op(func, ranges, id, Again::Calls(CALLS_RUN_AGAIN))
    }

    fn call(&self, callee: FuncId, again: Again) -> Result<u64, Reason> {
        match again {
            Again::Planned => match self.callee(callee, Again::Within(SMALL)) {
                Ok(cost) if cost <= SMALL => Ok(cost),
                Ok(_) | Err(_) => self.callee(callee, Again::Calls(CALLS_RUN_AGAIN)),
            },
            Again::Calls(depth) => self.callee(callee, Again::Calls(depth.checked_sub(1).ok_or(Reason::CallResult)?)),
            // One less for the call itself: a function that calls itself comes to an end.
            Again::Within(cost) => self.callee(callee, Again::Within(cost.checked_sub(1).ok_or(Reason::CallResult)?)),
        }
    }

    fn callee(&self, callee: FuncId, again: Again) -> Result<u64, Reason> {
        let func = &self.module.funcs[callee];
        match func.rules.checkpoint {
            CheckpointPreference::Checkpoint => return Err(Reason::PreferCheckpoint),
            CheckpointPreference::Recompute if self.module.func_effect(callee) == Effect::Pure => return Ok(1),
            CheckpointPreference::Recompute | CheckpointPreference::None => {}
        }
        let body = func.body.ok_or(Reason::HasEffects)?;
        let has_loops = func.ops.iter().any(|(_, data)| matches!(data.op, Op::Loop { .. }));
        let ranges =
            if has_loops { Ranges::new(&self.module.types, &self.module.funcs, func) } else { Ranges::default() };
        Ok(self.region(func, &ranges, body, again)?.max(1))
    }

    fn region(&self, func: &Func, ranges: &Ranges, region: RegionId, again: Again) -> Result<u64, Reason> {
        let mut cost = 0u64;
        for &id in &func.regions[region].ops {
            let left = match again {
                Again::Within(most) => Again::Within(most.checked_sub(cost).ok_or(Reason::CallResult)?),
                Again::Planned | Again::Calls(_) => again,
            };
            cost = cost.saturating_add(self.op(func, ranges, id, left)?);
        }
        Ok(cost)
    }

    fn op(&self, func: &Func, ranges: &Ranges, id: OpId, again: Again) -> Result<u64, Reason> {
        let data = &func.ops[id];
        let nested = || -> Result<u64, Reason> {
            let costs = data.op.regions().into_iter().map(|region| self.region(func, ranges, region, again));
            costs.sum::<Result<u64, Reason>>()
        };
        match &data.op {
            Op::Loop { bound, .. } => {
                let count = match again {
                    Again::Planned => None,
                    Again::Calls(_) | Again::Within(_) => loops::bound(*bound, ranges.trip_count(id)),
                };
                Ok(nested()?.saturating_mul(count.ok_or(Reason::LoopResult)?.into()))
            }
            Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } => self.call(*callee, again),
            Op::If { .. } | Op::Switch { .. } | Op::SumMatch { .. } => Ok(nested()?.saturating_add(1)),
            Op::Load { handle, .. } | Op::ByteLoad { handle, .. }
                if !is_read_only(&self.module.types, func, *handle) =>
            {
                Err(Reason::MayChange)
            }
            Op::BufferLength { .. } => Ok(8),
            _ if is_known(func, id, CONSTANTS) => Ok(0),
            op => match op.own_effect() {
                Effect::Write => Err(Reason::HasEffects),
                Effect::Read if !matches!(op, Op::Load { .. } | Op::ByteLoad { .. }) => Err(Reason::MayChange),
                Effect::Read | Effect::Pure => {
                    let bytes = data.results.first().map_or(0, |&result| size_of(&self.module.types, func.ty(result)));
                    Ok(simple_cost(op).saturating_mul((bytes / 4).max(1)))
                }
            },
        }
    }
}

/// Whether an operation computes what is known before the program runs.
fn is_known(func: &Func, id: OpId, depth: u32) -> bool {
    let is_known_value = |value: ValueId| match func.values[value].def {
        ValueDef::Result { op, .. } => depth > 0 && is_known(func, op, depth - 1),
        ValueDef::Param { .. } => false,
    };
    match &func.ops[id].op {
        Op::Const(_) | Op::Zero => true,
        op @ (Op::Unary(..) | Op::Binary(..) | Op::Math(..) | Op::Convert(_) | Op::Splat(_) | Op::Make(_)) => {
            op.operands().into_iter().all(is_known_value)
        }
        _ => false,
    }
}

fn is_read_only(types: &TypeTable, func: &Func, handle: ValueId) -> bool {
    match types.get(func.ty(handle)) {
        Type::Handle(handle) => match handle {
            HandleType::StructuredBuffer { writable, .. }
            | HandleType::ByteAddressBuffer { writable }
            | HandleType::TexelBuffer { writable, .. } => !writable,
            HandleType::ConstantBuffer { .. } => true,
            HandleType::Variable { .. }
            | HandleType::Pointer { .. }
            | HandleType::Address { .. }
            | HandleType::Texture { .. }
            | HandleType::Sampler { .. }
            | HandleType::AccelerationStructure
            | HandleType::RayQuery { .. } => false,
        },
        _ => false,
    }
}

/// The cost of an operation per component, in additions.
fn simple_cost(op: &Op) -> u64 {
    match op {
        Op::Const(_) | Op::Zero | Op::Undef | Op::Global(_) | Op::Builtin(_) | Op::Detach(_) | Op::Forget(_) => 0,
        Op::Extract { .. } | Op::Swizzle { .. } | Op::Splat(_) | Op::Make(_) | Op::Bitcast(_) => 1,
        Op::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => 4,
        Op::Load { .. } | Op::ByteLoad { .. } => 8,
        Op::Math(function, _) => match function {
            MathFn::Abs | MathFn::Max | MathFn::Min | MathFn::Saturate | MathFn::Clamp | MathFn::Fma => 1,
            MathFn::Sign | MathFn::Step | MathFn::Floor | MathFn::Ceil | MathFn::Round | MathFn::Trunc => 1,
            MathFn::Dot | MathFn::Lerp | MathFn::Frac | MathFn::Transpose => 2,
            MathFn::MatMul => 4,
            MathFn::Sqrt | MathFn::Rsqrt | MathFn::Rcp => 4,
            _ => 8,
        },
        Op::Unary(..)
        | Op::Binary(..)
        | Op::Convert(..)
        | Op::Select { .. }
        | Op::Insert { .. }
        | Op::Call { .. }
        | Op::If { .. }
        | Op::Switch { .. }
        | Op::Loop { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::ByteStore { .. }
        | Op::ByteAtomic { .. }
        | Op::BufferLength { .. }
        | Op::Intrinsic { .. }
        | Op::Barrier { .. }
        | Op::Print { .. }
        | Op::SumMake { .. }
        | Op::SumMatch { .. }
        | Op::SumTag(..) => 1,
    }
}
