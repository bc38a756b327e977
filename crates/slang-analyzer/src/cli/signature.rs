//! `slang-analyzer signature`: the signatures of a function and of its derivatives.

use std::{path::PathBuf, process::ExitCode};

use base_db::Db;
use clap::Args;
use hir_def::{body::DerivativeOperator, item::ItemId};
use hir_ty::{
    differential::{display::signature_text, signature::callable_signature},
    env::Env,
    generics,
    infer::result::Callable,
    signature::FunctionRef,
};

use super::{
    arguments::ProjectArguments, compile::functions_named, project::CommandProject, report, status::Status, usage_error,
};

/// Print the signatures of a function and of its derivatives.
#[derive(Args)]
#[command(after_help = "Example:\n  slang-analyzer signature loss.slang --function loss")]
pub struct Arguments {
    /// The file, `-` for standard input
    file: PathBuf,
    /// A function (`f`) or a method (`Type.method`)
    #[arg(long, value_name = "NAME")]
    function: String,
    #[command(flatten)]
    project: ProjectArguments,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    let mut project = match CommandProject::new(&arguments.project) {
        Ok(project) => project,
        Err(error) => return usage_error(&error),
    };
    let file = match project.load(&arguments.file) {
        Ok(file) => file,
        Err(error) => return usage_error(&error),
    };
    let found = functions_named(&project.db, file, &arguments.function);
    if found.is_empty() {
        return usage_error(&format!("there is no function `{}`", arguments.function));
    }
    for item in found {
        for line in signatures(&project.db, item, &arguments.function) {
            report::line(&line);
        }
    }
    Status::Done.into()
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
