//! A function at one point, for people who look at it: the gradient panel, and values in the margin of the source.

use interp::gradcheck::evaluate::{AtPoint, Derived, Entry, Evaluator};
use ir::SpanId;
use rustc_hash::FxHashMap;

use super::{GradientCheck, OriginPlace, Subject, words};

/// Points of a plot, and of each side of a map.
const PLOTTED: u32 = 161;
const MAPPED: u32 = 33;

/// A number of the inputs that is moved from one value to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// Which number of the inputs.
    pub number: usize,
    /// From.
    pub low: f64,
    /// To.
    pub high: f64,
}

/// What is asked of a function; without numbers, at some at which its value is finite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The numbers of the inputs.
    pub at: Option<Vec<f64>>,
    /// The float of the results that is plotted.
    pub result: usize,
    /// The number along which is plotted, and of which differences are made with several steps.
    pub along: Option<Sweep>,
    /// The second of the two over which a map is made.
    pub over: Option<Sweep>,
}

/// A number of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExploredInput {
    /// How the source names it: `ray.origin[0]`.
    pub name: String,
    /// `float`, `int` or `bool`.
    pub kind: &'static str,
    /// Its value; 0 and 1 for truth values.
    pub value: f64,
    /// Whether it carries a derivative.
    pub is_differentiable: bool,
    /// The domain that the source tells.
    pub range: Option<(f64, f64)>,
}

/// A result along a number of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// The numbers.
    pub xs: Vec<f64>,
    /// The result at each of them.
    pub values: Vec<f64>,
    /// The derivative by the number, where there is one.
    pub derivatives: Vec<Option<f64>>,
}

/// A result over two numbers of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Over {
    /// The first numbers.
    pub xs: Vec<f64>,
    /// The second numbers.
    pub ys: Vec<f64>,
    /// A row for each of `ys`.
    pub values: Vec<Vec<f64>>,
}

/// The answer to a [`Question`].
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The numbers of the inputs.
    pub inputs: Vec<ExploredInput>,
    /// Name and value of each float of the results.
    pub results: Vec<(String, f64)>,
    /// The derivatives, by result and input.
    pub entries: Vec<Entry>,
    /// The plot, if one was asked for.
    pub along: Option<Along>,
    /// The map, if one was asked for.
    pub over: Option<Over>,
    /// Steps of differences, and how far these are from the derivative along the number.
    pub errors: Vec<(f64, f64)>,
    /// Why there are no derivatives.
    pub problems: Vec<String>,
}

/// What the lines of a function make at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// The numbers of the inputs.
    pub inputs: Vec<ExploredInput>,
    /// What is computed, in the order of the source.
    pub lines: Vec<MarginLine>,
}

/// What a line of the source makes.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginLine {
    /// The outermost expression of the line.
    pub place: OriginPlace,
    /// How often it was computed, and which of these is shown, from 0.
    pub count: u32,
    /// When it ran: what ran later has a greater number.
    pub time: u32,
    /// Its value, scalar by scalar.
    pub value: Vec<f64>,
    /// By how much the sum of the results changes with each number.
    pub cotangent: Option<Vec<f64>>,
}

impl MarginLine {
    /// `0.84, d 0.54`
    pub fn words(&self) -> String {
        let numbers = |numbers: &[f64]| {
            let texts: Vec<String> = numbers.iter().map(|number| words::number(*number)).collect();
            if let [one] = texts.as_slice() { one.clone() } else { format!("({})", texts.join(", ")) }
        };
        let cotangent = self.cotangent.as_ref().map_or("?".to_owned(), |cotangent| numbers(cotangent));
        let of = if self.count > 1 { format!(" ({} of {})", self.time + 1, self.count) } else { String::new() };
        format!("{}, d {cotangent}{of}", numbers(&self.value))
    }
}

