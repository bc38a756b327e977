//! Pass 5 put together: the functions of reverse mode.
//!
//! | function | from | to |
//! |---|---|---|
//! | [`vjp`] | inputs, result cotangents | input cotangents |
//! | [`primal`] | inputs | results, residual record |
//! | [`pullback`] | inputs that it reads, residual record, result cotangents | input cotangents |
//!
//! `vjp` is the forward sweep and the backward sweep in one function, so that what the first computes in the body itself
//! needs no storage. The residual record holds what leaves the body by the plan; there is none if nothing does. By a plan
//! that stores inputs as well, the same two halves make a context and call it (`Apply`, `Propagate`).

use std::rc::Rc;

use ir::{
    DerivativeKind, Differential, Field, Func, Module, Role, StructDef, TypeId, ValueId,
    abi::{self, Kept},
    builder::FuncBuilder,
    types::TypeTable,
};
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use crate::{
    copy::Copier,
    emit::{CustomArithmetic, Emitter},
    forward_sweep::ForwardSweep,
    linear::Linearized,
    plan::{Plan, item_name, item_ty},
    recall::{Frame, Recall, Source},
    transpose::Transposer,
};

/// A function prepared for reverse mode.
#[derive(Debug)]
pub struct Reverse {
    /// The function and its derivative as a linear program.
    pub linearized: Rc<Linearized>,
    /// What is kept, and what is computed again.
    pub plan: Plan,
    /// What the way back starts from.
    pub kept: Kept,
}

/// What `plan` keeps when there is a residual record only if there is something to put in.
pub(crate) fn kept(module: &mut Module, linearized: &Linearized, plan: &Plan) -> Kept {
    let items = &plan.layouts[&linearized.body.region];
    let record = (!items.is_empty()).then(|| record_type(module, linearized, plan, None));
    Kept { inputs: plan.inputs.clone(), record, accumulated: accumulated(module, linearized) }
}

/// The inputs to whose cotangents the way back adds: those of which it would make an array of zeros because elements are
/// reached by computed indices. The sums of the user's own types are left to their `dadd`.
fn accumulated(module: &Module, linearized: &Linearized) -> Vec<u32> {
    let custom = CustomArithmetic::of(&module.types);
    if !custom.dadd.is_empty() || !custom.dzero.is_empty() {
        return Vec::new();
    }
    let func = &linearized.func;
    let differentiable = (0u32..).zip(&func.inputs).filter(|(_, input)| input.differentiable);
    let is_own = |input: u32| func.results.iter().all(|result| result.role != Role::InOut(input));
    differentiable
        .zip(&linearized.inputs)
        .filter(|((input, _), tangent)| is_own(*input) && linearized.body.reaches_by_index(**tangent))
        .map(|((input, _), _)| input)
        .collect()
}

/// The struct type of the record that `plan` asks for: `context`, if the module has one for it already.
pub(crate) fn record_type(
    module: &mut Module,
    linearized: &Linearized,
    plan: &Plan,
    context: Option<TypeId>,
) -> TypeId {
    let func = &linearized.func;
    let mut fields: Vec<Field> = Vec::new();
    let mut add = |name: Option<SmolStr>, ty: TypeId| {
        let wanted = name.unwrap_or_else(|| "value".into());
        let mut name = wanted.clone();
        let mut number = 1;
        while fields.iter().any(|field| field.name == name) {
            number += 1;
            name = format_smolstr!("{wanted}_{number}");
        }
        fields.push(Field { name, ty, no_diff: false, matrices: ir::types::Matrices::AsUsual, is_gap: false });
    };
    for &item in &plan.layouts[&linearized.body.region] {
        let name = item_name(func, plan, item);
        add(name, item_ty(func, plan, item));
    }
    residual_struct(&module.types, &func.name, fields, context)
}

/// A struct with the given fields, for the residuals of `function`.
pub(crate) fn struct_of(
    types: &TypeTable,
    function: &str,
    fields: Vec<(SmolStr, TypeId)>,
    context: Option<TypeId>,
) -> TypeId {
    let fields = fields
        .into_iter()
        .map(|(name, ty)| Field { name, ty, no_diff: false, matrices: ir::types::Matrices::AsUsual, is_gap: false })
        .collect();
    residual_struct(types, function, fields, context)
}

