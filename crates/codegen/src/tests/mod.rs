mod bytes;
mod cpp;
mod functions;
mod glsl;
mod hlsl;
mod intrinsics;
mod slang;
mod spirv;
mod wgsl;

use test_support::modules::module;

use crate::{EmitOptions, Target, emit};

pub(crate) fn emit_text(text: &str, target: Target) -> String {
    emit_with(text, target, &EmitOptions::default())
}

pub(crate) fn emit_with(text: &str, target: Target, options: &EmitOptions) -> String {
    match emit(&module(text), target, options) {
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
            Target::Cpp | Target::Cuda | Target::Torch => assert!(!emitted.starts_with("error"), "{emitted}"),
            Target::Slang | Target::Hlsl | Target::Glsl | Target::Wgsl | Target::Spirv | Target::Metal => {
                assert_eq!(emitted, "error: the descriptor handle `data` is not supported yet\n", "{target:?}");
            }
        }
    }
}

/// Of a local array, a structured buffer and a byte-address buffer, each read and written; what is in bounds never.
#[test]
fn indices_are_tested_only_if_that_is_asked_for() {
    let text = "global @data: rwbuffer<f32> parameter
        global @bytes: rwbytes parameter
        func @main() -> () {
            %id: u32x3 = builtin dispatch_thread_id
            %i: u32 = extract %id[0]
            %three: u32 = const 3
            %inside: u32 = and %i, %three
            %data: rwbuffer<f32> = global @data
            %bytes: rwbytes = global @bytes
            %zeros: [f32; 4] = zero
            %x: f32 = load %data[%i]
            %some: [f32; 4] = insert %zeros[INDEX], %x
            %y: f32 = extract %some[INDEX]
            store %data[%i], %y
            %z: f32 = byte_load %bytes, %i
            byte_store %bytes, %i, %z
            return
        }
        entry main @main compute 1, 1, 1";
    let checked = EmitOptions { checked: true, ..EmitOptions::default() };
    for target in Target::ALL.into_iter().filter(|&target| target != Target::Spirv) {
        let [inside, anywhere] = ["%inside", "%i"].map(|index| text.replace("INDEX", index));
        // The word `for_each` of C++ compares, too.
        let tests = |ir: &str, options: &EmitOptions| {
            let emitted = emit_with(ir, target, &EmitOptions { without_library: true, ..options.clone() });
            assert!(!emitted.starts_with("error"), "{target:?}: {emitted}");
            ["if (", ".at(", "load_or_zero", "? ", "select("]
                .map(|word| emitted.matches(word).count())
                .iter()
                .sum::<usize>()
        };
        assert_eq!(tests(&anywhere, &EmitOptions::default()), 0, "{target:?}");
        // Nobody tells a shader there how long its buffers are.
        if target == Target::Metal {
            let said = "error: the length of a buffer is not supported for target `metal`\n";
            assert_eq!(emit_with(&anywhere, target, &checked), said);
            continue;
        }
        let of_memory = tests(&inside, &checked);
        assert!(of_memory >= 4, "{target:?}: {of_memory}");
        assert!(tests(&anywhere, &checked) > of_memory, "{target:?}");
    }
}
