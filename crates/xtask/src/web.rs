//! `cargo xtask web`: the server as a WebAssembly module, into `dist/web`, and the playground around it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::process::{check, command, root};

const TARGET: &str = "wasm32-wasip1";

/// The names of what the module imports beside WASI.
const IMPORTS: &str = "crates/slang-analyzer/src/web.imports";

/// What to install where [`Toolchain::find`] finds nothing.
const INSTALL: &str = "to build for WebAssembly, install one of
  rustup target add wasm32-wasip1 && rustup component add rust-src
  apt-get install rustc-web cargo-web rust-web-src lld-19 wasi-libc    (Debian 12)";

/// A compiler with the sources of its standard library. These are compiled with the server: the library that targets bring
/// along ends the module at a panic.
struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    linker: PathBuf,
    /// The folder of WASI's C library.
    library: PathBuf,
}

impl Toolchain {
    fn find() -> Option<Toolchain> {
        [Toolchain::of_rustup(), Toolchain::of_debian()].into_iter().flatten().find(Toolchain::is_whole)
    }

    fn of_rustup() -> Option<Toolchain> {
        let rustc = PathBuf::from("rustc");
        let sysroot = sysroot(&rustc)?;
        let host = of_rustc(&rustc, &["--print", "host-tuple"])?;
        Some(Toolchain {
            cargo: sysroot.join("bin/cargo"),
            rustc: sysroot.join("bin/rustc"),
            linker: sysroot.join("lib/rustlib").join(host).join("bin/gcc-ld/wasm-ld"),
            library: sysroot.join("lib/rustlib").join(TARGET).join("lib/self-contained"),
        })
    }

    fn of_debian() -> Option<Toolchain> {
        Some(Toolchain {
            cargo: "/usr/bin/cargo".into(),
            rustc: "/usr/bin/rustc".into(),
            linker: "/usr/bin/wasm-ld-19".into(),
            library: "/usr/lib/wasm32-wasi".into(),
        })
    }

    fn is_whole(&self) -> bool {
        let Some(sysroot) = sysroot(&self.rustc) else { return false };
        let sources = sysroot.join("lib/rustlib/src/rust/library/std");
        [&self.cargo, &self.linker, &self.library.join("libc.a"), &sources].into_iter().all(|path| path.exists())
    }

    fn flags(&self) -> String {
        let library = self.library.display();
        [
            "-Clinker-flavor=wasm-ld",
            "-Clink-self-contained=no",
            &format!("-Clink-arg={library}/crt1-reactor.o"),
            &format!("-Lnative={library}"),
            // Questions are cancelled by unwinding, and one that fails does not end the server. The tag of what is thrown
            // comes from the host.
            "-Cpanic=unwind",
            &format!("-Clink-arg=--allow-undefined-file={}", root().join(IMPORTS).display()),
            // As the threads of a process have it.
            "-Clink-arg=-zstack-size=16777216",
        ]
        .join(" ")
    }

    fn build(&self) -> Result<PathBuf> {
        let folder = root().join("target/web");
        let linker = format!("CARGO_TARGET_{}_LINKER", TARGET.replace('-', "_").to_uppercase());
        let mut build = command(&self.cargo, ["rustc", "--package", "slang-analyzer", "--lib"]);
        build.args(["--no-default-features", "--crate-type", "cdylib", "--profile", "web", "--target", TARGET]);
        build.args(["-Zbuild-std=std,panic_unwind", "-Zbuild-std-features=panic-unwind"]);
        // What this process was started with speaks of another compiler.
        for name in ["CARGO", "LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER", "CARGO_ENCODED_RUSTFLAGS"] {
            build.env_remove(name);
        }
        // Standard libraries are built by nightly compilers, or by any that is told that this is one.
        build.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", &self.rustc).env("CARGO_TARGET_DIR", &folder);
        check(build.env(linker, &self.linker).env("RUSTFLAGS", self.flags()))?;
        Ok(folder.join(TARGET).join("web/slang_analyzer.wasm"))
    }
}

fn of_rustc(rustc: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(rustc).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    of_rustc(rustc, &["--print", "sysroot"]).map(PathBuf::from)
}

/// The folder of the playground, once built: it can be served as it is.
pub(crate) fn playground() -> PathBuf {
    root().join("dist/playground")
}

/// The server as a module, once built.
pub(crate) fn module() -> PathBuf {
    playground().join("slang_analyzer.wasm")
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    if let Some(argument) = arguments.next()? {
        return Err(argument.unexpected().into());
    }
    if !build_if_possible()? {
        bail!("{INSTALL}");
    }
    println!("the playground is {}; any server of files can show it", playground().display());
    Ok(())
}

/// Builds the module, which goes into a VS Code package as well, and the playground. Where there is no compiler for it
/// that is said, and the answer is no.
pub(crate) fn build_if_possible() -> Result<bool> {
    let Some(toolchain) = Toolchain::find() else {
        eprintln!("WARNING: WITHOUT THE SERVER FOR BROWSERS: it is neither built nor tested; {INSTALL}");
        return Ok(false);
    };
    let module = toolchain.build()?;
    let page = root().join("editors/playground");
    // The gradient panel is that of the extension.
    for folder in [&root().join("editors/vscode"), &page] {
        check(command("npm", ["ci", "--no-audit", "--no-fund"]).current_dir(folder))?;
    }
    for script in ["check", "build"] {
        check(command("npm", ["run", "--silent", script]).current_dir(&page))?;
    }
    fs::create_dir_all(playground())?;
    fs::copy(&module, self::module()).with_context(|| format!("cannot copy {}", module.display()))?;
    Ok(true)
}
