//! Copies what is reachable from given functions to a new module, without the unused entries that passes leave in
//! arenas. Order is kept, so what is printed is the same but for what is gone.
//!
//! Reachable are: callees, rules of reachable functions (on request), functions of differentials of reachable structs,
//! globals that reachable code names with their initialisers, and entry points of reachable functions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::loops::all_regions;
use crate::{
    Callee, EntryPoint, Func, FuncId, FuncRules, Global, GlobalId, GlobalKind, HandleType, Module, Op, OpData, OpId,
    Region, RegionId, StructDef, SumDef, Type, TypeId, Value, ValueDef, ValueId,
    types::{StructId, SumId},
};

/// A module and where the functions of the old one are in it.
pub struct Compacted {
    /// What was kept.
    pub module: Module,
    /// The new number of each function that was kept.
    pub funcs: FxHashMap<FuncId, FuncId>,
}

/// What to keep besides what code needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Primal substitutes and derivatives of reachable functions; without, their rules are cleared.
    pub rules: bool,
}

/// Copies what `roots` and the module's entry points reach.
pub fn compact(module: &Module, roots: &[FuncId], keep: Keep) -> Compacted {
    let mut reach = Reach {
        module,
        keep,
        funcs: FxHashSet::default(),
        types: FxHashSet::default(),
        globals: FxHashSet::default(),
        pending: Vec::new(),
    };
    for root in roots.iter().copied().chain(module.entry_points.iter().flat_map(EntryPoint::functions)) {
        reach.func(root);
    }
    // Those that nobody uses have their places among the others.
    let parameters = module.globals.iter().filter(|(_, global)| global.kind == GlobalKind::Parameter);
    parameters.for_each(|(id, _)| reach.global(id));
    reach.all();
    let Reach { funcs, types, globals, .. } = reach;
    let mut copy = Copier {
        old: module,
        new: Module { spans: module.spans.clone(), precision: module.precision, ..Module::default() },
        funcs: FxHashMap::default(),
        globals: FxHashMap::default(),
        structs: FxHashMap::default(),
        sums: FxHashMap::default(),
        types: FxHashMap::default(),
    };
    copy.declare(&funcs, &types, &globals);
    copy.define(keep);
    Compacted { module: copy.new, funcs: copy.funcs }
}

/// The transitive closure of what is named.
struct Reach<'a> {
    module: &'a Module,
    keep: Keep,
    funcs: FxHashSet<FuncId>,
    types: FxHashSet<TypeId>,
    globals: FxHashSet<GlobalId>,
    pending: Vec<FuncId>,
}

impl Reach<'_> {
    fn func(&mut self, func: FuncId) {
        if self.funcs.insert(func) {
            self.pending.push(func);
        }
    }

    fn all(&mut self) {
        let module = self.module;
        while let Some(id) = self.pending.pop() {
            let func = &module.funcs[id];
            func.inputs.iter().for_each(|input| self.ty(input.ty));
            func.results.iter().for_each(|result| self.ty(result.ty));
            if self.keep.rules {
                let rules = &func.rules;
                for rule in [rules.primal_substitute, rules.forward, rules.backward] {
                    rule.into_iter().for_each(|rule| self.func(rule));
                }
            }
            let Some(body) = func.body else { continue };
            for region in all_regions(func, body) {
                let data = &func.regions[region];
                data.params.iter().for_each(|&param| self.ty(func.ty(param)));
                for &op in &data.ops {
                    func.ops[op].results.iter().for_each(|&result| self.ty(func.ty(result)));
                    match &func.ops[op].op {
                        Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } => {
                            self.func(*callee);
                        }
                        Op::Global(global) => self.global(*global),
                        _ => {}
                    }
                }
            }
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !self.globals.insert(id) {
            return;
        }
        let global = &self.module.globals[id];
        self.ty(global.ty);
        if let GlobalKind::Static { init: Some(init) } = global.kind {
            self.func(init);
        }
    }

    fn ty(&mut self, ty: TypeId) {
        let types = &self.module.types;
        let mut stack = vec![ty];
        while let Some(ty) = stack.pop() {
            if !self.types.insert(ty) {
                continue;
            }
            match types.get(ty) {
                Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Opaque(_) => {}
                Type::Array { element, .. } => stack.push(element),
                Type::Struct(id) => {
                    let def = &types.structs[id];
                    stack.extend(def.fields.iter().map(|field| field.ty));
                    if let Some(differential) = &def.differential {
                        stack.push(differential.ty);
                        for func in [differential.dadd, differential.dzero] {
                            func.into_iter().for_each(|func| self.func(func));
                        }
                    }
                }
                Type::Sum(id) => {
                    let def = &types.sums[id];
                    stack.extend(def.variants.iter().map(|variant| variant.ty));
                    stack.extend(def.differential);
                }
                Type::Handle(handle) => stack.extend(handle_content(handle)),
            }
        }
    }
}

