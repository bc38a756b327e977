//! `slang-analyzer emit`: code for a target.

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, builder::PossibleValuesParser, builder::TypedValueParser as _};
use ide::driver::Program;
use ir::module::Stage;

use super::{
    arguments::{ProjectArguments, ReportArguments},
    compile::{self, Failure, Roots},
    output,
    project::CommandProject,
    reflection,
    status::Status,
    usage_error,
};
use crate::compiler_flags::CompilerFlags;

/// Print the code of entry points, functions or derivatives for a target.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer emit renderer.slang --target wgsl --entry main
  slang-analyzer emit renderer.slang --target spirv --entry main -o renderer.spv
  slang-analyzer emit loss.slang --target slang --function 'bwd_diff(loss)'
  slang-analyzer emit loss.slang --target cuda --kernel 'bwd_diff(Mlp<16>.eval)' --with-primal
  slang-analyzer emit renderer.slang -target hlsl -entry main -stage compute -o renderer.hlsl

Without --entry and --function: the entry points of the file, and for CUDA its kernels with their derivatives and \
what it exports. If there are none, all functions but those that run on the host.")]
pub struct Arguments {
    /// The file, `-` for standard input
    file: PathBuf,
    /// What to write; as slangc does, `-o` says it by the extension of its file
    #[arg(long, value_parser = target_parser())]
    target: Option<codegen::Target>,
    /// An entry point
    #[arg(long = "entry", value_name = "NAME", conflicts_with = "functions")]
    entries: Vec<String>,
    /// A function or a derivative: `f`, `Type.method`, `cholesky<4>`, `f(float2)`, `bwd_diff(f)`
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// A function or a derivative to put a compute entry point around: a thread for each element of its buffers
    #[arg(long = "kernel", value_name = "NAME", conflicts_with_all = ["entries", "functions"])]
    kernels: Vec<String>,
    /// Kernels of backward derivatives write the results of their functions, too
    #[arg(long, requires = "kernels")]
    with_primal: bool,
    /// Test indices that may be out of bounds: reads give zero, writes are dropped. Without it nothing is tested, as in
    /// slangc's code
    #[arg(long)]
    checked: bool,
    /// The file to write instead of standard output, which is `-`
    #[arg(short = 'o', long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write where parameters are bound and how their memory is laid out, as JSON
    #[arg(long, value_name = "FILE.json")]
    reflection: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    report: ReportArguments,
}

fn target_parser() -> impl clap::builder::TypedValueParser<Value = codegen::Target> {
    let names = PossibleValuesParser::new(codegen::Target::every().map(codegen::Target::name));
    names.try_map(|name| codegen::Target::from_name(&name).ok_or("not a target"))
}

pub fn main(arguments: &Arguments) -> ExitCode {
    match compile::with_large_stack(|| emit(arguments)) {
        Ok(bytes) => write(&bytes, arguments.output.as_ref()),
        Err(failure) => failure.exit(arguments.report.format),
    }
}

/// The target that was named, by us or by slangc, or that the name of the output means.
fn target(arguments: &Arguments, flags: &CompilerFlags) -> Result<codegen::Target, Failure> {
    let known = || codegen::Target::every().map(codegen::Target::name).collect::<Vec<_>>().join(", ");
    if let Some(name) = &flags.target {
        let name = ALIASES.iter().find(|(alias, _)| alias == name).map_or(name.as_str(), |(_, name)| name);
        let target = codegen::Target::from_name(name)
            .ok_or_else(|| Failure::Usage(format!("the target `{name}` of slangc is not one of ours: {}", known())))?;
        return match arguments.target.filter(|own| *own != target) {
            Some(own) => Err(Failure::Usage(format!("two targets are named: `{}` and `{name}`", own.name()))),
            None => Ok(target),
        };
    }
    if let Some(target) = arguments.target {
        return Ok(target);
    }
    let extension =
        arguments.output.as_ref().and_then(|path| path.extension()).and_then(|extension| extension.to_str());
    let meant = EXTENSIONS.iter().find(|(name, _)| Some(*name) == extension);
    meant.map(|(_, target)| *target).ok_or_else(|| {
        Failure::Usage(match extension {
            Some(extension) => {
                format!("`.{extension}` says no target that is known: use --target with one of {}", known())
            }
            None => format!("no target is named: use --target with one of {}", known()),
        })
    })
}

