//! The residual plan of a function: what reverse mode keeps between its two sweeps, where, and why.

use autodiff::residuals::ResidualItem;
use base_db::Db;
use hir_def::body::DerivativeOperator;
use hir_ty::differential::rules::derivative_rules;
use lower::Root;

use crate::{
    FilePosition, FileRange, compiled,
    function_instances::{Instance, instances_of},
};

/// What is kept between the sweeps of a function.
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
    /// Where the value is computed, if that is in the source.
    pub place: Option<FileRange>,
    /// The decision.
    pub item: ResidualItem,
}

impl ResidualPlan {
    /// The bytes of all that is stored.
    pub fn bytes(&self) -> u64 {
        self.items.iter().flatten().map(|placed| placed.item.total_bytes).sum()
    }
}

/// The plan of the function around a position, or of the one in the same file that is named. `None` if there is no function
/// there. A generic function stands for its first instance.
pub fn residual_plan(db: &dyn Db, at: FilePosition, name: Option<&str>) -> Option<ResidualPlan> {
    let (item, function) = compiled::function_at(db, at, name)?;
    if !derivative_rules(db, item).allows(DerivativeOperator::Backward) {
        let items = Err(vec!["the function is not differentiable: mark it [Differentiable]".to_owned()]);
        return Some(ResidualPlan { function, items });
    }
    let instances = instances_of(db, item);
    Some(match instances.found.first() {
        Some(instance) => plan_of(db, instance, &[]),
        None => {
            let reasons = instances.skipped.into_iter().map(|skipped| skipped.reason);
            ResidualPlan { function, items: Err(reasons.collect()) }
        }
    })
}

/// The plan of a function that can be compiled, or of what `operators` make of it.
pub fn plan_of(db: &dyn Db, instance: &Instance, operators: &[DerivativeOperator]) -> ResidualPlan {
    let root = Root::Function { function: instance.function, operators: operators.to_vec() };
    let items = compiled::compile_root(db, root).and_then(|compiled| {
        let plan =
            autodiff::residual_plan(&compiled.module, compiled.root()).map_err(|error| vec![error.to_string()])?;
        let place = |item: ResidualItem| PlacedItem { place: compiled.place(item.span), item };
        Ok(plan.items.into_iter().map(place).collect())
    });
    let applied = |name: String, operator: &DerivativeOperator| match operator {
        DerivativeOperator::Forward => format!("fwd_diff({name})"),
        _ => format!("bwd_diff({name})"),
    };
    ResidualPlan { function: operators.iter().fold(instance.name.clone(), applied), items }
}
