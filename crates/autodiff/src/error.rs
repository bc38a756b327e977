//! What can be wrong with a derivative that was asked for.

use ir::{SpanId, verify::VerifyError};
use smol_str::SmolStr;

/// A derivative that cannot be made, with the place to blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutodiffError {
    /// What is in the way.
    pub kind: ErrorKind,
    /// The function that was being differentiated.
    pub function: SmolStr,
    /// Where it is.
    pub span: SpanId,
}

/// Why a derivative cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// `callee` has no body to differentiate and no derivative rule.
    NoBody {
        /// The function that is called.
        callee: SmolStr,
    },
    /// `callee` is not differentiable forward.
    NotForwardDifferentiable {
        /// The function that is called.
        callee: SmolStr,
    },
    /// `callee` is not differentiable backward.
    NotBackwardDifferentiable {
        /// The function that is called.
        callee: SmolStr,
    },
    /// A user-written derivative is itself differentiated and is not differentiable.
    RuleNotDifferentiable {
        /// The user-written derivative.
        rule: SmolStr,
    },
    /// Only a user-written forward derivative exists, and it is not linear in the tangents.
    NotLinear {
        /// The user-written derivative.
        rule: SmolStr,
        /// The operation that is not linear.
        operation: SmolStr,
    },
    /// Only a user-written forward derivative exists, and it hands a tangent to a function by a parameter that carries no
    /// derivative: on the way back it would be lost.
    LosesTangent {
        /// The user-written derivative.
        rule: SmolStr,
        /// The parameter.
        parameter: SmolStr,
        /// The function that has the parameter.
        callee: SmolStr,
    },
    /// The function calls itself, and its calls can neither run again on the way back, since they write memory or make
    /// contexts of the function itself, nor keep residuals, of which there would be no bound.
    Recursion,
    /// The function calls itself, so that its calls run again on the way back, and reads memory that may have been written
    /// since.
    RecursionReadsAgain,
    /// The loop's iterations have no bound, so there is no size for what reverse mode has to keep.
    UnboundedLoop,
    /// `[MaxIters(declared)]` is smaller than the number of iterations that the loop makes.
    BoundTooSmall {
        /// The `n` of the attribute.
        declared: u32,
        /// How often the loop runs.
        iterations: u32,
    },
    /// Control flow is nested deeper than the passes follow.
    NestedTooDeeply,
    /// The operation has no derivative rule yet.
    Unsupported {
        /// Its word in the text form.
        operation: SmolStr,
    },
    /// A mistake of a pass: the verifier does not accept what it made.
    BreaksRule {
        /// The first rule that is broken.
        error: VerifyError,
    },
}

impl std::fmt::Display for AutodiffError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let function = &self.function;
        match &self.kind {
            ErrorKind::NoBody { callee } => {
                write!(f, "cannot differentiate `{callee}`: it has neither a body nor a derivative")
            }
            ErrorKind::NotForwardDifferentiable { callee } => write!(f, "`{callee}` is not forward differentiable"),
            ErrorKind::NotBackwardDifferentiable { callee } => write!(f, "`{callee}` is not backward differentiable"),
            ErrorKind::RuleNotDifferentiable { rule } => {
                write!(f, "cannot differentiate `{function}`: the custom derivative `{rule}` is not differentiable")
            }
            ErrorKind::NotLinear { rule, operation } => write!(
                f,
                "cannot differentiate `{function}` backward: its forward derivative `{rule}` is not linear, by {operation}"
            ),
            ErrorKind::LosesTangent { rule, parameter, callee } => write!(
                f,
                "cannot differentiate `{function}` backward: its forward derivative `{rule}` hands a tangent to the parameter \
                 `{parameter}` of `{callee}`, which carries no derivative, so that it would be lost on the way back: write a \
                 backward derivative, or let the parameter carry"
            ),
            ErrorKind::Recursion => {
                write!(
                    f,
                    "cannot differentiate `{function}` backward: it calls itself, and writes memory or makes a context of its own"
                )
            }
            ErrorKind::RecursionReadsAgain => write!(
                f,
                "cannot differentiate `{function}` backward: it calls itself, so that its calls run again on the way back, \
                 and reads memory that may have been written since"
            ),
            ErrorKind::UnboundedLoop => write!(
                f,
                "cannot differentiate `{function}` backward: the loop has no bound; add `[MaxIters(n)]` or \
                 `[ForceUnroll]`"
            ),
            ErrorKind::BoundTooSmall { declared, iterations } => {
                write!(f, "`[MaxIters({declared})]` is too small: the loop makes {iterations} iterations")
            }
            ErrorKind::NestedTooDeeply => write!(f, "cannot differentiate `{function}`: it is nested too deeply"),
            ErrorKind::Unsupported { operation } => {
                write!(f, "cannot differentiate `{function}`: {operation} is not supported yet")
            }
            ErrorKind::BreaksRule { error } => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for AutodiffError {}
