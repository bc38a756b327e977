//! Inputs: random ones, with the search for the domain of a function whose domain is not told, and those at the edges of
//! domains, where derivatives are singular or change.

use std::cell::Cell;

use ir::{FuncId, Module, Scalar, Type, number, types::StructId};
use smol_str::SmolStr;

use super::{
    buffers::Buffers,
    components::{number_slots, parts},
    point::Point,
};
use crate::layout::Layouts;

/// How the ranges of inputs are chosen that are not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    Around,
    Positive,
    /// Each input in a range of its own: what one function needs of its inputs may differ (`acosh(x) * asin(y)`).
    Each,
}

/// Ranges of which each is in the domain of many functions.
const RANGES: [(f64, f64); 7] =
    [(-2.0, 2.0), (0.05, 2.0), (-0.95, 0.95), (1.05, 3.0), (-3.0, -1.05), (0.05, 0.95), (2.0, 20.0)];

/// Samples outside of the domain after which it is searched for.
const PATIENCE: u32 = 3;

impl Search {
    pub(crate) fn of_try(number: u32, outside_domain: u32) -> Search {
        if outside_domain >= PATIENCE && !number.is_multiple_of(3) {
            Search::Each
        } else if number % 2 == 1 {
            Search::Positive
        } else {
            Search::Around
        }
    }
}

/// A range of floats, both ends included.
pub(super) type Range = (f64, f64);

/// A large change of a number that is told to be in a range: the width of that, at most 1.
pub(super) fn unit(told: Option<Range>) -> f64 {
    told.map(|(low, high)| high - low).filter(|width| *width > 0.0).unwrap_or(1.0).min(1.0)
}

/// Makes inputs for a function.
pub(super) struct Sampler<'a, 'm> {
    pub module: &'m Module,
    pub layouts: &'a Layouts<'m>,
    pub func: FuncId,
    pub ranges: &'a [(SmolStr, Range)],
    /// How many inputs were made before: in turn, interface values hold each type beside each other.
    pub turn: &'a Cell<usize>,
}

impl Sampler<'_, '_> {
    fn told_range(&self, name: &str) -> Option<Range> {
        self.ranges.iter().find(|(told, _)| told == name).map(|(_, range)| *range)
    }

    /// A change of an input, or of what a buffer holds, by as much is a large one.
    pub(crate) fn unit(&self, name: &str) -> f64 {
        unit(self.told_range(name))
    }

    /// Random inputs: floats and integers in the range that is told for them, small
    /// integers otherwise, any `bool`, each variant in turn, buffers with random content. The buffers
    /// are the same at each sample.
    pub(crate) fn random(&self, random: &mut fastrand::Rng, search: Search) -> (Point, Buffers) {
        let mut point = Point::new(Vec::new());
        let mut buffers = Buffers::default();
        let (layouts, mut turn) = (self.layouts, self.turn.get());
        self.turn.set(turn.wrapping_add(1));
        let pick = |told: Option<Range>, random: &mut fastrand::Rng| {
            told.unwrap_or_else(|| match search {
                Search::Around => (-2.0, 2.0),
                Search::Positive => (0.05, 2.0),
                Search::Each => RANGES[random.usize(0..RANGES.len())],
            })
        };
        for input in &self.module.funcs[self.func].inputs {
            let told = self.told_range(&input.name);
            let range = pick(told, random);
            let mut filler =
                Filler { layouts, random, range, told, turn: &mut turn, point: &mut point, buffers: &mut buffers };
            let mut slots = Vec::new();
            filler.push(self.module.types.get(input.ty), &input.name, &mut slots);
            point.slots.extend(slots);
        }
        let parameters = self.module.globals.iter().filter(|(_, global)| global.kind == ir::GlobalKind::Parameter);
        for (id, global) in parameters {
            let told = self.told_range(&global.name);
            let range = pick(told, random);
            let mut filler =
                Filler { layouts, random, range, told, turn: &mut turn, point: &mut point, buffers: &mut buffers };
            let mut slots = Vec::new();
            filler.push(self.module.types.get(global.ty), &global.name, &mut slots);
            point.memory.bind_slot(id, slots.first().copied().unwrap_or(0));
        }
        (point, buffers)
    }

    /// The floats of the inputs at a point, each with the range that was told for it.
    pub(crate) fn floats(&self, point: &Point) -> Vec<(usize, Option<Range>)> {
        let numbers = self.numbers(point).into_iter().filter(|(_, scalar, _)| scalar.is_float());
        numbers.map(|(slot, _, told)| (slot, told)).collect()
    }

    /// The floats and integers of the inputs at a point, each with the range that was told for it.
    pub(crate) fn numbers(&self, point: &Point) -> Vec<(usize, Scalar, Option<Range>)> {
        let inputs = self.module.funcs[self.func].inputs.iter().map(|input| (&input.name, input.ty));
        let numbers = number_slots(self.layouts, inputs, &point.slots).into_iter();
        numbers.map(|(slot, scalar, place)| (slot, scalar, self.told_range(&place.name))).collect()
    }
}

/// Where functions end, bend and turn.
const EDGES: [f64; 3] = [0.0, 1.0, -1.0];

