//! IR to statement trees.

use ir::{
    Callee, Constant, Func, FuncId, HandleType, Intrinsic, Module, Op, OpId, PathStep, RegionId, Role, SpanId,
    Terminator, Type, TypeId, ValueId,
    intrinsic::{PointerOp, TextureOp},
};
use la_arena::Arena;
use smol_str::SmolStr;

use super::coalesce::{ClassId, Classes, coalesce};
use super::inline::{self, Fate, Inlining};
use super::liveness::Liveness;
use super::names::Namer;
use super::position::Positions;
use super::tested_reads::TestedReads;
use super::{
    Block, Direction, Expr, ExprKind, Function, Local, LocalId, LocalKind, Place, Start, Step, Stmt, StmtKind,
    dynamic_steps,
};
use super::{copies, declare, defined, invented_names};
use crate::EmitError;
use crate::loops::{is_step, next_values};

/// The parameters of a function in a language with `out` and `inout`.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The parameters of the function in the code.
    pub params: Vec<Param>,
    /// The number of the result that is the return value.
    pub result: Option<usize>,
}

/// A parameter of the function in the code.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: SmolStr,
    /// Its type.
    pub ty: TypeId,
    /// The input that it is.
    pub input: Option<usize>,
    /// The result that it is.
    pub slot: Option<usize>,
}

impl Param {
    /// How it is passed.
    pub fn direction(&self) -> Direction {
        match (self.input, self.slot) {
            (Some(_), Some(_)) => Direction::InOut,
            (None, Some(_)) => Direction::Out,
            (_, None) => Direction::In,
        }
    }
}

/// The parameters in the order of their places.
pub fn signature(func: &Func) -> Signature {
    let mut params: Vec<(u32, Param)> = Vec::new();
    for (index, input) in func.inputs.iter().enumerate() {
        params.push((input.place, Param { name: input.name.clone(), ty: input.ty, input: Some(index), slot: None }));
    }
    let mut result = None;
    for (index, slot) in func.results.iter().enumerate() {
        match slot.role {
            Role::Return => result = Some(index),
            Role::InOut(input) => params[input as usize].1.slot = Some(index),
            Role::Out | Role::Failed | Role::Error | Role::Residuals | Role::Tangent(_) | Role::Cotangent(_) => {
                let param = Param { name: slot.name.clone(), ty: slot.ty, input: None, slot: Some(index) };
                params.push((slot.place, param));
            }
        }
    }
    params.sort_by_key(|(place, _)| *place);
    Signature { params: params.into_iter().map(|(_, param)| param).collect(), result }
}

/// Makes the trees of a function that has a body. `namer` knows the names that locals must not take; with `tested_reads` the
/// steps of reads say which indices may be out of bounds.
pub fn build(module: &Module, id: FuncId, namer: Namer, tested_reads: bool) -> Result<Function, EmitError> {
    let func = &module.funcs[id];
    let Some(body) = func.body else {
        return Err(EmitError::new(func.span, format!("`{}` has no body to emit", func.name)));
    };
    let positions = Positions::new(func, body);
    let inlining = inline::decide(module, id, func, body, &positions);
    let liveness = Liveness::new(func, body, &positions, &inlining);
    let classes = coalesce(module, func, body, &inlining, &liveness);
    let mut builder = Builder {
        module,
        func,
        tested: tested_reads.then(|| TestedReads::new(module, func, body)),
        inlining: &inlining,
        liveness: &liveness,
        class_locals: vec![None; classes.len()],
        classes,
        locals: Arena::new(),
        namer,
        loops: Vec::new(),
    };
    let signature = signature(func);
    let params = builder.params(&signature);
    let mut statements = Vec::new();
    builder.region(body, End::Body, &mut statements)?;
    remove_last_return(&mut statements);
    let mut function = Function {
        func: id,
        params,
        result: signature.result.map(|slot| func.results[slot].ty),
        locals: builder.locals,
        body: statements,
        span: func.span,
    };
    declare::declare(&mut function);
    if cfg!(debug_assertions) {
        defined::verify(module, &function);
    }
    declare::drop_marks(module, &mut function);
    Ok(function)
}

/// A `return` without a value is not needed where the function ends anyway.
fn remove_last_return(block: &mut Block) {
    if let Some(Stmt { kind: StmtKind::Return(None), .. }) = block.last() {
        block.pop();
    }
    if let Some(Stmt { kind: StmtKind::If { then, otherwise, .. }, .. }) = block.last_mut() {
        remove_last_return(then);
        remove_last_return(otherwise);
    }
}

/// Assignments that happen at one time.
#[derive(Default)]
struct Moves {
    values: Vec<(LocalId, Expr, SpanId)>,
    /// Variables whose value is not defined from there on.
    undefined: Vec<LocalId>,
}

