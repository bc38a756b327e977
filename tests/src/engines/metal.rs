//! Emitted Metal, compiled by g++ with a header that stands for the language's own ([`crate::metal`]).

use std::fmt::Write as _;

use codegen::{EmitOptions, Target};

use super::{
    Outcome, Program,
    stages::refused,
    unit::{Unit, WORKING_ELEMENTS},
};
use crate::metal::{self, Grid};
use crate::process::Scratch;

/// What gives buffers that a program has for itself.
const WORKING: &str = "struct Working
{
    template <class T> operator T*() const
    {
        static T elements[WORKING_ELEMENTS] = {};
        return elements;
    }
};
";

pub(super) fn run(units: &[&Unit<'_>]) -> Result<Vec<Vec<Outcome>>, String> {
    let scratch = Scratch::new("metal");
    let mut driver = format!("{}#define WORKING_ELEMENTS {WORKING_ELEMENTS}\n{WORKING}", metal::PREAMBLE);
    let mut calls = String::new();
    // Variants of one program often become the same code, which is compiled and run once.
    let mut written: Vec<(String, &Unit<'_>)> = Vec::new();
    let mut which: Vec<usize> = Vec::new();
    for unit in units {
        let emitted = codegen::emit(&unit.expanded, Target::Metal, &EmitOptions::default());
        let text = emitted.map_err(|errors| refused(&errors))?.text().to_owned();
        let known = written.iter().position(|(other, first)| *other == text && first.runs_like(unit));
        which.push(known.unwrap_or(written.len()));
        if known.is_none() {
            written.push((text, unit));
        }
    }
    for (number, (text, unit)) in written.iter().enumerate() {
        let _ = writeln!(driver, "namespace unit_{number}\n{{\n{}", metal::as_cpp(text));
        for (place, program) in unit.programs.iter().enumerate() {
            driver += &host(unit, text, program, place)?;
            let _ = writeln!(calls, "    unit_{number}::host_{place}::run();");
            let _ = writeln!(calls, "    print_bits(unit_{number}::host_{place}::result, {});", program.results);
        }
        driver += "}\n";
    }
    let _ = writeln!(driver, "int main()\n{{\n{calls}}}");
    let printed = metal::run(&scratch.0, &driver)?;
    let mut numbers = printed.into_iter().map(f32::from_bits);
    let mut of_program = |program: &&Program| Ok(numbers.by_ref().take(program.results).collect());
    let outcomes: Vec<Vec<Outcome>> =
        written.iter().map(|(_, unit)| unit.programs.iter().map(&mut of_program).collect()).collect();
    Ok(which.into_iter().map(|number| outcomes[number].clone()).collect())
}

/// What runs a program: its buffers, and its threads.
fn host(unit: &Unit<'_>, text: &str, program: &Program, place: usize) -> Result<String, String> {
    let entry = unit.expanded.entry_points.iter().find(|entry| entry.name == program.entry).ok_or("no entry point")?;
    let kernel = if program.entry == "main" { "main_0" } else { program.entry.as_str() };
    let grid = Grid { groups: [1; 3], threads: entry.group_size };
    let buffer = |name: &str| match name {
        "inputs" | "result" => name.to_owned(),
        _ => "Working()".to_owned(),
    };
    let run = metal::host(text, kernel, grid, &buffer);
    let inputs: Vec<String> = program.inputs.iter().map(|input| format!("{input:?}f")).collect();
    Ok(format!(
        "namespace host_{place}\n{{\nstatic const float inputs[] = {{ {} }};\nstatic unsigned result[{}];\n{run}}}\n",
        if inputs.is_empty() { "0.0f".to_owned() } else { inputs.join(", ") },
        program.results,
    ))
}
