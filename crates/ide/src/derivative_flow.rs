//! The derivative flow of a function: which names in it carry a derivative, for an editor that colours them.

use base_db::Db;
use differentiability::{FlowState, explain_value, value_flow};
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

/// Why what stands in a body carries a derivative or not, in one sentence.
pub(crate) fn explanation(db: &dyn Db, file: base_db::SourceFile, found: &Found) -> Option<String> {
    let location = match found.expr {
        Some(expr) => source_map::body_source_map(db, found.context).expr(expr),
        None => relative(db, FileRange { file, range: found.range })?,
    };
    Some(explain_value(db, found.context, location)?.text)
}

fn relative(db: &dyn Db, place: FileRange) -> Option<Location> {
    let (segment, part, start) = source_map::segment_at(db, place.file, place.range.start())?;
    let range = TextRange::at(start, TextSize::new(place.range.len().into()));
    Some(Location { segment, part, range })
}
