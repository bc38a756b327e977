//! Where operations, or their derivatives, are not finite, and what one writes to keep away from there.

use ir::{BinaryOp, MathFn, Op};

/// What is special about an operation at some operands.
#[derive(Debug, PartialEq, Eq)]
pub struct Pole {
    /// What happens there, as the end of a sentence that begins with the operation.
    pub what: &'static str,
    /// What to write instead.
    pub cure: &'static str,
}

/// Operands at a pole: those of one component, or all numbers of vectors, and the result.
type At = fn(&[f64], f64) -> bool;

/// Operations that work component by component.
const BY_COMPONENT: &[(MathFn, At, Pole)] = &[
    (MathFn::Sqrt, |x, _| x[0] < 0.0, SQRT_OF_NEGATIVE),
    (MathFn::Rsqrt, |x, _| x[0] == 0.0, pole("divides by 0", "clamp the argument: `rsqrt(max(x, 1e-12))`")),
    (MathFn::Rsqrt, |x, _| x[0] < 0.0, SQRT_OF_NEGATIVE),
    (MathFn::Rcp, |x, _| x[0] == 0.0, DIVISION_BY_ZERO),
    (MathFn::Log, |x, _| x[0] <= 0.0, LOGARITHM),
    (MathFn::Log2, |x, _| x[0] <= 0.0, LOGARITHM),
    (MathFn::Log10, |x, _| x[0] <= 0.0, LOGARITHM),
    (MathFn::Pow, |x, _| x[0] == 0.0, POWER_OF_ZERO),
    (MathFn::Pow, |x, _| x[0] < 0.0, POWER_OF_NEGATIVE),
    (MathFn::Acos, |x, _| x[0].abs() == 1.0, ARC_AT_END),
    (MathFn::Asin, |x, _| x[0].abs() == 1.0, ARC_AT_END),
    (MathFn::Acos, |x, _| x[0].abs() > 1.0, ARC_BEYOND_END),
    (MathFn::Asin, |x, _| x[0].abs() > 1.0, ARC_BEYOND_END),
    (
        MathFn::Acosh,
        |x, _| x[0] <= 1.0,
        pole("is vertical at 1 and is not defined below", "clamp the argument: `acosh(max(x, 1.000001))`"),
    ),
    (
        MathFn::Atanh,
        |x, _| x[0].abs() >= 1.0,
        pole("goes to infinity at 1 and -1", "clamp the argument: `atanh(clamp(x, -0.999999, 0.999999))`"),
    ),
    (
        MathFn::Atan2,
        |x, _| x[0] == 0.0 && x[1] == 0.0,
        pole(
            "has no direction at the origin",
            "move an argument off the origin before the call: `atan2(y, abs(x) + abs(y) > 0.0 ? x : 1e-12)`",
        ),
    ),
    (MathFn::Fmod, |x, _| x[1] == 0.0, DIVISION_BY_ZERO),
    (
        MathFn::Smoothstep,
        |x, _| x[0] == x[1],
        pole("divides by the distance of its edges, which is 0", "keep the edges apart: `max(b, a + 1e-6)`"),
    ),
    (MathFn::Exp, overflows, EXPONENTIAL),
    (MathFn::Exp2, overflows, EXPONENTIAL),
    (MathFn::Cosh, overflows, EXPONENTIAL),
    (MathFn::Sinh, overflows, EXPONENTIAL),
];

/// Operations on whole vectors. Where [`Length`](MathFn::Length) and [`Distance`](MathFn::Distance) have a kink, their
/// derivative is 0, and that of [`Sqrt`](MathFn::Sqrt) at 0 is bounded: these have no pole.
const OF_VECTORS: &[(MathFn, At, Pole)] = &[(
    MathFn::Normalize,
    |x, _| x.iter().all(|x| *x == 0.0),
    pole("has no direction for the zero vector", "bound the length below: `v * rsqrt(max(dot(v, v), 1e-24))`"),
)];

