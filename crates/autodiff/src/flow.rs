//! How values depend on each other, as a graph: the ground that activity analysis stands on.
//!
//! An edge says that a value is made from another, and what becomes of the derivative on the way. Edges follow values,
//! not control: conditions, selectors and indices have none. Any control flow will do, normalised or not.

use ir::{
    BinaryOp, Callee, Func, FuncId, FuncRules, Intrinsic, MathFn, Module, Op, OpId, PathStep, RegionId, Terminator,
    Type, TypeId, UnaryOp, ValueId,
    intrinsic::{Derivative, TextureOp},
    types::TypeTable,
};
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashSet;

use crate::{
    held::{self, Held},
    rules::{Class, math_rule},
};

/// What becomes of the derivative along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It goes along.
    Derivative,
    /// There is none any more (integers), but the value still goes along.
    Number,
    /// It is lost here.
    Lost(Loss),
    /// What was put into a place that holds no derivative comes out again: lost there, not here.
    Unheld,
    /// A value without derivative goes into a call, which may make what comes out from it.
    Argument,
}

/// Where a derivative is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// A call of a function that is not differentiable.
    Call(FuncId),
    /// A function of the core library that has no derivative.
    Intrinsic,
    /// Stored into a field marked `no_diff`.
    NoDiffField,
    /// Stored into an aggregate whose type has no derivative.
    NonDifferentiableLocation,
    /// Converted to an integer.
    ToInteger,
    /// Given to a function that makes something from it whose type has no derivative.
    PlainResult(FuncId),
    /// Reinterpreted as bits.
    Bitcast,
    /// A function that is constant almost everywhere.
    Rounding(MathFn),
    /// Written to memory.
    Memory,
    /// Given to a function that writes it to memory, by the way with this number in its summary.
    StoredByCall(FuncId, u32),
    /// Converted to an interface that is not differentiable.
    ToInterface,
    /// Given to a differentiable function whose parameter, receiver or result carries none where it is declared, because
    /// no bound of its generic type, or no base of its interface, says so.
    Unbounded(FuncId),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub from: ValueId,
    pub to: ValueId,
    pub passage: Passage,
    /// The operation that makes the step; `None` where a region's end gives values to what owns it.
    pub op: Option<OpId>,
}

/// A value that leaves the function with its derivative.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sink {
    /// Result slot.
    Result(usize),
    /// Argument of a call of a differentiable function.
    Argument(OpId),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Flow {
    pub edges: Vec<Edge>,
    pub sinks: Vec<(ValueId, Sink)>,
    /// What each result slot is given, differentiable or not.
    pub returned: Vec<(ValueId, usize)>,
    /// Calls of differentiable functions.
    pub calls: Vec<(FuncId, OpId)>,
    /// Values written to memory.
    pub stores: Vec<(ValueId, OpId)>,
}

/// The derivatives that a function needs of those that it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    Any,
    Forward,
    Backward,
}

impl Needed {
    /// What the attributes of a function promise. One that may be differentiated in both directions needs only backward
    /// derivatives: that one of its callees has none forward is an error where the forward derivative is asked for.
    fn by(rules: &FuncRules) -> Needed {
        match (rules.forward_differentiable, rules.backward_differentiable) {
            (_, true) => Needed::Backward,
            (true, false) => Needed::Forward,
            (false, false) => Needed::Any,
        }
    }

    /// Whether calls of `callee` have such derivatives.
    fn of(self, funcs: &Arena<Func>, callee: FuncId) -> bool {
        let has = |rules: &FuncRules| match self {
            Needed::Any => rules.has_forward() || rules.has_backward(),
            Needed::Forward => rules.has_forward(),
            Needed::Backward => rules.has_backward(),
        };
        let rules = &funcs[callee].rules;
        has(rules) || rules.primal_substitute.is_some_and(|substitute| has(&funcs[substitute].rules))
    }
}

/// Whether calls of `callee` have derivatives.
pub(crate) fn is_differentiable(funcs: &Arena<Func>, callee: FuncId) -> bool {
    Needed::Any.of(funcs, callee)
}

/// Which derivative is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