impl GradientCheck {
    /// The value and all derivatives at a point, and what is around it.
    pub fn explore(self, question: &Question) -> Result<Exploration, Vec<String>> {
        let subject = self.subject?;
        let derived = derived(&subject)?;
        let mut evaluator = derived.evaluator(&subject.options);
        let at = question.at.clone().unwrap_or_else(|| evaluator.start());
        let found = evaluator.at(&at).ok_or_else(|| vec![unfit(&at)])?;
        let AtPoint { results, entries } = found.map_err(|error| vec![format!("it does not run: {error}")])?;
        let (mut along, mut over, mut errors) = (None, None, Vec::new());
        if let Some(x) = question.along {
            let xs = steps(x, if question.over.is_some() { MAPPED } else { PLOTTED });
            match question.over {
                Some(y) => {
                    let ys = steps(y, MAPPED);
                    let values = evaluator.over(&at, question.result, (x.number, &xs), (y.number, &ys));
                    over = Some(Over { xs, ys, values });
                }
                None => {
                    let found = evaluator.along(&at, (question.result, x.number), &xs);
                    let (values, derivatives) = found.into_iter().unzip();
                    along = Some(Along { xs, values, derivatives });
                }
            }
            let entry = entries.iter().find(|entry| (entry.result, entry.number) == (question.result, x.number));
            if let Some(derivative) = entry.and_then(|entry| entry.backward.or(entry.forward)) {
                errors = evaluator.errors_by_step(&at, (question.result, x.number), derivative);
            }
        }
        let inputs = inputs(&subject, &evaluator, &at);
        let results = results.into_iter().map(|(place, value)| (place.to_string(), value)).collect();
        Ok(Exploration { inputs, results, entries, along, over, errors, problems: problems(&derived) })
    }

    /// What each line makes at a point, and its cotangent; of what runs several times number `time`, from 0, or the last.
    pub fn margin(self, at: Option<&[f64]>, time: Option<u32>) -> Result<Margin, Vec<String>> {
        let subject = self.subject?;
        let derived = derived(&subject)?;
        let mut evaluator = derived.evaluator(&subject.options);
        let at = at.map_or_else(|| evaluator.start(), <[f64]>::to_vec);
        let found = evaluator.on_the_way(&at, time, |spans| outermost(&subject, spans));
        let found =
            found.ok_or_else(|| vec![unfit(&at)])?.map_err(|error| vec![format!("it does not run: {error}")])?;
        let mut lines: Vec<MarginLine> = Vec::new();
        for found in found {
            let Some(place) = words::source_place(&subject, &[found.span]) else { continue };
            let (count, time, value, cotangent) = (found.count, found.time, found.value, found.cotangent);
            lines.push(MarginLine { place, count, time, value, cotangent });
        }
        lines.sort_by(|a, b| (&a.place.path, a.place.line).cmp(&(&b.place.path, b.place.line)));
        Ok(Margin { inputs: inputs(&subject, &evaluator, &at), lines })
    }
}

fn derived(subject: &Subject) -> Result<Derived, Vec<String>> {
    let derived = Derived::new(&subject.compiled.module, subject.compiled.root());
    derived.ok_or_else(|| vec!["its inputs are too large to be shown".to_owned()])
}

fn unfit(at: &[f64]) -> String {
    format!("its inputs are not {} numbers", at.len())
}

fn problems(derived: &Derived) -> Vec<String> {
    let modes = ["forward", "backward"].into_iter().zip(&derived.problems);
    let told = modes.filter_map(|(mode, error)| Some((mode, error.as_ref()?)));
    told.map(|(mode, error)| format!("no {mode} derivative: {}", words::as_written(&error.to_string()))).collect()
}

fn inputs(subject: &Subject, evaluator: &Evaluator<'_>, at: &[f64]) -> Vec<ExploredInput> {
    let numbers = evaluator.numbers().into_iter().zip(at);
    let input = |(number, &value): (interp::gradcheck::evaluate::Number, &f64)| {
        let kind = match number.scalar {
            ir::Scalar::Bool => "bool",
            scalar if scalar.is_float() => "float",
            _ => "int",
        };
        let mut ranges = subject.options.ranges.iter();
        let range = ranges.find(|(name, _)| *name == number.place.name).map(|(_, range)| *range);
        let is_differentiable = number.is_differentiable;
        ExploredInput { name: number.place.to_string(), kind, value, is_differentiable, range }
    };
    numbers.map(input).collect()
}

/// Evenly spaced values, both ends included.
fn steps(sweep: Sweep, count: u32) -> Vec<f64> {
    let Sweep { low, high, .. } = sweep;
    (0..count).map(|step| low + (high - low) * f64::from(step) / f64::from(count - 1)).collect()
}

/// Of each line in the user's files the place of the longest expression.
fn outermost(subject: &Subject, spans: &[SpanId]) -> Vec<SpanId> {
    let mut by_line: FxHashMap<(String, u32), (u32, SpanId)> = FxHashMap::default();
    for &span in spans {
        let Some(place) = words::source_place(subject, &[span]) else { continue };
        let length = u32::from(place.range.range.len());
        let longest = by_line.entry((place.path, place.line)).or_insert((length, span));
        if (length, span.0) > (longest.0, longest.1.0) {
            *longest = (length, span);
        }
    }
    let mut chosen: Vec<((String, u32), SpanId)> = by_line.into_iter().map(|(line, (_, span))| (line, span)).collect();
    chosen.sort();
    chosen.into_iter().map(|(_, span)| span).collect()
}
