//! Copies functions for what they are called with, and lets each access name its global.

use ir::{
    BinaryOp, Callee, Constant, Func, FuncId, Global, GlobalId, GlobalKind, HandleType, Intrinsic, Module, Op, OpId,
    PathStep, Scalar, SpanId, StructDef, Type, TypeId, ValueId, intrinsic::HintOp, op::Path, provision::Provision,
    types::AS_MANY_AS_BOUND,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::analyse::{ADDRESS_OF, Key, Shapes, Summaries, last_element};
use super::shape::{HandleShape, PlaceStep, Referent, Which, static_steps};
use crate::EmitError;
use crate::legalise::bindings::Places;
use crate::legalise::rewrite::{Rewriter, rewrite};

/// The functions that were rewritten; values in them are still of handle types. Those of types in `numbered` are numbers.
pub(crate) fn resolve(
    module: &mut Module,
    roots: &[FuncId],
    places: Option<&mut Places>,
    numbered: &FxHashSet<TypeId>,
) -> Result<Vec<FuncId>, Vec<EmitError>> {
    let original = module.clone();
    let mut pass = Pass {
        original: &original,
        summaries: Summaries::new(numbered.clone()),
        targets: FxHashMap::default(),
        work: Vec::new(),
        globals: FxHashMap::default(),
        stored: FxHashMap::default(),
        places,
        errors: Vec::new(),
    };
    for &root in roots {
        pass.target(module, root, vec![HandleShape::Nothing; original.funcs[root].inputs.len()]);
    }
    let mut rewritten = Vec::new();
    while let Some(((id, inputs), target)) = pass.work.pop() {
        pass.function(module, id, &inputs, target);
        rewritten.push(target);
    }
    pass.take_handles_out_of_blocks(module);
    if pass.errors.is_empty() { Ok(rewritten) } else { Err(pass.errors) }
}

struct Pass<'a> {
    original: &'a Module,
    summaries: Summaries,
    targets: FxHashMap<Key, FuncId>,
    work: Vec<(Key, FuncId)>,
    /// Parameters for the memory that handles refer to, by parameter and place in its block.
    globals: FxHashMap<(GlobalId, Vec<u32>), GlobalId>,
    /// Contents of parameter blocks without the handles.
    stored: FxHashMap<TypeId, TypeId>,
    places: Option<&'a mut Places>,
    errors: Vec<EmitError>,
}

