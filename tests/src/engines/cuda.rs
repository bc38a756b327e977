//! Emitted CUDA, compiled by NVIDIA's run-time compiler, on the device of this machine.

use std::{path::PathBuf, process::Command, sync::LazyLock};

use codegen::{EmitOptions, Target};
use serde_json::{Value, json};

use super::{
    Outcome, Program,
    stages::refused,
    unit::{Unit, WORKING_ELEMENTS, WORKING_WORDS},
};
use crate::process::{Limited as _, Scratch, output_of};

/// The program that compiles and runs.
fn tool() -> Command {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tools/cuda.py");
    let mut command = Command::new("python3");
    command.arg(path);
    command
}

/// Whether there are a device and the compiler for it.
pub(super) fn is_there() -> bool {
    static IS_THERE: LazyLock<bool> =
        LazyLock::new(|| tool().arg("probe").finished().is_ok_and(|output| output.status.success()));
    *IS_THERE
}

pub(super) fn run(units: &[&Unit<'_>]) -> Result<Vec<Vec<Outcome>>, String> {
    let scratch = Scratch::new("cuda");
    let mut jobs = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let options = EmitOptions { checked: true, ..EmitOptions::default() };
        let emitted = codegen::emit(&unit.expanded, Target::Cuda, &options);
        let text = emitted.map_err(|errors| refused(&errors))?.text().to_owned();
        let kernels: Vec<Value> =
            unit.programs.iter().map(|program| kernel(unit, &text, program)).collect::<Result<_, _>>()?;
        jobs.push(json!({ "file": scratch.write(&format!("unit_{number}.cu"), &text), "kernels": kernels }));
    }
    let (jobs, out) = (scratch.write("jobs.json", &Value::from(jobs).to_string()), scratch.file("out.json"));
    let ran = output_of(tool().arg("run").args([&jobs, &out])).map_err(|error| error.to_string())?;
    ran.map_err(|message| format!("the device does not run: {message}"))?;
    let text = std::fs::read_to_string(&out).map_err(|error| error.to_string())?;
    let outcomes: Vec<Value> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    units.iter().zip(&outcomes).map(|(unit, outcome)| numbers(unit, outcome)).collect()
}

/// How a program is launched; its parameters are those of the buffers that it uses, each with its number of elements.
fn kernel(unit: &Unit<'_>, text: &str, program: &Program) -> Result<Value, String> {
    let entry = unit.expanded.entry_points.iter().find(|entry| entry.name == program.entry).ok_or("no entry point")?;
    let start = format!(" {}(", program.entry);
    // Among functions of the same name the kernel is the one that the host sees.
    let parameters = text
        .split("extern \"C\" __global__")
        .skip(1)
        .find_map(|rest| Some(rest.split_once('{')?.0.split_once(&start)?.1.rsplit_once(')')?.0))
        .ok_or_else(|| format!("there is no kernel `{}` in the emitted CUDA", program.entry))?;
    let parameters = parameters.split_whitespace().collect::<Vec<_>>().join(" ");
    let argument = |parameter: &str| match parameter.rsplit([' ', '*']).next() {
        Some("inputs") => json!({ "buffer": program.inputs.iter().map(|input| input.to_bits()).collect::<Vec<u32>>() }),
        Some("inputs_count") => json!({ "number": program.inputs.len() }),
        Some("result") => json!({ "buffer": vec![0; program.results], "result": true }),
        Some("result_count") => json!({ "number": program.results }),
        Some(_) if parameter.contains('*') => json!({ "buffer": vec![0; WORKING_WORDS] }),
        Some(name) if name.ends_with("_count") => json!({ "number": WORKING_ELEMENTS }),
        _ => json!({ "number": 1 }),
    };
    let arguments: Vec<Value> = parameters.split(", ").filter(|name| !name.is_empty()).map(argument).collect();
    Ok(json!({ "entry": program.entry, "block": entry.group_size, "arguments": arguments, "results": program.results }))
}

/// What a unit's programs wrote.
fn numbers(unit: &Unit<'_>, outcome: &Value) -> Result<Vec<Outcome>, String> {
    if let Some(error) = outcome["error"].as_str() {
        return Err(error.to_owned());
    }
    let words = |value: &Value| value.as_u64().and_then(|word| u32::try_from(word).ok()).map(f32::from_bits);
    let kernels = outcome["kernels"].as_array().ok_or("the device's answer has no kernels")?;
    let numbers = |kernel: &Value| kernel.as_array()?.iter().map(words).collect::<Option<Vec<f32>>>();
    Ok(unit.programs.iter().zip(kernels).map(|(_, kernel)| numbers(kernel).ok_or("no numbers".to_owned())).collect())
}
