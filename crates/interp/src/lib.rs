//! IR interpreter and gradient checker.