/// What the `yield` of a region means.
#[derive(Clone, Copy)]
enum End<'a> {
    /// The function's body does not yield.
    Body,
    /// Assigns the results of the op.
    Arm(&'a [ValueId]),
    /// Goes on with the next iteration of the innermost loop.
    LoopBody,
}

struct Loop {
    results: Vec<ValueId>,
    params: Vec<ValueId>,
    /// The carried value that the `for` statement steps.
    stepped: Option<usize>,
}

struct Builder<'a> {
    module: &'a Module,
    func: &'a Func,
    tested: Option<TestedReads>,
    inlining: &'a Inlining,
    liveness: &'a Liveness<'a>,
    classes: Classes,
    class_locals: Vec<Option<LocalId>>,
    locals: Arena<Local>,
    namer: Namer,
    loops: Vec<Loop>,
}

impl<'a> Builder<'a> {
    fn params(&mut self, signature: &Signature) -> Vec<LocalId> {
        let mut params = Vec::new();
        for (class, param) in signature.params.iter().enumerate() {
            let name = self.namer.unique(&param.name);
            let kind = LocalKind::Param { direction: param.direction(), written: false };
            params.push(self.locals.alloc(Local { name, ty: param.ty, kind, start: Start::Unread }));
            self.class_locals[class] = Some(params[class]);
        }
        // Parameters have the first classes; those that were merged into others are found through their members.
        for class in 0..self.classes.len() {
            if let Some(param) = self.classes.get(class).param {
                self.class_locals[class] = Some(params[param]);
            }
        }
        params
    }

    fn class_local(&mut self, class: ClassId, invented: &str) -> LocalId {
        if let Some(local) = self.class_locals[class] {
            return local;
        }
        let data = self.classes.get(class);
        let name = self.namer.unique(data.name.as_deref().unwrap_or(invented));
        let local = self.locals.alloc(Local { name, ty: data.ty, kind: LocalKind::Variable, start: Start::Unread });
        self.class_locals[class] = Some(local);
        local
    }

    fn local(&mut self, value: ValueId) -> LocalId {
        match self.classes.of(value) {
            Some(class) => {
                let invented = invented_names::name(self.module, self.func, value);
                self.class_local(class, &invented)
            }
            // Values without a class are not read; this keeps the builder total.
            None => self.fresh(self.func.ty(value), "value"),
        }
    }

    fn fresh(&mut self, ty: TypeId, name: &str) -> LocalId {
        let name = self.namer.unique(name);
        self.locals.alloc(Local { name, ty, kind: LocalKind::Variable, start: Start::Unread })
    }

    fn is_used(&self, value: ValueId) -> bool {
        self.liveness.is_used(value)
    }

    fn region(&mut self, region: RegionId, end: End<'_>, out: &mut Block) -> Result<(), EmitError> {
        let func = self.func;
        for &op in &func.regions[region].ops {
            if self.inlining.fate(op) == Fate::Statement {
                self.statement(op, out)?;
            }
        }
        self.terminator(region, end, out)
    }

    fn terminator(&mut self, region: RegionId, end: End<'_>, out: &mut Block) -> Result<(), EmitError> {
        let func = self.func;
        let last = func.regions[region].ops.last().map_or(SpanId::NONE, |&op| func.ops[op].span);
        match &func.regions[region].terminator {
            Terminator::Yield(values) => match end {
                End::Body => {}
                End::Arm(results) => {
                    let moves = self.moves_to_values(results, values)?;
                    self.copy(moves, last, out);
                }
                End::LoopBody => self.next_iteration(values, last, out)?,
            },
            Terminator::Continue(values) => {
                self.next_iteration(values, last, out)?;
                out.push(Stmt { span: last, kind: StmtKind::Continue });
            }
            Terminator::Break(values) => {
                if let Some(around) = self.loops.last() {
                    let results = around.results.clone();
                    let moves = self.moves_to_values(&results, values)?;
                    self.copy(moves, last, out);
                }
                out.push(Stmt { span: last, kind: StmtKind::Break });
            }
            Terminator::Return(values) => self.return_(values, last, out)?,
            Terminator::Unreachable => {
                let left = func.regions[region].ops.last().is_some_and(|&op| !func.ops[op].op.regions().is_empty());
                if !left {
                    out.push(Stmt { span: last, kind: StmtKind::Return(self.no_value()) });
                }
            }
        }
        Ok(())
    }

    /// What a `return` that is never reached returns.
    fn no_value(&self) -> Option<Expr> {
        let slot = self.func.results.first().filter(|slot| slot.is_return())?;
        Some(Expr { ty: slot.ty, kind: ExprKind::Zero })
    }

