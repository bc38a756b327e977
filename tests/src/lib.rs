//! What the tests of the whole program share: where the server is, all [`engines`] side by side, checks of random programs
//! and of what they reach ([`coverage`]), of [`variants`] of real ones, of derivatives that are lost ([`losses`]), of
//! damaged files ([`mutations`]), and of what stages hand to each other ([`interfaces`]).

pub mod coverage;
pub mod engines;
pub mod interfaces;
pub mod losses;
pub mod metal;
pub mod mutations;
pub mod process;
pub mod programs;
pub mod random_kernels;
pub mod random_programs;
pub mod reduce;
pub mod slangc;
pub mod stages;
pub mod variants;

use std::path::{Path, PathBuf};

/// The top of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// The `slang-analyzer` binary of this build: it lies beside the test's own folder.
///
/// # Panics
/// If it is not there: run the tests of the whole workspace, which builds it.
pub fn server() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let folder = test.ancestors().nth(2).expect("tests lie in target/<profile>/deps");
    let server = folder.join(format!("slang-analyzer{}", std::env::consts::EXE_SUFFIX));
    assert!(server.is_file(), "{} is not built: run `cargo build -p slang-analyzer`", server.display());
    server
}
