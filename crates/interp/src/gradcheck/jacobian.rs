//! All derivatives of a function at one point, by batched tangents: many columns for one run of the primal. What has a
//! backward derivative alone gives them row by row.

use autodiff::{AutodiffError, batch::batched_jvp};
use ir::{DerivativeKind, FuncId, number::Precision, verify::VerifiedModule};

use super::{Coordinate, components};
use crate::{InterpError, Limits, Machine, Memory, Value, layout::Layouts, value::to_slots};

/// Columns that are computed together.
const DIRECTIONS: usize = 8;

/// The derivative of each float of the results by each float of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobian {
    /// The rows.
    pub results: Vec<Coordinate>,
    /// The columns.
    pub inputs: Vec<Coordinate>,
    /// The values of the results.
    pub values: Vec<f64>,
    /// For each result the derivatives by the inputs.
    pub rows: Vec<Vec<f64>>,
}

/// Why there is no Jacobian.
#[derive(Debug, Clone, PartialEq)]
pub enum JacobianError {
    /// There is no forward derivative, nor a backward one.
    Derivative(AutodiffError),
    /// The function or its derivative does not run at these arguments.
    Run(InterpError),
}

impl std::fmt::Display for JacobianError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JacobianError::Derivative(error) => error.fmt(f),
            JacobianError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for JacobianError {}

/// Slots of several tangents in an argument list in which each tangent is an array of all directions.
struct Batched {
    spans: Vec<(usize, usize)>,
    directions: usize,
}

impl Batched {
    fn size(&self) -> usize {
        self.spans.iter().map(|(_, size)| size * self.directions).sum()
    }

    /// Where the slot of one direction is that would be at `slot` if there were one direction alone.
    fn slot(&self, slot: usize, direction: usize) -> usize {
        let span = self.spans.iter().find(|(start, size)| (*start..start + size).contains(&slot));
        let (start, size) = span.copied().unwrap_or((0, 0));
        start * self.directions + direction * size + (slot - start)
    }
}

/// The Jacobian of a function at `args`, in double precision.
pub fn jacobian(
    module: &VerifiedModule,
    func: FuncId,
    args: &[Value],
    limits: Limits,
) -> Result<Jacobian, JacobianError> {
    let count = components::components(module, &Layouts::new(&module.types), func, &[]).len();
    let directions = count.clamp(1, DIRECTIONS);
    let mut derived = module.clone();
    derived.set_precision(Precision::F64);
    let errors = match batched_jvp(&mut derived, func, directions as u32) {
        Ok(batched) => return by_columns(&derived, func, batched, directions, args, limits),
        Err(errors) => errors,
    };
    let mut derived = module.clone();
    derived.set_precision(Precision::F64);
    let backward = autodiff::derivatives(&mut derived, &[(DerivativeKind::Vjp, func)]);
    if let Some(&vjp) = backward.as_ref().ok().and_then(|made| made.first()) {
        return by_rows(&derived, func, vjp, args, limits);
    }
    let first = errors.into_iter().next();
    Err(first
        .map_or(JacobianError::Run(InterpError::NoBody(module.funcs[func].name.clone())), JacobianError::Derivative))
}

/// The slots of `args`, if these fit.
fn slots_of(
    module: &VerifiedModule,
    func: FuncId,
    args: &[Value],
    memory: &mut Memory,
) -> Result<Vec<u64>, JacobianError> {
    let layouts = Layouts::new(&module.types);
    let wrong = || JacobianError::Run(InterpError::ArgumentMismatch(module.funcs[func].name.clone()));
    if args.len() != module.funcs[func].inputs.len() {
        return Err(wrong());
    }
    let mut slots = Vec::new();
    for (input, arg) in module.funcs[func].inputs.iter().zip(args) {
        let ty = module.types.get(input.ty);
        if !to_slots(&layouts, Precision::F64, memory, ty, arg, &mut slots) {
            return Err(wrong());
        }
    }
    Ok(slots)
}

fn by_columns(
    module: &VerifiedModule,
    func: FuncId,
    batched: FuncId,
    directions: usize,
    args: &[Value],
    limits: Limits,
) -> Result<Jacobian, JacobianError> {
    let layouts = Layouts::new(&module.types);
    let slots = slots_of(module, func, args, &mut Memory::default())?;
    let inputs = components::components(module, &layouts, func, &[]);
    let results = components::result_components(module, &layouts, func, &[]);
    let tangents = Batched { spans: components::tangent_spans(module, &layouts, func), directions };
    let of_results = Batched { spans: components::cotangent_spans(module, &layouts, func), directions };
    let mut machine = Machine::new(module, Precision::F64, limits);
    let mut rows = vec![vec![0.0; inputs.len()]; results.len()];
    // The primal of a derivative may be another one, such as a substitute: the values are those of the function itself.
    let found = machine.call_slots(func, &slots, &mut Memory::default()).map_err(JacobianError::Run)?;
    let values = results.iter().map(|result| f64::from_bits(found[result.slot])).collect();
    for first in (0..inputs.len().max(1)).step_by(directions) {
        let columns = &inputs[first.min(inputs.len())..inputs.len().min(first + directions)];
        let mut all = slots.clone();
        all.resize(slots.len() + tangents.size(), 0);
        for (direction, column) in columns.iter().enumerate() {
            all[slots.len() + tangents.slot(column.tangent_slot, direction)] = 1f64.to_bits();
        }
        let found = machine.call_slots(batched, &all, &mut Memory::default()).map_err(JacobianError::Run)?;
        let primal = found.len().saturating_sub(of_results.size());
        for (row, result) in rows.iter_mut().zip(&results) {
            for direction in 0..columns.len() {
                let slot = primal + of_results.slot(result.tangent_slot, direction);
                row[first + direction] = f64::from_bits(found[slot]);
            }
        }
    }
    Ok(Jacobian::new(results, inputs, values, rows))
}

/// By one run of the backward derivative for each result.
fn by_rows(
    module: &VerifiedModule,
    func: FuncId,
    vjp: FuncId,
    args: &[Value],
    limits: Limits,
) -> Result<Jacobian, JacobianError> {
    let layouts = Layouts::new(&module.types);
    let slots = slots_of(module, func, args, &mut Memory::default())?;
    let inputs = components::components(module, &layouts, func, &[]);
    let results = components::result_components(module, &layouts, func, &[]);
    let size = components::cotangent_size(module, &layouts, func);
    let mut machine = Machine::new(module, Precision::F64, limits);
    let mut run =
        |func, slots: &[u64]| machine.call_slots(func, slots, &mut Memory::default()).map_err(JacobianError::Run);
    let primal = run(func, &slots)?;
    let values = results.iter().map(|result| f64::from_bits(primal[result.slot])).collect();
    let mut rows = Vec::new();
    for result in &results {
        let mut seeded = slots.clone();
        seeded.resize(slots.len() + size, 0);
        seeded[slots.len() + result.tangent_slot] = 1f64.to_bits();
        let found = run(vjp, &seeded)?;
        rows.push(inputs.iter().map(|input| f64::from_bits(found[input.tangent_slot])).collect());
    }
    Ok(Jacobian::new(results, inputs, values, rows))
}

impl Jacobian {
    fn new(
        results: Vec<components::Component>,
        inputs: Vec<components::Component>,
        values: Vec<f64>,
        rows: Vec<Vec<f64>>,
    ) -> Jacobian {
        let places = |parts: Vec<components::Component>| parts.into_iter().map(|part| part.place).collect();
        Jacobian { results: places(results), inputs: places(inputs), values, rows }
    }
}