    fn next_iteration(&mut self, values: &[ValueId], span: SpanId, out: &mut Block) -> Result<(), EmitError> {
        let Some(around) = self.loops.last() else { return Ok(()) };
        let (params, stepped) = (around.params.clone(), around.stepped);
        let kept = |index: &usize| Some(*index) != stepped;
        let params: Vec<ValueId> = (0..params.len()).filter(kept).map(|index| params[index]).collect();
        let values: Vec<ValueId> = (0..values.len()).filter(kept).map(|index| values[index]).collect();
        let moves = self.moves_to_values(&params, &values)?;
        self.copy(moves, span, out);
        Ok(())
    }

    /// Assigns the parameters that carry results, then returns.
    fn return_(&mut self, values: &[ValueId], span: SpanId, out: &mut Block) -> Result<(), EmitError> {
        let mut moves = Moves::default();
        let mut returned = None;
        for (slot, &value) in values.iter().enumerate() {
            match self.classes.slot(slot) {
                Some(class) => {
                    let target = self.class_local(class, "result");
                    self.push_output(target, value, &mut moves)?;
                }
                None => returned = Some(self.expr(value)?),
            }
        }
        if let Some(value) = &mut returned
            && moves.values.iter().any(|(target, ..)| value.mentions(*target))
        {
            let saved = self.fresh(value.ty, "result");
            let ty = value.ty;
            let value = std::mem::replace(value, Expr::local(saved, ty));
            out.push(Stmt { span, kind: StmtKind::Assign { place: Place { local: saved, path: Vec::new() }, value } });
        }
        self.copy(moves, span, out);
        out.push(Stmt { span, kind: StmtKind::Return(returned) });
        Ok(())
    }

    fn moves_to_values(&mut self, targets: &[ValueId], values: &[ValueId]) -> Result<Moves, EmitError> {
        let mut moves = Moves::default();
        for (&target, &value) in targets.iter().zip(values) {
            if self.class_is_used(target) {
                let local = self.local(target);
                self.push_move(local, value, &mut moves)?;
            }
        }
        Ok(moves)
    }

    /// Whether anything reads the variable of `value`.
    fn class_is_used(&self, value: ValueId) -> bool {
        let class = self.classes.of(value).map(|class| self.classes.get(class));
        class.is_some_and(|class| class.is_used)
    }

    /// An output that means nothing on this way (the error of a call that succeeds) has a value all the same: compilers
    /// warn of outputs without one.
    fn push_output(&mut self, target: LocalId, value: ValueId, moves: &mut Moves) -> Result<(), EmitError> {
        match self.func.defining_op(value) {
            Some(data) if data.op == Op::Undef => {
                let zero = Expr { ty: self.func.ty(value), kind: ExprKind::Zero };
                moves.values.push((target, zero, SpanId::NONE));
                Ok(())
            }
            _ => self.push_move(target, value, moves),
        }
    }

    fn push_move(&mut self, target: LocalId, value: ValueId, moves: &mut Moves) -> Result<(), EmitError> {
        let data = self.func.defining_op(value);
        if data.is_some_and(|data| data.op == Op::Undef) {
            moves.undefined.push(target);
            return Ok(());
        }
        let span = data.map_or(SpanId::NONE, |data| data.span);
        moves.values.push((target, self.expr(value)?, span));
        Ok(())
    }

    fn copy(&mut self, moves: Moves, span: SpanId, out: &mut Block) {
        let spans: Vec<(LocalId, SpanId)> = moves.values.iter().map(|(target, _, span)| (*target, *span)).collect();
        let values = moves.values.into_iter().map(|(target, value, _)| (target, value)).collect();
        for (local, value) in copies::sequence(values, |target, ty| {
            let name = self.locals[target].name.clone();
            self.fresh(ty, &format!("old_{name}"))
        }) {
            let own = spans.iter().find(|(target, _)| *target == local).map_or(SpanId::NONE, |(_, span)| *span);
            let span = if own == SpanId::NONE { span } else { own };
            match changed_fields(local, &value) {
                Some(fields) => out.extend(fields.into_iter().map(|(field, value)| {
                    let place = Place { local, path: vec![Step::Const(field)] };
                    Stmt { span, kind: StmtKind::Assign { place, value } }
                })),
                None => {
                    let place = Place { local, path: Vec::new() };
                    out.push(Stmt { span, kind: StmtKind::Assign { place, value } });
                }
            }
        }
        let undefined = |local| Stmt { span, kind: StmtKind::Declare { local, init: None } };
        out.extend(moves.undefined.into_iter().map(undefined));
    }

