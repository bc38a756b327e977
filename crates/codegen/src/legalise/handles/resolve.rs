//! Copies functions for what they are called with, and lets each access name its global.

use ir::{
    BinaryOp, Callee, Constant, Func, FuncId, Global, GlobalId, GlobalKind, HandleType, Module, Op, OpData, OpId,
    PathStep, Region, RegionId, Scalar, SpanId, StructDef, Terminator, Type, TypeId, Value, ValueDef, ValueId,
    op::Path,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::analyse::{ADDRESS_OF, Key, Shapes, Summaries, last_element};
use super::shape::{Place, PlaceStep, Shape, holds_handles, static_steps};
use crate::EmitError;

/// The functions that were rewritten; values in them are still of handle types.
pub fn resolve(module: &mut Module, roots: &[FuncId]) -> Result<Vec<FuncId>, Vec<EmitError>> {
    let original = module.clone();
    let mut pass = Pass {
        original: &original,
        module,
        summaries: Summaries::default(),
        targets: FxHashMap::default(),
        work: Vec::new(),
        globals: FxHashMap::default(),
        stored: FxHashMap::default(),
        errors: Vec::new(),
    };
    for &root in roots {
        pass.target(root, vec![Shape::Nothing; original.funcs[root].inputs.len()]);
    }
    let mut rewritten = Vec::new();
    while let Some(((id, inputs), target)) = pass.work.pop() {
        pass.function(id, &inputs, target);
        rewritten.push(target);
    }
    if pass.errors.is_empty() { Ok(rewritten) } else { Err(pass.errors) }
}

struct Pass<'a> {
    original: &'a Module,
    module: &'a mut Module,
    summaries: Summaries,
    targets: FxHashMap<Key, FuncId>,
    work: Vec<(Key, FuncId)>,
    /// Parameters for the memory that handles refer to, by parameter and place in its block.
    globals: FxHashMap<(GlobalId, Vec<u32>), GlobalId>,
    /// Contents of parameter blocks without the handles.
    stored: FxHashMap<TypeId, TypeId>,
    errors: Vec<EmitError>,
}

