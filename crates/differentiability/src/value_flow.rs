//! How the values that the user wrote take part in the derivative of a body: for each name whether a derivative comes to it
//! and whether one is expected of it, and why.

use autodiff::{
    activity::{ChainStep, StepKind},
    explain::{Arrival, End, Explainer, Explanation},
};
use base_db::Db;
use hir_def::{item::ItemId, position::Location};
use ir::ValueId;

use crate::{
    finding::name_location,
    flow::{self, Flow, chain},
};

/// A name in a body, and the part it has in the derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueFlow {
    /// Where the name stands in the body.
    pub location: Location,
    /// The part that its value has there.
    pub state: FlowState,
}

/// The part that a value has in the derivative of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowState {
    /// A derivative comes from a differentiable parameter and goes on to a differentiable result.
    Active,
    /// A derivative comes, but the value goes into no differentiable result.
    Unused,
    /// The value depends on a differentiable parameter, but the derivative has ended on the way.
    Ended,
    /// The value depends on no differentiable parameter.
    Independent,
}

/// What there is to say about one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueExplanation {
    /// The part that the value has in the derivative.
    pub state: FlowState,
    /// One sentence in Markdown.
    pub text: String,
    /// The way of the derivative: to the value, or to where it ends, and on from there.
    pub way: Vec<WayStep>,
}

/// A place that a derivative comes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayStep {
    /// Which part of the way it belongs to.
    pub part: WayPart,
    /// What is there, in Markdown.
    pub text: String,
    /// Where it is written.
    pub at: Location,
}

/// The parts of the way of a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WayPart {
    /// From where it comes.
    Comes,
    /// Where it ends.
    Ends,
    /// Where it goes, or would go.
    Goes,
}

/// The names in the body of a differentiable function that stand for values with derivatives by their type; nothing for
/// other functions, and none while the body has errors.
pub fn value_flow(db: &dyn Db, item: ItemId) -> Vec<ValueFlow> {
    let mut found: Vec<ValueFlow> = Vec::new();
    for_each_function(db, item, |flow, explainer| {
        for (location, value) in written(flow) {
            if flow.text(location).is_some_and(is_name) {
                let state = state(&explainer.explain(value));
                match found.iter_mut().find(|known| known.location == location) {
                    Some(known) => known.state = state,
                    None => found.push(ValueFlow { location, state }),
                }
            }
        }
    });
    found.sort_by_key(|found| (found.location.part, found.location.range.start()));
    found
}

/// Why the expression, variable or parameter at `location` carries a derivative, or why not.
pub fn explain_value(db: &dyn Db, item: ItemId, location: Location) -> Option<ValueExplanation> {
    let mut explained = None;
    for_each_function(db, item, |flow, explainer| {
        let here = written(flow).filter(|(place, _)| *place == location).last();
        if let Some((_, value)) = here {
            let explanation = explainer.explain(value);
            let (state, text) = (state(&explanation), sentence(flow, &explanation));
            explained = Some(ValueExplanation { state, text, way: way(flow, &explanation) });
        }
    });
    explained
}

/// The function of the item and those of the lambdas in it.
fn for_each_function(db: &dyn Db, item: ItemId, mut visit: impl FnMut(&Flow<'_>, &Explainer<'_>)) {
    if !flow::is_analysed(db, item) {
        return;
    }
    let lowered = lower::lower_for_analysis(db, item);
    for &func in lowered.func.iter().chain(&lowered.lambdas) {
        if lowered.module.funcs[func].body.is_some() {
            let flow = Flow { db, item, lowered, func };
            visit(&flow, &Explainer::new(&lowered.module, func));
        }
    }
}

/// The values of the function that the user wrote, parameters first, as far as their types have derivatives.
fn written<'a>(flow: &'a Flow<'_>) -> impl Iterator<Item = (Location, ValueId)> + 'a {
    let (func, types) = (flow.func(), &flow.module().types);
    let is_own = flow.lowered.func == Some(flow.func);
    let inputs = func.input_values().iter().zip(&func.inputs).filter(move |_| is_own);
    let params = inputs.filter_map(|(&value, input)| Some((chain::place_of_param(flow, &input.name)?, value)));
    let values = flow.lowered.values.iter().filter(|written| written.func == flow.func);
    let values = values.filter_map(|written| Some((flow.location(written.span)?, written.value)));
    params.chain(values).filter(|(_, value)| types.is_differentiable(func.ty(*value)))
}

