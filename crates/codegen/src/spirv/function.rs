//! One function: its parameters, variables and calls.

use std::collections::BTreeSet;

use ir::{FuncId, GlobalKind, Intrinsic, SpanId, Type, TypeId};
use la_arena::ArenaMap;
use spirv::{Op, StorageClass};

use super::ModuleWriter;
use super::words::{Id, Section};
use crate::EmitError;
use crate::tree::{Direction, Expr, ExprKind, Function, LocalId, LocalKind};

/// What a local of the trees is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    Value(Id),
    Pointer(Id),
}

/// What is known of a function that was written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) id: Id,
    /// The type of its result.
    result: Id,
    has_result: bool,
    /// Whether a parameter is a pointer to a variable of the caller.
    pointers: Vec<bool>,
    /// The variables of the module that it and those that it calls use.
    pub(super) uses: BTreeSet<Id>,
}

/// The blocks that `break` and `continue` lead to.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoopLabels {
    pub(super) merge: Id,
    pub(super) continuing: Id,
}

pub(super) struct FunctionWriter<'a, 'm> {
    pub(super) module: &'a mut ModuleWriter<'m>,
    pub(super) tree: &'a Function,
    /// Variables, which stand at the start of the first block.
    variables: Section,
    body: Section,
    slots: ArenaMap<LocalId, Slot>,
    pub(super) loops: Vec<LoopLabels>,
    /// Whether the block has ended: what follows is never reached.
    pub(super) is_terminated: bool,
    pub(super) uses: BTreeSet<Id>,
    /// Of the statement that is being written.
    pub(super) span: SpanId,
}

/// Writes a function; a name for it.
pub(super) fn write(module: &mut ModuleWriter<'_>, tree: &Function, name: &str) -> Result<(), EmitError> {
    let entry = module.module.entry_points.iter().find(|entry| entry.func == tree.func).cloned();
    let mut entries = module.module.entry_points.iter();
    let is_of_patch = entries.any(|entry| entry.assembly.patch_constants() == Some(tree.func));
    let mut writer = FunctionWriter {
        module,
        tree,
        variables: Section::default(),
        body: Section::default(),
        slots: ArenaMap::default(),
        loops: Vec::new(),
        is_terminated: false,
        uses: BTreeSet::new(),
        span: tree.span,
    };
    let id = writer.module.out.fresh();
    writer.module.out.name(id, name);
    let result = match tree.result {
        Some(result) => writer.value_type(result)?,
        None => writer.module.void(),
    };
    let mut head = Section::default();
    let (parameters, pointers) = writer.params(&mut head)?;
    let ty = writer.module.out.ty(Op::TypeFunction, &[&[result.0], parameters.as_slice()].concat());
    writer.locals()?;
    writer.statements(&tree.body)?;
    if !writer.is_terminated {
        match tree.result {
            None => writer.push(Op::Return, &[]),
            // No way leads here.
            Some(_) => writer.push(Op::Unreachable, &[]),
        }
    }
    let body = std::mem::take(&mut writer.body);
    if is_of_patch {
        writer.clear_statics();
    }
    if entry.is_some() || is_of_patch {
        writer.initialise_statics()?;
    }
    let prologue = std::mem::take(&mut writer.body);
    let (variables, uses) = (std::mem::take(&mut writer.variables), std::mem::take(&mut writer.uses));
    let mut function = Section::default();
    function.push(Op::Function, &[result.0, id.0, 0, ty.0]);
    function.append(head);
    let label = writer.module.out.fresh();
    function.push(Op::Label, &[label.0]);
    for section in [variables, prologue, body] {
        function.append(section);
    }
    function.push(Op::FunctionEnd, &[]);
    module.out.function(function);
    // That of a hull shader calls two functions.
    if let Some(entry) = entry.filter(|entry| entry.assembly.patch_constants().is_none()) {
        module.entry_point(&entry, id, &uses).map_err(|message| EmitError::new(tree.span, message))?;
    }
    let has_result = tree.result.is_some();
    module.functions.insert(tree.func, Written { id, result, has_result, pointers, uses });
    Ok(())
}

