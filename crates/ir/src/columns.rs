//! Matrices that lie column by column in memory. Values have rows; memory has the transposed matrix, whose rows are the
//! columns, so that each layout, engine and target lays them out by the rules that it has anyway:
//!
//! ```text
//! %b: buffer<f32m2x3> …  load %b[%i]       →  %t: f32m3x2 = load %b[%i]     %m: f32m2x3 = transpose(%t)
//! load %b[%i][%r]                          →  make of load %b[%i][0][%r], load %b[%i][1][%r], load %b[%i][2][%r]
//! load %b[%i][%r][%c]                      →  load %b[%i][%c][%r]
//! ```
//!
//! Structs that hold such matrices have a twin for memory. Matrices of variables and values are as they were.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    Field, Func, FuncId, GlobalKind, HandleType, MathFn, Module, Op, OpData, OpId, PathStep, RegionId, SpanId,
    StructDef, StructId, Type, TypeId, Value, ValueDef, ValueId,
    op::{MemoryOp, Path},
    types::{Matrices, TypeTable},
};

/// What the names of the twins end in.
pub const TWIN: &str = ".Columns";

/// The most elements of an array that is taken apart.
const MAX_ELEMENTS: u32 = 256;

/// Why a program cannot have its matrices by columns, and where.
pub type Refusal = (SpanId, &'static str);

/// How a matrix lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    Rows,
    /// Column after column.
    Columns,
}

