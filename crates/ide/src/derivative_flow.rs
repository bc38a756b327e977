//! The derivative flow of a function: which names in it carry a derivative, for an editor that colours them.

use base_db::Db;
use differentiability::{FlowState, ValueExplanation, WayPart, WayStep, explain_value, value_flow};
use hir_def::{
    item,
    position::{self, Location},
    source_map,
};
use syntax::{TextRange, TextSize};

use crate::{
    FilePosition, FileRange,
    semantics::{self, Found},
};

/// Which values of a function carry a derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivativeFlow {
    /// The name of the function.
    pub function: String,
    /// In the order of the text; they do not overlap.
    pub values: Vec<(TextRange, FlowState)>,
}

/// The flow of the function around a position; without values if it is not differentiable or has errors. `None` if there
/// is no function there.
pub fn derivative_flow(db: &dyn Db, at: FilePosition) -> Option<DerivativeFlow> {
    let function = semantics::function_at(db, at)?;
    let name = item::item_data(db, function).name.as_ref();
    let values = value_flow(db, function);
    let values = values.iter().map(|value| (position::absolute(db, value.location).1, value.state)).collect();
    Some(DerivativeFlow { function: name.map_or_else(String::new, ToString::to_string), values })
}

/// Why a value carries a derivative, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedValue {
    /// What stands there.
    pub name: String,
    /// The part that it has in the derivative of its function.
    pub state: FlowState,
    /// One sentence in Markdown.
    pub text: String,
    /// The way of the derivative, place by place.
    pub way: Vec<PlacedStep>,
}

/// A place that a derivative comes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedStep {
    /// Which part of the way it belongs to.
    pub part: WayPart,
    /// What is there, in Markdown.
    pub text: String,
    /// Where it is.
    pub at: FileRange,
}

/// Why the value that is named at a position carries a derivative or not, and the places on the way.
pub fn explained_value(db: &dyn Db, at: FilePosition) -> Option<ExplainedValue> {
    let found = semantics::find(db, at)?;
    let ValueExplanation { state, text, way } = explained(db, at.file, &found)?;
    let name = db.text(at.file)?.slice(found.range.into());
    let placed = |WayStep { part, text, at }: WayStep| {
        let (file, range) = position::absolute(db, at);
        PlacedStep { part, text, at: FileRange { file, range } }
    };
    Some(ExplainedValue { name, state, text, way: way.into_iter().map(placed).collect() })
}

/// Why what stands in a body carries a derivative or not, in one sentence.
pub(crate) fn explanation(db: &dyn Db, file: base_db::SourceFile, found: &Found) -> Option<String> {
    Some(explained(db, file, found)?.text)
}

fn explained(db: &dyn Db, file: base_db::SourceFile, found: &Found) -> Option<ValueExplanation> {
    let location = match found.expr {
        Some(expr) => source_map::body_source_map(db, found.context).expr(expr),
        None => relative(db, FileRange { file, range: found.range })?,
    };
    explain_value(db, found.context, location)
}

fn relative(db: &dyn Db, place: FileRange) -> Option<Location> {
    let (segment, part, start) = source_map::segment_at(db, place.file, place.range.start())?;
    let range = TextRange::at(start, TextSize::new(place.range.len().into()));
    Some(Location { segment, part, range })
}
