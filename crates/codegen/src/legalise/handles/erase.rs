//! Removes handles from types, values, inputs and results. What still names memory is [`Op::Global`], right where the
//! memory is used, or a read of an array of resources there; pointers and handles that may be of such an array have become
//! numbers.

use ir::{Func, FuncId, HandleType, Module, Op, OpData, OpId, PathStep, RegionId, Scalar, StructDef, Type, TypeId};
use ir::{
    Role, Value, ValueDef, ValueId,
    op::Path,
    types::{AS_MANY_AS_BOUND, TypeTable},
};
use rustc_hash::FxHashSet;

pub(crate) fn erase(module: &mut Module, functions: &[FuncId], numbered: &FxHashSet<TypeId>) {
    let nothing = nothing(module);
    let original = module.types.clone();
    let mut pass = Pass { original: &original, module, nothing, numbered };
    pass.types();
    for &id in functions {
        pass.function(id);
    }
}

/// The struct without fields that stands for interface values that were handles.
fn nothing(module: &mut Module) -> TypeId {
    let name = crate::legalise::sums::unused_name(module, "Nothing");
    module.types.add_struct(StructDef { name, fields: Vec::new(), differential: None })
}

struct Pass<'a> {
    original: &'a TypeTable,
    module: &'a mut Module,
    nothing: TypeId,
    numbered: &'a FxHashSet<TypeId>,
}

