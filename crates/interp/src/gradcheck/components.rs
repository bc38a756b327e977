//! The floats of inputs and results that have derivatives, and where those are in tangents.
//!
//! Tangents have the differential types of the inputs. Components of a value and of its tangent belong together by the
//! structure of the types: equal for floats, vectors and matrices, element by element for arrays, and as the struct's
//! [`ir::Differential`] maps its fields. What an interface value has depends on the type that it holds, so the slots of the
//! values are asked for it.

use std::ops::Range;

use ir::{FuncId, Module, Scalar, SumId, Type, TypeId};
use smol_str::{SmolStr, format_smolstr};

use super::Coordinate;
use crate::{layout::Layouts, tape::has_own_tangents};

/// A slot that tells what an interface value holds, and what it says there.
pub(super) type Tag = (usize, u64);

/// A float of an input or result that has a derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Component {
    /// Among the slots of all inputs (results).
    pub slot: usize,
    /// Among the slots of all their tangents, or cotangents.
    pub tangent_slot: usize,
    /// What the interface values hold that it is in, outermost first, and what their tangents have to hold.
    pub tags: Vec<Tag>,
    pub tangent_tags: Vec<Tag>,
    pub place: Coordinate,
}

/// The slots of floats in consecutive values, each with its place.
pub(super) fn float_slots<'a>(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = (&'a SmolStr, TypeId)>,
) -> Vec<(usize, Coordinate)> {
    let floats = number_slots(layouts, values, &[]).into_iter().filter(|(_, scalar, _)| scalar.is_float());
    floats.map(|(slot, _, place)| (slot, place)).collect()
}

/// The slots of floats and integers in consecutive values, each with its type and its place; with all `slots` also those in
/// interface values.
pub(super) fn number_slots<'a>(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = (&'a SmolStr, TypeId)>,
    slots: &[u64],
) -> Vec<(usize, Scalar, Coordinate)> {
    let mut numbers = scalar_slots(layouts, values, slots);
    numbers.retain(|(_, scalar, _)| *scalar != Scalar::Bool);
    numbers
}

/// [`number_slots`] and those of `bool`s.
pub(super) fn scalar_slots<'a>(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = (&'a SmolStr, TypeId)>,
    slots: &[u64],
) -> Vec<(usize, Scalar, Coordinate)> {
    let mut numbers = Vec::new();
    let mut start = 0;
    for (name, ty) in values {
        let mut found = Vec::new();
        let ty_of = layouts.types.get(ty);
        collect_numbers(layouts, ty_of, start, slots, &mut found);
        let mut floats = 0;
        for (slot, scalar) in found {
            let place = Coordinate { name: name.clone(), component: floats, path: path(layouts, ty_of, slot - start) };
            floats += usize::from(scalar.is_float());
            numbers.push((slot, scalar, place));
        }
        start += layouts.slots(ty);
    }
    numbers
}

fn collect_numbers(layouts: &Layouts<'_>, ty: Type, start: usize, slots: &[u64], found: &mut Vec<(usize, Scalar)>) {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            found.extend((start..start + layouts.size(ty).slots as usize).map(|slot| (slot, scalar)));
        }
        Type::Array { .. } | Type::Struct(_) => {
            for (part, offset) in parts(layouts, ty) {
                collect_numbers(layouts, part, start + offset, slots, found);
            }
        }
        Type::Sum(id) => {
            if let Some(held) = held(layouts, id, slots, start) {
                collect_numbers(layouts, layouts.types.get(held), start + 1, slots, found);
            }
        }
        Type::Handle(_) | Type::Opaque(_) => {}
    }
}

/// Where optional values lie among the slots of consecutive values: the slots of what each holds, and the one that says
/// whether it does.
pub(super) fn optional_slots(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = TypeId>,
) -> Vec<(Range<usize>, usize)> {
    fn collect(layouts: &Layouts<'_>, ty: Type, start: usize, found: &mut Vec<(Range<usize>, usize)>) {
        let parts = match ty {
            Type::Array { .. } | Type::Struct(_) => parts(layouts, ty),
            _ => return,
        };
        if let (Type::Struct(id), [(held, value), (_, flag)]) = (ty, parts.as_slice()) {
            let fields = &layouts.types.structs[id].fields;
            // As lowering names the parts of an `Optional`.
            if matches!(fields.as_slice(), [value, flag] if value.name == "value" && flag.name == "hasValue") {
                let value = start + value;
                found.push((value..value + layouts.size(*held).slots as usize, start + flag));
            }
        }
        for (part, offset) in parts {
            collect(layouts, part, start + offset, found);
        }
    }
    let mut found = Vec::new();
    let mut start = 0;
    for ty in values {
        collect(layouts, layouts.types.get(ty), start, &mut found);
        start += layouts.slots(ty);
    }
    found
}

