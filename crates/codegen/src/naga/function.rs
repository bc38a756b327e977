//! Statements of one function.

use ir::{
    Builtin, Intrinsic, Type, TypeId,
    intrinsic::{FragmentOp, TextureOp},
};
use la_arena::ArenaMap;
use naga::proc::Emitter;
use naga::{Block, Expression, Handle, Span, Statement};

use super::memory::Form;
use super::{ModuleWriter, Reader};
use crate::EmitError;
use crate::tree::{self, Direction, Expr, ExprKind, Function, LocalId, LocalKind, Stmt, StmtKind};

/// What a local of the trees is in naga.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    Value(Handle<Expression>),
    Pointer(Handle<Expression>),
}

pub(crate) struct FunctionWriter<'a, 'm> {
    pub module: &'a mut ModuleWriter<'m>,
    pub(super) tree: &'a Function,
    pub out: naga::Function,
    slots: ArenaMap<LocalId, Slot>,
    builtins: Vec<(Builtin, Handle<Expression>)>,
    pub(super) wave_inputs: Vec<(naga::BuiltIn, Handle<Expression>)>,
    /// Whether it is a compute entry point, whose arguments the target gives.
    pub(super) takes_inputs: bool,
    blocks: Vec<Block>,
    emitter: Emitter,
    /// Of the statement that is being written.
    span: ir::SpanId,
}

pub(crate) fn write(
    module: &mut ModuleWriter<'_>,
    tree: &Function,
    is_entry: bool,
) -> Result<naga::Function, EmitError> {
    let takes_inputs = module
        .module
        .entry_points
        .iter()
        .any(|entry| entry.func == tree.func && entry.stage == ir::module::Stage::Compute);
    let mut writer = FunctionWriter {
        module,
        tree,
        out: naga::Function::default(),
        slots: ArenaMap::default(),
        builtins: Vec::new(),
        wave_inputs: Vec::new(),
        takes_inputs,
        blocks: vec![Block::new()],
        emitter: Emitter::default(),
        span: tree.span,
    };
    writer.emitter.start(&writer.out.expressions);
    writer.params()?;
    if let Some(result) = tree.result {
        let ty = writer.value_type(result)?;
        writer.out.result = Some(naga::FunctionResult { ty, binding: None });
    }
    if is_entry {
        writer.initialise_statics()?;
        if takes_inputs {
            writer.store_wave_inputs()?;
        }
    }
    writer.locals()?;
    writer.statements(&tree.body)?;
    writer.flush();
    writer.out.body = writer.blocks.pop().unwrap_or_default();
    naga::proc::ensure_block_returns(&mut writer.out.body);
    Ok(writer.out)
}

impl FunctionWriter<'_, '_> {
    pub(super) fn error(&self, message: impl Into<String>) -> EmitError {
        EmitError::new(self.span, message)
    }

    pub(super) fn value_type(&mut self, ty: TypeId) -> Result<Handle<naga::Type>, EmitError> {
        self.module.value_type(ty).map_err(|message| self.error(message))
    }

    pub(super) fn naga_type(&mut self, inner: naga::TypeInner) -> Result<Handle<naga::Type>, EmitError> {
        self.module.add_type(None, inner).map_err(|message| self.error(message))
    }

    pub(super) fn naga_scalar(&mut self, scalar: ir::Scalar) -> Result<naga::Scalar, EmitError> {
        let known = self.module.scalar(scalar).map_err(|message| self.error(message))?;
        // What a shader has to ask for naga looks for among its types, where a conversion on the way is none.
        if known == naga::Scalar::F16 {
            self.naga_type(naga::TypeInner::Scalar(known))?;
        }
        Ok(known)
    }

    /// Appends an expression; it is evaluated here.
    pub(super) fn add(&mut self, expression: Expression) -> Handle<Expression> {
        // Results of statements are there once their statement has run.
        let is_result = matches!(
            expression,
            Expression::CallResult(_)
                | Expression::AtomicResult { .. }
                | Expression::SubgroupBallotResult
                | Expression::SubgroupOperationResult { .. }
        );
        if expression.needs_pre_emit() || is_result {
            self.flush();
            let handle = self.out.expressions.append(expression, Span::UNDEFINED);
            self.restart();
            return handle;
        }
        if !self.emitter.is_running() {
            self.emitter.start(&self.out.expressions);
        }
        self.out.expressions.append(expression, Span::UNDEFINED)
    }

    /// Makes the expressions so far be evaluated before what follows.
    fn flush(&mut self) {
        if self.emitter.is_running()
            && let Some((statement, span)) = self.emitter.finish(&self.out.expressions)
            && let Some(block) = self.blocks.last_mut()
        {
            block.push(statement, span);
        }
    }

