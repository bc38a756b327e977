//! Tests of the passes together, on IR text and on random programs, with numbers from the interpreter.

mod activity;
mod common;
mod control_flow;
mod custom;
mod derivatives;
mod errors;
mod forms;
mod rules;
mod sums;
