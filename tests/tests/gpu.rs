//! Every program of `fixtures/gradients` on a Vulkan device: emitted as WGSL and as SPIR-V it gives the interpreter's
//! numbers.

use gpu::{Binding, Gpu, Resource};
use whole_program_tests::programs::{WORDS, analyzer, gradient_fixtures, interpret, is_close, spirv_words};

#[test]
fn fixtures_give_the_interpreters_numbers() {
    let gpu = Gpu::new().expect("a Vulkan device: install mesa-vulkan-drivers and libvulkan1");
    let scratch = std::env::temp_dir().join(format!("slang-analyzer-gpu-{}.json", std::process::id()));
    for path in gradient_fixtures() {
        let file = path.to_str().expect("paths are text");
        let expected = interpret(file, &scratch);
        assert!(expected.iter().any(|&word| word != 0), "{file} computes nothing");
        let emit = |target| analyzer(&["emit", file, "--target", target, "--entry", "main"]);
        let wgsl = String::from_utf8(emit("wgsl")).expect("WGSL is text");
        let spirv = spirv_words(&emit("spirv"));
        for (name, shader) in [("WGSL", gpu::read::wgsl(&wgsl)), ("SPIR-V", gpu::read::spirv(&spirv))] {
            let binding = Binding { set: 0, binding: 0, resource: Resource::Buffer(0) };
            let mut results = [vec![0; WORDS]];
            let run = shader.and_then(|shader| gpu.run(shader, "main", [1, 1, 1], &[binding], &mut results));
            run.unwrap_or_else(|error| panic!("{file} as {name}: {error}\n{wgsl}"));
            for (index, (&got, &wanted)) in results[0].iter().zip(&expected).enumerate() {
                let (x, y) = (f32::from_bits(got), f32::from_bits(wanted));
                assert!(is_close(got, wanted), "{file} as {name}: result[{index}] is {x}, the interpreter says {y}");
            }
        }
    }
    std::fs::remove_file(scratch).expect("the scratch file is there");
}
