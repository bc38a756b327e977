//! Values that share a variable.
//!
//! Every value that is not inlined belongs to a class, and each class becomes one local. Where the IR hands a value on
//! (into a loop, from an arm, through an `insert` or an `inout` argument, to an `out` parameter) the two ends are put
//! into one class if no values of the two classes are needed at one time. What remains apart is copied. So an array
//! that is updated in a loop stays in place, and a copy appears only where the old value is still needed.
//!
//! Values to which the user gave different names are not merged: `float y = x;` is a copy in the source too.

use ir::{Callee, Func, Module, Op, RegionId, Terminator, Type, TypeId, ValueId};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::build::{Signature, signature};
use super::inline::{Fate, Inlining};
use super::interference::Members;
use super::liveness::Liveness;
use super::names;

/// Index into [`Classes::classes`].
pub(crate) type ClassId = usize;

#[derive(Debug)]
pub(crate) struct Class {
    members: Members,
    pub name: Option<SmolStr>,
    pub ty: TypeId,
    /// The parameter of the function that the class is, by its number in the signature.
    pub param: Option<usize>,
    /// Whether anything reads the variable.
    pub is_used: bool,
}

impl Class {
    fn new(ty: TypeId) -> Class {
        Class { members: Members::new(), name: None, ty, param: None, is_used: false }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Classes {
    classes: Vec<Class>,
    class_of: ArenaMap<ValueId, ClassId>,
    /// For each class the one that it went into, or itself.
    merged_into: Vec<ClassId>,
    /// For each result of the function the class of its parameter, if it is one.
    slots: Vec<Option<ClassId>>,
}

/// A hand-over that costs a copy if the ends are in different classes.
struct Affinity {
    /// Bytes that a copy would move: the large ones are merged first.
    size: u64,
    left: ValueId,
    right: End,
}

#[derive(Clone, Copy)]
enum End {
    Value(ValueId),
    Slot(usize),
}

impl Classes {
    pub(crate) fn of(&self, value: ValueId) -> Option<ClassId> {
        self.class_of.get(value).map(|class| self.merged(*class))
    }

    pub(crate) fn slot(&self, slot: usize) -> Option<ClassId> {
        self.slots[slot].map(|class| self.merged(class))
    }

    fn merged(&self, mut class: ClassId) -> ClassId {
        while self.merged_into[class] != class {
            class = self.merged_into[class];
        }
        class
    }

    /// [`Classes::merged`], which takes a shorter way the next time.
    fn shortened(&mut self, mut class: ClassId) -> ClassId {
        while self.merged_into[class] != class {
            self.merged_into[class] = self.merged_into[self.merged_into[class]];
            class = self.merged_into[class];
        }
        class
    }

    fn push(&mut self, class: Class) -> ClassId {
        let id = self.classes.len();
        self.classes.push(class);
        self.merged_into.push(id);
        id
    }

    pub(crate) fn get(&self, class: ClassId) -> &Class {
        &self.classes[class]
    }

    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }
}

struct Context<'a> {
    module: &'a Module,
    func: &'a Func,
    inlining: &'a Inlining,
    liveness: &'a Liveness<'a>,
    classes: Classes,
    affinities: Vec<Affinity>,
    sizes: FxHashMap<TypeId, u64>,
    /// Results that are written before all operands of their op are read, with these operands, and the other way round.
    conflicts: FxHashMap<ValueId, Vec<ValueId>>,
}

pub(crate) fn coalesce(
    module: &Module,
    func: &Func,
    body: RegionId,
    inlining: &Inlining,
    liveness: &Liveness<'_>,
) -> Classes {
    let mut context = Context {
        module,
        func,
        inlining,
        liveness,
        classes: Classes::default(),
        affinities: Vec::new(),
        sizes: FxHashMap::default(),
        conflicts: FxHashMap::default(),
    };
    context.add_params(&signature(func));
    context.region(body);
    let mut affinities = std::mem::take(&mut context.affinities);
    affinities.sort_by_key(|affinity| std::cmp::Reverse(affinity.size));
    for affinity in affinities {
        let right = match affinity.right {
            End::Value(value) => context.classes.class_of.get(value),
            End::Slot(slot) => context.classes.slots[slot].as_ref(),
        };
        if let (Some(&left), Some(&right)) = (context.classes.class_of.get(affinity.left), right) {
            let (left, right) = (context.classes.shortened(left), context.classes.shortened(right));
            context.merge_if_possible(left, right);
        }
    }
    for class in 0..context.classes.len() {
        context.classes.shortened(class);
    }
    context.classes
}