fn handle_content(handle: HandleType) -> Option<TypeId> {
    match handle {
        HandleType::StructuredBuffer { element: ty, .. }
        | HandleType::TexelBuffer { element: ty, .. }
        | HandleType::Texture { element: ty, .. }
        | HandleType::ConstantBuffer { content: ty }
        | HandleType::Variable { content: ty }
        | HandleType::Pointer { pointee: ty }
        | HandleType::Address { pointee: ty } => Some(ty),
        HandleType::ByteAddressBuffer { .. }
        | HandleType::Sampler { .. }
        | HandleType::AccelerationStructure
        | HandleType::RayQuery { .. } => None,
    }
}

struct Copier<'a> {
    old: &'a Module,
    new: Module,
    funcs: FxHashMap<FuncId, FuncId>,
    globals: FxHashMap<GlobalId, GlobalId>,
    structs: FxHashMap<StructId, StructId>,
    sums: FxHashMap<SumId, SumId>,
    types: FxHashMap<TypeId, TypeId>,
}

impl Copier<'_> {
    /// Makes empty structs, sums and functions, so that they can name each other; then globals.
    fn declare(&mut self, funcs: &FxHashSet<FuncId>, types: &FxHashSet<TypeId>, globals: &FxHashSet<GlobalId>) {
        let old = self.old;
        let reached = |ty: Type| old.types.find(ty).is_some_and(|ty| types.contains(&ty));
        for (id, def) in old.types.structs.iter().filter(|(id, _)| reached(Type::Struct(*id))) {
            let empty = StructDef { name: def.name.clone(), fields: Vec::new(), differential: None };
            self.structs.insert(id, self.new.types.structs.add(empty));
        }
        for (id, def) in old.types.sums.iter().filter(|(id, _)| reached(Type::Sum(*id))) {
            let empty =
                SumDef { name: def.name.clone(), variants: Vec::new(), payload_bytes: None, differential: None };
            self.sums.insert(id, self.new.types.sums.add(empty));
        }
        for (id, func) in old.funcs.iter().filter(|(id, _)| funcs.contains(id)) {
            let declaration = Func::declaration(func.name.clone(), Vec::new(), Vec::new(), func.span);
            self.funcs.insert(id, self.new.funcs.alloc(declaration));
        }
        for (id, global) in old.globals.iter().filter(|(id, _)| globals.contains(id)) {
            let ty = self.ty(global.ty);
            let kind = match global.kind {
                GlobalKind::Static { init } => GlobalKind::Static { init: self.optional_func(init) },
                GlobalKind::Parameter => GlobalKind::Parameter,
                GlobalKind::GroupShared => GlobalKind::GroupShared,
            };
            let copy = Global {
                name: global.name.clone(),
                ty,
                kind,
                provision: global.provision.clone(),
                by_descriptor: global.by_descriptor,
            };
            self.globals.insert(id, self.new.globals.alloc(copy));
        }
    }

    fn define(&mut self, keep: Keep) {
        let old = self.old;
        for (id, def) in old.types.structs.iter() {
            let Some(&copy) = self.structs.get(&id) else { continue };
            let mut def = def.clone();
            def.fields.iter_mut().for_each(|field| field.ty = self.ty(field.ty));
            if let Some(differential) = &mut def.differential {
                differential.ty = self.ty(differential.ty);
                differential.dadd = self.optional_func(differential.dadd);
                differential.dzero = self.optional_func(differential.dzero);
            }
            self.new.types.structs[copy] = def;
        }
        for (id, def) in old.types.sums.iter() {
            let Some(&copy) = self.sums.get(&id) else { continue };
            let mut def = def.clone();
            def.variants.iter_mut().for_each(|variant| variant.ty = self.ty(variant.ty));
            def.differential = def.differential.map(|differential| self.ty(differential));
            self.new.types.sums[copy] = def;
        }
        for (id, _) in old.funcs.iter() {
            let Some(&copy) = self.funcs.get(&id) else { continue };
            let func = self.func(id, keep);
            self.new.funcs[copy] = func;
        }
        for entry in &old.entry_points {
            let Some(&func) = self.funcs.get(&entry.func) else { continue };
            let assembly = entry.assembly.with_patch_constants(|func| self.funcs[&func]);
            self.new.entry_points.push(EntryPoint { func, assembly, ..entry.clone() });
        }
    }

    fn optional_func(&self, func: Option<FuncId>) -> Option<FuncId> {
        func.and_then(|func| self.funcs.get(&func).copied())
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        if let Some(&copy) = self.types.get(&id) {
            return copy;
        }
        let ty = match self.old.types.get(id) {
            ty @ (Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Opaque(_)) => ty,
            Type::Array { element, len } => Type::Array { element: self.ty(element), len },
            Type::Struct(id) => Type::Struct(self.structs[&id]),
            Type::Sum(id) => Type::Sum(self.sums[&id]),
            Type::Handle(handle) => Type::Handle(self.handle(handle)),
        };
        let copy = self.new.types.intern(ty);
        self.types.insert(id, copy);
        copy
    }

    fn handle(&mut self, mut handle: HandleType) -> HandleType {
        match &mut handle {
            HandleType::StructuredBuffer { element: ty, .. }
            | HandleType::TexelBuffer { element: ty, .. }
            | HandleType::Texture { element: ty, .. }
            | HandleType::ConstantBuffer { content: ty }
            | HandleType::Variable { content: ty }
            | HandleType::Pointer { pointee: ty }
            | HandleType::Address { pointee: ty } => *ty = self.ty(*ty),
            HandleType::ByteAddressBuffer { .. }
            | HandleType::Sampler { .. }
            | HandleType::AccelerationStructure
            | HandleType::RayQuery { .. } => {}
        }
        handle
    }

    fn func(&mut self, id: FuncId, keep: Keep) -> Func {
        let old = &self.old.funcs[id];
        let mut inputs = old.inputs.clone();
        inputs.iter_mut().for_each(|input| input.ty = self.ty(input.ty));
        let mut results = old.results.clone();
        results.iter_mut().for_each(|result| result.ty = self.ty(result.ty));
        let mut func = Func::declaration(old.name.clone(), inputs, results, old.span);
        let rule = |rule| if keep.rules { self.optional_func(rule) } else { None };
        func.is_precise = old.is_precise;
        func.rules = FuncRules {
            primal_substitute: rule(old.rules.primal_substitute),
            forward: rule(old.rules.forward),
            backward: rule(old.rules.backward),
            ..old.rules.clone()
        };
        if let Some(body) = old.body {
            let mut copier = BodyCopier { types: self, old, new: func, values: FxHashMap::default() };
            let body = copier.region(body);
            func = copier.new;
            func.body = Some(body);
        }
        func
    }
}

