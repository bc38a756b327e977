//! Programs as Metal: those of the fixtures, random ones and some that are written for it give the interpreter's numbers, and
//! what Metal cannot have is refused by name. There is no Metal compiler on the machines of the tests: a header of ours lets
//! g++ compile the texts ([`whole_program_tests::metal`]).

use std::fmt::Write as _;
use std::path::PathBuf;

use test_support::random_source::random_source;
use whole_program_tests::metal::{self, Grid};
use whole_program_tests::process::Scratch;
use whole_program_tests::programs::{WORDS, analyzer, gradient_fixtures, interpret, slang_files};
use whole_program_tests::slangc;

/// Random programs, from seed 0 on.
const RANDOM: u64 = 40;

/// Programs with an entry point `main` and a buffer `result`.
fn programs(scratch: &Scratch) -> Vec<String> {
    let mut files = gradient_fixtures();
    // One has tables to fill, and one calls itself.
    let is_possible =
        |path: &PathBuf| path.file_stem().is_some_and(|stem| stem != "hash_grid" && stem != "recursion");
    files.extend(slang_files("fixtures/kernels").into_iter().filter(is_possible));
    files.extend((0..RANDOM).filter_map(|seed| {
        let text = slangc::kernel(&random_source(seed));
        // There is no such type.
        (!text.contains("double")).then(|| scratch.write(&format!("random_{seed}.slang"), &text))
    }));
    assert!(files.len() >= 60, "{}", files.len());
    files.into_iter().map(|path| path.to_str().expect("paths are text").to_owned()).collect()
}

fn emit(file: &str, more: &[&str]) -> String {
    let arguments = [&["emit", file, "--target", "metal"], more].concat();
    String::from_utf8(analyzer(&arguments)).expect("the code is text")
}

#[test]
fn metal_gives_the_interpreters_numbers() {
    let scratch = Scratch::new("metal");
    let programs = programs(&scratch);
    let spec = scratch.file("spec.json");
    let (mut driver, mut calls) = (metal::PREAMBLE.to_owned(), String::new());
    let mut expected = Vec::new();
    for (number, file) in programs.iter().enumerate() {
        let text = emit(file, &["--entry", "main"]);
        expected.push(interpret(file, &spec));
        // Some write more than there is room for, which the interpreter drops.
        let room = 16 * WORDS;
        let host = metal::host(
            &text,
            "main_0",
            Grid { groups: [1; 3], threads: group_size(file) },
            &|_| "result".to_owned(),
        );
        let _ = writeln!(
            driver,
            "namespace program_{number}\n{{\n{}\nstatic unsigned result[{room}];\n{host}}}",
            metal::as_cpp(&text)
        );
        let _ = writeln!(calls, "    program_{number}::run();\n    print_bits(program_{number}::result, {WORDS});");
    }
    let _ = writeln!(driver, "int main()\n{{\n{calls}}}");
    let printed = metal::run(&scratch.0, &driver).expect("the texts are accepted, and run");
    assert_eq!(printed.len(), WORDS * programs.len());
    for ((file, result), expected) in programs.iter().zip(printed.chunks(WORDS)).zip(&expected) {
        assert_close(file, result, expected);
    }
}

/// What the source says of the threads of a group.
fn group_size(file: &str) -> [u32; 3] {
    let text = std::fs::read_to_string(file).expect("the program can be read");
    let (_, rest) = text.split_once("numthreads(").expect("it has an entry point");
    let list = rest.split_once(')').map_or("", |(list, _)| list);
    let mut sizes = list.split(',').map(|size| size.trim().parse().expect("a number"));
    [(); 3].map(|()| sizes.next().unwrap_or(1))
}

fn assert_close(file: &str, result: &[u32], expected: &[u32]) {
    let expected: Vec<f32> = expected.iter().map(|&word| f32::from_bits(word)).collect();
    // Small results are differences of larger numbers, which the interpreter rounds less often.
    let scale = expected.iter().filter(|number| number.is_finite()).fold(1.0f32, |scale, number| scale.max(number.abs()));
    for (index, (&got, wanted)) in result.iter().zip(expected).enumerate() {
        let (got, largest) = (f32::from_bits(got), f32::from_bits(got).abs().max(0.01 * scale));
        let is_close = (got - wanted).abs() <= 1e-4 * largest || got.to_bits() == wanted.to_bits();
        assert!(is_close, "{file}: result[{index}] is {got}, the interpreter says {wanted}");
    }
}