impl Context<'_> {
    fn add_params(&mut self, signature: &Signature) {
        self.classes.slots = vec![None; self.func.results.len()];
        for (index, param) in signature.params.iter().enumerate() {
            let class = Class::new(param.ty);
            let name = Some(param.name.clone());
            let class = self.classes.push(Class { name, param: Some(index), is_used: true, ..class });
            if let Some(input) = param.input {
                self.join(self.func.input_values()[input], class);
            }
            if let Some(slot) = param.slot {
                self.classes.slots[slot] = Some(class);
            }
        }
    }

    fn add(&mut self, value: ValueId) -> ClassId {
        let class = self.classes.push(Class::new(self.func.ty(value)));
        self.join(value, class);
        class
    }

    /// Makes `value` a member of a class, which takes its name if it has none.
    fn join(&mut self, value: ValueId, class: ClassId) {
        self.classes.class_of.insert(value, class);
        let class = &mut self.classes.classes[class];
        class.members.insert(self.liveness.positions.definition_order(self.func, value), value);
        class.name = class.name.take().or_else(|| name_of(self.func, value));
        class.is_used |= self.liveness.is_used(value);
    }

    fn affinity(&mut self, left: ValueId, right: End) {
        let ty = self.func.ty(left);
        let size = *self.sizes.entry(ty).or_insert_with(|| size_of(self.module, ty));
        self.affinities.push(Affinity { size, left, right });
    }

    fn affinities(&mut self, left: &[ValueId], right: &[ValueId]) {
        for (&left, &right) in left.iter().zip(right) {
            self.affinity(left, End::Value(right));
        }
    }

    fn region(&mut self, region: RegionId) {
        let func = self.func;
        for &op in &func.regions[region].ops {
            let data = &func.ops[op];
            if self.inlining.fate(op) != Fate::Statement {
                continue;
            }
            match &data.op {
                Op::Loop { init, cond, body, .. } => self.loop_(init, *cond, *body, &data.results),
                _ => {
                    for &result in &data.results {
                        self.add(result);
                    }
                }
            }
            for nested in data.op.regions() {
                if !matches!(data.op, Op::Loop { .. }) {
                    for &param in &func.regions[nested].params {
                        self.add(param);
                    }
                    if let Terminator::Yield(values) = &func.regions[nested].terminator {
                        self.affinities(values, &data.results);
                    }
                }
                self.region(nested);
            }
            // `x = x * 2` gives the user's variable a new value.
            for &result in &data.results {
                if func.values[result].name.is_some() {
                    data.op.for_each_operand(|operand| self.same_variable(operand, result));
                }
            }
            match &data.op {
                Op::Insert { aggregate, path, value } => {
                    self.affinity(*aggregate, End::Value(data.results[0]));
                    self.conflict(data.results[0], *value, *aggregate);
                    for step in path {
                        if let ir::PathStep::Dynamic(index) = step {
                            self.conflict(data.results[0], *index, *aggregate);
                        }
                    }
                }
                Op::Call { callee: Callee::Func(callee), args, .. } => {
                    // Nor is one variable given to an `out` parameter and to another: readers, and slangc, take that
                    // for a mistake.
                    for param in signature(&self.module.funcs[*callee]).params {
                        let Some(&result) = param.slot.and_then(|slot| data.results.get(slot)) else { continue };
                        let own = param.input.and_then(|input| args.get(input)).copied();
                        if let Some(own) = own {
                            self.affinity(own, End::Value(result));
                        }
                        for (index, &other) in args.iter().enumerate() {
                            if Some(index) != param.input {
                                self.conflict(result, other, own.unwrap_or(result));
                            }
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
                | Op::Loop { .. }
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
        if let Terminator::Return(values) = &func.regions[region].terminator {
            for (slot, &value) in values.iter().enumerate() {
                self.affinity(value, End::Slot(slot));
            }
        }
    }

    /// Affinities of `result` with the values in the expression `operand` that the user gave the same name.
    fn same_variable(&mut self, operand: ValueId, result: ValueId) {
        let func = self.func;
        if self.inlining.is_inlined(func, operand) {
            if let Some(data) = func.defining_op(operand) {
                data.op.for_each_operand(|below| self.same_variable(below, result));
            }
        } else if func.ty(operand) == func.ty(result) && name_of(func, operand) == name_of(func, result) {
            self.affinity(operand, End::Value(result));
        }
    }

    /// The carried values of a loop are one variable each, in the condition, the body and after it.
    fn loop_(&mut self, init: &[ValueId], cond: RegionId, body: RegionId, results: &[ValueId]) {
        let func = self.func;
        let (cond_params, body_params) = (&func.regions[cond].params, &func.regions[body].params);
        for (index, &param) in cond_params.iter().enumerate() {
            let class = self.add(param);
            for value in [body_params.get(index), results.get(index)].into_iter().flatten() {
                self.join(*value, class);
            }
        }
        self.affinities(init, cond_params);
        self.next_values(body, cond_params);
    }

    /// Affinities of the values with which the loop that `region` belongs to goes on or ends.
    fn next_values(&mut self, region: RegionId, params: &[ValueId]) {
        let func = self.func;
        match &func.regions[region].terminator {
            Terminator::Yield(values) => self.affinities(values, params),
            Terminator::Break(values) | Terminator::Continue(values) => self.affinities(values, params),
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
        for &op in &func.regions[region].ops {
            if !matches!(func.ops[op].op, Op::Loop { .. }) {
                for nested in func.ops[op].op.regions() {
                    self.exits(nested, params);
                }
            }
        }
    }

    fn exits(&mut self, region: RegionId, params: &[ValueId]) {
        if let Terminator::Yield(_) = self.func.regions[region].terminator {
            for &op in &self.func.regions[region].ops {
                if !matches!(self.func.ops[op].op, Op::Loop { .. }) {
                    for nested in self.func.ops[op].op.regions() {
                        self.exits(nested, params);
                    }
                }
            }
        } else {
            self.next_values(region, params);
        }
    }

    /// `result` is made from `source` and written before the expression for `operand` is read.
    fn conflict(&mut self, result: ValueId, operand: ValueId, source: ValueId) {
        if self.inlining.is_inlined(self.func, operand) {
            if let Some(data) = self.func.defining_op(operand) {
                data.op.for_each_operand(|below| self.conflict(result, below, source));
            }
        } else if operand != source {
            self.conflicts.entry(result).or_default().push(operand);
            self.conflicts.entry(operand).or_default().push(result);
        }
    }

    fn merge_if_possible(&mut self, left: ClassId, right: ClassId) {
        if left == right {
            return;
        }
        let (a, b) = (&self.classes.classes[left], &self.classes.classes[right]);
        let names_differ = matches!((&a.name, &b.name), (Some(a), Some(b)) if a != b);
        if names_differ || (a.param.is_some() && b.param.is_some()) || a.ty != b.ty {
            return;
        }
        let (few, many) = if a.members.len() <= b.members.len() { (left, right) } else { (right, left) };
        if self.in_conflict(few, many) || self.liveness.classes_interfere(&a.members, &b.members) {
            return;
        }
        let nothing = Class::new(self.classes.classes[right].ty);
        let mut merged = std::mem::replace(&mut self.classes.classes[right], nothing);
        self.classes.merged_into[right] = left;
        let target = &mut self.classes.classes[left];
        if merged.members.len() > target.members.len() {
            std::mem::swap(&mut merged.members, &mut target.members);
        }
        target.members.extend(merged.members);
        target.name = target.name.take().or(merged.name);
        target.param = target.param.or(merged.param);
        target.is_used |= merged.is_used;
    }

    fn in_conflict(&self, few: ClassId, many: ClassId) -> bool {
        let members = self.classes.classes[few].members.values();
        let mut others = members.filter_map(|member| self.conflicts.get(member)).flatten();
        others.any(|other| self.classes.of(*other) == Some(many))
    }
}

fn name_of(func: &Func, value: ValueId) -> Option<SmolStr> {
    func.values[value].name.as_deref().map(|name| names::variable(name).into())
}

/// The bytes of a value, roughly.
fn size_of(module: &Module, ty: TypeId) -> u64 {
    match module.types.get(ty) {
        Type::Scalar(scalar) => u64::from(scalar.bits() / 8),
        Type::Vector { scalar, len } => u64::from(scalar.bits() / 8) * u64::from(len),
        Type::Matrix { scalar, rows, cols } => u64::from(scalar.bits() / 8) * u64::from(rows) * u64::from(cols),
        Type::Array { element, len } => size_of(module, element).saturating_mul(len.into()),
        Type::Struct(id) => {
            module.types.structs[id].fields.iter().fold(0, |sum, field| sum.saturating_add(size_of(module, field.ty)))
        }
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => 8,
    }
}
