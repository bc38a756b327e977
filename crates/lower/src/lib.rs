//! HIR to IR.
