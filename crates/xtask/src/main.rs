//! Tasks of the project's own development: `cargo xtask <task>`.
//!
//! Each task is a module with a `run` function; this file only chooses.

mod codegen;

use anyhow::{Result, bail};
use lexopt::prelude::*;

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  codegen [--check]    write (or compare) the files generated from crates/syntax/slang.ungram
";

fn main() -> Result<()> {
    let mut arguments = lexopt::Parser::from_env();
    let Some(argument) = arguments.next()? else { bail!("{USAGE}") };
    match argument {
        Value(task) => match task.to_str() {
            Some("codegen") => codegen::run(arguments),
            _ => bail!("unknown task {task:?}\n{USAGE}"),
        },
        _ => bail!("{USAGE}"),
    }
}
