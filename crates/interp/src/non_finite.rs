//! Where numbers stop being finite: the operations of a run that make of finite numbers one that is not.

use ir::{Op, OpData, SpanId};
use smol_str::SmolStr;

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
}

/// Looks at the results of a run.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub births: Vec<Birth>,
    /// By their numbers, the births whose results are taken as zero, to see what follows from them.
    suppressed: Vec<usize>,
}

impl Watch {
    pub(crate) fn new(suppressed: &[usize]) -> Watch {
        Watch { births: Vec::new(), suppressed: suppressed.to_vec() }
    }

    /// Looks at the result of an operation on `operands`, which are all the floats that it works on.
    pub(crate) fn look(
        &mut self,
        data: &OpData,
        calls: impl Iterator<Item = SpanId>,
        operands: Vec<f64>,
        result: &mut [u64],
    ) {
        let is_finite = |slot: &u64| f64::from_bits(*slot).is_finite();
        let Some(slot) = result.iter().find(|slot| !is_finite(slot)) else { return };
        if self.births.len() >= MOST_BIRTHS || !operands.iter().all(|operand| operand.is_finite()) {
            return;
        }
        let value = f64::from_bits(*slot);
        if self.suppressed.contains(&self.births.len()) {
            result.iter_mut().filter(|slot| !is_finite(slot)).for_each(|slot| *slot = 0);
        }
        let spans = calls.chain([data.span]).collect();
        self.births.push(Birth { op: word(&data.op).into(), spans, operands, value });
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
