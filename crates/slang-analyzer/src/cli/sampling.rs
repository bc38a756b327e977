//! Where the commands about derivatives run functions: at inputs drawn from domains.

use clap::Args;
use ide::{
    function_instances::{Instances, Skipped, all_instances, instances_named},
    gradient_check::{Cases, Domain, GradientCheck, WrongDomain, domain, is_checked, prepare},
};
use interp::gradcheck::Options;

use super::{
    compile::{self, Failure, parse_derivative},
    functions,
    project::display_path,
};

/// Where functions are run.
#[derive(Args)]
pub struct Sampling {
    /// Where an input is sampled, both ends included
    #[arg(long = "domain", value_name = "INPUT=LOW..HIGH", value_parser = domain)]
    domains: Vec<Domain>,
    /// How many random inputs are tried
    #[arg(long, value_name = "N", default_value_t = Options::default().samples)]
    samples: u32,
    /// How many inputs at 0, 1, -1, at equal inputs and at the ends of domains are tried
    #[arg(long, value_name = "N", default_value_t = Options::default().edges)]
    edges: u32,
    /// Where the random numbers start
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    seed: u64,
}

impl Sampling {
    pub fn options(&self) -> Options {
        let Sampling { domains, samples, edges, seed } = self;
        Options { ranges: domains.clone(), samples: *samples, edges: *edges, seed: *seed, ..Options::default() }
    }
}

/// The checks of the functions that are named, or of all of a file, and the functions that are left out.
pub fn prepared(
    of: &functions::FunctionArguments,
    options: &Options,
    cases: Cases,
) -> Result<(Vec<GradientCheck>, Vec<Skipped>), Failure> {
    let (project, file) = compile::load(&of.file, &of.project, of.report)?;
    let db = &project.db;
    let mut checks = Vec::new();
    let mut skipped = Vec::new();
    if of.functions.is_empty() {
        let Instances { found, skipped: without } = all_instances(db, file, |item| is_checked(db, item));
        checks.extend(found.iter().flat_map(|instance| prepare(db, instance, &[], options, cases)));
        skipped = without;
    }
    for expression in &of.functions {
        let (name, operators) = parse_derivative(expression);
        let instances = instances_named(db, file, name).map_err(Failure::Usage)?;
        checks.extend(instances.found.iter().flat_map(|instance| prepare(db, instance, &operators, options, cases)));
    }
    if checks.is_empty() && skipped.is_empty() {
        return Err(Failure::Usage("there is no differentiable function".to_owned()));
    }
    for check in &checks {
        if let Some(WrongDomain { message, at }) = check.wrong_domain() {
            let place = at.and_then(|at| compile::position_in(db, at.file, at.range.start().into()));
            let place = place
                .map_or_else(String::new, |(path, line, column)| format!("{}:{line}:{column}: ", display_path(&path)));
            return Err(Failure::Usage(format!("{place}{message}")));
        }
    }
    known_domains(&options.ranges, &checks)?;
    Ok((checks, skipped))
}

/// The checks of functions that take the numbers of `--at`, if it is given.
pub fn taking(checks: Vec<GradientCheck>, at: Option<&[f64]>) -> Result<Vec<GradientCheck>, Failure> {
    let Some(at) = at else { return Ok(checks) };
    let (unfit, fit): (Vec<_>, Vec<_>) =
        checks.into_iter().map(|check| (check.takes_instead(at), check)).partition(|(instead, _)| instead.is_some());
    if fit.is_empty() {
        let takes: Vec<String> = unfit.into_iter().filter_map(|(instead, _)| instead).collect();
        return Err(Failure::Usage(unfit_numbers(at, &takes)));
    }
    Ok(fit.into_iter().map(|(_, check)| check).collect())
}

/// ``3 numbers were given: `f` takes `x` (float), `y` (float)``
pub fn unfit_numbers(at: &[f64], takes: &[String]) -> String {
    let given = match at.len() {
        1 => "1 number was given".to_owned(),
        count => format!("{count} numbers were given"),
    };
    format!("{given}: {}", takes.join("; "))
}

/// Every domain of the command line is that of some parameter.
fn known_domains(domains: &[Domain], checks: &[GradientCheck]) -> Result<(), Failure> {
    let unknown = domains.iter().find(|(name, _)| {
        let mut all = checks.iter().flat_map(GradientCheck::parameters);
        !all.any(|parameter| parameter == *name)
    });
    let Some((name, _)) = unknown else { return Ok(()) };
    let takes = checks.iter().map(|check| {
        let parameters: Vec<String> = check.parameters().iter().map(|name| format!("`{name}`")).collect();
        let listed = if parameters.is_empty() { "nothing".to_owned() } else { parameters.join(", ") };
        format!("`{}` takes {listed}", check.function)
    });
    let takes: Vec<String> = takes.collect();
    Err(Failure::Usage(format!("`--domain {name}` is not the domain of a parameter: {}", takes.join("; "))))
}