impl FunctionWriter<'_, '_> {
    pub(super) fn error(&self, message: impl Into<String>) -> EmitError {
        EmitError::new(self.span, message)
    }

    pub(super) fn refused(&self, intrinsic: Intrinsic) -> EmitError {
        self.error(format!("`{}` is not supported for target `spirv`", intrinsic.source_name()))
    }

    pub(super) fn value_type(&mut self, ty: TypeId) -> Result<Id, EmitError> {
        self.module.value_type(ty).map_err(|message| self.error(message))
    }

    /// An instruction without a result.
    pub(super) fn push(&mut self, op: Op, operands: &[u32]) {
        self.body.push(op, operands);
    }

    /// An instruction with a result, whose operands are values.
    pub(super) fn value(&mut self, op: Op, ty: Id, operands: &[Id]) -> Id {
        let words: Vec<u32> = operands.iter().map(|id| id.0).collect();
        self.value_with(op, ty, &words)
    }

    /// An instruction with a result, some operands of which are numbers.
    pub(super) fn value_with(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.module.out.fresh();
        self.body.push(op, &[&[ty.0, id.0], operands].concat());
        id
    }

    /// Ends the block.
    pub(super) fn terminate(&mut self, op: Op, operands: &[u32]) {
        self.push(op, operands);
        self.is_terminated = true;
    }

    /// Begins a block.
    pub(super) fn label(&mut self, label: Id) {
        self.push(Op::Label, &[label.0]);
        self.is_terminated = false;
    }

    /// A pointer to a new variable of the function.
    pub(super) fn add_local(&mut self, name: &str, ty: Id) -> Id {
        let pointer = self.module.out.pointer(StorageClass::Function, ty);
        let id = self.module.out.fresh();
        self.variables.push(Op::Variable, &[pointer.0, id.0, StorageClass::Function as u32]);
        self.module.out.name(id, name);
        id
    }

    /// The types of the parameters, and which of them are pointers.
    fn params(&mut self, head: &mut Section) -> Result<(Vec<u32>, Vec<bool>), EmitError> {
        let (mut types, mut pointers) = (Vec::new(), Vec::new());
        for &param in &self.tree.params {
            let local = &self.tree.locals[param];
            let LocalKind::Param { direction, written } = local.kind else { continue };
            let value = self.value_type(local.ty)?;
            let is_value = direction == Direction::In && (written || !self.is_indexable(local.ty));
            let ty = if is_value { value } else { self.module.out.pointer(StorageClass::Function, value) };
            let id = self.module.out.fresh();
            head.push(Op::FunctionParameter, &[ty.0, id.0]);
            types.push(ty.0);
            pointers.push(!is_value);
            let slot = match (is_value, written) {
                (true, true) => {
                    let pointer = self.add_local(&local.name, value);
                    self.store_pointer(pointer, id);
                    Slot::Pointer(pointer)
                }
                (true, false) => {
                    self.module.out.name(id, &local.name);
                    Slot::Value(id)
                }
                // What may be large is looked at where the caller has it: nobody copies it to look at a part.
                (false, _) => {
                    self.module.out.name(id, &local.name);
                    Slot::Pointer(id)
                }
            };
            self.slots.insert(param, slot);
        }
        Ok((types, pointers))
    }

