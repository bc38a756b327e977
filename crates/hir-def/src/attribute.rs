//! Attributes and modifiers of declarations, statements and parameters.

mod in_code;
mod kinds;

pub use in_code::{InCode, MODIFIERS, ModifierInfo};
pub use kinds::{ATTRIBUTES, AttributeInfo, AttributeKind};

use la_arena::Idx;

use crate::{
    body::{Expr, ExprId, ExprStore, Literal},
    name::Name,
};

pub type AttributeId = Idx<Attribute>;

/// `[Name(arguments)]`. Arguments are expressions of the owner's [`ExprStore`]; names of functions in
/// `[ForwardDerivative(f)]` and the like are path expressions there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// `None` for one that is not the language's: a program may declare its own.
    pub kind: Option<AttributeKind>,
    /// As written; the parts of `[[vk::binding]]`-style names are joined by `::`.
    pub name: Name,
    pub args: Vec<ExprId>,
    /// What it stands on; empty where that is broken.
    pub target: AttributeTargets,
}

impl Attribute {
    /// The text of an argument that is a string.
    pub fn string<'a>(&self, store: &'a ExprStore, index: usize) -> Option<&'a str> {
        match &store.exprs[*self.args.get(index)?] {
            Expr::Literal(Literal::String(text)) => Some(text),
            _ => None,
        }
    }
}

bitflags::bitflags! {
    /// What attributes stand on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct AttributeTargets: u16 {
        /// A function or method.
        const FUNCTION = 1 << 0;
        const CONSTRUCTOR = 1 << 1;
        const ACCESSOR = 1 << 2;
        const STRUCT = 1 << 3;
        const INTERFACE = 1 << 4;
        const ENUM = 1 << 5;
        const ASSOCIATED_TYPE = 1 << 6;
        /// A global, a field, a local variable or a constant buffer.
        const VARIABLE = 1 << 7;
        const MODULE = 1 << 8;
        /// Any other declaration.
        const OTHER = 1 << 9;
        const LOOP = 1 << 10;
        const IF = 1 << 11;
        const SWITCH = 1 << 12;
        const PARAMETER = 1 << 13;

        const FUNCTIONS = Self::FUNCTION.bits() | Self::CONSTRUCTOR.bits() | Self::ACCESSOR.bits();
        const AGGREGATE =
            Self::STRUCT.bits() | Self::INTERFACE.bits() | Self::ENUM.bits() | Self::ASSOCIATED_TYPE.bits();
        const DECLARATIONS = Self::FUNCTIONS.bits() | Self::AGGREGATE.bits() | Self::VARIABLES.bits()
            | Self::MODULE.bits() | Self::OTHER.bits();
        const VARIABLES = Self::VARIABLE.bits() | Self::PARAMETER.bits();
        const CHOICE = Self::IF.bits() | Self::SWITCH.bits();
        const ANY = Self::DECLARATIONS.bits() | Self::LOOP.bits() | Self::CHOICE.bits();
    }
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
        /// `class` instead of `struct`, or after `enum`.
        const CLASS = 1 << 33;
        /// `__specialized_for_target(…)`: one of several bodies.
        const TARGET_SPECIFIC = 1 << 34;
        /// `vertices`, `indices`, `primitives`: what an output array of a mesh shader holds.
        const VERTICES = 1 << 35;
        const INDICES = 1 << 36;
        const PRIMITIVES = 1 << 37;
        const NOPERSPECTIVE = 1 << 38;
        const CENTROID = 1 << 39;
        /// `sample`: interpolated for each sample of a pixel.
        const SAMPLE = 1 << 40;
        /// `buffer`: GLSL's blocks in memory that shaders write.
        const STORAGE_BLOCK = 1 << 41;
        const PER_VERTEX = 1 << 42;
    }
}