/// How the slot of a value is spelled after its name: `.direction.y`, `[2]`.
fn path(layouts: &Layouts<'_>, ty: Type, slot: usize) -> String {
    let (mut ty, mut slot) = (ty, slot);
    let mut path = String::new();
    loop {
        match ty {
            Type::Vector { .. } => {
                let component = ["x", "y", "z", "w"].get(slot).copied().unwrap_or("?");
                return format!("{path}.{component}");
            }
            Type::Matrix { cols, .. } => {
                let cols = usize::from(cols).max(1);
                return format!("{path}[{}][{}]", slot / cols, slot % cols);
            }
            Type::Array { .. } | Type::Struct(_) => {
                let parts = parts(layouts, ty);
                let Some(index) = parts.iter().rposition(|(_, start)| *start <= slot) else { return path };
                match ty {
                    Type::Struct(id) => {
                        let field = layouts.types.structs[id].fields.get(index);
                        path += &field.map_or_else(String::new, |field| format!(".{}", field.name));
                    }
                    _ => path += &format!("[{index}]"),
                }
                slot -= parts[index].1;
                ty = parts[index].0;
            }
            Type::Scalar(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return path,
        }
    }
}

/// The type that the interface value holds whose tag is in one of some slots.
fn held(layouts: &Layouts<'_>, id: SumId, slots: &[u64], at: usize) -> Option<TypeId> {
    let variant = layouts.sum_variant(id, *slots.get(at)?)?;
    layouts.types.sums[id].variants.get(variant as usize).map(|variant| variant.ty)
}

/// The parts of an array or struct with their first slots.
pub(super) fn parts(layouts: &Layouts<'_>, ty: Type) -> Vec<(Type, usize)> {
    if layouts.size(ty).slots == 0 {
        return Vec::new();
    }
    (0..).map_while(|index| layouts.part(ty, index)).map(|(part, offset)| (part, offset.slots as usize)).collect()
}

/// A part of a value, on the way to its floats.
#[derive(Clone)]
struct ValuePart {
    slot: usize,
    tangent_slot: usize,
    tags: Vec<Tag>,
    tangent_tags: Vec<Tag>,
    /// How it is spelled after the name of the value.
    path: String,
}

impl ValuePart {
    fn inner(&self, at: (usize, usize), name: &str) -> ValuePart {
        let mut inner = self.clone();
        inner.slot += at.0;
        inner.tangent_slot += at.1;
        inner.path += name;
        inner
    }
}

/// The floats of a value that have derivatives in its tangent.
fn pairs(
    layouts: &Layouts<'_>,
    slots: &[u64],
    (ty, tangent): (Type, Type),
    part: &ValuePart,
    found: &mut Vec<ValuePart>,
) {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
            let floats = 0..layouts.size(ty).slots as usize;
            found.extend(floats.map(|slot| part.inner((slot, slot), &path(layouts, ty, slot))));
        }
        Type::Array { .. } => {
            let elements = parts(layouts, ty).into_iter().zip(parts(layouts, tangent));
            for (index, ((element, offset), (tangent, tangent_offset))) in elements.enumerate() {
                let inner = part.inner((offset, tangent_offset), &format!("[{index}]"));
                pairs(layouts, slots, (element, tangent), &inner, found);
            }
        }
        Type::Struct(id) => {
            let def = &layouts.types.structs[id];
            let Some(differential) = &def.differential else { return };
            let fields = parts(layouts, ty).into_iter().zip(&def.fields).zip(&differential.fields);
            for (((ty, offset), field), target) in fields {
                let target = target.and_then(|target| layouts.part(tangent, target.into()));
                if let Some((tangent, tangent_offset)) = target {
                    let at = (offset, tangent_offset.slots as usize);
                    let inner = part.inner(at, &format!(".{}", field.name));
                    pairs(layouts, slots, (ty, tangent), &inner, found);
                }
            }
        }
        Type::Sum(id) => {
            let (Some(held), Type::Sum(tangents)) = (held(layouts, id, slots, part.slot), tangent) else { return };
            let Some(wanted) = differential_id(layouts, held) else { return };
            let variants = &layouts.types.sums[tangents].variants;
            let Some(number) = variants.iter().position(|variant| variant.ty == wanted) else { return };
            let types = (layouts.types.get(held), layouts.types.get(wanted));
            let name = match types.0 {
                Type::Struct(id) => layouts.types.structs[id].name.clone(),
                _ => format_smolstr!("{number}"),
            };
            let mut inner = part.inner((1, 1), &format!("{{{name}}}"));
            inner.tags.push((part.slot, slots[part.slot]));
            inner.tangent_tags.push((part.tangent_slot, layouts.sum_tag(tangents, Some(number as u32))));
            pairs(layouts, slots, types, &inner, found);
        }
        Type::Handle(_) | Type::Opaque(_) => {}
    }
}

