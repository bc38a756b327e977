//! Code lenses: above each differentiable function, its derivatives and the check of them.

use base_db::{Db, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, Function, ItemId, ItemKind},
    position, scope, source_map,
};
use hir_ty::differential::rules::derivative_rules;
use syntax::TextRange;

use crate::{compiled::FunctionNames, gradient_check::case_texts, preview::PreviewOperator};

/// A line above a function that can be clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLens {
    /// The name of the function.
    pub range: TextRange,
    /// What the line says.
    pub title: String,
    /// The name that means this function alone among those of the file.
    pub function: String,
    /// What a click does.
    pub action: LensAction,
    /// Inputs that the source names for checks of the function.
    pub cases: Vec<String>,
}

/// What a click on a lens does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensAction {
    /// Shows the code of a derivative.
    Preview(PreviewOperator),
    /// Compares the derivatives with differences.
    CheckGradient,
    /// Seeks inputs at which something is not finite.
    FindNonFinite,
    /// The title says what it costs, which is counted when the lens is seen.
    Cost,
}

/// The lenses of all functions of a file that can be differentiated.
pub fn code_lenses(db: &dyn Db, file: SourceFile) -> Vec<CodeLens> {
    let names = FunctionNames::of(db, file);
    let mut lenses = Vec::new();
    for &item in scope::all_file_items(db, file).iter() {
        lenses_of(db, &names, item, &mut lenses);
    }
    lenses
}

fn lenses_of(db: &dyn Db, names: &FunctionNames, item: ItemId, lenses: &mut Vec<CodeLens>) {
    let data = item::item_data(db, item);
    let (ItemKind::Function(Function { has_body, .. }), Some(name)) = (&data.kind, &data.name) else { return };
    let Some(source) = source_map::item_source(db, item) else { return };
    let rules = derivative_rules(db, item);
    let range = position::absolute(db, source.name.unwrap_or(source.range)).1;
    if !rules.is_differentiable() {
        return;
    }
    let function = names.name(db, item);
    let mut push = |title: String, action| {
        let cases = if action == LensAction::CheckGradient { case_texts(db, item) } else { Vec::new() };
        lenses.push(CodeLens { range, title, function: function.clone(), action, cases });
    };
    let operators = [
        (DerivativeOperator::Backward, PreviewOperator::Backward, "bwd_diff"),
        (DerivativeOperator::Forward, PreviewOperator::Forward, "fwd_diff"),
    ];
    for (operator, preview, spelling) in operators {
        if rules.allows(operator) {
            push(format!("{spelling}({name})"), LensAction::Preview(preview));
        }
    }
    // What has no body cannot be run, and what is generic not without types.
    if *has_body && data.generics.params.is_empty() {
        push("check gradient".to_owned(), LensAction::CheckGradient);
        push("find NaN".to_owned(), LensAction::FindNonFinite);
        if rules.allows(DerivativeOperator::Backward) {
            push("cost".to_owned(), LensAction::Cost);
        }
    }
}
