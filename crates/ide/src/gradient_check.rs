//! The gradient checker for functions of the source: do their derivatives agree with them?
//!
//! Where inputs are sampled may be said in the source, by a line of the comment above the function:
//!
//! ```text
//! /// @domain x = 0.5..2
//! [Differentiable] float f(float x) { return log(log(x + 1.0)); }
//! ```
//!
//! The domain of other inputs is searched.

mod cases;
mod cost;
mod explore;
mod inputs;
mod non_finite;
mod words;

pub use autodiff::tally::Operations;
use base_db::{Db, text::FileText};
use cases::Case;
pub use cost::{Alternative, Cost, CostOutcome, CostTable, LineCost};
pub use explore::{Along, Exploration, ExploredInput, Margin, MarginLine, Over, Question, Sweep};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
    position, source_map,
};
use hir_ty::{conformance, env::Env, generics, known::Known};
pub use inputs::{inputs_of, what_is_taken};
pub use interp::gradcheck::evaluate::{Entry, Slope};
use interp::gradcheck::{Checked, Nothing, Options, Sum, check_function};
use lower::Root;
pub use non_finite::{DescribedNonFinite, NonFiniteOutcome, stage_word};
use smol_str::SmolStr;

use crate::{
    FilePosition, FileRange, compiled,
    driver::Program,
    function_instances::{Instance, instances_of},
};

/// The word in front of a domain in a comment.
const ANNOTATION: &str = "@domain ";

/// An input and the range of its floats.
pub type Domain = (SmolStr, (f64, f64));

/// A check that is ready to be run. It needs the database no more, so that it may take its time while the user types.
pub struct GradientCheck {
    /// The name of the function.
    pub function: String,
    subject: Result<Subject, Vec<String>>,
    wrong_domain: Option<WrongDomain>,
}

/// What is wrong with the domains or cases in the comment above a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongDomain {
    /// A sentence.
    pub message: String,
    /// The name of the function.
    pub at: Option<FileRange>,
}

/// Whether the cases that the source names are among the checks of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cases {
    /// With the cases.
    Included,
    /// Without the cases.
    LeftOut,
}

/// A compiled function, and the texts of the files that it comes from.
struct Subject {
    compiled: Program,
    sources: Vec<Source>,
    options: Options,
    chosen: Option<String>,
    /// Whether it is at inputs that the source names, where not every branch is taken.
    is_case: bool,
}

struct Source {
    path: String,
    text: FileText,
    is_library: bool,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was compared with something: each input and result that carries a derivative, and each branch that a rule
    /// written by hand depends on (see [`interp::gradcheck::Report::is_settled`]).
    Ok,
    /// A derivative is wrong.
    Wrong,
    /// What was compared is right, but there are parts that were not.
    NotSettled,
    /// No derivative was compared with anything.
    NothingCompared,
}

/// The outcome, with words for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The name of the function, for people.
    pub function: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What was compared, what is wrong, and what could not be compared, a line each.
    pub lines: Vec<String>,
    /// What the checker says; `None` if the function could not be compiled.
    pub checked: Option<Checked>,
    /// For each of its findings what is wrong in a sentence, and the place of what is not finite.
    pub described: Vec<DescribedFinding>,
    /// Which derivative is wrong against which.
    pub rules: Vec<String>,
    /// The parts that were not compared.
    pub not_settled: Vec<String>,
}

/// What is wrong, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedFinding {
    /// A sentence.
    pub message: String,
    /// Where a number stops being finite, if that is what is wrong.
    pub origin: Option<OriginPlace>,
}

/// Where in the source a number stops being finite. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginPlace {
    /// The file.
    pub path: String,
    /// From 1 on.
    pub line: u32,
    /// In characters, from 1 on.
    pub column: u32,
    /// What is written there.
    pub text: String,
    /// The same in bytes.
    pub range: FileRange,
}

