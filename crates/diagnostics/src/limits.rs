//! How deep things may nest: every recursion over what a user writes stops somewhere, and what is said then stands here.
//!
//! The limits of the earlier steps protect the later ones, so that they are best read together. Two numbers stand for each:
//! one for processes, where recursion asks for more stack (see [`crate::stack`]), and one for the module in a browser, which
//! cannot.

use crate::{Code, codes};

/// One limit, for the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The name of its constant.
    pub name: &'static str,
    /// The deepest that is allowed here.
    pub depth: u32,
    /// What nests, and who recurses over it.
    pub of: &'static str,
    /// What is said of what is deeper.
    pub beyond: Beyond,
}

/// What happens where something nests deeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// A diagnostic says so at the place.
    Reported(Code),
    /// Compilation refuses the function by name; the editor goes on.
    Refused,
    /// Nothing is said: what is deeper is left out of an answer that is right without it, or taken as a whole.
    Cut,
    /// An earlier limit keeps it from happening.
    Unreachable,
}

macro_rules! limits {
    ($($name:ident = $depth:literal, $web:literal $of:literal => $beyond:expr;)*) => {
        $(#[doc = $of] pub const $name: u32 = if cfg!(target_family = "wasm") { $web } else { $depth };)*

        /// All limits, in the order of the steps.
        pub const LIMITS: &[Limit] =
            &[$(Limit { name: stringify!($name), depth: $name, of: $of, beyond: $beyond }),*];
    };
}

use Beyond::{Cut, Refused, Reported, Unreachable};

limits! {
    CONTAINERS = 1_000, 16 "Namespaces and types whose members are read one by one." => Cut;
    MACROS = 512, 512 "Macros that stand for macros." => Reported(codes::PREPROCESSOR_ERROR);
    MACRO_ARGUMENTS = 3_000, 64 "Arguments of macros in arguments of macros." => Reported(codes::PREPROCESSOR_ERROR);
    CONDITIONS = 1_000, 128 "Parentheses and operators of a preprocessor condition." => Reported(codes::PREPROCESSOR_ERROR);
    INCLUDES = 200, 32 "Files that include files." => Reported(codes::CYCLIC_INCLUDE);
    GRAMMAR = 10_000, 256 "Functions of the grammar; a level of parentheses costs two or three." => Reported(codes::UNEXPECTED_TOKEN);
    TREE = 100_000, 1_200 "Nodes of a syntax tree; a chain of as many operands is as deep." => Reported(codes::UNEXPECTED_TOKEN);
    SOURCE = 10_000, 256 "Expressions, types and statements of a declaration." => Reported(codes::NOT_SUPPORTED_YET);
    OPERATOR_CHAIN = 30_000, 512 "Operands of a chain such as `a + b + c`." => Reported(codes::NOT_SUPPORTED_YET);
    TYPES_AS_WRITTEN = 128, 128 "Types inside of types, as they are written." => Cut;
    BASES = 16, 16 "Bases of the bases of a type." => Cut;
    TYPE_ARGUMENTS = 48, 48 "Types that arguments of generic types make larger and larger." => Cut;
    TYPES_BY_VALUE = 64, 64 "Types that hold each other, in the search for one without end." => Reported(codes::TYPE_NESTING_TOO_DEEP);
    SIZES = 32, 32 "Structs whose size is asked for; deeper ones have none." => Cut;
    DISPLAYED_TYPES = 12, 12 "Types as messages write them out." => Cut;
    INITIALIZERS = 32, 32 "Types that one flat list of values fills." => Cut;
    INFERENCE = 50_000, 1_024 "Expressions whose types are inferred." => Unreachable;
    CHECKED_BODIES = 50_000, 1_000 "Statements and expressions as the checks walk over them." => Unreachable;
    OUTPUT_PLACES = 64, 64 "Parts of an expression that name one place." => Cut;
    OUTLINES = 64, 64 "Declarations in the outline of a file." => Cut;
    LOWERED_CODE = 50_000, 400 "Expressions and statements as lowering makes IR of them, with what macros and generics add." => Refused;
    LOWERED_TYPES = 128, 128 "Types as lowering makes IR of them; deeper ones grow for ever." => Refused;
    PARAMETER_BLOCKS = 16, 16 "Types that are searched for parameter blocks." => Cut;
    LOWERED_REGIONS = 3_000, 200 "Regions of the IR as lowering makes them; passes put some more around them." => Refused;
    CONTINUATIONS = 3_000, 96 "Ways on behind branches that leave early, as reverse mode puts one into the other." => Refused;
    IR_REGIONS = 5_000, 256 "Regions of the IR, over which every pass recurses." => Refused;
    IR_TYPES = 128, 128 "Types of the IR by value." => Refused;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Later steps recurse over what earlier ones let through.
    #[test]
    fn what_is_said_to_be_unreachable_is() {
        let source = SOURCE + OPERATOR_CHAIN;
        for limit in LIMITS.iter().filter(|limit| limit.beyond == Unreachable) {
            assert!(limit.depth > source, "{limit:?}");
        }
    }
}
