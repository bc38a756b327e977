//! Tasks of the project's own development: `cargo xtask <task>`.
//!
//! Each task is a module with a `run` function; this file only chooses.

#![expect(clippy::print_stdout, reason = "a task talks to the person who runs it")]

mod bench;
mod codegen;
mod cycles;
mod demo;
mod dependencies;
mod dist;
mod docs;
mod figures;
mod install;
mod mutations;
mod process;
mod random_programs;
mod test;
mod variants;
mod web;

use anyhow::{Result, bail};
use lexopt::prelude::*;

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  codegen [--check]    write (or compare) the files generated from crates/syntax/slang.ungram
  bench [--lines N] [--edits N] [--compare SERVER]
                       latency of the language server on a generated file, beside another server's
  bench --scaling [--axis WORDS]… [--times N] [--binary PATH] [--write DIR]
                       how checking and compiling grow with each axis of a program, by instructions (valgrind)
  cycles               list the modules that use each other in a circle; fails if there are others than the known ones
  figures [REVISION]…  count what makes the source hard to carry on, beside other revisions
  demo                 check a sample and print a derivative of it: what the project is about
  random-programs --count N [--first SEED] [--slangc PATH]
                       check the derivatives of many random programs; compare them with slangc's
  random-programs --count N [--first SEED] --engines interp,cpp,wgsl,spirv,glsl,slang,slangc
                       run many random programs in several engines, which must agree
  variants --count N [--first SEED] [--files DIR]… [--save DIR]
                       change programs in ways that keep their meaning; values, derivatives and findings must stay
  mutations --files DIR [--count N] [--limit FILES] [--seed S]
                       damage Slang files and check that the analyzer neither panics nor hangs
  test [--no-install]  everything that must pass: format, lints, all tests, the editors; installs what is missing
  docs [--check]       write (or compare) the pages of the manual that are made from the program, and check its links
  dist                 build the server and the VS Code package into dist/
  web                  build the server as a WebAssembly module, and the playground around it into dist/playground
  install [--server] [--client]
                       install the server with cargo, and the extension where an editor is found
";

fn main() -> Result<()> {
    let mut arguments = lexopt::Parser::from_env();
    let Some(argument) = arguments.next()? else { bail!("{USAGE}") };
    match argument {
        Value(task) => match task.to_str() {
            Some("bench") => bench::run(arguments),
            Some("codegen") => codegen::run(arguments),
            Some("cycles") => cycles::run(arguments),
            Some("demo") => demo::run(arguments),
            Some("dist") => dist::run(arguments),
            Some("docs") => docs::run(arguments),
            Some("figures") => figures::run(arguments),
            Some("install") => install::run(arguments),
            Some("random-programs") => random_programs::run(arguments),
            Some("mutations") => mutations::run(arguments),
            Some("variants") => variants::run(arguments),
            Some("test") => test::run(arguments),
            Some("web") => web::run(arguments),
            _ => bail!("unknown task {task:?}\n{USAGE}"),
        },
        _ => bail!("{USAGE}"),
    }
}
