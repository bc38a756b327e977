//! The shapes of all values of a function, for given shapes of its inputs.

use ir::{
    Callee, Constant, Func, FuncId, HandleType, Intrinsic, Module, Op, OpId, PathStep, RegionId, Terminator, Type,
    TypeId, ValueId,
    intrinsic::{HintOp, PointerOp},
    op::ControlOp,
};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::shape::{HandleShape, PlaceStep, Referent, Which, start, static_steps};

/// The intrinsic that gives the address of a place.
pub(crate) const ADDRESS_OF: Intrinsic = Intrinsic::Pointer(PointerOp::AddressOf);

/// A function and the shapes of its inputs.
pub(crate) type Key = (FuncId, Vec<HandleShape>);

/// The shapes of the results of functions, as far as they have been asked for.
pub(crate) struct Summaries {
    /// The types of handles of which there are arrays.
    pub numbered: FxHashSet<TypeId>,
    results: FxHashMap<Key, Vec<HandleShape>>,
}

pub(crate) type Shapes = ArenaMap<ValueId, HandleShape>;

impl Summaries {
    pub(crate) fn new(numbered: FxHashSet<TypeId>) -> Summaries {
        Summaries { numbered, results: FxHashMap::default() }
    }

    /// `module` is as it was before the pass. No function calls itself.
    pub(crate) fn analyse(
        &mut self,
        module: &Module,
        id: FuncId,
        inputs: &[HandleShape],
    ) -> (Shapes, Vec<HandleShape>) {
        let func = &module.funcs[id];
        let mut analysis = Analysis {
            module,
            func,
            summaries: self,
            shapes: Shapes::default(),
            results: vec![HandleShape::Nothing; func.results.len()],
            loops: Vec::new(),
            changed: false,
        };
        if let Some(body) = func.body {
            for (&param, shape) in func.regions[body].params.iter().zip(inputs) {
                analysis.join(param, shape);
            }
            analysis.region(body, &[]);
        }
        (analysis.shapes, analysis.results)
    }

    fn results_of(&mut self, module: &Module, id: FuncId, inputs: Vec<HandleShape>) -> Vec<HandleShape> {
        let func = &module.funcs[id];
        if !func.results.iter().any(|result| module.types.holds_handles(result.ty)) {
            return vec![HandleShape::Nothing; func.results.len()];
        }
        let key = (id, inputs);
        if let Some(results) = self.results.get(&key) {
            return results.clone();
        }
        let (_, results) = self.analyse(module, id, &key.1);
        self.results.insert(key, results.clone());
        results
    }
}

struct Analysis<'a> {
    module: &'a Module,
    func: &'a Func,
    summaries: &'a mut Summaries,
    shapes: Shapes,
    results: Vec<HandleShape>,
    /// The loops around: their results and what the next iteration starts with.
    loops: Vec<OpId>,
    changed: bool,
}

