//! Runs emitted compute shaders on a Vulkan device, which may be Mesa's lavapipe on the CPU.
//!
//! Entry points: [`Gpu::new`], [`Gpu::run`]; [`Gpu::shader`] and [`Gpu::run_shader`] for many entry points of one shader.
//!
//! `slang-analyzer run --engine gpu` uses this crate behind the feature `gpu` of the binary's crate; the tests use it
//! with the feature `read`, which adds `Gpu::wgsl` for text and `Gpu::spirv` for binaries.
//!
//! # Invariants
//! - Nothing of the graphics library is touched before [`Gpu::new`], so a program that links this crate starts as fast
//!   as one that does not.
//! - A naga module is checked anew by the graphics library, whatever made it, and what it refuses is an error here. A SPIR-V
//!   binary goes to the driver as it is, because that is what hosts do with it: who brings one has asked a validator.
//! - What a binding is (storage, uniform, texture) is read from the shader; callers say only what is bound.
//! - Nothing here knows the IR; the tests compare with the interpreter.
//! - Deliberately absent: graphics.

#![warn(missing_docs)]

#[cfg(feature = "read")]
mod binary;
mod device;
mod dispatch;
#[cfg(feature = "read")]
mod read;
mod resources;

pub use device::Gpu;
pub use dispatch::Shader;
pub use resources::{Binding, Resource};
