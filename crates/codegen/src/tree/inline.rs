//! Which values are written as part of a larger expression and which get a variable.
//!
//! A value is *inlined* if it is pure, used once and not named by the user; constants and parts of variables (`v.x`)
//! are inlined wherever they are used. A read of memory is inlined if nothing is written before its use. An inlined
//! value is computed where its *root* stands, the statement that uses it: it must not pull a variable past the place
//! where that variable gets its next value, which would force a copy.

use ir::{
    BinaryOp, Effect, Func, FuncId, HandleType, Intrinsic, Module, Op, OpId, PathStep, RegionId, Role, Terminator,
    Type, ValueId,
};
use la_arena::ArenaMap;
use smallvec::SmallVec;

use super::position::{Point, Positions};
use crate::loops::{self, is_step};

/// The most operations in one expression.
pub const MAX_SIZE: u32 = 32;

/// What becomes of a value in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Part of the expressions that use it.
    Inlined,
    /// A statement of its own; its results are variables.
    Statement,
    /// Nothing uses it.
    Dropped,
}

/// What becomes of each value of a function.
#[derive(Debug, Default)]
pub struct Inlining {
    fates: ArenaMap<OpId, Fate>,
}

impl Inlining {
    /// What becomes of the results of an operation.
    pub fn fate(&self, op: OpId) -> Fate {
        self.fates.get(op).copied().unwrap_or(Fate::Statement)
    }

    /// Whether `value` is written as an expression, not as a variable.
    pub fn is_inlined(&self, func: &Func, value: ValueId) -> bool {
        match func.values[value].def {
            ir::ValueDef::Result { op, .. } => self.fate(op) == Fate::Inlined,
            ir::ValueDef::Param { .. } => false,
        }
    }
}

/// A place where a value is computed if it is inlined.
#[derive(Clone, Copy)]
struct Use {
    root: Point,
    /// Nothing stands between the value and its root that could skip it or be evaluated before it.
    direct: bool,
}

struct Context<'a> {
    module: &'a Module,
    id: FuncId,
    func: &'a Func,
    positions: &'a Positions,
    sizes: ArenaMap<ValueId, u32>,
    uses: ArenaMap<ValueId, SmallVec<[Use; 2]>>,
    /// For each value the order numbers at which its variable is written next, if it shares one.
    overwritten: ArenaMap<ValueId, SmallVec<[u32; 2]>>,
    steps: Vec<ValueId>,
    inlining: Inlining,
}

/// Decides for each op of `func`, a version of the module's function `id` with the same ops and regions.
pub fn decide(module: &Module, id: FuncId, func: &Func, body: RegionId, positions: &Positions) -> Inlining {
    let mut context = Context {
        module,
        id,
        func,
        positions,
        sizes: ArenaMap::default(),
        uses: ArenaMap::default(),
        overwritten: ArenaMap::default(),
        steps: Vec::new(),
        inlining: Inlining::default(),
    };
    let mut raw_uses = ArenaMap::default();
    context.count(body, &mut raw_uses);
    context.survey(body, &raw_uses);
    context.walk(body);
    context.inlining
}

/// Whether all callers can use the call as an expression: one result, which is the return value.
pub fn returns_one_value(func: &Func) -> bool {
    func.results.len() == 1 && func.results[0].is_return()
}

