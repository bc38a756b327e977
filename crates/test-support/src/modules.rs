//! Modules of the IR that the verifier has accepted.

use ir::{Module, verify::VerifiedModule};

/// The module of a text. Panics with what is wrong with it.
#[track_caller]
pub fn module(text: &str) -> VerifiedModule {
    match ir::parse::parse_module(text) {
        Ok(module) => verified(module),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The module, verified. Panics with the rules that it breaks, and its text.
#[track_caller]
pub fn verified(module: Module) -> VerifiedModule {
    VerifiedModule::new(module).unwrap_or_else(|rejected| panic!("{rejected}"))
}
