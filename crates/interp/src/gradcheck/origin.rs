//! Where a derivative that is not finite comes from. A run makes many numbers that are not finite, and not all of them go
//! where one looks: what goes into a `select` that takes the other side does no harm. So the run is done again with what
//! such operations make taken as zero, on the same way through the code: if the derivative is finite then, it comes from one
//! of them.

use ir::{FuncId, SpanId};

use super::{
    Origin,
    point::{Point, Spot},
};
use crate::{Machine, non_finite::Birth};

/// The first operation of a run from `start` without whose result `place` would be finite at the end.
pub(super) fn find(machine: &mut Machine<'_>, func: FuncId, start: &Point, place: Spot) -> Option<Origin> {
    let mut point = start.clone();
    let (_, mut births, decisions) = machine.call_watched(func, &point.slots, &mut point.memory, &[], None).ok()?;
    let mut run = |suppressed: &[usize]| -> Option<(bool, Vec<Birth>)> {
        let (mut point, decisions) = (start.clone(), Some(decisions.clone()));
        let (slots, births, _) =
            machine.call_watched(func, &point.slots, &mut point.memory, suppressed, decisions).ok()?;
        Some((Point { slots, memory: point.memory }.get(place).is_finite(), births))
    };
    // Suppressing an operation changes none before it, so that the numbers of those stay.
    let mut suppressed = Vec::new();
    loop {
        let next = suppressed.len();
        if next >= births.len() {
            return None;
        }
        suppressed.push(next);
        let (is_finite, now) = run(&suppressed)?;
        births = now;
        if is_finite {
            break;
        }
    }
    // The first of them that is enough.
    for number in 0..suppressed.len() {
        let others: Vec<usize> = suppressed.iter().copied().filter(|&other| other != number).collect();
        if !run(&others)?.0 {
            let Birth { op, spans, operands, value, at_pole } = births.into_iter().nth(number)?;
            return Some(Origin { op, spans, operands, value, cause: at_pole });
        }
    }
    None
}

/// [`find`] in a derivative, with what the function itself computes at that place of the source from the inputs `primal`:
/// people know `sqrt(x)` at 0, and not the division that its derivative has.
pub(super) fn find_in_derivative(
    machine: &mut Machine<'_>,
    (func, start): (FuncId, &Point),
    place: Spot,
    (function, primal): (FuncId, &Point),
) -> Option<Origin> {
    let mut origin = find(machine, func, start, place)?;
    let at_pole = origin.spans.last().filter(|span| **span != SpanId::NONE).and_then(|&span| {
        let mut point = primal.clone();
        let evaluation = machine.call_looking_at(function, &point.slots, &mut point.memory, span)?;
        evaluation.pole.is_some().then_some(evaluation)
    });
    origin.cause = at_pole.or(origin.cause);
    Some(origin)
}
