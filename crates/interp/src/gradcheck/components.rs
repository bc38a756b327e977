//! The floats of inputs and results that have derivatives, and where those are in tangents.
//!
//! Tangents have the differential types of the inputs. Components of a value and of its tangent belong together by the
//! structure of the types: equal for floats, vectors and matrices, element by element for arrays, and as the struct's
//! [`ir::Differential`] maps its fields.

use ir::{FuncId, Module, Scalar, Type, TypeId};
use smol_str::{SmolStr, format_smolstr};

use super::Place;
use crate::layout::Layouts;

/// A float of an input that can be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Component {
    /// Among the slots of all inputs.
    pub input_slot: usize,
    /// Among the slots of all tangents.
    pub tangent_slot: usize,
    pub place: Place,
}

/// A float of a result that has a tangent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultDerivative {
    /// Among the slots of all results.
    pub result_slot: usize,
    /// Among the slots of all result tangents, or cotangents.
    pub tangent_slot: usize,
    pub place: Place,
}

/// The slots of floats in consecutive values, each with its place.
pub(super) fn float_slots<'a>(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = (&'a SmolStr, TypeId)>,
) -> Vec<(usize, Place)> {
    let floats = number_slots(layouts, values).into_iter().filter(|(_, scalar, _)| scalar.is_float());
    floats.map(|(slot, _, place)| (slot, place)).collect()
}

/// The slots of floats and integers in consecutive values, each with its type and its place.
pub(super) fn number_slots<'a>(
    layouts: &Layouts<'_>,
    values: impl Iterator<Item = (&'a SmolStr, TypeId)>,
) -> Vec<(usize, Scalar, Place)> {
    let mut numbers = Vec::new();
    let mut start = 0;
    for (name, ty) in values {
        let mut slots = Vec::new();
        let ty_of = layouts.types.get(ty);
        collect_numbers(layouts, ty_of, start, &mut slots);
        let mut floats = 0;
        for (slot, scalar) in slots {
            let place = Place { name: name.clone(), component: floats, path: path(layouts, ty_of, slot - start) };
            floats += usize::from(scalar.is_float());
            numbers.push((slot, scalar, place));
        }
        start += layouts.slots(ty);
    }
    numbers
}

fn collect_numbers(layouts: &Layouts<'_>, ty: Type, start: usize, slots: &mut Vec<(usize, Scalar)>) {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            if scalar != Scalar::Bool {
                slots.extend((start..start + layouts.size(ty).slots as usize).map(|slot| (slot, scalar)));
            }
        }
        Type::Array { .. } | Type::Struct(_) => {
            for (part, offset) in parts(layouts, ty) {
                collect_numbers(layouts, part, start + offset, slots);
            }
        }
        // Which slots are numbers depends on the variant.
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {}
    }
}

/// How the slot of a value is spelled behind its name: `.direction.y`, `[2]`.
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

/// The path inside value `number` of a slot among those of all values.
fn path_in(layouts: &Layouts<'_>, values: &[(TypeId, bool)], number: usize, slot: usize) -> String {
    let start: usize = values[..number].iter().map(|(ty, _)| layouts.slots(*ty)).sum();
    path(layouts, layouts.types.get(values[number].0), slot - start)
}

/// The parts of an array or struct with their first slots.
fn parts(layouts: &Layouts<'_>, ty: Type) -> Vec<(Type, usize)> {
    if layouts.size(ty).slots == 0 {
        return Vec::new();
    }
    (0..).map_while(|index| layouts.part(ty, index)).map(|(part, offset)| (part, offset.slots as usize)).collect()
}

/// Pairs of slots of a value and of its tangent.
fn pairs(layouts: &Layouts<'_>, ty: Type, tangent: Type, at: (usize, usize), found: &mut Vec<(usize, usize)>) {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
            found.extend((0..layouts.size(ty).slots as usize).map(|slot| (at.0 + slot, at.1 + slot)));
        }
        Type::Array { .. } => {
            for ((part, offset), (tangent, tangent_offset)) in
                parts(layouts, ty).into_iter().zip(parts(layouts, tangent))
            {
                pairs(layouts, part, tangent, (at.0 + offset, at.1 + tangent_offset), found);
            }
        }
        Type::Struct(id) => {
            let Some(differential) = &layouts.types.structs[id].differential else { return };
            for ((part, offset), target) in parts(layouts, ty).into_iter().zip(&differential.fields) {
                let target = target.and_then(|target| layouts.part(tangent, target.into()));
                if let Some((tangent, tangent_offset)) = target {
                    pairs(layouts, part, tangent, (at.0 + offset, at.1 + tangent_offset.slots as usize), found);
                }
            }
        }
        Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {}
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