/// The differential of a type that has one.
fn differential(layouts: &Layouts<'_>, ty: TypeId) -> Option<Type> {
    match layouts.types.get(ty) {
        Type::Array { element, len } => {
            // The array type of the differential need not be interned; its size is that of its elements.
            let element_differential = differential_id(layouts, element)?;
            Some(Type::Array { element: element_differential, len })
        }
        _ => differential_id(layouts, ty).map(|ty| layouts.types.get(ty)),
    }
}

fn differential_id(layouts: &Layouts<'_>, ty: TypeId) -> Option<TypeId> {
    match layouts.types.get(ty) {
        Type::Array { .. } => layouts.types.find(differential(layouts, ty)?),
        Type::Struct(id) => layouts.types.structs[id].differential.as_ref().map(|differential| differential.ty),
        Type::Sum(id) => layouts.types.sums[id].differential,
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => {
            layouts.types.is_differentiable(ty).then_some(ty)
        }
    }
}

/// Slots of values and of tangents, where not every value has one: (first slot of the value, of its tangent).
fn offsets(layouts: &Layouts<'_>, values: &[(TypeId, bool)]) -> Vec<(usize, Option<(usize, Type)>)> {
    let (mut start, mut tangent_start) = (0, 0);
    let mut offsets = Vec::new();
    for &(ty, differentiable) in values {
        let tangent = if differentiable { differential(layouts, ty) } else { None };
        offsets.push((start, tangent.map(|tangent| (tangent_start, tangent))));
        start += layouts.slots(ty);
        tangent_start += tangent.map_or(0, |tangent| layouts.size(tangent).slots as usize);
    }
    offsets
}

fn inputs_of(module: &Module, func: FuncId) -> Vec<(TypeId, bool)> {
    module.funcs[func].inputs.iter().map(|input| (input.ty, input.differentiable)).collect()
}

fn results_of(module: &Module, func: FuncId) -> Vec<(TypeId, bool)> {
    module.funcs[func].results.iter().map(|result| (result.ty, result.differentiable)).collect()
}

fn derivative_size(layouts: &Layouts<'_>, values: &[(TypeId, bool)]) -> usize {
    let tangents = offsets(layouts, values).into_iter().filter_map(|(_, tangent)| tangent);
    tangents.map(|(_, tangent)| layouts.size(tangent).slots as usize).sum()
}

/// For each tangent, in order, its first slot among those of all and how many it has.
fn spans(layouts: &Layouts<'_>, values: &[(TypeId, bool)]) -> Vec<(usize, usize)> {
    let tangents = offsets(layouts, values).into_iter().filter_map(|(_, tangent)| tangent);
    tangents.map(|(start, tangent)| (start, layouts.size(tangent).slots as usize)).collect()
}

