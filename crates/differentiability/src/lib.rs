//! Diagnostics of the derivative data-flow analysis.
