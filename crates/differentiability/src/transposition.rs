//! Whether a forward derivative that the user wrote can be transposed, where a backward derivative needs it.

use autodiff::ErrorKind;
use base_db::Db;
use diagnostics::stack;
use hir_def::{body::DerivativeOperator, item::ItemId};
use hir_ty::{generics, signature::FunctionRef, ty::GenericArgs};
use ir::verify::VerifiedModule;
use lower::{Root, Setting, lower_program};

/// What keeps the only derivative of a function, a forward one, from being transposed, as what is said after "a forward derivative,
/// and"; `None` also for functions that need generic arguments.
#[salsa::tracked(returns(ref))]
pub(crate) fn obstacle(db: &dyn Db, item: ItemId) -> Option<String> {
    if !generics::parameters(db, item).is_empty() {
        return None;
    }
    let function = FunctionRef { item, args: GenericArgs::empty(db), self_ty: None };
    let roots = [Root::Function { function, operators: vec![DerivativeOperator::Backward] }];
    let lowered = lower_program(db, &roots, &[], Setting::default());
    if !lowered.errors.is_empty() {
        return None;
    }
    let roots: Vec<_> = lowered.roots.into_iter().flatten().collect();
    let mut module = VerifiedModule::new(lowered.module).ok()?;
    let errors = stack::deep(|| autodiff::expand(&mut module, &roots)).err()?;
    errors.into_iter().find_map(|error| match error.kind {
        ErrorKind::NotLinear { operation, .. } => Some(format!("that is not linear, by {operation}")),
        ErrorKind::LosesTangent { parameter, callee, .. } => Some(format!(
            "that hands a tangent to the parameter `{parameter}` of `{callee}`, which carries no derivative"
        )),
        ErrorKind::NoBody { .. }
        | ErrorKind::NotForwardDifferentiable { .. }
        | ErrorKind::NotBackwardDifferentiable { .. }
        | ErrorKind::RuleNotDifferentiable { .. }
        | ErrorKind::Recursion
        | ErrorKind::RecursionReadsAgain
        | ErrorKind::UnboundedLoop
        | ErrorKind::BoundTooSmall { .. }
        | ErrorKind::NestedTooDeeply
        | ErrorKind::Unsupported { .. }
        | ErrorKind::BreaksRule { .. } => None,
    })
}
