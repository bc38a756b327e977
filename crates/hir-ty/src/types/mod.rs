//! Types themselves: what they are, how they are written, looked up, converted and shown.

pub mod aggregate;
pub mod alone;
pub mod bit_field;
pub mod builtin_names;
pub mod closure;
pub(crate) mod const_arrays;
mod const_floats;
pub mod consts;
pub mod conversion;
pub(crate) mod cycles;
pub mod display;
pub mod glsl_globals;
pub mod known;
pub mod lower_ty;
pub(crate) mod parts;
pub mod resolve;
pub(crate) mod same_name;
pub mod shapes;
pub mod signature;
pub mod size;
pub(crate) mod textures;
pub mod ty;
