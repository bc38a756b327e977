//! What a float can be, asked only where it becomes an integer: `int(saturate(x) * 8)`.
//!
//! Nothing is kept of floats. What they are made of is looked at from the conversion backwards, as far as it takes to find
//! numbers that are bounded by themselves.

use super::{Analysis, interval::Interval};
use crate::{BinaryOp, Constant, MathFn, Op, PathStep, Scalar, Type, UnaryOp, ValueId};

/// How far back the operands of operands are looked at.
const MOST_STEPS: u32 = 8;

/// Integers up to here have no gaps between them as `f64`.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The numbers from `low` to `high`, and NaN if `nan`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Floats {
    low: f64,
    high: f64,
    nan: bool,
}

impl Floats {
    const ALL: Floats = Floats { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    fn new(low: f64, high: f64) -> Floats {
        if low <= high { Floats { low, high, nan: false } } else { Floats::ALL }
    }

    fn or_nan(self, nan: bool) -> Floats {
        Floats { nan: self.nan || nan, ..self }
    }

    fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    fn hull(self, other: Floats) -> Floats {
        Floats::new(self.low.min(other.low), self.high.max(other.high)).or_nan(self.nan || other.nan)
    }

    /// What an operation that is monotone in each operand makes of two numbers.
    fn pairs(self, other: Floats, make: impl Fn(f64, f64) -> f64) -> Floats {
        if !self.is_finite() || !other.is_finite() {
            return Floats::ALL;
        }
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let ends = ends.map(|(a, b)| make(a, b));
        let least = ends.into_iter().fold(f64::INFINITY, f64::min);
        let most = ends.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Floats::new(least, most).or_nan(self.nan || other.nan)
    }

    fn monotone(self, make: fn(f64) -> f64) -> Floats {
        Floats::new(make(self.low), make(self.high)).or_nan(self.nan)
    }

    /// Of a number and NaN the result may be the number.
    fn min(self, other: Floats) -> Floats {
        let of_nan = |is_nan: bool, rest: f64| if is_nan { rest } else { f64::NEG_INFINITY };
        let high = self.high.min(other.high).max(of_nan(self.nan, other.high)).max(of_nan(other.nan, self.high));
        Floats::new(self.low.min(other.low), high).or_nan(self.nan || other.nan)
    }

    fn max(self, other: Floats) -> Floats {
        self.negated().min(other.negated()).negated()
    }

    fn negated(self) -> Floats {
        Floats { low: -self.high, high: -self.low, ..self }
    }

    /// With room for what rounding in the type may add. Beyond its largest number there is but infinity.
    fn rounded(self, scalar: Scalar) -> Floats {
        let (error, largest) = match scalar {
            Scalar::F16 => (1e-3, 65504.0),
            Scalar::F32 => (1e-6, f64::from(f32::MAX)),
            _ => (1e-12, f64::MAX),
        };
        let end = |end: f64| if end.abs() > largest { end.signum() * f64::INFINITY } else { end };
        Floats { low: end(self.low - self.low.abs() * error), high: end(self.high + self.high.abs() * error), ..self }
    }
}

impl Analysis<'_> {
    /// What the conversion of a float to an integer can give; NaN becomes zero.
    pub(super) fn integer_of(&self, float: ValueId) -> Option<Interval> {
        let floats = self.floats(float, 0, MOST_STEPS);
        let is_bounded = floats.low.abs() < LARGEST && floats.high.abs() < LARGEST;
        let integers = || Interval::new(floats.low.trunc() as i128, floats.high.trunc() as i128);
        is_bounded.then(|| integers().hull(Interval::ZERO))
    }

