//! Pass 6: what nothing needs goes away.
//!
//! Input: any verified function. Output: the same function without operations, branch results and carried values that
//! neither a result nor an effect depends on, with fresh arenas. The derivative passes write coefficients and primal
//! values freely and leave it to this pass to keep those that are used.

use ir::{
    Callee, DerivativeKind, Effect, Func, FuncId, Module, Op, OpId, RegionId, Terminator, ValueDef, ValueId,
    builder::FuncBuilder,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::copy::Copier;

/// Runs the pass on a function that need not be in the module yet.
pub(crate) fn cleanup(module: &mut Module, func: Func) -> Func {
    let Some(body) = func.body else {
        return func;
    };
    let mut liveness = Liveness {
        module,
        func: &func,
        owners: FxHashMap::default(),
        values: FxHashSet::default(),
        ops: FxHashSet::default(),
        pending: Vec::new(),
    };
    liveness.find(body);
    let (values, ops) = (liveness.values, liveness.ops);
    let mut func = func;
    prune(&mut func, body, &values, &ops);
    compact(module, &func, body)
}

struct Liveness<'a> {
    module: &'a Module,
    func: &'a Func,
    /// The operation that each operation and each region is nested in.
    owners: FxHashMap<Owned, OpId>,
    values: FxHashSet<ValueId>,
    ops: FxHashSet<OpId>,
    pending: Vec<ValueId>,
}

#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Owned {
    Op(OpId),
    Region(RegionId),
}

impl Liveness<'_> {
    fn find(&mut self, body: RegionId) {
        let mut effects = Vec::new();
        self.walk(body, None, &mut effects);
        for op in effects {
            self.keep_op(op);
        }
        self.pending.extend(self.func.regions[body].terminator.values());
        while let Some(value) = self.pending.pop() {
            if self.values.insert(value) {
                self.keep_value(value);
            }
        }
    }

    fn walk(&mut self, region: RegionId, owner: Option<OpId>, effects: &mut Vec<OpId>) {
        if let Some(owner) = owner {
            self.owners.insert(Owned::Region(region), owner);
        }
        let func = self.func;
        for &id in &func.regions[region].ops {
            if let Some(owner) = owner {
                self.owners.insert(Owned::Op(id), owner);
            }
            let op = &func.ops[id].op;
            let nested = op.regions();
            if nested.is_empty() && call_effect(self.module, op) == Effect::Write {
                effects.push(id);
            }
            for region in nested {
                // Control that leaves otherwise than by a yield is an effect.
                if !matches!(func.regions[region].terminator, Terminator::Yield(_)) {
                    effects.push(id);
                }
                self.walk(region, Some(id), effects);
            }
        }
    }

    fn keep_value(&mut self, value: ValueId) {
        let func = self.func;
        match func.values[value].def {
            ValueDef::Result { op, index } => {
                self.keep_op(op);
                let index = index as usize;
                match &func.ops[op].op {
                    Op::Loop { init, body, .. } => self.keep_carried(init[index], *body, index),
                    op => {
                        for region in op.regions() {
                            self.pending.extend(func.regions[region].terminator.values().get(index));
                        }
                    }
                }
            }
            ValueDef::Param { region, index } => {
                if let Some(&owner) = self.owners.get(&Owned::Region(region))
                    && let Op::Loop { init, body, .. } = &func.ops[owner].op
                {
                    self.keep_carried(init[index as usize], *body, index as usize);
                }
            }
        }
    }

    fn keep_carried(&mut self, init: ValueId, body: RegionId, index: usize) {
        self.pending.push(init);
        self.pending.extend(self.func.regions[body].terminator.values().get(index));
    }

    fn keep_op(&mut self, id: OpId) {
        let mut next = Some(id);
        while let Some(id) = next {
            if !self.ops.insert(id) {
                return;
            }
            let func = self.func;
            match &func.ops[id].op {
                Op::Loop { cond, .. } => self.pending.extend(func.regions[*cond].terminator.values()),
                op => op.for_each_operand(|value| self.pending.push(value)),
            }
            // Exits other than yields keep all that they give.
            for region in func.ops[id].op.regions() {
                let terminator = &func.regions[region].terminator;
                if !matches!(terminator, Terminator::Yield(_)) {
                    self.pending.extend(terminator.values());
                }
            }
            next = self.owners.get(&Owned::Op(id)).copied();
        }
    }
}

