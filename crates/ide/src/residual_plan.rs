//! The residual plan of a function: what reverse mode keeps between its two sweeps, where, and why.

use autodiff::residuals::ResidualItem;
use base_db::Db;
use hir_def::body::DerivativeOperator;

use crate::{FilePosition, FileRange, compiled};

#[derive(Debug, Clone, PartialEq)]
pub struct ResidualPlan {
    /// The name of the function.
    pub function: String,
    /// The decisions in the order of the source, or why there is no plan.
    pub items: Result<Vec<PlacedItem>, Vec<String>>,
}

/// A decision, and where the value it is about is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedItem {
    pub place: Option<FileRange>,
    pub item: ResidualItem,
}

impl ResidualPlan {
    /// The bytes of all that is stored.
    pub fn bytes(&self) -> u64 {
        self.items.iter().flatten().map(|placed| placed.item.total_bytes).sum()
    }
}

/// The plan of the function around a position, or of the one in the same file that is named. `None` if there is no function
/// there.
pub fn residual_plan(db: &dyn Db, at: FilePosition, name: Option<&str>) -> Option<ResidualPlan> {
    let (item, function) = compiled::function_at(db, at, name)?;
    let items = compiled::compile(db, item, &[DerivativeOperator::Backward], &[]).and_then(|compiled| {
        let plan = autodiff::residual_plan(&compiled.module, compiled.root).map_err(|error| vec![error.to_string()])?;
        let place = |item: ResidualItem| PlacedItem { place: compiled.place(item.span), item };
        Ok(plan.items.into_iter().map(place).collect())
    });
    Some(ResidualPlan { function, items })
}
