//! Interface values as structs: a tag, which is the number of the variant plus one, and a field for each variant. The
//! zero value has tag 0, which is the null of differentials.

use ir::{
    BinaryOp, Constant, Func, FuncId, GlobalKind, HandleType, Module, Op, OpData, OpId, PathStep, RegionId, Scalar,
    StructDef, SumId, Type, TypeId, Value, ValueDef, ValueId,
};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reachable::for_each_op;
use crate::EmitError;

pub(crate) fn to_structs(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    if module.types.sums.count() == 0 {
        return Ok(());
    }
    check_memory(module, functions)?;
    let mut types = Types { structs: ArenaMap::default(), mapped: FxHashMap::default() };
    // Structs for the sums first, without fields: sums and structs may hold one another through arrays.
    let sums = module.types.sums.ids();
    for sum in sums.clone() {
        let name = unused_name(module, &module.types.sums[sum].name.clone());
        let ty = module.types.add_struct(StructDef { name, fields: Vec::new(), differential: None });
        types.structs.insert(sum, ty);
    }
    for id in module.types.structs.ids() {
        for index in 0..module.types.structs[id].fields.len() {
            let ty = types.map(module, module.types.structs[id].fields[index].ty);
            module.types.structs[id].fields[index].ty = ty;
        }
    }
    for sum in sums {
        let Type::Struct(id) = module.types.get(types.structs[sum]) else { continue };
        let u32 = module.types.scalar(Scalar::U32);
        let mut fields = vec![ir::Field {
            name: "tag".into(),
            ty: u32,
            no_diff: true,
            matrices: ir::types::Matrices::AsUsual,
            is_gap: false,
        }];
        for index in 0..module.types.sums[sum].variants.len() {
            let original = module.types.sums[sum].variants[index].ty;
            let ty = types.map(module, original);
            let name = match module.types.get(original) {
                Type::Struct(id) => module.types.structs[id].name.clone(),
                _ => format!("value{index}").into(),
            };
            fields.push(ir::Field {
                name: format!("as_{name}").into(),
                ty,
                no_diff: false,
                matrices: ir::types::Matrices::AsUsual,
                is_gap: false,
            });
        }
        module.types.structs[id].fields = fields;
    }
    let globals: Vec<_> = module.globals.iter().map(|(id, _)| id).collect();
    for id in globals {
        module.globals[id].ty = types.map(module, module.globals[id].ty);
    }
    for &id in functions {
        rewrite(module, &mut types, id);
    }
    Ok(())
}

struct Types {
    structs: ArenaMap<SumId, TypeId>,
    mapped: FxHashMap<TypeId, TypeId>,
}

impl Types {
    /// The type with structs in place of sums.
    fn map(&mut self, module: &mut Module, ty: TypeId) -> TypeId {
        if let Some(&mapped) = self.mapped.get(&ty) {
            return mapped;
        }
        let mapped = match module.types.get(ty) {
            Type::Sum(sum) => self.structs[sum],
            Type::Array { element, len } => {
                let element = self.map(module, element);
                module.types.array(element, len)
            }
            Type::Handle(HandleType::Variable { content }) => {
                let content = self.map(module, content);
                module.types.intern(Type::Handle(HandleType::Variable { content }))
            }
            // Other memory holds no sums (`check_memory`), structs keep their ids.
            _ => ty,
        };
        self.mapped.insert(ty, mapped);
        mapped
    }
}

/// A name for a struct that no other has.
pub(crate) fn unused_name(module: &Module, wanted: &str) -> smol_str::SmolStr {
    let mut name: smol_str::SmolStr = wanted.into();
    while module.types.structs.iter().any(|(_, def)| def.name == name) {
        name = format!("{name}_").into();
    }
    name
}

