//! `slang-analyzer signature`: the signatures of a function and of its derivatives.

use std::{path::PathBuf, process::ExitCode};

use base_db::{Db, SourceFile};
use clap::Args;
use hir_def::body::DerivativeOperator;
use hir_ty::{
    differential::{display::signature_text, rules::derivative_rules, signature::callable_signature},
    env::Env,
    infer::result::Callable,
    signature::FunctionRef,
};
use ide::function_instances::instances_named;

use super::{
    arguments::ProjectArguments, compile::parse_derivative, output, project::CommandProject, status::Status,
    usage_error,
};

/// Print the signatures of a function and of its derivatives.
#[derive(Args)]
#[command(after_help = "Examples:
  slang-analyzer signature loss.slang --function loss
  slang-analyzer signature loss.slang --function 'bwd_diff(Mlp<16>.eval)'")]
pub struct Arguments {
    /// The file, `-` for standard input
    file: PathBuf,
    /// A function or a derivative: `f`, `Type.method`, `cholesky<4>`, `f(float2)`, `bwd_diff(f)`
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
    match signatures(&project.db, file, &arguments.function) {
        Ok(lines) => {
            lines.iter().for_each(|line| output::line(line));
            Status::Done.into()
        }
        Err(error) => usage_error(&error),
    }
}

/// Of a function, its signature and those of the derivatives that it has; of a derivative, its own.
fn signatures(db: &dyn Db, file: SourceFile, expression: &str) -> Result<Vec<String>, String> {
    let (name, operators) = parse_derivative(expression);
    let mut lines = Vec::new();
    for instance in instances_named(db, file, name)?.found {
        let primal = (instance.name.clone(), Callable::Function(instance.function));
        let derived = |operators: &[DerivativeOperator]| {
            operators.iter().fold(primal.clone(), |(name, of), operator| {
                (
                    format!("{}({name})", operator.spelling()),
                    Callable::Derivative { operator: *operator, of: Box::new(of) },
                )
            })
        };
        if !operators.is_empty() {
            let derivative = signature_of(db, instance.function, derived(&operators));
            lines.push(derivative.ok_or_else(|| format!("`{}` has no such derivative", instance.name))?);
            continue;
        }
        let both = [DerivativeOperator::Forward, DerivativeOperator::Backward].map(|operator| derived(&[operator]));
        lines
            .extend(std::iter::once(primal).chain(both).filter_map(|named| signature_of(db, instance.function, named)));
    }
    Ok(lines)
}

/// `None` if the function has no such derivative.
fn signature_of(db: &dyn Db, function: FunctionRef, (name, callable): (String, Callable)) -> Option<String> {
    let mut derivative = &callable;
    while let Callable::Derivative { operator, of } = derivative {
        if !derivative_rules(db, function.item).allows(*operator) {
            return None;
        }
        derivative = of;
    }
    let signature = callable_signature(db, Env::of(db, function.item), &callable).ok()?;
    Some(signature_text(db, &name, &signature))
}
