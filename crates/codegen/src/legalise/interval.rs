//! What is known of the range of integers: enough to see that the usual loops stay within their arrays.

use ir::{BinaryOp, Constant, Func, MathFn, Op, OpId, Scalar, Terminator, Type, ValueDef, ValueId, types::TypeTable};
use la_arena::ArenaMap;

use crate::loops::next_values;

/// How many operations back a range is followed.
const MAX_DEPTH: u32 = 8;

/// Least and greatest value.
pub type Interval = (i64, i64);

pub struct Intervals {
    /// The ranges of loop variables inside the loops' bodies.
    params: ArenaMap<ValueId, Interval>,
    /// The ranges that the types have.
    types: ArenaMap<ValueId, Interval>,
}

impl Intervals {
    pub fn new(func: &Func, types: &TypeTable) -> Intervals {
        let mut intervals = Intervals { params: ArenaMap::default(), types: ArenaMap::default() };
        for (value, data) in func.values.iter() {
            if let Type::Scalar(scalar) = types.get(data.ty)
                && let Some(range) = range_of(scalar)
            {
                intervals.types.insert(value, range);
            }
        }
        for (op, data) in func.ops.iter() {
            if matches!(data.op, Op::Loop { .. }) {
                intervals.loop_(func, op);
            }
        }
        intervals
    }

    /// Whether `value` is an index into `len` elements for sure.
    pub fn is_within(&self, func: &Func, value: ValueId, len: u32) -> bool {
        self.of(func, value, 0).is_some_and(|(low, high)| low >= 0 && high < i64::from(len))
    }

    /// Whether the range of `value` is known and passes the test.
    pub fn fits(&self, func: &Func, value: ValueId, test: impl Fn(Interval) -> bool) -> bool {
        self.of(func, value, 0).is_some_and(test)
    }

    /// Whether a sum, difference or product of two values of the type cannot leave its range.
    pub fn is_exact(&self, func: &Func, op: BinaryOp, a: ValueId, b: ValueId, scalar: Scalar) -> bool {
        let ranges = range_of(scalar).zip(self.of(func, a, 0).zip(self.of(func, b, 0)));
        let Some(((low, high), ((a, b), (c, d)))) = ranges else { return false };
        let results = match op {
            BinaryOp::Add => [a + c, b + d, a + c, b + d],
            BinaryOp::Sub => [a - d, b - c, a - d, b - c],
            BinaryOp::Mul => [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.saturating_mul(y)),
            _ => return false,
        };
        results.iter().all(|result| (low..=high).contains(result))
    }

    /// A loop variable that starts at a constant, steps by one and is tested against a constant, which it cannot jump
    /// over the end of its type before reaching.
    fn loop_(&mut self, func: &Func, op: OpId) {
        let Op::Loop { init, cond, body, .. } = &func.ops[op].op else { return };
        let body = *body;
        let cond = &func.regions[*cond];
        let Terminator::Yield(tests) = &cond.terminator else { return };
        let Some(Op::Binary(test, left, right)) = tests.first().and_then(|&test| func.defining_op(test)).map(|d| &d.op)
        else {
            return;
        };
        let Some(index) = cond.params.iter().position(|param| param == left) else { return };
        let (Some(&first), Some(&param)) = (init.get(index), func.regions[body].params.get(index)) else { return };
        let (Some((least, most)), Some((limit, high_limit))) = (self.of(func, first, 0), self.of(func, *right, 0))
        else {
            return;
        };
        // In the body the test holds; outside of it nothing is claimed. All that is needed besides is that the variable
        // moves towards the limit, so that its first value bounds it on the other side.
        let Some(rises) = direction(func, next_values(func, body), index, param) else { return };
        let range = match (test, rises) {
            (BinaryOp::Less, true) => (least, high_limit - 1),
            (BinaryOp::LessEqual, true) => (least, high_limit),
            (BinaryOp::Greater, false) => (limit + 1, most),
            (BinaryOp::GreaterEqual, false) => (limit, most),
            _ => return,
        };
        let Some(&(type_low, type_high)) = self.types.get(param) else { return };
        // The step after the last one must not wrap around to where the test holds again.
        let wraps = if rises { high_limit >= type_high } else { limit <= type_low };
        if !wraps {
            self.params.insert(param, range);
        }
    }