fn residual_struct(types: &TypeTable, function: &str, fields: Vec<Field>, context: Option<TypeId>) -> TypeId {
    let name = unique_struct_name(types, format_smolstr!("{function}.Residuals"));
    let mut map = Vec::new();
    let mut differential_fields: Vec<Field> = Vec::new();
    for field in &fields {
        map.push(types.differential_of(field.ty).map(|ty| {
            differential_fields.push(Field {
                name: field.name.clone(),
                ty,
                no_diff: false,
                matrices: ir::types::Matrices::AsUsual,
                is_gap: false,
            });
            differential_fields.len() as u32 - 1
        }));
    }
    let of = |ty| Differential { ty, fields: map, dadd: None, dzero: None };
    match context.map(|ty| (ty, types.get(ty))) {
        Some((ty, ir::Type::Struct(id))) => {
            // Derivatives of contexts have a type before it is known what is in them.
            let differential = types.structs[id].differential.as_ref().map(|differential| differential.ty);
            if let Some(differential) = differential {
                fill_differential(types, differential, differential_fields);
            }
            let differential = differential.map(of);
            types.structs.revise(id, |def| (def.fields, def.differential) = (fields, differential));
            ty
        }
        Some(_) | None => {
            let differential =
                (!differential_fields.is_empty()).then(|| of(differential_struct(types, &name, differential_fields)));
            types.add_struct(StructDef { name, fields, differential })
        }
    }
}

/// A struct of differentials. Where each field is its own differential, so is the struct; else it has one of its own.
fn differential_struct(types: &TypeTable, name: &str, fields: Vec<Field>) -> TypeId {
    let name = unique_struct_name(types, format_smolstr!("{name}.Differential"));
    let ty = types.add_struct(StructDef { name, fields: Vec::new(), differential: None });
    fill_differential(types, ty, fields);
    ty
}

fn fill_differential(types: &TypeTable, ty: TypeId, fields: Vec<Field>) {
    let ir::Type::Struct(id) = types.get(ty) else { return };
    let own: Vec<Option<TypeId>> = fields.iter().map(|field| types.differential_of(field.ty)).collect();
    let itself = fields.iter().zip(&own).all(|(field, own)| *own == Some(field.ty));
    let count = fields.len() as u32;
    types.structs.revise(id, |def| def.fields.clone_from(&fields));
    let differential = if itself {
        Some(Differential { ty, fields: (0..count).map(Some).collect(), dadd: None, dzero: None })
    } else {
        let mut map = Vec::new();
        let mut inner: Vec<Field> = Vec::new();
        for (field, own) in fields.iter().zip(own) {
            map.push(own.map(|ty| {
                inner.push(Field {
                    name: field.name.clone(),
                    ty,
                    no_diff: false,
                    matrices: ir::types::Matrices::AsUsual,
                    is_gap: false,
                });
                inner.len() as u32 - 1
            }));
        }
        if inner.is_empty() {
            None
        } else {
            let name = types.structs[id].name.clone();
            let ty = differential_struct(types, &name, inner);
            Some(Differential { ty, fields: map, dadd: None, dzero: None })
        }
    };
    types.structs.revise(id, |def| def.differential = differential);
}

fn unique_struct_name(types: &TypeTable, wanted: SmolStr) -> SmolStr {
    let mut name = wanted.clone();
    let mut number = 1;
    while types.structs.iter().any(|(_, def)| def.name == name) {
        number += 1;
        name = format_smolstr!("{wanted}_{number}");
    }
    name
}

/// A derivative with its signature.
fn begin<'a>(types: &'a TypeTable, kind: DerivativeKind, name: SmolStr, reverse: &Reverse) -> FuncBuilder<'a> {
    let source = &reverse.linearized.func;
    let of = (&source.inputs[..], &source.results[..]);
    let (inputs, results) = abi::derivative(types, kind, of, &reverse.kept, source.span);
    let mut builder = FuncBuilder::new(types, name, inputs, results, source.span);
    builder.func.is_precise = source.is_precise;
    builder
}

