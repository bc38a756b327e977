//! `slang-analyzer signature`: the signatures of a function and of its derivatives.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use base_db::Db;
use hir_def::{body::DerivativeOperator, item::ItemId};
use hir_ty::{
    differential::{display::signature_text, signature::callable_signature},
    env::Env,
    generics,
    infer::result::Callable,
    signature::FunctionRef,
};
use lexopt::prelude::*;

use super::{
    compile::functions_named,
    project::{CommandProject, ProjectOptions},
    report, usage_error,
};

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let (file, function, options) = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(&error.to_string()),
    };
    let mut project = CommandProject::new(&options);
    let file = match project.load(&file) {
        Ok(file) => file,
        Err(error) => return usage_error(&error),
    };
    let found = functions_named(&project.db, file, &function);
    if found.is_empty() {
        return usage_error(&format!("there is no function `{function}`"));
    }
    for item in found {
        for line in signatures(&project.db, item, &function) {
            report::line(&line);
        }
    }
    ExitCode::SUCCESS
}

fn parse(arguments: Vec<OsString>) -> Result<(PathBuf, String, ProjectOptions), lexopt::Error> {
    let (mut file, mut function) = (None, None);
    let mut options = ProjectOptions::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('I') => options.search_roots.push(parser.value()?.into()),
            Short('D') => options.define(parser.value()?),
            Long("function") => function = Some(parser.value()?.string()?),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok((file.ok_or("signature: name a file")?, function.ok_or("signature: name a function with --function")?, options))
}

/// The primal signature and those of both derivatives, as far as there are any.
fn signatures(db: &dyn Db, item: ItemId, name: &str) -> Vec<String> {
    let env = Env::of(db, item);
    let self_ty = generics::enclosing_aggregate(db, item).and_then(|aggregate| generics::self_type(db, aggregate));
    let function = Callable::Function(FunctionRef { item, args: generics::identity_args(db, item), self_ty });
    let derivative = |operator| Callable::Derivative { operator, of: Box::new(function.clone()) };
    [
        (name.to_owned(), function.clone()),
        (format!("fwd_diff({name})"), derivative(DerivativeOperator::Forward)),
        (format!("bwd_diff({name})"), derivative(DerivativeOperator::Backward)),
    ]
    .into_iter()
    .filter_map(|(name, callable)| {
        let signature = callable_signature(db, env, &callable).ok()?;
        Some(signature_text(db, &name, &signature))
    })
    .collect()
}
