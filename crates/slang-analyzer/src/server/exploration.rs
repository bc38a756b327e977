//! `slang-analyzer/explore` and `slang-analyzer/values`: a function at one point, for the gradient panel and for the margin.
//!
//! Numbers that are not finite are `null`: JSON has none of them.

use ide::gradient_check::{
    Entry, Exploration, ExploredInput, GradientCheck, Margin, MarginLine, Question, Slope, Sweep,
};
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{Range, Uri};

use super::{
    extensions::{FunctionParams, GradientChecks},
    world::Snapshot,
};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExploreParams {
    #[serde(flatten)]
    pub function: FunctionParams,
    /// The numbers of the inputs, in order; some at which the value is finite without them.
    #[serde(default)]
    pub at: Option<Vec<f64>>,
    /// Which float of the results is plotted.
    #[serde(default)]
    pub result: usize,
    /// The number along which is plotted, and the second one for a map.
    #[serde(default)]
    pub along: Option<SweepParams>,
    #[serde(default)]
    pub over: Option<SweepParams>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct SweepParams {
    /// The position among the numbers of the inputs.
    pub number: usize,
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExploreResult {
    pub function: String,
    pub inputs: Vec<InputNumber>,
    pub results: Vec<ResultNumber>,
    pub gradients: Vec<Gradient>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub along: Option<Curve>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Map>,
    /// Steps of central differences, each with its error.
    pub errors: Vec<(f64, f64)>,
    /// Why something is missing.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputNumber {
    pub name: String,
    /// `float`, `int` or `bool`.
    pub kind: &'static str,
    pub value: f64,
    pub is_differentiable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ResultNumber {
    pub name: String,
    pub value: f64,
}

/// The derivative of a result by an input, by their positions.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Gradient {
    pub result: usize,
    pub input: usize,
    pub forward: Option<f64>,
    pub backward: Option<f64>,
    pub differences: Option<f64>,
    /// The slopes to both sides, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kink: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Curve {
    pub xs: Vec<f64>,
    pub values: Vec<f64>,
    pub derivatives: Vec<Option<f64>>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Map {
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    /// A row for each of `ys`.
    pub values: Vec<Vec<f64>>,
}

/// What the first instance of a function makes of it.
pub(crate) fn explore((function, checks): GradientChecks, params: &ExploreParams) -> ExploreResult {
    let sweep = |sweep: SweepParams| Sweep { number: sweep.number, low: sweep.low, high: sweep.high };
    let (along, over) = (params.along.map(sweep), params.over.map(sweep));
    let question = Question { at: params.at.clone(), result: params.result, along, over };
    let first: Option<GradientCheck> = checks.into_iter().next();
    let explored = first.map_or_else(|| Err(Vec::new()), |first| first.explore(&question));
    match explored {
        Ok(explored) => explored_result(function, explored),
        Err(problems) => ExploreResult {
            function,
            inputs: Vec::new(),
            results: Vec::new(),
            gradients: Vec::new(),
            along: None,
            over: None,
            errors: Vec::new(),
            problems,
        },
    }
}

fn explored_result(function: String, explored: Exploration) -> ExploreResult {
    let gradient = |entry: Entry| {
        let (differences, kink) = match entry.slope {
            Slope::Is(slope) => (Some(slope), None),
            Slope::Kink(left, right) => (None, Some((left, right))),
            Slope::Unsettled => (None, None),
        };
        let Entry { result, number: input, forward, backward, .. } = entry;
        Gradient { result, input, forward, backward, differences, kink }
    };
    let results = explored.results.into_iter().map(|(name, value)| ResultNumber { name, value });
    ExploreResult {
        function,
        inputs: explored.inputs.into_iter().map(input).collect(),
        results: results.collect(),
        gradients: explored.entries.into_iter().map(gradient).collect(),
        along: explored.along.map(|along| Curve { xs: along.xs, values: along.values, derivatives: along.derivatives }),
        over: explored.over.map(|over| Map { xs: over.xs, ys: over.ys, values: over.values }),
        errors: explored.errors,
        problems: explored.problems,
    }
}

fn input(input: ExploredInput) -> InputNumber {
    let ExploredInput { name, kind, value, is_differentiable, range } = input;
    InputNumber { name, kind, value, is_differentiable, range }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValuesParams {
    #[serde(flatten)]
    pub function: FunctionParams,
    #[serde(default)]
    pub at: Option<Vec<f64>>,
    /// Of what runs several times, which is shown, from 0; the last without it.
    #[serde(default)]
    pub iteration: Option<u32>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ValuesResult {
    pub function: String,
    pub inputs: Vec<InputNumber>,
    pub lines: Vec<LineValue>,
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct LineValue {
    pub uri: Uri,
    pub range: Range,
    /// All in words, short enough for the end of a line.
    pub text: String,
    pub value: Vec<f64>,
    pub cotangent: Option<Vec<f64>>,
    /// How often it was computed, and which of these is shown, from 0.
    pub count: u32,
    pub iteration: u32,
}

/// The name of a function and what its lines make, or why that is not known.
pub(crate) type Margins = (String, Result<Margin, Vec<String>>);

pub(crate) fn margin((function, checks): GradientChecks, params: &ValuesParams) -> Margins {
    let first: Option<GradientCheck> = checks.into_iter().next();
    let margin = first.map_or_else(|| Err(Vec::new()), |first| first.margin(params.at.as_deref(), params.iteration));
    (function, margin)
}

pub(crate) fn values(snapshot: &Snapshot, (function, margin): &Margins) -> ValuesResult {
    let function = function.clone();
    let margin = match margin {
        Ok(margin) => margin.clone(),
        Err(problems) => {
            let (inputs, lines, problems) = (Vec::new(), Vec::new(), problems.clone());
            return ValuesResult { function, inputs, lines, problems };
        }
    };
    let line = |line: MarginLine| {
        let location = snapshot.location(line.place.range)?;
        Some(LineValue {
            uri: location.uri,
            range: location.range,
            text: line.words(),
            value: line.value,
            cotangent: line.cotangent,
            count: line.count,
            iteration: line.time,
        })
    };
    let inputs = margin.inputs.into_iter().map(input).collect();
    ValuesResult { function, inputs, lines: margin.lines.into_iter().filter_map(line).collect(), problems: Vec::new() }
}
