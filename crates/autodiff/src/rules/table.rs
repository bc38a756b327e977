//! The rule table: one row for each mathematical function.
//!
//! The formulas are textbook calculus (Abramowitz and Stegun, chapters 3 and 4; DLMF 4.20 and 4.34) unless the row says
//! otherwise. Where a formula has a value that is not used (the logarithm of a base that is not positive), the operand
//! is replaced there too, so that the derivative of the derivative has no `0 * NaN`.

use ir::{BinaryOp, MathFn};

/// How an operation treats derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Component-wise; one formula per operand.
    ComponentWise(&'static [&'static str]),
    /// Constant almost everywhere: the derivative is zero, and a value that was meant to carry one loses it here.
    Constant,
    /// Mixes components: a program in `linearize::vector`.
    Composite,
    /// Operands or result have no derivative (integers, booleans, bit patterns).
    NotDifferentiable,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Whether the function has a derivative, and how it is made.
    pub class: Class,
    /// Where the derivative is finite and equal to the limit of differences.
    pub domain: &'static str,
    /// What was chosen where the function has no derivative; empty if there is no such place in its domain.
    pub kinks: &'static str,
}

const fn row(partials: &'static [&'static str], domain: &'static str, kinks: &'static str) -> Rule {
    Rule { class: Class::ComponentWise(partials), domain, kinks }
}

const fn constant(kinks: &'static str) -> Rule {
    Rule { class: Class::Constant, domain: "all reals", kinks }
}

const fn composite(domain: &'static str, kinks: &'static str) -> Rule {
    Rule { class: Class::Composite, domain, kinks }
}

const NOT_DIFFERENTIABLE: Rule = Rule { class: Class::NotDifferentiable, domain: "none", kinks: "" };