    fn statement(&mut self, op: OpId, out: &mut Block) -> Result<(), EmitError> {
        let func = self.func;
        let data = &func.ops[op];
        let span = data.span;
        let push = |out: &mut Block, kind| out.push(Stmt { span, kind });
        match &data.op {
            Op::If { cond, then, otherwise } => {
                let cond = self.expr(*cond)?;
                let (mut yes, mut no) = (Block::new(), Block::new());
                self.region(*then, End::Arm(&data.results), &mut yes)?;
                self.region(*otherwise, End::Arm(&data.results), &mut no)?;
                push(out, StmtKind::If { cond, then: yes, otherwise: no, advice: data.advice });
            }
            Op::Switch { selector, cases, default } => {
                self.switch(*selector, cases, *default, data, out)?;
            }
            Op::Loop { init, cond, body, .. } => self.loop_(op, init, *cond, *body, out)?,
            Op::Insert { aggregate, path, value } => {
                let target = self.local(data.results[0]);
                let mut moves = Moves::default();
                self.push_move(target, *aggregate, &mut moves)?;
                self.copy(moves, span, out);
                let path = self.path(path)?;
                let value = self.expr(*value)?;
                push(out, StmtKind::Assign { place: Place { local: target, path }, value });
            }
            Op::Call { callee, args, .. } => self.call(*callee, args, &data.results, span, out)?,
            Op::Store { handle, path, value } => {
                let (handle, path, value) = (self.expr(*handle)?, self.path(path)?, self.expr(*value)?);
                push(out, StmtKind::Store { handle, path, value });
            }
            Op::ByteStore { handle, offset, value } => {
                let (handle, offset, value) = (self.expr(*handle)?, self.expr(*offset)?, self.expr(*value)?);
                push(out, StmtKind::ByteStore { handle, offset, value });
            }
            Op::Barrier { control } => push(out, StmtKind::Barrier { control: *control }),
            Op::Print { format, args } => {
                let args = self.exprs(args)?;
                push(out, StmtKind::Print { format: format.clone(), args });
            }
            Op::Intrinsic { intrinsic, args } if data.results.len() != 1 || *intrinsic == DIMENSIONS => {
                self.intrinsic(*intrinsic, args, &data.results, span, out)?;
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
            | Op::Global(..)
            | Op::Builtin(..)
            | Op::Load { .. }
            | Op::Atomic { .. }
            | Op::ByteLoad { .. }
            | Op::ByteAtomic { .. }
            | Op::BufferLength { .. }
            | Op::Intrinsic { .. }
            | Op::SumMake { .. }
            | Op::SumMatch { .. }
            | Op::SumTag(..) => {
                let kind = self.op_expr(op)?;
                match data.results.first() {
                    Some(&result) if self.is_used(result) => {
                        let place = Place { local: self.local(result), path: Vec::new() };
                        let value = Expr { ty: func.ty(result), kind };
                        push(out, StmtKind::Assign { place, value });
                    }
                    Some(&result) => push(out, StmtKind::Evaluate(Expr { ty: func.ty(result), kind })),
                    None => return Err(self.unsupported(op)),
                }
            }
        }
        Ok(())
    }

    /// A `switch`; one with arms that leave the loop around it becomes a chain of `if`s, because `break` would leave
    /// just the `switch`.
    fn switch(
        &mut self,
        selector: ValueId,
        cases: &[(smallvec::SmallVec<[i64; 2]>, RegionId)],
        default: RegionId,
        data: &ir::OpData,
        out: &mut Block,
    ) -> Result<(), EmitError> {
        let func = self.func;
        let (results, span, advice) = (&data.results, data.span, data.advice);
        let breaks = cases.iter().map(|(_, region)| *region).chain([default]).any(|region| has_break(func, region));
        let mut blocks = Vec::new();
        for (labels, region) in cases {
            let mut block = Block::new();
            self.region(*region, End::Arm(results), &mut block)?;
            blocks.push((labels.to_vec(), block));
        }
        let mut otherwise = Block::new();
        self.region(default, End::Arm(results), &mut otherwise)?;
        if !breaks {
            let selector = self.expr(selector)?;
            out.push(Stmt { span, kind: StmtKind::Switch { selector, cases: blocks, default: otherwise, advice } });
            return Ok(());
        }
        let bool_ = self.module.types.find(ir::Type::Scalar(ir::Scalar::Bool));
        let bool_ = bool_.ok_or_else(|| EmitError::new(span, "the module has no type `bool`"))?;
        let ty = func.ty(selector);
        // The selector is read once per label, so it needs a variable of its own.
        let local = self.fresh(ty, "selector");
        let value = self.expr(selector)?;
        out.push(Stmt { span, kind: StmtKind::Assign { place: Place { local, path: Vec::new() }, value } });
        for (labels, block) in blocks.into_iter().rev() {
            let test = |label: i64| {
                let label = Expr { ty, kind: ExprKind::Const(ir::Constant::Int(label)) };
                let selector = Box::new(Expr::local(local, ty));
                Expr { ty: bool_, kind: ExprKind::Binary(ir::BinaryOp::Equal, selector, Box::new(label)) }
            };
            let cond = labels
                .into_iter()
                .map(test)
                .reduce(|a, b| Expr { ty: bool_, kind: ExprKind::Binary(ir::BinaryOp::Or, Box::new(a), Box::new(b)) });
            if let Some(cond) = cond {
                otherwise = vec![Stmt { span, kind: StmtKind::If { cond, then: block, otherwise, advice: None } }];
            }
        }
        out.append(&mut otherwise);
        Ok(())
    }

    fn loop_(
        &mut self,
        op: OpId,
        init: &[ValueId],
        cond: RegionId,
        body: RegionId,
        out: &mut Block,
    ) -> Result<(), EmitError> {
        let func = self.func;
        let span = func.ops[op].span;
        let params = func.regions[body].params.clone();
        let cond_params = &func.regions[cond].params;
        let stepped = self.step(init, cond, body);
        let mut moves = Moves::default();
        for (index, (&param, &value)) in cond_params.iter().zip(init).enumerate() {
            if self.class_is_used(param) {
                let class = self.classes.of(param);
                let invented = match Some(index) == stepped {
                    true => "i".into(),
                    false => invented_names::carried(self.module, func, op, index),
                };
                let local = class.map(|class| self.class_local(class, &invented));
                if let Some(local) = local {
                    self.push_move(local, value, &mut moves)?;
                }
            }
        }
        // The first value of a stepped variable stands in the head of the `for`, after the other first values.
        let mut head = None;
        if let Some(index) = stepped {
            let local = self.local(cond_params[index]);
            let first = moves.values.iter().position(|(target, ..)| *target == local);
            let first = first.map(|at| moves.values.remove(at));
            head = match first {
                Some((_, value, _)) if moves.values.iter().any(|(target, ..)| value.mentions(*target)) => {
                    moves.values.push((local, value, span));
                    None
                }
                Some((_, value, _)) => Some((local, value)),
                None => None,
            };
        }
        let stepped = if head.is_some() { stepped } else { None };
        self.copy(moves, span, out);

        self.loops.push(Loop { results: func.ops[op].results.to_vec(), params: params.clone(), stepped });
        let mut test = Block::new();
        for &inner in &func.regions[cond].ops {
            if self.inlining.fate(inner) == Fate::Statement {
                self.statement(inner, &mut test)?;
            }
        }
        let tested = match func.regions[cond].terminator.values() {
            [value] => self.expr(*value)?,
            _ => return Err(self.unsupported(op)),
        };
        let mut block = Block::new();
        self.region(body, End::LoopBody, &mut block)?;
        self.loops.pop();

        let advice = func.ops[op].advice;
        let kind = match (head, stepped) {
            (Some((local, value)), Some(index)) => {
                let place = Place { local, path: Vec::new() };
                let init = Box::new(Stmt { span, kind: StmtKind::Assign { place: place.clone(), value } });
                let next = func.regions[body].terminator.values()[index];
                let value = self.expr(next)?;
                let step_span = func.defining_op(next).map_or(span, |data| data.span);
                let step = Box::new(Stmt { span: step_span, kind: StmtKind::Assign { place, value } });
                StmtKind::For { init, cond: tested, step, body: block, advice }
            }
            _ if test.is_empty() => StmtKind::While { cond: tested, body: block, advice },
            _ => {
                let bool_ = tested.ty;
                let cond = Expr { ty: bool_, kind: ExprKind::Unary(ir::UnaryOp::Not, Box::new(tested)) };
                let leave = vec![Stmt { span, kind: StmtKind::Break }];
                test.push(Stmt {
                    span,
                    kind: StmtKind::If { cond, then: leave, otherwise: Block::new(), advice: None },
                });
                test.append(&mut block);
                StmtKind::Loop { body: test, advice }
            }
        };
        out.push(Stmt { span, kind });
        Ok(())
    }

    /// The carried value by which the loop is a counted `for`: the condition reads it and nothing else computes, and
    /// every way to the next iteration adds a constant to it.
    fn step(&self, init: &[ValueId], cond: RegionId, body: RegionId) -> Option<usize> {
        let func = self.func;
        if func.regions[cond].ops.iter().any(|&op| self.inlining.fate(op) == Fate::Statement) {
            return None;
        }
        let Terminator::Yield(next) = &func.regions[body].terminator else { return None };
        let tested = func.regions[cond].terminator.values().first().copied()?;
        (0..init.len()).find(|&index| {
            let (param, cond_param) = (func.regions[body].params[index], func.regions[cond].params[index]);
            let is_same = |values: &&[ValueId]| {
                self.inlining.is_inlined(func, values[index]) && same_step(func, next[index], values[index])
            };
            is_step(func, param, next[index])
                && self.reads(tested, cond_param)
                && next_values(func, body).iter().all(is_same)
        })
    }

    fn reads(&self, value: ValueId, wanted: ValueId) -> bool {
        if value == wanted {
            return true;
        }
        match self.func.defining_op(value) {
            Some(data) if self.inlining.is_inlined(self.func, value) => {
                data.op.operands().into_iter().any(|operand| self.reads(operand, wanted))
            }
            _ => false,
        }
    }

    fn call(
        &mut self,
        callee: Callee,
        args: &[ValueId],
        results: &[ValueId],
        span: SpanId,
        out: &mut Block,
    ) -> Result<(), EmitError> {
        let Callee::Func(callee) = callee else {
            return Err(EmitError::new(span, "a derivative that was not expanded cannot be emitted yet"));
        };
        let signature = signature(&self.module.funcs[callee]);
        let mut exprs = Vec::new();
        for param in &signature.params {
            exprs.push(match (param.input, param.slot) {
                (Some(input), None) => self.expr(args[input])?,
                (input, Some(slot)) => {
                    let result = results[slot];
                    let local = match self.class_is_used(result) {
                        true => self.local(result),
                        false => self.fresh(param.ty, &param.name),
                    };
                    if let Some(input) = input {
                        let mut moves = Moves::default();
                        self.push_move(local, args[input], &mut moves)?;
                        self.copy(moves, span, out);
                    }
                    Expr { ty: param.ty, kind: ExprKind::Reference(local) }
                }
                (None, None) => continue,
            });
        }
        let kind = match signature.result.map(|slot| results[slot]) {
            Some(result) if self.is_used(result) => {
                let place = Place { local: self.local(result), path: Vec::new() };
                let value = Expr { ty: self.func.ty(result), kind: ExprKind::Call { callee, args: exprs } };
                StmtKind::Assign { place, value }
            }
            _ => StmtKind::Call { callee, args: exprs },
        };
        out.push(Stmt { span, kind });
        Ok(())
    }

    /// `GetDimensions` of a level: an image that is written is one level, whichever that is.
    fn asks_for_levels_of_an_image(&self, args: &[ValueId]) -> bool {
        let [texture, _level] = args else { return false };
        let ty = self.module.types.get(self.func.ty(*texture));
        matches!(ty, Type::Handle(HandleType::Texture { writable: true, .. }))
    }

    /// An operation of the core library that gives more than a value: the rest goes to `out` parameters.
    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: &[ValueId],
        results: &[ValueId],
        span: SpanId,
        out: &mut Block,
    ) -> Result<(), EmitError> {
        if intrinsic == DIMENSIONS && self.asks_for_levels_of_an_image(args) {
            let message = "the levels of a texture that is written are not known to this target";
            return Err(EmitError::new(span, message));
        }
        let mut args = self.exprs(args)?;
        let (value, outs) = match results.split_first() {
            Some((&value, outs)) if intrinsic != DIMENSIONS => (Some(value), outs),
            _ => (None, results),
        };
        for &result in outs {
            let ty = self.func.ty(result);
            let local = match self.class_is_used(result) {
                true => self.local(result),
                false => self.fresh(ty, "unused"),
            };
            args.push(Expr { ty, kind: ExprKind::Reference(local) });
        }
        let result = results.first().map(|&result| self.func.ty(result));
        // Nobody asks for the type of a statement.
        let ty =
            result.or(args.first().map(|arg| arg.ty)).unwrap_or_else(|| self.module.types.scalar(ir::Scalar::Bool));
        let call = Expr { ty, kind: ExprKind::Intrinsic { intrinsic, args } };
        let kind = match value.filter(|&value| self.is_used(value)) {
            Some(value) => {
                StmtKind::Assign { place: Place { local: self.local(value), path: Vec::new() }, value: call }
            }
            None => StmtKind::Evaluate(call),
        };
        out.push(Stmt { span, kind });
        Ok(())
    }

