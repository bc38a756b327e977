//! `slang-analyzer emit`: code for a target.

use std::{ffi::OsString, io::Write, path::PathBuf, process::ExitCode};

use lexopt::prelude::*;

use super::{
    compile::{self, Failure, Roots},
    project::ProjectOptions,
    usage_error,
};

struct Arguments {
    file: PathBuf,
    target: codegen::Target,
    entries: Vec<String>,
    functions: Vec<String>,
    output: Option<PathBuf>,
    options: ProjectOptions,
}

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    let output = arguments.output.clone();
    match compile::with_large_stack(move || emit(arguments)) {
        Ok(bytes) => write(&bytes, output),
        Err(failure) => failure.exit(),
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Arguments, lexopt::Error> {
    let (mut file, mut target, mut output) = (None, None, None);
    let (mut entries, mut functions) = (Vec::new(), Vec::new());
    let mut options = ProjectOptions::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => options.search_roots.push(parser.value()?.into()),
            Short('D') => options.define(parser.value()?),
            Short('o') => output = Some(PathBuf::from(parser.value()?)),
            Long("target") => {
                let name = parser.value()?.string()?;
                target = Some(codegen::Target::from_name(&name).ok_or_else(|| {
                    let known: Vec<&str> = codegen::Target::ALL.iter().map(|target| target.name()).collect();
                    format!("unknown target `{name}`: it is one of {}", known.join(", "))
                })?);
            }
            Long("entry") => entries.push(parser.value()?.string()?),
            Long("function") => functions.push(parser.value()?.string()?),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Arguments {
        file: file.ok_or("emit: name a file")?,
        target: target.ok_or("emit: name a target with --target")?,
        entries,
        functions,
        output,
        options,
    })
}

fn emit(arguments: Arguments) -> Result<Vec<u8>, Failure> {
    let roots = match (arguments.entries.is_empty(), arguments.functions.is_empty()) {
        (true, true) => Roots::Everything,
        (false, true) => Roots::EntryPoints(arguments.entries),
        (true, false) => Roots::Functions(arguments.functions),
        (false, false) => return Err(Failure::Usage("emit: name either entry points or functions".to_owned())),
    };
    let compiled = compile::compile(&arguments.file, &arguments.options, &roots, &[])?;
    let functions = match roots {
        Roots::EntryPoints(_) => Vec::new(),
        Roots::Functions(_) => compiled.roots.clone(),
        Roots::Everything if compiled.module.entry_points.is_empty() => compiled.roots.clone(),
        Roots::Everything => Vec::new(),
    };
    let emitted =
        codegen::emit(&compiled.module, arguments.target, &codegen::EmitOptions { functions, ..Default::default() })
            .map_err(|errors| compile::refused(&compiled, &errors))?;
    Ok(match emitted.code {
        codegen::Code::Text(text) => text.into_bytes(),
        codegen::Code::Words(words) => words.into_iter().flat_map(u32::to_le_bytes).collect(),
    })
}

fn write(bytes: &[u8], output: Option<PathBuf>) -> ExitCode {
    let result = match &output {
        Some(path) => std::fs::write(path, bytes),
        None => std::io::stdout().lock().write_all(bytes),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => usage_error(&format!("cannot write: {error}")),
    }
}
