//! Where an infinity or NaN comes from, in words: the operation, its numbers, and what to write instead.

use interp::gradcheck::non_finite::{NonFinite, Stage, find_non_finite};

use super::{GradientCheck, OriginPlace, Subject, words};

/// What a search for numbers that are not finite has found.
#[derive(Debug, Clone, PartialEq)]
pub struct NonFiniteOutcome {
    /// The name of the function, for people.
    pub function: String,
    /// Inputs at which the function ran.
    pub points: u32,
    /// One for each operation that is to blame, those of derivatives first.
    pub found: Vec<DescribedNonFinite>,
    /// Why it was not looked everywhere.
    pub problems: Vec<String>,
}

/// An operation that is to blame, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedNonFinite {
    /// All in one sentence.
    pub message: String,
    /// Where it is.
    pub place: Option<OriginPlace>,
    /// What was found.
    pub found: NonFinite,
}

impl GradientCheck {
    /// Names the operations that make infinities and NaN, in the function or only in its derivatives: at the numbers of the
    /// inputs, in order, or at sampled ones.
    pub fn find_non_finite(self, at: Option<&[f64]>) -> NonFiniteOutcome {
        let (function, mut problems) = (self.function, Vec::new());
        let nothing = |function, problems| NonFiniteOutcome { function, points: 0, found: Vec::new(), problems };
        let subject = match self.subject {
            Ok(subject) => subject,
            Err(lines) => return nothing(function, lines),
        };
        let compiled = &subject.compiled;
        let Some(report) = find_non_finite(&compiled.module, compiled.root(), at, &subject.options) else {
            let given = at.map_or(0, <[f64]>::len);
            return nothing(function, vec![format!("its inputs are not {given} numbers")]);
        };
        for (mode, error) in [("forward", &report.jvp), ("backward", &report.vjp)] {
            if let Some(error) = error {
                problems.push(format!("no {mode} derivative: {}", words::as_written(&error.to_string())));
            }
        }
        problems.extend(report.failure.map(|failure| format!("at some inputs it does not run: {failure}")));
        let found = report.found.into_iter().map(|found| {
            let place = found.origin.as_ref().and_then(|origin| words::origin_place(&subject, origin));
            DescribedNonFinite { message: message(&subject, &found, place.as_ref()), place, found }
        });
        let found = found.collect();
        NonFiniteOutcome { function, points: report.points, found, problems }
    }
}

/// What is not finite, in a word.
pub fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Primal => "value",
        Stage::Forward => "forward",
        Stage::Backward => "backward",
    }
}

fn message(subject: &Subject, found: &NonFinite, place: Option<&OriginPlace>) -> String {
    let number = words::number(found.found);
    let what = match &found.input {
        None => format!("the value `{}` is {number}", found.result),
        Some(input) => {
            let modes: Vec<&str> = found.stages.iter().map(|stage| stage_word(*stage)).collect();
            let derivative = words::derivative_of(&found.result, input);
            format!("{}: {derivative} is {number}, although the value is finite", modes.join(" and "))
        }
    };
    let at = words::at(subject, &found.inputs);
    let from = match (&found.origin, place) {
        (Some(origin), Some(place)) => format!(": {}", words::describe_origin(origin, place, found.input.is_some())),
        (Some(origin), None) => words::cause(origin),
        (None, _) => ": no operation makes it, it comes in with an input or a buffer, or from several".to_owned(),
    };
    format!("{what}{at}{from}")
}