    fn restart(&mut self) {
        if !self.emitter.is_running() {
            self.emitter.start(&self.out.expressions);
        }
    }

    pub(super) fn push(&mut self, statement: Statement) {
        self.flush();
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement, Span::UNDEFINED);
        }
        self.restart();
    }

    /// Fills a block of its own.
    pub(super) fn block(&mut self, fill: impl FnOnce(&mut Self) -> Result<(), EmitError>) -> Result<Block, EmitError> {
        self.flush();
        self.blocks.push(Block::new());
        self.restart();
        let filled = fill(self);
        self.flush();
        let block = self.blocks.pop().unwrap_or_default();
        self.restart();
        filled.map(|()| block)
    }

    /// A pointer to a new local variable.
    pub(super) fn add_local(
        &mut self,
        name: &str,
        ty: Handle<naga::Type>,
        init: Option<Handle<Expression>>,
    ) -> Handle<Expression> {
        let local = naga::LocalVariable { name: Some(name.into()), ty, init };
        let local = self.out.local_variables.append(local, Span::UNDEFINED);
        self.add(Expression::LocalVariable(local))
    }

    fn params(&mut self) -> Result<(), EmitError> {
        for &param in &self.tree.params {
            let local = &self.tree.locals[param];
            let LocalKind::Param { direction, written } = local.kind else { continue };
            let value = self.value_type(local.ty)?;
            let index = self.out.arguments.len() as u32;
            let ty = match direction {
                Direction::In if written || !self.is_indexable(local.ty) => value,
                Direction::In | Direction::Out | Direction::InOut => {
                    self.naga_type(naga::TypeInner::Pointer { base: value, space: naga::AddressSpace::Function })?
                }
            };
            let name = Some(local.name.to_string());
            self.out.arguments.push(naga::FunctionArgument { name, ty, binding: None });
            let argument = self.add(Expression::FunctionArgument(index));
            let slot = match direction {
                Direction::In if written => {
                    let name = local.name.clone();
                    let pointer = self.add_local(&name, value, None);
                    self.push(Statement::Store { pointer, value: argument });
                    Slot::Pointer(pointer)
                }
                Direction::In if !self.is_indexable(local.ty) => Slot::Value(argument),
                // What may be large is looked at where the caller has it: nobody copies it to look at a part.
                Direction::In | Direction::Out | Direction::InOut => Slot::Pointer(argument),
            };
            self.slots.insert(param, slot);
        }
        Ok(())
    }

    /// Aggregates that may be indexed at run time, which needs a variable.
    fn is_indexable(&self, ty: TypeId) -> bool {
        match self.module.module.types.get(ty) {
            Type::Array { .. } | Type::Matrix { .. } => true,
            Type::Struct(id) => {
                self.module.module.types.structs[id].fields.iter().any(|field| self.is_indexable(field.ty))
            }
            _ => false,
        }
    }

    fn locals(&mut self) -> Result<(), EmitError> {
        for (id, local) in self.tree.locals.iter() {
            let variable = match local.kind {
                LocalKind::Param { .. } => false,
                LocalKind::Constant => self.is_indexable(local.ty),
                LocalKind::Variable => true,
            };
            if variable {
                let ty = self.value_type(local.ty)?;
                let pointer = self.add_local(&local.name, ty, None);
                self.slots.insert(id, Slot::Pointer(pointer));
            }
        }
        Ok(())
    }

    /// naga's private variables start with zero or a constant; first values that a function returns are stored first.
    fn initialise_statics(&mut self) -> Result<(), EmitError> {
        let statics: Vec<_> = self
            .module
            .globals
            .iter()
            .filter_map(|(global, memory)| match self.module.module.globals[global].kind {
                ir::GlobalKind::Static { init: Some(init) } => Some((*memory, init)),
                _ => None,
            })
            .collect();
        for (memory, init) in statics {
            if memory.form != Form::Typed {
                return Err(self.error("atomic operations on a static variable are not supported"));
            }
            let Some(&function) = self.module.functions.get(init) else {
                return Err(self.error("the first value of a static variable is not known"));
            };
            let value = self.add(Expression::CallResult(function));
            self.push(Statement::Call { function, arguments: Vec::new(), result: Some(value) });
            let pointer = self.add(Expression::GlobalVariable(memory.variable));
            self.push(Statement::Store { pointer, value });
        }
        Ok(())
    }

    pub(super) fn slot(&self, local: LocalId) -> Result<Slot, EmitError> {
        self.slots.get(local).copied().ok_or_else(|| self.error("a variable is read before it is written"))
    }

    fn statements(&mut self, block: &[Stmt]) -> Result<(), EmitError> {
        for stmt in block {
            if stmt.span != ir::SpanId::NONE {
                self.span = stmt.span;
            }
            self.statement(stmt)?;
        }
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), EmitError> {
        match &stmt.kind {
            StmtKind::Declare { local, init } => {
                let Some(init) = init else { return Ok(()) };
                let value = self.expr(init)?;
                match self.slots.get(*local).copied() {
                    Some(Slot::Pointer(pointer)) => self.push(Statement::Store { pointer, value }),
                    _ => {
                        self.flush();
                        self.restart();
                        self.out
                            .named_expressions
                            .entry(value)
                            .or_insert_with(|| self.tree.locals[*local].name.to_string());
                        self.slots.insert(*local, Slot::Value(value));
                    }
                }
            }
            StmtKind::Assign { place, value } => {
                let value = self.expr(value)?;
                let Slot::Pointer(base) = self.slot(place.local)? else {
                    return Err(self.error("a value that is not a variable is assigned"));
                };
                let ty = self.tree.locals[place.local].ty;
                let pointer = self.access(base, ty, &place.path)?;
                self.push(Statement::Store { pointer, value });
            }
            StmtKind::Store { handle, path, value } => self.store(handle, path, value)?,
            StmtKind::ByteStore { handle, offset, value } => {
                let memory = self.memory(handle)?;
                let written = self.expr(value)?;
                let place = self.byte_place(memory, offset)?;
                self.store_words(place, written, value.ty)?;
            }
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Fragment(FragmentOp::Clip), args },
                ..
            }) => self.clip(args)?,
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Fragment(FragmentOp::Discard), .. },
                ..
            }) => self.discard()?,
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Store), args },
                ..
            }) => self.texel_store(args)?,
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(TextureOp::Dimensions), args },
                ..
            }) => self.dimensions(args)?,
            StmtKind::Evaluate(Expr {
                kind: ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(op), args }, ..
            }) if op.atomic().is_some() => self.texel_atomic(*op, args)?,
            StmtKind::Evaluate(expr) => {
                self.expr(expr)?;
                self.flush();
                self.restart();
            }
            StmtKind::Call { callee, args } => {
                self.call(*callee, args)?;
            }
            StmtKind::If { cond, then, otherwise, .. } => {
                let condition = self.expr(cond)?;
                let accept = self.block(|f| f.statements(then))?;
                let reject = self.block(|f| f.statements(otherwise))?;
                self.push(Statement::If { condition, accept, reject });
            }
            StmtKind::Switch { selector, cases, default, .. } => self.switch(selector, cases, default)?,
            StmtKind::For { init, cond, step, body, .. } => {
                self.statement(init)?;
                let body = self.loop_body(cond, body)?;
                let continuing = self.block(|f| f.statement(step))?;
                self.push(Statement::Loop { body, continuing, break_if: None });
            }
            StmtKind::While { cond, body, .. } => {
                let body = self.loop_body(cond, body)?;
                self.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
            }
            StmtKind::Loop { body, .. } => {
                let body = self.block(|f| f.statements(body))?;
                self.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
            }
            StmtKind::Break => self.push(Statement::Break),
            StmtKind::Continue => self.push(Statement::Continue),
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value)).transpose()?;
                self.push(Statement::Return { value });
            }
            StmtKind::Barrier { control: true } => {
                self.push(Statement::ControlBarrier(naga::Barrier::STORAGE | naga::Barrier::WORK_GROUP));
            }
            StmtKind::Barrier { control: false } if self.module.reader == Reader::Library => {
                let all = naga::Barrier::STORAGE | naga::Barrier::WORK_GROUP | naga::Barrier::TEXTURE;
                self.push(Statement::MemoryBarrier(all));
            }
            // Those of WGSL wait for the group, which has to come by as a whole.
            StmtKind::Barrier { control: false } => {
                let target = self.module.reader.name();
                return Err(self.error(format!("a memory barrier alone is not supported for target `{target}`")));
            }
            StmtKind::Print { .. } => return Err(self.error("`printf` is not supported for this target")),
        }
        Ok(())
    }

    fn loop_body(&mut self, cond: &Expr, body: &[Stmt]) -> Result<Block, EmitError> {
        self.block(|f| {
            let is_true = cond.kind == ExprKind::Const(ir::Constant::Bool(true));
            if !is_true {
                let value = f.expr(cond)?;
                let condition = f.add(Expression::Unary { op: naga::UnaryOperator::LogicalNot, expr: value });
                let accept = f.block(|f| {
                    f.push(Statement::Break);
                    Ok(())
                })?;
                f.push(Statement::If { condition, accept, reject: Block::new() });
            }
            f.statements(body)
        })
    }

    fn switch(
        &mut self,
        selector: &Expr,
        cases: &[(Vec<i64>, tree::Block)],
        default: &tree::Block,
    ) -> Result<(), EmitError> {
        let signed = match self.module.module.types.get(selector.ty) {
            Type::Scalar(ir::Scalar::I32) => true,
            Type::Scalar(ir::Scalar::U32) => false,
            _ => return Err(self.error("a `switch` over this type is not supported for this target")),
        };
        let selector = self.expr(selector)?;
        let value = |label: i64| match signed {
            true => naga::SwitchValue::I32(label as i32),
            false => naga::SwitchValue::U32(label as u32),
        };
        let mut out = Vec::new();
        for (labels, block) in cases {
            let Some((last, first)) = labels.split_last() else { continue };
            for &label in first {
                let case = naga::SwitchCase { value: value(label), body: Block::new(), fall_through: true };
                out.push(case);
            }
            let body = self.block(|f| f.statements(block))?;
            out.push(naga::SwitchCase { value: value(*last), body, fall_through: false });
        }
        let body = self.block(|f| f.statements(default))?;
        out.push(naga::SwitchCase { value: naga::SwitchValue::Default, body, fall_through: false });
        self.push(Statement::Switch { selector, cases: out });
        Ok(())
    }

    pub(super) fn call(&mut self, callee: ir::FuncId, args: &[Expr]) -> Result<Option<Handle<Expression>>, EmitError> {
        let Some(&function) = self.module.functions.get(callee) else {
            return Err(self.error("an entry point cannot be called"));
        };
        let mut arguments = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            arguments.push(match arg.kind {
                ExprKind::Reference(local) => match self.slot(local)? {
                    Slot::Pointer(pointer) => pointer,
                    Slot::Value(_) => return Err(self.error("a value that is not a variable is written by a call")),
                },
                _ if self.is_pointer(function, index) => self.place_to_read(arg, args)?,
                _ => self.expr(arg)?,
            });
        }
        let has_result = self.module.out.functions[function].result.is_some();
        self.flush();
        self.restart();
        let result = has_result.then(|| self.add(Expression::CallResult(function)));
        self.push(Statement::Call { function, arguments, result });
        Ok(result)
    }

    fn is_pointer(&self, function: Handle<naga::Function>, index: usize) -> bool {
        let ty = self.module.out.functions[function].arguments.get(index).map(|argument| argument.ty);
        ty.is_some_and(|ty| matches!(self.module.out.types[ty].inner, naga::TypeInner::Pointer { .. }))
    }

    /// A variable with the value of `arg` that nothing writes while a call with `args` reads it.
    fn place_to_read(&mut self, arg: &Expr, args: &[Expr]) -> Result<Handle<Expression>, EmitError> {
        if let ExprKind::Local(local) = arg.kind
            && let Slot::Pointer(pointer) = self.slot(local)?
            && !args.iter().any(|other| other.kind == ExprKind::Reference(local))
        {
            return Ok(pointer);
        }
        let value = self.expr(arg)?;
        let ty = self.value_type(arg.ty)?;
        let pointer = self.add_local("argument", ty, None);
        self.push(Statement::Store { pointer, value });
        Ok(pointer)
    }

    /// The value of a builtin: an argument of the entry point.
    pub(super) fn builtin(&mut self, builtin: Builtin, ty: TypeId) -> Result<Handle<Expression>, EmitError> {
        if let Some(&(_, argument)) = self.builtins.iter().find(|(other, _)| *other == builtin) {
            return Ok(argument);
        }
        let ty = self.value_type(ty)?;
        let binding = naga::Binding::BuiltIn(match builtin {
            Builtin::DispatchThreadId => naga::BuiltIn::GlobalInvocationId,
            Builtin::GroupThreadId => naga::BuiltIn::LocalInvocationId,
            Builtin::GroupId => naga::BuiltIn::WorkGroupId,
            Builtin::GroupIndex => naga::BuiltIn::LocalInvocationIndex,
        });
        let index = self.out.arguments.len() as u32;
        let name = Some(crate::legalise::builtin_name(builtin).into());
        self.out.arguments.push(naga::FunctionArgument { name, ty, binding: Some(binding) });
        let argument = self.add(Expression::FunctionArgument(index));
        self.builtins.push((builtin, argument));
        Ok(argument)
    }
}
