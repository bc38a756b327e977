//! Emitted C++, compiled by g++: many units in one translation unit, since most of the compiler's time goes into starting and
//! into the library.

use std::{fmt::Write as _, process::Command};

use codegen::{EmitOptions, Target};

use super::{
    Outcome, Program,
    stages::refused,
    unit::{Unit, WORKING_ELEMENTS},
};
use crate::process::{Scratch, output_of};

/// Programs that are compiled together.
pub(super) const PROGRAMS: usize = 64;

/// What gives buffers that a program has for itself, and prints its numbers.
const DRIVER: &str = "#include <cstdio>
#include <cstring>
struct Working
{
    template <class T> operator T*() const
    {
        static T elements[WORKING_ELEMENTS] = {};
        return elements;
    }
};
static void print_numbers(const float* numbers, int count)
{
    for (int i = 0; i < count; i++)
    {
        unsigned bits;
        std::memcpy(&bits, numbers + i, 4);
        std::printf(\"\\n#%u\\n\", bits);
    }
}
";

/// What happens at an index out of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indices {
    /// What the interpreter does: reads give zero, writes are dropped.
    Tested,
    /// The program is stopped where it leaves an array or a buffer.
    Watched,
}

pub(super) fn run(units: &[&Unit<'_>], indices: Indices) -> Result<Vec<Vec<Outcome>>, String> {
    let scratch = Scratch::new("cpp");
    let (mut texts, mut calls) = (String::new(), String::new());
    // Variants of one program often become the same code, which is compiled and run once.
    let mut written: Vec<(String, &Unit<'_>)> = Vec::new();
    let mut which: Vec<usize> = Vec::new();
    for unit in units {
        let checked = indices == Indices::Tested;
        let options = EmitOptions { without_library: true, checked, ..EmitOptions::default() };
        let emitted = codegen::emit(&unit.expanded, Target::Cpp, &options);
        let text = emitted.map_err(|errors| refused(&errors))?.text().to_owned();
        let known = written.iter().position(|(other, first)| *other == text && first.runs_like(unit));
        which.push(known.unwrap_or(written.len()));
        if known.is_none() {
            written.push((text, unit));
        }
    }
    for (number, (text, unit)) in written.iter().enumerate() {
        // An entry point with C linkage has one name in all namespaces.
        for program in &unit.programs {
            let _ = writeln!(texts, "#define run_{0} run_{0}_{number}", program.entry);
        }
        let _ = writeln!(texts, "namespace unit_{number}\n{{\n{text}\n}}");
        for program in &unit.programs {
            let _ = writeln!(texts, "#undef run_{}", program.entry);
            calls += &call(text, program, number)?;
        }
    }
    // One library for all of them, since the compiler takes as long for it as for a few programs.
    let (before, after) = codegen::cpp_library(&texts);
    let driver = format!(
        "{before}{texts}{after}#define WORKING_ELEMENTS {WORKING_ELEMENTS}\n{DRIVER}int main()\n{{\n{calls}}}\n"
    );
    let (driver, binary) = (scratch.write("driver.cpp", &driver), scratch.file("driver"));
    let flags = [
        "-std=c++17",
        "-O0",
        "-fno-pie",
        "-no-pie",
        "-Wall",
        "-Werror",
        "-Wno-unused-function",
        "-Wno-tautological-compare",
    ];
    let watch: &[&str] = match indices {
        Indices::Tested => &[],
        // The compiler warns of more where it adds code of its own.
        Indices::Watched => &["-fsanitize=address,bounds-strict", "-fno-sanitize-recover=all", "-w"],
    };
    let compiled = output_of(Command::new("g++").args(flags).args(watch).arg(&driver).arg("-o").arg(&binary));
    compiled.map_err(|error| error.to_string())?.map_err(|message| format!("g++: {message}"))?;
    let printed = output_of(&mut Command::new(&binary)).map_err(|error| error.to_string())?;
    let printed = printed.map_err(|message| format!("the compiled program does not run: {message}"))?;
    let different: Vec<&Unit<'_>> = written.iter().map(|(_, unit)| *unit).collect();
    let outcomes = split(&different, &printed);
    Ok(which.into_iter().map(|number| outcomes[number].clone()).collect())
}

/// The printed numbers, for each unit and program, on lines of their own among what programs print.
pub(super) fn split(units: &[&Unit<'_>], printed: &str) -> Vec<Vec<Outcome>> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix('#'));
    let mut numbers = lines.map(|line| f32::from_bits(line.trim().parse().unwrap_or(u32::MAX)));
    let mut of_program = |program: &&Program| Ok(numbers.by_ref().take(program.results).collect());
    units.iter().map(|unit| unit.programs.iter().map(&mut of_program).collect()).collect()
}

/// The statements that run a program; the parameters of `run_…` are those of the buffers that it uses.
fn call(text: &str, program: &Program, number: usize) -> Result<String, String> {
    let start = format!("void run_{}(", program.entry);
    let parameters = text.split_once(&start).and_then(|(_, rest)| rest.split_once(')'));
    let (parameters, _) = parameters.ok_or_else(|| format!("there is no `{start}` in the emitted C++"))?;
    let argument = |parameter: &str| match parameter.rsplit([' ', '*']).next() {
        Some("inputs") => "inputs".to_owned(),
        Some("inputs_count") => program.inputs.len().to_string(),
        Some("result") => "result".to_owned(),
        Some("result_count") => program.results.to_string(),
        // The other pointers are to buffers of the program's own.
        Some(_) if parameter.contains('*') => "Working()".to_owned(),
        Some(name) if name.ends_with("_count") => WORKING_ELEMENTS.to_string(),
        _ => "1".to_owned(),
    };
    // They may be on several lines.
    let parameters = parameters.split_whitespace().collect::<Vec<_>>().join(" ");
    let arguments: Vec<String> = parameters.split(", ").map(argument).collect();
    let inputs: Vec<String> = program.inputs.iter().map(|input| format!("{input:?}f")).collect();
    Ok(format!(
        "    {{
        static const float inputs[] = {{ {} }};
        static float result[{}];
        (void)inputs;
        shader::unit_{number}::run_{}_{number}({});
        print_numbers(result, {});
    }}
",
        if inputs.is_empty() { "0.0f".to_owned() } else { inputs.join(", ") },
        program.results,
        program.entry,
        arguments.join(", "),
        program.results
    ))
}
