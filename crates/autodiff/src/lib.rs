//! Derivative passes over IR.