impl Context<'_> {
    fn count(&self, region: RegionId, raw_uses: &mut ArenaMap<ValueId, u32>) {
        let mut add = |value| {
            let count = raw_uses.get(value).copied().unwrap_or(0);
            raw_uses.insert(value, count + 1);
        };
        for &op in &self.func.regions[region].ops {
            self.func.ops[op].op.for_each_operand(&mut add);
        }
        self.func.regions[region].terminator.values().iter().copied().for_each(&mut add);
        for &op in &self.func.regions[region].ops {
            for nested in self.func.ops[op].op.regions() {
                self.count(nested, raw_uses);
            }
        }
    }

    /// Whether an op gets a variable so that it can be said of it that it is done as it is written.
    fn is_rounded_here(&self, data: &ir::OpData) -> bool {
        let is_float = |value: &ValueId| match self.module.types.get(self.func.values[*value].ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.is_float(),
            _ => false,
        };
        let rounds = matches!(data.op, Op::Unary(..) | Op::Binary(..) | Op::Math(..) | Op::Convert(_));
        self.module.funcs[self.id].is_precise && rounds && data.results.iter().any(is_float)
    }

    /// Finds expression sizes, loop steps and the places where shared variables are written.
    fn survey(&mut self, region: RegionId, raw_uses: &ArenaMap<ValueId, u32>) {
        for &op in &self.func.regions[region].ops {
            let data = &self.func.ops[op];
            for nested in data.op.regions() {
                self.survey(nested, raw_uses);
            }
            let mut size = 1;
            data.op.for_each_operand(|operand| {
                let alone = raw_uses.get(operand) == Some(&1) && self.func.values[operand].name.is_none();
                size += match self.func.defining_op(operand) {
                    Some(_) if alone => self.sizes.get(operand).copied().unwrap_or(1),
                    _ => 1,
                };
            });
            for &result in &data.results {
                // An expression that is too large becomes a statement: its users count a variable.
                self.sizes.insert(result, if size > MAX_SIZE { 1 } else { size });
            }
            if size > MAX_SIZE || self.is_rounded_here(data) {
                self.inlining.fates.insert(op, Fate::Statement);
            }
            self.survey_writes(op);
        }
        if let Terminator::Return(values) = &self.func.regions[region].terminator {
            for (slot, &value) in self.func.results.iter().zip(values) {
                if let Role::InOut(input) = slot.role {
                    let order = self.written_at(value, region);
                    self.overwritten_at(self.func.input_values()[input as usize], order);
                }
            }
        }
    }

    fn survey_writes(&mut self, op: OpId) {
        let data = &self.func.ops[op];
        match &data.op {
            Op::Insert { aggregate, .. } => {
                self.overwritten_at(*aggregate, self.positions.op_end(op));
            }
            Op::Loop { init, body, .. } => {
                let start = self.positions.order(self.func, self.positions.op(op));
                for &value in init {
                    self.overwritten_at(value, start);
                }
                let params = self.func.regions[*body].params.clone();
                let next = match &self.func.regions[*body].terminator {
                    Terminator::Yield(values) => values.clone(),
                    _ => SmallVec::new(),
                };
                for values in loops::next_values(self.func, *body) {
                    let steps = params.iter().zip(values).filter(|&(&param, &value)| is_step(self.func, param, value));
                    self.steps.extend(steps.map(|(_, &value)| value));
                }
                for (&param, &value) in params.iter().zip(&next) {
                    let order = self.written_at(value, *body);
                    self.overwritten_at(param, order);
                }
            }
            Op::Call { callee: ir::Callee::Func(callee), args, .. } => {
                let end = self.positions.op_end(op);
                for slot in &self.module.funcs[*callee].results {
                    if let Role::InOut(input) = slot.role {
                        self.overwritten_at(args[input as usize], end);
                    }
                }
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
            | Op::Extract { .. }
            | Op::Swizzle { .. }
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
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
            | Op::SumMatch { .. }
            | Op::SumTag(..) => {}
        }
    }

    /// Where the variable that `value` is handed to at the end of `region` is written: where the value is computed if that
    /// is a statement of its own, else at the end.
    fn written_at(&self, value: ValueId, region: RegionId) -> u32 {
        let alone = self.func.defining_op(value).is_some_and(|data| {
            is_statement(&data.op) || (self.func.values[value].name.is_some() && !self.steps.contains(&value))
        });
        match alone {
            true => self.positions.definition_order(self.func, value),
            false => self.positions.region_end(region),
        }
    }

    fn overwritten_at(&mut self, value: ValueId, order: u32) {
        let mut orders = self.overwritten.remove(value).unwrap_or_default();
        orders.push(order);
        self.overwritten.insert(value, orders);
    }

    fn add_use(&mut self, value: ValueId, used: Use) {
        let mut uses = self.uses.remove(value).unwrap_or_default();
        uses.push(used);
        self.uses.insert(value, uses);
    }

    /// Backwards, so that the uses of a value are known when it is decided.
    fn walk(&mut self, region: RegionId) {
        let root = self.positions.terminator(self.func, region);
        for &value in self.func.regions[region].terminator.values() {
            self.add_use(value, Use { root, direct: true });
        }
        for &op in self.func.regions[region].ops.iter().rev() {
            for nested in self.func.ops[op].op.regions().into_iter().rev() {
                self.walk(nested);
            }
            let fate = self.decide(op);
            self.inlining.fates.insert(op, fate);
            let data = &self.func.ops[op];
            let skips = matches!(data.op, Op::Select { .. } | Op::Binary(BinaryOp::And | BinaryOp::Or, ..));
            let roots: SmallVec<[Use; 2]> = match fate {
                Fate::Dropped => continue,
                Fate::Statement => SmallVec::from_iter([Use { root: self.positions.op(op), direct: !skips }]),
                Fate::Inlined => self.uses.get(data.results[0]).cloned().unwrap_or_default(),
            };
            let inlined = fate == Fate::Inlined;
            data.op.for_each_operand(|operand| {
                for used in &roots {
                    self.add_use(operand, Use { root: used.root, direct: used.direct && !inlined });
                }
            });
        }
    }

    fn decide(&self, op: OpId) -> Fate {
        let data = &self.func.ops[op];
        if is_leaf(&data.op) || self.is_resource(&data.op) || self.is_constant_vector(data) {
            return Fate::Inlined;
        }
        let effect = self.module.effect_of(self.id, &data.op);
        if data.results.len() != 1 || !data.op.regions().is_empty() {
            let unused = data.results.iter().all(|&result| self.uses.get(result).is_none());
            let plain = data.op.regions().is_empty() && effect != Effect::Write;
            return if unused && plain { Fate::Dropped } else { Fate::Statement };
        }
        let result = data.results[0];
        let uses: &[Use] = self.uses.get(result).map_or(&[], |uses| uses);
        if uses.is_empty() {
            return if effect == Effect::Write { Fate::Statement } else { Fate::Dropped };
        }
        if is_statement(&data.op) || self.inlining.fates.get(op) == Some(&Fate::Statement) {
            return Fate::Statement;
        }
        if let Op::Call { callee: ir::Callee::Func(callee), .. } = data.op
            && !returns_one_value(&self.module.funcs[callee])
        {
            return Fate::Statement;
        }
        if self.func.values[result].name.is_some() && !self.steps.contains(&result) {
            return Fate::Statement;
        }
        let cheap = self.is_cheap(&data.op);
        if uses.len() > 1 && !cheap {
            return Fate::Statement;
        }
        if uses.iter().all(|used| self.may_move(op, effect, cheap, used)) { Fate::Inlined } else { Fate::Statement }
    }

    /// Whether the value of `op` may be computed at the root of `used` instead of where it stands.
    fn may_move(&self, op: OpId, effect: Effect, cheap: bool, used: &Use) -> bool {
        let here = self.positions.op(op);
        let Some(there) = self.positions.lift(used.root, here.region) else { return false };
        let data = &self.func.ops[op];
        let constant = matches!(&data.op, Op::Load { handle, .. } if self.is_constant_memory(*handle));
        let loops = self.positions.outermost_loop_between(used.root.region, here.region);
        if loops.is_some() && !(cheap && (effect == Effect::Pure || constant)) {
            return false;
        }
        if effect != Effect::Pure && !constant {
            let barrier = if effect == Effect::Read { Effect::Write } else { Effect::Read };
            let between = here.index as usize..there.index as usize - 1;
            let ops = &self.func.regions[here.region].ops;
            let passes = |&op: &OpId| self.module.effect_of(self.id, &self.func.ops[op].op) < barrier;
            if used.root.region != here.region || !ops[between].iter().all(passes) {
                return false;
            }
            if effect == Effect::Write && !used.direct {
                return false;
            }
        }
        let until = match loops {
            Some(outer) => self.positions.op_end(outer),
            None => self.positions.order(self.func, used.root),
        };
        let from = self.positions.order(self.func, here);
        let mut moves = true;
        data.op.for_each_operand(|operand| {
            if let Some(orders) = self.overwritten.get(operand) {
                moves &= !orders.iter().any(|&order| from < order && order < until);
            }
        });
        moves
    }

    /// Parts of variables and uniforms, which may be written out as often as they are used.
    fn is_cheap(&self, op: &Op) -> bool {
        let is_const = |path: &[PathStep]| path.iter().all(|step| matches!(step, PathStep::Const(_)));
        match op {
            Op::Extract { path, .. } => is_const(path),
            Op::Swizzle { .. } => true,
            Op::Load { handle, path } => is_const(path) && self.is_constant_memory(*handle),
            _ => false,
        }
    }

    /// A resource of an array, which not every language has variables for. It is read where it is used.
    fn is_resource(&self, op: &Op) -> bool {
        matches!(op, Op::Load { handle, .. } if self.module.types.resource_array(self.func.ty(*handle)).is_some())
    }

    /// A vector of constants reads like a constant.
    fn is_constant_vector(&self, data: &ir::OpData) -> bool {
        let is_const =
            |value: &ValueId| matches!(self.func.defining_op(*value).map(|data| &data.op), Some(Op::Const(_)));
        let &[result] = &data.results[..] else { return false };
        let is_vector = matches!(self.module.types.get(self.func.ty(result)), Type::Vector { .. });
        is_vector
            && self.func.values[result].name.is_none()
            && match &data.op {
                Op::Splat(element) => is_const(element),
                Op::Make(elements) => elements.iter().all(is_const),
                _ => false,
            }
    }

    fn is_constant_memory(&self, handle: ValueId) -> bool {
        matches!(
            self.module.types.get(self.func.ty(handle)),
            Type::Handle(HandleType::ConstantBuffer { .. } | HandleType::StructuredBuffer { writable: false, .. })
        )
    }
}

/// Ops that cost nothing wherever they are written.
fn is_leaf(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Zero | Op::Undef | Op::Global(_) | Op::Builtin(_))
}

/// Ops that are never part of an expression; not every language has one for them.
fn is_statement(op: &Op) -> bool {
    let alone = match op {
        Op::Insert { .. } | Op::Atomic { .. } | Op::ByteAtomic { .. } | Op::BufferLength { .. } => true,
        Op::Intrinsic { intrinsic: Intrinsic::Texture(op), .. } => op.atomic().is_some(),
        _ => false,
    };
    alone || !op.regions().is_empty()
}
