//! Goes over the operations of a function, nested ones first, and writes others in their place.

use ir::{
    BinaryOp, Constant, Func, FuncId, Module, Op, OpData, OpId, PathStep, Region, RegionId, Scalar, SpanId, Terminator,
    Type, TypeId, Value, ValueDef, ValueId,
};
use smallvec::SmallVec;

/// A function in the making: the operations of the region that is being rewritten are appended one by one.
pub(crate) struct Rewriter<'a> {
    pub module: &'a mut Module,
    pub func: Func,
    pub span: SpanId,
    ops: Vec<OpId>,
}

/// Calls `rule` on each operation of a function. The rule writes what stands before the operation ([`Rewriter::add`]),
/// and then keeps or replaces the operation itself.
pub(crate) fn rewrite(module: &mut Module, id: FuncId, rule: &mut dyn FnMut(&mut Rewriter<'_>, OpId)) {
    let Some(body) = module.funcs[id].body else { return };
    let func = std::mem::replace(&mut module.funcs[id], Func::declaration("", Vec::new(), Vec::new(), SpanId::NONE));
    let mut rewriter = Rewriter { module, func, span: SpanId::NONE, ops: Vec::new() };
    rewriter.walk(body, rule);
    let func = rewriter.func;
    module.funcs[id] = func;
}

impl Rewriter<'_> {
    fn walk(&mut self, region: RegionId, rule: &mut dyn FnMut(&mut Self, OpId)) {
        let outer = std::mem::take(&mut self.ops);
        for op in std::mem::take(&mut self.func.regions[region].ops) {
            for nested in self.func.ops[op].op.regions() {
                self.walk(nested, rule);
            }
            self.span = self.func.ops[op].span;
            rule(self, op);
        }
        self.func.regions[region].ops = std::mem::replace(&mut self.ops, outer);
    }

    /// The operation stays, after what was added before it.
    pub(crate) fn keep(&mut self, op: OpId) {
        self.ops.push(op);
    }

    /// Another operation gives the results.
    pub(crate) fn replace(&mut self, op: OpId, with: Op) {
        self.func.ops[op].op = with;
        self.ops.push(op);
    }

    pub(crate) fn add(&mut self, op: Op, ty: TypeId) -> ValueId {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let value = self.func.values.alloc(Value { ty, def: ValueDef::Result { op: id, index: 0 }, name: None });
        self.func.ops[id].results.push(value);
        self.ops.push(id);
        value
    }

    /// An operation with any number of results of these types, with their names.
    pub(crate) fn add_many(&mut self, op: Op, results: &[(TypeId, &str)]) -> Vec<ValueId> {
        let id = self.func.ops.alloc(OpData::new(op, self.span));
        let values: Vec<ValueId> = results
            .iter()
            .enumerate()
            .map(|(index, &(ty, name))| {
                let def = ValueDef::Result { op: id, index: index as u32 };
                self.func.values.alloc(Value { ty, def, name: Some(name.into()) })
            })
            .collect();
        self.func.ops[id].results.extend(values.iter().copied());
        self.ops.push(id);
        values
    }

    /// A region with parameters of these types, named as told; `build` gives what it yields.
    pub(crate) fn region(
        &mut self,
        params: &[(TypeId, &str)],
        build: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> RegionId {
        let region = self.func.regions.alloc(Region {
            params: Vec::new(),
            ops: Vec::new(),
            terminator: Terminator::Return(SmallVec::new()),
        });
        let params: Vec<ValueId> = params
            .iter()
            .enumerate()
            .map(|(index, &(ty, name))| {
                let def = ValueDef::Param { region, index: index as u32 };
                self.func.values.alloc(Value { ty, def, name: Some(name.into()) })
            })
            .collect();
        let outer = std::mem::take(&mut self.ops);
        let values = build(self, &params);
        let ops = std::mem::replace(&mut self.ops, outer);
        self.func.regions[region] = Region { params, ops, terminator: Terminator::Yield(values.into_iter().collect()) };
        region
    }

    pub(crate) fn ty(&self, value: ValueId) -> TypeId {
        self.func.ty(value)
    }

    pub(crate) fn type_of(&self, value: ValueId) -> Type {
        self.module.types.get(self.func.ty(value))
    }

    pub(crate) fn extract(&mut self, aggregate: ValueId, index: u32, ty: TypeId) -> ValueId {
        self.add(Op::Extract { aggregate, path: SmallVec::from_iter([PathStep::Const(index)]) }, ty)
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, left: ValueId, right: ValueId) -> ValueId {
        let ty = if op.is_comparison() { self.module.types.bool() } else { self.ty(left) };
        self.add(Op::Binary(op, left, right), ty)
    }

    pub(crate) fn u32(&mut self, value: u32) -> ValueId {
        let ty = self.module.types.scalar(Scalar::U32);
        self.add(Op::Const(Constant::Int(value.into())), ty)
    }

    pub(crate) fn bitcast(&mut self, value: ValueId, ty: TypeId) -> ValueId {
        if self.ty(value) == ty { value } else { self.add(Op::Bitcast(value), ty) }
    }
}