    fn exprs(&mut self, values: &[ValueId]) -> Result<Vec<Expr>, EmitError> {
        values.iter().map(|&value| self.expr(value)).collect()
    }

    fn boxed(&mut self, value: ValueId) -> Result<Box<Expr>, EmitError> {
        self.expr(value).map(Box::new)
    }

    fn path(&mut self, path: &[PathStep]) -> Result<Vec<Step>, EmitError> {
        path.iter()
            .map(|step| match step {
                PathStep::Const(index) => Ok(Step::Const(*index)),
                PathStep::Dynamic(index) => self.expr(*index).map(Step::Dynamic),
            })
            .collect()
    }

    /// The steps of something that is read.
    fn read_path(&mut self, base: ValueId, path: &[PathStep]) -> Result<Vec<Step>, EmitError> {
        let mut steps = self.path(path)?;
        if let Some(tested) = &self.tested {
            tested.mark(self.module, self.func.ty(base), path, &mut steps);
        }
        Ok(steps)
    }

    fn expr(&mut self, value: ValueId) -> Result<Expr, EmitError> {
        let ty = self.func.ty(value);
        match self.func.values[value].def {
            ir::ValueDef::Result { op, .. } if self.inlining.fate(op) == Fate::Inlined => {
                if let Op::Detach(operand) | Op::Forget(operand) = self.func.ops[op].op {
                    return self.expr(operand);
                }
                Ok(Expr { ty, kind: self.op_expr(op)? })
            }
            _ => Ok(Expr::local(self.local(value), ty)),
        }
    }