/// Lays the matrices out by columns that the source wants so: those that say it and, where that is the order `by_default`,
/// those that say nothing.
///
/// # Errors
/// What cannot be laid out so.
pub fn lay_out(module: &mut Module, by_default: Order) -> Result<(), Vec<Refusal>> {
    let says_so = |matrices: Matrices| matrices == Matrices::ByColumns;
    let is_said = module.globals.iter().any(|(_, global)| says_so(global.provision.matrices))
        || module.types.structs.ids().any(|id| module.types.structs[id].fields.iter().any(|f| says_so(f.matrices)));
    if by_default == Order::Rows && !is_said {
        return Ok(());
    }
    let Module { types, funcs, globals, .. } = module;
    let types = &*types;
    let mut twins = Twins { types, by_default, structs: FxHashMap::default() };
    let mut refusals = Vec::new();
    let orders: FxHashMap<_, _> =
        globals.iter().map(|(id, global)| (id, twins.order(global.provision.matrices))).collect();
    let ids: Vec<FuncId> = funcs.iter().map(|(id, _)| id).collect();
    for &id in &ids {
        let func = &mut funcs[id];
        let Some(body) = func.body else { continue };
        let mut rewriting = Rewriting {
            twins: &mut twins,
            func,
            orders: &orders,
            span: SpanId::NONE,
            ops: Vec::new(),
            refusals: &mut refusals,
        };
        rewriting.region(body);
    }
    // What handles refer to is the twin from here on.
    for (id, global) in globals.iter_mut() {
        if global.kind == GlobalKind::Parameter {
            let order = orders[&id];
            if let Type::Handle(HandleType::ConstantBuffer { content }) = types.get(global.ty)
                && twins.holds_columns(content, order)
            {
                let content = twins.twin(content, order);
                global.ty = types.intern(Type::Handle(HandleType::ConstantBuffer { content }));
                global.provision.matrices = match order {
                    Order::Columns => Matrices::Transposed,
                    Order::Rows => Matrices::AsUsual,
                };
                continue;
            }
            if twins.refers_to_columns(global.ty) {
                global.provision.matrices = Matrices::Transposed;
            }
        }
        global.ty = twins.handles(global.ty);
    }
    for &id in &ids {
        let func = &mut funcs[id];
        func.inputs.iter_mut().for_each(|input| input.ty = twins.handles(input.ty));
        func.results.iter_mut().for_each(|result| result.ty = twins.handles(result.ty));
        let ops = &func.ops;
        for (_, value) in func.values.iter_mut() {
            let global = match value.def {
                ValueDef::Result { op, .. } => match ops[op].op {
                    Op::Global(global) => Some(global),
                    _ => None,
                },
                ValueDef::Param { .. } => None,
            };
            value.ty = global.map_or_else(|| twins.handles(value.ty), |global| globals[global].ty);
        }
    }
    for id in types.structs.ids().collect::<Vec<_>>() {
        let mut def = types.structs[id].clone();
        let mut changed = false;
        for field in &mut def.fields {
            let ty = twins.handles(field.ty);
            changed |= ty != field.ty;
            field.ty = ty;
        }
        if changed {
            types.structs.revise(id, |old| *old = def);
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// The types that memory has instead.
struct Twins<'a> {
    types: &'a TypeTable,
    by_default: Order,
    structs: FxHashMap<StructId, TypeId>,
}

impl Twins<'_> {
    /// How matrices lie of which the source says this.
    fn order(&self, matrices: Matrices) -> Order {
        match matrices {
            Matrices::AsUsual => self.by_default,
            Matrices::ByColumns => Order::Columns,
            Matrices::ByRows | Matrices::Transposed => Order::Rows,
        }
    }

    /// How the matrices of a field lie. What is written is about a matrix, not about an array of them.
    fn field_order(&self, field: &Field) -> Order {
        match self.types.get(field.ty) {
            Type::Matrix { .. } => self.order(field.matrices),
            _ => self.by_default,
        }
    }

    /// Whether memory for the type holds matrices by columns. `order` is what holds of a matrix that is no field.
    fn holds_columns(&self, ty: TypeId, order: Order) -> bool {
        match self.types.get(ty) {
            Type::Matrix { .. } => order == Order::Columns,
            Type::Array { element, .. } => self.holds_columns(element, order),
            Type::Struct(id) => {
                let fields = &self.types.structs[id].fields;
                fields.iter().any(|field| self.holds_columns(field.ty, self.field_order(field)))
            }
            Type::Sum(id) => self.types.sums[id].variants.iter().any(|variant| self.holds_columns(variant.ty, order)),
            Type::Scalar(_) | Type::Vector { .. } | Type::Handle(_) | Type::Opaque(_) => false,
        }
    }

    fn refers_to_columns(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Handle(
                HandleType::StructuredBuffer { element: content, .. }
                | HandleType::ConstantBuffer { content }
                | HandleType::Pointer { pointee: content },
            ) => {
                matches!(self.types.get(content), Type::Matrix { .. } | Type::Array { .. })
                    && self.holds_columns(content, self.by_default)
            }
            Type::Array { element, .. } => self.refers_to_columns(element),
            _ => false,
        }
    }

    /// What memory has for a type that it holds.
    fn twin(&mut self, ty: TypeId, order: Order) -> TypeId {
        match self.types.get(ty) {
            Type::Matrix { scalar, rows, cols } if order == Order::Columns => {
                self.types.intern(Type::Matrix { scalar, rows: cols, cols: rows })
            }
            Type::Array { element, len } => {
                let element = self.twin(element, order);
                self.types.array(element, len)
            }
            Type::Struct(id) if self.holds_columns(ty, order) => self.twin_struct(id),
            _ => ty,
        }
    }

    fn twin_struct(&mut self, id: StructId) -> TypeId {
        if let Some(&twin) = self.structs.get(&id) {
            return twin;
        }
        let def = self.types.structs[id].clone();
        let mut fields: Vec<Field> = Vec::new();
        for field in def.fields {
            let order = self.field_order(&field);
            let is_matrix = matches!(self.types.get(leaf(self.types, field.ty)), Type::Matrix { .. });
            let matrices = if order == Order::Columns && is_matrix { Matrices::Transposed } else { Matrices::ByRows };
            fields.push(Field { ty: self.twin(field.ty, order), matrices, ..field });
        }
        let mut name = smol_str::format_smolstr!("{}{TWIN}", def.name);
        while self.types.structs.iter().any(|(_, other)| other.name == name) {
            name = smol_str::format_smolstr!("{name}_");
        }
        let twin = self.types.add_struct(StructDef { name, fields, differential: None });
        if let Type::Struct(own) = self.types.get(twin) {
            self.types.declare_without_differential(own);
        }
        self.structs.insert(id, twin);
        twin
    }

    /// A type with the handles in it that refer to memory with twins.
    fn handles(&mut self, ty: TypeId) -> TypeId {
        let by_default = self.by_default;
        let handle = match self.types.get(ty) {
            Type::Array { element, len } => {
                let element = self.handles(element);
                return self.types.array(element, len);
            }
            Type::Handle(HandleType::StructuredBuffer { element, writable }) => {
                HandleType::StructuredBuffer { element: self.twin(element, by_default), writable }
            }
            Type::Handle(HandleType::ConstantBuffer { content }) => {
                HandleType::ConstantBuffer { content: self.twin(content, by_default) }
            }
            Type::Handle(HandleType::Variable { content }) => HandleType::Variable { content: self.handles(content) },
            _ => return ty,
        };
        self.types.intern(Type::Handle(handle))
    }
}

/// What arrays are made of in the end.
fn leaf(types: &TypeTable, mut ty: TypeId) -> TypeId {
    while let Type::Array { element, .. } = types.get(ty) {
        ty = element;
    }
    ty
}

/// Which way a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Across {
    FromMemory,
    ToMemory,
}

