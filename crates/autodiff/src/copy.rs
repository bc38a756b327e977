//! Copies operations of one function into another, with operands mapped.

use ir::{Func, OpId, RegionId, Terminator, TypeId, ValueId, builder::FuncBuilder};
use rustc_hash::FxHashMap;

/// Where the values of `source` are in the function that is being built. A value without an entry maps to itself,
/// which is what nested copies within one function want.
pub(crate) struct Copier<'f> {
    pub source: &'f Func,
    pub map: FxHashMap<ValueId, ValueId>,
}

impl<'f> Copier<'f> {
    pub(crate) fn new(source: &'f Func) -> Self {
        Copier { source, map: FxHashMap::default() }
    }

    pub(crate) fn get(&self, value: ValueId) -> ValueId {
        self.map.get(&value).copied().unwrap_or(value)
    }

    /// Maps `from` to `to`, which takes over the user's name.
    pub(crate) fn bind(&mut self, b: &mut FuncBuilder<'_>, from: ValueId, to: ValueId) {
        if let Some(name) = &self.source.values[from].name
            && b.func.values[to].name.is_none()
        {
            b.func.values[to].name = Some(name.clone());
        }
        self.map.insert(from, to);
    }

    /// Copies an operation with its regions to the cursor.
    pub(crate) fn op(&mut self, b: &mut FuncBuilder<'_>, id: OpId) -> OpId {
        let data = &self.source.ops[id];
        let mut op = data.op.clone();
        op.for_each_operand_mut(|value| *value = self.get(*value));
        let regions: Vec<RegionId> = op.regions().into_iter().map(|region| self.region(b, region)).collect();
        let mut regions = regions.into_iter();
        op.for_each_region_mut(|region| {
            if let Some(new) = regions.next() {
                *region = new;
            }
        });
        let types: Vec<TypeId> = data.results.iter().map(|&result| self.source.ty(result)).collect();
        b.span = data.span;
        let new = b.op(op, &types);
        for (index, &result) in data.results.iter().enumerate() {
            let to = b.func.ops[new].results[index];
            self.bind(b, result, to);
        }
        new
    }

    /// Copies a region; its values must not escape.
    pub(crate) fn region(&mut self, b: &mut FuncBuilder<'_>, region: RegionId) -> RegionId {
        let source = &self.source.regions[region];
        let new = self.empty_region(b, region);
        let before = b.switch_to(new);
        for &op in &source.ops {
            self.op(b, op);
        }
        let mut terminator: Terminator = source.terminator.clone();
        terminator.values_mut().iter_mut().for_each(|value| *value = self.get(*value));
        b.terminate(terminator);
        b.switch_to(before);
        new
    }

    /// A new region with the parameters of `region`.
    pub(crate) fn empty_region(&mut self, b: &mut FuncBuilder<'_>, region: RegionId) -> RegionId {
        let params = &self.source.regions[region].params;
        let types: Vec<TypeId> = params.iter().map(|&param| self.source.ty(param)).collect();
        let new = b.new_region(&types);
        for (index, &param) in params.iter().enumerate() {
            let to = b.func.regions[new].params[index];
            self.bind(b, param, to);
        }
        new
    }
}