impl Analysis<'_> {
    fn shape(&self, value: ValueId) -> HandleShape {
        self.shapes.get(value).cloned().unwrap_or(HandleShape::Nothing)
    }

    fn join(&mut self, value: ValueId, shape: &HandleShape) {
        let old = self.shape(value);
        let new = old.join(shape);
        if new != old {
            self.changed = true;
            self.shapes.insert(value, new);
        }
    }

    fn join_all(&mut self, values: &[ValueId], from: &[ValueId]) {
        for (&value, &from) in values.iter().zip(from) {
            let shape = self.shape(from);
            self.join(value, &shape);
        }
    }

    /// `results` are what the region yields to.
    fn region(&mut self, region: RegionId, results: &[ValueId]) {
        let func = self.func;
        for &op in &func.regions[region].ops {
            self.op(op);
        }
        match &func.regions[region].terminator {
            Terminator::Yield(values) => self.join_all(results, values),
            Terminator::Return(values) => {
                for (index, &value) in values.iter().enumerate() {
                    let shape = self.results[index].join(&self.shape(value));
                    self.results[index] = shape;
                }
            }
            Terminator::Break(values) => {
                if let Some(&op) = self.loops.last() {
                    self.join_all(&func.ops[op].results, values);
                }
            }
            Terminator::Continue(values) => {
                if let Some(&op) = self.loops.last() {
                    self.next_iteration(op, values);
                }
            }
            Terminator::Unreachable => {}
        }
    }

    fn next_iteration(&mut self, op: OpId, values: &[ValueId]) {
        let func = self.func;
        if let Op::Loop { cond, body, .. } = &func.ops[op].op {
            self.join_all(&func.regions[*cond].params, values);
            self.join_all(&func.regions[*body].params, values);
            self.join_all(&func.ops[op].results, values);
        }
    }

    fn op(&mut self, op: OpId) {
        let func = self.func;
        let data = &func.ops[op];
        if let Op::Call { callee: Callee::Func(callee), args, .. } = &data.op {
            if data.results.iter().any(|&result| self.holds(result)) {
                let inputs = args.iter().map(|&arg| self.shape(arg)).collect();
                let shapes = self.summaries.results_of(self.module, *callee, inputs);
                for (&result, shape) in data.results.iter().zip(&shapes) {
                    self.join(result, shape);
                }
            }
            return;
        }
        match data.op.control() {
            Some(ControlOp::If { then, otherwise, .. }) => {
                self.region(then, &data.results);
                self.region(otherwise, &data.results);
            }
            Some(ControlOp::Switch { cases, default, .. }) => {
                for (_, region) in cases {
                    self.region(*region, &data.results);
                }
                self.region(default, &data.results);
            }
            Some(ControlOp::Loop { init, cond, body, .. }) => {
                self.next_iteration(op, init);
                self.loops.push(op);
                // Shapes only grow, and not for ever: each handle in them twice at most.
                loop {
                    let before = std::mem::take(&mut self.changed);
                    self.region(cond, &[]);
                    self.region(body, &[]);
                    if let Terminator::Yield(values) = &func.regions[body].terminator {
                        self.next_iteration(op, values);
                    }
                    let grown = std::mem::replace(&mut self.changed, before);
                    self.changed |= grown;
                    if !grown {
                        break;
                    }
                }
                self.loops.pop();
            }
            Some(ControlOp::Match { sum, variants, null }) => {
                let shape = self.shape(sum);
                for (index, &region) in variants.iter().enumerate() {
                    let payload = match &shape {
                        HandleShape::Parts(parts) => parts.get(index).cloned().unwrap_or(HandleShape::Nothing),
                        other => other.clone(),
                    };
                    if let Some(&param) = func.regions[region].params.first()
                        && self.module.types.holds_handles(func.ty(param))
                    {
                        self.join(param, &payload);
                    }
                    self.region(region, &data.results);
                }
                if let Some(region) = null {
                    self.region(region, &data.results);
                }
            }
            None => {
                if let [result] = data.results[..]
                    && self.holds(result)
                {
                    let shape = self.result_of(op, result);
                    self.join(result, &shape);
                }
            }
        }
    }

    fn holds(&self, value: ValueId) -> bool {
        self.module.types.holds_handles(self.func.ty(value))
    }

    /// The shape of the one result of a simple op.
    fn result_of(&self, op: OpId, result: ValueId) -> HandleShape {
        let types = &self.module.types;
        let ty = self.func.ty(result);
        match &self.func.ops[op].op {
            Op::Global(global) => match types.get(ty) {
                Type::Handle(handle) => HandleShape::Referent(Referent {
                    global: *global,
                    block: Vec::new(),
                    path: start(handle),
                    which: Which::Only,
                }),
                _ => HandleShape::Many,
            },
            Op::Zero | Op::Undef | Op::Const(_) => HandleShape::Nothing,
            Op::Make(parts) => match types.get(ty) {
                Type::Array { .. } => {
                    let all = parts.iter().fold(HandleShape::Nothing, |all, &part| all.join(&self.shape(part)));
                    HandleShape::Parts(vec![all])
                }
                _ => HandleShape::Parts(parts.iter().map(|&part| self.shape(part)).collect()),
            },
            Op::Splat(value) => HandleShape::Parts(vec![self.shape(*value)]),
            Op::Extract { aggregate, path } => {
                let shape = self.shape(*aggregate).part(types, self.func.ty(*aggregate), path);
                if path.iter().any(|step| is_by_thread(self.func, step)) { shape.by_thread() } else { shape }
            }
            Op::Insert { aggregate, path, value } => {
                self.shape(*aggregate).with_part(types, ty, path, &self.shape(*value))
            }
            Op::Select { then, otherwise, .. } => self.shape(*then).join(&self.shape(*otherwise)),
            Op::Detach(value) | Op::Forget(value) => self.shape(*value),
            Op::SumMake { variant, value } => {
                let Type::Sum(id) = types.get(ty) else { return HandleShape::Many };
                let mut parts = vec![HandleShape::Nothing; types.sums[id].variants.len()];
                if let Some(part) = parts.get_mut(*variant as usize) {
                    *part = self.shape(*value);
                }
                HandleShape::Parts(parts)
            }
            Op::Load { handle, path } => self.loaded(*handle, path, ty),
            // Numbers become pointers where they are null, or were the same pointer.
            Op::Bitcast(number) => match self.func.defining_op(*number).map(|data| &data.op) {
                Some(Op::Const(Constant::Int(0)) | Op::Zero) => HandleShape::Nothing,
                Some(Op::Bitcast(pointer)) if self.func.ty(*pointer) == ty => self.shape(*pointer),
                _ => HandleShape::Many,
            },
            Op::Intrinsic { intrinsic: ADDRESS_OF, args } => self.address(args),
            Op::Intrinsic { intrinsic: Intrinsic::Hint(HintOp::Nonuniform), args } => {
                args.first().map_or(HandleShape::Many, |&handle| self.shape(handle).by_thread())
            }
            _ => HandleShape::Many,
        }
    }

    /// What is read from a parameter block.
    fn loaded(&self, handle: ValueId, path: &[PathStep], ty: TypeId) -> HandleShape {
        let types = &self.module.types;
        let place = match (self.shape(handle), types.get(self.func.ty(handle))) {
            (HandleShape::Nothing, _) => return HandleShape::Nothing,
            (HandleShape::Referent(place), Type::Handle(HandleType::ConstantBuffer { .. }))
                if place.which == Which::Only =>
            {
                place
            }
            _ => return HandleShape::unknown(types, ty),
        };
        // One step may be into an array: of resources, or of structs that hold some.
        let mut which = Which::Only;
        let mut block = place.block;
        for (index, step) in path.iter().enumerate() {
            match (types.part_type(self.func.ty(handle), &path[..index]), step) {
                (Some(Type::Array { .. }), _) if which == Which::Only => {
                    which = match is_by_thread(self.func, step) {
                        true => Which::NumberedByThread,
                        false => Which::Numbered,
                    };
                }
                (Some(Type::Struct(_)), PathStep::Const(field)) => block.push(*field),
                _ => return HandleShape::unknown(types, ty),
            }
        }
        HandleShape::of_block(types, &self.summaries.numbered, (place.global, block), ty, which)
    }

    /// The address of a part.
    fn address(&self, args: &[ValueId]) -> HandleShape {
        let Some((&handle, steps)) = args.split_first() else { return HandleShape::Many };
        let place = match self.shape(handle) {
            HandleShape::Referent(place) => place,
            other => return other,
        };
        let Some((mut path, index)) = static_steps(self.func, steps) else { return HandleShape::Many };
        let types = &self.module.types;
        match types.get(self.func.ty(handle)) {
            Type::Handle(HandleType::Pointer { .. }) => {
                // The first step moves the pointer itself.
                let Some((&first, rest)) = path.split_first() else { return HandleShape::Many };
                let stays = first == PlaceStep::Const(0);
                if rest.contains(&PlaceStep::Index) || !(stays || place.can_move()) {
                    return HandleShape::Many;
                }
                HandleShape::Referent(Referent { path: place.path.iter().chain(rest).copied().collect(), ..place })
            }
            Type::Handle(HandleType::Variable { content }) => {
                // The last element of an array that is addressed is where the pointer moves from.
                let elements = index.is_none().then(|| last_element(types, content, &path)).flatten();
                if let Some(step) = elements.and_then(|index| path.get_mut(index)) {
                    *step = PlaceStep::Index;
                }
                HandleShape::Referent(Referent { path, ..place })
            }
            _ => HandleShape::Many,
        }
    }
}

/// Whether the source says of an index that it may differ between threads.
fn is_by_thread(func: &Func, step: &PathStep) -> bool {
    let PathStep::Dynamic(mut index) = *step else { return false };
    loop {
        match func.defining_op(index).map(|data| &data.op) {
            Some(Op::Intrinsic { intrinsic: Intrinsic::Hint(HintOp::NonUniform | HintOp::Nonuniform), .. }) => {
                return true;
            }
            Some(&(Op::Convert(inner) | Op::Bitcast(inner) | Op::Detach(inner))) => index = inner,
            _ => return false,
        }
    }
}

/// The position of the last step, if it is into an array or vector.
pub(crate) fn last_element(types: &ir::types::TypeTable, content: TypeId, path: &[PlaceStep]) -> Option<usize> {
    let (_, before) = path.split_last()?;
    let steps: Vec<PathStep> = before
        .iter()
        .map(|step| match step {
            PlaceStep::Const(index) => PathStep::Const(*index),
            PlaceStep::Index => PathStep::Const(0),
        })
        .collect();
    match types.part_type(content, &steps)? {
        Type::Array { .. } | Type::Vector { .. } | Type::Matrix { .. } => Some(path.len() - 1),
        _ => None,
    }
}