struct BodyCopier<'a, 'm> {
    types: &'a mut Copier<'m>,
    old: &'a Func,
    new: Func,
    values: FxHashMap<ValueId, ValueId>,
}

impl BodyCopier<'_, '_> {
    fn region(&mut self, id: RegionId) -> RegionId {
        let old = &self.old.regions[id];
        let terminator = crate::Terminator::Unreachable;
        let region = self.new.regions.alloc(Region { params: Vec::new(), ops: Vec::new(), terminator });
        for (index, &param) in old.params.iter().enumerate() {
            let param = self.value(param, ValueDef::Param { region, index: index as u32 });
            self.new.regions[region].params.push(param);
        }
        for &op in &old.ops {
            let op = self.op(op);
            self.new.regions[region].ops.push(op);
        }
        let mut terminator = old.terminator.clone();
        terminator.values_mut().iter_mut().for_each(|value| *value = self.values[value]);
        self.new.regions[region].terminator = terminator;
        region
    }

    fn op(&mut self, id: OpId) -> OpId {
        let old = &self.old.ops[id];
        let mut op = old.op.clone();
        op.for_each_operand_mut(|value| *value = self.values[value]);
        match &mut op {
            Op::Call { callee: Callee::Func(callee) | Callee::Derivative(_, callee), .. } => {
                *callee = self.types.funcs[callee];
            }
            Op::Global(global) => *global = self.types.globals[global],
            // References of other ops are to values and regions only.
            _ => {}
        }
        op.for_each_region_mut(|region| *region = self.region(*region));
        let copy = self.new.ops.alloc(OpData { advice: old.advice, ..OpData::new(op, old.span) });
        for (index, &result) in old.results.iter().enumerate() {
            let result = self.value(result, ValueDef::Result { op: copy, index: index as u32 });
            self.new.ops[copy].results.push(result);
        }
        copy
    }

    fn value(&mut self, id: ValueId, def: ValueDef) -> ValueId {
        let old = &self.old.values[id];
        let ty = self.types.ty(old.ty);
        let copy = self.new.values.alloc(Value { ty, def, name: old.name.clone() });
        self.values.insert(id, copy);
        copy
    }
}
