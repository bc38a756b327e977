//! Loops carry the fields of structs one by one, so that what happens to one of them is known apart from the others: the
//! value of a pair does not depend on its derivative.

use ir::{
    Func, Op, OpData, OpId, PathStep, RegionId, Terminator, Type, TypeId, Value, ValueDef, ValueId,
    loops::{all_regions, early_exits},
    types::TypeTable,
};

/// Takes apart the structs that the loops of a function carry; whether there were any.
pub(crate) fn take_apart(types: &TypeTable, func: &mut Func) -> bool {
    let Some(body) = func.body else { return false };
    let mut changed = false;
    for region in all_regions(func, body) {
        let mut at = 0;
        while let Some(&op) = func.regions[region].ops.get(at) {
            // The fields of a field come apart when it is its turn.
            while let Some((index, fields)) = carried_struct(types, func, op) {
                at += split(func, (region, at), op, index, &fields);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// The first carried value of a loop that is a struct, with the types of its fields.
fn carried_struct(types: &TypeTable, func: &Func, op: OpId) -> Option<(usize, Vec<TypeId>)> {
    let Op::Loop { init, .. } = &func.ops[op].op else { return None };
    init.iter().enumerate().find_map(|(index, &value)| match types.get(func.values[value].ty) {
        Type::Struct(id) if !types.structs[id].fields.is_empty() => {
            Some((index, types.structs[id].fields.iter().map(|field| field.ty).collect()))
        }
        _ => None,
    })
}

/// Replaces the carried value `index` of the loop `op`, which stands at `place`, by its fields; how many operations have come
/// in front of the loop.
fn split(func: &mut Func, place: (RegionId, usize), op: OpId, index: usize, fields: &[TypeId]) -> usize {
    let Op::Loop { init, cond, body, .. } = func.ops[op].op.clone() else { return 0 };
    let (region, at) = place;
    let before = parts_of(func, op, init[index], fields);
    let values: Vec<ValueId> = before.iter().map(|&part| func.ops[part].results[0]).collect();
    if let Op::Loop { init, .. } = &mut func.ops[op].op {
        *init = replaced(init, index, &values);
    }
    for inner in [cond, body] {
        let whole = func.regions[inner].params[index];
        let params: Vec<ValueId> =
            fields.iter().map(|&ty| new_value(func, ty, ValueDef::Param { region: inner, index: 0 })).collect();
        func.regions[inner].params.splice(index..=index, params.iter().copied());
        for (number, param) in func.regions[inner].params.clone().into_iter().enumerate() {
            func.values[param].def = ValueDef::Param { region: inner, index: number as u32 };
        }
        let made = make(func, op, params, whole);
        func.regions[inner].ops.insert(0, made);
    }
    let mut exits = early_exits(func, body);
    exits.push(body);
    exits.dedup();
    for exit in exits {
        let Some(&value) = func.regions[exit].terminator.values().get(index) else { continue };
        let parts = parts_of(func, op, value, fields);
        let values: Vec<ValueId> = parts.iter().map(|&part| func.ops[part].results[0]).collect();
        func.regions[exit].ops.extend(parts);
        match &mut func.regions[exit].terminator {
            Terminator::Yield(carried) | Terminator::Break(carried) | Terminator::Continue(carried) => {
                *carried = replaced(carried, index, &values);
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
    let whole = func.ops[op].results[index];
    let results: Vec<ValueId> =
        fields.iter().map(|&ty| new_value(func, ty, ValueDef::Result { op, index: 0 })).collect();
    func.ops[op].results = replaced(&func.ops[op].results, index, &results);
    for (number, &result) in func.ops[op].results.iter().enumerate() {
        func.values[result].def = ValueDef::Result { op, index: number as u32 };
    }
    let made = make(func, op, results, whole);
    func.regions[region].ops.insert(at + 1, made);
    let count = before.len();
    func.regions[region].ops.splice(at..at, before);
    count
}

fn new_value(func: &mut Func, ty: TypeId, def: ValueDef) -> ValueId {
    func.values.alloc(Value { ty, def, name: None })
}

/// Operations that take the fields out of a value.
fn parts_of(func: &mut Func, of: OpId, aggregate: ValueId, fields: &[TypeId]) -> Vec<OpId> {
    let span = func.ops[of].span;
    let part = |(number, &ty): (usize, &TypeId)| {
        let path = std::iter::once(PathStep::Const(number as u32)).collect();
        let op = func.ops.alloc(OpData::new(Op::Extract { aggregate, path }, span));
        let value = new_value(func, ty, ValueDef::Result { op, index: 0 });
        func.ops[op].results.push(value);
        op
    };
    fields.iter().enumerate().map(part).collect()
}

/// An operation that puts `whole`, which was defined otherwise, together.
fn make(func: &mut Func, of: OpId, parts: Vec<ValueId>, whole: ValueId) -> OpId {
    let op = func.ops.alloc(OpData::new(Op::Make(parts.into_iter().collect()), func.ops[of].span));
    func.ops[op].results.push(whole);
    func.values[whole].def = ValueDef::Result { op, index: 0 };
    op
}

fn replaced<C: FromIterator<ValueId>>(values: &[ValueId], index: usize, parts: &[ValueId]) -> C {
    let (before, after) = (&values[..index], &values[index + 1..]);
    before.iter().chain(parts).chain(after).copied().collect()
}