/// The rule of a mathematical function.
pub fn math_rule(function: MathFn) -> Rule {
    match function {
        MathFn::Abs => row(&["sign(x)"], "all reals", "0 at 0"),
        // (1 - x) (1 + x) keeps the digits near 1 that 1 - x * x loses.
        MathFn::Acos => row(&["-rsqrt((1 - x) * (1 + x))"], "-1 < x < 1", ""),
        MathFn::Acosh => row(&["rsqrt((x - 1) * (x + 1))"], "x > 1", ""),
        MathFn::Asin => row(&["rsqrt((1 - x) * (1 + x))"], "-1 < x < 1", ""),
        MathFn::Asinh => row(&["rsqrt(x * x + 1)"], "all reals", ""),
        MathFn::Atan => row(&["1 / (1 + x * x)"], "all reals", ""),
        MathFn::Atanh => row(&["1 / ((1 - x) * (1 + x))"], "-1 < x < 1", ""),
        MathFn::Ceil | MathFn::Floor | MathFn::Round | MathFn::Trunc => constant("0 at the steps"),
        MathFn::Sign | MathFn::Step => constant("0 at the step"),
        MathFn::Cos => row(&["-sin(x)"], "all reals", ""),
        MathFn::Cosh => row(&["sinh(x)"], "all reals", ""),
        MathFn::Exp => row(&["r"], "all reals", ""),
        MathFn::Exp2 => row(&["0.6931471805599453 * r"], "all reals", ""),
        MathFn::Frac => row(&["1"], "all reals", "1 at the steps"),
        MathFn::Log => row(&["1 / x"], "x > 0", ""),
        MathFn::Log10 => row(&["0.4342944819032518 / x"], "x > 0", ""),
        MathFn::Log2 => row(&["1.4426950408889634 / x"], "x > 0", ""),
        // -1 / x^2 by way of the result, which does not overflow before the value itself does.
        MathFn::Rcp => row(&["-(r * r)"], "x != 0", ""),
        MathFn::Rsqrt => row(&["-0.5 * r / x"], "x > 0", ""),
        MathFn::Saturate => row(&["x >= 0 && x <= 1 ? 1 : 0"], "all reals", "1 at 0 and at 1"),
        MathFn::Sin => row(&["cos(x)"], "all reals", ""),
        MathFn::Sinh => row(&["cosh(x)"], "all reals", ""),
        // The slope at 0 is infinite, and infinity times zero is what programs would make of it. The value there is
        // slangc's, which has it for all x below 1e-7.
        MathFn::Sqrt => row(&["0.5 / (x == 0 ? 0.00031622776601683795 : r)"], "x > 0", "1581.14 at 0"),
        MathFn::Tan => row(&["1 + r * r"], "cos x != 0", ""),
        MathFn::Tanh => row(&["1 - r * r"], "all reals", ""),
        MathFn::Degrees => row(&["57.29577951308232"], "all reals", ""),
        MathFn::Radians => row(&["0.017453292519943295"], "all reals", ""),
        MathFn::Atan2 => row(&["y / (x * x + y * y)", "-x / (x * x + y * y)"], "(x, y) != (0, 0)", ""),
        MathFn::Copysign => row(&["sign(x) * sign(y)", "0"], "x != 0, y != 0", "0 at x = 0 and at y = 0"),
        MathFn::Fmod => row(&["1", "-trunc(x / y)"], "y != 0", "one-sided where x / y is whole"),
        MathFn::Max => row(
            &["x >= y ? (x == y ? 0.5 : 1) : 0", "y >= x ? (x == y ? 0.5 : 1) : 0"],
            "all reals",
            "half and half where x = y",
        ),
        MathFn::Min => row(
            &["x <= y ? (x == y ? 0.5 : 1) : 0", "y <= x ? (x == y ? 0.5 : 1) : 0"],
            "all reals",
            "half and half where x = y",
        ),
        // Where x > 0 this is the derivative at y = 0, too, and can be differentiated by y again.
        MathFn::Pow => row(
            &["x <= 0 && y == 0 ? 0 : y * pow(x, x <= 0 && y == 0 ? 1 : y - 1)", "x > 0 ? r * log(x > 0 ? x : 1) : 0"],
            "x > 0; x < 0 with a whole constant y; x = 0 with y >= 1",
            "d/dy is 0 where x <= 0, where it does not exist or is the limit",
        ),
        MathFn::Clamp => row(
            &["x >= y && x <= z ? 1 : 0", "x < y && y <= z ? 1 : 0", "x > z || y > z ? 1 : 0"],
            "all reals",
            "bounds belong to x",
        ),
        MathFn::Fma => row(&["y", "x", "1"], "all reals", ""),
        MathFn::Lerp => row(&["1 - z", "z", "y - x"], "all reals", ""),
        // With t = saturate((z - x) / (y - x)) the value is t^2 (3 - 2 t), whose slope 6 t (1 - t) is 0 outside.
        MathFn::Smoothstep => row(
            &[
                "6 * saturate((z - x) / (y - x)) * (1 - saturate((z - x) / (y - x))) \
                    * (saturate((z - x) / (y - x)) - 1) / (y - x)",
                "-6 * saturate((z - x) / (y - x)) * (1 - saturate((z - x) / (y - x))) \
                    * saturate((z - x) / (y - x)) / (y - x)",
                "6 * saturate((z - x) / (y - x)) * (1 - saturate((z - x) / (y - x))) / (y - x)",
            ],
            "x != y",
            "",
        ),
        MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite | MathFn::All | MathFn::Any => NOT_DIFFERENTIABLE,
        MathFn::CountBits
        | MathFn::FirstBitHigh
        | MathFn::FirstBitLow
        | MathFn::ReverseBits
        | MathFn::F16ToF32
        | MathFn::F32ToF16 => NOT_DIFFERENTIABLE,
        MathFn::Dot | MathFn::Cross | MathFn::MatMul => composite("all reals", ""),
        MathFn::Transpose | MathFn::Determinant => composite("all reals", ""),
        MathFn::Length => composite("all reals", "0 at the zero vector"),
        MathFn::Distance => composite("all reals", "0 where the points agree"),
        MathFn::Normalize => composite("x != 0", "0 at the zero vector"),
        MathFn::Reflect => composite("all reals", ""),
        MathFn::Refract => composite("away from total reflection", "0 under total reflection"),
        MathFn::Faceforward => composite("dot(ng, i) != 0", "that of the branch taken"),
    }
}

/// The rule of an arithmetic operation on floats.
pub fn binary_rule(op: BinaryOp) -> Rule {
    match op {
        BinaryOp::Add => row(&["1", "1"], "all reals", ""),
        BinaryOp::Sub => row(&["1", "-1"], "all reals", ""),
        BinaryOp::Mul => row(&["y", "x"], "all reals", ""),
        BinaryOp::Div => row(&["1 / y", "-(r / y)"], "y != 0", ""),
        BinaryOp::Rem => math_rule(MathFn::Fmod),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => NOT_DIFFERENTIABLE,
    }
}
