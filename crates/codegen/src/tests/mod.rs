mod cpp;
mod glsl;
mod hlsl;
mod slang;
mod wgsl;

use ir::Module;

use crate::{EmitOptions, Target, emit};

/// A module from its text, verified.
pub fn module(text: &str) -> Module {
    let module = ir::parse::parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    if let Err(errors) = ir::verify::verify(&module) {
        panic!("{}", ir::verify::describe(&module, &errors));
    }
    module
}

pub fn emit_text(text: &str, target: Target) -> String {
    match emit(&module(text), target, &EmitOptions::default()) {
        Ok(emitted) => emitted.text().into(),
        Err(errors) => errors.into_iter().map(|error| format!("error: {}\n", error.message)).collect(),
    }
}
