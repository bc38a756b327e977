//! Cases of gradient checks: inputs that the source names, by lines of the comment above a function.
//!
//! ```text
//! /// @gradcheck x = 1, y = 0.5..2
//! [Differentiable] float f(float x, float y) { return pow(x, y); }
//! ```
//!
//! All numbers of an input that is named have the value, or are in the range; the others are sampled.

use base_db::Db;
use hir_def::item::{self, ItemId};

use super::{Domain, domain, listed};

/// The word in front of a case in a comment.
const ANNOTATION: &str = "@gradcheck ";

/// Samples of a case, if an input is left to chance.
const SAMPLES: u32 = 2;

/// Inputs that the source names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    /// As it is written.
    pub text: String,
    pub domains: Result<Vec<Domain>, String>,
}

impl Case {
    /// The options with which a case is checked: where it says, and nowhere else.
    pub(super) fn options(&self, options: &interp::gradcheck::Options) -> interp::gradcheck::Options {
        let told = self.domains.clone().unwrap_or_default();
        let ranges = told.into_iter().chain(options.ranges.iter().cloned()).collect();
        let samples = options.samples.min(SAMPLES);
        interp::gradcheck::Options { ranges, samples, edges: 0, sought_steps: 0, ..options.clone() }
    }

    /// What is wrong with it for a function of these inputs.
    pub(super) fn problem(&self, inputs: &[ir::Input]) -> Option<String> {
        let domains = match &self.domains {
            Ok(domains) => domains,
            Err(problem) => return Some(problem.clone()),
        };
        let unknown = domains.iter().find(|(name, _)| !inputs.iter().any(|input| input.name == *name));
        unknown.map(|(name, _)| format!("`{name}` of the case `{}` is not a parameter: {}", self.text, listed(inputs)))
    }
}

/// The cases in the comment above a function.
pub(super) fn cases(db: &dyn Db, function: ItemId) -> Vec<Case> {
    let data = item::item_data(db, function);
    let lines = data.doc.iter().flat_map(|doc| doc.lines());
    let annotations = lines.filter_map(|line| line.trim().strip_prefix(ANNOTATION));
    annotations.map(|text| Case { text: text.trim().to_owned(), domains: read(text) }).collect()
}

fn read(text: &str) -> Result<Vec<Domain>, String> {
    let one = |part: &str| {
        let value = || {
            let (name, value) = part.split_once('=')?;
            let value: f64 = value.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
            Some((name.trim().into(), (value, value)))
        };
        value().map_or_else(
            || domain(part).map_err(|_| format!("`{}` is not an input of a case; write it as `x=1`", part.trim())),
            Ok,
        )
    };
    text.split(',').map(one).collect()
}