/// The effect of an operation without regions. Derivatives that are not made yet have the effect of the function and of
/// what takes its place.
fn call_effect(module: &Module, op: &Op) -> Effect {
    match op {
        Op::Call { callee: Callee::Func(callee), .. } => module.func_effect(*callee),
        Op::Call { callee: Callee::Derivative(kind, callee), .. } => {
            derivative_effect(module, *kind, *callee, &mut Vec::new())
        }
        op => op.own_effect(),
    }
}

fn derivative_effect(module: &Module, kind: DerivativeKind, id: FuncId, stack: &mut Vec<FuncId>) -> Effect {
    let func = &module.funcs[id];
    let rule = match kind {
        DerivativeKind::Jvp => func.rules.forward,
        DerivativeKind::Vjp | DerivativeKind::Pullback => func.rules.backward,
        DerivativeKind::Primal => return module.func_effect(id),
    };
    if let Some(rule) = rule {
        return module.func_effect(rule);
    }
    if func.body.is_none() || stack.contains(&id) {
        return Effect::Write;
    }
    stack.push(id);
    let mut effect = Effect::Pure;
    for (_, data) in func.ops.iter() {
        effect = effect.max(match &data.op {
            Op::Call { callee: Callee::Func(callee), .. } => {
                module.func_effect(*callee).max(derivative_effect(module, kind, *callee, stack))
            }
            Op::Call { callee: Callee::Derivative(..), .. } => Effect::Write,
            op => op.own_effect(),
        });
        if effect == Effect::Write {
            break;
        }
    }
    stack.pop();
    effect
}

/// Removes from `region` and the regions in it what is not live.
fn prune(func: &mut Func, region: RegionId, values: &FxHashSet<ValueId>, ops: &FxHashSet<OpId>) {
    func.regions[region].ops.retain(|op| ops.contains(op));
    for id in func.regions[region].ops.clone() {
        let regions = func.ops[id].op.regions();
        match &func.ops[id].op {
            Op::Loop { cond, body, .. } => {
                let (cond, body) = (*cond, *body);
                let keep: Vec<bool> = (0..func.ops[id].results.len())
                    .map(|index| {
                        values.contains(&func.ops[id].results[index])
                            || values.contains(&func.regions[cond].params[index])
                            || values.contains(&func.regions[body].params[index])
                    })
                    .collect();
                if let Op::Loop { init, .. } = &mut func.ops[id].op {
                    retain(init, &keep);
                }
                retain(&mut func.ops[id].results, &keep);
                for region in [cond, body] {
                    let mut index = 0;
                    func.regions[region].params.retain(|_| {
                        index += 1;
                        keep[index - 1]
                    });
                }
                retain_yields(func, body, &keep);
            }
            Op::Call { callee: Callee::Derivative(DerivativeKind::Primal, callee), args, no_diff }
                if func.ops[id].results.last().is_some_and(|record| !values.contains(record)) =>
            {
                let op = Op::Call { callee: Callee::Func(*callee), args: args.clone(), no_diff: *no_diff };
                func.ops[id].op = op;
                func.ops[id].results.pop();
            }
            _ if regions.is_empty() => {}
            _ => {
                let keep: Vec<bool> = func.ops[id].results.iter().map(|result| values.contains(result)).collect();
                retain(&mut func.ops[id].results, &keep);
                for &region in &regions {
                    retain_yields(func, region, &keep);
                }
            }
        }
        for region in regions {
            prune(func, region, values, ops);
        }
    }
}

fn retain_yields(func: &mut Func, region: RegionId, keep: &[bool]) {
    if let Terminator::Yield(values) = &mut func.regions[region].terminator {
        retain(values, keep);
    }
}

fn retain<const N: usize>(values: &mut smallvec::SmallVec<[ValueId; N]>, keep: &[bool]) {
    let mut index = 0;
    values.retain(|_| {
        index += 1;
        keep.get(index - 1).copied().unwrap_or(true)
    });
}

/// Copies the function, so that nothing of what was removed stays in its arenas.
fn compact(module: &mut Module, func: &Func, body: RegionId) -> Func {
    let mut builder =
        FuncBuilder::new(&mut module.types, func.name.clone(), func.inputs.clone(), func.results.clone(), func.span);
    builder.func.rules = func.rules.clone();
    let mut copier = Copier::new(func);
    for (index, &param) in func.regions[body].params.iter().enumerate() {
        let value = builder.input(index);
        copier.bind(&mut builder, param, value);
    }
    for &op in &func.regions[body].ops {
        copier.op(&mut builder, op);
    }
    let mut terminator = func.regions[body].terminator.clone();
    terminator.values_mut().iter_mut().for_each(|value| *value = copier.get(*value));
    builder.terminate(terminator);
    builder.finish()
}
