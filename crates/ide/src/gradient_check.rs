//! The gradient checker for a function of the source: does its derivative agree with it?
//!
//! Where inputs are sampled may be said in the source, by a line of the comment above the function:
//!
//! ```text
//! /// @domain x = 0.5..2
//! [Differentiable] float f(float x) { return log(log(x + 1.0)); }
//! ```
//!
//! The domain of other inputs is searched.

use base_db::Db;
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId},
};
use interp::gradcheck::{Checked, Finding, FindingKind, Kink, Options, check_function};
use smol_str::SmolStr;

use crate::{
    FilePosition,
    compiled::{self, Compiled},
};

/// The word in front of a domain in a comment.
const ANNOTATION: &str = "@domain ";

/// An input and the range of its floats.
pub type Domain = (SmolStr, (f64, f64));

/// A check that is ready to be run. It needs the database no more, so that it may take its time while the user types.
pub struct GradientCheck {
    /// The name of the function.
    pub function: String,
    subject: Result<(Compiled, Options), Vec<String>>,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Ok,
    Wrong,
    /// No input was found at which the function and its derivative could be compared.
    NotChecked,
}

/// The outcome for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// What was compared, what is wrong, and what could not be compared, a line each.
    pub lines: Vec<String>,
}

/// Prepares the check of the function around a position, or of the one in the same file that is named. `None` if there is no
/// function there.
pub fn gradient_check(
    db: &dyn Db,
    at: FilePosition,
    name: Option<&str>,
    mut options: Options,
) -> Option<GradientCheck> {
    let (item, function) = compiled::function_at(db, at, name)?;
    let either = [DerivativeOperator::Forward, DerivativeOperator::Backward];
    let subject = compiled::compile(db, item, &either, &[]).and_then(|compiled| {
        let inputs = &compiled.module.funcs[compiled.root].inputs;
        options.ranges.extend(annotated_domains(db, item, inputs).map_err(|problem| vec![problem])?);
        Ok((compiled, options))
    });
    Some(GradientCheck { function, subject })
}

impl GradientCheck {
    pub fn run(self) -> Outcome {
        match self.subject {
            Ok((compiled, options)) => outcome(&check_function(&compiled.module, compiled.root, &options)),
            Err(lines) => Outcome { verdict: Verdict::NotChecked, lines },
        }
    }
}

/// What `x=0.5..2` means.
pub fn domain(text: &str) -> Result<Domain, String> {
    let read = || {
        let (name, range) = text.split_once('=')?;
        let (low, high) = range.split_once("..")?;
        let (low, high) = (low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?);
        (low.is_finite() && high.is_finite() && low <= high).then(|| (name.trim().into(), (low, high)))
    };
    read().ok_or_else(|| format!("`{text}` is no domain; write it as `x=0.5..2`"))
}

/// The domains in the comment above a function.
pub fn annotated_domains(db: &dyn Db, item: ItemId, inputs: &[ir::Input]) -> Result<Vec<Domain>, String> {
    let data = item::item_data(db, item);
    let lines = data.doc.iter().flat_map(|doc| doc.lines());
    let annotations = lines.filter_map(|line| line.trim().strip_prefix(ANNOTATION));
    let read = |text: &str| {
        let found = domain(text)?;
        match inputs.iter().any(|input| input.name == found.0) {
            true => Ok(found),
            false => Err(format!("`{text}` is the domain of no parameter")),
        }
    };
    annotations.map(read).collect()
}

/// A check in words.
pub fn outcome(checked: &Checked) -> Outcome {
    let report = &checked.report;
    // A function that does not run says nothing of its derivative.
    let is_about_derivative = |finding: &Finding| !matches!(finding.kind, FindingKind::Failed { kind: None, .. });
    let verdict = if report.findings.iter().any(is_about_derivative) {
        Verdict::Wrong
    } else if report.samples == 0 || !report.findings.is_empty() {
        Verdict::NotChecked
    } else {
        Verdict::Ok
    };
    let mut lines = vec![format!(
        "{} samples, {} directions, {} outside of the domain, {} at kinks",
        report.samples, report.directions, report.outside_domain, report.kinks
    )];
    for (mode, error) in [("forward", &checked.jvp), ("backward", &checked.vjp)] {
        if let Some(error) = error {
            lines.push(format!("no {mode} derivative: {error}"));
        }
    }
    if report.overflows > 0 {
        lines.push(format!(
            "in {} places the derivative is not finite because numbers on the way to the value are too large for 64 bits",
            report.overflows
        ));
    }
    lines.extend(report.findings.iter().map(describe_finding));
    lines.extend(report.kink_places.iter().map(describe_kink));
    Outcome { verdict, lines }
}

fn describe_kink(kink: &Kink) -> String {
    let Kink { result, input, left, right, found } = kink;
    format!(
        "`{result}` has a kink in `{input}`: the slope is {left} to the left and {right} to the right, the derivative \
         says {found}"
    )
}

/// What is wrong, in one sentence.
pub fn describe_finding(finding: &Finding) -> String {
    match &finding.kind {
        FindingKind::Jvp { result, input, found, expected } => {
            format!("the tangent of `{result}` by `{input}` is {found}, differences say {expected}")
        }
        FindingKind::Vjp { input, found, expected, .. } => {
            format!("the cotangent of `{input}` is {found}, the tangents say {expected}")
        }
        FindingKind::PrimalChanged { result, found, expected } => {
            format!("the derivative gives {found} for the value of `{result}`, the function {expected}")
        }
        FindingKind::StateChanged { kind, variable } => {
            format!("{} leaves another value in `{variable}` than the function", kind.word())
        }
        FindingKind::Failed { kind, error } => {
            let what = kind.map_or("the function", |kind| kind.word());
            format!("{what} does not run: {error}")
        }
    }
}