    /// The expression for the one result of `op`.
    fn op_expr(&mut self, op: OpId) -> Result<ExprKind, EmitError> {
        let func = self.func;
        Ok(match &func.ops[op].op {
            Op::Const(constant) => ExprKind::Const(*constant),
            Op::Zero | Op::Undef => ExprKind::Zero,
            Op::Unary(unary, a) => ExprKind::Unary(*unary, self.boxed(*a)?),
            Op::Binary(binary, a, b) => ExprKind::Binary(*binary, self.boxed(*a)?, self.boxed(*b)?),
            Op::Math(function, args) => ExprKind::Math(*function, self.exprs(args)?),
            Op::Convert(a) => ExprKind::Convert(self.boxed(*a)?),
            Op::Bitcast(a) => ExprKind::Bitcast(self.boxed(*a)?),
            Op::Detach(a) | Op::Forget(a) => self.expr(*a)?.kind,
            Op::Select { cond, then, otherwise } => ExprKind::Select {
                cond: self.boxed(*cond)?,
                then: self.boxed(*then)?,
                otherwise: self.boxed(*otherwise)?,
            },
            Op::Make(parts) => ExprKind::Make(self.exprs(parts)?),
            Op::Splat(a) => ExprKind::Splat(self.boxed(*a)?),
            Op::Extract { aggregate, path } => {
                let mut path = self.read_path(*aggregate, path)?;
                let aggregate = self.expr(*aggregate)?;
                match aggregate.kind {
                    ExprKind::Extract { aggregate, path: mut outer } => {
                        outer.append(&mut path);
                        ExprKind::Extract { aggregate, path: outer }
                    }
                    ExprKind::Load { handle, path: mut outer } => {
                        outer.append(&mut path);
                        ExprKind::Load { handle, path: outer }
                    }
                    // A part of zero is zero; `((S)0).field` is not an expression in every language.
                    ExprKind::Zero if !dynamic_steps(&path).any(Expr::has_call) => ExprKind::Zero,
                    kind => ExprKind::Extract { aggregate: Box::new(Expr { ty: aggregate.ty, kind }), path },
                }
            }
            Op::Swizzle { vector, components } => match self.expr(*vector)? {
                Expr { kind: ExprKind::Zero, .. } => ExprKind::Zero,
                vector => ExprKind::Swizzle { vector: Box::new(vector), components: components.to_vec() },
            },
            Op::Call { callee: Callee::Func(callee), args, .. }
                if inline::returns_one_value(&self.module.funcs[*callee]) =>
            {
                ExprKind::Call { callee: *callee, args: self.exprs(args)? }
            }
            Op::Global(global) => ExprKind::Global(*global),
            Op::Builtin(builtin) => ExprKind::Builtin(*builtin),
            Op::Load { handle, path } => {
                ExprKind::Load { handle: self.boxed(*handle)?, path: self.read_path(*handle, path)? }
            }
            Op::ByteLoad { handle, offset } => {
                ExprKind::ByteLoad { handle: self.boxed(*handle)?, offset: self.boxed(*offset)? }
            }
            Op::BufferLength { handle } => ExprKind::BufferLength(self.boxed(*handle)?),
            Op::Atomic { op, handle, path, operands } => ExprKind::Atomic {
                op: *op,
                handle: self.boxed(*handle)?,
                path: self.path(path)?,
                operands: self.exprs(operands)?,
            },
            Op::ByteAtomic { op, handle, offset, operands } => ExprKind::ByteAtomic {
                op: *op,
                handle: self.boxed(*handle)?,
                offset: self.boxed(*offset)?,
                operands: self.exprs(operands)?,
            },
            Op::Intrinsic { intrinsic: Intrinsic::Pointer(PointerOp::AddressOf), args } => self.address_of(op, args)?,
            Op::Intrinsic { intrinsic, args } => ExprKind::Intrinsic { intrinsic: *intrinsic, args: self.exprs(args)? },
            Op::Insert { .. }
            | Op::Call { .. }
            | Op::If { .. }
            | Op::Switch { .. }
            | Op::Loop { .. }
            | Op::Store { .. }
            | Op::ByteStore { .. }
            | Op::Barrier { .. }
            | Op::Print { .. }
            | Op::SumMake { .. }
            | Op::SumMatch { .. }
            | Op::SumTag(_) => return Err(self.unsupported(op)),
        })
    }