/// What a path under a handle leads to.
enum Reached {
    /// Nothing that lies by columns.
    Usual,
    /// Something that holds matrices by columns, or is one, as a whole.
    Whole { order: Order },
    /// A row of a matrix; the path up to the matrix has this length.
    Row { matrix: usize, scalar: crate::Scalar, cols: u8 },
    /// A scalar of a matrix.
    Component { matrix: usize },
    /// Something behind a pointer, or the value of an interface.
    Refused(&'static str),
}

struct Rewriting<'a, 't> {
    twins: &'a mut Twins<'t>,
    func: &'a mut Func,
    /// For each global whether a matrix that is its whole content lies by columns.
    orders: &'a FxHashMap<crate::GlobalId, Order>,
    span: SpanId,
    ops: Vec<OpId>,
    refusals: &'a mut Vec<Refusal>,
}

impl Rewriting<'_, '_> {
    fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.ops);
        for op in std::mem::take(&mut self.func.regions[region].ops) {
            for nested in self.func.ops[op].op.regions() {
                self.region(nested);
            }
            self.span = self.func.ops[op].span;
            self.op(op);
        }
        self.func.regions[region].ops = std::mem::replace(&mut self.ops, outer);
    }

    fn add(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let value = self.func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        self.func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }

    fn replace(&mut self, op: OpId, with: Op) {
        self.func.ops[op].op = with;
        self.ops.push(op);
    }

    fn op(&mut self, op: OpId) {
        let data = self.func.ops[op].clone();
        match data.op.memory() {
            Some(MemoryOp::Load { handle, path }) => self.load(op, handle, path.clone(), data.results[0]),
            Some(MemoryOp::Store { handle, path, value }) => self.store(op, handle, path.clone(), value),
            Some(MemoryOp::Atomic { op: atomic, handle, path, operands }) => {
                let (mut path, operands) = (path.clone(), operands.clone());
                if let Reached::Component { matrix } = self.reached(handle, &path) {
                    path.swap(matrix, matrix + 1);
                }
                self.replace(op, Op::Atomic { op: atomic, handle, path, operands });
            }
            Some(MemoryOp::ByteLoad { .. }) => {
                let result = data.results[0];
                let (ty, order) = (self.func.ty(result), self.twins.by_default);
                if !self.twins.holds_columns(ty, order) {
                    return self.ops.push(op);
                }
                let twin = self.twins.twin(ty, order);
                let loaded = self.add(data.op.clone(), twin);
                let value = self.read(loaded, ty, order);
                self.replace(op, Op::Detach(value));
            }
            Some(MemoryOp::ByteStore { handle, offset, value }) => {
                let (ty, order) = (self.func.ty(value), self.twins.by_default);
                let value = if self.twins.holds_columns(ty, order) { self.written(value, ty, order) } else { value };
                self.replace(op, Op::ByteStore { handle, offset, value });
            }
            Some(MemoryOp::ByteAtomic { .. } | MemoryOp::Length { .. }) | None => self.ops.push(op),
        }
    }

    fn reached(&self, handle: ValueId, path: &[PathStep]) -> Reached {
        let types = self.twins.types;
        let Type::Handle(kind) = types.get(self.func.ty(handle)) else { return Reached::Usual };
        let (mut ty, mut order, start) = match kind {
            HandleType::StructuredBuffer { element, .. } => (element, self.twins.by_default, 1),
            HandleType::Pointer { pointee } | HandleType::Address { pointee } => (pointee, self.twins.by_default, 1),
            HandleType::ConstantBuffer { content } => {
                let global = match self.func.defining_op(handle).map(|data| &data.op) {
                    Some(Op::Global(global)) => self.orders.get(global).copied(),
                    _ => None,
                };
                (content, global.unwrap_or(self.twins.by_default), 0)
            }
            HandleType::Variable { .. }
            | HandleType::ByteAddressBuffer { .. }
            | HandleType::TexelBuffer { .. }
            | HandleType::Texture { .. }
            | HandleType::Sampler { .. }
            | HandleType::AccelerationStructure
            | HandleType::RayQuery { .. } => return Reached::Usual,
        };
        if matches!(kind, HandleType::Pointer { .. }) && self.twins.holds_columns(ty, order) {
            return Reached::Refused("a pointer to a matrix that lies by columns");
        }
        for index in start..path.len() {
            match (types.get(ty), path[index]) {
                (Type::Matrix { scalar, cols, .. }, _) if order == Order::Columns => {
                    let rest = path.len() - index;
                    return if rest == 1 {
                        Reached::Row { matrix: index, scalar, cols }
                    } else {
                        Reached::Component { matrix: index }
                    };
                }
                (Type::Struct(id), PathStep::Const(field)) => {
                    let Some(field) = types.structs[id].fields.get(field as usize) else { return Reached::Usual };
                    (ty, order) = (field.ty, self.twins.field_order(field));
                }
                (Type::Array { element, .. }, _) => ty = element,
                _ => return Reached::Usual,
            }
        }
        match (self.twins.holds_columns(ty, order), types.get(leaf(types, ty))) {
            (false, _) => Reached::Usual,
            (true, Type::Sum(_)) => Reached::Refused("an interface value with a matrix that lies by columns"),
            (true, _) => Reached::Whole { order },
        }
    }

    fn load(&mut self, op: OpId, handle: ValueId, path: Path, result: ValueId) {
        let ty = self.func.ty(result);
        match self.reached(handle, &path) {
            Reached::Usual => self.ops.push(op),
            Reached::Refused(what) => self.refuse(op, what),
            Reached::Whole { order } => {
                let twin = self.twins.twin(ty, order);
                let loaded = self.add(Op::Load { handle, path }, twin);
                let value = self.read(loaded, ty, order);
                self.replace(op, Op::Detach(value));
            }
            Reached::Row { matrix, scalar, cols } => {
                let scalar = self.twins.types.scalar(scalar);
                let parts = (0..cols)
                    .map(|col| {
                        let mut path = path.clone();
                        path.insert(matrix, PathStep::Const(col.into()));
                        self.add(Op::Load { handle, path }, scalar)
                    })
                    .collect();
                self.replace(op, Op::Make(parts));
            }
            Reached::Component { matrix } => {
                let mut path = path;
                path.swap(matrix, matrix + 1);
                self.replace(op, Op::Load { handle, path });
            }
        }
    }

    fn store(&mut self, op: OpId, handle: ValueId, path: Path, value: ValueId) {
        match self.reached(handle, &path) {
            Reached::Usual => self.ops.push(op),
            Reached::Refused(what) => self.refuse(op, what),
            Reached::Whole { order } => {
                let value = self.written(value, self.func.ty(value), order);
                self.replace(op, Op::Store { handle, path, value });
            }
            Reached::Row { matrix, scalar, cols } => {
                let scalar = self.twins.types.scalar(scalar);
                for col in 0..cols {
                    let part = self.extract(value, col.into(), scalar);
                    let mut path = path.clone();
                    path.insert(matrix, PathStep::Const(col.into()));
                    let store = Op::Store { handle, path, value: part };
                    let id = self.func.ops.alloc(OpData::new(store, self.span));
                    self.ops.push(id);
                }
            }
            Reached::Component { matrix } => {
                let mut path = path;
                path.swap(matrix, matrix + 1);
                self.replace(op, Op::Store { handle, path, value });
            }
        }
    }

    fn refuse(&mut self, op: OpId, what: &'static str) {
        self.refusals.push((self.span, what));
        self.ops.push(op);
    }

    fn extract(&mut self, aggregate: ValueId, index: u32, ty: TypeId) -> ValueId {
        self.add(Op::Extract { aggregate, path: SmallVec::from_iter([PathStep::Const(index)]) }, ty)
    }

    /// The value of type `ty` that memory holds as `twin`.
    fn read(&mut self, twin: ValueId, ty: TypeId, order: Order) -> ValueId {
        self.across(twin, ty, order, Across::FromMemory)
    }

    /// What memory holds for a value of type `ty`.
    fn written(&mut self, value: ValueId, ty: TypeId, order: Order) -> ValueId {
        self.across(value, ty, order, Across::ToMemory)
    }

    fn across(&mut self, from: ValueId, ty: TypeId, order: Order, across: Across) -> ValueId {
        let types = self.twins.types;
        if !self.twins.holds_columns(ty, order) {
            return from;
        }
        let result = if across == Across::ToMemory { self.twins.twin(ty, order) } else { ty };
        let parts: Vec<(TypeId, Order)> = match types.get(ty) {
            Type::Matrix { .. } => {
                return self.add(Op::Math(MathFn::Transpose, SmallVec::from_iter([from])), result);
            }
            Type::Array { len, .. } if len > MAX_ELEMENTS => {
                self.refusals.push((self.span, "a large array of matrices that lie by columns, as a whole"));
                return self.add(Op::Zero, result);
            }
            Type::Array { element, len } => vec![(element, order); len as usize],
            Type::Struct(id) => {
                let fields = types.structs[id].fields.iter();
                fields.map(|field| (field.ty, self.twins.field_order(field))).collect()
            }
            _ => {
                self.refusals.push((self.span, "an interface value with a matrix that lies by columns"));
                return self.add(Op::Zero, result);
            }
        };
        let mut values: SmallVec<[ValueId; 4]> = SmallVec::new();
        for (index, (part, order)) in parts.into_iter().enumerate() {
            let held = match across {
                Across::ToMemory => part,
                Across::FromMemory => self.twins.twin(part, order),
            };
            let value = self.extract(from, index as u32, held);
            values.push(self.across(value, part, order, across));
        }
        self.add(Op::Make(values), result)
    }
}
