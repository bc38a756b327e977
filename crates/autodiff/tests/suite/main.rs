//! Tests of the passes together, on IR text and on random programs, with numbers from the interpreter.

mod activity;
mod batch;
mod common;
mod contract;
mod control_flow;
mod custom;
mod derivatives;
mod errors;
mod explain;
mod forms;
mod residuals;
mod rules;
mod sums;