impl Pass<'_> {
    /// The function for these inputs, which is made when its turn comes.
    fn target(&mut self, id: FuncId, inputs: Vec<Shape>) -> FuncId {
        let func = &self.original.funcs[id];
        let holds = func.inputs.iter().any(|input| holds_handles(&self.original.types, input.ty));
        let key = (id, inputs);
        if let Some(&target) = self.targets.get(&key) {
            return target;
        }
        let target = if holds {
            let mut name = func.name.to_string();
            let mut place = |place: &Place| {
                let global = &self.original.globals[place.global].name;
                name = format!("{name}_{global}");
            };
            key.1.iter().for_each(|shape| shape.for_each_place(&mut place));
            let mut copy = func.clone();
            copy.name = name.into();
            self.module.funcs.alloc(copy)
        } else {
            id
        };
        self.targets.insert(key.clone(), target);
        self.work.push((key, target));
        target
    }

    fn function(&mut self, id: FuncId, inputs: &[Shape], target: FuncId) {
        let (shapes, _) = self.summaries.analyse(self.original, id, inputs);
        let mut func = self.original.funcs[id].clone();
        func.name = self.module.funcs[target].name.clone();
        let Some(body) = func.body else { return };
        let numbers = addresses_as_numbers(self.original, &func);
        let mut rewriter = Rewriter { pass: self, func, shapes, numbers, ops: Vec::new(), span: SpanId::NONE };
        rewriter.region(body);
        let func = rewriter.func;
        self.module.funcs[target] = func;
    }

    /// The global that a place is in.
    fn global(&mut self, place: &Place) -> GlobalId {
        let key = (place.global, place.block.clone());
        if let Some(&global) = self.globals.get(&key) {
            return global;
        }
        let types = &self.original.types;
        let data = &self.original.globals[place.global];
        let (mut ty, mut name) = (data.ty, data.name.to_string());
        for &step in &place.block {
            if let Type::Handle(HandleType::ConstantBuffer { content }) = types.get(ty) {
                ty = content;
            }
            if let Type::Struct(id) = types.get(ty)
                && let Some(field) = types.structs[id].fields.get(step as usize)
            {
                ty = field.ty;
                name = format!("{name}.{}", field.name);
            }
        }
        let handle = match types.get(ty) {
            Type::Handle(HandleType::Pointer { pointee }) => {
                HandleType::StructuredBuffer { element: pointee, writable: true }
            }
            Type::Handle(HandleType::ConstantBuffer { content }) if holds_handles(types, content) => {
                HandleType::ConstantBuffer { content: self.stored(content) }
            }
            Type::Handle(handle) => handle,
            _ => return place.global,
        };
        let ty = self.module.types.intern(Type::Handle(handle));
        let global = if place.block.is_empty() {
            self.module.globals[place.global].ty = ty;
            place.global
        } else {
            let global = Global { name: name.into(), ty, kind: GlobalKind::Parameter, binding: None };
            self.module.globals.alloc(global)
        };
        self.globals.insert(key, global);
        global
    }

    /// The type of what remains of a block without its handles.
    fn stored(&mut self, ty: TypeId) -> TypeId {
        if let Some(&stored) = self.stored.get(&ty) {
            return stored;
        }
        let stored = match self.original.types.get(ty) {
            Type::Struct(id) if holds_handles(&self.original.types, ty) => {
                let def = self.original.types.structs[id].clone();
                let mut fields = Vec::new();
                for field in def.fields {
                    if !is_handle(&self.original.types, field.ty) {
                        let ty = self.stored(field.ty);
                        fields.push(ir::Field { ty, ..field });
                    }
                }
                let name = crate::legalise::sums::unused_name(self.module, &def.name);
                self.module.types.add_struct(StructDef { name, fields, differential: None })
            }
            _ => ty,
        };
        self.stored.insert(ty, stored);
        stored
    }

    /// The path to the same part of what remains of a block.
    fn stored_path(&self, mut ty: TypeId, path: &[PathStep]) -> Path {
        let types = &self.original.types;
        let mut stored = Path::new();
        for step in path {
            match (types.get(ty), step) {
                (Type::Struct(id), PathStep::Const(index)) => {
                    let fields = &types.structs[id].fields;
                    let before = fields.iter().take(*index as usize);
                    let kept = before.filter(|field| !is_handle(types, field.ty)).count();
                    stored.push(PathStep::Const(kept as u32));
                    ty = fields.get(*index as usize).map_or(ty, |field| field.ty);
                }
                (Type::Array { element, .. }, _) => {
                    stored.push(*step);
                    ty = element;
                }
                _ => stored.push(*step),
            }
        }
        stored
    }
}

/// Whether a value of the type is a handle, or an array of nothing else.
pub fn is_handle(types: &ir::types::TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Handle(_) => true,
        Type::Array { element, .. } => is_handle(types, element),
        _ => false,
    }
}

/// The addresses that are used as numbers otherwise than to be compared or to become the pointer again.
fn addresses_as_numbers(module: &Module, func: &Func) -> FxHashSet<ValueId> {
    let address = |value: ValueId| match func.defining_op(value).map(|data| &data.op) {
        Some(Op::Bitcast(pointer)) => matches!(module.types.get(func.ty(*pointer)), Type::Handle(_)),
        _ => false,
    };
    let mut numbers = FxHashSet::default();
    for (_, data) in func.ops.iter() {
        let harmless = match &data.op {
            Op::Bitcast(_) => true,
            Op::Binary(op, left, right) => {
                let null = |value: ValueId| {
                    matches!(func.defining_op(value).map(|data| &data.op), Some(Op::Const(Constant::Int(0)) | Op::Zero))
                };
                op.is_comparison() && [*left, *right].into_iter().all(|side| address(side) || null(side))
            }
            _ => false,
        };
        if !harmless {
            data.op.for_each_operand(|value| {
                if address(value) {
                    numbers.insert(value);
                }
            });
        }
    }
    for (_, region) in func.regions.iter() {
        numbers.extend(region.terminator.values().iter().copied().filter(|&value| address(value)));
    }
    numbers
}

