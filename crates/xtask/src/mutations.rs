//! `cargo xtask mutations`: damages Slang files and checks that the analyzer neither panics nor hangs.

use anyhow::Result;

use crate::process::{cargo, check};

/// Everything after the task's name goes to the program: `--files DIR [--count N] [--limit FILES] [--seed S]`.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let package = ["run", "--release", "--quiet", "--package", "whole-program-tests", "--bin", "mutations", "--"];
    check(cargo(package).args(arguments.raw_args()?))
}