/// Prepares the checks of the function around a position, or of the one in the same file that is named: one for each
/// instance of it. `None` if there is no function there.
pub fn gradient_checks(
    db: &dyn Db,
    at: FilePosition,
    name: Option<&str>,
    options: &Options,
    cases: Cases,
) -> Option<(String, Vec<GradientCheck>)> {
    let (item, function) = compiled::function_at(db, at, name)?;
    let refused = |lines: Vec<String>| {
        vec![GradientCheck { function: function.clone(), subject: Err(lines), wrong_domain: None }]
    };
    if !is_checked(db, item) {
        let checks = refused(vec!["the function is not differentiable: mark it [Differentiable]".to_owned()]);
        return Some((function, checks));
    }
    let instances = instances_of(db, item);
    let checks = match instances.found.as_slice() {
        [] => refused(instances.skipped.into_iter().map(|skipped| skipped.reason).collect()),
        found => found.iter().flat_map(|instance| prepare(db, instance, &[], options, cases)).collect(),
    };
    Some((function, checks))
}

/// Prepares the check of a function, or of what `operators` make of it, and those of its cases.
pub fn prepare(
    db: &dyn Db,
    instance: &Instance,
    operators: &[DerivativeOperator],
    options: &Options,
    cases: Cases,
) -> Vec<GradientCheck> {
    let mut checks = vec![prepare_one(db, instance, operators, options, None)];
    if cases == Cases::Included && operators.is_empty() {
        let cases = cases::cases(db, instance.function.item);
        checks.extend(cases.iter().map(|case| prepare_one(db, instance, &[], options, Some(case))));
    }
    checks
}

/// The cases of a function, as they are written.
pub fn case_texts(db: &dyn Db, function: ItemId) -> Vec<String> {
    cases::cases(db, function).into_iter().map(|case| case.text).collect()
}

fn prepare_one(
    db: &dyn Db,
    instance: &Instance,
    operators: &[DerivativeOperator],
    options: &Options,
    case: Option<&Case>,
) -> GradientCheck {
    let function = instance.function;
    let root = match operators.is_empty() {
        true => Root::Differentiated(function),
        false => Root::Function { function, operators: operators.to_vec() },
    };
    let compiled = compiled::compile_root(db, root);
    let function = match &compiled {
        Ok(compiled) if !operators.is_empty() => compiled.module.funcs[compiled.root()].name.to_string(),
        _ => instance.name.clone(),
    };
    let mut wrong_domain = None;
    let subject = compiled.and_then(|compiled| {
        let mut options = case.map_or_else(|| options.clone(), |case| case.options(options));
        let inputs = &compiled.module.funcs[compiled.root()].inputs;
        let at = || function_name(db, instance.function.item);
        if let Some(message) = case.and_then(|case| case.problem(inputs)) {
            wrong_domain = Some(WrongDomain { message: message.clone(), at: at() });
            return Err(vec![message]);
        }
        // The first range of an input counts, so that those asked for overrule the source.
        match annotated_domains(db, instance.function.item, inputs) {
            Ok(domains) => options.ranges.extend(domains),
            Err(message) => {
                wrong_domain = Some(WrongDomain { message: message.clone(), at: at() });
                return Err(vec![message]);
            }
        }
        options.sum = sum_rule(db, instance.function.item);
        let sources = compiled.files.iter().map(|file| Source {
            path: file.path(db).to_string(),
            text: db.text(*file).cloned().unwrap_or_default(),
            is_library: hir_def::modules::is_prelude(db, *file),
        });
        let sources = sources.collect();
        let (chosen, is_case) = (instance.chosen.clone(), case.is_some());
        Ok(Subject { compiled, sources, options, chosen, is_case })
    });
    let function = case.map_or(function.clone(), |case| format!("{function} [{}]", case.text));
    GradientCheck { function, subject, wrong_domain }
}

impl GradientCheck {
    /// The names of what can have a domain: inputs and shader parameters. Nothing for what could not be compiled.
    pub fn parameters(&self) -> Vec<SmolStr> {
        let Ok(Subject { compiled, .. }) = &self.subject else { return Vec::new() };
        let inputs = compiled.module.funcs[compiled.root()].inputs.iter().map(|input| input.name.clone());
        let parameters = compiled.module.globals.iter().filter(|(_, global)| global.kind == ir::GlobalKind::Parameter);
        inputs.chain(parameters.map(|(_, global)| global.name.clone())).collect()
    }

    /// What is wrong with the domains in the comment above the function.
    pub fn wrong_domain(&self) -> Option<&WrongDomain> {
        self.wrong_domain.as_ref()
    }

