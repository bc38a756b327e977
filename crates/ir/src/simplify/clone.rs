//! Copies of regions, within a function or from one function to another of the same module.

use rustc_hash::FxHashMap;

use crate::{Func, OpData, OpId, Region, RegionId, Terminator, Value, ValueDef, ValueId};

/// What the values of the source are in the target. Values that are not in it are the same in both: they are of the same
/// function and visible at the place that the copy goes to.
pub(super) type ValueMap = FxHashMap<ValueId, ValueId>;

/// Copies the ops of `region` (not its terminator) into `target`; the caller puts them into a region.
pub(super) fn clone_ops(source: &Func, region: RegionId, target: &mut Func, map: &mut ValueMap) -> Vec<OpId> {
    source.regions[region].ops.iter().map(|&op| clone_op(source, op, target, map)).collect()
}

pub(super) fn mapped(values: &[ValueId], map: &ValueMap) -> Vec<ValueId> {
    values.iter().map(|value| map.get(value).copied().unwrap_or(*value)).collect()
}

pub(super) fn clone_op(source: &Func, id: OpId, target: &mut Func, map: &mut ValueMap) -> OpId {
    let data = &source.ops[id];
    let mut op = data.op.clone();
    op.for_each_operand_mut(|value| *value = map.get(value).copied().unwrap_or(*value));
    op.for_each_region_mut(|region| *region = clone_region(source, *region, target, map));
    let copy = target.ops.alloc(OpData { advice: data.advice, ..OpData::new(op, data.span) });
    for (index, &result) in data.results.iter().enumerate() {
        let def = ValueDef::Result { op: copy, index: index as u32 };
        let value = clone_value(source, result, def, target, map);
        target.ops[copy].results.push(value);
    }
    copy
}

fn clone_region(source: &Func, region: RegionId, target: &mut Func, map: &mut ValueMap) -> RegionId {
    let empty = Region { params: Vec::new(), ops: Vec::new(), terminator: Terminator::Unreachable };
    let copy = target.regions.alloc(empty);
    for (index, &param) in source.regions[region].params.iter().enumerate() {
        let def = ValueDef::Param { region: copy, index: index as u32 };
        let param = clone_value(source, param, def, target, map);
        target.regions[copy].params.push(param);
    }
    target.regions[copy].ops = clone_ops(source, region, target, map);
    let mut terminator = source.regions[region].terminator.clone();
    for value in terminator.values_mut() {
        *value = map.get(value).copied().unwrap_or(*value);
    }
    target.regions[copy].terminator = terminator;
    copy
}

fn clone_value(source: &Func, value: ValueId, def: ValueDef, target: &mut Func, map: &mut ValueMap) -> ValueId {
    let data = &source.values[value];
    let copy = target.values.alloc(Value { ty: data.ty, def, name: data.name.clone() });
    map.insert(value, copy);
    copy
}
