//! Salsa inputs.