/// What the other floats are when one is at an edge, every other time: in the domain of most functions.
const HALF: f64 = 0.5;

/// Moves random inputs to the edge number `number`: all floats to one of [`EDGES`], or to one number; some of them; one of
/// them, again and again, the others at random or all alike. What is told to be in a range goes to its nearest end. `None` if there is nothing to move.
pub(super) fn move_to_edge(
    number: usize,
    random: &mut fastrand::Rng,
    floats: &[(usize, Option<Range>)],
    point: &mut Point,
) -> Option<()> {
    let mut set = |(slot, range): (usize, Option<Range>), value: f64| {
        let (low, high) = range.unwrap_or((f64::MIN, f64::MAX));
        point.slots[slot] = value.clamp(low, high).to_bits();
    };
    // The ends of told ranges are far away from nothing.
    const ENDS: [f64; 2] = [f64::MIN, f64::MAX];
    let all = EDGES.len();
    match number {
        _ if floats.is_empty() => return None,
        number if number < all => floats.iter().for_each(|&float| set(float, EDGES[number])),
        number if number == all => {
            let value = random.f64() + 0.5;
            floats.iter().for_each(|&float| set(float, value));
        }
        number if number <= all + ENDS.len() => {
            let end = ENDS[number - all - 1];
            floats.iter().filter(|(_, range)| range.is_some()).for_each(|&float| set(float, end));
        }
        number if number <= all + ENDS.len() + 2 => {
            floats.iter().for_each(|&float| set(float, EDGES[random.usize(0..all)]));
        }
        number => {
            let number = number - (all + ENDS.len() + 3);
            let (round, one) = (number / (all * floats.len()), number % (all * floats.len()));
            // Exponents and the like are singular between the edges.
            if round % 2 == 1 {
                floats.iter().for_each(|&float| set(float, HALF));
            }
            set(floats[one / all], EDGES[one % all]);
        }
    }
    Some(())
}

struct Filler<'a, 'm> {
    layouts: &'a Layouts<'m>,
    random: &'a mut fastrand::Rng,
    range: Range,
    told: Option<Range>,
    turn: &'a mut usize,
    point: &'a mut Point,
    buffers: &'a mut Buffers,
}

impl Filler<'_, '_> {
    fn push(&mut self, ty: Type, path: &str, slots: &mut Vec<u64>) {
        let end = slots.len() + self.layouts.size(ty).slots as usize;
        match ty {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                while slots.len() < end {
                    slots.push(self.scalar(scalar));
                }
            }
            Type::Struct(id) if crate::tensor::tensor_view(self.layouts.types, id).is_some() => {
                self.tensor(id, path, slots)
            }
            Type::Struct(id) if is_place_pair(self.layouts, id) => self.place_pair(id, path, slots),
            Type::Array { .. } | Type::Struct(_) => {
                let first = self.buffers.all.len();
                let mut starts = Vec::new();
                let mut index = 0;
                while slots.len() < end {
                    let Some((part, _)) = self.layouts.part(ty, index) else { break };
                    starts.push(self.buffers.all.len());
                    let path = match ty {
                        Type::Struct(id) => {
                            format!("{path}.{}", self.layouts.types.structs[id].fields[index as usize].name)
                        }
                        _ => format!("{path}[{index}]"),
                    };
                    self.push(part, &path, slots);
                    index += 1;
                }
                if let Type::Struct(id) = ty
                    && self.buffers.all.len() > first
                {
                    let names: Vec<&str> =
                        self.layouts.types.structs[id].fields.iter().map(|field| field.name.as_str()).collect();
                    self.buffers.pair_fields(&names, &starts, self.point);
                }
            }
            Type::Sum(id) => {
                let variants = &self.layouts.types.sums[id].variants;
                if !variants.is_empty() {
                    let number = *self.turn % variants.len();
                    *self.turn /= variants.len();
                    slots.push(self.layouts.sum_tag(id, Some(number as u32)));
                    self.push(self.layouts.types.get(variants[number].ty), path, slots);
                }
            }
            Type::Handle(ir::HandleType::ConstantBuffer { content }) => {
                let mut content_slots = Vec::new();
                self.push(self.layouts.types.get(content), path, &mut content_slots);
                slots.push(self.point.memory.add_constant(content_slots).to_slot());
            }
            Type::Handle(handle) => {
                let (buffers, random, range) = (&mut *self.buffers, &mut *self.random, self.range);
                slots.push(buffers.allocate(self.layouts, handle, path, self.point, &mut || uniform(random, range)));
            }
            Type::Opaque(_) => {}
        }
        slots.resize(end, 0);
    }

    /// A place with its place for derivatives: they lie alike, so that one is found where the other is.
    fn place_pair(&mut self, id: StructId, path: &str, slots: &mut Vec<u64>) {
        let fields = parts(self.layouts, Type::Struct(id));
        let &[(place, at), (derivatives, derivatives_at)] = fields.as_slice() else { return };
        let start = slots.len();
        let first = self.buffers.all.len();
        self.push(place, path, slots);
        let second = self.buffers.all.len();
        self.push(derivatives, &format!("{path}.d"), slots);
        let (from, to) = ((place, start + at), (derivatives, start + derivatives_at));
        copy_integers(self.layouts, from, to, slots);
        self.buffers.pair_fields(&["p", "d"], &[first, second], self.point);
    }

    fn scalar(&mut self, scalar: Scalar) -> u64 {
        match scalar {
            Scalar::Bool => self.random.u64(0..2),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => uniform(self.random, self.range).to_bits(),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => match self.told {
                Some(told) => integer(self.random, told, scalar),
                None => self.random.u64(0..super::buffers::LENGTH),
            },
        }
    }

    /// A view of a buffer with as many elements along each of the first dimensions as integers are tried for indices.
    fn tensor(&mut self, id: ir::types::StructId, path: &str, slots: &mut Vec<u64>) {
        let Some(view) = crate::tensor::tensor_view(self.layouts.types, id) else { return };
        let fields = &self.layouts.types.structs[id].fields;
        let Type::Handle(handle) = self.layouts.types.get(fields[0].ty) else { return };
        let dimensions = view.dimensions.min(super::buffers::DIMENSIONS);
        let sizes = vec![super::buffers::LENGTH as u32; dimensions];
        let bytes = self.layouts.size(self.layouts.types.get(view.element)).stride() as u32;
        let strides = view.strides(bytes, &sizes).unwrap_or_default();
        let (buffers, random, range) = (&mut *self.buffers, &mut *self.random, self.range);
        slots.push(buffers.allocate_tensor(self.layouts, handle, path, self.point, &mut || uniform(random, range)));
        let padded = |numbers: &[u32]| {
            let mut numbers: Vec<u64> = numbers.iter().map(|&number| number.into()).collect();
            numbers.resize(view.dimensions, 0);
            numbers
        };
        slots.extend(padded(&strides));
        slots.extend(padded(&sizes));
        slots.push(dimensions as u64);
    }
}