pub(crate) fn vjp(types: &TypeTable, custom: &CustomArithmetic, name: SmolStr, reverse: &Reverse) -> Func {
    let source = &reverse.linearized.func;
    let builder = begin(types, DerivativeKind::Vjp, name, reverse);
    let mut e = Emitter::new(builder, custom);
    let (copier, items) = forward(&mut e, reverse);
    let body = reverse.linearized.body.region;
    let mut frame = Frame::new(body, e.current(), Source::Values(items));
    for (&from, &to) in &copier.map {
        // Values of nested regions are not visible after them.
        if reverse.plan.homes.get(from) == Some(&body) {
            frame.bind(from, to);
        }
    }
    backward(e, frame, source.inputs.len(), &[], reverse)
}

/// The first half of reverse mode, which also gives the residual record.
pub(crate) fn primal(types: &TypeTable, custom: &CustomArithmetic, name: SmolStr, reverse: &Reverse) -> Func {
    let source = &reverse.linearized.func;
    let builder = begin(types, DerivativeKind::Primal, name, reverse);
    let mut e = Emitter::new(builder, custom);
    let (copier, fields) = forward(&mut e, reverse);
    let record = reverse.kept.record.map(|record| e.make(&fields, record));
    let terminator = &source.regions[reverse.linearized.body.region].terminator;
    let results: Vec<ValueId> = terminator.values().iter().map(|&value| copier.get(value)).chain(record).collect();
    e.ret(results);
    e.builder.finish()
}

/// The second half, from what is kept.
pub(crate) fn pullback(types: &TypeTable, custom: &CustomArithmetic, name: SmolStr, reverse: &Reverse) -> Func {
    let source = &reverse.linearized.func;
    let builder = begin(types, DerivativeKind::Pullback, name, reverse);
    let e = Emitter::new(builder, custom);
    let body = reverse.linearized.body.region;
    let read = &reverse.kept.inputs;
    let stored = match reverse.kept.record {
        Some(_) => Source::Record(e.input(read.len())),
        None => Source::Values(Vec::new()),
    };
    let sums = read.len() + usize::from(reverse.kept.record.is_some());
    let first = sums + reverse.kept.accumulated.len();
    let sums: Vec<(u32, ValueId)> =
        reverse.kept.accumulated.iter().copied().zip((sums..first).map(|index| e.input(index))).collect();
    let mut frame = Frame::new(body, e.current(), stored);
    for (index, &input) in read.iter().enumerate() {
        frame.bind(source.input_values()[input as usize], e.input(index));
    }
    backward(e, frame, first, &sums, reverse)
}

/// The forward sweep at the cursor; returns where the primal values are, and what leaves the body.
fn forward<'a>(e: &mut Emitter<'_>, reverse: &'a Reverse) -> (Copier<'a>, Vec<ValueId>) {
    let source = &reverse.linearized.func;
    let mut copier = Copier::new(source);
    for (index, &param) in source.input_values().iter().enumerate() {
        let value = e.input(index);
        copier.bind(e, param, value);
    }
    let mut sweep =
        ForwardSweep { e, copier, linearized: &reverse.linearized, plan: &reverse.plan, slots: FxHashMap::default() };
    let items = sweep.body();
    (sweep.copier, items)
}

/// The backward sweep at the cursor. The result cotangents are the inputs from `first` on; `sums` are cotangents of inputs, by
/// number, to which it adds.
fn backward(e: Emitter<'_>, frame: Frame, first: usize, sums: &[(u32, ValueId)], reverse: &Reverse) -> Func {
    let cotangents: Vec<ValueId> = e.func.input_values()[first..].to_vec();
    let recall = Recall { linearized: &reverse.linearized, plan: &reverse.plan, frames: vec![frame] };
    let mut transposer = Transposer::new(e, recall, &reverse.linearized);
    let inputs = (0u32..).zip(&reverse.linearized.func.inputs).filter(|(_, input)| input.differentiable);
    for ((input, _), &tangent) in inputs.zip(&reverse.linearized.inputs) {
        if let Some((_, sum)) = sums.iter().find(|(of, _)| *of == input) {
            transposer.begin_with(tangent, *sum);
        }
    }
    let results = transposer.run(&cotangents);
    transposer.e.ret(results);
    transposer.e.builder.finish()
}