/// Pairs of slots over consecutive values: (value's number, number inside it, its slot, its tangent's slot).
fn all_pairs(layouts: &Layouts<'_>, values: &[(TypeId, bool)]) -> Vec<(usize, usize, usize, usize)> {
    let mut all = Vec::new();
    for (number, (start, tangent)) in offsets(layouts, values).into_iter().enumerate() {
        let Some((tangent_start, tangent)) = tangent else { continue };
        let mut found = Vec::new();
        pairs(layouts, layouts.types.get(values[number].0), tangent, (start, tangent_start), &mut found);
        all.extend(
            found.into_iter().enumerate().map(|(component, (slot, tangent))| (number, component, slot, tangent)),
        );
    }
    all
}

/// The floats of the differentiable inputs.
pub(super) fn components(module: &Module, func: FuncId) -> Vec<Component> {
    let layouts = Layouts::new(&module.types);
    let values = inputs_of(module, func);
    let pairs = all_pairs(&layouts, &values);
    let name = |number: usize| module.funcs[func].inputs[number].name.clone();
    pairs
        .into_iter()
        .map(|(number, component, input_slot, tangent_slot)| Component {
            input_slot,
            tangent_slot,
            place: Place { name: name(number), component, path: path_in(&layouts, &values, number, input_slot) },
        })
        .collect()
}

/// The floats of the differentiable results.
pub(super) fn result_derivatives(module: &Module, layouts: &Layouts<'_>, func: FuncId) -> Vec<ResultDerivative> {
    let name = |number: usize| module.funcs[func].results[number].name.clone();
    let values = results_of(module, func);
    all_pairs(layouts, &values)
        .into_iter()
        .map(|(number, component, result_slot, tangent_slot)| ResultDerivative {
            result_slot,
            tangent_slot,
            place: Place { name: name(number), component, path: path_in(layouts, &values, number, result_slot) },
        })
        .collect()
}

/// Differentiable inputs that have no component that can be moved, and parts of inputs whose slots mean something else with
/// each type that they may hold: interface values.
pub(super) fn unmoved_inputs(module: &Module, func: FuncId) -> Vec<SmolStr> {
    let moved: Vec<SmolStr> = components(module, func).into_iter().map(|component| component.place.name).collect();
    let layouts = Layouts::new(&module.types);
    let inputs = module.funcs[func].inputs.iter().filter(|input| input.differentiable);
    let unmoved = inputs.flat_map(|input| match interface_parts(&layouts, &input.name, input.ty) {
        parts if !parts.is_empty() => parts,
        _ if moved.contains(&input.name) => Vec::new(),
        _ => vec![input.name.clone()],
    });
    unmoved.collect()
}

/// Differentiable results, and parts of them, that are interface values.
pub(super) fn uncompared_results(module: &Module, func: FuncId) -> Vec<SmolStr> {
    let layouts = Layouts::new(&module.types);
    let results = module.funcs[func].results.iter().filter(|result| result.differentiable);
    results.flat_map(|result| interface_parts(&layouts, &result.name, result.ty)).collect()
}

/// The places of interface values with derivatives in a value.
fn interface_parts(layouts: &Layouts<'_>, name: &SmolStr, ty: TypeId) -> Vec<SmolStr> {
    let mut slots = Vec::new();
    collect_interfaces(layouts, ty, layouts.types.get(ty), 0, &mut slots);
    let spelled = |slot: usize| format_smolstr!("{name}{}", path(layouts, layouts.types.get(ty), slot));
    slots.into_iter().map(spelled).collect()
}

fn collect_interfaces(layouts: &Layouts<'_>, id: TypeId, ty: Type, start: usize, slots: &mut Vec<usize>) {
    match ty {
        Type::Sum(_) => slots.extend(layouts.types.is_differentiable(id).then_some(start)),
        Type::Array { element, .. } => {
            for (part, offset) in parts(layouts, ty) {
                collect_interfaces(layouts, element, part, start + offset, slots);
            }
        }
        Type::Struct(def) => {
            let def = &layouts.types.structs[def];
            let Some(differential) = &def.differential else { return };
            let fields = def.fields.iter().zip(&differential.fields);
            for ((field, target), (part, offset)) in fields.zip(parts(layouts, ty)) {
                if target.is_some() {
                    collect_interfaces(layouts, field.ty, part, start + offset, slots);
                }
            }
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => {}
    }
}
