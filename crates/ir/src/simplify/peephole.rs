//! Local rewrites: each looks at an operation and at what defines its operands.
//!
//! ```text
//! %1: f32 = const 2.0            %p: $P = make(%a, %b)
//! %2: f32 = const 3.0            %x: f32 = extract %p[1]
//! %3: f32 = mul %1, %2           %y: f32 = mul %x, %one
//! →  %3: f32 = const 6.0         →  uses of %y become %b
//! ```
//!
//! The rules are in `fold` (constants), `identities` (algebra) and `forward` (parts of aggregates). What becomes unused
//! is left to [`super::dead_code`].

use la_arena::ArenaMap;
use smallvec::SmallVec;

use super::{fold, forward, identities, substitute::Substitution};
use crate::{
    Constant, Func, FuncId, Module, Op, OpData, OpId, RegionId, Scalar, SpanId, Type, TypeId, Value, ValueDef, ValueId,
    number::{self, Precision},
    types::TypeTable,
};

/// Rewrites of one op after which it is left alone: rules make operations simpler, this is the safeguard.
const MAX_REWRITES: usize = 16;

/// Rewrites a function; whether anything changed.
pub fn rewrite(module: &mut Module, func: FuncId) -> bool {
    let data = &mut module.funcs[func];
    let Some(body) = data.body else { return false };
    let uses = count_uses(data, body);
    let mut context = Context {
        precision: module.precision,
        types: &module.types,
        func: data,
        substitution: Substitution::default(),
        new_ops: Vec::new(),
        span: SpanId::NONE,
        changed: false,
        uses,
    };
    context.region(body);
    context.changed
}

/// How often each value is read.
fn count_uses(func: &Func, body: RegionId) -> ArenaMap<ValueId, u32> {
    let mut uses = ArenaMap::default();
    let mut add = |value: ValueId| {
        let count = uses.get(value).copied().unwrap_or(0);
        uses.insert(value, count + 1);
    };
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        for &op in &func.regions[region].ops {
            func.ops[op].op.for_each_operand(&mut add);
            regions.extend(func.ops[op].op.regions());
        }
        func.regions[region].terminator.values().iter().copied().for_each(&mut add);
    }
    uses
}

/// What becomes of an operation with one result.
pub(super) enum Rewrite {
    /// The result is this value.
    Value(ValueId),
    /// The result is made by this operation.
    Op(Op),
}

type Rule = fn(&mut Context<'_>, &Op, TypeId) -> Option<Rewrite>;

const RULES: &[Rule] = &[fold::fold, identities::identity, forward::forward];

/// A function being rewritten, for rules to look at.
pub(super) struct Context<'a> {
    pub types: &'a TypeTable,
    pub func: &'a mut Func,
    pub precision: Precision,
    substitution: Substitution,
    /// Ops to put in front of the one that is being rewritten.
    new_ops: Vec<OpId>,
    span: SpanId,
    changed: bool,
    /// How often each value was read at the start.
    uses: ArenaMap<ValueId, u32>,
}

impl Context<'_> {
    pub(crate) fn type_of(&self, value: ValueId) -> Type {
        self.types.get(self.func.ty(value))
    }

    /// The operation that defines `value`.
    pub(crate) fn def(&self, value: ValueId) -> Option<&Op> {
        self.func.defining_op(value).map(|data| &data.op)
    }

    /// Whether `value` had one reader at most when the rewriting began, so that nothing else needs it.
    pub(crate) fn has_one_use(&self, value: ValueId) -> bool {
        self.uses.get(value).is_none_or(|&count| count <= 1)
    }

    /// A new operation in front of the one that is being rewritten.
    pub(crate) fn make(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let def = ValueDef::Result { op: id, index: 0 };
        let value = self.func.values.alloc(Value { ty, def, name: None });
        self.func.ops[id].results.push(value);
        self.new_ops.push(id);
        value
    }

    /// The slots of a scalar, vector or matrix that is known; as [`number`] represents them.
    pub(crate) fn known(&self, value: ValueId) -> Option<SmallVec<[u64; 4]>> {
        let (scalar, count) = shape(self.type_of(value))?;
        match self.def(value)? {
            Op::Const(constant) => {
                Some(SmallVec::from_elem(number::from_constant(*constant, scalar, self.precision), 1))
            }
            Op::Zero => Some(SmallVec::from_elem(0, count)),
            Op::Splat(element) => {
                let element = self.known(*element)?;
                Some(SmallVec::from_elem(*element.first()?, count))
            }
            Op::Make(parts) => {
                let mut slots = SmallVec::new();
                for &part in parts {
                    slots.extend(self.known(part)?);
                }
                Some(slots)
            }
            _ => None,
        }
    }

    /// The constant that all components of `value` are.
    pub(crate) fn known_uniform(&self, value: ValueId) -> Option<Constant> {
        let (scalar, _) = shape(self.type_of(value))?;
        let slots = self.known(value)?;
        let first = *slots.first()?;
        slots.iter().all(|&slot| slot == first).then(|| number::to_constant(scalar, first))
    }

    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.func.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            let keep = self.op(op);
            kept.append(&mut self.new_ops);
            if keep {
                kept.push(op);
            }
            for nested in self.func.ops[op].op.regions() {
                self.region(nested);
            }
        }
        self.func.regions[region].ops = kept;
        self.changed |= self.substitution.values(self.func.regions[region].terminator.values_mut());
    }

    /// Rewrites an op in place; whether it is still needed.
    fn op(&mut self, id: OpId) -> bool {
        self.changed |= self.substitution.operands(&mut self.func.ops[id].op);
        let data = &self.func.ops[id];
        self.span = data.span;
        let [result] = data.results[..] else { return true };
        let ty = self.func.ty(result);
        for _ in 0..MAX_REWRITES {
            let op = self.func.ops[id].op.clone();
            match RULES.iter().find_map(|rule| rule(self, &op, ty)) {
                None => return true,
                Some(Rewrite::Op(op)) => self.func.ops[id].op = op,
                Some(Rewrite::Value(value)) => {
                    self.changed = true;
                    self.keep_name(result, value);
                    self.substitution.replace(result, value);
                    return false;
                }
            }
            self.changed = true;
        }
        true
    }

    /// The user's name of a value goes on to what replaces it, if that has none.
    fn keep_name(&mut self, from: ValueId, to: ValueId) {
        if self.func.values[to].name.is_none() {
            self.func.values[to].name = self.func.values[from].name.clone();
        }
    }
}

/// The element type and the number of scalars of a numeric type.
pub(super) fn shape(ty: Type) -> Option<(Scalar, usize)> {
    match ty {
        Type::Scalar(scalar) => Some((scalar, 1)),
        Type::Vector { scalar, len } => Some((scalar, len.into())),
        Type::Matrix { scalar, rows, cols } => Some((scalar, usize::from(rows) * usize::from(cols))),
        Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
    }
}
