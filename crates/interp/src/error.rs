//! Why a run did not end with a result.

use ir::Intrinsic;
use smol_str::SmolStr;

/// Reasons for which the interpreter stops. None of them is a panic: programs of users may do all of this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterpError {
    /// More steps than [`crate::Limits::steps`].
    StepLimit,
    /// More memory than [`crate::Limits::memory`].
    MemoryLimit,
    /// Calls nest deeper than [`crate::Limits::call_depth`].
    CallDepth,
    /// A call of a derivative that `autodiff` has not expanded yet; the name is that of the primal function.
    UnexpandedDerivative(SmolStr),
    /// A call of a declaration.
    NoBody(SmolStr),
    /// An operation that the interpreter does not compute.
    UnsupportedIntrinsic(Intrinsic),
    /// Memory of a variable is read or written through a pointer to another type.
    MistypedPointer,
    /// Memory is read or written at an address that is a number of the program's own.
    NumberAsPointer(u64),
    /// The pixel is discarded, so that there is no value.
    Discarded,
    /// Control reached the place that the program says it does not reach.
    Unreachable(SmolStr),
    /// No entry point of the module has this name.
    NoEntryPoint(SmolStr),
    /// The arguments of a call, or the value of a binding, are not of the parameter's type.
    ArgumentMismatch(SmolStr),
}

impl std::fmt::Display for InterpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InterpError::StepLimit => f.write_str("the program runs too long for the interpreter"),
            InterpError::MemoryLimit => f.write_str("the program needs too much memory for the interpreter"),
            InterpError::CallDepth => f.write_str("calls nest too deep"),
            InterpError::UnexpandedDerivative(name) => {
                write!(f, "a derivative of `{name}` is called, but was not generated")
            }
            InterpError::NoBody(name) => write!(f, "`{name}` is called, but has no body"),
            InterpError::UnsupportedIntrinsic(intrinsic) => {
                write!(f, "`{}` is not supported by the interpreter yet", intrinsic.source_name())
            }
            InterpError::MistypedPointer => {
                f.write_str("a variable as another type, through a pointer, is not supported by the interpreter yet")
            }
            InterpError::NumberAsPointer(number) => {
                write!(
                    f,
                    "memory at the address {number} is read or written, which is no address that the interpreter gave"
                )
            }
            InterpError::Discarded => f.write_str("it discards the pixel, so that there is no value"),
            InterpError::Unreachable(name) => {
                write!(f, "control reached a place in `{name}` that it should not reach")
            }
            InterpError::NoEntryPoint(name) => write!(f, "there is no entry point `{name}`"),
            InterpError::ArgumentMismatch(name) => write!(f, "a value for `{name}` is not of its type"),
        }
    }
}

impl std::error::Error for InterpError {}