fn is_name(text: &str) -> bool {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

fn state(explanation: &Explanation) -> FlowState {
    match (&explanation.arrival, &explanation.to_result) {
        (Arrival::Carries(_), Some(_)) => FlowState::Active,
        (Arrival::Carries(_), None) => FlowState::Unused,
        (Arrival::Ended { .. }, _) => FlowState::Ended,
        (Arrival::Independent, _) => FlowState::Independent,
    }
}

fn sentence(flow: &Flow<'_>, explanation: &Explanation) -> String {
    match (&explanation.arrival, &explanation.to_result) {
        (Arrival::Carries(from), Some(to)) => {
            let mut way = steps(flow, from);
            for step in steps(flow, to) {
                if way.last() != Some(&step) {
                    way.push(step);
                }
            }
            format!("carries a derivative: {}", way.join(" → "))
        }
        (Arrival::Carries(from), None) => {
            format!("carries a derivative ({}), but goes into no differentiable result", steps(flow, from).join(" → "))
        }
        (Arrival::Ended { op, end, to_end }, _) => {
            let place = flow.location(flow.func().ops[*op].span).and_then(|location| flow.text(location));
            let at = place.map_or("on the way".to_owned(), |text| format!("at `{text}`"));
            let way = steps(flow, to_end).join(" → ");
            match end {
                End::Dropped => format!("carries no derivative: that of {way} is dropped {at}, as the source says"),
                End::Number => format!("carries no derivative: that of {way} ends {at}, which has none by nature"),
                End::Lost(_) => format!("carries no derivative: that of {way} is lost {at}"),
            }
        }
        (Arrival::Independent, _) => "carries no derivative: it depends on no differentiable parameter".to_owned(),
    }
}

/// The names on a way, each once.
fn steps(flow: &Flow<'_>, chain: &[ChainStep]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in chain.iter().filter_map(|step| name_of(flow, step)) {
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}

fn name_of(flow: &Flow<'_>, step: &ChainStep) -> Option<String> {
    match step.what {
        StepKind::Input(index) => flow.func().inputs.get(index).map(|input| format!("`{}`", input.name)),
        StepKind::Call(op) => chain::callee(flow, op).map(|name| format!("the call of {name}")),
        StepKind::Operation(_) | StepKind::Flow => {
            flow.func().values[step.value].name.as_ref().map(|name| format!("`{name}`"))
        }
        StepKind::Result(index) => match flow.func().results.get(index) {
            Some(result) if !result.is_return() => Some(format!("`{}` on the way out", result.name)),
            _ => Some("the result".to_owned()),
        },
        StepKind::Argument(op) => chain::callee(flow, op).map(|name| format!("an argument of {name}")),
    }
}

/// The steps of an explanation with their places, each once.
fn way(flow: &Flow<'_>, explanation: &Explanation) -> Vec<WayStep> {
    let (before, end) = match &explanation.arrival {
        Arrival::Carries(from) => (from.as_slice(), None),
        Arrival::Ended { op, end, to_end } => (to_end.as_slice(), Some((*op, *end))),
        Arrival::Independent => (&[][..], None),
    };
    let named = |part, chain: &[ChainStep]| {
        let steps = chain
            .iter()
            .filter_map(move |step| Some(WayStep { part, text: name_of(flow, step)?, at: place_of(flow, step)? }));
        steps.collect::<Vec<_>>()
    };
    let ends = end.and_then(|(op, end)| {
        let at = flow.location(flow.func().ops[op].span)?;
        let what = flow.text(at).map_or_else(String::new, |text| format!("`{text}` "));
        let text = match end {
            End::Dropped => format!("{what}drops it, as the source says"),
            End::Number => format!("{what}has none by nature"),
            End::Lost(_) => format!("{what}loses it"),
        };
        Some(WayStep { part: WayPart::Ends, text, at })
    });
    let after = named(WayPart::Goes, explanation.to_result.as_deref().unwrap_or_default());
    let mut way: Vec<WayStep> = Vec::new();
    for step in named(WayPart::Comes, before).into_iter().chain(ends).chain(after) {
        if way.iter().all(|known| (known.at, &known.text) != (step.at, &step.text)) {
            way.push(step);
        }
    }
    way
}

fn place_of(flow: &Flow<'_>, step: &ChainStep) -> Option<Location> {
    match step.what {
        StepKind::Input(index) => chain::place_of_param(flow, &flow.func().inputs.get(index)?.name),
        StepKind::Result(index) => match flow.func().results.get(index)? {
            result if result.is_return() => name_location(flow.db, flow.item),
            result => chain::place_of_param(flow, &result.name),
        },
        StepKind::Call(_) | StepKind::Operation(_) | StepKind::Flow | StepKind::Argument(_) => flow.location(step.span),
    }
}