impl Pass<'_> {
    /// Whether nothing remains of the values of a type.
    fn is_dropped(&self, ty: TypeId) -> bool {
        match self.original.get(ty) {
            Type::Handle(HandleType::Pointer { .. } | HandleType::Address { .. }) => false,
            Type::Handle(_) => !self.numbered.contains(&ty),
            Type::Array { element, .. } => self.is_dropped(element),
            _ => false,
        }
    }

    fn map(&mut self, ty: TypeId) -> TypeId {
        match self.original.get(ty) {
            Type::Handle(HandleType::Pointer { .. }) => self.module.types.scalar(Scalar::U32),
            Type::Handle(_) if self.numbered.contains(&ty) => self.module.types.scalar(Scalar::U32),
            // Which of them it is says an index alone.
            Type::Array { element, len: AS_MANY_AS_BOUND } if self.numbered.contains(&element) => {
                self.module.types.scalar(Scalar::U32)
            }
            Type::Array { element, len } => {
                let element = self.map(element);
                self.module.types.array(element, len)
            }
            Type::Handle(HandleType::Variable { content }) => {
                let content = if self.is_dropped(content) { self.nothing } else { self.map(content) };
                self.module.types.intern(Type::Handle(HandleType::Variable { content }))
            }
            // Structs and sums keep their ids.
            _ => ty,
        }
    }

    fn types(&mut self) {
        for (id, def) in self.original.structs.iter() {
            if !def.fields.iter().any(|field| self.original.holds_handles(field.ty)) {
                continue;
            }
            let mut fields = Vec::new();
            for field in &def.fields {
                if !self.is_dropped(field.ty) {
                    let ty = self.map(field.ty);
                    fields.push(ir::Field { ty, ..field.clone() });
                }
            }
            // Derivatives are made before this; what remains is no longer the differential's primal.
            let def = &mut self.module.types.structs[id];
            (def.fields, def.differential) = (fields, None);
        }
        for (id, def) in self.original.sums.iter() {
            for (index, variant) in def.variants.iter().enumerate() {
                let ty = if self.is_dropped(variant.ty) { self.nothing } else { self.map(variant.ty) };
                self.module.types.sums[id].variants[index].ty = ty;
            }
        }
        let globals: Vec<_> = self.module.globals.iter().map(|(id, _)| id).collect();
        for id in globals {
            if let Type::Handle(HandleType::Variable { .. }) = self.module.types.get(self.module.globals[id].ty) {
                self.module.globals[id].ty = self.map(self.module.globals[id].ty);
            }
        }
    }

    fn function(&mut self, id: FuncId) {
        let empty = Func::declaration("", Vec::new(), Vec::new(), ir::SpanId::NONE);
        let mut func = std::mem::replace(&mut self.module.funcs[id], empty);
        let kept: Vec<bool> = func.inputs.iter().map(|input| !self.is_dropped(input.ty)).collect();
        for slot in &mut func.results {
            if let Role::InOut(input) = &mut slot.role {
                *input = kept[..*input as usize].iter().filter(|&&kept| kept).count() as u32;
            }
        }
        func.inputs.retain(|input| !self.is_dropped(input.ty));
        func.results.retain(|result| !self.is_dropped(result.ty));
        if let Some(body) = func.body {
            self.region(&mut func, body);
        }
        for input in &mut func.inputs {
            input.ty = self.map(input.ty);
        }
        for result in &mut func.results {
            result.ty = self.map(result.ty);
        }
        let named: FxHashSet<ValueId> = func
            .values
            .iter()
            .filter(|(_, value)| match value.def {
                ValueDef::Result { op, .. } => names_memory(self.original, &func, &func.ops[op].op),
                ValueDef::Param { .. } => false,
            })
            .map(|(id, _)| id)
            .collect();
        for (id, value) in func.values.iter_mut() {
            value.ty = match self.original.get(value.ty) {
                // Memory is named by what it is now.
                Type::Handle(HandleType::Pointer { .. } | HandleType::Variable { .. }) => self.map(value.ty),
                Type::Handle(_) if self.numbered.contains(&value.ty) && !named.contains(&id) => self.map(value.ty),
                Type::Handle(_) => value.ty,
                _ if self.is_dropped(value.ty) => self.nothing,
                _ => self.map(value.ty),
            };
        }
        self.module.funcs[id] = func;
    }

    fn region(&mut self, func: &mut Func, region: RegionId) {
        let mut params = std::mem::take(&mut func.regions[region].params);
        params.retain(|&param| !self.is_dropped(func.ty(param)));
        for (index, &param) in params.iter().enumerate() {
            func.values[param].def = ValueDef::Param { region, index: index as u32 };
        }
        func.regions[region].params = params;
        for op in std::mem::take(&mut func.regions[region].ops) {
            // The payload of an interface value is a parameter even where nothing of it remains.
            let payloads: Vec<(RegionId, ValueId)> = match &func.ops[op].op {
                Op::SumMatch { variants, .. } => variants
                    .iter()
                    .filter_map(|&region| Some((region, *func.regions[region].params.first()?)))
                    .filter(|(_, param)| self.is_dropped(func.ty(*param)))
                    .collect(),
                _ => Vec::new(),
            };
            for nested in func.ops[op].op.regions() {
                self.region(func, nested);
            }
            for (region, payload) in payloads {
                func.values[payload].ty = self.nothing;
                func.regions[region].params.push(payload);
            }
            self.op(func, region, op);
        }
        self.terminator(func, region);
    }

    fn terminator(&self, func: &mut Func, region: RegionId) {
        use ir::Terminator;
        let mut terminator = std::mem::replace(&mut func.regions[region].terminator, Terminator::Unreachable);
        match &mut terminator {
            Terminator::Yield(values)
            | Terminator::Return(values)
            | Terminator::Break(values)
            | Terminator::Continue(values) => values.retain(|value| !self.is_dropped(func.ty(*value))),
            Terminator::Unreachable => {}
        }
        func.regions[region].terminator = terminator;
    }

    fn op(&self, func: &mut Func, region: RegionId, op: OpId) {
        let mut data = std::mem::replace(&mut func.ops[op], OpData::new(Op::Undef, ir::SpanId::NONE));
        let is_dropped = |value: &ValueId| self.is_dropped(func.ty(*value));
        let had_results = !data.results.is_empty();
        if !matches!(data.op, Op::Global(_)) {
            data.results.retain(|result| !is_dropped(result));
        }
        let disappears = had_results && data.results.is_empty();
        let new = match data.op {
            // Only the handle was wanted.
            Op::Zero
            | Op::Undef
            | Op::Make(_)
            | Op::Splat(_)
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Select { .. }
            | Op::Detach(_)
            | Op::Forget(_)
            | Op::Load { .. }
                if disappears =>
            {
                return;
            }
            Op::Store { value, .. } if is_dropped(&value) => return,
            Op::Make(mut parts) => {
                parts.retain(|part| !is_dropped(part));
                Op::Make(parts)
            }
            Op::Extract { aggregate, path } => Op::Extract { aggregate, path: self.path(func.ty(aggregate), &path) },
            Op::Insert { aggregate, value, .. } if is_dropped(&value) => Op::Detach(aggregate),
            Op::Insert { aggregate, path, value } => {
                Op::Insert { aggregate, path: self.path(func.ty(aggregate), &path), value }
            }
            Op::Load { handle, path } => Op::Load { handle, path: self.memory_path(func.ty(handle), path) },
            Op::Store { handle, path, value } => {
                Op::Store { handle, path: self.memory_path(func.ty(handle), path), value }
            }
            Op::Atomic { op, handle, path, operands } => {
                Op::Atomic { op, handle, path: self.memory_path(func.ty(handle), path), operands }
            }
            Op::Call { callee, mut args, no_diff } => {
                args.retain(|arg| !is_dropped(arg));
                Op::Call { callee, args, no_diff }
            }
            Op::Loop { mut init, cond, body, bound } => {
                init.retain(|value| !is_dropped(value));
                Op::Loop { init, cond, body, bound }
            }
            Op::SumMake { variant, value } if is_dropped(&value) => {
                let zero = func.ops.alloc(OpData::new(Op::Zero, data.span));
                let def = ValueDef::Result { op: zero, index: 0 };
                let value = func.values.alloc(Value { ty: self.nothing, def, name: None });
                func.ops[zero].results.push(value);
                func.regions[region].ops.push(zero);
                Op::SumMake { variant, value }
            }
            other => other,
        };
        for (index, &result) in data.results.iter().enumerate() {
            func.values[result].def = ValueDef::Result { op, index: index as u32 };
        }
        data.op = new;
        func.ops[op] = data;
        func.regions[region].ops.push(op);
    }

    /// The path to the same part of what remains of an aggregate.
    fn path(&self, mut ty: TypeId, path: &[PathStep]) -> Path {
        let mut mapped = Path::new();
        for step in path {
            match (self.original.get(ty), step) {
                (Type::Struct(id), PathStep::Const(index)) => {
                    let fields = &self.original.structs[id].fields;
                    let kept = fields.iter().take(*index as usize).filter(|field| !self.is_dropped(field.ty)).count();
                    mapped.push(PathStep::Const(kept as u32));
                    ty = fields.get(*index as usize).map_or(ty, |field| field.ty);
                }
                (Type::Array { element, .. }, _) => {
                    mapped.push(*step);
                    ty = element;
                }
                _ => mapped.push(*step),
            }
        }
        mapped
    }

    /// Of memory, variables alone can hold handles: blocks are read part by part already.
    fn memory_path(&self, handle: TypeId, path: Path) -> Path {
        match self.original.get(handle) {
            Type::Handle(HandleType::Variable { content }) => self.path(content, &path),
            _ => path,
        }
    }
}

/// Whether an operation stands right where memory is used, to name it.
fn names_memory(types: &TypeTable, func: &Func, op: &Op) -> bool {
    match op {
        Op::Global(_) => true,
        Op::Load { handle, .. } => types.resource_array(func.ty(*handle)).is_some(),
        _ => false,
    }
}
