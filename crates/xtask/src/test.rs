//! `cargo xtask test`: everything that must pass before a change lands.

use std::path::Path;

use anyhow::Result;
use lexopt::prelude::*;

use crate::{
    cycles, dependencies, dist, docs,
    process::{cargo, check, command, root},
    web,
};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let mut install = true;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("no-install") => install = false,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let tools = root().join("target/tools");
    if install {
        check(command("tests/tools/install.sh", [&tools]).env_remove("RUSTFLAGS"))?;
    }
    check(&mut cargo(["fmt", "--all", "--check"]))?;
    cycles::check()?;
    dependencies::check()?;
    check(&mut cargo(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    // Tests of the whole program start the binary, which `cargo test` alone does not build. With all targets it has the
    // same features of dependencies as the tests have, so that nothing is built twice.
    check(&mut cargo(["build", "--workspace", "--all-targets", "--quiet"]))?;
    docs::make(docs::How::OnlyCheck)?;
    let mut tests = cargo(["test", "--workspace", "--no-fail-fast", "--quiet"]);
    tests.env("SLANGC", tools.join("slangc")).env("DXC", tools.join("dxc/dxc"));
    check(tests.env("NVRTC", tools.join("libnvrtc.so")))?;
    let has_web = web::build_if_possible()?;
    dist::build(dist::For::Tests, has_web)?;
    python(&tools)?;
    editors(&tools, has_web)
}

/// The Python package, in an environment with numpy alone, with the analyzer as it is shipped, but less optimised.
fn python(tools: &Path) -> Result<()> {
    let discover = ["-m", "unittest", "discover", "--start-directory", "python/tests"];
    let mut tests = command(tools.join("python/bin/python"), discover);
    tests.env("PYTHONPATH", root().join("python")).env("SLANG_ANALYZER", dist::server());
    check(tests.env("SLANG_ANALYZER_CACHE", root().join("target/python-kernels")))
}

/// The editors, with the same server.
fn editors(tools: &Path, has_web: bool) -> Result<()> {
    check(command("tests/editors/neovim.sh", [dist::server()]).env("CI", "true"))?;
    let extension = root().join("editors/vscode");
    for tests in ["test-grammar", "test-panel"] {
        check(command("npm", ["run", "--silent", tests]).current_dir(&extension))?;
    }
    let code_server = tools.join("code-server");
    check(command("node", ["tests/editors/vscode.mjs"]).arg(&code_server).arg(dist::vsix()))?;
    if !has_web {
        return Ok(());
    }
    check(command("node", ["tests/editors/playground.mjs"]).arg(&code_server).arg(web::playground()))?;
    check(command("node", ["tests/editors/vscode-web.mjs"]).arg(&code_server).arg(dist::web_vsix()))
}
