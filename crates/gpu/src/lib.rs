//! Runs emitted compute shaders on a Vulkan device, which may be Mesa's lavapipe on the CPU.
//!
//! Entry points: [`Gpu::new`], [`Gpu::run`]; [`Gpu::shader`] and [`Gpu::run_shader`] for many entry points of one shader.
//!
//! `slang-analyzer run --engine gpu` uses this crate behind the feature `gpu` of the binary's crate; the tests use it
//! with the feature `read`, which adds `read` for shaders that are text or SPIR-V.
//!
//! # Invariants
//! - Nothing of the graphics library is touched before [`Gpu::new`], so a program that links this crate starts as fast
//!   as one that does not.
//! - A shader is checked anew by the graphics library, whatever made it, and what it refuses is an error here.
//! - What a binding is (storage, uniform, texture) is read from the shader; callers say only what is bound.
//! - Nothing here knows the IR; the tests compare with the interpreter.
//! - Deliberately absent: graphics, and any way around the library's validation.

mod device;
mod dispatch;
#[cfg(feature = "read")]
pub mod read;
mod resources;

pub use device::Gpu;
pub use dispatch::Shader;
pub use resources::{Binding, Resource};
