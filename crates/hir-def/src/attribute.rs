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

/// An attribute of an [`ExprStore`].
pub type AttributeId = Idx<Attribute>;

/// `[Name(arguments)]`. Arguments are expressions of the owner's [`ExprStore`]; names of functions in
/// `[ForwardDerivative(f)]` and the like are path expressions there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// `None` for one that is not the language's: a program may declare its own.
    pub kind: Option<AttributeKind>,
    /// As written; the parts of `[[vk::binding]]`-style names are joined by `::`.
    pub name: Name,
    /// The arguments, in order.
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
        /// `__init`
        const CONSTRUCTOR = 1 << 1;
        /// `get`, `set`, `ref` or `modify`.
        const ACCESSOR = 1 << 2;
        /// A struct or class.
        const STRUCT = 1 << 3;
        /// An interface.
        const INTERFACE = 1 << 4;
        /// An enumeration.
        const ENUM = 1 << 5;
        /// An associated type.
        const ASSOCIATED_TYPE = 1 << 6;
        /// A global, a field, a local variable or a constant buffer.
        const VARIABLE = 1 << 7;
        /// The clause that names a module.
        const MODULE = 1 << 8;
        /// Any other declaration.
        const OTHER = 1 << 9;
        /// `for`, `while`, `do`.
        const LOOP = 1 << 10;
        /// `if`
        const IF = 1 << 11;
        /// `switch`
        const SWITCH = 1 << 12;
        /// A parameter.
        const PARAMETER = 1 << 13;

        /// What has parameters and a body.
        const FUNCTIONS = Self::FUNCTION.bits() | Self::CONSTRUCTOR.bits() | Self::ACCESSOR.bits();
        /// What has members, or stands for what has.
        const AGGREGATE =
            Self::STRUCT.bits() | Self::INTERFACE.bits() | Self::ENUM.bits() | Self::ASSOCIATED_TYPE.bits();
        /// Any declaration or parameter.
        const DECLARATIONS = Self::FUNCTIONS.bits() | Self::AGGREGATE.bits() | Self::VARIABLES.bits()
            | Self::MODULE.bits() | Self::OTHER.bits();
        /// What holds a value.
        const VARIABLES = Self::VARIABLE.bits() | Self::PARAMETER.bits();
        /// A statement that chooses.
        const CHOICE = Self::IF.bits() | Self::SWITCH.bits();
        /// Anything that attributes are written on.
        const ANY = Self::DECLARATIONS.bits() | Self::LOOP.bits() | Self::CHOICE.bits();
    }
}

bitflags::bitflags! {
    /// Modifiers that are single words.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Modifiers: u64 {
        /// `static`
        const STATIC = 1 << 0;
        /// `const`
        const CONST = 1 << 1;
        /// `in`
        const IN = 1 << 2;
        /// `out`
        const OUT = 1 << 3;
        /// `inout`, or `in out`.
        const INOUT = 1 << 4;
        /// `ref`
        const REF = 1 << 5;
        /// `constref`
        const CONSTREF = 1 << 6;
        /// `borrow`
        const BORROW = 1 << 7;
        /// `uniform`
        const UNIFORM = 1 << 8;
        /// `groupshared`
        const GROUPSHARED = 1 << 9;
        /// `no_diff`
        const NO_DIFF = 1 << 10;
        /// `public`
        const PUBLIC = 1 << 11;
        /// `internal`
        const INTERNAL = 1 << 12;
        /// `private`
        const PRIVATE = 1 << 13;
        /// `export`
        const EXPORT = 1 << 14;
        /// `extern`
        const EXTERN = 1 << 15;
        /// `override`
        const OVERRIDE = 1 << 16;
        /// `[mutating]`
        const MUTATING = 1 << 17;
        /// `param`
        const PARAM = 1 << 18;
        /// `each`
        const EACH = 1 << 19;
        /// `row_major`
        const ROW_MAJOR = 1 << 20;
        /// `column_major`
        const COLUMN_MAJOR = 1 << 21;
        /// `globallycoherent`
        const GLOBALLY_COHERENT = 1 << 22;
        /// `precise`
        const PRECISE = 1 << 23;
        /// `nointerpolation`
        const NOINTERPOLATION = 1 << 24;
        /// `inline`
        const INLINE = 1 << 25;
        /// `volatile`
        const VOLATILE = 1 << 26;
        /// `unsigned` before a type.
        const UNSIGNED = 1 << 27;
        /// `__exported`
        const EXPORTED = 1 << 28;
        /// `__prefix`
        const PREFIX = 1 << 29;
        /// `__postfix`
        const POSTFIX = 1 << 30;
        /// `dyn`
        const DYN = 1 << 31;
        /// `__implicit_conversion`
        const IMPLICIT = 1 << 32;
        /// `class` instead of `struct`, or after `enum`.
        const CLASS = 1 << 33;
        /// `__specialized_for_target(…)`: one of several bodies.
        const TARGET_SPECIFIC = 1 << 34;
        /// `vertices`, `indices`, `primitives`: what an output array of a mesh shader holds.
        const VERTICES = 1 << 35;
        /// As `VERTICES`, of the numbers of vertices.
        const INDICES = 1 << 36;
        /// As `VERTICES`, of triangles, lines or points.
        const PRIMITIVES = 1 << 37;
        /// `noperspective`
        const NOPERSPECTIVE = 1 << 38;
        /// `centroid`
        const CENTROID = 1 << 39;
        /// `sample`: interpolated for each sample of a pixel.
        const SAMPLE = 1 << 40;
        /// `buffer`: GLSL's blocks in memory that shaders write.
        const STORAGE_BLOCK = 1 << 41;
        /// `pervertex`
        const PER_VERTEX = 1 << 42;
        /// `payload`: what groups of mesh shaders are given by those that started them.
        const PAYLOAD = 1 << 43;
        /// `point`, `line`, `triangle`, `lineadj`, `triangleadj`: what a geometry shader is started for.
        const POINT = 1 << 44;
        /// As `POINT`.
        const LINE = 1 << 45;
        /// As `POINT`.
        const TRIANGLE = 1 << 46;
        /// As `POINT`.
        const LINE_ADJACENCY = 1 << 47;
        /// As `POINT`.
        const TRIANGLE_ADJACENCY = 1 << 48;
        /// `constexpr`, which is `const` as well: the value is known when the program is compiled.
        const CONSTEXPR = 1 << 49;
        /// `readonly`: blocks of GLSL, and members of theirs, that shaders do not write.
        const READ_ONLY = 1 << 50;

        /// Where values are and how they get there.
        const OF_STORAGE = Self::UNIFORM.bits() | Self::IN.bits() | Self::OUT.bits() | Self::INOUT.bits()
            | Self::REF.bits() | Self::CONSTREF.bits() | Self::GROUPSHARED.bits() | Self::VOLATILE.bits()
            | Self::NOINTERPOLATION.bits() | Self::NOPERSPECTIVE.bits() | Self::CENTROID.bits() | Self::SAMPLE.bits()
            | Self::DYN.bits() | Self::ROW_MAJOR.bits() | Self::COLUMN_MAJOR.bits() | Self::GLOBALLY_COHERENT.bits()
            | Self::PER_VERTEX.bits();
        /// What says nothing about a type or a namespace.
        const NOT_OF_TYPES = Self::OF_STORAGE.bits() | Self::STATIC.bits() | Self::CONST.bits() | Self::INLINE.bits()
            | Self::PRECISE.bits() | Self::OVERRIDE.bits() | Self::PREFIX.bits() | Self::POSTFIX.bits();
    }
}
