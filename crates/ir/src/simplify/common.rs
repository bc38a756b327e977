//! Shares pure operations: of equal ones (same operator, operands and result types) the first that is visible stays.
//!
//! ```text
//! %1: f32 = sin(%x)            %1: f32 = sin(%x)
//! %2: f32 = sin(%x)        →   %3: f32 = mul %1, %1
//! %3: f32 = mul %1, %2
//! ```
//!
//! Operands of commutative operators may be in any order. Calls are shared if the callee is pure.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::substitute::Substitution;
use crate::{BinaryOp, Callee, Effect, Func, FuncId, MathFn, Module, Op, OpId, RegionId, TypeId};

/// Shares common operations of a function; whether anything changed.
pub fn share(module: &mut Module, func: FuncId) -> bool {
    let Some(body) = module.funcs[func].body else { return false };
    let mut pure_callees = FxHashMap::default();
    for (_, data) in module.funcs[func].ops.iter() {
        if let Op::Call { callee: Callee::Func(callee), .. } = data.op {
            pure_callees.entry(callee).or_insert_with(|| module.func_effect(callee) == Effect::Pure);
        }
    }
    let mut sharing = Sharing {
        func: &mut module.funcs[func],
        pure_callees,
        seen: FxHashMap::default(),
        substitution: Substitution::default(),
        changed: false,
    };
    sharing.region(body);
    sharing.changed
}

type Key = (Op, SmallVec<[TypeId; 2]>);

struct Sharing<'a> {
    func: &'a mut Func,
    pure_callees: FxHashMap<FuncId, bool>,
    /// The ops that are visible.
    seen: FxHashMap<Key, OpId>,
    substitution: Substitution,
    changed: bool,
}

impl Sharing<'_> {
    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.func.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        let mut added: Vec<Key> = Vec::new();
        for op in ops {
            self.changed |= self.substitution.operands(&mut self.func.ops[op].op);
            match self.key(op) {
                Some(key) => match self.seen.get(&key) {
                    Some(&first) => {
                        self.replace(op, first);
                        continue;
                    }
                    None => {
                        self.seen.insert(key.clone(), op);
                        added.push(key);
                    }
                },
                None => self.func.ops[op].op.regions().into_iter().for_each(|nested| self.region(nested)),
            }
            kept.push(op);
        }
        for key in added {
            self.seen.remove(&key);
        }
        self.func.regions[region].ops = kept;
        self.changed |= self.substitution.values(self.func.regions[region].terminator.values_mut());
    }

    fn replace(&mut self, op: OpId, first: OpId) {
        self.changed = true;
        let pairs: Vec<_> =
            self.func.ops[op].results.iter().copied().zip(self.func.ops[first].results.clone()).collect();
        for (result, by) in pairs {
            if self.func.values[by].name.is_none() {
                self.func.values[by].name = self.func.values[result].name.clone();
            }
            self.substitution.replace(result, by);
        }
    }

    /// What equal ops have in common, `None` for ops that are not shared.
    fn key(&self, id: OpId) -> Option<Key> {
        let data = &self.func.ops[id];
        let pure = match &data.op {
            Op::Call { callee: Callee::Func(callee), .. } => self.pure_callees.get(callee) == Some(&true),
            op => op.own_effect() == Effect::Pure && op.regions().is_empty(),
        };
        if !pure {
            return None;
        }
        let mut op = data.op.clone();
        match &mut op {
            Op::Binary(operator, a, b) if is_commutative(*operator) && *b < *a => std::mem::swap(a, b),
            Op::Math(MathFn::Min | MathFn::Max | MathFn::Dot, args) => args.sort_unstable(),
            _ => {}
        }
        Some((op, data.results.iter().map(|&result| self.func.ty(result)).collect()))
    }
}

fn is_commutative(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Equal
        | BinaryOp::NotEqual => true,
        BinaryOp::Sub
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => false,
    }
}