/// Whether a derivative through a call of `callee` gets to one that the user wrote for the mode. Such a derivative may have
/// effects and may make derivatives from nothing, so that it runs whether or not derivatives go in or come out.
pub(crate) fn has_written(funcs: &Arena<Func>, callee: FuncId, mode: Mode) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![callee];
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let func = &funcs[id];
        let (written, through_body) = match mode {
            Mode::Reverse => (func.rules.backward, func.rules.backward_differentiable),
            Mode::Forward => (func.rules.forward, func.rules.has_forward()),
        };
        if written.is_some() {
            return true;
        }
        if func.rules.treat_as_differentiable || !through_body {
            continue;
        }
        for (_, data) in func.ops.iter() {
            if let Op::Call { callee: Callee::Func(callee), no_diff: false, .. } = data.op {
                pending.push(callee);
                pending.extend(funcs[callee].rules.primal_substitute);
            }
        }
    }
    false
}

/// The graph of a function. `types` and `funcs` are those of its module.
pub(crate) fn flow(types: &TypeTable, funcs: &Arena<Func>, func: &Func) -> Flow {
    flow_for(types, funcs, func, Needed::Any)
}

fn flow_for(types: &TypeTable, funcs: &Arena<Func>, func: &Func, needed: Needed) -> Flow {
    let mut walk = FlowWalk { types, funcs, func, needed, flow: Flow::default(), unkept: Vec::new() };
    if let Some(body) = func.body {
        walk.region(body, &Owner::Function, None);
    }
    walk.held();
    walk.flow
}

/// The graph of a function of the module as its attributes promise it, without what goes through memory.
pub(crate) fn flow_as_promised(module: &Module, func: FuncId) -> Flow {
    let needed = Needed::by(&module.funcs[func].rules);
    flow_for(&module.types, &module.funcs, &module.funcs[func], needed)
}

/// What a region's end gives its values to.
enum Owner<'o> {
    Function,
    /// `if`, `switch`, `match`.
    Branch {
        results: &'o [ValueId],
    },
    Loop {
        params: [&'o [ValueId]; 2],
        results: &'o [ValueId],
    },
    /// A loop's condition: the value is a condition, not data.
    Condition,
}

struct FlowWalk<'a> {
    types: &'a TypeTable,
    funcs: &'a Arena<Func>,
    func: &'a Func,
    needed: Needed,
    flow: Flow,
    /// Parts taken out of where no derivative is kept.
    unkept: Vec<OpId>,
}

