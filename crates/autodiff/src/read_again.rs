//! What a function that runs again on the way back reads from memory that has been written since.
//!
//! The calls of a function that calls itself run again on the way back. What they read must be what they read the first
//! time: no differentiable function may write it after such a call, and no derivative that a user wrote while the way back
//! goes through the function. One buffer is one place, whatever the index; two parameters of one type may be the same.

use ir::{
    Callee, Effect, Func, FuncId, GlobalId, HandleType, Module, Op, OpData, RegionId, Type, TypeId, ValueId,
    simplify::inline,
};
use rustc_hash::FxHashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Global(GlobalId),
    /// After a handle that comes from somewhere else.
    Behind(TypeId),
}

#[derive(Default)]
struct Touched {
    read: FxHashSet<Place>,
    written: FxHashSet<Place>,
    /// Functions that were looked at.
    seen: FxHashSet<FuncId>,
}

/// Whether `callee`, which calls itself, may read something else on the way back than it has read before.
pub(crate) fn may_differ(module: &Module, callee: FuncId) -> bool {
    let mut own = Touched::default();
    own.function(module, callee);
    if own.read.is_empty() {
        return false;
    }
    let mut since = Touched::default();
    for func in own.seen.iter().filter_map(|&func| module.funcs[func].rules.backward) {
        since.function(module, func);
    }
    let is_entry = |id: FuncId| module.entry_points.iter().any(|entry| entry.func == id);
    for (id, func) in module.funcs.iter().filter(|&(id, func)| func.rules.backward_differentiable && !is_entry(id)) {
        if let (Some(body), true) = (func.body, inline::reaches(module, id, callee)) {
            since.behind_call(module, func, body, callee, &mut false);
        }
    }
    since.written.iter().any(|&written| own.read.iter().any(|&read| may_be_same(module, written, read)))
}

fn may_be_same(module: &Module, a: Place, b: Place) -> bool {
    let ty = |place: Place| match place {
        Place::Global(global) => module.globals[global].ty,
        Place::Behind(ty) => ty,
    };
    let is_pointer = |ty| matches!(module.types.get(ty), Type::Handle(HandleType::Pointer { .. }));
    match (a, b) {
        (Place::Global(a), Place::Global(b)) => a == b,
        _ => ty(a) == ty(b) || is_pointer(ty(a)) || is_pointer(ty(b)),
    }
}

impl Touched {
    /// All that a function does, with what it calls and with the derivatives that users wrote for that.
    fn function(&mut self, module: &Module, id: FuncId) {
        if !self.seen.insert(id) {
            return;
        }
        let func = &module.funcs[id];
        if let Some(body) = func.body {
            self.region(module, func, body);
        }
        for rule in [func.rules.backward, func.rules.primal_substitute].into_iter().flatten() {
            self.function(module, rule);
        }
    }

    fn region(&mut self, module: &Module, func: &Func, region: RegionId) {
        for &op in &func.regions[region].ops {
            self.op(module, func, &func.ops[op]);
        }
    }

    fn op(&mut self, module: &Module, func: &Func, data: &OpData) {
        for region in data.op.regions() {
            self.region(module, func, region);
        }
        let effect = match &data.op {
            Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } => {
                return self.function(module, *callee);
            }
            // How long a buffer is does not change.
            Op::BufferLength { .. } => return,
            op => op.own_effect(),
        };
        if effect == Effect::Pure {
            return;
        }
        data.op.for_each_operand(|operand| {
            let Some(place) = place(module, func, operand) else { return };
            match effect {
                Effect::Write => self.written.insert(place),
                Effect::Read | Effect::Pure => self.read.insert(place),
            };
        });
    }

    /// What a function does after its first call by which `callee` runs; in a loop around that call, all of it.
    fn behind_call(&mut self, module: &Module, func: &Func, region: RegionId, callee: FuncId, is_behind: &mut bool) {
        for &op in &func.regions[region].ops {
            let data = &func.ops[op];
            if *is_behind {
                self.op(module, func, data);
                continue;
            }
            match &data.op {
                Op::Call { callee: Callee::Func(called), .. } => {
                    *is_behind = *called == callee || inline::reaches(module, *called, callee);
                }
                Op::Loop { .. } if calls_within(module, func, data, callee) => {
                    self.op(module, func, data);
                    *is_behind = true;
                }
                op => {
                    let mut any = false;
                    for nested in op.regions() {
                        let mut here = false;
                        self.behind_call(module, func, nested, callee, &mut here);
                        any |= here;
                    }
                    *is_behind = any;
                }
            }
        }
    }
}

/// Whether `callee` runs by a call inside of an operation.
fn calls_within(module: &Module, func: &Func, data: &OpData, callee: FuncId) -> bool {
    let is_call = |data: &OpData| match data.op {
        Op::Call { callee: Callee::Func(called), .. } => called == callee || inline::reaches(module, called, callee),
        _ => false,
    };
    let nested = data.op.regions().into_iter().flat_map(|region| &func.regions[region].ops);
    nested.map(|&op| &func.ops[op]).any(|data| is_call(data) || calls_within(module, func, data, callee))
}

/// What can be written of the memory behind a value.
fn place(module: &Module, func: &Func, value: ValueId) -> Option<Place> {
    let ty = func.ty(value);
    let Type::Handle(handle) = module.types.get(ty) else { return None };
    let can_be_written = match handle {
        HandleType::StructuredBuffer { writable, .. }
        | HandleType::ByteAddressBuffer { writable }
        | HandleType::TexelBuffer { writable, .. } => writable,
        HandleType::ConstantBuffer { .. } | HandleType::Sampler { .. } | HandleType::AccelerationStructure => false,
        HandleType::Variable { .. }
        | HandleType::Pointer { .. }
        | HandleType::Address { .. }
        | HandleType::Texture { .. }
        | HandleType::RayQuery { .. } => true,
    };
    can_be_written.then(|| match func.defining_op(value).map(|data| &data.op) {
        Some(Op::Global(global)) => Place::Global(*global),
        _ => Place::Behind(ty),
    })
}
