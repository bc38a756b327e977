//! `cargo xtask install`: the server into cargo's binary folder, the extension into each editor that is found.

use anyhow::{Result, bail};
use lexopt::prelude::*;

use crate::{
    dist,
    process::{cargo, check, command, is_installed},
};

/// Editors that take VS Code packages.
const EDITORS: [&str; 5] = ["code", "code-insiders", "codium", "cursor", "code-server"];

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let (mut server, mut client) = (false, false);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("server") => server = true,
            Long("client") => client = true,
            _ => return Err(argument.unexpected().into()),
        }
    }
    // Neither asked for means both.
    if server || !client {
        check(&mut cargo(["install", "--path", "crates/slang-analyzer", "--locked", "--force"]))?;
    }
    if client || !server {
        let editors: Vec<&str> = EDITORS.into_iter().filter(|editor| is_installed(editor)).collect();
        if editors.is_empty() {
            if client {
                bail!("no editor found on the path; looked for {}", EDITORS.join(", "));
            }
            eprintln!("no editor found on the path ({}): only the server is installed", EDITORS.join(", "));
            return Ok(());
        }
        dist::build(dist::For::People, false)?;
        for editor in editors {
            check(command(editor, ["--force", "--install-extension"]).arg(dist::vsix()))?;
        }
    }
    Ok(())
}
