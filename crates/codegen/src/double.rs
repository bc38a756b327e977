//! Which functions devices have for `double`, as the specifications of SPIR-V and GLSL list them.

use ir::MathFn;

/// Devices compute powers, logarithms and angles of floats of 16 and 32 bits only.
pub(crate) fn has_double(function: MathFn) -> bool {
    !matches!(
        function,
        MathFn::Acos
            | MathFn::Acosh
            | MathFn::Asin
            | MathFn::Asinh
            | MathFn::Atan
            | MathFn::Atan2
            | MathFn::Atanh
            | MathFn::Cos
            | MathFn::Cosh
            | MathFn::Degrees
            | MathFn::Exp
            | MathFn::Exp2
            | MathFn::Log
            | MathFn::Log10
            | MathFn::Log2
            | MathFn::Pow
            | MathFn::Radians
            | MathFn::Sin
            | MathFn::Sinh
            | MathFn::Tan
            | MathFn::Tanh
    )
}
