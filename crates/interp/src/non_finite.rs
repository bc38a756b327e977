//! Where numbers stop being finite: the operations of a run that make of finite numbers one that is not.

use ir::{Op, OpData, SpanId};
use smol_str::SmolStr;

use crate::poles::{self, Pole};

/// Operations after which nothing more is noted: what comes later follows from these.
const MOST_BIRTHS: usize = 64;

/// An operation that made something that is not finite.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Birth {
    pub op: SmolStr,
    /// The calls around it, outermost first, and the operation itself.
    pub spans: Vec<SpanId>,
    pub operands: Vec<f64>,
    pub value: f64,
    /// Itself, if it is at a pole.
    pub at_pole: Option<Evaluation>,
}

/// An operation that was run, with numbers that it worked on.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The operation, in the text form.
    pub op: SmolStr,
    /// Those of the component at the pole, or all.
    pub operands: Vec<f64>,
    /// What is special about the operation there.
    pub pole: Option<&'static Pole>,
}

/// Looks at the results of a run.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    births: Vec<Birth>,
    /// By their numbers, the births whose results are taken as zero, to see what follows from them.
    suppressed: Vec<usize>,
    /// What operations made of floats that is none: what the run's way through the code may depend on.
    decisions: Decisions,
    /// The place in the source of which an evaluation is wanted, and what was found: one at a pole if there is one, else
    /// the first.
    sought: Option<SpanId>,
    pub evaluation: Option<Evaluation>,
}

/// What operations of a run made of floats that is none itself, in their order. A run in which something is taken as zero takes
/// them from the one before: it would go other ways otherwise, to operations that the run never came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decisions {
    made: Vec<u64>,
    /// How many of them have been taken again; `None` while they are made.
    taken: Option<usize>,
}

impl Decisions {
    /// To be taken again from the start.
    fn again(mut self) -> Decisions {
        self.taken = Some(0);
        self
    }

    fn look(&mut self, result: &mut [u64]) {
        let Some(taken) = &mut self.taken else { return self.made.extend_from_slice(result) };
        if let Some(made) = self.made.get(*taken..*taken + result.len()) {
            result.copy_from_slice(made);
        }
        *taken += result.len();
    }
}

impl Watch {
    /// One that takes some births as zero, and goes the way of the run that made the decisions.
    pub(crate) fn new(suppressed: &[usize], decisions: Option<Decisions>) -> Watch {
        let decisions = decisions.map(Decisions::again).unwrap_or_default();
        Watch { suppressed: suppressed.to_vec(), decisions, ..Watch::default() }
    }

    /// What was found, and how the run decided.
    pub(crate) fn ended(self) -> (Vec<Birth>, Decisions) {
        (self.births, self.decisions)
    }

    /// Looks at what an operation on floats made that is none.
    pub(crate) fn decide(&mut self, result: &mut [u64]) {
        self.decisions.look(result);
    }

    /// One that looks for what is computed at a place in the source.
    pub(crate) fn at(span: SpanId) -> Watch {
        Watch { sought: Some(span), ..Watch::default() }
    }

    /// Looks at the result of an operation on `operands`, each with all its floats.
    pub(crate) fn look(
        &mut self,
        data: &OpData,
        calls: impl Iterator<Item = SpanId>,
        operands: &[Vec<f64>],
        result: &mut [u64],
    ) {
        if self.sought == Some(data.span) {
            self.evaluate(data, operands, result);
        }
        let is_finite = |slot: &u64| f64::from_bits(*slot).is_finite();
        let Some(slot) = result.iter().find(|slot| !is_finite(slot)) else { return };
        if self.births.len() >= MOST_BIRTHS || !operands.iter().flatten().all(|operand| operand.is_finite()) {
            return;
        }
        let value = f64::from_bits(*slot);
        let results: Vec<f64> = result.iter().map(|&slot| f64::from_bits(slot)).collect();
        let at_pole = poles::find(&data.op, operands, &results).map(|(pole, operands)| Evaluation {
            op: word(&data.op).into(),
            operands,
            pole: Some(pole),
        });
        if self.suppressed.contains(&self.births.len()) {
            result.iter_mut().filter(|slot| !is_finite(slot)).for_each(|slot| *slot = 0);
        }
        let spans = calls.chain([data.span]).collect();
        let operands = operands.concat();
        self.births.push(Birth { op: word(&data.op).into(), spans, operands, value, at_pole });
    }

    fn evaluate(&mut self, data: &OpData, operands: &[Vec<f64>], result: &[u64]) {
        let known = self.evaluation.as_ref();
        if known.is_some_and(|known| known.pole.is_some()) {
            return;
        }
        let results: Vec<f64> = result.iter().map(|&slot| f64::from_bits(slot)).collect();
        let op = word(&data.op).into();
        match poles::find(&data.op, operands, &results) {
            Some((pole, operands)) => self.evaluation = Some(Evaluation { op, operands, pole: Some(pole) }),
            None if known.is_none() => {
                self.evaluation = Some(Evaluation { op, operands: operands.concat(), pole: None });
            }
            None => {}
        }
    }
}

/// Whether an operation computes numbers, rather than passing them on.
pub(crate) fn may_begin(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Math(..)
            | Op::Convert(_)
            | Op::Bitcast(_)
            | Op::Intrinsic { .. }
    )
}

fn word(op: &Op) -> &str {
    match op {
        Op::Const(_) => "const",
        Op::Unary(op, _) => op.word(),
        Op::Binary(op, ..) => op.word(),
        Op::Math(function, _) => function.word(),
        Op::Convert(_) => "convert",
        Op::Bitcast(_) => "bitcast",
        Op::Intrinsic { intrinsic, .. } => intrinsic.word(),
        _ => "operation",
    }
}