impl Pass<'_> {
    /// The function for these inputs, which is made when its turn comes.
    fn target(&mut self, module: &mut Module, id: FuncId, inputs: Vec<HandleShape>) -> FuncId {
        let func = &self.original.funcs[id];
        let holds = func.inputs.iter().any(|input| self.original.types.holds_handles(input.ty));
        let key = (id, inputs);
        if let Some(&target) = self.targets.get(&key) {
            return target;
        }
        let target = if holds {
            let mut name = func.name.to_string();
            let mut place = |place: &Referent| {
                let global = &self.original.globals[place.global].name;
                name = format!("{name}_{global}");
            };
            key.1.iter().for_each(|shape| shape.for_each_place(&mut place));
            let mut copy = func.clone();
            copy.name = name.into();
            module.funcs.alloc(copy)
        } else {
            id
        };
        self.targets.insert(key.clone(), target);
        self.work.push((key, target));
        target
    }

    fn function(&mut self, module: &mut Module, id: FuncId, inputs: &[HandleShape], target: FuncId) {
        let (shapes, _) = self.summaries.analyse(self.original, id, inputs);
        let name = module.funcs[target].name.clone();
        let original = &self.original.funcs[id];
        module.funcs[target] = Func { name, ..original.clone() };
        let numbers = addresses_as_numbers(self.original, original);
        let mut rules = Rules { pass: self, shapes, numbers };
        rewrite(module, target, &mut |w, op| {
            if let Err(message) = rules.op(w, op) {
                rules.pass.errors.push(EmitError::new(w.span, message));
            }
        });
    }

    /// The global that a place is in.
    fn global(&mut self, module: &mut Module, place: &Referent, span: SpanId) -> GlobalId {
        let key = (place.global, place.block.clone());
        if let Some(&global) = self.globals.get(&key) {
            return global;
        }
        let types = &self.original.types;
        let data = &self.original.globals[place.global];
        let (mut ty, mut name) = (data.ty, data.name.to_string());
        // How many structs there are that hold the handle.
        let mut array = None;
        for &step in &place.block {
            if let Type::Handle(HandleType::ConstantBuffer { content }) = types.get(ty) {
                ty = content;
            }
            if let Type::Array { element, len } = types.get(ty) {
                (ty, array) = (element, Some(len));
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
                if self.places.is_some() {
                    self.errors.push(EmitError::new(
                        span,
                        format!("`{name}` is a pointer, an address that the host gives: not supported for this target"),
                    ));
                }
                HandleType::StructuredBuffer { element: pointee, writable: true }
            }
            Type::Handle(HandleType::ConstantBuffer { content }) if types.holds_handles(content) => {
                HandleType::ConstantBuffer { content: self.stored(module, content) }
            }
            Type::Handle(handle) => match array {
                Some(len) => HandleType::ConstantBuffer { content: module.types.array(ty, len) },
                None => handle,
            },
            // An array of resources.
            Type::Array { .. } => HandleType::ConstantBuffer { content: ty },
            _ => return place.global,
        };
        let ty = module.types.intern(Type::Handle(handle));
        let global = if place.block.is_empty() {
            module.globals[place.global].ty = ty;
            place.global
        } else {
            let (layout, is_ordered) = (data.provision.layout, data.provision.is_ordered);
            let provision = Provision { layout, is_ordered, ..Provision::default() };
            let global = Global { name: name.into(), ty, kind: GlobalKind::Parameter, provision, by_descriptor: false };
            let global = module.globals.alloc(global);
            if let Some(places) = &mut self.places
                && let Some(place_of_part) = places.of_part(place.global, &place.block)
            {
                places.places.insert((global, Vec::new()), place_of_part);
            }
            global
        };
        self.globals.insert(key, global);
        global
    }

    /// Handles that are numbers are no part of a block, also where nothing of it is read.
    fn take_handles_out_of_blocks(&mut self, module: &mut Module) {
        if self.summaries.numbered.is_empty() {
            return;
        }
        for (id, global) in self.original.globals.iter() {
            let Type::Handle(HandleType::ConstantBuffer { content }) = self.original.types.get(global.ty) else {
                continue;
            };
            if self.original.types.holds_handles(content) && !is_handle(&self.original.types, content) {
                let content = self.stored(module, content);
                module.globals[id].ty = module.types.intern(Type::Handle(HandleType::ConstantBuffer { content }));
            }
        }
    }

    /// The type of what remains of a block without its handles.
    fn stored(&mut self, module: &mut Module, ty: TypeId) -> TypeId {
        if let Some(&stored) = self.stored.get(&ty) {
            return stored;
        }
        let stored = match self.original.types.get(ty) {
            Type::Struct(id) if self.original.types.holds_handles(ty) => {
                let def = self.original.types.structs[id].clone();
                let mut fields = Vec::new();
                for field in def.fields {
                    if !is_of_handles(&self.original.types, field.ty) {
                        let ty = self.stored(module, field.ty);
                        fields.push(ir::Field { ty, ..field });
                    }
                }
                let name = crate::legalise::sums::unused_name(module, &def.name);
                module.types.add_struct(StructDef { name, fields, differential: None })
            }
            Type::Array { element, len } if self.original.types.holds_handles(ty) => {
                let element = self.stored(module, element);
                module.types.array(element, len)
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
                    let kept = before.filter(|field| !is_of_handles(types, field.ty)).count();
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

/// Whether nothing remains of a field of the type without its handles.
fn is_of_handles(types: &ir::types::TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Struct(id) => {
            let fields = &types.structs[id].fields;
            !fields.is_empty() && fields.iter().all(|field| is_of_handles(types, field.ty))
        }
        Type::Array { element, .. } => is_of_handles(types, element),
        _ => is_handle(types, ty),
    }
}

/// Whether a value of the type is a handle, or an array of nothing else.
pub(crate) fn is_handle(types: &ir::types::TypeTable, ty: TypeId) -> bool {
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

struct Rules<'p, 'a> {
    pass: &'p mut Pass<'a>,
    shapes: Shapes,
    /// See [`addresses_as_numbers`].
    numbers: FxHashSet<ValueId>,
}

/// Where an access goes.
enum Access {
    /// To a place, if the condition holds.
    Referent { handle: ValueId, path: Path, if_: Option<ValueId> },
    /// Nowhere.
    Null,
}

/// The most handles of an array that is handed on as a whole.
const MAX_WHOLE_ARRAY: u32 = 1024;

const SO_MANY: &str = "an array of so many resources as a value is not supported for this target";

const CHOSEN: &str = "a buffer or pointer that is chosen at run time is not supported for this target";

impl Rules<'_, '_> {
    fn shape(&self, value: ValueId) -> HandleShape {
        self.shapes.get(value).cloned().unwrap_or(HandleShape::Nothing)
    }

    fn op(&mut self, w: &mut Rewriter<'_>, op: OpId) -> Result<(), String> {
        match w.func.ops[op].op.clone() {
            Op::Global(global) => {
                if let GlobalKind::Static { init: Some(init) } = self.pass.original.globals[global].kind {
                    self.pass.target(w.module, init, Vec::new());
                }
                // Pointers to the first element are numbers; the others are named where they are used.
                let result = w.func.ops[op].results[0];
                if is_pointer(w, result) {
                    w.replace(op, Op::Const(Constant::Int(1)));
                } else if self.is_numbered(w.ty(result)) {
                    w.replace(op, Op::Const(Constant::Int(0)));
                }
            }
            Op::Load { handle, path } => self.load(w, op, handle, &path)?,
            Op::Store { handle, path, value } => {
                let access = self.access(w, handle, &path)?;
                guarded(w, op, access, |handle, path| Op::Store { handle, path, value });
            }
            Op::Atomic { op: atomic, handle, path, operands } => {
                let access = self.access(w, handle, &path)?;
                guarded(w, op, access, |handle, path| Op::Atomic { op: atomic, handle, path, operands });
            }
            Op::ByteLoad { handle, offset } => {
                let access = self.access(w, handle, &[])?;
                guarded(w, op, access, |handle, _| Op::ByteLoad { handle, offset });
            }
            Op::ByteStore { handle, offset, value } => {
                let access = self.access(w, handle, &[])?;
                guarded(w, op, access, |handle, _| Op::ByteStore { handle, offset, value });
            }
            Op::ByteAtomic { op: atomic, handle, offset, operands } => {
                let access = self.access(w, handle, &[])?;
                guarded(w, op, access, |handle, _| Op::ByteAtomic { op: atomic, handle, offset, operands });
            }
            Op::BufferLength { handle } => {
                let access = self.access(w, handle, &[])?;
                guarded(w, op, access, |handle, _| Op::BufferLength { handle });
            }
            Op::Intrinsic { intrinsic: ADDRESS_OF, args } => {
                let number = self.number(w, &args)?;
                w.replace(op, number);
            }
            Op::Intrinsic { intrinsic: Intrinsic::Hint(HintOp::NonUniform | HintOp::Nonuniform), args } => {
                // The shapes know.
                let value = *args.first().ok_or("a hint about nothing")?;
                w.replace(op, Op::Detach(value));
            }
            Op::Intrinsic { intrinsic, mut args } => {
                for arg in &mut args {
                    if handle_type(w, *arg).is_some() {
                        match self.access(w, *arg, &[])? {
                            Access::Referent { handle, .. } => *arg = handle,
                            Access::Null => return Err(CHOSEN.into()),
                        }
                    }
                }
                w.replace(op, Op::Intrinsic { intrinsic, args });
            }
            Op::Call { callee: Callee::Func(callee), args, no_diff } => {
                let inputs = args.iter().map(|&arg| self.input_shape(w, arg)).collect();
                let callee = Callee::Func(self.pass.target(w.module, callee, inputs));
                w.replace(op, Op::Call { callee, args, no_diff });
            }
            Op::Binary(comparison, left, right) if comparison.is_comparison() => {
                let (left_pointer, right_pointer) = (pointer_behind(w, left), pointer_behind(w, right));
                if left_pointer.is_none() && right_pointer.is_none() {
                    w.keep(op);
                    return Ok(());
                }
                let shape = |side: Option<ValueId>| side.map_or(HandleShape::Nothing, |side| self.shape(side));
                if shape(left_pointer).join(&shape(right_pointer)) == HandleShape::Many {
                    return Err(
                        "a comparison of pointers into different memory is not supported for this target".into()
                    );
                }
                let mut number = |side: Option<ValueId>| side.unwrap_or_else(|| w.u32(0));
                let (left, right) = (number(left_pointer), number(right_pointer));
                w.replace(op, Op::Binary(comparison, left, right));
            }
            Op::Extract { aggregate, path } => match self.index_of_many(w.func.ty(aggregate), &path) {
                Some(PathStep::Const(number)) => w.replace(op, Op::Const(Constant::Int(number.into()))),
                Some(PathStep::Dynamic(index)) => {
                    let number = to_u32(w, index);
                    w.replace(op, Op::Detach(number));
                }
                None => w.keep(op),
            },
            Op::Bitcast(value) if is_pointer(w, value) => {
                if self.numbers.contains(&w.func.ops[op].results[0]) {
                    return Err("an address as a number is not supported for this target".into());
                }
            }
            Op::Bitcast(value) if is_pointer(w, w.func.ops[op].results[0]) => {
                let pointer = pointer_behind(w, value);
                w.replace(op, pointer.map_or(Op::Const(Constant::Int(0)), Op::Detach));
            }
            _ => w.keep(op),
        }
        Ok(())
    }

    /// The last step of a path, if it is into an array of as many resources as the host binds.
    fn index_of_many(&self, ty: TypeId, path: &[PathStep]) -> Option<PathStep> {
        let types = &self.pass.original.types;
        let (last, outer) = path.split_last()?;
        match types.path_type(ty, outer)? {
            array if matches!(types.get(array), Type::Array { element, len: AS_MANY_AS_BOUND } if self.is_numbered(element)) => {
                Some(*last)
            }
            _ => None,
        }
    }

    /// What is passed to a function: shapes of values without handles do not tell calls apart.
    fn input_shape(&self, w: &Rewriter<'_>, value: ValueId) -> HandleShape {
        match self.pass.original.types.holds_handles(w.func.ty(value)) {
            true => self.shape(value),
            false => HandleShape::Nothing,
        }
    }

    /// The global that a handle names, and the path there.
    fn access(&mut self, w: &mut Rewriter<'_>, handle: ValueId, path: &[PathStep]) -> Result<Access, String> {
        if let Some(HandleType::Address { .. }) = handle_type(w, handle) {
            return Ok(Access::Referent { handle, path: path.iter().copied().collect(), if_: None });
        }
        let place = match self.shape(handle) {
            HandleShape::Referent(place) => place,
            HandleShape::Nothing => return Ok(Access::Null),
            HandleShape::Many | HandleShape::Parts(_) => return Err(CHOSEN.into()),
        };
        let mut if_ = None;
        let new_path = match handle_type(w, handle) {
            Some(HandleType::Pointer { .. }) => {
                let (path, condition) = self.behind_pointer(w, handle, &place, path)?;
                if_ = condition;
                path
            }
            Some(HandleType::ConstantBuffer { content }) if self.pass.original.types.holds_handles(content) => {
                self.pass.stored_path(content, path)
            }
            Some(HandleType::StructuredBuffer { element, .. } | HandleType::TexelBuffer { element, .. })
                if self.pass.original.types.holds_handles(element) =>
            {
                return Err("buffers, textures and pointers in buffers are not supported for this target".into());
            }
            _ => path.iter().copied().collect(),
        };
        let memory = self.global(w, &place);
        let handle = match place.which {
            Which::Only => memory,
            Which::Numbered | Which::NumberedByThread => {
                let path = [self.element(w, handle, place.which)].into_iter().collect();
                let ty = w.ty(handle);
                w.add(Op::Load { handle: memory, path }, ty)
            }
        };
        Ok(Access::Referent { handle, path: new_path, if_ })
    }

    fn is_numbered(&self, ty: TypeId) -> bool {
        self.pass.summaries.numbered.contains(&ty)
    }

    /// The step into an array of resources to that with the handle's number.
    fn element(&self, w: &mut Rewriter<'_>, handle: ValueId, which: Which) -> PathStep {
        if let Some(&Op::Const(Constant::Int(number))) = w.func.defining_op(handle).map(|data| &data.op)
            && let Ok(number) = u32::try_from(number)
        {
            return PathStep::Const(number);
        }
        let u32 = w.module.types.scalar(Scalar::U32);
        PathStep::Dynamic(match which {
            Which::NumberedByThread => {
                let intrinsic = Intrinsic::Hint(HintOp::NonUniform);
                w.add(Op::Intrinsic { intrinsic, args: [handle].into_iter().collect() }, u32)
            }
            Which::Only | Which::Numbered => w.add(Op::Detach(handle), u32),
        })
    }

    /// What a value of type `ty` in a block is, if it consists of handles: their numbers. `path` leads there in the block's
    /// content.
    fn handles_in_block(
        &self,
        w: &mut Rewriter<'_>,
        ty: TypeId,
        content: TypeId,
        path: &[PathStep],
    ) -> Result<Op, String> {
        let types = &self.pass.original.types;
        match types.get(ty) {
            Type::Handle(HandleType::Pointer { .. }) => Ok(Op::Const(Constant::Int(1))),
            Type::Handle(_) if self.is_numbered(ty) => Ok(match step_into_array(types, content, path) {
                Some(PathStep::Dynamic(index)) => Op::Detach(to_u32(w, index)),
                Some(PathStep::Const(index)) => Op::Const(Constant::Int(index.into())),
                // Nobody asks for the number.
                None => Op::Const(Constant::Int(0)),
            }),
            // All that the host binds: an index says which.
            Type::Array { element, len: AS_MANY_AS_BOUND } if self.is_numbered(element) => {
                Ok(Op::Const(Constant::Int(0)))
            }
            Type::Array { element, len } if self.is_numbered(element) => {
                if len > MAX_WHOLE_ARRAY {
                    return Err(SO_MANY.into());
                }
                Ok(Op::Make((0..len).map(|number| w.add(Op::Const(Constant::Int(number.into())), element)).collect()))
            }
            _ => Ok(Op::Undef),
        }
    }

    fn global(&mut self, w: &mut Rewriter<'_>, place: &Referent) -> ValueId {
        let global = self.pass.global(w.module, place, w.span);
        let ty = w.module.globals[global].ty;
        w.add(Op::Global(global), ty)
    }

    /// The path that an access by pointer takes, and whether the pointer is not null where the path does not tell.
    fn behind_pointer(
        &mut self,
        w: &mut Rewriter<'_>,
        pointer: ValueId,
        place: &Referent,
        path: &[PathStep],
    ) -> Result<(Path, Option<ValueId>), String> {
        let (first, rest) = path.split_first().ok_or("a pointer is read as a whole")?;
        if *first != PathStep::Const(0) && !place.can_move() {
            return Err("an element beside the one that this pointer points to is not supported for this target".into());
        }
        let at_start = matches!(
            w.func.defining_op(pointer).map(|data| &data.op),
            Some(Op::Const(Constant::Int(1)) | Op::Global(_))
        );
        let has_index = place.path.contains(&PlaceStep::Index);
        let index = match (has_index, at_start) {
            (false, _) => PathStep::Const(0),
            (true, true) => *first,
            (true, false) => {
                let moved = moved(w, pointer, *first);
                let one = w.u32(1);
                PathStep::Dynamic(w.binary(BinaryOp::Sub, moved, one))
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
        let null = w.u32(0);
        let bool = w.module.types.bool();
        let is_there = w.add(Op::Binary(BinaryOp::NotEqual, pointer, null), bool);
        Ok((path, Some(is_there)))
    }

    /// The number of the pointer that an address is.
    fn number(&mut self, w: &mut Rewriter<'_>, args: &[ValueId]) -> Result<Op, String> {
        let (&handle, steps) = args.split_first().ok_or("the address of nothing")?;
        let Some((path, index)) = static_steps(&w.func, steps) else { return Err(CHOSEN.into()) };
        match handle_type(w, handle) {
            Some(HandleType::Pointer { .. }) => {
                let first = match (steps.first(), path.first()) {
                    (_, Some(PlaceStep::Const(step))) => PathStep::Const(*step),
                    (Some(&step), _) => PathStep::Dynamic(step),
                    (None, _) => PathStep::Const(0),
                };
                Ok(Op::Detach(moved(w, handle, first)))
            }
            Some(HandleType::Variable { content }) => Ok(match (index, path.last()) {
                (Some(index), _) => {
                    let index = to_u32(w, index);
                    let one = w.u32(1);
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

    fn load(&mut self, w: &mut Rewriter<'_>, op: OpId, handle: ValueId, path: &[PathStep]) -> Result<(), String> {
        let ty = w.func.ty(w.func.ops[op].results[0]);
        let block = match handle_type(w, handle) {
            Some(HandleType::ConstantBuffer { content }) => Some(content),
            _ => None,
        };
        if !self.pass.original.types.holds_handles(ty) {
            let access = self.access(w, handle, path)?;
            guarded(w, op, access, |handle, path| Op::Load { handle, path });
            return Ok(());
        }
        match block {
            // Handles in a block are parameters of their own; the data around them is read part by part.
            Some(content) => {
                let value = self.part_of_block(w, (handle, content), path, ty)?;
                w.replace(op, value);
            }
            // Of a variable; a handle that comes from there is an error where it is used.
            None => {
                let access = self.access(w, handle, path)?;
                guarded(w, op, access, |handle, path| Op::Load { handle, path });
            }
        }
        Ok(())
    }

    /// The operation that gives the part of a block at a path.
    fn part_of_block(
        &mut self,
        w: &mut Rewriter<'_>,
        (handle, content): (ValueId, TypeId),
        path: &[PathStep],
        ty: TypeId,
    ) -> Result<Op, String> {
        let types = &self.pass.original.types;
        if !types.holds_handles(ty) {
            return Ok(match self.access(w, handle, path)? {
                Access::Referent { handle, path, .. } => Op::Load { handle, path },
                Access::Null => Op::Zero,
            });
        }
        let parts: Vec<TypeId> = match types.get(ty) {
            _ if is_handle(types, ty) => return self.handles_in_block(w, ty, content, path),
            Type::Struct(id) => types.structs[id].fields.iter().map(|field| field.ty).collect(),
            Type::Array { len, .. } if len > MAX_WHOLE_ARRAY => return Err(SO_MANY.into()),
            Type::Array { element, len } => vec![element; len as usize],
            _ => return Err("a value with handles of this type in a block is not supported for this target".into()),
        };
        let mut values = SmallVec::new();
        for (index, part) in (0..).zip(parts) {
            let path: Path = path.iter().copied().chain([PathStep::Const(index)]).collect();
            let value = self.part_of_block(w, (handle, content), &path, part)?;
            values.push(w.add(value, part));
        }
        Ok(Op::Make(values))
    }
}

/// The step of a path that is into an array.
fn step_into_array(types: &ir::types::TypeTable, content: TypeId, path: &[PathStep]) -> Option<PathStep> {
    let is_array = |before: &[PathStep]| {
        let ty = types.path_type(content, before);
        ty.is_some_and(|ty| matches!(types.get(ty), Type::Array { .. }))
    };
    path.iter().enumerate().find(|(index, _)| is_array(&path[..*index])).map(|(_, step)| *step)
}

fn handle_type(w: &Rewriter<'_>, value: ValueId) -> Option<HandleType> {
    match w.type_of(value) {
        Type::Handle(handle) => Some(handle),
        _ => None,
    }
}

fn is_pointer(w: &Rewriter<'_>, value: ValueId) -> bool {
    matches!(handle_type(w, value), Some(HandleType::Pointer { .. }))
}

/// The pointer whose address a number is.
fn pointer_behind(w: &Rewriter<'_>, number: ValueId) -> Option<ValueId> {
    match w.func.defining_op(number)?.op {
        Op::Bitcast(pointer) if is_pointer(w, pointer) => Some(pointer),
        _ => None,
    }
}

/// A pointer's number plus a step.
fn moved(w: &mut Rewriter<'_>, pointer: ValueId, step: PathStep) -> ValueId {
    let u32 = w.module.types.scalar(Scalar::U32);
    let by = match step {
        PathStep::Const(0) => return pointer,
        PathStep::Const(step) => w.u32(step),
        PathStep::Dynamic(step) => to_u32(w, step),
    };
    w.add(Op::Binary(BinaryOp::Add, pointer, by), u32)
}

fn to_u32(w: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let u32 = w.module.types.scalar(Scalar::U32);
    if w.ty(value) == u32 { value } else { w.add(Op::Convert(value), u32) }
}

/// Puts `op` after the test that its pointer is not null. Where it is, results are zero and nothing is written.
fn guarded(w: &mut Rewriter<'_>, op: OpId, access: Access, make: impl FnOnce(ValueId, Path) -> Op) {
    let results = w.func.ops[op].results.clone();
    match access {
        Access::Null if results.is_empty() => {}
        Access::Null => w.replace(op, Op::Zero),
        Access::Referent { handle, path, if_: None } => w.replace(op, make(handle, path)),
        Access::Referent { handle, path, if_: Some(cond) } => {
            let types: Vec<(TypeId, &str)> = results.iter().map(|&result| (w.ty(result), "")).collect();
            let then = w.region(&[], |w, _| w.add_many(make(handle, path), &types));
            let otherwise = w.region(&[], |w, _| types.iter().map(|&(ty, _)| w.add(Op::Zero, ty)).collect());
            w.replace(op, Op::If { cond, then, otherwise });
        }
    }
}