impl FlowWalk<'_> {
    fn differentiable(&self, value: ValueId) -> bool {
        self.types.is_differentiable(self.func.ty(value))
    }

    fn edge(&mut self, from: ValueId, to: ValueId, passage: Passage, op: Option<OpId>) {
        self.flow.edges.push(Edge { from, to, passage, op });
    }

    /// The value goes along as it is.
    fn pass(&mut self, from: ValueId, to: ValueId, op: Option<OpId>) {
        let passage = match (self.differentiable(from), self.differentiable(to)) {
            (true, true) => Passage::Derivative,
            (true, false) => Passage::Lost(Loss::NonDifferentiableLocation),
            (false, _) => Passage::Number,
        };
        self.edge(from, to, passage, op);
    }

    fn pass_all(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (&from, &to) in from.iter().zip(to) {
            self.pass(from, to, None);
        }
    }

    fn region(&mut self, region: RegionId, owner: &Owner<'_>, around: Option<&Owner<'_>>) {
        let func = self.func;
        // `around` is the innermost loop, which `break` and `continue` belong to.
        let around = if matches!(owner, Owner::Loop { .. }) { Some(owner) } else { around };
        for &op in &func.regions[region].ops {
            self.op(op, around);
        }
        match (&func.regions[region].terminator, owner, around) {
            (Terminator::Yield(values), Owner::Branch { results }, _) => self.pass_all(values, results),
            (Terminator::Yield(values), Owner::Loop { params, results }, _)
            | (Terminator::Continue(values), _, Some(Owner::Loop { params, results })) => {
                self.pass_all(values, params[0]);
                self.pass_all(values, params[1]);
                self.pass_all(values, results);
            }
            (Terminator::Break(values), _, Some(Owner::Loop { results, .. })) => self.pass_all(values, results),
            (Terminator::Return(values), _, _) => {
                for (index, (&value, slot)) in values.iter().zip(&func.results).enumerate() {
                    self.flow.returned.push((value, index));
                    if slot.differentiable {
                        self.flow.sinks.push((value, Sink::Result(index)));
                    }
                }
            }
            _ => {}
        }
    }

    fn op(&mut self, id: OpId, around: Option<&Owner<'_>>) {
        let func = self.func;
        let data = &func.ops[id];
        let result = data.results.first().copied();
        match (&data.op, result) {
            (
                Op::Const(_)
                | Op::Zero
                | Op::Undef
                | Op::Detach(_)
                | Op::Forget(_)
                | Op::Global(_)
                | Op::Builtin(_)
                | Op::BufferLength { .. }
                | Op::Barrier { .. }
                | Op::Print { .. }
                | Op::SumTag(_)
                | Op::ByteLoad { .. }
                | Op::Load { .. },
                _,
            ) => {}
            (Op::Unary(UnaryOp::Neg, operand), Some(result)) => self.pass(*operand, result, Some(id)),
            (Op::Unary(UnaryOp::Not | UnaryOp::BitNot, operand), Some(result)) => {
                self.edge(*operand, result, Passage::Number, Some(id));
            }
            (Op::Binary(op, left, right), Some(result)) => self.binary(*op, *left, *right, result, id),
            (Op::Math(function, args), Some(result)) => self.math(*function, args, result, id),
            (Op::Convert(operand), Some(result)) => self.convert(*operand, result, id),
            (Op::Bitcast(operand), Some(result)) => self.bitcast(*operand, result, id),
            (Op::Select { then, otherwise, .. }, Some(result)) => {
                self.pass(*then, result, Some(id));
                self.pass(*otherwise, result, Some(id));
            }
            (Op::Make(parts), Some(result)) => self.make(parts, result, id),
            (Op::Splat(operand), Some(result)) => self.pass(*operand, result, Some(id)),
            (Op::Extract { aggregate, path }, Some(result)) => {
                if self.keeps_derivative(func.ty(*aggregate), path) {
                    self.pass(*aggregate, result, Some(id));
                } else {
                    self.unkept.push(id);
                }
            }
            (Op::Insert { aggregate, path, value }, Some(result)) => {
                self.pass(*aggregate, result, Some(id));
                self.put_into(*value, result, path, id);
            }
            (Op::Swizzle { vector, .. }, Some(result)) => self.pass(*vector, result, Some(id)),
            (Op::SumMake { value, .. }, Some(result)) => self.pass(*value, result, Some(id)),
            (Op::Call { callee, args, no_diff }, _) => self.call(*callee, args, *no_diff, id),
            (Op::If { then, otherwise, .. }, _) => {
                let owner = Owner::Branch { results: &data.results };
                self.region(*then, &owner, around);
                self.region(*otherwise, &owner, around);
            }
            (Op::Switch { cases, default, .. }, _) => {
                let owner = Owner::Branch { results: &data.results };
                for (_, region) in cases {
                    self.region(*region, &owner, around);
                }
                self.region(*default, &owner, around);
            }
            (Op::SumMatch { sum, variants, null }, _) => {
                let owner = Owner::Branch { results: &data.results };
                for region in variants {
                    for &param in &func.regions[*region].params {
                        self.pass(*sum, param, Some(id));
                    }
                    self.region(*region, &owner, around);
                }
                if let Some(region) = null {
                    self.region(*region, &owner, around);
                }
            }
            (Op::Loop { init, cond, body, .. }, _) => {
                let params = [&func.regions[*cond].params[..], &func.regions[*body].params[..]];
                self.pass_all(init, params[0]);
                self.pass_all(init, params[1]);
                self.pass_all(init, &data.results);
                self.region(*cond, &Owner::Condition, None);
                self.region(*body, &Owner::Loop { params, results: &data.results }, None);
            }
            (Op::Store { value, .. } | Op::ByteStore { value, .. }, _) => self.flow.stores.push((*value, id)),
            (Op::Atomic { operands, .. } | Op::ByteAtomic { operands, .. }, _) => {
                self.flow.stores.extend(operands.iter().map(|&value| (value, id)));
            }
            (Op::Intrinsic { intrinsic, args }, _) => self.intrinsic(*intrinsic, args, &data.results, id),
            // Verified operations of these kinds have a result.
            (
                Op::Unary(..)
                | Op::Binary(..)
                | Op::Math(..)
                | Op::Convert(_)
                | Op::Bitcast(_)
                | Op::Select { .. }
                | Op::Make(_)
                | Op::Splat(_)
                | Op::Extract { .. }
                | Op::Insert { .. }
                | Op::Swizzle { .. }
                | Op::SumMake { .. },
                None,
            ) => {}
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[ValueId], results: &[ValueId], id: OpId) {
        let (func, types) = (self.func, self.types);
        // What goes with a texture and is not a number that could carry a derivative says where to look.
        let is_handle = |arg: &ValueId| matches!(types.get(func.ty(*arg)), Type::Handle(_));
        let has_handle = args.iter().any(is_handle);
        if let (Intrinsic::Texture(TextureOp::Store), Some(&texel)) = (intrinsic, args.last()) {
            self.flow.stores.push((texel, id));
        }
        for &result in results {
            for &arg in args {
                if has_handle && !self.differentiable(arg) {
                    continue;
                }
                let lost = match intrinsic.derivative() {
                    Derivative::Lost => self.differentiable(arg) && self.differentiable(result),
                    // The verifier has seen to it.
                    Derivative::None => false,
                };
                let passage = if lost { Passage::Lost(Loss::Intrinsic) } else { Passage::Number };
                self.edge(arg, result, passage, Some(id));
            }
        }
    }

    fn make(&mut self, parts: &[ValueId], result: ValueId, id: OpId) {
        for (index, &part) in parts.iter().enumerate() {
            let index = index as u32;
            if matches!(self.types.get(self.func.ty(result)), Type::Matrix { .. } | Type::Vector { .. }) {
                self.pass(part, result, Some(id));
            } else {
                self.put_into(part, result, &[PathStep::Const(index)], id);
            }
        }
    }

    fn convert(&mut self, operand: ValueId, result: ValueId, id: OpId) {
        let passage = match (self.differentiable(operand), self.differentiable(result)) {
            (true, true) => Passage::Derivative,
            (true, false) if matches!(self.types.get(self.func.ty(result)), Type::Opaque(_)) => {
                Passage::Lost(Loss::ToInterface)
            }
            (true, false) => Passage::Lost(Loss::ToInteger),
            (false, _) => Passage::Number,
        };
        self.edge(operand, result, passage, Some(id));
    }

    fn bitcast(&mut self, operand: ValueId, result: ValueId, id: OpId) {
        let lost = self.differentiable(operand);
        let passage = if lost { Passage::Lost(Loss::Bitcast) } else { Passage::Number };
        self.edge(operand, result, passage, Some(id));
    }

    fn math(&mut self, function: MathFn, args: &[ValueId], result: ValueId, id: OpId) {
        let class = math_rule(function).class;
        for &arg in args {
            match class {
                Class::ComponentWise(_) | Class::Composite => self.pass(arg, result, Some(id)),
                Class::Constant if self.differentiable(arg) => {
                    self.edge(arg, result, Passage::Lost(Loss::Rounding(function)), Some(id));
                }
                Class::Constant => self.edge(arg, result, Passage::Number, Some(id)),
                Class::NotDifferentiable => match function {
                    MathFn::F32ToF16 => self.edge(arg, result, Passage::Lost(Loss::ToInteger), Some(id)),
                    MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite | MathFn::All | MathFn::Any => {}
                    _ => self.edge(arg, result, Passage::Number, Some(id)),
                },
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ValueId, right: ValueId, result: ValueId, id: OpId) {
        if op.is_comparison() {
            return;
        }
        self.pass(left, result, Some(id));
        self.pass(right, result, Some(id));
    }

    /// A value becomes the part of `result` at `path`.
    fn put_into(&mut self, value: ValueId, result: ValueId, path: &[PathStep], id: OpId) {
        let aggregate = self.func.ty(result);
        let passage = if !self.differentiable(value) {
            Passage::Number
        } else if !self.types.is_differentiable(aggregate) {
            Passage::Lost(Loss::NonDifferentiableLocation)
        } else if self.keeps_derivative(aggregate, path) {
            Passage::Derivative
        } else {
            Passage::Lost(Loss::NoDiffField)
        };
        self.edge(value, result, passage, Some(id));
    }

    /// Whether each struct field on the path has its place in the differential.
    fn keeps_derivative(&self, aggregate: TypeId, path: &[PathStep]) -> bool {
        let mut ty = aggregate;
        for &step in path {
            ty = match (self.types.get(ty), step) {
                (Type::Struct(id), PathStep::Const(index)) => {
                    let def = &self.types.structs[id];
                    let Some(differential) = &def.differential else {
                        return false;
                    };
                    let Some(field) = def.fields.get(index as usize) else {
                        return false;
                    };
                    if field.no_diff || !matches!(differential.fields.get(index as usize), Some(Some(_))) {
                        return false;
                    }
                    field.ty
                }
                (Type::Array { element, .. }, _) => element,
                (Type::Vector { .. } | Type::Matrix { .. } | Type::Opaque(_), _) => return true,
                _ => return false,
            };
        }
        true
    }

    fn call(&mut self, callee: Callee, args: &[ValueId], no_diff: bool, id: OpId) {
        let results = &self.func.ops[id].results;
        if no_diff {
            return;
        }
        let (target, differentiable) = match callee {
            Callee::Func(target) => {
                if self.funcs[target].rules.treat_as_differentiable {
                    return;
                }
                (target, self.needed.of(self.funcs, target))
            }
            Callee::Derivative(..) => {
                for &arg in args.iter().filter(|&&arg| self.differentiable(arg)).collect::<Vec<_>>() {
                    self.flow.sinks.push((arg, Sink::Argument(id)));
                    for &result in results {
                        if self.differentiable(result) {
                            self.edge(arg, result, Passage::Derivative, Some(id));
                        }
                    }
                }
                return;
            }
        };
        self.flow.calls.push((target, id));
        let func = &self.funcs[target];
        for (index, (&arg, input)) in (0..).zip(args.iter().zip(&func.inputs)) {
            let carries = self.differentiable(arg);
            let is_marked = func.rules.marked_inputs.contains(&index);
            if carries && input.differentiable && differentiable {
                self.flow.sinks.push((arg, Sink::Argument(id)));
            }
            for (&result, slot) in results.iter().zip(&func.results) {
                let passage = match (carries, differentiable) {
                    (false, _) => Passage::Argument,
                    _ if !self.differentiable(result) => match is_marked {
                        true => continue,
                        false => Passage::Lost(Loss::PlainResult(target)),
                    },
                    (true, true) if input.differentiable && slot.differentiable => Passage::Derivative,
                    (true, true) => Passage::Lost(Loss::Unbounded(target)),
                    (true, false) if input.differentiable => Passage::Lost(Loss::Call(target)),
                    (true, false) => continue,
                };
                self.edge(arg, result, passage, Some(id));
            }
        }
    }

    /// What was put into a place that keeps no derivative comes out again, along whatever way the place itself went.
    fn held(&mut self) {
        if self.unkept.is_empty() {
            return;
        }
        let mut given: ArenaMap<ValueId, Vec<ValueId>> = ArenaMap::default();
        for edge in self.flow.edges.iter().filter(|edge| edge.op.is_none()) {
            given.entry(edge.to).or_default().push(edge.from);
        }
        for op in std::mem::take(&mut self.unkept) {
            let data = &self.func.ops[op];
            let (Op::Extract { aggregate, path }, Some(&result)) = (&data.op, data.results.first()) else { continue };
            for held in held::values_at(self.func, &given, *aggregate, path) {
                match held {
                    Held::Whole(value) if self.differentiable(value) && self.differentiable(result) => {
                        self.edge(value, result, Passage::Unheld, Some(op));
                    }
                    Held::Around(value, ref rest)
                        if self.differentiable(result) && self.keeps_derivative(self.func.ty(value), rest) =>
                    {
                        self.edge(value, result, Passage::Unheld, Some(op));
                    }
                    // Of a type with a derivative the part has none by the user's declaration.
                    Held::Around(value, _) if self.differentiable(value) => {}
                    Held::Whole(value) | Held::Around(value, _) => self.edge(value, result, Passage::Number, Some(op)),
                }
            }
        }
    }
}