/// Interface values in buffers have a layout of their own, which is not supported yet.
fn check_memory(module: &Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for &id in functions {
        let func = &module.funcs[id];
        for_each_op(func, |op| {
            if let Op::Global(global) = func.ops[op].op
                && module.globals[global].kind == GlobalKind::Parameter
                && let Type::Handle(handle) = module.types.get(module.globals[global].ty)
                && handle.content().is_some_and(|content| holds_sum(module, content))
            {
                let message =
                    format!("`{}`: interface values in buffers are not supported yet", module.globals[global].name);
                errors.push(EmitError::new(func.ops[op].span, message));
            }
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

pub(crate) fn holds_sum(module: &Module, ty: TypeId) -> bool {
    match module.types.get(ty) {
        Type::Sum(_) => true,
        Type::Array { element, .. } => holds_sum(module, element),
        Type::Struct(id) => module.types.structs[id].fields.iter().any(|field| holds_sum(module, field.ty)),
        _ => false,
    }
}

fn rewrite(module: &mut Module, types: &mut Types, id: FuncId) {
    let mut func =
        std::mem::replace(&mut module.funcs[id], Func::declaration("", Vec::new(), Vec::new(), ir::SpanId::NONE));
    let ops = {
        let mut ops = Vec::new();
        for_each_op(&func, |op| ops.push(op));
        ops
    };
    // The sums are asked for before their values change type.
    let sums: Vec<Option<SumId>> = ops
        .iter()
        .map(|&op| {
            let value = match &func.ops[op].op {
                Op::SumMake { .. } => func.ops[op].results[0],
                Op::SumMatch { sum, .. } | Op::SumTag(sum) => *sum,
                _ => return None,
            };
            match module.types.get(func.ty(value)) {
                Type::Sum(sum) => Some(sum),
                _ => None,
            }
        })
        .collect();
    for (_, value) in func.values.iter_mut() {
        value.ty = types.map(module, value.ty);
    }
    for input in &mut func.inputs {
        input.ty = types.map(module, input.ty);
    }
    for result in &mut func.results {
        result.ty = types.map(module, result.ty);
    }
    let u32 = module.types.scalar(Scalar::U32);
    for (op, sum) in ops.into_iter().zip(sums) {
        let Some(sum) = sum else { continue };
        let span = func.ops[op].span;
        let mut before = Before { func: &mut func, span, ops: Vec::new() };
        let replacement = match before.func.ops[op].op.clone() {
            Op::SumMake { variant, value } => {
                let mut parts: SmallVec<[ValueId; 4]> = SmallVec::new();
                parts.push(before.add(Op::Const(Constant::Int(i64::from(variant) + 1)), u32));
                for index in 0..module.types.sums[sum].variants.len() {
                    parts.push(match index as u32 == variant {
                        true => value,
                        false => {
                            let ty = types.map(module, module.types.sums[sum].variants[index].ty);
                            before.add(Op::Zero, ty)
                        }
                    });
                }
                Op::Make(parts)
            }
            Op::SumTag(value) => {
                let tag =
                    before.add(Op::Extract { aggregate: value, path: SmallVec::from_iter([PathStep::Const(0)]) }, u32);
                let one = before.add(Op::Const(Constant::Int(1)), u32);
                Op::Binary(BinaryOp::Sub, tag, one)
            }
            Op::SumMatch { sum: value, variants, null } => {
                let tag =
                    before.add(Op::Extract { aggregate: value, path: SmallVec::from_iter([PathStep::Const(0)]) }, u32);
                let mut cases: Vec<(SmallVec<[i64; 2]>, RegionId)> = Vec::new();
                for (index, &region) in variants.iter().enumerate() {
                    payload(before.func, region, value, index as u32 + 1, span);
                    cases.push((SmallVec::from_iter([index as i64 + 1]), region));
                }
                // Without a null a value always holds a variant; the last one is as good as any.
                let default = null.or_else(|| cases.pop().map(|(_, region)| region));
                match default {
                    Some(default) => Op::Switch { selector: tag, cases, default },
                    None => Op::SumMatch { sum: value, variants, null },
                }
            }
            other => other,
        };
        let new_ops = before.ops;
        func.ops[op].op = replacement;
        insert_before(&mut func, op, new_ops);
    }
    module.funcs[id] = func;
}

/// Makes ops that will stand before another.
struct Before<'a> {
    func: &'a mut Func,
    span: ir::SpanId,
    ops: Vec<OpId>,
}

impl Before<'_> {
    fn add(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let value = self.func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        self.func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }
}

/// The parameter of a variant's region becomes the field of the struct.
fn payload(func: &mut Func, region: RegionId, sum: ValueId, field: u32, span: ir::SpanId) {
    let Some(value) = func.regions[region].params.pop() else { return };
    let op = Op::Extract { aggregate: sum, path: SmallVec::from_iter([PathStep::Const(field)]) };
    let op = func.ops.alloc(OpData { results: SmallVec::from_iter([value]), ..OpData::new(op, span) });
    func.values[value].def = ValueDef::Result { op, index: 0 };
    func.regions[region].ops.insert(0, op);
}

fn insert_before(func: &mut Func, op: OpId, new: Vec<OpId>) {
    for (_, region) in func.regions.iter_mut() {
        if let Some(index) = region.ops.iter().position(|&other| other == op) {
            region.ops.splice(index..index, new);
            return;
        }
    }
}
