//! Types, inference, derivative signatures.
