//! `cargo xtask random-programs`: derivatives of many random programs. The work is done by a program of its own, since it
//! needs the whole analyzer and tasks must build without it.

use anyhow::Result;

use crate::process::{cargo, check};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let mut command = cargo(["run", "--release", "--quiet", "--package", "whole-program-tests"]);
    command.args(["--bin", "random-programs", "--"]).args(arguments.raw_args()?);
    check(&mut command)
}