/// Whether a struct is the pair of a place and its place for derivatives, rather than one of numbers: the place has memory, or
/// says by integers alone where in the program's own it is.
fn is_place_pair(layouts: &Layouts<'_>, id: StructId) -> bool {
    let fields = &layouts.types.structs[id].fields;
    let [p, d] = fields.as_slice() else { return false };
    let has = |test: fn(Type) -> bool| any_part(layouts, layouts.types.get(p.ty), test);
    let is_number = |ty| match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.is_float(),
        Type::Sum(_) | Type::Opaque(_) => true,
        Type::Handle(_) | Type::Struct(_) | Type::Array { .. } => false,
    };
    p.name == "p" && d.name == "d" && (has(|ty| matches!(ty, Type::Handle(_))) || !has(is_number))
}

/// Whether `test` holds for a part of a type that is no aggregate.
fn any_part(layouts: &Layouts<'_>, ty: Type, test: fn(Type) -> bool) -> bool {
    match ty {
        Type::Struct(id) => {
            let fields = &layouts.types.structs[id].fields;
            fields.iter().any(|field| any_part(layouts, layouts.types.get(field.ty), test))
        }
        Type::Array { element, .. } => any_part(layouts, layouts.types.get(element), test),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => test(ty),
    }
}

/// Copies offsets and the like from one value to what is called like them in another one, each given with its first slot.
fn copy_integers(layouts: &Layouts<'_>, from: (Type, usize), to: (Type, usize), slots: &mut [u64]) {
    match (from.0, to.0) {
        (Type::Scalar(a) | Type::Vector { scalar: a, .. }, _) if from.0 == to.0 && !a.is_float() => {
            let size = layouts.size(from.0).slots as usize;
            if from.1 + size <= slots.len() && to.1 + size <= slots.len() {
                slots.copy_within(from.1..from.1 + size, to.1);
            }
        }
        (Type::Struct(a), Type::Struct(b)) => {
            let (fields, targets) = (&layouts.types.structs[a].fields, &layouts.types.structs[b].fields);
            let (parts, target_parts) = (parts(layouts, from.0), parts(layouts, to.0));
            for (field, (part, at)) in fields.iter().zip(parts) {
                let target = targets.iter().zip(&target_parts).find(|(target, _)| target.name == field.name);
                if let Some((_, &(target, target_at))) = target {
                    copy_integers(layouts, (part, from.1 + at), (target, to.1 + target_at), slots);
                }
            }
        }
        (Type::Array { .. }, Type::Array { .. }) => {
            for ((part, at), (target, target_at)) in parts(layouts, from.0).into_iter().zip(parts(layouts, to.0)) {
                copy_integers(layouts, (part, from.1 + at), (target, to.1 + target_at), slots);
            }
        }
        _ => {}
    }
}

/// A whole number in a range, or, if there is none, the nearest to it.
fn integer(random: &mut fastrand::Rng, (low, high): Range, scalar: Scalar) -> u64 {
    let (low, high) = (low.ceil() as i64, high.floor() as i64);
    number::wrap(scalar, random.i64(low..=high.max(low)) as u64)
}

fn uniform(random: &mut fastrand::Rng, (low, high): Range) -> f64 {
    low + random.f64() * (high - low)
}
