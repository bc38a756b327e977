//! The signatures of `fwd_diff(f)` and `bwd_diff(f)`.
//!
//! | primal | `fwd_diff` | `bwd_diff` |
//! |---|---|---|
//! | `in T` (T differentiable) | `DifferentialPair<T>` | `inout DifferentialPair<T>` |
//! | `out T` | `out DifferentialPair<T>` | `in T.Differential` |
//! | `inout T` | `inout DifferentialPair<T>` | `inout DifferentialPair<T>` |
//! | `in P` (P : IDifferentiablePtrType) | `DifferentialPtrPair<P>` | `DifferentialPtrPair<P>` |
//! | `no_diff` or non-differentiable `in` | unchanged | unchanged |
//! | non-differentiable `out` | `out` | dropped |
//! | non-differentiable `inout` | `inout` | `in` |
//! | return `T` | `DifferentialPair<T>` | last parameter, `in T.Differential` |
//! | return, non-differentiable or `no_diff` | unchanged | dropped |
//! | `this` of a differentiable type | pair first | `inout` pair first |
//! | `this`, `[mutating]` | `inout` pair first | `inout` pair first |
//! | `this` of a non-differentiable type | `this` first | `this` first |

use hir_def::name::Name;

use crate::ty::{ParamDirection, Ty};

/// The parameters and the result of anything that can be called, derivatives included: `this`, where there is one, is
/// the first parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallableSignature {
    pub params: Vec<CallableParam>,
    pub ret: Ty,
    pub ret_no_diff: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallableParam {
    pub name: Name,
    pub ty: Ty,
    pub direction: ParamDirection,
    pub no_diff: bool,
    pub has_default: bool,
    pub role: ParamRole,
}

/// What a parameter carries. Numbers are positions in the parameters of the function that is differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamRole {
    /// A parameter that was written (not of a derivative).
    Written,
    /// The receiver.
    This,
    /// In a derivative: value and derivative of parameter `0`.
    Pair(usize),
    /// In a derivative: the value of parameter `0` alone.
    Primal(usize),
    /// In `bwd_diff`: the derivative of what parameter `0` gives out.
    Cotangent(usize),
    /// In `bwd_diff`: the derivative of the result.
    ResultCotangent,
}
