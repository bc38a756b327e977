//! `slang-analyzer emit`: code for a target.

use std::{io::Write, path::PathBuf, process::ExitCode};

use clap::{Args, builder::PossibleValuesParser, builder::TypedValueParser as _};
use ide::driver::Program;

use super::{
    arguments::{ProjectArguments, ReportArguments},
    compile::{self, Failure, Roots},
    usage_error,
};

/// Print the code of entry points, functions or derivatives for a target.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer emit renderer.slang --target wgsl --entry main
  slang-analyzer emit renderer.slang --target spirv --entry main -o renderer.spv
  slang-analyzer emit loss.slang --target slang --function 'bwd_diff(loss)'

Without --entry and --function: the compute entry points of the file, or all its functions if there are none.")]
pub struct Arguments {
    /// The file, `-` for standard input
    file: PathBuf,
    #[arg(long, value_parser = target_parser())]
    target: codegen::Target,
    /// An entry point
    #[arg(long = "entry", value_name = "NAME", conflicts_with = "functions")]
    entries: Vec<String>,
    /// A function or a derivative: `f`, `Type.method`, `cholesky<4>`, `bwd_diff(f)`
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// The file to write instead of standard output
    #[arg(short = 'o', value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    report: ReportArguments,
}

fn target_parser() -> impl clap::builder::TypedValueParser<Value = codegen::Target> {
    let names = PossibleValuesParser::new(codegen::Target::ALL.iter().map(|target| target.name()));
    names.try_map(|name| codegen::Target::from_name(&name).ok_or("not a target"))
}

pub fn main(arguments: &Arguments) -> ExitCode {
    match compile::with_large_stack(|| emit(arguments)) {
        Ok(bytes) => write(&bytes, arguments.output.as_ref()),
        Err(failure) => failure.exit(),
    }
}

fn emit(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    let roots = match (arguments.entries.is_empty(), arguments.functions.is_empty()) {
        (false, _) => Roots::EntryPoints(&arguments.entries),
        (true, false) => Roots::Functions(&arguments.functions),
        (true, true) => Roots::Everything,
    };
    let (project, program) = compile::compile(&arguments.file, &arguments.project, arguments.report, roots, &[])?;
    let Program { module, roots: funcs, .. } = &program;
    let functions = match roots {
        Roots::EntryPoints(_) => Vec::new(),
        Roots::Functions(_) => funcs.clone(),
        Roots::Everything if module.entry_points.is_empty() => funcs.clone(),
        Roots::Everything => Vec::new(),
    };
    let options = codegen::EmitOptions { functions, ..Default::default() };
    let emitted = program
        .emit(arguments.target, &options)
        .map_err(|problems| Failure::reported(&project, arguments.report, &problems))?;
    Ok(match emitted.code {
        codegen::Code::Text(text) => text.into_bytes(),
        codegen::Code::Words(words) => words.into_iter().flat_map(u32::to_le_bytes).collect(),
    })
}

fn write(bytes: &[u8], output: Option<&PathBuf>) -> ExitCode {
    let result = match output {
        Some(path) => std::fs::write(path, bytes),
        None => std::io::stdout().lock().write_all(bytes),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => usage_error(&format!("cannot write the code: {error}")),
    }
}
