//! Type inference of bodies.

pub mod result;
