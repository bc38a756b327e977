//! `cargo xtask dist`: the binary that people download, the playground, and the VS Code package that bundles the server for
//! desktops and, where it can be built, for browsers.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::{
    process::{cargo, check, command, root},
    web,
};

/// The VS Code package, once built.
pub(crate) fn vsix() -> PathBuf {
    root().join("dist/slang-analyzer.vsix")
}

/// The server, once built.
pub(crate) fn server() -> PathBuf {
    root().join("dist").join(format!("slang-analyzer{}", std::env::consts::EXE_SUFFIX))
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    web::build_if_possible()?;
    build()
}

pub(crate) fn build() -> Result<()> {
    let root = root();
    let binary = format!("slang-analyzer{}", std::env::consts::EXE_SUFFIX);
    check(&mut cargo(["build", "--profile", "dist", "--package", "slang-analyzer"]))?;
    fs::create_dir_all(root.join("dist"))?;
    let built = root.join("target/dist").join(&binary);
    fs::copy(&built, server()).with_context(|| format!("cannot copy {}", built.display()))?;

    let extension = root.join("editors/vscode");
    fs::create_dir_all(extension.join("server"))?;
    fs::copy(&built, extension.join("server").join(&binary))?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(license), extension.join(license))?;
    }
    let vsix = vsix();
    check(command("npm", ["ci", "--no-audit", "--no-fund"]).current_dir(&extension))?;
    check(command("npm", ["run", "--silent", "check"]).current_dir(&extension))?;
    check(command("npm", ["run", "--silent", "build"]).current_dir(&extension))?;
    check(command("npx", ["vsce", "package", "--no-dependencies", "--out"]).arg(&vsix).current_dir(&extension))
}
