//! `slang-analyzer ir`: the intermediate representation as text, after a pass.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Args, builder::PossibleValue, builder::PossibleValuesParser, builder::TypedValueParser as _};
use ide::passes::{PASSES, Pass};
use ir::{FuncId, parse::parse_module, print::print_module, verify::VerifiedModule};

use super::{
    arguments::{ProjectArguments, ReportArguments},
    compile::{self, Failure, Roots},
    functions::{self, Report},
    line_diff,
    status::Status,
};

/// Print the intermediate representation of functions and all that they call.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer ir loss.slang --function loss
  slang-analyzer ir loss.slang --function 'bwd_diff(loss)' --after differentiate
  slang-analyzer ir loss.slang --function loss --after simplify --diff
  slang-analyzer ir loss.slang > loss.ir; slang-analyzer ir loss.ir --after simplify

Without --function: the compute entry points of the file, or all its functions if there are none.")]
pub struct Arguments {
    /// The file, `-` for standard input; one that ends in `.ir` is such text
    file: PathBuf,
    /// A function or a derivative: `f`, `Type.method`, `cholesky<4>`, `bwd_diff(f)`
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// The pass that ran last
    #[arg(long, value_name = "PASS", default_value = "lower", value_parser = pass_parser())]
    after: &'static Pass,
    /// Print what the pass changed
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    report: ReportArguments,
}

fn pass_parser() -> impl clap::builder::TypedValueParser<Value = &'static Pass> {
    let names = PossibleValuesParser::new(PASSES.iter().map(|pass| PossibleValue::new(pass.name).help(pass.does)));
    names.try_map(|name| Pass::from_name(&name).ok_or("not a pass"))
}

pub fn main(arguments: &Arguments) -> ExitCode {
    functions::run(arguments.report.format, || print(arguments))
}

fn print(arguments: &Arguments) -> Result<Report, Failure> {
    let (module, roots) = match arguments.file.extension().is_some_and(|extension| extension == "ir") {
        true => read(arguments)?,
        false => lower(arguments)?,
    };
    let (before, after) = arguments.after.apply(&module, &roots).map_err(Failure::Unsupported)?;
    let text = match arguments.diff {
        true => line_diff::diff(&print_module(&before), &print_module(&after)),
        false => print_module(&after),
    };
    Ok(Report { lines: text.lines().map(str::to_owned).collect(), status: Status::Done })
}

fn lower(arguments: &Arguments) -> Result<(VerifiedModule, Vec<FuncId>), Failure> {
    let roots = match arguments.functions.is_empty() {
        true => Roots::Everything,
        false => Roots::Functions(&arguments.functions),
    };
    let (_, program) = compile::lower(&arguments.file, &arguments.project, arguments.report, roots, &[], None)?;
    Ok((program.module, program.roots))
}

/// The module in a file of text, and the functions that are named, or all of them.
fn read(arguments: &Arguments) -> Result<(VerifiedModule, Vec<FuncId>), Failure> {
    let path = arguments.file.display();
    let text = fs::read_to_string(&arguments.file).map_err(|error| Failure::Usage(format!("{path}: {error}")))?;
    let module = parse_module(&text).map_err(|error| Failure::Usage(format!("{path}:{error}")))?;
    let module = VerifiedModule::new(module).map_err(|rejected| {
        let errors: Vec<String> = rejected.errors.iter().map(|error| format!("{path}: {error}")).collect();
        Failure::Usage(errors.join("\n"))
    })?;
    let named = |name: &String| {
        let mut functions = module.funcs.iter().filter(|(_, func)| func.name == *name);
        functions.next().map(|(id, _)| id).ok_or_else(|| Failure::Usage(format!("there is no function `{name}`")))
    };
    let roots = match arguments.functions.is_empty() {
        true => module.funcs.iter().filter(|(_, func)| func.body.is_some()).map(|(id, _)| id).collect(),
        false => arguments.functions.iter().map(named).collect::<Result<_, _>>()?,
    };
    Ok((module, roots))
}
