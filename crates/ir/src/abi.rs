//! The calling convention: what the results of a function are to its caller, in which order a language with directions
//! lists its parameters, and what derivatives take and give. Nothing here is told from names.

use smol_str::{SmolStr, format_smolstr};

use crate::{DerivativeKind, Input, ResultSlot, SpanId, TypeId, types::TypeTable};

/// What a result is. All but the return value are parameters in a language with directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The value of the call; the first result, if there is one.
    Return,
    /// An `out` parameter.
    Out,
    /// The value that an `inout` parameter has at the end; the input with this number is the one that it has at the
    /// start. The derivative of such a parameter is one itself.
    InOut(u32),
    /// Whether the function threw.
    Failed,
    /// What the function threw, if it did.
    Error,
    /// What a pullback needs of the run of its primal.
    Residuals,
    /// Of the result with this number.
    Tangent(u32),
    /// Of the input with this number.
    Cotangent(u32),
}

/// The place of a parameter that comes after all that the user wrote.
pub const LAST: u32 = u32::MAX;

/// A row of inputs or results of a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The inputs of the function.
    Inputs,
    /// The results of the function.
    Results,
    /// The derivatives of its differentiable inputs.
    OfInputs,
    /// The derivatives of its differentiable results.
    OfResults,
    /// The inputs of the function that its way back reads.
    KeptInputs,
    /// The residual record, if there is one.
    Residuals,
    /// Cotangents of inputs so far, to which the way back adds.
    Accumulated,
}

/// What the way back of a function needs of its run.
///
/// A caller inside a derivative hands the inputs in again, so that each of them is kept, computed again or there anyway,
/// whatever is best for the caller. A context, which a user may hold in hand, is a record of all that the way back needs:
/// it reads no inputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// The inputs that it reads, by number, in rising order.
    pub inputs: Vec<u32>,
    /// The type of the record of what else it needs, if it needs anything else.
    pub record: Option<TypeId>,
    /// The inputs, by number, in rising order, to whose cotangents it adds: arrays of which it reaches elements by computed
    /// indices. The caller hands in what it has of them so far, instead of adding whole arrays afterwards.
    pub accumulated: Vec<u32>,
}

/// What a derivative takes.
pub fn takes(kind: DerivativeKind) -> &'static [Row] {
    match kind {
        DerivativeKind::Jvp => &[Row::Inputs, Row::OfInputs],
        DerivativeKind::Vjp => &[Row::Inputs, Row::OfResults],
        DerivativeKind::Primal | DerivativeKind::Apply => &[Row::Inputs],
        DerivativeKind::Pullback => &[Row::KeptInputs, Row::Residuals, Row::Accumulated, Row::OfResults],
        DerivativeKind::Propagate => &[Row::Residuals, Row::OfResults],
    }
}

/// What a derivative returns.
pub fn gives(kind: DerivativeKind) -> &'static [Row] {
    match kind {
        DerivativeKind::Jvp => &[Row::Results, Row::OfResults],
        DerivativeKind::Vjp | DerivativeKind::Pullback | DerivativeKind::Propagate => &[Row::OfInputs],
        DerivativeKind::Primal | DerivativeKind::Apply => &[Row::Results, Row::Residuals],
    }
}

/// Inputs and results of a derivative of a function with these inputs and results. Derivatives stand where what they
/// are derivatives of stands; that of the return value stands last. `kept` matters for the halves of reverse mode.
pub fn derivative(
    types: &TypeTable,
    kind: DerivativeKind,
    (inputs, results): (&[Input], &[ResultSlot]),
    kept: &Kept,
    span: SpanId,
) -> (Vec<Input>, Vec<ResultSlot>) {
    let mut primal = Primal { types, kind, inputs, results, kept, span };
    let taken: Vec<Slot> = takes(kind).iter().flat_map(|&part| primal.part(part)).collect();
    let given: Vec<Slot> = gives(kind).iter().flat_map(|&part| primal.part(part)).collect();
    let results = given.iter().map(|slot| ResultSlot {
        name: slot.name.clone(),
        ty: slot.ty,
        differentiable: slot.differentiable,
        role: primal.role(slot, &taken),
        place: slot.place,
    });
    let results = results.collect();
    let inputs = taken.into_iter().map(|slot| Input {
        name: slot.name,
        ty: slot.ty,
        differentiable: slot.differentiable,
        place: slot.place,
        span: slot.span,
    });
    (inputs.collect(), results)
}

