//! Emitted Slang, compiled by slangc (`$SLANGC`) to C++ and by g++ to a program. It holds no derivatives any more, so what
//! slangc gets wrong when it differentiates does not matter.

use std::{fmt::Write as _, path::Path, process::Command};

use codegen::{EmitOptions, Target};

use super::{Outcome, cpp, stages::refused, unit::Unit};
use crate::process::{Scratch, output_of};

pub(super) fn run(units: &[&Unit<'_>]) -> Result<Vec<Vec<Outcome>>, String> {
    let slangc = std::env::var_os("SLANGC").ok_or("$SLANGC is not set")?;
    let scratch = Scratch::new("slangc");
    let translate = |name: &str, entry: &str, text: &str| -> Result<String, String> {
        let (source, cpp) = (scratch.write(&format!("{name}.slang"), text), scratch.file(&format!("{name}.cpp")));
        let mut command = Command::new(Path::new(&slangc));
        command.arg(&source).args(["-entry", entry, "-stage", "compute", "-target", "cpp"]);
        command.args(["-line-directive-mode", "none", "-o"]).arg(&cpp);
        let output = output_of(&mut command).map_err(|error| error.to_string())?;
        output.map_err(|message| format!("slangc does not compile emitted Slang: {message}"))?;
        std::fs::read_to_string(&cpp).map_err(|error| error.to_string())
    };
    // What slangc writes in front of every program stands in front of all of them, outside of their namespaces.
    translate("prelude", "nothing", "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid nothing() {}\n")?;
    let mut driver = "#include \"prelude.cpp\"
#include <stdio.h>
#include <string.h>
#undef SLANG_PRELUDE_EXPORT
#define SLANG_PRELUDE_EXPORT
static void print_numbers(const float* numbers, int count)
{
    for (int i = 0; i < count; i++)
    {
        unsigned bits;
        memcpy(&bits, numbers + i, 4);
        printf(\"\\n#%u\\n\", bits);
    }
}
"
    .to_owned();
    let mut calls = "    ComputeVaryingInput input = {};\n    input.endGroupID = uint3{1, 1, 1};\n".to_owned();
    for (number, unit) in units.iter().enumerate() {
        let emitted = codegen::emit(&unit.expanded, Target::Slang, &EmitOptions::default());
        let emitted = emitted.map_err(|errors| refused(&errors))?;
        for (member, program) in unit.programs.iter().enumerate() {
            let name = format!("program_{number}_{member}");
            let text = translate(&name, &program.entry, emitted.text())?;
            let _ = writeln!(driver, "namespace {name} {{\n#include \"{name}.cpp\"\n}}");
            let inputs: Vec<String> = program.inputs.iter().map(|input| format!("{input:?}f")).collect();
            let count = program.inputs.len();
            let _ = writeln!(calls, "    {{\n        {name}::GlobalParams_0 globals = {{}};");
            if text.contains("inputs_0") {
                let numbers = inputs.join(", ");
                let _ = writeln!(calls, "        static float inputs[] = {{ {numbers} }};");
                let _ = writeln!(
                    calls,
                    "        globals.inputs_0.data = inputs;\n        globals.inputs_0.count = {count};"
                );
            }
            let results = program.results;
            let _ = writeln!(
                calls,
                "        static float result[{results}];
        globals.result_0.data = result;
        globals.result_0.count = {results};
        {name}::{}_0(&input, 0, &globals);
        print_numbers(result, {results});
    }}",
                program.entry
            );
        }
    }
    let _ = write!(driver, "int main()\n{{\n{calls}}}\n");
    let (driver, binary) = (scratch.write("driver.cpp", &driver), scratch.file("driver"));
    let compiled = output_of(Command::new("g++").args(["-O0", "-w", "-std=c++17"]).arg(&driver).arg("-o").arg(&binary));
    compiled
        .map_err(|error| error.to_string())?
        .map_err(|message| format!("slangc's C++ does not compile: {message}"))?;
    let printed = output_of(&mut Command::new(&binary)).map_err(|error| error.to_string())?;
    Ok(cpp::split(units, &printed.map_err(|message| format!("slangc's program does not run: {message}"))?))
}
