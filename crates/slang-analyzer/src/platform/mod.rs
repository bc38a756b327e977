//! What differs between a process with threads and a WebAssembly module that a page or an editor in a browser hosts. All
//! else is the same in both: the server reads and writes messages, files and the clock in the same way, which WASI gives
//! to a module.
//!
//! A process has threads: tasks on a runtime, a [`Worker`] and its [`Readers`] on threads of their own. A module has none:
//! it does a little each time that its host asks it to, everything on one stack, and work that a process would do beside
//! other work is done at once.

#[cfg(not(target_family = "wasm"))]
pub mod allocator;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(target_family = "wasm"))]
mod readers;
#[cfg(target_family = "wasm")]
mod web;

use std::time::Duration;

#[cfg(target_family = "wasm")]
pub(crate) use self::web::{
    HostInput, HostOutput, Next, Readers, beside, end_process, end_with, give_back, spawn, start_worker, work,
};
#[cfg(not(target_family = "wasm"))]
pub(crate) use self::{
    allocator::give_back,
    native::{beside, block_on, end_process, end_with, spawn, start_worker},
    readers::Readers,
};

/// How long nothing must come in before a [`Worker`] does what nobody waits for.
const PAUSE: Duration = Duration::from_millis(100);

/// What a reader does.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Takes messages one after the other as long as the process lives.
pub(crate) trait Worker: 'static {
    type Message: Send + 'static;

    fn take(&mut self, message: Self::Message);

    /// No message waits.
    fn caught_up(&mut self);

    /// Whether there is work that nobody waits for.
    fn has_work_for_a_pause(&self) -> bool;

    /// There was no message for a while.
    fn use_pause(&mut self);
}