pub(super) fn tangent_spans(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> Vec<(usize, usize)> {
    spans(layouts, &inputs_of(module, func))
}

pub(super) fn cotangent_spans(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> Vec<(usize, usize)> {
    spans(layouts, &results_of(module, func))
}

/// Slots of all input tangents.
pub(super) fn tangent_size(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> usize {
    derivative_size(layouts, &inputs_of(module, func))
}

/// Slots of all result cotangents.
pub(super) fn cotangent_size(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> usize {
    derivative_size(layouts, &results_of(module, func))
}

/// The floats of the differentiable inputs, whose slots are given.
pub(super) fn components(module: &Module, layouts: &Layouts<'_>, func: FuncId, slots: &[u64]) -> Vec<Component> {
    let names = module.funcs[func].inputs.iter().map(|input| &input.name);
    all_components(layouts, &inputs_of(module, func), names, slots)
}

/// The floats of the differentiable results, whose slots are given.
pub(super) fn result_components(module: &Module, layouts: &Layouts<'_>, func: FuncId, slots: &[u64]) -> Vec<Component> {
    let names = module.funcs[func].results.iter().map(|result| &result.name);
    all_components(layouts, &results_of(module, func), names, slots)
}

fn all_components<'a>(
    layouts: &Layouts<'_>,
    values: &[(TypeId, bool)],
    names: impl Iterator<Item = &'a SmolStr>,
    slots: &[u64],
) -> Vec<Component> {
    let mut all = Vec::new();
    for (((slot, tangent), &(ty, _)), name) in offsets(layouts, values).into_iter().zip(values).zip(names) {
        let Some((tangent_slot, tangent)) = tangent else { continue };
        let whole = ValuePart { slot, tangent_slot, tags: Vec::new(), tangent_tags: Vec::new(), path: String::new() };
        let mut found = Vec::new();
        pairs(layouts, slots, (layouts.types.get(ty), tangent), &whole, &mut found);
        all.extend(found.into_iter().enumerate().map(|(component, part)| {
            let ValuePart { slot, tangent_slot, tags, tangent_tags, path } = part;
            let place = Coordinate { name: name.clone(), component, path };
            Component { slot, tangent_slot, tags, tangent_tags, place }
        }));
    }
    all
}

/// Differentiable inputs that have no float that can be moved, whatever their interface values hold.
pub(super) fn unmoved_inputs(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> Vec<SmolStr> {
    let slots: usize = inputs_of(module, func).iter().map(|(ty, _)| layouts.slots(*ty)).sum();
    let moved: Vec<SmolStr> =
        components(module, layouts, func, &vec![0; slots]).into_iter().map(|component| component.place.name).collect();
    let inputs = module.funcs[func].inputs.iter().filter(|input| input.differentiable);
    let unmoved = inputs.filter(|input| {
        let has_tangent = differential(layouts, input.ty).is_some_and(|tangent| layouts.size(tangent).slots > 0);
        has_tangent
            && !moved.contains(&input.name)
            && !has_interface(layouts, input.ty)
            && own_tangents_in(layouts, &input.name, input.ty).is_empty()
    });
    unmoved.map(|input| input.name.clone()).collect()
}

/// Whether a value has interface values with derivatives in it.
fn has_interface(layouts: &Layouts<'_>, ty: TypeId) -> bool {
    match layouts.types.get(ty) {
        Type::Sum(_) => layouts.types.is_differentiable(ty),
        Type::Array { element, .. } => has_interface(layouts, element),
        Type::Struct(id) => {
            let def = &layouts.types.structs[id];
            let Some(differential) = &def.differential else { return false };
            let fields = def.fields.iter().zip(&differential.fields);
            fields.filter(|(_, target)| target.is_some()).any(|(field, _)| has_interface(layouts, field.ty))
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => false,
    }
}

/// Differentiable inputs and results, and parts of them, whose types have tangents of their own, with these types.
pub(super) fn own_tangents(module: &Module, func: FuncId) -> Vec<(SmolStr, SmolStr)> {
    let layouts = Layouts::new(&module.types);
    let func = &module.funcs[func];
    let inputs = func.inputs.iter().filter(|input| input.differentiable).map(|input| (&input.name, input.ty));
    let results = func.results.iter().filter(|result| result.differentiable).map(|result| (&result.name, result.ty));
    let mut found: Vec<(SmolStr, SmolStr)> = Vec::new();
    for (name, ty) in inputs.chain(results) {
        for part in own_tangents_in(&layouts, name, ty) {
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}

fn own_tangents_in(layouts: &Layouts<'_>, name: &SmolStr, ty: TypeId) -> Vec<(SmolStr, SmolStr)> {
    match layouts.types.get(ty) {
        Type::Struct(id) if has_own_tangents(layouts.types, id) => {
            vec![(name.clone(), layouts.types.structs[id].name.clone())]
        }
        Type::Struct(id) => {
            let def = &layouts.types.structs[id];
            let Some(differential) = &def.differential else { return Vec::new() };
            let fields = def.fields.iter().zip(&differential.fields).filter(|(_, target)| target.is_some());
            fields
                .flat_map(|(field, _)| own_tangents_in(layouts, &format_smolstr!("{name}.{}", field.name), field.ty))
                .collect()
        }
        Type::Array { element, .. } => own_tangents_in(layouts, &format_smolstr!("{name}[]"), element),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => Vec::new(),
    }
}