const OF_OPERATORS: &[(BinaryOp, At, Pole)] = &[
    (
        BinaryOp::Div,
        |x, _| x[0] == 0.0 && x[1] == 0.0,
        pole("divides 0 by 0", "choose the divisor before the division: `x / (y != 0.0 ? y : 1.0)`"),
    ),
    (BinaryOp::Div, |x, _| x[1] == 0.0, DIVISION_BY_ZERO),
    (BinaryOp::Rem, |x, _| x[1] == 0.0, DIVISION_BY_ZERO),
    (BinaryOp::Div, overflows, TOO_LARGE),
    (BinaryOp::Mul, overflows, TOO_LARGE),
    (BinaryOp::Add, overflows, TOO_LARGE),
    (BinaryOp::Sub, overflows, TOO_LARGE),
];

const SQRT_OF_NEGATIVE: Pole = pole(
    "is not defined for negative numbers",
    "clamp the argument, before any branch that guards the result: `max(x, 1e-12)`",
);
const DIVISION_BY_ZERO: Pole = pole(
    "divides by 0",
    "keep the divisor away from 0 before the division: `max(y, 1e-12)`, or `y != 0.0 ? y : 1.0` where a branch drops the \
     quotient anyway",
);
const LOGARITHM: Pole =
    pole("is not finite for arguments that are not positive", "clamp the argument: `log(max(x, 1e-12))`");
const POWER_OF_ZERO: Pole = pole(
    "has no finite slope at the base 0",
    "clamp the base: `pow(max(x, 1e-12), y)`; multiply where the exponent is a small whole number",
);
const POWER_OF_NEGATIVE: Pole = pole(
    "is not defined for negative bases",
    "take `pow(abs(x), y)` or clamp the base; multiply where the exponent is a small whole number",
);
const ARC_AT_END: Pole = pole(
    "has an infinite slope at 1 and -1",
    "clamp the argument: `clamp(x, -0.999999, 0.999999)`; for the angle between vectors take \
     `atan2(length(cross(a, b)), dot(a, b))`",
);
const ARC_BEYOND_END: Pole = pole(
    "is not defined beyond 1 and -1, which rounding alone may reach",
    "clamp the argument: `clamp(x, -0.999999, 0.999999)`",
);
const EXPONENTIAL: Pole = pole(
    "is too large for its type",
    "subtract the largest exponent first (log-sum-exp, softmax), or clamp the argument: `exp(min(x, 80.0))`",
);
const TOO_LARGE: Pole = pole(
    "is too large for its type",
    "scale the numbers, or compute with their logarithms; a wider type moves the border",
);

const fn pole(what: &'static str, cure: &'static str) -> Pole {
    Pole { what, cure }
}

fn overflows(operands: &[f64], result: f64) -> bool {
    operands.iter().all(|operand| operand.is_finite()) && !result.is_finite()
}

/// The pole at which an operation is, and the operands that say so.
pub(crate) fn find(op: &Op, operands: &[Vec<f64>], results: &[f64]) -> Option<(&'static Pole, Vec<f64>)> {
    match op {
        Op::Binary(operator, ..) => {
            let rows = OF_OPERATORS.iter().filter(|(of, ..)| of == operator);
            rows.map(|(_, at, pole)| (at, pole)).find_map(|row| in_component(row, operands, results))
        }
        Op::Math(function, _) => {
            let rows = BY_COMPONENT.iter().filter(|(of, ..)| of == function);
            let in_some = rows.map(|(_, at, pole)| (at, pole)).find_map(|row| in_component(row, operands, results));
            in_some.or_else(|| {
                let all = operands.concat();
                let (.., pole) = OF_VECTORS.iter().find(|(of, at, _)| of == function && at(&all, f64::NAN))?;
                Some((pole, all))
            })
        }
        _ => None,
    }
}

/// The first component at a pole.
fn in_component(
    (at, pole): (&At, &'static Pole),
    operands: &[Vec<f64>],
    results: &[f64],
) -> Option<(&'static Pole, Vec<f64>)> {
    (0..results.len()).find_map(|component| {
        let of_component: Option<Vec<f64>> = operands.iter().map(|floats| floats.get(component).copied()).collect();
        let of_component = of_component?;
        at(&of_component, results[component]).then_some((pole, of_component))
    })
}