    /// The address of a place, whose handle and steps are the operands.
    fn address_of(&mut self, op: OpId, operands: &[ValueId]) -> Result<ExprKind, EmitError> {
        let (&handle, steps) = operands.split_first().ok_or_else(|| self.unsupported(op))?;
        let step = |&value: &ValueId| match self.func.defining_op(value).map(|data| &data.op) {
            Some(Op::Const(Constant::Int(index))) if let Ok(index) = u32::try_from(*index) => PathStep::Const(index),
            _ => PathStep::Dynamic(value),
        };
        let path: Vec<PathStep> = steps.iter().map(step).collect();
        let types = &self.module.types;
        let pointee = self.func.ops[op].results.first().and_then(|&result| match types.get(self.func.ty(result)) {
            Type::Handle(HandleType::Pointer { pointee }) => Some(pointee),
            _ => None,
        });
        let ty = pointee.ok_or_else(|| self.unsupported(op))?;
        let place = Expr { ty, kind: ExprKind::Load { handle: self.boxed(handle)?, path: self.path(&path)? } };
        Ok(ExprKind::AddressOf(Box::new(place)))
    }

    fn unsupported(&self, op: OpId) -> EmitError {
        let data = &self.func.ops[op];
        let what = match &data.op {
            Op::Call { callee: Callee::Derivative(..), .. } => "a derivative that was not expanded",
            Op::SumMake { .. } | Op::SumMatch { .. } | Op::SumTag(_) => "a value of interface type",
            Op::Intrinsic { intrinsic, .. } => return EmitError::new(data.span, unsupported(*intrinsic)),
            _ => "this operation",
        };
        EmitError::new(data.span, format!("{what} cannot be emitted yet"))
    }
}

