//! Why something could not be lowered.

use ir::SpanId;

/// The outcome of lowering one thing.
pub(crate) type Lowering<T> = Result<T, Stop>;

/// Why lowering of a function stopped. Inside the crate the place is filled in where it is known: at the expression or
/// statement that is being lowered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub span: SpanId,
    pub cause: Cause,
}

/// What stopped it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A feature that is not supported yet, by the name to report.
    Unsupported(String),
    /// The front end has reported an error here, or (a mistake of ours) gave something that does not fit together; the
    /// text says which, for the log.
    Broken(String),
}

/// A function that was not lowered, with its reason and place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerError {
    /// Where the cause is.
    pub span: ir::SourceSpan,
    /// What cannot be lowered.
    pub cause: Cause,
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.cause {
            Cause::Unsupported(feature) => write!(f, "{feature} is not supported yet"),
            Cause::Broken(what) => write!(f, "cannot lower code with errors ({what})"),
        }
    }
}

impl std::error::Error for LowerError {}

impl Stop {
    /// The error of a feature by name: "… is not supported yet".
    pub(crate) fn unsupported(feature: impl Into<String>) -> Stop {
        Stop { span: SpanId::NONE, cause: Cause::Unsupported(feature.into()) }
    }

    /// The error of code that inference could not make sense of.
    pub(crate) fn broken(what: impl Into<String>) -> Stop {
        Stop { span: SpanId::NONE, cause: Cause::Broken(what.into()) }
    }

    /// The same error, at `span` unless its place is known already.
    pub(crate) fn at(mut self, span: SpanId) -> Stop {
        if self.span == SpanId::NONE {
            self.span = span;
        }
        self
    }
}