struct Rewriter<'p, 'a> {
    pass: &'p mut Pass<'a>,
    func: Func,
    shapes: Shapes,
    /// See [`addresses_as_numbers`].
    numbers: FxHashSet<ValueId>,
    /// The ops of the region that is being rewritten.
    ops: Vec<OpId>,
    span: SpanId,
}

/// Where an access goes.
enum Access {
    /// To a place, if the condition holds.
    Place { handle: ValueId, path: Path, if_: Option<ValueId> },
    /// Nowhere.
    Null,
}

const CHOSEN: &str = "a buffer or pointer that is chosen at run time is not supported for this target";

impl Rewriter<'_, '_> {
    fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.ops);
        for op in std::mem::take(&mut self.func.regions[region].ops) {
            for nested in self.func.ops[op].op.regions() {
                self.region(nested);
            }
            self.span = self.func.ops[op].span;
            if let Err(message) = self.op(op) {
                self.pass.errors.push(EmitError::new(self.span, message));
            }
        }
        self.func.regions[region].ops = std::mem::replace(&mut self.ops, outer);
    }

    fn shape(&self, value: ValueId) -> Shape {
        self.shapes.get(value).cloned().unwrap_or(Shape::Nothing)
    }

    fn handle_type(&self, value: ValueId) -> Option<HandleType> {
        // Values that this pass makes have types of the new module, which has all of the old one.
        match self.pass.module.types.get(self.func.ty(value)) {
            Type::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    fn is_pointer(&self, value: ValueId) -> bool {
        matches!(self.handle_type(value), Some(HandleType::Pointer { .. }))
    }

    fn op(&mut self, op: OpId) -> Result<(), String> {
        match self.func.ops[op].op.clone() {
            Op::Global(global) => {
                if let GlobalKind::Static { init: Some(init) } = self.pass.original.globals[global].kind {
                    self.pass.target(init, Vec::new());
                }
                // Pointers to the first element are numbers; the others are named where they are used.
                if self.is_pointer(self.func.ops[op].results[0]) {
                    self.replace(op, Op::Const(Constant::Int(1)));
                }
                Ok(())
            }
            Op::Load { handle, path } => self.load(op, handle, &path),
            Op::Store { handle, path, value } => {
                let access = self.access(handle, &path)?;
                self.guarded(op, access, |handle, path| Op::Store { handle, path, value })
            }
            Op::Atomic { op: atomic, handle, path, operands } => {
                let access = self.access(handle, &path)?;
                self.guarded(op, access, |handle, path| Op::Atomic { op: atomic, handle, path, operands })
            }
            Op::ByteLoad { handle, offset } => {
                let access = self.access(handle, &[])?;
                self.guarded(op, access, |handle, _| Op::ByteLoad { handle, offset })
            }
            Op::ByteStore { handle, offset, value } => {
                let access = self.access(handle, &[])?;
                self.guarded(op, access, |handle, _| Op::ByteStore { handle, offset, value })
            }
            Op::ByteAtomic { op: atomic, handle, offset, operands } => {
                let access = self.access(handle, &[])?;
                self.guarded(op, access, |handle, _| Op::ByteAtomic { op: atomic, handle, offset, operands })
            }
            Op::BufferLength { handle } => {
                let access = self.access(handle, &[])?;
                self.guarded(op, access, |handle, _| Op::BufferLength { handle })
            }
            Op::Intrinsic { name, args, .. } if name == ADDRESS_OF => {
                let number = self.number(&args)?;
                self.replace(op, number);
                Ok(())
            }
            Op::Intrinsic { name, mut args, effect } => {
                for arg in &mut args {
                    if self.handle_type(*arg).is_some() {
                        match self.access(*arg, &[])? {
                            Access::Place { handle, .. } => *arg = handle,
                            Access::Null => return Err(CHOSEN.into()),
                        }
                    }
                }
                self.replace(op, Op::Intrinsic { name, args, effect });
                Ok(())
            }
            Op::Call { callee: Callee::Func(callee), args, no_diff } => {
                let inputs = args.iter().map(|&arg| self.input_shape(arg)).collect();
                let callee = Callee::Func(self.pass.target(callee, inputs));
                self.replace(op, Op::Call { callee, args, no_diff });
                Ok(())
            }
            Op::Binary(comparison, left, right) if comparison.is_comparison() => {
                let (left_pointer, right_pointer) = (self.pointer_behind(left), self.pointer_behind(right));
                let (left_shape, right_shape) = match (left_pointer, right_pointer) {
                    (None, None) => {
                        return {
                            self.ops.push(op);
                            Ok(())
                        };
                    }
                    (left, right) => {
                        let shape = |side: Option<ValueId>| side.map_or(Shape::Nothing, |side| self.shape(side));
                        (shape(left), shape(right))
                    }
                };
                if left_shape.join(&right_shape) == Shape::Many {
                    return Err(
                        "a comparison of pointers into different memory is not supported for this target".into()
                    );
                }
                let u32 = self.pass.module.types.scalar(Scalar::U32);
                let mut number = |side: Option<ValueId>| match side {
                    Some(pointer) => pointer,
                    None => self.add(Op::Const(Constant::Int(0)), u32),
                };
                let (left, right) = (number(left_pointer), number(right_pointer));
                self.replace(op, Op::Binary(comparison, left, right));
                Ok(())
            }
            Op::Bitcast(value) if self.is_pointer(value) => {
                match self.numbers.contains(&self.func.ops[op].results[0]) {
                    true => Err("an address as a number is not supported for this target".into()),
                    false => Ok(()),
                }
            }
            Op::Bitcast(value) if self.is_pointer(self.func.ops[op].results[0]) => {
                let pointer = self.pointer_behind(value);
                self.replace(op, pointer.map_or(Op::Const(Constant::Int(0)), Op::Detach));
                Ok(())
            }
            _ => {
                self.ops.push(op);
                Ok(())
            }
        }
    }

    /// What is passed to a function: shapes of values without handles do not tell calls apart.
    fn input_shape(&self, value: ValueId) -> Shape {
        match holds_handles(&self.pass.original.types, self.func.ty(value)) {
            true => self.shape(value),
            false => Shape::Nothing,
        }
    }

    /// The pointer whose address a number is.
    fn pointer_behind(&self, number: ValueId) -> Option<ValueId> {
        match self.func.defining_op(number)?.op {
            Op::Bitcast(pointer) if self.is_pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    fn replace(&mut self, op: OpId, new: Op) {
        self.func.ops[op].op = new;
        self.ops.push(op);
    }

    /// The global that a handle names, and the path there.
    fn access(&mut self, handle: ValueId, path: &[PathStep]) -> Result<Access, String> {
        let place = match self.shape(handle) {
            Shape::Place(place) => place,
            Shape::Nothing => return Ok(Access::Null),
            Shape::Many | Shape::Parts(_) => return Err(CHOSEN.into()),
        };
        let mut if_ = None;
        let new_path = match self.handle_type(handle) {
            Some(HandleType::Pointer { .. }) => {
                let (path, condition) = self.behind_pointer(handle, &place, path)?;
                if_ = condition;
                path
            }
            Some(HandleType::ConstantBuffer { content }) if holds_handles(&self.pass.original.types, content) => {
                self.pass.stored_path(content, path)
            }
            Some(HandleType::StructuredBuffer { element, .. } | HandleType::TexelBuffer { element, .. })
                if holds_handles(&self.pass.original.types, element) =>
            {
                return Err("handles in buffers are not supported for this target".into());
            }
            _ => path.iter().copied().collect(),
        };
        let handle = self.global(&place);
        Ok(Access::Place { handle, path: new_path, if_ })
    }

    fn global(&mut self, place: &Place) -> ValueId {
        let global = self.pass.global(place);
        let ty = self.pass.module.globals[global].ty;
        self.add(Op::Global(global), ty)
    }

    /// The path that an access by pointer takes, and whether the pointer is not null where the path does not tell.
    fn behind_pointer(
        &mut self,
        pointer: ValueId,
        place: &Place,
        path: &[PathStep],
    ) -> Result<(Path, Option<ValueId>), String> {
        let (first, rest) = path.split_first().ok_or("a pointer is read as a whole")?;
        if *first != PathStep::Const(0) && !place.can_move() {
            return Err("an element beside the one that this pointer points to is not supported for this target".into());
        }
        let u32 = self.pass.module.types.scalar(Scalar::U32);
        let at_start = matches!(
            self.func.defining_op(pointer).map(|data| &data.op),
            Some(Op::Const(Constant::Int(1)) | Op::Global(_))
        );
        let has_index = place.path.contains(&PlaceStep::Index);
        let index = match (has_index, at_start) {
            (false, _) => PathStep::Const(0),
            (true, true) => *first,
            (true, false) => {
                let moved = self.moved(pointer, *first);
                let one = self.add(Op::Const(Constant::Int(1)), u32);
                PathStep::Dynamic(self.add(Op::Binary(BinaryOp::Sub, moved, one), u32))
            }
        };
        let steps = place.path.iter().map(|step| match step {
            PlaceStep::Const(step) => PathStep::Const(*step),
            PlaceStep::Index => index,
        });
        let path = steps.chain(rest.iter().copied()).collect();
        if has_index || at_start {
            return Ok((path, None));
        }
        let null = self.add(Op::Const(Constant::Int(0)), u32);
        let bool = self.pass.module.types.bool();
        let is_there = self.add(Op::Binary(BinaryOp::NotEqual, pointer, null), bool);
        Ok((path, Some(is_there)))
    }

    /// A pointer's number plus a step.
    fn moved(&mut self, pointer: ValueId, step: PathStep) -> ValueId {
        let u32 = self.pass.module.types.scalar(Scalar::U32);
        let by = match step {
            PathStep::Const(0) => return pointer,
            PathStep::Const(step) => self.add(Op::Const(Constant::Int(step.into())), u32),
            PathStep::Dynamic(step) => self.to_u32(step),
        };
        self.add(Op::Binary(BinaryOp::Add, pointer, by), u32)
    }

    fn to_u32(&mut self, value: ValueId) -> ValueId {
        let u32 = self.pass.module.types.scalar(Scalar::U32);
        match self.func.ty(value) == u32 {
            true => value,
            false => self.add(Op::Convert(value), u32),
        }
    }

    /// The number of the pointer that an address is.
    fn number(&mut self, args: &[ValueId]) -> Result<Op, String> {
        let (&handle, steps) = args.split_first().ok_or("the address of nothing")?;
        let Some((path, index)) = static_steps(&self.func, steps) else { return Err(CHOSEN.into()) };
        let u32 = self.pass.module.types.scalar(Scalar::U32);
        match self.handle_type(handle) {
            Some(HandleType::Pointer { .. }) => {
                let first = match (steps.first(), path.first()) {
                    (_, Some(PlaceStep::Const(step))) => PathStep::Const(*step),
                    (Some(&step), _) => PathStep::Dynamic(step),
                    (None, _) => PathStep::Const(0),
                };
                Ok(Op::Detach(self.moved(handle, first)))
            }
            Some(HandleType::Variable { content }) => Ok(match (index, path.last()) {
                (Some(index), _) => {
                    let index = self.to_u32(index);
                    let one = self.add(Op::Const(Constant::Int(1)), u32);
                    Op::Binary(BinaryOp::Add, index, one)
                }
                (None, Some(PlaceStep::Const(step)))
                    if last_element(&self.pass.original.types, content, &path).is_some() =>
                {
                    Op::Const(Constant::Int(i64::from(*step) + 1))
                }
                _ => Op::Const(Constant::Int(1)),
            }),
            _ => Err(CHOSEN.into()),
        }
    }

    fn load(&mut self, op: OpId, handle: ValueId, path: &[PathStep]) -> Result<(), String> {
        let ty = self.func.ty(self.func.ops[op].results[0]);
        let block = match self.handle_type(handle) {
            Some(HandleType::ConstantBuffer { content }) => Some(content),
            _ => None,
        };
        if !holds_handles(&self.pass.original.types, ty) {
            let access = self.access(handle, path)?;
            return self.guarded(op, access, |handle, path| Op::Load { handle, path });
        }
        match block {
            // Handles in a block are parameters of their own; the data around them is read part by part.
            Some(content) if !is_handle(&self.pass.original.types, ty) => {
                let Type::Struct(_) = self.pass.original.types.get(ty) else {
                    return Err("an array of structs with handles is not supported for this target".into());
                };
                let parts = self.block_parts(handle, content, path, ty)?;
                self.replace(op, Op::Make(parts));
            }
            Some(_) if self.is_pointer(self.func.ops[op].results[0]) => self.replace(op, Op::Const(Constant::Int(1))),
            Some(_) => self.replace(op, Op::Undef),
            // Of a variable; a handle that comes from there is an error where it is used.
            None => {
                let access = self.access(handle, path)?;
                self.guarded(op, access, |handle, path| Op::Load { handle, path })?;
            }
        }
        Ok(())
    }

    fn block_parts(
        &mut self,
        handle: ValueId,
        content: TypeId,
        path: &[PathStep],
        ty: TypeId,
    ) -> Result<SmallVec<[ValueId; 4]>, String> {
        let types = &self.pass.original.types;
        let Type::Struct(id) = types.get(ty) else { return Ok(SmallVec::new()) };
        let mut parts = SmallVec::new();
        for (index, field) in types.structs[id].fields.iter().enumerate() {
            let path: Path = path.iter().copied().chain([PathStep::Const(index as u32)]).collect();
            let part = match types.get(field.ty) {
                Type::Handle(HandleType::Pointer { .. }) => Op::Const(Constant::Int(1)),
                _ if is_handle(types, field.ty) => Op::Undef,
                _ if !holds_handles(types, field.ty) => match self.access(handle, &path)? {
                    Access::Place { handle, path, .. } => Op::Load { handle, path },
                    Access::Null => Op::Zero,
                },
                Type::Struct(_) => Op::Make(self.block_parts(handle, content, &path, field.ty)?),
                _ => return Err("an array of structs with handles is not supported for this target".into()),
            };
            parts.push(self.add(part, field.ty));
        }
        Ok(parts)
    }

    /// Puts `op` behind the test that its pointer is not null. Where it is, results are zero and nothing is written.
    fn guarded(&mut self, op: OpId, access: Access, make: impl FnOnce(ValueId, Path) -> Op) -> Result<(), String> {
        let (handle, path, if_) = match access {
            Access::Place { handle, path, if_ } => (handle, path, if_),
            Access::Null => {
                if !self.func.ops[op].results.is_empty() {
                    self.replace(op, Op::Zero);
                }
                return Ok(());
            }
        };
        let Some(cond) = if_ else {
            self.replace(op, make(handle, path));
            return Ok(());
        };
        let outer = std::mem::take(&mut self.ops);
        let results = self.func.ops[op].results.clone();
        let types: Vec<TypeId> = results.iter().map(|&result| self.func.ty(result)).collect();
        let inner = self.func.ops.alloc(OpData { op: make(handle, path), results: SmallVec::new(), span: self.span });
        let mut values: SmallVec<[ValueId; 4]> = SmallVec::new();
        for (index, &ty) in types.iter().enumerate() {
            let def = ValueDef::Result { op: inner, index: index as u32 };
            let value = self.func.values.alloc(Value { ty, def, name: None });
            self.func.ops[inner].results.push(value);
            values.push(value);
        }
        let then = self.close(vec![inner], values);
        let zeros = types.iter().map(|&ty| self.add(Op::Zero, ty)).collect();
        let ops = std::mem::replace(&mut self.ops, outer);
        let otherwise = self.close(ops, zeros);
        self.replace(op, Op::If { cond, then, otherwise });
        Ok(())
    }

    fn close(&mut self, ops: Vec<OpId>, values: SmallVec<[ValueId; 4]>) -> RegionId {
        self.func.regions.alloc(Region { params: Vec::new(), ops, terminator: Terminator::Yield(values) })
    }

    fn add(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData { op, results: SmallVec::new(), span: self.span });
        let value = self.func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        self.func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }
}