/// The operation that gives the size of a texture, through `out` parameters alone.
const DIMENSIONS: Intrinsic = Intrinsic::Texture(TextureOp::Dimensions);

fn unsupported(intrinsic: Intrinsic) -> String {
    format!("`{}` is not supported for this target", intrinsic.source_name())
}

/// Where `value` is made of parts of `local` itself and of values that do not read it, the parts that differ.
fn changed_fields(local: LocalId, value: &Expr) -> Option<Vec<(u32, Expr)>> {
    let ExprKind::Make(parts) = &value.kind else { return None };
    let is_same = |(index, part): (usize, &Expr)| match &part.kind {
        ExprKind::Extract { aggregate, path } => {
            aggregate.kind == ExprKind::Local(local) && path[..] == [Step::Const(index as u32)]
        }
        _ => false,
    };
    let others: Vec<(u32, Expr)> = parts
        .iter()
        .enumerate()
        .filter(|&part| !is_same(part))
        .map(|(index, part)| (index as u32, part.clone()))
        .collect();
    let apart = others.iter().all(|(_, part)| !part.mentions(local));
    (apart && others.len() < parts.len()).then_some(others)
}

/// Whether the region leaves a loop that is around it.
fn has_break(func: &Func, region: RegionId) -> bool {
    matches!(func.regions[region].terminator, Terminator::Break(_))
        || func.regions[region].ops.iter().any(|&op| match &func.ops[op].op {
            Op::Loop { .. } => false,
            other => other.regions().into_iter().any(|nested| has_break(func, nested)),
        })
}

/// Whether two next values of a stepped variable are the same expression.
fn same_step(func: &Func, a: ValueId, b: ValueId) -> bool {
    let parts = |value| match func.defining_op(value).map(|data| &data.op) {
        Some(&Op::Binary(op, left, right)) => {
            let constant = func.defining_op(right).map(|data| data.op.clone());
            Some((op, left, constant))
        }
        _ => None,
    };
    a == b || (parts(a).is_some() && parts(a) == parts(b))
}
