//! What the core interfaces require (`IArithmetic.add`, `IFloat.scale`, …) of the types that the compiler builds in.

use ir::{BinaryOp, UnaryOp};

/// What is asked of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Requirement {
    Unary(UnaryOp),
    /// The other operand may be a scalar; comparisons of vectors are those of all components.
    Binary(BinaryOp),
    /// To a number of the result's type.
    ToScalar,
    /// A value from another, or zero.
    Init,
    /// Times a scalar.
    Scale,
    Limit {
        max: bool,
    },
    /// An element, by its number.
    Element,
}

impl Requirement {
    /// The requirement of this name, if it is known here.
    pub(crate) fn from_name(name: &str) -> Option<Requirement> {
        Some(match name {
            "add" => Requirement::Binary(BinaryOp::Add),
            "sub" => Requirement::Binary(BinaryOp::Sub),
            "mul" => Requirement::Binary(BinaryOp::Mul),
            "div" => Requirement::Binary(BinaryOp::Div),
            "mod" => Requirement::Binary(BinaryOp::Rem),
            "equals" => Requirement::Binary(BinaryOp::Equal),
            "lessThan" => Requirement::Binary(BinaryOp::Less),
            "lessThanOrEquals" => Requirement::Binary(BinaryOp::LessEqual),
            "shl" => Requirement::Binary(BinaryOp::Shl),
            "shr" => Requirement::Binary(BinaryOp::Shr),
            "bitAnd" | "and" => Requirement::Binary(BinaryOp::And),
            "bitOr" | "or" => Requirement::Binary(BinaryOp::Or),
            "bitXor" => Requirement::Binary(BinaryOp::Xor),
            "neg" => Requirement::Unary(UnaryOp::Neg),
            "not" => Requirement::Unary(UnaryOp::Not),
            "bitNot" => Requirement::Unary(UnaryOp::BitNot),
            "toInt" | "toInt64" | "toUInt" | "toUInt64" | "toFloat" => Requirement::ToScalar,
            "__init" => Requirement::Init,
            "scale" => Requirement::Scale,
            "maxValue" => Requirement::Limit { max: true },
            "minValue" => Requirement::Limit { max: false },
            "get" => Requirement::Element,
            _ => return None,
        })
    }
}
