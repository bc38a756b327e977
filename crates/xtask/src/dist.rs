//! `cargo xtask dist`: the binary that people download, the playground, and the VS Code packages: one that bundles the server
//! for this desktop, and one with that for browsers where it can be built.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    process::{cargo, check, command, root},
    web,
};

/// The VS Code package for desktops, once built.
pub(crate) fn vsix() -> PathBuf {
    root().join("dist/slang-analyzer.vsix")
}

/// The VS Code package for browsers, once built.
pub(crate) fn web_vsix() -> PathBuf {
    root().join("dist/slang-analyzer-web.vsix")
}

/// The server, once built.
pub(crate) fn server() -> PathBuf {
    root().join("dist").join(format!("slang-analyzer{}", std::env::consts::EXE_SUFFIX))
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    let has_web = web::build_if_possible()?;
    build(For::People, has_web)
}

/// Whom a build is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    People,
    /// The same, but that the compiler takes less time over it, as the program may.
    Tests,
}

/// Builds the server and the packages; that for browsers if there is a module for it.
pub(crate) fn build(whom: For, has_web: bool) -> Result<()> {
    let root = root();
    let binary = format!("slang-analyzer{}", std::env::consts::EXE_SUFFIX);
    let mut server_build = cargo(["build", "--profile", "dist", "--package", "slang-analyzer"]);
    match whom {
        For::People => {}
        For::Tests => {
            for (setting, value) in [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16"), ("DEBUG", "false")] {
                server_build.env(format!("CARGO_PROFILE_DIST_{setting}"), value);
            }
        }
    }
    check(&mut server_build)?;
    fs::create_dir_all(root.join("dist"))?;
    let built = root.join("target/dist").join(&binary);
    fs::copy(&built, server()).with_context(|| format!("cannot copy {}", built.display()))?;

    let extension = root.join("editors/vscode");
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root.join(license), extension.join(license))?;
    }
    check(command("npm", ["ci", "--no-audit", "--no-fund"]).current_dir(&extension))?;
    check(command("npm", ["run", "--silent", "check"]).current_dir(&extension))?;
    check(command("npm", ["run", "--silent", "build"]).current_dir(&extension))?;
    if has_web {
        package("web", &web::module(), &web_vsix())?;
    }
    package(&desktop(), &server(), &vsix())
}

/// Packs the extension with one server, which is all that a platform takes.
fn package(platform: &str, server: &Path, out: &Path) -> Result<()> {
    let extension = root().join("editors/vscode");
    let folder = extension.join("server");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let name = server.file_name().context("the server is a file")?;
    fs::copy(server, folder.join(name)).with_context(|| format!("cannot copy {}", server.display()))?;
    let mut package = command("npx", ["vsce", "package", "--no-dependencies", "--target", platform, "--out"]);
    check(package.arg(out).current_dir(&extension))
}

/// What VS Code calls this platform.
fn desktop() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "arm" => "armhf",
        other => other,
    };
    format!("{system}-{processor}")
}
