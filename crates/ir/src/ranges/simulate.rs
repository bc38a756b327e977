//! Loops whose condition depends on numbers that start with constants and of which each iteration makes the same: they
//! are run. For counters that are floats, which step with rounding, for loops that carry the outcome of their test, as
//! `do … while` does, and for tests that no other way understands: `(1 << i) < 32`.
//!
//! How a float is rounded is up to who runs the program: in its own width or a wider one, with products and sums in one
//! step, with quotients by way of reciprocals. So each float is held as the range of what it may be ([`super::rounded`]),
//! and a count is known exactly only where all of the range agrees.

use rustc_hash::FxHashMap;

use super::{interval::Interval, rounded::Rounded, trips::TripCount};
use crate::{
    BinaryOp, Func, Op, OpId, RegionId, Scalar, Terminator, Type, UnaryOp, ValueDef, ValueId,
    loops::early_exits,
    number::{self, Precision},
    types::TypeTable,
};

/// Iterations that are run.
const MOST_ITERATIONS: u32 = 1024;

/// Operations that are run for one iteration.
const MOST_OPS: u32 = 24;

/// What may be known of a number while the loop runs.
#[derive(Debug, Clone, Copy)]
enum Held {
    Float(Rounded),
    /// An integer.
    Word(u64),
    /// `None` if it depends on how floats are rounded.
    Bool(Option<bool>),
}

/// How often the loop runs by its condition; `None` if that is not of this kind, or too often.
pub(super) fn count(types: &TypeTable, func: &Func, cond: RegionId, body: RegionId, op: OpId) -> Option<TripCount> {
    let Op::Loop { init, .. } = &func.ops[op].op else { return None };
    let test = *func.regions[cond].terminator.values().first()?;
    let machine = Machine { types, func };
    let tested = machine.params(cond, &[test])?;
    // What the tested numbers are made of, and what that is made of.
    let next = machine.next_values(body)?;
    let mut carried = tested;
    let mut seen = 0;
    while let Some(&index) = carried.get(seen) {
        seen += 1;
        for param in machine.params(body, &[*next.get(index)?])? {
            if !carried.contains(&param) {
                carried.push(param);
            }
        }
        if carried.len() > 4 {
            return None;
        }
    }
    let mut state: Vec<Held> =
        carried.iter().map(|&index| machine.run(init[index], &FxHashMap::default(), &mut 0)).collect::<Option<_>>()?;
    let values = |region: RegionId, state: &[Held]| -> FxHashMap<ValueId, Held> {
        carried.iter().zip(state).map(|(&index, &held)| (func.regions[region].params[index], held)).collect()
    };
    let mut exact = true;
    for done in 0..=MOST_ITERATIONS {
        match machine.run(test, &values(cond, &state), &mut 0)? {
            Held::Bool(Some(false)) => return Some(TripCount { at_most: done, exact }),
            Held::Bool(goes_on) => exact &= goes_on.is_some(),
            Held::Float(_) | Held::Word(_) => return None,
        }
        let now = values(body, &state);
        state = carried.iter().map(|&index| machine.run(next[index], &now, &mut 0)).collect::<Option<_>>()?;
    }
    None
}

struct Machine<'a> {
    types: &'a TypeTable,
    func: &'a Func,
}