/// Whether a path of `-o` means standard output, as for slangc.
fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What is written does not overwrite the source, nor one output another.
fn one_file_each(arguments: &Arguments, flags: &CompilerFlags) -> Result<(), Failure> {
    let written = [&arguments.output, &arguments.reflection, &flags.dependency_file];
    let mut files: Vec<&Path> = vec![&arguments.file];
    for path in written.into_iter().flatten().filter(|path| !is_standard_output(path)) {
        if files.iter().any(|file| is_same(file, path)) {
            return Err(Failure::Usage(format!("{} is named twice: it would be overwritten", path.display())));
        }
        files.push(path);
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    one == other || matches!((real(one), real(other)), (Ok(one), Ok(other)) if one == other)
}

/// Other names of slangc's for targets that we have.
const ALIASES: [(&str, &str); 6] = [
    ("c++", "cpp"),
    ("cxx", "cpp"),
    ("cu", "cuda"),
    ("torch-binding", "torch"),
    ("torch-cpp", "torch"),
    ("torch-cpp-binding", "torch"),
];

const EXTENSIONS: [(&str, codegen::Target); 11] = [
    ("slang", codegen::Target::Slang),
    ("hlsl", codegen::Target::Hlsl),
    ("glsl", codegen::Target::Glsl),
    ("comp", codegen::Target::Glsl),
    ("vert", codegen::Target::Glsl),
    ("frag", codegen::Target::Glsl),
    ("wgsl", codegen::Target::Wgsl),
    ("spv", codegen::Target::Spirv),
    ("metal", codegen::Target::Metal),
    ("cpp", codegen::Target::Cpp),
    ("cu", codegen::Target::Cuda),
];

/// The entry points that were named; with a stage alone it is `main`, as for slangc.
fn entry_points(arguments: &Arguments, flags: &CompilerFlags) -> Result<Vec<String>, Failure> {
    if let Some(stage) = flags.stage.as_ref().filter(|stage| Stage::of_source(stage).is_none()) {
        return Err(Failure::Unsupported(format!("the stage `{stage}` is not supported")));
    }
    let mut names: Vec<String> = Vec::new();
    for name in arguments.entries.iter().chain(&flags.entry_points) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() && arguments.functions.is_empty() && arguments.kernels.is_empty() && flags.stage.is_some() {
        names.push("main".to_owned());
    }
    Ok(names)
}

/// Where the source says the stage, it is the one that is asked for: it decides what the parameters of an entry point are.
fn check_stage(program: &Program, flags: &CompilerFlags) -> Result<(), Failure> {
    let Some((name, wanted)) = flags.stage.as_deref().and_then(|name| Some((name, Stage::of_source(name)?))) else {
        return Ok(());
    };
    match program.module.entry_points.iter().find(|entry| entry.stage != wanted) {
        Some(other) => {
            let message = format!("`{}` as a {name} shader: its `[shader]` says another stage", other.name);
            Err(Failure::Unsupported(message))
        }
        None => Ok(()),
    }
}

/// What `make` reads: that the output has to be made again when one of the files changes.
fn write_dependencies(path: &Path, output: Option<&PathBuf>, project: &CommandProject) -> Result<(), Failure> {
    let escaped = |path: &str| path.replace('$', "$$").replace('#', "\\#").replace(' ', "\\ ");
    let output = output.map_or_else(|| "-".to_owned(), |path| path.to_string_lossy().into_owned());
    let depends: Vec<String> = project.paths().iter().map(|path| escaped(path)).collect();
    let text = format!("{}: {}\n", escaped(&output), depends.join(" "));
    let failed = |error| Failure::Usage(format!("cannot write {}: {error}", path.display()));
    std::fs::write(path, text).map_err(failed)
}

fn emit(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    let flags = arguments.project.compiler_flags().map_err(Failure::Usage)?;
    if let Some((option, what)) = flags.unknown_to_emission.first() {
        return Err(Failure::Unsupported(format!("`{option}` is not supported: {what}")));
    }
    let target = target(arguments, &flags)?;
    if !is_shown(target, arguments.output.as_ref()) {
        let message =
            "SPIR-V is not text for a terminal: name a file with --output, or `-` for standard output all the same";
        return Err(Failure::Usage(message.to_owned()));
    }
    one_file_each(arguments, &flags)?;
    let entries = entry_points(arguments, &flags)?;
    let Arguments { functions, kernels, with_primal, .. } = arguments;
    let roots = match (entries.is_empty(), functions.is_empty(), kernels.is_empty()) {
        (false, _, _) => {
            Roots::EntryPoints { names: &entries, stage: flags.stage.as_deref().and_then(Stage::of_source) }
        }
        (true, false, _) => Roots::Functions(functions),
        (true, true, false) => Roots::Kernels { functions: kernels, with_primal: *with_primal },
        (true, true, true) => Roots::Everything,
    };
    let file = &arguments.file;
    let (project, program) = compile::compile(file, &arguments.project, arguments.report, roots, &[], Some(target))?;
    check_stage(&program, &flags)?;
    let functions = match roots {
        Roots::EntryPoints { .. } | Roots::Kernels { .. } => Vec::new(),
        Roots::Functions(_) | Roots::Everything => program.roots.clone(),
    };
    let options = codegen::EmitOptions { functions, checked: arguments.checked, ..Default::default() };
    let emitted =
        program.emit(target, &options).map_err(|problems| Failure::reported(&project, arguments.report, &problems))?;
    if let Some(path) = &arguments.reflection {
        let refused = |errors: Vec<_>| Failure::reported(&project, arguments.report, &program.refused(&errors));
        let mut document = reflection::document(&program, target, &emitted).map_err(refused)?;
        if target == codegen::Target::Cuda && matches!(roots, Roots::Everything) {
            document["cudaKernels"] = reflection::cuda_kernels(&program).into();
            document["hostFunctions"] = compile::host_functions(&project.db, &program).into();
        }
        let failed = |error| Failure::Usage(format!("cannot write {}: {error}", path.display()));
        std::fs::write(path, format!("{document:#}\n")).map_err(failed)?;
    }
    if let Some(path) = &flags.dependency_file {
        write_dependencies(path, arguments.output.as_ref(), &project)?;
    }
    Ok(match emitted.code {
        codegen::Code::Text(text) => text.into_bytes(),
        codegen::Code::Words(words) => words.into_iter().flat_map(u32::to_le_bytes).collect(),
    })
}

/// Whether what is written can go where it is to go: bytes that are not text go to a terminal only if `-o -` asks for that.
fn is_shown(target: codegen::Target, path: Option<&PathBuf>) -> bool {
    target.is_text() || path.is_some() || !std::io::stdout().is_terminal()
}

fn write(bytes: &[u8], path: Option<&PathBuf>) -> ExitCode {
    let Some(path) = path.filter(|path| !is_standard_output(path)) else {
        output::bytes(bytes);
        return Status::Done.into();
    };
    match std::fs::write(path, bytes) {
        Ok(()) => Status::Done.into(),
        Err(error) => usage_error(&format!("cannot write {}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_has_a_file_extension() {
        for target in codegen::Target::ALL {
            assert!(EXTENSIONS.iter().any(|(_, meant)| *meant == target), "no extension means {}", target.name());
        }
    }
}