    /// Of a scalar, or of a component of a vector.
    fn floats(&self, value: ValueId, component: u32, steps: u32) -> Floats {
        let (scalar, is_vector) = match self.types.get(self.func.ty(value)) {
            Type::Scalar(scalar) => (scalar, false),
            Type::Vector { scalar, .. } => (scalar, true),
            _ => return Floats::ALL,
        };
        if scalar.is_integer() || scalar == Scalar::Bool {
            let path = [Some(component)];
            let range = self.known(value).part(if is_vector { &path } else { &[] }).range();
            return range.map_or(Floats::ALL, |range| Floats::new(range.low as f64, range.high as f64));
        }
        let (Some(data), Some(steps)) = (self.func.defining_op(value), steps.checked_sub(1)) else {
            return Floats::ALL;
        };
        let of = |operand: ValueId| self.floats(operand, component, steps);
        let found = match &data.op {
            Op::Const(Constant::Float(value)) => Floats::new(*value, *value),
            Op::Zero => Floats::new(0.0, 0.0),
            Op::Splat(a) => self.floats(*a, 0, steps),
            Op::Make(parts) if is_vector => match parts.get(component as usize) {
                Some(&part) => self.floats(part, 0, steps),
                None => Floats::ALL,
            },
            Op::Swizzle { vector, components } => match components.get(component as usize) {
                Some(&component) => self.floats(*vector, component.into(), steps),
                None => Floats::ALL,
            },
            Op::Extract { aggregate, path } => match (self.types.get(self.func.ty(*aggregate)), &path[..]) {
                (Type::Vector { .. }, &[PathStep::Const(component)]) => self.floats(*aggregate, component, steps),
                _ => Floats::ALL,
            },
            Op::Detach(a) | Op::Forget(a) | Op::Convert(a) => of(*a),
            Op::Unary(UnaryOp::Neg, a) => of(*a).negated(),
            Op::Select { then, otherwise, .. } => of(*then).hull(of(*otherwise)),
            Op::Binary(BinaryOp::Add, a, b) => of(*a).pairs(of(*b), |a, b| a + b),
            Op::Binary(BinaryOp::Sub, a, b) => of(*a).pairs(of(*b), |a, b| a - b),
            Op::Binary(BinaryOp::Mul, a, b) => of(*a).pairs(of(*b), |a, b| a * b),
            Op::Binary(BinaryOp::Div, a, b) => match of(*b) {
                by if by.low > 0.0 || by.high < 0.0 => of(*a).pairs(by, |a, b| a / b),
                _ => Floats::ALL,
            },
            Op::Math(function, args) if is_component_wise(*function) => {
                let args: Vec<Floats> = args.iter().map(|&arg| of(arg)).collect();
                bounded(*function, &args)
            }
            _ => Floats::ALL,
        };
        found.rounded(scalar)
    }
}

/// Whether a component of the result is made of the same component of the operands.
fn is_component_wise(function: MathFn) -> bool {
    !matches!(
        function,
        MathFn::Dot
            | MathFn::Length
            | MathFn::Distance
            | MathFn::Cross
            | MathFn::Normalize
            | MathFn::Reflect
            | MathFn::Refract
            | MathFn::Faceforward
            | MathFn::MatMul
            | MathFn::Transpose
            | MathFn::Determinant
    )
}

fn bounded(function: MathFn, args: &[Floats]) -> Floats {
    let nan = args.iter().any(|arg| arg.nan || !arg.is_finite());
    let within = |low: f64, high: f64| Floats::new(low, high).or_nan(nan);
    match (function, args) {
        (MathFn::Saturate | MathFn::Frac | MathFn::Smoothstep | MathFn::Step, _) => within(0.0, 1.0),
        (MathFn::Sin | MathFn::Cos | MathFn::Tanh | MathFn::Sign, _) => within(-1.0, 1.0),
        (MathFn::Asin | MathFn::Acos | MathFn::Atan | MathFn::Atan2, _) => within(-4.0, 4.0),
        // Whichever of the two comparisons comes first.
        (MathFn::Clamp, [x, low, high]) => x.max(*low).min(*high).hull(x.min(*high).max(*low)),
        (MathFn::Min, [a, b]) => a.min(*b),
        (MathFn::Max, [a, b]) => a.max(*b),
        (MathFn::Abs, [a]) => {
            let nearest = if a.low <= 0.0 && a.high >= 0.0 { 0.0 } else { a.low.abs().min(a.high.abs()) };
            Floats::new(nearest, a.low.abs().max(a.high.abs())).or_nan(a.nan)
        }
        (MathFn::Floor, [a]) => a.monotone(f64::floor),
        (MathFn::Ceil, [a]) => a.monotone(f64::ceil),
        (MathFn::Round, [a]) => Floats::new(a.low.floor(), a.high.ceil()).or_nan(a.nan),
        (MathFn::Trunc, [a]) => a.monotone(f64::trunc),
        (MathFn::Sqrt, [a]) => Floats::new(0.0, a.high.max(0.0).sqrt()).or_nan(nan || a.low < 0.0),
        (MathFn::Exp2, [a]) => a.monotone(f64::exp2),
        (MathFn::Exp, [a]) => a.monotone(f64::exp),
        (MathFn::Log2, [a]) if a.low > 0.0 => a.monotone(f64::log2),
        (MathFn::Lerp, [x, y, t]) if t.low >= 0.0 && t.high <= 1.0 + 1e-3 && !nan => {
            x.hull(*y).pairs(Floats::new(1.0, 1.001), |x, t| x * t)
        }
        _ => Floats::ALL,
    }
}