    /// Runs the check.
    pub fn run(self) -> Outcome {
        match self.subject {
            Ok(subject) => {
                let checked = check_function(&subject.compiled.module, subject.compiled.root(), &subject.options);
                let mut outcome = words::outcome(self.function, &subject, checked);
                // A case is not meant to reach every part, but to be at its inputs.
                if subject.is_case && matches!(outcome.verdict, Verdict::Ok | Verdict::NotSettled) {
                    let checked = outcome.checked.as_ref();
                    let settled = checked.is_some_and(|checked| checked.report.is_settled_by_differences());
                    outcome.verdict = if settled { Verdict::Ok } else { Verdict::NotSettled };
                }
                outcome
            }
            Err(lines) => {
                let (described, rules, not_settled) = (Vec::new(), Vec::new(), Vec::new());
                let verdict = Verdict::NothingCompared;
                Outcome { function: self.function, verdict, lines, checked: None, described, rules, not_settled }
            }
        }
    }
}

impl Outcome {
    /// Whether there is nothing to compare: by the user's declaration, or because the function is a constant.
    pub fn is_skipped(&self) -> bool {
        let skipped = [Some(Nothing::ZeroByWord), Some(Nothing::Constant)];
        self.checked.as_ref().is_some_and(|checked| skipped.contains(&checked.report.nothing))
    }
}

/// Whether a function is one to check: it is differentiable, or adds differentials.
pub fn is_checked(db: &dyn Db, function: ItemId) -> bool {
    hir_ty::differential::rules::derivative_rules(db, function).is_differentiable() || sum_rule(db, function).is_some()
}

/// What a function has to be if it is the `dadd` or `dzero` of a differentiable type.
fn sum_rule(db: &dyn Db, function: ItemId) -> Option<Sum> {
    let aggregate = generics::enclosing_aggregate(db, function)?;
    let sum = match item::item_data(db, function).name.as_ref()?.as_str() {
        "dadd" => Sum::Add,
        "dzero" => Sum::Zero,
        _ => return None,
    };
    let ty = generics::self_type(db, aggregate)?;
    conformance::conforms_to_known(db, Env::of(db, function), ty, Known::IDifferentiable).then_some(sum)
}

/// The outcome of a check.
fn verdict(checked: &Checked) -> Verdict {
    let report = &checked.report;
    if report.is_wrong() {
        Verdict::Wrong
    } else if report.compared() == 0 {
        Verdict::NothingCompared
    } else if report.is_good() && report.is_settled() {
        Verdict::Ok
    } else {
        Verdict::NotSettled
    }
}

/// Where the name of a function is.
fn function_name(db: &dyn Db, item: ItemId) -> Option<FileRange> {
    let (file, range) = position::absolute(db, source_map::item_source(db, item).as_ref()?.name?);
    Some(FileRange { file, range })
}

/// What `x=0.5..2` means.
pub fn domain(text: &str) -> Result<Domain, String> {
    let read = || {
        let (name, range) = text.split_once('=')?;
        let (low, high) = range.split_once("..")?;
        let (low, high) = (low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?);
        (low.is_finite() && high.is_finite() && low <= high).then(|| (name.trim().into(), (low, high)))
    };
    read().ok_or_else(|| format!("`{text}` is not a domain; write it as `x=0.5..2`"))
}

/// The domains in the comment above a function.
fn annotated_domains(db: &dyn Db, item: ItemId, inputs: &[ir::Input]) -> Result<Vec<Domain>, String> {
    let data = item::item_data(db, item);
    let lines = data.doc.iter().flat_map(|doc| doc.lines());
    let annotations = lines.filter_map(|line| line.trim().strip_prefix(ANNOTATION));
    let read = |text: &str| {
        let found = domain(text)?;
        match inputs.iter().any(|input| input.name == found.0) {
            true => Ok(found),
            false => Err(format!("`{text}` is not the domain of a parameter: {}", listed(inputs))),
        }
    };
    annotations.map(read).collect()
}

fn listed(inputs: &[ir::Input]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| format!("`{}`", input.name)).collect();
    if names.is_empty() { "there are none".to_owned() } else { format!("there are {}", names.join(", ")) }
}