/// An input or a result of a derivative.
struct Slot {
    name: SmolStr,
    ty: TypeId,
    differentiable: bool,
    place: u32,
    span: SpanId,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Itself(Role),
    OfInput(u32),
    OfResult(u32),
    /// The cotangent of an input so far.
    Accumulated(u32),
}

struct Primal<'a> {
    types: &'a TypeTable,
    kind: DerivativeKind,
    inputs: &'a [Input],
    results: &'a [ResultSlot],
    kept: &'a Kept,
    span: SpanId,
}

impl Primal<'_> {
    fn part(&mut self, part: Row) -> Vec<Slot> {
        let (inputs, results) = (self.inputs, self.results);
        match part {
            Row::Inputs => inputs.iter().map(Slot::itself).collect(),
            Row::KeptInputs => {
                self.kept.inputs.iter().filter_map(|&index| inputs.get(index as usize)).map(Slot::itself).collect()
            }
            Row::Results => results.iter().map(|slot| self.of_result(slot, What::Itself(slot.role))).collect(),
            Row::OfInputs => {
                let differentiable = inputs.iter().enumerate().filter(|(_, input)| input.differentiable);
                differentiable
                    .filter_map(|(index, input)| self.of(Slot::of_input(input, What::OfInput(index as u32))))
                    .collect()
            }
            Row::OfResults => {
                let differentiable = results.iter().enumerate().filter(|(_, slot)| slot.differentiable);
                differentiable
                    .filter_map(|(index, slot)| self.of(self.of_result(slot, What::OfResult(index as u32))))
                    .collect()
            }
            Row::Accumulated => {
                let accumulated = self.kept.accumulated.iter();
                accumulated
                    .filter_map(|&index| self.of(Slot::of_input(inputs.get(index as usize)?, What::Accumulated(index))))
                    .collect()
            }
            Row::Residuals => self.kept.record.into_iter().map(|record| self.residuals(record)).collect(),
        }
    }

    fn of_result(&self, slot: &ResultSlot, what: What) -> Slot {
        let ResultSlot { name, ty, differentiable, place, .. } = slot.clone();
        Slot { name, ty, differentiable, place, span: self.span, what }
    }

    fn residuals(&self, record: TypeId) -> Slot {
        // The first of the inputs, the last of the results.
        let place = if takes(self.kind).contains(&Row::Residuals) { 0 } else { LAST };
        let differentiable = self.types.is_differentiable(record);
        let what = What::Itself(Role::Residuals);
        Slot { name: "residuals".into(), ty: record, differentiable, place, span: self.span, what }
    }

    /// The derivative of what `slot` is.
    fn of(&mut self, slot: Slot) -> Option<Slot> {
        let ty = self.types.differential_of(slot.ty)?;
        let suffix = if self.kind == DerivativeKind::Jvp { "tangent" } else { "cotangent" };
        let name = format_smolstr!("{}_{suffix}", slot.name);
        Some(Slot { name, ty, differentiable: self.types.is_differentiable(ty), ..slot })
    }

    /// The role of a result of the derivative that takes `taken`.
    fn role(&self, slot: &Slot, taken: &[Slot]) -> Role {
        // What goes in where this comes out, if it is the derivative of an `inout` parameter, or a sum that goes on.
        let (partner, apart) = match slot.what {
            What::Itself(role) => return role,
            What::OfInput(input) => {
                let result = self.results.iter().position(|result| result.role == Role::InOut(input));
                let partner = result.map_or(What::Accumulated(input), |result| What::OfResult(result as u32));
                (Some(partner), Role::Cotangent(input))
            }
            What::OfResult(result) => match self.results[result as usize].role {
                Role::InOut(input) => (Some(What::OfInput(input)), Role::Tangent(result)),
                _ => (None, Role::Tangent(result)),
            },
            // Only taken.
            What::Accumulated(input) => (None, Role::Cotangent(input)),
        };
        let goes_in = taken.iter().position(|input| Some(input.what) == partner && input.ty == slot.ty);
        goes_in.map_or(apart, |input| Role::InOut(input as u32))
    }
}

impl Slot {
    fn itself(input: &Input) -> Slot {
        // No result is what an input of a derivative becomes: the role says nothing.
        Slot::of_input(input, What::Itself(Role::Out))
    }

    fn of_input(input: &Input, what: What) -> Slot {
        let Input { name, ty, differentiable, place, span } = input.clone();
        Slot { name, ty, differentiable, place, span, what }
    }
}

#[cfg(test)]
#[path = "tests/abi.rs"]
mod tests;
