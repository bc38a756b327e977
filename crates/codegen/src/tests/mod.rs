mod cpp;
mod functions;
mod glsl;
mod hlsl;
mod intrinsics;
mod slang;
mod wgsl;

use test_support::modules::module;

use crate::{EmitOptions, Target, emit};

pub(crate) fn emit_text(text: &str, target: Target) -> String {
    match emit(&module(text), target, &EmitOptions::default()) {
        Ok(emitted) => emitted.text().into(),
        Err(errors) => errors.into_iter().map(|error| format!("error: {}\n", error.message)).collect(),
    }
}

/// A host would bind the resource otherwise than a shader that takes its number expects.
#[test]
fn parameters_by_descriptor_are_refused_where_they_are_numbers() {
    let text = "global @data: rwbuffer<f32> parameter descriptor
        func @main() -> () {
            %data: rwbuffer<f32> = global @data
            %i: i32 = const 0
            %x: f32 = const 1
            store %data[%i], %x
            return
        }
        entry main @main compute 1, 1, 1";
    for target in Target::ALL {
        let emitted = emit_text(text, target);
        match target {
            // There the handle is the resource.
            Target::Cpp | Target::Cuda => assert!(!emitted.starts_with("error"), "{emitted}"),
            Target::Slang | Target::Hlsl | Target::Glsl | Target::Wgsl | Target::Spirv => {
                assert_eq!(emitted, "error: the descriptor handle `data` is not supported yet\n", "{target:?}");
            }
        }
    }
}
