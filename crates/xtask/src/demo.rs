//! `cargo xtask demo`: the main job on a fresh machine, in three commands of the analyzer.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{cargo, check, root};

const CLEAN: &str = "fixtures/samples/soft_shadow.slang";
const BROKEN: &str = "fixtures/samples/missing_no_diff.slang";

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    check(&mut cargo(["build", "--quiet", "--package", "slang-analyzer"]))?;
    let analyzer = |arguments: &[&str]| {
        let mut command = Command::new(root().join("target/debug/slang-analyzer"));
        command.args(arguments).current_dir(root());
        command
    };

    println!("== A derivative that would be lost in silence (slang-analyzer check {BROKEN}) ==\n");
    let status = analyzer(&["check", BROKEN]).status()?;
    ensure!(status.code() == Some(1), "{BROKEN} has an error to show, yet `check` gave {status}");

    println!("\n== The same program, repaired ==\n");
    check(&mut analyzer(&["check", CLEAN]))?;
    println!("{CLEAN}: no errors");

    println!("\n== bwd_diff(shadow) as WGSL ==\n");
    check(&mut analyzer(&["emit", CLEAN, "--function", "bwd_diff(shadow)", "--target", "wgsl"]))
}