impl Machine<'_> {
    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        match self.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The carried values of a region that values are made of; `None` if they are made of something else than those and
    /// constants.
    fn params(&self, region: RegionId, values: &[ValueId]) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let mut pending = values.to_vec();
        let mut left = MOST_OPS;
        while let Some(value) = pending.pop() {
            left = left.checked_sub(1)?;
            match self.func.values[value].def {
                ValueDef::Param { region: of, index } if of == region => found.push(index as usize),
                ValueDef::Param { .. } => return None,
                ValueDef::Result { op, .. } => pending.extend(self.func.ops[op].op.operands()),
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The values of the next iteration, if all ways into it have the same.
    fn next_values(&self, body: RegionId) -> Option<&[ValueId]> {
        let ends = early_exits(self.func, body).into_iter().chain([body]);
        let mut nexts = ends.filter_map(|end| match &self.func.regions[end].terminator {
            Terminator::Yield(values) | Terminator::Continue(values) => Some(values.as_slice()),
            Terminator::Break(_) | Terminator::Return(_) | Terminator::Unreachable => None,
        });
        let first = nexts.next()?;
        nexts.all(|next| next == first).then_some(first)
    }

    /// Runs what a value is made of.
    fn run(&self, value: ValueId, known: &FxHashMap<ValueId, Held>, ops: &mut u32) -> Option<Held> {
        if let Some(&held) = known.get(&value) {
            return Some(held);
        }
        *ops += 1;
        if *ops > MOST_OPS {
            return None;
        }
        let scalar = self.scalar(value)?;
        match &self.func.defining_op(value)?.op {
            Op::Const(constant) => {
                let held = |precision| Held::of(scalar, number::from_constant(*constant, scalar, precision));
                held(Precision::Declared).or_rounded(held(Precision::F64), scalar)
            }
            Op::Zero => Some(Held::of(scalar, 0)),
            Op::Detach(a) => self.run(*a, known, ops),
            Op::Unary(op, a) => unary(*op, scalar, self.run(*a, known, ops)?),
            Op::Binary(op, a, b) => {
                let (x, y) = (self.run(*a, known, ops)?, self.run(*b, known, ops)?);
                binary(*op, self.scalar(*a)?, x, y)
            }
            Op::Convert(a) => convert(self.scalar(*a)?, scalar, self.run(*a, known, ops)?),
            _ => None,
        }
    }
}

impl Held {
    fn of(scalar: Scalar, slot: u64) -> Held {
        match scalar {
            Scalar::Bool => Held::Bool(Some(slot != 0)),
            _ if scalar.is_float() => Held::Float(Rounded::point(number::to_f64(slot))),
            _ => Held::Word(slot),
        }
    }

    /// A constant in the width of its type, or as it is written.
    fn or_rounded(self, other: Held, scalar: Scalar) -> Option<Held> {
        match (self, other) {
            (Held::Float(a), Held::Float(b)) => a.hull(b).settled(scalar).map(Held::Float),
            (held, _) => Some(held),
        }
    }
}

fn unary(op: UnaryOp, scalar: Scalar, a: Held) -> Option<Held> {
    Some(match (op, a) {
        (UnaryOp::Neg, Held::Float(a)) => Held::Float(a.negated()),
        (UnaryOp::Not, Held::Bool(a)) => Held::Bool(a.map(|a| !a)),
        (UnaryOp::Neg, Held::Word(a)) => return binary(BinaryOp::Sub, scalar, Held::Word(0), Held::Word(a)),
        (op, Held::Word(a)) => Held::of(scalar, number::unary(op, scalar, a)),
        _ => return None,
    })
}

/// `scalar` is the operands' type.
fn binary(op: BinaryOp, scalar: Scalar, a: Held, b: Held) -> Option<Held> {
    Some(match (a, b) {
        (Held::Float(a), Held::Float(b)) => match op {
            BinaryOp::Add => Held::Float(a.plus(b, scalar)?),
            BinaryOp::Sub => Held::Float(a.plus(b.negated(), scalar)?),
            BinaryOp::Mul => Held::Float(a.times(b, scalar)?),
            BinaryOp::Div => Held::Float(a.over(b, scalar)?),
            BinaryOp::Less => Held::Bool(a.is_less(b)),
            BinaryOp::Greater => Held::Bool(b.is_less(a)),
            BinaryOp::LessEqual => Held::Bool(b.is_less(a).map(|is_less| !is_less)),
            BinaryOp::GreaterEqual => Held::Bool(a.is_less(b).map(|is_less| !is_less)),
            BinaryOp::Equal => Held::Bool(a.is_equal(b)),
            BinaryOp::NotEqual => Held::Bool(a.is_equal(b).map(|is_equal| !is_equal)),
            BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {
                return None;
            }
        },
        (Held::Bool(a), Held::Bool(b)) => match (op, a, b) {
            (BinaryOp::And, Some(false), _) | (BinaryOp::And, _, Some(false)) => Held::Bool(Some(false)),
            (BinaryOp::Or, Some(true), _) | (BinaryOp::Or, _, Some(true)) => Held::Bool(Some(true)),
            (BinaryOp::And | BinaryOp::Or, None, _) | (BinaryOp::And | BinaryOp::Or, _, None) => Held::Bool(None),
            (BinaryOp::And, Some(a), Some(b)) => Held::Bool(Some(a && b)),
            (BinaryOp::Or, Some(a), Some(b)) => Held::Bool(Some(a || b)),
            _ => return None,
        },
        (Held::Word(a), Held::Word(b)) => {
            if !is_defined(op, scalar, a, b) {
                return None;
            }
            let result = if op.is_comparison() { Scalar::Bool } else { scalar };
            Held::of(result, number::binary(op, scalar, Precision::Declared, a, b))
        }
        _ => return None,
    })
}

/// Whether all targets make the same of an operation: what goes beyond the numbers of a signed type, is divided by zero or shifted
/// by the width may become anything.
fn is_defined(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> bool {
    let number = |word: u64| if scalar.is_signed() { i128::from(word as i64) } else { i128::from(word) };
    let (x, y) = (number(a), number(b));
    let fits = |exact: Option<i128>| {
        let all = Interval::of_type(scalar).is_some_and(|all| exact.is_some_and(|exact| all.has(exact)));
        !scalar.is_signed() || all
    };
    match op {
        BinaryOp::Add => fits(Some(x + y)),
        BinaryOp::Sub => fits(Some(x - y)),
        BinaryOp::Mul => fits(x.checked_mul(y)),
        BinaryOp::Div | BinaryOp::Rem => y != 0 && fits(Some(x / y)),
        BinaryOp::Shl => is_count(y, scalar) && fits(x.checked_mul(1 << y)),
        BinaryOp::Shr => is_count(y, scalar),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => true,
    }
}

fn is_count(shift: i128, scalar: Scalar) -> bool {
    (0..i128::from(scalar.bits())).contains(&shift)
}

fn convert(from: Scalar, to: Scalar, a: Held) -> Option<Held> {
    match a {
        Held::Word(word) => {
            let held = |precision| Held::of(to, number::convert(from, to, precision, word));
            held(Precision::Declared).or_rounded(held(Precision::F64), to)
        }
        Held::Float(a) if to.is_float() => a.converted(to).map(Held::Float),
        // An integer only where all that it may be has the same.
        Held::Float(a) => {
            let word = |end: f64| number::convert(from, to, Precision::F64, end.to_bits());
            let (low, high) = (word(a.low()), word(a.high()));
            (low == high && to != Scalar::Bool).then(|| Held::of(to, low))
        }
        Held::Bool(_) => None,
    }
}
