//! Random inputs, and the search for the domain of a function whose domain is not told.

use ir::{FuncId, Module, Scalar, Type};
use smol_str::SmolStr;

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
    pub fn of_try(number: u32, outside_domain: u32) -> Search {
        if outside_domain >= PATIENCE && !number.is_multiple_of(3) {
            Search::Each
        } else if number % 2 == 1 {
            Search::Positive
        } else {
            Search::Around
        }
    }
}

/// Slots of inputs for a function: floats in their range, small integers, any `bool`, null handles, any variant.
pub(super) fn inputs(
    module: &Module,
    func: FuncId,
    random: &mut fastrand::Rng,
    search: Search,
    ranges: &[(SmolStr, (f64, f64))],
) -> Vec<u64> {
    let layouts = Layouts::new(&module.types);
    let mut slots = Vec::new();
    for input in &module.funcs[func].inputs {
        let given = ranges.iter().find(|(name, _)| *name == input.name).map(|(_, range)| *range);
        let range = given.unwrap_or_else(|| match search {
            Search::Around => (-2.0, 2.0),
            Search::Positive => (0.05, 2.0),
            Search::Each => RANGES[random.usize(0..RANGES.len())],
        });
        push(&layouts, module.types.get(input.ty), random, range, &mut slots);
    }
    slots
}

fn push(layouts: &Layouts<'_>, ty: Type, random: &mut fastrand::Rng, range: (f64, f64), slots: &mut Vec<u64>) {
    let end = slots.len() + layouts.size(ty).slots as usize;
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            while slots.len() < end {
                slots.push(match scalar {
                    Scalar::Bool => random.u64(0..2),
                    Scalar::F16 | Scalar::F32 | Scalar::F64 => (range.0 + random.f64() * (range.1 - range.0)).to_bits(),
                    Scalar::I8
                    | Scalar::I16
                    | Scalar::I32
                    | Scalar::I64
                    | Scalar::U8
                    | Scalar::U16
                    | Scalar::U32
                    | Scalar::U64 => random.u64(0..8),
                });
            }
        }
        Type::Array { .. } | Type::Struct(_) => {
            let mut index = 0;
            while slots.len() < end {
                let Some((part, _)) = layouts.part(ty, index) else { break };
                push(layouts, part, random, range, slots);
                index += 1;
            }
        }
        Type::Sum(id) => {
            let variants = &layouts.types.sums[id].variants;
            if !variants.is_empty() {
                let number = random.usize(0..variants.len());
                slots.push(layouts.sum_tag(id, Some(number as u32)));
                push(layouts, layouts.types.get(variants[number].ty), random, range, slots);
            }
        }
        Type::Handle(_) | Type::Opaque(_) => {}
    }
    slots.resize(end, 0);
}
