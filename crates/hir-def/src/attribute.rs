//! Attributes and modifiers of declarations, statements and parameters.

use crate::{body::ExprId, name::Name};

/// `[Name(arguments)]`. Arguments are expressions of the owner's [`crate::body::ExprStore`]; names of functions in
/// `[ForwardDerivative(f)]` and the like are path expressions there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Last component in `[[vk::binding]]`-style names joined by `::`, as written: `numthreads`, `vk::binding`.
    pub name: Name,
    pub args: Vec<ExprId>,
}

bitflags::bitflags! {
    /// Modifiers that are single words.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Modifiers: u64 {
        const STATIC = 1 << 0;
        const CONST = 1 << 1;
        const IN = 1 << 2;
        const OUT = 1 << 3;
        /// `inout`, or `in out`.
        const INOUT = 1 << 4;
        const REF = 1 << 5;
        const CONSTREF = 1 << 6;
        const BORROW = 1 << 7;
        const UNIFORM = 1 << 8;
        const GROUPSHARED = 1 << 9;
        const NO_DIFF = 1 << 10;
        const PUBLIC = 1 << 11;
        const INTERNAL = 1 << 12;
        const PRIVATE = 1 << 13;
        const EXPORT = 1 << 14;
        const EXTERN = 1 << 15;
        const OVERRIDE = 1 << 16;
        const MUTATING = 1 << 17;
        const PARAM = 1 << 18;
        const EACH = 1 << 19;
        const ROW_MAJOR = 1 << 20;
        const COLUMN_MAJOR = 1 << 21;
        const GLOBALLY_COHERENT = 1 << 22;
        const PRECISE = 1 << 23;
        const NOINTERPOLATION = 1 << 24;
        const INLINE = 1 << 25;
        const VOLATILE = 1 << 26;
        const UNSIGNED = 1 << 27;
        const EXPORTED = 1 << 28;
        const PREFIX = 1 << 29;
        const POSTFIX = 1 << 30;
        const DYN = 1 << 31;
        const IMPLICIT = 1 << 32;
        /// `class` instead of `struct`, or behind `enum`.
        const CLASS = 1 << 33;
        /// `__specialized_for_target(…)`: one of several bodies.
        const TARGET_SPECIFIC = 1 << 34;
        /// `vertices`, `indices`, `primitives`: what an output array of a mesh shader holds.
        const VERTICES = 1 << 35;
        const INDICES = 1 << 36;
        const PRIMITIVES = 1 << 37;
    }
}