    /// Aggregates that may be indexed at run time, which needs a variable.
    fn is_indexable(&self, ty: TypeId) -> bool {
        match self.type_of(ty) {
            Type::Array { .. } | Type::Matrix { .. } => true,
            Type::Struct(id) => {
                self.module.module.types.structs[id].fields.iter().any(|field| self.is_indexable(field.ty))
            }
            Type::Scalar(_) | Type::Vector { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
        }
    }

    fn locals(&mut self) -> Result<(), EmitError> {
        for (id, local) in self.tree.locals.iter() {
            let is_variable = match local.kind {
                LocalKind::Param { .. } => false,
                LocalKind::Constant => self.is_indexable(local.ty),
                LocalKind::Variable => true,
            };
            if is_variable {
                let ty = self.value_type(local.ty)?;
                let pointer = self.add_local(&local.name, ty);
                self.slots.insert(id, Slot::Pointer(pointer));
            }
        }
        Ok(())
    }

    /// The first values of the variables of a thread that functions compute.
    fn initialise_statics(&mut self) -> Result<(), EmitError> {
        let statics: Vec<(Id, FuncId)> = self
            .module
            .globals
            .iter()
            .filter_map(|(global, memory)| match self.module.module.globals[global].kind {
                GlobalKind::Static { init: Some(init) } => Some((memory.variable, init)),
                GlobalKind::Static { init: None } | GlobalKind::Parameter | GlobalKind::GroupShared => None,
            })
            .collect();
        // First values are computed from others.
        loop {
            let before = self.uses.len();
            for (variable, init) in &statics {
                if self.uses.contains(variable)
                    && let Some(written) = self.module.functions.get(*init)
                {
                    self.uses.extend(&written.uses);
                }
            }
            if self.uses.len() == before {
                break;
            }
        }
        for (variable, init) in statics {
            if !self.uses.contains(&variable) {
                continue;
            }
            let value = self.call(init, &[])?;
            let value = value.ok_or_else(|| self.error("the first value of a static variable is not known"))?;
            self.store_pointer(variable, value);
        }
        Ok(())
    }

    pub(super) fn slot(&self, local: LocalId) -> Result<Slot, EmitError> {
        self.slots.get(local).copied().ok_or_else(|| self.error("a variable is read before it is written"))
    }

    pub(super) fn known_slot(&self, local: LocalId) -> Option<Slot> {
        self.slots.get(local).copied()
    }

    pub(super) fn set_value(&mut self, local: LocalId, value: Id) {
        self.slots.insert(local, Slot::Value(value));
    }

    pub(super) fn call(&mut self, callee: FuncId, args: &[Expr]) -> Result<Option<Id>, EmitError> {
        let Some(written) = self.module.functions.get(callee).cloned() else {
            return Err(self.error("an entry point cannot be called"));
        };
        let mut operands = vec![written.id];
        for (arg, is_pointer) in args.iter().zip(&written.pointers) {
            operands.push(match arg.kind {
                ExprKind::Reference(local) => match self.slot(local)? {
                    Slot::Pointer(pointer) => pointer,
                    Slot::Value(_) => return Err(self.error("a value that is not a variable is written by a call")),
                },
                _ if *is_pointer => self.place_to_read(arg, args)?,
                _ => self.expr(arg)?,
            });
        }
        self.uses.extend(&written.uses);
        let words: Vec<u32> = operands.iter().map(|id| id.0).collect();
        let value = self.value_with(Op::FunctionCall, written.result, &words);
        Ok(written.has_result.then_some(value))
    }

    /// A variable with the value of `arg` that nothing writes while a call with `args` reads it.
    fn place_to_read(&mut self, arg: &Expr, args: &[Expr]) -> Result<Id, EmitError> {
        if let ExprKind::Local(local) = arg.kind
            && let Slot::Pointer(pointer) = self.slot(local)?
            && !args.iter().any(|other| other.kind == ExprKind::Reference(local))
        {
            return Ok(pointer);
        }
        let value = self.expr(arg)?;
        self.kept_in_variable("argument", value, arg.ty)
    }

    /// A variable that holds a value.
    pub(super) fn kept_in_variable(&mut self, name: &str, value: Id, ty: TypeId) -> Result<Id, EmitError> {
        let ty = self.value_type(ty)?;
        let pointer = self.add_local(name, ty);
        self.store_pointer(pointer, value);
        Ok(pointer)
    }
}
