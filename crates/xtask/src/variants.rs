//! `cargo xtask variants`: changes programs in ways that keep their meaning. The work is done by a program of its own,
//! since it needs the whole analyzer and tasks must build without it.

use anyhow::Result;

use crate::process::{cargo, check};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let mut command = cargo(["run", "--release", "--quiet", "--package", "whole-program-tests"]);
    command.args(["--bin", "variants", "--"]).args(arguments.raw_args()?);
    check(&mut command)
}