    fn of(&self, func: &Func, value: ValueId, depth: u32) -> Option<Interval> {
        let whole = self.types.get(value).copied();
        let op = match func.values[value].def {
            ValueDef::Param { .. } => return self.params.get(value).copied().or(whole),
            ValueDef::Result { op, .. } => &func.ops[op].op,
        };
        if depth == MAX_DEPTH {
            return whole;
        }
        let of = |value| self.of(func, value, depth + 1);
        let found = match op {
            Op::Const(Constant::Int(value)) => Some((*value, *value)),
            Op::Zero | Op::Undef => Some((0, 0)),
            Op::Detach(a) => of(*a),
            Op::Convert(a) | Op::Bitcast(a) => of(*a),
            Op::Binary(BinaryOp::Add, a, b) => of(*a).zip(of(*b)).map(|((a, b), (c, d))| (a + c, b + d)),
            Op::Binary(BinaryOp::Sub, a, b) => of(*a).zip(of(*b)).map(|((a, b), (c, d))| (a - d, b - c)),
            Op::Binary(BinaryOp::Mul, a, b) => of(*a).zip(of(*b)).and_then(|((a, b), (c, d))| {
                let small = |x: i64| x.unsigned_abs() < 1 << 31;
                let products = [a * c, a * d, b * c, b * d];
                let all_small = [a, b, c, d].into_iter().all(small);
                all_small.then(|| (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0)))
            }),
            Op::Binary(BinaryOp::And, a, b) => {
                let mask =
                    [of(*a), of(*b)].into_iter().flatten().filter(|(low, _)| *low >= 0).map(|(_, high)| high).min();
                mask.map(|high| (0, high))
            }
            Op::Binary(BinaryOp::Rem, a, b) => match (of(*a), of(*b)) {
                (Some((low, _)), Some((1.., high))) if low >= 0 => Some((0, high - 1)),
                _ => None,
            },
            Op::Math(MathFn::Min, args) => {
                match (args.first().and_then(|&a| of(a)), args.get(1).and_then(|&b| of(b))) {
                    (Some((a, b)), Some((c, d))) => Some((a.min(c), b.min(d))),
                    _ => None,
                }
            }
            Op::Math(MathFn::Max, args) => {
                match (args.first().and_then(|&a| of(a)), args.get(1).and_then(|&b| of(b))) {
                    (Some((a, b)), Some((c, d))) => Some((a.max(c), b.max(d))),
                    _ => None,
                }
            }
            Op::Select { then, otherwise, .. } => {
                of(*then).zip(of(*otherwise)).map(|((a, b), (c, d))| (a.min(c), b.max(d)))
            }
            _ => None,
        };
        // What leaves the type's range wraps around.
        let (low, high) = whole?;
        found.filter(|&(a, b)| low <= a && b <= high).or(whole)
    }
}

fn range_of(scalar: Scalar) -> Option<Interval> {
    Some(match scalar {
        Scalar::I8 => (i8::MIN.into(), i8::MAX.into()),
        Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        Scalar::U8 => (0, u8::MAX.into()),
        Scalar::U16 => (0, u16::MAX.into()),
        Scalar::U32 => (0, u32::MAX.into()),
        // Sums of these might not fit the analysis.
        Scalar::I64 | Scalar::U64 | Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => return None,
    })
}

/// Whether all next values are the loop variable plus one (`true`) or all minus one (`false`).
fn direction(func: &Func, nexts: Vec<&[ValueId]>, index: usize, param: ValueId) -> Option<bool> {
    let mut rises = None;
    for values in nexts {
        let data = func.defining_op(*values.get(index)?)?;
        let Op::Binary(op, left, right) = data.op else { return None };
        let Op::Const(Constant::Int(step)) = func.defining_op(right)?.op else { return None };
        let step = match op {
            BinaryOp::Add => step,
            BinaryOp::Sub => -step,
            _ => return None,
        };
        if left != param || step.abs() != 1 || rises.is_some_and(|rises| rises != (step > 0)) {
            return None;
        }
        rises = Some(step > 0);
    }
    rises
}
